"""The bodies of a crowd as SVG: a disc for each of them that moves along its trajectory, walls and signals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wayfolk.replay import colours
from wayfolk.replay.body_moments import BodyMoments
from wayfolk.replay.colours import hexed

MOST_SAMPLES = 240  # places of a body in an animation
MOST_NUMBERS = 400_000  # of all bodies together
LEAST_RADIUS = 1 / 280  # of the longer side of the map: smaller bodies would not be seen


def body_shapes(panel: BodyMoments, end: float, seconds: float) -> list[str]:
    """Floor, walls, bodies and signals; with `seconds`, in a film of that length, whose time is up to `end`."""
    n_samples = min(MOST_SAMPLES, max(2, MOST_NUMBERS // max(1, 2 * panel.n_agents)), panel.trajectory.n_frames)
    times = np.linspace(0.0, panel.end, max(n_samples, 2)) if seconds and panel.end > 0 else np.array([panel.end])
    keys = ";".join(f"{time / end:.4g}" for time in times) if len(times) > 1 else ""
    moments = [panel.agents(t) for t in times]
    hues = [panel.hues(t) for t in times]
    least = LEAST_RADIUS * max(panel.grid.width, panel.grid.height)
    parts = _floor(panel)
    for x, y, last_x, last_y in (panel.walls + 0.5).tolist():
        parts.append(
            f'<line x1="{x:g}" y1="{y:g}" x2="{last_x:g}" y2="{last_y:g}" stroke="{hexed(colours.QUIET)}" '
            'stroke-width="0.08"/>'
        )
    for body in range(panel.n_agents):
        present = [bool(here[body]) for _, here in moments]
        if not any(present):
            continue
        xs, ys = _filled([places[body] + 0.5 for places, _ in moments], present)
        edge = f' stroke="{hexed(colours.INK)}" stroke-width="0.03"' if panel.is_vehicle[body] else ""
        shown = "" if present[-1] else ' opacity="0"'
        change = ""
        if keys:
            change = _glides("cx", [f"{x:.3g}" for x in xs], keys, seconds)
            change += _glides("cy", [f"{y:.3g}" for y in ys], keys, seconds)
            change += _switches("opacity", [str(int(here)) for here in present], keys, seconds)
            change += _switches("fill", [hexed(hue[body]) for hue in hues], keys, seconds)
        parts.append(
            f'<circle cx="{xs[-1]:.3g}" cy="{ys[-1]:.3g}" r="{max(panel.radii[body], least):.3g}" '
            f'fill="{hexed(hues[-1][body])}"{edge}{shown}>{change}</circle>'
        )
    lamps = [panel.lamp_hues(t) for t in times]
    for k, (x, y) in enumerate((panel.lamps + 0.5).tolist()):
        change = _switches("fill", [hexed(lit[k]) for lit in lamps], keys, seconds) if keys else ""
        parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{max(0.1, 2 * least):.3g}" fill="{hexed(lamps[-1][k])}" '
            f'stroke="{hexed(colours.INK)}" stroke-width="0.03">{change}</circle>'
        )
    return parts


def _floor(panel: BodyMoments) -> list[str]:
    """One shape for each colour of the floor but the common one, of a rectangle for each run of a row."""
    floor = panel.floor(0.0)
    codes = floor.astype(np.int64) @ np.array([65536, 256, 1])
    parts = []
    for code in np.unique(codes).tolist():
        if code == np.dot(colours.FLOOR, [65536, 256, 1]):
            continue
        moves = []
        for y, row in enumerate(codes == code):
            edges = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0))
            moves += [f"M{first} {y}h{last - first}v1H{first}z" for first, last in edges.reshape(-1, 2).tolist()]
        parts.append(f'<path fill="#{code:06x}" d="{"".join(moves)}"/>')
    return parts


def _filled(places: Sequence[np.ndarray], present: Sequence[bool]) -> tuple[list[float], list[float]]:
    """The places as lists of x and y; a body that is not there rests where it was last, or will be first."""
    known = [k for k, here in enumerate(present) if here]
    nearest = [known[max(int(np.searchsorted(known, k, "right")) - 1, 0)] for k in range(len(places))]
    return [float(places[k][0]) for k in nearest], [float(places[k][1]) for k in nearest]


def _glides(name: str, values: Sequence[str], keys: str, seconds: float) -> str:
    return _animated(name, values, keys, seconds, "linear")


def _switches(name: str, values: Sequence[str], keys: str, seconds: float) -> str:
    """An animation without values in between; none if nothing changes."""
    return _animated(name, values, keys, seconds, "discrete") if len(set(values)) > 1 else ""


def _animated(name: str, values: Sequence[str], keys: str, seconds: float, mode: str) -> str:
    if mode == "linear" and not keys.endswith(";1"):  # linear times end with 1: rest until then
        values, keys = [*values, values[-1]], keys + ";1"
    return (
        f'<animate attributeName="{name}" calcMode="{mode}" values="{";".join(values)}" keyTimes="{keys}" '
        f'dur="{seconds:g}s" repeatCount="indefinite"/>'
    )
