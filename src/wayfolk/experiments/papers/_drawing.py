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
    """Complain now, before anything is measured, if figures could not be written to `folder`; make it."""
    _matplotlib()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"figures cannot be written to {folder}: {error.strerror}") from None


def style() -> Any:
    """Figures made and written inside of this have the house's looks."""
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
    """A figure of so many inches and its axes, row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False, **sharing).flat)


def histogram(ax: Any, values: Sequence[float], edges: ArrayLike, colour: str, hatch: str = "") -> None:
    """Bars for the numbers of `values` between `edges`, and a line at their mean."""
    ax.hist(values, bins=edges, color=colour, alpha=0.55, edgecolor=INK, linewidth=0.6, hatch=hatch)
    mean = float(np.mean(values))
    ax.axvline(mean, color=colour, linewidth=2.0, label=f"our mean {told(mean)}")
    ax.yaxis.get_major_locator().set_params(integer=True)


def printed_line(ax: Any, where: float, what: str) -> None:
    """What a document prints, as a dotted line."""
    ax.axvline(where, color=INK, linewidth=1.6, linestyle=(0, (1.5, 1.5)), label=f"{what} {told(where)}")


def legend_over(ax: Any) -> None:
    """A legend in the upper right corner that hides the lines behind it, and room for it above the bars."""
    ax.margins(y=0.3)
    ax.legend(loc="upper right", handlelength=1.6, frameon=True, framealpha=1.0, edgecolor="none")


def logarithmic(axis: Any) -> None:
    """A logarithmic axis with plain numbers at 1, 2, 5, 10 ..."""
    from matplotlib.ticker import LogLocator

    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(lambda value, _: told(value))
    axis.set_minor_formatter("")


def told(number: float) -> str:
    """A number with three digits that count."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"
