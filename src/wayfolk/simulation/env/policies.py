"""A learned policy as a controller: it sees what it saw in the environment, and moves agents in any simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Controller, View
from wayfolk.errors import BadInput
from wayfolk.problem.problem import Problem
from wayfolk.simulation.env.arena import WAYS
from wayfolk.simulation.env.stepping import observe, walls_with_margin
from wayfolk.world.grid import Grid

Policy = Callable[[NDArray[np.float32]], Any]


def policy_controller(policy: Policy, *, vision: int = 5) -> Callable[..., Controller]:
    """A `begin` function for `wayfolk.simulate` and `wayfolk.solve`, made of `policy(windows) -> actions`.

    `windows` are those of the environment, one for each agent that needs a move: `[agents, 3, row, column]` with `vision`
    cells in each direction. An action is 0 to wait, then up, down, left, right and the diagonals.
    """

    def begin(problem: Problem, *, seed: int = 0) -> Controller:
        """A controller that asks a policy for the next move of each agent."""
        return PolicyController(problem, policy, vision)

    begin.__module__ = getattr(policy, "__module__", None) or __name__
    begin.__doc__ = (
        f"Policy: a controller that asks {getattr(policy, '__name__', type(policy).__name__)} for each move."
    )
    return begin


class PolicyController(Controller):
    """Asks a policy for one move of each agent at a time."""

    lookahead = 1

    def __init__(self, problem: Problem, policy: Policy, vision: int) -> None:
        super().__init__(problem.n_agents)
        self.policy, self.vision = policy, vision
        self._of: Grid | None = None

    def decide(self, view: View) -> None:
        """Give each agent that is asked for the cell that its action leads to."""
        grid, asked = view.grid, view.asked.astype(np.int64)
        if self._of is not grid:
            self._of, self._walls = grid, walls_with_margin(grid.free, self.vision)
            self._standing = np.zeros_like(self._walls)
        side = 2 * self.vision + 1
        windows = np.empty((len(asked), 3, side, side), np.float32)
        observe(
            self._walls.reshape(-1),
            self._standing.reshape(-1),
            radius=self.vision,
            stride=grid.stride,
            who=asked,
            active=np.array(view.present, bool),
            cells=np.array(view.here, np.int32),
            goals=np.array(view.goals, np.int32),
            windows=windows.reshape(-1),
        )
        actions = np.asarray(self.policy(windows), np.int64)
        if actions.shape != (len(asked),):
            raise BadInput(f"the policy was asked for {len(asked)} actions, and returned the shape {actions.shape}")
        for agent, action in zip(asked.tolist(), actions.tolist(), strict=True):
            if not 0 <= action < len(WAYS):
                raise BadInput(f"the policy returned the action {action}; they are from 0 to {len(WAYS) - 1}")
            here, way = int(view.here[agent]), int(WAYS[action])
            is_move = action > 0 and grid.legal[here] >> way & 1
            view.answer(agent, [here + int(grid.offsets[way]) if is_move else here])
