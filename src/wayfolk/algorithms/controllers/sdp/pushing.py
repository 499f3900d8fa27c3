"""How agents of a crowded room push each other on: priority inheritance with backtracking.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding", 2022,
algorithm 1, with a chain of agents in place of recursion.

Priority    first who stands where a lane needs room, then who goes on, then who returns to its goal; of these, who came
            into the room first. Those who return take turns at being first. Agents that rest move if they are pushed, or
            stand where a room and a lane meet.
Invariants  no two agents have the same next cell, and none swap or cross. A cell that was promised to an agent of a lane
            stays empty for it.
"""

import numpy as np

from wayfolk.algorithms.controllers.sdp.crowds import GOES, RESTS, RETURNS, is_in_crowd, moves_left
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crossing import corners

EPOCH = 16  # ticks after which other agents come first among those who return to their goals
BOLD = 4  # one time of so many an agent does not prefer empty cells
_STAY = 8


@inner
def decide(crowds, states, order, now):
    """Set `next` for all agents of crowded rooms among those in `order`."""
    agents, spots = crowds.agents, crowds.spots
    for agent in order:
        state = states[agent]
        if is_in_crowd(crowds, state["area"]) and (state["fixed"] or state["leaves"] != NOWHERE):
            stays = state["leaves"] == NOWHERE
            agents[agent]["decided"] = now + 1
            agents[agent]["next"] = state["cell"] if stays else state["leaves"]
            if stays:
                spots[state["cell"]]["claim"] = now + 1
    for turn in range(5):  # who stands where a lane needs room, who goes on, who returns (in two parts), and the rest
        for agent in order:
            state, pushed = states[agent], agents[agent]
            if not is_in_crowd(crowds, state["area"]) or pushed["decided"] > now:
                continue
            if turn == _turn_of(crowds, state, agent, now):
                _settle(crowds, states, agent, now)
            elif turn == 4:
                pushed["decided"], pushed["next"] = now + 1, state["cell"]


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


@inner
def _settle(crowds, states, root, now):
    """Find a next cell for `root`, and for all agents that it pushes."""
    agents, spots = crowds.agents, crowds.spots
    agent = root
    _begin(crowds, states[root], root, NOBODY, now)
    while True:
        body, here = agents[agent], states[agent]["cell"]
        if body["tried"] == body["n_choices"]:  # it stays, and the agent that pushed it tries its next choice
            body["next"] = here
            spots[here]["claim"] = now + 1
            if agent == root:
                return
            agent = body["parent"]
            continue
        k = (body["choices"] >> (4 * body["tried"])) & 15
        body["tried"] += 1
        there = here if k == _STAY else here + crowds.offsets[k]
        if spots[there]["claim"] > now or (k != _STAY and not _is_clear(crowds, here, there, k, now)):
            continue
        body["next"] = there
        spots[there]["claim"] = now + 1
        other = spots[there]["occupant"]
        if other == NOBODY or agents[other]["decided"] > now:
            return
        _begin(crowds, states[other], other, agent, now)
        agent = other


@inner
def _begin(crowds, state, agent, parent, now):
    """Sort the choices of an agent: the nearest to where it wants to go first, mostly empty cells before others."""
    body, spots, keys, here = crowds.agents[agent], crowds.spots, crowds.keys, state["cell"]
    body["decided"], body["parent"], body["next"], body["tried"] = now + 1, parent, NOWHERE, 0
    luck = _luck(agent, now)
    n = 0
    for k in range(9):
        if k != _STAY and not (crowds.legal[here] >> k) & 1:
            continue
        there = here if k == _STAY else here + crowds.offsets[k]
        if k != _STAY and spots[there]["wanted"] == now:
            continue
        is_taken = k != _STAY and spots[there]["occupant"] != NOBODY and (luck >> 20) % BOLD != 0
        key = np.int64(2 * _cost(crowds, body, there, k) + is_taken) << 7
        key += (((luck >> k) & 7) << 4) + k
        at = n
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key
        n += 1
    choices = np.int64(0)
    for at in range(n):
        choices |= (keys[at] & 15) << (4 * at)
    body["choices"], body["n_choices"] = choices, n


@inner
def _cost(crowds, body, cell, k):
    """How far `cell`, to which move `k` leads, is from where an agent wants to go, in half moves."""
    if body["wish"] == RESTS:
        return (1 if k != _STAY else 0) + (2 if crowds.spots[cell]["is_mouth"] else 0)
    if body["field"] != NOWHERE:
        return 2 * moves_left(crowds, body["field"], cell)
    stride = np.int64(crowds.offsets[1])
    y, target_y = cell // stride, body["target"] // stride
    across = abs((cell - y * stride) - (body["target"] - target_y * stride))
    return 2 * max(across, abs(y - target_y)) + (0 if cell == body["toward"] else 1)


@inner
def _is_clear(crowds, here, there, k, now):
    """Whether nobody has decided to make move `k`, from `here` to `there`, the other way, or to cross it."""
    agents, spots = crowds.agents, crowds.spots
    other = spots[there]["occupant"]
    if other != NOBODY and agents[other]["decided"] > now and agents[other]["next"] == here:
        return False
    if k < 4:
        return True
    beside, across = corners(crowds.offsets, here, k)
    one, two = spots[beside]["occupant"], spots[across]["occupant"]
    crosses = one != NOBODY and agents[one]["decided"] > now and agents[one]["next"] == across
    return not crosses and not (two != NOBODY and agents[two]["decided"] > now and agents[two]["next"] == beside)
