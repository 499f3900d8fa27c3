"""Page: a paper that was run again, as Markdown. Verdicts and figures stand first, long tables are folded.

The last line of a page is a comment with its verdicts as JSON, from which `overview` makes one page for all papers.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

from wayfolk.errors import BadInput
from wayfolk.experiments.papers.claims import ALSO_THERE, CAUSES, FAILS, HOLDS, UNDECIDED, UNMEASURED, VERDICTS
from wayfolk.experiments.reports.overview import SUMMARY, starred
from wayfolk.files.raw import write_bytes

SHORT = 8  # rows of a table that is not folded
COUNTS = {
    HOLDS: "{} hold",
    FAILS: "{} fail",
    ALSO_THERE: "{} fail as in the document's own figures",
    UNDECIDED: "{} are undecided",
    UNMEASURED: "{} were not measured",
}


def write_page(result: dict[str, Any], file: Path, how: str) -> None:
    """Write what `reproduce` returned for a whole paper; `how` is the command that was run."""
    lines = [*map(starred, _page(result, file, how)), "", _summary(result, how)]
    write_bytes(file, ("\n".join(lines) + "\n").encode(), BadInput)


def counted(claims: list[dict[str, Any]]) -> str:
    """How many claims have each verdict, in a phrase."""
    counts = Counter(claim["verdict"] for claim in claims)
    parts = [COUNTS[word].format(counts[word]) for word in VERDICTS if counts[word]]
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else "none were judged"


def _page(result: dict[str, Any], file: Path, how: str) -> list[str]:
    lines = [
        f"# {result['title']}",
        "",
        f"Made by `{how}` on {time.strftime('%Y-%m-%d')}. Of {len(result['claims'])} claims {counted(result['claims'])}.",
    ]
    if result.get("lacking"):
        lines += ["", f"**{result['lacking']}**"]
    for finding in result.get("findings", ()):
        lines += ["", finding]
    lines += [*_claims(result["claims"]), *_figures(result, file), *_choices(result.get("choices", ()))]
    lines += [
        "",
        "## Tables",
        "",
        "Ours stands before the printed number, and the ratio behind it; ± is a standard error.",
    ]
    if any(table.get("has_seconds") for table in result["tables"]):
        lines += ["", _machine(result.get("machine") or {})]
    for table in result["tables"]:
        if table.get("on_page", True):
            lines += _table(table)
    return lines


def _claims(claims: list[dict[str, Any]]) -> list[str]:
    """The table of verdicts, and the cause of each failure."""
    readings = list(dict.fromkeys(title for claim in claims for title in claim.get("readings", {})))
    columns = ["other readings"] if len(readings) > 1 else readings
    heads = ["", "claim", "verdict", *columns, "measured"]
    lines = ["", "## Claims", "", _row(*heads), _row(*["---"] * len(heads))]
    for claim in claims:
        word = claim["verdict"]
        shown = f"**{word}**" if word == FAILS else word
        if word == HOLDS and claim["paper_itself"] is False:
            shown += " (its own figures refute it)"
        words = {title: reading["verdict"] for title, reading in claim.get("readings", {}).items()}
        others = _by_verdict(words) if len(readings) > 1 else "".join(words.values())
        lines.append(_row(claim["id"], claim["text"], shown, *[others] * len(columns), claim["detail"]))
    open_ones = [claim for claim in claims if claim["verdict"] in (FAILS, UNDECIDED)]
    if open_ones:
        lines += ["", "### Why claims do not hold", "", _row("", "cause", "why", "measured"), _row(*["---"] * 4)]
    for claim in open_ones:
        cause = claim.get("cause") or {"kind": "", "which": "", "why": "", "measured": ""}
        kind = CAUSES.get(cause["kind"], "chance" if claim["verdict"] == UNDECIDED else "not known")
        which = f"{kind}: {cause['which']}" if cause["which"] else kind
        lines.append(_row(claim["id"], which, cause["why"], cause["measured"]))
    return lines


def _by_verdict(words: dict[str, str]) -> str:
    """The readings of a claim that have each verdict."""
    parts = ((word, [title for title in words if words[title] == word]) for word in VERDICTS)
    return "; ".join(f"{word}: {', '.join(titles)}" for word, titles in parts if titles)


def _figures(result: dict[str, Any], file: Path) -> list[str]:
    lines: list[str] = []
    figures = [figure for figure in result.get("figures", []) if figure["file"]]
    if figures:
        lines += ["", "## Figures"]
    for figure in figures:
        link = os.path.relpath(figure["file"], file.parent).replace(os.sep, "/")
        number = f"Figure {figure['figure']}: " if figure["figure"][0].isdigit() else ""
        lines += ["", f"![{figure['title']}]({link})", "", f"{number}{figure['title']}."]
    pictures = [picture for picture in result.get("pictures", []) if (file.parent / picture[1]).exists()]
    if pictures:
        lines += ["", "## Maps", "", f'<details markdown="1"><summary>{len(pictures)} maps</summary>']
    for title, link in pictures:
        lines += ["", f"![{title}]({link})", "", f"{title}."]
    return [*lines, "", "</details>"] if pictures else lines


def _choices(choices: Any) -> list[str]:
    """The settings that the text does not give."""
    if not choices:
        return []
    heads = ("setting", "chosen", "why")
    return ["", "## Where the text is silent", "", _row(*heads), _row(*["---"] * 3), *(_row(*one) for one in choices)]


def _machine(machine: dict[str, Any]) -> str:
    """A sentence about the machine, for tables with seconds."""
    if not machine:
        return "The machine of these seconds is not known."
    load = machine.get("load")
    busy = f" On average a run took {load:.1f} times its processor time: so busy was the machine." if load else ""
    waiting = machine.get("waiting")
    crowd = f" In the last 15 minutes of the runs {waiting:.0f} processes shared the cores." if waiting else ""
    return f"Seconds are those of one core of {machine['cores']} ({machine['processor']}).{busy}{crowd}"


def _table(one: dict[str, Any]) -> list[str]:
    """A table whose rows have numbers, and why others have none; folded if it is long."""
    metrics = one["metrics"]
    shown = [row for row in one["rows"] if row["ours"]]
    lines = ["", f"### {one['table']}: {one['title']}", "", one["setup"]]
    is_long = len(shown) > SHORT
    if is_long:
        lines += ["", f'<details markdown="1"><summary>{len(shown)} rows</summary>']
    if shown:
        settings = [name for name in shown[0]["paper"] if name not in metrics]
        heads = [name.replace("_", " ") for name in (*settings, *metrics, "runs")]
        lines += ["", _row(*heads), _row(*["---"] * len(settings), *["---:"] * (len(metrics) + 1))]
        for row in shown:
            beside = (beside_printed(row["ours"], row["paper"], row["ratio"] or {}, metric) for metric in metrics)
            named = ("" if row["paper"].get(name) is None else row["paper"][name] for name in settings)
            lines.append(_row(*named, *beside, row["runs"]))
    if is_long:
        lines += ["", "</details>"]
    for why, n in Counter(row["why"] for row in one["rows"] if row["why"]).items():
        lines += ["", f"{n} of {len(one['rows'])} rows: {why}."]
    return lines


def beside_printed(ours: dict[str, Any], paper: dict[str, Any], ratios: dict[str, Any], metric: str) -> str:
    """Ours with its standard error, if there is one, the printed number, and their ratio."""
    mine, theirs = (
        f"{value:.4g}" if isinstance(value, int | float) else str(value or "-")
        for value in (ours.get(metric), paper.get(metric))
    )
    error = ours.get(f"{metric}_error")
    mine += "" if error is None else f" ± {error:.2g}"
    ratio = ratios.get(metric)
    return f"{mine} / {theirs}" + (f" ({ratio:.3g})" if ratio is not None else "")


def _summary(result: dict[str, Any], how: str) -> str:
    """The verdicts of a page as a comment."""
    kept = ("id", "text", "verdict", "detail", "cause")
    claims = [{name: claim[name] for name in kept if name in claim} for claim in result["claims"]]
    facts = {"title": result["title"], "how": how, "date": time.strftime("%Y-%m-%d"), "claims": claims}
    return SUMMARY + json.dumps(facts).replace("--", "\\u002d\\u002d").replace(">", "\\u003e") + " -->"


def _row(*fields: Any) -> str:
    return "| " + " | ".join(str(field).replace("|", "\\|").replace("\n", " ") for field in fields) + " |"
