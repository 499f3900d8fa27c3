"""What a plan or a run is worth: each measure defined once, with where the definition comes from.

Measures of plans take the plan and `goals`, one cell for each agent, and believe that the plan is legal (ask `check`).
Two of them are easily confused: the sum of costs charges an agent for every step until it rests on its goal for good,
the sum of loss forgives the steps it rested there before it was pushed away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadProblem, NotSupported
from wayfolk.plan import Plan
from wayfolk.problem import Problem
from wayfolk.record import ARRIVE, REFUSED, Record


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


def _needs_one_goal(problem: Problem) -> None:
    if not problem.is_one_shot:
        raise NotSupported("costs of a plan are defined for one goal each: measure patrols and tasks by their record")
