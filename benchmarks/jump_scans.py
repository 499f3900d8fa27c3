"""How many rows and columns a jump point search scans on open maps, and what a scan costs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from wayfolk.algorithms.batch import find_many
from wayfolk.algorithms.paths import find_path
from wayfolk.algorithms.search.jps import scan
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries

OPEN_MAPS = (
    "bmaa/AR0504SR",
    "bmaa/AR0701SR",
    "bmaa/duskwood",
    "single/AR0011SR",
    "single/AR0307SR",
    "single/battleground",
)
SAMPLE = 16  # every 16th query is counted in plain Python
REPEAT = 40  # how often these queries are timed in one call


def rows(maps):
    """For each map: microseconds with and without tables, expansions, scans and openings of a query, and ns for a scan."""
    counted = _counted(maps)
    for name in OPEN_MAPS:
        grid, starts, goals = _queries(maps / f"{name}.map")
        took = {}
        for algorithm in ("jps", "jps_plus"):
            many = find_many(grid, starts, goals, algorithm, threads=1)  # compiles, and prepares the map
            lists = np.tile(starts, REPEAT), np.tile(goals, REPEAT)
            took[algorithm] = min(find_many(grid, *lists, algorithm, threads=1).seconds for _ in range(5))
            took[algorithm] *= 1e6 / len(lists[0])
            if algorithm == "jps":
                expanded = many.expanded.mean()
        scans, openings = counted[name]
        yield [Path(name).name, took["jps"], expanded, scans, openings, took["jps"] / scans * 1e3, took["jps_plus"]]


def _queries(file):
    grid = read_map(file)
    queries = read_queries(f"{file}.scen", grid)
    chosen = np.flatnonzero(queries.lengths > 0)[::SAMPLE]
    return grid, queries.starts[chosen], queries.goals[chosen]


def _counted(maps):
    """The mean number of scans and of openings of a query, by map: this file, run without the compiler."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.jump_scans", str(maps)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(ended.stdout)


def _count(maps):
    numbers = {"_stop": 0, "relax": 0}

    def counting(name, function):
        def call(*arguments, **named):
            numbers[name] += 1
            return function(*arguments, **named)

        return call

    for name in numbers:
        setattr(scan, name, counting(name, getattr(scan, name)))
    counted = {}
    for name in OPEN_MAPS:
        grid, starts, goals = _queries(maps / f"{name}.map")
        numbers.update(_stop=0, relax=0)
        for start, goal in zip(starts, goals, strict=True):
            find_path(grid, grid.place(start), grid.place(goal), "jps")
        counted[name] = [number / len(starts) for number in numbers.values()]
    return counted


if __name__ == "__main__":
    print(json.dumps(_count(Path(sys.argv[1]))))
