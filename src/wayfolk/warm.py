"""Compile everything at once: each algorithm solves something tiny, so that its kernels are kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from wayfolk import catalogue
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.run import find_path, make_ready
from wayfolk.workers import spread


def warm_all(walk: Callable[[Iterable[str], int], Iterator[str]]) -> list[str]:
    """Compile every algorithm, on all cores; their names."""
    names = [entry.name for entry in catalogue.entries()]
    return list(walk(spread(warm_one, names), len(names)))


def warm_one(name: str) -> str:
    """Compile one algorithm, for grids and where it can for graphs."""
    entry = catalogue.find(name)
    make_ready(name)
    if entry.family == "search" and entry.facts.get("WORLDS") != "grid":
        find_path(Graph.from_grid(Grid(np.ones((4, 4)))), (0, 0), (3, 3), name)
    return name
