"""Crowds: direction maps, BMAA* and FAR with thousands of agents, and PIBT with guidance on endless tasks."""

import time
import tracemalloc

import numpy as np

from wayfolk.algorithms.controllers.far.state import N_UNPLANNED
from wayfolk.algorithms.paths import find_path
from wayfolk.files.maps import read_map
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import NOBODY
from wayfolk.problem import events
from wayfolk.problem.papers import paper_problem
from wayfolk.problem.problem import one_shot, patrol, tasks
from wayfolk.problem.record import DISTANCE
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import make_ready, simulate
from wayfolk.world.generate import draw_pairs

GUIDED = (("random-32-32-20", 400), ("warehouse-10-20-10-2-1", 400), ("maze-32-32-4", 400), ("den312d", 1200))
GUIDANCE = ("none", "criss_cross", "directions")
STEPS = 1000
LONG = 2000
LISTENERS = ("lra", "whca", "co_whca", "cpra", "rwt", "pibt", "bmaa", "bmaa_f", "far", "a_star_replan", "direction_map")
AFTER = 16  # steps after an event that are looked at


def tables(maps):
    yield (
        "Direction maps, a run of Table 4.5",
        "100 agents walk 20 times there and back on the map jansen-c, three runs; nanoseconds for each cell expanded, "
        "with the clock and the referee. The limits are 2 s, and 2.5 times LRA*.",
        ["controller", "seconds", "expanded, thousands", "ns a cell", "x lra"],
        list(lanes()),
    )
    yield (
        "A crowd on patrol",
        "2,000 agents on a map of 512 x 512 cells, direction maps with sectors of 16, time model `steps`: steps in a "
        "second, from the hundredth step on. The limit is 30.",
        ["map", "options", "steps a second", "ms at the 99th percentile"],
        [crowd(maps, name, weight) for name in ("battleground", "AR0504SR") for weight in (1.0, 2.0)],
    )
    yield (
        "BMAA* and FAR, AR0701SR, 512 x 512",
        "Random starts and goals; milliseconds of a step (all planning and moving), over 300 steps. `first` is the "
        "time until every agent has a plan; with BMAA* that is one step. Limits: 33 ms at the 99th percentile for "
        "BMAA* with 2,000 agents; for FAR with 1,000 agents, 2 s for `first` and then 5 ms for a step. Microseconds of "
        "a search are measured where all agents search in every step, so that moving and the referee are a small part "
        "of them; with at most 32 expansions, the limit is 15.",
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
        "Events, AR0701SR, 512 x 512",
        "Random starts and goals; `plain` is the mean of 64 steps from the twentieth on. Then, four times in turn, an "
        "agent gets another goal, one leaves, one joins, and three cells on the path of an agent are blocked and "
        f"freed: milliseconds of the step with the event (median), and of the slowest of the {AFTER} steps after the "
        "cells changed. The limit for an event is five plain steps.",
        [
            "controller", "agents", "plain, ms", "goal, ms", "leave, ms", "join, ms", "block, ms", "free, ms",
            "largest after, ms", "largest plain, ms", "x plain",
        ],
        [happenings(maps, name, agents) for agents in (500, 2000) for name in LISTENERS],
    )  # fmt: skip
    yield (
        "Memory of crowds, lgt300d, 747 x 531",
        f"2,000 agents, {LONG} steps: peak megabytes of all arrays that the run allocates. The limit is 3,000. The "
        "last column is what one number for each agent and cell would take.",
        ["controller", "peak MB", "cells of tiles, millions", "agents x cells x 4 bytes, MB"],
        [memory(maps, name) for name in ("bmaa", "bmaa_f", "far")],
    )
    yield (
        "PIBT with guidance, endless tasks",
        f"Tasks done a step over {STEPS} steps, four moves, three seeds. `none` is plain PIBT, `criss_cross` has fixed "
        "one-way weights, `directions` learns lanes while agents walk. Published for the first: 5.52, 6.84, and 7.78 "
        "with weights found by optimisation beforehand.",
        ["map", "agents", *GUIDANCE, "directions / none", "directions / criss_cross", "ms a step"],
        [guided(maps, *which) for which in GUIDED],
    )


def lanes():
    per_cell = {}
    for name in ("lra", "direction_map"):
        make_ready(name)
        simulate(paper_problem("jansen-c", agents=4, loops=1), name, model=DISTANCE)
        runs = [
            simulate(paper_problem("jansen-c", agents=100, loops=20, seed=seed), name, model=DISTANCE)
            for seed in range(3)
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
    while name == "far" and world.controller.arrays.job[N_UNPLANNED] > 0:
        world.advance(1)
    first = world.run().seconds
    laps = lap_times(world, 300)
    assert check_record(world.record()) == []
    home = 100.0 * float((world.crew.agents["here"] == world.crew.agents["goal"]).mean())
    shown = (first, np.mean(laps), np.percentile(laps, 99), max(laps))
    return [name, agents, *(1e3 * each for each in shown), "" if name == "far" else search(problem, name), home]


def search(problem, name):
    """Microseconds of a search, if all agents search in every step."""
    world = Simulation(problem, name, moves=1)
    world.advance(10)
    before = world.result().counters.replans
    laps = lap_times(world, 20)
    return 1e6 * sum(laps) / (world.result().counters.replans - before)


def happenings(maps, name, agents):
    """What events cost, in milliseconds; the last number is the costliest kind of event in plain steps."""
    grid = read_map(maps / "bmaa" / "AR0701SR.map")
    make_ready(name)
    starts, goals = draw_pairs(grid, agents + 8, seed=1)
    world = Simulation(one_shot(grid, grid.places(starts[:agents]), grid.places(goals[:agents])), name)
    world.advance(20)
    plain = lap_times(world, 64)
    rng = np.random.default_rng(0)
    costs, after = {}, [0.0]
    for k in range(4):
        door = door_of(world, rng)
        for kind, event in (
            ("goal", events.retask(0, k, grid.place(goals[agents + k]))),
            ("leave", events.leave(0, 10 + k)),
            ("join", events.join(0, grid.place(starts[agents + k]), grid.place(goals[agents + 4 + k]))),
            ("block", events.block(0, door)),
            ("free", events.free(0, door)),
        ):
            world.happen(event)
            costs.setdefault(kind, []).extend(lap_times(world, 1))
            later = lap_times(world, AFTER)
            after += later if kind in ("block", "free") else []
    assert check_record(world.record()) == []
    usual = [1e3 * float(np.median(laps)) for laps in costs.values()]
    mean = 1e3 * float(np.mean(plain))
    return [name, agents, mean, *usual, 1e3 * max(after), 1e3 * max(plain), max(usual) / mean]


def door_of(world, rng):
    """Three empty cells side by side on the way of some agent."""
    agents, grid = world.crew.agents, world.grid
    while True:
        here, goal = (grid.place(agents[name][who]) for who in [rng.integers(len(agents))] for name in ("here", "goal"))
        path = find_path(grid, here, goal).path
        x, y = path[len(path) // 2]
        for dx, dy in ((1, 0), (0, 1)):
            places = [(x - dx, y - dy), (x, y), (x + dx, y + dy)]
            cells = grid.cells(places)
            if grid._free[cells].all() and (world.crew.occupant[cells] == NOBODY).all():
                return places


def memory(maps, name):
    grid = read_map(maps / "bmaa" / "lgt300d.map")
    make_ready(name)
    starts, goals = draw_pairs(grid, 2000, seed=1)
    tracemalloc.start()
    world = Simulation(one_shot(grid, grid.places(starts), grid.places(goals)), name)
    world.advance(LONG)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    tiles = getattr(world.controller.arrays, "tiles", None)
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
    rates, seconds = [], 0.0
    for guidance in GUIDANCE:
        runs = [simulate(tasks(grid, agents, seed=seed), "pibt", until=STEPS, guidance=guidance) for seed in range(3)]
        assert all(check_record(run.record) == [] for run in runs)
        rates.append(float(np.mean([run.service.throughput for run in runs])))
        seconds = float(np.mean([run.seconds for run in runs]))
    plain, fixed, learned = rates
    return [name, agents, *rates, learned / plain, learned / fixed, seconds / STEPS * 1e3]
