"""The task of a conflict-based search: plans the agents one by one, then resolves conflicts in a tree of constraints."""

from __future__ import annotations

import heapq
import time
from typing import Literal, NamedTuple

import numpy as np

from wayfolk.algorithms.planners._cbs import tables as tb
from wayfolk.algorithms.planners._cbs.cover import cover_of
from wayfolk.algorithms.planners._cbs.low_level import replan
from wayfolk.algorithms.planners._cbs.nodes import NodeTables, Portions
from wayfolk.algorithms.planners._cbs.pairs import pair_weight
from wayfolk.algorithms.planners._cbs.ranking import CARDINAL, choose, rank_conflicts, split_lengths
from wayfolk.algorithms.planners._groups.search import SharedFields
from wayfolk.algorithms.planners._groups.solvability import SolvabilitySearch
from wayfolk.algorithms.planners._solvable import is_solvable
from wayfolk.algorithms.task import Task
from wayfolk.errors import TooLarge
from wayfolk.kernels.distances import UNREACHED
from wayfolk.problem.plan import Plan, from_paths
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Result, Status

MOST_WEIGHTS = 1 << 20  # weights of pairs that are kept
FEW_AGENTS = 6
TURN, SHARE = 32, 1 << 12
"""If agents are few, or it is not known whether there is a plan, a joint search expands SHARE nodes after each TURN nodes
of the tree."""
Heuristic = Literal["none", "cg", "dg", "wdg"]


class Tricks(NamedTuple):
    """What a search does beyond the plain algorithm."""

    prioritise: bool
    bypass: bool
    heuristic: Heuristic
    rectangle: bool
    corridor: bool
    target: bool
    disjoint: bool
    mutex: bool = False


class ConflictSearch(NodeTables, Task):
    """A tree of constraints under way.

    A unit of the budget is an agent that gets its first route, a node of the tree, or SHARE expansions of a joint search.
    """

    def __init__(self, problem: Problem, tricks: Tricks, *, w: float = 1.0, objective: str = "sum_of_costs") -> None:
        super().__init__(problem, w)
        self.tricks = tricks
        self.objective = objective
        self.weights: dict[tuple[int, int], int] = {}
        self.answer = np.zeros(1, np.int64)
        self.open: list[tuple[int, int, int, int]] = []
        self.n_planned = 0
        self.detail = ""
        self.solvability: SolvabilitySearch | None = None
        self.unit: Portions[None] | None = None
        """The unit of work that has been begun."""

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Plan for agents or expand nodes, `budget` in all, fewer if `until` comes first; `unspent` are left then."""
        try:
            while budget > 0 and not self.status.is_final:
                if self.unit is None:
                    self.unit = self._work()
                if next(self.unit, self) is self:  # it has ended
                    self.unit = None
                    budget -= 1
                if time.perf_counter() >= self.until:
                    break
        except TooLarge as error:
            self.status, self.detail = Status.OUT_OF_BUDGET, str(error)
        self.unspent = budget
        return self.status

    def _work(self) -> Portions[None]:
        """One unit of the budget."""
        if self.n_planned < self.problem.n_agents:
            if self.n_planned == 0 and self._is_unsolvable():
                self._end_without_plan()
            else:
                yield from self._plan_first()
        elif (yield from self._prepare()):
            pass
        elif self.solvability is not None and self.solvability.is_due:
            self._search_jointly(self.solvability)
        elif self._is_exhausted():
            self._end_without_plan()
        else:
            yield from self._visit(self._pop())
            if self.solvability is not None:
                self.solvability.count(1)

    def _is_unsolvable(self) -> bool:
        """Whether it is proved that there is no plan; if it is open, or agents are few, a joint search will run beside."""
        answer = is_solvable(self.problem) if self.problem.is_plain else None
        if answer is None or self.problem.n_agents <= FEW_AGENTS:
            agents = list(range(self.problem.n_agents))
            ground = SharedFields(self.problem)
            self.solvability = SolvabilitySearch(
                ground, agents, turn=TURN, share=SHARE, weight=1, measure=self.objective
            )
        return answer is False

    def _search_jointly(self, solvability: SolvabilitySearch) -> None:
        """Give the joint search its turn. Its plan is optimal."""
        _, is_unsolvable = solvability.advance(SHARE)
        if is_unsolvable:
            self._end_without_plan()
        elif solvability.cells is not None:
            self.status = Status.SOLVED

    def _end_without_plan(self) -> None:
        self.status, self.detail = Status.IMPOSSIBLE, "it is proved that there is no plan for all agents"

    def _prepare(self) -> Portions[bool]:
        """Improve the root by one route; whether there was one to improve."""
        yield from ()
        return False

    def _is_exhausted(self) -> bool:
        """Whether no node is left."""
        return not self.open

    def _pop(self) -> int:
        """Take the node to be expanded next."""
        return heapq.heappop(self.open)[-1]

    def _plan_first(self) -> Portions[None]:
        """Give the next agent the shortest route that has the fewest conflicts with those before it."""
        agent = self.n_planned
        if self._measure(agent) == UNREACHED:
            self._end_without_plan()
            return
        self._make_room()
        yield from self._run(replan, tb.ROOT, agent, self.w)
        self.n_planned += 1
        if self.n_planned == self.problem.n_agents:
            self._plant()

    def _plant(self) -> None:
        """Make the root, which holds the first routes."""
        s = self.tables
        n = self.n_planned
        s.changes["agent"][:n] = s.changes["route"][:n] = range(n)
        s.counts[tb.N_CHANGES], s.counts[tb.N_TREE] = n, 1
        root = s.tree[tb.ROOT]
        root["n_changes"] = n
        root["cost"], root["bound"] = s.routes["length"][:n].sum(), s.routes["bound"][:n].sum()
        root["makespan"] = s.now["length"].max()
        self._find_conflicts()
        conflicts = self.tables.conflicts[: self.tables.counts[tb.N_CONFLICTS]]
        pairs = zip(conflicts["one"].tolist(), conflicts["other"].tolist(), strict=True)
        root["n_conflicts"] = len({frozenset(pair) for pair in pairs})
        self._push(tb.ROOT)

    def _push(self, node: int) -> None:
        row = self.tables.tree[node]
        cost = int(row["cost"] + row["h"]) if self.objective == "sum_of_costs" else int(row["makespan"])
        heapq.heappush(self.open, (cost, int(row["n_conflicts"]), -node, node))

    def _visit(self, node: int) -> Portions[None]:
        """Resolve a conflict of `node` in children, or end if there is none."""
        self._enter(node)
        while True:
            self._find_conflicts()
            if self.tables.counts[tb.N_CONFLICTS] == 0:
                self.best, self.status = node, Status.SOLVED
                return
            yield from self._rank()
            if not self.tables.tree[node]["is_ready"] and (yield from self._raises(node)):
                self._push(node)
                return
            if not (yield from self._expand(node)):
                return

    def _rank(self) -> Portions[None]:
        """Find out which conflicts are cardinal, if that is asked for."""
        if self.tricks.prioritise:
            yield from self._run(rank_conflicts)

    def _raises(self, node: int) -> Portions[bool]:
        """Compute the heuristic of `node`; whether it has become larger."""
        row = self.tables.tree[node]
        row["is_ready"] = 1
        if self.tricks.heuristic == "none":
            return False
        h = yield from self._heuristic()
        row = self.tables.tree[node]
        if h <= row["h"]:
            return False
        row["h"] = h
        return True

    def _heuristic(self) -> Portions[int]:
        """How much any plan below the node that is entered costs more than it."""
        s = self.tables
        n = int(s.counts[tb.N_CONFLICTS])
        one, other, rank = (s.conflicts[name][:n].tolist() for name in ("one", "other", "rank"))
        weights: dict[tuple[int, int], int] = {}
        for a, b, c in zip(one, other, rank, strict=True):
            pair = (a, b) if a < b else (b, a)
            if self.tricks.heuristic == "cg":
                weights[pair] = max(weights.get(pair, 0), int(c == CARDINAL))
            elif pair not in weights:
                weights[pair] = yield from self._weight(*pair)
        return cover_of(weights)

    def _weight(self, one: int, other: int) -> Portions[int]:
        """How much two agents together cost at least more than on their present routes."""
        key = int(self.tables.now[one]["route"]), int(self.tables.now[other]["route"])
        if key not in self.weights:
            if len(self.weights) >= MOST_WEIGHTS:
                self.weights.clear()
            most = NO_LIMIT if self.tricks.heuristic == "wdg" else 0
            yield from self._run(pair_weight, one, other, most, self.answer)
            self.weights[key] = int(self.answer[0])
            yield
        return self.weights[key]

    def _expand(self, node: int) -> Portions[bool]:
        """Make the children of `node`, or adopt the routes of one that costs no more and has fewer conflicts: True then."""
        self.counters.expanded += 1
        tricks = self.tricks
        yield from self._run(choose, node, tricks.rectangle, tricks.corridor, tricks.target, tricks.disjoint)
        if tricks.mutex and self.tables.counts[tb.SPLIT_RANK] != CARDINAL:
            pair = yield from self._incompatible_pair()
            if pair is not None:
                split_lengths(self.tables, *pair)
        children = []
        for side in range(2):
            child = yield from self._child(node, side)
            if child is None:
                continue
            if tricks.bypass and self._may_adopt(node, child):
                self._adopt(node, child)
                return True
            children.append(child)
        for child in children:
            self._push(child)
        return False

    def _incompatible_pair(self) -> Portions[tuple[int, int] | None]:
        """Two agents in conflict of whose cheapest routes each one of the first agent collides with each of the other."""
        s = self.tables
        n = int(s.counts[tb.N_CONFLICTS])
        pairs = zip(s.conflicts["one"][:n].tolist(), s.conflicts["other"][:n].tolist(), strict=True)
        for one, other in sorted({(min(pair), max(pair)) for pair in pairs}):
            if (yield from self._weight(one, other)) > 0:
                return one, other
        return None

    def _may_adopt(self, node: int, child: int) -> bool:
        """Whether the child costs no more than the node and has fewer conflicts."""
        row, new = self.tables.tree[node], self.tables.tree[child]
        return bool(new["cost"] == row["cost"] and new["n_conflicts"] < row["n_conflicts"])

    def result(self) -> Result:
        """The plan, once there is one."""
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=self.counters)
        if self.status is Status.SOLVED and self.solvability is not None and self.solvability.cells is not None:
            result.plan = from_paths(self.problem.states, list(self.solvability.cells.T))
        elif self.status is Status.SOLVED:
            result.plan = self._answer()
        else:
            result.detail = self.detail
        return result

    def _answer(self) -> Plan:
        """The plan that ends the search."""
        return self._plan_of(self.best)

    def _plan_of(self, node: int) -> Plan:
        """The routes of `node`."""
        self._enter(node)
        s = self.tables
        paths = [s.cells[now["first"] : now["first"] + now["length"] + 1].copy() for now in s.now]
        return from_paths(self.problem.states, paths)
