"""Loads a store for a report: runs and loops as frames, and short names that tell worlds and series apart."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.errors import BadInput, Missing
from wayfolk.experiments.reports.measures import COLUMNS, LOOPS, PATHS, PLANS, SIMULATIONS, Loaded
from wayfolk.experiments.sweeps.store import Store

KINDS = {
    "scen": PLANS,
    "random": PLANS,
    "paper": SIMULATIONS,
    "patrol": SIMULATIONS,
    "tasks": SIMULATIONS,
    "deliveries": SIMULATIONS,
    "queries": PATHS,
    "pairs": PATHS,
}
_NUMBERED = """
WITH described AS (
    SELECT *, algorithm || chr(10) || CAST(options AS VARCHAR) AS series_text, CAST(json_object(
        'map', cell->'map', 'problem', cell->'problem', 'limits', cell->'limits', 'moves', moves, 'model', model
    ) AS VARCHAR) AS world_text FROM runs),
numbered AS (
    SELECT *, dense_rank() OVER (ORDER BY world_text) - 1 AS place, dense_rank() OVER (ORDER BY series_text) - 1 AS way,
        sum_of_costs / nullif(lower_bound, 0) AS ratio, 1e6 * seconds / nullif(queries, 0) AS query_us FROM described)
"""


def load_runs(store: Store) -> Loaded:
    """All runs of a store, with their worlds and series numbered and named."""
    try:
        import pandas  # type: ignore[import-untyped]  # noqa: F401 - DuckDB makes frames with it
    except ImportError:
        raise Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'") from None
    try:
        return _loaded(store)
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        IndexError,
        RecursionError,
    ):  # another's store can hold anything
        raise BadInput(f"{store.file}: a run does not say what was run") from None


def _loaded(store: Store) -> Loaded:
    places = store.rows(f"{_NUMBERED} SELECT DISTINCT place, world_text FROM numbered ORDER BY place")
    if not places:
        raise BadInput(f"{store.file} holds no runs: there is nothing to report yet")
    settings = [json.loads(row["world_text"]) for row in places]
    series = store.rows(f"{_NUMBERED} SELECT DISTINCT way, algorithm, options FROM numbered ORDER BY way")
    ways = [(str(row["algorithm"]), json.loads(row["options"])) for row in series]
    labels, names = _world_names(settings), _distinguished(*zip(*ways, strict=True))
    worlds = sorted(set(labels), key=natural)
    order = sorted(range(len(ways)), key=lambda way: natural(names[way]))
    rank = {label: k for k, label in enumerate(worlds)}
    by_place = {
        "world": np.array([rank[label] for label in labels]),
        "agents": np.array([one["problem"].get("agents", 1) for one in settings]),
        "kind": np.array([KINDS[one["problem"]["kind"]] for one in settings], dtype=object),
        "endless": np.array([one["problem"]["kind"] in ("tasks", "deliveries") for one in settings]),
    }

    def frame(query: str) -> Any:
        rows = store.base.execute(_NUMBERED + query).df()
        place = rows.pop("place").to_numpy()
        rows = rows.assign(**{name: values[place] for name, values in by_place.items()})
        return rows.assign(series=np.argsort(order)[rows.pop("way").to_numpy()])

    columns = ", ".join(sorted({measure.column for listed in COLUMNS.values() for measure in listed}))
    runs = frame(
        f"SELECT place, way, status, wall_seconds, faults, queries, solved, {columns} FROM numbered ORDER BY key"
    )
    is_path, is_good = runs.kind == PATHS, (runs.status == "solved") & ~(runs.faults > 0)
    runs["hits"] = runs.solved.where(is_path, is_good).fillna(0).astype(float)
    runs["tries"] = runs.queries.where(is_path, ~runs.endless).fillna(1).astype(float)
    metrics = ", ".join(f"loops.{measure.column}" for measure in LOOPS)
    loops = frame(f"SELECT place, way, loop, {metrics} FROM loops JOIN numbered USING (key) ORDER BY key, loop")
    return Loaded(runs, loops, settings, worlds, [names[way] for way in order], [ways[way] for way in order])


def _world_names(settings: Sequence[dict[str, Any]]) -> list[str]:
    """The map's name, and whatever else is needed to tell worlds with the same map apart."""
    maps = [map_facts(one["map"]) for one in settings]
    facts = [
        problem_facts(one["problem"], name) | {"moves": one["moves"], "model": one["model"]} | one["limits"]
        for one, (name, _) in zip(settings, maps, strict=True)
    ]
    return _distinguished(_distinguished(*zip(*maps, strict=True)), facts)


def problem_facts(problem: dict[str, Any], map_name: str) -> dict[str, Any]:
    """A problem without its agents; of a file its family is left, `random` of den312d-random-7.scen."""
    facts = {key: value for key, value in problem.items() if key not in ("agents", "first", "digest", "file")}
    if "file" in problem:
        name = Path(problem["file"]).stem.removesuffix(".map").removeprefix(map_name)
        family = re.sub(r"[-_]?\d*$", "", name).strip("-_.")
        facts["kind"] = f"{problem['kind']} {family}".strip()
    return facts


def map_facts(described: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of a map, and its settings without random seeds."""
    facts = {key: value for key, value in described.items() if key not in ("make", "name", "seed", "file", "digest")}
    if "file" in described:
        return Path(described["file"]).stem, facts | {"digest": str(described.get("digest"))[:6]}
    return str(described.get("name") or described["make"]), facts


def _distinguished(names: Sequence[str], facts: Sequence[dict[str, Any]]) -> list[str]:
    """Each name with those of its facts in which entries of that name differ."""
    same: dict[str, list[dict[str, Any]]] = {}
    for name, known in zip(names, facts, strict=True):
        same.setdefault(name, []).append(known)
    differ = {
        name: {key for key in set().union(*listed) if len({repr(known.get(key, ...)) for known in listed}) > 1}
        for name, listed in same.items()
    }
    return [
        " ".join([name, *(f"{key}={shown_value(known[key])}" for key in known if key in differ[name])])
        for name, known in zip(names, facts, strict=True)
    ]


def shown_value(value: Any) -> str:
    """A setting as the report shows it."""
    return value if isinstance(value, str) else json.dumps(value)


def pairs(known: dict[str, Any]) -> str:
    """Settings as the report shows them."""
    return ", ".join(f"{key}={shown_value(value)}" for key, value in known.items())


def natural(text: str) -> list[tuple[float, str]]:
    """A key that puts window=8 before window=16."""
    return [(float(part), "") if part.isdecimal() else (-1.0, part) for part in re.split(r"(\d+)", text)]
