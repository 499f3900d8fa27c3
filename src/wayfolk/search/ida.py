"""IDA*: depth-first search to a limit of f, raised until the goal is within it.

Korf, "Depth-first iterative-deepening: an optimal admissible tree search", 1985, section 5. The table: Reinefeld and
Marsland, "Enhanced iterative-deepening search", 1994. Limits that rise by more than the least: Sarkar, Chakrabarti,
Ghose and DeSarkar, "Reducing reexpansions in iterative-deepening search by controlling cutoff bounds", 1991.

Finds    a cheapest path, if there is one.
Keeps    limits rise. When a round ends without the goal, every path costs more than its limit.
Takes    O(cells within the limit) memory. On game maps about 3 to 8 times the expansions of A*.
         Without the table, memory for the path only, and time exponential in its length.
Differs  with the table a cell is entered at its least known cost only, and not before the limit allows something new
         beyond it. With `rise` "adapted" a limit rises by a step that grows while few cells are expanded twice in a
         round, and shrinks when many are; the round that meets the goal goes on as branch and bound until nothing
         cheaper is left. "least" is Korf's rule, the least f that was cut off: a round for each value of f.
"""

from typing import Literal

from wayfolk.graph import GUESSES, guess
from wayfolk.search._best_first import best_guess
from wayfolk.search._depth_first import FRESH, IN_ROUND, LEAST, PATH, DepthFirst
from wayfolk.search._expanding import cheapest_edge

PAPER = "Korf 1985; Reinefeld and Marsland 1994; Sarkar et al. 1991"
OPTIMAL = True
COMPLETE = True

FACTOR = 1.3  # by which a step grows and shrinks
AGAIN = 0.4  # more than so many further expansions for each cell that a round expands are too many


def begin(
    world,
    start: int,
    goal: int,
    *,
    table: bool = True,
    rise: Literal["adapted", "least"] = "adapted",
    watch: bool = False,
) -> DepthFirst:
    """A search from `start` to `goal`. Without the `table` no cell of the path is entered again, and `rise` is least."""
    search = Rising(world, start, goal, table, rise, watch)
    search.bound = 1.0
    return search


class Rising(DepthFirst):
    """IDA* under way."""

    def __init__(self, world, start: int, goal: int, table: bool, rise: str, watch: bool) -> None:
        kind = best_guess(world)
        least = float(guess(world.graph, start, goal, GUESSES[kind]))
        super().__init__(
            world, start, goal, limit=least, enough=least, last=float("inf"), guess=kind, by_moves=False,
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
