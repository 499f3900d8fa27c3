"""Distances in steps: whole fields, fields grown as far as they are asked, and connected parts."""

import re

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from reference import flood_components, small_grids, steps_from
from wayfolk.errors import TooLarge
from wayfolk.kernels.distance import (
    UNREACHED,
    fewest_steps,
    grow_all,
    label_components,
    new_fields,
    restart,
    steps_between,
    steps_to,
)
from wayfolk.world.grid import Grid

DONE, USED = 0, 1  # places in `spans`
WORLDS = small_grids(cliffs=True)


def expected(grid, goal):
    """The steps to `goal` from every cell, walls included."""
    known = steps_from(grid, goal)
    return [known.get(cell, UNREACHED) for cell in range(grid.n_cells)]


def some_cells(draw, grid, **size):
    return draw(st.lists(st.sampled_from(grid.free_cells.tolist()), min_size=1, **size))


@pytest.mark.plain
@given(WORLDS, st.data())
def test_one_field_is_a_flood(grid, data):
    (goal,) = some_cells(data.draw, grid, max_size=1)
    assert steps_to(grid, goal).tolist() == expected(grid, goal)


@pytest.mark.plain
@given(WORLDS, st.data())
def test_whatever_is_asked_in_whatever_order_is_exact(grid, data):
    goals = some_cells(data.draw, grid, max_size=3)
    fields, known = new_fields(grid, np.array(goals)), [steps_from(grid, goal) for goal in goals]
    for cell in data.draw(st.permutations(range(grid.n_cells))):
        k = data.draw(st.integers(0, len(goals) - 1))
        assert steps_between(fields, k, cell) == known[k].get(cell, UNREACHED)
        for field, truth in zip(fields.steps, known, strict=True):
            assert all(truth[stored] == field[stored] - 1 for stored in np.flatnonzero(field))


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_a_near_question_does_not_grow_the_whole_field(moves):
    grid = Grid(np.ones((40, 40)), moves)
    goal = grid.cell((20, 20))
    fields, truth = new_fields(grid, np.array([goal])), list(steps_from(grid, goal).values())
    for far in range(6):
        assert steps_between(fields, 0, grid.cell((20 + far, 20))) == far
        done, used = fields.spans[0]
        assert done <= sum(steps < far for steps in truth)
        assert used <= sum(steps <= far for steps in truth)
        assert np.count_nonzero(fields.steps) == used
    before = fields.spans.copy()
    assert steps_between(fields, 0, grid.cell((20, 17))) == 3
    assert (fields.spans == before).all()  # it had been there


def test_no_cell_is_expanded_twice():
    grid = Grid(np.random.default_rng(0).random((15, 15)) > 0.2)
    fields = new_fields(grid, grid.free_cells[:1])
    reached = len(steps_from(grid, grid.free_cells[0]))
    for _ in range(2):
        for cell in grid.free_cells:
            steps_between(fields, 0, cell)
        assert fields.spans[0].tolist() == [reached, reached]
        assert len(set(fields.queue[0, :reached].tolist())) == reached


@given(WORLDS, st.data())
def test_all_fields_grown_at_once_are_the_same(grid, data):
    goals = some_cells(data.draw, grid, max_size=5)
    fields = new_fields(grid, np.array(goals))
    steps_between(fields, 0, grid.free_cells[-1])  # one has begun already
    grow_all(fields)
    assert (fields.spans[:, DONE] == fields.spans[:, USED]).all()
    for k, goal in enumerate(goals):
        assert [steps - 1 if steps else UNREACHED for steps in fields.steps[k]] == expected(grid, goal)


@pytest.mark.plain
@given(WORLDS, st.data())
def test_a_field_begun_again_forgets_the_old_goal_and_leaves_others_alone(grid, data):
    old, new, other = (some_cells(data.draw, grid, max_size=1)[0] for _ in range(3))
    fields = new_fields(grid, np.array([old, other]))
    for cell in some_cells(data.draw, grid):
        steps_between(fields, 0, cell)
        steps_between(fields, 1, cell)
    before = fields.steps[1].copy()
    restart(fields, 0, new)
    assert [steps_between(fields, 0, cell) for cell in range(grid.n_cells)] == expected(grid, new)
    assert (fields.steps[1] == before).all()


@pytest.mark.parametrize(("length", "kind"), [(32766, np.int16), (32767, np.int32)])
def test_small_numbers_are_used_just_as_long_as_they_suffice(length, kind):
    grid = Grid(np.ones((1, length)))
    fields = new_fields(grid, grid.free_cells[:1])
    assert fields.steps.dtype == kind
    assert steps_between(fields, 0, grid.free_cells[-1]) == length - 1


def test_too_large_a_job_is_refused_in_a_sentence():
    grid = Grid(np.ones((300, 400)))
    need = 5 * 300 * 400 * 8  # a distance and a place in the queue for each free cell
    assert new_fields(grid, grid.free_cells[:5], max_bytes=need).steps.dtype == np.int32
    with pytest.raises(TooLarge, match="distance fields for 5 goals could need"):
        new_fields(grid, grid.free_cells[:5], max_bytes=need - 1)
    with pytest.raises(TooLarge, match=re.escape("for 5000 goals could need 4.8 GB, 1.0 GB are free")):
        new_fields(grid, np.zeros(5000, np.int32), max_bytes=10**9)


@pytest.mark.plain
@given(WORLDS, st.data())
def test_pairs_are_as_far_apart_as_fields_say(grid, data):
    free = st.sampled_from(grid.free_cells.tolist())
    pairs = data.draw(st.lists(st.tuples(free, free), max_size=5))
    starts, goals = np.array(pairs, np.int32).reshape(-1, 2).T.copy()
    steps = fewest_steps(grid, starts, goals)
    assert steps.tolist() == [steps_from(grid, goal).get(start, UNREACHED) for start, goal in pairs]


@pytest.mark.plain
@given(WORLDS)
def test_parts_are_numbered_by_their_first_cell(grid):
    labels = np.zeros(grid.n_cells, np.int32)
    parts = flood_components(grid)  # in the order of their first cells, row by row
    note(f"{len(parts)} parts")
    stack = np.empty_like(grid.free_cells)
    assert label_components(grid.legal, grid.offsets, grid.free_cells, labels, stack) == len(parts)
    for number, part in enumerate(parts, 1):
        assert set(np.flatnonzero(labels == number).tolist()) == part
    assert not labels[np.setdiff1d(np.arange(grid.n_cells), grid.free_cells)].any()
