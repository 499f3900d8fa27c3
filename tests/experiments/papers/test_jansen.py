"""Jansen's thesis as a living paper: its tables, the runs behind them, and what is measured of a run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.experiments.papers import reproduce as reproducing
from wayfolk.experiments.papers.jansen import jobs as behind
from wayfolk.experiments.papers.jansen import scenarios
from wayfolk.experiments.papers.jansen import tables as jansen
from wayfolk.experiments.papers.jansen.ablation import SETTINGS, SWITCHES
from wayfolk.experiments.papers.jansen.greedy import walks
from wayfolk.experiments.papers.jansen.judges import ALL, FIGURES
from wayfolk.experiments.papers.jansen.measures import COHERENCE, means, over_runs
from wayfolk.experiments.papers.tables import FULL, QUICK, Scale, has, lacking, printed
from wayfolk.experiments.sweeps.columns import RUNS
from wayfolk.experiments.sweeps.engine import SweepProgress
from wayfolk.experiments.sweeps.job import Job
from wayfolk.experiments.sweeps.patrols import of_patrol
from wayfolk.experiments.sweeps.store import Store
from wayfolk.kernels.codes import ARRIVE, MOVE
from wayfolk.problem.papers import paper_map
from wayfolk.problem.record import Record
from wayfolk.problem.result import Status
from wayfolk.simulation.run import Run

TABLES = {table.id: table for table in jansen.TABLES}
NUMBERED = [f"4.{k}" for k in range(1, 13)]


@pytest.fixture(name="jansen_files")
def _jansen_files(jansen: Path) -> Path:
    """The folder of the thesis' maps, under a name that is not that of its tables here."""
    scenarios._scenario.cache_clear()
    return jansen


def test_tables_hold_every_printed_number_in_the_corrected_reading() -> None:
    for number in NUMBERED:
        table, paper = TABLES[number], printed(f"jansen-{number}")
        assert table.metrics == jansen.METRICS
        names = [name for name in table.metrics if name != "ended"]
        assert [[row[name] for name in names] for row in table.rows] == [[row[name] for name in names] for row in paper]
        assert not any(name.startswith("printed_") for row in table.rows for name in row)
    whca = TABLES["4.5"].rows[2]
    assert (whca["simulation_time"], whca["distance"]) == (3508.32, 120.92)


@pytest.mark.parametrize("table", TABLES)
def test_rows_can_be_told_apart_and_written_as_json(table: str) -> None:
    chosen = TABLES[table]
    settings = [
        json.dumps({name: value for name, value in row.items() if name not in chosen.metrics}, allow_nan=False)
        for row in chosen.rows
    ]
    assert len(set(settings)) == len(settings) > 0
    assert chosen.title
    assert len(chosen.setup) > 40


def test_figures_have_the_settings_of_their_tables_and_no_numbers() -> None:
    assert set(FIGURES) == {table for table in TABLES if re.fullmatch(r"fig4\.\d+", table)}
    assert {table for table in TABLES if table.startswith("fig")} - set(FIGURES) == {
        "fig4.7-rule", "fig4.10-steps", "fig4.17-squared", "fig4.19-w10", "fig4.20-w10"
    }  # fmt: skip
    for figure in FIGURES:
        assert not any(name in row for row in TABLES[figure].rows for name in jansen.METRICS)
    assert [row["w_max"] for row in TABLES["fig4.6"].rows] == [row["w_max"] for row in TABLES["4.1"].rows]


@pytest.mark.parametrize("table", TABLES)
def test_a_row_has_cells_or_a_sentence(table: str) -> None:
    for row in TABLES[table].rows:
        for scale in (QUICK, FULL):
            jobs = TABLES[table].jobs(row, scale)
            if TABLES[table].make is not None:
                assert jobs == []
            elif isinstance(jobs, str):
                assert jobs.startswith("not measured: ")
            else:
                n_runs = (1, 10) if table == "ablation" else (3, 200) if table in jansen.UNDECIDED else (3, 50)
                assert len({job.key for job in jobs}) == len(jobs) == n_runs[scale == FULL]
                later = {*jansen.COLUMNS.values(), *jansen.CORRIDORS.values(), "status"}
                assert set(TABLES[table].metrics.values()) <= {column.name for column in RUNS} | later


def test_lra_and_whca_can_be_measured_now() -> None:
    assert [isinstance(behind.jobs(row, QUICK), list) for row in TABLES["4.5"].rows][1:] == [True, True]
    assert all(isinstance(behind.jobs(row, QUICK), list) for row in TABLES["4.6"].rows if row["uses_dm"] == "no")


def test_cells_describe_the_setting_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "_scenario", lambda letter, agents, number: None)
    row = TABLES["4.6"].rows[3]
    full, quick = behind.runs(row, FULL), behind.runs(row, QUICK)
    assert full[7] == Job(
        map={"make": "paper", "name": "jansen-c"},
        problem={"kind": "patrol", "agents": 100, "loops": 20},
        algorithm="jansen_direction_map",
        options={"w_max": 0, "radius": 5, "weight": 6},
        seed=7,
        limits={"until": 20_000.0},
        moves="eight",
        model="turns",
    )
    assert (len(quick), quick[0].problem["loops"], quick[0].limits["until"]) == (3, 6, 6000.0)
    assert behind.controller(TABLES["4.5"].rows[2]) == ("whca", {"window": 16, "resume": False})
    assert [behind.runs(row, QUICK)[0].model for row in TABLES["4.5"].rows] == ["turns", "turns", "distance"]
    assert [behind.runs(row, QUICK)[0].model for row in TABLES["4.5-steps"].rows] == ["turns", "turns", "steps"]
    assert behind.runs(TABLES["4.4"].rows[0], QUICK)[0].problem["agents"] == 20


def test_the_scenarios_of_the_thesis_are_used_where_they_are_found(jansen_files: Path) -> None:
    (row,) = [row for row in TABLES["4.4"].rows if row["agents"] == 40]
    for seed, job in enumerate(behind.runs(row, QUICK)):
        assert job.problem["file"].endswith(f"Map4_L20_R20_{seed + 1}.txt")
        assert job.problem["digest"]
    assert len({job.key for job in behind.runs(row, FULL)}) == 50
    more = behind.runs(TABLES["4.10"].rows[0], FULL, 52)
    assert ["file" in job.problem for job in more] == [True] * 50 + [False] * 2, "the thesis has 50"
    assert len({job.key for job in more}) == 52
    assert lacking("jansen") == ""


def test_a_page_says_if_the_scenarios_were_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "_scenario", lambda letter, agents, number: None)
    assert "were not found, and agents are drawn by its rule" in lacking("jansen")
    assert lacking("arun") == ""


def test_what_the_simulator_had_and_the_captions_do_not_say() -> None:
    (copied,) = [row for row in TABLES["4.11"].rows if row["r_local"] == 5]
    assert behind.controller(copied)[1]["w_max"] == 1
    (copied,) = [row for row in TABLES["4.11-w10"].rows if row["r_local"] == 5]
    assert behind.controller(copied)[1]["w_max"] == 10
    assert {behind.controller(row)[1]["radius"] for row in TABLES["4.7"].rows + TABLES["4.8"].rows} == {4}
    rates = [behind.controller(row)[1].get("alpha_s") for row in TABLES["4.9-squared"].rows]
    assert rates == [None, 0.09, 0.25, 0.49]


def test_an_ablation_switches_one_thing_at_a_time() -> None:
    rows = TABLES["ablation"].rows
    assert len(rows) == len(SETTINGS) * len(SWITCHES)
    plain, *others = (TABLES["ablation"].jobs(row, QUICK)[0] for row in rows[: len(SWITCHES)])
    assert isinstance(plain, Job)
    assert plain == behind.runs(TABLES["4.1"].rows[0], QUICK)[0]
    for job in others:
        assert isinstance(job, Job)
        changed = [name for name, value in vars(plain).items() if getattr(job, name) != value]
        assert changed in (["map", "problem"], ["map"], ["problem"], ["model"], ["options"], ["algorithm"])


def test_a_setting_that_two_tables_share_is_run_once() -> None:
    def keys(table: str, **where: Any) -> list[str]:
        (row,) = [row for row in TABLES[table].rows if all(row.get(name) == value for name, value in where.items())]
        return [job.key for job in behind.runs(row, QUICK)]

    assert keys("4.5", algorithm="LRA*") == keys("4.6", algorithm="LRA*")
    assert keys("4.5", algorithm="DM") == keys("4.6", algorithm="DM") == keys("4.3", map="c", radius=5)
    assert keys("4.1", w_max=10) == keys("4.2", alpha=0.5) == keys("4.11", algorithm="DM") != keys("4.1", w_max=8)
    assert keys("4.9", alpha_s=0) == keys("4.10", algorithm="DM") == keys("4.12", algorithm="DM")
    assert keys("4.7", sector_size=8) != keys("4.8", sector_size=8)


def test_a_direction_map_gets_options_that_it_has() -> None:
    rows = [row for number in NUMBERED for row in TABLES[number].rows if behind.controller(row)[1].get("w_max")]
    assert len(rows) == 74
    assert {behind.controller(row)[0] for row in rows} == {"jansen_direction_map"}
    assert all(set(behind.controller(row)[1]) <= {*behind.DIRECTION_MAP.values()} for row in rows)
    if has("jansen_direction_map") is None:
        for row in rows:
            catalogue.find("jansen_direction_map").checked(behind.controller(row)[1])


def test_with_everything_there_each_table_can_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for part in (jansen, behind):
        monkeypatch.setattr(part, "has", lambda *names: None)
    cells = {table.id: [table.jobs(row, QUICK) for row in table.rows] for table in jansen.TABLES}
    assert not [table for table, rows in cells.items() for jobs in rows if isinstance(jobs, str)]
    assert [table.id for table in jansen.TABLES if table.make is not None] == ["greedy"]


def test_the_first_and_the_last_loop_are_taken_from_runs_that_ended() -> None:
    def run(status: str, *collisions: float) -> dict[str, Any]:
        return {"status": status, "loops": [{"collisions": number} for number in collisions]}

    summarise = TABLES["loops"].summarise
    assert summarise is not None
    runs = [run("solved", 9, 4, 2, 1), run("solved", 5, 5, 5, 0), run("out_of_time", 99, 99, 99), run("solved", 99)]
    parts = summarise(runs, {})
    assert [parts[name] for name in jansen.LOOPS_APART] == [7.0, 4.0, 0.5]
    assert parts["collisions_each"] == [3.0, 5.0, None, None]
    assert {summarise(runs[2:], {})[name] for name in jansen.LOOPS_APART} == {None}


def test_runs_that_never_end_are_left_out_and_counted() -> None:
    def run(seed: int, status: str, number: float) -> dict[str, Any]:
        columns = ("expanded", "simulation_time", "distance", "collisions")
        return {"seed": seed, "status": status} | dict.fromkeys(columns, number)

    row = means([run(2, "solved", 4.0), run(0, "solved", 2.0), run(1, "out_of_budget", 99.0)], {"algorithm": "DM"})
    assert (row["nodes_expanded"], row["ended"]) == (3.0, 2)
    assert row["distance_each"] == [2.0, None, 4.0]
    whca = {"algorithm": "WHCA*"}
    assert means([run(0, "solved", 2.0)], whca)["simulation_time"] == 2.0
    assert means([run(0, "solved", 2.0)], whca | {"model": "steps"})["simulation_time"] == 3.0, (
        "a step is 1.5 units long"
    )


def run_with(curve: list[float], **changes: Any) -> dict[str, Any]:
    return {"status": "solved", "simulation_time": 60.0, "first_loop": 30.0, "coherence": curve} | changes


def test_coherence_over_runs() -> None:
    rising, level = [k / 100 for k in range(1, 61)], [0.4] * 60
    both = over_runs([run_with(rising), run_with(level)], {})
    assert set(COHERENCE) | {"curve"} <= set(both)
    assert both["coherence_first_quarter"] == pytest.approx((0.08 + 0.4) / 2)
    assert both["coherence_quarter"] == pytest.approx((0.15 + 0.4) / 2)
    assert both["coherence_mid"] == pytest.approx((0.30 + 0.4) / 2)
    assert both["coherence_mid_each"] == pytest.approx([0.30, 0.4])
    assert both["coherence_last_tenth"] == pytest.approx((0.575 + 0.4) / 2)
    assert both["coherence_end"] == pytest.approx((0.60 + 0.4) / 2)
    assert (both["coherence_least"], both["coherence_most"]) == (0.31, 0.6)
    assert both["curve"] == pytest.approx([(a + b) / 2 for a, b in zip(rising, level, strict=True)])
    lost = run_with([0.0] * 60, status="out_of_time")
    assert over_runs([run_with(level), lost], {})["coherence_least"] == 0.4
    assert set(over_runs([lost, run_with([], coherence=None)], {}).values()) == {None}


def through(corridors: list[tuple[int, int]], turns_back: int | None = None) -> Run:
    """One agent on map (c) that goes east through a corridor and back through another, loop by loop."""
    grid = paper_map("jansen-c").grid
    rows = [26, 30, 34]  # the upper rows of the corridors
    log: list[tuple[int, tuple[int, int]]] = []
    for loop, (out, back) in enumerate(corridors):
        for corridor, columns in ((out, range(20, 45)), (back, range(43, 18, -1))):
            cells = [(x, rows[corridor]) for x in columns]
            if loop == turns_back:
                log += [(MOVE, cell) for cell in (*cells[:12], *cells[10::-1])]
            log += [(MOVE, cell) for cell in cells]
            log.append((ARRIVE, cells[-1]))
    kinds, places = zip(*log, strict=True)
    n = len(log)
    cells = np.array([grid.cell(place) for place in places], np.int32)
    record = Record(
        grid, np.array([grid.cell((19, 26))], np.int32), np.arange(n, dtype=float), np.zeros(n, np.int32),
        np.array(kinds, np.uint8), cells, float(n),
    )  # fmt: skip
    return Run(record, "any", {}, 0, Status.SOLVED, 0.0, 2)


def corridors(run: Run) -> tuple[float | None, float | None]:
    job = Job(map={"make": "paper", "name": "jansen-c"}, problem={"kind": "patrol"}, algorithm="lra")
    measures = of_patrol(job, run)
    return measures.get("corridor_majority"), measures.get("corridors_both_ways")


def test_who_crosses_which_corridor_which_way() -> None:
    assert corridors(through([(0, 1)] * 6)) == (1.0, 1.0)
    assert corridors(through([(0, 1)] * 6, turns_back=3)) == (1.0, 1.0), "who turns back has not crossed"
    assert corridors(through([(1, 0)] * 2 + [(0, 1)] * 3 + [(1, 0)])) == (1.0, 1.0), "loops 3 to 5 of 6 count"
    assert corridors(through([(0, 1)] * 4 + [(1, 0)] * 2)) == (pytest.approx(2 / 3), 1.0)
    assert corridors(through([(2, 2), (2, 2), (0, 2), (0, 2), (1, 2), (2, 2)])) == (1.0, 1.0)
    assert corridors(through([(2, 2)] * 6)) == (0.5, 0.0)
    assert corridors(through([(0, 1)])) == (None, None), "the only loop is the last"
    other = Job(map={"make": "paper", "name": "jansen-b"}, problem={"kind": "patrol"}, algorithm="lra")
    assert set(of_patrol(other, through([(0, 1)] * 6))) == {"coherence", "first_loop"}


def test_when_the_first_loop_is_over() -> None:
    run = through([(0, 1)] * 3)
    job = Job(map={"make": "paper", "name": "jansen-c"}, problem={"kind": "patrol"}, algorithm="lra")
    assert of_patrol(job, run)["first_loop"] == run.record.time[run.record.of(ARRIVE)[1]]


def test_a_greedy_walk_follows_a_learned_map() -> None:
    (walk,) = walks("b", 40, 1)
    assert walk["status"] == "solved"
    assert walk["expanded_per_step"] == 1.0
    assert 0.5 < walk["share_on_vectors"] <= 1.0


def test_a_small_run_is_set_beside_the_printed_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(row: dict[str, Any], scale: Scale) -> list[Job] | str:
        jobs = TABLES["4.5"].jobs(row, scale)
        if isinstance(jobs, str) or row["algorithm"] == "DM":
            return "not measured: left out"
        return [replace(jobs[0], problem={"kind": "patrol", "agents": 10, "loops": 3})]

    monkeypatch.setattr(jansen, "TABLES", [replace(TABLES["4.5"], jobs=small)])
    seen: list[SweepProgress] = []

    def watched(*args: Any, **options: Any) -> SweepProgress:
        seen.append(run_jobs(*args, **options))
        return seen[-1]

    run_jobs = reproducing.run_jobs
    monkeypatch.setattr(reproducing, "run_jobs", watched)
    with Store(tmp_path / "runs.duckdb") as store:
        first = reproducing.reproduce("jansen", "4.5", store)
        again = reproducing.reproduce("jansen", "4.5", store)
    assert [(progress.done, progress.skipped, progress.failed) for progress in seen] == [(2, 0, 0), (0, 2, 0)]
    assert json.loads(json.dumps(first, allow_nan=False)) == again
    dm, lra, whca = first["rows"]
    assert (dm["ours"], dm["why"]) == (None, "not measured: left out")
    for row in (lra, whca):
        assert row["runs"] == 1
        assert {name: row["ours"][name] for name in ("map", "agents")} == {"map": "c", "agents": 100}
        for metric in ALL:
            assert row["ratio"][metric] == pytest.approx(row["ours"][metric] / row["paper"][metric])
    assert 90 < lra["ours"]["distance"] < 160  # there and back on a map 64 wide
    assert {claim["id"]: claim["paper_itself"] for claim in first["claims"]} == dict.fromkeys(
        ("J14", "J15", "J16", "J25"), True
    )
    assert all(claim["holds"] in (False, None) for claim in first["claims"])  # there is no DM among the rows
