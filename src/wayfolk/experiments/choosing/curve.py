"""Curves of a comparison: a measure over the number of agents, a line for each algorithm, as SVG without a library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import Any

WIDTH, HEIGHT = 460, 280
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 14, 40
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b")
LINE = 16  # height of a line of the legend


def curve_svg(rows: Sequence[dict[str, Any]], measure: str, meaning: str) -> str:
    """The means of `measure` in `rows`, which have an algorithm and a number of agents each; "" if there are none."""
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    known = [row for row in rows if row.get(measure) is not None]
    lines = {name: sorted((row["agents"], row[measure]) for row in known if row["algorithm"] == name) for name in names}
    points = [point for line in lines.values() for point in line]
    if not points:
        return ""
    counts: list[int] = sorted({row["agents"] for row in rows})
    ticks = _ticks(float(max(value for _, value in points)))
    height = HEIGHT + LINE * len(names)

    def x(count: float) -> float:
        return LEFT + (count - counts[0]) / max(counts[-1] - counts[0], 1) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / ticks[-1] * (HEIGHT - TOP - BOTTOM)

    title = escape(f"{measure.replace('_', ' ')}: {meaning}")
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" aria-label="{title}"><title>{title}</title>'
    ]
    for tick in ticks:
        parts.append(f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}" stroke="currentColor" opacity=".2"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for count in counts:
        parts.append(f'<text x="{x(count):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{count:,}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - BOTTOM + 32}" text-anchor="middle">agents</text>')
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x(count):.1f},{y(value):.1f}" for count, value in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(count):.1f}" cy="{y(value):.1f}" r="3" fill="{colour}"/>' for count, value in line]
        top = HEIGHT + LINE * number
        parts.append(f'<path d="M{LEFT} {top}h24" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{LEFT + 32}" y="{top + 4}">{escape(name)}</text>')
    return "".join([*parts, "</svg>"])


def _ticks(most: float) -> list[float]:
    """Round numbers from 0 to at least `most`."""
    if most <= 0:
        return [0.0, 1.0]
    rough = most / 4
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough * 0.999)
    return [step * k for k in range(ceil(most / step - 1e-9) + 1)]
