"""What a plan or a run is worth: each measure defined once, with where the definition comes from.

Measures of plans take the plan and `goals`, one cell for each agent, and believe that the plan is legal (ask `check`).
An `Ending` says the same of a record, in which goals change and agents come and go.
Two of them are easily confused: the sum of costs charges an agent for every step until it rests on its goal for good,
the sum of loss forgives the steps it rested there before it was pushed away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadProblem, NotSupported
from wayfolk.plan import Plan
from wayfolk.problem import Problem
from wayfolk.record import ARRIVE, GOAL, JOIN, LEAVE, MOVE, REFUSED, RELEASE, STEPS, Record


def rest_steps(plan: Plan, goals: ArrayLike) -> NDArray[np.int64]:
    """For each agent the step at which it arrives and stays, the last step if it is not there at the end.

    "The last time it arrives and stays".
    """
    away = plan.cells != np.asarray(goals)
    last_away = np.where(away.any(0), plan.n_steps - away[::-1].argmax(0), -1)
    steps: NDArray[np.int64] = np.minimum(last_away + 1, plan.n_steps)
    return steps


def makespan(plan: Plan, goals: ArrayLike) -> int:
    """The step from which everyone rests on its goal; the whole plan if somebody never does.

    Waiting together at the end of a plan is free. The common definition in multi-agent pathfinding.
    """
    return int(rest_steps(plan, goals).max(initial=0))


def sum_of_costs(plan: Plan, goals: ArrayLike) -> int:
    """The sum over agents of the step at which each arrives and stays.

    Goal waits are free only for whoever never leaves again; who is not there at the end pays for the whole plan.
    """
    return int(rest_steps(plan, goals).sum())


def sum_of_loss(plan: Plan, goals: ArrayLike) -> int:
    """For each step 1 for each agent, unless both ends of the step are its goal.

    Leaving the goal later does not charge the earlier waits: never more than the sum of costs. What LaCAM* and LaCAM3
    minimise.
    """
    home = plan.cells == np.asarray(goals)
    return int((~(home[1:] & home[:-1])).sum())


def fuel(plan: Plan) -> int:
    """The number of moves; waits are not counted. A diagonal move is one move."""
    return int((plan.cells[1:] != plan.cells[:-1]).sum())


def travel_distance(plan: Plan) -> float:
    """The summed length of all moves: 1, or `grid.diagonal` for a diagonal one; terrain does not count.

    BMAA* gives the mean over agents: divide by their number.
    """
    here, there = plan.cells[:-1], plan.cells[1:]
    dx, dy = np.moveaxis(plan.grid.places(there) - plan.grid.places(here), -1, 0)
    diagonal, moved = (dx != 0) & (dy != 0), (dx != 0) | (dy != 0)
    return float((moved & ~diagonal).sum() + plan.grid.diagonal * diagonal.sum())


def completion_rate(plan: Plan, goals: ArrayLike) -> float:
    """The share of agents that stand on their goals at the end, 1.0 where there are none. BMAA*."""
    return 1.0 - failed_units(plan, goals) / plan.n_agents if plan.n_agents else 1.0


def completion_time(plan: Plan, goals: ArrayLike, limit: float | None = None) -> float:
    """The mean over agents of the last arrival; those not at their goal at the end count as `limit`.

    Without a `limit` that is the length of the plan, the most that was observed. The slides on BMAA*.
    """
    arrived = plan.cells[-1] == np.asarray(goals)
    times = np.where(arrived, rest_steps(plan, goals), plan.n_steps if limit is None else limit)
    return float(times.mean()) if plan.n_agents else 0.0


def failed_units(plan: Plan, goals: ArrayLike) -> int:
    """The number of agents that do not stand on their goals at the end.

    The SDP thesis never defines it; its section 5.4 says that most of them had been there once: see `strayed_units` for
    those.
    """
    return int((plan.cells[-1] != np.asarray(goals)).sum())


def strayed_units(plan: Plan, goals: ArrayLike) -> int:
    """How many of the failed had reached their goal once, and then left it to let others pass."""
    home = plan.cells == np.asarray(goals)
    return int((home.any(0) & ~home[-1]).sum())


def lower_bound(problem: Problem) -> int:
    """The sum of each agent's fewest steps to its goal, as if it were alone: no sum of costs or loss is less."""
    return int(_fewest_steps(problem).sum(dtype=np.int64))


def _fewest_steps(problem: Problem) -> NDArray[np.int32]:
    from wayfolk.kernels.distance import UNREACHED, fewest_steps

    _needs_one_goal(problem)
    steps = fewest_steps(problem.grid, problem.starts, problem.goals)
    lost = steps == UNREACHED
    if lost.any():
        agent = int(lost.argmax())
        raise BadProblem(f"agent {agent} cannot reach its goal {problem.grid.place(problem.goals[agent])}")
    return steps


def summary(plan: Plan, problem: Problem) -> dict[str, float]:
    """Every measure of a plan that needs nothing but the plan and the goals."""
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
    """The number of refused moves: collisions in the Direction Map thesis, failed moves in HOG2."""
    return len(record.of(REFUSED))


def collisions_by_agent(record: Record) -> NDArray[np.int64]:
    """How many moves of each agent were refused."""
    return np.bincount(record.agent[record.of(REFUSED)], minlength=len(record.starts))


def arrivals(record: Record) -> int:
    """How often an agent reached the goal it had then."""
    return len(record.of(ARRIVE))


def arrivals_by_agent(record: Record) -> NDArray[np.int64]:
    """How often each agent reached the goal it had then."""
    return np.bincount(record.agent[record.of(ARRIVE)], minlength=len(record.starts))


def throughput(record: Record) -> float:
    """Arrivals for each unit of time, over the whole record. RHCR and guidance graphs."""
    return arrivals(record) / record.end if record.end > 0 else 0.0


def move_lengths(record: Record) -> NDArray[np.float64]:
    """The length of each move of a record, from where its agent was before; terrain does not count."""
    rows, grid = record.of(MOVE), record.grid
    agents, cells = record.agent[rows], record.cell[rows]
    origin = record.starts.copy()
    joins = record.of(JOIN)
    origin[record.agent[joins]] = record.cell[joins]
    order = np.argsort(agents, kind="stable")
    before = np.empty_like(cells)
    before[order[1:]] = cells[order[:-1]]
    first = np.ones(len(order), bool)
    first[1:] = agents[order][1:] != agents[order][:-1]
    before[order[first]] = origin[agents[order[first]]]
    apart = np.abs(grid.places(cells) - grid.places(before))
    lengths: NDArray[np.float64] = np.where(apart.sum(1) == 2, grid.diagonal, 1.0)
    return lengths


@dataclass(frozen=True, eq=False)
class Ending:
    """How a record ends for those who `count`: agents that are still there and still ours.

    `since` is from when on an agent has stood where it is and wanted to be there; it means nothing for one that is not
    `home`. The definitions are those of the slides on BMAA*, where nobody comes or goes.
    """

    here: NDArray[np.int32]
    goal: NDArray[np.int32]
    since: NDArray[np.float64]
    walked: NDArray[np.float64]
    counts: NDArray[np.bool_]
    end: float

    @property
    def home(self) -> NDArray[np.bool_]:
        """Who stands on its goal."""
        return np.asarray(self.counts & (self.here == self.goal))

    @property
    def completion_rate(self) -> float:
        """The share of those who count that stand on their goals, 1.0 where nobody counts."""
        return float(self.home.sum() / self.counts.sum()) if self.counts.any() else 1.0

    @property
    def completion_time(self) -> float:
        """The mean time at which they last reached their goals; the end of the record for who is not there."""
        return self._mean(np.where(self.home, self.since, self.end))

    @property
    def travel_distance(self) -> float:
        """The mean length of their ways."""
        return self._mean(self.walked)

    def completion_seconds(self, laps: NDArray[np.void], limit: float) -> float:
        """The mean second of planning in which they last reached their goals; `limit` for who is not there.

        `laps` are those of a run with a clock. What Table II of the slides on BMAA* gives.
        """
        times, seconds = np.append(0.0, laps["time"]), np.append(0.0, np.cumsum(laps["seconds"]))
        return self._mean(np.where(self.home, np.interp(self.since, times, seconds), limit))

    def _mean(self, values: NDArray[np.float64]) -> float:
        return float(values[self.counts].mean()) if self.counts.any() else 0.0


def ending(record: Record) -> Ending:
    """Where everyone is at the end of a record, and since when."""
    n = len(record.starts)
    moves, joins, orders = record.of(MOVE), record.of(JOIN), record.of(GOAL)
    lengths = move_lengths(record)
    here, goal, since = record.starts.copy(), record.starts.copy(), np.zeros(n)
    # of rows of one agent, the last is kept
    here[record.agent[joins]] = record.cell[joins]
    here[record.agent[moves]] = record.cell[moves]
    goal[record.agent[orders]] = record.cell[orders]
    since[record.agent[moves]] = record.time[moves] + (1.0 if record.model == STEPS else lengths)
    ordered = np.zeros(n)
    ordered[record.agent[orders]] = record.time[orders]
    counts = np.ones(n, bool)
    counts[record.agent[np.isin(record.kind, (LEAVE, RELEASE))]] = False
    walked = np.bincount(record.agent[moves], lengths, n).astype(np.float64)
    return Ending(here, goal, np.maximum(since, ordered), walked, counts, record.end)


def planning_time(laps: NDArray[np.void]) -> dict[str, float]:
    """Seconds of planning for each agent and step: `mean`, `p99` and `max`, of a run with a clock.

    A step's seconds are shared by all agents under control; the referee's part, which is small, is in them. The mean is
    over agents and steps, the others are over steps.
    """
    kept = laps[laps["agents"] > 0]
    if not kept.size:
        return {"mean": 0.0, "p99": 0.0, "max": 0.0}
    shares = kept["seconds"] / kept["agents"]
    mean = kept["seconds"].sum() / kept["agents"].sum()
    return {"mean": float(mean), "p99": float(np.percentile(shares, 99)), "max": float(shares.max())}


def _needs_one_goal(problem: Problem) -> None:
    if not problem.is_one_shot:
        raise NotSupported("costs of a plan are defined for one goal each: measure patrols and tasks by their record")
