"""Blocks: two neighbours in an open block of cells change places by a few rotations, even if the block is full.

With four moves a block has 2 x 3 cells, and its rings are the two squares and the border. With diagonals a block has 2 x 2
cells, and triangles are rings too. These rotations generate all permutations of the block, so any two of its agents can
change places while all others end where they were: in 2 to 5 steps.

Yu and LaValle, "Optimal multirobot path planning on graphs", 2016, use the same exchange in blocks of 2 x 3.

Invariants  a table's steps exchange the two cells of the pair and leave all other cells of the block as they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._pebbles import has_room, shift
from wayfolk.compile.jit import inner, specialise
from wayfolk.kernels.codes import DX, DY, NOBODY
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.state_graph import StateGraph

CELLS, MOST_STEPS = 6, 6
Permutation = tuple[int, ...]


class Blocks(NamedTuple):
    """The shapes of blocks: where cell k lies from the first, which moves it needs, and the steps that exchange two cells.

    A shape has `sizes[shape]` cells, at most `CELLS`. To exchange the cells `one` and `other` takes
    `n_steps[shape, one, other]` steps; in each, `steps[shape, one, other, step, k]` is where the agent in cell k goes.
    """

    sizes: NDArray[np.int32]
    places: NDArray[np.int32]
    needs: NDArray[np.uint8]
    n_steps: NDArray[np.int32]
    steps: NDArray[np.int32]


class NoBlocks(NamedTuple):
    """In other worlds than grids there are no blocks; `n_shapes` is 0."""

    n_shapes: int


def blocks_of(grid: Grid) -> Blocks:
    """The tables for the moves of `grid`."""
    shapes = [(3, 2), (2, 3)] if grid.moves is Moves.FOUR else [(2, 2)]
    sizes, points, needs, n_steps, steps = _tables(tuple(shapes), grid.moves is not Moves.FOUR)
    return Blocks(sizes, points[:, :, 0] + points[:, :, 1] * np.int32(grid.stride), needs, n_steps, steps)


def no_blocks(states: Grid | StateGraph) -> Blocks | NoBlocks:
    """Tables without shapes, for planners that exchange agents only where cells are empty."""
    if not isinstance(states, Grid):
        return NoBlocks(0)
    sizes, places, needs, n_steps, steps = blocks_of(states)
    return Blocks(sizes[:0], places[:0], needs[:0], n_steps[:0], steps[:0])


@cache
def _tables(shapes: tuple[tuple[int, int], ...], diagonal: bool) -> tuple[NDArray[Any], ...]:
    """Sizes, places `(x, y)`, needed moves, numbers of steps and steps of the shapes, each `(width, height)`."""
    n = len(shapes)
    sizes = np.array([width * height for width, height in shapes], np.int32)
    points, needs = np.zeros((n, CELLS, 2), np.int32), np.zeros((n, CELLS), np.uint8)
    n_steps = np.zeros((n, CELLS, CELLS), np.int32)
    steps = np.zeros((n, CELLS, CELLS, MOST_STEPS, CELLS), np.int32)
    for shape, (width, height) in enumerate(shapes):
        cells = [(x, y) for y in range(height) for x in range(width)]
        for k, (x, y) in enumerate(cells):
            points[shape, k] = x, y
            for bit in range(8 if diagonal else 4):
                if (x + DX[bit], y + DY[bit]) in cells:
                    needs[shape, k] |= 1 << bit
        ways = _shortest_ways(_rings(cells, diagonal), len(cells))
        for one in range(len(cells)):
            for other in range(len(cells)):
                swap = [other if k == one else one if k == other else k for k in range(len(cells))]
                if one != other:
                    way = ways[tuple(swap)]
                    n_steps[shape, one, other] = len(way)
                    for step, there in enumerate(way):
                        steps[shape, one, other, step, : len(cells)] = there
    return sizes, points, needs, n_steps, steps


def _rings(cells: list[tuple[int, int]], diagonal: bool) -> list[list[int]]:
    """The simple rings of a block, as numbers of cells; without the ones in which two diagonals cross."""
    rings: list[list[int]] = []
    todo = [[k] for k in range(len(cells))]
    while todo:
        way = todo.pop()
        (x, y) = cells[way[-1]]
        for k, (at_x, at_y) in enumerate(cells):
            dx, dy = abs(at_x - x), abs(at_y - y)
            if max(dx, dy) != 1 or (dx + dy == 2 and not diagonal):
                continue
            if k == way[0] and len(way) > 2:
                rings.append(way)
            elif k > way[0] and k not in way:
                todo.append([*way, k])

    def n_diagonals(ring: list[int]) -> int:
        pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
        return sum(cells[a][0] != cells[b][0] and cells[a][1] != cells[b][1] for a, b in pairs)

    return sorted(ring for ring in rings if n_diagonals(ring) < 2)


def _shortest_ways(rings: list[list[int]], n: int) -> dict[Permutation, list[Permutation]]:
    """The fewest rotations for each permutation: where the agent in cell k is after them."""
    turns: list[Permutation] = []
    for ring in rings:
        there = list(range(n))
        for k, cell in enumerate(ring):
            there[cell] = ring[(k + 1) % len(ring)]
        turns.append(tuple(there))
    still = tuple(range(n))
    ways: dict[Permutation, list[Permutation]] = {still: []}
    queue = deque([still])
    while queue:
        at = queue.popleft()
        for turn in turns:
            after = tuple(turn[cell] for cell in at)
            if after not in ways:
                ways[after] = [*ways[at], turn]
                queue.append(after)
    return ways


_EXCHANGE: dict[type, Callable[..., Any]] = {}


def exchange_in_block(blocks: Any, pebbles: Any, one: Any, other: Any) -> Any:
    """Exchange the agents in the cells `one` and `other` in a block that holds both; return whether there is one."""
    return _EXCHANGE[type(blocks)](blocks, pebbles, one, other)


specialise(exchange_in_block, _EXCHANGE)


def _exchange_nowhere(blocks, pebbles, one, other):  # type: ignore[no-untyped-def]
    return False


def _exchange(blocks, pebbles, one, other):  # type: ignore[no-untyped-def]
    legal = pebbles.graph.legal
    best, shape, base, first, second = MOST_STEPS + 1, 0, 0, 0, 0
    for s in range(blocks.sizes.size):
        size = blocks.sizes[s]
        for k in range(size):
            anchor = one - blocks.places[s, k]
            if anchor < 0 or anchor + blocks.places[s, size - 1] >= legal.size:
                continue
            for m in range(size):
                if anchor + blocks.places[s, m] != other or blocks.n_steps[s, k, m] >= best:
                    continue
                is_open = True
                for cell in range(size):
                    needs = blocks.needs[s, cell]
                    is_open = is_open and legal[anchor + blocks.places[s, cell]] & needs == needs
                if is_open:
                    best, shape, base, first, second = blocks.n_steps[s, k, m], s, anchor, k, m
    if best > MOST_STEPS or not has_room(pebbles, best * CELLS):
        return False
    for step in range(best):
        _rotate(pebbles, blocks, shape, base, blocks.steps[shape, first, second, step])
    return True


@inner
def _rotate(pebbles, blocks, shape, base, there):
    """Move all agents of a block at once: the one in cell k to cell `there[k]`."""
    size, joined, agents = blocks.sizes[shape], 0, pebbles.queue
    for k in range(size):
        agents[k] = pebbles.occupant[base + blocks.places[shape, k]]
    for k in range(size):
        if there[k] != k and agents[k] != NOBODY:
            shift(pebbles, agents[k], base + blocks.places[shape, k], base + blocks.places[shape, there[k]], joined)
            joined = 1


_EXCHANGE.update({Blocks: _exchange, NoBlocks: _exchange_nowhere})
