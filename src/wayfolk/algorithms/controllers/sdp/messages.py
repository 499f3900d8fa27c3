"""Messages between areas: what each holds, and the cells at which an agent may enter the next area."""

from wayfolk.algorithms.controllers.sdp.areas import ENTRY, link_between, steps_out
from wayfolk.algorithms.controllers.sdp.state import N_MESSAGES, SIDE
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.codes import NOWHERE


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
