"""Every file in realtime/ is held to its facts: a new one is tested before its author writes a test."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from reference import dijkstra_costs, is_legal_step, legal_moves, picture, small_grids, step_cost
from wayfolk import catalogue
from wayfolk.convergence import trials
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.graph import Graph
from wayfolk.grid import Grid, Moves
from wayfolk.result import Status
from wayfolk.run import begin_path, find_path

ENTRIES = catalogue.entries("realtime")
NEAR = 1e-6
# options with which agents think so little that they lose their way on a small map; all run with their defaults too
FRUGAL = {
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
    ],
    "tba": [
        {"limit": 5, "share": 0.6, "traces": 1.0},
        {"limit": 4, "share": 0.5, "patient": True},
        {"limit": 6, "share": 0.7, "shortcut": True},
    ],
}
CASES = [(entry, options) for entry in ENTRIES for options in ({}, *FRUGAL.get(entry.name, []))]


def named(case):
    entry, options = case
    return "-".join([entry.name, *(f"{name}={value}" for name, value in options.items())])


def those_with(fact):
    return [case for case in CASES if case[0].facts.get(fact)]


# there is no promise of convergence where an agent avoids what it has learned about, nor of the rule for a depth
CONVERGING = [case for case in those_with("CONVERGES") if not case[1].get("avoid")]
CONSISTENT = [case for case in those_with("CONSISTENT") if not case[1].get("depth")]

every = pytest.mark.parametrize("case", CASES, ids=named)
every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
every_learner = pytest.mark.parametrize("case", those_with("LEARNS"), ids=named)
every_adapting = pytest.mark.parametrize("case", those_with("ADAPTS"), ids=named)
few = settings(max_examples=30)


def moves_of(entry):
    return [Moves.of(name) for name in entry.facts.get("MOVES", [m.value for m in Moves])]


@st.composite
def queries(draw, entry):
    """A small world and two of its free cells."""
    grid = draw(small_grids(moves=draw(st.sampled_from(moves_of(entry))), max_side=8))
    ends = st.sampled_from(grid.free_cells.tolist())
    start, goal = draw(ends), draw(ends)
    note(picture(grid, [start], [goal]))
    return grid, start, goal


def begin(case, grid, start, goal, **more):
    entry, options = case
    return begin_path(grid, grid.place(start), grid.place(goal), entry.name, **options, **more)


def finished(walker, most=20_000):
    """Advance to the end; whoever has not come to one by then never will, on maps as small as these."""
    walker.advance(most)
    assert walker.status.is_final, "it walks for ever"
    return walker.result()


def check_steps(grid, cells):
    """Each step is legal, or none; what they cost, and how many are none."""
    total, waits = 0.0, 0
    for one, other in pairwise(cells):
        if one == other:
            waits += 1
            continue
        (x, y), (to_x, to_y) = grid.place(one), grid.place(other)
        assert is_legal_step(grid, x, y, to_x - x, to_y - y)
        total += step_cost(grid, one, other)
    return total, waits


def check_walk(grid, start, goal, result, bound):
    """The walk is one, costs what the result says, and thinking was bounded."""
    cells = [grid.cell(place) for place in result.path]
    total, waits = check_steps(grid, cells)
    assert cells[0] == start
    assert (result.counters.moves, result.counters.waits) == (len(cells) - 1, waits)
    assert result.counters.expanded_most <= bound
    if result.is_solved:
        assert cells[-1] == goal
        assert goal not in cells[:-1]
        assert total == pytest.approx(result.cost, abs=1e-9)


def check_learned(case, walker):
    """What is known never overestimates and, if that is promised, obeys the triangle rule. `grid` has symmetric costs."""
    grid = walker.world
    true = dijkstra_costs(grid, walker.goal)
    h = {cell: walker.h(cell) for cell in true}
    assert h[walker.goal] == 0.0
    for cell, cost in true.items():
        assert h[cell] <= cost + NEAR, f"{grid.place(cell)}: {h[cell]} is more than {cost}"
    if case in CONSISTENT:
        for cell in true:
            for other in legal_moves(grid, cell):
                assert h[cell] <= step_cost(grid, cell, other) + h[other] + NEAR


@every
@given(data=st.data())
@few
def test_reaches_every_goal_it_can_and_says_so_if_it_cannot(case, data):
    grid, start, goal = data.draw(queries(case[0]))
    before = grid.legal.copy()
    walker = begin(case, grid, start, goal)
    result = finished(walker)
    assert (grid.legal == before).all()
    check_walk(grid, start, goal, result, walker.bound)
    if goal in dijkstra_costs(grid, start):
        assert result.status is Status.SOLVED
    else:
        assert result.status is Status.IMPOSSIBLE
        assert result.cost == float("inf")
        assert result.counters.moves <= 2 * (grid.n_cells + walker.bound)


@every
@given(data=st.data())
@few
def test_thinks_a_bounded_amount_for_each_move_and_can_be_paused(case, data):
    grid, start, goal = data.draw(queries(case[0]))
    whole = finished(begin(case, grid, start, goal))
    walker = begin(case, grid, start, goal)
    expanded, most, moves = 0, 0, 0
    while not walker.status.is_final:
        walker.advance(1)
        result = walker.result()
        most = max(most, result.expanded - expanded)
        assert result.expanded - expanded <= walker.bound
        assert result.counters.moves <= moves + 1
        assert len(result.path) == result.counters.moves + 1
        expanded, moves = result.expanded, result.counters.moves
    result = walker.result()
    assert (result.status, result.path, result.cost) == (whole.status, whole.path, whole.cost)
    assert result.counters == whole.counters
    assert result.counters.expanded_most == most
    assert walker.advance(5) is whole.status  # advancing what has ended changes nothing


@every
@given(data=st.data())
@few
def test_same_question_same_answer(case, data):
    grid, start, goal = data.draw(queries(case[0]))
    first, other, again = (finished(begin(case, grid, *ends)) for ends in ((start, goal), (goal, start), (start, goal)))
    assert (first.path, first.counters) == (again.path, again.counters)
    assert other.is_solved == first.is_solved


@every
@given(data=st.data())
@few
def test_watching_changes_nothing(case, data):
    grid, start, goal = data.draw(queries(case[0]))
    plain, watched = (finished(begin(case, grid, start, goal, watch=watch)) for watch in (False, True))
    assert plain.events is None
    assert (watched.path, watched.counters) == (plain.path, plain.counters)
    assert len(watched.events) == watched.expanded
    reached = dijkstra_costs(grid, start)
    assert all(cell in reached for cell in watched.events.tolist())


@every_entry
def test_starts_at_the_goal(entry):
    result = find_path(Grid(np.ones((3, 3)), moves_of(entry)[0]), (1, 1), (1, 1), entry.name)
    assert (result.status, result.path, result.cost, result.expanded) == (Status.SOLVED, [(1, 1)], 0.0, 0)


@every_entry
def test_bad_ends_are_named(entry):
    grid = Grid([[1, 1, 0], [1, 1, 1]], moves=moves_of(entry)[0])
    with pytest.raises(BadProblem, match=r"start \(2, 0\) is in a wall"):
        find_path(grid, (2, 0), (0, 0), entry.name)
    with pytest.raises(BadProblem, match=r"\(0, 2\) is outside the 3 x 2 map"):
        find_path(grid, (0, 0), (0, 2), entry.name)


@every
def test_terrain_costs_are_respected_or_refused(case):
    entry, _ = case
    rng = np.random.default_rng(5)
    grid = Grid(rng.random((14, 14)) > 0.2, costs=rng.uniform(0.5, 20.0, (14, 14)))
    if entry.facts.get("TERRAIN") is False:
        with pytest.raises(NotSupported, match="terrain"):
            begin(case, grid, *grid.free_cells[:2])
        return
    for start, goal in rng.choice(grid.free_cells, (30, 2)):
        walker = begin(case, grid, start, goal)
        result = finished(walker)
        assert result.is_solved == (goal in dijkstra_costs(grid, start))
        check_walk(grid, start, goal, result, walker.bound)


@every
def test_works_on_a_graph_or_refuses_it(case):
    entry, options = case
    rng = np.random.default_rng(3)
    grid = Grid(rng.random((12, 12)) > 0.25)
    graph = Graph.from_grid(grid)
    if entry.facts.get("WORLDS") == "grid":
        with pytest.raises(NotSupported, match="not on graphs"):
            find_path(graph, *graph.names[:2], entry.name)
        return
    for start, goal in rng.choice(grid.free_cells, (20, 2)):
        walker = begin_path(graph, grid.place(start), grid.place(goal), entry.name, **options)
        result = finished(walker)
        assert result.is_solved == (goal in dijkstra_costs(grid, start))
        check_walk(grid, start, goal, result, walker.bound)


def one_way(edges, n):
    """A graph with the given edges (from, to, cost)."""
    edges = sorted(edges)
    first = np.searchsorted([edge[0] for edge in edges], np.arange(n + 1))
    return Graph(first, [edge[1] for edge in edges], [edge[2] for edge in edges])


def begun_or_refused(case, graph, start, goal, complaint):
    """A walker, or None if it says that it cannot do with what the complaint is about."""
    entry, options = case
    if entry.facts.get("WORLDS") == "grid":
        pytest.skip("works on grids")
    try:
        return begin_path(graph, start, goal, entry.name, **options)
    except NotSupported as error:
        if complaint not in str(error):
            raise
        return None


@every
def test_one_way_edges_are_respected_or_refused(case):
    """A ring that can be walked one way, with a trap at node 3: from 5 no way leads out."""
    entry, options = case
    ring = one_way([(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 2.0), (4, 0, 1.0)], 5)
    trap = one_way(
        [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 5.0), (4, 0, 1.0), (3, 5, 1.0), (5, 6, 1.0), (6, 5, 1.0)], 7
    )
    walker = begun_or_refused(case, ring, 1, 0, "one way")
    if walker is None:
        return
    assert finished(walker).path == [1, 2, 3, 4, 0]
    result = finished(begin_path(trap, 1, 0, entry.name, **options))
    assert result.status in (Status.SOLVED, Status.GAVE_UP)  # there is a way: only it may have missed it
    assert result.is_solved or "no way leads from" in result.detail
    assert finished(begin_path(trap, 5, 0, entry.name, **options)).status in (Status.IMPOSSIBLE, Status.GAVE_UP)


@every
def test_edges_that_cost_nothing_are_respected_or_refused(case):
    edges = [(k, other, 0.0) for k in range(5) for other in (k - 1, k + 1) if 0 <= other < 5]
    walker = begun_or_refused(case, one_way([*edges, (4, 5, 1.0), (5, 4, 1.0)], 6), 2, 5, "cost nothing")
    if walker is None:
        return
    result = finished(walker)
    assert (result.status, result.cost) == (Status.SOLVED, 1.0)


@every_learner
@given(data=st.data())
@few
def test_what_is_learned_never_overestimates(case, data):
    grid, start, goal = data.draw(queries(case[0]))
    walker = begin(case, grid, start, goal)
    for _ in range(50):
        if walker.status.is_final:
            break
        walker.advance(1)
        check_learned(case, walker)


@every_learner
def test_what_is_learned_never_overestimates_on_terrain(case):
    rng = np.random.default_rng(8)
    grid = Grid(rng.random((9, 9)) > 0.2, costs=rng.integers(1, 6, (9, 9)))
    for start, goal in rng.choice(grid.free_cells, (4, 2)):
        walker = begin(case, grid, start, goal)
        while not walker.status.is_final and walker.n_walked < 60:
            walker.advance(1)
            check_learned(case, walker)


@pytest.mark.parametrize("case", CONVERGING, ids=named)
@given(data=st.data())
@few
def test_trials_end_at_the_optimum(case, data):
    grid, start, goal = data.draw(queries(case[0]))
    best = dijkstra_costs(grid, start).get(goal)
    made = trials(grid, grid.place(start), grid.place(goal), case[0].name, **case[1])
    if best is None:
        assert (made.status, made.converged, made.path) == (Status.IMPOSSIBLE, False, None)
        return
    assert made.converged
    assert made.cost == pytest.approx(best, abs=NEAR)
    assert min(made.costs) >= best - NEAR
    total, _ = check_steps(grid, [grid.cell(place) for place in made.path])
    assert total == pytest.approx(made.cost, abs=1e-9)


@pytest.mark.parametrize("case", CONVERGING, ids=named)
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_trials_end_at_the_optimum_on_maps_with_depressions(case, moves):
    rng = np.random.default_rng(2)
    cup = np.ones((15, 15), bool)
    cup[3, 3:12] = cup[11, 3:12] = cup[3:12, 11] = False
    for free, start, goal in [(cup, (7, 7), (14, 7)), (rng.random((20, 20)) > 0.3, None, None)]:
        grid = Grid(free, moves)
        part = grid.components == np.bincount(grid.components[grid.free_cells]).argmax()
        ends = start or grid.place(np.flatnonzero(part)[0]), goal or grid.place(np.flatnonzero(part)[-1])
        made = trials(grid, *ends, case[0].name, **case[1])
        assert made.converged
        assert made.cost == pytest.approx(dijkstra_costs(grid, grid.cell(ends[0]))[grid.cell(ends[1])])
        assert len(made) == len(made.expanded) == len(made.learned)
        assert all(learned > 0 for learned in made.learned[:-1])


@every_adapting
@given(data=st.data())
@few
def test_a_target_that_moves_is_followed(case, data):
    grid, start, goal = data.draw(queries(case[0]))
    cells = st.sampled_from(grid.free_cells.tolist())
    walker = begin(case, grid, start, goal)
    for _ in range(data.draw(st.integers(1, 4))):
        walker.advance(data.draw(st.integers(0, 6)))
        goal = data.draw(cells)
        note(f"now to {grid.place(goal)}")
        walker.aim(grid.place(goal))
        if case[0].facts.get("LEARNS"):
            check_learned(case, walker)
    result = finished(walker)
    assert result.is_solved == (goal in dijkstra_costs(grid, start))
    cells = [grid.cell(place) for place in result.path]
    total, _ = check_steps(grid, cells)
    assert cells[0] == start
    assert result.counters.expanded_most <= walker.bound
    if result.is_solved:
        assert cells[-1] == goal
        assert total == pytest.approx(result.cost, abs=1e-9)


@every_adapting
@given(data=st.data())
@few
def test_a_map_that_changes_is_survived(case, data):
    grid, start, goal = data.draw(queries(case[0]))
    walker = begin(case, grid, start, goal)
    inside = [grid.cell((x, y)) for x in range(grid.width) for y in range(grid.height)]
    travelled, walked = 0.0, 1
    for _ in range(data.draw(st.integers(1, 4))):
        walker.advance(data.draw(st.integers(0, 6)))
        cells = [grid.cell(place) for place in walker.result().path]
        travelled += check_steps(grid, cells[walked - 1 :])[0]
        walked = len(cells)
        changed = data.draw(st.lists(st.sampled_from(inside), max_size=4, unique=True))
        walls = [cell for cell in changed if grid.is_free(cell) and cell not in (walker.here, goal)]
        grid = grid.with_blocked(walls).with_freed([cell for cell in changed if not grid.is_free(cell)])
        note(picture(grid, [walker.here], [goal]))
        walker.change(grid)
        if case[0].facts.get("LEARNS"):
            check_learned(case, walker)
    here = walker.here
    result = finished(walker)
    assert result.is_solved == (goal in dijkstra_costs(grid, here))
    cells = [grid.cell(place) for place in result.path]
    travelled += check_steps(grid, cells[walked - 1 :])[0]
    assert result.counters.expanded_most <= walker.bound
    if result.is_solved:
        assert cells[-1] == goal
        assert travelled == pytest.approx(result.cost, abs=1e-9)


@every_adapting
def test_terrain_that_changes_is_survived(case):
    if case[0].facts.get("TERRAIN") is False:
        pytest.skip("terrain is refused")
    rng = np.random.default_rng(6)
    free = rng.random((12, 12)) > 0.2
    maps = [Grid(free, costs=rng.integers(1, 10, (12, 12)) * scale) for scale in (1, 5, 0.2, 1)]
    start, goal = np.flatnonzero(maps[0].components == np.bincount(maps[0].components[maps[0].free_cells]).argmax())[
        [0, -1]
    ]
    walker = begin(case, maps[0], start, goal)
    for grid in maps[1:]:
        walker.advance(3)
        walker.change(grid)
        if case[0].facts.get("LEARNS"):
            check_learned(case, walker)
    assert finished(walker).is_solved


@every_adapting
def test_a_goal_in_a_wall_is_refused_and_the_walk_goes_on(case):
    grid = Grid([[1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 1]], moves_of(case[0])[0])
    walker = begin(case, grid, grid.cell((0, 2)), grid.cell((4, 0)))
    walker.advance(2)
    with pytest.raises(BadProblem, match=r"the goal \(2, 1\) is in a wall"):
        walker.aim((2, 1))
    with pytest.raises(BadProblem, match=r"\(5, 0\) is outside"):
        walker.aim((5, 0))
    with pytest.raises(BadProblem, match=r"the goal at \(4, 0\) is in a wall of the changed map"):
        walker.change(grid.with_blocked([walker.goal]))
    with pytest.raises(BadProblem, match=r"the agent at .* is in a wall of the changed map"):
        walker.change(grid.with_blocked([walker.here]))
    with pytest.raises(BadInput, match="same size"):
        walker.change(Grid(np.ones((2, 2))))
    if len(moves_of(case[0])) > 1:
        with pytest.raises(BadInput, match="same moves"):
            walker.change(grid.with_moves(moves_of(case[0])[1]))
    result = finished(walker)
    check_walk(grid, grid.cell((0, 2)), grid.cell((4, 0)), result, walker.bound)
    assert result.is_solved


@every_adapting
def test_whoever_has_arrived_can_be_sent_on_while_others_walk(case):
    """Arrays may pass from a walk that has ended to the next one: they must not be shared."""
    grid = Grid(np.random.default_rng(4).random((12, 12)) > 0.2, moves_of(case[0])[0])
    cells = np.flatnonzero(grid.components == np.bincount(grid.components[grid.free_cells]).argmax())
    one = begin(case, grid, cells[0], cells[-1])
    assert finished(one).is_solved
    alone = finished(begin(case, grid, cells[-1], cells[0]))
    other = begin(case, grid, cells[-1], cells[0])
    other.advance(3)
    one.aim(grid.place(cells[0]))
    while not (one.status.is_final and other.status.is_final):
        one.advance(2)
        other.advance(2)
    assert (other.result().path, other.result().counters) == (alone.path, alone.counters)
    back = one.result()
    assert back.is_solved
    assert back.cost == pytest.approx(check_steps(grid, [grid.cell(place) for place in back.path])[0])
    assert (back.path[0], back.path[-1]) == (grid.place(cells[0]),) * 2


@every_adapting
def test_a_target_that_comes_to_the_agent_is_reached(case):
    grid = Grid(np.ones((6, 6)), moves_of(case[0])[0])
    walker = begin(case, grid, grid.cell((0, 0)), grid.cell((5, 5)))
    walker.advance(3)
    walker.aim(grid.place(walker.here))
    result = walker.result()
    assert (result.status, result.path[-1]) == (Status.SOLVED, grid.place(walker.here))
    assert result.cost == pytest.approx(check_steps(grid, [grid.cell(place) for place in result.path])[0])


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("tba", {"limit": 1}, "limit 1 with share 0.9 leaves 0 expansions"),
        ("tba", {"limit": 10, "share": 1.0}, "10 expansions and 0 trace steps"),
        ("tba", {"share": 1.5}, "share must be from 0 to 1, not 1.5"),
        ("tba", {"traces": 0.0}, "traces must be more than 0, not 0.0"),
        ("salient", {"limit": 10, "salient": 10}, "salient must be from 0 to the 9 expansions of a move, not 10"),
        ("salient", {"salient": -1}, "salient must be from 0"),
        ("rtaa", {"expansions": 0}, "expansions must be 1 or more, not 0"),
        ("rtaa", {"moves": -1}, "moves must be 0"),
        ("lss_lrta", {"expansions": -3}, "expansions must be 1 or more, not -3"),
        ("rta", {"depth": 0}, "depth must be 1 or more, not 0"),
        ("lrta", {"depth": -1}, "depth must be 1 or more, not -1"),
        ("lrta_k", {"k": 0}, "k must be 1 or more, not 0"),
        ("lrta_ls_k", {"k": 0}, "k must be 1 or more, not 0"),
        ("p_lrta", {"beta": -1}, "beta must be 0 or more, not -1"),
        ("p_lrta", {"room": 0}, "room must be 1 or more, not 0"),
        ("lrta", {"depth": "deep"}, "option depth must be of type int"),
    ],
)
def test_bad_options_are_named(name, options, complaint):
    with pytest.raises(BadInput, match=complaint):
        begin_path(Grid(np.ones((3, 3))), (0, 0), (2, 2), name, **options)
