"""Passable: the part of a grid that a body of some radius can walk, and where in each cell it can stand.

A body can stand at a point whose distance to the nearest wall is at least its radius. Nine points of each cell are tried:
its middle, its corners and the middles of its sides. A body gets from one of them to the next if it can stand half-way too.
The body can be in a cell if it can stand at one of the points, and it gets to the next cell if it can stand at a point of
the side between them and walk there from its place in either cell.

Invariants  between walls along the cells a body passes exactly if the gap is as wide as the body. Walls at other angles
            are seen at the points only, half a cell apart.
Cost        O(cells), and one distance to the walls for each point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space

SLACK = 1e-9
MIDDLE = 4  # of the points 0, 1, 2 / 3, 4, 5 / 6, 7, 8 of a cell
EAST_SIDE, WEST_SIDE, SOUTH_SIDE, NORTH_SIDE = [2, 5, 8], [0, 3, 6], [6, 7, 8], [0, 1, 2]
PAIRS = [
    (a, b)
    for a in range(9)
    for b in range(a + 1, 9)
    if abs(a % 3 - b % 3) <= 1 and abs(a // 3 - b // 3) <= 1
]  # fmt: skip


class Passable(NamedTuple):
    """The cells and links of a grid that are wide enough, and the point of each cell (padded) where a body can stand."""

    grid: Grid
    points: NDArray[np.float64]


def goal_reach(radius: float, cell: float) -> float:
    """How near a body must come to its goal for a way to count: it stands in a corner if the goal is in that corner."""
    return 1.5 * radius + 0.25 * cell


class Passables:
    """What bodies of different radii can pass in one space; radii that pass the same gaps share one `Passable`."""

    def __init__(self, space: Space) -> None:
        assert space.grid is not None
        self.space, self.grid = space, space.grid
        self._reach, self._clear = 0.0, np.zeros((0, 0))
        self._found: dict[float, Passable] = {}
        self._shared: dict[bytes, Passable] = {}

    def of(self, radius: float) -> Passable:
        """What a body of this radius can pass."""
        if radius not in self._found:
            self._found[radius] = self._between(radius) or self._new(radius)
        return self._found[radius]

    def _between(self, radius: float) -> Passable | None:
        """What is known already because a smaller and a larger body pass the same gaps."""
        if not self.space.polygons and radius <= 0.5 * self.space.cell:
            radius = 0.0  # every cell has room
            return self._found.get(0.0)
        below = max((known for known in self._found if known <= radius), default=None)
        above = min((known for known in self._found if known >= radius), default=None)
        if below is not None and above is not None and self._found[below] is self._found[above]:
            return self._found[below]
        return None

    def _new(self, radius: float) -> Passable:
        grid, space = self.grid, self.space
        middles = np.zeros((grid.n_cells, 2))
        middles[grid.free_cells] = space.middles(grid.free_cells)
        if not space.polygons and radius <= 0.5 * space.cell:
            return self._found.setdefault(0.0, Passable(grid, middles))
        places = grid.places(grid.free_cells)
        clear = self._clearances(2.0 * radius)[
            2 * places[:, 1, None] + np.arange(9) // 3, 2 * places[:, 0, None] + np.arange(9) % 3
        ]
        reached = self._reached(places, clear, radius)
        has_room = reached.any(1)
        padded = np.zeros((grid.n_cells, 9), np.bool_)
        padded[grid.free_cells] = reached
        beside, below = np.roll(padded, -1, 0), np.roll(padded, -grid.stride, 0)
        east = (padded[:, EAST_SIDE] & beside[:, WEST_SIDE]).any(1)
        south = (padded[:, SOUTH_SIDE] & below[:, NORTH_SIDE]).any(1)
        links = (np.where(east, OPEN_EAST, 0) + np.where(south, OPEN_SOUTH, 0)).astype(np.uint8)
        if grid._links is not None:
            links &= grid._links
        free = np.zeros(grid.n_cells, np.bool_)
        free[grid.free_cells[has_room]] = True
        narrow = self._grid(free, grid._links)
        cut = self._grid(free, links)
        if (cut.legal != narrow.legal).any():  # most searches, but not all, know cliffs
            narrow = cut
        points = middles.copy()
        best = np.where(reached[:, MIDDLE], MIDDLE, np.where(reached, clear, -1.0).argmax(1))
        points[grid.free_cells] = 0.5 * space.cell * (2 * places + np.stack([best % 3, best // 3], 1))
        same = bool((narrow.legal == grid.legal).all() and (narrow._free == grid._free).all())
        key = narrow.legal.tobytes() + narrow._free.tobytes()
        return self._shared.setdefault(key, Passable(grid if same else narrow, points))

    def _grid(self, free: NDArray[np.bool_], links: NDArray[np.uint8] | None) -> Grid:
        """The grid with other free cells and links, both padded."""
        grid = self.grid
        open_sides = None if links is None else grid._inner(links)
        return Grid(
            grid._inner(free), grid.moves, costs=grid.costs, links=open_sides, diagonal=grid.diagonal, name=grid.name
        )

    def _clearances(self, reach: float) -> NDArray[np.float64]:
        """The distance to the walls, up to `reach`, of the points half a cell apart: [y, x]."""
        if reach > self._reach:
            lines, columns = 2 * self.grid.height + 1, 2 * self.grid.width + 1
            points = np.stack(np.meshgrid(np.arange(columns), np.arange(lines)), -1) * (0.5 * self.space.cell)
            self._clear = self.space.clearance(points.reshape(-1, 2), reach).reshape(lines, columns)
            self._reach = reach
        return self._clear

    def _reached(self, places: NDArray[np.int32], clear: NDArray[np.float64], radius: float) -> NDArray[np.bool_]:
        """Which of the nine points of each cell a body gets to from the best of them."""
        stands = clear >= radius - SLACK
        best = np.where(stands[:, MIDDLE], MIDDLE, np.where(stands, clear, -1.0).argmax(1))
        reached: NDArray[np.bool_] = stands & (np.arange(9) == best[:, None])
        links = []
        for a, b in PAIRS:
            joined = stands[:, a] & stands[:, b]
            between = np.array([a % 3 + b % 3, a // 3 + b // 3])  # in quarters of a cell
            half = 0.25 * self.space.cell * np.hypot(a % 3 - b % 3, a // 3 - b // 3)
            doubtful = np.flatnonzero(joined & (np.maximum(clear[:, a], clear[:, b]) - half < radius))
            if len(doubtful):
                points = (places[doubtful] + 0.25 * between) * self.space.cell
                joined[doubtful] = self.space.clearance(points, self._reach) >= radius - SLACK
            links.append((a, b, joined))
        while True:
            before = int(reached.sum())
            for a, b, joined in links:
                reached[:, a] |= reached[:, b] & joined
                reached[:, b] |= reached[:, a] & joined
            if int(reached.sum()) == before:
                return reached
