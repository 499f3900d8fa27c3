"""Streams of tasks: what a step of PIBT costs, and how many tasks controllers do."""

import time

import numpy as np

from wayfolk.files.maps import read_map
from wayfolk.judge.metrics import collisions
from wayfolk.judge.records import check_record
from wayfolk.problem.problem import deliveries, tasks
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate

STEPS = 200
SERVED = (("random-32-32-20", 150), ("warehouse-10-20-10-2-1", 300), ("den312d", 200))
CONTROLLERS = (
    ("pibt", {}),
    ("pibt", {"guidance": "criss_cross"}),
    ("pibt", {"guidance": "directions"}),
    ("whca", {}),
    ("rhcr", {}),
    ("rhcr", {"solver": "ecbs"}),
    ("rhcr", {"solver": "pp"}),
)


def tables(maps):
    yield (
        "A step of PIBT, warehouse-20-40-10-2-2",
        f"Endless tasks, four moves, {STEPS} steps after the first; seconds and milliseconds of CPU time, with the "
        "referee. The first step searches a distance field for each agent. Limits: 5 s for the first step of 10,000 "
        "agents, 10 ms for a later one; 1 ms for a step of 1,000 agents.",
        ["agents", "tasks", "first, s", "mean, ms", "median, ms", "99th percentile, ms", "tasks a step"],
        [
            steps(maps, agents, make)
            for agents, make in ((1000, tasks), (10_000, tasks), (1000, deliveries), (10_000, deliveries))
        ],
    )
    yield (
        "Throughput, endless tasks",
        f"{STEPS} steps, four moves, one seed; `service` is the time of a task, `waiting` the share of time without moves.",
        [
            "map", "agents", "controller", "tasks a step", "service, median", "99th percentile", "waiting, %", "refused",
            "CPU ms a step",
        ],
        [served(maps, *which, *how) for which in SERVED for how in CONTROLLERS],
    )  # fmt: skip


def steps(maps, agents, make):
    grid = read_map(maps / "mapf" / "warehouse-20-40-10-2-2.map", "four")
    Simulation(make(grid, 10, seed=1), "pibt").advance(3)
    world = Simulation(make(grid, agents, seed=1), "pibt")
    first, *laps = (cpu_of(world) for _ in range(STEPS + 1))
    times = 1e3 * np.array(laps)
    rate = world.run().service.throughput
    return [agents, make.__name__, first, times.mean(), np.median(times), np.percentile(times, 99), rate]


def cpu_of(world):
    began = time.process_time()
    world.advance(1)
    return time.process_time() - began


def served(maps, name, agents, controller, options):
    grid = read_map(maps / "mapf" / f"{name}.map", "four")
    simulate(tasks(grid, 4, seed=1), controller, until=3, **options)
    began = time.process_time()
    run = simulate(tasks(grid, agents, seed=1), controller, until=STEPS, **options)
    spent = 1e3 * (time.process_time() - began) / STEPS
    assert check_record(run.record) == []
    service, shown = run.service, " ".join([controller, *map(str, options.values())])
    return [
        name, agents, shown, service.throughput, service.percentile(50), service.percentile(99), 100 * service.waiting,
        collisions(run.record), spent,
    ]  # fmt: skip
