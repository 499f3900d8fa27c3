"""The verbs of the laboratory: what they print, and that a sweep's spec ends up in its report."""

import json
import re

import pytest

from command import program, wayfolk
from wayfolk.experiments.papers.arun import tables as arun
from wayfolk.experiments.papers.vermette import tables as vermette
from wayfolk.experiments.sweeps.job import Job
from wayfolk.experiments.sweeps.store import Store

SPEC = """name = "tiny"
[[sweep]]
maps = [{make = "random", width = 8, height = 8, blocked = 0.1, seed = [1, 2]}]
problems = [{kind = "pairs", count = 3, least = 2}]
algorithms = ["astar", "dijkstra"]
"""


def test_help_lines_are_not_cut_off():
    shown = program("--help", env={"COLUMNS": "80", "PATH": ""}).out
    lines = re.findall(r"^ *(sweep|again|report|reproduce) +(.*)$", shown, re.MULTILINE)
    assert [verb for verb, _ in lines] == ["sweep", "again", "report", "reproduce"]
    assert all(text.endswith(".") and not text.endswith("...") for _, text in lines)


def test_a_sweep_its_questions_and_its_report(tmp_path, monkeypatch):
    spec, store, page = tmp_path / "tiny.toml", tmp_path / "runs.duckdb", tmp_path / "page.html"
    spec.write_text(SPEC)
    reply = json.loads(wayfolk("sweep", spec, "--store", store, "--dry-run", "--json").out)
    assert (reply["cells"], reply["missing"]) == (4, 4)
    assert not store.exists()
    for done, skipped in ((4, 0), (0, 4)):
        answer = json.loads(wayfolk("sweep", spec, "--store", store, "--workers", 1, "--json").out)
        assert (answer["done"], answer["skipped"], answer["failed"]) == (done, skipped, 0)
    assert json.loads(wayfolk("sweep", spec, "--store", store, "--dry-run", "--json").out)["missing"] == 0
    sums = "SELECT algorithm, sum(cost) - sum(optimum) AS lost FROM runs GROUP BY 1 ORDER BY 1"
    rows = json.loads(wayfolk("sweep", "--store", store, "--sql", sums, "--json").out)
    assert [row["algorithm"] for row in rows] == ["astar", "dijkstra"]
    assert [row["lost"] for row in rows] == pytest.approx([0.0, 0.0])
    answer = json.loads(wayfolk("report", store, "-o", page, "--json").out)
    assert (answer["file"], answer["runs"]) == (str(page), 4)
    assert "<h3>Spec: tiny</h3><pre>name = &quot;tiny&quot;" in page.read_text(encoding="utf-8")
    assert "4 runs and" in wayfolk("report", store, "-o", page).out
    monkeypatch.chdir(tmp_path)
    assert "open tiny.html in a browser" in wayfolk("report", store).out
    assert "<h1>tiny</h1>" in (tmp_path / "tiny.html").read_text(encoding="utf-8")


def test_a_failed_run_is_run_again_alone(tmp_path):
    file = tmp_path / "runs.duckdb"
    job = Job({"make": "random", "width": 8, "height": 8}, {"kind": "pairs", "count": 3}, "astar")
    with Store(file) as store:
        failed = {"status": "error", "detail": "out of luck", "agents": [], "loops": []}
        store.add([(job, failed)], store.provenance({}))
    said = wayfolk("again", job.key[:6], "--store", file)
    assert said.code == 0
    assert all(word in said.out for word in ("astar on random", "out of luck", "error", "solved"))
    answer = json.loads(wayfolk("again", job.key, "--store", file, "--json").out)
    assert (answer["before"]["status"], answer["now"]["status"], answer["now"]["queries"]) == ("error", "solved", 3)
    with Store(file) as store:
        assert store.rows("SELECT status FROM runs") == [{"status": "error"}]
    wayfolk("again", job.key, "--store", file, "--replace")
    with Store(file) as store:
        assert store.rows("SELECT status FROM runs") == [{"status": "solved"}]
    said = wayfolk("again", "0xyz", "--store", file)
    assert (said.code, said.err) == (2, f"wayfolk: {file} has no run '0xyz'\n")


def test_printed_into_a_pipe_a_table_has_no_line_breaks(tmp_path):
    with Store(tmp_path / "runs.duckdb"):
        pass
    words = " ".join(["word"] * 60)
    said = program("sweep", "--store", tmp_path / "runs.duckdb", "--sql", f"SELECT '{words}' AS long")
    assert words in said.out


def test_papers_are_kept_in_the_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WAYFOLK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    nodes = next(table for table in arun.TABLES if table.id == "nodes")
    monkeypatch.setattr(arun, "TABLES", [type(nodes)(**(vars(nodes) | {"jobs": lambda *_: "not measured: left out"}))])
    wayfolk("reproduce", "arun", "nodes")
    assert [file.name for file in tmp_path.iterdir()] == ["home"]
    assert (tmp_path / "home" / "papers.duckdb").exists()


def test_a_store_is_asked_and_nothing_else_is_printed(tmp_path):
    with Store(tmp_path / "runs.duckdb"):
        pass
    said = program("sweep", "--store", tmp_path / "runs.duckdb", "--sql", "SELECT count(*) AS n FROM runs", "--json")
    assert said == (0, '[{"n": 0}]\n', "")


def test_a_table_is_printed_beside_the_paper_and_reasons_are_told_once(tmp_path, monkeypatch):
    nodes = next(table for table in arun.TABLES if table.id == "nodes")

    def jobs(row, scale):
        cells = nodes.jobs(row, scale)
        return cells[:2] if row["algorithm"] in ("A*", "Dijkstra") else "not measured: left [out]"

    monkeypatch.setattr(arun, "TABLES", [type(nodes)(**(vars(nodes) | {"jobs": jobs}))])
    store = tmp_path / "papers.duckdb"
    said = wayfolk("reproduce", "arun", "nodes", "--store", store)
    assert said.code == 0
    assert re.search(r"Dijkstra .*\d+(\.\d+)? / 292", said.out)
    assert "2 of 4 rows: not measured: left [out]" in said.out
    assert "A1   not measured: " in said.out
    answer = json.loads(wayfolk("reproduce", "arun", "nodes", "--store", store, "--json").out)
    assert answer["metrics"] == list(nodes.metrics)
    assert [row["runs"] for row in answer["rows"]] == [2, 2, 0, 0]


def test_what_runs_do_not_record_is_told_after_they_ran(tmp_path, monkeypatch):
    nodes = next(table for table in arun.TABLES if table.id == "nodes")
    bare = {"jobs": lambda row, scale: nodes.jobs(row, scale)[:1], "rows": nodes.rows[1:2], "summarise": None}
    unknown = {"id": "odd", "metrics": {"whim": "whim"}}
    failing = {"id": "lost", "metrics": {"expanded": "expanded"}}
    changes = [bare | unknown, bare | failing]
    tables = [type(nodes)(**(vars(nodes) | change)) for change in changes]
    monkeypatch.setattr(arun, "TABLES", tables)
    store = tmp_path / "papers.duckdb"
    answer = json.loads(wayfolk("reproduce", "arun", "odd", "--store", store, "--json").out)
    assert (answer["rows"][0]["ours"], answer["rows"][0]["why"]) == (None, "not measured: runs do not record whim yet")
    with Store(store) as kept:
        kept.base.execute("UPDATE runs SET status = 'error', detail = 'no luck'")
    answer = json.loads(wayfolk("reproduce", "arun", "lost", "--store", store, "--json").out)
    assert (answer["rows"][0]["ours"], answer["rows"][0]["why"]) == (None, "1 of 1 runs failed: no luck")


def test_a_paper_whose_maps_are_missing_is_a_mistake_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("WAYFOLK_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("WAYFOLK_CACHE", str(tmp_path / "cache"))
    for words in (["vermette"], ["vermette", "4.2"]):
        clear_caches()
        said = wayfolk("reproduce", *words, "--store", tmp_path / "papers.duckdb")
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith(
            f"wayfolk: nothing of {' '.join(words)} could be measured: there is no file salient/"
        )
        assert "WAYFOLK_DATA" in said.err
        assert "`wayfolk maps get --help`" in said.err
        assert said.err.count("\n") == 1
    clear_caches()
    said = wayfolk("reproduce", "vermette", "4.2", "--store", tmp_path / "papers.duckdb", "--json")
    assert said.code == 2
    assert not any(row["ours"] for row in json.loads(said.out)["rows"])
    clear_caches()


def clear_caches():
    """Forget which map files there were."""
    vermette._on_map.cache_clear()


def test_a_paper_of_which_nothing_can_be_measured_says_why(tmp_path, monkeypatch):
    nodes = next(table for table in arun.TABLES if table.id == "nodes")
    reasons = iter(["not measured: no time", "not measured: no time", "not measured: no [luck]", "left out"])
    table = type(nodes)(**(vars(nodes) | {"jobs": lambda row, scale: next(reasons)}))
    monkeypatch.setattr(arun, "TABLES", [table])
    said = wayfolk("reproduce", "arun", "nodes", "--store", tmp_path / "papers.duckdb")
    assert (said.code, said.out) == (1, "")
    assert said.err.splitlines() == [
        "wayfolk: nothing of arun nodes could be measured",
        "2 rows: no time",
        "1 rows: no [luck]",
        "1 rows: left out",
    ]


def test_a_table_without_numbers_of_ours_is_not_printed(tmp_path, monkeypatch):
    first, second = arun.TABLES[:2]
    short = {"jobs": lambda row, scale: first.jobs(row, scale)[:1], "rows": first.rows[:1]}
    left_out = {"jobs": lambda row, scale: "not measured: left out"}
    tables = [type(first)(**(vars(first) | short)), type(second)(**(vars(second) | left_out))]
    monkeypatch.setattr(arun, "TABLES", tables)
    said = wayfolk("reproduce", "arun", "--store", tmp_path / "papers.duckdb")
    assert said.code == 0
    n_rows = len(second.rows)
    assert f"{second.id}: {second.title}\n{n_rows} of {n_rows} rows: not measured: left out\n" in said.out


def test_sizes_of_a_paper(tmp_path):
    said = wayfolk("reproduce", "arun", "--middle", "--store", tmp_path / "papers.duckdb")
    assert (said.code, said.err) == (2, "wayfolk: arun has no --middle version, only --quick and --full\n")
    said = wayfolk("reproduce", "bmaa", "--quick", "--middle", "--store", tmp_path / "papers.duckdb")
    assert (said.code, said.err) == (2, "wayfolk: give only one of --quick, --middle and --full\n")
    assert not list(tmp_path.iterdir())
