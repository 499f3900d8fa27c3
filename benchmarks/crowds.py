"""Crowds: direction maps, BMAA* and FAR with thousands of agents, and PIBT with guidance on endless tasks."""

import time
import tracemalloc

import numpy as np

from wayfolk.check_log import check_record
from wayfolk.formats import read_map
from wayfolk.generate import draw_pairs, thesis_problem
from wayfolk.kernels.far_state import N_UNPLANNED
from wayfolk.metrics import throughput
from wayfolk.problem import one_shot, patrol, tasks
from wayfolk.record import DISTANCE
from wayfolk.run import make_ready
from wayfolk.simulation import Simulation, simulate

GUIDED = (("random-32-32-20", 400), ("warehouse-10-20-10-2-1", 400), ("maze-32-32-4", 400), ("den312d", 1200))
GUIDANCE = ("none", "criss_cross", "directions")
STEPS = 1000
LONG = 2000


def tables(maps):
    yield (
        "Direction maps, a run of Table 4.5",
        "100 agents walk 20 times there and back on thesis map (c), three runs; nanoseconds for each cell expanded, with "
        "the clock and the referee. The limits are 2 s, and 2.5 times LRA*.",
        ["controller", "seconds", "expanded, thousands", "ns a cell", "x lra"],
        list(lanes()),
    )
    yield (
        "A crowd on patrol",
        "2,000 agents on a map of 512 x 512 cells, direction maps with sectors of 16: steps a second from the hundredth "
        "step on, in steps of one cell. The limit is 30.",
        ["map", "options", "steps a second", "ms at the 99th percentile"],
        [crowd(maps, name, weight) for name in ("battleground", "AR0504SR") for weight in (1.0, 2.0)],
    )
    yield (
        "BMAA* and FAR, AR0701SR, 512 x 512",
        "Random starts and goals; milliseconds of a step in which everybody who has to plans and all move, over 300 steps. "
        "The limits: BMAA* with 2,000 agents 33 ms at the 99th percentile; FAR with 1,000 plans for all in 2 s (`first`: "
        "the steps until everybody has a plan, with BMAA* one) and then takes 5 ms a step. Microseconds of a search "
        "are measured where everybody searches in every step, so that moving and the referee are a small part of them; "
        "with at most 32 expansions, the limit is 15.",
        [
            "controller", "agents", "first, ms", "mean, ms", "99th percentile, ms", "largest, ms", "us a search",
            "at goals, %",
        ],
        [
            steps(maps, *who)
            for who in (("bmaa", 2000), ("bmaa_f", 2000), ("bmaa_f_c", 2000), ("far", 1000), ("far", 2000))
        ],
    )  # fmt: skip
    yield (
        "Memory of crowds, lgt300d, 747 x 531",
        f"2,000 agents, {LONG} steps: megabytes of all arrays made since the start, at their peak. The limit is 3,000; a "
        "number for each agent and cell would be that of the last column.",
        ["controller", "peak MB", "cells of tiles, millions", "agents x cells x 4 bytes, MB"],
        [memory(maps, name) for name in ("bmaa", "bmaa_f", "far")],
    )
    yield (
        "PIBT with guidance, endless tasks",
        f"Tasks done a step over {STEPS} steps, four moves, three seeds. `none` is plain PIBT, `criss_cross` has fixed "
        "one-way weights, `directions` learns lanes while agents walk. Published for the first: 5.52, 6.84, and 7.78 with "
        "weights found by optimisation beforehand.",
        ["map", "agents", *GUIDANCE, "directions / none", "directions / criss_cross", "ms a step"],
        [guided(maps, *which) for which in GUIDED],
    )


def lanes():
    per_cell = {}
    for name in ("lra", "direction_map"):
        make_ready(name)
        simulate(thesis_problem("c", agents=4, loops=1), name, model=DISTANCE)
        runs = [
            simulate(thesis_problem("c", agents=100, loops=20, seed=seed), name, model=DISTANCE) for seed in range(3)
        ]
        assert all(check_record(run.record) == [] for run in runs)
        seconds = float(np.median([run.seconds for run in runs]))
        cells = float(np.median([run.expanded.sum() for run in runs]))
        per_cell[name] = seconds / cells * 1e9
        yield [name, seconds, cells / 1e3, per_cell[name], per_cell[name] / per_cell["lra"]]


def crowd(maps, name, weight):
    folder = "single" if name == "battleground" else "bmaa"
    grid = read_map(maps / folder / f"{name}.map")
    make_ready("direction_map")
    world = Simulation(patrol(grid, 2000, 50, seed=1), "direction_map", sector=16, weight=weight)
    world.advance(100)
    laps = lap_times(world, 200)
    return [name, f"weight {weight:g}", len(laps) / sum(laps), np.percentile(laps, 99) * 1e3]


def steps(maps, name, agents):
    grid = read_map(maps / "bmaa" / "AR0701SR.map")
    make_ready(name)
    starts, goals = draw_pairs(grid, agents, seed=1)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    world = Simulation(problem, name)
    world.advance(1)
    while name == "far" and world.brain.mind.job[N_UNPLANNED] > 0:
        world.advance(1)
    first = world.run().seconds
    laps = lap_times(world, 300)
    assert check_record(world.record()) == []
    home = 100.0 * float((world.crew.agents["here"] == world.crew.agents["goal"]).mean())
    shown = (first, np.mean(laps), np.percentile(laps, 99), max(laps))
    return [name, agents, *(1e3 * each for each in shown), "" if name == "far" else search(problem, name), home]


def search(problem, name):
    """Microseconds of a search, if everybody searches in every step."""
    world = Simulation(problem, name, moves=1)
    world.advance(10)
    before = world.result().counters.replans
    laps = lap_times(world, 20)
    return 1e6 * sum(laps) / (world.result().counters.replans - before)


def memory(maps, name):
    grid = read_map(maps / "bmaa" / "lgt300d.map")
    make_ready(name)
    starts, goals = draw_pairs(grid, 2000, seed=1)
    tracemalloc.start()
    world = Simulation(one_shot(grid, grid.places(starts), grid.places(goals)), name)
    world.advance(LONG)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    tiles = getattr(world.brain.mind, "tiles", None)
    learned = "" if tiles is None else 16 * float((tiles.keys > 0).sum()) / 1e6
    return [name, peak, learned, 2000 * grid.n_cells * 4 / 1e6]


def lap_times(world, n):
    laps = []
    for _ in range(n):
        began = time.perf_counter()
        world.advance(1)
        laps.append(time.perf_counter() - began)
    return laps


def guided(maps, name, agents):
    grid = read_map(maps / "mapf" / f"{name}.map", "four")
    found, seconds = [], 0.0
    for guidance in GUIDANCE:
        runs = [simulate(tasks(grid, agents, seed=seed), "pibt", until=STEPS, guidance=guidance) for seed in range(3)]
        assert all(check_record(run.record) == [] for run in runs)
        found.append(float(np.mean([throughput(run.record) for run in runs])))
        seconds = float(np.mean([run.seconds for run in runs]))
    plain, fixed, learned = found
    return [name, agents, *found, learned / plain, learned / fixed, seconds / STEPS * 1e3]
