"""RTAA*: a small A* from where the agent is, and all it expanded is raised at once.

Koenig and Likhachev, "Real-time adaptive A*", AAMAS 2006; depression avoidance (daRTAA*): Hernandez and Baier, "Avoiding
and escaping depressions in real-time heuristic search", JAIR 2012.

Finds    a way to the goal if there is one (and no one-way edge leads into a trap); over repeated trials a cheapest one.
Keeps    what is learned never overestimates and stays consistent; at most `expansions` for each move.
Takes    about 30 bytes for each cell.
Differs  the agent walks all the way to the chosen cell before it plans again; `moves` stops it earlier. With `avoid` it
         goes where least has been learned, which leads out of depressions sooner, but need not end at a cheapest way.
"""

from wayfolk.realtime._look_ahead import LookAhead

PAPER = "Koenig and Likhachev 2006; Hernandez and Baier 2012"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


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
        world, start, goal, name="rtaa", rule="rtaa", expansions=expansions, moves=moves, avoid=avoid, watch=watch
    )
