"""Sectors, clusters and cliques are what they say they are; HPA* and PRA* find what they promise on them."""

import heapq
import math
import pickle
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from reference import dijkstra_costs, flood_components, is_legal_step, legal_moves, small_grids, step_cost, steps_from
from wayfolk.algorithms.batch import find_many
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.queries import CLOSE
from wayfolk.algorithms.search._taut import pull
from wayfolk.errors import BadInput, NotSupported, TooLarge
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries
from wayfolk.kernels.codes import DX, DY, NOWHERE
from wayfolk.world.abstraction import clusters as clusters_module
from wayfolk.world.abstraction.cliques import Cliques, cliques_of
from wayfolk.world.abstraction.clusters import GROUP, Clusters, clusters_of
from wayfolk.world.abstraction.sectors import Sectors, sectors_of
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

grids = small_grids(max_side=9, terrain=True, cliffs=True)
sizes = st.integers(2, 4)


def inside(grid, cell, size):
    """The square of `size` that a cell is in."""
    x, y = grid.place(cell)
    return x // size, y // size


def costs_within(grid, start, allowed):
    """The least costs from `start` through cells for which `allowed(cell)` is true."""
    costs, queue = {}, [(0.0, start)]
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell not in costs:
            costs[cell] = cost
            for there in legal_moves(grid, cell):
                if allowed(there):
                    heapq.heappush(queue, (cost + step_cost(grid, cell, there), there))
    return costs


def free_cells(grid):
    return [int(cell) for cell in grid.free_cells]


def edits(draw, grid):
    """A few changed copies, each of the one before."""
    changes = []
    cells = [grid.cell((x, y)) for x in range(grid.width) for y in range(grid.height)]
    for _ in range(draw(st.integers(1, 3))):
        changed = draw(st.lists(st.sampled_from(cells), max_size=3))
        grid = grid.with_blocked(changed) if draw(st.booleans()) else grid.with_freed(changed)
        changes.append(grid)
    return changes


# sectors


@given(grids, sizes)
def test_regions_are_the_connected_parts_of_sectors(grid, size):
    sectors = Sectors(grid, size)
    parts = {}
    for cell in free_cells(grid):
        home = inside(grid, cell, size)
        part = costs_within(grid, cell, lambda other, home=home: inside(grid, other, size) == home)
        assert set(sectors.cells(sectors.region(cell)).tolist()) == set(part)
        parts[min(part)] = home[::-1], min(part)
    assert sectors.n_regions == len(parts)
    order = [sectors.region(cell) for _, cell in sorted(parts.values())]
    assert order == list(range(sectors.n_regions))  # by sector, then by first cell


@given(grids, sizes)
def test_regions_are_neighbours_if_one_step_leads_from_one_to_the_other(grid, size):
    sectors = Sectors(grid, size)
    steps = {(sectors.region(a), sectors.region(b)) for a in free_cells(grid) for b in legal_moves(grid, a)}
    graph = sectors.graph.graph
    source = np.repeat(np.arange(sectors.n_regions), np.diff(graph.first))
    assert set(zip(source.tolist(), graph.target.tolist(), strict=True)) == {(a, b) for a, b in steps if a != b}


@given(grids, sizes)
def test_a_way_between_centres_leaves_the_first_region_once(grid, size):
    sectors = Sectors(grid, size)
    graph = sectors.graph.graph
    for region in range(sectors.n_regions):
        own = costs_within(grid, int(sectors.centres[region]), lambda c, r=region: sectors.region(c) == r)
        for k in range(graph.first[region], graph.first[region + 1]):
            other = int(graph.target[k])
            back = costs_within(grid, int(sectors.centres[other]), lambda c, r=other: sectors.region(c) == r)
            ways = [own[a] + step_cost(grid, a, b) + back[b] for a in own for b in legal_moves(grid, a) if b in back]
            assert graph.weight[k] == pytest.approx(min(ways))


@given(grids, sizes)
def test_no_neighbour_of_a_centre_is_nearer_to_the_region(grid, size):
    sectors = Sectors(grid, size)

    def total(cell, region):
        plain = Grid(grid.free, grid.moves, links=grid.links, diagonal=1.0)
        return sum(costs_within(plain, cell, lambda c: sectors.region(c) == region).values())

    for region in range(sectors.n_regions):
        centre = int(sectors.centres[region])
        assert sectors.region(centre) == region
        beside = [cell for cell in legal_moves(grid, centre) if sectors.region(cell) == region]
        assert all(total(centre, region) <= total(cell, region) for cell in beside)


@given(grids, sizes)
def test_a_route_by_regions_is_there_if_and_only_if_a_path_is(grid, size):
    sectors = Sectors(grid, size)
    cells = free_cells(grid)
    reached = steps_from(grid, cells[0])
    for cell in cells:
        route = sectors.route(cells[0], cell)
        assert (route is not None) == (cell in reached)
        if route:
            assert (route[0], route[-1]) == (sectors.region(cells[0]), sectors.region(cell))


@given(st.data())
def test_edited_sectors_are_as_if_built_anew(data):
    grid, size = data.draw(grids), data.draw(sizes)
    sectors = Sectors(grid, size)
    for changed in edits(data.draw, grid):
        note(str(changed))
        if not changed.free.any():
            break
        sectors, fresh = sectors.edited(changed), Sectors(changed, size)
        for name in ("part", "first", "centres"):
            assert np.array_equal(getattr(sectors, name), getattr(fresh, name))
        for one, other in zip(sectors.graph.graph, fresh.graph.graph, strict=True):
            assert np.array_equal(one, other)


def test_an_edit_works_on_its_sector_and_those_around_it():
    grid = Grid(np.ones((100, 100)))
    sectors = sectors_of(grid, 10)
    assert sectors.n_searched == 100
    assert sectors_of(grid.with_blocked([grid.cell((55, 55))]), 10).n_searched == 9
    assert sectors_of(grid.with_blocked([grid.cell((5, 5))]), 10).n_searched == 4


def test_sectors_say_what_they_cannot_do():
    grid = Grid([[1, 0]])
    with pytest.raises(BadInput, match="sectors must be from 2 to 128 cells wide, not 1"):
        Sectors(grid, 1)
    with pytest.raises(BadInput, match="a map without free cells has no regions"):
        Sectors(Grid([[0]]), 4)
    with pytest.raises(BadInput, match="in a wall"):
        Sectors(grid, 4).region(grid.cell((1, 0)))


# clusters


def distances(level, cluster):
    """The matrix of a cluster."""
    n = level.clusters["first"][cluster + 1] - level.clusters["first"][cluster]
    at = level.clusters["matrix"][cluster]
    return level.matrix[at : at + n * n].reshape(n, n)


def nodes_in(level, cluster):
    return range(level.clusters["first"][cluster], level.clusters["first"][cluster + 1])


def exits_of(level, node):
    return level.exits[level.nodes["exit"][node] : level.nodes["exit"][node + 1]]


@pytest.mark.plain
@given(grids, sizes, st.integers(1, 4))
def test_whatever_is_connected_is_connected_through_nodes(grid, size, narrow):
    level = Clusters(grid, size, 1, narrow).levels[0]
    beyond = {}
    for node, cell in enumerate(level.nodes["cell"][:-1].tolist()):
        for way in exits_of(level, node):
            other = int(level.nodes["cell"][way["to"]])
            (x, y), (to_x, to_y) = grid.place(cell), grid.place(other)
            assert is_legal_step(grid, x, y, to_x - x, to_y - y)
            assert abs(to_x - x) + abs(to_y - y) == 1
            assert inside(grid, cell, size) != inside(grid, other, size)
            assert way["cost"] == pytest.approx(step_cost(grid, cell, other))
            assert (way["x"], way["y"]) == (to_x, to_y)
            beyond.setdefault(cell, []).append(other)
    for part in flood_components(grid):
        seen, todo = set(), [min(part)]
        while todo:
            cell = todo.pop()
            if cell not in seen:
                home = inside(grid, cell, size)
                near = costs_within(grid, cell, lambda other, home=home: inside(grid, other, size) == home)
                seen |= set(near)
                todo += [other for one in near for other in beyond.get(one, [])]
        assert seen == part


@pytest.mark.plain
@given(grids, sizes)
def test_distances_and_moves_inside_a_cluster_are_the_least(grid, size):
    clusters = Clusters(grid, size, 1)
    level = clusters.levels[0]
    for cluster in range(len(level.clusters) - 1):
        for rank, node in enumerate(nodes_in(level, cluster)):
            cell = int(level.nodes["cell"][node])
            home = inside(grid, cell, size)
            best = costs_within(grid, cell, lambda other, home=home: inside(grid, other, size) == home)
            for other, there in enumerate(nodes_in(level, cluster)):
                expected = best.get(int(level.nodes["cell"][there]), math.inf)
                assert distances(level, cluster)[rank, other] == pytest.approx(expected)
            square = level.fields[level.clusters["field"][cluster] + rank * size * size :][: size * size]
            for y, x in np.ndindex(size, size):
                place = home[0] * size + x, home[1] * size + y
                if place[0] >= grid.width or place[1] >= grid.height or not grid.free[place[::-1]]:
                    continue
                here = grid.cell(place)
                assert walked_cost(grid, square.reshape(size, size), x, y, here) == pytest.approx(
                    best.get(here, math.inf)
                )


def walked_cost(grid, square, x, y, cell):
    """What it costs to follow the moves of a field."""
    total = 0.0
    while square[y, x] < 8:
        move = square[y, x]
        x, y = x + DX[move], y + DY[move]
        total += step_cost(grid, cell, cell + int(grid.offsets[move]))
        cell += int(grid.offsets[move])
    return total if square[y, x] == 8 else math.inf


def crossings(rows, size, narrow=6, **options):
    """The rows at which the border between two clusters beside each other is crossed."""
    grid = Grid([[sign == "." for sign in row] for row in rows], **options)
    level = Clusters(grid, size, 1, narrow).levels[0]
    return sorted(int(y) for x, y in zip(level.nodes["x"], level.nodes["y"], strict=True) if x == size - 1)


@pytest.mark.plain
def test_a_narrow_entrance_is_crossed_in_its_middle_and_a_wide_one_at_its_ends():
    assert crossings(["@" * 16] * 2 + ["." * 16] * 5 + ["@" * 16], 8) == [4]
    assert crossings(["@" * 16] * 2 + ["." * 16] * 6, 8) == [2, 7]
    assert crossings(["@" * 16] * 2 + ["." * 16] * 6, 8, narrow=7) == [5]
    assert crossings(["." * 16] * 2 + ["@" * 16] + ["." * 16] * 3 + ["@" * 8 + "." * 8] * 2, 8) == [1, 4]
    assert crossings(["." * 16] * 1, 8) == [0]


@pytest.mark.plain
def test_a_cliff_across_an_entrance_makes_two_of_it():
    links = np.full((4, 8), 3)
    links[1, 2:6] = 1  # nobody steps from row 1 to row 2 near the border, on either side
    assert crossings(["........"] * 4, 4, links=links) == [1, 3]


@given(grids, sizes, st.integers(2, 3))
def test_higher_levels_know_the_least_distances_below(grid, size, levels):
    clusters = Clusters(grid, size, levels)
    for below, level in pairwise(clusters.levels):
        for cluster in range(len(level.clusters) - 1):
            lowest, highest = level.clusters["inner"][cluster], level.clusters["inner"][cluster + 1]
            for rank, node in enumerate(nodes_in(level, cluster)):
                best = among_nodes(below, {int(level.nodes["below"][node]): 0.0}, range(lowest, highest))
                n = highest - lowest
                row = level.clusters["field"][cluster] + rank * n
                assert level.reach[row : row + n].tolist() == pytest.approx(
                    [best.get(k, math.inf) for k in range(lowest, highest)]
                )
                for other, there in enumerate(nodes_in(level, cluster)):
                    expected = best.get(int(level.nodes["below"][there]), math.inf)
                    assert distances(level, cluster)[rank, other] == pytest.approx(expected)
        # a node is on the level above if and only if it leads out of one of the larger squares
        for node in range(len(below.nodes) - 1):
            homes = below.nodes["cluster"] // GROUP**2
            leads_out = any(homes[way["to"]] != homes[node] for way in exits_of(below, node))
            assert leads_out == (node in level.nodes["below"][:-1])


def among_nodes(level, begin, allowed):
    """The least distances from the nodes of `begin`, where they cost so much, by nodes of `allowed`."""
    costs, queue = {}, [(cost, node) for node, cost in begin.items()]
    while queue:
        cost, node = heapq.heappop(queue)
        if node in costs or node not in allowed:
            continue
        costs[node] = cost
        home = int(level.nodes["cluster"][node])
        row = distances(level, home)[node - level.clusters["first"][home]]
        for other, more in zip(nodes_in(level, home), row, strict=True):
            if more < math.inf:
                heapq.heappush(queue, (cost + more, other))
        for way in exits_of(level, node):
            heapq.heappush(queue, (cost + way["cost"], int(way["to"])))
    return costs


@given(st.data())
def test_edited_clusters_are_as_if_built_anew(data):
    grid, size, levels = data.draw(grids), data.draw(sizes), data.draw(st.integers(1, 3))
    clusters = Clusters(grid, size, levels)
    for changed in edits(data.draw, grid):
        note(str(changed))
        clusters, fresh = clusters.edited(changed), Clusters(changed, size, levels)
        for name in clusters.tables._fields:
            assert np.array_equal(getattr(clusters.tables, name), getattr(fresh.tables, name)), name


def test_an_edit_searches_the_clusters_it_touches():
    grid = Grid(np.ones((160, 160)))
    clusters = clusters_of(grid, 10, 2)
    assert clusters.n_searched == [256, 16]
    assert clusters_of(grid.with_blocked([grid.cell((55, 55))]), 10, 2).n_searched == [1, 1]
    # the moves of the cells beside it change too, so that a cell at a corner touches four
    assert clusters_of(grid.with_blocked([grid.cell((80, 80))]), 10, 2).n_searched == [4, 4]
    edited = clusters_of(grid.with_blocked([grid.cell((55, 55))]), 10, 2)
    assert clusters_of(edited.grid.with_freed([grid.cell((55, 55))]), 10, 2).n_searched == [1, 1]


def test_what_is_built_is_kept_with_its_map_and_left_behind_in_a_copy():
    grid = Grid(np.ones((40, 40)))
    first = clusters_of(grid, 10)
    assert clusters_of(grid, 10) is first
    assert clusters_of(grid, 8) is not first
    wall = grid.with_blocked([grid.cell((5, y)) for y in range(40)])
    assert find_path(wall, (0, 0), (39, 0), "hpa", cluster=10).path is None
    assert find_path(grid, (0, 0), (39, 0), "hpa", cluster=10).cost == 39.0
    assert clusters_of(grid, 10) is first
    assert clusters_of(wall, 10) is clusters_of(wall, 10) is not first
    sent = pickle.loads(pickle.dumps(wall))
    assert (sent._cache, sent._outdated) == ({}, {})
    assert find_path(sent, (0, 0), (39, 0), "hpa", cluster=10).path is None


def test_clusters_say_what_they_cannot_do():
    grid = Grid(np.ones((4, 4)))
    with pytest.raises(BadInput, match="option cluster must be from 2 to 128, not 1"):
        find_path(grid, (0, 0), (3, 3), "hpa", cluster=1)
    with pytest.raises(BadInput, match="option levels must be from 1 to 4, not 5"):
        find_path(grid, (0, 0), (3, 3), "hpa", levels=5)
    with pytest.raises(BadInput, match="option narrow must be from 1 to 1,000,000, not 0"):
        find_path(grid, (0, 0), (3, 3), "hpa", narrow=0)
    with pytest.raises(NotSupported, match="not on graphs"):
        find_path(Graph.from_grid(grid), (0, 0), (3, 3), "hpa")
    for other in (Grid(np.ones((4, 5))), grid.with_moves("four"), Grid(np.ones((4, 4)), costs=np.full((4, 4), 2))):
        with pytest.raises(BadInput, match="can be updated for a map of the same size"):
            Clusters(grid, 2).edited(other)


def test_clusters_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr(clusters_module, "available_bytes", lambda: 1000)
    with pytest.raises(TooLarge, match="GB are free"):
        Clusters(Grid(np.ones((40, 40))), 10)


# HPA*


@st.composite
def queries(draw, **options):
    grid = draw(small_grids(max_side=9, cliffs=True, **options))
    ends = st.sampled_from(free_cells(grid))
    return grid, draw(ends), draw(ends)


@given(st.one_of(queries(), queries(terrain=True)), sizes, st.integers(1, 4))
def test_hpa_finds_the_cheapest_path_through_nodes(query, size, narrow):
    grid, start, goal = query
    level = Clusters(grid, size, 1, narrow).levels[0]
    home, target = inside(grid, start, size), inside(grid, goal, size)
    near = costs_within(grid, start, lambda cell: inside(grid, cell, size) == home)
    far = costs_within(grid, goal, lambda cell: inside(grid, cell, size) == target)
    cells = level.nodes["cell"][:-1].tolist()
    ways = among_nodes(level, {k: near[cell] for k, cell in enumerate(cells) if cell in near}, range(len(cells)))
    totals = [cost + far[cells[node]] for node, cost in ways.items() if cells[node] in far]
    expected = min([*totals, near.get(goal, math.inf)], default=math.inf)
    best = dijkstra_costs(grid, start).get(goal, math.inf)
    for levels in (1, 2, 3):
        options = {"cluster": size, "levels": levels, "narrow": narrow}
        rough = find_path(grid, grid.place(start), grid.place(goal), "hpa", smooth=False, **options)
        smooth = find_path(grid, grid.place(start), grid.place(goal), "hpa", **options)
        assert rough.cost == pytest.approx(expected)
        assert best - 1e-9 <= smooth.cost <= rough.cost + 1e-9
        for result in (rough, smooth):
            assert result.is_solved == (best < math.inf)
            if result.is_solved:
                check_path(grid, start, goal, result)


def check_path(grid, start, goal, result):
    cells = [grid.cell(place) for place in result.path]
    assert (cells[0], cells[-1]) == (start, goal)
    assert all(other in legal_moves(grid, one) for one, other in pairwise(cells))
    assert sum(step_cost(grid, one, other) for one, other in pairwise(cells)) == pytest.approx(result.cost)


@pytest.mark.plain
@settings(max_examples=100)
@given(st.one_of(queries(), queries(terrain=True)), st.randoms(use_true_random=False))
def test_a_path_is_pulled_taut(query, rng):
    grid, start, _ = query
    walk = [start]
    for _ in range(30):
        walk.append(rng.choice(legal_moves(grid, walk[-1]) or [start]))
    if not legal_moves(grid, start):
        walk = [start]
    path = np.array(walk, np.int32)
    n = pull(grid.graph, path, np.zeros_like(path), np.zeros(8, np.int64), np.zeros(8, np.int64), len(path))
    cells = path[:n].tolist()
    assert (cells[0], cells[-1]) == (walk[0], walk[-1])
    assert all(other in legal_moves(grid, one) for one, other in pairwise(cells))
    before, after = (sum(step_cost(grid, a, b) for a, b in pairwise(c)) for c in (walk, cells))
    assert after <= before + 1e-9
    if grid.costs is None:
        check_taut(grid, cells)


def check_taut(grid, cells):
    """No move can be merged with the last one before it at a right angle or more, by shifting what lies between."""
    places = [grid.place(cell) for cell in cells]
    moves = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(places)]
    for j, (dx, dy) in enumerate(moves):
        pairs = [i for i in range(j) if moves[i][0] * dx + moves[i][1] * dy <= 0]
        if not pairs:
            continue
        i = pairs[-1]
        x, y = moves[i][0] + dx, moves[i][1] + dy
        between = moves[i + 1 : j]
        if (x, y) == (0, 0):
            shorter = [between]
        elif max(abs(x), abs(y)) == 1:
            shorter = [[(x, y), *between], [*between, (x, y)]]
        else:
            shorter = [[(x // 2, y // 2), *between, (x // 2, y // 2)]]
        assert not any(is_walk(grid, places[i], way) for way in shorter)


def is_walk(grid, place, moves):
    x, y = place
    for dx, dy in moves:
        if not is_legal_step(grid, x, y, dx, dy):
            return False
        x, y = x + dx, y + dy
    return True


@pytest.mark.plain
def test_a_detour_in_the_open_is_pulled_straight():
    grid = Grid(np.ones((30, 40)))
    moves = [4] * 9 + [0] * 12 + [7] * 9 + [1, 3] * 2 + [0] * 4  # down, along, up, back and forth
    path = np.array([grid.cell((0, 5))] + [0] * len(moves), np.int32)
    for k, move in enumerate(moves):
        path[k + 1] = path[k] + grid.offsets[move]
    n = pull(grid.graph, path, np.zeros_like(path), np.zeros(8, np.int64), np.zeros(8, np.int64), len(path))
    assert [grid.place(cell) for cell in path[:n]] == [(x, 5) for x in range(35)]


def test_many_queries_at_once_are_answered_as_one_by_one():
    rng = np.random.default_rng(4)
    grid = Grid(rng.random((60, 80)) > 0.3)
    starts, goals = rng.choice(grid.free_cells, (2, 300))
    for options in ({"cluster": 8}, {"cluster": 5, "levels": 3, "smooth": False}):
        many = find_many(grid, starts, goals, "hpa", **options)
        assert np.isinf(many.costs).any()
        for k, (start, goal) in enumerate(zip(starts, goals, strict=True)):
            one = find_path(grid, start, goal, "hpa", **options)
            assert (many.costs[k], many.path(k), many.expanded[k]) == (one.cost, one.path, one.expanded)


def test_a_long_way_and_a_long_queue_find_room():
    """A snake that fills the map, and a field of pillars with more open nodes than there is room for at first."""
    snake = np.ones((99, 99), bool)
    snake[1::4, :-1] = snake[3::4, 1:] = False
    grid = Grid(snake)
    for levels in (1, 2, 3):
        result = find_path(grid, (0, 0), (98, 98), "hpa", cluster=5, levels=levels)
        check_path(grid, grid.cell((0, 0)), grid.cell((98, 98)), result)
        assert result.cost == pytest.approx(find_path(grid, (0, 0), (98, 98)).cost)
        many = find_many(grid, [(0, 0)] * 3, [(98, 98)] * 3, "hpa", cluster=5, levels=levels)
        assert many.path(2) == result.path
        assert clusters_of(grid, 5, levels).pool[0].path.shape[1] > len(result.path) > 2000
    pillars = np.ones((400, 400), bool)
    pillars[1::3, 1::3] = False
    grid = Grid(pillars)
    shut = grid.with_blocked([grid.cell((398, 399)), grid.cell((399, 398)), grid.cell((398, 398))])
    assert find_path(grid, (0, 0), (399, 399), "hpa", cluster=4, levels=1).is_solved
    lost = find_path(shut, (0, 0), (399, 399), "hpa", cluster=4, levels=1)
    assert lost.path is None
    assert lost.expanded > 10_000
    assert clusters_of(shut, 4, 1).pool[0].rows.size > 1024


def test_hpa_stays_near_the_optimum_on_a_game_map(movingai):
    grid = read_map(movingai / "single" / "lak303d.map")
    rows = read_queries(movingai / "single" / "lak303d.map.scen", grid)
    for options, mean, most in (
        ({}, 1.02, 1.5),
        ({"cluster": 10}, 1.01, 1.5),
        ({"cluster": 10, "smooth": False}, 1.1, 8),
    ):
        ratios = []
        for start, goal, length in zip(rows.starts, rows.goals, rows.lengths, strict=True):
            cost = find_path(grid, start, goal, "hpa", **options).cost
            assert (cost < math.inf) == (length > 0 or start == goal)
            if length > 0:
                assert cost > length - CLOSE
                ratios.append(cost / length)
        assert np.mean(ratios) <= mean
        assert max(ratios) <= most


# cliques and PRA*


@pytest.mark.plain
@given(grids)
def test_each_level_puts_neighbours_together_and_keeps_what_is_connected(grid):
    cliques = Cliques(grid)
    cells = free_cells(grid)
    below = {cell: legal_moves(grid, cell) for cell in cells}
    places = {cell: grid.place(cell) for cell in cells}
    for parents, graph, samples in zip(cliques.parents, cliques.graphs, cliques.cells, strict=True):
        groups = {}
        for node in below:
            groups.setdefault(int(parents[node]), []).append(node)
        assert sorted(groups) == list(range(len(samples)))
        for group, nodes in groups.items():
            core = [node for node in nodes if len(below[node]) != 1] or nodes
            assert len(core) <= 4
            for one, other in combinations(nodes, 2):
                # whoever does not know all others has a single neighbour, and is here because of that
                assert other in below[one] or 1 in (len(below[one]), len(below[other]))
            assert len(nodes) == 1 or all(any(other in below[node] for other in nodes) for node in nodes)
            mean = np.mean([places[node] for node in nodes], axis=0)
            assert (graph.x[group], graph.y[group]) == pytest.approx(tuple(mean))
        above = {group: set() for group in groups}
        for node, others in below.items():
            above[int(parents[node])] |= {int(parents[other]) for other in others} - {int(parents[node])}
        for group, others in above.items():
            edges = graph.target[graph.first[group] : graph.first[group + 1]].tolist()
            assert sorted(edges) == sorted(others)
        assert len(groups) < len(below) or not any(below.values())
        below = {group: sorted(others) for group, others in above.items()}
        places = {group: (graph.x[group], graph.y[group]) for group in groups}
    assert not any(below.values())
    tops = {cliques.ancestors(min(part))[-1] for part in flood_components(grid)}
    assert len(tops) == len(flood_components(grid)) == len(cliques.cells[-1])
    for level, samples in enumerate(cliques.cells):
        assert all(cliques.ancestors(cell)[level + 1] == node for node, cell in enumerate(samples.tolist()))


@pytest.mark.plain
def test_four_are_put_together_before_three_and_two_and_orphans_join_their_neighbour():
    rows = ["..@@", "....", "@@@."]
    cliques = Cliques(Grid([[sign == "." for sign in row] for row in rows]))
    groups = np.full(12, -1)
    free = [k for k in range(12) if "".join(rows)[k] == "."]
    groups[free] = cliques.parents[0][cliques.grid.free_cells]
    assert groups.reshape(3, 4).tolist() == [[0, 0, -1, -1], [0, 0, 1, 1], [-1, -1, -1, 1]]
    assert cliques.n_nodes == [2, 1]
    assert (cliques.parents[0] == NOWHERE).sum() == cliques.grid.n_cells - len(free)


@given(st.one_of(queries(), queries(terrain=True)), st.integers(0, 3), st.sampled_from([0, 1, 2, 9]), st.booleans())
def test_pra_finds_a_path_if_there_is_one(query, refine, level, wide):
    grid, start, goal = query
    best = dijkstra_costs(grid, start).get(goal, math.inf)
    options = {"refine": refine, "level": level, "wide": wide}
    rough = find_path(grid, grid.place(start), grid.place(goal), "pra", **options)
    smooth = find_path(grid, grid.place(start), grid.place(goal), "pra", smooth=True, **options)
    for result in (rough, smooth):
        assert result.is_solved == (best < math.inf)
        if result.is_solved:
            check_path(grid, start, goal, result)
    assert best - 1e-9 <= smooth.cost <= rough.cost + 1e-9
    assert len(set(rough.path or [])) == len(rough.path or [])


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_path_lies_below_a_cheapest_path_of_its_level(level):
    rng = np.random.default_rng(level)
    grid = Grid(rng.random((30, 30)) > 0.25)
    cliques = cliques_of(grid)
    n_tested = 0
    for start, goal in rng.choice(grid.free_cells, (30, 2)):
        result = find_path(grid, start, goal, "pra", level=level)
        ends = [cliques.ancestors(cell)[level] for cell in (start, goal)]
        if result.is_solved and ends[0] != ends[1]:
            near, far = (costs_in_graph(cliques.graphs[level - 1], end) for end in ends)
            for place in result.path:
                node = cliques.ancestors(grid.cell(place))[level]
                assert near[node] + far[node] == pytest.approx(near[ends[1]])
            n_tested += 1
    assert n_tested > 10


def costs_in_graph(graph, start):
    """The least costs from a node of a CsrGraph."""
    costs, queue = {}, [(0.0, start)]
    while queue:
        cost, node = heapq.heappop(queue)
        if node not in costs:
            costs[node] = cost
            for edge in range(graph.first[node], graph.first[node + 1]):
                heapq.heappush(queue, (cost + graph.weight[edge], int(graph.target[edge])))
    return costs


def test_partial_refinement_knows_its_first_steps_early():
    grid = Grid(np.ones((64, 64)))
    task = begin_path(grid, (0, 0), (63, 63), "pra", refine=1)
    whole = find_path(grid, (0, 0), (63, 63), "pra", refine=1)
    known = []
    while not task.advance(1).is_final:
        known.append(len(task.walked))
    assert known == sorted(known)
    assert known[whole.expanded // 2] > 5
    assert len(set(known)) > 5


def test_pra_says_what_it_cannot_do():
    grid = Grid(np.ones((4, 4)))
    with pytest.raises(BadInput, match="refine must be from 0"):
        find_path(grid, (0, 0), (3, 3), "pra", refine=-1)
    with pytest.raises(BadInput, match="level must be from 0"):
        find_path(grid, (0, 0), (3, 3), "pra", level=-1)


def test_pra_expands_less_than_astar_and_stays_near_it_on_a_game_map(movingai):
    grid = read_map(movingai / "single" / "lak303d.map")
    rows = read_queries(movingai / "single" / "lak303d.map.scen", grid)
    chosen = np.flatnonzero(rows.lengths > 50)[::10]
    expanded = {}
    for options, mean in (({}, 1.12), ({"refine": 4}, 1.15), ({"wide": True}, 1.02)):
        results = [find_path(grid, rows.starts[k], rows.goals[k], "pra", **options) for k in chosen]
        assert np.mean([r.cost / rows.lengths[k] for r, k in zip(results, chosen, strict=True)]) <= mean
        expanded[str(options)] = sum(r.expanded for r in results)
    plain = sum(find_path(grid, rows.starts[k], rows.goals[k]).expanded for k in chosen)
    assert all(number < plain / 2 for number in expanded.values())
    assert expanded["{}"] < expanded["{'wide': True}"]
