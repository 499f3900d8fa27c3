"""Reproduce: run what a paper's tables need, put ours beside theirs, and judge its claims."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from wayfolk.experiments.cell import Cell
from wayfolk.experiments.engine import Progress, run_cells
from wayfolk.experiments.papers import Measured, Row, Table, find_table, module
from wayfolk.experiments.store import Store

BAD = ("error", "crashed", "out_of_memory")


def reproduce(
    paper: str,
    table: str | None,
    store: Store,
    *,
    quick: bool = True,
    cluster: str | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> dict[str, Any]:
    """The tables of `paper`, or one of them: ours, the paper's and the ratio in each row, and verdicts of claims."""
    book = module(paper)
    tables: list[Table] = list(book.TABLES) if table is None else [find_table(paper, table)]
    plans = {found.id: [found.cells(row, quick) for row in found.rows] for found in tables}
    cells = {cell.key: cell for rows in plans.values() for row in rows if not isinstance(row, str) for cell in row}
    run_cells(cells.values(), store, total=len(cells), cluster=cluster, tell=tell)
    made = [_table(found, plans[found.id], store) for found in tables]
    measured = Measured({one["table"]: [row["ours"] for row in one["rows"] if row["ours"]] for one in made})
    wanted = {found.id for found in tables}
    claims = [claim for claim in book.CLAIMS if table is None or wanted & set(claim.tables)]
    judged = [_judged(claim, measured) for claim in claims]
    if table is not None:
        return made[0] | {"claims": judged}
    return {"paper": paper, "title": book.TITLE, "tables": made, "claims": judged}


def _judged(claim: Any, measured: Measured) -> dict[str, Any]:
    found = claim.judge(measured)
    told = {"id": claim.id, "holds": found.holds, "detail": found.detail, "text": claim.text, "mark": claim.mark}
    return told | {"paper_itself": claim.own}


def _table(found: Table, plans: list[list[Cell] | str], store: Store) -> dict[str, Any]:
    rows = []
    for paper_row, plan in zip(found.rows, plans, strict=True):
        if isinstance(plan, str):
            rows.append({"ours": None, "paper": paper_row, "ratio": None, "runs": 0, "why": plan})
            continue
        runs = _runs(store, plan)
        good = [run for run in runs if run["status"] not in BAD]
        ours = _ours(found, paper_row, good) if good else None
        ratio = {name: _ratio(ours.get(name), paper_row.get(name)) for name in found.metrics} if ours else None
        lost = len(runs) - len(good)
        why = f"{lost} of {len(runs)} runs failed: {next(r['detail'] for r in runs if r not in good)}" if lost else ""
        rows.append({"ours": ours, "paper": paper_row, "ratio": ratio, "runs": len(good), "why": why})
    return {"table": found.id, "title": found.title, "setup": found.setup, "rows": rows}


def _runs(store: Store, cells: list[Cell]) -> list[Row]:
    keys = [cell.key for cell in cells]
    return store.rows("SELECT * FROM runs WHERE key IN (SELECT unnest(?)) ORDER BY key", [keys])


def _ours(found: Table, paper_row: Row, runs: list[Row]) -> Row:
    settings = {name: value for name, value in paper_row.items() if name not in found.metrics}
    if found.summarise is not None:
        return settings | found.summarise(runs)
    means = {}
    for name, column in found.metrics.items():
        values = [run[column] for run in runs if run[column] is not None]
        means[name] = statistics.fmean(values) if values else None
    return settings | means


def _ratio(ours: Any, theirs: Any) -> float | None:
    if isinstance(ours, int | float) and isinstance(theirs, int | float) and theirs:
        return float(ours / theirs)
    return None
