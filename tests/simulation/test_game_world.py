"""A world in a game's loop: steps, states, orders, agents that somebody else moves, and a log that does not grow."""

import gc
import json
import pickle
import time
import zipfile
from contextlib import suppress
from threading import get_ident

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.controllers import Controller
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.files.maps import parse_ascii
from wayfolk.judge import metrics
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, JOIN, LEAVE, MOVE, REFUSED, RELEASE
from wayfolk.kernels.jit import is_plain
from wayfolk.kernels.loading import LOADED, loading_seconds
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot, patrol, tasks
from wayfolk.problem.record import DISTANCE
from wayfolk.problem.result import Status
from wayfolk.simulation.saved import _memory, read_world
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.generate import random_map

pytestmark = pytest.mark.plain

OPEN = parse_ascii("\n".join(["........"] * 5))
HALL = parse_ascii("""
    .......
    ###.###
    .......
""")


class Eastward(Controller):
    """Each agent steps east, or is refused."""

    def decide(self, view):
        for agent in view.asked.tolist():
            view.answer(agent, [int(view.here[agent]) + 1])


def corridor(*ends):
    """Agents in a corridor one cell wide, each from the first to the second of its places."""
    grid = parse_ascii("." * 8)
    return one_shot(grid, [(start, 0) for start, _ in ends], [(goal, 0) for _, goal in ends])


def test_a_step_is_one_tick_also_when_all_is_done():
    world = Simulation(corridor((0, 2)), "lra")
    for step in range(6):
        assert world.time == step
        world.step()
    assert world.status is Status.SOLVED
    assert world.places().tolist() == [[2, 0]]
    world.happen(events.retask(9, 0, (4, 0)))
    for _ in range(3):  # the clock does not leap to the event
        world.step()
    assert (world.time, world.places().tolist()) == (9, [[2, 0]])
    for _ in range(2):
        world.step()
    assert world.places().tolist() == [[4, 0]]
    assert check_record(world.record()) == []


def test_steps_and_advance_make_the_same_record():
    problem = patrol(random_map(12, 12, 0.1, seed=1), agents=6, loops=2, seed=1)
    one, two = Simulation(problem, "whca"), Simulation(problem, "whca")
    one.advance(40)
    for _ in range(40):
        two.step()
    assert one.record().cell.tolist() == two.record().cell.tolist()


def test_what_agents_do_is_told():
    world = Simulation(corridor((0, 5), (7, 7)), "lra")
    assert [world.state(agent).doing for agent in (0, 1)] == ["waiting", "arrived"]
    world.step()
    assert world.state(0).doing == "moving"
    assert world.state(0).goal == (5, 0)
    world.hold(1)
    world.put(1, (3, 0))
    for _ in range(4):
        world.step()
    assert world.state(1).doing == "held"
    state = world.state(0)
    assert (state.doing, state.agents, state.place) == ("waiting", (1,), (2, 0))
    assert str(state) == "waiting for agent 1"
    world.happen(events.block(world.time, [(5, 0)]))
    world.step()
    assert str(world.state(0)) == "blocked: its goal (5, 0) is in a wall"
    world.happen(events.leave(world.time, 1))
    world.step()
    assert world.state(1).doing == "gone"
    with pytest.raises(BadProblem, match="there is no agent 2: they are 0 to 1"):
        world.state(2)


def test_a_refused_agent_is_blocked_by_somebody():
    world = Simulation(one_shot(OPEN, [(0, 0), (2, 0)], [(7, 0), (7, 4)]), "lra")
    world.hold(0)
    world.hold(1)
    world.move(0, (1, 0))
    world.move(1, (1, 0))
    world.step()
    assert world.places().tolist() == [[1, 0], [2, 0]]
    assert str(world.state(1)) == "blocked: agent 0 is at (1, 0)"
    assert world.state(1).agents == (0,)
    assert len(world.record().of(REFUSED)) == 1


def test_a_players_character_goes_where_the_player_wants_and_stands_otherwise():
    world = Simulation(one_shot(OPEN, [(0, 0), (7, 4)], [(7, 0), (0, 4)]), "whca")
    world.hold(0)
    world.step()
    assert world.places()[0].tolist() == [0, 0]
    for x in (1, 2):
        world.move(0, (x, 0))
        world.step()
        world.step()
    assert world.places()[0].tolist() == [2, 0]
    world.resume(0)
    for _ in range(20):
        world.step()
    assert world.places().tolist() == [[7, 0], [0, 4]]
    record = world.record()
    assert check_record(record) == []
    assert metrics.ending(record).completion_rate == 1.0
    assert metrics.ending(record).walked.tolist() == [7.0, 7.0]


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        ((0, 1), "agent 0 cannot move to \\(0, 1\\): there is a wall"),
        ((2, 0), "agent 0 cannot move from \\(0, 0\\) to \\(2, 0\\) in one step"),
        ((-1, 0), "outside the 7 x 3 map"),
        ((1, 0), "agent 0 cannot move to \\(1, 0\\): agent 1 is held there"),
    ],
)
def test_a_move_that_is_none_is_refused_with_a_sentence(place, complaint):
    world = Simulation(one_shot(HALL, [(0, 0), (1, 0)], [(6, 0), (6, 2)]), "lra")
    world.hold(1)
    with pytest.raises(BadProblem, match=complaint):
        world.move(0, place)
    with pytest.raises(BadProblem, match="there is no agent 5"):
        world.move(5, (0, 0))


def test_an_agent_is_put_elsewhere_or_not_at_all():
    world = Simulation(one_shot(HALL, [(0, 0), (6, 0)], [(6, 2), (0, 2)]), "lra")
    world.step()
    with pytest.raises(BadProblem, match="agent 0 cannot be put to \\(0, 1\\): there is a wall"):
        world.put(0, (0, 1))
    with pytest.raises(BadProblem, match="agent 0 cannot be put to \\(5, 0\\): agent 1 is there"):
        world.put(0, (5, 0))
    world.put(0, (4, 2))
    assert world.places()[0].tolist() == [4, 2]
    for _ in range(12):
        world.step()
    record = world.record()
    assert world.places().tolist() == [[6, 2], [0, 2]]
    assert check_record(record) == []
    assert metrics.move_lengths(record).max() < 1.5  # being put is no move
    assert [int(kind) for kind in record.kind if kind in (JOIN, LEAVE)] == [LEAVE, JOIN]


def test_whoever_is_put_on_its_goal_has_arrived():
    world = Simulation(patrol(OPEN, agents=2, loops=3, seed=1), "lra")
    goal = OPEN.place(world.crew.agents["goal"][0])
    world.put(0, goal)
    record = world.record()
    assert record.agent[record.of(ARRIVE)].tolist() == [0]
    assert OPEN.place(world.crew.agents["goal"][0]) != goal
    world.advance(300)
    assert world.status is Status.SOLVED


@pytest.mark.parametrize("name", [entry.name for entry in catalogue.entries("controllers")])
def test_every_controller_lives_with_an_agent_that_somebody_else_moves(name):
    """Held, walked, put elsewhere and given back: the record has no fault, and the others get home."""
    grid = parse_ascii("\n".join(["." * 9] * 7)).with_moves("four")
    world = Simulation(one_shot(grid, [(0, 3), (0, 0), (8, 6)], [(8, 3), (8, 0), (0, 6)]), name, seed=2)
    world.step()
    world.hold(0)
    for _ in range(3):
        x, y = world.places()[0].tolist()
        world.move(0, (x + 1, y))
        world.step()
    world.put(0, (4, 5))
    for _ in range(5):
        world.step()
    world.resume(0)
    for _ in range(40):
        world.step()
    record = world.record()
    assert check_record(record) == []
    assert len(record.of(RELEASE)) >= 1
    if name not in ("greedy_direction_map",):  # it drifts along its lanes and has no goals
        assert metrics.ending(record).home[1:].all()


def test_events_hold_and_move_at_their_time():
    planned = [events.hold(2, 0), events.move(4, 0, (1, 1)), events.put(6, 0, (7, 0)), events.resume(8, 0)]
    world = Simulation(one_shot(OPEN, [(0, 0)], [(7, 4)]), "lra", events=planned)
    places = []
    for _ in range(10):
        world.step()
        places.append(tuple(world.places()[0].tolist()))
    assert places[1:4] == [places[1]] * 3  # held
    assert places[6] == places[7] == (7, 0)
    assert places[9] == (7, 2)
    with pytest.raises(BadProblem, match="puts an agent into a wall"):
        Simulation(one_shot(HALL, [(0, 0)], [(6, 0)]), "lra", events=[events.put(1, 0, (0, 1))])


def test_a_group_gets_one_order_and_a_goal_each():
    starts = [(0, y) for y in range(5)] + [(7, y) for y in range(5)]
    world = Simulation(one_shot(OPEN, starts, starts), "pibt")
    goals = world.send(range(9), (3, 2))
    assert len({tuple(goal) for goal in goals.tolist()}) == 9
    assert np.abs(goals - (3, 2)).max() == 1
    assert goals[:5, 0].max() <= goals[5:, 0].max()  # those from the left stay on the left
    for _ in range(30):
        world.step()
    assert world.places()[:9].tolist() == goals.tolist()
    assert world.state(9).doing == "arrived"


@pytest.mark.parametrize(
    ("agents", "place", "complaint"),
    [
        ([0, 0], (3, 0), "an agent is named twice in one order"),
        ([0], (0, 1), "agents cannot be sent to \\(0, 1\\): there is a wall"),
        ([0, 1], (4, 2), "the agent at \\(0, 0\\) cannot get to \\(4, 2\\): there is no way"),
        ([4], (0, 0), "there is no agent 4"),
    ],
)
def test_an_order_that_cannot_be_given_is_refused(agents, place, complaint):
    grid = parse_ascii("....#\n#####\n.....")
    world = Simulation(one_shot(grid, [(0, 0), (1, 0)], [(2, 0), (3, 0)]), "lra")
    with pytest.raises(BadProblem, match=complaint):
        world.send(agents, place)


def test_more_agents_than_cells_are_refused():
    world = Simulation(one_shot(HALL, [(0, 0), (1, 0)], [(2, 0), (3, 0)]), "lra")
    world.happen(events.block(0, [(2, 0), (3, 1)]))
    world.step()
    with pytest.raises(BadProblem, match="cannot get to \\(6, 2\\)"):
        world.send([0, 1], (6, 2))


@pytest.mark.parametrize("model", ["steps", DISTANCE])
def test_a_log_that_keeps_the_last_steps_does_not_grow(model):
    grid = random_map(12, 12, 0.1, seed=1)
    world = Simulation(tasks(grid, agents=20, seed=1), "lra", model=model, record="last 50")
    whole = Simulation(tasks(grid, agents=20, seed=1), "lra", model=model)
    n_ticks = round(200 / world.tick)
    sizes = set()
    for _ in range(4):
        world.advance(n_ticks // 4)
        sizes.add(len(world.log))
        assert check_record(world.record()) == []  # wherever the record begins, in the middle of moves too
    whole.advance(n_ticks // 4 * 4)
    assert len(sizes) == 1
    assert sizes.pop() < len(whole.record())
    record, all_of_it = world.record(), whole.record()
    assert record.began == pytest.approx(whole.time - 50, abs=world.tick)
    moves, whole_moves = record.of(MOVE), all_of_it.of(MOVE)
    late = whole_moves[all_of_it.time[whole_moves] >= record.began - 1e-9]
    assert record.cell[moves].tolist() == all_of_it.cell[late].tolist()
    assert np.allclose(record.time[moves] + record.began, all_of_it.time[late])


def test_a_world_without_a_log_costs_the_same_after_many_steps():
    """The arrays of 500 agents have the same size after 5 steps and after 60, and the records stay empty."""
    world = Simulation(tasks(random_map(60, 60, 0.1, seed=2), agents=500, seed=2), Eastward(500), record=False)
    for _ in range(5):
        world.step()
    before = {name: array.nbytes for name, array in (world.crew._asdict() | world.court._asdict()).items()}
    size = len(world.log)
    for _ in range(55):
        world.step()
    assert {name: array.nbytes for name, array in (world.crew._asdict() | world.court._asdict()).items()} == before
    assert len(world.log) == size
    assert len(world.record().of(MOVE)) == 0


@pytest.mark.skipif(is_plain(), reason="an hour of 500 agents takes minutes in plain Python")
@pytest.mark.parametrize("record", [False, "last 1000"])
def test_500_agents_for_an_hour_do_not_grow_the_world(record):
    """A step a second: all arrays, what the controller has learned, and Python's objects stay as many as they were."""
    world = Simulation(tasks(random_map(64, 64, 0.1, seed=1), agents=500, seed=1), "bmaa_plus", record=record, seed=1)

    def sizes():
        gc.collect()
        arrays = {name: array.nbytes for name, array in (world.crew._asdict() | world.court._asdict()).items()}
        return len(world.log), len(_memory(world)), arrays, len(gc.get_objects())

    for _ in range(1200):
        world.step()
    sizes()
    before = sizes()
    for _ in range(2400):
        world.step()
    after = sizes()
    assert world.time == 3600
    assert after[:3] == before[:3]
    assert after[3] - before[3] < 100
    kept = world.record()
    assert (len(kept.of(ARRIVE)) > 500 and kept.began == 2600) if record else not len(kept.of(ARRIVE))


def test_seconds_of_a_simulation_leave_out_what_was_loaded(monkeypatch):
    world = Simulation(corridor((0, 2)), Eastward(1), clock=True)
    ask = Simulation._ask

    def slow(self):
        time.sleep(0.05)
        LOADED.append((get_ident(), 0.05))
        ask(self)

    monkeypatch.setattr(Simulation, "_ask", slow)
    began, n_loaded = time.perf_counter(), len(LOADED)
    world.advance(4)
    took, waited = time.perf_counter() - began, loading_seconds(n_loaded)
    del LOADED[n_loaded:]
    assert waited >= 0.05
    assert 0 <= world.run().seconds <= took - waited + 1e-6
    assert (world.run().laps["seconds"] >= 0).all()


def test_lanes_are_learned_from_every_move_though_the_log_is_dropped():
    problem = patrol(random_map(12, 12, 0.1, seed=3), agents=8, loops=6, seed=3)
    for options in ({}, {"sector": 4, "lanes": "both"}, {"rewards": True}):
        one = Simulation(problem, "direction_map", **options)
        two = Simulation(problem, "direction_map", record=False, **options)
        for world in (one, two):
            world.advance(120)
        assert one.crew.agents["here"].tolist() == two.crew.agents["here"].tolist()
        assert np.array_equal(one.controller.map.lanes.cells, two.controller.map.lanes.cells)


@pytest.mark.parametrize("record", ["last", "last 0", "last -4", "all", 12, "last 1.5"])
def test_a_record_that_is_none_is_refused(record):
    with pytest.raises(BadInput, match='record is True, False or a text such as "last 1000"'):
        Simulation(corridor((0, 2)), "lra", record=record)


@pytest.mark.parametrize("name", [entry.name for entry in catalogue.entries("controllers")])
def test_a_saved_world_goes_on_as_if_it_had_never_stopped(name, tmp_path):
    problem = patrol(random_map(12, 12, 0.1, seed=4, moves="four"), agents=6, loops=9, seed=4)
    later = [events.block(20, [problem.grid.place(problem.grid.free_cells[40])]), events.release(25, 2)]
    world = Simulation(problem, name, seed=7, events=later)
    world.advance(12)
    world.hold(3)
    world.save(tmp_path / "world.npz")
    again = read_world(tmp_path / "world.npz")
    assert (again.time, again.algorithm, again.n_agents) == (12.0, name, 6)
    for one in (world, again):
        one.advance(30)
    assert again.record().cell.tolist() == world.record().cell.tolist()
    assert check_record(again.record()) == []


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
        (world.crew, again.crew), (world.court, again.court), (world.controller.arrays, again.controller.arrays),
        ((world.log,), (again.log,)),
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


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda about: about | {"version": 9}, "the version of the file is '9', this reads 1"),
        (lambda about: about | {"format": "wayfolk-plan"}, "not a saved world"),
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
    "another type": "free known starts routes pool drops agents route answers states visits luck log record_goals memory",
    "flat": "free known starts routes pool drops agents route answers states visits luck log record_ours memory",
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


@pytest.mark.parametrize("name", ["free", "starts", "agents", "memory", "log", "luck"])
def test_a_missing_array_is_one_sentence(saved, tmp_path, name):
    np.savez_compressed(tmp_path / "world.npz", **{key: array for key, array in saved.items() if key != name})
    with pytest.raises(BadInput, match="not a whole saved world"):
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
        Simulation(corridor((0, 2)), Eastward(1)).save(tmp_path / "own.npz")
    assert not (tmp_path / "own.npz").exists()


def test_a_saved_world_runs_no_code_of_strangers(tmp_path):
    file = tmp_path / "world.npz"
    Simulation(corridor((0, 2)), "lra").save(file)

    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "harm"), "w"))

    with np.load(file) as archive:
        arrays = dict(archive)
    arrays["memory"] = np.frombuffer(pickle.dumps(Evil()), np.uint8)
    np.savez_compressed(file, **arrays)
    assert read_world(file).step() is Status.RUNNING
    assert not (tmp_path / "harm").exists()


def _rewrite(file, change):
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays["about"] = np.array(json.dumps(change(json.loads(str(arrays["about"])))))
    np.savez_compressed(file, **arrays)
    assert zipfile.is_zipfile(file)
