"""Waypoints: points placed in free space, joined where one is in sight of the other.

Corners: Lozano-Pérez and Wesley, "An algorithm for planning collision-free paths among polyhedral obstacles", 1979.
Samples: Kavraki et al., "Probabilistic roadmaps for path planning in high-dimensional configuration spaces", 1996.
Smoothing: Thorpe, "Path relaxation: path planning for a mobile robot", 1984; Theta* does it while it searches.

Guarantees  a path along the waypoints, if there is one; with `at_corners`, a shortest path of all by any optimal
            search.
Invariants  every edge is a straight line that stays in the mesh.
Cost        a look from each waypoint at all others to make, and two more for each path.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.deadline import check_deadline
from wayfolk.world.graph import Graph
from wayfolk.world.mesh.funnel import Point
from wayfolk.world.mesh.navmesh import Navmesh, Sights
from wayfolk.world.mesh.plane_graph import GOAL, START, PlaneGraph, checked_point

if TYPE_CHECKING:
    from wayfolk.algorithms.task import Task
    from wayfolk.problem.result import Result


class Waypoints:
    """Points of a mesh and straight ways between them.

    `edges` are pairs of numbers of points, and go both ways. Without them, all points are joined that see each other and
    are not farther apart than `reach`.
    """

    def __init__(
        self,
        mesh: Navmesh,
        points: Iterable[ArrayLike],
        edges: Iterable[tuple[int, int]] | None = None,
        *,
        reach: float = np.inf,
    ) -> None:
        if not reach > 0:
            raise BadInput(f"reach must be more than 0, not {reach}")
        given = [checked_point(point, f"waypoint {k}") for k, point in enumerate(points)]
        held = []
        for k, (x, y) in enumerate(given):
            sides = mesh.sides_of((x, y))
            if not sides:
                raise BadProblem(f"waypoint {k} ({x:g}, {y:g}) is outside the mesh")
            if len(sides) > 1:
                raise BadProblem(f"waypoint {k} ({x:g}, {y:g}) lies where two walls touch, so its side is ambiguous")
            held += sides
        self._settle(mesh, np.array(given).reshape(-1, 2), held, edges, float(reach))

    @classmethod
    def at_corners(cls, mesh: Navmesh) -> Waypoints:
        """The visibility graph: a waypoint at every corner at which a shortest path can bend."""
        waypoints = cls.__new__(cls)
        waypoints._settle(mesh, mesh.corners, [mesh._whose[edges] for edges in mesh._turns], None, np.inf)
        return waypoints

    def _settle(
        self,
        mesh: Navmesh,
        points: NDArray[np.float64],
        held: list[NDArray[np.int32]],
        edges: Iterable[tuple[int, int]] | None,
        reach: float,
    ) -> None:
        """Join points that are in the polygons `held`."""
        self.mesh, self.points, self.reach = mesh, points, reach
        self._sights = Sights(mesh, points, held)
        pairs = self._in_sight() if edges is None else self._joined(edges)
        self._roads = PlaneGraph.of(points, *pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].T)

    @classmethod
    def sampled(cls, mesh: Navmesh, n: int, seed: int = 0, *, reach: float = np.inf) -> Waypoints:
        """`n` waypoints drawn evenly from the free space."""
        if n < 1 or seed < 0:
            raise BadInput(f"n must be 1 or more and seed 0 or more, not {n} and {seed}")
        fans = [(ring[:1].repeat(len(ring) - 2, 0), ring[1:-1], ring[2:]) for ring in mesh.polygons]
        a, b, c = (np.concatenate(corner) for corner in zip(*fans, strict=True))
        b, c = b - a, c - a
        area = np.maximum(b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0], 0.0)
        rng = np.random.default_rng(seed)
        k = rng.choice(len(a), n, p=area / area.sum())
        u, v = rng.random((2, n, 1))
        u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
        return cls(mesh, a[k] + u * b[k] + v * c[k], reach=reach)

    @cached_property
    def graph(self) -> Graph:
        """The waypoints as nodes 0, 1, ..., for any search that works on graphs."""
        return self._roads.graph()

    def _in_sight(self) -> NDArray[np.int64]:
        """All pairs that see each other, both ways."""
        seen = []
        for k in range(len(self.points)):
            check_deadline()
            seen.append(np.flatnonzero(self._sights.of_number(k, self.reach)))
        pairs = [np.stack([np.full(len(others), k), others], axis=1) for k, others in enumerate(seen)]
        pairs_seen = np.concatenate([np.zeros((0, 2), np.int64), *pairs])
        one, other = pairs_seen[pairs_seen[:, 0] < pairs_seen[:, 1]].T
        return np.stack([np.append(one, other), np.append(other, one)], axis=1)

    def _joined(self, edges: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
        """The pairs that were asked for, both ways; a line that leaves the mesh is the caller's mistake."""
        pairs = [tuple(edge) for edge in edges]
        for pair in pairs:
            if len(pair) != 2 or not all(0 <= k < len(self.points) for k in pair):
                raise BadInput(f"{pair} is not an edge between two of {len(self.points)} waypoints")
            if not self._sights.of_number(pair[0])[pair[1]]:
                raise BadInput(f"the edge from waypoint {pair[0]} to {pair[1]} leaves the mesh")
        both = {(a, b) for pair in pairs for a, b in (pair, pair[::-1]) if a != b}
        return np.array(sorted(both), np.int64).reshape(-1, 2)

    def begin_path(
        self, start: ArrayLike, goal: ArrayLike, algorithm: str = "astar", *, smooth: bool = True, **options: Any
    ) -> Task:
        """What `find_path` runs, to be advanced step by step."""
        from wayfolk.algorithms.paths import begin_path
        from wayfolk.algorithms.plane_search import NodeSearch

        ends, holders = self.mesh._ends(start, goal)
        near = [np.flatnonzero(self._sights.of(*one, self.reach)) for one in zip(ends, holders, strict=True)]
        is_direct = bool(Sights(self.mesh, np.array(ends[1:]), holders[1:]).of(ends[0], holders[0], self.reach)[0])
        graph = self._roads.between(ends, (near[0], near[1]), is_direct)
        search = begin_path(graph, START, GOAL, algorithm, **options)

        def drawn(nodes: list[Any]) -> list[Point]:
            between = nodes[1:-1]
            path = [ends[0], *((float(x), float(y)) for x, y in self.points[between]), ends[1]]
            if not smooth:
                return path
            held = [holders[0], *(self._sights.held[k] for k in between), holders[1]]
            return shortened(Sights(self.mesh, np.array(path), held))

        return NodeSearch(search, drawn)

    def find_path(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        algorithm: str = "astar",
        *,
        smooth: bool = True,
        seconds: float | None = None,
        expansions: int | None = None,
        **options: Any,
    ) -> Result:
        """The path between two points of the mesh, as points, and its length, or why there is none along the waypoints.

        Start and goal are joined to the waypoints in sight. With `smooth`, waypoints are left out where the line past them
        is free.
        """
        from wayfolk.algorithms.paths import finish_path

        result = finish_path(
            algorithm, lambda: self.begin_path(start, goal, algorithm, smooth=smooth, **options), seconds, expansions
        )
        result.algorithm, result.options = algorithm, options | {"smooth": smooth}
        return result

    def __repr__(self) -> str:
        return f"Waypoints({len(self.points)} points, {len(self._roads.target) // 2} edges)"


def shortened(sights: Sights) -> list[Point]:
    """Go from each point of a path straight to the last one in sight."""
    kept = [0]
    while kept[-1] < len(sights.points) - 1:
        here = kept[-1]
        ahead = np.flatnonzero(sights.of_number(here)[here + 1 :])
        kept.append(here + 1 + (int(ahead[-1]) if len(ahead) else 0))
    return [(float(x), float(y)) for x, y in sights.points[kept]]
