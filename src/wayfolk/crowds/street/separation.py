"""Separation: pedestrians of a street that overlap at the end of a step are moved apart.

A step that is taken back (onto a crossing, into a vehicle) may leave a body where another has moved meanwhile. Each of two
that overlap moves by its share, the lighter one more; neither moves into a wall or a vehicle, or onto a crossing that it
may not enter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.street.overlaps import list_overlaps
from wayfolk.crowds.street.street_map import StreetMap
from wayfolk.kernels.bodies.near import sort

Floats = NDArray[np.float64]
ROUNDS = 20
SLACK = 0.004
"""Metres of an overlap that is left alone."""
MOST_PAIRS = 4096
WAYS = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])


def separate(
    crowd: Crowd, street_map: StreetMap, may_enter: NDArray[np.bool_], vehicles: Floats, radii: Floats
) -> None:
    """Move overlapping agents of `crowd` apart, and off the walls and the crossings that they lean over.

    `may_enter` says for each agent whether it may be on a crossing; `vehicles` and `radii` are the places and sizes of what
    nobody may move into.
    """
    pairs = np.zeros((MOST_PAIRS, 2), np.int64)
    largest = 2.0 * float(crowd.radii.max(initial=0.1))
    _leave_walls(crowd, largest)
    _leave_crossings(crowd, street_map, may_enter, largest)
    for _ in range(ROUNDS):
        sort(crowd.bodies, crowd.n_agents, largest, crowd.near)
        n_pairs = min(int(list_overlaps(crowd.near, largest, SLACK, pairs)), MOST_PAIRS)
        if not n_pairs:
            return
        for one, other in pairs[:n_pairs].tolist():
            _separate(crowd, street_map, may_enter, vehicles, radii, one, other)


def _leave_walls(crowd: Crowd, reach: float) -> None:
    """Move those who are nearer to a wall than their radius away from it, along an axis as walls are."""
    agents = crowd.active
    missing = crowd.radii[agents] - crowd.space.clearance(crowd.places[agents], reach)
    for agent, short in zip(agents[missing > SLACK], missing[missing > SLACK], strict=True):
        there = crowd.places[agent] + short * WAYS
        clear = crowd.space.clearance(there, reach)
        if clear.max() > crowd.radii[agent] - short:
            crowd.bodies.places[agent] = there[clear.argmax()]


def _leave_crossings(crowd: Crowd, street_map: StreetMap, may_enter: NDArray[np.bool_], reach: float) -> None:
    """Move those who reach over the edge of a crossing that they may not enter a little back."""
    agents = crowd.active[~may_enter[crowd.active]]
    agents = agents[street_map.touches_crossing(crowd.places[agents], crowd.radii[agents])]
    for agent in agents.tolist():
        for share in (0.25, 0.5, 0.75, 1.0):
            there = crowd.places[agent] + share * crowd.radii[agent] * WAYS
            radii = np.full(len(there), crowd.radii[agent])
            fits = ~street_map.touches_crossing(there, radii) & (crowd.space.clearance(there, reach) >= radii - SLACK)
            if fits.any():
                crowd.bodies.places[agent] = there[fits.argmax()]
                break


def _separate(
    crowd: Crowd,
    street_map: StreetMap,
    may_enter: NDArray[np.bool_],
    vehicles: Floats,
    radii: Floats,
    one: int,
    other: int,
) -> None:
    """Move two agents apart; if one cannot move, the other moves all the way."""
    apart = crowd.places[other] - crowd.places[one]
    distance = float(np.hypot(*apart))
    missing = crowd.radii[one] + crowd.radii[other] - distance
    if missing <= 0:
        return
    way = apart / distance if distance > 1e-9 else np.array([1.0, 0.0])
    masses = crowd.bodies.masses
    share = float(masses[other] / (masses[one] + masses[other]))

    def can_be(agent: int, place: Floats) -> bool:
        radius = crowd.radii[agent]
        if crowd.space.clearance(place, 2 * radius)[0] < radius - 1e-6:
            return False
        if not may_enter[agent] and street_map.touches_crossing(place[None], np.array([radius]))[0]:
            return False
        return not (((vehicles - place) ** 2).sum(1) < (radii + radius) ** 2).any()

    for part_of_one in (share, 1.0, 0.0):
        there = crowd.places[one] - way * missing * part_of_one
        beyond = crowd.places[other] + way * missing * (1.0 - part_of_one)
        if (part_of_one == 0.0 or can_be(one, there)) and (part_of_one == 1.0 or can_be(other, beyond)):
            crowd.bodies.places[one], crowd.bodies.places[other] = there, beyond
            return
