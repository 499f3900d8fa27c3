"""The nodes and moves of one kind of body in a world, numbered from 0; `state_graph` puts the layers of all kinds together.

Numbers do not change when the world does: a blocked cell keeps its nodes, and a closed lane those on it, but no move leads
there. The nodes of a body that turns are `cell * n_headings + heading`. A slow body has nodes on its way: those of the move
with number `slot` follow all others, and they come in the order of the way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.body import Body
from wayfolk.world.clearance import clearance
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.roadmap import Roadmap

Ints = NDArray[np.int64]
CLOCKWISE = {
    Moves.FOUR: (0, 1, 2, 3),
    Moves.EIGHT: (0, 4, 1, 5, 2, 6, 3, 7),
    Moves.EIGHT_CUTTING: (0, 4, 1, 5, 2, 6, 3, 7),
}
"""The directions of a body that turns, in the order in which it turns; the first heading is east."""
NO_MIDDLE = np.int64(NOWHERE)


class BodyLayer(NamedTuple):
    """The nodes of one kind of body: each is at a cell, or on its way between two of them.

    `cells[node]` is the cell, `ahead[node]` the cell to which it is on its way (or the same one), and `share[node]` how
    much of that way is behind it. `together` consecutive nodes are those of one cell in all headings. Edge k leads from
    `source[k]` to `target[k]`, takes one step and costs `weight[k]`; moves and waits with the same `middle` meet there.
    """

    body: Body
    n_nodes: int
    together: int
    cells: NDArray[np.int32]
    ahead: NDArray[np.int32]
    share: NDArray[np.float64]
    is_free: NDArray[np.bool_]
    source: Ints
    target: Ints
    weight: NDArray[np.float64]
    middle: Ints
    node_middle: Ints


class _Moves(NamedTuple):
    """The moves that are open, each with its number among all that there could ever be."""

    slot: Ints
    source: Ints
    target: Ints
    weight: NDArray[np.float64]
    middle: Ints


def check_body(world: Grid | Graph, body: Body) -> None:
    """Raise BadProblem if no agent in `world` can be such a body."""
    if isinstance(world, Grid):
        if body.radius > 0.0:
            raise BadProblem(f"a body on a grid has a size, not the radius {body.radius:g}; radii are for graphs")
    elif body.size > 1 or body.turns:
        raise BadProblem(f"a body with a {'heading' if body.turns else 'size'} needs a square grid, not {world!r}")
    elif body.radius > 0.0 and world.positions is None:
        raise BadProblem("a body with a radius needs a graph whose nodes have positions")


def layer_of(world: Grid | Graph, body: Body, first: Grid | Graph) -> BodyLayer:
    """The layer of `body` in `world`, an edited copy of the world `first`, whose numbers it has."""
    check_body(world, body)
    if isinstance(world, Grid):
        map_of_body = clearance(world, body.size)
        together = len(CLOCKWISE[world.moves]) if body.turns else 1
        moves = _turning(map_of_body) if body.turns else _stepping(map_of_body)
        if body.size > 1:  # two bodies that pass through each other overlap before or after: no middles are needed
            moves.middle[:] = NO_MIDDLE
        return _with_ways(body, world.n_cells, together, map_of_body._free, moves, count_nodes(first, body))
    assert isinstance(first, Graph)
    is_free = np.zeros(world.n_cells, np.bool_)
    is_free[world.free_cells] = True
    moves = _driving(world, first)
    if isinstance(world, Roadmap) and world.walls and body.radius > 0.0:
        nodes = np.arange(world.n_cells)
        is_free &= world.distance_to_walls(nodes, nodes) >= body.radius - 1e-9
        fits = world.distance_to_walls(moves.source, moves.target) >= body.radius - 1e-9
        moves = _Moves(*(np.asarray(part)[fits] for part in moves))  # type: ignore[arg-type]
    return _with_ways(body, world.n_cells, 1, is_free, moves, count_nodes(first, body))


def count_nodes(first: Grid | Graph, body: Body) -> int:
    """How many nodes the layer of `body` has in any edited copy of the world `first`."""
    together, n_moves = 1, 0
    if isinstance(first, Grid):
        together = len(CLOCKWISE[first.moves]) if body.turns else 1
        n_moves = first.n_cells * (together * 3 if body.turns else 8)
    elif body.steps > 1:
        n_moves = len(first.graph.target)
    return first.n_cells * together + n_moves * (body.steps - 1)


def most_edges(world: Grid | Graph, body: Body) -> int:
    """How many edges the layer of `body` has at most."""
    if not isinstance(world, Grid):
        return len(world.graph.target) * body.steps
    n_headings = len(CLOCKWISE[world.moves])
    return len(world.free_cells) * n_headings * (3 if body.turns else 1) * body.steps


def _stepping(grid: Grid) -> _Moves:
    cell, k = np.nonzero((grid.legal[:, None] >> np.arange(8)) & 1)
    target = cell + grid.offsets[k]
    return _Moves(cell * 8 + k, cell, target, _weights(grid, cell, target, k), _grid_middles(grid, cell, target))


def _turning(grid: Grid) -> _Moves:
    """Ahead, clockwise and counter-clockwise: three moves for each node."""
    order = np.array(CLOCKWISE[grid.moves])
    n = len(order)
    cell, heading = np.nonzero((grid.legal[:, None] >> order) & 1)
    k = order[heading]
    target = cell + grid.offsets[k]
    source = cell * n + heading
    turning = (grid.free_cells.astype(np.int64)[:, None] * n + np.arange(n)).ravel()
    base, at = turning - turning % n, turning % n
    return _Moves(
        slot=np.concatenate([source * 3, turning * 3 + 1, turning * 3 + 2]),
        source=np.concatenate([source, turning, turning]),
        target=np.concatenate([target * n + heading, base + (at + 1) % n, base + (at - 1) % n]),
        weight=np.concatenate([_weights(grid, cell, target, k), np.ones(2 * len(turning))]),
        middle=np.concatenate([_grid_middles(grid, cell, target), np.full(2 * len(turning), NO_MIDDLE)]),
    )


def _weights(grid: Grid, cell: Ints, target: Ints, k: Ints) -> NDArray[np.float64]:
    weights: NDArray[np.float64] = grid.lengths[k]
    return weights if grid._costs is None else weights * 0.5 * (grid._costs[cell] + grid._costs[target])


def _grid_middles(grid: Grid, cell: Ints, target: Ints) -> Ints:
    """Twice the place in the middle of each move, as one number."""
    wide = 2 * grid.stride
    middles: Ints = (cell // grid.stride + target // grid.stride) * wide + cell % grid.stride + target % grid.stride
    return middles


def _driving(world: Graph, first: Graph) -> _Moves:
    """The cheapest of the edges between any two nodes; loops are left out."""
    source, target = world.sources.astype(np.int64), world.graph.target.astype(np.int64)
    order = np.lexsort((world.graph.weight, target, source))
    order = order[source[order] != target[order]]
    pairs = source[order] * world.n_cells + target[order]
    keep = order[np.diff(pairs, prepend=-1) != 0]
    source, target = source[keep], target[keep]
    known = first.sources.astype(np.int64) * first.n_cells + first.graph.target
    ranked = np.argsort(known, kind="stable")
    slot = ranked[np.minimum(np.searchsorted(known[ranked], source * world.n_cells + target), max(len(known) - 1, 0))]
    lost = known[slot] != source * world.n_cells + target
    if lost.any():
        one, other = world.place(int(source[lost][0])), world.place(int(target[lost][0]))
        raise BadProblem(f"the edge from {one!r} to {other!r} was not there when the agents began")
    return _Moves(slot, source, target, world.graph.weight[keep], world.middles[keep])


def _with_ways(
    body: Body, n_cells: int, together: int, is_free: NDArray[np.bool_], moves: _Moves, n_nodes: int
) -> BodyLayer:
    """The layer; the moves of a slow body are divided into steps."""
    n_stands, more = n_cells * together, body.steps - 1
    cells = np.zeros(n_nodes, np.int32)
    cells[:n_stands] = np.repeat(np.arange(n_cells, dtype=np.int32), together)
    ahead, share, free = cells.copy(), np.zeros(n_nodes), np.zeros(n_nodes, np.bool_)
    free[:n_stands] = np.repeat(is_free, together)
    node_middle = np.full(n_nodes, NO_MIDDLE)
    ways = n_stands + moves.slot[:, None] * more + np.arange(more)
    cells[ways], ahead[ways] = cells[moves.source][:, None], cells[moves.target][:, None]
    share[ways] = np.arange(1, body.steps) / body.steps
    free[ways], node_middle[ways] = True, moves.middle[:, None]
    stops = np.concatenate([moves.source[:, None], ways, moves.target[:, None]], axis=1)
    return BodyLayer(
        body, n_nodes, together, cells, ahead, share, free,
        source=stops[:, :-1].ravel(), target=stops[:, 1:].ravel(),
        weight=np.repeat(moves.weight, body.steps), middle=np.repeat(moves.middle, body.steps), node_middle=node_middle,
    )  # fmt: skip
