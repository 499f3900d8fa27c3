"""The search of BMAA*: A* with few expansions from where an agent is, learning from it, and the path to go.

Keeps    at most `expansions` cells are expanded. An agent reads and writes its own table only, and looks at nobody out of
         sight: it does not matter who searches first.
"""

import numpy as np

from wayfolk.graph import cost
from wayfolk.grid import DX, DY
from wayfolk.kernels import bmaa_fields, heap
from wayfolk.kernels.bmaa_fields import octile
from wayfolk.kernels.bmaa_tiles import known, learn
from wayfolk.kernels.crew import NOBODY, note
from wayfolk.kernels.jit import inner
from wayfolk.record import THOUGHT

STAMP, ROUND, TURN, N_OPEN, N_FIELDS = range(5)  # places in `counts`
FINE = 1024.0  # the open list compares costs in whole numbers of this fraction: what was learned is rounded
FIELDS = 64  # coarse fields that are made in a round at most, so that no step takes long
SLIGHT = 1e-3  # what was learned is rounded: less than this is no difference
CELL = np.dtype(
    [("g", np.float64), ("h", np.float64), ("first", np.float32), ("parent", np.int32), ("mark", np.int32)], align=True
)


@inner
def search(mind, crew, log, number, now):
    """Look ahead, learn and write the path; against one-way streets if there is no other way out."""
    walker = mind.walkers[number]
    if mind.fields.made.size > 0 and not mind.fields.made[number] and mind.counts[N_FIELDS] < FIELDS:
        bmaa_fields.make(mind.fields, number, walker["goal"], mind.graph.stride, mind.slant, mind.graph.cheapest)
        mind.counts[N_FIELDS] += 1
    n_closed = _explore(mind, crew, number, mind.graph.legal, mind.expansions)
    n_expanded = n_closed
    if mind.flow and mind.counts[N_OPEN] == 0 and n_closed < mind.expansions:
        n_closed = _explore(mind, crew, number, mind.legal, mind.expansions - n_closed)
        n_expanded += n_closed
    note(log, crew.counts, now, number, THOUGHT, n_expanded)
    walker["n_path"] = walker["at"] = 0
    if mind.counts[N_OPEN] == 0:  # enclosed: it waits, and learns nothing
        return
    walker["limit"] = now + mind.moves
    best = mind.rows[0]["item"]
    f = mind.cells[best]["g"] + mind.cells[best]["h"]
    if mind.avoid and best != walker["goal"]:
        best = _least_learned(mind, best)
    _trace(mind, number, best)
    _learn(mind, number, mind.closed[:n_closed], f)


@inner
def _explore(mind, crew, number, legal, expansions):
    """A* from where the agent is, around whoever it sees, until its goal or the cell after `expansions` is next.

    That cell is left on top of the open list. The expanded cells are written to `closed`; how many there are.
    """
    graph, cells, rows, walker = mind.graph, mind.cells, mind.rows, mind.walkers[number]
    start, goal = walker["was"], walker["goal"]
    stride = graph.stride
    start_y, goal_y = start // stride, goal // stride
    start_x, goal_x = start - start_y * stride, goal - goal_y * stride
    stamp = new_stamp(mind)
    cells[start]["g"], cells[start]["mark"] = 0.0, stamp
    cells[start]["first"] = _guess(mind, number, start, start_x, start_y, goal, goal_x, goal_y)
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
        mind.closed[n_closed] = cell
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
            if apart <= mind.reach and other != goal and _is_in_the_way(mind, crew, number, other):
                continue
            reached = node["g"] + cost(graph, cell, k)
            if child["mark"] != stamp:
                first = _guess(mind, number, other, there_x, there_y, goal, goal_x, goal_y)
                child["mark"], child["first"] = stamp, first
                child["h"] = first + known(mind.tiles, number, there_x, there_y)
            elif reached >= child["g"]:
                continue
            child["g"], child["parent"] = reached, cell
            n = heap.push(rows, n, np.int64((reached + child["h"]) * FINE), -np.int64(reached * FINE), other)
    mind.counts[N_OPEN] = n
    return n_closed


@inner
def _is_in_the_way(mind, crew, number, cell):
    """Whether somebody is in `cell` who will not yield."""
    other = crew.occupant[cell]
    return other != NOBODY and not (mind.yielding and yields(mind, other, number))


@inner
def yields(mind, number, other):
    """Whether an agent can be told to go by `other`, who has been under way for longer."""
    one, two = mind.walkers[number], mind.walkers[other]
    is_younger = one["since"] > two["since"] or (one["since"] == two["since"] and number > other)
    return one["asked"] and not one["moved"] and (is_younger or one["was"] == one["goal"])


@inner
def _learn(mind, number, closed, f):
    """h := f - g for what was expanded; the table holds by how much that is more than the first guess."""
    for cell in closed:
        node = mind.cells[cell]
        y = cell // mind.graph.stride
        x = cell - y * mind.graph.stride
        learn(mind.tiles, number, x, y, f - node["g"] - node["first"])


@inner
def _least_learned(mind, best):
    """The open cell about which least was learned, the first by f among those."""
    least, least_f = np.inf, np.int64(0)
    for row in mind.rows[: mind.counts[N_OPEN]]:
        node = mind.cells[row["item"]]
        more = node["h"] - node["first"]
        if node["mark"] == mind.counts[STAMP] and (
            more < least - SLIGHT or (more < least + SLIGHT and row["f"] < least_f)
        ):
            best, least, least_f = row["item"], more, row["f"]
    return best


@inner
def new_stamp(mind):
    """A mark that no cell has; the next number is left for closed cells."""
    mind.counts[STAMP] += 2
    return mind.counts[STAMP]


@inner
def _guess(mind, number, cell, x, y, goal, goal_x, goal_y):
    """The first guess: by sectors where that has been worked out, else as on an empty map."""
    if mind.fields.made.size > 0 and mind.fields.made[number]:
        return bmaa_fields.guess(mind.fields, number, cell, x, y, goal, goal_x, goal_y, mind.slant, mind.graph.cheapest)
    return mind.graph.cheapest * octile(x - goal_x, y - goal_y, mind.slant)


@inner
def _trace(mind, number, end):
    """Write the way to `end` to the agent's path, as much of it as fits."""
    start = mind.walkers[number]["was"]
    length = 0
    cell = end
    while cell != start:
        length += 1
        cell = mind.cells[cell]["parent"]
    path = mind.paths[number]
    cell = end
    for k in range(length - 1, -1, -1):
        if k < path.size:
            path[k] = cell
        cell = mind.cells[cell]["parent"]
    mind.walkers[number]["n_path"] = min(length, path.size)
