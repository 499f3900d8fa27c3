"""Ways: any search below any model, replanning, real-time searches, and direction maps."""

from itertools import pairwise

import numpy as np
import pytest

from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.ways import Directed, Flow, Routes
from wayfolk.errors import BadInput, NotSupported, UnknownName
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space


def hall():
    """Two halls with a door, and a wall before it."""
    free = np.ones((10, 20), np.bool_)
    free[:, 10] = False
    free[1:3, 10] = True
    free[4, 5:10] = False
    return Grid(free)


@pytest.mark.parametrize("ways", ["flow", "navmesh", "astar", "theta", "jps", "d_star_lite"])
@pytest.mark.parametrize("model", ["orca", "social_force", "steering"])
def test_an_agent_finds_the_door(ways, model):
    crowd = Crowd(hall(), model, cell=0.5, ways=ways, leave=True, near=0.4)
    crowd.add([(1.5, 4.0)], [(8.5, 4.0)], radius=0.2)
    crowd.run(40)
    assert crowd.n_active == 0


def test_an_agent_with_a_small_view_learns_its_way():
    crowd = Crowd(hall(), "orca", cell=0.5, ways="lrta", leave=True, near=0.4)
    crowd.add([(3.5, 3.0)], [(8.5, 1.0)], radius=0.2)
    crowd.run(300)
    assert crowd.n_active == 0


@pytest.mark.plain
def test_paths_are_as_wide_as_bodies_and_taut():
    routes = Routes(Space(hall(), cell=0.5), "astar")
    start, goal = np.array([1.5, 4.0]), np.array([8.5, 4.0])
    path = routes.find(start, goal, 0.2)
    assert path[-1].tolist() == goal.tolist()
    assert len(path) <= 4
    jagged = Routes(routes.space, "astar", smooth=False).find(start, goal, 0.2)
    assert len(jagged) > len(path)
    every = np.concatenate([a + (b - a) * np.linspace(0, 1, 50)[:, None] for a, b in pairwise([start, *path])])
    assert routes.space.clearance(every, 1.0).min() >= 0.19
    assert routes.find(start, goal, 0.2, standing=np.array([(5.25, 0.75), (5.25, 1.25)])) is None


def test_a_new_wall_lets_agents_plan_again():
    grid = hall()
    free = grid.free.copy()
    free[8, 10] = True  # a second door, farther away
    crowd = Crowd(Grid(free), "orca", cell=0.5, ways="astar", leave=True, near=0.4)
    crowd.add([(1.5, 1.0)], [(8.5, 1.0)], radius=0.2)
    crowd.advance(10)
    free[1:3, 10] = False
    crowd.set_walls(Grid(free))
    assert "a wall is in its way" in crowd.log[0].text
    crowd.run(60)
    assert crowd.n_active == 0
    free[8, 10] = False
    crowd = Crowd(hall(), "orca", cell=0.5, ways="astar")
    crowd.add([(1.5, 1.0)], [(8.5, 1.0)], radius=0.2)
    crowd.set_walls(Grid(free))
    crowd.advance(20)
    assert "waits" in crowd.log[0].text
    assert crowd.places[0, 0] < 5


def test_a_blocked_agent_goes_around_those_who_stand():
    space = Space(Grid(np.ones((9, 20))), cell=0.5)
    crowd = Crowd(space, "orca", ways=Routes(space, patience=1.0))
    crowd.add([(5.2, 1.25), (5.2, 1.75), (5.2, 2.25), (5.2, 2.75), (5.2, 3.25)], radius=0.2, speed=0.0)
    walker = crowd.add([(1.0, 2.25)], [(9.0, 2.25)], radius=0.2)
    crowd.advance(300)
    assert crowd.is_there[walker].all()
    assert any("others stand in its way" in note.text for note in crowd.log)


@pytest.mark.plain
def test_a_direction_map_leads_along_its_vectors():
    """Of two equal corridors, a group takes the one in which others went its way."""
    free = np.ones((9, 12), np.bool_)
    free[2:7, 3:9] = False
    grid = Grid(free)
    directions = DirectionMap(grid)
    for x in range(2, 9):
        directions.put((x, 1), (1.0, 0.0))
        directions.put((x, 7), (-1.0, 0.0))
    space = Space(grid)
    ways = Directed(space, directions, w_max=10.0, learns=False)
    crowd = Crowd(space, "orca", ways=ways)
    crowd.add([(1.5, 4.6)], [(10.5, 4.6)], radius=0.2)
    before = directions.vectors.copy()
    highest = 9.0
    for _ in range(110):
        crowd.step()
        highest = min(highest, crowd.places[0, 1])
    assert highest < 2.0  # by the upper corridor, although the lower one is nearer
    assert crowd.places[0, 0] > 9
    assert (directions.vectors == before).all()


@pytest.mark.plain
def test_bodies_teach_a_direction_map():
    grid = Grid(np.ones((3, 8)))
    directions = DirectionMap(grid)
    space = Space(grid)
    crowd = Crowd(space, "orca", ways=Directed(space, directions))
    crowd.add([(0.5, 1.5)], [(7.5, 1.5)], radius=0.2)
    crowd.advance(60)
    assert directions.vectors[grid.cell((4, 1))] == pytest.approx([0.75, 0.0], abs=0.3)
    assert directions.vectors[grid.cell((4, 1))][0] > 0.4


@pytest.mark.plain
def test_mistakes_are_one_sentence():
    with pytest.raises(UnknownName, match="there is no algorithm 'astr': did you mean 'astar'"):
        Crowd(hall(), "orca", ways="astr")
    with pytest.raises(BadInput, match="of another map"):
        Directed(Space(hall()), DirectionMap(hall()))
    with pytest.raises(BadInput, match="patience must be some seconds"):
        Routes(Space(hall()), patience=0)
    with pytest.raises(NotSupported, match="flow fields are computed on a grid"):
        Flow(Space())
