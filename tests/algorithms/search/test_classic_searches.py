"""What the classic searches promise beyond the contract: order, limits, lists and meeting points."""

import heapq
import itertools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import wayfolk as wf
from reference import dijkstra_costs, legal_moves, picture, small_grids, steps_from
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.search import bidirectional, fringe
from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.best_first import STAMP
from wayfolk.kernels.graph import HEURISTICS, heuristic
from wayfolk.problem.result import Status
from wayfolk.world.cache import pool
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

ALL = ["dfs", "iddfs", "ida", "fringe", "bidirectional", "dijkstra", "astar"]
OPTIMAL = ALL[2:]
WAYS = [
    ("dfs", {}),
    ("iddfs", {}),
    ("ida", {}),
    ("ida", {"rise": "least"}),
    ("fringe", {}),
    ("fringe", {"step": 0.0}),
    ("fringe", {"step": 20.0}),
    ("bidirectional", {}),
    ("bidirectional", {"heuristic": "zero"}),
    ("dijkstra", {}),
]
every = pytest.mark.parametrize("name", ALL)
every_way = pytest.mark.parametrize(("name", "options"), WAYS, ids=lambda way: str(way))
FUZZ = 1e-9


@st.composite
def queries(draw, **options):
    """A small world and two of its free cells."""
    grid = draw(small_grids(**options))
    ends = st.sampled_from(grid.free_cells.tolist())
    start, goal = draw(ends), draw(ends)
    note(picture(grid, [start], [goal]))
    return grid, start, goal


@st.composite
def graphs(draw):
    """A small directed graph; edges may be free, parallel, or lead back to where they begin."""
    n = draw(st.integers(1, 8))
    node = st.integers(0, n - 1)
    edges = sorted(draw(st.lists(st.tuples(node, node, st.integers(0, 4)), max_size=24)))
    first = np.searchsorted([edge[0] for edge in edges], np.arange(n + 1))
    graph = Graph(first, [edge[1] for edge in edges], [edge[2] for edge in edges])
    note(str(edges))
    return graph, draw(node), draw(node)


def begin(name, query, **options):
    grid, start, goal = query
    return begin_path(grid, grid.place(start), grid.place(goal), name, **options)


def find(name, query, **options):
    grid, start, goal = query
    return find_path(grid, grid.place(start), grid.place(goal), name, **options)


def graph_costs(graph, start):
    """The least cost from `start` to each node that can be reached."""
    costs, queue = {}, [(0.0, start)]
    first, target, weight = graph.graph[:3]
    while queue:
        cost, node = heapq.heappop(queue)
        if node not in costs:
            costs[node] = cost
            for edge in range(first[node], first[node + 1]):
                heapq.heappush(queue, (cost + weight[edge], int(target[edge])))
    return costs


def snake(turns, width=30):
    """A corridor that goes to and fro, and its two ends."""
    free = np.ones((2 * turns + 1, width), bool)
    free[1::2] = False
    free[1::4, -1] = True
    free[3::4, 0] = True
    return Grid(free, "four"), (0, 0), (width - 1 if turns % 2 == 0 else 0, 2 * turns)


@pytest.mark.plain
@given(queries())
def test_dfs_goes_on_as_long_as_it_can(query):
    grid, start, _ = query
    order = find("dfs", query, watch=True).events.tolist()
    assert order[:1] == [start] or query[1] == query[2]
    assert len(set(order)) == len(order)
    for k, (one, other) in enumerate(pairwise(order)):
        new = set(legal_moves(grid, one)) - set(order[: k + 1])
        assert not new or other in new


@pytest.mark.plain
@pytest.mark.parametrize("name", ["dfs", "iddfs"])
@pytest.mark.parametrize("duplicates", ["all", "path", "none"])
@given(query=queries(max_side=3), depth=st.integers(1, 5))
def test_a_depth_cuts_off_what_is_further_and_nothing_else(name, duplicates, query, depth):
    steps = steps_from(query[0], query[1])
    result = find(name, query, depth=depth, duplicates=duplicates)
    assert result.is_solved == (steps.get(query[2], depth + 1) <= depth)
    if result.is_solved:
        assert len(result.path) - 1 <= depth
    elif duplicates == "all":
        was_cut = max(steps.values()) > depth
        assert result.status is (Status.GAVE_UP if was_cut else Status.IMPOSSIBLE)
        assert result.detail == (f"no path within {depth} moves" if was_cut else "")


@pytest.mark.plain
@pytest.mark.parametrize("name", ["dfs", "iddfs"])
def test_what_was_cut_off_and_entered_later_does_not_count(name):
    grid = Grid([[1, 1, 0], [1, 1, 0], [0, 0, 1]], "four")
    statuses = [find_path(grid, (0, 0), (2, 2), name, depth=depth).status for depth in (1, 2, 3)]
    assert statuses == [Status.GAVE_UP, Status.IMPOSSIBLE, Status.IMPOSSIBLE]


@pytest.mark.plain
@pytest.mark.parametrize("name", ["dfs", "iddfs"])
def test_circles_and_depths_below_zero_are_refused(name):
    grid = Grid(np.ones((2, 2)))
    with pytest.raises(BadInput, match="may go in circles: give it a depth"):
        find_path(grid, (0, 0), (1, 1), name, duplicates="none")
    with pytest.raises(BadInput, match="depth must be from 0 to 1,000,000, not -1"):
        find_path(grid, (0, 0), (1, 1), name, depth=-1)


def rounds_of(query, task):
    """What each round of a watched search expanded: each begins with the start, and does not come back to it."""
    order, result = task.result().events.tolist(), []
    for cell in order:
        if cell == query[1]:
            result.append([])
        result[-1].append(cell)
    return result


@pytest.mark.plain
@given(queries())
def test_iddfs_goes_one_move_deeper_in_each_round(query):
    grid, start, goal = query
    steps = steps_from(grid, start)
    task = begin("iddfs", query, watch=True)
    status = task.advance()
    deepest = steps[goal] if goal in steps else max(steps.values())
    assert task.limits == list(range(deepest + 1))
    seen = set()
    for depth, cells in enumerate(rounds_of(query, task)):
        assert len(set(cells)) == len(cells)
        is_last = depth == deepest and status is Status.SOLVED
        at_depth = {cell for cell, n in steps.items() if n == depth}
        new = set(cells) - seen
        assert new <= at_depth if is_last else new == at_depth
        seen |= new


@pytest.mark.plain
@given(queries(terrain=True), st.sampled_from([{}, {"rise": "least"}]))
def test_limits_of_ida_rise_until_the_optimum_is_within(query, options):
    grid, start, goal = query
    costs = dijkstra_costs(grid, start)
    task = begin("ida", query, watch=True, **options)
    status = task.advance()
    assert all(one < other for one, other in pairwise(task.limits))
    assert task.limits[0] == heuristic(grid.graph, start, goal, HEURISTICS[best_heuristic(grid)])
    if goal in costs:
        assert status is Status.SOLVED
        assert all(limit < costs[goal] for limit in task.limits[:-1])
        assert task.limits[-1] >= costs[goal] - FUZZ
        if options:
            assert task.limits[-1] == pytest.approx(costs[goal])
    for limit, cells in zip(task.limits, rounds_of(query, task), strict=False):
        for cell in cells:
            assert costs[cell] + heuristic(grid.graph, cell, goal, HEURISTICS[best_heuristic(grid)]) <= limit + FUZZ


@given(queries(terrain=True, max_side=3))
@settings(max_examples=60)
def test_ida_needs_no_table_to_be_right(query):
    bare, cost = find("ida", query, table=False), dijkstra_costs(*query[:2]).get(query[2])
    assert bare.is_solved == (cost is not None)
    assert cost is None or bare.cost == pytest.approx(cost)


def test_ida_rises_by_more_than_the_least_to_save_rounds():
    rng = np.random.default_rng(2)
    grid = Grid(rng.random((40, 40)) > 0.2, costs=rng.uniform(1.0, 5.0, (40, 40)))
    query = grid, int(grid.free_cells[0]), int(grid.free_cells[-1])
    adapted, least = begin("ida", query), begin("ida", query, rise="least")
    adapted.advance()
    least.advance()
    assert adapted.result().cost == pytest.approx(least.result().cost)
    assert len(adapted.limits) * 5 < len(least.limits)
    assert adapted.expanded * 5 < least.expanded


@pytest.mark.plain
@pytest.mark.parametrize("step", [0.0, 1.0, 10.0])
@given(query=queries(terrain=True))
@settings(max_examples=60)
def test_the_fringe_is_one_list_in_two_parts(step, query):
    grid, start, goal = query
    task, best = begin("fringe", query, step=step), dijkstra_costs(grid, start)
    stamp, ends = task.memory.counts[STAMP], grid.n_cells
    while not task.advance(1).is_final:
        listed, at = [], ends
        while (after := int(task.links[at]["after"])) != ends:
            assert task.links[after]["before"] == at
            listed.append(after)
            at = after
        assert task.links[ends]["before"] == at
        cells, limit = task.memory.cells, task.numbers[fringe.LIMIT]
        assert sorted(listed) == np.flatnonzero(cells["mark"] == stamp + 1).tolist()
        later = itertools.takewhile(lambda cell: cell != task.counts[fringe.AT], listed)
        f = {cell: cells[cell]["g"] + heuristic(grid.graph, cell, goal, task.kind) for cell in listed}
        assert all(f[cell] > min(limit, task.numbers[fringe.BEST]) - 2 * FUZZ for cell in later)
        assert all(cells[cell]["g"] >= best[cell] - FUZZ for cell in listed)
        if goal in best and task.numbers[fringe.BEST] > best[goal] + FUZZ:
            assert min(f.values()) <= best[goal] + FUZZ  # the way to something better is open
    assert task.cost == pytest.approx(best.get(goal, np.inf))


@pytest.mark.plain
def test_a_fringe_whose_last_cells_move_to_the_front_ends():
    # the cells left for later are all reached again, cheaper, in the pass that leaves nothing
    grid = Grid([[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 1]], "four")
    assert find_path(grid, (0, 0), (3, 4), "fringe").status is Status.IMPOSSIBLE


def test_a_larger_step_means_fewer_passes():
    rng = np.random.default_rng(4)
    grid = Grid(rng.random((50, 50)) > 0.25)
    query = grid, int(grid.free_cells[0]), int(grid.free_cells[-1])
    passes, costs = [], []
    for step in (0.0, 1.0, 5.0):
        task = begin("fringe", query, step=step)
        task.advance()
        passes.append(int(task.counts[fringe.PASSES]))
        costs.append(task.cost)
    assert passes[0] > 3 * passes[1] > 3 * passes[2]
    assert costs == pytest.approx([costs[0]] * 3)
    with pytest.raises(BadInput, match="step must be"):
        begin("fringe", query, step=-0.1)


@pytest.mark.plain
@pytest.mark.parametrize("name_of_heuristic", ["best", "zero"])
@given(query=queries(terrain=True))
@settings(max_examples=60)
def test_while_something_better_is_left_both_sides_have_it_open(name_of_heuristic, query):
    grid, start, goal = query
    least = dijkstra_costs(grid, start).get(goal, np.inf)
    task = begin("bidirectional", query, heuristic=name_of_heuristic)
    stamps = [side.memory.counts[STAMP] for side in (task.ahead, task.behind)]
    while not task.advance(1).is_final:
        marks = [side.memory.cells["mark"] for side in (task.ahead, task.behind)]
        closed = [mark == stamp + 1 for mark, stamp in zip(marks, stamps, strict=True)]
        assert not (closed[0] & closed[1]).any()
        if least == np.inf:
            continue
        assert task.best[0] >= least - FUZZ
        if task.best[0] > least + FUZZ:
            for side, mark, stamp, aim in zip((task.ahead, task.behind), marks, stamps, (goal, start), strict=True):
                is_open = np.flatnonzero((mark == stamp) & ~closed[0] & ~closed[1])
                f = [side.memory.cells[c]["g"] + heuristic(grid.graph, c, aim, task.kind) for c in is_open.tolist()]
                assert min(f) < task.best[0] - FUZZ
    assert task.cost == pytest.approx(least)


@pytest.mark.plain
@given(graphs())
def test_the_backwards_graph_has_every_edge_turned_round(query):
    graph = query[0]

    def edges(arrays):
        sources = np.repeat(np.arange(graph.n_cells), np.diff(arrays.first))
        return sorted(zip(sources.tolist(), arrays.target.tolist(), arrays.weight.tolist(), strict=True))

    turned = bidirectional.backwards(graph)
    assert edges(turned) == sorted((b, a, weight) for a, b, weight in edges(graph.graph))
    assert bidirectional.backwards(graph) is turned


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_two_small_floods_are_less_than_a_large_one(moves):
    grid = Grid(np.ones((120, 120)), moves)
    for start, goal in [((50, 60), (70, 60)), ((50, 50), (66, 68)), ((40, 55), (80, 70))]:
        one = find_path(grid, start, goal, "dijkstra")
        two = find_path(grid, start, goal, "bidirectional", heuristic="zero")
        aimed = find_path(grid, start, goal, "bidirectional")
        assert one.cost == pytest.approx(two.cost) == pytest.approx(aimed.cost)
        assert 0.45 * one.expanded < two.expanded < 0.55 * one.expanded  # two discs of half the radius
        assert aimed.expanded < 0.1 * two.expanded


@every_way
@pytest.mark.plain
@given(query=graphs())
@settings(max_examples=60)
def test_directed_graphs_with_free_edges(name, options, query):
    graph, start, goal = query
    best, weight = graph_costs(graph, start), {}
    first, target, weights = graph.graph[:3]
    for node in range(graph.n_cells):
        for edge in range(first[node], first[node + 1]):
            key = node, int(target[edge])
            weight[key] = min(weights[edge], weight.get(key, np.inf))
    result = find(name, query, **options)
    assert result.is_solved == (goal in best)
    if result.is_solved:
        assert (result.path[0], result.path[-1]) == (start, goal)
        assert sum(weight[pair] for pair in pairwise(result.path)) == pytest.approx(result.cost)
        if name in OPTIMAL:
            assert result.cost == pytest.approx(best[goal])


@every_way
def test_larger_worlds_of_every_kind(name, options):
    rng = np.random.default_rng(9)
    for moves, terrain in itertools.product(["four", "eight", "eight_cutting"], [None, (1.0, 1.5), (0.5, 20.0)]):
        costs = None if terrain is None else rng.uniform(*terrain, (24, 24))
        grid = Grid(rng.random((24, 24)) > 0.25, moves, costs=costs)
        for start, goal in rng.choice(grid.free_cells, (12, 2)).tolist():
            result, best = find(name, (grid, start, goal), **options), wf.distances(grid, grid.place(start))
            least = best[grid.place(goal)[::-1]]
            assert result.is_solved == np.isfinite(least)
            assert name not in OPTIMAL or result.cost == pytest.approx(least)


@every
def test_a_path_longer_than_any_buffer(name):
    grid, start, goal = snake(80)
    result = find_path(grid, start, goal, name, watch=True)
    assert len(result.path) == len(grid.free_cells) > 2048
    assert result.cost == len(result.path) - 1
    assert len(result.events) == result.expanded > 2048 - (1024 if name == "bidirectional" else 0)
    task, budgets = begin_path(grid, start, goal, name, watch=True), itertools.cycle([1, 700, 5000])
    while not task.advance(next(budgets)).is_final:
        pass
    assert (task.result().events == result.events).all()


@every
def test_an_open_list_longer_than_any_buffer(name):
    rng = np.random.default_rng(8)
    grid = Grid(np.ones((90, 90)), costs=rng.uniform(1.0, 9.0, (90, 90)))
    options = {"heuristic": "zero"} if name == "bidirectional" else {}
    result = find_path(grid, (0, 0), (89, 89), name, **options)
    assert result.is_solved
    if name in OPTIMAL:
        assert result.cost == pytest.approx(dijkstra_costs(grid, grid.cell((0, 0)))[grid.cell((89, 89))])


@every
@pytest.mark.plain
def test_memory_is_handed_on_even_when_stamps_run_out(name):
    rng = np.random.default_rng(6)
    grid = Grid(rng.random((9, 9)) > 0.25)
    find_path(grid, grid.place(grid.free_cells[0]), grid.place(grid.free_cells[1]), "astar")
    (memory, _, _) = pool(grid, "memories")[0]
    stamps = []
    for start, goal in rng.choice(grid.free_cells, (12, 2)).tolist():
        if not stamps:
            memory.counts[STAMP] = 2**31 - 16
        result = find_path(grid, grid.place(start), grid.place(goal), name)
        best = dijkstra_costs(grid, start).get(goal)
        assert result.is_solved == (best is not None)
        assert best is None or name not in OPTIMAL or result.cost == pytest.approx(best)
        stamps.append(int(memory.counts[STAMP]))
        assert memory.cells["mark"].max() <= stamps[-1] + 1
    assert min(stamps) < 1000  # they did run out
    assert len(pool(grid, "memories")) == (2 if name == "bidirectional" else 1)


@pytest.mark.plain
@given(small_grids(terrain=True, cliffs=True), st.data())
def test_distances_are_the_least_costs(grid, data):
    start = data.draw(st.sampled_from(grid.free_cells.tolist()))
    wanted = np.full(grid.n_cells, np.inf)
    for cell, cost in dijkstra_costs(grid, start).items():
        wanted[cell] = cost
    distances = wf.distances(grid, grid.place(start))
    assert distances == pytest.approx(wanted.reshape(-1, grid.stride)[1:-1, 1:-1])
    graph = Graph.from_grid(grid)
    assert wf.distances(graph, grid.place(start)) == pytest.approx(wanted[grid.free_cells])
    assert (wf.distances(grid, grid.place(start)) == distances).all()


@pytest.mark.plain
@given(graphs())
def test_distances_follow_edges_one_way(query):
    graph, start, _ = query
    best = graph_costs(graph, start)
    assert wf.distances(graph, start) == pytest.approx([best.get(node, np.inf) for node in range(graph.n_cells)])


@pytest.mark.plain
def test_distances_from_a_wall_are_refused():
    with pytest.raises(BadProblem, match=r"the start \(1, 0\) is in a wall"):
        wf.distances(Grid([[1, 0]]), (1, 0))
