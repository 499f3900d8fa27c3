"""A* on one level of an abstraction, inside the corridor that a path on the level above has made.

Invariants  g[node] is the cost of the path by `parent`, all of whose nodes have their parents on the path above.
"""

import numpy as np

from wayfolk.compile.jit import kernel
from wayfolk.kernels import heap
from wayfolk.kernels.best_first import EXPANDED, STAMP, trace
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.graph import cost, heuristic, slots, there
from wayfolk.world.abstraction._clusters import key_of

N_OPEN, END = 5, 6  # places in `counts`, behind those of `best_first`
FUZZ = 1e-9


@kernel
def seek(
    graph, memory, rows, start, goal, kind, parents, marks, last, above, first, target, cells, budget, events, is_new,
    path,
):  # fmt: skip
    """Expand up to `budget` nodes towards `goal`; RUNNING, FOUND, EXHAUSTED or FULL, and the length of the path.

    Only children of `above`, the path on the next level, are looked at, all nodes if it is empty; children of its
    neighbours too, if the edges of that level are given as `first` and `target`. `marks` has a place for each node there.
    The first node below `last` ends it, if that is somewhere, and else `goal`: it is left in counts[END], and the way there
    in `path`, backwards. Of each expanded node, a cell from `cells` is written to `events`, itself where that is empty.
    """
    nodes, counts = memory.cells, memory.counts
    if is_new:
        counts[STAMP] += 2
        for k in range(above.size):
            marks[above[k]] = counts[STAMP]
            for edge in range(first[above[k]] if first.size else 0, first[above[k] + 1] if first.size else 0):
                marks[target[edge]] = counts[STAMP]
        begin = nodes[start]
        begin["g"], begin["parent"], begin["mark"] = 0.0, start, counts[STAMP]
        rest = heuristic(graph, start, goal, kind)
        counts[N_OPEN] = heap.push(rows, np.int64(0), key_of(rest), key_of(rest), start)
    stamp, n = counts[STAMP], counts[N_OPEN]
    stop = counts[EXPANDED] + budget
    outcome = EXHAUSTED
    while n > 0:
        node = np.int64(rows[0]["item"])
        state = nodes[node]
        if state["mark"] != stamp:  # a better copy came before
            n = heap.pop(rows, n)
            continue
        if node == goal or (last != NOWHERE and parents[node] == last):
            counts[END] = node
            outcome = FOUND
            break
        if counts[EXPANDED] >= stop:
            outcome = RUNNING
            break
        if n + slots(graph, node) > rows.size:
            outcome = FULL
            break
        n = heap.pop(rows, n)
        state["mark"] = stamp + 1
        if counts[EXPANDED] < events.size:
            events[counts[EXPANDED]] = cells[node] if cells.size > 0 else node
        counts[EXPANDED] += 1
        for k in range(slots(graph, node)):
            other = there(graph, node, k)
            if other == NOWHERE or (above.size > 0 and marks[parents[other]] != stamp):
                continue
            reached = state["g"] + cost(graph, node, k)
            child = nodes[other]
            if child["mark"] >= stamp and reached >= child["g"] - FUZZ:
                continue
            child["g"], child["parent"], child["mark"] = reached, node, stamp
            rest = heuristic(graph, other, goal, kind)
            n = heap.push(rows, n, key_of(reached + rest), key_of(rest), np.int64(other))
    counts[N_OPEN] = n
    return outcome, trace(memory, start, counts[END], path) if outcome == FOUND else 0
