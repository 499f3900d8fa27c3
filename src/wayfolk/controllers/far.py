"""FAR: everybody walks in one-way streets and reserves the next few cells of its path.

Wang and Botea, "Fast and memory-efficient multi-agent pathfinding", 2008; Bakos, slides on BMAA*, 2022.

Finds    a path for each agent as if it were alone, in the streets that `wayfolk.flow` makes of the map. Nothing is
         promised for all of them: agents can block each other for ever, in corridors above all.
Keeps    a cell is reserved by one agent at a time; an agent that waits has reserved nothing but its own cell, and waits
         for one other.
Takes    one A* for each agent at the start, at most `expansions` cells in a step: whoever has no path yet waits. Memory
         for the moves that are left to all agents together.
Differs  the paper's deadlock breaking is known to us in outline only. Here one of a circle of waiting agents, the one whom
         most others wait for, goes to the nearest cell that is on nobody's next `reservation` cells, and comes back when
         the other has passed; so does an agent that stands on its goal, or has no way to it. An agent that makes way
         too often stays for a while. Who has waited long looks for a way around those near it. Cells are reserved
         together and walked before the next are asked for, so that nobody keeps more than its cell while it waits.
"""

from typing import Literal

from wayfolk.controllers import Controller
from wayfolk.controllers._far import Reserving
from wayfolk.errors import BadInput
from wayfolk.flow import flow_of
from wayfolk.problem import Problem

PAPER = "Wang and Botea 2008"
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
    parity: int = 0,
) -> Controller:
    """Agents that reserve `reservation` cells ahead; all together search `expansions` cells in a step.

    With `whole` an agent takes all of these cells or none, without it as many as are free before the first that is not.
    `order` is who is served first: "fixed", "rotated" by one at each step, or "shuffled" by `seed`. `parity` from 0 to 3
    turns the streets round, see `wayfolk.flow`.
    """
    if not 0 <= parity <= 3:
        raise BadInput(f"parity must be 0, 1, 2 or 3, not {parity}")
    return Reserving(problem, seed, lambda grid: flow_of(grid, parity).graph, reservation, whole, expansions, order)
