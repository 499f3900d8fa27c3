"""The figures of the thesis on direction maps, and its tables as figures, with the printed numbers beside ours.

Its own figures show coherence while agents walk; it prints them as curves without numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.drawing import LOOKS, beside_printed, panels
from wayfolk.experiments.papers.tables import Figure, Row, printed

Lines = Sequence[tuple[str, Row]]  # what a line is called, and what is particular about its setting
MARKS = 12  # samples from one marker to the next
FEW = 5  # values of a parameter that all get a tick
LEAST_SPAN = 0.15  # of the axis of coherence, so that what hardly differs looks alike


def _curves(table: str, lines: Lines, maps: str) -> Callable[[Measured], Any]:
    """A line for each setting, a panel for each of `maps`."""

    def draw(measured: Measured) -> Any:
        figure, axes = panels(1, len(maps), (3.9 * len(maps) + 1.6, 3.0), sharey=True)
        for ax, letter in zip(axes, maps, strict=True):
            for k, (name, where) in enumerate(lines):
                curves = [row["curve"] for row in measured.rows(table, map=letter, **where) if row.get("curve")]
                if not curves:
                    return f"{name} was not measured"
                times = np.arange(1, len(curves[0]) + 1) / len(curves[0])
                marks = (3 * k + 2, MARKS)  # beside those of other lines
                ax.plot(times, curves[0], label=name, markevery=marks, markerfacecolor="none", **LOOKS[k])
            ax.set_xlim(0, 1)
            ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "1/4", "1/2", "3/4", "1"])
            ax.set_xlabel("part of the run")
            ax.set_title(f"map ({letter})")
        _widen(axes[0])
        axes[0].set_ylabel("map coherence")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
        return figure

    return draw


def _table(lines: Sequence[tuple[str, str, Row]], over: str, name: str) -> Callable[[Measured], Any]:
    """Four panels, one for each measure: a line with intervals for each of (its name, table, what is particular)."""

    def draw(measured: Measured) -> Any:
        figure, axes = panels(1, 4, (12.5, 2.9))
        for ax, (metric, title) in zip(axes, MEASURES.items(), strict=True):
            for look, (label, table, where) in zip(LOOKS, lines, strict=False):
                number = table.partition("-")[0]  # of the printed table, also for another reading of it
                theirs = {row[over]: row for row in printed(f"jansen-{number}") if _fits(row, where, over)}
                ours = {row[over]: row for row in measured.rows(table, **where) if row.get(over) in theirs}
                if len(ours) < len(theirs):
                    return f"{label or table} was not measured"
                xs = list(theirs)
                means = [ours[x][metric] for x in xs]
                errors = [ours[x].get(f"{metric}_error") or 0.0 for x in xs]
                beside_printed(ax, xs, means, errors, [theirs[x][metric] for x in xs], label=label, **look)
            ax.set_title(title)
            ax.set_xlabel(name)
            if len(xs) <= FEW:
                ax.set_xticks(xs)
        if len(lines) > 1:
            figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
        return figure

    return draw


def _fits(row: Row, where: Row, over: str) -> bool:
    return isinstance(row.get(over), int | float) and row[over] != np.inf and where.items() <= row.items()


def _widen(ax: Any) -> None:
    low, high = ax.get_ylim()
    more = max(0.0, LEAST_SPAN - (high - low)) / 2
    ax.set_ylim(low - more, high + more)


def _over(column: str, *values: float, name: str = "", others: Lines = ()) -> Lines:
    return [*others, *((f"{name or column} {value:g}", {column: value}) for value in values)]


DM: Lines = [("DM", {"algorithm": "DM"})]
THREE: Lines = [(name, {"algorithm": name}) for name in ("DM", "LRA*", "WHCA*")]
SECTORS = _over("sector_size", 4, 8, 16, name="sectors of", others=DM)
COPIES = _over("r_local", 3, 5, 7, others=DM)

MEASURES = {
    "nodes_expanded": "nodes expanded",
    "simulation_time": "time of a run",
    "distance": "distance",
    "collisions": "collisions",
}
Traces = list[tuple[str, str, Row]]
_WEIGHTS: Traces = [("LRA*", "4.6", {"uses_dm": "no"}), ("DM", "4.6", {"uses_dm": "yes"})]
_SECTOR_LINES: Traces = [("full", "4.7", {}), ("partial", "4.8", {})]
_SURROUND_LINES: Traces = [("by alpha_s", "4.9", {}), ("by its square", "4.9-squared", {})]
_COPY_LINES: Traces = [("map (b)", "4.11", {}), ("map (d)", "4.12", {})]
_TABLES: list[tuple[str, str, Traces, str, str]] = [
    ("4.1", "varying w_max on map (b)", [("DM", "4.1", {})], "w_max", "w_max"),
    ("4.2", "varying the learning rate on map (b)", [("DM", "4.2", {})], "alpha", "alpha"),
    ("4.3", "varying the radius", [(f"map ({k})", "4.3", {"map": k}) for k in "ac"], "radius", "radius"),
    ("4.4", "varying the number of agents on map (d)", [("DM", "4.4", {})], "agents", "agents"),
    ("4.6", "weighted A* on map (c)", _WEIGHTS, "astar_weight", "weight of A*"),
    ("4.7 and 4.8", "sectors on map (c), full and partial refinement", _SECTOR_LINES, "sector_size", "cells to a side"),
    ("4.9", "learning of the surrounding cells on map (d)", _SURROUND_LINES, "alpha_s", "alpha_s"),
    ("4.10", "a window on map (d)", [("DM", "4.10", {})], "win", "window"),
    ("4.11 and 4.12", "own copies at w_max 1", _COPY_LINES, "r_local", "r_local"),
]

FIGURES = [
    Figure(
        f"T{number.replace(' and ', '-')}",
        f"Table{'s' if ' and ' in number else ''} {number}, {title}: ours in colour with 95 percent intervals, printed"
        " numbers in black",
        tuple(dict.fromkeys(table for _, table, _ in lines)),
        _table(lines, over, name),
    )
    for number, title, lines, over, name in _TABLES
] + [
    Figure(f"4.{number}", title, (f"fig4.{number}",), _curves(f"fig4.{number}", lines, maps))
    for number, title, lines, maps in (
        (6, "Coherence, varying w_max", _over("w_max", 2, 6, 10, 20), "b"),
        (7, "Coherence, varying alpha", _over("alpha", 0.1, 0.3, 0.5, 0.9), "b"),
        (8, "Coherence, varying the visibility radius", _over("radius", 2, 4, 6, 10), "ac"),  # which one is not said
        (9, "Coherence, varying the number of agents", _over("agents", 20, 60, 100, 160, name="agents:"), "d"),
        (10, "Coherence of DM, LRA* and WHCA*", THREE, "c"),
        (11, "Coherence of LRA* with weighted A*", _over("astar_weight", 1, 2, 4, 6, name="weight"), "c"),
        (12, "Coherence of DM with weighted A*", _over("astar_weight", 1, 2, 4, 6, name="weight"), "c"),
        (14, "Coherence with abstraction, full refinement", SECTORS, "c"),
        (15, "Coherence with abstraction, partial refinement", SECTORS, "c"),
        (17, "Coherence with updates of the surrounding cells", _over("alpha_s", 0, 0.3, 0.5, 0.7), "d"),
        (18, "Coherence of DM seen in a window", _over("win", 3, 5, 7, name="window", others=DM), "d"),
        (19, "Coherence of own copies, map (b)", COPIES, "b"),
        (20, "Coherence of own copies, map (d)", COPIES, "d"),
    )
]
