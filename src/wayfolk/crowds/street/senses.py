"""What pedestrians and drivers of a street sense, and how far each vehicle can drive before it reaches somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.brains.population import Sense, Words
from wayfolk.crowds.street.street_map import NONE
from wayfolk.crowds.street.vehicles import BRAKE, FAR, GAP, LINE, ROOM, Vehicles

if TYPE_CHECKING:
    from wayfolk.crowds.street.parties import Party
    from wayfolk.crowds.street.street import Street

Floats = NDArray[np.float64]
COLOURS = ("green", "orange", "red")
AHEAD = (0.4, 0.8, 1.2)
"""Metres ahead at which a pedestrian looks for a crossing."""
NEAR_SECONDS = 5.0
"""A car that reaches a crossing sooner is near."""
LOOK = 0.9
"""Seconds that a pedestrian on a crossing looks ahead for vehicles."""
STOP_BEFORE, STOP_BEHIND = 1.0, 0.3


def walker_senses(street: Street, party: Party, colours: NDArray[np.int64]) -> dict[str, Sense]:
    """The senses of the pedestrians of a party."""
    crowd, street_map = street.crowd, street.street_map
    places = crowd.places[party.agents]
    ways = crowd.bodies.aims[party.agents] - places
    ways /= np.maximum(np.hypot(*ways.T), 1e-9)[:, None]
    here = street_map.crossings_at(places)
    ahead = np.full(len(places), NONE)
    for metres in AHEAD:
        there = street_map.crossings_at(places + metres * ways)
        ahead = np.where(ahead == NONE, there, ahead)
    at_crossing = (ahead != NONE) & (here == NONE)
    which = np.where(here != NONE, here, ahead)
    party.sees_crossing = at_crossing
    near = np.append(_is_near(street), False)
    known = np.append(colours, COLOURS.index("red"))
    return {
        "signal": Words(known[which], COLOURS),
        "at_crossing": at_crossing,
        "on_crossing": here != NONE,
        "car_near": near[which],
    }


def _is_near(street: Street) -> NDArray[np.bool_]:
    """Whether a vehicle is on each crossing or reaches it soon."""
    near = np.zeros(street.street_map.n_crossings, np.bool_)
    vehicles = street.vehicles
    for row in range(len(vehicles)):
        for crossing, begin, end in street.street_map.lanes[vehicles.lanes[row]].crossings:
            rear, front = vehicles.along[row] - vehicles.radii[row], vehicles.along[row] + vehicles.radii[row]
            if rear < end and front + NEAR_SECONDS * vehicles.speeds[row] > begin:
                near[crossing] |= vehicles.speeds[row] > 0.3 or front > begin
    return near


def driver_senses(street: Street, party: Party, colours: NDArray[np.int64]) -> dict[str, Sense]:
    """The senses of the drivers of a party; also notes how far their stop lines and bus stops are ahead."""
    vehicles, lanes = street.vehicles, street.street_map.lanes
    row_of = {int(number): row for row, number in enumerate(vehicles.numbers)}
    rows = np.array([row_of[int(number)] for number in party.numbers], np.int64)
    n = len(rows)
    gaps, leading = vehicles.leaders(lanes)
    taken = _persons_on(street)
    signal = np.zeros(n, np.int64)
    at_crossing, on_crossing, can_stop, clear, at_stop = (np.zeros(n, np.bool_) for _ in range(5))
    party.line_ahead, party.stop_ahead = np.full(n, np.inf), np.full(n, np.inf)
    serves = "at_stop" in party.spawn.brain.senses
    for k, row in enumerate(rows.tolist()):
        lane, along, radius, speed = (
            lanes[vehicles.lanes[row]],
            vehicles.along[row],
            vehicles.radii[row],
            vehicles.speeds[row],
        )
        clear[k] = can_stop[k] = True
        for crossing, begin, end in lane.crossings:
            metres = begin - LINE - along - radius
            if along + radius > begin and along - radius < end:
                on_crossing[k] = True
            if metres < -LINE:
                continue
            at_crossing[k] = metres < speed * speed / (2 * BRAKE) + 4.0
            can_stop[k] = metres >= speed * speed / (2 * BRAKE) - 0.3
            signal[k] = colours[crossing]
            behind = along + radius + gaps[row]  # the rear of the vehicle ahead
            has_room = behind > end + 2 * radius + GAP + ROOM or leading[row] > 3.0
            clear[k] = not taken[crossing] and has_room
            party.line_ahead[k] = max(metres, 0.0)
            break
        if serves:
            at_stop[k], party.stop_ahead[k] = _stop_ahead(vehicles, lane.stops, row)
    party.sees_crossing = at_crossing & ~at_stop
    return {
        "signal": Words(signal, COLOURS),
        "at_crossing": at_crossing,
        "on_crossing": on_crossing,
        "can_stop": can_stop,
        "way_clear": clear,
        "at_stop": at_stop,
        "gap": np.round(2 * np.clip(gaps[rows], 0.0, FAR)) / 2,
    }


def _stop_ahead(vehicles: Vehicles, stops: tuple[float, ...], row: int) -> tuple[bool, float]:
    """Whether a vehicle is at a bus stop, and the metres to the next one; a stop at which it has stood is served."""
    for number, stop in enumerate(stops):
        metres = float(stop - vehicles.along[row])
        if metres < -STOP_BEHIND:
            continue
        is_there = metres <= STOP_BEFORE
        if is_there and vehicles.speeds[row] < 0.1:
            vehicles.served[row] = number + 1
        return is_there, np.inf if vehicles.served[row] > number else max(metres, 0.0)
    return False, np.inf


def _persons_on(street: Street) -> NDArray[np.bool_]:
    """Whether somebody is on each crossing."""
    taken = np.zeros(street.street_map.n_crossings + 1, np.bool_)
    crowd = street.crowd
    taken[street.street_map.crossings_at(crowd.places[crowd.active])] = True
    return taken[:-1]


def metres_to_persons(street: Street) -> tuple[Floats, Floats]:
    """How far each vehicle can drive until it should stop for somebody on a crossing, and until it touches somebody."""
    vehicles, crowd = street.vehicles, street.crowd
    soft, hard = np.full(len(vehicles), np.inf), np.full(len(vehicles), np.inf)
    agents = crowd.active
    agents = agents[street.street_map.touches_crossing(crowd.places[agents], crowd.radii[agents])]
    if not agents.size:
        return soft, hard
    places, headings = vehicles.places(street.street_map.lanes)
    persons, radii = crowd.places[agents], crowd.radii[agents]
    for row in range(len(vehicles)):
        ahead, beside = _seen_from(places[row], headings[row], persons)
        reach = vehicles.radii[row] + radii
        is_close = (ahead > 0) & (ahead < FAR)
        in_way = is_close & (beside < reach + 0.6)
        soft[row] = (ahead - reach - 0.4)[in_way].min(initial=np.inf)
        touches = is_close & (beside < reach + 0.01)
        free = ahead[touches] - np.sqrt(np.maximum((reach[touches] + 0.01) ** 2 - beside[touches] ** 2, 0.0))
        hard[row] = np.maximum(free, 0.0).min(initial=np.inf)
    return np.maximum(soft, 0.0), hard


def held_by_vehicles(street: Street, agents: NDArray[np.int64], speeds: Floats) -> NDArray[np.bool_]:
    """Which pedestrians on or before a crossing wait a moment for a vehicle that would reach them."""
    vehicles, crowd = street.vehicles, street.crowd
    held = np.zeros(len(agents), np.bool_)
    if not len(vehicles):
        return held
    places, headings = vehicles.places(street.street_map.lanes)
    persons, radii = crowd.places[agents], crowd.radii[agents]
    ways = crowd.bodies.aims[agents] - persons
    ways /= np.maximum(np.hypot(*ways.T), 1e-9)[:, None]
    soon = persons + ways * (LOOK * speeds)[:, None]
    concerned = np.flatnonzero(
        ((street.street_map.crossings_at(soon) != NONE) | (street.street_map.crossings_at(persons) != NONE))
        & (speeds > 0)
    )
    persons, soon, radii = persons[concerned], soon[concerned], radii[concerned]
    for row in range(len(vehicles)):
        reach = vehicles.radii[row] + radii
        drives = vehicles.speeds[row] * 1.5 + 0.1
        ahead, beside = _seen_from(places[row], headings[row], persons)
        in_way_now = (beside < reach) & (ahead > 0)
        ahead, beside = _seen_from(places[row], headings[row], soon)
        in_way_soon = (beside < reach + 0.1) & (ahead > -reach) & (ahead < drives + reach)
        held[concerned] |= in_way_soon & ~in_way_now
    return held


def _seen_from(place: Floats, heading: float, persons: Floats) -> tuple[Floats, Floats]:
    """How far persons are ahead of a vehicle, and how far beside its way."""
    across, down = (persons - place).T
    cosine, sine = np.cos(heading), np.sin(heading)
    return across * cosine + down * sine, np.abs(down * cosine - across * sine)
