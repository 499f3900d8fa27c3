"""The catalogue: all algorithms, with their names, families, facts and options.

Our own are files in the family folders. Names, options and facts are read from the source text; a module is imported
only when its algorithm is used. What a file must hold:

    a docstring    its first line is the title; the paragraph after it says where the algorithm comes from
    facts          upper-case constants: OPTIMAL, COMPLETE, PAPER ...
    begin(...)     the one public function; its keyword-only parameters are the options, with their defaults

A preset is a file without a function: PRESET_OF names an algorithm of the same family, whose facts and options it has, and
SETS fixes some of these options.

Algorithms that belong to one paper are in its folder of `experiments/papers`, which registers them by name.

Other people's algorithms come in by three doors, and are checked as ours are:

    an object      a function like `begin`, a class of controllers, or one controller
    module:begin   the same as text; the module is imported
    a name         of the entry point group `wayfolk.algorithms` of an installed package; its value is `module:begin`

See `wayfolk.algorithms.foreign` for how their families are told apart.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from wayfolk.algorithms import foreign
from wayfolk.algorithms.declarations import from_text
from wayfolk.algorithms.entry import FAMILIES, PRESET_OF, SETS, Entry
from wayfolk.algorithms.foreign import added_as, entry_of, entry_of_text, points
from wayfolk.algorithms.options import Option
from wayfolk.errors import BadInput, UnknownName, WayfolkError, hint

__all__ = ["FAMILIES", "Entry", "Option", "added", "complaints", "entries", "families", "find", "points"]

_ROOT = Path(__file__).resolve().parent


def entries(family: str | None = None) -> list[Entry]:
    """Our own algorithms, or those of one family, by name."""
    found: list[Entry] = []
    for folder in FAMILIES if family is None else [family]:
        of_papers = [entry for entry in foreign.of_papers().values() if entry.family == folder]
        found += sorted([_read(path, folder) for path in _files(folder)] + of_papers, key=lambda entry: entry.name)
    return found


def added(family: str | None = None) -> list[Entry]:
    """The algorithms that installed packages add, or those of one family, by name; see also `complaints`."""
    readable = (added_as(name) for name in sorted(points()) if name not in _names())
    return [entry for entry in readable if isinstance(entry, Entry) and family in (None, entry.family)]


def complaints() -> list[str]:
    """What is wrong with algorithms that installed packages add: names that are taken, files that cannot be read."""
    taken = [
        f"{point.dist.name if point.dist else 'a package'} adds an algorithm {name!r}, but there is one of that name: "
        f"use it as {point.value}"
        for name, rivals in points().items()
        if name in _names()
        for point in rivals
    ]
    return taken + [str(entry) for name in sorted(points()) if isinstance(entry := added_as(name), WayfolkError)]


def find(algorithm: Any, *families: str) -> Entry:
    """The entry of `algorithm`, in one of `families` if any are given.

    `algorithm` is a name, or `family/name` where two families have the name; the text `module:begin`; a function like
    `begin`; a class of controllers, one controller, or an entry itself.
    """
    if isinstance(algorithm, str):
        return _find(algorithm, *families)
    entry = algorithm if isinstance(algorithm, Entry) else entry_of(algorithm)
    return _fitting(entry, families)


@cache
def _find(name: str, *families: str) -> Entry:
    if ":" in name:
        return _fitting(entry_of_text(name), families)
    family, _, wanted = name.lower().replace("-", "_").rpartition("/")
    if family and family not in FAMILIES:
        raise UnknownName(f"there is no family {family!r}: choose one of {', '.join(FAMILIES)}")
    # an algorithm can be in two families under one name: the family that fits comes first
    for folder in [family] if family else sorted(FAMILIES, key=lambda folder: folder not in families):
        for path in _files(folder):
            if _name(path) == wanted:
                return _fitting(_read(path, folder), families)
    if wanted in foreign.of_papers():
        return _fitting(foreign.of_papers()[wanted], families)
    if wanted in points():
        entry = added_as(wanted)
        if isinstance(entry, WayfolkError):
            raise entry
        return _fitting(entry, families)
    known = [entry.name for folder in families or FAMILIES for entry in entries(folder) + added(folder)]
    raise UnknownName(f"there is no algorithm {name!r}{hint(wanted, known)}")


def _fitting(entry: Entry, families: tuple[str, ...]) -> Entry:
    if families and entry.family not in families:
        raise UnknownName(
            f"{entry.name!r} is of the family {entry.family} ({FAMILIES[entry.family]}), which does not fit here"
        )
    return entry


def families() -> list[str]:
    """The names of the families that have members."""
    return [folder for folder in FAMILIES if _files(folder)]


@cache
def _files(family: str) -> list[Path]:
    folder = _ROOT / family
    files = [p for p in folder.glob("*.py") if not p.name.startswith("_")]
    files += [p for p in folder.glob("*/__init__.py") if not p.parent.name.startswith("_")]
    return sorted(files, key=_name)


def _name(path: Path) -> str:
    return path.parent.name if path.name == "__init__.py" else path.stem


def _names() -> set[str]:
    """The names of our own algorithms."""
    return {_name(path) for folder in FAMILIES for path in _files(folder)} | foreign.of_papers().keys()


@cache
def _read(path: Path, family: str) -> Entry:
    declaration = from_text(path.read_text(encoding="utf-8"))
    if declaration is None:
        raise BadInput(f"{path.name} in {family} has no function `begin`")
    if PRESET_OF in declaration.facts:
        base = find(declaration.facts[PRESET_OF], family)
        left = tuple(option for option in base.options if option.name not in declaration.facts[SETS])
        return Entry(_name(path), family, declaration.doc, base.facts | declaration.facts, left)
    return Entry(_name(path), family, declaration.doc, declaration.facts, declaration.options)
