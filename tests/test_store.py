"""The store keeps every run once, all of it or nothing, and says clearly why it cannot."""

import json
import subprocess
import sys

import pytest

from wayfolk.errors import BadInput, Missing
from wayfolk.experiments.cell import SCHEMA, Cell, file_digest
from wayfolk.experiments.store import Store


def cell(seed=0, **changes):
    told = {"map": {"make": "random", "width": 8, "height": 8}, "problem": {"kind": "random", "agents": 3}}
    return Cell(**(told | {"algorithm": "hca", "seed": seed} | changes))


def row(**changes):
    return {"status": "solved", "sum_of_costs": 12, "agents": [{"agent": 0, "steps": 4}], "loops": []} | changes


def test_a_key_is_made_of_everything_that_decides_the_result():
    keys = {
        cell().key, cell(1).key, cell(repeat=1).key, cell(algorithm="ca").key, cell(options={"order": "longest"}).key,
        cell(limits={"seconds": 1}).key, cell(moves="four").key, cell(model="distance").key,
        cell(problem={"kind": "random", "agents": 4}).key, cell(map={"make": "random", "width": 9, "height": 8}).key,
    }  # fmt: skip
    assert len(keys) == 10
    assert cell().key == cell(options={}).key


def test_a_file_counts_by_its_contents(tmp_path):
    one, two = tmp_path / "one.map", tmp_path / "two.map"
    one.write_text("same")
    two.write_text("same")
    described = [{"file": str(path), "digest": file_digest(path)} for path in (one, two)]
    assert cell(map=described[0]).key == cell(map=described[1]).key
    two.write_text("other")
    assert cell(map=described[0]).key != cell(map={"file": str(two), "digest": file_digest(two)}).key


def test_rows_come_back_with_their_agents_and_circumstances(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        number = store.provenance({"commit": "abc"})
        assert store.provenance({"commit": "abc"}) == number
        assert store.provenance({"commit": "abd"}) != number
        store.add([(cell(k), row(sum_of_costs=10 + k)) for k in range(3)], number)
        assert store.done([cell(k).key for k in range(5)]) == {cell(k).key for k in range(3)}
        found = store.rows("SELECT seed, sum_of_costs, cell, provenance FROM runs ORDER BY seed")
        assert [(r["seed"], r["sum_of_costs"], r["provenance"]) for r in found] == [
            (k, 10 + k, number) for k in range(3)
        ]
        assert Cell(**json.loads(found[1]["cell"])).key == cell(1).key
        assert store.rows("SELECT count(*) AS n FROM agents") == [{"n": 3}]


def test_nothing_is_kept_twice(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        store.add([(cell(), row(sum_of_costs=1)), (cell(), row(sum_of_costs=2))], 1)
        store.add([(cell(), row(sum_of_costs=3))], 1)
        assert store.rows("SELECT sum_of_costs FROM runs") == [{"sum_of_costs": 1}]
        assert store.rows("SELECT count(*) AS n FROM agents") == [{"n": 1}]


def test_a_batch_is_kept_whole_or_not_at_all(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        broken = row(agents=[{"agent": "not a number"}])
        with pytest.raises(BadInput, match=r"a\.duckdb cannot be written"):
            store.add([(cell(1), row()), (cell(2), broken)], 1)
        assert store.rows("SELECT count(*) AS n FROM runs") == [{"n": 0}]
        store.add([(cell(1), row())], 1)
        assert store.rows("SELECT count(*) AS n FROM runs") == [{"n": 1}]


def test_a_second_process_gets_a_sentence(tmp_path):
    file = tmp_path / "a.duckdb"
    code = (
        "import sys; from wayfolk.experiments.store import Store\n"
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
        store.add([(cell(k), row(sum_of_costs=k)) for k in range(4)], 1)
        store.export("runs", tmp_path / "runs.parquet")
        store.export("runs", tmp_path / "it's.csv")
        with pytest.raises(BadInput, match=r"not 'runs\.xls'"):
            store.export("runs", tmp_path / "runs.xls")
    assert sorted(pd.read_csv(tmp_path / "it's.csv")["sum_of_costs"]) == [0, 1, 2, 3]
    assert (tmp_path / "runs.parquet").read_bytes()[:4] == b"PAR1"


def test_a_full_disk_stops_clearly_and_spoils_nothing(tmp_path):
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(tmp_path)], check=False)
    if mount.returncode:
        pytest.skip("cannot make a small disk here")
    try:
        kept = 0
        with Store(tmp_path / "a.duckdb") as store:
            fills = [row(agents=[{"agent": a, "expanded": a / 7 * k} for a in range(2000)]) for k in range(200)]
            sentence = ""
            for k, fill in enumerate(fills):
                try:
                    store.add([(cell(k), fill)], 1)
                except BadInput as error:
                    sentence = str(error)
                    break
                kept += 1
        assert "a.duckdb cannot be written" in sentence
        assert 0 < kept < 200
        with Store(tmp_path / "a.duckdb", read_only=True) as store:
            assert store.rows("SELECT count(*) AS n FROM runs") == [{"n": kept}]
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
