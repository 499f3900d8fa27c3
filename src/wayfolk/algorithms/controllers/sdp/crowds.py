"""Crowded rooms: agents push each other on, one move at a time (see `crowd_steps`).

Where the paths of many agents meet head-on, plans that never collide cannot be found any more: each must end in a cell
that nobody else needs. A room in which JAM agents have failed to plan several times, or one HOPELESS times, becomes
crowded. It cancels all plans and promises; from then on its agents decide from tick to tick. When only CALM agents are
under way, it plans again.

In a crowded room agents come nearer to the next lane by a field of distances, one for each way through a lane, or follow
their path to their goal. Agents that wait for their turn stay where they are until somebody pushes them. A lane is asked
when the agent stands beside it. A lane that wants to hand over an agent into a cell in which another one stands finds it
empty in the next tick, if anybody there can move.

Invariants  each agent of a crowded room is the occupant of its cell. Nothing is reserved there, and a cell is promised for
            the next tick only, if it is empty.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.areas import Areas, link_between, steps_out
from wayfolk.algorithms.priority_inheritance import BODY
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.lazy import lazy_zeros

JAM = 16  # agents without a way that make a room crowded
STUCK = 4  # times that such an agent has failed to plan
HOPELESS = 16  # times after which a single one is enough, or that it was pushed off its goal
CALM = 8  # agents under way with which a room plans again
LEAST = 64  # ticks for which a room is crowded at least
AHEAD = 3  # cells on its path that an agent looks ahead
RESTS, GOES, RETURNS = range(3)  # what an agent wants: to stay, to go on, to come back to its goal
_FAR = np.int32(1 << 28)

CROWD = np.dtype(
    [
        ("is_crowded", np.bool_),
        ("since", np.int64),  # when that changed
        ("n_stuck", np.int32),
        ("n_going", np.int32),
    ],
    align=True,
)
FIELD = np.dtype([("first", np.int64), ("known", np.bool_)], align=True)
PUSHED = np.dtype(
    [
        *BODY,
        ("field", np.int64),  # where the distances to its lane begin, or NOWHERE
        ("toward", np.int32),  # the next cell of its path
        ("target", np.int32),  # a cell further on its path
        ("wish", np.uint8),
    ],
    align=True,
)


class CrowdArrays(NamedTuple):
    """Rooms, cells and agents, as far as pushing is concerned.

    `fields[first_field[link] + k]` are the distances to the entrance `link` of a lane, for those who leave the lane by its
    k-th link; `distances` holds them, one for each cell of the room. `spots` is the array of that name in
    `LaneArrays`: no cell is in a lane and in a room. `step` is the time for which agents decide. `queue` and `keys` are
    scratch.
    """

    rooms: NDArray[np.void]
    spots: NDArray[np.void]
    agents: NDArray[np.void]
    fields: NDArray[np.void]
    first_field: NDArray[np.int32]
    distances: NDArray[np.int32]
    queue: NDArray[np.int32]
    keys: NDArray[np.int64]
    step: NDArray[np.int64]
    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]


def new_crowds(
    areas: Areas, inside: NDArray[np.uint8], offsets: NDArray[np.int32], spots: NDArray[np.void], n_agents: int
) -> CrowdArrays:
    """No room is crowded. The `index` of cells is written to `spots`."""
    sizes = np.zeros(areas.n_rooms, np.int64)
    _number_cells(areas.area, sizes, spots)
    n_exits = np.diff(areas.first_link)[areas.links["to_area"]]
    n_exits[areas.links["from_area"] >= areas.n_rooms] = 0
    each = np.append(sizes, 0)[np.minimum(np.repeat(areas.links["from_area"], n_exits), areas.n_rooms)]
    fields = np.zeros(len(each), FIELD)
    fields["first"] = np.cumsum(each) - each
    rooms = np.zeros(areas.n_rooms, CROWD)
    rooms["since"] = -1
    return CrowdArrays(
        rooms=rooms,
        spots=spots,
        agents=np.zeros(n_agents, PUSHED),
        fields=fields,
        first_field=(np.cumsum(n_exits) - n_exits).astype(np.int32),
        distances=lazy_zeros((int(each.sum()),), np.int32),
        queue=np.zeros(int(sizes.max(initial=0)), np.int32),
        keys=np.zeros(9, np.int64),
        step=np.zeros(1, np.int64),
        legal=inside,
        offsets=offsets,
    )


@kernel
def _number_cells(area, sizes, spots):
    """Write the index of each cell of a room among those of the room, and how many there are."""
    for cell in range(area.size):
        if area[cell] < sizes.size:
            spots[cell]["index"] = sizes[area[cell]]
            sizes[area[cell]] += 1


@inner
def is_in_crowd(crowds, area):
    """Whether `area` is a crowded room."""
    return area < crowds.rooms.size and crowds.rooms[area]["is_crowded"]


@inner
def has_just_changed(crowds, area, now):
    """Whether a room has become crowded, or calm, in this tick."""
    return crowds.rooms[area]["since"] == now


@inner
def watch_rooms(crowds, states, order, now):
    """Let rooms in which many agents are stuck be crowded, and those in which few are under way be calm.

    `order` are the agents that are here.
    """
    for room in range(crowds.rooms.size):
        crowds.rooms[room]["n_stuck"] = crowds.rooms[room]["n_going"] = 0
    for agent in order:
        state = states[agent]
        if state["area"] < crowds.rooms.size:
            room = crowds.rooms[state["area"]]
            is_hopeless = state["fails"] >= HOPELESS or state["pushes"] >= HOPELESS
            room["n_stuck"] += JAM if is_hopeless else state["fails"] >= STUCK
            room["n_going"] += crowds.agents[agent]["wish"] != RESTS
    for k in range(crowds.rooms.size):
        room = crowds.rooms[k]
        is_over = room["n_going"] <= CALM and now >= room["since"] + LEAST
        if is_over if room["is_crowded"] else room["n_stuck"] >= JAM:
            room["is_crowded"] = not room["is_crowded"]
            room["since"] = now


@inner
def enter_crowd(crowds, agent, cell):
    """Let `agent` stand in `cell` of a crowded room, and want nothing so far."""
    crowds.spots[cell]["occupant"] = agent
    crowds.agents[agent]["wish"] = RESTS


@inner
def leave_crowd(crowds, agent, cell):
    """Let nobody stand in `cell`, if that was `agent`."""
    if crowds.spots[cell]["occupant"] == agent:
        crowds.spots[cell]["occupant"] = NOBODY


@inner
def admit(crowds, cells, now):
    """Which of `cells` is given to an agent that comes in the next tick: NOWHERE, if others have to leave one first."""
    for k in range(cells.size):
        if cells[k] == NOWHERE:
            break
        spot = crowds.spots[cells[k]]
        if spot["occupant"] == NOBODY and spot["claim"] <= now:
            spot["claim"] = now + 1
            return cells[k]
    for k in range(cells.size):
        if cells[k] == NOWHERE:
            break
        crowds.spots[cells[k]]["wanted"] = now
    return NOWHERE


@inner
def field_to(crowds, areas, room, lane, then):
    """Where the distances to `lane` begin, for an agent in `room` that goes on to the area `then`; NOWHERE if it cannot.

    They are found when they are needed for the first time.
    """
    entrance, exit = link_between(areas, room, lane), link_between(areas, lane, then)
    if entrance == NOWHERE or exit == NOWHERE:
        return np.int64(NOWHERE)
    field = crowds.fields[crowds.first_field[entrance] + exit - areas.first_link[lane]]
    if not field["known"]:
        field["known"] = True
        _measure(crowds, areas, room, entrance, exit, field["first"])
    return field["first"]


@inner
def _measure(crowds, areas, room, entrance, exit, first):
    """Write the number of moves from each cell of `room` to the nearest from which `entrance` leads to `exit`."""
    spots, queue, distances = crowds.spots, crowds.queue, crowds.distances
    n = 0
    for k in range(areas.links[entrance]["first"], areas.links[entrance]["last"]):
        cell, at = areas.transitions[k]["from_cell"], first + spots[areas.transitions[k]["from_cell"]]["index"]
        if distances[at] == 0 and steps_out(areas, areas.transitions[k]["to_cell"], exit) != NOWHERE:
            distances[at] = 1
            queue[n] = cell
            n += 1
    done = 0
    while done < n:
        cell = queue[done]
        done += 1
        left = distances[first + spots[cell]["index"]]
        for k in range(8):
            if (crowds.legal[cell] >> k) & 1:
                there = cell + crowds.offsets[k]
                at = first + spots[there]["index"]
                if distances[at] == 0:
                    distances[at] = left + 1
                    queue[n] = there
                    n += 1


@inner
def moves_left(crowds, field, cell):
    """How many moves lead from `cell` to the end of a field."""
    left = crowds.distances[field + crowds.spots[cell]["index"]]
    return left - 1 if left > 0 else _FAR
