"""Swap: where two agents must change places but cannot pass each other, one steps back and pulls the other after it.

Okumura, "Improving LaCAM for scalable eventually optimal multi-agent pathfinding", 2023; the rules are those of the code
published with it.

Deviations  where agents do not stay on their goals this is done at bridges only, the moves that lie on no cycle: elsewhere
            pushing brings the agent of highest priority to its goal, and stepping back may keep it away for ever. An
            agent that cannot cross a bridge, because there is no room beyond it, goes to the end of the order, so that
            others come out.
"""

import numpy as np

from wayfolk.algorithms.controllers.pibt.fields import is_nearer
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY

NOWHERE = np.int32(2**31 - 1)
BUSY, WAITS, SET = range(3)  # cannot act now; has yet to decide; has decided


@inner
def partner(push, crew, agent):
    """The agent with which `agent` has to change places, if it can step back for that; or NOBODY.

    Where agents do not stay on their goals, only at bridges: elsewhere pushing is enough.
    """
    bodies, offsets = push.bodies, push.fields.offsets
    here, k = bodies[agent]["here"], bodies[agent]["choices"] & 15
    if k == 8 or bodies[agent]["n_choices"] == 0:
        return NOBODY
    best = here + offsets[k]
    is_bridge = has_move(offsets, push.bridges.bits[here], here, best)
    if push.fields.shut[best] or not (is_bridge or push.rests):
        return NOBODY
    other = crew.occupant[best]
    if other != NOBODY and bodies[other]["row"] != NOWHERE and (bodies[other]["state"] == WAITS or not push.together):
        if is_bridge and bodies[agent]["held"]:  # there is no room beyond: let others come out first
            bodies[agent]["fresh"] = True
        if _must_swap(push, crew, agent, other, here, best) and _can_swap(push, crew, best, here):
            return other
    for k in range(8 if push.rests else 0):
        # an agent that wants to pass beyond the goal of `agent` goes first
        if (push.fields.legal[here] >> k) & 1 and here + offsets[k] != best:
            other = crew.occupant[here + offsets[k]]
            if other == NOBODY or bodies[other]["row"] == NOWHERE:
                continue
            if _must_swap(push, crew, other, agent, here, best) and _can_swap(push, crew, best, here):
                return other
    return NOBODY


@inner
def has_move(offsets, bits, here, there):
    """Whether one of the moves in `bits` leads from `here` to `there`."""
    leads = False
    for k in range(8):
        leads = leads or ((bits >> k) & 1 != 0 and here + offsets[k] == there)
    return leads


@inner
def _must_swap(push, crew, pusher, puller, behind, ahead):
    """Whether `pusher`, at `behind`, would push `puller`, at `ahead`, the wrong way with no room to pass."""
    to_pusher, to_puller = push.bodies[pusher]["row"], push.bodies[puller]["row"]
    fields = push.fields
    for _ in range(fields.legal.size):
        if not is_nearer(fields, to_pusher, ahead, behind):
            break
        n, beyond = _exits(push, crew, ahead, behind)
        if n >= 2:
            return False
        if n == 0:
            break
        behind, ahead = ahead, beyond
    if not is_nearer(fields, to_puller, behind, ahead):
        return False
    return behind == fields.rows[to_pusher]["goal"] or is_nearer(fields, to_pusher, ahead, behind)


@inner
def _can_swap(push, crew, ahead, behind):
    """Whether the agent at `behind` can pull the agent at `ahead` to a place where two can pass."""
    first = ahead
    while behind != first:
        n, beyond = _exits(push, crew, behind, ahead)
        if n >= 2:
            return True
        if n == 0:
            return False
        ahead, behind = behind, beyond
    return False


@inner
def _exits(push, crew, cell, but):
    """The number of exits of `cell`, and one of them.

    Not counted are the exit to `but`, and dead ends in which an agent stands on its goal.
    """
    fields = push.fields
    n, beyond = 0, cell
    for k in range(8):
        if (fields.legal[cell] >> k) & 1:
            there = cell + fields.offsets[k]
            if there == but or fields.shut[there]:
                continue
            legal = fields.legal[there]
            other = crew.occupant[there]
            if legal & (legal - 1) == 0 and other != NOBODY and push.bodies[other]["goal"] == there:
                continue
            n += 1
            beyond = there
    return n, beyond
