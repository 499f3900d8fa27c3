"""LRTA*(k): LRTA* that passes on what it learns to cells where it has been, up to k for each step.

Hernandez and Meseguer, "LRTA*(k)", IJCAI 2005; Vermette, "Salient Search", section 2.2.3.

Finds    a way to the goal if there is one (and no one-way edge leads into a trap); over repeated trials a cheapest one.
Keeps    what is learned never overestimates and stays consistent; with k = 1 it is LRTA*. At most k + 1 expansions for
         each move: the last one chooses the step, once others have been raised.
Takes    about 20 bytes for each cell.
Differs  a cell is looked at again only if the neighbour it relied on (its support) was raised, as the authors suggest.
"""

from wayfolk.realtime._one_ply import OnePly, queued

PAPER = "Hernandez and Meseguer 2005"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(world, start: int, goal: int, *, k: int = 8, watch: bool = False) -> OnePly:
    """A walk from `start` to `goal` that looks at up to `k` cells before each step."""
    return OnePly(
        world, start, goal, name="lrta_k", new_rule=queued(world, k), bound=k + 1 if k > 1 else 1, watch=watch
    )
