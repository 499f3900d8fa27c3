"""From point to point: the tasks that search a mesh or waypoints between two points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.task import Task
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.mesh.funnel import Point, turn
from wayfolk.world.mesh.geometry import MeshArrays
from wayfolk.world.mesh.plane_graph import length
from wayfolk.world.mesh.polyanya import EXPANDED, LAST, N_NODES, PlaneQuery, Stretches, grown, new_stretches, search


class NodeSearch(Task):
    """A search of the catalogue between two points; `draw` turns the nodes of its path into points."""

    def __init__(self, search: Task, draw: Callable[[list[Any]], list[Point]]) -> None:
        self.search, self.draw = search, draw

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes."""
        self.status = self.search.advance(budget)
        return self.status

    def result(self) -> Result:
        """The path as points, and its length."""
        result = self.search.result()
        result.bound = None  # what is proved for the graph is not proved for the plane
        if result.path is not None:
            points = self.draw(result.path)
            result.path, result.cost = list(points), length(points)
        return result


class PolyanyaSearch(Task):
    """Polyanya as a task; see `wayfolk.world.mesh.polyanya`. Events are the polygons that were searched."""

    def __init__(
        self,
        mesh: MeshArrays,
        pool: list[Stretches],
        ends: tuple[Point, Point],
        holders: tuple[NDArray[np.int32], NDArray[np.int32]],
        watch: bool = False,
    ) -> None:
        self.mesh, self.pool, self.ends, self.holders = mesh, pool, ends, holders
        self.memory = pool.pop() if pool else new_stretches(int(mesh.edges["fan"].max()) + 1)
        self.memory.counts[:] = 0
        self.memory.ways["g"] = np.inf
        self.events = np.empty(1024 if watch else 0, np.int32)
        self.counters = Counters()
        self.path = list(dict.fromkeys(ends))
        if np.intersect1d(*holders).size:
            self.status = Status.SOLVED

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes, each a stretch of an edge."""
        if self.status.is_final:
            return self.status
        stop = self.counters.expanded + budget
        while True:
            done = self.counters.expanded
            left = stop - done
            if self.events.size:
                if done * 2 > self.events.size:
                    self.events = np.concatenate([self.events, self.events])
                left = min(left, self.events.size // 2)
            (start, homes), (goal, goals) = zip(self.ends, self.holders, strict=True)
            code = search(self.mesh, self.memory, PlaneQuery(*start, homes, *goal, goals), left, self.events)
            self.counters = Counters(int(self.memory.counts[EXPANDED]), int(self.memory.counts[N_NODES]))
            if code == FULL:
                self.memory = grown(self.memory)
            elif code in (FOUND, EXHAUSTED) or self.counters.expanded >= stop:
                break
        if code == FOUND:
            self.status, self.path = Status.SOLVED, self._points()
        elif code == EXHAUSTED:
            self.status = Status.IMPOSSIBLE
        if self.status.is_final:
            self.pool.append(self.memory)  # for the next search in this mesh
        return self.status

    def result(self) -> Result:
        """The shortest path, once it is found."""
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=self.counters)
        if self.status is Status.SOLVED:
            result.path, result.cost, result.bound = list(self.path), length(self.path), 1.0
        if self.events.size:
            result.events = self.events[: self.counters.expanded].copy()
        return result

    def _points(self) -> list[Point]:
        """The bends, read backwards from the last node, whose polygon holds the goal."""
        nodes, goal = self.memory.nodes, self.ends[1]
        chain = [int(self.memory.counts[LAST])]
        parents = nodes["parent"]
        while (parent := int(parents[chain[-1]])) != NOWHERE:
            chain.append(parent)
        left, right = (tuple(nodes[chain[0]][[f"{end}_x", f"{end}_y"]].tolist()) for end in ("left", "right"))
        roots = list(zip(nodes["root_x"][chain].tolist(), nodes["root_y"][chain].tolist(), strict=True))
        bend = []
        if turn(roots[0], right, goal) < 0:
            bend = [right]
        elif turn(roots[0], left, goal) > 0:
            bend = [left]
        backwards = [goal, *bend, *roots]
        return [point for k, point in enumerate(backwards) if k == 0 or point != backwards[k - 1]][::-1]
