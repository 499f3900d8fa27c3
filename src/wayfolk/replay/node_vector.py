"""Agents at nodes of a graph of states as SVG: the picture of the world, and bodies that move in it and turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOWHERE
from wayfolk.replay import colours
from wayfolk.replay.colours import hexed
from wayfolk.replay.moments import Moments
from wayfolk.replay.node_moments import NodeMoments
from wayfolk.replay.node_points import Shape


def node_shapes(panel: NodeMoments, end: float, seconds: float) -> list[str]:
    """The world, and a path, a goal and a body for each agent; with `seconds`, in a film of that length."""
    parts, bodies = [_world(panel)], []
    last, here = panel.agents(panel.end)
    headings = np.degrees(panel.headings(panel.end))
    goals = panel.goals(0.0)
    known = goals[goals != NOWHERE]
    ends = dict(zip(known.tolist(), panel._places(known).tolist(), strict=True))
    for agent in range(panel.n_agents):
        hue, shape = hexed(colours.AGENTS[agent % len(colours.AGENTS)]), panel.shapes[agent]
        parts.append(path_shape(panel, agent, hue))
        if goals[agent] != NOWHERE:
            goal_x, goal_y = ends[int(goals[agent])]
            parts.append(goal_shape(goal_x, goal_y, hue))
        if here[agent]:
            x, y = (last[agent] + 0.5).tolist()
            slides, turns = _slides(panel, agent, end, seconds), _turns(panel, agent, end, seconds)
            inside = _body(shape, hue)
            if shape.turns:
                inside = f'<g transform="rotate({headings[agent]:.4g})">{turns}{inside}</g>'
            bodies.append(f'<g transform="translate({x:.5g} {y:.5g})">{slides}{inside}</g>')
    return parts + bodies


def path_shape(panel: Moments, agent: int, hue: str) -> str:
    """The way of an agent."""
    lines = (" ".join(f"{x + 0.5:g},{y + 0.5:g}" for x, y in points) for points in panel.paths(agent))
    return "".join(
        f'<polyline points="{line}" fill="none" stroke="{hue}" stroke-width="0.16" stroke-opacity="0.35" '
        'stroke-linejoin="round"/>'
        for line in lines
    )


def goal_shape(x: float, y: float, hue: str) -> str:
    """A goal at a place."""
    return f'<path d="M{x + 0.5:g} {y + 0.2:g}l.3 .3l-.3 .3l-.3 -.3z" fill="none" stroke="{hue}" stroke-width="0.09"/>'


def wall_shape(free: NDArray[np.bool_]) -> str:
    """All walls as one shape: a rectangle for each run of a row."""
    moves = []
    for y, row in enumerate(~free):
        edges = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0))
        moves += [f"M{first} {y}h{last - first}v1H{first}z" for first, last in edges.reshape(-1, 2).tolist()]
    return f'<path fill="{hexed(colours.WALL)}" d="{"".join(moves)}"/>'


def _world(panel: NodeMoments) -> str:
    """The walls of a map, or the picture of another world, brought to the size of the panel."""
    drawing, unit = panel.points.drawing, panel.points.unit
    if drawing is None:
        return wall_shape(panel.grid.free)
    inside = drawing.svg[drawing.svg.index(">") + 1 : drawing.svg.rindex("</svg>")]
    x, y = panel.points.margin - np.array([drawing.left, drawing.top]) / unit
    shift = f"translate({x:.6g} {y:.6g})"
    return f'<g transform="{shift} scale({1.0 / unit:.6g})">{inside}</g>'


def _body(shape: Shape, hue: str) -> str:
    """A body around the point (0, 0) that heads east."""
    r, floor = shape.radius, hexed(colours.FLOOR)
    edge = f'stroke="{floor}" stroke-width="{0.07 * r:.3g}"'
    if shape.side:
        at = f'x="{-r:.4g}" y="{-r:.4g}" width="{2 * r:.4g}" height="{2 * r:.4g}"'
        body = f'<rect {at} rx="{0.15 * r:.3g}" fill="{hue}" {edge}/>'
    else:
        body = f'<circle r="{r:.4g}" fill="{hue}" {edge}/>'
    if not shape.turns:
        return body
    front = f"M{0.3 * r:.3g} {-0.4 * r:.3g}L{0.85 * r:.3g} 0L{0.3 * r:.3g} {0.4 * r:.3g}z"
    return f'{body}<path d="{front}" fill="{floor}"/>'


def _slides(panel: NodeMoments, agent: int, end: float, seconds: float) -> str:
    """How a body moves."""
    if not seconds:
        return ""
    times, places = panel.stops(agent)
    values = [f"{x + 0.5:.4g} {y + 0.5:.4g}" for x, y in [*places, places[-1]]]
    return _animated("translate", values, [*times, end], end, seconds)


def _turns(panel: NodeMoments, agent: int, end: float, seconds: float) -> str:
    """How a body turns: each turn the shorter way around."""
    if not seconds:
        return ""
    times, numbers = panel.cells_at(agent)
    angles = np.degrees(np.unwrap(panel.headings_of(numbers))).tolist()
    return _animated("rotate", [f"{angle:.4g}" for angle in [*angles, angles[-1]]], [*times, end], end, seconds)


def _animated(kind: str, values: list[str], times: list[float], end: float, seconds: float) -> str:
    keys = ";".join(f"{time / end:.4g}" for time in times)
    return (
        f'<animateTransform attributeName="transform" type="{kind}" values="{";".join(values)}" keyTimes="{keys}" '
        f'dur="{seconds:g}s" repeatCount="indefinite"/>'
    )
