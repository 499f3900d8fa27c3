"""Flocking: separation, alignment and cohesion with the others that an agent sees.

Reynolds, "Flocks, herds and schools: a distributed behavioral model", 1987, as in his library OpenSteer: each rule has a
radius, the cosine of the largest angle at which others are seen, and a weight; each result has length 1 before it is
weighted. Others within three radii are seen at any angle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wayfolk.compile.jit import inner
from wayfolk.kernels.bodies.near import RADIUS, VX, VY, X, Y, span, window

TINY = 1e-9


class FlockRules(NamedTuple):
    """Radius in metres, cosine of the angle and weight of each rule."""

    separation_radius: float
    separation_cosine: float
    separation_weight: float
    alignment_radius: float
    alignment_cosine: float
    alignment_weight: float
    cohesion_radius: float
    cohesion_cosine: float
    cohesion_weight: float


@inner
def flock(near, row, groups, rules, heading_x, heading_y):
    """The weighted sum of the three rules for the agent in a row that looks along a unit vector."""
    x, y = near.rows[row, X], near.rows[row, Y]
    group = groups[near.agents[row]]
    close = 3.0 * near.rows[row, RADIUS]
    reach = max(rules.separation_radius, rules.alignment_radius, rules.cohesion_radius)
    far = reach * reach
    separation = rules.separation_radius * rules.separation_radius
    alignment = rules.alignment_radius * rules.alignment_radius
    cohesion = rules.cohesion_radius * rules.cohesion_radius
    away_x, away_y, along_x, along_y, sum_x, sum_y = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n_aligned, n_together = 0, 0
    first_line, last_line, first_column, last_column = window(near, x, y, reach)
    for line in range(first_line, last_line + 1):
        begin, end = span(near, line, first_column, last_column)
        for other in range(begin, end):
            dx, dy = near.rows[other, X] - x, near.rows[other, Y] - y
            square = dx * dx + dy * dy
            if square >= far or other == row or square < TINY:
                continue
            cosine = 1.0
            if square > close * close:
                cosine = (dx * heading_x + dy * heading_y) / np.sqrt(square)
            if square < separation and cosine > rules.separation_cosine:
                away_x -= dx / square
                away_y -= dy / square
            if groups[near.agents[other]] != group:
                continue
            if square < alignment and cosine > rules.alignment_cosine:
                vx, vy = near.rows[other, VX], near.rows[other, VY]
                speed = np.sqrt(vx * vx + vy * vy)
                if speed > TINY:
                    along_x += vx / speed
                    along_y += vy / speed
                    n_aligned += 1
            if square < cohesion and cosine > rules.cohesion_cosine:
                sum_x += dx
                sum_y += dy
                n_together += 1
    if n_aligned > 0:
        along_x, along_y = along_x / n_aligned - heading_x, along_y / n_aligned - heading_y
    away_x, away_y = _weighted(away_x, away_y, rules.separation_weight)
    along_x, along_y = _weighted(along_x, along_y, rules.alignment_weight)
    sum_x, sum_y = _weighted(sum_x, sum_y, rules.cohesion_weight)
    return away_x + along_x + sum_x, away_y + along_y + sum_y


@inner
def _weighted(x, y, weight):
    """A vector with the length `weight`; zero stays zero."""
    length = np.sqrt(x * x + y * y)
    if length < TINY:
        return 0.0, 0.0
    return x / length * weight, y / length * weight
