"""What the direction-map controllers share: a mind that learns from the log, and what an agent sees of the map.

Executed moves are in the log in the order they were made. Whoever plans reads first what was added since somebody last
did, so that the shared map is up to date for everybody.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.controllers import View
from wayfolk.errors import BadInput, BadProblem
from wayfolk.graph import GUESSES, NOWHERE, guess, there
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets, directions, dm_copies
from wayfolk.kernels.directions import LANE, LanedGrid
from wayfolk.kernels.jit import inner
from wayfolk.problem import Problem
from wayfolk.record import ARRIVE, BLOCK, JOIN, MOVE, REFUSED
from wayfolk.search._best_first import best_guess, lists_for

SHARED, WINDOW, OWN = range(3)  # what agents know of the map: all, what is near, what they have seen
N_READ = 0  # place in `counts`: rows of the log that have been read
MAX_ROW = 1 << 14


class DirectionMind(NamedTuple):
    """What it takes to learn a map and to plan with it.

    `here` is where everybody is as far as the log has been read; `leg_row` and `leg_from` are where in the log and on
    the map an agent began its way, for those who learn when they arrive. `slate` is a map laid out for one search.
    """

    lanes: directions.Lanes
    memory: best_first.Memory
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
    """Complain about a patrol that goes nowhere."""
    routes = problem.routes
    if problem.is_one_shot or problem.pool.size:
        return
    still = (routes == routes[:, :1]).all(1) & (routes[:, 0] == problem.starts)
    if still.any():
        agent = int(still.argmax())
        raise BadProblem(f"agent {agent} patrols a single cell, {problem.grid.place(routes[agent, 0])}", agent)


def new_mind(
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
) -> DirectionMind:
    """A mind for the agents of `problem`, or the first option that makes no sense."""
    grid, n = problem.grid, problem.n_agents
    if not 0.0 <= w_max <= 1e5:
        raise BadInput(f"w_max must be from 0 to 100000, not {w_max}")
    if not radius >= 0:
        raise BadInput(f"radius must be 0 or more, not {radius}")
    if not 0.0 <= weight < 1e6:
        raise BadInput(f"weight must be from 0 to a million, not {weight}")
    for name, value in (("window", window), ("local", local)):
        if value != 0 and not 1 <= value <= 1000:
            raise BadInput(f"{name} must be from 1 to 1000, or 0 for all of the map, not {value}")
    if window and local:
        raise BadInput(f"window {window} and local {local} are two ways to know little of the map: choose one")
    falls, per_unit, n_lists = lists(grid, weight, w_max)
    knows = WINDOW if window else OWN if local else SHARED
    slate = np.zeros(1 if knows == SHARED else grid.n_cells, LANE)
    return DirectionMind(
        lanes, best_first.new_memory(grid.n_cells), buckets.new_buckets(n_lists, 2 * len(grid.free_cells) + 16),
        np.empty(grid.n_cells, np.int32), problem.starts.copy(), np.zeros(n, np.int64), problem.starts.copy(),
        np.zeros(1, np.int64), slate, dm_copies.new_copies(n, 1 << 12 if knows == OWN else 2),
        knows, int(window or local or 0), float(radius * radius), 0.25 * w_max, floor, float(weight),
        GUESSES[best_guess(grid)], per_unit, falls, predicts, rewards,
    )  # fmt: skip


def lists(grid: Grid, weight: float, w_max: float) -> tuple[bool, float, int]:
    """Whether f can fall along a path, how many buckets there are to a unit of cost, and in all."""
    falls = weight > 1.0
    per_unit, n_lists = lists_for(grid, weight, falls)
    if falls:  # a row from 0 on, for costs that are several times the length of a path
        span = n_lists / per_unit + 2.0 * w_max * (grid.width + grid.height)
        per_unit = min(per_unit, MAX_ROW / span)
        return falls, per_unit, int(span * per_unit) + 2
    return falls, per_unit, n_lists + int(w_max * per_unit) + 1


def prepared(mind: DirectionMind, view: View) -> DirectionMind:
    """The mind for a map or a number of agents that may have changed."""
    new = len(view.here) - len(mind.here)
    mind = mind._replace(lanes=mind.lanes._replace(graph=view.grid.graph))
    if new == 0:
        return mind
    return mind._replace(
        here=np.append(mind.here, view.here[-new:]),
        leg_row=np.append(mind.leg_row, np.full(new, mind.counts[N_READ])),
        leg_from=np.append(mind.leg_from, view.here[-new:]),
        copies=mind.copies._replace(newest=np.append(mind.copies.newest, np.full(new, dm_copies.NONE))),
    )


def with_room(mind: DirectionMind) -> DirectionMind:
    """The mind with more room of the kind that was short."""
    if not has_room(mind):
        return mind._replace(copies=dm_copies.grown(mind.copies))
    return mind._replace(queue=buckets.grown(mind.queue))


def has_room(mind):
    """Whether the surroundings of one more cell can be copied."""
    return mind.knows != OWN or mind.copies.used[0] + (2 * mind.far + 1) ** 2 <= mind.copies.pool.size


_has_room = inner(has_room)


@inner
def catch_up(mind, log, last, now):
    """Learn from what has happened since somebody last thought; False if there was no room for copies."""
    while mind.counts[N_READ] < last:
        if not _has_room(mind):
            return False
        number = mind.counts[N_READ]
        row = log[number]
        agent, cell = row["agent"], row["cell"]
        if row["kind"] == MOVE:
            if not mind.rewards:
                directions.learn(mind.lanes, mind.here[agent], cell, 1.0, row["time"])
            mind.here[agent] = cell
            if mind.knows == OWN:
                _look_around(mind, agent, cell)
        elif row["kind"] == ARRIVE and mind.rewards:
            _learn_leg(mind, log, number, agent, row["time"])
        elif row["kind"] == JOIN:
            mind.here[agent] = mind.leg_from[agent] = cell
            mind.leg_row[agent] = number
        elif row["kind"] == BLOCK:
            directions.forget(mind.lanes.cells, cell)
        mind.counts[N_READ] += 1
    directions.fade(mind.lanes, now)
    return True


@inner
def _learn_leg(mind, log, last, agent, now):
    """An agent has arrived: the cells of its way learn, the more the straighter it was and the less it collided."""
    graph = mind.lanes.graph
    walked = 0.0
    cell = mind.leg_from[agent]
    for number in range(mind.leg_row[agent], last):
        row = log[number]
        if row["agent"] == agent:
            if row["kind"] == MOVE:
                walked += guess(graph, cell, row["cell"], mind.kind)
                cell = row["cell"]
            elif row["kind"] == REFUSED:
                walked += 1.0
    share = min(1.0, guess(graph, mind.leg_from[agent], cell, mind.kind) / walked) if walked > 0.0 else 0.0
    cell = mind.leg_from[agent]
    for number in range(mind.leg_row[agent], last):
        row = log[number]
        if row["agent"] == agent and row["kind"] == MOVE:
            if share > 0.0:
                directions.learn(mind.lanes, cell, row["cell"], share, now)
            cell = row["cell"]
    mind.leg_row[agent], mind.leg_from[agent] = last, cell


@inner
def _look_around(mind, agent, cell):
    """Copy the vectors near an agent's cell."""
    far, stride = mind.far, mind.lanes.graph.stride
    row, column = cell // stride, cell % stride
    for y in range(max(row - far, 1), min(row + far + 1, mind.lanes.cells.size // stride)):
        for x in range(max(column - far, 1), min(column + far + 1, stride)):
            if (x - column) ** 2 + (y - row) ** 2 <= far * far:
                lane = mind.lanes.cells[y * stride + x]
                if lane["known"] > 0.0:
                    dm_copies.keep(mind.copies, agent, y * stride + x, lane)


@inner
def view_for(mind, crew, agent, start, goal):
    """The grid with the vectors this agent knows; after use it must be given back to `put_back`."""
    cells, floor = mind.lanes.cells, mind.floor
    if mind.knows == WINDOW:
        _copy_window(mind, start, True)
        cells, floor = mind.slate, 0.0  # beyond the window edges cost what they always do
    elif mind.knows == OWN:
        dm_copies.lay_out(mind.copies, agent, mind.slate)
        cells = mind.slate
    return LanedGrid(
        mind.lanes.graph, crew.occupant, cells, start, goal, mind.reach, mind.quarter, floor, mind.predicts
    )


@inner
def put_back(mind, agent, start):
    """Make the slate blank again."""
    if mind.knows == WINDOW:
        _copy_window(mind, start, False)
    elif mind.knows == OWN:
        dm_copies.take_away(mind.copies, agent, mind.slate)


@inner
def step_aside(crowd, agent, route):
    """Whoever has waited before its goal makes room, as two may each stand on the other's; how many steps, 0 or 1."""
    if agent["came"] == agent["here"]:
        for k in range(8):
            other = there(crowd, agent["here"], k)
            if other != NOWHERE and other != crowd.goal:
                route[0] = other
                return 1
    return 0


@inner
def _copy_window(mind, cell, is_there):
    """Write the vectors within the window to the slate, or wipe them."""
    far, stride = mind.far, mind.lanes.graph.stride
    row, column = cell // stride, cell % stride
    for y in range(max(row - far, 1), min(row + far + 1, mind.lanes.cells.size // stride)):
        for x in range(max(column - far, 1), min(column + far + 1, stride)):
            if (x - column) ** 2 + (y - row) ** 2 <= far * far:
                lane, copy = mind.lanes.cells[y * stride + x], mind.slate[y * stride + x]
                copy["x"] = lane["x"] if is_there else 0.0
                copy["y"] = lane["y"] if is_there else 0.0
                copy["known"] = max(lane["known"], mind.floor) if is_there else 0.0
