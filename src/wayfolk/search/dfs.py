"""Depth-first search: on along the first way that is open, back when it is not.

Tarjan, "Depth-first search and linear graph algorithms", 1972. Jansen, section 2.1.2.

Finds    a path, if there is one. It need not be short.
Keeps    the stack is a path from the start, and a cell is expanded once.
Takes    O(cells) time and memory.
Differs  nothing, as long as the options are left alone. `depth` cuts paths off after so many moves (0: never); a cell
         is then entered again by fewer moves than before, so that no path within the depth is missed. `duplicates`
         says which cells are not entered: "all" that were seen, those of the "path" only, or "none", for which there
         must be a depth. The last two may take exponential time.
"""

from typing import Literal

from wayfolk.search._depth_first import LEAST, NO_CHECK, ONCE, PATH, DepthFirst, checked_depth

PAPER = "Tarjan 1972; Jansen"
OPTIMAL = False
COMPLETE = True


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
    limit = checked_depth(depth, duplicates)
    check = {"all": LEAST if depth else ONCE, "path": PATH, "none": NO_CHECK}[duplicates]
    return DepthFirst(
        world, start, goal, limit=limit, enough=float("inf"), last=limit, guess="zero", by_moves=True, check=check,
        watch=watch,
    )  # fmt: skip
