"""The judge of simulations in any world and for any body: which rules a record of nodes breaks.

The rows are played one after another, and each step is judged as a step of a plan is (see `body_plans`), by the world as it
is then. Whatever changes the world or the agents at some time comes before the moves of that time.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from wayfolk.errors import BadInput
from wayfolk.judge.body_plans import BodyJudge
from wayfolk.judge.plans import NOWHERE, Fault
from wayfolk.kernels import codes
from wayfolk.kernels.codes import ARRIVE, BLOCK, CLOSE, FREE, GOAL, HOLD, JOIN, LEAVE, MOVE, OPEN, PUT
from wayfolk.problem.record import KINDS, STEPS, Record
from wayfolk.world.edits import EDITS, edited
from wayfolk.world.graph import Graph
from wayfolk.world.state_graph import StateGraph


def check_state_record(record: Record, limit: int) -> list[Fault]:
    """Return the first `limit` faults of a simulation, by time."""
    _refuse_nonsense(record)
    play = _Play(record, limit)
    _arrivals(play.judge, record)
    time = np.rint(record.time).astype(np.int64)
    order = np.lexsort((record.kind == MOVE, time))  # moves come last
    for now, rows in groupby(order.tolist(), lambda row: int(time[row])):
        play.step(float(now), list(rows))
        if len(play.judge.faults) >= limit:
            break
    return play.judge.verdict()


class _Play:
    """The agents and the world of a record, row by row."""

    def __init__(self, record: Record, limit: int) -> None:
        assert isinstance(record.states, StateGraph)
        self.record, self.states = record, record.states
        self.judge = BodyJudge(self.states, limit)
        self.here = record.starts.astype(np.int64)
        self._stand(0.0)

    def step(self, now: float, rows: list[int]) -> None:
        """Play the rows of one time, in which moves come last."""
        kinds, agents, cells = (
            column[rows].tolist() for column in (self.record.kind, self.record.agent, self.record.cell)
        )
        after, moved, has_changed = self.here.copy(), set(), False
        for kind, agent, cell in zip(kinds, agents, cells, strict=True):
            if kind in EDITS:
                self._edit(kind, [cell])
                has_changed = True
            elif kind in (JOIN, LEAVE):
                self._come_or_go(now, kind, agent, cell)
                has_changed, after[agent] = True, self.here[agent]
            elif kind == MOVE:
                if has_changed:
                    self._stand(now)
                    has_changed = False
                if agent in moved:
                    self.judge.add("busy", now, [agent], cell)
                if self.here[agent] == NOWHERE:
                    self.judge.add("vanished", now, [agent])
                else:
                    after[agent] = cell
                moved.add(agent)
        if has_changed:
            self._stand(now)
        if moved:
            self.judge.judge_moves(np.flatnonzero(self.here != NOWHERE), self.here, after, now)
        self.here = after

    def _come_or_go(self, now: float, kind: int, agent: int, cell: int) -> None:
        """An agent joins that was not there, or leaves from where it is."""
        is_there = self.here[agent] != NOWHERE
        if kind == LEAVE and not is_there:
            self.judge.add("vanished", now, [agent])
        elif is_there and (kind == JOIN or self.here[agent] != cell):
            self.judge.add("jump", now, [agent], int(self.here[agent]), cell)
        self.here[agent] = cell if kind == JOIN else NOWHERE

    def _edit(self, kind: int, where: list[int]) -> None:
        states = edited(self.states, kind, where)
        assert isinstance(states, StateGraph)
        judge = BodyJudge(states, self.judge.limit)
        judge.faults = self.judge.faults
        self.states, self.judge = states, judge

    def _stand(self, now: float) -> None:
        """Judge where the agents are."""
        self.judge.judge_places(np.flatnonzero(self.here != NOWHERE), self.here, now)


def _arrivals(judge: BodyJudge, record: Record) -> None:
    """An agent that is logged to arrive must be at that goal, and it must be its own. Rows count in their order."""
    assert isinstance(record.states, StateGraph)
    here, goals, stand_of = record.starts.tolist(), [NOWHERE] * len(record.starts), record.states.stand_of
    for row in np.flatnonzero(np.isin(record.kind, (JOIN, MOVE, LEAVE, GOAL, ARRIVE))).tolist():
        agent, cell = int(record.agent[row]), int(record.cell[row])
        match int(record.kind[row]):
            case codes.GOAL:
                goals[agent] = cell
            case codes.ARRIVE:
                is_there = here[agent] != NOWHERE and stand_of[here[agent]] == cell
                if not is_there or goals[agent] != cell:
                    judge.add("arrive", float(record.time[row]), [agent], cell)
            case codes.LEAVE:
                here[agent] = NOWHERE
            case _:
                here[agent] = cell


def _refuse_nonsense(record: Record) -> None:
    """Raise BadInput if a row has values that no record can have."""
    if record.model != STEPS:
        raise BadInput(f"a record of nodes is in the time model {STEPS}, not in {record.model!r}")
    states = record.states
    assert isinstance(states, StateGraph)
    n_edges = len(states.first.edges) if isinstance(states.first, Graph) else 0
    is_edit = np.isin(record.kind, EDITS)
    most = np.select(
        [np.isin(record.kind, (BLOCK, FREE)), np.isin(record.kind, (CLOSE, OPEN)),
         np.isin(record.kind, (MOVE, GOAL, ARRIVE, JOIN, LEAVE))],
        [states.world.n_cells, n_edges, states.n_cells], 1 << 31,
    )  # fmt: skip
    wrong = {
        "a time that is not a number from 0": ~(np.isfinite(record.time) & (record.time >= 0)),
        "a time before that of the row above": np.diff(record.time, prepend=0.0) < 0,
        "a time between two steps": record.time != np.rint(record.time),
        "an unknown kind": (record.kind >= len(KINDS)) | ((record.kind >= HOLD) & (record.kind <= PUT)),
        f"an unknown agent, of {len(record.starts)}": ((record.agent < 0) | (record.agent >= len(record.starts)))
        & ~is_edit,
        "a number of no node, cell or edge": (record.cell < 0) | (record.cell >= most),
    }
    for what, rows in wrong.items():
        if rows.any():
            raise BadInput(f"row {int(rows.argmax())} of the record has {what}")
