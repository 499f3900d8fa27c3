"""Crowded rooms: agents push each other on, one move at a time, by priority inheritance with backtracking.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding", 2022.

Where the paths of many agents meet head-on, plans that never collide cannot be found any more: each must end in a cell
that nobody else needs. A room in which JAM agents have failed to plan again and again becomes crowded. It cancels all
plans and promises; from then on its agents decide from tick to tick. When only CALM agents are under way, it plans again.

In a crowded room agents come nearer to the next lane by a field of distances, one for each way through a lane, or follow
their path to their goal. Who came into the room first goes first; who was pushed off its goal goes after those who have
not been there. Agents that wait for their turn stay where they are until somebody pushes them. A lane is asked when the
agent stands beside it. A lane that wants to hand over an agent into a cell in which another one stands finds it empty in
the next tick, if anybody there can move.

Invariants  no two agents have the same next cell, and none swap or cross. A crowded room has no reservations, and promises
            a cell for the next tick only if it is empty.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.areas import Areas, link_between, steps_out
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crossing import corners
from wayfolk.kernels.jit import inner
from wayfolk.kernels.lazy import lazy_zeros

JAM = 16  # agents without a way that make a room crowded
STUCK = 4  # times that such an agent has failed to plan
HOPELESS = 16  # times after which a single one is enough, or that it was pushed off its goal
CALM = 8  # agents under way with which a room plans again
LEAST = 64  # ticks for which a room is crowded at least
AHEAD = 3  # cells on its path that an agent looks ahead
EPOCH = 16  # ticks after which other agents come first among those who return to their goals
BOLD = 4  # one time of so many an agent does not prefer empty cells
RESTS, GOES, RETURNS = range(3)  # what an agent wants: to stay, to go on, to come back to its goal
_STAY = 8
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
PLACE = np.dtype(
    [
        ("claim", np.int64),  # the time for which somebody has claimed it
        ("wanted", np.int64),  # the last tick in which a lane asked for it while it was not empty
        ("occupant", np.int32),  # in crowded rooms
        ("index", np.int32),  # among the cells of its room
    ],
    align=True,
)
FIELD = np.dtype([("first", np.int64), ("known", np.bool_)], align=True)
PUSHED = np.dtype(
    [
        ("decided", np.int64),  # the time for which `next` is where it will be
        ("choices", np.int64),  # moves, the best in the lowest four bits
        ("field", np.int64),  # where the distances to its lane begin, or NOWHERE
        ("next", np.int32),
        ("parent", np.int32),  # who pushes it
        ("toward", np.int32),  # the next cell of its path
        ("target", np.int32),  # a cell further on its path
        ("wish", np.uint8),
        ("n_choices", np.uint8),
        ("tried", np.uint8),
    ],
    align=True,
)


class CrowdArrays(NamedTuple):
    """Rooms, cells and agents, as far as pushing is concerned.

    `fields[first_field[link] + k]` are the distances to the entrance `link` of a lane, for those who leave the lane by its
    k-th link; `distances` holds them, one for each cell of the room. `queue` and `keys` are scratch.
    """

    rooms: NDArray[np.void]
    places: NDArray[np.void]
    agents: NDArray[np.void]
    fields: NDArray[np.void]
    first_field: NDArray[np.int32]
    distances: NDArray[np.int32]
    queue: NDArray[np.int32]
    keys: NDArray[np.int64]
    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    is_mouth: NDArray[np.bool_]


def new_crowds(
    areas: Areas, inside: NDArray[np.uint8], offsets: NDArray[np.int32], is_mouth: NDArray[np.bool_], n_agents: int
) -> CrowdArrays:
    """No room is crowded."""
    places = np.zeros(len(areas.area), PLACE)
    places["occupant"], places["wanted"] = NOBODY, -1
    in_rooms = np.flatnonzero(areas.area < areas.n_rooms)
    in_rooms = in_rooms[np.argsort(areas.area[in_rooms], kind="stable")]
    sizes = np.bincount(areas.area[in_rooms], minlength=areas.n_rooms)
    places["index"][in_rooms] = np.arange(in_rooms.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    n_exits = np.diff(areas.first_link)[areas.links["to_area"]]
    n_exits[areas.links["from_area"] >= areas.n_rooms] = 0
    fields = np.zeros(int(n_exits.sum()), FIELD)
    each = np.append(sizes, 0)[np.minimum(np.repeat(areas.links["from_area"], n_exits), areas.n_rooms)]
    fields["first"] = np.cumsum(each) - each
    rooms = np.zeros(areas.n_rooms, CROWD)
    rooms["since"] = -1
    return CrowdArrays(
        rooms=rooms,
        places=places,
        agents=np.zeros(n_agents, PUSHED),
        fields=fields,
        first_field=(np.cumsum(n_exits) - n_exits).astype(np.int32),
        distances=lazy_zeros((int(each.sum()),), np.int32),
        queue=np.zeros(int(sizes.max(initial=0)), np.int32),
        keys=np.zeros(9, np.int64),
        legal=inside,
        offsets=offsets,
        is_mouth=is_mouth,
    )


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
    crowds.places[cell]["occupant"] = agent
    crowds.agents[agent]["wish"] = RESTS


@inner
def leave_crowd(crowds, agent, cell):
    """Let nobody stand in `cell`, if that was `agent`."""
    if crowds.places[cell]["occupant"] == agent:
        crowds.places[cell]["occupant"] = NOBODY


@inner
def admit(crowds, cells, now):
    """Which of `cells` is given to an agent that comes in the next tick: NOWHERE, if others have to leave one first."""
    for k in range(cells.size):
        if cells[k] == NOWHERE:
            break
        place = crowds.places[cells[k]]
        if place["occupant"] == NOBODY and place["claim"] <= now:
            place["claim"] = now + 1
            return cells[k]
    for k in range(cells.size):
        if cells[k] == NOWHERE:
            break
        crowds.places[cells[k]]["wanted"] = now
    return NOWHERE


@inner
def field_to(crowds, areas, room, lane, then):
    """Where the distances to `lane` begin, for an agent in `room` that goes on to the area `then`; they are found once."""
    entrance, exit = link_between(areas, room, lane), link_between(areas, lane, then)
    field = crowds.fields[crowds.first_field[entrance] + exit - areas.first_link[lane]]
    if not field["known"]:
        field["known"] = True
        _measure(crowds, areas, room, entrance, exit, field["first"])
    return field["first"]


@inner
def _measure(crowds, areas, room, entrance, exit, first):
    """Write the number of moves from each cell of `room` to the nearest from which `entrance` leads to `exit`."""
    places, queue, distances = crowds.places, crowds.queue, crowds.distances
    n = 0
    for k in range(areas.links[entrance]["first"], areas.links[entrance]["last"]):
        cell, at = areas.transitions[k]["from_cell"], first + places[areas.transitions[k]["from_cell"]]["index"]
        if distances[at] == 0 and steps_out(areas, areas.transitions[k]["to_cell"], exit) != NOWHERE:
            distances[at] = 1
            queue[n] = cell
            n += 1
    done = 0
    while done < n:
        cell = queue[done]
        done += 1
        left = distances[first + places[cell]["index"]]
        for k in range(8):
            if (crowds.legal[cell] >> k) & 1:
                there = cell + crowds.offsets[k]
                at = first + places[there]["index"]
                if distances[at] == 0:
                    distances[at] = left + 1
                    queue[n] = there
                    n += 1


@inner
def moves_left(crowds, field, cell):
    """How many moves lead from `cell` to the end of a field."""
    left = crowds.distances[field + crowds.places[cell]["index"]]
    return left - 1 if left > 0 else _FAR


@inner
def decide(crowds, states, order, now):
    """Set `next` for all agents of crowded rooms among those in `order`."""
    agents, places = crowds.agents, crowds.places
    for agent in order:
        state = states[agent]
        if is_in_crowd(crowds, state["area"]) and (state["fixed"] or state["leaves"] != NOWHERE):
            stays = state["leaves"] == NOWHERE
            agents[agent]["decided"] = now + 1
            agents[agent]["next"] = state["cell"] if stays else state["leaves"]
            if stays:
                places[state["cell"]]["claim"] = now + 1
    for turn in range(5):  # who stands where a lane needs room, who goes on, who returns (in two parts), and the rest
        for agent in order:
            state, pushed = states[agent], agents[agent]
            if not is_in_crowd(crowds, state["area"]) or pushed["decided"] > now:
                continue
            if turn == _turn_of(crowds, state, agent, now):
                _settle(crowds, states, agent, now)
            elif turn == 4:
                pushed["decided"], pushed["next"] = now + 1, state["cell"]


@inner
def _turn_of(crowds, state, agent, now):
    """In which turn of `decide` an agent settles; NOWHERE if it stays unless it is pushed."""
    wish = crowds.agents[agent]["wish"]
    if crowds.places[state["cell"]]["wanted"] == now:
        return np.int32(0)
    if wish == GOES:
        return np.int32(1)
    if wish == RETURNS:
        return np.int32(2 + (_luck(agent, now // EPOCH) & 1))
    return np.int32(3) if crowds.is_mouth[state["cell"]] else NOWHERE


@inner
def _luck(agent, time):
    """A number below 2^31 that looks random, the same on every host."""
    mixed = (np.int64(agent) * 40503 + time * 60493 + 12345) & 0x7FFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 0x2C1B3C6D) & 0x7FFFFFFF
    return mixed ^ (mixed >> 12)


@inner
def _settle(crowds, states, root, now):
    """Find a next cell for `root`, and for all agents that it pushes."""
    agents, places = crowds.agents, crowds.places
    agent = root
    _begin(crowds, states[root], root, NOBODY, now)
    while True:
        body, here = agents[agent], states[agent]["cell"]
        if body["tried"] == body["n_choices"]:  # it stays, and the agent that pushed it tries its next choice
            body["next"] = here
            places[here]["claim"] = now + 1
            if agent == root:
                return
            agent = body["parent"]
            continue
        k = (body["choices"] >> (4 * body["tried"])) & 15
        body["tried"] += 1
        there = here if k == _STAY else here + crowds.offsets[k]
        if places[there]["claim"] > now or (k != _STAY and not _is_clear(crowds, here, there, k, now)):
            continue
        body["next"] = there
        places[there]["claim"] = now + 1
        other = places[there]["occupant"]
        if other == NOBODY or agents[other]["decided"] > now:
            return
        _begin(crowds, states[other], other, agent, now)
        agent = other


@inner
def _begin(crowds, state, agent, parent, now):
    """Sort the choices of an agent: the nearest to where it wants to go first, mostly empty cells before others."""
    body, places, keys, here = crowds.agents[agent], crowds.places, crowds.keys, state["cell"]
    body["decided"], body["parent"], body["next"], body["tried"] = now + 1, parent, NOWHERE, 0
    luck = _luck(agent, now)
    n = 0
    for k in range(9):
        if k != _STAY and not (crowds.legal[here] >> k) & 1:
            continue
        there = here if k == _STAY else here + crowds.offsets[k]
        if k != _STAY and places[there]["wanted"] == now:
            continue
        is_taken = k != _STAY and places[there]["occupant"] != NOBODY and (luck >> 20) % BOLD != 0
        key = np.int64(2 * _cost(crowds, body, there, k) + is_taken) << 7
        key += (((luck >> k) & 7) << 4) + k
        at = n
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key
        n += 1
    choices = np.int64(0)
    for at in range(n):
        choices |= (keys[at] & 15) << (4 * at)
    body["choices"], body["n_choices"] = choices, n


@inner
def _cost(crowds, body, cell, k):
    """How far `cell`, to which move `k` leads, is from where an agent wants to go, in half moves."""
    if body["wish"] == RESTS:
        return (1 if k != _STAY else 0) + (2 if crowds.is_mouth[cell] else 0)
    if body["field"] != NOWHERE:
        return 2 * moves_left(crowds, body["field"], cell)
    stride = np.int64(crowds.offsets[1])
    y, target_y = cell // stride, body["target"] // stride
    across = abs((cell - y * stride) - (body["target"] - target_y * stride))
    return 2 * max(across, abs(y - target_y)) + (0 if cell == body["toward"] else 1)


@inner
def _is_clear(crowds, here, there, k, now):
    """Whether nobody has decided to make move `k`, from `here` to `there`, the other way, or to cross it."""
    agents, places = crowds.agents, crowds.places
    other = places[there]["occupant"]
    if other != NOBODY and agents[other]["decided"] > now and agents[other]["next"] == here:
        return False
    if k < 4:
        return True
    beside, across = corners(crowds.offsets, here, k)
    one, two = places[beside]["occupant"], places[across]["occupant"]
    crosses = one != NOBODY and agents[one]["decided"] > now and agents[one]["next"] == across
    return not crosses and not (two != NOBODY and agents[two]["decided"] > now and agents[two]["next"] == beside)
