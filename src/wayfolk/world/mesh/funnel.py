"""Funnel: pull a path through a row of gates taut.

Lee and Preparata, "Euclidean shortest paths in the presence of rectilinear barriers", 1984; Chazelle, "A theorem on polygon
cutting with applications", 1982. In this form: Mononen, "Simple stupid funnel algorithm", 2010.

Guarantees  the shortest path that passes the gates in order, if they are the edges between one convex polygon and the
            next.
Invariants  the view from the last bend through the gates that follow lies between `left` and `right`.
Cost        time in proportion to the gates and, for each bend, to those that were looked through in vain.
Deviations  a gate that ends in the last bend holds nothing back and is passed over.
"""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[float, float]


def funnel(start: Point, goal: Point, gates: Sequence[tuple[Point, Point]]) -> list[Point]:
    """The shortest way from `start` to `goal` through `gates`, each a left and a right end; a bend is at a gate's end."""
    gates = [*gates, (goal, goal)]
    path = [start]
    k = 0
    while True:
        bend = path[-1]
        while k < len(gates) and bend in gates[k]:
            k += 1
        if k == len(gates):
            return path
        left, right = gates[k]
        at_left = at_right = k
        path.append(goal)
        for ahead in range(k + 1, len(gates)):
            new_left, new_right = gates[ahead]
            if turn(bend, right, new_right) >= 0:
                if _is_past(bend, left, new_right, 1):
                    path[-1], k = left, at_left + 1
                    break
                right, at_right = new_right, ahead
            if turn(bend, left, new_left) <= 0:
                if _is_past(bend, right, new_left, -1):
                    path[-1], k = right, at_right + 1
                    break
                left, at_left = new_left, ahead
        else:
            return path


def turn(a: Point, b: Point, c: Point) -> float:
    """Positive if c is to the left of the line from a to b, negative if to the right, 0 if on it."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _is_past(bend: Point, end: Point, point: Point, sign: int) -> bool:
    """Whether the line of sight to `end` has been crossed on the way to `point`; on the line, the nearer is first."""
    side = sign * turn(bend, end, point)
    if side == 0:
        dx, dy = end[0] - bend[0], end[1] - bend[1]
        return dx * (point[0] - end[0]) + dy * (point[1] - end[1]) >= 0
    return side > 0
