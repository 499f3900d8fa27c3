"""LRTA*_LS(k): LRTA* that raises up to k cells around the agent at once, each to the cost of leaving that area.

Hernandez and Meseguer, "Improving LRTA*(k)", IJCAI 2007; Vermette, "Salient Search", section 2.2.3.

Guarantees  the agent reaches the goal if it can be reached; over repeated trials its path becomes a cheapest one.
Invariants  learned heuristics never overestimate and stay consistent; with k = 1 it learns as LRTA* does. At most
            2 + w (k - 1) expansions for each move, where w is the number of neighbours.
Cost        about 30 bytes for each cell, and 180 k bytes.
Deviations  the agent makes one move and then learns again, also where nothing has changed.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._one_ply.agent import OnePly, n_ways, nearby
from wayfolk.world.grid import Grid

PAPER = "Hernandez and Meseguer 2007"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid, start: int, goal: int, *,
    k: Annotated[int, Range(1, 100_000), "The most cells that are raised before each move."] = 8,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> OnePly:  # fmt: skip
    """An agent that moves from `start` to `goal` and raises up to `k` cells before each move."""
    return OnePly(
        world, start, goal, name="lrta_ls_k", new_rule=nearby(world, k), bound=2 + n_ways(world) * (k - 1), watch=watch
    )
