"""The predicates of the claims about Salient Search.

SS stands for Salient Search with one of six settings: strategy AD (agent distance) or TB (tie breaking), and 30, 50 or
75 percent of the expansions inside the salient. Two settings are compared problem by problem: a cell counts as less or
more if the 95 percent interval of the paired difference says so (see `noise`), and is undecided otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from wayfolk.experiments.papers.claims import Measured, Verdict, in_order, verdict
from wayfolk.experiments.papers.noise import (
    Answer,
    above,
    all_of,
    at_least,
    below,
    decided,
    each,
    interval,
    negated,
    paired,
    told,
)

SHARES = (30, 50, 75)
SALIENT = tuple((strategy, share) for strategy in ("AD", "TB") for share in SHARES)
LIMITS = (25, 50, 100, 500, 1000)
SMALL, LARGE = LIMITS[:3], LIMITS[3:]


class Figures(NamedTuple):
    """Where to find a measure: the table of SS, the table of TBA*, and the column."""

    salient: str
    tba: str
    metric: str

    def ss(self, measured: Measured, strategy: str, share: int, limit: int) -> float | None:
        """The number of one setting."""
        return measured.value(self.salient, self.metric, algorithm="SS", strategy=strategy, ns_pct=share, R=limit)

    def rival(self, measured: Measured, limit: int) -> float | None:
        """The number of TBA*."""
        return measured.value(self.tba, self.metric, algorithm="TBA*", R=limit)

    def each_ss(self, measured: Measured, strategy: str, share: int, limit: int) -> Sequence[float] | None:
        """The numbers of one setting, problem by problem."""
        where = {"algorithm": "SS", "strategy": strategy, "ns_pct": share, "R": limit}
        return each(measured, self.salient, self.metric, **where)

    def each_rival(self, measured: Measured, limit: int) -> Sequence[float] | None:
        """The numbers of TBA*, problem by problem."""
        return each(measured, self.tba, self.metric, algorithm="TBA*", R=limit)


SUB = Figures("4.3", "4.2", "suboptimality")
EXP = SUB._replace(metric="exp_per_move")
BACK = Figures("4.4", "4.4", "mean_backward_steps")
TURNS = Figures("4.6", "4.6", "mean_direction_changes")
HARD_BACK = Figures("4.8", "4.8", BACK.metric)
HARD_TURNS = Figures("4.10", "4.10", TURNS.metric)
CARDINAL_SUB = Figures("A.2", "A.3", "travel_ratio")
CARDINAL_EXP = CARDINAL_SUB._replace(metric=EXP.metric)

Answers = list[Answer] | None  # None: something was not measured
Pairs = list[float] | None  # the differences of two settings, problem by problem


def _known(cells: Iterable[Pairs], test: Callable[[Sequence[float]], Answer] = above) -> Answers:
    """The result of `test` on the differences of each cell, None if a cell is missing."""
    differences = list(cells)
    return None if None in differences else [test(cell) for cell in differences if cell is not None]


def against_tba(
    measured: Measured,
    what: Figures,
    test: Callable[[Sequence[float]], Answer],
    limits: Sequence[int],
    settings: Sequence[tuple[str, int]] = SALIENT,
) -> Answers:
    """The result of `test`, `above` or `below`, on SS minus TBA* in each cell."""
    cells = (
        paired(what.each_ss(measured, *setting, limit), what.each_rival(measured, limit))
        for limit in limits
        for setting in settings
    )
    return _known(cells, test)


def tally(answers: Answers, what: str, least: int | None = None) -> Verdict:
    """Whether at least `least` answers are yes; all of them by default."""
    if answers is None:
        return verdict(None)
    holds = all_of(answers) if least is None else at_least(answers, least)
    return decided(holds, f"{what} in {told(answers)} cells")


def rising_with_share(measured: Measured, what: Figures) -> Answers:
    """Whether a measure rises with N_S, by strategy and small R: from 30 to 50 percent, and from 50 to 75."""
    return _known(
        paired(what.each_ss(measured, strategy, more, limit), what.each_ss(measured, strategy, less, limit))
        for strategy in ("AD", "TB")
        for limit in SMALL
        for less, more in itertools.pairwise(SHARES)
    )


def tie_breaking_lower(measured: Measured, what: Figures) -> Answers:
    """Whether TB is below AD, cell by cell."""
    return _known(
        paired(what.each_ss(measured, "AD", share, limit), what.each_ss(measured, "TB", share, limit))
        for share in SHARES
        for limit in LIMITS
    )


def _falling(measured: Measured, what: Figures) -> Answers:
    """Whether a measure falls with R, for TBA* and for each setting, from each R to the next."""
    curves = [[what.each_rival(measured, limit) for limit in LIMITS]]
    curves += [[what.each_ss(measured, *setting, limit) for limit in LIMITS] for setting in SALIENT]
    return _known(paired(before, after) for curve in curves for before, after in itertools.pairwise(curve))


def good_solutions(measured: Measured) -> Verdict:
    """V1."""
    median, q3, optimal = (measured.value("quality", name, set="full") for name in ("median", "q3", "optimal_pct"))
    if median is None or q3 is None or optimal is None:
        return verdict(None)
    why = "median, third quartile, percent that are optimal:"
    return verdict(median <= 1.01 and q3 <= 1.02 and optimal >= 40, median, q3, optimal, why=why)


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
    why = "percent above 1.10; of these at R >= 500, at 75 percent:"
    return verdict(above <= 2 and large >= 80 and deep >= 50, above, large, deep, why=why)


def straighter(measured: Measured, sub: Figures, exp: Figures) -> Verdict:
    """V3, on either grid."""
    falls = _falling(measured, sub)
    curve = [exp.each_rival(measured, limit) for limit in LIMITS]
    rises = _known(paired(after, before) for before, after in itertools.pairwise(curve))
    if falls is None or rises is None:
        return verdict(None)
    last = [sub.rival(measured, 1000), *(sub.ss(measured, *setting, 1000) for setting in SALIENT)]
    worst = max(number for number in last if number is not None)
    trends = f"from one R to the next the ratio falls {told(falls)} times, expansions rise {told(rises)} times"
    return decided(all_of([*falls, *rises, worst < 1.02]), f"{trends}; largest ratio at R = 1000: {worst:.4g}")


def small_loss(measured: Measured) -> Verdict:
    """V5: "within a few percent", taken as 8, and "rapidly diminishes", taken as less at each R, at most 1 from 500 on."""
    losses = []
    for limit in LIMITS:
        rival, mine = SUB.rival(measured, limit), [SUB.ss(measured, *setting, limit) for setting in SALIENT]
        known = [number for number in mine if number is not None]
        if rival is None or len(known) < len(mine):
            return verdict(None)
        losses.append(100 * (max(known) / rival - 1))
    holds = losses[0] <= 8 and bool(in_order(*reversed(losses))) and losses[3] <= 1
    return verdict(holds, *losses, why="largest loss in percent at R = 25, 50, 100, 500, 1000:")


def marginally_better(measured: Measured) -> Verdict:
    """V6: the mean over settings, problem by problem. "Could be noise": it fails only if SS is worse beyond the noise."""
    mine = [SUB.each_ss(measured, *setting, 1000) for setting in SALIENT]
    rival, known = SUB.each_rival(measured, 1000), [values for values in mine if values is not None]
    if rival is None or len(known) < len(mine) or len({len(values) for values in (*known, rival)}) > 1:
        return verdict(None)
    means = [fmean(values) for values in zip(*known, strict=True)]
    less = [100 * (b - a) for a, b in zip(means, rival, strict=True)]
    reach = interval(less)
    why = f"at R = 1000 SS walks {-fmean(less):+.3g} ± {reach:.2g} percent of the path more than TBA*"
    return decided(negated(below(less)), why)


def steeply(measured: Measured) -> Verdict:
    """V12."""
    back, turns = _falling(measured, BACK), _falling(measured, TURNS)
    if back is None or turns is None:
        return verdict(None)
    why = f"from one R to the next backward steps fall {told(back)} times, turns {told(turns)} times"
    return decided(all_of([*back, *turns]), why)


def stubborn(measured: Measured) -> Verdict:
    """V18."""
    back, turns = BACK.ss(measured, "TB", 30, 25), TURNS.ss(measured, "TB", 30, 25)
    back_tba, turns_tba = BACK.rival(measured, 25), TURNS.rival(measured, 25)
    fewer = paired(TURNS.each_rival(measured, 25), TURNS.each_ss(measured, "TB", 30, 25))
    if not back or not turns or not back_tba or not turns_tba or fewer is None:
        return verdict(None)
    shown = ", ".join(f"{number:.4g}" for number in (turns, turns_tba, back / turns, back_tba / turns_tba))
    longer = back / turns > back_tba / turns_tba
    why = f"turns of SS and TBA*, then backward steps for each turn: {shown}"
    return decided(all_of([above(fewer), longer]), why)


def harder_turns_less(measured: Measured) -> Verdict:
    """V19."""
    answers = against_tba(measured, HARD_TURNS, below, LIMITS, SALIENT[3:])
    cuts = []
    for what in (HARD_TURNS, TURNS):
        mine, rival = what.ss(measured, "TB", 30, 25), what.rival(measured, 25)
        if mine is None or not rival:
            return verdict(None)
        cuts.append(100 * (1 - mine / rival))
    if answers is None:
        return verdict(None)
    why = f"TB turns less in {told(answers)} cells; cut in percent on harder maps and on all: {cuts[0]:.4g}, {cuts[1]:.4g}"
    return decided(all_of([at_least(answers, 12), cuts[0] > cuts[1]]), why)


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
    why = "median optimum on harder maps and on all, percent above 1.10:"
    return verdict(hard > 1.3 * full and above <= 3, hard, full, above, why=why)


def same_on_cardinal(measured: Measured) -> Verdict:
    """V25."""
    parts = [
        straighter(measured, CARDINAL_SUB, CARDINAL_EXP),
        tally(against_tba(measured, CARDINAL_SUB, above, SMALL), "higher"),
        tally(rising_with_share(measured, CARDINAL_SUB), "rising"),
    ]
    if any(part.holds is None and not part.is_undecided for part in parts):
        return verdict(None)
    why = "; ".join(f"{claim}: {part.detail}" for claim, part in zip(("V3", "V4", "V7"), parts, strict=True))
    return decided(all_of(part.holds for part in parts), why)


def octile_misjudges(measured: Measured) -> Verdict:
    """V26."""
    (octile, octile_zero), (cardinal, cardinal_zero) = (
        [measured.value("fig4.5", name, grid=grid) for name in ("mean_error_pct", "zero_pct")]
        for grid in ("octile", "cardinal")
    )
    if octile is None or cardinal is None or octile_zero is None or cardinal_zero is None:
        return verdict(None)
    why = "mean error in percent, octile and cardinal; percent without error:"
    shown = (octile, cardinal, octile_zero, cardinal_zero)
    return verdict(octile > cardinal and cardinal_zero > octile_zero, *shown, why=why)


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
    names = ("ratio", "backward steps", "turns")
    counts = ", ".join(f"{name} {told(part)}" for name, part in zip(names, known, strict=True))
    return decided(all_of(itertools.chain(*known)), f"TB is lower in so many cells: {counts}")
