"""The verbs of the laboratory: what they print, and that a sweep's spec ends up in its report."""

import json
import re

import pytest

from command import program, wayfolk
from wayfolk.experiments.papers import arun
from wayfolk.experiments.store import Store

SPEC = """name = "tiny"
[[sweep]]
maps = [{make = "random", width = 8, height = 8, blocked = 0.1, seed = [1, 2]}]
problems = [{kind = "pairs", count = 3, least = 2}]
algorithms = ["astar", "dijkstra"]
"""


def test_help_lines_are_not_cut_off():
    shown = program("--help", env={"COLUMNS": "80", "PATH": ""}).out
    lines = re.findall(r"^ *(sweep|report|reproduce) +(.*)$", shown, re.MULTILINE)
    assert [verb for verb, _ in lines] == ["sweep", "report", "reproduce"]
    assert all(told.endswith(".") and not told.endswith("...") for _, told in lines)


def test_a_sweep_its_questions_and_its_report(tmp_path):
    spec, store, page = tmp_path / "tiny.toml", tmp_path / "runs.duckdb", tmp_path / "page.html"
    spec.write_text(SPEC)
    told = json.loads(wayfolk("sweep", spec, "--store", store, "--dry-run", "--json").out)
    assert (told["cells"], told["missing"]) == (4, 4)
    assert not store.exists()
    for done, skipped in ((4, 0), (0, 4)):
        made = json.loads(wayfolk("sweep", spec, "--store", store, "--workers", 1, "--json").out)
        assert (made["done"], made["skipped"], made["failed"]) == (done, skipped, 0)
    assert json.loads(wayfolk("sweep", spec, "--store", store, "--dry-run", "--json").out)["missing"] == 0
    sums = "SELECT algorithm, sum(cost) - sum(optimum) AS lost FROM runs GROUP BY 1 ORDER BY 1"
    rows = json.loads(wayfolk("sweep", "--store", store, "--sql", sums, "--json").out)
    assert [row["algorithm"] for row in rows] == ["astar", "dijkstra"]
    assert [row["lost"] for row in rows] == pytest.approx([0.0, 0.0])
    made = json.loads(wayfolk("report", store, "-o", page, "--json").out)
    assert (made["file"], made["runs"]) == (str(page), 4)
    assert "<h3>Spec: tiny</h3><pre>name = &quot;tiny&quot;" in page.read_text(encoding="utf-8")
    assert "4 runs and" in wayfolk("report", store, "-o", page).out


def test_a_table_is_printed_beside_the_paper_and_reasons_are_told_once(tmp_path, monkeypatch):
    nodes = next(table for table in arun.TABLES if table.id == "nodes")

    def cells(row, scale):
        found = nodes.cells(row, scale)
        return found[:2] if row["algorithm"] in ("A*", "Dijkstra") else "not measured: left [out]"

    monkeypatch.setattr(arun, "TABLES", [type(nodes)(**(vars(nodes) | {"cells": cells}))])
    store = tmp_path / "papers.duckdb"
    said = wayfolk("reproduce", "arun", "nodes", "--store", store)
    assert said.code == 0
    assert re.search(r"Dijkstra .*\d+(\.\d+)? / 292", said.out)
    assert "2 of 4 rows: not measured: left [out]" in said.out
    assert "A1   not measured: " in said.out
    told = json.loads(wayfolk("reproduce", "arun", "nodes", "--store", store, "--json").out)
    assert told["metrics"] == list(nodes.metrics)
    assert [row["runs"] for row in told["rows"]] == [2, 2, 0, 0]


def test_what_runs_do_not_record_is_told_after_they_ran(tmp_path, monkeypatch):
    nodes = next(table for table in arun.TABLES if table.id == "nodes")
    bare = {"cells": lambda row, scale: nodes.cells(row, scale)[:1], "rows": nodes.rows[1:2], "summarise": None}
    unknown = {"id": "odd", "metrics": {"whim": "whim"}}
    failing = {"id": "lost", "metrics": {"expanded": "expanded"}}
    changes = [bare | unknown, bare | failing]
    tables = [type(nodes)(**(vars(nodes) | change)) for change in changes]
    monkeypatch.setattr(arun, "TABLES", tables)
    store = tmp_path / "papers.duckdb"
    told = json.loads(wayfolk("reproduce", "arun", "odd", "--store", store, "--json").out)
    assert (told["rows"][0]["ours"], told["rows"][0]["why"]) == (None, "not measured: runs do not record whim yet")
    with Store(store) as kept:
        kept.base.execute("UPDATE runs SET status = 'error', detail = 'no luck'")
    told = json.loads(wayfolk("reproduce", "arun", "lost", "--store", store, "--json").out)
    assert (told["rows"][0]["ours"], told["rows"][0]["why"]) == (None, "1 of 1 runs failed: no luck")


def test_sizes_of_a_paper(tmp_path):
    said = wayfolk("reproduce", "arun", "--middle", "--store", tmp_path / "papers.duckdb")
    assert (said.code, said.err) == (2, "wayfolk: arun has no --middle version, only --quick and --full\n")
    said = wayfolk("reproduce", "bmaa", "--quick", "--middle", "--store", tmp_path / "papers.duckdb")
    assert (said.code, said.err) == (2, "wayfolk: say --quick, --middle or --full, only one of them\n")
    assert not list(tmp_path.iterdir())
