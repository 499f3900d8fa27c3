"""A*-Replan: each agent follows a shortest path and reserves the next few cells of it.

Sigurdson, Bulitko, Yeoh, Hernandez and Koenig, "Multi-agent pathfinding with real-time heuristic search", 2018;
Bakos, slides, 2022. FAR without its one-way map.

Guarantees  a shortest path for each agent as if it were alone. None for all agents together: they can block each other
            for ever, above all in corridors.
Invariants  a cell is reserved by one agent at a time. An agent that waits has reserved its own cell only, and waits for
            one other agent.
Cost        one A* for each agent at the start, at most `expansions` nodes in a step. Memory for the moves that are left
            to all agents together.
Deviations  the paper and the slides describe nothing but `reservation`: it is `far` on all moves of the map. See there.
            Their agents walk fifteen times as far on the smallest map, and must have searched again whenever cells were
            taken: `jams="replan"` does so, around the agents near, and no agent makes way.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.controllers import Controller
from wayfolk.algorithms.controllers.far.controller import Reserving
from wayfolk.algorithms.options import Range
from wayfolk.problem.problem import Problem

PAPER = "Sigurdson et al. 2018; Bakos 2022"
OPTIMAL = False
COMPLETE = False
SEES = "all"


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), 'Random seed; used by the order "shuffled" only.'] = 0,
    reservation: Annotated[int, Range(1, 64), "Cells ahead that an agent reserves."] = 3,
    whole: Annotated[bool, "Reserve all of these cells or none; otherwise as many as are free."] = True,
    expansions: Annotated[
        int, Range(1, 4_000_000), "Nodes that the searches of all agents together expand in a step."
    ] = 262_144,
    order: Annotated[
        Literal["fixed", "rotated", "shuffled"],
        "Who reserves first: the lowest number (fixed), another agent in each step (rotated), or a random one.",
    ] = "rotated",
    jams: Annotated[
        Literal["break", "leave", "replan"],
        "Agents that wait for each other make way (break), wait on (leave), or search again at once (replan).",
    ] = "break",
) -> Controller:
    """Return a controller of the agents of `problem` by A*-Replan."""
    return Reserving(problem, seed, None, reservation, whole, expansions, order, jams)
