"""LRTA*_LS(k): LRTA* that raises up to k cells around the agent at once, each to what the cells around them say.

Hernandez and Meseguer, "Improving LRTA*(k)", IJCAI 2007; Vermette, "Salient Search", section 2.2.3.

Finds    a way to the goal if there is one; over repeated trials a cheapest one.
Keeps    what is learned never overestimates and stays consistent; with k = 1 it learns as LRTA* does. At most
         2 + w (k - 1) expansions for each move, where w is the number of neighbours.
Takes    about 30 bytes for each cell.
Differs  the agent takes one step and then learns again, also where nothing has changed.
"""

from wayfolk.realtime._one_ply import OnePly, n_ways, nearby

PAPER = "Hernandez and Meseguer 2007"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(world, start: int, goal: int, *, k: int = 8, watch: bool = False) -> OnePly:
    """A walk from `start` to `goal` that raises up to `k` cells before each step."""
    return OnePly(
        world, start, goal, name="lrta_ls_k", new_rule=nearby(world, k), bound=2 + n_ways(world) * (k - 1), watch=watch
    )
