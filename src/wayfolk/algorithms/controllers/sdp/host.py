"""One tick of the areas that one process runs, in three phases.

First every agent that needs a plan gets one, and areas ask others to take agents over (`requests`). Then those that were
asked answer (`answers`). Last the answers are put into effect, lanes look ahead again without those who leave, and all
agents move. What an area learns of another one it learns from messages, which arrive in the next phase. So the outcome does
not depend on which process runs which area.

The messages for these areas lie in one of the two boxes, in the order of `since` and `agent`. Each phase leaves its own in
the other box in the same order, `counts[N_MESSAGES]` of them. The first two phases return False if the table of
reservations must grow, and resume when they are called again. So the outcome does not depend on its size.
"""

from wayfolk.algorithms.controllers.sdp import lanes as traffic
from wayfolk.algorithms.controllers.sdp.answers import answer, hear
from wayfolk.algorithms.controllers.sdp.crowd_requests import calm_down, join_crowd, move_on, think_in_crowd
from wayfolk.algorithms.controllers.sdp.crowd_steps import decide
from wayfolk.algorithms.controllers.sdp.crowds import enter_crowd, has_just_changed, is_in_crowd, watch_rooms
from wayfolk.algorithms.controllers.sdp.messages import last_sent, send
from wayfolk.algorithms.controllers.sdp.requests import think_in_lane, think_in_room
from wayfolk.algorithms.controllers.sdp.rooms import is_crowded, let_go
from wayfolk.algorithms.controllers.sdp.routes import find_route
from wayfolk.algorithms.controllers.sdp.state import (
    AT,
    CANCEL,
    FULL,
    MOVED,
    N_INBOX,
    N_MESSAGES,
    N_ORDER,
    PHASE,
    RESPOND,
    REST,
    SIDE,
    THINK,
)
from wayfolk.algorithms.controllers.sdp.turns import give_up_turn, let_pass
from wayfolk.compile.jit import inlined, inner, kernel
from wayfolk.kernels.codes import NOWHERE


@inner
def _turn(counts, phase):
    """Begin a phase: empty the box for its messages; those that were sent in the phase before are its inbox."""
    counts[N_INBOX] = counts[N_MESSAGES]
    counts[SIDE] = 1 - counts[SIDE]
    counts[N_MESSAGES] = counts[AT] = 0
    counts[PHASE] = phase


@kernel
def pass_phase(arrays, phase, now):
    """Let a phase pass, for Python: THINK, RESPOND, or REST for the last one; False if it is not over."""
    if phase == THINK:
        return think(arrays, now)
    if phase == RESPOND:
        return respond(arrays, now)
    act(arrays, now)
    return True


@inlined
def think(arrays, now):
    """First phase: welcome agents, plan, and ask; False if it is not over."""
    counts = arrays.counts
    if counts[PHASE] == REST:
        _turn(counts, THINK)
        _welcome(arrays, counts[N_INBOX], now)
        if arrays.search.settings.crowds:
            order = arrays.order[: counts[N_ORDER]]
            watch_rooms(arrays.crowds, arrays.rooms.states, order, now)
            calm_down(arrays.rooms, arrays.crowds, order, now)
        let_pass(arrays.turns, now)
    while counts[AT] < counts[N_ORDER]:
        if is_crowded(arrays.rooms.table):
            return False
        agent = arrays.order[counts[AT]]
        counts[AT] += 1
        state = arrays.rooms.states[agent]
        if state["area"] >= arrays.areas.n_rooms:
            think_in_lane(arrays, agent, now)
            continue
        is_crowded_here = is_in_crowd(arrays.crowds, state["area"])
        if is_crowded_here and has_just_changed(arrays.crowds, state["area"], now):
            join_crowd(arrays, agent, now)
        if state["lost"] and state["leaves"] == NOWHERE:
            state["at"], state["lost"] = 0, False
            give_up_turn(arrays.turns, state)
            state["n_path"] = 0
            if not find_route(arrays.areas, arrays.routes, agent, state["cell"], state["goal"]):
                state["lost"] = True
                arrays.rooms.counts[FULL] = 1
        if is_crowded_here:
            think_in_crowd(arrays, agent, now)
        else:
            think_in_room(arrays, agent, now)
    return True


@inner
def _welcome(arrays, n_inbox, now):
    """Take in the agents that came in the last tick, forget those that left, and drop promises that are not needed."""
    states, lanes = arrays.rooms.states, arrays.lanes
    n = 0
    for k in range(arrays.counts[N_ORDER]):
        agent = arrays.order[k]
        if states[agent]["since"] < now and arrays.mine[states[agent]["area"]]:
            arrays.order[n] = agent
            n += 1
    for k in range(n_inbox):
        message = arrays.boxes[1 - arrays.counts[SIDE], k]
        agent, area = message["agent"], message["to"]
        if message["kind"] == CANCEL:
            traffic.forget(lanes, area - arrays.areas.n_rooms, agent)
            continue
        state = states[agent]
        if state["present"]:
            state["cell"], state["area"], state["at"], state["since"] = message["cells"][0], area, message["at"], now
            state["lost"] = state["lost"] or state["strays"]
            if is_in_crowd(arrays.crowds, area):
                enter_crowd(arrays.crowds, agent, state["cell"])
            at = n
            while at > 0 and arrays.order[at - 1] > agent and states[arrays.order[at - 1]]["since"] == now:
                arrays.order[at] = arrays.order[at - 1]
                at -= 1
            arrays.order[at] = agent
            n += 1
    arrays.counts[N_ORDER] = n


@inlined
def respond(arrays, now):
    """Second phase: answer those who ask; False if it is not over."""
    counts = arrays.counts
    if counts[PHASE] == THINK:
        _turn(counts, RESPOND)
    while counts[AT] < counts[N_INBOX]:
        if is_crowded(arrays.rooms.table):
            return False
        counts[AT] += 1
        answer(arrays, counts[AT] - 1, now)
    return True


@inlined
def act(arrays, now):
    """Third phase: put the answers into effect and move; the next cells of the agents here are in `next`."""
    areas, lanes, rooms = arrays.areas, arrays.lanes, arrays.rooms
    _turn(arrays.counts, REST)
    for k in range(arrays.counts[N_INBOX]):
        hear(arrays, k, now)
    for lane in range(lanes.lanes.size - 1):
        if lanes.lanes[lane]["count"] > 0:
            _flow(lanes, arrays.next, lane, now)
    order = arrays.order[: arrays.counts[N_ORDER]]
    decide(arrays.crowds, rooms.states, order, now)
    for agent in order:
        state = rooms.states[agent]
        is_crowded_here = is_in_crowd(arrays.crowds, state["area"])
        if is_crowded_here:
            arrays.next[agent] = move_on(rooms, arrays.crowds, agent, now)
        elif state["area"] < areas.n_rooms:
            arrays.next[agent] = _follow(state, rooms.ways[state["row"], agent], now)
        there, sender = arrays.next[agent], state["area"]
        state["cell"] = there
        if areas.area[there] != sender:
            if sender < areas.n_rooms and not is_crowded_here:
                let_go(rooms, agent, state["row"], state["first"], state["n"], False, now)
            state["leaves"] = NOWHERE
            state["area"], state["since"] = areas.area[there], now + 1
            state["at"] += 1
            send(rooms.states, arrays.boxes, arrays.counts, state["area"], agent, MOVED, sender, now + 1)
            last_sent(arrays)["cells"][0] = there


@inner
def _flow(lanes, next_cells, lane, now):
    """Let the agents of a lane make their next move: by new traffic if it keeps all promises, else by what was kept."""
    row = lanes.lanes[lane]
    someone_goes = False
    for i in range(row["count"]):
        someone_goes = someone_goes or lanes.members[lanes.queue[row["first"] + i]]["goes"] != NOWHERE
    if (someone_goes or row["kept"] <= now + 1) and traffic.look_ahead(lanes, lane, now):
        traffic.keep(lanes, lane, now)
    i = 0
    while i < row["count"]:
        slot = lanes.queue[row["first"] + i]
        member = lanes.members[slot]
        if member["goes"] != NOWHERE:
            next_cells[member["agent"]] = member["goes"]
            traffic.remove_member(lanes, lane, slot)
            continue
        if member["enters"] <= now:
            member["cell"] = traffic.cell_at(lanes, slot, now + 1)
            next_cells[member["agent"]] = member["cell"]
        i += 1


@inner
def _follow(state, way, now):
    """The next cell of the plan of an agent in a room."""
    k = now + 1 - state["first"]
    if k >= state["n"] and state["leaves"] != NOWHERE:
        return state["leaves"]
    return way[min(k, state["n"] - 1)]
