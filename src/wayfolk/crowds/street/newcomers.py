"""Newcomers of a street: pedestrians and vehicles of its parties, which come in where there is room for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wayfolk.crowds.street.parties import MARGIN, SPREAD, Party
from wayfolk.crowds.street.street_map import NONE
from wayfolk.crowds.street.vehicles import FAR, GAP, LINE, safe_speed

if TYPE_CHECKING:
    from wayfolk.crowds.street.street import Street

TRIES = 6  # places that are tried for a newcomer
APART = 0.05  # metres from a newcomer to others and to walls, if the cell is wide enough


def let_in(street: Street) -> None:
    """Let those in who want to come and find room."""
    for party in street.parties:
        for _ in range(min(party.arrivals(street.time, street.rng), TRIES)):
            entered = _drive_in(street, party) if party.spawn.is_vehicle else _walk_in(street, party)
            if not entered:
                break
            party.waiting -= 1


def _drive_in(street: Street, party: Party) -> bool:
    """Let a vehicle of `party` drive in if its lane has room."""
    spawn = party.spawn
    lane = int(street.rng.choice(party.starts))
    lanes = street.street_map.lanes
    if not street.vehicles.has_room(lanes, lane, spawn.radius):
        return False
    begins = [begin for _, begin, _ in lanes[lane].crossings] + [visit.begin for visit in lanes[lane].junctions]
    line = min(begins, default=FAR) - LINE - spawn.radius
    room = min(street.vehicles.room_on(lanes, lane, spawn.radius) - GAP, line)
    speed = min(spawn.speed, float(safe_speed(np.array([room]), 0.0)[0]))
    street.vehicles.add(_number(street, party), lane, spawn.radius, speed)
    party.agents = np.append(party.agents, NONE)
    party.own_speeds = np.append(party.own_speeds, spawn.speed)
    return True


def _walk_in(street: Street, party: Party) -> bool:
    """Let a pedestrian of `party` walk in if there is a clear place, and a goal that it can reach."""
    spawn, cell, grid = party.spawn, street.street_map.cell, street.street_map.walkable
    start = party.starts[street.rng.integers(len(party.starts))]
    part = grid.components[grid.cell(tuple(start.tolist()))]
    goals = [goal for goal in party.goals.tolist() if grid.components[grid.cell(tuple(goal))] == part]
    far = [goal for goal in goals if abs(goal[0] - start[0]) + abs(goal[1] - start[1]) > 1]
    if party.exit is not None and start.tolist() in goals:
        return False
    margin = spawn.radius + MARGIN
    places = start * cell + margin + street.rng.random((TRIES, 2)) * (cell - 2 * margin)
    clear = np.flatnonzero(street.crowd.is_clear(places, min(spawn.radius + APART, 0.499 * cell)))
    if not far or not clear.size:
        return False
    goal = (np.array(far[street.rng.integers(len(far))]) + 0.5) * cell
    speed = spawn.speed * float(np.clip(street.rng.normal(1.0, SPREAD), 0.6, 1.5))
    agents = street.crowd.add(
        places[clear[:1]],
        party.exit or [goal],
        radius=spawn.radius,
        speed=speed,
        top_speed=2.2 * speed,
    )
    party.agents = np.append(party.agents, agents.astype(np.int64))
    party.own_speeds = np.append(party.own_speeds, speed)
    street.number_of = np.append(street.number_of, _number(street, party))
    return True


def _number(street: Street, party: Party) -> int:
    """The number of a new agent of `party`."""
    number = street.n_agents
    street.n_agents += 1
    street.kinds.append(street.kind_names.index(party.spawn.kind))
    street.radii.append(party.spawn.radius)
    party.numbers = np.append(party.numbers, number)
    party.population.add(1, street.time, street.rng)
    return number
