"""Whether there is a plan: the answer agrees with an exhaustive search."""

from math import perm

import numpy as np
import pytest

import tiny_graphs
from reference import all_plans_solvable, picture
from tiny_graphs import bow_tie, reach, tiny_graph
from tiny_worlds import tiny_world
from wayfolk.algorithms.planners._joint_bfs import JointBfs
from wayfolk.algorithms.planners._solvable import is_solvable
from wayfolk.files.maps import parse_ascii, read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.world.body import Body
from wayfolk.world.grid import Grid
from wayfolk.world.roadmap import Lane, Roadmap

MOVES = ["four", "eight", "eight_cutting"]


def random_problem(seed, max_agents=3, sides=(4, 5)):
    """A small map with walls, and agents in its largest part; None if it is too small."""
    random = np.random.default_rng(seed)
    height, width = random.integers(1, sides[0] + 1), random.integers(2, sides[1] + 1)
    grid = Grid(random.random((height, width)) > random.choice([0.1, 0.3, 0.5]), MOVES[seed % 3])
    labels = grid.components[grid.free_cells]
    if not labels.size:
        return None
    cells = grid.free_cells[labels == np.bincount(labels).argmax()]
    agents = int(random.integers(1, max_agents + 1))
    if agents > len(cells):
        return None
    starts, goals = (random.permutation(cells)[:agents].astype(np.int32) for _ in range(2))
    return Problem(grid, starts, goals[:, None])


def searched(problem):
    """Whether a joint search finds a plan; None if it gives up."""
    search = JointBfs(problem.grid, tuple(problem.starts.tolist()), tuple(problem.goals.tolist()), 20_000)
    while not search.status.is_final:
        search.expand()
    return None if search.status is Status.GAVE_UP else search.status is Status.SOLVED


def test_the_joint_search_agrees_with_the_reference():
    answers = []
    for seed in range(150):
        problem = random_problem(seed, max_agents=3, sides=(2, 4))
        if problem is not None:
            answers.append(searched(problem))
            assert answers[-1] == all_plans_solvable(problem.grid, problem.starts, problem.goals), seed
    assert min(answers.count(True), answers.count(False)) > 10


def test_every_answer_is_that_of_an_exhaustive_search():
    """Trees, rings with tails, rooms and open maps with 2 to 6 agents; half of the goals can be reached."""
    answers = []
    seen, queue = np.zeros(1 << 24, np.bool_), np.zeros(1 << 16, np.int64)
    for seed in range(100):
        grid, n_agents, random = dense_world(seed)
        cells = grid.free_cells
        number = {int(cell): k for k, cell in enumerate(cells)}
        starts = random.permutation(cells)[:n_agents].astype(np.int32)
        world, first = tiny_world(Problem(grid, starts, starts[:, None]))
        first_state = sum(int(cell) << 4 * agent for agent, cell in enumerate(first))
        chosen = np.zeros(n_agents, np.int64)
        n_seen = reach(world.leads, world.n_moves, world.clashes, first_state, chosen, seen, queue)
        for k in range(20):
            goals = random.permutation(cells)[:n_agents].astype(np.int32)
            if k % 2:
                state = int(queue[random.integers(n_seen)])
                goals = np.array([cells[state >> 4 * agent & 15] for agent in range(n_agents)], np.int32)
            state = sum(number[int(cell)] << 4 * agent for agent, cell in enumerate(goals))
            answers.append(is_solvable(Problem(grid, starts, goals[:, None])))
            assert answers[-1] == bool(seen[state]), picture(grid, starts, goals)
        seen[queue[:n_seen]] = False
    assert answers.count(True) > 1000
    assert answers.count(False) > 200


def dense_world(seed):
    """A connected map of 3 to 12 cells, and a number of agents with at most 5,500 states."""
    random = np.random.default_rng([seed, 2])
    while True:
        height, width = random.integers(1, 6), random.integers(2, 8)
        free = random.random((height, width)) > random.choice([0.0, 0.2, 0.35, 0.5, 0.6])
        grid = Grid(free, MOVES[seed % 3])
        labels = grid.components[grid.free_cells]
        if not labels.size:
            continue
        part = np.bincount(labels).argmax()
        grid = Grid(free & (grid.components.reshape(-1, grid.stride)[1:-1, 1:-1] == part), MOVES[seed % 3])
        n_cells = len(grid.free_cells)
        n_agents = int(random.integers(2, 7))
        if 3 <= n_cells <= 12 and n_agents <= n_cells and perm(n_cells, n_agents) <= 5_500:
            return grid, n_agents, random


@pytest.mark.parametrize("kind", tiny_graphs.WORLDS)
def test_every_answer_in_other_worlds_is_that_of_an_exhaustive_search(kind):
    answers = []
    for number in range(60):
        rng = np.random.default_rng(number)
        tiny = tiny_graph(kind, number)
        can_reach = set(tiny.states)
        for k in range(12):
            goals = rng.permutation(tiny.nodes)[: len(tiny.starts)].astype(np.int32)
            if k % 2:
                goals = np.array(tiny.states[rng.integers(len(tiny.states))], np.int32)
            answers.append(is_solvable(tiny.problem(goals)))
            assert answers[-1] == (tuple(goals.tolist()) in can_reach), (number, k)
    assert min(answers.count(True), answers.count(False)) > 20


@pytest.mark.plain
def test_it_does_not_decide_where_its_theory_does_not_hold():
    """One-way edges, bodies that are no points, and a ring whose moves cross where no shorter ring is."""
    places = {"a": (0, 0), "b": (1, 0), "c": (2, 0), "d": (1, 1)}
    lanes = [Lane("a", "b"), Lane("b", "c"), Lane("b", "d")]
    ends = ["a", "c"], ["c", "a"]
    assert is_solvable(one_shot(Roadmap(places, lanes), *ends)) is True
    assert is_solvable(one_shot(Roadmap(places, lanes), *ends, bodies=Body(radius=0.1))) is None
    assert is_solvable(one_shot(Roadmap(places, [*lanes, Lane("d", "a", one_way=True)]), *ends)) is None
    for is_tiled, answer in ((True, None), (False, True)):
        assert is_solvable(one_shot(bow_tie(is_tiled), [0, 1], [1, 0])) is answer
        assert is_solvable(one_shot(bow_tie(is_tiled, tail=False), [0, 1, 2, 3], [1, 2, 3, 0])) is answer
        assert is_solvable(one_shot(bow_tie(is_tiled, tail=False), [0, 1, 2], [1, 2, 3])) is True


@pytest.mark.plain
def test_a_full_ring_with_a_tail_needs_no_empty_cell_in_it():
    """With two empty cells at the end of the tail the agents of the ring rotate, and each can leave."""
    grid = parse_ascii("..###\n.....", moves="four")
    places = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1)]
    assert is_solvable(one_shot(grid, places, [places[1], places[0], *places[2:]])) is True
    tail = [(0, 0), (1, 0), (2, 1), (3, 1), (4, 1)]
    assert is_solvable(one_shot(grid, tail, [*tail[:2], tail[3], tail[2], tail[4]])) is True
    assert is_solvable(one_shot(grid, tail, [*tail[:3], tail[4], tail[3]])) is False


@pytest.mark.plain
def test_junctions_are_one_subproblem_if_they_are_near():
    """Two junctions d steps apart are joined if d + 2 cells are empty."""
    grid = parse_ascii("#.##.#\n......", moves="four")
    everywhere = [(0, 1), (1, 0), (1, 1), (2, 1), (3, 1), (4, 1), (4, 0), (5, 1)]
    for n_empty, together in ((2, False), (4, False), (5, True)):
        agents = [everywhere[0], everywhere[-1], *everywhere[1:-1]][: len(everywhere) - n_empty]
        goals = [agents[1], agents[0], *agents[2:]]
        assert is_solvable(one_shot(grid, agents, goals)) is together


@pytest.mark.plain
def test_agents_keep_their_order_in_corridors_and_rings():
    corridor = parse_ascii(".....", moves="four")
    assert is_solvable(one_shot(corridor, [(0, 0), (1, 0)], [(3, 0), (4, 0)])) is True
    assert is_solvable(one_shot(corridor, [(0, 0), (1, 0)], [(4, 0), (3, 0)])) is False
    ring = parse_ascii("...\n.#.\n...", moves="four")
    places = [(0, 0), (1, 0), (2, 0)]
    assert is_solvable(one_shot(ring, places, [(2, 2), (1, 2), (0, 2)])) is True
    assert is_solvable(one_shot(ring, places, [(0, 2), (1, 2), (2, 2)])) is False


@pytest.mark.plain
def test_blocks_need_no_empty_cell():
    grid = Grid(np.ones((4, 4)), "four")
    places = [(x, y) for y in range(4) for x in range(4)]
    assert is_solvable(one_shot(grid, places, places[::-1])) is True
    square = Grid(np.ones((2, 2)), "four")
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert is_solvable(one_shot(square, corners, corners[1:] + corners[:1])) is True
    assert is_solvable(one_shot(square, corners, [corners[1], corners[0], *corners[2:]])) is False


@pytest.mark.plain
def test_odd_rings_allow_even_permutations_only():
    """Two triangles that share a cell, without an empty cell."""
    grid = parse_ascii("##.\n...\n.##", moves="eight_cutting")
    a, b, c, d, e = places = [(2, 0), (0, 1), (1, 1), (2, 1), (0, 2)]
    assert is_solvable(one_shot(grid, places, [b, a, c, d, e])) is False
    assert is_solvable(one_shot(grid, places, [b, c, a, d, e])) is True


@pytest.mark.plain
def test_shared_goals_have_no_plan():
    assert is_solvable(one_shot(Grid(np.ones((3, 3))), [(0, 0), (1, 0)], [(2, 2), (2, 2)])) is False


@pytest.mark.parametrize("name", ["warehouse-10-20-10-2-1", "maze-128-128-1", "den312d"])
def test_benchmarks_with_a_thousand_agents_are_solvable(movingai, name):
    grid = read_map(movingai / "mapf" / f"{name}.map", moves="four")
    assert is_solvable(read_scen(movingai / "mapf" / f"{name}-random-1.scen", grid, 1000)) is True
