"""Summaries for the tables of the thesis on Salient Search: numbers over the runs of a setting, each of one search."""

from __future__ import annotations

import json
import statistics
from array import array
from collections.abc import Callable
from typing import Any

from wayfolk.experiments.papers.noise import EACH, ERROR, standard_error
from wayfolk.experiments.papers.tables import Row, printed
from wayfolk.experiments.papers.vermette.variance import analysed

# what options of algorithms and columns of the store are called
OPTIONS = {"R": "limit", "r": "share", "c": "traces", "N_S": "salient", "strategy": "strategy", "switch": "switch"}
STRATEGIES = {"AD": "agent_distance", "TB": "tie_break"}
COLUMNS = {
    "expanded": "expanded",
    "moves": "fuel",
    "travelled": "cost",
    "solution": "solution_cost",  # of the path that the search found in the end
    "optimum": "optimum",
    "estimate": "estimate",  # h of the start
    "backward": "backward_steps",
    "turns": "turns",
    "most_expanded": "expanded_most",  # in one iteration
    "most_traced": "traced_most",
}
N_S = {(row["R"], row["ns_pct"]): row["n_s"] for row in printed("vermette-4.1")}
PERCENT = {(limit, expansions): percent for (limit, percent), expansions in N_S.items()}
STRATEGY = {option: name for name, option in STRATEGIES.items()}
ANALYSIS = ("sum_sq", "df", "f_value", "p_relation", "p_value", "significance")
STARS = {0.001: "***", 0.01: "**", 0.05: "*"}
QUALITY = (
    "optimal_pct",
    "least",
    "q1",
    "median",
    "q3",
    "most",
    "above_pct",
    "above_large_r_pct",
    "above_ns75_pct",
    "median_optimum",
)


def _column(runs: list[Row], name: str) -> list[float] | None:
    """A number of each search, None if one does not have it."""
    values = [run.get(COLUMNS[name]) for run in runs]
    return None if None in values or not values else [float(value) for value in values]  # type: ignore[arg-type]


def _ratios(runs: list[Row], above: str, below: str) -> list[float] | None:
    """One number of each search over another one."""
    one, other = _column(runs, above), _column(runs, below)
    if one is None or other is None or 0.0 in other:
        return None
    return [a / b for a, b in zip(one, other, strict=True)]


def _in_order(runs: list[Row]) -> list[Row]:
    """The runs in the order of their problems, which is the same for all settings."""
    return sorted(runs, key=lambda run: (run["map"], run["repeat"]))


def _with_error(name: str, values: list[float] | None) -> Row:
    """Mean, standard error and the numbers of all searches."""
    if values is None:
        return {name: None}
    error = standard_error(values) if len(values) > 1 else None
    return {name: statistics.fmean(values), name + ERROR: error, name + EACH: array("d", values)}


def travel(ratio: str) -> Callable[[list[Row], Row], Row]:
    """Expansions for each move, and the ratio of the distance walked to the cost of the path found."""

    def summarise(runs: list[Row], row: Row) -> Row:
        runs = _in_order(runs)
        expanded, walked = _ratios(runs, "expanded", "moves"), _ratios(runs, "travelled", "solution")
        return _with_error("exp_per_move", expanded) | _with_error(ratio, walked)

    return summarise


def spread(column: str, name: str) -> Callable[[list[Row], Row], Row]:
    """Mean, deviation and number of searches."""

    def summarise(runs: list[Row], row: Row) -> Row:
        values = _column(_in_order(runs), column)
        deviation = statistics.stdev(values) if values is not None and len(values) > 1 else None
        return {"n_searches": len(runs), f"sd_{name}": deviation} | _with_error(f"mean_{name}", values)

    return summarise


def variance(column: str) -> Callable[[list[Row], Row], Row]:
    """The line of an analysis of variance that belongs to a row."""

    def summarise(runs: list[Row], row: Row) -> Row:
        groups: dict[tuple[Any, ...], list[float]] = {}
        for run in runs:
            value, options = run.get(COLUMNS[column]), json.loads(run["options"])
            if value is not None:
                limit, strategy = options[OPTIONS["R"]], STRATEGY[options[OPTIONS["strategy"]]]
                groups.setdefault((PERCENT[limit, options[OPTIONS["N_S"]]], limit, strategy), []).append(value)
        terms = analysed(
            {
                setting: (statistics.fmean(values), statistics.stdev(values), len(values))
                for setting, values in groups.items()
                if len(values) > 1
            }
        )
        if terms is None:
            return dict.fromkeys(ANALYSIS)
        term = terms[row["factor"]]
        stars = None if term.p is None else next((s for p, s in STARS.items() if term.p < p), "ns")
        relation = None if term.p is None else "="
        return dict(zip(ANALYSIS, (term.sum_sq, term.df, term.f, relation, term.p, stars), strict=True))

    return summarise


def quality(runs: list[Row], row: Row) -> Row:
    """The quality of solutions, and the settings of the long ones."""
    ratios, optima = _ratios(runs, "solution", "optimum"), _column(runs, "optimum")
    if ratios is None or optima is None or len(ratios) < 2:
        return dict.fromkeys(QUALITY)
    q1, median, q3 = statistics.quantiles(ratios, n=4, method="inclusive")
    settings = [json.loads(run["options"]) for run, ratio in zip(runs, ratios, strict=True) if ratio > 1.1]
    large = [options for options in settings if options[OPTIONS["R"]] >= 500]
    deep = [options for options in settings if options[OPTIONS["N_S"]] == N_S[options[OPTIONS["R"]], 75]]
    return {
        "optimal_pct": _percent(sum(ratio < 1 + 1e-9 for ratio in ratios), len(ratios)),
        "least": min(ratios),
        "q1": q1,
        "median": median,
        "q3": q3,
        "most": max(ratios),
        "above_pct": _percent(len(settings), len(ratios)),
        "above_large_r_pct": _percent(len(large), len(settings)),
        "above_ns75_pct": _percent(len(deep), len(settings)),
        "median_optimum": statistics.median(optima),
    }


def _percent(part: int, whole: int) -> float | None:
    return 100.0 * part / whole if whole else None


def largest(runs: list[Row], row: Row) -> Row:
    """The most work of any iteration of any search."""
    columns = {name: _column(runs, name) for name in ("most_expanded", "most_traced")}
    return {name: None if values is None else max(values) for name, values in columns.items()}


def odd(runs: list[Row], row: Row) -> Row:
    """How many searches have an odd number of turns."""
    turns = _column(runs, "turns")
    return {"odd_searches": None if turns is None else sum(number % 2 != 0 for number in turns)}


def misjudged(runs: list[Row], row: Row) -> Row:
    """The error of the heuristic at the start."""
    costs, shares = _column(runs, "travelled"), _ratios(runs, "estimate", "travelled")  # of A*
    if costs is None or shares is None or len(shares) < 2:
        return dict.fromkeys(("mean_error", "mean_error_pct", "sd_error_pct", "zero_pct"))
    lost = [100.0 * (1.0 - share) for share in shares]
    return {
        "mean_error": statistics.fmean(cost * part / 100.0 for cost, part in zip(costs, lost, strict=True)),
        "mean_error_pct": statistics.fmean(lost),
        "sd_error_pct": statistics.stdev(lost),
        "zero_pct": _percent(sum(abs(part) < 1e-7 for part in lost), len(lost)),
    }


def misjudged_each(runs: list[Row], row: Row) -> Row:
    """The same, and the cost and the error of every search."""
    costs, estimates = _column(runs, "travelled"), _column(runs, "estimate")
    known = costs is not None and estimates is not None
    errors = [cost - heuristic for cost, heuristic in zip(costs, estimates, strict=True)] if known else None  # type: ignore[arg-type]
    return misjudged(runs, row) | {"costs": costs, "errors": errors}
