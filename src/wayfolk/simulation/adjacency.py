"""Adjacency: the cells to which moves lead from each cell, as plain Python numbers for searches of a few hundred cells.

In a graph of states these are cells of its world, and the moves those of one kind of body, in all headings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph
from wayfolk.world.tiling import Tiling


class Adjacency:
    """`adjacency[cell]` are the cells beside `cell`; they are read from the world when they are first asked for."""

    def __init__(self, states: Grid | StateGraph, kind: int = 0) -> None:
        self.states, self.kind = states, kind
        self._offsets = states.offsets.tolist() if isinstance(states, Grid) else []
        self._beside: dict[int, tuple[int, ...]] = {}
        self._around: dict[int, frozenset[int]] = {}

    def __getitem__(self, cell: int) -> tuple[int, ...]:
        beside = self._beside.get(cell)
        if beside is None:
            if isinstance(self.states, Grid):
                legal = int(self.states.legal[cell])
                beside = tuple(cell + offset for k, offset in enumerate(self._offsets) if legal >> k & 1)
            else:
                graph = self.states.graph
                ends = [graph.target[graph.first[node] : graph.first[node + 1]] for node in self._stands(cell)]
                beside = tuple(sorted(set(self.states.ahead[np.concatenate(ends)].tolist()) - {cell}))
            self._beside[cell] = beside
        return beside

    def into(self, cell: int) -> tuple[int, ...]:
        """The cells from which moves lead to `cell`: others than those beside it only where lanes are one-way."""
        if isinstance(self.states, Grid) or isinstance(self.states.world, Grid | Tiling):
            return self[cell]
        first, sources = self.states.entries
        begins = [sources[first[node] : first[node + 1]] for node in self._stands(cell)]
        return tuple(sorted(set(self.states.cells[np.concatenate(begins)].tolist()) - {cell}))

    def around(self, cell: int) -> frozenset[int]:
        """The cells on which nobody can stand while somebody with this body stands on `cell`."""
        if isinstance(self.states, Grid):
            return frozenset((cell,))
        if cell not in self._around:
            table, owners = self.states.occupancy, self.states.stands_at_places
            node = self._stands(cell)[0]
            places = table.node_places[table.node_first[node] : table.node_first[node + 1]]
            near = [owners[1][owners[0][place] : owners[0][place + 1]] for place in places.tolist()]
            self._around[cell] = frozenset((cell, *(self.states.cells[np.concatenate(near)].tolist() if near else ())))
        return self._around[cell]

    @cached_property
    def kinds(self) -> list[Adjacency]:
        """The same for the bodies of every kind."""
        n = 1 if isinstance(self.states, Grid) else len(self.states.kinds)
        return [self if kind == self.kind else Adjacency(self.states, kind) for kind in range(n)]

    def _stands(self, cell: int) -> range:
        """The nodes of a body that stands on `cell`, in all headings."""
        assert isinstance(self.states, StateGraph)
        together = int(self.states.together[self.kind])
        node = int(self.states.bases[self.kind]) + cell * together
        return range(node, node + together)

    def nearest_first(
        self, start: int, is_open: Callable[[int], bool], most: int, came: dict[int, int] | None = None
    ) -> Iterator[int]:
        """Yield `start` and the cells that ways over open cells lead to, the nearest first, at most `most` of them.

        `came` then holds the cell from which each was reached.
        """
        came = {} if came is None else came
        came[start] = start
        queue = [start]
        for cell in queue:
            yield cell
            for there in self[cell]:
                if there not in came and len(came) < most and is_open(there):
                    came[there] = cell
                    queue.append(there)


def way_back(came: dict[int, int], cell: int) -> list[int]:
    """The way from `cell` to the start of a search, both included."""
    way = [cell]
    while came[way[-1]] != way[-1]:
        way.append(came[way[-1]])
    return way
