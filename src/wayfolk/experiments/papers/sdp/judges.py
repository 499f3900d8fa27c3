"""What the claims of the thesis on SDP with Cooperative JPS say of measured rows.

"At all counts" is at every number of units that was measured for both searches in all iterations; each map of a claim must
have one. Runs of the two searches are paired: iteration k has the same starts and goals for both. A comparison is decided
by the rule of `noise`; a claim that hangs on comparisons inside the noise is undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from math import isnan
from statistics import fmean
from typing import NamedTuple

from wayfolk.experiments.papers.claims import Measured, Verdict, rank_correlation, verdict
from wayfolk.experiments.papers.noise import Answer, above, all_of, below, decided, each, most_of, negated, told
from wayfolk.experiments.papers.tables import printed

CA, CJ = "SDP+CA*", "SDP+CJPS"
LENGTH, TIME, FAILS = "makespan_pathlength", "solution_time_s", "failed_units"
NUMBERS = {
    "orz704d": "1",
    "den204d": "2",
    "den401d": "3",
    "den505d": "4",
    "isound1": "app-1",
    "den405d": "app-2",
    "orz601d": "app-3",
    "hrt201d": "app-4",
}
BODY = tuple(NUMBERS)[:4]
AREAS = {  # high contention areas by the text, and free cells; the text gives den204d 15788 of them
    "orz704d": (0, 2097),
    "den204d": (1, 2855),
    "isound1": (2, 2976),
    "den405d": (3, 925),
    "orz601d": (6, 1890),
    "den401d": (11, 11456),
    "hrt201d": (15, 23572),
    "den505d": (20, 30236),
}
LARGE = 10_000  # cells, above which JPS is to be three times as fast
QUOTED = {"orz704d": 59.2, "den204d": 59.2, "den401d": 15.57, "den505d": 22.61}  # makespan gains, in percent
SIZE = 10.0  # points in percent by which a gain may differ from a printed one
GROWING = ("den204d", "den505d", "isound1", "den405d", "orz601d")


class Pair(NamedTuple):
    """The numbers of all iterations with Cooperative A* and with Cooperative JPS, in the same order."""

    ca: Sequence[float]
    cj: Sequence[float]

    @property
    def less(self) -> list[float]:
        """How much less Cooperative JPS has, in each iteration."""
        return [ca - cj for ca, cj in zip(self.ca, self.cj, strict=True)]


Pairs = dict[int, Pair]  # by units


def _paired(measured: Measured, table: str, metric: str, one: dict[str, str], other: dict[str, str]) -> Pairs:
    """The numbers of two settings of a table by units, where both were measured in the same iterations."""
    pairs = {}
    for units in measured.values(table, metric, "units", **one):
        ca, cj = (each(measured, table, metric, units=units, **where) for where in (one, other))
        if ca is not None and cj is not None and len(ca) == len(cj):
            pairs[units] = Pair(ca, cj)
    return pairs


def _both(measured: Measured, name: str, metric: str) -> Pairs:
    """The numbers of the two searches on a map."""
    table = f"{NUMBERS[name]}{'b' if metric == FAILS else 'a'}"
    return _paired(measured, table, metric, {"map": name, "algorithm": CA}, {"map": name, "algorithm": CJ})


def _maps(measured: Measured, metric: str, names: Iterable[str] = NUMBERS) -> dict[str, Pairs] | None:
    """The same for several maps, None if nothing was measured on one of them."""
    by_map = {name: _both(measured, name, metric) for name in names}
    return by_map if all(by_map.values()) else None


def _sums(pairs: Pairs) -> Pair:
    """Sums over all counts, for each iteration."""
    ca, cj = zip(*pairs.values(), strict=True)
    return Pair([sum(values) for values in zip(*ca, strict=True)], [sum(values) for values in zip(*cj, strict=True)])


def _gain(pairs: Pairs) -> list[float]:
    """How much more CA takes than CJ, summed over rows, in percent: what the document calls a decrease."""
    return [100.0 * (ca / cj - 1.0) if cj else 0.0 for ca, cj in zip(*_sums(pairs), strict=True)]


def _gains(measured: Measured, metric: str, names: Iterable[str] = NUMBERS) -> dict[str, list[float]] | None:
    by_map = _maps(measured, metric, names)
    return None if by_map is None else {name: _gain(pairs) for name, pairs in by_map.items()}


def _listed(numbers: dict[str, list[float]]) -> str:
    return ", ".join(f"{name} {fmean(values):.4g}" for name, values in numbers.items())


def everywhere_less(measured: Measured, metric: str) -> Verdict:
    """Whether CJ is below CA at all counts on all maps."""
    by_map = _maps(measured, metric)
    if by_map is None:
        return verdict(None)
    less = {name: [above(pair.less) for pair in pairs.values()] for name, pairs in by_map.items()}
    rows = [answer for answers in less.values() for answer in answers]
    counts = ", ".join(f"{name} {told(answers)}" for name, answers in less.items())
    return decided(all_of(rows), f"CJ is lower in {told(rows)} rows: {counts}")


def _is_near(values: list[float], middle: float, reach: float) -> Answer:
    return all_of([negated(above(values, middle + reach)), negated(below(values, middle - reach))])


def quoted_gains(measured: Measured) -> Verdict:
    """Whether the makespan gains on the body maps are those that the text quotes, within 10 points."""
    gains = _gains(measured, LENGTH, BODY)
    if gains is None:
        return verdict(None)
    answers = [_is_near(gains[name], QUOTED[name], SIZE) for name in BODY]
    return decided(all_of(answers), f"gains in percent: {_listed(gains)}")


def time_gains(measured: Measured) -> Verdict:
    """Whether the gains in time on the body maps are above 20 percent, and largest on den204d."""
    gains = _gains(measured, TIME, BODY)
    if gains is None:
        return verdict(None)
    most = gains["den204d"]
    is_large = [above(gains[name], 20.0) for name in BODY]
    is_less = [above([a - b for a, b in zip(most, gains[name], strict=True)]) for name in BODY if name != "den204d"]
    return decided(all_of(is_large + is_less), f"gains in percent: {_listed(gains)}")


def overtakes(measured: Measured) -> Verdict:
    """Whether CJ is slower on den505d up to some count between 100 and 240, and faster from there on."""
    less = {units: pair.less for units, pair in _both(measured, "den505d", TIME).items()}
    crossings = [units for units in less if 100 <= units <= 240]
    if not crossings:
        return verdict(None)
    answers = []
    for crossing in crossings:
        answer = all_of(below(each) if units < crossing else above(each) for units, each in less.items())
        if answer:
            return verdict(True, crossing, why="CJ is slower with fewer, and faster from here on:")
        answers.append(answer)
    slower = [str(units) for units, each in less.items() if below(each)]
    undecided = sum(below(each) is None for each in less.values())
    noise = f"; {undecided} of {len(less)} counts are inside the noise" if undecided else ""
    why = f"CJ is slower with {', '.join(slower) or 'no number of'} units{noise}"
    return decided(None if None in answers else False, why)


def fails_less(measured: Measured) -> Verdict:
    """Whether CJ has fewer failed units on each map, summed over counts."""
    by_map = _maps(measured, FAILS)
    if by_map is None:
        return verdict(None)
    sums = {name: _sums(pairs) for name, pairs in by_map.items()}
    listed = ", ".join(f"{name} {fmean(sum.ca):g} and {fmean(sum.cj):g}" for name, sum in sums.items())
    return decided(all_of(above(sum.less) for sum in sums.values()), f"fails of CA and CJ: {listed}")


def fails_less_at_most(measured: Measured) -> Verdict:
    """Whether CJ has no more failed units at the largest counts, except on den401d."""
    last = {}
    for name in NUMBERS:
        if name == "den401d":
            continue
        pairs, most = _both(measured, name, FAILS), max(row["units"] for row in printed(f"sdp-{NUMBERS[name]}b"))
        if most not in pairs:
            return verdict(None, why=f"not measured: {most} units on {name}")
        last[name] = pairs[most]
    listed = ", ".join(f"{name} {fmean(pair.ca):g} and {fmean(pair.cj):g}" for name, pair in last.items())
    return decided(all_of(negated(below(pair.less)) for pair in last.values()), f"fails of CA and CJ: {listed}")


def fails_more_in_hallways(measured: Measured) -> Verdict:
    """Whether CJ has more failed units at all counts on den401d."""
    pairs = _both(measured, "den401d", FAILS)
    if not pairs:
        return verdict(None)
    answers = [below(pair.less) for pair in pairs.values()]
    return decided(all_of(answers), f"CJ fails more in {told(answers)} rows")


def gain_shrinks(measured: Measured) -> Verdict:
    """Whether gains fall with the number of high contention areas."""
    by_metric = []
    for metric in (LENGTH, TIME):
        gains = _gains(measured, metric)
        if gains is None:
            return verdict(None)
        iterations = zip(*gains.values(), strict=True)
        by_metric.append(
            [_rho([(AREAS[name][0], gain) for name, gain in zip(gains, one, strict=True)]) for one in iterations]
        )
    why = "rank correlations with the gains in makespan and in time: "
    shown = ", ".join(f"{fmean(rhos):.4g}" for rhos in by_metric)
    return decided(all_of(below(rhos) for rhos in by_metric), why + shown)


def _rho(pairs: Sequence[tuple[float, float]]) -> float:
    """The rank correlation; 0 where one side is constant or there are less than three pairs."""
    rho = rank_correlation(pairs)
    return 0.0 if rho is None or isnan(rho) else rho


def jps_is_cheaper(measured: Measured) -> Verdict:
    """Whether JPS finds the costs of A* with at most 0.3 of the opened nodes, and 3 times as fast on large maps."""
    n, opened, fastest = 0, [], []
    for name in NUMBERS:
        plain, jumping = (
            [measured.value("jps", what, map=name, algorithm=a) for what in ("cost", "wrong_cost", "opened", TIME)]
            for a in ("A*", "JPS")
        )
        if None in plain or None in jumping:
            return verdict(None)
        (cost, wrong, nodes, seconds), (cost_j, wrong_j, nodes_j, seconds_j) = plain, jumping
        n += not wrong and not wrong_j and abs(cost - cost_j) <= 1e-6 * cost  # type: ignore[operator]
        opened.append(nodes_j / nodes)  # type: ignore[operator]
        if AREAS[name][1] > LARGE:
            fastest.append(seconds / seconds_j)  # type: ignore[operator]
    holds = n == len(NUMBERS) and max(opened) <= 0.3 and min(fastest) >= 3
    why = f"equal costs on {n} of {len(NUMBERS)} maps; largest share of opened nodes, smallest speed-up if large:"
    return verdict(holds, max(opened), min(fastest), why=why)


def sideways_helps(measured: Measured) -> Verdict:
    """Whether, in most rows, none of the three measures is higher with side-way moves."""
    given, without = {"sideways": "yes"}, {"sideways": "no"}
    rows = []
    for name in NUMBERS:
        on_map = [
            _paired(measured, "sideways", metric, without | {"map": name}, given | {"map": name})
            for metric in (LENGTH, TIME, FAILS)
        ]
        counts = [units for units in on_map[0] if all(units in pairs for pairs in on_map)]
        rows += [[negated(below(pairs[units].less)) for pairs in on_map] for units in counts]
    if not rows:
        return verdict(None)
    answers = [all_of(row) for row in rows]
    lower = [told([row[k] for row in rows]) for k in range(3)]
    parts = f"makespan {lower[0]}, time {lower[1]}, fails {lower[2]}"
    return decided(most_of(answers), f"none of the three is higher in {told(answers)} rows; not higher are {parts}")


def moves_explain(measured: Measured) -> Verdict:
    """Whether gains come with mixed moves only.

    Gains of the printed size are those not more than 10 points below the printed ones, as in S2.
    """
    alike: list[Answer] = []
    mixed_maps: list[Answer] = []
    same_maps: list[Answer] = []
    for name in NUMBERS:
        mixed, eight, four = (
            _paired(
                measured, "moves", LENGTH, {"map": name, "algorithm": CA, "moves": a},
                {"map": name, "algorithm": CJ, "moves": b},
            )
            for a, b in (("four", "eight"), ("eight", "eight"), ("four", "four"))
        )  # fmt: skip
        if not mixed or not eight:
            return verdict(None)
        size = _printed_gain(name) - SIZE
        mixed_maps.append(above(_gain(mixed), size))
        for same in (pairs for pairs in (eight, four) if pairs):
            ratios = [[ca / cj - 1.0 for ca, cj in zip(*pair, strict=True)] for pair in same.values()]
            alike += [_is_near(ratio, 0.0, 0.1) for ratio in ratios]
            same_maps.append(above(_gain(same), size))
    holds = all_of([most_of(alike), most_of(mixed_maps), all_of(negated(answer) for answer in same_maps)])
    gains = f"gains of the printed size on {told(mixed_maps)} maps with mixed moves, {told(same_maps)} with the same"
    return decided(holds, f"alike with the same moves in {told(alike)} rows; {gains}")


@cache
def _printed_gain(name: str) -> float:
    rows = {f"{NUMBERS[name]}a": printed(f"sdp-{NUMBERS[name]}a")}
    return fmean(_gain(_both(Measured(rows), name, LENGTH)))


def never_falls(measured: Measured) -> Verdict:
    """Whether the makespan never falls as units are added: nested instances are compared one by one, without noise."""
    falls, steps = [], 0
    for name in ("orz704d", "hrt201d"):
        for search in (CA, CJ):
            where = {"map": name, "algorithm": search}
            counts = list(measured.values("nested", "makespan", "units", **where))
            curves = {units: each(measured, "nested", "makespan", units=units, **where) for units in counts}
            complete = {units: curve for units, curve in curves.items() if curve is not None}
            if len(complete) < 2:
                return verdict(None)
            for (_, before), (units, after) in pairwise(complete.items()):
                pairs = list(zip(before, after, strict=False))
                steps += len(pairs)
                falls += [f"{name} {search} at {units}" for a, b in pairs if b < a]
    listed = ", ".join(dict.fromkeys(falls))
    return verdict(not falls, why=f"falls in {len(falls)} of {steps} steps{': ' if falls else ''}{listed}")


def fails_grow(measured: Measured) -> Verdict:
    """Whether failed units grow with the number of units, for both searches."""
    rhos = {}
    for name in GROWING:
        pairs = _both(measured, name, FAILS)
        if len(pairs) < 3:
            return verdict(None)
        for search, k in ((CA, 0), (CJ, 1)):
            iterations = zip(*(pair[k] for pair in pairs.values()), strict=True)
            rhos[f"{name} {search}"] = [_rho(list(zip(pairs, one, strict=True))) for one in iterations]
    answers = [negated(below(rho, 0.8)) for rho in rhos.values()]
    return decided(all_of(answers), f"rank correlations: {_listed(rhos)}")
