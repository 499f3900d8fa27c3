"""TBA* and Salient Search: what is not the same for every agent."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import dijkstra_costs, small_grids
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.realtime._time_bounded import strategies
from wayfolk.errors import UnknownName
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves


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
            agent = begin_path(grid, grid.place(start), grid.place(goal), "tba")
            agent.advance()
            best = dijkstra_costs(grid, start)[goal]
            result = agent.result().counters.solution_cost
            assert result == pytest.approx(best, abs=1e-9 if diagonal == 1.42 else 0.011) or start == goal


class Mood(NamedTuple):
    """Takes the open cell if it is better by more than `patience`."""

    patience: float


def test_a_strategy_is_added_in_a_few_lines(monkeypatch):
    monkeypatch.setattr(strategies, "STRATEGIES", dict(strategies.STRATEGIES))
    grid = Grid(np.random.default_rng(9).random((30, 30)) > 0.3)
    ends = [grid.place(cell) for cell in big_part(grid)[[0, -1]]]
    with pytest.raises(UnknownName, match="there is no strategy 'mood'"):
        find_path(grid, *ends, "salient", strategy="mood")
    strategies.add_strategy("mood", Mood(0.0), lambda strategy, seen: seen.open_f < seen.salient_f - strategy.patience)
    mine, known = (
        find_path(grid, *ends, "salient", strategy=strategy, watch=True) for strategy in ("mood", "tie_break")
    )
    assert mine.path == known.path
    assert mine.events.tolist() == known.events.tolist()


def walk_of_tba(grid, start, goal, n_expand, *, is_longer_only):
    """The walk of TBA* in plain Python: whole paths are traced at every move, and steps cost 1."""
    g, parent, closed, order = {start: 0}, {start: start}, set(), [start]  # the newest open cell comes last
    here, path, is_found, is_final, walked = start, [], False, False, [start]

    def f(cell):
        (x, y), (to_x, to_y) = grid.place(cell), grid.place(goal)
        return g[cell] + abs(x - to_x) + abs(y - to_y)

    def best():
        return min(reversed(order), key=f)

    while here != goal:
        for _ in range(n_expand):
            cell = best()
            is_found = is_found or cell == goal
            if is_found:
                break
            order.remove(cell)
            closed.add(cell)
            for k, offset in enumerate(grid.offsets.tolist()):
                there = cell + offset
                if not grid.legal[cell] >> k & 1 or there in closed or g.get(there, 1 << 30) <= g[cell] + 1:
                    continue
                if there in g:
                    order.remove(there)
                g[there], parent[there] = g[cell] + 1, cell
                order.append(there)
        if not is_final:
            end = goal if is_found else best()
            if end == goal or not path or not is_longer_only or g[end] >= g[path[-1]]:
                path, cell = [end], end
                while cell not in (start, here):
                    cell = parent[cell]
                    path.insert(0, cell)
            is_final = end == goal
        at = path.index(here) if here in path else None
        if at is None and here != start:
            here = parent[here]
        elif at is not None and at + 1 < len(path):
            here = path[at + 1]
        walked.append(here)
    return walked


@pytest.mark.parametrize("switch", ["always", "longer"])
def test_the_walk_is_that_of_the_plain_twin(switch):
    rng, turned = np.random.default_rng(10), 0
    for _ in range(25):
        grid = Grid(rng.random((14, 14)) > 0.3, Moves.FOUR)
        start, goal = map(int, rng.choice(big_part(grid), 2, replace=False))
        ends = grid.place(start), grid.place(goal)
        result = find_path(grid, *ends, "tba", limit=6, share=0.5, traces=1000.0, switch=switch)
        twin = walk_of_tba(grid, start, goal, 3, is_longer_only=switch == "longer")
        assert result.path == [grid.place(cell) for cell in twin]
        turned += result.counters.turns
    assert turned > 0, "the walks turn"


def test_an_agent_that_waits_for_longer_paths_turns_less_often():
    rng, turns = np.random.default_rng(11), {"always": 0, "longer": 0}
    for _ in range(20):
        grid = Grid(rng.random((40, 40)) > 0.3)
        start, goal = rng.choice(big_part(grid), 2, replace=False)
        for name, options in (("tba", {}), ("salient", {"salient": 3})):
            for switch in turns:
                ends = grid.place(start), grid.place(goal)
                result = find_path(grid, *ends, name, limit=10, switch=switch, **options)
                assert result.is_solved
                turns[switch] += result.counters.turns
    assert turns["longer"] < 0.5 * turns["always"]
