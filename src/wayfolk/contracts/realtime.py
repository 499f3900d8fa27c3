"""The contract of real-time searches: one agent, bounded work for each move.

Besides being a Task, a real-time search has `bound`, the most expansions for a move, and counts `moves`, `waits` and
`expanded_most`. One that LEARNS has `h(cell)`; one that ADAPTS has `aim(place)` and `change(world)` (see `adaptation`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.trials import trials
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
from wayfolk.contracts.reference import dijkstra_costs
from wayfolk.contracts.walks import (
    NEAR,
    begin,
    check_learned,
    check_steps,
    check_walk,
    converges,
    finished,
)
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.problem.result import Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

MAX_SIDE = 8
FRUGAL: dict[str, list[dict[str, Any]]] = {
    "lrta": [{"depth": 3}],
    "lrta_k": [{"k": 1}, {"k": 3}],
    "lrta_ls_k": [{"k": 1}, {"k": 30}],
    "lss_lrta": [{"expansions": 1}, {"expansions": 5, "moves": 1}],
    "p_lrta": [{"beta": 0}, {"beta": 3, "room": 2}],
    "rta": [{"depth": 1}],
    "rtaa": [{"expansions": 1}, {"expansions": 5, "moves": 1}, {"expansions": 4, "avoid": True}],
    "salient": [
        {"limit": 5, "share": 0.6, "traces": 1.0, "salient": 2},
        {"limit": 4, "share": 0.5, "salient": 2, "strategy": "agent_distance"},
        {"limit": 5, "share": 0.6, "traces": 1.0, "salient": 2, "switch": "longer"},
    ],
    "tba": [
        {"limit": 5, "share": 0.6, "traces": 1.0},
        {"limit": 4, "share": 0.5, "patient": True},
        {"limit": 6, "share": 0.7, "shortcut": True},
        {"limit": 5, "share": 0.6, "traces": 1.0, "switch": "longer"},
    ],
}
"""Options with which our own plan so little that they lose their way on a small map; all run with their defaults too."""
CHECKS: list[Check] = []
check = registered_in(CHECKS)


def learns(case: Case) -> bool:
    """Whether it learns a heuristic."""
    return bool(case.entry.facts.get("LEARNS"))


def watches(case: Case) -> bool:
    """Whether it has the option `watch`."""
    return any(option.name == "watch" for option in case.entry.options)


@check("walks are legal and cost what they say", drawn=True)
def walks_are_legal(case: Case, draw: Draw) -> None:
    """Each step is legal, and the map stays as it is."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    before = grid.legal.copy()
    walker = begin(case, grid, start, goal)
    walker.advance(20_000)
    expect((grid.legal == before).all(), "the map was changed")
    result = walker.result()
    expect(result.algorithm == case.entry.name, f"the result says that it is of {result.algorithm!r}")
    check_walk(grid, start, goal, result, walker.bound)
    if goal not in dijkstra_costs(grid, start):
        expect(not result.is_solved, "there is no way, and it is solved")


@check("reaches every goal it can, and says so if it cannot", drawn=True, needs="COMPLETE")
def reaches_every_goal_it_can(case: Case, draw: Draw) -> None:
    """SOLVED where there is a way, IMPOSSIBLE where there is none."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    walker = begin(case, grid, start, goal)
    result = finished(walker)
    check_walk(grid, start, goal, result, walker.bound)
    if goal in dijkstra_costs(grid, start):
        expect(result.status is Status.SOLVED, f"there is a way, and the status is {result.status.value}")
        return
    expect(result.status is Status.IMPOSSIBLE, f"there is no way, and the status is {result.status.value}")
    expect(result.cost == float("inf"), f"there is no way, and the cost is {result.cost}")
    most, counters = 2 * (grid.n_cells + walker.bound), result.counters
    expect(counters.moves <= most, f"it takes more than {most} moves to see that there is no way")  # type: ignore[attr-defined]


@check("the planning for each move is bounded, and a pause changes nothing", drawn=True)
def bounded_for_each_move_and_can_be_paused(case: Case, draw: Draw) -> None:
    """Advanced by one move at a time, it walks as if advanced to the end at once."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    whole = finished(begin(case, grid, start, goal))
    walker = begin(case, grid, start, goal)
    expanded, most, moves = 0, 0, 0
    while not walker.status.is_final:
        walker.advance(1)
        result = walker.result()
        spent = result.expanded - expanded
        most = max(most, spent)
        expect(spent <= walker.bound, f"{spent} expansions for a move, and the bound is {walker.bound}")
        expect(result.counters.moves <= moves + 1, "with a budget of 1 it makes two moves")
        expect(len(result.path) == result.counters.moves + 1, "the path is longer than the moves that are counted")
        expanded, moves = result.expanded, result.counters.moves
    result = walker.result()
    same = (result.status, result.path, result.cost) == (whole.status, whole.path, whole.cost)
    expect(same, "paused and resumed, the walk is another")
    expect(result.counters == whole.counters, "paused and resumed, it counts something else")
    expect(result.counters.expanded_most == most, f"expanded_most is {result.counters.expanded_most}, not {most}")
    expect(walker.advance(5) is whole.status, "advancing a walk that has ended changes its status")


@check("the same question has the same answer", drawn=True)
def same_question_same_answer(case: Case, draw: Draw) -> None:
    """Another query in between changes nothing."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    pairs = (start, goal), (goal, start), (start, goal)
    first, other, again = (finished(begin(case, grid, *ends)) for ends in pairs)
    expect((first.path, first.counters) == (again.path, again.counters), "the second answer is another")
    expect(other.is_solved == first.is_solved, "one way it arrives, the other way it does not")


@check("watching changes nothing", drawn=True, applies=watches)
def watching_changes_nothing(case: Case, draw: Draw) -> None:
    """With `watch`, the events are the expanded cells, all of which can be reached."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    plain, watched = (finished(begin(case, grid, start, goal, watch=watch)) for watch in (False, True))
    expect(plain.events is None, "there are events without `watch`")
    expect((watched.path, watched.counters) == (plain.path, plain.counters), "watched, the walk is another")
    expect(watched.events is not None, "watched, there are no events")
    assert watched.events is not None
    expect(len(watched.events) == watched.expanded, f"{len(watched.events)} events of {watched.expanded} expansions")
    reached = dijkstra_costs(grid, start)
    expect(all(cell in reached for cell in watched.events.tolist()), "an event is in a cell that cannot be reached")


@check("a walk that starts at its goal is done")
def starts_at_the_goal(case: Case) -> None:
    """It is one cell long, and costs nothing."""
    grid = Grid(np.ones((3, 3)), moves_of(case.entry)[0])
    result = find_path(grid, (1, 1), (1, 1), case.entry, **case.options)
    answer = (result.status, result.path, result.cost, result.expanded)
    expect(answer == (Status.SOLVED, [(1, 1)], 0.0, 0), f"the answer is {answer}")


@check("bad ends are named")
def bad_ends_are_named(case: Case) -> None:
    """A start in a wall, and a goal outside."""
    grid = Grid([[1, 1, 0], [1, 1, 1]], moves=moves_of(case.entry)[0])
    expect_error(BadProblem, "start (2, 0) is in a wall", lambda: find_path(grid, (2, 0), (0, 0), case.entry))
    expect_error(BadProblem, "(0, 2) is outside the 3 x 2 map", lambda: find_path(grid, (0, 0), (0, 2), case.entry))


@check("terrain costs are respected, or refused", needs="COMPLETE")
def terrain_costs_are_respected_or_refused(case: Case) -> None:
    """Walks cost what their cells cost."""
    rng = np.random.default_rng(5)
    grid = Grid(rng.random((14, 14)) > 0.2, _usual(case), costs=rng.uniform(0.5, 20.0, (14, 14)))
    if case.entry.facts.get("TERRAIN") is False:
        expect_error(NotSupported, "terrain", lambda: begin(case, grid, *grid.free_cells[:2]))
        return
    for start, goal in rng.choice(grid.free_cells, (30, 2)).tolist():
        walker = begin(case, grid, start, goal)
        result = finished(walker)
        expect(result.is_solved == (goal in dijkstra_costs(grid, start)), f"it ends as {result.status.value}")
        check_walk(grid, start, goal, result, walker.bound)


@check("works on graphs, or refuses them", needs="COMPLETE")
def works_on_a_graph_or_refuses_it(case: Case) -> None:
    """The graph of a grid is walked as the grid is."""
    rng = np.random.default_rng(3)
    grid = Grid(rng.random((12, 12)) > 0.25, _usual(case))
    graph = Graph.from_grid(grid)
    if case.entry.facts.get("WORLDS") == "grid":
        one, other = graph.names[:2]
        expect_error(NotSupported, "not on graphs", lambda: find_path(graph, one, other, case.entry))
        return
    for start, goal in rng.choice(grid.free_cells, (20, 2)).tolist():
        walker: Any = begin_path(graph, grid.place(start), grid.place(goal), case.entry, **case.options)
        result = finished(walker)
        expect(result.is_solved == (goal in dijkstra_costs(grid, start)), f"it ends as {result.status.value}")
        check_walk(grid, start, goal, result, walker.bound)


def _usual(case: Case) -> str:
    """The move rule of maps that are not drawn."""
    rules = [moves.value for moves in moves_of(case.entry)]
    return "eight" if "eight" in rules else rules[0]


def one_way(edges: list[tuple[int, int, float]], n: int) -> Graph:
    """A graph with the given edges (from, to, cost)."""
    edges = sorted(edges)
    first = np.searchsorted([edge[0] for edge in edges], np.arange(n + 1))
    return Graph(first, [edge[1] for edge in edges], [edge[2] for edge in edges])


def _begun_or_refused(case: Case, graph: Graph, start: int, goal: int, complaint: str) -> Any:
    """A real-time search, or None if it says that it cannot do with what the complaint is about."""
    try:
        return begin_path(graph, start, goal, case.entry, **case.options)
    except NotSupported as error:
        if complaint not in str(error):
            raise
        return None


def on_graphs(case: Case) -> bool:
    """Whether it works on graphs."""
    return case.entry.facts.get("WORLDS") != "grid"


@check("one-way edges are respected, or refused", applies=on_graphs, needs="COMPLETE")
def one_way_edges_are_respected_or_refused(case: Case) -> None:
    """A ring that can be walked one way, with a trap at node 3: from 5 no way leads out."""
    ring = one_way([(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 2.0), (4, 0, 1.0)], 5)
    trap = one_way(
        [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 5.0), (4, 0, 1.0), (3, 5, 1.0), (5, 6, 1.0), (6, 5, 1.0)], 7
    )
    walker = _begun_or_refused(case, ring, 1, 0, "one way")
    if walker is None:
        return
    path = finished(walker).path
    expect(path == [1, 2, 3, 4, 0], f"the walk is {path}")
    result = finished(begin_path(trap, 1, 0, case.entry, **case.options))
    expect(result.status in (Status.SOLVED, Status.GAVE_UP), f"there is a way, and it ends as {result.status.value}")
    expect(result.is_solved or "no way leads from" in result.detail, f"it gives up and says {result.detail!r}")
    lost = finished(begin_path(trap, 5, 0, case.entry, **case.options)).status
    expect(lost in (Status.IMPOSSIBLE, Status.GAVE_UP), f"there is no way, and it ends as {lost.value}")


@check("edges that cost nothing are respected, or refused", applies=on_graphs, needs="COMPLETE")
def edges_that_cost_nothing_are_respected_or_refused(case: Case) -> None:
    """A row of nodes, all but the last step free of cost."""
    edges = [(k, other, 0.0) for k in range(5) for other in (k - 1, k + 1) if 0 <= other < 5]
    walker = _begun_or_refused(case, one_way([*edges, (4, 5, 1.0), (5, 4, 1.0)], 6), 2, 5, "cost nothing")
    if walker is not None:
        result = finished(walker)
        expect((result.status, result.cost) == (Status.SOLVED, 1.0), f"it costs {result.cost}: {result.status.value}")


@check("what is learned never overestimates", drawn=True, applies=learns)
def what_is_learned_never_overestimates(case: Case, draw: Draw) -> None:
    """Checked after each of the first fifty moves."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    walker = begin(case, grid, start, goal)
    for _ in range(50):
        if walker.status.is_final:
            break
        walker.advance(1)
        check_learned(case, walker)


@check(
    "what is learned never overestimates on terrain",
    applies=lambda case: learns(case) and case.entry.facts.get("TERRAIN") is not False,
)
def what_is_learned_never_overestimates_on_terrain(case: Case) -> None:
    """Checked after each of the first sixty moves."""
    rng = np.random.default_rng(8)
    grid = Grid(rng.random((9, 9)) > 0.2, _usual(case), costs=rng.integers(1, 6, (9, 9)))
    for start, goal in rng.choice(grid.free_cells, (4, 2)).tolist():
        walker = begin(case, grid, start, goal)
        for _ in range(60):
            if walker.status.is_final:
                break
            walker.advance(1)
            check_learned(case, walker)


@check("trials end at the optimum", drawn=True, applies=converges)
def trials_end_at_the_optimum(case: Case, draw: Draw) -> None:
    """Repeated walks end at a shortest path."""
    grid, start, goal = query(case, draw, MAX_SIDE)
    best = dijkstra_costs(grid, start).get(goal)
    walks = trials(grid, grid.place(start), grid.place(goal), case.entry, **case.options)
    if best is None:
        answer = (walks.status, walks.converged, walks.path)
        expect(answer == (Status.IMPOSSIBLE, False, None), f"there is no way, and the answer is {answer}")
        return
    expect(walks.converged, "the trials do not converge")
    expect(near(walks.cost, best, NEAR), f"the last walk costs {walks.cost}, and the best {best}")
    expect(min(walks.costs) >= best - NEAR, f"a walk costs {min(walks.costs)}, and the best {best}")
    path: list[Any] = walks.path or []
    total, _ = check_steps(grid, [grid.cell(place) for place in path])
    expect(near(total, walks.cost), f"the walk costs {total}, and the result says {walks.cost}")


@check("trials end at the optimum on maps with depressions", applies=converges)
def trials_end_at_the_optimum_on_maps_with_depressions(case: Case) -> None:
    """A cup of walls, and a random map."""
    rng = np.random.default_rng(2)
    cup = np.ones((15, 15), bool)
    cup[3, 3:12] = cup[11, 3:12] = cup[3:12, 11] = False
    rules = [moves.value for moves in moves_of(case.entry) if moves.value in ("four", "eight")]
    for free, start, goal in [(cup, (7, 7), (14, 7)), (rng.random((20, 20)) > 0.3, None, None)]:
        for rule in rules:
            grid = Grid(free, rule)
            part = grid.components == np.bincount(grid.components[grid.free_cells]).argmax()
            ends = start or grid.place(np.flatnonzero(part)[0]), goal or grid.place(np.flatnonzero(part)[-1])
            walks = trials(grid, *ends, case.entry, **case.options)
            best = dijkstra_costs(grid, grid.cell(ends[0]))[grid.cell(ends[1])]
            expect(walks.converged, "the trials do not converge")
            expect(close(walks.cost, best), f"the last walk costs {walks.cost}, and the best {best}")
            expect(len(walks) == len(walks.expanded) == len(walks.learned), "a trial is not counted")
            expect(all(learned > 0 for learned in walks.learned[:-1]), "a trial before the last has learned nothing")
