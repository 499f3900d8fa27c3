"""FAR: each agent follows a path on a one-way map and reserves the next few cells of it.

Wang and Botea, "Fast and memory-efficient multi-agent pathfinding", 2008; Bakos, slides on BMAA*, 2022.

Guarantees  a path for each agent as if it were alone, on the one-way map of `wayfolk.world.flow`. None for
            all agents together: they can block each other for ever, above all in corridors.
Invariants  a cell is reserved by one agent at a time. An agent that waits has reserved its own cell only, and waits for
            one other agent.
Cost        one A* for each agent at the start, at most `expansions` nodes in a step: an agent without a path waits.
            Memory for the moves that are left to all agents together. After an edit of the map, those who have lost their
            paths, or may find shorter ones, search with a small part of these expansions, over the next steps.
Deviations  we know the paper's deadlock breaking in outline only. Here one agent of a cycle of waiting agents, the one
            that most others wait for, goes to the nearest cell that is not among the next `reservation` cells of any
            agent, and comes back when the other has passed. An agent that stands on its goal, or has no path, makes way
            in the same manner. An agent that makes way too often stays for a while. An agent that has waited long looks
            for a path around those near it. Cells are reserved together and walked before the next ones are asked for,
            so that an agent holds only its own cell while it waits. With `jams="leave"` no agent makes way or looks for
            another path, as in the slides, as far as their figures tell; with `jams="replan"` an agent whose cells are
            taken searches at once for a path around the agents near, and no agent makes way.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.controllers import Controller
from wayfolk.algorithms.controllers.far.controller import Reserving
from wayfolk.algorithms.options import Range
from wayfolk.problem.problem import Problem

PAPER = "Wang and Botea 2008"
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
    parity: Annotated[int, Range(0, 3), "Which rows and columns lead which way; see `wayfolk.world.flow`."] = 0,
) -> Controller:
    """Return a controller of the agents of `problem` by FAR."""
    return Reserving(problem, seed, parity, reservation, whole, expansions, order, jams)
