"""Other people's algorithms: objects, the text `module:begin`, entry points of installed packages, and those of papers.

The family of another's algorithm is the fact FAMILY. Without it, the first parameter decides: `world` is a search's,
`problem` a controller's, `space` that of a model of crowds. A class of controllers is called with the problem, or with
the number of agents if its first parameter is `n_agents`.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
from functools import cache, partial
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfolk.algorithms.declarations import Declaration, from_object, from_text
from wayfolk.algorithms.entry import FAMILIES, Entry, beginner, imported
from wayfolk.errors import BadInput, WayfolkError
from wayfolk.problem import papers

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "wayfolk.algorithms"
"""The group of entry points by which installed packages add algorithms."""
_BY_FIRST_PARAMETER = {"world": "search", "problem": "controllers", "space": "crowds"}


def entry_of(thing: Any) -> Entry:
    """The entry of a function like `begin`, a class of controllers, or one controller."""
    if not (callable(thing) or hasattr(thing, "decide")):
        raise BadInput(f"an algorithm is a name, module:begin, a function like `begin` or a Controller, not {thing!r}")
    return _entry_of_object(thing) if inspect.isroutine(thing) or isinstance(thing, type) else _entry(thing)


def entry_of_text(text: str) -> Entry:
    """The entry of what `module:begin` names; the module is imported."""
    return _entry(imported(text), text)


@cache
def _entry_of_object(thing: Any) -> Entry:
    return _entry(thing)


def _entry(thing: Any, name: str = "") -> Entry:
    function = thing.func if isinstance(thing, partial) else thing
    named = function if hasattr(function, "__qualname__") else type(function)
    name = name or f"{named.__module__}:{named.__qualname__}"
    home = beginner(thing, name)
    declaration = from_object(thing, name)
    family = "controllers" if home is not thing else _family(declaration, name)
    once = home is not thing and not isinstance(thing, type)
    return Entry(name, family, declaration.doc, declaration.facts, declaration.options, home, once=once)


def _family(declaration: Declaration, name: str) -> str:
    family = declaration.facts.get("FAMILY", _BY_FIRST_PARAMETER.get(declaration.first))
    if family not in FAMILIES:
        raise BadInput(
            f"the family of {name} is not known: its module must say FAMILY = one of {', '.join(FAMILIES)}, "
            "or its first parameter must be `world` (search), `problem` (controllers) or `space` (crowds)"
        )
    return str(family)


@cache
def points() -> dict[str, list[EntryPoint]]:
    """The entry points of installed packages, by the name of the algorithm."""
    from importlib.metadata import entry_points

    named: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        others = named.setdefault(point.name.lower().replace("-", "_"), [])
        if point not in others:  # a folder may be on the path twice
            others.append(point)
    return named


@cache
def added_as(name: str) -> Entry | WayfolkError:
    """The algorithm that a package adds as `name`, or what is wrong with it."""
    rivals = points()[name]
    packages = [point.dist.name if point.dist else "" for point in rivals]
    if len(rivals) > 1:
        values = " or ".join(point.value for point in rivals)
        return BadInput(f"{' and '.join(packages)} add an algorithm {name!r}: choose {values}")
    try:
        entry = _added(name, rivals[0].value, packages[0])
        json.dumps(entry.as_dict())  # as `wayfolk list` does, which one package must not stop
    except WayfolkError as error:
        return type(error)(f"the algorithm {name!r} of {packages[0]} cannot be used: {_line(error)}")
    except Exception as error:  # whatever others have written
        return BadInput(
            f"the algorithm {name!r} of {packages[0]} cannot be used: {type(error).__name__}: {_line(error)}"
        )
    return entry


@cache
def of_papers() -> dict[str, Entry]:
    """The algorithms of the papers in `experiments/papers`, by name; they come in as those of a package do."""
    return {name: _added(name, text) for name, text in papers.names("ALGORITHMS").items()}


def _added(name: str, text: str, package: str = "") -> Entry:
    """The entry of the algorithm at `text`, which is `module:begin`."""
    declaration = _declaration_in(text)
    if declaration is not None:
        family = _family(declaration, text)
        return Entry(name, family, declaration.doc, declaration.facts, declaration.options, text, package)
    entry = _entry(imported(text), text)
    return Entry(name, entry.family, entry.doc, entry.facts, entry.options, entry.home, package, entry.once)


def _line(error: Exception) -> str:
    """The first line of what an error says."""
    return next(iter(str(error).splitlines()), "")


def _declaration_in(text: str) -> Declaration | None:
    """What the source of the module in `module:begin` declares; None if that can only be known by importing it."""
    module, _, function = text.partition(":")
    parts = module.strip().split(".")
    try:
        spec = importlib.util.find_spec(parts[0])
        for k in range(1, len(parts)):
            inside = spec.submodule_search_locations if spec is not None else None
            spec = PathFinder.find_spec(".".join(parts[: k + 1]), inside) if inside is not None else None
        if spec is None or spec.origin is None:
            return None
        declaration = from_text(Path(spec.origin).read_text(encoding="utf-8"), function.split("[")[0].strip())
    except (ImportError, OSError, ValueError, SyntaxError):
        return None
    return declaration if declaration is not None and declaration.first else None
