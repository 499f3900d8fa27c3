"""The vectors of a direction map, and how moves teach them; `laned_graphs` has graphs in which they cost something.

Invariants  a cell's vector (x, y) is at most `known` long, and that at most 1. `seen` is NEVER where no agent has been,
            and x, y and `known` are 0 there.
Why         `known` fades together with the vector, so that a cell that was forgotten costs what an unvisited one costs.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels.codes import BLOCK, DX, DY, JOIN, MOVE, NOWHERE
from wayfolk.kernels.graph import CsrGraph, GridGraph, slots, there

NEVER = -np.inf
TEXT, SIMULATOR, AVERAGE = range(3)  # rules of learning
SMALL = 1e-9  # a vector shorter than this points nowhere
LANE = np.dtype([("x", np.float64), ("y", np.float64), ("known", np.float64), ("seen", np.float64)], align=True)
# the eight moves as vectors of length 1
UX = np.array(DX) / np.hypot(DX, DY)
UY = np.array(DY) / np.hypot(DX, DY)


class Lanes(NamedTuple):
    """The vectors of a world and how they are learned, by one of the rules TEXT, SIMULATOR and AVERAGE.

    `around` holds (dx, dy) of the cells that learn with a move's end, at `rates`. `clock` is when vectors faded last.
    """

    graph: Any
    cells: NDArray[np.void]
    around: NDArray[np.int32]
    rates: NDArray[np.float64]
    clock: NDArray[np.float64]
    alpha: float
    decay: float
    rule: int


_HEADING: dict[type, Callable[..., Any]] = {}
_EDGE_TO: dict[type, Callable[..., Any]] = {}
_LEARN_AROUND: dict[type, Callable[..., Any]] = {}


def heading(graph: Any, cell: Any, k: Any) -> Any:
    """The direction of edge `k` of `cell`, as a vector of length 1, or 0 if it leads to the same place."""
    return _HEADING[type(graph)](graph, cell, k)


def edge_to(graph: Any, cell: Any, other: Any) -> Any:
    """Which edge of `cell` leads to `other`, be it open or not; NOWHERE if there is none."""
    return _EDGE_TO[type(graph)](graph, cell, other)


def learn_around(graph: Any, lanes: Any, here: Any, end: Any, x: Any, y: Any, share: Any, now: Any) -> Any:
    """Those around `end` learn the direction (x, y), except `here`."""
    return _LEARN_AROUND[type(graph)](graph, lanes, here, end, x, y, share, now)


specialise(heading, _HEADING)
specialise(edge_to, _EDGE_TO)
specialise(learn_around, _LEARN_AROUND)


def _grid_heading(graph, cell, k):
    return UX[k], UY[k]


def _grid_edge_to(graph, cell, other):
    for k in range(8):
        if cell + graph.offsets[k] == other:
            return k
    return NOWHERE


def _csr_heading(graph, cell, k):
    other = graph.target[graph.first[cell] + k]
    dx, dy = graph.x[other] - graph.x[cell], graph.y[other] - graph.y[cell]
    length = math.sqrt(dx * dx + dy * dy)
    return (dx / length, dy / length) if length > 0.0 else (0.0, 0.0)


def _csr_edge_to(graph, cell, other):
    for k in range(graph.first[cell + 1] - graph.first[cell]):
        if graph.target[graph.first[cell] + k] == other:
            return k
    return NOWHERE


def _grid_learn_around(graph, lanes, here, end, x, y, share, now):
    rows = graph.legal.size // graph.stride
    row, column = end // graph.stride, end % graph.stride
    for spot in range(lanes.rates.size):
        other_x, other_y = column + lanes.around[spot, 0], row + lanes.around[spot, 1]
        if 0 < other_x < graph.stride and 0 < other_y < rows:
            other = other_y * graph.stride + other_x
            if graph.legal[other] == 0 or other == here or (lanes.rule == SIMULATOR and _is_cut_off(graph, end, other)):
                continue
            blend(lanes.cells, other, x, y, share * lanes.rates[spot], lanes.rule == AVERAGE, now)


def _csr_learn_around(graph, lanes, here, end, x, y, share, now):
    for k in range(slots(graph, end)):
        other = there(graph, end, k)
        if other != here:
            blend(lanes.cells, other, x, y, share * lanes.rates[0], lanes.rule == AVERAGE, now)


@inner
def _is_cut_off(graph, cell, other):
    """Whether the step from `cell` to `other`, which lies beside it, would cut a corner."""
    k = edge_to(graph, cell, other)
    return k != NOWHERE and not (graph.legal[cell] >> k) & 1


_HEADING[GridGraph], _HEADING[CsrGraph] = _grid_heading, _csr_heading
_EDGE_TO[GridGraph], _EDGE_TO[CsrGraph] = _grid_edge_to, _csr_edge_to
_LEARN_AROUND[GridGraph], _LEARN_AROUND[CsrGraph] = _grid_learn_around, _csr_learn_around


@kernel
def learn(lanes, here, there, share, now):
    """Let the cells that a move leaves and enters learn its direction, and the cells around them with less weight.

    `share` of what they would learn is learned. By the rule SIMULATOR the cell that the move leaves does not learn.
    """
    fade(lanes, now)
    k = edge_to(lanes.graph, here, there)
    if k == NOWHERE:
        return
    x, y = heading(lanes.graph, here, k)
    rate, averages = share * lanes.alpha, lanes.rule == AVERAGE
    if lanes.rule == SIMULATOR:
        _learn_at_the_end(lanes, here, there, x, y, rate, now)
        here = NOWHERE  # it learns like the others around the end
    else:
        blend(lanes.cells, here, x, y, rate, averages, now)
        blend(lanes.cells, there, x, y, rate, averages, now)
    if lanes.rates.size > 0:
        learn_around(lanes.graph, lanes, here, there, x, y, share, now)


@inner
def _learn_at_the_end(lanes, here, there, x, y, rate, now):
    """Let the cell that a move enters learn its direction twice; once if the cells around learn too.

    If the cell that it leaves has no vector, the other one forgets what it had learned before.
    """
    if lanes.rates.size == 0:
        if lanes.cells[here]["known"] == 0.0:
            forget(lanes.cells, there)
        else:
            blend(lanes.cells, there, x, y, rate, False, now)
    blend(lanes.cells, there, x, y, rate, False, now)


@inner
def fade(lanes, now):
    """Let vectors shrink, once for each whole unit of time that has passed."""
    if lanes.decay == 0.0 or now < lanes.clock[0] + 1.0:
        return
    units = math.floor(now - lanes.clock[0])
    keeps = (1.0 - lanes.decay) ** units
    lanes.clock[0] += units
    for cell in range(lanes.cells.size):
        lane = lanes.cells[cell]
        lane["x"] *= keeps
        lane["y"] *= keeps
        lane["known"] *= keeps


@inner
def blend(cells, cell, x, y, rate, averages, now):
    """Move the vector of `cell` towards (x, y) by `rate`; as an average it has length 1 afterwards."""
    lane = cells[cell]
    new_x = (1.0 - rate) * lane["x"] + rate * x
    new_y = (1.0 - rate) * lane["y"] + rate * y
    if averages:
        length = math.sqrt(new_x * new_x + new_y * new_y)
        if length > SMALL:
            new_x, new_y = new_x / length, new_y / length
        else:  # the opposite of what it was
            new_x, new_y = x, y
    lane["x"], lane["y"], lane["known"], lane["seen"] = new_x, new_y, 1.0, now


@kernel
def follow(lanes, log, first, last, here):
    """Learn from the rows `first` to `last` of a log; `here` is the cell of each agent, before and after."""
    for k in range(first, last):
        row = log[k]
        cell = row["cell"]
        if row["kind"] == MOVE:
            learn(lanes, here[row["agent"]], cell, 1.0, row["time"])
            here[row["agent"]] = cell
        elif row["kind"] == JOIN:
            here[row["agent"]] = cell
        elif row["kind"] == BLOCK:
            forget(lanes.cells, cell)


@inner
def forget(cells, cell):
    """Reset `cell` to the state in which no agent has been there."""
    lane = cells[cell]
    lane["x"] = lane["y"] = lane["known"] = 0.0
    lane["seen"] = NEVER
