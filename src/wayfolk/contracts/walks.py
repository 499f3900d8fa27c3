"""What the checks of real-time searches share: walks, what they cost, and what is learned on them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from wayfolk.algorithms.paths import begin_path
from wayfolk.contracts.check import Case, expect, near
from wayfolk.contracts.reference import dijkstra_costs, is_legal_step, legal_moves, step_cost
from wayfolk.problem.result import Result
from wayfolk.world.grid import Grid

NEAR = 1e-6


def begin(case: Case, grid: Grid, start: int, goal: int, **more: Any) -> Any:
    """A real-time search from one cell to another."""
    return begin_path(grid, grid.place(start), grid.place(goal), case.entry, **case.options, **more)


def finished(walker: Any, most: int = 20_000) -> Result:
    """Advance to the end: on maps as small as these, a walk that has not ended by then never will."""
    walker.advance(most)
    expect(walker.status.is_final, "it walks for ever")
    result: Result = walker.result()
    return result


def check_steps(grid: Grid, cells: list[int]) -> tuple[float, int]:
    """Each step is legal, or a wait; returns what the steps cost, and the number of waits."""
    total, waits = 0.0, 0
    for one, other in pairwise(cells):
        if one == other:
            waits += 1
            continue
        (x, y), (to_x, to_y) = grid.place(one), grid.place(other)
        expect(is_legal_step(grid, x, y, to_x - x, to_y - y), f"the step {x, y} to {to_x, to_y} is not legal")
        total += step_cost(grid, one, other)
    return total, waits


def cells_of(grid: Grid, result: Result) -> list[int]:
    """The cells of a walk."""
    expect(result.path is not None, "the result has no path")
    path: Any = result.path
    return [grid.cell(place) for place in path]


def check_walk(grid: Grid, start: int, goal: int, result: Result, bound: int) -> None:
    """The walk is legal, costs what the result says, and the planning for each move was bounded."""
    cells = cells_of(grid, result)
    counters: Any = result.counters
    total, waits = check_steps(grid, cells)
    expect(cells[0] == start, f"the walk begins at {grid.place(cells[0])}")
    counted = (counters.moves, counters.waits)
    expect(counted == (len(cells) - 1, waits), f"moves and waits are {len(cells) - 1, waits}, and it counts {counted}")
    expect(counters.expanded_most <= bound, f"{counters.expanded_most} expansions for a move, and the bound is {bound}")
    if result.is_solved:
        expect(cells[-1] == goal, f"the walk ends at {grid.place(cells[-1])}")
        expect(goal not in cells[:-1], "the walk goes on after it has come to the goal")
        expect(near(total, result.cost), f"the walk costs {total}, and the result says {result.cost}")


def check_learned(case: Case, walker: Any) -> None:
    """The heuristic never overestimates and, if CONSISTENT promises it, is consistent. Costs are symmetric."""
    grid = walker.world
    true = dijkstra_costs(grid, walker.goal)
    h = {cell: walker.h(cell) for cell in true}
    expect(h[walker.goal] == 0.0, f"the heuristic of the goal is {h[walker.goal]}")
    for cell, cost in true.items():
        expect(h[cell] <= cost + NEAR, f"at {grid.place(cell)} the heuristic is {h[cell]}, and the cost {cost}")
    if is_consistent(case):
        for cell in true:
            for other in legal_moves(grid, cell):
                most = step_cost(grid, cell, other) + h[other] + NEAR
                expect(h[cell] <= most, f"the heuristic is not consistent at {grid.place(cell)}")


def is_consistent(case: Case) -> bool:
    """Whether a consistent heuristic is promised; not with a look-ahead by depth."""
    return bool(case.entry.facts.get("CONSISTENT")) and not case.options.get("depth")


def converges(case: Case) -> bool:
    """Whether trials end at the optimum; not where an agent avoids what it has learned about."""
    return bool(case.entry.facts.get("CONVERGES")) and not case.options.get("avoid")
