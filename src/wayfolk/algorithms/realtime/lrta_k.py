"""LRTA*(k): LRTA* that passes each change of the heuristic on to visited neighbours, up to k cells for each move.

Hernandez and Meseguer, "LRTA*(k)", IJCAI 2005; Vermette, "Salient Search", section 2.2.3.

Guarantees  the agent reaches the goal if it can be reached (and no one-way edge leads into a trap); over repeated trials
            its path becomes a cheapest one.
Invariants  learned heuristics never overestimate and stay consistent; with k = 1 it is LRTA*. At most k + 1 expansions
            for each move: the last one chooses the move, after others have been raised.
Cost        about 20 bytes for each cell and 4 k bytes.
Deviations  a cell is expanded again only if the neighbour its value came from (its support) was raised, as the authors
            suggest.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._one_ply.agent import OnePly, queued
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Hernandez and Meseguer 2005"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    k: Annotated[int, Range(1, 1_000_000), "The most cells that are looked at before each move."] = 8,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> OnePly:  # fmt: skip
    """An agent that moves from `start` to `goal` and looks at up to `k` cells before each move."""
    return OnePly(
        world, start, goal, name="lrta_k", new_rule=queued(world, k), bound=k + 1 if k > 1 else 1, watch=watch
    )
