"""All arrays of SDP together, and how the referee lets a tick pass in all areas."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.crowds import CrowdArrays
from wayfolk.algorithms.controllers.sdp.host import pass_phase
from wayfolk.algorithms.controllers.sdp.places import is_in_step
from wayfolk.algorithms.controllers.sdp.state import (
    FULL,
    PHASE,
    RESPOND,
    REST,
    RESTART,
    THINK,
    AreaArrays,
    LaneArrays,
    RoomArrays,
    RouteArrays,
    SearchArrays,
)
from wayfolk.algorithms.controllers.sdp.turns import TurnArrays
from wayfolk.kernels.crew import N_ASKED, asked, give_route, report
from wayfolk.kernels.planning import planned_by


class SdpArrays(NamedTuple):
    """All that the controllers of the areas in `mine` work with. `next` is the outcome of a tick.

    Messages are sent to `boxes[counts[SIDE]]`; those of the phase before are in the other one. `order` are the agents here,
    those who came into their area first in front, and of several who came together the one with the lowest number.
    """

    areas: AreaArrays
    lanes: LaneArrays
    rooms: RoomArrays
    search: SearchArrays
    routes: RouteArrays
    turns: TurnArrays
    crowds: CrowdArrays

    mine: NDArray[np.bool_]
    order: NDArray[np.int32]
    next: NDArray[np.int32]
    boxes: NDArray[np.void]
    counts: NDArray[np.int64]


def _plan_routes(arrays, crew, log, now):
    """Let a tick pass in all areas; all asked agents have a route of one cell then."""
    tick = int(now)
    if arrays.counts[PHASE] == REST:
        if arrays.rooms.counts[FULL]:
            return 0
        if not is_in_step(arrays, crew.agents, tick):
            arrays.counts[RESTART] = 1
            return 0
    phase = RESPOND if arrays.counts[PHASE] == RESPOND else THINK
    while pass_phase(arrays, phase, tick) and phase != REST:
        phase = RESPOND if phase == THINK else REST
    if arrays.counts[PHASE] != REST:
        return 0
    for agent in asked(crew):
        give_route(crew, agent, arrays.next[agent : agent + 1], 1)
        state = arrays.rooms.states[agent]
        if state["spent"] > 0:
            report(crew, agent, state["spent"])
            state["spent"] = 0
    return crew.counts[N_ASKED]


planned_by(SdpArrays, _plan_routes)
