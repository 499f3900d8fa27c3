"""Steps in which many agents plan are divided: a deadline ends them after a slice, and what is decided is the same."""

import numpy as np
import pytest

from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.kernels.crew import TICK
from wayfolk.kernels.planning import SLICE
from wayfolk.problem.events import block, retask
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import solve
from wayfolk.simulation.world_file import read_world
from wayfolk.world.generate import draw_pairs, random_map, without_islands

CONTROLLERS = ["whca", "co_whca", "rhcr", "lra", "direction_map", "jansen_direction_map"]
ENOUGH = 1 << 15  # expansions of the window of one agent


@pytest.fixture(scope="module")
def large():
    """60 agents that cross a map of 100,000 cells with many dead ends: their first step takes several slices."""
    grid = without_islands(random_map(400, 400, 0.36, seed=3, moves="four"))
    return one_shot(grid, *(grid.places(cells) for cells in draw_pairs(grid, 60, seed=1)))


def expansions(world):
    """The expansions so far, those of the step that is under way among them."""
    controller = world.controller
    if world.algorithm == "rhcr":
        return int(controller.expanded.sum())
    more = (
        controller.arrays.states["spent"].sum() if world.algorithm == "co_whca" and not world.crew.counts[TICK] else 0
    )
    return int(world.result().counters.expanded + more)


def paused(problem, controller, slices):
    """A world whose first step has been advanced by some slices, as if the deadline had come after each."""
    world = Simulation(problem, controller)
    for _ in range(slices):
        world.until = 0.0
        world.advance(1)
        world.until = np.inf
        assert world.unspent == 1
    assert world.crew.counts[TICK] == 0
    return world


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_step_ends_after_a_slice_if_its_time_is_over(controller, large):
    world = Simulation(large, controller)
    n_slices = 0
    while world.crew.counts[TICK] == 0:
        before = expansions(world)
        world.until = 0.0
        world.advance(1)
        n_slices += 1
        assert expansions(world) - before <= SLICE + len(large.grid.free_cells) + ENOUGH
    assert n_slices > 4


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_pauses_change_nothing(controller, large):
    whole, sliced = Simulation(large, controller), Simulation(large, controller)
    whole.advance(30)
    while sliced.crew.counts[TICK] < 30:
        sliced.until = 0.0
        sliced.advance(30 - int(sliced.crew.counts[TICK]))
    for name in ("time", "agent", "kind", "cell"):
        assert np.array_equal(getattr(whole.record(), name), getattr(sliced.record(), name))


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_what_happens_during_a_pause_is_heeded(controller, large):
    world = paused(large, controller, 3)
    ahead = large.grid.places(large.starts[:1] + 1)[0]
    if large.grid.is_free(large.starts[0] + 1):
        world.happen(block(0.0, [tuple(map(int, ahead))]))
    world.happen(retask(0.0, 1, tuple(map(int, large.grid.places(large.goals[5:6])[0]))))
    world.advance(40)
    assert world.crew.agents["goal"][1] == large.goals[5]
    assert world.time == 40.0
    here = world.crew.agents["here"]
    assert len(np.unique(here)) == len(here)
    assert (here != large.starts).mean() > 0.9


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_world_saved_during_a_pause_goes_on_with_the_same_moves(controller, large, tmp_path):
    world = paused(large, controller, 3)
    world.save(tmp_path / "world.npz")
    restored = read_world(tmp_path / "world.npz")
    for _ in range(20):
        world.step()
        restored.step()
        assert np.array_equal(world.crew.agents["here"], restored.crew.agents["here"])


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_deadline_within_the_first_step_leaves_the_starts(controller, large, monkeypatch):
    from wayfolk.algorithms import task as tasks
    from wayfolk.simulation import simulation

    solve(large, controller, steps=1)  # compiles
    ticks = iter(range(1_000_000))

    class Clock:
        perf_counter = staticmethod(lambda: float(next(ticks)))

    monkeypatch.setattr(tasks, "perf_counter", Clock.perf_counter)
    monkeypatch.setattr(simulation, "time", Clock)
    result = solve(large, controller, seconds=30.0)
    assert result.status is Status.PARTIAL
    assert result.plan.n_steps < 12
    assert np.array_equal(result.plan.cells[0], large.starts)


@pytest.mark.parametrize("controller", ["whca", "co_whca", "rhcr"])
def test_a_pause_in_a_crowd_changes_nothing_either(controller, movingai):
    folder = movingai / "mapf"
    grid = read_map(folder / "random-32-32-20.map", "four")
    problem = read_scen(folder / "random-32-32-20-random-1.scen", grid, 150)
    worlds = [Simulation(problem, controller) for _ in range(2)]
    n_slices = 0
    worlds[0].advance(40)
    while worlds[1].crew.counts[TICK] < 40:
        worlds[1].until = 0.0
        worlds[1].advance(40 - int(worlds[1].crew.counts[TICK]))
        n_slices += 1
    assert n_slices >= 40
    assert np.array_equal(worlds[0].record().cell, worlds[1].record().cell)
