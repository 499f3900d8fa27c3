"""The store of distance fields: its limit holds, the field used least recently leaves, and answers stay the same."""

import numpy as np
import pytest

from reference import steps_from
from wayfolk.algorithms.controllers.pibt import fields as guided_fields
from wayfolk.errors import BadInput
from wayfolk.kernels import field_store, rra
from wayfolk.problem.problem import tasks
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.generate import random_map

TINY = 1  # bytes: the store has room for one field, as it always has


def store_of(world):
    """The store of a controller's distance fields."""
    arrays = world.controller.rolling if world.algorithm == "rhcr" else world.controller.arrays
    if world.algorithm == "pibt":
        return arrays.push.fields.store
    while not hasattr(arrays, "searches"):
        arrays = arrays.window
    return arrays.searches.store


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pibt", {}),
        ("pibt", {"guidance": "criss_cross"}),
        ("pibt", {"model": "distance"}),
        ("whca", {}),
        ("co_whca", {}),
        ("cpra", {}),
        ("rwt", {}),
        ("rhcr", {}),
    ],
)
def test_agents_move_the_same_with_a_tiny_store(name, options):
    problem = tasks(random_map(16, 16, 0.1, seed=4), agents=30, seed=2)
    ample, tiny = (Simulation(problem, name, memory=memory, **options) for memory in (None, TINY))
    for world in (ample, tiny):
        world.advance(60)
    assert store_of(ample).counts[field_store.LOST] == 0
    assert store_of(tiny).counts[field_store.LOST] > 0
    assert field_store.held_bytes(store_of(tiny)) <= field_store.limit_of(store_of(tiny))
    assert np.array_equal(ample.places(), tiny.places())


@pytest.mark.parametrize("name", ["pibt", "whca"])
def test_memory_does_not_grow_with_the_number_of_tasks(name, monkeypatch):
    monkeypatch.setattr(guided_fields, "KEPT_CELLS", 0)
    grid = random_map(64, 64, 0.1, seed=4)
    world = Simulation(tasks(grid, agents=40, seed=2), name, record=False)
    world.advance(200)
    early, whole = field_store.held_bytes(store_of(world)), 40 * grid.n_cells
    world.advance(1000)  # hundreds of goals, which agents together have had everywhere
    assert field_store.held_bytes(store_of(world)) < 2 * early
    assert field_store.held_bytes(store_of(world)) < 4 * whole  # an array of 32 bits for each agent takes as much


@pytest.mark.plain
def test_the_search_that_was_used_least_recently_leaves_first():
    grid = random_map(40, 40, 0.0)
    goals = [grid.cell((x, 20)) for x in (1, 20, 38)]
    search = rra.new_rra(grid, 3, 1, 1, memory=TINY)
    fields, start = search.store.fields, grid.cell((0, 0))
    for agent in (0, 1):
        rra.aim(search, agent, goals[agent], start)
        rra.distance(search, agent, start)
    rra.aim(search, 0, goals[0], start)  # used again
    search.store.counts[field_store.FRESH] = len(search.store.after)  # as if all blocks were taken
    rra.aim(search, 2, goals[2], start)
    assert rra.distance(search, 2, start) == steps_from(grid, goals[2])[start]
    assert (fields["chain"] != 0).tolist() == [True, False, True]
    assert rra.distance(search, 1, start) == steps_from(grid, goals[1])[start]


@pytest.mark.parametrize("memory", [0, -1, 1.5, True, "1 GB"])
def test_memory_is_a_number_of_bytes(memory):
    with pytest.raises(BadInput, match="memory must be a whole number of bytes above 0"):
        Simulation(tasks(random_map(8, 8, 0.0), agents=2), "pibt", memory=memory)
