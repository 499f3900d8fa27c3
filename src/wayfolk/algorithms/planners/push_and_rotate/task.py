"""The task of Push and Rotate: rounds of walks, then a joint search for the parts of the map where agents are stuck."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._blocks import Blocks, NoBlocks
from wayfolk.algorithms.planners._joint_bfs import JointBfs
from wayfolk.algorithms.planners._pebbles import MOVE, N_MOVES
from wayfolk.algorithms.planners._push import Order, PushPlanner
from wayfolk.algorithms.planners._push_kernels import ATTEMPT, TURN, new_walking
from wayfolk.algorithms.planners._solvable import is_solvable
from wayfolk.algorithms.planners._subproblems import priorities
from wayfolk.algorithms.planners._swaps import new_swapping
from wayfolk.kernels.codes import NOBODY
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Status


class PushAndRotate(PushPlanner):
    """Push and Rotate as a task. A budget counts steps of agents towards their goals, then states of joint searches."""

    def __init__(
        self,
        problem: Problem,
        blocks: Blocks | NoBlocks,
        rings: bool,
        *,
        seed: int,
        order: Order,
        done_cost: int,
        rounds: int,
    ) -> None:
        states = problem.states
        swapping = new_swapping(states, blocks, stages=4, rings=rings)
        walking = new_walking(problem.goals, states.n_cells, done_cost=done_cost, detours=True)
        super().__init__(problem, swapping, walking, seed=seed, order=order)
        self.rounds, self.round = rounds, 0
        self.searches: list[tuple[NDArray[np.intp], JointBfs]] = []

    def choose_order(self) -> NDArray[np.int32]:
        """As the option says, but agents of subproblems with priority go first."""
        order, rank = super().choose_order(), priorities(self.problem.states, self.problem.goals)
        return order[np.argsort(rank[order], kind="stable")]

    def work(self, budget: int) -> int:
        """Let agents walk, or expand a state."""
        return self._search_jointly() if self.searches else super().work(budget)

    def handle_stuck(self) -> None:
        """Who is stuck walks again, and in every second round first of all; at last a joint search decides."""
        stuck, job = self.walking.stuck, self.walking.job
        self.round += 1
        self.counters.restarts += 1
        if self.round == 1 and is_solvable(self.problem) is False:
            self.status = Status.IMPOSSIBLE
            self.detail = f"there is no plan: {_names(stuck)} cannot get past others"
            return
        if self.round > self.rounds:
            self._begin_joint_searches()
            return
        if self.round % 2 == 0:
            rank = {agent: k for k, agent in enumerate(self.walking.order.tolist())}
            order = sorted(rank, key=lambda agent: (not stuck[agent], rank[agent]))
            self.walking.order[:] = order
            self.pebbles.done[:] = 0
        stuck[:] = 0
        job[TURN] = 0
        job[ATTEMPT] += 1

    def _begin_joint_searches(self) -> None:
        states, here, goals = self.problem.states, self.pebbles.here, self.problem.goals
        parts = states.components[goals]
        for part in np.unique(parts[self.walking.stuck != 0]):
            agents = np.flatnonzero(parts == part)
            search = JointBfs(states, tuple(here[agents].tolist()), tuple(goals[agents].tolist()))
            self.searches.append((agents, search))

    def _search_jointly(self) -> int:
        """Expand a state of the first joint search; return 1."""
        agents, search = self.searches[0]
        status = search.expand()
        if status is Status.SOLVED:
            self._append(agents, search.plan())
            self.searches.pop(0)
            if not self.searches:
                self.make_plan()
        elif status.is_final:
            self.status = status
            names = ", ".join(map(str, np.flatnonzero(self.walking.stuck)[:5].tolist()))
            self.detail = f"agents in one part of the map cannot change places as their goals demand; stuck: {names}"
            if status is Status.GAVE_UP:
                self.detail = f"no plan found for agents {names}, and none excluded: a joint search is too large"
        return 1

    def _append(self, agents: NDArray[np.intp], states: list[tuple[int, ...]]) -> None:
        """Append the steps of a joint search to the log."""
        rows: list[tuple[int, int, int, int]] = []
        for before, after in pairwise(states):
            joined = 0
            for agent, here, there in zip(agents.tolist(), before, after, strict=True):
                if here != there:
                    rows.append((agent, here, there, joined))
                    joined = 1
        pebbles = self.pebbles
        log = np.concatenate([pebbles.log[: pebbles.counts[N_MOVES]], np.array(rows, MOVE)])
        pebbles.occupant[pebbles.here[agents]] = NOBODY
        pebbles.here[agents] = states[-1]
        pebbles.occupant[pebbles.here[agents]] = agents
        pebbles.counts[N_MOVES] = len(log)
        self.pebbles = pebbles._replace(log=log)


def _names(stuck: NDArray[np.uint8]) -> str:
    """Who is stuck, in words."""
    agents = np.flatnonzero(stuck).tolist()
    if len(agents) == 1:
        return f"agent {agents[0]}"
    return f"agents {', '.join(map(str, agents[:5]))}" + (f" and {len(agents) - 5} more" if len(agents) > 5 else "")
