"""The lower bounds by which Reverse Resumable A* looks towards its aim."""

import numpy as np
import pytest

import body_reference
import wayfolk as wf
from wayfolk.kernels import rra
from wayfolk.kernels.rra_moves import least_cost
from wayfolk.world.body import Body
from wayfolk.world.spots import steps_to

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("kind", body_reference.WORLDS)
def test_on_states_bounds_are_low_and_change_by_a_step_at_most(kind):
    n_useful = 0
    for number in range(8):
        states = body_reference.drawn_problem(kind, number).states
        moves = rra.moves_of(rra.new_state_rra(states, 1))
        goals = np.flatnonzero(states.stand_of == np.arange(states.n_cells))[:4]
        for goal in goals.tolist():
            least = [int(least_cost(moves, node, goal)) for node in range(states.n_cells)]
            assert least[goal] == 0
            truth = steps_to(states, goal)
            for node, other in zip(states.sources.tolist(), states.graph.target.tolist(), strict=True):
                assert abs(least[node] - least[other]) <= 1
            assert all(least[node] <= truth[node] for node in range(states.n_cells))
            n_useful += sum(one > 1 for one in least)
    assert n_useful


@pytest.mark.parametrize(("moves", "steps"), [("four", 7), ("eight", 5)])
def test_on_an_empty_map_bounds_are_exact(moves, steps):
    grid = wf.Grid(np.ones((9, 9)), moves)
    states = wf.one_shot(grid, [(1, 1)], [(6, 3)], bodies=Body(size=2)).states
    ends = states.node((1, 1)), states.node((6, 3))
    assert least_cost(rra.moves_of(rra.new_state_rra(states, 1)), *ends) == steps


def test_without_positions_bounds_are_zero():
    graph = wf.Graph([0, 1, 2, 2], [1, 2], [1.0, 1.0])
    states = wf.one_shot(graph, [0], [2]).states
    moves = rra.moves_of(rra.new_state_rra(states, 1))
    assert [least_cost(moves, node, 2) for node in range(3)] == [0, 0, 0]
