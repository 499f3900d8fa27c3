"""Priority inheritance with backtracking: an agent takes its best next node, and pushes all agents that are in its way.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding", 2022,
algorithm 1. A chain of agents takes the place of recursion.

`settle` is the step of PIBT, of LaCAM, and of crowded rooms in SDP. It works on a party: a NamedTuple with at least

    nodes       the moves from each node: `Cells`, or another class that is entered by `moves_on` or `rules_on`
    bodies      a record for each agent, with the fields of BODY
    occupant    who stands on a node, or NOBODY
    claims      the last step for which a node was taken
    step        the number of the present step
    is_strict   whether moves need the permission of `may_move` as well

and with two functions that are chosen at compile time for its class, entered by `pushes`:

    prefer(party, agent)                          sort the choices of an agent that has to decide
    may_move(party, root, agent, k, there, other) whether move `k` to `there`, where `other` stands, is allowed

What a move pushes and what it excludes depends on the class of `nodes`: the rules of points on a grid are here, those of
all other worlds and bodies in `state_pushes`. A point pushes one agent at most: as soon as the last agent of a chain finds
a node, every agent on it has one.

Invariants  of the agents that have decided, no two have the same next node, none swap, and none cross.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inlined, specialise, spliced
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crossing import corners

STAY = 8  # the move that stays; a node has up to eight others
BODY: list[tuple[str, type]] = [
    ("choices", np.int64),  # moves, the best in the lowest four bits
    ("decided", np.int64),  # the last step for which it has decided: it will be on `next` then
    ("here", np.int32),
    ("next", np.int32),
    ("parent", np.int32),  # the agent that pushes it
    ("n_choices", np.uint8),
    ("tried", np.uint8),  # how many of its choices
    ("is_sorted", np.bool_),  # whether its choices are sorted before it is its turn
]


class Cells(NamedTuple):
    """The moves of points on a grid; nobody swaps places in cells that are `shut`."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    shut: NDArray[np.uint8]


_PREFER: dict[type, Callable[..., Any]] = {}
_MAY_MOVE: dict[type, Callable[..., Any]] = {}
_CROSSED: dict[type, Callable[..., Any]] = {}
_RULES: dict[str, dict[type, Callable[..., Any]]] = {
    name: {}
    for name in (
        "target", "slots", "exit_by", "stay", "stander", "is_clear", "is_held", "hold", "enter", "next_pushed", "give_up",
        "step_aside", "choose", "choice",
    )
}  # fmt: skip
_OF_POINTS: dict[str, Callable[..., Any]] = {}  # what all nodes on which agents are points have in common


def pushes(kind: type, prefer: Callable[..., Any], may_move: Callable[..., Any]) -> None:
    """Enter the functions of parties of the class `kind`: plain Python to be compiled."""
    _PREFER[kind], _MAY_MOVE[kind] = prefer, may_move


def moves_on(
    kind: type,
    target: Callable[..., Any],
    crossed: Callable[..., Any],
    slots: Callable[..., Any],
    exit_by: Callable[..., Any],
) -> None:
    """Enter the functions of nodes of the class `kind`, on which agents are points: plain Python to be compiled."""
    _CROSSED[kind] = crossed
    rules_on(kind, target=target, slots=slots, exit_by=exit_by, **_OF_POINTS)


def rules_on(kind: type, **rules: Callable[..., Any]) -> None:
    """Enter all functions of nodes of the class `kind`: plain Python to be compiled."""
    assert rules.keys() == _RULES.keys()
    for name, function in rules.items():
        _RULES[name][kind] = function


def prefer(party: Any, agent: Any) -> Any:
    """Sort the choices of `agent`."""
    return _PREFER[type(party)](party, agent)


def may_move(party: Any, root: Any, agent: Any, k: Any, there: Any, other: Any) -> Any:
    """Whether move `k` of `agent` to `there`, where `other` stands, is allowed; `root` began the chain."""
    return _MAY_MOVE[type(party)](party, root, agent, k, there, other)


def crossed(nodes: Any, here: Any, k: Any) -> Any:
    """The ends of the move that crosses move `k` from `here`; NOWHERE, NOWHERE if none does."""
    return _CROSSED[type(nodes)](nodes, here, k)


def target(nodes: Any, here: Any, k: Any) -> Any:
    """Where move `k` from `here` leads."""
    return _RULES["target"][type(nodes)](nodes, here, k)


def slots(nodes: Any, here: Any) -> Any:
    """How many numbers the moves from `here` have, used or not; to stay is not among them."""
    return _RULES["slots"][type(nodes)](nodes, here)


def exit_by(nodes: Any, here: Any, k: Any) -> Any:
    """Where the move number `k` from `here` leads; NOWHERE if there is none, or another agent can never leave `there`."""
    return _RULES["exit_by"][type(nodes)](nodes, here, k)


def stay(nodes: Any, here: Any) -> Any:
    """The number of the move that stays at `here`."""
    return _RULES["stay"][type(nodes)](nodes, here)


def stander(nodes: Any, party: Any, node: Any) -> Any:
    """Who stands on `node`, or NOBODY; of bodies that overlap several nodes, one of those in its way."""
    return _RULES["stander"][type(nodes)](nodes, party, node)


def is_clear(nodes: Any, party: Any, here: Any, k: Any, there: Any, other: Any) -> Any:
    """Whether no decision excludes move `k` from `here` to `there`, where `other` stands."""
    return _RULES["is_clear"][type(nodes)](nodes, party, here, k, there, other)


def is_held(nodes: Any, party: Any, node: Any) -> Any:
    """Whether an agent that has decided will be in the way of others on `node`."""
    return _RULES["is_held"][type(nodes)](nodes, party, node)


def hold(nodes: Any, party: Any, agent: Any, node: Any) -> Any:
    """Let `agent` be on `node` after this step, for good."""
    return _RULES["hold"][type(nodes)](nodes, party, agent, node)


def enter(nodes: Any, party: Any, agent: Any, k: Any, there: Any) -> Any:
    """Let `agent` make move `k` to `there`, unless that fails later."""
    return _RULES["enter"][type(nodes)](nodes, party, agent, k, there)


def next_pushed(nodes: Any, party: Any, root: Any, agent: Any, other: Any) -> Any:
    """After `agent` has entered a move to a node on which `other` stands: who pushes next, and whom.

    Nobody is pushed, and that is NOBODY, once all agents of the chain that `root` began have made way.
    """
    return _RULES["next_pushed"][type(nodes)](nodes, party, root, agent, other)


def give_up(nodes: Any, party: Any, root: Any, agent: Any) -> Any:
    """All choices of `agent` have failed: it stays. Who tries its next choice then; NOBODY if the chain has ended."""
    return _RULES["give_up"][type(nodes)](nodes, party, root, agent)


def step_aside(nodes: Any, party: Any, agent: Any) -> Any:
    """Let `agent`, whose choices are sorted, prefer the way out of that of the agent that pushes it, if need be."""
    return _RULES["step_aside"][type(nodes)](nodes, party, agent)


def choose(nodes: Any, body: Any, keys: Any, n: Any) -> Any:
    """Let the moves in the lowest bits of the first `n` keys be the choices of an agent."""
    return _RULES["choose"][type(nodes)](nodes, body, keys, n)


def choice(nodes: Any, body: Any, rank: Any) -> Any:
    """The move that is number `rank` among the choices of an agent."""
    return _RULES["choice"][type(nodes)](nodes, body, rank)


specialise(prefer, _PREFER)
specialise(may_move, _MAY_MOVE)
specialise(crossed, _CROSSED, spliced)
for function in (
    target,
    slots,
    stay,
    stander,
    is_clear,
    is_held,
    hold,
    enter,
    next_pushed,
    give_up,
    step_aside,
    choose,
    choice,
):
    specialise(function, _RULES[function.__name__], spliced)
specialise(exit_by, _RULES["exit_by"])


@inlined
def settle(party, root):
    """Find a next node for `root`, and for all agents that it pushes.

    Returns the last agent of the chain, or NOBODY if all choices of `root` have failed and it stays.
    """
    nodes, bodies = party.nodes, party.bodies
    agent, parent, begins = root, NOBODY, True
    while True:
        body = bodies[agent]
        if begins:
            begins = False
            body["decided"], body["parent"], body["tried"], body["next"] = party.step[0], parent, 0, NOWHERE
            if not body["is_sorted"]:
                prefer(party, agent)
            step_aside(nodes, party, agent)
        here = np.int64(body["here"])
        if body["tried"] == body["n_choices"]:
            back = give_up(nodes, party, root, agent)
            if back == NOBODY:
                return NOBODY
            agent = back
            continue
        k = choice(nodes, body, body["tried"])
        body["tried"] += 1
        there = np.int64(target(nodes, here, k))
        other = stander(nodes, party, there)
        if party.is_strict and not may_move(party, root, agent, k, there, other):
            continue
        if not is_clear(nodes, party, here, k, there, other):
            continue
        enter(nodes, party, agent, k, there)
        pusher, other = next_pushed(nodes, party, root, agent, other)
        if other == NOBODY:
            return agent
        agent, parent, begins = other, pusher, True


@inlined
def take(party, agent, node):
    """Let `agent` be on `node` after this step."""
    hold(party.nodes, party, agent, node)


@inlined
def is_taken(party, node):
    """Whether an agent will be on `node` after this step."""
    return is_held(party.nodes, party, node)


@inlined
def has_decided(party, agent):
    """Whether `agent` has a next node, or looks for one in the present chain."""
    return party.bodies[agent]["decided"] >= party.step[0]


@inlined
def goes(party, agent, node):
    """Whether `agent`, who may be NOBODY, has decided to go to `node`."""
    return agent != NOBODY and party.bodies[agent]["next"] == node and has_decided(party, agent)


@inlined
def move_to(party, here, there):
    """The number of the move from `here` to `there`; that of to stay if there is none."""
    found = stay(party.nodes, here)
    for k in range(slots(party.nodes, here)):
        if exit_by(party.nodes, here, k) == there:
            found = k
    return found


@inlined
def sort_in(keys, n, key):
    """Put `key` among the first `n` keys, which are sorted."""
    while n > 0 and keys[n - 1] > key:
        keys[n] = keys[n - 1]
        n -= 1
    keys[n] = key


def _point_stay(nodes, here):
    return STAY


def _point_stander(nodes, party, node):
    return party.occupant[node]


def _point_is_clear(nodes, party, here, k, there, other):
    """No decision takes `there`, swaps with move `k` from `here`, or crosses it."""
    if party.claims[there] >= party.step[0]:
        return False
    if k == STAY:
        return True
    if goes(party, other, here):
        return False
    one, two = crossed(nodes, here, k)
    return one == NOWHERE or not (goes(party, party.occupant[one], two) or goes(party, party.occupant[two], one))


def _point_is_held(nodes, party, node):
    return party.claims[node] >= party.step[0]


def _point_hold(nodes, party, agent, node):
    """This takes the node away from an agent that had it."""
    party.bodies[agent]["decided"], party.bodies[agent]["next"] = party.step[0], node
    party.claims[node] = party.step[0]


def _point_enter(nodes, party, agent, k, there):
    party.bodies[agent]["next"] = there
    party.claims[there] = party.step[0]


def _point_next_pushed(nodes, party, root, agent, other):
    return agent, other if other != NOBODY and not has_decided(party, other) else NOBODY


def _point_give_up(nodes, party, root, agent):
    """What it was pushed from is its own again: the agent that pushed it loses it."""
    body = party.bodies[agent]
    body["next"] = body["here"]
    party.claims[body["here"]] = party.step[0]
    return NOBODY if agent == root else body["parent"]


def _point_step_aside(nodes, party, agent):
    pass


def _point_choose(nodes, body, keys, n):
    choices = np.int64(0)
    for rank in range(n):
        choices |= (keys[rank] & 15) << (4 * rank)
    body["choices"], body["n_choices"] = choices, n


def _point_choice(nodes, body, rank):
    return (body["choices"] >> (4 * rank)) & 15


def _cell_target(cells, here, k):
    return here if k == STAY else here + cells.offsets[k]


def _cell_crossed(cells, here, k):
    return corners(cells.offsets, here, k) if k >= 4 else (NOWHERE, NOWHERE)


def _cell_slots(cells, here):
    return 8


def _cell_exit(cells, here, k):
    there = here + cells.offsets[k]
    return there if (cells.legal[here] >> k) & 1 and not cells.shut[there] else np.int64(NOWHERE)


_OF_POINTS.update(
    stay=_point_stay, stander=_point_stander, is_clear=_point_is_clear, is_held=_point_is_held, hold=_point_hold,
    enter=_point_enter, next_pushed=_point_next_pushed, give_up=_point_give_up, step_aside=_point_step_aside,
    choose=_point_choose, choice=_point_choice,
)  # fmt: skip
moves_on(Cells, _cell_target, _cell_crossed, _cell_slots, _cell_exit)
