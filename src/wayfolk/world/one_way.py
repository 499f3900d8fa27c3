"""The kernels that make a map one-way: rows, columns and corridors, sinks and sources, and the guard.

Why         an edge is a bit of its cell's byte, as in `Grid.legal`: the result is read as a grid with fewer
            moves.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EAST, NORTH, SOUTH, WEST

N_DIAGONALS, N_STRAIGHT, N_OPENED, N_PARTS = range(4)  # places in `counts`
DIAGONALS = (6, 7, 5, 4)  # the order of trying: north-west, north-east, south-west, south-east
MARK = np.dtype([(name, np.int32) for name in ("met", "low", "part", "stack", "path", "turn")], align=True)


@inner
def back(k):
    """The direction opposite to `k`."""
    return (k & 4) | ((k + 2) & 3)


@inner
def has(flow, cell, k):
    """Whether the move `k` is one of those from `cell`."""
    return (flow[cell] >> k) & 1 != 0


class OneWay(NamedTuple):
    """A map, and the moves that are left: `flow`. `straightened` are those added where no diagonal was legal."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    stride: int
    parity: int
    flow: NDArray[np.uint8]
    straightened: NDArray[np.uint8]
    counts: NDArray[np.int64]


@kernel
def annotate(one_way, cells):
    """Rules 1 to 4 for all `cells`, in order: write the moves that are left to `flow`, which is empty."""
    for cell in cells:
        one_way.flow[cell] = one_way_moves(one_way, cell)
    for cell in cells:
        serve_sink_or_source(one_way, cell)


@inner
def one_way_moves(one_way, cell):
    """Rules 1 and 2: the moves from `cell` along its row and its column, and both ways where it is narrow."""
    legal = one_way.legal
    y = cell // one_way.stride
    x = cell - y * one_way.stride
    # the first row is number 1 of the padded map: even rows go east, even columns north
    along = EAST if (y - 1 + one_way.parity) & 1 == 0 else WEST
    across = NORTH if (x - 1 + (one_way.parity >> 1)) & 1 == 0 else SOUTH
    moves = 0
    for k in range(4):
        if has(legal, cell, k) and (k in (along, across) or is_narrow(legal, one_way.offsets, cell, k)):
            moves |= 1 << k
    return np.uint8(moves)


@inner
def serve_sink_or_source(one_way, cell):
    """Rules 3 and 4 for `cell`."""
    if one_way.legal[cell] == 0:
        return
    if one_way.flow[cell] == 0:
        _let_out(one_way, cell)
    if not _is_entered(one_way.flow, one_way.offsets, cell):
        _let_in(one_way, cell)


@inner
def is_narrow(legal, offsets, cell, k):
    """Whether `cell` or the next one in direction `k` is one cell wide."""
    return _is_corridor(legal, cell, k) or _is_corridor(legal, cell + offsets[k], k)


@inner
def _is_corridor(legal, cell, k):
    """Whether `cell` is one cell wide for who walks in direction `k`."""
    beside = (1 << EAST | 1 << WEST) if k & 1 else (1 << SOUTH | 1 << NORTH)
    return legal[cell] & beside == 0


@inner
def _is_entered(flow, offsets, cell):
    for k in range(8):
        # the border is as wide as a step, and no move leads out of it
        other = cell - offsets[k]
        if has(flow, other, k):
            return True
    return False


@inner
def _let_out(one_way, cell):
    """A sink gets a diagonal way out, or one of the straight ways in is opened."""
    legal, offsets, flow = one_way.legal, one_way.offsets, one_way.flow
    for k in DIAGONALS:
        if has(legal, cell, k) and not has(flow, cell + offsets[k], back(k)):
            flow[cell] |= np.uint8(1 << k)
            one_way.counts[N_DIAGONALS] += 1
            return
    for k in range(4):
        if has(legal, cell, k):
            _straighten(one_way, cell, k)
            return


@inner
def _let_in(one_way, cell):
    """A source gets a diagonal way in, or one of the straight ways out is opened."""
    legal, offsets, flow = one_way.legal, one_way.offsets, one_way.flow
    for k in DIAGONALS:
        other = cell + offsets[k]
        if has(legal, other, back(k)) and not has(flow, cell, k):
            flow[other] |= np.uint8(1 << back(k))
            one_way.counts[N_DIAGONALS] += 1
            return
    for k in range(4):
        other = cell + offsets[k]
        if has(legal, other, back(k)):
            _straighten(one_way, other, back(k))
            return


@inner
def _straighten(one_way, cell, k):
    one_way.flow[cell] |= np.uint8(1 << k)
    one_way.straightened[cell] |= np.uint8(1 << k)
    one_way.counts[N_STRAIGHT] += 1


@kernel
def guard(one_way, cells, marks):
    """Open straight edges until all that is connected without directions is strongly connected.

    Between two strongly connected parts that have not been joined yet, the first edge by the order of cells is opened:
    as many edges as there are parts too many. `marks` is as new and has a row for each cell of the map.
    """
    legal, offsets, flow, counts = one_way.legal, one_way.offsets, one_way.flow, one_way.counts
    number_parts(offsets, cells, flow, marks, counts)
    for part in range(counts[N_PARTS] + 1):
        marks[part]["stack"] = part  # from here on: which part a part was joined with
    for cell in cells:
        for k in range(2):  # east and south: each edge once
            if has(legal, cell, k):
                other = cell + offsets[k]
                one, two = _root(marks, marks[cell]["part"]), _root(marks, marks[other]["part"])
                if one != two:
                    marks[two]["stack"] = one
                    open_edge(one_way, cell, k)


@inner
def open_edge(one_way, cell, k):
    """Let the edge from `cell` in direction `k` lead both ways, though neither end is narrow."""
    one_way.flow[cell] |= np.uint8(1 << k)
    one_way.flow[cell + one_way.offsets[k]] |= np.uint8(1 << back(k))
    one_way.counts[N_OPENED] += 1


@inner
def _root(marks, part):
    while marks[part]["stack"] != part:
        marks[part]["stack"] = marks[marks[part]["stack"]]["stack"]
        part = marks[part]["stack"]
    return part


@kernel
def number_parts(offsets, cells, flow, marks, counts):
    """Number the strongly connected parts from 1, in the field `part` of `marks`, which is as new.

    Tarjan, "Depth-first search and linear graph algorithms", 1972, with the way down written to the field `path`.
    """
    n_met, n_stack, n_parts = 0, 0, 0
    for first in cells:
        if marks[first]["met"] != 0:
            continue
        n_path = 0
        cell = first
        while True:
            mark = marks[cell]
            if mark["met"] == 0:
                n_met += 1
                mark["met"] = mark["low"] = n_met
                marks[n_stack]["stack"] = marks[n_path]["path"] = cell
                n_stack += 1
                n_path += 1
            below = cell
            while mark["turn"] < 8 and below == cell:
                k = mark["turn"]
                mark["turn"] += 1
                if has(flow, cell, k):
                    other = marks[cell + offsets[k]]
                    if other["met"] == 0:
                        below = cell + offsets[k]
                    elif other["part"] == 0:
                        mark["low"] = min(mark["low"], other["met"])
            if below != cell:
                cell = below
                continue
            if mark["low"] == mark["met"]:
                n_parts += 1
                while mark["part"] == 0:
                    n_stack -= 1
                    marks[marks[n_stack]["stack"]]["part"] = n_parts
            n_path -= 1
            if n_path == 0:
                break
            cell = marks[n_path - 1]["path"]
            marks[cell]["low"] = min(marks[cell]["low"], mark["low"])
    counts[N_PARTS] = n_parts
