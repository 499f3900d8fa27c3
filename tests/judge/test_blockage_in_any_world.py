"""Why agents did not arrive, in other worlds than square grids and with other bodies than points."""

import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.judge.blockage import sentences, why
from wayfolk.problem import events
from wayfolk.world.body import Body

LINE = wf.Roadmap({f"p{k}": (float(k), 0.0) for k in range(6)}, [(f"p{k}", f"p{k + 1}") for k in range(5)])


def reasons(problem, *happenings, steps=20):
    """The sentences about a run with lra; plan and record give the same reasons."""
    world = wf.Simulation(problem, "lra", events=happenings)
    for _ in range(steps):
        world.step()
    record = world.record()
    if not happenings:
        plan = record.plan()
        assert [(one.kind, one.agents) for one in why(plan, problem)] == [(one.kind, one.agents) for one in why(record)]
    return sentences(why(record))


def test_two_on_a_road_wait_for_each_other():
    told = reasons(wf.one_shot(LINE, ["p0", "p5"], ["p5", "p0"]))
    assert told == ["since step 2 agents 0 and 1 wait for each other at p2 and p3"]


def test_a_disc_that_rests_is_in_the_way_of_another_one_beside_it():
    """Discs of this size at c and d would overlap."""
    places = {"a": (0.0, 0.0), "b": (2.0, 0.0), "c": (4.0, 0.0), "d": (4.0, 1.0)}
    roads = wf.Roadmap(places, [("a", "b"), ("b", "c"), ("b", "d")])
    problem = wf.one_shot(roads, ["a", "d"], ["c", "d"], bodies=Body(radius=0.8))
    assert reasons(problem) == ["since step 1 agent 1, on its goal d, is in the way of agent 0"]


def test_a_tank_waits_for_a_part_of_another_one():
    corridor = wf.Grid([[1] * 8] * 3)
    problem = wf.one_shot(corridor, [(0, 0), (3, 1)], [(6, 0), (3, 1)], bodies=Body(size=2))
    assert reasons(problem) == ["since step 0 agent 1, on its goal (3, 1), is in the way of agent 0"]


def test_who_has_no_way_after_a_lane_has_closed():
    told = reasons(wf.one_shot(LINE, ["p0"], ["p3"]), events.close_lanes(1, [("p1", "p2")]))
    assert told == ["since step 0 agent 0 has no way to its goal; it is at p1"]


def test_one_that_is_not_under_control_is_in_the_way():
    told = reasons(wf.one_shot(LINE, ["p0", "p3"], ["p5", "p3"]), events.hold(0, 1))
    assert told == ["since step 0 agent 1, not under control, at p3, is in the way of agent 0"]


@pytest.mark.parametrize("kind", twin.WORLDS)
def test_a_reason_is_given_whenever_agents_do_not_arrive(kind):
    n_stopped = 0
    for number in range(12):
        problem = twin.drawn_problem(kind, number)
        result = wf.solve(problem, "lra", steps=40)
        assert bool(result.blockages) == (not result.is_solved)
        missing = {agent for one in result.blockages for agent in one.missing}
        at_home = result.plan.home(problem.goals)[-1]
        assert missing == {agent for agent in range(problem.n_agents) if not at_home[agent]}
        n_stopped += not result.is_solved
    assert n_stopped or kind in ("graph", "triangles", "voxels", "cubes", "hexagons", "discs", "turning squares")
