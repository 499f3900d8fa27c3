"""The verbs of the laboratory: sweep, report, reproduce."""

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

from wayfolk.errors import BadInput

if TYPE_CHECKING:
    from wayfolk.experiments.engine import Progress

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
StoreFile = Annotated[Path, typer.Option("--store", help="The DuckDB file that keeps the runs.")]
Cluster = Annotated[str | None, typer.Option(help="A running Dask scheduler, tcp://...; else local processes.")]
LINE_SECONDS = 5.0  # how often a log gets a line


def sweep(
    spec_file: Annotated[Path | None, typer.Argument(metavar="SPEC", help="A sweep as a TOML file.")] = None,
    store: StoreFile = Path("runs.duckdb"),
    cluster: Cluster = None,
    workers: Annotated[int | None, typer.Option(help="Local processes; as many as cores if not given.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many cells there are and how long they may take.")
    ] = False,
    sql: Annotated[str | None, typer.Option(help="Ask the store a question instead.")] = None,
    export: Annotated[Path | None, typer.Option(help="Write the table `runs` as .parquet or .csv.")] = None,
    as_json: Json = False,
) -> None:
    """Run those cells of a sweep that its store does not have.

    Killed at any moment and started again, it goes on.
    """
    from wayfolk.experiments.store import Store

    if workers is not None and workers < 1:
        raise BadInput(f"workers must be 1 or more, not {workers}")
    if spec_file is None and sql is None and export is None:
        raise BadInput("say which sweep to run: SPEC, or --sql or --export to use a store")
    if spec_file is not None:
        _sweep(spec_file, store, cluster, workers, dry_run, as_json)
        if dry_run:
            return
    if sql is not None or export is not None:
        with Store(store, read_only=True) as kept:
            if export is not None:
                kept.export("runs", export)
            if sql is not None:
                _show(kept.rows(sql), as_json)


def _sweep(
    spec_file: Path, store: Path, cluster: str | None, workers: int | None, dry_run: bool, as_json: bool
) -> None:
    from wayfolk.experiments.engine import run_cells
    from wayfolk.experiments.spec import read_spec
    from wayfolk.experiments.store import Store

    spec = read_spec(spec_file)
    if dry_run:
        _estimate(spec, store, workers, as_json)
        return
    with Store(store) as kept, progress_of(spec.name) as tell:
        kept.keep_spec(spec.name, spec.text)
        if cluster is None:
            _warm(spec.algorithms)
        found = run_cells(spec.cells(), kept, total=spec.n_cells, cluster=cluster, workers=workers, tell=tell)
    if as_json:
        print(json.dumps(found.as_dict()))
    else:
        print(
            f"{found.done} cells run, {found.skipped} were there, {found.failed} failed, "
            f"{found.seconds:.1f} s; all in {store}"
        )


def _warm(algorithms: list[str]) -> None:
    """Compile once here, so that the workers only load."""
    from wayfolk.warm import warm_one

    for name in algorithms:
        warm_one(name)


def _estimate(spec: Any, store: Path, workers: int | None, as_json: bool) -> None:
    from wayfolk.experiments.engine import LOOK_AHEAD
    from wayfolk.experiments.store import Store
    from wayfolk.machine import n_cores

    n_workers = workers or n_cores()
    known: dict[str, float] = {}
    with ExitStack() as stack:
        kept = stack.enter_context(Store(store, read_only=True)) if store.exists() else None
        if kept is not None:
            rows = kept.rows("SELECT algorithm, avg(wall_seconds) AS took FROM runs GROUP BY algorithm")
            known = {row["algorithm"]: row["took"] for row in rows}
        guess, most, unknown, missing = 0.0, 0.0, 0, 0
        cells = spec.cells()
        while part := {cell.key: cell for cell in itertools.islice(cells, LOOK_AHEAD)}:
            done = set() if kept is None else kept.done(list(part))
            for key in part.keys() - done:
                cell = part[key]
                missing += 1
                guess += known.get(cell.algorithm, 0.0)
                unknown += cell.algorithm not in known
                most += cell.limits.get("seconds", float("inf"))
    made = {
        "cells": spec.n_cells,
        "missing": missing,
        "estimate_seconds": guess / n_workers if not unknown else None,
        "at_most_seconds": most / n_workers if most != float("inf") else None,
    }
    if as_json:
        print(json.dumps(made))
        return
    print(f"{made['cells']} cells, {made['missing']} missing")
    if made["estimate_seconds"] is not None:
        print(f"about {made['estimate_seconds']:.0f} s on {n_workers} workers, by what the store has seen")
    if made["at_most_seconds"] is not None:
        print(f"at most {made['at_most_seconds']:.0f} s by the limits")


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows, default=str))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(*(rows[0] if rows else ["nothing"]))
    for row in rows:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    Console().print(table)


def report(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The DuckDB file of a sweep.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The page to write.")] = Path("report.html"),
    as_json: Json = False,
) -> None:
    """Write what a store holds as one page.

    It has tables, figures, the specs of the sweeps, and provenance.
    """
    from wayfolk.experiments.report import write_report

    made = write_report(store, out)
    if as_json:
        print(json.dumps(made))
        return
    print(f"{made['runs']} runs and {len(made['figures'])} figures: open {out} in a browser.")


def reproduce(
    paper: Annotated[str, typer.Argument(help="jansen, bmaa, vermette, arun or sdp.")],
    table: Annotated[str | None, typer.Argument(help="One table, 4.5 for example; all of them if not given.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small honest version (the default).")] = False,
    middle: Annotated[
        bool, typer.Option("--middle", help="In between, where the paper's own size takes days.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="As many runs as the paper made.")] = False,
    store: StoreFile = Path("papers.duckdb"),
    cluster: Cluster = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw the paper's figures from our numbers, as SVG files there.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write tables, verdicts and figures as a page in Markdown.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure a paper's tables anew and judge its claims.

    Runs what is missing, and prints our numbers beside the printed ones.
    """
    from wayfolk.experiments.page import write_page
    from wayfolk.experiments.papers import FULL, MIDDLE, QUICK, checked_scale, find_table
    from wayfolk.experiments.reproduce import reproduce as run_paper
    from wayfolk.experiments.store import Store

    if quick + middle + full > 1:
        raise BadInput("say --quick, --middle or --full, only one of them")
    scale = checked_scale(paper, FULL if full else MIDDLE if middle else QUICK)
    if table is not None:
        find_table(paper, table)
    if page is not None:
        if table is not None:
            raise BadInput("a page holds a whole paper: leave out --page or the table")
        figures = figures or page.parent
    with Store(store) as kept, progress_of(f"{paper} {table or ''}".strip()) as tell:
        made = run_paper(paper, table, kept, scale=scale, cluster=cluster, figures=figures, tell=tell)
    if page is not None:
        write_page(made, page, f"wayfolk reproduce {paper} --{scale}")
    if as_json:
        print(json.dumps(made, default=str))
        return
    for one in made.get("tables", [made]):
        _print_table(one)
    _print_claims(made["claims"])
    if figures is not None:
        _print_figures(made["figures"])


def _print_table(one: dict[str, Any]) -> None:
    """Ours beside the printed numbers; below, why rows are missing. A row without any number is left out."""
    from rich.console import Console
    from rich.table import Table

    from wayfolk.experiments.page import beside_printed

    rows, metrics = one["rows"], one["metrics"]
    shown = [row for row in rows if row["ours"] or any(row["paper"].get(name) is not None for name in metrics)]
    console = Console()
    if shown:
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
    words = {True: "holds", False: "does not hold", None: "not measured"}
    for claim in claims:
        itself = " (the paper's own figures refute it)" if claim["paper_itself"] is False else ""
        print(f"{claim['id']:<4} {words[claim['holds']]}: {claim['text']}{itself} [{claim['detail']}]")


def _print_figures(figures: list[dict[str, Any]]) -> None:
    if not figures:
        print("no figure rests on this")
    for one in figures:
        print(f"figure {one['figure']}, {one['title']}: {one['file'] or one['why']}")


@contextmanager
def progress_of(what: str) -> Iterator[Callable[[Progress], None]]:
    """Progress of a sweep on stderr: a bar on a terminal, now and then a line in a log."""
    if not sys.stderr.isatty():
        last = [time.perf_counter()]

        def line(at: Progress) -> None:
            if time.perf_counter() - last[0] >= LINE_SECONDS:
                last[0] = time.perf_counter()
                print(f"{what}: {_told(at)}", file=sys.stderr, flush=True)

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, told="")

        def draw(at: Any) -> None:
            bar.update(task, total=at.total, completed=at.done + at.skipped, told=_told(at))

        yield draw


def _told(at: Progress) -> str:
    done = at.done + at.skipped
    rate = at.done / at.seconds if at.seconds else 0.0
    parts = [f"{done} of {at.total}" if at.total is not None else f"{done} cells", f"{rate:.1f} a second"]
    if at.eta is not None:
        parts.append(f"{at.eta:.0f} s left")
    parts.append(f"{at.failed} failed")
    if at.best is not None:
        parts.append(f"best so far {at.best}")
    return ", ".join(parts)


def add_to(app: typer.Typer) -> None:
    """Make these verbs of the command line."""
    for verb in (sweep, report, reproduce):
        app.command()(verb)
