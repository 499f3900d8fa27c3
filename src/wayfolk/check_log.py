"""The judge of simulations: whether a record keeps the rules. Like the judge of plans it knows no algorithm.

The whole record is judged at once, as columns: who stood where from which moment to which, and who moved along which
edge. Cells and blocks in which something looks odd are then looked at one by one. A slower judge, which plays the rows
one after another, stands in the tests and must find the same faults.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.check import NOWHERE, Fault, Ints, Judge, Mask
from wayfolk.errors import BadInput
from wayfolk.record import ARRIVE, BLOCK, DISTANCE, FREE, GOAL, JOIN, KINDS, LEAVE, MOVE, STEPS, Record

_SLACK = 1e-6  # clocks that add up small ticks are allowed to be this early
_FOR_EVER = np.iinfo(np.int64).max

Times = NDArray[np.float64]


def check_record(record: Record, *, limit: int = 1000) -> list[Fault]:
    """The first `limit` faults of a simulation, by time; an empty list is a legal run.

    In the `steps` model whatever changes the map or the agents at some time comes before the moves of that time, which
    happen at once. In the `distance` model rows happen one after another, an agent is in a cell from the moment it
    begins to move there, and it is busy for as long as the move is far. A refused move must have changed nothing.
    A move is noted at the first tick at or after its beginning, so the next one may follow it up to a tick sooner.
    """
    _refuse_nonsense(record)
    judge = Judge(record.grid, limit)
    _arrivals(judge, record)
    rows = _rows(record)
    walks = _walks(record, rows)
    stays = _stays(walks)
    _order(judge, walks)
    _map(judge, walks, stays, rows)
    _sharing(judge, stays)
    if record.model == STEPS:  # else nothing happens at once
        _swaps(judge, walks)
    _crossings(judge, walks)
    return judge.verdict()


def _refuse_nonsense(record: Record) -> None:
    """Say why this is no record at all, if it is none."""
    if record.model not in (STEPS, DISTANCE):
        raise BadInput(f"there is no time model {record.model!r}: choose {STEPS} or {DISTANCE}")
    grid, n_agents, edits = record.grid, len(record.starts), np.isin(record.kind, (BLOCK, FREE))
    x, y = grid.places(record.cell).T
    outside = (x < 0) | (y < 0) | (x >= grid.width) | (y >= grid.height)
    wrong = {
        "a time that is not a number from 0": ~(np.isfinite(record.time) & (record.time >= 0)),
        "a time before that of the row above": np.diff(record.time, prepend=0.0) < 0,
        "a time between two steps": (record.time != np.rint(record.time)) & (record.model == STEPS),
        f"an unknown kind, of {len(KINDS)}": record.kind >= len(KINDS),
        f"an unknown agent, of {n_agents}": ((record.agent < 0) | (record.agent >= n_agents)) & ~edits,
        "an edit outside the map": outside & edits,
    }
    for what, rows in wrong.items():
        if rows.any():
            raise BadInput(f"row {int(rows.argmax())} of the record has {what}")


class _Rows(NamedTuple):
    """What happened to agents and to the map, in order. Rows with one `moment` happen at once."""

    moment: Ints
    time: Times
    agent: Ints
    kind: Ints
    cell: Ints


class _Walks(NamedTuple):
    """Who comes to be where, agent by agent and in order: rows of the kinds JOIN, MOVE and LEAVE."""

    moment: Ints
    time: Times
    agent: Ints
    kind: Ints
    cell: Ints
    before: Ints
    """Where the agent was: NOWHERE if it was not there."""
    until: Ints
    """The moment of the agent's next row."""
    ready: Times
    """When the agent may move again."""

    def of(self, mask: Mask) -> _Walks:
        """Some of them, by moment."""
        rows = np.flatnonzero(mask)
        return self.at(rows[np.argsort(self.moment[rows], kind="stable")])

    def at(self, rows: NDArray[np.intp] | slice) -> _Walks:
        """Those of some rows."""
        columns: Any = (column[rows] for column in self)
        return _Walks(*columns)

    @property
    def is_step(self) -> Mask:
        """Which are moves from somewhere."""
        return np.asarray((self.kind == MOVE) & (self.before != NOWHERE))


def _rows(record: Record) -> _Rows:
    """The rows that matter here. All who are there at the start join at time 0."""
    there = np.flatnonzero(record.starts != NOWHERE)
    kept = np.flatnonzero(np.isin(record.kind, (JOIN, MOVE, LEAVE, BLOCK, FREE)))
    if record.model == STEPS:
        kept = kept[np.lexsort((record.kind[kept] == MOVE, record.time[kept]))]
    time = np.append(np.zeros(len(there)), record.time[kept])
    kind = np.append(np.full(len(there), JOIN), record.kind[kept]).astype(np.int64)
    agent = np.append(there, record.agent[kept]).astype(np.int64)
    cell = np.append(record.starts[there], record.cell[kept]).astype(np.int64)
    at_once = np.zeros(len(time), dtype=bool)
    if record.model == STEPS:
        at_once[1:] = (kind[1:] == MOVE) & (kind[:-1] == MOVE) & (time[1:] == time[:-1])
    return _Rows(np.cumsum(~at_once), time, agent, kind, cell)


def _walks(record: Record, rows: _Rows) -> _Walks:
    of_agents = np.flatnonzero(~np.isin(rows.kind, (BLOCK, FREE)))
    order = of_agents[np.argsort(rows.agent[of_agents], kind="stable")]
    moment, time, agent = rows.moment[order], rows.time[order], rows.agent[order]
    kind, cell = rows.kind[order], rows.cell[order]
    same = agent[1:] == agent[:-1]
    before, until = np.full(len(cell), NOWHERE), np.full(len(cell), _FOR_EVER)
    before[1:] = np.where(same & (kind[:-1] != LEAVE), cell[:-1], NOWHERE)
    until[:-1] = np.where(same, moment[1:], _FOR_EVER)
    slanted = np.isin(np.abs(cell - before), (record.grid.stride - 1, record.grid.stride + 1))
    lengths = np.where(slanted & (record.model == DISTANCE), record.grid.diagonal, 1.0)
    walks = _Walks(moment, time, agent, kind, cell, before, until, lengths)
    late = record.tick if record.model == DISTANCE else 0.0  # how long a move may have begun before its row
    return walks._replace(ready=_clocks(walks, late))


def _clocks(walks: _Walks, late: float) -> Times:
    """When each agent is ready again after each of its rows; `walks.ready` are the lengths of moves so far."""
    made = []
    now, one = 0.0, -1
    columns = (walks.agent, walks.kind, walks.time, walks.ready, walks.is_step)
    for agent, kind, time, length, is_step in zip(*(column.tolist() for column in columns), strict=True):
        if agent != one:
            now, one = 0.0, agent
        if is_step:
            now = length + (time if now > time else now if now > time - late else time - late)
        elif kind == JOIN:
            now = time
        made.append(now)
    return np.array(made, dtype=np.float64)


def _arrivals(judge: Judge, record: Record) -> None:
    """Whoever is said to arrive must stand there, and want to. Rows count in the order they were written."""
    everyone = np.arange(len(record.starts))
    rows = np.flatnonzero(np.isin(record.kind, (JOIN, MOVE, LEAVE, GOAL, ARRIVE)))
    agent = np.append(everyone, record.agent[rows])
    order = np.argsort(agent, kind="stable")  # an agent's start comes first
    kind = np.append(np.full(len(everyone), JOIN), record.kind[rows])[order]
    cell = np.append(record.starts, record.cell[rows]).astype(np.int64)[order]
    time, agent = np.append(np.zeros(len(everyone)), record.time[rows])[order], agent[order]
    cell[kind == LEAVE] = NOWHERE
    first = np.searchsorted(agent, agent)
    here = _last(np.isin(kind, (JOIN, MOVE, LEAVE)))
    goal = _last(kind == GOAL)
    wants = np.where(goal > first, cell[goal], NOWHERE)  # the first row is the start
    wrong = np.flatnonzero((kind == ARRIVE) & ~((cell[here] == wants) & (wants == cell)))
    wrong = wrong[np.argsort(time[wrong], kind="stable")]
    judge.single("arrive", time[wrong], agent[wrong], cell[wrong])


def _last(marked: Mask) -> NDArray[np.intp]:
    """For each row the last one up to it that is marked."""
    return np.maximum.accumulate(np.where(marked, np.arange(len(marked)), 0))


def _order(judge: Judge, walks: _Walks) -> None:
    """Agents move and leave if they are there, from where they are, join if they are not, and take their time."""
    kind, is_there = walks.kind, walks.before != NOWHERE
    lost = walks.of((kind != JOIN) & ~is_there)
    judge.single("vanished", lost.time, lost.agent)
    odd = walks.of(is_there & ((kind == JOIN) | ((kind == LEAVE) & (walks.before != walks.cell))))
    judge.single("jump", odd.time, odd.agent, odd.before, odd.cell)
    hasty = np.zeros(len(kind), dtype=bool)
    hasty[1:] = walks.is_step[1:] & (walks.time[1:] < walks.ready[:-1] - _SLACK)
    busy = walks.of(hasty)
    judge.single("busy", busy.time, busy.agent, busy.cell)


def _map(judge: Judge, walks: _Walks, stays: _Walks, rows: _Rows) -> None:
    """Nobody moves or appears where the map has no way at that moment; who is caught in a new wall stands in it."""
    entries = walks.of(walks.is_step | (walks.kind == JOIN))
    edits = np.flatnonzero(np.isin(rows.kind, (BLOCK, FREE)))
    done = 0
    for edit in edits.tolist():
        moment, cell, is_free = rows.moment[edit], rows.cell[edit], rows.kind[edit] == FREE
        upto = np.searchsorted(entries.moment, moment)
        _enter(judge, entries.at(slice(done, upto)))
        done = upto
        if judge.free[cell] and not is_free:
            there = slice(*np.searchsorted(stays.cell, (cell, cell + 1)))
            inside = (stays.moment[there] <= moment) & (moment < stays.until[there])
            for agent in stays.agent[there][inside].tolist():
                judge.add("wall", float(rows.time[edit]), [agent], int(cell))
        judge.free[cell] = is_free
    _enter(judge, entries.at(slice(done, None)))


def _enter(judge: Judge, entries: _Walks) -> None:
    walled = entries.of(~judge.is_free(entries.cell))
    judge.single("wall", walled.time, walled.agent, walled.cell)
    steps = entries.of(entries.is_step)
    jump, corner = judge.steps(steps.before, steps.cell)
    for kind, mask in (("jump", jump), ("corner", corner)):
        judge.single(kind, steps.time[mask], steps.agent[mask], steps.before[mask], steps.cell[mask])


def _stays(walks: _Walks) -> _Walks:
    """Who is in a cell from `moment` to `until`, cell by cell."""
    rows = np.flatnonzero(walks.kind != LEAVE)
    rows = rows[np.lexsort((walks.moment[rows], walks.cell[rows]))]
    return walks.at(rows)


def _sharing(judge: Judge, stays: _Walks) -> None:
    """Nobody enters a cell where somebody else is. If no stay begins before the one before has ended, nobody did."""
    odd = (stays.cell[1:] == stays.cell[:-1]) & (stays.moment[1:] < stays.until[:-1])
    for cell in np.unique(stays.cell[1:][odd]).tolist():
        there = slice(*np.searchsorted(stays.cell, (cell, cell + 1)))
        moments, firsts = np.unique(stays.moment[there], return_index=True)
        for moment, time in zip(moments, stays.time[there][firsts].tolist(), strict=True):
            inside = (stays.moment[there] <= moment) & (moment < stays.until[there])
            agents = np.unique(stays.agent[there][inside])
            if len(agents) > 1:
                judge.add("vertex", time, agents, cell)


def _swaps(judge: Judge, walks: _Walks) -> None:
    """No two move along one edge, one each way, at once."""
    moves = walks.of(walks.is_step & (walks.before != walks.cell))
    shared = np.append(False, moves.moment[1:] == moves.moment[:-1])
    moves = moves.of(shared | np.append(shared[1:], False))
    low, high = np.minimum(moves.before, moves.cell), np.maximum(moves.before, moves.cell)
    order = np.lexsort((moves.before < moves.cell, high, low, moves.moment))
    ends = np.stack([moves.moment, low, high])[:, order]
    ways = (moves.before < moves.cell)[order]
    both = np.flatnonzero((ends[:, 1:] == ends[:, :-1]).all(0) & (ways[1:] != ways[:-1]))
    for row in both.tolist():
        agents = np.unique(moves.agent[order][(ends == ends[:, row : row + 1]).all(0)])
        if len(agents) > 1:
            judge.add("swap", float(moves.time[order[row]]), agents, int(ends[1, row]), int(ends[2, row]))


def _crossings(judge: Judge, walks: _Walks) -> None:
    """Two diagonal moves cross if one begins before the other ends."""
    stride = judge.grid.stride
    far = np.abs(walks.cell - walks.before)
    moves = walks.of(walks.is_step & ((far == stride - 1) | (far == stride + 1)))
    is_slash = np.abs(moves.cell - moves.before) == stride - 1
    block = np.minimum(moves.before, moves.cell) - is_slash
    order = np.argsort(block, kind="stable")
    block, ready, time = block[order], moves.ready[order], moves.time[order]
    odd = (block[1:] == block[:-1]) & (ready[:-1] > time[1:] + _SLACK)
    for one in np.unique(block[1:][odd]).tolist():
        there = order[slice(*np.searchsorted(block, (one, one + 1)))]
        for at, row in enumerate(there):
            others = there[:at]
            under_way = (moves.ready[others] > moves.time[row] + _SLACK) & (is_slash[others] != is_slash[row])
            crossed = moves.agent[others[under_way]]
            crossed = crossed[crossed != moves.agent[row]]
            if len(crossed):
                judge.add("crossing", float(moves.time[row]), [*crossed, moves.agent[row]], one, one + stride + 1)
