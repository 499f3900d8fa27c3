"""Renukamurthy 2016, SDP with Cooperative JPS: the tables of eight maps, and the checks they call for. Document 004.

Each map has a table of makespan and solution time (a) and one of failed units (b). The printed index of the unit that
causes the makespan is left out: it says nothing about other starts and goals.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from wayfolk.errors import Missing
from wayfolk.experiments.papers.claims import Cause, Choice
from wayfolk.experiments.papers.noise import with_errors
from wayfolk.experiments.papers.sdp.claims import CLAIMS
from wayfolk.experiments.papers.sdp.figures import FIGURES
from wayfolk.experiments.papers.sdp.judges import AREAS, CA, CJ, FAILS, LENGTH, NUMBERS, TIME
from wayfolk.experiments.papers.tables import FULL, MIDDLE, QUICK, PrintedTable, Row, Scale, has, printed
from wayfolk.experiments.sweeps.job import Job, file_digest
from wayfolk.files.folders import find_data

__all__ = ["CAUSES", "CHOICES", "CLAIMS", "FIGURES", "HAS_MIDDLE", "PICTURES", "TABLES", "TITLE"]

TITLE = "Renukamurthy 2016, Spatially distributed pathfinding (SDP) with Cooperative JPS"

PICTURES = [
    (
        f"Areas of {name}: rooms in light colours, inbound lanes in blue, outbound lanes in orange",
        f"sdp/areas-{name}.png",
    )
    for name in AREAS
]

CHOICES = [
    Choice("moves", "8-way for both searches", "the text allows both, and does not say which search had which (S12)"),
    Choice(
        "starts and goals", "random, in rooms, the same for both searches; more units contain the fewer", "not said"
    ),
    Choice("time", "processor time of the whole run", "overall in the captions, of one unit in the text (sS27)"),
    Choice("failed units", "those not on their goals at the end", "never defined (sS27)"),
    Choice("horizon", "2,000 steps", "not said"),
    Choice(
        "length of the patterns of contention areas",
        "as in `controllers/sdp/cores.py`",
        "8 in the text, 4 in its figures (sS16)",
    ),
    Choice("side-way moves", "beside the line of travel", "the printed rule lies on it (sS1, sS2)"),
]
NOBODY_FAILS = Cause(
    "setup",
    "how agents on their goals make room, which the text does not say",
    "Ours step aside for those who leave a lane, and do not return before they have passed: no agent fails, with either"
    " search. The rules were not switched off one by one, so it is not shown that the thesis' agents fail for this"
    " reason.",
    "Before these rules, and before a mistake in reservations was mended, 10 of 360 agents failed in one of three runs on"
    " den505d, and 1 of 100 on den401d and on den405d. Now none does in five runs of the largest number on each of the"
    " eight maps, with `crowds` and without.",
)
CAUSES = {
    "S1": Cause(
        "setup",
        "starts, goals and moves, the same for both searches here",
        "With equal conditions both make agents walk nearly the same steps; printed gains of this size need different"
        " conditions for the two (see S12).",
        "In 70 of 85 rows the difference is inside the noise of five runs, in 15 Cooperative JPS is not lower. With 10"
        " units on den204d ours are 65.0 and 65.2 steps, printed are 127 and 51.",
    ),
    "S2": Cause(
        "setup",
        "starts, goals and moves, the same for both searches here",
        "As S1.",
        "The sums of makespans differ by 1 percent at most on each of the four maps.",
    ),
    "S3": Cause(
        "chance",
        "",
        "Each gain is far above the printed one; whether den204d's is the largest is inside the noise of five runs.",
        "The gains are 867 to 3,833 percent; printed are 30 to 117.",
    ),
    "S4": Cause(
        "chance",
        "",
        "No row is decided against Cooperative JPS.",
        "It is faster in 77 of 85 rows; in 8 rows the difference is inside the noise of five runs.",
    ),
    "S5": Cause(
        "difference",
        "",
        "Our Cooperative A* searches space and time in large rooms: with few agents it is the slower one, too.",
        "On the four body maps Cooperative JPS is 10 to 39 times as fast.",
    ),
    "S8": NOBODY_FAILS,
    "S9": Cause(
        "difference",
        "",
        "There is hardly a gain in makespan that could shrink.",
        "The gains in makespan on the body maps are -0.6 to 1.0 percent.",
    ),
    "S11": Cause(
        "chance", "", "Five runs are too few.", "In 22 of 24 rows one of the three measures is inside the noise."
    ),
    "S12": Cause(
        "difference",
        "",
        "4-way moves for Cooperative A* alone do not explain the gains: some printed makespans are above what any"
        " 4-way path needs.",
        "Gains of the printed size on one map of eight; on den204d with 10 units 127 steps are printed, and the longest"
        " shortest path of the map has 117 with 4-way moves.",
    ),
    "S13": Cause(
        "difference",
        "",
        "Nested instances are not nested plans: with more agents some wait at other places, and the one that walks longest"
        " may walk a few steps less.",
        "It falls in 13 of 190 steps, all on hrt201d.",
    ),
    "S14": NOBODY_FAILS,
}

SDP = "sdp"
SEARCH: dict[str, dict[str, Any]] = {
    CA: {"search": "ca", "effort": 500_000},  # nodes for one way: the default is too few for rooms of 13,000 cells
    CJ: {"search": "cjps"},
}
NO_SIDEWAYS = {"sideways": False}
SINGLE = {"A*": "astar", "JPS": "jps"}
STRAYED, CUT = "strayed_units", "cut_runs"
COLUMNS = {
    LENGTH: "longest_path",  # steps of the unit that walked longest, among those that arrived
    TIME: "cpu_seconds",
    FAILS: "failed_units",
    STRAYED: "strayed_units",  # failed units that had been at their goals
    CUT: "status",
    "makespan": "makespan",  # with failed units counted at the horizon
    "cost": "cost",
    "wrong_cost": "wrong_cost",
    "opened": "generated",  # nodes put on the open list
}


class _IterationCounts(NamedTuple):
    """The iterations and steps of a scale, and how many units Cooperative A* has at most on the maps with large rooms.

    `few`: three counts of each map. `largest`: the largest count as well, for the failures at the end (S7).
    """

    iterations: int
    steps: int
    most: dict[str, int]
    few: bool
    largest: bool


HAS_MIDDLE = True
SIZES = {
    QUICK: _IterationCounts(2, 2000, {"hrt201d": 0, "den505d": 20}, few=True, largest=False),
    MIDDLE: _IterationCounts(5, 2000, {"hrt201d": 20, "den505d": 120}, few=False, largest=True),
    FULL: _IterationCounts(5, 2000, {}, few=False, largest=True),
}
SECONDS = 600.0  # of a run, so that none lasts for ever
SETUP = (
    "{map}, {hcas} high contention areas by the text, {cells} free cells; 8-way moves for both searches, which the text "
    "leaves open; random starts and goals in rooms (low contention areas) only, the same for both searches, and more units "
    "contain the fewer; means over 5 iterations with standard errors. Time is processor time. A run ends after 2,000 "
    "steps. Middle: Cooperative A* with up to 20 units on hrt201d and 120 on den505d, and with the largest number. "
    "Quick: 2 iterations of the smallest, a middle and the largest number of units."
)
CHECKS = "As the tables of the eight maps, for the smallest, a middle and the largest number of units of each."
LEFT_OUT = "left out of the quick version"
TOO_SLOW = "only in the full version: Cooperative A* takes half a minute in the large rooms of this map"


def _jobs(row: Row, scale: Scale, moves: str = "eight", options: dict[str, Any] | None = None) -> list[Job] | str:
    """The runs of a row: its number of units on its map, with one of the two searches."""
    missing = has(SDP)
    if missing:
        return missing
    size = SIZES[scale]
    if size.few and row["units"] not in _few_units(row["map"]):
        return LEFT_OUT
    is_wanted = size.largest and row["units"] == _all_units(row["map"])[-1]
    if row["algorithm"] == CA and row["units"] > size.most.get(row["map"], row["units"]) and not is_wanted:
        return TOO_SLOW
    world = _file(f"sdp/{row['map']}.map")
    if isinstance(world, str):
        return world
    problem = {"kind": "paper", "name": "sdp-rooms", "agents": row["units"]}
    options = SEARCH[row["algorithm"]] | (options or {})
    limits = {"seconds": SECONDS, "steps": size.steps}
    return [Job(world, problem, SDP, options, seed=seed, limits=limits, moves=moves) for seed in range(size.iterations)]


def _by_moves(row: Row, scale: Scale) -> list[Job] | str:
    return _jobs(row, scale, moves=row["moves"])


def _by_sideways(row: Row, scale: Scale) -> list[Job] | str:
    return _jobs(row, scale, options={} if row["sideways"] == "yes" else NO_SIDEWAYS)


def _queries(row: Row, scale: Scale) -> list[Job] | str:
    """The benchmark's own queries on a map."""
    missing = has(*SINGLE.values())
    if missing:
        return missing
    world, queries = _file(f"sdp/{row['map']}.map"), _file(f"sdp/{row['map']}.map.scen")
    if isinstance(world, str) or isinstance(queries, str):
        return world if isinstance(world, str) else str(queries)
    part = {"first": 100, "count": 50} if scale == QUICK else {}
    return [Job(world, {"kind": "queries", **queries, **part}, SINGLE[row["algorithm"]])]


@cache
def _few_units(name: str) -> tuple[int, ...]:
    counts = _all_units(name)
    return counts[0], counts[len(counts) // 2], counts[-1]


def _all_units(name: str) -> list[int]:
    return sorted({row["units"] for row in printed(f"sdp-{NUMBERS[name]}a")})


@cache
def _file(name: str) -> dict[str, Any] | str:
    try:
        path = find_data(name)
    except Missing as missing:
        return f"not measured: {missing}"
    return {"file": str(path), "digest": file_digest(path)}


def _is_cut(run: Row) -> bool:
    """Whether the clock ended a run: units are on their way, and it has steps left."""
    limits = json.loads(run["cell"])["limits"]
    return bool(run["status"] != "solved" and (run.get("makespan") or 0) < limits["steps"])


def _of_run(run: Row, name: str) -> float | None:
    """A measure of a run; of a run that was cut only the time is known."""
    is_cut = _is_cut(run)
    if name == CUT:
        return float(is_cut)
    return None if is_cut and name != TIME else run.get(COLUMNS[name])


def _means(*names: str) -> Callable[[list[Row], Row], Row]:
    """A summary of runs: the mean of each measure with its standard error, in the order of iterations."""

    def summarise(runs: list[Row], row: Row) -> Row:
        runs = sorted(runs, key=lambda run: run["seed"])
        summary = with_errors({name: [_of_run(run, name) for run in runs] for name in names if name != CUT})
        if CUT in names:
            summary[CUT] = sum(map(_is_cut, runs))
        return summary

    return summarise


def _of_queries(runs: list[Row], row: Row) -> Row:
    names = ("cost", "wrong_cost", "opened")
    return {name: runs[0].get(COLUMNS[name]) for name in names} | {TIME: runs[0].get("seconds")}


def _table(id: str, title: str, setup: str, names: tuple[str, ...], jobs: Any, rows: list[Row]) -> PrintedTable:
    summary = _of_queries if jobs is _queries else _means(*names)
    metrics = {name: COLUMNS[name] for name in names}
    return PrintedTable(id, title, setup, metrics, jobs, rows, summary, has_seconds=TIME in names)


def _printed(name: str, metrics: tuple[str, ...]) -> list[Row]:
    kept = {"map", "units", "algorithm", *metrics}
    return [{key: value for key, value in row.items() if key in kept} for row in printed(name)]


def _pair(name: str) -> list[PrintedTable]:
    """The two tables of a map."""
    number, (hcas, cells) = NUMBERS[name], AREAS[name]
    setup = SETUP.format(map=name, hcas=hcas, cells=cells)
    return [
        _table(id, f"{title} on {name}", setup, metrics, _jobs, _printed(f"sdp-{id}", metrics))
        for id, title, metrics in (
            (f"{number}a", "Makespan and solution time", (LENGTH, TIME, CUT)),
            (f"{number}b", "Failed units", (FAILS, STRAYED)),
        )
    ]


def _settings(
    names: tuple[str, ...], column: str, values: tuple[tuple[str, str], ...], *, is_few: bool = True
) -> list[Row]:
    """Rows for some numbers of units on some maps: an algorithm, and a value of one more column."""
    return [
        {"map": name, "units": units, "algorithm": algorithm, column: value}
        for name in names
        for units in (_few_units(name) if is_few else _all_units(name))
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
        CHECKS,
        (LENGTH, TIME, FAILS),
        _by_sideways,
        _settings(tuple(NUMBERS), "sideways", ((CJ, "yes"), (CJ, "no"))),
    ),
    _table(
        "moves",
        "The makespan with 4-way and 8-way moves",
        CHECKS
        + " Starts and goals are the same for all. With 4-way moves Cooperative JPS jumps along straight lines only.",
        (LENGTH, CUT),
        _by_moves,
        _settings(tuple(NUMBERS), "moves", ((CA, "four"), (CA, "eight"), (CJ, "four"), (CJ, "eight"))),
    ),
    _table(
        "nested",
        "The makespan over all units, failed ones counted at the horizon",
        "As the tables of these maps, each row with the units of the row before and some more. A run with failed units "
        "lasts until the horizon, step 2,000.",
        ("makespan",),
        _jobs,
        _settings(("orz704d", "hrt201d"), "failed", ((CA, "counted"), (CJ, "counted")), is_few=False),
    ),
]
