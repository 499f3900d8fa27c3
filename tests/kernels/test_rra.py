"""Reverse Resumable A*: exact whenever it answers, and no cell expanded twice."""

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import body_reference
import wayfolk as wf
from reference import dijkstra_costs, picture, small_grids, steps_from
from wayfolk.kernels import field_store, rra
from wayfolk.kernels.rra import UNREACHABLE
from wayfolk.world.grid import Grid
from wayfolk.world.spots import steps_to

pytestmark = pytest.mark.plain

COSTS = {"four": (1, 2), "eight": (1, 1), "eight_cutting": (1, 1)}


@st.composite
def questions(draw, **options):
    """A small world, a goal and a start, and cells to ask about in some order, walls among them."""
    grid = draw(small_grids(cliffs=True, show=False, **options))
    free = st.sampled_from(grid.free_cells.tolist())
    goal, start = draw(free), draw(free)
    note(picture(grid, [start], [goal]))
    return grid, goal, start, draw(st.lists(st.integers(0, grid.n_cells - 1), max_size=12))


def begin(grid, goal, start, costs):
    search = rra.new_rra(grid, 1, *costs)
    rra.aim(search, 0, goal, start)
    return search


def seen_cells(search, agent=0):
    """{cell: (g, whether it has been expanded)} of what has been generated."""
    values = field_store.values(search.store, agent, len(search.legal))
    return {int(c): (int(values[c]) // 2 - 1, bool(values[c] & 1)) for c in np.flatnonzero(values)}


def open_cells(search, agent=0):
    """{cell: g} of what has been generated and not expanded."""
    return {cell: g for cell, (g, is_closed) in seen_cells(search, agent).items() if not is_closed}


@given(questions())
def test_every_answer_is_the_true_number_of_steps(question):
    grid, goal, start, cells = question
    search, truth = begin(grid, goal, start, COSTS[grid.moves.value]), steps_from(grid, goal)
    for cell in [start, *cells, *range(grid.n_cells)]:
        assert rra.distance(search, 0, cell) == truth.get(cell, UNREACHABLE)


@given(questions())
def test_every_answer_is_the_true_cost_where_diagonals_take_longer(question):
    grid, goal, start, cells = question
    search = begin(grid, goal, start, (12, 24 if grid.moves.value == "four" else 17))
    truth = dijkstra_costs(Grid(grid.free, grid.moves, links=grid.links, diagonal=17 / 12), goal)
    for cell in [start, *cells]:
        assert rra.distance(search, 0, cell) == (round(12 * truth[cell]) if cell in truth else UNREACHABLE)


def test_a_cell_that_was_only_generated_is_not_believed():
    grid = Grid(np.ones((2, 3)), "four")
    goal, start = grid.cell((2, 1)), grid.cell((0, 0))
    search, truth = begin(grid, goal, start, (1, 2)), steps_from(grid, goal)
    assert rra.distance(search, 0, start) == 3
    wrong = {cell for cell, g in open_cells(search).items() if g > truth[cell]}
    assert wrong  # reached through the start, the long way round
    for cell in wrong:
        assert rra.distance(search, 0, cell) == truth[cell]


@given(questions())
def test_no_cell_is_expanded_twice(question):
    grid, goal, start, cells = question
    search, reached = begin(grid, goal, start, COSTS[grid.moves.value]), steps_from(grid, goal)
    before = 0
    for cell in cells:
        known = seen_cells(search).get(cell, (0, False))[1]
        rra.distance(search, 0, cell)
        spent = rra.expansions(search, 0)
        assert (spent > before) <= (not known)
        before = spent
        closed = len(seen_cells(search)) - len(open_cells(search))
        assert spent == closed  # each expansion has closed another cell
    rra.distance(search, 0, 0)  # a wall: everything is looked at
    assert rra.expansions(search, 0) == len(reached)
    rra.distance(search, 0, 0)
    assert rra.expansions(search, 0) == len(reached)


def test_it_looks_towards_the_aim_only_as_far_as_asked():
    grid = Grid(np.ones((30, 30)), "four")
    search = begin(grid, grid.cell((10, 15)), grid.cell((20, 15)), (1, 2))
    assert rra.distance(search, 0, grid.cell((20, 15))) == 10
    assert rra.expansions(search, 0) == 11


def test_the_aim_stays_when_it_is_asked_from_elsewhere():
    grid = Grid(np.ones((9, 9)))
    goal, start, elsewhere = (grid.cell(place) for place in ((4, 4), (8, 4), (0, 0)))
    one, two = (begin(grid, goal, start, (1, 1)) for _ in range(2))
    for cell in (start, elsewhere, grid.cell((0, 8))):
        rra.aim(two, 0, goal, cell)
        assert rra.distance(one, 0, cell) == rra.distance(two, 0, cell) == 4
    assert rra.expansions(one, 0) == rra.expansions(two, 0) > 0
    assert seen_cells(one) == seen_cells(two)


@given(questions(), st.data())
def test_a_new_goal_begins_a_new_search(question, data):
    grid, goal, start, cells = question
    search = begin(grid, goal, start, COSTS[grid.moves.value])
    for cell in cells:
        rra.distance(search, 0, cell)
    other = data.draw(st.sampled_from([c for c in grid.free_cells.tolist() if c != goal] or [goal]))
    rra.aim(search, 0, other, start)
    assert other == goal or rra.expansions(search, 0) == 0
    fresh = begin(grid, other, start, COSTS[grid.moves.value])
    for cell in [start, *cells]:
        assert rra.distance(search, 0, cell) == rra.distance(fresh, 0, cell)
    assert other == goal or rra.expansions(search, 0) == rra.expansions(fresh, 0)


@pytest.mark.parametrize(("moves", "costs"), [("four", (12, 24)), ("eight", (12, 17)), ("eight", (1, 1))])
def test_goal_after_goal_on_a_larger_map(moves, costs):
    rng = np.random.default_rng(6)
    grid = Grid(rng.random((16, 16)) > 0.25, moves, diagonal=costs[1] / costs[0] if moves == "eight" else 2)
    search = rra.new_rra(grid, 1, *costs)
    for goal, start in rng.choice(grid.free_cells, (12, 2)):
        rra.aim(search, 0, goal, start)
        truth = dijkstra_costs(grid, goal)
        for cell in [start, *rng.choice(list(truth), 4)]:  # never all of them, so that much is left open
            assert rra.distance(search, 0, cell) == (round(costs[0] * truth[cell]) if cell in truth else UNREACHABLE)


def test_agents_search_on_their_own():
    grid = Grid(np.ones((5, 5)), "four")
    search = rra.new_rra(grid, 3, 1, 2)
    goals = [grid.cell(place) for place in ((0, 0), (4, 4), (0, 0))]
    for agent, goal in enumerate(goals):
        rra.aim(search, agent, goal, grid.cell((2, 2)))
    assert rra.distance(search, 0, grid.cell((4, 0))) == 4
    assert [rra.expansions(search, agent) > 0 for agent in range(3)] == [True, False, False]
    for agent, goal in enumerate(goals):
        truth = steps_from(grid, goal)
        assert [rra.distance(search, agent, cell) for cell in grid.free_cells] == [truth[c] for c in grid.free_cells]


@pytest.mark.parametrize("kind", body_reference.WORLDS)
def test_on_states_every_answer_is_the_true_number_of_steps(kind):
    for number in range(8):
        problem = body_reference.drawn_problem(kind, number)
        states = problem.states
        search = rra.new_state_rra(states, problem.n_agents)
        for agent, (start, goal) in enumerate(zip(problem.starts, problem.goals, strict=True)):
            rra.aim(search, agent, goal, start)
            truth = steps_to(states, int(goal))
            for node in [int(start), *range(states.n_cells)]:
                assert rra.distance(search, agent, node) == truth[node]


def test_on_states_a_store_without_room_forgets_and_searches_again():
    states = wf.one_shot(wf.Voxels(np.ones((6, 6, 6), bool), 26), [(0, 0, 0)], [(1, 1, 1)]).states
    search = rra.new_state_rra(states, 30, memory=1)
    goals = np.random.default_rng(1).choice(states.n_cells, 30, replace=False).tolist()
    for _ in range(2):
        for agent, goal in enumerate(goals):
            rra.aim(search, agent, goal, 0)
            truth = steps_to(states, goal)
            assert all(rra.distance(search, agent, node) == truth[node] for node in range(states.n_cells))
    assert search.store.counts[field_store.LOST] > 0
