"""Jump points found by scanning: 64 cells of a row or column at a time.

For each straight way there is a bit for each cell: set if a run in that way has to stop there, at a wall or at a jump
point. The next stop is then found by counting zeros. Columns are rows of a transposed copy.

Most of the time of a search is spent in scans. Numbers that index arrays are made unsigned here, so that numba leaves out
the test for negative ones: that is a tenth of the time of a search on an open map.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._jump_points import is_better, jumping, octile, relax
from wayfolk.compile.jit import inner, leading_zeros, specialise, trailing_zeros
from wayfolk.kernels.best_first import EXPANDED, STAMP
from wayfolk.kernels.codes import EAST, NORTH, SOUTH, WEST
from wayfolk.kernels.jumps.pruning import COLUMN_WAY, FORCED, NATURAL, ROW_WAY, STEP_X, STEP_Y, WAYS
from wayfolk.world.grid import Grid, Moves


class Stops(NamedTuple):
    """A grid as rows of bits. `words` holds the rows to the east, to the west, the columns to the south, to the north."""

    legal: NDArray[np.uint8]
    words: NDArray[np.uint64]
    ways: NDArray[np.uint8]
    stride: int
    diagonal: float
    row_words: int
    column_words: int


class WatchedStops(NamedTuple):
    """The same, and what was scanned: `runs[k]` is (expansion, first cell, last cell), of which there are `n_runs[0]`."""

    legal: NDArray[np.uint8]
    words: NDArray[np.uint64]
    ways: NDArray[np.uint8]
    stride: int
    diagonal: float
    row_words: int
    column_words: int
    runs: NDArray[np.int32]
    n_runs: NDArray[np.int64]


_NOTE: dict[type, Callable[..., Any]] = {}


def note(world: Any, memory: Any, cell: Any, end: Any) -> Any:
    """A run from `cell` to `end` was scanned."""
    return _NOTE[type(world)](world, memory, cell, end)


specialise(note, _NOTE)


def watched(stops: Stops) -> WatchedStops:
    """`stops` with room for nothing yet."""
    return WatchedStops(*stops, np.empty((0, 3), np.int32), np.zeros(1, np.int64))


def new_stops(grid: Grid) -> Stops:
    """The stops of `grid`."""
    legal = grid.legal.reshape(-1, grid.stride)
    cutting = grid.moves is Moves.EIGHT_CUTTING
    stop = FORCED[cutting] | (np.arange(256) == 0)
    parts = [_packed(stop[way][legal]) for way in (EAST, WEST)] + [
        _packed(stop[way][legal].T) for way in (SOUTH, NORTH)
    ]
    words = np.concatenate([part.ravel() for part in parts])
    return Stops(grid.legal, words, WAYS[cutting], grid.stride, grid.diagonal, parts[0].shape[1], parts[2].shape[1])


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
    word = words[np.uint64(k)] >> np.uint64(at & 63)
    if word:
        return at + trailing_zeros(word)
    while True:
        k += 1
        if words[np.uint64(k)]:
            return ((k - base) << 6) + trailing_zeros(words[np.uint64(k)])


@inner
def _previous(words, base, at):
    """The last bit set before `at`."""
    at -= 1
    k = base + (at >> 6)
    word = words[np.uint64(k)] << np.uint64(63 - (at & 63))
    if word:
        return at - leading_zeros(word)
    while True:
        k -= 1
        if words[np.uint64(k)]:
            return ((k - base) << 6) + 63 - leading_zeros(words[np.uint64(k)])


@inner
def _stop(words, base, at, goal, is_forward, is_level):
    """Where a run along a row ends: at the next stop, or at the goal if that comes before it."""
    if is_forward:
        end = _next(words, base, at)
        if is_level and at < goal < end:
            end = goal
    else:
        end = _previous(words, base, at)
        if is_level and end < goal < at:
            end = goal
    return end


def _expand(world, memory, queue, aim, cell, ways, here):
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
            end = _stop(words, base, x, aim.x, way == EAST, y == aim.y)
            there = y * stride + end
            note(world, memory, cell, there)
            if legal[np.uint64(there)] != 0 and is_better(cells, stamp, there, here + abs(end - x)):
                relax(
                    world, memory, queue, aim,
                    cell=there, x=end, y=y, reached=here + abs(end - x), parent=cell, way=way,
                )  # fmt: skip
        else:
            base = x * world.column_words + (south if way == SOUTH else north)
            end = _stop(words, base, y, aim.y, way == SOUTH, x == aim.x)
            there = end * stride + x
            note(world, memory, cell, there)
            if legal[np.uint64(there)] != 0 and is_better(cells, stamp, there, here + abs(end - y)):
                relax(
                    world, memory, queue, aim,
                    cell=there, x=x, y=end, reached=here + abs(end - y), parent=cell, way=way,
                )  # fmt: skip
    for way in range(4, 8):
        if not ways >> way & 1:
            continue
        step_x, step_y = STEP_X[way], STEP_Y[way]
        row, column = (0 if step_x > 0 else west), (south if step_y > 0 else north)
        at, at_x, at_y, reached = cell, x, y, here
        while legal[np.uint64(at)] >> way & 1:
            at += step_y * stride + step_x
            at_x += step_x
            at_y += step_y
            reached += world.diagonal
            if at == aim.goal or world.ways[way, legal[np.uint64(at)]] & ~NATURAL[way]:
                if is_better(cells, stamp, at, reached):
                    relax(world, memory, queue, aim, cell=at, x=at_x, y=at_y, reached=reached, parent=cell, way=way)
                break
            end = _stop(words, row + at_y * world.row_words, at_x, aim.x, step_x > 0, at_y == aim.y)
            there = at_y * stride + end
            note(world, memory, at, there)
            if legal[np.uint64(there)] != 0 and is_better(cells, stamp, there, reached + abs(end - at_x)):
                relax(
                    world, memory, queue, aim,
                    cell=there, x=end, y=at_y, reached=reached + abs(end - at_x), parent=cell, way=ROW_WAY[way],
                )  # fmt: skip
            end = _stop(words, column + at_x * world.column_words, at_y, aim.y, step_y > 0, at_x == aim.x)
            there = end * stride + at_x
            note(world, memory, at, there)
            if legal[np.uint64(there)] != 0 and is_better(cells, stamp, there, reached + abs(end - at_y)):
                relax(
                    world, memory, queue, aim,
                    cell=there, x=at_x, y=end, reached=reached + abs(end - at_y), parent=cell, way=COLUMN_WAY[way],
                )  # fmt: skip
        note(world, memory, cell, at)


def _remaining(world, aim, cell, x, y):
    return octile(world, aim, x, y)


def _note_nothing(world, memory, cell, end):
    pass


def _note_run(world, memory, cell, end):
    n = world.n_runs[0]
    if n < world.runs.shape[0]:
        world.runs[n, 0], world.runs[n, 1], world.runs[n, 2] = memory.counts[EXPANDED], cell, end
        world.n_runs[0] = n + 1


jumping(Stops, _expand, _remaining)
jumping(WatchedStops, _expand, _remaining)
_NOTE.update({Stops: _note_nothing, WatchedStops: _note_run})
