"""Replay: one HTML file that shows what many agents did, from disk, without a server.

The page is made of real files of this package (page.html, page.css and the scripts), put into one file together with
the packed records (pack.py). It loads nothing and says so to the browser: its content security policy names the digest
of its one script, so nothing else in it can run, whatever a title holds.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.formats import write_bytes
from wayfolk.plan import Plan
from wayfolk.record import ARRIVE, GOAL, MOVE, STEPS, Record
from wayfolk.replay.pack import pack, step_lengths

MAX_PANELS = 4
NOTEBOOK_POSITIONS = 2_000_000
"""A plan with more positions than this is not put into a notebook, which keeps every page it shows."""

_SCRIPTS = (
    "decode.js", "timeline.js", "view.js", "lanes.js", "arrows.js", "paint.js", "panel.js", "curve.js", "deck.js", "page.js"
)  # fmt: skip


@dataclass(frozen=True)
class Track:
    """One panel: a record under a title, with a small table of facts below it.

    The page learns lanes from the moves, at the rate `alpha`. With `coherence`, that of these lanes at equal distances
    until the record's end, it opens with the lanes and plots that below them.
    """

    title: str
    record: Record
    facts: dict[str, str] = field(default_factory=dict)
    alpha: float = 0.5
    coherence: tuple[float, ...] = ()


def track_of_plan(
    plan: Plan, goals: ArrayLike | None = None, title: str = "", facts: Mapping[str, str] | None = None
) -> Track:
    """A plan as a panel. With `goals` (a cell for each agent) it shows who has come to stay.

    Without `facts`, the table tells the plan's size, its distance, and how many arrive.
    """
    n_agents = plan.n_agents
    before, after = plan.cells[:-1], plan.cells[1:]
    step, agent = np.nonzero(before != after)
    entered = after[step, agent]
    walked = float(step_lengths(plan.grid, before[step, agent], entered).sum())
    told = {"Agents": f"{n_agents:,}", "Steps": f"{plan.n_steps:,}", "Distance": f"{walked:,.1f}"}
    rows = [_rows(step, agent, MOVE, entered)]
    if goals is not None:
        wanted = np.asarray(goals, dtype=np.int64).ravel()
        if len(wanted) != n_agents:
            raise BadInput(f"there are {n_agents} agents and {len(wanted)} goals")
        elsewhere = plan.cells != wanted  # with the move after the last step spent elsewhere, an agent comes to stay
        since = np.where(elsewhere.any(0), plan.n_steps - elsewhere[::-1].argmax(0), 0)
        there = np.flatnonzero(since < plan.n_steps) if plan.n_steps else np.flatnonzero(~elsewhere[0])
        told["Arrived"] = f"{len(there):,} of {n_agents:,}"
        orders = _rows(np.zeros(n_agents), np.arange(n_agents), GOAL, wanted)
        rows = [orders, *rows, _rows(since[there], there, ARRIVE, wanted[there])]
    log = np.concatenate(rows)
    log = log[np.argsort(log["time"], kind="stable")]
    columns = [np.ascontiguousarray(log[name]) for name in ("time", "agent", "kind", "cell")]
    record = Record(
        plan.grid, plan.cells[0], columns[0], columns[1], columns[2], columns[3], float(plan.n_steps), STEPS
    )
    return Track(title, record, told if facts is None else dict(facts))


def replay_html(tracks: Sequence[Track], title: str) -> str:
    """One page that plays `tracks` side by side on one clock."""
    if not 1 <= len(tracks) <= MAX_PANELS:
        raise BadInput(f"a replay has 1 to {MAX_PANELS} panels, not {len(tracks)}")
    for track in tracks:
        if not 0.0 < track.alpha <= 1.0:
            raise BadInput(f"alpha must be above 0 and at most 1, not {track.alpha}")
    panels = []
    for track in tracks:
        head, body = pack(track.record)
        facts = [[str(name), str(value)] for name, value in track.facts.items()]
        lanes = {"alpha": track.alpha, "coherence": [round(float(value), 4) for value in track.coherence]}
        body_text = base64.b64encode(body).decode()
        panels.append({"title": track.title, "facts": facts, "lanes": lanes, **head, "body": body_text})
    style = _asset("page.css")
    script = "\n".join(['(() => {\n"use strict";', *(_asset(name) for name in _SCRIPTS), "})();"])
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    )
    data = json.dumps(panels, separators=(",", ":")).replace("<", "\\u003c")
    return _filled(
        _asset("page.html"),
        {"title": escape(title), "policy": policy, "style": style, "data": data, "script": script},
    )


def write_replay(tracks: Sequence[Track], file: str | Path, title: str) -> None:
    """Write the page to `file`, whole or not at all."""
    write_bytes(file, replay_html(tracks, title).encode(), BadInput)


def notebook_frame(plan: Plan) -> str:
    """The replay of `plan` as a frame for Jupyter, or a sentence if it would make the notebook heavy."""
    if plan.cells.size > NOTEBOOK_POSITIONS or not plan.cells.size:
        return (
            f"<p>{escape(repr(plan))}: not shown here; <code>wayfolk.replay.write_replay</code> makes a page of it.</p>"
        )
    page = replay_html([track_of_plan(plan)], repr(plan))
    # the frame has no origin of its own: its script reaches neither the notebook nor its kernel
    return (
        f'<iframe title="{escape(repr(plan))}" sandbox="allow-scripts allow-forms" srcdoc="{escape(page)}" '
        'style="width:100%;height:38rem;border:0;border-radius:8px"></iframe>'
    )


def _rows(time: ArrayLike, agent: ArrayLike, kind: int, cell: ArrayLike) -> NDArray[np.void]:
    """Rows of one kind, as a table."""
    table = np.empty(len(np.asarray(time)), [("time", "f8"), ("agent", "i4"), ("kind", "u1"), ("cell", "i4")])
    table["time"], table["agent"], table["kind"], table["cell"] = time, agent, kind, cell
    return table


def _asset(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _filled(page: str, parts: Mapping[str, str]) -> str:
    """`page` with each `{{name}}` replaced, in one pass: what is put in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], page)
