"""Fields of goals: a potential and a flow for each goal and each width of body, computed when first asked for.

A goal is a cell or an area. Bodies that pass the same gaps share a field; see `wayfolk.world.passable`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem, NotSupported, TooLarge
from wayfolk.kernels.bodies.arrays import Bodies
from wayfolk.kernels.bodies.potential import flow_down, march
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.heap import FLOAT_ROW
from wayfolk.machine import available_bytes
from wayfolk.world.area import AreaGoals
from wayfolk.world.grid import Grid
from wayfolk.world.passable import Passable, Passables, goal_reach
from wayfolk.world.space import Space

Agents = NDArray[np.int32]
Cells = NDArray[np.int32]


class GoalFlows(NamedTuple):
    """`flows[k, cell]` is the unit vector that leads down to goal k, `potentials[k, cell]` the way left in metres."""

    flows: NDArray[np.float64]
    potentials: NDArray[np.float64]


class GoalEnd(NamedTuple):
    """Where a field ends: some cells, on the grid that bodies of one width can pass."""

    grid: Grid
    cells: Cells


class GoalFields:
    """The fields of all goals in one space."""

    def __init__(self, space: Space, what: str) -> None:
        if space.grid is None:
            raise NotSupported(f"{what} are computed on a grid, and this space has none")
        self.space, self.grid = space, space.grid
        self.passables = Passables(space)
        self.scratch = MarchRoom(self.grid)
        self.numbers: dict[tuple[int, int, int], int] = {}  # by grid, area and cell
        self.ends: list[GoalEnd] = []
        self.arrays = GoalFlows(np.zeros((0, self.grid.n_cells, 2)), np.zeros((0, self.grid.n_cells)))

    def numbers_of(self, bodies: Bodies, agents: Agents, areas: AreaGoals) -> NDArray[np.int32]:
        """The number of the field of each agent; new ones are computed."""
        cells = self.space.cells(bodies.goals[agents])
        numbers, known = np.zeros(len(agents), np.int32), len(self.ends)
        for row, (agent, cell) in enumerate(zip(agents.tolist(), cells.tolist(), strict=True)):
            radius, area = float(bodies.radii[agent]), int(areas.of[agent])
            passable = self.passables.of(radius)
            key = (id(passable.grid), area, cell if area == NOWHERE else 0)
            if key not in self.numbers:
                self.numbers[key] = len(self.ends)
                self.ends.append(GoalEnd(passable.grid, ends_of(self.space, passable, bodies, agent, areas)))
            numbers[row] = self.numbers[key]
        if len(self.ends) > known:
            self._add(known)
        return numbers

    def check_ways(self, bodies: Bodies, agents: Agents, numbers: NDArray[np.int32]) -> None:
        """Raise an error if there is an agent that its field does not reach."""
        for agent in self.cut_off(bodies, agents, numbers)[:1].tolist():
            raise no_way(self.space, agent, bodies)

    def cut_off(self, bodies: Bodies, agents: Agents, numbers: NDArray[np.int32]) -> Agents:
        """The agents that their fields do not reach: there is no way for them, or none that is wide enough."""
        cells, potentials = self.space.cells(bodies.places[agents]), self.arrays.potentials
        has_room = np.array([self.ends[k].grid._free[cell] for k, cell in zip(numbers, cells, strict=True)], np.bool_)
        around = cells[:, None] + np.append(0, self.grid.offsets)  # for one that is pressed against a wall
        cut_off = ~np.isfinite(potentials[numbers[:, None], around]).any(1)
        cut_off |= has_room & ~np.isfinite(potentials[numbers, cells])
        stranded: Agents = agents[cut_off]
        return stranded

    def end_of(self, number: int, cell: int) -> int:
        """The cell in which a field ends that leads there from `cell`; NOWHERE if it does not reach that far."""
        grid, potential = self.ends[number].grid, self.arrays.potentials[number]
        if not np.isfinite(potential[cell]):
            return int(NOWHERE)
        while potential[cell] > 0.0:
            ways = [cell + int(grid.offsets[k]) for k in range(4) if grid.legal[cell] >> k & 1]
            cell = min(ways, key=lambda other: float(potential[other]))
        return cell

    def _add(self, known: int) -> None:
        old, n = self.arrays, len(self.ends) - known
        need = n * self.grid.n_cells * 24
        if need > available_bytes() // 2:
            raise TooLarge(f"flow fields for {n} goals need {need >> 20} MB, more than is free")
        flows = np.concatenate([old.flows, np.zeros((n, self.grid.n_cells, 2))])
        potentials = np.concatenate([old.potentials, np.zeros((n, self.grid.n_cells))])
        self.arrays = GoalFlows(flows, potentials)
        self.renew(known)

    def renew(self, first: int = 0) -> None:
        """Compute the fields from number `first` on again, since the costs have changed."""
        costs = self._costs()
        for k, (grid, cells) in enumerate(self.ends[first:], first):
            self.scratch.march(grid, costs, cells, self.arrays.potentials[k])
            flow_down(grid.legal, grid.stride, self.arrays.potentials[k], self.arrays.flows[k])

    def _costs(self) -> NDArray[np.float64]:
        """What a step to each side costs, in metres; one column if it is the same everywhere."""
        return np.full((4, 1), self.space.cell)


def ends_of(space: Space, passable: Passable, bodies: Bodies, agent: int, areas: AreaGoals) -> Cells:
    """The cells in which an agent has reached its goal.

    They are the cell of the point, or those of the area. If the body has no room in any of them, they are those around
    from which it comes near enough, see `goal_reach`.
    """
    grid, area, radius = passable.grid, int(areas.of[agent]), float(bodies.radii[agent])
    if area == NOWHERE:
        points = bodies.goals[agent : agent + 1]
        cells = space.cells(points)
    else:
        points, free = areas.targets_of(area), grid.free_cells
        inside = free[areas.areas[area].contains(passable.points[free])]
        cells = np.union1d(space.cells(points), inside).astype(np.int32)
    ends: Cells = cells[grid._free[cells]]
    if len(ends):
        return ends
    apart = np.full(len(grid.free_cells), np.inf)
    for point in points:
        apart = np.minimum(apart, ((passable.points[grid.free_cells] - point) ** 2).sum(1))
    near: Cells = grid.free_cells[apart <= goal_reach(radius, space.cell) ** 2]
    return near


def no_way(space: Space, agent: int, bodies: Bodies) -> BadProblem:
    """The error for an agent that cannot reach its goal: there is no way at all, or none that is wide enough."""
    x, y = bodies.goals[agent]
    text = f"there is no way for agent {agent} to its goal ({x:g}, {y:g})"
    grid, ends = space.grid, np.stack([bodies.places[agent], bodies.goals[agent]])
    if grid is None or len(set(grid.components[space.cells(ends)].tolist())) == 1:
        text += f" that is wide enough for its radius of {bodies.radii[agent]:g} m"
    return BadProblem(text, agent)


class MarchRoom:
    """The arrays that fast marching on one grid needs."""

    def __init__(self, grid: Grid) -> None:
        self.rows = np.zeros(5 * grid.n_cells, FLOAT_ROW)
        self.is_done = np.zeros(grid.n_cells, np.bool_)

    def march(self, grid: Grid, costs: NDArray[np.float64], goals: Cells, potential: NDArray[np.float64]) -> None:
        """Write the potential of `goals`."""
        march(grid.legal, grid.stride, costs, goals, potential, self.rows, self.is_done)
