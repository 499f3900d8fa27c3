"""Overview: one page for all papers that were run again, made from the verdicts at the end of their pages."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

SUMMARY = "<!-- verdicts: "  # how the last line of a paper's page begins
VERDICTS = ("holds", "fails", "refuted in its own figures too", "undecided", "not measured")
PAPERS = {
    "jansen": "direction maps",
    "bmaa": "BMAA* and FAR",
    "vermette": "Salient Search",
    "arun": "agents in crowds",
    "sdp": "SDP with Cooperative JPS",
}
"""What each document is about, in its row of the table."""
INTERESTING = {
    "B1": "The machine decides who wins",
    "V2": "One strategy does not come back",
    "A2": "A queue for a priority queue",
    "S2": "The gain goes away when both get the same problem",
    "J34": "Two weights, not two ways of knowing",
}
"""Claims whose failure is a finding, and what it is called; shown where they do not hold."""
HOW = """## How verdicts are given

* **holds**, **fails**: measured on the same problems for both sides of a comparison. A difference counts if the 95 percent
  interval of the paired differences lies on one side of the bound.
* **undecided**: the interval lies across the bound. More runs would decide it.
* **refuted in its own figures too**: the claim fails here, and the numbers that the document prints refute it as well. We
  agree with its data.
* **not measured**: an algorithm, a map or the time for it is missing.

Every failure has a cause: *setup* (theirs differs from ours, and in what), *slip of the author* (and which), *chance*, or
*honest difference*. A sentence and a measurement stand with it.
"""


def overview(folder: Path) -> str:
    """The page, from the pages of the papers in `folder`; those that are missing are left out."""
    papers = {name: facts for name in PAPERS if (facts := verdicts(folder / f"{name}.md"))}
    counts = {name: Counter(claim["verdict"] for claim in facts["claims"]) for name, facts in papers.items()}
    total = sum(counts.values(), Counter[str]())
    words = VERDICTS if total["not measured"] else VERDICTS[:-1]
    lines = [
        "# Papers, run again",
        "",
        f"{len(papers)} documents, {sum(total.values())} claims: {total['holds']} hold. Each document is run again by one"
        " command, and its page sets our numbers beside the printed ones.",
        "",
        _row("document", *words, "run"),
        _row("---", *["---:"] * len(words), "---"),
    ]
    for name, facts in papers.items():
        numbers = (counts[name][word] for word in words)
        author, size = facts["title"].partition(",")[0], facts["how"].rpartition(" ")[2]
        lines.append(_row(f"[{author}]({name}.md), {PAPERS[name]}", *numbers, f"`{size}`, {facts['date']}"))
    lines.append(_row("all", *(total[word] for word in words), ""))
    return "\n".join([*map(starred, lines), *map(starred, _failures(papers)), "", HOW])


def starred(text: str) -> str:
    """Markdown in which the star of A* and the like is a star, and begins no italics."""
    return re.sub(r"(?<=[A-Za-z])\*(?!\*)", r"\\*", text)


def verdicts(page: Path) -> dict[str, Any] | None:
    """What the last line of a page says, None if there is no such page or line."""
    if not page.is_file():
        return None
    last = page.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
    if not last.startswith(SUMMARY):
        return None
    facts: dict[str, Any] = json.loads(last.removeprefix(SUMMARY).removesuffix("-->"))
    return facts


def _failures(papers: dict[str, dict[str, Any]]) -> list[str]:
    """The failures that are findings."""
    claims = {claim["id"]: (name, claim) for name, facts in papers.items() for claim in facts["claims"]}
    shown = [name for name in INTERESTING if name in claims and claims[name][1]["verdict"] != "holds"]
    lines = ["", "## The most interesting failures"] if shown else []
    for number in shown:
        paper, claim = claims[number]
        cause = claim.get("cause") or {}
        said = f'**{INTERESTING[number]}** ([{number}]({paper}.md)). "{claim["text"]}" {claim["verdict"].capitalize()}:'
        parts = (said, f"{claim['detail']}.", cause.get("why"), cause.get("measured"))
        lines += ["", " ".join(part for part in parts if part)]
    return lines


def _row(*fields: Any) -> str:
    return "| " + " | ".join(str(field).replace("|", "\\|") for field in fields) + " |"
