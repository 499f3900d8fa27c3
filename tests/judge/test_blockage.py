"""Why agents did not arrive: one small world for each cause, and properties of many random ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.errors import NotSupported
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.blockage import KINDS_OF_BLOCKAGE, Blockage, in_short, sentences, why
from wayfolk.judge.last_steps import RECENT
from wayfolk.problem import events
from wayfolk.problem.plan import Plan, from_paths
from wayfolk.problem.problem import one_shot, patrol, tasks
from wayfolk.simulation.solving import simulate, solve
from wayfolk.world import generate
from wayfolk.world.grid import Grid

CORRIDOR = parse_ascii("........")
ROOM = Grid(np.ones((4, 8)), "four")
LONG = 3 * RECENT


def walks(grid: Grid, *paths: list[tuple[int, int]]) -> Plan:
    """A plan of paths, each longer by LONG waits at its end than the longest."""
    longest = max(map(len, paths)) + LONG
    return from_paths(grid, [grid.cells(path + [path[-1]] * (longest - len(path))) for path in paths])


def blockages(plan: Plan, goals: list[tuple[int, int]]) -> list[Blockage]:
    return why(plan, one_shot(plan.grid, plan.grid.places(plan.cells[0]), goals))


@pytest.mark.plain
def test_two_agents_head_on_are_a_cycle_since_they_met() -> None:
    plan = walks(CORRIDOR, [(1, 0), (2, 0), (3, 0)], [(6, 0), (5, 0), (5, 0), (4, 0)])
    (one,) = blockages(plan, [(7, 0), (0, 0)])
    assert one == Blockage("cycle", 3, (0, 1), ((3, 0), (4, 0)), ((0, 1), (1, 0)))
    assert (one.waiting, one.missing) == ((), (0, 1))
    assert str(one) == "since step 3 agents 0 and 1 wait for each other at (3, 0) and (4, 0)"


@pytest.mark.plain
def test_who_waits_behind_a_cycle_is_listed_nearest_first() -> None:
    plan = walks(CORRIDOR, [(3, 0)], [(4, 0)], [(1, 0)], [(2, 0)])
    (one,) = blockages(plan, [(7, 0), (0, 0), (6, 0), (5, 0)])
    assert (one.kind, one.agents, one.waiting) == ("cycle", (0, 1), (3, 2))
    assert one.waits == ((0, 1), (1, 0), (3, 0), (2, 3))
    assert str(one).endswith("; agents 3 and 2 wait behind them")


@pytest.mark.plain
def test_a_ring_of_four_is_told_in_its_order() -> None:
    plan = walks(ROOM, [(0, 0)], [(1, 0)], [(1, 1)], [(0, 1)])
    (one,) = blockages(plan, [(7, 0), (1, 3), (0, 1), (0, 0)])
    assert (one.kind, one.agents) == ("cycle", (0, 1, 2, 3))
    assert one.waits == ((0, 1), (1, 2), (2, 3), (3, 0))


@pytest.mark.plain
def test_an_agent_on_its_goal_is_parked_in_the_way_since_the_other_waits() -> None:
    plan = walks(CORRIDOR, [(3, 0), (4, 0)], [(0, 0), (1, 0), (2, 0), (3, 0)])
    (one,) = blockages(plan, [(4, 0), (7, 0)])
    assert one == Blockage("parked", 3, (0,), ((4, 0),), ((1, 0),))
    assert one.missing == (1,)
    assert str(one) == "since step 3 agent 0, on its goal (4, 0), is in the way of agent 1"


@pytest.mark.plain
def test_an_agent_far_away_waits_for_those_who_block_all_its_shortest_ways() -> None:
    gate = parse_ascii("""
        ...#...
        .......
        .......
        ...#...
    """).with_moves("four")
    plan = walks(gate, [(0, 1)], [(3, 1)], [(3, 2)])
    (one,) = blockages(plan, [(6, 2), (3, 1), (3, 2)])
    assert (one.kind, one.missing, len(one.agents)) == ("parked", (0,), 1)
    open_gate = walks(gate, [(0, 1)], [(3, 1)])
    (one,) = blockages(open_gate, [(6, 2), (3, 1)])
    assert (one.kind, one.agents) == ("idle", (0,))


@pytest.mark.plain
def test_agents_that_share_a_goal_are_in_the_way_of_each_other() -> None:
    plan = walks(CORRIDOR, [(3, 0), (4, 0)], [(2, 0), (3, 0)])
    assert [one.kind for one in blockages(plan, [(4, 0), (4, 0)])] == ["parked"]


@pytest.mark.plain
def test_an_agent_with_a_free_way_is_idle_and_one_that_moves_wanders() -> None:
    (one,) = blockages(walks(ROOM, [(0, 0), (1, 0)]), [(7, 0)])
    assert (one.kind, one.agents, one.since) == ("idle", (0,), 1)
    back_and_forth = from_paths(ROOM, [ROOM.cells([(0, 2), (1, 2)] * LONG)])
    (one,) = blockages(back_and_forth, [(7, 2)])
    assert (one.kind, one.since) == ("wandering", 1)


@pytest.mark.plain
def test_an_agent_that_has_left_its_goal_has_strayed_since_then() -> None:
    plan = walks(ROOM, [(0, 0), (1, 0), (1, 0), (1, 1)])
    (one,) = blockages(plan, [(1, 0)])
    assert (one.kind, one.since) == ("strayed", 3)


@pytest.mark.plain
def test_an_agent_that_comes_nearer_is_late() -> None:
    plan = from_paths(CORRIDOR, [CORRIDOR.cells([(x, 0) for x in range(6)])])
    (one,) = blockages(plan, [(7, 0)])
    assert (one.kind, one.since, str(one)) == ("late", 5, "at the end agent 0 is on its way; it is at (5, 0)")


@pytest.mark.plain
def test_a_plan_in_which_all_arrive_has_no_blockage() -> None:
    plan = walks(CORRIDOR, [(0, 0), (1, 0)], [(5, 0)])
    assert blockages(plan, [(1, 0), (5, 0)]) == []
    assert (sentences([]), in_short([])) == ([], "")


@pytest.mark.plain
def test_a_blockage_is_data_for_json() -> None:
    plan = walks(CORRIDOR, [(3, 0)], [(4, 0)])
    (one,) = blockages(plan, [(7, 0), (0, 0)])
    told = json.loads(json.dumps(one.as_dict()))
    assert (told["kind"], told["since"], told["agents"]) == ("cycle", 0, [0, 1])
    assert (told["places"], told["waits"], told["text"]) == ([[3, 0], [4, 0]], [[0, 1], [1, 0]], str(one))
    assert in_short([one]) == "2 missing: 2 cycle"


@pytest.mark.plain
def test_long_lists_are_cut_and_late_agents_share_a_sentence() -> None:
    cycles = [Blockage("cycle", 1, (k, k + 1), ((0, 0), (1, 0))) for k in range(0, 24, 2)]
    late = [Blockage("late", 1, (k,), ((0, 0),)) for k in range(30, 40)]
    lines = sentences(cycles + late, most=3)
    assert lines[3:] == [
        "18 more agents do not arrive for like reasons",
        "agents 30, 31, 32, 33, 34 and 5 more are on their way",
    ]


@pytest.mark.plain
def test_a_plan_needs_goals() -> None:
    plan = walks(CORRIDOR, [(3, 0)])
    for problem in (None, patrol(ROOM, 2, 2)):
        with pytest.raises(NotSupported, match="ask about the record"):
            why(plan, problem)


def test_a_record_tells_what_its_plan_tells() -> None:
    grid = generate.random_map(14, 14, 0.2, seed=3, moves="four")
    starts, goals = generate.draw_pairs(grid, 60, seed=1)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    run = simulate(problem, "lra", until=200)
    told = why(run.record)
    assert told
    assert told == why(run.plan(), problem)


def test_records_with_events_are_judged_by_what_is_there_at_the_end() -> None:
    problem = one_shot(CORRIDOR, [(0, 0), (5, 0)], [(7, 0), (5, 0)])
    (one,) = why(simulate(problem, "lra", until=60).record)
    assert (one.kind, one.agents, one.missing) == ("parked", (1,), (0,))
    gone = simulate(problem, "lra", until=60, events=[events.leave(20, 1)])
    assert why(gone.record) == []
    walls = simulate(problem, "lra", until=60, events=[events.leave(20, 1), events.block(0, [(6, 0)])])
    assert [(cause.kind, cause.missing) for cause in why(walls.record)] == [("walled", (0,))]
    distance = simulate(problem, "lra", until=60, model="distance")
    assert [cause.kind for cause in why(distance.record)] == ["parked"]
    assert str(why(distance.record)[0]).startswith("since time ")


def test_a_released_agent_is_named_and_not_missing() -> None:
    narrow = parse_ascii("...")
    problem = one_shot(narrow, [(0, 0), (2, 0)], [(1, 0), (2, 0)])
    run = simulate(problem, "lra", until=80, seed=2, events=[events.release(0, 1)])
    for one in why(run.record):
        assert 1 not in one.missing


@given(seed=st.integers(0, 10_000), n_agents=st.integers(2, 14))
def test_every_missing_agent_has_one_cause_and_the_pairs_lead_to_it(seed: int, n_agents: int) -> None:
    grid = generate.random_map(6, 6, 0.2, seed=seed, moves="four")
    if len(grid.free_cells) < 20:
        return
    problem = tasks(grid, min(n_agents, 12), seed=seed)
    problem = one_shot(grid, grid.places(problem.starts), grid.places(problem.goals))
    result = solve(problem, "lra", steps=60)
    assert result.plan is not None
    told = why(result.plan, problem)
    missing = [agent for one in told for agent in one.missing]
    assert sorted(missing) == np.flatnonzero(result.plan.cells[-1] != problem.goals).tolist()
    for one in told:
        assert one.kind in KINDS_OF_BLOCKAGE
        assert 0 <= one.since <= result.plan.n_steps
        blocker = dict(one.waits)
        assert set(one.waiting) <= set(blocker)
        for agent, other in one.waits:
            seen = {agent}
            while other in blocker and other not in seen:
                seen.add(other)
                other = blocker[other]
            assert other in one.agents
