"""Jump point search in batches against A*, the fastest peer, and what the best C++ engine reached elsewhere."""

import time
from functools import partial

import numpy as np
from w9_pathfinding.pf import AStar as PeerAStar

from benchmarks import jump_scans
from benchmarks.one_agent import mean_us, peer_grid
from wayfolk.algorithms.batch import find_many
from wayfolk.algorithms.paths import find_path, finder
from wayfolk.algorithms.search.jps.scan import new_stops
from wayfolk.algorithms.search.jps_plus.landmarks import away_from_landmarks
from wayfolk.algorithms.search.jps_plus.table import new_jumps
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries
from wayfolk.world.grid import Grid

# mean microseconds a query in the C++ engine warthog, measured elsewhere: JPS (block scan), JPS+ with pruning
WARTHOG = {
    "arena": (0.84, 0.67),
    "brc000d": (62, 32),
    "den312d": (4.4, 2.3),
    "lak303d": (38, 27),
    "orz103d": (111, 70),
    "ost003d": (23, 10),
}
NAMES = ("astar", "jps", "jps_plus")
EXPECTED_WRONG = {"battleground": 55}  # lengths below the optimum of the map: see the README of the maps


def tables(maps):
    rows = [row(file) for file in sorted((maps / "single").glob("*.map"))]
    yield (
        "Jump points, all queries of movingai/single",
        "Mean microseconds for a query with its path, `find_many` on one thread; move rule EIGHT (no corner cutting). "
        "`w9 / jps` is how many times slower w9-pathfinding's A* is, through its own Python call on every third query. "
        "warthog (C++) was measured elsewhere, on a machine of the same kind: JPS with block scanning, and JPS+ with "
        "pruning.",
        ["map", "cells", "astar", "jps", "jps_plus", "astar / jps", "jps / jps_plus", "w9 / jps", "warthog JPS",
         "JPS+P", "x jps", "x jps_plus"],
        rows,
    )  # fmt: skip
    yield (
        "Jump points on open maps of 512 x 512 cells",
        "Every 16th query of six maps, `find_many` on one thread: mean microseconds for a query, and what `jps` does in "
        "it. A search expands few nodes, but scans a row and a column from each cell of every diagonal: 20 to 60 scans "
        "for an expansion. Scans take most of its time. `jps_plus` reads their results from tables.",
        ["map", "jps", "expanded", "scans", "opened", "ns a scan, all included", "jps_plus"],
        list(jump_scans.rows(maps)),
    )
    yield (
        "Preparing a map, and calling from Python",
        "Milliseconds to prepare a map of a million cells, 20 % blocked at random (best of 3); microseconds of one "
        "call of `find_path` and of a prepared finder for a path of one step; the search itself takes less than one "
        "microsecond.",
        ["what", "value", "limit"],
        [*preparation(), *calls()],
    )


def row(file):
    grid = read_map(file)
    queries = read_queries(f"{file}.scen", grid)
    solvable = np.flatnonzero(queries.lengths > 0)
    starts, goals, lengths = queries.starts[solvable], queries.goals[solvable], queries.lengths[solvable]
    took = dict.fromkeys(NAMES, float("inf"))
    theirs = float("inf")
    peer = PeerAStar(peer_grid(file))
    pairs = [(grid.place(start), grid.place(goal)) for start, goal in zip(starts[::3], goals[::3], strict=True)]
    for _ in range(3):  # in turn, the best of three: other processes on the machine disturb all
        for name in NAMES:
            many = find_many(grid, starts, goals, name, threads=1)
            took[name] = min(took[name], many.seconds / len(solvable) * 1e6)
            wrong = int((np.abs(many.costs - lengths) > 0.006).sum())
            assert wrong == EXPECTED_WRONG.get(file.stem, 0), f"{name}: {wrong} costs of {file.stem} are wrong"
        theirs = min(theirs, mean_us(lambda pair: peer.find_path(*pair), pairs))
    third = min(find_many(grid, starts[::3], goals[::3], "jps", threads=1).seconds for _ in range(3)) / len(pairs) * 1e6
    best = WARTHOG.get(file.stem, ("", ""))
    compared = [best[0] / took["jps"], best[1] / took["jps_plus"]] if best[0] else ["", ""]
    return [file.stem, grid.width * grid.height, *took.values(), took["astar"] / took["jps"],
            took["jps"] / took["jps_plus"], theirs / third, *best, *compared]  # fmt: skip


def preparation():
    rng = np.random.default_rng(1)
    grid = Grid(rng.random((1000, 1000)) > 0.2)
    assert grid.components.size  # not part of what is measured
    jobs = {
        "jps: stops, ms": lambda: new_stops(grid),
        "jps_plus: jump distances, ms": lambda: new_jumps(grid, np.zeros((grid.n_cells, 0), np.float32)),
        "jps_plus: four landmarks, ms": lambda: away_from_landmarks(grid, 4),
    }
    for what, job in jobs.items():
        yield [what, best_of_three(job) * 1e3, 1000 if "plus" in what else ""]


def calls():
    grid = Grid(np.ones((20, 20)))
    for name in NAMES:
        for what, call in (
            (f"find_path({name})", partial(one_call, grid, name)),
            (f"finder({name})", finder(grid, name)),
        ):
            best = min(mean_us(lambda pair, call=call: call(*pair), [((3, 3), (4, 4))] * 500) for _ in range(7))
            yield [f"{what}, us", best, 6 if what.startswith("finder") else 15]


def one_call(grid, name, start, goal):
    return find_path(grid, start, goal, name)


def best_of_three(job):
    times = []
    for _ in range(3):
        began = time.perf_counter()
        job()
        times.append(time.perf_counter() - began)
    return min(times)
