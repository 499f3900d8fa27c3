"""Neighbourhoods: which agents to replan next.

For plans with collisions, as in MAPF-LNS2: agents that collide with each other, directly or through others; an agent that
collides, those whose goals its path crosses and those that cross its goal; random agents, colliding ones more often.

For plans without collisions, as in MAPF-LNS: agents in the way of a delayed one, found by random walks from its path that
could make it arrive earlier; agents that visit a crossing and the nodes around it at about the same time; random agents;
random agents in proportion to their delays; a delayed agent and those that cross its goal last. If the makespan is to
become less, an agent that arrives last, and those in its way or those that cross its goal last.

The method is drawn by what it has gained by expansion lately, and so is, without collisions, how many agents are replanned
and how greedy their searches are.

Invariants  members are different agents, at most as many as there are spare rows.
"""

import numpy as np

from wayfolk.algorithms.planners._sipp.collisions import meet, meet_on_move, meet_visitors, note_met
from wayfolk.algorithms.planners._sipp.fleet import (
    BY_MAKESPAN,
    COUNTING,
    EFFORT,
    LONGEST,
    METHOD,
    MOST_MEMBERS,
    N_MEMBERS,
    SCALE,
    SEEN,
    STAMP,
    TABU,
    arrival,
    cell_at,
)
from wayfolk.algorithms.planners._sipp.moves import n_places, place, slots, target
from wayfolk.algorithms.planners._sipp.traffic import LAST, begun
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.distances import UNREACHED, steps_between
from wayfolk.kernels.random import below, shuffle, uniform

LEAST_SHARE = 0.03
WALKS = 10  # random walks before a neighbourhood stays smaller than it could be


@inner
def choose(fleet):
    """Choose a method and, by it, `members`; there may be none."""
    counts = fleet.counts
    counts[STAMP] += 1
    counts[N_MEMBERS] = 0
    counts[METHOD] = _drawn(fleet, fleet.methods)
    counts[EFFORT], counts[SCALE] = _drawn(fleet, fleet.efforts), _drawn(fleet, fleet.scales)
    counts[MOST_MEMBERS] = fleet.spare.size if counts[COUNTING] else fleet.spare.size >> counts[SCALE]
    leading = 0  # members that plan first; the others are in random order
    if counts[COUNTING]:
        if counts[METHOD] == 0:
            _colliding(fleet)
        elif counts[METHOD] == 1:
            _around_goal(fleet)
        else:
            _weighted(fleet, False)
    elif counts[BY_MAKESPAN]:
        leading = 1
        if counts[METHOD] < 4:
            _last_and_others(fleet)
        else:
            _across_goal(fleet, _one_of_the_last(fleet))
    elif counts[METHOD] == 0:
        _delayed_and_others(fleet)
    elif counts[METHOD] == 1:
        _around_crossing(fleet)
    elif counts[METHOD] == 2:
        _any(fleet)
    elif counts[METHOD] == 3:
        _weighted(fleet, True)
    else:
        _across_goal(fleet, _one_by_weight(fleet, True))
        leading = 1
    shuffle(fleet.random, fleet.members[leading : counts[N_MEMBERS]])


@inner
def _drawn(fleet, arms):
    """One of `arms`, such that the expansions for it are in proportion to the square of its gain by expansion."""
    squares = 1e-12
    for k in range(len(arms)):
        squares += (arms[k, 0] / arms[k, 1]) ** 2
    total = 0.0
    for k in range(len(arms)):
        total += _share(arms[k], squares)
    rest = uniform(fleet.random) * total
    for k in range(len(arms)):
        rest -= _share(arms[k], squares)
        if rest < 0:
            return k
    return len(arms) - 1


@inner
def _share(arm, squares):
    """How often to draw an arm; it gets at least LEAST_SHARE of the expansions."""
    return ((arm[0] / arm[1]) ** 2 + LEAST_SHARE * squares) / arm[1]


@inner
def _join(fleet, agent):
    """Make `agent` a member, if it is none and there is room."""
    runner, counts = fleet.runners[agent], fleet.counts
    if runner["chosen"] != counts[STAMP] and counts[N_MEMBERS] < counts[MOST_MEMBERS]:
        runner["chosen"] = counts[STAMP]
        fleet.members[counts[N_MEMBERS]] = agent
        counts[N_MEMBERS] += 1


@inner
def _join_met(fleet, n):
    """Make the first `n` agents of `met` members, in random order, as long as there is room."""
    shuffle(fleet.random, fleet.met[:n])
    for k in range(n):
        _join(fleet, fleet.met[k])


@inner
def _is_full(fleet):
    return fleet.counts[N_MEMBERS] >= min(fleet.counts[MOST_MEMBERS], fleet.runners.size)


@inner
def _one_that_collides(fleet):
    """A random agent that collides with another."""
    n = 0
    for agent in range(fleet.runners.size):
        if fleet.runners[agent]["n"] > 0:
            n += 1
    n = below(fleet.random, n)
    for agent in range(fleet.runners.size):
        if fleet.runners[agent]["n"] > 0:
            if n == 0:
                return agent
            n -= 1
    return 0


@inner
def _colliding(fleet):
    """Agents that collide, directly or through others; then those that members meet on random walks."""
    _join(fleet, _one_that_collides(fleet))
    k = 0
    while k < fleet.counts[N_MEMBERS] and not _is_full(fleet):
        agent = fleet.members[k]
        _join_met(fleet, meet(fleet, agent, fleet.runners[agent]["row"]))
        k += 1
    _fill(fleet)


@inner
def _around_goal(fleet):
    """An agent that collides, those that rest on its path, and those that cross its goal."""
    agent = _one_that_collides(fleet)
    runner, table = fleet.runners[agent], fleet.visits
    _join(fleet, agent)
    n = meet(fleet, agent, runner["row"])
    for k in range(n_places(table, runner["goal"])):
        span = table.spans[place(table, runner["goal"], k)]
        for j in range(span["first"], span["first"] + span["n"]):
            n = note_met(fleet, table.visits[j]["agent"], n)
    for k in range(fleet.sizes[runner["row"]]):
        node = fleet.paths[runner["row"], k]["cell"]
        for p in range(n_places(table, node)):
            span = table.spans[place(table, node, p)]
            if span["n"] > 0 and table.visits[span["first"] + span["n"] - 1]["reach"] == LAST:
                for j in range(span["first"], span["first"] + span["n"]):
                    if table.visits[j]["end"] == LAST:
                        n = note_met(fleet, table.visits[j]["agent"], n)
    _join_met(fleet, n)
    _fill(fleet)


@inner
def _fill(fleet):
    """Add agents that members meet on random walks from their paths."""
    for _ in range(WALKS * fleet.counts[MOST_MEMBERS]):
        if _is_full(fleet):
            break
        _walk(fleet, fleet.members[below(fleet.random, fleet.counts[N_MEMBERS])], 1)


@inner
def _weighted(fleet, by_delay):
    """Random agents, in proportion to their delays, or to 1 + the number of agents that they collide with."""
    for _ in range(2 * fleet.counts[MOST_MEMBERS]):
        if _is_full(fleet):
            break
        _join(fleet, _one_by_weight(fleet, by_delay))


@inner
def _across_goal(fleet, agent):
    """An agent and those that cross its goal last; it plans first."""
    _join(fleet, agent)
    table, goal = fleet.visits, fleet.runners[agent]["goal"]
    for p in range(n_places(table, goal)):
        span = table.spans[place(table, goal, p)]
        for k in range(span["first"] + span["n"] - 1, span["first"] - 1, -1):
            if table.visits[k]["end"] < fleet.runners[agent]["least"]:
                break
            _join(fleet, table.visits[k]["agent"])
    _walk_around(fleet)


@inner
def _one_by_weight(fleet, by_delay):
    """A random agent, in proportion to its delay, or to 1 + the number of agents that it collides with."""
    total = 0
    for agent in range(fleet.runners.size):
        total += _weight(fleet, agent, by_delay)
    rest = below(fleet.random, total)
    for agent in range(fleet.runners.size):
        rest -= _weight(fleet, agent, by_delay)
        if rest < 0:
            return agent
    return 0


@inner
def _weight(fleet, agent, by_delay):
    runner = fleet.runners[agent]
    return np.int64(runner["delay"] if by_delay else 1 + runner["n"])


@inner
def _any(fleet):
    """Random agents."""
    for _ in range(2 * fleet.counts[MOST_MEMBERS]):
        _join(fleet, below(fleet.random, fleet.runners.size))


@inner
def _delayed_and_others(fleet):
    """The agent with the largest delay that was not taken lately, and those that it meets on walks to arrive earlier."""
    worst = most = np.int64(0)
    for agent in range(fleet.runners.size):
        runner = fleet.runners[agent]
        if runner["delay"] > most and runner["tabu"] != fleet.counts[TABU]:
            worst, most = np.int64(agent), np.int64(runner["delay"])
    if most == 0:  # all had their turn
        fleet.counts[TABU] += 1
        return
    fleet.runners[worst]["tabu"] = fleet.counts[TABU]
    _join(fleet, worst)
    for _ in range(WALKS):
        _walk(fleet, worst, 0)
    _walk_around(fleet)


@inner
def _one_of_the_last(fleet):
    """A random agent of those that arrive last."""
    n, last = 0, 0
    for agent in range(fleet.runners.size):
        if arrival(fleet, fleet.runners[agent]["row"]) == fleet.counts[LONGEST]:
            n += 1
            if below(fleet.random, n) == 0:
                last = agent
    return last


@inner
def _last_and_others(fleet):
    """An agent that arrives last, and those that it meets on walks to arrive earlier; it plans first."""
    agent = _one_of_the_last(fleet)
    _join(fleet, agent)
    for _ in range(WALKS):
        _walk(fleet, agent, 0)
    _walk_around(fleet)


@inner
def _walk_around(fleet):
    """Add agents that members meet on random walks to arrive earlier."""
    for _ in range(WALKS):
        if _is_full(fleet):
            break
        _walk(fleet, fleet.members[below(fleet.random, fleet.counts[N_MEMBERS])], 0)


@inner
def _walk(fleet, agent, slack):
    """A random walk from a step of the path of `agent`; it could arrive before the agent does, or `slack` steps later.

    Agents that are met on it become members.
    """
    fields, table, random, row = fleet.fields, fleet.visits, fleet.random, fleet.runners[agent]["row"]
    end = arrival(fleet, row)
    limit = end - 1 + 2 * slack
    time = below(random, end + 1)
    cell = cell_at(fleet, row, time)
    while not _is_full(fleet):
        n, there = 0, cell
        n_slots = slots(table, cell)
        for k in range(n_slots + 1):
            other = cell if k == n_slots else target(table, fields.cells, fields.offsets, cell, k)
            if other == NOWHERE:
                continue
            left = steps_between(fields, agent, other)
            if left != UNREACHED and time + 1 + left <= limit:
                n += 1
                if below(random, n) == 0:
                    there = other
        if n == 0:
            break
        fleet.counts[SEEN] += 1
        time += 1
        n = 0
        for k in range(n_places(table, there)):
            n = meet_visitors(fleet, place(table, there, k), time, time, n)
        n = meet_on_move(table, fleet, cell, there, time, n)
        _join_met(fleet, n)
        cell = there


@inner
def _around_crossing(fleet):
    """Agents that visit a random crossing, and crossings around it, at about the same time."""
    fields, random, table = fleet.fields, fleet.random, fleet.visits
    cell = np.int64(fleet.crossings[below(random, fleet.crossings.size)])
    time = np.int64(0)
    for _ in range(8 * fleet.counts[MOST_MEMBERS]):
        if _is_full(fleet):
            break
        here = place(table, cell, 0)
        span = table.spans[here]
        if span["n"] > 0:
            if fleet.counts[N_MEMBERS] == 0:
                time = np.int64(table.visits[span["first"] + below(random, span["n"])]["start"])
            middle = begun(table, here, time)
            for k in range(max(middle - 2, 0), min(middle + 2, np.int64(span["n"]))):
                _join(fleet, table.visits[span["first"] + k]["agent"])
        following, n = cell, 0
        for k in range(slots(table, cell)):
            there = target(table, fields.cells, fields.offsets, cell, k)
            if there != NOWHERE:
                n += 1
                if below(random, n) == 0:
                    following = np.int64(there)
        cell = following
