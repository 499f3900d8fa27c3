"""The log of a simulation: what has happened, or the part of it that is kept.

A world that runs for hours must not grow. Its log has room for the rows that are kept; when it is full, the oldest rows are
dropped, and their effect goes into the `Beginning`: the map, the cells and the goals from which the remaining rows go on.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import GOAL, JOIN, LEAVE, MOVE, NOWHERE, RELEASE
from wayfolk.kernels.crew import ROW
from wayfolk.problem.record import STEPS, Record
from wayfolk.simulation.court import N_LOG
from wayfolk.world.edits import after_edits
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

ALL = float("inf")


class Reader(Protocol):
    """A controller, as one that reads the log: it says from which row on, and hears that rows have been dropped."""

    def first_row(self) -> int | None:
        """The first row that it needs, None if it reads none."""

    def forget_rows(self, n: int) -> None:
        """The first `n` rows are dropped."""


class Log:
    """The rows of what has happened; `counts[N_LOG]` of them are in use, which kernels also count up.

    The last `span` units of time are kept, and what `reader` needs. `beginning` is the world in which the rows begin.
    """

    def __init__(
        self, counts: NDArray[np.int64], beginning: Beginning, span: float, tick: float, reader: Reader, rows: Any
    ) -> None:
        n = len(beginning.starts)
        self.counts, self.beginning, self.span, self.tick, self.reader = counts, beginning, span, tick, reader
        self.rows: NDArray[np.void] = np.concatenate([rows, np.zeros(max(4096, 16 * n), ROW)])
        self.counts[N_LOG] = len(rows)

    @property
    def n(self) -> int:
        """How many rows are in use."""
        return int(self.counts[N_LOG])

    @property
    def used(self) -> NDArray[np.void]:
        """The rows in use."""
        return self.rows[: self.n]

    def note(self, now: float, agent: int, kind: int, cell: int) -> None:
        """Add a row."""
        self.need_room(1, now)
        self.rows[self.n] = (now, agent, cell, kind)
        self.counts[N_LOG] += 1

    def need_room(self, n: int, now: float) -> None:
        """Make room for `n` more rows, if there is none."""
        if self.n + n > len(self.rows):
            self.make_room(now)

    def make_room(self, now: float) -> None:
        """Drop the rows that are not kept, and enlarge the log if that leaves less than half of it empty."""
        self.drop_old(now)
        while 2 * self.n > len(self.rows) or 16 * len(self.beginning.starts) > len(self.rows):
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])

    def drop_old(self, now: float) -> None:
        """Drop the rows that are not kept, as far as the reader does not need them."""
        if self.span == ALL or now <= self.span:
            return
        first = float((round(now / self.tick) - np.ceil(self.span / self.tick)) * self.tick)
        n, times, needed = self.n, self.used["time"], self.reader.first_row()
        old = int(np.searchsorted(times, first - 1e-9))
        if needed is not None and needed < old:  # what has happened at one time stays together
            old = int(np.searchsorted(times, times[needed]))
            first = float(times[old])
        if not old:
            return
        self.reader.forget_rows(old)
        self.beginning = self.beginning.after(self.rows[:old], first)
        self.rows[: n - old] = self.rows[old:n].copy()
        self.counts[N_LOG] = n - old

    def record(self, now: float, end: float, model: str) -> Record:
        """What is kept, until `end`; its times count from `began`."""
        self.drop_old(now)
        base = self.beginning
        rows = np.concatenate([base.rows(), self.used]) if base.time > 0 else self.used
        time = rows["time"] - base.time
        return Record(
            states=base.states,
            starts=base.starts.copy(),
            time=np.rint(time) if model == STEPS else time,
            agent=rows["agent"].copy(),
            kind=rows["kind"].copy(),
            cell=rows["cell"].copy(),
            end=end - base.time,
            model=model,
            tick=self.tick,
            began=base.time,
        )


class Beginning(NamedTuple):
    """The world at `time`: the cell of each agent (NOWHERE if absent), its goal, and whether it is under control."""

    time: float
    states: Grid | StateGraph
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
        starts, goals, ours = self.starts.copy(), self.goals.copy(), self.ours.copy()
        # of rows of one agent, the last is kept
        lands = np.isin(kind, (MOVE, JOIN, LEAVE))
        starts[agent[lands]] = np.where(kind == LEAVE, NOWHERE, cell)[lands]
        goals[agent[kind == GOAL]] = cell[kind == GOAL]
        control = np.isin(kind, (JOIN, RELEASE))
        ours[agent[control]] = kind[control] == JOIN
        return Beginning(time, after_edits(self.states, kind, cell), starts, goals, ours)

    def rows(self) -> NDArray[np.void]:
        """The rows with which a record that begins here tells goals, and who is not under control."""
        ordered, released = np.flatnonzero(self.goals != NOWHERE), np.flatnonzero(~self.ours)
        rows = np.zeros(len(ordered) + len(released), ROW)
        rows["time"] = self.time
        rows["agent"] = np.append(ordered, released)
        rows["cell"] = np.append(self.goals[ordered], self.starts[released])
        rows["kind"] = np.append(np.full(len(ordered), GOAL), np.full(len(released), RELEASE))
        return rows


def beginning(states: Grid | StateGraph, starts: NDArray[np.int32]) -> Beginning:
    """The world before anything has happened; goals are in the first rows of the log."""
    return Beginning(0.0, states, starts.copy(), np.full(len(starts), NOWHERE, np.int32), np.ones(len(starts), bool))


def span_of(record: Any) -> float:
    """The units of time that are kept: of all, of none, or of the text "last N"."""
    if record is None or record is True:
        return ALL
    if record is False:
        return 0.0
    match = re.fullmatch(r"last (\d{1,9})", record) if isinstance(record, str) else None
    if match is None or not int(match[1]):
        raise BadInput(f'record is True, False or a text such as "last 1000", not {record!r}')
    return float(match[1])
