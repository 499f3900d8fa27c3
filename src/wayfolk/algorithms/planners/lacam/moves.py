"""The moves as LaCAM reads them: between the spots of a grid, or between the nodes of a graph of states.

What depends on the world and on bodies is chosen at compile time for the class of the nodes:

    put(nodes, gen, agent, spot)       let `agent` stand on `spot`, or nobody if it is NOBODY
    is_home(nodes, spot, goal)         whether an agent on `spot` has reached `goal`
    crowding(nodes, gen, agent, spot)  RESTING if an agent on its goal is in the way of `agent` there, PASSING if another is
    is_lost(nodes, gen, agent, spot)   whether no way leads from `spot` to the goal of `agent`
    tie(nodes, gen, word, k)           seven random bits for move `k`; `word` holds those of nine moves
    may_swap(nodes)                    whether agents that cannot pass change places by `position_swap`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.priority_inheritance import STAY, moves_on
from wayfolk.algorithms.state_pushes import StateMoves, stand_at
from wayfolk.compile.jit import specialise, spliced
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.random import next_word
from wayfolk.world.spots import AnySpots, SpotMap

PASSING, RESTING = 128, 256


class SpotMoves(NamedTuple):
    """`near[spot, k]` for k below `degree[spot]` are the neighbours.

    `beside` and `across` are the ends of the diagonal that crosses the move to neighbour k, NOWHERE if none does.
    """

    near: NDArray[np.int32]
    degree: NDArray[np.int32]
    beside: NDArray[np.int32]
    across: NDArray[np.int32]


def spot_moves(spot_map: AnySpots) -> SpotMoves:
    """The moves of a map."""
    assert isinstance(spot_map, SpotMap)
    return SpotMoves(spot_map.near, spot_map.degree, *spot_map.crossings)


_PUT: dict[type, Callable[..., Any]] = {}
_IS_HOME: dict[type, Callable[..., Any]] = {}
_CROWDING: dict[type, Callable[..., Any]] = {}
_IS_LOST: dict[type, Callable[..., Any]] = {}
_TIE: dict[type, Callable[..., Any]] = {}
_MAY_SWAP: dict[type, Callable[..., Any]] = {}


def put(nodes: Any, gen: Any, agent: Any, spot: Any) -> Any:
    """Let `agent` stand on `spot`, or nobody if it is NOBODY."""
    return _PUT[type(nodes)](nodes, gen, agent, spot)


def is_home(nodes: Any, spot: Any, goal: Any) -> Any:
    """Whether an agent on `spot` has reached `goal`."""
    return _IS_HOME[type(nodes)](nodes, spot, goal)


def crowding(nodes: Any, gen: Any, agent: Any, spot: Any) -> Any:
    """RESTING if an agent on its goal is in the way of `agent` on `spot`, else PASSING if another one is, else 0."""
    return _CROWDING[type(nodes)](nodes, gen, agent, spot)


def is_lost(nodes: Any, gen: Any, agent: Any, spot: Any) -> Any:
    """Whether no way leads from `spot` to the goal of `agent`."""
    return _IS_LOST[type(nodes)](nodes, gen, agent, spot)


def tie(nodes: Any, gen: Any, word: Any, k: Any) -> Any:
    """Seven random bits for move `k`."""
    return _TIE[type(nodes)](nodes, gen, word, k)


def may_swap(nodes: Any) -> Any:
    """Whether agents that cannot pass each other change places by `position_swap`."""
    return _MAY_SWAP[type(nodes)](nodes)


specialise(put, _PUT, spliced)
specialise(is_home, _IS_HOME, spliced)
specialise(crowding, _CROWDING, spliced)
specialise(is_lost, _IS_LOST, spliced)
specialise(tie, _TIE, spliced)
specialise(may_swap, _MAY_SWAP, spliced)


def _spot_target(spots, here, k):  # type: ignore[no-untyped-def]
    return here if k == STAY else spots.near[here, k]


def _spot_crossed(spots, here, k):  # type: ignore[no-untyped-def]
    return spots.beside[here, k], spots.across[here, k]


def _spot_slots(spots, here):  # type: ignore[no-untyped-def]
    return spots.degree[here]


def _spot_exit(spots, here, k):  # type: ignore[no-untyped-def]
    return spots.near[here, k]


def _spot_put(spots, gen, agent, spot):  # type: ignore[no-untyped-def]
    gen.occupant[spot] = agent


def _spot_is_home(spots, spot, goal):  # type: ignore[no-untyped-def]
    return spot == goal


def _spot_crowding(spots, gen, agent, spot):  # type: ignore[no-untyped-def]
    other = gen.occupant[spot]
    if other in (NOBODY, agent):
        return 0
    return RESTING if gen.goals[other] == spot else PASSING


def _spot_is_lost(spots, gen, agent, spot):  # type: ignore[no-untyped-def]
    return False


def _spot_tie(spots, gen, word, k):  # type: ignore[no-untyped-def]
    return (word >> (7 * k)) & 127


def _spot_may_swap(spots):  # type: ignore[no-untyped-def]
    return True


def _node_put(nodes, gen, agent, spot):  # type: ignore[no-untyped-def]
    stand_at(nodes, gen.occupant, agent, spot)


def _node_is_home(nodes, spot, goal):  # type: ignore[no-untyped-def]
    return nodes.stand[spot] == goal


def _node_crowding(nodes, gen, agent, spot):  # type: ignore[no-untyped-def]
    most = 0
    for at in range(nodes.node_first[spot], nodes.node_first[spot + 1]):
        other = gen.occupant[nodes.node_places[at]]
        if other != NOBODY and other != agent:
            if nodes.stand[gen.bodies[other]["here"]] == gen.goals[other]:
                return RESTING
            most = PASSING
    return most


def _node_is_lost(nodes, gen, agent, spot):  # type: ignore[no-untyped-def]
    return gen.steps[agent, spot] == gen.far


def _node_tie(nodes, gen, word, k):  # type: ignore[no-untyped-def]
    return np.int64(next_word(gen.luck) >> np.uint64(57))


def _node_may_swap(nodes):  # type: ignore[no-untyped-def]
    return nodes.are_points


moves_on(SpotMoves, _spot_target, _spot_crossed, _spot_slots, _spot_exit)
_PUT[SpotMoves], _PUT[StateMoves] = _spot_put, _node_put
_IS_HOME[SpotMoves], _IS_HOME[StateMoves] = _spot_is_home, _node_is_home
_CROWDING[SpotMoves], _CROWDING[StateMoves] = _spot_crowding, _node_crowding
_IS_LOST[SpotMoves], _IS_LOST[StateMoves] = _spot_is_lost, _node_is_lost
_TIE[SpotMoves], _TIE[StateMoves] = _spot_tie, _node_tie
_MAY_SWAP[SpotMoves], _MAY_SWAP[StateMoves] = _spot_may_swap, _node_may_swap
