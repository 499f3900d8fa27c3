"""Swap: where two agents must change places but cannot pass each other, one steps back and pulls the other after it.

Okumura, "Improving LaCAM for scalable eventually optimal multi-agent pathfinding", 2023; the rules are those of the code
published with it.

A party (see `priority_inheritance`) whose agents swap has the field `partner` in its bodies, an array `goals`, and two
functions that are chosen at compile time for its class, entered by `swaps`:

    is_nearer(party, agent, one, other)   whether node `one` is nearer to the goal of `agent` than its neighbour `other`
    follow(party, agent, there)           let `agent`, if it can, go to `there`, which its partner leaves
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wayfolk.algorithms.priority_inheritance import exit_by, has_decided, is_taken, slots, stander
from wayfolk.compile.jit import inlined, inner, specialise
from wayfolk.kernels.codes import NOBODY, NOWHERE

_IS_NEARER: dict[type, Callable[..., Any]] = {}
_FOLLOW: dict[type, Callable[..., Any]] = {}


def swaps(kind: type, is_nearer: Callable[..., Any], follow: Callable[..., Any]) -> None:
    """Enter the functions of parties of the class `kind`: plain Python to be compiled."""
    _IS_NEARER[kind], _FOLLOW[kind] = is_nearer, follow


def is_nearer(party: Any, agent: Any, one: Any, other: Any) -> Any:
    """Whether node `one` is nearer to the goal of `agent` than its neighbour `other`."""
    return _IS_NEARER[type(party)](party, agent, one, other)


def follow(party: Any, agent: Any, there: Any) -> Any:
    """Let `agent`, if it can, go to `there`, which its partner leaves."""
    return _FOLLOW[type(party)](party, agent, there)


specialise(is_nearer, _IS_NEARER)
specialise(follow, _FOLLOW)


@inner
def partner_of(party, agent, here, best, may_clear):
    """The agent with which `agent`, who prefers the node `best`, has to change places if it can step back; or NOBODY.

    Of a strict party, agents that have decided can be told to follow later. With `may_clear`, `agent` also goes out of the
    way of an agent that wants to pass beyond its goal.
    """
    other = stander(party.nodes, party, best)
    if other != NOBODY and (party.is_strict or not has_decided(party, other)):
        if _must_swap(party, agent, other, here, best) and _can_swap(party, best, here):
            return other
    for k in range(slots(party.nodes, here) if may_clear else 0):
        there = exit_by(party.nodes, here, k)
        if there == NOWHERE:
            continue
        other = stander(party.nodes, party, there)
        if there == best or other == NOBODY:
            continue
        if _must_swap(party, other, agent, here, best) and _can_swap(party, best, here):
            return other
    return NOBODY


@inlined
def pull(party, root, agent):
    """The chain from `root` to `agent` has its nodes: an agent on it that steps back for a swap pulls its partner."""
    while True:
        body = party.bodies[agent]
        if body["partner"] != NOBODY and body["tried"] == 1 and not is_taken(party, body["here"]):
            follow(party, body["partner"], body["here"])
        if agent == root:
            break
        agent = body["parent"]


@inner
def _must_swap(party, pusher, puller, behind, ahead):
    """Whether `pusher`, at `behind`, would push `puller`, at `ahead`, the wrong way with no room to pass."""
    for _ in range(party.claims.size):
        if not is_nearer(party, pusher, ahead, behind):
            break
        n, beyond = _exits(party, ahead, behind)
        if n >= 2:
            return False
        if n == 0:
            break
        behind, ahead = ahead, beyond
    if not is_nearer(party, puller, behind, ahead):
        return False
    return behind == party.goals[pusher] or is_nearer(party, pusher, ahead, behind)


@inner
def _can_swap(party, ahead, behind):
    """Whether the agent at `behind` can pull the agent at `ahead` to a node where two can pass."""
    first = ahead
    while behind != first:
        n, beyond = _exits(party, behind, ahead)
        if n >= 2:
            return True
        if n == 0:
            return False
        ahead, behind = behind, beyond
    return False


@inner
def _exits(party, node, but):
    """The number of exits of `node`, and one of them.

    Not counted are the exit to `but`, and dead ends in which an agent stands on its goal.
    """
    n, beyond = 0, node
    for k in range(slots(party.nodes, node)):
        there = exit_by(party.nodes, node, k)
        if there == NOWHERE:
            continue
        other = stander(party.nodes, party, there)
        is_closed = other != NOBODY and party.goals[other] == there and _is_dead_end(party.nodes, there)
        if there != but and not is_closed:
            n += 1
            beyond = there
    return n, beyond


@inner
def _is_dead_end(nodes, node):
    """Whether `node` has one exit at most."""
    n = 0
    for k in range(slots(nodes, node)):
        n += exit_by(nodes, node, k) != NOWHERE
    return n <= 1
