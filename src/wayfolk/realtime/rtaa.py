"""RTAA*: a small A* from where the agent is, and all it expanded is raised at once.

Koenig and Likhachev, "Real-time adaptive A*", AAMAS 2006; depression avoidance (daRTAA*): Hernandez and Baier, "Avoiding
and escaping depressions in real-time heuristic search", JAIR 2012.

Finds    a way to the goal if there is one; over repeated trials a cheapest one.
Keeps    what is learned never overestimates and stays consistent; at most `expansions` for each move.
Takes    8 bytes for each cell, and 16 that searches share.
Differs  the agent walks all the way to the chosen cell before it plans again; `moves` stops it earlier. With `avoid` it
         goes where least has been learned, which leads out of depressions sooner.
"""

from wayfolk.realtime._look_ahead import LookAhead

PAPER = "Koenig and Likhachev 2006; Hernandez and Baier 2012"
COMPLETE = True
LEARNS = True


def begin(
    world,
    start: int,
    goal: int,
    *,
    expansions: int = 32,
    moves: int = 0,
    avoid: bool = False,
    watch: bool = False,
) -> LookAhead:
    """A walk from `start` to `goal` with up to `expansions` for each plan."""
    return LookAhead(
        world, start, goal, rule="rtaa", expansions=expansions, moves=moves, avoid=avoid, watch=watch
    )
