"""What the direction-map controllers share: arrays that learn from the log, and what an agent sees of the map.

The log holds the executed moves in order. Before an agent plans, the map learns from the rows that were added since the
last planning, so that it is up to date for all agents.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import View
from wayfolk.algorithms.controllers.direction_map import copies as dm_copies
from wayfolk.algorithms.search._best_first import best_heuristic, lists_for
from wayfolk.compile.jit import inner
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels import direction_map as directions
from wayfolk.kernels.codes import ARRIVE, BLOCK, JOIN, MOVE, NOWHERE, REFUSED
from wayfolk.kernels.direction_map import LANE
from wayfolk.kernels.graph import HEURISTICS, heuristic, there
from wayfolk.kernels.laned_graphs import LanedGrid
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

SHARED, WINDOW, OWN = range(3)  # what agents know of the map: all, what is near, what they have seen
N_READ, IS_PAUSED = range(2)  # places in `counts`: rows of the log that have been read; whether planning has paused
MAX_ROW = 1 << 14


class DirectionArrays(NamedTuple):
    """The arrays to learn a map and to plan with it.

    `here` is the cell of each agent as far as the log has been read. `leg_row` and `leg_from` are where in the log and on
    the map an agent began its walk, for learning on arrival. `slate` holds the vectors one agent knows, for one search.
    """

    lanes: directions.Lanes
    memory: best_first.SearchMemory
    queue: buckets.Buckets
    path: NDArray[np.int32]
    here: NDArray[np.int32]
    leg_row: NDArray[np.int64]
    leg_from: NDArray[np.int32]
    counts: NDArray[np.int64]
    slate: NDArray[np.void]
    copies: dm_copies.Copies
    knows: int
    far: int
    reach: float
    quarter: float
    floor: float
    weight: float
    kind: int
    per_unit: float
    falls: bool
    predicts: bool
    rewards: bool


def check(problem: Problem) -> None:
    """Raise BadProblem for an agent that patrols a single cell."""
    routes = problem.routes
    if problem.is_one_shot or problem.pool.size:
        return
    still = (routes == routes[:, :1]).all(1) & (routes[:, 0] == problem.starts)
    if still.any():
        agent = int(still.argmax())
        raise BadProblem(f"agent {agent} patrols a single cell, {problem.grid.place(routes[agent, 0])}", agent)


def check_ranges(window: float, local: float, sector: int) -> None:
    """Raise BadInput for a part of the map that is no part, or for two, or for one with sectors."""
    for name, value in (("window", window), ("local", local)):
        if 0 < value < 1:
            raise BadInput(f"option {name} must be from 1 to 1,000, or 0 for all of the map, not {value}")
    if window and local:
        raise BadInput(f"window {window} and local {local} are two ways to know little of the map: choose one")
    if window and sector:
        raise BadInput(f"window {window} cannot be used with sectors: partial refinement looks ahead as far as they do")


def new_arrays(
    problem: Problem,
    lanes: directions.Lanes,
    *,
    w_max: float,
    radius: float,
    weight: float,
    floor: float,
    window: float,
    local: float,
    predicts: bool,
    rewards: bool,
) -> DirectionArrays:
    """The arrays for the agents of `problem`, which plan along `lanes`."""
    grid, n = problem.grid, problem.n_agents
    falls, per_unit, n_lists = lists(grid, weight, w_max)
    knows = WINDOW if window else OWN if local else SHARED
    slate = np.zeros(1 if knows == SHARED else grid.n_cells, LANE)
    return DirectionArrays(
        lanes=lanes,
        memory=best_first.new_memory(grid.n_cells),
        queue=buckets.new_buckets(n_lists, 2 * len(grid.free_cells) + 16),
        path=np.empty(grid.n_cells, np.int32),
        here=problem.starts.copy(),
        leg_row=np.zeros(n, np.int64),
        leg_from=problem.starts.copy(),
        counts=np.zeros(2, np.int64),
        slate=slate,
        copies=dm_copies.new_copies(n, 1 << 12 if knows == OWN else 2),
        knows=knows,
        far=int(window or local or 0),
        reach=float(radius * radius),
        quarter=0.25 * w_max,
        floor=floor,
        weight=float(weight),
        kind=HEURISTICS[best_heuristic(grid)],
        per_unit=per_unit,
        falls=falls,
        predicts=predicts,
        rewards=rewards,
    )


def lists(grid: Grid, weight: float, w_max: float) -> tuple[bool, float, int]:
    """Whether f can fall along a path, the number of buckets for a unit of cost, and the number of all buckets."""
    falls = weight > 1.0
    per_unit, n_lists = lists_for(grid, weight, falls)
    if falls:  # a row from 0 on, for costs that are several times the length of a path
        span = n_lists / per_unit + 2.0 * w_max * (grid.width + grid.height)
        per_unit = min(per_unit, MAX_ROW / span)
        return falls, per_unit, int(span * per_unit) + 2
    return falls, per_unit, n_lists + int(w_max * per_unit) + 1


def prepared(arrays: DirectionArrays, view: View) -> DirectionArrays:
    """The arrays for a map or a number of agents that may have changed."""
    new = len(view.here) - len(arrays.here)
    arrays = arrays._replace(lanes=arrays.lanes._replace(graph=view.grid.graph))
    if new == 0:
        return arrays
    return arrays._replace(
        here=np.append(arrays.here, view.here[-new:]),
        leg_row=np.append(arrays.leg_row, np.full(new, arrays.counts[N_READ])),
        leg_from=np.append(arrays.leg_from, view.here[-new:]),
        copies=arrays.copies._replace(newest=np.append(arrays.copies.newest, np.full(new, dm_copies.NONE))),
    )


def with_room(arrays: DirectionArrays) -> DirectionArrays:
    """The arrays with more room of the kind that was short."""
    if not has_room(arrays):
        return arrays._replace(copies=dm_copies.grown(arrays.copies))
    return arrays._replace(queue=buckets.grown(arrays.queue))


def remembered(memory: "Memory", arrays: DirectionArrays) -> DirectionArrays:
    """The arrays with what was noted, if there is anything: vectors, copies of them, and what of the log was read."""
    memory.vectors("vectors", arrays.lanes.cells)
    memory.numbers("clock", arrays.lanes.clock, (0.0, memory.view.time))
    memory.numbers("here", arrays.here, memory.cells)
    memory.numbers("leg_row", arrays.leg_row, (0, memory.n_rows))
    memory.numbers("leg_from", arrays.leg_from, memory.cells)
    memory.numbers("counts", arrays.counts[:IS_PAUSED], (0, memory.n_rows))
    return arrays._replace(copies=dm_copies.remembered(memory, arrays.copies))


def first_row(arrays: DirectionArrays) -> int:
    """The first row of the log that is not learned from, or, with rewards, of a walk that has not ended."""
    rows = [int(arrays.counts[N_READ])]
    if arrays.rewards:
        rows.append(int(arrays.leg_row.min(initial=rows[0])))
    return min(rows)


def forget_rows(arrays: DirectionArrays, n_rows: int) -> None:
    """Count the rows of the log from `n_rows` on, as those before it are dropped."""
    arrays.counts[N_READ] -= n_rows
    np.maximum(arrays.leg_row - n_rows, 0, out=arrays.leg_row)


def has_room(arrays):
    """Whether the surroundings of one more cell can be copied."""
    return arrays.knows != OWN or arrays.copies.used[0] + (2 * arrays.far + 1) ** 2 <= arrays.copies.pool.size


_has_room = inner(has_room)


@inner
def catch_up(arrays, log, now):
    """Learn from the rows of the log since the last planning; False if there was no room for copies."""
    while arrays.counts[N_READ] < log.size:
        if not _has_room(arrays):
            return False
        number = arrays.counts[N_READ]
        row = log[number]
        agent, cell = row["agent"], row["cell"]
        if row["kind"] == MOVE:
            if not arrays.rewards:
                directions.learn(arrays.lanes, arrays.here[agent], cell, 1.0, row["time"])
            arrays.here[agent] = cell
            if arrays.knows == OWN:
                _look_around(arrays, agent, cell)
        elif row["kind"] == ARRIVE and arrays.rewards:
            _learn_leg(arrays, log, number, agent, row["time"])
        elif row["kind"] == JOIN:
            arrays.here[agent] = arrays.leg_from[agent] = cell
            arrays.leg_row[agent] = number
        elif row["kind"] == BLOCK:
            directions.forget(arrays.lanes.cells, cell)
        arrays.counts[N_READ] += 1
    directions.fade(arrays.lanes, now)
    return True


@inner
def _learn_leg(arrays, log, last, agent, now):
    """An agent has arrived: the cells of its walk learn more, the straighter it was and the fewer its collisions."""
    graph = arrays.lanes.graph
    walked = 0.0
    cell = arrays.leg_from[agent]
    for number in range(arrays.leg_row[agent], last):
        row = log[number]
        if row["agent"] == agent:
            if row["kind"] == MOVE:
                walked += heuristic(graph, cell, row["cell"], arrays.kind)
                cell = row["cell"]
            elif row["kind"] == REFUSED:
                walked += 1.0
    share = min(1.0, heuristic(graph, arrays.leg_from[agent], cell, arrays.kind) / walked) if walked > 0.0 else 0.0
    cell = arrays.leg_from[agent]
    for number in range(arrays.leg_row[agent], last):
        row = log[number]
        if row["agent"] == agent and row["kind"] == MOVE:
            if share > 0.0:
                directions.learn(arrays.lanes, cell, row["cell"], share, now)
            cell = row["cell"]
    arrays.leg_row[agent], arrays.leg_from[agent] = last, cell


@inner
def _look_around(arrays, agent, cell):
    """Copy the vectors near an agent's cell."""
    far, stride = arrays.far, arrays.lanes.graph.stride
    row, column = cell // stride, cell % stride
    for y in range(max(row - far, 1), min(row + far + 1, arrays.lanes.cells.size // stride)):
        for x in range(max(column - far, 1), min(column + far + 1, stride)):
            if (x - column) ** 2 + (y - row) ** 2 <= far * far:
                lane = arrays.lanes.cells[y * stride + x]
                if lane["known"] > 0.0:
                    dm_copies.keep(arrays.copies, agent, y * stride + x, lane)


@inner
def view_for(arrays, crew, agent, start, goal):
    """The grid with the vectors this agent knows; after use it must be given back to `put_back`."""
    cells, floor = arrays.lanes.cells, arrays.floor
    if arrays.knows == WINDOW:
        _copy_window(arrays, start, True)
        cells, floor = arrays.slate, 0.0  # beyond the window edges cost what they always do
    elif arrays.knows == OWN:
        dm_copies.lay_out(arrays.copies, agent, arrays.slate)
        cells = arrays.slate
    return LanedGrid(
        grid=arrays.lanes.graph,
        occupant=crew.occupant,
        cells=cells,
        eye=start,
        goal=goal,
        reach=arrays.reach,
        quarter=arrays.quarter,
        floor=floor,
        predicts=arrays.predicts,
    )


@inner
def put_back(arrays, agent, start):
    """Clear the slate after a search."""
    if arrays.knows == WINDOW:
        _copy_window(arrays, start, False)
    elif arrays.knows == OWN:
        dm_copies.take_away(arrays.copies, agent, arrays.slate)


@inner
def step_aside(crowd, agent, route):
    """Let an agent that has waited before its goal make room, as two may each stand on the other's goal.

    Returns the number of steps, 0 or 1.
    """
    if agent["came"] == agent["here"]:
        for k in range(8):
            other = there(crowd, agent["here"], k)
            if other != NOWHERE and other != crowd.goal:
                route[0] = other
                return 1
    return 0


@inner
def _copy_window(arrays, cell, is_there):
    """Write the vectors within the window to the slate, or wipe them."""
    far, stride = arrays.far, arrays.lanes.graph.stride
    row, column = cell // stride, cell % stride
    for y in range(max(row - far, 1), min(row + far + 1, arrays.lanes.cells.size // stride)):
        for x in range(max(column - far, 1), min(column + far + 1, stride)):
            if (x - column) ** 2 + (y - row) ** 2 <= far * far:
                lane, copy = arrays.lanes.cells[y * stride + x], arrays.slate[y * stride + x]
                copy["x"] = lane["x"] if is_there else 0.0
                copy["y"] = lane["y"] if is_there else 0.0
                copy["known"] = max(lane["known"], arrays.floor) if is_there else 0.0
