"""Adjacency: the cells to which moves lead from each cell, as plain Python numbers for searches of a few hundred cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wayfolk.world.grid import Grid


class Adjacency:
    """`adjacency[cell]` are the cells beside `cell`; they are read from the map when they are first asked for."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._offsets = grid.offsets.tolist()
        self._beside: dict[int, tuple[int, ...]] = {}

    def __getitem__(self, cell: int) -> tuple[int, ...]:
        beside = self._beside.get(cell)
        if beside is None:
            legal = int(self.grid.legal[cell])
            beside = tuple(cell + offset for k, offset in enumerate(self._offsets) if legal >> k & 1)
            self._beside[cell] = beside
        return beside

    def nearest_first(
        self, start: int, is_open: Callable[[int], bool], most: int, came: dict[int, int] | None = None
    ) -> Iterator[int]:
        """Yield `start` and the cells that ways over open cells lead to, the nearest first, at most `most` of them.

        `came` then holds the cell from which each was reached.
        """
        came = {} if came is None else came
        came[start] = start
        queue = [start]
        for cell in queue:
            yield cell
            for there in self[cell]:
                if there not in came and len(came) < most and is_open(there):
                    came[there] = cell
                    queue.append(there)


def way_back(came: dict[int, int], cell: int) -> list[int]:
    """The way from `cell` to the start of a search, both included."""
    way = [cell]
    while came[way[-1]] != way[-1]:
        way.append(came[way[-1]])
    return way
