"""The judge: one broken plan, and one broken record, for each kind of fault; and a slow judge that must agree."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import sys
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import reference
from wayfolk.check import KINDS_OF_FAULT, Fault, check, check_record
from wayfolk.errors import BadInput, BadPlan
from wayfolk.grid import OPEN_EAST, OPEN_SOUTH, Grid, Moves
from wayfolk.plan import Plan
from wayfolk.problem import Problem
from wayfolk.record import ARRIVE, BLOCK, DISTANCE, FREE, GOAL, JOIN, KINDS, LEAVE, MOVE, REFUSED, STEPS, Record

NOWHERE = 2**31 - 1
Place = tuple[int, int]
Path = Sequence[Place | None]
Row = tuple[float, int, int, Place]


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
    begin = time.perf_counter()
    assert check(plan, starts=plan.cells[0], goals=plan.cells[-1]) == []
    assert time.perf_counter() - begin < 5  # 0.4 on a quiet core


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


def test_the_judge_imports_no_algorithm() -> None:
    tree = ast.parse(inspect.getsource(sys.modules[check.__module__]))
    sources = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    sources += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    ours = {source for source in sources if source and source.startswith("wayfolk")}
    assert ours == {f"wayfolk.{name}" for name in ("errors", "grid", "plan", "problem", "record")}
    assert {source.split(".")[0] for source in sources if source} - sys.stdlib_module_names == {"numpy", "wayfolk"}
    reads = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not reads & {"legal", "graph", "components", "offsets"}


def naive_faults(plan: Plan) -> set[tuple[str, int, tuple[int, ...]]]:
    """The same rules, two agents at a time."""
    grid, cells = plan.grid, plan.cells.tolist()
    found: set[tuple[str, int, tuple[int, ...]]] = set()
    for step, row in enumerate(cells):
        for agent, cell in enumerate(row):
            if cell == NOWHERE:
                found.add(("vanished", step, (agent,)))
            elif not reference.is_free(grid, *grid.place(cell)):
                found.add(("wall", step, (agent,)))
        for one, other in itertools.combinations(range(len(row)), 2):
            if row[one] == row[other] != NOWHERE:
                found.add(("vertex", step, (one, other)))
    for step, (before, after) in enumerate(itertools.pairwise(cells), start=1):
        moves = list(zip(before, after, strict=True))
        for agent, (here, there) in enumerate(moves):
            if here == there or NOWHERE in (here, there):
                continue
            (x, y), (to_x, to_y) = grid.place(here), grid.place(there)
            if max(abs(to_x - x), abs(to_y - y)) > 1:
                found.add(("jump", step, (agent,)))
            elif reference.is_free(grid, x, y) and reference.is_free(grid, to_x, to_y):
                if not reference.is_legal_step(grid, x, y, to_x - x, to_y - y):
                    found.add(("corner", step, (agent,)))
        for one, other in itertools.combinations(range(len(moves)), 2):
            if NOWHERE not in (*moves[one], *moves[other]):
                how = reference.meets(grid, moves[one], moves[other])
                if how in ("swap", "crossing"):
                    found.add((how, step, (one, other)))
    return found


@st.composite
def wild_plans(draw: st.DrawFn) -> Plan:
    """Agents that mostly go to a neighbouring place of the map, wall or not, legally or not."""
    grid = draw(reference.small_grids(max_side=4, cliffs=draw(st.booleans())))
    n_agents, n_steps = draw(st.integers(1, 6)), draw(st.integers(0, 4))
    diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    shifts = st.sampled_from([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), *diagonal * 2, (2, 0)])
    place = st.tuples(st.integers(0, grid.width - 1), st.integers(0, grid.height - 1))
    paths: list[list[int]] = []
    for _ in range(n_agents):
        x, y = draw(place)
        path = [grid.cell((x, y))]
        for dx, dy in draw(st.lists(shifts, min_size=n_steps, max_size=n_steps)):
            x, y = min(max(x + dx, 0), grid.width - 1), min(max(y + dy, 0), grid.height - 1)
            path.append(grid.cell((x, y)))
        if draw(st.integers(0, 9)) == 9:
            path[draw(st.integers(0, n_steps))] = NOWHERE
        paths.append(path)
    note("\n".join(str([grid.place(cell) for cell in path]) for path in paths))
    return Plan(grid, np.array(paths, np.int32).T)


@given(wild_plans())
def test_the_judge_agrees_with_a_naive_one(plan: Plan) -> None:
    found, alone = set(), ("vanished", "wall", "jump", "corner")
    for fault in check(plan, limit=100_000):
        if fault.kind in alone:
            found.add((fault.kind, fault.step, fault.agents))
        else:
            # faults of three or more name them all: those of a swap or crossing that go the same way do not meet
            for one, other in itertools.combinations(fault.agents, 2):
                moves = [tuple(plan.cells[fault.step - 1 : fault.step + 1, agent].tolist()) for agent in (one, other)]
                if fault.kind == "vertex" or reference.meets(plan.grid, *moves) == fault.kind:
                    found.add((fault.kind, fault.step, (one, other)))
    assert found == naive_faults(plan)


def record_of(starts: Path, *rows: Row, model: str = STEPS, tick: float = 1e-9) -> Record:
    grid = ROOM
    times, agents, kinds, places = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Record(
        grid,
        np.array([NOWHERE if place is None else grid.cell(place) for place in starts], np.int32),
        np.array(times, np.float64),
        np.array(agents, np.int32),
        np.array(kinds, np.uint8),
        grid.cells(np.array(places).reshape(-1, 2)),
        float(max(times, default=0)) + 2,
        model,
        tick,
    )


BOTH = pytest.mark.parametrize("model", [STEPS, DISTANCE])


@BOTH
def test_a_legal_record_has_no_faults(model: str) -> None:
    record = record_of(
        [(0, 0), (3, 0), None],
        (0, 0, GOAL, (1, 1)),
        (0, 1, REFUSED, (2, 0)),
        (0, 0, MOVE, (1, 1)),
        (0, 0, ARRIVE, (1, 1)),
        (2, 0, GOAL, (2, 2)),
        (2, 0, FREE, (2, 2)),
        (2, 2, JOIN, (0, 0)),
        (2, 0, MOVE, (2, 2)),
        (2, 2, MOVE, (1, 1)),
        (4, 0, ARRIVE, (2, 2)),
        (4, 0, LEAVE, (2, 2)),
        (4, 0, BLOCK, (2, 2)),
        model=model,
    )
    assert check_record(record) == []


BROKEN: dict[str, tuple[Path, list[Row], tuple[Place, ...]]] = {
    "wall": ([(1, 2)], [(1, 0, MOVE, (2, 2))], ((2, 2),)),
    "jump": ([(0, 0)], [(1, 0, MOVE, (2, 0))], ((0, 0), (2, 0))),
    "corner": ([(1, 2)], [(1, 0, MOVE, (2, 1))], ((1, 2), (2, 1))),
    "vertex": ([(0, 0), (1, 0)], [(1, 0, MOVE, (1, 0))], ((1, 0),)),
    "crossing": ([(0, 0), (1, 0)], [(1, 0, MOVE, (1, 1)), (1, 1, MOVE, (0, 1))], ((0, 0), (1, 1))),
    "vanished": ([None], [(1, 0, MOVE, (2, 0))], ()),
    "busy": ([(0, 0)], [(1, 0, MOVE, (1, 0)), (1, 0, MOVE, (2, 0))], ((2, 0),)),
    "arrive": ([(0, 0)], [(0, 0, GOAL, (1, 0)), (1, 0, ARRIVE, (0, 0))], ((0, 0),)),
}


@BOTH
@pytest.mark.parametrize("kind", BROKEN)
def test_each_fault_of_a_record(kind: str, model: str) -> None:
    starts, rows, places = BROKEN[kind]
    agents = tuple(range(len(starts)))
    assert check_record(record_of(starts, *rows, model=model)) == [Fault(kind, 1.0, agents, places)]


def test_moves_of_a_step_happen_at_once_and_those_in_distance_one_after_another() -> None:
    swap = [(0, 0), (1, 0)], (1, 0, MOVE, (1, 0)), (1, 1, MOVE, (0, 0))
    assert check_record(record_of(*swap)) == [Fault("swap", 1.0, (0, 1), ((0, 0), (1, 0)))]
    assert [f.kind for f in check_record(record_of(*swap, model=DISTANCE))] == ["vertex"]
    # the one behind is told first: legal at once, not in turn
    train = [(0, 0), (1, 0)], (1, 0, MOVE, (1, 0)), (1, 1, MOVE, (2, 0))
    assert check_record(record_of(*train)) == []
    assert [f.kind for f in check_record(record_of(*train, model=DISTANCE))] == ["vertex"]
    ring = [(0, 0), (1, 0), (1, 1)], (1, 0, MOVE, (1, 0)), (1, 1, MOVE, (1, 1)), (1, 2, MOVE, (0, 0))
    assert check_record(record_of(*ring)) == []


def test_a_move_takes_as_long_as_it_is_far() -> None:
    def kinds(later: float) -> list[str]:
        rows = (0.0, 0, MOVE, (1, 1)), (later, 0, MOVE, (2, 1))
        return [f.kind for f in check_record(record_of([(0, 0)], *rows, model=DISTANCE))]

    assert kinds(1.0) == kinds(1.414) == ["busy"]
    assert kinds(2**0.5) == kinds(2**0.5 - 5e-7) == []


def test_a_clock_that_looks_rarely_notes_moves_late() -> None:
    # the second move began at 1.414 and was noted at the next look, so the third may begin at 2.414
    def kinds(third: float, tick: float) -> list[str]:
        rows = (0.0, 0, MOVE, (1, 1)), (1.44, 0, MOVE, (2, 1)), (third, 0, MOVE, (3, 1))
        return [f.kind for f in check_record(record_of([(0, 0)], *rows, model=DISTANCE, tick=tick))]

    assert kinds(2.43, tick=0.03) == []
    assert kinds(2.43, tick=0.001) == ["busy"]
    assert kinds(2.40, tick=0.03) == ["busy"]


def test_whoever_joins_again_is_not_busy_with_what_it_did_before() -> None:
    rows = (1.0, 0, MOVE, (1, 0)), (1.2, 0, LEAVE, (1, 0)), (1.4, 0, JOIN, (0, 0)), (1.4, 0, MOVE, (0, 1))
    assert check_record(record_of([(0, 0)], *rows, model=DISTANCE)) == []


@BOTH
def test_a_wait_is_no_move(model: str) -> None:
    faults = check_record(record_of([(0, 0)], (1, 0, MOVE, (0, 0)), model=model))
    assert faults == [Fault("jump", 1.0, (0,), ((0, 0), (0, 0)))]


def test_nobody_crosses_itself() -> None:
    rows = (0.0, 0, MOVE, (1, 1)), (0.1, 0, MOVE, (1, 0)), (0.2, 0, MOVE, (0, 1))
    assert [f.kind for f in check_record(record_of([(0, 0)], *rows, model=DISTANCE))] == ["busy", "busy"]


def test_a_diagonal_can_be_crossed_when_it_is_over() -> None:
    def kinds(later: float) -> list[str]:
        rows = (0.0, 0, MOVE, (1, 1)), (later, 1, MOVE, (0, 1))
        return [f.kind for f in check_record(record_of([(0, 0), (1, 0)], *rows, model=DISTANCE))]

    assert kinds(1.3) == ["crossing"]
    assert kinds(1.42) == []


@BOTH
def test_a_refused_move_changes_nothing(model: str) -> None:
    rows = (0, 0, REFUSED, (1, 0)), (1, 0, MOVE, (2, 0))
    assert check_record(record_of([(0, 0)], *rows, model=model))[0].kind == "jump"


@BOTH
def test_whoever_joins_needs_a_free_place_and_whoever_leaves_is_gone(model: str) -> None:
    def kinds(starts: Path, *rows: Row) -> list[str]:
        return [f.kind for f in check_record(record_of(starts, *rows, model=model))]

    assert kinds([(0, 0), (0, 0)]) == ["vertex"]
    assert kinds([(2, 2)]) == ["wall"]
    assert kinds([(0, 0), None], (1, 1, JOIN, (0, 0))) == ["vertex"]
    assert kinds([(0, 0), None], (1, 1, JOIN, (2, 2))) == ["wall"]
    assert kinds([(0, 0)], (1, 0, JOIN, (1, 0))) == ["jump"]
    assert kinds([(0, 0)], (1, 0, LEAVE, (1, 0))) == ["jump"]
    assert kinds([None], (1, 0, LEAVE, (1, 0))) == ["vanished"]
    assert kinds([(0, 0)], (1, 0, LEAVE, (0, 0)), (2, 0, MOVE, (1, 0))) == ["vanished"]
    assert kinds([(0, 0), None], (1, 0, LEAVE, (0, 0)), (1, 1, JOIN, (0, 0)), (1, 1, MOVE, (1, 0))) == []


@BOTH
def test_walls_come_and_go(model: str) -> None:
    def kinds(*rows: Row) -> list[str]:
        return [f.kind for f in check_record(record_of([(0, 0)], *rows, model=model))]

    assert kinds((1, 0, BLOCK, (0, 0))) == ["wall"]
    assert kinds((1, 0, BLOCK, (1, 0)), (1, 0, MOVE, (1, 0))) == ["wall"]
    assert kinds((1, 0, BLOCK, (1, 0)), (1, 0, MOVE, (1, 1))) == ["corner"]
    assert kinds((1, 0, MOVE, (1, 1)), (2, 0, BLOCK, (1, 0))) == []
    assert kinds((1, 0, BLOCK, (1, 0)), (2, 0, FREE, (1, 0)), (2, 0, MOVE, (1, 1))) == []


def test_edits_of_a_step_come_before_its_moves_however_they_are_written() -> None:
    rows = (1, 0, MOVE, (1, 0)), (1, 0, BLOCK, (1, 0))
    assert [f.kind for f in check_record(record_of([(0, 0)], *rows))] == ["wall"]
    rows = (1, 0, MOVE, (1, 0)), (1, 1, LEAVE, (1, 0))
    assert check_record(record_of([(0, 0), (1, 0)], *rows)) == []


@BOTH
def test_arrivals_must_be_true(model: str) -> None:
    def kinds(*rows: Row) -> list[str]:
        return [f.kind for f in check_record(record_of([(0, 0)], *rows, model=model))]

    assert kinds((0, 0, GOAL, (0, 0)), (0, 0, ARRIVE, (0, 0))) == []
    assert kinds((0, 0, GOAL, (1, 0)), (0, 0, ARRIVE, (1, 0)), (0, 0, MOVE, (1, 0))) == ["arrive"]
    assert kinds((0, 0, GOAL, (1, 0)), (0, 0, GOAL, (0, 1)), (1, 0, MOVE, (1, 0)), (1, 0, ARRIVE, (1, 0))) == ["arrive"]
    assert kinds((0, 0, ARRIVE, (0, 0))) == ["arrive"]


@given(wild_plans())
def test_a_plan_and_its_record_are_judged_alike(plan: Plan) -> None:
    cells = plan.cells.copy()
    cells[cells == NOWHERE] = plan.grid.cell((0, 0))
    steps, agents = np.nonzero(cells[1:] != cells[:-1])
    kinds = np.full(len(steps), MOVE, np.uint8)
    record = Record(
        plan.grid, cells[0], steps.astype(float), agents.astype(np.int32), kinds, cells[steps + 1, agents], plan.n_steps
    )
    assert (record.plan().cells == cells).all()
    of_plan = check(Plan(plan.grid, cells), limit=100_000)
    of_record = check_record(record, limit=100_000)
    # standing in a fault for several steps is one fault of a record: it is told when somebody gets into it
    for kind in ("jump", "corner"):
        by_plan = [(f.step - 1, f.agents, f.places) for f in of_plan if f.kind == kind]
        assert [(f.step, f.agents, f.places) for f in of_record if f.kind == kind] == by_plan
    for kind in ("wall", "vertex", "swap", "crossing"):
        assert any(f.kind == kind for f in of_record) == any(f.kind == kind for f in of_plan)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((-1, 0, MOVE, (0, 1)), "row 0 of the record has a time that is not a number from 0"),
        ((0.5, 0, MOVE, (0, 1)), "row 0 of the record has a time between two steps"),
        ((0, 0, len(KINDS), (0, 1)), f"row 0 of the record has an unknown kind, of {len(KINDS)}"),
        ((0, 1, MOVE, (0, 1)), "row 0 of the record has an unknown agent, of 1"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(row: Row, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        check_record(record_of([(0, 0)], row))


def test_more_nonsense_is_refused_in_a_sentence() -> None:
    backwards = record_of([(0, 0)], (2, 0, MOVE, (0, 1)), (1, 0, MOVE, (0, 0)))
    with pytest.raises(BadInput, match="row 1 of the record has a time before that of the row above"):
        check_record(backwards)
    outside = record_of([(0, 0)], (2, 0, BLOCK, (0, 1)))
    outside.cell[0] = 0
    with pytest.raises(BadInput, match="row 0 of the record has an edit outside the map"):
        check_record(outside)
    with pytest.raises(BadInput, match="there is no time model 'ticks': choose steps or distance"):
        check_record(record_of([(0, 0)], model="ticks"))
