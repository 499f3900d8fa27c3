"""The figures of the thesis on direction maps: coherence while agents walk. It prints them as curves without numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wayfolk.experiments.papers import Figure, Measured, Row
from wayfolk.experiments.papers._drawing import LOOKS, panels

Lines = Sequence[tuple[str, Row]]  # what a line is called, and what is particular about its setting
MARKS = 12  # samples from one marker to the next
LEAST_SPAN = 0.15  # of the axis of coherence, so that what hardly differs looks alike


def _curves(table: str, lines: Lines, maps: str) -> Callable[[Measured], Any]:
    """A line for each setting, a panel for each of `maps`."""

    def draw(measured: Measured) -> Any:
        figure, axes = panels(1, len(maps), (3.9 * len(maps) + 1.6, 3.0), sharey=True)
        for ax, letter in zip(axes, maps, strict=True):
            for k, (name, where) in enumerate(lines):
                found = [row["curve"] for row in measured.rows(table, map=letter, **where) if row.get("curve")]
                if not found:
                    return f"{name} was not measured"
                times = np.arange(1, len(found[0]) + 1) / len(found[0])
                marks = (3 * k + 2, MARKS)  # beside those of other lines
                ax.plot(times, found[0], label=name, markevery=marks, markerfacecolor="none", **LOOKS[k])
            ax.set_xlim(0, 1)
            ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "1/4", "1/2", "3/4", "1"])
            ax.set_xlabel("part of the run")
            ax.set_title(f"map ({letter})")
        _widen(axes[0])
        axes[0].set_ylabel("map coherence")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
        return figure

    return draw


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

FIGURES = [
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
