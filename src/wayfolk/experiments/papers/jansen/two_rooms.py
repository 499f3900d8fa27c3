"""Flocks that go to and fro between two rooms, alone or guided by a direction map.

Jansen, "Multi-agent pathfinding with direction maps", 2008, section 5.1 and Figure 5.1: two rooms are joined by two
corridors. An efficient way is one corridor for each direction, "which is not done by default by flocking approaches"; a
direction map could guide the flock through the right corridor. Jansen has no numbers for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.trajectory import Trajectory
from wayfolk.crowds.ways import DirectionMapWays, FlowWays, Ways
from wayfolk.errors import BadInput
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.generate import two_rooms
from wayfolk.world.space import Space

WALKERS = {  # a flock of people: radii in metres that fit their size
    "separation_radius": 0.9, "separation_weight": 6.0, "separation_cosine": -1.0,
    "alignment_radius": 2.0, "alignment_weight": 1.0,
    "cohesion_radius": 3.0, "cohesion_weight": 0.5,
    "seek": 6.0, "force": 8.0, "wall_time": 0.15,
}  # fmt: skip
SLOW = 0.2  # share of the wanted speed below which an agent is in a jam


@dataclass(frozen=True)
class Traffic:
    """What came of it.

    crossings   how often an agent came from one room to the other
    seconds     mean seconds of a crossing, from the goal in one room to that in the other
    jammed      share of the agents' time in which they hardly move
    order       from 0 to 1: how far the corridors are used one way each, at the end; 1 is one direction in each
    shares      by time, for the two corridors: the share of those in it who go to the right; NaN when it is empty
    coherence   of the direction map at the end; 0 without one
    """

    crossings: int
    seconds: float
    jammed: float
    order: float
    shares: NDArray[np.float64]
    coherence: float
    trajectory: Trajectory


def patrol_two_rooms(
    guided: bool,
    *,
    agents: int = 60,
    seconds: float = 300.0,
    room: int = 12,
    length: int = 8,
    width: int = 2,
    w_max: float = 10.0,
    seed: int = 0,
    **options: Any,
) -> Traffic:
    """Let half of the agents begin in each room and patrol to the other; with `guided`, a direction map leads them."""
    if agents < 2:
        raise BadInput(f"a patrol of two rooms needs 2 agents or more, not {agents}")
    grid = two_rooms(room, length, width)
    space = Space(grid)
    directions = DirectionMap(grid, alpha=0.1)
    ways: Ways = DirectionMapWays(space, directions, w_max=w_max, every=1.0) if guided else FlowWays(space)
    crowd = Crowd(space, "flock", ways=ways, seed=seed, **(WALKERS | options))
    middle = room / 2
    ends = np.array([(1.5, middle), (2 * room + length - 1.5, middle)])
    places = _in_rooms(agents, room, length, np.random.default_rng(seed))
    to_right = np.arange(agents) % 2 == 0
    crowd.add(places, ends[to_right.astype(int)], radius=0.25, speed=1.3, group=to_right)
    begun, took = np.zeros(agents), []
    slow = n_steps = 0
    shares: list[tuple[float, float]] = []
    use = np.zeros((2, 2))  # by corridor and direction, in the last third

    def turn_round(crowd: Crowd) -> None:
        nonlocal slow, n_steps
        x = crowd.places[:, 0]
        there = np.where(to_right, x > ends[1, 0] - 1.5, x < ends[0, 0] + 1.5)
        if there.any():
            who = np.flatnonzero(there)
            took.extend((crowd.time - begun[who]).tolist())
            begun[who] = crowd.time
            to_right[who] = ~to_right[who]
            crowd.bodies.groups[who] = to_right[who]
            crowd.set_goals(who, ends[to_right[who].astype(int)])
        inside = (x > room) & (x < room + length)
        upper = crowd.places[:, 1] < middle
        slow += int((np.sqrt((crowd.velocities**2).sum(1)) < SLOW * crowd.speeds).sum())
        n_steps += agents
        if crowd.tick % round(1.0 / crowd.step_seconds) == 0:
            shares.append((_mean(to_right[inside & upper]), _mean(to_right[inside & ~upper])))
        if crowd.time > seconds * 2 / 3:
            for k, here in enumerate((inside & upper, inside & ~upper)):
                use[k] += (here & to_right).sum(), (here & ~to_right).sum()

    trajectory = crowd.run(seconds, every=0.5, before_step=turn_round)
    total = use.sum(1)
    apart = np.abs(use[:, 0] - use[:, 1]).sum() / max(total.sum(), 1.0)
    return Traffic(
        len(took),
        float(np.mean(took)) if took else float("inf"),
        slow / max(n_steps, 1),
        float(apart),
        np.array(shares),
        directions.coherence() if guided else 0.0,
        trajectory,
    )


def _mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _in_rooms(agents: int, room: int, length: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Places in the two rooms in turn, on a jittered lattice."""
    spots = np.array([(x, y) for x in range(1, room - 2) for y in range(1, room - 1)], np.float64)
    if agents > 2 * len(spots):
        raise BadInput(f"{agents} agents do not fit into two rooms of {room} cells a side")
    left = spots[rng.permutation(len(spots))][: -(-agents // 2)]
    right = spots[rng.permutation(len(spots))][: agents // 2]
    places = np.zeros((agents, 2))
    places[::2] = left
    places[1::2] = [2 * room + length, room] - right
    return places + rng.uniform(-0.1, 0.1, places.shape)
