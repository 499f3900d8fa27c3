"""The figures of the thesis on Salient Search: costs, errors of the heuristic, and travel against expansions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.drawing import (
    BLUE,
    INK,
    LOOKS,
    ORANGE,
    agreement,
    as_text,
    histogram,
    legend_over,
    logarithmic,
    panels,
)
from wayfolk.experiments.papers.noise import ERROR
from wayfolk.experiments.papers.tables import Figure, Row, printed
from wayfolk.experiments.papers.vermette.judges import LARGE, LIMITS, SHARES, SMALL

GRIDS = {"octile": (BLUE, ""), "cardinal": (ORANGE, "//")}  # colour and hatch
COSTS = (50, 500)
BY_THE_TEXT = (150, 200)  # between these is the mean cost of an optimal path
MANY = 1000  # points, which then are small
LARGE_ERROR = 400
LARGE_ERRORS = {"octile": 8, "cardinal": 1}  # searches of 5,000, by the text
READINGS = {"with the rule": "", "as the text says": "-text"}
STRATEGIES = {"AD": "agent distance", "TB": "tie breaking"}


def _costs(measured: Measured) -> Any:
    """Figure 4.4: how many problems there are of each optimal cost, by kind of moves."""
    searches = _searches(measured)
    figure, axes = panels(1, 2, (7.4, 2.9), sharex=True, sharey=True)
    for ax, grid in zip(axes, GRIDS, strict=True):
        if grid not in searches:
            return f"there are no {grid} problems"
        costs = searches[grid]["costs"]
        ax.axvspan(*BY_THE_TEXT, color=INK, alpha=0.12, linewidth=0, label="mean by the text")
        histogram(ax, costs, np.arange(COSTS[0], COSTS[1] + 1, 25), *GRIDS[grid])
        ax.set_title(f"{grid}, {len(costs):,} problems")
        ax.set_xlabel("optimal cost")
        legend_over(ax)
    axes[0].set_ylabel("problems")
    return figure


def _errors(measured: Measured) -> Any:
    """Figure 4.5: by how much the heuristic misjudges the start, over the optimal cost; boxes of both at the margins."""
    from matplotlib.figure import Figure as Drawing

    searches = _searches(measured)
    if set(searches) != set(GRIDS):
        return "not both kinds of moves were measured"
    figure = Drawing(figsize=(7.4, 4.1), layout="constrained")
    parts: Any = figure.subfigures(1, 2)
    for part, (grid, (colour, _)) in zip(parts, GRIDS.items(), strict=True):
        costs, errors = searches[grid]["costs"], searches[grid]["errors"]
        ratios: dict[str, Any] = {"width_ratios": (12, 1), "height_ratios": (1, 12), "wspace": 0.0, "hspace": 0.0}
        axes = part.subplots(2, 2, gridspec_kw=ratios, sharex="col", sharey="row")
        (above, spare), (ax, beside) = axes
        spare.remove()
        size = 6 if len(costs) < MANY else 2.5
        ax.plot(costs, errors, ".", color=colour, markersize=size, alpha=0.7, markeredgewidth=0, rasterized=True)
        _box(above, costs, colour, horizontal=True)
        _box(beside, errors, colour, horizontal=False)
        large = sum(error > LARGE_ERROR for error in errors)
        above.set_title(f"{grid}, {len(costs):,} searches")
        ax.set_xlabel(
            f"optimal cost\n\nerror above {LARGE_ERROR}: ours {large} of {len(errors):,},\n"
            f"by the text {LARGE_ERRORS[grid]} of 5,000"
        )
        ax.set_xlim(0, COSTS[1] + 10)
        ax.set_ylim(-10, COSTS[1])
        if grid == "octile":
            ax.set_ylabel("cost - h of the start")
    return figure


def _box(ax: Any, values: Sequence[float], colour: str, *, horizontal: bool) -> None:
    """Quartiles and the median, whiskers to the ends."""
    low, q1, median, q3, high = np.percentile(values, (0, 25, 50, 75, 100))
    line, bar = (ax.hlines, ax.barh) if horizontal else (ax.vlines, ax.bar)
    line(0, low, high, color=INK, linewidth=0.8)
    bar(0, q3 - q1, 0.8, q1, color=colour, alpha=0.55, edgecolor=INK, linewidth=0.6)
    across = ax.vlines if horizontal else ax.hlines
    across(median, -0.4, 0.4, color=INK, linewidth=1.6)
    ax.set_axis_off()


def _searches(measured: Measured) -> dict[str, Row]:
    return {row["grid"]: row for row in measured.rows("fig4.5") if row.get("costs") and row.get("errors")}


def _strategy(name: str) -> Any:
    """Figures 4.6 and 4.7: one strategy against TBA*, ours beside the printed numbers."""

    def draw(measured: Measured) -> Any:
        ours = measured.rows("4.3", strategy=name) + measured.rows("4.2")
        theirs = [row for row in printed("vermette-4.3") if row["strategy"] == name] + printed("vermette-4.2")
        return _travel({"ours": ours, "the thesis": theirs})

    return draw


def _harder(measured: Measured) -> Any:
    """Figure 4.12: both strategies against TBA* on the harder maps."""
    rival = measured.rows("fig4.12", algorithm="TBA*")
    return _travel(
        {title: measured.rows("fig4.12", strategy=strategy) + rival for strategy, title in STRATEGIES.items()}
    )


def _travel(parts: dict[str, list[Row]]) -> Any:
    """A line over R for TBA* and for each share of salient expansions, a panel for each part; large R also enlarged."""
    figure, axes = panels(1, len(parts), (7.4, 4.2), sharex=True, sharey=True)
    for ax, (title, rows) in zip(axes, parts.items(), strict=True):
        near = ax.inset_axes((0.5, 0.5, 0.5, 0.48))
        for look, share in zip(LOOKS, (0, *SHARES), strict=True):
            points = {row["R"]: _point(row) for row in rows if row.get("ns_pct", 0) == share and all(_point(row))}
            if set(points) != set(LIMITS):
                return f"not all settings with {share} percent salient expansions were measured"
            label = f"Salient Search, {share} %" if share else "TBA*"
            for where, limits in ((ax, LIMITS), (near, LARGE)):
                line = zip(*(points[limit] for limit in limits), strict=True)
                where.plot(*line, label=label, markerfacecolor="none", zorder=2 + (share == 0), **look)
            if not share:
                for limit in SMALL:
                    _say(ax, points[limit], f"R = {limit}")
                _say(ax, points[LARGE[0]], f"R = {' and '.join(map(as_text, LARGE))}", down=13)
        near.tick_params(labelsize=7.5)
        near.locator_params(nbins=3)
        near.margins(0.12)
        ax.indicate_inset_zoom(near, edgecolor=INK, linewidth=0.6)
        ax.margins(x=0.22, y=0.12)
        ax.set_title(title)
        ax.set_xlabel("expansions per move")
    axes[0].set_ylabel("travel ratio (walked / found)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=1 + len(SHARES))
    return figure


def _agreement(measured: Measured) -> Any:
    """Ours over printed for all settings, under the rule and as the text says."""
    parts = (
        ("travel ratio", ("4.2", "4.3"), "suboptimality"),
        ("expansions per move", ("4.2", "4.3"), "exp_per_move"),
        ("backward steps", ("4.4",), "mean_backward_steps"),
        ("turns", ("4.6",), "mean_direction_changes"),
    )
    figure, axes = panels(len(parts), 1, (7.4, 8.6), sharex=True)
    for ax, (title, tables, metric) in zip(axes, parts, strict=True):
        theirs = {_setting(row): row[metric] for table in tables for row in printed(f"vermette-{table}")}
        for look, (label, suffix), at in zip((LOOKS[1], LOOKS[2]), READINGS.items(), (-0.12, 0.12), strict=True):
            ours = {_setting(row): row for table in tables for row in measured.rows(table + suffix)}
            if set(ours) != set(theirs):
                return f"not all settings of {tables[0] + suffix} were measured"
            cells = [
                (_in_short(setting), ours[setting][metric], ours[setting].get(metric + ERROR) or 0.0, theirs[setting])
                for setting in sorted(theirs, key=_order)
            ]
            agreement(ax, cells, at, color=look["color"], marker=look["marker"], label=label)
        ax.set_title(title)
    logarithmic(axes[3].yaxis)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return figure


def _setting(row: Row) -> tuple[Any, ...]:
    return row["R"], row.get("strategy") if row["algorithm"] == "SS" else "TBA*", row.get("ns_pct") or 0


def _order(setting: tuple[Any, ...]) -> tuple[Any, ...]:
    return setting[0], ("TBA*", "AD", "TB").index(setting[1]), setting[2]


def _in_short(setting: tuple[Any, ...]) -> str:
    limit, name, share = setting
    return f"{limit} {name}" + (f" {share}" if share else "")


def _say(ax: Any, point: tuple[float, float], what: str, down: float = 5) -> None:
    """A few words to the left of a point and below it."""
    ax.annotate(what, point, (-7, -down), textcoords="offset points", ha="right", va="top")


def _point(row: Row) -> tuple[Any, Any]:
    return row["exp_per_move"], row["suboptimality"]


FIGURES = [
    Figure(
        "agreement",
        "Ours over printed for every setting, with 95 percent intervals; R, strategy and percent of salient expansions",
        ("4.2", "4.3", "4.4", "4.6"),
        _agreement,
    ),
    Figure("4.4", "Optimal costs by kind of grid", ("fig4.5",), _costs),
    Figure("4.5", "Error of the heuristic over cost", ("fig4.5",), _errors),
    Figure("4.6", "Travel against expansions, agent distance", ("4.2", "4.3"), _strategy("AD")),
    Figure("4.7", "Travel against expansions, tie breaking", ("4.2", "4.3"), _strategy("TB")),
    Figure("4.12", "Travel against expansions on harder maps", ("fig4.12",), _harder),
]
