"""Saved worlds: a running simulation in one file, from which it goes on.

The file is a zip archive of arrays, as numpy's `.npz`, and a JSON text `about` with the format, its version, the controller
and its options, the clock and the events to come. docs/game-loop.md lists all of it. What a controller has learned and
reserved is in the arrays whose names begin with `memory.`, each of which the controller declares, with its bounds (see
`wayfolk.algorithms.memory`). They are used if the same version of Wayfolk wrote them, and the world then goes on as if it
had never stopped. Otherwise a new controller begins with the world as it is; agents may then take other ways.

A file is data: names, types, shapes, numbers and indices are checked before a kernel sees them, and a file can only name
controllers that come with Wayfolk, with options that name no file and no address, unless the caller trusts it.
"""

from __future__ import annotations

import difflib
import io
import json
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk import __version__
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.controllers._begin import begin_controller
from wayfolk.algorithms.memory import Memory
from wayfolk.algorithms.refusals import check_states
from wayfolk.algorithms.task import checked_seed
from wayfolk.errors import BadInput, NotSupported, WayfolkError
from wayfolk.files.arrays import Arrays, about_of, read_arrays
from wayfolk.files.raw import MAX_BYTES, File, read_bytes, reason, shown, write_bytes
from wayfolk.files.world_json import body_as_dict, body_from_dict, name_of
from wayfolk.kernels.codes import GOAL, JOIN, MOVE, PUT
from wayfolk.problem.events import ABOUT_AGENTS, Event
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import DISTANCE
from wayfolk.problem.result import Status
from wayfolk.simulation.control import Control
from wayfolk.simulation.log import ALL
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.state import WorldState
from wayfolk.simulation.time_models import TICKS, checked_tick, models_of
from wayfolk.simulation.world_arrays import EXPECTED, MEMORY, OPTIONAL, check_arrays, check_shapes
from wayfolk.simulation.world_maps import Maps, read_maps
from wayfolk.world.edits import EDITS
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph
from wayfolk.world.vision import Vision

FORMAT, VERSION = "wayfolk-world", 2


def write_world(world: Simulation, file: File) -> None:
    """Write `world` to `file`, whole or not at all."""
    if type(world) is not Simulation or not world.has_a_name:
        raise NotSupported("only a Simulation with a controller that has a name can be saved")
    problem, control = world.problem, world.control
    arrays, about = world.world_state.save(problem.states)
    if control.vision is not None:
        known = control.vision.known
        arrays |= {"known": known.free, "known_costs": known.costs, "known_links": known.links}
    arrays |= {
        "starts": problem.starts, "routes": problem.routes, "pool": problem.pool, "drops": problem.drops,
    }  # fmt: skip
    memory = memory_of(world)
    if memory is not None:
        n_bytes = sum(array.nbytes for array in [*arrays.values(), *memory.values()] if array is not None)
        memory = memory if n_bytes < MAX_BYTES else None  # more would not be read again
    about |= {
        "format": FORMAT, "version": VERSION, "wayfolk": __version__, "algorithm": world.algorithm,
        "options": dict(world.options), "seed": world.seed, "status": world.status.value, "seconds": world.seconds,
        "vision": None if control.vision is None else control.vision.radius,
        "problem": {"loops": problem.loops, "seed": problem.seed, "name": problem.name},
        "events": [_event_as_dict(event) for event in world.events.as_added()], "remembers": memory is not None,
    }  # fmt: skip
    arrays |= {"about": np.array(json.dumps(about))} | {
        f"{MEMORY}{name}": each for name, each in (memory or {}).items()
    }
    stream, whole = io.BytesIO(), {name: np.asarray(a, order="C") for name, a in arrays.items() if a is not None}
    np.savez_compressed(stream, **whole)  # type: ignore[arg-type]  # numpy's stub takes them for other arguments
    write_bytes(file, stream.getvalue(), BadInput)


def memory_of(world: Simulation) -> Arrays | None:
    """What the controller of `world` remembers, None if a restored one begins anew."""
    memory = _memory(world, None)
    world.controller.remember(memory)
    return None if memory.begins_anew else memory.arrays


def _memory(world: Simulation, held: Arrays | None) -> Memory:
    return Memory(world.control.view(), world.world_state.log.n, held)


def read_world(file: File, controller: Any = None, *, trust: bool = False) -> Simulation:
    """The world that `Simulation.save` wrote to `file`; it goes on where it stopped.

    The file names its controller. If that is not one of Wayfolk's, pass it as `controller`: by its name, or as its `begin`.
    With `trust`, what the file names is imported, and options may name files and addresses: do so with your own files only.
    """
    data = read_bytes(file, BadInput)
    try:
        arrays = read_arrays(data, EXPECTED, optional=OPTIONAL)
        about = about_of(arrays, FORMAT, VERSION)
        del arrays["about"]
        entry = _entry(about, controller, trust)
        _check_settings(about, entry)
        check_shapes(arrays, about)
        maps = read_maps(arrays, about)
        check_arrays(arrays, maps, about["ticks"], about["tick"])
        return _world(about, arrays, maps, entry)
    except WayfolkError as why:
        raise BadInput(f"{file}: {why}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as why:
        raise BadInput(f"{file}: not a whole saved world: {reason(why)}") from None


def _entry(about: dict[str, Any], controller: Any, trust: bool) -> Entry:
    """The controller that the file names, if that may be used."""
    name, options = about["algorithm"], about["options"]
    if not isinstance(name, str) or not isinstance(options, dict):
        raise BadInput(f"the controller {shown(name)} should be a text, and its options an object")
    own = {entry.name for entry in catalogue.entries("controllers")}
    if controller is not None:
        entry = catalogue.find(controller, "controllers")
        if entry.name != name:
            raise BadInput(f"its controller is {shown(name)}, not {entry.name!r}")
    elif name in own or trust:
        entry = catalogue.find(name, "controllers")
    else:
        near = difflib.get_close_matches(name, own, 1, 0.5)
        raise BadInput(
            f"its controller {shown(name)} does not come with Wayfolk: "
            + (f"did you mean {near[0]!r}? " if near and ":" not in name else "")
            + "pass it as `controller`, or trust=True if the file is yours"
        )
    texts = {option.name for option in entry.options if option.type.startswith("str") and not option.choices}
    for option in sorted(texts & options.keys()):
        if options[option] and not trust:
            raise BadInput(
                f"the option {option} of its controller is {shown(options[option])}, which may name a file or an address: "
                "pass trust=True if the file is yours"
            )
    return entry


def _known_grid(arrays: Arrays, about: dict[str, Any]) -> Grid:
    """The map as far as it was seen; of a map with costs or cliffs these are known or not too."""
    for name in ("costs", "links"):
        if (name in arrays) != (f"known_{name}" in arrays):
            raise BadInput(f"of the arrays {name!r} and 'known_{name}' there should be both or none")
    return Grid(arrays["known"], costs=arrays.get("known_costs"), links=arrays.get("known_links"), **about["map"])


def _check_settings(about: dict[str, Any], entry: Entry) -> None:
    """Raise BadInput unless the numbers of `about` can be those of a simulation."""
    checked_seed(about["seed"])
    for name in ("tick", "ticks", "seconds", "began", "kept", "vision"):
        value = about[name]
        if value is None and name in ("kept", "vision"):
            continue
        is_number = isinstance(value, int if name == "ticks" else int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value < 2**53 or (name in ("tick", "vision") and not value):
            raise BadInput(f"{name!r} is {shown(value)}, which no world has")
    model, tick = about["model"], about["tick"]
    if model not in models_of(entry):
        raise BadInput(f"{entry.name} does not know the time model {shown(model)}")
    if not (tick == TICKS[model] or (model == DISTANCE and tick <= 1)):
        raise BadInput(f"'tick' is {tick}, which the time model {model} does not have")
    if about["began"] > about["ticks"] * tick + 1e-6:
        raise BadInput(f"'began' is {about['began']}, which is later than the world is")
    loops = about["problem"]["loops"]
    if type(loops) is not int or not 1 <= loops <= 1 << 30:
        raise BadInput(f"'loops' is {shown(loops)}, which no problem has")
    checked_seed(about["problem"]["seed"])
    for name, part in (("problem", "name"), *([] if "world" in about else [("map", "name")])):
        if not isinstance(about[name][part], str):
            raise BadInput(f"the name of the {name} should be a text, not {shown(about[name][part])}")


def _world(about: dict[str, Any], arrays: Arrays, maps: Maps, entry: Entry) -> Simulation:
    """The simulation that the parts of a file describe."""
    agents, seed = arrays["agents"], about["seed"]
    rest = {"pool": arrays["pool"], "drops": arrays["drops"], **about["problem"]}
    problem = _problem(maps.first, arrays["starts"], arrays["routes"], rest)
    now = _problem(maps.now, agents["here"].copy(), _routes(arrays), rest)
    check_states(entry, problem)
    checked_tick(about["model"], None, entry, problem)
    controller, options = begin_controller(entry, now, seed, about["options"])
    goes_on = bool(about["remembers"]) and about["wayfolk"] == __version__
    lookahead = controller.lookahead
    if goes_on and arrays["route"].shape[1] != lookahead:
        raise BadInput(f"the array 'route' has routes of {arrays['route'].shape[1]} cells, not of {lookahead}")
    span = ALL if about["kept"] is None else float(about["kept"])
    state = WorldState(problem, about["model"], float(about["tick"]), lookahead=lookahead, reader=controller, span=span)
    state.load(arrays, about, maps, goes_on=goes_on)
    vision = None
    if about["vision"] is not None:
        vision = Vision(now.grid, float(about["vision"]))
        vision.known = _known_grid(arrays, about)
    world = Simulation.restored(problem, entry, Control(controller, state, vision), options, seed)
    world.seconds = float(about["seconds"])
    controller.prepare(world.control.view())
    if goes_on:
        memory = _memory(world, {name.removeprefix(MEMORY): a for name, a in arrays.items() if name.startswith(MEMORY)})
        controller.remember(memory)
        memory.finish()
    for event in about["events"]:
        world.add_event(_event(world, event))
    world.status = Status.RUNNING if about["events"] else Status(about["status"])
    return world


def _problem(
    states: Grid | StateGraph, starts: NDArray[np.int32], routes: NDArray[np.int32], rest: dict[str, Any]
) -> Problem:
    """The problem of agents that begin at these nodes."""
    if isinstance(states, Grid):
        return Problem(states, starts, routes, **rest)
    kinds = [states.kind_of(node) for node in starts.tolist()] if len(states.kinds) > 1 else []
    return Problem(states.world, starts, routes, kinds=states.kinds, kind_of=np.array(kinds, np.int32), **rest)


def _event_as_dict(event: Event) -> dict[str, Any]:
    return asdict(event) | {"body": None if event.body is None else body_as_dict(event.body)}


def _event(world: Simulation, told: dict[str, Any]) -> Event:
    """An event to come, which can happen in this world."""
    is_plain = isinstance(world.states, Grid)
    places = tuple((int(place[0]), int(place[1])) if is_plain else name_of(place) for place in told["places"])
    body = None if told.get("body") is None else body_from_dict(told["body"])
    event = Event(float(told["time"]), int(told["kind"]), int(told["agent"]), places, body)
    n_places = {GOAL: 1, MOVE: 1, PUT: 1, JOIN: 2}.get(event.kind, 0)
    knows_kind = event.kind in (*ABOUT_AGENTS, JOIN, *EDITS)
    if not knows_kind or len(places) < n_places or not 0 <= event.agent < world.n_agents + world.events.n_joining:
        raise BadInput(f"an event at time {event.time} cannot happen in this world")
    world.events.nodes_of(event, world.states, world.crew.agents)
    if not event.time < 2**53:
        raise BadInput(f"an event cannot be at time {event.time}")
    return event


def _routes(arrays: dict[str, NDArray[Any]]) -> NDArray[np.int32]:
    """The goals in turn of each agent, the present one first; those of one that is done are all behind it."""
    visits, legs = arrays["visits"], arrays["states"]["leg"]
    turns = (np.arange(visits.shape[1]) + legs[:, None]) % visits.shape[1]
    routes: NDArray[np.int32] = np.take_along_axis(visits, turns, 1)
    acts = ~arrays["agents"]["done"]
    routes[acts, 0] = arrays["agents"]["goal"][acts]
    return routes
