"""The increasing cost tree of one group: vectors of costs, least sum first, until one has a plan.

A vector says after how many steps each agent is on its goal for good. The vectors of one sum are counted through, agent by
agent; a part of a vector that pruning has excluded is not continued. What is known of pairs of diagrams, or of more, is
kept: the same two costs return in many vectors.

Invariants  no vector is tried twice, and none before all vectors of a smaller sum.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Generator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._groups.search import NO_MEMORY, SharedFields
from wayfolk.algorithms.planners._groups.solvability import SolvabilitySearch
from wayfolk.algorithms.planners.icts import joint_dfs
from wayfolk.algorithms.planners.icts.diagrams import Atlas, Diagram
from wayfolk.errors import TooLarge
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, RUNNING
from wayfolk.machine import available_bytes
from wayfolk.world.grid import Grid

Pruning = Literal["none", "simple", "enhanced", "repeated"]
TURN, JOINT_TURN = 1 << 9, 1 << 12
"""After so many expansions of its own, a search whose group may have no plan lets a joint search, which is quicker, make
so many."""
MOST_PAIRS = 1 << 22
"""Two diagrams with more pairs of nodes are not pruned: that would take too long at a time."""
SECONDS = 0.01
HASTE = 4  # the weight of h in that joint search

Working = Generator[int, None, bool]
"""Yields how much was expanded, and returns whether it was successful."""


class CostTree:
    """The search for a group. One expansion is a joint state of two or more diagrams, a pair of diagrams, or a diagram."""

    def __init__(self, ground: SharedFields, agents: list[int], pruning: Pruning, together: int) -> None:
        self.ground, self.agents = ground, agents
        self.pruning, self.together = pruning, min(together, len(agents) - 1)
        self.atlas = Atlas(ground, agents)
        self.base = [ground.distance(agent) or 0 for agent in agents]
        self.costs = list(self.base)
        self.expanded = self.n_vectors = 0
        self.left = 1
        self.masks: dict[tuple[int, ...], tuple[NDArray[np.bool_], NDArray[np.bool_]] | None] = {}
        self.fits: dict[tuple[tuple[int, int], ...], bool] = {}
        self.working = self._work()
        self.dive = joint_dfs.new_dive([(0, 0)])
        self.solvability = SolvabilitySearch(ground, agents, turn=TURN, share=JOINT_TURN, weight=HASTE)

    @property
    def generated(self) -> int:
        """Vectors that no pruning has excluded."""
        return self.n_vectors

    def cells(self) -> NDArray[np.int32]:
        """`cells[step, k]` of the plan that was found."""
        n_steps, n = max(self.costs), len(self.agents)
        nodes = self.dive.chosen[: (n_steps + 1) * n].reshape(-1, n)
        return np.ascontiguousarray(self.atlas.arrays.cells[nodes])

    def advance(self, budget: int) -> int:
        """Expand up to `budget`, for SECONDS at most: RUNNING, FOUND, EXHAUSTED (there is no plan) or NO_MEMORY."""
        stop, until = self.expanded + budget, time.perf_counter() + SECONDS
        while self.expanded < stop and time.perf_counter() < until:
            if self.solvability.is_due:
                used, is_unsolvable = self.solvability.advance(stop - self.expanded)
                self.expanded += used
                if is_unsolvable:
                    return EXHAUSTED
                continue
            self.left = min(stop - self.expanded, self.solvability.left)
            try:
                used = next(self.working)
            except StopIteration:
                return FOUND
            except (MemoryError, TooLarge):
                return NO_MEMORY
            self.expanded += used
            self.solvability.count(used)
        return RUNNING

    def _work(self) -> Working:
        """Try all vectors with one step more than the last ones, again and again."""
        for more in itertools.count():
            if (yield from self._try_all(more)):
                break
        return True

    def _try_all(self, more: int) -> Working:
        """Try the vectors with `more` steps in all than the agents need alone; whether one has a plan."""
        n = len(self.base)
        extra, left = [-1] * n, [more] * (n + 1)
        k = 0
        while k >= 0:
            if k == n:
                if (yield from self._has_plan()):
                    return True
                k -= 1
                continue
            extra[k] = left[k] if k == n - 1 and extra[k] < 0 else extra[k] + 1
            if extra[k] > left[k]:
                extra[k] = -1
                k -= 1
                yield 0
                continue
            self.costs[k] = self.base[k] + extra[k]
            if (yield from self._may_fit(k)):
                left[k + 1] = left[k] - extra[k]
                k += 1
        return False

    def _may_fit(self, k: int) -> Working:
        """Whether no pruning excludes the cost of the k-th agent together with those before it."""
        is_new = (k, self.costs[k]) not in self.atlas.known
        diagram = self.atlas.diagram(k, self.costs[k])
        if is_new:
            yield 1
        if diagram is None:
            return False
        if self.pruning in ("enhanced", "repeated"):
            for i in range(k):
                key = (i, self.costs[i], k, self.costs[k])
                if key not in self.masks:
                    self.masks[key] = self._pruned(*self._diagrams((i, k)))
                    yield 1
                if self.masks[key] is None:
                    return False
        sizes = range(2 if self.pruning == "simple" else 3, self.together + 1) if self.pruning != "none" else ()
        for size in sizes:
            for others in itertools.combinations(range(k), size - 1):
                chosen = (*others, k)
                costs = tuple((i, self.costs[i]) for i in chosen)
                if costs not in self.fits:
                    self._revive(chosen)
                    self.fits[costs] = yield from self._combine(chosen)
                if not self.fits[costs]:
                    return False
        return True

    def _has_plan(self) -> Working:
        """Whether the diagrams of the present vector together have a plan."""
        self.n_vectors += 1
        everyone = tuple(range(len(self.base)))
        self._revive(everyone)
        if self.pruning in ("enhanced", "repeated"):
            for i, k in itertools.combinations(everyone, 2):
                masks = self.masks[i, self.costs[i], k, self.costs[k]]
                for diagram, mask in zip(self._diagrams((i, k)), masks or (), strict=False):
                    self.atlas.arrays.alive[diagram.nodes] &= mask
        if self.pruning == "repeated" and not (yield from self._prune_again(everyone)):
            return False
        return (yield from self._combine(everyone))

    def _prune_again(self, everyone: tuple[int, ...]) -> Working:
        """Prune all pairs, again and again, until nothing more is removed; False if a pair has no plan."""
        n_removed = 1
        while n_removed:
            n_removed = 0
            for pair in itertools.combinations(everyone, 2):
                code, n = self._prune(*self._diagrams(pair))
                n_removed += n
                yield 1
                if code == joint_dfs.UNSOLVABLE:
                    return False
        return True

    def _diagrams(self, chosen: tuple[int, ...]) -> list[Diagram]:
        """The diagrams of these agents with their present costs."""
        found = [self.atlas.diagram(k, self.costs[k]) for k in chosen]
        return [diagram for diagram in found if diagram is not None]

    def _revive(self, chosen: tuple[int, ...]) -> None:
        """Undo all pruning of the diagrams of these agents."""
        for diagram in self._diagrams(chosen):
            self.atlas.arrays.alive[diagram.nodes] = diagram.alive

    def _pruned(self, one: Diagram, other: Diagram) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Which nodes of two diagrams are alive after pruning; None if they have no plan."""
        alive = self.atlas.arrays.alive
        alive[one.nodes], alive[other.nodes] = one.alive, other.alive
        code, n = self._prune(one, other)
        if code == joint_dfs.UNSOLVABLE:
            return None
        return (one.alive, other.alive) if n == 0 else (alive[one.nodes].copy(), alive[other.nodes].copy())

    def _prune(self, one: Diagram, other: Diagram) -> tuple[int, int]:
        """Prune two diagrams: SOLVABLE or UNSOLVABLE, and how many nodes were removed."""
        states, arrays, moves = self.ground.problem.states, self.atlas.arrays, self.atlas.tables.moves
        charts = np.array([[one.layer, one.cost], [other.layer, other.cost]], np.int32)
        n = int(joint_dfs.n_pairs(arrays, charts, states.stride if isinstance(states, Grid) else 0))
        if n == 0 or n > MOST_PAIRS:
            return joint_dfs.SOLVABLE, 0
        code, n_removed = joint_dfs.prune_pair(arrays, moves, charts, np.empty(n, np.uint8))
        return int(code), int(n_removed)

    def _combine(self, chosen: tuple[int, ...]) -> Working:
        """Whether the diagrams of these agents have a plan, by depth-first search over what is alive."""
        moves = self.atlas.tables.moves
        self.dive = joint_dfs.new_dive([(diagram.layer, diagram.cost) for diagram in self._diagrams(chosen)])
        while True:
            done = int(self.dive.counts[joint_dfs.EXPANDED])
            code = joint_dfs.dive_on(self.atlas.arrays, moves, self.dive, self.left)
            used = int(self.dive.counts[joint_dfs.EXPANDED]) - done
            if code == FULL:
                if 4 * self.dive.rows.nbytes > 0.8 * available_bytes():
                    raise MemoryError
                self.dive = joint_dfs.deeper(self.dive)
            elif code != RUNNING:
                self.expanded += used
                self.solvability.count(used)
                return bool(code == FOUND)
            yield used
