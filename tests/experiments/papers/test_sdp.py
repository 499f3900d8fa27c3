"""The thesis on SDP with Cooperative JPS as a living paper: its printed numbers, and what they say of its claims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.noise import above, all_of, below, each, most_of
from wayfolk.experiments.papers.sdp import tables as sdp
from wayfolk.experiments.papers.sdp.judges import AREAS, CA, CJ, FAILS, LENGTH, NUMBERS, TIME
from wayfolk.experiments.papers.tables import FULL, QUICK
from wayfolk.experiments.sweeps.columns import RUNS
from wayfolk.experiments.sweeps.tables import PROBLEMS

CLAIMS = {claim.id: claim for claim in sdp.CLAIMS}
TABLES = {table.id: table for table in sdp.TABLES}
PRINTED = Measured({table.id: table.rows for table in sdp.TABLES})
OTHER_COLUMNS = {"longest_path", "generated", "cpu_seconds", "strayed_units", "status"}  # besides those of every run


def judge(claim: str, table: str, rows: list[dict[str, Any]]) -> bool | None:
    return CLAIMS[claim].judge(Measured({table: rows})).holds


@pytest.fixture
def everything_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdp, "has", lambda *names: None)


def test_all_claims_are_there() -> None:
    assert len(CLAIMS) == 14
    marks = {claim.id: claim.mark for claim in sdp.CLAIMS if claim.mark}
    assert marks == {"S4": "overclaim", "S5": "neg", "S6": "overclaim", "S8": "neg", "S12": "ours", "S13": "ours"}


@pytest.mark.parametrize("claim", [claim.id for claim in sdp.CLAIMS if claim.own is not None])
def test_both_searches_are_needed(claim: str) -> None:
    left = {table.id: [row for row in table.rows if row["algorithm"] != CJ] for table in sdp.TABLES}
    assert CLAIMS[claim].judge(Measured(left)).holds is None


def test_details_of_the_printed_numbers() -> None:
    details = {claim: CLAIMS[claim].judge(PRINTED).detail for claim in CLAIMS}
    assert "108 of 108 rows" in details["S1"]
    assert details["S2"].endswith("orz704d 58.06, den204d 59.19, den401d 15.57, den505d 22.62")
    assert details["S3"].endswith("orz704d 33.01, den204d 117.1, den401d 75.5, den505d 29.86")
    for part in ("den405d 9 of 10", "orz601d 7 of 10", "den505d 10 of 18", "hrt201d 8 of 15", "isound1 8 of 8"):
        assert part in details["S4"]
    assert details["S5"].endswith("180")
    for part in ("den204d 455 and 149", "orz704d 17 and 21", "den401d 7 and 21", "hrt201d 5 and 3"):
        assert part in details["S6"]
    assert "10 of 10" in details["S8"]
    assert details["S9"].endswith("-0.4286, -0.5714")


def test_printed_tables() -> None:
    pairs = {name: len(TABLES[f"{number}a"].rows) // 2 for name, number in NUMBERS.items()}
    assert sum(pairs.values()) == 108
    assert pairs["den204d"] == 25
    for number in NUMBERS.values():
        times, fails = TABLES[f"{number}a"].rows, TABLES[f"{number}b"].rows
        assert [(row["map"], row["units"], row["algorithm"]) for row in times] == [
            (row["map"], row["units"], row["algorithm"]) for row in fails
        ]
        assert set(times[0]) == {"map", "units", "algorithm", LENGTH, TIME}
        assert set(fails[0]) == {"map", "units", "algorithm", FAILS}
    assert [row["units"] for row in TABLES["4b"].rows[::2]] == list(range(20, 361, 20)), "a misprint, corrected"


def test_a_missing_algorithm_is_told_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdp, "has", lambda *names: f"no {names[0]}")
    assert {table.jobs(row, QUICK).split()[0] for table in sdp.TABLES for row in table.rows} == {"no"}  # type: ignore[union-attr]


@pytest.mark.usefixtures("everything_there")
@pytest.mark.parametrize("table", TABLES)
def test_jobs_of_a_table(table: str) -> None:
    for row in TABLES[table].rows:
        jobs = TABLES[table].jobs(row, QUICK)
        if isinstance(jobs, str):
            assert "there is no file" in jobs or jobs in (sdp.LEFT_OUT, sdp.TOO_SLOW)
            continue
        assert len(jobs) == (1 if table == "jps" else sdp.SIZES[QUICK].iterations)
        assert jobs[0].problem.get("name") == (None if table == "jps" else "sdp-rooms")
        assert jobs[0].problem.keys() - {"kind", "digest"} <= set(PROBLEMS[jobs[0].problem["kind"]].settings)
        assert Path(jobs[0].map["file"]).stem == row["map"]


@pytest.mark.usefixtures("everything_there")
def test_quick_keeps_the_ends_of_each_map() -> None:
    for number in NUMBERS.values():
        rows = TABLES[f"{number}b"].rows
        kept = [row["units"] for row in rows if TABLES[f"{number}b"].jobs(row, QUICK) != sdp.LEFT_OUT]
        assert len(kept) == 6, "two searches, three counts"
        assert (kept[0], kept[-1]) == (rows[0]["units"], rows[-1]["units"])


@pytest.mark.usefixtures("everything_there")
def test_the_full_size_leaves_no_row_out() -> None:
    for number in NUMBERS.values():
        table = TABLES[f"{number}b"]
        assert [row for row in table.rows if table.jobs(row, FULL) in (sdp.LEFT_OUT, sdp.TOO_SLOW)] == []


@pytest.mark.usefixtures("everything_there")
def test_what_differs_between_rows_of_the_checks() -> None:
    where = {"map": "orz704d", "units": 10}
    mixed, same = (TABLES["moves"].jobs(where | {"algorithm": CA, "moves": moves}, FULL) for moves in ("four", "eight"))
    with_it, without = (
        TABLES["sideways"].jobs(where | {"algorithm": CJ, "sideways": given}, FULL) for given in ("yes", "no")
    )
    plain, plain_cj = (TABLES["1a"].jobs(where | {"algorithm": search}, FULL) for search in (CA, CJ))
    if isinstance(plain, str):
        pytest.skip(plain)
    assert len(plain) == 5
    assert (same, with_it) == (plain, plain_cj), "what is the same run is run once"
    assert mixed != plain
    assert without != plain_cj


def test_columns_of_the_store() -> None:
    assert {column for table in sdp.TABLES for column in table.metrics.values()} <= {
        column.name for column in RUNS
    } | OTHER_COLUMNS


def run(seed: int, status: str = "solved", **measures: float) -> dict[str, Any]:
    cell = json.dumps({"limits": {"steps": 100}})
    return {"seed": seed, "status": status, "cell": cell, "makespan": 40, "cpu_seconds": 1.0} | measures


def test_summaries_have_means_errors_and_runs_in_the_order_of_seeds() -> None:
    summarise = TABLES["1a"].summarise
    assert summarise is not None
    summary = summarise([run(1, cpu_seconds=3.0, longest_path=20), run(0, longest_path=10)], {})
    assert (summary[LENGTH], summary[TIME], summary["cut_runs"]) == (15.0, 2.0, 0)
    assert (summary[f"{LENGTH}_each"], summary[f"{LENGTH}_error"]) == ([10, 20], 5.0)


def test_a_run_that_the_clock_ended_counts_for_the_time_only() -> None:
    summarise = TABLES["1a"].summarise
    assert summarise is not None
    runs = [run(0, longest_path=10), run(1, "partial", longest_path=30, cpu_seconds=9.0)]
    summary = summarise(runs, {})
    assert (summary[LENGTH], summary[TIME], summary["cut_runs"]) == (10.0, 5.0, 1)
    assert each(Measured({"1a": [summary]}), "1a", LENGTH) is None, (
        "a row with a cut run is compared in nothing but time"
    )
    runs[1]["makespan"] = 100
    assert summarise(runs, {})[LENGTH] == 20.0, "all steps were used: units failed"


@pytest.mark.parametrize(
    ("numbers", "answer"),
    [
        ([1.0, 1.1, 0.9], True),
        ([-1.0, -1.1, -0.9], False),
        ([1.0, -1.0, 0.5], None),
        ([3.0], None),
        ([0.0, 0.0], False),
    ],
)
def test_a_difference_inside_the_noise_is_undecided(numbers: list[float], answer: bool | None) -> None:
    assert above(numbers) is answer
    assert below([-number for number in numbers]) is answer


def test_answers_together() -> None:
    assert (all_of([True, None]), all_of([None, False]), all_of([True, True])) == (None, False, True)
    assert (most_of([True, True, None]), most_of([True, None, False]), most_of([None, False, False])) == (
        True,
        None,
        False,
    )


def test_a_claim_inside_the_noise_is_undecided() -> None:
    rows = [
        {"map": name, "units": 10, "algorithm": search, LENGTH: 10.0, f"{LENGTH}_each": numbers}
        for name in NUMBERS
        for search, numbers in ((CA, [12.0, 9.0, 11.0]), (CJ, [10.0, 11.0, 9.0]))
    ]
    tables = {f"{number}a": [row for row in rows if row["map"] == name] for name, number in NUMBERS.items()}
    said = CLAIMS["S1"].judge(Measured(tables))
    assert (said.holds, said.is_undecided) == (None, True)
    assert "0 of 8 (8 undecided) rows" in said.detail


@pytest.mark.parametrize(
    ("slower", "holds"),
    [
        ((20, 160), True),
        ((20,), True),
        ((20, 160, 300), False),
        ((20, 160, 180, 300), False),
        ((160,), False),
        ((), False),
    ],
)
def test_overtaking(slower: tuple[int, ...], holds: bool) -> None:
    """Slower up to some count, faster from a count between 100 and 240 on, and never the other way round."""
    rows = []
    for units in (20, 160, 180, 300):
        rows.append({"map": "den505d", "units": units, "algorithm": CA, TIME: 2.0})
        rows.append({"map": "den505d", "units": units, "algorithm": CJ, TIME: 3.0 if units in slower else 1.0})
    assert judge("S5", "4a", rows) is holds


@pytest.mark.parametrize(
    ("change", "holds"),
    [({}, True), ({"cost": 101.0}, False), ({"wrong_cost": 1}, False), ({"opened": 40.0}, False), ({TIME: 0.5}, False)],
)
def test_jps(change: dict[str, float], holds: bool) -> None:
    rows: list[dict[str, Any]] = []
    for name in AREAS:
        rows.append({"map": name, "algorithm": "A*", "cost": 100.0, "wrong_cost": 0, "opened": 100.0, TIME: 1.0})
        rows.append({"map": name, "algorithm": "JPS", "cost": 100.0, "wrong_cost": 0, "opened": 20.0, TIME: 0.2})
    rows[-1] |= change
    assert judge("S10", "jps", rows) is holds
    assert judge("S10", "jps", rows[1:]) is None


def test_side_way_moves() -> None:
    rows = [
        {"map": "orz704d", "units": units, "algorithm": CJ, "sideways": given, LENGTH: 10, TIME: 1.0, FAILS: 0}
        for units in (10, 20, 30)
        for given in ("yes", "no")
    ]
    assert judge("S11", "sideways", rows) is True
    rows[0][FAILS] = 1
    assert judge("S11", "sideways", rows) is True, "two of three rows are a majority"
    rows[2][TIME] = 1.1
    assert judge("S11", "sideways", rows) is False


@pytest.mark.parametrize(("four", "eight", "holds"), [(2.0, 1.05, True), (2.0, 1.99, False), (1.05, 1.05, False)])
def test_what_explains_the_makespan_gain(four: float, eight: float, holds: bool) -> None:
    rows = [
        {"map": name, "units": 10, "algorithm": search, "moves": moves, LENGTH: 100.0 * factor}
        for name in NUMBERS
        for search, moves, factor in ((CA, "four", four), (CA, "eight", eight), (CJ, "eight", 1.0))
    ]
    assert judge("S12", "moves", rows) is holds


def test_nested_instances() -> None:
    rows = [
        {"map": name, "units": units, "algorithm": search, "makespan": units}
        for name in ("orz704d", "hrt201d")
        for search in (CA, CJ)
        for units in (10, 20, 20, 30)
    ]
    assert judge("S13", "nested", rows) is True
    rows[-1]["makespan"] = 5
    assert judge("S13", "nested", rows) is False
