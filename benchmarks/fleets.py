"""Fleets: the default planner on the 33 maps of the MAPF benchmark, beside what the program of LaCAM's author reaches."""

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.judge.metrics import lower_bound, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.simulation.solving import begin_plan, make_ready
from wayfolk.world.generate import draw_pairs

SECONDS = 10.0
LARGE, LARGE_SECONDS, SEEDS = 10_000, 60.0, (0, 1, 2)
# LaCAM3 in C++ on one core: seconds and ratio of its first plan without scatter and with one PIBT, the best ratio of its
# default settings (first plan, or after 10 s); None where it finds no plan in 30 s
THEIRS = {
    "Berlin_1_256": (1.57, 1.23, 1.01),
    "Boston_0_256": (1.57, 1.26, 1.02),
    "Paris_1_256": (1.63, 1.25, 1.02),
    "brc202d": (1.97, 1.33, 1.06),
    "den312d": (0.25, 5.62, 4.85),
    "den520d": (0.94, 1.36, 1.05),
    "empty-8-8": (0.001, 1.77, 1.23),
    "empty-16-16": (0.007, 1.91, 1.36),
    "empty-32-32": (0.04, 2.30, 1.71),
    "empty-48-48": (0.12, 2.22, 1.75),
    "ht_chantry": (0.31, 2.12, 1.67),
    "ht_mansion_n": (0.41, 2.50, 1.73),
    "lak303d": (0.64, 1.85, 1.40),
    "lt_gallowstemplar_n": (0.49, 2.54, 1.94),
    "maze-128-128-1": (None, None, None),
    "maze-128-128-2": (0.82, 1.80, 1.65),
    "maze-128-128-10": (0.61, 1.78, 1.39),
    "maze-32-32-2": (0.05, 4.51, 4.35),
    "maze-32-32-4": (0.20, 8.21, 10.3),
    "orz900d": (6.72, 1.28, None),
    "ost003d": (0.53, 1.78, 1.34),
    "random-32-32-10": (0.04, 2.57, 1.94),
    "random-32-32-20": (0.04, 3.40, 2.45),
    "random-64-64-10": (0.18, 1.88, 1.44),
    "random-64-64-20": (0.20, 2.54, 1.98),
    "room-32-32-4": (0.04, 4.59, 3.99),
    "room-64-64-8": (0.32, 5.69, 5.66),
    "room-64-64-16": (0.31, 5.43, 4.65),
    "w_woundedcoast": (1.31, 1.33, 1.06),
    "warehouse-10-20-10-2-1": (0.32, 3.06, 1.98),
    "warehouse-10-20-10-2-2": (0.42, 1.63, 1.09),
    "warehouse-20-40-10-2-1": (0.75, 1.75, 1.11),
    "warehouse-20-40-10-2-2": (1.14, 1.38, 1.00),
}


def tables(maps):
    make_ready("auto")
    rows = [row(maps, name) for name in THEIRS]
    compared = [(ours, theirs) for *_, ours, _, _, theirs in rows if "-" not in (ours, theirs)]
    n_better = sum(float(ours) <= theirs for ours, theirs in compared)
    sums = [sum(float(value) for row in rows if (value := row[k]) != "-") for k in (2, 5)]
    yield (
        "Fleets: auto, random-1, up to 1,000 agents, FOUR moves",
        f"Seconds until the first plan, by LaCAM, and sum of costs over lower bound then and after {SECONDS:g} s on two "
        "cores. Plans are checked by the judge. C++: LaCAM3 on one core, without scatter and with one PIBT, and the better "
        "of its first plan and its plan after 10 s with default settings, measured once on an idle machine of the same "
        f"kind; `-`: no plan. All first plans together: {sums[0]:.1f} s and {sums[1]:.1f} s. The ratio after "
        f"{SECONDS:g} s is not above that of C++ on {n_better} of {len(compared)} maps.",
        ["map", "agents", "first s", "ratio", f"after {SECONDS:g} s", "C++ first s", "ratio", "C++ best"],
        rows,
    )
    yield (
        f"Fleets: auto, {LARGE:,} agents on warehouse-20-40-10-2-2, FOUR moves",
        "Random starts and goals (`draw_pairs`), each seed in a process of its own: seconds until the first plan, sum of "
        f"costs over lower bound then and after {LARGE_SECONDS:g} s on two cores, and the most memory of the process.",
        ["seed", "first s", "ratio", f"after {LARGE_SECONDS:g} s", "peak MB"],
        [*(large_row(maps, seed) for seed in SEEDS), ["limit", 15, "", 1.8, 2500]],
    )


def large_row(maps, seed):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure_large, maps, seed).result()


def measure_large(maps, seed):
    grid = read_map(maps / "mapf" / "warehouse-20-40-10-2-2.map", "four")
    starts, goals = draw_pairs(grid, LARGE, seed=seed)
    make_ready("auto")
    ours = planned(one_shot(grid, grid.places(starts), grid.places(goals)), LARGE_SECONDS)
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return [seed, *ours, f"{int(peak.split()[1]) / 1000:.0f}"]


def row(maps, name):
    grid = read_map(maps / "mapf" / f"{name}.map", "four")
    whole = read_scen(maps / "mapf" / f"{name}-random-1.scen", grid)
    problem = whole.first(min(1000, whole.n_agents))
    ours = planned(problem, SECONDS)
    return [name, problem.n_agents, *ours, *("-" if value is None else value for value in THEIRS[name])]


def planned(problem, seconds):
    """Seconds until the first plan, its ratio, and the ratio after `seconds`."""
    bound = lower_bound(problem)
    began, first = time.perf_counter(), None
    task = begin_plan(problem, "auto")
    while not task.status.is_final and time.perf_counter() < began + seconds:
        task.until = min(time.perf_counter() + 0.05, began + seconds)
        task.advance()
        if task.has_plan and first is None:
            first = time.perf_counter() - began, sum_of_costs(task.result().plan, problem.goals) / bound
    result = task.result()
    if not result.is_solved:
        return ["-"] * 3
    assert check(result.plan, problem) == []
    return [f"{first[0]:.3f}", f"{first[1]:.2f}", f"{sum_of_costs(result.plan, problem.goals) / bound:.3f}"]
