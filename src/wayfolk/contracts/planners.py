"""The contract of planners: many agents, a whole plan."""

from __future__ import annotations

import numpy as np

from wayfolk.contracts.check import Case, Check, Draw, expect, expect_error, expect_no_faults, registered_in
from wayfolk.contracts.reference import TooManyStates, all_plans_solvable, joint_optimum, steps_from
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.judge.metrics import sum_of_costs, sum_of_loss
from wayfolk.judge.plans import check as faults_of
from wayfolk.problem.problem import Problem, one_shot, patrol
from wayfolk.problem.result import Result, Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map

MAX_SIDE, MAX_AGENTS = 5, 3
AMPLE = 1000  # seconds, on a machine that may be busy: far more than is needed
CHECKS: list[Check] = []
check = registered_in(CHECKS)


@check("finds what its facts promise", drawn=True)
def holds_its_facts(case: Case, draw: Draw) -> None:
    """Plans are legal; COMPLETE and OPTIMAL hold; the problem stays as it is."""
    problem = draw.problem(MAX_AGENTS, MAX_SIDE)
    before = problem.starts.copy(), problem.routes.copy()
    limit = None if case.entry.facts.get("ANYTIME") else AMPLE
    result = solve(problem, case.entry, seconds=limit, **case.options)
    unchanged = (problem.starts == before[0]).all() and (problem.routes == before[1]).all()
    expect(unchanged, "the problem was changed")
    _check_plan(problem, result)
    _check_promises(case, problem, result)


def _check_plan(problem: Problem, result: Result) -> None:
    if result.is_solved:
        assert result.plan is not None
        expect_no_faults(faults_of(result.plan, problem), "the plan")
        return
    if result.plan is not None:
        expect_no_faults(faults_of(result.plan, problem, arrive=False), "the plan")
    known = (Status.GAVE_UP, Status.IMPOSSIBLE, Status.OUT_OF_TIME, Status.PARTIAL)
    expect(result.status in known, f"it ends as {result.status.value}")


def _check_promises(case: Case, problem: Problem, result: Result) -> None:
    facts = case.entry.facts
    if not (facts.get("OPTIMAL") or facts.get("COMPLETE")) and result.status is not Status.IMPOSSIBLE:
        return
    try:
        solvable = all_plans_solvable(problem.grid, problem.starts, problem.goals)
    except TooManyStates:
        return
    if facts.get("COMPLETE"):
        expect(result.is_solved == solvable, f"it ends as {result.status.value}, solvable is {solvable}")
    if result.status is Status.IMPOSSIBLE:
        expect(not solvable, "it says that there is no plan, and there is one")
    if facts.get("OPTIMAL") and result.is_solved:
        assert result.plan is not None
        cost = sum_of_costs(result.plan, problem.goals)
        best = joint_optimum(problem.grid, problem.starts, problem.goals)
        expect(cost == best, f"the sum of costs is {cost}, and the best {best}")


@check("one agent takes a shortest way", drawn=True, needs="COMPLETE")
def one_agent_takes_a_shortest_way(case: Case, draw: Draw) -> None:
    """For a single agent, a plan is a shortest path."""
    problem = draw.problem(1, MAX_SIDE)
    result = solve(problem, case.entry, **case.options)
    expect(result.is_solved, f"it ends as {result.status.value}")
    assert result.plan is not None
    fewest = steps_from(problem.grid, int(problem.starts[0]))[int(problem.goals[0])]
    expect(result.plan.n_steps == fewest, f"the plan has {result.plan.n_steps} steps, and the best {fewest}")


@check("a pause changes nothing", drawn=True)
def paused_and_resumed_gives_the_same(case: Case, draw: Draw) -> None:
    """Advanced by three expansions at a time, it answers as if advanced to the end at once."""
    problem = draw.problem(MAX_AGENTS, MAX_SIDE)
    whole = solve(problem, case.entry, **case.options)
    task = begin_plan(problem, case.entry, **case.options)
    while not (task.advance(3).is_final or task.has_plan):
        pass
    paused = task.result()
    expect(paused.status is whole.status, f"paused it ends as {paused.status.value}, else as {whole.status.value}")
    plan = paused.plan
    if whole.is_solved:
        assert whole.plan is not None
        expect(plan is not None and (plan.cells == whole.plan.cells).all(), "paused and resumed, the plan is another")


def n_agents_of(case: Case) -> int:
    """How many agents a crowd has: forty, or fewer if the fact AGENTS says that the planner is made for fewer."""
    return min(40, int(case.entry.facts.get("AGENTS", 40)))


def crowd(agents: int, seed: int = 0, moves: str = "four") -> Problem:
    """A map of 24 x 24 with 15 % walls, and `agents` with random starts and goals."""
    grid = random_map(24, 24, 0.15, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


@check("the same seed gives the same plan")
def same_seed_same_plan_in_a_crowd(case: Case) -> None:
    """A crowd, twice, with both move rules; an anytime planner stops at its first plan."""
    limit = None if case.entry.facts.get("ANYTIME") else AMPLE
    for moves in ("four", "eight"):
        problem = crowd(n_agents_of(case), moves=moves)
        one, two = (solve(problem, case.entry, seed=7, seconds=limit, **case.options) for _ in range(2))
        expect(one.status is two.status, f"it ends as {one.status.value} and as {two.status.value}")
        expect(one.counters == two.counters, "the second time it counts something else")
        if one.is_solved:
            assert one.plan is not None
            assert two.plan is not None
            expect(np.array_equal(one.plan.cells, two.plan.cells), "the second plan is another")
            expect_no_faults(faults_of(one.plan, problem), "the plan")


@check("solves a crowd", needs="COMPLETE")
def solves_a_crowd(case: Case) -> None:
    """A crowd, with both move rules."""
    limit = None if case.entry.facts.get("ANYTIME") else AMPLE
    for moves in ("four", "eight"):
        result = solve(crowd(n_agents_of(case), moves=moves), case.entry, seed=7, seconds=limit, **case.options)
        expect(result.is_solved, f"with {moves} moves it ends as {result.status.value}")


@check("a budget and a deadline are kept")
def a_budget_and_a_deadline_are_kept(case: Case) -> None:
    """Five expansions, or no time at all, are not enough for sixty agents."""
    problem = crowd(60, seed=1)
    status = solve(problem, case.entry, expansions=5, **case.options).status
    expect(status is Status.OUT_OF_BUDGET, f"after 5 expansions it ends as {status.value}")
    status = solve(problem, case.entry, seconds=1e-9, **case.options).status
    expect(status is Status.OUT_OF_TIME, f"after no time it ends as {status.value}")


@check("more time never makes a plan worse", applies=lambda case: bool(case.entry.facts.get("ANYTIME")))
def more_work_never_makes_a_plan_worse(case: Case) -> None:
    """An anytime planner has a legal plan from the first one on, and its sum of loss or of costs never rises."""
    problem = crowd(n_agents_of(case), seed=2)
    task = begin_plan(problem, case.entry, seed=1, **case.options)
    while not (task.advance(1000).is_final or task.has_plan):
        pass
    costs = []
    for _ in range(4):
        result = task.result()
        expect(result.is_solved, f"with a plan it is {result.status.value}")
        assert result.plan is not None
        expect_no_faults(faults_of(result.plan, problem), "the plan")
        costs.append((sum_of_loss(result.plan, problem.goals), sum_of_costs(result.plan, problem.goals)))
        task.advance(2000)
    falls = [sorted(column, reverse=True) == list(column) for column in zip(*costs, strict=True)]
    expect(any(falls), f"sums of loss and of costs: {costs}")


@check("patrols are refused")
def patrols_are_refused(case: Case) -> None:
    """A plan ends; a patrol does not."""
    problem = patrol(random_map(10, 10, 0.0), agents=3, loops=2)
    expect_error(NotSupported, "", lambda: begin_plan(problem, case.entry))


@check("two agents with one goal are named")
def two_agents_with_one_goal_are_refused(case: Case) -> None:
    """There is no plan for them."""
    problem = one_shot(random_map(6, 6, 0.0), [(0, 0), (5, 0)], [(5, 5), (5, 5)])
    expect_error(BadProblem, "agents 0, 1 share the goal (5, 5)", lambda: solve(problem, case.entry))
