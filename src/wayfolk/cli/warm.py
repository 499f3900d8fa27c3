"""Compile algorithms: each solves a tiny problem, so that its kernels are kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

import numpy as np

from wayfolk.algorithms import catalogue, paths
from wayfolk.algorithms.catalogue import Entry
from wayfolk.cli.workers import spread
from wayfolk.crowds.crowd import make_ready
from wayfolk.simulation import solving
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


def warm_all(names: Sequence[str], walk: Callable[[Iterable[str], int], Iterator[str]]) -> list[str]:
    """Compile the algorithms of these names, all if there are none, on all cores; returns them as `family/name`.

    `walk` goes through the names as they are finished, of which there will be so many: it shows the progress.
    """
    entries = [catalogue.find(name) for name in names] or catalogue.entries()
    jobs = [f"{entry.family}/{entry.name}" for entry in _mixed(entries)]
    return list(walk(spread(warm_one, jobs), len(jobs)))


def _mixed(entries: list[Entry]) -> list[Entry]:
    """One of each family in turn: two processes at work on one family would both compile what its algorithms share."""
    families: dict[str, list[Entry]] = {}
    for entry in entries:
        families.setdefault(entry.family, []).append(entry)
    rounds = zip_longest(*families.values())
    return [entry for one_of_each in rounds for entry in one_of_each if entry is not None]


def warm_one(name: str) -> str:
    """Compile the algorithm `name`, for grids and, if it supports them, for graphs; returns `name`."""
    entry = catalogue.find(name)
    if entry.family == "crowds":
        make_ready(entry)
        return name
    if entry.family in ("planners", "controllers"):
        solving.make_ready(entry)
        return name
    paths.make_ready(entry)
    if entry.family == "search" and entry.facts.get("WORLDS") != "grid":
        paths.find_path(Graph.from_grid(Grid(np.ones((4, 4)))), (0, 0), (3, 3), entry)
    return name
