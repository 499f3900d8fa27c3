"""The claims of the slides on BMAA*, B1 to B16, as predicates over measured rows.

Algorithms are compared instance by instance, on the same starts and goals: a difference inside the noise is undecided (see
`noise`). Times are steps where we measured them, and seconds where the slides print them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from wayfolk.experiments.papers.claims import Claim, Measured, Verdict, rank_correlation, verdict
from wayfolk.experiments.papers.noise import (
    Answer,
    above,
    all_of,
    at_least,
    below,
    decided,
    each,
    most_of,
    negated,
    paired,
    told,
)

VERSIONS = ("BMAA*", "BMAA*-c", "BMAA*-f", "BMAA*-f-c")
RIVALS = ("FAR", "A*-Replan")
ALGORITHMS = (*VERSIONS, *RIVALS)
PLACES = (
    ("AR0414SR", "320x281"),
    ("AR0414SR", "512x512"),
    ("AR0504SR", "512x512"),
    ("AR0701SR", "512x512"),
    ("blastedlands", "512x512"),
    ("duskwood", "512x512"),
    ("golemsinthemist", "512x512"),
    ("lak304d", "193x193"),
    ("lak307d", "84x84"),
    ("lgt300d", "747x531"),
)
OVERALL = ("Overall", "n/a")
LAK304D, LAK307D = PLACES[7:9]
PARKED_STEPS = (100, 1000, 10_000)
ROUNDED = 1e-3  # beliefs are kept in single precision
Line = dict[str, Sequence[float]]  # by algorithm, the numbers of all instances


class _Measure(NamedTuple):
    table: str
    metric: str
    printed: str  # what the slides print of it


RATE = _Measure("I", "completion_rate_pct", "completion_rate_pct")
TIME = _Measure("II", "completion_steps", "completion_time_s")
DIST = _Measure("III", "travel_distance", "travel_distance")


def _at(measured: Measured, what: _Measure, place: tuple[str, str]) -> Line | None:
    """A line of a table, by algorithm, if all of it was measured."""
    is_ours = any(what.metric in row for row in measured.rows(what.table))
    metric = what.metric if is_ours else what.printed
    line = {
        name: each(measured, what.table, metric, map=place[0], dims=place[1], algorithm=name) for name in ALGORITHMS
    }
    return None if None in line.values() else line  # type: ignore[return-value]


def _by_map(measured: Measured, what: _Measure) -> list[Line] | None:
    """The lines of all ten maps."""
    lines = [_at(measured, what, place) for place in PLACES]
    return None if None in lines else lines  # type: ignore[return-value]


def _more(line: Line, one: str, other: str) -> list[float]:
    """How much more `one` has than `other`, instance by instance."""
    return paired(line[one], line[other]) or []


def _on_maps(lines: list[Line], test: Callable[[Line], Answer]) -> list[Answer]:
    return [test(line) for line in lines]


def _shown(line: Line, *names: str) -> str:
    return ", ".join(f"{fmean(line[name]):.4g}" for name in names)


def _higher_rate(measured: Measured) -> Verdict:
    lines = _by_map(measured, RATE)
    if lines is None:
        return verdict(None)
    answers = _on_maps(lines, lambda at: all_of(above(_more(at, a, b)) for a in VERSIONS for b in RIVALS))
    return decided(all_of(answers), f"every version is above both rivals on {told(answers)} maps")


def _flow_helps(measured: Measured) -> Verdict:
    lines, overall = _by_map(measured, RATE), _at(measured, RATE, OVERALL)
    if lines is None or overall is None:
        return verdict(None)
    answers = _on_maps(lines, lambda at: above(_more(at, "BMAA*-f", "BMAA*")))
    holds = all_of([negated(below(_more(overall, "BMAA*-f", "BMAA*"), 3.0)), most_of(answers)])
    why = f"higher with flow on {told(answers)} maps; overall with, without: {_shown(overall, 'BMAA*-f', 'BMAA*')}"
    return decided(holds, why)


def _push_changes_little(measured: Measured) -> Verdict:
    lines = _by_map(measured, RATE)
    if lines is None:
        return verdict(None)
    answers, largest = [], []
    for one, other, most in (("BMAA*-c", "BMAA*", 3.0), ("BMAA*-f-c", "BMAA*-f", 5.0)):
        changes = [_more(line, one, other) for line in lines]
        answers += [all_of([negated(above(d, most)), negated(below(d, -most))]) for d in changes]
        largest.append(max(abs(fmean(d)) for d in changes))
    return decided(all_of(answers), f"largest changes without and with flow: {largest[0]:.4g}, {largest[1]:.4g}")


def _sooner(measured: Measured) -> Verdict:
    at = _at(measured, TIME, OVERALL)
    if at is None:
        return verdict(None)
    answers = [above(_more(at, "A*-Replan", name)) for name in ("BMAA*", "BMAA*-f")]
    answers.append(above(_more(at, "FAR", "A*-Replan")))
    return decided(
        all_of(answers), f"BMAA*, BMAA*-f, A*-Replan, FAR: {_shown(at, 'BMAA*', 'BMAA*-f', 'A*-Replan', 'FAR')}"
    )


def _push_takes_time(measured: Measured) -> Verdict:
    lines = _by_map(measured, TIME)
    if lines is None:
        return verdict(None)
    plain = _on_maps(lines, lambda at: above(_more(at, "BMAA*-c", "BMAA*")))
    flow = _on_maps(lines, lambda at: above(_more(at, "BMAA*-f-c", "BMAA*-f")))
    why = f"later with push on {told(plain)} maps, and with flow as well on {told(flow)} maps"
    return decided(all_of([at_least(plain, 8), at_least(flow, 8)]), why)


def _rivals_sooner(measured: Measured) -> Verdict:
    at = _at(measured, TIME, LAK304D)
    if at is None:
        return verdict(None)
    answers = [above(_more(at, version, rival)) for version in VERSIONS for rival in RIVALS]
    return decided(all_of(answers), f"{', '.join(ALGORITHMS)} on lak304d: {_shown(at, *ALGORITHMS)}")


def _walks_further(measured: Measured) -> Verdict:
    lines, at = _by_map(measured, DIST), _at(measured, DIST, OVERALL)
    if lines is None or at is None:
        return verdict(None)
    further = _on_maps(lines, lambda line: above(_more(line, "BMAA*-f", "BMAA*")))
    order = ("FAR", "A*-Replan", "BMAA*", "BMAA*-f")
    answers = [above(_more(at, more, less)) for less, more in pairwise(order)]
    why = f"further with flow on {told(further)} maps; {', '.join(order)}: {_shown(at, *order)}"
    return decided(all_of([*answers, most_of(further)]), why)


def _best_on_lak307d(measured: Measured) -> Verdict:
    rate, time, dist = (_at(measured, what, LAK307D) for what in (RATE, TIME, DIST))
    if rate is None or time is None or dist is None:
        return verdict(None)
    answers: list[Answer] = []
    for name in ALGORITHMS:
        if name != "BMAA*":
            answers += [above(_more(rate, "BMAA*", name)), above(_more(dist, name, "BMAA*"))]
            answers.append(negated(above(_more(time, "BMAA*", name))))
    best = [
        max(ALGORITHMS, key=lambda name: fmean(rate[name])),
        min(ALGORITHMS, key=lambda name: fmean(dist[name])),
        min(ALGORITHMS, key=lambda name: fmean(time[name])),
    ]
    shown = ", ".join(_shown(line, "BMAA*") for line in (rate, dist, time))
    return decided(all_of(answers), f"best there in rate, distance and time: {', '.join(best)}; BMAA* has {shown}")


def _breaks_at_200(measured: Measured) -> Verdict:
    from wayfolk.experiments.reports.stats import breakpoint as find_break

    breaks = {}
    for name in ALGORITHMS:
        curve = measured.values("fig2", RATE.metric, "agents", algorithm=name)
        inner = list(curve)[1:-1]
        if len(curve) < 6 or all(100 <= agents <= 300 for agents in inner):
            return verdict(None, why="not measured: the curves have too few points to break elsewhere")
        breaks[name] = find_break(list(curve), list(curve.values())).x
    listed = ", ".join(f"{name} {'nowhere' if math.isnan(at) else format(at, '.0f')}" for name, at in breaks.items())
    return verdict(all(100 <= at <= 300 for at in breaks.values()), why=f"agents at the break: {listed}")


def _stuck_in_dead_end(measured: Measured) -> Verdict:
    best, replan, bounded = (
        measured.value("scenes", "distance", scene="dead-end", algorithm=name) for name in ("A*", "A*-Replan", "BMAA*")
    )
    if best is None or replan is None or bounded is None:
        return verdict(None)
    holds = bounded > 3 * best and abs(replan - best) <= 1e-6 * best
    return verdict(holds, best, replan, bounded, why="optimum, A*-Replan, BMAA*:")


def _far_jams(measured: Measured) -> Verdict:
    rate = measured.value("scenes", RATE.metric, scene="corridor", algorithm="FAR")
    far, bounded = (measured.value("scenes", "waiting", scene="rooms", algorithm=name) for name in ("FAR", "BMAA*"))
    if rate is None or far is None or bounded is None:
        return verdict(None)
    why = "FAR's rate in the corridor, and agents that stand still in rooms with FAR and BMAA*:"
    return verdict(rate < 100 and far > bounded, rate, far, bounded, why=why)


def _never_passes_parked(measured: Measured) -> Verdict:
    rates = [
        measured.value("scenes", RATE.metric, scene="parked", algorithm=name, steps=steps)
        for name in VERSIONS
        for steps in PARKED_STEPS
    ]
    known = [rate for rate in rates if rate is not None]
    if len(known) < len(rates):
        return verdict(None)
    return verdict(max(known) < 100, max(known), why="the highest rate of any version at any limit:")


def _bounded_search(measured: Measured) -> Verdict:
    most = [
        measured.value("expansions", "most_expanded", map=name, dims=dims, algorithm=version)
        for name, dims in PLACES
        for version in VERSIONS
    ]
    known = [number for number in most if number is not None]
    if len(known) < len(most):
        return verdict(None)
    return verdict(max(known) <= 32, max(known), why="the most expansions of any search:")


def _no_best_in_all(measured: Measured) -> Verdict:
    lines = _at(measured, RATE, OVERALL), _at(measured, DIST, OVERALL)
    if lines[0] is None or lines[1] is None:
        return verdict(None)
    rate, dist = ({name: fmean(line[name]) for name in ALGORITHMS} for line in lines if line is not None)
    in_both = [a for a in ALGORITHMS if rate[a] == max(rate.values()) and dist[a] == min(dist.values())]
    rho = rank_correlation([(rate[a], dist[a]) for a in ALGORITHMS])
    why = f"{in_both[0] if in_both else 'none'} is best in both; rank correlation"
    return verdict(not in_both and rho is not None and rho > 0, rho, why=why)


def _far_loses(measured: Measured) -> Verdict:
    rate, time = _at(measured, RATE, OVERALL), _at(measured, TIME, OVERALL)
    if rate is None or time is None:
        return verdict(None)
    answers = [above(_more(rate, "A*-Replan", "FAR")), above(_more(time, "FAR", "A*-Replan"))]
    shown = f"{_shown(rate, 'FAR', 'A*-Replan')}, {_shown(time, 'FAR', 'A*-Replan')}"
    return decided(all_of(answers), f"rates, then times, of FAR and A*-Replan: {shown}")


def _keeps_its_word(measured: Measured) -> Verdict:
    rows = [row for row in measured.rows("lone") if row.get("above") is not None]
    if not rows:
        return verdict(None)
    above, gap = (max(row[name] for row in rows) for name in ("above", "gap"))
    rate = min(row["completion_rate_pct"] for row in rows)
    holds = above <= ROUNDED and gap <= ROUNDED and rate == 100
    return verdict(holds, above, gap, rate, why="most above the truth, largest gap, lowest rate:")


CLAIMS = [
    Claim(
        "B1",
        "Every BMAA* version has a far higher completion rate than FAR and A*-Replan.",
        ("I",),
        _higher_rate,
        own=True,
    ),
    Claim("B2", "Flow annotations raise the completion rate overall.", ("I",), _flow_helps, own=True),
    Claim("B3", "Pushing barely changes the completion rate.", ("I",), _push_changes_little, "neg", True),
    Claim("B4", "BMAA* and BMAA*-f finish sooner than FAR and A*-Replan.", ("II",), _sooner, own=True),
    Claim("B5", "Pushing raises completion times.", ("II",), _push_takes_time, "neg", True),
    Claim("B6", "On lak304d both rivals finish sooner than any BMAA* version.", ("II",), _rivals_sooner, "neg", True),
    Claim("B7", "BMAA* walks further, and flow makes it worse.", ("III",), _walks_further, "neg", True),
    Claim("B8", "BMAA* does especially well on lak307d.", ("I", "II", "III"), _best_on_lak307d, own=True),
    Claim("B9", "The picture changes around 200 agents.", ("fig2",), _breaks_at_200),
    Claim("B10", "BMAA* gets stuck in dead ends (heuristic depressions).", ("scenes",), _stuck_in_dead_end, "neg"),
    Claim("B11", "FAR jams in corridors one cell wide and at shared choke points.", ("scenes",), _far_jams, "neg"),
    Claim(
        "B12",
        "No BMAA* version, pushing included, passes parked agents in a corridor.",
        ("scenes",),
        _never_passes_parked,
        "neg",
    ),
    Claim("B13", "The update keeps h admissible and consistent: a lone agent arrives.", ("lone",), _keeps_its_word),
    Claim("B14", "Planning per agent and search is bounded, whatever the map.", ("expansions",), _bounded_search),
    Claim("B15", "The three measures cannot be optimised together.", ("I", "III"), _no_best_in_all, own=True),
    Claim("B16", "FAR does not even beat A*-Replan.", ("I", "II"), _far_loses, "neg", True),
]
