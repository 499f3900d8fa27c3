"""What agents of crowded rooms want, and how they ask lanes to take them: from beside the lane, for the next tick."""

from wayfolk.algorithms.controllers.sdp.areas import link_between
from wayfolk.algorithms.controllers.sdp.crowds import (
    AHEAD,
    GOES,
    RESTS,
    RETURNS,
    enter_crowd,
    field_to,
    has_just_changed,
    is_in_crowd,
    leave_crowd,
    moves_left,
)
from wayfolk.algorithms.controllers.sdp.messages import after, last_sent, send, write_entries
from wayfolk.algorithms.controllers.sdp.rooms import drop_plan, hold, stand
from wayfolk.algorithms.controllers.sdp.state import ASK, CANCEL
from wayfolk.algorithms.controllers.sdp.turns import book, is_to_wait
from wayfolk.algorithms.controllers.sdp.ways import find_path
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.codes import NOBODY, NOWHERE


@inlined
def join_crowd(arrays, agent, now):
    """Cancel the plan of an agent in a room that has become crowded, and the promise of the lane that it leads to."""
    rooms = arrays.rooms
    state = rooms.states[agent]
    if state["leaves"] != NOWHERE:
        lane = arrays.areas.area[state["leaves"]]
        send(rooms.states, arrays.boxes, arrays.counts, lane, agent, CANCEL, state["area"], now)
    drop_plan(rooms, agent, now)
    stand(rooms, agent, state["cell"], now)
    state["retry"] = state["fails"] = 0
    enter_crowd(arrays.crowds, agent, state["cell"])


@inner
def calm_down(rooms, crowds, order, now):
    """Let the agents of rooms that have just become calm stand where they are, and plan from there."""
    for agent in order:
        state = rooms.states[agent]
        area = state["area"]
        if area < rooms.n_rooms and has_just_changed(crowds, area, now) and not is_in_crowd(crowds, area):
            leave_crowd(crowds, agent, state["cell"])
            stand(rooms, agent, state["cell"], now)
            hold(rooms, agent, 0, now, 1, True)
            state["retry"], state["fails"], state["pushes"], state["n_path"] = now, 0, 0, 0


@inlined
def think_in_crowd(arrays, agent, now):
    """Decide what an agent in a crowded room wants; beside the lane that it goes to, ask."""
    areas, rooms, crowds = arrays.areas, arrays.rooms, arrays.crowds
    state, body = rooms.states[agent], crowds.agents[agent]
    lane = after(arrays.routes, state, agent, 1)
    body["wish"], body["field"] = RESTS, NOWHERE
    if state["fixed"] or now < state["retry"]:
        return
    if lane == NOWHERE:
        goal = state["goal"]
        owner = crowds.spots[goal]["occupant"]
        is_taken = owner != NOBODY and rooms.states[owner]["goal"] == goal  # by itself, or by one with the same goal
        if areas.area[goal] == state["area"] and not is_taken and _look_ahead(rooms, arrays.search, body, agent):
            body["wish"] = GOES if state["pushes"] == 0 else RETURNS
        return
    if state["turn"] > 0 and not state["set_out"] and is_to_wait(arrays.turns, state, now):
        return
    then = after(arrays.routes, state, agent, 2)
    field = field_to(crowds, areas, state["area"], lane, then)
    if field == NOWHERE:
        return
    left = moves_left(crowds, field, state["cell"])
    if not state["set_out"]:
        book(arrays.turns, state, link_between(areas, state["area"], lane), left + 1)
        if is_to_wait(arrays.turns, state, now):
            return
        state["set_out"] = True
    body["wish"], body["field"] = GOES, field
    if left == 0 and not has_just_changed(crowds, state["area"], now):
        send(rooms.states, arrays.boxes, arrays.counts, lane, agent, ASK, state["area"], now + 1)
        message = last_sent(arrays)
        message["then"] = then
        write_entries(areas, arrays.routes.legal, arrays.routes.offsets, message, state["cell"], lane, then)


@inner
def _look_ahead(rooms, search, body, agent):
    """Find the path of an agent to its goal, and where it leads next; whether there is one."""
    state, kept = rooms.states[agent], rooms.paths[agent]
    on, last = state["on_path"], min(state["n_path"], kept.size) - 1
    if on < last and kept[on + 1] == state["cell"]:
        on += 1
    if on > last or kept[on] != state["cell"] or (on == last and kept[on] != state["goal"]):
        search.goals[0] = state["goal"]
        if find_path(rooms, search, agent, state["cell"], 1) == 0:
            return False
        on, last = 0, min(state["n_path"], kept.size) - 1
        while kept[on] != state["cell"]:
            on += 1
    state["on_path"] = on
    body["toward"], body["target"] = kept[min(on + 1, last)], kept[min(on + AHEAD, last)]
    return True


@inner
def move_on(rooms, crowds, agent, now):
    """The next cell of an agent in a crowded room, which has decided; if it stays in the room, it stands there then."""
    state, there = rooms.states[agent], crowds.agents[agent]["next"]
    leave_crowd(crowds, agent, state["cell"])
    if state["leaves"] == NOWHERE:
        crowds.spots[there]["occupant"] = agent
        stand(rooms, agent, there, now + 1)
        state["pushes"] += there != state["goal"] and state["cell"] == state["goal"]
    return there
