"""The figures of a report: which of them the runs allow, and what their captions say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from wayfolk.experiments.reports.drawing import Boxes, Lines, box_figure, cactus_figure, line_figure
from wayfolk.experiments.reports.measures import (
    BOXES,
    COLLISIONS,
    LINES,
    LOOPS,
    PLANS,
    QUERY,
    SECONDS,
    SUCCESS,
    THROUGHPUT,
    Loaded,
    Measure,
    summarise,
)  # fmt: skip

MOST_PANELS = 12
MOST_SERIES = 16


class Picture(NamedTuple):
    """A figure of the page."""

    name: str
    title: str
    caption: str
    svg: str


def pictures(kind: str, loaded: Loaded) -> Iterator[Picture]:
    """All figures that the runs of a kind allow."""
    runs, loops = (frame[frame.kind == kind] for frame in (loaded.runs, loaded.loops))
    often = runs.series.value_counts().sort_index().sort_values(ascending=False, kind="stable").index
    runs, loops = (frame[frame.series.isin(often[:MOST_SERIES])] for frame in (runs, loops))
    more = len(often) > MOST_SERIES
    note = f" Shown are {MOST_SERIES} of {len(often)} settings, those with the most runs." if more else ""
    for picture in _pictures(kind, runs, loops, loaded):
        yield picture._replace(name=f"{kind}-{picture.name}", caption=picture.caption + note)


def _pictures(kind: str, runs: Any, loops: Any, loaded: Loaded) -> Iterator[Picture]:
    for measure in LINES.get(kind, ()):
        lines = _over_agents(runs, loaded, measure)
        if lines and _says_something(measure, lines):
            caption = f"Means with intervals of 95 %.{_about(measure, kind)}{_scales(lines, measure)}"
            svg = line_figure(lines, loaded.series, "agents", measure)
            yield Picture(measure.column, f"{measure.name.capitalize()} against agents", caption, svg)
    if kind == PLANS and (runs.hits == runs.tries).any():
        yield _cactus(runs, loaded)
    boxes = _boxes(kind, runs)
    if boxes:
        caption = (
            "Over all maps, problems and numbers of agents. Boxes reach from quartile to quartile, whiskers at most "
            "1.5 boxes further; the line is the median, the diamond the mean, and dots are single runs."
        )
        if (
            runs.groupby("series")[["world", "agents"]]
            .apply(lambda one: frozenset(map(tuple, one.to_numpy())))
            .nunique()
            > 1
        ):
            caption += " Not all of these ran on the same maps and numbers of agents: their boxes do not compare."
        yield Picture("boxes", "Spread by algorithm", caption, box_figure(boxes, loaded.series))
    for measure in LOOPS:
        lines = _over_loops(loops, loaded, measure)
        if lines and _says_something(measure, lines):
            caption = (
                f"Means for each agent and loop with intervals of 95 %; loop 1 is the first.{_scales(lines, measure)}"
            )
            svg = line_figure(lines, loaded.series, "loop", measure)
            yield Picture(f"loops-{measure.column}", f"{measure.name.capitalize()} by loop", caption, svg)


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
        summary = summarise(group, measure)
        if summary is not None:
            lines.setdefault(int(series), []).append((float(x), summary))
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
    caption = "How many instances were solved within so many seconds each; higher and further left is better."
    caption += f" The dotted line: all {total} instances." if total else ""
    return Picture("cactus", "Instances solved within a time", caption, cactus_figure(times, loaded.series, total))


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
