"""Renukamurthy 2016, SDP with Cooperative JPS: the tables of eight maps, and the checks they call for. Document 004.

Each map has a table of makespan and solution time (a) and one of failed units (b). The printed index of the unit that
causes the makespan is left out: it says nothing about other starts and goals.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import cache
from typing import Any

from wayfolk.data import find_data
from wayfolk.errors import Missing
from wayfolk.experiments.cell import Cell, file_digest
from wayfolk.experiments.papers import QUICK, Row, Scale, Table, has, printed
from wayfolk.experiments.papers.sdp_claims import AREAS, CA, CJ, CLAIMS, FAILS, LENGTH, NUMBERS, TIME

__all__ = ["CLAIMS", "TABLES", "TITLE"]

TITLE = "Renukamurthy 2016, Spatially distributed pathfinding (SDP) with Cooperative JPS"

# what the algorithms, their options and the columns of the store are expected to be called
SDP = "sdp"
SEARCH = {CA: {"search": "ca"}, CJ: {"search": "cjps"}}
NO_SIDEWAYS = {"sideways": False}
SINGLE = {"A*": "astar", "JPS": "jps"}
COLUMNS = {
    LENGTH: "longest_path",  # steps of the unit that walked longest, among those that arrived
    TIME: "seconds",
    FAILS: "failed_units",
    "makespan": "makespan",  # with failed units counted at the horizon
    "cost": "cost",
    "wrong_cost": "wrong_cost",
    "opened": "generated",  # nodes put on the open list
}

ITERATIONS = 5
LIMITS = {"seconds": 120.0, "steps": 5000}
QUICK_LIMITS = {"seconds": 20.0, "steps": 2000}
SETUP = (
    "{map}, {hcas} high contention areas by the text, {cells} free cells; 8-way moves for both, which the text leaves "
    "open; random starts and goals anywhere (the text: in low contention areas only); means over 5 iterations. "
    "Quick: 1 iteration of the smallest, a middle and the largest number of units."
)
LEFT_OUT = "left out of the quick version"


def _cells(row: Row, scale: Scale, moves: str = "eight", options: dict[str, Any] | None = None) -> list[Cell] | str:
    """The runs of a row: as many units on its map, with one of the two searches."""
    missing = has(SDP)
    if missing:
        return missing
    if scale == QUICK and row["units"] not in _quick_units(row["map"]):
        return LEFT_OUT
    world = _file(f"sdp/{row['map']}.map")
    if isinstance(world, str):
        return world
    problem = {"kind": "random", "agents": row["units"]}
    options = SEARCH[row["algorithm"]] | (options or {})
    limits = QUICK_LIMITS if scale == QUICK else LIMITS
    return [
        Cell(world, problem, SDP, options, seed=seed, limits=limits, moves=moves)
        for seed in range(1 if scale == QUICK else ITERATIONS)
    ]


def _by_moves(row: Row, scale: Scale) -> list[Cell] | str:
    return _cells(row, scale, moves=row["moves"])


def _by_sideways(row: Row, scale: Scale) -> list[Cell] | str:
    return _cells(row, scale, options={} if row["sideways"] == "yes" else NO_SIDEWAYS)


def _nested(row: Row, scale: Scale) -> list[Cell] | str:
    """One iteration: with the same seed, more units are the same units and some others."""
    found = _cells(row, scale)
    return found if isinstance(found, str) else found[:1]


def _queries(row: Row, scale: Scale) -> list[Cell] | str:
    """The benchmark's own queries on a map."""
    missing = has(*SINGLE.values())
    if missing:
        return missing
    world, queries = _file(f"sdp/{row['map']}.map"), _file(f"sdp/{row['map']}.map.scen")
    if isinstance(world, str) or isinstance(queries, str):
        return world if isinstance(world, str) else str(queries)
    part = {"first": 100, "count": 50} if scale == QUICK else {}
    return [Cell(world, {"kind": "queries", **queries, **part}, SINGLE[row["algorithm"]])]


@cache
def _quick_units(name: str) -> tuple[int, ...]:
    counts = sorted({row["units"] for row in printed(f"sdp-{NUMBERS[name]}a")})
    return counts[0], counts[len(counts) // 2], counts[-1]


@cache
def _file(name: str) -> dict[str, Any] | str:
    try:
        path = find_data(name)
    except Missing as missing:
        return f"not measured: {missing}"
    return {"file": str(path), "digest": file_digest(path)}


def _means(*names: str) -> Callable[[list[Row], Row], Row]:
    """A summary of runs: the mean of each measure, None if a run does not have it."""

    def summarise(runs: list[Row], row: Row) -> Row:
        found = {name: [run.get(COLUMNS[name]) for run in runs] for name in names}
        return {name: None if None in values else statistics.fmean(values) for name, values in found.items()}  # type: ignore[arg-type]

    return summarise


def _table(id: str, title: str, setup: str, names: tuple[str, ...], cells: Any, rows: list[Row]) -> Table:
    return Table(id, title, setup, {name: COLUMNS[name] for name in names}, cells, rows, _means(*names))


def _printed(name: str, metrics: tuple[str, ...]) -> list[Row]:
    kept = {"map", "units", "algorithm", *metrics}
    return [{key: value for key, value in row.items() if key in kept} for row in printed(name)]


def _pair(name: str) -> list[Table]:
    """The two tables of a map."""
    number, (hcas, cells) = NUMBERS[name], AREAS[name]
    setup = SETUP.format(map=name, hcas=hcas, cells=cells)
    return [
        _table(id, f"{title} on {name}", setup, metrics, _cells, _printed(f"sdp-{id}", metrics))
        for id, title, metrics in (
            (f"{number}a", "Makespan and solution time", (LENGTH, TIME)),
            (f"{number}b", "Failed units", (FAILS,)),
        )
    ]


def _settings(names: tuple[str, ...], column: str, values: tuple[tuple[str, str], ...]) -> list[Row]:
    """Rows for each number of units on some maps: an algorithm, and a value of one more column."""
    return [
        {"map": name, "units": units, "algorithm": algorithm, column: value}
        for name in names
        for units in sorted({row["units"] for row in printed(f"sdp-{NUMBERS[name]}a")})
        for algorithm, value in values
    ]


TABLES = [
    *(table for name in NUMBERS for table in _pair(name)),
    _table(
        "jps",
        "A* and JPS for one unit",
        "The benchmark's queries on the eight maps, one unit at a time, no corner cutting. Quick: 50 on each map.",
        ("cost", "wrong_cost", "opened", TIME),
        _queries,
        [{"map": name, "algorithm": algorithm} for name in NUMBERS for algorithm in SINGLE],
    ),
    _table(
        "sideways",
        "Cooperative JPS with and without side-way moves",
        "As the tables of the eight maps.",
        (LENGTH, TIME, FAILS),
        _by_sideways,
        _settings(tuple(NUMBERS), "sideways", ((CJ, "yes"), (CJ, "no"))),
    ),
    _table(
        "moves",
        "The makespan with 4-way and 8-way moves",
        "As the tables of the eight maps, with the same starts and goals for all; Cooperative JPS needs 8-way moves.",
        (LENGTH,),
        _by_moves,
        _settings(tuple(NUMBERS), "moves", ((CA, "four"), (CA, "eight"), (CJ, "eight"))),
    ),
    _table(
        "nested",
        "The makespan over all units, failed ones counted at the horizon",
        "As the tables of these maps, one iteration, each row with the units of the row before and some more.",
        ("makespan",),
        _nested,
        _settings(("orz704d", "hrt201d"), "failed", ((CA, "counted"), (CJ, "counted"))),
    ),
]
