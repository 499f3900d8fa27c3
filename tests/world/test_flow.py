"""One-way maps: whatever can be reached stays reachable, and nobody meets head-on where there is room."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import small_grids
from streams import IS_PLAIN, edited
from wayfolk.errors import BadInput, NotSupported
from wayfolk.files.maps import parse_ascii, read_map
from wayfolk.kernels.codes import EAST, NORTH, SOUTH, WEST
from wayfolk.world.flow import flow_of, make_flow
from wayfolk.world.generate import random_map
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.one_way import MARK, N_PARTS, number_parts


def n_strong_parts(grid, legal):
    counts = np.zeros(4, np.int64)
    number_parts(grid.offsets, grid.free_cells, legal, np.zeros(grid.n_cells, MARK), counts)
    return int(counts[N_PARTS])


def has(legal, k):
    return legal >> k & 1 > 0


def is_corridor(grid, k):
    """Which cells are one wide for who walks along direction `k`."""
    sides = (EAST, WEST) if k in (NORTH, SOUTH) else (NORTH, SOUTH)
    return ~has(grid.legal, sides[0]) & ~has(grid.legal, sides[1])


def n_head_on(grid, legal):
    """Pairs of opposite moves between two cells of which neither is one wide."""
    total = 0
    for k, back in ((EAST, WEST), (SOUTH, NORTH)):
        cells = np.flatnonzero(has(legal, k))
        others = cells + grid.offsets[k]
        narrow = is_corridor(grid, k)
        total += int((has(legal[others], back) & ~narrow[cells] & ~narrow[others]).sum())
    return total


def check_flow(grid, parity=0):
    """A new flow, after a look at all that it keeps."""
    flow = make_flow(grid, parity)
    assert_flow(flow)
    return flow


def assert_flow(flow):
    """All that a flow keeps, and that its counts are right."""
    grid, legal = flow.grid, flow.legal
    assert not (legal & ~grid.legal).any(), "no move that the map does not have"
    assert n_strong_parts(grid, legal) == int(grid.components.max(initial=0))
    assert n_head_on(grid, legal) == flow.n_straightened + flow.n_opened
    for k in range(4, 8):
        cells = np.flatnonzero(has(legal, k))
        assert not has(legal[cells + grid.offsets[k]], k ^ 2).any(), "diagonals are one-way"
    assert flow.n_diagonals == sum(int(has(legal, k).sum()) for k in range(4, 8))
    assert flow.n_straightened == int(np.unpackbits(flow.straightened).sum())
    assert not (flow.straightened & ~legal).any()


@pytest.mark.parametrize("moves", list(Moves), ids=lambda m: m.value)
def test_a_thousand_random_maps_stay_as_connected_as_they_were(moves):
    rng = np.random.default_rng(7)
    n_opened = 0
    for seed in range(1000 if moves is Moves.EIGHT else 200):
        width, height = rng.integers(1, 33, 2)
        grid = Grid(rng.random((height, width)) >= rng.uniform(0.0, 0.45), moves)
        n_opened += check_flow(grid, seed % 4).n_opened
    assert n_opened > 100, "the guard was needed"


@pytest.mark.plain
@given(small_grids(cliffs=True), st.integers(0, 3))
def test_strong_parts_are_those_of_networkx(grid, parity):
    flow = check_flow(grid, parity)
    graph = nx.DiGraph()
    graph.add_nodes_from(grid.free_cells.tolist())
    for cell in grid.free_cells.tolist():
        graph.add_edges_from((cell, cell + int(grid.offsets[k])) for k in range(8) if has(flow.legal[cell], k))
    assert nx.number_strongly_connected_components(graph) == n_strong_parts(grid, flow.legal)


def test_game_maps_stay_as_connected_as_they_were(movingai):
    maps = sorted(movingai.glob("*/*.map"))
    assert maps
    for file in maps:
        grid = read_map(file)
        if len(grid.free_cells) < 500_000:
            check_flow(grid)


@pytest.mark.parametrize("parity", range(4))
def test_every_open_cell_has_one_way_along_its_row_and_one_along_its_column(parity):
    for density in (0.0, 0.05, 0.1):
        grid = random_map(60, 50, density, seed=parity)
        flow = make_flow(grid, parity)
        n_other = 0
        for one, two in ((EAST, WEST), (SOUTH, NORTH)):
            narrow = is_corridor(grid, one)
            inside = has(grid.legal, one) & has(grid.legal, two)
            for k in (one, two):
                inside &= ~narrow & ~np.where(inside, np.roll(narrow, -grid.offsets[k]), False)
            n_ways = has(flow.legal, one).astype(int) + has(flow.legal, two)
            assert inside.any()
            assert (n_ways[inside] >= 1).all()
            n_other += int((n_ways[inside] == 2).sum())
        assert n_other <= flow.n_straightened + flow.n_opened  # an edge opens one more way out of one cell
        if density == 0.0:
            assert flow.n_opened == flow.n_straightened == 0


def test_rows_columns_and_parity():
    grid = Grid(np.ones((8, 8)))
    ways = {}
    for parity in range(4):
        legal = flow_of(grid, parity).legal
        cell = grid.cell((4, 2))
        ways[parity] = {k for k in range(8) if has(legal[cell], k)}
    assert ways == {0: {EAST, NORTH}, 1: {WEST, NORTH}, 2: {EAST, SOUTH}, 3: {WEST, SOUTH}}


@pytest.mark.plain
def test_corridors_and_their_mouths_are_two_way():
    grid = parse_ascii("""
        ...@@@...
        .........
        ...@@@...
        ...@@@...
    """)
    legal = flow_of(grid).legal
    for x in range(2, 6):
        assert has(legal[grid.cell((x, 1))], EAST)
        assert has(legal[grid.cell((x + 1, 1))], WEST)
    # odd rows lead west outside
    assert not has(legal[grid.cell((1, 1))], EAST)


def test_a_corner_of_an_odd_map_gets_diagonals():
    flow = make_flow(Grid(np.ones((31, 31))), 0)
    assert flow.n_diagonals == 2
    assert flow.n_opened == 0
    assert make_flow(Grid(np.ones((31, 31)), "four"), 0).n_straightened == 2


def test_kept_with_the_map_and_the_same_for_a_map_however_it_was_made():
    grid = random_map(20, 20, 0.2, seed=3)
    flow = flow_of(grid)
    assert flow_of(grid) is flow
    assert flow_of(grid, 1) is not flow
    changed = grid.with_freed([grid.cell((5, 5))]).with_blocked([grid.cell((6, 6))])
    other = flow_of(changed)
    assert other.grid is changed
    assert np.array_equal(other.legal, make_flow(changed, 0).legal)
    assert flow_of(grid) is flow


def test_what_cannot_flow():
    grid = random_map(5, 5, 0.0)
    with pytest.raises(BadInput, match="parity must be 0, 1, 2 or 3, not 4"):
        flow_of(grid, 4)
    with pytest.raises(NotSupported):
        flow_of(Graph.from_grid(grid))


@pytest.mark.plain
@pytest.mark.parametrize("moves", list(Moves), ids=lambda m: m.value)
def test_thousands_of_edits_leave_streets_that_lead_everywhere(moves):
    rng = np.random.default_rng(11)
    n_maps, n_edits = (4, 10) if IS_PLAIN else (100, 20)
    n_repaired = n_opened = n_fresh_opened = 0
    for number in range(n_maps):
        width, height = rng.integers(1, 40, 2)
        links = rng.integers(0, 4, (height, width)) | rng.integers(0, 4, (height, width)) if number % 5 == 4 else None
        grid = Grid(rng.random((height, width)) >= rng.uniform(0.0, 0.5), moves, links=links)
        flow = make_flow(grid, number % 4)
        for _ in range(n_edits):
            grid = edited(rng, grid)
            before, flow = flow, flow.repaired(grid)
            assert_flow(flow)
            assert flow.grid is grid
            fresh = flow_of(grid, number % 4)
            n_repaired += flow is not fresh
            if flow is not fresh:
                edits = grid.places(np.flatnonzero(grid.legal != before.grid.legal))
                changes = grid.places(np.flatnonzero(flow.legal != before.legal))
                assert (np.abs(changes[:, None] - edits).max(2).min(1, initial=4) <= 3).all(), "only around the edit"
        n_opened += flow.n_opened
        n_fresh_opened += fresh.n_opened
    assert n_repaired > 0.9 * n_maps * n_edits
    assert n_opened < 1.1 * n_fresh_opened + 10, "open edges do not pile up"
