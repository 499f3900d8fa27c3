"""Jansen 2008, Direction Maps: Tables 4.1 to 4.12, the coherence of Figures 4.6 to 4.20, and what only the text tells.

The maps are rebuilt from the text (`thesis_maps.py`), so that numbers are of the same kind but not the same; claims
compare ours with ours.
"""

from __future__ import annotations

import math
from typing import Any

from wayfolk.experiments.cell import Cell
from wayfolk.experiments.papers import QUICK, Row, Scale, Table, has, printed
from wayfolk.experiments.papers.jansen_claims import BASIC
from wayfolk.experiments.papers.jansen_figures import FIGURES
from wayfolk.experiments.papers.jansen_greedy import walks as greedy_walks
from wayfolk.experiments.papers.jansen_measures import COHERENCE, loops_apart, over_runs
from wayfolk.experiments.papers.jansen_variants import VARIANTS

__all__ = ["CLAIMS", "FIGURES", "TABLES", "TITLE"]

TITLE = "Jansen 2008, Multi-agent pathfinding with direction maps"
CLAIMS = sorted(BASIC + VARIANTS, key=lambda claim: int(claim.id[1:]))

METRICS = {
    "nodes_expanded": "expanded",
    "simulation_time": "simulation_time",
    "distance": "distance",
    "collisions": "collisions",
}
COLUMNS = dict.fromkeys(COHERENCE, "coherence")
LOOPS_APART = dict.fromkeys(("collisions_first", "collisions", "collisions_last"), "collisions")
CORRIDORS = {  # over loops 10 to 19, or the same part of fewer
    "majority": "corridor_majority",  # share of crossings that go the majority way, in the corridor where it is least
    "both_ways": "corridors_both_ways",  # 1 if some corridors run each way, else 0
}
GREEDY = {"on_vectors": "share_on_vectors", "expanded_per_step": "expanded_per_step"}

# columns of the tables, and what controllers/direction_map.py calls them
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
}
BASE: Row = {"agents": 100, "w_max": 10, "alpha": 0.5, "radius": 5, "astar_weight": 1}
WINDOW = 16  # of WHCA*, in steps
RUNS, LOOPS = 50, 20
QUICK_RUNS, QUICK_LOOPS = 3, 6
PATIENCE = 1000.0  # time units for a loop before a run is given up: the slowest printed one takes 260
HOW = (
    " Agents walk twenty times to another cell and back at one unit of distance per unit of time, planning in a fixed"
    " order; 50 runs, each with other cells. All but the time leave out the first and the last loop. Quick: 3 runs of 6"
    " loops, whose time cannot be held against the printed one."
)


def cells(row: Row, scale: Scale) -> list[Cell] | str:
    """The runs behind a row of any table."""
    return has(controller(row)[0]) or runs(row, scale)


def runs(row: Row, scale: Scale) -> list[Cell]:
    """The same, whether or not there is a controller to run them."""
    algorithm, options = controller(row)
    loops = QUICK_LOOPS if scale == QUICK else LOOPS
    return [
        Cell(
            map={"make": "thesis", "letter": row["map"]},
            problem={"kind": "patrol", "agents": (BASE | row)["agents"], "loops": loops},
            algorithm=algorithm,
            options=options,
            seed=seed,
            limits={"until": PATIENCE * loops},
            moves="eight",
            model="distance",
        )
        for seed in range(QUICK_RUNS if scale == QUICK else RUNS)
    ]


def controller(row: Row) -> tuple[str, dict[str, Any]]:
    """Who walks in a row, and with which options. The same setting in two tables is the same run."""
    settings = BASE | row
    if row["algorithm"] == "WHCA*":
        return "whca", {"window": WINDOW}
    if row["algorithm"].startswith("LRA*"):
        return "lra", {"radius": settings["radius"], "weight": settings["astar_weight"]}
    return "direction_map", {name: settings[column] for column, name in DIRECTION_MAP.items() if settings.get(column)}


def _beside_dm(row: Row, scale: Scale) -> list[Cell] | str:
    """The runs of a figure, which compares with a direction map."""
    return has("direction_map") or cells(row, scale)


def _greedy(row: Row, scale: Scale) -> list[Row] | str:
    """Walks along maps that were made for them: what one run learns and another uses is no cell."""
    lacking = has("direction_map", "greedy_direction_map")
    return lacking or greedy_walks(row["map"], row["agents"], QUICK_RUNS if scale == QUICK else RUNS)


def _rows(number: str) -> list[Row]:
    """The printed rows, in the corrected reading; a window or a radius without an end is None."""
    return [
        {name: None if value == math.inf else value for name, value in row.items() if not name.startswith("printed_")}
        for row in printed(f"jansen-{number}")
    ]


def _table(number: str, title: str, setup: str) -> Table:
    return Table(number, title, setup + HOW, METRICS, cells, _rows(number))


def _figure(number: str, title: str, rows: list[Row]) -> Table:
    """A picture of coherence over time: the settings of its table, without numbers."""
    settings = [{name: value for name, value in row.items() if name not in METRICS} for row in rows]
    setup = (
        "Map coherence while the agents of the table of these settings walk, as means over runs, which are laid over each"
        " other from beginning to end; the least and the most are of single runs after the first loop. Printed as curves"
        " only."
    )
    return Table(f"fig{number}", title, setup + HOW, COLUMNS, _beside_dm, settings, over_runs)


def _by(letters: str, algorithms: tuple[str, ...]) -> list[Row]:
    return [{"map": letter, "agents": 100, "algorithm": name} for letter in letters for name in algorithms]


_PLAIN_DM: list[Row] = [{"map": "c", "agents": 100, "algorithm": "DM", "w_max": 10, "alpha": 0.5, "radius": 5}]
_RADII: list[Row] = [_PLAIN_DM[0] | {"map": letter, "radius": radius} for letter in "bd" for radius in (2, 10)]

TABLES = [
    _table("4.1", "DM, varying w_max", "Map (b), 100 agents that see each other within 5, learning rate 0.5."),
    _table("4.2", "DM, varying alpha", "Map (b), 100 agents that see each other within 5, w_max 10."),
    _table("4.3", "DM, varying the visibility radius", "Maps (a) and (c), 100 agents, w_max 10, learning rate 0.5."),
    _table("4.4", "DM, varying the number of agents", "Map (d), w_max 2, radius 5, learning rate 0.5."),
    _table(
        "4.5",
        "DM, LRA* and WHCA*",
        "Map (c), 100 agents; DM with w_max 10 and learning rate 0.5, radius 5 for DM and LRA*, WHCA* with a window of"
        " 16. Time and distance of WHCA* are printed in each other's place and are put right here.",
    ),
    _table(
        "4.6",
        "LRA* and DM with A* and weighted A*",
        "Map (c), radius 5, learning rate 0.5, w_max 10; 100 agents, as in the tables around it: not stated.",
    ),
    _table(
        "4.7",
        "DM with abstraction, full refinement",
        "Map (c), 100 agents, radius 5, w_max 10, learning rate 0.5; a path over square sectors is refined as a whole.",
    ),
    _table(
        "4.8",
        "DM with abstraction, partial refinement",
        "As Table 4.7, but a path is refined to the second sector ahead and cut off after 60 percent.",
    ),
    _table(
        "4.9",
        "DM with updates of the surrounding cells",
        "Map (d), 100 agents, radius 5, w_max 10, learning rate 0.5; the eight cells around learn with alpha_s.",
    ),
    _table(
        "4.10",
        "DM seen in a window",
        "Map (d), 100 agents, radius 5, w_max 10, learning rate 0.5; agents know the DM within `win` and cut their path"
        " at its edge.",
    ),
    _table(
        "4.11",
        "DM with own copies, map (b)",
        "Map (b), 100 agents, radius 5, w_max 10, learning rate 0.5; each agent's copy is refreshed within r_local.",
    ),
    _table(
        "4.12",
        "DM with own copies, map (d)",
        "Map (d), 100 agents, radius 5, w_max 10, learning rate 0.5; each agent's copy is refreshed within r_local.",
    ),
    Table(
        "4.3-text",
        "DM, varying the visibility radius, on the maps that are not printed",
        "Maps (b) and (d), 100 agents, w_max 10, learning rate 0.5: the text tells the outcome without numbers." + HOW,
        METRICS,
        cells,
        _RADII,
    ),
    Table(
        "4.5-text",
        "DM, LRA* and WHCA* on the maps that are not printed",
        "Maps (a), (b) and (d), the settings of Table 4.5: the text tells the outcome without numbers." + HOW,
        METRICS,
        cells,
        _by("abd", ("DM", "LRA*", "WHCA*")),
    ),
    _figure("4.6", "Coherence, varying w_max", _rows("4.1")),
    _figure("4.7", "Coherence, varying alpha", _rows("4.2")),
    _figure("4.8", "Coherence, varying the visibility radius", _rows("4.3")),
    _figure("4.9", "Coherence, varying the number of agents", _rows("4.4")),
    _figure("4.10", "Coherence of DM, LRA* and WHCA*", _rows("4.5")),
    _figure("4.11", "Coherence of LRA* with weighted A*", [row for row in _rows("4.6") if row["uses_dm"] == "no"]),
    _figure("4.12", "Coherence of DM with weighted A*", [row for row in _rows("4.6") if row["uses_dm"] == "yes"]),
    _figure("4.14", "Coherence with abstraction, full refinement", _PLAIN_DM + _rows("4.7")),
    _figure("4.15", "Coherence with abstraction, partial refinement", _PLAIN_DM + _rows("4.8")),
    _figure("4.17", "Coherence with updates of the surrounding cells", _rows("4.9")),
    _figure("4.18", "Coherence of DM seen in a window", _rows("4.10")),
    _figure("4.19", "Coherence of own copies, map (b)", _rows("4.11")),
    _figure("4.20", "Coherence of own copies, map (d)", _rows("4.12")),
    Table(
        "lanes",
        "One-way corridors",
        "Map (c), 100 agents, w_max 10, radius 5, learning rate 0.5: who crosses the corridors of the centre which way"
        " in loops 10 to 19 (quick: 3 to 5). Told in section 4.1.1 without numbers." + HOW,
        CORRIDORS,
        cells,
        _PLAIN_DM,
    ),
    Table(
        "loops",
        "The first and the last loop",
        "Maps (b), (c) and (d), 100 agents, the settings of Table 4.5: collisions in the first loop, in those between"
        " and in the last. Told in section 4.1.1 without numbers." + HOW,
        LOOPS_APART,
        cells,
        _by("bcd", ("DM", "LRA*")),
        loops_apart,
    ),
    Table(
        "greedy",
        "Following a learned map greedily",
        "40 agents patrol ten times and update the cells around them as well; then they are removed and one agent that"
        " always takes the cheapest step walks at random until it is on a vector, and then 500 steps more (section 3.6,"
        " Figure 3.14: one picture). 50 walks, each on a map of its own; quick: 3.",
        GREEDY,
        lambda row, scale: [],
        [{"map": "b", "agents": 40, "algorithm": "greedy"}],
        make=_greedy,
    ),
]
