"""Iterative deepening: depth-first search to depth 0, then 1, then 2, until it reaches the goal.

Korf, "Depth-first iterative-deepening: an optimal admissible tree search", 1985. Jansen, section 2.1.2.

Guarantees  a path with the fewest moves, if there is one. Where `depth` cut something off, it gives up instead of proving
            that there is no path.
Invariants  the round of depth d expands all cells that are d moves away, and of those nearer the ones that lead there.
Cost        O(cells) time at most for each move of the path, with a table of the fewest moves to each cell; without it,
            time exponential in the moves, and memory for the path only.
Deviations  the table, which makes it usable where many paths lead to the same cell: a round does not enter a cell with
            nothing new beyond it.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._depth_first import LEAST, NO_CHECK, PATH, DepthFirst, checked_depth
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Korf 1985; Jansen"
OPTIMAL = False
COMPLETE = True
FEWEST_MOVES = True


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    depth: Annotated[int, Range(0, 1_000_000), "Moves after which a path is cut off; 0 is no limit."] = 0,
    duplicates: Annotated[
        Literal["all", "path", "none"], "Which cells are not entered again: all seen, those on the path, or none."
    ] = "all",
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> DepthFirst:
    """A search from `start` to `goal`; a search that checks no duplicates needs a depth."""
    last = checked_depth(depth, duplicates)
    check = {"all": LEAST, "path": PATH, "none": NO_CHECK}[duplicates]
    return DepthFirst(
        world, start, goal, limit=0.0, enough=0.0, last=last, heuristic="zero", by_moves=True, check=check, watch=watch
    )
