"""Saved worlds: a running simulation in one file, from which it goes on.

The file is a zip archive of arrays, as numpy's `.npz`, and a JSON text `about` with the format, its version, the controller
and its options, the clock and the events to come. docs/game-loop.md lists all of it. What a controller has learned and
reserved is in the array `memory`. It is used if the same version of Wayfolk wrote it, and the world then goes on as if it
had never stopped. Otherwise a new controller begins with the world as it is; agents may then take other ways.

`memory` is a pickle. It is read by an unpickler that creates arrays and the classes of controllers, and refuses all else.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk import __version__
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.controllers import Controller
from wayfolk.algorithms.controllers._begin import begin_controller
from wayfolk.algorithms.task import checked_seed
from wayfolk.errors import BadInput, NotSupported, WayfolkError
from wayfolk.files.raw import MAX_BYTES, File, read_bytes, reason, shown, write_bytes
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crew import AGENT, ANSWER, ROW, TICK
from wayfolk.problem.events import Event
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Status
from wayfolk.simulation.history import Beginning
from wayfolk.simulation.referee import N_LOG, STATE
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.grid import Grid
from wayfolk.world.vision import Vision

FORMAT, VERSION = "wayfolk-world", 1
FROM_WAYFOLK = tuple(
    f"wayfolk.{part}." for part in ("algorithms.controllers", "algorithms.planners", "kernels", "problem", "world")
)
PLAIN = {
    ("builtins", "set"), ("builtins", "frozenset"), ("builtins", "bytearray"), ("builtins", "range"),
    ("builtins", "slice"), ("builtins", "object"), ("collections", "deque"), ("collections", "OrderedDict"),
    ("copyreg", "_reconstructor"), (__name__, "view_of"), (__name__, "frozen"), ("numpy", "ndarray"), ("numpy", "dtype"),
    ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"), ("numpy.core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "scalar"), ("numpy.core.numeric", "_frombuffer"),
    ("numpy.random._pickle", "__generator_ctor"), ("numpy.random._pickle", "__bit_generator_ctor"),
    ("numpy.random._pcg64", "PCG64"), ("numpy.random.bit_generator", "SeedSequence"),
    ("numpy.random.bit_generator", "__pyx_unpickle_SeedSequence"),
}  # fmt: skip


def write_world(world: Simulation, file: File) -> None:
    """Write `world` to `file`, whole or not at all."""
    if type(world) is not Simulation or not world.has_a_name:
        raise NotSupported("only a Simulation with a controller that has a name can be saved")
    problem, n = world.problem, int(world.court.counts[N_LOG])
    about = {
        "format": FORMAT, "version": VERSION, "wayfolk": __version__, "algorithm": world.algorithm,
        "options": dict(world.options), "model": world.model, "tick": world.tick, "seed": world.seed,
        "kept": None if world.kept == np.inf else world.kept, "status": world.status.value,
        "ticks": int(world.crew.counts[TICK]), "seconds": world._seconds,
        "vision": None if world.vision is None else world.vision.radius,
        "map": {"name": world.grid.name, "moves": world.grid.moves.value, "diagonal": world.grid.diagonal},
        "problem": {"loops": problem.loops, "seed": problem.seed, "name": problem.name},
        "events": [asdict(event) for _, _, event in sorted(world._events, key=lambda waiting: waiting[:2])],
        "began": world.base.time,
    }  # fmt: skip
    arrays: dict[str, Any] = {
        "about": np.array(json.dumps(about)), "free": world.grid.free, "free_at_start": problem.grid.free,
        "free_at_record": world.base.grid.free, "costs": world.grid.costs, "links": world.grid.links,
        "known": None if world.vision is None else world.vision.known.free,
        "starts": problem.starts, "routes": problem.routes, "pool": problem.pool, "drops": problem.drops,
        "agents": world.crew.agents, "route": world.crew.route, "answers": world.crew.answers,
        "states": world.court.states, "visits": world.court.visits, "luck": world.court.luck,
        "log": world.log[:n], "record_starts": world.base.starts, "record_goals": world.base.goals,
        "record_ours": world.base.ours, "memory": np.frombuffer(_memory(world), np.uint8),
    }  # fmt: skip
    stream = io.BytesIO()
    np.savez_compressed(stream, **{name: array for name, array in arrays.items() if array is not None})
    write_bytes(file, stream.getvalue(), BadInput)


def read_world(file: File) -> Simulation:
    """The world that `Simulation.save` wrote to `file`; it goes on where it stopped."""
    data = bytes(read_bytes(file, BadInput))
    try:
        about, arrays = _contents(data)
        _check_settings(about)
        _check_arrays(arrays)
        return _world(about, arrays)
    except WayfolkError as why:
        raise BadInput(f"{file}: {why}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as why:
        raise BadInput(f"{file}: not a whole saved world: {reason(why)}") from None


def _contents(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > MAX_BYTES:
                raise BadInput(f"its arrays unpack to more than {MAX_BYTES} bytes")
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(str(arrays.pop("about")))
    except BadInput:
        raise
    except Exception as why:  # a broken archive makes zipfile, zlib and numpy raise many things
        raise BadInput(f"not a saved world: {reason(why)}") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise BadInput(f"not a saved world: its text 'about' should have the format '{FORMAT}'")
    if about.get("version") != VERSION:
        raise BadInput(f"the version of the file is {shown(about.get('version'))}, this reads {VERSION}")
    for name, kind in (("agents", AGENT), ("answers", ANSWER), ("states", STATE), ("log", ROW)):
        if arrays[name].dtype != kind:
            raise BadInput(f"the array {name!r} has the type {arrays[name].dtype}, not {kind}")
        arrays[name] = arrays[name].view(kind)  # a file does not say that fields are aligned, and kernels need them so
    return about, arrays


def _check_settings(about: dict[str, Any]) -> None:
    """Raise BadInput unless the numbers of `about` can be those of a simulation."""
    checked_seed(about["seed"])
    for name in ("tick", "ticks", "seconds", "began", "kept", "vision"):
        value = about[name]
        if value is None and name in ("kept", "vision"):
            continue
        is_number = isinstance(value, int if name == "ticks" else int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value < 2**53 or (name in ("tick", "vision") and not value):
            raise BadInput(f"{name!r} is {shown(value)}, which no world has")


def _check_arrays(arrays: dict[str, NDArray[Any]]) -> None:
    """Raise BadInput unless the arrays fit each other: kernels index one by what is in another, and check nothing."""
    n, free = len(arrays["agents"]), arrays["free"]
    shapes: dict[str, tuple[Any, tuple[int, ...]]] = {
        **dict.fromkeys(("free", "free_at_start", "free_at_record", "known"), (np.bool_, free.shape[:2])),
        "starts": (np.int32, (len(arrays["routes"]),)),
        **dict.fromkeys(("pool", "drops"), (np.int32, (-1,))),
        **dict.fromkeys(("routes",), (np.int32, (-1, -1))),
        **dict.fromkeys(("visits", "route"), (np.int32, (n, -1))),
        **dict.fromkeys(("record_starts", "record_goals"), (np.int32, (n,))),
        **{name: (arrays[name].dtype, (n,)) for name in ("agents", "answers", "states")},
        "record_ours": (np.bool_, (n,)), "luck": (np.uint64, (1,)), "log": (ROW, (-1,)), "memory": (np.uint8, (-1,)),
    }  # fmt: skip
    for name, (kind, shape) in shapes.items():
        if name not in arrays and name == "known":
            continue
        array = arrays[name]
        sides = zip(array.shape, shape, strict=False)
        if array.dtype != kind or array.ndim != len(shape) or any(side != fit for side, fit in sides if fit >= 0):
            raise BadInput(f"the array {name!r} of {array.dtype} {array.shape} does not fit the others")
    if not n or len(arrays["starts"]) > n or arrays["visits"].shape[1] < 1 or arrays["route"].shape[1] < 1:
        raise BadInput("there are fewer agents than starts, or agents without a goal")
    n_cells = (free.shape[0] + 2) * (free.shape[1] + 2)  # a generous bound: the padding of a grid belongs to its cells
    agents, states, answers, log = (arrays[name] for name in ("agents", "states", "answers", "log"))
    here = agents["here"][agents["present"]]
    indices = [("agents", here, n_cells), ("log", log["agent"][log["agent"] != NOBODY], n)]
    indices += [("agents", agents[name], n_cells) for name in ("here", "came", "goal")]
    indices += [(name, arrays[name], n_cells) for name in ("starts", "routes", "pool", "drops", "visits", "route")]
    indices += [("record_starts", arrays["record_starts"], n_cells), ("record_goals", arrays["record_goals"], n_cells)]
    indices += [("log", log["cell"], n_cells), ("states", states["leg"], arrays["visits"].shape[1])]
    indices += [("answers", answers[name], arrays["route"].shape[1] + 1) for name in ("n_route", "at")]
    for name, values, end in indices:
        inside = (values >= 0) & (values < end)
        if not (inside | (values == NOWHERE)).all() or (values is here and not inside.all()):
            raise BadInput(f"the array {name!r} holds {values[~inside][0]}, which is outside the world")
    if len(np.unique(here)) < len(here):
        raise BadInput("two agents are in one cell")


def _world(about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Simulation:
    """The simulation that the parts of a file describe."""

    def grid_of(name: str) -> Grid:
        return Grid(arrays[name], costs=arrays.get("costs"), links=arrays.get("links"), **about["map"])

    agents = arrays["agents"]
    grid, first = grid_of("free"), grid_of("free_at_start")
    problem = Problem(
        first, arrays["starts"], arrays["routes"], pool=arrays["pool"], drops=arrays["drops"], **about["problem"]
    )
    world = Simulation.__new__(Simulation)
    world.problem, world.grid, world.model = problem, first, about["model"]
    world.tick, world.seed, world.algorithm = float(about["tick"]), about["seed"], about["algorithm"]
    world.kept = np.inf if about["kept"] is None else float(about["kept"])
    world.has_a_name = True
    world.laps, world._seconds, world.status = None, float(about["seconds"]), Status(about["status"])
    remembered = _remembered(arrays["memory"].tobytes()) if about["wayfolk"] == __version__ else None
    known = grid_of("known") if "known" in arrays else grid
    if remembered is not None:
        if remembered[1] != known:
            raise BadInput("the array 'memory' is of another map")
        known = remembered[1]  # controllers see by its identity whether the map has changed
    world.vision = None
    if about["vision"] is not None:
        world.vision = Vision(grid, float(about["vision"]))
        world.vision.known = known
    else:
        grid = known
    entry = catalogue.find(world.algorithm, "controllers")
    now = Problem(grid, agents["here"].copy(), _routes(arrays), loops=problem.loops, pool=problem.pool,
                  seed=problem.seed, name=problem.name, drops=problem.drops)  # fmt: skip
    new, world.options = begin_controller(entry, now, world.seed, about["options"])
    world.controller = new if remembered is None else remembered[0]
    world._build()

    world.grid = grid
    occupant = np.full(grid.n_cells, NOBODY, np.int32)
    present = np.flatnonzero(agents["present"])
    occupant[agents["here"][present]] = present
    world.crew = world.crew._replace(
        agents=agents, occupant=occupant, asked=np.zeros(len(agents), np.int32), answers=arrays["answers"],
        route=arrays["route"] if remembered is not None else np.zeros((len(agents), new.lookahead), np.int32),
    )  # fmt: skip
    world.crew.counts[TICK] = about["ticks"]
    world.court = world.court._replace(
        legal=grid.legal, states=arrays["states"], visits=arrays["visits"], luck=arrays["luck"]
    )
    log = arrays["log"]
    record = Beginning(
        float(about["began"]),
        grid_of("free_at_record"),
        *(arrays[f"record_{name}"] for name in ("starts", "goals", "ours")),
    )
    if remembered is None:  # a new controller must not learn from what is not in its past
        record, log = record.after(log, world.time), log[:0]
        world.crew.answers["n_route"] = world.crew.answers["at"] = 0
    world.base = record
    world.log = np.concatenate([log, np.zeros(max(4096, 16 * len(agents)), ROW)])
    world.court.counts[N_LOG] = len(log)
    if remembered is None:
        world.controller.prepare(world._view())
    status = world.status
    for event in about["events"]:
        places = tuple((int(x), int(y)) for x, y in event["places"])
        world._await(Event(float(event["time"]), int(event["kind"]), int(event["agent"]), places))
    world.status = Status.RUNNING if about["events"] else status
    return world


def _routes(arrays: dict[str, NDArray[Any]]) -> NDArray[np.int32]:
    """The goals in turn of each agent, the present one first."""
    routes: NDArray[np.int32] = arrays["visits"].copy()
    routes[:, 0] = arrays["agents"]["goal"]
    return routes


def _memory(world: Simulation) -> bytes:
    """The controller and the map that it knows as bytes; none if it holds something that could not be read again."""
    stream = io.BytesIO()
    try:
        _Pickler(stream).dump((world.controller, world._view().grid))
    except (pickle.PicklingError, TypeError, AttributeError):
        return b""
    data = stream.getvalue()
    return data if _remembered(data) is not None else b""


def _remembered(data: bytes) -> tuple[Controller, Grid] | None:
    """The controller in these bytes, and the map that it knows; None if they hold no such thing, or anything else."""
    try:
        controller, grid = _Unpickler(io.BytesIO(data)).load()
    except Exception:  # wrong bytes make an unpickler raise anything
        return None
    return (controller, grid) if isinstance(controller, Controller) and isinstance(grid, Grid) else None


class _Pickler(pickle.Pickler):
    """Keeps arrays that share their memory: controllers write to one name of an array and read from another."""

    def reducer_override(self, thing: Any) -> Any:
        if type(thing) is np.ndarray and thing.base is None and not thing.flags.writeable:
            return frozen, (thing.copy(),)  # kernels are compiled for arrays that can be written to, or for others
        whole = thing
        while type(whole) is np.ndarray and isinstance(whole.base, np.ndarray):
            whole = whole.base
        if whole is thing or not whole.flags.c_contiguous:
            return NotImplemented
        offset = thing.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
        return view_of, (whole, offset, thing.shape, thing.strides, thing.dtype, thing.flags.writeable)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """`array`, which cannot be written to from now on."""
    array.flags.writeable = False
    return array


def view_of(
    whole: NDArray[Any], offset: int, shape: tuple[int, ...], strides: tuple[int, ...], kind: Any, writeable: bool
) -> NDArray[Any]:
    """A part of the array `whole`, which shares its memory."""
    view: NDArray[Any] = np.ndarray(shape, kind, whole, offset, strides)
    view.flags.writeable = writeable and whole.flags.writeable
    return view


class _Unpickler(pickle.Unpickler):
    """Creates plain containers, arrays, and classes of controllers; no function of a module is called."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in PLAIN:
            return super().find_class(module, name)
        if module.startswith(FROM_WAYFOLK) and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a saved world")
