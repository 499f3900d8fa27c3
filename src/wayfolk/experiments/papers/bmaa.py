"""Bakos 2022, slides on BMAA*: Tables I to III, the curves of Figure 2, and the scenes of Figures 3 to 5. Document 001.

The slides' legend names the two suffixes the wrong way round: -f is flow, -c is push (SLIPS sB1).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from wayfolk.data import find_data
from wayfolk.errors import Missing
from wayfolk.experiments.cell import Cell, file_digest
from wayfolk.experiments.papers import FULL, MIDDLE, QUICK, Row, Scale, Table, has, printed
from wayfolk.experiments.papers.bmaa_claims import ALGORITHMS, CLAIMS, LAK307D, PARKED_STEPS, PLACES, VERSIONS
from wayfolk.experiments.papers.bmaa_figures import FIGURES
from wayfolk.experiments.papers.bmaa_scenes import run_alone, run_rooms, run_scene

__all__ = ["CLAIMS", "FIGURES", "TABLES", "TITLE"]

TITLE = "Bakos 2022, Multi-agent pathfinding with real-time heuristic search (slides on BMAA*)"

NAMES = {
    "A*-Replan": "a_star_replan",
    "BMAA*": "bmaa",
    "BMAA*-c": "bmaa_c",
    "BMAA*-f": "bmaa_f",
    "BMAA*-f-c": "bmaa_f_c",
    "FAR": "far",
    "A*": "astar",
}
BOUNDED: dict[str, Any] = {"expansions": 32, "moves": 32, "vision": 2**0.5}  # options of the four versions
RESERVED: dict[str, Any] = {"reservation": 3}  # options of FAR and A*-Replan
SECONDS = "completion_seconds"  # mean over agents of the second of the last arrival, the limit for who never arrived
MOST = "expanded_most"  # the most expansions of any one search of a run

COUNTS = (*range(25, 401, 25), *range(600, 2001, 200))
FEW = 200  # agents at most in Tables II and III
STEPS = 20_000  # after which a run ends if it has seconds left: agents that wait for ever take no time
HAS_MIDDLE = True


class _Size(NamedTuple):
    """How many agents, how often, for how long; `curve` are the numbers of agents of Figure 2."""

    counts: tuple[int, ...]
    curve: tuple[int, ...]
    instances: int
    seconds: float


MIDDLE_COUNTS = (25, 100, 200, 400, 1000, 2000)
SIZES = {
    QUICK: _Size((25, 100, 400), (25, 50, 100, 200, 400, 800), 1, 0.5),
    MIDDLE: _Size(MIDDLE_COUNTS, MIDDLE_COUNTS, 2, 10.0),
    FULL: _Size(COUNTS, COUNTS, 10, 30.0),
}
SETUP = (
    "Random starts and goals on ten game maps, 8 neighbours, {agents} agents, 30 s of wall-clock time for a run, and at "
    "most 20,000 steps (ours); BMAA* with 32 expansions, 32 moves and vision sqrt 2, FAR and A*-Replan with 3 reserved "
    "moves; 10 instances for each map and count (the slides do not say how many). Middle: 25, 100, 200, 400, 1,000 and "
    "2,000 agents, 2 instances, 10 s. Quick: 25, 100 and 400 agents, 1 instance, 0.5 s."
)


def _cells(most: int) -> Callable[[Row, Scale], list[Cell] | str]:
    """The cells of a printed row with at most so many agents; an average has those of all that it averages."""

    def cells(row: Row, scale: Scale) -> list[Cell] | str:
        algorithms = ALGORITHMS if row["algorithm"] == "Overall" else (row["algorithm"],)
        places = PLACES if row["map"] == "Overall" else ((row["map"], row["dims"]),)
        return _runs(algorithms, places, [n for n in SIZES[scale].counts if n <= most], scale)

    return cells


def _curve(row: Row, scale: Scale) -> list[Cell] | str:
    """One point of Figure 2."""
    found = _runs((row["algorithm"],), (LAK307D,) if scale == QUICK else PLACES, [row["agents"]], scale)
    left_out = row["agents"] not in SIZES[scale].curve and not isinstance(found, str)
    return f"left out of the {scale} version" if left_out else found


def _runs(
    algorithms: tuple[str, ...], places: tuple[tuple[str, str], ...], counts: list[int], scale: Scale
) -> list[Cell] | str:
    missing = has(*(NAMES[algorithm] for algorithm in algorithms))
    if missing:
        return missing
    size, found = SIZES[scale], []
    for place in places:
        world = _world(*place)
        if isinstance(world, str):
            return world
        found += [
            Cell(
                world,
                {"kind": "random", "agents": count},
                NAMES[algorithm],
                _options(algorithm),
                seed=seed,
                limits={"seconds": size.seconds, "steps": STEPS},
            )
            for algorithm in algorithms
            for count in counts
            for seed in range(size.instances)
        ]
    return found


def _options(algorithm: str) -> dict[str, Any]:
    return {} if algorithm == "A*" else BOUNDED if algorithm in VERSIONS else RESERVED


@cache
def _world(name: str, dims: str) -> dict[str, Any] | str:
    """The map of that name and size, or a sentence."""
    try:
        path = find_data(f"bmaa/{name}-{dims}.map" if dims == "320x281" else f"bmaa/{name}.map")
    except Missing as missing:
        return f"not measured: {missing}"
    return {"file": str(path), "digest": file_digest(path)}


def _scenes(row: Row, scale: Scale) -> list[Row] | str:
    """The runs of a scene: a drawn one, or rooms with doors of one cell."""
    name, options, steps = NAMES[row["algorithm"]], _options(row["algorithm"]), row["steps"]
    missing = has(name)
    if missing:
        return missing
    if row["scene"] == "rooms":
        return [run_rooms(name, options, steps, seed) for seed in range(2 if scale == QUICK else 10)]
    return [run_scene(row["scene"], name, options, steps)]


def _alone(row: Row, scale: Scale) -> list[Row] | str:
    return has("bmaa") or [run_alone(row["blocked"], seed) for seed in range(3 if scale == QUICK else 20)]


def _rate(run: Row) -> float | None:
    return _times(run.get("completion_rate"), 100.0)


def _distance(run: Row) -> float | None:
    """The mean over agents; a search has walked its path."""
    walked = run.get("travel_distance")
    return run.get("cost") if walked is None else _times(walked, 1.0 / run["n_agents"])


def _waiting(run: Row) -> float | None:
    """Agents that stand still somewhere else than on their goals, for each step."""
    loss, fuel, steps = (run.get(name) for name in ("sum_of_loss", "fuel", "makespan"))
    return None if loss is None or fuel is None or not steps else (loss - fuel) / steps


def _times(number: float | None, factor: float) -> float | None:
    return None if number is None else number * factor


def _means(**measures: Callable[[Row], float | None]) -> Callable[[list[Row], Row], Row]:
    """A summary of runs: the mean of each measure, None if a run does not have it."""

    def summarise(runs: list[Row], row: Row) -> Row:
        found = {name: [measure(run) for run in runs] for name, measure in measures.items()}
        return {name: None if None in values else statistics.fmean(values) for name, values in found.items()}  # type: ignore[arg-type]

    return summarise


def _largest(runs: list[Row], row: Row) -> Row:
    values = [run.get(MOST) for run in runs]
    return {"most_expanded": None if None in values else max(values)}  # type: ignore[type-var]


def _of_beliefs(runs: list[Row], row: Row) -> Row:
    found = {name: max(run[name] for run in runs) for name in ("above", "gap")}
    return found | {"completion_rate_pct": 100.0 * statistics.fmean(run["arrived"] for run in runs)}


def _without_printed(name: str) -> list[Row]:
    return [{key: value for key, value in row.items() if not key.startswith("printed_")} for row in printed(name)]


TABLES = [
    Table(
        "I",
        "Completion rates by map, in percent of the agents",
        SETUP.format(agents="25 to 2000"),
        {"completion_rate_pct": "completion_rate"},
        _cells(COUNTS[-1]),
        _without_printed("bmaa-I"),
        _means(completion_rate_pct=_rate),
    ),
    Table(
        "II",
        "Completion times by map, in seconds",
        SETUP.format(agents="25 to 200") + " Who is not at its goal counts with the limit.",
        {"completion_time_s": SECONDS},
        _cells(FEW),
        _without_printed("bmaa-II"),
        _means(completion_time_s=lambda run: run.get(SECONDS)),
    ),
    Table(
        "III",
        "Travel distances by map, mean over agents",
        SETUP.format(agents="25 to 200"),
        {"travel_distance": "travel_distance"},
        _cells(FEW),
        _without_printed("bmaa-III"),
        _means(travel_distance=_distance),
    ),
    Table(
        "fig2",
        "Completion rate over the number of agents",
        SETUP.format(agents="25 to 2000") + " Quick: lak307d only, 25 to 800 agents.",
        {"completion_rate_pct": "completion_rate"},
        _curve,
        [{"algorithm": algorithm, "agents": agents} for algorithm in ALGORITHMS for agents in COUNTS],
        _means(completion_rate_pct=_rate),
    ),
    Table(
        "scenes",
        "Single scenes: a dead end, a corridor, rooms with narrow doors, and parked agents in the way (Figures 3 to 5)",
        "dead-end: one agent before a deep dead end that faces its goal. corridor: agents that come from both ends of "
        "a corridor one cell wide. rooms: 100 agents in rooms with doors of one cell. parked: agents on their goals in "
        "a corridor one cell wide, between an agent and its goal.",
        {"completion_rate_pct": "completion_rate", "distance": "travel_distance", "waiting": "sum_of_loss"},
        lambda row, scale: [],
        [
            *({"scene": "dead-end", "algorithm": a, "steps": 10_000} for a in ("A*", "A*-Replan", "BMAA*")),
            {"scene": "corridor", "algorithm": "FAR", "steps": 1000},
            *({"scene": "rooms", "algorithm": a, "steps": 500} for a in ("FAR", "BMAA*")),
            *({"scene": "parked", "algorithm": a, "steps": steps} for a in VERSIONS for steps in PARKED_STEPS),
        ],
        _means(completion_rate_pct=_rate, distance=_distance, waiting=_waiting),
        _scenes,
    ),
    Table(
        "lone",
        "What a lone agent of BMAA* believes, against the truth",
        "One agent on random maps of 32 x 32 cells, 20 maps of each density (quick: 3). `above` is the most that a belief "
        "about a cell was above its true distance after any step, `gap` the most that the beliefs about neighbours "
        "differed beyond the length of the step; beliefs are kept in single precision.",
        {"completion_rate_pct": "arrived", "above": "above", "gap": "gap"},
        lambda row, scale: [],
        [{"blocked": blocked} for blocked in (0.0, 0.1, 0.2, 0.3, 0.4)],
        _of_beliefs,
        _alone,
    ),
    Table(
        "expansions",
        "The most expansions of any search",
        SETUP.format(agents="25 to 2000"),
        {"most_expanded": MOST},
        _cells(COUNTS[-1]),
        [{"map": name, "dims": dims, "algorithm": a} for name, dims in PLACES for a in VERSIONS],
        _largest,
    ),
]
