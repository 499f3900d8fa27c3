"""The arrays of a window, and what moves and collisions are in it: on a grid, and for nodes of a graph of states.

`paths`, `priorities` and `ecbs` plan for both classes of arrays. What others do in the window is known by cells on a grid,
where the moves that swap or cross are eight bits of a cell. Of states it is known by places: those of nodes and those of
moves have different numbers, and a place that two agents have in the same step is a collision.

Invariants  `used[step, cell]` is the number of paths that are at a cell at a step. Of states, `used[step, place]` is the
            number of those that have the place at that step, or in the move by which they come there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, specialise, spliced
from wayfolk.kernels import rra
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crossing import corners, diagonal
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.kernels.occupancy import Occupancy, degree, move_row, move_target, row_between
from wayfolk.world.grid import Grid, Moves

if TYPE_CHECKING:
    from wayfolk.world.state_graph import StateGraph

ENOUGH = 1 << 12  # expansions after which a window counts as having no path
WAIT = 8  # the move after the eight directions
COLLISIONS, HOLDS, SEARCHES, TOTAL = range(4)  # places in `counts`
HELD_BITS, IS_THERE = 9, np.int64(1 << 8)
ARRIVES = 16  # added to the move by which an agent comes to its goal
NODE = np.dtype([("cell", np.int32), ("cost", np.int32), ("after", np.int32), ("step", np.int16), ("been", np.int16)])


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


AnyRolling = RollingArrays | RollingStates


def new_rolling(
    states: Grid | StateGraph, spent: NDArray[np.int64], steps: int, stays: bool, memory: int | None = None
) -> AnyRolling:
    """Arrays for windows of up to `steps` steps; agents stay on their goals or not. `spent` counts their expansions.

    Distances take up to `memory` bytes.
    """
    if not isinstance(states, Grid):
        return new_rolling_states(states, rra.new_state_rra(states, len(spent), memory), spent, steps, stays)
    arrays = RollingArrays(
        legal=states.legal,
        offsets=states.offsets,
        shut=np.zeros(states.n_cells, np.uint8),
        searches=rra.new_rra(states, len(spent), 1, 2 if states.moves is Moves.FOUR else 1, memory),
        used=np.zeros((0, 0), np.int16),
        held=np.zeros((0, 0), np.int64),
        seen=np.zeros((0, 0, 0), np.int64),
        moves=np.zeros((0, 0, 0), np.uint8),
        stacks=np.zeros(0, np.int32),
        nodes=np.zeros(9 * ENOUGH + 1, NODE),
        who=np.zeros(states.n_cells, np.int32),
        from_where=np.zeros(states.n_cells, np.int32),
        marks=np.zeros((2, states.n_cells), np.int64),
        counts=np.zeros(4, np.int64),
        spent=spent,
        stays=stays,
    )
    return with_steps(arrays, steps)


def new_rolling_states(
    states: StateGraph, searches: rra.StateRra, spent: NDArray[np.int64], steps: int, stays: bool
) -> RollingStates:
    """Arrays for windows on a graph of states, with searches of distances that may have begun."""
    table = states.occupancy
    most = int(np.diff(table.first).max(initial=0)) + 1
    arrays = RollingStates(
        occupancy=table,
        stand=states.stand_of,
        shut=np.zeros(table.n_places, np.uint8),
        searches=searches,
        used=np.zeros((0, 0), np.int16),
        held=np.zeros((0, 0), np.int64),
        seen=np.zeros((0, 0, 0), np.int64),
        moves=np.zeros((0, 0, 0), np.int64),
        stacks=np.zeros(0, np.int32),
        nodes=np.zeros(most * ENOUGH + 1, NODE),
        who=np.zeros(table.n_places, np.int32),
        marks=np.zeros(table.n_places, np.int64),
        counts=np.zeros(4, np.int64),
        spent=spent,
        stays=stays,
    )
    with_room = with_steps(arrays, steps)
    assert isinstance(with_room, RollingStates)
    return with_room


def with_steps(arrays: AnyRolling, steps: int) -> AnyRolling:
    """The same arrays with room for windows of `steps` steps. No paths are counted in `used`."""
    if steps < len(arrays.used):
        return arrays
    is_grid = isinstance(arrays, RollingArrays)
    n_nodes = len(arrays.legal) if isinstance(arrays, RollingArrays) else len(arrays.stand)
    return arrays._replace(
        used=lazy_zeros((steps + 1, len(arrays.shut)), np.int16),
        held=lazy_zeros((steps + 1, len(arrays.shut)), np.int64),
        seen=lazy_zeros((2, steps + 1, n_nodes), np.int64),
        moves=lazy_zeros((2, steps + 1, n_nodes), np.uint8 if is_grid else np.int64),
        stacks=np.zeros(2 * steps + 3, np.int32),
    )


@inner
def move_between(offsets, here, there):
    """The number of the move from `here` to `there`."""
    k = 0
    while k < WAIT and here + offsets[k] != there:
        k += 1
    return k


def _grid_shut_off(arrays, here):
    arrays.shut[here] = 1


def _state_shut_off(arrays, here):
    table = arrays.occupancy
    row = table.target.size + here
    for at in range(table.node_first[here], table.node_first[here + 1]):
        arrays.shut[table.node_places[at]] = 1
    for at in range(table.move_first[row], table.move_first[row + 1]):
        arrays.shut[table.move_places[at]] = 1


def _grid_n_moves(arrays, cell):
    return 9


def _state_n_moves(arrays, node):
    return degree(arrays.occupancy, node) + 1


def _grid_turned(arrays, cell, turn, agent):
    return (turn + agent) & 7 if turn < 8 else WAIT


def _state_turned(arrays, node, turn, agent):
    n = degree(arrays.occupancy, node)
    return (turn + agent) % n if turn < n else n


def _grid_move_to(arrays, cell, k):
    if k == WAIT:
        return np.int64(cell)
    return np.int64(cell + arrays.offsets[k] if (arrays.legal[cell] >> k) & 1 else NOWHERE)


def _state_move_to(arrays, node, k):
    return move_target(arrays.occupancy, node, k)


def _grid_is_home(arrays, cell, goal):
    return cell == goal


def _state_is_home(arrays, node, goal):
    return arrays.stand[node] == goal


def _grid_is_used(arrays, cell, step):
    return arrays.used[step, cell] > 0


def _state_is_used(arrays, node, step):
    table = arrays.occupancy
    for at in range(table.node_first[node], table.node_first[node + 1]):
        if arrays.used[step, table.node_places[at]] > 0:
            return True
    return False


def _grid_count_step(arrays, before, cell, step, change):
    arrays.used[step, cell] += change


def _state_count_step(arrays, before, node, step, change):
    table = arrays.occupancy
    for at in range(table.node_first[node], table.node_first[node + 1]):
        arrays.used[step, table.node_places[at]] += change
    if before != NOWHERE:
        row = row_between(table, before, node)
        for at in range(table.move_first[row], table.move_first[row + 1]):
            arrays.used[step, table.move_places[at]] += change


def _grid_pointer(arrays, cell, k, arrives):
    return k + (ARRIVES if arrives else 0)


def _state_pointer(arrays, node, k, arrives):
    return 2 * np.int64(node) + (1 if arrives else 0)


def _grid_origin(arrays, cell, pointer):
    move = pointer - ARRIVES if pointer >= ARRIVES else pointer
    return np.int64(cell - arrays.offsets[move] if move < WAIT else cell)


def _state_origin(arrays, node, pointer):
    return np.int64(pointer >> 1)


def _grid_is_arrival(arrays, pointer):
    return pointer >= ARRIVES


def _state_is_arrival(arrays, pointer):
    return pointer & 1 == 1


def _grid_is_open(arrays, here, there, k, step):
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


def _state_is_open(arrays, here, there, k, step):
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


def _grid_keep_off(arrays, cell, step):
    held = arrays.held
    held[step, cell] = max(held[step, cell], arrays.counts[HOLDS] << HELD_BITS) | IS_THERE


def _state_keep_off(arrays, node, step):
    table = arrays.occupancy
    for at in range(table.node_first[node], table.node_first[node + 1]):
        arrays.held[step, table.node_places[at]] = arrays.counts[HOLDS]


def _grid_keep_against(arrays, here, there, step):
    if here == there:
        return
    held = arrays.held
    before = max(held[step, here], arrays.counts[HOLDS] << HELD_BITS)
    held[step, here] = before | (np.int64(1) << move_between(arrays.offsets, here, there))


def _state_keep_against(arrays, here, there, step):
    table = arrays.occupancy
    row = row_between(table, here, there)
    for at in range(table.move_first[row], table.move_first[row + 1]):
        arrays.held[step + 1, table.move_places[at]] = arrays.counts[HOLDS]


def _grid_keep_rule(arrays, rule):
    here, there, step = np.int64(rule["here"]), np.int64(rule["there"]), np.int64(rule["step"])
    if here == there:
        keep_off(arrays, there, step + 1)
    else:
        keep_against(arrays, there, here, step)


def _state_keep_rule(arrays, rule):
    arrays.held[rule["step"] + 1, rule["there"]] = arrays.counts[HOLDS]


def _grid_note_rule(arrays, paths, rule, agent, other, step):
    rule["agent"], rule["step"] = agent, step
    rule["there"] = paths[agent, step + 1]
    is_meeting = paths[agent, step + 1] == paths[other, step + 1]
    rule["here"] = rule["there"] if is_meeting else paths[agent, step]


def _state_note_rule(arrays, paths, rule, agent, other, step):
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


def _grid_collide_at(arrays, paths, agent, other, step):
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


def _state_collide_at(arrays, paths, agent, other, step):
    return _common_place(arrays, paths, agent, other, step) != NOWHERE


def _grid_pair_at(arrays, paths, agents, step):
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


def _state_pair_at(arrays, paths, agents, step):
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


_SHUT_OFF: dict[type, Callable[..., Any]] = {RollingArrays: _grid_shut_off, RollingStates: _state_shut_off}
_N_MOVES: dict[type, Callable[..., Any]] = {RollingArrays: _grid_n_moves, RollingStates: _state_n_moves}
_TURNED: dict[type, Callable[..., Any]] = {RollingArrays: _grid_turned, RollingStates: _state_turned}
_MOVE_TO: dict[type, Callable[..., Any]] = {RollingArrays: _grid_move_to, RollingStates: _state_move_to}
_IS_HOME: dict[type, Callable[..., Any]] = {RollingArrays: _grid_is_home, RollingStates: _state_is_home}
_IS_USED: dict[type, Callable[..., Any]] = {RollingArrays: _grid_is_used, RollingStates: _state_is_used}
_COUNT_STEP: dict[type, Callable[..., Any]] = {RollingArrays: _grid_count_step, RollingStates: _state_count_step}
_POINTER: dict[type, Callable[..., Any]] = {RollingArrays: _grid_pointer, RollingStates: _state_pointer}
_ORIGIN: dict[type, Callable[..., Any]] = {RollingArrays: _grid_origin, RollingStates: _state_origin}
_IS_ARRIVAL: dict[type, Callable[..., Any]] = {RollingArrays: _grid_is_arrival, RollingStates: _state_is_arrival}
_IS_OPEN: dict[type, Callable[..., Any]] = {RollingArrays: _grid_is_open, RollingStates: _state_is_open}
_KEEP_OFF: dict[type, Callable[..., Any]] = {RollingArrays: _grid_keep_off, RollingStates: _state_keep_off}
_KEEP_AGAINST: dict[type, Callable[..., Any]] = {RollingArrays: _grid_keep_against, RollingStates: _state_keep_against}
_NOTE_RULE: dict[type, Callable[..., Any]] = {RollingArrays: _grid_note_rule, RollingStates: _state_note_rule}
_KEEP_RULE: dict[type, Callable[..., Any]] = {RollingArrays: _grid_keep_rule, RollingStates: _state_keep_rule}
_COLLIDE_AT: dict[type, Callable[..., Any]] = {RollingArrays: _grid_collide_at, RollingStates: _state_collide_at}
_PAIR_AT: dict[type, Callable[..., Any]] = {RollingArrays: _grid_pair_at, RollingStates: _state_pair_at}


def shut_off(arrays: Any, here: Any) -> Any:
    """Let nobody come to where an agent stands at `here`, until `shut` is cleared."""
    return _SHUT_OFF[type(arrays)](arrays, here)


def n_moves(arrays: Any, cell: Any) -> Any:
    """How many numbers the moves from `cell` have, used or not; the last one is to wait."""
    return _N_MOVES[type(arrays)](arrays, cell)


def turned(arrays: Any, cell: Any, turn: Any, agent: Any) -> Any:
    """The move that `agent` tries in its turn number `turn`."""
    return _TURNED[type(arrays)](arrays, cell, turn, agent)


def move_to(arrays: Any, cell: Any, k: Any) -> Any:
    """Where move `k` from `cell` leads, or NOWHERE."""
    return _MOVE_TO[type(arrays)](arrays, cell, k)


def is_home(arrays: Any, cell: Any, goal: Any) -> Any:
    """Whether an agent at `cell` has reached `goal`."""
    return _IS_HOME[type(arrays)](arrays, cell, goal)


def is_used(arrays: Any, cell: Any, step: Any) -> Any:
    """Whether another path is at `cell` at `step`."""
    return _IS_USED[type(arrays)](arrays, cell, step)


def count_step(arrays: Any, before: Any, cell: Any, step: Any, change: Any) -> Any:
    """Add `change` to `used` for an agent that is at `cell` at `step`, and comes from `before` if that is a cell."""
    return _COUNT_STEP[type(arrays)](arrays, before, cell, step, change)


def pointer(arrays: Any, cell: Any, k: Any, arrives: Any) -> Any:
    """What `moves` holds for move `k` from `cell`."""
    return _POINTER[type(arrays)](arrays, cell, k, arrives)


def origin(arrays: Any, cell: Any, pointer: Any) -> Any:
    """The cell from which the move that `moves` holds leads to `cell`."""
    return _ORIGIN[type(arrays)](arrays, cell, pointer)


def is_arrival(arrays: Any, pointer: Any) -> Any:
    """Whether an agent came to its goal by the move that `moves` holds."""
    return _IS_ARRIVAL[type(arrays)](arrays, pointer)


def is_open(arrays: Any, here: Any, there: Any, k: Any, step: Any) -> Any:
    """Whether move `k` at `step` keeps out of the way of the present set of reservations."""
    return _IS_OPEN[type(arrays)](arrays, here, there, k, step)


def keep_off(arrays: Any, cell: Any, step: Any) -> Any:
    """Let nobody be in `cell` at `step`, in the present set of reservations."""
    return _KEEP_OFF[type(arrays)](arrays, cell, step)


def keep_against(arrays: Any, here: Any, there: Any, step: Any) -> Any:
    """Let nobody collide with a move from `here` to `there` after `step`, in the present set of reservations."""
    return _KEEP_AGAINST[type(arrays)](arrays, here, there, step)


def note_rule(arrays: Any, paths: Any, rule: Any, agent: Any, other: Any, step: Any) -> Any:
    """Write to `rule` what `agent` must not do after `step`, so that it does not collide with `other`."""
    return _NOTE_RULE[type(arrays)](arrays, paths, rule, agent, other, step)


def keep_rule(arrays: Any, rule: Any) -> Any:
    """Let the present set of reservations forbid what a rule forbids."""
    return _KEEP_RULE[type(arrays)](arrays, rule)


def collide_at(arrays: Any, paths: Any, agent: Any, other: Any, step: Any) -> Any:
    """Whether two agents collide in the move after `step`."""
    return _COLLIDE_AT[type(arrays)](arrays, paths, agent, other, step)


def pair_at(arrays: Any, paths: Any, agents: Any, step: Any) -> Any:
    """The two agents that collide in the move after `step`, the first found; NOBODY twice if none do."""
    return _PAIR_AT[type(arrays)](arrays, paths, agents, step)


specialise(shut_off, _SHUT_OFF)
specialise(n_moves, _N_MOVES, spliced)
specialise(turned, _TURNED, spliced)
specialise(move_to, _MOVE_TO, spliced)
specialise(is_home, _IS_HOME, spliced)
specialise(is_used, _IS_USED, spliced)
specialise(count_step, _COUNT_STEP)
specialise(pointer, _POINTER, spliced)
specialise(origin, _ORIGIN)
specialise(is_arrival, _IS_ARRIVAL)
specialise(is_open, _IS_OPEN)
specialise(keep_off, _KEEP_OFF)
specialise(keep_against, _KEEP_AGAINST)
specialise(note_rule, _NOTE_RULE)
specialise(keep_rule, _KEEP_RULE)
specialise(collide_at, _COLLIDE_AT)
specialise(pair_at, _PAIR_AT)
