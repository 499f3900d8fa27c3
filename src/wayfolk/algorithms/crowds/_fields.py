"""Fields of goals: one potential and one flow for each cell that is somebody's goal, computed when first asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem, NotSupported, TooLarge
from wayfolk.kernels.bodies.potential import flow_down, march
from wayfolk.machine import available_bytes
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space


class GoalFlows(NamedTuple):
    """`flows[k, cell]` is the unit vector that leads down to goal k, `potentials[k, cell]` the way left in metres."""

    flows: NDArray[np.float64]
    potentials: NDArray[np.float64]


class GoalFields:
    """The fields of all goals in one space."""

    def __init__(self, space: Space, what: str) -> None:
        if space.grid is None:
            raise NotSupported(f"{what} are computed on a grid, and this space has none")
        self.space, self.grid = space, space.grid
        self.scratch = MarchRoom(self.grid)
        self.numbers: dict[int, int] = {}
        self.arrays = GoalFlows(np.zeros((0, self.grid.n_cells, 2)), np.zeros((0, self.grid.n_cells)))

    def numbers_of(self, goals: NDArray[np.float64]) -> NDArray[np.int32]:
        """The number of the field of each goal; new ones are computed."""
        cells = self.space.cells(goals)
        new = [int(cell) for cell in np.unique(cells) if int(cell) not in self.numbers]
        if new:
            self._add(new)
        return np.array([self.numbers[int(cell)] for cell in cells], np.int32)

    def check_ways(self, places: NDArray[np.float64], goals: NDArray[np.float64], agents: NDArray[np.int32]) -> None:
        """Raise an error if an agent cannot reach its goal."""
        parts = self.grid.components
        apart = parts[self.space.cells(places)] != parts[self.space.cells(goals)]
        if apart.any():
            k = int(apart.argmax())
            x, y = goals[k]
            raise BadProblem(f"there is no way for agent {agents[k]} to its goal ({x:g}, {y:g})", int(agents[k]))

    def _add(self, cells: list[int]) -> None:
        old = self.arrays
        need = len(cells) * self.grid.n_cells * 24
        if need > available_bytes() // 2:
            raise TooLarge(f"flow fields for {len(cells)} goals need {need >> 20} MB, more than is free")
        flows = np.concatenate([old.flows, np.zeros((len(cells), self.grid.n_cells, 2))])
        potentials = np.concatenate([old.potentials, np.zeros((len(cells), self.grid.n_cells))])
        self.arrays = GoalFlows(flows, potentials)
        for k, cell in enumerate(cells, len(old.flows)):
            self.numbers[cell] = k
        self._compute(cells)

    def renew(self) -> None:
        """Compute all fields again, since the costs have changed."""
        self._compute(list(self.numbers))

    def _compute(self, cells: list[int]) -> None:
        costs = self._costs()
        for cell in cells:
            k = self.numbers[cell]
            self.scratch.march(costs, cell, self.arrays.potentials[k])
            flow_down(self.grid.legal, self.grid.stride, self.arrays.potentials[k], cell, self.arrays.flows[k])

    def _costs(self) -> NDArray[np.float64]:
        """What a step to each side costs, in metres; one column if it is the same everywhere."""
        return np.full((4, 1), self.space.cell)


class MarchRoom:
    """The arrays that fast marching on one grid needs."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.keys, self.items = np.zeros(5 * grid.n_cells), np.zeros(5 * grid.n_cells, np.int32)
        self.is_done = np.zeros(grid.n_cells, np.bool_)

    def march(self, costs: NDArray[np.float64], goal: int, potential: NDArray[np.float64]) -> None:
        """Write the potential of `goal`."""
        grid = self.grid
        march(grid.legal, grid.stride, costs, np.int64(goal), potential, self.keys, self.items, self.is_done)
