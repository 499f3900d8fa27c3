"""A walker: every plan is the best on the map it believes in, and it goes where it may."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from reference import is_legal_step, picture, shortest_cost, small_grids, step_cost
from wayfolk import walk
from wayfolk.algorithms.paths import find_path
from wayfolk.algorithms.walk import Walker
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.problem.result import Status
from wayfolk.world import generate
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

REPAIRING = ["anytime_d_star", "d_star", "d_star_lite", "focussed_d_star", "lpa"]
every = pytest.mark.parametrize("name", [*REPAIRING, "astar"])


def follow(walker):
    """Advance to the end by single units; each plan is compared with A* from scratch on the map believed in then."""
    planned, steps = 0, 0
    while True:
        believed, here = walker.belief.world, walker.here
        status = walker.advance(1)
        if len(walker.plans) > planned:
            planned += 1
            best = find_path(believed, believed.place(here), believed.place(walker.goal))
            assert len(walker.plans) == planned
            assert walker.plans[-1].cost == pytest.approx(best.cost, rel=1e-12) or walker.plans[-1].cost == best.cost
        if len(walker.walked) > steps + 1:
            steps += 1
            check_step(walker, here, walker.here, believed)
        if status.is_final:
            return walker.result()


def check_step(walker, here, now, believed):
    """A step that is possible on the map of the agent, and in the world."""
    if isinstance(believed, Grid):
        (x, y), (to_x, to_y) = believed.place(here), believed.place(now)
        assert is_legal_step(believed, x, y, to_x - x, to_y - y)


def random_changes(world, rng, steps):
    """Doors that close and open all over the map."""
    result = []
    for step in range(0, steps, 3):
        cells = rng.choice(np.arange(world.width * world.height), 6)
        places = [(int(c % world.width), int(c // world.width)) for c in cells]
        result.append((step, places[:3], places[3:]))
    return result


@every
@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_every_plan_is_the_best_on_the_map_it_believes_in(name, moves):
    rng = np.random.default_rng(4)
    arrived = 0
    for seed in range(6):
        costs = rng.uniform(1.0, 4.0, (20, 24)) if seed % 2 else None
        real = Grid(generate.random_map(24, 20, 0.3, seed=seed).free, moves, costs=costs)
        start, goal = (real.place(cell) for cell in rng.choice(real.free_cells, 2))
        sight = float(rng.integers(0, 6))
        result = follow(Walker(real, start, goal, name, sight=sight, changes=random_changes(real, rng, 60)))
        arrived += result.is_solved
        assert result.counters.replans == len(result.plans) - 1
        assert result.expanded == sum(plan.expanded for plan in result.plans)
        assert result.is_solved == (result.path[-1] == goal)
    assert arrived >= 2


@every
@given(data=st.data())
def test_a_world_that_stands_still_is_walked_to_the_goal_if_there_is_a_way(name, data):
    real = data.draw(small_grids())
    cells = st.sampled_from(real.free_cells.tolist())
    start, goal = data.draw(cells), data.draw(cells)
    note(picture(real, [start], [goal]))
    result = walk(real, real.place(start), real.place(goal), name, sight=data.draw(st.sampled_from([0, 1.5, 3])))
    best = shortest_cost(real, start, goal)
    assert result.status is (Status.SOLVED if best < np.inf else Status.IMPOSSIBLE)
    total = 0.0
    for one, other in pairwise(result.path):
        assert is_legal_step(real, *one, other[0] - one[0], other[1] - one[1])
        total += step_cost(real, real.cell(one), real.cell(other))
    assert result.cost == pytest.approx(total)
    if result.is_solved:
        assert result.cost >= best - 1e-9
        seen = walk(real, real.place(start), real.place(goal), name, sight=np.inf)
        assert seen.cost == pytest.approx(best)
        assert seen.counters.replans == 0


@every
def test_in_one_go_is_the_same_as_in_slices(name):
    real = generate.random_map(24, 24, 0.25, seed=3)
    ends = real.place(real.free_cells[0]), real.place(real.free_cells[-1])
    whole, slices = walk(real, *ends, name, sight=3), Walker(real, *ends, name, sight=3)
    spent = 0
    while not slices.advance(5).is_final:
        result = slices.result()
        assert result.expanded + len(result.path) - 1 <= spent + 5
        spent = result.expanded + len(result.path) - 1
    result = slices.result()
    assert (result.status, result.path, result.plans) == (whole.status, whole.path, whole.plans)


CORRIDOR = Grid([[1, 1, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1, 1]], "four")


@every
def test_finds_a_new_wall_when_it_sees_it(name):
    wall = [(0, [(5, 0)], [])]
    result = walk(CORRIDOR, (0, 0), (6, 0), name, sight=2, known=CORRIDOR, changes=wall)
    assert result.path == [(x, 0) for x in range(4)] + [(x, 0) for x in (2, 1, 0)] + [(0, 1)] + [
        (x, 2) for x in range(7)
    ] + [(6, 1), (6, 0)]
    assert result.cost == 3 + 3 + 2 + 6 + 2
    assert [(plan.step, plan.place, plan.learned, plan.cost) for plan in result.plans] == [
        (0, (0, 0), 0, 6.0),
        (3, (3, 0), 1, 13.0),
    ]
    assert result.counters.replans == 1


@every
def test_a_cell_is_not_blocked_under_the_agent(name):
    result = walk(CORRIDOR, (0, 0), (6, 0), name, known=CORRIDOR, changes=[(2, [(2, 0), (1, 0)], [])])
    assert result.path == [(x, 0) for x in range(7)]


@every
def test_ends_where_there_is_no_way(name):
    shut = [(2, [(5, 0), (3, 2)], [])]
    result = walk(CORRIDOR, (0, 0), (6, 0), name, known=CORRIDOR, changes=shut)
    assert result.status is Status.IMPOSSIBLE
    assert result.path[:3] == [(0, 0), (1, 0), (2, 0)]
    assert result.detail == "there is no way on the agent's map"
    result = walk(CORRIDOR, (0, 0), (6, 0), name, known=CORRIDOR, changes=[(1, [(6, 0)], [])])  # the goal itself
    assert result.status is Status.IMPOSSIBLE
    wrong = CORRIDOR.with_blocked([CORRIDOR.cell((5, 0)), CORRIDOR.cell((5, 2))])
    result = walk(CORRIDOR, (0, 0), (6, 0), name, known=wrong, sight=1)
    assert result.status is Status.GAVE_UP
    assert result.detail.endswith("takes 2 free cells to be blocked")


@every
def test_starts_at_the_goal(name):
    result = walk(CORRIDOR, (3, 0), (3, 0), name)
    assert (result.status, result.path, result.cost, result.plans) == (Status.SOLVED, [(3, 0)], 0.0, [])


@every
def test_learns_the_terrain_of_an_old_map(name):
    cheap = np.ones((5, 9))
    dear = cheap.copy()
    dear[1:4, 4] = 50.0
    real, known = Grid(np.ones((5, 9)), costs=dear), Grid(np.ones((5, 9)), costs=cheap)
    result = follow(Walker(real, (0, 2), (8, 2), name, known=known, sight=2))
    assert result.is_solved
    assert result.cost < 20
    assert result.plans[0].cost == 8.0
    assert result.plans[-1].cost > 5.0


@every
def test_walks_on_graphs_whose_nodes_close_and_whose_edges_cost_other_than_known(name):
    rng = np.random.default_rng(8)
    grid = Grid(rng.random((9, 9)) > 0.2)
    real = Graph.from_grid(grid)
    n_edges = len(real.graph.target)
    known = Graph(
        real.graph.first, real.graph.target, real.graph.weight * rng.uniform(1.0, 2.0, n_edges), real.positions, real.names
    )  # fmt: skip
    arrived = 0
    for _ in range(6):
        start, goal = (real.names[k] for k in rng.integers(0, real.n_cells, 2))
        doors = [real.names[k] for k in rng.integers(0, real.n_cells, 8)]
        changes = [(0, doors[:4], []), (4, doors[4:], doors[:2])]
        result = follow(Walker(real, start, goal, name, known=known, sight=1, changes=changes))
        arrived += result.is_solved
        for one, other in pairwise(result.path):
            assert is_legal_step(grid, *one, other[0] - one[0], other[1] - one[1])
    assert arrived >= 2


def test_mistakes_are_named():
    ends = (0, 0), (6, 0)
    with pytest.raises(BadProblem, match=r"the start \(1, 1\) is in a wall"):
        walk(CORRIDOR, (1, 1), (6, 0))
    with pytest.raises(BadInput, match="sight must be 0 or more"):
        walk(CORRIDOR, *ends, sight=-1)
    with pytest.raises(BadInput, match="before step 0"):
        walk(CORRIDOR, *ends, changes=[(-1, [], [])])
    with pytest.raises(BadProblem, match=r"\(9, 9\) is outside"):
        walk(CORRIDOR, *ends, changes=[(1, [(9, 9)], [])])
    for other, words in [
        (Grid(np.ones((3, 6)), "four"), "same width"),
        (CORRIDOR.with_moves("eight"), "same moves"),
        (Grid(np.ones((3, 7)), "four", costs=np.ones((3, 7))), "terrain"),
        (Grid(np.ones((3, 7)), "four", links=np.zeros((3, 7))), "cliffs"),
        (Graph.from_grid(CORRIDOR), "same kind"),
    ]:
        with pytest.raises(BadInput, match=words):
            walk(CORRIDOR, *ends, known=other)
    graph = Graph.from_grid(CORRIDOR)
    with pytest.raises(BadInput, match="same nodes and edges"):
        walk(graph, *ends, known=Graph.from_grid(CORRIDOR.with_freed([CORRIDOR.cell((1, 1))])))


def test_a_search_at_any_angle_is_refused():
    with pytest.raises(NotSupported, match="theta goes at any angle"):
        walk(CORRIDOR.with_moves("eight"), (0, 0), (6, 0), "theta")


@pytest.mark.parametrize("name", ["bfs", "dijkstra", "hpa", "jps", "jps_plus", "pra"])
def test_whoever_plans_from_cell_to_cell_can_lead_a_walker(name):
    real = generate.without_islands(generate.random_map(32, 32, 0.25, seed=6))
    result = walk(real, real.place(real.free_cells[0]), real.place(real.free_cells[-1]), name, sight=4)
    assert result.is_solved
    for one, other in pairwise(result.path):
        assert is_legal_step(real, *one, other[0] - one[0], other[1] - one[1])
