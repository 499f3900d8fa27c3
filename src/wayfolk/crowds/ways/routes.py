"""Routes: each agent has a path of points by a search of the catalogue or on a navigation mesh, for the width of its body.

Cells that are nearer to a wall than the agent's radius are left out, where the start and the goal allow it. Paths from
cell to cell are pulled taut: a point is left out if the body can move straight past it. An agent that has not come nearer
to its next point for `patience` seconds is blocked: it plans again around the bodies that stand, and the log says so.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.paths import Finder
from wayfolk.crowds.ways.base import Ways, going
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.kernels.bodies.following import AT, END, follow_paths, is_clear
from wayfolk.world.grid import Grid
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.space import Space

if TYPE_CHECKING:
    from wayfolk.crowds.crowd import Crowd

Points = NDArray[np.float64]
STANDING = 0.1  # metres a second below which a body stands
MOST_AT_ONCE = 8  # blocked agents that plan again in one step


class Routes(Ways):
    """Paths by `algorithm`, a search or "navmesh"; `options` are the search's. With `smooth` they are pulled taut."""

    def __init__(
        self, space: Space, algorithm: str = "astar", *, smooth: bool = True, patience: float = 3.0, **options: Any
    ) -> None:
        super().__init__(space)
        if space.grid is None:
            raise NotSupported("paths are found on a grid, and this space has none")
        if not patience > 0:
            raise BadInput(f"patience must be some seconds, not {patience}")
        self.algorithm, self.smooth, self.patience, self.options = algorithm, smooth, float(patience), options
        self.pool, self.n_pool = np.zeros((1024, 2)), 0
        self.spans = np.zeros((0, 2), np.int64)
        self.best, self.since = np.zeros(0), np.zeros(0, np.int64)
        self._finders: dict[float, Any] = {}

    def plan(self, crowd: Crowd, agents: NDArray[np.int32]) -> None:
        """Find a path for each agent; an agent without one is the caller's mistake."""
        self._grow(len(crowd.bodies.radii))
        self.spans[agents] = 0
        for agent in going(crowd, agents).tolist():
            path = self.find(crowd.places[agent], crowd.goals[agent], float(crowd.radii[agent]))
            if path is None:
                x, y = crowd.goals[agent]
                raise BadProblem(f"there is no way for agent {agent} to its goal ({x:g}, {y:g})", agent)
            self._store(crowd, agent, path)

    def aim(self, crowd: Crowd) -> None:
        """Let each agent head for the next point of its path; blocked ones plan again."""
        follow_paths(
            crowd.bodies,
            crowd.n_agents,
            self.pool,
            self.spans,
            0.1 * self.space.cell,
            crowd.tick,
            self.best,
            self.since,
        )
        n = crowd.n_agents
        late = crowd.tick - self.since[:n] > self.patience / crowd.step_seconds
        late &= crowd.is_active & (self.spans[:n, END] > 0) & ~crowd.is_there
        for agent in np.flatnonzero(late)[:MOST_AT_ONCE].tolist():
            self._go_around(crowd, agent)

    def changed(self, crowd: Crowd, space: Space) -> None:
        """Plan again for the agents whose paths lead through new walls."""
        super().changed(crowd, space)
        self._finders.clear()
        for agent in going(crowd, crowd.active).tolist():
            points = np.concatenate([crowd.places[agent : agent + 1], self.path_of(agent)])
            if not self._is_clear(points, float(crowd.radii[agent])):
                self._plan_again(crowd, agent, "a wall is in its way")

    def path_of(self, agent: int) -> Points:
        """The points that an agent has still to pass."""
        at, end = self.spans[agent].tolist()
        return self.pool[at:end]

    def find(self, place: Points, goal: Points, radius: float, standing: Points | None = None) -> Points | None:
        """The points of a path for a body of this radius, its goal the last; None if there is none.

        It leads around bodies that stand at `standing`.
        """
        if self.algorithm == "navmesh":
            return self._find_on_mesh(place, goal, radius)
        start, end = self.space.cells(np.stack([place, goal])).tolist()
        for wide in (radius, 0.0):
            finder = self._finder(wide, standing)
            grid = finder.world
            if grid.is_free(start) and grid.is_free(end):
                result = finder(grid.place(start), grid.place(end))
                if result.path is not None:
                    points = (np.array(result.path, np.float64).reshape(-1, 2) + 0.5) * self.space.cell
                    points = np.concatenate([place[None], points[1:-1], goal[None]])
                    is_free = standing is None or not len(standing)  # else it would be pulled through them
                    return (self._taut(points, radius) if self.smooth and is_free else points)[1:]
        return None

    def _wide(self, radius: float) -> Grid:
        """The grid of the cells that have room for a body of this radius."""
        grid = self.space.grid
        assert grid is not None
        if radius > 0.0:
            tight = self.space.clearance(self.space.middles(grid.free_cells), 2.0 * radius) < radius - 1e-9
            if tight.any():
                return grid.with_blocked(grid.free_cells[tight])
        return grid

    def _finder(self, radius: float, standing: Points | None = None) -> Any:
        """A finder on the cells that have room for a body of this radius."""
        if radius not in self._finders:
            self._finders[radius] = Finder(self._wide(radius), self.algorithm, self.options)
        finder = self._finders[radius]
        if standing is not None and len(standing):
            cells = self.space.cells(standing)
            return Finder(finder.world.with_blocked(cells[finder.world._free[cells]]), self.algorithm, self.options)
        return finder

    def _find_on_mesh(self, place: Points, goal: Points, radius: float) -> Points | None:
        """The path on a mesh of the cells with room for the body; a mesh has middles of cells at whole numbers."""
        for wide in (radius, 0.0):
            key = -1.0 - wide
            if key not in self._finders:
                self._finders[key] = Navmesh.from_grid(_without_costs(self._wide(wide)))
            mesh, shift = self._finders[key], 0.5
            ends = place / self.space.cell - shift, goal / self.space.cell - shift
            if len(mesh.locate(ends[0])) and len(mesh.locate(ends[1])):
                result = mesh.find_path(*ends)
                if result.path is not None:
                    points = (np.array(result.path, np.float64).reshape(-1, 2) + shift) * self.space.cell
                    return points[1:] if len(points) > 1 else goal[None]
        return None

    def _taut(self, points: Points, radius: float) -> Points:
        """The points that are needed: from each the farthest to which the body can move straight."""
        walls = self.space.walls(max(2.0 * radius, 1e-3))
        wide = 0.99 * radius
        kept, at = [0], 0
        while at < len(points) - 1:
            there = at + 1
            while there + 1 < len(points) and is_clear(walls, points[at], points[there + 1], wide):
                there += 1
            kept.append(there)
            at = there
        return points[kept]

    def _is_clear(self, points: Points, radius: float) -> bool:
        walls = self.space.walls(max(2.0 * radius, 1e-3))
        if self.space.is_solid(points).any():
            return False
        return all(is_clear(walls, one, other, 0.9 * radius) for one, other in pairwise(points))

    def _go_around(self, crowd: Crowd, agent: int) -> None:
        """Plan around the bodies that stand near a blocked agent."""
        others = crowd.active[crowd.active != agent]
        stands = (crowd.velocities[others] ** 2).sum(1) < STANDING**2
        near = ((crowd.places[others] - crowd.places[agent]) ** 2).sum(1) < (10.0 * self.space.cell) ** 2
        own, end = self.space.cells(np.stack([crowd.places[agent], crowd.goals[agent]]))
        cells = self.space.cells(crowd.places[others])
        standing = crowd.places[others[stands & near & (cells != own) & (cells != end)]]
        self._plan_again(crowd, agent, "others stand in its way", standing)

    def _plan_again(self, crowd: Crowd, agent: int, why: str, standing: Points | None = None) -> None:
        x, y = crowd.places[agent]
        path = self.find(crowd.places[agent], crowd.goals[agent], float(crowd.radii[agent]), standing)
        if path is None:
            crowd.note(agent, f"is blocked at ({x:.1f}, {y:.1f}) and waits: {why}, and there is no other")
            self.since[agent] = crowd.tick
            if standing is None:
                self.spans[agent] = 0
                crowd.bodies.aims[agent] = np.nan
            return
        crowd.note(agent, f"plans again at ({x:.1f}, {y:.1f}): {why}")
        self._store(crowd, agent, path)

    def _store(self, crowd: Crowd, agent: int, path: Points) -> None:
        if self.n_pool + len(path) > len(self.pool):
            self._tidy(len(path))
        self.pool[self.n_pool : self.n_pool + len(path)] = path
        self.spans[agent] = self.n_pool, self.n_pool + len(path)
        self.n_pool += len(path)
        self.best[agent], self.since[agent] = np.inf, crowd.tick
        crowd.bodies.aims[agent] = path[0]

    def _tidy(self, more: int) -> None:
        """Drop the points of paths that are not used any more, and make room."""
        sizes = self.spans[:, END] - self.spans[:, AT]
        pool = np.zeros((2 * (int(sizes.sum()) + more) + 1024, 2))
        n = 0
        for agent in np.flatnonzero(sizes).tolist():
            at, end = self.spans[agent].tolist()
            pool[n : n + end - at] = self.pool[at:end]
            self.spans[agent] = n, n + end - at
            n += end - at
        self.pool, self.n_pool = pool, n

    def _grow(self, room: int) -> None:
        more = room - len(self.spans)
        if more > 0:
            self.spans = np.pad(self.spans, ((0, more), (0, 0)))
            self.best, self.since = np.pad(self.best, (0, more)), np.pad(self.since, (0, more))


def _without_costs(grid: Grid) -> Grid:
    return grid if grid.costs is None else Grid(grid.free, grid.moves, links=grid.links, name=grid.name)
