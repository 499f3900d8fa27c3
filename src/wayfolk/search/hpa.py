"""HPA*: from cluster to cluster, by distances that are already known.

Botea, Müller and Schaeffer, "Near optimal hierarchical path-finding", 2004.

Finds    a path if there is one; after smoothing it is 0.1 to 0.9 % longer than a cheapest one on average on game maps, and
         at most 18 % in all queries of ten of them. It passes the middle or the ends of entrances, and smoothing does not
         take it to the other side of an obstacle.
Keeps    without smoothing, the path is a cheapest one through the nodes of the clusters.
Takes    the clusters are built at the first query of a map (see `wayfolk.abstraction.clusters`); then time in proportion
         to the clusters that are looked at, and to the length of the path.
Differs  nothing is searched to insert start and goal, and smoothing pulls the path taut: see `search/_taut.py`.
         An expansion is a node, one step between nodes written out, or the cluster that holds both start and goal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.abstraction.clusters import Clusters, clusters_of
from wayfolk.graph import MANHATTAN, OCTILE
from wayfolk.grid import Moves
from wayfolk.result import Counters
from wayfolk.search import _hpa
from wayfolk.search._hpa import NEW
from wayfolk.search._hpa_path import EXHAUSTED, EXPANDED, FOUND, N_PATH, PATH_FULL, PHASE, QUEUE_FULL, RUNNING
from wayfolk.search._search import Search

PAPER = "Botea, Müller and Schaeffer 2004"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"


def begin(
    world,
    start: int,
    goal: int,
    *,
    cluster: int = 32,
    levels: int = 2,
    narrow: int = 6,
    smooth: bool = True,
    watch: bool = False,
) -> Hierarchical:
    """A search from `start` to `goal`; clusters are `cluster` cells wide, entrances below `narrow` are crossed once."""
    return Hierarchical(clusters_of(world, cluster, levels, narrow), start, goal, smooth, watch)


class Hierarchical(Search):
    """A search among clusters under way."""

    def __init__(self, clusters: Clusters, start: int, goal: int, smooth: bool, watch: bool) -> None:
        super().__init__(clusters.grid, start, goal, watch)
        self.clusters, self.smooth = clusters, smooth
        self.kind = MANHATTAN if self.world.moves is Moves.FOUR else OCTILE
        try:
            self.memory = clusters.pool.pop()
        except IndexError:
            self.memory = _hpa.new_memory(clusters.tables)
        self.memory.counts[PHASE] = NEW

    def expand(self, budget: int) -> int:
        """Expand up to `budget` nodes; what is full grows."""
        code = _hpa.search(
            self.world.graph, self.clusters.tables, self.memory, self.start, self.goal, self.kind, self.smooth,
            budget, self.events,
        )  # fmt: skip
        if code in (FOUND, EXHAUSTED):
            return int(code)
        self._make_room(code)
        return RUNNING

    def count(self) -> Counters:
        """The work done so far."""
        return Counters(int(self.memory.counts[EXPANDED]))

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The path and its cost."""
        return self.memory.path[0, : self.memory.counts[N_PATH]], float(self.memory.states[-1]["g"])

    def release(self) -> None:
        """Leave the arrays to the next search among these clusters."""
        if len(self.clusters.pool) < 4:
            self.clusters.pool.append(self.memory)

    def batch(self, starts: Any, goals: Any, first: int, costs: Any, expanded: Any, ends: Any, path: Any) -> int:
        """Whole searches from number `first` on while there is room in `path`; how many are done."""
        while True:
            first, code = _hpa.search_many(
                self.world.graph, self.clusters.tables, self.memory, starts, goals, self.kind, self.smooth, first,
                costs, expanded, ends, path,
            )  # fmt: skip
            if code not in (QUEUE_FULL, PATH_FULL):
                return first
            self._make_room(code)

    def _make_room(self, code: int) -> None:
        """Twice as much of what was not enough."""
        memory = self.memory
        if code == QUEUE_FULL:
            self.memory = memory._replace(rows=np.concatenate([memory.rows, np.zeros_like(memory.rows)]))
        elif code == PATH_FULL:
            wider = np.concatenate([memory.path, np.zeros_like(memory.path)], axis=1)
            self.memory = memory._replace(path=wider)
