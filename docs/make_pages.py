"""Writes what the docs take from the sources: a page for each algorithm, their index, the command line's page, that of
a store's tables, and an overview of the papers that were run again.

    python docs/make_pages.py            write whatever has changed
    python docs/make_pages.py --check    write nothing; exit code 1 if something would change
    python docs/make_pages.py --picture  take docs/images/demo.png and areas.png anew, with playwright and Chromium; needs
                                         the map den204d, see `wayfolk maps get`
    python docs/make_pages.py --search-pictures  take those of docs/watch.md anew

Algorithms come from the catalogue, which reads their files without importing them; verbs come from the command line's
app. The table of algorithms in README.md and the menu in mkdocs.yml are replaced between two marks.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from api_pages import described
from typer.utils import get_params_from_function

import wayfolk
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.catalogue import FAMILIES, Entry, Option
from wayfolk.cli.app import app
from wayfolk.cli.examples import EXAMPLES
from wayfolk.experiments.reports.overview import overview
from wayfolk.experiments.sweeps.columns import TABLES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "wayfolk"
MADE = "<!-- made by docs/make_pages.py: edit the sources instead -->\n"

DOCUMENTS = {
    "000": (
        "the Direction Map thesis",
        'Jansen, "Multi-agent pathfinding with direction maps", University of Alberta, 2008',
    ),
    "001": ("the slides on BMAA*", 'Bakoš, "Multi-agent pathfinding with real-time heuristic search", 2022'),
    "002": ("the Salient Search thesis", 'Vermette, "Salient Search", University of Windsor, 2011'),
    "003": ("the thesis on crowds", 'Arun, "Pathfinding algorithms in multi-agent systems", master\'s thesis'),
    "004": (
        "the SDP thesis",
        'Renukamurthy, "Improving spatially distributed multiagent pathfinding using cooperative JPS", '
        "University of Windsor, 2016",
    ),
}
"""What the sources call a document by number: how the pages call it, and where it comes from."""

HEADINGS = {
    "Guarantees": "Guarantees",
    "Invariants": "Invariants",
    "Cost": "Cost",
    "Deviations": "Deviations from the paper",
}
"""The sections of a docstring, and how its page calls them."""

FACTS = {
    "OPTIMAL": "Optimal",
    "COMPLETE": "Complete",
    "FEWEST_MOVES": "Fewest moves",
    "MOVES": "Moves",
    "WORLDS": "Worlds",
    "TERRAIN": "Terrain costs",
    "SEES": "Sees",
}
"""The facts that say something to a user, in the order of the page; other constants of a file are its own."""

COMMANDS = {
    "search": "wayfolk path rooms --from 2,2 --to 29,29 --with {name}",
    "realtime": "wayfolk path rooms --from 2,2 --to 29,29 --with {name}",
    "planners": "wayfolk solve rooms --scen rooms --agents {agents} --with {name}",
    "controllers": "wayfolk solve rooms --scen rooms --agents 10 --with {name}",
}
AS_A_SCENE = "wayfolk run re-tasking --with {name}"
DEFAULT_MOVES = {"search": "eight", "realtime": "eight", "planners": "four", "controllers": "four"}

API = {
    "worlds": (
        "Maps and other worlds",
        ["Grid", "Moves", "Graph", "read_map", "write_map", "parse_ascii", "generate", "paper_map", "DirectionMap", "Flow",
         "flow_of", "Navmesh", "Waypoints", "Space", "Area", "HexGrid", "TriangleGrid", "Voxels", "read_voxels", "Roadmap", "Lane", "Wall", "Body",
         "read_roadmap", "read_nav2", "SiteMap", "Frame", "read_tiled", "read_polygons", "read_mesh", "read_space"],
    ),
    "paths": (
        "Paths for one agent",
        ["find_path", "Finder", "finder", "find_many", "Many", "begin_path", "distances", "read_queries", "trials",
         "Trials", "walk", "add_strategy", "watch_path", "Trace"],
    ),
    "problems": (
        "Problems, plans and results",
        ["Problem", "one_shot", "random_problem", "patrol", "tasks", "deliveries", "paper_problem", "read_scen", "write_scen", "Plan",
         "read_plan", "export_plan", "import_plan", "Order", "read_orders", "read_stations", "League", "read_lorr",
         "LeagueRun", "read_league_run", "write_league_run", "Result", "Status", "WayfolkError"],
    ),
    "many": (
        "Planning and simulation for many agents",
        ["solve", "begin_plan", "simulate", "Simulation", "Run", "Record", "events", "Event", "Controller", "View", "RealTimeAgents",
         "Scene", "read_scene", "run_scene", "Dependencies", "dependencies", "shorten", "AgentState", "Fleet",
         "read_world"],
    ),
    "crowds": (
        "Crowds, brains and streets",
        ["Crowd", "Brain", "Street", "StreetScene", "walk_plan", "Trajectory", "read_trajectory"],
    ),
    "laboratory": ("The laboratory", ["read_runs"]),
    "judge": (
        "The judge and its metrics",
        ["check", "Fault", "check_record", "check_league", "why", "Blockage", "metrics", "coherence_over_time"],
    ),
    "replays": ("Replays, films and notebooks", ["search_page", "write_replay", "Page"]),
    "environment": ("Environments for learning", ["env"]),
}  # fmt: skip
"""The pages of the reference: file, title, and the public names on it."""
MORE = {
    "env": (
        "wayfolk.simulation.env.arena.Arena",
        "wayfolk.simulation.env.arena.Turn",
        "wayfolk.simulation.env.policies.policy_controller",
    )
}
"""What a public module takes from modules of its own."""

CONTRACTS = [
    (
        "wayfolk path rooms --scen rooms --with astar --json",
        {
            "algorithm": "its name",
            "map": "the name of the map",
            "queries": "rows of the file whose start and goal are free",
            "solved": "how many paths were found",
            "wrong_cost": "how many of them have another cost than the file says",
            "cost_total": "the sum of all costs",
            "expanded_total": "cells expanded, over all queries",
            "mean_us": "mean microseconds for a query",
            "p99_us": "99th percentile of the microseconds for a query",
        },
    ),
    (
        "wayfolk solve rooms --scen rooms --agents 20 --with whca --save plan.json --json",
        {
            "algorithm": "its name",
            "status": "`solved`, `partial`, `gave_up`, `impossible`, `out_of_time` or `out_of_budget`",
            "agents": "the number of agents",
            "makespan": "the step from which all agents rest on their goals; like the next two, null without a plan",
            "sum_of_costs": "the steps until each agent arrives and stays, summed up",
            "sum_of_loss": "the steps that agents do not spend resting on their goals",
            "lower_bound": "a lower bound of the sum of costs and of the sum of loss",
            "completion_rate": "the share of agents that stand on their goals at the end",
            "seconds": "seconds of planning",
            "first_seconds": "seconds until the first plan, or null",
            "faults": "how many faults the judge found, agents that do not arrive included",
            "detail": "a sentence about a failure",
            "why": "who stands in whose way: `kind`, `since`, `agents`, `places`, `waits` and `text` of each blockage",
            "complete": "if it is not solved: complete algorithms that fit",
        },
    ),
    (
        "wayfolk check plan.json --json",
        {
            "valid": "true without faults",
            "faults": "a list of objects with `kind`, `step`, `agents`, `places` and `text`; see [the judge](judge.md)",
        },
    ),
    (
        "wayfolk list --json",
        {
            "name": "the name for `--with`",
            "family": "its family",
            "paper": "the reference in short",
            "optimal": "whether it promises paths or plans of least cost",
            "complete": "whether it promises to find a path or plan if there is one",
            "options": "a list of objects with `name`, `default`, `type` and `meaning`, and `choices`, `range`, `least` "
            "and `most` where they apply",
        },
    ),
    (
        "wayfolk check-algorithm bfs --json",
        {
            "algorithm": "its name",
            "family": "its family, whose contract is checked",
            "holds": "whether all that is promised holds",
            "checks": "a list of objects with `name`, `holds` (null: not promised, or does not apply), `detail`, `world`",
        },
    ),
    (
        "wayfolk sweep smoke --dry-run --json",
        {
            "cells": "the number of jobs",
            "missing": "the number of jobs that are not in the store",
            "estimate_seconds": "the expected seconds for these, estimated from the runs in the store, or null",
            "at_most_seconds": "the most seconds that they can take by their limits, or null",
        },
    ),
]
"""What scripts rely on: a command and the keys of the JSON it prints (`list` prints a list of such objects)."""


def pages() -> dict[Path, str]:
    """Every file that is made here, with what should be in it."""
    entries = catalogue.entries()
    contents = {DOCS / "algorithms" / entry.family / f"{entry.name}.md": algorithm_page(entry) for entry in entries}
    contents[DOCS / "algorithms" / "index.md"] = index_page(entries)
    contents[DOCS / "cli.md"] = cli_page()
    contents[DOCS / "store.md"] = store_page()
    contents[DOCS / "papers" / "index.md"] = MADE + overview(DOCS / "papers")
    contents |= {DOCS / "api" / f"{page}.md": api_page(title, names) for page, (title, names) in API.items()}
    contents[DOCS / "api" / "index.md"] = api_index()
    readme, menu = ROOT / "README.md", ROOT / "mkdocs.yml"
    contents[readme] = between_marks(
        readme,
        "<!-- algorithms -->",
        "<!-- end of algorithms -->",
        f"\n{table(entries, 'docs/algorithms/', families=True)}\n",
    )
    contents[menu] = between_marks(menu, "# algorithms", "# end of algorithms", nav(entries))
    return contents


def store_page() -> str:
    """The columns of all tables in a store."""
    about = (
        "Every sweep and every reproduction keeps its runs in one DuckDB file with these tables. Columns marked `*` are "
        "there from the first row on that has a value for them. A counter that an algorithm of your own adds becomes a "
        'column of its name.\n\n```python\nimport wayfolk as wf\n\nruns = wf.read_runs("runs.duckdb")  # pandas\n'
        'agents = wf.read_runs("runs.duckdb", "agents", "polars")  # or "arrow"\n```\n\n'
        "This writes a table as Parquet or CSV; `--table` names another table than `runs`:\n\n"
        "```sh\nwayfolk sweep --store runs.duckdb --export agents.csv --table agents\n```\n"
    )
    parts = [MADE, "# The tables of a store\n", about]
    for name, columns in TABLES.items():
        parts.append(f"## {name}\n")
        listed = (
            (f"`{one.name}`{'*' if one.later else ''}", one.meaning, one.unit, one.kind.split()[0], one.empty)
            for one in columns
        )
        parts.append(rows(("column", "meaning", "unit", "type", "NULL if"), listed))
    return "\n".join(parts)


def between_marks(file: Path, begin: str, end: str, text: str) -> str:
    """The content of `file` with `text` between the lines `begin` and `end`."""
    content = file.read_text(encoding="utf-8")
    pattern = re.compile(rf"(^ *{re.escape(begin)}\n).*?(^ *{re.escape(end)}$)", re.MULTILINE | re.DOTALL)
    if len(pattern.findall(content)) != 1:
        raise SystemExit(f"{file.name} should hold the lines {begin!r} and {end!r} once")
    return pattern.sub(lambda match: match[1] + text + match[2], content)


def algorithm_page(entry: Entry) -> str:
    """The docstring, the facts and the options of one algorithm, and a command that runs it."""
    label, _, picture = entry.title.partition(": ")
    parts = [MADE, f"# {plain(label)}\n", f"{plain(picture[:1].upper() + picture[1:])}\n" if picture else ""]
    parts += [paragraph(text) for text in entry.doc.split("\n\n")[1:]]
    parts.append("## Facts\n")
    family = f"[{entry.family}](../index.md#{entry.family}): {FAMILIES[entry.family]}"
    facts = [("Name", f"`{entry.name}`"), ("Family", family)]
    facts += [(FACTS[name], plain(worded(name, entry.facts[name]))) for name in FACTS if name in entry.facts]
    if entry.facts.get("PAPER"):
        facts.append(("From", plain(named_documents(entry.facts["PAPER"]))))
    parts.append(definitions(facts, "fact", "value"))
    parts.append("## Options\n")
    parts.append(f"{plain(begin_doc(entry))}\n")
    parts.append(rows(("option", "meaning", "type", "default", "values"), map(option_row, entry.options)))
    if entry.family in COMMANDS:
        parts += ["## Run it\n", f"```sh\n{command(entry)}\n```\n"]
        parts.append("Options go behind `--opt`, as in `--opt NAME=VALUE`.\n" if entry.options else "")
    return "\n".join(part for part in parts if part)


def paragraph(text: str) -> str:
    """A paragraph of a docstring; the one of HEADINGS ("Guarantees  what it finds ...") becomes sections."""
    sections = re.findall(r"^([A-Z][a-z]+) {2,}(.+(?:\n +.+)*)", text, re.MULTILINE)
    if sections and text.startswith(sections[0][0]):
        return "\n".join(f"## {HEADINGS[name]}\n\n{section(meaning)}\n" for name, meaning in sections)
    return plain(named_documents(joined(text))) + "\n"


def section(meaning: str) -> str:
    """The text of a section, or its list: the items of a list begin with a dash."""
    if not meaning.startswith("- "):
        text = plain(named_documents(joined(meaning)))
        return text[:1].upper() + text[1:]
    items = re.split(r"\n +- ", meaning.removeprefix("- "))
    return "\n".join(f"* {plain(named_documents(joined(item)))}" for item in items)


def option_row(option: Option) -> tuple[str, str, str, str, str]:
    """A row of the table of options."""
    kind = option.type.replace(" | ", " or ")
    values = ", ".join(f"`{choice}`" for choice in option.choices) or str(option.range or "")
    return f"`{option.name}`", plain(option.meaning), kind, f"`{option.default}`", values


def begin_doc(entry: Entry) -> str:
    """What the algorithm's `begin` says about its options; a preset also says which it has set."""
    if "PRESET_OF" in entry.facts:
        base = catalogue.find(entry.facts["PRESET_OF"], entry.family)
        values = " and ".join(f"`{name}={value}`" for name, value in entry.facts["SETS"].items())
        return f"It is `{base.name}` with {values}. {begin_doc(base)}"
    file = PACKAGE.joinpath(*entry.module.split(".")[1:])
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    functions = (node for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef))
    return joined(ast.get_docstring(next(node for node in functions if node.name == "begin")) or "")


def command(entry: Entry) -> str:
    """A command that runs it, with a move rule that it knows."""
    usual, allowed = DEFAULT_MOVES[entry.family], entry.facts.get("MOVES")
    other = "" if not allowed or usual in allowed else f" --moves {allowed[0]}"
    line = COMMANDS[entry.family]
    if entry.family == "controllers" and catalogue.find(entry.name).family != entry.family:
        line = AS_A_SCENE  # `solve` would take the planner of that name
    return line.format(name=entry.name, agents=min(10, entry.facts.get("AGENTS", 10))) + other


def api_page(title: str, names: Iterable[str]) -> str:
    """A page of the reference: signatures and docstrings."""
    parts = [MADE, f"# {title}\n"]
    for name in names:
        homes = {name: home_of(name), **{home.rpartition(".")[2]: home for home in MORE.get(name, ())}}
        parts += [described(home, one) for one, home in homes.items()]
    return "\n".join(parts)


def api_index() -> str:
    """All public names, with the page that explains each."""
    listed = [name for _, names in API.values() for name in names]
    missing, twice = sorted(set(wayfolk.__all__) - set(listed)), [n for n in set(listed) if listed.count(n) > 1]
    if missing or twice or set(listed) - set(wayfolk.__all__):
        raise SystemExit(f"API in make_pages.py must list each public name once: {missing}, {twice}")
    parts = [MADE, "# Reference\n", "All public names: `import wayfolk as wf`, then `wf.` and the name.\n"]
    for page, (title, names) in API.items():
        links = ", ".join(f"[`{name}`]({page}.md#{name})" for name in names)
        parts.append(f"**[{title}]({page}.md)**: {links}\n")
    return "\n".join(parts)


def home_of(name: str) -> str:
    """Where a public name is defined."""
    return f"{wayfolk._HOME[name]}.{name}"


def index_page(entries: list[Entry]) -> str:
    """All algorithms by family, and the documents they come from."""
    parts = [MADE, "# Algorithms\n"]
    parts.append("Each is one file or folder, and its docstring is its page. `wayfolk list` shows them too.\n")
    for family in dict.fromkeys(entry.family for entry in entries):
        parts += [f"## {family}\n", f"{FAMILIES[family][:1].upper()}{FAMILIES[family][1:]}.\n"]
        parts.append(table([entry for entry in entries if entry.family == family], ""))
    parts += ["## Documents\n", "Five documents are named in short on these pages:\n"]
    named = ((plain(name), plain(source)) for name, source in DOCUMENTS.values())
    parts.append(definitions(named, "document", "source"))
    return "\n".join(parts)


def table(entries: list[Entry], folder: str, families: bool = False) -> str:
    """A row for each algorithm, linked to its page in `folder`; with its family if wanted."""
    heads = ("algorithm", "name", "family", "what it does", "promises")
    return rows(heads, (_summary(entry, folder, families) for entry in entries))


def _summary(entry: Entry, folder: str, families: bool) -> tuple[str, ...]:
    family = entry.family if families else ""
    page = f"{folder}{entry.family}/{entry.name}.md"
    promises = ", ".join(fact.lower() for fact in ("OPTIMAL", "COMPLETE") if entry.facts.get(fact))
    what = entry.title.partition(": ")[2] or entry.title
    return f"[{plain(entry.label)}]({page})", f"`{entry.name}`", family, plain(what), promises


def nav(entries: list[Entry]) -> str:
    """The algorithms' part of the menu of mkdocs.yml."""
    lines = []
    for family in dict.fromkeys(entry.family for entry in entries):
        lines.append(f"      - {family}:")
        members = (entry for entry in entries if entry.family == family)
        lines += [f"          - {json.dumps(entry.label)}: algorithms/{family}/{entry.name}.md" for entry in members]
    return "".join(f"{line}\n" for line in lines)


def cli_page() -> str:
    """Every verb, and what scripts can rely on."""
    parts = [MADE, "# The command line\n"]
    parts.append(
        "Exit codes: 0 done, 1 not solved or faults found, 2 a mistake in the command or its files, explained in "
        "one sentence. Long commands show their progress on stderr, and Ctrl-C stops them. "
        "`wayfolk --version` prints the version, and `wayfolk --install-completion` lets your shell complete verbs, "
        "options and names of algorithms. `python -m wayfolk` is the same program.\n"
    )
    for words, help_text, callback in verbs(app, "wayfolk"):
        parts += [f"## {words}\n", f"{plain(help_text)}\n"]
        if callback is not None:
            parts += list(_verb(words, callback))
            examples = EXAMPLES.get(words.removeprefix("wayfolk "))
            if examples:
                parts += ["```text\n" + "\n".join(examples) + "\n```\n"]
    parts.append("## JSON for scripts\n")
    parts.append(
        "With `--json` a verb prints one JSON value and nothing else. These keys are a promise: they stay, with their "
        "meaning, while others may be added.\n"
    )
    for line, keys in CONTRACTS:
        parts += [f"```sh\n{line}\n```\n", rows(("key", "meaning"), ((f"`{key}`", text) for key, text in keys.items()))]
    return "\n".join(parts)


def verbs(group: typer.Typer, name: str) -> Iterator[tuple[str, str, Any]]:
    """The full name, the help and the function of each verb; a verb with verbs of its own has no function."""
    for verb in group.registered_commands:
        if not verb.hidden:
            words = verb.name or verb.callback.__name__.replace("_", "-")
            yield f"{name} {words}", verb.help or joined(verb.callback.__doc__ or ""), verb.callback
    for inner in group.registered_groups:
        members = inner.typer_instance
        first = members.registered_callback
        texts = (inner.help, members.info.help, first and joined(first.callback.__doc__ or ""))
        yield f"{name} {inner.name}", next((text for text in texts if isinstance(text, str)), ""), None
        yield from verbs(members, f"{name} {inner.name}")


def _verb(words: str, callback: Any) -> Iterator[str]:
    """Usage, arguments and options of one verb."""
    arguments, options, usage = [], [], [words]
    for name, parameter in get_params_from_function(callback).items():
        info, kind = parameter.default, parameter.annotation
        must = getattr(info, "default", None) is ...
        says = not must and info.default is not None and info.default is not False and info.default != []
        default = f"`{info.default}`" if says else ""
        if type(info).__name__ == "ArgumentInfo":
            shown = info.metavar or name.upper()
            usage.append(shown if must else f"[{shown}]")
            arguments.append((f"`{shown}`", plain(info.help or ""), default))
        elif type(info).__name__ == "OptionInfo":
            shown = _option(name, kind, info)
            if must:
                usage.append(shown)
            options.append((f"`{shown}`", plain(info.help or ""), "required" if must else default))
    yield f"```text\n{' '.join([*usage, '[OPTIONS]'] if options else usage)}\n```\n"
    if arguments:
        yield rows(("argument", "meaning", "default"), arguments)
    if options:
        yield rows(("option", "meaning", "default"), options)


def _option(name: str, kind: Any, info: Any) -> str:
    """An option as it is typed."""
    dashed = name.replace("_", "-")
    if kind is bool:
        return "/".join(info.param_decls or (f"--{dashed}", f"--no-{dashed}"))
    plain_kinds = {"Path": "FILE", "int": "N", "float": "X", "str": "TEXT"}
    match = re.search("|".join(plain_kinds), str(kind))
    value = info.metavar or plain_kinds.get(match[0] if match else "str", "TEXT")
    return f"{', '.join(info.param_decls or (f'--{dashed}',))} {value}"


def rows(heads: Iterable[str], cells: Iterable[Iterable[str]]) -> str:
    """A table; columns in which nothing stands are left out."""
    head, body = list(heads), [list(line) for line in cells]
    kept = [k for k in range(len(head)) if any(line[k] for line in body)]
    lines = [head, ["---"] * len(head), *body]
    return "".join("| " + " | ".join(line[k] for k in kept) + " |\n" for line in lines)


def definitions(pairs: Iterable[tuple[str, str]], *heads: str) -> str:
    """A table of names and what they mean."""
    return rows(heads, ((f"**{name}**", meaning) for name, meaning in pairs))


def plain(text: str) -> str:
    """`text` with whatever Markdown would read as a sign escaped, except between backticks."""
    pieces = text.split("`")
    pieces[::2] = [re.sub(r"([\\*_\[\]|])", r"\\\1", piece).replace("<", "&lt;") for piece in pieces[::2]]
    return "`".join(pieces)


def worded(name: str, value: Any) -> str:
    """A fact in words."""
    if isinstance(value, bool):
        return "yes" if value else "not promised" if name in ("OPTIMAL", "COMPLETE") else "no"
    if name == "SEES":
        return "everybody" if value == "all" else f"others within `{value}`"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def named_documents(text: str) -> str:
    """`text` with the numbers of documents replaced by their short names."""

    def names(match: re.Match[str]) -> str:
        numbers = re.findall(r"\d{3}", match[0])
        if " to " in match[0]:
            numbers = [f"{k:03}" for k in range(int(numbers[0]), int(numbers[1]) + 1)]
        listed = [DOCUMENTS[number][0] for number in numbers]
        return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"

    return re.sub(r"documents? \d{3}(?:(?:, | and | to )\d{3})*", names, text)


def joined(text: str) -> str:
    """The lines of a paragraph as one."""
    return " ".join(text.split())


def take_pictures() -> None:
    """The replays of the demo, of SDP and of searches, as a browser shows them."""
    with TemporaryDirectory() as folder:
        demo, areas = Path(folder) / "demo.html", Path(folder) / "areas.html"
        subprocess.run([sys.executable, "-m", "wayfolk.cli", "demo", "--out", demo], check=True)
        take_picture(demo, DOCS / "images" / "demo.png", 500.0)
        write_areas(areas)
        take_picture(areas, DOCS / "images" / "areas.png", 1.2)
    take_search_pictures()


def take_search_pictures() -> None:
    """The replays of a search and of a real-time search, as a browser shows them."""
    query = ["rooms", "--from", "2,2", "--to"]
    wanted = {"search": ("29,29", "astar,jps", 200.0), "learning": ("12,12", "lrta,lss_lrta", 60.0)}
    with TemporaryDirectory() as folder:
        for name, (goal, algorithms, time) in wanted.items():
            page = Path(folder) / f"{name}.html"
            words = ["path", *query, goal, "--with", algorithms, "--html", page]
            subprocess.run([sys.executable, "-m", "wayfolk.cli", *words], cwd=ROOT, check=True, capture_output=True)
            take_picture(page, DOCS / "figures" / f"{name}.png", time)


def write_areas(file: Path, agents: int = 60) -> None:
    """Write the replay of a run of SDP, with its messages, on den204d."""
    from wayfolk.algorithms.controllers.sdp.areas import ROOM
    from wayfolk.algorithms.controllers.sdp.partition import partition
    from wayfolk.files.folders import find_data
    from wayfolk.files.maps import read_map
    from wayfolk.problem.problem import one_shot
    from wayfolk.replay import write_replay
    from wayfolk.simulation.solving import simulate
    from wayfolk.world.generate import draw_pairs

    grid = read_map(find_data("movingai/sdp/den204d.map"))
    rooms = (partition(grid).part == ROOM).reshape(-1, grid.stride)[1:-1, 1:-1] & grid.free
    starts, goals = draw_pairs(grid, agents, zones=(rooms, rooms))
    run = simulate(one_shot(grid, grid.places(starts), grid.places(goals)), "sdp", record=True)
    write_replay([run.track("SDP")], file, title=f"{agents} agents on den204d")


def take_picture(replay: Path, file: Path, time: float) -> None:
    """The page `replay` at `time`, as a browser shows it."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
        page.goto(replay.as_uri())
        page.wait_for_function("window.wayfolk !== undefined")
        page.evaluate(f"window.wayfolk.seek({time})")
        page.wait_for_timeout(500)
        page.screenshot(path=file)
        browser.close()
    picture = Image.open(file).convert("RGB")
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, optimize=True)


def main(arguments: list[str]) -> int:
    """Write, or only compare."""
    if "--picture" in arguments:
        take_pictures()
    if "--search-pictures" in arguments:
        take_search_pictures()
    contents = pages()
    stale = set((DOCS / "algorithms").rglob("*.md")) - set(contents)
    changed = [file for file, text in contents.items() if not file.exists() or file.read_text(encoding="utf-8") != text]
    for file in sorted([*changed, *stale]):
        print(f"{file.relative_to(ROOT)} {'is out of date' if '--check' in arguments else 'changed'}")
    if "--check" in arguments:
        return 1 if changed or stale else 0
    for file in changed:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(contents[file], encoding="utf-8", newline="\n")
    for file in stale:
        file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
