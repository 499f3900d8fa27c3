"""The runs behind the tables of Jansen 2008: which controller with which options, on which problems."""

from __future__ import annotations

from typing import Any

from wayfolk.experiments.papers.jansen.ablation import switched
from wayfolk.experiments.papers.jansen.scenarios import patrols
from wayfolk.experiments.papers.tables import FULL, MIDDLE, QUICK, Row, Scale, has
from wayfolk.experiments.sweeps.job import Job

AGENTS = "jansen_direction_map"
# columns of the tables, and what its options are called
DIRECTION_MAP = {
    "w_max": "w_max",
    "alpha": "alpha",
    "radius": "radius",
    "astar_weight": "weight",
    "alpha_s": "alpha_s",
    "win": "window",
    "r_local": "local",
    "sector_size": "sector",
    "refinement": "refinement",
    "rule": "rule",
}
BASE: Row = {"agents": 100, "w_max": 10, "alpha": 0.5, "radius": 5, "astar_weight": 1}
WITH_SECTORS: Row = {"radius": 4}  # how far agents see each other in Tables 4.7 and 4.8, whatever their captions say
OF_COPIES: Row = {"w_max": 1}  # the simulator's default for agents that are added after the first kind
WINDOW = 16  # of WHCA*, in steps
RUNS = {QUICK: 3, MIDDLE: 25, FULL: 50}  # the first of the same scenarios
MORE_RUNS = RUNS | {FULL: 200}  # of tables whose claims 50 runs leave undecided; those beyond 50 are drawn
LOOPS = {QUICK: 6, MIDDLE: 20, FULL: 20}
ABLATION_RUNS = {QUICK: 1, MIDDLE: 10, FULL: 10}
PATIENCE = 1000.0  # time units for a loop before a run is given up: the slowest printed one takes 273


def jobs(row: Row, scale: Scale) -> list[Job] | str:
    """The runs behind a row of any table."""
    return has(controller(row)[0]) or runs(row, scale)


def more_jobs(row: Row, scale: Scale) -> list[Job] | str:
    """The runs behind a row of a table whose claims need more of them."""
    return has(controller(row)[0]) or runs(row, scale, MORE_RUNS[scale])


def runs(row: Row, scale: Scale, n: int | None = None) -> list[Job]:
    """The runs behind a row, `n` if not the usual number, without a check that the controller exists."""
    algorithm, options = controller(row)
    loops = LOOPS[scale]
    return [
        Job(
            map={"make": "paper", "name": f"jansen-{row['map']}"},
            problem=problem,
            algorithm=algorithm,
            options=options,
            seed=seed,
            limits={"until": PATIENCE * loops},
            moves="eight",
            model=row.get("model", "distance" if algorithm == "whca" else "turns"),
        )
        for seed, problem in enumerate(patrols(row["map"], (BASE | row)["agents"], loops, n or RUNS[scale]))
    ]


def controller(row: Row) -> tuple[str, dict[str, Any]]:
    """The controller of a row and its options. The same setting in two tables is the same run."""
    settings = BASE | row
    if row["algorithm"] == "WHCA*":
        return "whca", {"window": WINDOW, "resume": False}
    if row.get("sector_size"):
        settings |= WITH_SECTORS
    if row["algorithm"].startswith("LRA*"):
        return AGENTS, {"w_max": 0, "radius": settings["radius"], "weight": settings["astar_weight"]}
    options = {name: settings[column] for column, name in DIRECTION_MAP.items() if settings.get(column)}
    if row.get("rate"):
        options["alpha_s"] = row["rate"]
    return AGENTS, options


def ablation_jobs(row: Row, scale: Scale) -> list[Job]:
    """The runs of a row of the ablation: those of the setting, with one choice switched."""
    chosen = runs(row, scale)[: ABLATION_RUNS[scale]]
    return [switched(job, row["switched"]) for job in chosen]
