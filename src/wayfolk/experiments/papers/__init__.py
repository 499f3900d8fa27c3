"""Living papers: each document is a module with its tables, their printed numbers, and its claims as predicates.

A module has TITLE, TABLES (a list of `Table`), CLAIMS (a list of `Claim`), and may have

    FIGURES     a list of `Figure`
    CAUSES      by claim: a `Cause`, which is shown where the claim fails or is undecided
    CHOICES     a list of `Choice`: settings chosen where the text is silent
    FINDINGS    sentences for the top of the page, or functions that write them from measured rows
    READINGS    other readings of the text, by title: what is added to the names of the tables measured that way
    PICTURES    titles and files beside the page
    HAS_MIDDLE  whether there is a MIDDLE version
    lacking     a function: a sentence about data that was not found and is replaced by other data, or ""

A table says, for each printed row, which jobs would measure it; what cannot be run yet is not measured, and says why. A
claim is judged over measured rows only, and its verdict is one of VERDICTS. A difference inside the noise is undecided:
`noise` compares runs pair by pair. Refutations are results: each failure has a cause, in a sentence with a measurement. A
figure is drawn from measured rows only, beside what the document prints.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from wayfolk.algorithms import catalogue
from wayfolk.errors import BadInput, UnknownName, hint
from wayfolk.experiments.sweeps.job import Job

PAPERS = ("jansen", "bmaa", "vermette", "arun", "sdp")
Scale = Literal["quick", "middle", "full"]
QUICK: Scale = "quick"  # a small honest version
MIDDLE: Scale = "middle"  # for papers whose own size takes days: their modules say HAS_MIDDLE
FULL: Scale = "full"  # as much as the paper ran
Row = dict[str, Any]


HOLDS, FAILS, UNDECIDED, ALSO_THERE, UNMEASURED = (
    "holds",
    "fails",
    "undecided",
    "refuted in its own figures too",
    "not measured",
)
VERDICTS = (HOLDS, FAILS, UNDECIDED, ALSO_THERE, UNMEASURED)
CAUSES = {
    "setup": "setup",  # theirs differs from ours: `which` says in what
    "slip": "slip of the author",  # `which` is its id in the list of slips, or the place in the text
    "chance": "chance",
    "difference": "honest difference",
}


class Verdict(NamedTuple):
    """Whether a claim holds: True, False, or None; and a sentence with the numbers.

    None is "not measured", or with `is_undecided` a difference that is inside the noise of what was measured.
    """

    holds: bool | None
    detail: str
    is_undecided: bool = False


class Cause(NamedTuple):
    """Why a claim fails: one of CAUSES, which setting or slip it is, a sentence, and a measurement.

    `measured` is a sentence with numbers, or a function that writes one from measured rows (it returns "" if they are
    not there).
    """

    kind: Literal["setup", "slip", "chance", "difference"]
    which: str
    why: str
    measured: str | Callable[[Measured], str] = ""


class Choice(NamedTuple):
    """A setting that the text does not give: what it is, what we chose, and why."""

    setting: str
    chosen: str
    why: str


@dataclass(frozen=True)
class Table:
    """A printed table, or a figure.

    `metrics` maps its columns to columns of the store (`expanded`, `simulation_time`, ...), averaged over the jobs of a
    row. `jobs(row, scale)` lists the jobs that measure a row, or says in a sentence why that cannot be done yet. `rows`
    are the printed ones, or for a figure the settings it shows. `summarise(runs, row)` replaces the average where a
    metric is something else: a run has its columns, and under "loops" a list of its loops in order. For a measure `m` it
    may also return `m_error`, the standard error, and `m_each`, the numbers of all runs in an order that all rows share
    (see `noise.with_errors`). `make(row, scale)` is for what no job can describe: it makes the runs here and now, and they
    are not kept. `has_seconds`: its numbers depend on the machine, which the page then names. A table that is not
    `on_page` is measured and judged, for other readings of the text, and left out of the page.
    """

    id: str
    title: str
    setup: str
    metrics: dict[str, str]
    jobs: Callable[[Row, Scale], list[Job] | str]
    rows: list[Row] = field(default_factory=list)
    summarise: Callable[[list[Row], Row], Row] | None = None
    make: Callable[[Row, Scale], list[Row] | str] | None = None
    has_seconds: bool = False
    on_page: bool = True


class Measured:
    """Measured rows by table; lookups return None for what was not measured."""

    def __init__(self, tables: dict[str, list[Row]]) -> None:
        self.tables = tables

    def rows(self, table: str, **where: Any) -> list[Row]:
        """The measured rows of a table that have the given values."""
        return [row for row in self.tables.get(table, []) if all(_same(row.get(k), v) for k, v in where.items())]

    def value(self, table: str, metric: str, **where: Any) -> float | None:
        """One number, None if it was not measured; the mean if several rows have the given values."""
        numbers = [row[metric] for row in self.rows(table, **where) if row.get(metric) is not None]
        return sum(numbers) / len(numbers) if numbers else None

    def values(self, table: str, metric: str, over: str, **where: Any) -> dict[Any, float]:
        """Numbers by the column `over`, in rising order of it; empty if nothing was measured."""
        keys = sorted({row[over] for row in self.rows(table, **where) if row.get(metric) is not None})
        numbers = {key: self.value(table, metric, **where, **{over: key}) for key in keys}
        return {key: number for key, number in numbers.items() if number is not None}

    def reading(self, suffix: str) -> Measured:
        """The same rows as another reading of the text sees them: tables whose names end in `suffix` replace others."""
        others = {name.removesuffix(suffix): rows for name, rows in self.tables.items() if name.endswith(suffix)}
        return Measured(self.tables | others)


@dataclass(frozen=True)
class Claim:
    """One claim of a document. `mark` is "", "neg", "overclaim" or "ours", as the list of claims has it.

    `own` is what the document's printed figures say of the same predicate: True, False, or None for figures only.
    """

    id: str
    text: str
    tables: tuple[str, ...]
    judge: Callable[[Measured], Verdict]
    mark: str = ""
    own: bool | None = None


@dataclass(frozen=True)
class Figure:
    """A figure of a document, to be drawn anew from what was measured in `tables`.

    `draw(measured)` returns a figure of matplotlib, or says in a sentence why there is none.
    """

    id: str
    title: str
    tables: tuple[str, ...]
    draw: Callable[[Measured], Any]


def module(paper: str) -> Any:
    """The module of a paper."""
    if paper not in PAPERS:
        raise UnknownName(f"there is no paper {paper!r}{hint(paper, PAPERS)}")
    return importlib.import_module(f"wayfolk.experiments.papers.{paper}.tables")


def lacking(paper: str) -> str:
    """A sentence about data of the paper that was not found and is replaced by other data, or nothing."""
    told: str = getattr(module(paper), "lacking", str)()
    return told


def checked_scale(paper: str, scale: Scale) -> Scale:
    """The scale, if the paper has it."""
    has_middle = getattr(module(paper), "HAS_MIDDLE", False)
    if scale == MIDDLE and not has_middle:
        raise BadInput(f"{paper} has no --{MIDDLE} version, only --{QUICK} and --{FULL}")
    return scale


def in_words(verdict: Verdict, own: bool | None) -> str:
    """One of VERDICTS; `own` is what the document's own figures say of the claim."""
    if verdict.holds is None:
        return UNDECIDED if verdict.is_undecided else UNMEASURED
    return HOLDS if verdict.holds else ALSO_THERE if own is False else FAILS


def find_table(paper: str, table: str) -> Table:
    """The table called `table` of a paper."""
    tables: dict[str, Table] = {entry.id: entry for entry in module(paper).TABLES}
    if table not in tables:
        raise UnknownName(f"{paper} has no table {table!r}{hint(table, tables)}")
    return tables[table]


def printed(name: str) -> list[Row]:
    """The printed numbers of a table, `jansen-4.5` for example; numbers as numbers, empty fields as None."""
    text = resources.files(__package__).joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(lines)]


def printed_note(name: str) -> str:
    """The notes in the table's file about its set-up and its misprints."""
    text = resources.files(__package__).joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    return " ".join(line.lstrip("# ") for line in text.splitlines() if line.startswith("#"))


def in_order(*numbers: float | None) -> bool | None:
    """Whether numbers strictly rise; None if one of them was not measured."""
    if any(number is None for number in numbers):
        return None
    return all(a < b for a, b in pairwise(numbers))  # type: ignore[operator]


def verdict(holds: bool | None, *numbers: float | None, why: str = "") -> Verdict:
    """A verdict whose detail lists the numbers it rests on."""
    if holds is None:
        return Verdict(None, why or "not measured")
    shown = ", ".join("-" if number is None else f"{number:.4g}" for number in numbers)
    return Verdict(bool(holds), " ".join(part for part in (why, shown) if part))


def has(*algorithms: str) -> str | None:
    """A sentence about the first of `algorithms` that Wayfolk does not have, or None."""
    known = {entry.name for entry in catalogue.entries()}
    for name in algorithms:
        if name not in known:
            return f"not measured: there is no {name} yet"
    return None


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rho of pairs, None for fewer than three."""
    if len(pairs) < 3:
        return None
    from wayfolk.experiments.reports.stats import spearman

    return float(spearman([x for x, _ in pairs], [y for _, y in pairs]))


def _same(one: Any, other: Any) -> bool:
    return bool(one == other)


def _number(text: str | None) -> Any:
    if text is None or text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
