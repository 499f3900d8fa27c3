"""Areas: rectangles, polygons and cells; what is inside, how large they are, and where agents head for."""

import numpy as np
import pytest

from wayfolk.errors import BadInput, BadProblem
from wayfolk.world.area import Area, AreaGoals
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space

pytestmark = pytest.mark.plain


def test_a_rectangle_holds_its_left_and_upper_side():
    area = Area((1, 2, 3, 5))
    assert area.size == 6
    assert area.bounds == (1, 2, 3, 5)
    points = [(1, 2), (2, 4), (3, 3), (2, 5), (0.9, 3), (np.nan, np.nan)]
    assert area.contains(points).tolist() == [True, True, False, False, False, False]
    assert area.contains(np.array(points).reshape(2, 3, 2)).shape == (2, 3)
    assert Area.of(area) is area


def test_a_polygon_may_be_concave_and_turn_either_way():
    corners = [(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]
    for area in (Area(corners), Area(corners[::-1])):
        assert area.size == pytest.approx(10)
        assert area.contains([(1, 1), (2, 3), (3.5, 3)]).tolist() == [True, False, True]


def test_cells_may_enclose_a_hole():
    ring = [(x, y) for x in (2, 3, 4) for y in (1, 2, 3) if (x, y) != (3, 2)]
    area = Area.of_cells(ring, cell=0.5)
    assert area.size == pytest.approx(8 * 0.25)
    assert area.contains([(1.75, 1.25), (1.25, 0.75), (2.75, 1.25)]).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "area",
    [Area((0, 0, 10, 0.2)), Area((0, 0, 8, 6)), Area([(0, 0), (9, 0.1), (9, 0.3)]), Area.of_cells([(0, 0), (5, 5)])],
)
def test_agents_head_for_points_well_inside(area):
    assert area.contains(area.targets).all()
    assert 0 < len(area.targets) <= 200
    assert 0 < area.depth <= 3


def test_each_part_of_an_area_has_its_own_targets():
    """A large hall and two cells far away: agents near the cells do not walk to the hall."""
    hall = [(x, y) for x in range(20) for y in range(20)]
    targets = Area.of_cells([*hall, (40, 0), (40, 1)], cell=0.5).targets
    assert (targets[:, 0] > 19).any()
    assert (targets[:, 0] < 10).any()


def test_points_in_walls_are_left_out():
    free = np.ones((4, 6), np.bool_)
    free[:, 3:] = False
    goals = AreaGoals(Space(Grid(free)))
    wide = Area((1, 0, 6, 4))
    assert goals.number(wide) == goals.number(wide) == 0
    assert (goals.targets_of(0)[:, 0] < 3).all()
    goals.changed(Space(Grid(np.ones((4, 6)))))
    assert (goals.targets_of(0)[:, 0] > 3).any()
    with pytest.raises(BadProblem, match="is in a wall"):
        AreaGoals(Space(Grid(free))).number(Area((4, 0, 6, 4)))


@pytest.mark.parametrize(
    ("corners", "message"),
    [
        ((3, 0, 1, 2), "an area is left < right and top < bottom"),
        ("hall", "an area is left, top, right, bottom in metres, or three or more corners"),
        ([(0, 0), (1, 1)], "three or more corners"),
        ([(0, 0), (1, 1), (2, 2)], "enclose nothing"),
        ([(0, 0), (1, np.inf), (2, 2)], "three or more corners"),
    ],
)
def test_mistakes_are_one_sentence(corners, message):
    with pytest.raises(BadInput, match=message):
        Area(corners)
    with pytest.raises(BadInput, match="rows of two whole numbers"):
        Area.of_cells([(0.5, 1)])
