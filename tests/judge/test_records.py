"""The judge of records: one broken record for each kind of fault; and a slow judge that must agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import plain_referee
import reference
from wayfolk.errors import BadInput
from wayfolk.judge.plans import Fault, check
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, BLOCK, FREE, GOAL, JOIN, LEAVE, MOVE, REFUSED, THOUGHT
from wayfolk.problem.plan import Plan
from wayfolk.problem.record import DISTANCE, KINDS, STEPS, TURNS, Record
from wayfolk.world.grid import Grid

NOWHERE = 2**31 - 1
Place = tuple[int, int]
Path = Sequence[Place | None]
Row = tuple[float, int, int, Place]

ROOM = Grid([[sign == "." for sign in row] for row in ("....", "....", "..@.")])


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


@given(reference.wild_plans())
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


@st.composite
def wild_records(draw: st.DrawFn) -> Record:
    """Rows of every kind in a small room: moves to neighbouring places mostly, from where the agent was last."""
    model, n_agents = draw(st.sampled_from([STEPS, DISTANCE, TURNS])), draw(st.integers(1, 5))
    place = st.tuples(st.integers(0, 3), st.integers(0, 2))
    starts = [draw(st.none() | place) for _ in range(n_agents)]
    here: list[Place] = [start or (0, 0) for start in starts]
    kinds = st.sampled_from([MOVE] * 12 + [GOAL, ARRIVE, JOIN, LEAVE, BLOCK, FREE, REFUSED])
    gaps = st.sampled_from(
        {STEPS: [0.0, 0.0, 1.0, 1.0, 2.0], DISTANCE: [0.0, 0.0, 0.41, 0.59, 1.0, 1.5], TURNS: [0.0, 0.0, 1.5, 3.0]}[
            model
        ]
    )
    rows: list[Row] = []
    time = 0.0
    for _ in range(draw(st.integers(0, 14))):
        time += draw(gaps)
        agent, kind = draw(st.integers(0, n_agents - 1)), draw(kinds)
        x, y = here[agent]
        dx, dy = draw(st.tuples(st.integers(-1, 1), st.integers(-1, 1)))
        there = min(max(x + dx, 0), 3), min(max(y + dy, 0), 2)
        if kind in (JOIN, BLOCK, FREE) or draw(st.integers(0, 9)) == 9:
            there = draw(place)
        elif kind in (GOAL, ARRIVE, LEAVE):
            there = x, y
        if kind in (MOVE, JOIN):
            here[agent] = there
        rows.append((time, agent, kind, there))
    note("\n".join(f"{time} agent {agent} {KINDS[kind]} {place}" for time, agent, kind, place in rows))
    tick = 1.5 if model == TURNS else draw(st.sampled_from([1e-9, 0.03, 0.5]))
    return record_of(starts, *rows, model=model, tick=tick)


@settings(max_examples=300)
@given(wild_records())
def test_the_judge_finds_what_a_slow_one_finds(record: Record) -> None:
    ours, theirs = check_record(record, limit=100_000), plain_referee.faults_of(record)
    assert [f for f in ours if f.kind != "swap"] == [f for f in theirs if f.kind != "swap"]
    # of several that swap along one edge the slow judge names two at a time
    assert _pairs(ours) == _pairs(theirs)


def _pairs(faults: list[Fault]) -> set[tuple[float, tuple[Place, ...]]]:
    return {(fault.step, fault.places) for fault in faults if fault.kind == "swap" and len(fault.agents) > 1}


def test_in_turns_everyone_acts_once_in_the_order_of_numbers() -> None:
    def kinds(*rows: Row) -> list[str]:
        return [f.kind for f in check_record(record_of([(0, 0), (1, 0), (3, 0)], *rows, model=TURNS, tick=1.5))]

    assert kinds((0, 0, MOVE, (0, 1)), (0, 1, MOVE, (0, 0)), (0, 2, REFUSED, (3, 1)), (1.5, 0, MOVE, (1, 1))) == []
    assert kinds((0, 0, REFUSED, (1, 0)), (0, 1, MOVE, (2, 0)), (1.5, 0, MOVE, (1, 0))) == [], "it moves out of the way"
    assert kinds((0, 1, MOVE, (2, 0)), (0, 0, MOVE, (1, 0))) == ["turn"]
    assert kinds((0, 1, REFUSED, (0, 0)), (0, 1, MOVE, (2, 0))) == ["turn"]
    assert kinds((0, 1, MOVE, (2, 0)), (0, 1, MOVE, (2, 1))) == ["busy", "turn"]
    assert kinds((0, 0, MOVE, (1, 0))) == ["vertex"], "nobody follows closely: the other one has not left"
    assert kinds((0, 0, MOVE, (1, 1)), (0, 1, MOVE, (0, 1))) == [], "diagonals may cross"
    with pytest.raises(BadInput, match="row 0 of the record has a time between two turns"):
        kinds((1.0, 0, MOVE, (0, 1)))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((-1, 0, MOVE, (0, 1)), "row 0 of the record has a time that is not a number from 0"),
        ((0.5, 0, MOVE, (0, 1)), "row 0 of the record has a time between two steps"),
        ((0, 0, THOUGHT + 1, (0, 1)), "row 0 of the record has an unknown kind, of 10"),
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
    with pytest.raises(BadInput, match="there is no time model 'ticks': choose steps, distance or turns"):
        check_record(record_of([(0, 0)], model="ticks"))
