"""Flow: paths that avoid each other's traffic, as guidance for PIBT.

After Chen, Harabor, Li and Stuckey, "Traffic flow optimisation for lifelong multi-agent path finding", 2024. One agent
after another plans a path by A* on the map without time. A step costs more the more agents go the opposite way, and the
more agents visit its end; a spot on which another agent will already rest costs as much as six steps. When all agents have
a path, they plan again, among the paths of the others.

Unlike scattered paths, these say nothing about when agents are where. They are found several times faster, and where so
many agents are under way that none keeps to its schedule, they are the better guidance.

Deviations  the paper multiplies opposing flows, and compares them first; here costs are added. The heuristic is weighted.
Invariants  every path is legal for its agent alone, and ends on its goal. `flows` and `uses` count the moves of all paths.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners.lacam.moves import SpotMoves, spot_moves
from wayfolk.algorithms.planners.lacam.scatter import walk_straight
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.world.spots import DistanceTable

OPPOSING = 4  # cost of one agent that goes the opposite way; a step alone costs the mean length of shortest paths
PASSING = 1  # cost of one agent that visits the same spot
RESTING = 6  # steps that a spot is worth on which another agent rests
GREED = 1.5  # weight of the heuristic
NONE = np.int32(2**31 - 1)
FLOW_NODE = np.dtype(
    [("g", np.int64), ("parent", np.int32), ("step", np.int32), ("stamp", np.int32), ("closed", np.int32)], align=True
)


class TrafficFlow(NamedTuple):
    """`paths[agent, : lasts[agent] + 1]` are spots; `flows[spot, k]` of them go from a spot to its neighbour k.

    `back[spot, k]` is the way back from there. `rests[spot]` is the step from which on an agent rests there.
    """

    spots: SpotMoves
    back: NDArray[np.int32]
    steps: NDArray[Any]
    starts: NDArray[np.int32]
    goals: NDArray[np.int32]
    paths: NDArray[np.int32]
    lasts: NDArray[np.int32]
    flows: NDArray[np.int32]
    uses: NDArray[np.int32]
    rests: NDArray[np.int32]
    nodes: NDArray[np.void]
    open: NDArray[np.void]
    stamp: NDArray[np.int32]
    unit: int


def new_flow(fields: DistanceTable, starts: NDArray[np.int32]) -> TrafficFlow:
    """No agent has a path yet."""
    n, n_spots = fields.steps.shape
    spots = spot_moves(fields.spot_map)
    shortest = fields.steps[np.arange(n), starts].astype(np.int32)
    rests = np.full(n_spots, NONE, np.int32)
    rests[fields.goals] = shortest
    return TrafficFlow(
        spots=spots,
        back=_ways_back(spots),
        steps=fields.steps,
        starts=starts,
        goals=fields.goals,
        paths=lazy_zeros((n, 2 * int(shortest.max()) + 16), np.int32),
        lasts=np.full(n, NONE, np.int32),
        flows=np.zeros(spots.near.shape, np.int32),
        uses=np.zeros(n_spots, np.int32),
        rests=rests,
        nodes=np.zeros(n_spots, FLOW_NODE),
        open=lazy_zeros((spots.near.size + 1,), heap.ROW),
        stamp=np.zeros(1, np.int32),
        unit=max(1, int(shortest.mean())),
    )


def continued(flow: TrafficFlow, fields: DistanceTable, spots: NDArray[np.int32]) -> TrafficFlow:
    """The flow once agents are at `spots`: who is still on its path keeps the rest of it, others have none."""
    flow = new_flow(fields, spots)._replace(paths=flow.paths, lasts=flow.lasts)
    _go_on(flow)
    return flow


def bytes_for(fields: DistanceTable, starts: NDArray[np.int32]) -> int:
    """About how much memory `new_flow` takes."""
    n, n_spots = fields.steps.shape
    longest = int(fields.steps[np.arange(n), starts].max())
    return 8 * int(n) * (longest + 8) + 32 * int(fields.spot_map.near.size) + 40 * int(n_spots)


def _ways_back(spots: SpotMoves) -> NDArray[np.int32]:
    back = np.zeros_like(spots.near)
    for k in range(spots.near.shape[1]):
        here = np.flatnonzero(spots.degree > k)
        back[here, k] = (spots.near[spots.near[here, k]] == here[:, None]).argmax(1)
    return back


@kernel
def reroute(flow, agent):
    """Plan a path for `agent` among the paths of the others."""
    if flow.lasts[agent] != NONE:
        _count(flow, agent, -1)
    if _search(flow, agent):
        _write(flow, agent)
    else:
        walk_straight(flow, agent)
    _count(flow, agent, 1)


@kernel
def _go_on(flow):
    """Let the path of each agent begin at its start, which may be a later spot of it."""
    for agent in range(flow.starts.size):
        here, path, step = flow.starts[agent], flow.paths[agent], 0
        last = 0 if flow.lasts[agent] == NONE else flow.lasts[agent]
        while step < last and path[step] != here:
            step += 1
        if here == flow.goals[agent]:
            path[0], flow.lasts[agent] = here, 0
        elif step == last:
            flow.lasts[agent] = NONE
        else:
            for k in range(step, last + 1):
                path[k - step] = path[k]
            flow.lasts[agent] = last - step
            _count(flow, agent, 1)


@inner
def _count(flow, agent, sign):
    """Add the moves of the path of `agent` to the counts (`sign` 1), or subtract them (-1)."""
    for step in range(flow.lasts[agent]):
        here, there = flow.paths[agent, step], flow.paths[agent, step + 1]
        flow.uses[there] += sign
        for k in range(flow.spots.degree[here]):
            if flow.spots.near[here, k] == there:
                flow.flows[here, k] += sign


@inner
def _search(flow, agent):
    """A* for `agent`, who has no path now; False if it finds no path that fits into `paths`."""
    spots, row, nodes, unit = flow.spots, flow.steps[agent], flow.nodes, np.int64(flow.unit)
    start, goal, most = flow.starts[agent], flow.goals[agent], flow.paths.shape[1] - 1
    flow.stamp[0] += 1
    stamp = flow.stamp[0]
    node = nodes[start]
    node["g"], node["parent"], node["step"], node["stamp"] = 0, start, 0, stamp
    n = heap.push(flow.open, 0, np.int64(0), np.int64(0), start)
    while n > 0:
        here = flow.open[0]["item"]
        n = heap.pop(flow.open, n)
        if here == goal:
            return True
        if nodes[here]["closed"] == stamp:
            continue
        nodes[here]["closed"] = stamp
        step = nodes[here]["step"] + 1
        for k in range(spots.degree[here]):
            there = spots.near[here, k]
            node, left = nodes[there], np.int64(row[there])
            if node["closed"] == stamp or step + left > most:
                continue
            traffic = OPPOSING * flow.flows[there, flow.back[here, k]] + PASSING * flow.uses[there]
            g = nodes[here]["g"] + unit + traffic
            if step >= flow.rests[there] and there != goal:
                g += RESTING * unit
            if node["stamp"] != stamp or g < node["g"]:
                node["g"], node["parent"], node["step"], node["stamp"] = g, here, step, stamp
                n = heap.push(flow.open, n, g + np.int64(GREED * left * unit), left, there)
    return False


@inner
def _write(flow, agent):
    """Write the path that the search has found."""
    here = flow.goals[agent]
    step = flow.nodes[here]["step"]
    flow.lasts[agent] = step
    while step > 0:
        flow.paths[agent, step] = here
        here = flow.nodes[here]["parent"]
        step -= 1
    flow.paths[agent, 0] = here
