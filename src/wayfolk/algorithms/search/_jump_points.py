"""Jump point search: best-first search over the cells where a shortest path has to turn.

Harabor and Grastien, "Online graph pruning for pathfinding on grid maps", 2011; "The JPS pathfinding system", 2012.
`kernels/jumps/pruning.py` says which moves are left. Two functions are chosen by the type of the tables that are read,

    expand_jumps(table, memory, queue, aim, cell, ways, here)    open all that can be reached from `cell` by `ways`
    remaining(table, aim, cell, x, y)                            a lower bound of the cost from `cell` to the goal

`jps/scan.py` scans rows of bits, `jps_plus/table.py` looks up distances.

Invariants  g[cell] is the cost of the path that `parent` describes, each part of which is diagonal first, then straight.
Marks       beyond the stamp of the search a mark has the way in, in bits 1 to 3, above the bit CLOSED.
Diagonals   a cell inside a diagonal run without forced neighbours is never opened: the ends of the straight runs that
            leave it are opened instead, at the cost of reaching them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._best_first import BestFirst, Method, new_method
from wayfolk.algorithms.search_view import SearchView
from wayfolk.compile.jit import inner, kernel, specialise, spliced
from wayfolk.errors import NotSupported
from wayfolk.kernels import buckets
from wayfolk.kernels.best_first import CLOSED, FUZZ, GENERATED, REOPENED, STAMP, always, searching
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid

MAX_SIDE = 32_000  # distances are kept in 16 bits
WATCHED = 8  # expansions at a time while scans are recorded
PER_UNIT = 1.0  # buckets for each straight step: runs are long, so equal values of f are rare


class Jumping(NamedTuple):
    """The rule of jump point searches: in `per_unit` buckets for each unit of cost."""

    per_unit: float


class JumpAim(NamedTuple):
    """The start, the goal at (x, y), and the least f, at which the buckets of the open list begin."""

    start: int
    goal: int
    x: int
    y: int
    least: float


def on_jumps(world: Grid, name: str, new_table: Callable[[Grid], Any]) -> Method:
    """The method of a jump point search, for which `new_table` makes the tables of a map; kept with the map by `name`."""
    return cached(world, ("jump points", name), partial(_on_jumps, name, new_table))


def _on_jumps(name: str, new_table: Callable[[Grid], Any], world: Grid) -> Method:
    _refuse(world, name)
    return _method(world, new_table(world))


def _method(world: Grid, table: Any) -> Method:
    """No run raises f by more than twice its length."""
    around = world.width + world.height
    return new_method(
        world, table, Jumping(PER_UNIT), "jump memories", partial(_estimate_to, table),
        n_lists=int(2 * PER_UNIT * world.diagonal * around) + 2, n_entries=32 * around, n_path=8 * around, leaps=True,
    )  # fmt: skip


class WatchedJumps(BestFirst):
    """A jump point search that also records what is scanned: `watched` gives its tables the fields `runs` and `n_runs`."""

    def __init__(
        self, world: Grid, start: int, goal: int, method: Method, watched: Callable[[Any], Any], bound: float
    ) -> None:
        own = cached(world, ("watched", method.rule), lambda world: _method(world, watched(method.graph)))
        own = own._replace(graph=own.graph._replace(n_runs=np.zeros(1, np.int64)))
        self.scanned = np.zeros(world.n_cells, np.uint8)
        super().__init__(world, start, goal, own, watch=True, bound=bound)

    def expand(self, budget: int) -> int:
        """Resume the search, a few expansions at a time, for whose scans there is room."""
        table = self.method.graph
        used, room = int(table.n_runs[0]), WATCHED * 16 * (self.world.height + self.world.width + 4)
        if len(table.runs) < used + room:
            table = table._replace(runs=np.concatenate([table.runs[:used], np.empty((used + room, 3), np.int32)]))
            self.method = self.method._replace(graph=table)
            self.inputs = self.arranged()
        code = super().expand(min(budget, WATCHED))
        table.n_runs[0] = _keep_fresh(table.runs, used, int(table.n_runs[0]), self.scanned, self.world.stride)
        return code

    def search_view(self) -> SearchView:
        """Also what was scanned to find jump points."""
        table = self.method.graph
        return super().search_view()._replace(runs=table.runs[: table.n_runs[0]])


def _estimate_to(table: Any, goal: int) -> Callable[[NDArray[np.int32]], NDArray[np.float64]]:
    """The heuristic to `goal` as a function of cells."""

    def estimate(cells: NDArray[np.int32]) -> NDArray[np.float64]:
        values = np.empty(len(cells))
        _estimate(table, goal, np.asarray(cells, np.int32), values)
        return values

    return estimate


def _refuse(world: Grid, name: str) -> None:
    """Jump points need straight and diagonal steps that can stand for each other everywhere."""
    if world.links is not None:
        raise NotSupported(f"{name} does not know cliffs, and this map has some: use astar")
    if not 1.0 <= world.diagonal <= 2.0:
        raise NotSupported(f"{name} needs diagonal steps that cost 1 to 2, not {world.diagonal}")
    if max(world.width, world.height) > MAX_SIDE:
        raise NotSupported(f"{name} works on maps of up to {MAX_SIDE} cells a side")


_EXPAND: dict[type, Callable[..., Any]] = {}
_REMAINING: dict[type, Callable[..., Any]] = {}


def expand_jumps(world: Any, memory: Any, queue: Any, aim: Any, cell: Any, ways: Any, here: Any) -> Any:
    """Relax what can be reached from `cell`."""
    return _EXPAND[type(world)](world, memory, queue, aim, cell, ways, here)


def remaining(world: Any, aim: Any, cell: Any, x: Any, y: Any) -> Any:
    """A lower bound of the cost from `cell`, at (x, y), to the goal."""
    return _REMAINING[type(world)](world, aim, cell, x, y)


specialise(expand_jumps, _EXPAND, spliced)
specialise(remaining, _REMAINING, spliced)


def jumping(kind: type, expand: Callable[..., Any], remaining: Callable[..., Any]) -> None:
    """Register the two functions, plain Python to be compiled, for worlds of the type `kind`."""
    _EXPAND[kind], _REMAINING[kind] = expand, remaining


@inner
def octile(world, aim, x, y):
    """The cost from (x, y) to the goal on an empty map."""
    dx, dy = abs(x - aim.x), abs(y - aim.y)
    return max(dx, dy) + (world.diagonal - 1.0) * min(dx, dy)


@spliced
def is_better(cells, stamp, cell, reached):
    """Whether `reached` is less than what is known of `cell`. Test it before `relax`: calls with arrays are costly."""
    return cells[cell]["mark"] < stamp or reached < cells[cell]["g"] - FUZZ


@inner
def relax(world, memory, queue, aim, cell, x, y, reached, parent, way):
    """Open `cell` at (x, y), reached by `way` at a better cost than before."""
    node = memory.cells[cell]
    stamp = memory.counts[STAMP]
    if node["mark"] < stamp:
        memory.counts[GENERATED] += 1
    elif node["mark"] & CLOSED:
        memory.counts[REOPENED] += 1
    node["g"], node["parent"], node["mark"] = reached, parent, stamp + 2 * way
    f = reached + remaining(world, aim, cell, x, y)
    buckets.push(queue, int((f - aim.least) * PER_UNIT + FUZZ), cell, reached, False)


def _aim(rule, world, start, goal):
    y, start_y = goal // world.stride, start // world.stride
    x, start_x = goal - y * world.stride, start - start_y * world.stride
    least = remaining(world, JumpAim(start, goal, x, y, 0.0), start, start_x, start_y)
    return JumpAim(start, goal, x, y, least)


def _room(rule, world, aim, cell):
    return 16 * (world.legal.size // world.stride + world.stride)


def _rest(rule, world, aim, cell):
    y = cell // world.stride
    return remaining(world, aim, cell, cell - y * world.stride, y)


def _expand(rule, world, memory, queue, aim, cell, here):
    if cell == aim.start:
        ways = world.legal[cell]
    else:
        ways = world.ways[(memory.cells[cell]["mark"] - memory.counts[STAMP]) >> 1, world.legal[cell]]
    expand_jumps(world, memory, queue, aim, cell, ways, here)


def _final_cost(rule, world, memory, start, goal):
    return memory.cells[goal]["g"]


def _write_path(rule, world, memory, start, goal, path):
    """Each jump is diagonal first, then straight."""
    cells, stride = memory.cells, world.stride
    n, cell = 1, goal
    while cell != start:
        parent = np.int64(cells[cell]["parent"])
        dx, dy = _apart(stride, parent, cell)
        n += max(abs(dx), abs(dy))
        cell = parent
    if n > path.size:
        return n
    end, cell = n, goal
    while cell != start:
        parent = np.int64(cells[cell]["parent"])
        dx, dy = _apart(stride, parent, cell)
        slants, straights = min(abs(dx), abs(dy)), abs(abs(dx) - abs(dy))
        along_x, along_y = np.sign(dx), np.sign(dy) * stride
        along = along_x if abs(dx) > abs(dy) else along_y
        end -= slants + straights
        for k in range(slants):
            path[np.uint64(end + k)] = parent + (k + 1) * (along_x + along_y)
        corner = cell - straights * along
        for k in range(straights):
            path[np.uint64(end + slants + k)] = corner + (k + 1) * along
        cell = parent
    path[0] = start
    return n


@inner
def _apart(stride, one, other):
    """The columns and rows from one cell to another."""
    y, other_y = one // stride, other // stride
    return (other - other_y * stride) - (one - y * stride), other_y - y


searching(
    Jumping,
    aim=_aim,
    room=_room,
    confirm=always,
    rest=_rest,
    expand=_expand,
    final_cost=_final_cost,
    write_path=_write_path,
)


@kernel
def _estimate(world, goal, cells, values):
    """Write lower bounds of the costs from `cells` to `goal` to `values`."""
    y = goal // world.stride
    aim = JumpAim(goal, goal, goal - y * world.stride, y, 0.0)
    for k in range(cells.size):
        row = cells[k] // world.stride
        values[k] = remaining(world, aim, cells[k], cells[k] - row * world.stride, row)


@kernel
def _keep_fresh(runs, first, last, seen, stride):
    """Move those of the runs from `first` to before `last` that saw a new cell to the front; where they end.

    A run is a row (expansion, first cell, last cell) along a row, a column or a diagonal; its cells are marked in `seen`.
    """
    kept = first
    for k in range(first, last):
        cell, end = np.int64(runs[k, 1]), np.int64(runs[k, 2])
        down, along = end // stride - cell // stride, end % stride - cell % stride
        step = np.sign(down) * stride + np.sign(along)
        is_fresh = False
        for _ in range(max(abs(down), abs(along)) + 1):
            is_fresh = is_fresh or seen[cell] == 0
            seen[cell] = 1
            cell += step
        if is_fresh:
            for part in range(3):
                runs[kept, part] = runs[k, part]
            kept += 1
    return kept
