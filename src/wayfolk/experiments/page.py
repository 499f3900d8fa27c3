"""Page: a paper that was run again, as Markdown: verdicts of its claims, ours beside the printed numbers, its figures."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

from wayfolk.errors import BadInput
from wayfolk.formats import write_bytes

WORDS = {True: "holds", False: "**does not hold**", None: "not measured"}


def write_page(made: dict[str, Any], file: Path, how: str) -> None:
    """Write what `reproduce` returned for a whole paper; `how` is the command that made it."""
    write_bytes(file, ("\n".join(_page(made, file, how)) + "\n").encode(), BadInput)


def _page(made: dict[str, Any], file: Path, how: str) -> list[str]:
    counts = Counter(claim["holds"] for claim in made["claims"])
    lines = [
        f"# {made['title']}",
        "",
        f"Made by `{how}` on {time.strftime('%Y-%m-%d')}. Of {len(made['claims'])} claims {counts[True]} hold,"
        f" {counts[False]} do not, and {counts[None]} were not measured. In the tables ours stands before the printed"
        " number, and the ratio behind it.",
        "",
        "## Claims",
        "",
        "| | verdict | claim | measured |",
        "| --- | --- | --- | --- |",
    ]
    for claim in made["claims"]:
        itself = " (the paper's own figures refute it)" if claim["paper_itself"] is False else ""
        lines.append(_row(claim["id"], WORDS[claim["holds"]], claim["text"] + itself, claim["detail"]))
    figures = [figure for figure in made.get("figures", []) if figure["file"]]
    if figures:
        lines += ["", "## Figures"]
    for figure in figures:
        link = os.path.relpath(figure["file"], file.parent).replace(os.sep, "/")
        lines += ["", f"![{figure['title']}]({link})", "", f"Figure {figure['figure']}: {figure['title']}."]
    for table in made["tables"]:
        lines += _table(table)
    return lines


def _table(one: dict[str, Any]) -> list[str]:
    """A table whose rows have numbers, and why others have none."""
    metrics = one["metrics"]
    shown = [row for row in one["rows"] if row["ours"]]
    lines = ["", f"## {one['table']}: {one['title']}", "", one["setup"]]
    if shown:
        settings = [name for name in shown[0]["paper"] if name not in metrics]
        heads = [name.replace("_", " ") for name in (*settings, *metrics, "runs")]
        lines += ["", _row(*heads), _row(*["---"] * len(settings), *["---:"] * (len(metrics) + 1))]
        for row in shown:
            beside = (beside_printed(row["ours"], row["paper"], row["ratio"] or {}, metric) for metric in metrics)
            named = ("" if row["paper"].get(name) is None else row["paper"][name] for name in settings)
            lines.append(_row(*named, *beside, row["runs"]))
    for why, n in Counter(row["why"] for row in one["rows"] if row["why"]).items():
        lines += ["", f"{n} of {len(one['rows'])} rows: {why}."]
    return lines


def beside_printed(ours: dict[str, Any], paper: dict[str, Any], ratios: dict[str, Any], metric: str) -> str:
    """Ours, the printed number, and their ratio."""
    mine, theirs = (
        f"{value:.4g}" if isinstance(value, int | float) else str(value or "-")
        for value in (ours.get(metric), paper.get(metric))
    )
    ratio = ratios.get(metric)
    return f"{mine} / {theirs}" + (f" ({ratio:.3g})" if ratio is not None else "")


def _row(*fields: Any) -> str:
    return "| " + " | ".join(str(field).replace("|", "\\|").replace("\n", " ") for field in fields) + " |"
