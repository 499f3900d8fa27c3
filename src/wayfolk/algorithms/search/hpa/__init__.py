"""HPA*: searches from cluster to cluster, with distances that were computed in advance.

Botea, Müller and Schaeffer, "Near optimal hierarchical path-finding", 2004.

Guarantees  a path if there is one; after smoothing it is 0.1 to 0.9 % longer than a cheapest one on average on game maps,
            and at most 18 % in all queries of ten of them. It passes the middle or the ends of entrances, and smoothing
            does not take it to the other side of an obstacle.
Invariants  without smoothing, the path is a cheapest one through the nodes of the clusters.
Cost        the clusters are built at the first query of a map (see `wayfolk.world.abstraction.clusters`); then time
            proportional to the clusters that are looked at, and to the length of the path.
Deviations  nothing is searched to insert start and goal, and smoothing pulls the path taut: see `search/_taut.py`.
            An expansion is a node, one step between nodes written out, or the cluster that holds both start and goal.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._search import Search
from wayfolk.algorithms.search.hpa import levels as _hpa
from wayfolk.algorithms.search.hpa.levels import NEW
from wayfolk.algorithms.search.hpa.path import EXPANDED, N_PATH, PATH_FULL, PHASE, STAMP
from wayfolk.algorithms.search_view import SearchView, states_by_stamp
from wayfolk.kernels.best_first import Answers
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.graph import MANHATTAN, OCTILE
from wayfolk.kernels.watching import estimate_to
from wayfolk.problem.layers import CellLayer, Layer, LayerKind
from wayfolk.problem.result import Counters
from wayfolk.world.abstraction.clusters import Clusters, clusters_of
from wayfolk.world.grid import Grid, Moves

PAPER = "Botea, Müller and Schaeffer 2004"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    cluster: Annotated[int, Range(2, 128), "Cells on a side of a cluster of the first level."] = 32,
    levels: Annotated[int, Range(1, 4), "Levels of clusters."] = 2,
    narrow: Annotated[
        int, Range(1, 1_000_000), "Entrances narrower than so many cells have one crossing, others two."
    ] = 6,
    smooth: Annotated[bool, "Shorten the path where that is possible."] = True,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> Hierarchical:
    """A search from `start` to `goal`."""
    return Hierarchical(clusters_of(world, cluster, levels, narrow), start, goal, smooth, watch)


class Hierarchical(Search):
    """A search among clusters that can be advanced."""

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
            self.world.graph,
            self.clusters.tables,
            self.memory,
            start=self.start,
            goal=self.goal,
            kind=self.kind,
            smooth=self.smooth,
            budget=budget,
            events=self.events,
        )
        self.expanded = int(self.memory.counts[EXPANDED])
        if code in (FOUND, EXHAUSTED):
            return int(code)
        self._make_room(code)
        return RUNNING

    def count(self) -> Counters:
        """The work done so far."""
        return Counters(self.expanded)

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The path and its cost."""
        return self.memory.path[0, : self.memory.counts[N_PATH]], float(self.memory.states[-1]["g"])

    def search_view(self) -> SearchView:
        """Open and closed nodes."""
        states, nodes = self.memory.states[:-1], self.clusters.tables.nodes["cell"]
        state = np.zeros(self.world.n_cells, np.uint8)
        g, parent = np.zeros(self.world.n_cells), np.full(self.world.n_cells, NOWHERE, np.int32)
        by_node = states_by_stamp(states["mark"], int(self.memory.counts[STAMP]))
        known = np.flatnonzero(by_node)
        cells, before = nodes[known], states["parent"][known]
        state[cells], g[cells] = by_node[known], states["g"][known]
        parent[cells] = np.where(before == NOWHERE, self.start, nodes[np.where(before == NOWHERE, 0, before)])
        h = estimate_to(self.world.graph, self.goal, self.kind)
        return super().search_view()._replace(state=state, g=g, parent=parent, h=h)

    def view_layers(self) -> tuple[Layer, ...]:
        """The clusters of each level."""
        tables, grid = self.clusters.tables, self.world
        y, x = np.divmod(grid.free_cells, grid.stride)
        homes = tables.numbers[(y - 1) // tables.size, (x - 1) // tables.size]
        layers = []
        for level, (_, span) in enumerate(tables.spans.tolist()):
            area = np.full(grid.n_cells, NOWHERE, np.int32)
            area[grid.free_cells] = homes // span
            kinds = (LayerKind(f"clusters of level {level + 1}", "mixed", 0.16),)
            layers.append(
                CellLayer(f"Level {level + 1}", area, np.zeros(grid.n_cells, np.uint8), kinds, groups=(("cluster", 0),))
            )
        return tuple(layers)

    def release(self) -> None:
        """Leave the arrays to the next search among these clusters."""
        if len(self.clusters.pool) < 4:
            self.clusters.pool.append(self.memory)

    def batch(self, starts: NDArray[np.int32], goals: NDArray[np.int32], first: int, answers: Answers) -> int:
        """Answer queries from number `first` on while there is room for their paths; how many are answered."""
        while True:
            first, code = _hpa.search_many(
                self.world.graph,
                self.clusters.tables,
                self.memory,
                starts=starts,
                goals=goals,
                kind=self.kind,
                smooth=self.smooth,
                first=first,
                answers=answers,
            )
            if code not in (FULL, PATH_FULL):
                return first
            self._make_room(code)

    def _make_room(self, code: int) -> None:
        """Twice as much of what was not enough."""
        memory = self.memory
        if code == FULL:
            self.memory = memory._replace(rows=np.concatenate([memory.rows, np.zeros_like(memory.rows)]))
        elif code == PATH_FULL:
            wider = np.concatenate([memory.path, np.zeros_like(memory.path)], axis=1)
            self.memory = memory._replace(path=wider)
