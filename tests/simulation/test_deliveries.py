"""Deliveries: a pickup, then a dropoff, then the next task; in simulations, scenes and their metrics."""

import numpy as np
import pytest

from wayfolk.errors import BadProblem
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import service
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE
from wayfolk.problem.problem import deliveries, tasks
from wayfolk.problem.record import DISTANCE
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.generate import random_map

PICKUPS = [(1, 1), (1, 3), (1, 5)]
DROPOFFS = [(8, 2), (8, 4)]


def warehouse():
    return random_map(10, 8, 0.0, seed=1, moves="four")


@pytest.mark.plain
def test_agents_visit_pickups_and_dropoffs_in_turn():
    grid = warehouse()
    run = simulate(deliveries(grid, 3, pickups=PICKUPS, dropoffs=DROPOFFS, seed=2), "pibt", until=80)
    assert check_record(run.record) == []
    pools = [set(grid.cells(places).tolist()) for places in (PICKUPS, DROPOFFS)]
    for agent in range(3):
        rows = [row for row in run.record.of(ARRIVE) if run.record.agent[row] == agent]
        assert len(rows) >= 4
        for number, row in enumerate(rows):
            assert int(run.record.cell[row]) in pools[number % 2]


@pytest.mark.plain
def test_one_pickup_and_one_dropoff_are_enough():
    run = simulate(deliveries(warehouse(), 1, pickups=[(0, 0)], dropoffs=[(9, 0)], seed=4), "pibt", until=100)
    start = int(np.abs(warehouse().places(run.record.starts)[0]).sum())
    assert run.service.tasks == (100 - start - 9) // 18 + 1
    assert run.service.times.tolist() == [start + 9.0, *[18.0] * (run.service.tasks - 1)]
    assert run.service.waiting == 0.0
    assert run.summary()["throughput"] == run.service.tasks / 100


@pytest.mark.plain
def test_no_agent_is_given_the_place_where_it_stands():
    grid = warehouse()
    world = Simulation(deliveries(grid, 6, pickups=[(0, 0), (5, 5)], dropoffs=[(5, 5)], seed=3), "pibt")
    for _ in range(60):
        world.advance(1)
        goals = set(world.crew.agents["goal"].tolist())
        assert goals <= set(grid.cells([(0, 0), (5, 5)]).tolist())
    assert world.run().service.tasks > 5


@pytest.mark.parametrize("model", ["steps", DISTANCE])
def test_service_times_add_up_to_the_end_of_the_last_task(model):
    run = simulate(deliveries(random_map(16, 16, 0.1, seed=2), 8, seed=1), "pibt", until=200, model=model)
    served = service(run.record, 2)
    assert served.tasks > 20
    for agent in range(8):
        assert served.times[served.agent == agent].sum() <= 200 + 1.5
        assert (served.times[served.agent == agent] > 0).all()
    assert served.percentile(50) <= served.percentile(90) <= served.percentile(99) <= served.times.max()
    assert 0.0 <= served.waiting < 1.0


@pytest.mark.plain
def test_a_stream_of_goals_is_served_one_place_at_a_time():
    run = simulate(tasks(warehouse(), 2, seed=1), "pibt", until=60)
    assert run.service.tasks == len(run.record.of(ARRIVE))
    assert run.service.throughput == run.summary()["throughput"]


@pytest.mark.plain
def test_bad_deliveries_are_named():
    grid = parse_ascii("""
        ......#.
        ......#.
    """)
    with pytest.raises(BadProblem, match=r"dropoffs hold \(7, 0\)"):
        deliveries(grid, 2, dropoffs=[(7, 0)])
    with pytest.raises(BadProblem, match="not the same place"):
        deliveries(grid, 2, pickups=[(1, 1)], dropoffs=[(1, 1)])
    with pytest.raises(BadProblem, match="pickups"):
        deliveries(grid, 2, pickups=np.zeros((0, 2), int))
