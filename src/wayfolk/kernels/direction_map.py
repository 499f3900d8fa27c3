"""Direction maps as kernels see them: learning from moves, coherence, and worlds where it costs to go against a lane.

`LanedGrid` and `LanedGraph` are backings of the graph protocol (see `wayfolk.kernels.graph`), so that the one best-first
kernel plans with a direction map.

Invariants  a cell's vector (x, y) is at most `known` long, and that at most 1: no edge is cheaper than its length.
            `seen` is NEVER where no agent has been, and x, y and `known` are 0 there.
Why         `known` fades together with the vector, so that a cell that was forgotten costs what an unvisited one costs.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels.codes import BLOCK, DX, DY, JOIN, MOVE, NOBODY, NOWHERE
from wayfolk.kernels.graph import CsrGraph, GridGraph, backing, cost, heuristic, slots, there

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


class LanedGrid(NamedTuple):
    """`grid` as the agent at `eye` sees it: others within sqrt(`reach`) are walls, except on its own `goal`.

    Going against the vectors at both ends of an edge costs four times `quarter`. `floor` is 0 where an unvisited cell
    costs nothing, 1 where it costs as much as a lane across. If it `predicts`, others only count if they are beside the
    agent or stand on a vector that points its way.
    """

    grid: GridGraph
    occupant: NDArray[np.int32]
    cells: NDArray[np.void]
    eye: int
    goal: int
    reach: float
    quarter: float
    floor: float
    predicts: bool


class LanedGraph(NamedTuple):
    """Any graph whose nodes have places, with a vector for each node."""

    graph: CsrGraph
    cells: NDArray[np.void]
    quarter: float
    floor: float


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


def _grid_slots(graph, cell):
    return 8


def _grid_there(graph, cell, k):
    other = there(graph.grid, cell, k)
    if other == NOWHERE or (graph.occupant[other] != NOBODY and other != graph.goal and is_in_the_way(graph, other)):
        return NOWHERE
    return other


def _grid_cost(graph, cell, k):
    here, ahead = graph.cells[cell], graph.cells[cell + graph.grid.offsets[k]]
    known = max(here["known"], graph.floor) + max(ahead["known"], graph.floor)
    along = (here["x"] + ahead["x"]) * UX[k] + (here["y"] + ahead["y"]) * UY[k]
    return cost(graph.grid, cell, k) + graph.quarter * (known - along)


def _grid_heuristic(graph, cell, goal, kind):
    return heuristic(graph.grid, cell, goal, kind)


def _graph_slots(graph, cell):
    return slots(graph.graph, cell)


def _graph_there(graph, cell, k):
    return there(graph.graph, cell, k)


def _graph_cost(graph, cell, k):
    here, ahead = graph.cells[cell], graph.cells[there(graph.graph, cell, k)]
    known = max(here["known"], graph.floor) + max(ahead["known"], graph.floor)
    x, y = heading(graph.graph, cell, k)
    along = (here["x"] + ahead["x"]) * x + (here["y"] + ahead["y"]) * y
    return cost(graph.graph, cell, k) + graph.quarter * (known - along)


def _graph_heuristic(graph, cell, goal, kind):
    return heuristic(graph.graph, cell, goal, kind)


backing(LanedGrid, _grid_slots, _grid_there, _grid_cost, _grid_heuristic)
backing(LanedGraph, _graph_slots, _graph_there, _graph_cost, _graph_heuristic)


@inner
def is_in_the_way(crowd, cell):
    """Whether an agent stands on `cell` that counts as a wall."""
    if crowd.occupant[cell] == NOBODY or cell == crowd.eye:
        return False
    stride = crowd.grid.stride
    dy = crowd.eye // stride - cell // stride
    dx = crowd.eye % stride - cell % stride
    if dx * dx + dy * dy > crowd.reach:
        return False
    if not crowd.predicts or (abs(dx) <= 1 and abs(dy) <= 1):
        return True
    lane = crowd.cells[cell]
    return lane["known"] == 0.0 or lane["x"] * dx + lane["y"] * dy > 0.0


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


@kernel
def coherence(lanes, since):
    """The mean of |v1 + v2| / 2 over vectors learned at `since` or later, v2 being that of the cell v1 points to.

    That is the one at the end of the open edge with the smallest angle to v1. 0 where there are no vectors.
    """
    total, n = 0.0, 0
    cells = lanes.cells
    for cell in range(cells.size):
        lane = cells[cell]
        seen = lane["seen"]
        if seen == NEVER or seen < since:
            continue
        n += 1
        x, y = lane["x"], lane["y"]
        if x * x + y * y < SMALL * SMALL:
            continue
        nearest, best = NOWHERE, -np.inf
        for k in range(slots(lanes.graph, cell)):
            other = there(lanes.graph, cell, k)
            if other != NOWHERE:
                to_x, to_y = heading(lanes.graph, cell, k)
                if x * to_x + y * to_y > best:
                    nearest, best = other, x * to_x + y * to_y
        if nearest != NOWHERE and cells[nearest]["seen"] >= since:
            x, y = x + cells[nearest]["x"], y + cells[nearest]["y"]
        total += 0.5 * math.sqrt(x * x + y * y)
    return total / n if n else 0.0


@kernel
def coherences(lanes, log, here, every, younger_than, values):
    """Learn from a whole log, and write the coherence after each span of `every` to `values`."""
    row = 0
    for sample in range(values.size):
        now = (sample + 1) * every
        first = row
        while row < log.size and log[row]["time"] < now:
            row += 1
        follow(lanes, log, first, row, here)
        fade(lanes, now)
        values[sample] = coherence(lanes, now - younger_than)
