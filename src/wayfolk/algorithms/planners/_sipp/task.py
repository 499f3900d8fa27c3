"""The task around the loop of large neighbourhood search: it enlarges arrays and heeds the deadline."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._sipp import repair
from wayfolk.algorithms.planners._sipp.fleet import PHASE, REPAIRS, SippFleet, with_longer_paths
from wayfolk.algorithms.planners._sipp.plan_paths import read_paths
from wayfolk.algorithms.planners._sipp.search import EXPANDED, with_more_labels
from wayfolk.algorithms.planners._sipp.traffic import with_more_visits
from wayfolk.algorithms.task import Task
from wayfolk.errors import TooLarge
from wayfolk.kernels.codes import RUNNING
from wayfolk.machine import available_bytes
from wayfolk.problem.plan import Plan, from_paths
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Counters

FIRST_PORTION, PORTION = 250, 4000  # expansions between two looks at the clock
AGENTS_AT_ONCE = 16  # whose distances are measured between two looks at the clock


class Repairing(Task):
    """A fleet whose agents are replanned a few at a time."""

    fleet: SippFleet
    given: Plan | None = None
    """The plan that it begins with, until all of its paths are read."""
    cells: NDArray[np.int32]
    detail = ""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def expanded(self) -> int:
        """Labels expanded so far; each choice of agents counts as one."""
        return int(self.fleet.tree.counts[EXPANDED])

    def work(self, budget: int, patience: int) -> tuple[int, int]:
        """Run the loop for at most `budget` expansions or until the deadline; the last code, and what is left."""
        portion = FIRST_PORTION
        while True:
            before = self.expanded
            code = repair.work(self.fleet, patience, min(budget, portion))
            budget -= self.expanded - before
            portion = PORTION
            if code in (repair.NEEDS_LABELS, repair.NEEDS_STOPS, repair.NEEDS_VISITS):
                self.enlarge(code)
            elif code != RUNNING or budget <= 0 or perf_counter() >= self.until:
                return code, budget

    def give(self, plan: Plan) -> None:
        """Let the fleet begin with `plan`, which is read later."""
        self.given = plan
        self.cells = np.ascontiguousarray(plan.cells.T)
        self.fleet.counts[PHASE] = repair.WRITE

    def read(self, budget: int) -> int:
        """Read paths of the given plan; what is left of `budget`."""
        while budget > 0 and self.given is not None:
            before = self.expanded
            code = read_paths(self.fleet, self.cells, min(budget, AGENTS_AT_ONCE))
            budget -= self.expanded - before
            if code == repair.DONE:
                self.given, self.cells = None, np.zeros((0, 0), np.int32)
            elif code != RUNNING:
                self.enlarge(code)
            if perf_counter() >= self.until:
                break
        return budget

    def enlarge(self, code: int) -> None:
        """Double the array that is full; raise if the machine has no memory for that."""
        fleet = self.fleet
        labels, paths, visits = fleet.tree.labels, fleet.paths, fleet.visits.visits
        n_bytes = {
            repair.NEEDS_LABELS: 2 * (labels.nbytes + fleet.tree.open.nbytes),
            repair.NEEDS_STOPS: 2 * int(fleet.sizes.sum()) * paths.itemsize,
            repair.NEEDS_VISITS: 2 * visits.nbytes,
        }[code]
        if n_bytes > available_bytes():
            raise TooLarge(f"the search needs {n_bytes / 1e9:.1f} GB more memory than there is")
        if code == repair.NEEDS_LABELS:
            self.fleet = fleet._replace(tree=with_more_labels(fleet.tree))
        elif code == repair.NEEDS_STOPS:
            self.fleet = with_longer_paths(fleet)
        else:
            self.fleet = fleet._replace(visits=with_more_visits(fleet.visits))

    def counters(self) -> Counters:
        """What was done so far."""
        counts = self.fleet.counts
        return Counters(expanded=self.expanded, replans=int(counts[REPAIRS]))

    def plan(self) -> Plan:
        """The paths of all agents; members of a neighbourhood that is being replanned have their old ones."""
        fleet, paths = self.fleet, []
        for row in fleet.runners["row"].tolist():
            stops = fleet.paths[row, : fleet.sizes[row]]
            stays = np.diff(stops["start"], append=stops["start"][-1] + 1)
            paths.append(np.repeat(stops["cell"], stays))
        return from_paths(self.problem.states, paths)
