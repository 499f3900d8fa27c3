"""A world in a game's loop: steps, states, orders, agents that somebody else moves, and a log that does not grow."""

import gc
import pickle
import time
from threading import get_ident

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.controllers import Controller
from wayfolk.compile.jit import is_plain
from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.errors import BadInput, BadProblem
from wayfolk.files.maps import parse_ascii
from wayfolk.judge import metrics
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, JOIN, LEAVE, MOVE, REFUSED, RELEASE
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot, patrol, tasks
from wayfolk.problem.record import DISTANCE
from wayfolk.problem.result import Status
from wayfolk.simulation.control import Control
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


def arrays_of(world):
    """The arrays that the referee works on, by name."""
    return world.crew._asdict() | world.world_state.court._asdict()


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


@pytest.mark.parametrize("name", [entry.name for entry in catalogue.entries("controllers")])
def test_a_step_that_is_given_to_an_agent_under_control_is_taken_once(name):
    """Told to stand for one step, as robots beside a right of way are, it goes on by itself."""
    grid = parse_ascii("\n".join(["." * 9] * 7)).with_moves("four")
    world = Simulation(one_shot(grid, [(0, 3), (0, 0)], [(8, 3), (8, 0)]), name, seed=2)
    for _ in range(2):
        world.step()
        before = world.places()
        world.happen(events.move(world.time, 0, tuple(before[0].tolist())))
        world.step()
        assert np.array_equal(world.places()[0], before[0])
    for _ in range(40):
        world.step()
    record = world.record()
    assert check_record(record) == []
    if name not in ("greedy_direction_map",):  # it drifts along its lanes and has no goals
        assert metrics.ending(record).home.all()


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
        sizes.add(len(world.world_state.log.rows))
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
    before = {name: array.nbytes for name, array in arrays_of(world).items()}
    size = len(world.world_state.log.rows)
    for _ in range(55):
        world.step()
    assert {
        name: array.nbytes for name, array in (world.crew._asdict() | world.world_state.court._asdict()).items()
    } == before
    assert len(world.world_state.log.rows) == size
    assert len(world.record().of(MOVE)) == 0


@pytest.mark.skipif(is_plain(), reason="an hour of 500 agents takes minutes in plain Python")
@pytest.mark.parametrize("record", [False, "last 1000"])
def test_500_agents_for_an_hour_do_not_grow_the_world(record):
    """A step a second: all arrays, what the controller has learned, and Python's objects stay as many as they were."""
    world = Simulation(tasks(random_map(64, 64, 0.1, seed=1), agents=500, seed=1), "bmaa_plus", record=record, seed=1)

    def sizes():
        gc.collect()
        arrays = {
            name: array.nbytes for name, array in (world.crew._asdict() | world.world_state.court._asdict()).items()
        }
        return len(world.world_state.log.rows), len(pickle.dumps(world.controller)), arrays, len(gc.get_objects())

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
    ask = Control.ask

    def slow(self):
        time.sleep(0.05)
        LOADED.append((get_ident(), 0.05))
        ask(self)

    monkeypatch.setattr(Control, "ask", slow)
    began, n_loaded = time.perf_counter(), len(LOADED)
    world.advance(4)
    took, waited = time.perf_counter() - began, loading_seconds(n_loaded)
    del LOADED[n_loaded:]
    assert waited >= 0.05
    assert 0 <= world.run().seconds <= took - waited + 1e-6
    assert (world.run().laps["seconds"] >= 0).all()


def test_lanes_are_learned_from_every_move_though_the_log_is_dropped():
    if is_plain():
        pytest.skip("it takes thousands of rows before some are dropped")
    problem = patrol(random_map(12, 12, 0.1, seed=3), agents=8, loops=90, seed=3)
    for name, options in (
        ("direction_map", {}), ("direction_map", {"sector": 4, "lanes": "both"}), ("direction_map", {"rewards": True}),
        ("jansen_direction_map", {}),
    ):  # fmt: skip
        one = Simulation(problem, name, **options)
        two = Simulation(problem, name, record=False, **options)
        for world in (one, two):
            world.advance(600)
        assert two.world_state.log.n < one.world_state.log.n
        assert one.crew.agents["here"].tolist() == two.crew.agents["here"].tolist()
        assert np.array_equal(one.controller.map.lanes.cells, two.controller.map.lanes.cells)


@pytest.mark.parametrize("record", ["last", "last 0", "last -4", "all", 12, "last 1.5"])
def test_a_record_that_is_none_is_refused(record):
    with pytest.raises(BadInput, match='record is True, False or a text such as "last 1000"'):
        Simulation(corridor((0, 2)), "lra", record=record)
