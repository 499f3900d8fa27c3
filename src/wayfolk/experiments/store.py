"""Store: one DuckDB file that keeps every finished run, once.

    runs         one row for each cell: `key`, what was run, status, metrics, provenance number
    agents       metrics of each agent of a run; loops: of each loop
    provenance   versions, commit and processor under which runs were made
    specs        the texts of the sweeps that were run
    meta         the schema

METRICS are the columns that every store has. Whatever else a run, an agent or a loop has measured gets a column of its
name when the first row comes that has it: an algorithm can count something new without a change here. Lists of numbers,
such as a measure over time, make a column of lists. If a column that describes runs has that name, as `moves` does, it
is called `n_moves`.

A batch of rows and everything that belongs to them is committed together, so that a killed process leaves either all of
a run or nothing. DuckDB lets one process write at a time: a second one gets a sentence.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wayfolk.errors import BadInput, Missing
from wayfolk.experiments.cell import SCHEMA, Cell

METRICS = {
    "n_agents": "INTEGER", "seconds": "DOUBLE", "wall_seconds": "DOUBLE", "expanded": "DOUBLE", "replans": "DOUBLE",
    "collisions": "DOUBLE", "distance": "DOUBLE", "simulation_time": "DOUBLE", "throughput": "DOUBLE",
    "makespan": "INTEGER", "sum_of_costs": "BIGINT", "sum_of_loss": "BIGINT", "fuel": "BIGINT",
    "travel_distance": "DOUBLE", "completion_rate": "DOUBLE", "completion_time": "DOUBLE", "failed_units": "INTEGER",
    "lower_bound": "BIGINT", "faults": "INTEGER", "queries": "INTEGER", "solved": "INTEGER", "wrong_cost": "INTEGER",
    "cost": "DOUBLE", "expanded_least": "DOUBLE", "expanded_most": "DOUBLE",
}  # fmt: skip
MEMORY = (
    "2GB"  # for DuckDB while it writes: what it keeps of the file must not grow with it; an index entry has 70 bytes
)
_TABLES = f"""
CREATE TABLE IF NOT EXISTS meta (schema INTEGER);
CREATE TABLE IF NOT EXISTS provenance (id INTEGER PRIMARY KEY, told JSON);
CREATE TABLE IF NOT EXISTS specs (name VARCHAR, text VARCHAR);
CREATE TABLE IF NOT EXISTS runs (
    key VARCHAR PRIMARY KEY, map VARCHAR, problem VARCHAR, algorithm VARCHAR, options JSON, seed BIGINT, repeat INTEGER,
    moves VARCHAR, model VARCHAR, cell JSON, status VARCHAR, detail VARCHAR, provenance INTEGER,
    {", ".join(f"{name} {kind}" for name, kind in METRICS.items())});
CREATE TABLE IF NOT EXISTS agents (
    key VARCHAR, agent INTEGER, arrived BOOLEAN, steps INTEGER,
    expanded DOUBLE, replans DOUBLE, distance DOUBLE, collisions DOUBLE);
CREATE TABLE IF NOT EXISTS loops (
    key VARCHAR, loop INTEGER, expanded DOUBLE, replans DOUBLE, distance DOUBLE, collisions DOUBLE);
"""
_ABOUT = (
    "key", "map", "problem", "algorithm", "options", "seed", "repeat", "moves", "model", "cell", "status", "detail",
    "provenance",
)  # fmt: skip
_NOT_METRICS = ("key", "status", "detail", "agents", "loops")  # of a row


class Store:
    """An open store. Use it in a `with`, so that it is closed and another process may have it."""

    def __init__(self, file: str | Path, *, read_only: bool = False) -> None:
        try:
            import duckdb
        except ImportError:
            raise Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'") from None
        self.file = Path(file)
        if read_only and not self.file.exists():
            raise Missing(f"there is no store {file}")
        try:
            self.base = duckdb.connect(str(file), read_only=read_only)
        except duckdb.IOException as error:
            if "lock" in str(error):
                raise BadInput(
                    f"{file} is in use by another sweep: wait for it, or give this one another --store"
                ) from None
            raise BadInput(f"{file} cannot be opened as a store: {str(error).splitlines()[0]}") from None
        if not read_only:
            self.base.execute(f"SET memory_limit = '{MEMORY}'")
            self.base.execute(_TABLES)
        self._check_schema(read_only)

    def _check_schema(self, read_only: bool) -> None:
        try:
            found = self.base.execute("SELECT schema FROM meta").fetchone()
        except Exception:
            self.base.close()
            raise BadInput(f"{self.file} is a DuckDB file, but not a store of runs") from None
        if found is None and not read_only:
            self.base.execute("INSERT INTO meta VALUES (?)", [SCHEMA])
        elif found is not None and found[0] > SCHEMA:
            self.base.close()
            raise BadInput(f"{self.file} was made by a newer version (schema {found[0]}, this one knows {SCHEMA})")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.base.close()

    def done(self, keys: Sequence[str]) -> set[str]:
        """Which of `keys` are there."""
        found = self.base.execute("SELECT key FROM runs WHERE key IN (SELECT unnest(?))", [list(keys)]).fetchall()
        return {key for (key,) in found}

    def provenance(self, told: dict[str, Any]) -> int:
        """The number of these circumstances, entered if they are new."""
        text = json.dumps(told, sort_keys=True)
        found = self.base.execute("SELECT id FROM provenance WHERE told = ?", [text]).fetchone()
        if found is not None:
            return int(found[0])
        (number,) = self.base.execute("SELECT coalesce(max(id), 0) + 1 FROM provenance").fetchone()  # type: ignore[misc]
        with self._writing(self.file):
            self.base.execute("INSERT INTO provenance VALUES (?, ?)", [number, text])
        return int(number)

    def keep_spec(self, name: str, text: str) -> None:
        """Remember a sweep that is run here."""
        if {"name": name, "text": text} not in self.rows("SELECT name, text FROM specs"):
            with self._writing(self.file):
                self.base.execute("INSERT INTO specs VALUES (?, ?)", [name, text])

    def add(self, rows: Iterable[tuple[Cell, dict[str, Any]]], provenance: int) -> None:
        """Keep finished runs; one that is there already stays as it is."""
        runs, agents, loops = [], [], []
        finished = list(rows)
        known = self.done([cell.key for cell, _ in finished])
        for cell, row in finished:
            if cell.key in known:
                continue
            known.add(cell.key)
            runs.append(_run_row(cell, row, provenance))
            agents += [{"key": cell.key, **entry} for entry in row["agents"]]
            loops += [{"key": cell.key, **entry} for entry in row["loops"]]
        with self._writing(self.file):
            for table, entries in (("runs", runs), ("agents", agents), ("loops", loops)):
                if entries:
                    self._insert(table, entries)

    def _insert(self, table: str, entries: list[dict[str, Any]]) -> None:
        """Add rows to a table; a column that it does not have yet is made."""
        import pandas as pd

        names = list(dict.fromkeys(itertools.chain.from_iterable(entries)))
        known = {name for (name,) in self.base.execute(f"SELECT column_name FROM (DESCRIBE {table})").fetchall()}
        for name in sorted(set(names) - known):
            kind = "DOUBLE[]" if any(isinstance(entry.get(name), list) for entry in entries) else "DOUBLE"
            self.base.execute(f'ALTER TABLE {table} ADD COLUMN "{name}" {kind}')
        values = [[entry.get(name) for name in names] for entry in entries]
        self.base.register("incoming", pd.DataFrame(values, columns=names, dtype=object))
        self.base.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
        self.base.unregister("incoming")

    @contextlib.contextmanager
    def _writing(self, file: str | Path) -> Iterator[None]:
        """All of what is done inside or nothing; what DuckDB cannot do becomes a sentence about `file`."""
        import duckdb

        self.base.execute("BEGIN")
        try:
            yield
            self.base.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(duckdb.Error):
                self.base.execute("ROLLBACK")
            if isinstance(error, duckdb.Error):
                raise BadInput(f"{file} cannot be written: {str(error).splitlines()[0]}") from None
            raise

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The answer to a question in SQL."""
        import duckdb

        try:
            found = self.base.execute(query, list(values))
        except duckdb.Error as error:
            raise BadInput(f"DuckDB does not understand that: {str(error).splitlines()[0]}") from None
        names = [column[0] for column in found.description or []]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def export(self, table: str, file: str | Path) -> None:
        """Write a table as Parquet or CSV, by the suffix."""
        kinds = {".parquet": "FORMAT parquet", ".csv": "FORMAT csv, HEADER"}
        kind = kinds.get(Path(file).suffix.lower())
        if kind is None:
            raise BadInput(f"a table is written as .parquet or .csv, not {Path(file).name!r}")
        quoted = str(file).replace("'", "''")
        with self._writing(file):
            self.base.execute(f"COPY (SELECT * FROM {table} ORDER BY key) TO '{quoted}' ({kind})")


def _run_row(cell: Cell, row: dict[str, Any], provenance: int) -> dict[str, Any]:
    told = json.dumps(cell.as_dict(), sort_keys=True)
    problem = Path(cell.problem["file"]).stem if "file" in cell.problem else cell.problem["kind"]
    about = (
        cell.key, cell.map_name, problem, cell.algorithm, json.dumps(cell.options, sort_keys=True), cell.seed,
        cell.repeat, cell.moves, cell.model, told, row["status"], row.get("detail", ""), provenance,
    )  # fmt: skip
    measured = {name: value for name, value in row.items() if name not in _NOT_METRICS}
    renamed = {f"n_{name}" if name in _ABOUT else name: value for name, value in measured.items()}
    return renamed | dict(zip(_ABOUT, about, strict=True))
