"""Arun, Pathfinding in multi-agent systems: nodes expanded, execution times, and what the text says of each algorithm.

The document names neither map nor unit nor the number of runs: only orders can be compared. It tells of waypoints on a
grid with obstacles, and counts expansions per 400 nodes; ours are grids of 20 x 20 cells.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import replace

from wayfolk.experiments.papers.arun.causes import CAUSES, CHOICES, FINDINGS
from wayfolk.experiments.papers.arun.claims import CLAIMS, DEPTHS, LOOKAHEAD, SCALES, WALKERS
from wayfolk.experiments.papers.arun.crowd import CROWD, CROWD_FIGURE
from wayfolk.experiments.papers.arun.figures import FIGURES
from wayfolk.experiments.papers.arun.view import SIGHT, walks
from wayfolk.experiments.papers.noise import with_errors
from wayfolk.experiments.papers.tables import QUICK, PrintedTable, Row, Scale, has, printed
from wayfolk.experiments.sweeps.job import Job

__all__ = ["CAUSES", "CHOICES", "CLAIMS", "FIGURES", "FINDINGS", "READINGS", "TABLES", "TITLE"]

TITLE = "Arun, Pathfinding in multi-agent systems"

# how the document calls algorithms, and what the catalogue calls them
NAMES = {
    "BFS": "bfs",
    "Dijkstra": "dijkstra",
    "A*": "astar",
    "A* smoothed": "astar_smoothed",
    "Theta*": "theta",
    "RTA*": "rta",
}
OPTIONS = {"scale": "weight", "depth": "depth", "order": "order"}  # columns of our tables, and options
FIFO = "-fifo"
READINGS = {"Theta* with a plain queue": FIFO}
TURNS = "heading_changes"
NODES = printed("arun-nodes")

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
DEPTH = (
    f" RTA* looks {LOOKAHEAD} moves ahead: the document does not say how far, and with another depth it expands far fewer"
    " nodes or far more."
)


def jobs(row: Row, scale: Scale) -> list[Job] | str:
    """The searches of the first table."""
    return _searches(row, PAIRS, QUICK_MAPS if scale == QUICK else MAPS)


def _one_by_one(row: Row, scale: Scale) -> list[Job] | str:
    return _takes(_searches(row, 1, QUICK_SINGLES if scale == QUICK else SINGLES))


def _timed(row: Row, scale: Scale) -> list[Job] | str:
    return _takes(_searches(row, row["agents"], QUICK_TIMED_MAPS if scale == QUICK else TIMED_MAPS, TIMED_SIZE))


def _takes(once: list[Job] | str) -> list[Job] | str:
    """The same jobs several times, under different names."""
    if isinstance(once, str):
        return once
    return [replace(job, map=job.map | {"name": f"take {take}"}) for take in range(TAKES) for job in once]


def _searches(row: Row, count: int, maps: int, size: int = SIZE) -> list[Job] | str:
    """Searches of one algorithm between `count` random pairs on each of `maps` maps of each density."""
    name = NAMES[row["algorithm"]]
    settings = {"depth": LOOKAHEAD} | row if row["algorithm"] == "RTA*" else row
    options = {option: settings[column] for column, option in OPTIONS.items() if settings.get(column) is not None}
    return has(name) or [
        Job(
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


def _deep(row: Row, scale: Scale) -> list[Job] | str:
    return _takes(_searches(row, PAIRS, QUICK_TIMED_MAPS if scale == QUICK else TIMED_MAPS, TIMED_SIZE))


def _walks(row: Row, scale: Scale) -> list[Row] | str:
    return walks(NAMES[row["algorithm"]], SIZE, BLOCKED, QUICK_MAPS if scale == QUICK else MAPS)


def _each(runs: list[Row], row: Row) -> Row:
    """Means over all searches, the least and the most nodes, and the nodes and seconds of each search."""
    takes = _best_takes(runs)
    nodes, seconds = [take["expanded"] for take in takes], [take["seconds"] for take in takes]
    return {
        "mean_nodes_expanded_per_400": statistics.fmean(nodes),
        "least": min(nodes),
        "most": max(nodes),
        "seconds": statistics.fmean(seconds),
        "nodes": nodes,
        "times": seconds,
    }


def _nodes(runs: list[Row], row: Row) -> Row:
    """The mean over maps, each of many searches, with its standard error."""
    return with_errors({"mean_nodes_expanded_per_400": [take["expanded"] for take in _best_takes(runs)]})


def _time(runs: list[Row], row: Row) -> Row:
    return with_errors({"execution_time": [take["seconds"] for take in _best_takes(runs)]})


def _paths(runs: list[Row], row: Row) -> Row:
    """Means, and every length in an order that is the same for all algorithms."""
    takes = _best_takes(runs)
    turns = [take[TURNS] for take in takes if take.get(TURNS) is not None]
    return {
        "length": statistics.fmean(take["cost"] for take in takes),
        "heading_changes": statistics.fmean(turns) if turns else None,
        "lengths": [take["cost"] for take in takes],
    } | with_errors({"seconds": [take["seconds"] for take in takes]})


def _best_takes(runs: list[Row]) -> list[Row]:
    """The quickest take of each map, in the order of maps, without takes whose time went into loading kernels."""
    best: dict[tuple[float, int], Row] = {}
    for run in sorted((run for run in runs if run["seconds"] > 0), key=lambda run: run["seconds"]):
        where = json.loads(run["cell"])["map"]
        best.setdefault((where["blocked"], where["seed"]), run)
    return [best[place] for place in sorted(best)]


def _depth(runs: list[Row], row: Row) -> Row:
    takes = _best_takes(runs)
    moves = sum(take["fuel"] for take in takes)
    return {
        "success": sum(run["solved"] for run in runs) / sum(run["queries"] for run in runs),
        "cost": statistics.fmean(take["cost"] for take in takes),
        "expanded_per_move": sum(take["expanded"] * take["queries"] for take in takes) / moves,
        "seconds_per_move": sum(take["seconds"] for take in takes) / moves,
    }


_TABLES = [
    PrintedTable(
        "nodes",
        "Average nodes expanded per 400",
        "Searches between 100 pairs on each of 20 maps of each density (quick: 2)." + DEPTH + WHERE.format(size=SIZE),
        {"mean_nodes_expanded_per_400": "expanded"},
        jobs,
        NODES,
        _nodes,
    ),
    PrintedTable(
        "searches",
        "Nodes expanded and time, search by search (Figures 6.1 to 6.4)",
        "Search by search: 100 of each density (quick: 20); seconds are the least of ten takes, and on so few cells mostly"
        " those of a call." + DEPTH + WHERE.format(size=SIZE),
        {"mean_nodes_expanded_per_400": "expanded", "least": "expanded", "most": "expanded", "seconds": "seconds"},
        _one_by_one,
        [next((row for row in NODES if row["algorithm"] == name), {"algorithm": name}) for name in NAMES],
        _each,
        has_seconds=True,
    ),
    PrintedTable(
        "times",
        "Execution time by number of agents",
        "The time for a path for each of 5, 8 and 10 agents, in seconds (the document's unit is unknown): the least of"
        " ten takes, on 10 maps of each density (quick: 3), larger ones since on 20 x 20 cells a call takes longer than"
        " the search in it." + WHERE.format(size=TIMED_SIZE),
        {"execution_time": "seconds"},
        _timed,
        printed("arun-times"),
        _time,
        has_seconds=True,
    ),
    PrintedTable(
        "heuristics",
        "A* with its heuristic scaled, and Dijkstra",
        "The octile distance times 0, 0.5, 1 and 2, on the searches of the first table; the mean cost of a batch of 100"
        " paths. Told in sections 4.0.5 to 4.0.7 without numbers." + WHERE.format(size=SIZE),
        {"expanded": "expanded", "cost": "cost"},
        jobs,
        [{"algorithm": "A*", "scale": scale} for scale in SCALES] + [{"algorithm": "Dijkstra", "scale": None}],
    ),
    PrintedTable(
        "paths",
        "Lengths and heading changes",
        "Path by path: 100 of each density (quick: 20). Told in sections 4.0.7 and 4.0.8 without numbers."
        + WHERE.format(size=SIZE),
        {"length": "cost", "heading_changes": TURNS, "seconds": "seconds"},
        _one_by_one,
        [{"algorithm": name} for name in ("A*", "A* smoothed", "Theta*")],
        _paths,
        has_seconds=True,
    ),
    PrintedTable(
        "lookahead",
        "RTA* by depth of lookahead",
        "Searches between 100 pairs on each of 10 maps of each density (quick: 3), larger ones since on 20 x 20 cells a"
        " call takes longer than the moves in it; seconds are the least of ten takes. Told in section 4.0.9 without"
        " numbers." + WHERE.format(size=TIMED_SIZE),
        {"success": "solved", "cost": "cost", "expanded_per_move": "expanded", "seconds_per_move": "seconds"},
        _deep,
        [{"algorithm": "RTA*", "depth": depth} for depth in DEPTHS],
        _depth,
        has_seconds=True,
    ),
    PrintedTable(
        "view",
        "Who can do with a limited view",
        f"The share of walks that reach their goal if only cells at most {SIGHT:g} away are seen and all others are taken"
        " to be free until then: searches plan again whenever they have seen something new. 10 walks on each of 20 maps"
        " of each density (quick: 2). Told in chapter 7 without numbers." + DEPTH + WHERE.format(size=SIZE),
        {"reached": "reached", "cost": "cost", "expanded": "expanded"},
        lambda row, scale: [],
        [{"algorithm": name} for name in WALKERS],
        make=_walks,
    ),
]


def _with_queue(table: PrintedTable) -> PrintedTable:
    """The same table with a Theta* that has a plain queue, as the document's table of features says."""

    def jobs(row: Row, scale: Scale) -> list[Job] | str:
        return table.jobs(row | {"order": "fifo"} if row["algorithm"] == "Theta*" else row, scale)

    setup = f"As {table.id}; Theta* expands the oldest open cell, as a plain queue does."
    return replace(table, id=table.id + FIFO, title=f"{table.title}, Theta* with a plain queue", setup=setup, jobs=jobs)


TABLES = [*_TABLES, CROWD, *(_with_queue(table) for table in _TABLES if table.id in ("nodes", "times"))]
FIGURES.append(CROWD_FIGURE)
