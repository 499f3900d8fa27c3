"""A roadmap or another graph as a picture: lanes with their direction and, where there is room, their length; named places.

Levels are drawn beside each other, and what joins them (lifts) as dashed lines.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.replay.colours import EDGE, INK, QUIET, TONES, WALL, hexed
from wayfolk.replay.labels import Labels
from wayfolk.replay.svg import SIDE, Drawing, check_number, columns_of, picture, text
from wayfolk.world.graph import Graph
from wayfolk.world.roadmap import Lane, Roadmap

MOST_NAMES = 300  # roadmaps with more places are drawn without names
MOST_LENGTHS = 500  # with more lanes, without lengths
LETTERS = 11.0
NUMBERED = re.compile(r".*/?\d+")  # a place that its file does not name
BLUE = hexed(TONES["blue"])
ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="{0:.3g}" markerHeight="{0:.3g}" '
    f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L6 3L0 6z" fill="{BLUE}"/></marker></defs>'
)


def graph_drawing(graph: Graph) -> Drawing:
    """Lanes as lines, blue with an arrow if they lead one way only, wider if they are faster; places as discs."""
    world = _as_roadmap(graph)
    check_number(len(world.lanes) + world.n_cells)
    at, titles, walls = _placed(world)
    unit = max(*np.ptp(np.concatenate([at, walls.reshape(-1, 2)]), axis=0), 1e-9) / SIDE
    level = _levels(world)[0]
    there = _directions(world)
    pairs = sorted(pair for pair in there if pair[0] < pair[1] or pair[::-1] not in there)
    lanes = np.array(pairs, np.int64).reshape(-1, 2)
    lines = at[lanes].reshape(-1, 4)
    lengths = np.hypot(*(lines[:, 2:] - lines[:, :2]).T)
    typical = float(np.median(lengths)) / unit if len(lengths) else SIDE
    thin = min(1.0, max(0.25, min(typical / 30.0, math.sqrt(2000.0 / max(len(lanes), 1)))))  # crowded drawings are fine
    radius, arrow = 4.0 * thin * unit, max(5.0, 11.0 * thin) * unit
    fastest = max((lane.speed for lane in world.lanes), default=1.0)
    shapes, lifts = [ARROW.format(arrow)], []
    for (a, b), (x1, y1, x2, y2), length in zip(lanes.tolist(), lines.tolist(), lengths.tolist(), strict=True):
        if level[a] != level[b]:
            dashes = f'stroke="{hexed(EDGE)}" stroke-width="{unit:.3g}" stroke-dasharray="{4 * unit:.3g}"'
            lifts.append(f'<path d="M{x1:.6g} {y1:.6g}L{x2:.6g} {y2:.6g}" {dashes}/>')
            continue
        one_way = (b, a) not in there
        if one_way:  # the arrow ends beside the disc
            part = 1.0 - min(0.4, 1.2 * radius / max(length, 1e-300))
            x2, y2 = x1 + part * (x2 - x1), y1 + part * (y2 - y1)
        style = f'stroke="{BLUE}" marker-end="url(#arrow)"' if one_way else f'stroke="{hexed(WALL)}"'
        wide = thin * unit * (1.0 + 2.0 * there[a, b][1] / fastest)
        shapes.append(f'<path d="M{x1:.6g} {y1:.6g}L{x2:.6g} {y2:.6g}" {style} stroke-width="{wide:.3g}"/>')
    path = "".join(f"M{x1:.6g} {y1:.6g}L{x2:.6g} {y2:.6g}" for x1, y1, x2, y2 in walls.tolist())
    if path:
        shapes.insert(
            1, f'<path d="{path}" stroke="{hexed(EDGE)}" stroke-width="{3 * unit:.3g}" stroke-linecap="round"/>'
        )
    for x, y in at.tolist():
        shapes.append(f'<circle cx="{x:.6g}" cy="{y:.6g}" r="{radius:.3g}" fill="{hexed(INK)}"/>')
    labels = Labels(LETTERS * unit, at, radius, lines[level[lanes[:, 0]] == level[lanes[:, 1]]])
    if world.n_cells <= MOST_NAMES:
        names = [str(world.place(node)) for node in range(world.n_cells)]
        called = [node for node in range(world.n_cells) if not _is_on_lane(world, world.place(node))]
        for node in sorted(called, key=lambda node: NUMBERED.fullmatch(names[node]) is not None):
            labels.add(names[node], at[node], radius, hue=hexed(INK))
    if len(lanes) <= MOST_LENGTHS:
        for k in np.argsort(-lengths).tolist():
            (a, b), middle = lanes[k].tolist(), (lines[k, :2] + lines[k, 2:]) / 2.0
            words = " / ".join(dict.fromkeys(f"{there[pair][0]:.3g}" for pair in ((a, b), (b, a)) if pair in there))
            if level[a] == level[b] and lengths[k] > (len(words) * 0.6 + 2.0) * LETTERS * unit:
                labels.add(words, middle, unit, hue=hexed(QUIET), most_crossings=0)
    left, top, right, bottom = labels.bounds(walls)
    room = 12.0 * unit
    for words, (x, y) in titles.items():
        shapes.append(text(x, y, words, 14.0 * unit))
        left, top, right = min(left, x), min(top, y - 14.0 * unit), max(right, x + 9.0 * unit * len(words))
    box = (left - room, top - room, right - left + 2 * room, bottom - top + 2 * room)
    return Drawing(picture([*lifts, *shapes, *labels.shapes], *box), *box, at, level, typical * unit)


def graph_text(graph: Graph, columns: int) -> str:
    """A drawing in letters: `o` is a place, dots are lanes, and `<`, `>`, `^` or `v` is the middle of a one-way lane."""
    world = _as_roadmap(graph)
    at, *_ = _placed(world)
    low, high = at.min(0), at.max(0)
    scale = (columns - 1) / max(*(high - low), 1e-9)
    spots = np.rint((at - low) * [scale, 0.5 * scale]).astype(int)  # a letter is about twice as high as it is wide
    rows = [[" "] * (spots[:, 0].max() + 1) for _ in range(spots[:, 1].max() + 1)]
    there, level = _directions(world), _levels(world)[0]
    arrows = []
    for start, end in there:
        if level[start] != level[end]:
            continue
        n = max(int(np.abs(spots[end] - spots[start]).max()), 1)
        points = np.rint(np.linspace(spots[start], spots[end], n + 1)).astype(int).tolist()
        for x, y in points:
            rows[y][x] = "."
        if (end, start) not in there:
            across, down = (spots[end] - spots[start]).tolist()
            flat = abs(across) >= abs(down)
            arrows.append((points[len(points) // 2], "<>"[across > 0] if flat else "^v"[down > 0]))
    for (x, y), arrow in arrows:
        rows[y][x] = arrow
    for x, y in spots.tolist():
        rows[y][x] = "o"
    return "\n".join("".join(row).rstrip() for row in rows)


def _is_on_lane(world: Roadmap, name: Any) -> bool:
    """Whether a divided roadmap has called a place on a lane so."""
    ends = name[:2] if isinstance(name, tuple) and len(name) == 3 else ()
    return len(ends) == 2 and all(end in world._number for end in ends)


def _as_roadmap(graph: Graph) -> Roadmap:
    """A graph as a roadmap, whose lanes are as long as its edges cost."""
    if isinstance(graph, Roadmap):
        return graph
    names = list(graph.names)
    rows = zip(graph.sources.tolist(), graph.graph.target.tolist(), graph.graph.weight.tolist(), strict=True)
    lanes = [Lane(names[start], names[end], True, cost) for start, end, cost in rows]
    points = graph.positions
    places = names if points is None else dict(zip(names, points.tolist(), strict=True))
    return Roadmap(places, lanes, name=getattr(graph, "name", ""))


def _directions(world: Roadmap) -> dict[tuple[int, int], tuple[float, float]]:
    """The ways from one place to another, with the length and the speed of the fastest lane."""
    ways: dict[tuple[int, int], tuple[float, float]] = {}
    rows = zip(world.sources.tolist(), world.graph.target.tolist(), world.lengths, world.speeds, strict=True)
    for start, end, length, speed in rows:
        known = ways.get((start, end))
        if known is None or length / speed < known[0] / known[1]:
            ways[start, end] = float(length), float(speed)
    return ways


def _levels(world: Roadmap) -> tuple[NDArray[np.int64], list[str]]:
    """The number of each place's level, and what the levels are called."""
    if len(set(world.levels.values())) > 1:
        names = [str(world.levels.get(name, "")) for name in world.names]
        called = list(dict.fromkeys(names))
        return np.array([called.index(name) for name in names]), called
    if world.positions is not None and world.positions.shape[1] == 3:
        heights, numbers = np.unique(world.positions[:, 2], return_inverse=True)
        return numbers, [f"z = {height:g}" for height in heights]
    return np.zeros(world.n_cells, np.int64), [""]


def _placed(world: Roadmap) -> tuple[NDArray[np.float64], dict[str, tuple[float, float]], NDArray[np.float64]]:
    """Where the places are drawn, the titles of levels, and the walls; places without positions lie around a circle."""
    none = np.zeros((0, 4))
    if world.positions is None:
        angles = np.arange(world.n_cells) * 2.0 * math.pi / world.n_cells
        return np.stack([np.cos(angles), np.sin(angles)], axis=1), {}, none
    at = world.positions[:, :2].copy()
    level, names = _levels(world)
    walls = [
        (k, *wall.start, *wall.end) for wall in world.walls for k, name in enumerate(names) if wall.level in ("", name)
    ]
    if len(names) == 1:
        walls = [(0, *wall.start, *wall.end) for wall in world.walls]
    rows = np.array(walls, np.float64).reshape(-1, 5)
    lines, level_of = rows[:, 1:], rows[:, 0].astype(np.int64)
    if len(names) == 1:
        return at, {}, lines
    points = np.concatenate([at, lines.reshape(-1, 2)])
    low, size = points.min(0), np.maximum(np.ptp(points, axis=0), 1e-3 * max(*np.ptp(points, axis=0), 1.0))
    step = size + 0.12 * size.max()
    n_columns = columns_of(len(names), *step)
    shift = np.array([(k % n_columns, k // n_columns) for k in range(len(names))]) * step
    tops = [
        float(np.concatenate([at[level == k, 1], lines[level_of == k, 1::2].ravel()]).min()) for k in range(len(names))
    ]
    titles = {
        name: (float(low[0] + shift[k, 0]), float(tops[k] + shift[k, 1] - 0.04 * size.max()))
        for k, name in enumerate(names)
    }
    return at + shift[level], titles, lines + np.tile(shift[level_of], 2)
