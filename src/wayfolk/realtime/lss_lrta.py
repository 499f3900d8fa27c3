"""LSS-LRTA*: a small A* from where the agent is, and exact costs to its rim for all it expanded.

Koenig and Sun, "Comparing real-time and incremental heuristic search for real-time situated agents", JAAMAS 2009. Also
known as K LRTA*.

Finds    a way to the goal if there is one; over repeated trials a cheapest one.
Keeps    what is learned never overestimates and stays consistent; at most `expansions` for each move.
Takes    about 30 bytes for each cell.
Differs  the agent walks all the way to the best open cell before it plans again; `moves` stops it earlier.
"""

from wayfolk.realtime._look_ahead import LookAhead

PAPER = "Koenig and Sun 2009"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(world, start: int, goal: int, *, expansions: int = 32, moves: int = 0, watch: bool = False) -> LookAhead:
    """A walk from `start` to `goal` with up to `expansions` for each plan."""
    return LookAhead(
        world, start, goal, name="lss_lrta", rule="local_space", expansions=expansions, moves=moves, avoid=False,
        watch=watch,
    )  # fmt: skip
