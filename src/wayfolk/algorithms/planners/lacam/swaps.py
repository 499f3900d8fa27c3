"""The swap of two agents that cannot pass each other: one of them steps back and pulls the other after it.

Okumura, "Improving LaCAM for scalable eventually optimal multi-agent pathfinding", 2023. Functions read the arrays of a
generator (`pibt`).
"""

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE


@inner
def partner_of(gen, agent, here, best):
    """The agent with which `agent` has to change places, if it can step back for that; or NOBODY."""
    if best == here:
        return NOBODY
    other = gen.now[best]
    if other != NOBODY and gen.there[other] == NOWHERE:
        if _must_swap(gen, agent, other, here, best) and _can_swap(gen, best, here):
            return other
    for k in range(gen.spots.degree[here]):  # an agent that wants to pass beyond the goal of `agent` goes first
        spot = gen.spots.near[here, k]
        other = gen.now[spot]
        if other != NOBODY and spot != best:
            if _must_swap(gen, other, agent, here, best) and _can_swap(gen, best, here):
                return other
    return NOBODY


@inner
def _must_swap(gen, pusher, puller, behind, ahead):
    """Whether `pusher`, at `behind`, would push `puller`, at `ahead`, the wrong way with no room to pass."""
    to_pusher, to_puller = gen.steps[pusher], gen.steps[puller]
    while to_pusher[ahead] < to_pusher[behind]:
        n, beyond = _exits(gen, ahead, behind)
        if n >= 2:
            return False
        if n == 0:
            break
        behind, ahead = ahead, beyond
    if to_puller[behind] >= to_puller[ahead]:
        return False
    return to_pusher[behind] == 0 or to_pusher[ahead] < to_pusher[behind]


@inner
def _can_swap(gen, ahead, behind):
    """Whether the agent at `behind` can pull the agent at `ahead` to a spot where two can pass."""
    begun = ahead
    while behind != begun:
        n, beyond = _exits(gen, behind, ahead)
        if n >= 2:
            return True
        if n == 0:
            return False
        ahead, behind = behind, beyond
    return False


@inner
def _exits(gen, spot, but):
    """How many exits `spot` has, and the last of them.

    Not counted are the exit to `but`, and dead ends in which an agent stands on its goal.
    """
    spots = gen.spots
    n, beyond = 0, spot
    for k in range(spots.degree[spot]):
        other = spots.near[spot, k]
        if other == but:
            continue
        if spots.degree[other] == 1 and gen.now[other] != NOBODY and gen.goals[gen.now[other]] == other:
            continue
        n += 1
        beyond = other
    return n, beyond
