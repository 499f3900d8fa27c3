"""Site maps: grids of real sites, which know where they lie in metres, and the cells at which robots are served."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.world.grid import Grid, Moves


class Frame(NamedTuple):
    """Where a grid lies in the plane of a robot's map, in which y points up.

    A cell has sides of `metres`. The lower left corner of the grid is at (`x`, `y`), and the grid is turned around it by
    `yaw`, in radians counter-clockwise.
    """

    metres: float
    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0


class SiteMap(Grid):
    """A grid with a `frame`, if its place in metres is known, and `stations`: by their kind, the cells of stations.

    Changed copies keep both. A plan is saved with the cells of its map only.
    """

    def __init__(
        self,
        free: ArrayLike,
        moves: str | Moves = Moves.EIGHT,
        *,
        costs: ArrayLike | None = None,
        frame: Frame | None = None,
        stations: Mapping[str, NDArray[np.int32]] | None = None,
        name: str = "",
    ) -> None:
        super().__init__(free, moves, costs=costs, name=name)
        self.frame, self.stations = frame, dict(stations or {})

    def points(self, cells: ArrayLike) -> NDArray[np.float64]:
        """The middles of `cells` as rows x, y in metres."""
        frame = self._known_frame()
        places = self.places(cells).reshape(-1, 2)
        across, up = places[:, 0] + 0.5, self.height - places[:, 1] - 0.5
        cos, sin = math.cos(frame.yaw), math.sin(frame.yaw)
        turned = np.stack([across * cos - up * sin, across * sin + up * cos], axis=1)
        result: NDArray[np.float64] = frame.metres * turned + (frame.x, frame.y)
        return result

    def cells_at(self, points: ArrayLike) -> NDArray[np.int32]:
        """The cells that hold some points, rows x, y in metres; a point outside the map is the caller's mistake."""
        frame = self._known_frame()
        apart = (np.asarray(points, np.float64).reshape(-1, 2) - (frame.x, frame.y)) / frame.metres
        if not np.isfinite(apart).all():
            raise BadInput("points are rows x, y of finite numbers")
        cos, sin = math.cos(frame.yaw), math.sin(frame.yaw)
        across, up = apart[:, 0] * cos + apart[:, 1] * sin, apart[:, 1] * cos - apart[:, 0] * sin
        places = np.floor(np.clip(np.stack([across, self.height - up], axis=1), -1e9, 1e9)).astype(np.int64)
        return self.cells(places)

    def with_moves(self, moves: str | Moves) -> SiteMap:
        """The same map under another move rule."""
        return SiteMap(
            self.free, moves, costs=self.costs, frame=self.frame, stations=self.stations, name=self.name
        )  # fmt: skip

    def _known_frame(self) -> Frame:
        if self.frame is None:
            raise BadInput(f"{self!r} has no frame: where it lies in metres is not known")
        return self.frame
