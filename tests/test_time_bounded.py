"""TBA* and Salient Search: what is not the same for every walker."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import dijkstra_costs, small_grids
from wayfolk.errors import UnknownName
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.realtime import _time_bounded
from wayfolk.run import begin_path, find_path


def big_part(grid):
    return np.flatnonzero(grid.components == np.bincount(grid.components[grid.free_cells]).argmax())


@given(data=st.data())
@settings(max_examples=40)
def test_without_salient_expansions_it_expands_exactly_as_tba(data):
    grid = data.draw(small_grids(max_side=8))
    start, goal = (grid.place(data.draw(st.sampled_from(grid.free_cells.tolist()))) for _ in range(2))
    limit = data.draw(st.integers(4, 12))
    how = {"limit": limit, "share": 0.5, "watch": True}
    tba = find_path(grid, start, goal, "tba", **how)
    salient = find_path(grid, start, goal, "salient", salient=0, strategy="best_open", **how)
    tie = find_path(grid, start, goal, "salient", salient=0, strategy="tie_break", **how)
    assert (salient.path, salient.counters) == (tba.path, tba.counters)
    assert salient.events.tolist() == tba.events.tolist() == tie.events.tolist()[: len(tba.events)]


@pytest.mark.parametrize("unit", [2.0**-12, 2.0**20])
def test_the_unit_of_cost_does_not_matter(unit):
    """Lists are as wide as the cheapest step asks for: neither one for all cells nor more than memory holds."""
    rng = np.random.default_rng(7)
    grid = Grid(rng.random((30, 30)) > 0.2, costs=rng.integers(1, 9, (30, 30)))
    plain = Graph.from_grid(grid)
    edges = plain.graph
    scaled = Graph(edges.first, edges.target, edges.weight * unit, plain.positions, plain.names)
    ends = [grid.place(cell) for cell in big_part(grid)[[0, -1]]]
    for name in ("tba", "salient"):
        one, other = find_path(plain, *ends, name), find_path(scaled, *ends, name)
        assert one.path == other.path
        assert one.cost * unit == pytest.approx(other.cost)
        assert one.expanded == other.expanded


def test_the_path_it_ends_up_with_is_a_cheapest_one():
    rng = np.random.default_rng(8)
    for diagonal in (1.42, 2**0.5):
        grid = Grid(rng.random((40, 40)) > 0.3, diagonal=diagonal)
        part = big_part(grid)
        for start, goal in rng.choice(part, (20, 2)):
            walker = begin_path(grid, grid.place(start), grid.place(goal), "tba")
            walker.advance()
            best = dijkstra_costs(grid, start)[goal]
            found = walker.result().counters.solution_cost
            assert found == pytest.approx(best, abs=1e-9 if diagonal == 1.42 else 0.011) or start == goal


class Mood(NamedTuple):
    """Takes the open cell if it is better by more than `patience`."""

    patience: float


def test_a_strategy_is_added_in_a_few_lines(monkeypatch):
    monkeypatch.setattr(_time_bounded, "STRATEGIES", dict(_time_bounded.STRATEGIES))
    grid = Grid(np.random.default_rng(9).random((30, 30)) > 0.3)
    ends = [grid.place(cell) for cell in big_part(grid)[[0, -1]]]
    with pytest.raises(UnknownName, match="there is no strategy 'mood'"):
        find_path(grid, *ends, "salient", strategy="mood")
    _time_bounded.add_strategy(
        "mood", Mood(0.0), lambda strategy, seen: seen.open_f < seen.salient_f - strategy.patience
    )
    mine, known = (
        find_path(grid, *ends, "salient", strategy=strategy, watch=True) for strategy in ("mood", "tie_break")
    )
    assert mine.path == known.path
    assert mine.events.tolist() == known.events.tolist()
