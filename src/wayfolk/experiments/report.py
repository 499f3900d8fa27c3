"""Report: what a store holds, as one page that opens from disk and prints.

The same store makes the same page, byte for byte: no dates, no random numbers. Means come with 95 % intervals: bootstrap
ones for measures, Wilson's for shares of solved runs. A run counts as solved if it says so and its plan has no faults.
Made maps that differ by their seed alone are draws of one kind and count together, and so do scenario files that differ
by their number alone.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from wayfolk import __version__
from wayfolk.errors import BadInput, Missing
from wayfolk.experiments.figures import Axis, Point, box_figure, cactus_figure, line_figure
from wayfolk.experiments.stats import bootstrap_interval, mean
from wayfolk.experiments.store import Store
from wayfolk.experiments.work import FAILURES
from wayfolk.formats import write_bytes

MOST_PANELS = 12
MOST_SERIES = 16
MOST_ROWS = 1000
PLANS, SIMULATIONS, PATHS = "plans", "simulations", "paths"
KINDS = {"scen": PLANS, "random": PLANS, "patrol": SIMULATIONS, "tasks": SIMULATIONS, "queries": PATHS, "pairs": PATHS}
TITLES = {
    PLANS: ("Plans", "Everyone goes to one goal."),
    SIMULATIONS: ("Simulations", "Agents patrol or serve tasks; counts are for each agent and loop, without the first "
                  "and the last loop where there are three or more."),
    PATHS: ("Single paths", "One agent, many queries; a run is a batch of them."),
}  # fmt: skip


class Measure(NamedTuple):
    """A column of `runs` (or of `_NUMBERED`), how it is told, and what it is over."""

    column: str
    name: str
    unit: str = ""
    of_solved: bool = False
    least: float | None = None


SUCCESS = Measure("success", "solved", least=-0.03)
SECONDS = Measure("seconds", "seconds")
EXPANDED = Measure("expanded", "expanded cells")
COLLISIONS = Measure("collisions", "collisions", "refused moves", least=0.0)
DISTANCE = Measure("distance", "distance")
QUERY = Measure("query_us", "time of a query", "microseconds")
RATIO = Measure("ratio", "cost ratio", "sum of costs / lower bound, of solved runs", of_solved=True)
MEASURES = {
    PLANS: (RATIO, SECONDS, Measure("makespan", "makespan", "of solved runs", of_solved=True), EXPANDED, COLLISIONS,
            Measure("completion_rate", "agents at home", "share")),
    SIMULATIONS: (COLLISIONS, DISTANCE, EXPANDED, Measure("replans", "replans"), SECONDS,
                  Measure("simulation_time", "simulated time"), Measure("throughput", "throughput", "arrivals / time")),
    PATHS: (QUERY, EXPANDED, Measure("wrong_cost", "wrong costs", "in a run")),
}  # fmt: skip
_NUMBERED = """
WITH told AS (
    SELECT *, algorithm || chr(10) || CAST(options AS VARCHAR) AS series_told, CAST(json_object(
        'map', cell->'map', 'problem', cell->'problem', 'limits', cell->'limits', 'moves', moves, 'model', model
    ) AS VARCHAR) AS world_told FROM runs),
numbered AS (
    SELECT *, dense_rank() OVER (ORDER BY world_told) - 1 AS place, dense_rank() OVER (ORDER BY series_told) - 1 AS way,
        sum_of_costs / nullif(lower_bound, 0) AS ratio, 1e6 * seconds / nullif(queries, 0) AS query_us FROM told)
"""


class World(NamedTuple):
    """What runs have in common that are compared with each other, but for the number of agents."""

    kind: str
    label: str
    agents: int
    can_fail: bool


@dataclass
class Loaded:
    """A store in memory: runs and loops as frames with the numbers of their world and series, and names for those."""

    runs: Any
    loops: Any
    told: list[dict[str, Any]]
    worlds: list[str]
    series: list[str]
    ways: list[tuple[str, str]]


def write_report(store_file: str | Path, out: str | Path, *, spec_text: str | None = None) -> None:
    """Write what is in a store to the HTML file `out`: tables, figures, settings and provenance."""
    with Store(store_file, read_only=True) as store:
        loaded = _load(store)
        outcomes, circumstances = _outcomes(store, loaded), _circumstances(store)
        settings = _settings(store, loaded, spec_text)
    kinds = [kind for kind in TITLES if (loaded.runs.kind == kind).any()]
    sections = [outcomes, *(_section(kind, loaded) for kind in kinds), settings, circumstances]
    sections.append(_again(Path(store_file).name, Path(out).name, spec_text is not None))
    page = _page(f"Report of {Path(store_file).stem}", sections)
    write_bytes(out, page.encode(), BadInput)


def _load(store: Store) -> Loaded:
    try:
        import pandas  # noqa: F401  DuckDB makes frames with it
    except ImportError:
        raise Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'") from None
    told = [json.loads(row["world_told"]) for row in store.rows(
        f"{_NUMBERED} SELECT DISTINCT place, world_told FROM numbered ORDER BY place"
    )]  # fmt: skip
    if not told:
        raise BadInput(f"{store.file} holds no runs yet: there is nothing to report")
    ways = [(row["algorithm"], row["options"]) for row in store.rows(
        f"{_NUMBERED} SELECT DISTINCT way, algorithm, CAST(options AS VARCHAR) AS options FROM numbered ORDER BY way"
    )]  # fmt: skip
    worlds = _worlds(told)
    labels = sorted({world.label for world in worlds}, key=_natural)
    names = _series_names(ways)
    order = sorted(range(len(ways)), key=lambda way: _natural(names[way]))
    rank = {way: k for k, way in enumerate(order)}

    def numbered(query: str) -> Any:
        frame = store.base.execute(_NUMBERED + query).df()
        frame["world"] = [labels.index(world.label) for world in worlds] if False else frame["place"].map(
            {k: labels.index(world.label) for k, world in enumerate(worlds)}
        )
        frame["series"] = frame["way"].map(rank)
        frame["agents"] = frame["place"].map({k: world.agents for k, world in enumerate(worlds)})
        return frame

    columns = sorted({measure.column for listed in MEASURES.values() for measure in listed})
    runs = numbered(
        f"SELECT place, way, status, wall_seconds, faults, queries, solved, {', '.join(columns)} FROM numbered ORDER BY key"
    )
    runs["kind"] = runs["place"].map({k: world.kind for k, world in enumerate(worlds)})
    return Loaded(runs, None, told, labels, [names[way] for way in order], [ways[way] for way in order])
