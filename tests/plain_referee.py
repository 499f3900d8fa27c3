"""A second judge of records, slow and obvious: it plays the rows one after another, and `check_record` must find the same.

It is written from the words of docs/judge.md. Of the library it uses what a record, a map and a fault are, and nothing
that judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, groupby
from types import SimpleNamespace
from typing import Any, NamedTuple

from reference import is_free, is_legal_step
from wayfolk.judge.plans import KINDS_OF_FAULT, Fault
from wayfolk.kernels.codes import ARRIVE, BLOCK, FREE, GOAL, JOIN, LEAVE, MOVE, NOWHERE, REFUSED
from wayfolk.problem.record import DISTANCE, STEPS, TURNS, Record

_SLACK = 1e-6  # clocks add up small ticks

Place = tuple[int, int]
Row = tuple[float, int, int, Place]


class Diagonal(NamedTuple):
    """A diagonal move: who, the two corners it joins, the row's time, and when it is over."""

    agent: int
    corners: frozenset[Place]
    time: float
    over: float


def faults_of(record: Record) -> list[Fault]:
    """All faults of a record, in the order of the library's judge."""
    faults = [*_wrong_arrivals(record), *_out_of_turn(record), *_Replay(record).faults()]
    rank = {kind: number for number, kind in enumerate(KINDS_OF_FAULT)}
    return sorted(faults, key=lambda fault: (fault.step, rank[fault.kind], fault.agents, fault.places))


def _rows(record: Record) -> Iterator[Row]:
    """The rows as plain numbers: time, agent, kind, place."""
    columns: tuple[Any, ...] = (record.time, record.agent, record.kind, record.cell)
    for time, agent, kind, cell in zip(*(column.tolist() for column in columns), strict=True):
        yield time, agent, kind, record.grid.place(cell)


def _starts(record: Record) -> list[Place | None]:
    return [None if cell == NOWHERE else record.grid.place(cell) for cell in record.starts.tolist()]


def _wrong_arrivals(record: Record) -> Iterator[Fault]:
    """Whoever is said to arrive must stand there, and want to. Rows count in the order they were written."""
    here, goal = _starts(record), [None] * len(record.starts)
    for time, agent, kind, place in _rows(record):
        if kind in (MOVE, JOIN):
            here[agent] = place
        elif kind == LEAVE:
            here[agent] = None
        elif kind == GOAL:
            goal[agent] = place  # type: ignore[call-overload]
        elif kind == ARRIVE and not here[agent] == goal[agent] == place:
            yield Fault("arrive", time, (agent,), (place,))


def _out_of_turn(record: Record) -> Iterator[Fault]:
    """In the `turns` model whoever acts comes after all who have acted in the same turn, by number."""
    turn, last = -1.0, -1
    for time, agent, kind, place in _rows(record):
        if record.model == TURNS and kind in (MOVE, REFUSED):
            if time == turn and agent <= last:
                yield Fault("turn", time, (agent,), (place,))
            turn, last = time, agent


class _Replay:
    """Plays a record again, and judges everything but arrivals."""

    def __init__(self, record: Record) -> None:
        grid = record.grid
        self.record = record
        self.map: Any = SimpleNamespace(
            width=grid.width, height=grid.height, free=grid.free.copy(), links=grid.links, moves=grid.moves
        )
        self.here: list[Place | None] = [None] * len(record.starts)
        self.ready = [0.0] * len(record.starts)
        """When the last move of each agent is over."""
        self.last_diagonal: dict[int, int] = {}
        """Where the last move of an agent is in `diagonals`, if it was diagonal."""
        self.diagonals: list[Diagonal] = []
        self.wrong: list[Fault] = []

    def faults(self) -> list[Fault]:
        """Play all rows: one after another, or in the `steps` model time by time with the moves at the end."""
        for agent, place in enumerate(_starts(self.record)):
            if place is not None:
                self.join(0.0, agent, place)
        groups: Iterable[Iterable[Row]] = ([row] for row in _rows(self.record))
        if self.record.model == STEPS:
            groups = (list(rows) for _, rows in groupby(_rows(self.record), key=lambda row: row[0]))
        for rows in groups:
            moves = []
            for time, agent, kind, place in rows:
                if kind == MOVE:
                    moves.append((time, agent, place))
                elif kind == JOIN:
                    self.join(time, agent, place)
                elif kind == LEAVE:
                    self.leave(time, agent, place)
                elif kind in (BLOCK, FREE):
                    self.edit(time, place, kind == FREE)
            self.move(moves)
        if self.record.model != TURNS:
            self.cross()
        return self.wrong

    def add(self, kind: str, time: float, agents: Iterable[int], *places: Place) -> None:
        """Write a fault down."""
        self.wrong.append(Fault(kind, time, tuple(sorted(set(agents))), places))

    def join(self, time: float, agent: int, place: Place) -> None:
        """An agent appears."""
        here = self.here[agent]
        if here is not None:
            self.add("jump", time, [agent], here, place)
        if not is_free(self.map, *place):
            self.add("wall", time, [agent], place)
        self.here[agent], self.ready[agent] = place, time
        self.share(time, place)

    def leave(self, time: float, agent: int, place: Place) -> None:
        """An agent disappears, from where it is. A diagonal that it is on is over."""
        here = self.here[agent]
        if here is None:
            self.add("vanished", time, [agent])
        elif here != place:
            self.add("jump", time, [agent], here, place)
        if agent in self.last_diagonal:
            number = self.last_diagonal.pop(agent)
            diagonal = self.diagonals[number]
            self.diagonals[number] = diagonal._replace(over=min(diagonal.over, time))
        self.here[agent] = None

    def edit(self, time: float, place: Place, is_now_free: bool) -> None:
        """The map changes; whoever is caught in a new wall stands in it."""
        x, y = place
        if self.map.free[y, x] and not is_now_free:
            for agent, here in enumerate(self.here):
                if here == place:
                    self.add("wall", time, [agent], place)
        self.map.free[y, x] = is_now_free

    def move(self, moves: list[tuple[float, int, Place]]) -> None:
        """Agents move, all at once."""
        moved: dict[tuple[Place, Place], int] = {}  # from the two ends of a move to who made it
        for time, agent, place in moves:
            here = self.here[agent]
            if here is None:
                self.add("vanished", time, [agent])
            else:
                if time < self.ready[agent] - _SLACK:
                    self.add("busy", time, [agent], place)
                self.step(time, agent, here, place)
                if here != place and (place, here) in moved:
                    low, high = sorted((here, place), key=lambda end: end[::-1])
                    self.add("swap", time, [moved[place, here], agent], low, high)
                moved[here, place] = agent
                self.clock(time, agent, here, place)
            self.here[agent] = place
        for place in {place for _, _, place in moves}:
            self.share(moves[0][0], place)

    def step(self, time: float, agent: int, here: Place, place: Place) -> None:
        """A move leads by a legal step to a free cell."""
        dx, dy = place[0] - here[0], place[1] - here[1]
        if not is_free(self.map, *place):
            self.add("wall", time, [agent], place)
        if max(abs(dx), abs(dy)) != 1:
            self.add("jump", time, [agent], here, place)
        elif is_free(self.map, *here) and is_free(self.map, *place) and not is_legal_step(self.map, *here, dx, dy):
            self.add("corner", time, [agent], here, place)

    def clock(self, time: float, agent: int, here: Place, place: Place) -> None:
        """Note when the move is over; it began when the agent was ready, at most a tick before its row."""
        dx, dy = place[0] - here[0], place[1] - here[1]
        is_diagonal = abs(dx) == abs(dy) == 1
        length, late = 1.0, 0.0
        if self.record.model == TURNS:
            length = self.record.tick
        elif self.record.model == DISTANCE:
            length, late = self.record.grid.diagonal if is_diagonal else 1.0, self.record.tick
        self.ready[agent] = min(max(self.ready[agent], time - late), time) + length
        self.last_diagonal.pop(agent, None)
        if is_diagonal:
            self.last_diagonal[agent] = len(self.diagonals)
            self.diagonals.append(Diagonal(agent, frozenset((here, place)), time, self.ready[agent]))

    def share(self, time: float, place: Place) -> None:
        """Somebody has entered `place`, where nobody else may be."""
        inside = [agent for agent, here in enumerate(self.here) if here == place]
        if len(inside) > 1:
            self.add("vertex", time, inside, place)

    def cross(self) -> None:
        """No two agents are on the two diagonals of a block at once: each pair of moves is looked at."""
        crossed: dict[int, list[int]] = {}
        for (_, one), (number, other) in combinations(enumerate(self.diagonals), 2):
            (ax, ay), (bx, by) = one.corners
            are_across = other.corners == {(ax, by), (bx, ay)}
            if are_across and one.agent != other.agent and one.over > other.time + _SLACK:
                crossed.setdefault(number, []).append(one.agent)
        for number, agents in crossed.items():
            other = self.diagonals[number]
            (ax, ay), (bx, by) = other.corners
            corners = (min(ax, bx), min(ay, by)), (max(ax, bx), max(ay, by))
            self.add("crossing", other.time, [*agents, other.agent], *corners)
