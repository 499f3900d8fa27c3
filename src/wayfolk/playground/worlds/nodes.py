"""Agents on a roadmap, on hexagons, or with bodies, under a controller in a worker: their cells are nodes of states."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import NotSupported
from wayfolk.playground.frames import STAY, begin_frame
from wayfolk.playground.insight import Cells
from wayfolk.playground.panel_scene import Edit
from wayfolk.playground.worlds.controller import ControllerWorld
from wayfolk.problem.problem import Problem
from wayfolk.replay.node_rows import ground_of, head_of_nodes
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

EDITS = ("leave", "hold", "resume")  # what the page can change here


class NodeWorld(ControllerWorld):
    """Agents under a controller in a world that is no plain map."""

    @property
    def states(self) -> StateGraph:
        """The nodes on which agents are."""
        states = self.world.states
        assert not isinstance(states, Grid), "plain maps have a world of their own"
        return states

    @property
    def grid(self) -> Grid:
        """The map of squares below the agents, without walls if the picture shows them."""
        return ground_of(self.states)

    def problem_now(self) -> Problem:
        """The problem from its beginning: agents with bodies do not begin anew where they are."""
        return self.world.problem

    def change(self, edit: Edit) -> None:
        """Let an agent leave, or hold it; the page changes nothing else in these worlds."""
        if edit.do not in EDITS:
            raise NotSupported("the page changes maps of squares only: this world stays as it is")
        super().change(edit)

    def edit(self, edit: Edit) -> bool:
        """Change something; whether the page must begin anew."""
        if edit.do == "terrain":
            raise NotSupported("the page changes maps of squares only: this world stays as it is")
        return super().edit(edit)

    def ahead(self) -> Cells:
        """Nothing: reservations are shown on maps of squares."""
        return np.zeros((0, 3), np.int32)

    def waits(self) -> dict[str, Any]:
        """Nobody: who waits for whom is shown on maps of squares."""
        return {"pairs": [], "cycles": []}

    def overlay(self) -> dict[str, Any] | None:
        """Nothing: areas and one-way maps are those of squares."""
        return None

    def head(self) -> dict[str, Any]:
        """What the page has to know before the first frame: also where nodes are, and how bodies look."""
        kinds = np.searchsorted(self.states.bases, self.cells, "right") - 1
        nodes = head_of_nodes(self.states, np.arange(self.states.n_cells), kinds)
        return super().head() | {"nodes": nodes}

    def frame(self, panel: int) -> bytes:
        """Everything as it is now."""
        self.cells, self.goals = self.now()
        self.last.clear()
        return begin_frame(panel, self.step, self.cells, self.goals, ~self.grid.free)

    def ways(self, before: Cells, cells: Cells) -> NDArray[np.uint8]:
        """No move has one of the eight directions: the page gets the new nodes."""
        return np.full(len(cells), STAY, np.uint8)

    def at_goals(self, cells: Cells, goals: Cells) -> NDArray[np.bool_]:
        """Whether agents are at their goals, in any heading."""
        known = np.where(cells < self.states.n_cells, cells, 0)
        at_home: NDArray[np.bool_] = self.states.stand_of[known] == goals
        return at_home
