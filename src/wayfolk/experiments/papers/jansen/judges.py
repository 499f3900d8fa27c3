"""Parts of the predicates of Jansen's claims: columns, settings, lookups, and comparisons that know the noise.

N is nodes expanded, D distance and C collisions, all for an agent and a loop; T is the time of a run; K is coherence.

Runs of two settings are paired by their scenario. A comparison of two settings is decided if the 95 percent interval around
the mean difference lies on one side (see `noise`). For a parameter that is varied over many values the text speaks of a
trend, so a trend is judged as a reader would: the rank correlation of the means must reach the bound of the claim, and the
two ends must differ beyond the noise; a dip between two neighbours that is inside the noise does not refute it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.experiments.papers.claims import Claim, Measured, Verdict, rank_correlation
from wayfolk.experiments.papers.noise import EACH, Answer, above, all_of, decided, negated

Predicate = Callable[[Measured], Verdict]

N, T, D, C = "nodes_expanded", "simulation_time", "distance", "collisions"
ALL = (N, T, D, C)
K_FIRST, K_QUARTER, K_MID = "coherence_first_quarter", "coherence_quarter", "coherence_mid"
K_LAST, K_END = "coherence_last_tenth", "coherence_end"
K_LEAST, K_MOST = "coherence_least", "coherence_most"
FIGURES = tuple(f"fig4.{n}" for n in (6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 19, 20))

W_MAX = tuple(range(2, 21, 2))
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
RADII = tuple(range(2, 11))
AGENTS = tuple(range(20, 161, 20))
WEIGHTS = (1, 2, 4, 6)
SECTORS = (4, 8, 12, 16)
SURROUND = (0, 0.3, 0.5, 0.7)
LOCAL = (3, 5, 7)  # windows, and radii of copies
RESAMPLES = 400


class Gap(Exception):
    """A number that a judge needs was not measured."""


class Runs(NamedTuple):
    """A measure of one setting: its mean, and its number in each run, None where a run did not end."""

    mean: float
    each: Sequence[float | None]


def book(claims: list[Claim]) -> Callable[..., Callable[[Predicate], Predicate]]:
    """A decorator that adds a predicate to `claims`; if a number is missing, the claim counts as not measured."""

    def claim(
        name: str, text: str, *tables: str, mark: str = "", own: bool | None = None
    ) -> Callable[[Predicate], Predicate]:
        def enter(predicate: Predicate) -> Predicate:
            def judge(measured: Measured) -> Verdict:
                try:
                    return predicate(measured)
                except Gap as gap:
                    return Verdict(None, str(gap))

            claims.append(Claim(name, text, tables, judge, mark, own))
            return predicate

        return enter

    return claim


def one(measured: Measured, table: str, metric: str, **where: Any) -> Runs:
    """The numbers of one setting; raises Gap if it was not measured. A printed number counts twice: it has no noise."""
    rows = [row for row in measured.rows(table, **where) if row.get(metric) is not None]
    if not rows:
        setting = ", ".join(f"{name} {wanted}" for name, wanted in where.items())
        raise Gap(f"not measured: {metric} in {table}" + f" for {setting}" * bool(setting))
    return Runs(rows[0][metric], rows[0].get(metric + EACH, [rows[0][metric]] * 2))


def curve(measured: Measured, table: str, metric: str, over: str, keys: Iterable[Any], **where: Any) -> dict[Any, Runs]:
    """Numbers by the column `over`; raises Gap if one was not measured."""
    return {key: one(measured, table, metric, **where, **{over: key}) for key in keys}


def more(one: Runs, other: Runs, factor: float = 1.0, by: float = 0.0) -> Answer:
    """Whether `one` is above `factor` times `other`, by more than `by`."""
    return above(_differences(one, other, factor), by)


def less(one: Runs, other: Runs, factor: float = 1.0) -> Answer:
    """Whether `one` is below `factor` times `other`."""
    return above([-difference for difference in _differences(one, other, factor)])


def _differences(one: Runs, other: Runs, factor: float = 1.0) -> list[float]:
    pairs = zip(one.each, other.each, strict=False)
    return [a - factor * b for a, b in pairs if a is not None and b is not None]


def levels_off(first: Runs, middle: Runs, last: Runs) -> Answer:
    """Whether a measure falls more from the first to the middle setting than from there to the last."""
    triples = zip(first.each, middle.each, last.each, strict=False)
    return above([a - 2 * b + c for a, b, c in triples if a is not None and b is not None and c is not None])


def rising(settings: Iterable[Runs]) -> Answer:
    """Whether each of a few settings is above the one before."""
    return all_of(more(after, before) for before, after in pairwise(settings))


def falling(settings: Iterable[Runs]) -> Answer:
    """Whether each of a few settings is below the one before."""
    return rising(list(settings)[::-1])


def climbing(numbers: Mapping[Any, Runs]) -> Answer:
    """Whether a measure rises over many values of a parameter: its ends do, and no two neighbours fall."""
    settings = list(numbers.values())
    falls = [more(before, after) for before, after in pairwise(settings)]
    return all_of([more(settings[-1], settings[0]), *(fall is not True for fall in falls)])


def steady(numbers: Mapping[Any, Runs]) -> Answer:
    """Whether a measure never falls from one setting to the next, or from the first to the last, beyond the noise."""
    settings = list(numbers.values())
    pairs = [*pairwise(settings), (settings[0], settings[-1])]
    return all(more(before, after) is not True for before, after in pairs)


def trend(numbers: Mapping[Any, Runs], least: float) -> Answer:
    """Whether the rank correlation of a curve is at least `least`, or at most if that is below 0."""
    sign = 1.0 if least > 0 else -1.0
    settings = list(numbers.values())
    if sign * rho(numbers) >= abs(least):
        ends = (settings[-1], settings[0]) if least > 0 else (settings[0], settings[-1])
        return more(*ends) or None
    means = _resampled(settings)
    keys = list(numbers)
    met = [sign * (rank_correlation(list(zip(keys, row, strict=True))) or 0.0) >= abs(least) for row in means.tolist()]
    return False if statistics.fmean(met) < 0.025 else None


def _resampled(settings: Sequence[Runs]) -> NDArray[np.float64]:
    """The means of all settings over runs that are drawn again and again, with replacement."""
    n = min(len(setting.each) for setting in settings)
    values = np.array([[np.nan if x is None else x for x in setting.each[:n]] for setting in settings])
    drawn = np.random.default_rng(0).integers(n, size=(RESAMPLES, n))
    means: NDArray[np.float64] = np.nanmean(values[:, drawn], axis=2).T
    return means


def rho(numbers: Mapping[Any, Runs]) -> float:
    """The rank correlation of the means of a curve."""
    correlation = rank_correlation([(key, runs.mean) for key, runs in numbers.items()])
    if correlation is None:
        raise Gap("not measured: too few settings")
    return correlation


def largest(settings: Iterable[Runs]) -> Runs:
    """The setting with the largest mean."""
    return max(settings, key=lambda runs: runs.mean)


def smallest(settings: Iterable[Runs]) -> Runs:
    """The setting with the least mean."""
    return min(settings, key=lambda runs: runs.mean)


def within(settings: Iterable[Runs], factor: float) -> Answer:
    """Whether the largest is at most `factor` times the least."""
    numbers = list(settings)
    return negated(more(largest(numbers), smallest(numbers), factor))


def alike(settings: Iterable[Runs], spread: float) -> Answer:
    """Whether the largest is at most `spread` above the least."""
    numbers = list(settings)
    return negated(more(largest(numbers), smallest(numbers), by=spread))


def ratio(settings: Iterable[Runs]) -> float:
    """The largest mean over the least."""
    numbers = list(settings)
    return largest(numbers).mean / smallest(numbers).mean


def judged(answers: Iterable[Answer], *numbers: float | Runs, why: str = "") -> Verdict:
    """The verdict of a claim for which all answers must be yes, with the numbers that it rests on."""
    shown = ", ".join(f"{number.mean if isinstance(number, Runs) else number:.4g}" for number in numbers)
    return decided(all_of(answers), " ".join(part for part in (why, shown) if part))
