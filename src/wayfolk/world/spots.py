"""The free cells of a grid, numbered without gaps, and distances in steps between them.

A spot is the number of a free cell. Arrays of spots take less memory than arrays of cells, since walls have no spot, and
loops over neighbours visit nothing but neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import TooLarge
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.distances import CELL, FIRST, UNREACHED, Spots, StepFields, fill, fill_pairs
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.machine import available_bytes, n_cores
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid, Moves


class SpotMap:
    """The spots of one grid: `cells[spot]` and `spot_of[cell]` translate them."""

    def __init__(self, grid: Grid) -> None:
        self.cells, self.legal, self.offsets = grid.free_cells, grid.legal, grid.offsets
        self.n_slots = 4 if grid.moves is Moves.FOUR else 8
        self.spot_of = np.full(grid.n_cells, NOWHERE, np.int32)
        self.spot_of[self.cells] = np.arange(len(self.cells))
        self.near = self._empty()
        for k, rows, slots in self._moves():
            self.near[rows, slots] = self.spot_of[self.cells[rows] + self.offsets[k]]

    @cached_property
    def degree(self) -> NDArray[np.int32]:
        """The number of neighbours of each spot."""
        degree: NDArray[np.int32] = (self.near != NOWHERE).sum(1, dtype=np.int32)
        return degree

    @property
    def n_spots(self) -> int:
        """How many cells are free."""
        return len(self.cells)

    @cached_property
    def crossings(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The ends of the diagonal that crosses the move to neighbour k of a spot; NOWHERE if none does."""
        one, two = self._empty(), self._empty()
        for k, rows, slots in self._moves():
            if k < 4:
                continue
            here, side = self.cells[rows], self.offsets[k - 4]  # south-east is 4 and south 1
            beside, across = self.spot_of[here + side], self.spot_of[here + self.offsets[k] - side]
            both = (beside != NOWHERE) & (across != NOWHERE)
            one[rows[both], slots[both]], two[rows[both], slots[both]] = beside[both], across[both]
        return one, two

    def _empty(self) -> NDArray[np.int32]:
        return np.full((self.n_spots, self.n_slots), NOWHERE, np.int32)

    def _moves(self) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.int32]]]:
        """Each move, the spots that have it, and its number among the moves of each of them."""
        degree, legal = np.zeros(self.n_spots, np.int32), self.legal[self.cells]
        for k in range(self.n_slots):
            rows = np.flatnonzero((legal >> k) & 1)
            yield k, rows, degree[rows]
            degree[rows] += 1


class DistanceTable:
    """The distances from all spots to each of `goals` (spots), filled in portions on all cores."""

    def __init__(self, spot_map: SpotMap, goals: NDArray[np.int32]) -> None:
        self.spot_map, self.goals, self.n_filled = spot_map, goals, 0
        kind = _kind(spot_map, goals)
        _check_room(len(goals) * spot_map.n_spots * kind.itemsize, len(goals), available_bytes())
        self.steps: NDArray[Any] = np.empty((len(goals), spot_map.n_spots), kind)
        self.far = int(np.iinfo(kind).max)
        self.queues = np.empty((n_cores(), spot_map.n_spots), np.int32)

    @property
    def is_filled(self) -> bool:
        """Whether all fields are there."""
        return self.n_filled == len(self.goals)

    def fill(self, n: int) -> int:
        """Fill up to `n` more fields; how many these were."""
        rows = np.arange(self.n_filled, min(self.n_filled + n, len(self.goals)))
        self.fill_rows(rows)
        self.n_filled += len(rows)
        return len(rows)

    def fill_rows(self, rows: NDArray[np.intp]) -> None:
        """Fill the fields of `rows`, on all cores."""
        parts = [part for part in np.array_split(rows, len(self.queues)) if part.size]
        if len(parts) == 1:
            self._fill_part(parts[0], self.queues[0])
        elif parts:
            with ThreadPoolExecutor(len(parts)) as pool:
                list(pool.map(self._fill_part, parts, self.queues))

    def _fill_part(self, part: NDArray[np.intp], queue: NDArray[np.int32]) -> None:
        for row in part.tolist():
            fill(Spots(self.spot_map.near), self.goals, row, row + 1, self.far, queue, self.steps)


def spots_of(grid: Grid) -> SpotMap:
    """The spots of `grid`, made once."""
    return cached(grid, "spots", SpotMap)


def new_fields(grid: Grid, goals: NDArray[np.int32], max_bytes: int | None = None) -> StepFields:
    """A field for each of `goals` (cells), not begun yet; refuses jobs that could outgrow `max_bytes` (or the machine)."""
    spot_map, n = spots_of(grid), len(goals)
    kind = _kind(spot_map, spot_map.spot_of[goals])
    need = n * spot_map.n_spots * (kind.itemsize + 4)
    _check_room(need, n, available_bytes() if max_bytes is None else max_bytes)
    queue = lazy_zeros((n, FIRST + spot_map.n_spots), np.int32)
    queue[:, FIRST] = spot_map.spot_of[goals]
    return _fields(spot_map, lazy_zeros((n, spot_map.n_spots), kind), queue)


def filled_fields(grid: Grid, steps: NDArray[Any]) -> StepFields:
    """Fields of which all distances are known: the `steps` of a table."""
    return _fields(spots_of(grid), steps, np.ones((len(steps), FIRST), np.int32))  # of one spot, one has been expanded


def _fields(spot_map: SpotMap, steps: NDArray[Any], queue: NDArray[np.int32]) -> StepFields:
    cells = np.zeros(len(spot_map.spot_of), CELL)
    cells["legal"], cells["spot"] = spot_map.legal, spot_map.spot_of
    return StepFields(spot_map.near, cells, spot_map.offsets, steps, queue, int(np.iinfo(steps.dtype).max))


def steps_to(grid: Grid, goal: int) -> NDArray[np.int32]:
    """The number of steps from each cell to `goal`; UNREACHED where there is no way."""
    steps: NDArray[np.int32] = np.empty(grid.n_cells, np.int32)
    queue = np.empty(len(grid.free_cells), np.int32)
    fill(grid.graph, np.array([goal], np.int32), 0, 1, int(UNREACHED), queue, steps[None])
    return steps


def fewest_steps(grid: Grid, starts: NDArray[np.int32], goals: NDArray[np.int32]) -> NDArray[np.int32]:
    """The number of steps from each start to its goal, on all cores; UNREACHED where there is no way."""
    steps = np.empty(len(starts), np.int32)
    parts = np.array_split(np.arange(len(starts)), n_cores())

    def work(part: NDArray[np.intp]) -> None:
        scratch, queue = np.full(grid.n_cells, UNREACHED, np.int32), np.empty(len(grid.free_cells), np.int32)
        fill_pairs(grid.graph, starts, goals, part, queue, scratch, steps)

    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(work, parts))
    return steps


def _kind(spot_map: SpotMap, goals: NDArray[np.int32]) -> np.dtype[Any]:
    """The smallest integers for all distances to `goals`: between two spots at most twice that to a third one."""
    if spot_map.n_spots < np.iinfo(np.uint16).max or not len(goals):
        return np.dtype(np.uint16)
    steps = np.empty((1, spot_map.n_spots), np.int32)
    fill(Spots(spot_map.near), goals[:1], 0, 1, int(UNREACHED), np.empty(spot_map.n_spots, np.int32), steps)
    reached = steps[0] != UNREACHED
    fits = reached[goals].all() and 2 * int(steps[0][reached].max()) < np.iinfo(np.uint16).max
    return np.dtype(np.uint16 if fits else np.int32)


def _check_room(need: int, n: int, limit: int) -> None:
    if need > limit:
        raise TooLarge(f"distance fields for {n} goals could need {need / 1e9:.1f} GB, {limit / 1e9:.1f} GB are free")
