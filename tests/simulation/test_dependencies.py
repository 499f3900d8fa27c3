"""The dependencies of a plan: executed with any delays it stays legal and comes to its end."""

from __future__ import annotations

from graphlib import TopologicalSorter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.errors import BadInput, BadPlan
from wayfolk.judge.metrics import makespan, rest_steps, sum_of_costs, sum_of_loss
from wayfolk.judge.plans import check
from wayfolk.kernels.codes import NOBODY
from wayfolk.problem.plan import Plan, from_paths
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.simulation.dependencies import Dependencies, dependencies, shorten
from wayfolk.simulation.solving import solve
from wayfolk.world import generate
from wayfolk.world.grid import Grid

ROOM = Grid(np.ones((3, 4)), "four")
OPEN = Grid(np.ones((3, 4)), "eight")
MOVES = ("four", "eight", "eight_cutting")


def plan_of(grid: Grid, *paths: list[tuple[int, int]]) -> Plan:
    return from_paths(grid, [grid.cells(path) for path in paths])


def crowded(seed: int, moves: str, n_agents: int = 12, n_steps: int = 10) -> Plan:
    """Agents that move at random in a small room, with rings where a block of four is full; legal by construction."""
    rng = np.random.default_rng(seed)
    grid = generate.random_map(5, 4, 0.1, seed=seed, moves=moves)
    cells = [rng.choice(grid.free_cells, min(n_agents, len(grid.free_cells)), replace=False)]
    for _ in range(n_steps):
        here = cells[-1]
        ways = [[cell, *(cell + grid.offsets[[grid.legal[cell] >> k & 1 == 1 for k in range(8)]])] for cell in here]
        wanted = np.array([rng.choice(way) for way in ways])
        _turn_a_block(grid, here, wanted, rng)
        while (faults := check(Plan(grid, np.array([here, wanted], np.int32)))) != []:
            wanted[list(faults[0].agents)] = here[list(faults[0].agents)]
        cells.append(wanted)
    return Plan(grid, np.array(cells, np.int32))


def _turn_a_block(grid: Grid, here: Any, wanted: Any, rng: np.random.Generator) -> None:
    """Let four agents that fill a block of 2 x 2 cells rotate, if there are any."""
    corner = int(rng.choice(here))
    block = [corner, corner + 1, corner + 1 + grid.stride, corner + grid.stride]
    agents = [np.flatnonzero(here == cell) for cell in block]
    if all(len(agent) for agent in agents):
        for k in range(4):
            wanted[agents[k]] = block[(k + 1) % 4]


def walked(plan: Plan) -> list[list[int]]:
    """The cells of each agent, without waits."""
    return [[path[0], *(b for a, b in pairwise(path) if a != b)] for path in plan.cells.T.tolist()]


def topological(graph: Dependencies) -> list[int]:
    """An order of the actions in which none comes before one that it depends on, or an error; a ring counts as one."""
    name = np.where(graph.ring == NOBODY, np.arange(graph.n_actions), -1 - graph.ring.astype(np.int64))
    needs: dict[int, set[int]] = {int(action): set() for action in name}
    for earlier, later in graph.edges().tolist():
        needs[int(name[later])].add(int(name[earlier]))
    return list(TopologicalSorter(needs).static_order())


def judged(plan: Plan, executed: Plan) -> None:
    """The independent judge, which looks at every step; and all agents went the same ways."""
    assert check(executed, starts=plan.cells[0], goals=plan.cells[-1]) == []
    assert walked(executed) == walked(plan)


@pytest.mark.plain
def test_followers_wait_for_those_in_front_of_them() -> None:
    plan = plan_of(ROOM, [(1, 0), (2, 0), (3, 0)], [(0, 0), (1, 0), (2, 0)])
    graph = dependencies(plan)
    assert (graph.n_actions, graph.n_rings) == (4, 0)
    assert graph.after.tolist() == [NOBODY, NOBODY, 0, 1]
    assert sorted(map(tuple, graph.edges().tolist())) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert (graph.execute().cells == plan.cells).all()
    apart = graph.execute(follow=False)
    judged(plan, apart)
    assert apart.n_steps == 3  # the second agent enters a cell a step after the first has left it


@pytest.mark.plain
def test_a_ring_moves_as_one() -> None:
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    plan = plan_of(ROOM, *([ring[k], ring[(k + 1) % 4], ring[(k + 2) % 4]] for k in range(4)))
    graph = dependencies(plan)
    assert (graph.n_rings, sorted(graph.ring.tolist())) == (2, [0] * 4 + [1] * 4)
    assert len(topological(graph)) == 2
    for seed in range(20):
        for follow in (True, False):
            executed = graph.execute(delay=0.4, seed=seed, follow=follow)
            judged(plan, executed)
            moved = (executed.cells[1:] != executed.cells[:-1]).sum(1)
            assert set(moved.tolist()) <= {0, 4}
    slow = graph.execute(durations=np.where(graph.agent == 2, 3, 1))
    assert slow.n_steps == 6


@pytest.mark.plain
def test_crossing_diagonals_keep_their_order() -> None:
    plan = plan_of(OPEN, [(0, 0), (1, 1), (1, 1)], [(1, 0), (1, 0), (0, 1)])
    graph = dependencies(plan)
    assert graph.crosses.tolist() == [NOBODY, 0]
    for seed in range(30):
        judged(plan, graph.execute(delay=[0.8, 0.0], seed=seed))


@pytest.mark.plain
def test_an_illegal_plan_is_refused() -> None:
    with pytest.raises(BadPlan, match="breaks a rule: step 1: agents 0 and 1 swap"):
        dependencies(plan_of(ROOM, [(0, 0), (1, 0)], [(1, 0), (0, 0)]))


@pytest.mark.plain
def test_wrong_delays_and_durations_are_refused() -> None:
    graph = dependencies(plan_of(ROOM, [(0, 0), (1, 0)]))
    for delay, sentence in ((1.0, "not 1"), (-0.5, "not -0.5"), (float("nan"), "not nan"), ([0.1, 0.1], "the shape")):
        with pytest.raises(BadInput, match=sentence):
            graph.execute(delay=delay)
    for durations in ([0], [1, 1], [1.5]):
        with pytest.raises(BadInput, match="1 or more, for each of 1 actions"):
            graph.execute(durations=durations)


@pytest.mark.plain
def test_a_plan_without_moves_is_executed_in_no_step() -> None:
    plan = plan_of(ROOM, [(0, 0), (0, 0)], [(1, 0), (1, 0)])
    graph = dependencies(plan)
    assert (graph.n_actions, len(graph.edges()), graph.execute(delay=0.5).n_steps) == (0, 0, 0)


@pytest.mark.plain
@given(seed=st.integers(0, 10_000), moves=st.sampled_from(MOVES))
def test_the_graph_has_no_cycles_but_rings(seed: int, moves: str) -> None:
    graph = dependencies(crowded(seed, moves))
    earlier, later = graph.edges().T
    assert (graph.step[earlier] <= graph.step[later]).all()
    together = graph.step[earlier] == graph.step[later]
    assert (graph.after[later[together]] == earlier[together]).all()  # within a step, only following
    members = np.flatnonzero(graph.ring != NOBODY)
    assert (graph.step[members] == graph.step[graph.after[members]]).all()
    assert (graph.ring[members] == graph.ring[graph.after[members]]).all()
    assert topological(graph) is not None


@pytest.mark.plain
@given(
    seed=st.integers(0, 10_000),
    moves=st.sampled_from(MOVES),
    delay=st.sampled_from([0.05, 0.3, 0.7]),
    follow=st.booleans(),
    slowest=st.integers(1, 4),
)
def test_no_delays_lead_to_faults_or_to_a_deadlock(
    seed: int, moves: str, delay: float, follow: bool, slowest: int
) -> None:
    plan = crowded(seed, moves)
    graph = dependencies(plan)
    rng = np.random.default_rng(seed)
    for chance in (delay, rng.uniform(0.0, 0.95, plan.n_agents)):
        durations = rng.integers(1, slowest + 1, graph.n_actions)
        judged(plan, graph.execute(delay=chance, durations=durations, follow=follow, seed=seed))


def test_ring_worlds_do_have_rings() -> None:
    assert sum(dependencies(crowded(seed, "four")).n_rings for seed in range(12)) > 5
    assert sum((dependencies(crowded(seed, "eight")).crosses != NOBODY).sum() for seed in range(12)) > 5


@pytest.mark.plain
@given(seed=st.integers(0, 10_000), moves=st.sampled_from(MOVES))
def test_without_delays_no_action_is_later(seed: int, moves: str) -> None:
    plan = crowded(seed, moves)
    executed = dependencies(plan).execute()
    judged(plan, executed)
    before, after = (dependencies(one).step for one in (plan, executed))
    assert (after <= before).all()


@pytest.mark.plain
def test_an_execution_is_that_of_its_seed() -> None:
    graph = dependencies(crowded(3, "eight"))
    once, again, other = (graph.execute(delay=0.3, seed=seed).cells for seed in (5, 5, 6))
    assert once.tolist() == again.tolist()
    assert once.tolist() != other.tolist()


@pytest.mark.plain
@given(seed=st.integers(0, 10_000), moves=st.sampled_from(MOVES), is_partial=st.booleans())
def test_a_shortened_plan_is_legal_and_no_worse(seed: int, moves: str, is_partial: bool) -> None:
    plan = crowded(seed, moves, n_agents=8)
    rows = np.random.default_rng(seed).integers(0, len(plan.cells), plan.n_agents)
    goals = plan.cells[rows, np.arange(plan.n_agents)] if is_partial else plan.cells[-1]
    problem = Problem(plan.grid, plan.cells[0], goals[:, None])
    shorter = shorten(plan, problem)
    judged(plan, shorter)
    assert (rest_steps(shorter, goals) <= rest_steps(plan, goals)).all()
    for measure in (makespan, sum_of_costs, sum_of_loss):
        assert measure(shorter, goals) <= measure(plan, goals)


@pytest.mark.plain
def test_needless_waits_go_and_needed_ones_stay() -> None:
    plan = plan_of(ROOM, [(0, 0)] * 5 + [(1, 0), (1, 0), (2, 0)], [(2, 1), (1, 1), (1, 0), (1, 0), (1, 1)])
    problem = one_shot(ROOM, [(0, 0), (2, 1)], [(2, 0), (1, 1)])
    shorter = shorten(plan, problem)
    assert shorter.path(1) == [(2, 1), (1, 1), (1, 0), (1, 1), (1, 1)]
    assert shorter.path(0) == [(0, 0), (0, 0), (0, 0), (1, 0), (2, 0)]


@pytest.mark.plain
def test_an_agent_that_lets_another_pass_leaves_its_goal_late() -> None:
    far, near = [(x, 0) for x in range(4)], [(2, 0)] * 2 + [(2, 1)] * 2 + [(2, 0)]
    plan = plan_of(ROOM, far, near)
    shorter = shorten(plan, one_shot(ROOM, [(0, 0), (2, 0)], [(3, 0), (2, 0)]))
    assert shorter.path(1)[:3] == [(2, 0), (2, 0), (2, 1)]
    assert sum_of_loss(shorter, plan.cells[-1]) == 3 + 2


def fleet() -> tuple[Plan, Problem]:
    grid = generate.warehouse(4, 8)
    starts, goals = generate.draw_pairs(grid, 150, seed=1)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    plan = solve(problem, "whca", steps=200).plan
    assert plan is not None
    return plan, problem


def test_plans_of_a_controller_are_executed_with_delays() -> None:
    plan, problem = fleet()
    graph = dependencies(plan)
    for seed in range(5):
        judged(plan, graph.execute(delay=0.2, seed=seed))
    shorter = shorten(plan, problem)
    judged(plan, shorter)
    assert sum_of_costs(shorter, problem.goals) <= sum_of_costs(plan, problem.goals)
