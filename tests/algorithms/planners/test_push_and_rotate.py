"""Push and Rotate: walks solve whatever has two empty cells, swaps disturb nobody, and pauses change nothing."""

import numpy as np
import pytest

import body_reference as twin
import tiny_graphs
from tiny_graphs import bow_tie, tiny_graph
from wayfolk.algorithms.planners._blocks import blocks_of
from wayfolk.algorithms.planners._joint_bfs import JointBfs
from wayfolk.algorithms.planners._pebbles import N_MOVES
from wayfolk.algorithms.planners._subproblems import priorities
from wayfolk.files.maps import parse_ascii, read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.judge.plans import check
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid

MOVES = ["four", "eight", "eight_cutting"]
SHAPES = ["tree", "ring", "rooms", "any"]


def dense_problem(seed, n_empty, max_agents):
    """Agents on all cells of a small part of a map but `n_empty`; None if there are too few or too many."""
    random = np.random.default_rng(seed)
    shape = SHAPES[seed % 4]
    height, width = random.integers(2, 5), random.integers(3, 6)
    free = random.random((height, width)) > {"tree": 0.45, "any": 0.25}.get(shape, 0.0)
    if shape == "ring":
        free[1:-1, 1:-1] = False
        free &= random.random(free.shape) > 0.1
    if shape == "rooms":
        free[:, width // 2] = False
        free[random.integers(height), width // 2] = True
    grid = Grid(free, MOVES[seed // 4 % 3])
    labels = grid.components[grid.free_cells]
    if not labels.size:
        return None
    cells = grid.free_cells[labels == np.bincount(labels).argmax()]
    agents = len(cells) - n_empty
    if not 2 <= agents <= max_agents:
        return None
    starts, goals = (random.permutation(cells)[:agents].astype(np.int32) for _ in range(2))
    return Problem(grid, starts, goals[:, None])


@pytest.mark.parametrize("n_empty", [2, 3])
def test_with_two_empty_cells_walks_solve_what_can_be_solved(n_empty):
    """All others have no plan, and it says so at once."""
    n_solved, n_impossible = 0, 0
    for seed in range(500):
        problem = dense_problem(seed, n_empty, max_agents=12)
        if problem is None:
            continue
        result = solve(problem, "push_and_rotate")
        if result.is_solved:
            assert check(result.plan, problem) == [], seed
            assert result.counters.restarts == 0, seed
            n_solved += 1
        else:
            assert result.status is Status.IMPOSSIBLE, seed
            n_impossible += 1
    assert min(n_solved, n_impossible) > 30


def test_whatever_moves_can_reach_is_solved_in_the_first_round():
    """Trees and rings with corridors and up to 20 agents, which are in several subproblems."""
    n_ranked = 0
    for seed in range(200):
        problem = shuffled_problem(seed, n_empty=2 + seed % 4)
        order = ["direction", "outside", "random"][seed // 4 % 3]
        result = solve(problem, "push_and_rotate", order=order, seed=seed)
        assert result.counters.restarts == 0, seed
        assert check(result.plan, problem) == [], seed
        n_ranked += priorities(problem.grid, problem.goals).any()
    assert n_ranked > 20


def shuffled_problem(seed, n_empty):
    """Agents on all cells of a part of a map but `n_empty`; they get to their goals by random moves."""
    random = np.random.default_rng([seed, 7])
    cells = ()
    while not n_empty + 2 <= len(cells) <= n_empty + 20:
        free = random.random((random.integers(2, 8), random.integers(2, 10))) > random.choice([0.3, 0.45, 0.6])
        grid = Grid(free, MOVES[seed % 3] if seed % 2 else "four")
        labels = grid.components[grid.free_cells]
        cells = grid.free_cells[labels == np.bincount(labels).argmax()] if labels.size else ()
    starts = random.permutation(cells)[n_empty:].astype(np.int32)
    goals, agent_at = starts.copy(), {int(cell): agent for agent, cell in enumerate(starts)}
    empty = sorted(set(cells.tolist()) - set(agent_at))
    for k, bit in zip(
        random.integers(n_empty, size=2000).tolist(), random.integers(8, size=2000).tolist(), strict=True
    ):
        there = int(empty[k] + grid.offsets[bit])
        if grid.legal[empty[k]] >> bit & 1 and there in agent_at:
            agent = agent_at.pop(there)
            agent_at[empty[k]], goals[agent], empty[k] = agent, empty[k], there
    return Problem(grid, starts, goals[:, None])


@pytest.mark.plain
def test_subproblems_with_priority_go_first():
    """An agent on a junction where all empty cells are on one side: those of the junction have passed it before."""
    grid = parse_ascii(".#.#.#\n......\n.#.#.#", moves="four")
    problem = one_shot(
        grid,
        [(0, 0), (2, 2), (4, 0), (2, 0), (0, 1), (2, 1), (1, 1), (0, 2), (4, 2), (3, 1)],
        [(1, 1), (2, 2), (5, 1), (3, 1), (2, 1), (4, 1), (2, 0), (0, 1), (4, 0), (4, 2)],
    )
    ranks = priorities(grid, problem.goals)
    assert max(ranks[[1, 3, 6]]) < min(ranks[[0, 7]])  # the middle junction's before those of the left one
    assert max(ranks[[0, 1, 2, 3, 6, 7, 8, 9]]) < min(ranks[[4, 5]])  # agents of no subproblem last
    result = solve(problem, "push_and_rotate")
    assert check(result.plan, problem) == []
    assert result.counters.restarts == 0


@pytest.mark.plain
def test_agents_change_places_beside_a_full_ring():
    """All empty cells are beyond the junction on the left."""
    grid = parse_ascii(".####\n.#..#\n.....\n.#.##", moves="four")
    starts = [(2, 1), (3, 1), (2, 2), (3, 2), (4, 2), (2, 3), (1, 2), (0, 2)]
    problem = one_shot(grid, starts, [*starts[:2], starts[5], *starts[3:5], starts[2], *starts[6:]])
    result = solve(problem, "push_and_rotate")
    assert check(result.plan, problem) == []
    assert result.counters.restarts == 0


@pytest.mark.parametrize("n_empty", [0, 1])
def test_with_fewer_empty_cells_a_joint_search_decides(n_empty):
    n_solved, n_impossible = 0, 0
    for seed in range(600):
        problem = dense_problem(seed, n_empty, max_agents=5)
        if problem is None:
            continue
        result = solve(problem, "push_and_rotate", rounds=1)
        search = JointBfs(problem.grid, tuple(problem.starts.tolist()), tuple(problem.goals.tolist()))
        while not search.status.is_final:
            search.expand()
        assert result.status is search.status, seed
        n_solved += result.is_solved
        n_impossible += not result.is_solved
        if result.is_solved:
            assert check(result.plan, problem) == [], seed
    assert min(n_solved, n_impossible) > 10


@pytest.mark.parametrize("kind", tiny_graphs.WORLDS)
def test_other_worlds_are_solved_as_an_exhaustive_search_says(kind):
    """With two empty nodes in the first round; with fewer by walks too, or by a joint search."""
    n_dense, n_impossible = 0, 0
    for number in range(60):
        rng = np.random.default_rng(number)
        tiny = tiny_graph(kind, number)
        can_reach = set(tiny.states)
        n_empty = len(tiny.nodes) - len(tiny.starts)
        for k in range(4):
            goals = rng.permutation(tiny.nodes)[: len(tiny.starts)].astype(np.int32)
            if k % 2:
                goals = np.array(tiny.states[rng.integers(len(tiny.states))], np.int32)
            problem = tiny.problem(goals)
            result = solve(problem, "push_and_rotate", rounds=1)
            if tuple(goals.tolist()) not in can_reach:
                assert result.status is Status.IMPOSSIBLE, (number, k)
                n_impossible += 1
                continue
            assert result.is_solved, (number, k)
            assert check(result.plan, problem) == [], (number, k)
            assert twin.is_legal_plan(problem, result.plan.cells), (number, k)
            if n_empty >= 2:
                assert result.counters.restarts == 0, (number, k)
                n_dense += 1
    assert n_dense > 20
    assert n_impossible > 5


@pytest.mark.plain
def test_a_ring_whose_moves_cross_does_not_rotate():
    full = [0, 1, 2, 3], [1, 2, 3, 0]
    assert solve(one_shot(bow_tie(True, tail=False), *full), "push_and_rotate").status is Status.IMPOSSIBLE
    assert solve(one_shot(bow_tie(False, tail=False), *full), "push_and_rotate").plan.n_steps == 1
    beside = [3, 4, 0, 1], [4, 3, 0, 1]  # the ring has one empty node: it rotates while the agent beside it enters
    assert solve(one_shot(bow_tie(True), *beside), "push_and_rotate").status is Status.IMPOSSIBLE
    problem = one_shot(bow_tie(False), *beside)
    assert check(solve(problem, "push_and_rotate").plan, problem) == []


@pytest.mark.parametrize("order", ["direction", "outside", "given", "random"])
def test_orders_need_no_positions(order):
    rng = np.random.default_rng(5)
    hexagons = HexGrid(rng.random((8, 8)) >= 0.2)
    nowhere = Graph(hexagons.graph.first, hexagons.graph.target, hexagons.graph.weight)
    for world in (hexagons, nowhere):
        cells = hexagons.free_cells[
            hexagons.components[hexagons.free_cells] == hexagons.components[hexagons.free_cells[0]]
        ]
        starts, goals = ([world.place(int(cell)) for cell in rng.permutation(cells)[:15]] for _ in range(2))
        problem = one_shot(world, starts, goals)
        result = solve(problem, "push_and_rotate", order=order)
        assert result.is_solved
        assert check(result.plan, problem) == []


@pytest.mark.parametrize("moves", MOVES)
def test_a_full_map_is_sorted_without_empty_cells(moves):
    grid = Grid(np.ones((4, 5)), moves)
    places = [(x, y) for y in range(4) for x in range(5)]
    problem = one_shot(grid, places, places[::-1])
    result = solve(problem, "push_and_rotate")
    assert check(result.plan, problem) == []
    assert result.counters.restarts == 0


@pytest.mark.plain
@pytest.mark.parametrize("moves", MOVES)
def test_tables_of_blocks_exchange_exactly_two(moves):
    blocks = blocks_of(Grid(np.ones((3, 3)), moves))
    for shape, size in enumerate(blocks.sizes):
        for one in range(size):
            for other in range(size):
                content = list(range(size))
                for step in range(blocks.n_steps[shape, one, other]):
                    there = blocks.steps[shape, one, other, step]
                    content = [content[list(there[:size]).index(k)] for k in range(size)]
                expected = list(range(size))
                expected[one], expected[other] = other, one
                assert content == expected


@pytest.mark.plain
def test_published_swaps_need_a_junction():
    """Without rotations, two agents change places where the corridor has a side cell, and others make room."""
    grid = parse_ascii("......\n##.###", moves="four")
    problem = one_shot(grid, [(0, 0), (1, 0), (4, 0)], [(1, 0), (0, 0), (5, 0)])
    for blocks in (False, True):
        result = solve(problem, "push_and_rotate", blocks=blocks)
        assert check(result.plan, problem) == []


@pytest.mark.plain
def test_it_names_those_for_whom_there_is_no_plan():
    grid = parse_ascii("....", moves="four")
    result = solve(one_shot(grid, [(0, 0), (1, 0)], [(3, 0), (2, 0)]), "push_and_rotate")
    assert result.status is Status.IMPOSSIBLE
    assert "agent" in result.detail
    assert "cannot get past" in result.detail


@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("order", ["direction", "outside", "given", "random"])
def test_crowds_arrive_and_pauses_change_nothing(moves, order):
    grid = random_map(20, 20, 0.2, seed=4, moves=moves)
    starts, goals = draw_pairs(grid, 150, seed=4)
    problem = Problem(grid, starts, goals[:, None])
    whole = solve(problem, "push_and_rotate", order=order, seed=3)
    assert check(whole.plan, problem) == []
    task = begin_plan(problem, "push_and_rotate", order=order, seed=3)
    while not task.advance(17).is_final:
        pass
    assert (task.result().plan.cells == whole.plan.cells).all()
    assert task.counters == whole.counters


@pytest.mark.plain
def test_the_log_shows_where_agents_are():
    grid = random_map(8, 8, 0.2, seed=1, moves="four")
    starts, goals = draw_pairs(grid, 12, seed=1)
    task = begin_plan(Problem(grid, starts, goals[:, None]), "push_and_rotate")
    here = starts.copy()
    n_seen = 0
    while not task.advance(5).is_final:
        pebbles = task.pebbles
        for move in pebbles.log[n_seen : pebbles.counts[N_MOVES]]:
            here[move["agent"]] = move["there"]
        n_seen = int(pebbles.counts[N_MOVES])
        # an attempt that failed is taken back, and then rows that were seen change
        if (here == pebbles.here).all():
            assert (pebbles.occupant[here] == np.arange(12)).all()
    assert (task.pebbles.here == goals).all()


def test_a_thousand_agents_in_a_maze_arrive(movingai):
    grid = read_map(movingai / "mapf" / "maze-128-128-1.map", moves="four")
    problem = read_scen(movingai / "mapf" / "maze-128-128-1-random-1.scen", grid, 400)
    result = solve(problem, "push_and_rotate")
    assert result.is_solved
    assert check(result.plan, problem) == []
