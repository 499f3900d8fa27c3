"""IDA*: depth-first search up to a limit of f, which rises until the goal is within it.

Korf, "Depth-first iterative-deepening: an optimal admissible tree search", 1985, section 5. The table: Reinefeld and
Marsland, "Enhanced iterative-deepening search", 1994. Limits that rise by more than the least: Sarkar, Chakrabarti,
Ghose and DeSarkar, "Reducing reexpansions in iterative-deepening search by controlling cutoff bounds", 1991.

Guarantees  a cheapest path, if there is one.
Invariants  limits rise. When a round ends without the goal, every path costs more than its limit.
Cost        O(cells within the limit) memory. On game maps about 3 to 8 times the expansions of A*.
            Without the table, memory for the path only, and time exponential in its length.
Deviations  with the table a cell is entered at its least known cost only, and not before the limit allows something new
            beyond it. With `rise` "adapted" a limit rises by a step that grows while few cells are expanded twice in a
            round, and shrinks when many are; the round that reaches the goal continues as branch and bound until nothing
            cheaper is left. "least" is Korf's rule, the least f that was cut off: a round for each value of f.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.algorithms.search._depth_first import FRESH, IN_ROUND, LEAST, PATH, DepthFirst
from wayfolk.algorithms.search._expanding import cheapest_edge
from wayfolk.kernels.graph import HEURISTICS, heuristic
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Korf 1985; Reinefeld and Marsland 1994; Sarkar et al. 1991"
OPTIMAL = True
COMPLETE = True

FACTOR = 1.3  # by which a step grows and shrinks
AGAIN = 0.4  # more than so many further expansions for each cell that a round expands are too many


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    table: Annotated[
        bool, "Remember the least cost of each cell; without it only cells of the path are not entered again."
    ] = True,
    rise: Annotated[
        Literal["adapted", "least"], "How the limit rises: by an adapted step, or to the least f cut off."
    ] = "adapted",
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> DepthFirst:
    """A search from `start` to `goal`; without the `table`, `rise` is "least"."""
    search = Rising(world, start, goal, table, rise, watch)
    search.bound = 1.0
    return search


class Rising(DepthFirst):
    """IDA* that can be advanced."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, table: bool, rise: str, watch: bool) -> None:
        kind = best_heuristic(world)
        least = float(heuristic(world.graph, start, goal, HEURISTICS[kind]))
        super().__init__(
            world, start, goal, limit=least, enough=least, last=float("inf"), heuristic=kind, by_moves=False,
            check=LEAST if table else PATH, watch=watch,
        )  # fmt: skip
        self.step = 0.5 * cheapest_edge(world) if table and rise == "adapted" else 0.0

    def raised(self, cut: float) -> float:
        """The limit of the next round."""
        count = self.counts
        if count[IN_ROUND] - count[FRESH] > AGAIN * count[FRESH]:
            self.step /= FACTOR
        else:
            self.step *= FACTOR
        return max(cut, self.limits[-1] + self.step)
