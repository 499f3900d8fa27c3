"""Routes: each agent has a path of points by a search of the catalogue or on a navigation mesh, for the width of its body.

Gaps that are too narrow for the body are left out (`wayfolk.world.passable`, `wayfolk.crowds.ways.meshes`). Paths from cell
to cell are pulled taut: a point is left out if the body can move straight past it. An agent that has not come nearer
to its next point for `patience` seconds is blocked: it plans again around the bodies that stand, and the log says so.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.crowds._fields import no_way
from wayfolk.algorithms.paths import Finder
from wayfolk.crowds.ways.base import Ways, going
from wayfolk.crowds.ways.ends import AreaEnds, cell_with_room
from wayfolk.crowds.ways.meshes import Meshes
from wayfolk.errors import BadInput, NotSupported
from wayfolk.kernels.bodies.following import AT, END, follow_paths, is_clear
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.grid import Grid
from wayfolk.world.passable import Passables, goal_reach
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
        if space.grid is None and algorithm != "navmesh":
            raise NotSupported("searches find paths on a grid, and this space has none: use navmesh")
        if not patience > 0:
            raise BadInput(f"patience must be some seconds, not {patience}")
        self.algorithm, self.smooth, self.patience, self.options = algorithm, smooth, float(patience), options
        self.pool, self.n_pool = np.zeros((1024, 2)), 0
        self.spans = np.zeros((0, 2), np.int64)
        self.best, self.since = np.zeros(0), np.zeros(0, np.int64)
        self._open(space)

    def _open(self, space: Space) -> None:
        """Begin anew in a space whose walls have changed."""
        self.meshes = Meshes(space) if self.algorithm == "navmesh" else None
        self.passables = None if space.grid is None else Passables(space)
        self.ends = None if space.grid is None else AreaEnds(space)
        self._finders: dict[int, Any] = {}

    def plan(self, crowd: Crowd, agents: NDArray[np.int32]) -> None:
        """Find a path for each agent; an agent without one is the caller's mistake."""
        self._grow(len(crowd.bodies.radii))
        self.spans[agents] = 0
        for agent in going(crowd, agents).tolist():
            path = self._find_for(crowd, agent)
            if path is None:
                raise no_way(self.space, agent, crowd.bodies)
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
        late &= crowd.is_active & (self.spans[:n, END] > 0)
        if late.any():
            late &= ~crowd.is_there
        for agent in np.flatnonzero(late)[:MOST_AT_ONCE].tolist():
            self._go_around(crowd, agent)

    def changed(self, crowd: Crowd, space: Space) -> None:
        """Plan again for the agents whose paths lead through new walls."""
        super().changed(crowd, space)
        self._open(space)
        for agent in going(crowd, crowd.active).tolist():
            points = np.concatenate([crowd.places[agent : agent + 1], self.path_of(agent)])
            if not self._is_clear(points, float(crowd.radii[agent])):
                self._plan_again(crowd, agent, "a wall is in its way")

    def path_of(self, agent: int) -> Points:
        """The points that an agent has still to pass."""
        at, end = self.spans[agent].tolist()
        return self.pool[at:end]

    def _find_for(self, crowd: Crowd, agent: int, standing: Points | None = None) -> Points | None:
        """The path of an agent to its point, or to the part of its area that is nearest on foot."""
        place, radius, goal = crowd.places[agent], float(crowd.radii[agent]), crowd.goals[agent]
        area = int(crowd.areas.of[agent])
        if area == NOWHERE:
            return self.find(place, goal, radius, standing)
        if self.ends is not None:
            return self.find(place, self.ends.point(crowd, agent), radius, standing)
        targets = crowd.areas.targets_of(area)
        for target in targets[np.argsort(((targets - place) ** 2).sum(1), kind="stable")]:
            path = self.find(place, target, radius, standing)
            if path is not None:
                return path
        return None

    def find(self, place: Points, goal: Points, radius: float, standing: Points | None = None) -> Points | None:
        """The points of a path for a body of this radius, its goal the last; None if there is none that is wide enough.

        It leads around bodies that stand at `standing`.
        """
        if self.meshes is not None:
            return self.meshes.find(place, goal, radius)
        assert self.passables is not None
        passable = self.passables.of(radius)
        start = cell_with_room(self.space, passable, place, radius)
        end = cell_with_room(self.space, passable, goal, goal_reach(radius, self.space.cell), start)
        if start == NOWHERE or end == NOWHERE:
            return None
        finder = self._finder(passable.grid, standing)
        if not (finder.world.is_free(start) and finder.world.is_free(end)):
            return None
        result = finder(passable.grid.place(start), passable.grid.place(end))
        if result.path is None:
            return None
        last = goal if end == int(self.space.cells(goal)[0]) else passable.points[end]
        points = passable.points[passable.grid.cells(np.array(result.path))]
        points = np.concatenate([place[None], points[1:-1], last[None]])
        is_free = standing is None or not len(standing)  # else it would be pulled through them
        return (self._taut(points, radius) if self.smooth and is_free else points)[1:]

    def _finder(self, grid: Grid, standing: Points | None = None) -> Any:
        """A finder on the cells of `grid` on which nobody stands."""
        if standing is not None and len(standing):
            cells = self.space.cells(standing)
            return Finder(grid.with_blocked(cells[grid._free[cells]]), self.algorithm, self.options)
        if id(grid) not in self._finders:
            self._finders[id(grid)] = Finder(grid, self.algorithm, self.options)
        return self._finders[id(grid)]

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
        if self.space.grid is not None:
            own, end = self.space.cells(np.stack([crowd.places[agent], crowd.goals[agent]]))
            cells = self.space.cells(crowd.places[others])
            near &= (cells != own) & (cells != end)
        standing = crowd.places[others[stands & near]]
        self._plan_again(crowd, agent, "others stand in its way", standing)

    def _plan_again(self, crowd: Crowd, agent: int, why: str, standing: Points | None = None) -> None:
        x, y = crowd.places[agent]
        path = self._find_for(crowd, agent, standing)
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
