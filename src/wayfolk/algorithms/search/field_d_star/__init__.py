"""Field D*: interpolates the cost to the goal over the map, and follows it downhill at any angle.

Ferguson and Stentz, "Using interpolation to improve path planning: the Field D* algorithm", Journal of Field Robotics
23, 2006; Arun 4.0.8.

Guarantees  a path of straight lines that crosses no wall, if there is a path at all: never costlier than the best path
            along the grid, mostly about as long as those of Theta*. Terrain costs count wherever the path goes. Bends lie
            anywhere: the path's points are real numbers, with the centre of a cell at its (x, y).
Invariants  every value is the least that follows from the triangles around it. As in D* Lite, when the map changes
            (`change`), only what depends on it is computed again, and the result is that of a new search.
Cost        about fifty times the time of A*: four nodes for each cell, of more cells, and sixteen triangles for each node.
Deviations  agents stand in the middle of cells and keep off the corners of walls as the grid's rule demands, so the nodes
            are centres, corners and middles of edges, not corners alone: see `field_d_star/field.py`. The heuristic is
            smaller than the paper's, with which values can depend on the order of expansions. Interpolation
            underestimates where paths around both sides of a wall meet; a path that turns out costlier than its value is
            compared with that of A*, which replaces it if it is cheaper.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._any_angle.task import length_of
from wayfolk.algorithms.search._best_first import BestFirst, best_heuristic, on_graph
from wayfolk.algorithms.search._search import with_room
from wayfolk.algorithms.search.field_d_star import field as lattice
from wayfolk.algorithms.search.field_d_star.field import EXPANDED, GENERATED
from wayfolk.algorithms.search.field_d_star.path import follow
from wayfolk.algorithms.task import Task
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.codes import (
    EAST,
    EXHAUSTED,
    FOUND,
    FULL,
    NORTH,
    NORTH_EAST,
    NORTH_WEST,
    SOUTH,
    SOUTH_EAST,
    SOUTH_WEST,
    WEST,
)
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.grid import Grid, Moves

PAPER = "Ferguson and Stentz 2006; Arun"
OPTIMAL = False
COMPLETE = True
ANY_ANGLE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"

CORNERS = ((SOUTH_EAST, SOUTH, EAST), (SOUTH_WEST, SOUTH, WEST), (NORTH_WEST, NORTH, WEST), (NORTH_EAST, NORTH, EAST))


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> FieldDStar:
    """A search from `start` to `goal`."""
    return FieldDStar(world, start, goal, watch)


class FieldDStar(Task):
    """A field that can be advanced, and changed when it is done. Lengths are Euclidean, whatever the grid's diagonal."""

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
        if code == FULL:
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
        method = on_graph(self.world, 1.0, best_heuristic(self.world))
        self.doubt = BestFirst(self.world, self.start, self.goal, method, self.watch)

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
        moved = old.moved + lattice.heuristic(old.span, old.cheapest, self._node(left), here)
        self.field = lattice.with_room(old._replace(reach=reach, terrain=terrain, moved=moved), 9 * len(cells))
        lattice.update_cells(self.field, here, self._node(self.goal), cells)

    def result(self) -> Result:
        """The path, once there is one: points, from start to goal."""
        result = Result(
            self.status,
            self.algorithm,
            options=dict(self.options),
            counters=Counters(self.counters.expanded, self.counters.generated),
        )
        if self.status is Status.SOLVED:
            result.path, result.cost = self.path, self.cost
        if self.events.size:
            result.events = self.events[: self.counters.expanded].copy()
        return result


def _reach(grid: Grid) -> NDArray[np.uint8]:
    """The middles and corners that paths in each cell may touch, as bits; read-only."""
    if grid.moves is not Moves.EIGHT_CUTTING:
        return grid.legal
    reach = grid.legal.copy()
    for corner, one, other in CORNERS:  # a path may touch a corner in passing if it could go around it
        reach |= ((grid.legal >> one) & (grid.legal >> other) & 1) << corner
    reach.flags.writeable = False
    return reach


def _terrain(grid: Grid) -> NDArray[np.float64]:
    """What cells cost, empty if nothing; read-only like the costs of a grid, so that kernels are compiled once."""
    terrain = grid.graph.terrain.view()
    terrain.flags.writeable = False
    return terrain
