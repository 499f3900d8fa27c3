"""When two agents have to change places where they cannot pass each other, one steps back and draws the other after it.

Okumura, "Improving LaCAM for scalable eventually optimal multi-agent pathfinding", 2023; the rules are those of the code
published with it.

Differs  where goals are not for staying this is done at bridges only, the moves that lie on no cycle: anywhere else pushing
         gets the first in order to its goal, and stepping back may keep it from there for ever. Who cannot get over a
         bridge because all is full beyond goes to the end of the order, so that others come out.
"""

import numpy as np

from wayfolk.kernels.crew import NOBODY
from wayfolk.kernels.guided_fields import distance
from wayfolk.kernels.jit import inner

NOWHERE = np.int32(2**31 - 1)
BUSY, WAITS, SET = range(3)  # cannot act now; has yet to decide; has decided


@inner
def partner(push, crew, agent):
    """With whom `agent` has to change places, if it can step back for that; or NOBODY.

    Where goals are not for staying only beyond a bridge: everywhere else pushing gets it there.
    """
    bodies, offsets = push.bodies, push.fields.offsets
    here, best = crew.agents[agent]["here"], push.choices[agent, 0]
    is_bridge = has_move(offsets, push.bridges.bits[here], here, best)
    if push.fields.shut[best] or best == here or not (is_bridge or push.rests):
        return NOBODY
    other = crew.occupant[best]
    if other != NOBODY and bodies[other]["row"] != NOWHERE and (bodies[other]["state"] == WAITS or not push.together):
        if is_bridge and bodies[agent]["held"]:  # all is full beyond: let others come out first
            bodies[agent]["fresh"] = True
        if _must_swap(push, crew, agent, other, here, best) and _can_swap(push, crew, best, here):
            return other
    for k in range(8 if push.rests else 0):
        # whoever wants to pass beyond the goal of `agent` goes first
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
    found = False
    for k in range(8):
        found = found or ((bits >> k) & 1 != 0 and here + offsets[k] == there)
    return found


@inner
def _must_swap(push, crew, pusher, puller, behind, ahead):
    """Whether `pusher`, at `behind`, would push `puller`, at `ahead`, the wrong way with no room to pass."""
    to_pusher, to_puller = push.bodies[pusher]["row"], push.bodies[puller]["row"]
    fields = push.fields
    for _ in range(fields.legal.size):
        if not distance(fields, to_pusher, ahead) < distance(fields, to_pusher, behind):
            break
        n, beyond = _exits(push, crew, ahead, behind)
        if n >= 2:
            return False
        if n == 0:
            break
        behind, ahead = ahead, beyond
    if not distance(fields, to_puller, behind) < distance(fields, to_puller, ahead):
        return False
    left = distance(fields, to_pusher, behind)
    return left == 0 or distance(fields, to_pusher, ahead) < left


@inner
def _can_swap(push, crew, ahead, behind):
    """Whether the one at `behind` can draw the one at `ahead` after it to a place where two can pass."""
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
    """How many ways lead out of `cell`, not counting that to `but` and dead ends with somebody at home; one of them."""
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
