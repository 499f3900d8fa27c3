"""The task of MAPP: find out who is slidable, let them slide, make a plan of the moves."""

from __future__ import annotations

import time

import numpy as np

from wayfolk.algorithms.planners._move_log import MoveLogTask
from wayfolk.algorithms.planners.mapp.paths import N_CELLS, WORK, SlidePaths, find_path
from wayfolk.algorithms.planners.mapp.steps import ALL_ARRIVED, LEFT, LOG_FULL, NO_PROGRESS, ROUND, Sliding, progress
from wayfolk.kernels.codes import EXHAUSTED, FULL, NOBODY
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Status

ATTEMPTS_BETWEEN_LOOKS = 20_000


class Mapp(MoveLogTask):
    """MAPP under way. A budget counts searches for paths, then attempts of agents to advance."""

    def __init__(self, problem: Problem, *, reach: int) -> None:
        super().__init__(problem)
        self.paths = _new_paths(problem, reach)
        self.is_slidable = np.ones(problem.n_agents, bool)
        self.next_agent, self.has_changed = 0, False
        self.sliding: Sliding | None = None

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Make up to `budget` searches and attempts, fewer if `until` comes first; `unspent` are left then."""
        while budget > 0 and not self.status.is_final:
            if self.sliding is None:
                used = self._search()
                is_ready = self.sliding is not None
            else:
                used = self._slide(min(budget, ATTEMPTS_BETWEEN_LOOKS))
                is_ready = False
            self.counters.expanded += used
            budget -= used
            if is_ready or time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def _search(self) -> int:
        """Search the path of the next agent that may be slidable; begin again as long as some turn out not to be."""
        problem, paths = self.problem, self.paths
        while self.next_agent < problem.n_agents and not self.is_slidable[self.next_agent]:
            self.next_agent += 1
        if self.next_agent < problem.n_agents:
            agent = self.next_agent
            start, goal = int(problem.starts[agent]), int(problem.goals[agent])
            code = find_path(paths, agent, start, goal)
            if code == FULL:
                self.paths = paths._replace(cells=np.concatenate([paths.cells, np.zeros_like(paths.cells)]))
                return 1
            if code == EXHAUSTED:
                self.is_slidable[agent] = False
                self.has_changed = True
                paths.shut[start], paths.owner[goal] = 1, NOBODY
            self.next_agent += 1
        elif self.has_changed:
            self.next_agent, self.has_changed = 0, False
            paths.counts[N_CELLS] = 0
        else:
            self._begin_sliding()
        return 1

    def _begin_sliding(self) -> None:
        n, n_cells = self.problem.n_agents, self.problem.grid.n_cells
        order = np.flatnonzero(self.is_slidable).astype(np.int32)
        job = np.zeros(6, np.int64)
        job[ROUND] = 1
        self.sliding = Sliding(
            order=order[np.argsort(self.paths.lengths[order], kind="stable")],
            at=np.zeros(n, np.int64),
            furthest=np.zeros(n, np.int64),
            private=np.zeros(n_cells, np.int64),
            way=np.zeros(n_cells, np.int32),
            job=job,
        )
        self.counters.generated = int(self.paths.counts[WORK])
        if not len(order):
            self._finish()

    def _slide(self, budget: int) -> int:
        """Let agents advance; return how many attempts they made."""
        assert self.sliding is not None
        code = progress(self.pebbles, self.paths, self.sliding, budget)
        if code == LOG_FULL:
            self.lengthen_log()
        elif code in (ALL_ARRIVED, NO_PROGRESS):
            self._finish()
        return budget - int(self.sliding.job[LEFT])

    def _finish(self) -> None:
        """Make the plan, and say who did not move."""
        problem = self.problem
        if not self.read_log():
            return
        late = np.flatnonzero(self.pebbles.here != problem.goals)
        if not late.size:
            self.status = Status.SOLVED
            return
        self.status = Status.PARTIAL
        names = ", ".join(map(str, late[:20].tolist())) + (", ..." if len(late) > 20 else "")
        self.detail = f"{len(late)} of {problem.n_agents} agents are not slidable and stay at their starts: {names}"
        if self.is_slidable[late].any():
            self.detail = f"slidable agents made no progress; {len(late)} do not arrive: {names}"


def _new_paths(problem: Problem, reach: int) -> SlidePaths:
    """Room for the paths of all agents, who are all thought to be slidable."""
    grid, n, agents = problem.grid, problem.grid.n_cells, problem.n_agents
    taken, owner = np.zeros(n, np.uint8), np.full(n, NOBODY, np.int32)
    taken[problem.starts] = 1
    owner[problem.goals] = np.arange(agents, dtype=np.int32)
    return SlidePaths(
        legal=grid.legal,
        offsets=grid.offsets,
        taken=taken,
        shut=np.zeros(n, np.uint8),
        owner=owner,
        first=np.zeros(agents, np.int64),
        lengths=np.zeros(agents, np.int64),
        cells=np.zeros(4 * n, np.int32),
        seen=np.zeros(8 * n, np.int64),
        came=np.zeros(8 * n, np.int32),
        queue=np.zeros(8 * n, np.int32),
        near_seen=np.zeros(n, np.int64),
        near_came=np.zeros(n, np.int32),
        near_queue=np.zeros(n, np.int32),
        counts=np.zeros(3, np.int64),
        reach=reach,
    )
