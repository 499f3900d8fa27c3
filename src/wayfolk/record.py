"""Record: the log of a simulation, read by the replay, the metrics and the judge.

One row for each thing that happened, in the order it happened: when, to whom, what, and where. In the `steps` time model
all moves of a row's time happen at once and take one unit; in the `distance` model rows happen one after another
and a move takes as long as it is far. An agent is in the cell it moves to from the moment the move begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import Grid
from wayfolk.plan import Plan

MOVE, REFUSED, GOAL, ARRIVE, JOIN, LEAVE, RELEASE, BLOCK, FREE, THOUGHT = range(10)
KINDS = ("move", "refused", "goal", "arrive", "join", "leave", "release", "block", "free", "thought")
STEPS, DISTANCE = "steps", "distance"


@dataclass(frozen=True, eq=False)
class Record:
    """Rows (`time`, `agent`, `kind`, `cell`) after everyone stood at `starts` at time 0; `end` is when it stopped.

    kind      cell
    MOVE      the cell entered; waiting is not logged
    REFUSED   the cell that could not be entered: a collision
    GOAL      the agent's new goal (also logged for each agent at time 0)
    ARRIVE    the goal reached
    JOIN      where a new agent appears (`starts` has NOWHERE for it); LEAVE: where one disappears
    RELEASE   the agent is no longer under control
    BLOCK     the cell becomes a wall (agent = 0 and without meaning); FREE: it becomes free
    THOUGHT   the agent planned; `cell` is how many cells that expanded

    Things happen at multiples of `tick`: in the `distance` model a move begins at the first tick after the one before
    is over, and the next is reckoned from when it could have begun.
    """

    grid: Grid
    starts: NDArray[np.int32]
    time: NDArray[np.float64]
    agent: NDArray[np.int32]
    kind: NDArray[np.uint8]
    cell: NDArray[np.int32]
    end: float
    model: str = STEPS
    tick: float = 1.0

    def __len__(self) -> int:
        return len(self.time)

    def of(self, kind: int) -> NDArray[np.intp]:
        """The rows of one kind."""
        return np.flatnonzero(self.kind == kind)

    def plan(self) -> Plan:
        """The positions step by step; only for the `steps` model without agents that join or leave."""
        if self.model != STEPS or np.isin(self.kind, (JOIN, LEAVE)).any():
            raise ValueError("only a record in steps, with the same agents throughout, is a plan")
        cells = np.tile(self.starts, (round(self.end) + 1, 1))
        rows = self.of(MOVE)
        steps = np.rint(self.time[rows]).astype(np.intp) + 1
        changed = np.zeros_like(cells, dtype=bool)
        cells[steps, self.agent[rows]] = self.cell[rows]
        changed[steps, self.agent[rows]] = True
        last = np.maximum.accumulate(np.where(changed, np.arange(len(cells))[:, None], 0), axis=0)
        return Plan(self.grid, np.take_along_axis(cells, last, axis=0))
