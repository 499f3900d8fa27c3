"""The clock and the referee: who may move where, how long it takes, and what is written down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import small_problems
from wayfolk.algorithms.controllers import Controller
from wayfolk.errors import BadInput, BadProblem, NotSupported, UnknownName
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, BLOCK, GOAL, JOIN, LEAVE, MOVE, OPEN_EAST, OPEN_SOUTH, REFUSED, THOUGHT
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot, patrol, patrol_between, random_problem, tasks
from wayfolk.problem.record import DISTANCE, STEPS, TURNS
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.generate import random_map
from wayfolk.world.grid import Grid

OPEN = parse_ascii("\n".join(["......"] * 4))


class Scripted(Controller):
    """Everyone walks the places it was given; then it waits."""

    def __init__(self, grid, *walks):
        super().__init__(len(walks))
        self.walks = [[grid.cell(place) for place in walk] for walk in walks]

    def decide(self, view):
        for agent in view.asked.tolist():
            view.answer(agent, self.walks[agent][:1])
            del self.walks[agent][:1]


def scripted(grid, *walks, **options):
    """A simulation of agents that start at the first place of their walk and never mean to stop."""
    goals = [(grid.width - 1 - k % 2, grid.height - 1 - k // 2) for k in range(len(walks))]
    world = Simulation(one_shot(grid, [walk[0] for walk in walks], goals), "lra", **options)
    world.control.controller = Scripted(grid, *(walk[1:] for walk in walks))
    return world


def places(world):
    return [world.grid.place(cell) for cell in world.crew.agents["here"]]


def refused(world):
    record = world.record()
    return record.agent[record.of(REFUSED)].tolist()


def test_swapping_is_refused_to_both():
    world = scripted(OPEN, [(0, 0), (1, 0)], [(1, 0), (0, 0)])
    world.advance(1)
    assert places(world) == [(0, 0), (1, 0)]
    assert refused(world) == [0, 1]


def test_following_is_allowed_in_a_train():
    world = scripted(OPEN, [(0, 0), (1, 0)], [(1, 0), (2, 0)], [(2, 0), (3, 0)])
    world.advance(1)
    assert places(world) == [(1, 0), (2, 0), (3, 0)]
    assert refused(world) == []


def test_a_train_stops_when_its_head_does():
    world = scripted(OPEN, [(0, 0), (1, 0)], [(1, 0), (2, 0)], [(2, 0)])
    world.advance(1)
    assert places(world) == [(0, 0), (1, 0), (2, 0)]
    assert refused(world) == [0, 1]


def test_a_ring_turns_only_when_all_act_at_once():
    ring = [(0, 0), (1, 0)], [(1, 0), (1, 1)], [(1, 1), (0, 1)], [(0, 1), (0, 0)]
    turning = scripted(OPEN, *ring, model=STEPS)
    turning.advance(1)
    assert places(turning) == [(1, 0), (1, 1), (0, 1), (0, 0)]
    stuck = scripted(OPEN, *ring, model=DISTANCE)
    stuck.advance(1)
    assert refused(stuck) == [0, 1, 2, 3]


def test_of_two_who_want_a_cell_the_first_gets_it():
    world = scripted(OPEN, [(2, 0), (1, 0)], [(0, 0), (1, 0)])
    world.advance(1)
    assert places(world) == [(1, 0), (0, 0)]
    assert refused(world) == [1]


def test_crossing_diagonals_are_refused_to_the_second():
    world = scripted(OPEN, [(0, 0), (1, 1)], [(1, 0), (0, 1)])
    world.advance(1)
    assert places(world) == [(1, 1), (1, 0)]
    assert refused(world) == [1]


def test_a_diagonal_under_way_is_not_crossed_either():
    world = scripted(OPEN, [(0, 0), (1, 1)], [(2, 0), (1, 0), (0, 1)], model=DISTANCE)
    world.advance(int(1.2 / 0.03))  # agent 1 is at (1, 0) after 1.0, agent 0 on its diagonal until 1.41
    assert places(world) == [(1, 1), (1, 0)]
    assert refused(world) == [1]


@pytest.mark.parametrize("target", [(1, 1), (2, 0), (5, 3)])
def test_walls_corners_and_jumps_are_refused(target):
    grid = parse_ascii("...\n.#.\n...").with_moves("eight")
    walk = [(0, 0), target] if target != (5, 3) else [(0, 1), (1, 2)]  # the last cuts the corner of the wall
    world = scripted(grid, walk)
    world.advance(1)
    assert places(world) == [walk[0]]
    assert refused(world) == [0]


def test_moves_take_as_long_as_they_are_far():
    world = scripted(OPEN, [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2)], model=DISTANCE)
    world.advance(int(6 / 0.03))
    record = world.record()
    moves = record.time[record.of(MOVE)]
    # a move begins at the first tick after the one before is over, and ticks do not add up
    for begun, due in zip(moves, np.cumsum([0, 1, 2**0.5, 2**0.5]), strict=True):
        assert due - 1e-9 <= begun < due + 0.03
    assert check_record(record) == []


def test_in_turns_agents_act_one_after_another():
    world = scripted(OPEN, [(0, 0), (1, 0), (1, 0)], [(1, 0), (2, 0)], [(3, 0), (1, 0)], model=TURNS)
    world.advance(1)
    assert places(world) == [(0, 0), (2, 0), (3, 0)], "agent 1 had not left, and agent 2 jumps"
    assert refused(world) == [0, 2]
    world.advance(1)
    assert places(world)[0] == (1, 0)
    assert world.time == 3.0
    assert check_record(world.record()) == []


def test_in_turns_a_cell_that_was_left_is_free_at_once_and_diagonals_cross():
    world = scripted(OPEN, [(0, 0), (1, 1)], [(1, 0), (0, 1)], [(2, 0), (1, 0)], model=TURNS)
    world.advance(1)
    assert places(world) == [(1, 1), (0, 1), (1, 0)]
    assert refused(world) == []
    assert check_record(world.record()) == []


def test_in_turns_a_ring_of_agents_is_stuck():
    world = scripted(OPEN, [(0, 0), (1, 0)], [(1, 0), (1, 1)], [(1, 1), (0, 1)], [(0, 1), (0, 0)], model=TURNS)
    world.advance(1)
    assert refused(world) == [0, 1, 2, 3]


def test_in_turns_a_patrol_ends_when_its_last_agent_does():
    problem = patrol(OPEN, agents=3, loops=2, seed=1)
    run = simulate(problem, "lra", model=TURNS, until=200)
    assert run.status is Status.SOLVED
    assert run.time == run.record.time[run.record.of(ARRIVE)].max() + 1.5
    assert check_record(run.record) == []
    assert run.service.times.sum() == pytest.approx(2 * run.service.times.reshape(3, 2).mean(1).sum())


def test_in_turns_a_patrol_of_one_cell_is_over_soon():
    cell = OPEN.cells([(2, 2)])
    run = simulate(patrol_between(OPEN, cell, cell, loops=3), "jansen_direction_map", model=TURNS, until=50)
    assert run.status is Status.SOLVED
    assert len(run.record.of(ARRIVE)) == 6
    assert check_record(run.record) == []


def test_in_turns_stopping_at_every_turn_changes_nothing():
    problem = patrol(random_map(10, 10, 0.1, seed=1), agents=8, loops=2, seed=1)
    whole, bits = (Simulation(problem, "lra", model=TURNS) for _ in range(2))
    whole.advance(150)
    for _ in range(150):
        bits.advance(1)
    assert np.array_equal(whole.record().cell, bits.record().cell)
    assert whole.time == bits.time


def test_a_controller_that_needs_all_agents_at_once_takes_no_turns():
    with pytest.raises(NotSupported, match="whca knows the time model steps and distance only, not turns"):
        Simulation(patrol(OPEN, agents=2, loops=1), "whca", model=TURNS)


def test_in_steps_every_move_takes_one():
    world = scripted(OPEN, [(0, 0), (1, 1), (2, 1), (3, 2)])
    world.advance(3)
    record = world.record()
    assert record.time[record.of(MOVE)].tolist() == [0, 1, 2]
    assert record.plan().path(0) == [(0, 0), (1, 1), (2, 1), (3, 2)]


def test_waiting_is_a_route_that_stays():
    world = scripted(OPEN, [(0, 0), (0, 0), (0, 0), (1, 0)])
    world.advance(3)
    assert world.record().plan().path(0) == [(0, 0), (0, 0), (0, 0), (1, 0)]


def test_a_controller_in_python_counts_what_it_thinks():
    class Thinker(Scripted):
        def decide(self, view):
            self.expanded[view.asked] += 7
            super().decide(view)

    world = scripted(OPEN, [(0, 0), (1, 0)])
    world.control.controller = Thinker(OPEN, [(1, 0)])
    world.advance(1)
    record = world.record()
    assert record.cell[record.of(THOUGHT)].tolist() == [7]


def test_patrols_are_counted_by_loop():
    run = simulate(patrol(OPEN, agents=2, loops=3, seed=1), "lra")
    assert run.status is Status.SOLVED
    assert run.distance.shape == (2, 3)
    record = run.record
    for agent in range(2):
        rows = record.of(ARRIVE)[record.agent[record.of(ARRIVE)] == agent]
        assert len(rows) == 6
        assert record.cell[rows[1]] == record.starts[agent]
    total = sum(run.distance[:, k].sum() for k in range(3))
    assert total == pytest.approx(run._lengths.sum())
    assert run.per_loop(run.distance) == pytest.approx(run.distance[:, 1].mean())  # first and last are left out


def test_goals_are_written_down_when_they_are_given():
    world = Simulation(tasks(OPEN, agents=2, seed=3), "lra")
    world.advance(40)
    record = world.record()
    given, reached = record.of(GOAL), record.of(ARRIVE)
    assert len(given) == 2 + len(reached)
    assert len(reached) > 4
    for agent in range(2):
        mine = record.cell[given[record.agent[given] == agent]]
        assert mine[: sum(record.agent[reached] == agent)].tolist() == (
            record.cell[reached[record.agent[reached] == agent]].tolist()
        )


def test_a_wall_waits_until_nobody_stands_there():
    world = scripted(OPEN, [(0, 0), (0, 0), (0, 0), (1, 0)], events=[events.block(1, [(0, 0)])])
    world.advance(6)
    record = world.record()
    assert record.time[record.of(BLOCK)] == [3]
    assert not world.grid.is_free(OPEN.cell((0, 0)))


def test_joining_waits_until_the_place_is_empty():
    world = scripted(OPEN, [(0, 0), (0, 0), (1, 0), (2, 0)], events=[events.join(0, (0, 0), (5, 3))])
    world.controller.walks.append([])
    world.advance(5)
    record = world.record()
    assert record.agent[record.of(JOIN)] == [1]
    assert record.time[record.of(JOIN)] == [2]
    assert world.n_agents == 2


def test_whoever_leaves_makes_room():
    world = scripted(OPEN, [(0, 0)], [(1, 0), (1, 0), (1, 0), (0, 0)], events=[events.leave(1, 0)])
    world.advance(4)
    record = world.record()
    assert record.of(LEAVE).size == 1
    assert places(world)[1] == (0, 0)


def test_agents_that_are_not_ours_wander_by_the_seed():
    def walk(seed):
        problem = one_shot(OPEN, [(0, 0), (5, 0)], [(5, 3), (0, 3)])
        run = simulate(problem, "lra", events=[events.release(0, 0)], until=30, seed=seed)
        assert check_record(run.record) == []
        return run.record.plan().path(0)

    assert walk(1) == walk(1)
    assert len(set(walk(1))) > 3


def test_a_done_patrol_can_be_sent_on():
    problem = patrol(OPEN, agents=1, loops=1, seed=2)
    world = Simulation(problem, "lra")
    assert world.advance(1000) is Status.SOLVED
    away = next(p for p in [(0, 0), (5, 3)] if OPEN.cell(p) != world.crew.agents[0]["here"])
    world.happen(events.retask(world.time, 0, away))
    world.advance(30)
    assert OPEN.cell(away) in world.record().cell[world.record().of(ARRIVE)]


@given(problem=small_problems(), model=st.sampled_from([STEPS, DISTANCE, TURNS]), seed=st.integers(0, 9))
def test_whatever_is_proposed_the_record_is_legal(problem, model, seed):
    """A controller that proposes nonsense: the referee lets only legal moves through."""
    rng = np.random.default_rng(seed)

    class Drunk(Controller):
        def decide(self, view):
            for agent in view.asked.tolist():
                steps = rng.choice(
                    [0, 1, -1, problem.grid.stride, problem.grid.stride + 1, 2, 1 - problem.grid.stride], 3
                )
                view.answer(agent, (view.here[agent] + np.cumsum(steps)).tolist())

    world = Simulation(problem, "lra", model=model)
    world.control.controller = Drunk(problem.n_agents)
    world.advance(60)
    assert check_record(world.record()) == []


def test_bad_input_is_named():
    problem = one_shot(OPEN, [(0, 0)], [(5, 3)])
    with pytest.raises(BadInput, match="no time model 'days'"):
        simulate(problem, "lra", model="days")
    with pytest.raises(UnknownName, match="did you mean 'whca'"):
        simulate(problem, "wcha")
    with pytest.raises(UnknownName, match="no option 'radios': did you mean 'radius'"):
        simulate(problem, "lra", radios=3)
    with pytest.raises(BadProblem, match="agent 7, who does not exist"):
        simulate(problem, "lra", events=[events.leave(3, 7)])
    with pytest.raises(BadProblem, match="outside the 6 x 4 map"):
        simulate(problem, "lra", events=[events.block(3, [(6, 0)])])
    with pytest.raises(BadProblem, match="tasks never end"):
        simulate(tasks(OPEN, agents=2), "lra")
    with pytest.raises(BadInput, match="vision must reach at least 1"):
        simulate(problem, "lra", vision=0.5)
    with pytest.raises(BadProblem, match="until must be more than 0"):
        simulate(problem, "lra", until=-1)


def test_what_is_not_seen_is_taken_for_free():
    grid = random_map(30, 30, 0.3, seed=5)
    big = np.bincount(grid.components[grid.free_cells]).argmax()
    cells = grid.free_cells[grid.components[grid.free_cells] == big]
    problem = one_shot(grid, [grid.place(cells[0])], [grid.place(cells[-1])])
    blind = simulate(problem, "lra", vision=2.0, until=2000)
    seeing = simulate(problem, "lra")
    assert blind.status is Status.SOLVED
    assert blind.time >= seeing.time
    assert len(blind.record.of(THOUGHT)) > len(seeing.record.of(THOUGHT))
    assert check_record(blind.record) == []


def test_cliffs_are_learned_when_they_are_seen():
    """Of a wall of cliffs with one gap, agents learn as much as they need to go around it."""
    links = np.full((3, 6), OPEN_EAST | OPEN_SOUTH, np.uint8)
    links[:2, 2] &= ~np.uint8(OPEN_EAST)
    grid = Grid(np.ones((3, 6)), "four", links=links)
    blind = simulate(one_shot(grid, [(0, 0)], [(5, 0)]), "lra", vision=2.5, until=200)
    assert blind.status is Status.SOLVED
    assert blind.time == 9
    assert blind.record.of(REFUSED).size == 0
    assert check_record(blind.record) == []


@pytest.mark.parametrize("controller", ["lra", "whca", "pibt", "bmaa_plus"])
def test_cliffs_and_costs_that_are_seen_stop_nobody(controller):
    rng = np.random.default_rng(3)
    costs = rng.integers(1, 6, (12, 12)).astype(float)
    links = np.where(rng.random((12, 12)) < 0.1, OPEN_SOUTH, OPEN_EAST | OPEN_SOUTH).astype(np.uint8)
    grid = Grid(rng.random((12, 12)) > 0.1, costs=costs, links=links)
    run = simulate(random_problem(grid, agents=4, seed=2), controller, vision=2.0, until=2000)
    assert run.status is Status.SOLVED
    assert check_record(run.record) == []


def test_dear_cells_are_avoided_once_they_are_seen():
    costs = np.ones((3, 6))
    costs[0, 3] = 50.0
    grid = Grid(np.ones((3, 6)), "four", costs=costs)
    problem = one_shot(grid, [(0, 0)], [(5, 0)])
    blind, seeing = (simulate(problem, "lra", vision=vision, until=200) for vision in (1.5, None))
    for run in (blind, seeing):
        assert run.status is Status.SOLVED
        assert grid.cell((3, 0)) not in run.record.cell[run.record.of(MOVE)]
    world = Simulation(problem, "lra", vision=1.5)
    assert world.control.vision.known.costs.max() == 1.0
    world.advance(2)
    assert world.control.vision.known.costs[0, 3] == 50.0


def test_neighbours_are_seen_however_short_the_sight():
    """A diagonal move beside a wall is legal only as the wall is known."""
    grid = parse_ascii("....\n.@..\n....\n....")
    run = simulate(one_shot(grid, [(0, 0)], [(3, 3)]), "lra", vision=1, until=200)
    assert run.status is Status.SOLVED
    assert run.record.of(REFUSED).size == 0
