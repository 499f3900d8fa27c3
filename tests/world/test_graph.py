"""Graph: what it refuses, to networkx and back, the same moves as a grid, and heuristics that never overestimate."""

import heapq
import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from reference import dijkstra_costs, legal_moves, small_grids, step_cost
from wayfolk.algorithms.paths import find_path
from wayfolk.algorithms.search._best_first import best_heuristic, never_overestimates
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import HEURISTICS, cost, heuristic, slots, there
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

LINE = ([0, 1, 2, 2], [1, 2], [1.0, 2.5])  # node 0 to 1 to 2


def edges(graph):
    """[(from, to, cost)] of what searches see."""
    listed = []
    for cell in range(graph.n_cells):
        for k in range(slots(graph.graph, cell)):
            if there(graph.graph, cell, k) != NOWHERE:
                listed.append((cell, int(there(graph.graph, cell, k)), float(cost(graph.graph, cell, k))))
    return listed


def costs_from(n_nodes, listed, start):
    """Dijkstra over a list of edges."""
    costs, queue = {}, [(0.0, start)]
    while queue:
        spent, node = heapq.heappop(queue)
        if costs.setdefault(node, spent) == spent:
            for one, other, more in listed:
                if one == node and other not in costs:
                    heapq.heappush(queue, (spent + more, other))
    return [costs.get(node, math.inf) for node in range(n_nodes)]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("first", "target", "weight"),
    [
        ([], [], []),
        ([0], [], []),
        ([1, 2], [0], [1.0]),  # does not begin at 0
        ([0, 2], [0], [1.0]),  # promises more edges than there are
        ([0, 2, 1, 3], [0, 1, 2], [1.0, 1.0, 1.0]),  # falls
        ([0, 1], [0], []),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(first, target, weight):
    with pytest.raises(BadInput, match="the edges are not in CSR form: first, target and weight do not fit together"):
        Graph(first, target, weight)


@pytest.mark.plain
@pytest.mark.parametrize("target", [-1, 2, 7])
def test_an_edge_to_nowhere_is_named(target):
    with pytest.raises(BadInput, match=f"an edge leads to node {target}, of 2 nodes"):
        Graph([0, 1, 2], [1, target], [1.0, 1.0])


@pytest.mark.plain
@pytest.mark.parametrize("bad", [-0.5, math.nan, math.inf])
def test_an_edge_with_an_impossible_cost_is_named(bad):
    with pytest.raises(BadInput, match=f"the edge from node 2 to 0 costs {bad}: it must be 0 or more"):
        Graph([0, 1, 1, 2], [1, 0], [1.0, bad])


@pytest.mark.plain
@pytest.mark.parametrize("names", ["ab", "abcd", "aab"])
def test_names_must_be_as_many_and_different(names):
    with pytest.raises(BadInput, match="3 nodes need 3 different names"):
        Graph(*LINE, names=list(names))


@pytest.mark.plain
@pytest.mark.parametrize("positions", [[(0, 0), (1, 1)], [(0, 0, 0, 0)] * 3, [0, 1, 2]])
def test_positions_have_two_or_three_coordinates_for_each_node(positions):
    with pytest.raises(BadInput, match="3 nodes"):
        Graph(*LINE, positions)


@pytest.mark.plain
def test_the_first_edge_that_leads_one_way_is_named():
    assert Graph([0, 1, 3, 4], [1, 0, 2, 1], [1.0] * 4).one_way_edge is None
    assert Graph([0, 1, 3, 4], [1, 0, 2, 0], [1.0] * 4).one_way_edge == (1, 2)


def test_an_unknown_node_is_named():
    graph = Graph(*LINE, names=["a", "b", ("c", 1)])
    assert [graph.cell(name) for name in ("a", "b", ("c", 1))] == [0, 1, 2]
    assert graph.place(2) == ("c", 1)
    for unknown in ("d", 0, ["a"]):
        with pytest.raises(BadProblem, match="the graph has no node"):
            graph.cell(unknown)
    with pytest.raises(BadProblem, match="the graph has no node 'z'"):
        find_path(graph, "a", "z")


@pytest.mark.plain
def test_a_graph_shows_itself():
    assert repr(Graph(*LINE)) == "Graph(3 nodes, 2 edges)"


@pytest.mark.plain
@given(small_grids(terrain=True, cliffs=True))
def test_a_grid_as_a_graph_has_the_same_moves_and_costs(grid):
    graph = Graph.from_grid(grid)
    assert graph.names == [grid.place(cell) for cell in grid.free_cells]
    expected = {
        (number, graph.cell(grid.place(other))): step_cost(grid, cell, other)
        for number, cell in enumerate(grid.free_cells)
        for other in legal_moves(grid, cell)
    }
    assert len(edges(graph)) == len(expected)
    assert {(one, other): price for one, other, price in edges(graph)} == pytest.approx(expected)


@pytest.mark.plain
@given(small_grids(terrain=True, cliffs=True), st.sampled_from([1.0, 1.42, math.sqrt(2), 2.0]), st.data())
def test_no_trusted_heuristic_overestimates_on_a_grid(grid, diagonal, data):
    grid = Grid(grid.free, grid.moves, costs=grid.costs, links=grid.links, diagonal=diagonal)
    goal = data.draw(st.sampled_from(grid.free_cells.tolist()))
    trusted = [name for name in HEURISTICS if never_overestimates(grid, name)]
    assert best_heuristic(grid) in trusted
    for cell, truth in dijkstra_costs(grid, goal).items():
        heuristics = {name: heuristic(grid.graph, cell, goal, HEURISTICS[name]) for name in trusted}
        assert max(heuristics.values()) <= truth + 1e-9
        assert heuristics[best_heuristic(grid)] == max(heuristics.values())  # and the best is the largest of them


@pytest.mark.plain
@given(st.integers(1, 5), st.data())
def test_no_trusted_heuristic_overestimates_on_a_graph(n_nodes, data):
    node, number = st.integers(0, n_nodes - 1), st.integers(-3, 3)
    listed = sorted(data.draw(st.lists(st.tuples(node, node, st.integers(0, 9).map(lambda tenth: tenth / 3)))))
    positions = data.draw(st.lists(st.tuples(number, number), min_size=n_nodes, max_size=n_nodes))
    first = np.searchsorted([one for one, _, _ in listed], range(n_nodes + 1))
    graph = Graph(first, [other for _, other, _ in listed], [price for _, _, price in listed], positions)
    note(f"{listed} at {positions}")
    assert edges(graph) == listed
    trusted = [name for name in HEURISTICS if never_overestimates(graph, name)]
    assert best_heuristic(graph) in trusted
    for start in range(n_nodes):
        for goal, truth in enumerate(costs_from(n_nodes, listed, start)):
            assert all(heuristic(graph.graph, start, goal, HEURISTICS[name]) <= truth + 1e-9 for name in trusted)


def city(kind, seed=0, places=True):
    """A random networkx graph with places, in which some edges have no weight."""
    rng = np.random.default_rng(seed)
    network = kind()
    for node in range(12):
        network.add_node(f"n{node}", **({"pos": tuple(rng.uniform(0, 10, 2))} if places else {}))
    for one, other in rng.integers(0, 12, (40, 2)):
        network.add_edge(f"n{one}", f"n{other}", **({"weight": float(rng.uniform(1, 9))} if rng.random() < 0.8 else {}))
    return network


def cheapest(original, one, other):
    """The least weight of the edges from `one` to `other`."""
    data = original[one][other]
    return min(option.get("weight", 1.0) for option in (data.values() if original.is_multigraph() else [data]))


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_shortest_paths_are_those_of_networkx(kind):
    original = city(kind)
    graph = Graph.from_networkx(original)
    for start in original:
        lengths = nx.single_source_dijkstra_path_length(original, start)
        for goal in original:
            result = find_path(graph, start, goal)
            assert result.cost == pytest.approx(lengths.get(goal, math.inf))
            if goal in lengths:
                assert sum(cheapest(original, *step) for step in pairwise(result.path)) == pytest.approx(result.cost)


@pytest.mark.plain
@pytest.mark.parametrize("places", [True, False])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_there_and_back_again_nothing_is_lost(kind, places):
    original = city(kind, seed=1, places=places)
    back = Graph.from_networkx(original).to_networkx()
    assert dict(back.nodes(data=True)) == dict(original.nodes(data=True))
    expected = {(a, b): data.get("weight", 1.0) for a, b, data in original.to_directed().edges(data=True)}
    assert {(a, b): data["weight"] for a, b, data in back.edges(data=True)} == expected


@pytest.mark.plain
def test_of_parallel_edges_the_cheapest_counts():
    many = nx.MultiDiGraph()
    many.add_edge("a", "b", weight=5.0)
    many.add_edge("a", "b", weight=2.0)
    many.add_edge("a", "b", weight=7.0)
    assert edges(Graph.from_networkx(many)) == [(0, 1, 2.0)]
    parallel = Graph([0, 3, 3], [1, 1, 1], [5.0, 2.0, 7.0], names=["a", "b"])
    assert find_path(parallel, "a", "b").cost == 2.0
    assert parallel.to_networkx()["a"]["b"]["weight"] == 2.0


@pytest.mark.plain
def test_other_attributes_may_be_used():
    original = nx.DiGraph()
    original.add_node("a", at=(0, 0))
    original.add_node("b", at=(3, 4))
    original.add_edge("a", "b", toll=6.0, weight=1.0)
    graph = Graph.from_networkx(original, weight="toll", pos="at")
    assert edges(graph) == [(0, 1, 6.0)]
    assert graph.positions.tolist() == [[0, 0], [3, 4]]
    assert heuristic(graph.graph, 0, 1, HEURISTICS["euclidean"]) == pytest.approx(6.0)


@pytest.mark.plain
def test_a_networkx_graph_without_nodes_is_refused():
    with pytest.raises(BadInput, match="the graph has no nodes"):
        Graph.from_networkx(nx.Graph())


@pytest.mark.plain
def test_places_count_only_if_every_node_has_one():
    original = nx.path_graph(2)
    original.nodes[0]["pos"] = (0, 0)
    graph = Graph.from_networkx(original)
    assert graph.positions is None
    assert heuristic(graph.graph, 0, 1, HEURISTICS["euclidean"]) == 0.0
