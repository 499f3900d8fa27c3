"""Agents at nodes of a graph of states in a picture of a film: the world with its lanes or cells, and bodies to scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOWHERE
from wayfolk.replay import colours
from wayfolk.replay.node_moments import NodeMoments
from wayfolk.replay.world_picture import cell_outlines
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels


def draw_nodes(brush: Any, panel: NodeMoments, t: float, size: int) -> None:
    """Draw the panel at `t` with cells of `size` pixels."""
    world = panel.points.states.world
    if isinstance(world, HexGrid | TriangleGrid | Voxels):
        _draw_cells(brush, panel, world, size)
    elif not isinstance(world, Grid):
        _draw_lanes(brush, panel, size)
    for place, is_closed in panel.edits(t).items():
        corners = [tuple(corner) for corner in (panel.points.outline(place) * size).tolist()]
        hue = colours.NEW_WALL if is_closed else colours.FLOOR
        if len(corners) > 2:
            brush.polygon(corners, fill=hue)
        else:
            brush.line(corners, fill=hue, width=max(3, round(0.12 * size)))
    goals = panel.goals(t)
    for agent in np.flatnonzero(goals != NOWHERE).tolist():
        (x, y), *_ = (panel._places(goals[agent : agent + 1]) + 0.5) * size
        half = 0.3 * size
        corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
        brush.polygon(corners, outline=_hue(agent), width=max(1, round(half / 4)))
    places, here = panel.agents(t)
    headings = panel.headings(t)
    for agent in np.flatnonzero(here).tolist():
        _draw_body(brush, panel, agent, (places[agent] + 0.5) * size, headings[agent], size)


def _draw_body(brush: Any, panel: NodeMoments, agent: int, at: NDArray[np.float64], heading: float, size: int) -> None:
    """A square or a disc, with a triangle in front if it turns."""
    shape = panel.shapes[agent]
    radius = shape.radius * size
    box = (*(at - radius).tolist(), *(at + radius).tolist())
    if shape.side:
        brush.rectangle(box, fill=_hue(agent), outline=colours.FLOOR)
    else:
        brush.ellipse(box, fill=_hue(agent), outline=colours.FLOOR)
    if shape.turns:
        ahead = np.array([np.cos(heading), np.sin(heading)]) * radius
        aside = np.array([-ahead[1], ahead[0]])
        corners = (at + 0.3 * ahead - 0.4 * aside, at + 0.85 * ahead, at + 0.3 * ahead + 0.4 * aside)
        brush.polygon([tuple(corner) for corner in corners], fill=colours.FLOOR)


def _draw_cells(brush: Any, panel: NodeMoments, world: HexGrid | TriangleGrid | Voxels, size: int) -> None:
    """Cells with their edges; blocked ones are filled."""
    rings = (panel.points.at[:, None] + 0.5 + cell_outlines(world)) * size
    for ring, is_free in zip(rings, world.free.ravel().tolist(), strict=True):
        fill = colours.FLOOR if is_free else colours.WALL
        brush.polygon([tuple(corner) for corner in ring.tolist()], fill=fill, outline=colours.EDGE)


def _draw_lanes(brush: Any, panel: NodeMoments, size: int) -> None:
    """Lanes as lines, those that lead one way in blue with a triangle in the middle; places as dots."""
    world, levels = panel.points.states.world, panel.points.levels
    assert not isinstance(world, Grid)
    at = (panel.points.at + 0.5) * size
    pairs = set(zip(world.sources.tolist(), world.graph.target.tolist(), strict=True))
    for start, end in sorted(pairs):
        one_way = (end, start) not in pairs
        if levels[start] != levels[end] or (start > end and not one_way):
            continue
        hue = colours.TONES["blue"] if one_way else colours.WALL
        brush.line([tuple(at[start]), tuple(at[end])], fill=hue, width=max(2, round(0.05 * size)))
        if one_way:
            along = at[end] - at[start]
            ahead = along / max(float(np.linalg.norm(along)), 1e-9) * 0.15 * size
            middle, aside = at[start] + 0.6 * along, np.array([-ahead[1], ahead[0]]) * 0.6
            brush.polygon([tuple(middle + ahead), tuple(middle - aside), tuple(middle + aside)], fill=hue)
    dot = max(2.0, 0.06 * size)
    for x, y in at.tolist():
        brush.ellipse((x - dot, y - dot, x + dot, y + dot), fill=colours.QUIET)


def _hue(agent: int) -> colours.Colour:
    return colours.AGENTS[agent % len(colours.AGENTS)]
