"""Saved worlds of strangers: nothing in a file runs, and all numbers are checked before a kernel sees them."""

import json
import sys
from contextlib import suppress

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.checked_arrays import CheckedArrays
from wayfolk.algorithms.controllers import Controller
from wayfolk.algorithms.controllers.sdp.cluster import ClusterTeam
from wayfolk.errors import BadInput, WayfolkError
from wayfolk.problem import events
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import patrol, tasks
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.world_file import read_world
from wayfolk.world.generate import random_map

pytestmark = pytest.mark.plain

NAMES = [entry.name for entry in catalogue.entries("controllers")]
EXTREMES = (-(2**63), -(2**31), -1, 0, 1, 8, 64, 255, 10**6, 2**30, 2**31 - 1, 2**62)


def saved(tmp_path, name="lra", **options):
    """The file of a small world, its arrays and its text `about`."""
    file = tmp_path / "world.npz"
    world = Simulation(patrol(random_map(8, 8, 0.1, seed=4, moves="four"), agents=5, loops=9, seed=4), name, **options)
    world.advance(12)
    world.save(file)
    with np.load(file) as archive:
        arrays = dict(archive)
    return file, arrays, json.loads(str(arrays["about"]))


def write(file, arrays, about=None):
    """Write the arrays, with another text `about` if there is one."""
    changed = arrays if about is None else arrays | {"about": np.array(json.dumps(about))}
    np.savez_compressed(file, **changed)


# pickles that call ClusterTeam, replace an attribute of Plan, and make an array of objects of the bytes of an address
PICKLES = {
    "a connection": b"\x80\x02cwayfolk.algorithms.controllers.sdp.cluster\nClusterTeam\n"
    b"(X\x0d\x00\x00\x00tcp://host:80K\x00tR.",
    "an attribute": b"\x80\x02cwayfolk.problem.plan\nPlan\n(N}X\x07\x00\x00\x00n_stepsK\x07stb.",
    "an address": b"\x80\x03cnumpy\nndarray\n((K\x01tcnumpy\ndtype\n(X\x01\x00\x00\x00OtRC\x08" + bytes(8) + b"tR.",
}


@pytest.mark.parametrize("how", PICKLES)
def test_a_pickle_in_a_file_is_never_loaded(how, tmp_path, monkeypatch):
    connected, n_steps = [], Plan.n_steps
    monkeypatch.setattr(ClusterTeam, "__init__", lambda self, *address: connected.append(address))
    file, arrays, _ = saved(tmp_path)
    write(file, arrays | {"memory": np.frombuffer(PICKLES[how], np.uint8)})
    with suppress(BadInput):
        read_world(file)
    is_same = Plan.n_steps is n_steps
    Plan.n_steps = n_steps
    assert is_same
    assert connected == []
    with pytest.raises(BadInput, match=r"the archive holds 'memory\.npy', which does not belong there"):
        read_world(file)


def test_an_array_of_objects_is_refused(tmp_path):
    file, arrays, _ = saved(tmp_path, "whca")
    write(file, arrays | {"memory.turn": np.array([{}], object)})
    with pytest.raises(BadInput, match=r"the array 'memory\.turn' has the type object"):
        read_world(file)


STRANGER = '''
from pathlib import Path

from wayfolk.algorithms.controllers import Controller

Path(__file__).with_name("imported").touch()


def begin(problem, *, seed: int = 0):
    """Nobody moves."""
    return Standing(problem.n_agents)


class Standing(Controller):
    def decide(self, view):
        pass
'''


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    """The file that a module with a controller writes when it is imported."""
    (tmp_path / "stranger.py").write_text(STRANGER)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "imported"
    sys.modules.pop("stranger", None)


@pytest.mark.parametrize("name", ["stranger:begin", "stranger", "/any/path.py", "", "a\nb"])
def test_a_controller_that_is_not_ours_is_neither_imported_nor_called(name, tmp_path, stranger):
    file, arrays, about = saved(tmp_path)
    write(file, arrays, about | {"algorithm": name})
    with pytest.raises(
        BadInput, match=r"does not come with Wayfolk: .*pass it as `controller`, or trust=True"
    ) as caught:
        read_world(file)
    assert "\n" not in str(caught.value)
    assert not stranger.exists()


def test_a_controller_that_is_not_ours_can_be_passed_or_trusted(tmp_path, stranger):
    file, arrays, about = saved(tmp_path)
    write(file, arrays, about | {"algorithm": "stranger:begin", "remembers": False})
    with pytest.raises(BadInput, match="its controller is 'stranger:begin', not 'whca'"):
        read_world(file, "whca")
    read_world(file, trust=True).step()
    assert stranger.exists()
    world = read_world(file, sys.modules["stranger"].begin)
    assert world.algorithm == "stranger:begin"
    before = world.places().tolist()
    world.advance(3)
    assert world.places().tolist() == before
    world.save(file)  # it remembers nothing, and begins anew
    assert read_world(file, sys.modules["stranger"].begin).places().tolist() == before


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("sdp", "cluster", "tcp://host:80"),
        ("direction_map", "saved", "/etc/passwd"),
        ("greedy_direction_map", "saved", "map.npz"),
    ],
)
def test_an_option_that_names_a_file_or_an_address_needs_trust(name, option, value, tmp_path, monkeypatch):
    monkeypatch.setattr(ClusterTeam, "__init__", lambda self, *address: pytest.fail("it connects"))
    file, arrays, about = saved(tmp_path, name)
    write(file, arrays, about | {"options": {option: value}})
    with pytest.raises(BadInput, match=f"the option {option} of its controller is '{value}'.*trust=True"):
        read_world(file)


def test_memory_has_exactly_the_arrays_that_the_controller_declares(tmp_path):
    file, arrays, about = saved(tmp_path, "whca")
    turn = arrays["memory.turn"]
    for change, complaint in (
        ({"memory.extra": turn}, "the array 'extra' is not part of the memory of this controller"),
        ({"memory.turn": turn.astype(np.int32)}, "the array 'turn' of int32"),
        ({"memory.turn": turn[:0]}, "the array 'turn' of int64"),
        ({"memory.turn": -turn - 1}, "the array 'turn' holds -"),
        ({"memory.ways.cells": arrays["memory.ways.cells"] + 1000}, r"the array 'ways\.cells' holds 1"),
    ):
        write(file, arrays | change)
        with pytest.raises(BadInput, match=complaint):
            read_world(file)
    write(file, {name: array for name, array in arrays.items() if name != "memory.turn"})
    with pytest.raises(BadInput, match="the array 'turn' of the controller's memory is missing"):
        read_world(file)
    write(file, arrays, about | {"algorithm": "pibt"})
    with pytest.raises(BadInput, match="the array 'route' has routes of 16 cells, not of 1"):
        read_world(file)


def changed(array, random):
    """A copy in which some numbers are extreme, or those of other places."""
    array = array.copy()
    part = array[random.choice(array.dtype.names)] if array.dtype.names else array
    for _ in range(random.integers(1, 4) if part.size else 0):
        at = tuple(random.integers(0, side) for side in part.shape)
        other = part[tuple(random.integers(0, side) for side in part.shape)]
        if part.dtype.kind in "iu":
            bounds = np.iinfo(part.dtype)
            extreme = EXTREMES[random.integers(len(EXTREMES))]
            part[at] = other if random.random() < 0.3 else min(max(extreme, bounds.min), bounds.max)
        elif part.dtype.kind == "f":
            part[at] = random.choice([np.nan, np.inf, -np.inf, -1.0, 1e30, 0.5, other])
        else:
            part[at] = not part[at]
    return array


def nudged(array, random):
    """A copy in which some numbers are others of the same range, or a little more or less, and rows may be exchanged."""
    array = array.copy()
    part = array[random.choice(array.dtype.names)] if array.dtype.names else array
    if part.size and part.dtype.kind == "i":
        bounds = np.iinfo(part.dtype)
        for _ in range(random.integers(1, 6)):
            at = tuple(random.integers(0, side) for side in part.shape)
            drawn = random.integers(part.min(), part.max(), endpoint=True)
            near = min(max(int(part[at]) + int(random.integers(-2, 3)), bounds.min), bounds.max)
            part[at] = drawn if random.random() < 0.5 else near
    if array.ndim and len(array) > 1 and random.random() < 0.3:
        random.shuffle(array)
    return array


OTHERS = [("whca", {"window": 4}), ("rhcr", {"solver": "pp"}), ("rhcr", {"solver": "ecbs"}), ("bmaa", {"flow": True})]


@pytest.mark.parametrize(("name", "options"), [(name, {}) for name in NAMES] + OTHERS)
def test_wrong_numbers_are_refused_or_do_no_harm(name, options, tmp_path):
    file, arrays, _ = saved(tmp_path, name, **options)
    remembered = [key for key in arrays if key.startswith("memory.")] or ["agents"]
    every = sorted(arrays.keys() - {"about"})
    for seed in range(24):
        random, change = np.random.default_rng(seed), nudged if seed % 3 == 2 else changed
        keys = {str(random.choice(remembered)), str(random.choice(every))}
        write(file, arrays | {key: change(arrays[key], random) for key in keys})
        try:
            world = read_world(file)
        except BadInput:
            continue
        places = [world.grid.place(cell) for cell in world.grid.free_cells]
        for event in (
            events.block(14, places[9:10]), events.free(16, places[9:10]), events.join(15, places[0], places[5])
        ):  # fmt: skip
            with suppress(WayfolkError):
                world.happen(event)
        world.advance(12)
        here = world.crew.agents["here"][world.crew.agents["present"]]
        assert len(np.unique(here)) == len(here)


class Recorder(CheckedArrays):
    """Arrays of a small world, to be noted or read."""

    def __init__(self, held=None):
        world = Simulation(tasks(random_map(8, 8, 0.1, seed=4), agents=5, seed=4), "lra")
        super().__init__(world.control.view(), 0, held)


def test_integers_without_bounds_cannot_be_remembered():
    rows = np.zeros(3, [("cell", np.int32), ("cost", np.float64), ("done", np.bool_)])
    with pytest.raises(TypeError, match=r"bounds are needed for \['cell'\]"):
        Recorder().records("rows", rows)
    with pytest.raises(TypeError, match=r"there are no fields \['done', 'length'\]"):
        Recorder().records("rows", rows, cell=(0, 1), length=(0, 1), done=(0, 1))
    with pytest.raises(TypeError):
        Recorder().numbers("cells", np.zeros(3, np.int32))
    noted = Recorder()
    noted.numbers("cells", np.zeros(3, np.int32), (0, 1))
    with pytest.raises(ValueError, match="cells is remembered twice"):
        noted.numbers("cells", np.zeros(3, np.int32), (0, 1))


def test_what_was_noted_is_written_to_the_same_arrays():
    noted, random = Recorder(), np.random.default_rng(5)
    random.integers(7, dtype=np.int32)
    noted.generator("random", random)
    noted.part("inner").numbers("cells", np.array([0, 11, 2**31 - 1], np.int32), noted.cells_or_none)
    read, other, cells = Recorder(noted.arrays), np.random.default_rng(1), np.zeros(3, np.int32)
    read.generator("random", other)
    shown = cells[1:]
    read.part("inner").numbers("cells", cells, read.cells_or_none)
    read.finish()
    assert shown.tolist() == [11, 2**31 - 1]
    assert other.integers(1000, size=9).tolist() == random.integers(1000, size=9).tolist()
    with pytest.raises(BadInput, match=r"the array 'inner\.cells' holds 2147483647"):
        Recorder(noted.arrays).part("inner").numbers("cells", cells, read.cells)
    noted.arrays["random"][3] &= ~np.uint64(1)
    with pytest.raises(BadInput, match="no state of a random generator"):
        Recorder(noted.arrays).generator("random", other)


def test_a_controller_begins_anew_unless_it_says_what_it_remembers():
    noted = Recorder()
    Controller(5).remember(noted)
    assert noted.begins_anew
    assert noted.arrays == {}
