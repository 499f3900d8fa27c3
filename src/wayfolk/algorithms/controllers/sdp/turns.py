"""Turns at the entrances of lanes: agents that cannot enter soon wait where they are, not in front of the lane.

Each entrance has a clock. It advances by one in each tick, but in every second tick only while QUEUE or more agents wait
whose turn has come. The room books a time by this clock for each agent on its way to the entrance: the time at which the
agent would arrive, or the next one that is not booked. The agent stays where it is until it has to set out. An agent that
waits plans nothing, and does not stand in the way before the entrance.

Invariants  a room books for its own agents only, and reads nothing of other areas. A clock never stands still, so agents
            that cannot go on do not keep others from setting out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner

AHEAD = 1024  # ticks for which turns can be booked
EARLY = 8  # ticks by which agents set out too early, so that some are always there
LATER = 32  # ticks after which an agent that found all turns booked asks again
QUEUE = 8  # agents whose turn has come, for which the clock slows down
SLOWEST = 2  # ticks that a slow clock takes to advance by one; in as many ticks one agent can enter by each cell
CLOCK = np.dtype([("time", np.int64), ("n_due", np.int64)], align=True)


class TurnArrays(NamedTuple):
    """`booked[link, time % AHEAD]` is the time if it is booked; the clocks of links count those whose turn has come."""

    booked: NDArray[np.int64]
    clocks: NDArray[np.void]


def new_turns(n_links: int) -> TurnArrays:
    """Nothing is booked."""
    return TurnArrays(np.zeros((n_links, AHEAD), np.int64), np.zeros(n_links, CLOCK))


@inner
def let_pass(turns, now):
    """Let the clocks go on by a tick."""
    for link in range(turns.clocks.size):
        clock = turns.clocks[link]
        if clock["n_due"] < QUEUE or now % SLOWEST == 0:
            clock["time"] += 1
            if turns.booked[link, clock["time"] % AHEAD] == clock["time"]:
                clock["n_due"] += 1


@inner
def book(turns, state, link, distance):
    """Book a turn for an agent that is so many moves away from the entrance `link`, if it has none."""
    clock = turns.clocks[link]["time"]
    state["distance"] = distance
    time = clock + distance
    while state["turn"] == 0 and time < clock + AHEAD:
        if turns.booked[link, time % AHEAD] != time:
            turns.booked[link, time % AHEAD] = state["turn"] = time
            state["link"] = link
        time += 1


@inner
def is_to_wait(turns, state, now):
    """Whether it is too early to set out; if so, the agent looks again when it may be time."""
    if state["turn"] == 0:
        state["retry"] = now + LATER
        return True
    wait = state["turn"] - EARLY - state["distance"] - turns.clocks[state["link"]]["time"]
    if wait > 0:
        state["retry"] = now + wait
    return wait > 0


@inner
def give_up_turn(turns, state):
    """Let the turn of an agent, if it has one, be nobody's: it enters, or goes elsewhere."""
    if state["turn"] > 0:
        clock = turns.clocks[state["link"]]
        if state["turn"] <= clock["time"]:
            clock["n_due"] -= 1
        else:
            turns.booked[state["link"], state["turn"] % AHEAD] = 0
    state["turn"], state["set_out"] = 0, False
