"""Field D*: the cost to the goal as a field over the map, interpolated, and downhill through it at any angle.

Ferguson and Stentz, "Using interpolation to improve path planning: the Field D* algorithm", Journal of Field Robotics
23, 2006; Arun 4.0.8.

Finds    a path of straight lines that crosses no wall, if there is a path at all: never dearer than the best path
         along the grid, mostly about as long as those of Theta*. Terrain costs count wherever the path goes. Bends lie
         anywhere: the path's points are real numbers, with the centre of a cell at its (x, y).
Keeps    every value is the least that the triangles around it offer. Values of D* Lite's kind: when the map changes
         (`change`), only what depends on it is worked out anew, and the outcome is that of a new search.
Takes    some fifty times as long as A*: four nodes for each cell, of more cells, and sixteen triangles for each node.
Differs  agents stand in the middle of cells and keep off the corners of walls as the grid's rule wants, so the nodes
         are centres, corners and middles of edges, not corners alone: see `kernels/field.py`. The heuristic is smaller
         than the paper's, which can leave values that depend on the order of work. Interpolation promises too much
         where ways around both sides of a wall meet; a path that turns out dearer than promised is compared with that
         of A*, which replaces it if it is cheaper.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, BadProblem
from wayfolk.grid import EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST, Grid, Moves
from wayfolk.kernels import field as lattice
from wayfolk.kernels.best_first import EXHAUSTED, FOUND, QUEUE_FULL
from wayfolk.kernels.field import EXPANDED, GENERATED
from wayfolk.kernels.field_path import follow
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.search._any_angle import length_of
from wayfolk.search._best_first import BestFirst, best_guess
from wayfolk.search._search import with_room
from wayfolk.task import Task

PAPER = "Ferguson and Stentz 2006; Arun"
OPTIMAL = False
COMPLETE = True
ANY_ANGLE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"

CORNERS = ((SOUTH_EAST, SOUTH, EAST), (SOUTH_WEST, SOUTH, WEST), (NORTH_WEST, NORTH, WEST), (NORTH_EAST, NORTH, EAST))


def begin(world, start: int, goal: int, *, watch: bool = False) -> FieldDStar:
    """A search from `start` to `goal`."""
    return FieldDStar(world, start, goal, watch)


class FieldDStar(Task):
    """A field under way, or ready to be changed. Lengths are Euclidean, whatever the grid's diagonal."""

    def __init__(self, world: Grid, start: int, goal: int, watch: bool) -> None:
        self.world, self.start, self.goal, self.watch = world, start, goal, watch
        self.events = np.empty(1024 if watch else 0, np.int32)
        self.counters = Counters()
        self._renew()

    def _renew(self) -> None:
        """Begin a new field."""
        graph = self.world.graph
        self.field = lattice.new_field(_reach(self.world), _terrain(self.world), graph.stride, graph.cheapest)
        self.field.counts[EXPANDED] = self.counters.expanded
        self.field.counts[GENERATED] = self.counters.generated
        lattice.set_goal(self.field, self._node(self.start), self._node(self.goal))
        self.doubt: BestFirst | None = None

    def _node(self, cell: int) -> int:
        """The node in the middle of `cell`."""
        y, x = divmod(cell, self.world.stride)
        return int((2 * y + 1) * self.field.span + 2 * x + 1)

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes."""
        stop = self.counters.expanded + budget
        while not self.status.is_final:
            left = stop - self.counters.expanded
            if self.doubt is not None:
                self._compare(self.doubt, left)
            else:
                self._repair(left)
            if self.counters.expanded >= stop:
                break
        return self.status

    def _repair(self, budget: int) -> None:
        """Work on the field; draw the path when it is ready."""
        self.events, budget = with_room(self.events, self.counters.expanded, budget)
        code = lattice.repair(self.field, self._node(self.start), self._node(self.goal), budget, self.events)
        self.counters.expanded = int(self.field.counts[EXPANDED])
        self.counters.generated = int(self.field.counts[GENERATED])
        if code == QUEUE_FULL:
            self.field = lattice.with_room(self.field, self.field.rows.size)
        elif code == EXHAUSTED:
            self.status = Status.IMPOSSIBLE
        elif code == FOUND:
            self._draw()

    def _draw(self) -> None:
        """The path through the field; if it costs more than the field promises, it is held against that of A*."""
        start, goal = self._node(self.start), self._node(self.goal)
        points = np.empty((4 * (self.world.width + self.world.height), 2))
        n, self.cost = follow(self.field, start, goal, points)
        while n > len(points) and n < len(self.field.nodes):
            points = np.empty((4 * n, 2))
            n, self.cost = follow(self.field, start, goal, points)
        self.path: list[Hashable] = [(x, y) for x, y in ((points[:n] - 3.0) / 2.0).tolist()]
        if self.cost <= float(self.field.nodes[start]["g"]) + lattice.SLACK:
            self.status = Status.SOLVED
            return
        self.doubt = BestFirst(
            self.world, self.start, self.goal, weight=1.0, guess=best_guess(self.world), oldest_first=False,
            watch=self.watch,
        )  # fmt: skip

    def _compare(self, doubt: BestFirst, budget: int) -> None:
        """Go on with A*, and take its path if it is cheaper."""
        at, before = self.counters.expanded, doubt.expanded
        doubt.advance(budget)
        self.counters.expanded += doubt.expanded - before
        self.field.counts[EXPANDED] = self.counters.expanded
        if self.events.size:
            more = doubt.events[before : doubt.expanded]
            self.events = np.concatenate([self.events[:at], more, np.empty(1024, np.int32)])
        if doubt.status.is_final:
            cost = length_of(self.world, self.world.cells(doubt.path))
            if cost < self.cost:
                self.path, self.cost = [(float(x), float(y)) for x, y in doubt.path], cost
            self.status = Status.SOLVED

    def change(self, grid: Grid, start: int | None = None) -> None:
        """Go on in a changed map of the same size and rule, and from another cell if `start` is given."""
        if (grid.width, grid.height, grid.moves) != (self.world.width, self.world.height, self.world.moves):
            raise BadInput(f"{grid!r} cannot take the place of {self.world!r}")
        start = self.start if start is None else start
        for what, cell in (("start", start), ("goal", self.goal)):
            if not grid.is_free(cell):
                raise BadProblem(f"the {what} {grid.place(cell)} is in a wall")
        (before, self.world), (left, self.start) = (self.world, grid), (self.start, start)
        self.status, self.doubt = Status.RUNNING, None
        if grid.graph.cheapest != before.graph.cheapest or (grid.costs is None) != (before.costs is None):
            self._renew()  # the heuristic is another
            return
        old, here = self.field, self._node(start)
        reach, terrain = _reach(grid), _terrain(grid)
        changed = reach != old.reach
        if terrain.size:
            changed |= terrain != old.terrain
        cells = np.flatnonzero(changed).astype(np.int32)
        moved = old.moved + lattice.guess(old.span, old.cheapest, self._node(left), here)
        self.field = lattice.with_room(old._replace(reach=reach, terrain=terrain, moved=moved), 9 * len(cells))
        lattice.update_cells(self.field, here, self._node(self.goal), cells)

    def result(self) -> Result:
        """The path, once there is one: points, from start to goal."""
        made = Result(self.status, "", counters=Counters(self.counters.expanded, self.counters.generated))
        if self.status is Status.SOLVED:
            made.path, made.cost = self.path, self.cost
        if self.events.size:
            made.events = self.events[: self.counters.expanded].copy()
        return made


def _reach(grid: Grid) -> NDArray[np.uint8]:
    """The middles and corners that paths in each cell may touch, as bits; read-only."""
    if grid.moves is not Moves.EIGHT_CUTTING:
        return grid.legal
    reach = grid.legal.copy()
    for corner, one, other in CORNERS:  # a corner may be touched in passing by whoever could go around it
        reach |= ((grid.legal >> one) & (grid.legal >> other) & 1) << corner
    reach.flags.writeable = False
    return reach


def _terrain(grid: Grid) -> NDArray[np.float64]:
    """What cells cost, empty if nothing; read-only like the costs of a grid, so that kernels are compiled once."""
    terrain = grid.graph.terrain.view()
    terrain.flags.writeable = False
    return terrain
