"""Many agents, the next moves. Each file is an algorithm; see `wayfolk.algorithms.catalogue` for what a file holds.

    begin(problem, *, seed=0, ...options) -> Controller

The simulation owns the truth, executes moves and referees; a controller only proposes. When agents have used up their
routes, or a move of theirs was refused, the simulation asks the controller for new ones. A controller is written in one of
two ways:

    in Python      `decide(view)` answers for each agent in `view.asked`
    compiled       `arrays` is a NamedTuple whose function plans inside the referee's loop (see `wayfolk.kernels.planning`);
                   `make_room(view)` is called when that reports that its arrays are full, or has paused

A step in which many agents plan can take seconds. A compiled controller may therefore pause, and one in Python may work in
`think(view)`, which is called again until it returns True, and then `decide` is. Where a deadline comes before, the step
goes on when the simulation is advanced again; `update` begins it anew.

A route is one or more cells; a cell equal to the present one is a wait. Where agents are not points on a square grid, it
is one of nodes of `view.states`: the fact WORLDS says whether a controller works there (see `algorithms.entry`).

`prepare(view)` is called once, before the first step. After that things change: goals, agents that come and go or are no
longer ours to control, cells that become walls or free or are seen for the first time. The simulation drops the routes of
the agents that have changed and those that lead through new walls, and calls `update(view, change)` with what has changed.
A controller that keeps data repairs only the part that has changed, so that one new goal does not cost a new start for all
agents. By default `update` prepares again. Events at time 0 must give what a new controller for the changed problem gives.
Later, agents plan with the map, the goals and the agents as they are now, and with what was reserved or learned before. So
one-way moves are repaired around the edited cells, and may differ there from those of a new start.

The fact SEES says what an agent may look at beyond its own cell: "all", or the name of the option that holds the radius
within which it sees others. A contract test moves agents out of sight and expects the same decision. The fact MODELS lists
the time models in which a controller works, if these are not `steps` and `distance`: ("steps",), or with "turns" for one
whose agents plan alone and can be asked one after another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import NotSupported
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crew import N_ASKED
from wayfolk.kernels.planning import AskPython
from wayfolk.problem.layers import Layer
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory
    from wayfolk.world.state_graph import StateGraph

__all__ = ["NOBODY", "Change", "Controller", "View"]


@dataclass(frozen=True)
class View:
    """What a controller sees, and where it answers. `states` are the nodes on which agents are, as far as they are known.

    If agents are points on a square grid, `states` is the grid and `crew` a `Crew`; else they are a `StateGraph` and a
    `StateCrew`. `memory` is how many bytes its distance fields may take; None: as many as
    `kernels.field_store.default_bytes` says.
    """

    time: float
    states: Grid | StateGraph
    crew: Any
    memory: int | None = None

    @property
    def grid(self) -> Grid:
        """The square grid on which all agents are points."""
        if isinstance(self.states, Grid):
            return self.states
        raise NotSupported(f"this works for points on square grids, not for agents in {self.states!r}")

    @property
    def asked(self) -> NDArray[np.int32]:
        """The agents that need a route."""
        return _shown(self.crew.asked[: self.crew.counts[N_ASKED]])

    @property
    def here(self) -> NDArray[np.int32]:
        """The cell or node of each agent; for an agent that is not `present`, its last one."""
        return _shown(self.crew.agents["here"])

    @property
    def goals(self) -> NDArray[np.int32]:
        """The goal of each agent."""
        return _shown(self.crew.agents["goal"])

    @property
    def present(self) -> NDArray[np.bool_]:
        """Who is there."""
        return _shown(self.crew.agents["present"])

    @property
    def ours(self) -> NDArray[np.bool_]:
        """Who is under control; the others stand or wander."""
        return _shown(self.crew.agents["ours"])

    @property
    def occupant(self) -> NDArray[np.int32]:
        """Who holds each place, or NOBODY: the places of points on a grid are its cells."""
        return _shown(self.crew.occupant)

    @property
    def refused(self) -> NDArray[np.bool_]:
        """Whose last move was refused."""
        return _shown(self.crew.agents["refused"])

    def answer(self, agent: int, cells: list[int]) -> None:
        """Give `agent` a route, cut to the room there is."""
        fits = cells[: self.crew.route.shape[1]]
        self.crew.route[agent, : len(fits)] = fits
        self.crew.answers[agent]["n_route"], self.crew.answers[agent]["at"] = len(fits), 0


def _shown(array: NDArray[Any]) -> NDArray[Any]:
    """A view of `array` that cannot be written to."""
    shown = array.view()
    shown.flags.writeable = False
    return shown


@dataclass(frozen=True)
class Change:
    """What has changed since a controller was last told, each listed once.

    `agents` have joined, left, got another goal, been released or been moved; `cells` have become blocked or free, or were
    seen to be other than they were thought to be. `view.states` are the nodes after the change. Of other worlds than grids
    `cells` are those of the world, not nodes; of a lane that was closed or opened, both ends are among them.
    """

    agents: NDArray[np.int32]
    cells: NDArray[np.int32]

    def freed(self, grid: Grid) -> bool:
        """Whether some of the cells are free in `grid`."""
        return bool(grid._free[self.cells].any())


class Controller:
    """The base class of controllers, which plan the next moves of many agents while a simulation moves them.

    `expanded` counts nodes expanded for each agent, if the controller is written in Python.
    """

    lookahead = 64
    """The longest route it hands out."""
    together = False
    """Whether it plans for all agents at once, however few need a route: then a step that has little time asks nobody."""
    arrays: Any = AskPython()
    """The arrays its kernel plans with; compiled controllers have their own."""

    def __init__(self, n_agents: int) -> None:
        self.expanded = np.zeros(n_agents, np.int64)

    def prepare(self, view: View) -> None:
        """Get ready to plan for the map and the agents as they are."""
        self.expanded = np.concatenate([self.expanded, np.zeros(len(view.here) - len(self.expanded), np.int64)])

    def update(self, view: View, change: Change) -> None:
        """Repair what `change` has made wrong. By default everything is prepared again."""
        self.prepare(view)

    def decide(self, view: View) -> None:
        """Answer for each agent in `view.asked`; one without an answer waits. For controllers written in Python."""
        raise TypeError(f"{type(self).__name__} neither decides in Python nor has arrays of its own")

    def think(self, view: View) -> bool:
        """Do a part of the planning for this step, some hundredths of a second; whether `decide` can answer now."""
        return True

    def make_room(self, view: View) -> None:
        """Enlarge the arrays that were full, unless planning has only paused. For compiled controllers."""
        raise TypeError(f"{type(self).__name__} has run out of room and cannot make any")

    def first_row(self) -> int | None:
        """The first row of the log that is still needed, for controllers that learn from it. By default none is."""
        return None

    def forget_rows(self, n_rows: int) -> None:
        """The first `n_rows` rows of the log, none of them needed, are dropped: those after them count from 0 now."""

    def remember(self, memory: Memory) -> None:
        """List what decides its next moves besides the world (see `Memory`). By default a restored world begins anew."""
        memory.begins_anew = True

    def layers(self) -> tuple[Layer, ...]:
        """What a replay can show of this controller besides moves, up to now. By default nothing."""
        return ()
