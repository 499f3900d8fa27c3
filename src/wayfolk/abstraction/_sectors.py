"""The kernels that build sectors: the regions in each, their centres, and the ways between centres."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np

from wayfolk.abstraction._clusters import FUZZ, key_of
from wayfolk.graph import NOWHERE, cost, slots, there
from wayfolk.grid import DX, DY
from wayfolk.kernels import heap
from wayfolk.kernels.jit import inner, kernel

NO_PART = 2**16 - 1


@kernel
def divide(free, legal, offsets, stride, width, height, size, corners, queue, part, counts):
    """Number the connected parts of each sector, whose top left place is a row of `corners`, from 0 by first cells."""
    for row in range(len(corners)):
        left, top = corners[row, 0], corners[row, 1]
        right, bottom = min(left + size, width), min(top + size, height)
        for y in range(top + 1, bottom + 1):
            for cell in range(y * stride + left + 1, y * stride + right + 1):
                part[cell] = NO_PART
        n = 0
        for y in range(top + 1, bottom + 1):
            for cell in range(y * stride + left + 1, y * stride + right + 1):
                if free[cell] and part[cell] == NO_PART:
                    part[cell] = n
                    queue[0] = cell
                    _fill(legal, offsets, stride, left, top, right, bottom, n, queue, part)
                    n += 1
        counts[row] = n


@inner
def _fill(legal, offsets, stride, left, top, right, bottom, number, queue, part):
    """Give `number` to all that can be reached from the first cell of `queue` inside the sector."""
    done, used = 0, 1
    while done < used:
        cell = queue[done]
        done += 1
        for k in range(8):
            if (legal[cell] >> k) & 1:
                other = cell + offsets[k]
                y = other // stride
                x = other - y * stride
                if left < x <= right and top < y <= bottom and part[other] == NO_PART:
                    part[other] = number
                    queue[used] = other
                    used += 1


@kernel
def centre(legal, offsets, stride, width, height, size, corners, first, part, queue, steps, centres):
    """Choose a centre for each region of the sectors at `corners`, whose first regions are `first`.

    The cell nearest to the mean of all, then downhill to one from which no neighbour has fewer steps to all in total.
    `steps` is 0 for each cell, and left so.
    """
    for row in range(len(corners)):
        left, top = corners[row, 0], corners[row, 1]
        right, bottom = min(left + size, width), min(top + size, height)
        for number in range(first[row + 1] - first[row]):
            n, sum_x, sum_y = 0, 0, 0
            for y in range(top + 1, bottom + 1):
                for x in range(left + 1, right + 1):
                    if part[y * stride + x] == number:
                        n, sum_x, sum_y = n + 1, sum_x + x, sum_y + y
            best, least = np.int64(0), np.inf
            for y in range(top + 1, bottom + 1):
                for x in range(left + 1, right + 1):
                    away = (x - sum_x / n) ** 2 + (y - sum_y / n) ** 2
                    if part[y * stride + x] == number and away < least - FUZZ:
                        best, least = y * stride + x, away
            centres[first[row] + number] = _middle(legal, offsets, stride, left, top, right, bottom, best, queue, steps)


@inner
def _middle(legal, offsets, stride, left, top, right, bottom, cell, queue, steps):
    """Downhill from `cell`."""
    total = _steps_from(legal, offsets, stride, left, top, right, bottom, cell, queue, steps)
    is_better = True
    while is_better:
        is_better = False
        here = cell
        for k in range(8):
            if (legal[here] >> k) & 1:
                other = here + np.int64(offsets[k])
                y = other // stride
                x = other - y * stride
                if left < x <= right and top < y <= bottom:
                    there = _steps_from(legal, offsets, stride, left, top, right, bottom, other, queue, steps)
                    if there < total:
                        cell, total, is_better = other, there, True
    return cell


@inner
def _steps_from(legal, offsets, stride, left, top, right, bottom, source, queue, steps):
    """The steps from `source` to all cells it is connected with in the sector, added up."""
    queue[0] = source
    steps[source] = 1
    done, used, total = 0, 1, 0
    while done < used:
        cell = queue[done]
        done += 1
        total += steps[cell] - 1
        for k in range(8):
            if (legal[cell] >> k) & 1:
                other = cell + offsets[k]
                y = other // stride
                x = other - y * stride
                if left < x <= right and top < y <= bottom and steps[other] == 0:
                    steps[other] = steps[cell] + 1
                    queue[used] = other
                    used += 1
    for k in range(used):
        steps[queue[k]] = 0
    return total


@kernel
def join(graph, size, across, todo, first, centres, part, rows, costs, targets, weights, counts):
    """Search from the centre of each region of `todo`, through it and then its neighbours, to their centres.

    Row by row, writes the neighbours to `targets` and the costs of the ways to `weights`. `rows` has room for eight
    entries for each cell of a sector and the eight around it, `costs` for one.
    """
    wide, stride = 3 * size, graph.stride
    for row in range(todo.size):
        home = todo[row]
        y = centres[home] // stride
        corner_y, corner_x = ((y - 1) // size - 1) * size + 1, ((centres[home] - y * stride - 1) // size - 1) * size + 1
        for spot in range(wide * wide):
            costs[spot] = np.inf
        spot = (y - corner_y) * wide + centres[home] - y * stride - corner_x
        costs[spot] = 0.0
        counts[row] = 0
        n = heap.push(rows, np.int64(0), key_of(0.0), key_of(0.0), np.int64(spot))
        while n > 0:
            key, spot = rows[0]["f"], np.int64(rows[0]["item"])
            n = heap.pop(rows, n)
            here = costs[spot]
            if key_of(here) != key:  # a better copy came before
                continue
            cell = (spot // wide + corner_y) * stride + spot % wide + corner_x
            region = _region(stride, size, across, first, part, cell)
            if region != home and cell == centres[region]:
                targets[row, counts[row]] = region
                weights[row, counts[row]] = here
                counts[row] += 1
            for k in range(slots(graph, cell)):
                other = there(graph, cell, k)
                if other == NOWHERE:
                    continue
                if region != home and _region(stride, size, across, first, part, np.int64(other)) != region:
                    continue
                reached = here + cost(graph, cell, k)
                beside = spot + DX[k] + DY[k] * wide
                if reached < costs[beside] - FUZZ:
                    costs[beside] = reached
                    n = heap.push(rows, n, key_of(reached), key_of(reached), np.int64(beside))


@inner
def _region(stride, size, across, first, part, cell):
    y = cell // stride
    x = cell - y * stride
    return first[(y - 1) // size * across + (x - 1) // size] + part[cell]
