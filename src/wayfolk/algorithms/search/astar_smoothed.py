"""A* smoothed: the best path along the grid, shortened wherever a straight line can replace a part of it.

Thorpe, "Path relaxation", 1984; Botea, Müller and Schaeffer, "Near optimal hierarchical path-finding", 2004; as in
Daniel, Nash, Koenig and Felner, "Theta*: any-angle path planning on grids", JAIR 39, 2010; Arun 4.0.7.

Guarantees  a path of straight lines that cross no wall, if there is a path at all: never longer than the best path along
            the grid, from which it is made; it passes every obstacle on the same side as that.
Invariants  every bend is a cell of the path along the grid; a line is never longer than the part that it replaces.
Cost        the time of A*, and one line-of-sight check for each cell of its path.
Deviations  agents stand in the middle of cells.
"""

from __future__ import annotations

from typing import Annotated

from wayfolk.algorithms.search._any_angle.task import length_of
from wayfolk.algorithms.search._best_first import BestFirst, best_heuristic, on_graph
from wayfolk.algorithms.search._line_of_sight import sees
from wayfolk.algorithms.search._search import places_of
from wayfolk.algorithms.search_view import SearchView
from wayfolk.algorithms.task import Task
from wayfolk.compile.jit import kernel
from wayfolk.problem.result import NO_LIMIT, Result, Status
from wayfolk.world.grid import Grid

PAPER = "Thorpe 1984; Botea, Müller and Schaeffer 2004; Arun"
OPTIMAL = False
COMPLETE = True
ANY_ANGLE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> Smoothed:
    """A search from `start` to `goal`."""
    return Smoothed(BestFirst(world, start, goal, on_graph(world, 1.0, best_heuristic(world)), watch), world)


class Smoothed(Task):
    """A*, whose path is smoothed when it is found. Lengths are Euclidean, whatever the grid's diagonal."""

    def __init__(self, search: BestFirst, world: Grid) -> None:
        self.search, self.world = search, world

    def search_view(self) -> SearchView:
        """What A* shows."""
        return self.search.search_view()

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` cells."""
        if not self.status.is_final:
            self.status = self.search.advance(budget)
            if self.status is Status.SOLVED:
                cells = self.world.cells(self.search.path)
                cells = cells[: smooth(self.world.legal, self.world.stride, cells)]
                self.path, self.cost = places_of(self.world, cells), length_of(self.world, cells)
        return self.status

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""
        self.search.release()

    def result(self) -> Result:
        """The path, once there is one: the places where it bends, from start to goal."""
        result = self.search.result()
        result.algorithm, result.options = self.algorithm, dict(self.options)
        if self.status is Status.SOLVED:
            result.path, result.cost, result.bound = self.path, self.cost, None
        return result


@kernel
def smooth(legal, stride, cells):
    """Drop the cells that a line can skip from `cells`, a path by legal steps, in place; how many are left."""
    kept = 0  # the last bend; the line from there has been looked along up to the cell before `ahead`
    for ahead in range(2, cells.size):
        if not sees(legal, stride, cells[kept], cells[ahead]):
            kept += 1
            cells[kept] = cells[ahead - 1]
    if cells.size > 1:
        kept += 1
        cells[kept] = cells[cells.size - 1]
    return kept + 1
