"""Searches that are repaired: every path after every change costs what A* from scratch finds, and invariants hold."""

import math
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from reference import is_legal_step, picture, shortest_cost, small_grids, step_cost
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.search._replanning import integer_costs
from wayfolk.algorithms.search._replanning.integer_costs import INF
from wayfolk.algorithms.search._replanning.lifelong import WAITS, Lifelong
from wayfolk.errors import BadInput, BadProblem
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, slots, there
from wayfolk.problem.result import Status
from wayfolk.world import generate
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

NAMES = ["anytime_d_star", "d_star", "d_star_lite", "focussed_d_star", "lpa"]
every = pytest.mark.parametrize("name", NAMES)
MOVES = ["four", "eight", "eight_cutting"]


def begin(name, world, start, goal, **options):
    return import_module(f"wayfolk.algorithms.search.{name}").begin(world, int(start), int(goal), **options)


def scratch(world, start, goal):
    """What A* answers from scratch."""
    search = begin("astar", world, start, goal)
    search.advance()
    return search.result()


def check_repair(task, world, start, goal):
    """The answer is that of A*, it is a path, and nothing is left to do that matters."""
    task.advance()
    result, best = task.result(), scratch(world, start, goal)
    assert result.status is best.status
    if result.is_solved:
        assert result.cost == pytest.approx(best.cost, rel=1e-12, abs=1e-9)
        assert result.bound == 1.0
        check_path(world, start, goal, result)
    else:
        assert result.path is None
    check_invariants(task)


def check_path(world, start, goal, result):
    assert (world.cell(result.path[0]), world.cell(result.path[-1])) == (start, goal)
    total = 0.0
    for one, other in pairwise(result.path):
        if isinstance(world, Grid):
            assert is_legal_step(world, *one, other[0] - one[0], other[1] - one[1])
            total += step_cost(world, world.cell(one), world.cell(other))
        else:
            total += min(c for to, c in edges(world.graph, world.cell(one)) if to == world.cell(other))
    assert total == pytest.approx(result.cost, rel=1e-12, abs=1e-9)


def edges(graph, cell):
    """Where edges lead and what they cost."""
    numbers = range(int(slots(graph, cell)))
    return [
        (int(there(graph, cell, k)), float(cost(graph, cell, k))) for k in numbers if there(graph, cell, k) != NOWHERE
    ]


def cost_of(task, paid):
    return max(1, math.ceil(paid * task.scale))


def heuristic_of(task, cell):
    return int(integer_costs.integer_heuristic(task.roads.out, cell, task.aim, task.kind, task.scale))


def check_invariants(task):
    if isinstance(task, Lifelong):
        check_lifelong(task)
    else:
        check_raising(task)


def check_lifelong(task):
    nodes = task.memory.nodes
    seen = np.flatnonzero(nodes["mark"]).tolist()
    g = {cell: int(nodes["g"][cell]) for cell in seen}
    rhs = {cell: int(nodes["rhs"][cell]) for cell in seen}
    for cell in seen:
        around = [g[to] + cost_of(task, paid) for to, paid in edges(task.roads.out, cell) if g.get(to, INF) < INF]
        assert rhs[cell] == (0 if cell == task.root else min(around, default=INF))
        if nodes["mark"][cell] != WAITS:
            assert (nodes["at"][cell] > 0) == (
                g[cell] != rhs[cell]
            )  # what is to be done, and nothing else, is in the queue
    least = min(g[task.aim], rhs[task.aim])
    for cell in seen:
        # a cell that waits for the next round is reached already: if there is no way, there will be none
        waits = nodes["mark"][cell] == WAITS
        if waits and least == INF:
            continue
        if g[cell] < rhs[cell]:
            assert g[cell] + heuristic_of(task, cell) > least
        elif g[cell] > rhs[cell]:
            assert rhs[cell] + heuristic_of(task, cell) >= least
    assert rhs[task.aim] <= g[task.aim]


def check_raising(task):
    nodes = task.memory.nodes
    known = int(nodes["h"][task.aim]) if nodes["mark"][task.aim] else int(INF)
    for cell in np.flatnonzero(nodes["at"]).tolist():
        k = int(nodes["k"][cell])
        assert k <= nodes["h"][cell]
        assert (k + heuristic_of(task, cell), k) >= (known, known)
    for one, other in pairwise(task.cells.tolist()):
        paid = min(paid for to, paid in edges(task.roads.out, one) if to == other)
        assert nodes["back"][one] == other
        assert nodes["h"][one] == nodes["h"][other] + cost_of(task, paid)


def toggled(world, cells):
    """The same map with `cells` the other way round."""
    cells = np.unique(np.asarray(cells))
    is_free = world._free[cells]
    return world.with_blocked(cells[is_free]).with_freed(cells[~is_free])


def near_or_far(world, here, rng):
    """Some cells of the map, most of them near `here`."""
    n = int(rng.integers(1, 6))
    x, y = world.place(here)
    xs = np.where(
        rng.random(n) < 0.6, np.clip(x + rng.integers(-3, 4, n), 0, world.width - 1), rng.integers(0, world.width, n)
    )
    ys = np.where(
        rng.random(n) < 0.6, np.clip(y + rng.integers(-3, 4, n), 0, world.height - 1), rng.integers(0, world.height, n)
    )
    cells = world.cells(np.stack([xs, ys], 1))
    return cells[cells != here]


def moved(path, here, rng):
    """A few steps along the path."""
    cells = path[: 1 + int(rng.integers(0, 4))]
    return int(cells[-1]) if len(cells) else here


@every
@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("terrain", [False, True], ids=["plain", "terrain"])
def test_every_replan_costs_what_astar_finds(name, moves, terrain):
    rng = np.random.default_rng([MOVES.index(moves), terrain])
    solved = blocked = 0
    for _ in range(6):
        height, width = (int(side) for side in rng.integers(6, 26, 2))
        costs = rng.uniform(0.5, 6.0, (height, width)) if terrain else None
        world = Grid(rng.random((height, width)) > rng.uniform(0.1, 0.4), moves, costs=costs)
        here, goal = (int(cell) for cell in rng.choice(world.free_cells, 2))
        task = begin(name, world, here, goal)
        check_repair(task, world, here, goal)
        for k in range(12):
            here = moved(task.cells, here, rng) if k % 5 else int(rng.choice(world.free_cells))
            task.move_to(here)
            cells = near_or_far(world, here, rng)
            world = toggled(world, cells)
            task.change(world, *([cells] if k % 2 else []))  # found by comparing, or given
            check_repair(task, world, here, goal)
            solved, blocked = solved + task.result().is_solved, blocked + (not task.result().is_solved)
    assert min(solved, blocked) > 5  # both kinds have been met


@every
@pytest.mark.plain
@given(data=st.data())
def test_small_worlds_with_doors(name, data):
    world = data.draw(small_grids(max_side=5, cliffs=True))
    cells = [world.cell((x, y)) for y in range(world.height) for x in range(world.width)]
    start, goal = (data.draw(st.sampled_from(world.free_cells.tolist())) for _ in range(2))
    task = begin(name, world, start, goal)
    for _ in range(data.draw(st.integers(1, 4))):
        task.advance(data.draw(st.integers(1, 9)))  # a change may come before the last is dealt with
        world = toggled(world, data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=3)))
        task.change(world)
        if world.free_cells.size and data.draw(st.booleans()):
            start = data.draw(st.sampled_from(world.free_cells.tolist()))
            task.move_to(start)
        note(picture(world, [start], [goal]))
    while not task.advance(1).is_final:
        pass
    check_invariants(task)
    best = shortest_cost(world, start, goal)
    assert task.result().cost == pytest.approx(best, abs=1e-9) or task.result().cost == best


@every
def test_terrain_that_changes(name):
    """Heuristics must follow what became cheaper than anything before; sums must not overflow."""
    rng = np.random.default_rng(7)
    free, costs = rng.random((12, 15)) > 0.2, rng.uniform(2.0, 4.0, (12, 15))
    world = Grid(free, costs=costs)
    here, goal = (int(cell) for cell in rng.choice(world.free_cells, 2))
    task = begin(name, world, here, goal)
    for value in [3.0, 0.5, 0.01, 100.0, 1e9, 1.0, 1e-3]:
        check_repair(task, world, here, goal)
        costs = costs.copy()
        costs[rng.random(costs.shape) < 0.1] = value
        world = Grid(free, costs=costs)
        task.change(world)
        here = moved(task.cells, here, rng)
        task.move_to(here)
    check_repair(task, world, here, goal)
    flat = Grid(free)  # terrain that is gone altogether
    task.change(flat)
    check_repair(task, flat, here, goal)


def random_edges(rng, n):
    """Directed edges, some of them free of cost, parallel, or from a node to itself."""
    count = int(rng.integers(n, 5 * n))
    edges = rng.integers(0, n, (count, 2))
    weights = rng.choice([0.0, 1e-9, 1.0, 1.0, 2.5, 7.0], count) * rng.choice([1.0, rng.random()], count)
    return np.concatenate([edges, edges[:3]]), np.concatenate([weights, rng.random(3)])


def graph_of(edges, weights, n, positions=None):
    order = np.argsort(edges[:, 0], kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(edges[:, 0], minlength=n))])
    return Graph(first, edges[order, 1], weights[order], positions)


@every
@pytest.mark.parametrize("placed", [False, True], ids=["nowhere", "in-a-plane"])
def test_directed_graphs_whose_edges_change(name, placed):
    rng = np.random.default_rng(11)
    for _ in range(15):
        n = int(rng.integers(2, 40))
        positions = rng.random((n, 2)) if placed else None
        ends, weights = random_edges(rng, n)
        if placed:
            weights = weights + np.hypot(*(positions[ends[:, 0]] - positions[ends[:, 1]]).T)
        world = graph_of(ends, weights, n, positions)
        here, goal = (int(cell) for cell in rng.integers(0, n, 2))
        task = begin(name, world, here, goal)
        check_repair(task, world, here, goal)
        for _ in range(8):
            if rng.random() < 0.5:
                weights = np.where(rng.random(len(weights)) < 0.2, weights * rng.choice([0.3, 4.0]), weights)
            else:
                kept = rng.random(len(ends)) < 0.9
                more, paid = random_edges(rng, n)
                ends = np.concatenate([ends[kept], more[:3]])
                weights = np.concatenate([weights[kept], paid[:3] + (2.0 if placed else 0.0)])
            if placed and rng.random() < 0.3:  # the nodes themselves are moved, a little nearer to one another
                positions = positions * 0.9
            world = graph_of(ends, weights, n, positions)
            task.change(world)
            here = moved(task.cells, here, rng)
            task.move_to(here)
            check_repair(task, world, here, goal)


@every
def test_edges_much_shorter_than_the_world(name):
    """Heuristics are exact to a billionth part only; the answer is exact."""
    rng = np.random.default_rng(3)
    positions = np.concatenate([rng.random((20, 2)) * 1e-7, 1e3 + rng.random((20, 2)) * 1e-7])
    ends = np.array(
        [(a, b) for a in range(40) for b in range(40) if a // 20 == b // 20 and abs(a - b) < 4] + [(19, 20)]
    )
    weights = np.hypot(*(positions[ends[:, 0]] - positions[ends[:, 1]]).T)
    world = graph_of(ends, weights, 40, positions)
    task = begin(name, world, 0, 39)
    for k in range(6):
        check_repair(task, world, 0, 39)
        weights = weights * np.where(rng.random(len(weights)) < 0.3, 1.0 + k, 1.0)
        world = graph_of(ends, weights, 40, positions)
        task.change(world)


DOOR = Grid([[1, 1, 1, 0, 1, 1], [1, 1, 1, 0, 1, 1], [1, 1, 1, 1, 1, 1]], "four")


@every
@pytest.mark.plain
def test_a_door_closes_and_opens(name):
    start, goal, door = DOOR.cell((2, 0)), DOOR.cell((4, 0)), DOOR.cell((3, 2))
    task = begin(name, DOOR, start, goal)
    assert task.advance() is Status.SOLVED
    assert task.result().cost == 6.0
    shut = DOOR.with_blocked([door])
    task.change(shut)
    assert task.status is Status.RUNNING
    assert task.result().path is None  # the old path is not shown as the new one
    assert task.advance() is Status.IMPOSSIBLE
    assert task.result().path is None
    task.change(DOOR)
    assert task.advance() is Status.SOLVED
    assert task.result().cost == 6.0
    open_top = DOOR.with_freed([DOOR.cell((3, 0))])
    task.change(open_top, [DOOR.cell((3, 0))])
    assert task.advance() is Status.SOLVED
    assert task.result().path == [(2, 0), (3, 0), (4, 0)]
    counters = task.result().counters
    assert counters.replans == 3
    assert 0 < counters.last_repair < counters.expanded


@every
@pytest.mark.plain
def test_start_is_goal_and_walls_on_either(name):
    start, goal = DOOR.cell((0, 0)), DOOR.cell((1, 0))
    task = begin(name, DOOR, start, start)
    assert task.advance() is Status.SOLVED
    assert (task.result().path, task.result().cost) == ([(0, 0)], 0.0)
    for wall in (start, goal):
        task = begin(name, DOOR, start, goal)
        task.advance()
        walled = DOOR.with_blocked([wall])
        task.change(walled)
        check_repair(task, walled, start, goal)
        assert task.status is Status.IMPOSSIBLE
        task.change(DOOR)
        check_repair(task, DOOR, start, goal)
        assert task.result().cost == 1.0


@every
def test_what_does_not_matter_takes_no_work(name):
    world = Grid(np.ones((20, 20)))
    start, goal = world.cell((0, 0)), world.cell((19, 3))
    task = begin(name, world, start, goal)
    task.advance()
    before, path = task.expanded, task.result().path
    task.change(Grid(np.ones((20, 20))))  # the same
    assert task.status is Status.SOLVED
    assert (task.expanded, task.result().path) == (before, path)
    if name != "lpa":  # which has its root at the start
        for k, place in enumerate(path):
            task.move_to(world.cell(place))
            assert task.status is Status.SOLVED
            assert task.result().path == path[k:]
        assert task.expanded == before
        assert task.result().counters.replans == 0


@every
def test_is_the_same_in_slices_and_watched(name):
    rng = np.random.default_rng(5)
    world = generate.random_map(24, 24, 0.25, seed=2)
    here, goal = (int(cell) for cell in rng.choice(world.free_cells, 2))
    whole, slices = begin(name, world, here, goal), begin(name, world, here, goal, watch=True)
    for _ in range(10):
        whole.advance()
        while not slices.status.is_final:
            before = slices.expanded
            slices.advance(3)
            assert slices.expanded <= before + 3
        one, other = whole.result(), slices.result()
        assert (one.status, one.path, one.expanded) == (other.status, other.path, other.expanded)
        assert one.events is None
        assert len(other.events) == other.expanded
        here = moved(whole.cells, here, rng)
        world = toggled(world, near_or_far(world, here, rng))
        for task in (whole, slices):
            task.move_to(here)
            task.change(world)


@every
def test_refuses_another_kind_of_world(name):
    task = begin(name, DOOR, DOOR.cell((0, 0)), DOOR.cell((1, 0)))
    for other in (
        Grid(np.ones((3, 7)), "four"),
        Grid(np.ones((6, 3)), "four"),
        DOOR.with_moves("eight"),
        Graph.from_grid(DOOR),
    ):
        with pytest.raises(BadInput, match="cannot become"):
            task.change(other)
    with pytest.raises(BadProblem, match="no cell 4000"):
        task.move_to(4000)
    assert task.advance() is Status.SOLVED


def test_costs_too_large_to_add_up():
    with pytest.raises(BadInput, match="too large"):
        begin("d_star_lite", Grid(np.ones((1, 2)), costs=[[1.7e308, 1.7e308]]), *Grid(np.ones((1, 2))).free_cells)


def test_anytime_paths_keep_their_bounds_while_epsilon_falls():
    rng = np.random.default_rng(2)
    worse = 0
    for seed in range(12):
        world = generate.random_map(40, 40, 0.35, seed=seed)
        here, goal = (int(cell) for cell in rng.choice(world.free_cells, 2))
        task = begin("anytime_d_star", world, here, goal, epsilon=3.0, step=0.5)
        for _ in range(5):
            best, bounds = scratch(world, here, goal), []
            while not task.advance(1).is_final:
                result = task.result()
                if result.path and (not bounds or result.bound < bounds[-1]):
                    bounds.append(result.bound)
                    check_path(world, here, goal, result)
                    assert best.cost - 1e-9 <= result.cost <= result.bound * best.cost + 1e-9
                    worse += result.cost > best.cost + 1e-9
            check_repair(task, world, here, goal)
            assert bounds == sorted(bounds, reverse=True)
            here = moved(task.cells, here, rng)
            task.move_to(here)
            world = toggled(world, rng.choice(world.free_cells, 100))  # many: epsilon goes back
            world = world.with_freed([here])
            task.change(world)
            assert task.excess == 2.0
    assert worse > 5  # the bounds were put to use


@pytest.mark.parametrize("options", [{"epsilon": 0.5}, {"last_epsilon": 3.0}, {"step": 0.0}, {"epsilon": math.nan}])
def test_anytime_refuses_what_cannot_fall(options):
    with pytest.raises(BadInput, match=r"epsilon must|step must be from 0.001 to 1,000,000"):
        find_path(DOOR, (0, 0), (1, 0), "anytime_d_star", **options)


def test_anytime_stops_at_its_last_epsilon():
    result = find_path(generate.random_map(40, 40, 0.3, seed=1), (0, 0), (39, 39), "anytime_d_star", last_epsilon=1.5)
    assert result.is_solved
    assert result.bound == 1.5


@pytest.mark.parametrize("entry", catalogue.entries("search"), ids=lambda entry: entry.name)
def test_an_edit_during_a_paused_search_does_not_matter(entry):
    """Grids never change: an edit makes another map, and the search goes on in the one it began with."""
    grid = generate.random_map(20, 20, 0.2, seed=4, moves=entry.facts.get("MOVES", ["eight"])[0])
    ends = grid.place(grid.free_cells[0]), grid.place(grid.free_cells[-1])
    whole = find_path(grid, *ends, entry.name)
    paused = begin_path(grid, *ends, entry.name)
    paused.advance(3)
    walls = {grid.cell(place) for place in (whole.path or [])} - {grid.cell(end) for end in ends}
    edited = grid.with_blocked(list(walls))
    if not entry.facts.get("ANY_ANGLE"):
        assert find_path(edited, *ends, entry.name).cost > whole.cost  # there the path is gone
    paused.advance()
    result = paused.result()
    assert (result.status, result.path, result.cost, result.expanded) == (
        whole.status,
        whole.path,
        whole.cost,
        whole.expanded,
    )


def expansions_near_the_agent(world, start, goal, rng):
    """D* Lite and A* from scratch while four cells near the agent change every five steps: cells expanded by each."""
    task = begin("d_star_lite", world, start, goal)
    task.advance()
    repaired, again, here = 0, 0, int(start)
    while here != goal and task.status is Status.SOLVED:
        for cell in task.cells[1:6].tolist():
            here = cell
        task.move_to(here)
        x, y = world.place(here)
        places = np.clip(np.array([x, y]) + rng.integers(-5, 6, (4, 2)), 0, [world.width - 1, world.height - 1])
        cells = world.cells(places)
        cells = cells[(cells != here) & (cells != goal)]
        world = toggled(world, cells)
        task.change(world, cells)
        task.advance()
        result, best = task.result(), scratch(world, here, goal)
        assert result.status is best.status
        assert result.cost == pytest.approx(best.cost) or result.cost == best.cost
        repaired += result.counters.last_repair
        again += best.expanded
    return repaired, again


def test_repairs_near_the_agent_expand_a_fifth_of_astar_at_most():
    world, rng = generate.without_islands(generate.random_map(256, 256, 0.2, seed=1)), np.random.default_rng(1)
    cells = world.free_cells
    pairs = zip(rng.choice(cells[:5000], 4), rng.choice(cells[-5000:], 4), strict=True)
    repaired, again = np.sum([expansions_near_the_agent(world, *pair, rng) for pair in pairs], axis=0)
    assert again > 100_000
    assert repaired * 5 <= again


def test_repairs_on_a_game_map_expand_a_fifth_of_astar_at_most(movingai):
    file, rng = movingai / "single" / "den312d.map", np.random.default_rng(1)
    world = read_map(file)
    rows = read_queries(f"{file}.scen", world)
    pairs = list(zip(rows.starts[-6:], rows.goals[-6:], strict=True))
    repaired, again = np.sum([expansions_near_the_agent(world, *pair, rng) for pair in pairs], axis=0)
    assert again > 20_000
    assert repaired * 5 <= again
