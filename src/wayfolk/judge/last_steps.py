"""The last steps of a plan or a record: where every agent was, which goals it had, and how it came there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.judge.metrics import ending
from wayfolk.kernels.codes import GOAL, JOIN, LEAVE, MOVE, NOBODY, NOWHERE, RELEASE
from wayfolk.problem.plan import Plan
from wayfolk.problem.record import STEPS, TURNS, Record
from wayfolk.world.edits import after_edits
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

RECENT = 10
"""How many steps before the end are looked at; in a record, units of time."""

Trail = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class LastSteps:
    """The end of a plan or a record.

    states   the map at the end: a grid on which agents are points, or a graph of states
    time     when it ended, counted in `number`s: whole steps, or units of time
    recent   a row of cells or nodes for each of the last steps, the end last; NOWHERE for agents that are not there
    goals    a cell or node for each agent
    missing  the agents that should be on their goals and are not
    ours     the agents that are under control
    resting  since when each agent has been in its last cell
    trail    returns when an agent came to which cells, since it got its goal
    """

    states: Grid | StateGraph
    time: float
    recent: NDArray[np.int64]
    goals: NDArray[np.int64]
    missing: NDArray[np.bool_]
    ours: NDArray[np.bool_]
    resting: NDArray[np.float64]
    trail: Callable[[int], Trail]
    number: type[int] | type[float]

    def occupants(self) -> NDArray[np.int32]:
        """Return the agent that holds each place, for each row of `recent`; the places of points on a grid are cells."""
        row, agent = np.nonzero(self.recent != NOWHERE)
        nodes = self.recent[row, agent]
        if isinstance(self.states, Grid):
            taken = np.full((len(self.recent), self.states.n_cells), NOBODY, np.int32)
            taken[row, nodes] = agent
            return taken
        table = self.states.occupancy
        taken = np.full((len(self.recent), table.n_places), NOBODY, np.int32)
        for k, one, node in zip(row.tolist(), agent.tolist(), nodes.tolist(), strict=True):
            taken[k, table.node_places[table.node_first[node] : table.node_first[node + 1]]] = one
        return taken


def of_plan(plan: Plan, goals: ArrayLike) -> LastSteps:
    """Return the last steps of a plan whose agents have these goals."""
    cells, wanted = np.asarray(plan.cells, np.int64), np.asarray(goals, np.int64)

    def trail(agent: int) -> Trail:
        path = cells[:, agent]
        entered = np.flatnonzero(np.append(True, path[1:] != path[:-1]))
        return entered.astype(np.float64), path[entered]

    return LastSteps(
        states=plan.states,
        time=float(plan.n_steps),
        recent=cells[-RECENT - 1 :],
        goals=wanted,
        missing=~plan.home(goals)[-1],
        ours=np.ones(plan.n_agents, bool),
        resting=_rest_steps(cells).astype(np.float64),
        trail=trail,
        number=int,
    )


def _rest_steps(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return since when each agent has been in its last cell."""
    away = cells != cells[-1]
    steps: NDArray[np.int64] = np.where(away.any(0), len(cells) - away[::-1].argmax(0), 0)
    return steps


def of_record(record: Record) -> LastSteps:
    """Return the last units of time of a record."""
    final, n_agents = ending(record), len(record.starts)
    entries = np.flatnonzero(np.isin(record.kind, (MOVE, JOIN, LEAVE)))
    lasting = {STEPS: 1.0, TURNS: record.tick}.get(record.model, 0.0)
    lasts = np.where(record.kind[entries] == MOVE, lasting, 0.0)
    time, agent = record.time[entries] + lasts, record.agent[entries]
    cell = np.where(record.kind[entries] == LEAVE, NOWHERE, record.cell[entries]).astype(np.int64)
    times = np.arange(max(np.floor(record.end) - RECENT, 0.0), np.floor(record.end) + 1) + record.end % 1
    recent = np.tile(record.starts.astype(np.int64), (len(times), 1))
    for row, now in enumerate(times):
        done = time <= now
        recent[row, agent[done]] = cell[done]  # of rows of one agent, the last is kept
    resting = np.zeros(n_agents)
    resting[agent] = time
    ours = np.ones(n_agents, bool)
    control = np.flatnonzero(np.isin(record.kind, (JOIN, RELEASE)))
    ours[record.agent[control]] = record.kind[control] == JOIN
    orders = record.of(GOAL)

    def trail(one: int) -> Trail:
        ordered = record.time[orders][record.agent[orders] == one].max(initial=0.0)
        own = np.flatnonzero(agent == one)
        when, where = np.append(0.0, time[own]), np.append(record.starts[one], cell[own])
        first = max(int(np.searchsorted(when, ordered, "right")) - 1, int(where[0] == NOWHERE))
        when = np.maximum(when, ordered)
        return when[first:], where[first:].astype(np.int64)

    return LastSteps(
        states=after_edits(record.states, record.kind, record.cell),
        time=record.end,
        recent=recent,
        goals=final.goal.astype(np.int64),
        missing=final.counts & ~final.home & (recent[-1] != NOWHERE),
        ours=ours,
        resting=resting,
        trail=trail,
        number=int if record.model == STEPS else float,
    )
