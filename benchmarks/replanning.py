"""Replanning: repairs against A* from scratch, in cells expanded and in time; every cost is compared."""

import time

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.walk import walk
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries
from wayfolk.problem.result import Status
from wayfolk.world import generate

REPAIRING = ["d_star", "focussed_d_star", "d_star_lite", "anytime_d_star"]
WALKS = 6  # on each map, between the ends of its longer queries
UNKNOWN_WALKS = 2  # these have many more replans
EVERY, NEAR, CELLS = 5, 5, 4  # every five steps, of the cells at most five away, four
SIGHT = 5.0


def tables(maps):
    worlds = [random_world(), *(read_world(file) for file in sorted((maps / "single").glob("*.map")))]
    yield (
        "Replanning, changes near the agent",
        f"An agent makes {WALKS} long walks on a known map. Every {EVERY} steps, {CELLS} random cells at most {NEAR} "
        "away from it change: free ones are blocked, blocked ones are freed. The columns of algorithms are the cells "
        "expanded by all replans together. `x` is how many times more cells A* from scratch (ours, on the same maps "
        "from the same cells) expands than D* Lite, without and with the first plan. The last columns are mean "
        "microseconds for a replan. LPA* is left out: its search begins at the start, so it begins again when the "
        "agent has moved, as A* does. All costs are equal.",
        ["map", "replans", "A*", *(label(name) for name in REPAIRING), "x", "x, first plan too", "A* us", "D* Lite us"],
        [changes_near_the_agent(*world) for world in worlds],
    )
    yield (
        "Replanning, unknown maps",
        f"{UNKNOWN_WALKS} of these walks on unknown maps; the agent sees {SIGHT:.0f} cells far and assumes that the "
        "rest is free. Cells expanded, the first plan included. The walks differ between algorithms, so the number of "
        "replans does too; shown is that of D* Lite. `x` is A* from scratch divided by D* Lite.",
        ["map", "replans", "A*", *(label(name) for name in REPAIRING), "x"],
        [unknown(grid, pairs[:: WALKS // UNKNOWN_WALKS]) for grid, pairs in worlds],
    )


def label(name):
    return catalogue.find(name, "search").label


def random_world():
    grid = generate.without_islands(generate.random_map(256, 256, 0.2, seed=1))
    rng = np.random.default_rng(1)
    cells = grid.free_cells
    return grid, list(zip(rng.choice(cells[:5000], WALKS), rng.choice(cells[-5000:], WALKS), strict=True))


def read_world(file):
    grid = read_map(file)
    rows = read_queries(f"{file}.scen", grid)
    solvable = np.flatnonzero(rows.lengths > 0)
    chosen = solvable[np.linspace(len(solvable) // 2, len(solvable) - 1, WALKS).astype(int)]
    return grid, list(zip(rows.starts[chosen], rows.goals[chosen], strict=True))


def begin(name, world, start, goal):
    return catalogue.find(name, "search").load()(world, int(start), int(goal))


def changes_near_the_agent(grid, pairs):
    rng = np.random.default_rng(1)
    names = ["astar", *REPAIRING]
    first, later, seconds, replans = (dict.fromkeys(names, 0) for _ in range(4))
    for start, goal in pairs:
        tasks = {name: begin(name, grid, start, goal) for name in names}
        for name, task in tasks.items():
            task.advance()
            first[name] += task.expanded
        guide, world = tasks["d_star_lite"], grid
        while guide.status is Status.SOLVED and len(guide.cells) > EVERY + 1:
            here = int(guide.cells[EVERY])
            cells = some_cells_near(world, here, int(goal), rng)
            is_free = world._free[cells]
            world = world.with_blocked(cells[is_free]).with_freed(cells[~is_free])
            for name in names:
                before = 0 if name == "astar" else tasks[name].expanded
                began = time.perf_counter()
                if name == "astar":
                    tasks[name] = begin(name, world, here, goal)
                else:
                    tasks[name].move_to(here)
                    tasks[name].change(world, cells)
                tasks[name].advance()
                seconds[name] += time.perf_counter() - began
                later[name] += tasks[name].expanded - before
                replans[name] += 1
            for task in tasks.values():
                assert task.status is tasks["astar"].status
                assert task.status is Status.IMPOSSIBLE or abs(task.cost - tasks["astar"].cost) < 1e-6
    fewer = later["astar"] / later["d_star_lite"]
    in_all = (first["astar"] + later["astar"]) / (first["d_star_lite"] + later["d_star_lite"])
    times = [seconds[name] / replans[name] * 1e6 for name in ("astar", "d_star_lite")]
    return [grid.name, replans["astar"], *(later[name] for name in names), fewer, in_all, *times]


def some_cells_near(world, here, goal, rng):
    places = np.array(world.place(here)) + rng.integers(-NEAR, NEAR + 1, (CELLS, 2))
    cells = np.unique(world.cells(np.clip(places, 0, [world.width - 1, world.height - 1])))
    return cells[(cells != here) & (cells != goal)]


def unknown(grid, pairs):
    expanded = dict.fromkeys(["astar", *REPAIRING], 0)
    replans = 0
    for start, goal in pairs:
        for name in expanded:
            result = walk(grid, grid.place(start), grid.place(goal), name, sight=SIGHT)
            assert result.is_solved
            expanded[name] += result.expanded
            replans += result.counters.replans if name == "d_star_lite" else 0
    return [grid.name, replans, *expanded.values(), expanded["astar"] / expanded["d_star_lite"]]
