"""The map of a street: lanes from edge to edge, crossings, and mistakes in one sentence."""

import numpy as np
import pytest

from wayfolk.crowds.street.street_map import read_street_map
from wayfolk.errors import BadMap

pytestmark = pytest.mark.plain
STREET = """
.......
<<<x<<<
>>Bx>>>
.......
"""

JUNCTION = """
..v^..
..v^..
<<++<<
>>++>>
..v^..
..v^..
"""


def test_lanes_lead_from_edge_to_edge():
    street_map = read_street_map(STREET, cell=2.0)
    west, east = street_map.lanes
    assert west.cells[0] == (6, 1)
    assert west.cells[-1] == (0, 1)
    assert east.length == pytest.approx(14.0)
    assert east.at(np.array([0.0, 5.0])).tolist() == [[0.0, 5.0], [5.0, 5.0]]
    assert east.crossings == ((0, 6.0, 8.0),)
    assert east.stops == (5.0,)
    assert street_map.n_crossings == 1
    assert street_map.crossings_at(np.array([(7.0, 3.0), (1.0, 1.0), (-1.0, 0.0)])).tolist() == [0, -1, -1]
    assert street_map.walkable.free.sum() == 16


def test_a_lane_turns_in_a_curve():
    lane = read_street_map("..v..\n..v..\n..>>>\n.....", cell=3.0).lanes[0]
    assert lane.cells == ((2, 0), (2, 1), (2, 2), (3, 2), (4, 2))
    assert 13.0 < lane.length < 15.0
    assert np.degrees(lane.headings(np.array([1.0, lane.length - 1.0]))) == pytest.approx([90.0, 0.0])
    steps = np.hypot(*np.diff(lane.at(np.linspace(0, lane.length, 200)), axis=0).T)
    assert steps.max() < 1.1 * lane.length / 199


def test_the_layer_shows_lanes_crossings_and_stops():
    layer = read_street_map(STREET).layer()
    assert sorted(np.bincount(layer.kind[layer.area < 2]).tolist()) == [1, 2, 11]
    layer = read_street_map(JUNCTION).layer()  # eight lanes before and behind a junction of four cells
    assert layer.groups == (("lane", 0), ("junction", 8))
    assert np.bincount(layer.area[layer.area < 99]).tolist() == [2] * 8 + [4]
    assert [layer.kinds[kind].name for kind in np.unique(layer.kind[layer.area == 8])] == ["junction"]


@pytest.mark.parametrize(
    ("drawing", "sentence"),
    [
        ("", "has no cells"),
        ("...\n..", "line 2 of the map has 2 cells, and the first line 3"),
        ("..?", "the letter '?' at (2, 0) is none of"),
        (">>.>>", "the road does not connect: the lane at (1, 0) leads to (2, 0), which is no road"),
        (".....\n.>>>.\n.....", "the road at (1, 1) does not connect to the edge of the map"),
        (">><<", "where traffic comes from the other side"),
        (".v.\n>v>\n.v.", "two lanes meet at (1, 1): mark a junction with '+'"),
        (">>+..", "the lane at (1, 0) leads to a junction without a way out"),
        ("...\n>+x>\n...".replace("...", "...."), "the crossing and the junction at (1, 1) and (2, 1) need a cell"),
        ("....\n.++.\n....", "the road at (1, 1) does not connect to the edge of the map"),
        (".....\n>>x>>\n.xx..\n.....", "crosses no lane"),
        ("#####\n>>x>>\n#####", "does not lead from one pavement to another"),
        (">v....\n^<....", "comes back to"),
    ],
)
def test_a_map_that_is_no_street_is_one_sentence(drawing, sentence):
    with pytest.raises(BadMap) as caught:
        read_street_map(drawing)
    assert sentence in str(caught.value)


def test_the_size_of_cells_is_checked():
    with pytest.raises(BadMap, match="to 100 metres wide"):
        read_street_map("...", cell=0.0)


def test_in_a_junction_vehicles_go_straight_on_or_turn():
    street_map = read_street_map(JUNCTION)
    ways = {(lane.cells[0], lane.cells[-1]) for lane in street_map.lanes}
    ins, outs = [(2, 0), (3, 5), (5, 2), (0, 3)], [(2, 5), (3, 0), (0, 2), (5, 3)]
    back = {(2, 0): (3, 0), (3, 5): (2, 5), (5, 2): (5, 3), (0, 3): (0, 2)}
    assert ways == {(here, there) for here in ins for there in outs if there != back[here]}
    assert len(street_map.lanes) == 12
    by_way = {(lane.cells[0], lane.cells[-1]): lane for lane in street_map.lanes}
    straight, left, right = (by_way[(0, 3), there] for there in ((5, 3), (3, 0), (2, 5)))
    assert straight.cells == ((0, 3), (1, 3), (2, 3), (3, 3), (4, 3), (5, 3))
    assert left.cells == ((0, 3), (1, 3), (2, 3), (3, 3), (3, 2), (3, 1), (3, 0))
    assert right.cells == ((0, 3), (1, 3), (2, 3), (2, 4), (2, 5))
    (visit,) = straight.junctions
    assert (visit.begin, visit.end, visit.comes_from) == (6.0, 12.0, (1, 3))
    opposite, across = by_way[(5, 2), (0, 2)].junctions[0], by_way[(2, 0), (2, 5)].junctions[0]
    assert not visit.conflicts(opposite)
    assert visit.conflicts(across)
    assert left.junctions[0].conflicts(opposite)
    assert not left.junctions[0].conflicts(visit)  # both come by one lane


def test_places_on_lanes_that_share_cells():
    by_way = {(lane.cells[0], lane.cells[-1]): lane for lane in read_street_map(JUNCTION).lanes}
    straight, right, across = by_way[(0, 3), (5, 3)], by_way[(0, 3), (2, 5)], by_way[(2, 0), (5, 3)]
    radii = np.full(3, 1.0)
    seen = straight.places_of(right, np.array([4.0, 7.5, right.length - 0.5]), radii)
    assert seen[:2] == pytest.approx([4.0, 7.5])  # before and in the junction, by the same lane
    assert np.isnan(seen[2])  # it has turned
    behind = straight.length - across.length
    seen = straight.places_of(across, np.array([1.0, 8.0, across.length - 1.5]), radii)
    assert np.isnan(seen[:2]).all()  # the other arm, and in the junction from there
    assert seen[2] == pytest.approx(across.length - 1.5 + behind)
