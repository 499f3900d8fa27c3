"""How much of a simulation's log is kept, and what the world was like where the kept part begins.

A world that runs for hours must not grow. Its log has room for the rows that are kept; when it is full, the oldest rows are
dropped, and their effect goes into the `Beginning`: the map, the cells and the goals from which the remaining rows go on.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import BLOCK, FREE, GOAL, JOIN, LEAVE, MOVE, NOWHERE, RELEASE
from wayfolk.kernels.crew import ROW
from wayfolk.world.grid import Grid

ALL = float("inf")


class Beginning(NamedTuple):
    """The world at `time`: the cell of each agent (NOWHERE if absent), its goal, and whether it is under control."""

    time: float
    grid: Grid
    starts: NDArray[np.int32]
    goals: NDArray[np.int32]
    ours: NDArray[np.bool_]

    def with_one_more(self) -> Beginning:
        """The same with one more agent, which is not there yet."""
        return self._replace(
            starts=np.append(self.starts, NOWHERE),
            goals=np.append(self.goals, NOWHERE),
            ours=np.append(self.ours, True),
        )

    def after(self, rows: NDArray[np.void], time: float) -> Beginning:
        """The world at `time`, when these rows of the log have happened."""
        agent, kind, cell = rows["agent"], rows["kind"], rows["cell"]
        starts, goals, ours, grid = self.starts.copy(), self.goals.copy(), self.ours.copy(), self.grid
        # of rows of one agent, the last is kept
        lands = np.isin(kind, (MOVE, JOIN, LEAVE))
        starts[agent[lands]] = np.where(kind == LEAVE, NOWHERE, cell)[lands]
        goals[agent[kind == GOAL]] = cell[kind == GOAL]
        control = np.isin(kind, (JOIN, RELEASE))
        ours[agent[control]] = kind[control] == JOIN
        for row in np.flatnonzero(np.isin(kind, (BLOCK, FREE))).tolist():
            edited = [int(cell[row])]
            grid = grid.with_blocked(edited) if kind[row] == BLOCK else grid.with_freed(edited)
        return Beginning(time, grid, starts, goals, ours)

    def rows(self) -> NDArray[np.void]:
        """The rows with which a record that begins here tells goals, and who is not under control."""
        ordered, released = np.flatnonzero(self.goals != NOWHERE), np.flatnonzero(~self.ours)
        rows = np.zeros(len(ordered) + len(released), ROW)
        rows["time"] = self.time
        rows["agent"] = np.append(ordered, released)
        rows["cell"] = np.append(self.goals[ordered], self.starts[released])
        rows["kind"] = np.append(np.full(len(ordered), GOAL), np.full(len(released), RELEASE))
        return rows


def beginning(grid: Grid, starts: NDArray[np.int32]) -> Beginning:
    """The world before anything has happened; goals are in the first rows of the log."""
    return Beginning(0.0, grid, starts.copy(), np.full(len(starts), NOWHERE, np.int32), np.ones(len(starts), bool))


def kept_time(record: Any) -> float:
    """The units of time that are kept: of all, of none, or of the text "last N"."""
    if record is None or record is True:
        return ALL
    if record is False:
        return 0.0
    match = re.fullmatch(r"last (\d{1,9})", record) if isinstance(record, str) else None
    if match is None or not int(match[1]):
        raise BadInput(f'record is True, False or a text such as "last 1000", not {record!r}')
    return float(match[1])
