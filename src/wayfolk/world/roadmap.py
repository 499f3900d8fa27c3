"""Roadmap: places in a plane and the lanes that join them, as fleets of robots drive on them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.world.graph import Graph


class Lane(NamedTuple):
    """A lane from one place to another, both ways unless it is `one_way`.

    Its `length`, if it is not given, is the straight distance, or 1 between places without positions. `speed` is the speed
    limit: a lane costs length / speed.
    """

    start: Hashable
    end: Hashable
    one_way: bool = False
    length: float | None = None
    speed: float = 1.0


class Wall(NamedTuple):
    """A straight wall between two points of a level; robots keep their radius away from it."""

    start: tuple[float, float]
    end: tuple[float, float]
    level: str = ""


class Roadmap(Graph):
    """A graph whose nodes lie in a plane (or in space), joined by lanes with lengths and speed limits.

    `places` gives the position of each node by name, or only the names. `lanes` are `Lane`s, or pairs of names for lanes
    both ways. Costs are times at the speed limits, and with the limit 1 they are lengths. Optional are `levels`, the floor
    of each node, `stations`: by their names, the nodes from which robots use them, and `walls`, from which agents that have
    a radius keep away.
    """

    def __init__(
        self,
        places: Mapping[Hashable, Iterable[float]] | Iterable[Hashable],
        lanes: Iterable[Lane | tuple[Any, ...]],
        *,
        levels: Mapping[Any, str] | None = None,
        stations: Mapping[str, Sequence[Hashable]] | None = None,
        walls: Iterable[Wall | tuple[Any, ...]] = (),
        name: str = "",
    ) -> None:
        names = list(places)
        if not names:
            raise BadInput("a roadmap needs at least one place")
        positions = _checked_positions(places) if isinstance(places, Mapping) else None
        number = {place: k for k, place in enumerate(names)}
        self.lanes = tuple(Lane(*lane) for lane in lanes)
        rows = []
        for k, lane in enumerate(self.lanes):
            start, end, length = _checked(k, lane, number, positions)
            rows.append((start, end, length, lane.speed))
            if not lane.one_way:
                rows.append((end, start, length, lane.speed))
        rows.sort(key=lambda row: row[:2])
        source, target = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2).T
        lengths, speeds = np.array([row[2:] for row in rows], np.float64).reshape(-1, 2).T
        first = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=len(names)))])
        with np.errstate(over="ignore"):  # a cost that is not finite is refused
            seconds = lengths / speeds
        super().__init__(first, target, seconds, positions, names)
        self.lengths, self.speeds = lengths, speeds
        self.levels, self.stations, self.name = dict(levels or {}), dict(stations or {}), name
        self.walls = tuple(_checked_wall(k, Wall(*wall)) for k, wall in enumerate(walls))
        if self.walls and positions is None:
            raise BadInput("a roadmap with walls needs the positions of its places")

    def divided(self, step: float) -> Roadmap:
        """A copy in which lanes that take longer are divided into parts of about `step` each.

        For many agents each move takes one step: in a divided roadmap they are all about as fast as the speed limits
        allow. The places on a lane are called `(start, end, k)`, with k from 1.
        """
        if not (math.isfinite(step) and step > 0.0):
            raise BadInput(f"a step takes a time above 0, not {step}")
        points = {} if self.positions is None else dict(zip(self.names, self.positions, strict=True))
        places: dict[Hashable, Any] = {name: points.get(name) for name in self.names}
        levels, lanes = dict(self.levels), []
        for k, lane in enumerate(self.lanes):
            length = _checked(k, lane, self._number, None if not points else [tuple(p) for p in self.positions])[2]  # type: ignore[union-attr]
            n = max(1, round(length / lane.speed / step))
            if (lane.start, lane.end, 1) in places:  # a second lane between the same places
                n = 1
            stops = [lane.start, *((lane.start, lane.end, k) for k in range(1, n)), lane.end]
            for k, stop in enumerate(stops[1:-1], 1):
                places[stop] = (
                    None if not points else points[lane.start] + k / n * (points[lane.end] - points[lane.start])
                )
                if lane.start in self.levels:
                    levels[stop] = self.levels[lane.start]
            lanes += [lane._replace(start=a, end=b, length=length / n) for a, b in itertools.pairwise(stops)]
        return Roadmap(
            {name: tuple(map(float, at)) for name, at in places.items()} if points else list(places), lanes,
            levels=levels, stations=self.stations, walls=self.walls, name=self.name,
        )  # fmt: skip

    def distance_to_walls(self, begin: NDArray[Any], end: NDArray[Any]) -> NDArray[np.float64]:
        """How near the straight lines from the nodes `begin` to the nodes `end` come to the walls of their levels."""
        nearest = np.full(len(begin), np.inf)
        if self.positions is None:
            return nearest
        levels = np.array([self.levels.get(name, "") for name in self.names])
        a, b = self.positions[begin, :2], self.positions[end, :2]
        for wall in self.walls:
            rows = np.flatnonzero((levels[begin] == wall.level) | (levels[end] == wall.level) | (wall.level == ""))
            apart = _segments_apart(a[rows], b[rows], np.array(wall.start), np.array(wall.end))
            nearest[rows] = np.minimum(nearest[rows], apart)
        return nearest

    def with_closed(self, lanes: Iterable[tuple[Hashable, Hashable]]) -> Roadmap:
        """A copy without the ways from the first to the second place of each pair."""
        shut = {(self.cell(start), self.cell(end)) for start, end in lanes}
        for start, end in shut:
            if end not in self.graph.target[self.graph.first[start] : self.graph.first[start + 1]]:
                raise BadInput(f"no lane leads from {self.place(start)!r} to {self.place(end)!r}")
        kept: list[Lane] = []
        for lane in self.lanes:
            start, end = self.cell(lane.start), self.cell(lane.end)
            if (start, end) not in shut:
                kept.append(lane if (end, start) not in shut else lane._replace(one_way=True))
            elif not lane.one_way and (end, start) not in shut:
                kept.append(lane._replace(start=lane.end, end=lane.start, one_way=True))
        places = self.names if self.positions is None else dict(zip(self.names, self.positions.tolist(), strict=True))
        return Roadmap(
            places, kept, levels=self.levels, stations=self.stations, walls=self.walls, name=self.name
        )  # fmt: skip

    def __repr__(self) -> str:
        named = f"{self.name!r}, " if self.name else ""
        return f"Roadmap({named}{self.n_cells} places, {len(self.lanes)} lanes)"


def _checked_positions(places: Mapping[Hashable, Iterable[float]]) -> list[tuple[float, ...]]:
    """The position of each place: all in a plane, or all in space."""
    positions: list[tuple[float, ...]] = []
    for name, place in places.items():
        try:
            position = tuple(float(axis) for axis in place)
        except (TypeError, ValueError):
            position = ()
        if len(position) not in (2, 3) or not all(map(math.isfinite, position)):
            raise BadInput(f"the place {name!r} needs a position of two or three finite numbers, not {place!r}")
        if len(position) != len(positions[0] if positions else position):
            raise BadInput(f"the place {name!r} has {len(position)} coordinates, those before it {len(positions[0])}")
        positions.append(position)
    return positions


def _checked_wall(k: int, wall: Wall) -> Wall:
    """Wall number `k`, between two points with finite coordinates."""
    for point in wall[:2]:
        if len(point) != 2 or not all(map(math.isfinite, point)):
            raise BadInput(f"wall {k} needs two points of two finite numbers, not {point!r}")
    return wall


def _segments_apart(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The distance of each line from `a` to `b` to the line from `c` to `d`, 0 where they cross."""

    def side(p: NDArray[np.float64], q: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
        turned: NDArray[np.float64] = (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (
            r[..., 0] - p[..., 0]
        )
        return turned

    crosses = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    ends = [_to_segment(a, c, d), _to_segment(b, c, d), _to_segment(c, a, b), _to_segment(d, a, b)]
    return np.where(crosses, 0.0, np.min(ends, axis=0))


def _to_segment(p: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distance of points to lines; either may be one for many of the other."""
    along = d - c
    square = (along * along).sum(-1)
    share = np.where(square > 0, ((p - c) * along).sum(-1) / np.where(square > 0, square, 1.0), 0.0).clip(0.0, 1.0)
    distances: NDArray[np.float64] = np.linalg.norm(p - (c + share[..., None] * along), axis=-1)
    return distances


def _checked(
    k: int, lane: Lane, number: Mapping[Hashable, int], positions: list[tuple[float, ...]] | None
) -> tuple[int, int, float]:
    """The numbers of both ends of lane `k`, and its length."""
    for end in (lane.start, lane.end):
        if end not in number:
            raise BadInput(f"lane {k} leads from {lane.start!r} to {lane.end!r}, and there is no place {end!r}")
    start, end = number[lane.start], number[lane.end]
    straight = 1.0 if positions is None else math.dist(positions[start], positions[end])
    length = straight if lane.length is None else float(lane.length)
    where = f"lane {k} from {lane.start!r} to {lane.end!r}"
    if not (math.isfinite(length) and length >= 0.0):
        raise BadInput(f"{where} is {length} long: it must be 0 or more")
    if not (math.isfinite(lane.speed) and lane.speed > 0.0):
        raise BadInput(f"{where} has the speed limit {lane.speed}: it must be above 0")
    return start, end, length
