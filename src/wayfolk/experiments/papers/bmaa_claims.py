"""The claims of the slides on BMAA*, B1 to B16, as predicates over measured rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from wayfolk.experiments.papers import Claim, Measured, Verdict, in_order, rank_correlation, verdict

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
Figures = dict[str, float]


class _Measure(NamedTuple):
    table: str
    metric: str


RATE = _Measure("I", "completion_rate_pct")
TIME = _Measure("II", "completion_time_s")
DIST = _Measure("III", "travel_distance")


def _at(measured: Measured, what: _Measure, place: tuple[str, str]) -> Figures | None:
    """A line of a table, by algorithm, if all of it was measured."""
    found = {
        name: measured.value(what.table, what.metric, map=place[0], dims=place[1], algorithm=name)
        for name in ALGORITHMS
    }
    return None if None in found.values() else found  # type: ignore[return-value]


def _by_map(measured: Measured, what: _Measure) -> list[Figures] | None:
    """The lines of all ten maps."""
    found = [_at(measured, what, place) for place in PLACES]
    return None if None in found else found  # type: ignore[return-value]


def _share(lines: list[Figures], test: Callable[[Figures], bool]) -> tuple[int, str]:
    """On how many maps something is so, and that in words."""
    n = sum(test(line) for line in lines)
    return n, f"on {n} of {len(lines)} maps"


def _higher_rate(measured: Measured) -> Verdict:
    lines = _by_map(measured, RATE)
    if lines is None:
        return verdict(None)
    n, told = _share(lines, lambda at: min(at[a] for a in VERSIONS) > max(at[a] for a in RIVALS))
    return verdict(n == len(lines), why=f"the worst version is above both rivals {told}")


def _flow_helps(measured: Measured) -> Verdict:
    lines, overall = _by_map(measured, RATE), _at(measured, RATE, OVERALL)
    if lines is None or overall is None:
        return verdict(None)
    n, told = _share(lines, lambda at: at["BMAA*-f"] > at["BMAA*"])
    holds = overall["BMAA*-f"] >= overall["BMAA*"] + 3 and 2 * n > len(lines)
    return verdict(holds, overall["BMAA*-f"], overall["BMAA*"], why=f"higher with flow {told}; overall with, without:")


def _push_changes_little(measured: Measured) -> Verdict:
    lines = _by_map(measured, RATE)
    if lines is None:
        return verdict(None)
    plain = max(abs(at["BMAA*-c"] - at["BMAA*"]) for at in lines)
    flow = max(abs(at["BMAA*-f-c"] - at["BMAA*-f"]) for at in lines)
    return verdict(plain <= 3 and flow <= 5, plain, flow, why="largest changes without and with flow:")


def _sooner(measured: Measured) -> Verdict:
    at = _at(measured, TIME, OVERALL)
    if at is None:
        return verdict(None)
    shown = (at["BMAA*"], at["BMAA*-f"], at["A*-Replan"], at["FAR"])
    return verdict(in_order(max(shown[:2]), *shown[2:]), *shown, why="BMAA*, BMAA*-f, A*-Replan, FAR:")


def _push_takes_time(measured: Measured) -> Verdict:
    lines = _by_map(measured, TIME)
    if lines is None:
        return verdict(None)
    plain, told = _share(lines, lambda at: at["BMAA*-c"] > at["BMAA*"])
    flow, told_flow = _share(lines, lambda at: at["BMAA*-f-c"] > at["BMAA*-f"])
    return verdict(plain >= 8 and flow >= 8, why=f"later with push {told}, and with flow as well {told_flow}")


def _rivals_sooner(measured: Measured) -> Verdict:
    at = _at(measured, TIME, LAK304D)
    if at is None:
        return verdict(None)
    rivals, versions = max(at[a] for a in RIVALS), min(at[a] for a in VERSIONS)
    return verdict(rivals < versions, rivals, versions, why="slower rival and fastest version on lak304d:")


def _walks_further(measured: Measured) -> Verdict:
    lines, at = _by_map(measured, DIST), _at(measured, DIST, OVERALL)
    if lines is None or at is None:
        return verdict(None)
    n, told = _share(lines, lambda line: line["BMAA*-f"] > line["BMAA*"])
    shown = (at["FAR"], at["A*-Replan"], at["BMAA*"], at["BMAA*-f"])
    holds = bool(in_order(*shown)) and 2 * n > len(lines)
    return verdict(holds, *shown, why=f"further with flow {told}; FAR, A*-Replan, BMAA*, BMAA*-f:")


def _best_on_lak307d(measured: Measured) -> Verdict:
    rate, time, dist = (_at(measured, what, LAK307D) for what in (RATE, TIME, DIST))
    if rate is None or time is None or dist is None:
        return verdict(None)
    others = [name for name in ALGORITHMS if name != "BMAA*"]
    holds = (
        rate["BMAA*"] > max(rate[name] for name in others)
        and dist["BMAA*"] < min(dist[name] for name in others)
        and time["BMAA*"] <= min(time[name] for name in others)
    )
    return verdict(holds, rate["BMAA*"], dist["BMAA*"], time["BMAA*"], why="rate, distance and time there:")


def _breaks_at_200(measured: Measured) -> Verdict:
    from wayfolk.experiments.stats import breakpoint as find_break

    breaks = {}
    for name in ALGORITHMS:
        curve = measured.values("fig2", RATE.metric, "agents", algorithm=name)
        inner = list(curve)[1:-1]
        if len(curve) < 6 or all(100 <= agents <= 300 for agents in inner):
            return verdict(None, why="not measured: the curves have too few points to break elsewhere")
        breaks[name] = find_break(list(curve), list(curve.values())).x
    told = ", ".join(f"{name} {'nowhere' if math.isnan(at) else format(at, '.0f')}" for name, at in breaks.items())
    return verdict(all(100 <= at <= 300 for at in breaks.values()), why=f"agents at the break: {told}")


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
    told = "FAR's rate in the corridor, and agents that stand still in rooms with FAR and BMAA*:"
    return verdict(rate < 100 and far > bounded, rate, far, bounded, why=told)


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
    rate, dist = _at(measured, RATE, OVERALL), _at(measured, DIST, OVERALL)
    if rate is None or dist is None:
        return verdict(None)
    in_both = [a for a in ALGORITHMS if rate[a] == max(rate.values()) and dist[a] == min(dist.values())]
    rho = rank_correlation([(rate[a], dist[a]) for a in ALGORITHMS])
    told = f"{in_both[0] if in_both else 'none'} is best in both; rank correlation"
    return verdict(not in_both and rho is not None and rho > 0, rho, why=told)


def _far_loses(measured: Measured) -> Verdict:
    rate, time = _at(measured, RATE, OVERALL), _at(measured, TIME, OVERALL)
    if rate is None or time is None:
        return verdict(None)
    holds = rate["FAR"] < rate["A*-Replan"] and time["FAR"] > time["A*-Replan"]
    shown = (rate["FAR"], rate["A*-Replan"], time["FAR"], time["A*-Replan"])
    return verdict(holds, *shown, why="rates, then times, of FAR and A*-Replan:")


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
