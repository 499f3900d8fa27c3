"""The execution times of Arun for crowds: a path for each of 5 to 10,000 agents, and one second of movement as bodies.

The document times 5, 8 and 10 agents, and does not say what it times. Here the paths are timed, and then one second of the
crowd: bodies that follow their paths, avoid each other, and have the brain of the document's pedestrian. Times are those of
the processor, so that other programs on the machine do not count.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from wayfolk.algorithms.batch import find_many
from wayfolk.crowds.brains.built_in.pedestrian import Pedestrian
from wayfolk.crowds.brains.population import Population, Words
from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.ways import Routes
from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.drawing import LOOKS, logarithmic, panels
from wayfolk.experiments.papers.tables import QUICK, Figure, PrintedTable, Row, Scale, printed
from wayfolk.world.generate import draw_pairs, random_map

NAMES = {"A*": "astar", "Dijkstra": "dijkstra", "Theta*": "theta"}
COUNTS = (5, 8, 10, 100, 300, 1_000, 3_000, 10_000)
MOST_QUICK = 300
SIZE, BLOCKED, CELL = 120, 0.1, 2.0
"""Cells along a side of the map, the share of walls, and metres of a cell: 10,000 agents are 0.2 on a square metre."""
TAKES = 5
LIVED = 1.0
"""Seconds of the crowd's life that are timed."""
RADIUS = 0.25


def runs(row: Row, scale: Scale) -> list[Row] | str:
    """The run that measures a row; the largest crowds only at full size."""
    if scale == QUICK and row["agents"] > MOST_QUICK:
        return f"not measured in the quick version: crowds of more than {MOST_QUICK} agents"
    grid = random_map(SIZE, SIZE, BLOCKED, seed=row["agents"])
    starts, goals = draw_pairs(grid, row["agents"], seed=1)
    algorithm = NAMES[row["algorithm"]]
    takes = TAKES if row["agents"] <= MOST_QUICK else 1
    find_many(grid, starts[:2], goals[:2], algorithm, threads=1)
    seconds = min(_searched(grid, starts, goals, algorithm) for _ in range(takes))
    lived = min(_lived(grid, starts, goals, algorithm) for _ in range(min(takes, 3)))
    return [{"status": "solved", "seconds": seconds, "crowd_seconds": lived}]


def _searched(grid: Any, starts: Any, goals: Any, algorithm: str) -> float:
    """Seconds of the processor for a path for each."""
    began = time.process_time()
    find_many(grid, starts, goals, algorithm, threads=1)
    return time.process_time() - began


def _lived(grid: Any, starts: Any, goals: Any, algorithm: str) -> float:
    """Seconds of the processor that one second of the crowd takes, on all cores together, after a first step."""
    rng = np.random.default_rng(1)
    crowd = Crowd(grid, "orca", ways="straight", cell=CELL)
    crowd.ways = Routes(crowd.space, algorithm, smooth=False)
    places = _scattered(crowd.space.middles(starts), rng)
    agents = crowd.add(places, crowd.space.middles(goals), radius=RADIUS, overlap=True)
    population = Population(Pedestrian(), ("signal", "at_crossing"))
    population.add(len(agents), 0.0, rng)
    began = 0.0
    steps = round(LIVED / crowd.step_seconds)
    for step in range(steps + 1):
        if step == 1:
            began = time.process_time()
        signal = Words(np.full(len(agents), step // 10 % 2), ("red", "green"))
        population.think(crowd.time, {"signal": signal, "at_crossing": rng.random(len(agents)) < 0.01}, rng)
        crowd.set_speeds(agents, 1.34 * population.paces)
        crowd.step()
    return time.process_time() - began


def _scattered(middles: Any, rng: np.random.Generator) -> Any:
    """Places in the same cells, at random."""
    return middles + (rng.random(middles.shape) - 0.5) * (CELL - 3 * RADIUS)


def _draw(measured: Measured) -> Any:
    """Times by the number of agents, with the printed ones beside."""
    figure, axes = panels(1, 2, (7.4, 3.4))
    for look, name in zip(LOOKS[1:], NAMES, strict=True):
        rows = sorted(measured.rows("crowd", algorithm=name), key=lambda row: int(row["agents"]))
        rows = [row for row in rows if row.get("execution_time") is not None]
        axes[0].plot([row["agents"] for row in rows], [1e3 * row["execution_time"] for row in rows], label=name, **look)
        told = [row for row in printed("arun-times") if row["algorithm"] == name]
        axes[0].plot(
            [row["agents"] for row in told],
            [row["execution_time"] for row in told],
            **look | {"linestyle": ":", "alpha": 0.6},
        )
        axes[1].plot([row["agents"] for row in rows], [1e3 * row["crowd_seconds"] for row in rows], label=name, **look)
    for ax, title in zip(axes, ("a path for each (dotted: printed)", "a second of the crowd"), strict=True):
        logarithmic(ax.xaxis)
        logarithmic(ax.yaxis)
        ax.set_xticks([10, 100, 1_000, 10_000], ["10", "100", "1,000", "10,000"])
        ax.set_title(title)
        ax.set_xlabel("agents")
    axes[0].set_ylabel("milliseconds of the processor")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def _rows() -> list[Row]:
    told = {(row["algorithm"], row["agents"]): row["execution_time"] for row in printed("arun-times")}
    return [
        {"algorithm": name, "agents": agents}
        | ({"execution_time": told[name, agents]} if (name, agents) in told else {})
        for name in NAMES
        for agents in COUNTS
    ]


CROWD = PrintedTable(
    "crowd",
    "Execution time by number of agents, up to 10,000",
    "Seconds of the processor: for a path for each agent, and for one second of the crowd, on all cores together:"
    " bodies of 0.25 m that follow their paths by ORCA, with the brain of the document's pedestrian. A map of 120 x 120"
    " cells of 2 m, a tenth of them walls at random; random starts and goals. The quick version ends with 300 agents. The"
    " document prints 5, 8 and 10 agents, in an unknown unit.",
    {"execution_time": "seconds", "crowd_seconds": "crowd_seconds"},
    lambda row, scale: [],
    _rows(),
    make=runs,
)
CROWD_FIGURE = Figure("crowd", "Execution time by number of agents, up to 10,000", ("crowd",), _draw)
