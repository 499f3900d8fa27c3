"""Parking: where robots without an order wait, so that they are in nobody's way.

A cell can be left out of the map if the cells beside it stay connected by a short detour. Robots that park on such cells
only, one after another, never cut the map into parts: every stop stays within reach of every robot, whatever the
controller does. No robot parks where an order has to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from wayfolk.simulation.adjacency import Adjacency
from wayfolk.world.grid import Grid

DETOUR = 6
"""The longest detour around a parked robot in the open: seven cells in a block of three by three."""
LONG_DETOUR = 48
"""The longest detour around a robot that finds no place in the open."""
MOST_CELLS = 4096
"""How many cells are looked at for a parking place, the nearest first."""


def parking_place(
    adjacency: Adjacency,
    start: int,
    *,
    taken: Container[int],
    stops: Container[int],
    stops_now: Container[int],
    is_open: Callable[[int], bool],
) -> int | None:
    """The nearest cell to `start` on which a robot is in nobody's way; None if there is none.

    `taken` are the places of other parked robots, `stops` those of all orders that are not done, and `stops_now` those of
    orders that robots carry out. Ways lead over cells that are open. A place in the open is preferred, and one where no
    order will stop.
    """
    for wanted, detour in ((stops, DETOUR), (stops_now, DETOUR), (stops_now, LONG_DETOUR)):
        for cell in adjacency.nearest_first(start, is_open, MOST_CELLS):
            if covers_none(adjacency, cell, wanted) and is_dispensable(adjacency, cell, taken, detour):
                return cell
    return None


def covers_none(adjacency: Adjacency, cell: int, stops: Container[int]) -> bool:
    """Whether a robot on `cell` leaves room for others at all of `stops`."""
    if isinstance(adjacency.states, Grid):
        return cell not in stops
    return not any(near in stops for near in adjacency.around(cell))


def is_dispensable(adjacency: Adjacency, cell: int, taken: Container[int], detour: int = LONG_DETOUR) -> bool:
    """Whether ways through `cell` can lead around it and the cells `taken`, by at most `detour` more steps.

    A large robot is led around as a whole, and robots of all kinds must be able to.
    """
    if cell in taken:
        return False
    gone = adjacency.around(cell)
    return all(_leads_around(beside, gone, taken, detour) for beside in adjacency.kinds)


def _leads_around(adjacency: Adjacency, gone: frozenset[int], taken: Container[int], detour: int) -> bool:
    """Whether the cells beside those that are gone stay connected."""
    after = [there for cell in gone for there in adjacency[cell] if there not in gone and there not in taken]
    before = [there for cell in gone for there in adjacency.into(cell) if there not in gone and there not in taken]
    is_one_way = set(before) != set(after)
    for begin in dict.fromkeys(before if is_one_way else before[:1]):
        left, depth = set(after) - {begin}, {begin: 0}
        if not left or _reaches(adjacency, left, depth, gone, taken, detour):
            continue
        return False
    return True


def _reaches(
    adjacency: Adjacency,
    left: set[int],
    depth: dict[int, int],
    gone: frozenset[int],
    taken: Container[int],
    detour: int,
) -> bool:
    """Whether all cells that are `left` are within reach of the only one in `depth`."""
    for here in (queue := list(depth)):
        if depth[here] == detour:
            return False
        for there in adjacency[here]:
            if there not in gone and there not in depth and there not in taken:
                depth[there] = depth[here] + 1
                queue.append(there)
                left.discard(there)
        if not left:
            return True
    return False
