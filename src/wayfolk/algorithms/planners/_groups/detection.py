"""Independence detection: agents plan alone, groups that collide are planned around each other or merged.

Standley, "Finding optimal solutions to cooperative pathfinding problems", 2010; Standley and Korf, "Complete algorithms for
cooperative pathfinding problems", 2011.

Guarantees  without a cap on the size of groups, a plan of least sum of costs; with one, a plan. IMPOSSIBLE if a group
            has no plan even without the others.
Invariants  every group's paths have no conflicts inside the group. The sum of the groups' `least` is a lower bound. A
            plan is returned only if no two groups collide.
Why         a group of least cost stays so when others join it or plan around it; once groups do not collide, the sum of
            least costs is reached. Two groups that collide again after they tried to avoid each other are merged, so
            there is an end.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._groups.other_paths import OtherPaths, first_conflict, other_paths_of
from wayfolk.algorithms.planners._groups.search import NO_LIMIT, NO_MEMORY, JointSearch, SharedFields
from wayfolk.algorithms.task import Task
from wayfolk.kernels.codes import FOUND, FULL, NOBODY, RUNNING
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT as NO_BUDGET
from wayfolk.problem.result import Counters, Result, Status

Detection = Literal["none", "simple", "enhanced"]
CAP_EXPANSIONS = 50_000
"""Expansions after which a group gives up to plan around all others, and one beyond the cap what can be done otherwise."""
HASTE = 4
"""The largest weight of h in the search of a group beyond the cap, which need not be optimal."""
CAPPED = 5
"""A code beside those of searches: the search has reached its cap."""


class GroupSearch(Protocol):
    """The search for the plan of one group."""

    @property
    def expanded(self) -> int:
        """Expansions so far."""

    @property
    def generated(self) -> int:
        """Nodes made so far."""

    def advance(self, budget: int) -> int:
        """Expand up to `budget` nodes and return a code of `joint`, or NO_MEMORY."""

    def cells(self) -> NDArray[np.int32]:
        """`cells[step, k]` of the k-th agent, once it is FOUND."""


GroupSearches = Generator[GroupSearch, int, Status]
"""Yields a search, gets the code with which it has ended, and returns SOLVED, IMPOSSIBLE or OUT_OF_BUDGET."""


@dataclass(frozen=True)
class Group:
    """Agents that plan together, what their plan costs, and a lower bound of that without the other groups."""

    agents: tuple[int, ...]
    cost: int
    least: int


class Groups(Task):
    """Groups of agents that plan and merge; groups of more than `cap` agents are avoided. `search` is under way."""

    def __init__(self, problem: Problem, detection: Detection, cap: int) -> None:
        self.problem, self.detection, self.cap = problem, detection, cap
        self.ground = SharedFields(problem)
        self.paths = np.zeros((problem.n_agents, 64), np.int32)
        self.ends = np.zeros(problem.n_agents, np.int32)
        self.groups: list[Group] = []
        self.optima: dict[tuple[int, ...], NDArray[np.int32]] = {}
        self.known = 0
        self.counters = Counters()
        self.detail = ""
        self.ending = self.steps()
        self.search: GroupSearch | None = None

    def steps(self) -> GroupSearches:
        """All searches, one after another."""
        return (yield from self.detect())

    def advance(self, budget: int = NO_BUDGET) -> Status:
        """Expand up to `budget` nodes, fewer if `until` comes first; `unspent` are left then. A distance counts as one.

        It returns when an anytime planner has found its first plan.
        """
        had_plan = self.has_plan
        while budget > 0 and not self.status.is_final and self.has_plan == had_plan:
            if self.known < self.problem.n_agents:
                self._measure()
                budget -= 1
            elif self.search is None:
                self._go_on(None)
            else:
                budget -= self._search(self.search, min(budget, 1 << 14))
            if time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def _measure(self) -> None:
        """Compute the distance of one agent."""
        if self.ground.distance(self.known) is None:
            place = self.problem.states.place(int(self.problem.goals[self.known]))
            self.status, self.detail = Status.IMPOSSIBLE, f"agent {self.known} cannot reach its goal {place}"
        self.known += 1

    def _search(self, search: GroupSearch, budget: int) -> int:
        """Expand up to `budget` nodes; the number of expanded nodes."""
        done = search.expanded
        code = search.advance(budget)
        used = search.expanded - done
        self.counters.expanded += used
        if code not in (RUNNING, FULL):
            self.counters.generated += search.generated
            self._go_on(code)
        return used

    def _go_on(self, code: int | None) -> None:
        """Pass on the code of the last search, and get the next search."""
        try:
            self.search = next(self.ending) if code is None else self.ending.send(code)
        except StopIteration as stop:
            self.search, self.status = None, stop.value

    def detect(self) -> GroupSearches:
        """Plan for each agent alone, then resolve conflicts until there are none."""
        self.groups = []
        self.ends[:] = 0
        self.paths[:, 0] = self.problem.starts
        tried: set[tuple[tuple[int, ...], ...]] = set()
        for agent in range(self.problem.n_agents):
            status = yield from self.plan_together((agent,), 0)
            if status is not Status.SOLVED:
                return status
        while True:
            one, other = first_conflict(self.ground.moves, self.paths, self.ends)
            if one == NOBODY:
                return Status.SOLVED
            self.counters.collisions += 1
            status = yield from self._resolve(self.group_of(int(one)), self.group_of(int(other)), tried)
            if status is not Status.SOLVED:
                return status

    def _resolve(self, one: Group, other: Group, tried: set[tuple[tuple[int, ...], ...]]) -> GroupSearches:
        """Let a group avoid the other at the same cost, or all others at any cost if both are too large; or merge."""
        pair = (one.agents, other.agents)
        is_new = pair not in tried
        tried.update([pair, pair[::-1]])
        if is_new and self.detection == "enhanced":
            for group, rest in ((one, other), (other, one)):
                if (yield from self._avoid(group, list(rest.agents), group.cost)):
                    return Status.SOLVED
        if is_new and len(one.agents) + len(other.agents) > self.cap:
            for group in (one, other):
                everyone = [agent for agent in range(self.problem.n_agents) if agent not in group.agents]
                if (yield from self._avoid(group, everyone, NO_LIMIT)):
                    return Status.SOLVED
        self.groups = [group for group in self.groups if group not in (one, other)]
        agents = tuple(sorted(one.agents + other.agents))
        return (yield from self.plan_together(agents, one.least + other.least))

    def _avoid(self, group: Group, others: list[int], limit: int) -> Generator[GroupSearch, int, bool]:
        """Replan for `group` around `others` at a cost of at most `limit`; whether that works."""
        self.counters.replans += 1
        agents = list(group.agents)
        hard, soft = self.traffic(others), self.traffic(self._all_but(agents))
        is_small = len(agents) <= max(self.cap, 1)
        weight = 1 if is_small or limit != NO_LIMIT else HASTE
        search = JointSearch(self.ground, agents, hard=hard, soft=soft, limit=limit, weight=weight)
        if (yield search if is_small and limit != NO_LIMIT else CappedSearch(search)) != FOUND:
            return False
        cost = self._keep(group.agents, search.cells())
        self.groups[self.groups.index(group)] = Group(group.agents, cost, group.least)
        return True

    def plan_together(self, agents: tuple[int, ...], least: int) -> GroupSearches:
        """Make a group of `agents`, with a plan of least cost; beyond the cap, with one of any cost after some patience."""
        if agents in self.optima:
            cost = self._keep(agents, self.optima[agents])
            self.groups.append(Group(agents, cost, cost))
            return Status.SOLVED
        is_small = len(agents) <= max(self.cap, 1)
        for weight in (1,) if is_small else (1, 2, HASTE):
            search = self.new_search(list(agents), weight)
            code = yield search if is_small or weight == HASTE else CappedSearch(search)
            if code != CAPPED:
                break
        if code == NO_MEMORY:
            self.detail = f"memory is full in the search for a group of {len(agents)} agents"
            return Status.OUT_OF_BUDGET
        if code != FOUND:
            self.detail = f"agents {', '.join(map(str, agents))} have no plan, even without the others"
            return Status.IMPOSSIBLE
        cost = self._keep(agents, search.cells())
        if weight == 1:
            self.optima[agents], least = search.cells(), cost
        self.groups.append(Group(agents, cost, least))
        return Status.SOLVED

    def new_search(self, agents: list[int], weight: int) -> GroupSearch:
        """A search for a group that may collide with others, but seldom does."""
        return JointSearch(self.ground, agents, soft=self.traffic(self._all_but(agents)), weight=weight)

    def traffic(self, agents: list[int]) -> OtherPaths:
        """The present paths of `agents`."""
        return other_paths_of(self.ground.moves, self.paths, self.ends, np.array(agents, np.int32))

    def _all_but(self, agents: list[int]) -> list[int]:
        """All agents that have a path, without `agents`."""
        return [agent for group in self.groups for agent in group.agents if agent not in agents]

    def group_of(self, agent: int) -> Group:
        """The group that `agent` is in."""
        return next(group for group in self.groups if agent in group.agents)

    def _keep(self, agents: tuple[int, ...], cells: NDArray[np.int32]) -> int:
        """Take over the paths of a group; their sum of costs."""
        n_steps = len(cells)
        if n_steps > self.paths.shape[1]:
            wider = np.zeros((len(self.paths), 2 * n_steps), np.int32)
            wider[:, : self.paths.shape[1]] = self.paths
            self.paths = wider
        away = ~Plan(self.problem.states, cells).home(self.problem.goals[list(agents)])
        for k, agent in enumerate(agents):
            steps = np.flatnonzero(away[:, k])
            self.ends[agent] = end = int(steps[-1]) + 1 if len(steps) else 0
            self.paths[agent, : end + 1] = cells[: end + 1, k]
        return int(self.ends[list(agents)].sum())

    @property
    def cost(self) -> int:
        """The sum of costs of all groups."""
        return sum(group.cost for group in self.groups)

    @property
    def least(self) -> int:
        """No plan has a smaller sum of costs."""
        return sum(group.least for group in self.groups)

    def plan(self) -> Plan:
        """The present paths as a plan."""
        steps = np.minimum(np.arange(int(self.ends.max(initial=0)) + 1)[:, None], self.ends)
        return Plan(self.problem.states, self.paths[np.arange(len(self.ends)), steps])

    def result(self) -> Result:
        """The plan, once there is one."""
        result = Result(self.status, self.algorithm, options=dict(self.options), detail=self.detail)
        result.counters = Counters(**vars(self.counters))
        if self.status is Status.SOLVED:
            result.plan, result.bound = self.plan(), ratio(self.cost, self.least)
        return result


class CappedSearch:
    """A search that ends as CAPPED after CAP_EXPANSIONS expansions, or if memory is full."""

    def __init__(self, search: GroupSearch) -> None:
        self.search = search
        self.cells = search.cells

    @property
    def expanded(self) -> int:
        """Expansions so far."""
        return self.search.expanded

    @property
    def generated(self) -> int:
        """Nodes made so far."""
        return self.search.generated

    def advance(self, budget: int) -> int:
        """Expand up to `budget` nodes."""
        code = self.search.advance(min(budget, CAP_EXPANSIONS - self.search.expanded))
        if code == NO_MEMORY or (code == RUNNING and self.search.expanded >= CAP_EXPANSIONS):
            return CAPPED
        return code


def ratio(cost: int, least: int) -> float:
    """A cost divided by its lower bound; 1.0 if both are 0."""
    return cost / least if least else 1.0
