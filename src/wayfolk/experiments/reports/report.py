"""Report: what a store holds, as one page that opens from disk and prints.

The same store makes the same page, byte for byte: it holds no dates and no random numbers. Means come with intervals of
95 %: bootstrap ones for measures, Wilson's for shares of solved runs. A run counts as solved if it says so and its plan
has no faults. Made maps that differ by their seed alone are draws of one kind and count together, and so do scenario
files that differ by their number alone.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from wayfolk import __version__
from wayfolk.errors import BadInput
from wayfolk.experiments.reports.figures import pictures
from wayfolk.experiments.reports.html import count, duration, left, number, ranges, right, share, table
from wayfolk.experiments.reports.load import load_runs, map_facts, natural, pairs, problem_facts, shown_value
from wayfolk.experiments.reports.measures import (
    COLUMNS,
    PATHS,
    PLANS,
    SIMULATIONS,
    SUCCESS,
    Loaded,
    Mean,
    Measure,
    summarise,
)  # fmt: skip
from wayfolk.experiments.sweeps.store import Store
from wayfolk.experiments.sweeps.worker import FAILURES
from wayfolk.files.raw import write_bytes

MOST_ROWS = 1000
MOST_LISTED = 50
TITLES = {
    PLANS: ("Plans", "Each agent has one goal; counts are for a whole run."),
    SIMULATIONS: (
        "Simulations",
        "Agents patrol or serve tasks. Collisions, distance, expanded cells and replans are for each agent and loop, "
        "without the first and the last loop where there are three or more.",
    ),
    PATHS: (
        "Single paths",
        "One agent at a time. A run is a batch of queries; its expanded cells are a mean over them.",
    ),
}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name}: report</title>
<style>
{style}</style>
</head>
<body>
<h1>{name}</h1>
<p class="lead">{lead}</p>
<nav>{links}</nav>
{sections}
<footer>Made by Wayfolk {version}.</footer>
</body>
</html>
"""


def write_report(store_file: str | Path, out: str | Path | None = None) -> dict[str, Any]:
    """Write what is in a store to the HTML file `out`: tables, figures, specs, settings and provenance.

    A report has the name of its sweep, or of the store if that holds several; so has the file by default. Returns the
    contract of `wayfolk report --json`.
    """
    with Store(store_file, read_only=True) as store:
        loaded = load_runs(store)
        specs = store.rows("SELECT name, text FROM specs ORDER BY name, text")
        names = {spec["name"] for spec in specs}
        name = names.pop() if len(names) == 1 else Path(store_file).stem
        out = Path(re.sub(r"[^\w.-]+", "-", name) + ".html") if out is None else Path(out)
        sections = [
            _summary(store, loaded),
            *(_kind(kind, loaded) for kind in TITLES if (loaded.runs.kind == kind).any()),
            _settings(store, loaded, specs),
            _provenance(store),
            _again(store, out.name, len(specs)),
        ]
    titles = re.findall(r'<h2 id="(\w+)">(.*?)</h2>', "".join(sections))
    page = _PAGE.format(
        name=escape(name),
        style=resources.files(__package__).joinpath("report.css").read_text(encoding="utf-8"),
        lead=_lead(loaded),
        links="".join(f'<a href="#{name}">{title}</a>' for name, title in titles),
        sections="\n".join(sections),
        version=escape(__version__),
    )
    write_bytes(out, page.encode(), BadInput)
    return {"file": str(out), "runs": len(loaded.runs), "figures": re.findall(r'<figure id="([^"]+)">', page)}


def _lead(loaded: Loaded) -> str:
    maps = {json.dumps(map_facts(one["map"])) for one in loaded.settings}
    algorithms = {algorithm for algorithm, _ in loaded.ways}
    runs = f"{count(len(loaded.runs), 'run')} of {count(len(algorithms), 'algorithm')} on {count(len(maps), 'map')}"
    return f"{runs}, in {count(len(loaded.ways), 'setting')} of algorithm and options."


def _summary(store: Store, loaded: Loaded) -> str:
    runs = loaded.runs
    failed, faulty = int(runs.status.isin(FAILURES).sum()), int((runs.faults > 0).sum())
    wrong = int(runs.wrong_cost.fillna(0).sum())
    tried = runs[runs.tries > 0]
    solved = f"{(tried.hits == tried.tries).mean():.1%}" if len(tried) else "-"
    tiles = [
        ("runs", f"{len(runs):,}", ""), ("solved", solved, ""), ("failed", f"{failed:,}", "alarm" * (failed > 0)),
        ("with faults", f"{faulty:,}", "alarm" * (faulty > 0)), ("work", duration(float(runs.wall_seconds.sum())), ""),
    ]  # fmt: skip
    if (runs.kind == PATHS).any():
        tiles.insert(4, ("wrong costs", f"{wrong:,}", "alarm" * (wrong > 0)))
    shown = "".join(f'<div class="{how}"><dt>{name}</dt><dd>{value}</dd></div>' for name, value, how in tiles)
    counts = runs.groupby(["series", "status"]).size().unstack(fill_value=0)
    statuses = sorted(counts.columns, key=lambda status: (status != "solved", status in FAILURES, status))
    heads = ["algorithm", "options", *(escape(status.replace("_", " ")) for status in statuses), "faults", "work"]
    lines = []
    for series, row in counts.iterrows():
        own = runs[runs.series == series]
        numbers = [*(f"{row[status]:,}" if row[status] else "" for status in statuses), f"{own.faults.sum():,.0f}"]
        lines.append([*_way(loaded, series), *map(right, numbers), right(duration(float(own.wall_seconds.sum())))])
    return (
        f'<h2 id="summary">Summary</h2><dl class="tiles">{shown}</dl><h3>How runs ended</h3>'
        f"{table(heads, lines)}{_failures(store)}"
    )


def _failures(store: Store) -> str:
    """What did not work out and why, failures first, then by frequency; details that differ in numbers count as one."""
    rows = store.rows(
        "SELECT status, algorithm, count(*) AS n, min_by(detail, key) AS detail, min(key) AS key FROM runs "
        "WHERE status <> 'solved' AND (detail <> '' OR status IN (SELECT unnest(?))) "
        "GROUP BY status, algorithm, regexp_replace(detail, '[0-9]+', '0', 'g') ORDER BY n DESC, key",
        [list(FAILURES)],
    )
    if not rows:
        return ""
    rows.sort(key=lambda row: row["status"] not in FAILURES)
    lines = [
        [left(row["status"].replace("_", " ")), left(row["algorithm"]), right(f"{row['n']:,}"),
         left(row["detail"] or ""), f"<td><code>{escape(row['key'])}</code></td>"]
        for row in rows[:MOST_LISTED]
    ]  # fmt: skip
    rest = f'<p class="note">And {len(rows) - MOST_LISTED} more.</p>' if len(rows) > MOST_LISTED else ""
    heads = ["status", "algorithm", "runs", "detail of one", "its key"]
    return f'<h3 id="failures">What was not solved, and why</h3>{table(heads, lines)}{rest}'


def _kind(kind: str, loaded: Loaded) -> str:
    title, about = TITLES[kind]
    figures = "".join(
        f'<figure id="{picture.name}"><h3>{picture.title}</h3>{picture.svg}'
        f"<figcaption>{picture.caption}</figcaption></figure>"
        for picture in pictures(kind, loaded)
    )
    return f'<h2 id="{kind}">{title}</h2><p>{about}</p>{figures}{_means(kind, loaded)}'


def _means(kind: str, loaded: Loaded) -> str:
    """The table of means: a row for each world, number of agents and series."""
    runs = loaded.runs[loaded.runs.kind == kind]
    columns = [measure for measure in COLUMNS[kind] if runs[measure.column].notna().any()]
    groups = list(runs.groupby(["world", "agents", "series"]))
    lines = []
    for (world, agents, series), group in groups[:MOST_ROWS]:
        cells = [left(loaded.worlds[world]), right(f"{agents:,}"), *_way(loaded, series), right(f"{len(group):,}")]
        means = (_mean(summarise(group, measure), measure, len(group)) for measure in (SUCCESS, *columns))
        lines.append([*cells, *means])
    starts = {k for k in range(1, len(lines)) if groups[k][0][:2] != groups[k - 1][0][:2]}
    heads = ["map", "agents", "algorithm", "options", "runs", "solved"]
    heads += [f"{measure.name}<small>{measure.unit}</small>" for measure in columns]
    note = "Below each mean its interval of 95 %, and the number of runs it is over where that is not all of them."
    if len(groups) > MOST_ROWS:
        note += f" These are {MOST_ROWS:,} of {len(groups):,} rows: ask the store for the others."
    return f'<h3>Means</h3><p class="note">{note}</p>{table(heads, lines, starts)}'


def _mean(mean: Mean | None, measure: Measure, n_runs: int) -> str:
    """A cell with a mean; below it its interval, if it is over more than one run."""
    if mean is None:
        return right("-")
    shown = share if measure is SUCCESS else number
    value, low, high = (
        f'<data value="{number!r}">{shown(number, digits)}</data>'
        for number, digits in ((mean.mean, 4), (mean.low, 3), (mean.high, 3))
    )
    below = [f"{low} – {high}"] if mean.n > 1 else []
    below += [f"n = {mean.n:,}"] if measure is not SUCCESS and mean.n != n_runs else []
    return f'<td class="number">{value}<small>{", ".join(below)}</small></td>'


def _settings(store: Store, loaded: Loaded, specs: Sequence[dict[str, Any]]) -> str:
    """The specs as they were written, and what was swept, put together from the jobs."""
    blocks: dict[tuple[str, ...], dict[str, set[Any]]] = {}
    for one in loaded.settings:
        name, facts = map_facts(one["map"])
        source = Path(one["map"]["file"]).name if "file" in one["map"] else str(one["map"]["make"])
        problem = pairs(problem_facts(one["problem"], name))
        key = (name, f"{source} {pairs(facts)}", problem, one["moves"], one["model"], pairs(one["limits"]))
        values = blocks.setdefault(key, {"agents": set(), "seed": set(), "digest": set()})
        for place, what in (("problem", "agents"), ("map", "seed"), ("problem", "digest")):
            values[what].update({one[place][what]} if what in one[place] else ())
    lines = []
    for (name, source, problem, *rest), values in sorted(blocks.items(), key=lambda block: natural(" ".join(block[0]))):
        files = f" ({count(len(values['digest']), 'file')})" if values["digest"] else ""
        texts = (name, source, ranges(values["seed"]), problem + files, ranges(values["agents"]), *rest)
        lines.append([left(text) for text in texts])
    heads = ["map", "made of", "map seeds", "problem", "agents", "moves", "model", "limits"]
    more = f'<p class="note">And {len(lines) - MOST_LISTED:,} more.</p>' if len(lines) > MOST_LISTED else ""
    seeds, repeats = (
        ranges(row[name] for row in store.rows(f"SELECT DISTINCT {name} FROM runs")) for name in ("seed", "repeat")
    )
    ways = [_way(loaded, series) for series in range(len(loaded.ways))]
    written = "".join(f"<h3>Spec: {escape(one['name'])}</h3><pre>{escape(one['text'])}</pre>" for one in specs)
    return (
        f'<h2 id="settings">Settings</h2>{written}<h3>Maps and problems</h3>{table(heads, lines[:MOST_LISTED])}{more}'
        f"<h3>Algorithms</h3>{table(['algorithm', 'options'], ways)}<p>Seeds {seeds}; repeats {repeats}.</p>"
    )


def _provenance(store: Store) -> str:
    rows = store.rows(
        "SELECT id, told, count(key) AS n FROM provenance LEFT JOIN runs ON provenance = id GROUP BY ALL ORDER BY id"
    )
    circumstances = [json.loads(row["told"]) for row in rows]
    names = sorted(
        {name for one in circumstances for name in one}, key=lambda name: (name != "wayfolk", name != "commit", name)
    )
    lines = [
        [right(f"{row['n']:,}"), *(left(shown_value(one.get(name, ""))) for name in names)]
        for row, one in zip(rows, circumstances, strict=True)
    ]
    heads = ["runs", *map(escape, names)]
    note = (
        ""
        if len(rows) < 2
        else '<p class="note">Runs were made under different circumstances: times may not compare.</p>'
    )
    return f'<h2 id="provenance">Provenance</h2>{note}{table(heads, lines)}'


def _again(store: Store, out: str, n_specs: int) -> str:
    rows = store.rows("SELECT DISTINCT told->>'commit' AS sha FROM provenance JOIN runs ON provenance = id")
    commits = [row["sha"] for row in rows if row["sha"]]
    name = shlex.quote(store.file.name)
    commands = [f"git checkout {shlex.quote(commits[0])}"] if len(commits) == 1 else []
    commands += [f"wayfolk sweep SPEC.toml --store {name}", f"wayfolk report {name} -o {shlex.quote(out)}"]
    ask = f'wayfolk sweep --store {name} --sql "SELECT * FROM runs LIMIT 10"'
    spec = "the spec of this sweep (its settings are listed above)"
    if n_specs:
        spec = "the spec above" if n_specs == 1 else "each of the specs above"
    return (
        f'<h2 id="again">How to make it again</h2><p>Save {spec} as SPEC.toml. A sweep does what is missing from its '
        f"store and nothing twice; the same store makes the same report.</p><pre>{escape(chr(10).join(commands))}</pre>"
        f"<p>Each run behind these numbers is a row of the table <code>runs</code>; one of them can be run again by its "
        f"key:</p><pre>{escape(ask)}\nwayfolk again KEY --store {escape(name)}</pre>"
    )


def _way(loaded: Loaded, series: int) -> list[str]:
    algorithm, options = loaded.ways[series]
    return [left(algorithm), left(pairs(options) or "defaults")]
