"""The thesis on Salient Search as a living paper: its printed numbers, and what they say of its claims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.tables import FULL, MIDDLE, QUICK
from wayfolk.experiments.papers.vermette import tables as vermette
from wayfolk.experiments.papers.vermette.judges import (
    BACK,
    HARD_BACK,
    HARD_TURNS,
    SALIENT,
    SUB,
    TURNS,
    Figures,
    tie_breaking_lower,
)
from wayfolk.experiments.papers.vermette.variance import p_values
from wayfolk.experiments.sweeps.columns import RUNS
from wayfolk.experiments.sweeps.tables import MAPS, PROBLEMS

CLAIMS = {claim.id: claim for claim in vermette.CLAIMS}
TABLES = {table.id: table for table in vermette.TABLES}
PRINTED = Measured({table.id: table.rows for table in vermette.TABLES})
EXPECTED_COLUMNS = {"optimum", "estimate", "backward_steps", "turns", "traced_most"}  # which the store may not have yet
ANALYSES = {"4.5": BACK, "4.7": TURNS, "4.9": HARD_BACK, "4.11": HARD_TURNS}
SETTINGS = ("4.1", "order")  # tables without jobs


def judge(claim: str, **tables: list[dict[str, Any]]) -> bool | None:
    return CLAIMS[claim].judge(Measured(tables)).holds


@pytest.fixture
def everything_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vermette, "has", lambda *names: None)


def test_all_claims_are_there() -> None:
    assert len(CLAIMS) == 30
    assert [claim.id for claim in vermette.CLAIMS if claim.mark == "overclaim"] == ["V9", "V15", "V30"]
    assert [claim.id for claim in vermette.CLAIMS if claim.mark == "neg"] == ["V4", "V7", "V10", "V11", "V16", "V21"]


@pytest.mark.parametrize("claim", [claim.id for claim in vermette.CLAIMS if claim.own is not None])
def test_a_missing_row_leaves_a_claim_open(claim: str) -> None:
    """Every claim looks at TB with 30 percent, at R = 25, or at the text's figures of the full set."""

    def is_left(row: dict[str, Any]) -> bool:
        return (
            (row.get("strategy"), row.get("ns_pct")) != ("TB", 30) and row.get("R") != 25 and row.get("set") != "full"
        )

    left = {table.id: [row for row in table.rows if is_left(row)] for table in vermette.TABLES}
    assert CLAIMS[claim].judge(Measured(left)).holds is None


def test_details_of_the_printed_numbers() -> None:
    details = {claim: CLAIMS[claim].judge(PRINTED).detail for claim in CLAIMS}
    counts = {
        "V4": "18 of 18", "V7": "12 of 12", "V8": "12 of 12", "V9": "16 of 18", "V10": "18 of 18",
        "V11": "12 of 12", "V14": "15 of 15", "V15": "3 of 12", "V16": "9 of 9", "V19": "14 of 15", "V20": "19 of 30",
        "V30": "ratio 12 of 15, backward steps 10 of 15, turns 15 of 15",
    }  # fmt: skip
    for claim, count in counts.items():
        assert count in details[claim]
    assert details["V5"].startswith("largest loss in percent at R = 25, 50, 100, 500, 1000: 6.677, ")
    assert details["V5"].endswith("1.813, 0.09666, 0.003179")
    assert details["V6"] == "at R = 1000 SS walks -0.0195 ± 0 percent of the path more than TBA*"
    assert details["V18"].endswith("11, 10.17")
    assert details["V19"].endswith("8.15, 3.615")
    assert details["V23"].endswith("1.084, 1.211")
    assert "V4: higher in 18 of 18 cells; V7: rising in 12 of 12 cells" in details["V25"]


def test_at_small_r_tie_breaking_is_better_in_all_three() -> None:
    small = Measured({t.id: [row for row in t.rows if row.get("R") in (25, 50)] for t in vermette.TABLES})
    cells = [
        what.ss(small, "TB", share, limit) < what.ss(small, "AD", share, limit)  # type: ignore[operator]
        for what in (SUB, BACK, TURNS)
        for share in (30, 50, 75)
        for limit in (25, 50)
    ]
    assert cells == [True] * 18
    assert tie_breaking_lower(small, SUB) is None


@pytest.mark.parametrize(("table", "what"), ANALYSES.items())
def test_the_analyses_of_variance_follow_from_means_and_deviations(table: str, what: Figures) -> None:
    p = p_values(PRINTED, what)
    assert p is not None
    for row in TABLES[table].rows:
        if row["p_relation"] == "=":
            assert p[row["factor"]] == pytest.approx(row["p_value"], rel=0.02)
        elif row["p_relation"] == "<":
            assert p[row["factor"]] < row["p_value"]
    assert len(p) == len(TABLES[table].rows) - 1


def test_an_analysis_agrees_with_one_over_single_searches() -> None:
    from wayfolk.experiments.reports.stats import anova, deviation, mean

    runs: list[dict[str, Any]] = []
    for k, row in enumerate(row for row in TABLES["4.4"].rows if row["algorithm"] == "SS"):
        runs += [row | {"y": float((7 * k + 5 * n * n) % 23 + (row["R"] == 25) * n)} for n in range(6)]
    rows = []
    for row in TABLES["4.4"].rows[:30]:
        values = [run["y"] for run in runs if all(run[name] == row[name] for name in ("R", "ns_pct", "strategy"))]
        figures = {"mean_backward_steps": mean(values), "sd_backward_steps": deviation(values), "n_searches": 6}
        rows.append(row | figures)
    p = p_values(Measured({"4.4": rows}), BACK)
    exact = anova(runs, "y", ["ns_pct", "R", "strategy"])
    assert p == pytest.approx({term: exact[term]["p"] for term in p or {}})


def test_printed_tables() -> None:
    sizes = {
        "4.1": 15,
        "4.2": 5,
        "4.3": 30,
        "4.4": 35,
        "4.6": 35,
        "4.8": 35,
        "4.10": 35,
        "A.1": 50,
        "A.2": 30,
        "A.3": 5,
    }
    assert {name: len(TABLES[name].rows) for name in sizes} == sizes
    assert len(vermette.MAPS) == 50


def test_printed_means_of_turns_are_of_even_numbers() -> None:
    means = [
        (row["mean_direction_changes"], row["n_searches"]) for name in ("4.6", "4.10") for row in TABLES[name].rows
    ]
    assert len(means) == 70
    for value, n in means:
        assert value * n / 2 == pytest.approx(round(value * n / 2), abs=1e-6)


def test_a_missing_algorithm_is_told_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vermette, "has", lambda *names: f"no {names[0]}")
    jobs = {table.jobs(row, QUICK) for table in vermette.TABLES if table.id not in SETTINGS for row in table.rows}  # type: ignore[arg-type]
    assert jobs == {"no tba", "no salient", "no astar"}


@pytest.mark.usefixtures("everything_there")
@pytest.mark.parametrize("table", [name for name in TABLES if name not in SETTINGS])
def test_jobs_of_a_table(table: str) -> None:
    for row in TABLES[table].rows:
        jobs = TABLES[table].jobs(row, QUICK)
        if isinstance(jobs, str):
            assert "there is no file" in jobs
            continue
        assert len({job.key for job in jobs}) == len(jobs) <= 60 * 30
        assert all(Path(job.map["file"]).is_file() for job in jobs)


@pytest.mark.usefixtures("everything_there")
def test_a_setting_is_searched_5000_times_or_400() -> None:
    first = TABLES["4.4"].rows[0]
    full, hard = TABLES["4.4"].jobs(first, FULL), TABLES["4.8"].jobs(first, FULL)
    if isinstance(full, str) or isinstance(hard, str):
        pytest.skip(str(full))
    assert (len(full), len(hard)) == (5000, 400)
    assert {job.key for job in hard} < {job.key for job in full}
    assert full == TABLES["4.3"].jobs(TABLES["4.3"].rows[0], FULL)
    assert full[0].options[vermette.OPTIONS["N_S"]] == 7, "from Table 4.1"
    middle = TABLES["4.4"].jobs(first, MIDDLE)
    assert len(middle) == 1000
    assert {job.key for job in middle} < {job.key for job in full}


def test_a_sweep_knows_these_maps_and_problems() -> None:
    assert vermette.SCALED.keys() - {"make"} <= set(MAPS["scaled"].settings)
    assert vermette.PAIRS.keys() - {"kind"} <= set(PROBLEMS["pairs"].settings)


def test_columns_of_the_store() -> None:
    columns = {column for t in vermette.TABLES if t.id not in SETTINGS for column in t.metrics.values()}
    assert columns <= {column.name for column in RUNS} | EXPECTED_COLUMNS


def summary(table: str, runs: list[dict[str, Any]], row: dict[str, Any] | None = None) -> dict[str, Any]:
    summarise = TABLES[table].summarise
    assert summarise is not None
    return summarise(runs, row or {})


def test_summaries() -> None:
    runs: list[dict[str, Any]] = [
        {"repeat": 1, "expanded": 20, "fuel": 10, "cost": 15.0, "solution_cost": 10.0, "backward_steps": 4, "turns": 2},
        {"repeat": 0, "expanded": 40, "fuel": 10, "cost": 10.0, "solution_cost": 10.0, "backward_steps": 0, "turns": 3},
    ]
    runs = [run | {"map": "somewhere"} for run in runs]
    walked = summary("4.3", runs)
    assert (walked["exp_per_move"], walked["suboptimality"], walked["suboptimality_error"]) == (3.0, 1.25, 0.25)
    assert list(walked["suboptimality_each"]) == [1.0, 1.5], "in the order of problems"
    assert summary("fig4.12", runs) == walked
    assert summary("A.2", runs)["travel_ratio"] == 1.25
    steps = summary("4.4", runs)
    assert (steps["n_searches"], steps["mean_backward_steps"], steps["sd_backward_steps"]) == (
        2, 2.0, pytest.approx(8**0.5),
    )  # fmt: skip
    assert summary("parity", runs) == {"odd_searches": 1}
    assert summary("4.4", [{"map": "a", "repeat": 0}])["mean_backward_steps"] is None
    assert summary("work", runs) == {"most_expanded": None, "most_traced": None}


def test_the_lines_of_an_analysis_of_variance() -> None:
    from wayfolk.experiments.reports.stats import anova

    runs = []
    for k, row in enumerate(row for row in TABLES["4.4"].rows if row["algorithm"] == "SS"):
        settings = {
            vermette.OPTIONS["R"]: row["R"],
            vermette.OPTIONS["N_S"]: vermette.N_S[row["R"], row["ns_pct"]],
            vermette.OPTIONS["strategy"]: vermette.STRATEGIES[row["strategy"]],
        }
        for n in range(6):
            steps = float((7 * k + 5 * n * n) % 23 + (row["R"] == 25) * 9)
            runs.append(row | {"options": json.dumps(settings), "backward_steps": steps})
    exact = anova(runs, "backward_steps", ["ns_pct", "R", "strategy"])
    for row in TABLES["4.5"].rows:
        numbers, line = summary("4.5", runs, row), exact[row["factor"].replace("Residuals", "Residual")]
        assert set(numbers) == set(TABLES["4.5"].metrics)
        assert (numbers["sum_sq"], numbers["df"]) == pytest.approx((line["sum_sq"], line["df"]))
        if row["factor"] == "Residuals":
            assert (numbers["f_value"], numbers["p_value"], numbers["significance"]) == (None, None, None)
        else:
            assert (numbers["f_value"], numbers["p_value"]) == pytest.approx((line["F"], line["p"]))
    assert summary("4.5", runs, {"factor": "R"})["significance"] == "***"
    assert summary("4.5", runs, {"factor": "ns_pct:strategy"})["significance"] == "ns"
    assert set(summary("4.5", runs[1:], {"factor": "R"}).values()) == {None}, "cells of different sizes"


def test_summary_of_solutions() -> None:
    def run(cost: float, limit: int, share: int) -> dict[str, Any]:
        settings = {vermette.OPTIONS["R"]: limit, vermette.OPTIONS["N_S"]: vermette.N_S[limit, share]}
        return {"solution_cost": cost, "optimum": 100.0, "options": json.dumps(settings)}

    runs = [run(100.0, 25, 30), run(100.0, 25, 30), run(120.0, 500, 75), run(120.0, 25, 75), run(105.0, 1000, 50)]
    numbers = summary("quality", runs)
    assert (numbers["optimal_pct"], numbers["median"], numbers["q3"], numbers["most"]) == (40.0, 1.05, 1.2, 1.2)
    assert (numbers["above_pct"], numbers["above_large_r_pct"], numbers["above_ns75_pct"]) == (40.0, 50.0, 100.0)
    assert set(summary("quality", [{}, {}]).values()) == {None}


def test_summary_of_heuristic_errors() -> None:
    runs = [{"cost": 100.0, "estimate": 80.0}, {"cost": 50.0, "estimate": 50.0}]
    numbers = summary("A.1", runs)
    assert (numbers["mean_error"], numbers["mean_error_pct"]) == pytest.approx((10.0, 10.0))
    numbers = summary("fig4.5", runs)
    assert (numbers["zero_pct"], numbers["costs"], numbers["errors"]) == (50.0, [100.0, 50.0], [20.0, 0.0])
    assert set(summary("fig4.5", [{}, {}]).values()) == {None}


@pytest.mark.parametrize(("octile", "zero", "holds"), [(20.0, 5.0, True), (5.0, 5.0, False), (20.0, 15.0, False)])
def test_heuristic_errors(octile: float, zero: float, holds: bool) -> None:
    rows = [
        {"grid": "octile", "mean_error_pct": octile, "zero_pct": zero},
        {"grid": "cardinal", "mean_error_pct": 10.0, "zero_pct": 10.0},
    ]
    assert judge("V26", **{"fig4.5": rows}) is holds


def test_bounded_work() -> None:
    rows = [row | {"most_expanded": row["n_e"], "most_traced": row["n_t"]} for row in TABLES["work"].rows]
    assert (rows[0]["n_e"], rows[0]["n_t"]) == (22, 30)
    assert judge("V28", work=rows) is True
    assert judge("V28", work=rows[1:]) is None
    assert judge("V28", work=[*rows[1:], rows[0] | {"most_traced": 31}]) is False


def test_turns_in_pairs() -> None:
    rows = [row | {"same": 1.0} for row in TABLES["order"].rows]
    assert judge("V27", order=rows) is True
    assert judge("V27", order=[*rows[1:], rows[0] | {"same": 0.95}]) is False
    assert judge("V27", order=rows[1:]) is None

    rows = [row | {"odd_searches": 0} for row in TABLES["parity"].rows]
    assert judge("V29", parity=rows) is True
    assert judge("V29", parity=[*rows[1:], rows[0] | {"odd_searches": 1}]) is False
    assert judge("V29", parity=rows[1:]) is None


def test_cells_are_compared_problem_by_problem() -> None:
    def row(numbers: list[float], **where: Any) -> dict[str, Any]:
        return where | {"R": 1000, "suboptimality": sum(numbers) / 4, "suboptimality_each": numbers}

    def said(mine: list[float]) -> tuple[bool | None, bool]:
        salient = [row(mine, algorithm="SS", strategy=strategy, ns_pct=share) for strategy, share in SALIENT]
        tba = row([1.0, 1.1, 1.5, 1.01], algorithm="TBA*")
        verdict = CLAIMS["V6"].judge(Measured({"4.3": salient, "4.2": [tba]}))
        return verdict.holds, verdict.is_undecided

    assert said([0.99, 1.09, 1.49, 1.0]) == (True, False), "better"
    assert said([1.01, 1.11, 1.51, 1.02]) == (False, False), "worse, and always by the same"
    assert said([1.3, 0.9, 1.4, 1.01]) == (None, True), "inside the noise"


def test_both_readings_have_the_same_tables_and_other_runs() -> None:
    for name in ("4.2", "4.3", "4.5", "4.10", "A.2", "quality", "work"):
        rule, text = TABLES[name], TABLES[name + vermette.TEXT]
        assert rule.rows == text.rows
        one, other = (table.jobs(table.rows[0], QUICK) for table in (rule, text))
        if isinstance(one, str) or isinstance(other, str):
            pytest.skip(str(one))
        assert {job.options["switch"] for job in one} == {"longer"}
        assert {job.options["switch"] for job in other} == {"always"}
        assert not any(job.map["cliffs"] for job in one)
