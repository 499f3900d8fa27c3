"""Steps that are given a time: how many agents they plan for, who comes first, and that nobody starves."""

import itertools

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.errors import BadInput
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import THOUGHT
from wayfolk.problem import events
from wayfolk.problem.problem import tasks
from wayfolk.simulation import step_budget
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.step_budget import StepBudget
from wayfolk.world.generate import random_map

GRID = random_map(16, 16, 0.1, seed=1)


@pytest.fixture(autouse=True)
def nothing_is_loaded(monkeypatch):
    """The seconds of loading are real ones, which a clock with readings of its own does not know."""
    monkeypatch.setattr(step_budget, "loading_seconds", lambda first: 0.0)


def paced(name, readings, agents=20, **options):
    """A world whose clock shows `readings`, one after another."""
    world = Simulation(tasks(GRID, agents=agents, seed=1), name, **options)
    world.step_budget.clock = lambda: float(next(readings))
    return world


def n_planned(world):
    return len(set(world.record().agent[world.record().of(THOUGHT)].tolist()))


def test_a_step_plans_for_as_many_agents_as_it_has_time_for():
    budget = StepBudget()
    assert budget._affordable(1.0) == 1
    budget.learn(1, 0.5)
    assert budget._affordable(1.0) == 2
    budget.learn(2, 0.5)  # a quarter of a second each: believed half
    assert budget._affordable(1.5) == 4
    budget.learn(4, 8.0)  # slower at once
    assert budget._affordable(4.0) == 2
    assert budget._affordable(0.1) == 1
    assert budget._affordable(0.0) == budget._affordable(-1.0) == 0


def test_every_agent_is_planned_for_in_its_turn():
    """Each reading of the clock is one second later, so that a step with 1.5 seconds plans for one agent."""
    world = paced("whca", itertools.count())
    for n in range(1, 21):
        world.step(within=1.5)
        assert n_planned(world) == n


def test_controllers_that_plan_for_all_together_are_asked_when_enough_is_saved():
    world = paced("lacam", itertools.count(), agents=6)
    moved = []
    for _ in range(12):
        before = world.places()
        world.step(within=1.5)
        moved.append(bool((world.places() != before).any()))
    assert sum(moved) == 6  # half a second is left in each step, and a plan takes one


def test_with_time_enough_a_limit_changes_nothing():
    free = Simulation(tasks(GRID, agents=20, seed=1), "pibt")
    limited = paced("pibt", itertools.repeat(0.0))  # planning takes no time, as the first step finds out
    limited.step_budget.each = 0.0
    for _ in range(50):
        free.step()
        limited.step(within=0.001)
    assert np.array_equal(free.record().cell, limited.record().cell)


@pytest.mark.parametrize("name", [entry.name for entry in catalogue.entries("controllers")])
def test_doors_and_orders_with_little_time(name):
    world = paced(name, itertools.count())
    rng, starts = np.random.default_rng(3), world.places()
    for k in range(60):
        places = [GRID.place(int(cell)) for cell in rng.choice(GRID.free_cells, 2)]
        if k % 4 == 0:
            world.happen(events.block(world.time, places[:1]))
            world.happen(events.free(world.time + 3, places[:1]))
        if k % 7 == 0:
            agent = int(rng.integers(20))
            if world.grid.is_free(world.grid.cell(places[1])):
                world.happen(events.retask(world.time, agent, places[1]))
        world.step(within=3.5)
    assert check_record(world.record()) == []
    assert world.time == 60
    assert (world.places() != starts).any(1).mean() > 0.5  # no agent is left out for long


@pytest.mark.parametrize("within", [-0.1, float("nan"), "4 ms", True])
def test_within_is_a_number_of_seconds(within):
    with pytest.raises(BadInput, match="within must be a number of seconds, 0 or more"):
        Simulation(tasks(GRID, agents=2), "pibt").step(within=within)
