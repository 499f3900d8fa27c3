"""Iterative deepening: depth-first search to depth 0, then 1, then 2, until the goal is there.

Korf, "Depth-first iterative-deepening: an optimal admissible tree search", 1985. Jansen, section 2.1.2.

Finds    a path with the fewest moves, if there is one.
Keeps    the round of depth d expands all cells that are d moves away, and of those nearer what leads there.
Takes    O(cells) time at most for each move of the path, with a table of the fewest moves to each cell; without it,
         time exponential in the moves, and memory for the path only.
Differs  the table, which makes it usable where many ways lead to the same cell: a round does not enter what has
         nothing new beyond it. `duplicates` says which cells are not entered: "all" that the table rules out, those of
         the "path" only, or "none" as in the paper, for which there must be a `depth` after which it gives up (0: never).
"""

from typing import Literal

from wayfolk.search._depth_first import LEAST, NO_CHECK, PATH, DepthFirst, checked_depth

PAPER = "Korf 1985; Jansen"
OPTIMAL = False
COMPLETE = True
FEWEST_MOVES = True


def begin(
    world,
    start: int,
    goal: int,
    *,
    depth: int = 0,
    duplicates: Literal["all", "path", "none"] = "all",
    watch: bool = False,
) -> DepthFirst:
    """A search from `start` to `goal`. Where `depth` cut something off, finding no path proves nothing: it gives up."""
    last = checked_depth(depth, duplicates)
    check = {"all": LEAST, "path": PATH, "none": NO_CHECK}[duplicates]
    return DepthFirst(
        world, start, goal, limit=0.0, enough=0.0, last=last, guess="zero", by_moves=True, check=check, watch=watch
    )
