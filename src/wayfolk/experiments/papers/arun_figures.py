"""The figures of Arun: histograms of nodes expanded and of times, and times by number of agents.

Its histograms cannot be read off; what it prints of them are means, for four of the six algorithms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wayfolk.experiments.papers import Figure, Measured, Row, printed
from wayfolk.experiments.papers._drawing import (
    BLUE,
    GREEN,
    INK,
    LOOKS,
    ORANGE,
    PINK,
    SKY,
    YELLOW,
    histogram,
    legend_over,
    logarithmic,
    panels,
    printed_line,
    told,
)

COLOURS = {
    "A*": BLUE, "Dijkstra": ORANGE, "Theta*": GREEN, "RTA*": PINK, "BFS": YELLOW, "A* smoothed": SKY,
}  # fmt: skip
PRINTED = {row["algorithm"]: row["mean_nodes_expanded_per_400"] for row in printed("arun-nodes")}
CELLS = 400
BARS = np.arange(0.0, CELLS + 1, 20)


def _nodes_of(algorithm: str) -> Callable[[Measured], Any]:
    """Figures 6.1 to 6.4: how many searches of an algorithm expanded so many nodes."""

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
    """All of them on the same scale."""
    rows = measured.rows("searches")
    figure, axes = _sheet(rows)
    for ax, row in zip(axes, rows, strict=True):
        _histogram(ax, row)
    _name(axes, "nodes expanded", "searches")
    return figure


def _histogram(ax: Any, row: Row) -> None:
    """Bars up to the number of cells; a walk that comes back may expand more, and counts in a bar of its own."""
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
    """The same searches by time, on one logarithmic scale."""
    rows = measured.rows("searches")
    times = {row["algorithm"]: [1e6 * seconds for seconds in row["times"]] for row in rows}
    least, most = (pick(pick(some) for some in times.values()) for pick in (min, max))
    edges = np.geomspace(0.98 * least, 1.02 * most, 31)
    figure, axes = _sheet(rows)
    for ax, (name, some) in zip(axes, times.items(), strict=True):
        histogram(ax, some, edges, COLOURS[name])
        logarithmic(ax.xaxis)
        ax.set_title(f"{name}, mean {told(float(np.mean(some)))}")
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
    """Names of the axes where they have numbers."""
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
            points = sorted((row["agents"], row["execution_time"]) for row in rows if row["algorithm"] == name)
            ax.plot([agents for agents, _ in points], [time for _, time in points], label=name, **look)
        logarithmic(ax.yaxis)
        ax.set_title(title)
        ax.set_xlabel("agents")
        ax.set_xticks(sorted({row["agents"] for row in rows}))
    axes[0].set_ylabel("execution time")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


FIGURES = [
    *(
        Figure(f"6.{k}", f"Nodes expanded by {name}", ("searches",), _nodes_of(name))
        for k, name in enumerate(("A*", "Dijkstra", "Theta*", "RTA*"), 1)
    ),
    Figure("nodes", "Nodes expanded by all algorithms", ("searches",), _nodes_of_all),
    Figure("seconds", "Time of a search, all algorithms", ("searches",), _times_of_all),
    Figure("times", "Execution time by number of agents", ("times",), _times_by_agents),
]
