"""The slow, obvious answers that algorithms are compared with.

Pure Python, written from the rules and not from the library: nothing of `wayfolk` is used here but what a world is.
Cells are the flat numbers of `Grid`.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.world.grid import Grid, Moves

State = tuple[int, ...]
Cells = Sequence[int] | NDArray[np.int32]


class TooManyStates(Exception):
    """The joint search grew beyond what a test wants to wait for."""


def is_free(grid: Grid, x: int, y: int) -> bool:
    """Whether there is a free cell at (x, y)."""
    return 0 <= x < grid.width and 0 <= y < grid.height and bool(grid.free[y, x])


def is_straight_step(grid: Grid, x: int, y: int, dx: int, dy: int) -> bool:
    """Whether both cells are free and no cliff is between them."""
    if not (is_free(grid, x, y) and is_free(grid, x + dx, y + dy)):
        return False
    if grid.links is None:
        return True
    west, north = min(x, x + dx), min(y, y + dy)
    return bool(grid.links[north, west] & (OPEN_EAST if dx else OPEN_SOUTH))


def is_legal_step(grid: Grid, x: int, y: int, dx: int, dy: int) -> bool:
    """Whether (dx, dy) leads from (x, y) to a neighbour by the grid's move rule."""
    if dx == 0 or dy == 0:
        return is_straight_step(grid, x, y, dx, dy)
    row_first = is_straight_step(grid, x, y, dx, 0) and is_straight_step(grid, x + dx, y, 0, dy)
    column_first = is_straight_step(grid, x, y, 0, dy) and is_straight_step(grid, x, y + dy, dx, 0)
    if grid.moves is Moves.EIGHT:
        return row_first and column_first
    return grid.moves is Moves.EIGHT_CUTTING and (row_first or column_first)


def legal_moves(grid: Grid, cell: int) -> list[int]:
    """The cells one legal step away, in order."""
    x, y = grid.place(cell)
    steps = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
    return sorted(grid.cell((x + dx, y + dy)) for dx, dy in steps if is_legal_step(grid, x, y, dx, dy))


def step_cost(grid: Grid, one: int, other: int) -> float:
    """The length of a step, times the mean of what the two cells cost."""
    (ax, ay), (bx, by) = grid.place(one), grid.place(other)
    length = grid.diagonal if ax != bx and ay != by else 1.0
    if grid.costs is None:
        return length
    return length * float(grid.costs[ay, ax] + grid.costs[by, bx]) / 2


def dijkstra_costs(grid: Grid, start: int) -> dict[int, float]:
    """The least cost from `start` to each cell that can be reached."""
    costs: dict[int, float] = {}
    queue = [(0.0, start)]
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell in costs:
            continue
        costs[cell] = cost
        for there in legal_moves(grid, cell):
            heapq.heappush(queue, (cost + step_cost(grid, cell, there), there))
    return costs


def shortest_cost(grid: Grid, start: int, goal: int) -> float:
    """The least cost from `start` to `goal`, infinite if there is no way."""
    return dijkstra_costs(grid, start).get(goal, math.inf)


def steps_from(grid: Grid, cell: int) -> dict[int, int]:
    """The fewest steps from `cell` to each cell that can be reached."""
    steps, queue = {cell: 0}, deque([cell])
    while queue:
        here = queue.popleft()
        for there in legal_moves(grid, here):
            if there not in steps:
                steps[there] = steps[here] + 1
                queue.append(there)
    return steps


def flood_components(grid: Grid) -> list[set[int]]:
    """The connected parts of the map, each as a set of cells."""
    parts: list[set[int]] = []
    for y, x in np.argwhere(grid.free).tolist():
        cell = grid.cell((x, y))
        if not any(cell in part for part in parts):
            parts.append(set(steps_from(grid, cell)))
    return parts


def meets(grid: Grid, one: tuple[int, int], other: tuple[int, int]) -> str:
    """How two moves (from, to) at the same time break the rules: "vertex", "swap", "crossing", or "" if they do not."""
    if one[1] == other[1]:
        return "vertex"
    if one == other[::-1]:
        return "swap"
    ((ax, ay), (bx, by)), ((cx, cy), (dx, dy)) = map(grid.place, one), map(grid.place, other)
    if abs(ax - bx) == abs(ay - by) == 1 and {(cx, cy), (dx, dy)} == {(ax, by), (bx, ay)}:
        return "crossing"
    return ""


def joint_moves(grid: Grid, here: State) -> Iterator[State]:
    """Everywhere the agents can be one step later."""
    for there in itertools.product(*([cell, *legal_moves(grid, cell)] for cell in here)):
        moves = list(zip(here, there, strict=True))
        if not any(meets(grid, one, other) for one, other in itertools.combinations(moves, 2)):
            yield there


def joint_optimum(
    grid: Grid,
    starts: Cells,
    goals: Cells,
    max_states: int = 100_000,
    *,
    measure: str = "sum_of_costs",
) -> int | None:
    """The least `measure` ("sum_of_costs", "makespan" or "sum_of_loss") of any plan, None if there is no plan.

    Dijkstra over the places of all agents together. For the sum of costs a state also says who has finished: an agent
    on its goal may declare so, never moves again, and is charged no more.
    """
    begin, end = tuple(map(int, starts)), tuple(map(int, goals))
    n_agents = len(begin)

    def finishers(cells: State, finished: frozenset[int]) -> Iterator[frozenset[int]]:
        able = [a for a in range(n_agents) if cells[a] == end[a] and a not in finished]
        if measure != "sum_of_costs":
            able = []
        for n in range(len(able) + 1):
            for chosen in itertools.combinations(able, n):
                yield finished | frozenset(chosen)

    def charge(here: State, there: State, finished: frozenset[int]) -> int:
        if measure == "makespan":
            return 1
        if measure == "sum_of_loss":
            return sum(not here[a] == there[a] == end[a] for a in range(n_agents))
        return n_agents - len(finished)

    moves_of: dict[State, list[State]] = {}
    order = itertools.count()
    queue = [(0, next(order), begin, finished) for finished in finishers(begin, frozenset())]
    done: set[tuple[State, frozenset[int]]] = set()
    while queue:
        cost, _, here, finished = heapq.heappop(queue)
        if (here, finished) in done:
            continue
        if here == end and (measure != "sum_of_costs" or len(finished) == n_agents):
            return cost
        done.add((here, finished))
        if len(done) > max_states:
            raise TooManyStates(f"more than {max_states} joint states")
        if here not in moves_of:
            moves_of[here] = list(joint_moves(grid, here))
        for there in moves_of[here]:
            if all(there[a] == here[a] for a in finished):
                price = cost + charge(here, there, finished)
                for now_finished in finishers(there, finished):
                    if (there, now_finished) not in done:
                        heapq.heappush(queue, (price, next(order), there, now_finished))
    return None


def all_plans_solvable(grid: Grid, starts: Cells, goals: Cells, max_states: int = 100_000) -> bool:
    """Whether there is a plan after which all agents are on their goals."""
    begin, end = tuple(map(int, starts)), tuple(map(int, goals))
    seen, queue = {begin}, deque([begin])
    while queue:
        here = queue.popleft()
        if here == end:
            return True
        for there in joint_moves(grid, here):
            if there not in seen:
                seen.add(there)
                queue.append(there)
        if len(seen) > max_states:
            raise TooManyStates(f"more than {max_states} joint states")
    return False


def picture(grid: Grid, starts: Sequence[int] = (), goals: Sequence[int] = ()) -> str:
    """The map as text; starts are small letters, goals capitals, a goal on a start is shown as the start."""
    lines = [["." if free else "@" for free in row] for row in grid.free]
    for letters, cells in (("ABCDEFGHIJ", goals), ("abcdefghij", starts)):
        for letter, cell in zip(itertools.cycle(letters), cells, strict=False):
            x, y = grid.place(cell)
            lines[y][x] = letter
    return "\n".join([f"{grid.width} x {grid.height}, {grid.moves.value} moves", *map("".join, lines)])
