"""The control of a simulation: what its controller sees and hears of the state, and what it decides.

Only the routes that a change makes wrong are dropped: those of the agents that it is about, those with a move that a new
wall or cliff forbids, and those through cells that turn out to be dearer than they were thought to be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.errors import BadInput
from wayfolk.kernels.codes import THOUGHT
from wayfolk.kernels.crew import Crew, drop_node_routes, drop_routes, drop_routes_over
from wayfolk.kernels.planning import AskPython
from wayfolk.kernels.rows import with_rows
from wayfolk.simulation.state import Changes, WorldState
from wayfolk.world.vision import Vision


class Control:
    """A controller, the state it decides about, and what agents know of the map if they see only a part of it.

    `memory` is how many bytes the controller's distance fields may take.
    """

    def __init__(
        self, controller: Controller, state: WorldState, vision: Vision | None, memory: int | None = None
    ) -> None:
        if memory is not None and (isinstance(memory, bool) or not isinstance(memory, int) or memory < 1):
            raise BadInput(f"memory must be a whole number of bytes above 0, not {memory!r}")
        self.controller, self.state, self.vision, self.memory = controller, state, vision, memory
        self._expanded: NDArray[np.int64] | None = None  # before the planning that is under way
        self._given: dict[int, int] = {}  # steps that the caller has given, which the controller must not replace

    def view(self) -> View:
        """What the controller sees."""
        return View(
            self.state.time,
            self.state.states if self.vision is None else self.vision.known,
            self.state.crew,
            self.memory,
        )

    def tell(self, changes: Changes) -> None:
        """Drop the routes that changes make wrong, those of its agents and through walls, and tell the controller."""
        view = self.view()
        change = Change(np.unique(np.array(changes.agents, np.int32)), np.unique(np.array(changes.cells, np.int32)))
        self.state.crew.answers["n_route"][change.agents] = self.state.crew.answers["at"][change.agents] = 0
        if change.cells.size and isinstance(self.state.crew, Crew):
            reach = self.state.grid.stride + 1  # a new wall takes away moves of the cells beside it
            first, last = int(change.cells[0]) - reach, int(change.cells[-1]) + reach
            drop_routes(self.state.crew, view.grid.legal, first, last)
        elif change.cells.size:
            drop_node_routes(self.state.crew)
        self.controller.update(view, change)

    def look(self) -> None:
        """Reveal what agents see, and tell the controller which cells are other than it thought."""
        assert self.vision is not None
        before = self.vision.known._costs
        seen = self.vision.look(self.state.crew.agents["here"][self.state.crew.agents["present"]])
        if not seen.size:
            return
        after = self.vision.known._costs
        if before is not None and after is not None and before is not after:
            drop_routes_over(self.state.crew, after > before)
        self.tell(Changes(cells=seen.tolist()))

    def ask(self) -> None:
        """Let the controller decide in Python, or make room in its arrays."""
        view, answers = self.view(), self.state.crew.answers
        if not isinstance(self.controller.arrays, AskPython):
            self.controller.make_room(view)
            return
        known = self.controller.expanded.copy() if self._expanded is None else self._expanded
        # those that have been taken are not given again; `think` may write other routes
        self._given = {
            agent: there for agent, there in self._given.items() if answers["at"][agent] < answers["n_route"][agent]
        }
        if not self.controller.think(view):
            self._expanded = known
            return
        self._expanded = None
        asked = view.asked.copy()
        before = with_rows(known, len(view.here))[asked]
        given, self._given = self._given, {}
        self.controller.decide(view)
        for agent, there in given.items():  # some controllers plan for all agents
            self.take_step(agent, there)
        for agent, spent in zip(asked.tolist(), (self.controller.expanded[asked] - before).tolist(), strict=True):
            self.state.note(agent, THOUGHT, spent)
        silent = asked[answers["n_route"][asked] == 0]
        self.state.crew.route[silent, 0] = self.state.crew.agents["here"][silent]
        answers["n_route"][silent] = 1

    def take_step(self, agent: int, there: int) -> None:
        """Let the next move of `agent` be the one to `there`; an agent that had stopped moving for good goes on."""
        if self.state.crew.agents[agent]["present"]:
            self.state.crew.agents[agent]["done"] = False
            self.state.crew.route[agent, 0] = there
            self.state.crew.answers[agent]["n_route"], self.state.crew.answers[agent]["at"] = 1, 0
            self._given[agent] = there
