"""The judge of runs in the League of Robot Runners: recounts the tasks, and says which rules a run breaks.

A robot goes ahead by one cell, turns by a quarter, or waits. Up to 2024 each action takes one step: no two robots are in
one cell after it, and none swap; following is allowed. In 2026 an action takes `ticks` steps of the clock, and once begun
it can only pause; robots are squares, which must neither overlap at any time nor touch the inside of a wall, so that a
robot may follow another one straight ahead, but not around a corner while it leaves. Robots do not move during delays.

A task is revealed when there are fewer open ones than the instance says. It belongs to the robot that the schedule gives
it to. Its errands are done in order, at most one in a step, and from the first one on it can neither be given to another
robot nor dropped. Whatever a file claims, tasks are counted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadPlan
from wayfolk.judge.plans import Fault, FaultList
from wayfolk.problem.league import AHEAD, CLOCKWISE, COUNTER_CLOCKWISE, NO_TASK, WAIT, League, LeagueRun

NOWHERE = 2**31 - 1
DX, DY = np.array([1, 0, -1, 0]), np.array([0, 1, 0, -1])  # of the headings east, south, west and north
TOUCH = 1e-6  # squares that overlap by less only touch
EVENT = np.dtype([("step", np.int32), ("robot", np.int32), ("task", np.int32), ("n_done", np.int32)])
"""An errand that was done: the step, and how many errands of the task are done now."""

Ints = NDArray[np.int64]


class LeagueFault(Fault):
    """A broken rule of the League."""

    SENTENCES: ClassVar[Mapping[str, str]] = {
        "start": "{who} starts at {0} instead of {1}",
        "heading": "{who} starts with another heading than east",
        "ticks": "an action takes {0} ticks, and {1} by the instance",
        "delayed": "{who} moves during a delay",
        "wall": "{who} goes into a wall at {0}",
        "vertex": "{who} share {0}",
        "swap": "{who} swap {0} and {1}",
        "overlap": "{who} overlap near {0}",
        "task": "{who} gets task {0}, which {1}",
        "dropped": "{who} drops task {0}, which it has begun",
        "claim": "{0} tasks are said to be done, and {1} are",
    }


class LeagueVerdict(NamedTuple):
    """The faults of a run by step, how many tasks were done, and each errand that was done (EVENT)."""

    faults: list[Fault]
    tasks_done: int
    events: NDArray[np.void]


def check_league(run: LeagueRun, league: League, limit: int = 1000) -> LeagueVerdict:
    """Judge `run` as one of the instance `league`; the first `limit` faults are listed."""
    if run.year != league.year:
        raise BadPlan(f"the run is of {run.year}, and the instance of {league.year}")
    judge = LeagueJudge(run, league, limit)
    count = _Ledger2023(judge) if run.year == 2023 else _Ledger(judge)
    count.after_step(0, judge.cell)
    for step in range(1, run.n_steps + 1):
        judge.move(step)
        count.after_step(step, judge.cell)
        if len(judge.faults) >= limit:
            break
    if len(judge.faults) < limit and count.n_done != run.n_done:
        judge.note("claim", run.n_steps, [], run.n_done, count.n_done)
    events = np.array(count.events, EVENT)
    return LeagueVerdict(judge.verdict(), count.n_done, events)


class LeagueJudge(FaultList):
    """Where robots are, step by step, and the faults found so far."""

    fault = LeagueFault

    def __init__(self, run: LeagueRun, league: League, limit: int) -> None:
        super().__init__(league.grid, limit)
        self.run, self.league, grid = run, league, league.grid
        self.free = np.pad(grid.free, 1).ravel()
        self.forward = DY * grid.stride + DX
        self.cell, self.heading = run.starts.astype(np.int64), run.headings.astype(np.int64)
        self.under_way = np.full(run.n_robots, WAIT)  # the action that has begun
        self.counter = np.zeros(run.n_robots, np.int64)
        self.compare("start", self.cell, league.starts, 0)
        turned = np.flatnonzero(run.headings)
        self.single("heading", np.zeros(len(turned), np.int64), turned)
        if run.ticks != league.ticks:
            self.note("ticks", 0, [], run.ticks, league.ticks)
        self.held = np.zeros((0, 3), np.int64)
        if run.held:
            rows = [(robot, *pair) for robot, pairs in enumerate(run.held) for pair in pairs.tolist()]
            self.held = np.array(rows, np.int64).reshape(-1, 3)

    def note(self, kind: str, step: int, robots: list[int], *about: object) -> None:
        """Add a fault that is about something else than places."""
        self.faults.append(LeagueFault(kind, step, tuple(robots), about))

    def move(self, step: int) -> None:
        """Carry out the actions that lead to `step`, and judge them."""
        action = self.run.actions[step - 1].astype(np.int64)
        late = self.held[(self.held[:, 1] < step) & (step <= self.held[:, 2]), 0]
        late = late[action[late] != WAIT]
        self.single("delayed", np.full(len(late), step), late)
        before, offset = self.cell, self._offsets()
        begun = (self.counter > 0) & (action != WAIT)
        action = np.where(begun, self.under_way, action)
        acts = action != WAIT
        self.counter = self.counter + acts
        self.under_way = np.where(acts, action, self.under_way)
        is_over = acts & (self.counter >= self.run.ticks)
        self.counter[is_over] = 0
        goes, turned = is_over & (action == AHEAD), (action == CLOCKWISE) * 1 - (action == COUNTER_CLOCKWISE)
        self.cell = before + np.where(goes, self.forward[self.heading], 0)
        heading = np.where(is_over, self.heading + turned, self.heading) % 4
        moving = acts & (action == AHEAD)
        ahead = before + np.where(moving, self.forward[self.heading], 0)
        inside = (ahead >= 0) & (ahead < len(self.free))
        walls = np.flatnonzero(moving & ~(inside & self.free[np.where(inside, ahead, 0)]))
        self.single("wall", np.full(len(walls), step), walls, np.clip(ahead[walls], 0, len(self.free) - 1))
        if self.run.year == 2026:
            self._overlaps(step, before, offset)
        else:
            self._meetings(step, before)
        self.heading = heading

    def _offsets(self) -> NDArray[np.float64]:
        """How far each square is ahead of its cell."""
        return np.where(self.under_way == AHEAD, self.counter / self.run.ticks, 0.0)

    def _meetings(self, step: int, before: Ints) -> None:
        """Two robots in one cell, or swapping."""
        order = np.argsort(self.cell, kind="stable")
        same = np.flatnonzero(self.cell[order][1:] == self.cell[order][:-1])
        for k in same[: self.limit].tolist():
            self.add("vertex", step, [order[k], order[k + 1]], int(self.cell[order[k]]))
        moved = np.flatnonzero(self.cell != before)
        size = len(self.free)
        to, back = before[moved] * size + self.cell[moved], self.cell[moved] * size + before[moved]
        _, one, other = np.intersect1d(to, back, assume_unique=False, return_indices=True)
        for k in np.flatnonzero(one < other)[: self.limit].tolist():
            pair = [int(moved[one[k]]), int(moved[other[k]])]
            self.add("swap", step, pair, int(before[pair[0]]), int(self.cell[pair[0]]))

    def _overlaps(self, step: int, before: Ints, offset: NDArray[np.float64]) -> None:
        """Pairs of squares that overlap at some time during the step."""
        stride, n = self.league.grid.stride, len(before)
        corner = np.stack([before % stride, before // stride], 1).astype(np.float64)
        direction = np.stack([DX[self.heading], DY[self.heading]], 1)
        begin = corner + offset[:, None] * direction
        ahead = np.where(self.cell != before, 1.0, self._offsets())
        end = corner + ahead[:, None] * direction
        next_cell = before + np.where((offset > 0) | (ahead > 0), self.forward[self.heading], 0)
        robots, cells = np.tile(np.arange(n), 2), np.concatenate([before, next_cell])
        order = np.lexsort((robots, cells))
        robots, cells = robots[order], cells[order]
        pairs: set[tuple[int, int]] = set()
        for shift in range(1, len(order)):
            same = np.flatnonzero(cells[shift:] == cells[:-shift])
            if not same.size:
                break
            one, other = robots[same], robots[same + shift]
            hit = (one != other) & self._collide(begin[one], end[one], begin[other], end[other])
            pairs |= set(zip(one[hit].tolist(), other[hit].tolist(), strict=True))
        for pair in sorted(pairs)[: self.limit]:
            self.add("overlap", step, pair, int(before[pair[0]]))

    def _collide(
        self, a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Whether a square that goes from `a` to `b` overlaps one that goes from `c` to `d` at the same time."""
        size = self.league.size
        first, last = np.zeros(len(a)), np.ones(len(a))
        for axis in range(2):
            apart, change = (a - c)[:, axis], ((b - a) - (d - c))[:, axis]
            still = np.abs(change) < TOUCH
            rate = np.where(still, 1.0, change)
            one, other = (-size - apart) / rate, (size - apart) / rate
            near = np.abs(apart) < size - TOUCH
            slack = TOUCH / np.abs(rate)
            first = np.maximum(first, np.where(still, np.where(near, 0.0, 2.0), np.minimum(one, other) + slack))
            last = np.minimum(last, np.where(still, 1.0, np.maximum(one, other) - slack))
        overlap: NDArray[np.bool_] = first <= last
        return overlap


class _Ledger:
    """Which tasks are revealed, who has them, and which errands are done, as of 2024 and 2026."""

    def __init__(self, judge: LeagueJudge) -> None:
        self.judge, self.league, self.schedule = judge, judge.league, judge.run.schedule
        self.at = 0  # rows of the schedule that are used
        self.task = np.full(judge.run.n_robots, NO_TASK)
        self.target = np.full(judge.run.n_robots, NOWHERE)
        self.owner: dict[int, int] = {}  # the robots of tasks that were opened
        self.n_errands: dict[int, int] = {}  # errands done of tasks that are not finished
        self.finished: set[int] = set()
        self.n_revealed = self.n_done = 0
        self.events: list[tuple[int, int, int, int]] = []

    def after_step(self, step: int, cell: Ints) -> None:
        """Give out tasks and note what is done, with robots at `cell` after `step`."""
        if self.league.year == 2024:
            self._give_out(step)
            self._visit(step, cell)
        else:
            self._visit(step, cell)
        while self.n_revealed - self.n_done < self.league.n_revealed:
            self.n_revealed += 1
        if self.league.year == 2026:
            self._give_out(step)

    def _give_out(self, step: int) -> None:
        """Follow the schedule; rows of one step hold together."""
        begin = self.at
        while self.at < len(self.schedule) and self.schedule[self.at]["step"] <= step:
            self.at += 1
        rows = [(int(row["robot"]), int(row["task"])) for row in self.schedule[begin : self.at]]
        for robot, _ in rows:
            dropped = int(self.task[robot])
            if self.n_errands.get(dropped, 0) and dict(rows)[robot] != dropped:
                self.judge.note("dropped", step, [robot], dropped)
            self.task[robot], self.target[robot] = NO_TASK, NOWHERE
        holders = {int(task): robot for robot, task in enumerate(self.task.tolist()) if task != NO_TASK} if rows else {}
        for robot, task in rows:
            if task == NO_TASK:
                continue
            if task >= self.n_revealed or task in self.finished:
                self.judge.note("task", step, [robot], task, "is not open")
            elif holders.get(task, robot) != robot or self.owner.get(task, robot) != robot:
                self.judge.note("task", step, [robot], task, "belongs to another robot")
            else:
                holders[task] = robot
                self.task[robot] = task
                self.target[robot] = self.league.errands(task)[self.n_errands.get(task, 0)]

    def _visit(self, step: int, cell: Ints) -> None:
        """Let each robot that is where its next errand is have done it."""
        for robot in np.flatnonzero(cell == self.target).tolist():
            task = int(self.task[robot])
            self.owner[task] = robot
            done = self.n_errands[task] = self.n_errands.get(task, 0) + 1
            self.events.append((step, robot, task, done))
            errands = self.league.errands(task)
            if done < len(errands):
                self.target[robot] = errands[done]
                continue
            self.n_done += 1
            self.finished.add(task)
            del self.n_errands[task]
            self.task[robot], self.target[robot] = NO_TASK, NOWHERE


class _Ledger2023:
    """Which tasks each robot gets by the rules of 2023, and which are done."""

    def __init__(self, judge: LeagueJudge) -> None:
        self.league, n = judge.league, judge.run.n_robots
        self.lists: list[list[int]] = [[] for _ in range(n)]  # the tasks of each robot, the next one first
        self.n_given, self.n_all, self.n_done = np.zeros(n, np.int64), 0, 0
        self.target = np.full(n, NOWHERE)
        self.events: list[tuple[int, int, int, int]] = []
        self._give_out(range(n))

    def after_step(self, step: int, cell: Ints) -> None:
        """Note what is done, and give out the next tasks, with robots at `cell` after `step`."""
        if step == 0:
            return
        done = np.flatnonzero(cell == self.target).tolist()
        for robot in done:
            self.events.append((step, robot, self.lists[robot].pop(0), 1))
            self.n_done += 1
        self._give_out(done)

    def _give_out(self, robots: range | list[int]) -> None:
        league, n, n_tasks = self.league, len(self.lists), len(self.league.tasks)
        for robot in robots:
            while len(self.lists[robot]) < league.n_revealed:
                number = int(self.n_given[robot]) * n + robot if league.assignment != "greedy" else self.n_all
                if league.assignment != "roundrobin" and number >= n_tasks:
                    break
                self.lists[robot].append(number)
                self.n_given[robot] += 1
                self.n_all += 1
            self.target[robot] = league.errands(self.lists[robot][0])[0] if self.lists[robot] else NOWHERE
