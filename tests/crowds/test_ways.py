"""Ways: any search below any model, replanning, real-time searches, and direction maps."""

from itertools import pairwise

import numpy as np
import pytest

from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.ways import DirectionMapWays, FlowWays, Routes
from wayfolk.errors import BadInput, BadProblem, NotSupported, UnknownName
from wayfolk.world.area import Area
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


WIDE = ["flow", "navmesh", "astar", "theta", "jps", "d_star_lite", "lrta"]


@pytest.mark.parametrize("ways", WIDE)
def test_a_wide_body_takes_the_wide_gap(ways):
    """The straight way leads through a gap of 1 m, which a body of radius 0.95 m cannot pass."""
    free = np.ones((9, 20), np.bool_)
    free[:, 9:11] = False
    free[2, 9:11] = free[5:8, 9:11] = True
    crowd = Crowd(Grid(free), "orca", ways=ways, leave=True)
    crowd.add([(2.5, 2.5)], [(17.5, 2.5)], radius=0.95)
    crowd.run(40)
    assert crowd.n_active == 0
    free[5:8, 9:11] = False
    narrow = Crowd(Grid(free), "orca", ways=ways)
    with pytest.raises(BadProblem, match=r"no way .* \(17.5, 2.5\) that is wide enough for its radius of 0.95 m"):
        narrow.add([(2.5, 2.5)], [(17.5, 2.5)], radius=0.95)
    assert narrow.add([(2.5, 2.5)], [(17.5, 2.5)], radius=0.45).tolist() == [0]


@pytest.mark.plain
def test_radii_that_pass_the_same_gaps_share_a_flow_field():
    free = np.ones((9, 20), np.bool_)
    free[:, 9:11] = False
    free[2, 9:11] = free[5:8, 9:11] = True
    crowd = Crowd(Grid(free), "orca", ways="flow")
    crowd.add([(2, 2), (2, 5)], [(17.5, 2.5)], radius=[0.2, 0.4])
    assert len(crowd.ways.fields.ends) == 1
    crowd.add([(6, 2), (6, 7)], [(17.5, 2.5)], radius=[0.95, 0.93])
    assert len(crowd.ways.fields.ends) == 2


@pytest.mark.parametrize("model", ["orca", "social_force"])
def test_a_mesh_is_made_of_polygons(model):
    pytest.importorskip("shapely", reason="meshes of polygons need shapely")
    box, screen = [(4, 2), (6, 2), (6, 8), (4, 8)], [(8, -3), (8, 5)]
    for radius, goal in ((0.25, [(7, 4)]), (0.9, [(11, 4)]), (0.25, Area((10, 1, 11, 9)))):
        crowd = Crowd(Space(polygons=[box, screen]), model, ways="navmesh", leave=True)
        crowd.add([(2, 5)], goal, radius=radius)
        crowd.run(30)
        assert crowd.n_active == 0
    crowd = Crowd(Space(polygons=[box, screen]), model, ways="navmesh")
    with pytest.raises(BadProblem, match="wide enough"):  # between the box and a wall around its open sides
        Crowd(Space(polygons=[box, [(3, 0), (9, 0), (9, 10), (3, 10), (9, 5)]]), model, ways="navmesh").add(
            [(2, 5)], [(7.2, 5)], radius=1.2
        )
    crowd.add([(2, 5)], [(40, 5)], radius=0.25)
    crowd.add([(-30, 5)], [(7, 4)], radius=0.25)  # far beyond the polygons
    assert len(crowd.ways.path_of(1)) > 1


def test_ways_lead_around_polygons_on_a_grid():
    pytest.importorskip("shapely", reason="meshes of polygons need shapely")
    for ways in ("flow", "navmesh", "astar", "lrta"):
        space = Space(Grid(np.ones((10, 12))), polygons=[[(4, 2), (6, 2), (6, 8), (4, 8)], [(8, 0), (8, 5)]])
        crowd = Crowd(space, "orca", ways=ways, leave=True)
        crowd.add([(2, 5)], [(10, 4)], radius=0.25)
        crowd.run(60)
        assert crowd.n_active == 0, ways


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
    ways = DirectionMapWays(space, directions, w_max=10.0, learns=False)
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
    crowd = Crowd(space, "orca", ways=DirectionMapWays(space, directions))
    crowd.add([(0.5, 1.5)], [(7.5, 1.5)], radius=0.2)
    crowd.advance(60)
    assert directions.vectors[grid.cell((4, 1))] == pytest.approx([0.75, 0.0], abs=0.3)
    assert directions.vectors[grid.cell((4, 1))][0] > 0.4


@pytest.mark.plain
def test_mistakes_are_one_sentence():
    with pytest.raises(UnknownName, match="there is no algorithm 'astr': did you mean 'astar'"):
        Crowd(hall(), "orca", ways="astr")
    with pytest.raises(BadInput, match="of another map"):
        DirectionMapWays(Space(hall()), DirectionMap(hall()))
    with pytest.raises(BadInput, match="patience must be some seconds"):
        Routes(Space(hall()), patience=0)
    with pytest.raises(NotSupported, match="flow fields are computed on a grid"):
        FlowWays(Space())
    with pytest.raises(NotSupported, match="searches find paths on a grid, and this space has none: use navmesh"):
        Routes(Space(), "astar")
