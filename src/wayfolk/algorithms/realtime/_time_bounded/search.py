"""Time-bounded search: one A* from the start, of which a slice is done for each move of the agent.

Bjornsson, Bulitko and Sturtevant, "TBA*: time-bounded A*", IJCAI 2009; Vermette, "Salient Search".

Each move: up to `n_expand` expansions, the first `n_salient` of them among the descendants of the last subgoal; up to
`n_trace` steps of tracing a path back from a subgoal; one step forward if the agent is on the path it follows, else one
step back along the search tree.

Invariants  at most `n_expand` expansions and `n_trace` trace steps for each move.
Deviations  where the printed algorithm cannot work (SLIPS sV1, sV4 to sV9): the goal is not expanded, the next step is
            the cell after the agent's on the path, and the agent waits where it can go neither forward nor back.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.realtime._state import ARRIVED, NO_ROOM, STUCK, WALKING
from wayfolk.algorithms.realtime._time_bounded.open_cells import (
    best_open,
    best_salient,
    make_salient,
    open_cell,
    remove,
)
from wayfolk.algorithms.realtime._time_bounded.strategies import Seen, prefers_open
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import ZERO, cost, heuristic, slots, there
from wayfolk.kernels.path_costs import edge_cost

NONE, FORWARD, BACK = range(3)
SCALE = 100.0  # lists for the cost of the cheapest step
FUZZ = 1e-9
CHUNK = 256  # expansions for which there is always room in the lists


class Pace(NamedTuple):
    """How much to do for each move. An expansion raises f by less than `span` lists."""

    n_expand: int
    n_salient: int
    n_trace: int
    kind: int
    span: int
    is_patient: bool
    """Whether the agent walks to the end of a path before it turns back for another one."""
    cuts_short: bool
    """Whether the agent looks for a shortcut to the final path with the expansions that are left."""
    keeps_longer: bool
    """Whether the agent stays with its path if g of a new path's end is smaller, unless that end is the goal."""


class Scout(NamedTuple):
    """Arrays of the search for a shortcut, and its path."""

    memory: best_first.SearchMemory
    queue: buckets.Buckets
    closed: NDArray[np.int32]
    route: NDArray[np.int32]


@kernel
def open_start(graph, slate, start, goal, kind):
    """Begin the search at `start`; also from the agent's cell, when the goal or the map has changed.

    `state["scale"]`, the number of lists for each unit of f, has been set.
    """
    state = slate.state[0]
    state["stamp"] += 2
    for key in range(state["current"], state["top"] + 1):  # those before are empty
        slate.heads[key]["open"] = NOWHERE
    state["top"] = 0
    state["start"], state["goal"], state["here"] = start, goal, start
    state["least"] = int(heuristic(graph, start, goal, kind) * state["scale"] + 0.5)
    state["current"] = state["n_open"] = state["n_salient"] = 0
    state["epoch"] += 1
    state["is_found"] = state["is_traced"] = state["is_tracing"] = 0
    state["trace"] += 1
    state["follow"] = state["n_short"] = 0
    state["heading"] = NONE
    state["is_planning"] = 0
    node = slate.cells[start]
    node["g"], node["parent"] = 0.0, start
    open_cell(slate, start, 0, False)


@inner
def _expand(graph, slate, cell, kind):
    """Close `cell` and open its neighbours; what a salient cell opens is salient."""
    state, node = slate.state[0], slate.cells[cell]
    stamp, goal, scale, least = state["stamp"], state["goal"], state["scale"], state["least"]
    is_salient, here = node["salient"] == state["epoch"], node["g"]
    remove(slate, cell)
    node["mark"] = stamp + 1
    state["expanded"] += 1
    for k in range(slots(graph, cell)):
        other = there(graph, cell, k)
        if other == NOWHERE:
            continue
        child = slate.cells[other]
        seen, reached = child["mark"], here + cost(graph, cell, k)
        if seen >= stamp:
            if seen != stamp or reached >= child["g"] - FUZZ:
                continue
            remove(slate, other)
        else:
            state["generated"] += 1
        child["g"], child["parent"] = reached, cell
        key = max(0, int((reached + heuristic(graph, other, goal, kind)) * scale + 0.5) - least)
        state["top"] = max(state["top"], key)
        if key < state["current"]:  # rounding can make f fall by one list
            state["current"] = key
        if is_salient and key < state["s_current"]:
            state["s_current"] = key
        open_cell(slate, other, key, is_salient)


@inner
def _plan(graph, slate, events, n_expand, kind):
    """Up to `n_expand` expansions, the first `s_left` of them salient, until the goal is the next one."""
    state = slate.state[0]
    for _ in range(n_expand):
        if state["n_open"] == 0:
            return
        if state["s_left"] > 0 and state["n_salient"] > 0:
            state["s_left"] -= 1
            cell = best_salient(slate)
        else:
            state["s_left"] = 0
            cell = best_open(slate)
        if cell == state["goal"]:
            state["is_found"] = 1
            return
        state["left"] -= 1
        if state["expanded"] < events.size:
            events[state["expanded"]] = cell
        _expand(graph, slate, cell, kind)


@inner
def _next_subgoal(graph, slate, strategy, kind):
    """The goal if it is found, else what the strategy prefers; it becomes the root of a new salient."""
    state = slate.state[0]
    if state["is_found"]:
        return state["goal"]
    chosen = best_open(slate)
    if state["n_salient"] > 0:
        salient = best_salient(slate)
        if salient != chosen:
            here = state["here"]
            one, other = slate.cells[chosen], slate.cells[salient]
            seen = Seen(
                (one["key"] + state["least"]) / state["scale"], one["g"], heuristic(graph, here, chosen, kind),
                (other["key"] + state["least"]) / state["scale"], other["g"], heuristic(graph, here, salient, kind),
                slate.cells[here]["g"], _is_on(slate, state["follow"], here),
            )  # fmt: skip
            if not prefers_open(strategy, seen):
                chosen = salient
    state["epoch"] += 1
    state["n_salient"] = 0
    state["s_current"] = slate.cells[chosen]["key"]
    make_salient(slate, chosen)
    return chosen


@inner
def _is_on(slate, trace, cell):
    """Whether `cell` lies on the path of that number."""
    return trace > 0 and slate.cells[cell]["trace"][trace & 1] == trace


@inner
def _has_way(slate):
    """Whether the agent can go on along the path it follows."""
    state = slate.state[0]
    here, follow = state["here"], state["follow"]
    return _is_on(slate, follow, here) and slate.cells[here]["place"][follow & 1] > 0


@inner
def _trace(slate, pace):
    """Go on tracing back from the subgoal, until the start or the agent is met; then that path is followed."""
    state = slate.state[0]
    number = state["trace"]
    path = slate.paths[number & 1]
    done = 0
    while done < pace.n_trace:
        cell = state["cursor"]
        path[state["n_cursor"]] = cell
        slate.cells[cell]["trace"][number & 1] = number
        slate.cells[cell]["place"][number & 1] = state["n_cursor"]
        state["n_cursor"] += 1
        done += 1
        if cell == state["start"] or cell == state["here"]:
            state["is_tracing"] = 0
            if state["subgoal"] == state["goal"]:
                state["is_traced"] = 1
            elif pace.is_patient and cell != state["here"] and _has_way(slate):
                break
            if pace.keeps_longer and _is_shorter(slate):
                break
            state["follow"] = number
            break
        state["cursor"] = slate.cells[cell]["parent"]
    state["traced_most"] = max(state["traced_most"], done)


@inner
def _is_shorter(slate):
    """Whether the new path ends before the goal, at a cell with a smaller g than that of the path being followed."""
    state, cells = slate.state[0], slate.cells
    follow = state["follow"]
    if follow == 0 or state["is_traced"]:
        return False
    return cells[state["subgoal"]]["g"] < cells[slate.paths[follow & 1, 0]]["g"] - FUZZ


@inner
def _step(slate, scout):
    """One step forward on the path, or back along the tree; the cell to go to, which may be the one the agent is in."""
    state = slate.state[0]
    here, follow = state["here"], state["follow"]
    if state["n_short"] > 0:
        state["n_short"] -= 1
        heading, cell = FORWARD, scout.route[state["n_short"]]
    elif _has_way(slate):
        heading, cell = FORWARD, slate.paths[follow & 1, slate.cells[here]["place"][follow & 1] - 1]
    elif follow == 0 or here == state["start"] or _is_on(slate, follow, here):
        return here  # there is no path yet, or it ends here
    else:
        heading, cell = BACK, slate.cells[here]["parent"]
        state["backward"] += 1
    if state["heading"] != NONE and state["heading"] != heading:
        state["turns"] += 1
    state["heading"] = heading
    return cell


@inner
def _look_for_shortcut(graph, slate, scout, pace, events):
    """Search from the agent, for one move, for the cell of the final path through which the goal is nearest."""
    state, memory, cells = slate.state[0], scout.memory, slate.cells
    here, goal, follow = state["here"], state["goal"], state["follow"]
    best_first.open_start(memory, scout.queue, here)
    best_first.advance(
        graph,
        memory,
        scout.queue,
        best_first.Ordering(1.0, ZERO, state["scale"] / pace.span, False, False),
        here,
        goal,
        pace.n_expand,
        scout.closed,
    )
    n_closed = memory.counts[best_first.EXPANDED]
    for k in range(min(n_closed, events.size - state["expanded"])):
        events[state["expanded"] + k] = scout.closed[k]
    state["expanded"] += n_closed
    best, target = cells[here]["g"] + cells[goal]["g"], NOWHERE  # at worst back to the start
    for k in range(n_closed):
        cell = scout.closed[k]
        total = memory.cells[cell]["g"] + cells[goal]["g"] - cells[cell]["g"]
        if _is_on(slate, follow, cell) and total < best:
            best, target = total, cell
    if target != NOWHERE and target != here:
        state["n_short"] = best_first.trace(memory, here, target, scout.route) - 1


@kernel
def search_and_move(graph, slate, strategy, pace, scout, trail, limits):
    """Search on and move within `limits`; WALKING, ARRIVED, STUCK if there is no way, or NO_ROOM in the lists."""
    state, events = slate.state[0], trail.events
    stop = state["expanded"] + limits.work
    for _ in range(limits.moves):
        if state["here"] == state["goal"]:
            return ARRIVED
        if state["expanded"] >= stop:
            return WALKING
        if not state["is_planning"]:
            state["is_planning"], state["before"] = 1, state["expanded"]
            state["left"], state["s_left"] = pace.n_expand, pace.n_salient
        if not state["is_found"]:
            while state["left"] > 0 and state["n_open"] > 0 and not state["is_found"]:
                n = min(state["left"], CHUNK)
                if state["top"] + n * pace.span >= slate.heads.size:
                    return NO_ROOM
                _plan(graph, slate, events, n, pace.kind)
            if state["n_open"] == 0:
                state["most"] = max(state["most"], state["expanded"] - state["before"])
                return STUCK
        elif pace.cuts_short and state["is_traced"] and state["n_short"] == 0:
            if not _is_on(slate, state["follow"], state["here"]):
                _look_for_shortcut(graph, slate, scout, pace, events)
        if not state["is_traced"]:
            if not state["is_tracing"]:
                state["is_tracing"] = 1
                state["trace"] += 1
                if (state["trace"] - state["follow"]) & 1 == 0:  # that place is taken by the path being followed
                    state["trace"] += 1
                state["subgoal"] = state["cursor"] = _next_subgoal(graph, slate, strategy, pace.kind)
                state["n_cursor"] = 0
            _trace(slate, pace)
        here = state["here"]
        cell = _step(slate, scout)
        state["is_planning"] = 0
        state["most"] = max(state["most"], state["expanded"] - state["before"])
        trail.walked[state["moves"]] = cell
        state["moves"] += 1
        if cell == here:
            state["waits"] += 1
        else:
            state["travel"] += edge_cost(graph, here, cell)
            state["here"] = cell
            if state["first_move"] == 0:
                state["first_move"] = state["moves"]
    return ARRIVED if state["here"] == state["goal"] else WALKING
