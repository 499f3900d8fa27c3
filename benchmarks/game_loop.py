"""A game's loop: milliseconds of a step at the start and after an hour, and the size of a world whose log is not kept."""

import time

import numpy as np

from wayfolk.problem.problem import tasks
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.generate import random_map

AGENTS = 500
STEPS = 36_000  # an hour of ten steps in a second
PART = 2_000  # steps at the start and at the end that are compared
RECORDS = (False, "last 1000")


def tables(maps):
    yield (
        "A game's loop for an hour",
        f"{AGENTS} agents under BMAA*+ on a random map of 128 x 128 cells, each with a new goal whenever it arrives; "
        f"{STEPS:,} calls of `step`. Milliseconds of a step in the first and in the last {PART:,} steps, and the bytes of "
        "all arrays of the world after them. The limit for the ratio is 1.2, and the log must not grow.",
        [
            "record", "first p50, ms", "first p99, ms", "last p50, ms", "last p99, ms", "last / first", "log at first",
            "log at last",
        ],
        [hour(record) for record in RECORDS],
    )  # fmt: skip


def hour(record, n_steps=STEPS, part=PART):
    """The row of one way to keep the log."""
    grid = random_map(128, 128, 0.1, seed=1)
    world = Simulation(tasks(grid, AGENTS, seed=1), "bmaa_plus", record=record)
    for _ in range(1_200):  # compiles, computes the first heuristics, and fills a log of the last 1,000 steps
        world.step()
    first = timed(world, part)
    log_before = world.world_state.log.rows.nbytes
    for _ in range(n_steps - 2 * part):
        world.step()
    last = timed(world, part)
    assert world.world_state.log.rows.nbytes <= log_before * (1 if record is False else 2)
    ratio = np.median(last) / np.median(first)
    values = (np.percentile(times, share) for times in (first, last) for share in (50, 99))
    return [str(record), *map(float, values), float(ratio), log_before, world.world_state.log.rows.nbytes]


def timed(world, n_steps):
    """The milliseconds of each of the next steps."""
    times = np.empty(n_steps)
    for k in range(n_steps):
        began = time.perf_counter()
        world.step()
        times[k] = (time.perf_counter() - began) * 1e3
    return times
