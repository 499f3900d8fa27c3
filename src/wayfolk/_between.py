"""From point to point: two ends joined to a graph for one query, and the tasks that search between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk._funnel import Point, turn
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.graph import NOWHERE, Graph
from wayfolk.kernels.mesh import MeshArrays
from wayfolk.kernels.polyanya import (
    EXHAUSTED,
    EXPANDED,
    FOUND,
    FULL,
    LAST,
    N_NODES,
    Stretches,
    grown,
    new_stretches,
    search,
)
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.task import Task

START, GOAL = "start", "goal"


class Roads(NamedTuple):
    """A graph of places that may be empty: the edges of node k are first[k] to first[k + 1]."""

    first: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64]
    places: NDArray[np.float64]

    @classmethod
    def of(cls, places: NDArray[np.float64], source: NDArray[Any], target: NDArray[Any]) -> Roads:
        """As long as the straight lines; edges come in the order of their sources."""
        first = np.searchsorted(source, np.arange(len(places) + 1))
        return cls(first, target, np.hypot(*(places[source] - places[target]).T), places)

    def graph(self) -> Graph:
        """The same, for searches; nodes are named 0, 1, ..."""
        if not len(self.places):
            raise NotSupported("there is nothing to make a graph of: no portals, or no waypoints")
        return Graph(self.first, self.target, self.weight, self.places)

    def between(self, ends: tuple[Point, Point], near: tuple[NDArray[Any], NDArray[Any]], is_direct: bool) -> Graph:
        """With two more nodes, "start" and "goal", and edges from and to those `near` them; perhaps one between them."""
        n = len(self.places)
        places = np.concatenate([self.places, ends])
        joined = np.concatenate(near).astype(np.int64)
        ending = np.repeat([n, n + 1], [len(near[0]), len(near[1])])
        prices = np.hypot(*(places[joined] - places[ending]).T)
        # an end's own edges come after those of all nodes
        here, there = (np.array([n, n + 1]), np.array([n + 1, n])) if is_direct else (joined[:0], joined[:0])
        source, target = np.concatenate([joined, ending, here]), np.concatenate([ending, joined, there])
        price = np.concatenate([prices, prices, np.hypot(*(places[here] - places[there]).T)])
        order = np.argsort(source, kind="stable")
        at = np.append(self.first[1:], [len(self.target)] * 2)[source[order]]
        first = np.append(self.first, [len(self.target)] * 2)
        first[1:] += np.cumsum(np.bincount(source, minlength=n + 2))
        return Graph(
            first,
            np.insert(self.target, at, target[order]),
            np.insert(self.weight, at, price[order]),
            places,
            [*range(n), START, GOAL],
        )


def checked_point(point: Any, what: str) -> Point:
    """Two finite numbers."""
    try:
        x, y = (float(value) for value in point)
    except (TypeError, ValueError):
        raise BadProblem(f"the {what} is {point!r}, not two numbers") from None
    if not (np.isfinite(x) and np.isfinite(y)):
        raise BadProblem(f"the {what} ({x}, {y}) is nowhere")
    return x, y


def length(points: list[Point]) -> float:
    """How long a path is."""
    return float(np.hypot(*np.diff(np.array(points), axis=0).T).sum()) if len(points) > 1 else 0.0


class Between(Task):
    """A search of the catalogue between two points; `draw` makes points of the nodes that it finds."""

    def __init__(self, search: Task, draw: Callable[[list[Any]], list[Point]]) -> None:
        self.search, self.draw = search, draw

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes."""
        self.status = self.search.advance(budget)
        return self.status

    def result(self) -> Result:
        """The path as points, and its length."""
        made = self.search.result()
        made.bound = None  # what is proved for the graph is not proved for the plane
        if made.path is not None:
            points = self.draw(made.path)
            made.path, made.cost = list(points), length(points)
        return made


class Exact(Task):
    """Polyanya under way; see `wayfolk.kernels.polyanya`. Events are the polygons that were looked into."""

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
        """Look through up to `budget` stretches of edges."""
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
            code = search(self.mesh, self.memory, *start, homes, *goal, goals, left, self.events)
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
        made = Result(self.status, "", counters=self.counters)
        if self.status is Status.SOLVED:
            made.path, made.cost, made.bound = list(self.path), length(self.path), 1.0
        if self.events.size:
            made.events = self.events[: self.counters.expanded].copy()
        return made

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
