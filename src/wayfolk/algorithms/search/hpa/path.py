"""The second half of HPA*: from the nodes that a search has found to the cells of a path.

Nothing is searched for: the ways between nodes are stored as moves on the first level, as hops between nodes above it.
`tables` are a ClusterTables, `memory` is a ClusterMemory.
"""

import numpy as np

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import DX, DY, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.graph import cost
from wayfolk.world.abstraction._clusters import ARRIVED

PATH_FULL = FULL + 1  # one more outcome
STAMP, PHASE, EXPANDED, N_OPEN, LEVEL, N_LIST, N_DONE, N_PATH = range(8)  # places in `counts`


@inner
def trace(tables, memory, start, goal, stride):
    """Write the first-level nodes on the way to the first list; how many. There are none on a way inside a cluster."""
    states = memory.states
    level = memory.counts[LEVEL]
    home, target = (
        home_of(tables.numbers, tables.size, stride, start),
        home_of(tables.numbers, tables.size, stride, goal),
    )
    out = memory.lists[0]
    n = 0
    node = states[states.size - 1]["parent"]
    while node != NOWHERE:
        before = states[node]["parent"]
        left = tables.spans[level, 0] + home // tables.spans[level, 1]
        if before != NOWHERE:
            left = tables.nodes[before]["cluster"]
        if n == 0 or out[n - 1] != node:
            out[n] = node
            n += 1
        for k in range(tables.nodes[node]["exit"], tables.nodes[node + 1]["exit"]):
            if tables.nodes[tables.exits[k]["to"]]["cluster"] == left:
                out[n] = tables.exits[k]["to"]
        n += 1
        node = before
    _turn(out, np.int64(0), n)
    while level > 0 and n > 0:
        n = _descend(tables, memory, level, n, home, target)
        level -= 1
    return n


@inner
def _descend(tables, memory, level, n, home, target):
    """Rewrite the list of `n` nodes on the way as one of nodes a level down."""
    old, out = memory.lists[0], memory.lists[1]
    nodes, clusters = tables.nodes, tables.clusters
    which = tables.spans[level - 1, 0] + home // tables.spans[level - 1, 1]
    node = _nearest(nodes, clusters, tables.reach, memory.near[0, level - 1], which, old[0])
    out[0] = node
    m = _hop(nodes, clusters, tables.hops, old[0], node, out, np.int64(1))
    for k in range(1, n):
        if nodes[old[k - 1]]["cluster"] == nodes[old[k]]["cluster"]:
            m = _hop(nodes, clusters, tables.hops, old[k], nodes[old[k - 1]]["below"], out, m)
        else:
            out[m] = nodes[old[k]]["below"]
            m += 1
    # the last piece is known from the goal to the last node: written so, and turned around
    which = tables.spans[level - 1, 0] + target // tables.spans[level - 1, 1]
    node = _nearest(nodes, clusters, tables.reach, memory.near[1, level - 1], which, old[n - 1])
    if node != nodes[old[n - 1]]["below"]:
        out[m] = node
        end = _hop(nodes, clusters, tables.hops, old[n - 1], node, out, m + 1) - 1
        _turn(out, m, end)
        m = end
    for k in range(m):
        old[k] = out[k]
    return m


@inner
def _nearest(nodes, clusters, reach, near, which, node):
    """Of the nodes of cluster `which`, a level down and `near` to start or goal, the one on the way to `node`."""
    first, after = clusters[which]["first"], clusters[which + 1]["first"]
    row = _row(clusters, nodes[node]["cluster"], node)
    inside = clusters[nodes[node]["cluster"]]["inner"]
    best, least = first, np.inf
    for other in range(first, after):
        total = near[other - first] + reach[row + other - inside]
        if total < least:
            best, least = other, total
    return best


@inner
def _row(clusters, which, node):
    """Where the hops from inside cluster `which` to `node` of it are."""
    cluster = clusters[which]
    n_inside = clusters[which + 1]["inner"] - cluster["inner"]
    return cluster["field"] + (node - cluster["first"]) * n_inside


@inner
def _hop(nodes, clusters, hops, node, here, out, n):
    """Write the nodes a level down from behind `here` to `node` behind place `n` of `out`; the new length."""
    which = nodes[node]["cluster"]
    row = _row(clusters, which, node)
    inside = clusters[which]["inner"]
    while here != nodes[node]["below"]:
        here = inside + hops[row + here - inside]
        out[n] = here
        n += 1
    return n


@inner
def _turn(items, begin, end):
    """Turn the part of `items` from `begin` to before `end` around."""
    for k in range((end - begin) // 2):
        items[begin + k], items[end - 1 - k] = items[end - 1 - k], items[begin + k]


@inner
def refine(graph, tables, memory, goal, stop, events):
    """Write out the cells between the nodes of the first list, step by step."""
    counts, nodes, path, todo = memory.counts, tables.nodes, memory.path[0], memory.lists[0]
    clusters, size, offsets, stride = tables.clusters, tables.size, graph.offsets, graph.stride
    n_list = counts[N_LIST]
    while counts[N_DONE] <= n_list:
        if counts[EXPANDED] >= stop:
            return RUNNING
        n = counts[N_PATH]
        if n + tables.size * tables.size > path.size:
            return PATH_FULL
        here = np.int64(path[n - 1])
        note(counts, events, here)
        done = counts[N_DONE]
        if n_list == 0:
            square = clusters[home_of(tables.numbers, size, stride, goal)]
            n = _walk(
                offsets, stride, size, cluster=square, fields=memory.field, field=np.int64(0), here=here, path=path, n=n
            )
        elif 0 < done < n_list and nodes[todo[done]]["cluster"] != nodes[todo[done - 1]]["cluster"]:
            path[n] = nodes[todo[done]]["cell"]
            n += 1
        else:
            # to the next node; the last piece is known from the goal to the last node, and is turned around
            node = todo[min(done, n_list - 1)]
            square = clusters[nodes[node]["cluster"]]
            field = square["field"] + (node - square["first"]) * size * size
            begin = n
            n = _walk(
                offsets,
                stride,
                size,
                cluster=square,
                fields=tables.fields,
                field=field,
                here=goal if done == n_list else here,
                path=path,
                n=n,
            )
            if done == n_list and n > begin:
                _turn(path, begin, n - 1)
                path[n - 1] = goal
        counts[N_PATH] = n
        counts[N_DONE] += 1
    return FOUND


@inner
def _walk(offsets, stride, size, cluster, fields, field, here, path, n):
    """Append the cells that a field leads through, from behind `here`; the new length."""
    place = field + spot_of(cluster, size, stride, here)
    move = fields[place]
    while move < ARRIVED:
        here += offsets[move]
        path[n] = here
        n += 1
        place += DX[move] + DY[move] * size
        move = fields[place]
    return n


@inner
def length(graph, path, n):
    """What the path costs."""
    total = 0.0
    move = 0
    for k in range(1, n):
        step = path[k] - path[k - 1]
        if graph.offsets[move] != step:
            move = 0
            while graph.offsets[move] != step:
                move += 1
        total += cost(graph, path[k - 1], move)
    return total


@inner
def note(counts, events, cell):
    """Count an expansion."""
    if counts[EXPANDED] < events.size:
        events[counts[EXPANDED]] = cell
    counts[EXPANDED] += 1


@inner
def home_of(numbers, size, stride, cell):
    """The first-level cluster that `cell` is in."""
    y = cell // stride
    return numbers[(y - 1) // size, (cell - y * stride - 1) // size]


@inner
def spot_of(cluster, size, stride, cell):
    """The place of `cell` in the fields of its cluster."""
    y = cell // stride
    return (y - 1 - cluster["top"]) * size + cell - y * stride - 1 - cluster["left"]
