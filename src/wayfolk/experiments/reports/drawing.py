"""Draws the figures of a report as inline SVG.

A series keeps its looks in all figures of a report. It differs from others in three ways: by an Okabe-Ito colour, by a
marker and by a line style, so that a figure can be read by the colour-blind and in black and white. Ink is drawn in two
stand-in colours that become CSS variables, so that figures follow the page into dark mode.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import Missing
from wayfolk.experiments.reports.measures import SUCCESS, Mean, Measure

Line = list[tuple[float, Mean]]  # where, and what
Lines = dict[int, Line]  # by series
Boxes = Mapping[int, NDArray[np.float64]]

_INK, _FAINT = "#010203", "#010204"  # become var(--ink) and var(--line)
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", _INK)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "*")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)))
_SETTINGS = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"], "font.size": 9,
    "text.parse_math": False, "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _INK,
    "xtick.color": _INK, "ytick.color": _INK, "axes.linewidth": 0.6, "xtick.major.width": 0.6,
    "ytick.major.width": 0.6, "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 9.5,
    "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.grid": True, "grid.color": _FAINT,
    "grid.linewidth": 0.6, "axes.axisbelow": True, "legend.frameon": False, "lines.linewidth": 1.6,
    "lines.markersize": 5, "figure.constrained_layout.w_pad": 0.09, "svg.fonttype": "none", "svg.hashsalt": "wayfolk",
}  # fmt: skip
_WIDEST = 38  # characters of a title or a legend entry


def line_figure(panels: Mapping[str, Lines], names: Sequence[str], across: str, up: Measure) -> str:
    """A panel for each title: means over `across` as lines, intervals as bands, one line for each series."""
    means = [summary for lines in panels.values() for line in lines.values() for _, summary in line]
    heights, lowest = np.array([summary.mean for summary in means]), min(summary.low for summary in means)
    with _style():
        shown = sorted({series for lines in panels.values() for series in lines})
        is_busy = len(panels) == 1 and len(shown) > 6
        figure, axes = _panels(len(panels), 10.0 if is_busy else None, 3.6 if is_busy else 2.6)
        for ax, (title, lines) in zip(axes, panels.items(), strict=True):
            for k, series in enumerate(sorted(lines)):
                if up is SUCCESS:
                    _bars(
                        ax, lines[series], _look(series), ((k + 0.5) / len(lines) - 0.5) * min(0.05, 0.018 * len(lines))
                    )
                else:
                    _line(ax, lines[series], _look(series))
            ax.set_title(_short(title))
            ax.set_xlabel(across)
            ax.set_ylabel(up.name)
            _ticks(ax, sorted({x for line in lines.values() for x, _ in line}))
            if up is SUCCESS:
                ax.set_ylim(up.least, 1.04)
                ax.yaxis.set_major_formatter("{x:.0%}")
                continue
            _scale(ax.yaxis, heights, lowest)
            if ax.get_yscale() != "log" and up.least is not None:
                ax.set_ylim(bottom=up.least)
        _legend(figure, shown, names)
        return _svg(figure, f"{up.name} against {across}")


def box_figure(panels: Mapping[str, Boxes], names: Sequence[str]) -> str:
    """A panel for each title: one box for each series, from quartile to quartile, with whiskers of 1.5 boxes."""
    with _style():
        import matplotlib

        sideways = {"orientation": "horizontal"} if matplotlib.__version_info__ >= (3, 10) else {"vert": False}
        order = sorted({series for boxes in panels.values() for series in boxes}, reverse=True)
        figure, axes = _panels(len(panels), None, 0.8 + 0.28 * len(order))
        thin = {"color": _INK, "linewidth": 0.8}
        for ax, (title, boxes) in zip(axes, panels.items(), strict=True):
            drawn = ax.boxplot(
                [boxes.get(series, np.zeros(0)) for series in order], widths=0.6, patch_artist=True, showmeans=True,
                tick_labels=[_short(names[series]) for series in order], **sideways, whiskerprops=thin, capprops=thin,
                medianprops={"color": _INK, "linewidth": 1.4},
                flierprops={"markersize": 2.5, "markeredgecolor": _INK, "alpha": 0.5},
                meanprops={"marker": "D", "markersize": 3.5, "markerfacecolor": "none", "markeredgecolor": _INK},
            )  # fmt: skip
            for series, box in zip(order, drawn["boxes"], strict=True):
                box.set(facecolor=_look(series)["color"], alpha=0.55, edgecolor=_INK, linewidth=0.6)
            ax.set_title(_short(title))
            ax.grid(False, axis="y")
            ax.tick_params(labelleft=ax is axes[0])
            values = np.concatenate(list(boxes.values()))
            _scale(ax.xaxis, values, float(values.min()))
            if ax.get_xscale() == "linear":
                ax.locator_params(axis="x", nbins=6)
        return _svg(figure, ", ".join(panels))


def cactus_figure(solved: Boxes, names: Sequence[str], n_instances: int | None) -> str:
    """How many instances were solved within so many seconds; a dotted line marks all of them, if that is one number."""
    with _style():
        figure, (ax,) = _panels(1, 10.0 if len(solved) > 6 else 7.0, 3.4)
        for series in sorted(solved):
            seconds = np.sort(solved[series])
            every = max(1, len(seconds) // 8)
            ax.plot(seconds, np.arange(1, len(seconds) + 1), drawstyle="steps-post", markevery=every, **_look(series))
        if n_instances is not None:
            ax.axhline(n_instances, color=_INK, linestyle=":", linewidth=0.9)
        ax.set_xlabel("seconds")
        ax.set_ylabel("instances solved")
        times = np.concatenate(list(solved.values()))
        _scale(ax.xaxis, times, float(times.min()))
        ax.set_ylim(bottom=0)
        _legend(figure, sorted(solved), names)
        return _svg(figure, "instances solved within a time")


def _look(series: int) -> dict[str, Any]:
    """Colour, marker and dashes: cycles of 7, 11 and 5, so that all three repeat together only after 385 series."""
    cycles = {"color": _COLOURS, "marker": _MARKERS, "linestyle": _DASHES}
    return {name: cycle[series % len(cycle)] for name, cycle in cycles.items()}


def _line(ax: Any, line: Line, look: dict[str, Any]) -> None:
    """Means as a line, intervals as a band; hollow markers where runs had to be left out."""
    x, middle, low, high, _, whole = _columns(line)
    colour = look["color"]
    if len(x) == 1:  # a band needs two
        ax.errorbar(x, middle, (middle - low, high - middle), color=colour, linewidth=1.0, capsize=2)
    ax.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0)
    ax.plot(x, middle, color=colour, linestyle=look["linestyle"])
    for part, face in ((whole > 0, colour), (whole == 0, "none")):
        if part.any():
            ax.plot(x[part], middle[part], look["marker"], color=colour, markerfacecolor=face)


def _bars(ax: Any, line: Line, look: dict[str, Any], aside: float) -> None:
    """Shares often coincide, at 0 or 1 most of all: each series stands a little aside, with bars instead of a band."""
    x, middle, low, high, *_ = _columns(line)
    x = x + aside * max(1.0, float(np.ptp(x)))
    ax.errorbar(x, middle, (middle - low, high - middle), elinewidth=0.8, capsize=2, **look)


def _columns(line: Line) -> NDArray[np.float64]:
    return np.array([(x, *summary) for x, summary in line], dtype=np.float64).T


def _panels(count: int, width: float | None, height: float) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    columns = 2 if count == 4 else min(3, count)
    rows = -(-count // columns)
    across = width or (5.6, 8.4, 11.4)[columns - 1]
    figure = Figure(figsize=(across, height * rows), layout="constrained", facecolor="none")
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for spare in axes[count:]:
        spare.remove()
    for ax in axes[:count]:
        ax.set_facecolor("none")
    return figure, axes[:count]


def _ticks(ax: Any, values: list[float]) -> None:
    """Ticks where something was measured, as long as they are few."""
    if len(values) <= 8:
        ax.set_xticks(values, [f"{value:g}" for value in values])
    if len(values) == 1:
        ax.set_xlim(values[0] - 1, values[0] + 1)


def _scale(axis: Any, values: NDArray[np.float64], lowest: float) -> None:
    """A logarithmic axis for values that span orders of magnitude; one that is linear near 0 if `lowest` is 0."""
    known = values[values > 0]
    if len(known) and known.max() > 100 * known.min():
        scale: Callable[..., None] = getattr(axis.axes, f"set_{axis.axis_name}scale")
        if lowest > 0:
            scale("log")
        else:
            scale("symlog", linthresh=float(10 ** np.floor(np.log10(np.median(known)))))
        axis.set_minor_formatter("")
    axis.set_major_formatter(_tick)


def _tick(value: float, _: int) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (size if letter != 'k' else 1e3):g}{letter}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _legend(figure: Any, shown: Sequence[int], names: Sequence[str]) -> None:
    """A legend above everything, for which the figure grows."""
    from matplotlib.lines import Line2D

    labels = [_short(names[series]) for series in shown]
    handles = [Line2D([], [], label=label, **_look(series)) for series, label in zip(shown, labels, strict=True)]
    width, height = figure.get_size_inches()
    columns = max(1, min(len(labels), int(width * 13 / (max(len(label) for label in labels) + 8))))
    rows = -(-len(labels) // columns)
    figure.set_size_inches(width, height + 0.1 + 0.19 * rows)
    figure.legend(handles=handles, loc="outside upper left", ncols=columns, handlelength=3.2)


def _short(text: str) -> str:
    """A long text without its middle: what tells names apart is often at their end."""
    half = _WIDEST // 2
    return text if len(text) <= _WIDEST else f"{text[:half]}…{text[1 - half :]}"


def _style() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'") from None
    return matplotlib.rc_context(_SETTINGS)  # type: ignore[arg-type]


def _svg(figure: Any, what: str) -> str:
    """The figure as an element of an HTML page: no prolog, no name spaces, no ids but those it uses itself."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = text.replace("xlink:href", "href").replace(_INK, "var(--ink)").replace(_FAINT, "var(--line)")
    width, height = (72 * side for side in figure.get_size_inches())
    opening = (
        f'<svg role="img" aria-label="{escape(what)}" viewBox="0 0 {width:g} {height:g}" '
        f'style="max-width:{width / 0.75:.0f}px">'
    )
    return re.sub(r"<svg[^>]*>", lambda _: opening, text, count=1)
