"""The actions of a plan, carried out in the order that their dependencies fix, with delays.

An action is a move of one agent. It may begin when the action before it of the same agent is done, when the agent that was
in its cell before has left (`after`), and when an earlier move on the other diagonal of its block is done (`crosses`). A
ring of agents that follow each other moves as one.

Invariants  agents enter every cell in the order of the plan, so no two are in one cell and no two swap; moves on the two
            diagonals of a block are never in one step.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import random
from wayfolk.kernels.codes import NOBODY

_OPEN, _LANDS, _STAYS = range(3)  # verdicts
ROW, LEFT = range(2)  # places in `ActionProgress.counts`: the last row written, the agents that are not done


class ActionGraph(NamedTuple):
    """Actions, sorted by agent and step: those of agent a are from `first[a]` up to `first[a + 1]`.

    `after` and `crosses` are numbers of actions, `ring` is the number of a ring; NOBODY for none. No action ends before the
    step `earliest`.
    """

    agent: NDArray[np.int32]
    there: NDArray[np.int32]
    after: NDArray[np.int32]
    crosses: NDArray[np.int32]
    ring: NDArray[np.int32]
    first: NDArray[np.int64]
    duration: NDArray[np.int32]
    earliest: NDArray[np.int32]


class ActionProgress(NamedTuple):
    """How far the agents are: `next` action, steps spent on it, and the same for rings; `landed` is when actions ended."""

    next: NDArray[np.int64]
    spent: NDArray[np.int32]
    verdict: NDArray[np.uint8]
    chain: NDArray[np.int32]
    ring_size: NDArray[np.int32]
    ring_ready: NDArray[np.int32]
    ring_lasts: NDArray[np.int32]
    ring_spent: NDArray[np.int32]
    landed: NDArray[np.int32]
    luck: NDArray[np.uint64]
    counts: NDArray[np.int64]


@kernel
def find_rings(after, step, seen, ring):
    """Number the rings: actions of one step, each of which follows the next; return how many there are."""
    n_rings = 0
    for first in range(after.size):
        action, walk = first, first + 1
        while seen[action] == 0:
            seen[action] = walk
            if after[action] == NOBODY or step[after[action]] != step[action]:
                break
            action = after[action]
        else:
            if seen[action] == walk:
                while ring[action] == NOBODY:
                    ring[action] = n_rings
                    action = after[action]
                n_rings += 1
    return n_rings


@kernel
def carry_out(graph, progress, delay, follow, cells):
    """Let steps pass until all actions are done or `cells` is full; return whether they are done."""
    counts = progress.counts
    while counts[LEFT] > 0:
        if counts[ROW] + 1 == cells.shape[0]:
            return False
        _judge(graph, progress, delay, follow)
        row = counts[ROW] + 1
        for agent in range(progress.next.size):
            cells[row, agent] = cells[row - 1, agent]
            if progress.verdict[agent] == _LANDS:
                action = progress.next[agent]
                cells[row, agent] = graph.there[action]
                progress.landed[action] = row
                progress.next[agent] += 1
                progress.spent[agent] = 0
                if progress.next[agent] == graph.first[agent + 1]:
                    counts[LEFT] -= 1
        counts[ROW] = row
    return True


@inner
def _judge(graph, progress, delay, follow):
    """Decide for every agent whether its next action ends in this step."""
    progress.ring_ready[:] = 0
    for agent in range(progress.next.size):
        action = progress.next[agent]
        progress.verdict[agent] = _STAYS
        if action == graph.first[agent + 1] or graph.earliest[action] > progress.counts[ROW] + 1:
            continue
        if delay[agent] > 0.0 and random.uniform(progress.luck) < delay[agent]:
            continue
        if graph.crosses[action] != NOBODY and not _is_done(graph, progress, graph.crosses[action]):
            continue
        progress.verdict[agent] = _OPEN
        if graph.ring[action] != NOBODY:
            progress.ring_ready[graph.ring[action]] += 1
    _judge_rings(graph, progress)
    for agent in range(progress.next.size):
        if progress.verdict[agent] == _OPEN:
            _judge_chain(graph, progress, follow, agent)


@inner
def _judge_rings(graph, progress):
    """A ring goes on if no member is delayed or late, and ends its move when the slowest member's duration is over."""
    for ring in range(progress.ring_size.size):
        if progress.ring_ready[ring] == progress.ring_size[ring]:
            progress.ring_spent[ring] += 1
    for agent in range(progress.next.size):
        if progress.verdict[agent] == _OPEN:
            ring = graph.ring[progress.next[agent]]
            if ring != NOBODY:
                ends = (
                    progress.ring_ready[ring] == progress.ring_size[ring]
                    and progress.ring_spent[ring] >= progress.ring_lasts[ring]
                )
                progress.verdict[agent] = _LANDS if ends else _STAYS


@inner
def _judge_chain(graph, progress, follow, agent):
    """Judge `agent`, and before it those whom it follows closely."""
    n, chain = 1, progress.chain
    chain[0] = agent
    while n > 0:
        one = chain[n - 1]
        action = progress.next[one]
        earlier = graph.after[action]
        may = progress.spent[one] > 0 or earlier == NOBODY or _is_done(graph, progress, earlier)
        if not may and follow:
            other = graph.agent[earlier]
            if progress.next[other] == earlier:
                if progress.verdict[other] == _OPEN:
                    chain[n] = other
                    n += 1
                    continue
                may = progress.verdict[other] == _LANDS
        progress.verdict[one] = _STAYS
        if may:
            progress.spent[one] += 1
            if progress.spent[one] >= graph.duration[action]:
                progress.verdict[one] = _LANDS
        n -= 1


@inner
def _is_done(graph, progress, action):
    return action < progress.next[graph.agent[action]]


@kernel
def leave_late(follower, crosser, may_wait, landed):
    """Put off the actions in `may_wait` for as long as no other action has to wait for them; return whether one was.

    `follower` and `crosser` are the actions whose `after` and `crosses` an action is. `landed` is changed.
    """
    has_changed = False
    for action in range(landed.size - 1, -1, -1):
        if not may_wait[action]:
            continue
        latest = landed[action + 1] - 1  # of the same agent: the last action of an agent is not in `may_wait`
        if follower[action] != NOBODY:
            latest = min(latest, landed[follower[action]])
        if crosser[action] != NOBODY:
            latest = min(latest, landed[crosser[action]] - 1)
        if latest > landed[action]:
            landed[action] = latest
            has_changed = True
    return has_changed
