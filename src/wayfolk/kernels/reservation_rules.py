"""What a move reserves, and whether it is open: the rules of searches in space and time, for each kind of world.

`kernels.space_time` is one search for both classes of rules:

    Rules         points on a grid. A move holds the cell that it leads to; swaps and crossing diagonals are seen from who
                  was where a slot before.
    StateRules    nodes of a graph of states. A move or a wait holds the places of the node it leads to and its own ones,
                  and is open where nobody else holds one of them. Each takes one slot.

Invariants  who stands for good holds the places of its node and those of waiting there, and is nobody's way later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, specialise, spliced
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crossing import corners
from wayfolk.kernels.occupancy import Occupancy, degree, move_row, move_target, row_between
from wayfolk.kernels.reservations import holder, is_swap, release, reserve

if TYPE_CHECKING:
    from wayfolk.world.grid import Grid
    from wayfolk.world.state_graph import StateGraph

WAIT = 8  # the move after the eight directions
NEVER = np.int32(2**31 - 1)


class Rules(NamedTuple):
    """What does not change from search to search.

    `lasts[k]` is how many slots move k takes. `parked[cell]` is the slot from which an agent stays there for good,
    `held[cell]` the first slot from which no agent passes any more; both are empty where no agent parks.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    lasts: NDArray[np.int32]
    parked: NDArray[np.int32]
    held: NDArray[np.int32]


class StateRules(NamedTuple):
    """The same where agents are on nodes of a graph of states: every move and wait takes one slot.

    `parked[place]` is the slot from which somebody holds the place for good, `held[place]` the first slot from which nobody
    holds it any more for a time. Who stands for good holds the places of its node and those of waiting there.
    """

    occupancy: Occupancy
    stand: NDArray[np.int32]
    parked: NDArray[np.int32]
    held: NDArray[np.int32]


AnyRules = Rules | StateRules


def new_rules(grid: Grid) -> Rules:
    """The rules of a grid where every move takes one slot, and nobody is there yet."""
    parked, held = np.full(grid.n_cells, NEVER, np.int32), np.zeros(grid.n_cells, np.int32)
    return Rules(grid.legal, grid.offsets, np.ones(9, np.int32), parked, held)


def new_state_rules(states: StateGraph) -> StateRules:
    """The rules of a graph of states in which nobody is yet."""
    table = states.occupancy
    parked, held = np.full(table.n_places, NEVER, np.int32), np.zeros(table.n_places, np.int32)
    return StateRules(table, states.stand_of, parked, held)


def most_places(rules: AnyRules) -> int:
    """The most reservations that an agent needs for one slot."""
    if isinstance(rules, Rules):
        return 1
    of_nodes, of_moves = np.diff(rules.occupancy.node_first), np.diff(rules.occupancy.move_first)
    return int(of_nodes.max(initial=0)) + int(of_moves.max(initial=0))


def _grid_is_goal(rules, query, cell):
    k = 0
    while k < query.n_goals and query.goals[k] != cell:
        k += 1
    return k < query.n_goals


def _state_is_goal(rules, query, node):
    k = 0
    while k < query.n_goals and query.goals[k] != rules.stand[node]:
        k += 1
    return k < query.n_goals


def _grid_moves_from(rules, cell):
    return WAIT + 1


def _state_moves_from(rules, node):
    return degree(rules.occupancy, node) + 1


def _grid_move_to(rules, cell, k):
    if k == WAIT:
        return np.int64(cell)
    return np.int64(cell + rules.offsets[k] if (rules.legal[cell] >> k) & 1 else NOWHERE)


def _state_move_to(rules, node, k):
    return move_target(rules.occupancy, node, k)


def _grid_duration(rules, k):
    return rules.lasts[k]


def _state_duration(rules, k):
    return np.int32(1)


def _grid_tie_break(rules, k):
    return 1 if 4 <= k < WAIT else 0


def _state_tie_break(rules, k):
    return 0


def _grid_is_open(rules, table, agent, cell, other, k, slot):
    for t in range(slot, slot + rules.lasts[k]):
        who = holder(table, other, t)
        if who != NOBODY and who != agent:
            return False
    if rules.parked.size > 0 and rules.parked[other] < slot + rules.lasts[k]:
        return False
    if k == WAIT:
        return True
    if is_swap(table, agent, cell, other, slot):
        return False
    if k < 4:
        return True
    beside, across = corners(rules.offsets, cell, k)
    return not (is_swap(table, agent, across, beside, slot) or is_swap(table, agent, beside, across, slot))


def _state_is_open(rules, table, agent, node, other, k, slot):
    occupancy = rules.occupancy
    row = move_row(occupancy, node, k)
    for at in range(occupancy.node_first[other], occupancy.node_first[other + 1]):
        if not _is_free(rules, table, agent, occupancy.node_places[at], slot):
            return False
    for at in range(occupancy.move_first[row], occupancy.move_first[row + 1]):
        if not _is_free(rules, table, agent, occupancy.move_places[at], slot):
            return False
    return True


@inner
def _is_free(rules, table, agent, place, slot):
    """Whether no other agent holds a place at `slot`, for a time or for good."""
    who = holder(table, place, slot)
    if who != NOBODY and who != agent:
        return False
    return rules.parked[place] > slot


def _grid_take(rules, table, here, there, slot, agent):
    reserve(table, there, slot, agent)


def _state_take(rules, table, here, there, slot, agent):
    occupancy = rules.occupancy
    row = row_between(occupancy, here, there)
    for at in range(occupancy.node_first[there], occupancy.node_first[there + 1]):
        reserve(table, occupancy.node_places[at], slot, agent)
    for at in range(occupancy.move_first[row], occupancy.move_first[row + 1]):
        reserve(table, occupancy.move_places[at], slot, agent)


def _grid_keep(rules, table, cell, slot, agent):
    if holder(table, cell, slot) == NOBODY:
        reserve(table, cell, slot, agent)


def _state_keep(rules, table, node, slot, agent):
    occupancy = rules.occupancy
    row = occupancy.target.size + node
    for at in range(occupancy.node_first[node], occupancy.node_first[node + 1]):
        if holder(table, occupancy.node_places[at], slot) == NOBODY:
            reserve(table, occupancy.node_places[at], slot, agent)
    for at in range(occupancy.move_first[row], occupancy.move_first[row + 1]):
        if holder(table, occupancy.move_places[at], slot) == NOBODY:
            reserve(table, occupancy.move_places[at], slot, agent)


def _grid_give_back(rules, table, here, there, slot, agent):
    release(table, there, slot, agent)


def _state_give_back(rules, table, here, there, slot, agent):
    occupancy = rules.occupancy
    row = row_between(occupancy, here, there)
    for at in range(occupancy.node_first[there], occupancy.node_first[there + 1]):
        release(table, occupancy.node_places[at], slot, agent)
    for at in range(occupancy.move_first[row], occupancy.move_first[row + 1]):
        release(table, occupancy.move_places[at], slot, agent)


def _grid_is_free_for_good(rules, cell, slot):
    return rules.held.size == 0 or slot >= rules.held[cell]


def _state_is_free_for_good(rules, node, slot):
    occupancy = rules.occupancy
    row = occupancy.target.size + node
    for at in range(occupancy.node_first[node], occupancy.node_first[node + 1]):
        if slot < rules.held[occupancy.node_places[at]]:
            return False
    for at in range(occupancy.move_first[row], occupancy.move_first[row + 1]):
        if slot < rules.held[occupancy.move_places[at]]:
            return False
    return True


def _grid_pass_by(rules, here, there, slot):
    rules.held[there] = max(rules.held[there], slot)


def _state_pass_by(rules, here, there, slot):
    occupancy = rules.occupancy
    row = row_between(occupancy, here, there)
    for at in range(occupancy.node_first[there], occupancy.node_first[there + 1]):
        place = occupancy.node_places[at]
        rules.held[place] = max(rules.held[place], slot)
    for at in range(occupancy.move_first[row], occupancy.move_first[row + 1]):
        place = occupancy.move_places[at]
        rules.held[place] = max(rules.held[place], slot)


def _grid_park(rules, cell, slot):
    rules.parked[cell] = slot - 1


def _state_park(rules, node, slot):
    occupancy = rules.occupancy
    row = occupancy.target.size + node
    for at in range(occupancy.node_first[node], occupancy.node_first[node + 1]):
        rules.parked[occupancy.node_places[at]] = slot - 1
    for at in range(occupancy.move_first[row], occupancy.move_first[row + 1]):
        rules.parked[occupancy.move_places[at]] = slot


def _grid_unpark(rules, cell):
    rules.parked[cell] = NEVER


def _state_unpark(rules, node):
    occupancy = rules.occupancy
    row = occupancy.target.size + node
    for at in range(occupancy.node_first[node], occupancy.node_first[node + 1]):
        rules.parked[occupancy.node_places[at]] = NEVER
    for at in range(occupancy.move_first[row], occupancy.move_first[row + 1]):
        rules.parked[occupancy.move_places[at]] = NEVER


_IS_GOAL: dict[type, Callable[..., Any]] = {Rules: _grid_is_goal, StateRules: _state_is_goal}
_MOVES_FROM: dict[type, Callable[..., Any]] = {Rules: _grid_moves_from, StateRules: _state_moves_from}
_MOVE_TO: dict[type, Callable[..., Any]] = {Rules: _grid_move_to, StateRules: _state_move_to}
_DURATION: dict[type, Callable[..., Any]] = {Rules: _grid_duration, StateRules: _state_duration}
_TIE_BREAK: dict[type, Callable[..., Any]] = {Rules: _grid_tie_break, StateRules: _state_tie_break}
_IS_OPEN: dict[type, Callable[..., Any]] = {Rules: _grid_is_open, StateRules: _state_is_open}
_IS_FREE_FOR_GOOD: dict[type, Callable[..., Any]] = {Rules: _grid_is_free_for_good, StateRules: _state_is_free_for_good}
_TAKE: dict[type, Callable[..., Any]] = {Rules: _grid_take, StateRules: _state_take}
_GIVE_BACK: dict[type, Callable[..., Any]] = {Rules: _grid_give_back, StateRules: _state_give_back}
_PASS_BY: dict[type, Callable[..., Any]] = {Rules: _grid_pass_by, StateRules: _state_pass_by}
_PARK: dict[type, Callable[..., Any]] = {Rules: _grid_park, StateRules: _state_park}
_UNPARK: dict[type, Callable[..., Any]] = {Rules: _grid_unpark, StateRules: _state_unpark}
_KEEP: dict[type, Callable[..., Any]] = {Rules: _grid_keep, StateRules: _state_keep}


def is_goal(rules: Any, query: Any, cell: Any) -> Any:
    """Whether `cell` is one of the goals of a query."""
    return _IS_GOAL[type(rules)](rules, query, cell)


def moves_from(rules: Any, cell: Any) -> Any:
    """How many numbers the moves from `cell` have, used or not; the last one is to wait."""
    return _MOVES_FROM[type(rules)](rules, cell)


def move_to(rules: Any, cell: Any, k: Any) -> Any:
    """Where move `k` from `cell` leads, or NOWHERE."""
    return _MOVE_TO[type(rules)](rules, cell, k)


def duration(rules: Any, k: Any) -> Any:
    """How many slots move `k` takes."""
    return _DURATION[type(rules)](rules, k)


def tie_break(rules: Any, k: Any) -> Any:
    """What move `k` costs more than its slots, so that of equal paths one with few such moves is found."""
    return _TIE_BREAK[type(rules)](rules, k)


def is_open(rules: Any, table: Any, agent: Any, cell: Any, other: Any, k: Any, slot: Any) -> Any:
    """Whether `agent` may make move `k`, from `cell` to `other`, at `slot`."""
    return _IS_OPEN[type(rules)](rules, table, agent, cell, other, k, slot)


def is_free_for_good(rules: Any, cell: Any, slot: Any) -> Any:
    """Whether nobody passes `cell` from `slot` on, so that an agent can stand there for good."""
    return _IS_FREE_FOR_GOOD[type(rules)](rules, cell, slot)


def take(rules: Any, table: Any, here: Any, there: Any, slot: Any, agent: Any) -> Any:
    """Reserve what the move from `here` to `there` holds at `slot`."""
    return _TAKE[type(rules)](rules, table, here, there, slot, agent)


def give_back(rules: Any, table: Any, here: Any, there: Any, slot: Any, agent: Any) -> Any:
    """Release what the move from `here` to `there` holds at `slot`."""
    return _GIVE_BACK[type(rules)](rules, table, here, there, slot, agent)


def pass_by(rules: Any, here: Any, there: Any, slot: Any) -> Any:
    """Note that somebody moves from `here` to `there`, and acts again at `slot`."""
    return _PASS_BY[type(rules)](rules, here, there, slot)


def park(rules: Any, cell: Any, slot: Any) -> Any:
    """Note that somebody stands on `cell` for good, and could act there again at `slot`."""
    return _PARK[type(rules)](rules, cell, slot)


def unpark(rules: Any, cell: Any) -> Any:
    """Note that nobody stands on `cell` for good any more."""
    return _UNPARK[type(rules)](rules, cell)


def keep(rules: Any, table: Any, cell: Any, slot: Any, agent: Any) -> Any:
    """Reserve what waiting on `cell` holds at `slot`, but not what somebody holds already."""
    return _KEEP[type(rules)](rules, table, cell, slot, agent)


specialise(is_goal, _IS_GOAL, spliced)
specialise(moves_from, _MOVES_FROM, spliced)
specialise(move_to, _MOVE_TO, spliced)
specialise(duration, _DURATION, spliced)
specialise(tie_break, _TIE_BREAK, spliced)
specialise(is_open, _IS_OPEN, spliced)
specialise(is_free_for_good, _IS_FREE_FOR_GOOD)
specialise(take, _TAKE)
specialise(give_back, _GIVE_BACK)
specialise(pass_by, _PASS_BY)
specialise(park, _PARK)
specialise(unpark, _UNPARK)
specialise(keep, _KEEP)
