"""Reproduce: run the jobs of a paper's tables, compare with the printed numbers, judge its claims, draw its figures."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wayfolk.experiments.papers import drawing as _drawing
from wayfolk.experiments.papers.claims import FAILS, UNDECIDED, Cause, Claim, Measured, in_words
from wayfolk.experiments.papers.noise import EACH
from wayfolk.experiments.papers.tables import QUICK, Figure, PrintedTable, Row, Scale, find_table, lacking, module
from wayfolk.experiments.sweeps.engine import SweepProgress, run_jobs
from wayfolk.experiments.sweeps.store import Store

BAD = ("error", "crashed", "out_of_memory")
Plan = list[str] | list[Row] | str  # the keys of the jobs that measure a row, or runs, or why there are none


def reproduce(
    paper: str,
    table: str | None,
    store: Store,
    *,
    scale: Scale = QUICK,
    cluster: str | None = None,
    figures: Path | None = None,
    tell: Callable[[SweepProgress], None] = lambda _: None,
) -> dict[str, Any]:
    """The tables of `paper`, or one of them: ours, the paper's and the ratio in each row, and verdicts of claims.

    The paper's figures that rest on these tables are written to the folder `figures`, if there is one.
    """
    book = module(paper)
    if figures is not None:
        _drawing.ready(figures)
    tables: list[PrintedTable] = list(book.TABLES) if table is None else [find_table(paper, table)]
    plans_of = {one.id: [one.jobs(row, scale) for row in one.rows] for one in tables}
    jobs = {id(job): job for rows in plans_of.values() for row in rows if not isinstance(row, str) for job in row}
    keys = {number: job.key for number, job in jobs.items()}  # once for each: rows share jobs
    missing = {keys[number]: job for number, job in jobs.items()}
    progress = run_jobs(missing.values(), store, total=len(missing), cluster=cluster, tell=tell)
    results = []
    for one in tables:
        plans: list[Plan]
        if one.make is not None:
            plans = [one.make(row, scale) for row in one.rows]
        else:
            plans = [row if isinstance(row, str) else [keys[id(job)] for job in row] for row in plans_of[one.id]]
        results.append(_table(one, plans, store))
    measured = Measured({one["table"]: [row["ours"] for row in one["rows"] if row["ours"]] for one in results})
    wanted = {one.id for one in tables}
    claims = [claim for claim in book.CLAIMS if table is None or wanted & set(claim.tables)]
    judged: dict[str, Any] = {"claims": [_judged(claim, measured, book) for claim in claims]}
    if figures is not None:
        drawn = [figure for figure in getattr(book, "FIGURES", []) if wanted & set(figure.tables)]
        judged["figures"] = [_drawn(figure, measured, figures / f"{paper}-{figure.id}.svg") for figure in drawn]
    for row in (row for result in results for row in result["rows"] if row["ours"]):
        row["ours"] = {name: value for name, value in row["ours"].items() if not name.endswith(EACH)}
    if table is not None:
        return results[0] | judged
    findings = (told if isinstance(told, str) else told(measured) for told in getattr(book, "FINDINGS", ()))
    parts: dict[str, Any] = {"pictures": list(getattr(book, "PICTURES", ())), "findings": list(filter(None, findings))}
    parts["choices"] = [list(choice) for choice in getattr(book, "CHOICES", ())]
    parts["lacking"] = lacking(paper)
    return (
        {"paper": paper, "title": book.TITLE, "machine": _machine(store, progress.done > 0), "tables": results}
        | parts
        | judged
    )


def _judged(claim: Claim, measured: Measured, book: Any) -> dict[str, Any]:
    """A claim with its verdict, its cause if it does not hold, and its verdicts under other readings of the text."""
    verdict = claim.judge(measured)
    facts: dict[str, Any] = {"id": claim.id, "holds": verdict.holds, "detail": verdict.detail}
    facts |= {"text": claim.text, "mark": claim.mark}
    facts |= {"verdict": in_words(verdict, claim.own), "undecided": verdict.is_undecided, "paper_itself": claim.own}
    cause: Cause | None = getattr(book, "CAUSES", {}).get(claim.id)
    if facts["verdict"] in (FAILS, UNDECIDED) and cause is not None:
        number = cause.measured if isinstance(cause.measured, str) else cause.measured(measured)
        facts["cause"] = {"kind": cause.kind, "which": cause.which, "why": cause.why, "measured": number}
    readings = {}
    for title, suffix in getattr(book, "READINGS", {}).items():
        if any(table + suffix in measured.tables for table in claim.tables):
            other = claim.judge(measured.reading(suffix))
            readings[title] = {"verdict": in_words(other, claim.own), "detail": other.detail}
    return facts | {"readings": readings}


def _drawn(figure: Figure, measured: Measured, file: Path) -> dict[str, Any]:
    """Draw a figure: the file it was written to, or the reason why there is none."""
    absent = [table for table in figure.tables if not measured.rows(table)]
    facts = {"figure": figure.id, "title": figure.title}
    if absent:
        return facts | {"file": None, "why": f"not drawn: nothing was measured of {' and '.join(absent)}"}
    with _drawing.style():
        drawn = figure.draw(measured)
        if isinstance(drawn, str):
            return facts | {"file": None, "why": f"not drawn: {drawn}"}
        _drawing.write(drawn, file, figure.title)
    return facts | {"file": str(file), "why": ""}


def _table(table: PrintedTable, plans: list[Plan], store: Store) -> dict[str, Any]:
    rows = []
    runs: list[Row] = []
    before: Plan = ""
    for paper_row, plan in zip(table.rows, plans, strict=True):
        if isinstance(plan, str):
            rows.append({"ours": None, "paper": paper_row, "ratio": None, "runs": 0, "why": plan})
            continue
        if plan != before:
            runs, before = plan if table.make is not None else _runs(store, plan), plan  # type: ignore[assignment,arg-type]
        good = [run for run in runs if run["status"] not in BAD]
        ours = _ours(table, paper_row, good) if good else None
        if ours and all(ours.get(name) is None for name in table.metrics):
            ours = None
        ratio = {name: _ratio(ours.get(name), paper_row.get(name)) for name in table.metrics} if ours else None
        why = _why(table, runs, ours)
        rows.append({"ours": ours, "paper": paper_row, "ratio": ratio, "runs": len(good), "why": why})
    facts: dict[str, Any] = {"table": table.id, "title": table.title, "setup": table.setup}
    facts |= {"has_seconds": table.has_seconds, "on_page": table.on_page}
    return facts | {"metrics": list(table.metrics), "rows": rows}


def _why(table: PrintedTable, runs: list[Row], ours: Row | None) -> str:
    """Why runs or a whole row do not count; empty if they do."""
    lost = [run for run in runs if run["status"] in BAD]
    if lost:
        return f"{len(lost)} of {len(runs)} runs failed: {lost[0]['detail']}"
    if ours is not None:
        return ""
    absent = {column for column in table.metrics.values() if all(run.get(column) is None for run in runs)}
    reason = f"runs do not record {', '.join(sorted(absent))} yet" if absent else "these runs do not allow it"
    return f"not measured: {reason}"


def _runs(store: Store, keys: list[str]) -> list[Row]:
    """The runs of jobs, each with its loops."""
    runs = store.rows("SELECT * FROM runs WHERE key IN (SELECT unnest(?)) ORDER BY key", [keys])
    loops: dict[str, list[Row]] = {run["key"]: [] for run in runs}
    for loop in store.rows("SELECT * FROM loops WHERE key IN (SELECT unnest(?)) ORDER BY key, loop", [keys]):
        loops[loop["key"]].append(loop)
    return [run | {"loops": loops[run["key"]]} for run in runs]


def _machine(store: Store, is_now: bool) -> dict[str, Any] | None:
    """The machine of the last runs, and how busy it was.

    `load` is how many seconds passed for a second of processor time, if that was measured; `waiting` the processes that
    wanted to run in the last 15 minutes, if the runs were made now.
    """
    told = store.rows("SELECT told FROM provenance JOIN runs ON provenance = id ORDER BY id DESC LIMIT 1")
    if not told:
        return None
    circumstances = json.loads(told[0]["told"])
    machine = {name: circumstances.get(name) for name in ("processor", "cores")}
    machine["waiting"] = os.getloadavg()[2] if is_now and hasattr(os, "getloadavg") else None
    columns = {row["column_name"] for row in store.rows("DESCRIBE runs")}
    if "cpu_seconds" not in columns:
        return machine | {"load": None}
    (sums,) = store.rows("SELECT sum(seconds) / sum(cpu_seconds) AS load FROM runs WHERE cpu_seconds > 0")
    return machine | {"load": sums["load"]}


def _ours(table: PrintedTable, paper_row: Row, runs: list[Row]) -> Row:
    settings = {name: value for name, value in paper_row.items() if name not in table.metrics}
    if table.summarise is not None:
        return settings | table.summarise(runs, paper_row)
    means = {}
    for name, column in table.metrics.items():
        values = [run[column] for run in runs if run.get(column) is not None]
        means[name] = statistics.fmean(values) if values else None
    return settings | means


def _ratio(ours: Any, theirs: Any) -> float | None:
    if isinstance(ours, int | float) and isinstance(theirs, int | float) and theirs:
        return float(ours / theirs)
    return None
