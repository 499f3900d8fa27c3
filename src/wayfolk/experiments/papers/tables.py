"""Tables and figures of a paper: what is printed, and which jobs measure it again."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

from wayfolk.algorithms import catalogue
from wayfolk.errors import BadInput, UnknownName, hint
from wayfolk.experiments.sweeps.job import Job

if TYPE_CHECKING:
    from wayfolk.experiments.papers.claims import Measured

PAPERS = ("jansen", "bmaa", "vermette", "arun", "sdp")
Scale = Literal["quick", "middle", "full"]
QUICK: Scale = "quick"  # a small honest version
MIDDLE: Scale = "middle"  # for papers whose own size takes days: their modules say HAS_MIDDLE
FULL: Scale = "full"  # as much as the paper ran
Row = dict[str, Any]


@dataclass(frozen=True)
class PrintedTable:
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


def find_table(paper: str, table: str) -> PrintedTable:
    """The table called `table` of a paper."""
    tables: dict[str, PrintedTable] = {entry.id: entry for entry in module(paper).TABLES}
    if table not in tables:
        raise UnknownName(f"{paper} has no table {table!r}{hint(table, tables)}")
    return tables[table]


def printed(name: str) -> list[Row]:
    """The printed numbers of a table, `jansen-4.5` for example; numbers as numbers, empty fields as None."""
    lines = [line for line in _lines(name) if not line.startswith("#")]
    return [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(lines)]


def printed_note(name: str) -> str:
    """The notes in the table's file about its set-up and its misprints."""
    return " ".join(line.lstrip("# ") for line in _lines(name) if line.startswith("#"))


def _lines(name: str) -> list[str]:
    """The file of a table: the name of its paper, a dash, and its number."""
    paper, _, table = name.partition("-")
    file = resources.files(__package__).joinpath(paper, "data", f"{table}.csv")
    return file.read_text(encoding="utf-8").splitlines()


def has(*algorithms: str) -> str | None:
    """A sentence about the first of `algorithms` that Wayfolk does not have, or None."""
    known = {entry.name for entry in catalogue.entries()}
    for name in algorithms:
        if name not in known:
            return f"not measured: there is no {name} yet"
    return None


def _number(text: str | None) -> Any:
    if text is None or text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
