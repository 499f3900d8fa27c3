"""Crowd: agents come, go, get goals and wait; trajectories are recorded; mistakes are one sentence."""

import numpy as np
import pytest

from wayfolk.algorithms.crowds import Model
from wayfolk.crowds.crowd import Crowd
from wayfolk.errors import BadInput, BadProblem, NotSupported
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
