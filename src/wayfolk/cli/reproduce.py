"""The verb `reproduce`: a paper's tables, ours beside the printed ones, and its claims."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from wayfolk.cli.parts import Json, Scheduler, table_console
from wayfolk.cli.progress import progress_of
from wayfolk.errors import BadInput, Missing

UNMEASURED = "not measured: "  # begins most reasons


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
    cluster: Scheduler = None,
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
