"""A second judge of records, which plays the rows one after another; `check_log` must find the same faults."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.check import NOWHERE, Fault, Judge
from wayfolk.record import ARRIVE, BLOCK, DISTANCE, FREE, GOAL, JOIN, LEAVE, MOVE, STEPS, Record

_SLACK = 1e-6


def faults_of(record: Record) -> list[Fault]:
    """All faults of a record that is one at all."""
    judge = Judge(record.grid, 1_000_000)
    _judge_arrivals(judge, record)
    _Referee(judge, record).watch()
    return judge.verdict()


def _rows(record: Record) -> Iterator[tuple[float, int, int, int]]:
    """The rows as plain numbers: time, agent, kind, cell."""
    columns: tuple[NDArray[Any], ...] = (record.time, record.agent, record.kind, record.cell)
    return zip(*(column.tolist() for column in columns), strict=True)


def _judge_arrivals(judge: Judge, record: Record) -> None:
    """Whoever is said to arrive must stand there, and want to. Rows count in the order they were written."""
    here, goal = record.starts.tolist(), [NOWHERE] * len(record.starts)
    for time, agent, kind, cell in _rows(record):
        if kind in (MOVE, JOIN):
            here[agent] = cell
        elif kind == LEAVE:
            here[agent] = NOWHERE
        elif kind == GOAL:
            goal[agent] = cell
        elif kind == ARRIVE and not here[agent] == goal[agent] == cell:
            judge.add("arrive", time, [agent], cell)


class _Referee:
    """Plays a record again, and judges everything but arrivals."""

    def __init__(self, judge: Judge, record: Record) -> None:
        self.judge, self.record = judge, record
        self.late = record.tick if record.model == DISTANCE else 0.0  # how long a move may have begun before its row
        self.here = [NOWHERE] * len(record.starts)
        self.ready = [0.0] * len(record.starts)
        self.inside: defaultdict[int, set[int]] = defaultdict(set)
        self.slants: defaultdict[int, list[tuple[float, bool, int]]] = defaultdict(list)
        """The diagonal moves in each 2 x 2 block: until when, whether like a slash, who."""
        self.moves: list[float] = []
        """Time, agent, from and to, time, agent...: the moves not yet compared with the map."""

    def watch(self) -> None:
        """Play all rows: one after another, or in the `steps` model time by time with the moves at the end."""
        for agent, cell in enumerate(self.record.starts.tolist()):
            if cell != NOWHERE:
                self.join(0.0, agent, cell)
        groups: Iterable[Iterable[tuple[float, int, int, int]]]
        if self.record.model == STEPS:
            groups = (rows for _, rows in groupby(_rows(self.record), key=lambda row: row[0]))
        else:
            groups = ([row] for row in _rows(self.record))
        for rows in groups:
            moves = []
            for time, agent, kind, cell in rows:
                if kind == MOVE:
                    moves.append((time, agent, cell))
                elif kind == JOIN:
                    self.join(time, agent, cell)
                elif kind == LEAVE:
                    self.leave(time, agent, cell)
                elif kind in (BLOCK, FREE):
                    self.edit(time, cell, kind == FREE)
            self.move(moves)
        self.compare_with_map()

    def join(self, time: float, agent: int, cell: int) -> None:
        """An agent appears."""
        if self.here[agent] != NOWHERE:
            self.judge.add("jump", time, [agent], self.here[agent], cell)
        if not self.judge.is_free(np.array(cell)):
            self.judge.add("wall", time, [agent], cell)
        self.put(agent, cell)
        self.ready[agent] = time
        self.share(time, cell)

    def leave(self, time: float, agent: int, cell: int) -> None:
        """An agent disappears, from where it is."""
        if self.here[agent] == NOWHERE:
            self.judge.add("vanished", time, [agent])
        elif self.here[agent] != cell:
            self.judge.add("jump", time, [agent], self.here[agent], cell)
        self.put(agent, NOWHERE)

    def edit(self, time: float, cell: int, is_free: bool) -> None:
        """The map changes; whoever is caught in a new wall stands in it."""
        self.compare_with_map()
        if self.judge.free[cell] and not is_free:
            for agent in self.inside[cell]:
                self.judge.add("wall", time, [agent], cell)
        self.judge.free[cell] = is_free

    def move(self, moves: list[tuple[float, int, int]]) -> None:
        """Agents move, all at once."""
        moved: dict[int, int] = {}  # from the two ends of a move, as one number, to who made it
        for time, agent, cell in moves:
            here = self.here[agent]
            if here == NOWHERE:
                self.judge.add("vanished", time, [agent])
            else:
                if time < self.ready[agent] - _SLACK:
                    self.judge.add("busy", time, [agent], cell)
                other = moved.get(cell << 32 | here)
                if other is not None and here != cell:
                    self.judge.add("swap", time, [other, agent], *sorted((cell, here)))
                moved[here << 32 | cell] = agent
                self.cross(time, agent, here, cell)
                self.moves += (time, agent, here, cell)
            self.put(agent, cell)
        for cell in {cell for _, _, cell in moves}:
            self.share(moves[0][0], cell)

    def cross(self, time: float, agent: int, here: int, there: int) -> None:
        """Two diagonal moves cross if one begins before the other ends. How long that is is noted here, too."""
        grid = self.record.grid
        is_slash, is_backslash = abs(there - here) == grid.stride - 1, abs(there - here) == grid.stride + 1
        is_long = (is_slash or is_backslash) and self.record.model == DISTANCE
        began = min(max(self.ready[agent], time - self.late), time)
        self.ready[agent] = began + (grid.diagonal if is_long else 1.0)
        if is_slash or is_backslash:
            block = min(here, there) - is_slash
            under_way = [slant for slant in self.slants[block] if slant[0] > time + _SLACK]
            crossed = [other for _, slash, other in under_way if slash != is_slash and other != agent]
            if crossed:
                self.judge.add("crossing", time, [*crossed, agent], block, block + grid.stride + 1)
            self.slants[block] = [*under_way, (self.ready[agent], is_slash, agent)]

    def put(self, agent: int, cell: int) -> None:
        """Note where an agent is."""
        self.inside[self.here[agent]].discard(agent)
        self.here[agent] = cell
        if cell != NOWHERE:
            self.inside[cell].add(agent)

    def share(self, time: float, cell: int) -> None:
        """Somebody has entered `cell`, where nobody else may be."""
        if len(self.inside[cell]) > 1:
            self.judge.add("vertex", time, list(self.inside[cell]), cell)

    def compare_with_map(self) -> None:
        """Judge the moves since the map changed last."""
        if self.moves:
            columns = np.array(self.moves, dtype=np.float64).reshape(-1, 4).T
            times, (agents, here, there) = columns[0], columns[1:].astype(np.int64)
            jump, corner = self.judge.steps(here, there)
            wall = ~self.judge.is_free(there)
            self.judge.single("wall", times[wall], agents[wall], there[wall])
            for kind, mask in (("jump", jump), ("corner", corner)):
                self.judge.single(kind, times[mask], agents[mask], here[mask], there[mask])
            self.moves = []
