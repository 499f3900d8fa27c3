"""Record: the log of a simulation, read by the replay, the metrics and the judge.

One row for each thing that happened, in order: when, to which agent, what, and where. In the `steps` time model all moves
with the same time happen at once and take one unit of time. In the `distance` model rows happen one after another, and a
move takes as long as its length. In the `turns` model rows happen one after another too: agents act in the order of their
numbers, once in each turn, and a turn takes 1.5 units of time. An agent is in the cell it moves to from the moment the
move begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import NotSupported
from wayfolk.kernels.codes import JOIN, LEAVE, MOVE
from wayfolk.problem.plan import Plan
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.world.state_graph import StateGraph

KINDS = ("move", "refused", "goal", "arrive", "join", "leave", "release", "block", "free", "thought", "hold", "resume",
         "put", "close", "open")  # fmt: skip
"""The names of all kinds; no row is of the kinds `hold`, `resume` and `put`, which only events are."""
STEPS, DISTANCE, TURNS = "steps", "distance", "turns"


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """Rows (`time`, `agent`, `kind`, `cell`); agents are at `starts` at time 0, and the simulation stopped at `end`.

    The record of a world that keeps only its last steps begins when the clock of the world showed `began`.

    kind      cell
    MOVE      the cell entered; waiting is not logged
    REFUSED   the cell that could not be entered
    GOAL      the agent's new goal (also logged for each agent at time 0)
    ARRIVE    the goal reached
    JOIN      where a new agent appears (`starts` has NOWHERE for it); LEAVE: where one disappears
    RELEASE   the agent is no longer under control; if it is again, or is put elsewhere, it leaves and joins
    BLOCK     the cell becomes a wall (agent = 0 and without meaning); FREE: it becomes free
    CLOSE     the lane becomes closed (agent = 0 and without meaning); OPEN: it becomes open. `cell` is the number of an
              edge of the world `states.first`, and all edges between the same two places are meant
    THOUGHT   the agent planned; `cell` is the number of expansions

    Where agents are not points on a square grid, `states` is a graph of states, and cells of agents are nodes of it; BLOCK
    and FREE name cells of the world. Such records are in steps.

    All times are multiples of `tick`. In the `distance` model a move is logged at the first tick after the last move has
    ended; its own end is computed from the moment at which it could have begun.
    """

    states: Grid | StateGraph
    starts: NDArray[np.int32]
    time: NDArray[np.float64]
    agent: NDArray[np.int32]
    kind: NDArray[np.uint8]
    cell: NDArray[np.int32]
    end: float
    model: str = STEPS
    tick: float = 1.0
    began: float = 0.0

    @property
    def grid(self) -> Grid:
        """The square grid on which all agents are points."""
        if isinstance(self.states, Grid):
            return self.states
        raise NotSupported(f"this works for records of points on square grids, not for those in {self.states!r}")

    def __len__(self) -> int:
        return len(self.time)

    def _repr_html_(self) -> str:
        from wayfolk.replay.notebook import record_html

        return record_html(self)

    def __repr__(self) -> str:
        unit = "steps" if self.model == STEPS else "time units"
        return f"Record({len(self.starts)} agents, {self.end:g} {unit}, {len(self)} rows)"

    def of(self, kind: int) -> NDArray[np.intp]:
        """The rows of one kind."""
        return np.flatnonzero(self.kind == kind)

    def log(self) -> NDArray[np.void]:
        """The rows as kernels read them."""
        from wayfolk.kernels.crew import ROW

        log = np.zeros(len(self), ROW)
        log["time"], log["agent"], log["cell"], log["kind"] = self.time, self.agent, self.cell, self.kind
        return log

    @property
    def is_plan(self) -> bool:
        """Whether it can be read as a plan: it is in steps, with the same agents throughout."""
        return self.model == STEPS and not ((self.kind == JOIN) | (self.kind == LEAVE)).any()

    def plan(self) -> Plan:
        """The record as a plan, if it is one."""
        if not self.is_plan:
            raise ValueError("only a record in steps, with the same agents throughout, is a plan")
        cells = np.broadcast_to(self.starts, (round(self.end) + 1, len(self.starts))).copy()
        rows = self.of(MOVE)
        steps = np.rint(self.time[rows]).astype(np.intp) + 1
        changed = np.zeros_like(cells, dtype=bool)
        cells[steps, self.agent[rows]] = self.cell[rows]
        changed[steps, self.agent[rows]] = True
        last = np.maximum.accumulate(np.where(changed, np.arange(len(cells))[:, None], 0), axis=0)
        return Plan(self.states, cells[last, np.arange(len(self.starts))])
