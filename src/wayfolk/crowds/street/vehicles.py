"""Vehicles on their lanes, which keep a safe distance, stop at lines, and never drive into anybody before them.

The speed is the highest from which a vehicle can still stop behind the one before it: Krauss, "Microscopic modeling of
traffic flow", 1998, section 3. Somebody who steps before a vehicle too late for its brakes stops it at once; that is
counted as an emergency.

Invariants  two vehicles of a lane, or of lanes that share cells, never overlap; a vehicle never moves into a pedestrian;
            it stops before a line at which it wants to stop, if its brakes allow it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.street.lanes import StreetLane

Floats = NDArray[np.float64]
SPEED_UP = 2.0
BRAKE = 3.5
HARD = 8.0
"""Metres a second squared: speeding up, braking, and braking as hard as possible."""
REACTION = 0.3
GAP = 1.2
"""Metres between two vehicles that stand."""
LINE = 0.6
"""Metres between a stop line and the crossing behind it."""
ROOM = 1.0
"""Metres that a vehicle needs behind a crossing, beyond its own length, before it drives onto it."""
FAR = 60.0


@dataclass
class Vehicles:
    """A row for each vehicle: its number, its lane, where it is on the lane (its middle), speed and radius.

    served     the number of bus stops that it has served
    emergency  whether it was stopped harder than its brakes could
    """

    numbers: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    lanes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    along: Floats = field(default_factory=lambda: np.zeros(0))
    speeds: Floats = field(default_factory=lambda: np.zeros(0))
    radii: Floats = field(default_factory=lambda: np.zeros(0))
    served: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    emergency: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, number: int, lane: int, radius: float, speed: float) -> None:
        """Add a vehicle at the start of a lane, at this speed."""
        for name, value in (
            ("numbers", number), ("lanes", lane), ("along", 0.0), ("speeds", speed), ("radii", radius), ("served", 0),
            ("emergency", False),
        ):  # fmt: skip
            column = getattr(self, name)
            setattr(self, name, np.append(column, np.array([value], column.dtype)))

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Forget all but the chosen."""
        for name in ("numbers", "lanes", "along", "speeds", "radii", "served", "emergency"):
            setattr(self, name, getattr(self, name)[chosen])

    def places(self, lanes: tuple[StreetLane, ...]) -> tuple[Floats, Floats]:
        """The places and headings of all."""
        places, headings = np.zeros((len(self), 2)), np.zeros(len(self))
        for number, lane in enumerate(lanes):
            rows = self.lanes == number
            places[rows], headings[rows] = lane.at(self.along[rows]), lane.headings(self.along[rows])
        return places, headings

    def leaders(self, lanes: tuple[StreetLane, ...]) -> tuple[Floats, Floats]:
        """The free metres before each vehicle up to the next one on its way, and the speed of that one."""
        gaps, speeds = np.full(len(self), FAR), np.full(len(self), np.inf)
        for number in np.unique(self.lanes):
            along = self._along(lanes, int(number))
            rows = np.flatnonzero(~np.isnan(along))
            rows = rows[np.argsort(along[rows], kind="stable")]
            behind, before = rows[:-1], rows[1:]
            own = self.lanes[behind] == number
            behind, before = behind[own], before[own]
            gaps[behind] = along[before] - self.radii[before] - along[behind] - self.radii[behind]
            speeds[behind] = self.speeds[before]
        return gaps, speeds

    def _along(self, lanes: tuple[StreetLane, ...], lane: int) -> Floats:
        """How far along a lane each vehicle is, NaN if it is not on it."""
        along = np.full(len(self), np.nan)
        for number in np.unique(self.lanes):
            rows = self.lanes == number
            along[rows] = lanes[lane].places_of(lanes[number], self.along[rows], self.radii[rows])
        return along

    def has_room(self, lanes: tuple[StreetLane, ...], lane: int, radius: float) -> bool:
        """Whether a vehicle may come in at the start of a lane."""
        return self.room_on(lanes, lane, radius) > 2 * GAP

    def room_on(self, lanes: tuple[StreetLane, ...], lane: int, radius: float) -> float:
        """The metres before a vehicle that comes in at the start of a lane."""
        rears = self._along(lanes, lane) - self.radii
        return float(np.where(np.isnan(rears), FAR, rears).min(initial=FAR) - radius)

    def advance(
        self, lanes: tuple[StreetLane, ...], seconds: float, targets: Floats, lines: Floats, persons: Floats
    ) -> None:
        """Drive for one step.

        `targets` are the speeds that are wanted, `lines` the metres to where each wants to stop, and `persons` the
        metres that each can move before it touches somebody.
        """
        gaps, leading = self.leaders(lanes)
        wanted = np.minimum(self.speeds + SPEED_UP * seconds, np.maximum(targets, self.speeds - BRAKE * seconds))
        wanted = np.minimum(wanted, safe_speed(gaps - GAP, np.where(np.isinf(leading), 0.0, leading)))
        wanted = np.minimum(wanted, safe_speed(lines, 0.0))
        wanted = np.minimum(wanted, safe_speed(persons - 0.4, 0.0))
        speeds = np.maximum(wanted, self.speeds - HARD * seconds)
        most = np.maximum(np.minimum(gaps, persons), 0.0) / seconds
        self.emergency = most < speeds - 1e-9
        self.speeds = np.clip(np.minimum(speeds, most), 0.0, None)
        self.along = self.along + self.speeds * seconds


def safe_speed(gap: Floats, leading: Floats | float) -> Floats:
    """The highest speed from which a vehicle can stop within `gap` metres behind one that brakes from speed `leading`."""
    reach = np.maximum(gap, 0.0)
    speed: Floats = -BRAKE * REACTION + np.sqrt((BRAKE * REACTION) ** 2 + np.square(leading) + 2 * BRAKE * reach)
    return np.where(gap <= 0.0, 0.0, np.maximum(speed, 0.0))
