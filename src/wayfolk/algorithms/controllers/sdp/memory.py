"""The arrays of SDP for a map and its agents, and larger ones when they are full."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp import lanes as traffic
from wayfolk.algorithms.controllers.sdp.areas import ROOM, Areas
from wayfolk.algorithms.controllers.sdp.crowds import new_crowds
from wayfolk.algorithms.controllers.sdp.state import (
    FULL,
    GATE,
    HORIZON,
    LANE,
    MEMBER,
    MESSAGE,
    SPOT,
    STATE,
    TREE,
    AreaArrays,
    LaneArrays,
    RoomArrays,
    RouteArrays,
    SdpSettings,
    SearchArrays,
)
from wayfolk.algorithms.controllers.sdp.ticks import SdpArrays
from wayfolk.algorithms.controllers.sdp.turns import new_turns
from wayfolk.kernels import heap, reservations, rra, space_time
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.evading import new_evading
from wayfolk.kernels.jumps.paths import new_jumps
from wayfolk.kernels.reservation_rules import NEVER, Rules
from wayfolk.kernels.rows import with_rows
from wayfolk.world.grid import Grid, Moves

WAY = 256  # cells of a plan for which there is room to begin with
TABLE = 60  # full ways that half of the table of reservations can hold at least; to plan for an agent takes up to 20
ROUTE = 32  # areas of a route, likewise
KEPT = 512  # cells of a path that are kept for an agent
SHELTER = 512  # nodes of a search for a cell to step aside to
NODES = 1 << 12  # nodes of a search by Cooperative A*, at least


def new_arrays(grid: Grid, areas: Areas, settings: SdpSettings, n: int) -> SdpArrays:
    """Memory for `n` agents on `grid`, with all areas in one process."""
    diagonal = 2 if grid.moves is Moves.FOUR else 1
    longest = max(WAY, len(grid.free_cells) // 2)
    read = AreaArrays(*(getattr(areas, name) for name in AreaArrays._fields))
    nothing = np.full(grid.n_cells, NEVER, np.int32)
    spots = _new_spots(areas, grid.n_cells)
    inside = areas.inside.view()
    inside.flags.writeable = False  # like `grid.legal`, so that kernels are compiled once for both
    return SdpArrays(
        areas=read,
        lanes=_new_lanes(grid, areas, read, spots),
        rooms=RoomArrays(
            states=np.zeros(n, STATE),
            ways=np.zeros((2, n, WAY), np.int32),
            paths=np.zeros((n, KEPT), np.int32),
            rules=Rules(inside, grid.offsets, np.ones(9, np.int32), nothing, np.zeros(grid.n_cells, np.int32)),
            fixed=nothing.copy(),
            parked_by=np.full(grid.n_cells, NOBODY, np.int32),
            spots=spots,
            area=areas.area,
            last=np.zeros(areas.n_rooms, np.int64),
            table=reservations.new_reservations(max(64 * n, TABLE * WAY)),
            tree=np.zeros(SHELTER, TREE),
            cells=np.zeros(longest, np.int32),
            counts=np.zeros(1, np.int64),
            n_rooms=areas.n_rooms,
        ),
        search=SearchArrays(
            jumps=new_jumps(inside, grid.offsets, diagonal),
            evading=new_evading(longest),
            nodes=space_time.new_nodes(_n_nodes(settings)),
            rra=rra.new_rra(grid, 1, 1, diagonal),
            path=np.zeros(longest, np.int32),
            slots=np.zeros(longest, np.int32),
            goals=np.zeros(int((areas.links["last"] - areas.links["first"]).max(initial=1)), np.int32),
            settings=settings,
        ),
        routes=RouteArrays(
            route=np.zeros((n, ROUTE), np.int32),
            n_route=np.zeros(n, np.int32),
            gates=np.zeros(len(areas.links), GATE),
            open=np.zeros(4 * len(areas.links) + 16, heap.ROW),
            counts=np.zeros(1, np.int64),
            jumps=new_jumps(grid.legal, grid.offsets, diagonal),
            path=np.zeros(longest, np.int32),
            goal=np.zeros(1, np.int32),
            legal=grid.legal,
            offsets=grid.offsets,
            jumps_first=settings.jumps_first,
        ),
        turns=new_turns(len(areas.links)),
        crowds=new_crowds(areas, inside, grid.offsets, spots, n),
        mine=np.ones(len(areas.first) - 1, np.bool_),
        order=np.zeros(n, np.int32),
        next=np.zeros(n, np.int32),
        boxes=np.zeros((2, 2 * n + 1), MESSAGE),
        counts=np.zeros(7, np.int64),
    )


def _n_nodes(settings: SdpSettings) -> int:
    """Nodes for a search by Cooperative A*, if there are such."""
    is_used = settings.rescue or not settings.jumps
    return 1 << min(max(8 * settings.effort, NODES).bit_length(), 22) if is_used else NODES


def _new_spots(areas: Areas, n_cells: int) -> NDArray[np.void]:
    """Cells in which nobody is."""
    spots = np.zeros(n_cells, SPOT)
    spots["occupant"], spots["wanted"] = NOBODY, -1
    for name in ("from_cell", "to_cell"):
        cells = areas.transitions[name]
        spots["is_mouth"][cells] = areas.part[cells] == ROOM
    return spots


def _new_lanes(grid: Grid, areas: Areas, read: AreaArrays, spots: NDArray[np.void]) -> LaneArrays:
    n = len(areas.cells)
    lanes = np.zeros(len(areas.first_cell), LANE)
    lanes["first"] = areas.first_cell
    choices = np.zeros((len(areas.steps), 6), np.int32)
    traffic.order_choices(read, areas.inside, grid.offsets, areas.depth, areas.cells, areas.first_cell, choices)
    return LaneArrays(
        lanes=lanes,
        members=np.zeros(n, MEMBER),
        queue=np.zeros(n, np.int32),
        traffic=np.zeros((n, HORIZON + 1), np.int32),
        ahead=np.zeros((n, HORIZON + 1), np.int32),
        choices=choices,
        cells=areas.cells,
        place=areas.place,
        spots=spots,
        stack=np.zeros(n + 1, np.int32),
        counts=np.zeros(1, np.int64),
    )


def enlarged(arrays: SdpArrays) -> SdpArrays:
    """The same with room for plans and routes that are twice as long."""
    rooms, routes = arrays.rooms, arrays.routes
    ways = np.zeros((2, rooms.ways.shape[1], 2 * rooms.ways.shape[2]), np.int32)
    ways[:, :, : rooms.ways.shape[2]] = rooms.ways
    route = np.zeros((len(routes.route), 2 * routes.route.shape[1]), np.int32)
    route[:, : routes.route.shape[1]] = routes.route
    rooms.counts[FULL] = 0
    table = reservations.with_room(rooms.table, TABLE * ways.shape[2])
    return arrays._replace(rooms=rooms._replace(ways=ways, table=table), routes=routes._replace(route=route))


def with_larger_table(arrays: SdpArrays) -> SdpArrays:
    """The same with room for more reservations."""
    rooms = arrays.rooms
    table = reservations.with_room(rooms.table, len(rooms.table.entries) // 8)
    return arrays._replace(rooms=rooms._replace(table=table))


def with_agents(arrays: SdpArrays, n: int) -> SdpArrays:
    """The same with rows for `n` agents."""
    rooms, routes = arrays.rooms, arrays.routes
    n_old = len(rooms.states)
    ways = np.zeros((2, n, rooms.ways.shape[2]), np.int32)
    ways[:, :n_old] = rooms.ways
    boxes = np.zeros((2, 2 * n + 1), MESSAGE)
    boxes[:, : arrays.boxes.shape[1]] = arrays.boxes
    return arrays._replace(
        rooms=rooms._replace(states=with_rows(rooms.states, n), ways=ways, paths=with_rows(rooms.paths, n)),
        routes=routes._replace(route=with_rows(routes.route, n), n_route=with_rows(routes.n_route, n)),
        crowds=arrays.crowds._replace(agents=with_rows(arrays.crowds.agents, n)),
        order=with_rows(arrays.order, n),
        next=with_rows(arrays.next, n),
        boxes=boxes,
    )
