"""The high level of EECBS: explicit estimation search over three lists of nodes.

*Cleanup* has all open nodes by their lower bound, *open* by their estimated cost, and *focal* those that cost at most w
times the least lower bound, by their number of conflicts. The next node is the first of focal, if its estimate is within
the bound too. Else a plan within the bound is unlikely below it, and three nodes take turns: the first of cleanup, which
raises the bound; the first of open, if its estimate is within the bound; and the first of focal. Without estimates this is
ECBS: always the first of focal.
"""

from __future__ import annotations

import heapq

from wayfolk.algorithms.planners._cbs import tables as tb
from wayfolk.algorithms.planners._cbs.low_level import replan
from wayfolk.algorithms.planners._cbs.nodes import Portions
from wayfolk.algorithms.planners._cbs.routes import retake
from wayfolk.algorithms.planners._cbs.search import ConflictSearch, Tricks
from wayfolk.algorithms.planners.eecbs.plan_repair import PlanRepair
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Result, Status

SLACK = 1e-9  # of the products of w and whole numbers
HELPFUL = 0.97  # a round of routes at the root leaves at most this share of the conflicts, or it is the last
LEAST_LEFT = 0.2  # a split is estimated to resolve at least so many conflicts


class BoundedSearch(ConflictSearch):
    """A search for a plan that costs at most `w` times the optimum."""

    def __init__(
        self, problem: Problem, tricks: Tricks, *, w: float, learns: bool, seed: int = 0, repairs: bool = False
    ) -> None:
        super().__init__(problem, tricks, w=w)
        self.learns, self.seed, self.repairs = learns, seed, repairs
        self.lower = 0  # the least lower bound when a node was taken last
        self.plan_repair: PlanRepair | None = None
        self.plan: Plan | None = None
        self.likely: list[tuple[float, int, int]] = []  # the list that is called open
        self.cleanup: list[tuple[int, int, int]] = []
        self.waiting: list[tuple[int, int, int]] = []  # open nodes that cost too much for focal yet
        self.focal: list[tuple[int, float, int]] = []
        self.estimates: dict[int, float] = {}  # of the open nodes
        self.unsettled: list[int] = []  # agents that plan again at the root
        self.turn = 0
        self.n_last = 1 << 30  # conflicts at the root before the last round
        self.n_samples, self.cost_error, self.conflict_error = 0, 0.0, 0.0

    def _plant(self) -> None:
        super()._plant()
        self._begin_round()

    def _begin_round(self) -> None:
        """Let all agents that have conflicts at the root plan once more, if the last round has helped."""
        self._find_conflicts()
        s = self.tables
        n_conflicts, before = int(s.tree[tb.ROOT]["n_conflicts"]), self.n_last
        self.n_last = n_conflicts
        if n_conflicts < HELPFUL * before:
            conflicts = s.conflicts[: s.counts[tb.N_CONFLICTS]]
            self.unsettled = sorted({*conflicts["one"].tolist(), *conflicts["other"].tolist()}, reverse=True)
        else:
            self.estimates.clear()
            self._push(tb.ROOT)
            if self.repairs and n_conflicts > 0:
                self.plan_repair = PlanRepair(self.problem, self._plan_of(tb.ROOT), self.seed)

    def _prepare(self) -> Portions[bool]:
        """Improve the routes of the root before the tree grows, or let the neighbourhood search have its turn."""
        if self.unsettled:
            yield from self._settle()
            return True
        if self.plan_repair is None or not self.plan_repair.is_due:
            return False
        self.plan_repair.advance(self.until)
        if not self.plan_repair.is_due:  # only then, so that a pause during the turn changes nothing
            self.lower = self._least_bound()
            self.plan = self.plan_repair.plan_within(self.w * self.lower + SLACK)
            if self.plan is not None:
                self.status = Status.SOLVED
        return True

    def _settle(self) -> Portions[None]:
        """Plan the route of an agent at the root again, now that all others have theirs; keep the better one."""
        agent = self.unsettled.pop()
        self._make_room()
        root = self.tables.tree[tb.ROOT].copy()
        old = int(self.tables.now[agent]["route"])
        yield from self._run(replan, tb.ROOT, agent, self.w)
        s = self.tables
        row = s.tree[tb.ROOT]
        if (int(row["n_conflicts"]), int(row["cost"])) < (int(root["n_conflicts"]), int(root["cost"])):
            root["n_conflicts"], root["cost"], root["bound"] = row["n_conflicts"], row["cost"], row["bound"]
            s.changes["route"][agent] = s.now[agent]["route"]
        else:
            retake(s, agent, old)
        s.tree[tb.ROOT] = root
        s.counts[tb.N_CHANGES] = self.problem.n_agents
        if not self.unsettled:
            self._begin_round()

    def _is_exhausted(self) -> bool:
        return not self.estimates

    def _push(self, node: int) -> None:
        row = self.tables.tree[node]
        cost, n_conflicts = int(row["cost"]), int(row["n_conflicts"])
        estimate = cost + self._ahead(n_conflicts) if self.learns else float(cost)
        lower = int(row["bound"] + row["h"])
        estimate = max(estimate, float(lower))
        self.estimates[node] = estimate
        heapq.heappush(self.cleanup, (lower, n_conflicts, node))
        heapq.heappush(self.waiting, (cost, n_conflicts, node))
        if self.learns:
            heapq.heappush(self.likely, (estimate, n_conflicts, node))

    def _ahead(self, n_conflicts: int) -> float:
        """The learned estimate of what `n_conflicts` conflicts will cost."""
        if self.n_samples == 0:
            return 0.0
        left = 1.0 - self.conflict_error / self.n_samples
        return n_conflicts * max(0.0, self.cost_error / self.n_samples) / max(left, LEAST_LEFT)

    def _least_bound(self) -> int:
        """The least lower bound of all open nodes."""
        while self.cleanup[0][-1] not in self.estimates or self._lower(self.cleanup[0][-1]) != self.cleanup[0][0]:
            heapq.heappop(self.cleanup)
        return self.cleanup[0][0]

    def _lower(self, node: int) -> int:
        row = self.tables.tree[node]
        return int(row["bound"] + row["h"])

    def _pop(self) -> int:
        """Take the node to be expanded next."""
        most = self.w * self._least_bound() + SLACK
        while self.waiting and self.waiting[0][0] <= most:
            _, n_conflicts, node = heapq.heappop(self.waiting)
            if node in self.estimates:
                heapq.heappush(self.focal, (n_conflicts, self.estimates[node], -node))
        while -self.focal[0][-1] not in self.estimates:
            heapq.heappop(self.focal)
        first = -self.focal[0][-1]
        if not self.learns or self.estimates[first] <= most:
            return self._take(first, False)
        while self.estimates.get(self.likely[0][-1]) != self.likely[0][0]:
            heapq.heappop(self.likely)
        self.turn = (self.turn + 1) % 3
        if self.turn == 1:
            return self._take(self.cleanup[0][-1], True)
        if self.turn == 2 and self.likely[0][0] <= most:
            return self._take(self.likely[0][-1], False)
        return self._take(first, False)

    def _take(self, node: int, raises_bound: bool) -> int:
        self.lower = self._least_bound()
        self.raises_bound = raises_bound
        del self.estimates[node]
        return node

    def _visit(self, node: int) -> Portions[None]:
        """Resolve a conflict of `node` in children, or end if it has none and is within the bound."""
        if self.plan_repair is not None:
            self.plan_repair.count()
        self._enter(node)
        while True:
            self._find_conflicts()
            row = self.tables.tree[node]
            if self.tables.counts[tb.N_CONFLICTS] == 0:
                if row["cost"] <= self.w * self.lower + SLACK:
                    self.best, self.status = node, Status.SOLVED
                return
            yield from self._rank()
            if self.raises_bound and not row["is_ready"] and (yield from self._raises(node)):
                self._push(node)
                return
            before, n_before = int(row["cost"]), int(row["n_conflicts"])
            first = int(self.tables.counts[tb.N_TREE])
            if not (yield from self._expand(node)):
                children = [k for k in range(first, int(self.tables.counts[tb.N_TREE])) if k in self.estimates]
                if children:
                    self._learn(before, n_before, min(children, key=lambda k: (self.estimates[k], k)))
                return
            self._learn(before, n_before, node)

    def _learn(self, cost: int, n_conflicts: int, after: int) -> None:
        """Learn how a cost and a number of conflicts have changed by one split, from the node `after` it."""
        row = self.tables.tree[after]
        self.n_samples += 1
        self.cost_error += int(row["cost"]) - cost
        self.conflict_error += 1 + int(row["n_conflicts"]) - n_conflicts

    def _may_adopt(self, node: int, child: int) -> bool:
        """Whether the child has fewer conflicts, and its routes are within the bounds that the node has."""
        s = self.tables
        row, new = s.tree[node], s.tree[child]
        if new["n_conflicts"] >= row["n_conflicts"] or new["cost"] > self.w * self.lower + SLACK:
            return False
        self._enter(node)
        for change in s.changes[new["first_change"] : new["first_change"] + new["n_changes"]]:
            old = s.routes[s.now[change["agent"]]["route"]]
            if s.routes[change["route"]]["length"] > self.w * int(old["bound"]) + SLACK:
                return False
        return True

    def _answer(self) -> Plan:
        return self._plan_of(self.best) if self.plan is None else self.plan

    def result(self) -> Result:
        """The plan, once there is one, and the ratio that is proven."""
        result = super().result()
        if self.status is Status.SOLVED and self.solvability is not None and self.solvability.cells is not None:
            result.bound = 1.0
        elif result.plan is not None:
            result.bound = max(1.0, sum_of_costs(result.plan, self.problem.goals) / max(1, self.lower))
        return result
