"""Linear programs of two dimensions: the velocity nearest to a wanted one that satisfies half-planes and a top speed.

A half-plane is a point and a unit direction; what is on the left of the direction (where the cross product of the direction
with the vector from the point is positive) is permitted. Seidel's incremental algorithm: the optimum changes only when a
new half-plane forbids it, and then it is on the border of that half-plane.

Invariants  `nearest` satisfies all half-planes up to the one that it returns. `least_bad` satisfies the first `n_hard`, and
            no velocity that does has a smaller largest violation of the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner

PX, PY, DX, DY = range(4)
MOST_WALLS = 32
TINY = 1e-9


class HalfPlanes(NamedTuple):
    """Room for the half-planes of one agent: PX, PY, DX, DY; and for its nearest neighbours.

    planes     those of walls first
    projected  room for the program that violates least
    found      rows of the nearest neighbours
    squares    their squared distances
    walls      the nearest walls
    gaps       their squared distances
    """

    planes: NDArray[np.float64]
    projected: NDArray[np.float64]
    found: NDArray[np.int32]
    squares: NDArray[np.float64]
    walls: NDArray[np.int32]
    gaps: NDArray[np.float64]


def new_planes(neighbours: int) -> HalfPlanes:
    """Room for so many neighbours."""
    most = neighbours + MOST_WALLS
    return HalfPlanes(
        np.zeros((most, 4)),
        np.zeros((most, 4)),
        found=np.zeros(neighbours, np.int32),
        squares=np.zeros(neighbours),
        walls=np.zeros(MOST_WALLS, np.int32),
        gaps=np.zeros(MOST_WALLS),
    )


@inner
def solve(room, n_hard, n, want_x, want_y, top):
    """The velocity for the first `n` half-planes, of which the first `n_hard` are walls, and whether all permit it."""
    failed, x, y = nearest(room.planes, n, want_x, want_y, top, False)
    if failed < n:
        x, y = least_bad(room, n_hard, n, failed, x, y, top)
    return x, y, failed == n


@inner
def nearest(planes, n, want_x, want_y, top, is_direction):
    """The velocity of at most the top speed that is nearest to the wanted one; (n, x, y), or where it failed.

    If `is_direction`, the wanted one is a unit vector, and the velocity is the one that is farthest in its direction.
    """
    x, y = want_x, want_y
    if is_direction:
        x, y = want_x * top, want_y * top
    else:
        square = want_x * want_x + want_y * want_y
        if square > top * top:
            scale = top / np.sqrt(square)
            x, y = want_x * scale, want_y * scale
    for k in range(n):
        if planes[k, DX] * (planes[k, PY] - y) - planes[k, DY] * (planes[k, PX] - x) > 0.0:
            is_possible, new_x, new_y = _on_border(planes, k, want_x, want_y, top, is_direction)
            if not is_possible:
                return k, x, y
            x, y = new_x, new_y
    return n, x, y


@inner
def _on_border(planes, k, want_x, want_y, top, is_direction):
    """The best velocity on the border of half-plane k that satisfies those before it; whether there is one."""
    px, py, dx, dy = planes[k, PX], planes[k, PY], planes[k, DX], planes[k, DY]
    along = px * dx + py * dy
    root = along * along + top * top - px * px - py * py
    if root < 0.0:
        return False, 0.0, 0.0
    root = np.sqrt(root)
    low, high = -along - root, -along + root
    for j in range(k):
        turn = dx * planes[j, DY] - dy * planes[j, DX]
        offset = planes[j, DX] * (py - planes[j, PY]) - planes[j, DY] * (px - planes[j, PX])
        if abs(turn) <= TINY:  # parallel
            if offset < 0.0:
                return False, 0.0, 0.0
            continue
        at = offset / turn
        if turn >= 0.0:
            high = min(high, at)
        else:
            low = max(low, at)
        if low > high:
            return False, 0.0, 0.0
    if is_direction:
        at = high if want_x * dx + want_y * dy > 0.0 else low
    else:
        at = min(max(dx * (want_x - px) + dy * (want_y - py), low), high)
    return True, px + at * dx, py + at * dy


@inner
def least_bad(room, n_hard, n, begin, x, y, top):
    """The velocity whose largest violation of a half-plane is least; walls are never violated for it."""
    planes, projected = room.planes, room.projected
    worst = 0.0
    for k in range(begin, n):
        if planes[k, DX] * (planes[k, PY] - y) - planes[k, DY] * (planes[k, PX] - x) <= worst:
            continue
        for j in range(n_hard):
            projected[j, PX], projected[j, PY] = planes[j, PX], planes[j, PY]
            projected[j, DX], projected[j, DY] = planes[j, DX], planes[j, DY]
        m = n_hard
        for j in range(n_hard, k):  # where half-plane j is violated as much as k
            turn = planes[k, DX] * planes[j, DY] - planes[k, DY] * planes[j, DX]
            if abs(turn) <= TINY:
                if planes[k, DX] * planes[j, DX] + planes[k, DY] * planes[j, DY] > 0.0:
                    continue
                projected[m, PX] = 0.5 * (planes[k, PX] + planes[j, PX])
                projected[m, PY] = 0.5 * (planes[k, PY] + planes[j, PY])
            else:
                offset = planes[j, DX] * (planes[k, PY] - planes[j, PY]) - planes[j, DY] * (
                    planes[k, PX] - planes[j, PX]
                )
                at = offset / turn
                projected[m, PX], projected[m, PY] = (
                    planes[k, PX] + at * planes[k, DX],
                    planes[k, PY] + at * planes[k, DY],
                )
            dx, dy = planes[j, DX] - planes[k, DX], planes[j, DY] - planes[k, DY]
            length = np.sqrt(dx * dx + dy * dy)
            scale = 1.0 / length
            projected[m, DX], projected[m, DY] = dx * scale, dy * scale
            m += 1
        failed, new_x, new_y = nearest(projected, m, -planes[k, DY], planes[k, DX], top, True)
        if failed == m:  # else by rounding: the old one is kept
            x, y = new_x, new_y
        worst = planes[k, DX] * (planes[k, PY] - y) - planes[k, DY] * (planes[k, PX] - x)
    return x, y
