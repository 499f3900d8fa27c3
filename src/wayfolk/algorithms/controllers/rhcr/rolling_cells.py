"""The moves and collisions of points on a grid in a window: the functions of `rolling_moves` for `RollingArrays`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.rhcr.rolling_moves import (
    ARRIVES,
    COLLISIONS,
    HELD_BITS,
    HOLDS,
    IS_THERE,
    WAIT,
    keep_against,
    keep_off,
    moves_of,
)
from wayfolk.compile.jit import inner
from wayfolk.kernels import rra
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crossing import corners, diagonal


class RollingArrays(NamedTuple):
    """What planning takes: the map, walls for the time being, distances to goals, and room for searches.

    `held[step, cell]` is the number of the present set of reservations, if it has one there, a bit for an agent that is
    there, and eight bits for the moves by which agents leave. `seen` and `moves` are the cost and the last move of a node
    of the present search, without and with a visit to the goal. `stacks` and `nodes` are its open list. `who[cell]` and
    `from_where[cell]` are the agents that enter and leave a cell in a step, if `marks` has its number. `spent` counts the
    expansions for each agent, `counts[TOTAL]` those of all.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    shut: NDArray[np.uint8]
    searches: rra.Rra
    used: NDArray[np.int16]
    held: NDArray[np.int64]
    seen: NDArray[np.int64]
    moves: NDArray[np.uint8]
    stacks: NDArray[np.int32]
    nodes: NDArray[np.void]
    who: NDArray[np.int32]
    from_where: NDArray[np.int32]
    marks: NDArray[np.int64]
    counts: NDArray[np.int64]
    spent: NDArray[np.int64]
    stays: bool


@inner
def move_between(offsets, here, there):
    """The number of the move from `here` to `there`."""
    k = 0
    while k < WAIT and here + offsets[k] != there:
        k += 1
    return k


def _shut_off(arrays, here):
    arrays.shut[here] = 1


def _n_moves(arrays, cell):
    return 9


def _turned(arrays, cell, turn, agent):
    return (turn + agent) & 7 if turn < 8 else WAIT


def _move_to(arrays, cell, k):
    if k == WAIT:
        return np.int64(cell)
    return np.int64(cell + arrays.offsets[k] if (arrays.legal[cell] >> k) & 1 else NOWHERE)


def _is_home(arrays, cell, goal):
    return cell == goal


def _is_used(arrays, cell, step):
    return arrays.used[step, cell] > 0


def _count_step(arrays, before, cell, step, change):
    arrays.used[step, cell] += change


def _pointer(arrays, cell, k, arrives):
    return k + (ARRIVES if arrives else 0)


def _origin(arrays, cell, pointer):
    move = pointer - ARRIVES if pointer >= ARRIVES else pointer
    return np.int64(cell - arrays.offsets[move] if move < WAIT else cell)


def _is_arrival(arrays, pointer):
    return pointer >= ARRIVES


def _is_open(arrays, here, there, k, step):
    held, base = arrays.held, arrays.counts[HOLDS] << HELD_BITS
    if arrays.shut[there] or (held[step + 1, there] >= base and held[step + 1, there] & IS_THERE):
        return False
    if k == WAIT:
        return True
    if held[step, there] >= base and (held[step, there] >> (k ^ 2)) & 1:
        return False
    if k >= 4:
        beside, across = corners(arrays.offsets, here, k)
        for _ in range(2):
            if held[step, beside] >= base and (held[step, beside] >> move_between(arrays.offsets, beside, across)) & 1:
                return False
            beside, across = across, beside
    return True


def _keep_off(arrays, cell, step):
    held = arrays.held
    held[step, cell] = max(held[step, cell], arrays.counts[HOLDS] << HELD_BITS) | IS_THERE


def _keep_against(arrays, here, there, step):
    if here == there:
        return
    held = arrays.held
    before = max(held[step, here], arrays.counts[HOLDS] << HELD_BITS)
    held[step, here] = before | (np.int64(1) << move_between(arrays.offsets, here, there))


def _keep_rule(arrays, rule):
    here, there, step = np.int64(rule["here"]), np.int64(rule["there"]), np.int64(rule["step"])
    if here == there:
        keep_off(arrays, there, step + 1)
    else:
        keep_against(arrays, there, here, step)


def _note_rule(arrays, paths, rule, agent, other, step):
    rule["agent"], rule["step"] = agent, step
    rule["there"] = paths[agent, step + 1]
    is_meeting = paths[agent, step + 1] == paths[other, step + 1]
    rule["here"] = rule["there"] if is_meeting else paths[agent, step]


def _collide_at(arrays, paths, agent, other, step):
    here, there = paths[agent, step], paths[agent, step + 1]
    its_here, its_there = paths[other, step], paths[other, step + 1]
    if there == its_there or (there == its_here and here == its_there):
        return True
    k = diagonal(arrays.offsets, here, there)
    if k > 0:
        beside, across = corners(arrays.offsets, here, k)
        if (its_here == beside and its_there == across) or (its_here == across and its_there == beside):
            return True
    return False


def _pair_at(arrays, paths, agents, step):
    offsets, who, from_where, marks = arrays.offsets, arrays.who, arrays.from_where, arrays.marks
    arrays.counts[COLLISIONS] += 1
    mark = arrays.counts[COLLISIONS]
    for agent in agents:
        here, there = paths[agent, step], paths[agent, step + 1]
        if marks[0, there] == mark:
            return who[there], agent
        marks[0, there] = marks[1, here] = mark
        who[there] = from_where[here] = agent
    for agent in agents:
        here, there = paths[agent, step], paths[agent, step + 1]
        if here == there:
            continue
        if marks[1, there] == mark and paths[from_where[there], step + 1] == here:
            return from_where[there], agent
        k = diagonal(offsets, here, there)
        if k > 0:
            beside, across = corners(offsets, here, k)
            for _ in range(2):
                if marks[1, beside] == mark and paths[from_where[beside], step + 1] == across:
                    return from_where[beside], agent
                beside, across = across, beside
    return NOBODY, NOBODY


moves_of(
    RollingArrays, shut_off=_shut_off, n_moves=_n_moves, turned=_turned, move_to=_move_to, is_home=_is_home,
    is_used=_is_used, count_step=_count_step, pointer=_pointer, origin=_origin, is_arrival=_is_arrival,
    is_open=_is_open, keep_off=_keep_off, keep_against=_keep_against, note_rule=_note_rule, keep_rule=_keep_rule,
    collide_at=_collide_at, pair_at=_pair_at,
)  # fmt: skip
