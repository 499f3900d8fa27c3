"""StateGraph: the nodes of all bodies of a problem as one graph, and the places that nodes and moves occupy.

An agent's state is a node. A node occupies places, and a move occupies places while it lasts. No place holds two agents at
once: nothing else is a collision.

    world or body              node                     occupies
    a point on a grid          cell                     the cell; a move the middle between its two cells
    a square of k x k cells    its upper left cell      the k x k cells
    a robot with a heading     (cell, heading)          its cells; a move ahead the middle, if it is 1 x 1
    hexagons, triangles,       cell                     the cell; a move the middle between its two cells
    voxels, points on graphs
    a disc on a graph          vertex                   the vertex, and a place for each vertex that is nearer than the sum
                                                        of both radii; a move or a wait a place for each move that comes
                                                        nearer than this during the step
    a slow body                also (move, part)        the places of both ends; of a disc those where it really is

All moves take one step, or a whole number of steps for slow bodies: discs go at constant speeds. Following is allowed, as
the place of the agent ahead is free when the step is over, and swaps are not, as both moves share the middle.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem, TooLarge
from wayfolk.kernels.occupancy import Occupancy
from wayfolk.machine import available_bytes
from wayfolk.world.body import Body
from wayfolk.world.body_layers import CLOCKWISE, NO_MIDDLE, layer_of
from wayfolk.world.cache import cached
from wayfolk.world.disc_pairs import near_pairs
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

Ints = NDArray[np.int64]
COMPASS = ("E", "S", "W", "N", "SE", "SW", "NW", "NE")
BYTES_OF_A_NODE, BYTES_OF_AN_EDGE = 160, 80  # while a graph is made


class OnTheWay(NamedTuple):
    """The place of a slow body between two places."""

    start: Any
    end: Any
    share: float


class Whereabouts(NamedTuple):
    """Where bodies are: for each node its kind, its cell and heading, those to which it is on its way, and how far it is.

    Headings are numbered clockwise from east among those of the grid, and 0 for bodies that do not turn.
    """

    kind: Ints
    cell: Ints
    heading: Ints
    ahead: Ints
    heading_ahead: Ints
    share: NDArray[np.float64]


class StateNames(Sequence[Hashable]):
    """The name of each node: the number of its kind, and its place."""

    def __init__(self, states: StateGraph) -> None:
        self.states = states

    def __len__(self) -> int:
        return self.states.n_cells

    def __getitem__(self, node: Any) -> Any:
        if isinstance(node, slice):
            return [self[k] for k in range(*node.indices(len(self)))]
        return self.states.kind_of(node), self.states.place(node)

    def __iter__(self) -> Iterator[Hashable]:
        return (self[node] for node in range(len(self)))


class StateGraph(Graph):
    """The states of agents with the bodies `kinds` in `world`, as nodes; the nodes of kind k begin at `bases[k]`.

    It is an edited copy of the world `first`, whose numbers of nodes it has.
    """

    def __init__(self, world: Grid | Graph, kinds: Iterable[Body], first: Grid | Graph | None = None) -> None:
        self.world, self.kinds, self.first = world, tuple(kinds), world if first is None else first
        self.layers = [layer_of(world, body, self.first) for body in self.kinds]
        sizes = [layer.n_nodes for layer in self.layers]
        need = sum(sizes) * BYTES_OF_A_NODE + sum(len(layer.source) for layer in self.layers) * BYTES_OF_AN_EDGE
        if need > available_bytes() or sum(sizes) >= 1 << 30:
            raise TooLarge(f"a graph of {sum(sizes):,} states does not fit into the memory of this machine")
        self.bases = np.concatenate([[0], np.cumsum(sizes)])
        source = np.concatenate([layer.source + base for layer, base in zip(self.layers, self.bases, strict=False)])
        target = np.concatenate([layer.target + base for layer, base in zip(self.layers, self.bases, strict=False)])
        order = np.lexsort((target, source))
        begins = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=sum(sizes)))])
        weight = self._joined("weight")[order]
        self._middle = self._joined("middle")[order]
        super().__init__(begins, target[order], weight, None if (points := self._points()) is None else points)
        self.names = StateNames(self)
        self.name = getattr(world, "name", "")

    def _joined(self, name: str) -> NDArray[Any]:
        return np.concatenate([getattr(layer, name) for layer in self.layers])

    def _points(self) -> NDArray[np.float64] | None:
        """Where the middle of the body is at each node."""
        if isinstance(self.world, Grid):
            cells = np.arange(self.world.n_cells)
            points = self.world.places(cells).astype(np.float64)
        elif self.world.positions is None:
            return None
        else:
            points = self.world.positions
        parts = []
        for layer in self.layers:
            begin, end = points[layer.cells], points[layer.ahead]
            parts.append(begin + layer.share[:, None] * (end - begin) + (layer.body.size - 1) / 2.0)
        return np.concatenate(parts)

    @cached_property
    def cells(self) -> NDArray[np.int32]:
        """The cell of the world at which each node is, or from which it is under way."""
        cells: NDArray[np.int32] = self._joined("cells")
        return cells

    @cached_property
    def ahead(self) -> NDArray[np.int32]:
        """The cell to which each node is on its way, or at which it is."""
        ahead: NDArray[np.int32] = self._joined("ahead")
        return ahead

    @cached_property
    def stands_at_places(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Who stands where: place p is held by the nodes `nodes[first[p] : first[p + 1]]`, those on their way left out."""
        table = self.occupancy
        nodes = np.repeat(np.arange(self.n_cells, dtype=np.int32), np.diff(table.node_first))
        rows = np.flatnonzero(self._joined("share")[nodes] == 0.0)
        order = rows[np.argsort(table.node_places[rows], kind="stable")]
        counts = np.bincount(table.node_places[rows], minlength=table.n_places)
        return np.concatenate([[0], np.cumsum(counts)]), nodes[order]

    @cached_property
    def together(self) -> NDArray[np.int32]:
        """How many consecutive nodes are those of one cell in all headings, for each kind."""
        return np.array([layer.together for layer in self.layers], np.int32)

    @cached_property
    def free_cells(self) -> NDArray[np.int32]:  # type: ignore[override]
        """All nodes on which an agent can be, in order."""
        return np.flatnonzero(self._joined("is_free")).astype(np.int32)

    @cached_property
    def entries(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The edges by their ends: those to node v come from `source[first[v] : first[v + 1]]`."""
        order: NDArray[np.intp] = np.argsort(self.graph.target, kind="stable")
        first = np.concatenate([[0], np.cumsum(np.bincount(self.graph.target, minlength=self.n_cells))])
        return first.astype(np.int32), self.sources[order]

    @cached_property
    def stand_of(self) -> NDArray[np.int32]:
        """The first of the nodes of the same cell in all headings, for each node: two nodes with one stand are one goal."""
        parts = []
        for layer, base in zip(self.layers, self.bases, strict=False):
            nodes = np.arange(layer.n_nodes)
            n_stands = self.world.n_cells * layer.together
            parts.append(np.where(nodes < n_stands, nodes - nodes % layer.together, nodes) + base)
        return np.concatenate(parts).astype(np.int32)

    def clashes(self, nodes: NDArray[np.int32]) -> list[tuple[int, list[int]]]:
        """The nodes of which others have a place too: each with its row and those of the others, the smallest row first."""
        table = self.occupancy
        counts = table.node_first[nodes + 1] - table.node_first[nodes]
        rows = np.repeat(np.arange(len(nodes)), counts)
        begins = np.repeat(table.node_first[nodes].astype(np.int64) - np.cumsum(counts) + counts, counts)
        places = table.node_places[begins + np.arange(len(rows))]
        order = np.argsort(places, kind="stable")
        rows, places = rows[order], places[order]
        groups: dict[int, set[int]] = {}
        for k in np.flatnonzero(np.diff(places) == 0).tolist():
            groups.setdefault(int(rows[k]), set()).add(int(rows[k + 1]))
        return [(int(nodes[row]), [row, *sorted(others)]) for row, others in sorted(groups.items())]

    def kind_of(self, node: int) -> int:
        """The number of the kind of body that has this node."""
        return int(np.searchsorted(self.bases, node, "right")) - 1

    def stands(self, kind: int) -> NDArray[np.int32]:
        """The nodes at which a body of this kind can stand, in all headings, and not those on its way."""
        layer = self.layers[kind]
        n_stands = self.world.n_cells * layer.together
        nodes: NDArray[np.int32] = (np.flatnonzero(layer.is_free[:n_stands]) + self.bases[kind]).astype(np.int32)
        return nodes

    def node(self, place: Any, kind: int = 0) -> int:
        """The node of a body of this kind at `place`; a body that turns faces east, or as `(x, y, "N")` says."""
        together = self.layers[kind].together
        if together == 1:
            return int(self.bases[kind]) + self.world.cell(place)
        assert isinstance(self.world, Grid)
        heading = 0
        if len(place) == 3:
            names = [COMPASS[k] for k in CLOCKWISE[self.world.moves]]
            if place[2] not in names:
                raise BadProblem(f"a heading on this map is {', '.join(names)}, not {place[2]!r}")
            heading = names.index(place[2])
        return int(self.bases[kind]) + self.world.cell((place[0], place[1])) * together + heading

    def way(self, place: OnTheWay, kind: int) -> int:
        """The node of a slow body of this kind between two places."""
        layer = self.layers[kind]
        start, end = (self.node(stop, kind) - int(self.bases[kind]) for stop in (place.start, place.end))
        local = np.arange(self.world.n_cells * layer.together, layer.n_nodes)
        local = local[np.abs(layer.share[local] - place.share) < 1e-6]
        local = local[(layer.cells[local] == layer.cells[start]) & (layer.ahead[local] == layer.cells[end])]
        at = self.whereabouts(local + self.bases[kind])
        right = (at.heading == start % layer.together) & (at.heading_ahead == end % layer.together)
        if not right.any():
            raise BadProblem(f"no body {self.kinds[kind]} is ever at {place}")
        return int(local[right][0] + self.bases[kind])

    def whereabouts(self, nodes: NDArray[np.integer[Any]]) -> Whereabouts:
        """Where the bodies at these nodes are."""
        flat = np.asarray(nodes, np.int64).ravel()
        kind = np.searchsorted(self.bases, flat, "right") - 1
        parts = np.zeros((4, len(flat)), np.int64)
        share = np.zeros(len(flat))
        for number, layer in enumerate(self.layers):
            rows = np.flatnonzero(kind == number)
            local = flat[rows] - self.bases[number]
            n_stands = self.world.n_cells * layer.together
            is_way = local >= n_stands
            slot = (local - n_stands) // max(layer.body.steps - 1, 1)
            heading = np.where(is_way, slot // 3, local) % layer.together
            turn = np.where(is_way & (layer.together > 1), np.array([0, 1, -1])[slot % 3], 0)
            parts[:, rows] = layer.cells[local], heading, layer.ahead[local], (heading + turn) % layer.together
            share[rows] = layer.share[local]
        return Whereabouts(kind, parts[0], parts[1], parts[2], parts[3], share)

    def places(self, nodes: Iterable[int]) -> list[Any]:
        """The place of each node."""
        return [self.place(node) for node in np.asarray(nodes).ravel().tolist()]

    def place(self, node: int) -> Any:
        """The place of a node: that of its cell, with the heading of a body that turns; `OnTheWay` between two."""
        at = self.whereabouts(np.array([node]))
        layer = self.layers[int(at.kind[0])]
        ends: list[Any] = []
        for cell, heading in ((at.cell, at.heading), (at.ahead, at.heading_ahead)):
            end = self.world.place(int(cell[0]))
            if layer.together > 1 and isinstance(self.world, Grid):
                end = (*end, COMPASS[CLOCKWISE[self.world.moves][int(heading[0])]])  # type: ignore[misc]
            ends.append(end)
        return ends[0] if at.share[0] == 0.0 else OnTheWay(ends[0], ends[1], float(at.share[0]))

    def cell(self, place: Any) -> int:
        """The node called `(kind, place)`."""
        try:
            kind, where = place
            if isinstance(kind, int) and 0 <= kind < len(self.kinds):
                return self.node(where, kind)
        except (TypeError, ValueError):
            pass
        raise BadProblem(f"a state is called (number of its kind, place), not {place!r}")

    def is_free(self, cell: int) -> bool:
        """Whether an agent can be on node `cell`."""
        return bool(self._free[cell])

    @cached_property
    def _free(self) -> NDArray[np.bool_]:
        return self._joined("is_free")

    @cached_property
    def occupancy(self) -> Occupancy:
        """What kernels read."""
        node_rows, move_rows = list(self._cells_of_nodes()), list(self._middles_of_moves())
        n_cells = self.world.n_cells
        n_places = n_cells + self.n_cells  # of cells, and of the nodes of discs on their way
        pairs, more = self._disc_pairs()
        node_rows.append((np.concatenate(pairs), np.tile(n_places + np.arange(len(pairs[0])), 2)))
        n_places += len(pairs[0])
        move_rows = [(row, middle + n_places) for row, middle in move_rows]
        n_places = max([n_places, *(int(middle.max()) + 1 for _, middle in move_rows if len(middle))])
        move_rows.append((np.concatenate(more), np.tile(n_places + np.arange(len(more[0])), 2)))
        n_places += len(more[0])
        nodes = _table(node_rows, self.n_cells)
        moves = _table(move_rows, len(self.graph.target) + self.n_cells)
        number = np.zeros(n_places, np.int32)  # places that are used, without gaps
        number[nodes[1]] = number[moves[1]] = 1
        number = np.cumsum(number) - 1
        return Occupancy(
            self.graph.first, self.graph.target, nodes[0], number[nodes[1]].astype(np.int32),
            moves[0], number[moves[1]].astype(np.int32), int(number[-1]) + 1,
        )  # fmt: skip

    def _cells_of_nodes(self) -> Iterator[tuple[Ints, Ints]]:
        """Nodes and the cells that they occupy."""
        stride = self.world.stride if isinstance(self.world, Grid) else 0
        for layer, base in zip(self.layers, self.bases, strict=False):
            nodes = np.flatnonzero(layer.is_free)
            for dy, dx in itertools.product(range(layer.body.size), repeat=2):
                shift = dy * stride + dx
                standing = nodes[layer.share[nodes] == 0.0]
                under_way = nodes[layer.share[nodes] > 0.0]
                yield standing + base, layer.cells[standing].astype(np.int64) + shift
                if layer.body.radius > 0.0:
                    yield under_way + base, self.world.n_cells + under_way + base
                    continue
                for ends in (layer.cells, layer.ahead):
                    yield under_way + base, ends[under_way].astype(np.int64) + shift

    def _middles_of_moves(self) -> Iterator[tuple[Ints, Ints]]:
        """Moves and waits, and their middles where others meet them; the middles are numbered from 0."""
        are_points = np.concatenate([np.full(layer.n_nodes, layer.body.radius == 0.0) for layer in self.layers])
        rows = np.concatenate([np.arange(len(self._middle)), len(self._middle) + np.arange(self.n_cells)])
        middles = np.concatenate([self._middle, self._joined("node_middle")])
        used = (middles != NO_MIDDLE) & np.concatenate([are_points[self.sources], are_points])
        rows, middles = rows[used], middles[used]
        _, number, times = np.unique(middles, return_inverse=True, return_counts=True)
        meets = times[number] > 1
        yield rows[meets], number[meets].astype(np.int64)

    def _disc_pairs(self) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        """The nodes that discs cannot be on at the same time, and the moves that they cannot make in the same step."""
        nodes: list[tuple[Ints, Ints]] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        moves = list(nodes)
        radii = [layer.body.radius for layer in self.layers]
        levels = self.levels[self.cells]
        for one, other in itertools.combinations_with_replacement(range(len(radii)), 2):
            reach = radii[one] + radii[other]
            if reach > 0.0:
                nodes.append(self._near_nodes(one, other, reach, levels))
        apart = _sorted_pairs(nodes, self.n_cells)
        for one, other in itertools.combinations_with_replacement(range(len(radii)), 2):
            reach = radii[one] + radii[other]
            if reach > 0.0:
                moves.append(self._near_moves(one, other, reach, levels, apart))
        return tuple(np.concatenate(side) for side in zip(*nodes, strict=True)), tuple(  # type: ignore[return-value]
            np.concatenate(side) for side in zip(*moves, strict=True)
        )

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """The level of each cell of the world as a number: what is on two floors is never near."""
        by_name = getattr(self.world, "levels", None) or {}
        numbers = {name: k for k, name in enumerate(dict.fromkeys(by_name.values()), 1)}
        levels = np.zeros(self.world.n_cells, np.int32)
        for place, name in by_name.items():
            levels[self.world.cell(place)] = numbers[name]
        return levels

    def _near_nodes(self, one: int, other: int, reach: float, levels: NDArray[Any]) -> tuple[Ints, Ints]:
        """The pairs of nodes of two kinds that are nearer than `reach` and are not the same cell or node."""
        ours, theirs = (np.flatnonzero(self.layers[kind].is_free) + self.bases[kind] for kind in (one, other))
        assert self.positions is not None
        points, points2 = self.positions[ours], self.positions[theirs]
        a, b = near_pairs(points, points, None if one == other else (points2, points2), reach)
        a, b = ours[a], theirs[b]
        keep = (levels[a] == levels[b]) & ~self._have_one_cell(a, b)
        return a[keep], b[keep]

    def _have_one_cell(self, a: Ints, b: Ints) -> NDArray[np.bool_]:
        """Whether two nodes stand at the same cell, or are the same."""
        share = self._joined("share")
        same: NDArray[np.bool_] = (a == b) | ((self.cells[a] == self.cells[b]) & (share[a] == 0.0) & (share[b] == 0.0))
        return same

    def _near_moves(self, one: int, other: int, reach: float, levels: NDArray[Any], apart: Ints) -> tuple[Ints, Ints]:
        """The pairs of moves and waits of two kinds that come nearer than `reach` only while they last."""
        (rows, begin, end), (rows2, begin2, end2) = self._rows_of(one), self._rows_of(other)
        assert self.positions is not None
        at = self.positions
        a, b = near_pairs(at[begin], at[end], None if one == other else (at[begin2], at[end2]), reach)
        keep = np.zeros(len(a), np.bool_)  # whether some level is that of both, as lifts lead from one to another
        for ours, theirs in itertools.product((begin[a], end[a]), (begin2[b], end2[b])):
            keep |= levels[ours] == levels[theirs]
        for here, there in ((begin[a], begin2[b]), (end[a], end2[b])):
            keys = np.minimum(here, there) * self.n_cells + np.maximum(here, there)
            found = np.searchsorted(apart, keys)
            known = found < len(apart)
            known[known] = apart[found[known]] == keys[known]
            keep &= ~known & ~self._have_one_cell(here, there)
        return rows[a[keep]], rows2[b[keep]]

    def _rows_of(self, kind: int) -> tuple[Ints, Ints, Ints]:
        """The rows of the moves and waits of a kind, and the nodes between which they lead."""
        low, high = self.bases[kind], self.bases[kind + 1]
        edges = np.arange(self.graph.first[low], self.graph.first[high], dtype=np.int64)
        nodes = np.flatnonzero(self.layers[kind].is_free) + low
        rows = np.concatenate([edges, len(self.graph.target) + nodes])
        begin = np.concatenate([self.sources[edges].astype(np.int64), nodes])
        return rows, begin, np.concatenate([self.graph.target[edges].astype(np.int64), nodes])

    def with_world(self, world: Grid | Graph) -> StateGraph:
        """The same kinds of bodies in `world`, an edited copy of ours; nodes keep their numbers."""
        return StateGraph(world, self.kinds, self.first)

    def with_blocked(self, cells: Iterable[int]) -> StateGraph:
        """A copy in which `cells` of the world are blocked."""
        return self.with_world(self._editable().with_blocked(cells))

    def with_freed(self, cells: Iterable[int]) -> StateGraph:
        """A copy in which `cells` of the world are free."""
        return self.with_world(self._editable().with_freed(cells))

    def edge(self, start: Hashable, end: Hashable) -> int:
        """The number of the edge between two places in the world `first`: the first one, if there are several."""
        if isinstance(self.first, Grid) or hasattr(self.first, "with_blocked"):
            raise BadProblem("this world has no lanes to close and open: block and free its cells")
        here, there = self.first.cell(start), self.first.cell(end)
        begin, end_of_row = self.first.graph.first[here : here + 2].tolist()
        edges = np.flatnonzero(self.first.graph.target[begin:end_of_row] == there)
        if not edges.size:
            raise BadProblem(f"no lane leads from {start!r} to {end!r}")
        return int(begin + edges[0])

    @cached_property
    def closed(self) -> frozenset[int]:
        """The edges of the world `first` that are closed now: for two places with several, the first of them."""
        assert isinstance(self.first, Graph)
        assert isinstance(self.world, Graph)
        keys = [
            world.sources.astype(np.int64) * world.n_cells + world.graph.target for world in (self.first, self.world)
        ]
        known, edges = np.unique(keys[0], return_index=True)
        return frozenset(edges[~np.isin(known, keys[1])].tolist())

    def with_edges_closed(self, edges: Iterable[int]) -> StateGraph:
        """A copy in which `edges` of the world `first` are closed, and all others between the same places."""
        return self._with_lanes(self.closed.union(edges))

    def with_edges_opened(self, edges: Iterable[int]) -> StateGraph:
        """A copy in which `edges` of the world `first` are open, and all others between the same places."""
        return self._with_lanes(self.closed.difference(edges))

    def _with_lanes(self, closed: frozenset[int]) -> StateGraph:
        assert isinstance(self.first, Graph)
        ends = self.first.sources, self.first.graph.target
        return self.with_world(
            self.first.with_closed(
                [(self.first.place(ends[0][k]), self.first.place(ends[1][k])) for k in sorted(closed)]
            )
        )

    def _editable(self) -> Any:
        if not hasattr(self.world, "with_blocked"):
            raise BadProblem("cells of this world cannot be blocked or freed: close and open its lanes")
        return self.world

    def __repr__(self) -> str:
        return f"StateGraph({self.world!r}, {'; '.join(map(str, self.kinds))})"


def states_of(world: Grid | Graph, kinds: tuple[Body, ...]) -> Grid | StateGraph:
    """Where agents with these bodies can be: the grid itself for points on a grid; made once for each world."""
    if isinstance(world, Grid) and all(body.is_point for body in kinds):
        return world
    return cached(world, ("states", kinds), lambda world: StateGraph(world, kinds))


def draw_states(
    states: StateGraph, kind_of: NDArray[np.int32], *, seed: int = 0
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Random starts and goals for an agent of each of these kinds: no two share a place, and each goal can be reached.

    Large bodies are placed first, as little room is left for them later.
    """
    rng = np.random.default_rng(seed)
    table = states.occupancy
    sizes = np.diff(table.node_first)
    order = sorted(
        range(len(kind_of)), key=lambda agent: -int(sizes[states.stands(int(kind_of[agent]))].max(initial=0))
    )
    queues = [rng.permutation(states.stands(kind)) for kind in range(len(states.kinds))]
    ends = np.zeros((2, len(kind_of)), np.int32)
    parts = states.components
    for nodes, which in zip(ends, ("start", "goal"), strict=True):
        taken = np.zeros(table.n_places, np.bool_)
        if which == "goal":
            queues = [rng.permutation(queue) for queue in queues]
        begun = [0] * len(queues)
        kept: list[list[int]] = [[] for _ in queues]  # nodes that were free, but in another part of the world
        for agent in order:
            kind, node = int(kind_of[agent]), None
            for k, other in enumerate(kept[kind]):
                if parts[other] == parts[ends[0, agent]] and not _is_taken(table, taken, other):
                    node = kept[kind].pop(k)
                    break
            while node is None:
                if begun[kind] == len(queues[kind]):
                    raise BadProblem(f"there is no room for the {which} of agent {agent}, {states.kinds[kind]}")
                other = int(queues[kind][begun[kind]])
                begun[kind] += 1
                if _is_taken(table, taken, other):
                    continue
                if which == "goal" and parts[other] != parts[ends[0, agent]]:
                    kept[kind].append(other)
                else:
                    node = other
            taken[table.node_places[table.node_first[node] : table.node_first[node + 1]]] = True
            nodes[agent] = node
    return ends[0], states.stand_of[ends[1]]


def _is_taken(table: Occupancy, taken: NDArray[np.bool_], node: int) -> bool:
    """Whether one of the places of `node` is taken."""
    return bool(taken[table.node_places[table.node_first[node] : table.node_first[node + 1]]].any())


def _sorted_pairs(parts: list[tuple[Ints, Ints]], n_nodes: int) -> Ints:
    """Pairs of nodes as numbers, in order; the smaller node comes first in each."""
    one, other = (np.concatenate(side) for side in zip(*parts, strict=True))
    return np.unique(np.minimum(one, other) * n_nodes + np.maximum(one, other))


def _table(parts: list[tuple[Ints, Ints]], n_rows: int) -> tuple[NDArray[np.int32], Ints]:
    """Rows and places in CSR form, each pair once: where each row begins, and the places."""
    rows, places = (np.concatenate(side) for side in zip(*parts, strict=True))
    order = np.lexsort((places, rows))
    rows, places = rows[order], places[order]
    is_new = (np.diff(rows, prepend=-1) != 0) | (np.diff(places, prepend=-1) != 0)
    rows, places = rows[is_new], places[is_new]
    first = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))]).astype(np.int32)
    return first, places
