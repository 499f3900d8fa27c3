"""Analyses of variance of Salient Search, computed from means and deviations, and predicates on their terms."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wayfolk.experiments.papers.claims import Measured, Verdict, verdict
from wayfolk.experiments.papers.vermette.judges import LIMITS, SHARES, Figures


class Term(NamedTuple):
    """A line of an analysis of variance; the residuals have no F and no p."""

    sum_sq: float
    df: int
    f: float | None = None
    p: float | None = None


AXES: dict[str, tuple[Any, ...]] = {"ns_pct": SHARES, "R": LIMITS, "strategy": ("AD", "TB")}
RESIDUALS = "Residuals"


def analysed(cells: Mapping[tuple[Any, ...], tuple[float, float, int]]) -> dict[str, Term] | None:
    """The three-way analysis of variance of SS, by means, deviations and numbers of searches for all of AXES.

    None if a cell is missing, if cells hold different numbers of searches, or if there is no variance within cells.
    """
    from scipy.stats import f as f_distribution  # type: ignore[import-untyped]

    shape = tuple(map(len, AXES.values()))
    rows = [cells.get(setting) for setting in itertools.product(*AXES.values())]
    if None in rows:
        return None
    means, deviations, sizes = np.array(rows, dtype=np.float64).T.reshape(3, *shape)
    n = int(sizes.flat[0])
    residual, freedom = float(((n - 1) * deviations**2).sum()), means.size * (n - 1)
    if (sizes != n).any() or n < 2 or residual <= 0:
        return None
    terms: dict[str, Term] = {}
    for term in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        effect = means
        for axis in range(3):  # what is left of the means when all lower terms are taken out
            average = effect.mean(axis=axis, keepdims=True)
            effect = effect - average if axis in term else np.broadcast_to(average, shape)
        squares, df = float(n * (effect**2).sum()), math.prod(shape[axis] - 1 for axis in term)
        ratio = squares / df / (residual / freedom)
        name = ":".join(tuple(AXES)[axis] for axis in term)
        terms[name] = Term(squares, df, ratio, float(f_distribution.sf(ratio, df, freedom)))
    return terms | {RESIDUALS: Term(residual, freedom)}


def p_values(measured: Measured, what: Figures) -> dict[str, float] | None:
    """p for each term, from the rows of a table; None where `analysed` returns None."""
    names = (what.metric, what.metric.replace("mean_", "sd_"), "n_searches")
    cells = {}
    for setting in itertools.product(*AXES.values()):
        where = dict(zip(AXES, setting, strict=True))
        numbers = tuple(measured.value(what.salient, name, algorithm="SS", **where) for name in names)
        if None not in numbers:
            cells[setting] = numbers
    terms = analysed(cells)  # type: ignore[arg-type]
    return None if terms is None else {name: term.p for name, term in terms.items() if term.p is not None}


def analysis(what: Figures, below: dict[str, float], above: Sequence[str]) -> Callable[[Measured], Verdict]:
    """A predicate on the terms of an analysis: p below the limits in `below`, and above 0.05 for those in `above`."""

    def judge(measured: Measured) -> Verdict:
        p_of = p_values(measured, what)
        if p_of is None:
            return verdict(None)
        holds = all(p_of[term] < limit for term, limit in below.items()) and all(p_of[term] > 0.05 for term in above)
        listed = ", ".join(f"{term} {p_of[term]:.2g}" for term in (*below, *above))
        return verdict(holds, why=f"p: {listed}")

    return judge
