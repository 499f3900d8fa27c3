"""ORCA: the linear programs are exact, and agents avoid each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfolk.algorithms.crowds.orca.programs import new_planes, solve
from wayfolk.compile.jit import kernel
from wayfolk.crowds.crowd import Crowd


@kernel
def solved(room, n_hard, n, want_x, want_y, top):
    """The velocity, and whether it is permitted."""
    return solve(room, n_hard, n, want_x, want_y, top)


def half_planes(rng, n, middle):
    """Random half-planes; with `middle`, all of them permit a point, so that there is a solution."""
    room = new_planes(8)
    angles = rng.uniform(0, 2 * np.pi, n)
    room.planes[:n, 2], room.planes[:n, 3] = np.cos(angles), np.sin(angles)
    if middle is None:
        room.planes[:n, :2] = rng.normal(0, 1, (n, 2))
    else:
        right = np.stack([np.sin(angles), -np.cos(angles)], 1)
        room.planes[:n, :2] = middle + right * rng.uniform(0, 1, (n, 1))
    return room


def violations(planes, points):
    """How far each point is on the wrong side of each half-plane, at most."""
    px, py, dx, dy = planes.T[:, None, :]
    return (dx * (py - points[:, 1:]) - dy * (px - points[:, :1])).max(1)


def disc(top, n=400):
    x, y = np.meshgrid(np.linspace(-top, top, n), np.linspace(-top, top, n))
    points = np.stack([x.ravel(), y.ravel()], 1)
    return points[(points**2).sum(1) <= top * top]


@pytest.mark.plain
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 8))
def test_the_nearest_permitted_velocity(seed, n):
    """No permitted point of a fine lattice is nearer to the wanted velocity."""
    rng = np.random.default_rng(seed)
    middle = rng.uniform(-0.7, 0.7, 2)
    room = half_planes(rng, n, middle)
    want = rng.normal(0, 1, 2)
    *velocity, is_permitted = solved(room, 0, n, *want, 1.5)
    found = np.array(velocity)
    assert is_permitted
    assert violations(room.planes[:n], found[None])[0] < 1e-7
    assert np.hypot(*found) <= 1.5 + 1e-9
    points = disc(1.5, 150)
    allowed = points[violations(room.planes[:n], points) <= 0]
    if len(allowed):
        assert np.hypot(*(found - want)) <= np.hypot(*(allowed - want).T).min() + 1e-7


@pytest.mark.plain
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 8))
def test_the_least_violation_where_nothing_is_permitted(seed, n):
    rng = np.random.default_rng(seed)
    room = half_planes(rng, n, None)
    *velocity, is_permitted = solved(room, 0, n, *rng.normal(0, 1, 2), 1.0)
    found = np.array(velocity)
    worst = violations(room.planes[:n], found[None])[0]
    assert is_permitted == (worst < 1e-9)
    best = violations(room.planes[:n], disc(1.0, 200)).min()
    assert worst <= max(best, 0.0) + 1e-6
    assert np.hypot(*found) <= 1.0 + 1e-9


@pytest.mark.plain
def test_two_agents_pass_each_other():
    crowd = Crowd(None, "orca")
    crowd.add([(0, 0), (10, 0.05)], [(10, 0), (0, 0.05)], radius=0.3)
    least = 10.0
    for _ in range(120):
        crowd.step()
        least = min(least, float(np.hypot(*(crowd.places[0] - crowd.places[1]))))
    assert least >= 0.6 - 1e-6
    assert crowd.is_there.all()


def test_a_circle_changes_sides():
    """The example of the paper: everybody goes to the opposite point; where all meet, bodies hardly overlap."""
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    ring = 20 * np.stack([np.cos(angles), np.sin(angles)], 1)
    crowd = Crowd(None, "orca", horizon=5.0, reach=10.0)
    crowd.add(ring, -ring, radius=0.4)
    overlap = 0.0
    for _ in range(900):
        crowd.step()
        apart = np.hypot(*(crowd.places[:, None] - crowd.places[None]).transpose(2, 0, 1)) + 10 * np.eye(60)
        overlap = max(overlap, 0.8 - float(apart.min()))
    assert crowd.is_there.mean() > 0.95
    assert overlap < 0.15  # RVO2 in C++ has 0.18 here
