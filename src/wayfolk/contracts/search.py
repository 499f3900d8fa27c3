"""The contract of searches: one agent, a whole path."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.contracts.check import (
    Case,
    Check,
    Draw,
    close,
    expect,
    expect_error,
    expect_no_faults,
    moves_of,
    near,
    query,
    registered_in,
)
from wayfolk.contracts.reference import dijkstra_costs, is_legal_step, step_cost, steps_from
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.judge.angles import check_straight_path, straight_cost
from wayfolk.problem.result import Result, Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

MAX_SIDE = 6
CHECKS: list[Check] = []
check = registered_in(CHECKS)


def check_path(case: Case, grid: Grid, start: int, goal: int, result: Result) -> None:
    """The path leads from start to goal by legal steps, and costs what the result says."""
    path: Any = result.path
    if case.entry.facts.get("ANY_ANGLE"):
        ends = path[0], path[-1]
        expect(ends == (grid.place(start), grid.place(goal)), f"the path leads from {ends[0]} to {ends[1]}")
        expect_no_faults(check_straight_path(grid, path), "the path")
        total = straight_cost(grid, path)
    else:
        cells = [grid.cell(place) for place in path]
        expect((cells[0], cells[-1]) == (start, goal), f"the path leads from {path[0]} to {path[-1]}")
        total = 0.0
        for one, other in pairwise(cells):
            (x, y), (to_x, to_y) = grid.place(one), grid.place(other)
            expect(is_legal_step(grid, x, y, to_x - x, to_y - y), f"the step {x, y} to {to_x, to_y} is not legal")
            total += step_cost(grid, one, other)
    expect(near(total, result.cost), f"the path costs {total}, and the result says {result.cost}")


@check("finds what its facts promise", drawn=True)
def holds_its_facts(case: Case, draw: Draw) -> None:
    """Paths are legal; COMPLETE, OPTIMAL, ANY_ANGLE and FEWEST_MOVES hold; the map stays as it is."""
    entry = case.entry
    grid, start, goal = query(case, draw, MAX_SIDE)
    before = grid.legal.copy()
    result = find_path(grid, grid.place(start), grid.place(goal), entry, **case.options)
    best = dijkstra_costs(grid, start).get(goal)
    expect((grid.legal == before).all(), "the map was changed")
    expect(result.algorithm == entry.name, f"the result says that it is of {result.algorithm!r}")
    if best is None:
        expect(result.status is Status.IMPOSSIBLE, f"there is no path, and the status is {result.status.value}")
        expect(result.path is None, "there is no path, and the result has one")
    elif entry.facts.get("COMPLETE"):
        expect(result.status is Status.SOLVED, f"there is a path, and the status is {result.status.value}")
    if result.is_solved:
        check_path(case, grid, start, goal, result)
        assert result.path is not None
        assert best is not None
        if entry.facts.get("OPTIMAL"):
            expect(near(result.cost, best), f"the path costs {result.cost}, and the best {best}")
        if entry.facts.get("ANY_ANGLE"):
            expect(result.cost <= best + 1e-9, f"the path costs {result.cost}, and the best along the grid {best}")
        if entry.facts.get("FEWEST_MOVES"):
            fewest = steps_from(grid, start)[goal]
            expect(len(result.path) - 1 == fewest, f"the path has {len(result.path) - 1} moves, and the best {fewest}")


@check("a budget is kept, and a pause changes nothing", drawn=True)
def paused_and_resumed_gives_the_same(case: Case, draw: Draw) -> None:
    """Advanced by one expansion at a time, it answers as if advanced to the end at once."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    ends = grid.place(start), grid.place(goal)
    whole = find_path(grid, *ends, case.entry, **case.options)
    task = begin_path(grid, *ends, case.entry, **case.options)
    spent = 0
    while not task.advance(1).is_final:
        expanded = task.result().expanded
        expect(expanded <= spent + 1, f"with a budget of 1, {expanded - spent} cells were expanded")
        spent = expanded
    paused = task.result()
    expect((paused.status, paused.path) == (whole.status, whole.path), "paused and resumed, the path is another")
    expect(paused.expanded == whole.expanded, f"paused, it expands {paused.expanded} cells, else {whole.expanded}")
    expect(task.advance(5) is whole.status, "advancing a search that has ended changes its status")


@check("the same question has the same answer", drawn=True)
def same_question_same_answer(case: Case, draw: Draw) -> None:
    """Another query in between changes nothing."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    ends = grid.place(start), grid.place(goal)
    first, _, again = (find_path(grid, *pair, case.entry, **case.options) for pair in (ends, ends[::-1], ends))
    expect((first.path, first.expanded) == (again.path, again.expanded), "the second answer is another")


@check("whatever is found one way is found the other way", drawn=True, needs="COMPLETE")
def both_ways(case: Case, draw: Draw) -> None:
    """On a grid all moves can be reversed."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    ends = grid.place(start), grid.place(goal)
    there, back = (find_path(grid, *pair, case.entry, **case.options) for pair in (ends, ends[::-1]))
    expect(there.is_solved == back.is_solved, f"there it is {there.status.value}, and back {back.status.value}")


@check(
    "watching changes nothing",
    drawn=True,
    applies=lambda case: any(option.name == "watch" for option in case.entry.options),
)
def watching_changes_nothing(case: Case, draw: Draw) -> None:
    """With `watch`, the events are the expanded cells."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    ends = grid.place(start), grid.place(goal)
    plain = find_path(grid, *ends, case.entry, **case.options)
    watched = find_path(grid, *ends, case.entry, watch=True, **case.options)
    expect(plain.events is None, "there are events without `watch`")
    expect((watched.path, watched.expanded) == (plain.path, plain.expanded), "watched, the path is another")
    expect(watched.events is not None, "watched, there are no events")
    assert watched.events is not None
    expect(len(watched.events) == watched.expanded, f"{len(watched.events)} events of {watched.expanded} expansions")
    expect(all(grid.is_free(int(cell)) for cell in watched.events), "an event is in a wall")


@check("works on graphs, or refuses them")
def works_on_a_graph_without_a_grid(case: Case) -> None:
    """On the graph of a grid, the answers are those on the grid."""
    entry, rng = case.entry, np.random.default_rng(3)
    grid = Grid(rng.random((12, 12)) > 0.25, moves_of(entry)[-1] if "eight" not in _names(case) else "eight")
    graph = Graph.from_grid(grid)
    if entry.facts.get("WORLDS") == "grid":
        one, other = graph.names[:2]
        expect_error(NotSupported, "not on graphs", lambda: find_path(graph, one, other, entry, **case.options))
        return
    for start, goal in rng.choice(grid.free_cells, (20, 2)):
        ends = grid.place(start), grid.place(goal)
        there, here = (find_path(world, *ends, entry, **case.options) for world in (graph, grid))
        expect(
            there.status is here.status, f"{ends}: {there.status.value} on the graph, {here.status.value} on the grid"
        )
        if entry.facts.get("OPTIMAL"):
            same = there.cost == here.cost or close(there.cost, here.cost)
            expect(same, f"{ends}: {there.cost} on the graph, {here.cost} on the grid")


def _names(case: Case) -> list[str]:
    return [moves.value for moves in moves_of(case.entry)]


@check("terrain costs are respected, or refused")
def terrain_costs_are_respected_or_refused(case: Case) -> None:
    """Paths cost what their cells cost."""
    entry, rng = case.entry, np.random.default_rng(5)
    rule = "eight" if "eight" in _names(case) else moves_of(entry)[0]
    grid = Grid(rng.random((14, 14)) > 0.2, rule, costs=rng.uniform(0.5, 20.0, (14, 14)))
    if entry.facts.get("TERRAIN") is False:
        ends = grid.place(grid.free_cells[0]), grid.place(grid.free_cells[1])
        expect_error(NotSupported, "terrain", lambda: find_path(grid, *ends, entry, **case.options))
        return
    for start, goal in rng.choice(grid.free_cells, (30, 2)).tolist():
        result = find_path(grid, grid.place(start), grid.place(goal), entry, **case.options)
        best = dijkstra_costs(grid, start).get(goal)
        if best is None or entry.facts.get("COMPLETE"):
            expect(result.is_solved == (best is not None), f"the best cost is {best}: {result.status.value}")
        if result.is_solved:
            assert best is not None
            check_path(case, grid, start, goal, result)
            if entry.facts.get("OPTIMAL"):
                expect(close(result.cost, best), f"the path costs {result.cost}, and the best {best}")
            if entry.facts.get("ANY_ANGLE"):
                expect(result.cost <= best + 1e-9, f"the path costs {result.cost}, and the best along the grid {best}")


@check("bad ends are named")
def bad_ends_are_named(case: Case) -> None:
    """A start in a wall, and a goal outside."""
    grid = Grid([[1, 1, 0], [1, 1, 1]], moves=moves_of(case.entry)[0])
    expect_error(BadProblem, "start (2, 0) is in a wall", lambda: find_path(grid, (2, 0), (0, 0), case.entry))
    expect_error(BadProblem, "(0, 2) is outside the 3 x 2 map", lambda: find_path(grid, (0, 0), (0, 2), case.entry))
