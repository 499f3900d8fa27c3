"""The edges a repaired search reads, both ways; which of them differ between two worlds; and how costs become integers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._replanning.integer_costs import FAR
from wayfolk.errors import BadInput
from wayfolk.kernels.graph import CsrGraph, GridGraph
from wayfolk.world.cache import cached
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

LEAST = 1e-200  # a world is not cheaper than this
TINY = 2.0**-20  # edges shorter than this part of the world make heuristics useless, by rounding


@dataclass(frozen=True)
class Roads:
    """The edges towards the root, `out`, and the same edges backwards, `into`."""

    out: GridGraph | CsrGraph
    into: GridGraph | CsrGraph

    @property
    def cheapest(self) -> float:
        """The least cost of a unit of distance, which heuristics are made with."""
        return self.out.cheapest

    def has_same_places(self, other: Roads) -> bool:
        """Whether heuristics differ by no more than the least cost."""
        one, two = self.out, other.out
        if isinstance(one, CsrGraph) and isinstance(two, CsrGraph):
            return np.array_equal(one.x, two.x) and np.array_equal(one.y, two.y)
        return True

    def estimating(self, cheapest: float) -> Roads:
        """The same edges with another least cost."""
        return replace(self, out=self.out._replace(cheapest=cheapest), into=self.into._replace(cheapest=cheapest))


def roads_of(world: Grid | Graph, is_backward: bool) -> Roads:
    """The edges of `world`, for a search that grows from the goal (`is_backward`) or from the start."""
    if isinstance(world, Grid):
        return Roads(world.graph, world.graph)
    ahead, back = cached(world, "both_ways", lambda world: _both_ways(world.graph))
    return Roads(ahead, back) if is_backward else Roads(back, ahead)


def _both_ways(graph: CsrGraph) -> tuple[CsrGraph, CsrGraph]:
    """The edges and the edges backwards, without loops; of parallel ones the cheapest. No heuristic if edges are tiny."""
    n = len(graph.first) - 1
    source = np.repeat(np.arange(n, dtype=np.int32), np.diff(graph.first))
    order = np.lexsort((graph.weight, graph.target, source))
    source, target, weight = source[order], graph.target[order], graph.weight[order]
    kept = source != target
    kept[1:] &= (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    source, target, weight = source[kept], target[kept], weight[kept]
    across = graph.cheapest * math.hypot(*(float(np.ptp(axis)) for axis in (graph.x, graph.y, graph.z)))
    shortest = float(weight[weight > 0].min(initial=across))
    cheapest = graph.cheapest if shortest >= TINY * across else 0.0

    def rows(one: NDArray[np.int32], other: NDArray[np.int32], costs: NDArray[np.float64]) -> CsrGraph:
        first = np.concatenate([[0], np.cumsum(np.bincount(one, minlength=n))]).astype(np.int32)
        return CsrGraph(first, other, costs, graph.x, graph.y, graph.z, cheapest)

    back = np.argsort(target, kind="stable")
    return rows(source, target, weight), rows(target[back], source[back], weight[back])


def scale_for(world: Grid | Graph) -> float:
    """The integer cost of 1: a power of two, so that no path costs a quarter of FAR."""
    graph = world.graph
    if isinstance(graph, CsrGraph):
        most = float(graph.weight.sum())
    else:
        costliest = float(graph.terrain.max()) if graph.terrain.size else 1.0
        most = world.n_cells * costliest * float(graph.lengths.max())
    if not math.isfinite(most):
        raise BadInput("the costs of the edges are too large to be added up")
    return 2.0 ** math.floor(math.log2(int(FAR) / 4 / max(most, LEAST)))


def differing(old: Roads, new: Roads) -> NDArray[np.int32]:
    """The cells whose edges of `out` differ."""
    one, other = old.out, new.out
    if isinstance(one, CsrGraph) or isinstance(other, CsrGraph):
        return _differing_rows(one, other)
    differs = one.legal != other.legal
    if one.terrain is not other.terrain:
        whole = np.ones(one.legal.size)
        paid = [graph.terrain if graph.terrain.size else whole for graph in (one, other)]
        differs[around(other, np.flatnonzero(paid[0] != paid[1]))] = True
    return np.flatnonzero(differs).astype(np.int32)


def around(graph: GridGraph, cells: NDArray[Any]) -> NDArray[np.int32]:
    """Cells of a grid and their neighbours."""
    near = np.unique(np.concatenate([cells, (cells[:, None] + graph.offsets).ravel()]))
    return near[(near >= 0) & (near < graph.legal.size)].astype(np.int32)


def _differing_rows(old: Any, new: Any) -> NDArray[np.int32]:
    n = len(old.first) - 1

    def numbered(graph: Any) -> NDArray[np.int64]:
        source = np.repeat(np.arange(n, dtype=np.int64), np.diff(graph.first))
        numbers: NDArray[np.int64] = source * n + graph.target
        return numbers

    def missing(one: Any, other: Any) -> Any:
        """The rows of edges of `one` that `other` has not, or at another cost."""
        mine, theirs = numbered(one), numbered(other)
        if not theirs.size:
            return mine // n
        spot = np.minimum(np.searchsorted(theirs, mine), theirs.size - 1)
        return mine[(theirs[spot] != mine) | (other.weight[spot] != one.weight)] // n

    return np.unique(np.concatenate([missing(old, new), missing(new, old)])).astype(np.int32)
