"""Writes what the docs take from the sources: a page for each algorithm, their index, and the command line's page.

    python docs/make_pages.py            write whatever has changed
    python docs/make_pages.py --check    write nothing; exit code 1 if something would change
    python docs/make_pages.py --picture  run the demo and take docs/images/demo.png anew, with playwright and Chromium

Algorithms come from the catalogue, which reads their files without importing them; verbs come from the command line's
app. The table of algorithms in README.md and the menu in mkdocs.yml are replaced between two marks.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from typer.utils import get_params_from_function

from wayfolk import catalogue
from wayfolk.catalogue import FAMILIES, Entry, Option
from wayfolk.cli import app

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
    "search": "wayfolk path maps/rooms-32.map --from 2,2 --to 29,29 --with {name}",
    "realtime": "wayfolk path maps/rooms-32.map --from 2,2 --to 29,29 --with {name}",
    "planners": "wayfolk solve maps/rooms-32.map --scen maps/rooms-32.scen --agents 10 --with {name}",
    "controllers": "wayfolk solve maps/rooms-32.map --scen maps/rooms-32.scen --agents 10 --with {name}",
}
DEFAULT_MOVES = {"search": "eight", "realtime": "eight", "planners": "four", "controllers": "four"}

CONTRACTS = [
    (
        "wayfolk path maps/rooms-32.map --scen maps/rooms-32.scen --with astar --json",
        {
            "algorithm": "its name",
            "map": "the name of the map",
            "queries": "rows of the file whose ends are free",
            "solved": "how many paths were found",
            "wrong_cost": "how many of them cost something else than the file says",
            "cost_total": "the sum of all costs",
            "expanded_total": "cells expanded, over all queries",
            "mean_us": "microseconds for a query, mean",
            "p99_us": "and the 99th percentile",
        },
    ),
    (
        "wayfolk solve maps/rooms-32.map --scen maps/rooms-32.scen --agents 20 --with whca --save plan.json --json",
        {
            "algorithm": "its name",
            "status": "`solved`, `partial`, `gave_up`, `impossible`, `out_of_time` or `out_of_budget`",
            "agents": "how many",
            "makespan": "the step from which all rest on their goals; null without a plan, as the next two",
            "sum_of_costs": "the steps until each agent arrives and stays, summed up",
            "sum_of_loss": "the steps that agents do not spend resting on their goals",
            "lower_bound": "no sum of costs or loss can be less",
            "completion_rate": "the share of agents that stand on their goals at the end",
            "seconds": "how long it took",
            "first_seconds": "how long until there was a first plan, or null",
            "faults": "how many faults the judge found",
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
            "name": "what `--with` takes",
            "family": "the folder it is in",
            "paper": "where it comes from",
            "optimal": "whether it promises cheapest paths or plans",
            "complete": "whether it promises to find whatever there is",
            "options": "a list of objects with `name`, `default`, `type` and, where they are few, `choices`",
        },
    ),
    (
        "wayfolk sweep benchmarks/smoke.toml --dry-run --json",
        {
            "cells": "how many there are",
            "missing": "how many are not in the store",
            "estimate_seconds": "how long they may take by what the store has seen, or null",
            "at_most_seconds": "and by their limits, or null",
        },
    ),
]
"""What scripts rely on: a command and the keys of the JSON it prints (`list` prints a list of such objects)."""


def pages() -> dict[Path, str]:
    """Every file that is made here, with what should be in it."""
    entries = catalogue.entries()
    made = {DOCS / "algorithms" / entry.family / f"{entry.name}.md": algorithm_page(entry) for entry in entries}
    made[DOCS / "algorithms" / "index.md"] = index_page(entries)
    made[DOCS / "cli.md"] = cli_page()
    readme, menu = ROOT / "README.md", ROOT / "mkdocs.yml"
    made[readme] = between_marks(
        readme,
        "<!-- algorithms -->",
        "<!-- end of algorithms -->",
        f"\n{table(entries, 'docs/algorithms/', families=True)}\n",
    )
    made[menu] = between_marks(menu, "# algorithms", "# end of algorithms", nav(entries))
    return made


def between_marks(file: Path, begin: str, end: str, text: str) -> str:
    """The content of `file` with `text` between the lines `begin` and `end`."""
    content = file.read_text(encoding="utf-8")
    pattern = re.compile(rf"(^ *{re.escape(begin)}\n).*?(^ *{re.escape(end)}$)", re.MULTILINE | re.DOTALL)
    if len(pattern.findall(content)) != 1:
        raise SystemExit(f"{file.name} should hold the lines {begin!r} and {end!r} once")
    return pattern.sub(lambda found: found[1] + text + found[2], content)


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
    parts.append(rows(("option", "type", "default", "choices"), map(option_row, entry.options)))
    if entry.family in COMMANDS:
        parts += ["## Run it\n", f"```sh\n{command(entry)}\n```\n"]
        parts.append("Options go behind `--opt`, as in `--opt NAME=VALUE`.\n" if entry.options else "")
    return "\n".join(part for part in parts if part)


def paragraph(text: str) -> str:
    """A paragraph of a docstring; one of the form "Finds    what it finds" becomes a table."""
    found = re.findall(r"^([A-Z][a-z]+) {2,}(.+(?:\n +.+)*)", text, re.MULTILINE)
    if found and text.startswith(found[0][0]):
        pairs = ((name.lower(), plain(named_documents(joined(meaning)))) for name, meaning in found)
        return definitions(pairs, "it", "what or how")
    return plain(named_documents(joined(text))) + "\n"


def option_row(option: Option) -> tuple[str, str, str, str]:
    """A row of the table of options."""
    kind = option.type.replace(" | ", " or ")
    choices = ", ".join(f"`{choice}`" for choice in option.choices)
    return f"`{option.name}`", kind, f"`{option.default}`", choices


def begin_doc(entry: Entry) -> str:
    """What the algorithm's `begin` says about its options; a preset also says which it has set."""
    if "PRESET_OF" in entry.facts:
        base = catalogue.find(entry.facts["PRESET_OF"], entry.family)
        told = " and ".join(f"`{name}={value}`" for name, value in entry.facts["SETS"].items())
        return f"It is `{base.name}` with {told}. {begin_doc(base)}"
    file = PACKAGE / entry.family / f"{entry.name}.py"
    if not file.exists():
        file = PACKAGE / entry.family / entry.name / "__init__.py"
    functions = (node for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef))
    return joined(ast.get_docstring(next(node for node in functions if node.name == "begin")) or "")


def command(entry: Entry) -> str:
    """A command that runs it, with a move rule that it knows."""
    usual, allowed = DEFAULT_MOVES[entry.family], entry.facts.get("MOVES")
    other = "" if not allowed or usual in allowed else f" --moves {allowed[0]}"
    return COMMANDS[entry.family].format(name=entry.name) + other


def index_page(entries: list[Entry]) -> str:
    """All algorithms by family, and the documents they come from."""
    parts = [MADE, "# Algorithms\n", "Each is one file, and the file is its page: `wayfolk list` shows the same.\n"]
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
        lines += [f"          - '{entry.label}': algorithms/{family}/{entry.name}.md" for entry in members]
    return "".join(f"{line}\n" for line in lines)


def cli_page() -> str:
    """Every verb, and what scripts can rely on."""
    parts = [MADE, "# The command line\n"]
    parts.append(
        "Exit codes: 0 done, 1 not solved or faults found, 2 the caller's mistake, told in one sentence. Long work "
        "shows its progress on stderr, and Ctrl-C stops it at once. `wayfolk --version` says which version this is.\n"
    )
    for words, told, callback in verbs(app, "wayfolk"):
        parts += [f"## {words}\n", f"{plain(told)}\n"]
        if callback is not None:
            parts += list(_verb(words, callback))
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
        told = (inner.help, members.info.help, first and joined(first.callback.__doc__ or ""))
        yield f"{name} {inner.name}", next((text for text in told if isinstance(text, str)), ""), None
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
    found = re.search("|".join(plain_kinds), str(kind))
    value = info.metavar or plain_kinds.get(found[0] if found else "str", "TEXT")
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

    def names(found: re.Match[str]) -> str:
        numbers = re.findall(r"\d{3}", found[0])
        if " to " in found[0]:
            numbers = [f"{k:03}" for k in range(int(numbers[0]), int(numbers[1]) + 1)]
        listed = [DOCUMENTS[number][0] for number in numbers]
        return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"

    return re.sub(r"documents? \d{3}(?:(?:, | and | to )\d{3})*", names, text)


def joined(text: str) -> str:
    """The lines of a paragraph as one."""
    return " ".join(text.split())


def take_picture(time: float = 500.0) -> None:
    """The replay of the demo at `time`, as a browser shows it."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    file = DOCS / "images" / "demo.png"
    with TemporaryDirectory() as folder, sync_playwright() as browsers:
        replay = Path(folder) / "demo.html"
        subprocess.run([sys.executable, "-m", "wayfolk.cli", "demo", "--out", replay], check=True)
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
        page.goto(replay.as_uri())
        page.wait_for_function("window.wayfolk !== undefined")
        page.evaluate(f"window.wayfolk.seek({time})")
        page.wait_for_timeout(500)
        page.screenshot(path=file)
        browser.close()
    Image.open(file).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


def main(arguments: list[str]) -> int:
    """Write, or only compare."""
    if "--picture" in arguments:
        take_picture()
    made = pages()
    stale = set((DOCS / "algorithms").rglob("*.md")) - set(made)
    changed = [file for file, text in made.items() if not file.exists() or file.read_text(encoding="utf-8") != text]
    for file in sorted([*changed, *stale]):
        print(f"{file.relative_to(ROOT)} {'is out of date' if '--check' in arguments else 'changed'}")
    if "--check" in arguments:
        return 1 if changed or stale else 0
    for file in changed:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(made[file], encoding="utf-8", newline="\n")
    for file in stale:
        file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
