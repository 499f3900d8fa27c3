"""P-LRTA*: LRTA* that passes changes of the heuristic on to neighbours, the largest changes first.

Rayner, Davison, Bulitko, Anderson and Lu, "Real-time learning with prioritized LRTA*", IJCAI 2007; Vermette, "Salient
Search", section 2.2.5.

Guarantees  the agent reaches the goal if it can be reached (and no one-way edge leads into a trap); over repeated trials
            its path becomes a cheapest one.
Invariants  learned heuristics never overestimate and stay consistent; with beta = 0 it is LRTA*. At most beta + 2
            expansions for each move. A cell is in the queue once; up to `room` cells stay in it for later moves.
Cost        about 20 bytes for each cell; for each move up to beta searches of a queue of `room` cells.
Deviations  from Vermette's Algorithm 3, which never fills the queue: as the authors have it, when a cell is raised its
            neighbours join the queue, with the size of the change as priority.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._one_ply.agent import OnePly, prioritised
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Rayner et al. 2007"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    beta: Annotated[int, Range(0, 10_000), "The most cells of the queue that are looked at before each move."] = 8,
    room: Annotated[int, Range(1, 1_000), "The most cells in the queue; the smallest changes are dropped."] = 64,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> OnePly:  # fmt: skip
    """An agent that moves from `start` to `goal` and looks at up to `beta` cells of the queue before each move."""
    return OnePly(
        world, start, goal, name="p_lrta", new_rule=prioritised(world, beta, room), bound=beta + 2 if beta else 1,
        watch=watch,
    )  # fmt: skip
