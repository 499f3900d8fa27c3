"""Fleets on roadmaps, among hexagons, and of robots with bodies."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.errors import BadProblem
from wayfolk.judge.records import check_record
from wayfolk.problem import events
from wayfolk.problem.orders import Order
from wayfolk.world.body import Body
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane

ROOM = {f"{x}{y}": (float(x), float(y)) for x in range(5) for y in range(4)}
BESIDE = [(a, b) for a in ROOM for b in ROOM if a < b and abs(int(a[0]) - int(b[0])) + abs(int(a[1]) - int(b[1])) == 1]
SQUARE = wf.Roadmap(ROOM, BESIDE, name="square")


def orders(*stops, every=2.0):
    return [Order(pair, every * k, f"order {k}") for k, pair in enumerate(stops)]


def finished(fleet, steps=400):
    """Let the fleet work until all orders are done; its record is legal."""
    status = fleet.advance(steps)
    assert check_record(fleet.record()) == []
    assert status is wf.Status.SOLVED, fleet.reasons()
    assert fleet.report()["orders_done"] == len(fleet.progress)
    return fleet


def test_robots_carry_out_orders_on_a_roadmap():
    """Stops are names; each robot is at all of its stops in turn."""
    work = orders(("00", "43"), ("40", "03"), ("20", "23"), ("13", "30"))
    fleet = finished(wf.Fleet(SQUARE, ["00", "01", "10"], work, "lra"))
    record = fleet.record()
    for progress in fleet.progress:
        moves = record.cell[record.agent == progress.agent]
        names = [SQUARE.place(int(cell)) for cell in moves.tolist()]
        assert progress.order.stops[-1] in names


def test_an_order_goes_to_the_robot_that_is_nearest_by_the_lanes():
    """`far` is near as the crow flies, but a long way off."""
    places = {"stop": (0.0, 0.0), "far": (1.0, 0.0), "a": (1.0, 5.0), "b": (0.0, 5.0), "near": (-4.0, 0.0)}
    lanes = [("far", "a"), ("a", "b"), ("b", "stop"), ("near", "stop")]
    fleet = wf.Fleet(wf.Roadmap(places, lanes), ["far", "near"], orders(("stop",)), "lra")
    finished(fleet)
    assert fleet.progress[0].agent == 1


def test_robots_drive_one_way_lanes_as_they_lead():
    ring = [Lane(f"r{k}", f"r{(k + 1) % 6}", one_way=True) for k in range(6)]
    spurs = [(f"r{k}", f"s{k}") for k in range(6)]
    roads = wf.Roadmap([f"{what}{k}" for what in "rs" for k in range(6)], [*ring, *spurs])
    fleet = finished(wf.Fleet(roads, ["s0", "s3"], orders(("s1", "s5"), ("s4", "s2")), "lra"))
    ends = np.diff(fleet.record().plan().cells, axis=0)
    assert (ends != 0).any()


@pytest.mark.parametrize(
    ("body", "starts"),
    [
        (Body(radius=0.4), ["00", "40"]),
        (Body(radius=0.3, speed=0.5), ["00", "40"]),
    ],
)
def test_discs_carry_out_orders(body, starts):
    finished(wf.Fleet(SQUARE, starts, orders(("13", "30"), ("31", "12")), "lra", bodies=body))


@pytest.mark.parametrize("bodies", [Body(size=2), Body(turns=True), [Body(size=2), Body()]])
def test_bodies_carry_out_orders_on_a_grid(bodies):
    """Stops on a grid are cells; a robot of 2 x 2 is at one if its upper left cell is."""
    grid = wf.Grid([[1] * 8] * 6)
    work = orders((grid.cell((3, 3)), grid.cell((0, 4))), (grid.cell((6, 0)), grid.cell((5, 4))), every=20.0)
    fleet = finished(wf.Fleet(grid, [(0, 0), (6, 4)], work, "lra", bodies=bodies))
    assert not fleet.map.has_rights or bodies == Body()


def test_hexagons_have_fleets():
    world = HexGrid(np.ones((5, 6), bool))
    finished(wf.Fleet(world, [(0, 0), (5, 4)], orders(((3, 3), (0, 4)), ((2, 0), (4, 1))), "lra"))


def test_a_robot_gets_the_right_of_way_on_a_roadmap():
    """Two in a dead end, the one behind with the order: no controller that plans alone finds the way out."""
    lanes = [("a", "b"), ("b", "c"), ("c", "d"), ("c", "e")]
    fleet = finished(wf.Fleet(wf.Roadmap("abcde", lanes), ["b", "a"], orders(("d", "a"), ("e", "a"), every=0.0), "lra"))
    assert all(progress.ended is not None for progress in fleet.progress)


def test_a_parked_robot_is_in_nobodys_way():
    """On a line nobody parks in the middle, whatever its body."""
    line = wf.Roadmap({f"l{k}": (float(k), 0.0) for k in range(6)}, [(f"l{k}", f"l{k + 1}") for k in range(5)])
    fleet = finished(wf.Fleet(line, ["l2"], orders(("l3",)), "lra", bodies=Body(radius=0.4)))
    fleet.advance(20)
    place = fleet._parkings[0].cell
    assert line.place(place) in ("l0", "l5")


def test_a_lane_closes_under_way():
    """The robot takes the other way."""
    roads = wf.Roadmap("abcd", [("a", "b"), ("b", "c"), ("a", "d"), ("d", "c")])
    fleet = wf.Fleet(roads, ["a"], orders(("c",)), "lra", events=[events.close_lanes(0, [("a", "b"), ("a", "d")])])
    fleet.advance(10)
    assert fleet.progress[0].ended is None
    fleet.open([("a", "d")])
    finished(fleet, 20)


def test_mistakes_are_named():
    island = wf.Roadmap("abc", [("a", "b")])
    with pytest.raises(BadProblem, match="order 0: not every robot can get to c"):
        wf.Fleet(island, ["a"], orders(("c",)), "lra")
    with pytest.raises(BadProblem, match="the graph has no node 'z'"):
        wf.Fleet(island, ["a"], orders(("z",)), "lra")
    grid = wf.Grid([[1] * 4] * 4)
    with pytest.raises(BadProblem, match=r"not every robot can get to \(3, 3\)"):
        wf.Fleet(grid, [(0, 0)], [Order((grid.cell((3, 3)),), 0.0, "corner")], "lra", bodies=Body(size=2))
