"""Edits of a world while agents are in it: nodes keep their numbers, and what is undone is as it was."""

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.codes import BLOCK, CLOSE, FREE, MOVE, OPEN
from wayfolk.world.body import Body
from wayfolk.world.edits import after_edits, edited
from wayfolk.world.graph import Graph
from wayfolk.world.roadmap import Lane
from wayfolk.world.state_graph import states_of

LANES = [Lane("a", "b"), Lane("a", "b", length=9.0), Lane("b", "c", one_way=True), Lane("c", "a")]
ROADS = wf.Roadmap({"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.0, 1.0)}, LANES)


def edges(states):
    return [(states.place(one), states.place(other)) for one, other in states.edges]


def test_closed_lanes_open_again():
    """All lanes from a to b close at once, and those back stay open."""
    states = states_of(ROADS, (Body(),))
    shut = states.with_edges_closed([states.edge("a", "b"), states.edge("b", "c")])
    assert set(edges(states)) - set(edges(shut)) == {("a", "b"), ("b", "c")}
    assert shut.closed == {states.edge("a", "b"), states.edge("b", "c")}
    again = shut.with_edges_opened([states.edge("a", "b")])
    assert set(edges(states)) - set(edges(again)) == {("b", "c")}
    whole = again.with_edges_opened([states.edge("b", "c"), states.edge("c", "a")])
    assert edges(whole) == edges(states)
    assert not whole.closed


def test_nodes_of_slow_bodies_keep_their_numbers_when_lanes_close():
    states = states_of(ROADS, (Body(speed=1 / 3),))
    shut = states.with_edges_closed([states.edge("a", "b")])
    assert shut.n_cells == states.n_cells
    kept = np.flatnonzero(shut._free)
    assert len(kept) == states._free.sum() - 2  # those on the lane that has closed
    assert [shut.place(node) for node in kept] == [states.place(node) for node in kept]


def test_a_graph_closes_edges_by_the_names_of_their_ends():
    graph = Graph([0, 2, 3, 3], [1, 2, 0], [1.0, 2.0, 3.0], names=["x", "y", "z"])
    shut = graph.with_closed([("x", "z")])
    assert shut.edges == [(0, 1), (1, 0)]
    assert shut.graph.weight.tolist() == [1.0, 3.0]
    assert shut.with_closed([]).edges == shut.edges
    with pytest.raises(BadInput, match="no edge leads from 'z' to 'x'"):
        graph.with_closed([("z", "x")])


def test_worlds_with_cells_have_no_lanes():
    states = states_of(wf.Grid([[1] * 3] * 3), (Body(size=2),))
    with pytest.raises(BadProblem, match="this world has no lanes to close and open: block and free its cells"):
        states.edge((0, 0), (1, 0))


@pytest.mark.parametrize("kind", twin.WORLDS)
def test_rows_of_edits_are_edits_in_their_order(kind):
    """What is closed or blocked and then opened or freed again is as it was at the start."""
    states = twin.drawn_problem(kind, 5).states
    has_cells = hasattr(states.world, "with_blocked")
    spots = [int(states.world.free_cells[0]), int(states.world.free_cells[-1])]
    if not has_cells:
        spots = [states.edge(*(states.world.place(end) for end in ends)) for ends in states.world.edges[:2]]
    away, back = (BLOCK, FREE) if has_cells else (CLOSE, OPEN)
    kinds = np.array([away, MOVE, away, back, back], np.uint8)
    cells = np.array([spots[0], 0, spots[1], spots[1], spots[0]], np.int32)
    assert edges(after_edits(states, kinds, cells)) == edges(states)
    half = after_edits(states, kinds[:4], cells[:4])
    assert edges(half) == edges(edited(states, away, spots[:1]))
    assert half.n_cells == states.n_cells
    assert len(half.edges) < len(states.edges)
