"""Jump point search: A* that skips along straight lines to the cells where a shortest path has to turn.

Harabor and Grastien, "Online graph pruning for pathfinding on grid maps", AAAI 2011; "Improving jump point search",
ICAPS 2014 (block scanning, pruning of intermediate points).

Guarantees  a cheapest path, if there is one, where all cells cost the same.
Invariants  when it ends, no open jump point has a smaller f = g + h than the path's cost.
Cost        time proportional to the jump points whose f is below that cost and the rows scanned from them, 64 cells at a
            time; half a byte of tables for each cell, made in one pass when a map is first searched.
Deviations  where a straight run ends is not computed from three rows of walls at each step, but read from one row of
            bits made beforehand (`jps/scan.py`), the same for both corner rules. Intermediate points on diagonals are
            never opened.
"""

from typing import Annotated

from wayfolk.algorithms.search._best_first import BestFirst
from wayfolk.algorithms.search._jump_points import WatchedJumps, on_jumps
from wayfolk.algorithms.search.jps.scan import new_stops, watched
from wayfolk.world.grid import Grid

PAPER = "Harabor and Grastien 2011, 2014"
OPTIMAL = True
COMPLETE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> BestFirst:
    """A search from `start` to `goal`."""
    method = on_jumps(world, "jps", new_stops)
    if watch:
        return WatchedJumps(world, start, goal, method, watched, bound=1.0)
    return BestFirst(world, start, goal, method, watch, bound=1.0)
