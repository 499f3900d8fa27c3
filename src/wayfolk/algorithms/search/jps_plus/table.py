"""Jump points looked up: for each cell and way, how far it is to where something happens.

Rabin and Silva, "JPS+: an extreme A* speed optimization for static uniform cost grids", 2015.

`steps[cell, way]` is positive if that many steps lead to a jump point (straight ways) or to a cell from which a straight
way leads to one, or which is one itself (diagonal ways); else minus it is the number of steps to the wall.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._jump_points import is_better, jumping, octile, relax
from wayfolk.compile.jit import kernel
from wayfolk.kernels.best_first import STAMP
from wayfolk.kernels.jumps.pruning import COLUMN_WAY, FORCED, NATURAL, ROW_WAY, STEP_X, STEP_Y, WAYS
from wayfolk.world.grid import Grid, Moves

LINE = 64  # bytes of a line of the processor's cache


class Jumps(NamedTuple):
    """A grid with its distances to what happens next, and costs to landmarks with what they may be wrong by."""

    legal: NDArray[np.uint8]
    steps: NDArray[np.int16]
    ways: NDArray[np.uint8]
    away: NDArray[np.float32]
    stride: int
    diagonal: float
    slack: float


def new_jumps(grid: Grid, away: NDArray[np.float32]) -> Jumps:
    """The jump distances of `grid`; `away` are costs to landmarks, rounded to single precision."""
    cutting = grid.moves is Moves.EIGHT_CUTTING
    steps, beside = _rows(grid.n_cells, away.shape[1])
    _measure(grid.legal, FORCED[cutting], grid.offsets, steps)
    beside[:] = away
    slack = float(2 * np.spacing(away.max(initial=1.0)))
    return Jumps(grid.legal, steps, WAYS[cutting], beside, grid.stride, grid.diagonal, slack)


def _rows(n_cells: int, n_landmarks: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Room for the steps and the costs of all cells, those of one cell beside each other, in one line of the cache."""
    width = 16 + 4 * n_landmarks
    memory = np.zeros(n_cells * width + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    rows = memory[begin : begin + n_cells * width].reshape(n_cells, width)
    return rows[:, :16].view(np.int16), rows[:, 16:].view(np.float32)


@kernel
def _measure(legal, forced, offsets, steps):
    """Fill `steps`: a cell's distance follows from that of the next cell in the same way."""
    for is_diagonal in (False, True):
        for backwards in (True, False):
            for k in range(legal.size):
                cell = legal.size - 1 - k if backwards else k
                if legal[cell] == 0:
                    continue
                for way in range(4 if is_diagonal else 0, 8 if is_diagonal else 4):
                    if (offsets[way] > 0) != backwards or not legal[cell] >> way & 1:
                        continue
                    there = cell + offsets[way]
                    ends = forced[way, legal[there]]
                    if is_diagonal:
                        ends |= steps[there, ROW_WAY[way]] > 0 or steps[there, COLUMN_WAY[way]] > 0
                    if ends:
                        steps[cell, way] = 1
                    else:
                        further = steps[there, way]
                        steps[cell, way] = further + 1 if further > 0 else further - 1


def _expand(world, memory, queue, aim, cell, ways, here):
    stride, steps, goal = world.stride, world.steps, aim.goal
    cells, stamp = memory.cells, memory.counts[STAMP]
    y = cell // stride
    x = cell - y * stride
    to_x, to_y = aim.x - x, aim.y - y
    for way in range(4):
        if not ways >> way & 1:
            continue
        step_x, step_y = STEP_X[way], STEP_Y[way]
        n = np.int64(steps[cell, way])
        ahead = to_x * step_x + to_y * step_y
        if 0 < ahead <= abs(n) and to_x * step_y == to_y * step_x:
            n = ahead
        there = cell + n * (step_y * stride + step_x)
        if n > 0 and is_better(cells, stamp, there, here + n):
            relax(
                world, memory, queue, aim,
                cell=there, x=x + n * step_x, y=y + n * step_y, reached=here + n, parent=cell, way=way,
            )  # fmt: skip
    for way in range(4, 8):
        if not ways >> way & 1:
            continue
        step_x, step_y = STEP_X[way], STEP_Y[way]
        row, column = ROW_WAY[way], COLUMN_WAY[way]
        ahead_x, ahead_y = to_x * step_x, to_y * step_y
        level = min(ahead_x, ahead_y)  # after so many steps the goal is straight ahead
        at, done = cell, 0
        while True:
            n = np.int64(steps[at, way])
            if done < level <= done + abs(n):
                rest = max(ahead_x, ahead_y) - level
                last = row if ahead_x > ahead_y else column
                beside = at + (level - done) * (step_y * stride + step_x)
                reached = here + level * world.diagonal + rest
                if rest <= abs(np.int64(steps[beside, last])) and is_better(cells, stamp, goal, reached):
                    relax(
                        world, memory, queue, aim,
                        cell=goal, x=aim.x, y=aim.y, reached=reached, parent=cell, way=last,
                    )  # fmt: skip
            if n <= 0:
                break
            done += n
            at += n * (step_y * stride + step_x)
            at_x, at_y = x + done * step_x, y + done * step_y
            reached = here + done * world.diagonal
            if world.ways[way, world.legal[at]] & ~NATURAL[way]:
                if is_better(cells, stamp, at, reached):
                    relax(world, memory, queue, aim, cell=at, x=at_x, y=at_y, reached=reached, parent=cell, way=way)
                break
            n = np.int64(steps[at, row])
            if n > 0 and is_better(cells, stamp, at + n * step_x, reached + n):
                relax(
                    world, memory, queue, aim,
                    cell=at + n * step_x, x=at_x + n * step_x, y=at_y, reached=reached + n, parent=cell, way=row,
                )  # fmt: skip
            n = np.int64(steps[at, column])
            there = at + n * step_y * stride
            if n > 0 and is_better(cells, stamp, there, reached + n):
                relax(
                    world, memory, queue, aim,
                    cell=there, x=at_x, y=at_y + n * step_y, reached=reached + n, parent=cell, way=column,
                )  # fmt: skip


def _remaining(world, aim, cell, x, y):
    best = octile(world, aim, x, y)
    for k in range(world.away.shape[1]):
        best = max(best, abs(world.away[aim.goal, k] - world.away[cell, k]) - world.slack)
    return best


jumping(Jumps, _expand, _remaining)
