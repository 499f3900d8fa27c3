"""The judge of plans: one broken plan for each kind of fault; and a slow judge that must agree."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given

import reference
from wayfolk.errors import BadPlan
from wayfolk.judge.body_plans import check_bodies
from wayfolk.judge.plans import KINDS_OF_FAULT, Fault, check
from wayfolk.judge.records import check_record
from wayfolk.judge.state_records import check_state_record
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid, Moves

NOWHERE = 2**31 - 1
Place = tuple[int, int]
Path = Sequence[Place | None]


def draw(*rows: str, moves: Moves = Moves.EIGHT, links: np.ndarray | None = None) -> Grid:
    return Grid([[sign == "." for sign in row] for row in rows], moves, links=links)


ROOM = draw("....", "....", "..@.")


def plan_of(grid: Grid, *paths: Path) -> Plan:
    cells = [[NOWHERE if place is None else grid.cell(place) for place in path] for path in paths]
    return Plan(grid, np.array(cells, np.int32).T)


def ask(plan: Plan, starts: list[Place], goals: list[Place]) -> Problem:
    grid = plan.grid
    return Problem(grid, grid.cells(starts), grid.cells(goals)[:, None])


def faults_of(*paths: Path, grid: Grid = ROOM) -> list[Fault]:
    return check(plan_of(grid, *paths))


# a legal plan of two agents, broken in one way at a time
WALK, REST = [(0, 0), (1, 0), (1, 1)], [(3, 0), (3, 0), (3, 1)]


def test_a_legal_plan_has_no_faults() -> None:
    plan = plan_of(ROOM, WALK, REST)
    assert check(plan, ask(plan, [(0, 0), (3, 0)], [(1, 1), (3, 1)])) == []


def test_size() -> None:
    plan = plan_of(ROOM, WALK, REST)
    problem = ask(plan, [(0, 0), (3, 0), (0, 2)], [(1, 1), (3, 1), (0, 2)])
    assert check(plan, problem) == [Fault("size", 0, (2,), ())]
    assert check(plan, problem.first(1)) == [Fault("size", 0, (1,), ())]


def test_start() -> None:
    plan = plan_of(ROOM, WALK, REST)
    assert check(plan, ask(plan, [(0, 0), (2, 0)], [(1, 1), (3, 1)])) == [Fault("start", 0, (1,), ((3, 0), (2, 0)))]


def test_goal() -> None:
    plan = plan_of(ROOM, WALK, REST)
    problem = ask(plan, [(0, 0), (3, 0)], [(0, 1), (3, 1)])
    assert check(plan, problem) == [Fault("goal", 2, (0,), ((1, 1), (0, 1)))]
    assert check(plan, problem, arrive=False) == []


def test_goals_and_starts_can_be_given_without_a_problem() -> None:
    plan = plan_of(ROOM, WALK, REST)
    assert check(plan) == []
    assert check(plan, starts=plan.cells[0], goals=plan.cells[-1]) == []
    assert [f.kind for f in check(plan, starts=plan.cells[-1], goals=plan.cells[0])] == ["start"] * 2 + ["goal"] * 2


def test_wall() -> None:
    assert faults_of([(1, 2), (2, 2), (3, 2)]) == [Fault("wall", 1, (0,), ((2, 2),))]


def test_a_cell_outside_the_map_is_a_wall() -> None:
    for cell in (0, -3, ROOM.n_cells + 5):
        faults = check(Plan(ROOM, np.array([[cell], [cell]], np.int32)))
        assert [f.kind for f in faults] == ["wall", "wall"]


def test_jump() -> None:
    assert faults_of([(0, 0), (2, 0)], REST[:2]) == [Fault("jump", 1, (0,), ((0, 0), (2, 0)))]
    # the last column and the first one of the next row are neighbours in the flat array only
    assert [f.kind for f in faults_of([(3, 0), (0, 1)])] == ["jump"]


def test_corner() -> None:
    past_the_wall = [(1, 2), (2, 1)]
    fault = Fault("corner", 1, (0,), ((1, 2), (2, 1)))
    assert faults_of(past_the_wall) == [fault]
    assert faults_of(past_the_wall, grid=ROOM.with_moves(Moves.EIGHT_CUTTING)) == []
    assert faults_of([(0, 0), (1, 1)], grid=ROOM.with_moves(Moves.FOUR))[0].kind == "corner"


def test_squeezing_between_two_walls_is_never_legal() -> None:
    grid = draw(".@", "@.", moves=Moves.EIGHT_CUTTING)
    assert [f.kind for f in faults_of([(0, 0), (1, 1)], grid=grid)] == ["corner"]


def test_a_cliff_is_a_corner() -> None:
    links = np.full((2, 2), OPEN_EAST | OPEN_SOUTH)
    links[0, 0] = OPEN_SOUTH  # a cliff between (0, 0) and (1, 0)
    grid = draw("..", "..", links=links)
    for path, legal in (((0, 0), (1, 0)), False), (((0, 0), (0, 1)), True), (((0, 0), (1, 1)), False):
        assert (faults_of(list(path), grid=grid) == []) is legal
        assert (faults_of(list(path[::-1]), grid=grid) == []) is legal
    assert faults_of([(0, 0), (1, 1)], grid=grid.with_moves(Moves.EIGHT_CUTTING)) == []


def test_vertex() -> None:
    assert faults_of([(0, 0), (1, 0)], [(2, 0), (1, 0)]) == [Fault("vertex", 1, (0, 1), ((1, 0),))]
    three = faults_of([(0, 0), (1, 0)], [(2, 0), (1, 0)], [(1, 0), (1, 0)])
    assert three == [Fault("vertex", 1, (0, 1, 2), ((1, 0),))]


def test_swap() -> None:
    assert faults_of([(0, 0), (1, 0)], [(1, 0), (0, 0)]) == [Fault("swap", 1, (0, 1), ((0, 0), (1, 0)))]
    assert faults_of([(0, 0), (1, 1)], [(1, 1), (0, 0)]) == [Fault("swap", 1, (0, 1), ((0, 0), (1, 1)))]


def test_crossing() -> None:
    fault = Fault("crossing", 1, (0, 1), ((0, 0), (1, 1)))
    assert faults_of([(0, 0), (1, 1)], [(1, 0), (0, 1)]) == [fault]
    assert faults_of([(1, 1), (0, 0)], [(1, 0), (0, 1)]) == [fault]
    assert faults_of([(0, 0), (1, 1)], [(0, 1), (1, 0)]) == [fault]


def test_vanished() -> None:
    assert faults_of([(0, 0), None, (0, 0)]) == [Fault("vanished", 1, (0,), ())]
    assert faults_of([None], [None]) == [Fault("vanished", 0, (agent,), ()) for agent in (0, 1)]
    assert check(Plan(ROOM, np.empty((0, 1), np.int32))) == [Fault("vanished", 0, (0,), ())]
    at_the_end = plan_of(ROOM, [(0, 0), None])
    assert check(at_the_end, ask(at_the_end, [(0, 0)], [(0, 1)])) == [Fault("vanished", 1, (0,), ())]


def test_following_and_rotating_are_legal() -> None:
    assert faults_of([(0, 0), (1, 0)], [(1, 0), (2, 0)], [(2, 0), (3, 0)]) == []
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert faults_of(*([ring[k], ring[(k + 1) % 4]] for k in range(4))) == []
    assert faults_of([(0, 0), (1, 0)], [(1, 0), (0, 1)], [(0, 1), (0, 0)]) == []
    # diagonals side by side, and one after the other in the same block
    assert faults_of([(0, 0), (1, 1)], [(1, 0), (2, 1)]) == []
    assert faults_of([(0, 0), (1, 1), (1, 1)], [(1, 0), (1, 0), (0, 1)]) == []


def test_patrols_must_visit_their_goals_in_turn() -> None:
    there_and_back = plan_of(ROOM, [(0, 0), (1, 0), (0, 0), (1, 0), (0, 0), (0, 1)])
    routes = ROOM.cells([(1, 0), (0, 0)])[None]
    assert check(there_and_back, Problem(ROOM, there_and_back.cells[0], routes, loops=2)) == []
    faults = check(there_and_back, Problem(ROOM, there_and_back.cells[0], routes, loops=3))
    assert faults == [Fault("goal", 5, (0,), ((0, 1), (1, 0)))]
    endless = Problem(ROOM, there_and_back.cells[0], routes[:, :1], loops=3, pool=routes[0])
    assert check(there_and_back, endless) == []


def test_the_map_is_the_problems_not_the_planners() -> None:
    cheat = Plan(ROOM.with_freed([ROOM.cell((2, 2))]), ROOM.cells([(1, 2), (2, 2)])[:, None])
    assert check(cheat) == []
    assert [f.kind for f in check(cheat, ask(plan_of(ROOM, [(1, 2)]), [(1, 2)], [(2, 2)]))] == ["wall"]
    with pytest.raises(BadPlan, match=r"the plan is for a 4 x 3 map, the problem for one of 2 x 1"):
        check(cheat, ask(plan_of(draw(".."), [(0, 0)]), [(0, 0)], [(1, 0)]))
    with pytest.raises(BadPlan, match="shape"):
        check(Plan(ROOM, np.zeros(3, np.int32)))


def test_faults_come_by_step_and_no_more_than_asked_for() -> None:
    rng = np.random.default_rng(3)
    chaos = Plan(ROOM, rng.integers(0, ROOM.n_cells, (60, 8)).astype(np.int32))
    faults = check(chaos, limit=10_000)
    assert len(faults) > 100
    assert [f.step for f in faults] == sorted(f.step for f in faults)
    for limit in (0, 1, 17):
        assert [f.step for f in check(chaos, limit=limit)] == [f.step for f in faults[:limit]]


def test_a_plan_judged_in_pieces_has_the_same_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    wild = Plan(ROOM, ROOM.cells(rng.integers(0, 3, (31, 4, 2))).reshape(31, 4))
    whole = check(wild, goals=wild.cells[0])
    assert {"vertex", "swap", "jump", "goal"} <= {f.kind for f in whole}
    for piece in (1, 8, 12):
        monkeypatch.setattr(sys.modules[check.__module__], "_CHUNK", piece)
        assert check(wild, goals=wild.cells[0]) == whole
        assert check(wild, limit=40) == whole[:40]


def test_a_thousand_agents_for_two_thousand_steps_take_about_a_second() -> None:
    grid = Grid(np.ones((100, 100), bool))
    rows = np.arange(0, 100, 2).repeat(20)
    columns = np.tile(np.arange(20) * 5, 50)
    step = np.minimum(np.arange(2001) % 8, 8 - np.arange(2001) % 8)[:, None]  # everyone four east, four west
    plan = Plan(grid, ((rows + 1) * grid.stride + columns + 1 + step).astype(np.int32))
    begin = time.process_time()
    assert check(plan, starts=plan.cells[0], goals=plan.cells[-1]) == []
    assert time.process_time() - begin < 60  # 0.4 on a quiet core


def test_faults_read_as_sentences_and_as_json() -> None:
    fault = Fault("swap", 12, (3, 7), ((4, 5), (5, 5)))
    assert str(fault) == "step 12: agents 3 and 7 swap (4, 5) and (5, 5)"
    assert str(Fault("wall", 2.25, (3,), ((4, 5),))) == "time 2.25: agent 3 stands in a wall at (4, 5)"
    assert str(Fault("vertex", 0, tuple(range(9)), ((4, 5),))) == "step 0: agents 0, 1, 2, 3, 4 and 4 more share (4, 5)"
    assert json.loads(json.dumps(fault.as_dict())) == {
        "kind": "swap", "step": 12, "agents": [3, 7], "places": [[4, 5], [5, 5]], "text": str(fault)
    }  # fmt: skip
    for kind in KINDS_OF_FAULT:
        assert "agent" in str(Fault(kind, 0, (1,), ((0, 0), (1, 1))))


@pytest.mark.parametrize(
    ("judge", "knows"),
    [
        (
            check,
            {
                "errors",
                "judge.body_plans",
                "kernels.codes",
                "problem.plan",
                "problem.problem",
                "world.grid",
                "world.state_graph",
            },
        ),
        (
            check_bodies,
            {
                "errors",
                "judge.plans",
                "kernels.codes",
                "problem.plan",
                "problem.problem",
                "world.grid",
                "world.roadmap",
                "world.state_graph",
            },
        ),
        (
            check_record,
            {"errors", "judge.plans", "judge.state_records", "kernels.codes", "problem.record", "world.grid"},
        ),
        (
            check_state_record,
            {
                "errors",
                "judge.body_plans",
                "judge.plans",
                "kernels",
                "kernels.codes",
                "problem.record",
                "world.edits",
                "world.graph",
                "world.state_graph",
            },
        ),
    ],
)
def test_the_judges_import_no_algorithm(judge: Callable[..., object], knows: set[str]) -> None:
    tree = ast.parse(inspect.getsource(sys.modules[judge.__module__]))
    sources = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    sources += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    ours = {source for source in sources if source and source.startswith("wayfolk")}
    assert ours == {f"wayfolk.{name}" for name in knows}
    assert {source.split(".")[0] for source in sources if source} - sys.stdlib_module_names == {"numpy", "wayfolk"}
    reads = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not reads & {"legal", "graph", "components", "offsets", "occupancy", "layers"}


def naive_faults(plan: Plan) -> set[tuple[str, int, tuple[int, ...]]]:
    """The same rules, two agents at a time."""
    grid, cells = plan.grid, plan.cells.tolist()
    faults: set[tuple[str, int, tuple[int, ...]]] = set()
    for step, row in enumerate(cells):
        for agent, cell in enumerate(row):
            if cell == NOWHERE:
                faults.add(("vanished", step, (agent,)))
            elif not reference.is_free(grid, *grid.place(cell)):
                faults.add(("wall", step, (agent,)))
        for one, other in itertools.combinations(range(len(row)), 2):
            if row[one] == row[other] != NOWHERE:
                faults.add(("vertex", step, (one, other)))
    for step, (before, after) in enumerate(itertools.pairwise(cells), start=1):
        moves = list(zip(before, after, strict=True))
        for agent, (here, there) in enumerate(moves):
            if here == there or NOWHERE in (here, there):
                continue
            (x, y), (to_x, to_y) = grid.place(here), grid.place(there)
            if max(abs(to_x - x), abs(to_y - y)) > 1:
                faults.add(("jump", step, (agent,)))
            elif reference.is_free(grid, x, y) and reference.is_free(grid, to_x, to_y):
                if not reference.is_legal_step(grid, x, y, to_x - x, to_y - y):
                    faults.add(("corner", step, (agent,)))
        for one, other in itertools.combinations(range(len(moves)), 2):
            if NOWHERE not in (*moves[one], *moves[other]):
                how = reference.meets(grid, moves[one], moves[other])
                if how in ("swap", "crossing"):
                    faults.add((how, step, (one, other)))
    return faults


@given(reference.wild_plans())
def test_the_judge_agrees_with_a_naive_one(plan: Plan) -> None:
    kinds, alone = set(), ("vanished", "wall", "jump", "corner")
    for fault in check(plan, limit=100_000):
        if fault.kind in alone:
            kinds.add((fault.kind, fault.step, fault.agents))
        else:
            # faults of three or more name them all: those of a swap or crossing that go the same way do not meet
            for one, other in itertools.combinations(fault.agents, 2):
                moves = [tuple(plan.cells[fault.step - 1 : fault.step + 1, agent].tolist()) for agent in (one, other)]
                if fault.kind == "vertex" or reference.meets(plan.grid, *moves) == fault.kind:
                    kinds.add((fault.kind, fault.step, (one, other)))
    assert kinds == naive_faults(plan)
