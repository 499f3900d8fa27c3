"""Doors: how fast a room empties through a door, by its width and by how fast people want to walk.

Published values, cited as the literature gives them; the originals were not at hand. Specific flow through doors and
bottlenecks, in persons a metre and second: 1.2 (Weidmann 1993), 1.3 (SFPE handbook), 1.6 (Predtechenskii and Milinskii
1971), 1.9 (Seyfried, Passon, Steffen, Boltes, Rupprecht and Klingsch 2009). Faster is slower: Helbing, Farkas and Vicsek
2000 find that 200 agents leave a room of 15 x 15 m by a door of 1 m soonest if they want to walk at about 1.5 m/s, and
later if they want to walk faster. That needs short steps: longer ones limit the friction, see docs/crowds.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wayfolk.algorithms.crowds.orca import Orca
from wayfolk.crowds.crowd import Crowd
from wayfolk.world.space import Space

LEAST_FLOW, MOST_FLOW = 1.2, 1.9
"""Published specific flows, in persons a metre and second."""
WALL = 0.4  # metres


@dataclass(frozen=True)
class Evacuation:
    """How a room emptied: when each agent passed the door, in order, and how many did not.

    `flow` is persons a second between the 10th and the 90th percentile of those who passed, and `specific_flow` that for a
    metre of the door. `squeezed` is the share of those within a metre of the door who find no permitted velocity, step by
    step; NaN for other models than ORCA.
    """

    model: str
    width: float
    speed: float
    seconds: tuple[float, ...]
    n_left: int
    squeezed: float = float("nan")

    @property
    def flow(self) -> float:
        """Persons a second while there is a queue."""
        low, high = int(0.1 * len(self.seconds)), int(0.9 * len(self.seconds)) - 1
        if high <= low:
            return 0.0
        return (high - low) / max(self.seconds[high] - self.seconds[low], 1e-9)

    @property
    def specific_flow(self) -> float:
        """Persons a metre and second."""
        return self.flow / self.width

    @property
    def duration(self) -> float:
        """Seconds until the last one left, infinite if somebody did not."""
        return float("inf") if self.n_left or not self.seconds else self.seconds[-1]


def empty_room(
    model: str = "social_force",
    *,
    width: float = 1.0,
    speed: float = 1.34,
    agents: int = 100,
    side: float = 10.0,
    radius: float = 0.25,
    limit: float = 300.0,
    seed: int = 0,
    **options: Any,
) -> Evacuation:
    """Let agents leave a square room by a door in the middle of its right wall."""
    space = room(side, width)
    if model == "social_force" and speed > 1.5:
        options.setdefault("step", 0.002)  # who pushes hard rubs hard
    crowd = Crowd(space, model, seed=seed, **options)
    rng = np.random.default_rng(seed)
    places = packed(agents, side, radius, rng)
    middle = side / 2
    radii = np.full(agents, radius) if model == "orca" else rng.uniform(0.9, 1.1, agents) * radius
    crowd.add(places, radius=radii, speed=speed, top_speed=max(5.0, 2 * speed))
    agents_left = crowd.active
    passed: list[float] = []
    squeezed: list[bool] = []
    # behind the door everybody walks on to the right; before it, to the nearest point of the opening
    while len(agents_left) and crowd.time < limit:
        here = crowd.places[agents_left]
        gap = max(width / 2 - 1.2 * radius, 0.0)
        aim_y = np.clip(here[:, 1], middle - gap, middle + gap)
        is_in = here[:, 0] < side - 0.5 * radius
        crowd.bodies.aims[agents_left, 0] = np.where(is_in, side + 0.1, here[:, 0] + 5.0)
        crowd.bodies.aims[agents_left, 1] = np.where(is_in, aim_y, here[:, 1])
        crowd.step()
        if isinstance(crowd.model, Orca):
            at_door = agents_left[np.hypot(side - here[:, 0], middle - here[:, 1]) < 1.0]
            squeezed.extend(crowd.model.squeezed[at_door].tolist())
        out = agents_left[crowd.places[agents_left, 0] > side + WALL]
        passed += [crowd.time] * len(out)
        gone = agents_left[crowd.places[agents_left, 0] > side + 3.0]
        if len(gone):
            crowd.remove(gone)
        out_now = crowd.places[:, 0] > side + WALL
        agents_left = crowd.active[~out_now[crowd.active]]
        _walk_on(crowd, crowd.active[out_now[crowd.active]])
    share = float(np.mean(squeezed)) if squeezed else float("nan")
    return Evacuation(model, width, speed, tuple(passed), len(agents_left), share)


def _walk_on(crowd: Crowd, agents: Any) -> None:
    """Let those behind the door walk on to the right."""
    crowd.bodies.aims[agents] = crowd.places[agents] + [5.0, 0.0]
    gone = agents[crowd.places[agents, 0] > crowd.space.segments[:, 0].max() + 2.0]
    if len(gone):
        crowd.remove(gone)


def room(side: float, width: float) -> Space:
    """A square room with a door in the middle of its right wall, open to the right."""
    return Space(polygons=walls_of_room(side, width))


def walls_of_room(side: float, width: float) -> list[list[tuple[float, float]]]:
    """The corners of its walls, one ring for each."""
    low, high, thick = (side - width) / 2, (side + width) / 2, WALL
    return [
        [(-thick, -thick), (side + thick, -thick), (side + thick, 0), (-thick, 0)],
        [(-thick, side), (side + thick, side), (side + thick, side + thick), (-thick, side + thick)],
        [(-thick, 0), (0, 0), (0, side), (-thick, side)],
        [(side, 0), (side + thick, 0), (side + thick, low), (side, low)],
        [(side, high), (side + thick, high), (side + thick, side), (side, side)],
    ]


def packed(agents: int, side: float, radius: float, rng: np.random.Generator) -> Any:
    """Places in the left part of the room, on a jittered lattice."""
    apart = 2.4 * radius
    columns = int((side - 2 * radius) / apart)
    lattice = np.array([(x, y) for x in range(columns) for y in range(columns)], np.float64)[:agents]
    if len(lattice) < agents:
        raise ValueError(f"{agents} agents do not fit into the room")
    return radius * 1.2 + lattice * apart + rng.uniform(0.0, 0.1 * radius, lattice.shape)
