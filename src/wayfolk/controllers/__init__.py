"""Many agents, the next moves. Each file is an algorithm; see `wayfolk.catalogue` for what a file holds.

    begin(problem, *, seed=0, ...options) -> Controller

The simulation owns the truth, executes and referees. When agents have used up their route, or a move of theirs was refused,
it asks the controller for new ones: `decide(view)` writes a route of one or more cells for each agent in
`view.asked`. A cell equal to the present one is a wait. Everything a controller must survive is in the view: goals
change, agents come and go, cells become walls, others are not ours to control (they are `idle` and stand or wander).

The fact SEES says what an agent may look at beyond its own cell: "all", or the name of the option that holds the radius
within which it sees others. A contract test moves agents out of sight and expects the same decision.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import Grid


@dataclass
class View:
    """What a controller gets to see, and the buffers for its answer. Arrays are the simulation's: read, do not write.

    `lasts[k]` is how long move k takes (8 is a wait). `moved`: rows (agent, cell entered) since the last decision.
    `changed` lists cells that became walls or free since then.
    """

    time: float
    grid: Grid
    lasts: NDArray[np.float64]
    asked: NDArray[np.int32]
    here: NDArray[np.int32]
    goals: NDArray[np.int32]
    ready: NDArray[np.float64]
    occupant: NDArray[np.int32]
    present: NDArray[np.bool_]
    idle: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    moved: NDArray[np.int32]
    changed: NDArray[np.int32]
    route: NDArray[np.int32]
    n_route: NDArray[np.int32]

    def answer(self, agent: int, cells: list[int]) -> None:
        """Give `agent` a route, cut to the room there is."""
        fits = cells[: self.route.shape[1]]
        self.route[agent, : len(fits)] = fits
        self.n_route[agent] = len(fits)


class Controller(ABC):
    """Decides for many agents. `expanded` and `replans` count work for each agent."""

    lookahead = 64
    """The longest route it hands out."""

    def __init__(self, n_agents: int) -> None:
        self.expanded = np.zeros(n_agents, np.int64)
        self.replans = np.zeros(n_agents, np.int64)

    @abstractmethod
    def decide(self, view: View) -> None:
        """Write a route for each agent in `view.asked`; an agent left out waits."""

    def resize(self, n_agents: int) -> None:
        """More agents have joined; those there were keep their numbers."""
        more = np.zeros(n_agents - len(self.expanded), np.int64)
        self.expanded = np.concatenate([self.expanded, more])
        self.replans = np.concatenate([self.replans, more])
