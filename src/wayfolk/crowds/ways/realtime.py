"""Ways of real-time searches: each agent plans one move at a time, with the few cells around it.

The body heads for the middle of the cell that the search has moved to. Once it is there, the search makes its next move. So
an agent with a small view learns its way as it walks, and may walk into dead ends first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.crowds._fields import no_way
from wayfolk.algorithms.paths import Finder
from wayfolk.crowds.ways.base import Ways, going
from wayfolk.crowds.ways.ends import AreaEnds, cell_with_room
from wayfolk.errors import NotSupported, WayfolkError
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.result import Status
from wayfolk.world.grid import Grid
from wayfolk.world.passable import Passables, goal_reach
from wayfolk.world.space import Space

if TYPE_CHECKING:
    from wayfolk.crowds.crowd import Crowd


class RealTimeWays(Ways):
    """Real-time searches by `algorithm`, one for each agent; `options` are the search's."""

    def __init__(self, space: Space, algorithm: str = "lrta", **options: Any) -> None:
        super().__init__(space)
        if space.grid is None:
            raise NotSupported("real-time searches walk on a grid, and this space has none")
        self.algorithm, self.options = algorithm, options
        self.tasks: dict[int, Any] = {}
        self._open(space)
        self._finder(space.grid)  # refuses options that the search does not have

    def _open(self, space: Space) -> None:
        """Begin anew in a space whose walls have changed."""
        self.passables, self.ends = Passables(space), AreaEnds(space)
        self._finders: dict[int, Any] = {}

    def _finder(self, grid: Grid) -> Any:
        if id(grid) not in self._finders:
            self._finders[id(grid)] = Finder(grid, self.algorithm, self.options)
        return self._finders[id(grid)]

    def plan(self, crowd: Crowd, agents: NDArray[np.int32]) -> None:
        """Begin a search for each agent, or give a search under way the new goal."""
        crowd.bodies.aims[agents] = crowd.bodies.goals[agents]
        for agent in going(crowd, agents).tolist():
            radius = float(crowd.radii[agent])
            passable = self.passables.of(radius)
            grid, goal = passable.grid, crowd.goals[agent]
            if crowd.areas.of[agent] != NOWHERE:
                goal = self.ends.point(crowd, agent)
            start = cell_with_room(self.space, passable, crowd.places[agent], radius)
            end = cell_with_room(self.space, passable, goal, goal_reach(radius, self.space.cell), start)
            if NOWHERE in (start, end) or grid.components[start] != grid.components[end]:
                raise no_way(self.space, agent, crowd.bodies)
            self.tasks[agent] = self._finder(grid).begin(grid.place(start), grid.place(end))
            crowd.bodies.aims[agent] = passable.points[start]

    def aim(self, crowd: Crowd) -> None:
        """Let the searches of those who have reached their cell move on."""
        bodies = crowd.bodies
        apart = ((bodies.places[: crowd.n_agents] - bodies.aims[: crowd.n_agents]) ** 2).sum(1)
        near = crowd.is_active & (apart <= (0.7 * self.space.cell) ** 2)
        for agent in np.flatnonzero(near).tolist():
            task = self.tasks.get(agent)
            if task is None:
                continue
            if task.here == task.goal:
                bodies.aims[agent] = bodies.goals[agent]
                continue
            task.advance(1)
            if task.status in (Status.IMPOSSIBLE, Status.GAVE_UP):
                crowd.note(agent, f"has no way on from ({bodies.places[agent, 0]:.1f}, {bodies.places[agent, 1]:.1f})")
                del self.tasks[agent]
                continue
            bodies.aims[agent] = self.passables.of(float(bodies.radii[agent])).points[task.here]

    def changed(self, crowd: Crowd, space: Space) -> None:
        """Let the searches under way hear of the new walls."""
        super().changed(crowd, space)
        self._open(space)
        for agent in going(crowd, crowd.active).tolist():
            try:
                self.tasks[agent].change(self.passables.of(float(crowd.radii[agent])).grid)
            except (WayfolkError, KeyError):
                try:
                    self.plan(crowd, np.array([agent], np.int32))
                except WayfolkError:
                    self.tasks.pop(agent, None)
                    crowd.bodies.aims[agent] = np.nan
                    crowd.note(agent, "has no way to its goal any more, and waits")
