"""What the figures of papers have in common: looks, panels, histograms, and files that come out the same every time.

Okabe-Ito colours, and a marker, a line style or a hatch beside each, so that a figure survives colour blindness and a
black and white printer. What we measured is drawn in colour, what a document prints in black and dotted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wayfolk.errors import BadInput, Missing

INK, FAINT = "#1a1a1a", "#d9d9d9"
BLUE, ORANGE, GREEN, PINK, YELLOW, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": INK, "marker": "o", "linestyle": "-"},
    {"color": BLUE, "marker": "s", "linestyle": (0, (5, 2))},
    {"color": ORANGE, "marker": "^", "linestyle": (0, (1, 1.2))},
    {"color": GREEN, "marker": "D", "linestyle": (0, (5, 1.5, 1, 1.5))},
)
MORE_LOOKS: tuple[dict[str, Any], ...] = (
    {"color": PINK, "marker": "v", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
    {"color": YELLOW, "marker": "x", "linestyle": (0, (8, 2))},
)
DOTS_PER_INCH = 300  # of clouds of points, which would make large files as single marks
_SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"], "font.size": 9,
    "text.parse_math": False, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 9.5, "axes.titlelocation": "left",
    "axes.titleweight": "bold", "axes.grid": True, "grid.color": FAINT, "grid.linewidth": 0.6, "axes.axisbelow": True,
    "legend.frameon": False, "legend.handlelength": 3.2, "lines.linewidth": 1.4, "lines.markersize": 5,
    "hatch.linewidth": 0.5, "figure.facecolor": "white", "svg.fonttype": "none", "svg.hashsalt": "wayfolk",
}  # fmt: skip


def ready(folder: Path) -> None:
    """Create `folder`; raise an error now, before anything is measured, if figures could not be written to it."""
    _matplotlib()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"figures cannot be written to {folder}: {error.strerror}") from None


def style() -> Any:
    """The style of all figures that are drawn and written in this block."""
    return _matplotlib().rc_context(_SETTINGS)


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'") from None
    return matplotlib


def write(figure: Any, file: Path, title: str) -> None:
    """The figure as SVG: the same bytes for the same numbers, though the layout's last digits may differ."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for ax in figure.axes:
        ax.set_position(np.round(ax.get_position().bounds, 4))
    figure.savefig(file, format="svg", dpi=DOTS_PER_INCH, metadata={"Date": None, "Creator": "Wayfolk", "Title": title})


def panels(rows: int, columns: int, size: tuple[float, float], **sharing: Any) -> tuple[Any, list[Any]]:
    """A figure of the given size in inches, and its axes, row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False, **sharing).flat)


def histogram(ax: Any, values: Sequence[float], edges: ArrayLike, colour: str, hatch: str = "") -> None:
    """Bars for the numbers of `values` between `edges`, and a line at their mean."""
    ax.hist(values, bins=edges, color=colour, alpha=0.55, edgecolor=INK, linewidth=0.6, hatch=hatch)
    mean = float(np.mean(values))
    ax.axvline(mean, color=colour, linewidth=2.0, label=f"our mean {as_text(mean)}")
    ax.yaxis.get_major_locator().set_params(integer=True)


def printed_line(ax: Any, where: float, what: str) -> None:
    """Draw a printed number of a document as a dotted line."""
    ax.axvline(where, color=INK, linewidth=1.6, linestyle=(0, (1.5, 1.5)), label=f"{what} {as_text(where)}")


def beside_printed(
    ax: Any,
    xs: Sequence[float],
    ours: Sequence[float],
    errors: Sequence[float],
    theirs: Sequence[float | None],
    **look: Any,
) -> None:
    """A line of ours with 95 percent intervals, and the printed numbers beside it, in black and dotted without a line.

    `errors` are standard errors; `look` is one of LOOKS, and may have a label.
    """
    reach = [1.96 * error for error in errors]
    ax.errorbar(xs, ours, yerr=reach, capsize=2.5, elinewidth=1.0, markerfacecolor="none", **look)
    known = [(x, number) for x, number in zip(xs, theirs, strict=True) if number is not None]
    marker = look.get("marker", "o")
    ax.plot(
        [x for x, _ in known], [number for _, number in known], linestyle=(0, (1, 2)), linewidth=0.9, color=INK,
        marker=marker, markersize=3, label="_printed", zorder=3,
    )  # fmt: skip


def agreement(ax: Any, cells: Sequence[tuple[str, float, float, float]], at: float = 0.0, **look: Any) -> None:
    """Ours over printed for each of `cells` (name, ours, standard error, printed), with 95 percent intervals.

    A line marks where both are equal, a band where they differ by less than 5 percent; `at` moves the points aside.
    """
    xs = [k + at for k in range(len(cells))]
    ratios = [ours / printed for _, ours, _, printed in cells]
    reach = [1.96 * error / printed for _, _, error, printed in cells]
    ax.errorbar(xs, ratios, yerr=reach, capsize=2, elinewidth=1.0, markersize=4, **{"linestyle": "none"} | look)
    ax.axhline(1.0, color=INK, linewidth=0.8)
    ax.axhspan(0.95, 1.05, color=INK, alpha=0.07, linewidth=0)
    ax.set_xticks(range(len(cells)), [name for name, *_ in cells], rotation=90, fontsize=7)
    ax.set_ylabel("ours / printed")


def legend_over(ax: Any) -> None:
    """A legend in the upper right corner that hides the lines behind it, and room for it above the bars."""
    ax.margins(y=0.3)
    ax.legend(loc="upper right", handlelength=1.6, frameon=True, framealpha=1.0, edgecolor="none")


def logarithmic(axis: Any) -> None:
    """A logarithmic axis with plain numbers at 1, 2, 5, 10 ..."""
    from matplotlib.ticker import LogLocator

    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(lambda value, _: as_text(value))
    axis.set_minor_formatter("")


def as_text(number: float) -> str:
    """A number with three significant digits."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"
