"""Arun, Pathfinding in multi-agent systems: nodes expanded, execution times, and what the text says of each algorithm.

The document names neither map nor unit nor the number of runs: only orders can be compared. It tells of waypoints on a
grid with obstacles, and counts expansions per 400 nodes; ours are grids of 20 x 20 cells.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import replace

from wayfolk.experiments.cell import Cell
from wayfolk.experiments.papers import Row, Table, has, printed
from wayfolk.experiments.papers.arun_claims import CLAIMS, DEPTHS, SCALES, WALKERS

__all__ = ["CLAIMS", "TABLES", "TITLE"]

TITLE = "Arun, Pathfinding in multi-agent systems"

# how the document calls algorithms, and what the catalogue calls them or is expected to
NAMES = {
    "A*": "astar",
    "Dijkstra": "dijkstra",
    "Theta*": "theta",
    "RTA*": "rta",
    "A* smoothed": "astar_smoothed",
    "any-angle optimum": "anya",
}
OPTIONS = {"scale": "weight", "depth": "depth"}  # columns of our tables, and options
TURNS = "heading_changes"
PER_MOVE = "seconds_per_move"

SIZE = 20
BLOCKED = (0.0, 0.1, 0.2)
MAPS, QUICK_MAPS = 20, 2  # of each density
PAIRS = 100
SINGLES, QUICK_SINGLES = 100, 20  # paths of each density that are compared one by one
TIMED_SIZE = 100  # on 20 x 20 cells a call takes longer than the search in it
TIMED_MAPS, QUICK_TIMED_MAPS = 10, 3  # of each density
TAKES = 10  # of the same searches: whatever disturbs a clock only adds to it
WHERE = (
    " Grids of {size} x {size} cells, 8 neighbours without cutting corners; none, a tenth or a fifth of the cells are"
    " blocked at random, on as many maps each; random starts and goals. That is our choice: the document tells of"
    " waypoints on a grid with obstacles, names the diagonal distance among its heuristics, counts per 400 nodes, and"
    " says no more."
)


def cells(row: Row, quick: bool) -> list[Cell] | str:
    """The searches of the first table."""
    return _searches(row, PAIRS, QUICK_MAPS if quick else MAPS)


def _one_by_one(row: Row, quick: bool) -> list[Cell] | str:
    return _takes(_searches(row, 1, QUICK_SINGLES if quick else SINGLES))


def _timed(row: Row, quick: bool) -> list[Cell] | str:
    return _takes(_searches(row, row["agents"], QUICK_TIMED_MAPS if quick else TIMED_MAPS, TIMED_SIZE))


def _takes(once: list[Cell] | str) -> list[Cell] | str:
    """The same cells several times, under other names."""
    if isinstance(once, str):
        return once
    return [replace(cell, map=cell.map | {"name": f"take {take}"}) for take in range(TAKES) for cell in once]


def _searches(row: Row, count: int, maps: int, size: int = SIZE) -> list[Cell] | str:
    """Searches of one algorithm between `count` random pairs on each of `maps` maps of each density."""
    name = NAMES[row["algorithm"]]
    options = {option: row[column] for column, option in OPTIONS.items() if row.get(column) is not None}
    return has(name) or [
        Cell(
            map={"make": "random", "width": size, "height": size, "blocked": blocked, "seed": seed},
            problem={"kind": "pairs", "count": count},
            algorithm=name,
            options=options,
            seed=seed,
            moves="eight",
        )
        for blocked in BLOCKED
        for seed in range(maps)
    ]


def _deep(row: Row, quick: bool) -> list[Cell] | str:
    return has(NAMES["RTA*"]) or cells(row, quick)


def _blind(row: Row, quick: bool) -> list[Cell] | str:
    return "not measured: nothing runs these algorithms on a map that is seen only in part yet"


def _nodes(runs: list[Row], row: Row) -> Row:
    """The mean over all searches, and the least and the most of any one."""
    return {
        "mean_nodes_expanded_per_400": statistics.fmean(run["expanded"] for run in runs),
        "least": min(run["expanded_least"] for run in runs),
        "most": max(run["expanded_most"] for run in runs),
    }


def _time(runs: list[Row], row: Row) -> Row:
    return {"execution_time": statistics.fmean(take["seconds"] for take in _best_takes(runs))}


def _paths(runs: list[Row], row: Row) -> Row:
    """Means, and every length in an order that is the same for all algorithms."""
    takes = _best_takes(runs)
    turns = [take[TURNS] for take in takes if take.get(TURNS) is not None]
    return {
        "length": statistics.fmean(take["cost"] for take in takes),
        "heading_changes": statistics.fmean(turns) if turns else None,
        "seconds": statistics.fmean(take["seconds"] for take in takes),
        "lengths": [take["cost"] for take in takes],
    }


def _best_takes(runs: list[Row]) -> list[Row]:
    """The quickest take of each map, in the order of maps."""
    best: dict[tuple[float, int], Row] = {}
    for run in sorted(runs, key=lambda run: run["seconds"]):
        where = json.loads(run["cell"])["map"]
        best.setdefault((where["blocked"], where["seed"]), run)
    return [best[place] for place in sorted(best)]


def _depth(runs: list[Row], row: Row) -> Row:
    return {
        "success": sum(run["solved"] for run in runs) / sum(run["queries"] for run in runs),
        "cost": statistics.fmean(run["cost"] for run in runs),
        "seconds_per_move": statistics.median(run[PER_MOVE] for run in runs),
    }


TABLES = [
    Table(
        "nodes",
        "Average nodes expanded per 400",
        "Searches between 100 pairs on each of 20 maps of each density (quick: 2)." + WHERE.format(size=SIZE),
        {"mean_nodes_expanded_per_400": "expanded", "least": "expanded_least", "most": "expanded_most"},
        cells,
        printed("arun-nodes"),
        _nodes,
    ),
    Table(
        "times",
        "Execution time by number of agents",
        "The time for a path for each of 5, 8 and 10 agents, in seconds (the document's unit is unknown): the least of"
        " ten takes, on 10 maps of each density (quick: 3), larger ones since on 20 x 20 cells a call takes longer than"
        " the search in it." + WHERE.format(size=TIMED_SIZE),
        {"execution_time": "seconds"},
        _timed,
        printed("arun-times"),
        _time,
    ),
    Table(
        "heuristics",
        "A* with its heuristic scaled, and Dijkstra",
        "The octile distance times 0, 0.5, 1 and 2, on the searches of the first table; the mean cost of a batch of 100"
        " paths. Told in sections 4.0.5 to 4.0.7 without numbers." + WHERE.format(size=SIZE),
        {"expanded": "expanded", "cost": "cost"},
        cells,
        [{"algorithm": "A*", "scale": scale} for scale in SCALES] + [{"algorithm": "Dijkstra", "scale": None}],
    ),
    Table(
        "paths",
        "Lengths and heading changes",
        "Path by path: 100 of each density (quick: 20). Told in sections 4.0.7 and 4.0.8 without numbers."
        + WHERE.format(size=SIZE),
        {"length": "cost", "heading_changes": TURNS, "seconds": "seconds"},
        _one_by_one,
        [{"algorithm": name} for name in ("A*", "A* smoothed", "Theta*", "any-angle optimum")],
        _paths,
    ),
    Table(
        "lookahead",
        "RTA* by depth of lookahead",
        "The searches of the first table. Told in section 4.0.9 without numbers." + WHERE.format(size=SIZE),
        {"success": "solved", "cost": "cost", "seconds_per_move": PER_MOVE},
        _deep,
        [{"algorithm": "RTA*", "depth": depth} for depth in DEPTHS],
        _depth,
    ),
    Table(
        "view",
        "Who can do with a limited view",
        "Whether an algorithm reaches a goal when it sees only the cells around it. Told in chapter 7 without numbers.",
        {"runs": "solved"},
        _blind,
        [{"algorithm": name} for name in WALKERS],
    ),
]
