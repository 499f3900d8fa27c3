"""Junctions: who may drive over a junction now; the others stop before it.

First come, first served: a vehicle gets the junction when it comes near, unless its way over it shares a cell with that of
somebody who has it, or who came earlier and waits for the same; and only if there is room behind the junction. It keeps the
junction until its rear has left. Those who come by the same lane follow each other.

Invariant   two vehicles that are in a junction at the same time came by the same lane, or their ways share no cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.street.lanes import StreetLane, Visit
from wayfolk.crowds.street.vehicles import BRAKE, GAP, LINE, ROOM, Vehicles

Floats = NDArray[np.float64]
NEAR = 8.0
"""Metres before a junction, beyond the way to brake, at which a vehicle asks for it."""


@dataclass
class Junctions:
    """For each vehicle by its number, the visit that it asked for and since when, and whether it has it."""

    asked: dict[tuple[int, int], float] = field(default_factory=dict)
    held: set[tuple[int, int]] = field(default_factory=set)

    def lines(self, vehicles: Vehicles, lanes: tuple[StreetLane, ...], time: float) -> Floats:
        """The metres to where each vehicle has to stop for a junction that it does not have."""
        lines = np.full(len(vehicles), np.inf)
        if not any(lane.junctions for lane in lanes):
            return lines
        gaps, _ = vehicles.leaders(lanes)
        ahead = [_next_visit(vehicles, lanes, row) for row in range(len(vehicles))]
        keys = {(int(vehicles.numbers[row]), k): row for row, k in enumerate(ahead) if k is not None}
        self.asked = {key: since for key, since in self.asked.items() if key in keys}
        self.held &= set(keys)
        for key, row in keys.items():
            visit = lanes[vehicles.lanes[row]].junctions[key[1]]
            braking = float(vehicles.speeds[row]) ** 2 / (2 * BRAKE)
            if visit.begin - vehicles.along[row] < braking + NEAR:
                self.asked.setdefault(key, time)
        waiting: list[Visit] = []
        for key in sorted(self.asked, key=lambda key: (key not in self.held, self.asked[key], key)):
            row = keys[key]
            visit, radius = lanes[vehicles.lanes[row]].junctions[key[1]], vehicles.radii[row]
            room = vehicles.along[row] + radius + gaps[row] > visit.end + 2 * radius + GAP + ROOM
            if key not in self.held and room:
                having = [lanes[vehicles.lanes[keys[k]]].junctions[k[1]] for k in self.held]
                if any(visit.conflicts(other) for other in (*having, *waiting)):
                    waiting.append(visit)
                else:
                    self.held.add(key)
        for key, row in keys.items():
            if key not in self.held:
                begin = lanes[vehicles.lanes[row]].junctions[key[1]].begin
                lines[row] = max(begin - LINE - vehicles.along[row] - vehicles.radii[row], 0.0)
        return lines


def _next_visit(vehicles: Vehicles, lanes: tuple[StreetLane, ...], row: int) -> int | None:
    """Which junction of its lane a vehicle is in or comes to next."""
    rear = vehicles.along[row] - vehicles.radii[row]
    for k, visit in enumerate(lanes[vehicles.lanes[row]].junctions):
        if rear < visit.end:
            return k
    return None
