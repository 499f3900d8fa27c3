"""A*: expands nodes in order of path cost plus heuristic.

Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths", 1968.
Weighted A*: Pohl, "Heuristic search viewed as path finding in a graph", 1970.

Guarantees  a cheapest path, if there is one and the heuristic never overestimates (the default never does). With weight
            above 1, a path that costs at most weight times as much, usually after far fewer expansions.
Invariants  when it ends, no open node has a smaller f = g + weight * h than the path's cost.
Cost        time and memory proportional to the nodes whose f is below that cost.
Deviations  the open list is a bucket queue: nodes whose f differ by less than a fifth of a step come newest first
            (`ties = "newest"`, which goes deep) or oldest first. A node that was closed too early is opened again.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._best_first import BestFirst, best_heuristic, never_overestimates, on_graph
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Hart, Nilsson and Raphael 1968; Pohl 1970"
OPTIMAL = True
COMPLETE = True


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    weight: Annotated[
        float, Range(0.0, 1_000_000.0), "Factor of the heuristic; above 1 paths are found sooner and may cost more."
    ] = 1.0,
    heuristic: Annotated[
        Literal["best", "octile", "manhattan", "euclidean", "zero"],
        "Lower bound of the cost to the goal; best is the largest that never overestimates in this world.",
    ] = "best",
    ties: Annotated[
        Literal["newest", "oldest"], "Which of two nodes with about the same f is expanded first."
    ] = "newest",
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> BestFirst:
    """A search from `start` to `goal`."""
    kind = best_heuristic(world) if heuristic == "best" else heuristic
    bound = max(1.0, float(weight)) if never_overestimates(world, kind) else None
    return BestFirst(world, start, goal, on_graph(world, weight, kind, ties == "oldest"), watch, bound)
