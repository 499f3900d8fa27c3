"""Sectors as the simulator has them: paths over regions, and how they are refined.

Jansen, 2008, section 3.5; HOG2, `MapSectorAbstraction` and `AbstractWeightedSearchAlgorithm`. The map is cut into squares,
and each square into connected regions. Regions are neighbours if a step leads from one to the other. A path over regions is
found by A*: the cost of an edge is the octile distance between the means of two regions' cells, the heuristic the straight
distance between their first cells (in rows, from the upper left). Where these disagree the path is not a shortest one.

A path to a region is guided by the straight distance to its `centre`, the cell under the mean of its cells. The simulator
stretches means by (width + 1) / width when it looks up that cell; the cell may be a wall.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.experiments.papers.jansen.a_star import (
    ENTRY,
    EXPANDED,
    FUZZ,
    NODE,
    find,
    key_of,
    pop,
    push,
    seen_from,
    trace,
)
from wayfolk.kernels.codes import FOUND, FULL, NOWHERE
from wayfolk.kernels.graph import EUCLIDEAN
from wayfolk.world.grid import Grid

CUT = 0.6  # share of a partly refined path that is walked before planning again
AHEAD = 2  # regions ahead that a partly refined path leads to
STAMP = 0  # place in `Regions.counts`


class Regions(NamedTuple):
    """`of[cell]` is the region of a cell; neighbours are rows of `first` and `target`, and `cost` is that of going there.

    `corner[region]` is its first cell and `centre[region]` the cell under its mean. `nodes` and `heap` are for searches
    over regions, whose result is `trail`, from the goal's region to the start's.
    """

    of: NDArray[np.int32]
    corner: NDArray[np.int32]
    centre: NDArray[np.int32]
    first: NDArray[np.int32]
    target: NDArray[np.int32]
    cost: NDArray[np.float64]
    nodes: NDArray[np.void]
    heap: NDArray[np.void]
    trail: NDArray[np.int32]
    counts: NDArray[np.int64]


def no_regions() -> Regions:
    """Return the regions of agents that plan on one level."""
    cells = np.zeros(0, np.int32)
    return Regions(
        of=cells,
        corner=cells,
        centre=cells,
        first=cells,
        target=cells,
        cost=np.zeros(0),
        nodes=np.zeros(0, NODE),
        heap=np.zeros(0, ENTRY),
        trail=cells,
        counts=np.zeros(1, np.int64),
    )


def regions_of(grid: Grid, size: int) -> Regions:
    """Return the regions of squares of `size` x `size` cells."""
    from wayfolk.world.abstraction.sectors import sectors_of

    of = np.full(grid.n_cells, NOWHERE, np.int32)
    free = grid.free_cells
    of[free] = sectors_of(grid, size).regions(free)
    n = int(of[free].max()) + 1
    places = grid.places(free).astype(np.float64)
    counts = np.bincount(of[free], minlength=n)
    means = np.stack([np.bincount(of[free], places[:, axis], n) / counts for axis in (0, 1)], 1)
    under = (means * (1.0 + 1.0 / np.array([grid.width, grid.height])) + FUZZ).astype(np.int64)
    corner = np.full(n, NOWHERE, np.int32)
    np.minimum.at(corner, of[free], free.astype(np.int32))
    pairs = []
    for k, offset in enumerate(grid.offsets.tolist()):
        here = free[(grid.legal[free] >> k) & 1 == 1]
        there = here + offset
        crosses = of[here] != of[there]
        pairs.append(np.stack([of[here[crosses]], of[there[crosses]]], 1))
    edges = np.unique(np.concatenate(pairs), axis=0)
    apart = np.abs(means[edges[:, 0]] - means[edges[:, 1]])
    return Regions(
        of=of,
        corner=corner,
        centre=np.array([grid.cell((x, y)) for x, y in under.tolist()], np.int32),
        first=np.searchsorted(edges[:, 0], np.arange(n + 1)).astype(np.int32),
        target=np.ascontiguousarray(edges[:, 1]).astype(np.int32),
        cost=apart.max(1) + (math.sqrt(2.0) - 1.0) * apart.min(1),
        nodes=np.zeros(n, NODE),
        heap=np.zeros(len(edges) + 2, ENTRY),
        trail=np.zeros(n, np.int32),
        counts=np.zeros(1, np.int64),
    )


@inner
def path_over_regions(regions, stride, start, goal):
    """Write the regions from `goal` back to `start` to the trail; how many they are, 0 without a path, and expansions."""
    nodes, heap = regions.nodes, regions.heap
    regions.counts[STAMP] += 2
    stamp = regions.counts[STAMP]
    nodes[start]["g"], nodes[start]["parent"], nodes[start]["mark"] = 0.0, start, stamp
    n = push(heap, 0, key_of(0.0, 0.0), start)
    expanded = 0
    while n > 0:
        one = heap[0]["cell"]
        n = pop(heap, n)
        if nodes[one]["mark"] != stamp:
            continue
        nodes[one]["mark"] = stamp + 1
        expanded += 1
        if one == goal:
            return _trace_regions(regions, start, goal), expanded
        for edge in range(regions.first[one], regions.first[one + 1]):
            other = regions.target[edge]
            node = nodes[other]
            if node["mark"] == stamp + 1:
                continue
            reached = nodes[one]["g"] + regions.cost[edge]
            if node["mark"] == stamp and reached >= node["g"] - FUZZ:
                continue
            node["g"], node["parent"], node["mark"] = reached, one, stamp
            n = push(heap, n, key_of(reached + _apart(regions, stride, other, goal), reached), other)
    return 0, expanded


@inner
def _trace_regions(regions, start, goal):
    n, one = 0, goal
    while True:
        regions.trail[n] = one
        n += 1
        if one == start:
            return n
        one = regions.nodes[one]["parent"]


@inner
def _apart(regions, stride, one, other):
    """The straight distance between the first cells of two regions."""
    here, there = regions.corner[one], regions.corner[other]
    dx, dy = here % stride - there % stride, here // stride - there // stride
    return math.sqrt(dx * dx + dy * dy)


@inner
def refine(arrays, sight, start, goal, n_trail):
    """Write a path along the trail to `arrays.path`; the outcome, its length, and the expansions.

    Partial: a path to the region two ahead, of which the first part is walked. Full: to each next region in turn, unless
    the path is beside it already or there is no way, and at last to the goal. Each part has walls of its own: agents
    nearer than the radius to where the part begins, those on cells of the next region among them.
    """
    regions, path, space = arrays.regions, arrays.path, arrays.space
    at, n, expanded = start, 0, 0
    spots = n_trail - 2 if arrays.is_full else min(1, max(0, n_trail - AHEAD))
    for spot in range(spots):
        aim = regions.trail[n_trail - 2 - spot] if arrays.is_full else regions.trail[n_trail - 1 - AHEAD]
        if arrays.is_full and _is_beside(arrays, at, aim):
            continue
        code, reached = find(
            space,
            seen_from(sight, at, NOWHERE),
            start=at,
            goal=goal,
            weight=arrays.weight,
            kind=EUCLIDEAN,
            regions=regions.of,
            aim=aim,
            centre=regions.centre[aim],
        )
        expanded += space.counts[EXPANDED]
        if code == FULL:
            return code, 0, expanded
        if code == FOUND:
            n = trace(space, at, reached, path, n)
            at = reached
        if not arrays.is_full:
            part = int(CUT * (n + 1)) - 1
            return code, part if part > 2 else n, expanded
    code, reached = find(
        space,
        seen_from(sight, at, goal),
        start=at,
        goal=goal,
        weight=arrays.weight,
        kind=arrays.kind,
        regions=regions.of,
        aim=NOWHERE,
        centre=goal,
    )
    expanded += space.counts[EXPANDED]
    if code != FOUND:
        return code, 0 if code == FULL else n, expanded
    return FOUND, trace(space, at, goal, path, n), expanded


@inner
def _is_beside(arrays, cell, aim):
    """Whether a step leads from `cell` to a cell of region `aim`."""
    graph = arrays.lanes.graph
    n_steps = 0
    for k in range(8):
        if (graph.legal[cell] >> k) & 1 and arrays.regions.of[cell + graph.offsets[k]] == aim:
            n_steps += 1
    return n_steps > 0
