"""The figures of Arun: histograms of nodes expanded and of times, and times by number of agents.

Its histograms cannot be read off; what it prints of them are means, for four of the six algorithms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.drawing import (
    BLUE,
    GREEN,
    INK,
    LOOKS,
    ORANGE,
    PINK,
    SKY,
    YELLOW,
    as_text,
    histogram,
    legend_over,
    logarithmic,
    panels,
    printed_line,
)
from wayfolk.experiments.papers.noise import ERROR
from wayfolk.experiments.papers.tables import Figure, Row, printed

COLOURS = {
    "A*": BLUE, "Dijkstra": ORANGE, "Theta*": GREEN, "RTA*": PINK, "BFS": YELLOW, "A* smoothed": SKY,
}  # fmt: skip
PRINTED = {row["algorithm"]: row["mean_nodes_expanded_per_400"] for row in printed("arun-nodes")}
CELLS = 400
BARS = np.arange(0.0, CELLS + 1, 20)


def _nodes_of(algorithm: str) -> Callable[[Measured], Any]:
    """Figures 6.1 to 6.4: a histogram of the nodes that the searches of an algorithm expanded."""

    def draw(measured: Measured) -> Any:
        rows = measured.rows("searches", algorithm=algorithm)
        if not rows:
            return f"{algorithm} was not measured"
        figure, axes = panels(1, 1, (4.6, 2.9))
        _histogram(axes[0], rows[0])
        _name(axes, "nodes expanded", "searches")
        return figure

    return draw


def _nodes_of_all(measured: Measured) -> Any:
    """The histograms of all algorithms on the same scale."""
    rows = measured.rows("searches")
    figure, axes = _sheet(rows)
    for ax, row in zip(axes, rows, strict=True):
        _histogram(ax, row)
    _name(axes, "nodes expanded", "searches")
    return figure


def _histogram(ax: Any, row: Row) -> None:
    """The edges of bars up to the number of cells; a walk that turns back may expand more, and has a bar of its own."""
    name, nodes = row["algorithm"], row["nodes"]
    histogram(ax, nodes, BARS, COLOURS[name])
    more = sum(number > CELLS for number in nodes)
    ax.bar(CELLS + 35, more, 20, color=COLOURS[name], alpha=0.55, edgecolor=INK, linewidth=0.6, hatch="///")
    if name in PRINTED:
        printed_line(ax, PRINTED[name], "printed mean")
    ax.set_title(f"{name}, {len(nodes)} searches")
    ax.set_xticks([0, 100, 200, 300, CELLS + 35], ["0", "100", "200", "300", f"> {CELLS}"])
    ax.set_xlim(-8, CELLS + 60)
    legend_over(ax)


def _times_of_all(measured: Measured) -> Any:
    """Histograms of the times of the same searches, on one logarithmic scale."""
    rows = measured.rows("searches")
    times = {row["algorithm"]: [1e6 * seconds for seconds in row["times"]] for row in rows}
    least, most = (pick(pick(some) for some in times.values()) for pick in (min, max))
    edges = np.geomspace(0.98 * least, 1.02 * most, 31)
    figure, axes = _sheet(rows)
    for ax, (name, some) in zip(axes, times.items(), strict=True):
        histogram(ax, some, edges, COLOURS[name])
        logarithmic(ax.xaxis)
        ax.set_title(f"{name}, mean {as_text(float(np.mean(some)))}")
    _name(axes, "microseconds", f"searches (of {len(rows[0]['times'])})")
    return figure


def _sheet(rows: list[Row]) -> tuple[Any, list[Any]]:
    """A panel for each row, three beside each other."""
    across = min(3, len(rows))
    down = -(-len(rows) // across)
    figure, axes = panels(down, across, (2.6 * across, 2.5 * down), sharex=True, sharey=True)
    for spare in axes[len(rows) :]:
        spare.remove()
    return figure, axes[: len(rows)]


def _name(axes: list[Any], across: str, up: str) -> None:
    """Label the axes that have numbers."""
    for k, ax in enumerate(axes):
        if k % 3 == 0:
            ax.set_ylabel(up)
        if k + 3 >= len(axes):
            ax.set_xlabel(across)
            ax.tick_params(labelbottom=True)


def _times_by_agents(measured: Measured) -> Any:
    """The table of execution times, ours beside the printed one."""
    figure, axes = panels(1, 2, (7.4, 3.2))
    ours = [row | {"execution_time": 1e3 * row["execution_time"]} for row in measured.rows("times")]
    parts = {"ours, milliseconds": ours, "printed, unit unknown": printed("arun-times")}
    for ax, (title, rows) in zip(axes, parts.items(), strict=True):
        for look, name in zip(LOOKS[1:], ("A*", "Dijkstra", "Theta*"), strict=True):
            points = sorted((row for row in rows if row["algorithm"] == name), key=lambda row: row["agents"])
            reach = [1.96e3 * (row.get("execution_time" + ERROR) or 0.0) for row in points]
            agents, times = [row["agents"] for row in points], [row["execution_time"] for row in points]
            ax.errorbar(agents, times, yerr=reach, capsize=2.5, label=name, **look)
        logarithmic(ax.yaxis)
        ax.set_title(title)
        ax.set_xlabel("agents")
        ax.set_xticks(sorted({row["agents"] for row in rows}))
    axes[0].set_ylabel("execution time")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def _nodes_beside_printed(measured: Measured) -> Any:
    """Means of nodes expanded with 95 percent intervals, and the printed ones; Theta* with both queues."""
    metric = "mean_nodes_expanded_per_400"
    ours = {row["algorithm"]: row for row in measured.rows("nodes")}
    queue = measured.rows("nodes-fifo", algorithm="Theta*")
    names = ("A*", "RTA*", "Dijkstra", "Theta*", "Theta*, plain queue")
    if not queue or not set(names[:4]) <= set(ours):
        return "not all algorithms were measured"
    ours[names[4]] = queue[0]
    figure, (ax,) = panels(1, 1, (6.4, 3.0))
    reach = [1.96 * (ours[name].get(metric + ERROR) or 0.0) for name in names]
    colours = [COLOURS[name.split(",")[0]] for name in names]
    bars = [ours[name][metric] for name in names]
    ax.bar(names, bars, 0.6, yerr=reach, capsize=3, color=colours, alpha=0.55, edgecolor=INK, linewidth=0.6)
    theirs = [PRINTED[name.split(",")[0]] for name in names]
    ax.plot(names, theirs, linestyle="none", marker="D", color=INK, markersize=5, label="printed")
    ax.set_ylabel("nodes expanded, of 400")
    ax.legend(loc="upper left")
    return figure


FIGURES = [
    Figure(
        "printed",
        "Nodes expanded, with 95 percent intervals, and what is printed",
        ("nodes", "nodes-fifo"),
        _nodes_beside_printed,
    ),
    *(
        Figure(f"6.{k}", f"Nodes expanded by {name}", ("searches",), _nodes_of(name))
        for k, name in enumerate(("A*", "Dijkstra", "Theta*", "RTA*"), 1)
    ),
    Figure("nodes", "Nodes expanded by all algorithms", ("searches",), _nodes_of_all),
    Figure("seconds", "Time of a search, all algorithms", ("searches",), _times_of_all),
    Figure("times", "Execution time by number of agents", ("times",), _times_by_agents),
]
