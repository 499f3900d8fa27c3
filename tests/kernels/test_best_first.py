"""What the best-first kernel promises, whatever the width of its buckets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from reference import dijkstra_costs, is_legal_step, legal_moves, picture, small_grids, step_cost
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import EXPANDED, GENERATED, NEW_SEARCH, STAMP
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, RUNNING
from wayfolk.kernels.graph import EUCLIDEAN, MANHATTAN, OCTILE, ZERO
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves

NOBODY_WATCHES = np.zeros(0, np.int32)
LARGEST = {Moves.FOUR: MANHATTAN, Moves.EIGHT: OCTILE, Moves.EIGHT_CUTTING: OCTILE}
widths = pytest.mark.parametrize("per_unit", [1.0, 5.0, 20.0])


class Search:
    """A search in memory that may have been used before; `dearest` is the cost of the dearest edge."""

    def __init__(self, graph, n_cells, start, goal, *, kind, dearest, weight=1.0, per_unit=5.0, room=64, memory=None):
        self.graph, self.start, self.goal = graph, start, goal
        self.weight, self.kind, self.per_unit = weight, kind, per_unit
        self.memory = best_first.new_memory(n_cells) if memory is None else memory
        # f rises by no more than the cost of an edge and the fall of the heuristic along it
        self.queue = buckets.new_buckets(int(dearest * (1 + 1.5 * weight) * per_unit) + 2, room)
        self.grew = 0
        best_first.open_start(self.memory, self.queue, start)

    def advance(self, budget=1 << 40, events=NOBODY_WATCHES):
        while True:
            code = best_first.advance(
                self.graph,
                self.memory,
                self.queue,
                best_first.Ordering(self.weight, self.kind, self.per_unit, self.weight > 1, False),
                self.start,
                self.goal,
                budget,
                events,
            )
            if code != FULL:
                return code
            self.queue = buckets.grown(self.queue)
            self.grew += 1

    def cost(self):
        return float(self.memory.cells[self.goal]["g"]) if self.advance() == FOUND else None

    def path(self):
        cells = np.empty(400, np.int32)
        n = best_first.trace(self.memory, self.start, self.goal, cells)
        return cells[:n][::-1].tolist()


def search(grid, start, goal, **options):
    """A search in a grid with the largest heuristic that never overestimates."""
    dearest = grid.lengths.max() * (1.0 if grid.costs is None else grid.costs.max())
    options = {"kind": LARGEST[grid.moves], "dearest": dearest} | options
    return Search(grid.graph, grid.n_cells, start, goal, **options)


def price(grid, path):
    """What a path costs, each step of which must be legal."""
    for one, other in itertools.pairwise(path):
        (x, y), (to_x, to_y) = grid.place(one), grid.place(other)
        assert is_legal_step(grid, x, y, to_x - x, to_y - y)
    return sum(step_cost(grid, one, other) for one, other in itertools.pairwise(path))


@st.composite
def queries(draw, **options):
    """A small world and two of its free cells."""
    grid = draw(small_grids(**options))
    ends = st.sampled_from(grid.free_cells.tolist())
    start, goal = draw(ends), draw(ends)
    note(picture(grid, [start], [goal]))
    return grid, start, goal


def rough(seed, side=14, **options):
    """A random map with walls and terrain, and pairs of its free cells."""
    rng = np.random.default_rng(seed)
    grid = Grid(rng.random((side, side)) > 0.25, costs=rng.uniform(0.5, 8.0, (side, side)), **options)
    return grid, rng.choice(grid.free_cells, (12, 2)).tolist()


@widths
@pytest.mark.plain
@given(query=queries(terrain=True), zero=st.booleans())
@settings(max_examples=60)
def test_costs_are_the_least_whatever_the_width(per_unit, query, zero):
    grid, start, goal = query
    options = {"kind": ZERO} if zero else {}
    result = search(grid, start, goal, per_unit=per_unit, **options)
    assert result.cost() == pytest.approx(dijkstra_costs(grid, start).get(goal))


@widths
@pytest.mark.parametrize("moves", Moves)
def test_costs_are_the_least_on_rough_terrain(moves, per_unit):
    grid, pairs = rough(1, moves=moves)
    for start, goal in pairs:
        assert search(grid, start, goal, per_unit=per_unit).cost() == pytest.approx(
            dijkstra_costs(grid, start).get(goal)
        )


@widths
@pytest.mark.parametrize("weight", [2.0, 5.0])
def test_a_weighted_search_stays_within_its_bound(weight, per_unit):
    for seed in range(4):
        grid, pairs = rough(seed)
        for start, goal in pairs:
            result, best = search(grid, start, goal, weight=weight, per_unit=per_unit), dijkstra_costs(grid, start)
            cost = result.cost()
            assert (cost is None) is (goal not in best)
            if cost is not None:
                assert cost <= weight * best[goal] + 1e-9


@widths
@pytest.mark.parametrize("weight", [1.0, 2.0, 5.0, 20.0])
def test_the_path_costs_what_is_said(weight, per_unit):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        grid = Grid(rng.random((15, 15)) > 0.2, costs=rng.choice([1.0, 20.0], (15, 15)))
        for start, goal in rng.choice(grid.free_cells, (20, 2)).tolist():
            result = search(grid, start, goal, weight=weight, per_unit=per_unit)
            cost = result.cost()
            if cost is not None:
                path = result.path()
                assert (path[0], path[-1]) == (start, goal)
                assert price(grid, path) == pytest.approx(cost)


@pytest.mark.plain
@given(queries(terrain=True))
def test_nothing_better_is_left_open(query):
    grid, start, goal = query
    result = search(grid, start, goal)
    if result.advance() == FOUND:
        cells, left = result.memory.cells, dijkstra_costs(grid, goal)
        for cell in np.flatnonzero(cells["mark"] == result.memory.counts[STAMP]):
            assert cells[cell]["g"] + left[cell] >= cells[goal]["g"] - 1e-9


@given(queries(), st.sampled_from([1.0, 3.0]))
def test_a_queue_that_grows_changes_nothing(query, weight):
    grid, start, goal = query
    small, large = (search(grid, start, goal, weight=weight, room=room) for room in (1, 1000))
    assert small.cost() == large.cost()
    assert large.grew == 0
    assert small.grew > 0 or start == goal
    assert (small.memory.counts[1:] == large.memory.counts[1:]).all()
    if small.advance() == FOUND:
        assert small.path() == large.path()


@pytest.mark.plain
@given(queries(terrain=True), st.integers(1, 7))
def test_paused_and_watched_it_does_the_same(query, budget):
    grid, start, goal = query
    events = np.zeros(100, np.int32)
    whole, parts = search(grid, start, goal), search(grid, start, goal)
    code = whole.advance(events=events)
    before = 0
    while (paused := parts.advance(budget)) == RUNNING:
        assert parts.memory.counts[EXPANDED] == before + budget
        before += budget
    assert paused == code
    assert (parts.memory.counts == whole.memory.counts).all()
    order = events[: whole.memory.counts[EXPANDED]].tolist()
    assert all(cell in dijkstra_costs(grid, start) for cell in order)
    assert code == EXHAUSTED or whole.path()[:-1] == [cell for cell in whole.path() if cell in order]


@pytest.mark.plain
def test_exhausted_only_after_everything_was_looked_at():
    grid = Grid([[1, 1, 1, 0, 1], [1, 1, 1, 0, 1]])
    result = search(grid, grid.cell((0, 0)), grid.cell((4, 0)))
    assert result.advance() == EXHAUSTED
    assert result.memory.counts[EXPANDED] == result.memory.counts[GENERATED] == 6


@pytest.mark.plain
def test_memory_is_used_again_even_when_stamps_run_out():
    grid, pairs = rough(2, side=10)
    memory = best_first.new_memory(grid.n_cells)
    memory.counts[STAMP] = 2**31 - 8 * NEW_SEARCH
    stamps = []
    for start, goal in pairs:
        result = search(grid, start, goal, memory=memory)
        assert result.cost() == pytest.approx(dijkstra_costs(grid, start).get(goal))
        stamps.append(int(memory.counts[STAMP]))
        assert memory.cells["mark"].max() in (stamps[-1], stamps[-1] + 1)
    assert max(stamps) < 2**31 - 1
    assert min(stamps) == NEW_SEARCH  # they did run out


@pytest.mark.plain
@given(queries(terrain=True), st.sampled_from([ZERO, EUCLIDEAN]))
def test_a_grid_and_its_graph_agree(query, kind):
    grid, start, goal = query
    graph = Graph.from_grid(grid)
    ends = (graph.cell(grid.place(cell)) for cell in (start, goal))
    there = Search(graph.graph, graph.n_cells, *ends, kind=kind, dearest=grid.costs.max() * 1.5)
    assert there.cost() == pytest.approx(search(grid, start, goal, kind=kind).cost())
    assert there.memory.counts[GENERATED] <= len(legal_moves(grid, start)) + len(grid.free_cells)


@widths
def test_diagonals_of_another_length_count(per_unit):
    grid, pairs = rough(7, diagonal=1.42)
    for start, goal in pairs:
        assert search(grid, start, goal, per_unit=per_unit).cost() == pytest.approx(
            dijkstra_costs(grid, start).get(goal)
        )
    plain = Grid(np.ones((9, 9)), diagonal=1.42)
    ends = plain.cell((0, 0)), plain.cell((8, 8))
    assert search(plain, *ends, per_unit=per_unit).cost() == pytest.approx(8 * 1.42)
