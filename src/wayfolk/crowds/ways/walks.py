"""Walks: each agent moves by a real-time search, which plans one move at a time with the few cells around the agent.

The body heads for the middle of the cell that the search has moved to. Once it is there, the search makes its next move. So
an agent with a small view learns its way as it walks, and may walk into dead ends first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.paths import Finder
from wayfolk.crowds.ways.base import Ways, going
from wayfolk.errors import BadProblem, NotSupported, WayfolkError
from wayfolk.problem.result import Status
from wayfolk.world.space import Space

if TYPE_CHECKING:
    from wayfolk.crowds.crowd import Crowd


class Walks(Ways):
    """Real-time searches by `algorithm`, one for each agent; `options` are the search's."""

    def __init__(self, space: Space, algorithm: str = "lrta", **options: Any) -> None:
        super().__init__(space)
        if space.grid is None:
            raise NotSupported("real-time searches walk on a grid, and this space has none")
        self.finder = Finder(space.grid, algorithm, options)
        self.algorithm, self.options = algorithm, options
        self.tasks: dict[int, Any] = {}

    def plan(self, crowd: Crowd, agents: NDArray[np.int32]) -> None:
        """Begin a search for each agent, or give a search under way the new goal."""
        grid = self.finder.world
        crowd.bodies.aims[agents] = crowd.bodies.goals[agents]
        parts = grid.components  # type: ignore[union-attr]
        for agent in going(crowd, agents).tolist():
            start, goal = self.space.cells(np.stack([crowd.places[agent], crowd.goals[agent]])).tolist()
            if parts[start] != parts[goal]:
                x, y = crowd.goals[agent]
                raise BadProblem(f"there is no way for agent {agent} to its goal ({x:g}, {y:g})", agent)
            self.tasks[agent] = self.finder.begin(grid.place(start), grid.place(goal))
            crowd.bodies.aims[agent] = self.space.middles([start])[0]

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
            bodies.aims[agent] = self.space.middles([task.here])[0]

    def changed(self, crowd: Crowd, space: Space) -> None:
        """Let the searches under way hear of the new walls."""
        super().changed(crowd, space)
        assert space.grid is not None
        self.finder = Finder(space.grid, self.algorithm, self.options)
        for agent in going(crowd, crowd.active).tolist():
            try:
                self.tasks[agent].change(space.grid)
            except (WayfolkError, KeyError):
                try:
                    self.plan(crowd, np.array([agent], np.int32))
                except WayfolkError:
                    self.tasks.pop(agent, None)
                    crowd.bodies.aims[agent] = np.nan
                    crowd.note(agent, "has no way to its goal any more, and waits")
