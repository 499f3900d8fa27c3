"""The clock and the referee of a simulation, compiled: agents follow the routes they were given until somebody must think.

Both time models are one loop. Time goes by ticks; an agent is due when its last action is over. With ticks of 1 and
actions of 1 everybody acts in every step; with ticks of 0.03 and moves as long as they are far, a few act at a time.

All moves of a tick are judged together. A move is refused if it is not legal, leads to a cell that an earlier agent
claims, or that will not be empty, swaps two agents, or crosses a diagonal that is being walked. Following is allowed,
and so are rings of three or more where everybody acts at once. A refused agent stays, its route is dropped, and it may
act again at the next tick, or when the diagonal it would have crossed has been walked.

Keeps    `occupant[cell]` is the agent there, and two agents are never in one cell.
"""

import numpy as np

from wayfolk.kernels import random
from wayfolk.kernels.crew import N_ASKED, N_LOG, NOBODY, STAMP, TICK, note
from wayfolk.kernels.jit import inner, kernel
from wayfolk.kernels.mind import think
from wayfolk.record import ARRIVE, GOAL, MOVE, REFUSED

ASK, EVENT, LOG_FULL, FINISHED, OVER = range(5)
_EPS = 1e-9
_OPEN, _MOVES, _STAYS, _FAILS = range(4)  # verdicts


@kernel
def run(crew, log, mind, tick, loops, one_shot, rings, stop_tick, next_event):
    """Go on until the controller must be asked (ASK), an event is due, the log is full, all is done, or `stop_tick`."""
    agents, count = crew.agents, crew.counts
    while True:
        if count[TICK] >= stop_tick:
            return OVER
        now = count[TICK] * tick
        if next_event <= now + _EPS:
            return EVENT
        n_due, n_asked = 0, 0
        soonest = np.inf
        for number in range(agents.size):
            agent = agents[number]
            if not agent["present"] or agent["done"]:
                continue
            soonest = min(soonest, agent["ready"])
            if agent["ready"] <= now + _EPS:
                agents[n_due]["due"] = number
                n_due += 1
                if agent["at"] >= agent["n_route"]:
                    agent["at"] = agent["n_route"] = 0
                    if agent["ours"]:
                        crew.asked[n_asked] = number
                        n_asked += 1
                    else:
                        _wander(crew, number)
        count[N_ASKED] = n_asked
        if count[N_LOG] + 3 * n_due + n_asked > log.size:
            return LOG_FULL
        if n_asked > 0 and think(mind, crew, log, now) < n_asked:
            return ASK
        if n_due == 0:  # nobody acts for a while, or never again
            if soonest == np.inf:
                return FINISHED
            after = max(count[TICK] + 1, np.int64(np.ceil(soonest / tick - 1e-6)))
            if next_event < np.inf:
                after = min(after, max(count[TICK] + 1, np.int64(np.ceil(next_event / tick - 1e-6))))
            count[TICK] = min(after, stop_tick)
            continue
        _judge(crew, n_due, now, rings)
        _move(crew, log, n_due, now, tick, loops, one_shot)
        count[TICK] += 1
        if _is_over(agents, one_shot):
            return FINISHED


@inner
def _wander(crew, number):
    """An agent that is not ours goes to a random empty cell beside it, or waits."""
    here = crew.agents[number]["here"]
    chosen, n_choices = here, 1
    for k in range(8):
        if (crew.legal[here] >> k) & 1 and crew.occupant[here + crew.offsets[k]] == NOBODY:
            n_choices += 1
            if random.below(crew.luck, n_choices) == 0:
                chosen = here + crew.offsets[k]
    crew.route[number, 0] = chosen
    crew.agents[number]["n_route"] = 1


@inner
def _judge(crew, n_due, now, rings):
    """Decide who of the due agents may move."""
    agents, claimed = crew.agents, crew.claimed
    crew.counts[STAMP] += 1
    stamp = crew.counts[STAMP]
    for number in range(agents.size):
        agents[number]["verdict"] = _STAYS
    for k in range(n_due):
        number = agents[k]["due"]
        agent = agents[number]
        agent["want"] = crew.route[number, agent["at"]]
        if agent["want"] == agent["here"]:
            continue
        if not _is_step(crew, agent["here"], agent["want"]) or claimed[agent["want"]] == stamp:
            agent["verdict"] = _FAILS
        else:
            claimed[agent["want"]] = stamp
            agent["verdict"] = _OPEN
    for k in range(n_due):
        number = agents[k]["due"]
        if agents[number]["verdict"] == _OPEN and _meets(crew, number, now):
            agents[number]["verdict"] = _FAILS
    for k in range(n_due):
        # follow those who stand in the way until it is clear how it ends
        first = agents[k]["due"]
        length = 0
        ahead = first
        outcome = _OPEN
        while outcome == _OPEN:
            if agents[ahead]["verdict"] != _OPEN:
                outcome = _MOVES if agents[ahead]["verdict"] == _MOVES else _FAILS
                break
            agents[length]["chain"] = ahead
            length += 1
            agents[ahead]["verdict"] = _MOVES  # until shown otherwise
            ahead = crew.occupant[agents[ahead]["want"]]
            if ahead == NOBODY:
                outcome = _MOVES
            elif ahead == first:
                outcome = _MOVES if rings else _FAILS
        if outcome == _FAILS:
            for back in range(length):
                agents[agents[back]["chain"]]["verdict"] = _FAILS


@inner
def _is_step(crew, here, there):
    """Whether a legal move leads from `here` to `there`."""
    for k in range(8):
        if here + crew.offsets[k] == there:
            return (crew.legal[here] >> k) & 1 != 0
    return False


@inner
def _meets(crew, number, now):
    """Whether the move swaps with somebody, or crosses a diagonal walked now or begun before."""
    agents = crew.agents
    here, there = agents[number]["here"], agents[number]["want"]
    other = crew.occupant[there]
    if other != NOBODY and agents[other]["verdict"] == _OPEN and agents[other]["want"] == here:
        agents[other]["verdict"] = _FAILS
        return True
    for k in range(4, 8):
        if here + crew.offsets[k] != there:
            continue
        beside = here + crew.offsets[k - 4]
        across = there - crew.offsets[k - 4]
        for _ in range(2):
            other = crew.occupant[beside]
            if other != NOBODY:
                if agents[other]["verdict"] == _OPEN and agents[other]["want"] == across and other < number:
                    return True
                if agents[other]["came"] == across and agents[other]["ready"] > now + _EPS:
                    # nothing would be different at the next tick: it stands until the diagonal is free
                    agents[number]["came"], agents[number]["ready"] = here, agents[other]["ready"]
                    return True
            beside, across = across, beside
    return False


@inner
def _move(crew, log, n_due, now, tick, loops, one_shot):
    """Carry the verdicts out, those in front first, and write the log."""
    agents = crew.agents
    for k in range(n_due):
        number = agents[k]["due"]
        agent = agents[number]
        if agent["verdict"] == _FAILS:
            note(log, crew.counts, now, number, REFUSED, agent["want"])
            agent["refused"] = True
            agent["at"] = agent["n_route"] = 0
        elif agent["verdict"] == _STAYS:
            agent["ready"] = max(agent["ready"], now - tick) + crew.lasts[8]
            agent["came"] = agent["here"]
            agent["at"] += 1
    for k in range(n_due):
        number = agents[k]["due"]
        length = 0
        while number != NOBODY and agents[number]["verdict"] == _MOVES:
            agents[length]["chain"] = number
            length += 1
            agents[number]["verdict"] = _OPEN  # on the chain; also ends the walk around a ring
            number = crew.occupant[agents[number]["want"]]
        for back in range(length - 1, -1, -1):
            _enter(crew, log, agents[back]["chain"], now, tick, loops, one_shot)


@inner
def _enter(crew, log, number, now, tick, loops, one_shot):
    """Move one agent, and hand it its next goal if it has arrived."""
    agent = crew.agents[number]
    here, there = agent["here"], agent["want"]
    if crew.occupant[here] == number:
        crew.occupant[here] = NOBODY
    crew.occupant[there] = number
    lasts = crew.lasts[0]
    for k in range(4, 8):
        if here + crew.offsets[k] == there:
            lasts = crew.lasts[k]
    agent["came"], agent["here"] = here, there
    agent["ready"] = max(agent["ready"], now - tick) + lasts
    agent["at"] += 1
    agent["refused"] = False
    note(log, crew.counts, now, number, MOVE, there)
    if there != agent["goal"]:
        return
    note(log, crew.counts, now, number, ARRIVE, there)
    if one_shot:
        return
    agent["at"] = agent["n_route"] = 0
    if crew.pool.size > 0:
        agent["loop"] += 1
        while agent["goal"] == there and crew.pool.size > 1:
            agent["goal"] = crew.pool[random.below(crew.luck, crew.pool.size)]
    else:
        agent["leg"] += 1
        if agent["leg"] == crew.visits.shape[1]:
            agent["leg"] = 0
            agent["loop"] += 1
        if agent["loop"] >= loops:
            agent["done"] = True
            return
        agent["goal"] = crew.visits[number, agent["leg"]]
    note(log, crew.counts, now, number, GOAL, agent["goal"])


@inner
def _is_over(agents, one_shot):
    """Whether everybody who is there is done, or on the goal if there is only one."""
    for number in range(agents.size):
        agent = agents[number]
        if agent["present"] and not agent["done"]:
            if not one_shot or agent["here"] != agent["goal"]:
                return False
    return True
