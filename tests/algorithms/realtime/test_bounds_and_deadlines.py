"""Options of real-time searches and planners: their bounds, and that whatever is within them obeys a deadline."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import dijkstra_costs, small_grids
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.realtime import _agent
from wayfolk.errors import BadInput, WayfolkError
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import solve
from wayfolk.world.generate import random_map, without_islands
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

ENTRIES = catalogue.entries("realtime") + catalogue.entries("planners")
NUMERIC = [
    (entry, option)
    for entry in ENTRIES
    for option in entry.options
    if option.type in ("int", "float")
    and (entry.family, option.name) != ("planners", "seed")  # `solve` checks that one
]
HUGE = [2**63, -(2**63), 10**20, "99999999999999999999", "inf", "-inf", "nan", math.inf, -math.inf, math.nan]
# values within their bounds that do not fit the defaults of other options
MISFITS = {
    *((name, option, 1e-6) for name in ("tba", "salient") for option in ("share", "traces")),
    *(("salient", "limit", value) for value in (2, 3)),
    *(("salient", "salient", value) for value in (99_999, 100_000)),
}
DEADLINE = 0.3
SLACK = 60.0  # seconds; a busy machine may be slow, but not as slow as a search that ignores its deadline
# options with which a move takes a large amount of planning
LAVISH = [
    ("rta", {"depth": 1_000}),
    ("lrta", {"depth": 1_000}),
    ("lrta_k", {"k": 1_000_000}),
    ("lrta_ls_k", {"k": 100_000}),
    ("p_lrta", {"beta": 10_000, "room": 1_000}),
    ("rtaa", {"expansions": 1_000_000}),
    ("rtaa", {"expansions": 1_000_000, "moves": 1, "avoid": True}),
    ("lss_lrta", {"expansions": 1_000_000, "moves": 1}),
    ("tba", {"limit": 100_000, "shortcut": True}),
    ("salient", {"limit": 100_000, "salient": 50_000, "traces": 1_000_000}),
    ("pr_lrta", {"level": 32, "expansions": 100_000, "groups": 1_000}),
]
# options with which the plan for one move is made in many small pieces
SLICED = [
    ("lrta", {}), ("lrta", {"depth": 4}), ("rta", {"depth": 1}), ("rta", {"depth": 4}), ("lrta_k", {"k": 5}),
    ("lrta_ls_k", {"k": 6}), ("p_lrta", {"beta": 4, "room": 5}), ("rtaa", {"expansions": 9}),
    ("rtaa", {"expansions": 7, "moves": 1, "avoid": True}), ("lss_lrta", {"expansions": 11}),
    ("lss_lrta", {"expansions": 6, "moves": 2}), ("tba", {"limit": 8, "shortcut": True}), ("salient", {"limit": 12}),
    ("pr_lrta", {"level": 1, "expansions": 3}), ("d_lrta", {"regions": 4, "expansions": 8}),
    ("knn_lrta", {"records": 5, "expansions": 4}),
]  # fmt: skip


def named(pair):
    return f"{pair[0].name}-{pair[1].name}"


def cave(side=24, seed=3):
    return without_islands(random_map(side, side, 0.3, seed=seed))


def ends_of(grid):
    return grid.place(grid.free_cells[0]), grid.place(grid.free_cells[-1])


def run(entry, **options):
    """The result of a short run with a short deadline."""
    grid = cave()
    if entry.family == "planners":
        places = grid.places(grid.free_cells[[0, 5, 40, -1]])
        return solve(one_shot(grid, places, places[::-1]), entry.name, seconds=DEADLINE, **options)
    return find_path(grid, *ends_of(grid), entry.name, seconds=DEADLINE, **options)


def test_every_number_has_bounds_and_every_option_a_meaning():
    assert [named(pair) for pair in NUMERIC if pair[1].range is None] == []
    assert [named(pair) for pair in NUMERIC if None in (pair[1].range.least, pair[1].range.most)] == []
    assert [(e.name, o.name) for e in ENTRIES for o in e.options if not o.meaning.endswith(".")] == []


@pytest.mark.parametrize(("entry", "option"), NUMERIC, ids=[named(pair) for pair in NUMERIC])
def test_beyond_its_bounds_an_option_is_refused_in_one_sentence(entry, option):
    least, most = option.range.least, option.range.most
    step = 1 if option.type == "int" else 1e-6 * max(1.0, abs(most))
    for value in [least - step, most + step, *HUGE]:
        with pytest.raises(BadInput) as caught:
            run(entry, **{option.name: value})
        words = str(caught.value)
        assert f"{option.name} must be " in words
        assert "\n" not in words


@pytest.mark.parametrize(("entry", "option"), NUMERIC, ids=[named(pair) for pair in NUMERIC])
def test_at_its_bounds_an_option_works_and_obeys_the_deadline(entry, option):
    run(entry)  # compiles
    near = 1 if option.type == "int" else 1e-6
    for value in (option.range.least, option.range.least + near, option.range.most - near, option.range.most):
        if not option.range.holds(value):
            continue
        began = time.perf_counter()
        if (entry.name, option.name, value) in MISFITS:
            with pytest.raises(BadInput, match=option.name):
                run(entry, **{option.name: value})
        else:
            ends = [Status.SOLVED, Status.OUT_OF_TIME, Status.GAVE_UP]
            if entry.name == "mapp":  # it moves the slidable agents and names the others
                ends.append(Status.PARTIAL)
            assert run(entry, **{option.name: value}).status in ends
        assert time.perf_counter() - began < DEADLINE + SLACK


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("tba", {"limit": 2, "share": 0.4}, r"limit 2, share 0.4 and traces 10.0 leave 0 expansions"),
        ("tba", {"limit": 10, "share": 0.99, "traces": 0.5}, "9 expansions and 0 trace steps"),
        ("tba", {"share": 1.5}, "share must be above 0 and below 1, not 1.5"),
        (
            "salient",
            {"limit": 10, "salient": 10},
            "salient must be at most the 9 expansions that limit 10 and share 0.9 leave, not 10",
        ),
        ("lrta", {"depth": "deep"}, "option depth must be of type int"),
        ("lrta", {"depth": True}, "option depth must be of type int"),
        ("rtaa", {"expansions": 2.5}, "option expansions must be of type int"),
    ],
)
def test_options_that_do_not_fit_together_are_named(name, options, complaint):
    with pytest.raises(BadInput, match=complaint):
        begin_path(Grid(np.ones((3, 3))), (0, 0), (2, 2), name, **options)


def test_terrain_that_asks_for_too_much_memory_is_refused():
    grid = Grid(np.ones((300, 300)), costs=np.where(np.arange(300) % 2, 1.0, 1e6)[None, :].repeat(300, 0))
    with pytest.raises(WayfolkError, match=r"at most \d+ cells can be learned about at once, not 50,000"):
        begin_path(grid, (0, 0), (9, 9), "lss_lrta", expansions=50_000)


@pytest.fixture(scope="module")
def large():
    """A large map with many dead ends."""
    return without_islands(random_map(700, 700, 0.35, seed=1))


@pytest.mark.parametrize(("name", "options"), LAVISH, ids=str)
def test_large_plans_obey_the_deadline_and_can_be_interrupted(name, options, large):
    find_path(cave(), *ends_of(cave()), name, steps=3)  # compiles
    task = begin_path(large, *ends_of(large), name, **options)
    task.until = 0.0  # as if the deadline had come: it returns at the next opportunity, as it does for Ctrl-C
    task.advance(1_000)
    assert task.result().expanded <= _agent.WORK_AT_ONCE + task.unbroken
    began = time.perf_counter()
    result = find_path(large, *ends_of(large), name, seconds=0.3, **options)
    assert result.status in (Status.SOLVED, Status.OUT_OF_TIME)
    assert time.perf_counter() - began < 0.3 + SLACK


@pytest.mark.plain
@pytest.mark.parametrize(("name", "options"), SLICED, ids=str)
def test_a_plan_made_in_pieces_is_the_same_plan(name, options, monkeypatch):
    for seed in range(4):
        grid = cave(side=12, seed=seed)
        outcomes = []
        for work in (1 << 16, 1, 3):
            monkeypatch.setattr(_agent, "WORK_AT_ONCE", work)
            task = begin_path(grid, *ends_of(grid), name, watch=True, **options)
            task.advance(20_000)
            result = task.result()
            outcomes.append((result.status, result.path, result.counters, result.events.tolist()))
        assert outcomes[0][0] is Status.SOLVED
        assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize(
    ("name", "options"), [case for case in SLICED if case[0] not in ("d_lrta", "knn_lrta")], ids=str
)
def test_a_plan_made_in_pieces_is_the_same_on_graphs_and_terrain(name, options, monkeypatch):
    rng = np.random.default_rng(4)
    grid = Grid(rng.random((12, 12)) > 0.2, costs=rng.integers(1, 9, (12, 12)))
    part = np.flatnonzero(grid.components == np.bincount(grid.components[grid.free_cells]).argmax())
    ends = grid.place(part[0]), grid.place(part[-1])
    worlds = [grid]
    if catalogue.find(name).facts.get("WORLDS") != "grid":
        worlds.append(Graph.from_grid(grid))
    for world in worlds:
        outcomes = []
        for work in (1 << 16, 1):
            monkeypatch.setattr(_agent, "WORK_AT_ONCE", work)
            result = find_path(world, *ends, name, **options)
            outcomes.append((result.status, result.path, result.cost, result.counters))
        assert outcomes[0][0] is Status.SOLVED
        assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(("name", "options"), [("rta", {"depth": 6}), ("lss_lrta", {"expansions": 200})], ids=str)
def test_a_limit_of_steps_is_exact_whatever_a_step_takes(name, options, monkeypatch):
    monkeypatch.setattr(_agent, "WORK_AT_ONCE", 2)
    grid = cave()
    result = find_path(grid, *ends_of(grid), name, steps=7, **options)
    assert (result.status, result.counters.moves, len(result.path)) == (Status.OUT_OF_BUDGET, 7, 8)


@pytest.mark.plain
@pytest.mark.parametrize(("name", "options"), SLICED, ids=str)
@given(data=st.data())
@settings(max_examples=25)
def test_goals_and_maps_may_change_in_the_middle_of_a_plan(name, options, data):
    grid = data.draw(small_grids(max_side=8))
    cells = st.sampled_from(grid.free_cells.tolist())
    start, goal = data.draw(cells), data.draw(cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_agent, "WORK_AT_ONCE", 1)
        task = begin_path(grid, grid.place(start), grid.place(goal), name, **options)
        for _ in range(data.draw(st.integers(1, 3))):
            task.until = 0.0
            for _ in range(data.draw(st.integers(0, 5))):
                task.advance(5)
            if data.draw(st.booleans()):
                goal = data.draw(cells)
                if grid.is_free(goal):
                    task.aim(grid.place(goal))
            else:
                wall = data.draw(cells)
                if wall not in (task.here, task.goal) and grid.is_free(wall):
                    grid = grid.with_blocked([wall])
                    task.change(grid)
        task.until = math.inf
        here, goal = task.here, task.goal
        task.advance(20_000)
    assert task.status is (Status.SOLVED if goal in dijkstra_costs(grid, here) else Status.IMPOSSIBLE)
