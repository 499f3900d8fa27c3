"""What a report measures: columns of the store with their names, and their means over runs with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from wayfolk.experiments.reports.stats import bootstrap_interval, mean

PLANS, SIMULATIONS, PATHS = "plans", "simulations", "paths"


class Measure(NamedTuple):
    """A column of the loaded runs, its name and unit, whether only solved runs have it, and where its axis begins."""

    column: str
    name: str
    unit: str = ""
    of_solved: bool = False
    least: float | None = None


SUCCESS = Measure("success", "solved", least=-0.03)
RATIO = Measure("ratio", "cost ratio", "sum of costs / lower bound, solved runs", of_solved=True)
SECONDS = Measure("seconds", "seconds")
EXPANDED = Measure("expanded", "expanded cells")
COLLISIONS = Measure("collisions", "collisions", "refused moves", least=0.0)
DISTANCE = Measure("distance", "distance")
THROUGHPUT = Measure("throughput", "throughput", "tasks done / time", least=0.0)
QUERY = Measure("query_us", "time of a query", "microseconds")
LINES = {PLANS: (RATIO, SECONDS, SUCCESS), SIMULATIONS: (COLLISIONS, DISTANCE, EXPANDED, SECONDS, THROUGHPUT, SUCCESS)}
BOXES = {PLANS: (SECONDS, EXPANDED, COLLISIONS), SIMULATIONS: (SECONDS, EXPANDED, COLLISIONS), PATHS: (QUERY, EXPANDED)}
LOOPS = (COLLISIONS, DISTANCE, EXPANDED)
COLUMNS = {
    PLANS: (
        RATIO, SECONDS, Measure("makespan", "makespan", "solved runs", of_solved=True), EXPANDED, COLLISIONS,
        Measure("completion_rate", "agents at home", "share"),
    ),
    SIMULATIONS: (
        COLLISIONS, DISTANCE, EXPANDED, Measure("replans", "replans"), SECONDS,
        Measure("simulation_time", "simulated time"), THROUGHPUT,
    ),
    PATHS: (QUERY, EXPANDED, Measure("wrong_cost", "wrong costs", "for each run")),
}  # fmt: skip


@dataclass
class Loaded:
    """A store in memory: `runs` and `loops` as frames whose worlds and series are numbers into lists of names.

    A world is what runs have in common that are compared with each other, but for the number of agents. A series is an
    algorithm with its options: `ways` has them in full, `series` as short as they can be told apart. A run has solved
    `hits` of `tries`.
    """

    runs: Any
    loops: Any
    settings: list[dict[str, Any]]
    worlds: list[str]
    series: list[str]
    ways: list[tuple[str, dict[str, Any]]]


class Mean(NamedTuple):
    """A mean with its interval of 95 %, over `n` runs; `is_whole` if no run of the group had to be left out."""

    mean: float
    low: float
    high: float
    n: int
    is_whole: bool


def summarise(group: Any, measure: Measure) -> Mean | None:
    """The mean of a measure over some runs, or None if no run has it."""
    if measure is SUCCESS:
        return _wilson(int(group.hits.sum()), int(group.tries.sum()))
    values = group[measure.column].to_numpy(dtype=np.float64)
    if measure.of_solved:
        values = values[group.hits.to_numpy() == group.tries.to_numpy()]
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    return Mean(mean(values), *bootstrap_interval(values), len(values), len(values) == len(group))


def _wilson(hits: int, tries: int) -> Mean | None:
    """A share with Wilson's score interval, which has a width even where all were hits or none."""
    if not tries:
        return None
    z = NormalDist().inv_cdf(0.975)
    share, grow = hits / tries, 1.0 + z * z / tries
    middle = (share + z * z / (2 * tries)) / grow
    half = z * math.sqrt(share * (1.0 - share) / tries + (z / (2 * tries)) ** 2) / grow
    return Mean(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)), tries, True)
