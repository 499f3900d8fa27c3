"""The arrays of SDP: areas, where agents are, what they have planned, and the messages of a tick.

Time is counted in ticks: at time t an agent stands in a cell, and the moves of tick t put it where it stands at time t + 1.
The reservation of a cell for the time t is entered in slot t - 1, as everywhere (see `wayfolk.kernels.space_time`).

Each function takes the arrays that it needs: passing on many of them takes the compiler seconds.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels import reservations, rra, space_time
from wayfolk.kernels.evading import Evading
from wayfolk.kernels.jumps.paths import JumpArrays
from wayfolk.kernels.reservation_rules import Rules

ASK, ACCEPT, REFUSE, CANCEL, MOVED = range(5)  # kinds of messages
N_MESSAGES, SIDE, N_ORDER, RESTART, PHASE, AT, N_INBOX = range(7)  # places in `SdpArrays.counts`
FULL = 0  # place in `RoomArrays.counts`: whether ways or routes were too long for their arrays
REST, THINK, RESPOND = range(3)  # phases: what is under way, if it was left for the table of reservations to grow
HORIZON = 80  # ticks that a lane looks ahead at most, and so the latest time at which it promises a place

STATE = np.dtype(
    [
        ("cell", np.int32),
        ("area", np.int32),
        ("goal", np.int32),
        ("at", np.int32),  # its area is route[at]
        ("since", np.int64),  # when it came into the area
        ("first", np.int64),  # its plan is in `ways[row]`: it is in the k-th cell at the time first + k
        ("n", np.int32),
        ("row", np.int32),
        ("leaves", np.int32),  # the cell of the next area that the plan leads to at the time first + n, or NOWHERE
        ("asked", np.bool_),  # its other row holds a reserved way for which the next area has been asked
        ("asked_n", np.int32),
        ("retry", np.int64),  # plans again at this time
        ("fails", np.int32),
        ("spent", np.int32),  # nodes expanded for it in this tick
        ("fixed", np.bool_),  # is not under control: stands, and cannot step aside
        ("present", np.bool_),
        ("lost", np.bool_),  # needs another route
        ("pushes", np.int32),  # how often it had to leave its goal for another agent
        ("n_path", np.int32),  # cells of its path through the room, of which the first are kept; 0 if none is known
        ("on_path", np.int32),  # its place on it, in a crowded room
        ("turn", np.int64),  # when it is booked to enter the next lane, or 0
        ("link", np.int32),  # by which it enters then
        ("distance", np.int32),  # how far it was from there
        ("set_out", np.bool_),  # does not wait for its turn any more
        ("strays", np.bool_),  # has another goal than in the beginning: finds its route anew in each room
    ],
    align=True,
)
MESSAGE = np.dtype(
    [
        ("to", np.int32),  # an area
        ("since", np.int64),
        ("agent", np.int32),
        ("kind", np.uint8),
        ("sender", np.int32),  # an area
        ("time", np.int64),  # when the agent would arrive, or may
        ("slack", np.int32),  # ticks by which that may be put off
        ("cells", np.int32, (4,)),  # where it could arrive; in an answer, where it may
        ("at", np.int32),  # the place of the sender in the route of the agent
        ("then", np.int32),  # the area that the agent goes to after the one that is asked, or NOWHERE
    ],
    align=True,
)
LANE = np.dtype(
    [
        ("first", np.int32),  # its members are in the places from here on, one for each cell
        ("count", np.int32),
        ("kept", np.int64),  # until when its traffic is known
        ("until", np.int64),  # until when it was simulated
    ],
    align=True,
)
MEMBER = np.dtype(
    [
        ("agent", np.int32),
        ("cell", np.int32),  # where it is, or where it will enter
        ("enters", np.int64),
        ("link", np.int32),  # by which it leaves
        ("wants", np.int32),  # the rows of `choices` for that link begin here
        ("goes", np.int32),  # the cell outside which it goes to in this tick, or NOWHERE
        ("first", np.int64),  # its traffic: it is in the k-th cell at the time first + k
        ("n", np.int32),
        ("next", np.int32),  # in a simulation
        ("tried", np.int32),
        ("used", np.bool_),
        ("fixed", np.bool_),
    ],
    align=True,
)
SPOT = np.dtype(
    [
        ("claim", np.int64),  # who has claimed it: in lanes the number of a simulated tick, in crowded rooms a time
        ("wanted", np.int32),  # the last tick in which a lane asked a crowded room for it while it was not empty
        ("occupant", np.int32),  # a member of a lane, or an agent in a crowded room
        ("index", np.int32),  # among the cells of its room
        ("is_mouth", np.bool_),  # is in a room, beside a lane
    ],
    align=True,
)
"""A cell."""
TREE = np.dtype([("cell", np.int32), ("parent", np.int32), ("time", np.int64)], align=True)
GATE = np.dtype([("cost", np.int64), ("stamp", np.int64), ("parent", np.int32)], align=True)


class SdpSettings(NamedTuple):
    """The options that kernels read.

    `jumps`: rooms plan by Cooperative JPS, else by Cooperative A*, which expands up to `effort` nodes; `rescue`: by the
    second where the first finds no way. `crowds`: rooms may become crowded. `jumps_first`: high-level paths are found by
    JPS on the map.
    """

    jumps: bool
    sideways: bool
    rescue: bool
    jumps_first: bool
    effort: int
    crowds: bool


class AreaArrays(NamedTuple):
    """What controllers read of `Areas`."""

    area: NDArray[np.int32]
    part: NDArray[np.uint8]
    links: NDArray[np.void]
    first_link: NDArray[np.int32]
    transitions: NDArray[np.void]
    place: NDArray[np.int32]
    steps: NDArray[np.int32]
    n_rooms: int


class LaneArrays(NamedTuple):
    """The agents of lanes; lane k is the area n_rooms + k.

    `queue[first : first + count]` are the members of a lane, those who came first in front. `traffic` is where they are
    from tick to tick, and `ahead` what is being simulated. `choices` are the cells that an agent can go to, from a cell and
    by a link: the nearest to the way out first, and after five cells their number. `cells` are those of all lanes, `place`
    the place of a cell among those of its lane, and `spots`, `stack` and `counts` scratch.
    """

    lanes: NDArray[np.void]
    members: NDArray[np.void]
    queue: NDArray[np.int32]
    traffic: NDArray[np.int32]
    ahead: NDArray[np.int32]
    choices: NDArray[np.int32]
    cells: NDArray[np.int32]
    place: NDArray[np.int32]
    spots: NDArray[np.void]
    stack: NDArray[np.int32]
    counts: NDArray[np.int64]


class RoomArrays(NamedTuple):
    """The states of agents, and what they have reserved: `ways[row, agent]` is a plan or, in the other row, a way on trial.

    `paths[agent]` are the first cells of its path through the room, without times.

    `rules` know where agents stand for good, `parked_by[cell]` who; `fixed` is like `rules.parked`, of those who cannot
    step aside. `last[area]` is the last time that is reserved in a room. `spots` know the mouths, where a room and a lane
    meet and agents do not stop. `cells` is the way that was found last.
    """

    states: NDArray[np.void]
    ways: NDArray[np.int32]
    paths: NDArray[np.int32]
    rules: Rules
    fixed: NDArray[np.int32]
    parked_by: NDArray[np.int32]
    spots: NDArray[np.void]
    area: NDArray[np.int32]
    last: NDArray[np.int64]
    table: reservations.Reservations
    tree: NDArray[np.void]
    cells: NDArray[np.int32]
    counts: NDArray[np.int64]
    n_rooms: int


class SearchArrays(NamedTuple):
    """The memory of searches in rooms; `goals` are where they lead to."""

    jumps: JumpArrays
    evading: Evading
    nodes: space_time.Nodes
    rra: rra.Rra
    path: NDArray[np.int32]
    slots: NDArray[np.int32]
    goals: NDArray[np.int32]
    settings: SdpSettings


class RouteArrays(NamedTuple):
    """`route[agent]` are the areas it goes through; the rest is the memory of searches for high-level paths."""

    route: NDArray[np.int32]
    n_route: NDArray[np.int32]
    gates: NDArray[np.void]
    open: NDArray[np.void]
    counts: NDArray[np.int64]
    jumps: JumpArrays
    path: NDArray[np.int32]
    goal: NDArray[np.int32]
    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    jumps_first: bool
