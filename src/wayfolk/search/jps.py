"""Jump point search: A* that runs straight ahead until there is something to walk round.

Harabor and Grastien, "Online graph pruning for pathfinding on grid maps", AAAI 2011; "Improving jump point search",
ICAPS 2014 (block scanning, pruning of intermediate points).

Finds    a cheapest path, if there is one, where all cells cost the same.
Keeps    when it ends, no open jump point has a smaller f = g + h than the path's cost.
Takes    time in proportion to the jump points whose f is below that cost and the rows scanned from them, 64 cells at a
         time; half a byte of tables for each cell, made in one pass when a map is first searched.
Differs  where a straight run ends is not worked out from three rows of walls at each step, but read from one row of bits
         made beforehand (`kernels/jump_scan.py`); that is the same for both rules about corners. Intermediate points
         on diagonals are never opened.
"""

from wayfolk.kernels.jump_scan import new_stops
from wayfolk.search._jump import JumpSearch

PAPER = "Harabor and Grastien 2011, 2014"
OPTIMAL = True
COMPLETE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


def begin(world, start: int, goal: int, *, watch: bool = False) -> JumpSearch:
    """A search from `start` to `goal`."""
    return JumpSearch(world, start, goal, "jps", new_stops, watch)
