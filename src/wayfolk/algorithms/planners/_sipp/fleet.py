"""A fleet: the paths of all agents, and the visits of all places.

A path is a list of stops: the cell or node, and the step of the agent's arrival there. It stays until its next stop
begins, and at the last stop for ever. Paths are rows of one array; the rows of agents whose paths are being replaced are
kept until it is decided which path is better.

Invariants  `visits` holds exactly the stops, and the moves, of the agents that are on the map.
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._sipp.moves import enter, leave
from wayfolk.algorithms.planners._sipp.node_visits import NodeVisits, new_node_visits
from wayfolk.algorithms.planners._sipp.search import SippTree, new_labels
from wayfolk.algorithms.planners._sipp.traffic import LAST, VisitTable, new_traffic
from wayfolk.compile.jit import inner
from wayfolk.kernels.distances import StepFields
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.kernels.random import new_random
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid
from wayfolk.world.spots import new_fields
from wayfolk.world.state_graph import StateGraph

STOP = np.dtype([("cell", np.int32), ("start", np.int32)], align=True)
RUNNER = np.dtype(
    [
        ("start", np.int32),
        ("goal", np.int32),
        ("row", np.int32),  # of its path
        ("n", np.int32),  # agents that it collides with
        ("least", np.int32),  # steps to its goal if it were alone
        ("delay", np.int32),  # steps by which it arrives later than that; kept where paths have no collisions
        ("soonest", np.int32),  # no path of a member arrives before this step, whatever other members do
        ("chosen", np.int32),  # stamp: it is a member of the neighbourhood
        ("seen", np.int32),  # stamp: it is in `met`
        ("tabu", np.int32),  # stamp: its delay was the largest before
    ],
    align=True,
)
FIRST_EFFORTS = 1.0, 2.0, 5.0, 20.0  # gains that are expected of searches that are more and more greedy


class SippFleet(NamedTuple):
    """All agents; `members` are those whose paths are replaced, and `spare` are rows of `paths` for their new paths.

    `methods`, `efforts` and `scales` are choices: how members are found, how greedy searches are, and how many there are.
    """

    fields: StepFields
    visits: VisitTable | NodeVisits
    tree: SippTree
    runners: NDArray[np.void]
    is_hard: NDArray[np.uint8]
    paths: NDArray[np.void]
    sizes: NDArray[np.int32]
    members: NDArray[np.int32]
    spare: NDArray[np.int32]
    met: NDArray[np.int32]
    crossings: NDArray[np.int32]
    methods: NDArray[np.float64]
    efforts: NDArray[np.float64]
    scales: NDArray[np.float64]
    random: NDArray[np.uint64]
    counts: NDArray[np.int64]


(
    PHASE, COUNTING, FIRST, METHOD, N_MEMBERS, TURN, ADDED, STAMP, SEEN, TABU,
    PAIRS, OLD_PAIRS, BEST_PAIRS, OLD_SUM, NEW_SUM, SPENT, STALLED, REPAIRS, ACCEPTED, SUM, BOUND,
    EFFORT, ALLOWED, SCALE, MOST_MEMBERS, BY_MAKESPAN, LONGEST, LEAST_LONGEST,
) = range(28)  # fmt: skip
"""Places in `counts`. LONGEST is the makespan, where that is to become less, and LEAST_LONGEST its lower bound."""


def new_fleet(
    problem: Problem, size: int, seed: int, *, counting: bool, n_methods: int, fields: StepFields | None = None
) -> SippFleet:
    """The agents of `problem` without paths; `size` are replanned at a time. `counting`: their visits are soft."""
    states, n = problem.states, problem.n_agents
    runners = np.zeros(n, RUNNER)
    runners["start"], runners["goal"], runners["row"] = problem.starts, problem.goals, np.arange(n)
    counts = np.zeros(28, np.int64)
    counts[COUNTING], counts[BEST_PAIRS] = counting, 1 << 40
    return SippFleet(
        fields=new_fields(states, problem.goals) if fields is None else fields,
        visits=_no_visits(states, 64 * n + 1024),
        tree=new_labels(states.n_cells, 1 << 12),
        runners=runners,
        is_hard=np.full(n, not counting, np.uint8),
        paths=lazy_zeros((n + size, _n_stops(states)), STOP),
        sizes=np.zeros(n + size, np.int32),
        members=np.zeros(max(n, size), np.int32),
        spare=np.arange(n, n + size, dtype=np.int32),
        met=np.zeros(n, np.int32),
        crossings=_crossings(states),
        methods=_arms(*[10.0] * n_methods),
        efforts=_arms(1.0) if counting else _arms(*FIRST_EFFORTS),
        scales=_arms(*[10.0] * (1 if counting else size.bit_length())),
        random=new_random(seed),
        counts=counts,
    )


def _no_visits(states: Grid | StateGraph, room: int) -> VisitTable | NodeVisits:
    if isinstance(states, Grid):
        return new_traffic(states.n_cells, room)
    return new_node_visits(states.occupancy, room)


def _n_stops(states: Grid | StateGraph) -> int:
    """How many stops a path has room for at first."""
    return 2 * (states.width + states.height if isinstance(states, Grid) else 2 * isqrt(states.n_cells)) + 64


def _crossings(states: Grid | StateGraph) -> NDArray[np.int32]:
    """The nodes with more than two neighbours; all of them if there is none."""
    nodes = states.free_cells
    if isinstance(states, Grid):
        degrees = np.unpackbits(states.legal[nodes][:, None], axis=1).sum(1)
    else:
        degrees = np.diff(states.graph.first)[nodes]
    return nodes[degrees > 2] if (degrees > 2).any() else nodes


def _arms(*gains: float) -> NDArray[np.float64]:
    """Choices with what they gain, and how many expansions they take, on average; at first only guesses."""
    return np.array([(gain, 1000.0) for gain in gains])


def with_longer_paths(fleet: SippFleet) -> SippFleet:
    """The same fleet, with room for paths of twice as many stops."""
    n_rows, room = fleet.paths.shape
    paths = lazy_zeros((n_rows, 2 * room), STOP)
    for row, size in enumerate(fleet.sizes.tolist()):
        paths[row, :size] = fleet.paths[row, :size]
    return fleet._replace(paths=paths)


@inner
def last_step(fleet, row, k):
    """The last step of stop `k` of the path in `row`."""
    if k + 1 < fleet.sizes[row]:
        return np.int64(fleet.paths[row, k + 1]["start"]) - 1
    return np.int64(LAST)


@inner
def arrival(fleet, row):
    """The step at which the path in `row` arrives at its end."""
    return np.int64(fleet.paths[row, fleet.sizes[row] - 1]["start"])


@inner
def last_arrival(fleet):
    """The step at which the last agent arrives."""
    last = np.int64(0)
    for agent in range(fleet.runners.size):
        last = max(last, arrival(fleet, fleet.runners[agent]["row"]))
    return last


@inner
def cell_at(fleet, row, time):
    """The cell of the path in `row` at `time`."""
    low, high = 0, np.int64(fleet.sizes[row])
    while high - low > 1:
        middle = (low + high) >> 1
        if fleet.paths[row, middle]["start"] <= time:
            low = middle
        else:
            high = middle
    return fleet.paths[row, low]["cell"]


@inner
def put(fleet, agent, row):
    """Enter the path in `row` from stop ADDED on into the visits; False if there is no room, and ADDED says how far."""
    counts = fleet.counts
    while counts[ADDED] < fleet.sizes[row]:
        k = counts[ADDED]
        stop, before = fleet.paths[row, k], fleet.paths[row, max(k - 1, 0)]["cell"]
        if not enter(fleet.visits, before, stop["cell"], stop["start"], last_step(fleet, row, k), agent):
            return False
        counts[ADDED] += 1
    return True


@inner
def take(fleet, agent, row):
    """Take the path in `row` out of the visits."""
    for k in range(fleet.sizes[row]):
        stop, before = fleet.paths[row, k], fleet.paths[row, max(k - 1, 0)]["cell"]
        leave(fleet.visits, before, stop["cell"], stop["start"], last_step(fleet, row, k), agent)
