"""Claims of a paper, and what runs say of them: Claim, Judgement, Cause, Measured.

A claim is judged over measured rows only, and what comes of it is one of VERDICTS. A difference inside the noise is
undecided: `noise` compares runs pair by pair. A claim that fails has a cause, in a sentence with a measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from wayfolk.experiments.papers.tables import Row

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


def in_words(verdict: Verdict, own: bool | None) -> str:
    """One of VERDICTS; `own` is what the document's own figures say of the claim."""
    if verdict.holds is None:
        return UNDECIDED if verdict.is_undecided else UNMEASURED
    return HOLDS if verdict.holds else ALSO_THERE if own is False else FAILS


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


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rho of pairs, None for fewer than three."""
    if len(pairs) < 3:
        return None
    from wayfolk.experiments.reports.stats import spearman

    return float(spearman([x for x, _ in pairs], [y for _, y in pairs]))


def _same(one: Any, other: Any) -> bool:
    return bool(one == other)
