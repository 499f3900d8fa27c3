"""The store keeps every run once, all of it or nothing, and says clearly why it cannot."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import wayfolk as wf
from wayfolk.errors import BadInput, Missing
from wayfolk.experiments.sweeps.columns import TABLES
from wayfolk.experiments.sweeps.job import SCHEMA, Job, file_digest
from wayfolk.experiments.sweeps.store import Store
from wayfolk.experiments.sweeps.worker import run_job


def job(seed=0, **changes):
    settings = {"map": {"make": "random", "width": 8, "height": 8}, "problem": {"kind": "random", "agents": 3}}
    return Job(**(settings | {"algorithm": "hca", "seed": seed} | changes))


def row(**changes):
    return {"status": "solved", "sum_of_costs": 12, "agents": [{"agent": 0, "steps": 4}], "loops": []} | changes


def test_a_key_is_made_of_everything_that_decides_the_result():
    keys = {
        job().key, job(1).key, job(repeat=1).key, job(algorithm="ca").key, job(options={"order": "longest"}).key,
        job(limits={"seconds": 1}).key, job(moves="four").key, job(model="distance").key,
        job(problem={"kind": "random", "agents": 4}).key, job(map={"make": "random", "width": 9, "height": 8}).key,
    }  # fmt: skip
    assert len(keys) == 10
    assert job().key == job(options={}).key


def test_a_file_counts_by_its_contents(tmp_path):
    one, two = tmp_path / "one.map", tmp_path / "two.map"
    one.write_text("same")
    two.write_text("same")
    described = [{"file": str(path), "digest": file_digest(path)} for path in (one, two)]
    assert job(map=described[0]).key == job(map=described[1]).key
    two.write_text("other")
    assert job(map=described[0]).key != job(map={"file": str(two), "digest": file_digest(two)}).key


def test_rows_come_back_with_their_agents_and_circumstances(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        number = store.provenance({"commit": "abc"})
        assert store.provenance({"commit": "abc"}) == number
        assert store.provenance({"commit": "abd"}) != number
        store.add([(job(k), row(sum_of_costs=10 + k)) for k in range(3)], number)
        assert store.done([job(k).key for k in range(5)]) == {job(k).key for k in range(3)}
        rows = store.rows("SELECT seed, sum_of_costs, cell, provenance FROM runs ORDER BY seed")
        assert [(r["seed"], r["sum_of_costs"], r["provenance"]) for r in rows] == [
            (k, 10 + k, number) for k in range(3)
        ]
        assert Job(**json.loads(rows[1]["cell"])).key == job(1).key
        assert store.rows("SELECT count(*) AS n FROM agents") == [{"n": 3}]


def test_whatever_a_run_counts_has_a_column_of_its_name(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        store.add([(job(0), row())], 1)
        loops = [{"loop": 0, "collisions": 2, "coherence": 0.5}]
        store.add([(job(1), row(turns=4, loops=loops)), (job(2), row(backward_steps=7.5))], 1)
    with Store(tmp_path / "a.duckdb") as store:
        store.add([(job(3), row(turns=None)), (job(4), row(turns=6))], 1)
        rows = store.rows("SELECT turns, backward_steps FROM runs ORDER BY seed")
        assert [tuple(one.values()) for one in rows] == [(None, None), (4, None), (None, 7.5), (None, None), (6, None)]
        assert store.rows("SELECT collisions, coherence FROM loops") == [{"collisions": 2.0, "coherence": 0.5}]
        store.export("runs", tmp_path / "runs.csv")
    assert "turns" in (tmp_path / "runs.csv").read_text().splitlines()[0]


def test_a_measure_over_time_is_a_list(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        store.add([(job(0), row()), (job(1), row(coherence=[0.5, 1]))], 1)
        store.add([(job(2), row()), (job(3), row(coherence=[0.25]))], 1)
        rows = store.rows("SELECT coherence FROM runs ORDER BY seed")
        assert [one["coherence"] for one in rows] == [None, [0.5, 1.0], None, [0.25]]


def test_a_count_does_not_hide_what_was_run(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        store.add([(job(), row(moves=17, map=3))], 1)
        assert store.rows("SELECT moves, n_moves, map, n_map FROM runs") == [
            {"moves": "eight", "n_moves": 17.0, "map": "random", "n_map": 3.0}
        ]


def test_a_column_comes_with_its_rows_or_not_at_all(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        with pytest.raises(BadInput, match="cannot be written"):
            store.add([(job(1), row(turns=3, agents=[{"agent": "not a number"}]))], 1)
        assert "turns" not in {rows["column_name"] for rows in store.rows("DESCRIBE runs")}
        with pytest.raises(BadInput, match="cannot be written"):
            store.add([(job(1), row(turns="not a number"))], 1)


def test_a_killed_process_leaves_new_columns_and_rows_whole(tmp_path):
    file = tmp_path / "a.duckdb"
    code = (
        f"import os, signal, sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_store import job, row; from wayfolk.experiments.sweeps.store import Store\n"
        f"store = Store({str(file)!r}); first = int(sys.argv[1])\n"
        "for k in range(first, first + 3): store.add([(job(k), row(**{f'count_{k}': k}))], 1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    for first in (0, 2, 4):  # each begins with what the one before has stored last
        assert subprocess.run([sys.executable, "-c", code, str(first)], check=False, timeout=60).returncode < 0
    with Store(file, read_only=True) as store:
        rows = store.rows("SELECT seed, count_0, count_2, count_4, count_6 FROM runs ORDER BY seed")
    assert [one["seed"] for one in rows] == list(range(7))
    assert [[one[f"count_{k}"] for one in rows] for k in (0, 2, 4, 6)] == [
        [k if seed == k else None for seed in range(7)] for k in (0, 2, 4, 6)
    ]


def test_the_texts_of_sweeps_are_kept_once(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        for text in ("one", "two", "one"):
            store.keep_spec("windows", text)
        assert store.rows("SELECT * FROM specs ORDER BY text") == [
            {"name": "windows", "text": "one"}, {"name": "windows", "text": "two"},
        ]  # fmt: skip


def test_nothing_is_kept_twice(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        store.add([(job(), row(sum_of_costs=1)), (job(), row(sum_of_costs=2))], 1)
        store.add([(job(), row(sum_of_costs=3))], 1)
        assert store.rows("SELECT sum_of_costs FROM runs") == [{"sum_of_costs": 1}]
        assert store.rows("SELECT count(*) AS n FROM agents") == [{"n": 1}]


def test_a_batch_is_kept_whole_or_not_at_all(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        broken = row(agents=[{"agent": "not a number"}])
        with pytest.raises(BadInput, match=r"a\.duckdb cannot be written"):
            store.add([(job(1), row()), (job(2), broken)], 1)
        assert store.rows("SELECT count(*) AS n FROM runs") == [{"n": 0}]
        store.add([(job(1), row())], 1)
        assert store.rows("SELECT count(*) AS n FROM runs") == [{"n": 1}]


def test_a_second_process_gets_a_sentence(tmp_path):
    file = tmp_path / "a.duckdb"
    code = (
        "import sys; from wayfolk.experiments.sweeps.store import Store\n"
        f"with Store({str(file)!r}): print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(BadInput, match="in use by another sweep"):
            Store(file)
        other.stdin.close()
    with Store(file):
        pass


def test_bad_stores_are_named(tmp_path):
    (tmp_path / "text.duckdb").write_text("not a database")
    with pytest.raises(BadInput, match=r"text\.duckdb cannot be opened"):
        Store(tmp_path / "text.duckdb")
    with pytest.raises(Missing, match="there is no store"):
        Store(tmp_path / "none.duckdb", read_only=True)
    with Store(tmp_path / "new.duckdb") as store:
        store.base.execute("UPDATE meta SET schema = ?", [SCHEMA + 1])
    with pytest.raises(BadInput, match="made by a newer version"):
        Store(tmp_path / "new.duckdb")
    with Store(tmp_path / "new2.duckdb") as store, pytest.raises(BadInput, match="DuckDB does not understand"):
        store.rows("SELEKT 1")


def test_exports_hold_what_the_store_holds(tmp_path):
    import pandas as pd

    with Store(tmp_path / "a.duckdb") as store:
        store.add([(job(k), row(sum_of_costs=k)) for k in range(4)], 1)
        store.export("runs", tmp_path / "runs.parquet")
        store.export("runs", tmp_path / "it's.csv")
        with pytest.raises(BadInput, match=r"not 'runs\.xls'"):
            store.export("runs", tmp_path / "runs.xls")
        with pytest.raises(BadInput, match=r"runs\.csv cannot be written"):
            store.export("runs", tmp_path / "nowhere" / "runs.csv")
    assert sorted(pd.read_csv(tmp_path / "it's.csv")["sum_of_costs"]) == [0, 1, 2, 3]
    assert (tmp_path / "runs.parquet").read_bytes()[:4] == b"PAR1"


def test_a_full_disk_stops_clearly_and_spoils_nothing(tmp_path):
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(tmp_path)], check=False, timeout=60)
    if mount.returncode:
        pytest.skip("cannot make a small disk here")
    try:
        kept = 0
        with Store(tmp_path / "a.duckdb") as store:
            fills = [row(agents=[{"agent": a, "expanded": a / 7 * k} for a in range(2000)]) for k in range(200)]
            sentence = ""
            for k, fill in enumerate(fills):
                try:
                    store.add([(job(k), fill)], 1)
                except BadInput as error:
                    sentence = str(error)
                    break
                kept += 1
        assert "a.duckdb cannot be written" in sentence
        assert 0 < kept < 200
        with Store(tmp_path / "a.duckdb", read_only=True) as store:
            assert store.rows("SELECT count(*) AS n FROM runs") == [{"n": kept}]
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True, timeout=60)


EVERY_KIND = [
    {"algorithm": "astar", "problem": {"kind": "pairs", "count": 2, "least": 2}},
    {"algorithm": "d_star_lite", "problem": {"kind": "pairs", "count": 2}},
    {"algorithm": "lrta", "problem": {"kind": "pairs", "count": 2}},
    {"algorithm": "tba", "problem": {"kind": "pairs", "count": 2}},
    {"algorithm": "hca"},
    {"algorithm": "whca"},
    {"algorithm": "whca", "problem": {"kind": "patrol", "agents": 2, "loops": 1}, "limits": {"until": 50}},
    {"algorithm": "pibt", "problem": {"kind": "tasks", "agents": 2}, "limits": {"until": 50}},
]


def test_every_column_is_described(tmp_path):
    with Store(tmp_path / "runs.duckdb") as store:
        jobs = [job(**kind) for kind in EVERY_KIND]
        store.add([(one, run_job(one.as_dict())) for one in jobs], store.provenance({}))
        assert {row["status"] for row in store.rows("SELECT status FROM runs")} <= {"solved", "ended"}
        for table, described in TABLES.items():
            names = [row["column_name"] for row in store.rows(f"SELECT column_name FROM (DESCRIBE {table})")]
            assert set(names) <= {column.name for column in described}
            assert len({column.name for column in described}) == len(described)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_table_is_a_data_frame(tmp_path, kind):
    pytest.importorskip({"arrow": "pyarrow"}.get(kind, kind))
    with Store(tmp_path / "runs.duckdb") as store:
        store.add([(job(seed), row()) for seed in range(3)], store.provenance({}))
    frame = wf.read_runs(tmp_path / "runs.duckdb", kind=kind)
    assert frame.shape[0] == 3
    assert sum(frame["sum_of_costs"].to_pylist() if kind == "arrow" else frame["sum_of_costs"]) == 36
    assert wf.read_runs(tmp_path / "runs.duckdb", "agents").agent.tolist() == [0, 0, 0]


def test_a_table_that_is_not_there_is_named(tmp_path):
    with Store(tmp_path / "runs.duckdb") as store:
        with pytest.raises(BadInput, match="not 'walks'"):
            store.frame("walks")
        with pytest.raises(BadInput, match="pandas, polars, arrow, not 'excel'"):
            store.frame(kind="excel")


def test_a_run_is_found_by_the_first_letters_of_its_key_and_can_be_replaced(tmp_path):
    with Store(tmp_path / "runs.duckdb") as store:
        number = store.provenance({})
        store.add([(job(seed), row(status="error")) for seed in range(3)], number)
        assert store.job(job(1).key[:8]) == job(1)
        with pytest.raises(Missing, match="has no run 'zz'"):
            store.job("zz")
        with pytest.raises(Missing, match="has no run ''"):
            store.job("")
        store.replace(job(1), row(), number)
        assert [line["n"] for line in store.rows("SELECT count(*) AS n FROM runs GROUP BY status ORDER BY 1")] == [1, 2]
        assert store.rows("SELECT count(*) AS n FROM agents") == [{"n": 3}]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (job(algorithm="os:system").as_dict(), "cannot be run again: 'os:system' would run code: give --trust"),
        (job(algorithm="sdp", options={"cluster": "tcp://127.0.0.1:9"}).as_dict(), "would run code: give --trust"),
        ({"other": 1}, "does not say what was run"),
        ([1, 2], "does not say what was run"),
        (job().as_dict() | {"options": 3}, "does not say what was run"),
    ],
)
def test_a_stored_run_that_would_run_code_is_refused(tmp_path, cell, words):
    with Store(tmp_path / "a.duckdb") as store:
        store.add([(job(), row(sum_of_costs=1))], store.provenance({}))
        store.base.execute("UPDATE runs SET cell = ?", [json.dumps(cell)])
        with pytest.raises(BadInput, match=words):
            store.job(job().key)


def test_a_store_whose_tables_are_queries_is_refused(tmp_path):
    """Such a table could read any file, and never end."""
    with Store(tmp_path / "a.duckdb") as store:
        store.base.execute("DROP TABLE loops")
        store.base.execute("CREATE VIEW loops AS SELECT content AS key FROM read_text('/etc/hostname')")
    for read_only in (True, False):
        with pytest.raises(BadInput, match="not a store of runs: loops is computed by a query"):
            Store(tmp_path / "a.duckdb", read_only=read_only)
