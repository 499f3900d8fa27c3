"""Agents that walk their paths by reserving the next few cells: the kernels under FAR and A*-Replan.

A reservation is of a cell, not of a cell at a time: it lasts until its owner has left the cell. An agent asks for its
next `reservation` cells together. It gets all of them and walks there, or it gets none and waits for the owner of the first
one that is taken. Without `whole`, it gets the cells before that one.

The `arrays` of all functions here is a `FarArrays` of `wayfolk.algorithms.controllers.far.controller`.

Invariants  a cell has at most one owner. An agent owns the cell it is in and those it has still to walk (`held`), and
            nothing else; an agent that waits owns its cell only. Each agent waits for at most one other.
"""

import numpy as np

from wayfolk.algorithms.controllers.far import paths as far_paths
from wayfolk.algorithms.controllers.far.plans import plan, wants_plan
from wayfolk.algorithms.controllers.far.state import (
    LAST,
    LOST,
    N_UNPLANNED,
    PLANNED,
    REFIT,
    REST,
    RETRY,
    ROTATED,
    SEARCHER,
    SHUFFLED,
    TOKENS,
    UNPLANNED,
)
from wayfolk.compile.jit import inner
from wayfolk.kernels import random
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crew import TICK, give_route, report, wait
from wayfolk.kernels.crew import asked as asked_of
from wayfolk.kernels.graph import cost, heuristic


@inner
def settle(arrays, crew, now):
    """Release the cells that agents have walked, and all cells of agents that are not ours."""
    agents, members, job, clock = crew.agents, arrays.members, arrays.job, arrays.clock
    clock[TOKENS] = min(arrays.expansions, clock[TOKENS] + arrays.expansions * (now - clock[LAST]))
    clock[LAST] = now
    job[N_UNPLANNED] = 0
    for number in range(agents.size):
        agent, member = agents[number], members[number]
        acts = agent["present"] and agent["ours"] and not agent["done"]
        while member["walked"] < member["n_held"] and (member["own"] != agent["here"] or not acts):
            _let_go(arrays, number)
            member["own"] = arrays.held[number, member["walked"]]
            member["walked"] += 1
        if acts and member["own"] != NOWHERE and member["own"] != agent["here"]:  # somebody else has moved it
            member["n_held"] = member["walked"] = 0
            member["waits_for"] = member["yields_to"] = NOBODY
            far_paths.clear(arrays.stacks, member)
            member["state"], member["fleeing"] = UNPLANNED, False
            if job[SEARCHER] == number:
                job[SEARCHER] = NOBODY
        if not acts or member["own"] != agent["here"]:
            _let_go(arrays, number)
        if acts and member["own"] == NOWHERE and arrays.spots[agent["here"]]["owner"] == NOBODY:
            member["own"] = agent["here"]
            arrays.spots[agent["here"]]["owner"] = number
        if not acts:
            member["n_held"] = member["walked"] = 0
            member["waits_for"] = member["yields_to"] = NOBODY
            far_paths.clear(arrays.stacks, member)
            member["state"] = UNPLANNED
        elif member["goal"] != agent["goal"] or (member["state"] == UNPLANNED and member["yields_to"] == NOBODY):
            job[N_UNPLANNED] += 1
        stays = agent["done"] and agent["present"]
        if member["walled"] != NOWHERE and not stays:
            arrays.walls[member["walled"]] = NOBODY
            member["walled"] = NOWHERE
        elif stays:
            arrays.walls[agent["here"]] = number
            member["walled"] = agent["here"]
    if job[REFIT] != 0:
        _refit(arrays, crew)
        job[REFIT] = 0


@inner
def _let_go(arrays, number):
    """Give back the cell that `number` was in."""
    cell = arrays.members[number]["own"]
    if cell != NOWHERE and arrays.spots[cell]["owner"] == number:
        arrays.spots[cell]["owner"] = NOBODY
    arrays.members[number]["own"] = NOWHERE


@inner
def _refit(arrays, crew):
    """The map has changed: drop reservations and plans that lead through walls; search again where there was no way.

    A plan is stale if there may be a shorter way over a move that the edit has added. A move looked at counts as a node
    expanded in this step.
    """
    arrays.job[SEARCHER] = NOBODY
    n_moves = 0
    for number in range(crew.agents.size):
        member = arrays.members[number]
        holds, last = _can_enter_held(arrays, number, crew.agents[number]["here"])
        if not holds:
            drop(arrays, number)
            last = crew.agents[number]["here"]
        if member["state"] == LOST:
            member["state"], member["stale"] = UNPLANNED, True
        elif member["state"] == PLANNED:
            n_moves += member["n_left"]
            left = _cost_left(arrays, member, last)
            if left == np.inf:
                far_paths.clear(arrays.stacks, member)
                member["state"], member["stale"] = UNPLANNED, True
            else:
                member["stale"] = member["stale"] or _may_be_shorter(arrays, last, member["goal"], left)
    if arrays.clock[TOKENS] > 0.0:
        arrays.clock[TOKENS] = max(arrays.clock[TOKENS] - n_moves, 0.0)


@inner
def _can_enter_held(arrays, number, cell):
    """Whether legal moves lead from `cell` through all that `number` holds, and the last cell of it."""
    member = arrays.members[number]
    for k in range(member["walked"], member["n_held"]):
        there = arrays.held[number, k]
        is_legal = False
        for move in range(8):
            if cell + arrays.graph.offsets[move] == there:
                is_legal = (arrays.ground[cell] >> move) & 1 != 0
        if not is_legal:
            return False, cell
        cell = there
    return True, cell


@inner
def _cost_left(arrays, member, cell):
    """What the moves that are left cost from `cell` on; infinite if one of them is not legal."""
    block, at = member["top"], member["n_left"] - 1
    total = 0.0
    while at >= 0:
        move = arrays.stacks.moves[block, at % far_paths.SIZE]
        if (arrays.ground[cell] >> move) & 1 == 0:
            return np.inf
        total += cost(arrays.graph, cell, move)
        cell += arrays.graph.offsets[move]
        if at % far_paths.SIZE == 0:
            block = arrays.stacks.below[block]
        at -= 1
    return total


@inner
def _may_be_shorter(arrays, cell, goal, left):
    """Whether a path from `cell` by a move that an edit has added can cost less than `left`."""
    for gained in arrays.gained:
        bound = heuristic(arrays.graph, cell, gained, arrays.kind) + heuristic(arrays.graph, gained, goal, arrays.kind)
        if bound < left - 1e-6:  # sums of the same lengths may differ in the last digits
            return True
    return False


@inner
def line_up(arrays, crew):
    """The order in which the asked are served, another one first each tick; how many they are."""
    n, asked = crew.agents.size, asked_of(crew)
    n_asked = asked.size
    order = arrays.order[:n_asked]
    first = 0
    if arrays.turns == ROTATED:
        while first < n_asked and asked[first] < crew.counts[TICK] % n:
            first += 1
    for k in range(n_asked):
        order[k] = asked[(first + k) % n_asked]
    if arrays.turns == SHUFFLED:
        random.shuffle(arrays.luck, order)
    return n_asked


@inner
def serve(arrays, crew, now, number):
    """Give `number` a route: what it can reserve, or a wait. False if there was no room."""
    agent, member = crew.agents[number], arrays.members[number]
    member["waits_for"] = NOBODY
    if member["goal"] != agent["goal"]:
        drop(arrays, number)
        far_paths.clear(arrays.stacks, member)
        member["goal"], member["state"], member["yields_to"] = agent["goal"], UNPLANNED, NOBODY
        member["patience"], member["rest"], member["stale"] = arrays.patience, REST, False
    if member["walked"] < member["n_held"]:  # a move was refused, or routes were dropped
        if crew.occupant[arrays.held[number, member["walked"]]] == NOBODY:
            hand_out(arrays, crew, number)
            return True
        drop(arrays, number)
    member["fleeing"] = False
    if member["own"] == NOWHERE or (member["yields_to"] != NOBODY and not _is_past(arrays, now, member)):
        wait(crew, number, 1)
        return True
    member["yields_to"] = NOBODY
    if wants_plan(arrays, now, member) and not plan(arrays, crew, number):
        return False
    if member["spent"] > 0:
        report(crew, number, member["spent"])
        member["spent"] = 0
    if member["state"] == PLANNED and member["n_left"] > 0 and arrays.job[SEARCHER] != number:
        member["waits_for"] = _reserve(arrays, crew, number)
        if member["waits_for"] == NOBODY:
            hand_out(arrays, crew, number)
            member["waits_since"], member["retry"], member["stalled"] = np.inf, RETRY, False
            return True
        member["waits_since"] = min(member["waits_since"], now)
    wait(crew, number, 1)
    return True


@inner
def _is_past(arrays, now, member):
    """Whether the one it makes way for has gone by, or is not coming."""
    host = arrays.members[member["yields_to"]]
    to_go = host["n_left"] + host["n_held"] - host["walked"]
    return now >= member["yields_until"] or host["plan"] != member["host_plan"] or to_go < member["host_left"]


@inner
def holder(arrays, crew, cell):
    """Who has `cell`: its owner, or whoever is in it without owning it; NOBODY if it is free."""
    owner = arrays.spots[cell]["owner"]
    return owner if owner != NOBODY else crew.occupant[cell]


@inner
def _reserve(arrays, crew, number):
    """Take the next cells of its path for `number`; NOBODY, or who has the first one that it cannot have."""
    member, held = arrays.members[number], arrays.held[number]
    n = min(arrays.reservation, member["n_left"])
    far_paths.read(arrays.stacks, member, n, arrays.moves)
    cell = crew.agents[number]["here"]
    for k in range(n):
        cell += arrays.graph.offsets[arrays.moves[k]]
        other = holder(arrays, crew, cell)
        if other == number:  # a path that comes back to where it was: up to here first
            n = k
            break
        if other != NOBODY and k > 0 and not arrays.whole:
            n = k
            break
        if other != NOBODY:
            for back in range(k):
                arrays.spots[held[back]]["owner"] = NOBODY
            return other
        held[k] = cell
        arrays.spots[cell]["owner"] = number
    for _ in range(n):
        far_paths.pop(arrays.stacks, member)
    member["n_held"], member["walked"] = n, 0
    return NOBODY


@inner
def drop(arrays, number):
    """Give back the cells that `number` has not entered yet, and put the moves back on its path."""
    member = arrays.members[number]
    for k in range(member["n_held"] - 1, member["walked"] - 1, -1):
        cell = arrays.held[number, k]
        before = member["own"]
        if k > member["walked"]:
            before = arrays.held[number, k - 1]
        arrays.spots[cell]["owner"] = NOBODY
        if member["state"] == PLANNED:
            if member["fleeing"]:
                far_paths.pop(arrays.stacks, member)  # the move back
            else:
                far_paths.push(arrays.stacks, member, far_paths.move_between(arrays.graph.offsets, before, cell))
    member["n_held"] = member["walked"] = 0


@inner
def hand_out(arrays, crew, number):
    """The cells that `number` holds become its route."""
    member = arrays.members[number]
    give_route(crew, number, arrays.held[number, member["walked"] :], member["n_held"] - member["walked"])
