"""Statistics that the papers and the reports rest on, thin over numpy, scipy and statsmodels.

Numbers come as any sequence. Missing or infinite values raise an error instead of being skipped, because the mean over the
runs that ended is a different mean. All functions are deterministic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, Missing

Numbers = NDArray[np.float64]
RESIDUAL = "Residual"
_AT_ONCE = 1_000_000  # numbers drawn together by the bootstrap
_EXACT = 1e-20  # what is less than this share of all squares is rounding


class Significance(NamedTuple):
    """A test statistic, and the two-sided probability of one at least as extreme under the null hypothesis."""

    statistic: float
    p: float


class Paired(NamedTuple):
    """Two tests of the same pairs: one of ranks, one that takes differences to be normal."""

    wilcoxon: Significance
    t: Significance


class Break(NamedTuple):
    """Two lines that meet at `x`.

    `left` and `right` are their slopes, `error` is the sum of squared errors, and `gain` the share of one straight
    line's squared error that the break takes away: 0 if a straight line does as well, 1 if nothing is left.
    """

    x: float
    y: float
    left: float
    right: float
    error: float
    gain: float


def mean(values: ArrayLike) -> float:
    """The arithmetic mean."""
    return float(_numbers(values).mean())


def deviation(values: ArrayLike) -> float:
    """The standard deviation of a sample (divided by n - 1)."""
    return float(_numbers(values, least=2).std(ddof=1))


def bootstrap_interval(
    values: ArrayLike, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean: its lower and upper end. One value is its own interval."""
    sample = _numbers(values)
    if not 0.0 < level < 1.0:
        raise BadInput(f"the level of an interval lies between 0 and 1, not {level}")
    if resamples < 1:
        raise BadInput(f"a bootstrap needs 1 resample or more, not {resamples}")
    rng = np.random.default_rng(seed)
    means = np.empty(resamples)
    rows = max(1, _AT_ONCE // len(sample))
    for first in range(0, resamples, rows):
        part = means[first : first + rows]
        part[:] = sample[rng.integers(0, len(sample), (len(part), len(sample)))].mean(axis=1)
    low, high = np.quantile(means, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """The rank correlation rho, from -1 to 1; ties share their mean rank; nan if one side is constant."""
    stats = _scipy_stats()
    one, other = _pairs(x, y, least=2)
    # twice the ranks, centred, are whole numbers: a perfect order gives 1 and not 0.9999999
    a, b = (2.0 * stats.rankdata(side) - (len(side) + 1) for side in (one, other))
    spread = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / spread if spread else math.nan


def anova(
    rows: Sequence[Mapping[str, Any]], response: str, factors: Sequence[str], interactions: bool = True
) -> dict[str, dict[str, float]]:
    """Analysis of variance of `response` by categorical `factors`, with sums of squares of type 2.

    Returns `df`, `sum_sq`, `F` and `p` for each factor by its name, for each interaction by its factors in the given
    order joined by colons ("map:window"), and for "Residual" (whose F and p are nan). If the residual is 0, a term has
    F = inf and p = 0 if it has an effect, and F = 0 and p = 1 if it has none.
    """
    frame, terms = _design(rows, response, factors, interactions)
    try:
        from statsmodels.formula.api import ols  # type: ignore[import-untyped]
        from statsmodels.stats.anova import anova_lm  # type: ignore[import-untyped]
    except ImportError:
        raise _missing() from None

    model = ols("y ~ " + " + ".join(terms), data=frame)
    if np.linalg.matrix_rank(model.exog) < model.exog.shape[1]:
        raise BadInput("some combinations of the factors have no row: leave interactions out, or run what is missing")
    if len(frame) <= model.exog.shape[1]:
        raise BadInput(f"{len(frame)} rows are too few for these factors: repeat runs, or leave interactions out")
    with np.errstate(divide="ignore", invalid="ignore"):
        table = anova_lm(model.fit(), typ=2)
    rounding = _EXACT * float((frame["y"] ** 2).sum())
    is_exact = table.loc[RESIDUAL, "sum_sq"] <= rounding
    effects = {}
    for term, name in (terms | {RESIDUAL: RESIDUAL}).items():
        line = {key: float(table.loc[term, column]) for key, column in _COLUMNS.items()}
        if is_exact and term != RESIDUAL:
            line |= {"F": math.inf, "p": 0.0} if line["sum_sq"] > rounding else {"F": 0.0, "p": 1.0}
        effects[name] = line
    return effects


def paired_test(x: ArrayLike, y: ArrayLike) -> Paired:
    """Whether x differs from y, pair by pair: Wilcoxon's signed ranks (`.wilcoxon`) and the paired t test (`.t`).

    Each has a `statistic` and a two-sided `p`. Pairs that are all equal give p = 1; Wilcoxon leaves equal pairs out.
    """
    stats = _scipy_stats()
    one, other = _pairs(x, y, least=2)
    apart = one - other
    if not apart.any():
        return Paired(Significance(0.0, 1.0), Significance(0.0, 1.0))
    ranks = stats.wilcoxon(apart[apart != 0.0])
    error = apart.std(ddof=1) / math.sqrt(len(apart))
    t = float(apart.mean() / error) if error else math.copysign(math.inf, apart[0])
    p = 2.0 * float(stats.t.sf(abs(t), len(apart) - 1))
    return Paired(Significance(float(ranks.statistic), float(ranks.pvalue)), Significance(t, p))


def breakpoint(x: ArrayLike, y: ArrayLike) -> Break:
    """The two lines that meet in a point and fit y over x best, by least squares.

    The best break lies where two separately fitted neighbours cross, or at one of the inner x (Hudson, "Fitting
    segmented curves whose join points have to be estimated", 1966): all of those are tried. Points on one straight line
    have no break: its place is nan and its gain 0.
    """
    across, up = _pairs(x, y, least=4)
    order = np.argsort(across, kind="stable")
    across, up = across[order], up[order]
    knots = np.unique(across)
    if len(knots) < 4:
        raise BadInput(f"a break needs 4 different x or more, not {len(knots)}")
    line = _line(across, up)
    straight = float(((up - line(across)) ** 2).sum())
    if straight <= _EXACT * float(up @ up):
        slope = float(line.deriv()(0.0))
        return Break(math.nan, math.nan, slope, slope, straight, 0.0)
    fits = [_hinge(across, up, at) for at in sorted({*knots[1:-1].tolist(), *_crossings(across, up, knots)})]
    best = min(fits, key=lambda fit: fit.error)
    return best._replace(gain=max(0.0, 1.0 - best.error / straight))


_COLUMNS = {"df": "df", "sum_sq": "sum_sq", "F": "F", "p": "PR(>F)"}


def _numbers(values: ArrayLike, least: int = 1) -> Numbers:
    """`values` as numbers, all of them finite, at least so many."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("statistics are made of numbers, and these are not") from None
    if numbers.ndim != 1:
        raise BadInput(f"statistics are made of a list of numbers, not of {numbers.ndim} dimensions")
    if len(numbers) < least:
        raise BadInput(f"{len(numbers)} numbers are too few: this needs {least} or more")
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise BadInput(f"value {wrong[0]} is missing or infinite: leave it out before, if that is meant")
    return numbers


def _pairs(x: ArrayLike, y: ArrayLike, least: int) -> tuple[Numbers, Numbers]:
    one, other = _numbers(x, least), _numbers(y, least)
    if len(one) != len(other):
        raise BadInput(f"pairs need as many x as y, not {len(one)} and {len(other)}")
    return one, other


def _design(
    rows: Sequence[Mapping[str, Any]], response: str, factors: Sequence[str], interactions: bool
) -> tuple[Any, dict[str, str]]:
    """A frame with neutral column names, and the name of each term: no factor's name can upset the formula."""
    try:
        import pandas as pd  # type: ignore[import-untyped]
    except ImportError:
        raise _missing() from None
    if not factors or len(set(factors)) < len(factors) or {response, RESIDUAL} & set(factors):
        raise BadInput(f"factors are different columns other than {response!r} and {RESIDUAL!r}, not {list(factors)}")
    if not rows:
        raise BadInput("an analysis of variance needs rows")
    for number, row in enumerate(rows):
        for name in (response, *factors):
            if name not in row:
                raise BadInput(f"row {number} has no column {name!r}")
    columns: dict[str, Any] = {"y": _numbers([row[response] for row in rows])}
    for k, name in enumerate(factors):
        levels = {level: code for code, level in enumerate(dict.fromkeys(row[name] for row in rows))}
        if len(levels) < 2:
            raise BadInput(f"the factor {name!r} has one level only: {next(iter(levels))!r}")
        columns[f"f{k}"] = [levels[row[name]] for row in rows]
    sizes = range(1, (len(factors) if interactions else 1) + 1)
    groups = [group for size in sizes for group in combinations(range(len(factors)), size)]
    terms = {":".join(f"C(f{k})" for k in group): ":".join(factors[k] for k in group) for group in groups}
    return pd.DataFrame(columns), terms


def _crossings(across: Numbers, up: Numbers, knots: Numbers) -> list[float]:
    """Where lines fitted to the points left and right of a gap cross inside the gap."""
    crossings = []
    for k in range(1, len(knots) - 2):
        is_left = across <= knots[k]
        left, right = (_line(across[part], up[part]).convert() for part in (is_left, ~is_left))
        apart = (left - right).coef
        if len(apart) == 2 and apart[1] != 0.0 and knots[k] < (at := float(-apart[0] / apart[1])) < knots[k + 1]:
            crossings.append(at)
    return crossings


def _line(across: Numbers, up: Numbers) -> np.polynomial.Polynomial:
    return np.polynomial.Polynomial.fit(across, up, 1)


def _hinge(across: Numbers, up: Numbers, at: float) -> Break:
    """The best two lines that meet at `at`."""
    scale = float(across[-1] - across[0])
    away = (across - at) / scale
    design = np.column_stack([np.ones_like(away), np.minimum(away, 0.0), np.maximum(away, 0.0)])
    (height, left, right), *_ = np.linalg.lstsq(design, up, rcond=None)
    error = float(((up - design @ (height, left, right)) ** 2).sum())
    return Break(at, float(height), float(left / scale), float(right / scale), error, 0.0)


def _scipy_stats() -> Any:
    try:
        import scipy.stats  # type: ignore[import-untyped]
    except ImportError:
        raise _missing() from None
    return scipy.stats


def _missing() -> Missing:
    return Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'")
