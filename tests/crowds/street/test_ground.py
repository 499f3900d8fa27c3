"""The map of a street: lanes from edge to edge, crossings, and mistakes in one sentence."""

import numpy as np
import pytest

from wayfolk.crowds.street.ground import read_ground
from wayfolk.errors import BadMap

pytestmark = pytest.mark.plain
STREET = """
.......
<<<x<<<
>>Bx>>>
.......
"""


def test_lanes_lead_from_edge_to_edge():
    ground = read_ground(STREET, cell=2.0)
    west, east = ground.lanes
    assert west.cells[0] == (6, 1)
    assert west.cells[-1] == (0, 1)
    assert east.length == pytest.approx(14.0)
    assert east.at(np.array([0.0, 5.0])).tolist() == [[0.0, 5.0], [5.0, 5.0]]
    assert east.crossings == ((0, 6.0, 8.0),)
    assert east.stops == (5.0,)
    assert ground.n_crossings == 1
    assert ground.crossings_at(np.array([(7.0, 3.0), (1.0, 1.0), (-1.0, 0.0)])).tolist() == [0, -1, -1]
    assert ground.walkable.free.sum() == 16


def test_a_lane_turns_in_a_curve():
    lane = read_ground("..v..\n..v..\n..>>>\n.....", cell=3.0).lanes[0]
    assert lane.cells == ((2, 0), (2, 1), (2, 2), (3, 2), (4, 2))
    assert 13.0 < lane.length < 15.0
    assert np.degrees(lane.headings(np.array([1.0, lane.length - 1.0]))) == pytest.approx([90.0, 0.0])
    steps = np.hypot(*np.diff(lane.at(np.linspace(0, lane.length, 200)), axis=0).T)
    assert steps.max() < 1.1 * lane.length / 199


def test_the_layer_shows_lanes_crossings_and_stops():
    layer = read_ground(STREET).layer()
    assert sorted(np.bincount(layer.kind[layer.area < 2]).tolist()) == [1, 2, 11]


@pytest.mark.parametrize(
    ("drawing", "sentence"),
    [
        ("", "has no cells"),
        ("...\n..", "line 2 of the map has 2 cells, and the first line 3"),
        ("..?", "the letter '?' at (2, 0) is none of"),
        (">>.>>", "the road does not connect: the lane at (1, 0) leads to (2, 0), which is no road"),
        (".....\n.>>>.\n.....", "the road at (1, 1) does not connect to the edge of the map"),
        (">><<", "where traffic comes from the other side"),
        (".v.\n>v>\n.v.", "two lanes meet at"),
        (".....\n>>x>>\n.xx..\n.....", "crosses no lane"),
        ("#####\n>>x>>\n#####", "does not lead from one pavement to another"),
        (">v....\n^<....", "comes back to"),
    ],
)
def test_a_map_that_is_no_street_is_one_sentence(drawing, sentence):
    with pytest.raises(BadMap) as caught:
        read_ground(drawing)
    assert sentence in str(caught.value)


def test_the_size_of_cells_is_checked():
    with pytest.raises(BadMap, match="to 100 metres wide"):
        read_ground("...", cell=0.0)
