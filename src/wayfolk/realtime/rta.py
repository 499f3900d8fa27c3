"""RTA*: look a few steps ahead, take the best one, and remember what the second best said.

Korf, "Real-time heuristic search", Artificial Intelligence 1990, section 3; Arun's thesis, section 4.0.9.

Finds    a way to the goal if there is one.
Keeps    what is remembered of a cell is what it would cost to go on from there some other way; it is of no use to a
         later walk. For each move at most 1 + w + ... + w^(depth - 1) expansions, where w is the number of neighbours.
Takes    about 15 bytes for each cell; time that grows with w^depth, much less where ways can be pruned (alpha pruning).
Differs  ways that come back to themselves are not followed. Among equals the first is taken, not one by chance.
"""

from wayfolk.realtime._one_ply import OnePly, minimin, tree_size
from wayfolk.realtime._walker import need_two_ways

PAPER = "Korf 1990; Arun"
OPTIMAL = False
COMPLETE = True
ADAPTS = True


def begin(world, start: int, goal: int, *, depth: int = 3, watch: bool = False) -> OnePly:
    """A walk from `start` to `goal` that looks `depth` steps ahead before each step."""
    need_two_ways(world, "rta")
    return OnePly(
        world, start, goal, name="rta", new_rule=minimin(depth, second=True), bound=tree_size(world, depth),
        keeps_rule=False, watch=watch,
    )  # fmt: skip
