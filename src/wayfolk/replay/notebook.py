"""How grids, problems, paths and direction maps look in a notebook: small pictures, without any package but numpy."""

from __future__ import annotations

import base64
import struct
import zlib
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.replay import colours
from wayfolk.replay.colours import hexed
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.problem.problem import Problem
    from wayfolk.problem.record import Record
    from wayfolk.problem.result import Result
    from wayfolk.simulation.run import Run
    from wayfolk.world.direction_map import DirectionMap

WIDE = 420  # pixels of a picture
MOST_MARKS = 2000  # agents or arrows that are drawn
MOST_ROWS = 2_000_000
"""A record with more rows than this is not put into a notebook, which keeps every page it shows."""


def grid_html(grid: Grid) -> str:
    """Return a picture of the map; costlier terrain is darker."""
    return _figure(grid, "", repr(grid))


def problem_html(problem: Problem) -> str:
    """Return a picture of starts (discs, or bodies to scale) and first goals (diamonds)."""
    if not problem.is_plain:
        return _bodies_html(problem)
    marks = []
    for agent in range(min(problem.n_agents, MOST_MARKS)):
        hue = hexed(colours.AGENTS[agent % len(colours.AGENTS)])
        x, y = problem.grid.place(int(problem.starts[agent]))
        goal_x, goal_y = problem.grid.place(int(problem.goals[agent]))
        marks.append(
            f'<circle cx="{x + 0.5}" cy="{y + 0.5}" r="0.42" fill="{hue}"/><path fill="none" stroke="{hue}" '
            f'stroke-width="0.14" d="M{goal_x + 0.5} {goal_y + 0.15}l.35 .35l-.35 .35l-.35 -.35z"/>'
        )
    return _figure(problem.grid, "".join(marks), repr(problem))


def _bodies_html(problem: Problem) -> str:
    """The picture of a problem in another world, or with bodies: the first step of a plan that has no other."""
    from wayfolk.problem.plan import Plan
    from wayfolk.replay import track_of_plan
    from wayfolk.replay.vector import svg

    if problem.n_agents > MOST_MARKS:
        return f"<p>{escape(repr(problem))}</p>"
    track = track_of_plan(Plan(problem.states, problem.starts[None]), problem.goals)
    caption = f'<figcaption style="font-size:smaller">{escape(repr(problem))}</figcaption>'
    return f'<figure style="margin:0">{svg([track], animated=False)}{caption}</figure>'


def directions_html(directions: DirectionMap) -> str:
    """Return the vectors as thin triangles that point their way, on the map."""
    grid = directions.world
    if not isinstance(grid, Grid):
        return f"<p>{escape(repr(directions))}</p>"
    cells = np.flatnonzero(np.hypot(*directions.vectors.T) > 0.05)
    every = max(1, -(-len(cells) // MOST_MARKS))
    marks = []
    for cell in cells[::every].tolist():
        (x, y), (along, down) = grid.place(cell), directions.vectors[cell]
        left_x, left_y = x + 0.5 - 0.45 * along - 0.2 * down, y + 0.5 - 0.45 * down + 0.2 * along
        marks.append(
            f"M{left_x:.2f} {left_y:.2f}l{0.4 * down:.2f} {-0.4 * along:.2f}L{x + 0.5 + 0.45 * along:.2f} "
            f"{y + 0.5 + 0.45 * down:.2f}z"
        )
    arrows = f'<path fill="{hexed(colours.AGENTS[0])}" d="{"".join(marks)}"/>'
    return _figure(grid, arrows, repr(directions))


def result_html(result: Result) -> str:
    """Return the path on its map, or the replay of the plan, below the numbers."""
    rows = {"status": result.status.value.replace("_", " ")}
    if result.path is not None and result.is_solved:
        rows |= {"cost": f"{result.cost:,.4f}", "cells": f"{len(result.path):,}"}
    rows |= {"expanded": f"{result.expanded:,}", "seconds": f"{result.seconds:.6f}"}
    if result.detail:
        rows["detail"] = result.detail
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
    picture = result.plan._repr_html_() if result.plan is not None else ""
    world = result.query[0] if result.query else None
    if result.path and isinstance(world, Grid):
        picture = _figure(world, _line(result.path), "")
    return f"<b>{escape(result.algorithm)}</b><table>{cells}</table>{picture}"


def record_html(record: Record, title: str = "", run: Run | None = None) -> str:
    """Return the replay of a record, or of a run, as a frame; a sentence if it is too large for a notebook."""
    from wayfolk.replay import Track
    from wayfolk.replay.page import Page

    about = repr(record if run is None else run)
    if len(record) > MOST_ROWS:
        return f"<p>{escape(about)}: not shown here; <code>wayfolk.write_replay</code> makes a page of it.</p>"
    track = Track(title, record) if run is None else run.track()
    return Page([track], about)._repr_html_()


def _line(path: list[Any]) -> str:
    points = " ".join(f"{x + 0.5:g},{y + 0.5:g}" for x, y in path)
    (x, y), (last_x, last_y) = path[0], path[-1]
    return (
        f'<polyline points="{points}" fill="none" stroke="{hexed(colours.PATH)}" stroke-width="0.3" '
        'vector-effect="non-scaling-stroke" style="stroke-width:3px" stroke-linejoin="round"/>'
        f'<circle cx="{x + 0.5:g}" cy="{y + 0.5:g}" r="0.5" fill="{hexed(colours.START)}"/>'
        f'<circle cx="{last_x + 0.5:g}" cy="{last_y + 0.5:g}" r="0.5" fill="{hexed(colours.PATH)}"/>'
    )


def _figure(grid: Grid, marks: str, caption: str) -> str:
    """Return the map as a picture with a pixel for each cell, and `marks` over it, in units of cells."""
    floor = np.empty((grid.height, grid.width, 3), np.uint8)
    floor[:] = colours.WALL
    floor[grid.free] = colours.FLOOR
    if grid.costs is not None:
        dear = np.log1p(grid.costs - grid.costs[grid.free].min(initial=grid.costs.max()))
        shade = np.clip(dear / max(float(dear[grid.free].max(initial=0.0)), 1e-9), 0.0, 1.0)[..., None]
        floor = np.where(grid.free[..., None], floor * (1.0 - 0.3 * shade), floor).astype(np.uint8)
    picture = base64.b64encode(png(floor)).decode()
    high = round(WIDE * grid.height / grid.width)
    below = f'<figcaption style="font-size:smaller">{escape(caption)}</figcaption>' if caption else ""
    return (
        f'<figure style="margin:0"><svg width="{WIDE}" height="{high}" viewBox="0 0 {grid.width} {grid.height}" '
        f'role="img" aria-label="{escape(caption or repr(grid))}" style="max-width:100%">'
        f'<image width="{grid.width}" height="{grid.height}" preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{picture}"/>{marks}</svg>{below}</figure>'
    )


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return colours `[y, x, 3]` as a PNG file."""
    high, wide, _ = pixels.shape
    rows = np.zeros((high, 1 + 3 * wide), np.uint8)
    rows[:, 1:] = pixels.reshape(high, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
