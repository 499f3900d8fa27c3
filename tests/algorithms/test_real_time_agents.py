"""Many agents in one call: each walks as if it were alone."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.kernels import buckets


def ends_in(grid, n, seed=0):
    """Pairs of cells with a way between them."""
    part = np.flatnonzero(grid.components == np.bincount(grid.components[grid.free_cells]).argmax())
    return np.random.default_rng(seed).choice(part, (2, n)).astype(np.int32)


@pytest.mark.parametrize("options", [{}, {"expansions": 5}, {"expansions": 7, "moves": 1}], ids=str)
@pytest.mark.parametrize("threads", [1, 3])
def test_everyone_walks_as_if_alone(options, threads):
    grid = wf.Grid(np.random.default_rng(3).random((40, 40)) > 0.3)
    starts, goals = ends_in(grid, 400)
    herd = wf.RealTimeAgents(grid, starts, goals, threads=threads, **options)
    assert len(herd) == 400
    assert (herd.here == starts).all()
    while herd.advance(100):
        pass
    assert herd.has_arrived.all()
    assert (herd.here == goals).all()
    for k in range(0, 400, 10):
        alone = wf.find_path(grid, grid.place(starts[k]), grid.place(goals[k]), "rtaa", **options)
        assert herd.travelled[k] == pytest.approx(alone.cost, abs=1e-9)
        assert (herd.steps[k], herd.expanded[k]) == (alone.counters.moves, alone.expanded)


def test_in_rounds_is_the_same_as_at_once():
    grid = wf.Grid(np.random.default_rng(4).random((30, 30)) > 0.3, "four")
    starts, goals = ends_in(grid, 200)
    one, other = (wf.RealTimeAgents(grid, grid.places(starts), grid.places(goals), expansions=6) for _ in range(2))
    one.advance(25)
    left = [other.advance() for _ in range(25)]
    assert left == sorted(left, reverse=True)
    assert (one.agents == other.agents).all()
    assert one.n_walking == left[-1]
    assert repr(one) == f"RealTimeAgents(200 agents, {left[-1]} on the way)"


def test_arrays_grow_when_they_are_full():
    """One agent in a large cup has to learn about more cells than there is room for; its plans need a longer queue."""
    free = np.ones((40, 40), bool)
    free[5, 5:35] = free[34, 5:35] = free[5:35, 34] = False
    grid = wf.Grid(free)
    herd = wf.RealTimeAgents(grid, [(30, 20)], [(39, 20)], expansions=8)
    (part,) = herd._parts
    part.ahead = part.ahead._replace(queue=buckets.new_buckets(len(part.ahead.queue.lists), 10))
    room = len(part.table)
    while herd.advance(50):
        pass
    assert len(part.table) > room
    assert len(part.ahead.queue.entries) > 10
    alone = wf.find_path(grid, (30, 20), (39, 20), "rtaa", expansions=8)
    assert (herd.steps[0], herd.expanded[0]) == (alone.counters.moves, alone.expanded)


def test_whoever_is_at_the_goal_stays_there():
    grid = wf.Grid(np.ones((4, 4)))
    herd = wf.RealTimeAgents(grid, [(0, 0), (1, 1)], [(3, 3), (1, 1)])
    assert herd.has_arrived.tolist() == [False, True]
    assert herd.advance(10) == 0
    assert grid.places(herd.here).tolist() == [[3, 3], [1, 1]]
    assert herd.steps.tolist() == [3, 0]


def test_nobody_is_no_problem():
    assert wf.RealTimeAgents(wf.Grid(np.ones((4, 4))), [], []).advance(3) == 0


def test_mistakes_are_named():
    grid = wf.Grid([[1, 1, 0, 1], [1, 1, 0, 1]])
    with pytest.raises(BadProblem, match=r"agent 1 cannot get from \(0, 1\) to \(3, 1\): there is no way") as caught:
        wf.RealTimeAgents(grid, [(0, 0), (0, 1), (0, 0)], [(1, 1), (3, 1), (3, 0)])
    assert caught.value.agent == 1
    with pytest.raises(BadProblem, match=r"the goal \(2, 0\) is in a wall"):
        wf.RealTimeAgents(grid, [(0, 0)], [(2, 0)])
    with pytest.raises(BadInput, match="2 starts do not fit 1 goals"):
        wf.RealTimeAgents(grid, [(0, 0), (0, 1)], [(1, 1)])
    with pytest.raises(BadInput, match="expansions must be from 1 to 10,000, not 0"):
        wf.RealTimeAgents(grid, [(0, 0)], [(1, 1)], expansions=0)
    with pytest.raises(BadInput, match="moves must be 0 or more, not -1"):
        wf.RealTimeAgents(grid, [(0, 0)], [(1, 1)], moves=-1)
    with pytest.raises(BadInput, match="threads must be 1 or more, not 0"):
        wf.RealTimeAgents(grid, [(0, 0)], [(1, 1)], threads=0)
    with pytest.raises(NotSupported, match="not on graphs"):
        wf.RealTimeAgents(wf.Graph.from_grid(grid), [(0, 0)], [(1, 1)])
