"""Run all benchmarks, or some parts; print their tables, and put them on docs/benchmarks.md with what made them."""

import os
import platform
import re
import sys
import time
from pathlib import Path

from benchmarks import (
    IS_CPU_TIME,
    IS_KEPT,
    SECONDS,
    abstraction,
    bodies,
    brains,
    cluster,
    corridors,
    crowds,
    deadlines,
    environments,
    first_minute,
    fleet_peers,
    fleet_scaling,
    fleets,
    game_loop,
    growth,
    jump_points,
    laboratory,
    lifelong,
    many_agents,
    one_agent,
    orders,
    real_time,
    replanning,
    start_up,
    which_algorithm,
    worlds,
)

FLAGS = ("--cpu", "--kept")
ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
PARTS = {
    "start-up": start_up,
    "first-minute": first_minute,
    "one-agent": one_agent,
    "jump-points": jump_points,
    "abstraction": abstraction,
    "growth": growth,
    "replanning": replanning,
    "real-time": real_time,
    "many-agents": many_agents,
    "fleets": fleets,
    "fleet-peers": fleet_peers,
    "fleet-scaling": fleet_scaling,
    "crowds": crowds,
    "bodies": bodies,
    "brains": brains,
    "game-loop": game_loop,
    "lifelong": lifelong,
    "orders": orders,
    "corridors": corridors,
    "environments": environments,
    "laboratory": laboratory,
    "cluster": cluster,
    "which-algorithm": which_algorithm,
    "worlds": worlds,
    "deadlines": deadlines,
}


def main() -> None:
    wanted = chosen([word for word in sys.argv[1:] if word not in FLAGS and not word.startswith("--seconds=")])
    if IS_KEPT and set(wanted) != {"deadlines"}:
        sys.exit("--kept is for the part deadlines: name it")
    options = (
        ("--cpu " if IS_CPU_TIME else "")
        + ("--kept " if IS_KEPT else "")
        + ("" if SECONDS is None else f"--seconds={SECONDS:g} ")
    )
    maps = Path(os.environ.setdefault("WAYFOLK_DATA", str(ROOT.parent / "shared" / "maps"))) / "movingai"
    if not maps.is_dir():
        sys.exit("the benchmarks need the Moving AI maps: set WAYFOLK_DATA to the folder that holds `movingai`")
    for name in wanted:
        page = [f"*`python -m benchmarks {options}{name}`, {time.strftime('%Y-%m-%d')}.*"]
        for title, note, columns, rows in PARTS[name].tables(maps):
            lines = table(title, note, columns, rows)
            print("\n".join(lines), flush=True)
            page += lines
        keep(name, "\n".join(page) + "\n")


def chosen(words: list[str]) -> list[str]:
    """The parts that the command line names, all of them if it names none."""
    parts = f"The parts are {', '.join(PARTS)}; without a part, all are run."
    clock = (
        "--cpu measures CPU time instead of wall-clock time, for a machine that is shared; not for parts with workers. "
        "--kept makes the tables of deadlines from the runs that were measured before."
    )
    if {"-h", "--help"} & set(words):
        print("Run benchmarks and put their tables on docs/benchmarks.md: python -m benchmarks [OPTIONS] [PART ...].")
        print(
            parts,
            clock,
            "--seconds=N limits each run of fleet-peers (else 30 s), fleet-scaling (else 5 s) and orders (else 60 s).",
            sep="\n",
        )
        sys.exit(0)
    for word in words:
        if word not in PARTS:
            print(f"There is no part {word!r} among the benchmarks. {parts}", file=sys.stderr)
            sys.exit(2)
    return words or list(PARTS)


def keep(part: str, text: str) -> None:
    """Put a part that was measured on the page, in the place of what it was before."""
    pages = dict.fromkeys(PARTS, "")
    if PAGE.exists():
        pieces = re.split(r"^(?=\*`python -m benchmarks )", PAGE.read_text(), flags=re.MULTILINE)[1:]
        pages |= {piece.split("`")[1].split()[-1]: piece.strip() + "\n" for piece in pieces}
    pages[part] = text
    head = (
        "# Benchmarks\n\n"
        f"Made by `make bench`, or part by part: {processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}. The machine is shared and noisy: read times as +-30 %, and trust the "
        "ratios, whose sides are measured in the same run. With `--cpu`, times are CPU time. Every answer is checked: a "
        "benchmark of wrong paths stops.\n"
    )
    PAGE.write_text("\n".join([head, *(piece for piece in pages.values() if piece)]))


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
