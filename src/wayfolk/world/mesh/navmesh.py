"""Navmesh: free space as convex polygons, and the portals through which one gets from one to the next.

Mononen, "Simple stupid funnel algorithm", 2010; Cui, Harabor and Grastien, "Compromise-free pathfinding on a navigation
mesh", 2017 (Polyanya).

Guarantees  a path if there is one, for an agent that is a point: it may touch walls and go around their corners, but
            not slip through between two that touch. A search of the catalogue goes from portal to portal by their
            middles, and the path is pulled taut through the polygons it passes: a shorter one may pass others. With
            `exact`, the shortest.
Invariants  polygons are convex and do not overlap; together they are the free space, no more and no less.
Cost        time and memory in proportion to the polygons to make; the square of its portals for the graph of a polygon.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.deadline import check_deadline
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.mesh.arrays import mesh_arrays, ring_order
from wayfolk.world.mesh.funnel import Point, funnel
from wayfolk.world.mesh.geometry import locate, look, new_notes
from wayfolk.world.mesh.plane_graph import GOAL, START, PlaneGraph, checked_point
from wayfolk.world.mesh.polyanya import Stretches

if TYPE_CHECKING:
    from wayfolk.algorithms.task import Task
    from wayfolk.problem.result import Result

Holders = tuple[NDArray[np.int32], NDArray[np.int32]]


class Navmesh:
    """Convex polygons and the portals between them, made by `from_grid` or `from_polygons`.

    Portal k is the edge between the polygons `sides[k]`, the smaller number first; who crosses it from there has
    `gates[k, 0]` at the left and `gates[k, 1]` at the right, if y points up.
    """

    def __init__(self, first: NDArray[np.int32], points: NDArray[np.float64], beyond: NDArray[np.int32]) -> None:
        self.n_polygons = len(first) - 1
        self.arrays = mesh_arrays(first, points, beyond)
        self._points, self._after = points, ring_order(first)
        self._whose = np.repeat(np.arange(self.n_polygons, dtype=np.int32), np.diff(first))
        crossed = np.flatnonzero((beyond != NOWHERE) & (self._whose < beyond))
        self.sides = np.stack([self._whose[crossed], beyond[crossed]], axis=1)
        self.gates = np.stack([points[self._after[crossed]], points[crossed]], axis=1)
        self._pool: list[Stretches] = []  # the arrays of exact searches that have ended

    @classmethod
    def from_grid(cls, grid: Grid) -> Navmesh:
        """The free cells as rectangles; a cell is the square of side 1 around its place (x, y).

        Cells that touch at a corner only are not connected, and cliffs cannot be crossed: as on the grid itself.
        """
        from wayfolk.world.mesh.rectangles import rectangles

        if grid.costs is not None:
            raise NotSupported("a mesh has no terrain costs, and this map has")
        if not len(grid.free_cells):
            raise BadInput("the map has no free cell")
        return cls(*rectangles(grid))

    @classmethod
    def from_polygons(cls, outlines: Any, holes: Any = ()) -> Navmesh:
        """What is inside the outlines and outside the holes. Needs shapely.

        Each is one ring of points or a list of rings, or shapely polygons. Outlines may touch: where they share an edge,
        the way is open. Holes may touch each other and the outlines.
        """
        from wayfolk.world.mesh.polygons import convex_polygons

        return cls(*convex_polygons(outlines, holes))

    @cached_property
    def polygons(self) -> list[NDArray[np.float64]]:
        """The corners of each polygon, counter-clockwise if y points up; some are on a straight side, where portals end."""
        return np.split(self._points, self.arrays.first[1:-1])

    @cached_property
    def corners(self) -> NDArray[np.float64]:
        """The points at which a taut path can bend."""
        return self._points[[edges[0] for edges in self._turns]].reshape(-1, 2)

    @cached_property
    def _turns(self) -> list[NDArray[np.int64]]:
        """The edges that begin in each fan that turns."""
        edges = self.arrays.edges
        turning = np.flatnonzero(edges["turns"])
        turning = turning[np.argsort(edges["fan"][turning], kind="stable")]
        return np.split(turning, np.flatnonzero(np.diff(edges["fan"][turning])) + 1) if len(turning) else []

    def sides_of(self, point: ArrayLike) -> list[NDArray[np.int32]]:
        """The polygons that hold `point`, together if one gets around it from one to the other.

        There is one such group, or none outside the mesh, except at a point where walls touch.
        """
        at = np.array(checked_point(point, "point"))
        held = self.locate(at)
        group = {polygon: polygon for polygon in held.tolist()}
        for portal in {k for polygon in group for k in self._portals_of[polygon].tolist()}:
            one, other = self.sides[portal].tolist()
            if one in group and other in group and _is_on(at, self.gates[portal], 2 * self.arrays.near):
                old, new = group[one], group[other]
                group = {polygon: new if number == old else number for polygon, number in group.items()}
        numbers = np.array([group[polygon] for polygon in held.tolist()])
        return [held[numbers == number] for number in dict.fromkeys(numbers.tolist())]

    @property
    def area(self) -> float:
        """The free area."""
        from_one = self._points - self._points[0]
        (x, y), (next_x, next_y) = from_one.T, from_one[self._after].T
        return float((x * next_y - y * next_x).sum() / 2)

    @cached_property
    def neighbours(self) -> Graph:
        """The polygons as nodes, with an edge of length 1 each way between those that share a portal."""
        ends = np.concatenate([self.sides, self.sides[:, ::-1]])
        ends = np.unique(ends, axis=0)
        first = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=self.n_polygons))])
        return Graph(first, ends[:, 1], np.ones(len(ends)))

    @cached_property
    def graph(self) -> Graph:
        """The portals as nodes 0, 1, ..., each placed in its middle, with edges between those of the same polygon."""
        return self._roads.graph()

    def graph_between(self, start: ArrayLike, goal: ArrayLike) -> Graph:
        """`graph` with two more nodes, "start" and "goal", joined to the portals of the polygons that hold them."""
        return self._between(*self._ends(start, goal))

    def locate(self, point: ArrayLike) -> NDArray[np.int32]:
        """The polygons that hold `point`: none, one, or those that meet there."""
        x, y = checked_point(point, "point")
        holders = np.empty(16, np.int32)
        n = locate(self.arrays, x, y, holders)
        if n > len(holders):
            holders = np.empty(n, np.int32)
            locate(self.arrays, x, y, holders)
        return holders[:n]

    def sees(self, point: ArrayLike, other: ArrayLike) -> bool:
        """Whether the straight line between two points stays in the mesh."""
        return bool(self.seen_from(point, [other])[0])

    def seen_from(self, point: ArrayLike, others: Iterable[ArrayLike], reach: float = np.inf) -> NDArray[np.bool_]:
        """Which of `others` are in sight of `point`, and not farther away than `reach`."""
        points = np.array([checked_point(other, "point") for other in others]).reshape(-1, 2)
        return Sights(self, points, [self.locate(other) for other in points]).of(point, self.locate(point), reach)

    def begin_path(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        algorithm: str = "astar",
        *,
        smooth: bool = True,
        exact: bool = False,
        **options: Any,
    ) -> Task:
        """What `find_path` runs, to be advanced step by step."""
        from wayfolk.algorithms.paths import begin_path
        from wayfolk.algorithms.plane_search import NodeSearch, PolyanyaSearch

        ends, holders = self._ends(start, goal)
        if exact:
            if algorithm != "astar" or not smooth or set(options) - {"watch"}:
                raise NotSupported(
                    "an exact search is A* over what is in sight: it has no other algorithm and no options"
                )
            return PolyanyaSearch(self.arrays, self._pool, ends, holders, **options)
        search = begin_path(self._between(ends, holders), START, GOAL, algorithm, **options)
        return NodeSearch(search, lambda nodes: self._drawn(ends, holders, nodes[1:-1], smooth))

    def find_path(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        algorithm: str = "astar",
        *,
        smooth: bool = True,
        exact: bool = False,
        seconds: float | None = None,
        expansions: int | None = None,
        **options: Any,
    ) -> Result:
        """The path between two points, as points, and its length, or why there is none.

        Any `algorithm` that works on graphs searches among the portals. Pulled taut, unless `smooth` is False, the path is
        the shortest through the polygons it passes; with `exact` it is the shortest of all.
        """
        from wayfolk.algorithms.paths import finish_path

        result = finish_path(
            algorithm,
            lambda: self.begin_path(start, goal, algorithm, smooth=smooth, exact=exact, **options),
            seconds,
            expansions,
        )
        result.algorithm, result.options = algorithm, options | {"smooth": smooth, "exact": exact}
        return result

    @cached_property
    def _middles(self) -> NDArray[np.float64]:
        middles: NDArray[np.float64] = self.gates.mean(1)
        return middles

    @cached_property
    def _portals_of(self) -> list[NDArray[np.int64]]:
        """The portals of each polygon."""
        whose = self.sides.ravel()
        order = np.argsort(whose, kind="stable")
        return np.split(order // 2, np.searchsorted(whose[order], np.arange(1, self.n_polygons)))

    @cached_property
    def _roads(self) -> PlaneGraph:
        pairs = []
        for portals in self._portals_of:
            check_deadline()
            pairs.append(np.array(np.meshgrid(portals, portals)).reshape(2, -1))
        source, target = np.concatenate(pairs, axis=1)
        source, target = source[source != target], target[source != target]
        order = np.lexsort((target, source))
        return PlaneGraph.of(self._middles, source[order], target[order])

    def _between(self, ends: tuple[Point, Point], holders: Holders) -> Graph:
        near = [np.unique(np.concatenate([self._portals_of[polygon] for polygon in held])) for held in holders]
        return self._roads.between(ends, (near[0], near[1]), bool(np.intersect1d(*holders).size))

    def _ends(self, start: ArrayLike, goal: ArrayLike) -> tuple[tuple[Point, Point], Holders]:
        """Both points, and the polygons that hold them."""
        ends = checked_point(start, "start"), checked_point(goal, "goal")
        return ends, (self._held(ends[0], "start"), self._held(ends[1], "goal"))

    def _held(self, point: Point, what: str) -> NDArray[np.int32]:
        held = self.locate(point)
        if not len(held):
            raise BadProblem(f"the {what} ({point[0]:g}, {point[1]:g}) is outside the mesh")
        return held

    def _drawn(self, ends: tuple[Point, Point], holders: Holders, nodes: list[int], smooth: bool) -> list[Point]:
        """The points of a path by way of the portals `nodes`."""
        if not smooth:
            return [ends[0], *((float(x), float(y)) for x, y in self._middles[nodes]), ends[1]]
        homes, goals = set(holders[0].tolist()), set(holders[1].tolist())
        # the polygon of each leg; a portal between two legs in the same polygon is not crossed
        legs: list[int] = []
        for one, other in pairwise([homes, *(set(pair) for pair in self.sides[nodes].tolist()), goals]):
            legs.append(legs[-1] if legs and legs[-1] in other else min(one & other))
        # a path that comes back to a polygon need not have left it: continue with its last leg
        last = {leg: k for k, leg in enumerate(legs)}
        here = max(last[leg] for leg in homes & set(legs))
        gates = []
        while legs[here] not in goals:
            left, right = (tuple(end) for end in self.gates[nodes[here]].tolist())
            gates.append((left, right) if legs[here] == self.sides[nodes[here], 0] else (right, left))
            here = last[legs[here + 1]]
        return funnel(*ends, gates)

    def __repr__(self) -> str:
        return f"Navmesh({self.n_polygons} polygons, {len(self.sides)} portals)"


def _is_on(point: NDArray[np.float64], gate: NDArray[np.float64], near: float) -> bool:
    """Whether a point is on the line between the ends of a gate."""
    a, b = gate
    part = np.clip((point - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return bool(np.hypot(*(a + part * (b - a) - point)) <= near)


class Sights:
    """Points of a mesh, to be looked at from others; `held` lists the polygons in which each of them is."""

    def __init__(self, mesh: Navmesh, points: NDArray[np.float64], held: Sequence[NDArray[np.int32]]) -> None:
        self.mesh, self.points, self.held = mesh, points, held
        self._first = np.cumsum([0, *map(len, held)])
        self._holders = np.concatenate([np.zeros(0, np.int32), *held])
        self._notes = new_notes(mesh.n_polygons)

    def of(self, eye: ArrayLike, homes: NDArray[np.int32], reach: float = np.inf) -> NDArray[np.bool_]:
        """Which points are in sight of `eye`, which is in the polygons `homes`, and not farther away than `reach`."""
        x, y = checked_point(eye, "point")
        seen = np.zeros(len(self.points), bool)
        xs, ys = np.ascontiguousarray(self.points.T)
        look(
            mesh=self.mesh.arrays, notes=self._notes, ax=x, ay=y, homes=homes, xs=xs, ys=ys,
            first=self._first, holders=self._holders, reach=reach, seen=seen,
        )  # fmt: skip
        return seen

    def of_number(self, k: int, reach: float = np.inf) -> NDArray[np.bool_]:
        """Which points are in sight of point `k`."""
        return self.of(self.points[k], self.held[k], reach)
