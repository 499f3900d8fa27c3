"""Agents that walk their paths by reserving the next few cells: the kernels under FAR and A*-Replan.

A reservation is of a cell, not of a cell at a time: it lasts until its owner has left the cell. An agent asks for its
next `reservation` cells together. It gets all of them and walks there, or none, and waits for whoever has the first one
that it was refused. If they need not be the `whole`, it takes those before that one.

The `mind` of all functions here is a `FarMind` of `wayfolk.controllers._far`.

Keeps    a cell has at most one owner. An agent owns the cell it is in and those it has still to walk (`held`), and
         nothing else; one that waits owns nothing but its cell. Everybody waits for at most one other.
"""

import numpy as np

from wayfolk.graph import NOWHERE
from wayfolk.kernels import far_paths, random
from wayfolk.kernels.crew import N_ASKED, NOBODY, TICK, note
from wayfolk.kernels.far_plans import plan, wants_plan
from wayfolk.kernels.far_state import (
    FREED,
    LAST,
    LOST,
    N_UNPLANNED,
    PATIENCE,
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
from wayfolk.kernels.jit import inner
from wayfolk.record import THOUGHT


@inner
def settle(mind, crew, now):
    """Give back what has been walked, by everybody, and all that whoever is not ours owned."""
    agents, members, job, clock = crew.agents, mind.members, mind.job, mind.clock
    clock[TOKENS] = min(mind.expansions, clock[TOKENS] + mind.expansions * (now - clock[LAST]))
    clock[LAST] = now
    job[N_UNPLANNED] = 0
    for number in range(agents.size):
        agent, member = agents[number], members[number]
        acts = agent["present"] and agent["ours"] and not agent["done"]
        while member["walked"] < member["n_held"] and (member["own"] != agent["here"] or not acts):
            _let_go(mind, number)
            member["own"] = mind.held[number, member["walked"]]
            member["walked"] += 1
        if not acts or member["own"] != agent["here"]:
            _let_go(mind, number)
        if acts and member["own"] == NOWHERE and mind.spots[agent["here"]]["owner"] == NOBODY:
            member["own"] = agent["here"]
            mind.spots[agent["here"]]["owner"] = number
        if not acts:
            member["n_held"] = member["walked"] = 0
            member["waits_for"] = member["yields_to"] = NOBODY
            far_paths.clear(mind.stacks, member)
            member["state"] = UNPLANNED
        elif member["goal"] != agent["goal"] or (member["state"] == UNPLANNED and member["yields_to"] == NOBODY):
            job[N_UNPLANNED] += 1
        stays = agent["done"] and agent["present"]
        if member["walled"] != NOWHERE and not stays:
            mind.walls[member["walled"]] = NOBODY
            member["walled"] = NOWHERE
        elif stays:
            mind.walls[agent["here"]] = number
            member["walled"] = agent["here"]
    if job[REFIT] != 0:
        _refit(mind, crew)
        job[REFIT] = 0


@inner
def _let_go(mind, number):
    """Give back the cell that `number` was in."""
    cell = mind.members[number]["own"]
    if cell != NOWHERE and mind.spots[cell]["owner"] == number:
        mind.spots[cell]["owner"] = NOBODY
    mind.members[number]["own"] = NOWHERE


@inner
def _refit(mind, crew):
    """Drop all reservations and every plan that cannot be walked any more; hope again where there was no way."""
    mind.job[SEARCHER] = NOBODY
    for number in range(crew.agents.size):
        member = mind.members[number]
        drop(mind, number)
        if member["state"] == LOST:
            member["state"] = UNPLANNED
        elif member["state"] == PLANNED:
            member["stale"] = member["stale"] or mind.job[REFIT] == FREED
            if not _is_walkable(mind, member, crew.agents[number]["here"]):
                far_paths.clear(mind.stacks, member)
                member["state"] = UNPLANNED


@inner
def _is_walkable(mind, member, cell):
    """Whether the moves that are left are legal from `cell` on."""
    block, at = member["top"], member["n_left"] - 1
    while at >= 0:
        move = mind.stacks.moves[block, at % far_paths.SIZE]
        if (mind.ground[cell] >> move) & 1 == 0:
            return False
        cell += mind.graph.offsets[move]
        if at % far_paths.SIZE == 0:
            block = mind.stacks.below[block]
        at -= 1
    return True


@inner
def line_up(mind, crew):
    """The order in which the asked are served, another one first each tick; how many they are."""
    n, n_asked = crew.agents.size, crew.counts[N_ASKED]
    asked, order = crew.asked[:n_asked], mind.order[:n_asked]
    first = 0
    if mind.turns == ROTATED:
        while first < n_asked and asked[first] < crew.counts[TICK] % n:
            first += 1
    for k in range(n_asked):
        order[k] = asked[(first + k) % n_asked]
    if mind.turns == SHUFFLED:
        random.shuffle(mind.luck, order)
    return n_asked


@inner
def serve(mind, crew, log, now, number):
    """Give `number` a route: what it can reserve, or a wait. False if there was no room."""
    agent, member = crew.agents[number], mind.members[number]
    member["waits_for"] = NOBODY
    if member["goal"] != agent["goal"]:
        drop(mind, number)
        far_paths.clear(mind.stacks, member)
        member["goal"], member["state"], member["yields_to"] = agent["goal"], UNPLANNED, NOBODY
        member["patience"], member["rest"] = PATIENCE, REST
    if member["walked"] < member["n_held"]:  # a move was refused, or routes were dropped
        if crew.occupant[mind.held[number, member["walked"]]] == NOBODY:
            hand_out(mind, crew, number)
            return True
        drop(mind, number)
    member["fleeing"] = False
    if member["own"] == NOWHERE or (member["yields_to"] != NOBODY and not _is_past(mind, now, member)):
        _stand(crew, number)
        return True
    member["yields_to"] = NOBODY
    if wants_plan(mind, now, member) and not plan(mind, crew, number):
        return False
    if member["spent"] > 0:
        note(log, crew.counts, now, number, THOUGHT, member["spent"])
        member["spent"] = 0
    if member["state"] == PLANNED and member["n_left"] > 0 and mind.job[SEARCHER] != number:
        member["waits_for"] = _reserve(mind, crew, number)
        if member["waits_for"] == NOBODY:
            hand_out(mind, crew, number)
            member["waits_since"], member["retry"], member["stalled"] = np.inf, RETRY, False
            return True
        member["waits_since"] = min(member["waits_since"], now)
    _stand(crew, number)
    return True


@inner
def _is_past(mind, now, member):
    """Whether the one it makes way for has gone by, or is not coming."""
    host = mind.members[member["yields_to"]]
    to_go = host["n_left"] + host["n_held"] - host["walked"]
    return now >= member["yields_until"] or host["plan"] != member["host_plan"] or to_go < member["host_left"]


@inner
def holder(mind, crew, cell):
    """Who has `cell`: its owner, or whoever is in it without owning it; NOBODY if it is free."""
    owner = mind.spots[cell]["owner"]
    return owner if owner != NOBODY else crew.occupant[cell]


@inner
def _reserve(mind, crew, number):
    """Take the next cells of its path for `number`; NOBODY, or who has the first one that it cannot have."""
    member, held = mind.members[number], mind.held[number]
    n = min(mind.reservation, member["n_left"])
    far_paths.read(mind.stacks, member, n, mind.moves)
    cell = crew.agents[number]["here"]
    for k in range(n):
        cell += mind.graph.offsets[mind.moves[k]]
        other = holder(mind, crew, cell)
        if other == number:  # a path that comes back to where it was: up to here first
            n = k
            break
        if other != NOBODY and k > 0 and not mind.whole:
            n = k
            break
        if other != NOBODY:
            for back in range(k):
                mind.spots[held[back]]["owner"] = NOBODY
            return other
        held[k] = cell
        mind.spots[cell]["owner"] = number
    for _ in range(n):
        far_paths.pop(mind.stacks, member)
    member["n_held"], member["walked"] = n, 0
    return NOBODY


@inner
def drop(mind, number):
    """Give back the cells that `number` has not entered yet, and put the moves back on its path."""
    member = mind.members[number]
    for k in range(member["n_held"] - 1, member["walked"] - 1, -1):
        cell = mind.held[number, k]
        before = member["own"]
        if k > member["walked"]:
            before = mind.held[number, k - 1]
        mind.spots[cell]["owner"] = NOBODY
        if member["state"] == PLANNED:
            if member["fleeing"]:
                far_paths.pop(mind.stacks, member)  # the move back
            else:
                far_paths.push(mind.stacks, member, far_paths.move_between(mind.graph.offsets, before, cell))
    member["n_held"] = member["walked"] = 0


@inner
def hand_out(mind, crew, number):
    """The cells that `number` holds become its route."""
    member, n = mind.members[number], 0
    for k in range(member["walked"], member["n_held"]):
        crew.route[number, n] = mind.held[number, k]
        n += 1
    crew.agents[number]["n_route"], crew.agents[number]["at"] = n, 0


@inner
def _stand(crew, number):
    """Wait for one step."""
    crew.route[number, 0] = crew.agents[number]["here"]
    crew.agents[number]["n_route"], crew.agents[number]["at"] = 1, 0
