"""RTAA* and LSS-LRTA*: what the contract tests would meet too seldom."""

import numpy as np
import pytest

from reference import dijkstra_costs
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.kernels import buckets
from wayfolk.world.grid import Grid

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(
    ("seed", "width", "height", "costs", "expansions"),
    [(995149508, 5, 8, lambda rng, shape: rng.integers(10, 14, shape) / 10, 5),
     (850188861, 8, 5, lambda rng, shape: rng.uniform(1, 1.3, shape), 11),
     (388847792, 8, 7, lambda rng, shape: rng.integers(10, 14, shape) / 10, 6)],
)  # fmt: skip
def test_a_cell_that_was_opened_again_is_not_learned_about(seed, width, height, costs, expansions):
    """The budget ends just when a closed cell has been reached more cheaply: it belongs to the rim, not to the inside."""
    rng = np.random.default_rng(seed)
    rng.integers(4, 9, 2), rng.integers(3)  # what drew the size and the kind of map when these were found
    terrain = costs(rng, (height, width))
    grid = Grid(rng.random((height, width)) > 0.2, costs=terrain)
    start, goal = rng.choice(grid.free_cells, 2).tolist()
    true = dijkstra_costs(grid, goal)
    agent = begin_path(grid, grid.place(start), grid.place(goal), "lss_lrta", expansions=expansions)
    while not agent.status.is_final:
        agent.advance(1)
        assert all(agent.h(cell) <= cost + 1e-6 for cell, cost in true.items())


@pytest.mark.parametrize("name", ["rtaa", "lss_lrta"])
def test_a_plan_that_needs_a_longer_queue(name):
    rng = np.random.default_rng(1)
    grid = Grid(np.ones((20, 20)), costs=rng.uniform(1, 9, (20, 20)))
    plain, short = (begin_path(grid, (0, 0), (19, 19), name, expansions=50) for _ in range(2))
    short.ahead = short.ahead._replace(queue=buckets.new_buckets(len(short.ahead.queue.lists), 10))
    short.advance(1)
    assert short.n_walked == 1  # a budget of one move is one move, whatever had to grow
    plain.advance()
    short.advance()
    assert len(short.ahead.queue.entries) > 10
    assert (short.result().path, short.result().counters) == (plain.result().path, plain.result().counters)


def test_avoiding_what_was_learned_leads_out_of_a_depression_sooner():
    free = np.ones((41, 41), bool)
    free[5, 5:35] = free[35, 5:35] = free[5:36, 34] = False
    grid = Grid(free)
    plain, avoiding = (
        find_path(grid, (30, 20), (40, 20), "rtaa", expansions=10, avoid=avoid) for avoid in (False, True)
    )
    assert avoiding.cost < plain.cost
