"""Space: outlines of blocked cells, distances to walls, and mistakes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wayfolk.errors import BadInput
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space, outlines_of

maps = arrays(np.bool_, st.tuples(st.integers(1, 7), st.integers(1, 7)))


def area(ring):
    (x, y), (next_x, next_y) = ring.T, np.roll(ring, -1, 0).T
    return 0.5 * float((x * next_y - next_x * y).sum())


@pytest.mark.plain
@given(free=maps)
def test_outlines_enclose_the_blocked_cells(free):
    """Outer rings are positive and holes negative; the ring around the map has the free cells inside, negative."""
    rings = outlines_of(Grid(free))
    assert sum(map(area, rings)) == -int(free.sum())
    for ring in rings:
        assert len(ring) >= 4
        assert (np.abs(np.roll(ring, -1, 0) - ring).min(1) == 0).all()


@pytest.mark.plain
@settings(max_examples=20)
@given(free=maps, seed=st.integers(0, 1000))
def test_the_distance_to_walls_is_that_to_the_nearest_blocked_cell(free, seed):
    grid = Grid(free)
    if not free.any():
        return
    space = Space(grid, cell=0.5)
    rng = np.random.default_rng(seed)
    points = space.middles(rng.choice(grid.free_cells, 3)) + rng.uniform(-0.24, 0.24, (3, 2))
    height, width = free.shape
    for point, distance in zip(points, space.clearance(points, 2.0), strict=True):
        apart = [2.0]
        for x in range(-5, width + 5):
            for y in range(-5, height + 5):
                if not (0 <= x < width and 0 <= y < height and free[y, x]):
                    near = np.clip(point, [x * 0.5, y * 0.5], [x * 0.5 + 0.5, y * 0.5 + 0.5])
                    apart.append(float(np.hypot(*(near - point))))
        assert distance == pytest.approx(min(apart))


@pytest.mark.plain
def test_polygons_are_solid_inside_whatever_their_order():
    square = [(1, 1), (3, 1), (3, 3), (1, 3)]
    for ring in (square, square[::-1]):
        space = Space(polygons=[ring])
        assert space.is_solid([(2, 2), (0, 0)]).tolist() == [True, False]
        assert space.clearance([(0, 2)], 5.0) == pytest.approx([1.0])


@pytest.mark.plain
def test_mistakes_are_one_sentence():
    with pytest.raises(BadInput, match="the side of a cell must be some metres, not 0"):
        Space(Grid(np.ones((2, 2))), cell=0)
    with pytest.raises(BadInput, match="polygon 1 needs two or more points"):
        Space(polygons=[[(0, 0), (1, 0)], [(0, 0)]])
    with pytest.raises(BadInput, match="polygon 0 has the same point twice"):
        Space(polygons=[[(0, 0), (0, 0), (1, 1)]])
    with pytest.raises(BadInput, match="this space has no grid"):
        Space().cells([(0, 0)])
    with pytest.raises(BadInput, match="not in a str"):
        Space("room.map")
