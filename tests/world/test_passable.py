"""Passable: which gaps of a grid, and between polygons, are wide enough for a body."""

import numpy as np
import pytest

from wayfolk.world.grid import Grid
from wayfolk.world.passable import Passables
from wayfolk.world.space import Space

pytestmark = pytest.mark.plain


def walled(*gaps, height=9):
    """Two halls of 8 columns, and a wall of two cells between them with gaps (first row, last row)."""
    free = np.ones((height, 18), np.bool_)
    free[:, 8:10] = False
    for first, last in gaps:
        free[first : last + 1, 8:10] = True
    return Grid(free)


def is_joined(space, radius, one=(2, 4), other=(15, 4)):
    grid = Passables(space).of(radius).grid
    return bool(grid.components[grid.cell(one)] == grid.components[grid.cell(other)])


@pytest.mark.parametrize("n_cells", [1, 2, 3, 4])
@pytest.mark.parametrize("cell", [1.0, 0.4])
def test_a_body_passes_a_gap_exactly_as_wide_as_it_is(n_cells, cell):
    space = Space(walled((2, 1 + n_cells)), cell=cell)
    widest = 0.5 * n_cells * cell
    assert is_joined(space, widest)
    assert is_joined(space, 0.99 * widest)
    assert not is_joined(space, 1.01 * widest)


def test_bodies_pass_between_two_corners():
    """Two pillars touch the middle cell at opposite corners: the gap between them is as long as its diagonal."""
    free = np.ones((9, 9), np.bool_)
    free[5:, :4] = False  # below the cell at the left, and above it at the right
    free[:4, 5:] = False
    space = Space(Grid(free))
    assert is_joined(space, 0.70, (1, 1), (7, 7))
    assert not is_joined(space, 0.72, (1, 1), (7, 7))


def test_small_bodies_use_the_grid_itself_and_radii_share_a_grid():
    grid = walled((2, 3))
    passables = Passables(Space(grid))
    assert passables.of(0.2).grid is passables.of(0.5).grid is grid
    assert passables.of(0.9).grid is grid
    assert passables.of(1.1).grid is passables.of(1.3).grid is not grid
    assert passables.of(1.2) is passables.of(1.1)
    assert not passables.of(1.1).grid.is_free(grid.cell((8, 2)))


def test_a_body_has_room_at_its_points():
    grid = walled((2, 3))
    space = Space(grid)
    for radius in (0.3, 0.9, 1.4):
        cells = (passable := Passables(space).of(radius)).grid.free_cells
        assert space.clearance(passable.points[cells], 5.0).min() >= radius - 1e-9


def test_polygons_close_gaps():
    open_hall = Grid(np.ones((9, 18)))
    assert is_joined(Space(open_hall, polygons=[[(8.5, 0), (8.5, 7)]]), 0.9)
    assert not is_joined(Space(open_hall, polygons=[[(8.5, 0), (8.5, 7)]]), 1.1)
    assert not is_joined(Space(open_hall, polygons=[[(8.5, 0), (8.5, 9)]]), 0.1)
