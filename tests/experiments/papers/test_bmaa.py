"""The slides on BMAA* as a living paper: their printed numbers must say what the list of claims says they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wayfolk.experiments.papers.bmaa import scenes as bmaa_scenes
from wayfolk.experiments.papers.bmaa import tables as bmaa
from wayfolk.experiments.papers.bmaa.claims import ALGORITHMS, PARKED_STEPS, PLACES, ROUNDED, VERSIONS
from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.tables import FULL, MIDDLE, QUICK
from wayfolk.experiments.sweeps.columns import RUNS
from wayfolk.experiments.sweeps.tables import PROBLEMS

CLAIMS = {claim.id: claim for claim in bmaa.CLAIMS}
TABLES = {table.id: table for table in bmaa.TABLES}
PRINTED = Measured({table.id: table.rows for table in bmaa.TABLES})
OVERALL = ("Overall", "n/a")


def judge(claim: str, **tables: list[dict[str, Any]]) -> bool | None:
    return CLAIMS[claim].judge(Measured(tables)).holds


@pytest.fixture
def everything_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bmaa, "has", lambda *names: None)


def test_all_claims_are_there() -> None:
    assert len(CLAIMS) == 16
    assert [claim.id for claim in bmaa.CLAIMS if claim.mark == "neg"] == [
        "B3",
        "B5",
        "B6",
        "B7",
        "B10",
        "B11",
        "B12",
        "B16",
    ]


@pytest.mark.parametrize("claim", [claim.id for claim in bmaa.CLAIMS if claim.own is not None])
def test_missing_rows_leave_a_claim_open(claim: str) -> None:
    small = ("lak307d", "lak304d", "Overall")
    left = {name: [row for row in TABLES[name].rows if row["map"] not in small] for name in ("I", "II", "III")}
    assert CLAIMS[claim].judge(Measured(left)).holds is None


def test_details_of_the_printed_numbers() -> None:
    details = {claim: CLAIMS[claim].judge(PRINTED).detail for claim in CLAIMS}
    assert "on 10 of 10 maps" in details["B1"]
    assert "on 7 of 10 maps" in details["B2"]
    assert details["B3"].endswith("2, 4")
    assert details["B4"].endswith("3.5, 3.4, 8.2, 12.3")
    assert details["B5"].count("9 of 10") == 2
    assert details["B6"].endswith("6.7, 15.1, 7.9, 11.4, 3.2, 4.5")
    assert "on 9 of 10 maps" in details["B7"]
    assert details["B8"].endswith("79, 38, 0.2")
    assert details["B16"].endswith("16, 20, 12.3, 8.2")


def test_printed_tables() -> None:
    for number in ("I", "II", "III"):
        rows = TABLES[number].rows
        assert len(rows) == 11 * 7
        assert not any(key.startswith("printed_") for row in rows for key in row)
        assert {(row["map"], row["dims"]) for row in rows} == {*PLACES, ("Overall", "n/a")}
    # the corrected reading of a misprint
    assert PRINTED.value("III", "travel_distance", map="AR0504SR", algorithm="FAR") == 277


def test_flow_and_push_are_the_suffixes_f_and_c() -> None:
    for row in TABLES["I"].rows:
        if row["algorithm"] in VERSIONS:
            assert (row["push"] == "yes", row["flow"] == "yes") == ("-c" in row["algorithm"], "-f" in row["algorithm"])


def test_a_missing_algorithm_is_told_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bmaa, "has", lambda *names: f"no {names[0]}")
    all_jobs = {(table.make or table.jobs)(row, QUICK) for table in bmaa.TABLES for row in table.rows}  # type: ignore[arg-type]
    assert {str(sentence).split()[0] for sentence in all_jobs} == {"no"}


@pytest.mark.usefixtures("everything_there")
@pytest.mark.parametrize("table", TABLES)
def test_jobs_of_a_table(table: str) -> None:
    for row in TABLES[table].rows:
        jobs = TABLES[table].jobs(row, QUICK)
        if isinstance(jobs, str):
            assert "there is no file" in jobs or jobs == "left out of the quick version"
            continue
        assert jobs or TABLES[table].make
        assert len({job.key for job in jobs}) == len(jobs)
        for job in jobs:
            assert job.problem.keys() - {"kind", "digest"} <= set(PROBLEMS[job.problem["kind"]].settings)
            assert "file" not in job.map or Path(job.map["file"]).is_file()


@pytest.mark.usefixtures("everything_there")
def test_an_average_has_the_cells_of_what_it_averages() -> None:
    parts: set[str] = set()
    whole: set[str] = set()
    for row in TABLES["II"].rows:
        jobs = TABLES["II"].jobs(row, QUICK)
        if isinstance(jobs, str):
            pytest.skip(jobs)
        keys = {job.key for job in jobs}
        if row["map"] == row["algorithm"] == "Overall":
            whole = keys
        elif not row["is_aggregate"]:
            assert not keys & parts
            parts |= keys
    assert parts == whole


@pytest.mark.usefixtures("everything_there")
def test_the_two_sizes_of_a_map_are_two_maps() -> None:
    small, large = (row for row in TABLES["I"].rows if row["map"] == "AR0414SR" and row["algorithm"] == "FAR")
    jobs = [TABLES["I"].jobs(row, FULL) for row in (small, large)]
    if isinstance(jobs[0], str) or isinstance(jobs[1], str):
        pytest.skip(str(jobs))
    assert [len(of_row) for of_row in jobs] == [24 * 10] * 2
    assert {job.options["expansions"] for job in jobs[0]} == {bmaa.BUDGET * n for n in bmaa.COUNTS}
    assert jobs[0][0].map["digest"] != jobs[1][0].map["digest"]


def test_columns_of_the_store() -> None:
    kept = [table for table in bmaa.TABLES if table.make is None]
    assert {column for table in kept for column in table.metrics.values()} <= {column.name for column in RUNS}


def summary(table: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    summarise = TABLES[table].summarise
    assert summarise is not None
    return summarise(runs, {})


def test_summaries() -> None:
    runs = [
        {
            "completion_rate": 0.5,
            "travel_distance": 300.0,
            "n_agents": 10,
            "sum_of_loss": 50,
            "fuel": 30,
            "makespan": 10,
        },
        {
            "completion_rate": 1.0,
            "travel_distance": 100.0,
            "n_agents": 10,
            "sum_of_loss": 20,
            "fuel": 20,
            "makespan": 5,
        },
    ]
    runs = [run | {"seed": seed, "completion_time": 10.0 * seed, "expanded": 400} for seed, run in enumerate(runs)]
    rates = summary("I", runs)
    assert (rates["completion_rate_pct"], rates["completion_rate_pct_each"]) == (75.0, [50.0, 100.0])
    assert rates["completion_rate_pct_error"] == pytest.approx(25.0)
    assert summary("I", [*runs, runs[0] | {"completion_rate": 0.3}])["completion_rate_pct_each"] == [40.0, 100.0]
    assert summary("II", runs)["completion_steps"] == 5.0
    assert summary("III", runs)["travel_distance"] == 20.0
    assert summary("budget", runs)["used"] == pytest.approx((4 + 8) / 2)
    assert summary("scenes", runs)["waiting"] == 1.0
    assert summary("scenes", [{"cost": 7.0}])["distance"] == 7.0, "a search walks its path"


@pytest.mark.parametrize(("at", "holds"), [(200, True), (600, False), (50, False)])
def test_where_the_curves_break(at: int, holds: bool) -> None:
    rows = [
        {"algorithm": name, "agents": n, "completion_rate_pct": 90.0 - min(n, at) * 0.01 - max(0, n - at) * 0.04}
        for name in ALGORITHMS
        for n in bmaa.COUNTS
    ]
    assert judge("B9", fig2=rows) is holds
    few = [row for row in rows if row["agents"] in (25, 100, 200, 300, 400)]
    assert judge("B9", fig2=few) is None, "with few points a break could be nowhere else"


@pytest.mark.parametrize(("replan", "bounded", "holds"), [(10.0, 31.0, True), (10.0, 29.0, False), (11.0, 31.0, False)])
def test_a_dead_end(replan: float, bounded: float, holds: bool) -> None:
    walked = {"A*": 10.0, "A*-Replan": replan, "BMAA*": bounded}
    assert (
        judge("B10", scenes=[{"scene": "dead-end", "algorithm": a, "distance": d} for a, d in walked.items()]) is holds
    )


@pytest.mark.parametrize(("rate", "far", "holds"), [(50.0, 9.0, True), (100.0, 9.0, False), (50.0, 1.0, False)])
def test_jams(rate: float, far: float, holds: bool) -> None:
    rows = [
        {"scene": "corridor", "algorithm": "FAR", "completion_rate_pct": rate},
        {"scene": "rooms", "algorithm": "FAR", "waiting": far},
        {"scene": "rooms", "algorithm": "BMAA*", "waiting": 2.0},
    ]
    assert judge("B11", scenes=rows) is holds


def test_parked_agents() -> None:
    rows = [
        {"scene": "parked", "algorithm": a, "steps": steps, "completion_rate_pct": 75.0}
        for a in VERSIONS
        for steps in PARKED_STEPS
    ]
    assert judge("B12", scenes=rows) is True
    assert judge("B12", scenes=rows[:-1]) is None
    assert judge("B12", scenes=[*rows[:-1], rows[-1] | {"completion_rate_pct": 100.0}]) is False


def test_bounded_searches() -> None:
    rows = [row | {"most_expanded": 32.0} for row in TABLES["expansions"].rows]
    assert judge("B14", expansions=rows) is True
    assert judge("B14", expansions=[*rows[1:], rows[0] | {"most_expanded": 33.0}]) is False
    assert judge("B14", expansions=rows[1:]) is None


def test_what_a_lone_agent_believes() -> None:
    rows = [{"blocked": 0.1, "completion_rate_pct": 100.0, "above": 1e-6, "gap": 1e-6}]
    assert judge("B13", lone=rows) is True
    for wrong in ({"completion_rate_pct": 95.0}, {"above": 0.1}, {"gap": 0.1}):
        assert judge("B13", lone=[*rows, rows[0] | wrong]) is False


@pytest.mark.parametrize("blocked", [0.0, 0.2, 0.4])
def test_beliefs_are_compared_with_the_truth(blocked: float, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bmaa_scenes.run_alone(blocked, seed=5)
    assert run["arrived"] == 1.0
    assert run["above"] <= ROUNDED
    assert run["gap"] <= ROUNDED
    real = bmaa_scenes.learned

    def exaggerated(*of: Any) -> Any:
        return real(*of) * 3.0 + 0.1

    monkeypatch.setattr(bmaa_scenes, "learned", exaggerated)
    assert bmaa_scenes.run_alone(blocked, seed=5)["above"] > ROUNDED


def test_the_pictures_of_stuck_agents() -> None:
    best = bmaa_scenes.run_figure("dead-end", "astar", {}, 1)["cost"]
    replan, bounded = (bmaa_scenes.run_figure("dead-end", name, {}, 10_000) for name in ("a_star_replan", "bmaa"))
    assert replan["travel_distance"] == pytest.approx(best)
    assert bounded["travel_distance"] > 3 * best
    assert bmaa_scenes.run_figure("parked", "bmaa_f_c", {}, 200)["completion_rate"] == pytest.approx(2 / 3)
    assert bmaa_scenes.run_figure("corridor", "far", {}, 10)["n_agents"] == 8


def test_the_middle_version() -> None:
    row = next(row for row in TABLES["I"].rows if row["map"] == "lak307d" and row["algorithm"] == "FAR")
    jobs = TABLES["I"].jobs(row, MIDDLE)
    if isinstance(jobs, str):
        pytest.skip(jobs)
    assert sorted({job.problem["agents"] for job in jobs}) == [25, 100]
    assert {job.seed for job in jobs} == set(range(10))
    assert {tuple(job.limits.items()) for job in jobs} == {(("steps", 1000),)}, "no clock"
    points = [row for row in TABLES["fig2"].rows if not isinstance(TABLES["fig2"].jobs(row, MIDDLE), str)]
    assert len(points) == 7 * len(ALGORITHMS)


@pytest.mark.usefixtures("everything_there")
def test_a_budget_is_for_each_agent_and_step() -> None:
    row = next(row for row in TABLES["I"].rows if row["map"] == "lak307d" and row["algorithm"] == "A*-Replan")
    for suffix, budget, jams in (("", 32, "replan"), ("-1", 1, "replan"), ("-8", 8, "replan"), ("-ours", 32, "break")):
        jobs = TABLES["I" + suffix].jobs(row, QUICK)
        if isinstance(jobs, str):
            pytest.skip(jobs)
        assert {job.options["expansions"] / job.problem["agents"] for job in jobs} == {budget}
        assert {job.options["jams"] for job in jobs} == {jams}
    bounded = row | {"algorithm": "BMAA*"}
    assert TABLES["I"].jobs(bounded, QUICK) == TABLES["I-1"].jobs(bounded, QUICK), "which needs no budget"


def test_differences_inside_the_noise_are_undecided() -> None:
    def table(rivals: list[float]) -> list[dict[str, Any]]:
        numbers = {name: rivals if name in ("FAR", "A*-Replan") else [60.0, 70.0, 65.0] for name in ALGORITHMS}
        return [
            {"map": place[0], "dims": place[1], "algorithm": name, "completion_rate_pct": sum(values) / 3,
             "completion_rate_pct_each": values}
            for place in (*PLACES, OVERALL) for name, values in numbers.items()
        ]  # fmt: skip

    assert judge("B1", I=table([20.0, 30.0, 25.0])) is True
    assert judge("B1", I=table([70.0, 80.0, 75.0])) is False
    verdict = CLAIMS["B1"].judge(Measured({"I": table([50.0, 80.0, 50.0])}))
    assert (verdict.holds, verdict.is_undecided) == (None, True)
