"""Bakos 2022, slides on BMAA*: Tables I to III, the curves of Figure 2, and the scenes of Figures 3 to 5. Document 001.

The slides' legend names the two suffixes the wrong way round: -f is flow, -c is push (SLIPS sB1).

The slides stop a run after 30 seconds, so that their tables depend on how fast a machine plans. Here planning is counted in
expansions: in each step the searches of FAR and A*-Replan together expand at most a budget of nodes for each agent, and a
run ends after STEPS steps. The budget is swept. BMAA* has its own bound, 32 expansions for a search, and needs no budget.
Tables I to III have BUDGET; for the others of BUDGETS, and for FAR and A*-Replan as we would have them (OURS), tables with
the same names and a suffix are measured and judged.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from wayfolk.errors import Missing
from wayfolk.experiments.papers.bmaa.causes import CAUSES, CHOICES, FINDINGS
from wayfolk.experiments.papers.bmaa.claims import ALGORITHMS, CLAIMS, LAK307D, PARKED_STEPS, PLACES, RIVALS, VERSIONS
from wayfolk.experiments.papers.bmaa.figures import FIGURES
from wayfolk.experiments.papers.bmaa.scenes import run_alone, run_figure, run_rooms
from wayfolk.experiments.papers.noise import with_errors
from wayfolk.experiments.papers.tables import FULL, MIDDLE, QUICK, PrintedTable, Row, Scale, has, printed
from wayfolk.experiments.sweeps.job import Job, file_digest
from wayfolk.files.folders import find_data

__all__ = ["CAUSES", "CHOICES", "CLAIMS", "FIGURES", "FINDINGS", "READINGS", "TABLES", "TITLE"]

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
RESERVED: dict[str, dict[str, Any]] = {  # options of FAR and A*-Replan, as the slides must have had them
    "FAR": {"reservation": 3, "jams": "leave"},
    "A*-Replan": {"reservation": 3, "jams": "replan"},
}
JAMS = {"jams": "break"}  # as we would have both
MOST = "expanded_most"  # the most expansions of any one search of a run
MOST_EXPANSIONS = 4_000_000  # of all agents in a step, which the algorithms allow

COUNTS = (*range(25, 401, 25), *range(600, 2001, 200))
FEW = 200  # agents at most in Tables II and III
STEPS = 1_000
BUDGET = 32  # as many as BMAA* may expand for an agent in a step
BUDGETS = (1, 2, 4, 8)  # the others
OURS = "-ours"
READINGS = {f"budget {budget}": f"-{budget}" for budget in BUDGETS} | {"FAR and A*-Replan as ours": OURS}
HAS_MIDDLE = True


class _AgentCounts(NamedTuple):
    """The numbers of agents and instances of a scale; `curve` has the numbers of agents of Figure 2."""

    counts: tuple[int, ...]
    curve: tuple[int, ...]
    instances: int


CURVE = (25, 50, 100, 200, 400, 800, 1600)
SIZES = {
    QUICK: _AgentCounts((25, 100), CURVE[:6], 2),
    MIDDLE: _AgentCounts((25, 100), CURVE, 10),
    FULL: _AgentCounts(COUNTS, COUNTS, 10),
}
SETUP = (
    "Random starts and goals on ten game maps, 8 neighbours, {agents} agents, 1,000 steps; BMAA* with 32 expansions, 32 "
    "moves and vision sqrt 2; FAR and A*-Replan with 3 reserved moves and a budget of {budget} expansions for each agent "
    "and step; 10 instances for each map and count, standard errors over instances. Middle: 25 and 100 agents. "
    "Quick: the same, 2 instances."
)


def _jobs(most: int, budget: float = BUDGET, is_ours: bool = False) -> Callable[[Row, Scale], list[Job] | str]:
    """The jobs of a printed row with at most `most` agents; a row of averages has the jobs of all rows it averages."""

    def jobs(row: Row, scale: Scale) -> list[Job] | str:
        algorithms = ALGORITHMS if row["algorithm"] == "Overall" else (row["algorithm"],)
        places = PLACES if row["map"] == "Overall" else ((row["map"], row["dims"]),)
        return _runs(algorithms, places, [n for n in SIZES[scale].counts if n <= most], scale, budget, is_ours)

    return jobs


def _curve(row: Row, scale: Scale) -> list[Job] | str:
    """One point of Figure 2."""
    places = PLACES if scale == FULL else (LAK307D,)
    jobs = _runs((row["algorithm"],), places, [row["agents"]], scale, BUDGET, False)
    left_out = row["agents"] not in SIZES[scale].curve and not isinstance(jobs, str)
    return f"left out of the {scale} version" if left_out else jobs


def _by_budget(row: Row, scale: Scale) -> list[Job] | str:
    """All maps and counts, for one budget."""
    is_ours = row["jams"] == "ours"
    return _runs((row["algorithm"],), PLACES, list(SIZES[scale].counts), scale, row["budget"] or BUDGET, is_ours)


def _runs(
    algorithms: tuple[str, ...],
    places: tuple[tuple[str, str], ...],
    counts: list[int],
    scale: Scale,
    budget: float,
    is_ours: bool,
) -> list[Job] | str:
    missing = has(*(NAMES[algorithm] for algorithm in algorithms))
    if missing:
        return missing
    jobs: list[Job] = []
    for place in places:
        world = _world(*place)
        if isinstance(world, str):
            return world
        jobs += [
            _job(
                json.dumps(world),
                NAMES[algorithm],
                count,
                seed,
                json.dumps(_options(algorithm, count, budget, is_ours)),
            )
            for algorithm in algorithms
            for count in counts
            for seed in range(SIZES[scale].instances)
        ]
    return jobs


@cache
def _job(world: str, name: str, count: int, seed: int, options: str) -> Job:
    """A run. Kept, since several tables measure the same runs."""
    problem = {"kind": "random", "agents": count}
    return Job(json.loads(world), problem, name, json.loads(options), seed=seed, limits={"steps": STEPS})


def _options(algorithm: str, agents: int = 0, budget: float = BUDGET, is_ours: bool = False) -> dict[str, Any]:
    """The options of an algorithm; FAR and A*-Replan share a budget if there are `agents`."""
    if algorithm not in RESERVED:
        return {} if algorithm == "A*" else BOUNDED
    shared = {"expansions": min(int(budget * agents), MOST_EXPANSIONS)} if agents else {}
    return RESERVED[algorithm] | (JAMS if is_ours else {}) | shared


@cache
def _world(name: str, dims: str) -> dict[str, Any] | str:
    """The map of that name and size, or a sentence that it is missing."""
    try:
        path = find_data(f"bmaa/{name}-{dims}.map" if dims == "320x281" else f"bmaa/{name}.map")
    except Missing as missing:
        return f"not measured: {missing}"
    return {"file": str(path), "digest": file_digest(path)}


def _scenes(row: Row, scale: Scale, is_ours: bool = False) -> list[Row] | str:
    """The runs of a scene: a drawn one, or rooms with doors of one cell."""
    name, options, steps = NAMES[row["algorithm"]], _options(row["algorithm"], is_ours=is_ours), row["steps"]
    missing = has(name)
    if missing:
        return missing
    if row["scene"] == "rooms":
        return [run_rooms(name, options, steps, seed) for seed in range(2 if scale == QUICK else 10)]
    return [run_figure(row["scene"], name, options, steps)]


def _alone(row: Row, scale: Scale) -> list[Row] | str:
    return has("bmaa") or [run_alone(row["blocked"], seed) for seed in range(3 if scale == QUICK else 20)]


def _rate(run: Row) -> float | None:
    return _times(run.get("completion_rate"), 100.0)


def _steps(run: Row) -> float | None:
    """The mean step of the last arrival; STEPS for who is not at its goal, also if the run ended before."""
    return run.get("completion_time")


def _distance(run: Row) -> float | None:
    """The mean distance over agents; for a search, the cost of its path."""
    walked = run.get("travel_distance")
    return run.get("cost") if walked is None else _times(walked, 1.0 / run["n_agents"])


def _waiting(run: Row) -> float | None:
    """The mean number of agents in a step that stand still away from their goals."""
    loss, fuel, steps = (run.get(name) for name in ("sum_of_loss", "fuel", "makespan"))
    return None if loss is None or fuel is None or not steps else (loss - fuel) / steps


def _times(number: float | None, factor: float) -> float | None:
    return None if number is None else number * factor


def _used(run: Row) -> float | None:
    """Expansions for each agent and step."""
    return _times(run.get("expanded"), 1.0 / (run["n_agents"] * max(run.get("makespan") or 1, 1)))


def _means(**measures: Callable[[Row], float | None]) -> Callable[[list[Row], Row], Row]:
    """A summary of runs: the mean of each measure, None if a run does not have it."""

    def summarise(runs: list[Row], row: Row) -> Row:
        columns = {name: [measure(run) for run in runs] for name, measure in measures.items()}
        return {name: None if None in values else statistics.fmean(values) for name, values in columns.items()}  # type: ignore[arg-type]

    return summarise


def _by_instance(**measures: Callable[[Row], float | None]) -> Callable[[list[Row], Row], Row]:
    """A summary of runs: means over all maps and counts for each instance, and their mean and standard error."""

    def summarise(runs: list[Row], row: Row) -> Row:
        by_seed: dict[int, list[Row]] = {}
        for run in runs:
            by_seed.setdefault(run["seed"], []).append(run)
        instances = [by_seed[seed] for seed in sorted(by_seed)]
        return with_errors({name: [_mean(measure, some) for some in instances] for name, measure in measures.items()})

    return summarise


def _mean(measure: Callable[[Row], float | None], runs: list[Row]) -> float | None:
    values = [measure(run) for run in runs]
    return None if None in values else statistics.fmean(values)  # type: ignore[arg-type]


def _largest(runs: list[Row], row: Row) -> Row:
    values = [run.get(MOST) for run in runs]
    return {"most_expanded": None if None in values else max(values)}  # type: ignore[type-var]


def _of_beliefs(runs: list[Row], row: Row) -> Row:
    largest = {name: max(run[name] for run in runs) for name in ("above", "gap")}
    return largest | {"completion_rate_pct": 100.0 * statistics.fmean(run["arrived"] for run in runs)}


def _without_printed(name: str) -> list[Row]:
    return [{key: value for key, value in row.items() if not key.startswith("printed_")} for row in printed(name)]


def _measured_tables(suffix: str = "", budget: float = BUDGET, is_ours: bool = False) -> list[PrintedTable]:
    """Tables I to III for one budget."""
    few, many = (SETUP.format(agents=f"25 to {n}", budget=f"{budget:g}") for n in (FEW, COUNTS[-1]))
    steps = " Who is not at its goal counts with the limit. The slides print seconds."
    kinds = (
        ("I", "Completion rates by map, in percent of the agents", many, COUNTS[-1], "completion_rate_pct", _rate),
        ("II", "Completion times by map, in steps", few + steps, FEW, "completion_steps", _steps),
        ("III", "Travel distances by map, mean over agents", few, FEW, "travel_distance", _distance),
    )
    columns = {"completion_rate_pct": "completion_rate", "completion_steps": "completion_time"}
    return [
        PrintedTable(
            number + suffix,
            title,
            setup,
            {metric: columns.get(metric, metric)},
            _jobs(most, budget, is_ours),
            _without_printed(f"bmaa-{number}"),
            _by_instance(**{metric: measure}),
            on_page=not suffix,
        )
        for number, title, setup, most, metric, measure in kinds
    ]


def _budget_rows() -> list[Row]:
    """A row for each algorithm and budget, with the printed means over all maps."""
    printed_means = {
        table: {row["algorithm"]: row[metric] for row in printed(table) if row["map"] == "Overall"}
        for table, metric in (("bmaa-I", "completion_rate_pct"), ("bmaa-III", "travel_distance"))
    }
    rows = []
    for name in ALGORITHMS:
        for jams in ("slides", "ours") if name in RIVALS else ("",):
            for budget in (*BUDGETS, BUDGET) if jams == "slides" else (BUDGET if jams else None,):
                printed_ones = {
                    "completion_rate_pct": printed_means["bmaa-I"][name],
                    "all_travel_distance": printed_means["bmaa-III"][name],
                }
                rows.append({"algorithm": name, "jams": jams, "budget": budget} | printed_ones)
    return rows


SCENES: list[Row] = [
    *({"scene": "dead-end", "algorithm": a, "steps": 10_000} for a in ("A*", "A*-Replan", "BMAA*")),
    {"scene": "corridor", "algorithm": "FAR", "steps": 1000},
    *({"scene": "rooms", "algorithm": a, "steps": 500} for a in ("FAR", "BMAA*")),
    *({"scene": "parked", "algorithm": a, "steps": steps} for a in VERSIONS for steps in PARKED_STEPS),
]
SCENE_TABLE = PrintedTable(
    "scenes",
    "Single scenes: a dead end, a corridor, rooms with narrow doors, and parked agents in the way (Figures 3 to 5)",
    "dead-end: one agent before a deep dead end that faces its goal. corridor: agents that come from both ends of "
    "a corridor one cell wide. rooms: 100 agents in rooms with doors of one cell. parked: agents on their goals in "
    "a corridor one cell wide, between an agent and its goal.",
    {"completion_rate_pct": "completion_rate", "distance": "travel_distance", "waiting": "sum_of_loss"},
    lambda row, scale: [],
    SCENES,
    _means(completion_rate_pct=_rate, distance=_distance, waiting=_waiting),
    _scenes,
)
TABLES = [
    PrintedTable(
        "budget",
        "All maps: completion rate, time and distance by the budget of expansions for each agent and step",
        SETUP.format(agents="25 to 2,000", budget="1 to 32")
        + " jams: FAR and A*-Replan as the slides must have had them (FAR leaves jams, A*-Replan searches again whenever"
        " cells are taken), or ours, which break jams. used: what was expanded, for each agent and step. The slides print"
        " distances for at most 200 agents.",
        {
            "completion_rate_pct": "completion_rate",
            "completion_steps": "completion_time",
            "all_travel_distance": "travel_distance",
            "used": "expanded",
        },
        _by_budget,
        _budget_rows(),
        _by_instance(completion_rate_pct=_rate, completion_steps=_steps, all_travel_distance=_distance, used=_used),
    ),
    *_measured_tables(),
    PrintedTable(
        "fig2",
        "Completion rate over the number of agents",
        SETUP.format(agents="25 to 2000", budget="32") + " Middle and quick: lak307d only, 25 to 1,600 or 800 agents.",
        {"completion_rate_pct": "completion_rate"},
        _curve,
        [{"algorithm": name, "agents": agents} for name in ALGORITHMS for agents in sorted({*COUNTS, *CURVE})],
        _by_instance(completion_rate_pct=_rate),
    ),
    SCENE_TABLE,
    PrintedTable(
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
    PrintedTable(
        "expansions",
        "The most expansions of any search",
        SETUP.format(agents="25 to 2000", budget="32"),
        {"most_expanded": MOST},
        _jobs(COUNTS[-1]),
        [{"map": name, "dims": dims, "algorithm": a} for name, dims in PLACES for a in VERSIONS],
        _largest,
    ),
    *(table for budget in BUDGETS for table in _measured_tables(f"-{budget}", budget)),
    *_measured_tables(OURS, is_ours=True),
    replace(SCENE_TABLE, id="scenes" + OURS, make=lambda row, scale: _scenes(row, scale, is_ours=True), on_page=False),
]
