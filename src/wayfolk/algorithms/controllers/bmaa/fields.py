"""Coarse fields: the approximate distance from each region of a map to an agent's goal.

A region is a connected part of a sector (see `wayfolk.world.abstraction.sectors`). From the cells of a region the heuristic
leads by the centre of it or of a neighbour: no farther than that, and at least as far as on an empty map.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels import heap
from wayfolk.kernels.graph import CsrGraph
from wayfolk.kernels.heap import ROW
from wayfolk.kernels.rows import with_rows
from wayfolk.world.abstraction.sectors import sectors_of
from wayfolk.world.grid import Grid

SIZE = 16  # of a sector
FINE = 1024.0


class CoarseFields(NamedTuple):
    """`far[agent, region]` is the cost from the region's centre to the agent's goal, if `valid[agent]`."""

    first: NDArray[np.int32]
    part: NDArray[np.uint16]
    graph: CsrGraph
    across: int
    far: NDArray[np.float32]
    valid: NDArray[np.bool_]
    rows: NDArray[np.void]


def new_fields(grid: Grid, n_agents: int) -> CoarseFields:
    """Return fields for all agents, to be computed when they are needed."""
    sectors = sectors_of(grid, SIZE)
    graph = sectors.graph.graph
    return CoarseFields(
        sectors.first, sectors.part, graph, sectors.across, np.zeros((n_agents, sectors.n_regions), np.float32),
        np.zeros(n_agents, np.bool_), np.zeros(len(graph.target) + 1, ROW),
    )  # fmt: skip


def with_agents(fields: CoarseFields, n_agents: int) -> CoarseFields:
    """The same for more agents."""
    return fields._replace(far=with_rows(fields.far, n_agents), valid=with_rows(fields.valid, n_agents))


def edited(fields: CoarseFields, grid: Grid, goals: NDArray[np.int32]) -> CoarseFields:
    """The fields on an edited map; those of agents for which it changes nothing stay valid. `goals` are the agents'."""
    sectors = sectors_of(grid, SIZE)
    graph, old = sectors.graph.graph, fields.graph
    if not np.array_equal(sectors.first, fields.first):  # regions have got other numbers
        return new_fields(grid, len(fields.valid))
    is_changed = np.zeros(sectors.n_regions, bool)
    is_changed[sectors.regions(np.flatnonzero((sectors.part != fields.part) & grid._free))] = True
    is_changed |= (graph.x != old.x) | (graph.y != old.y)
    valid = fields.valid.copy()
    for here, there, weight, is_gone in _changed_edges(old, graph):
        is_changed[here] = is_changed[there] = True
        reached = (fields.far[:, here] + np.float64(weight)).astype(np.float32)
        valid &= (reached != fields.far[:, there]) if is_gone else (reached >= fields.far[:, there])
    homes = np.zeros(len(valid), np.int32)
    has_home = (goals < grid.n_cells) & valid
    has_home[has_home] = grid._free[goals[has_home]]
    homes[has_home] = sectors.regions(goals[has_home])
    near = is_changed.copy()  # from its home a field begins with the centres of the regions around
    near[np.repeat(np.arange(sectors.n_regions), np.diff(graph.first))[is_changed[graph.target]]] = True
    rows = fields.rows if len(fields.rows) > len(graph.target) else np.zeros(len(graph.target) + 1, ROW)
    return fields._replace(
        part=sectors.part, graph=graph, valid=valid & has_home & ~near[homes], first=sectors.first, rows=rows
    )


def _changed_edges(old: CsrGraph, new: CsrGraph) -> list[tuple[int, int, float, bool]]:
    """The edges that only one of two graphs of the same regions has: from, to, cost, and whether it was in the old one."""
    found = []
    listed = [_edges(graph) for graph in (old, new)]
    for k, (keys, weights) in enumerate(listed):
        other_keys, other_weights = listed[1 - k]
        at = np.minimum(np.searchsorted(other_keys, keys), len(other_keys) - 1)
        is_same = (other_keys[at] == keys) & (other_weights[at] == weights) if len(other_keys) else keys < 0
        n = len(old.first) - 1
        found += [(int(key // n), int(key % n), float(weight), k == 0) for key, weight in
                  zip(keys[~is_same], weights[~is_same], strict=True)]  # fmt: skip
    return found


def _edges(graph: CsrGraph) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """A number for each edge, in order, and its cost."""
    n = len(graph.first) - 1
    keys = np.repeat(np.arange(n), np.diff(graph.first)) * n + graph.target
    order = np.argsort(keys, kind="stable")
    return keys[order], graph.weight[order]


def no_fields() -> CoarseFields:
    """Return empty fields, for agents that start with octile distances."""
    nothing = np.zeros(0, np.int32)
    no_place = np.zeros(0)
    graph = CsrGraph(nothing, nothing, np.zeros(0), no_place, no_place, no_place, 0.0)
    return CoarseFields(
        nothing, np.zeros(0, np.uint16), graph, 0, np.zeros((0, 0), np.float32), np.zeros(0, np.bool_), np.zeros(0, ROW)
    )


@inner
def octile(dx, dy, slant):
    """The distance on an empty map; `slant` is what a diagonal costs more than a straight step."""
    dx, dy = abs(dx), abs(dy)
    return max(dx, dy) + slant * min(dx, dy)


@inner
def _region(fields, cell, x, y):
    return fields.first[(y - 1) // SIZE * fields.across + (x - 1) // SIZE] + np.int64(fields.part[cell])


@inner
def make(fields, agent, goal, stride, slant, cheapest):
    """Dijkstra's algorithm from the region of the goal."""
    graph, rows, far = fields.graph, fields.rows, fields.far[agent]
    goal_y = goal // stride
    goal_x = goal - goal_y * stride
    far[:] = np.inf
    home = _region(fields, goal, goal_x, goal_y)
    inside = cheapest * octile(graph.x[home] + 1 - goal_x, graph.y[home] + 1 - goal_y, slant)
    far[home] = inside
    n = heap.push(rows, 0, 0, 0, home)
    while n > 0:
        region, key = np.int64(rows[0]["item"]), rows[0]["f"]
        n = heap.pop(rows, n)
        if region != home and key != np.int64(far[region] * FINE):  # a better copy came before
            continue
        for edge in range(graph.first[region], graph.first[region + 1]):
            other = np.int64(graph.target[edge])
            reached = np.float32(far[region] + graph.weight[edge])
            if region == home:  # not by the centre, but from the goal
                straight = cheapest * octile(graph.x[other] + 1 - goal_x, graph.y[other] + 1 - goal_y, slant)
                reached = np.float32(max(straight, graph.weight[edge] - inside))
            if reached < far[other]:
                far[other] = reached
                n = heap.push(rows, n, np.int64(reached * FINE), 0, other)
    fields.valid[agent] = True


@inner
def heuristic(fields, agent, cell, x, y, goal, goal_x, goal_y, slant, cheapest):
    """Return about how far it is from `cell`, by the centre of its region or of one beside it.

    Where no regions lead to the goal, as far as on an empty map: what is learned must stay finite.
    """
    graph, far = fields.graph, fields.far[agent]
    straight = cheapest * octile(x - goal_x, y - goal_y, slant)
    here, home = _region(fields, cell, x, y), _region(fields, goal, goal_x, goal_y)
    if here == home:
        return straight
    best = far[here] + cheapest * octile(x - graph.x[here] - 1, y - graph.y[here] - 1, slant)
    for edge in range(graph.first[here], graph.first[here + 1]):
        other = np.int64(graph.target[edge])
        if other == home:
            return straight
        best = min(best, far[other] + cheapest * octile(x - graph.x[other] - 1, y - graph.y[other] - 1, slant))
    return max(best, straight) if best < np.inf else straight
