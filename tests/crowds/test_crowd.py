"""Crowd: agents come, go, get goals and wait; trajectories are recorded; mistakes are one sentence."""

import numpy as np
import pytest

from wayfolk.algorithms.crowds import Model
from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.measures import times
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.world.area import Area
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space

ROOM = Grid(np.ones((6, 8)))


@pytest.mark.plain
def test_agents_come_walk_and_leave():
    crowd = Crowd(ROOM, "flow_field", leave=True)
    assert crowd.add([(1, 1), (1, 3)], [(6, 1), (6, 3)]).tolist() == [0, 1]
    assert crowd.add([(1, 5)], [(6, 5)]).tolist() == [2]
    crowd.remove([1])
    trajectory = crowd.run(20, every=0.5)
    assert crowd.n_active == 0
    assert crowd.time < 10
    assert trajectory.n_agents == 3
    assert not trajectory.present[:, 1].any()
    assert trajectory.present[0, [0, 2]].all()


@pytest.mark.plain
def test_who_has_no_speed_waits_and_goes_on():
    crowd = Crowd(ROOM, "orca")
    agent = crowd.add([(1, 1)], [(6, 1)])
    crowd.set_speeds(agent, 0.0)
    crowd.advance(20)
    assert crowd.places[0] == pytest.approx([1.0, 1.0])
    crowd.set_speeds(agent, 1.3)
    crowd.advance(60)
    assert crowd.is_there[0]


@pytest.mark.plain
def test_arrays_grow_with_the_agents():
    crowd = Crowd(None, "social_force")
    for k in range(130):
        crowd.add([(2.0 * k, 0.0)], [(2.0 * k, 5.0)])
    crowd.step()
    assert crowd.n_active == 130
    assert (crowd.velocities[:, 1] > 0).all()


@pytest.mark.plain
def test_a_model_in_plain_python():
    class East(Model):
        def steer(self, moment, first, last):
            moment.bodies.forces[moment.agents(first, last)] = (80.0, 0.0)

    def begin(space, *, seed=0):
        """Everybody runs to the east."""
        return East(space)

    crowd = Crowd(None, begin, step=0.1)
    crowd.add([(0, 0), (0, 2)], top_speed=10.0)
    crowd.advance(10)
    assert crowd.velocities == pytest.approx(np.array([(1.0, 0.0)] * 2))


@pytest.mark.plain
def test_the_heading_is_kept_when_a_body_stands():
    crowd = Crowd(ROOM, "flow_field")
    crowd.add([(4.5, 1)], [(4.5, 5)])
    crowd.advance(200)
    assert crowd.headings[0] == pytest.approx(np.pi / 2, abs=0.1)
    assert np.abs(crowd.velocities).max() < 0.05


@pytest.mark.plain
def test_where_there_is_room():
    crowd = Crowd(ROOM, "orca")
    crowd.add([(2, 2)])
    assert crowd.is_clear([(2.3, 2), (4, 4), (0.1, 4), (9, 9)], 0.25).tolist() == [False, True, False, False]


@pytest.mark.plain
def test_mistakes_are_one_sentence():
    crowd = Crowd(ROOM, "orca")
    crowd.add([(2, 2), (4, 4)])
    with pytest.raises(BadProblem, match=r"agent 2 at \(2.1, 2\) overlaps agent 0"):
        crowd.add([(2.1, 2)])
    with pytest.raises(BadProblem, match=r"the goal \(9, 9\) is in a wall"):
        crowd.set_goals([0], [(9, 9)])
    with pytest.raises(BadProblem, match="the speed of agent 2 is nan"):
        crowd.add([(1, 1)], speed=np.nan)
    with pytest.raises(BadProblem, match="the radius of agent 2 is 0"):
        crowd.add([(1, 1)], radius=0)
    with pytest.raises(BadInput, match="there is no agent 7: there have been 2"):
        crowd.remove([7])
    crowd.remove([1])
    with pytest.raises(BadInput, match="agent 1 is not there any more"):
        crowd.remove([1])
    with pytest.raises(BadInput, match="a step must last some seconds, not -1"):
        Crowd(ROOM, "orca", step=-1)
    with pytest.raises(BadInput, match="bounce must be from 0 to 1"):
        Crowd(ROOM, "orca", bounce=2)
    with pytest.raises(NotSupported, match="flow fields are computed on a grid, and this space has none"):
        Crowd(Space(), "flow_field")
    with pytest.raises(BadInput, match="a speed must be 0 or more"):
        crowd.set_speeds([0], float("nan"))
    with pytest.raises(BadInput, match="rows of two numbers"):
        crowd.add([(1, 2, 3)])
    assert crowd.n_agents == 2


@pytest.mark.plain
def test_an_agent_without_a_way_is_not_added():
    free = np.ones((5, 9), np.bool_)
    free[:, 4] = False
    for model, ways in (("flow_field", "straight"), ("continuum", "straight"), ("orca", "flow"), ("orca", "astar")):
        crowd = Crowd(Grid(free), model, ways=ways)
        with pytest.raises(BadProblem, match=r"there is no way for agent 0 to its goal \(7, 2\)"):
            crowd.add([(1, 2)], [(7, 2)])
        assert crowd.n_agents == 0
        crowd.add([(1, 2)], [(2, 2)])
        crowd.step()


@pytest.mark.plain
@pytest.mark.parametrize("model", ["flow_field", "continuum", "orca"])
def test_who_is_walled_in_waits_and_a_wall_on_somebody_is_refused(model):
    free = np.ones((5, 9), np.bool_)
    crowd = Crowd(Grid(free), model, ways="flow")
    crowd.add([(1.5, 2.5)], [(7.5, 2.5)], radius=0.2)
    free[:, 4] = False
    crowd.set_walls(Grid(free))
    assert [note.text for note in crowd.log] == ["has no way to its goal any more, and waits"] * (model == "orca")
    crowd.advance(60)
    assert crowd.places[0, 0] < 4
    with pytest.raises(BadProblem, match="there is no way for agent 0"):
        crowd.set_goals([0], [(8.5, 2.5)])
    assert crowd.goals[0].tolist() == [7.5, 2.5]
    crowd.step()
    x, y = (int(part) for part in crowd.places[0])
    free[y, x] = False
    with pytest.raises(BadProblem, match="where a wall would be"):
        crowd.set_walls(Grid(free))
    with pytest.raises(BadInput, match="of the same size"):
        crowd.set_walls(Grid(np.ones((3, 3))))


@pytest.mark.parametrize("every", [0.1, 0.17, 1.0])
def test_the_last_frame_shows_that_all_have_left(every):
    crowd = Crowd(ROOM, "social_force", ways="flow", leave=True)
    crowd.add([(1, 3)], [(6, 3)])
    trajectory = crowd.run(30, every=every)
    assert crowd.n_active == 0
    assert not trajectory.present[-1].any()
    assert times.evacuation_time(trajectory) == pytest.approx(crowd.time)
    assert times.travel_times(trajectory) == pytest.approx([crowd.time])


@pytest.mark.plain
def test_a_run_lasts_whole_frames():
    crowd = Crowd(ROOM, "orca", step=0.05)
    crowd.add([(1, 3)], [(6, 3)])
    assert crowd.run(1.1, every=0.1).n_frames == 12
    assert crowd.time == pytest.approx(1.1)
    assert crowd.run(0.05, every=0.1).n_frames == 2
    before = crowd.tick
    stopped = crowd.run(5, every=0.1, until=lambda crowd: crowd.tick == before + 3)
    assert (stopped.n_frames, crowd.tick) == (3, before + 4)


@pytest.mark.plain
def test_agents_around_one_point_are_all_there():
    """Three bodies that touch around a point, one beside them, one farther away, and one with another goal."""
    around = 0.3 * np.array([(np.cos(a), np.sin(a)) for a in (0.0, 2.1, 4.2)])
    places = np.concatenate([around + np.array([4, 3]), [(4.7, 3.5), (6.5, 3), (3.2, 3)]])
    goals = [(4, 3)] * 5 + [(1, 1)]
    crowd = Crowd(ROOM, "orca")
    crowd.add(places, goals, radius=0.25)
    assert crowd.is_there.tolist() == [True, True, True, True, False, False]
    near = Crowd(ROOM, "orca", near=0.31, leave=True)
    near.add(places, goals, radius=0.25)
    assert near.is_there.tolist() == [True, True, True, False, False, False]


@pytest.mark.plain
def test_an_area_is_a_goal():
    crowd = Crowd(ROOM, "flow_field", leave=True)
    exit_ = Area((7, 0, 8, 6))
    crowd.add([(1, 1), (1, 5), (2, 3)], [exit_, exit_, (6, 3)])
    assert crowd.goals[:, 1] == pytest.approx([1, 5, 3], abs=0.5)  # straight on, not all to one point
    trajectory = crowd.run(20)
    assert crowd.n_active == 0
    assert trajectory.places[~np.isnan(trajectory.places)].reshape(-1, 2)[:, 0].max() < 7.01
    again = Crowd(ROOM, "flow_field")
    agents = again.add([(1, 1), (1, 5)], exit_)
    again.advance(200)
    assert again.is_there.all()
    again.set_goals(agents[:1], [(1, 1)])
    assert again.is_there.tolist() == [False, True]
    again.set_goals(agents, exit_)
    assert again.is_there.all()


@pytest.mark.plain
def test_an_area_smaller_than_a_body_counts_as_a_point():
    crowd = Crowd(ROOM, "orca", leave=True)
    crowd.add([(4, 3)], Area((4.2, 2.9, 4.4, 3.1)), radius=0.25)
    crowd.add([(1, 3)], Area((2, 2, 4, 4)), radius=0.25)
    assert crowd.is_there.tolist() == [True, False]


@pytest.mark.plain
def test_an_area_is_entered_where_it_is_nearest_on_foot():
    """The area lies behind a wall; agents walk around it and do not press against it."""
    free = np.ones((9, 12), np.bool_)
    free[1:, 6] = False
    for ways in ("flow", "astar", "navmesh"):
        crowd = Crowd(Grid(free), "orca", ways=ways, leave=True)
        crowd.add([(4.5, 6.5)], Area((7, 2, 9, 9)), radius=0.2)
        crowd.advance(400)
        assert crowd.n_active == 0, ways


@pytest.mark.plain
def test_areas_are_checked():
    free = np.ones((5, 9), np.bool_)
    free[:, 4] = False
    crowd = Crowd(Grid(free), "orca", ways="flow")
    with pytest.raises(BadProblem, match="is in a wall"):
        crowd.add([(1, 2)], Area((4, 0, 5, 5)))
    with pytest.raises(BadProblem, match="there is no way for agent 0"):
        crowd.add([(1, 2)], Area((6, 0, 8, 5)))
    with pytest.raises(BadProblem, match="there are 2 goals for 1 agents"):
        crowd.add([(1, 2)], [Area((0, 0, 3, 5)), (1, 1)])
    assert crowd.n_agents == 0


@pytest.mark.plain
@pytest.mark.parametrize("model", ["flow_field", "continuum", "orca"])
def test_a_goal_behind_a_thin_wall_is_not_in_sight(model):
    """The goal is 1.4 m away, on the other side of a wall; the way around it is long."""
    free = np.ones((9, 9), np.bool_)
    free[1:, 4] = False
    crowd = Crowd(Grid(free), model, ways="flow", leave=True, near=0.3)
    crowd.add([(3.75, 6.5)], [(5.15, 6.5)], radius=0.2)
    crowd.advance(600)
    assert crowd.n_active == 0
