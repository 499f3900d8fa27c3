"""What has been warmed need not be compiled."""

import os
import subprocess
import sys

import pytest

from wayfolk.algorithms import catalogue
from wayfolk.cli import warm

COMPILES = """
import sys
from wayfolk.compile.jit import on_compile
on_compile(lambda: print("compiled"))
from wayfolk.world.generate import random_map
from wayfolk.world.graph import Graph
from wayfolk.algorithms.paths import find_path
from wayfolk.cli.warm import warm_one
if sys.argv[1] == "warm":
    assert warm_one("bfs") == "bfs"
else:
    grid = random_map(30, 20, 0.0, moves="four")
    assert find_path(grid, (0, 0), (29, 19), "bfs").cost == 48
    assert find_path(Graph.from_grid(grid), (0, 0), (29, 19), "bfs").cost == 48
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_once_is_enough(tmp_path):
    said = {}
    for what in ("warm", "use"):
        done = subprocess.run(
            [sys.executable, "-c", COMPILES, what],
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
            env=os.environ | {"WAYFOLK_CACHE": str(tmp_path)},
        )
        said[what] = done.stdout.split()
    assert said == {"warm": ["compiled"], "use": []}


def test_all_are_warmed_one_by_one(monkeypatch):
    seen = []

    def walk(names, total):
        for name in names:
            seen.append((name, total))
            yield name

    monkeypatch.setattr(warm, "spread", lambda work, names: (name for name in names if work is warm.warm_one))
    everyone = [f"{entry.family}/{entry.name}" for entry in catalogue.entries()]
    ready = warm.warm_all([], walk)
    assert sorted(ready) == sorted(everyone)
    assert seen == [(name, len(everyone)) for name in ready]
    assert len({name.partition("/")[0] for name in ready[:4]}) == 4  # workers begin with different families
    seen.clear()
    both = ["planners/lacam", "search/astar"]
    assert warm.warm_all(["planners/lacam", "astar"], walk) == both
    assert seen == [(name, 2) for name in both]
