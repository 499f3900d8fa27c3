"""ORCA at walls: the half-planes are those of the velocity obstacles, and doors let as many through as RVO2."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfolk.algorithms.crowds.orca.programs import new_planes
from wayfolk.algorithms.crowds.orca.wall_planes import wall_planes
from wayfolk.compile.jit import kernel
from wayfolk.crowds.crowd import Crowd
from wayfolk.experiments.phenomena.doors import WALL, Evacuation, empty_room, packed, walls_of_room
from wayfolk.kernels.bodies.arrays import new_bodies
from wayfolk.kernels.bodies.near import new_near, sort
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space

RADIUS, HORIZON, TOP = 0.3, 2.0, 3.0
BLOCK = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)]


@kernel
def listed(walls, near, room):
    """The half-planes of the only agent; how many."""
    return wall_planes(walls, near, 0, TOP, HORIZON, room)


def planes_at(space, place, velocity):
    bodies, near, room = new_bodies(1), new_near(1), new_planes(4)
    bodies.places[0], bodies.velocities[0], bodies.radii[0], bodies.is_active[0] = place, velocity, RADIUS, True
    sort(bodies, 1, 1.0, near)
    n = listed(space.walls(10.0), near, room)
    return room.planes[:n].copy()


def permitted(planes, velocities):
    """Which velocities all half-planes permit."""
    ok = np.ones(len(velocities), np.bool_)
    for px, py, dx, dy in planes:
        ok &= dx * (velocities[:, 1] - py) - dy * (velocities[:, 0] - px) >= -1e-9
    return ok


def hits_block(place, velocities):
    """Which velocities bring a disc into the block within the horizon: by many small steps."""
    times = np.linspace(0.0, HORIZON, 400)[:, None, None]
    where = place + velocities * times
    outside = np.maximum(np.maximum(where - [2.0, 1.0], -where), 0.0)
    return (np.hypot(outside[..., 0], outside[..., 1]) < RADIUS - 1e-6).any(0)


@pytest.mark.plain
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_no_permitted_velocity_leads_into_a_wall(seed):
    """And a velocity that does not lead there is itself permitted: walls forbid no more than they must."""
    rng = np.random.default_rng(seed)
    place = rng.uniform([-2.5, -2.5], [4.5, 3.5])
    outside = np.maximum(np.maximum(place - [2.0, 1.0], -place), 0.0)
    if np.hypot(*outside) < RADIUS + 0.01:
        return
    velocity = rng.normal(0.0, 1.0, 2)
    planes = planes_at(Space(polygons=[BLOCK]), place, velocity)
    some = rng.uniform(-TOP, TOP, (300, 2))
    some = some[np.hypot(*some.T) <= TOP]
    assert not (permitted(planes, some) & hits_block(place, some)).any()
    if not hits_block(place, velocity[None])[0]:
        assert permitted(planes, velocity[None] * (1 - 1e-3))[0]


@pytest.mark.plain
def test_a_flat_wall_in_two_parts_is_one_wall():
    """The end of one part is no door post: along both, all velocities that do not approach are permitted."""
    whole, parts = (Space(polygons=[ring]) for ring in (
        [(0, 0), (4, 0), (4, 1), (0, 1)], [(0, 0), (2, 0), (4, 0), (4, 1), (2, 1), (0, 1)],
    ))  # fmt: skip
    for velocity in ((1.0, 0.2), (1.5, 1.5), (-1.0, 0.5)):
        some = np.random.default_rng(1).uniform(-2, 2, (500, 2))
        one, other = (permitted(planes_at(space, (1.9, -0.6), velocity), some) for space in (whole, parts))
        assert (one == other).all()


@pytest.mark.plain
def test_a_lone_walker_does_not_slow_down_in_a_doorway():
    free = np.ones((5, 9), np.bool_)
    free[[0, 1, 3, 4], 4] = False
    crowd = Crowd(Grid(free), "orca")
    crowd.add([(0.5, 2.5)], [(8.5, 2.5)], radius=0.3, speed=1.3)
    crowd.advance(35)
    assert crowd.places[0, 0] > 0.5 + 0.95 * 3.5 * 1.3


def test_at_a_narrow_door_most_have_no_permitted_velocity():
    """That is what keeps the flow low: their wanted velocity does not count then."""
    narrow, wide = (
        [empty_room("orca", width=width, radius=0.3, seed=seed) for seed in range(3)] for width in (0.9, 2.0)
    )
    assert np.mean([run.squeezed for run in narrow]) > 0.5
    assert np.mean([run.squeezed for run in wide]) < 0.4
    assert np.mean([run.specific_flow for run in narrow]) < 0.5 * np.mean([run.specific_flow for run in wide])


@pytest.mark.parametrize("width", [1.0, 1.6])
def test_doors_let_through_as_many_as_rvo2(width):
    pytest.importorskip("pyrvo", reason="pyrvo is not installed; it is in the extra `peers`")
    seeds = range(3)
    ours = np.mean([empty_room("orca", width=width, radius=0.3, seed=seed).specific_flow for seed in seeds])
    theirs = np.mean([rvo2_room(width, seed).specific_flow for seed in seeds])
    assert 0.7 < ours / theirs < 1.4


def rvo2_room(width, seed, *, side=10.0, agents=100, radius=0.3, speed=1.34, step=0.1, limit=300.0):
    """The room of `empty_room` in RVO2, with the same parameters."""
    from pyrvo import RVOSimulator

    crowd = RVOSimulator(step, 5.0, 10, 2.0, 0.5, radius, 5.0)
    for ring in walls_of_room(side, width):
        crowd.add_obstacle(ring)
    crowd.process_obstacles()
    rng = np.random.default_rng(seed)
    for place in packed(agents, side, radius, rng).tolist():
        crowd.add_agent(tuple(place))
    passed, left, gap, tick = [], set(range(agents)), width / 2 - 1.2 * radius, 0
    here = set(left)
    while left and tick * step < limit:
        for agent in sorted(here):
            where = crowd.get_agent_position(agent)
            x, y = (where.x, where.y) if hasattr(where, "x") else where
            ahead = np.array([5.0, 0.0])
            if x < side - 0.5 * radius:
                ahead = np.array([side + 0.1 - x, np.clip(y, side / 2 - gap, side / 2 + gap) - y])
            ahead = speed * ahead / np.hypot(*ahead) + 0.01 * rng.uniform(-1, 1, 2)
            if x > side + WALL and agent in left:
                left.remove(agent)
                passed.append(tick * step)
            if x > side + 3.0:
                here.remove(agent)
                crowd.set_agent_position(agent, (1000.0 + 10 * agent, 0.0))
                ahead = np.zeros(2)
            crowd.set_agent_pref_velocity(agent, tuple(ahead.tolist()))
        crowd.do_step()
        tick += 1
    return Evacuation("rvo2", width, speed, tuple(passed), len(left))
