"""Store: one DuckDB file that keeps every finished run, once.

    runs         one row for each job: `key`, what was run, status, metrics, provenance number
    agents       metrics of each agent of a run; loops: of each loop
    provenance   versions, commit and processor under which runs were made
    specs        the texts of the sweeps that were run
    meta         the schema

The module `columns` describes them. Any other measure of a run, an agent or a loop gets a column of its name with the first
row that has it: an algorithm can count something new without a change here. Lists of numbers, such as a measure over time,
make a column of lists. A measure with the name of a column that describes runs, such as `moves`, is stored as
`n_moves`.

A batch of rows is committed together with its agents and loops, so that a killed process leaves either all of a run or
nothing. DuckDB lets one process write at a time; a second process gets an error.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

from wayfolk.algorithms.trust import check_options, find_named
from wayfolk.errors import BadInput, Missing, WayfolkError
from wayfolk.experiments.sweeps import columns
from wayfolk.experiments.sweeps.job import SCHEMA, Job

CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": "2GB",  # what DuckDB keeps of the file must not grow with it; an index entry has 70 bytes
    "autoinstall_known_extensions": False,  # a file does not decide what is fetched from the net
    "autoload_known_extensions": False,
}
TableLibrary = Literal["pandas", "polars", "arrow"]
_ABOUT = (
    "key", "map", "problem", "algorithm", "options", "seed", "repeat", "moves", "model", "cell", "status", "detail",
    "provenance",
)  # fmt: skip
_NOT_METRICS = ("key", "status", "detail", "agents", "loops")  # of a row


def read_runs(file: str | Path, table: str = "runs", kind: TableLibrary = "pandas") -> Any:
    """A table of the store `file`, such as `runs`, `agents` or `loops`, as a data frame.

    `kind` is "pandas", "polars" or "arrow". docs/store.md describes all columns.
    """
    with Store(file, read_only=True) as store:
        return store.frame(table, kind)


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
            self.base = duckdb.connect(str(file), read_only=read_only, config=CONFIG)
        except duckdb.Error as error:
            if "lock" in str(error):
                raise BadInput(
                    f"{file} is in use by another sweep: wait for it, or give this one another --store"
                ) from None
            raise BadInput(f"{file} cannot be opened as a store: {str(error).splitlines()[0]}") from None
        self._check_tables()
        if not read_only:
            self.base.execute(columns.sql())
        self._check_schema(read_only)

    def _check_tables(self) -> None:
        """Raise BadInput if what should be a table is computed by a query, which could read any file."""
        views = self.base.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        for (name,) in views:
            if name in columns.TABLES:
                self.base.close()
                raise BadInput(f"{self.file} is not a store of runs: {name} is computed by a query, not stored")

    def _check_schema(self, read_only: bool) -> None:
        try:
            stored = self.base.execute("SELECT schema FROM meta").fetchone()
        except Exception:
            self.base.close()
            raise BadInput(f"{self.file} is a DuckDB file, but not a store of runs") from None
        if stored is None and not read_only:
            self.base.execute("INSERT INTO meta VALUES (?)", [SCHEMA])
        elif stored is not None and stored[0] > SCHEMA:
            self.base.close()
            raise BadInput(f"{self.file} was made by a newer version (schema {stored[0]}, this one knows {SCHEMA})")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.base.close()

    def done(self, keys: Sequence[str]) -> set[str]:
        """The keys among `keys` whose runs are in the store."""
        rows = self.base.execute("SELECT key FROM runs WHERE key IN (SELECT unnest(?))", [list(keys)]).fetchall()
        return {key for (key,) in rows}

    def provenance(self, circumstances: dict[str, Any]) -> int:
        """The id of these circumstances in the table `provenance`; they are added if they are new."""
        text = json.dumps(circumstances, sort_keys=True)
        known = self.base.execute("SELECT id FROM provenance WHERE told = ?", [text]).fetchone()
        if known is not None:
            return int(known[0])
        (number,) = self.base.execute("SELECT coalesce(max(id), 0) + 1 FROM provenance").fetchone()  # type: ignore[misc]
        with self._writing(self.file):
            self.base.execute("INSERT INTO provenance VALUES (?, ?)", [number, text])
        return int(number)

    def keep_spec(self, name: str, text: str) -> None:
        """Store the text of a sweep, unless it is there already."""
        if {"name": name, "text": text} not in self.rows("SELECT name, text FROM specs"):
            with self._writing(self.file):
                self.base.execute("INSERT INTO specs VALUES (?, ?)", [name, text])

    def add(self, rows: Iterable[tuple[Job, dict[str, Any]]], provenance: int) -> None:
        """Store finished runs; a run that is there already does not change."""
        runs, agents, loops = [], [], []
        finished = list(rows)
        known = self.done([job.key for job, _ in finished])
        for job, row in finished:
            if job.key in known:
                continue
            known.add(job.key)
            runs.append(_run_row(job, row, provenance))
            agents += [{"key": job.key, **entry} for entry in row["agents"]]
            loops += [{"key": job.key, **entry} for entry in row["loops"]]
        with self._writing(self.file):
            for table, entries in (("runs", runs), ("agents", agents), ("loops", loops)):
                if entries:
                    self._insert(table, entries)

    def _insert(self, table: str, entries: list[dict[str, Any]]) -> None:
        """Add rows to a table, and the columns that it does not have yet."""
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
        """Commit all that is done inside, or nothing; an error of DuckDB becomes a BadInput about `file`."""
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
            answer = self.base.execute(query, list(values))
        except duckdb.Error as error:
            raise BadInput(f"DuckDB does not understand that: {str(error).splitlines()[0]}") from None
        names = [column[0] for column in answer.description or []]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def frame(self, table: str = "runs", kind: TableLibrary = "pandas") -> Any:
        """A table as a data frame of pandas or Polars, or as a table of Arrow."""
        self._must_have(table)
        if kind not in get_args(TableLibrary):
            raise BadInput(f"a table is read as {', '.join(get_args(TableLibrary))}, not {kind!r}")
        if kind == "pandas":
            return self.base.execute(f"SELECT * FROM {table}").df()
        package = "polars" if kind == "polars" else "pyarrow"
        try:
            reader = import_module("polars" if kind == "polars" else "pyarrow.parquet")
        except ImportError:
            raise Missing(f"the package {package} is not installed: pip install {package}") from None
        with TemporaryDirectory() as folder:
            self.export(table, Path(folder) / "table.parquet")
            return (reader.read_parquet if kind == "polars" else reader.read_table)(Path(folder) / "table.parquet")

    def _must_have(self, table: str) -> None:
        if table not in columns.TABLES:
            raise BadInput(f"a store has the tables {', '.join(columns.TABLES)}, not {table!r}")

    def job(self, key: str, *, trust: bool = False) -> Job:
        """The job of the run whose key begins with `key`; one that runs code only if the store is to `trust`."""
        found = self.rows("SELECT key, cell FROM runs WHERE starts_with(key, ?) LIMIT 2", [key])
        if not found or not key:
            raise Missing(f"{self.file} has no run {key!r}")
        if len(found) > 1:
            raise BadInput(f"several runs in {self.file} begin with {key!r}: give more of the key")
        try:
            job = Job(**json.loads(found[0]["cell"]))
            find_named(job.algorithm, trust=trust).checked(job.options)
            check_options(job.options, trust)
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise BadInput(f"{self.file}: the run {key!r} does not say what was run") from None
        except WayfolkError as error:
            raise BadInput(f"{self.file}: the run {key!r} cannot be run again: {error}") from None
        return job

    def replace(self, job: Job, row: dict[str, Any], provenance: int) -> None:
        """Store a finished run in the place of the one with the same key."""
        with self._writing(self.file):
            for table in ("runs", "agents", "loops"):
                self.base.execute(f"DELETE FROM {table} WHERE key = ?", [job.key])
        self.add([(job, row)], provenance)

    def export(self, table: str, file: str | Path) -> None:
        """Write a table as Parquet, CSV or LaTeX, by the suffix."""
        self._must_have(table)
        self.export_answer(f"SELECT * FROM {table} ORDER BY ALL", file)

    def export_answer(self, query: str, file: str | Path) -> None:
        """Write the answer to a question in SQL as Parquet, CSV or LaTeX, by the suffix."""
        kinds = {".parquet": "FORMAT parquet", ".csv": "FORMAT csv, HEADER", ".tex": ""}
        kind = kinds.get(Path(file).suffix.lower())
        if kind is None:
            raise BadInput(f"a table is written as .parquet, .csv or .tex, not {Path(file).name!r}")
        rows = self.rows(query)
        if not kind:
            from wayfolk.experiments.reports.table_files import write_table

            write_table(rows, list(rows[0]) if rows else ["nothing"], file)
            return
        quoted, asked = str(file).replace("'", "''"), query.strip().rstrip(";")
        with self._writing(file):
            self.base.execute(f"COPY ({asked}) TO '{quoted}' ({kind})")


def _run_row(job: Job, row: dict[str, Any], provenance: int) -> dict[str, Any]:
    described = json.dumps(job.as_dict(), sort_keys=True)
    problem = Path(job.problem["file"]).stem if "file" in job.problem else job.problem["kind"]
    about = (
        job.key, job.map_name, problem, job.algorithm, json.dumps(job.options, sort_keys=True), job.seed,
        job.repeat, job.moves, job.model, described, row["status"], row.get("detail", ""), provenance,
    )  # fmt: skip
    measured = {name: value for name, value in row.items() if name not in _NOT_METRICS}
    renamed = {f"n_{name}" if name in _ABOUT else name: value for name, value in measured.items()}
    return renamed | dict(zip(_ABOUT, about, strict=True))
