"""All queries of a scenario file, one after another: how many are solved, at the right cost, and how fast."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import finder
from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.errors import BadScenario
from wayfolk.files.scenarios import read_queries
from wayfolk.world.grid import Grid

CLOSE = 0.006  # lengths in scenario files are rounded to two decimals or more


def run_queries(
    grid: Grid,
    scen: str | Path,
    algorithm: Any,
    options: dict[str, Any],
    seconds: float | None = None,
    tracked: Callable[[Iterable[int], int], Iterator[int]] = lambda items, _: iter(items),
) -> dict[str, Any]:
    """Run `algorithm` on every row of `scen` whose ends are free; `seconds` is for each query. Returns one row of numbers.

    Times do not include compiling and loading kernels, nor preparing the map. `tracked` wraps the numbers of the queries,
    for a progress bar.

    A row of length 0 whose ends differ is known to have no path: it counts as `queries` but not as `solvable`. The cost
    of a path at any angle is wrong if it is above the row's length, which is the best along the grid, or below the
    distance of its ends.
    """
    entry = catalogue.find(algorithm)
    any_angle = bool(entry.facts.get("ANY_ANGLE"))
    rows = read_queries(scen, grid)
    n = len(rows.starts)
    if not n:
        raise BadScenario(f"{scen}: all {rows.skipped} rows start or end in a wall or outside the map")
    distances = np.hypot(*(grid.places(rows.starts) - grid.places(rows.goals)).T)
    find = finder(grid, entry, **options)
    find.begin(rows.starts[0], rows.goals[0])  # the map is prepared before the clock runs
    took, solved, wrong, total, expanded = np.zeros(n), 0, 0, 0.0, 0
    for k in tracked(range(n), n):
        began, loaded = time.perf_counter(), len(LOADED)
        result = find(rows.starts[k], rows.goals[k], seconds=seconds)
        took[k] = time.perf_counter() - began - loading_seconds(loaded)
        expanded += result.expanded
        if result.is_solved:
            solved += 1
            total += result.cost
            least = distances[k] if any_angle else rows.lengths[k]
            wrong += not least - CLOSE <= result.cost <= rows.lengths[k] + CLOSE
    unsolvable = int(((rows.lengths == 0) & (rows.starts != rows.goals)).sum())
    return {
        "algorithm": entry.name,
        "map": grid.name,
        "queries": n,
        "solved": solved,
        "solvable": n - unsolvable,
        "wrong_cost": int(wrong),
        "cost_total": total,
        "expanded_total": expanded,
        "mean_us": float(took.mean() * 1e6),
        "p99_us": float(np.percentile(took, 99) * 1e6),
        "skipped": rows.skipped,
    }
