"""Pull a path taut: while two of its moves can be replaced by something shorter, replace them.

Two moves at right angles or more can be replaced by cheaper ones: east and north by one diagonal, north-east and
south-east by two to the east, east and west by nothing. Such a pair need not be adjacent: the moves between are shifted by
a cell, if that is possible. A detour by way of an entrance of a cluster is removed pair by pair, and the path that is left
lies against obstacles like a string.

Invariants  the path keeps its ends, and its cost never rises. In the end no move can be merged with the last move before
            it that makes a pair with it. On terrain, where a shift may cost more than it saves, costs are compared.
Cost        time proportional to the path's length, and to the lengths that are shifted; pairs are looked for within
            `REACH` moves.
Deviations  HPA* (Botea et al. 2004) shortens a path by straight lines from each of its cells to later ones instead.
"""

import numpy as np

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import DX, DY
from wayfolk.kernels.graph import cost

REACH = 512
NONE = 8  # no direction
GAIN = 1e-9  # less than this comes from rounding
BLOCKED, NOT_YET, FITS = range(3)


def _merged() -> list[list[tuple[int, int, int]]]:
    """How many moves replace two of the directions a and b, and which; 3 where nothing shorter does."""
    named = {(DX[k], DY[k]): k for k in range(8)}
    table = []
    for a in range(8):
        row = []
        for b in range(8):
            dx, dy = DX[a] + DX[b], DY[a] + DY[b]
            if DX[a] * DX[b] + DY[a] * DY[b] > 0:
                row.append((3, NONE, NONE))
            elif (dx, dy) == (0, 0):
                row.append((0, NONE, NONE))
            elif (dx, dy) in named:
                row.append((1, named[dx, dy], NONE))
            else:
                row.append((2, named[dx // 2, dy // 2], named[dx // 2, dy // 2]))
        table.append(row)
    return table


MERGED = np.array(_merged(), np.int64)


@kernel
def pull(graph, path, moves, last, stuck, n):
    """Shorten the first `n` cells of `path` in place; how many are left.

    The moves kept so far are a stack: move k leads away from path[k], and moves[k] holds its direction and, times 8, the
    place after that of the move of the same direction before it. For each direction, `last` holds this place for the
    last such move, and `stuck` the pair it cannot be merged with however the path goes on. All three are scratch. What is
    replaced goes back to the part of the path that is still to be read, so that it is looked at again where it is now.
    """
    offsets = graph.offsets
    last[:] = 0
    stuck[:] = 0
    here, top, read = np.int64(path[0]), np.int64(0), np.int64(1)
    pair, before_it = 0, NONE
    while read < n:
        step = path[read] - path[read - 1]
        read += 1
        move = before_it if before_it != NONE and offsets[before_it] == step else _direction(offsets, step)
        if move != before_it:  # in a row of equal moves the pair stays the same
            pair = 0  # the place after that of the last move that makes a pair with this one
            for k in range(8):
                if MERGED[k, move, 0] < 3 and last[k] > pair:
                    pair = last[k]
        before_it = move
        if pair > 0 and stuck[move] != pair and top - pair < REACH:
            at = pair - 1
            count, first, second = MERGED[moves[at] & 7, move]
            is_hopeless = True
            for follows in range(2 if count == 1 else 1):
                # one move for two can come before what lies between them, or after it
                before = NONE if follows == 1 else first
                after = first if follows == 1 else second
                fits = _fits(graph, path, moves, at=at, top=top, here=here, move=move, before=before, after=after)
                if fits == FITS:
                    here = np.int64(path[at])
                    read = _put_back(
                        offsets, path, moves, last=last, at=at, top=top, read=read, before=before, after=after
                    )
                    top, move, before_it = at, NONE, NONE
                    stuck[:] = 0
                    break
                is_hopeless = is_hopeless and fits == BLOCKED
            if move != NONE and is_hopeless:
                stuck[move] = pair
        if move != NONE:
            path[top] = here
            moves[top] = last[move] * 8 + move
            top += 1
            last[move] = top
            here += offsets[move]
    path[top] = here
    return top + 1


@inner
def _direction(offsets, step):
    move = 0
    while offsets[move] != step:
        move += 1
    return move


@inner
def _fits(graph, path, moves, at, top, here, move, before, after):
    """Whether `before`, the moves after place `at`, and `after` can be made from path[at], for less than now.

    BLOCKED where that will not change however the path goes on.
    """
    legal, offsets = graph.legal, graph.offsets
    cell = path[at]
    if before != NONE:
        if not (legal[cell] >> before) & 1:
            return BLOCKED
        cell += offsets[before]
    for k in range(at + 1, top):
        if not (legal[cell] >> (moves[k] & 7)) & 1:
            return BLOCKED
        cell += offsets[moves[k] & 7]
    if after != NONE and not (legal[cell] >> after) & 1:
        return NOT_YET
    gain = cost(graph, path[at], moves[at] & 7) + cost(graph, here, move)
    if before != NONE:
        gain -= cost(graph, path[at], before)
    if after != NONE:
        gain -= cost(graph, cell, after)
    if graph.terrain.size > 0:
        cell = path[at] + (offsets[before] if before != NONE else 0)
        for k in range(at + 1, top):
            gain += cost(graph, path[k], moves[k] & 7) - cost(graph, cell, moves[k] & 7)
            cell += offsets[moves[k] & 7]
    return FITS if gain > GAIN else NOT_YET


@inner
def _put_back(offsets, path, moves, last, at, top, read, before, after):
    """Take the moves from place `at` on off the stack, and write `before`, all but the first of them, and `after` in
    front of place `read` of the path; the new place to read from. There is room: no more moves are written than were read.
    """
    place = read - 1
    cell = path[place]
    if after != NONE:
        cell -= offsets[after]
        place -= 1
        path[place] = cell
    for k in range(top - 1, at - 1, -1):
        move = moves[k] & 7
        last[move] = moves[k] >> 3
        if k == at:
            move = before
        if move != NONE:
            cell -= offsets[move]
            place -= 1
            path[place] = cell
    return place + 1
