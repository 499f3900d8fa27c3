"""What the verbs of the command line share: arguments, and the checks that come before any work."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfolk.errors import BadInput

if TYPE_CHECKING:
    from wayfolk.catalogue import Entry

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
MapFile = Annotated[Path, typer.Argument(metavar="MAP", help="A Moving AI .map, a .txt drawing or an image.")]
With = Annotated[str, typer.Option("--with", metavar="NAME", help="The algorithm; see `wayfolk list`.")]
Opt = Annotated[list[str], typer.Option("--opt", metavar="NAME=VALUE", help="An option of the algorithm; repeatable.")]
MovesName = Annotated[str, typer.Option("--moves", help="four, eight (no corner cutting) or eight_cutting.")]


def print_json(value: Any) -> None:
    """The one value that a verb prints with --json."""
    print(json.dumps(value))


def print_table(facts: dict[str, Any]) -> None:
    """A line for each fact, with the numbers below each other."""
    width = max(map(len, facts))
    for name, value in facts.items():
        shown = "-" if value is None else f"{value:.4f}" if isinstance(value, float) else value
        print(f"{name.replace('_', ' '):<{width}}  {shown}")


def options_of(entry: Entry, pairs: list[str]) -> dict[str, Any]:
    """What each --opt says, for an algorithm that knows it."""
    texts = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise BadInput(f"an option is NAME=VALUE, not {pair!r}")
        texts[name] = text
    return entry.checked(texts)


def place_of(text: str) -> tuple[int, int]:
    """The place that X,Y names."""
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"a place is X,Y, two whole numbers, not {text!r}") from None
    return x, y


def must_be_writable(*targets: Path | None) -> None:
    """Raise if a result could not be written, before anybody waits for it; None was not asked for."""
    for target in targets:
        if target is None or (target.exists() and not target.is_file() and not target.is_dir()):
            continue  # a pipe or a device is tried when there is something for it
        if target.is_dir():
            raise BadInput(f"{target}: cannot be written: it is a folder")
        if not target.parent.is_dir():
            raise BadInput(f"{target}: cannot be written: there is no folder {target.parent}")
        try:
            TemporaryFile(dir=target.parent).close()
        except OSError as why:
            raise BadInput(f"{target}: cannot be written: {why.strerror}") from None
