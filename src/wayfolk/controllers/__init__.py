"""Many agents, the next moves. Each file is an algorithm; see `wayfolk.catalogue` for what a file holds.

    begin(problem, *, seed=0, ...options) -> Controller

The simulation owns the truth, executes and referees. When agents have used up their route, or a move of theirs was refused,
it asks the controller for new ones. A controller is written in one of two ways:

    in Python      decide(view) answers for each agent in `view.asked`
    compiled       prepare(view) makes the arrays of a `mind` (see `wayfolk.kernels.mind`), which is asked inside the
                   referee's loop; decide(view) is called only when it reports that it has run out of room

A route is one or more cells; a cell equal to the present one is a wait. Everything a controller must survive is in the
view: goals change, agents come and go, cells become walls, others are not ours to control (they stand or wander).

The fact SEES says what an agent may look at beyond its own cell: "all", or the name of the option that holds the radius
within which it sees others. A contract test moves agents out of sight and expects the same decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import Grid
from wayfolk.kernels.crew import N_ASKED, NOBODY, Crew
from wayfolk.kernels.mind import AskPython

__all__ = ["NOBODY", "Controller", "View"]


@dataclass(frozen=True)
class View:
    """What a controller gets to see, and the way to answer. `changed` lists cells that became walls or free."""

    time: float
    grid: Grid
    crew: Crew
    changed: NDArray[np.int32]

    @property
    def asked(self) -> NDArray[np.int32]:
        """Who needs a route."""
        return self.crew.asked[: self.crew.counts[N_ASKED]]

    @property
    def here(self) -> NDArray[np.int32]:
        """Everyone's cell; for whoever is not `present`, the last one."""
        return self.crew.agents["here"]

    @property
    def goals(self) -> NDArray[np.int32]:
        """Everyone's goal."""
        return self.crew.agents["goal"]

    @property
    def occupant(self) -> NDArray[np.int32]:
        """Who is in a cell, or NOBODY."""
        return self.crew.occupant

    @property
    def refused(self) -> NDArray[np.bool_]:
        """Whose last move was refused."""
        return self.crew.agents["refused"]

    def answer(self, agent: int, cells: list[int]) -> None:
        """Give `agent` a route, cut to the room there is."""
        fits = cells[: self.crew.route.shape[1]]
        self.crew.route[agent, : len(fits)] = fits
        self.crew.agents[agent]["n_route"] = len(fits)


class Controller:
    """Decides for many agents. `expanded` counts cells expanded for each agent, if it is written in Python."""

    lookahead = 64
    """The longest route it hands out."""
    mind: Any = AskPython()
    """The arrays its kernel thinks with; compiled controllers have their own."""

    def __init__(self, n_agents: int) -> None:
        self.expanded = np.zeros(n_agents, np.int64)

    def prepare(self, view: View) -> None:
        """Called at the beginning, and whenever the map or the number of agents has changed."""
        self.expanded = np.concatenate([self.expanded, np.zeros(len(view.here) - len(self.expanded), np.int64)])

    def decide(self, view: View) -> None:
        """Answer for each agent in `view.asked`; one left out waits. Compiled controllers make room here."""
        raise TypeError(f"{type(self).__name__} neither decides in Python nor has a mind of its own")
