"""Figures of a report: numbers in, inline SVG out. What is drawn and why is decided in report.py.

A series keeps its looks in all figures of a report. It is told apart three times: by an Okabe-Ito colour, by a marker
and by a line style, so that a figure survives colour blindness and a black and white printer. Ink is drawn in two
stand-in colours that become CSS variables, so that figures follow the page into dark mode.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import Missing

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
    "lines.markersize": 5, "axes.formatter.useoffset": False, "svg.fonttype": "none", "svg.hashsalt": "wayfolk",
}  # fmt: skip
_WIDEST = 38  # characters of a title or a legend entry


class Point(NamedTuple):
    """A mean with its interval; `is_whole` if it is over all runs and not only over those that were solved."""

    x: float
    mean: float
    low: float
    high: float
    is_whole: bool = True


class Axis(NamedTuple):
    """What the vertical axis shows. `least` and `most` are ends it keeps to; `is_share` shows 0 to 1 as per cent."""

    name: str
    least: float | None = None
    most: float | None = None
    is_share: bool = False


Lines = Mapping[int, Sequence[Point]]  # by series
Boxes = Mapping[int, NDArray[np.float64]]


def line_figure(panels: Mapping[str, Lines], names: Sequence[str], across: str, up: Axis) -> str:
    """A panel for each title: means over `across` as lines, intervals as bands, one line for each series."""
    with _settings():
        figure, axes = _panels(len(panels))
        for ax, (title, lines) in zip(axes, panels.items(), strict=True):
            for series in sorted(lines):
                _line(ax, lines[series], _look(series))
            ax.set_title(_short(title))
            ax.set_xlabel(across)
            ax.set_ylabel(up.name)
            points = [point for line in lines.values() for point in line]
            _ticks(ax, sorted({point.x for point in points}))
            _scale(ax.set_yscale, np.array([point.mean for point in points]))
            _limits(ax, up)
        _legend(figure, sorted({series for lines in panels.values() for series in lines}), names)
        return _svg(figure, up.name)


def box_figure(panels: Mapping[str, Boxes], names: Sequence[str]) -> str:
    """A panel for each title: one box for each series, from quartile to quartile, with whiskers of 1.5 boxes."""
    import matplotlib

    sideways = {"orientation": "horizontal"} if matplotlib.__version_info__ >= (3, 10) else {"vert": False}
    with _settings():
        rows = max(len(boxes) for boxes in panels.values())
        figure, axes = _panels(len(panels), height=0.9 + 0.26 * rows)
        for ax, (title, boxes) in zip(axes, panels.items(), strict=True):
            order = sorted(boxes, reverse=True)
            drawn = ax.boxplot(
                [boxes[series] for series in order], widths=0.6, patch_artist=True, showmeans=True,
                tick_labels=[_short(names[series]) for series in order], **sideways,
                medianprops={"color": _INK, "linewidth": 1.4}, whiskerprops={"linewidth": 0.8},
                capprops={"linewidth": 0.8}, flierprops={"markersize": 2.5, "markeredgecolor": _INK, "alpha": 0.5},
                meanprops={"marker": "D", "markersize": 3.5, "markerfacecolor": "none", "markeredgecolor": _INK},
            )  # fmt: skip
            for part in ("whiskers", "caps"):
                for line in drawn[part]:
                    line.set_color(_INK)
            for series, box in zip(order, drawn["boxes"], strict=True):
                box.set(facecolor=_look(series)["color"], alpha=0.55, edgecolor=_INK, linewidth=0.6)
            ax.set_title(_short(title))
            ax.grid(False, axis="y")
            _scale(ax.set_xscale, np.concatenate([boxes[series] for series in order]))
        return _svg(figure, ", ".join(panels))


def cactus_figure(solved: Boxes, names: Sequence[str], n_instances: int | None) -> str:
    """How many instances were solved within so many seconds; a dotted line marks all of them, if that is one number."""
    with _settings():
        figure, (ax,) = _panels(1, width=7.0, height=3.4)
        for series in sorted(solved):
            seconds = np.sort(solved[series])
            look = _look(series)
            look["markevery"] = max(1, len(seconds) // 8)
            ax.plot(seconds, np.arange(1, len(seconds) + 1), drawstyle="steps-post", **look)
        if n_instances is not None:
            ax.axhline(n_instances, color=_INK, linestyle=":", linewidth=0.9)
        ax.set_xlabel("seconds")
        ax.set_ylabel("instances solved")
        _scale(ax.set_xscale, np.concatenate(list(solved.values())))
        ax.set_ylim(bottom=0)
        _legend(figure, sorted(solved), names)
        return _svg(figure, "instances solved within a time")


def _look(series: int) -> dict[str, Any]:
    """Colour, marker and dashes: cycles of 7, 11 and 5, so that all three repeat together only after 385 series."""
    names = {"color": _COLOURS, "marker": _MARKERS, "linestyle": _DASHES}
    return {name: cycle[series % len(cycle)] for name, cycle in names.items()}


def _line(ax: Any, points: Sequence[Point], look: dict[str, Any]) -> None:
    x, mean, low, high, whole = (np.array(column) for column in zip(*sorted(points), strict=True))
    if len(points) == 1:  # a band needs two
        ax.errorbar(x, mean, (mean - low, high - mean), color=look["color"], linewidth=1.0, capsize=2)
    ax.fill_between(x, low, high, color=look["color"], alpha=0.16, linewidth=0)
    ax.plot(x, mean, color=look["color"], linestyle=look["linestyle"])
    for part, face in ((whole, look["color"]), (~whole, "none")):
        if part.any():
            style = {"markerfacecolor": face, "color": look["color"], "marker": look["marker"]}
            ax.plot(x[part], mean[part], linestyle="none", **style)


def _panels(count: int, width: float | None = None, height: float = 2.6) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    columns = min(3, count)
    rows = -(-count // columns)
    across = width or (5.6, 8.2, 11.4)[columns - 1]
    figure = Figure(figsize=(across, 0.5 + height * rows), layout="constrained", facecolor="none")
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


def _scale(set_scale: Callable[..., None], values: NDArray[np.float64]) -> None:
    """A logarithmic axis for values that span orders of magnitude; one that is linear near 0 if some are 0."""
    known = values[values > 0]
    if len(known) and known.max() > 30 * known.min():
        kind = "log" if len(known) == len(values) else "symlog"
        how = {} if kind == "log" else {"linthresh": float(10 ** np.floor(np.log10(np.median(known))))}
        set_scale(kind, **how)


def _limits(ax: Any, up: Axis) -> None:
    if ax.get_yscale() == "linear":
        ax.set_ylim(up.least, up.most)
    if up.is_share:
        ax.yaxis.set_major_formatter("{x:.0%}")


def _legend(figure: Any, shown: Sequence[int], names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    labels = [_short(names[series]) for series in shown]
    handles = [Line2D([], [], label=label, **_look(series)) for series, label in zip(shown, labels, strict=True)]
    longest = max(len(label) for label in labels)
    columns = max(1, int(figure.get_figwidth() * 11 / (longest + 8)))
    figure.legend(handles=handles, loc="outside upper left", ncols=min(columns, len(handles)), handlelength=3.2)


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _settings() -> Any:
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
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = text.replace("xlink:href", "href").replace(_INK, "var(--ink)").replace(_FAINT, "var(--line)")
    width, height = (72 * side for side in figure.get_size_inches())
    opening = (
        f'<svg role="img" aria-label="{escape(what)}" viewBox="0 0 {width:g} {height:g}" '
        f'style="max-width:{width / 0.75:.0f}px">'
    )
    return re.sub(r"<svg[^>]*>", lambda _: opening, text, count=1)
