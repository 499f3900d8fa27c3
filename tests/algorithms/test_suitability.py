"""Which algorithms fit a problem or an objective, by facts and options."""

from typing import Annotated, Any, Literal

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.suitability import OBJECTIVES, complete_for, with_objective
from wayfolk.algorithms.task import Task
from wayfolk.errors import NotSupported, UnknownName
from wayfolk.problem.plan import from_paths
from wayfolk.problem.problem import one_shot, patrol
from wayfolk.problem.result import Result, Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.body import Body
from wayfolk.world.grid import Grid
from wayfolk.world.roadmap import Lane, Roadmap

GRID = Grid(np.ones((4, 4)), "four")
PROBLEM = one_shot(GRID, [(0, 0), (3, 3)], [(0, 1), (3, 2)])
FAMILY = "planners"


class Told(Task):
    """Steps straight to goals that are beside the starts, and remembers its objective."""

    def __init__(self, problem: Any, objective: str) -> None:
        self.problem, self.objective = problem, objective

    def advance(self, budget: int = 1) -> Status:
        self.status = Status.SOLVED
        return self.status

    def result(self) -> Result:
        starts, goals = self.problem.starts, self.problem.goals
        paths = [np.array(pair, np.int32) for pair in zip(starts, goals, strict=True)]
        return Result(self.status, "told", plan=from_paths(self.problem.grid, paths), detail=self.objective)


def begin(
    problem: Any, *, objective: Annotated[Literal["makespan", "sum_of_costs"], "What to minimise."] = "makespan"
) -> Task:
    return Told(problem, objective)


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The facts of CA*, HCA* and BCP as complete planners; every other algorithm is none."""
    for family in ("planners", "controllers"):
        for entry in catalogue.entries(family):
            monkeypatch.setitem(entry.facts, "COMPLETE", entry.name in ("ca", "hca", "bcp"))
    return {entry.name: entry.facts for entry in catalogue.entries("planners")}


def test_complete_planners_are_found_by_facts(facts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete_for(PROBLEM) == ("bcp", "ca", "hca")
    monkeypatch.setitem(facts["bcp"], "AGENTS", 1)
    assert complete_for(PROBLEM) == ("ca", "hca")
    monkeypatch.setitem(facts["ca"], "OPTIMAL", True)
    assert complete_for(PROBLEM) == ("hca", "ca")
    monkeypatch.setitem(facts["hca"], "MOVES", ["eight"])
    assert complete_for(PROBLEM) == ("ca",)
    monkeypatch.setitem(facts["ca"], "TERRAIN", False)
    assert complete_for(PROBLEM) == ("ca",)
    rough = Grid(np.ones((4, 4)), "four", costs=np.full((4, 4), 2.0))
    assert complete_for(one_shot(rough, [(0, 0), (3, 3)], [(0, 1), (3, 2)])) == ()


def test_complete_planners_work_in_the_world_and_for_the_bodies(facts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(facts["ca"], "WORLDS", "graph")
    monkeypatch.setitem(facts["bcp"], "WORLDS", "any")
    monkeypatch.setitem(facts["hca"], "WORLDS", "grid")
    places = {"a": (0, 0), "b": (1, 0), "c": (2, 0)}
    two_way, one_way = [Lane("a", "b"), Lane("b", "c")], [Lane("a", "b"), Lane("b", "c", one_way=True)]
    assert complete_for(one_shot(Roadmap(places, one_way), ["a"], ["c"])) == ("bcp", "ca")
    monkeypatch.setitem(facts["ca"], "ONE_WAY", False)
    assert complete_for(one_shot(Roadmap(places, one_way), ["a"], ["c"])) == ("bcp",)
    assert complete_for(one_shot(Roadmap(places, two_way), ["a"], ["c"])) == ("bcp", "ca")
    assert complete_for(one_shot(Roadmap(places, two_way), ["a"], ["c"], bodies=Body(radius=0.1))) == ("bcp",)
    assert complete_for(one_shot(GRID, [(0, 0)], [(2, 2)], bodies=Body(turns=True))) == ("bcp",)


def test_no_plan_no_advice(facts: Any) -> None:
    assert complete_for(one_shot(GRID, [(0, 0), (3, 3)], [(1, 1), (1, 1)])) == ()
    assert complete_for(patrol(GRID, 2, 2)) == ()


def test_a_failure_names_complete_planners_and_a_success_none(facts: Any) -> None:
    corridor = Grid(np.ones((1, 4)), "four")
    failed = solve(one_shot(corridor, [(0, 0), (3, 0)], [(3, 0), (0, 0)]), "lra", steps=30)
    assert failed.complete == ("bcp", "ca", "hca")
    assert [one.kind for one in failed.blockages] == ["cycle"]
    solved = solve(PROBLEM, "lra")
    assert (solved.complete, solved.blockages) == ((), [])


def test_an_objective_is_an_option_of_algorithms_that_have_the_choice() -> None:
    assert solve(PROBLEM, begin).detail == "makespan"
    assert solve(PROBLEM, begin, objective="sum_of_costs").detail == "sum_of_costs"
    task = begin_plan(PROBLEM, begin, objective="sum_of_costs")
    assert task.options == {"objective": "sum_of_costs"}


@pytest.mark.parametrize("name", ["ca", "lra"])
def test_others_refuse_and_name_those_that_can(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfolk.algorithms.catalogue.entries", lambda family: [])
    for call in (solve, begin_plan):
        with pytest.raises(NotSupported, match=f"{name} cannot be told to minimise the sum of loss: no algorithm can"):
            call(PROBLEM, name, objective="sum_of_loss")
    able = catalogue.find(begin, "planners")
    monkeypatch.setattr("wayfolk.algorithms.catalogue.entries", lambda family: [able])
    with pytest.raises(NotSupported, match=f"{name} cannot be told to minimise the makespan: use {able.name}"):
        solve(PROBLEM, name, objective="makespan")
    with pytest.raises(NotSupported, match="cannot be told to minimise the sum of loss: no algorithm can yet"):
        solve(PROBLEM, begin, objective="sum_of_loss")


def test_an_unknown_objective_is_named() -> None:
    with pytest.raises(UnknownName, match="there is no objective 'cost': did you mean 'sum_of_costs'"):
        solve(PROBLEM, begin, objective="cost")
    entry = catalogue.find(begin, "planners")
    assert [with_objective(entry, objective, {}) for objective in OBJECTIVES[:2]] == [
        {"objective": "makespan"},
        {"objective": "sum_of_costs"},
    ]


@pytest.mark.parametrize("name", ["ca", "hca", "cjps", "bcp"])
def test_a_planner_that_is_stopped_says_how_far_it_came(name: str) -> None:
    corridor = Grid(np.ones((3, 40)), "four")
    problem = one_shot(corridor, [(0, 0), (39, 0)], [(39, 0), (0, 0)])
    result = solve(problem, name, expansions=1)
    assert (result.status, result.plan) == (Status.OUT_OF_BUDGET, None)
    assert result.detail.startswith("stopped ")
