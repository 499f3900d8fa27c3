"""Vermette 2011, Salient Search: travel, backward steps and turns of Salient Search and TBA*. Document 002.

A run is one search, so that means, deviations and quartiles over searches are those over runs. A problem has the same
number (`repeat`) in every setting. The four analyses of variance are over all searches of Salient Search.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from functools import cache
from typing import Any

from wayfolk.data import find_data
from wayfolk.errors import Missing
from wayfolk.experiments import spec
from wayfolk.experiments.cell import Cell, file_digest
from wayfolk.experiments.papers import Row, Table, has, printed
from wayfolk.experiments.papers.vermette_claims import CLAIMS
from wayfolk.experiments.papers.vermette_judges import LIMITS, SALIENT, analysed

__all__ = ["CLAIMS", "TABLES", "TITLE"]

TITLE = "Vermette 2011, Salient Search"

# what algorithms, options, kinds of maps and problems, and columns of the store are expected to be called
ALGORITHMS = {"TBA*": "tba", "SS": "salient"}
OPTIONS = {"R": "limit", "r": "share", "c": "traces", "N_S": "salient", "strategy": "strategy"}
STRATEGIES = {"AD": "agent_distance", "TB": "tie_break"}
SCALED: dict[str, Any] = {"make": "scaled", "width": 320, "height": 320, "diagonal": 1.42}
PAIRS: dict[str, Any] = {"kind": "pairs", "count": 1, "least": 50, "most": 500}
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

ERRORS = printed("vermette-A.1")
MAPS = tuple(row["map"] for row in ERRORS)
HARDER = ("AR0202SR", "AR0307SR", "AR0602SR", "AR0705SR")
N_S = {(row["R"], row["ns_pct"]): row["n_s"] for row in printed("vermette-4.1")}
PERCENT = {(limit, expansions): percent for (limit, percent), expansions in N_S.items()}
STRATEGY = {option: name for name, option in STRATEGIES.items()}
ANALYSIS = ("sum_sq", "df", "f_value", "p_relation", "p_value", "significance")
STARS = {0.001: "***", 0.01: "**", 0.05: "*"}
MOVES = {"octile": "eight", "cardinal": "four"}
SHARE, TRACES = 0.9, 10  # r and c
PROBLEMS = 100  # for each map
SETUP = (
    "50 game maps brought to 320 x 320 cells, {moves} moves, 100 problems of cost 50 to 500 on each; r = 0.9, c = 10, "
    "a diagonal costs 1.42. Quick: 6 maps with 10 problems each."
)
OCTILE = SETUP.format(moves="octile")
CARDINAL = SETUP.format(moves="cardinal")
HARD = "As the full set, on AR0202SR, AR0307SR, AR0602SR and AR0705SR only. Quick: 10 problems on each."
Cells = list[Cell] | str


def _searches(row: Row, quick: bool, harder: bool = False) -> Cells:
    """The searches of a setting."""
    name = ALGORITHMS[row["algorithm"]]
    missing = has(name) or _not_ready()
    if missing:
        return missing
    options = {OPTIONS["R"]: row["R"], OPTIONS["r"]: SHARE, OPTIONS["c"]: TRACES}
    if row["algorithm"] == "SS":
        options[OPTIONS["N_S"]] = N_S[row["R"], row["ns_pct"]]
        options[OPTIONS["strategy"]] = STRATEGIES[row["strategy"]]
    return _on_maps(name, json.dumps(options), row["grid"], harder, quick)


def _harder(row: Row, quick: bool) -> Cells:
    return _searches(row, quick, harder=True)


def _either(row: Row, quick: bool) -> Cells:
    return _searches(row, quick, harder=row["set"] == "harder")


def _all_salient(row: Row, quick: bool) -> Cells:
    """Every search of Salient Search on the octile grid, on one of the two sets of maps."""
    found: list[Cell] = []
    for setting in SETTINGS:
        if setting["algorithm"] == "SS":
            part = _searches(setting, quick, harder=row["set"] == "harder")
            if isinstance(part, str):
                return part
            found += part
    return found


def _error(row: Row, quick: bool) -> Cells:
    """A* on one map, for the true costs."""
    return has("astar") or _not_ready() or _on_map("astar", "{}", "octile", row["map"], 10 if quick else PROBLEMS)


def _errors(row: Row, quick: bool) -> Cells:
    """A* on all maps with one kind of moves."""
    return has("astar") or _not_ready() or _on_maps("astar", "{}", row["grid"], False, quick)


def _not_ready() -> str | None:
    """A sentence if sweeps cannot make these maps and problems: other ones would be measured without a word."""
    if SCALED["make"] not in spec.MAPS:
        return "not measured: a sweep cannot bring maps to 320 x 320 cells yet"
    if not PAIRS.keys() - {"kind"} <= spec.PROBLEMS["pairs"]:
        return "not measured: a sweep cannot draw problems of cost 50 to 500 yet"
    return None


def _on_maps(name: str, options: str, grid: str, harder: bool, quick: bool) -> Cells:
    maps = HARDER if harder else MAPS[4::9] if quick else MAPS
    found: list[Cell] = []
    for world in maps:
        part = _on_map(name, options, grid, world, 10 if quick else PROBLEMS)
        if isinstance(part, str):
            return part
        found += part
    return found


@cache
def _on_map(name: str, options: str, grid: str, world: str, problems: int) -> Cells:
    """The first problems of a map. Kept, since several tables measure the same searches."""
    try:
        path = find_data(f"salient/{world.lower() if world == 'Battleground' else world}.map")
    except Missing as missing:
        return f"not measured: {missing}"
    place, told = SCALED | {"file": str(path), "digest": file_digest(path)}, json.loads(options)
    return [Cell(place, PAIRS, name, told, repeat=k, moves=MOVES[grid]) for k in range(problems)]


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


def _mean(values: list[float] | None) -> float | None:
    return None if values is None else statistics.fmean(values)


def _travel(ratio: str) -> Callable[[list[Row], Row], Row]:
    """Expansions for each move, and what was walked over what was found."""
    return lambda runs, row: {
        "exp_per_move": _mean(_ratios(runs, "expanded", "moves")),
        ratio: _mean(_ratios(runs, "travelled", "solution")),
    }


def _spread(column: str, name: str) -> Callable[[list[Row], Row], Row]:
    """Mean, deviation and number of searches."""

    def summarise(runs: list[Row], row: Row) -> Row:
        values = _column(runs, column)
        deviation = statistics.stdev(values) if values is not None and len(values) > 1 else None
        return {"n_searches": len(runs), f"mean_{name}": _mean(values), f"sd_{name}": deviation}

    return summarise


def _variance(column: str) -> Callable[[list[Row], Row], Row]:
    """The line of a table of analysis of variance that stands in a row."""

    def summarise(runs: list[Row], row: Row) -> Row:
        groups: dict[tuple[Any, ...], list[float]] = {}
        for run in runs:
            value, told = run.get(COLUMNS[column]), json.loads(run["options"])
            if value is not None:
                limit, strategy = told[OPTIONS["R"]], STRATEGY[told[OPTIONS["strategy"]]]
                groups.setdefault((PERCENT[limit, told[OPTIONS["N_S"]]], limit, strategy), []).append(value)
        found = analysed(
            {
                setting: (statistics.fmean(values), statistics.stdev(values), len(values))
                for setting, values in groups.items()
                if len(values) > 1
            }
        )
        if found is None:
            return dict.fromkeys(ANALYSIS)
        term = found[row["factor"]]
        stars = None if term.p is None else next((s for p, s in STARS.items() if term.p < p), "ns")
        relation = None if term.p is None else "="
        return dict(zip(ANALYSIS, (term.sum_sq, term.df, term.f, relation, term.p, stars), strict=True))

    return summarise


def _quality(runs: list[Row], row: Row) -> Row:
    """How good solutions are, and which settings the long ones come from."""
    ratios, optima = _ratios(runs, "solution", "optimum"), _column(runs, "optimum")
    if ratios is None or optima is None or len(ratios) < 2:
        return dict.fromkeys(QUALITY)
    q1, median, q3 = statistics.quantiles(ratios, n=4, method="inclusive")
    settings = [json.loads(run["options"]) for run, ratio in zip(runs, ratios, strict=True) if ratio > 1.1]
    large = [told for told in settings if told[OPTIONS["R"]] >= 500]
    deep = [told for told in settings if told[OPTIONS["N_S"]] == N_S[told[OPTIONS["R"]], 75]]
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


def _largest(runs: list[Row], row: Row) -> Row:
    found = {name: _column(runs, name) for name in ("most_expanded", "most_traced")}
    return {name: None if values is None else max(values) for name, values in found.items()}


def _odd(runs: list[Row], row: Row) -> Row:
    turns = _column(runs, "turns")
    return {"odd_searches": None if turns is None else sum(number % 2 != 0 for number in turns)}


def _misjudged(runs: list[Row], row: Row) -> Row:
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


def _spread_table(number: str, title: str, setup: str, column: str, name: str, cells: Any) -> Table:
    metrics = {f"mean_{name}": COLUMNS[column], f"sd_{name}": COLUMNS[column], "n_searches": "queries"}
    return Table(number, title, setup, metrics, cells, printed(f"vermette-{number}"), _spread(column, name))


def _travel_table(number: str, title: str, setup: str, ratio: str) -> Table:
    metrics = {"exp_per_move": COLUMNS["expanded"], ratio: COLUMNS["travelled"]}
    return Table(number, title, setup, metrics, _searches, printed(f"vermette-{number}"), _travel(ratio))


def _analysis_table(number: str, title: str, source: str, column: str, maps: str) -> Table:
    setup = f"Three factors over all searches of Salient Search in Table {source}, as if they were independent."
    metrics, rows = dict.fromkeys(ANALYSIS, COLUMNS[column]), printed(f"vermette-{number}")
    return Table(
        number,
        title,
        setup,
        metrics,
        lambda row, quick: _all_salient({"set": maps}, quick),
        rows,
        _variance(column),
    )


SETTINGS: list[Row] = [
    {"grid": "octile", "algorithm": algorithm, "strategy": strategy, "R": limit, "ns_pct": percent}
    for algorithm, strategy, percent in [*(("SS", *setting) for setting in SALIENT), ("TBA*", "none", 0)]
    for limit in LIMITS
]
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
ON_ALL_MAPS = (46.72, 1.0, 1.0, 1.003, 1.015, 1.528, 1.08, 89.8, 63.7, 170.1)  # by the text
TABLES = [
    Table(
        "4.1",
        "Salient expansions for each R and share of N_E",
        "No measurement: settings that the other tables use as printed, since no rule of rounding gives all of them.",
        {"n_s": "n_s"},
        lambda row, quick: "nothing to measure: these are settings of the other tables",
        printed("vermette-4.1"),
    ),
    _travel_table("4.2", "Expansions per move and travel ratio of TBA*", OCTILE, "suboptimality"),
    _travel_table("4.3", "Expansions per move and travel ratio of Salient Search", OCTILE, "suboptimality"),
    _spread_table("4.4", "Backward steps", OCTILE, "backward", "backward_steps", _searches),
    _analysis_table("4.5", "Analysis of variance of backward steps", "4.4", "backward", "full"),
    _spread_table("4.6", "Changes of direction", OCTILE, "turns", "direction_changes", _searches),
    _analysis_table("4.7", "Analysis of variance of changes of direction", "4.6", "turns", "full"),
    _spread_table("4.8", "Backward steps on harder maps", HARD, "backward", "backward_steps", _harder),
    _analysis_table("4.9", "Analysis of variance of backward steps on harder maps", "4.8", "backward", "harder"),
    _spread_table("4.10", "Changes of direction on harder maps", HARD, "turns", "direction_changes", _harder),
    _analysis_table("4.11", "Analysis of variance of changes of direction on harder maps", "4.10", "turns", "harder"),
    Table(
        "A.1",
        "Error of the heuristic by map",
        OCTILE + " The text does not say which moves.",
        dict.fromkeys(("mean_error", "mean_error_pct", "sd_error_pct"), COLUMNS["estimate"]),
        _error,
        ERRORS,
        _misjudged,
    ),
    _travel_table("A.2", "Salient Search on the cardinal grid, as Table 4.3", CARDINAL, "travel_ratio"),
    _travel_table("A.3", "TBA* on the cardinal grid, as Table 4.2", CARDINAL, "travel_ratio"),
    Table(
        "quality",
        "Cost of the solution over the optimum, all searches of Salient Search (Sections 4.3.1 and 4.4)",
        OCTILE,
        dict.fromkeys(QUALITY, COLUMNS["optimum"]),
        _all_salient,
        [
            {"set": "full"} | dict(zip(QUALITY, ON_ALL_MAPS, strict=True)),
            {"set": "harder"} | dict.fromkeys(QUALITY) | {"above_pct": 1.54, "median_optimum": 272.3},
        ],
        _quality,
    ),
    Table(
        "fig4.5",
        "Error of the heuristic, octile and cardinal",
        "The same maps with both kinds of moves, 100 problems of cost 50 to 500 on each.",
        dict.fromkeys(("mean_error_pct", "zero_pct"), COLUMNS["estimate"]),
        _errors,
        [{"grid": grid} for grid in MOVES],
        _misjudged,
    ),
    Table(
        "work",
        "The most work of any iteration",
        OCTILE + " N_E = floor(r R) expansions and N_T = c (R - N_E) trace steps are allowed.",
        {name: COLUMNS[name] for name in ("most_expanded", "most_traced")},
        _searches,
        [row | {"n_e": int(SHARE * row["R"]), "n_t": TRACES * (row["R"] - int(SHARE * row["R"]))} for row in SETTINGS],
        _largest,
    ),
    Table(
        "parity",
        "Searches with an odd number of turns",
        OCTILE + " Both sets of maps.",
        {"odd_searches": COLUMNS["turns"]},
        _either,
        [{"set": name} | row for name in ("full", "harder") for row in SETTINGS],
        _odd,
    ),
]
