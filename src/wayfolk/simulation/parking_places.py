"""Parking: where robots without an order wait, so that they are in nobody's way.

A cell can be left out of the map if the cells beside it stay connected by a short detour. Robots that park on such cells
only, one after another, never cut the map into parts: every stop stays within reach of every robot, whatever the
controller does. No robot parks where an order has to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from wayfolk.simulation.adjacency import Adjacency

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
            if cell not in wanted and is_dispensable(adjacency, cell, taken, detour):
                return cell
    return None


def is_dispensable(adjacency: Adjacency, cell: int, taken: Container[int], detour: int = LONG_DETOUR) -> bool:
    """Whether ways through `cell` can lead around it and the cells `taken`, by at most `detour` more steps."""
    if cell in taken:
        return False
    beside = [there for there in adjacency[cell] if there not in taken]
    if len(beside) < 2:
        return True
    left, depth = set(beside[1:]), {beside[0]: 0}
    for here in (queue := [beside[0]]):
        if depth[here] == detour:
            return False
        for there in adjacency[here]:
            if there != cell and there not in depth and there not in taken:
                depth[there] = depth[here] + 1
                queue.append(there)
                left.discard(there)
        if not left:
            return True
    return False
