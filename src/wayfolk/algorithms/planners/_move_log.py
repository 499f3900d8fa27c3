"""What planners share whose agents move one after another: the log of their moves, which becomes a plan."""

from __future__ import annotations

from wayfolk.algorithms.planners._parallel import TooLong, plan_of
from wayfolk.algorithms.planners._pebbles import N_MOVES, new_pebbles, with_longer_log
from wayfolk.algorithms.task import Task
from wayfolk.machine import available_bytes
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Counters, Result, Status


class MoveLogTask(Task):
    """A task that moves agents as pebbles, one at a time."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.pebbles = problem, new_pebbles(problem)
        self.counters = Counters()
        self.detail = ""
        self.plan: Plan | None = None

    def lengthen_log(self) -> None:
        """Make room for twice as many moves; end if they do not fit into memory."""
        if 4 * self.pebbles.log.nbytes > available_bytes():
            self._stop_for_memory(f"the log of {len(self.pebbles.log)} moves")
        else:
            self.pebbles = with_longer_log(self.pebbles)

    def read_log(self) -> bool:
        """Make the plan of the log; end if it does not fit into memory: False then."""
        moves = self.pebbles.log[: self.pebbles.counts[N_MOVES]]
        try:
            self.plan = plan_of(self.problem.states, self.problem.starts, moves)
        except TooLong as error:
            self._stop_for_memory(str(error))
        return self.plan is not None

    def _stop_for_memory(self, what: str) -> None:
        self.status, self.detail = Status.OUT_OF_BUDGET, f"out of memory: {what}"

    def result(self) -> Result:
        """The plan, once there is one."""
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=self.counters)
        result.plan, result.detail = self.plan, self.detail
        return result
