"""Reproduce: run what a paper's tables need, put ours beside theirs, judge its claims, and draw its figures."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wayfolk.experiments.engine import Progress, run_cells
from wayfolk.experiments.papers import QUICK, Figure, Measured, Row, Scale, Table, _drawing, find_table, module
from wayfolk.experiments.store import Store

BAD = ("error", "crashed", "out_of_memory")
Plan = list[str] | list[Row] | str  # the keys of the cells that measure a row, or runs, or why there are none


def reproduce(
    paper: str,
    table: str | None,
    store: Store,
    *,
    scale: Scale = QUICK,
    cluster: str | None = None,
    figures: Path | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> dict[str, Any]:
    """The tables of `paper`, or one of them: ours, the paper's and the ratio in each row, and verdicts of claims.

    The paper's figures that rest on these tables are written to the folder `figures`, if there is one.
    """
    book = module(paper)
    if figures is not None:
        _drawing.ready(figures)
    tables: list[Table] = list(book.TABLES) if table is None else [find_table(paper, table)]
    found = {one.id: [one.cells(row, scale) for row in one.rows] for one in tables}
    cells = {id(cell): cell for rows in found.values() for row in rows if not isinstance(row, str) for cell in row}
    keys = {number: cell.key for number, cell in cells.items()}  # once for each: rows share cells
    missing = {keys[number]: cell for number, cell in cells.items()}
    run_cells(missing.values(), store, total=len(missing), cluster=cluster, tell=tell)
    made = []
    for one in tables:
        plans: list[Plan]
        if one.make is not None:
            plans = [one.make(row, scale) for row in one.rows]
        else:
            plans = [row if isinstance(row, str) else [keys[id(cell)] for cell in row] for row in found[one.id]]
        made.append(_table(one, plans, store))
    measured = Measured({one["table"]: [row["ours"] for row in one["rows"] if row["ours"]] for one in made})
    wanted = {one.id for one in tables}
    claims = [claim for claim in book.CLAIMS if table is None or wanted & set(claim.tables)]
    told: dict[str, Any] = {"claims": [_judged(claim, measured) for claim in claims]}
    if figures is not None:
        drawn = [figure for figure in getattr(book, "FIGURES", []) if wanted & set(figure.tables)]
        told["figures"] = [_drawn(figure, measured, figures / f"{paper}-{figure.id}.svg") for figure in drawn]
    if table is not None:
        return made[0] | told
    return {"paper": paper, "title": book.TITLE, "tables": made} | told


def _judged(claim: Any, measured: Measured) -> dict[str, Any]:
    found = claim.judge(measured)
    told = {"id": claim.id, "holds": found.holds, "detail": found.detail, "text": claim.text, "mark": claim.mark}
    return told | {"paper_itself": claim.own}


def _drawn(figure: Figure, measured: Measured, file: Path) -> dict[str, Any]:
    """What became of a figure: the file it was written to, or why there is none."""
    absent = [table for table in figure.tables if not measured.rows(table)]
    told = {"figure": figure.id, "title": figure.title}
    if absent:
        return told | {"file": None, "why": f"not drawn: nothing was measured of {' and '.join(absent)}"}
    with _drawing.style():
        made = figure.draw(measured)
        if isinstance(made, str):
            return told | {"file": None, "why": f"not drawn: {made}"}
        _drawing.write(made, file, figure.title)
    return told | {"file": str(file), "why": ""}


def _table(found: Table, plans: list[Plan], store: Store) -> dict[str, Any]:
    rows = []
    runs: list[Row] = []
    before: Plan = ""
    for paper_row, plan in zip(found.rows, plans, strict=True):
        if isinstance(plan, str):
            rows.append({"ours": None, "paper": paper_row, "ratio": None, "runs": 0, "why": plan})
            continue
        if plan != before:
            runs, before = plan if found.make is not None else _runs(store, plan), plan  # type: ignore[assignment,arg-type]
        good = [run for run in runs if run["status"] not in BAD]
        ours = _ours(found, paper_row, good) if good else None
        if ours and all(ours.get(name) is None for name in found.metrics):
            ours = None
        ratio = {name: _ratio(ours.get(name), paper_row.get(name)) for name in found.metrics} if ours else None
        why = _why(found, runs, ours)
        rows.append({"ours": ours, "paper": paper_row, "ratio": ratio, "runs": len(good), "why": why})
    told = {"table": found.id, "title": found.title, "setup": found.setup}
    return told | {"metrics": list(found.metrics), "rows": rows}


def _why(found: Table, runs: list[Row], ours: Row | None) -> str:
    """Why runs or a whole row do not count; nothing if all is well."""
    lost = [run for run in runs if run["status"] in BAD]
    if lost:
        return f"{len(lost)} of {len(runs)} runs failed: {lost[0]['detail']}"
    if ours is not None:
        return ""
    absent = {column for column in found.metrics.values() if all(run.get(column) is None for run in runs)}
    told = f"runs do not record {', '.join(sorted(absent))} yet" if absent else "these runs do not allow it"
    return f"not measured: {told}"


def _runs(store: Store, keys: list[str]) -> list[Row]:
    """The runs of cells, each with its loops."""
    runs = store.rows("SELECT * FROM runs WHERE key IN (SELECT unnest(?)) ORDER BY key", [keys])
    loops: dict[str, list[Row]] = {run["key"]: [] for run in runs}
    for loop in store.rows("SELECT * FROM loops WHERE key IN (SELECT unnest(?)) ORDER BY key, loop", [keys]):
        loops[loop["key"]].append(loop)
    return [run | {"loops": loops[run["key"]]} for run in runs]


def _ours(found: Table, paper_row: Row, runs: list[Row]) -> Row:
    settings = {name: value for name, value in paper_row.items() if name not in found.metrics}
    if found.summarise is not None:
        return settings | found.summarise(runs, paper_row)
    means = {}
    for name, column in found.metrics.items():
        values = [run[column] for run in runs if run.get(column) is not None]
        means[name] = statistics.fmean(values) if values else None
    return settings | means


def _ratio(ours: Any, theirs: Any) -> float | None:
    if isinstance(ours, int | float) and isinstance(theirs, int | float) and theirs:
        return float(ours / theirs)
    return None
