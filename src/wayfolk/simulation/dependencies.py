"""The dependencies between the moves of a plan: robots that keep to them never collide, however late each of them is.

    graph = dependencies(plan)
    graph.execute(delay=0.1, seed=1)    the plan as it comes out if each robot loses a tenth of its steps
    shorten(plan, problem)              the plan without needless waits

Hönig, Kiesel, Tinka, Durham and Ayanian, "Persistent and robust execution of MAPF schedules in warehouses", 2019: the
action dependency graph. An action is a move; waits are no actions. There are three kinds of edges, from an action to one
that depends on it: to the next action of the same agent; from the action by which an agent leaves a cell to the one by
which the next agent enters it; and between two moves on the two diagonals of a block of 2 x 2 cells, in the plan's order.

Guarantees  with any delays, no two agents are in one cell, swap or cross. Every action is done at last: there is no
            deadlock. Without delays no action is later than in the plan.
Invariants  an edge leads to an action of the same or a later step of the plan, within one step only to that of an agent
            that follows closely. So the only cycles are rings: agents that all follow each other within one step. A ring is
            treated as one action of all its agents.
Cost        sorting the moves of the plan; an execution takes a few operations for each agent and step.
Deviations  in the paper an agent enters a cell after the other has left it. Here it may follow in the same step, as plans
            allow, unless `follow` is false. The paper has neither rings nor crossing diagonals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.algorithms.task import checked_seed
from wayfolk.errors import BadInput, BadPlan, TooLarge
from wayfolk.judge.plans import check
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.random import new_random
from wayfolk.machine import available_bytes
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem

Ints = NDArray[np.int32]


def dependencies(plan: Plan) -> Dependencies:
    """Return which moves of `plan`, which must be legal, have to wait for which others."""
    faults = check(plan, limit=1)
    if faults:
        raise BadPlan(f"the plan breaks a rule: {faults[0]}")
    moved = np.argwhere((plan.cells[1:] != plan.cells[:-1]).T).astype(np.int32)
    agent, step = np.ascontiguousarray(moved[:, 0]), moved[:, 1] + np.int32(1)
    here, there = plan.cells[step - 1, agent], plan.cells[step, agent]
    after = _after(plan, agent, step, there)
    crosses = _crosses(plan, agent, step, here, there)
    ring = np.full(len(agent), NOBODY, np.int32)
    from wayfolk.simulation.actions import find_rings

    find_rings(after, step, np.zeros(len(agent), np.int64), ring)
    return Dependencies(plan, agent, step, here, there, after, crosses, ring)


@dataclass(frozen=True, eq=False)
class Dependencies:
    """The actions of a plan, sorted by agent and step, and what each of them waits for.

    agent    who moves
    step     the step of the plan at which it is in the cell `there`; it comes from `here`
    after    the action by which another agent leaves the cell `there`, which must be done before; NOBODY for none
    crosses  the action on the other diagonal of the block that must be done before; NOBODY for none
    ring     the number of the ring that moves as one; NOBODY for none
    """

    plan: Plan
    agent: Ints
    step: Ints
    here: Ints
    there: Ints
    after: Ints
    crosses: Ints
    ring: Ints

    @property
    def n_actions(self) -> int:
        """How many moves the plan has."""
        return len(self.agent)

    @property
    def n_rings(self) -> int:
        """How many rings there are."""
        return int(self.ring[self.ring != NOBODY].max(initial=-1)) + 1

    def edges(self) -> NDArray[np.int64]:
        """Return a row (action, action that depends on it) for each edge, those between members of a ring left out."""
        actions = np.arange(self.n_actions)
        own = actions[1:][self.agent[1:] == self.agent[:-1]]
        followed = actions[(self.after != NOBODY) & (self.ring == NOBODY)]
        crossing = actions[self.crosses != NOBODY]
        rows = ((own - 1, own), (self.after[followed], followed), (self.crosses[crossing], crossing))
        return np.concatenate([np.stack(pair, 1) for pair in rows]).astype(np.int64)

    def execute(
        self, *, delay: ArrayLike = 0.0, durations: ArrayLike | None = None, follow: bool = True, seed: int = 0
    ) -> Plan:
        """Return the plan as it comes out if agents are delayed and each action begins as soon as it may.

        In every step an agent is delayed with the probability `delay`, one number or one for each agent. An action takes
        as many steps as `durations` says, one number for each action: slow robots or turns. The agent is in the cell
        `here` until they are over; others keep out of both cells. With `follow`, an agent may enter a cell in the step in
        which another leaves it, else only in the next.
        """
        graph, progress = self._arrays(_checked_durations(durations, self.n_actions), np.zeros_like(self.step), seed)
        return Plan(self.plan.grid, self._run(graph, progress, _checked_delay(delay, self.plan.n_agents), follow))

    def _run(self, graph: Any, progress: Any, chances: NDArray[np.float64], follow: bool) -> Ints:
        """Return the cells of the plan that comes out."""
        from wayfolk.simulation import actions

        cells = np.empty((self.plan.n_steps + 2, self.plan.n_agents), np.int32)
        cells[0] = self.plan.cells[0]
        while not actions.carry_out(graph, progress, chances, bool(follow), cells):
            if 3 * cells.nbytes > available_bytes():
                raise TooLarge(f"the execution takes more than {len(cells):,} steps, which do not fit into memory")
            cells = np.concatenate([cells, np.empty_like(cells)])
        return cells[: progress.counts[actions.ROW] + 1].copy()

    def _arrays(self, lasts: Ints, earliest: Ints, seed: int) -> tuple[Any, Any]:
        """Return the graph and the beginning of an execution, as kernels read them."""
        from wayfolk.simulation.actions import ActionGraph, ActionProgress

        n_agents, n_rings = self.plan.n_agents, self.n_rings
        first = np.searchsorted(self.agent, np.arange(n_agents + 1)).astype(np.int64)
        members = np.flatnonzero(self.ring != NOBODY)
        longest = np.zeros(n_rings, np.int32)
        np.maximum.at(longest, self.ring[members], lasts[members])
        graph = ActionGraph(self.agent, self.there, self.after, self.crosses, self.ring, first, lasts, earliest)
        progress = ActionProgress(
            next=first[:-1].copy(),
            spent=np.zeros(n_agents, np.int32),
            verdict=np.zeros(n_agents, np.uint8),
            chain=np.zeros(n_agents + 1, np.int32),
            ring_size=np.bincount(self.ring[members], minlength=n_rings).astype(np.int32),
            ring_ready=np.zeros(n_rings, np.int32),
            ring_lasts=longest,
            ring_spent=np.zeros(n_rings, np.int32),
            landed=np.zeros(self.n_actions, np.int32),
            luck=new_random(checked_seed(seed)),
            counts=np.array([0, np.count_nonzero(np.diff(first))], np.int64),
        )
        return graph, progress

    def __repr__(self) -> str:
        return f"Dependencies({self.plan.n_agents} agents, {self.n_actions} actions, {self.n_rings} rings)"


def shorten(plan: Plan, problem: Problem) -> Plan:
    """Return `plan`, which must be legal, without waits that no other agent needs.

    All agents take the same ways, and enter each cell in the same order. No agent arrives later. An agent that leaves its
    goal to let others pass leaves it as late as it can, and no earlier than in `plan`. So makespan, sum of costs and
    sum of loss do not grow.
    """
    from wayfolk.simulation.actions import leave_late

    graph = dependencies(plan)
    away = _excursions(graph, np.asarray(problem.goals))
    leaves = graph.here == problem.goals[graph.agent]
    arrays, progress = graph._arrays(np.ones_like(graph.step), np.where(leaves, graph.step, np.int32(0)), 0)
    cells = graph._run(arrays, progress, np.zeros(plan.n_agents), True)
    follower, crosser = (np.full(graph.n_actions, NOBODY, np.int32) for _ in range(2))
    for successor, earlier in ((follower, graph.after), (crosser, graph.crosses)):
        later = np.flatnonzero(earlier != NOBODY)
        successor[earlier[later]] = later
    while leave_late(follower, crosser, away & (graph.ring == NOBODY), progress.landed):
        pass
    return Plan(plan.grid, _cells_at(graph, progress.landed, len(cells) - 1))


def _after(plan: Plan, agent: Ints, step: Ints, there: Ints) -> Ints:
    """Return for each action the one by which the agent before left its cell; a stay of the same agent does not count."""
    n_agents, n_actions = plan.n_agents, len(agent)
    last = np.append(agent[1:] != agent[:-1], True) if n_actions else np.zeros(0, bool)
    first = np.searchsorted(agent, np.arange(n_agents))
    moves = np.searchsorted(agent, np.arange(n_agents), "right") > first
    # a stay in a cell begins at the start or with an action, and ends with the next action of the agent
    who = np.append(np.arange(n_agents), agent)
    cell, since = np.append(plan.cells[0], there), np.append(np.zeros(n_agents, np.int32), step)
    leaves = np.append(np.where(moves, first, NOBODY), np.where(last, NOBODY, np.arange(n_actions) + 1))
    order = np.lexsort((since, cell))
    before, stay = order[:-1], order[1:]
    pairs = (cell[before] == cell[stay]) & (who[before] != who[stay])
    after = np.full(n_actions, NOBODY, np.int32)
    after[stay[pairs] - n_agents] = leaves[before[pairs]]
    return after


def _crosses(plan: Plan, agent: Ints, step: Ints, here: Ints, there: Ints) -> Ints:
    """Return for each diagonal move the last one before it on the other diagonal of its block, if it follows directly.

    Moves along one diagonal are ordered by the cells at its ends.
    """
    stride = plan.grid.stride
    far = np.abs(there - here)
    slash = far == stride - 1
    slanted = np.flatnonzero(slash | (far == stride + 1))
    block = (np.minimum(here, there) - slash)[slanted]
    order = slanted[np.lexsort((step[slanted], block))]
    block = (np.minimum(here, there) - slash)[order]
    pairs = (
        (block[1:] == block[:-1]) & (slash[order][1:] != slash[order][:-1]) & (agent[order][1:] != agent[order][:-1])
    )
    crosses = np.full(len(agent), NOBODY, np.int32)
    crosses[order[1:][pairs]] = order[:-1][pairs]
    return crosses


def _excursions(graph: Dependencies, goals: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the actions from that by which an agent leaves its goal to the last before it comes back to it."""
    home = graph.there == goals[graph.agent]
    actions = np.arange(graph.n_actions)
    first, end = (np.searchsorted(graph.agent, graph.agent, side) for side in ("left", "right"))
    last_home = np.maximum.accumulate(np.where(home, actions, -1))
    next_home = np.minimum.accumulate(np.where(home, actions, len(actions))[::-1])[::-1]
    has_been_home = (graph.plan.cells[0] == goals)[graph.agent] | (last_home >= first)
    return np.asarray(has_been_home & ~home & (next_home < end))


def _cells_at(graph: Dependencies, landed: Ints, n_steps: int) -> Ints:
    """Return the plan in which each action is done at the step that `landed` says."""
    cells = np.tile(graph.plan.cells[0], (n_steps + 1, 1))
    latest = np.zeros(cells.shape, np.intp)
    latest[landed, graph.agent] = landed
    cells[landed, graph.agent] = graph.there
    return np.take_along_axis(cells, np.maximum.accumulate(latest, axis=0), axis=0)


def _checked_delay(delay: ArrayLike, n_agents: int) -> NDArray[np.float64]:
    chances = np.asarray(delay, np.float64)
    if chances.shape not in ((), (n_agents,)):
        raise BadInput(f"a delay is one number or one for each of {n_agents} agents, not the shape {chances.shape}")
    each = np.broadcast_to(chances, n_agents).copy()
    wrong = ~((each >= 0.0) & (each < 1.0))
    if wrong.any():
        raise BadInput(f"a delay is a probability, 0 or more and less than 1, not {each[wrong][0]:g}")
    return each


def _checked_durations(durations: ArrayLike | None, n_actions: int) -> Ints:
    lasts = np.ones(n_actions, np.int32) if durations is None else np.asarray(durations)
    if lasts.shape != (n_actions,) or not np.issubdtype(lasts.dtype, np.integer) or (lasts < 1).any():
        raise BadInput(f"durations are a whole number of steps, 1 or more, for each of {n_actions} actions")
    return lasts.astype(np.int32)
