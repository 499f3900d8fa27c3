"""The least weighted vertex cover: how much all agents together cost at least more than each alone.

Agents are vertices. An edge of weight w says that its two agents together cost at least w more. The cover gives each agent
a number such that the two of every edge add up to its weight or more; its sum is least, and a lower bound of what is paid.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from wayfolk.compile.jit import inner, kernel

MOST_STEPS = 20_000


def cover_of(weights: dict[tuple[int, int], int]) -> int:
    """The sum of the least cover of the edges `weights`, or a lower bound of it for very large groups of agents."""
    total = 0
    for part in _parts(weights):
        if len(part) == 1:
            total += weights[part[0]]
            continue
        degree: dict[int, int] = defaultdict(int)
        for edge in part:
            for agent in edge:
                degree[agent] += weights[edge]
        order = {agent: k for k, agent in enumerate(sorted(degree, key=lambda agent: (-degree[agent], agent)))}
        matrix = np.zeros((len(order), len(order)), np.int64)
        for one, other in part:
            matrix[order[one], order[other]] = matrix[order[other], order[one]] = weights[one, other]
        total += int(least_cover(matrix, np.zeros(len(order), np.int64)))
    return total


def _parts(weights: dict[tuple[int, int], int]) -> list[list[tuple[int, int]]]:
    """The edges with a weight, by connected parts."""
    leader: dict[int, int] = {}

    def find(agent: int) -> int:
        while leader.setdefault(agent, agent) != agent:
            agent = leader[agent]
        return agent

    edges = [edge for edge, weight in weights.items() if weight > 0]
    for one, other in edges:
        leader[find(one)] = find(other)
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for edge in edges:
        parts[find(edge[0])].append(edge)
    return list(parts.values())


@kernel
def least_cover(weights, x):
    """The least sum of `x` with x[i] + x[j] >= weights[i, j], by branch and bound; after MOST_STEPS a lower bound."""
    n = len(x)
    best = np.int64(1) << 40
    v, total, steps = 0, np.int64(0), 0
    x[0] = 0
    while v >= 0:
        steps += 1
        if steps > MOST_STEPS:
            return _matching(weights, x)
        most = np.int64(0)
        for u in range(v + 1, n):
            most = max(most, weights[v, u])
        least = np.int64(0)
        for u in range(v):
            least = max(least, weights[u, v] - x[u])
        if total + x[v] < best and x[v] <= max(most, least):
            if v < n - 1:
                total += x[v]
                v += 1
                x[v] = 0
                for u in range(v):
                    x[v] = max(x[v], weights[u, v] - x[u])
                continue
            best = total + x[v]
        v -= 1
        if v >= 0:
            total -= x[v]
            x[v] += 1
    return best


@inner
def _matching(weights, used):
    """The sum of the weights of edges that share no vertex, the heaviest first."""
    n = len(used)
    used[:] = 0
    total = np.int64(0)
    while True:
        best, one, other = np.int64(0), 0, 0
        for i in range(n):
            for j in range(i):
                if used[i] == 0 and used[j] == 0 and weights[i, j] > best:
                    best, one, other = weights[i, j], i, j
        if best == 0:
            return total
        used[one] = used[other] = 1
        total += best
