"""The contract of real-time searches that ADAPT: the goal moves (`aim`) and the map changes (`change`) on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.contracts.check import (
    Case,
    Check,
    Draw,
    close,
    expect,
    expect_error,
    moves_of,
    near,
    query,
    registered_in,
)
from wayfolk.contracts.reference import dijkstra_costs, picture
from wayfolk.contracts.walks import begin, cells_of, check_learned, check_steps, check_walk, finished
from wayfolk.errors import BadInput, BadProblem
from wayfolk.problem.result import Status
from wayfolk.world.grid import Grid

MAX_SIDE = 8
CHECKS: list[Check] = []
check = registered_in(CHECKS)


def adapts(case: Case) -> bool:
    """Whether it can be told of another goal or map."""
    return bool(case.entry.facts.get("ADAPTS"))


@check("a target that moves is followed", drawn=True, applies=adapts)
def a_target_that_moves_is_followed(case: Case, draw: Draw) -> None:
    """Another goal after a few moves, up to four times."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    free = grid.free_cells.tolist()
    walker = begin(case, grid, start, goal)
    for _ in range(draw.number(1, 4)):
        walker.advance(draw.number(0, 6))
        goal = draw.one_of(free)
        draw.note(f"now to {grid.place(goal)}")
        walker.aim(grid.place(goal))
        if case.entry.facts.get("LEARNS"):
            check_learned(case, walker)
    result = finished(walker)
    expect(result.is_solved == (goal in dijkstra_costs(grid, start)), f"it ends as {result.status.value}")
    cells = cells_of(grid, result)
    total, _ = check_steps(grid, cells)
    expect(cells[0] == start, f"the walk begins at {grid.place(cells[0])}")
    _check_bound(walker, result)
    if result.is_solved:
        expect(cells[-1] == goal, f"the walk ends at {grid.place(cells[-1])}")
        expect(near(total, result.cost), f"the walk costs {total}, and the result says {result.cost}")


def _check_bound(walker: Any, result: Any) -> None:
    most = result.counters.expanded_most
    expect(most <= walker.bound, f"{most} expansions for a move, and the bound is {walker.bound}")


@check("a map that changes is survived", drawn=True, applies=adapts)
def a_map_that_changes_is_survived(case: Case, draw: Draw) -> None:
    """Up to four cells become walls or free after a few moves, up to four times."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    walker = begin(case, grid, start, goal)
    inside = [grid.cell((x, y)) for x in range(grid.width) for y in range(grid.height)]
    travelled, walked = 0.0, 1
    for _ in range(draw.number(1, 4)):
        walker.advance(draw.number(0, 6))
        cells = cells_of(grid, walker.result())
        travelled += check_steps(grid, cells[walked - 1 :])[0]
        walked = len(cells)
        changed = draw.some_of(inside, 4)
        walls = [cell for cell in changed if grid.is_free(cell) and cell not in (walker.here, goal)]
        grid = grid.with_blocked(walls).with_freed([cell for cell in changed if not grid.is_free(cell)])
        draw.note(picture(grid, [walker.here], [goal]))
        walker.change(grid)
        if case.entry.facts.get("LEARNS"):
            check_learned(case, walker)
    here = walker.here
    result = finished(walker)
    expect(result.is_solved == (goal in dijkstra_costs(grid, here)), f"it ends as {result.status.value}")
    cells = cells_of(grid, result)
    travelled += check_steps(grid, cells[walked - 1 :])[0]
    _check_bound(walker, result)
    if result.is_solved:
        expect(cells[-1] == goal, f"the walk ends at {grid.place(cells[-1])}")
        expect(near(travelled, result.cost), f"the walk costs {travelled}, and the result says {result.cost}")


@check(
    "terrain that changes is survived",
    applies=lambda case: adapts(case) and case.entry.facts.get("TERRAIN") is not False,
)
def terrain_that_changes_is_survived(case: Case) -> None:
    """Costs are scaled up and down on the way."""
    rng = np.random.default_rng(6)
    free = rng.random((12, 12)) > 0.2
    rule = "eight" if "eight" in [moves.value for moves in moves_of(case.entry)] else moves_of(case.entry)[0]
    maps = [Grid(free, rule, costs=rng.integers(1, 10, (12, 12)) * scale) for scale in (1, 5, 0.2, 1)]
    start, goal = _largest_part(maps[0])[[0, -1]]
    walker = begin(case, maps[0], int(start), int(goal))
    for grid in maps[1:]:
        walker.advance(3)
        walker.change(grid)
        if case.entry.facts.get("LEARNS"):
            check_learned(case, walker)
    expect(finished(walker).is_solved, "it does not arrive")


def _largest_part(grid: Grid) -> NDArray[np.intp]:
    """The cells of the largest connected part of a map."""
    return np.flatnonzero(grid.components == np.bincount(grid.components[grid.free_cells]).argmax())


@check("a goal in a wall is refused, and the walk goes on", applies=adapts)
def a_goal_in_a_wall_is_refused_and_the_walk_goes_on(case: Case) -> None:
    """Goals in walls and outside, walls on the goal and on the agent, maps of another size or rule."""
    rules = moves_of(case.entry)
    grid = Grid([[1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 1]], rules[0])
    start, goal = grid.cell((0, 2)), grid.cell((4, 0))
    walker = begin(case, grid, start, goal)
    walker.advance(2)
    expect_error(BadProblem, "the goal (2, 1) is in a wall", lambda: walker.aim((2, 1)))
    expect_error(BadProblem, "(5, 0) is outside", lambda: walker.aim((5, 0)))
    in_wall = grid.with_blocked([walker.goal])
    expect_error(BadProblem, "the goal at (4, 0) is in a wall of the changed map", lambda: walker.change(in_wall))
    on_agent = grid.with_blocked([walker.here])
    expect_error(BadProblem, "is in a wall of the changed map", lambda: walker.change(on_agent))
    expect_error(BadProblem, "the agent at ", lambda: walker.change(on_agent))
    expect_error(BadInput, "same size", lambda: walker.change(Grid(np.ones((2, 2)))))
    if len(rules) > 1:
        expect_error(BadInput, "same moves", lambda: walker.change(grid.with_moves(rules[1])))
    result = finished(walker)
    check_walk(grid, start, goal, result, walker.bound)
    expect(result.is_solved, f"it ends as {result.status.value}")


@check("an agent that has arrived can be sent on while others walk", applies=adapts)
def whoever_has_arrived_can_be_sent_on_while_others_walk(case: Case) -> None:
    """Arrays may pass from a walk that has ended to the next one: they must not be shared."""
    grid = Grid(np.random.default_rng(4).random((12, 12)) > 0.2, moves_of(case.entry)[0])
    first, last = (int(cell) for cell in _largest_part(grid)[[0, -1]])
    one = begin(case, grid, first, last)
    expect(finished(one).is_solved, "it does not arrive")
    alone = finished(begin(case, grid, last, first))
    other = begin(case, grid, last, first)
    other.advance(3)
    one.aim(grid.place(first))
    for _ in range(20_000):
        if one.status.is_final and other.status.is_final:
            break
        one.advance(2)
        other.advance(2)
    beside = other.result()
    same = (beside.path, beside.counters) == (alone.path, alone.counters)
    expect(same, "beside another walk, the walk is another than alone")
    back = one.result()
    expect(back.is_solved, f"sent back, it ends as {back.status.value}")
    total, _ = check_steps(grid, cells_of(grid, back))
    expect(close(total, back.cost), f"the walk costs {total}, and the result says {back.cost}")
    expect((back.path[0], back.path[-1]) == (grid.place(first),) * 2, "it does not come back to where it began")


@check("a target that comes to the agent is reached", applies=adapts)
def a_target_that_comes_to_the_agent_is_reached(case: Case) -> None:
    """The goal is set to where the agent is."""
    grid = Grid(np.ones((6, 6)), moves_of(case.entry)[0])
    walker = begin(case, grid, grid.cell((0, 0)), grid.cell((5, 5)))
    walker.advance(3)
    walker.aim(grid.place(walker.here))
    result = walker.result()
    answer = (result.status, result.path[-1])
    expect(answer == (Status.SOLVED, grid.place(walker.here)), f"the answer is {answer}")
    total, _ = check_steps(grid, cells_of(grid, result))
    expect(close(total, result.cost), f"the walk costs {total}, and the result says {result.cost}")
