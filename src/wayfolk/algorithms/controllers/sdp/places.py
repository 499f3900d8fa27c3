"""Puts agents into areas in the beginning, and compares where they are with where they should be at each tick."""

import numpy as np

from wayfolk.algorithms.controllers.sdp import lanes as traffic
from wayfolk.algorithms.controllers.sdp.areas import ROOM, link_between, steps_out
from wayfolk.algorithms.controllers.sdp.crowds import enter_crowd, is_in_crowd, leave_crowd
from wayfolk.algorithms.controllers.sdp.lanes import look_ahead
from wayfolk.algorithms.controllers.sdp.messages import after, send
from wayfolk.algorithms.controllers.sdp.rooms import drop_plan, hold, park_again
from wayfolk.algorithms.controllers.sdp.routes import find_route
from wayfolk.algorithms.controllers.sdp.state import CANCEL, FULL, N_ORDER
from wayfolk.algorithms.controllers.sdp.turns import give_up_turn
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE


@kernel
def place_agents(arrays, agents, first, now):
    """Put `agents`, those of a `Crew` from number `first` on, into the areas of their cells, standing.

    Those in the areas of this process get routes to their goals. Returns False if an agent is in the way of plans or
    promises: then all agents have to be placed anew.
    """
    areas, rooms, lanes = arrays.areas, arrays.rooms, arrays.lanes
    for k in range(agents.size):
        number = np.int32(first + k)
        agent, state = agents[k], rooms.states[number]
        state["present"] = agent["present"]
        if not agent["present"]:
            continue
        state["cell"], state["goal"] = agent["here"], agent["goal"]
        state["area"], state["since"] = areas.area[agent["here"]], now - 1
        state["fixed"] = agent["done"] or not agent["ours"]
        state["first"], state["n"], state["row"], state["leaves"] = now, 1, 0, NOWHERE
        state["retry"], state["fails"], state["asked"], state["spent"] = now, 0, False, 0
        state["strays"] = state["lost"] = False
        state["pushes"] = state["turn"] = state["n_path"] = 0
        state["set_out"] = False
        if not arrays.mine[state["area"]]:
            continue
        rooms.ways[0, number, 0] = state["cell"]
        arrays.order[arrays.counts[N_ORDER]] = number
        arrays.counts[N_ORDER] += 1
        if not find_route(areas, arrays.routes, number, state["cell"], state["goal"]):
            state["lost"] = True
            rooms.counts[FULL] = 1
        if state["area"] >= areas.n_rooms:
            _enter_lane(areas, lanes, arrays.routes, state, number, now)
            if first > 0 and not look_ahead(lanes, state["area"] - areas.n_rooms, now):
                return False
            lanes.lanes[state["area"] - areas.n_rooms]["kept"] = now
        elif is_in_crowd(arrays.crowds, state["area"]):
            if arrays.crowds.spots[state["cell"]]["occupant"] != NOBODY:
                return False
            enter_crowd(arrays.crowds, number, state["cell"])
        elif rooms.rules.held[state["cell"]] > now or rooms.parked_by[state["cell"]] != NOBODY:
            return False
        else:
            hold(rooms, number, 0, now, 1, True)
    return True


@inner
def _enter_lane(areas, lanes, routes, state, agent, now):
    """Make an agent that stands in a lane a member of it. One that can leave it nowhere stays for good."""
    area = state["area"]
    link = NOWHERE
    if routes.n_route[agent] > 1:
        link = link_between(areas, area, after(routes, state, agent, 1))
    for k in range(areas.first_link[area], areas.first_link[area + 1]):
        if link == NOWHERE and steps_out(areas, state["cell"], k) != NOWHERE:
            link = k
            routes.route[agent, 1] = areas.links[k]["to_area"]
            routes.n_route[agent] = 2
            state["strays"] = True
    is_stuck = link == NOWHERE
    if is_stuck:
        link = areas.first_link[area]
    slot = traffic.add_member(lanes, area - areas.n_rooms, agent, state["cell"], now, link, areas.links[link]["steps"])
    lanes.members[slot]["fixed"] = is_stuck or state["fixed"]


@inner
def is_in_step(arrays, agents, now):
    """Take note of new goals and of agents that are gone; False if an agent is not where it should be."""
    number = 0
    while number < agents.size and _note(arrays, np.int32(number), agents[number], now):
        number += 1
    return number == agents.size


@kernel
def note_changes(arrays, numbers, agents, now):
    """Do as `is_in_step` for some agents: their `numbers`, and how they are now."""
    k = 0
    while k < numbers.size and _note(arrays, numbers[k], agents[k], now):
        k += 1
    return k == numbers.size


@inner
def _note(arrays, number, agent, now):
    """Take note of how an agent is; False if it is not where it should be."""
    state = arrays.rooms.states[number]
    if not state["present"]:
        return not agent["present"]
    is_here = arrays.mine[state["area"]]
    if not agent["present"]:
        state["present"] = False
        if is_here:
            _forget(arrays, number, now)
        return True
    if is_here and agent["here"] != state["cell"]:
        return False
    if agent["goal"] != state["goal"]:
        if arrays.areas.part[agent["goal"]] != ROOM:
            return False
        state["goal"] = agent["goal"]
        state["lost"] = state["strays"] = True
        state["retry"] = now
    is_fixed = agent["done"] or not agent["ours"]
    return not is_here or is_fixed == state["fixed"] or (is_fixed and _stand_for_good(arrays, number, now))


@inner
def _stand_for_good(arrays, agent, now):
    """Note that an agent in a room is no longer ours to move; False if it has not come to stand."""
    rooms = arrays.rooms
    state = rooms.states[agent]
    stands = state["leaves"] == NOWHERE and state["first"] + state["n"] - 1 <= now
    if state["area"] >= rooms.n_rooms or not stands:
        return False
    state["fixed"] = True
    if not is_in_crowd(arrays.crowds, state["area"]):
        park_again(rooms, agent)
    return True


@inner
def _forget(arrays, agent, now):
    """Release all that an agent held that is gone."""
    areas, lanes, states = arrays.areas, arrays.lanes, arrays.rooms.states
    state = states[agent]
    if state["area"] < areas.n_rooms:
        give_up_turn(arrays.turns, state)
        leave_crowd(arrays.crowds, agent, state["cell"])
        drop_plan(arrays.rooms, agent, now)
        if state["leaves"] != NOWHERE:
            to = areas.area[state["leaves"]]
            send(states, arrays.boxes, arrays.counts, to, agent, CANCEL, state["area"], now)
    else:
        traffic.forget(lanes, state["area"] - areas.n_rooms, agent)
    n = 0
    for k in range(arrays.counts[N_ORDER]):
        if arrays.order[k] != agent:
            arrays.order[n] = arrays.order[k]
            n += 1
    arrays.counts[N_ORDER] = n
