"""The kernels that build sectors: the regions in each, their centres, and the ways between centres."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import DX, DY, NOWHERE
from wayfolk.kernels.graph import cost, slots, there
from wayfolk.world.abstraction._clusters import FUZZ, key_of

NO_PART = 2**16 - 1


class SectorMap(NamedTuple):
    """Sectors `size` cells wide, `across` to a row: the first region and the centres of each, the part each cell is in.

    `is_touched[sector]` says that ways to and from its regions are not known.
    """

    size: int
    across: int
    first: NDArray[np.int32]
    centres: NDArray[np.int32]
    part: NDArray[np.uint16]
    is_touched: NDArray[np.bool_]


class Around(NamedTuple):
    """Nine sectors: a sector and the eight around it. The first is in column `left` and row `top` of all sectors."""

    size: int
    across: int
    left: int
    top: int


class RegionEdges(NamedTuple):
    """For each region that was searched from: its neighbours, the costs of the ways there, and how many there are."""

    targets: NDArray[np.int32]
    weights: NDArray[np.float64]
    counts: NDArray[np.int64]


class Box(NamedTuple):
    """The places of a sector: left < x <= right and top < y <= bottom, x and y counted with the border."""

    left: int
    top: int
    right: int
    bottom: int


@inner
def _box(squares, row):
    """Square number `row`, as far as it is on the map."""
    left, top = np.int64(squares.corners[row, 0]), np.int64(squares.corners[row, 1])
    return Box(left, top, min(left + squares.size, squares.width), min(top + squares.size, squares.height))


@inner
def _holds(box, stride, cell):
    y = cell // stride
    x = cell - y * stride
    return box.left < x <= box.right and box.top < y <= box.bottom


@kernel
def divide(graph, free, squares, queue, part, counts):
    """Number the connected parts of each of the `squares` from 0, in the order of their first cells."""
    stride = graph.stride
    for row in range(len(squares.corners)):
        box = _box(squares, row)
        for y in range(box.top + 1, box.bottom + 1):
            for cell in range(y * stride + box.left + 1, y * stride + box.right + 1):
                part[cell] = NO_PART
        n = 0
        for y in range(box.top + 1, box.bottom + 1):
            for cell in range(y * stride + box.left + 1, y * stride + box.right + 1):
                if free[cell] and part[cell] == NO_PART:
                    part[cell] = n
                    queue[0] = cell
                    _fill(graph, box, n, queue, part)
                    n += 1
        counts[row] = n


@inner
def _fill(graph, box, number, queue, part):
    """Give `number` to all that can be reached from the first cell of `queue` inside the sector."""
    done, used = 0, 1
    while done < used:
        cell = queue[done]
        done += 1
        for k in range(8):
            if (graph.legal[cell] >> k) & 1:
                other = cell + graph.offsets[k]
                if part[other] == NO_PART and _holds(box, graph.stride, other):
                    part[other] = number
                    queue[used] = other
                    used += 1


@kernel
def centre(graph, squares, first, part, queue, steps, centres):
    """Choose a centre for each region of the `squares`, whose first regions are `first`.

    The cell nearest to the mean of all, then downhill to one from which no neighbour has fewer steps to all in total.
    `steps` is 0 for each cell, and left so.
    """
    stride = graph.stride
    for row in range(len(squares.corners)):
        box = _box(squares, row)
        for number in range(first[row + 1] - first[row]):
            n, sum_x, sum_y = 0, 0, 0
            for y in range(box.top + 1, box.bottom + 1):
                for x in range(box.left + 1, box.right + 1):
                    if part[y * stride + x] == number:
                        n, sum_x, sum_y = n + 1, sum_x + x, sum_y + y
            best, least = np.int64(0), np.inf
            for y in range(box.top + 1, box.bottom + 1):
                for x in range(box.left + 1, box.right + 1):
                    away = (x - sum_x / n) ** 2 + (y - sum_y / n) ** 2
                    if part[y * stride + x] == number and away < least - FUZZ:
                        best, least = y * stride + x, away
            centres[first[row] + number] = _middle(graph, box, best, queue, steps)


@inner
def _middle(graph, box, cell, queue, steps):
    """Downhill from `cell`, by the number of steps to all others."""
    total = _steps_from(graph, box, cell, queue, steps)
    is_better = True
    while is_better:
        is_better = False
        here = cell
        for k in range(8):
            if (graph.legal[here] >> k) & 1:
                other = here + np.int64(graph.offsets[k])
                if _holds(box, graph.stride, other):
                    from_other = _steps_from(graph, box, other, queue, steps)
                    if from_other < total:
                        cell, total, is_better = other, from_other, True
    return cell


@inner
def _steps_from(graph, box, source, queue, steps):
    """The steps from `source` to all cells it is connected with in the sector, added up."""
    queue[0] = source
    steps[source] = 1
    done, used, total = 0, 1, 0
    while done < used:
        cell = queue[done]
        done += 1
        total += steps[cell] - 1
        for k in range(8):
            if (graph.legal[cell] >> k) & 1:
                other = cell + graph.offsets[k]
                if steps[other] == 0 and _holds(box, graph.stride, other):
                    steps[other] = steps[cell] + 1
                    queue[used] = other
                    used += 1
    for k in range(used):
        steps[queue[k]] = 0
    return total


@kernel
def join(graph, sectors, todo, room, edges):
    """Search from the centre of each region of `todo`, through it and then its neighbours, to their centres.

    From a region of a sector that is not touched, only through neighbours in touched sectors. Writes the ways to `edges`, a
    row for each region, in the order of costs and centres. `room.rows` has room for eight entries for each cell of a sector
    and the eight sectors around it, `room.costs` for one. Cells of equal cost are expanded in their order, so that a way
    does not depend on which neighbours are searched.
    """
    size, centres, rows, costs, counts = sectors.size, sectors.centres, room.rows, room.costs, edges.counts
    wide, stride = 3 * size, graph.stride
    for row in range(todo.size):
        home = todo[row]
        y = centres[home] // stride
        x = centres[home] - y * stride
        around = Around(size, sectors.across, (x - 1) // size - 1, (y - 1) // size - 1)
        corner_x, corner_y = around.left * size + 1, around.top * size + 1
        is_whole = sectors.is_touched[(around.top + 1) * sectors.across + around.left + 1]
        for spot in range(wide * wide):
            costs[spot] = np.inf
        spot = (y - corner_y) * wide + x - corner_x
        costs[spot] = 0.0
        counts[row] = 0
        n = heap.push(rows, np.int64(0), key_of(0.0), np.int64(spot), np.int64(spot))
        while n > 0:
            key, spot = rows[0]["f"], np.int64(rows[0]["item"])
            n = heap.pop(rows, n)
            here = costs[spot]
            if key_of(here) != key:  # a better copy came before
                continue
            spot_y = spot // wide
            spot_x = spot - spot_y * wide
            cell = (spot_y + corner_y) * stride + spot_x + corner_x
            region = sectors.first[_sector(around, spot_x, spot_y)] + sectors.part[cell]
            if region != home and cell == centres[region]:
                edges.targets[row, counts[row]] = region
                edges.weights[row, counts[row]] = here
                counts[row] += 1
            for k in range(slots(graph, cell)):
                other = there(graph, cell, k)
                if other == NOWHERE:
                    continue
                sector = _sector(around, spot_x + DX[k], spot_y + DY[k])
                if sectors.first[sector] + sectors.part[other] != region:
                    if region != home or not (is_whole or sectors.is_touched[sector]):
                        continue
                reached = here + cost(graph, cell, k)
                beside = spot + DX[k] + DY[k] * wide
                if reached < costs[beside] - FUZZ:
                    costs[beside] = reached
                    n = heap.push(rows, n, key_of(reached), np.int64(beside), np.int64(beside))


@inner
def _sector(around, x, y):
    """The sector of column `x` and row `y` of nine sectors, or of one step beyond them."""
    size = around.size
    right = around.left - 1 + (x >= 0) + (x >= size) + (x >= 2 * size) + (x >= 3 * size)
    down = around.top - 1 + (y >= 0) + (y >= size) + (y >= 2 * size) + (y >= 3 * size)
    return down * around.across + right
