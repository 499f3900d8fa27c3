"""LSS-LRTA*: a small A* from the agent chooses the next moves, and every expanded cell gets its exact cost to the rim.

Koenig and Sun, "Comparing real-time and incremental heuristic search for real-time situated agents", JAAMAS 2009. Also
known as K LRTA*.

Guarantees  the agent reaches the goal if it can be reached; over repeated trials its path becomes a cheapest one.
Invariants  learned heuristics never overestimate and stay consistent; at most `expansions` for each move.
Cost        about 30 bytes for each cell, and 150 for each of the `expansions`.
Deviations  the agent moves all the way to the best open cell before it plans again; `moves` stops it earlier.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._look_ahead.agent import LookAhead
from wayfolk.world.grid import Grid

PAPER = "Koenig and Sun 2009"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid, start: int, goal: int, *,
    expansions: Annotated[int, Range(1, 1_000_000), "The most expansions of a plan."] = 32,
    moves: Annotated[int, Range(0, 1_000_000), "The most moves before the next plan; 0 is to the end of the plan."] = 0,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> LookAhead:  # fmt: skip
    """An agent that moves from `start` to `goal` with up to `expansions` for each plan."""
    return LookAhead(
        world, start, goal, name="lss_lrta", rule="local_space", expansions=expansions, moves=moves, avoid=False,
        watch=watch,
    )  # fmt: skip
