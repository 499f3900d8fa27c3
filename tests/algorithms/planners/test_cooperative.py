"""Agents that plan in turn, in any world and for any body: each arrives as early as one can around those before it."""

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.algorithms.planners import ca, hca
from wayfolk.problem.result import Status
from wayfolk.world.body import Body
from wayfolk.world.roadmap import Lane, Roadmap

pytestmark = pytest.mark.plain

N_PROBLEMS = 12  # of each kind


def earliest(problem, agent, paths):
    """The first step from which `agent` can stand on its goal for good, among those whose paths are known; None if none."""
    world, body = problem.world, problem.body(agent)
    others = [(problem.body(k), [twin.state_of(problem, int(node)) for node in path]) for k, path in paths.items()]
    horizon = max([len(path) for _, path in others], default=1)
    goal = int(problem.states.cells[problem.goals[agent]])

    def can(move, step):
        for other, path in others:
            row = [path[min(k, len(path) - 1)] for k in (step, step + 1)]
            if twin.clash(world, body, move, other, tuple(row)):
                return False
        return True

    here = {twin.state_of(problem, int(problem.starts[agent]))}
    for step in range(horizon + 100):
        for state in here:
            is_home = state.part == 0 and state.cell == goal
            if is_home and all(can((state, state), later) for later in range(step, max(horizon, step + 1))):
                return step
        here = {there for state in here for there in twin.following(world, body, state) if can((state, there), step)}
    return None


@pytest.mark.parametrize("planner", [ca, hca])
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_each_agent_arrives_as_early_as_the_paths_before_it_allow(planner, kind):
    n_failed = 0
    for number in range(N_PROBLEMS):
        problem = twin.drawn_problem(kind, number)
        task = planner.begin(problem, retries=0)
        status, known = task.advance(), {}
        for agent in range(task.turn):
            path = task.paths[agent]
            assert len(path) - 1 == earliest(problem, agent, known), number
            known[agent] = path
        assert status in (Status.SOLVED, Status.GAVE_UP)
        if status is Status.GAVE_UP:
            n_failed += 1
            assert earliest(problem, task.turn, known) is None, number
    assert n_failed < N_PROBLEMS


PASSAGE = Roadmap(
    {"west": (0.0, 0.0), "east": (1.0, 0.0), "beside": (0.5, 0.4), "door": (0.5, 2.0), "far": (-1.0, 0.0)},
    [Lane("west", "east"), Lane("beside", "door"), Lane("far", "west")],
)


def test_nobody_drives_past_a_disc_that_stands_for_good_too_near():
    for goals, solved in [(["beside", "east"], False), (["door", "east"], True)]:
        problem = wf.one_shot(PASSAGE, ["beside", "west"], goals, bodies=Body(radius=0.3))
        for planner in (ca, hca):
            assert (planner.begin(problem, retries=0).advance() is Status.SOLVED) == solved


def test_who_stands_for_good_waits_for_those_who_pass_too_near():
    problem = wf.one_shot(PASSAGE, ["far", "door"], ["east", "beside"], bodies=Body(radius=0.3))
    task = ca.begin(problem, retries=0)
    assert task.advance() is Status.SOLVED
    assert [len(path) - 1 for path in task.paths] == [2, 2]


def test_a_body_that_turns_arrives_in_any_heading():
    problem = wf.one_shot(wf.Grid(np.ones((3, 3)), "four"), [(0, 0)], [(2, 2)], bodies=Body(turns=True))
    for planner in (ca, hca):
        task = planner.begin(problem)
        assert task.advance() is Status.SOLVED
        assert len(task.paths[0]) - 1 == 5  # four steps and one turn
