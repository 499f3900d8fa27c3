"""The predicates that the claims about Salient Search are made of.

SS stands for Salient Search with one of six settings: strategy AD (agent distance) or TB (tie breaking), and 30, 50 or
75 percent of the expansions inside the salient.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import gt, lt
from typing import Any, NamedTuple

import numpy as np

from wayfolk.experiments.papers import Measured, Verdict, in_order, verdict

SHARES = (30, 50, 75)
SALIENT = tuple((strategy, share) for strategy in ("AD", "TB") for share in SHARES)
LIMITS = (25, 50, 100, 500, 1000)
SMALL, LARGE = LIMITS[:3], LIMITS[3:]


class Figures(NamedTuple):
    """Where a measure stands: the table of SS, that of TBA*, and the column."""

    salient: str
    tba: str
    metric: str

    def ss(self, measured: Measured, strategy: str, share: int, limit: int) -> float | None:
        """The number of one setting."""
        return measured.value(self.salient, self.metric, algorithm="SS", strategy=strategy, ns_pct=share, R=limit)

    def rival(self, measured: Measured, limit: int) -> float | None:
        """The number of TBA*."""
        return measured.value(self.tba, self.metric, algorithm="TBA*", R=limit)


SUB = Figures("4.3", "4.2", "suboptimality")
EXP = SUB._replace(metric="exp_per_move")
BACK = Figures("4.4", "4.4", "mean_backward_steps")
TURNS = Figures("4.6", "4.6", "mean_direction_changes")
HARD_BACK = Figures("4.8", "4.8", BACK.metric)
HARD_TURNS = Figures("4.10", "4.10", TURNS.metric)
CARDINAL_SUB = Figures("A.2", "A.3", "travel_ratio")
CARDINAL_EXP = CARDINAL_SUB._replace(metric=EXP.metric)

Found = list[bool] | None


def _known(found: Iterable[bool | None]) -> Found:
    """Answers, None if one of them is missing."""
    answers = list(found)
    return None if None in answers else answers  # type: ignore[return-value]


def against_tba(
    measured: Measured,
    what: Figures,
    test: Callable[[float, float], bool],
    limits: Sequence[int],
    settings: Sequence[tuple[str, int]] = SALIENT,
) -> Found:
    """What `test` says of SS and TBA* in each cell."""

    def cell(strategy: str, share: int, limit: int) -> bool | None:
        mine, rival = what.ss(measured, strategy, share, limit), what.rival(measured, limit)
        return None if mine is None or rival is None else test(mine, rival)

    return _known(cell(*setting, limit) for limit in limits for setting in settings)


def tally(found: Found, told: str, least: int | None = None) -> Verdict:
    """Whether at least so many answers are yes: all of them, if none are said."""
    if found is None:
        return verdict(None)
    return verdict(
        sum(found) >= (len(found) if least is None else least), why=f"{told} in {sum(found)} of {len(found)} cells"
    )


def rising_with_share(measured: Measured, what: Figures) -> Found:
    """Whether a measure strictly rises with N_S, by strategy and small R."""
    return _known(
        in_order(*(what.ss(measured, strategy, share, limit) for share in SHARES))
        for strategy in ("AD", "TB")
        for limit in SMALL
    )


def tie_breaking_lower(measured: Measured, what: Figures) -> Found:
    """Whether TB is below AD, cell by cell."""
    return _known(
        in_order(what.ss(measured, "TB", share, limit), what.ss(measured, "AD", share, limit))
        for share in SHARES
        for limit in LIMITS
    )


def _falling(measured: Measured, what: Figures) -> Found:
    """Whether a measure strictly falls with R, for TBA* and for each setting."""
    curves = [[what.rival(measured, limit) for limit in LIMITS]]
    curves += [[what.ss(measured, *setting, limit) for limit in LIMITS] for setting in SALIENT]
    return _known(in_order(*reversed(curve)) for curve in curves)


def good_solutions(measured: Measured) -> Verdict:
    """V1."""
    median, q3, optimal = (measured.value("quality", name, set="full") for name in ("median", "q3", "optimal_pct"))
    if median is None or q3 is None or optimal is None:
        return verdict(None)
    told = "median, third quartile, percent that are optimal:"
    return verdict(median <= 1.01 and q3 <= 1.02 and optimal >= 40, median, q3, optimal, why=told)


def long_ones_rare(measured: Measured) -> Verdict:
    """V2."""
    above, large, deep = (
        measured.value("quality", name, set="full") for name in ("above_pct", "above_large_r_pct", "above_ns75_pct")
    )
    if above == 0:
        return verdict(
            None, why="not measured: no path was more than 10 percent too long, so that none came from anywhere"
        )
    if above is None or large is None or deep is None:
        return verdict(None)
    told = "percent above 1.10; of these at R >= 500, at 75 percent:"
    return verdict(above <= 2 and large >= 80 and deep >= 50, above, large, deep, why=told)


def straighter(measured: Measured, sub: Figures, exp: Figures) -> Verdict:
    """V3, on either grid."""
    falls, rises = _falling(measured, sub), in_order(*(exp.rival(measured, limit) for limit in LIMITS))
    if falls is None or rises is None:
        return verdict(None)
    last = [sub.rival(measured, 1000), *(sub.ss(measured, *setting, 1000) for setting in SALIENT)]
    worst = max(number for number in last if number is not None)
    told = f"the ratio falls for {sum(falls)} of {len(falls)}, expansions {'rise' if rises else 'do not rise'}"
    return verdict(all(falls) and rises and worst < 1.02, worst, why=f"{told}; largest ratio at R = 1000:")


def small_loss(measured: Measured) -> Verdict:
    """V5."""
    worst = []
    for limit, allowed in ((25, 0.08), (100, 0.025), (500, 0.002), (1000, 0.002)):
        rival, mine = SUB.rival(measured, limit), [SUB.ss(measured, *setting, limit) for setting in SALIENT]
        known = [number for number in mine if number is not None]
        if rival is None or len(known) < len(mine):
            return verdict(None)
        worst.append((max(known) / rival - 1, allowed))
    losses = [100 * loss for loss, _ in worst]
    return verdict(
        all(loss <= allowed for loss, allowed in worst),
        *losses,
        why="largest loss in percent at R = 25, 100, 500, 1000:",
    )


def steeply(measured: Measured) -> Verdict:
    """V12."""
    back, turns = _falling(measured, BACK), _falling(measured, TURNS)
    if back is None or turns is None:
        return verdict(None)
    told = f"backward steps fall for {sum(back)} of {len(back)}, turns for {sum(turns)} of {len(turns)}"
    return verdict(all(back) and all(turns), why=told)


def stubborn(measured: Measured) -> Verdict:
    """V18."""
    back, turns = BACK.ss(measured, "TB", 30, 25), TURNS.ss(measured, "TB", 30, 25)
    back_tba, turns_tba = BACK.rival(measured, 25), TURNS.rival(measured, 25)
    if not back or not turns or not back_tba or not turns_tba:
        return verdict(None)
    holds = turns < turns_tba and back / turns > back_tba / turns_tba
    told = "turns of SS and TBA*, then backward steps for each turn:"
    return verdict(holds, turns, turns_tba, back / turns, back_tba / turns_tba, why=told)


def harder_turns_less(measured: Measured) -> Verdict:
    """V19."""
    found = against_tba(measured, HARD_TURNS, lt, LIMITS, SALIENT[3:])
    cuts = []
    for what in (HARD_TURNS, TURNS):
        mine, rival = what.ss(measured, "TB", 30, 25), what.rival(measured, 25)
        if mine is None or not rival:
            return verdict(None)
        cuts.append(100 * (1 - mine / rival))
    if found is None:
        return verdict(None)
    told = f"TB turns less in {sum(found)} of {len(found)} cells; cut in percent on harder maps and on all:"
    return verdict(sum(found) >= 12 and cuts[0] > cuts[1], *cuts, why=told)


def penalty_shrinks(measured: Measured) -> Verdict:
    """V23."""
    ratios = []
    for what in (HARD_BACK, BACK):
        rival, mine = what.rival(measured, 25), [what.ss(measured, *setting, 25) for setting in SALIENT]
        known = [number for number in mine if number is not None]
        if not rival or len(known) < len(mine):
            return verdict(None)
        ratios.append(max(known) / rival)
    return verdict(ratios[0] < ratios[1], *ratios, why="largest ratio to TBA* on harder maps and on all:")


def harder_paths(measured: Measured) -> Verdict:
    """V24."""
    hard, full = (measured.value("quality", "median_optimum", set=name) for name in ("harder", "full"))
    above = measured.value("quality", "above_pct", set="harder")
    if hard is None or full is None or above is None:
        return verdict(None)
    told = "median optimum on harder maps and on all, percent above 1.10:"
    return verdict(hard > 1.3 * full and above <= 3, hard, full, above, why=told)


def same_on_cardinal(measured: Measured) -> Verdict:
    """V25."""
    parts = [
        straighter(measured, CARDINAL_SUB, CARDINAL_EXP),
        tally(against_tba(measured, CARDINAL_SUB, gt, SMALL), "higher"),
        tally(rising_with_share(measured, CARDINAL_SUB), "rising"),
    ]
    if any(part.holds is None for part in parts):
        return verdict(None)
    told = "; ".join(f"{claim}: {part.detail}" for claim, part in zip(("V3", "V4", "V7"), parts, strict=True))
    return verdict(all(part.holds for part in parts), why=told)


def octile_misjudges(measured: Measured) -> Verdict:
    """V26."""
    (octile, octile_zero), (cardinal, cardinal_zero) = (
        [measured.value("fig4.5", name, grid=grid) for name in ("mean_error_pct", "zero_pct")]
        for grid in ("octile", "cardinal")
    )
    if octile is None or cardinal is None or octile_zero is None or cardinal_zero is None:
        return verdict(None)
    told = "mean error in percent, octile and cardinal; percent without error:"
    shown = (octile, cardinal, octile_zero, cardinal_zero)
    return verdict(octile > cardinal and cardinal_zero > octile_zero, *shown, why=told)


def bounded(measured: Measured) -> Verdict:
    """V28."""
    rows = measured.rows("work")
    if len(rows) < (len(SALIENT) + 1) * len(LIMITS):
        return verdict(None)
    if any(row.get(name) is None for row in rows for name in ("most_expanded", "most_traced")):
        return verdict(None)
    n = sum(row["most_expanded"] <= row["n_e"] and row["most_traced"] <= row["n_t"] for row in rows)
    return verdict(n == len(rows), why=f"within bounds in {n} of {len(rows)} settings")


def turns_in_pairs(measured: Measured) -> Verdict:
    """V29."""
    odd = [row.get("odd_searches") for row in measured.rows("parity")]
    if len(odd) < 2 * (len(SALIENT) + 1) * len(LIMITS) or None in odd:
        return verdict(None)
    return verdict(not any(odd), float(sum(odd)), why="searches with an odd number of turns:")  # type: ignore[arg-type]


def better_in_all(measured: Measured) -> Verdict:
    """V30."""
    parts = [tie_breaking_lower(measured, what) for what in (SUB, BACK, TURNS)]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return verdict(None)
    told = ", ".join(
        f"{name} {sum(part)}" for name, part in zip(("ratio", "backward steps", "turns"), known, strict=True)
    )
    return verdict(all(map(all, known)), why=f"TB is lower in so many of 15 cells: {told}")


class Term(NamedTuple):
    """A line of an analysis of variance; what is left to chance has no F and no p."""

    sum_sq: float
    df: int
    f: float | None = None
    p: float | None = None


AXES: dict[str, tuple[Any, ...]] = {"ns_pct": SHARES, "R": LIMITS, "strategy": ("AD", "TB")}
RESIDUALS = "Residuals"


def analysed(cells: Mapping[tuple[Any, ...], tuple[float, float, int]]) -> dict[str, Term] | None:
    """The three-way analysis of variance of SS, by means, deviations and numbers of searches for all of AXES.

    None if a cell is missing, if cells hold different numbers of searches, or if there is no chance in them at all.
    """
    from scipy.stats import f as f_distribution  # type: ignore[import-untyped]

    shape = tuple(map(len, AXES.values()))
    found = [cells.get(setting) for setting in itertools.product(*AXES.values())]
    if None in found:
        return None
    means, deviations, sizes = np.array(found, dtype=np.float64).T.reshape(3, *shape)
    n = int(sizes.flat[0])
    residual, freedom = float(((n - 1) * deviations**2).sum()), means.size * (n - 1)
    if (sizes != n).any() or n < 2 or residual <= 0:
        return None
    made: dict[str, Term] = {}
    for term in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        effect = means
        for axis in range(3):  # what is left of the means when all lower terms are taken out
            average = effect.mean(axis=axis, keepdims=True)
            effect = effect - average if axis in term else np.broadcast_to(average, shape)
        squares, df = float(n * (effect**2).sum()), math.prod(shape[axis] - 1 for axis in term)
        ratio = squares / df / (residual / freedom)
        name = ":".join(tuple(AXES)[axis] for axis in term)
        made[name] = Term(squares, df, ratio, float(f_distribution.sf(ratio, df, freedom)))
    return made | {RESIDUALS: Term(residual, freedom)}


def p_values(measured: Measured, what: Figures) -> dict[str, float] | None:
    """p for each term, from the rows of a table; None where `analysed` is."""
    names = (what.metric, what.metric.replace("mean_", "sd_"), "n_searches")
    cells = {}
    for setting in itertools.product(*AXES.values()):
        where = dict(zip(AXES, setting, strict=True))
        found = tuple(measured.value(what.salient, name, algorithm="SS", **where) for name in names)
        if None not in found:
            cells[setting] = found
    terms = analysed(cells)  # type: ignore[arg-type]
    return None if terms is None else {name: term.p for name, term in terms.items() if term.p is not None}


def analysis(what: Figures, below: dict[str, float], above: Sequence[str]) -> Callable[[Measured], Verdict]:
    """The judge of which terms matter: p below so much for some, above 0.05 for others."""

    def judge(measured: Measured) -> Verdict:
        found = p_values(measured, what)
        if found is None:
            return verdict(None)
        holds = all(found[term] < limit for term, limit in below.items()) and all(found[term] > 0.05 for term in above)
        told = ", ".join(f"{term} {found[term]:.2g}" for term in (*below, *above))
        return verdict(holds, why=f"p: {told}")

    return judge
