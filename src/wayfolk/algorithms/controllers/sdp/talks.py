"""How areas pass agents on to each other: ask, accept or refuse, cancel, and tell that an agent has moved.

A tick has three phases. First every agent that needs one gets a plan, and the controllers of areas ask others to take
agents over. Then those who were asked answer: a room by planning a way on for the agent, a lane by looking ahead in its
traffic. Last the answers are put into effect, lanes look ahead again without those who leave, and all agents move. What a
controller learns of another area it learns from messages, which arrive in the next phase. So the outcome does not depend
on which process runs which area.

A room asks for the time at which the agent would arrive, and a lane may put that off by a few ticks. A lane asks for the
next tick, and always makes use of an answer. So does a crowded room (see `crowds`), which makes no plans.
"""

from wayfolk.algorithms.controllers.sdp import lanes as traffic
from wayfolk.algorithms.controllers.sdp.areas import ENTRY, link_between, steps_out
from wayfolk.algorithms.controllers.sdp.crowds import HOPELESS, admit, is_in_crowd
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
from wayfolk.algorithms.controllers.sdp.state import ACCEPT, ASK, CANCEL, HORIZON, N_MESSAGES, REFUSE, SIDE
from wayfolk.algorithms.controllers.sdp.turns import book, give_up_turn, is_to_wait
from wayfolk.algorithms.controllers.sdp.ways import WINDOW, cut_to_stand, find_path, find_way, plan_to_stand
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.reservations import holder

NEAR = 24  # ticks before it arrives that an agent asks to enter a lane
LONGEST_PAUSE = 8  # ticks after which an agent that found no way tries again


@inner
def send(states, boxes, counts, to, agent, kind, sender, time):
    """Send a message, whose cells are NOWHERE so far."""
    message = boxes[counts[SIDE], counts[N_MESSAGES]]
    counts[N_MESSAGES] += 1
    message["to"], message["agent"], message["kind"], message["sender"] = to, agent, kind, sender
    message["time"], message["since"] = time, states[agent]["since"]
    message["at"], message["then"], message["slack"] = states[agent]["at"], NOWHERE, 0
    message["cells"][:] = NOWHERE


@inlined
def last_sent(arrays):
    """The message that was sent last."""
    return arrays.boxes[arrays.counts[SIDE], arrays.counts[N_MESSAGES] - 1]


@inner
def after(routes, state, agent, k):
    """The area that `agent` comes to after `k` more, or NOWHERE."""
    at = state["at"] + k
    return routes.route[agent, at] if at < routes.n_route[agent] else NOWHERE


@inlined
def think_in_room(arrays, agent, now):
    """Plan for an agent in a room, if it needs that: to its goal, or to the next area, which is asked."""
    areas, rooms, search = arrays.areas, arrays.rooms, arrays.search
    state = rooms.states[agent]
    if state["leaves"] != NOWHERE or state["fixed"] or now < state["retry"]:
        return
    lane = after(arrays.routes, state, agent, 1)
    n = 0
    if lane == NOWHERE:
        goal = state["goal"]
        if rooms.ways[state["row"], agent, state["n"] - 1] == goal or areas.area[goal] != state["area"]:
            return
        owner = rooms.parked_by[goal]
        if (
            owner != NOBODY and rooms.states[owner]["goal"] == goal
        ):  # two agents have the same goal: the first one stays
            return
        search.goals[0] = goal
        n_path = find_path(rooms, search, agent, state["cell"], 1)
        n = plan_to_stand(rooms, search, agent, state["cell"], now, n_path, 1, is_final=True, is_open=False, now=now)
        if n == 0:
            n = plan_to_stand(rooms, search, agent, state["cell"], now, n_path, 1, is_final=True, is_open=True, now=now)
        if n > 0:
            replace_plan(rooms, agent, now, n, NOWHERE, now)
            if rooms.ways[state["row"], agent, n - 1] != goal:
                state["retry"] = now + max(n - NEAR // 2, 1)
                n -= 1  # an agent that only stands has failed
    else:
        link = link_between(areas, state["area"], lane)
        if state["turn"] > 0 and not state["set_out"] and is_to_wait(arrays.turns, state, now):
            return
        then = after(arrays.routes, state, agent, 2)
        n_goals = entry_cells(areas, state["area"], lane, then, search.goals)
        n_path = find_path(rooms, search, agent, state["cell"], n_goals)
        if n_path > 0 and not state["set_out"]:
            book(arrays.turns, state, link, n_path)
            if is_to_wait(arrays.turns, state, now):
                return
            state["set_out"] = True
        n = _approach(rooms, search, agent, n_path, n_goals, now)
        if state["asked"]:
            send(rooms.states, arrays.boxes, arrays.counts, lane, agent, ASK, state["area"], now + n)
            message = last_sent(arrays)
            message["then"], message["slack"] = then, traffic.SLACK
            here = rooms.ways[1 - state["row"], agent, n - 1]
            write_entries(areas, arrays.routes.legal, arrays.routes.offsets, message, here, lane, then)
    if n == 0:
        try_later(state, now)
    else:
        state["fails"] = 0


@inner
def try_later(state, now):
    """Let an agent that found no way try again, after a longer pause each time."""
    state["retry"] = now + min(1 << state["fails"], LONGEST_PAUSE)
    state["fails"] = min(state["fails"] + 1, HOPELESS)


@inlined
def _approach(rooms, search, agent, n_path, n_goals, now):
    """Reserve a way to a transition, to be asked for; if that is far, only come nearer. The number of cells, or 0."""
    state = rooms.states[agent]
    for is_open in (False, True):
        n = find_way(
            rooms, search, agent, state["cell"], now, n_path=n_path, n_goals=n_goals, stays=False, is_open=is_open
        )
        is_far = n >= NEAR or (search.settings.jumps and n_path > WINDOW)
        if n == 0 or is_far:
            n = cut_to_stand(rooms, max(n - NEAR // 2, 0), now)
            if n > 1 and reserve_way(rooms, agent, n, now, True, now):
                replace_plan(rooms, agent, now, n, NOWHERE, now)
                state["retry"] = now + max(n - NEAR // 2, min(n, 6))
                return n
        elif n > 0 and reserve_way(rooms, agent, n, now, False, now):
            state["asked"], state["asked_n"] = True, n
            return n
    return 0


@inner
def write_entries(areas, legal, offsets, message, cell, area, then):
    """Write the cells of `area` beside `cell` that an agent may enter on its way to `then`; how many there are."""
    link = NOWHERE
    if area >= areas.n_rooms:
        link = link_between(areas, area, then)
        if link == NOWHERE:
            return 0
    n = 0
    for k in range(4):
        if not (legal[cell] >> k) & 1:
            continue
        there = cell + offsets[k]
        if areas.area[there] != area:
            continue
        if area >= areas.n_rooms and (areas.part[there] != ENTRY or steps_out(areas, there, link) == NOWHERE):
            continue
        message["cells"][n] = there
        n += 1
    return n


@inlined
def think_in_lane(arrays, agent, now):
    """Ask the next area to take over an agent that stands beside it."""
    areas, lanes = arrays.areas, arrays.lanes
    state = arrays.rooms.states[agent]
    member = lanes.members[traffic.member_of(lanes, state["area"] - areas.n_rooms, agent)]
    if member["fixed"] or steps_out(areas, state["cell"], member["link"]) != 0:
        return
    area = areas.links[member["link"]]["to_area"]
    send(arrays.rooms.states, arrays.boxes, arrays.counts, area, agent, ASK, state["area"], now + 1)
    message = last_sent(arrays)
    then = after(arrays.routes, state, agent, 2)
    message["then"] = then
    routes = arrays.routes
    if write_entries(areas, routes.legal, routes.offsets, message, state["cell"], area, then) == 0:
        arrays.counts[N_MESSAGES] -= 1


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
