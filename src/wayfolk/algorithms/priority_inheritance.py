"""Priority inheritance with backtracking: an agent takes its best next node, and pushes the agent that stands there.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding", 2022,
algorithm 1. A chain of agents takes the place of recursion: as soon as the last agent of a chain finds a node, every agent
on it has one.

`settle` is the step of PIBT, of LaCAM, and of crowded rooms in SDP. It works on a party: a NamedTuple with at least

    nodes       the moves from each node: `Cells`, or another class that is entered by `moves_on`
    bodies      a record for each agent, with the fields of BODY
    occupant    who stands on a node, or NOBODY
    claims      the last step for which a node was taken
    step        the number of the present step
    is_strict   whether moves need the permission of `may_move` as well

and with two functions that are chosen at compile time for its class, entered by `pushes`:

    prefer(party, agent)                          sort the choices of an agent that has to decide
    may_move(party, root, agent, k, there, other) whether move `k` to `there`, where `other` stands, is allowed

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
_TARGET: dict[type, Callable[..., Any]] = {}
_CROSSED: dict[type, Callable[..., Any]] = {}
_SLOTS: dict[type, Callable[..., Any]] = {}
_EXIT: dict[type, Callable[..., Any]] = {}


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
    """Enter the functions of nodes of the class `kind`: plain Python to be compiled."""
    _TARGET[kind], _CROSSED[kind], _SLOTS[kind], _EXIT[kind] = target, crossed, slots, exit_by


def prefer(party: Any, agent: Any) -> Any:
    """Sort the choices of `agent`."""
    return _PREFER[type(party)](party, agent)


def may_move(party: Any, root: Any, agent: Any, k: Any, there: Any, other: Any) -> Any:
    """Whether move `k` of `agent` to `there`, where `other` stands, is allowed; `root` began the chain."""
    return _MAY_MOVE[type(party)](party, root, agent, k, there, other)


def target(nodes: Any, here: Any, k: Any) -> Any:
    """Where move `k` from `here` leads."""
    return _TARGET[type(nodes)](nodes, here, k)


def crossed(nodes: Any, here: Any, k: Any) -> Any:
    """The ends of the move that crosses move `k` from `here`; NOWHERE, NOWHERE if none does."""
    return _CROSSED[type(nodes)](nodes, here, k)


def slots(nodes: Any, here: Any) -> Any:
    """How many numbers the moves from `here` have, used or not."""
    return _SLOTS[type(nodes)](nodes, here)


def exit_by(nodes: Any, here: Any, k: Any) -> Any:
    """Where the move number `k` from `here` leads; NOWHERE if there is none, or another agent can never leave `there`."""
    return _EXIT[type(nodes)](nodes, here, k)


specialise(prefer, _PREFER)
specialise(may_move, _MAY_MOVE)
specialise(target, _TARGET, spliced)
specialise(crossed, _CROSSED, spliced)
specialise(slots, _SLOTS)
specialise(exit_by, _EXIT)


@inlined
def settle(party, root):
    """Find a next node for `root`, and for all agents that it pushes.

    Returns the last agent of the chain, or NOBODY if all choices of `root` have failed and it stays.
    """
    bodies = party.bodies
    agent, parent, begins = root, NOBODY, True
    while True:
        body = bodies[agent]
        if begins:
            begins = False
            body["decided"], body["parent"], body["tried"], body["next"] = party.step[0], parent, 0, NOWHERE
            if not body["is_sorted"]:
                prefer(party, agent)
        here = np.int64(body["here"])
        if body["tried"] == body["n_choices"]:  # it stays, and the agent that pushed it tries its next choice
            take(party, agent, here)
            if agent == root:
                return NOBODY
            agent = body["parent"]
            continue
        k = choice(body, body["tried"])
        body["tried"] += 1
        there = here if k == STAY else np.int64(target(party.nodes, here, k))
        other = party.occupant[there]
        if party.is_strict and not may_move(party, root, agent, k, there, other):
            continue
        if not is_clear(party, here, k, there, other):
            continue
        take(party, agent, there)
        if other == NOBODY or has_decided(party, other):
            return agent
        agent, parent, begins = other, agent, True


@inlined
def take(party, agent, node):
    """Let `agent` be on `node` after this step; this takes the node away from an agent that had it."""
    party.bodies[agent]["decided"], party.bodies[agent]["next"] = party.step[0], node
    party.claims[node] = party.step[0]


@inlined
def is_taken(party, node):
    """Whether an agent will be on `node` after this step."""
    return party.claims[node] >= party.step[0]


@inlined
def has_decided(party, agent):
    """Whether `agent` has a next node, or looks for one in the present chain."""
    return party.bodies[agent]["decided"] >= party.step[0]


@inlined
def goes(party, agent, node):
    """Whether `agent`, who may be NOBODY, has decided to go to `node`."""
    return agent != NOBODY and party.bodies[agent]["next"] == node and has_decided(party, agent)


@inlined
def is_clear(party, here, k, there, other):
    """Whether no decision takes `there`, swaps with move `k` from `here`, or crosses it; `other` stands there."""
    if is_taken(party, there):
        return False
    if k == STAY:
        return True
    if goes(party, other, here):
        return False
    one, two = crossed(party.nodes, here, k)
    return one == NOWHERE or not (goes(party, party.occupant[one], two) or goes(party, party.occupant[two], one))


@inlined
def move_to(party, here, there):
    """The number of the move from `here` to `there`; STAY if there is none."""
    found = STAY
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


@inlined
def choose(body, keys, n):
    """Let the moves in the lowest four bits of the first `n` keys be the choices of an agent."""
    choices = np.int64(0)
    for rank in range(n):
        choices |= (keys[rank] & 15) << (4 * rank)
    body["choices"], body["n_choices"] = choices, n


@inlined
def choice(body, rank):
    """The move that is number `rank` among the choices of an agent."""
    return (body["choices"] >> (4 * rank)) & 15


def _cell_target(cells, here, k):
    return here + cells.offsets[k]


def _cell_crossed(cells, here, k):
    return corners(cells.offsets, here, k) if k >= 4 else (NOWHERE, NOWHERE)


def _cell_slots(cells, here):
    return 8


def _cell_exit(cells, here, k):
    there = here + cells.offsets[k]
    return there if (cells.legal[here] >> k) & 1 and not cells.shut[there] else np.int64(NOWHERE)


moves_on(Cells, _cell_target, _cell_crossed, _cell_slots, _cell_exit)
