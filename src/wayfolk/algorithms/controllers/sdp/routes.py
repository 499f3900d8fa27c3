"""High-level paths: the areas that an agent goes through, found without looking at the other agents.

By `jps`, the cells of a shortest path on the map are grouped by area. A corridor that the path enters and leaves on the
same side is left out; of the two lanes of a corridor that it goes through the one is taken that leads the right way. By
`astar`, or where the path only cuts a corner of a corridor, the graph of areas is searched: its nodes are links, from one
area to another, and costs are distances between their middle transitions on an empty map.

Invariants  each area of a route has a link to the next; a lane can be left to the area after it by who enters it from the
            area before it.
"""

import numpy as np

from wayfolk.algorithms.controllers.sdp.areas import link_between, steps_out
from wayfolk.compile.jit import inner
from wayfolk.kernels import heap
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.jumps.paths import jump_path


@inner
def entry_cells(areas, room, lane, then, cells):
    """Write the cells of `room` from which `lane` can be entered on the way to the area `then`; how many there are."""
    entrance, exit = link_between(areas, room, lane), link_between(areas, lane, then)
    if entrance == NOWHERE or exit == NOWHERE:
        return 0
    n = 0
    for k in range(areas.links[entrance]["first"], areas.links[entrance]["last"]):
        cell = areas.transitions[k]["from_cell"]
        is_new = n == 0 or cells[n - 1] != cell
        if is_new and n < cells.size and steps_out(areas, areas.transitions[k]["to_cell"], exit) != NOWHERE:
            cells[n] = cell
            n += 1
    return n


@inner
def leads(areas, entrance, exit):
    """Whether an agent that comes into an area by the link `entrance` can leave it by the link `exit`.

    From a room it goes where that is so; a lane hands it over anywhere, so all transitions must lead on.
    """
    if areas.links[exit]["from_area"] < areas.n_rooms:
        return True
    first, last = areas.links[entrance]["first"], areas.links[entrance]["last"]
    n_leading = 0
    for k in range(first, last):
        n_leading += steps_out(areas, areas.transitions[k]["to_cell"], exit) != NOWHERE
    return n_leading == last - first or (n_leading > 0 and areas.links[entrance]["from_area"] < areas.n_rooms)


@inner
def find_route(areas, routes, agent, cell, goal):
    """Write the areas from `cell` to `goal` to the row of `agent`; False if there is not room for them.

    Only the area of the cell is written if there is no way.
    """
    area = areas.area[cell]
    routes.route[agent, 0] = area
    routes.n_route[agent] = 1
    if areas.area[goal] == area:
        return True
    if routes.jumps_first and area < areas.n_rooms and _follow_path(areas, routes, agent, cell, goal):
        return True
    return _search_areas(areas, routes, agent, cell, goal)


@inner
def _follow_path(areas, routes, agent, start, goal):
    """Group the cells of a shortest path by area; False if that gives no route."""
    route = routes.route[agent]
    routes.goal[0] = goal
    n_path = jump_path(routes.jumps, routes.legal, routes.offsets, start, routes.goal, 1, routes.path)
    if n_path == 0 or n_path > routes.path.size:
        return False
    n = 1
    passed = NOWHERE  # the first lane of the corridor that the path goes through
    for k in range(n_path):
        area = areas.area[routes.path[k]]
        if area >= areas.n_rooms:
            lane = np.int32(area - (area - areas.n_rooms) % 2)
            if passed != NOWHERE and passed != lane:
                return False
            passed = lane
            continue
        if area != route[n - 1]:
            lane = _lane_between(areas, route[n - 1], passed, area)
            if lane == NOWHERE or n + 2 > route.size:
                return False
            route[n], route[n + 1] = lane, area
            n += 2
        passed = NOWHERE
    routes.n_route[agent] = n
    return True


@inner
def _lane_between(areas, room, lane, other):
    """Of `lane` and the next, which are those of a corridor, the one that leads from `room` to `other`, or NOWHERE."""
    if lane == NOWHERE:
        return NOWHERE
    for candidate in range(lane, lane + 2):
        entrance, exit = link_between(areas, room, candidate), link_between(areas, candidate, other)
        if entrance != NOWHERE and exit != NOWHERE and leads(areas, entrance, exit):
            return np.int32(candidate)
    return NOWHERE


@inner
def _search_areas(areas, routes, agent, start, goal):
    """A* over the links; False if there is not room for the route."""
    gates, links = routes.gates, areas.links
    area = areas.area[start]
    routes.counts[0] += 1
    n_open = 0
    for k in range(areas.first_link[area], areas.first_link[area + 1]):
        if area < areas.n_rooms or steps_out(areas, start, k) != NOWHERE:
            cost = _distance(routes.offsets, start, areas.transitions[_middle(areas, k)]["from_cell"])
            n_open = _open_gate(areas, routes, k, NOWHERE, cost, goal, n_open)
    while n_open > 0:
        at = routes.open[0]["item"]
        is_stale = -routes.open[0]["tie"] != gates[at]["cost"]
        n_open = heap.pop(routes.open, n_open)
        if is_stale:
            continue
        area = links[at]["to_area"]
        if area == areas.area[goal]:
            return _write_route(areas, routes, agent, at)
        for k in range(areas.first_link[area], areas.first_link[area + 1]):
            if links[k]["to_area"] == links[at]["from_area"] or not leads(areas, at, k):
                continue
            cost = gates[at]["cost"] + 1
            cost += _distance(
                routes.offsets,
                areas.transitions[_middle(areas, at)]["to_cell"],
                areas.transitions[_middle(areas, k)]["from_cell"],
            )
            if n_open < routes.open.size and (gates[k]["stamp"] != routes.counts[0] or cost < gates[k]["cost"]):
                n_open = _open_gate(areas, routes, k, at, cost, goal, n_open)
    return True


@inner
def _middle(areas, link):
    """The number of the middle one of the transitions of `link`."""
    return (areas.links[link]["first"] + areas.links[link]["last"] - 1) // 2


@inner
def _open_gate(areas, routes, link, parent, cost, goal, n_open):
    gate = routes.gates[link]
    gate["cost"], gate["parent"], gate["stamp"] = cost, parent, routes.counts[0]
    left = _distance(routes.offsets, areas.transitions[_middle(areas, link)]["to_cell"], goal)
    return heap.push(routes.open, n_open, cost + left, -cost, link)


@inner
def _write_route(areas, routes, agent, link):
    """Write the areas behind the links that led to `link`; False if there is not room for them."""
    n = 1
    at = link
    while at != NOWHERE:
        n += 1
        at = routes.gates[at]["parent"]
    if n > routes.route.shape[1]:
        return False
    routes.n_route[agent] = n
    at = link
    for k in range(n - 1, 0, -1):
        routes.route[agent, k] = areas.links[at]["to_area"]
        at = routes.gates[at]["parent"]
    return True


@inner
def _distance(offsets, cell, other):
    """The number of straight moves between two cells on an empty map."""
    stride = offsets[1]
    return abs(cell // stride - other // stride) + abs(cell % stride - other % stride)
