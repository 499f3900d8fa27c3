"""The map as LaCAM reads it: free cells numbered without gaps, their neighbours, and a distance field for each goal.

A spot is the number of a free cell. Fields of spots take less memory than fields of cells, since walls have no spot, and
loops over neighbours visit nothing but neighbours.

Invariants  `steps[agent, spot]` is the exact distance from the spot to the agent's goal once its field is filled.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import kernel
from wayfolk.errors import TooLarge
from wayfolk.kernels.codes import NOWHERE
from wayfolk.machine import available_bytes, n_cores
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.kept import kept


class Spots(NamedTuple):
    """`near[spot, k]` for k below `degree[spot]` are the neighbours.

    `beside` and `across` are the ends of the diagonal that crosses the move to neighbour k, NOWHERE if none does.
    """

    near: NDArray[np.int32]
    degree: NDArray[np.int32]
    beside: NDArray[np.int32]
    across: NDArray[np.int32]
    has_diagonals: bool


class Ground:
    """The spots of one grid, and the translation from cells to spots and back."""

    def __init__(self, grid: Grid) -> None:
        self.cells, self.legal = grid.free_cells, grid.legal
        self.spot_of = np.full(grid.n_cells, NOWHERE, np.int32)
        self.spot_of[self.cells] = np.arange(len(self.cells))
        self.spots = _spots(grid, self.cells, self.spot_of)

    @property
    def n_spots(self) -> int:
        """How many cells are free."""
        return len(self.cells)


def ground_of(grid: Grid) -> Ground:
    """The spots of `grid`, made once."""
    return kept(grid, "lacam ground", Ground)


def _spots(grid: Grid, cells: NDArray[np.int32], spot_of: NDArray[np.int32]) -> Spots:
    n_slots = 4 if grid.moves is Moves.FOUR else 8
    shape = len(cells), n_slots
    near, beside, across = (np.full(shape, NOWHERE, np.int32) for _ in range(3))
    degree, offsets = np.zeros(len(cells), np.int32), grid.offsets
    for k in range(n_slots):
        rows = np.flatnonzero((grid.legal[cells] >> k) & 1)
        slots, here = degree[rows], cells[rows]
        near[rows, slots] = spot_of[here + offsets[k]]
        if k >= 4:  # the corners beside a diagonal: south-east is 4 and south 1
            one, other = spot_of[here + offsets[k - 4]], spot_of[here + offsets[k] - offsets[k - 4]]
            both = (one != NOWHERE) & (other != NOWHERE)
            beside[rows[both], slots[both]] = one[both]
            across[rows[both], slots[both]] = other[both]
        degree[rows] += 1
    return Spots(near, degree, beside, across, n_slots == 8)


class FarFields:
    """A distance field for each of `goals` (spots), filled in portions on all cores."""

    def __init__(self, ground: Ground, goals: NDArray[np.int32]) -> None:
        self.spots, self.goals, self.n_filled = ground.spots, goals, 0
        n = ground.n_spots
        kind = np.uint16 if n < 65_000 or _eccentricity(self.spots, goals[0], n) < 32_000 else np.int32
        need = len(goals) * n * np.dtype(kind).itemsize
        if need > available_bytes():
            raise TooLarge(f"distance fields for {len(goals)} agents need {need / 1e9:.1f} GB, which are not free")
        self.steps: NDArray[Any] = np.empty((len(goals), n), kind)
        self.far = int(np.iinfo(kind).max)
        self.queues = np.empty((n_cores(), n), np.int32)

    @property
    def is_filled(self) -> bool:
        """Whether all fields are there."""
        return self.n_filled == len(self.goals)

    def fill(self, n: int) -> int:
        """Fill up to `n` more fields; how many these were."""
        agents = np.arange(self.n_filled, min(self.n_filled + n, len(self.goals)))
        parts = [part for part in np.array_split(agents, len(self.queues)) if part.size]
        if len(parts) == 1:
            fill_fields(
                self.spots, self.goals, int(agents[0]), int(agents[-1]) + 1, self.far, self.queues[0], self.steps
            )
        elif parts:
            with ThreadPoolExecutor(len(parts)) as pool:
                list(pool.map(self._fill_part, parts, self.queues))
        self.n_filled += len(agents)
        return len(agents)

    def fill_rows(self, rows: NDArray[np.intp]) -> None:
        """Fill the fields of `rows`, on all cores: with those that were written elsewhere, all are filled."""
        with ThreadPoolExecutor(len(self.queues)) as pool:
            for part, queue in zip(np.array_split(rows, len(self.queues)), self.queues, strict=True):
                pool.submit(self._fill_each, part, queue)
        self.n_filled = len(self.goals)

    def _fill_each(self, rows: NDArray[np.intp], queue: NDArray[np.int32]) -> None:
        for row in rows.tolist():
            fill_fields(self.spots, self.goals, row, row + 1, self.far, queue, self.steps)

    def _fill_part(self, part: NDArray[np.intp], queue: NDArray[np.int32]) -> None:
        fill_fields(self.spots, self.goals, int(part[0]), int(part[-1]) + 1, self.far, queue, self.steps)


def _eccentricity(spots: Spots, goal: np.int32, n: int) -> int:
    """The largest distance from `goal`; distances between any two spots of its part are at most twice as long."""
    steps = np.empty((1, n), np.int32)
    far = int(np.iinfo(np.int32).max)
    fill_fields(spots, np.array([goal], np.int32), 0, 1, far, np.empty(n, np.int32), steps)
    return int(steps[steps < far].max())


@kernel
def fill_fields(spots, goals, first, last, far, queue, steps):
    """Breadth-first search back from the goals of the agents from `first` up to `last`; spots out of reach are `far`."""
    near, degree = spots.near, spots.degree
    for agent in range(first, last):
        row = steps[agent]
        row[:] = far
        queue[0] = goals[agent]
        row[goals[agent]] = 0
        done, used = 0, 1
        while done < used:
            spot = queue[done]
            done += 1
            ahead = row[spot] + 1
            for k in range(degree[spot]):
                other = near[spot, k]
                if row[other] == far:
                    row[other] = ahead
                    queue[used] = other
                    used += 1
