"""The direction-map controllers: what they plan with, what they know, what they learn, and how they go around."""

import math

import numpy as np
import pytest

from wayfolk.algorithms.controllers.direction_map import copies as dm_copies
from wayfolk.compile.jit import kernel
from wayfolk.errors import BadInput, BadProblem, UnknownName
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, MOVE, REFUSED, THOUGHT
from wayfolk.problem import events
from wayfolk.problem.papers import paper_problem
from wayfolk.problem.problem import Problem, one_shot, patrol
from wayfolk.problem.record import DISTANCE, STEPS, TURNS
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.generate import random_map
from wayfolk.world.grid import Grid

OPEN = Grid(np.ones((9, 9)))
VARIANTS = [
    {},
    {"weight": 2.0},
    {"alpha_s": 0.3, "around": 2, "fading": 0.5},
    {"rule": "average"},
    {"decay": 0.02},
    {"unvisited": "half"},
    {"window": 4.0},
    {"local": 3.0},
    {"predict": True},
    {"rewards": True},
    {"sector": 5},
    {"sector": 5, "refinement": "full"},
    {"sector": 5, "lanes": "sectors"},
    {"sector": 5, "lanes": "both", "local": 3.0, "weight": 2.0},
    {"controller": "jansen_direction_map"},
    {"controller": "jansen_direction_map", "window": 4.0, "alpha_s": 0.3},
    {"controller": "jansen_direction_map", "local": 3.0, "w_max": 1.0, "weight": 2.0},
    {"controller": "jansen_direction_map", "sector": 5},
    {"controller": "jansen_direction_map", "sector": 5, "refinement": "full"},
]
OURS = {"controller": "direction_map"}
every_variant = pytest.mark.parametrize("options", VARIANTS, ids=lambda options: "-".join(options) or "plain")


def lane(grid, places, vector, **rules):
    """A map with the same vector in all `places`."""
    map_ = DirectionMap(grid, **rules)
    for place in places:
        map_.put(place, vector)
    return map_


def first_route(problem, **options):
    """The places of agent 0's first route, all of it."""
    world = Simulation(problem, "direction_map", **options)
    world.advance(1)
    crew = world.crew
    return [problem.grid.place(cell) for cell in crew.route[0, : crew.answers[0]["n_route"]]]


def laned_cost(map_, start, route, w_max):
    """What a route costs with a map."""
    return sum(map_.edge_cost(a, b, w_max) for a, b in zip([start, *route[:-1]], route, strict=True))


@every_variant
@pytest.mark.parametrize("model", [STEPS, DISTANCE, TURNS])
def test_every_variant_walks_a_patrol_to_its_end(options, model):
    problem = patrol(random_map(16, 16, 0.08, seed=2), agents=8, loops=2, seed=3)
    run = simulate(problem, **OURS | options, model=model, until=2000)
    assert run.status is Status.SOLVED
    assert check_record(run.record) == []
    assert len(run.record.of(ARRIVE)) == 8 * 2 * 2


@every_variant
def test_every_variant_stopped_at_every_tick_gives_the_same_and_survives_events(options):
    grid = parse_ascii("""
        ..........
        .####.###.
        ..........
        .###.####.
        ..........
    """)
    problem = one_shot(grid, [(0, 0), (9, 0), (0, 4), (9, 4)], [(9, 4), (0, 4), (9, 0), (0, 0)])
    happenings = [
        events.retask(4, 0, (5, 2)),
        events.join(6, (0, 2), (9, 2)),
        events.leave(9, 1),
        events.block(13, [(5, 1)]),
        events.free(17, [(1, 1), (2, 1)]),
        events.retask(25, 0, (0, 4)),
    ]
    whole, bits = (Simulation(problem, **OURS | options, events=happenings) for _ in range(2))
    whole.advance(100)
    for _ in range(100):
        bits.advance(1)
    record = whole.record()
    assert check_record(record) == []
    assert np.array_equal(record.cell, bits.record().cell)
    assert grid.cell((0, 4)) in record.cell[record.of(ARRIVE)]


def test_the_shared_map_has_learned_every_move_when_somebody_plans():
    problem = paper_problem("jansen-c", 30, loops=2)
    world = Simulation(problem, "direction_map", model=DISTANCE, alpha_s=0.2)
    world.advance(3000)
    record = world.record()
    rows = np.arange(len(record))
    until = rows <= record.of(THOUGHT)[-1]
    slow, here = DirectionMap(problem.grid, alpha_s=0.2), record.starts.copy()
    for row in record.of(MOVE):
        if until[row]:
            slow.learn(int(here[record.agent[row]]), int(record.cell[row]), record.time[row])
        here[record.agent[row]] = record.cell[row]
    assert until[record.of(MOVE)].sum() > 1000
    assert np.array_equal(world.controller.map.vectors, slow.vectors)


def test_a_path_is_the_cheapest_by_the_costs_of_the_map(tmp_path):
    """Against Dijkstra on explicit edges."""
    import heapq

    rng = np.random.default_rng(1)
    for seed in range(10):
        grid = random_map(12, 12, 0.15, seed=seed)
        cells = grid.free_cells[grid.components[grid.free_cells] == 1]
        map_ = DirectionMap(grid)
        for cell in rng.choice(cells, len(cells) // 2, replace=False):
            angle = rng.uniform(0, 2 * math.pi)
            map_.put(int(cell), (math.cos(angle), math.sin(angle)))
        map_.save(tmp_path / "lanes.npz")
        start, goal = (grid.place(cell) for cell in rng.choice(cells, 2, replace=False))
        route = first_route(one_shot(grid, [start], [goal]), saved=str(tmp_path / "lanes.npz"))
        best, heap = {}, [(0.0, grid.cell(start))]
        while heap:
            g, cell = heapq.heappop(heap)
            if cell in best:
                continue
            best[cell] = g
            for k in range(8):
                if grid.legal[cell] >> k & 1:
                    other = cell + int(grid.offsets[k])
                    heapq.heappush(heap, (g + map_.edge_cost(cell, other, 10), other))
        assert route[-1] == goal
        assert laned_cost(map_, start, route, 10) == pytest.approx(best[grid.cell(goal)])


def test_figure_3_3_a_longer_way_around_opposing_vectors(tmp_path):
    lane(OPEN, [(3, 3), (3, 4), (3, 5), (3, 6)], (0, 1)).save(tmp_path / "down.npz")
    problem = one_shot(OPEN, [(3, 6)], [(3, 3)])
    assert first_route(problem) == [(3, 5), (3, 4), (3, 3)]
    around = first_route(problem, saved=str(tmp_path / "down.npz"))
    assert around[-1] == (3, 3)
    assert not {(3, 5), (3, 4)} & set(around)


def test_a_window_hides_the_map_and_cuts_the_path(tmp_path):
    wide = Grid(np.ones((5, 30)))
    lane(wide, [(x, 2) for x in range(10, 20)], (-1, 0)).save(tmp_path / "left.npz")
    problem = one_shot(wide, [(0, 2)], [(29, 2)])
    saved = str(tmp_path / "left.npz")
    assert any(y != 2 for _, y in first_route(problem, saved=saved))
    assert first_route(problem, saved=saved, window=4.0) == [(x, 2) for x in range(1, 5)]
    assert len(first_route(problem, saved=saved)) == 29


def test_own_copies_hold_what_an_agent_has_passed_and_nothing_else():
    problem = patrol(random_map(24, 24, 0.05, seed=1), agents=6, loops=1, seed=1)
    world = Simulation(problem, "direction_map", local=2.0)
    world.advance(2000)
    assert world.status is Status.SOLVED
    copies, record, grid = world.controller.arrays.copies, world.record(), problem.grid
    known = np.arange(len(record)) <= record.of(THOUGHT)[-1]
    n = int(copies.used[0])
    pairs = {(int(c["agent"]), int(c["cell"])) for c in copies.pool[:n]}
    assert len(pairs) == n
    for agent, cell in pairs:
        been = record.cell[(record.agent == agent) & (record.kind == MOVE)]
        away = grid.places(been) - grid.places(cell)
        assert (away**2).sum(1).min() <= 4
    for agent in range(6):
        been = set(record.cell[(record.agent == agent) & (record.kind == MOVE) & known].tolist())
        assert been <= {cell for who, cell in pairs if who == agent}
    assert n < 6 * len(grid.free_cells)


@kernel
def keep_copy(copies, agent, cell, lanes):
    dm_copies.keep(copies, agent, cell, lanes[0])


def test_a_table_of_copies_grows_and_finds_all_again():
    copies, lanes = dm_copies.new_copies(3, 4), np.zeros(1, dm_copies.COPY)
    keys = [(agent, cell) for agent in range(3) for cell in range(50, 90)]
    for known in (0.5, 1.0):  # the second time, each is found and written again
        for agent, cell in keys:
            if copies.used[0] == len(copies.pool):
                copies = dm_copies.grown(copies)
            lanes["known"] = known
            keep_copy(copies, agent, cell, lanes)
        pool = copies.pool[: copies.used[0]]
        assert pool[["agent", "cell"]].tolist() == keys
        assert (pool["known"] == known).all()


def test_who_predicts_walks_behind_whoever_goes_the_same_way(tmp_path):
    """Figure 5.3: the one in front is no obstacle if the vector there points away."""
    wide = Grid(np.ones((3, 12)))
    problem = one_shot(wide, [(0, 1), (3, 1)], [(11, 1), (10, 1)])
    for vector, is_straight in [((1, 0), True), ((-1, 0), False)]:
        lane(wide, [(3, 1)], vector).save(tmp_path / "lane.npz")
        route = first_route(problem, saved=str(tmp_path / "lane.npz"), predict=True, w_max=0.0)
        assert ((3, 1) in route) is is_straight
    beside = one_shot(wide, [(0, 1), (1, 1)], [(11, 1), (10, 1)])
    lane(wide, [(1, 1)], (1, 0)).save(tmp_path / "lane.npz")
    assert (1, 1) not in first_route(beside, saved=str(tmp_path / "lane.npz"), predict=True, w_max=0.0)


def test_with_rewards_the_map_is_learned_on_arrival_by_how_straight_the_way_was():
    grid = parse_ascii("""
        .....
        .###.
        .....
    """)

    def learned(start, goal, steps):
        cells = grid.cells([start, goal])
        problem = Problem(grid, cells[:1], cells[::-1][None, :], loops=2)
        world = Simulation(problem, "direction_map", rewards=True)
        world.advance(steps)
        return world.controller.map

    assert not learned((0, 0), (4, 0), 4).is_stored.any()
    straight = learned((0, 0), (4, 0), 5)
    assert straight.vectors[grid.cell((1, 0))].tolist() == pytest.approx([0.75, 0])
    assert straight.vectors[grid.cell((0, 0))].tolist() == pytest.approx([0.5, 0])
    # 4 steps to a place 2 away: half of what could be learned
    bent = learned((1, 0), (1, 2), 5)
    assert bent.vectors[grid.cell((1, 0))].tolist() == pytest.approx([-0.25, 0])


def test_sectors_in_part_lead_two_regions_ahead_and_stop_after_60_percent():
    wide = Grid(np.ones((4, 40)))
    problem = one_shot(wide, [(0, 1)], [(39, 1)])
    part = first_route(problem, sector=4)
    assert len(part) == int(0.6 * 8)  # the second next region begins at column 8
    whole = first_route(problem, sector=4, refinement="full")
    assert whole[-1] == (39, 1)
    near = one_shot(wide, [(0, 1)], [(9, 1)])
    assert first_route(near, sector=4)[-1] == (9, 1)  # the goal is in the second next region


def test_a_refused_agent_skips_a_region():
    """Figure 3.13: two agents at the border of their sectors, each on the nearest cell of the other's next region."""
    wide = Grid(np.ones((4, 40)))
    world = Simulation(one_shot(wide, [(3, 1)], [(39, 1)]), "direction_map", sector=4)
    world.crew.agents[0]["refused"] = True
    world.advance(1)
    assert world.crew.answers[0]["n_route"] == int(0.6 * 9)  # to column 12 instead of 8
    facing = one_shot(wide, [(19, 1), (20, 1)], [(39, 1), (0, 1)])
    for refinement in ("full", "partial"):
        run = simulate(facing, "direction_map", sector=4, refinement=refinement, until=200)
        assert run.status is Status.SOLVED


def test_regions_learn_directions_of_their_own():
    wide = Grid(np.ones((4, 24)))
    world = Simulation(one_shot(wide, [(0, 1), (23, 3)], [(20, 1), (22, 3)]), "direction_map", sector=4, lanes="both")
    world.advance(100)
    regions = world.controller.regions_map
    assert regions.vectors[world.controller.sectors.region(wide.cell((9, 1)))].tolist() == pytest.approx([0.75, 0])
    assert not regions.is_stored[world.controller.sectors.region(wide.cell((23, 3)))]


def test_a_walked_diagonal_is_one_collision_for_whoever_would_cross_it():
    square = Grid(np.ones((2, 2)))
    problem = one_shot(square, [(0, 0), (1, 0)], [(1, 1), (0, 1)])
    happening = [events.retask(0.3, 1, (0, 1))]
    run = simulate(problem, "direction_map", model=DISTANCE, events=happening, radius=0.0, until=50)
    assert run.status is Status.SOLVED
    assert len(run.record.of(REFUSED)) <= 2
    assert check_record(run.record) == []


@pytest.mark.parametrize("options", [{}, {"sector": 3}], ids=["plain", "sector"])
@pytest.mark.parametrize("model", [STEPS, DISTANCE])
def test_two_on_each_others_goals_make_room(model, options):
    problem = one_shot(OPEN, [(4, 4), (5, 5)], [(5, 5), (4, 4)])
    assert simulate(problem, "direction_map", model=model, until=60, **options).status is Status.SOLVED


def test_beyond_a_window_unvisited_cells_cost_what_they_always_do():
    problem = one_shot(Grid(np.ones((40, 40))), [(0, 20)], [(39, 20)])
    few, many = (Simulation(problem, "direction_map", unvisited=u, window=3.0) for u in ("free", "half"))
    for world in (few, many):
        world.advance(1)
    spent = [int(world.record().cell[world.record().of(THOUGHT)[0]]) for world in (few, many)]
    assert spent[1] < 4 * spent[0]


def test_lanes_form_and_collisions_become_fewer_than_with_lra():
    """Table 4.5 with fewer loops."""
    problem = paper_problem("jansen-c", 100, loops=5, seed=1)
    laned, plain = (
        simulate(problem, "jansen_direction_map", model=TURNS, w_max=w_max, until=5000).summary() for w_max in (10, 0)
    )
    assert laned["collisions"] < 0.7 * plain["collisions"]
    assert laned["distance"] < plain["distance"]


def test_a_greedy_agent_stays_on_the_map_once_it_has_found_it(tmp_path):
    problem = paper_problem("jansen-b", 40, loops=3, seed=1)
    record = simulate(problem, "direction_map", model=DISTANCE, alpha_s=0.3, until=5000).record
    drawn = DirectionMap(problem.grid, alpha_s=0.3).follow(record)
    drawn.save(tmp_path / "lanes.npz")
    stored = np.flatnonzero(drawn.is_stored)
    start, goal = problem.grid.place(int(stored[0])), problem.grid.place(int(stored[1]))
    world = Simulation(
        Problem(problem.grid, problem.grid.cells([start]), problem.grid.cells([goal, start])[None, :], loops=10**6),
        "greedy_direction_map", saved=str(tmp_path / "lanes.npz"), seed=3,
    )  # fmt: skip
    world.advance(500)
    walk = world.record()
    cells = walk.cell[walk.of(MOVE)]
    assert len(cells) > 450
    assert drawn.is_stored[cells].all()
    assert len(set(cells.tolist())) > 20
    assert (walk.cell[walk.of(THOUGHT)] == 1).all()
    vectors = drawn.vectors[cells[:-1]]
    steps = problem.grid.places(cells[1:]) - problem.grid.places(cells[:-1])
    assert (np.einsum("ij,ij->i", vectors, steps) > 0).mean() > 0.9


def test_without_a_map_a_greedy_agent_walks_at_random_by_its_seed():
    problem = one_shot(OPEN, [(4, 4), (0, 0)], [(8, 8), (8, 0)])
    walks = []
    for seed in (1, 1, 2):
        world = Simulation(problem, "greedy_direction_map", seed=seed)
        world.advance(30)
        walks.append(world.record().cell.tolist())
    assert walks[0] == walks[1] != walks[2]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"w_max": -1.0}, "w_max"),
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 1.1}, "alpha"),
        ({"radius": -1.0}, "radius"),
        ({"weight": -1.0}, "weight"),
        ({"window": 0.5}, "window"),
        ({"local": -3.0}, "local"),
        ({"window": 3.0, "local": 3.0}, "window 3.0 and local 3.0"),
        ({"lanes": "sectors"}, "sector"),
        ({"sector": 1}, "sectors must be from 2"),
        ({"sector": 8, "window": 4.0}, "window"),
        ({"saved": "nowhere.npz"}, "nowhere.npz"),
    ],
)
def test_bad_options_are_named(options, word):
    with pytest.raises(BadInput, match=word):
        Simulation(patrol(OPEN, agents=2), "direction_map", **options)


def test_bad_choices_and_problems_are_named(tmp_path):
    with pytest.raises(UnknownName, match="refinement"):
        Simulation(patrol(OPEN, agents=2), "direction_map", sector=4, refinement="some")
    lane(Grid(np.ones((3, 3))), [(1, 1)], (1, 0)).save(tmp_path / "small.npz")
    with pytest.raises(BadInput, match=r"small\.npz.*another world"):
        Simulation(patrol(OPEN, agents=2), "direction_map", saved=str(tmp_path / "small.npz"))
    with pytest.raises(BadInput, match=r"small\.npz.*another world"):
        Simulation(patrol(OPEN, agents=2), "greedy_direction_map", saved=str(tmp_path / "small.npz"))
    with pytest.raises(BadInput, match="second"):
        Simulation(patrol(OPEN, agents=2), "greedy_direction_map", second=1.5)
    cell = OPEN.cells([(2, 2)])
    with pytest.raises(BadProblem, match=r"agent 0 patrols a single cell, \(2, 2\)"):
        Simulation(Problem(OPEN, cell, np.array([[cell[0], cell[0]]], np.int32), 3), "direction_map")
    split = parse_ascii("..#..")
    with pytest.raises(BadProblem, match="different parts"):
        one_shot(split, [(0, 0)], [(4, 0)])
