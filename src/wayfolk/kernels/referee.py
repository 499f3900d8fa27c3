"""The clock and the referee of a simulation, compiled: agents follow the routes they were given until somebody must think.

Both time models are one loop. Time goes by ticks; an agent is due when its last action is over. With ticks of 1 and
actions of 1 everybody acts in every step; with ticks of 0.03 and moves as long as they are far, a few act at a time.

All moves of a tick are judged together. A move is refused if it is not legal, leads to a cell that an earlier agent
claims, or that will not be empty, swaps two agents, or crosses a diagonal that is being walked. Following is allowed,
and so are rings of three or more where everybody acts at once. A refused agent stays, its route is dropped, and it may
act again at the next tick.

Keeps    `occupant[cell]` is the agent there, and two agents are never in one cell.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels import random
from wayfolk.kernels.crew import N_ASKED, N_LOG, NOBODY, STAMP, TICK, note
from wayfolk.kernels.jit import kernel
from wayfolk.kernels.mind import think
from wayfolk.record import ARRIVE, GOAL, MOVE, REFUSED

ASK, EVENT, LOG_FULL, FINISHED, OVER = range(5)
_EPS = 1e-9
_OPEN, _MOVES, _STAYS, _FAILS = range(4)  # verdicts


class Scratch(NamedTuple):
    """Working memory of a tick."""

    due: NDArray[np.int32]
    want: NDArray[np.int32]
    verdict: NDArray[np.uint8]
    claimed: NDArray[np.int64]
    chain: NDArray[np.int32]


@kernel
def run(crew, scratch, log, mind, tick, loops, one_shot, rings, stop_tick, next_event):
    """Go on until the controller must be asked (ASK), an event is due, the log is full, all is done, or `stop_tick`."""
    count, n = crew.count, crew.here.size
    while True:
        if count[TICK] >= stop_tick:
            return OVER
        now = count[TICK] * tick
        if next_event <= now + _EPS:
            return EVENT
        n_due, n_asked = 0, 0
        soonest = np.inf
        for agent in range(n):
            if not crew.present[agent] or crew.done[agent]:
                continue
            soonest = min(soonest, crew.ready[agent])
            if crew.ready[agent] <= now + _EPS:
                scratch.due[n_due] = agent
                n_due += 1
                if crew.at[agent] >= crew.n_route[agent]:
                    crew.at[agent] = crew.n_route[agent] = 0
                    if crew.ours[agent]:
                        crew.asked[n_asked] = agent
                        n_asked += 1
                    else:
                        _wander(crew, agent)
        count[N_ASKED] = n_asked
        if count[N_LOG] + 3 * n_due + n_asked > log.time.size:
            return LOG_FULL
        if n_asked > 0 and think(mind, crew, log, now) < n_asked:
            return ASK
        if n_due == 0:  # nobody acts for a while, or never again
            if soonest == np.inf:
                return FINISHED
            count[TICK] = max(count[TICK] + 1, np.int64(np.ceil(soonest / tick - 1e-6)))
            continue
        _judge(crew, scratch, n_due, now, rings)
        _move(crew, scratch, log, n_due, now, tick, loops, one_shot)
        count[TICK] += 1
        if _is_over(crew, one_shot):
            return FINISHED


@kernel
def _wander(crew, agent):
    """An agent that is not ours goes to a random empty cell beside it, or waits."""
    here = crew.here[agent]
    chosen, n_choices = here, 1
    for k in range(8):
        if (crew.legal[here] >> k) & 1 and crew.occupant[here + crew.offsets[k]] == NOBODY:
            n_choices += 1
            if random.below(crew.luck, n_choices) == 0:
                chosen = here + crew.offsets[k]
    crew.route[agent, 0] = chosen
    crew.n_route[agent] = 1


@kernel
def _judge(crew, scratch, n_due, now, rings):
    """Decide who of the due agents may move."""
    crew.count[STAMP] += 1
    n = crew.here.size
    stamp = crew.count[STAMP] * n  # claims of earlier ticks are smaller
    want, verdict, claimed = scratch.want, scratch.verdict, scratch.claimed
    verdict[:] = _STAYS
    for k in range(n_due):
        agent = scratch.due[k]
        want[agent] = crew.route[agent, crew.at[agent]]
        if want[agent] == crew.here[agent]:
            continue
        if not is_step(crew, crew.here[agent], want[agent]) or claimed[want[agent]] >= stamp:
            verdict[agent] = _FAILS
        else:
            claimed[want[agent]] = stamp + agent
            verdict[agent] = _OPEN
    for k in range(n_due):
        agent = scratch.due[k]
        if verdict[agent] == _OPEN and _meets(crew, scratch, agent, now):
            verdict[agent] = _FAILS
    for k in range(n_due):
        # follow those who stand in the way until it is clear how it ends
        agent = scratch.due[k]
        length = 0
        ahead = agent
        outcome = _OPEN
        while outcome == _OPEN:
            if verdict[ahead] != _OPEN:
                outcome = _MOVES if verdict[ahead] == _MOVES else _FAILS
                break
            scratch.chain[length] = ahead
            length += 1
            verdict[ahead] = _MOVES  # until shown otherwise; marks the ring if we come back
            ahead = crew.occupant[want[ahead]]
            if ahead == NOBODY:
                outcome = _MOVES
            elif ahead == agent:
                outcome = _MOVES if rings else _FAILS
        if outcome == _FAILS:
            for back in range(length):
                verdict[scratch.chain[back]] = _FAILS


@kernel
def is_step(crew, here, there):
    """Whether a legal move leads from `here` to `there`."""
    for k in range(8):
        if here + crew.offsets[k] == there:
            return (crew.legal[here] >> k) & 1 != 0
    return False


@kernel
def _meets(crew, scratch, agent, now):
    """Whether the move swaps with somebody, or crosses a diagonal walked now or begun before."""
    here, there = crew.here[agent], scratch.want[agent]
    other = crew.occupant[there]
    if other != NOBODY and scratch.verdict[other] == _OPEN and scratch.want[other] == here:
        scratch.verdict[other] = _FAILS
        return True
    for k in range(4, 8):
        if here + crew.offsets[k] != there:
            continue
        beside = here + crew.offsets[k - 4]
        across = there - crew.offsets[k - 4]
        for _ in range(2):
            other = crew.occupant[beside]
            if other != NOBODY:
                if scratch.verdict[other] == _OPEN and scratch.want[other] == across and other < agent:
                    return True
                if crew.came[other] == across and crew.ready[other] > now + _EPS:
                    return True
            beside, across = across, beside
    return False


@kernel
def _move(crew, scratch, log, n_due, now, tick, loops, one_shot):
    """Carry the verdicts out, those in front first, and write the log."""
    count, verdict = crew.count, scratch.verdict
    for k in range(n_due):
        agent = scratch.due[k]
        if verdict[agent] == _FAILS:
            note(log, count, now, agent, REFUSED, scratch.want[agent])
            crew.refused[agent] = True
            crew.at[agent] = crew.n_route[agent] = 0
        elif verdict[agent] == _STAYS:
            crew.ready[agent] = max(crew.ready[agent], now - tick) + crew.lasts[8]
            crew.came[agent] = crew.here[agent]
            crew.at[agent] += 1
    for k in range(n_due):
        agent = scratch.due[k]
        length = 0
        while agent != NOBODY and verdict[agent] == _MOVES:
            scratch.chain[length] = agent
            length += 1
            verdict[agent] = _OPEN  # on the chain; also ends the walk around a ring
            agent = crew.occupant[scratch.want[agent]]
        for back in range(length - 1, -1, -1):
            _enter(crew, scratch, log, scratch.chain[back], now, tick, loops, one_shot)


@kernel
def _enter(crew, scratch, log, agent, now, tick, loops, one_shot):
    """Move one agent, and hand it its next goal if it has arrived."""
    here, there = crew.here[agent], scratch.want[agent]
    if crew.occupant[here] == agent:
        crew.occupant[here] = NOBODY
    crew.occupant[there] = agent
    lasts = crew.lasts[0]
    for k in range(4, 8):
        if here + crew.offsets[k] == there:
            lasts = crew.lasts[k]
    crew.came[agent], crew.here[agent] = here, there
    crew.ready[agent] = max(crew.ready[agent], now - tick) + lasts
    crew.at[agent] += 1
    note(log, crew.count, now, agent, MOVE, there)
    if there != crew.goal[agent]:
        return
    note(log, crew.count, now, agent, ARRIVE, there)
    if one_shot:
        return
    crew.at[agent] = crew.n_route[agent] = 0
    if crew.pool.size > 0:
        crew.loop[agent] += 1
        while crew.goal[agent] == there and crew.pool.size > 1:
            crew.goal[agent] = crew.pool[random.below(crew.luck, crew.pool.size)]
    else:
        crew.leg[agent] += 1
        if crew.leg[agent] == crew.visits.shape[1]:
            crew.leg[agent] = 0
            crew.loop[agent] += 1
        if crew.loop[agent] >= loops:
            crew.done[agent] = True
            return
        crew.goal[agent] = crew.visits[agent, crew.leg[agent]]
    note(log, crew.count, now, agent, GOAL, crew.goal[agent])


@kernel
def _is_over(crew, one_shot):
    """Whether everybody who is there is done, or on the goal if there is only one."""
    for agent in range(crew.here.size):
        if crew.present[agent] and not crew.done[agent]:
            if not one_shot or crew.here[agent] != crew.goal[agent]:
                return False
    return True
