"""Jump points found by scanning: 64 cells of a row or column at a time.

For each straight way there is a bit for each cell: set if a run in that way has to stop there, at a wall or at a jump
point. The next stop is then found by counting zeros. Columns are rows of a transposed copy.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import Grid, Moves
from wayfolk.kernels.jit import inner, leading_zeros, trailing_zeros
from wayfolk.kernels.jump_points import (
    COLUMN_WAY,
    EAST,
    FORCED,
    NATURAL,
    NORTH,
    ROW_WAY,
    SOUTH,
    STAMP,
    STEP_X,
    STEP_Y,
    WAYS,
    WEST,
    is_better,
    jumping,
    octile,
    relax,
)


class Stops(NamedTuple):
    """A grid as rows of bits. `words` holds the rows to the east, to the west, the columns to the south, to the north."""

    legal: NDArray[np.uint8]
    words: NDArray[np.uint64]
    ways: NDArray[np.uint8]
    stride: int
    row_words: int
    column_words: int


def new_stops(grid: Grid) -> Stops:
    """The stops of `grid`."""
    legal = grid.legal.reshape(-1, grid.stride)
    cutting = grid.moves is Moves.EIGHT_CUTTING
    stop = FORCED[cutting] | (np.arange(256) == 0)
    parts = [_packed(stop[way][legal]) for way in (EAST, WEST)] + [
        _packed(stop[way][legal].T) for way in (SOUTH, NORTH)
    ]
    words = np.concatenate([part.ravel() for part in parts])
    return Stops(grid.legal, words, WAYS[cutting], grid.stride, parts[0].shape[1], parts[2].shape[1])


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Each row as 64-bit words, the first cell in the lowest bit."""
    n_words = -(-bits.shape[1] // 64)
    wide = np.zeros((len(bits), n_words * 8), np.uint8)
    packed = np.packbits(bits, axis=1, bitorder="little")
    wide[:, : packed.shape[1]] = packed
    return wide.view("<u8").astype(np.uint64, copy=False)


@inner
def _next(words, base, at):
    """The first bit set after `at` in the row that begins with word `base`. There is one: the border."""
    at += 1
    k = base + (at >> 6)
    word = words[k] >> np.uint64(at & 63)
    if word:
        return at + trailing_zeros(word)
    while True:
        k += 1
        if words[k]:
            return ((k - base) << 6) + trailing_zeros(words[k])


@inner
def _previous(words, base, at):
    """The last bit set before `at`."""
    at -= 1
    k = base + (at >> 6)
    word = words[k] << np.uint64(63 - (at & 63))
    if word:
        return at - leading_zeros(word)
    while True:
        k -= 1
        if words[k]:
            return ((k - base) << 6) + 63 - leading_zeros(words[k])


@inner
def _stop(words, base, at, goal, is_forward, is_level):
    """Where a run along a row ends: at the next stop, or at the goal if it is on the way."""
    if is_forward:
        end = _next(words, base, at)
        if is_level and at < goal < end:
            end = goal
    else:
        end = _previous(words, base, at)
        if is_level and end < goal < at:
            end = goal
    return end


def _expand(world, memory, queue, quest, cell, ways, here):
    stride, legal, words = world.stride, world.legal, world.words
    cells, stamp = memory.cells, memory.counts[STAMP]
    height = legal.size // stride
    west, south = height * world.row_words, 2 * height * world.row_words
    north = south + stride * world.column_words
    y = cell // stride
    x = cell - y * stride
    for way in range(4):
        if not ways >> way & 1:
            continue
        if way % 2 == EAST:
            base = y * world.row_words + (0 if way == EAST else west)
            end = _stop(words, base, x, quest.x, way == EAST, y == quest.y)
            there = y * stride + end
            if legal[there] != 0 and is_better(cells, stamp, there, here + abs(end - x)):
                relax(world, memory, queue, quest, there, end, y, here + abs(end - x), cell, way)
        else:
            base = x * world.column_words + (south if way == SOUTH else north)
            end = _stop(words, base, y, quest.y, way == SOUTH, x == quest.x)
            there = end * stride + x
            if legal[there] != 0 and is_better(cells, stamp, there, here + abs(end - y)):
                relax(world, memory, queue, quest, there, x, end, here + abs(end - y), cell, way)
    for way in range(4, 8):
        if not ways >> way & 1:
            continue
        step_x, step_y = STEP_X[way], STEP_Y[way]
        row, column = (0 if step_x > 0 else west), (south if step_y > 0 else north)
        at, at_x, at_y, reached = cell, x, y, here
        while legal[at] >> way & 1:
            at += step_y * stride + step_x
            at_x += step_x
            at_y += step_y
            reached += quest.diagonal
            if at == quest.goal or world.ways[way, legal[at]] & ~NATURAL[way]:
                if is_better(cells, stamp, at, reached):
                    relax(world, memory, queue, quest, at, at_x, at_y, reached, cell, way)
                break
            end = _stop(words, row + at_y * world.row_words, at_x, quest.x, step_x > 0, at_y == quest.y)
            there = at_y * stride + end
            if legal[there] != 0 and is_better(cells, stamp, there, reached + abs(end - at_x)):
                relax(world, memory, queue, quest, there, end, at_y, reached + abs(end - at_x), cell, ROW_WAY[way])
            end = _stop(words, column + at_x * world.column_words, at_y, quest.y, step_y > 0, at_x == quest.x)
            there = end * stride + at_x
            if legal[there] != 0 and is_better(cells, stamp, there, reached + abs(end - at_y)):
                relax(world, memory, queue, quest, there, at_x, end, reached + abs(end - at_y), cell, COLUMN_WAY[way])


def _remaining(world, quest, cell, x, y):
    return octile(quest, x, y)


jumping(Stops, _expand, _remaining)
