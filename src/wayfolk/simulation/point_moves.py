"""The moves of points on a square grid: what the referee asks by `crew_moves`.

A move is refused if it is not legal, leads to a cell that an earlier agent claims or that will not be empty, swaps two
agents, or crosses a diagonal move under way.
"""

from wayfolk.compile.jit import inner
from wayfolk.kernels import random
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crossing import corners, diagonal, is_under_way
from wayfolk.simulation.court import FAILS, MOVES, OPEN, STAMP, STAYS


def judge(crew, court, n_due, now, rings):
    """Decide which of the due agents may move."""
    agents, states, claimed = crew.agents, court.states, court.claimed
    court.counts[STAMP] += 1
    stamp = court.counts[STAMP]
    for number in range(agents.size):
        states[number]["verdict"] = STAYS
    for k in range(n_due):
        number = states[k]["due"]
        state, here = states[number], agents[number]["here"]
        state["want"] = crew.route[number, crew.answers[number]["at"]]
        if state["want"] == here:
            continue
        if not _is_step(crew.offsets, court.legal, here, state["want"]) or claimed[state["want"]] == stamp:
            state["verdict"] = FAILS
        else:
            claimed[state["want"]] = stamp
            state["verdict"] = OPEN
    for k in range(n_due):
        number = states[k]["due"]
        if states[number]["verdict"] == OPEN and _meets(crew, court, number, now):
            states[number]["verdict"] = FAILS
    for k in range(n_due):
        # follow the agents that stand in the way until the outcome is clear
        first = states[k]["due"]
        length = 0
        ahead = first
        outcome = OPEN
        while outcome == OPEN:
            if states[ahead]["verdict"] != OPEN:
                outcome = MOVES if states[ahead]["verdict"] == MOVES else FAILS
                break
            states[length]["chain"] = ahead
            length += 1
            states[ahead]["verdict"] = MOVES  # until shown otherwise
            ahead = crew.occupant[states[ahead]["want"]]
            if ahead == NOBODY:
                outcome = MOVES
            elif ahead == first:
                outcome = MOVES if rings else FAILS
        if outcome == FAILS:
            for back in range(length):
                states[states[back]["chain"]]["verdict"] = FAILS


def go_over(crew, number, there):
    """Let an agent be in the cell `there`; how long the move lasts."""
    here = crew.agents[number]["here"]
    if crew.occupant[here] == number:
        crew.occupant[here] = NOBODY
    crew.occupant[there] = number
    return crew.lasts[diagonal(crew.offsets, here, there)]


def in_the_way(crew, there):
    """The agent in the cell `there`."""
    return crew.occupant[there]


def is_clear(crew, court, number, there):
    """Whether a legal move leads to `there`, and the cell is empty."""
    return crew.occupant[there] == NOBODY and _is_step(crew.offsets, court.legal, crew.agents[number]["here"], there)


def stray(crew, court, number):
    """A random empty cell beside an agent, or its own."""
    here = crew.agents[number]["here"]
    chosen, n_choices = here, 1
    for k in range(8):
        if (court.legal[here] >> k) & 1 and crew.occupant[here + crew.offsets[k]] == NOBODY:
            n_choices += 1
            if random.below(court.luck, n_choices) == 0:
                chosen = here + crew.offsets[k]
    return chosen


def wait_lasts(crew):
    """How long it takes to stay."""
    return crew.lasts[8]


@inner
def _is_step(offsets, legal, here, there):
    """Whether a legal move leads from `here` to `there`."""
    for k in range(8):
        if here + offsets[k] == there:
            return (legal[here] >> k) & 1 != 0
    return False


@inner
def _meets(crew, court, number, now):
    """Whether the move swaps with another agent, or crosses a diagonal move that begins now or began before."""
    agents, states = crew.agents, court.states
    here, there = agents[number]["here"], states[number]["want"]
    other = crew.occupant[there]
    if other != NOBODY and states[other]["verdict"] == OPEN and states[other]["want"] == here:
        states[other]["verdict"] = FAILS
        return True
    k = diagonal(crew.offsets, here, there)
    if k == 0:
        return False
    beside, across = corners(crew.offsets, here, k)
    for _ in range(2):
        other = crew.occupant[beside]
        if other != NOBODY:
            if states[other]["verdict"] == OPEN and states[other]["want"] == across and other < number:
                return True
            if is_under_way(agents[other], across, now):
                # the next tick would be no different: it stands until the diagonal is free
                agents[number]["came"], agents[number]["ready"] = here, agents[other]["ready"]
                return True
        beside, across = across, beside
    return False
