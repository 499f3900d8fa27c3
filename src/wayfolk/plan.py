"""Plan: where every agent is at every step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import Grid


@dataclass(frozen=True, eq=False)
class Plan:
    """`cells[step, agent]`, and the grid they are cells of."""

    grid: Grid
    cells: NDArray[np.int32]

    @property
    def n_steps(self) -> int:
        """How many steps are taken; the start is not one."""
        return len(self.cells) - 1

    @property
    def n_agents(self) -> int:
        """How many agents there are."""
        return int(self.cells.shape[1])

    def path(self, agent: int) -> list[tuple[int, int]]:
        """The places of one agent, step by step."""
        return [(int(x), int(y)) for x, y in self.grid.places(self.cells[:, agent])]

    def save(self, file: str | Path, goals: NDArray[np.int32] | None = None) -> None:
        """Write the plan: `.npz` is small, anything else readable JSON. `goals` lets it be checked alone."""
        from wayfolk.formats import write_plan

        write_plan(self, file, goals)

    def _repr_html_(self) -> str:
        from wayfolk.replay import notebook_frame

        return notebook_frame(self)

    def __repr__(self) -> str:
        return f"Plan({self.n_agents} agents, {self.n_steps} steps)"


def from_paths(grid: Grid, paths: list[NDArray[np.int32]]) -> Plan:
    """Paths of different length side by side; whoever arrives early waits there."""
    n_steps = max((len(path) for path in paths), default=1)
    cells = np.empty((n_steps, len(paths)), np.int32)
    for agent, path in enumerate(paths):
        cells[: len(path), agent] = path
        cells[len(path) :, agent] = path[-1]
    return Plan(grid, cells)
