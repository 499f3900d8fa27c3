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
from collections.abc import Collection, Iterable, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk import __version__
from wayfolk.errors import BadInput, Missing
from wayfolk.experiments.figures import (
    COLLISIONS,
    DISTANCE,
    EXPANDED,
    LOOPS,
    PATHS,
    PLANS,
    QUERY,
    RATIO,
    SECONDS,
    SIMULATIONS,
    SUCCESS,
    THROUGHPUT,
    Loaded,
    Mean,
    Measure,
    pictures,
    summarise,
)
from wayfolk.experiments.store import Store
from wayfolk.experiments.work import FAILURES
from wayfolk.formats import write_bytes

MOST_ROWS = 1000
MOST_LISTED = 50
KINDS = {"scen": PLANS, "random": PLANS, "patrol": SIMULATIONS, "tasks": SIMULATIONS, "queries": PATHS, "pairs": PATHS}
TITLES = {
    PLANS: ("Plans", "Everyone goes to one goal; counts are for a whole run."),
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
COLUMNS = {
    PLANS: (
        RATIO, SECONDS, Measure("makespan", "makespan", "solved runs", of_solved=True), EXPANDED, COLLISIONS,
        Measure("completion_rate", "agents at home", "share"),
    ),
    SIMULATIONS: (
        COLLISIONS, DISTANCE, EXPANDED, Measure("replans", "replans"), SECONDS,
        Measure("simulation_time", "simulated time"), THROUGHPUT,
    ),
    PATHS: (QUERY, EXPANDED, Measure("wrong_cost", "wrong costs", "for each run")),
}  # fmt: skip
_NUMBERED = """
WITH told AS (
    SELECT *, algorithm || chr(10) || CAST(options AS VARCHAR) AS series_told, CAST(json_object(
        'map', cell->'map', 'problem', cell->'problem', 'limits', cell->'limits', 'moves', moves, 'model', model
    ) AS VARCHAR) AS world_told FROM runs),
numbered AS (
    SELECT *, dense_rank() OVER (ORDER BY world_told) - 1 AS place, dense_rank() OVER (ORDER BY series_told) - 1 AS way,
        sum_of_costs / nullif(lower_bound, 0) AS ratio, 1e6 * seconds / nullif(queries, 0) AS query_us FROM told)
"""
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


def write_report(store_file: str | Path, out: str | Path) -> dict[str, Any]:
    """Write what is in a store to the HTML file `out`: tables, figures, specs, settings and provenance.

    Returns the contract of `wayfolk report --json`.
    """
    with Store(store_file, read_only=True) as store:
        loaded = _load(store)
        specs = store.rows("SELECT name, text FROM specs ORDER BY name, text")
        sections = [
            _summary(store, loaded),
            *(_kind(kind, loaded) for kind in TITLES if (loaded.runs.kind == kind).any()),
            _settings(store, loaded, specs),
            _provenance(store),
            _again(store, Path(out).name, len(specs)),
        ]
    titles = re.findall(r'<h2 id="(\w+)">(.*?)</h2>', "".join(sections))
    page = _PAGE.format(
        name=escape(Path(store_file).stem),
        style=resources.files(__package__).joinpath("report.css").read_text(encoding="utf-8"),
        lead=_lead(loaded),
        links="".join(f'<a href="#{name}">{title}</a>' for name, title in titles),
        sections="\n".join(sections),
        version=escape(__version__),
    )
    write_bytes(out, page.encode(), BadInput)
    return {"file": str(out), "runs": len(loaded.runs), "figures": re.findall(r'<figure id="([^"]+)">', page)}


def _load(store: Store) -> Loaded:
    """All runs, numbered and named."""
    try:
        import pandas  # type: ignore[import-untyped]  # noqa: F401 - DuckDB makes frames with it
    except ImportError:
        raise Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'") from None
    places = store.rows(f"{_NUMBERED} SELECT DISTINCT place, world_told FROM numbered ORDER BY place")
    if not places:
        raise BadInput(f"{store.file} holds no runs: there is nothing to report yet")
    told = [json.loads(row["world_told"]) for row in places]
    found = store.rows(f"{_NUMBERED} SELECT DISTINCT way, algorithm, options FROM numbered ORDER BY way")
    ways = [(str(row["algorithm"]), json.loads(row["options"])) for row in found]
    labels, names = _world_names(told), _told_apart(*zip(*ways, strict=True))
    worlds = sorted(set(labels), key=_natural)
    order = sorted(range(len(ways)), key=lambda way: _natural(names[way]))
    rank = {label: k for k, label in enumerate(worlds)}
    by_place = {
        "world": np.array([rank[label] for label in labels]),
        "agents": np.array([one["problem"].get("agents", 1) for one in told]),
        "kind": np.array([KINDS[one["problem"]["kind"]] for one in told], dtype=object),
        "endless": np.array([one["problem"]["kind"] == "tasks" for one in told]),
    }

    def frame(query: str) -> Any:
        made = store.base.execute(_NUMBERED + query).df()
        place = made.pop("place").to_numpy()
        made = made.assign(**{name: values[place] for name, values in by_place.items()})
        return made.assign(series=np.argsort(order)[made.pop("way").to_numpy()])

    columns = ", ".join(sorted({measure.column for listed in COLUMNS.values() for measure in listed}))
    runs = frame(
        f"SELECT place, way, status, wall_seconds, faults, queries, solved, {columns} FROM numbered ORDER BY key"
    )
    is_path, is_good = runs.kind == PATHS, (runs.status == "solved") & ~(runs.faults > 0)
    runs["hits"] = runs.solved.where(is_path, is_good).fillna(0).astype(float)
    runs["tries"] = runs.queries.where(is_path, ~runs.endless).fillna(1).astype(float)
    metrics = ", ".join(f"loops.{measure.column}" for measure in LOOPS)
    loops = frame(f"SELECT place, way, loop, {metrics} FROM loops JOIN numbered USING (key) ORDER BY key, loop")
    return Loaded(runs, loops, told, worlds, [names[way] for way in order], [ways[way] for way in order])


def _world_names(told: Sequence[dict[str, Any]]) -> list[str]:
    """The map's name, and whatever else is needed to tell worlds with the same map apart."""
    maps = [_map_facts(one["map"]) for one in told]
    settings = [
        _problem_facts(one["problem"], name) | {"moves": one["moves"], "model": one["model"]} | one["limits"]
        for one, (name, _) in zip(told, maps, strict=True)
    ]
    return _told_apart(_told_apart(*zip(*maps, strict=True)), settings)


def _problem_facts(told: dict[str, Any], map_name: str) -> dict[str, Any]:
    """A problem without its agents; of a file its family is left, `random` of den312d-random-7.scen."""
    facts = {key: value for key, value in told.items() if key not in ("agents", "first", "digest", "file")}
    if "file" in told:
        name = Path(told["file"]).stem.removesuffix(".map").removeprefix(map_name)
        family = re.sub(r"[-_]?\d*$", "", name).strip("-_.")
        facts["kind"] = f"{told['kind']} {family}".strip()
    return facts


def _map_facts(told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    facts = {key: value for key, value in told.items() if key not in ("make", "name", "seed", "file", "digest")}
    if "file" in told:
        return Path(told["file"]).stem, facts | {"digest": str(told.get("digest"))[:6]}
    return str(told.get("name") or told["make"]), facts


def _told_apart(names: Sequence[str], facts: Sequence[dict[str, Any]]) -> list[str]:
    """Each name with those of its facts in which entries of that name differ."""
    same: dict[str, list[dict[str, Any]]] = {}
    for name, known in zip(names, facts, strict=True):
        same.setdefault(name, []).append(known)
    differ = {
        name: {key for key in set().union(*listed) if len({repr(known.get(key, ...)) for known in listed}) > 1}
        for name, listed in same.items()
    }
    return [
        " ".join([name, *(f"{key}={_value(known[key])}" for key in known if key in differ[name])])
        for name, known in zip(names, facts, strict=True)
    ]


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _pairs(known: dict[str, Any]) -> str:
    return ", ".join(f"{key}={_value(value)}" for key, value in known.items())


def _natural(text: str) -> list[tuple[float, str]]:
    """A key that puts window=8 before window=16."""
    return [(float(part), "") if part.isdecimal() else (-1.0, part) for part in re.split(r"(\d+)", text)]


def _lead(loaded: Loaded) -> str:
    maps = {json.dumps(_map_facts(one["map"])) for one in loaded.told}
    algorithms = {algorithm for algorithm, _ in loaded.ways}
    told = f"{_count(len(loaded.runs), 'run')} of {_count(len(algorithms), 'algorithm')} on {_count(len(maps), 'map')}"
    return f"{told}, in {_count(len(loaded.ways), 'setting')} of algorithm and options."


def _summary(store: Store, loaded: Loaded) -> str:
    runs = loaded.runs
    failed, faulty = int(runs.status.isin(FAILURES).sum()), int((runs.faults > 0).sum())
    wrong = int(runs.wrong_cost.fillna(0).sum())
    tried = runs[runs.tries > 0]
    solved = f"{(tried.hits == tried.tries).mean():.1%}" if len(tried) else "-"
    tiles = [
        ("runs", f"{len(runs):,}", ""), ("solved", solved, ""), ("failed", f"{failed:,}", "alarm" * (failed > 0)),
        ("with faults", f"{faulty:,}", "alarm" * (faulty > 0)), ("work", _duration(float(runs.wall_seconds.sum())), ""),
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
        lines.append([*_way(loaded, series), *map(_right, numbers), _right(_duration(float(own.wall_seconds.sum())))])
    return (
        f'<h2 id="summary">Summary</h2><dl class="tiles">{shown}</dl><h3>How runs ended</h3>'
        f"{_table(heads, lines)}{_failures(store)}"
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
        [_left(row["status"].replace("_", " ")), _left(row["algorithm"]), _right(f"{row['n']:,}"),
         _left(row["detail"] or ""), f"<td><code>{escape(row['key'])}</code></td>"]
        for row in rows[:MOST_LISTED]
    ]  # fmt: skip
    rest = f'<p class="note">And {len(rows) - MOST_LISTED} more.</p>' if len(rows) > MOST_LISTED else ""
    heads = ["status", "algorithm", "runs", "detail of one", "its key"]
    return f'<h3 id="failures">What was not solved, and why</h3>{_table(heads, lines)}{rest}'


def _kind(kind: str, loaded: Loaded) -> str:
    title, told = TITLES[kind]
    figures = "".join(
        f'<figure id="{made.name}"><h3>{made.title}</h3>{made.svg}<figcaption>{made.caption}</figcaption></figure>'
        for made in pictures(kind, loaded)
    )
    return f'<h2 id="{kind}">{title}</h2><p>{told}</p>{figures}{_means(kind, loaded)}'


def _means(kind: str, loaded: Loaded) -> str:
    """The table of means: a row for each world, number of agents and series."""
    runs = loaded.runs[loaded.runs.kind == kind]
    columns = [measure for measure in COLUMNS[kind] if runs[measure.column].notna().any()]
    groups = list(runs.groupby(["world", "agents", "series"]))
    lines = []
    for (world, agents, series), group in groups[:MOST_ROWS]:
        cells = [_left(loaded.worlds[world]), _right(f"{agents:,}"), *_way(loaded, series), _right(f"{len(group):,}")]
        means = (_mean(summarise(group, measure), measure, len(group)) for measure in (SUCCESS, *columns))
        lines.append([*cells, *means])
    starts = {k for k in range(1, len(lines)) if groups[k][0][:2] != groups[k - 1][0][:2]}
    heads = ["map", "agents", "algorithm", "options", "runs", "solved"]
    heads += [f"{measure.name}<small>{measure.unit}</small>" for measure in columns]
    note = "Below each mean its interval of 95 %, and the number of runs it is over where that is not all of them."
    if len(groups) > MOST_ROWS:
        note += f" These are {MOST_ROWS:,} of {len(groups):,} rows: ask the store for the others."
    return f'<h3>Means</h3><p class="note">{note}</p>{_table(heads, lines, starts)}'


def _mean(found: Mean | None, measure: Measure, n_runs: int) -> str:
    """A cell with a mean; below it its interval, if it is over more than one run."""
    if found is None:
        return _right("-")
    shown = _share if measure is SUCCESS else _number
    value, low, high = (
        f'<data value="{number!r}">{shown(number, digits)}</data>'
        for number, digits in ((found.mean, 4), (found.low, 3), (found.high, 3))
    )
    below = [f"{low} – {high}"] if found.n > 1 else []
    below += [f"n = {found.n:,}"] if measure is not SUCCESS and found.n != n_runs else []
    return f'<td class="number">{value}<small>{", ".join(below)}</small></td>'


def _settings(store: Store, loaded: Loaded, specs: Sequence[dict[str, Any]]) -> str:
    """The specs as they were written, and what was swept, put together from the cells."""
    blocks: dict[tuple[str, ...], dict[str, set[Any]]] = {}
    for one in loaded.told:
        name, facts = _map_facts(one["map"])
        made = Path(one["map"]["file"]).name if "file" in one["map"] else str(one["map"]["make"])
        problem = _pairs(_problem_facts(one["problem"], name))
        key = (name, f"{made} {_pairs(facts)}", problem, one["moves"], one["model"], _pairs(one["limits"]))
        found = blocks.setdefault(key, {"agents": set(), "seed": set(), "digest": set()})
        for place, what in (("problem", "agents"), ("map", "seed"), ("problem", "digest")):
            found[what].update({one[place][what]} if what in one[place] else ())
    lines = []
    for (name, made, problem, *rest), found in sorted(blocks.items(), key=lambda block: _natural(" ".join(block[0]))):
        files = f" ({_count(len(found['digest']), 'file')})" if found["digest"] else ""
        told = (name, made, _ranges(found["seed"]), problem + files, _ranges(found["agents"]), *rest)
        lines.append([_left(text) for text in told])
    heads = ["map", "made of", "map seeds", "problem", "agents", "moves", "model", "limits"]
    more = f'<p class="note">And {len(lines) - MOST_LISTED:,} more.</p>' if len(lines) > MOST_LISTED else ""
    seeds, repeats = (
        _ranges(row[name] for row in store.rows(f"SELECT DISTINCT {name} FROM runs")) for name in ("seed", "repeat")
    )
    ways = [_way(loaded, series) for series in range(len(loaded.ways))]
    written = "".join(f"<h3>Spec: {escape(one['name'])}</h3><pre>{escape(one['text'])}</pre>" for one in specs)
    return (
        f'<h2 id="settings">Settings</h2>{written}<h3>Maps and problems</h3>{_table(heads, lines[:MOST_LISTED])}{more}'
        f"<h3>Algorithms</h3>{_table(['algorithm', 'options'], ways)}<p>Seeds {seeds}; repeats {repeats}.</p>"
    )


def _provenance(store: Store) -> str:
    rows = store.rows(
        "SELECT id, told, count(key) AS n FROM provenance LEFT JOIN runs ON provenance = id GROUP BY ALL ORDER BY id"
    )
    told = [json.loads(row["told"]) for row in rows]
    names = sorted({name for one in told for name in one}, key=lambda name: (name != "wayfolk", name != "commit", name))
    lines = [
        [_right(f"{row['n']:,}"), *(_left(_value(one.get(name, ""))) for name in names)]
        for row, one in zip(rows, told, strict=True)
    ]
    heads = ["runs", *map(escape, names)]
    note = (
        ""
        if len(rows) < 2
        else '<p class="note">Runs were made under different circumstances: times may not compare.</p>'
    )
    return f'<h2 id="provenance">Provenance</h2>{note}{_table(heads, lines)}'


def _again(store: Store, out: str, n_specs: int) -> str:
    found = store.rows("SELECT DISTINCT told->>'commit' AS sha FROM provenance JOIN runs ON provenance = id")
    commits = [row["sha"] for row in found if row["sha"]]
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
        f"<p>Each run behind these numbers is a row of the table <code>runs</code>:</p><pre>{escape(ask)}</pre>"
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], starts: Collection[int] = ()) -> str:
    """A table; heads stand over their columns, to the left or to the right, and a heavier line before `starts`."""
    left, right = "<th>", '<th class="number">'
    sides = [right if cell.startswith('<td class="number"') else left for cell in rows[0]]
    top = "".join(f"{side}{head}</th>" for side, head in zip(sides, heads, strict=True))
    openings = ('<tr class="start">' if k in starts else "<tr>" for k in range(len(rows)))
    body = "\n".join(f"{opening}{''.join(row)}</tr>" for opening, row in zip(openings, rows, strict=True))
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _left(text: str) -> str:
    opening = '<td class="wide">' if len(text) > 24 else "<td>"
    return f"{opening}{escape(text)}</td>"


def _right(text: str) -> str:
    return f'<td class="number">{escape(text)}</td>'


def _way(loaded: Loaded, series: int) -> list[str]:
    algorithm, options = loaded.ways[series]
    return [_left(algorithm), _left(_pairs(options) or "defaults")]


def _number(value: float, digits: int) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or value == 0.0 else f"{value:#.{digits}g}".rstrip(".")


def _share(value: float, digits: int) -> str:
    return f"{value:.{max(0, digits - 3)}%}"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:,.3g} h"


def _ranges(numbers: Iterable[int]) -> str:
    """1 to 4, 7"""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{p[0]} to {p[-1]}" if len(p) > 2 else ", ".join(map(str, p)) for p in parts)
