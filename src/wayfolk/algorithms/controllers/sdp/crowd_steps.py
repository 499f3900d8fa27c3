"""The next cells of all agents of crowded rooms: priority inheritance with backtracking.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding", 2022.

Priority    first who stands where a lane needs room, then who goes on, then who returns to its goal; of these, who came
            into the room first. Those who return take turns at being first. Agents that rest move if they are pushed, or
            stand where a room and a lane meet.
Invariants  no two agents have the same next cell, and none swap or cross. A cell that was promised to an agent of a lane
            stays empty for it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.crowds import GOES, RESTS, RETURNS, CrowdArrays, is_in_crowd, moves_left
from wayfolk.algorithms.priority_inheritance import (
    STAY,
    Cells,
    choose,
    has_decided,
    pushes,
    settle,
    sort_in,
    take,
)
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE

EPOCH = 16  # ticks after which other agents come first among those who return to their goals
BOLD = 4  # one time of so many an agent does not prefer empty cells


class CrowdParty(NamedTuple):
    """The agents of crowded rooms, as `priority_inheritance` sees them."""

    nodes: Cells
    bodies: NDArray[np.void]
    occupant: NDArray[np.int32]
    claims: NDArray[np.int64]
    step: NDArray[np.int64]
    is_strict: bool
    crowds: CrowdArrays
    states: NDArray[np.void]


@inner
def decide(crowds, states, order, now):
    """Set `next` for all agents of crowded rooms among those in `order`."""
    agents, spots = crowds.agents, crowds.spots
    crowds.step[0] = now + 1
    cells = Cells(crowds.legal, crowds.offsets, crowds.legal[:0])
    party = CrowdParty(cells, agents, spots["occupant"], spots["claim"], crowds.step, False, crowds, states)
    for agent in order:
        state = states[agent]
        if is_in_crowd(crowds, state["area"]) and (state["fixed"] or state["leaves"] != NOWHERE):
            if state["leaves"] == NOWHERE:
                take(party, agent, state["cell"])
            else:
                agents[agent]["decided"], agents[agent]["next"] = now + 1, state["leaves"]
    for turn in range(5):  # who stands where a lane needs room, who goes on, who returns (in two parts), and the rest
        for agent in order:
            state = states[agent]
            if not is_in_crowd(crowds, state["area"]) or has_decided(party, agent):
                continue
            if turn == _turn_of(crowds, state, agent, now):
                settle(party, agent)
            elif turn == 4:
                agents[agent]["decided"], agents[agent]["next"] = now + 1, state["cell"]


@inner
def _turn_of(crowds, state, agent, now):
    """In which turn of `decide` an agent settles; NOWHERE if it stays unless it is pushed."""
    wish = crowds.agents[agent]["wish"]
    if crowds.spots[state["cell"]]["wanted"] == now:
        return np.int32(0)
    if wish == GOES:
        return np.int32(1)
    if wish == RETURNS:
        return np.int32(2 + (_luck(agent, now // EPOCH) & 1))
    return np.int32(3) if crowds.spots[state["cell"]]["is_mouth"] else NOWHERE


@inner
def _luck(agent, time):
    """A number below 2^31 that looks random, the same on every host."""
    mixed = (np.int64(agent) * 40503 + time * 60493 + 12345) & 0x7FFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 0x2C1B3C6D) & 0x7FFFFFFF
    return mixed ^ (mixed >> 12)


def _prefer(party, agent):
    """Sort the choices of an agent: the nearest to where it wants to go first, mostly empty cells before others."""
    crowds, body, here = party.crowds, party.bodies[agent], party.states[agent]["cell"]
    keys, now = crowds.keys, party.step[0] - 1
    luck = _luck(agent, now)
    n = 0
    for k in range(9):
        if k != STAY and not (crowds.legal[here] >> k) & 1:
            continue
        there = here if k == STAY else here + crowds.offsets[k]
        if k != STAY and crowds.spots[there]["wanted"] == now:
            continue
        is_occupied = k != STAY and party.occupant[there] != NOBODY and (luck >> 20) % BOLD != 0
        key = np.int64(2 * _cost(crowds, body, there, k) + is_occupied) << 7
        sort_in(keys, n, key + (((luck >> k) & 7) << 4) + k)
        n += 1
    body["here"] = here
    choose(party.nodes, body, keys, n)


def _may_move(party, root, agent, k, there, other):
    return True


pushes(CrowdParty, _prefer, _may_move)


@inner
def _cost(crowds, body, cell, k):
    """How far `cell`, to which move `k` leads, is from where an agent wants to go, in half moves."""
    if body["wish"] == RESTS:
        return (1 if k != STAY else 0) + (2 if crowds.spots[cell]["is_mouth"] else 0)
    if body["field"] != NOWHERE:
        return 2 * moves_left(crowds, body["field"], cell)
    stride = np.int64(crowds.offsets[1])
    y, target_y = cell // stride, body["target"] // stride
    across = abs((cell - y * stride) - (body["target"] - target_y * stride))
    return 2 * max(across, abs(y - target_y)) + (0 if cell == body["toward"] else 1)
