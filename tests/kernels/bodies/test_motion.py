"""Collisions conserve momentum and never add energy; walls hold; bodies do not tunnel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfolk.algorithms.crowds import Model
from wayfolk.crowds.crowd import Crowd
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space


class Free(Model):
    """Nobody steers: bodies only collide."""

    def steer(self, moment, first, last):
        moment.bodies.forces[moment.agents(first, last)] = 0.0


def free(space, *, seed=0):
    """A model without forces."""
    return Free(space)


def balls(places, velocities, *, bounce=1.0, masses=1.0, radius=0.5, step=0.01, space=None):
    crowd = Crowd(space or Space(), free, bounce=bounce, step=step)
    crowd.add(places, velocity=velocities, radius=radius, mass=masses, speed=1.0, top_speed=1e6, overlap=True)
    return crowd


@pytest.mark.plain
def test_two_equal_balls_exchange_their_velocities():
    crowd = balls([(0, 0), (3, 0)], [(1.0, 0.0), (-2.0, 0.0)])
    crowd.advance(150)
    assert crowd.velocities == pytest.approx(np.array([(-2.0, 0.0), (1.0, 0.0)]))
    assert crowd.places[0, 0] < crowd.places[1, 0]


@pytest.mark.plain
def test_a_heavy_ball_goes_on_and_a_light_one_is_thrown_back():
    crowd = balls([(0, 0), (3, 0)], [(1.0, 0.0), (-1.0, 0.0)], masses=[3.0, 1.0])
    crowd.advance(150)
    assert crowd.velocities[:, 0] == pytest.approx([0.0, 2.0])


@pytest.mark.plain
def test_without_bounce_bodies_stay_together():
    crowd = balls([(0, 0), (2, 0)], [(1.0, 0.0), (0.0, 0.0)], bounce=0.0)
    crowd.advance(300)
    assert crowd.velocities[:, 0] == pytest.approx([0.5, 0.5])
    assert crowd.places[1, 0] - crowd.places[0, 0] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.plain
def test_forces_and_speeds_have_limits():
    class Push(Model):
        def steer(self, moment, first, last):
            moment.bodies.forces[moment.agents(first, last)] = (300.0, 400.0)

    def begin(space, *, seed=0):
        """A force of 500 newtons on everybody."""
        return Push(space)

    crowd = Crowd(None, begin, step=0.1)
    crowd.add(
        [(0, 0), (5, 0), (10, 0)], mass=[50.0, 50.0, 100.0], top_force=[1e9, 50.0, 50.0], top_speed=[9.0, 9.0, 0.3]
    )
    crowd.step()
    assert np.hypot(*crowd.velocities.T) == pytest.approx([1.0, 0.1, 0.05])
    assert crowd.velocities[1] == pytest.approx([0.06, 0.08])  # the direction is kept
    crowd.advance(20)
    assert np.hypot(*crowd.velocities.T) == pytest.approx([9.0, 2.1, 0.3])


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), bounce=st.sampled_from([0.0, 0.5, 1.0]), n=st.integers(2, 40))
def test_momentum_is_conserved_and_energy_never_grows(seed, bounce, n):
    """Also for bodies that overlap at first, and for many contacts at once."""
    rng = np.random.default_rng(seed)
    crowd = balls(
        rng.uniform(0, 4, (n, 2)), rng.normal(0, 2, (n, 2)), bounce=bounce, masses=rng.uniform(0.5, 4, n),
        radius=rng.uniform(0.1, 0.5, n),
    )  # fmt: skip
    momentum, energy = crowd.momentum, crowd.energy
    for _ in range(30):
        crowd.step()
        assert crowd.momentum == pytest.approx(momentum, abs=1e-9)
        assert crowd.energy <= energy * (1 + 1e-12)
        energy = crowd.energy


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20)
def test_nobody_tunnels_through_thin_walls_at_the_longest_step(seed):
    """A body moves by at most its radius in a step, however fast it wants to be."""
    rng = np.random.default_rng(seed)
    box = Space(polygons=[[(0, 0), (4, 0)], [(4, 0), (4, 4)], [(4, 4), (0, 4)], [(0, 4), (0, 0)]])
    n = 12
    crowd = balls(rng.uniform(0.5, 3.5, (n, 2)), rng.normal(0, 30, (n, 2)), radius=0.2, step=0.1, space=box, bounce=1.0)
    for _ in range(60):
        crowd.step()
        assert (crowd.places > 0).all()
        assert (crowd.places < 4).all()


@pytest.mark.plain
def test_a_ball_bounces_off_a_wall_and_keeps_its_energy():
    room = Space(Grid(np.ones((5, 5))))
    crowd = balls([(2.5, 2.5)], [(3.0, 1.0)], space=room)
    energy = crowd.energy
    crowd.advance(200)
    assert crowd.energy == pytest.approx(energy)
    assert ((crowd.places >= 0.5 - 1e-9) & (crowd.places <= 4.5 + 1e-9)).all()


@pytest.mark.plain
def test_bodies_at_one_point_part():
    crowd = balls([(0, 0), (0, 0)], [(0.0, 0.0), (0.0, 0.0)], bounce=0.0)
    crowd.advance(5)
    assert np.linalg.norm(crowd.places[1] - crowd.places[0]) >= 1.0 - 1e-9
