"""What a panel shows at one time: where agents are, which walls stand, what a search knows. For films and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import ARRIVE, BLOCK, FREE, GOAL, JOIN, LEAVE, MOVE, NOWHERE
from wayfolk.problem import trace as rows_of
from wayfolk.problem.record import STEPS, Record
from wayfolk.problem.trace import Trace
from wayfolk.replay import colours
from wayfolk.world.grid import Moves

if TYPE_CHECKING:
    from wayfolk.replay import Track


class Legs(NamedTuple):
    """All stays and moves, by agent and then time: from which cell to which, and how long the move takes."""

    agent: NDArray[np.int64]
    time: NDArray[np.float64]
    cell_from: NDArray[np.int64]
    cell_to: NDArray[np.int64]
    span: NDArray[np.float64]


class Moments:
    """A panel at any time."""

    def __init__(self, track: Track) -> None:
        record = track.record
        assert isinstance(record, Record)  # `moments_of` tells them apart
        self.track, self.record, self.trace = track, record, track.trace
        self.grid = record.grid
        self.n_agents = len(record.starts)
        self.end = float(max(record.end, record.time.max(initial=0.0)))
        self.legs = _legs(record)
        self.wall_rows = np.flatnonzero(np.isin(record.kind, (BLOCK, FREE)))
        self.goal_rows = np.flatnonzero(np.isin(record.kind, (GOAL, ARRIVE)))
        self._search = None if track.trace is None else SearchColours(track.trace)

    def agents(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The places of all agents at `t` in fractions of cells, and which of them are in the world."""
        rows, part = self._legs_at(t)
        here = self.legs.cell_to[rows] != NOWHERE
        begin, end = self._places(self.legs.cell_from[rows]), self._places(self.legs.cell_to[rows])
        return begin + part[:, None] * (end - begin), here

    def _legs_at(self, t: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """For each agent the row of its move or stay at `t`, and how much of it is over."""
        legs = self.legs
        rows = np.searchsorted(
            _key(legs.agent, legs.time, self.end), _key(np.arange(self.n_agents), t, self.end), "right"
        )
        rows = np.maximum(rows - 1, 0)
        over = np.clip((t - legs.time[rows]) / np.maximum(legs.span[rows], 1e-9), 0, 1)
        return rows, np.where(legs.span[rows] > 0, over, 1.0)

    def stops(self, agent: int) -> tuple[list[float], list[list[float]]]:
        """When the moves of an agent begin and end, and where it is then."""
        times, cells = self.cells_at(agent)
        return times, self._places(cells).tolist()

    def cells_at(self, agent: int) -> tuple[list[float], NDArray[np.int64]]:
        """When the moves of an agent begin and end, and in which cells it is then; first of all it is where it starts."""
        legs = self.legs
        first, last = np.searchsorted(legs.agent, (agent, agent + 1)).tolist()
        rows = slice(first + 1, last)
        both = np.stack([legs.time[rows], legs.time[rows] + legs.span[rows]], axis=1).ravel()
        times = np.concatenate([[0.0], np.minimum(np.maximum.accumulate(np.maximum(both, 0.0)), self.end)])
        cells = np.stack([legs.cell_from[rows], legs.cell_to[rows]], axis=1).ravel()
        return times.tolist(), np.concatenate([legs.cell_to[first : first + 1], cells])

    def paths(self, agent: int) -> list[list[list[float]]]:
        """The places of an agent one after another, without those of its absence; in several parts if a line has gaps."""
        return [self._places(self._entered(agent)).tolist()]

    def _entered(self, agent: int) -> NDArray[np.int64]:
        """The cells of an agent one after another."""
        legs = self.legs
        rows = slice(*np.searchsorted(legs.agent, (agent, agent + 1)).tolist())
        entered: NDArray[np.int64] = legs.cell_to[rows][legs.cell_to[rows] != NOWHERE]
        return entered

    def _places(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        y, x = np.divmod(np.where(cells == NOWHERE, 0, cells), self.grid.stride)
        return np.stack([x - 1.0, y - 1.0], 1)

    def goals(self, t: float) -> NDArray[np.int64]:
        """The goal of each agent at `t`, NOWHERE if it has none or has arrived."""
        record, goals = self.record, np.full(self.n_agents, NOWHERE, np.int64)
        rows = self.goal_rows[record.time[self.goal_rows] <= t]
        goals[record.agent[rows]] = np.where(record.kind[rows] == GOAL, record.cell[rows], NOWHERE)
        return goals

    def floor(self, t: float) -> NDArray[np.uint8]:
        """The colours of all cells at `t`: `[y, x, 3]`."""
        grid, record = self.grid, self.record
        free = grid._free.copy()
        rows = self.wall_rows[record.time[self.wall_rows] <= t]
        free[record.cell[rows]] = record.kind[rows] == FREE
        floor = np.empty((grid.n_cells, 3), np.uint8)
        floor[:] = colours.WALL
        floor[free] = colours.FLOOR
        if self._search is not None:
            self._search.paint(floor, free, t)
        return floor.reshape(-1, grid.stride, 3)[1:-1, 1:-1]

    def route(self, t: float) -> list[tuple[float, float]]:
        """The points of the path as far as it has grown at `t`, none before a search has ended."""
        trace = self.trace
        if trace is None or trace.result.path is None or len(trace.walk) or t <= trace.end:
            return []
        points = np.array(trace.result.path, np.float64)
        if len(points) < 2:
            return []
        lengths = np.hypot(*np.diff(points, axis=0).T)
        so_far = np.concatenate([[0.0], np.cumsum(lengths)])
        reach = so_far[-1] * min(1.0, 1.25 * (t - trace.end) / max(self.end - trace.end, 1e-9))
        inside = points[so_far <= reach]
        tip = [np.interp(reach, so_far, points[:, k]) for k in range(2)]
        return [(float(x), float(y)) for x, y in [*inside, tip]]


def _legs(record: Record) -> Legs:
    rows = np.flatnonzero(np.isin(record.kind, (MOVE, JOIN, LEAVE)))
    n = len(record.starts)
    agent = np.concatenate([np.arange(n), record.agent[rows]]).astype(np.int64)
    time = np.concatenate([np.full(n, -1.0), record.time[rows]])
    kind = np.concatenate([np.full(n, JOIN), record.kind[rows]])
    to = np.concatenate([record.starts, np.where(record.kind[rows] == LEAVE, NOWHERE, record.cell[rows])]).astype(
        np.int64
    )
    order = np.lexsort((np.arange(len(agent)), time, agent))
    agent, time, kind, to = agent[order], time[order], kind[order], to[order]
    before = np.concatenate([to[:1], to[:-1]])
    glides = (kind == MOVE) & (before != NOWHERE)
    start = np.where(glides, before, to)
    down = np.abs(to // record.grid.stride - start // record.grid.stride)
    across = np.abs(to % record.grid.stride - start % record.grid.stride)
    length = np.minimum(down, across) * (record.grid.diagonal - 1.0) + np.maximum(down, across)
    return Legs(agent, time, start, to, np.where(glides, 1.0 if record.model == STEPS else length, 0.0))


def _key(agent: NDArray[np.int64], time: NDArray[np.float64] | float, end: float) -> NDArray[np.float64]:
    """One number to sort by agent, then time."""
    key: NDArray[np.float64] = np.asarray(agent * (end + 4.0) + np.minimum(time, end + 1.0) + 1.0, np.float64)
    return key


class SearchColours:
    """The colours of a search at any time; what takes long is computed once."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.grid = trace, trace.grid
        kind = trace.rows["kind"]
        closings = np.isin(kind, (rows_of.CLOSED, rows_of.CLOSED_BACK))
        self.order = np.cumsum(closings) / max(1, closings.sum())
        self.is_state = ~np.isin(kind, (rows_of.SCANNED, rows_of.LEARNED))
        self.is_learned = kind == rows_of.LEARNED
        self.rise = np.where(self.is_learned, trace.rows["h"] - _guess(trace, trace.rows["cell"]), 0.0)
        self.most = max(float(self.rise.max(initial=0.0)), 1e-9)
        self.scanned_at = np.full(self.grid.n_cells, np.inf)
        for run in trace.of(rows_of.SCANNED)[::-1]:  # the first scan of a cell is written last
            self.scanned_at[run_cells(run, self.grid.stride)] = run["time"]

    def paint(self, floor: NDArray[np.uint8], free: NDArray[np.bool_], t: float) -> None:
        """Colour what the search knows at `t`."""
        rows, n = self.trace.rows, int(np.searchsorted(self.trace.rows["time"], t, "right"))
        floor[(self.scanned_at <= t) & free] = colours.SCANNED
        state, order = np.full(len(free), rows_of.FORGOTTEN, np.uint8), np.zeros(len(free))
        named = np.flatnonzero(self.is_state[:n])
        state[rows["cell"][named]] = rows["kind"][named]
        order[rows["cell"][named]] = self.order[named]
        for code, ends in (
            (rows_of.OPENED, (colours.OPEN, colours.OPEN)),
            (rows_of.OPENED_BACK, (colours.OPEN_BACK, colours.OPEN_BACK)),
            (rows_of.CLOSED, colours.CLOSED),
            (rows_of.CLOSED_BACK, colours.CLOSED_BACK),
        ):
            _blend(floor, np.flatnonzero((state == code) & free), ends, order)
        learned, rise = np.flatnonzero(self.is_learned[:n]), np.zeros(len(free))
        rise[rows["cell"][learned]] = self.rise[learned]
        _blend(floor, np.flatnonzero((rise > 1e-6) & free), colours.LEARNED, np.minimum(rise / self.most, 1.0))


def run_cells(run: NDArray[np.void] | np.void, stride: int) -> NDArray[np.int64]:
    """The cells of a scanned run."""
    first, last = int(run["cell"]), int(run["other"])
    down, across = last // stride - first // stride, last % stride - first % stride
    step = int(np.sign(down)) * stride + int(np.sign(across))
    return first + np.arange(max(abs(down), abs(across)) + 1) * step


def _blend(
    floor: NDArray[np.uint8],
    cells: NDArray[np.intp],
    ends: tuple[colours.Colour, colours.Colour],
    part: NDArray[np.float64],
) -> None:
    first, last = (np.array(end, np.float64) for end in ends)
    floor[cells] = np.rint(first + part[cells, None] * (last - first)).astype(np.uint8)


def _guess(trace: Trace, cells: NDArray[np.int32]) -> NDArray[np.float64]:
    """The distance to the goal on an empty map."""
    grid = trace.grid
    down = np.abs(cells // grid.stride - trace.goal // grid.stride)
    across = np.abs(cells % grid.stride - trace.goal % grid.stride)
    if grid.moves is Moves.FOUR:
        return np.asarray(down + across, np.float64)
    return np.asarray(np.maximum(down, across) + (grid.diagonal - 1.0) * np.minimum(down, across), np.float64)
