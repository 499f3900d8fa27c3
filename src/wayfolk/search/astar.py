"""A*: cells in the order of cost so far plus a guess of what is left.

Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths", 1968.
Weighted A*: Pohl, "Heuristic search viewed as path finding in a graph", 1970.

Finds    a cheapest path, if there is one and the guess never overestimates (the default never does). With weight
         above 1, a path that costs at most weight times as much, usually much sooner.
Keeps    when it ends, no open cell has a smaller f = g + weight * h than the path's cost.
Takes    time and memory in proportion to the cells whose f is below that cost.
Differs  the open list is a bucket queue: cells whose f differ by less than a fifth of a step come newest first
         (`ties = "newest"`, which goes deep) or oldest first. A cell closed too early that way is opened again.
"""

from typing import Literal

from wayfolk.errors import BadInput
from wayfolk.search._best_first import BestFirst, best_guess, never_overestimates

PAPER = "Hart, Nilsson and Raphael 1968; Pohl 1970"
OPTIMAL = True
COMPLETE = True


def begin(
    world,
    start: int,
    goal: int,
    *,
    weight: float = 1.0,
    heuristic: Literal["best", "octile", "manhattan", "euclidean", "zero"] = "best",
    ties: Literal["newest", "oldest"] = "newest",
    watch: bool = False,
) -> BestFirst:
    """A search from `start` to `goal`; "best" is the largest heuristic that never overestimates in this world."""
    if not 0.0 <= weight < 1e6:
        raise BadInput(f"weight must be from 0 to a million, not {weight}")
    guess = best_guess(world) if heuristic == "best" else heuristic
    search = BestFirst(world, start, goal, weight=weight, guess=guess, oldest_first=ties == "oldest", watch=watch)
    search.bound = max(1.0, float(weight)) if never_overestimates(world, guess) else None
    return search
