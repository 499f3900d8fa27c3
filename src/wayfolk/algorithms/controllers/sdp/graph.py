"""Computes what connects the areas of a map: transitions, links, steps to the ways out of lanes, and pairs.

Guard       agents must be able to come from each area to each other that is connected with it on the map, though lanes
            lead in one direction only. `repair` names buffers and corridors that prevent it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.areas import CORE, ENTRY, EXIT, LINK, PAIR, ROOM, TRANSITION, Areas, steps_out
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.grid import Grid


def connected(grid: Grid, areas: Areas) -> Areas:
    """`areas`, of which all about cells is known, with transitions, links, steps and pairs."""
    n_areas = areas.n_rooms + areas.first_cell.size - 1
    transitions = np.empty(_list_transitions(grid.legal, grid.offsets, areas, np.empty(0, TRANSITION)), TRANSITION)
    _list_transitions(grid.legal, grid.offsets, areas, transitions)
    transitions = _sorted(transitions)
    links, n_steps = _links(transitions, areas)
    areas = areas._replace(
        transitions=transitions,
        first=_bounds(transitions["from_area"], 0, n_areas),
        links=links,
        first_link=_bounds(links["from_area"], 0, n_areas),
        steps=np.full(n_steps, NOWHERE, np.int32),
    )
    _measure(grid.offsets, areas, np.empty(np.diff(areas.first_cell).max(initial=0), np.int32))
    pairs = np.empty(_list_pairs(areas, np.empty(0, PAIR)), PAIR)
    _list_pairs(areas, pairs)
    pairs = _sorted(pairs)
    return areas._replace(pairs=pairs, first_pair=_bounds(pairs["lane"], areas.n_rooms, n_areas))


def _sorted(rows: NDArray[np.void]) -> NDArray[np.void]:
    """`rows` by area and then by cell."""
    names = [name for kind in ("lane", "area", "cell") for name in rows.dtype.names or () if name.endswith(kind)]
    return rows[np.lexsort([rows[name] for name in reversed(names)])]


def _bounds(numbers: NDArray[np.int32], first: int, last: int) -> NDArray[np.int32]:
    """Where the rows of each number from `first` on begin in a sorted list, and where the last ones end."""
    return np.searchsorted(numbers, np.arange(first, last + 1)).astype(np.int32)


def _links(transitions: NDArray[np.void], areas: Areas) -> tuple[NDArray[np.void], int]:
    """The neighbouring areas, and the size of `steps`."""
    is_new = np.ones(transitions.size, bool)
    is_new[1:] = np.diff(transitions["from_area"]) | np.diff(transitions["to_area"]) != 0
    links = np.empty(np.count_nonzero(is_new), LINK)
    links["first"] = np.flatnonzero(is_new)
    links["last"] = np.append(links["first"], transitions.size)[1:]
    for name in ("from_area", "to_area"):
        links[name] = transitions[name][links["first"]]
    sizes = np.zeros(areas.n_rooms + areas.first_cell.size - 1, np.int64)
    sizes[areas.n_rooms :] = np.diff(areas.first_cell)
    ends = np.cumsum(sizes[links["from_area"]])
    links["steps"] = ends - sizes[links["from_area"]]
    return links, int(ends[-1]) if ends.size else 0


class Repair(NamedTuple):
    """What is in the way: `buffers` that get smaller, 2 * lane + (1 for exits), and `corridors` that are dissolved."""

    buffers: NDArray[np.int64]
    corridors: NDArray[np.int64]


def repair(grid: Grid, areas: Areas, least: int, tiny: int) -> Repair:
    """What keeps some area from being reached or left, or makes rooms of fewer than `tiny` cells; nothing if all is well.

    Each room that is cut off or tiny takes a ring of cells from all buffers around it that keep at least `least` cells. If
    there is no such buffer, a room that is cut off takes the first corridor beside it.
    """
    n_rooms, links, transitions = areas.n_rooms, areas.links, areas.transitions
    if areas.corridors.size == 0:
        return Repair(np.empty(0, np.int64), np.empty(0, np.int64))
    # nodes are the rooms and the links into lanes, because the ways out of a lane depend on where it was entered
    sources, targets = _edges(areas)
    sizes, largest = _rooms(grid, areas)
    n_nodes = n_rooms + links.size
    is_reached = _reached(largest, sources, targets, n_nodes)
    is_fine = is_reached & _reached(largest, targets, sources, n_nodes)
    is_tiny = sizes < tiny
    is_tiny[largest] = False

    out = transitions[(transitions["from_area"] >= n_rooms) & (transitions["to_area"] < n_rooms)]
    out = out[is_tiny[out["to_area"]] | ~is_fine[out["to_area"]]]
    buffers = buffer_of(areas, out["from_cell"])
    can_shrink = _smaller_sizes(areas) >= least
    is_helped = np.zeros(n_rooms, bool)
    is_helped[out["to_area"][can_shrink[buffers]]] = True
    is_lost = ~is_fine[:n_rooms] & ~is_helped
    lost = out[is_lost[out["to_area"]]]
    _, first = np.unique(lost["to_area"], return_index=True)
    lanes = lost["from_area"][first] - n_rooms
    buffers = np.unique(buffers[can_shrink[buffers]])
    if not buffers.size and not lanes.size:  # lanes that nobody can enter, and those that do not lead back
        is_fine, is_reached = is_fine[n_rooms:], is_reached[n_rooms:]
        is_used = np.zeros(areas.first_cell.size - 1, bool)
        is_used[links["to_area"][is_fine] - n_rooms] = True
        is_used[links["to_area"][is_reached & ~is_fine] - n_rooms] = False
        lanes = np.flatnonzero(~is_used)
    return Repair(buffers, np.unique(lanes // 2))


def buffer_of(areas: Areas, cells: NDArray[np.int32]) -> NDArray[np.int64]:
    """The number of the buffer that each of some cells of lanes belongs to; cells of cores count as entries."""
    lanes = areas.area[cells].astype(np.int64) - areas.n_rooms
    return np.asarray(2 * lanes + (areas.part[cells] == EXIT))


def outer_rings(areas: Areas) -> NDArray[np.bool_]:
    """Which of `areas.cells` belong to the ring of their buffer that is farthest from the core."""
    buffers, depth = buffer_of(areas, areas.cells), np.abs(areas.depth[areas.cells])
    depth[areas.part[areas.cells] == CORE] = 0
    farthest = np.zeros(2 * areas.first_cell.size, np.int32)
    np.maximum.at(farthest, buffers, depth)
    return np.asarray((depth > 0) & (depth == farthest[buffers]))


def _smaller_sizes(areas: Areas) -> NDArray[np.int64]:
    """The size of each buffer without its outer ring."""
    is_left = ~outer_rings(areas) & (areas.part[areas.cells] != CORE)
    return np.bincount(buffer_of(areas, areas.cells[is_left]), minlength=2 * areas.first_cell.size)


def _edges(areas: Areas) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The nodes from which and to which agents can go on, room r as node r and link i into a lane as n_rooms + i."""
    n_rooms, links, pairs = areas.n_rooms, areas.links, areas.pairs
    n_areas = n_rooms + areas.first_cell.size - 1
    keys = links["from_area"].astype(np.int64) * n_areas + links["to_area"]

    def node(from_area: NDArray[np.int32], to_area: NDArray[np.int32]) -> NDArray[np.int64]:
        return n_rooms + np.searchsorted(keys, from_area.astype(np.int64) * n_areas + to_area)

    from_rooms = np.flatnonzero(links["from_area"] < n_rooms)
    is_room = pairs["to_area"] < n_rooms
    out = np.where(is_room, pairs["to_area"], node(pairs["lane"], pairs["to_area"]))
    sources = np.concatenate([links["from_area"][from_rooms], node(pairs["from_area"], pairs["lane"])])
    return sources, np.concatenate([n_rooms + from_rooms, out])


def _rooms(grid: Grid, areas: Areas) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sizes of rooms, and the largest room of each connected part of the map that has one."""
    sizes, parts = np.zeros(areas.n_rooms, np.int64), np.zeros(areas.n_rooms, np.int32)
    _count_cells(grid.free_cells, grid.components, areas, sizes, parts)
    order = np.lexsort((-sizes, parts))
    _, first = np.unique(parts[order], return_index=True)
    return sizes, order[first]


@kernel
def _count_cells(cells, components, areas, sizes, parts):
    """The number of cells of each room, and the connected part of the map in which it lies."""
    for cell in cells:
        if areas.part[cell] == ROOM:
            sizes[areas.area[cell]] += 1
            parts[areas.area[cell]] = components[cell]


def _reached(
    nodes: NDArray[np.int64], sources: NDArray[np.int64], targets: NDArray[np.int64], n_nodes: int
) -> NDArray[np.bool_]:
    """Which nodes can be reached from `nodes` along the edges."""
    order = np.argsort(sources, kind="stable")
    first = np.searchsorted(sources[order], np.arange(n_nodes + 1))
    is_reached = np.zeros(n_nodes, bool)
    is_reached[nodes] = True
    stack = np.empty(n_nodes, np.int64)
    stack[: nodes.size] = nodes
    _follow(first, targets[order], is_reached, stack, nodes.size)
    return is_reached


@kernel
def _follow(first, targets, is_reached, stack, n):
    """Mark all that can be reached from the `n` nodes on the stack, which are marked."""
    while n > 0:
        n -= 1
        node = stack[n]
        for target in targets[first[node] : first[node + 1]]:
            if not is_reached[target]:
                is_reached[target] = True
                stack[n] = target
                n += 1


@kernel
def _list_transitions(legal, offsets, areas, transitions):
    """Write the transitions as far as there is room, in no order; how many there are."""
    n = 0
    for cell in areas.cells:
        for k in range(4):
            other = cell + offsets[k]
            if (legal[cell] >> k) & 1 == 0 or areas.area[other] == areas.area[cell]:
                continue
            if areas.part[other] == ROOM or areas.part[other] == ENTRY:
                n = _add_transition(areas, cell, other, transitions, n)
            if areas.part[other] == ROOM and areas.part[cell] == ENTRY:
                n = _add_transition(areas, other, cell, transitions, n)
    return n


@inner
def _add_transition(areas, cell, other, transitions, n):
    if n < transitions.size:
        row = transitions[n]
        row["from_cell"], row["to_cell"] = cell, other
        row["from_area"], row["to_area"] = areas.area[cell], areas.area[other]
    return n + 1


@kernel
def _measure(offsets, areas, queue):
    """Write `steps`, which are NOWHERE: for each link that leaves a lane, a search against the direction of the lane."""
    for i in range(areas.links.size):
        link = areas.links[i]
        if link["from_area"] < areas.n_rooms:
            continue
        steps = areas.steps[link["steps"] :]
        used = 0
        for t in range(link["first"], link["last"]):
            cell = areas.transitions[t]["from_cell"]
            if steps[areas.place[cell]] == NOWHERE:
                steps[areas.place[cell]] = 0
                queue[used] = cell
                used += 1
        done = 0
        while done < used:
            cell = queue[done]
            done += 1
            for k in range(4):
                other = cell + offsets[k]
                if (areas.inside[cell] >> k) & 1 == 0 or areas.depth[other] > areas.depth[cell]:
                    continue
                if steps[areas.place[other]] == NOWHERE:
                    steps[areas.place[other]] = steps[areas.place[cell]] + 1
                    queue[used] = other
                    used += 1


@kernel
def _list_pairs(areas, pairs):
    """Write the pairs as far as there is room, in no order; how many there are."""
    n = 0
    for i in range(areas.links.size):
        into = areas.links[i]
        lane = into["to_area"]
        if lane < areas.n_rooms:
            continue
        for out in range(areas.first_link[lane], areas.first_link[lane + 1]):
            if _leads(areas, into, out):
                if n < pairs.size:
                    pairs[n]["lane"], pairs[n]["from_area"] = lane, into["from_area"]
                    pairs[n]["to_area"] = areas.links[out]["to_area"]
                n += 1
    return n


@inner
def _leads(areas, into, out):
    """Whether one of the transitions of the link `into` has a way to one of the link number `out`."""
    for t in range(into["first"], into["last"]):
        if steps_out(areas, areas.transitions[t]["to_cell"], out) != NOWHERE:
            return True
    return False
