"""Figures of a report: which of them the data allow, and how they are drawn, as inline SVG.

A series keeps its looks in all figures of a report. It is told apart three times: by an Okabe-Ito colour, by a marker
and by a line style, so that a figure survives colour blindness and a black and white printer. Ink is drawn in two
stand-in colours that become CSS variables, so that figures follow the page into dark mode.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import Missing
from wayfolk.experiments.stats import bootstrap_interval, mean

MOST_PANELS = 12
MOST_SERIES = 16
PLANS, SIMULATIONS, PATHS = "plans", "simulations", "paths"


class Measure(NamedTuple):
    """A column of the loaded runs, how it is told, whether only solved runs have it, and where its axis begins."""

    column: str
    name: str
    unit: str = ""
    of_solved: bool = False
    least: float | None = None


SUCCESS = Measure("success", "solved", least=-0.03)
RATIO = Measure("ratio", "cost ratio", "sum of costs / lower bound, solved runs", of_solved=True)
SECONDS = Measure("seconds", "seconds")
EXPANDED = Measure("expanded", "expanded cells")
COLLISIONS = Measure("collisions", "collisions", "refused moves", least=0.0)
DISTANCE = Measure("distance", "distance")
THROUGHPUT = Measure("throughput", "throughput", "arrivals / time", least=0.0)
QUERY = Measure("query_us", "time of a query", "microseconds")
LINES = {PLANS: (RATIO, SECONDS, SUCCESS), SIMULATIONS: (COLLISIONS, DISTANCE, EXPANDED, SECONDS, THROUGHPUT, SUCCESS)}
BOXES = {PLANS: (SECONDS, EXPANDED, COLLISIONS), SIMULATIONS: (SECONDS, EXPANDED, COLLISIONS), PATHS: (QUERY, EXPANDED)}
LOOPS = (COLLISIONS, DISTANCE, EXPANDED)


@dataclass
class Loaded:
    """A store in memory: `runs` and `loops` as frames whose worlds and series are numbers into lists of names.

    A world is what runs have in common that are compared with each other, but for the number of agents. A series is an
    algorithm with its options: `ways` has them in full, `series` as short as they can be told apart. A run has solved
    `hits` of `tries`.
    """

    runs: Any
    loops: Any
    told: list[dict[str, Any]]
    worlds: list[str]
    series: list[str]
    ways: list[tuple[str, dict[str, Any]]]


class Mean(NamedTuple):
    """A mean with its interval of 95 %, over `n` runs; `is_whole` if no run of the group had to be left out."""

    mean: float
    low: float
    high: float
    n: int
    is_whole: bool


class Picture(NamedTuple):
    """A figure of the page."""

    name: str
    title: str
    caption: str
    svg: str


Line = list[tuple[float, Mean]]  # where, and what
Lines = dict[int, Line]  # by series
Boxes = Mapping[int, NDArray[np.float64]]


def summarise(group: Any, measure: Measure) -> Mean | None:
    """The mean of a measure over some runs, or None if no run has it."""
    if measure is SUCCESS:
        return _wilson(int(group.hits.sum()), int(group.tries.sum()))
    values = group[measure.column].to_numpy(dtype=np.float64)
    if measure.of_solved:
        values = values[group.hits.to_numpy() == group.tries.to_numpy()]
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    return Mean(mean(values), *bootstrap_interval(values), len(values), len(values) == len(group))


def _wilson(hits: int, tries: int) -> Mean | None:
    """A share with Wilson's score interval, which has a width even where all were hits or none."""
    if not tries:
        return None
    z = NormalDist().inv_cdf(0.975)
    share, grow = hits / tries, 1.0 + z * z / tries
    middle = (share + z * z / (2 * tries)) / grow
    half = z * math.sqrt(share * (1.0 - share) / tries + (z / (2 * tries)) ** 2) / grow
    return Mean(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)), tries, True)


def pictures(kind: str, loaded: Loaded) -> Iterator[Picture]:
    """All figures that the runs of a kind allow."""
    runs, loops = (frame[frame.kind == kind] for frame in (loaded.runs, loaded.loops))
    often = runs.series.value_counts().sort_index().sort_values(ascending=False, kind="stable").index
    runs, loops = (frame[frame.series.isin(often[:MOST_SERIES])] for frame in (runs, loops))
    more = len(often) > MOST_SERIES
    note = f" Shown are {MOST_SERIES} of {len(often)} settings, those with the most runs." if more else ""
    for found in _pictures(kind, runs, loops, loaded):
        yield found._replace(name=f"{kind}-{found.name}", caption=found.caption + note)


def _pictures(kind: str, runs: Any, loops: Any, loaded: Loaded) -> Iterator[Picture]:
    for measure in LINES.get(kind, ()):
        lines = _over_agents(runs, loaded, measure)
        if lines and _says_something(measure, lines):
            told = f"Means with intervals of 95 %.{_about(measure, kind)}{_scales(lines, measure)}"
            svg = line_figure(lines, loaded.series, "agents", measure)
            yield Picture(measure.column, f"{measure.name.capitalize()} against agents", told, svg)
    if kind == PLANS and (runs.hits == runs.tries).any():
        yield _cactus(runs, loaded)
    boxes = _boxes(kind, runs)
    if boxes:
        told = (
            "Over all maps, problems and numbers of agents. Boxes reach from quartile to quartile, whiskers at most "
            "1.5 boxes further; the line is the median, the diamond the mean, and dots are single runs."
        )
        if (
            runs.groupby("series")[["world", "agents"]]
            .apply(lambda one: frozenset(map(tuple, one.to_numpy())))
            .nunique()
            > 1
        ):
            told += " Not all of these ran on the same maps and numbers of agents: their boxes do not compare."
        yield Picture("boxes", "Spread by algorithm", told, box_figure(boxes, loaded.series))
    for measure in LOOPS:
        lines = _over_loops(loops, loaded, measure)
        if lines and _says_something(measure, lines):
            told = (
                f"Means for each agent and loop with intervals of 95 %; loop 1 is the first.{_scales(lines, measure)}"
            )
            svg = line_figure(lines, loaded.series, "loop", measure)
            yield Picture(f"loops-{measure.column}", f"{measure.name.capitalize()} by loop", told, svg)


def _over_agents(runs: Any, loaded: Loaded, measure: Measure) -> dict[str, Lines]:
    """Lines over numbers of agents, a panel for each world, or one for all; nothing if no world has two numbers."""
    if measure is THROUGHPUT:
        runs = runs[runs.endless]
    if measure is SUCCESS:
        runs = runs[~runs.endless]
    if not len(runs) or runs.groupby("world").agents.nunique().max() < 2:
        return {}
    n_worlds = runs.world.nunique()
    if n_worlds > MOST_PANELS:
        return {f"all {n_worlds} maps together": _lines(runs, "agents", measure)}
    panels = {loaded.worlds[world]: _lines(group, "agents", measure) for world, group in runs.groupby("world")}
    return {title: lines for title, lines in panels.items() if lines}


def _over_loops(loops: Any, loaded: Loaded, measure: Measure) -> dict[str, Lines]:
    """Lines over loops, a panel for each world and number of agents; for the most agents only, if that is too many."""
    if not len(loops) or loops.loop.max() < 1:
        return {}
    loops = loops.assign(loop=loops.loop + 1)
    if len(loops.groupby(["world", "agents"])) > MOST_PANELS:
        loops = loops[loops.agents == loops.groupby("world").agents.transform("max")]
    n_worlds = loops.world.nunique()
    if n_worlds > MOST_PANELS:
        return {f"all {n_worlds} maps together, most agents": _lines(loops, "loop", measure)}
    return {
        f"{loaded.worlds[world]}, {agents} agents": _lines(group, "loop", measure)
        for (world, agents), group in loops.groupby(["world", "agents"])
    }


def _lines(frame: Any, across: str, measure: Measure) -> Lines:
    lines: Lines = {}
    for (series, x), group in frame.groupby(["series", across]):
        found = summarise(group, measure)
        if found is not None:
            lines.setdefault(int(series), []).append((float(x), found))
    return lines


def _says_something(measure: Measure, panels: Mapping[str, Lines]) -> bool:
    return measure is not COLLISIONS or any(
        m.mean for lines in panels.values() for line in lines.values() for _, m in line
    )


def _about(measure: Measure, kind: str) -> str:
    if measure.of_solved:
        return " Hollow markers: not every run was solved, so the mean is over the easier ones."
    if measure is SUCCESS:
        return " Intervals are Wilson's; a run is solved if it says so and its plan has no faults."
    if measure is SECONDS and kind == PLANS:
        return " Of all runs, also of those that were not solved."
    return ""


def _scales(panels: Mapping[str, Lines], measure: Measure) -> str:
    return " Each panel has its own scale." if len(panels) > 1 and measure is not SUCCESS else ""


def _cactus(runs: Any, loaded: Loaded) -> Picture:
    sizes = runs.series.value_counts()
    solved = runs[runs.hits == runs.tries].dropna(subset=["seconds"]).groupby("series").seconds
    times = {int(series): values.to_numpy(dtype=np.float64) for series, values in solved}
    total = int(sizes.iloc[0]) if sizes.nunique() == 1 else None
    told = "How many instances were solved within so many seconds each; higher and further left is better."
    told += f" The dotted line: all {total} instances." if total else ""
    return Picture("cactus", "Instances solved within a time", told, cactus_figure(times, loaded.series, total))


def _boxes(kind: str, runs: Any) -> dict[str, Boxes]:
    """Values by series for each measure that has three or more of them somewhere."""
    panels: dict[str, Boxes] = {}
    for measure in BOXES[kind]:
        known = runs.dropna(subset=[measure.column]).groupby("series")[measure.column]
        boxes = {int(series): values.to_numpy(dtype=np.float64) for series, values in known}
        enough = any(len(values) >= 3 for values in boxes.values())
        if enough and (measure is not COLLISIONS or any(values.any() for values in boxes.values())):
            panels[f"{measure.name}, {measure.unit}" if measure is QUERY else measure.name] = boxes
    return panels


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
    means = [found for lines in panels.values() for line in lines.values() for _, found in line]
    heights, lowest = np.array([found.mean for found in means]), min(found.low for found in means)
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
    return np.array([(x, *found) for x, found in line], dtype=np.float64).T


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
