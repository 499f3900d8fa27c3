"""What is particular to single models: forces, flocks, potentials, steering behaviours."""

import numpy as np
import pytest

from wayfolk.crowds.crowd import Crowd
from wayfolk.errors import BadInput, NotSupported, UnknownName
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space


def ring(n, radius):
    angles = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return radius * np.stack([np.cos(angles), np.sin(angles)], 1)


@pytest.mark.plain
def test_social_forces_between_two_agents_are_opposite_and_as_in_the_paper():
    crowd = Crowd(None, "social_force")
    crowd.add([(0, 0), (0.7, 0)], radius=0.3)
    crowd.step()
    expected = 2000.0 * np.exp((0.6 - 0.7) / 0.08)
    assert crowd.bodies.forces[0] == pytest.approx([-expected, 0.0])
    assert crowd.bodies.forces[1] == pytest.approx([expected, 0.0])


@pytest.mark.plain
def test_a_wall_pushes_once_at_a_corner():
    """In front of the corner of a block, two segments have the same nearest point."""
    space = Space(polygons=[[(0, 0), (2, 0), (2, 2), (0, 2)]])
    crowd = Crowd(space, "social_force")
    crowd.add([(-0.3, -0.4)], radius=0.3)
    crowd.step()
    expected = 2000.0 * np.exp((0.3 - 0.5) / 0.08)
    assert np.hypot(*crowd.bodies.forces[0]) == pytest.approx(expected)
    assert crowd.bodies.forces[0] / expected == pytest.approx([-0.6, -0.8])


@pytest.mark.plain
def test_bodies_that_slide_rub():
    """The friction is along the contact, against the sliding, and opposite for the other."""
    crowd = Crowd(None, "social_force", step=1e-5, tau=60.0)
    crowd.add([(0, 0), (0.59, 0)], radius=0.3, velocity=[(0, 1.0), (0, -1.0)], overlap=True)
    crowd.step()
    assert crowd.bodies.forces[0, 1] < -1000
    assert crowd.bodies.forces[0] == pytest.approx(-crowd.bodies.forces[1], rel=1e-9)


@pytest.mark.plain
@pytest.mark.parametrize(("step", "share"), [(0.01, 0.455), (0.002, 0.806), (0.0005, 0.943)])
def test_friction_is_that_of_the_paper_only_with_short_steps(step, share):
    """With longer ones it is limited, so that it does not reverse the sliding; here bodies overlap by two centimetres.

    That is why haste makes doors slower with steps of some milliseconds, and not with the longest stable step.
    """
    crowd = Crowd(None, "social_force", step=step, tau=60.0, strength=0.0, body=0.0)
    crowd.add([(0, 0), (0.58, 0)], radius=0.3, speed=0.0, velocity=[(0, 1.0), (0, -1.0)], overlap=True)
    crowd.step()
    drive = 80.0 / 60.0
    assert (-crowd.bodies.forces[0, 1] - drive) / (2.4e5 * 0.02 * 2.0) == pytest.approx(share, abs=0.001)


def test_flocks_form_and_fly_the_same_way():
    """Neighbours have random directions at first; flocks form, and neighbours fly the same way."""
    rng = np.random.default_rng(1)
    crowd = Crowd(None, "flock")
    angles = rng.uniform(0, 2 * np.pi, 60)
    velocity = 3 * np.stack([np.cos(angles), np.sin(angles)], 1)
    crowd.add(rng.uniform(0, 30, (60, 2)), radius=0.3, speed=6.0, velocity=velocity, overlap=True)

    def agreement():
        unit = crowd.velocities / np.linalg.norm(crowd.velocities, axis=1)[:, None]
        apart = np.linalg.norm(crowd.places[:, None] - crowd.places[None], axis=2)
        near = (apart < 9) & (apart > 0)
        return float((unit @ unit.T)[near].mean()), float(near.sum(1).mean())

    before, _ = agreement()
    crowd.advance(300)
    after, neighbours = agreement()
    assert before < 0.3
    assert after > 0.95
    assert neighbours > 2


@pytest.mark.plain
def test_flocking_forces_are_truncated_after_summing():
    crowd = Crowd(None, "flock", force=5.0)
    crowd.add(ring(6, 1.0), radius=0.2, mass=2.0, speed=3.0, velocity=(1.0, 0.0))
    crowd.step()
    assert np.linalg.norm(crowd.bodies.forces[:6], axis=1).max() <= 2.0 * 5.0 + 1e-9


@pytest.mark.plain
def test_a_continuum_crowd_takes_another_door_if_one_is_crowded():
    """A group stands in the nearer door; the potential leads a single agent around by the other one."""
    free = np.ones((11, 15), np.bool_)
    free[:, 7] = False
    free[5, 7] = free[9, 7] = True
    ends = []
    for waiting in (0, 6):
        crowd = Crowd(Grid(free), "continuum", dense=2.0)
        walker = crowd.add([(5.5, 5.5)], [(12.5, 5.5)], radius=0.2)
        if waiting:
            spots = [(x, 5.5) for x in (6.5, 7.0, 7.5, 8.0, 8.5, 9.0)]
            crowd.add(spots, radius=0.2, speed=0.0, mass=1e6)
        crowd.advance(40)
        ends.append(float(crowd.places[walker[0], 1]))
    assert abs(ends[0] - 5.5) < 0.5
    assert ends[1] > 6.3


@pytest.mark.plain
def test_potentials_are_nearly_euclidean():
    """Unlike distances over four or eight moves."""
    grid = Grid(np.ones((21, 21)))
    crowd = Crowd(grid, "flow_field")
    crowd.add([(1.5, 1.5)], [(10.5, 10.5)])
    potential = crowd.model.fields.arrays.potentials[0]
    middles = crowd.space.middles(grid.free_cells)
    apart = np.hypot(*(middles - 10.5).T)
    assert (np.abs(potential[grid.free_cells] - apart) / np.maximum(apart, 5.0)).max() < 0.12
    flow = crowd.model.fields.arrays.flows[0][grid.free_cells]
    far = apart > 1.5
    toward = ((10.5 - middles) / np.maximum(apart, 1e-9)[:, None] * flow).sum(1)
    assert toward[far].min() > 0.9


@pytest.mark.plain
@pytest.mark.parametrize(
    ("behaviour", "least", "most"), [("pursue", 0.0, 1.5), ("evade", 5.0, 99.0), ("follow", 0.5, 2.5)]
)
def test_behaviours_towards_another(behaviour, least, most):
    crowd = Crowd(None, "steering")
    crowd.add([(10, 0), (8, -2)], radius=0.3, speed=[1.0, 1.5])
    crowd.set_goals([0], [(10, 40)])
    crowd.model.behave(0, "seek")
    crowd.model.behave(1, behaviour, of=0)
    crowd.advance(200)
    assert least <= np.hypot(*(crowd.places[1] - crowd.places[0])) <= most
    assert behaviour != "follow" or crowd.places[1, 1] < crowd.places[0, 1]


@pytest.mark.plain
def test_behaviours_towards_a_point():
    crowd = Crowd(None, "steering")
    crowd.add([(0, 0), (20, 0), (40, 0), (60, 0)], [(5, 0), (25, 0), (45, 0), (65, 0)], radius=0.3, speed=1.5)
    for agent, behaviour in enumerate(["seek", "arrive", "flee", "wander"]):
        crowd.model.behave(agent, behaviour)
    crowd.advance(160)
    moved = crowd.places[:, 0] - [0, 20, 40, 60]
    assert moved[0] == pytest.approx(5, abs=1.5)  # about it, to and fro
    assert moved[1] == pytest.approx(5, abs=0.1)
    assert np.hypot(*crowd.velocities[1]) < 0.1
    assert moved[2] < -5
    assert np.hypot(*crowd.velocities[3]) > 1.0


@pytest.mark.plain
def test_by_priority_the_first_behaviour_that_wants_something_decides():
    crowd = Crowd(Grid(np.ones((8, 8))), "steering", combine="priority")
    agent = crowd.add([(6.9, 4.0)], [(7.7, 4.0)], radius=0.25, velocity=(1.5, 0.0))
    crowd.model.behave(agent, "avoid_walls")
    crowd.model.behave(agent, "seek")
    crowd.step()
    assert crowd.bodies.forces[0, 0] < 0


@pytest.mark.plain
def test_unaligned_collision_avoidance_turns_to_the_side_in_time():
    """Two who would meet head on steer apart; who goes the same way, or passes, is left alone."""
    crowd = Crowd(None, "steering", reach=6.0, look_ahead=3.0)
    crowd.add([(0, 0), (5, 0.1), (0, 20), (3, 20), (0, 40), (5, 42)], radius=0.3, speed=1.5, velocity=(1.0, 0.0))
    crowd.bodies.velocities[[1, 5]] = (-1.0, 0.0)
    crowd.model.behave(np.arange(6), "avoid_bodies")
    crowd.step()
    forces = crowd.bodies.forces[:6]
    assert forces[0, 1] < 0 < forces[1, 1]
    assert forces[:2, 0] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert not forces[2:].any()


@pytest.mark.plain
def test_walls_are_avoided_at_right_angles_and_only_ahead():
    crowd = Crowd(Grid(np.ones((9, 9))), "steering", look_ahead=1.0)
    crowd.add([(8.0, 2.0), (6.0, 4.5), (8.0, 7.0)], radius=0.25, velocity=[(1.5, 0.3), (1.5, 0.0), (-1.5, 0.0)])
    crowd.model.behave(np.arange(3), "avoid_walls")
    crowd.step()
    assert crowd.bodies.forces[0, 0] < 0
    assert crowd.bodies.forces[0, 1] == pytest.approx(0.0)
    assert not crowd.bodies.forces[1:3].any()


@pytest.mark.plain
def test_steering_is_a_weighted_sum_truncated_at_the_end():
    """Each behaviour alone, then both with weights: the sum, and with a small `force` its direction."""

    def steered(*behaviours, force=1e6):
        crowd = Crowd(None, "steering", force=force, reach=6.0)
        crowd.add([(0, 0), (2, 1)], [(0, 9), (9, 9)], radius=0.3, mass=1.0, speed=1.5, velocity=[(1, 0), (0, 1)])
        for name, weight in behaviours:
            crowd.model.behave(0, name, weight=weight)
        crowd.step()
        return crowd.bodies.forces[0].copy()

    seek, flock = steered(("seek", 1.0)), steered(("flock", 1.0))
    assert np.abs(seek).max() > 0.1
    assert np.abs(flock).max() > 0.1
    both = steered(("seek", 2.0), ("flock", 0.5))
    assert both == pytest.approx(2.0 * seek + 0.5 * flock)
    short = steered(("seek", 2.0), ("flock", 0.5), force=0.3)
    assert np.hypot(*short) == pytest.approx(0.3)
    assert short / 0.3 == pytest.approx(both / np.hypot(*both))


@pytest.mark.plain
def test_mistakes_are_one_sentence():
    crowd = Crowd(None, "steering")
    crowd.add([(0, 0)])
    with pytest.raises(UnknownName, match="there is no behaviour 'persue': did you mean 'pursue'"):
        crowd.model.behave(0, "persue", of=0)
    with pytest.raises(BadInput, match="the behaviour pursue needs `of`"):
        crowd.model.behave(0, "pursue")
    with pytest.raises(BadInput, match="the behaviour seek takes no `of`"):
        crowd.model.behave(0, "seek", of=0)
    for _ in range(6):
        crowd.model.behave(0, "seek")
    with pytest.raises(BadInput, match="agent 0 has 6 behaviours already"):
        crowd.model.behave(0, "seek")
    with pytest.raises(NotSupported, match="potentials are computed on a grid"):
        Crowd(Space(), "continuum")
