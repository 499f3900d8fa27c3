"""The moves by which Reverse Resumable A* goes back from a goal, and how far goals are at least.

`kernels.rra.search_on` is one search for each class of moves:

    StepCosts     points on a grid, where a move costs the same everywhere
    CellPrices    points on a grid, where each move of each cell has a price
    StateSteps    nodes of a graph of states, where each move is one step
    OpenSteps     the same, where some nodes are not entered

Invariants  `least_cost` is a lower bound, and is consistent: a move changes it by no more than it costs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, specialise, spliced
from wayfolk.kernels.codes import NOWHERE

if TYPE_CHECKING:
    from wayfolk.world.state_graph import StateGraph

EXTENT = 1 << 24  # of a world, in whole numbers: floats of 32 bits hold them, and those of 64 bits the sums of several
SLACK = 1e-6  # more than the errors of floats, and too little to change a lower bound in steps
SPOT = np.dtype([(name, np.float32) for name in ("x", "y", "z", "per_reach", "per_span")])
"""Where a node is, in whole numbers, and the inverses of how far one step of its kind of body leads at most, less SLACK:
along one axis, and along all together."""


class StepCosts(NamedTuple):
    """Moves that cost the same everywhere: `costs[k]` for move k."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    costs: NDArray[np.int32]
    stride: int


class CellPrices(NamedTuple):
    """Moves with prices: `prices[cell, k]` for leaving `cell` by move k. Cells in `shut` are not entered.

    No straight move costs less than `straight`, and no diagonal one (or a straight one to each side) less than `diagonal`.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    prices: NDArray[np.int32]
    shut: NDArray[np.uint8]
    stride: int
    straight: int
    diagonal: int


class StateSteps(NamedTuple):
    """Moves of states, each of one step: those to `node` come from `back_source[back_first[node] : back_first[node + 1]]`.

    `stand[node]` is the first node of the same cell in all headings: all of them are one goal.
    """

    back_first: NDArray[np.int32]
    back_source: NDArray[np.int32]
    stand: NDArray[np.int32]
    spots: NDArray[np.void]


class OpenSteps(NamedTuple):
    """The same moves, but for those that come from a node in `shut`."""

    back_first: NDArray[np.int32]
    back_source: NDArray[np.int32]
    stand: NDArray[np.int32]
    spots: NDArray[np.void]
    shut: NDArray[np.bool_]


def spots_in_space(states: StateGraph) -> NDArray[np.void]:
    """Where each node is, in whole numbers; all at one spot if the world has no positions."""
    spots = np.zeros(states.n_cells, SPOT)
    spots["per_reach"] = spots["per_span"] = 1 - SLACK
    points = states.positions
    if points is None or not len(states.graph.target):
        return spots
    low = points.min(0)
    points = np.round((points - low) * (EXTENT / max(float((points - low).max()), 1e-9))).astype(np.int64)
    for axis, column in zip("xyz", points.T, strict=False):
        spots[axis] = column
    source, target = states.sources, states.graph.target
    far = np.abs(points[target] - points[source])
    kinds = np.searchsorted(states.bases, source, "right") - 1
    for kind, (begin, end) in enumerate(itertools.pairwise(states.bases)):
        mine = far[kinds == kind]
        spots["per_reach"][begin:end] = (1 - SLACK) / max(int(mine.max(initial=0)), 1)
        spots["per_span"][begin:end] = (1 - SLACK) / max(int(mine.sum(1).max(initial=0)), 1)
    return spots


_N_ENTRIES: dict[type, Callable[..., Any]] = {}
_ENTRY: dict[type, Callable[..., Any]] = {}
_END_OF_GOAL: dict[type, Callable[..., Any]] = {}
_PRICE_OF: dict[type, Callable[..., Any]] = {}
_LEAST_COST: dict[type, Callable[..., Any]] = {}


def backward(
    kind: type,
    n_entries: Callable[..., Any],
    entry: Callable[..., Any],
    end_of_goal: Callable[..., Any],
    price_of: Callable[..., Any],
    least_cost: Callable[..., Any],
) -> None:
    """Enter the functions of moves of the class `kind`: plain Python to be compiled."""
    _N_ENTRIES[kind], _ENTRY[kind], _END_OF_GOAL[kind] = n_entries, entry, end_of_goal
    _PRICE_OF[kind], _LEAST_COST[kind] = price_of, least_cost


def n_entries(moves: Any, cell: Any) -> Any:
    """How many numbers the moves to `cell` have, used or not."""
    return _N_ENTRIES[type(moves)](moves, cell)


def entry(moves: Any, cell: Any, k: Any) -> Any:
    """Where move number `k` to `cell` comes from, or NOWHERE."""
    return _ENTRY[type(moves)](moves, cell, k)


def end_of_goal(moves: Any, goal: Any) -> Any:
    """The first number after `goal` that is not the same goal."""
    return _END_OF_GOAL[type(moves)](moves, goal)


def price_of(moves: Any, cell: Any, k: Any) -> Any:
    """What the move costs by which the search comes to `cell` by its entry `k`; 0 if that is not allowed."""
    return _PRICE_OF[type(moves)](moves, cell, k)


def least_cost(moves: Any, cell: Any, other: Any) -> Any:
    """The least that a path between two cells can cost."""
    return _LEAST_COST[type(moves)](moves, cell, other)


specialise(n_entries, _N_ENTRIES, spliced)
specialise(entry, _ENTRY, spliced)
specialise(end_of_goal, _END_OF_GOAL)
specialise(price_of, _PRICE_OF, spliced)
specialise(least_cost, _LEAST_COST, spliced)


@inner
def octile(stride, straight, diagonal, cell, other):
    """The least that a path between two cells can cost, if no straight and no diagonal move costs less than these."""
    width = np.uint32(stride)  # 32 bits are divided in a third of the time of 64
    cell_y, other_y = np.int64(np.uint32(cell) // width), np.int64(np.uint32(other) // width)
    dx = abs((cell - cell_y * stride) - (other - other_y * stride))
    dy = abs(cell_y - other_y)
    return straight * (max(dx, dy) - min(dx, dy)) + diagonal * min(dx, dy)


def _grid_n_entries(moves, cell):
    return 8


def _grid_entry(moves, cell, k):
    return cell + moves.offsets[k] if (moves.legal[cell] >> k) & 1 else np.int64(NOWHERE)


def _one_goal(moves, goal):
    return goal + 1


def _step_price(moves, cell, k):
    return np.int64(moves.costs[k])


def _cell_price(moves, cell, k):
    return np.int64(0 if moves.shut[cell] else moves.prices[cell, k ^ 2])  # leaving it the opposite way


def _step_least(moves, cell, other):
    return octile(moves.stride, moves.costs[0], moves.costs[4], cell, other)


def _cell_least(moves, cell, other):
    return octile(moves.stride, moves.straight, moves.diagonal, cell, other)


def _state_n_entries(moves, node):
    return moves.back_first[node + 1] - moves.back_first[node]


def _state_entry(moves, node, k):
    return np.int64(moves.back_source[moves.back_first[node] + k])


def _stand_goal(moves, goal):
    end = goal + 1
    while end < moves.stand.size and moves.stand[end] == goal:
        end += 1
    return end


def _state_price(moves, node, k):
    return np.int64(1)


def _open_price(moves, node, k):
    return np.int64(0 if moves.shut[node] else 1)


def _state_least(moves, node, other):
    one, two = moves.spots[node], moves.spots[other]
    dx = abs(np.float64(one["x"]) - np.float64(two["x"]))
    dy = abs(np.float64(one["y"]) - np.float64(two["y"]))
    dz = abs(np.float64(one["z"]) - np.float64(two["z"]))
    along, together = np.float64(one["per_reach"]), np.float64(one["per_span"])
    return np.int64(np.ceil(max(max(dx, dy, dz) * along, (dx + dy + dz) * together)))


backward(StepCosts, _grid_n_entries, _grid_entry, _one_goal, _step_price, _step_least)
backward(CellPrices, _grid_n_entries, _grid_entry, _one_goal, _cell_price, _cell_least)
backward(StateSteps, _state_n_entries, _state_entry, _stand_goal, _state_price, _state_least)
backward(OpenSteps, _state_n_entries, _state_entry, _stand_goal, _open_price, _state_least)
