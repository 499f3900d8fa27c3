"""RTA*: the agent looks a few moves ahead, makes the best move, and remembers the value of the second best.

Korf, "Real-time heuristic search", Artificial Intelligence 1990, section 3; Arun, section 4.0.9.

Guarantees  the agent reaches the goal if it can be reached.
Invariants  the remembered value of a cell is the cost of going on from there another way; it is of no use to a later walk.
            For each move at most 1 + w + ... + w^(depth - 1) expansions, where w is the number of neighbours.
Cost        about 15 bytes for each cell; time that grows exponentially with depth, much less where alpha pruning applies.
Deviations  paths that visit a cell twice are not followed. Ties go to the first neighbour, not to a random one.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._agent import need_two_ways
from wayfolk.algorithms.realtime._one_ply.agent import OnePly, tree_size
from wayfolk.algorithms.realtime._one_ply.minimin import UNBROKEN, minimin
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Korf 1990; Arun"
OPTIMAL = False
COMPLETE = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    depth: Annotated[int, Range(1, 1_000), "How many moves ahead the agent looks; time grows exponentially with it."] = 3,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> OnePly:  # fmt: skip
    """An agent that moves from `start` to `goal` and looks `depth` moves ahead before each move."""
    need_two_ways(world, "rta")
    return OnePly(
        world, start, goal, name="rta", new_rule=minimin(depth, second=True), bound=tree_size(world, depth),
        unbroken=UNBROKEN, is_consistent=False, watch=watch,
    )  # fmt: skip
