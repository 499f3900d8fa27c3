"""Distances in steps to goals in any world and for any body, shared by all agents with the same goal, as far as needed.

They are those of `fields`, for the nodes of a graph of states: a field belongs to a goal, is searched by A* back from all
nodes of the goal (a body that turns has one for each heading), and is kept for later agents while there is memory.

Invariants  the distance of an expanded node is exact as long as `shut` stays the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.pibt.fields import EPOCH, EXPANDED, KEPT_CELLS, NONE, ROW, restart, restarts
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.field_store import FieldStore, drop, is_held, new_store, value
from wayfolk.kernels.rra import begin_search, search_on
from wayfolk.kernels.rra_moves import OpenSteps, spots_in_space
from wayfolk.world.state_graph import StateGraph

N_LISTS = 4  # the sum of distance and heuristic rises by at most 2 in a step


class NodeFields(NamedTuple):
    """One search in each row of the store, whose values are 2 * (1 + distance), and 1 more if expanded."""

    moves: OpenSteps
    store: FieldStore
    rows: NDArray[np.void]
    row_of: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_node_fields(states: StateGraph, n_users: int, memory: int | None = None) -> NodeFields:
    """Room for the fields of `n_users` and some more, in `memory` bytes; no node is shut."""
    n, (back_first, back_source) = states.n_cells, states.entries
    n_rows = max(n_users + n_users // 4, min(n, KEPT_CELLS // max(n, 1)))
    rows = np.zeros(n_rows, ROW)
    rows["goal"] = NONE
    moves = OpenSteps(back_first, back_source, states.stand_of, spots_in_space(states), np.zeros(n, np.bool_))
    store = new_store(n_rows, n, per_word=1, n_lists=N_LISTS, memory=memory, most_open=n + len(back_source))
    return NodeFields(moves, store, rows, np.full(n, NONE, np.int32), np.zeros(4, np.int64))


@inlined
def distance(fields, row, node):
    """The distance from `node` to the goal of `row`, searching on if need be; NOWHERE if there is no way."""
    found = value(fields.store, row, node)
    return (found >> 1) - 1 if found & 1 else _search(fields, row, node)


@inner
def _search(fields, row, node):
    """Search on until `node` is expanded; its distance, or NOWHERE."""
    store = fields.store
    if fields.moves.shut[node] and fields.moves.stand[node] != fields.rows[row]["goal"]:
        return np.int64(NOWHERE)
    if not is_held(store, row):
        restart(fields, row, node)
    fields.counts[EXPANDED] += search_on(store, row, fields.moves, node, np.int64(fields.rows[row]["aim"]))
    found = value(store, row, node)
    return (found >> 1) - 1 if found & 1 else np.int64(NOWHERE)


def _restart_nodes(fields, row, aim):
    state = fields.rows[row]
    state["epoch"], state["aim"] = fields.counts[EPOCH], aim
    drop(fields.store, row)
    begin_search(fields.store, row, fields.moves, np.int64(state["goal"]), np.int64(aim))


restarts(NodeFields, _restart_nodes)
