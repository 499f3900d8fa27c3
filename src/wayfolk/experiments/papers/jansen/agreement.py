"""How many printed numbers come back: within 5 percent, or within two standard errors of ours."""

from __future__ import annotations

from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.jansen.judges import ALL
from wayfolk.experiments.papers.noise import ERROR
from wayfolk.experiments.papers.tables import printed

NUMBERS = tuple(f"4.{k}" for k in range(1, 13))
CLOSE, ERRORS = 0.05, 2.0  # share of the printed number, and standard errors, that a number may be off


def agreement(measured: Measured, tables: tuple[str, ...] = NUMBERS) -> str:
    """A sentence about all printed numbers of `tables`, and one about those that differ; nothing if a table is missing."""
    n, off = 0, []
    for table in tables:
        theirs, ours = printed(f"jansen-{table}"), measured.rows(table)
        if len(theirs) != len(ours):
            return ""
        for paper, row in zip(theirs, ours, strict=True):
            for metric in ALL:
                n += 1
                if not _is_close(row[metric], paper[metric], row.get(metric + ERROR)):
                    off.append(table)
    counts = ", ".join(f"{off.count(table)} in Table {table}" for table in tables if table in off)
    others = f" The others: {counts}." if off else ""
    return (
        f"Of {n} printed numbers in Tables {tables[0]} to {tables[-1]}, {n - len(off)} come back within 5 percent or two"
        f" standard errors.{others}"
    )


def _is_close(ours: float | None, theirs: float, error: float | None) -> bool:
    return ours is not None and abs(ours - theirs) <= max(CLOSE * abs(theirs), ERRORS * (error or 0.0))
