"""The judge of simulations: which rules a record breaks. Like the judge of plans it imports no algorithm.

The whole record is judged at once, as columns: which agent was in which cell from which moment to which, and which moved
along which edge. Cells and blocks in which two agents may meet are then examined one by one. A slower judge in the tests,
which plays the rows one after another, must find the same faults.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.judge.plans import NOWHERE, Fault, Ints, Judge, Mask
from wayfolk.kernels.codes import ARRIVE, BLOCK, FREE, GOAL, JOIN, LEAVE, MOVE, REFUSED, THOUGHT
from wayfolk.problem.record import DISTANCE, STEPS, TURNS, Record
from wayfolk.world.grid import Grid

_SLACK = 1e-6  # clocks that add up small ticks are allowed to be this early
_FOR_EVER = np.iinfo(np.int64).max

Times = NDArray[np.float64]


def check_record(record: Record, *, limit: int = 1000) -> list[Fault]:
    """Return the first `limit` faults of a simulation, by time; an empty list is a legal run.

    In the `steps` model whatever changes the map or the agents at some time comes before the moves of that time, which
    happen at once. In the `distance` model rows happen one after another, an agent is in a cell from the moment it
    begins to move there, and a move takes as long as its length. A refused move must not have changed anything.

    In the `turns` model rows happen one after another as well. All times are multiples of the tick, which is one turn. In
    each turn an agent acts at most once, be its move made or refused, and agents act in the order of their numbers.
    Diagonals may cross, as no two agents move at the same time.

    Two agents cross if one begins a move along a diagonal of a 2 x 2 block of cells while another is on a move along its
    other diagonal. A move begins when its agent is ready, at most one tick before the tick at which it is logged. In the
    `steps` model it lasts one step, in the `distance` model as long as its length. It ends earlier if its agent leaves.
    The moment at which a move ends is not part of it: a crossing move may begin at that very tick. Two moves that begin
    at the same tick cross.

    Where agents are not points on a square grid, records are in steps, and each step is judged as that of a plan is.

    A record that begins in the middle of a run does not tell when its agents became ready: up to one tick before, it is
    assumed, so that a legal run has no faults wherever its record begins.
    """
    if not isinstance(record.states, Grid):
        from wayfolk.judge.state_records import check_state_record

        return check_state_record(record, limit)
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
    if record.model == TURNS:
        _turns(judge, record)
    else:
        _crossings(judge, walks)
    return judge.verdict()


def _refuse_nonsense(record: Record) -> None:
    """Raise BadInput if a row has values that no record can have."""
    if record.model not in (STEPS, DISTANCE, TURNS):
        raise BadInput(f"there is no time model {record.model!r}: choose {STEPS}, {DISTANCE} or {TURNS}")
    grid, n_agents, edits = record.grid, len(record.starts), np.isin(record.kind, (BLOCK, FREE))
    x, y = grid.places(record.cell).T
    outside = (x < 0) | (y < 0) | (x >= grid.width) | (y >= grid.height)
    wrong = {
        "a time that is not a number from 0": ~(np.isfinite(record.time) & (record.time >= 0)),
        "a time before that of the row above": np.diff(record.time, prepend=0.0) < 0,
        "a time between two steps": (record.time != np.rint(record.time)) & (record.model == STEPS),
        "a time between two turns": (np.abs(_turn_of(record) * record.tick - record.time) > _SLACK)
        & (record.model == TURNS),
        f"an unknown kind, of {THOUGHT + 1}": record.kind > THOUGHT,
        f"an unknown agent, of {n_agents}": ((record.agent < 0) | (record.agent >= n_agents)) & ~edits,
        "an edit outside the map": outside & edits,
    }
    for what, rows in wrong.items():
        if rows.any():
            raise BadInput(f"row {int(rows.argmax())} of the record has {what}")


def _turn_of(record: Record) -> Times:
    """Return the turn of each row."""
    return np.rint(record.time / record.tick)


class _Rows(NamedTuple):
    """What happened to agents and to the map, in order. Rows with one `moment` happen at once."""

    moment: Ints
    time: Times
    agent: Ints
    kind: Ints
    cell: Ints


class _Walks(NamedTuple):
    """Rows of the kinds JOIN, MOVE and LEAVE, agent by agent and in order."""

    moment: Ints
    time: Times
    agent: Ints
    kind: Ints
    cell: Ints
    before: Ints
    """Where the agent was before: NOWHERE if it was not present."""
    until: Ints
    """The moment of the agent's next row."""
    ready: Times
    """When the move is over and the agent may move again."""

    def of(self, mask: Mask) -> _Walks:
        """Return the rows in `mask`, by moment."""
        rows = np.flatnonzero(mask)
        return self.at(rows[np.argsort(self.moment[rows], kind="stable")])

    def at(self, rows: NDArray[np.intp] | slice) -> _Walks:
        """Return those of some rows."""
        columns: Any = (column[rows] for column in self)
        return _Walks(*columns)

    @property
    def is_step(self) -> Mask:
        """Which rows are moves of agents that were present."""
        return np.asarray((self.kind == MOVE) & (self.before != NOWHERE))


def _rows(record: Record) -> _Rows:
    """Return the rows that matter here. All agents that are present at the start join at time 0."""
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
    if record.model == TURNS:  # an action takes the whole turn
        begins = np.ones(len(cell), dtype=bool)
        begins[1:] = ~same
        clock = np.where(walks.is_step, time + record.tick, np.where(kind == JOIN, time, 0.0))
        return walks._replace(ready=clock[_last(walks.is_step | (kind == JOIN) | begins)])
    late = record.tick if record.model == DISTANCE else 0.0  # how long a move may have begun before its row
    ready = _clocks(walks, late, first=-late if record.began else 0.0)
    leaves = np.flatnonzero(same & (kind[1:] == LEAVE))
    ready[leaves] = np.minimum(ready[leaves], time[leaves + 1])  # a move is over when its agent leaves
    return walks._replace(ready=ready)


def _clocks(walks: _Walks, late: float, first: float) -> Times:
    """Return when each agent is ready again after each of its rows; `walks.ready` holds the lengths of moves.

    Agents that are present at the start are ready at the time `first`.
    """
    ready = []
    now, one = 0.0, -1
    columns = (walks.agent, walks.kind, walks.time, walks.ready, walks.is_step)
    for agent, kind, time, length, is_step in zip(*(column.tolist() for column in columns), strict=True):
        if agent != one:
            now, one = 0.0, agent
        if is_step:
            now = length + (time if now > time else now if now > time - late else time - late)
        elif kind == JOIN:
            now = time or first
        ready.append(now)
    return np.array(ready, dtype=np.float64)


def _arrivals(judge: Judge, record: Record) -> None:
    """An agent that is logged to arrive must be in that cell, and it must be its goal. Rows count in their order."""
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
    """Return for each row the last marked one up to it."""
    return np.maximum.accumulate(np.where(marked, np.arange(len(marked)), 0))


def _order(judge: Judge, walks: _Walks) -> None:
    """Agents that are present may move and leave, from where they are, when ready; others may join."""
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
    """No agent moves or appears where the map at that moment forbids it, or is in a cell that becomes a wall."""
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
    """Return which agent is in a cell from `moment` to `until`, cell by cell."""
    rows = np.flatnonzero(walks.kind != LEAVE)
    rows = rows[np.lexsort((walks.moment[rows], walks.cell[rows]))]
    return walks.at(rows)


def _sharing(judge: Judge, stays: _Walks) -> None:
    """No agent enters a cell where another one is. Cells where no stay begins before the last ended need no look."""
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
    """No two agents move along one edge, one each way, at once."""
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


def _turns(judge: Judge, record: Record) -> None:
    """In one turn no agent acts twice, or after one with a larger number."""
    rows = np.flatnonzero(np.isin(record.kind, (MOVE, REFUSED)))
    turn, agent = _turn_of(record)[rows], record.agent[rows].astype(np.int64)
    early = np.flatnonzero((turn[1:] == turn[:-1]) & (agent[1:] <= agent[:-1])) + 1
    judge.single("turn", record.time[rows[early]], agent[early], record.cell[rows[early]])


def _crossings(judge: Judge, walks: _Walks) -> None:
    """Two moves on the two diagonals of a block cross if the later one begins before the earlier one is over."""
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
