"""Direction maps as Jansen's simulator had them: what its agents plan with, what they learn, and how A* counts."""

import heapq
import math

import numpy as np
import pytest

from wayfolk.errors import BadInput
from wayfolk.experiments.papers.jansen.regions import regions_of
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import MOVE, REFUSED, THOUGHT
from wayfolk.problem.papers import paper_map
from wayfolk.problem.problem import one_shot, patrol, patrol_between
from wayfolk.problem.record import TURNS
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.generate import random_map
from wayfolk.world.grid import Grid

OPEN = Grid(np.ones((9, 9)))


def begin(problem, **options):
    return Simulation(problem, "jansen_direction_map", model=TURNS, **options)


def first_route(problem, **options):
    """The places of agent 0's first route, and how many nodes it expanded."""
    world = begin(problem, **options)
    world.advance(1)
    crew, record = world.crew, world.record()
    route = [problem.grid.place(cell) for cell in crew.route[0, : crew.answers[0]["n_route"]]]
    return route, int(record.cell[record.of(THOUGHT)][record.agent[record.of(THOUGHT)] == 0].sum())


def plain_a_star(grid, start, goal, weight):
    """The cost of a path and the nodes expanded, by the words of the text; ties beyond f and g are left open."""

    def octile(cell):
        (x, y), (u, v) = grid.place(cell), grid.place(goal)
        dx, dy = abs(x - u), abs(y - v)
        return max(dx, dy) + (math.sqrt(2) - 1) * min(dx, dy)

    costs, closed, queue = {start: 0.0}, set(), [(0, 0, start)]
    while queue:
        cell = heapq.heappop(queue)[-1]
        if cell in closed:
            continue
        closed.add(cell)
        if cell == goal:
            return costs[goal], len(closed)
        for k in range(8):
            there = cell + int(grid.offsets[k])
            if grid.legal[cell] >> k & 1 and there not in closed:
                cost = costs[cell] + grid.lengths[k]
                if cost < costs.get(there, math.inf) - 1e-9:
                    costs[there] = cost
                    heapq.heappush(queue, (round((cost + weight * octile(there)) * 1e5), -round(cost * 1e5), there))
    return math.inf, len(closed)


@pytest.mark.plain
@pytest.mark.parametrize("weight", [1.0, 3.0])
def test_a_star_finds_what_a_plain_one_finds_and_expands_about_as_much(weight):
    expanded = np.zeros(2)
    for seed in range(12):
        grid = random_map(14, 14, 0.25, seed=seed)
        cells = grid.free_cells[grid.components[grid.free_cells] == 1]
        start, goal = int(cells[0]), int(cells[-1])
        route, spent = first_route(one_shot(grid, [grid.place(start)], [grid.place(goal)]), w_max=0, weight=weight)
        cost, plain = plain_a_star(grid, start, goal, weight)
        steps = np.diff([grid.place(start), *route], axis=0)
        if weight == 1.0:
            assert np.hypot(*steps.T).sum() == pytest.approx(cost)
        expanded += spent, plain
    assert expanded[0] == pytest.approx(expanded[1], rel=0.1)


@pytest.mark.plain
def test_the_expansion_of_the_goal_counts():
    assert first_route(one_shot(OPEN, [(0, 0)], [(3, 0)]), w_max=0) == ([(1, 0), (2, 0), (3, 0)], 4)


@pytest.mark.plain
@pytest.mark.parametrize(("radius", "sees"), [(2.0, False), (2.01, True), (3.0, True)])
def test_others_are_walls_if_they_are_nearer_than_the_radius(radius, sees):
    corridor = parse_ascii("......\n.####.\n......")
    problem = one_shot(corridor, [(0, 0), (2, 0)], [(5, 0), (2, 2)])
    route, _ = first_route(problem, w_max=0, radius=radius)
    assert ((2, 0) not in route) == sees


@pytest.mark.plain
def test_beside_an_occupied_goal_an_agent_steps_at_random_without_planning():
    problem = one_shot(OPEN, [(4, 4), (5, 4)], [(5, 4), (5, 4)])
    seen = set()
    for seed in range(30):
        world = begin(problem, w_max=0, seed=seed)
        world.advance(1)
        record = world.record()
        assert not (record.agent[record.of(THOUGHT)] == 0).any()
        first = np.flatnonzero(np.isin(record.kind, (MOVE, REFUSED)))[0]
        seen.add(OPEN.place(int(record.cell[first])))
        assert (record.kind[first] == REFUSED) == (seen == {(5, 4)} or OPEN.place(int(record.cell[first])) == (5, 4))
    assert len(seen) == 8


@pytest.mark.plain
def test_an_unvisited_cell_costs_half_once_the_search_comes_from_one_with_an_entry(tmp_path):
    strip = parse_ascii(".........")
    map_ = DirectionMap(strip, rule="simulator")
    map_.put((0, 0), (1.0, 0.0))
    map_.save(tmp_path / "map.npz")
    problem = one_shot(strip, [(0, 0)], [(8, 0)])
    world = begin(problem, saved=str(tmp_path / "map.npz"), w_max=10.0)
    world.advance(1)
    assert (world.controller.map.lanes.cells["known"][strip.free_cells] == 1.0).all()
    empty = begin(problem, w_max=10.0)
    empty.advance(1)
    assert (empty.controller.map.lanes.cells["known"] == 0.0).all(), "steps out of cells without entries are free"
    free = begin(problem, w_max=10.0, saved=str(tmp_path / "map.npz"), unvisited="free")
    free.advance(1)
    assert free.controller.map.lanes.cells["known"].sum() == 1.0


@pytest.mark.plain
def test_the_simulator_lets_the_cell_entered_learn_twice():
    map_ = DirectionMap(OPEN, 0.5, rule="simulator")
    map_.learn((0, 0), (1, 0))
    assert tuple(map_.vectors[OPEN.cell((1, 0))]) == (0.5, 0.0), "the cell left had no vector"
    assert not map_.is_stored[OPEN.cell((0, 0))]
    map_.learn((1, 0), (1, 1))
    assert tuple(map_.vectors[OPEN.cell((1, 1))]) == (0.0, 0.75)
    assert tuple(map_.vectors[OPEN.cell((1, 0))]) == (0.5, 0.0)
    map_.learn((0, 0), (1, 0))
    assert tuple(map_.vectors[OPEN.cell((1, 0))]) == (0.5, 0.0), "forgotten, and learned once"


@pytest.mark.plain
def test_with_its_surroundings_the_cell_entered_learns_once_and_the_one_left_with_the_rest():
    map_ = DirectionMap(OPEN, 0.5, alpha_s=0.2, rule="simulator")
    map_.learn((3, 3), (4, 3))
    assert tuple(map_.vectors[OPEN.cell((4, 3))]) == (0.5, 0.0)
    around = [(3, 2), (4, 2), (5, 2), (3, 3), (5, 3), (3, 4), (4, 4), (5, 4)]
    assert all(tuple(map_.vectors[OPEN.cell(place)]) == (0.2, 0.0) for place in around)
    assert map_.is_stored.sum() == 9


@pytest.mark.plain
def test_surroundings_of_the_simulator_do_not_reach_around_corners():
    ring = parse_ascii("...\n.#.\n...")
    stored = {}
    for rule in ("simulator", "text"):
        map_ = DirectionMap(ring, 0.5, alpha_s=0.2, rule=rule)
        map_.learn((0, 0), (0, 1))
        stored[rule] = {ring.place(cell) for cell in ring.free_cells[map_.is_stored[ring.free_cells]]}
    assert stored["simulator"] == {(0, 0), (0, 1), (0, 2)}
    assert stored["text"] == stored["simulator"] | {(1, 0), (1, 2)}


@pytest.mark.plain
def test_a_path_ends_at_the_edge_of_the_window():
    route, _ = first_route(one_shot(OPEN, [(0, 0)], [(8, 0)]), window=3.0)
    assert route == [(1, 0), (2, 0), (3, 0)]


@pytest.mark.plain
def test_an_agent_copies_the_vectors_around_it_before_it_acts():
    ends = OPEN.cells([(0, 0), (0, 8)]), OPEN.cells([(8, 0), (8, 8)])
    world = begin(patrol_between(OPEN, *ends, loops=2), local=2.0)
    world.advance(10)  # both have turned round, and planned
    own = world.controller.arrays.own
    walked = OPEN.cells([(3, 0), (4, 0), (5, 0)])
    assert (own[0]["x"][walked] > 0.0).all()
    assert (own[1]["known"][walked] == 0.0).all(), "agent 1 has not been near"
    assert own[0]["known"][OPEN.cell((4, 2))] == 1.0, "a cell without a vector is copied as (0, 0)"


@pytest.mark.plain
def test_regions_lie_at_their_first_cell_and_under_their_mean():
    grid = Grid(np.ones((8, 8)))
    regions = regions_of(grid, 4)
    assert [grid.place(cell) for cell in regions.corner] == [(0, 0), (4, 0), (0, 4), (4, 4)]
    assert [grid.place(cell) for cell in regions.centre] == [(1, 1), (6, 1), (1, 6), (6, 6)]  # 1.5 and 5.5, times 9 / 8
    assert regions.target[: regions.first[1]].tolist() == [1, 2, 3]
    assert regions.cost[: regions.first[1]].tolist() == pytest.approx([4.0, 4.0, 4.0 * math.sqrt(2)])


@pytest.mark.plain
def test_each_part_of_a_refined_path_sees_the_agents_around_its_beginning():
    problem = one_shot(Grid(np.ones((3, 24))), [(0, 1), (13, 1)], [(23, 1), (13, 1)])
    whole, _ = first_route(problem, radius=4.0)
    parts, _ = first_route(problem, radius=4.0, sector=4, refinement="full")
    assert (13, 1) in whole, "too far away to be seen from the start"
    assert (13, 1) not in parts
    assert parts[-1] == (23, 1)


@pytest.mark.plain
def test_a_refined_path_ends_where_its_parts_find_no_way():
    problem = one_shot(parse_ascii("." * 24), [(0, 0), (13, 0)], [(23, 0), (13, 0)])
    route, _ = first_route(problem, radius=4.0, sector=4, refinement="full")
    assert route == [(x, 0) for x in range(1, 13)]


@pytest.mark.parametrize("refinement", ["full", "partial"])
def test_a_path_over_regions_is_refined(refinement):
    problem = one_shot(Grid(np.ones((20, 20))), [(0, 0)], [(19, 19)])
    route, _ = first_route(problem, sector=5, refinement=refinement)
    if refinement == "full":
        assert route[-1] == (19, 19)
    else:
        assert 3 <= len(route) < 12
    run = simulate(problem, "jansen_direction_map", model=TURNS, sector=5, refinement=refinement, until=200)
    assert run.status is Status.SOLVED
    assert check_record(run.record) == []


@pytest.mark.plain
def test_a_window_and_sectors_are_refused():
    problem = patrol(OPEN, agents=2, loops=1)
    with pytest.raises(BadInput, match="cannot be used with sectors"):
        begin(problem, window=3.0, sector=3)


def test_a_run_on_map_d_is_near_what_is_printed(jansen):
    """Table 4.4, 20 agents: 650 nodes, 110.9 cells and 0.37 collisions for an agent and a loop, 3,523 units of time."""
    runs = [
        simulate(
            paper_map("jansen-d").problem(20, file=jansen / "scen" / f"Map4_L10_R10_{number}.txt"),
            "jansen_direction_map", model=TURNS, w_max=2.0, seed=number,
        ).summary()
        for number in range(1, 9)
    ]  # fmt: skip
    means = {name: np.mean([run[name] for run in runs]) for name in ("expanded", "time", "distance", "collisions")}
    assert means["expanded"] == pytest.approx(649.66, rel=0.1)
    assert means["time"] == pytest.approx(3522.51, rel=0.06)
    assert means["distance"] == pytest.approx(110.88, rel=0.05)
    assert means["collisions"] == pytest.approx(0.37, rel=0.3)
