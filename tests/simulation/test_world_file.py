"""Saved worlds: they go on as if they had never stopped, and a file is data: nothing in it runs, all of it is checked."""

import json
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.controllers import Controller
from wayfolk.errors import BadInput, NotSupported
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, OPEN_EAST, OPEN_SOUTH, THOUGHT
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot, patrol, tasks
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.world_file import memory_of, read_world
from wayfolk.world.generate import random_map
from wayfolk.world.grid import Grid

pytestmark = pytest.mark.plain

NAMES = [entry.name for entry in catalogue.entries("controllers")]
BEGIN_ANEW = {"sdp"}
SEARCH_AGAIN = {"pibt"}  # distances, so that other nodes are expanded


def corridor(*ends):
    """Agents in a corridor one cell wide, each from the first to the second of its places."""
    grid = parse_ascii("." * 8)
    return one_shot(grid, [(start, 0) for start, _ in ends], [(goal, 0) for _, goal in ends])


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_world_goes_on_as_if_it_had_never_stopped(name, tmp_path):
    problem = patrol(random_map(12, 12, 0.1, seed=4, moves="four"), agents=6, loops=9, seed=4)
    later = [events.block(20, [problem.grid.place(problem.grid.free_cells[40])]), events.release(25, 2)]
    world = Simulation(problem, name, seed=7, events=later)
    world.advance(12)
    world.hold(3)
    world.save(tmp_path / "world.npz")
    again = read_world(tmp_path / "world.npz")
    assert (again.time, again.algorithm, again.n_agents) == (12.0, name, 6)
    assert (memory_of(world) is None) == (name in BEGIN_ANEW)
    for one in (world, again):
        one.advance(30)
    assert check_record(again.record()) == []
    if name not in BEGIN_ANEW:
        assert happened(again, name not in SEARCH_AGAIN) == happened(world, name not in SEARCH_AGAIN)


def happened(world, with_counts=True):
    """The rows of the record, with the nodes that were expanded or without them."""
    record = world.record()
    rows = slice(None) if with_counts else record.kind != THOUGHT
    return [getattr(record, column)[rows].tolist() for column in ("time", "agent", "kind", "cell")]


VARIANTS = {
    "whca": {}, "bmaa_plus": {}, "far": {}, "lacam": {}, "rhcr": {"solver": "pp"}, "direction_map": {"local": 4.0},
    "jansen_direction_map": {"local": 4.0},
}  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_a_world_goes_on_that_was_saved_after_edits_and_while_agents_come_and_go(name, tmp_path):
    problem = tasks(random_map(16, 16, 0.2, seed=5), agents=20, seed=2)
    places = [problem.grid.place(cell) for cell in problem.grid.free_cells]
    happenings = [
        events.block(20, places[30:32]), events.join(18, places[3], places[60]), events.leave(22, 0),
        events.free(23, places[31:32]), events.block(24, places[50:51]), events.join(29, places[0], places[9]),
        events.block(32, places[40:41]), events.leave(39, 1),
    ]  # fmt: skip
    world = Simulation(problem, name, seed=7, events=happenings, **VARIANTS[name])
    world.advance(24)
    world.save(tmp_path / "world.npz")
    again = read_world(tmp_path / "world.npz")
    for one in (world, again):
        one.advance(40)
    assert happened(again) == happened(world)


def test_a_world_in_which_nothing_has_happened_yet_goes_on(tmp_path):
    problem = tasks(random_map(16, 16, 0.2, seed=5), agents=20, seed=2)
    for name in ("whca", "lacam", "rhcr"):
        world = Simulation(problem, name)
        world.save(tmp_path / "world.npz")
        again = read_world(tmp_path / "world.npz")
        for one in (world, again):
            one.advance(10)
        assert happened(again) == happened(world)


def test_an_agent_that_was_put_elsewhere_is_read_again(tmp_path):
    problem = tasks(random_map(16, 16, 0.2, seed=5), agents=4, seed=2)
    world = Simulation(problem, "far")
    world.advance(9)
    empty = next(cell for cell in problem.grid.free_cells if cell not in world.crew.agents["here"])
    world.put(0, problem.grid.place(empty))
    world.save(tmp_path / "world.npz")
    assert check_record(read_world(tmp_path / "world.npz").record()) == []


def arrays_of(thing):
    """All arrays of nested tuples, with what decides for which types kernels are compiled."""
    if isinstance(thing, np.ndarray):
        yield thing.dtype.isalignedstruct, str(thing.dtype), thing.flags.writeable, thing.flags.c_contiguous
    elif isinstance(thing, tuple):
        for part in thing:
            yield from arrays_of(part)


@pytest.mark.parametrize("name", ["lra", "whca", "pibt", "bmaa_plus", "direction_map"])
def test_nothing_is_compiled_again_for_a_saved_world(name, tmp_path):
    world = Simulation(patrol(random_map(12, 12, 0.1, seed=4), agents=6, loops=9, seed=4), name)
    world.advance(5)
    world.save(tmp_path / "world.npz")
    again = read_world(tmp_path / "world.npz")
    for one, other in (
        (world.crew, again.crew), (world.world_state.court, again.world_state.court),
        (world.controller.arrays, again.controller.arrays),
        ((world.world_state.log.rows,), (again.world_state.log.rows,)),
    ):  # fmt: skip
        assert list(arrays_of(one)) == list(arrays_of(other))


def test_a_world_of_another_version_goes_on_with_a_new_controller(tmp_path):
    file = tmp_path / "world.npz"
    world = Simulation(tasks(random_map(12, 12, 0.1, seed=4), agents=6, seed=4), "bmaa_plus", vision=3.0)
    world.advance(15)
    world.happen(
        events.join(20, world.grid.place(world.grid.free_cells[0]), world.grid.place(world.grid.free_cells[9]))
    )
    world.save(file)
    _rewrite(file, lambda about: about | {"wayfolk": "0.0.1"})
    again = read_world(file)
    assert again.places().tolist() == world.places().tolist()
    again.advance(60)
    assert again.n_agents == 7
    assert again.record().began == 15.0
    assert check_record(again.record()) == []
    assert len(again.record().of(ARRIVE)) > 0


def test_what_is_known_of_costs_and_cliffs_is_saved(tmp_path):
    file = tmp_path / "world.npz"
    costs = np.ones((4, 9))
    costs[:, 6:] = 3.0
    links = np.full((4, 9), OPEN_EAST | OPEN_SOUTH, np.uint8)
    links[1:, [2, 7]] = OPEN_SOUTH
    grid = Grid(np.ones((4, 9)), costs=costs, links=links)
    world = Simulation(one_shot(grid, [(0, 3)], [(8, 3)]), "lra", vision=2.0)
    world.advance(2)
    world.save(file)
    again = read_world(file)
    assert again.control.vision.known == world.control.vision.known
    assert np.array_equal(again.control.vision.known.links, world.control.vision.known.links)
    for one in (world, again):
        one.advance(60)
    assert again.record().cell.tolist() == world.record().cell.tolist()
    with np.load(file) as archive:
        parts = dict(archive)
    del parts["known_links"]
    np.savez_compressed(file, **parts)
    with pytest.raises(BadInput, match="of the arrays 'links' and 'known_links' there should be both or none"):
        read_world(file)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda about: about | {"version": 9}, "the version is '9', this reads 2"),
        (lambda about: about | {"format": "wayfolk-plan"}, "not a file of the format 'wayfolk-world'"),
        (lambda about: {name: value for name, value in about.items() if name != "ticks"}, "not a whole saved world"),
        (lambda about: about | {"algorithm": "wcha"}, "did you mean 'whca'"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path, change, complaint):
    file = tmp_path / "world.npz"
    Simulation(corridor((0, 2)), "lra").save(file)
    _rewrite(file, change)
    with pytest.raises(BadInput, match=complaint) as caught:
        read_world(file)
    assert str(caught.value).startswith(str(file))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The parts of a saved world in which agents have joined and left, and walls have come."""
    file = tmp_path_factory.mktemp("saved") / "world.npz"
    grid = random_map(12, 12, 0.1, seed=4)
    world = Simulation(patrol(grid, agents=4, loops=3, seed=4), "lra", vision=3.0)
    places = [grid.place(cell) for cell in grid.free_cells]
    world.happen(events.join(2, places[0], places[9]))
    world.happen(events.leave(4, 1))
    world.happen(events.block(30, [places[20]]))
    world.advance(9)
    world.save(file)
    with np.load(file) as archive:
        return dict(archive)


def _damaged(array, how):
    """An array with another shape, another type, or an index that is far outside the world."""
    if how == "shorter":
        return array[:-1]
    if how == "another type":
        return array.astype(np.float32) if array.dtype.names is None else np.zeros(len(array), np.float32)
    if how == "flat":
        return array[..., None]
    array = array.copy()
    for field in [name for name in array.dtype.names or () if array.dtype[name] == np.int32] or [...]:
        array[field] = 10**6 if how == "far" else -7
    return array


ARRAYS = {
    "shorter": "free free_at_start free_at_record known starts agents route answers states visits record_starts "
    "record_goals record_ours luck",
    "another type": "free known starts routes pool drops agents route answers states visits luck log record_goals",
    "flat": "free known starts routes pool drops agents route answers states visits luck log record_ours",
    "far": "starts routes agents route answers visits log record_starts",
    "below": "starts routes agents route answers states visits log record_goals",
}


@pytest.mark.parametrize(("how", "name"), [(how, name) for how, names in ARRAYS.items() for name in names.split()])
def test_arrays_that_do_not_fit_are_refused_before_a_kernel_reads_them(saved, tmp_path, how, name):
    file = tmp_path / "world.npz"
    np.savez_compressed(file, **saved)
    assert read_world(file).n_agents == 5
    np.savez_compressed(file, **saved | {name: _damaged(saved[name], how)})
    with pytest.raises(BadInput, match=r"world\.npz: ") as caught:
        read_world(file)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("name", ["free", "starts", "agents", "log", "luck"])
def test_a_missing_array_is_one_sentence(saved, tmp_path, name):
    np.savez_compressed(tmp_path / "world.npz", **{key: array for key, array in saved.items() if key != name})
    with pytest.raises(BadInput, match=f"the array {name!r} is missing"):
        read_world(tmp_path / "world.npz")


@pytest.mark.parametrize("value", [None, -1, "x", [], {}, 1e400, float("nan")])
def test_a_wrong_setting_is_one_sentence_or_does_no_harm(saved, tmp_path, value):
    file = tmp_path / "world.npz"
    for name in json.loads(str(saved["about"])):
        np.savez_compressed(file, **saved)
        _rewrite(file, lambda about, name=name: about | {name: value})
        with suppress(BadInput):
            read_world(file).advance(3)


def test_a_file_cut_short_is_one_sentence(saved, tmp_path):
    file = tmp_path / "world.npz"
    np.savez_compressed(file, **saved)
    whole = file.read_bytes()
    for share in np.linspace(0.0, 0.999, 12):
        file.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(BadInput, match=r"world\.npz"):
            read_world(file)


def test_a_file_that_is_none_and_a_world_that_cannot_be_saved(tmp_path):
    (tmp_path / "world.npz").write_bytes(b"PK nothing")
    for name in ("world.npz", "missing.npz"):
        with pytest.raises(BadInput, match=name):
            read_world(tmp_path / name)
    with pytest.raises(NotSupported, match="only a Simulation with a controller that has a name"):
        Simulation(corridor((0, 2)), Controller(1)).save(tmp_path / "own.npz")
    assert not (tmp_path / "own.npz").exists()


def _rewrite(file, change):
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays["about"] = np.array(json.dumps(change(json.loads(str(arrays["about"])))))
    np.savez_compressed(file, **arrays)
    assert zipfile.is_zipfile(file)
