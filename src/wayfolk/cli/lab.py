"""The verbs that write and read stores: sweep, again, report."""

from __future__ import annotations

import itertools
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from wayfolk.cli.parts import Json, Scheduler, Trust, must_be_page, table_console
from wayfolk.cli.progress import progress_of
from wayfolk.errors import BadInput

StoreFile = Annotated[Path, typer.Option("--store", help="The DuckDB file that holds the results.")]


def sweep(
    spec_file: Annotated[
        Path | None, typer.Argument(metavar="SPEC", help="The TOML file that describes the sweep, or `smoke`.")
    ] = None,
    store: StoreFile = Path("runs.duckdb"),
    cluster: Scheduler = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of local processes; one for each core by default.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the number of jobs and the expected time, and run nothing.")
    ] = False,
    sql: Annotated[str | None, typer.Option(help="Run an SQL query on the store and print the result.")] = None,
    export: Annotated[
        Path | None,
        typer.Option(help="Write a table, or the answer to --sql, to a .parquet, .csv or .tex (LaTeX) file."),
    ] = None,
    table: Annotated[
        str, typer.Option(help="The table for --export: runs, agents, loops, specs, provenance.")
    ] = "runs",
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run the jobs of a sweep that are not in its store yet.

    An interrupted sweep resumes when it is started again. With --sql or --export, SPEC may be left out.
    """
    from wayfolk.experiments.sweeps.store import Store

    if workers is not None and workers < 1:
        raise BadInput(f"workers must be 1 or more, not {workers}")
    if spec_file is None and sql is None and export is None:
        raise BadInput("name the sweep to run (SPEC), or use --sql or --export to read a store")
    if spec_file is not None:
        _sweep(spec_file, store, cluster, workers, dry_run, trust, as_json)
        if dry_run:
            return
    if sql is not None or export is not None:
        with Store(store, read_only=True) as kept:
            if export is not None and sql is not None:
                kept.export_answer(sql, export)
            elif export is not None:
                kept.export(table, export)
            if sql is not None:
                _show(kept.rows(sql), as_json)


def _sweep(
    spec_file: Path, store: Path, cluster: str | None, workers: int | None, dry_run: bool, trust: bool, as_json: bool
) -> None:
    from wayfolk.experiments.sweeps.engine import run_jobs
    from wayfolk.experiments.sweeps.spec import read_spec
    from wayfolk.experiments.sweeps.store import Store

    spec = read_spec(spec_file, trust=trust)
    if dry_run:
        _estimate(spec, store, workers, as_json)
        return
    with Store(store) as kept, progress_of(spec.name) as tell:
        kept.keep_spec(spec.name, spec.text)
        if cluster is None:
            _warm(spec.algorithms)
        progress = run_jobs(spec.jobs(), kept, total=spec.n_jobs, cluster=cluster, workers=workers, tell=tell)
    if as_json:
        print(json.dumps(progress.as_dict()))
    else:
        print(
            f"{progress.done} jobs run, {progress.skipped} were in the store, {progress.failed} failed, "
            f"{progress.seconds:.1f} s; all results are in {store}"
        )


def _warm(algorithms: list[str]) -> None:
    """Compile here once, so that the workers only load the machine code."""
    from wayfolk.cli.warm import warm_one

    for name in algorithms:
        warm_one(name)


def _estimate(spec: Any, store: Path, workers: int | None, as_json: bool) -> None:
    from wayfolk.experiments.sweeps.engine import LOOK_AHEAD
    from wayfolk.experiments.sweeps.store import Store
    from wayfolk.machine import n_cores

    n_workers = workers or n_cores()
    known: dict[str, float] = {}
    with ExitStack() as stack:
        kept = stack.enter_context(Store(store, read_only=True)) if store.exists() else None
        if kept is not None:
            rows = kept.rows("SELECT algorithm, avg(wall_seconds) AS took FROM runs GROUP BY algorithm")
            known = {row["algorithm"]: row["took"] for row in rows}
        expected, most, unknown, missing = 0.0, 0.0, 0, 0
        jobs = spec.jobs()
        while part := {job.key: job for job in itertools.islice(jobs, LOOK_AHEAD)}:
            done = set() if kept is None else kept.done(list(part))
            for key in part.keys() - done:
                job = part[key]
                missing += 1
                expected += known.get(job.algorithm, 0.0)
                unknown += job.algorithm not in known
                most += job.limits.get("seconds", float("inf"))
    estimate = {
        "cells": spec.n_jobs,
        "missing": missing,
        "estimate_seconds": expected / n_workers if not unknown else None,
        "at_most_seconds": most / n_workers if most != float("inf") else None,
    }
    if as_json:
        print(json.dumps(estimate))
        return
    print(f"{estimate['cells']} jobs, {estimate['missing']} of them not in the store")
    if estimate["estimate_seconds"] is not None:
        print(f"about {estimate['estimate_seconds']:.0f} s on {n_workers} workers, by the runs in the store")
    if estimate["at_most_seconds"] is not None:
        print(f"at most {estimate['at_most_seconds']:.0f} s, by the limits")


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows, default=str))
        return
    from rich.table import Table

    table = Table(*(rows[0] if rows else ["nothing"]))
    for row in rows:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    table_console().print(table)


def again(
    key: Annotated[str, typer.Argument(help="Key of a run in the store, or its first letters.")],
    store: StoreFile = Path("runs.duckdb"),
    replace: Annotated[bool, typer.Option("--replace", help="Replace the stored row by the new one.")] = False,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run one job of a store again, in this process.

    Prints the stored values beside the new ones. Without --replace, the store is not changed.
    """
    from wayfolk.experiments.sweeps.engine import circumstances
    from wayfolk.experiments.sweeps.store import Store
    from wayfolk.experiments.sweeps.worker import FAILURES, run_job

    with Store(store, read_only=not replace) as kept:
        job = kept.job(key, trust=trust)
        before = kept.rows("SELECT * FROM runs WHERE key = ?", [job.key])[0]
        now = run_job(job.as_dict())
        if replace:
            kept.replace(job, now, kept.provenance(circumstances()))
    after = {name: value for name, value in now.items() if name not in ("agents", "loops")}
    if as_json:
        print(json.dumps({"job": job.as_dict(), "before": before, "now": after}, default=str))
    else:
        print(f"{job.algorithm} on {job.map_name}, key {job.key}")
        names = [name for name in after if name != "key" and (after[name] not in (None, "") or before.get(name))]
        _show([{"": name, "stored": before.get(name), "now": after[name]} for name in names], False)
    if now["status"] in FAILURES:
        raise typer.Exit(1)


def report(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The DuckDB file with the results of sweeps.")],
    out: Annotated[
        Path | None,
        typer.Option("--html", "--out", "-o", help="The HTML file to write; by default it has the sweep's name."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a report on the results in a store.

    One HTML page with tables, figures, the specs of the sweeps, and provenance.
    """
    must_be_page(out)
    from wayfolk.experiments.reports.report import write_report

    facts = write_report(store, out)
    if as_json:
        print(json.dumps(facts))
        return
    print(f"{facts['runs']} runs and {len(facts['figures'])} figures: open {facts['file']} in a browser.")
