"""Routes with the earliest expected arrival, and who is expected to enter passages when."""

import numpy as np

from wayfolk.algorithms.controllers.rwt.passages import NEEDS, OPEN, QUEUE, ROUTES, STAMP, is_blocked, is_passage
from wayfolk.compile.jit import inner
from wayfolk.kernels import heap, rra
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOBODY, NOWHERE
from wayfolk.kernels.crossing import diagonal
from wayfolk.kernels.reservation_rules import NEVER
from wayfolk.kernels.reservations import holder, release, reserve

AROUND = 64  # steps that an agent walks around a cell in which another stays for good
ASIDE = 16  # and around one in a passage in which another rests on its goal


@inner
def find_route(arrays, crew, agent, time):
    """Write the route of `agent` with the earliest expected arrival: the outcome, and how many nodes it expanded.

    It begins at `time`. Without a route, the agent has only its own cell.
    """
    nodes, rows, window, counts = arrays.nodes, arrays.rows, arrays.window, arrays.counts
    rules, start, goal = window.rules, crew.agents[agent]["here"], crew.agents[agent]["goal"]
    counts[STAMP] += 1
    stamp = counts[STAMP]
    _open(nodes[start], stamp, time, start)
    n_open = heap.push(rows, 0, time, 0, start)
    n_expanded = 0
    while n_open > 0:
        cell = rows[0]["item"]
        n_open = heap.pop(rows, n_open)
        if nodes[cell]["closed"]:
            continue
        if cell == goal:
            return _write_route(arrays, agent, start, goal), n_expanded
        if n_open + 8 > rows.size:
            counts[NEEDS] = OPEN
            return FULL, n_expanded
        nodes[cell]["closed"] = True
        n_expanded += 1
        for k in range(8):
            other = cell + rules.offsets[k]
            if not (arrays.legal[cell] >> k) & 1 or (nodes[other]["stamp"] == stamp and nodes[other]["closed"]):
                continue
            there = _enter(arrays, agent, other, nodes[cell]["time"] + _lasts(arrays, k))
            if is_blocked(arrays, crew, agent, other):
                there += ASIDE * arrays.sub * window.per_step
            if rules.parked[other] != NEVER:
                there += AROUND * arrays.sub * window.per_step
            if nodes[other]["stamp"] != stamp or there < nodes[other]["time"]:
                _open(nodes[other], stamp, there, cell)
                left = rra.heuristic(window.searches, other, goal) * arrays.sub
                n_open = heap.push(rows, n_open, there + left, -there, other)
    arrays.routes[agent, 0] = start
    arrays.legs[agent]["n"] = 1
    return EXHAUSTED, n_expanded


@inner
def _open(node, stamp, time, came):
    node["stamp"], node["time"], node["came"], node["closed"] = stamp, time, came, False


@inner
def _enter(arrays, agent, cell, time):
    """When `agent` is expected in `cell` if it comes there at `time`, after those who are expected there then."""
    if not is_passage(arrays, cell):
        return time
    unit = arrays.sub * arrays.window.per_step
    step = time // unit
    who = holder(arrays.queue, cell, step)
    while who != NOBODY and who != agent:
        step += 1
        who = holder(arrays.queue, cell, step)
    return max(time, step * unit)


@inner
def _lasts(arrays, move):
    """The time of a move; of routes that take equally long the one with fewer diagonals is better."""
    return arrays.window.rules.lasts[move] * arrays.sub + (1 if move >= 4 else 0)


@inner
def _write_route(arrays, agent, start, goal):
    """Write the cells from `start` to `goal`; FULL if there is no room for them."""
    n = 1
    cell = goal
    while cell != start:
        cell = arrays.nodes[cell]["came"]
        n += 1
    if n > arrays.routes.shape[1]:
        arrays.counts[NEEDS] = ROUTES
        return FULL
    cell = goal
    for k in range(n - 1, -1, -1):
        arrays.routes[agent, k] = cell
        cell = arrays.nodes[cell]["came"]
    arrays.legs[agent]["n"] = n
    return FOUND


@inner
def book(arrays, agent, place, time):
    """Expect `agent` in the passages of its route after `place`, where it is at `time`; False if there is no room."""
    leg, route, steps, queue = arrays.legs[agent], arrays.routes[agent], arrays.steps[agent], arrays.queue
    if 2 * (queue.counts[0] + leg["n"]) > queue.entries.size:
        arrays.counts[NEEDS] = QUEUE
        return False
    unit = arrays.sub * arrays.window.per_step
    for k in range(place + 1, leg["n"]):
        move = diagonal(arrays.window.rules.offsets, route[k - 1], route[k])
        time = _enter(arrays, agent, route[k], time + _lasts(arrays, move))
        steps[k] = time // unit
        if is_passage(arrays, route[k]):
            reserve(queue, route[k], steps[k], agent)
    leg["booked"] = place
    return True


@inner
def unbook(arrays, agent):
    """Expect `agent` nowhere."""
    leg = arrays.legs[agent]
    for k in range(leg["booked"] + 1, leg["n"]):
        release(arrays.queue, arrays.routes[agent, k], arrays.steps[agent, k], agent)
    leg["booked"] = leg["n"]


@inner
def next_passage(arrays, agent):
    """The step in which `agent` is expected in its next passage: 0 if it is in one, NOWHERE if none lies ahead."""
    leg = arrays.legs[agent]
    for k in range(leg["at"], leg["n"]):
        if is_passage(arrays, arrays.routes[agent, k]):
            return np.int32(0) if k == leg["at"] else arrays.steps[agent, k]
    return NOWHERE


@inner
def is_near_passage(arrays, agent):
    """Whether a passage is on the next two windows of the route of `agent`, or it is in one."""
    leg = arrays.legs[agent]
    for k in range(leg["at"], min(leg["at"] + 2 * arrays.n_steps + 1, leg["n"])):
        if is_passage(arrays, arrays.routes[agent, k]):
            return True
    return False


@inner
def is_walkable(arrays, agent):
    """Whether the moves that are left of the route of `agent` are legal."""
    leg, route, offsets = arrays.legs[agent], arrays.routes[agent], arrays.window.rules.offsets
    for k in range(leg["at"] + 1, leg["n"]):
        move = 0
        while move < 8 and route[k - 1] + offsets[move] != route[k]:
            move += 1
        if move == 8 or not (arrays.legal[route[k - 1]] >> move) & 1:
            return False
    return True
