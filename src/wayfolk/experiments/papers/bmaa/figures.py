"""Figures of the slides on BMAA*: completion rates by the budget of expansions, and over the number of agents.

Figure 2 of the slides has curves without numbers; what is printed of all maps together stands beside ours.
"""

from __future__ import annotations

from typing import Any

from wayfolk.experiments.papers.bmaa.claims import ALGORITHMS, RIVALS
from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.drawing import INK, LOOKS, MORE_LOOKS, logarithmic, panels
from wayfolk.experiments.papers.noise import ERROR
from wayfolk.experiments.papers.tables import Figure, printed

LOOKS_OF = dict(zip(ALGORITHMS, (*LOOKS, *MORE_LOOKS), strict=True))
MEASURES = {
    "completion_rate_pct": ("completion rate, percent", "bmaa-I", "completion_rate_pct"),
    "all_travel_distance": ("travel distance", "bmaa-III", "travel_distance"),
}


def _by_budget(measured: Measured) -> Any:
    """Rates and distances over the budget; BMAA* has none, and is a line across. Printed numbers at the right."""
    figure, axes = panels(1, len(MEASURES), (7.4, 3.9))
    for ax, (metric, (title, table, column)) in zip(axes, MEASURES.items(), strict=True):
        theirs = {row["algorithm"]: row[column] for row in printed(table) if row["map"] == "Overall"}
        last = 1.0
        for name in ALGORITHMS:
            rows = [row for row in measured.rows("budget", algorithm=name) if row["jams"] != "ours"]
            if not rows:
                return f"{name} was not measured"
            look, numbers = LOOKS_OF[name], [row[metric] for row in rows]
            reach = [1.96 * (row.get(metric + ERROR) or 0.0) for row in rows]
            if name in RIVALS:
                budgets = [row["budget"] for row in rows]
                last = max(last, *budgets)
                ax.errorbar(budgets, numbers, yerr=reach, capsize=2.5, label=name, markerfacecolor="none", **look)
            else:
                ax.axhline(numbers[0], color=look["color"], linestyle=look["linestyle"], linewidth=1.2, label=name)
                ax.axhspan(numbers[0] - reach[0], numbers[0] + reach[0], color=look["color"], alpha=0.1, linewidth=0)
        for name, number in theirs.items():
            if name in LOOKS_OF:
                marker = LOOKS_OF[name]["marker"]
                ax.plot(3 * last, number, marker=marker, color=INK, markersize=4, linestyle="none", label="_printed")
        logarithmic(ax.xaxis)
        ax.set_xticks([1, 2, 4, 8, 32, 96], ["1", "2", "4", "8", "32", "printed"])
        ax.set_xlabel("expansions for each agent and step")
        ax.set_title(title)
        ax.set_ylim(0)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def _rates(measured: Measured) -> Any:
    figure, (ax,) = panels(1, 1, (6.4, 3.4))
    for name, look in LOOKS_OF.items():
        rows = sorted(measured.rows("fig2", algorithm=name), key=lambda row: row["agents"])
        if len(rows) < 2:
            return f"{name} was not measured"
        numbers = [row["completion_rate_pct"] for row in rows]
        reach = [1.96 * (row.get("completion_rate_pct" + ERROR) or 0.0) for row in rows]
        agents = [row["agents"] for row in rows]
        ax.errorbar(agents, numbers, yerr=reach, capsize=2.5, label=name, markerfacecolor="none", **look)
    logarithmic(ax.xaxis)
    ax.set_xlabel("agents")
    ax.set_ylabel("completion rate, percent")
    ax.set_ylim(0, 102)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside right upper")
    return figure


FIGURES = [
    Figure(
        "budget",
        "Completion rate and distance by the budget of FAR and A*-Replan, with 95 percent intervals; printed at the right",
        ("budget",),
        _by_budget,
    ),
    Figure("2", "Completion rate over the number of agents, with 95 percent intervals", ("fig2",), _rates),
]
