"""Entry: one algorithm, with all there is to know about it, and how to begin it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from wayfolk.algorithms.options import Option
from wayfolk.errors import BadInput, UnknownName, WayfolkError, hint

FAMILIES = {
    "search": "one agent, a whole path",
    "realtime": "one agent, bounded work for each move",
    "planners": "many agents, a whole plan",
    "controllers": "many agents, the next move",
    "crowds": "many bodies, the next velocity",
}
PRESET_OF, SETS = "PRESET_OF", "SETS"  # facts of presets
GRID, GRAPH, ANY = WORLDS = "grid", "graph", "any"
"""What the fact WORLDS may say: square grids only; any world, for points; any world and any body."""
WHERE = {GRID: "points on square grids", GRAPH: "points in any world", ANY: "any body in any world"}
"""For whom and where an algorithm with each of them works, in words."""


@dataclass(frozen=True, eq=False)
class Entry:
    """One algorithm, as its file or object describes it.

    `home` is where it begins if it is not ours: a function, or the text `module:begin`. `package` is the name of the
    installed package that adds it. An entry of one controller, which is used up by one run, is for `once`.
    """

    name: str
    family: str
    doc: str
    facts: dict[str, Any]
    options: tuple[Option, ...]
    home: Callable[..., Any] | str | None = None
    package: str = ""
    once: bool = False

    @property
    def module(self) -> str:
        """The name of the module that describes it."""
        if self.home is None:
            return f"wayfolk.algorithms.{self.family}.{self.name}"
        return self.home.partition(":")[0] if isinstance(self.home, str) else self.home.__module__

    @property
    def title(self) -> str:
        """The first line of the docstring."""
        return self.doc.split("\n", 1)[0]

    @property
    def label(self) -> str:
        """The name as papers write it, which is before the colon of the title; without a title, the name."""
        return self.title.split(":")[0] or self.name

    @property
    def worlds(self) -> str:
        """In which worlds it works, and for which bodies: one of WORLDS.

        Without the fact, searches for one agent work on any graph, and algorithms for many agents on square grids.
        """
        worlds: str = self.facts.get("WORLDS", GRAPH if self.family in ("search", "realtime") else GRID)
        return worlds

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "family": self.family,
            "title": self.title,
            "paper": self.facts.get("PAPER", ""),
            "optimal": bool(self.facts.get("OPTIMAL", False)),
            "complete": bool(self.facts.get("COMPLETE", False)),
            "worlds": self.worlds,
            "options": [option.as_dict() for option in self.options],
        } | ({"package": self.package} if self.package else {})

    def load(self) -> Callable[..., Any]:
        """Import the algorithm and return its `begin`."""
        if callable(self.home):
            return self.home
        if self.home is not None:
            return beginner(imported(self.home), self.name)
        if PRESET_OF in self.facts:
            return partial(_begin(self.family, self.facts[PRESET_OF]), **self.facts[SETS])
        return _begin(self.family, self.name)

    def checked(self, options: dict[str, Any]) -> dict[str, Any]:
        """`options` with known names, and values of the right type (text is converted) and within their ranges."""
        if not options:
            return {}
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise UnknownName(f"{self.name} has no option {name!r}{hint(name, known)}")
        return {name: known[name].checked(value) for name, value in options.items()}


@cache
def _begin(family: str, name: str) -> Callable[..., Any]:
    begin: Callable[..., Any] = importlib.import_module(f"wayfolk.algorithms.{family}.{name}").begin
    return begin


def imported(text: str) -> Any:
    """The object that `module:name` names."""
    module, _, path = text.partition(":")
    if not module or not path:
        raise UnknownName(f"there is no algorithm {text!r}: an algorithm of another module is module:begin")
    try:
        thing = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            raise UnknownName(f"there is no module {error.name!r}, so no algorithm {text!r}") from None
        raise BadInput(f"{module} cannot be imported: {error}") from None
    except WayfolkError:
        raise
    except (Exception, SystemExit) as error:
        raise BadInput(f"{module} cannot be imported: {type(error).__name__}: {error}") from None
    for part in path.split("."):
        if not hasattr(thing, part):
            public = [name for name in vars(thing) if not name.startswith("_")]
            raise UnknownName(f"{module} has no {part!r}{hint(part, public)}")
        thing = getattr(thing, part)
    return thing


def beginner(thing: Any, name: str) -> Callable[..., Any]:
    """What begins the algorithm: a function itself; for a controller or a class of them, a function that returns one."""
    if isinstance(thing, type):
        if not hasattr(thing, "decide"):
            raise BadInput(f"{name} is a class, but not one of controllers: an algorithm is a function like `begin`")
        by_number = next(iter(inspect.signature(thing).parameters), "") == "n_agents"
        return lambda problem, **options: thing(problem.n_agents if by_number else problem, **options)
    if hasattr(thing, "decide"):
        return lambda problem: thing
    if not callable(thing):
        raise BadInput(f"{name} is no function like `begin`, but a {type(thing).__name__}")
    begin: Callable[..., Any] = thing
    return begin
