"""A*-Replan: everybody takes the shortest path and reserves the next few cells of it.

Sigurdson, Bulitko, Yeoh, Hernandez and Koenig, "Multi-agent pathfinding with real-time heuristic search", 2018;
Bakos, slides, 2022. The machinery of FAR without its one-way streets.

Finds    a path for each agent as if it were alone. Nothing is promised for all of them: agents can block each other for
         ever, in corridors above all.
Keeps    a cell is reserved by one agent at a time; an agent that waits has reserved nothing but its own cell, and waits
         for one other.
Takes    one A* for each agent at the start, at most `expansions` cells in a step; memory for the moves that are left to
         all agents together.
Differs  neither the paper nor the slides describe it beyond `reservation`: it is `far` on all moves of the map. See there.
"""

from typing import Literal

from wayfolk.controllers import Controller
from wayfolk.controllers._far import Reserving
from wayfolk.problem import Problem

PAPER = "Sigurdson et al. 2018; Bakos 2022"
OPTIMAL = False
COMPLETE = False
SEES = "all"


def begin(
    problem: Problem,
    *,
    seed: int = 0,
    reservation: int = 3,
    whole: bool = True,
    expansions: int = 262_144,
    order: Literal["fixed", "rotated", "shuffled"] = "rotated",
) -> Controller:
    """Agents that reserve `reservation` cells ahead; all together search `expansions` cells in a step.

    With `whole` an agent takes all of these cells or none, without it as many as are free before the first that is not.
    `order` is who is served first: "fixed", "rotated" by one at each step, or "shuffled" by `seed`.
    """
    return Reserving(problem, seed, lambda grid: grid.graph, reservation, whole, expansions, order)
