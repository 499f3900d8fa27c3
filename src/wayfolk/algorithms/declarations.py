"""What an algorithm declares: its docstring, its facts and its options, read from source text or from an object.

Text is read without importing it, so that listing a hundred algorithms loads none of them. An object is a function like
`begin`, a class of controllers or one controller.
"""

from __future__ import annotations

import ast
import inspect
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import UnionType
from typing import Any, Literal, Union

from wayfolk.algorithms.options import Option, Range
from wayfolk.errors import BadInput


@dataclass(frozen=True)
class Declaration:
    """A docstring, facts (upper-case constants), options, and the name of the first parameter of `begin`."""

    doc: str
    facts: dict[str, Any]
    options: tuple[Option, ...]
    first: str = ""


def from_text(text: str, function: str = "begin") -> Declaration | None:
    """What the source text of a module declares; None if it holds neither `function` nor a preset."""
    tree = ast.parse(text)
    facts: dict[str, Any] = {}
    begin = None
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and target.id.isupper() and isinstance(value, ast.expr):
            facts[target.id] = _value(value)
        elif isinstance(node, ast.FunctionDef) and node.name == function:
            begin = node
    doc = inspect.cleandoc(ast.get_docstring(tree) or "")
    if begin is None:
        return Declaration(doc, facts, ()) if "PRESET_OF" in facts else None
    pairs = zip(begin.args.kwonlyargs, begin.args.kw_defaults, strict=True)
    options = tuple(_option(argument, default) for argument, default in pairs)
    places = begin.args.posonlyargs + begin.args.args
    return Declaration(doc, facts, options, places[0].arg if places else "")


def _option(argument: ast.arg, default: ast.expr | None) -> Option:
    """An option as the text of `begin` declares it; see `wayfolk.algorithms.options`."""
    kind, span, meaning = argument.annotation, None, ""
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "Annotated" and isinstance(kind.slice, ast.Tuple):
        kind, *notes = kind.slice.elts
        for note in notes:
            if isinstance(note, ast.Call) and ast.unparse(note.func) == "Range":
                named = {str(keyword.arg): _value(keyword.value) for keyword in note.keywords}
                span = Range(
                    *map(_value, note.args), **named
                )  # an expression such as 2**62 is a text here: a ValueError
            elif isinstance(note, ast.Constant):
                meaning = str(note.value)
    choices: tuple[Any, ...] = ()
    shown = ast.unparse(kind) if kind else ""
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "Literal":
        listed = _value(kind.slice)
        choices = listed if isinstance(listed, tuple) else (listed,)
        shown = type(choices[0]).__name__
    return Option(argument.arg, None if default is None else _value(default), shown, choices, span, meaning)


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def from_object(thing: Any, name: str) -> Declaration:
    """What `thing` declares: a function, a class or a controller, called `name` in complaints.

    Facts are the constants of its module, and those it has as attributes. A function called `begin` is described by its
    module's docstring, everything else by its own.
    """
    function = thing.func if isinstance(thing, partial) else thing
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    facts = {fact: value for fact, value in vars(module).items() if fact.isupper()} if module is not None else {}
    for owner in reversed(inspect.getmro(thing if isinstance(thing, type) else type(thing))):
        facts |= {fact: value for fact, value in vars(owner).items() if fact.isupper()}
    facts |= {fact: value for fact, value in getattr(thing, "__dict__", {}).items() if fact.isupper()}
    described = module if getattr(function, "__name__", "") == "begin" else function
    doc = inspect.getdoc(described) or ""
    if not callable(thing):
        return Declaration(doc, facts, ())
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        raise BadInput(f"the parameters of {name} cannot be read: write it as a Python function") from None
    keywords = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    hints = _hints(function, {parameter.name: parameter.annotation for parameter in keywords}, name)
    places = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    options = tuple(_option_of(parameter, hints[parameter.name], name) for parameter in keywords)
    return Declaration(doc, facts, options, places[0] if places else "")


def _hints(function: Callable[..., Any], annotations: dict[str, Any], name: str) -> dict[str, Any]:
    """The annotations as objects; those written as text are read as the function's module would read them."""
    spoken = {key: Any if hint is inspect.Parameter.empty else hint for key, hint in annotations.items()}
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    names = getattr(function, "__globals__", None) or getattr(module, "__dict__", {})
    holder = type("Options", (), {"__annotations__": spoken})
    try:
        return typing.get_type_hints(holder, names, include_extras=True)
    except Exception as error:
        raise BadInput(f"the options of {name} cannot be read: {error}") from None


def _option_of(parameter: inspect.Parameter, hint: Any, name: str) -> Option:
    if parameter.default is parameter.empty:
        raise BadInput(f"the option {parameter.name} of {name} must have a default")
    span, meaning, default = None, "", parameter.default
    if typing.get_origin(hint) is typing.Annotated:
        hint, *notes = typing.get_args(hint)
        span = next((note for note in notes if isinstance(note, Range)), None)
        meaning = next((note for note in notes if isinstance(note, str)), "")
    choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
    if choices:
        shown = type(choices[0]).__name__
    elif typing.get_origin(hint) in (Union, UnionType):
        shown = " | ".join("None" if kind is type(None) else kind.__name__ for kind in typing.get_args(hint))
    elif hint is Any:  # nothing is said about the type: the default says it
        shown = type(default).__name__ if type(default) in (int, float, str, bool) else ""
    else:
        shown = getattr(hint, "__name__", str(hint))
    return Option(parameter.name, default, shown, choices, span, meaning)
