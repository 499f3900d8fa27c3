"""A graph of places in a plane, to which two more points, start and goal, can be joined for one query."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem, NotSupported
from wayfolk.world.graph import Graph
from wayfolk.world.mesh.funnel import Point

START, GOAL = "start", "goal"


class PlaneGraph(NamedTuple):
    """A graph of places that may be empty: the edges of node k are first[k] to first[k + 1]."""

    first: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64]
    places: NDArray[np.float64]

    @classmethod
    def of(cls, places: NDArray[np.float64], source: NDArray[Any], target: NDArray[Any]) -> PlaneGraph:
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
