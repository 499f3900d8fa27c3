"""Flocking by Reynolds: each rule has its radius, angle and weight; the sum is truncated."""

import numpy as np
import pytest

from wayfolk.crowds.crowd import Crowd

pytestmark = pytest.mark.plain
RULES = ("separation", "alignment", "cohesion")
LIMITS = {"separation": (5.0, -0.707, 12.0), "alignment": (7.5, 0.7, 8.0), "cohesion": (9.0, -0.15, 8.0)}
"""Radius, cosine of the angle and weight, as in OpenSteer."""


def steering(rule, metres, cosine, **options):
    """How an agent that flies along the x axis is steered by one rule and one other, who flies along the y axis."""
    weights = {f"{other}_weight": 0.0 for other in RULES if other != rule}
    crowd = Crowd(None, "flock", force=1e6, **(weights | options))
    there = metres * np.array([cosine, np.sqrt(1 - cosine**2)])
    crowd.add([(0, 0), there], radius=0.1, mass=1.0, speed=3.0, velocity=[(3.0, 0.0), (0.0, 3.0)])
    crowd.step()
    return crowd.bodies.forces[0].copy(), there / metres


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_ends_at_its_radius(rule):
    radius, _, weight = LIMITS[rule]
    inside, outside = (steering(rule, share * radius, 1.0)[0] for share in (0.99, 1.01))
    assert np.hypot(*inside) == pytest.approx(weight)
    assert outside.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_ends_at_its_angle(rule):
    radius, cosine, weight = LIMITS[rule]
    inside, outside = (steering(rule, 0.5 * radius, cosine + more)[0] for more in (0.01, -0.01))
    assert np.hypot(*inside) == pytest.approx(weight)
    assert outside.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("rule", RULES)
def test_the_angle_does_not_count_for_those_who_are_close(rule):
    assert np.hypot(*steering(rule, 0.29, -1.0)[0]) == pytest.approx(LIMITS[rule][2])


def test_where_the_rules_lead():
    """Away from the other, to the other, and to its direction."""
    for cosine in (0.9, 0.75):
        away, ahead = steering("separation", 3.0, cosine)
        assert away == pytest.approx(-12.0 * ahead)
        together, ahead = steering("cohesion", 3.0, cosine)
        assert together == pytest.approx(8.0 * ahead)
        along, _ = steering("alignment", 3.0, cosine)
        assert along == pytest.approx(8.0 * np.array([-1.0, 1.0]) / np.sqrt(2))


def test_nearer_ones_push_more():
    """Two at different distances on both sides: separation falls with the distance."""
    crowd = Crowd(None, "flock", alignment_weight=0.0, cohesion_weight=0.0)
    crowd.add([(0, 0), (0, 1.0), (0, -2.0)], radius=0.1, velocity=(1.0, 0.0))
    crowd.step()
    assert crowd.bodies.forces[0, 1] < 0


def test_rules_are_added_with_their_weights_and_then_truncated():
    alone = [steering(rule, 3.0, 0.9)[0] for rule in RULES]
    weights = {f"{rule}_weight": LIMITS[rule][2] for rule in RULES}
    together, _ = steering("separation", 3.0, 0.9, **weights)
    assert together == pytest.approx(np.sum(alone, axis=0))
    crowd = Crowd(None, "flock", force=5.0)
    crowd.add([(0, 0), (2.7, 1.3)], radius=0.1, mass=1.0, speed=3.0, velocity=[(3.0, 0.0), (0.0, 3.0)])
    crowd.step()
    short = crowd.bodies.forces[0]
    whole = Crowd(None, "flock", force=1e6)
    whole.add([(0, 0), (2.7, 1.3)], radius=0.1, mass=1.0, speed=3.0, velocity=[(3.0, 0.0), (0.0, 3.0)])
    whole.step()
    assert np.hypot(*short) == pytest.approx(5.0)
    assert short / 5.0 == pytest.approx(whole.bodies.forces[0] / np.hypot(*whole.bodies.forces[0]))
