"""The moves and collisions on nodes of a graph of states: the functions of `rolling_moves` for `RollingStates`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.rhcr.rolling_moves import COLLISIONS, HOLDS, moves_of
from wayfolk.compile.jit import inner
from wayfolk.kernels import rra
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.occupancy import Occupancy, degree, move_row, move_target, row_between


class RollingStates(NamedTuple):
    """The same on a graph of states.

    `shut`, `held`, `who` and `marks` are by place: `held[step, place]` is the number of the present set of reservations, if
    it has one there. `moves` is twice the node before, and 1 more if the agent comes to its goal.
    """

    occupancy: Occupancy
    stand: NDArray[np.int32]
    shut: NDArray[np.uint8]
    searches: rra.StateRra
    used: NDArray[np.int16]
    held: NDArray[np.int64]
    seen: NDArray[np.int64]
    moves: NDArray[np.int64]
    stacks: NDArray[np.int32]
    nodes: NDArray[np.void]
    who: NDArray[np.int32]
    marks: NDArray[np.int64]
    counts: NDArray[np.int64]
    spent: NDArray[np.int64]
    stays: bool


def _shut_off(arrays, here):
    table = arrays.occupancy
    row = table.target.size + here
    for at in range(table.node_first[here], table.node_first[here + 1]):
        arrays.shut[table.node_places[at]] = 1
    for at in range(table.move_first[row], table.move_first[row + 1]):
        arrays.shut[table.move_places[at]] = 1


def _n_moves(arrays, node):
    return degree(arrays.occupancy, node) + 1


def _turned(arrays, node, turn, agent):
    n = degree(arrays.occupancy, node)
    return (turn + agent) % n if turn < n else n


def _move_to(arrays, node, k):
    return move_target(arrays.occupancy, node, k)


def _is_home(arrays, node, goal):
    return arrays.stand[node] == goal


def _is_used(arrays, node, step):
    table = arrays.occupancy
    for at in range(table.node_first[node], table.node_first[node + 1]):
        if arrays.used[step, table.node_places[at]] > 0:
            return True
    return False


def _count_step(arrays, before, node, step, change):
    table = arrays.occupancy
    for at in range(table.node_first[node], table.node_first[node + 1]):
        arrays.used[step, table.node_places[at]] += change
    if before != NOWHERE:
        row = row_between(table, before, node)
        for at in range(table.move_first[row], table.move_first[row + 1]):
            arrays.used[step, table.move_places[at]] += change


def _pointer(arrays, node, k, arrives):
    return 2 * np.int64(node) + (1 if arrives else 0)


def _origin(arrays, node, pointer):
    return np.int64(pointer >> 1)


def _is_arrival(arrays, pointer):
    return pointer & 1 == 1


def _is_open(arrays, here, there, k, step):
    table, held, number = arrays.occupancy, arrays.held, arrays.counts[HOLDS]
    row = move_row(table, here, k)
    for at in range(table.node_first[there], table.node_first[there + 1]):
        place = table.node_places[at]
        if arrays.shut[place] or held[step + 1, place] == number:
            return False
    for at in range(table.move_first[row], table.move_first[row + 1]):
        place = table.move_places[at]
        if arrays.shut[place] or held[step + 1, place] == number:
            return False
    return True


def _keep_off(arrays, node, step):
    table = arrays.occupancy
    for at in range(table.node_first[node], table.node_first[node + 1]):
        arrays.held[step, table.node_places[at]] = arrays.counts[HOLDS]


def _keep_against(arrays, here, there, step):
    table = arrays.occupancy
    row = row_between(table, here, there)
    for at in range(table.move_first[row], table.move_first[row + 1]):
        arrays.held[step + 1, table.move_places[at]] = arrays.counts[HOLDS]


def _keep_rule(arrays, rule):
    arrays.held[rule["step"] + 1, rule["there"]] = arrays.counts[HOLDS]


def _note_rule(arrays, paths, rule, agent, other, step):
    rule["agent"], rule["step"] = agent, step
    rule["here"] = rule["there"] = _common_place(arrays, paths, agent, other, step)


@inner
def _common_place(arrays, paths, agent, other, step):
    """The first place that two agents have in the step after `step`, or NOWHERE."""
    table = arrays.occupancy
    there, its_there = paths[agent, step + 1], paths[other, step + 1]
    place = _common(table.node_first, table.node_places, there, its_there)
    if place != NOWHERE:
        return place
    row = row_between(table, paths[agent, step], there)
    return _common(table.move_first, table.move_places, row, row_between(table, paths[other, step], its_there))


@inner
def _common(first, places, row, other):
    """The first place in both rows, whose places are in order, or NOWHERE."""
    at, its_at = first[row], first[other]
    while at < first[row + 1] and its_at < first[other + 1]:
        if places[at] == places[its_at]:
            return np.int64(places[at])
        if places[at] < places[its_at]:
            at += 1
        else:
            its_at += 1
    return np.int64(NOWHERE)


def _collide_at(arrays, paths, agent, other, step):
    return _common_place(arrays, paths, agent, other, step) != NOWHERE


def _pair_at(arrays, paths, agents, step):
    table, who, marks = arrays.occupancy, arrays.who, arrays.marks
    arrays.counts[COLLISIONS] += 1
    mark = arrays.counts[COLLISIONS]
    for agent in agents:
        there = paths[agent, step + 1]
        row = row_between(table, paths[agent, step], there)
        for at in range(table.node_first[there], table.node_first[there + 1]):
            place = table.node_places[at]
            if marks[place] == mark:
                return who[place], agent
            marks[place], who[place] = mark, agent
        for at in range(table.move_first[row], table.move_first[row + 1]):
            place = table.move_places[at]
            if marks[place] == mark:
                return who[place], agent
            marks[place], who[place] = mark, agent
    return NOBODY, NOBODY


moves_of(
    RollingStates, shut_off=_shut_off, n_moves=_n_moves, turned=_turned, move_to=_move_to, is_home=_is_home,
    is_used=_is_used, count_step=_count_step, pointer=_pointer, origin=_origin, is_arrival=_is_arrival,
    is_open=_is_open, keep_off=_keep_off, keep_against=_keep_against, note_rule=_note_rule, keep_rule=_keep_rule,
    collide_at=_collide_at, pair_at=_pair_at,
)  # fmt: skip
