"""Random tiny graphs and tilings for points, and all joint states that agents on them can reach."""

from __future__ import annotations

import itertools
from math import perm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import body_reference as twin
from wayfolk.compile.jit import kernel
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.world.body import POINT
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

WORLDS = ("graph", "hexagons", "triangles", "cubes", "grid as a graph")
MOST_STATES = 6_000


def drawn_world(kind: str, rng: np.random.Generator) -> Graph:
    """A random world of a kind; every move has its reverse."""
    walls = rng.choice([0.0, 0.1, 0.3])
    match kind:
        case "graph":
            return drawn_graph(rng)
        case "hexagons":
            return HexGrid(rng.random(tuple(rng.integers(2, 4, 2))) >= walls, rng.choice(["pointy", "flat"]))
        case "triangles":
            return TriangleGrid(rng.random(tuple(rng.integers(2, 5, 2))) >= walls)
        case "cubes":
            return Voxels(rng.random((2, 2, 2)) >= 2 * walls, 26)
    return Graph.from_grid(
        Grid(rng.random(tuple(rng.integers(2, 4, 2))) >= walls, rng.choice(["eight", "eight_cutting"]))
    )


def drawn_graph(rng: np.random.Generator) -> Graph:
    """A tree, rings that share nodes, three paths between two nodes, or edges at random."""
    n, edges = int(rng.integers(3, 9)), set()
    shape = rng.choice(["tree", "rings", "theta", "sparse", "dense"])
    if shape == "theta":
        lengths = sorted(rng.integers(0, 3, 3).tolist())
        lengths[1:] = [max(1, length) for length in lengths[1:]]
        n = 2
        for length in lengths:
            path = [0, *range(n, n + length), 1]
            n += length
            edges.update(itertools.pairwise(path))
    elif shape == "rings":
        known = 1
        while known < n:
            more = min(int(rng.integers(1, 5)), n - known)
            ring = [int(rng.integers(known)), *range(known, known + more)]
            edges.update(itertools.pairwise([*ring, ring[0]] if more > 1 else ring))
            known += more
    else:
        edges.update((int(rng.integers(node)), node) for node in range(1, n))
        share = {"tree": 0.0, "sparse": 0.12, "dense": 0.4}[shape]
        edges.update(pair for pair in itertools.combinations(range(n), 2) if rng.random() < share)
    name = rng.permutation(n).tolist()
    both = sorted({(name[a], name[b]) for a, b in edges} | {(name[b], name[a]) for a, b in edges})
    counts = np.bincount([a for a, _ in both], minlength=n)
    return Graph(np.concatenate([[0], np.cumsum(counts)]), [b for _, b in both], np.ones(len(both)))


def bow_tie(is_tiled: bool, tail: bool = True) -> Graph:
    """The ring 0, 1, 2, 3 around the corners of a square, both of whose diagonals are edges; node 4 is beside node 3.

    The moves from 0 to 1 and from 2 to 3 meet in the middle if the world is tiled.
    """
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)][: 5 if tail else 4]
    edges = sorted(pairs + [pair[::-1] for pair in pairs])
    n = 5 if tail else 4
    first = np.searchsorted([here for here, _ in edges], range(n + 1))
    places = [(0, 0), (1, 1), (1, 0), (0, 1), (0, 2)][:n]
    graph = Graph(first, [there for _, there in edges], np.ones(len(edges)), places)
    graph.is_tiled = is_tiled
    return graph


class TinyGraph(NamedTuple):
    """A world, the nodes of its largest part, where agents start, and what they can reach."""

    world: Graph
    nodes: NDArray[np.int32]
    starts: NDArray[np.int32]
    states: list[tuple[int, ...]]

    def problem(self, goals: NDArray[np.int32]) -> Problem:
        places = [[self.world.place(int(node)) for node in these] for these in (self.starts, goals)]
        return one_shot(self.world, *places)


def tiny_graph(kind: str, number: int) -> TinyGraph:
    """World `number` of a kind, with as many agents as leave few nodes empty, or with fewer."""
    rng = np.random.default_rng([number, WORLDS.index(kind), 3])
    while True:
        world = drawn_world(kind, rng)
        parts = world.components[world.free_cells]
        if not len(parts):
            continue
        nodes = world.free_cells[parts == np.bincount(parts).argmax()]
        n_agents = len(nodes) - int(rng.integers(0, 4)) if rng.random() < 0.7 else int(rng.integers(2, 7))
        n_moves = int(np.diff(world.graph.first).max(initial=0)) + 1
        if 3 <= len(nodes) <= 15 and 2 <= n_agents <= min(len(nodes), 6) and n_moves**n_agents <= 60_000:
            if perm(len(nodes), n_agents) <= MOST_STATES:
                starts = rng.permutation(nodes)[:n_agents].astype(np.int32)
                return TinyGraph(world, nodes, starts, reached(world, nodes, starts))


def reached(world: Graph, nodes: NDArray[np.int32], starts: NDArray[np.int32]) -> list[tuple[int, ...]]:
    """All joint states that can be reached from the one in which agents are at `starts`."""
    number = {int(node): k for k, node in enumerate(nodes)}
    ends = [[int(node), *sorted(there for there, _ in twin.ways(world, POINT, int(node), 0))] for node in nodes]
    leads = np.zeros((len(nodes), max(map(len, ends))), np.int64)
    moves = []
    for k, there in enumerate(ends):
        leads[k, : len(there)] = [number[node] for node in there]
        moves += [(k * leads.shape[1] + m, (_standing(nodes[k]), _standing(node))) for m, node in enumerate(there)]
    clashes = np.zeros((leads.size, leads.size), np.bool_)
    for (i, one), (j, other) in itertools.product(moves, moves):
        clashes[i, j] = twin.clash(world, POINT, one, POINT, other)
    n = len(starts)
    first = sum(number[int(node)] << 4 * agent for agent, node in enumerate(starts))
    seen, queue = np.zeros(1 << 4 * n, np.bool_), np.zeros(MOST_STATES, np.int64)
    n_moves = np.array([len(there) for there in ends])
    n_seen = reach(leads, n_moves, clashes, first, np.zeros(n, np.int64), seen, queue)
    return [tuple(int(nodes[state >> 4 * agent & 15]) for agent in range(n)) for state in queue[:n_seen].tolist()]


def _standing(node: int) -> twin.State:
    return twin.State(int(node), 0, int(node), 0, 0)


@kernel
def reach(leads, n_moves, clashes, first, chosen, seen, queue):
    """Mark all joint states that can be reached from `first`, 4 bits for each agent; return how many are in `queue`."""
    n, most = chosen.size, leads.shape[1]
    queue[0], seen[first] = first, True
    head, tail = 0, 1
    while head < tail:
        state = queue[head]
        head += 1
        a = 0
        chosen[0] = -1
        while a >= 0:
            here = (state >> (4 * a)) & 15
            chosen[a] += 1
            if chosen[a] >= n_moves[here]:
                a -= 1
                continue
            is_free = True
            for b in range(a):
                other = ((state >> (4 * b)) & 15) * most + chosen[b]
                is_free = is_free and not clashes[here * most + chosen[a], other]
            if not is_free:
                continue
            if a < n - 1:
                a += 1
                chosen[a] = -1
                continue
            new = np.int64(0)
            for b in range(n):
                new |= leads[(state >> (4 * b)) & 15, chosen[b]] << (4 * b)
            if not seen[new]:
                seen[new] = True
                queue[tail] = new
                tail += 1
    return tail
