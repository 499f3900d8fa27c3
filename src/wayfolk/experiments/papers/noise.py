"""Decisions from a few runs: a difference inside the noise is undecided.

The rule: iterations are paired (same starts and goals), and a statement about a mean of differences is decided if the 95
percent interval of Student's t around it (its standard error times the quantile) lies on one side of the bound. Otherwise
the answer is None. One run decides nothing; numbers that are the same in all runs have no noise.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from functools import cache

from wayfolk.experiments.papers.claims import Measured, Verdict, verdict
from wayfolk.experiments.papers.tables import Row

EACH, ERROR = "_each", "_error"  # what is added to the name of a measure
Answer = bool | None  # None: undecided


def with_errors(columns: dict[str, list[float | None]]) -> Row:
    """Means, standard errors and the single numbers of each measure; a number that is None is left out of the mean."""
    row: Row = {}
    for name, values in columns.items():
        known = [value for value in values if value is not None]
        row[name] = statistics.fmean(known) if known else None
        row[name + ERROR] = standard_error(known) if len(known) > 1 else None
        row[name + EACH] = values
    return row


def each(measured: Measured, table: str, metric: str, **where: object) -> Sequence[float] | None:
    """The numbers of all iterations of a row, None if one is missing. A printed number counts twice: it has no noise."""
    rows = measured.rows(table, **where)
    if not rows or rows[0].get(metric) is None:
        return None
    values = rows[0].get(metric + EACH, [rows[0][metric]] * 2)
    return None if None in values else values


def paired(one: Sequence[float] | None, other: Sequence[float] | None) -> list[float] | None:
    """How much `one` is above `other`, run by run; None if they were not measured in the same runs."""
    if one is None or other is None or len(one) != len(other):
        return None
    return [a - b for a, b in zip(one, other, strict=True)]


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean of two or more numbers."""
    return statistics.stdev(values) / math.sqrt(len(values))


def interval(values: Sequence[float]) -> float:
    """Half of the 95 percent interval around the mean of two or more numbers."""
    return _quantile(len(values)) * standard_error(values)


def above(differences: Sequence[float], bound: float = 0.0) -> Answer:
    """Whether the mean of `differences` is above `bound`."""
    if len(differences) < 2:
        return None
    mean, reach = statistics.fmean(differences), interval(differences)
    if mean - reach > bound:
        return True
    return False if mean + reach <= bound else None


def below(differences: Sequence[float], bound: float = 0.0) -> Answer:
    """Whether the mean of `differences` is below `bound`."""
    return above([-difference for difference in differences], -bound)


def negated(answer: Answer) -> Answer:
    """The opposite answer."""
    return None if answer is None else not answer


def all_of(answers: Iterable[Answer]) -> Answer:
    """Whether all answers are yes."""
    given = list(answers)
    return False if False in given else None if None in given else True


def at_least(answers: Iterable[Answer], least: int) -> Answer:
    """Whether at least `least` answers are yes."""
    given = list(answers)
    yes, undecided = given.count(True), given.count(None)
    return True if yes >= least else None if yes + undecided >= least else False


def told(answers: Sequence[Answer]) -> str:
    """How many answers are yes, of how many, and how many are undecided."""
    undecided = list(answers).count(None)
    return f"{list(answers).count(True)} of {len(answers)}" + (f" ({undecided} undecided)" if undecided else "")


def most_of(answers: Iterable[Answer]) -> Answer:
    """Whether more than half of the answers are yes."""
    given = list(answers)
    return at_least(given, len(given) // 2 + 1)


def decided(answer: Answer, why: str) -> Verdict:
    """The verdict of an answer."""
    return Verdict(None, why, is_undecided=True) if answer is None else verdict(answer, why=why)


@cache
def _quantile(n: int) -> float:
    """The 97.5 percent quantile of Student's t for the mean of `n` numbers."""
    from scipy import stats  # type: ignore[import-untyped]

    return float(stats.t.ppf(0.975, n - 1))
