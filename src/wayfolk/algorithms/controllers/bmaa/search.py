"""The search of BMAA*: A* with few expansions from the agent's cell, what it learns from that, and its path.

Invariants  at most `expansions` nodes are expanded. An agent reads and writes its own table only, and sees no agent out of
            sight: the order of the searches does not matter.
"""

import numpy as np

from wayfolk.algorithms.controllers.bmaa import fields as bmaa_fields
from wayfolk.algorithms.controllers.bmaa.fields import octile
from wayfolk.algorithms.controllers.bmaa.tiles import known, learn
from wayfolk.compile.jit import inner
from wayfolk.kernels import heap
from wayfolk.kernels.codes import DX, DY, NOBODY
from wayfolk.kernels.crew import report
from wayfolk.kernels.graph import cost

STAMP, ROUND, TURN, N_OPEN, N_FIELDS = range(5)  # places in `counts`
FINE = 1024.0  # the open list compares costs in whole numbers of this fraction: what was learned is rounded
FIELDS = 64  # coarse fields that are made in a round at most, so that no step takes long
SLIGHT = 1e-3  # what was learned is rounded: less than this is no difference
CELL = np.dtype(
    [("g", np.float64), ("h", np.float64), ("first", np.float32), ("parent", np.int32), ("mark", np.int32)], align=True
)


@inner
def search(arrays, crew, number, now):
    """Search, learn and write the path; against one-way moves if there is no other way out."""
    walker = arrays.walkers[number]
    if arrays.fields.valid.size > 0 and not arrays.fields.valid[number] and arrays.counts[N_FIELDS] < FIELDS:
        bmaa_fields.make(
            arrays.fields, number, walker["goal"], arrays.graph.stride, arrays.slant, arrays.graph.cheapest
        )
        arrays.counts[N_FIELDS] += 1
    n_closed = _explore(arrays, crew, number, arrays.graph.legal, arrays.expansions)
    n_expanded = n_closed
    if arrays.flow and arrays.counts[N_OPEN] == 0 and n_closed < arrays.expansions:
        n_closed = _explore(arrays, crew, number, arrays.legal, arrays.expansions - n_closed)
        n_expanded += n_closed
    report(crew, number, n_expanded)
    walker["n_path"] = walker["at"] = 0
    if arrays.counts[N_OPEN] == 0:  # enclosed: it waits, and learns nothing
        return
    walker["limit"] = now + arrays.moves
    best = arrays.rows[0]["item"]
    f = arrays.cells[best]["g"] + arrays.cells[best]["h"]
    if arrays.avoid and best != walker["goal"]:
        best = _least_learned(arrays, best)
    _trace(arrays, number, best)
    _learn(arrays, number, arrays.closed[:n_closed], f)


@inner
def _explore(arrays, crew, number, legal, expansions):
    """Run A* from the agent's cell, around the agents it sees, until its goal is next or `expansions` are used up.

    The next node stays on top of the open list. The expanded cells are written to `closed`; returns how many there are.
    """
    graph, cells, rows, walker = arrays.graph, arrays.cells, arrays.rows, arrays.walkers[number]
    start, goal = walker["was"], walker["goal"]
    stride = graph.stride
    start_y, goal_y = start // stride, goal // stride
    start_x, goal_x = start - start_y * stride, goal - goal_y * stride
    stamp = new_stamp(arrays)
    cells[start]["g"], cells[start]["mark"] = 0.0, stamp
    cells[start]["first"] = _heuristic(arrays, number, start, start_x, start_y, goal, goal_x, goal_y)
    n = heap.push(rows, 0, 0, 0, start)
    n_closed = 0
    while n > 0:
        cell = np.int64(rows[0]["item"])
        node = cells[cell]
        if node["mark"] != stamp:  # a better copy came before
            n = heap.pop(rows, n)
            continue
        if cell == goal or n_closed >= expansions:
            break
        n = heap.pop(rows, n)
        node["mark"] = stamp + 1
        arrays.closed[n_closed] = cell
        n_closed += 1
        y = cell // stride
        x = cell - y * stride
        for k in range(8):
            if (legal[cell] >> k) & 1 == 0:
                continue
            other = cell + graph.offsets[k]
            child = cells[other]
            if child["mark"] == stamp + 1:
                continue
            there_x, there_y = x + DX[k], y + DY[k]
            apart = (there_x - start_x) ** 2 + (there_y - start_y) ** 2
            if apart <= arrays.reach and other != goal and _is_in_the_way(arrays, crew, number, other):
                continue
            reached = node["g"] + cost(graph, cell, k)
            if child["mark"] != stamp:
                first = _heuristic(arrays, number, other, there_x, there_y, goal, goal_x, goal_y)
                child["mark"], child["first"] = stamp, first
                child["h"] = first + known(arrays.tiles, number, there_x, there_y)
            elif reached >= child["g"]:
                continue
            child["g"], child["parent"] = reached, cell
            n = heap.push(rows, n, np.int64((reached + child["h"]) * FINE), -np.int64(reached * FINE), other)
    arrays.counts[N_OPEN] = n
    return n_closed


@inner
def _is_in_the_way(arrays, crew, number, cell):
    """Whether an agent that does not yield is in `cell`."""
    other = crew.occupant[cell]
    return other != NOBODY and not (arrays.yielding and yields(arrays, other, number))


@inner
def yields(arrays, number, other):
    """Whether an agent gives way to `other`, which has been under way for longer."""
    one, two = arrays.walkers[number], arrays.walkers[other]
    is_younger = one["since"] > two["since"] or (one["since"] == two["since"] and number > other)
    return one["asked"] and not one["moved"] and (is_younger or one["was"] == one["goal"])


@inner
def _learn(arrays, number, closed, f):
    """Set h := f - g for the expanded cells; the table holds the difference to the initial heuristic."""
    for cell in closed:
        node = arrays.cells[cell]
        y = cell // arrays.graph.stride
        x = cell - y * arrays.graph.stride
        learn(arrays.tiles, number, x, y, f - node["g"] - node["first"])


@inner
def _least_learned(arrays, best):
    """Return the open cell about which least was learned, and of those the one with the least f."""
    least, least_f = np.inf, np.int64(0)
    for row in arrays.rows[: arrays.counts[N_OPEN]]:
        node = arrays.cells[row["item"]]
        more = node["h"] - node["first"]
        if node["mark"] == arrays.counts[STAMP] and (
            more < least - SLIGHT or (more < least + SLIGHT and row["f"] < least_f)
        ):
            best, least, least_f = row["item"], more, row["f"]
    return best


@inner
def new_stamp(arrays):
    """Return a mark that no cell has; the next number is the mark of closed cells."""
    arrays.counts[STAMP] += 2
    return arrays.counts[STAMP]


@inner
def _heuristic(arrays, number, cell, x, y, goal, goal_x, goal_y):
    """Return the initial heuristic: by sectors if that has been computed, else as on an empty map."""
    if arrays.fields.valid.size > 0 and arrays.fields.valid[number]:
        return bmaa_fields.heuristic(
            arrays.fields,
            agent=number,
            cell=cell,
            x=x,
            y=y,
            goal=goal,
            goal_x=goal_x,
            goal_y=goal_y,
            slant=arrays.slant,
            cheapest=arrays.graph.cheapest,
        )
    return arrays.graph.cheapest * octile(x - goal_x, y - goal_y, arrays.slant)


@inner
def _trace(arrays, number, end):
    """Write the path to `end` to the agent's path, as much of it as fits."""
    start = arrays.walkers[number]["was"]
    length = 0
    cell = end
    while cell != start:
        length += 1
        cell = arrays.cells[cell]["parent"]
    path = arrays.paths[number]
    cell = end
    for k in range(length - 1, -1, -1):
        if k < path.size:
            path[k] = cell
        cell = arrays.cells[cell]["parent"]
    arrays.walkers[number]["n_path"] = min(length, path.size)
