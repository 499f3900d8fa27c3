"""Real-time search: expansions a second beside A*, time for a move as maps grow, a thousand walkers at once."""

import time

import numpy as np

from benchmarks.plots import over_map_size
from wayfolk.algorithms.paths import begin_path
from wayfolk.algorithms.real_time_agents import RealTimeAgents
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries
from wayfolk.world.grid import Grid

SIDES = (64, 128, 256, 512, 1024, 2048)
WALKERS = {
    "tba": {"limit": 100},
    "salient": {"limit": 100, "salient": 27},
    "rtaa": {"expansions": 90},
    "lrta": {"depth": 1},
}
MOVES = 20_000  # for each size of map


def tables(maps):
    yield (
        "Real-time search: expansions a second",
        "Every tenth query of lak303d (movingai/single), each walked to its goal; all algorithms in turn, the best of "
        "three. Moving, learning and tracing are included. `x` is the rate of A* divided by theirs; the limits are 1.5 "
        "for all, and 1.3 for the rate of tba divided by that of salient.",
        ["algorithm", "million expansions a second", "x"],
        rates(maps / "single" / "lak303d.map"),
    )
    times = {name: {side: moves(name, options, side) for side in SIDES} for name, options in WALKERS.items()}
    over_map_size(times, "moves.svg", "microseconds for a move, 99.9th percentile", both_logarithmic=False)
    yield (
        "Real-time search: planning for one move",
        f"Microseconds of one `advance(1)`, Python included: the 99.9th percentile of {MOVES:,} moves on random maps, "
        "15 % blocked; the least of three measurements, because other processes use the machine. The last column is "
        "the time on 2048^2 cells divided by that on 64^2; its limit is 2. ![time for a move over map "
        "size](figures/moves.svg)",
        ["algorithm", *(f"{side}^2" for side in SIDES), "growth"],
        [[name, *by_side.values(), by_side[SIDES[-1]] / by_side[SIDES[0]]] for name, by_side in times.items()],
    )
    yield (
        "A thousand walkers",
        "RTAA* with 32 expansions for a plan; 1,000 agents on random cells of a 512 x 512 map, 15 % blocked. "
        "Milliseconds of one call, in which every agent moves; the limit is 10.",
        ["what", "ms"],
        herd(),
    )


def rates(file):
    grid = read_map(file)
    rows = read_queries(f"{file}.scen", grid)
    ends = [(grid.place(s), grid.place(g)) for s, g in zip(rows.starts[::10], rows.goals[::10], strict=True)]
    jobs = {
        "astar": ("astar", {}),
        "rtaa, 32": ("rtaa", {"expansions": 32}),
        "rtaa, 256": ("rtaa", {"expansions": 256}),
        "lss_lrta, 32": ("lss_lrta", {"expansions": 32}),
        "lss_lrta, 256": ("lss_lrta", {"expansions": 256}),
        "tba, R = 100": ("tba", {"limit": 100}),
        "salient, R = 100": ("salient", {"limit": 100, "salient": 27}),
    }
    best = dict.fromkeys(jobs, 0.0)
    for _ in range(3):
        for what, (name, options) in jobs.items():
            expanded, began = 0, time.perf_counter()
            for start, goal in ends:
                task = begin_path(grid, start, goal, name, **options)
                task.advance()
                expanded += task.result().expanded
            best[what] = max(best[what], expanded / (time.perf_counter() - began) / 1e6)
    return [[what, rate, best["astar"] / rate] for what, rate in best.items()]


def moves(name, options, side):
    grid = Grid(np.random.default_rng(side).random((side, side)) > 0.15)
    parts = grid.components[grid.free_cells]
    cells = grid.free_cells[parts == np.bincount(parts).argmax()]
    rng = np.random.default_rng(side)
    percentiles = []
    for _ in range(3):
        took = []
        while len(took) < MOVES:
            task = begin_path(grid, *(grid.place(cell) for cell in rng.choice(cells, 2)), name, **options)
            task.advance(1)  # touches new memory
            for _ in range(2000):
                began = time.perf_counter()
                ended = task.advance(1).is_final
                took.append(time.perf_counter() - began)
                if ended:
                    break
        percentiles.append(np.percentile(took, 99.9) * 1e6)
    return float(min(percentiles))


def herd():
    grid = Grid(np.random.default_rng(5).random((512, 512)) > 0.15)
    parts = grid.components[grid.free_cells]
    cells = grid.free_cells[parts == np.bincount(parts).argmax()]
    starts, goals = np.random.default_rng(6).choice(cells, (2, 1000))
    walkers = RealTimeAgents(grid, grid.places(starts), grid.places(goals), expansions=32)
    walkers.advance(1)
    took = []
    for _ in range(200):
        began = time.perf_counter()
        walkers.advance(1)
        took.append((time.perf_counter() - began) * 1e3)
    return [["median round", float(np.median(took))], ["worst of 200 rounds", max(took)]]
