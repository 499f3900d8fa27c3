"""Several algorithms on the same problems of one map: a row for each of them, and a page with the table and a replay.

With several numbers of agents there is a row for each algorithm and number, and the page has curves over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from html import escape
from statistics import fmean
from typing import Any

from wayfolk.algorithms.catalogue import Entry
from wayfolk.experiments.choosing.curve import curve_svg
from wayfolk.experiments.choosing.trials import Trial, tried, try_once, work_on
from wayfolk.problem.problem import random_problem
from wayfolk.replay import MAX_PANELS, replay_html
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PLANS = {
    "solved": "problems in which all agents arrive",
    "arrived": "share of agents on their goals at the end",
    "makespan": "step from which all agents rest",
    "sum_of_costs": "steps until agents arrive and stay, summed up",
    "above_bound": "sum of costs over its lower bound",
    "seconds": "seconds of planning",
    "first_step_ms": "milliseconds of the first step of a controller, in which much is prepared",
    "step_p50_ms": "milliseconds of the other steps, median",
    "step_p99_ms": "the same, 99th percentile",
    "refused_moves": "moves that the referee refused",
    "faults": "faults of the plan that the judge found",
}
WORK = {
    "throughput": "tasks done in a step",
    "tasks": "tasks done",
    "waiting": "share of their time that agents did not move",
    "service_p50": "steps for a task, median",
    "service_p90": "the same, 90th percentile",
    "service_p99": "the same, 99th percentile",
    "first_step_ms": PLANS["first_step_ms"],
    "step_p50_ms": PLANS["step_p50_ms"],
    "step_p99_ms": PLANS["step_p99_ms"],
    "refused_moves": PLANS["refused_moves"],
    "faults": "faults of the record that the judge found",
}
CURVES = ("throughput", "service_p90", "arrived", "above_bound", "seconds", "step_p99_ms")
COSTS = ("makespan", "sum_of_costs", "above_bound")
BEST = {"arrived": max, "sum_of_costs": min, "makespan": min, "seconds": min, "throughput": max, "service_p90": min}


@dataclass(frozen=True)
class Comparison:
    """All trials, and a row of means for each algorithm and number of agents."""

    world: Grid | Graph
    agents: tuple[int, ...]
    columns: dict[str, str]
    trials: list[Trial]
    rows: list[dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "map": self.world.name,
            "agents": self.agents[0] if len(self.agents) == 1 else list(self.agents),
            "rows": self.rows,
            "trials": [
                {"algorithm": trial.algorithm, "agents": trial.agents, "seed": trial.seed, **trial.numbers}
                for trial in self.trials
            ],
        }

    @property
    def is_sound(self) -> bool:
        """Whether every algorithm ran, and the judge found no fault."""
        return all(trial.numbers.get("faults") == 0 for trial in self.trials)


def compare(
    world: Grid | Graph,
    entries: Sequence[Entry],
    agents: int | Sequence[int],
    seeds: Sequence[int],
    *,
    seconds: float | None = None,
    steps: int | None = None,
    lifelong: bool = False,
    bodies_of: Callable[[int], Any] = lambda count: None,
    walk: Callable[[Any, int], Any] = lambda items, total: items,
) -> Comparison:
    """Let each algorithm solve the same random problems, or, `lifelong`, work for `steps` steps, once for each of `agents`.

    `bodies_of` says which bodies so many agents have; lifelong, the one kind of all of them.
    `walk` goes through the trials, of which there will be so many: it shows the progress.
    """
    names = names_of(entries)
    counts = (agents,) if isinstance(agents, int) else tuple(agents)
    problem_of = lru_cache(1)(lambda count, seed: random_problem(world, count, seed=seed, bodies=bodies_of(count)))

    def trial(entry: Entry, count: int, seed: int) -> Trial:
        if lifelong:
            work = {"steps": steps or 1000, "seconds": seconds, "body": bodies_of(count)}
            return work_on(entry, world, count, seed, **work)
        return try_once(entry, problem_of(count, seed), seed, seconds=seconds, steps=steps)

    problem_of(max(counts), seeds[0])  # an error if the map has no room for so many agents
    trials = []
    jobs = [(entry, count, seed) for count in counts for seed in seeds for entry in entries]
    for entry, count, seed in walk(jobs, len(jobs)):
        outcome = tried(partial(trial, entry, count, seed), entry.name, seed)
        track = outcome.track if (count, seed) == (counts[0], seeds[0]) else None  # only the first problem is shown
        trials.append(replace(outcome, algorithm=names[entry], agents=count, track=track))
    columns = WORK if lifelong else PLANS
    rows = [_row(name, count, trials, columns) for count in counts for name in names.values()]
    return Comparison(world, counts, columns, trials, rows)


def names_of(entries: Sequence[Entry]) -> dict[Entry, str]:
    """The name of each algorithm, with its family if another one has the same name."""
    names = [entry.name for entry in entries]
    return {entry: f"{entry.family}/{entry.name}" if names.count(entry.name) > 1 else entry.name for entry in entries}


def _row(name: str, agents: int, trials: Sequence[Trial], columns: dict[str, str]) -> dict[str, Any]:
    """The means of one algorithm with so many agents; costs are those of plans that bring all agents home."""
    own = [trial.numbers for trial in trials if (trial.algorithm, trial.agents) == (name, agents)]
    row: dict[str, Any] = {"algorithm": name, "agents": agents, "trials": len(own)}
    refused = [numbers["detail"] for numbers in own if numbers["status"] == "refused"]
    if refused:
        row["detail"] = refused[0]
    solved = [numbers for numbers in own if numbers["status"] == "solved"]
    for column in columns:
        if column == "solved":
            row[column] = len(solved)
            continue
        counted = solved if column in COSTS else own
        values = [numbers[column] for numbers in counted if numbers.get(column) is not None]
        row[column] = sum(values) if column == "faults" else fmean(values) if values else None
    return row


def report_html(comparison: Comparison, title: str, how: str) -> str:
    """The comparison as one page: the table, all trials, and a replay of the first problem side by side."""
    columns = {"algorithm": "", "agents": "number of agents", **comparison.columns}
    best = set[tuple[str, int, str]]().union(*(_best(comparison, count) for count in comparison.agents))
    head = "".join(
        f'<th title="{escape(meaning)}">{escape(name.replace("_", " "))}</th>' for name, meaning in columns.items()
    )

    def cell(row: dict[str, Any], name: str) -> str:
        is_best = (row["algorithm"], row["agents"], name) in best
        return f"<td{' class=best' if is_best else ''}>{escape(shown(row.get(name)))}</td>"

    body = "".join(f"<tr>{''.join(cell(row, name) for name in columns)}</tr>" for row in comparison.rows)
    refused = "".join(
        f"<p><b>{escape(row['algorithm'])}</b> refuses: {escape(row['detail'])}</p>"
        for row in comparison.rows
        if "detail" in row
    )
    meanings = "".join(
        f"<dt>{escape(name.replace('_', ' '))}</dt><dd>{escape(meaning)}</dd>"
        for name, meaning in comparison.columns.items()
    )
    return _PAGE.format(
        title=escape(title), how=escape(how), head=head, body=body, refused=refused, meanings=meanings,
        trials=_all_trials(comparison), replay=_replay(comparison, title), curves=_curves(comparison),
    )  # fmt: skip


def _curves(comparison: Comparison) -> str:
    """Measures over the number of agents, if there are several."""
    if len(comparison.agents) == 1:
        return ""
    measures = {name: meaning for name, meaning in comparison.columns.items() if name in CURVES}
    figures = "".join(
        f"<figure>{curve_svg(comparison.rows, name, meaning)}<figcaption>{escape(name.replace('_', ' '))}: "
        f"{escape(meaning)}</figcaption></figure>"
        for name, meaning in measures.items()
    )
    return f'<h2>Over the number of agents</h2><div class="curves">{figures}</div>'


def _best(comparison: Comparison, agents: int) -> set[tuple[str, int, str]]:
    """The best algorithms of each column with so many agents; those of costs are among those that solved most problems."""
    rows = [row for row in comparison.rows if row["agents"] == agents]
    most = max((row.get("solved", 0) for row in rows), default=0)
    best = set()
    for name, pick in BEST.items():
        own = [row for row in rows if row.get(name) is not None]
        if name in COSTS:
            own = [row for row in own if row["solved"] == most]
        if own:
            value = pick(row[name] for row in own)
            best |= {(row["algorithm"], agents, name) for row in own if row[name] == value}
    return best


def _all_trials(comparison: Comparison) -> str:
    names = [name for name in comparison.columns if name != "solved"]
    head = "".join(
        f"<th>{escape(name.replace('_', ' '))}</th>" for name in ("algorithm", "agents", "seed", "status", *names)
    )
    rows = "".join(
        f"<tr><td>{escape(trial.algorithm)}</td><td>{trial.agents}</td><td>{trial.seed}</td>"
        f"<td>{escape(str(trial.numbers['status']))}</td>"
        + "".join(f"<td>{escape(shown(trial.numbers.get(name)))}</td>" for name in names)
        + "</tr>"
        for trial in comparison.trials
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _replay(comparison: Comparison, title: str) -> str:
    """The first problem, as a frame that has no origin of its own."""
    tracks = tracks_of(comparison)
    if not tracks:
        return "<p>No algorithm has a plan to show.</p>"
    page = replay_html(tracks, title)
    n_shown, n_all = len(tracks), len(comparison.rows) // len(comparison.agents)
    note = (
        f"<p>A replay has {MAX_PANELS} panels: the first {n_shown} of {n_all} are shown.</p>"
        if n_all > MAX_PANELS
        else ""
    )
    return f'{note}<iframe title="Replay" sandbox="allow-scripts allow-forms" srcdoc="{escape(page)}"></iframe>'


def tracks_of(comparison: Comparison) -> list[Any]:
    """The panels of the first problem, as many as a replay has."""
    tracks = [trial.track for trial in comparison.trials if trial.track is not None]
    return tracks[:MAX_PANELS]


def shown(value: Any) -> str:
    """A number as a table shows it."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) < 10 else f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; max-width: 78rem }}
body {{ color: #222; background: #fdfdfb }}
h1 {{ font-size: 1.5rem; margin: 0 }}
h2 {{ font-size: 1.15rem; margin: 2rem 0 .5rem }}
p {{ margin: .4rem 0 }}
.scroll {{ overflow-x: auto }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
th, td {{ padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #ddd }}
td {{ white-space: nowrap }}
th {{ font-weight: 600; vertical-align: bottom; line-height: 1.2 }}
th:first-child, td:first-child {{ text-align: left }}
td.best {{ font-weight: 700; background: #e3f1ea }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .9rem }}
dt {{ font-weight: 600 }}
dd {{ margin: 0 }}
figure {{ margin: 0 }}
figcaption {{ font-size: .9rem }}
svg text {{ font-size: 12px; fill: currentColor }}
.curves {{ display: flex; flex-wrap: wrap; gap: 1.5rem }}
iframe {{ width: 100%; height: 52rem; border: 1px solid #ddd; border-radius: 8px }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #e6e6e6; background: #16181b }}
  th, td {{ border-color: #3a3d42 }}
  td.best {{ background: #1d3a2e }}
  iframe {{ border-color: #3a3d42 }}
}}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{how}</p>
<h2>Means</h2>
<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>
{refused}
{curves}
<h2>The first problem, side by side</h2>
{replay}
<h2>All trials</h2>
<div class="scroll">{trials}</div>
<h2>What the columns mean</h2>
<dl>{meanings}</dl>
</body>
</html>
"""
