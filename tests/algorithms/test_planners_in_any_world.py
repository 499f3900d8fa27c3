"""Planners in every kind of world and for every kind of body, compared with brute force on random tiny problems."""

import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.entry import ANY, GRID
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.judge import metrics
from wayfolk.judge.plans import check
from wayfolk.world.body import Body
from wayfolk.world.roadmap import Lane

N_PROBLEMS = 40  # of each kind
FOR_POINTS = {"hexagons", "triangles", "voxels", "cubes", "graph", "one-way"}
EXPANSIONS = 200_000  # far more than any of these problems needs

PLANNERS = [entry for entry in catalogue.entries("planners") if entry.worlds != GRID]


def fits(entry, kind):
    """Whether the facts of a planner say that it works in this kind of world."""
    if kind == "one-way" and entry.facts.get("ONE_WAY") is False:
        return False
    return entry.worlds == ANY or kind in FOR_POINTS


CASES = [(entry, kind) for entry in PLANNERS for kind in twin.WORLDS if fits(entry, kind)]


@pytest.mark.parametrize(("entry", "kind"), CASES, ids=[f"{entry.name}, {kind}" for entry, kind in CASES])
def test_plans_are_legal_complete_and_optimal_as_the_facts_say(entry, kind):
    n_solved = 0
    for number in range(N_PROBLEMS):
        problem, optimum = twin.tiny_problem(kind, number)
        result = wf.solve(problem, entry.name, expansions=EXPANSIONS, first_plan=True)
        if result.plan is not None:
            assert check(result.plan, problem) == [], number
            assert twin.is_legal_plan(problem, result.plan.cells), number
            cost = metrics.sum_of_costs(result.plan, problem.goals)
            assert optimum is not None
            assert cost >= optimum, number
            if entry.facts.get("OPTIMAL"):
                assert cost == optimum, number
            n_solved += 1
        elif entry.facts.get("COMPLETE"):
            assert optimum is None, number
        if result.status is wf.Status.IMPOSSIBLE:
            assert optimum is None, number
    assert n_solved > N_PROBLEMS // 4


def test_planners_for_grids_say_so_in_one_sentence():
    grid = wf.Grid([[1] * 4] * 4)
    problem = wf.one_shot(grid, [(0, 0)], [(2, 2)], bodies=Body(size=2))
    others = [entry for entry in catalogue.entries("planners") if entry.worlds == GRID]
    assert others
    for entry in others:
        with pytest.raises(NotSupported, match=f"{entry.name} works for points on square grids only, not for"):
            wf.solve(problem, entry.name)


def test_planners_that_cannot_use_one_way_edges_name_one():
    roadmap = wf.Roadmap({"a": (0, 0), "b": (1, 0), "c": (2, 0)}, [Lane("a", "b"), Lane("b", "c", one_way=True)])
    problem = wf.one_shot(roadmap, ["a"], ["c"])
    others = [entry for entry in PLANNERS if entry.facts.get("ONE_WAY") is False]
    assert others
    for entry in others:
        with pytest.raises(NotSupported, match=f"{entry.name} works where .*, and from b to c leads one way"):
            wf.solve(problem, entry.name)


def test_goals_that_overlap_are_named():
    grid = wf.Grid([[1] * 5] * 5)
    problem = wf.one_shot(grid, [(0, 0), (3, 3)], [(2, 2), (3, 3)], bodies=[Body(size=2), Body()])
    for entry in [entry for entry in PLANNERS if entry.worlds == ANY]:
        with pytest.raises(BadProblem, match=r"agents 0, 1 share the goal"):
            wf.solve(problem, entry.name)
