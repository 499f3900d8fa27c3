"""The measures of the thesis: summaries over the runs of a setting."""

from __future__ import annotations

import numpy as np

from wayfolk.experiments.papers.noise import with_errors
from wayfolk.experiments.papers.tables import Row

COHERENCE = (
    "coherence_first_quarter",  # mean over the first quarter of the run
    "coherence_quarter",  # at one quarter of the run
    "coherence_mid",
    "coherence_last_tenth",  # mean over the last tenth
    "coherence_end",
    "coherence_least",  # of all samples of all runs after the first loop
    "coherence_most",
)
SHARES = ("upper", "middle", "lower")  # corridors of map (c)
TURN = 1.5  # units of time, in the simulator, of a step in which all act


def means(runs: list[Row], row: Row) -> Row:
    """Means of the measures over the runs that ended, their errors, and how many they are."""
    ordered = in_order(runs)
    columns = {
        "nodes_expanded": "expanded",
        "simulation_time": "simulation_time",
        "distance": "distance",
        "collisions": "collisions",
    }
    values = {name: [_ended(run, column) for run in ordered] for name, column in columns.items()}
    if row["algorithm"] == "WHCA*" and row.get("model") == "steps":
        values["simulation_time"] = [None if time is None else TURN * time for time in values["simulation_time"]]
    return with_errors(values) | {"ended": sum(_is_ended(run) for run in runs)}


def over_runs(runs: list[Row], row: Row) -> Row:
    """Means over runs that ended, of COHERENCE and of the whole curve; the least and the most of any run."""
    ordered = in_order(runs)
    by_run = [_coherence(run) if _is_ended(run) and run.get("coherence") is not None else None for run in ordered]
    ended = [values for values in by_run if values is not None]
    if not ended:
        return dict.fromkeys(COHERENCE)
    columns = {name: [None if values is None else values[name] for values in by_run] for name in COHERENCE}
    curves = [run["coherence"] for run, values in zip(ordered, by_run, strict=True) if values is not None]
    ends = {"coherence_least": min, "coherence_most": max}
    extremes = {name: chosen(values[name] for values in ended) for name, chosen in ends.items()}
    return with_errors(columns) | extremes | {"curve": np.mean(curves, axis=0).tolist()}


def _coherence(run: Row) -> dict[str, float]:
    """COHERENCE of one run."""
    curve = np.array(run["coherence"])
    n = len(curve)
    late = curve[np.arange(1, n + 1) / n * run["simulation_time"] > run["first_loop"]]
    values = (
        curve[: n // 4].mean(), curve[n // 4 - 1], curve[n // 2 - 1], curve[-(n // 10) :].mean(), curve[-1],
        late.min(), late.max(),
    )  # fmt: skip
    return dict(zip(COHERENCE, map(float, values), strict=True))


def loops_apart(runs: list[Row], row: Row) -> Row:
    """Mean collisions of an agent in the first loop, in a middle loop and in the last, over runs that ended."""
    numbers = [
        [loop["collisions"] for loop in run["loops"]] if _is_ended(run) and len(run["loops"]) >= 3 else None
        for run in in_order(runs)
    ]
    parts = {
        "collisions_first": [None if loops is None else loops[0] for loops in numbers],
        "collisions": [None if loops is None else float(np.mean(loops[1:-1])) for loops in numbers],
        "collisions_last": [None if loops is None else loops[-1] for loops in numbers],
    }
    return with_errors(parts)


def of_corridors(runs: list[Row], row: Row) -> Row:
    """The least majority of a run's corridors, whether some run each way, and the majority of each corridor."""
    ordered = in_order(runs)
    values = {
        "majority": [_ended(run, "corridor_majority") for run in ordered],
        "both_ways": [_ended(run, "corridors_both_ways") for run in ordered],
    }
    for name in SHARES:
        east = [_ended(run, f"corridor_{name}_east") for run in ordered]
        values[name] = [None if share is None else max(share, 1.0 - share) for share in east]
    return with_errors(values)


def in_order(runs: list[Row]) -> list[Row]:
    """The runs by seed, so that those of two settings with the same scenario stand at the same place."""
    return sorted(runs, key=lambda run: run.get("seed", 0))


def _is_ended(run: Row) -> bool:
    return bool(run["status"] == "solved")


def _ended(run: Row, column: str) -> float | None:
    return run.get(column) if _is_ended(run) else None
