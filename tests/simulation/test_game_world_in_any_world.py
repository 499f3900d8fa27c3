"""What a game does with agents, in other worlds than square grids and with other bodies than points."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.judge.records import check_record
from wayfolk.problem import events
from wayfolk.world.body import Body
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane

FIELD = wf.Grid([[1] * 8] * 8)
ROADS = wf.Roadmap(
    {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (2.0, 0.0), "d": (1.0, 1.0)},
    [("a", "b"), ("b", "c"), Lane("a", "d", one_way=True), ("d", "c")],
)


def tanks(starts=((0, 0), (4, 4)), goals=((5, 0), (4, 0)), bodies=None):
    return wf.Simulation(wf.one_shot(FIELD, list(starts), list(goals), bodies=bodies or Body(size=2)), "lra")


def test_places_and_states_are_named_as_the_world_names_them():
    world = wf.Simulation(wf.one_shot(ROADS, ["a", "c"], ["c", "a"]), "lra")
    assert world.places() == ["a", "c"]
    assert str(world.state(0)) == "waiting"
    world.step()
    assert world.places() == ["b", "c"] or world.places() == ["a", "b"]
    states = [world.state(agent) for agent in range(2)]
    assert sorted(state.doing for state in states) == ["blocked", "moving"]
    blocked = next(state for state in states if state.doing == "blocked")
    assert "another agent was in the way to b" in str(blocked) or "is at b" in str(blocked)


def test_a_body_is_moved_and_put():
    world = tanks()
    world.hold(0)
    world.move(0, (1, 1))
    world.step()
    assert world.places()[0] == (1, 1)
    with pytest.raises(BadProblem, match=r"cannot move from \(1, 1\) to \(3, 1\) in one step"):
        world.move(0, (3, 1))
    with pytest.raises(BadProblem, match=r"agent 1 cannot be put to \(2, 0\): agent 0 is there"):
        world.put(1, (2, 0))
    with pytest.raises(BadProblem, match=r"agent 1 cannot be put to \(7, 7\): there is a wall"):
        world.put(1, (7, 7))
    world.put(1, (5, 5))
    assert world.places()[1] == (5, 5)
    assert check_record(world.record()) == []


def test_a_robot_with_a_heading_is_told_to_turn_and_to_go_ahead():
    world = wf.Simulation(wf.one_shot(FIELD, [(2, 2)], [(6, 6)], bodies=Body(turns=True)), "lra")
    world.hold(0)
    with pytest.raises(BadProblem, match="in one step"):
        world.move(0, (2, 3))
    world.move(0, (2, 2, "SE"))
    world.step()
    world.move(0, (3, 3))
    world.step()
    assert world.places() == [(3, 3, "SE")]
    world.put(0, (5, 5, "N"))
    assert world.places() == [(5, 5, "N")]
    world.resume(0)
    world.advance(50)
    assert world.state(0).doing == "arrived"


def test_a_slow_body_begins_its_way_and_goes_on():
    world = wf.Simulation(wf.one_shot(FIELD, [(2, 2)], [(2, 2)], bodies=Body(speed=0.5)), "lra")
    world.hold(0)
    world.move(0, (3, 2))
    world.step()
    assert world.places()[0].share == 0.5
    world.move(0, (3, 2))
    world.step()
    assert world.places() == [(3, 2)]


def test_a_group_of_bodies_gathers_without_overlapping():
    bodies = [Body(size=2), Body(), Body(size=2), Body()]
    starts = [(0, 0), (6, 0), (0, 6), (7, 7)]
    world = tanks(starts, starts, bodies)
    goals = world.send(range(4), (3, 3))
    assert (3, 3) in goals
    covered = [(x + dx, y + dy) for (x, y), body in zip(goals, bodies, strict=True)
               for dx in range(body.size) for dy in range(body.size)]  # fmt: skip
    assert len(set(covered)) == len(covered) == 10
    world.advance(100)
    assert world.places() == goals
    assert check_record(world.record()) == []


def test_a_group_that_does_not_fit_is_refused():
    """Two discs, and two places that are too near to each other."""
    line = wf.Roadmap({"a": (0.0, 0.0), "b": (0.5, 0.0), "c": (9.0, 0.0)}, [("a", "b"), Lane("c", "a", one_way=True)])
    world = wf.Simulation(wf.one_shot(line, ["b", "c"], ["b", "c"], bodies=Body(radius=0.4)), "lra")
    goals = world.send([0, 1], "a")
    assert set(goals) == {"a", "c"}
    narrow = wf.Roadmap({"a": (0.0, 0.0), "b": (0.5, 0.0), "c": (1.0, 0.0)}, [("a", "b"), ("b", "c")])
    crowded = wf.Simulation(wf.one_shot(narrow, ["a", "c"], ["a", "c"], bodies=Body(radius=0.4)), "lra")
    with pytest.raises(BadProblem, match="2 agents do not fit around b: there is room for 1"):
        crowded.send([0, 1], "b")


def test_a_cell_is_blocked_when_the_whole_body_has_left_it():
    """The lower right cell of a tank; the door of one cell then stops it."""
    world = tanks([(0, 0)], [(5, 0)])
    world.happen(events.block(0, [(1, 1), (7, 7)]))
    world.step()
    free = [world.states.world.is_free(world.states.world.cell(place)) for place in ((1, 1), (7, 7))]
    assert free == [True, False]
    for _ in range(3):
        world.step()
    assert not world.states.world.is_free(world.states.world.cell((1, 1)))
    assert check_record(world.record()) == []


def test_a_tank_takes_another_way_when_a_door_becomes_too_narrow():
    """A wall with two doors of two cells: one of them loses a cell while the tank is on its way."""
    rows = ["........", "........", "@..@@..@", "........", "........"]
    grid = wf.Grid([[letter == "." for letter in row] for row in rows])
    world = wf.Simulation(wf.one_shot(grid, [(1, 0)], [(1, 3)], bodies=Body(size=2)), "lra")
    world.happen(events.block(0, [(2, 2)]))
    world.advance(40)
    assert world.status is wf.Status.SOLVED
    assert world.time > 3
    assert check_record(world.record()) == []


def test_lanes_close_and_open():
    world = wf.Simulation(wf.one_shot(ROADS, ["a"], ["c"]), "lra")
    world.close([("a", "b"), ("a", "d")])
    for _ in range(3):
        world.step()
    assert world.places() == ["a"]
    assert "there is no way" in str(world.state(0)) or world.state(0).doing == "waiting"
    world.open([("a", "d")])
    world.advance(10)
    assert world.places() == ["c"]
    assert world.record().plan().path(0)[-3:] == ["a", "d", "c"]
    with pytest.raises(BadProblem, match="no lane leads from 'd' to 'a'"):
        world.close([("d", "a")])
    with pytest.raises(BadProblem, match="the graph has no node 'z'"):
        world.close([("z", "a")])
    with pytest.raises(BadProblem, match="cells of this world cannot be blocked or freed: close and open its lanes"):
        world.happen(events.block(0, ["a"]))
    for other in (FIELD, HexGrid(np.ones((3, 3), bool))):
        beyond = wf.Simulation(wf.one_shot(other, [(0, 0)], [(2, 2)]), "lra")
        with pytest.raises(BadProblem, match="this world has no lanes to close and open: block and free its cells"):
            beyond.close([((0, 0), (1, 0))])


def test_a_lane_closes_behind_a_slow_robot():
    roads = wf.Roadmap({"a": (0.0, 0.0), "b": (1.0, 0.0)}, [("a", "b")])
    world = wf.Simulation(wf.one_shot(roads, ["a"], ["b"], bodies=Body(radius=0.1, speed=0.25)), "lra")
    world.step()
    world.close([("a", "b")])
    world.advance(10)
    assert world.places() == ["b"]
    assert world.states.closed
    assert check_record(world.record()) == []


def test_who_joins_has_a_body_of_the_problem():
    world = tanks(bodies=[Body(size=2), Body()])
    world.happen(events.join(1, (0, 6), (6, 6), Body(size=2)))
    world.happen(events.join(1, (7, 0), (7, 5), Body()))
    world.advance(40)
    assert world.places()[2:] == [(6, 6), (7, 5)]
    with pytest.raises(
        BadProblem, match="an agent that joins has a body of the problem's agents: 2 x 2; point; not 3 x 3"
    ):
        world.happen(events.join(1, (0, 6), (6, 6), Body(size=3)))


def test_unknown_maps_are_for_points_on_grids():
    with pytest.raises(NotSupported, match="points on square grids"):
        wf.Simulation(wf.one_shot(ROADS, ["a"], ["c"]), "lra", vision=3)
