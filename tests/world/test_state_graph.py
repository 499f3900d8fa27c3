"""Which places nodes and moves occupy: the tables compared with the plain rule, on random tiny worlds of each kind."""

import itertools

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.errors import BadInput, BadProblem
from wayfolk.world.body import Body
from wayfolk.world.state_graph import StateGraph, states_of

N_WORLDS = 25


def moves_of(graph, node):
    """The rows and targets of all moves of a node, the last one to stay."""
    table = graph.occupancy
    rows = list(range(table.first[node], table.first[node + 1]))
    return [(row, int(table.target[row])) for row in rows] + [(len(table.target) + node, node)]


def places(first, values, row):
    return set(values[first[row] : first[row + 1]].tolist())


@pytest.mark.plain
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_moves_and_places_are_those_of_the_plain_rule(kind):
    for number in range(N_WORLDS):
        problem = twin.drawn_problem(kind, number)
        graph, world = problem.states, problem.world
        table = graph.occupancy
        assert not set(table.node_places.tolist()) & set(table.move_places.tolist())
        rng = np.random.default_rng(number)
        nodes = rng.permutation(graph.free_cells)[:12].tolist()
        states = {node: twin.state_of(problem, node) for node in graph.free_cells.tolist()}
        kinds = {node: problem.kinds[graph.kind_of(node)] for node in nodes}
        for node in nodes:
            expected = set(twin.following(world, kinds[node], states[node]))
            assert {states[there] for _, there in moves_of(graph, node)} == expected
        for one, other in itertools.combinations_with_replacement(nodes, 2):
            held = [places(table.node_first, table.node_places, node) for node in (one, other)]
            apart = not held[0] & held[1]
            assert apart != twin.overlap(world, kinds[one], states[one], kinds[other], states[other])
            if not apart:
                continue
            for (row, to), (row2, to2) in itertools.product(moves_of(graph, one), moves_of(graph, other)):
                held = [places(table.move_first, table.move_places, number) for number in (row, row2)]
                ends = [places(table.node_first, table.node_places, node) for node in (to, to2)]
                ours, theirs = (states[one], states[to]), (states[other], states[to2])
                assert bool(held[0] & held[1] or ends[0] & ends[1]) == twin.clash(
                    world, kinds[one], ours, kinds[other], theirs
                )


@pytest.mark.plain
def test_points_on_a_grid_need_no_graph_of_states():
    grid = wf.Grid(np.ones((3, 3)))
    assert states_of(grid, (Body(),)) is grid
    assert wf.one_shot(grid, [(0, 0)], [(2, 2)]).states is grid


@pytest.mark.plain
def test_nodes_keep_their_numbers_when_the_world_changes():
    grid = wf.Grid(np.ones((4, 5)))
    for kinds in ([Body(size=2), Body()], [Body(turns=True)], [Body(speed=0.5)]):
        before = StateGraph(grid, kinds)
        after = before.with_blocked([grid.cell((2, 2))])
        assert after.n_cells == before.n_cells
        assert [after.place(int(node)) for node in after.free_cells] == [
            before.place(int(node)) for node in after.free_cells
        ]
        again = after.with_freed([grid.cell((2, 2))])
        assert (again.free_cells == before.free_cells).all()
        assert (again.graph.target == before.graph.target).all()
    roads = wf.Roadmap({"a": (0, 0), "b": (1, 0), "c": (2, 0)}, [("a", "b"), ("b", "c")])
    before = StateGraph(roads, [Body(radius=0.2, speed=0.5)])
    after = before.with_world(roads.with_closed([("a", "b")]))
    on_the_way = [node for node in after.free_cells.tolist() if after.whereabouts(np.array([node])).share[0]]
    assert {after.place(node)[:2] for node in on_the_way} == {("b", "a"), ("b", "c"), ("c", "b")}
    assert all(after.place(node) == before.place(node) for node in on_the_way)


@pytest.mark.plain
def test_places_have_names_for_people():
    grid = wf.Grid(np.ones((3, 3)), "four")
    turning = StateGraph(grid, [Body(turns=True)])
    assert turning.place(turning.node((1, 2))) == (1, 2, "E")
    assert turning.place(turning.node((1, 2, "N"))) == (1, 2, "N")
    with pytest.raises(BadProblem, match="a heading on this map is E, S, W, N, not 'NE'"):
        turning.node((1, 2, "NE"))
    slow = StateGraph(grid, [Body(speed=0.5)])
    names = {str(slow.place(int(node))) for node in slow.free_cells}
    assert "OnTheWay(start=(0, 0), end=(1, 0), share=0.5)" in names


@pytest.mark.plain
@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"size": 0}, "the size of a body is a whole number of cells from 1 to 64, not 0"),
        ({"size": 1.5}, "the size of a body is a whole number of cells from 1 to 64, not 1.5"),
        ({"radius": -1.0}, "the radius of a body is 0 or more, not -1.0"),
        ({"radius": float("nan")}, "the radius of a body is 0 or more, not nan"),
        ({"speed": 0.4}, "the speed of a body is 1, 1/2, 1/3 and so on down to 1/16, not 0.4"),
        ({"speed": 0}, "the speed of a body is 1, 1/2, 1/3 and so on down to 1/16, not 0"),
    ],
)
def test_bodies_that_cannot_be(body, sentence):
    with pytest.raises(BadInput) as error:
        Body(**body)
    assert str(error.value) == sentence


@pytest.mark.plain
def test_problems_that_cannot_be_name_the_agent():
    grid = wf.Grid(np.ones((4, 4)))
    with pytest.raises(BadProblem, match=r"agent 0 starts at \(3, 0\), where there is no room for its size of 2 x 2"):
        wf.one_shot(grid, [(3, 0)], [(0, 0)], bodies=Body(size=2))
    with pytest.raises(BadProblem, match=r"agents 0 and 1 overlap at their starts \(0, 0\) and \(1, 1\)"):
        wf.one_shot(grid, [(0, 0), (1, 1)], [(2, 2), (0, 0)], bodies=[Body(size=2), Body()])
    with pytest.raises(BadProblem, match="there are 2 agents and 1 bodies"):
        wf.one_shot(grid, [(0, 0), (1, 1)], [(2, 2), (0, 0)], bodies=[Body(size=2)])
    with pytest.raises(BadProblem, match=r"a body on a grid has a size, not the radius 0\.5"):
        wf.one_shot(grid, [(0, 0)], [(2, 2)], bodies=Body(radius=0.5))
    roads = wf.Roadmap({"a": (0, 0), "b": (1, 0)}, [("a", "b")])
    with pytest.raises(BadProblem, match="agents 0 and 1 overlap at their starts a and b"):
        wf.one_shot(roads, ["a", "b"], ["b", "a"], bodies=Body(radius=0.6))
    with pytest.raises(BadProblem, match="a body with a size needs a square grid"):
        wf.one_shot(roads, ["a"], ["b"], bodies=Body(size=2))
    with pytest.raises(BadProblem, match="a body with a radius needs a graph whose nodes have positions"):
        wf.one_shot(wf.Roadmap(["a", "b"], [("a", "b")]), ["a"], ["b"], bodies=Body(radius=0.1))
    with pytest.raises(BadProblem, match="the graph has no node 'z'"):
        wf.one_shot(roads, ["a"], ["z"])
