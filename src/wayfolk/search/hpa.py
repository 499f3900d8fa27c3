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

from typing import TYPE_CHECKING, Any

import numpy as np

from wayfolk.abstraction.clusters import Clusters, clusters_of
from wayfolk.graph import MANHATTAN, OCTILE
from wayfolk.grid import Moves
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.search import _hpa
from wayfolk.search._best_first import places_of
from wayfolk.search._hpa import NEW
from wayfolk.search._hpa_path import EXHAUSTED, EXPANDED, FOUND, N_PATH, PATH_FULL, PHASE, QUEUE_FULL, RUNNING
from wayfolk.task import Task

if TYPE_CHECKING:
    from wayfolk.grid import Grid

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


class Hierarchical(Task):
    """A search among clusters under way."""

    def __init__(self, clusters: Clusters, start: int, goal: int, smooth: bool, watch: bool) -> None:
        self.world: Grid = clusters.grid
        self.clusters, self.start, self.goal, self.smooth = clusters, start, goal, smooth
        self.kind = MANHATTAN if self.world.moves is Moves.FOUR else OCTILE
        try:
            self.memory = clusters.pool.pop()
        except IndexError:
            self.memory = _hpa.new_memory(clusters.tables)
        self.memory.counts[PHASE] = NEW
        self.events = np.empty(1024 if watch else 0, np.int32)
        self.expanded = 0

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes."""
        if self.status.is_final:
            return self.status
        stop = self.expanded + budget
        while True:
            left = stop - self.expanded
            if self.events.size:
                if self.expanded * 2 > self.events.size:
                    self.events = np.concatenate([self.events, np.empty_like(self.events)])
                left = min(left, self.events.size // 2)
            code = _hpa.search(
                self.world.graph, self.clusters.tables, self.memory, self.start, self.goal, self.kind, self.smooth,
                left, self.events,
            )  # fmt: skip
            self.expanded = int(self.memory.counts[EXPANDED])
            if code in (FOUND, EXHAUSTED) or (code == RUNNING and self.expanded >= stop):
                break
            self._make_room(code)
        if code == FOUND:
            self.status = Status.SOLVED
            self.path = places_of(self.world, self.memory.path[0, : self.memory.counts[N_PATH]])
            self.cost = float(self.memory.states[-1]["g"])
        elif code == EXHAUSTED:
            self.status = Status.IMPOSSIBLE
        if self.status.is_final:
            self.release()
        return self.status

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

    def result(self) -> Result:
        """The path, once there is one."""
        made = Result(self.status, "", counters=Counters(self.expanded))
        if self.status is Status.SOLVED:
            made.path, made.cost = self.path, self.cost
        if self.events.size:
            made.events = self.events[: self.expanded].copy()
        return made
