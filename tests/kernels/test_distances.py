"""Distances in steps: whole fields, fields grown as far as they are asked, and connected parts."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import wayfolk
from reference import flood_components, small_grids, steps_from
from wayfolk.errors import TooLarge
from wayfolk.kernels.distances import DONE, FIRST, UNREACHED, USED, label_components, restart, steps_between
from wayfolk.world.grid import Grid
from wayfolk.world.spots import DistanceTable, fewest_steps, filled_fields, new_fields, spots_of, steps_to

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
    spots = spots_of(grid)
    fields, known = new_fields(grid, np.array(goals)), [steps_from(grid, goal) for goal in goals]
    for cell in data.draw(st.permutations(range(grid.n_cells))):
        k = data.draw(st.integers(0, len(goals) - 1))
        assert steps_between(fields, k, cell) == known[k].get(cell, UNREACHED)
        for field, truth in zip(fields.steps, known, strict=True):
            held = {cell: int(field[spots.spot_of[cell]]) for cell in grid.free_cells.tolist() if field.any()}
            assert all(truth[cell] == steps for cell, steps in held.items() if steps < fields.far)


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_a_near_question_does_not_grow_the_whole_field(moves):
    grid = Grid(np.ones((40, 40)), moves)
    goal = grid.cell((20, 20))
    fields, truth = new_fields(grid, np.array([goal])), list(steps_from(grid, goal).values())
    for far in range(6):
        assert steps_between(fields, 0, grid.cell((20 + far, 20))) == far
        done, used = fields.queue[0, :FIRST]
        assert done <= sum(steps < far for steps in truth)
        assert used <= sum(steps <= far for steps in truth)
        assert np.count_nonzero(fields.steps < fields.far) == used
    before = fields.queue.copy()
    assert steps_between(fields, 0, grid.cell((20, 17))) == 3
    assert (fields.queue == before).all()  # it had been there


def test_no_cell_is_expanded_twice():
    grid = Grid(np.random.default_rng(0).random((15, 15)) > 0.2)
    fields = new_fields(grid, grid.free_cells[:1])
    reached = len(steps_from(grid, grid.free_cells[0]))
    for _ in range(2):
        for cell in grid.free_cells:
            steps_between(fields, 0, cell)
        assert fields.queue[0, [DONE, USED]].tolist() == [reached, reached]
        assert len(set(fields.queue[0, FIRST : FIRST + reached].tolist())) == reached


@given(WORLDS, st.data())
def test_a_table_holds_what_fields_find(grid, data):
    goals = some_cells(data.draw, grid, max_size=5)
    spots = spots_of(grid)
    table = DistanceTable(spots, spots.spot_of[goals])
    portions = []
    while not table.is_filled:
        portions.append(table.fill(2))
    assert sum(portions) == len(goals)
    assert max(portions) <= 2
    fields = filled_fields(grid, table.steps)
    for k, goal in enumerate(goals):
        assert [steps_between(fields, k, cell) for cell in range(grid.n_cells)] == expected(grid, goal)


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


@pytest.mark.parametrize(("length", "kind"), [(65534, np.uint16), (65535, np.int32)])
def test_small_numbers_are_used_just_as_long_as_they_suffice(length, kind):
    grid = Grid(np.ones((1, length)))
    fields = new_fields(grid, grid.free_cells[:1])
    assert fields.steps.dtype == kind
    assert steps_between(fields, 0, grid.free_cells[-1]) == length - 1


def test_goals_in_other_parts_of_a_large_map_have_large_numbers():
    free = np.ones((3, 70_000))
    free[1] = 0
    free[0, 100:] = 0
    grid = Grid(free)
    near, far = grid.cell((0, 0)), grid.cell((69_999, 2))
    fields = new_fields(grid, np.array([near, far], np.int32))
    assert steps_between(fields, 1, grid.cell((0, 2))) == 69_999
    assert new_fields(grid, np.array([near], np.int32)).steps.dtype == np.uint16


def test_too_large_a_job_is_refused_in_a_sentence():
    grid = Grid(np.ones((300, 400)))
    need = 5 * 300 * 400 * 6  # a distance and a place in the queue for each free cell
    assert new_fields(grid, grid.free_cells[:5], max_bytes=need).steps.dtype == np.uint16
    with pytest.raises(TooLarge, match="distance fields for 5 goals could need"):
        new_fields(grid, grid.free_cells[:5], max_bytes=need - 1)
    with pytest.raises(TooLarge, match=re.escape("for 5000 goals could need 3.6 GB, 1.0 GB are free")):
        new_fields(grid, np.repeat(grid.free_cells[:1], 5000), max_bytes=10**9)


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


QUEUES = {
    "kernels/distances.py: grow": "the one for distances to goals",
    "algorithms/controllers/rwt/passages.py: _measure_distances": "from all passages at once",
    "algorithms/controllers/sdp/crowds.py: _measure": "from all entrances of a lane at once, inside one room",
    "algorithms/controllers/sdp/graph.py: _measure": "from all ends of a lane at once, against its direction",
    "algorithms/controllers/sdp/rooms.py: find_shelter": "looks for a free place",
    "algorithms/realtime/lrta_ls_k.py: _choose_nearby": "looks for a better cell",
    "world/abstraction/_sectors.py: _steps_from": "adds up the distances inside one sector",
}
"""The breadth-first searches that count steps, and what each is for."""


def test_there_is_one_breadth_first_search_for_distances_to_goals():
    root = Path(wayfolk.__file__).parent
    found = [f"{file.relative_to(root).as_posix()}: {name}" for file in root.rglob("*.py") for name in _searches(file)]
    assert sorted(found) == sorted(QUEUES)


def _searches(file):
    """The functions with a loop that takes nodes from a queue, adds others to it, and writes a number plus 1."""
    for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef) and any(map(_takes_from_a_queue, ast.walk(function))):
            yield function.name


def _takes_from_a_queue(loop):
    if not isinstance(loop, ast.While):
        return False
    nodes = list(ast.walk(loop))
    counted = {
        node.target.id for node in nodes if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }
    ends = (
        {node.left.id, node.comparators[0].id}
        for node in ast.walk(loop.test)
        if isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Name)
        and isinstance(node.comparators[0], ast.Name)
    )
    sums = [node for each in nodes if isinstance(each, ast.Assign) for node in ast.walk(each.value)]
    is_counting = any(isinstance(node, ast.BinOp) and getattr(node.right, "value", None) == 1 for node in sums)
    return is_counting and any(end <= counted for end in ends)
