"""The clock and the referee of a simulation, compiled: agents follow their routes until a controller must be asked.

All time models are one loop. Time goes by ticks; an agent is due when its last action is over. With ticks of 1 and
actions of 1 all agents act in every step; with ticks of 0.03 and moves that last as long as their length, a few at a time.
With `in_turns`, each agent has its turn in every tick, in the order of numbers: it plans if it must and acts, and those
after it see the result. Its move is refused if it is not legal or the cell is occupied, and diagonals may cross.

In the other two models all moves of a tick are judged together. A move is refused if it is not legal, leads to a cell that
an earlier agent claims, or that will not be empty, swaps two agents, or crosses a diagonal move under way. Following is
allowed, and so are rings of three or more where all agents act at once. A refused agent stays, its route is dropped, and it
may act again at the next tick, or when the diagonal move that it would have crossed has ended.

What differs between points on a square grid (`point_moves`) and all other worlds and bodies (`node_moves`) is chosen at
compile time for the class of the crew.

Two agents cross if one begins a move along a diagonal of a 2 x 2 block of cells while another is on a move along its
other diagonal. A move begins when its agent is ready, at most one tick before the tick at which it is logged. In the
`steps` model it lasts one step, in the `distance` model as long as its length. It ends earlier if its agent leaves. The
moment at which a move ends is not part of it: a crossing move may begin at that very tick. Of two moves that would begin at
the same tick, the second is refused.

Invariants  `occupant[place]` is the agent that holds a place, the cell of a point, and no place is held by two agents.
"""

import numpy as np

from wayfolk.compile.jit import inlined, inner, kernel, spliced
from wayfolk.kernels import random
from wayfolk.kernels.codes import ARRIVE, GOAL, MOVE, NOBODY, REFUSED, THOUGHT
from wayfolk.kernels.crew import N_ASKED, TICK, is_goal, wait
from wayfolk.kernels.crossing import SOON
from wayfolk.kernels.planning import plan_routes
from wayfolk.simulation import node_moves, point_moves  # noqa: F401  (they enter their functions)
from wayfolk.simulation.court import FAILS, MOVES, N_LOG, OPEN, STAYS, TURN
from wayfolk.simulation.crew_moves import go_over, in_the_way, is_clear, judge, stray, wait_lasts

ASK, EVENT, LOG_FULL, FINISHED, OVER = range(5)


@kernel
def run(crew, court, log, arrays, rules, stop_tick, next_event):
    """Run until Python must plan (ASK), an event is due, the log is full, all agents are done, or `stop_tick`."""
    agents, answers, states, count = crew.agents, crew.answers, court.states, crew.counts
    tick = rules.tick
    while True:
        if count[TICK] >= stop_tick:
            return OVER
        now = count[TICK] * tick
        if next_event <= now + SOON and court.counts[TURN] == 0:
            return EVENT
        n_due, n_asked = 0, 0
        soonest = np.inf
        for number in range(court.counts[TURN], agents.size):
            agent = agents[number]
            if not agent["present"] or agent["done"]:
                continue
            if rules.in_turns:
                if court.counts[N_LOG] + 4 > log.size:
                    return LOG_FULL
                if _has_nowhere_to_go(crew, court, log, number, now, rules):
                    court.counts[TURN] = number + 1
                    continue
            soonest = min(soonest, agent["ready"])
            if agent["ready"] <= now + SOON:
                states[n_due]["due"] = number
                n_due += 1
                if answers[number]["at"] >= answers[number]["n_route"]:
                    answers[number]["at"] = answers[number]["n_route"] = 0
                    if agent["ours"]:
                        crew.asked[n_asked] = number
                        n_asked += 1
                    elif states[number]["held"]:
                        wait(crew, number, 1)
                    else:
                        _wander(crew, court, number)
                if rules.in_turns:
                    court.counts[TURN] = number
                    break
        count[N_ASKED] = n_asked
        if court.counts[N_LOG] + 3 * n_due + n_asked > log.size:
            return LOG_FULL
        if n_asked > 0:
            n_served = plan_routes(arrays, crew, log[: court.counts[N_LOG]], now)
            _write_thoughts(crew, court, log, now)
            if n_served < n_asked:
                return ASK
        if rules.in_turns:
            if n_due > 0:
                _act(crew, court, log, court.counts[TURN], now, rules)
                court.counts[TURN] += 1
            if n_due == 0 or court.counts[TURN] == agents.size:
                court.counts[TURN] = 0
                count[TICK] += 1
                if _is_over(crew, states, rules.one_shot):
                    return FINISHED
            continue
        if n_due == 0:  # no agent acts for a while, or ever again
            if soonest == np.inf:
                return FINISHED
            after = max(count[TICK] + 1, np.int64(np.ceil(soonest / tick - 1e-6)))
            if next_event < np.inf:
                after = min(after, max(count[TICK] + 1, np.int64(np.ceil(next_event / tick - 1e-6))))
            count[TICK] = min(after, stop_tick)
            continue
        judge(crew, court, n_due, now, rules.rings)
        _move(crew, court, log, n_due, now, rules)
        count[TICK] += 1
        if _is_over(crew, states, rules.one_shot):
            return FINISHED


@inner
def _note(court, log, now, agent, kind, cell):
    """Write a row of the log; there must be room."""
    row = log[court.counts[N_LOG]]
    row["time"], row["agent"], row["kind"], row["cell"] = now, agent, kind, cell
    court.counts[N_LOG] += 1


@inner
def _write_thoughts(crew, court, log, now):
    """Write to the log which agents have planned, and how many nodes they expanded."""
    for k in range(crew.counts[N_ASKED]):
        answer = crew.answers[crew.asked[k]]
        if answer["planned"]:
            _note(court, log, now, crew.asked[k], THOUGHT, answer["spent"])
            answer["spent"], answer["planned"] = 0, False


@inner
def _wander(crew, court, number):
    """An agent that no controller moves goes to a random empty cell beside it, or waits."""
    wait(crew, number, 1)
    crew.route[number, 0] = stray(crew, court, number)


@inner
def _move(crew, court, log, n_due, now, rules):
    """Carry out the verdicts, the agents in front first, and write the log."""
    agents, states = crew.agents, court.states
    for k in range(n_due):
        number = states[k]["due"]
        agent, answer = agents[number], crew.answers[number]
        if states[number]["verdict"] == FAILS:
            _note(court, log, now, number, REFUSED, states[number]["want"])
            agent["refused"] = True
            answer["at"] = answer["n_route"] = 0
        elif states[number]["verdict"] == STAYS:
            agent["ready"] = max(agent["ready"], now - rules.tick) + wait_lasts(crew)
            agent["came"] = agent["here"]
            answer["at"] += 1
    for k in range(n_due):
        number = states[k]["due"]
        length = 0
        while number != NOBODY and states[number]["verdict"] == MOVES:
            states[length]["chain"] = number
            length += 1
            states[number]["verdict"] = OPEN  # on the chain; also ends the walk around a ring
            number = in_the_way(crew, states[number]["want"])
        for back in range(length - 1, -1, -1):
            _enter(crew, court, log, states[back]["chain"], now, rules)


@inner
def _act(crew, court, log, number, now, rules):
    """Let one agent take its turn."""
    agent, answer = crew.agents[number], crew.answers[number]
    here, there = agent["here"], crew.route[number, answer["at"]]
    court.states[number]["want"] = there
    if there == here:
        agent["ready"], agent["came"] = now + rules.tick, here
        answer["at"] += 1
    elif not is_clear(crew, court, number, there):
        _note(court, log, now, number, REFUSED, there)
        agent["refused"] = True
        answer["at"] = answer["n_route"] = 0
    else:
        _enter(crew, court, log, number, now, rules)


@inner
def _has_nowhere_to_go(crew, court, log, number, now, rules):
    """Whether a patrol of one cell only has used up its turn: it arrives where it is."""
    agent = crew.agents[number]
    is_there = is_goal(crew, agent["here"], agent["goal"])
    if not is_there or rules.one_shot or court.pool.size > 0 or not agent["ours"]:
        return False
    _arrive(crew, court, log, number, now, rules)
    return True


@inlined
def _enter(crew, court, log, number, now, rules):
    """Move one agent, and let it arrive if that is its goal."""
    agent, answer, state = crew.agents[number], crew.answers[number], court.states[number]
    here, there = agent["here"], state["want"]
    lasts = go_over(crew, number, there)
    agent["came"], agent["here"] = here, there
    agent["ready"] = max(agent["ready"], now - rules.tick) + lasts
    answer["at"] += 1
    agent["refused"] = False
    _note(court, log, now, number, MOVE, there)
    if is_goal(crew, there, agent["goal"]) and not state["held"]:
        _arrive(crew, court, log, number, now, rules)


@kernel
def arrive(crew, court, log, number, now, rules):
    """Let an agent that was put on its goal arrive there; the log must have room for two rows."""
    _arrive(crew, court, log, number, now, rules)


@inner
def _arrive(crew, court, log, number, now, rules):
    """Note that an agent has reached its goal, and hand it the next one."""
    agent, answer, state = crew.agents[number], crew.answers[number], court.states[number]
    _note(court, log, now, number, ARRIVE, agent["goal"])
    if rules.one_shot:
        return
    answer["at"] = answer["n_route"] = 0
    if court.pool.size > 0:
        _next_task(court, agent, state, agent["goal"], court.visits[number])
    else:
        state["leg"] += 1
        if state["leg"] == court.visits.shape[1]:
            state["leg"] = 0
            state["loop"] += 1
        if state["loop"] >= rules.loops:
            agent["done"] = True
            return
        agent["goal"] = court.visits[number, state["leg"]]
    _note(court, log, now, number, GOAL, agent["goal"])


@inner
def _next_task(court, agent, state, here, first):
    """Draw the next goal of an agent that has reached a place of its task, other than `here` if there is a choice."""
    is_loaded = court.drops.size > 0 and state["leg"] == 0
    if is_loaded:
        state["leg"] = 1
        agent["goal"] = first[1] if state["loop"] == 0 else here
    else:
        state["leg"] = 0
        state["loop"] += 1
    size = court.drops.size if is_loaded else court.pool.size
    while agent["goal"] == here and size > 1:
        spot = random.below(court.luck, size)
        agent["goal"] = court.drops[spot] if is_loaded else court.pool[spot]
    if size == 1:
        agent["goal"] = court.drops[0] if is_loaded else court.pool[0]


@spliced
def _is_over(crew, states, one_shot):
    """Whether every present agent is done, or on its goal if each has only one; agents that are held do not count."""
    for number in range(crew.agents.size):
        agent = crew.agents[number]
        if agent["present"] and not agent["done"] and not states[number]["held"]:
            if not one_shot or not is_goal(crew, agent["here"], agent["goal"]):
                return False
    return True
