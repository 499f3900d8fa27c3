"""The catalogue: a file in a family folder is an algorithm, and this reads all there is to know from the file.

Names, options and facts are read from the source text, without importing it: listing a hundred algorithms loads none of
them. A module is imported when somebody asks for it. What a file must hold:

    a docstring    its first line is the title; the paragraph after it says where the algorithm comes from
    facts          upper-case constants: OPTIMAL, COMPLETE, PAPER ...
    begin(...)     the one public function; its keyword-only parameters are the options, with their defaults

A preset is a file without a function: PRESET_OF names an algorithm of the same family, whose facts and options it has, and
SETS some of these options for good.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from wayfolk.errors import BadInput, UnknownName

FAMILIES = {
    "search": "one agent, a whole path",
    "realtime": "one agent, bounded work for each move",
    "planners": "many agents, a whole plan",
    "controllers": "many agents, the next move",
}
PRESET_OF, SETS = "PRESET_OF", "SETS"  # facts of presets
_ROOT = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Option:
    """A keyword of `begin`: its default, and the values it may have if they are few."""

    name: str
    default: Any
    type: str
    choices: tuple[Any, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        made = {"name": self.name, "default": self.default, "type": self.type}
        return made | ({"choices": list(self.choices)} if self.choices else {})


@dataclass(frozen=True)
class Entry:
    """One algorithm, as its file describes it."""

    name: str
    family: str
    doc: str
    facts: dict[str, Any]
    options: tuple[Option, ...]

    @property
    def title(self) -> str:
        """The first line of the docstring."""
        return self.doc.split("\n", 1)[0]

    @property
    def label(self) -> str:
        """The name as papers write it: what stands before the colon of the title."""
        return self.title.split(":")[0]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "family": self.family,
            "title": self.title,
            "paper": self.facts.get("PAPER", ""),
            "optimal": bool(self.facts.get("OPTIMAL", False)),
            "complete": bool(self.facts.get("COMPLETE", False)),
            "options": [option.as_dict() for option in self.options],
        }

    def load(self) -> Callable[..., Any]:
        """Import the file and return its `begin`."""
        if PRESET_OF in self.facts:
            return partial(_begin(self.family, self.facts[PRESET_OF]), **self.facts[SETS])
        return _begin(self.family, self.name)

    def checked(self, options: dict[str, Any]) -> dict[str, Any]:
        """`options` with known names, and values of the right type (text is converted)."""
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise UnknownName(f"{self.name} has no option {name!r}{hint(name, known)}")
        return {name: _converted(known[name], value) for name, value in options.items()}


def entries(family: str | None = None) -> list[Entry]:
    """All algorithms, or those of one family, by name."""
    families = FAMILIES if family is None else [family]
    return [_read(path, folder) for folder in families for path in _files(folder)]


@cache
def find(name: str, *families: str) -> Entry:
    """The algorithm called `name`, in one of `families` if any are given."""
    wanted = name.lower().replace("-", "_")
    for folder in families or FAMILIES:
        for path in _files(folder):
            if _name(path) == wanted:
                return _read(path, folder)
    known = [entry.name for folder in families or FAMILIES for entry in entries(folder)]
    other = next((f for f in FAMILIES for path in _files(f) if _name(path) == wanted), None)
    if other is not None:
        raise UnknownName(f"{name!r} is of the family {other} ({FAMILIES[other]}), which does not fit here")
    raise UnknownName(f"there is no algorithm {name!r}{hint(wanted, known)}")


def families() -> list[str]:
    """The names of the families that have members."""
    return [folder for folder in FAMILIES if _files(folder)]


@cache
def _begin(family: str, name: str) -> Callable[..., Any]:
    begin: Callable[..., Any] = importlib.import_module(f"wayfolk.{family}.{name}").begin
    return begin


@cache
def _files(family: str) -> list[Path]:
    folder = _ROOT / family
    found = [p for p in folder.glob("*.py") if not p.name.startswith("_")]
    found += [p for p in folder.glob("*/__init__.py") if not p.parent.name.startswith("_")]
    return sorted(found, key=_name)


def _name(path: Path) -> str:
    return path.parent.name if path.name == "__init__.py" else path.stem


@cache
def _read(path: Path, family: str) -> Entry:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    facts: dict[str, Any] = {}
    begin = None
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and target.id.isupper() and isinstance(value, ast.expr):
            facts[target.id] = _value(value)
        elif isinstance(node, ast.FunctionDef) and node.name == "begin":
            begin = node
    doc = inspect.cleandoc(ast.get_docstring(tree) or "")
    if PRESET_OF in facts:
        base = _read(path.with_name(f"{facts[PRESET_OF]}.py"), family)
        left = tuple(option for option in base.options if option.name not in facts[SETS])
        return Entry(_name(path), family, doc, base.facts | facts, left)
    if begin is None:
        raise BadInput(f"{path.name} in {family} has no function `begin`")
    pairs = zip(begin.args.kwonlyargs, begin.args.kw_defaults, strict=True)
    options = tuple(_option(argument, default) for argument, default in pairs)
    return Entry(_name(path), family, doc, facts, options)


def _option(argument: ast.arg, default: ast.expr | None) -> Option:
    kind = ast.unparse(argument.annotation) if argument.annotation else ""
    choices: tuple[Any, ...] = ()
    if isinstance(argument.annotation, ast.Subscript) and ast.unparse(argument.annotation.value) == "Literal":
        listed = _value(argument.annotation.slice)
        choices = listed if isinstance(listed, tuple) else (listed,)
        kind = type(choices[0]).__name__
    return Option(argument.arg, None if default is None else _value(default), kind, choices)


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def hint(name: str, known: Any) -> str:
    """The end of a complaint: the nearest known name, or all of them."""
    known = list(known)
    close = difflib.get_close_matches(name, known, 1, 0.5)
    if close:
        return f": did you mean {close[0]!r}?"
    return f": choose one of {', '.join(sorted(known))}" if known else ": it has none"


def _converted(option: Option, value: Any) -> Any:
    readers: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "str": str, "bool": _truth}
    kinds = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}
    kind, *others = option.type.split(" | ")
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    if kind in readers and not (value is None and "None" in others):
        try:
            value = readers[kind](value) if isinstance(value, str) else value
        except ValueError:
            raise BadInput(f"option {option.name} must be of type {option.type}, not {value!r}") from None
        if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind != "bool"):
            raise BadInput(f"option {option.name} must be of type {option.type}, not {value!r}")
    if option.choices and value not in option.choices:
        raise UnknownName(f"option {option.name} cannot be {value!r}{hint(str(value), map(str, option.choices))}")
    return value


def _truth(text: str) -> bool:
    if text.lower() in ("true", "yes", "on", "1"):
        return True
    if text.lower() in ("false", "no", "off", "0"):
        return False
    raise ValueError(text)
