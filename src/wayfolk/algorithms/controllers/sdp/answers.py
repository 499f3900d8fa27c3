"""How areas answer those who ask to enter, and how agents act on the answers.

A room answers by planning a way on for the agent, a lane by looking ahead in its traffic, a crowded room (see `crowds`) by
looking for an empty cell.
"""

from wayfolk.algorithms.controllers.sdp import lanes as traffic
from wayfolk.algorithms.controllers.sdp.areas import link_between
from wayfolk.algorithms.controllers.sdp.crowds import admit, is_in_crowd
from wayfolk.algorithms.controllers.sdp.messages import after, last_sent, send
from wayfolk.algorithms.controllers.sdp.requests import try_later
from wayfolk.algorithms.controllers.sdp.rooms import (
    find_shelter,
    hold_plan,
    is_way_open,
    let_go,
    park_again,
    replace_plan,
    reserve_way,
    stand,
    step_aside,
    stop_parking,
    take_plan,
)
from wayfolk.algorithms.controllers.sdp.routes import entry_cells
from wayfolk.algorithms.controllers.sdp.state import ACCEPT, CANCEL, HORIZON, REFUSE, SIDE
from wayfolk.algorithms.controllers.sdp.turns import give_up_turn
from wayfolk.algorithms.controllers.sdp.ways import find_path, plan_to_stand
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.reservations import holder


@inlined
def answer(arrays, k, now):
    """Answer the k-th message, which asks, or cancels what was promised."""
    areas = arrays.areas
    message = arrays.boxes[1 - arrays.counts[SIDE], k]
    area, agent = message["to"], message["agent"]
    if message["kind"] == CANCEL:
        traffic.forget(arrays.lanes, area - areas.n_rooms, agent)
        return
    arrays.rooms.states[agent]["at"] = message["at"]
    cell, time = NOWHERE, now + 1
    if is_in_crowd(arrays.crowds, area):
        cell = admit(arrays.crowds, message["cells"], now)
        if cell != NOWHERE:
            stand(arrays.rooms, agent, cell, now + 1)
            _begin_in_room(arrays.rooms.states[agent], now)
    elif area < areas.n_rooms:
        third = after(arrays.routes, arrays.rooms.states[agent], agent, 3)
        cell = _accept_into_room(areas, arrays.rooms, arrays.search, message, third, now)
    else:
        cell, time = _accept_into_lane(areas, arrays.lanes, message, now)
    kind = REFUSE if cell == NOWHERE else ACCEPT
    send(arrays.rooms.states, arrays.boxes, arrays.counts, message["sender"], agent, kind, area, time)
    reply = last_sent(arrays)
    reply["since"] = message["since"]
    reply["cells"][0] = cell


@inlined
def _accept_into_lane(areas, lanes, message, now):
    """The cell and the time at which a lane takes an agent; NOWHERE if it does not."""
    lane = message["to"] - areas.n_rooms
    link = link_between(areas, message["to"], message["then"])
    if link == NOWHERE or not traffic.has_room(lanes, lane):
        return NOWHERE, now
    latest = min(message["time"] + message["slack"], now + HORIZON - 1)
    cell, time = NOWHERE, now
    for k in range(4):
        candidate = message["cells"][k]
        if candidate == NOWHERE:
            break
        empty = traffic.first_empty(lanes, lane, candidate, message["time"], latest)
        if empty > 0:
            cell, time, latest = candidate, empty, empty - 1
    if cell != NOWHERE:
        wants = areas.links[link]["steps"]
        if traffic.promise(lanes, lane, message["agent"], cell, time, link, wants, now):
            return cell, time
    return NOWHERE, now


@inlined
def _accept_into_room(areas, rooms, search, message, third, now):
    """The cell at which a room takes an agent in the next tick, with a plan from there on; NOWHERE if it does not."""
    agent, table = message["agent"], rooms.table
    for k in range(4):
        cell = message["cells"][k]
        if cell == NOWHERE:
            break
        standing = rooms.parked_by[cell]
        if standing != NOBODY:
            if step_aside(rooms, standing, now + 2, now):  # and does not come back before the agent has asked again
                rooms.states[standing]["retry"] = max(
                    now + 2, rooms.states[standing]["first"] + rooms.states[standing]["n"]
                )
            continue
        if holder(table, cell, now - 1) != NOBODY or holder(table, cell, now) != NOBODY:
            continue
        n = _plan_from_entry(areas, rooms, search, agent, cell, message["then"], third, now)
        if n > 0:
            state = rooms.states[agent]
            take_plan(rooms, agent, 1 - state["row"], now + 1, n, NOWHERE)
            _begin_in_room(state, now)
            return cell
    return NOWHERE


@inner
def _begin_in_room(state, now):
    """Let an agent that comes into a room in the next tick begin anew there."""
    state["retry"], state["fails"], state["pushes"] = now + 1, 0, 0


@inlined
def _plan_from_entry(areas, rooms, search, agent, cell, lane, third, now):
    """Reserve a way from `cell` at the next tick: to the goal, towards the next lane, or just out of the way.

    Only if there is none do others step aside.
    """
    state = rooms.states[agent]
    is_final = lane == NOWHERE
    n_goals = 0
    if not is_final:
        n_goals = entry_cells(areas, areas.area[cell], lane, third, search.goals)
    elif areas.area[state["goal"]] == areas.area[cell]:
        search.goals[0], n_goals = state["goal"], 1
    state["n_path"] = 0
    n_path = find_path(rooms, search, agent, cell, n_goals) if n_goals > 0 else 0
    for is_open in (False, True):
        if n_path > 0:
            n = plan_to_stand(
                rooms, search, agent, cell, now + 1, n_path, n_goals, is_final=is_final, is_open=is_open, now=now
            )
            if n > 0:
                return n
        if not is_open:
            n = find_shelter(rooms, agent, cell, now + 1)
            if n > 0 and reserve_way(rooms, agent, n, now + 1, True, now):
                return n
    return 0


@inlined
def hear(arrays, k, now):
    """Put the k-th message, an answer, into effect."""
    message = arrays.boxes[1 - arrays.counts[SIDE], k]
    if message["to"] >= arrays.areas.n_rooms:
        if message["kind"] == ACCEPT:
            slot = traffic.member_of(arrays.lanes, message["to"] - arrays.areas.n_rooms, message["agent"])
            arrays.lanes.members[slot]["goes"] = message["cells"][0]
    elif is_in_crowd(arrays.crowds, message["to"]):
        state = arrays.rooms.states[message["agent"]]
        if message["kind"] == ACCEPT:
            state["leaves"] = message["cells"][0]
            give_up_turn(arrays.turns, state)
    elif _go_as_promised(arrays.rooms, message, now):
        give_up_turn(arrays.turns, arrays.rooms.states[message["agent"]])
    else:
        state = arrays.rooms.states[message["agent"]]
        if message["kind"] == ACCEPT:
            send(
                arrays.rooms.states, arrays.boxes, arrays.counts, message["sender"], message["agent"], CANCEL,
                state["area"], message["time"],
            )  # fmt: skip
        try_later(state, now)


@inner
def _go_as_promised(rooms, message, now):
    """Let an agent in a room that was accepted go; False if it was not, or cannot come at the promised time."""
    agent = message["agent"]
    state = rooms.states[agent]
    n = state["asked_n"]
    state["asked"] = False
    delay = message["time"] - (now + n)
    if message["kind"] == ACCEPT and delay == 0:
        replace_plan(rooms, agent, now, n, message["cells"][0], now)
        return True
    let_go(rooms, agent, 1 - state["row"], now, n, False, now)
    hold_plan(rooms, agent, True)
    if message["kind"] == ACCEPT and _wait_first(rooms, agent, delay, n, now):
        replace_plan(rooms, agent, now, n + delay, message["cells"][0], now)
        return True
    return False


@inner
def _wait_first(rooms, agent, delay, n, now):
    """Put so many ticks of waiting before the way in the spare row; whether it can be reserved then."""
    way = rooms.ways[1 - rooms.states[agent]["row"], agent]
    if n + delay > way.size:
        return False
    for k in range(n - 1, -1, -1):
        way[k + delay] = way[k]
    for k in range(delay):
        way[k] = way[delay]
    stop_parking(rooms, agent)
    is_free = is_way_open(rooms, agent, way, n + delay, now)
    park_again(rooms, agent)
    return is_free
