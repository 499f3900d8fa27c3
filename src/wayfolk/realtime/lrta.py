"""LRTA*: look at the neighbours, remember how far the goal is through the best of them, and go there.

Korf, "Real-time heuristic search", Artificial Intelligence 1990, section 6; Vermette, "Salient Search", section 2.2.1.

Finds    a way to the goal if there is one (and no one-way edge leads into a trap); over repeated trials a cheapest one.
Keeps    what is learned never overestimates, and with a depth of 1 it stays consistent. For each move at most
         1 + w + ... + w^(depth - 1) expansions, where w is the number of neighbours: 1 with a depth of 1.
Takes    about 15 bytes for each cell.
Differs  with a depth of 2 or more it looks ahead depth first with alpha pruning, as RTA* does, and not breadth first; of
         neighbours where the agent has been, it takes what it remembers: else it could walk to and fro for ever.
"""

from wayfolk.realtime._one_ply import OnePly, minimin, tree_size

PAPER = "Korf 1990; Vermette 2011"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(world, start: int, goal: int, *, depth: int = 1, watch: bool = False) -> OnePly:
    """A walk from `start` to `goal` that looks `depth` steps ahead before each step."""
    return OnePly(
        world, start, goal, name="lrta", new_rule=minimin(depth, second=False), bound=tree_size(world, depth),
        keeps_rule=depth == 1, watch=watch,
    )  # fmt: skip
