"""LRTA*: the agent moves to the neighbour that seems nearest to the goal, and raises the heuristic of the cell it leaves.

Korf, "Real-time heuristic search", Artificial Intelligence 1990, section 6; Vermette, "Salient Search", section 2.2.1.

Guarantees  the agent reaches the goal if it can be reached (and no one-way edge leads into a trap); over repeated trials
            its path becomes a cheapest one.
Invariants  learned heuristics never overestimate, and with a depth of 1 they stay consistent. For each move at most
            1 + w + ... + w^(depth - 1) expansions, where w is the number of neighbours: 1 with a depth of 1.
Cost        about 15 bytes for each cell.
Deviations  with a depth of 2 or more it searches depth first with alpha pruning, as RTA* does, and not breadth first. For
            neighbours where the agent has been, it uses the learned value: otherwise it could move to and fro for ever.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._one_ply.agent import OnePly, tree_size
from wayfolk.algorithms.realtime._one_ply.minimin import UNBROKEN, minimin
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Korf 1990; Vermette 2011"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    depth: Annotated[int, Range(1, 1_000), "How many moves ahead the agent looks; time grows exponentially with it."] = 1,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> OnePly:  # fmt: skip
    """An agent that moves from `start` to `goal` and looks `depth` moves ahead before each move."""
    return OnePly(
        world, start, goal, name="lrta", new_rule=minimin(depth, second=False), bound=tree_size(world, depth),
        unbroken=UNBROKEN, is_consistent=depth == 1, watch=watch,
    )  # fmt: skip
