"""How agents in rooms and lanes plan, and ask the next area to take them over (see `host` for the phases of a tick).

A room asks for the time at which the agent would arrive, and a lane may put that off by a few ticks. A lane asks for the
next tick, and always makes use of an answer.
"""

from wayfolk.algorithms.controllers.sdp import lanes as traffic
from wayfolk.algorithms.controllers.sdp.areas import link_between, steps_out
from wayfolk.algorithms.controllers.sdp.crowds import HOPELESS
from wayfolk.algorithms.controllers.sdp.messages import after, last_sent, send, write_entries
from wayfolk.algorithms.controllers.sdp.rooms import replace_plan, reserve_way
from wayfolk.algorithms.controllers.sdp.routes import entry_cells
from wayfolk.algorithms.controllers.sdp.state import ASK, N_MESSAGES
from wayfolk.algorithms.controllers.sdp.turns import book, is_to_wait
from wayfolk.algorithms.controllers.sdp.ways import WINDOW, cut_to_stand, find_path, find_way, plan_to_stand
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.codes import NOBODY, NOWHERE

NEAR = 24  # ticks before it arrives that an agent asks to enter a lane
LONGEST_PAUSE = 8  # ticks after which an agent that found no way tries again


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
