"""Diagrams of brains: as text, as Mermaid, and as an SVG picture."""

from __future__ import annotations

import math
from html import escape

from wayfolk.crowds.brains.brain import Brain, Transition

BOX_HIGH, LETTER, LINE = 46, 7.4, 15
"""Pixels of a state's height, of a letter's width and of a line of text."""
MARGIN = 26
STYLE = (
    ".brain{font:13px system-ui,sans-serif}.brain rect{fill:#eef4fb;stroke:#0f62a8;stroke-width:1.5}"
    ".brain .way{fill:none;stroke:#444;stroke-width:1.5}.brain .name{font-weight:600;text-anchor:middle}"
    ".brain .pace{fill:#555;font-size:11px;text-anchor:middle}.brain .head{font-size:15px;font-weight:650}"
    ".brain .label{font-size:12px;text-anchor:middle;fill:#222;paint-order:stroke;stroke:#fff;stroke-width:5px}"
    ".brain .quiet{fill:#555;font-size:12px}"
)


def as_text(brain: Brain) -> str:
    """The states of a brain below each other, each with the ways out of it; an arrow marks the first."""
    lines = [f"{brain.name}: {brain.about}"]
    lines.append(f"senses: {', '.join(brain.senses) or 'none, it goes by time'}")
    if brain.settings():
        values = ((name, getattr(brain, name)) for name in brain.settings())
        lines.append("settings: " + ", ".join(f"{name} = {value:g}" for name, value in values))
    for name, state in brain.states.items():
        mark = "->" if name == brain.first else "  "
        end = ", may be the last" if state.final else ""
        lines.append(f"{mark} {name} (pace {state.pace:g}{end})")
        lines += [f"     {brain.label(way)} -> {way.target}" for way in brain.transitions if way.source == name]
    return "\n".join(lines)


def as_mermaid(brain: Brain) -> str:
    """The diagram in the language of Mermaid, for Markdown pages."""
    lines = ["stateDiagram-v2", f"    [*] --> {brain.first}"]
    lines += [f"    {way.source} --> {way.target}: {brain.label(way)}" for way in brain.transitions]
    lines += [f"    {name} --> [*]" for name, state in brain.states.items() if state.final]
    return "\n".join(lines)


def as_svg(brain: Brain) -> str:
    """A picture: the states on an ellipse, clockwise from the left, and an arrow for each transition."""
    names = list(brain.states)
    widths = {name: max(LETTER * len(name), 60) + 30 for name in names}
    ways = _ways(brain)
    longest = max((LETTER * 0.9 * len(label) for _, labels in ways for label in labels), default=0)
    across = max(170.0, 0.5 * (longest + max(widths.values()) + 40)) if len(names) > 1 else 0.0
    down = {1: 0.0, 2: 0.0}.get(len(names), 62.0 + 42 * len(names) / 2)
    where = {
        name: (-across * math.cos(turn), -down * math.sin(turn))
        for name, turn in ((name, 2 * math.pi * k / len(names)) for k, name in enumerate(names))
    }
    arrows = [_arrow(where, widths, source, target, labels) for (source, target), labels in ways]
    left = min(min(x - widths[name] / 2 for name, (x, _) in where.items()) - 46, *(a[1] for a in arrows), 0.0)
    right = max(max(x + widths[name] / 2 for name, (x, _) in where.items()), *(a[2] for a in arrows), 0.0)
    top = min(min(y for _, y in where.values()) - BOX_HIGH / 2, *(a[3] for a in arrows), 0.0) - MARGIN - 40
    bottom = max(max(y for _, y in where.values()) + BOX_HIGH / 2, *(a[4] for a in arrows), 0.0) + MARGIN
    about = brain.about
    right = max(right, left + LETTER * 0.86 * len(about))
    left, right = left - MARGIN, right + MARGIN
    x, y = where[brain.first]
    begin = f'<path class="way" d="M{x - widths[brain.first] / 2 - 38:.0f},{y:.0f} h34" marker-end="url(#tip)"/>'
    boxes = [_box(name, *where[name], widths[name], brain) for name in names]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="brain" width="{right - left:.0f}" '
            f'height="{bottom - top:.0f}" viewBox="{left:.0f} {top:.0f} {right - left:.0f} {bottom - top:.0f}" '
            f'role="img" aria-label="{escape(f"The states of the brain {brain.name}")}">',
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path d="M0,0 10,5 0,10z" fill="#444"/></marker></defs>',
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{right - left:.0f}" height="{bottom - top:.0f}" '
            'style="fill:#fff;stroke:none"/>',
            f'<text class="head" x="{left + MARGIN:.0f}" y="{top + 26:.0f}">{escape(brain.name)}</text>',
            f'<text class="quiet" x="{left + MARGIN:.0f}" y="{top + 44:.0f}">{escape(about)}</text>',
            begin,
            *(arrow[0] for arrow in arrows),
            *boxes,
            *(arrow[5] for arrow in arrows),
            "</svg>\n",
        ]
    )


def _ways(brain: Brain) -> list[tuple[tuple[str, str], list[str]]]:
    """The labels of the transitions between each two states."""
    found: dict[tuple[str, str], list[str]] = {}
    way: Transition
    for way in brain.transitions:
        found.setdefault((way.source, way.target), []).append(brain.label(way))
    return list(found.items())


def _box(name: str, x: float, y: float, width: float, brain: Brain) -> str:
    state = brain.states[name]
    outer = (
        f'<rect x="{x - width / 2 - 4:.1f}" y="{y - BOX_HIGH / 2 - 4:.1f}" width="{width + 8:.1f}" '
        f'height="{BOX_HIGH + 8}" rx="26" style="fill:none"/>'
        if state.final
        else ""
    )
    return (
        f'{outer}<rect x="{x - width / 2:.1f}" y="{y - BOX_HIGH / 2:.1f}" width="{width:.1f}" height="{BOX_HIGH}" rx="22"/>'
        f'<text class="name" x="{x:.1f}" y="{y - 1:.1f}">{escape(name)}</text>'
        f'<text class="pace" x="{x:.1f}" y="{y + 14:.1f}">pace {state.pace:g}</text>'
    )


def _arrow(
    where: dict[str, tuple[float, float]], widths: dict[str, float], source: str, target: str, labels: list[str]
) -> tuple[str, float, float, float, float, str]:
    """A curve that bends to the left of its direction, the box around its label, and the label."""
    (x1, y1), (x2, y2) = where[source], where[target]
    if source == target:
        x, y = x1, y1 - BOX_HIGH / 2
        path = f"M{x - 16:.1f},{y:.1f} c-26,-52 58,-52 32,-2"
        middle_x, middle_y = x, y - 48 - LINE * (len(labels) - 1)
    else:
        length = math.hypot(x2 - x1, y2 - y1)
        along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
        side_x, side_y = along_y, -along_x
        bend = 34 + 0.1 * length
        bend_x, bend_y = (x1 + x2) / 2 + side_x * bend, (y1 + y2) / 2 + side_y * bend
        from_x, from_y = _edge(x1, y1, widths[source], bend_x, bend_y)
        to_x, to_y = _edge(x2, y2, widths[target], bend_x, bend_y)
        path = f"M{from_x:.1f},{from_y:.1f} Q{bend_x:.1f},{bend_y:.1f} {to_x:.1f},{to_y:.1f}"
        middle_x = 0.25 * from_x + 0.5 * bend_x + 0.25 * to_x + side_x * 6
        middle_y = 0.25 * from_y + 0.5 * bend_y + 0.25 * to_y + side_y * 12
    half = max(LETTER * 0.9 * len(label) for label in labels) / 2
    first_y = middle_y - LINE * (len(labels) - 1) / 2 + 4
    lines = "".join(
        f'<text class="label" x="{middle_x:.1f}" y="{first_y + LINE * k:.1f}">{escape(label)}</text>'
        for k, label in enumerate(labels)
    )
    curve = f'<path class="way" d="{path}" marker-end="url(#tip)"/>'
    return curve, middle_x - half, middle_x + half, first_y - LINE, first_y + LINE * len(labels), lines


def _edge(x: float, y: float, width: float, to_x: float, to_y: float) -> tuple[float, float]:
    """Where the line from the middle of a box to a place leaves the box."""
    dx, dy = to_x - x, to_y - y
    part = min(
        width / 2 / abs(dx) if dx else math.inf,
        BOX_HIGH / 2 / abs(dy) if dy else math.inf,
    )
    return x + dx * part, y + dy * part
