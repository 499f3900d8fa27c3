"""Vermette 2011, Salient Search: travel, backward steps and turns of Salient Search and TBA*. Document 002.

A run is one search, so that means, deviations and quartiles over searches are those over runs. A problem has the same
number (`repeat`) in every setting. The four analyses of variance are over all searches of Salient Search.

Each table is measured twice. Under its own name the agent stays with its path until a new one reaches at least as far
(`switch="longer"`): a rule that the text does not have, and that meets the printed numbers. With the suffix TEXT it follows
every new path, as the text says.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from wayfolk.errors import Missing
from wayfolk.experiments.papers.tables import FULL, MIDDLE, QUICK, PrintedTable, Row, Scale, has, printed
from wayfolk.experiments.papers.vermette.causes import CAUSES, CHOICES, FINDINGS
from wayfolk.experiments.papers.vermette.claims import CLAIMS
from wayfolk.experiments.papers.vermette.figures import FIGURES
from wayfolk.experiments.papers.vermette.judges import LIMITS, SALIENT
from wayfolk.experiments.papers.vermette.order import compare
from wayfolk.experiments.papers.vermette.summaries import (
    ANALYSIS,
    COLUMNS,
    N_S,
    OPTIONS,
    QUALITY,
    STRATEGIES,
    largest,
    misjudged,
    misjudged_each,
    odd,
    quality,
    spread,
    travel,
    variance,
)
from wayfolk.experiments.sweeps.job import Job, file_digest
from wayfolk.files.folders import find_data

__all__ = ["CAUSES", "CHOICES", "CLAIMS", "FIGURES", "FINDINGS", "READINGS", "TABLES", "TITLE"]

TITLE = "Vermette 2011, Salient Search"

# what algorithms and kinds of maps and problems are called
ALGORITHMS = {"TBA*": "tba", "SS": "salient"}
SCALED: dict[str, Any] = {"make": "scaled", "width": 320, "height": 320, "diagonal": 1.42, "cliffs": False}
PAIRS: dict[str, Any] = {"kind": "pairs", "count": 1, "least": 50, "most": 500}
ERRORS = printed("vermette-A.1")
MAPS = tuple(row["map"] for row in ERRORS)
HARDER = ("AR0202SR", "AR0307SR", "AR0602SR", "AR0705SR")
MOVES = {"octile": "eight", "cardinal": "four"}
SHARE, TRACES = 0.9, 10  # r and c
PROBLEMS = {QUICK: 10, MIDDLE: 20, FULL: 100}  # for each map
HAS_MIDDLE = True
LONGER, ALWAYS = "longer", "always"  # which new paths are followed
TEXT = "-text"
READINGS = {"as the text says": TEXT}
ANALYSES = ("4.5", "4.7", "4.9", "4.11")
SETUP = (
    "50 game maps brought to 320 x 320 cells, without cliffs, {moves} moves, 100 problems of cost 50 to 500 on each; "
    "r = 0.9, c = 10, a diagonal costs 1.42. Middle: 20 problems on each map. Quick: 6 maps with 10 problems each."
)
OCTILE = SETUP.format(moves="octile")
CARDINAL = SETUP.format(moves="cardinal")
HARD = "As the full set, on AR0202SR, AR0307SR, AR0602SR and AR0705SR only. Middle: 20 problems on each. Quick: 10."
Jobs = list[Job] | str


def _searches(row: Row, scale: Scale, harder: bool = False, switch: str = LONGER) -> Jobs:
    """The searches of a setting."""
    name = ALGORITHMS[row["algorithm"]]
    missing = has(name)
    if missing:
        return missing
    options = {OPTIONS["R"]: row["R"], OPTIONS["r"]: SHARE, OPTIONS["c"]: TRACES, OPTIONS["switch"]: switch}
    if row["algorithm"] == "SS":
        options[OPTIONS["N_S"]] = N_S[row["R"], row["ns_pct"]]
        options[OPTIONS["strategy"]] = STRATEGIES[row["strategy"]]
    return _on_maps(name, json.dumps(options), row["grid"], harder, scale)


def _harder(row: Row, scale: Scale, switch: str = LONGER) -> Jobs:
    return _searches(row, scale, True, switch)


def _either(row: Row, scale: Scale, switch: str = LONGER) -> Jobs:
    return _searches(row, scale, row["set"] == "harder", switch)


def _all_salient(row: Row, scale: Scale, switch: str = LONGER) -> Jobs:
    """Every search of Salient Search on the octile grid, on one of the two sets of maps."""
    jobs: list[Job] = []
    for setting in SETTINGS:
        if setting["algorithm"] == "SS":
            part = _searches(setting, scale, row["set"] == "harder", switch)
            if isinstance(part, str):
                return part
            jobs += part
    return jobs


def _salient_on(maps: str) -> Callable[..., Jobs]:
    return lambda row, scale, switch=LONGER: _all_salient({"set": maps}, scale, switch)


def _error(row: Row, scale: Scale) -> Jobs:
    """A* on one map, for the true costs."""
    return has("astar") or _on_map("astar", "{}", "octile", row["map"], PROBLEMS[scale])


def _errors(row: Row, scale: Scale) -> Jobs:
    """A* on all maps with one kind of moves."""
    return has("astar") or _on_maps("astar", "{}", row["grid"], False, scale)


def _on_maps(name: str, options: str, grid: str, harder: bool, scale: Scale) -> Jobs:
    maps = HARDER if harder else MAPS[4::9] if scale == QUICK else MAPS
    jobs: list[Job] = []
    for world in maps:
        part = _on_map(name, options, grid, world, PROBLEMS[scale])
        if isinstance(part, str):
            return part
        jobs += part
    return jobs


@cache
def _on_map(name: str, options: str, grid: str, world: str, problems: int) -> Jobs:
    """The first problems of a map. Kept, since several tables measure the same searches."""
    try:
        path = find_data(f"salient/{world.lower() if world == 'Battleground' else world}.map")
    except Missing as missing:
        return f"not measured: {missing}"
    place, given = SCALED | {"file": str(path), "digest": file_digest(path)}, json.loads(options)
    return [Job(place, PAIRS, name, given, repeat=k, moves=MOVES[grid]) for k in range(problems)]


def _spread_table(number: str, title: str, setup: str, column: str, name: str, jobs: Any) -> PrintedTable:
    metrics = {f"mean_{name}": COLUMNS[column], f"sd_{name}": COLUMNS[column], "n_searches": "queries"}
    return PrintedTable(number, title, setup, metrics, jobs, printed(f"vermette-{number}"), spread(column, name))


def _travel_table(number: str, title: str, setup: str, ratio: str) -> PrintedTable:
    metrics = {"exp_per_move": COLUMNS["expanded"], ratio: COLUMNS["travelled"]}
    return PrintedTable(number, title, setup, metrics, _searches, printed(f"vermette-{number}"), travel(ratio))


def _analysis_table(number: str, title: str, source: str, column: str, maps: str) -> PrintedTable:
    setup = f"Three factors over all searches of Salient Search in Table {source}, as if they were independent."
    metrics, rows = dict.fromkeys(ANALYSIS, COLUMNS[column]), printed(f"vermette-{number}")
    return PrintedTable(
        number,
        title,
        setup,
        metrics,
        _salient_on(maps),
        rows,
        variance(column),
    )


SETTINGS: list[Row] = [
    {"grid": "octile", "algorithm": algorithm, "strategy": strategy, "R": limit, "ns_pct": percent}
    for algorithm, strategy, percent in [*(("SS", *setting) for setting in SALIENT), ("TBA*", "none", 0)]
    for limit in LIMITS
]
ON_ALL_MAPS = (46.72, 1.0, 1.0, 1.003, 1.015, 1.528, 1.08, 89.8, 63.7, 170.1)  # by the text
_TABLES = [
    PrintedTable(
        "4.1",
        "Salient expansions for each R and share of N_E",
        "No measurement: settings that the other tables use as printed, since no rule of rounding gives all of them.",
        {"n_s": "n_s"},
        lambda row, scale: "nothing to measure: these are settings of the other tables",
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
    PrintedTable(
        "A.1",
        "Error of the heuristic by map",
        OCTILE + " The text does not say which moves.",
        dict.fromkeys(("mean_error", "mean_error_pct", "sd_error_pct"), COLUMNS["estimate"]),
        _error,
        ERRORS,
        misjudged,
    ),
    _travel_table("A.2", "Salient Search on the cardinal grid, as Table 4.3", CARDINAL, "travel_ratio"),
    _travel_table("A.3", "TBA* on the cardinal grid, as Table 4.2", CARDINAL, "travel_ratio"),
    PrintedTable(
        "quality",
        "Cost of the solution over the optimum, all searches of Salient Search (Sections 4.3.1 and 4.4)",
        OCTILE,
        dict.fromkeys(QUALITY, COLUMNS["optimum"]),
        _all_salient,
        [
            {"set": "full"} | dict(zip(QUALITY, ON_ALL_MAPS, strict=True)),
            {"set": "harder"} | dict.fromkeys(QUALITY) | {"above_pct": 1.54, "median_optimum": 272.3},
        ],
        quality,
    ),
    PrintedTable(
        "fig4.5",
        "Error of the heuristic, octile and cardinal (also the costs of Figure 4.4)",
        "The same maps with both kinds of moves, 100 problems of cost 50 to 500 on each. Quick: 6 maps with 10 each.",
        dict.fromkeys(("mean_error_pct", "zero_pct"), COLUMNS["estimate"]),
        _errors,
        [{"grid": grid} for grid in MOVES],
        misjudged_each,
    ),
    PrintedTable(
        "fig4.12",
        "Expansions per move and travel ratio on harder maps",
        HARD,
        {"exp_per_move": COLUMNS["expanded"], "suboptimality": COLUMNS["travelled"]},
        _harder,
        SETTINGS,
        travel("suboptimality"),
    ),
    PrintedTable(
        "work",
        "The most work of any iteration",
        OCTILE + " N_E = floor(r R) expansions and N_T = c (R - N_E) trace steps are allowed.",
        {name: COLUMNS[name] for name in ("most_expanded", "most_traced")},
        _searches,
        [row | {"n_e": int(SHARE * row["R"]), "n_t": TRACES * (row["R"] - int(SHARE * row["R"]))} for row in SETTINGS],
        largest,
    ),
    PrintedTable(
        "parity",
        "Searches with an odd number of turns",
        OCTILE + " Both sets of maps.",
        {"odd_searches": COLUMNS["turns"]},
        _either,
        [{"set": name} | row for name in ("full", "harder") for row in SETTINGS],
        odd,
    ),
    PrintedTable(
        "order",
        "Searches without salient expansions that expand what TBA* expands, in the same order",
        "Random problems on the four harder maps, 20 on each (quick: 2), octile moves; N_S = 0.",
        {"same": "same", "expanded": "expanded"},
        lambda row, scale: [],
        [{"strategy": strategy, "R": limit} for strategy in STRATEGIES for limit in LIMITS],
        make=compare,
    ),
]


def _by_the_text(table: PrintedTable) -> PrintedTable:
    """The same table, measured as the text says."""
    jobs: Any = table.jobs
    title, setup = f"{table.title}, as the text says", f"As {table.id}, but every new path is followed."
    return replace(
        table, id=table.id + TEXT, title=title, setup=setup, jobs=lambda row, scale: jobs(row, scale, switch=ALWAYS)
    )


_WALKS = (_searches, _harder, _either, _all_salient)
_BOTH = [table for table in _TABLES if table.jobs in _WALKS or table.id in ANALYSES]
TABLES = [*_TABLES, *map(_by_the_text, _BOTH)]
