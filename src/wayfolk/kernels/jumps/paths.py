"""Jump point search to the nearest of several goals, on any bits of legal moves, and its path cell by cell.

Harabor and Grastien, "Online graph pruning for pathfinding on grid maps", 2011.
Renukamurthy, "Improving spatially distributed multiagent pathfinding using Cooperative JPS", 2016, sections 4.1.1
(backtracking) and 4.1.2 (forced selection).

The moves are any bits like those of a grid: where jumps stop is derived from them (`stops.py`), so that a search can be
kept in a part of a map.

    begin_jumps(jumps, start, goals, n_goals)          open the start, mark the goals
    advance_jumps(jumps, legal, offsets, budget)       expand cells: RUNNING, FOUND or EXHAUSTED
    end_jumps(jumps, goals, n_goals)                   unmark the goals
    trace_jumps(jumps, start, cells)                   the cells of the path
    jump_path(jumps, legal, offsets, start, goals, n_goals, cells)    all of it

Guarantees  a cheapest path to the nearest goal, if any can be reached, for every pattern of legal moves in which diagonals
            cost 1 to 2.
Invariants  g[cell] is the cost of the path that `parent` describes. A jump never passes a goal: the goals are marked as
            stops of all runs (forced selection, tested at every cell).
            A cell reached in two ways at the same cost is left in the directions of both.
Cost        a byte for each cell, made once, and a node for each cell that is visited; nothing is cleared between searches.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EXHAUSTED, FOUND, NOWHERE, RUNNING, SOUTH
from wayfolk.kernels.heap import ROW, place, remove
from wayfolk.kernels.jumps.pruning import NATURAL
from wayfolk.kernels.jumps.stops import NATURAL_OF_FOUR, update_stops, ways_of
from wayfolk.kernels.lazy import lazy_zeros

STAMP, N_OPEN, EXPANDED, GENERATED, NEAREST, LEFT, RIGHT, TOP, BOTTOM = range(9)  # places in `counts`
STRAIGHT = 1 << 30  # cost of a straight move: sums of costs are whole numbers, so that equal ones are equal
NODE = np.dtype(
    [
        ("g", np.int64),
        ("parent", np.int32),
        ("stamp", np.int32),  # the search that has visited the cell
        ("goal", np.int32),  # the search of which the cell is a goal
        ("at", np.int32),  # one more than its row in the open list, or 0
        ("to_expand", np.uint8),  # directions in which to leave the cell
        ("expanded", np.uint8),  # directions in which it has been left
        ("stops", np.uint8),  # those of the cell, while it is marked as a goal
    ],
    align=True,
)
ALL = np.uint8(255)


class JumpArrays(NamedTuple):
    """What jumps need of a map, and the memory of a search.

    Bit `way` of `stops[cell]` is set if a run in direction `way` has to end there. `natural[way]` are the directions in
    which a cell entered by `way` is left on an empty map. The nearest goal is in `counts`, and the box around all goals.
    """

    stops: NDArray[np.uint8]
    nodes: NDArray[np.void]
    open: NDArray[np.void]
    natural: NDArray[np.uint8]
    costs: NDArray[np.int64]
    counts: NDArray[np.int64]
    stride: int


def new_jumps(legal: NDArray[np.uint8], offsets: NDArray[np.int32], diagonal: float) -> JumpArrays:
    """Memory for searches by the bits `legal`, in which a diagonal move costs `diagonal` (from 1 to 2)."""
    n_cells, has_diagonals = len(legal), bool((legal >> 4).any())
    natural = NATURAL if has_diagonals else NATURAL_OF_FOUR
    slant = round((diagonal if has_diagonals else 2.0) * STRAIGHT)
    jumps = JumpArrays(
        stops=np.zeros(n_cells, np.uint8),
        nodes=lazy_zeros((n_cells,), NODE),
        open=lazy_zeros((n_cells,), ROW),
        natural=natural,
        costs=np.array([STRAIGHT] * 4 + [slant] * 4, np.int64),
        counts=np.zeros(9, np.int64),
        stride=int(offsets[SOUTH]),
    )
    update_stops(jumps, legal, offsets, 0, n_cells - 1)
    return jumps


@kernel
def jump_path(jumps, legal, offsets, start, goals, n_goals, cells):
    """Write the cells of a cheapest path from `start` to the nearest of the first `n_goals` of `goals`, both included.

    Returns their number: 0 if no goal can be reached, and more than `cells` has room for if the path does not fit.
    """
    begin_jumps(jumps, start, goals, n_goals)
    outcome = advance_jumps(jumps, legal, offsets, np.int64(2**62))
    end_jumps(jumps, goals, n_goals)
    return trace_jumps(jumps, start, cells) if outcome == FOUND else 0


@kernel
def begin_jumps(jumps, start, goals, n_goals):
    """Begin a search from `start` to the nearest of the first `n_goals` of `goals`."""
    counts, nodes = jumps.counts, jumps.nodes
    if counts[STAMP] >= NOWHERE:  # stamps have run out
        for cell in range(nodes.size):
            nodes[cell]["stamp"] = nodes[cell]["goal"] = 0
        counts[STAMP] = 0
    counts[STAMP] += 1
    counts[EXPANDED] = counts[GENERATED] = counts[N_OPEN] = 0
    counts[NEAREST] = NOWHERE
    counts[LEFT] = counts[TOP] = NOWHERE
    counts[RIGHT] = counts[BOTTOM] = 0
    for k in range(n_goals):
        goal = goals[k]
        y = goal // jumps.stride
        x = goal - y * jumps.stride
        counts[LEFT], counts[RIGHT] = min(counts[LEFT], x), max(counts[RIGHT], x)
        counts[TOP], counts[BOTTOM] = min(counts[TOP], y), max(counts[BOTTOM], y)
        if nodes[goal]["goal"] != counts[STAMP]:
            nodes[goal]["goal"], nodes[goal]["stops"] = counts[STAMP], jumps.stops[goal]
            jumps.stops[goal] = ALL
    if n_goals > 0:
        _open(jumps, start, np.int64(0), start, ALL)


@kernel
def end_jumps(jumps, goals, n_goals):
    """Unmark the goals of a search that has begun."""
    for k in range(n_goals):
        jumps.stops[goals[k]] = jumps.nodes[goals[k]]["stops"]


@kernel
def advance_jumps(jumps, legal, offsets, budget):
    """Expand up to `budget` cells; RUNNING, FOUND or EXHAUSTED."""
    counts, nodes = jumps.counts, jumps.nodes
    stop = counts[EXPANDED] + budget
    while counts[N_OPEN] > 0:
        cell = np.int64(jumps.open[0]["item"])
        node = nodes[cell]
        if node["goal"] == counts[STAMP]:
            counts[NEAREST] = cell
            return FOUND
        if counts[EXPANDED] >= stop:
            return RUNNING
        counts[N_OPEN] = remove(jumps.open, nodes, counts[N_OPEN], cell)
        counts[EXPANDED] += 1
        ways = node["to_expand"] & legal[cell]
        node["expanded"] |= ways
        node["to_expand"] = 0
        _expand(jumps, legal, offsets, cell, ways, node["g"])
    return EXHAUSTED


@kernel
def trace_jumps(jumps, start, cells):
    """Write the cells of the path that was found, from `start` on; their number, which may exceed the room."""
    nodes, stride = jumps.nodes, jumps.stride
    n, cell = 1, jumps.counts[NEAREST]
    while cell != start:
        parent = np.int64(nodes[cell]["parent"])
        n += _length(jumps, parent, cell)
        cell = parent
    if n > cells.size:
        return n
    end, cell = n, jumps.counts[NEAREST]
    cells[0] = start
    while cell != start:
        parent = np.int64(nodes[cell]["parent"])
        end -= _length(jumps, parent, cell)
        y, parent_y = cell // stride, parent // stride
        dx, dy = (cell - y * stride) - (parent - parent_y * stride), y - parent_y
        slants = min(abs(dx), abs(dy)) if jumps.natural[4] else 0
        x_step = 1 if dx > 0 else -1
        y_step = stride if dy > 0 else -stride
        at = parent
        for k in range(_length(jumps, parent, cell)):  # diagonals first, then horizontal moves, then vertical ones
            if k < max(slants, abs(dx)):
                at += x_step
            if k < slants or k >= max(slants, abs(dx)):
                at += y_step
            cells[end + k] = at
        cell = parent
    return n


@inner
def _length(jumps, parent, cell):
    """The number of moves of one jump."""
    y, parent_y = cell // jumps.stride, parent // jumps.stride
    dx, dy = abs((cell - y * jumps.stride) - (parent - parent_y * jumps.stride)), abs(y - parent_y)
    return max(dx, dy) if jumps.natural[4] else dx + dy


@inner
def _expand(jumps, legal, offsets, cell, ways, here):
    """Open the ends of all jumps from `cell`.

    A run along a diagonal (or, where there are none, along a row) looks to both sides at every cell: what is there is
    opened at once, not the cell from which it was seen.
    """
    stops = jumps.stops
    for way in range(8):
        if not ways >> way & 1:
            continue
        sides = jumps.natural[way] & ~np.uint8(1 << way)
        at, reached = cell, here
        while True:
            at += offsets[way]
            reached += jumps.costs[way]
            if stops[at] >> way & 1:
                _reach(jumps, legal, offsets, at, reached, cell, way)
                break
            if sides:
                seen = sides & legal[at]
                for side in range(4):
                    if seen >> side & 1:
                        end = at + offsets[side]
                        while not stops[end] >> side & 1:
                            end += offsets[side]
                        n = (end - at) // offsets[side]
                        _reach(jumps, legal, offsets, end, reached + n * jumps.costs[side], cell, side)
                if not legal[at] >> way & 1:
                    break


@inner
def _reach(jumps, legal, offsets, cell, reached, parent, way):
    """Open `cell`, where a run in direction `way` from `parent` has ended, if that is better than what is known."""
    node, stamp = jumps.nodes[cell], jumps.counts[STAMP]
    is_known = node["stamp"] == stamp
    if is_known and node["g"] < reached:
        return
    ways = ways_of(legal, offsets, cell, way)
    if is_known and node["g"] == reached:
        ways &= ~(node["to_expand"] | node["expanded"])
        if ways == 0:
            return
    elif ways == 0 and node["goal"] != stamp:
        return
    _open(jumps, cell, reached, parent, ways)


@inner
def _open(jumps, cell, reached, parent, ways):
    """Put `cell` into the open list, to be left in the directions `ways`."""
    counts, node = jumps.counts, jumps.nodes[cell]
    if node["stamp"] != counts[STAMP]:
        node["stamp"], node["at"] = counts[STAMP], 0
        node["g"] = NOWHERE * np.int64(STRAIGHT)
        counts[GENERATED] += 1
    if reached < node["g"]:
        node["g"], node["parent"] = reached, parent
        node["to_expand"] = node["expanded"] = 0
    node["to_expand"] |= ways
    f = reached + _remaining(jumps, cell)
    counts[N_OPEN] = place(jumps.open, jumps.nodes, counts[N_OPEN], cell, f, -reached)


@inner
def _remaining(jumps, cell):
    """The cost from `cell` to the box around the goals on an empty map."""
    counts = jumps.counts
    y = cell // jumps.stride
    x = cell - y * jumps.stride
    dx = max(counts[LEFT] - x, x - counts[RIGHT], 0)
    dy = max(counts[TOP] - y, y - counts[BOTTOM], 0)
    return STRAIGHT * (max(dx, dy) - min(dx, dy)) + jumps.costs[4] * min(dx, dy)
