"""Measures of plans and runs: each is defined once, with the source of its definition.

Measures of plans take the plan and `goals`, one cell for each agent, and assume that the plan is legal (see `check`).
An `Ending` has the same measures for a record, in which goals change and agents join and leave.
Two of them are easily confused: the sum of costs charges an agent for every step until it rests on its goal for good; the
sum of loss does not charge the steps that it rested there before it left again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadProblem, NotSupported
from wayfolk.kernels.codes import ARRIVE, GOAL, JOIN, LEAVE, MOVE, NOWHERE, REFUSED, RELEASE
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import DISTANCE, TURNS, Record
from wayfolk.world.grid import Grid, Moves

if TYPE_CHECKING:
    from wayfolk.world.state_graph import StateGraph


def rest_steps(plan: Plan, goals: ArrayLike) -> NDArray[np.int64]:
    """Return for each agent the step at which it arrives and stays; the last step if it is not there at the end."""
    return plan.rest_steps(goals)


def makespan(plan: Plan, goals: ArrayLike) -> int:
    """Return the step from which all agents rest on their goals; the last step if one of them does not.

    Waits of all agents at the end of a plan are not counted: the common definition in multi-agent pathfinding.
    """
    return int(rest_steps(plan, goals).max(initial=0))


def sum_of_costs(plan: Plan, goals: ArrayLike) -> int:
    """Return the sum over agents of the step at which each arrives and stays.

    Waits on the goal are free only for an agent that never leaves again. An agent that is not there at the end is charged
    for the whole plan.
    """
    return int(rest_steps(plan, goals).sum())


def sum_of_loss(plan: Plan, goals: ArrayLike) -> int:
    """Return 1 for each step of each agent, unless it is on its goal before and after the step.

    An agent that leaves its goal is not charged for the waits before that: never more than the sum of costs. LaCAM* and
    LaCAM3 minimise this.
    """
    home = plan.home(goals)
    return int((~(home[1:] & home[:-1])).sum())


def fuel(plan: Plan) -> int:
    """Return the number of moves; waits are not counted. A diagonal move is one move."""
    return int((plan.cells[1:] != plan.cells[:-1]).sum())


def travel_distance(plan: Plan) -> float:
    """Return the summed length of all moves: 1, or `grid.diagonal` for a diagonal one; terrain does not count.

    The paper on BMAA* gives the mean over agents: divide by their number.
    """
    return float(step_lengths(plan.states, plan.cells[:-1], plan.cells[1:]).sum())


def step_lengths(states: Grid | StateGraph, here: ArrayLike, there: ArrayLike) -> NDArray[np.float64]:
    """Return the length of the move from each of `here` to each of `there`, 0 for a wait; terrain does not count.

    Between nodes with positions it is the straight distance, and 0 for a turn; without positions each move counts as 1.
    """
    if isinstance(states, Grid):
        apart = np.abs(states.places(there) - states.places(here))
        return np.asarray(apart.min(-1) * (states.diagonal - 1.0) + apart.max(-1), np.float64)
    begin, end = np.asarray(here), np.asarray(there)
    if states.positions is None:
        return np.asarray(begin != end, np.float64)
    return np.asarray(np.linalg.norm(states.positions[end] - states.positions[begin], axis=-1), np.float64)


def completion_rate(plan: Plan, goals: ArrayLike) -> float:
    """Return the share of agents that are on their goals at the end, 1.0 without agents. From the paper on BMAA*."""
    return 1.0 - failed_units(plan, goals) / plan.n_agents if plan.n_agents else 1.0


def completion_time(plan: Plan, goals: ArrayLike, limit: float | None = None) -> float:
    """Return the mean over agents of the last arrival; an agent not on its goal at the end counts as `limit`.

    Without a `limit` that is the length of the plan. From the slides on BMAA*.
    """
    arrived = plan.home(goals)[-1]
    times = np.where(arrived, rest_steps(plan, goals), plan.n_steps if limit is None else limit)
    return float(times.mean()) if plan.n_agents else 0.0


def failed_units(plan: Plan, goals: ArrayLike) -> int:
    """Return the number of agents that are not on their goals at the end.

    Renukamurthy 2016 does not define it. Its section 5.4 says that most of them had been on their goals before:
    `strayed_units` counts those.
    """
    return int((~plan.home(goals)[-1]).sum())


def strayed_units(plan: Plan, goals: ArrayLike) -> int:
    """Return how many of the failed agents had reached their goals, and then left to let others pass."""
    home = plan.home(goals)
    return int((home.any(0) & ~home[-1]).sum())


def lower_bound(problem: Problem, seconds: float | None = None) -> int:
    """Return the sum of each agent's fewest steps to its goal if it were alone: no sum of costs or loss is less.

    With `seconds`, agents for which there is no time count with the steps that they would need on an empty map.
    """
    if seconds is None:
        return int(_fewest_steps(problem).sum(dtype=np.int64))
    from wayfolk.kernels.deadline import OutOfTime, deadline, in_parts

    states, steps = problem.states, _steps_on_empty_map(problem)
    try:
        with deadline(seconds):
            for part in in_parts(np.arange(problem.n_agents), len(states.free_cells)):
                steps[part] = _fewest_steps(problem, part)
    except OutOfTime:
        pass
    return int(steps.sum(dtype=np.int64))


def _steps_on_empty_map(problem: Problem) -> NDArray[np.int64]:
    """The steps of each agent to its goal if there were no walls; 0 where only the edges say how far it is."""
    if not problem.is_plain:
        return np.zeros(problem.n_agents, np.int64)
    away = np.abs(problem.grid.places(problem.goals) - problem.grid.places(problem.starts)).astype(np.int64)
    steps: NDArray[np.int64] = away.sum(1) if problem.grid.moves is Moves.FOUR else away.max(1)
    return steps


def _fewest_steps(problem: Problem, agents: NDArray[np.intp] | slice = slice(None)) -> NDArray[np.int32]:
    """The fewest steps of each of some agents."""
    from wayfolk.kernels.distances import UNREACHED
    from wayfolk.world.spots import fewest_steps

    _needs_one_goal(problem)
    states = problem.states
    steps = fewest_steps(states, problem.starts[agents], problem.goals[agents])
    lost = steps == UNREACHED
    if lost.any():
        agent = int(np.arange(problem.n_agents)[agents][lost.argmax()])
        raise BadProblem(f"agent {agent} cannot reach its goal {states.place(int(problem.goals[agent]))}")
    return steps


def summary(plan: Plan, problem: Problem) -> dict[str, float]:
    """Return every measure of a plan that needs only the plan and the goals, by name."""
    _needs_one_goal(problem)
    goals = problem.goals
    return {
        "makespan": makespan(plan, goals),
        "sum_of_costs": sum_of_costs(plan, goals),
        "sum_of_loss": sum_of_loss(plan, goals),
        "fuel": fuel(plan),
        "travel_distance": travel_distance(plan),
        "completion_rate": completion_rate(plan, goals),
        "completion_time": completion_time(plan, goals),
        "failed_units": failed_units(plan, goals),
    }


def collisions(record: Record) -> int:
    """Return the number of refused moves: collisions in Jansen 2008, failed moves in HOG2."""
    return len(record.of(REFUSED))


def collisions_by_agent(record: Record) -> NDArray[np.int64]:
    """Return how many moves of each agent were refused."""
    return np.bincount(record.agent[record.of(REFUSED)], minlength=len(record.starts))


def arrivals(record: Record) -> int:
    """Return how often agents reached the goal that they had at that time."""
    return len(record.of(ARRIVE))


def arrivals_by_agent(record: Record) -> NDArray[np.int64]:
    """Return how often each agent reached the goal that it had at that time."""
    return np.bincount(record.agent[record.of(ARRIVE)], minlength=len(record.starts))


@dataclass(frozen=True, eq=False)
class Service:
    """How a stream of tasks was served. A task ends when its agent reaches the last of its places.

    `agent` and `times` have an entry for each task that has ended: who did it, and the time from the end of the agent's
    task before (or its first appearance) to the end of this one. The papers on RHCR and on guidance graphs give the
    throughput, those on pickup and delivery (Ma et al., "Lifelong multi-agent path finding for online pickup and delivery
    tasks", 2017) the service time.
    """

    agent: NDArray[np.int32]
    times: NDArray[np.float64]
    waiting: float
    end: float

    @property
    def tasks(self) -> int:
        """The number of tasks that have ended."""
        return len(self.times)

    @property
    def throughput(self) -> float:
        """The tasks that end per unit of time: deliveries, not visits, and loops of patrols. Nothing else is called so."""
        return self.tasks / self.end if self.end > 0 else 0.0

    def percentile(self, percent: float) -> float:
        """The service time that `percent` of the tasks do not exceed, 0 without tasks."""
        return float(np.percentile(self.times, percent)) if self.tasks else 0.0

    def summary(self) -> dict[str, float]:
        """All of them, by name."""
        times = {f"service_p{percent}": self.percentile(percent) for percent in (50, 90, 99)}
        return {"tasks": float(self.tasks), "throughput": self.throughput, **times, "waiting": self.waiting}


def service(record: Record, places: int = 1) -> Service:
    """Return how tasks of `places` places each were served: 1 for a stream of goals, 2 for pickups with deliveries.

    `waiting` is the share of their time that agents did not move; the time after they have left is not counted.
    """
    n = len(record.starts)
    lengths = np.zeros(len(record))
    lengths[record.of(MOVE)] = move_times(record)
    rows = record.of(ARRIVE)  # each follows the move that led there
    rows = rows[np.argsort(record.agent[rows], kind="stable")]
    agents = record.agent[rows]
    nth = np.arange(len(rows)) - np.searchsorted(agents, agents)
    rows, agents, nth = (column[nth % places == places - 1] for column in (rows, agents, nth))
    ends = record.time[rows] + lengths[rows - 1]
    joins, leaves = record.of(JOIN), record.of(LEAVE)
    appeared = np.zeros(n)
    late = joins[record.starts[record.agent[joins]] == NOWHERE][::-1]  # of rows of one agent, the first is kept
    appeared[record.agent[late]] = record.time[late]
    is_first = nth < places
    begins = np.where(is_first, appeared[agents], np.append(0.0, ends[:-1]))
    there = record.end * int((record.starts != NOWHERE).sum()) + float((record.end - record.time[joins]).sum())
    there -= float((record.end - record.time[leaves]).sum())
    waiting = 1.0 - float(lengths.sum()) / there if there > 0 else 0.0
    return Service(agents, ends - begins, max(waiting, 0.0), record.end)


def move_lengths(record: Record) -> NDArray[np.float64]:
    """Return the length of each move of a record, from the cell where its agent was; terrain does not count."""
    rows = np.flatnonzero(np.isin(record.kind, (MOVE, JOIN)))
    rows = rows[np.argsort(record.agent[rows], kind="stable")]
    agents, cells, is_move = record.agent[rows], record.cell[rows], record.kind[rows] == MOVE
    before = np.append(cells[:1], cells[:-1])
    first = np.append(True, agents[1:] != agents[:-1])[: len(rows)]
    before[first] = record.starts[agents[first]]
    lengths = np.zeros(len(record))
    lengths[rows[is_move]] = step_lengths(record.states, before[is_move], cells[is_move])
    return lengths[record.of(MOVE)]


def move_times(record: Record) -> NDArray[np.float64]:
    """Return how long each move of a record takes: its length in the `distance` model, else a step or a turn."""
    if record.model == DISTANCE:
        return move_lengths(record)
    return np.full(len(record.of(MOVE)), record.tick if record.model == TURNS else 1.0)


@dataclass(frozen=True, eq=False)
class Ending:
    """How a record ends for the agents in `counts`: those that are still present and under control.

    `here` and `goal` are cells, or nodes: of a body that turns, the first of its cell. `since` is the time from which an
    agent has been on its goal; it has no meaning for an agent that is not `home`. The definitions are those of the slides
    on BMAA*, where no agents join or leave.
    """

    here: NDArray[np.int32]
    goal: NDArray[np.int32]
    since: NDArray[np.float64]
    walked: NDArray[np.float64]
    counts: NDArray[np.bool_]
    end: float

    @property
    def home(self) -> NDArray[np.bool_]:
        """Which agents are on their goals."""
        return np.asarray(self.counts & (self.here == self.goal))

    @property
    def completion_rate(self) -> float:
        """The share of the agents in `counts` that are on their goals, 1.0 without such agents."""
        return float(self.home.sum() / self.counts.sum()) if self.counts.any() else 1.0

    @property
    def completion_time(self) -> float:
        """The mean time at which they last reached their goals; the end of the record for agents that are not there."""
        return self._mean(np.where(self.home, self.since, self.end))

    @property
    def travel_distance(self) -> float:
        """The mean distance that they have moved."""
        return self._mean(self.walked)

    def completion_seconds(self, laps: NDArray[np.void], limit: float) -> float:
        """Return the mean second of planning in which they last reached their goals; `limit` for those not there.

        `laps` are those of a run with a clock. Table II of the slides on BMAA* gives this.
        """
        times, seconds = np.append(0.0, laps["time"]), np.append(0.0, np.cumsum(laps["seconds"]))
        return self._mean(np.where(self.home, np.interp(self.since, times, seconds), limit))

    def _mean(self, values: NDArray[np.float64]) -> float:
        return float(values[self.counts].mean()) if self.counts.any() else 0.0


def ending(record: Record) -> Ending:
    """Return where all agents are at the end of a record, and since when."""
    n = len(record.starts)
    moves, orders = record.of(MOVE), record.of(GOAL)
    lands = np.flatnonzero(np.isin(record.kind, (MOVE, JOIN)))
    control = np.flatnonzero(np.isin(record.kind, (JOIN, LEAVE, RELEASE)))
    lengths = move_lengths(record)
    lasts = np.zeros(len(record))
    lasts[moves] = move_times(record)
    here, goal, since, ordered = record.starts.copy(), record.starts.copy(), np.zeros(n), np.zeros(n)
    # of rows of one agent, the last is kept
    here[record.agent[lands]] = record.cell[lands]
    since[record.agent[lands]] = record.time[lands] + lasts[lands]
    goal[record.agent[orders]] = record.cell[orders]
    ordered[record.agent[orders]] = record.time[orders]
    counts = np.ones(n, bool)
    counts[record.agent[control]] = record.kind[control] == JOIN
    walked = np.bincount(record.agent[moves], lengths, n).astype(np.float64)
    if not isinstance(record.states, Grid):
        stands = np.append(record.states.stand_of, NOWHERE)
        here, goal = (stands[np.minimum(nodes, record.states.n_cells)] for nodes in (here, goal))
    return Ending(here, goal, np.maximum(since, ordered), walked, counts, record.end)


def planning_time(laps: NDArray[np.void]) -> dict[str, float]:
    """Return the seconds of planning for each agent and step, as `mean`, `p99` and `max`, of a run with a clock.

    The seconds of a step are divided by the agents under control; they include the referee's small part. The mean is over
    agents and steps, the others are over steps.
    """
    kept = laps[laps["agents"] > 0]
    if not kept.size:
        return {"mean": 0.0, "p99": 0.0, "max": 0.0}
    shares = kept["seconds"] / kept["agents"]
    mean = kept["seconds"].sum() / kept["agents"].sum()
    return {"mean": float(mean), "p99": float(np.percentile(shares, 99)), "max": float(shares.max())}


def clock_summary(laps: NDArray[np.void]) -> dict[str, float]:
    """Return the planning time of a run with a clock, for JSON.

    The keys `planning_*_us` are microseconds for each agent and step (see `planning_time`), and `step_*_ms` are
    milliseconds of whole steps.
    """
    steps = np.percentile(laps["seconds"], (50, 99, 100)) * 1e3 if laps.size else np.zeros(3)
    planning = {f"planning_{name}_us": value * 1e6 for name, value in planning_time(laps).items()}
    return planning | dict(zip(("step_p50_ms", "step_p99_ms", "step_max_ms"), steps.tolist(), strict=True))


def _needs_one_goal(problem: Problem) -> None:
    if not problem.is_one_shot:
        raise NotSupported("costs of a plan are defined for one goal each: measure patrols and tasks by their record")
