"""Plan: where every agent is at every step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import NotSupported
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.replay.page import Page
    from wayfolk.world.state_graph import StateGraph


@dataclass(frozen=True, eq=False)
class Plan:
    """Where all agents are at every step: `cells[step, agent]` is a cell of a grid, or a node of a graph of states."""

    states: Grid | StateGraph
    cells: NDArray[np.int32]

    @property
    def grid(self) -> Grid:
        """The square grid on which all agents are points."""
        if isinstance(self.states, Grid):
            return self.states
        raise NotSupported(f"this works for plans of points on square grids, not for those in {self.states!r}")

    @property
    def n_steps(self) -> int:
        """How many steps are taken; the start is not one."""
        return len(self.cells) - 1

    @property
    def n_agents(self) -> int:
        """How many agents there are."""
        return int(self.cells.shape[1])

    def path(self, agent: int) -> list[Any]:
        """The places of one agent, step by step."""
        return [self.states.place(cell) for cell in self.cells[:, agent].tolist()]

    def home(self, goals: ArrayLike) -> NDArray[np.bool_]:
        """Whether each agent is on its goal, at each step; a body that turns in any heading."""
        cells = self.cells if isinstance(self.states, Grid) else self.states.stand_of[self.cells]
        at_home: NDArray[np.bool_] = cells == np.asarray(goals)
        return at_home

    def rest_steps(self, goals: ArrayLike) -> NDArray[np.int64]:
        """For each agent the step at which it arrives and stays; the last step if it is not there at the end."""
        away = ~self.home(goals)
        last_away = np.where(away.any(0), self.n_steps - away[::-1].argmax(0), -1)
        steps: NDArray[np.int64] = np.minimum(last_away + 1, self.n_steps)
        return steps

    def save(self, file: str | Path, goals: NDArray[np.int32] | None = None, *, format: str | None = None) -> None:
        """Write the plan to `file`: small if it ends in `.npz`, else as readable JSON.

        With `goals`, the file can be checked without a problem. For other tools, `format` is "planviz", "visualizer" (also
        by the suffix `.txt`), "tracker" or "csv" (also by the suffix `.csv`).
        """
        from wayfolk.files.exchange import export_plan

        export_plan(self, file, goals, format=format)

    def show(self) -> Page:
        """Watch the plan: in a notebook at the end of a cell, elsewhere in the browser."""
        from wayfolk.replay import track_of_plan
        from wayfolk.replay.page import Page, show_page

        return show_page(Page([track_of_plan(self)], repr(self)))

    def _repr_html_(self) -> str:
        from wayfolk.replay import notebook_frame

        return notebook_frame(self)

    def __repr__(self) -> str:
        return f"Plan({self.n_agents} agents, {self.n_steps} steps)"


def from_paths(states: Grid | StateGraph, paths: list[NDArray[np.int32]]) -> Plan:
    """A plan from one path for each agent; an agent whose path is shorter waits at its end."""
    n_steps = max((len(path) for path in paths), default=1)
    cells = np.empty((n_steps, len(paths)), np.int32)
    for agent, path in enumerate(paths):
        cells[: len(path), agent] = path
        cells[len(path) :, agent] = path[-1]
    return Plan(states, cells)
