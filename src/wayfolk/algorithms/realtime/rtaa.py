"""RTAA*: a small A* from the agent chooses the next moves, and its result raises the heuristic of every expanded cell.

Koenig and Likhachev, "Real-time adaptive A*", AAMAS 2006; depression avoidance (daRTAA*): Hernandez and Baier, "Avoiding
and escaping depressions in real-time heuristic search", JAIR 2012.

Guarantees  the agent reaches the goal if it can be reached (and no one-way edge leads into a trap); over repeated trials
            its path becomes a cheapest one.
Invariants  learned heuristics never overestimate and stay consistent; at most `expansions` for each move.
Cost        about 30 bytes for each cell.
Deviations  the agent moves all the way to the chosen cell before it plans again; `moves` stops it earlier. With `avoid`
            it moves to where least was learned, which leads out of depressions sooner; then trials need not end with a
            cheapest path.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._look_ahead.agent import LookAhead
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Koenig and Likhachev 2006; Hernandez and Baier 2012"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    expansions: Annotated[int, Range(1, 1_000_000), "The most expansions of a plan."] = 32,
    moves: Annotated[int, Range(0, 1_000_000), "The most moves before the next plan; 0 is to the end of the plan."] = 0,
    avoid: Annotated[bool, "Whether the agent moves to the open cell whose heuristic was raised least."] = False,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> LookAhead:  # fmt: skip
    """An agent that moves from `start` to `goal` with up to `expansions` for each plan."""
    return LookAhead(
        world, start, goal, name="rtaa", rule="rtaa", expansions=expansions, moves=moves, avoid=avoid, watch=watch
    )
