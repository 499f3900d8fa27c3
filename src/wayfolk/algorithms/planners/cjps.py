"""Cooperative JPS: agents plan one after another by jump points, and step aside or wait where they would collide.

Renukamurthy, "Improving spatially distributed multiagent pathfinding using Cooperative JPS", 2016, chapter 4.

Guarantees  one agent alone gets a cheapest path. Several get paths that do not collide, or none: an agent searches on the
            empty map and only then looks for times, so it may find none where there are some.
Invariants  the plan has no faults; every agent stays on its goal once it is there for good.
Cost        a jump point search for each agent, and its path in time, step by step; an expansion is a jump point or a step.
Deviations  several rules are misprinted. The cells beside a collision cell are those to the left and right of
            the direction of travel, for all eight directions; jumps are unrolled by their number of moves, not their
            Euclidean length; waits are tried one cell further back at a time. Each move of an agent that evades another
            is tested: legal, free at that time, no swap, no crossing diagonals, and back on the path. Where moves are
            straight only, an agent goes around a collision cell over the cells beside it. Three things keep agents from
            failing; with aside=False, detours=0 and retries=0 it is the algorithm as published. An agent that cannot
            wait stands beside its path (`aside`). An agent without times searches again around the cell where it failed
            (`detours`). An agent that finds no path is put in front of all others, and planning begins anew (`retries`).
"""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._cooperative import Order, PrioritisedPlanning
from wayfolk.kernels import evading
from wayfolk.kernels.codes import EXHAUSTED, RUNNING
from wayfolk.kernels.jumps import paths as jump_paths
from wayfolk.kernels.jumps import stops as jump_stops
from wayfolk.problem.problem import Problem

PAPER = "Renukamurthy 2016"
OPTIMAL = False
COMPLETE = False


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, for the order \"random\"."] = 0,
    order: Annotated[Literal["given", "longest", "random"], "Who plans first: as given, longest way, random."] = "given",
    retries: Annotated[int, Range(0, 1_000_000), "How often planning may begin anew when an agent finds no path."] = 10,
    sideways: Annotated[bool, "Evade a collision by a side-way move before waiting."] = True,
    aside: Annotated[bool, "Where an agent cannot wait either, let it stand beside its path for a while."] = True,
    detours: Annotated[int, Range(0, 1000), "How often an agent without times searches around the cell of collision."] = 20,
) -> "CooperativeJps":  # fmt: skip
    """A task that plans for all agents of `problem`."""
    return CooperativeJps(
        problem, order=order, retries=retries, seed=seed, sideways=sideways, aside=aside, detours=detours
    )


class CooperativeJps(PrioritisedPlanning):
    """Agents search by jumps, then get times. The first `n_closed` of `closed` are cells that the agent avoids."""

    def __init__(
        self, problem: Problem, *,
        order: Order, retries: int, seed: int, sideways: bool, aside: bool, detours: int,
    ) -> None:  # fmt: skip
        grid = problem.grid
        self.sideways, self.aside, self.detours = sideways, aside, detours
        self.legal = grid.legal.copy()
        self.jumps = jump_paths.new_jumps(grid.legal, grid.offsets, grid.diagonal)
        self.static = np.zeros(grid.width + grid.height, np.int32)
        self.closed, self.n_closed = np.zeros(detours, np.int32), 0
        self.cells = self.slots = np.zeros(0, np.int32)
        super().__init__(problem, order=order, retries=retries, seed=seed)

    def open_search(self, start: int, goal: int) -> None:
        """Begin a search by jumps on the whole map."""
        self.start = start
        self._begin_jumps(0)

    def _begin_jumps(self, n_closed: int) -> None:
        """Search around the first `n_closed` of the cells at which the agent found no times."""
        grid, before = self.problem.grid, self.n_closed
        jump_stops.close_cells(self.jumps, self.legal, grid.offsets, grid.legal, self.closed, before, n_closed)
        self.is_jumping, self.n_closed = True, n_closed
        jump_paths.begin_jumps(self.jumps, self.start, self.goals, 1)

    def search(self, budget: int) -> tuple[int, int]:
        """Expand up to `budget` jump points, or make as many moves of the timed path."""
        return self._jump(budget) if self.is_jumping else self._find_times(budget)

    def _jump(self, budget: int) -> tuple[int, int]:
        jumps = self.jumps
        done = int(jumps.counts[jump_paths.EXPANDED])
        code = jump_paths.advance_jumps(jumps, self.legal, self.problem.grid.offsets, budget)
        used = int(jumps.counts[jump_paths.EXPANDED]) - done
        if code == RUNNING:
            return RUNNING, used
        jump_paths.end_jumps(jumps, self.goals, 1)
        self.counters.generated += int(jumps.counts[jump_paths.GENERATED])
        if code == EXHAUSTED:
            return EXHAUSTED, used
        self._begin_times()
        return RUNNING, used

    def _begin_times(self) -> None:
        """Unroll the jumps into cells, and begin to give them times."""
        self.is_jumping = False
        n = jump_paths.trace_jumps(self.jumps, self.start, self.static)
        if n > len(self.static):
            self.static = np.zeros(2 * n, np.int32)
            jump_paths.trace_jumps(self.jumps, self.start, self.static)
        room = self.last + 3 * n + 8  # after the last reservation none waits, and evading takes two steps more at most
        if room > len(self.cells):
            self.cells, self.slots = np.zeros(2 * room, np.int32), np.zeros(2 * room, np.int32)
            self.memory = evading.new_evading(2 * room)
        self.course = evading.Course(
            self.rules,
            self.table,
            self.memory,
            evading.Timing(
                self.agent,
                1,
                self.last,
                evading.EFFORT * len(self.cells),
                stays=True,
                sideways=self.sideways,
                aside=self.aside,
            ),
            self.static[:n],
            self.cells,
            self.slots,
        )
        evading.begin_times(self.course)

    def _find_times(self, budget: int) -> tuple[int, int]:
        done = int(self.memory.counts[evading.TRIED])
        code = evading.advance_times(self.course, budget)
        used = int(self.memory.counts[evading.TRIED]) - done
        if code == EXHAUSTED and self.n_closed < self.detours:
            collision = int(self.memory.counts[evading.FURTHEST]) + 1
            if collision < len(self.course.path) - 1:  # neither the goal, nor that it cannot stay there
                self.closed[self.n_closed] = self.course.path[collision]
                self.counters.replans += 1
                self._begin_jumps(self.n_closed + 1)
                code = RUNNING
        return code, used

    def read_path(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The path with its times."""
        n = int(self.memory.counts[evading.N_NODES])
        return self.cells[:n].copy(), self.slots[:n].copy()
