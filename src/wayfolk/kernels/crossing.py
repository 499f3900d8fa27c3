"""The rule of crossing diagonals, for the referee and for controllers and planners that obey it beforehand.

Two agents cross if one begins a move along a diagonal of a 2 x 2 block of cells while another is on a move along its other
diagonal. The judge has its own code for this; see docs/judge.md for the whole rule.
"""

from wayfolk.compile.jit import inner

SOON = 1e-9
"""A move that is over by less than this is over: clocks add up small ticks."""


@inner
def diagonal(offsets, here, there):
    """The number of the move from `here` to `there` if it is diagonal (4 to 7), else 0."""
    for k in range(4, 8):
        if here + offsets[k] == there:
            return k
    return 0


@inner
def corners(offsets, cell, k):
    """The two cells beside diagonal move `k` from `cell`: the ends of the other diagonal of its block."""
    side = offsets[k - 4]  # south-east is 4 and south 1: the straight moves around a diagonal
    return cell + side, cell + offsets[k] - side


@inner
def is_under_way(agent, came, now):
    """Whether `agent` is still on a move from `came` at the time `now`. The end of a move is not part of it."""
    return agent["came"] == came and agent["ready"] > now + SOON
