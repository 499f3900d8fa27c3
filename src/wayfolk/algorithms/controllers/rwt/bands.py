"""Bands: where an agent is on its route, and the moves near the next part of it."""

from wayfolk.algorithms.controllers.rwt.passages import STAMP
from wayfolk.compile.jit import inner


@inner
def locate(arrays, agent, here):
    """Find the place of the route that `agent` is nearest to, the last of equal ones; how far it is from there."""
    leg, route, stride = arrays.legs[agent], arrays.routes[agent], arrays.window.searches.stride
    y, x = here // stride, here % stride
    first, last = max(leg["at"] - arrays.n_steps, 0), min(leg["at"] + 2 * arrays.n_steps, leg["n"] - 1)
    off = stride + arrays.legal.size
    for k in range(first, last + 1):
        far = max(abs(route[k] // stride - y), abs(route[k] % stride - x))
        if far <= off:
            off, leg["at"] = far, k
    return off


@inner
def enclose(arrays, agent, here):
    """Let the moves near the route of `agent` and near `here` be the only ones; how many cells they begin from."""
    leg, marks, listed, offsets = arrays.legs[agent], arrays.marks, arrays.listed, arrays.window.rules.offsets
    arrays.counts[STAMP] += 1
    stamp = arrays.counts[STAMP]
    listed[0] = here
    marks[here] = stamp
    n = 1
    for k in range(max(leg["at"] - arrays.n_steps, 0), leg["end"] + 1):
        cell = arrays.routes[agent, k]
        if marks[cell] != stamp:
            marks[cell] = stamp
            listed[n] = cell
            n += 1
    inner_ring = 0
    for _ in range(leg["rings"]):
        outer_ring = n
        for k in range(inner_ring, outer_ring):
            for move in range(8):
                other = listed[k] + offsets[move]
                if (arrays.legal[listed[k]] >> move) & 1 and marks[other] != stamp:
                    marks[other] = stamp
                    listed[n] = other
                    n += 1
        inner_ring = outer_ring
    for k in range(n):
        bits = 0
        for move in range(8):
            if (arrays.legal[listed[k]] >> move) & 1 and marks[listed[k] + offsets[move]] == stamp:
                bits |= 1 << move
        arrays.inside[listed[k]] = bits
    return n


@inner
def open_up(arrays, n):
    """Mark no agent as enclosed."""
    for k in range(n):
        arrays.inside[arrays.listed[k]] = 0
