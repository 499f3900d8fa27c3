"""LaCAM under way: distance fields, a first plan, then better plans until somebody stops it.

A search for the first plan that comes no nearer to the goals is helped by Push and Rotate: it plans from the nearest
configuration on. After the first plan three things take turns: the tree of the first plan is searched on (LaCAM*), which
proves the optimum in the end; dives, depth-first searches from a step of the best plan, look for a cheaper rest of it; and
paths for all agents (`flow`, `scatter`) guide these dives. They are computed first, from the starts; some dives get new
ones, from where the agents are at their first step, as often as that pays. With thousands of agents the traffic at the
start says little about later traffic: a dive then stops now and then, and all agents plan new paths from where they are.

Invariants  the cost of the best plan never rises.
"""

from __future__ import annotations

import time
from collections.abc import Generator as Work
from dataclasses import replace

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.planners.lacam import config_search, flow, scatter, trees
from wayfolk.algorithms.planners.lacam.guidance import Guidance, with_guides
from wayfolk.algorithms.planners.lacam.guidance_choice import GuidanceChoice
from wayfolk.algorithms.planners.lacam.pibt import Generator, n_moves_of, new_generator
from wayfolk.algorithms.refusals import check_states
from wayfolk.algorithms.task import Task, begin_task
from wayfolk.errors import NotSupported
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, RUNNING
from wayfolk.kernels.random import new_random
from wayfolk.machine import available_bytes
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.spots import DistanceTable, SpotMap, spots_of

NO_COST = 1 << 60
PORTION_SECONDS = 0.005
AT_ONCE = 16  # distance fields between two looks at the clock
MORE_BYTES = 1 << 29  # how large the tree may become once there is a plan
TREE_SHARE = 20_000  # agents times nodes that are visited in the tree between two dives, at least
PATIENCE = 2000  # nodes before the first look whether the search comes nearer to the goals; then twice as many
NEARER = 0.95  # if it leaves more than this part of the distances between two looks, Push and Rotate plans the rest
FAILURES = 3  # the flow stage ends when so many turns have led to no better plan
LARGE = 3000  # with more agents than this, guidance is by flow only, and becomes new within dives
WINDOW = 40  # nodes of such a dive after which all agents plan new paths
ENOUGH = 0.97  # the scatter stage ends when a round leaves more than this part of the collisions, or has not helped


class Lacam(Task):
    """`work` does everything in portions; it yields the units that one took, at most `allowed`."""

    def __init__(self, problem: Problem, seed: int, is_makespan: bool, margin: int, tries: int) -> None:
        self.problem, self.seed, self.is_makespan, self.margin, self.tries = problem, seed, is_makespan, margin, tries
        self.spot_map = spots_of(problem.states)
        self.is_plain = isinstance(self.spot_map, SpotMap)
        self.starts, self.goals = self.spot_map.spot_of[problem.starts], self.spot_map.spot_of[problem.goals]
        self.counters, self.detail = Counters(), ""
        self.best, self.orders = (np.empty((0, problem.n_agents), np.int32) for _ in range(2))
        self.cost = NO_COST
        self.bound: float | None = None
        self.allowed, self.portion = 0, 1
        self.work = self._work()

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Visit up to `budget` nodes; a distance field and a path that guides count as a node each."""
        had_plan = self.has_plan
        while budget > 0 and not self.status.is_final and self.has_plan == had_plan:
            self.allowed = budget
            budget -= next(self.work)
            if time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def result(self) -> Result:
        """The best plan so far."""
        status = Status.SOLVED if self.has_plan else self.status
        result = Result(status, self.algorithm, options=dict(self.options), counters=self.counters, detail=self.detail)
        if self.has_plan:
            result.plan, result.bound = Plan(self.problem.states, self.spot_map.cells[self.best]), self.bound
        return result

    def _work(self) -> Work[int, None, None]:
        """All that is done, in order."""
        self.fields = DistanceTable(self.spot_map, self.goals)
        while not self.fields.is_filled:
            yield self.fields.fill(min(self.allowed, AT_ONCE))
        n = len(self.starts)
        if (self.fields.steps[np.arange(n), self.starts] == self.fields.far).any():
            self.status, self.detail = Status.IMPOSSIBLE, "no way leads to one of the goals"
            yield 0
            return
        self.luck = new_random(self.seed)
        gen = self.unguided = new_generator(self.fields, self.luck)
        order = np.argsort(-self.fields.steps[np.arange(n), self.starts].astype(np.int64), kind="stable")
        self.orders = order[None].astype(np.int32)
        self.best = self.starts[None]
        tree: trees.ConfigTree | None = self._planted(gen, 0)
        tree = yield from self._search_on(gen, tree, NO_LIMIT)
        if self.status.is_final:
            return
        turn = max(self.counters.expanded // 4, TREE_SHARE // n)
        self.guidance = Guidance(self.fields, self.seed)
        if self.is_plain:
            gen = yield from self._guided(gen)
        self.dives = GuidanceChoice()
        while not self.status.is_final:
            yield from self._dive_once(gen, int(self.guidance.rng.integers(max(1, len(self.best) - 1))))
            if tree is not None:
                tree = yield from self._search_on(gen, tree, turn)

    def _planted(self, gen: Generator, step: int) -> trees.ConfigTree:
        """A tree whose root is the configuration of the best plan at `step`."""
        tree = trees.new_tree(len(self.starts), 256, n_moves_of(gen))
        config_search.plant(gen, tree, self.best[step], self.orders[step], self.is_makespan)
        return tree

    def _search_on(
        self, gen: Generator, tree: trees.ConfigTree | None, most: int
    ) -> Work[int, None, trees.ConfigTree | None]:
        """Search the tree of the first plan, for `most` nodes or until a first plan; the tree, None if it is too large."""
        had_plan = self.has_plan
        policy = config_search.Policy(self.cost, 1, self.is_makespan, False, True, 0.001, 0.01 if had_plan else 0.0)
        look, least = PATIENCE, NO_COST
        while most > 0 and tree is not None:
            before = self.counters.expanded
            until_look = most if had_plan else look - int(tree.counts[trees.EXPANDED])
            code = yield from self._portion(gen, tree, policy, min(most, until_look))
            most -= self.counters.expanded - before
            if not had_plan and tree.counts[trees.EXPANDED] >= look:
                look, before_least, least = 2 * look, least, int(tree.nodes["h"][: tree.counts[trees.N_NODES]].min())
                if code == RUNNING and least > NEARER * before_least:
                    yield from self._help(tree)
                    if self.has_plan:
                        break
            if code == FOUND:
                if tree.nodes[tree.counts[trees.GOAL]]["g"] < self.cost:
                    self._keep(tree, 0, 0)
                policy = policy._replace(limit=self.cost)
                if not had_plan:
                    break
            elif code == EXHAUSTED:
                self.status, self.bound = (Status.SOLVED, 1.0) if had_plan else (Status.IMPOSSIBLE, None)
                yield 0
                break
            elif code == FULL:
                tree = self._grown(tree)
        return tree

    def _help(self, tree: trees.ConfigTree) -> Work[int, None, None]:
        """Let Push and Rotate plan from the node that is nearest to the goals, if it can."""
        entry = catalogue.find("push_and_rotate", "planners")
        nearest = int(tree.nodes["h"][: tree.counts[trees.N_NODES]].argmin())
        rest = replace(self.problem, starts=self.spot_map.cells[tree.configs[nearest]])
        try:
            check_states(entry, rest)
        except NotSupported:
            return
        task = begin_task(entry, (rest,), {}, self.seed)
        while not task.status.is_final:
            task.until, allowed = self.until, self.allowed
            task.advance(allowed)
            done = allowed - task.unspent
            self.counters.expanded += done
            if task.status is Status.SOLVED:
                plan = task.result().plan
                assert plan is not None
                rows = trees.rows_to(tree, nearest)
                steps = self.spot_map.spot_of[plan.cells[1:]]
                self.best = np.concatenate([tree.configs[rows], steps])
                self.orders = np.concatenate([tree.orders[rows], np.broadcast_to(tree.orders[nearest], steps.shape)])
                self.cost = self._cost_until(len(self.best) - 1)
                self.has_plan = True
            yield done

    def _dive_once(self, gen: Generator, step: int) -> Work[int, None, None]:
        """A dive from `step` with the guidance of `gen`, or with new paths from there."""
        cost, before, work = self.cost, self.counters.expanded, self.guidance.work
        spots = self.best[step]
        is_new = self.is_plain and self.dives.draw() and flow.bytes_for(self.fields, spots) <= available_bytes() // 2
        yield from self._dive(gen, step, (yield from self.guidance.traffic_from(spots)) if is_new else None)
        work = self.guidance.work - work + len(self.starts) * (self.counters.expanded - before)
        self.dives.learn(is_new, cost - self.cost, work)

    def _dive(self, gen: Generator, step: int, traffic: flow.TrafficFlow | None = None) -> Work[int, None, None]:
        """Search depth-first from `step` of the best plan for a cheaper rest of it, guided by `traffic` if there is one.

        With many agents, all plan new paths every WINDOW nodes, from where they are. A search that takes more nodes than
        the rest has steps goes on without guidance: paths can lead agents in circles.
        """
        spent = self._cost_until(step)
        tree = self._planted(gen, step)
        policy = config_search.Policy(self.cost - spent, self.tries, self.is_makespan, True, True, 0.001, 0.0)
        most = 4 * (len(self.best) - step)
        unguided = most * 3 // 4
        renewal = most - WINDOW if traffic is not None and len(self.starts) > LARGE else unguided
        if traffic is not None:
            gen = with_guides(gen, traffic.paths, traffic.lasts)
        while most > 0:
            before = self.counters.expanded
            is_guided = most > unguided
            until = max(renewal, unguided) if is_guided else 0
            code = yield from self._portion(gen if is_guided else self.unguided, tree, policy, most - until)
            most -= self.counters.expanded - before
            if traffic is not None and unguided < most <= renewal and code == RUNNING:
                spots = tree.configs[tree.open[tree.counts[trees.N_OPEN] - 1]]
                traffic = yield from self.guidance.traffic_from(spots, traffic)
                gen, renewal = with_guides(gen, traffic.paths, traffic.lasts), most - WINDOW
            if code == FULL:
                tree = trees.grown(tree)
            elif code != RUNNING:
                if code == FOUND:
                    self._keep(tree, step, spent)
                return

    def _portion(
        self, gen: Generator, tree: trees.ConfigTree, policy: config_search.Policy, most: int
    ) -> Work[int, None, int]:
        """Visit a few nodes; the code that the search ended with."""
        portion, began = min(self.allowed, self.portion, most), time.perf_counter()
        before = int(tree.counts[trees.EXPANDED])
        code: int = config_search.explore(gen, tree, policy, portion)
        done = int(tree.counts[trees.EXPANDED]) - before
        self.counters.expanded += done
        seconds = time.perf_counter() - began
        self.portion = max(1, min(2 * portion, int(portion * PORTION_SECONDS / max(seconds, 1e-6))))
        if code == FOUND and not self.has_plan:
            self._keep(tree, 0, 0)
        yield done
        return code

    def _grown(self, tree: trees.ConfigTree) -> trees.ConfigTree | None:
        """The tree with more room; None if there is a plan and it would be too large. Without a plan memory decides."""
        if self.has_plan:
            return trees.grown(tree) if 2 * trees.bytes_of(tree) <= MORE_BYTES else None
        if 2 * trees.bytes_of(tree) > available_bytes():
            self.status, self.detail = Status.OUT_OF_BUDGET, "the memory is full"
            return None
        return trees.grown(tree)

    def _guided(self, gen: Generator) -> Work[int, None, Generator]:
        """The generator with the guidance that has led to the best plan: first by flow, then by scattered paths."""
        best = yield from self._guided_by_flow(gen)
        if len(self.starts) > LARGE:
            return best
        if scatter.bytes_for(self.fields, self.starts, self.margin) > available_bytes() // 2:
            return best
        arrays = scatter.new_scatter(self.fields, self.starts, self.margin)
        least = NO_COST
        for turn in range(100):
            total = 0
            for agent in self.guidance.rng.permutation(len(self.starts)).tolist():
                code, hits = scatter.replan(arrays, agent)
                if code == FULL:
                    arrays = scatter.cleaned(arrays)
                    code, hits = scatter.replan(arrays, agent)
                total += hits
                yield 1
            cost = self.cost
            best = yield from self._better(best, with_guides(gen, arrays.paths, arrays.lasts))
            if total == 0 or total >= ENOUGH * least or (turn > 0 and self.cost == cost):
                break
            if turn > 0:  # the first total does not count: there were fewer paths to collide with
                least = total
        return best

    def _guided_by_flow(self, gen: Generator) -> Work[int, None, Generator]:
        """The best generator with paths through less traffic, as long as turns of all agents lead to better plans."""
        best, failures = gen, 0
        if flow.bytes_for(self.fields, self.starts) > available_bytes() // 2:
            return gen
        if len(self.starts) > LARGE:
            traffic = yield from self.guidance.traffic_from(self.starts)
            yield from self._dive(gen, 0, traffic)
            return with_guides(gen, traffic.paths, traffic.lasts)
        traffic = flow.new_flow(self.fields, self.starts)
        while failures < FAILURES:
            for agent in self.guidance.rng.permutation(len(self.starts)).tolist():
                flow.reroute(traffic, agent)
                yield 1
            cost = self.cost
            best = yield from self._better(best, with_guides(gen, traffic.paths, traffic.lasts))
            failures = 0 if self.cost < cost else failures + 1
        return best

    def _better(self, best: Generator, other: Generator) -> Work[int, None, Generator]:
        """The generator `other` if a dive with it finds a better plan, and `best` otherwise."""
        cost = self.cost
        yield from self._dive(other, 0)
        return other if self.cost < cost else best

    def _cost_until(self, step: int) -> int:
        """What the first `step` steps of the best plan cost."""
        if self.is_makespan:
            return step
        away = self.spot_map.stands(self.best[: step + 1]) != self.goals
        return int((away[:-1] | away[1:]).sum())

    def _keep(self, tree: trees.ConfigTree, step: int, spent: int) -> None:
        """Keep the plan in `tree`, after the first `step` steps of the best plan, which cost `spent`."""
        goal = int(tree.counts[trees.GOAL])
        rows = trees.rows_to(tree, goal)
        self.cost = spent + int(tree.nodes[goal]["g"])
        self.best = np.concatenate([self.best[:step], tree.configs[rows]])
        self.orders = np.concatenate([self.orders[:step], tree.orders[rows]])
        self.has_plan = True
