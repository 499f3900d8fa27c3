"""Jansen 2008, Direction Maps: Tables 4.1 to 4.12, the coherence of Figures 4.6 to 4.20, and what only the text tells.

Everything is run as the thesis ran it: on its maps, with its scenarios where they are found (`jansen/scen` in the benchmark
data; else agents are drawn by the same rule), in its simulator's time model `turns`, by `jansen_direction_map`.
"""

from __future__ import annotations

import math
from typing import Any

from wayfolk.experiments.papers.jansen.ablation import SETTINGS, SWITCHES
from wayfolk.experiments.papers.jansen.causes import CAUSES, CHOICES, FINDINGS, READINGS
from wayfolk.experiments.papers.jansen.claims import BASIC
from wayfolk.experiments.papers.jansen.figures import FIGURES
from wayfolk.experiments.papers.jansen.greedy import walks as greedy_walks
from wayfolk.experiments.papers.jansen.jobs import OF_COPIES, RUNS, ablation_jobs, jobs, more_jobs
from wayfolk.experiments.papers.jansen.measures import COHERENCE, SHARES, loops_apart, means, of_corridors, over_runs
from wayfolk.experiments.papers.jansen.scenarios import lacking
from wayfolk.experiments.papers.jansen.variants import VARIANTS
from wayfolk.experiments.papers.tables import PrintedTable, Row, Scale, has, printed
from wayfolk.experiments.sweeps.job import Job

__all__ = [
    "CAUSES", "CHOICES", "CLAIMS", "FIGURES", "FINDINGS", "HAS_MIDDLE", "READINGS", "TABLES", "TITLE", "lacking",
]  # fmt: skip

TITLE = "Jansen 2008, Multi-agent pathfinding with direction maps"
CLAIMS = sorted(BASIC + VARIANTS, key=lambda claim: int(claim.id[1:]))

METRICS = {
    "nodes_expanded": "expanded",
    "simulation_time": "simulation_time",
    "distance": "distance",
    "collisions": "collisions",
    "ended": "status",  # how many runs came to an end; the others are left out of the means
}
COLUMNS = dict.fromkeys(COHERENCE, "coherence")
LOOPS_APART = dict.fromkeys(("collisions_first", "collisions", "collisions_last"), "collisions")
CORRIDORS = {  # over loops 10 to 19, or the same part of fewer
    "majority": "corridor_majority",  # share of crossings that go the majority way, in the corridor where it is least
    "both_ways": "corridors_both_ways",  # 1 if some corridors run each way, else 0
    **{name: name for name in SHARES},  # share of the majority way in each corridor
}
GREEDY = {"on_vectors": "share_on_vectors", "expanded_per_step": "expanded_per_step"}

HAS_MIDDLE = True
UNDECIDED = ("4.2", "4.7", "4.8", "4.9", "4.9-squared", "4.10", "4.12")  # tables of claims that 50 runs leave undecided
MORE = " In full 200 runs: those of the thesis and 150 that are drawn by its rule, because 50 leave a claim undecided."
TWO_WEIGHTS = (
    " The plain DM beside them has w_max 10 and the copies w_max 1, as in the simulator: this comparison was of two"
    " weights, not of two ways of knowing the map."
)
HOW = (
    " 50 runs of 20 loops; all but the time leave out the first and the last loop. Runs that never end are left out."
    " Middle: the first 25 runs. Quick: 3 runs of 6 loops, whose time cannot be held against the printed one."
)


def _beside_dm(row: Row, scale: Scale) -> list[Job] | str:
    """The runs of a figure, which compares with a direction map."""
    return has("direction_map") or jobs(row, scale)


def _greedy(row: Row, scale: Scale) -> list[Row] | str:
    """Walks along learned maps. They are not jobs of a sweep, because one run uses what another has learned."""
    lacking = has("direction_map", "greedy_direction_map")
    return lacking or greedy_walks(row["map"], row["agents"], RUNS[scale])


def _rows(number: str, **changed: Any) -> list[Row]:
    """The printed rows, in the corrected reading; a window or a radius without an end is None.

    `changed` replaces settings of rows that are not of the plain direction map.
    """
    rows = []
    for row in printed(f"jansen-{number}"):
        kept = {name: None if value == math.inf else value for name, value in row.items()}
        kept = {name: value for name, value in kept.items() if not name.startswith("printed_")}
        rows.append(kept if kept["algorithm"] == "DM" else kept | changed)
    return rows


def _table(number: str, title: str, setup: str, rows: list[Row] | None = None, name: str = "") -> PrintedTable:
    name = name or number
    if name in UNDECIDED:
        return PrintedTable(name, title, setup + MORE + HOW, METRICS, more_jobs, rows or _rows(number), means)
    return PrintedTable(name, title, setup + HOW, METRICS, jobs, rows or _rows(number), means)


def _figure(number: str, title: str, rows: list[Row], suffix: str = "") -> PrintedTable:
    """A picture of coherence over time: the settings of its table, without numbers."""
    settings = [{name: value for name, value in row.items() if name not in METRICS} for row in rows]
    setup = (
        "Map coherence while the agents of the table of these settings walk, as means over runs, which are laid over each"
        " other from beginning to end; the least and the most are of single runs after the first loop. Printed as curves"
        " only."
    )
    return PrintedTable(f"fig{number}{suffix}", title, setup + HOW, COLUMNS, _beside_dm, settings, over_runs)


def _in_steps(rows: list[Row]) -> list[Row]:
    """The rows with WHCA* in the time model `steps`."""
    return [row | {"model": "steps" if row["algorithm"] == "WHCA*" else "turns"} for row in rows]


def _squared(rows: list[Row]) -> list[Row]:
    """The rows with `rate`, alpha_s squared, as the learning rate of the surrounding cells."""
    return [row | {"rate": round(row["alpha_s"] ** 2, 4)} for row in rows]


def _by(letters: str, algorithms: tuple[str, ...]) -> list[Row]:
    return [{"map": letter, "agents": 100, "algorithm": name} for letter in letters for name in algorithms]


_PLAIN_DM: list[Row] = [{"map": "c", "agents": 100, "algorithm": "DM", "w_max": 10, "alpha": 0.5, "radius": 5}]
_BY_TEXT: list[Row] = [row | {"rule": "text"} for row in _rows("4.2") if row["alpha"] in (0.1, 0.3, 0.5, 0.9)]
_RADII: list[Row] = [_PLAIN_DM[0] | {"map": letter, "radius": radius} for letter in "bd" for radius in (2, 10)]


def _ablation_rows() -> list[Row]:
    """The settings of the ablation, each with every switch, beside what is printed for the setting."""
    rows = []
    for setting in SETTINGS:
        where = {name: value for name, value in setting.items() if name != "table"}
        (row,) = [row for row in _rows(setting["table"]) if where.items() <= row.items()]
        kept: Row = {name: row[name] for name in ("map", "w_max", "radius", "win") if name in row}
        numbers = {name: row[name] for name in METRICS if name in row}
        shared = {"table": setting["table"], "algorithm": "DM"} | kept
        rows += [shared | {"switched": name} | numbers for name in SWITCHES]
    return rows


_ABLATION = _ablation_rows()

TABLES = [
    _table("4.1", "DM, varying w_max", "Map (b), 100 agents that see each other within 5, learning rate 0.5."),
    _table("4.2", "DM, varying alpha", "Map (b), 100 agents that see each other within 5, w_max 10."),
    _table("4.3", "DM, varying the visibility radius", "Maps (a) and (c), 100 agents, w_max 10, learning rate 0.5."),
    _table("4.4", "DM, varying the number of agents", "Map (d), w_max 2, radius 5, learning rate 0.5."),
    _table(
        "4.5",
        "DM, LRA* and WHCA*",
        "Map (c), 100 agents; DM with w_max 10 and learning rate 0.5, radius 5 for DM and LRA*, WHCA* with a window of"
        " 16. Time and distance of WHCA* are printed in each other's place and are put right here. WHCA* is not in the"
        " simulator that is public: ours walks as the text says, one unit of distance in a unit of time.",
    ),
    _table(
        "4.6",
        "LRA* and DM with A* and weighted A*",
        "Map (c), radius 5, learning rate 0.5, w_max 10; 100 agents, as in the tables around it: not stated.",
    ),
    _table(
        "4.7",
        "DM with abstraction, full refinement",
        "Map (c), 100 agents, w_max 10, learning rate 0.5; a path over square sectors is refined as a whole. Agents are"
        " seen within 4, as in the simulator, not 5 as printed.",
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
        "Map (b), 100 agents, radius 5, learning rate 0.5; each agent's copy is refreshed within r_local."
        + TWO_WEIGHTS,
        _rows("4.11", **OF_COPIES),
    ),
    _table(
        "4.12",
        "DM with own copies, map (d)",
        "Map (d), 100 agents, radius 5, learning rate 0.5; each agent's copy is refreshed within r_local."
        + TWO_WEIGHTS,
        _rows("4.12", **OF_COPIES),
    ),
    _table(
        "4.5",
        "DM, LRA* and WHCA*, which walks in steps",
        "As Table 4.5, but WHCA* in the time model `steps`: every move takes 1.5 units of time, as those of the others do.",
        _in_steps(_rows("4.5")),
        "4.5-steps",
    ),
    _table(
        "4.9",
        "DM with updates of the surrounding cells by alpha_s squared",
        "As Table 4.9, but the cells around learn with alpha_s squared, `rate`: nothing in the text or the simulator says"
        " so, and the printed numbers come back.",
        _squared(_rows("4.9")),
        "4.9-squared",
    ),
    *(
        _table(
            number,
            f"DM with own copies at w_max 10, map ({letter})",
            f"As Table {number}, but with w_max 10 for the copies too, as its caption says; beside what is printed.",
            _rows(number),
            f"{number}-w10",
        )
        for number, letter in (("4.11", "b"), ("4.12", "d"))
    ),
    _table(
        "4.2",
        "DM, varying alpha, by the rule of the text",
        "As Table 4.2, but both the cell that a move leaves and the one it enters learn, as section 3.1 says; for the rates"
        " of Figure 4.7.",
        _BY_TEXT,
        "4.2-both",
    ),
    PrintedTable(
        "4.3-text",
        "DM, varying the visibility radius, on the maps that are not printed",
        "Maps (b) and (d), 100 agents, w_max 10, learning rate 0.5: the text tells the outcome without numbers." + HOW,
        METRICS,
        jobs,
        _RADII,
        means,
    ),
    PrintedTable(
        "4.5-text",
        "DM, LRA* and WHCA* on the maps that are not printed",
        "Maps (a), (b) and (d), the settings of Table 4.5: the text tells the outcome without numbers." + HOW,
        METRICS,
        jobs,
        _by("abd", ("DM", "LRA*", "WHCA*")),
        means,
    ),
    PrintedTable(
        "4.5-text-steps",
        "DM, LRA* and WHCA*, which walks in steps, on the maps that are not printed",
        "As the table `4.5-text`, but WHCA* in the time model `steps`." + HOW,
        METRICS,
        jobs,
        _in_steps(_by("abd", ("DM", "LRA*", "WHCA*"))),
        means,
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
    _figure("4.19", "Coherence of own copies, map (b)", _rows("4.11", **OF_COPIES)),
    _figure("4.20", "Coherence of own copies, map (d)", _rows("4.12", **OF_COPIES)),
    _figure("4.10", "Coherence of DM, LRA* and WHCA* in steps", _in_steps(_rows("4.5")), "-steps"),
    _figure("4.17", "Coherence, surrounding cells learning by alpha_s squared", _squared(_rows("4.9")), "-squared"),
    _figure("4.7", "Coherence, varying alpha, by the rule of the text", _BY_TEXT, "-rule"),
    _figure("4.19", "Coherence of own copies at w_max 10, map (b)", _rows("4.11"), "-w10"),
    _figure("4.20", "Coherence of own copies at w_max 10, map (d)", _rows("4.12"), "-w10"),
    PrintedTable(
        "lanes",
        "One-way corridors",
        "Map (c), 100 agents, w_max 10, radius 5, learning rate 0.5: who crosses the three corridors of the centre which"
        " way in loops 10 to 19 (quick: 3 to 5). Two are two cells wide, the lower one four. Told in section 4.1.1 without"
        " numbers." + HOW,
        CORRIDORS,
        jobs,
        _PLAIN_DM,
        of_corridors,
    ),
    PrintedTable(
        "loops",
        "The first and the last loop",
        "Maps (b), (c) and (d), 100 agents, the settings of Table 4.5: collisions in the first loop, in those between"
        " and in the last. Told in section 4.1.1 without numbers." + HOW,
        LOOPS_APART,
        jobs,
        _by("bcd", ("DM", "LRA*")),
        loops_apart,
    ),
    PrintedTable(
        "greedy",
        "Following a learned map greedily",
        "40 agents patrol ten times and update the cells around them as well; then they are removed, and one agent that"
        " always takes the cheapest step walks 500 steps from a random cell with a vector (section 3.6, Figure 3.14: one"
        " picture). 50 walks, each on a map of its own; middle: 25, quick: 3.",
        GREEDY,
        lambda row, scale: [],
        [{"map": "b", "agents": 40, "algorithm": "greedy"}],
        make=_greedy,
    ),
    PrintedTable(
        "ablation",
        "Which choice moves which number",
        "The setup of the thesis with one choice switched at a time; 10 runs of 20 loops. The map: drawn from the text of"
        " the thesis, as it was before the originals were found. The last switch is the direction map that users get.",
        METRICS,
        ablation_jobs,
        _ABLATION,
        means,
    ),
]
