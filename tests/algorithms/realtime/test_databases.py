"""Real-time searches that prepare a map: PR LRTA* (groups of cells), D LRTA* (pairs of regions), kNN LRTA* (paths)."""

import json
import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import dijkstra_costs, legal_moves, small_grids, step_cost
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.realtime.d_lrta.budget_tree import learn_tree
from wayfolk.algorithms.trials import trials
from wayfolk.errors import BadInput
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.result import Status
from wayfolk.world.abstraction.cliques import cliques_of
from wayfolk.world.generate import draw_pairs, maze, random_map, rooms, without_islands
from wayfolk.world.grid import Grid, Moves

FRUGAL = [
    ("pr_lrta", {"level": 1, "expansions": 1, "groups": 1}),
    ("pr_lrta", {"level": 9, "expansions": 4}),
    ("d_lrta", {"regions": 3, "expansions": 2}),
    ("d_lrta", {"regions": 1}),
    ("knn_lrta", {"records": 0, "expansions": 1}),
    ("knn_lrta", {"records": 5, "nearest": 2, "cutoff": 2, "expansions": 3}),
]
SMALL = {"d_lrta": {"regions": 30}, "knn_lrta": {"records": 100}}
with_database = pytest.mark.parametrize("name", SMALL)


def finished(agent, most=20_000):
    """The result at the end of the walk, which comes soon on maps as small as these."""
    agent.advance(most)
    assert agent.status.is_final, "it walks for ever"
    return agent.result()


def check_walk(grid, start, goal, result, bound):
    """The walk has legal steps, ends at the goal if it is solved, costs what it says, and planning was bounded."""
    cells = [grid.cell(place) for place in result.path]
    moves = [(one, other) for one, other in pairwise(cells) if one != other]
    assert all(other in legal_moves(grid, one) for one, other in moves)
    assert cells[0] == start
    assert (result.counters.moves, result.counters.waits) == (len(cells) - 1, len(cells) - 1 - len(moves))
    assert result.counters.expanded_most <= bound
    if result.is_solved:
        assert cells[-1] == goal
        assert sum(step_cost(grid, *move) for move in moves) == pytest.approx(result.cost, abs=1e-9)


def cave(seed=0, side=24):
    return without_islands(random_map(side, side, 0.3, seed=seed))


def agent_on(grid, name, **options):
    ends = grid.place(grid.free_cells[0]), grid.place(grid.free_cells[-1])
    return begin_path(grid, *ends, name, **SMALL[name] | options)


@pytest.mark.parametrize(("name", "options"), FRUGAL)
@given(data=st.data())
@settings(max_examples=30)
def test_arrives_with_little_to_go_by(name, options, data):
    grid = data.draw(small_grids(max_side=8, terrain=data.draw(st.booleans()), cliffs=data.draw(st.booleans())))
    start, goal = (data.draw(st.sampled_from(grid.free_cells.tolist())) for _ in range(2))
    agent = begin_path(grid, grid.place(start), grid.place(goal), name, **options)
    result = finished(agent)
    check_walk(grid, start, goal, result, agent.bound)
    assert result.status is (Status.SOLVED if goal in dijkstra_costs(grid, start) else Status.IMPOSSIBLE)


@pytest.mark.parametrize("name", ["pr_lrta", "d_lrta", "knn_lrta"])
@pytest.mark.parametrize("moves", [m.value for m in Moves])
def test_arrives_on_larger_maps_within_its_bound(name, moves):
    rng = np.random.default_rng(1)
    for grid in (maze(31, 31, seed=1, moves=moves), random_map(40, 40, 0.35, seed=2, moves=moves)):
        for start, goal in rng.choice(grid.free_cells, (15, 2)):
            agent = begin_path(grid, grid.place(start), grid.place(goal), name)
            result = finished(agent)
            check_walk(grid, start, goal, result, agent.bound)
            assert result.is_solved == (grid.components[start] == grid.components[goal])


@pytest.mark.parametrize("name", ["pr_lrta", "d_lrta", "knn_lrta"])
def test_a_goal_out_of_reach_costs_nothing(name):
    free = np.ones((20, 20), bool)
    free[:, 10] = False
    result = find_path(Grid(free), (0, 0), (19, 19), name)
    assert (result.status, result.expanded, result.path) == (Status.IMPOSSIBLE, 0, [(0, 0)])


@pytest.mark.parametrize("name", ["pr_lrta", "d_lrta", "knn_lrta"])
def test_travels_less_than_walkers_without_preparation(name):
    """Rooms with narrow doors, where whoever looks ahead a little walks into corners."""
    grid = rooms(48, 48, 8, seed=3)
    starts, goals = draw_pairs(grid, 40, seed=1)[:2]
    mean = {}
    for other in (name, "lrta", "rtaa"):
        mean[other] = np.mean([find_path(grid, *ends, other).cost for ends in zip(starts, goals, strict=True)])
    assert mean[name] < mean["rtaa"] < mean["lrta"]


def test_pr_lrta_is_bounded_by_the_groups_to_cross():
    grid = cave()
    agent = begin_path(grid, grid.place(grid.free_cells[0]), grid.place(grid.free_cells[-1]), "pr_lrta", level=2)
    sizes = np.zeros(0, np.int64)
    for cell in grid.free_cells:
        sizes = np.append(sizes, cliques_of(grid).ancestors(cell)[2])
    assert agent.bound == 16 + 3 * np.bincount(sizes).max()


@pytest.mark.parametrize("name", ["pr_lrta", "d_lrta", "knn_lrta"])
def test_trials_come_to_an_end(name):
    """Not at a cheapest way: what is learned is about groups or subgoals. But the last walk is as good as any."""
    grid = cave(4)
    options = {"pr_lrta": {"expansions": 2}, "d_lrta": {"expansions": 1}, "knn_lrta": {"records": 0, "expansions": 1}}
    series = trials(grid, grid.place(grid.free_cells[0]), grid.place(grid.free_cells[-1]), name, **options[name])
    assert series.converged
    assert len(series) > 1
    assert series.cost <= series.costs[0]


@with_database
def test_a_database_is_built_once_for_a_map_and_not_shared_with_changed_copies(name):
    grid = cave()
    first = agent_on(grid, name).database
    assert agent_on(grid, name).database is first
    assert agent_on(grid, name, seed=1).database is not first
    other = grid.with_blocked([grid.free_cells[5]])
    assert agent_on(other, name).database.made_for != first.made_for


@with_database
def test_the_same_seed_gives_the_same_database(name):
    one, other = (agent_on(cave(), name, seed=3).database for _ in range(2))
    assert one.arrays.keys() == other.arrays.keys()
    assert all((one.arrays[key] == other.arrays[key]).all() for key in one.arrays)


def test_another_seed_gives_other_records():
    one, other = (agent_on(cave(), "knn_lrta", seed=seed).database.arrays["subgoals"] for seed in (0, 1))
    assert not np.array_equal(one, other)


@with_database
def test_a_database_is_saved_and_loaded(name, tmp_path):
    grid = cave()
    built = agent_on(grid, name)
    built.database.save(tmp_path / "some.npz")
    fresh = Grid(grid.free)
    loaded = agent_on(fresh, name, database=str(tmp_path / "some.npz"))
    kept_with = fresh._cache.keys()
    assert not [key for key in kept_with if "database" in key]  # nothing was built
    assert loaded.database.settings == built.database.settings
    assert loaded.database.n_bytes == built.database.n_bytes > 100
    assert loaded.bound == built.bound
    one, other = finished(built), finished(loaded)
    assert (one.path, one.counters) == (other.path, other.counters)


@with_database
def test_a_database_of_another_map_is_refused_by_name(name, tmp_path):
    grid, other = Grid(cave().free, name="cave"), Grid(cave(1).free, name="den")
    agent_on(grid, name).database.save(tmp_path / "cave.npz")
    with pytest.raises(BadInput, match=r"was made for cave of 24 x 24 cells with .*, and this is den of 24 x 24 cells"):
        agent_on(other, name, database=str(tmp_path / "cave.npz"))
    for changed in (grid.with_moves("four"), grid.with_blocked([grid.free_cells[9]]), Grid(grid.free, diagonal=1.42)):
        with pytest.raises(BadInput, match="was made for cave"):
            agent_on(changed, name, database=str(tmp_path / "cave.npz"))


@with_database
def test_a_file_that_is_no_database_is_refused(name, tmp_path):
    grid, file = cave(), tmp_path / "some.npz"
    agent = agent_on(grid, name)
    with pytest.raises(BadInput, match=r"some\.npz: cannot be read: No such file"):
        agent_on(grid, name, database=str(file))
    for content in (b"map of nothing", b"PK\x03\x04 and no more"):
        file.write_bytes(content)
        with pytest.raises(BadInput, match=r"some\.npz: not an archive"):
            agent_on(grid, name, database=str(file))
    np.savez(file, subgoals=np.zeros(3))
    with pytest.raises(BadInput, match="'about' is missing"):
        agent_on(grid, name, database=str(file))
    agent.database.save(file)
    other = next(kind for kind in SMALL if kind != name)
    with pytest.raises(BadInput, match=f"is for '{name}', not for {other}"):
        agent_on(grid, other, database=str(file))
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays["subgoals"] = arrays["subgoals"] + 1
    np.savez(file, **arrays)
    assert json.loads(str(arrays["about"]))["kind"] == name
    with pytest.raises(BadInput, match="is damaged"):
        agent_on(grid, name, database=str(file))


HOSTILE = {
    "knn_lrta": [
        ("subgoals", lambda array: array + 10**8, "100"),
        ("subgoals", lambda array: array * 0 - 1, "holds -1, which is no free cell"),
        ("subgoals", lambda array: array * 0, "holds 0, which is no free cell"),
        ("subgoals", lambda array: array.astype(np.int64), "type int64"),
        ("first", lambda array: array * 10**9, "does not divide"),
        ("first", lambda array: array[::-1], "does not divide"),
        ("first", lambda array: array[:0], "does not divide"),
        ("first", lambda array: array * 0, "does not divide"),
        ("first", lambda array: array[None], "shape"),
    ],
    "d_lrta": [
        ("region", lambda array: array + 10**6, "region"),
        ("region", lambda array: array - 1, "region"),
        ("region", lambda array: array[:10], "not those of"),
        ("subgoals", lambda array: np.where(array == NOWHERE, array, 10**8), "no free cell"),
        ("exits", lambda array: np.where(array == NOWHERE, array, -5), "no free cell"),
        ("exits", lambda array: np.full_like(array, NOWHERE), "do not fit"),
        ("subgoals", lambda array: array[:1, :1], "not those of"),
        ("left", lambda array: array * np.nan, "do not fit"),
        ("fact", lambda array: array + 10**9, "facts"),
        ("fact", lambda array: array - 9, "facts"),
        ("budgets", lambda array: array * 0, "budget"),
        ("limit", lambda array: array[:3], "shape"),
    ],
}


@pytest.mark.parametrize(
    ("name", "array", "change", "words"), [(name, *case) for name, cases in HOSTILE.items() for case in cases]
)
def test_what_kernels_use_as_an_index_is_checked(name, array, change, words, tmp_path):
    """The checksum of a file that was made to do harm is right."""
    grid, file = cave(), tmp_path / "some.npz"
    database = agent_on(grid, name).database
    arrays = database.arrays | {array: change(database.arrays[array])}
    replace(database, arrays=arrays).save(file)
    with pytest.raises(BadInput, match=words) as caught:
        agent_on(grid, name, database=str(file))
    assert str(caught.value).startswith(str(file))


@with_database
@pytest.mark.parametrize(
    "changes", [{"expansions": 0, "cutoff": 0}, {"expansions": 10**9, "cutoff": 10**9}, {"more": 1}]
)
def test_settings_of_a_file_are_within_their_ranges(name, changes, tmp_path):
    database = agent_on(cave(), name).database
    known = {key: value for key, value in changes.items() if key in database.settings or key == "more"}
    replace(database, settings=database.settings | known).save(tmp_path / "some.npz")
    with pytest.raises(BadInput, match=r"some\.npz"):
        agent_on(cave(), name, database=str(tmp_path / "some.npz"))


@with_database
def test_a_database_that_unpacks_to_too_much_is_not_unpacked(name, tmp_path):
    file = tmp_path / "some.npz"
    arrays = {"subgoals": np.zeros(1 << 26, np.int64)}  # 512 MB of zeros
    replace(agent_on(cave(), name).database, arrays=arrays).save(file)
    assert file.stat().st_size < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="unpack to 5"):
            agent_on(cave(), name, database=str(file))
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def climbs(grid, start, target, cutoff):
    """The number of steps to `target` if each leads to the neighbour that looks nearest, None if it does not get there."""
    far = grid.diagonal - 1.0

    def away(cell):
        (x, y), (to_x, to_y) = grid.place(cell), grid.place(target)
        dx, dy = abs(x - to_x), abs(y - to_y)
        return dx + dy if grid.moves is Moves.FOUR else max(dx, dy) + far * min(dx, dy)

    cell = start
    for n in range(cutoff + 1):
        if cell == target:
            return n
        around = legal_moves(grid, cell)
        if target in around:
            cell = target
            continue
        nearer = sorted(
            (c for c in around if away(c) < away(cell) - 1e-9), key=lambda c: list(grid.offsets).index(c - cell)
        )
        if not nearer:
            return None
        best = nearer[0]
        for other in nearer[1:]:
            if step_cost(grid, cell, other) + away(other) < step_cost(grid, cell, best) + away(best) - 1e-9:
                best = other
        cell = best
    return None


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_records_can_be_climbed_from_subgoal_to_subgoal(moves):
    grid = without_islands(random_map(30, 30, 0.3, seed=5, moves=moves))
    arrays = agent_on(grid, "knn_lrta", cutoff=12).database.arrays
    first, subgoals = arrays["first"].tolist(), arrays["subgoals"].tolist()
    assert len(first) == 101
    shorter = 0
    for begin, end in pairwise(first):
        record = subgoals[begin:end]
        assert all(climbs(grid, *pair, 12) is not None for pair in pairwise(record))
        cells = find_path(grid, grid.place(record[0]), grid.place(record[-1])).path
        shorter += len(cells) - len(record)
    assert shorter > 300  # records are far shorter than paths


def test_whoever_follows_a_record_climbs_and_learns_nothing():
    grid = rooms(40, 40, 8, seed=2)
    followed = 0
    for start, goal in np.random.default_rng(2).choice(grid.free_cells, (20, 2)):
        agent = begin_path(grid, grid.place(start), grid.place(goal), "knn_lrta")
        agent.advance(1)
        if not agent.has_record:
            continue
        followed += 1
        before = agent.result().expanded
        result = finished(agent)
        assert result.counters.learned == 0.0
        assert result.expanded - before == result.counters.moves - 1
    assert followed > 10


def test_subgoals_lie_on_the_way_and_lead_nearer():
    grid = cave(2, 16)
    arrays = agent_on(grid, "d_lrta", regions=12).database.arrays
    region, subgoals, left = arrays["region"], arrays["subgoals"], arrays["left"]
    exits, exit_left = arrays["exits"], arrays["exit_left"]
    n = len(subgoals)
    assert 4 < n <= 12
    fields = [dijkstra_costs(grid, int(subgoals[k, k])) for k in range(n)]
    for to, costs in enumerate(fields):
        assert region[subgoals[to, to]] == to
        for start in set(range(n)) - {to}:
            cell, out = int(subgoals[start, to]), int(exits[start, to])
            middle = int(subgoals[start, start])
            assert region[cell] != start != region[out]
            assert left[start, to] == pytest.approx(costs[cell])
            assert fields[start][cell] + costs[cell] == pytest.approx(costs[middle])
            assert exit_left[start, to] == pytest.approx(costs[out])
            inside = [int(c) for c in grid.free_cells if region[c] == start]
            assert any(out in legal_moves(grid, c) for c in inside)
            assert costs[out] < min(costs[c] for c in inside)  # whoever is in the region comes nearer by leaving there


def test_regions_of_parts_that_are_not_connected_have_no_subgoals():
    free = np.ones((8, 9), bool)
    free[:, 4] = False
    arrays = begin_path(Grid(free), (0, 0), (3, 3), "d_lrta", regions=8).database.arrays
    places = Grid(free).places(arrays["subgoals"][arrays["subgoals"] != NOWHERE])
    apart = arrays["subgoals"] == NOWHERE
    assert apart.any()
    assert (apart == np.isinf(arrays["left"])).all()
    assert (places[:, 0] != 4).all()


def test_the_classifier_tells_what_it_can_from_samples():
    budgets = np.array([1, 4, 16, 64])
    rng = np.random.default_rng(0)
    samples = rng.uniform(0, 10, (400, 4))
    classes = np.where(samples[:, 2] > 5, 3, 0)
    tree = learn_tree(samples, classes, budgets)
    said = []
    for facts in samples:
        node = 0
        while node < 7:
            node = 2 * node + (1 if facts[tree["fact"][node]] <= tree["limit"][node] else 2)
        said.append(tree["budgets"][node - 7])
    assert np.mean(said == budgets[classes]) > 0.95
    nothing = learn_tree(samples[:0], classes[:0], budgets)
    assert set(nothing["budgets"].tolist()) <= set(budgets.tolist())


def test_d_lrta_thinks_more_where_doors_have_to_be_found():
    field, house = (agent_on(grid, "d_lrta") for grid in (Grid(np.ones((40, 40))), rooms(40, 40, 8, seed=2)))
    assert field.tree.budgets.max() == 1
    assert house.tree.budgets.max() > 1
