"""The kernels that make a map one-way: rows, columns and corridors, sinks and sources, and the guard.

Why      an edge is a bit of its cell's byte, as in `Grid.legal`: what is made here is read as a grid with fewer moves.
"""

import numpy as np

from wayfolk.grid import EAST, NORTH, SOUTH, WEST
from wayfolk.kernels.jit import inner, kernel

N_DIAGONALS, N_STRAIGHT, N_OPENED, N_PARTS = range(4)  # places in `counts`
DIAGONALS = (6, 7, 5, 4)  # the order of trying: north-west, north-east, south-west, south-east
MARK = np.dtype([(name, np.int32) for name in ("met", "low", "part", "stack", "path", "turn")], align=True)


@inner
def _back(k):
    """The direction opposite to `k`."""
    return (k & 4) | ((k + 2) & 3)


@inner
def _has(flow, cell, k):
    return (flow[cell] >> k) & 1 != 0


@kernel
def annotate(legal, offsets, stride, parity, cells, flow, counts):
    """Rules 1 to 4 for all `cells`, in order: write the moves that are left to `flow`, which is empty."""
    for cell in cells:
        y = cell // stride
        x = cell - y * stride
        # the first row is number 1 of the padded map: even rows go east, even columns north
        along = EAST if (y - 1 + parity) & 1 == 0 else WEST
        across = NORTH if (x - 1 + (parity >> 1)) & 1 == 0 else SOUTH
        for k in range(4):
            if not _has(legal, cell, k):
                continue
            other = cell + offsets[k]
            narrow = _is_corridor(legal, cell, k) or _is_corridor(legal, other, k)
            if narrow or k in (along, across):
                flow[cell] |= np.uint8(1 << k)
    for cell in cells:
        if legal[cell] == 0:
            continue
        if flow[cell] == 0:
            _let_out(legal, offsets, cell, flow, counts)
        if not _is_entered(flow, offsets, cell):
            _let_in(legal, offsets, cell, flow, counts)


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
        if _has(flow, other, k):
            return True
    return False


@inner
def _let_out(legal, offsets, cell, flow, counts):
    """A sink gets a diagonal way out, or one of the straight ways in is opened."""
    for k in DIAGONALS:
        if _has(legal, cell, k) and not _has(flow, cell + offsets[k], _back(k)):
            flow[cell] |= np.uint8(1 << k)
            counts[N_DIAGONALS] += 1
            return
    for k in range(4):
        if _has(legal, cell, k):
            flow[cell] |= np.uint8(1 << k)
            counts[N_STRAIGHT] += 1
            return


@inner
def _let_in(legal, offsets, cell, flow, counts):
    """A source gets a diagonal way in, or one of the straight ways out is opened."""
    for k in DIAGONALS:
        other = cell + offsets[k]
        if _has(legal, other, _back(k)) and not _has(flow, cell, k):
            flow[other] |= np.uint8(1 << _back(k))
            counts[N_DIAGONALS] += 1
            return
    for k in range(4):
        other = cell + offsets[k]
        if _has(legal, other, _back(k)):
            flow[other] |= np.uint8(1 << _back(k))
            counts[N_STRAIGHT] += 1
            return


@kernel
def guard(legal, offsets, cells, flow, marks, counts):
    """Open straight edges until whatever is connected without directions is strongly connected.

    Between two strongly connected parts that have not been joined yet, the first edge by the order of cells is opened:
    as many edges as there are parts too many. `marks` is as new and has a row for each cell of the map.
    """
    number_parts(offsets, cells, flow, marks, counts)
    for part in range(counts[N_PARTS] + 1):
        marks[part]["stack"] = part  # from here on: which part a part was joined with
    for cell in cells:
        for k in range(2):  # east and south: each edge once
            if _has(legal, cell, k):
                other = cell + offsets[k]
                one, two = _root(marks, marks[cell]["part"]), _root(marks, marks[other]["part"])
                if one != two:
                    marks[two]["stack"] = one
                    flow[cell] |= np.uint8(1 << k)
                    flow[other] |= np.uint8(1 << _back(k))
                    counts[N_OPENED] += 1


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
                if _has(flow, cell, k):
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
