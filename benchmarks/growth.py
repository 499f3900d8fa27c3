"""How searches grow with the map: time a query and memory a cell from 64 x 64 to 4096 x 4096."""

import numpy as np

from benchmarks.plots import over_map_size
from wayfolk.algorithms.batch import find_many
from wayfolk.world.grid import Grid

SIDES = (64, 128, 256, 512, 1024, 2048, 4096)
NAMES = ("dijkstra", "astar", "jps", "jps_plus", "hpa")
QUERIES = 24


def tables(maps):
    times = {name: {} for name in NAMES}
    memory = {name: {} for name in NAMES}
    for side in SIDES:
        for name in NAMES:
            grid = random_map(side)  # a new one for each, so that memory is its own
            cells = grid.free_cells[grid.components[grid.free_cells] == 1]
            ends = np.random.default_rng(side).choice(cells, (2, QUERIES))
            before = held(grid)
            find_many(grid, *ends[:, :1], name)  # prepares the map
            results = find_many(grid, *ends, name, threads=1)
            assert np.isfinite(results.costs).all()
            times[name][side] = results.seconds / QUERIES * 1e6
            memory[name][side] = (held(grid) - before) / grid.n_cells
    over_map_size(times, "growth.svg", "microseconds a query", both_logarithmic=True)
    yield (
        "Growth with the map",
        f"Mean microseconds of {QUERIES} queries between random cells, 10 % of the cells blocked at random, prepared maps, "
        "one thread. The exponent is the slope of log time over log cells from 256 x 256 on. "
        "![time a query over map size](figures/growth.svg)",
        ["search", *(f"{side}^2" for side in SIDES), "exponent", "bytes a cell"],
        [[name, *times[name].values(), exponent(times[name]), memory[name][max(SIDES)]] for name in NAMES],
    )


def random_map(side):
    return Grid(np.random.default_rng(side).random((side, side)) > 0.1)


def held(grid):
    """The bytes of all arrays that are kept with a map."""
    seen, todo, total = set(), [vars(grid)], 0
    while todo:
        one = todo.pop()
        if isinstance(one, np.ndarray) and isinstance(one.base, np.ndarray):
            one = one.base
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            total += one.nbytes
        elif isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list | tuple):
            todo += one
        elif hasattr(one, "__dict__") and type(one).__module__.startswith("wayfolk"):
            todo += vars(one).values()
    return total


def exponent(times):
    sides = [side for side in times if side >= 256]
    return float(np.polyfit(np.log([side**2 for side in sides]), np.log([times[side] for side in sides]), 1)[0])
