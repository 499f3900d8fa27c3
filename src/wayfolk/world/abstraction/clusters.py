"""Clusters: square pieces of a map, the ways between them, and the distances across them. What HPA* searches.

Botea, Müller and Schaeffer, "Near optimal hierarchical path-finding", 2004.

Where one can cross the border between two clusters there is an entrance: a row of crossings along which one can walk on
both sides. A narrow one is crossed in its middle, a wide one at both ends. The cells before and behind a crossing are
nodes. Inside a cluster the distance between any two nodes is known, and from every cell the first move towards every node:
to leave a cluster, or to cross it, nothing needs to be searched. Levels above the first put `GROUP` x `GROUP` clusters
together; their nodes are those at the borders of the larger squares.

Invariants  two cells are connected on the map if and only if they are connected through nodes, or inside a cluster:
            every diagonal step stands beside two straight ones, so that straight crossings are enough under every move
            rule. Distances between nodes are the least inside the cluster (above the first level: among the nodes
            inside).
Cost        time in proportion to cells times nodes of a cluster: for a million cells about half a second on game maps
            and 4 s among scattered obstacles. For each cell a byte for each node of its cluster, and about as much for
            the rest: 10 to 20 bytes on game maps, 120 among scattered obstacles.
Deviations  the paper searches a cluster to insert start and goal, here the stored moves are followed. Levels are built
            on distances that are already known, and find the same paths as the first level does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, TooLarge
from wayfolk.kernels.deadline import in_parts
from wayfolk.kernels.heap import ROW
from wayfolk.machine import available_bytes
from wayfolk.world.abstraction import _clusters
from wayfolk.world.abstraction._clusters import CLUSTER, EXIT, NODE
from wayfolk.world.abstraction.editing import carry, check_edited, starts
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid, need_grid

GROUP = 4  # clusters of the next level are so many times as wide
MAX_SIZE = 128
MAX_LEVELS = 4


class ClusterTables(NamedTuple):
    """What kernels read: all levels one after another.

    `numbers[row, column]` is the first-level cluster there; `spans` holds for each level the number of its first cluster,
    and how many of the first level make one of its clusters.
    """

    nodes: NDArray[np.void]
    clusters: NDArray[np.void]
    exits: NDArray[np.void]
    matrix: NDArray[np.float64]
    fields: NDArray[np.uint8]
    reach: NDArray[np.float64]
    hops: NDArray[np.int32]
    numbers: NDArray[np.int32]
    spans: NDArray[np.int64]
    size: int


class Level(NamedTuple):
    """One level, its nodes, clusters and exits counted from 0; nodes and clusters have one more row that ends them.

    `fields` are moves on the first level; above it, they are hops with the distances in `reach`.
    """

    nodes: NDArray[np.void]
    clusters: NDArray[np.void]
    exits: NDArray[np.void]
    sides: NDArray[np.uint8]
    matrix: NDArray[np.float64]
    fields: NDArray[Any]
    reach: NDArray[np.float64]
    is_new: NDArray[np.bool_]


def clusters_of(grid: Grid, size: int = 32, levels: int = 2, narrow: int = 6) -> Clusters:
    """The clusters of `grid`, built by the first call and kept with the grid."""
    need_grid(grid, "clusters")
    return cached(grid, ("clusters", size, levels, narrow), lambda grid: Clusters(grid, size, levels, narrow))


class Clusters:
    """The clusters of a map: `size` cells wide, `levels` high; entrances of fewer than `narrow` cells are crossed once."""

    def __init__(
        self, grid: Grid, size: int = 32, levels: int = 2, narrow: int = 6, *, old: Clusters | None = None
    ) -> None:
        if not 2 <= size <= MAX_SIZE:
            raise BadInput(f"clusters must be from 2 to {MAX_SIZE} cells wide, not {size}")
        if not 1 <= levels <= MAX_LEVELS:
            raise BadInput(f"there can be from 1 to {MAX_LEVELS} levels, not {levels}")
        if narrow < 1:
            raise BadInput(f"the least width of an entrance with two crossings must be 1 or more, not {narrow}")
        self.grid, self.size, self.narrow = grid, size, narrow
        self.numbers, self.corners = _squares(grid, size, levels)
        self.levels = [self._ground_level(old)]
        for number in range(1, levels):
            self.levels.append(self._level_above(self.levels[-1], old.levels[number] if old else None))
        self.tables = self._tables()
        self.pool: list[Any] = []  # arrays of searches that have ended here

    def edited(self, grid: Grid) -> Clusters:
        """The clusters of `grid`, which differs from this map in some cells: only what those touch is computed again."""
        check_edited(self.grid, grid)
        return Clusters(grid, self.size, len(self.levels), self.narrow, old=self)

    @property
    def n_nodes(self) -> list[int]:
        """How many nodes there are on each level."""
        return [len(level.nodes) - 1 for level in self.levels]

    @property
    def n_searched(self) -> list[int]:
        """How many clusters of each level had to be searched when this was made; an edit searches those it touches."""
        return [int(level.is_new.sum()) for level in self.levels]

    @property
    def n_bytes(self) -> int:
        """The memory that searches read."""
        return sum(array.nbytes for array in self.tables if isinstance(array, np.ndarray))

    def _ground_level(self, old: Clusters | None) -> Level:
        grid, n = self.grid, len(self.corners)
        was = None if old is None else old.levels[0]
        is_touched = np.ones(n, bool) if old is None else self._touched(old.grid)
        asked = np.flatnonzero(is_touched if old is None else self._with_neighbours(is_touched))
        cells = np.zeros((len(asked), 4 * self.size), np.int32)
        sides, counts = np.zeros(cells.shape, np.uint8), np.zeros(len(asked), np.int64)
        squares = _clusters.Squares(self.size, grid.width, grid.height, self.corners[asked])
        _clusters.survey(grid.graph, squares, self.narrow, cells, sides, counts)
        used = np.arange(4 * self.size) < counts[:, None]
        n_nodes = np.zeros(n, np.int64) if was is None else np.diff(was.clusters["first"]).astype(np.int64)
        n_nodes[asked] = counts
        first = starts(n_nodes)
        nodes, exits_by = np.zeros(first[-1] + 1, NODE), np.zeros(first[-1], np.uint8)
        is_asked = np.zeros(n, bool)
        is_asked[asked] = True
        owner = np.repeat(np.arange(n), n_nodes)
        nodes["cell"][:-1][is_asked[owner]] = cells[used]
        exits_by[is_asked[owner]] = sides[used]
        is_new = is_touched
        if was is not None:
            carry(~is_asked, was.nodes["cell"], was.clusters["first"], nodes["cell"], first)
            carry(~is_asked, was.sides, was.clusters["first"], exits_by, first)
            is_new = is_touched | _differ(asked, was, first, nodes["cell"], exits_by, n)
        nodes["x"][:-1], nodes["y"][:-1] = grid.places(nodes["cell"][:-1]).T
        nodes["cluster"][:-1] = owner
        clusters = np.zeros(n + 1, CLUSTER)
        clusters["first"], clusters["inner"] = first, 0
        clusters["left"][:-1], clusters["top"][:-1] = self.corners.T
        clusters["matrix"], clusters["field"] = starts(n_nodes**2), starts(n_nodes * self.size**2)
        _check_room(8 * int(clusters["matrix"][-1]) + int(clusters["field"][-1]))
        matrix, fields = np.empty(clusters["matrix"][-1]), np.empty(clusters["field"][-1], np.uint8)
        if was is not None:
            carry(~is_new, was.matrix, was.clusters["matrix"], matrix, clusters["matrix"])
            carry(~is_new, was.fields, was.clusters["field"], fields, clusters["field"])
        rows, costs = np.zeros(8 * self.size**2, ROW), np.zeros(self.size**2)
        room = _clusters.SearchRoom(rows, costs)
        work = n_nodes[is_new] * 8 * self.size**2
        for todo in in_parts(np.flatnonzero(is_new), work):
            _clusters.measure(grid.graph, self.size, todo, clusters, nodes, room, matrix, fields)
        exits = self._ground_exits(nodes, clusters, exits_by)
        return Level(nodes, clusters, exits, exits_by, matrix, fields, np.zeros(0), is_new)

    def _ground_exits(
        self, nodes: NDArray[np.void], clusters: NDArray[np.void], sides: NDArray[np.uint8]
    ) -> NDArray[np.void]:
        """One for each node and side it leads out of, in this order; sets the nodes' first exits."""
        grid, cells = self.grid, nodes["cell"][:-1]
        node, side = np.nonzero((sides[:, None] >> np.arange(4)) & 1)
        others = cells[node] + grid.offsets[side]
        number = np.empty(grid.n_cells, np.int32)
        number[cells] = np.arange(len(cells))
        exits = np.zeros(len(node), EXIT)
        exits["to"], exits["rank"] = number[others], node - clusters["first"][nodes["cluster"][node]]
        exits["x"], exits["y"] = grid.places(others).T
        exits["cost"] = 1.0 if grid._costs is None else 0.5 * (grid._costs[cells[node]] + grid._costs[others])
        nodes["exit"] = np.searchsorted(node, np.arange(len(nodes)))
        return exits

    def _level_above(self, below: Level, was: Level | None) -> Level:
        """Each cluster is the next `GROUP` * `GROUP` of the level below."""
        members = GROUP * GROUP
        n = (len(below.clusters) - 1) // members
        source = np.repeat(np.arange(len(below.nodes) - 1), np.diff(below.nodes["exit"]))
        home = below.nodes["cluster"] // members
        leaves = home[source] != home[below.exits["to"]]
        chosen = np.unique(source[leaves])
        number = np.empty(len(below.nodes), np.int32)
        number[chosen] = np.arange(len(chosen))
        nodes = np.zeros(len(chosen) + 1, NODE)
        for name in ("cell", "x", "y"):
            nodes[name][:-1] = below.nodes[name][chosen]
        nodes["cluster"][:-1], nodes["below"][:-1] = home[chosen], chosen
        clusters = np.zeros(n + 1, CLUSTER)
        clusters["first"] = np.searchsorted(nodes["cluster"][:-1], np.arange(n + 1))
        clusters["inner"] = below.clusters["first"][::members]
        for name in ("left", "top"):
            clusters[name][:-1] = below.clusters[name][:-1:members]
        n_nodes, n_inside = (np.diff(clusters[name]).astype(np.int64) for name in ("first", "inner"))
        clusters["matrix"], clusters["field"] = starts(n_nodes**2), starts(n_nodes * n_inside)
        exits = below.exits[leaves]
        exits["to"] = number[exits["to"]]
        node = number[source[leaves]]
        exits["rank"] = node - clusters["first"][nodes["cluster"][node]]
        nodes["exit"] = np.searchsorted(node, np.arange(len(nodes)))
        _check_room(8 * int(clusters["matrix"][-1]) + 12 * int(clusters["field"][-1]))
        matrix, reach = np.empty(clusters["matrix"][-1]), np.empty(clusters["field"][-1])
        hops = np.empty(clusters["field"][-1], np.int32)
        is_new: NDArray[np.bool_] = np.any(below.is_new.reshape(-1, members), axis=1)
        if was is not None:
            carry(~is_new, was.matrix, was.clusters["matrix"], matrix, clusters["matrix"])
            carry(~is_new, was.reach, was.clusters["field"], reach, clusters["field"])
            carry(~is_new, was.fields, was.clusters["field"], hops, clusters["field"])
        n_near = int(np.diff(below.clusters["first"]).max()) + 4  # edges of a node at most: to those near, and exits
        rows = np.zeros(int(n_inside.max()) * n_near + 1, ROW)
        read = _clusters.LevelBelow(below.clusters, below.nodes, below.exits, below.matrix)
        for todo in in_parts(np.flatnonzero(is_new), (n_nodes * n_inside)[is_new] * n_near):
            _clusters.connect(todo, clusters, nodes, read, rows, matrix, reach, hops)
        return Level(nodes, clusters, exits, np.zeros(0, np.uint8), matrix, hops, reach, is_new)

    def _touched(self, old: Grid) -> NDArray[np.bool_]:
        """The first-level clusters in which a cell has other legal moves than before."""
        is_touched = np.zeros(len(self.corners), bool)
        x, y = self.grid.places(np.flatnonzero(old.legal != self.grid.legal)).T
        is_touched[self.numbers[y // self.size, x // self.size]] = True
        return is_touched

    def _with_neighbours(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        wide = np.pad(chosen[self.numbers], 1)
        near = wide[1:-1, 1:-1] | wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
        is_near = np.zeros_like(chosen)
        is_near[self.numbers] = near
        return is_near

    def _tables(self) -> ClusterTables:
        """All levels in one, with numbers that count through."""
        parts: list[list[NDArray[Any]]] = [[], [], [], []]
        spans = np.zeros((len(self.levels), 2), np.int64)
        n_nodes = n_clusters = n_exits = n_matrix = n_reach = n_before = 0
        for number, level in enumerate(self.levels):
            nodes, clusters, exits = level.nodes.copy(), level.clusters.copy(), level.exits.copy()
            nodes["cluster"] += n_clusters
            nodes["exit"] += n_exits
            nodes["below"] += n_before
            clusters["first"] += n_nodes
            clusters["inner"] += n_before
            clusters["matrix"] += n_matrix
            clusters["field"] += n_reach
            exits["to"] += n_nodes
            spans[number] = n_clusters, GROUP ** (2 * number)
            n_before, n_nodes = n_nodes, n_nodes + len(nodes)
            n_clusters, n_exits = n_clusters + len(clusters), n_exits + len(exits)
            n_matrix, n_reach = n_matrix + len(level.matrix), n_reach + len(level.reach)
            for part, array in zip(parts, (nodes, clusters, exits, level.matrix), strict=True):
                part.append(array)
        nodes, clusters, exits, matrix = map(np.concatenate, parts)
        reach = np.concatenate([level.reach for level in self.levels])
        hops = np.concatenate([np.zeros(0, np.int32), *(level.fields for level in self.levels[1:])])
        return ClusterTables(
            nodes=nodes,
            clusters=clusters,
            exits=exits,
            matrix=matrix,
            fields=self.levels[0].fields,
            reach=reach,
            hops=hops,
            numbers=self.numbers,
            spans=spans,
            size=self.size,
        )


def _squares(grid: Grid, size: int, levels: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The number of the cluster in each row and column of squares, and the top left place of each number.

    Those that are together on a higher level follow each other; a number may be outside the map.
    """
    scale = GROUP ** (levels - 1)
    across, down = (-(-side // (size * scale)) for side in (grid.width, grid.height))
    rest = np.arange(across * down * scale**2)
    column, row = np.zeros_like(rest), np.zeros_like(rest)
    for level in range(levels - 1):
        rest, part = np.divmod(rest, GROUP * GROUP)
        column += part % GROUP * GROUP**level
        row += part // GROUP * GROUP**level
    column += rest % across * scale
    row += rest // across * scale
    numbers = np.zeros((down * scale, across * scale), np.int32)
    numbers[row, column] = np.arange(len(rest))
    return numbers, (np.stack([column, row], 1) * size).astype(np.int32)


def _check_room(need: int) -> None:
    if need > available_bytes():
        raise TooLarge(f"the clusters of one level need {need / 1e9:.1f} GB, {available_bytes() / 1e9:.1f} GB are free")


def _differ(
    asked: NDArray[np.intp],
    was: Level,
    first: NDArray[np.int64],
    cells: NDArray[np.int32],
    sides: NDArray[np.uint8],
    n: int,
) -> NDArray[np.bool_]:
    """The clusters of `asked` whose nodes are not what they were."""
    is_changed, at = np.zeros(n, bool), was.clusters["first"]
    for which in asked:
        new, old = slice(first[which], first[which + 1]), slice(at[which], at[which + 1])
        is_changed[which] = not (
            np.array_equal(cells[new], was.nodes["cell"][old]) and np.array_equal(sides[new], was.sides[old])
        )
    return is_changed
