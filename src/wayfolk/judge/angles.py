"""The judge of straight lines: which rules an any-angle path breaks, wherever it bends.

A path is a list of points `(x, y)` in the units of cells; a cell `(x, y)` is the square around that point. A path of
straight lines is legal if it

    never touches the inside of a blocked cell, and never leaves the map;
    crosses from a cell to the one beside it only where no cliff is between them, and runs along the edge between two
    cells only there too;
    touches the corner of a cell only if all four cells around it are free and no cliff ends there (EIGHT), or if the
    cell it comes from and the one it goes to are joined around the corner, one way or the other (EIGHT_CUTTING).

Between the centres of neighbours these are exactly the legal steps. The judge computes with fractions, from `free`,
`links` and `moves` alone: it rounds nothing and uses no code of any search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from wayfolk.errors import NotSupported
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.world.grid import Grid, Moves

Point = Sequence[float]
Spot = tuple[Fraction, Fraction]
Cell = tuple[int, int]
HALF = Fraction(1, 2)


def check_straight_path(grid: Grid, points: Sequence[Point]) -> list[str]:
    """Return the faults of the path, as sentences; an empty list is a legal path."""
    if grid.moves is Moves.FOUR:
        raise NotSupported("straight lines at any angle need a grid with diagonal moves")
    if not points:
        return ["the path has no points"]
    for x, y in points:
        if not (math.isfinite(x) and math.isfinite(y)):
            return [f"({x}, {y}) is not a point"]
    problems = []
    pieces = list(_pieces(points))
    for one, other, cells in pieces:
        for cell in cells:
            if not _is_free(grid, cell):
                problems.append(f"the line from {_show(one)} to {_show(other)} is in the wall {cell}")
                break
        else:
            if len(cells) == 2 and not _is_open(grid, *cells):
                problems.append(f"the line from {_show(one)} to {_show(other)} runs along the cliff between {cells}")
    for (_, spot, before), (_, _, after) in pairwise(pieces):
        problems += _problem_at(grid, spot, before[0], after[0])
    for spot, cell in ((pieces[0][0], pieces[0][2][0]), (pieces[-1][1], pieces[-1][2][0])):
        problems += _problem_at(grid, spot, cell, cell)
    return problems


def straight_cost(grid: Grid, points: Sequence[Point]) -> float:
    """Return the cost of the path: the length of each part times the cost of its cell, the cheaper of two on an edge."""
    total = 0.0
    for one, other, cells in _pieces(points):
        price = 1.0 if grid.costs is None else min(float(grid.costs[y, x]) for x, y in cells)
        total += price * math.hypot(float(other[0] - one[0]), float(other[1] - one[1]))
    return total


def _pieces(points: Sequence[Point]) -> Iterator[tuple[Spot, Spot, tuple[Cell, ...]]]:
    """Yield the path, cut wherever it meets an edge: both ends, and the cell it is in, or the two it is between."""
    spots = [(Fraction(x) + HALF, Fraction(y) + HALF) for x, y in points]
    lines = [(one, other) for one, other in pairwise(spots) if one != other] or [(spots[0], spots[0])]
    for one, other in lines:
        cuts = {Fraction(0), Fraction(1)}
        for a, b in zip(one, other, strict=True):
            if a != b:
                cuts |= {(line - a) / (b - a) for line in range(math.ceil(min(a, b)), math.floor(max(a, b)) + 1)}
        places = [(one[0] + t * (other[0] - one[0]), one[1] + t * (other[1] - one[1])) for t in sorted(cuts)]
        for start, end in pairwise(places):
            middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            columns, rows = (_either_side(value) for value in middle)
            yield start, end, tuple((x, y) for y in rows for x in columns)


def _either_side(value: Fraction) -> tuple[int, ...]:
    """Return the column or row that `value` is in, or the two that it is between."""
    floor = math.floor(value)
    return (floor,) if value != floor else (floor - 1, floor)


def _problem_at(grid: Grid, spot: Spot, before: Cell, after: Cell) -> list[str]:
    """Return the faults of a path that comes from the cell `before` and goes on to the cell `after` at `spot`."""
    columns, rows = (_either_side(value) for value in spot)
    if len(columns) == len(rows) == 2:
        (west, east), (north, south) = columns, rows
        ring = [(west, north), (east, north), (east, south), (west, south)]
        opened = [_is_open(grid, ring[k], ring[(k + 1) % 4]) for k in range(4)]
        one, other = ring.index(before), ring.index(after)
        first, last = min(one, other), max(one, other)
        joined = all(opened[first:last]) or all(opened[:first] + opened[last:])
        if not (all(opened) if grid.moves is Moves.EIGHT else joined):
            return [f"the path may not touch the corner {_show(spot)}"]
    elif before != after and not _is_open(grid, before, after):
        return [f"the path may not cross from {before} to {after} at {_show(spot)}"]
    return []


def _is_free(grid: Grid, cell: Cell) -> bool:
    x, y = cell
    return 0 <= x < grid.width and 0 <= y < grid.height and bool(grid.free[y, x])


def _is_open(grid: Grid, one: Cell, other: Cell) -> bool:
    """Whether two cells side by side are free and no cliff is between them."""
    if not (_is_free(grid, one) and _is_free(grid, other)):
        return False
    x, y = min(one[0], other[0]), min(one[1], other[1])
    return grid.links is None or bool(grid.links[y, x] & (OPEN_EAST if one[1] == other[1] else OPEN_SOUTH))


def _show(spot: Spot) -> str:
    return f"({float(spot[0] - HALF):g}, {float(spot[1] - HALF):g})"
