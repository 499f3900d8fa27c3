"""Depth-first search: follows one path as deep as it can, and backtracks where it ends.

Tarjan, "Depth-first search and linear graph algorithms", 1972. Jansen, section 2.1.2.

Guarantees  a path, if there is one. It need not be short. Where `depth` cut something off, it gives up instead of
            proving that there is no path.
Invariants  the stack is a path from the start, and a cell is expanded once.
Cost        O(cells) time and memory; exponential time if only the path is checked for duplicates, or nothing.
Deviations  none with the default options. With a `depth`, a cell is entered again by fewer moves than before, so that no
            path within the depth is missed.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._depth_first import LEAST, NO_CHECK, ONCE, PATH, DepthFirst, checked_depth
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Tarjan 1972; Jansen"
OPTIMAL = False
COMPLETE = True


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
    limit = checked_depth(depth, duplicates)
    check = {"all": LEAST if depth else ONCE, "path": PATH, "none": NO_CHECK}[duplicates]
    return DepthFirst(
        world, start, goal, limit=limit, enough=float("inf"), last=limit, heuristic="zero", by_moves=True, check=check,
        watch=watch,
    )  # fmt: skip
