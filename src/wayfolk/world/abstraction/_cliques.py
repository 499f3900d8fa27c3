"""The kernels that build clique abstractions: which nodes go together, and what that leaves of the edges."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import math

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOWHERE


@kernel
def link(legal, offsets, cells, number, first, target):
    """The moves between free `cells`, whose numbers are written to `number`, as edges of a graph; how many they are."""
    for node in range(cells.size):
        number[cells[node]] = node
    n = 0
    for node in range(cells.size):
        first[node] = n
        for k in range(8):
            if (legal[cells[node]] >> k) & 1:
                target[n] = number[cells[node] + offsets[k]]
                n += 1
    first[cells.size] = n
    return n


@kernel
def contract(first, target, parents):
    """Put the nodes of a graph into groups: cliques of four, of three, of two, and single nodes; returns how many groups.

    Edges are `target[first[node]]` and on, both ways. `parents` is NOWHERE, and then the group of each node.
    """
    n = 0
    n_nodes = first.size - 1
    for size in range(4, 1, -1):
        for node in range(n_nodes):
            if parents[node] == NOWHERE:
                n += _clique(first, target, parents, node, size, n)
    for node in range(n_nodes):
        if parents[node] == NOWHERE:
            # its neighbours have others; with a single one, it joins that
            if first[node + 1] - first[node] == 1:
                parents[node] = parents[target[first[node]]]
            else:
                parents[node] = n
                n += 1
    return n


@inner
def _clique(first, target, parents, node, size, number):
    """Make group `number` of `node` and `size` - 1 others that all know each other and have no group; 1 if there are."""
    end = first[node + 1]
    for i in range(first[node], end):
        one = target[i]
        if parents[one] != NOWHERE:
            continue
        if size == 2:
            parents[node] = parents[one] = number
            return 1
        for j in range(i + 1, end):
            two = target[j]
            if parents[two] != NOWHERE or not _is_edge(first, target, one, two):
                continue
            if size == 3:
                parents[node] = parents[one] = parents[two] = number
                return 1
            for k in range(j + 1, end):
                three = target[k]
                if parents[three] != NOWHERE or not _is_edge(first, target, one, three):
                    continue
                if _is_edge(first, target, two, three):
                    parents[node] = parents[one] = parents[two] = parents[three] = number
                    return 1
    return 0


@inner
def _is_edge(first, target, node, other):
    k, end = first[node], first[node + 1]
    while k < end and target[k] != other:
        k += 1
    return k < end


@kernel
def renumber(parents, number):
    """Number the groups in the order of their first nodes. `number` is NOWHERE for each group."""
    n = 0
    for node in range(parents.size):
        if number[parents[node]] == NOWHERE:
            number[parents[node]] = n
            n += 1
        parents[node] = number[parents[node]]


@kernel
def list_children(parents, begins, order):
    """Write the nodes to `order` by group: those of group p are order[begins[p] : begins[p + 1]]. `begins` is 0."""
    for parent in parents:
        begins[parent + 1] += 1
    for group in range(1, begins.size):
        begins[group] += begins[group - 1]
    for node in range(parents.size):
        order[begins[parents[node]]] = node
        begins[parents[node]] += 1
    for group in range(begins.size - 1, 0, -1):  # each is now where the next one begins
        begins[group] = begins[group - 1]
    begins[0] = 0


@kernel
def quotient(first, target, parents, order, begins, seen, above_first, above_target):
    """The edges between groups, each once; how many. Group p holds the nodes order[begins[p] : begins[p + 1]].

    `seen` is NOWHERE for each group.
    """
    n = 0
    for group in range(begins.size - 1):
        above_first[group] = n
        seen[group] = group
        for place in range(begins[group], begins[group + 1]):
            node = order[place]
            for k in range(first[node], first[node + 1]):
                other = parents[target[k]]
                if seen[other] != group:
                    seen[other] = group
                    above_target[n] = other
                    n += 1
    above_first[begins.size - 1] = n
    return n


@kernel
def weigh(first, target, x, y, price, is_straight, weight):
    """What edges cost: the distance of their ends, by straight moves only or by diagonals too, times the mean price."""
    for node in range(first.size - 1):
        for k in range(first[node], first[node + 1]):
            other = target[k]
            dx, dy = abs(x[node] - x[other]), abs(y[node] - y[other])
            away = dx + dy if is_straight else max(dx, dy) + (math.sqrt(2.0) - 1.0) * min(dx, dy)
            weight[k] = away * 0.5 * (price[node] + price[other])
