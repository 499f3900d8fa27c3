"""Compile all algorithms: each solves a tiny problem, so that its kernels are kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from wayfolk.algorithms import catalogue, paths
from wayfolk.cli.workers import spread
from wayfolk.crowds.crowd import make_ready
from wayfolk.simulation import solving
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


def warm_all(walk: Callable[[Iterable[str], int], Iterator[str]]) -> list[str]:
    """Compile every algorithm, on all cores; returns their names.

    `walk` goes through the names as they are finished, of which there will be so many: it shows the progress.
    """
    names = [entry.name for entry in catalogue.entries()]
    return list(walk(spread(warm_one, names), len(names)))


def warm_one(name: str) -> str:
    """Compile the algorithm `name`, for grids and, if it supports them, for graphs; returns `name`."""
    entry = catalogue.find(name)
    if entry.family == "crowds":
        make_ready(name)
        return name
    if entry.family in ("planners", "controllers"):
        solving.make_ready(name)
        return name
    paths.make_ready(name)
    if entry.family == "search" and entry.facts.get("WORLDS") != "grid":
        paths.find_path(Graph.from_grid(Grid(np.ones((4, 4)))), (0, 0), (3, 3), name)
    return name
