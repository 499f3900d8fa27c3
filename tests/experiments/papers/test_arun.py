"""Arun's thesis as a living paper: the printed numbers must say what the list of claims says they say."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wayfolk.experiments.papers import reproduce as reproducing
from wayfolk.experiments.papers.arun import tables as arun
from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.tables import FULL, QUICK, Scale, has, printed
from wayfolk.experiments.sweeps.engine import SweepProgress
from wayfolk.experiments.sweeps.job import Job
from wayfolk.experiments.sweeps.store import Store

CLAIMS = {claim.id: claim for claim in arun.CLAIMS}
TABLES = {table.id: table for table in arun.TABLES}
PRINTED = {table: TABLES[table].rows for table in ("nodes", "times")}
Rows = dict[str, list[dict[str, Any]]]


def judge(claim: str, rows: Rows) -> bool | None:
    return CLAIMS[claim].judge(Measured(rows)).holds


def filled(table: str, *numbers: dict[str, Any]) -> Rows:
    """The rows of a table with made-up numbers."""
    return {table: [row | values for row, values in zip(TABLES[table].rows, numbers, strict=True)]}


def test_all_claims_are_there() -> None:
    assert len(CLAIMS) == 13
    assert [claim.id for claim in arun.CLAIMS if claim.mark] == ["A12"]
    assert CLAIMS["A12"].mark == "neg"


@pytest.mark.parametrize(
    ("claim", "table", "place", "value"),
    [
        ("A1", "nodes", 3, 300),  # RTA* above Dijkstra
        ("A2", "nodes", 2, 70),  # Theta* like A*
        ("A3", "times", 6, 580.0),  # Theta* below Dijkstra for 5 agents
        ("A4", "times", 2, 300.0),  # A* for 10 agents below that for 8
    ],
)
def test_one_number_out_of_place_refutes(claim: str, table: str, place: int, value: float) -> None:
    rows = copy.deepcopy(PRINTED)
    (metric,) = {"mean_nodes_expanded_per_400", "execution_time"} & set(rows[table][place])
    rows[table][place][metric] = value
    assert judge(claim, rows) is False


def test_times_that_do_not_grow_refute_before_all_is_measured() -> None:
    rows = copy.deepcopy(PRINTED)
    rows["times"] = rows["times"][:6]
    assert judge("A4", rows) is None
    rows["times"][5]["execution_time"] = 1.0
    assert judge("A4", rows) is False


def test_the_scaled_heuristic() -> None:
    best = {"cost": 100.0, "expanded": 90}
    numbers = [best, best | {"expanded": 60}, best | {"expanded": 20}, {"cost": 101.0, "expanded": 10}, best]
    rows = filled("heuristics", *numbers)
    assert (judge("A5", rows), judge("A6", rows)) == (True, True)
    rows["heuristics"][3]["cost"] = 100.0  # h above h*, and optimal all the same
    assert (judge("A5", rows), judge("A6", rows)) == (True, False)
    rows = filled("heuristics", *numbers)
    rows["heuristics"][2]["cost"] = 100.1
    assert (judge("A5", rows), judge("A6", rows)) == (False, False)
    rows = filled("heuristics", *numbers)
    rows["heuristics"][3]["expanded"] = 21  # h above h*, and not faster
    assert (judge("A5", rows), judge("A6", rows)) == (True, False)
    assert judge("A6", {"heuristics": rows["heuristics"][1:]}) is None


def paths() -> Rows:
    return filled(
        "paths",
        {"length": 12.0, "heading_changes": 5.0, "seconds": 1.0, "lengths": [10.0, 14.0]},
        {"length": 11.5, "heading_changes": 3.0, "seconds": 1.2, "lengths": [10.0, 13.0]},
        {"length": 11.4, "heading_changes": 2.0, "seconds": 1.5, "lengths": [10.0, 12.8]},
    )


def test_straight_and_smoothed_paths() -> None:
    assert (judge("A7", paths()), judge("A8", paths())) == (True, True)
    for place, change, broken in [
        (2, {"heading_changes": 6.0}, "A7"),
        (2, {"length": 12.1}, "A7"),
        (1, {"lengths": [10.1, 13.0]}, "A8"),  # longer than the grid path once
        (1, {"lengths": [10.0, 14.0]}, "A8"),  # never shorter
        (1, {"seconds": 0.9}, "A8"),
    ]:
        rows = paths()
        rows["paths"][place] |= change
        assert judge(broken, rows) is False, change
    rows = paths()
    rows["paths"][1] |= {"lengths": [10.0, 12.8]}  # as short as with Theta*: it may be the shortest, or not
    verdict = CLAIMS["A8"].judge(Measured(rows))
    assert verdict.holds is None
    assert "longer than with Theta* on 0 of 2" in verdict.detail


def test_a_little_slower() -> None:
    rows = copy.deepcopy(PRINTED)
    for place in range(3):
        rows["times"][6 + place]["execution_time"] = 1.5 * rows["times"][place]["execution_time"]
    assert judge("A9", rows) is True
    rows["times"][6]["execution_time"] = 9.0
    assert judge("A9", rows) is False


def test_the_widest_spread() -> None:
    spreads = [{"least": 1, "most": most} for most in (900, 310, 300, 800, 90, 320)]  # of BFS and A* smoothed too
    assert judge("A10", filled("searches", *spreads)) is True
    assert judge("A10", filled("searches", *spreads[:5], {"least": 30, "most": 320})) is False


def lookahead(*, expanded: tuple[float, ...] = (1.0, 2.0, 5.0), success: float = 1.0) -> Rows:
    costs = (30.0, 25.0, 25.0)
    values = [{"success": success, "cost": c, "expanded_per_move": n} for c, n in zip(costs, expanded, strict=True)]
    return filled("lookahead", *values)


def test_lookahead() -> None:
    assert judge("A11", lookahead()) is True
    assert judge("A11", lookahead(expanded=(1.0, 1.9, 5.0))) is False
    assert judge("A11", lookahead(success=0.99)) is False
    assert judge("A12", lookahead() | paths()) is True
    assert judge("A12", lookahead()) is None
    assert judge("A12", lookahead(success=0.5)) is False


def test_nobody_wins_everywhere() -> None:
    rows = PRINTED | paths() | filled("view", *[{"reached": 1}] * 4)
    assert judge("A13", rows) is True
    assert judge("A13", rows | filled("view", *[{"reached": 1}] * 3, {"reached": 0.99})) is False
    assert judge("A13", rows | {"view": rows["view"][:3]}) is None
    straight = paths()
    straight["paths"][0]["heading_changes"] = 1.0
    assert judge("A13", rows | straight) is False


def test_tables_hold_every_printed_number() -> None:
    assert TABLES["nodes"].rows == printed("arun-nodes")
    assert TABLES["times"].rows == printed("arun-times")
    means = {row["algorithm"]: row.get("mean_nodes_expanded_per_400") for row in TABLES["searches"].rows}
    assert means == {"BFS": None, "Dijkstra": 292, "A*": 64, "A* smoothed": None, "Theta*": 291, "RTA*": 104}
    assert set(TABLES["nodes"].metrics) == {"mean_nodes_expanded_per_400"}
    assert TABLES["times"].metrics == {"execution_time": "seconds"}


@pytest.mark.parametrize("table", [name for name in TABLES if TABLES[name].make is None])
@pytest.mark.parametrize("everything", [False, True])
def test_a_row_has_cells_or_a_sentence(table: str, everything: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if everything:
        monkeypatch.setattr(arun, "has", lambda *names: None)
    for row in TABLES[table].rows:
        quick, full = (TABLES[table].jobs(row, scale) for scale in (QUICK, FULL))
        if isinstance(quick, str) or isinstance(full, str):
            assert quick == full
            assert str(quick).startswith("not measured: ")
            assert not everything
        else:
            keys, all_keys = ({job.key for job in jobs} for jobs in (quick, full))
            assert (len(keys), len(all_keys)) == (len(quick), len(full))
            assert keys < all_keys


def test_all_algorithms_get_the_same_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arun, "has", lambda *names: None)
    for table in ("nodes", "searches", "heuristics", "paths"):
        rows = [TABLES[table].jobs(row, QUICK) for row in TABLES[table].rows]
        searches = [[(job.map, job.problem, job.seed) for job in jobs] for jobs in rows if isinstance(jobs, list)]
        assert all(one == searches[0] for one in searches)
        assert len(searches) == len(rows)


def test_every_algorithm_of_the_document_can_be_measured() -> None:
    assert has(*arun.NAMES.values()) is None
    for table in TABLES.values():
        assert all(isinstance(table.jobs(row, QUICK), list) for row in table.rows)


def test_a_theta_with_a_plain_queue_is_measured_beside_the_other() -> None:
    for name in ("nodes", "times"):
        for row in TABLES[name].rows:
            plain, queue = (TABLES[table].jobs(row, QUICK) for table in (name, name + arun.FIFO))
            assert isinstance(plain, list)
            assert isinstance(queue, list)
            is_theta = row["algorithm"] == "Theta*"
            assert ([job.options.get("order") for job in queue] == ["fifo"] * len(queue)) == is_theta
            assert ({job.key for job in plain} == {job.key for job in queue}) != is_theta


def test_times_inside_their_noise_decide_nothing() -> None:
    rows = copy.deepcopy(PRINTED)
    for row in rows["times"]:
        row["execution_time_each"] = [row["execution_time"] * part for part in (0.5, 1.0, 1.5)]
    assert judge("A4", rows) is None
    assert CLAIMS["A4"].judge(Measured(rows)).is_undecided


def test_rta_looks_as_far_ahead_as_the_tables_say() -> None:
    looks = {
        (table, row.get("depth")): {job.options["depth"] for job in TABLES[table].jobs(row, QUICK)}  # type: ignore[union-attr]
        for table in ("nodes", "searches", "lookahead")
        for row in TABLES[table].rows
        if row["algorithm"] == "RTA*"
    }
    assert looks == {("nodes", None): {3}, ("searches", None): {3}} | {("lookahead", k): {k} for k in (1, 3, 5)}
    assert "RTA* looks 3 moves ahead" in TABLES["nodes"].setup


def test_of_several_takes_the_quickest_counts() -> None:
    def run(blocked: float, take: int, seconds: float) -> dict[str, Any]:
        where = {"blocked": blocked, "seed": 0, "name": f"take {take}"}
        row = {"cell": json.dumps({"map": where}), "seconds": seconds, "cost": 10 + blocked}
        return row | {"expanded": 100 * blocked + 1}

    runs = [run(0.2, 0, 5.0), run(0.2, 1, 4.0), run(0.0, 0, 2.0), run(0.0, 1, 9.0)]
    table = TABLES["times"]
    assert table.summarise is not None
    assert table.summarise(runs, {}) == {
        "execution_time": 3.0, "execution_time_error": 1.0, "execution_time_each": [2.0, 4.0],
    }  # fmt: skip
    table = TABLES["paths"]
    assert table.summarise is not None
    numbers = table.summarise(runs, {})
    assert (numbers["lengths"], numbers["heading_changes"], numbers["seconds"]) == ([10.0, 10.2], None, 3.0)
    table = TABLES["searches"]
    assert table.summarise is not None
    numbers = table.summarise(runs, {})
    assert (numbers["nodes"], numbers["times"]) == ([1.0, 21.0], [2.0, 4.0])
    assert (numbers["mean_nodes_expanded_per_400"], numbers["least"], numbers["most"], numbers["seconds"]) == (
        11,
        1,
        21,
        3,
    )


def test_a_look_ahead_is_timed_by_its_quickest_takes() -> None:
    def run(blocked: float, seconds: float, expanded: float, moves: int) -> dict[str, Any]:
        found = {"cell": json.dumps({"map": {"blocked": blocked, "seed": 0}}), "solved": 2, "queries": 2, "cost": 9.0}
        return found | {"seconds": seconds, "expanded": expanded, "fuel": moves}

    table = TABLES["lookahead"]
    assert table.summarise is not None
    runs = [run(0.0, 60.0, 30.0, 10), run(0.1, 20.0, 10.0, 30), run(0.1, 99.0, 10.0, 30), run(0.1, 50.0, 10.0, 30)]
    runs[2]["solved"] = 0  # whichever take it was
    assert table.summarise(runs, {}) == {
        "success": 0.75, "cost": 9.0, "expanded_per_move": 2.0, "seconds_per_move": 2.0,
    }  # fmt: skip


def test_walks_with_a_limited_view() -> None:
    from wayfolk.experiments.papers.arun.view import walks

    for name in ("astar", "dijkstra", "rta"):
        runs = walks(name, 8, (0.3,), 2)
        assert isinstance(runs, list)
        assert [run["reached"] for run in runs] == [1] * 20
        assert all(run["cost"] >= 1.0 and run["expanded"] >= 1 for run in runs)
    assert "theta goes at any angle" in str(walks("theta", 8, (0.3,), 2))


def test_runs_that_no_cell_describes_are_counted_as_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(row: dict[str, Any], scale: Scale) -> list[dict[str, Any]] | str:
        if row["algorithm"] == "Theta*":
            return "not measured: it flies"
        result = [{"status": "solved", "reached": 1, "cost": 4.0, "expanded": 9}]
        return [*result, {"status": "partial", "reached": 0, "cost": None, "expanded": 1}]

    monkeypatch.setattr(arun, "TABLES", [replace(TABLES["view"], make=make)])
    with Store(tmp_path / "runs.duckdb") as store:
        result = reproducing.reproduce("arun", "view", store)
    theta = result["rows"][2]
    assert (theta["ours"], theta["why"], theta["runs"]) == (None, "not measured: it flies", 0)
    assert result["rows"][3]["ours"] == {"algorithm": "RTA*", "reached": 0.5, "cost": 4.0, "expanded": 5.0}
    assert result["rows"][3]["runs"] == 2


def test_a_small_run_is_set_beside_the_printed_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(table: str) -> Any:
        def jobs(row: dict[str, Any], scale: Scale) -> list[Job] | str:
            cells = TABLES[table].jobs(row, scale)
            if isinstance(cells, str) or row["algorithm"] not in ("A*", "Dijkstra"):
                return "not measured: left out"
            return [replace(job, problem={"kind": "pairs", "count": 5}) for job in cells[:2]]

        return jobs

    tables = [replace(TABLES[table], jobs=small(table)) for table in ("nodes", "heuristics")]
    monkeypatch.setattr(arun, "TABLES", tables)
    seen: list[SweepProgress] = []

    def watched(*args: Any, **options: Any) -> SweepProgress:
        seen.append(run_jobs(*args, **options))
        return seen[-1]

    run_jobs = reproducing.run_jobs
    monkeypatch.setattr(reproducing, "run_jobs", watched)
    with Store(tmp_path / "runs.duckdb") as store:
        first = reproducing.reproduce("arun", None, store)
        again = reproducing.reproduce("arun", None, store)
    # Dijkstra's searches of the two tables are the same
    assert [(progress.done, progress.skipped, progress.failed) for progress in seen] == [(12, 0, 0), (0, 12, 0)]
    assert first["machine"].pop("waiting") is not None
    assert again["machine"].pop("waiting") is None, "nothing was run"
    assert json.loads(json.dumps(first, allow_nan=False)) == again
    dijkstra, astar = first["tables"][0]["rows"][:2]
    assert dijkstra["ratio"]["mean_nodes_expanded_per_400"] == dijkstra["ours"]["mean_nodes_expanded_per_400"] / 292
    nodes = [row["ours"]["mean_nodes_expanded_per_400"] for row in (astar, dijkstra)]
    assert 0 < nodes[0] <= nodes[1] <= 400
    verdicts = {claim["id"]: claim["holds"] for claim in first["claims"]}
    assert verdicts["A5"] is True
    assert verdicts["A1"] is verdicts["A2"] is None  # neither Theta* nor RTA* among the rows


def test_crowds_are_timed_up_to_ten_thousand_agents() -> None:
    table = TABLES["crowd"]
    assert sorted({row["agents"] for row in table.rows}) == [5, 8, 10, 100, 300, 1_000, 3_000, 10_000]
    assert {row["algorithm"] for row in table.rows} == {"A*", "Dijkstra", "Theta*"}
    assert table.make is not None
    small, large = ({"algorithm": "A*", "agents": agents} for agents in (5, 10_000))
    (run,) = table.make(small, QUICK)
    assert 0 < run["seconds"] < 60
    assert 0 < run["crowd_seconds"] < 60
    assert "not measured in the quick version" in str(table.make(large, QUICK))
