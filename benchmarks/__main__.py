"""Run all benchmarks, or some parts; print their tables, and put them on docs/benchmarks.md with what made them."""

import os
import platform
import re
import sys
import time
from pathlib import Path

from benchmarks import (
    abstraction,
    crowds,
    growth,
    jump_points,
    laboratory,
    many_agents,
    one_agent,
    real_time,
    replanning,
    start_up,
)

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
PARTS = {
    "start-up": start_up,
    "one-agent": one_agent,
    "jump-points": jump_points,
    "abstraction": abstraction,
    "growth": growth,
    "replanning": replanning,
    "real-time": real_time,
    "many-agents": many_agents,
    "crowds": crowds,
    "laboratory": laboratory,
}


def main() -> None:
    wanted = sys.argv[1:] or list(PARTS)
    maps = Path(os.environ.get("WAYFOLK_DATA") or ROOT.parent / "shared" / "maps") / "movingai"
    if not maps.is_dir():
        sys.exit("the benchmarks need the Moving AI maps: set WAYFOLK_DATA to the folder that holds `movingai`")
    for name in wanted:
        made = [f"*`python -m benchmarks {name}`, {time.strftime('%Y-%m-%d')}.*"]
        for title, note, columns, rows in PARTS[name].tables(maps):
            lines = table(title, note, columns, rows)
            print("\n".join(lines), flush=True)
            made += lines
        keep(name, "\n".join(made) + "\n")


def keep(part: str, text: str) -> None:
    """Put a part that was measured on the page, in the place of what it was before."""
    found = dict.fromkeys(PARTS, "")
    if PAGE.exists():
        pieces = re.split(r"^(?=\*`python -m benchmarks )", PAGE.read_text(), flags=re.MULTILINE)[1:]
        found |= {piece.split("`")[1].split()[-1]: piece.strip() + "\n" for piece in pieces}
    found[part] = text
    head = (
        "# Benchmarks\n\n"
        f"Made by `make bench`, or part by part: {processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}. The machine is shared and noisy: read times as +-30 %, and trust the "
        "ratios, whose sides are measured in the same run. Every answer is checked: a benchmark of wrong paths stops.\n"
    )
    PAGE.write_text("\n".join([head, *(piece for piece in found.values() if piece)]))


def table(title, note, columns, rows):
    """A table in Markdown that can be read as plain text too."""
    cells = [[str(c) for c in columns]] + [[shown(value) for value in row] for row in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(columns))]
    lines = [
        "| " + " | ".join(cell.ljust(width) if k == 0 else cell.rjust(width) for k, (cell, width) in pairs) + " |"
        for pairs in (enumerate(zip(row, widths, strict=True)) for row in cells)
    ]
    rule = "| " + " | ".join("-" * w if k == 0 else "-" * (w - 1) + ":" for k, w in enumerate(widths)) + " |"
    return ["", f"## {title}", "", note, "", lines[0], rule, *lines[1:]]


def shown(value):
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) < 1 else f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"
    return str(value)


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
