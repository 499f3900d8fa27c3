"""Tables, numbers and texts as a report writes them in HTML."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], starts: Collection[int] = ()) -> str:
    """A table; heads stand over their columns, to the left or to the right, and a heavier line before `starts`."""
    left, right = "<th>", '<th class="number">'
    sides = [right if cell.startswith('<td class="number"') else left for cell in rows[0]]
    top = "".join(f"{side}{head}</th>" for side, head in zip(sides, heads, strict=True))
    openings = ('<tr class="start">' if k in starts else "<tr>" for k in range(len(rows)))
    body = "\n".join(f"{opening}{''.join(row)}</tr>" for opening, row in zip(openings, rows, strict=True))
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def left(text: str) -> str:
    """A field of a table with a text."""
    opening = '<td class="wide">' if len(text) > 24 else "<td>"
    return f"{opening}{escape(text)}</td>"


def right(text: str) -> str:
    """A field of a table with a number."""
    return f'<td class="number">{escape(text)}</td>'


def number(value: float, digits: int) -> str:
    """A number with so many digits, or whole if it is large."""
    return f"{value:,.0f}" if abs(value) >= 1000 or value == 0.0 else f"{value:#.{digits}g}".rstrip(".")


def share(value: float, digits: int) -> str:
    """A share as a percentage with so many digits."""
    return f"{value:.{max(0, digits - 3)}%}"


def count(n: int, noun: str) -> str:
    """A number of things, such as "3 runs"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def duration(seconds: float) -> str:
    """A time in a unit that fits."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:,.3g} h"


def ranges(numbers: Iterable[int]) -> str:
    """Whole numbers in short, such as "1 to 4, 7"."""
    parts: list[list[int]] = []
    for one in sorted(numbers):
        if parts and one == parts[-1][-1] + 1:
            parts[-1].append(one)
        else:
            parts.append([one])
    return ", ".join(f"{p[0]} to {p[-1]}" if len(p) > 2 else ", ".join(map(str, p)) for p in parts)
