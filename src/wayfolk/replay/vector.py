"""A replay as SVG: lines and shapes for a paper, which move in a browser.

Programs that do not know animations show the end, with the paths of all agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem import trace as rows_of
from wayfolk.replay import colours
from wayfolk.replay.body_moments import BodyMoments
from wayfolk.replay.body_vector import body_shapes
from wayfolk.replay.colours import between, hexed
from wayfolk.replay.moments import Moments
from wayfolk.replay.node_moments import NodeMoments, moments_of
from wayfolk.replay.node_vector import goal_shape, node_shapes, path_shape, wall_shape

if TYPE_CHECKING:
    from wayfolk.replay import Track

SIDE = 480.0  # units of the longer side of a panel
GAP = 16.0
HEAD = 22.0
MOST_SHAPES = 60_000
SECONDS = (4.0, 20.0)  # least and most that a film takes
PER_SECOND = 6.0  # steps of agents
EXPANSIONS_PER_SECOND = 100.0


def svg(tracks: Sequence[Track], *, animated: bool = True) -> str:
    """Return `tracks` side by side as an SVG picture; with `animated`, one that moves."""
    panels = [moments_of(track) for track in tracks]
    end = max(panel.end for panel in panels)
    pace = EXPANSIONS_PER_SECOND if any(panel.trace for panel in panels) else PER_SECOND
    if any(isinstance(panel, BodyMoments) for panel in panels):
        pace = 1.0  # bodies have seconds
    seconds = float(np.clip(end / pace, *SECONDS))
    parts, x, high = [], 0.0, 0.0
    for panel in panels:
        scale = SIDE / max(panel.grid.width, panel.grid.height)
        drawn = _panel(panel, end, seconds if animated else 0.0)
        title = f'<text y="14" font-size="14" fill="{hexed(colours.INK)}">{escape(panel.track.title)}</text>'
        parts.append(
            f'<g transform="translate({x:g} 0)">{title}'
            f'<g transform="translate(0 {HEAD:g}) scale({scale:g})">{drawn}</g></g>'
        )
        x += panel.grid.width * scale + GAP
        high = max(high, panel.grid.height * scale + HEAD)
    wide = x - GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}" '
        f'font-family="system-ui, sans-serif">{"".join(parts)}</svg>\n'
    )


def _panel(panel: Moments | BodyMoments, end: float, seconds: float) -> str:
    grid = panel.grid
    n_shapes = panel.n_agents * 2 + (0 if panel.trace is None else len(np.unique(panel.trace.rows["cell"])))
    if n_shapes > MOST_SHAPES:
        raise BadInput(f"an SVG of {n_shapes:,} shapes is too large: choose .gif, .mp4 or .html")
    parts = [f'<rect width="{grid.width}" height="{grid.height}" fill="{hexed(colours.FLOOR)}"/>']
    if isinstance(panel, BodyMoments):
        parts += body_shapes(panel, end, seconds)
    elif isinstance(panel, NodeMoments):
        parts += node_shapes(panel, end, seconds)
    else:
        parts.append(wall_shape(grid.free))
        if panel.trace is not None:
            parts += [_scans(panel, end, seconds), _search(panel, end, seconds)]
            parts += [_path(panel, end, seconds), _ends(panel)]
        parts += _agents(panel, end, seconds)
    border = f'fill="none" stroke="{hexed(colours.EDGE)}" stroke-width="0.08"'
    parts.append(f'<rect width="{grid.width}" height="{grid.height}" {border}/>')
    return "".join(parts)


def _agents(panel: Moments, end: float, seconds: float) -> list[str]:
    """A disc, a path and a goal for each agent."""
    parts, discs = [], []
    last, here = panel.agents(panel.end)
    goals = panel.goals(0.0)
    for agent in range(panel.n_agents):
        hue = hexed(colours.AGENTS[agent % len(colours.AGENTS)])
        parts.append(path_shape(panel, agent, hue))
        if goals[agent] != NOWHERE:
            x, y = panel.grid.place(int(goals[agent]))
            parts.append(goal_shape(x, y, hue))
        if here[agent]:
            moves = _moves(panel, agent, end, seconds)
            at = f'cx="{last[agent, 0] + 0.5:g}" cy="{last[agent, 1] + 0.5:g}"'
            discs.append(f'<circle {at} r="0.42" fill="{hue}">{moves}</circle>')
    return parts + discs


def _moves(panel: Moments, agent: int, end: float, seconds: float) -> str:
    """The animation of one agent: where it is when a move begins and ends."""
    if not seconds:
        return ""
    times, places = panel.stops(agent)
    keys = ";".join(f"{time / end:.4g}" for time in [*times, end])
    both = []
    for name, values in zip(("cx", "cy"), zip(*places, places[-1], strict=True), strict=True):
        listed = ";".join(f"{value + 0.5:g}" for value in values)
        both.append(
            f'<animate attributeName="{name}" values="{listed}" keyTimes="{keys}" dur="{seconds:g}s" '
            'repeatCount="indefinite"/>'
        )
    return "".join(both)


def _search(panel: Moments, end: float, seconds: float) -> str:
    """A square for each cell that the search has seen, in the colours it had one after another."""
    trace, grid = panel.trace, panel.grid
    assert trace is not None
    rows = trace.rows[~np.isin(trace.rows["kind"], (rows_of.SCANNED, rows_of.LEARNED))]
    is_closing = np.isin(rows["kind"], (rows_of.CLOSED, rows_of.CLOSED_BACK))
    part = np.cumsum(is_closing) / max(1, is_closing.sum())
    fixed = {rows_of.OPENED: colours.OPEN, rows_of.OPENED_BACK: colours.OPEN_BACK, rows_of.FORGOTTEN: colours.FLOOR}
    order = np.argsort(rows["cell"], kind="stable")
    bounds = np.flatnonzero(np.diff(rows["cell"][order], prepend=-1))
    parts = []
    for mine in np.split(order, bounds[1:]):
        x, y = grid.place(int(rows["cell"][mine[0]]))
        hues = [colours.FLOOR]
        for row in mine.tolist():
            kind = int(rows["kind"][row])
            ends = colours.CLOSED if kind == rows_of.CLOSED else colours.CLOSED_BACK
            hues.append(fixed[kind] if kind in fixed else between(ends, float(part[row])))
        change = ""
        if seconds:
            keys = ";".join(["0", *(f"{time / end:.4g}" for time in rows["time"][mine].tolist())])
            listed = ";".join(map(hexed, hues))
            change = (
                f'<animate attributeName="fill" calcMode="discrete" values="{listed}" keyTimes="{keys}" '
                f'dur="{seconds:g}s" repeatCount="indefinite"/>'
            )
        parts.append(f'<rect x="{x}" y="{y}" width="1" height="1" fill="{hexed(hues[-1])}">{change}</rect>')
    return "".join(parts)


def _scans(panel: Moments, end: float, seconds: float) -> str:
    """A bar for each straight run that was scanned."""
    trace, parts = panel.trace, []
    assert trace is not None
    for row in trace.of(rows_of.SCANNED):
        (x, y), (last_x, last_y) = panel.grid.place(int(row["cell"])), panel.grid.place(int(row["other"]))
        if x != last_x and y != last_y:
            continue
        box = f'x="{min(x, last_x)}" y="{min(y, last_y)}" width="{abs(x - last_x) + 1}" height="{abs(y - last_y) + 1}"'
        change = ""
        if seconds:
            change = (
                f'<animate attributeName="opacity" calcMode="discrete" values="0;1" keyTimes="0;{row["time"] / end:.4g}" '
                f'dur="{seconds:g}s" repeatCount="indefinite"/>'
            )
        parts.append(f'<rect {box} fill="{hexed(colours.SCANNED)}">{change}</rect>')
    return "".join(parts)


def _ends(panel: Moments) -> str:
    trace = panel.trace
    assert trace is not None
    (start_x, start_y), (goal_x, goal_y) = panel.grid.place(trace.start), panel.grid.place(trace.goal)
    size = max(0.4, max(panel.grid.width, panel.grid.height) / 90)
    return (
        f'<circle cx="{start_x + 0.5}" cy="{start_y + 0.5}" r="{size:g}" fill="{hexed(colours.START)}"/>'
        f'<path d="M{goal_x + 0.5} {goal_y + 0.5 - size:g}l{size:g} {size:g}l-{size:g} {size:g}l-{size:g} -{size:g}z" '
        f'fill="{hexed(colours.PATH)}"/>'
    )


def _path(panel: Moments, end: float, seconds: float) -> str:
    trace, points = panel.trace, panel.route(panel.end)
    assert trace is not None
    if len(points) < 2:
        return ""
    line = " ".join(f"{x + 0.5:g},{y + 0.5:g}" for x, y in points)
    width = max(0.26, max(panel.grid.width, panel.grid.height) / 160)
    change = ""
    if seconds:
        keys = f"0;{trace.end / end:.4g};{panel.end / end:.4g};1"
        change = (
            f'<animate attributeName="stroke-dashoffset" values="1;1;0;0" keyTimes="{keys}" dur="{seconds:g}s" '
            'repeatCount="indefinite"/>'
        )
    return (
        f'<polyline points="{line}" fill="none" stroke="{hexed(colours.PATH)}" stroke-width="{width:g}" pathLength="1" '
        f'stroke-dasharray="1" stroke-linejoin="round">{change}</polyline>'
    )
