"""The rule of Theta* and its variants: cells whose parent may be far away, and an open list in the exact order of f.

What differs between the variants is what a cell can see. Each has a NamedTuple of its own, the `sight`, with three
functions that `seeing` registers and that are chosen at compile time:

    is_confirmed(sight, parent, cell)                    whether `cell`, which leaves the open list, keeps its parent
    is_in_sight(sight, parent, other, wide, tall)        whether `other`, (wide, tall) from `parent`, may take it over
    pass_on(sight, parent, other, wide, tall)            called when `other` has got a new parent

Invariants  g[cell] is the length of the path over `parent`, each part of which is a straight line (but see `lazy_theta`).
Marks       beyond the stamp of the search a mark has the bit CHECKED, once `is_confirmed` has said no, and CLOSED.
Open list   a heap, not the buckets of A*: paths are proved no longer than the best along the grid because cells leave in
            the order of f. Closed cells stay closed, as in the papers.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from wayfolk.compile.jit import inner, specialise, spliced
from wayfolk.kernels import heap
from wayfolk.kernels.best_first import CLOSED, GENERATED, STAMP, searching, write_parents
from wayfolk.kernels.codes import DX, DY, NOWHERE
from wayfolk.kernels.graph import there

SIGHTS = 5  # place in `counts`, behind those of `best_first`
CHECKED = 2  # bit of a mark
RANGE = np.dtype([("low_x", np.int32), ("low_y", np.int32), ("high_x", np.int32), ("high_y", np.int32)], align=True)


class AngleRule(NamedTuple):
    """How a search sees. If it `is_fifo`, cells leave the open list in the order in which they were generated."""

    sight: Any
    is_fifo: bool


class AngleAim(NamedTuple):
    """The goal, at (x, y)."""

    goal: int
    x: int
    y: int


_IS_CONFIRMED: dict[type, Callable[..., Any]] = {}
_IS_IN_SIGHT: dict[type, Callable[..., Any]] = {}
_PASS_ON: dict[type, Callable[..., Any]] = {}


def seeing(
    kind: type, is_confirmed: Callable[..., Any], is_in_sight: Callable[..., Any], pass_on: Callable[..., Any]
) -> None:
    """Register the three functions, plain Python to be compiled, for sights of the type `kind`."""
    _IS_CONFIRMED[kind], _IS_IN_SIGHT[kind], _PASS_ON[kind] = is_confirmed, is_in_sight, pass_on


def is_confirmed(sight: Any, parent: Any, cell: Any) -> Any:
    """Whether `cell`, which leaves the open list, keeps its parent; if not, it is opened again with another."""
    return _IS_CONFIRMED[type(sight)](sight, parent, cell)


def is_in_sight(sight: Any, parent: Any, other: Any, wide: Any, tall: Any) -> Any:
    """Whether `other`, which lies (wide, tall) from `parent`, may take it as its parent."""
    return _IS_IN_SIGHT[type(sight)](sight, parent, other, wide, tall)


def pass_on(sight: Any, parent: Any, other: Any, wide: Any, tall: Any) -> Any:
    """`other` has the new parent `parent`, (wide, tall) away."""
    return _PASS_ON[type(sight)](sight, parent, other, wide, tall)


specialise(is_confirmed, _IS_CONFIRMED, spliced)
specialise(is_in_sight, _IS_IN_SIGHT, spliced)
specialise(pass_on, _PASS_ON, spliced)


def _aim(rule, world, start, goal):
    y = goal // world.stride
    return AngleAim(goal, goal - y * world.stride, y)


def _room(rule, world, aim, cell):
    return 8


def _rest(rule, world, aim, cell):
    return _far(world, aim, cell)


def _confirm(rule, world, memory, queue, aim, cell):
    """Whether its parent sees `cell`; if not, open it again with its best closed neighbour as parent."""
    cells, stamp = memory.cells, memory.counts[STAMP]
    if cells[cell]["mark"] != stamp or is_confirmed(rule.sight, cells[cell]["parent"], cell):
        return True
    parent, reached = cell, math.inf
    for k in range(8):
        other = there(world, cell, k)
        if other != NOWHERE and _is_closed(cells[other]["mark"], stamp):
            over = cells[other]["g"] + _length(DX[k], DY[k])
            if over < reached:
                reached, parent = over, other
    far = _far(world, aim, cell)
    _enter(cells, memory.counts, queue, rule.is_fifo, cell, g=reached, parent=parent, far=far, checked=CHECKED)
    return False


def _expand(rule, world, memory, queue, aim, cell, here):
    cells, counts, stride, sight = memory.cells, memory.counts, world.stride, rule.sight
    stamp = counts[STAMP]
    parent = cells[cell]["parent"]
    before = cells[parent]["g"]
    y, parent_y = cell // stride, parent // stride
    x, parent_x = cell - y * stride, parent - parent_y * stride
    for k in range(8):
        other = there(world, cell, k)
        if other == NOWHERE or _is_closed(cells[other]["mark"], stamp):
            continue
        known = cells[other]["g"] if cells[other]["mark"] >= stamp else math.inf
        wide, tall = x + DX[k] - parent_x, y + DY[k] - parent_y
        reached, source = before + _length(wide, tall), parent  # path 2 of the paper
        if reached >= known:
            continue
        if not is_in_sight(sight, parent, other, wide, tall):
            wide, tall = DX[k], DY[k]
            reached, source = here + _length(wide, tall), cell  # path 1
        if reached < known:
            far = _length(x + DX[k] - aim.x, y + DY[k] - aim.y)
            _enter(cells, counts, queue, rule.is_fifo, other, g=reached, parent=source, far=far, checked=0)
            pass_on(sight, source, other, wide, tall)


def _final_cost(rule, world, memory, start, goal):
    return memory.cells[goal]["g"]


searching(
    AngleRule,
    aim=_aim,
    room=_room,
    confirm=_confirm,
    rest=_rest,
    expand=_expand,
    final_cost=_final_cost,
    write_path=write_parents,
)


@inner
def _enter(cells, counts, queue, is_fifo, cell, g, parent, far, checked):
    """Open `cell`, or open it again; `far` is its distance from the goal. Among equals the longer path comes first.

    First in, first out: a cell that is open keeps its place.
    """
    node = cells[cell]
    is_first = node["mark"] < counts[STAMP]
    if is_first:
        counts[GENERATED] += 1
    node["g"], node["parent"], node["mark"] = g, parent, counts[STAMP] + checked
    if not is_fifo:
        queue.counts[0] = heap.push(queue.rows, queue.counts[0], g + far, -g, cell)
    elif is_first:
        queue.counts[0] = heap.push(queue.rows, queue.counts[0], np.float64(counts[GENERATED]), 1.0, cell)


@inner
def _far(world, aim, cell):
    """The distance between the middle of `cell` and that of the goal."""
    y = cell // world.stride
    return _length(cell - y * world.stride - aim.x, y - aim.y)


@inner
def _is_closed(mark, stamp):
    return mark > stamp and (mark & CLOSED) != 0


@inner
def _length(wide, tall):
    return math.sqrt(wide * wide + tall * tall)
