"""A* smoothed: the best path along the grid, with every detour cut that a straight line can cut.

Thorpe, "Path relaxation", 1984; Botea, Müller and Schaeffer, "Near optimal hierarchical path-finding", 2004; as in
Daniel, Nash, Koenig and Felner, "Theta*: any-angle path planning on grids", JAIR 39, 2010; Arun 4.0.7.

Finds    a path of straight lines that cross no wall, if there is a path at all: never longer than the best path along
         the grid, which it starts from, but bound to pass obstacles on the same side as that.
Keeps    every bend of the path is a cell of the path along the grid; a line is never longer than what it replaces.
Takes    the time of A*, and a look along a line for each cell of its path.
Differs  agents stand in the middle of cells.
"""

from __future__ import annotations

from wayfolk.grid import Grid
from wayfolk.kernels.jit import kernel
from wayfolk.kernels.line_of_sight import sees
from wayfolk.result import NO_LIMIT, Result, Status
from wayfolk.search._any_angle import length_of
from wayfolk.search._best_first import BestFirst, best_guess
from wayfolk.search._search import places_of
from wayfolk.task import Task

PAPER = "Thorpe 1984; Botea, Müller and Schaeffer 2004; Arun"
OPTIMAL = False
COMPLETE = True
ANY_ANGLE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


def begin(world, start: int, goal: int, *, watch: bool = False) -> Smoothed:
    """A search from `start` to `goal`."""
    guess = best_guess(world)
    return Smoothed(BestFirst(world, start, goal, weight=1.0, guess=guess, oldest_first=False, watch=watch), world)


class Smoothed(Task):
    """A* under way, whose path is smoothed when it is found. Lengths are Euclidean, whatever the grid's diagonal."""

    def __init__(self, search: BestFirst, world: Grid) -> None:
        self.search, self.world = search, world

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
        made = self.search.result()
        if self.status is Status.SOLVED:
            made.path, made.cost, made.bound = self.path, self.cost, None
        return made


@kernel
def smooth(legal, stride, cells):
    """Drop what can be cut from `cells`, a path by legal steps, in place; how many stay."""
    kept = 0  # the last bend; the line from there has been looked along up to the cell before `ahead`
    for ahead in range(2, cells.size):
        if not sees(legal, stride, cells[kept], cells[ahead]):
            kept += 1
            cells[kept] = cells[ahead - 1]
    if cells.size > 1:
        kept += 1
        cells[kept] = cells[cells.size - 1]
    return kept + 1
