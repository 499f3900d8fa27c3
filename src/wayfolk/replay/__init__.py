"""Replay: one HTML file that shows the moves of many agents, from disk, without a server.

The page is made of the files of `wayfolk.web`, put into one file together with the packed records (pack.py).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.crowds.trajectory import Trajectory
from wayfolk.errors import BadInput
from wayfolk.files.raw import write_bytes
from wayfolk.judge.metrics import rest_steps, step_lengths
from wayfolk.kernels.codes import ARRIVE, GOAL, MOVE
from wayfolk.problem.layers import Layer
from wayfolk.problem.plan import Plan
from wayfolk.problem.record import STEPS, Record
from wayfolk.problem.trace import Trace
from wayfolk.replay.bodies import ground_record, pack_bodies
from wayfolk.replay.layers import pack_layers
from wayfolk.replay.pack import pack
from wayfolk.replay.page import Page
from wayfolk.replay.searches import facts_of_trace, pack_trace, record_of_trace, tail_of, tick_of
from wayfolk.web.pages import one_file_page
from wayfolk.world.grid import Grid

MAX_PANELS = 4
NOTEBOOK_POSITIONS = 2_000_000
"""A plan with more positions than this is not put into a notebook, which keeps every page it shows."""


@dataclass(frozen=True)
class Track:
    """One panel: a record, or the trajectory of a crowd, under a title, with a small table of facts below it.

    The page learns lanes from the moves, at the rate `alpha`. With `coherence`, values at equal intervals until the
    record's end, it opens with the lanes shown and plots their coherence below them. `layers` are what a controller lets
    the page show of itself, each with a switch. With a `trace`, the panel shows a search.
    """

    title: str
    record: Record | Trajectory
    facts: dict[str, str] = field(default_factory=dict)
    alpha: float = 0.5
    coherence: tuple[float, ...] = ()
    layers: tuple[Layer, ...] = ()
    trace: Trace | None = None


def tracks_of_searches(traces: Sequence[Trace], titles: Sequence[str] = ()) -> list[Track]:
    """Return searches as panels, to be shown side by side: the n-th expansions of all of them happen at the same time."""
    tail = tail_of(traces)
    return [
        Track(
            title or trace.label or trace.result.algorithm,
            record_of_trace(trace, trace.end + tail),
            facts_of_trace(trace),
            layers=trace.layers,
            trace=trace,
        )
        for trace, title in zip(traces, titles or [""] * len(traces), strict=True)
    ]


def track_of_plan(
    plan: Plan,
    goals: ArrayLike | None = None,
    title: str = "",
    facts: Mapping[str, str] | None = None,
    layers: tuple[Layer, ...] = (),
) -> Track:
    """Return `plan` as a panel. With `goals` (a cell or a node for each agent) it shows which agents have arrived to stay.

    Without `facts`, the table has the plan's size, its distance, and how many agents arrive.
    """
    n_agents = plan.n_agents
    before, after = plan.cells[:-1], plan.cells[1:]
    step, agent = np.nonzero(before != after)
    entered = after[step, agent]
    walked = float(step_lengths(plan.states, before[step, agent], entered).sum())
    shown = {"Agents": f"{n_agents:,}", "Steps": f"{plan.n_steps:,}", "Distance": f"{walked:,.1f}"}
    rows = [_rows(step, agent, MOVE, entered)]
    if goals is not None:
        wanted = np.asarray(goals, dtype=np.int64).ravel()
        if len(wanted) != n_agents:
            raise BadInput(f"there are {n_agents} agents and {len(wanted)} goals")
        there = np.flatnonzero(plan.home(wanted)[-1])
        since = np.maximum(rest_steps(plan, wanted) - 1, 0)  # the step in which it makes the move to its goal
        shown["Arrived"] = f"{len(there):,} of {n_agents:,}"
        orders = _rows(np.zeros(n_agents), np.arange(n_agents), GOAL, wanted)
        rows = [orders, *rows, _rows(since[there], there, ARRIVE, wanted[there])]
    log = np.concatenate(rows)
    log = log[np.argsort(log["time"], kind="stable")]
    columns = [np.ascontiguousarray(log[name]) for name in ("time", "agent", "kind", "cell")]
    record = Record(
        plan.states, plan.cells[0], columns[0], columns[1], columns[2], columns[3], float(plan.n_steps), STEPS
    )
    return Track(title, record, shown if facts is None else dict(facts), layers=layers)


def replay_html(tracks: Sequence[Track], title: str) -> str:
    """Return a page that plays `tracks` side by side on one clock."""
    _check_panels(tracks)
    panels = [panel_of(track) for track in tracks]
    data = json.dumps(panels, separators=(",", ":")).replace("<", "\\u003c")
    return one_file_page(
        "replay/page.html", "replay/page.css", "replay/main.js", {"title": escape(title), "data": data}
    )


def panel_of(track: Track) -> dict[str, object]:
    """Return what the page needs to know of one panel, for JSON."""
    if not 0.0 < track.alpha <= 1.0:
        raise BadInput(f"alpha must be above 0 and at most 1, not {track.alpha}")
    head, body = pack_bodies(track.record) if isinstance(track.record, Trajectory) else pack(track.record)
    facts = [[str(name), str(value)] for name, value in track.facts.items()]
    lanes = {"alpha": track.alpha, "coherence": [round(float(value), 4) for value in track.coherence]}
    body_text = base64.b64encode(body).decode()
    panel = {"title": track.title, "facts": facts, "lanes": lanes, **head, "body": body_text}
    if track.layers:
        layers, ground = _on_ground(track)
        panel["layers"] = pack_layers(layers, ground, head["tick"])
    if track.trace is not None:
        panel["search"] = pack_trace(track.trace, tick_of(track.trace))
    return panel


def _on_ground(track: Track) -> tuple[tuple[Layer, ...], Record]:
    """The layers of a track, and a record of the cells that they mean."""
    if isinstance(track.record, Trajectory):
        return track.layers, ground_record(track.record)
    states = track.record.states
    if isinstance(states, Grid):
        return track.layers, track.record
    from wayfolk.replay.node_rows import NodeRows

    rows = NodeRows(track.record, states)
    return rows.layers(track.layers), rows.record


def write_replay(tracks: Sequence[Track], file: str | Path, title: str) -> None:
    """Write the replay to `file`, whole or not at all, as what its name ends in.

    `.gif` and `.mp4` are films (by Pillow, and by the program ffmpeg), `.svg` is a drawing that moves in a browser, `.png`
    a picture of the end. `.html`, or a name without an ending, is the page.
    """
    from wayfolk.replay.film import FILMS, check_name, film

    check_name(file)
    suffix = Path(file).suffix.lower()
    if suffix in FILMS:
        _check_panels(tracks)
        data = film(tracks, suffix)
    elif suffix == ".svg":
        _check_panels(tracks)
        from wayfolk.replay.vector import svg

        data = svg(tracks).encode()
    else:
        data = replay_html(tracks, title).encode()
    write_bytes(file, data, BadInput)


def _check_panels(tracks: Sequence[Track]) -> None:
    if not 1 <= len(tracks) <= MAX_PANELS:
        raise BadInput(f"a replay has 1 to {MAX_PANELS} panels, not {len(tracks)}")


def search_page(
    world: Grid,
    start: object,
    goal: object,
    *algorithms: object,
    seconds: float | None = None,
    options: Mapping[str, object] | None = None,
) -> Page:
    """Search from `start` to `goal` by one to four algorithms, and return the searches as a page, side by side.

    `options` are those of the algorithm, for a single one.
    """
    from wayfolk.algorithms.watching import watch_path

    names = algorithms or ("astar",)
    if len(names) > MAX_PANELS:
        raise BadInput(f"a replay has 1 to {MAX_PANELS} panels, not {len(names)}")
    if options and len(names) > 1:
        raise BadInput("options are for a single algorithm: write `watch_path` for each, and `tracks_of_searches`")
    traces = [watch_path(world, start, goal, name, seconds=seconds, **(options or {})) for name in names]  # type: ignore[arg-type]
    tracks = tracks_of_searches(traces)
    return Page(tracks, f"{world.name or 'Search'}: {' and '.join(track.title for track in tracks)}")


def notebook_frame(plan: Plan) -> str:
    """Return the replay of `plan` as a frame for Jupyter, or a sentence if the plan is too large for a notebook."""
    if plan.cells.size > NOTEBOOK_POSITIONS or not plan.cells.size:
        return (
            f"<p>{escape(repr(plan))}: not shown here; <code>wayfolk.replay.write_replay</code> makes a page of it.</p>"
        )
    return Page([track_of_plan(plan)], repr(plan))._repr_html_()


def trajectory_frame(trajectory: Trajectory) -> str:
    """Return the replay of `trajectory` as a frame for Jupyter, or a sentence if it is too large for a notebook."""
    if trajectory.states.size > NOTEBOOK_POSITIONS or not trajectory.states.size:
        return (
            f"<p>{escape(repr(trajectory))}: not shown here; "
            "<code>wayfolk.replay.write_replay</code> makes a page of it.</p>"
        )
    return Page([Track(trajectory.name, trajectory)], repr(trajectory))._repr_html_()


def _rows(time: ArrayLike, agent: ArrayLike, kind: int, cell: ArrayLike) -> NDArray[np.void]:
    """Return rows of one kind, as a table."""
    table = np.empty(len(np.asarray(time)), [("time", "f8"), ("agent", "i4"), ("kind", "u1"), ("cell", "i4")])
    table["time"], table["agent"], table["kind"], table["cell"] = time, agent, kind, cell
    return table
