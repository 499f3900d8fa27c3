"""A* in space and time where some cells cost more at some steps, and the collisions of a plan that decide which.

A node is a cell and the step at which the agent is there. Costs count steps; diagonals only break ties. The extra cost of
an agent, its bias, is kept in a table of (cell, step); with `by_place` it holds at every step.

Guarantees  the cheapest path to stay on the goal for good, with the bias of staying there afterwards.
Why         past the last bias all steps look alike and are treated as one, so a search always ends.
"""

import numpy as np

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOBODY, RUNNING
from wayfolk.kernels.crossing import corners, diagonal
from wayfolk.kernels.distances import UNREACHED, steps_between
from wayfolk.kernels.reservation_rules import NEVER
from wayfolk.kernels.reservations import holder
from wayfolk.kernels.space_time import _OUTDONE, _SLOT, EXPANDED, LAST, N_NODES, N_OPEN, _put, _visit

WAIT = 8
OWNER = np.dtype([("step", np.int32), ("agent", np.int32)], align=True)
COLLISION = np.dtype([("agent", np.int32), ("cell", np.int32), ("step", np.int32)], align=True)
END = np.int32(2**31 - 2)  # the step of a node that stands for staying on the goal


@kernel
def advance(fields, table, nodes, agent, goal, by_place, budget):
    """Expand up to `budget` nodes; RUNNING, FOUND (the top of the open list stands for staying), EXHAUSTED or FULL."""
    counts, tree = nodes.counts, nodes.tree
    stop = counts[EXPANDED] + budget
    last = counts[LAST]
    while counts[N_OPEN] > 0:
        node = nodes.open[0]["item"]
        cell, step, spent = tree[node]["cell"], tree[node]["slot"], tree[node]["cost"]
        if spent == _OUTDONE:
            counts[N_OPEN] = heap.pop(nodes.open, counts[N_OPEN])
            continue
        if step == END:
            return FOUND
        if counts[EXPANDED] >= stop:
            return RUNNING
        if counts[N_NODES] + 10 > tree.size or counts[N_OPEN] + 10 > nodes.open.size:
            return FULL
        counts[N_OPEN] = heap.pop(nodes.open, counts[N_OPEN])
        counts[EXPANDED] += 1
        if cell == goal:
            total = spent + _bias_after(table, goal, step, last)
            _add(nodes, goal, END, total, node, total)
        legal = fields.cells[cell]["legal"]
        for k in range(WAIT + 1):
            if k < WAIT and not (legal >> k) & 1:
                continue
            other = cell if k == WAIT else cell + fields.offsets[k]
            left = steps_between(fields, agent, other)
            if left == UNREACHED:
                continue
            total = spent + _SLOT + bias(table, other, 0 if by_place else step + 1)
            if 4 <= k < WAIT:
                total += 1
            spot = _visit(nodes, other, min(step + 1, last + 1))
            known = nodes.seen[spot]["item"]
            if known != NEVER:
                if tree[known]["cost"] <= total:
                    continue
                tree[known]["cost"] = _OUTDONE
            nodes.seen[spot]["item"] = counts[N_NODES]
            _add(nodes, other, step + 1, total, node, total + np.int64(left) * _SLOT)
    return EXHAUSTED


@inner
def _add(nodes, cell, step, total, parent, f):
    new = nodes.counts[N_NODES]
    nodes.counts[N_NODES] += 1
    _put(nodes.tree[new], cell, step, total, parent)
    nodes.counts[N_OPEN] = heap.push(nodes.open, nodes.counts[N_OPEN], f, -total, new)


@inner
def bias(table, cell, step):
    """The extra cost of being in `cell` at `step`; the table holds it in 1024ths of a step."""
    extra = holder(table, cell, step)
    return np.int64(0) if extra == NOBODY else np.int64(extra)


@inner
def _bias_after(table, cell, step, last):
    """The extra cost of staying in `cell` after `step`."""
    total = np.int64(0)
    for later in range(step + 1, last + 1):
        total += bias(table, cell, later)
    return total


@kernel
def collide(cells, offsets, rank, owners, collisions):
    """Write the collisions of a plan, as rows (agent, cell, step) for all but the first in rank of each; how many.

    `owners` has two rows of (step, agent) for each cell. When `collisions` is full, the rest is left out.
    """
    n = 0
    for step in range(cells.shape[0]):
        now, before = owners[step & 1], owners[1 - (step & 1)]
        for agent in range(cells.shape[1]):
            place = now[cells[step, agent]]
            if place["step"] != step or rank[agent] < rank[place["agent"]]:
                place["step"], place["agent"] = step, agent
        for agent in range(cells.shape[1]):
            if n == collisions.size:
                return n
            cell = cells[step, agent]
            if now[cell]["agent"] != agent or (step > 0 and _meets(cells, offsets, rank, before, agent, step)):
                collisions[n]["agent"], collisions[n]["cell"], collisions[n]["step"] = agent, cell, step
                n += 1
    return n


@inner
def _meets(cells, offsets, rank, before, agent, step):
    """Whether `agent` swaps with one before it in rank, or crosses its diagonal, on the way to `step`."""
    here, there = cells[step - 1, agent], cells[step, agent]
    if here == there:
        return False
    if _goes(cells, before, there, here, step, agent, rank):
        return True
    k = diagonal(offsets, here, there)
    if k == 0:
        return False
    beside, across = corners(offsets, here, k)
    if _goes(cells, before, beside, across, step, agent, rank):
        return True
    return _goes(cells, before, across, beside, step, agent, rank)


@inner
def _goes(cells, before, here, there, step, agent, rank):
    """Whether an agent before `agent` in rank moves from `here` to `there` on the way to `step`."""
    place = before[here]
    if place["step"] != step - 1:
        return False
    return cells[step, place["agent"]] == there and rank[place["agent"]] < rank[agent]
