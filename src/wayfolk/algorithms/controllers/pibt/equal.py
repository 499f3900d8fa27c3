"""Distances to goals where all moves cost the same: an A* search backwards from each goal, four bytes for each cell.

With equal costs the sum of distance and heuristic rises by at most 2 from a cell to the next one. So the open cells of a
search are in a ring of four stacks, one for each sum. A cell whose distance falls is put on another stack as well, and is
skipped when it comes up for the second time.

Invariants  the distance of a settled cell is exact. A cell is at most once on a stack.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import DX, DY
from wayfolk.kernels.jit import inner
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.world.grid import Grid, Moves

N_STACKS = 4
_MASK = N_STACKS - 1
BYTES = 8  # for each cell of a field that is searched to the end, with room for its open cells
_DX, _DY = np.array(DX, np.int64), np.array(DY, np.int64)
_ROW = np.dtype(
    [
        ("current", np.int64),  # the sum of distance and heuristic that the search has come to
        ("goal", np.int32),
        ("aim", np.int32),  # where the agent was that it was begun for
        ("lowest", np.int32),  # all cells that were seen lie between these two
        ("highest", np.int32),
    ],
    align=True,
)


class EqualFields(NamedTuple):
    """One search in each row. `left` is 0 for a cell that was not seen, else 2 * (1 + distance), and 1 more if settled.

    `n_moves` is 4 or 8. `steep` is how many moves a diagonal step saves less than one: 1 without diagonals, else 0.
    """

    left: NDArray[np.int32]
    stacks: NDArray[np.int32]
    heights: NDArray[np.int32]
    rows: NDArray[np.void]
    stride: int
    n_moves: int
    steep: int


def new_equal_fields(grid: Grid, n_rows: int) -> EqualFields:
    """Room for the fields of `n_rows` goals. Memory is used when touched."""
    is_four = grid.moves is Moves.FOUR
    return EqualFields(
        left=lazy_zeros((n_rows, grid.n_cells), np.int32),
        stacks=lazy_zeros((n_rows, N_STACKS, grid.n_cells), np.int32),
        heights=np.zeros((n_rows, N_STACKS), np.int32),
        rows=np.zeros(n_rows, _ROW),
        stride=grid.stride,
        n_moves=4 if is_four else 8,
        steep=1 if is_four else 0,
    )


@inner
def begin_search(equal, row, goal, aim):
    """Begin the search of `row` again, from `goal` towards `aim`."""
    state, heights = equal.rows[row], equal.heights[row]
    equal.left[row, state["lowest"] : state["highest"] + 1] = 0
    heights[:] = 0
    state["goal"], state["aim"], state["lowest"], state["highest"] = goal, aim, goal, goal
    stride = np.int64(equal.stride)
    dx, dy = abs(goal % stride - aim % stride), abs(goal // stride - aim // stride)
    state["current"] = max(dx, dy) + equal.steep * min(dx, dy)
    at = state["current"] & _MASK
    equal.left[row, goal] = 2
    equal.stacks[row, at, 0], heights[at] = goal, 1


@inner
def settle(equal, row, cell, legal, offsets, shut):
    """Search on until `cell` is settled, or there is nothing left to search; return the number of cells expanded."""
    state, left, stacks, heights = equal.rows[row], equal.left[row], equal.stacks[row], equal.heights[row]
    stride, steep = np.uint32(equal.stride), equal.steep
    aim_y = np.int64(np.uint32(state["aim"]) // stride)
    aim_x = state["aim"] - aim_y * equal.stride
    lowest, highest, current = np.int64(state["lowest"]), np.int64(state["highest"]), state["current"]
    expanded = 0
    while left[cell] & 1 == 0:
        n_empty = 0
        while heights[current & _MASK] == 0 and n_empty < N_STACKS:
            current += 1
            n_empty += 1
        if n_empty == N_STACKS:
            break
        at = current & _MASK
        heights[at] -= 1
        here = np.int64(stacks[at, heights[at]])
        value = left[here]
        if value & 1:
            continue
        left[here] = value + 1
        expanded += 1
        y = np.int64(np.uint32(here) // stride)
        dx, dy = here - y * equal.stride - aim_x, y - aim_y
        bits = legal[here]
        for k in range(equal.n_moves):
            if not (bits >> k) & 1:
                continue
            there = here + offsets[k]
            if shut[there] or 0 < left[there] <= value + 3:
                continue
            left[there] = value + 2
            across, down = abs(dx + _DX[k]), abs(dy + _DY[k])
            at = ((value >> 1) + max(across, down) + steep * min(across, down)) & _MASK
            stacks[at, heights[at]] = there
            heights[at] += 1
            lowest, highest = min(lowest, there), max(highest, there)
    state["current"], state["lowest"], state["highest"] = current, lowest, highest
    return expanded
