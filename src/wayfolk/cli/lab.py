"""The verbs of the laboratory: sweep, again, report, reproduce."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfolk.cli.examples import epilog
from wayfolk.cli.parts import Trust, must_be_page, table_console
from wayfolk.errors import BadInput, Missing

if TYPE_CHECKING:
    from wayfolk.experiments.sweeps.engine import SweepProgress

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
StoreFile = Annotated[Path, typer.Option("--store", help="The DuckDB file that holds the results.")]
Cluster = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, tcp://...; local processes by default.")
]
LINE_SECONDS = 5.0  # how often a log gets a line
UNMEASURED = "not measured: "  # begins most reasons


def sweep(
    spec_file: Annotated[
        Path | None, typer.Argument(metavar="SPEC", help="The TOML file that describes the sweep, or `smoke`.")
    ] = None,
    store: StoreFile = Path("runs.duckdb"),
    cluster: Cluster = None,
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


def reproduce(
    paper: Annotated[str, typer.Argument(help="The paper: jansen, bmaa, vermette, arun or sdp.")],
    table: Annotated[str | None, typer.Argument(help="One of its tables, such as 4.5; all tables by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few runs (the default).")] = False,
    middle: Annotated[
        bool, typer.Option("--middle", help="More runs than --quick, for papers whose full number takes days.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="As many runs as in the paper.")] = False,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store", help="The DuckDB file for the results; by default papers.duckdb in the user's data folder."
        ),
    ] = None,
    cluster: Cluster = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the paper's figures, drawn from our results as SVG.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write tables, verdicts and figures to a Markdown file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Reproduce a paper's tables and judge its claims.

    Runs the jobs that are not in the store yet, and prints our numbers beside those of the paper.
    """
    from wayfolk.experiments.papers.reproduce import reproduce as run_paper
    from wayfolk.experiments.papers.tables import FULL, MIDDLE, QUICK, checked_scale, find_table, lacking
    from wayfolk.experiments.reports.page import write_page
    from wayfolk.experiments.sweeps.store import Store
    from wayfolk.machine import data_home

    if quick + middle + full > 1:
        raise BadInput("give only one of --quick, --middle and --full")
    scale = checked_scale(paper, FULL if full else MIDDLE if middle else QUICK)
    if table is not None:
        find_table(paper, table)
    if told := lacking(paper):
        print(f"wayfolk: {told}", file=sys.stderr)
    if page is not None:
        if table is not None:
            raise BadInput("--page is for a whole paper: leave out --page or the table")
        figures = figures or page.parent
    if store is None:
        store = data_home() / "papers.duckdb"
        store.parent.mkdir(parents=True, exist_ok=True)
    with Store(store) as kept, progress_of(f"{paper} {table or ''}".strip()) as tell:
        result = run_paper(paper, table, kept, scale=scale, cluster=cluster, figures=figures, tell=tell)
    if page is not None:
        write_page(result, page, f"wayfolk reproduce {paper} --{scale}")
    tables = result.get("tables", [result])
    is_measured = any(row["ours"] for one in tables for row in one["rows"])
    if as_json:
        print(json.dumps(result, default=str))
    elif is_measured:
        for one in tables:
            _print_table(one)
        _print_claims(result["claims"])
        if figures is not None:
            _print_figures(result["figures"])
    if not is_measured:
        _complain_of_nothing(f"{paper} {table}" if table else paper, tables)


def _complain_of_nothing(what: str, tables: list[dict[str, Any]]) -> None:
    """End the command, of which nothing could be measured, with the reasons: exit code 2 if files are missing, else 1."""
    from wayfolk.files.folders import NO_FILE

    reasons = Counter(row["why"] for one in tables for row in one["rows"])
    missing = [why for why in reasons if NO_FILE in why]
    if missing:
        more = f" (and {len(missing) - 1} more files)" if len(missing) > 1 else ""
        raise Missing(f"nothing of {what} could be measured: {missing[0].removeprefix(UNMEASURED)}{more}")
    print(f"wayfolk: nothing of {what} could be measured", file=sys.stderr)
    for why, n in reasons.most_common():
        print(f"{n} rows: {why.removeprefix(UNMEASURED)}", file=sys.stderr)
    raise typer.Exit(1)


def _print_table(one: dict[str, Any]) -> None:
    """Print ours beside the printed numbers, if there are any of ours; below, why rows are not measured.

    A row without any number is left out.
    """
    from rich.table import Table

    from wayfolk.experiments.reports.page import beside_printed

    rows, metrics = one["rows"], one["metrics"]
    shown = [row for row in rows if row["ours"] or any(row["paper"].get(name) is not None for name in metrics)]
    console = table_console()
    if any(row["ours"] for row in rows):
        settings = [name for name in shown[0]["paper"] if name not in metrics]
        table = Table(title=f"{one['table']}: {one['title']}", caption_justify="left")
        table.caption = f"Ours / paper (ratio). {one['setup']}"
        for name in (*settings, *metrics, "runs"):
            table.add_column(name.replace("_", " "), justify="left" if name in settings else "right")
        for row in shown:
            beside = (beside_printed(row["ours"] or {}, row["paper"], row["ratio"] or {}, metric) for metric in metrics)
            table.add_row(*(str(row["paper"].get(name, "")) for name in settings), *beside, str(row["runs"]))
        console.print(table)
    else:
        console.print(f"{one['table']}: {one['title']}", highlight=False, markup=False)
    for why, n in Counter(row["why"] for row in rows if row["why"]).items():
        console.print(f"{n} of {len(rows)} rows: {why}", highlight=False, markup=False)
    console.print()


def _print_claims(claims: list[dict[str, Any]]) -> None:
    for claim in claims:
        refuted = " (the paper's own figures refute it)" if claim["holds"] and claim["paper_itself"] is False else ""
        print(f"{claim['id']:<4} {claim['verdict']}: {claim['text']}{refuted} [{claim['detail']}]")


def _print_figures(figures: list[dict[str, Any]]) -> None:
    if not figures:
        print("no figure of the paper uses this table")
    for one in figures:
        print(f"figure {one['figure']}, {one['title']}: {one['file'] or one['why']}")


@contextmanager
def progress_of(what: str) -> Iterator[Callable[[SweepProgress], None]]:
    """A function that shows the progress of a sweep on stderr: a bar on a terminal, else a line every few seconds."""
    if not sys.stderr.isatty():
        last = [time.perf_counter()]

        def line(at: SweepProgress) -> None:
            if time.perf_counter() - last[0] >= LINE_SECONDS:
                last[0] = time.perf_counter()
                sys.stderr.write(f"{what}: {_shown(at)}\n")  # at once: Ctrl-C must not come before the end of the line
                sys.stderr.flush()

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[shown]}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, shown="")

        def draw(at: Any) -> None:
            bar.update(task, total=at.total, completed=at.done + at.skipped, shown=_shown(at))

        yield draw


def _shown(at: SweepProgress) -> str:
    """How far a sweep is, in a line."""
    done = at.done + at.skipped
    rate = at.done / at.seconds if at.seconds else 0.0
    parts = [f"{done} of {at.total}" if at.total is not None else f"{done} jobs", f"{rate:.1f} a second"]
    if at.eta is not None:
        parts.append(f"{at.eta:.0f} s left")
    parts.append(f"{at.failed} failed")
    if at.best is not None:
        parts.append(f"best so far {at.best}")
    return ", ".join(parts)


def add_to(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    for verb in (sweep, again, report, reproduce):
        app.command(epilog=epilog(verb.__name__))(verb)
