"""What the verbs of the command line share: arguments, tables, and the checks that come before any work."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfolk.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from wayfolk.algorithms.catalogue import Entry

WIDE = 1000  # columns of a table that is not printed on a terminal: its lines are not wrapped

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
MapFile = Annotated[
    Path,
    typer.Argument(
        metavar="MAP",
        help="A Moving AI .map, a .txt drawing, an image, or the name of a built-in map (`wayfolk maps list`).",
    ),
]


def names_of_algorithms(*families: str) -> Callable[[str], list[str]]:
    """For the completion of shells: the names of the algorithms in `families` that begin with a text."""

    def complete(incomplete: str) -> list[str]:
        from wayfolk.algorithms.catalogue import entries

        before, comma, last = incomplete.rpartition(",")
        names = [entry.name for family in families for entry in entries(family)]
        return [before + comma + name for name in dict.fromkeys(names) if name.startswith(last)]

    return complete


With = Annotated[
    str,
    typer.Option(
        "--with",
        metavar="NAME",
        help="The algorithm: a name of `wayfolk list`, or module:begin.",
        autocompletion=names_of_algorithms("search", "realtime", "planners", "controllers"),
    ),
]
Trust = Annotated[
    bool, typer.Option("--trust", help="Let the file run code: module:begin, brains in Python files, clusters.")
]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, tcp://...; local processes by default.")
]
Seed = Annotated[int, typer.Option(help="Random seed.")]
Html = Annotated[
    Path | None,
    typer.Option(
        help="Write a replay: one page that needs no server (.html), a film (.gif, .mp4, .svg) or a picture (.png)."
    ),
]
Opt = Annotated[list[str], typer.Option("--opt", metavar="NAME=VALUE", help="An option of the algorithm; repeatable.")]
Opts = Annotated[
    list[str],
    typer.Option(
        "--opt",
        metavar="[N.]NAME=VALUE",
        help="An option of the algorithm, or of number N of several (from 1), as in 2.weight=3; repeatable.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run the algorithm on the workers of the Dask scheduler at tcp://..., or on processes here (local).",
    ),
]
Memory = Annotated[
    float | None,
    typer.Option(
        metavar="GB",
        help="Gigabytes that the algorithm may take; by default until the process holds half of the machine's memory. At "
        "the limit it stops, and the best answer so far is printed.",
    ),
]
MOVES = "four, eight (no corner cutting) or eight_cutting."
PathMoves = Annotated[
    str, typer.Option("--moves", help=f"{MOVES} The costs in .scen files are for eight, so it is the default here.")
]
PlanMoves = Annotated[
    str, typer.Option("--moves", help=f"{MOVES} Benchmarks of many agents use four, so it is the default here.")
]
Random = Annotated[int | None, typer.Option("--random", help="Number of agents, drawn at random by --seed.")]
Save = Annotated[
    Path | None, typer.Option("--save", help="Write the moves of all agents as a plan: .json, .npz, .txt or .csv.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of the plan: wayfolk (.json, .npz), visualizer (.txt), csv (.csv), planviz or tracker. By default the "
        "name of the file decides.",
    ),
]


def bytes_of(gigabytes: float | None) -> int | None:
    """The value of `--memory` in bytes."""
    if gigabytes is not None and not 0 < gigabytes < 1e9:
        raise BadInput(f"--memory must be more than 0 gigabytes, not {gigabytes:g}")
    return None if gigabytes is None else int(gigabytes * 1e9)


def print_rows(rows: list[dict[str, Any]], columns: list[str]) -> None:
    """Print a table, one row in a line however long it is: texts to the left, numbers to the right."""
    from wayfolk.experiments.choosing.comparison import shown

    cells = [
        [name.replace("_", " ") for name in columns],
        *([shown(row.get(name)) for name in columns] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        first, *others = (
            cell.ljust(width) if not k else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]).rstrip())


def print_json(value: Any) -> None:
    """Print the one value of a verb with --json."""
    print(json.dumps(value))


def table_console() -> Console:
    """Where tables with columns are printed: as wide as the terminal, and without line breaks into a file or a pipe."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=WIDE)


def print_table(facts: dict[str, Any]) -> None:
    """Print a line for each fact, with the values below each other."""
    width = max(map(len, facts))
    for name, value in facts.items():
        digits = 6 if isinstance(value, float) and 0 < abs(value) < 1e-3 else 4  # seconds of a search are few
        shown = "-" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else value
        print(f"{name.replace('_', ' '):<{width}}  {shown}")


def options_of(entry: Entry, pairs: list[str]) -> dict[str, Any]:
    """The options that the texts NAME=VALUE of --opt give to an algorithm, checked."""
    texts = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise BadInput(f"an option is NAME=VALUE, not {pair!r}")
        texts[name] = text
    return entry.checked(texts)


def with_cluster(entry: Entry, options: dict[str, Any], cluster: str | None) -> dict[str, Any]:
    """The `options` with the cluster that --cluster names, if it does, for an algorithm that can run on one."""
    if cluster is None:
        return options
    if "cluster" not in [option.name for option in entry.options]:
        raise BadInput(f"{entry.name} runs in one process: leave out --cluster")
    if not cluster:
        raise BadInput("--cluster needs the address of a Dask scheduler, or `local`")
    return options | {"cluster": cluster}


def chosen_of(names: str, pairs: list[str], *families: str) -> list[tuple[Entry, dict[str, Any]]]:
    """The algorithms of a list of names with commas between them, and the options that --opt gives to each.

    The options of one algorithm are NAME=VALUE, those of several N.NAME=VALUE, where N counts the names from 1. An
    algorithm may be named again with other options.
    """
    from wayfolk.algorithms.catalogue import find

    listed = [name.strip() for name in names.split(",") if name.strip()]
    if not listed:
        raise BadInput("--with needs the name of an algorithm, or several with commas between them")
    given: list[list[str]] = [[] for _ in listed]
    for pair in pairs:
        number, dot, rest = pair.partition(".")
        if not dot or not number.isdecimal():
            if len(listed) > 1:
                raise BadInput(f"--with names {len(listed)} algorithms: write --opt 1.{pair} for the first of them")
            number, rest = "1", pair
        if not 1 <= int(number) <= len(listed):
            raise BadInput(f"--opt {pair}: there is no algorithm {number} in --with {names}")
        given[int(number) - 1].append(rest)
    entries = [find(name, *families) for name in listed]
    chosen = [(entry, options_of(entry, own)) for entry, own in zip(entries, given, strict=True)]
    if len({(entry.family, name_with(entry, options)) for entry, options in chosen}) < len(chosen):
        raise BadInput(
            f"--with names an algorithm twice: {names}; tell them apart by options, such as --opt 2.NAME=VALUE"
        )
    return chosen


def name_with(entry: Entry, options: dict[str, Any]) -> str:
    """The name of an algorithm among others, with its options."""
    return entry.name + (f"({', '.join(f'{name}={value}' for name, value in options.items())})" if options else "")


def preset(entry: Entry, options: dict[str, Any]) -> Entry:
    """The algorithm with some of its options fixed, which its name and its label say."""
    if not options:
        return entry
    name = name_with(entry, options)
    return replace(
        entry,
        name=name,
        doc=name.replace(entry.name, f"{entry.label} ", 1),
        options=tuple(option for option in entry.options if option.name not in options),
        home=partial(entry.load(), **options),
    )


def place_of(text: str) -> tuple[int, int]:
    """The place that the text X,Y names."""
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"a place is X,Y, two whole numbers, not {text!r}") from None
    return x, y


def must_be_writable(*targets: Path | None) -> None:
    """Raise BadInput if a result could not be written to one of `targets`; None stands for no file."""
    for target in targets:
        if target is None or (target.exists() and not target.is_file() and not target.is_dir()):
            continue  # pipes and devices are opened only when there is something to write
        if target.is_dir():
            raise BadInput(f"{target}: cannot be written: it is a folder")
        if not target.parent.is_dir():
            raise BadInput(f"{target}: cannot be written: there is no folder {target.parent}")
        try:
            TemporaryFile(dir=target.parent).close()
        except OSError as why:
            raise BadInput(f"{target}: cannot be written: {why.strerror}") from None


def must_be_plan(target: Path | None, format: str | None) -> None:
    """Raise BadInput if a plan could not be written to `target` in this format."""
    from wayfolk.files.exchange import format_of

    if target is not None:
        format_of(target, format)
    elif format is not None:
        raise BadInput("--format says how --save FILE writes the plan: name the file")
    must_be_writable(target)


def must_be_page(target: Path | None) -> None:
    """Raise BadInput if a report could not be written to `target`: it cannot, or its name ends in something else."""
    must_be_writable(target)
    if target is not None and target.suffix.lower() not in ("", ".html", ".htm"):
        raise BadInput(f"{target}: a report is a page: end its name in .html")


def must_be_replay(target: Path | None) -> None:
    """Raise BadInput if a replay could not be written to `target`, or NotSupported if a film needs what is missing."""
    must_be_writable(target)
    if target is not None:
        from wayfolk.replay.film import check_name

        check_name(target)
