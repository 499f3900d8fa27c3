"""The moves of nodes and places, in every world and for every body: what the referee asks by `crew_moves`.

All moves of a step are judged together. An agent that wants to move claims the places of its target and those of its move,
in the order of numbers: one that finds a place claimed is refused. Who stays, because it wants to or was refused, holds the
places of its node and those of its wait. A move is refused if one of its agent's claims is such a place; then its agent
stays too, and the moves that need its places are refused next, until nothing changes.

Large bodies can have several agents in front of them, and move only if all of these do. As refusals only ever spread, the
moves that are left do not depend on the order in which they are looked at. They include whole rings.

Invariants  a place has one claimant, and an agent is refused once: a step costs as many operations as agents have places.
"""

import numpy as np

from wayfolk.compile.jit import inner
from wayfolk.kernels import random
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.simulation.court import FAILS, MOVES, OPEN, STAMP, STAYS

_AGENTS = 31  # bits of a claim that name the agent; those above are the stamp


def judge(crew, court, n_due, now, rings):
    """Decide which of the due agents may move."""
    agents, states, table = crew.agents, court.states, crew.occupancy
    court.counts[STAMP] += 1
    for number in range(agents.size):
        states[number]["verdict"] = STAYS
    for k in range(n_due):
        number = states[k]["due"]
        here, there = agents[number]["here"], crew.route[number, crew.answers[number]["at"]]
        states[number]["want"] = there
        if here != there:
            states[number]["verdict"] = FAILS
            if _edge(table, here, there) != NOWHERE:
                begin, end = table.node_first[there], table.node_first[there + 1]
                _claim(court, number, table.node_places[begin:end])
    for k in range(n_due):
        number = states[k]["due"]
        if states[number]["verdict"] == OPEN:
            states[number]["verdict"] = FAILS
            edge = _edge(table, agents[number]["here"], states[number]["want"])
            _claim(court, number, table.move_places[table.move_first[edge] : table.move_first[edge + 1]])
    n_stay = 0
    for number in range(agents.size):
        if agents[number]["present"] and states[number]["verdict"] != OPEN:
            states[n_stay]["chain"] = number
            n_stay += 1
    done = 0
    while done < n_stay:
        here = agents[states[done]["chain"]]["here"]
        done += 1
        begin, end = table.node_first[here], table.node_first[here + 1]
        n_stay = _refuse(court, table.node_places[begin:end], n_stay)
        wait = table.target.size + here
        n_stay = _refuse(court, table.move_places[table.move_first[wait] : table.move_first[wait + 1]], n_stay)
    for k in range(n_due):
        if states[states[k]["due"]]["verdict"] == OPEN:
            states[states[k]["due"]]["verdict"] = MOVES


def go_over(crew, number, there):
    """Let an agent hold the places of node `there` and no others; a move lasts one step."""
    table = crew.occupancy
    here = crew.agents[number]["here"]
    for k in range(table.node_first[here], table.node_first[here + 1]):
        if crew.occupant[table.node_places[k]] == number:  # else another one has come
            crew.occupant[table.node_places[k]] = NOBODY
    for k in range(table.node_first[there], table.node_first[there + 1]):
        crew.occupant[table.node_places[k]] = number
    return 1.0


def in_the_way(crew, there):
    """Nobody must go over first: an agent gives up no place that another one has taken."""
    return NOBODY


def is_clear(crew, court, number, there):
    """Whether a move leads to `there`, and nobody else holds its places."""
    is_move = _edge(crew.occupancy, crew.agents[number]["here"], there) != NOWHERE
    return is_move and _is_empty(crew, number, there)


def stray(crew, court, number):
    """A random node to which a move leads and whose places nobody else holds, or the agent's own."""
    table, here = crew.occupancy, crew.agents[number]["here"]
    chosen, n_choices = here, 1
    for edge in range(table.first[here], table.first[here + 1]):
        if _is_empty(crew, number, table.target[edge]):
            n_choices += 1
            if random.below(court.luck, n_choices) == 0:
                chosen = table.target[edge]
    return chosen


def wait_lasts(crew):
    """How long it takes to stay."""
    return 1.0


@inner
def _is_empty(crew, number, there):
    """Whether nobody but this agent holds a place of node `there`."""
    table = crew.occupancy
    for k in range(table.node_first[there], table.node_first[there + 1]):
        other = crew.occupant[table.node_places[k]]
        if other != NOBODY and other != number:
            return False
    return True


@inner
def _edge(table, here, there):
    """The move from `here` to `there`, NOWHERE if there is none."""
    for edge in range(table.first[here], table.first[here + 1]):
        if table.target[edge] == there:
            return np.int64(edge)
    return np.int64(NOWHERE)


@inner
def _claim(court, number, places):
    """Let an agent claim all of `places`, and be OPEN, unless one of them is claimed."""
    stamp = court.counts[STAMP]
    for place in places:
        if court.claimed[place] >> _AGENTS == stamp:
            return
    for place in places:
        court.claimed[place] = (stamp << _AGENTS) + number
    court.states[number]["verdict"] = OPEN


@inner
def _refuse(court, places, n_stay):
    """Refuse the moves that claim one of `places`, which an agent holds that stays; how many agents stay now."""
    stamp = court.counts[STAMP]
    for place in places:
        claim = court.claimed[place]
        if claim >> _AGENTS == stamp:
            other = claim & ((np.int64(1) << _AGENTS) - 1)
            if court.states[other]["verdict"] == OPEN:
                court.states[other]["verdict"] = FAILS
                court.states[n_stay]["chain"] = other
                n_stay += 1
    return n_stay
