"""Compile everything at once: each algorithm solves something tiny, so that its kernels are kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from wayfolk import catalogue
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.problem import one_shot
from wayfolk.record import DISTANCE
from wayfolk.run import find_path, solve
from wayfolk.simulation import simulate
from wayfolk.workers import spread


def warm_all(walk: Callable[[Iterable[str], int], Iterator[str]]) -> list[str]:
    """Compile every algorithm, on all cores; their names."""
    names = [entry.name for entry in catalogue.entries()]
    return list(walk(spread(warm_one, names), len(names)))


def warm_one(name: str) -> str:
    """Compile one algorithm, for grids and where it can for graphs."""
    entry = catalogue.find(name)
    grid = Grid(np.ones((4, 4)), entry.facts.get("MOVES", ["eight"])[0])
    if entry.family == "search":
        worlds: list[Any] = [grid] if entry.facts.get("WORLDS") == "grid" else [grid, Graph.from_grid(grid)]
        for world in worlds:
            find_path(world, (0, 0), (3, 3), name)
    else:
        problem = one_shot(grid, [(0, 0), (3, 0)], [(3, 3), (0, 3)])
        solve(problem, name)
        if entry.family == "controllers":
            simulate(problem, name, model=DISTANCE, until=20.0)
    return name
