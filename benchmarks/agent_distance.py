"""Readings of the agent-distance strategy of the thesis on Salient Search, compared with what it prints.

    python -m benchmarks.agent_distance [PROBLEMS]    on each of the thesis' 50 maps; 10 by default

Prints travel ratio, backward steps and turns of each reading over those of TBA* on the same problems, all with
`switch="longer"`, for R = 25 and 100 with 30 and 75 percent salient expansions, below the printed ones.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

import wayfolk as wf
from wayfolk.algorithms.paths import begin_path
from wayfolk.algorithms.task import finish
from wayfolk.experiments.papers.tables import printed
from wayfolk.experiments.papers.vermette.tables import MAPS, N_S
from wayfolk.files.folders import find_data
from wayfolk.files.maps import read_map
from wayfolk.world import generate
from wayfolk.world.grid import Grid

SETTINGS = ((25, 30), (25, 75), (100, 30), (100, 75))
COSTS = (50, 500)


class TiesToOpen(NamedTuple):
    """As written, but of two cells as far away the open one."""

    ties_to_open: int = 0


class EqualF(NamedTuple):
    """By distance only between cells of equal f."""

    equal_f: int = 0


class SmallerG(NamedTuple):
    """The cell with the smaller g."""

    smaller_g: int = 0


class NearGoal(NamedTuple):
    """The cell nearer to the goal."""

    near_goal: int = 0


class WithF(NamedTuple):
    """The cell with the smaller sum of f and distance."""

    with_f: int = 0


class OnPath(NamedTuple):
    """By distance only while the agent is on its path."""

    on_path: int = 0


class OffPath(NamedTuple):
    """By distance while the agent is on its path, by tie breaking while it is not."""

    off_path: int = 0


class BackOnPath(NamedTuple):
    """By tie breaking while the agent is on its path, by distance while it is not."""

    back_on_path: int = 0


class AlmostEqualF(NamedTuple):
    """By distance only between cells whose f differs by at most 1."""

    almost_equal_f: int = 0


class Farther(NamedTuple):
    """The cell farther from the agent."""

    farther: int = 0


class LargerG(NamedTuple):
    """The cell with the larger g."""

    larger_g: int = 0


class BothEnds(NamedTuple):
    """The cell with the smaller sum of its distances to the agent and to the goal."""

    both_ends: int = 0


wf.add_strategy("ties_to_open", TiesToOpen(), lambda strategy, seen: seen.open_away <= seen.salient_away)
wf.add_strategy(
    "equal_f",
    EqualF(),
    lambda strategy, seen: seen.open_away < seen.salient_away or seen.open_f < seen.salient_f,
)
wf.add_strategy("smaller_g", SmallerG(), lambda strategy, seen: seen.open_g < seen.salient_g)
wf.add_strategy(
    "near_goal", NearGoal(), lambda strategy, seen: seen.open_f - seen.open_g < seen.salient_f - seen.salient_g
)
wf.add_strategy(
    "with_f", WithF(), lambda strategy, seen: seen.open_f + seen.open_away < seen.salient_f + seen.salient_away
)
wf.add_strategy(
    "on_path",
    OnPath(),
    lambda strategy, seen: not seen.is_following or seen.open_away < seen.salient_away,
)
wf.add_strategy(
    "off_path",
    OffPath(),
    lambda strategy, seen: seen.open_away < seen.salient_away if seen.is_following else seen.open_f < seen.salient_f,
)
wf.add_strategy(
    "back_on_path",
    BackOnPath(),
    lambda strategy, seen: seen.open_f < seen.salient_f if seen.is_following else seen.open_away < seen.salient_away,
)
wf.add_strategy(
    "almost_equal_f",
    AlmostEqualF(),
    lambda strategy, seen: seen.open_away < seen.salient_away or seen.open_f < seen.salient_f - 1.0,
)
wf.add_strategy("farther", Farther(), lambda strategy, seen: seen.open_away > seen.salient_away)
wf.add_strategy("larger_g", LargerG(), lambda strategy, seen: seen.open_g > seen.salient_g)
wf.add_strategy(
    "both_ends",
    BothEnds(),
    lambda strategy, seen: (
        seen.open_f - seen.open_g + seen.open_away < seen.salient_f - seen.salient_g + seen.salient_away
    ),
)
READINGS = (
    "agent_distance", "ties_to_open", "on_path", "off_path", "back_on_path", "with_f", "both_ends", "smaller_g",
    "larger_g", "near_goal", "farther", "equal_f", "almost_equal_f",
)  # fmt: skip


def main(n: int) -> None:
    """Print a line for each reading."""
    problems = [(grid, pair) for grid in map(_grid, MAPS) for pair in _pairs(grid, n)]
    print(f"{len(problems)} problems; over TBA*: ratio, backward steps, turns for (R, percent) {SETTINGS}")
    _show("printed", [_printed(*setting) / _printed(setting[0], 0) for setting in SETTINGS])
    rivals = {limit: _walks(problems, "tba", limit) for limit in (25, 100)}
    for reading in READINGS:
        walked = [
            _walks(problems, "salient", limit, salient=N_S[limit, share], strategy=reading) for limit, share in SETTINGS
        ]
        _show(reading, [mine / rivals[limit] for mine, (limit, _) in zip(walked, SETTINGS, strict=True)])


def _grid(name: str) -> Grid:
    file = find_data(f"salient/{name.lower() if name == 'Battleground' else name}.map")
    return generate.without_islands(Grid(generate.scale(read_map(file), 320, 320).free, diagonal=1.42))


def _pairs(grid: Grid, n: int) -> list[tuple[int, int]]:
    """The first `n` random pairs whose optimal cost is within COSTS."""
    pairs = []
    for ends in zip(*generate.draw_pairs(grid, 4 * n, seed=5), strict=True):
        search = begin_path(grid, *ends, "astar")
        finish(search)
        if COSTS[0] <= search.result().cost <= COSTS[1]:
            pairs.append(ends)
    return pairs[:n]


def _walks(problems: list, name: str, limit: int, **options: object) -> np.ndarray:
    """Mean travel ratio, backward steps and turns."""
    rows = []
    for grid, ends in problems:
        walk = begin_path(grid, *ends, name, limit=limit, share=0.9, traces=10, switch="longer", **options)
        finish(walk)
        result = walk.result()
        count = result.counters
        rows.append((result.cost / count.solution_cost, count.backward_steps, count.turns))
    return np.mean(rows, axis=0)


def _printed(limit: int, share: int) -> np.ndarray:
    numbers = []
    for table, metric in (("4.3", "suboptimality"), ("4.4", "mean_backward_steps"), ("4.6", "mean_direction_changes")):
        name = "4.2" if table == "4.3" and not share else table
        rows = [row for row in printed(f"vermette-{name}") if row["R"] == limit]
        chosen = [row for row in rows if (row.get("strategy") == "AD" and row["ns_pct"] == share) == bool(share)]
        numbers.append(next(row[metric] for row in chosen if (row["algorithm"] == "TBA*") != bool(share)))
    return np.array(numbers)


def _show(name: str, parts: list[np.ndarray]) -> None:
    print(f"{name:<16}", " | ".join(" ".join(f"{part[k]:.3f}" for part in parts) for k in range(3)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
