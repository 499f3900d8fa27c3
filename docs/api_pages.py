"""The pages of the reference, as plain Markdown: signatures and docstrings, read from the sources without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src"
WIDEST = 100  # columns of a signature; a longer one has a line for each parameter
PROPERTIES = ("property", "cached_property")
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def described(home: str, name: str) -> str:
    """The section of a public name that is defined at `home`: a module, a class or a function."""
    anchor = f'<a id="{name}"></a>\n\n## {name}\n'
    if _file(home) is not None:
        return anchor + "\n" + "\n".join(_module(home))
    node = definition(home)
    lines = _class(node) if isinstance(node, ast.ClassDef) else _function(node)
    return anchor + "\n" + "\n".join(lines)


def definition(home: str) -> Definition:
    """The class or function at `home`, followed through the modules that import it from another."""
    module, _, name = home.rpartition(".")
    for node in _tree(module).body:
        if isinstance(node, Definition) and node.name == name and "overload" not in _decorators(node):
            return node
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return definition(f"{node.module}.{alias.name}")
    raise SystemExit(f"{home} is not defined in its module, nor imported there")


@cache
def _file(module: str) -> Path | None:
    path = SOURCES.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def _tree(module: str) -> ast.Module:
    file = _file(module)
    if file is None:
        raise SystemExit(f"there is no module {module}")
    return ast.parse(file.read_text(encoding="utf-8"))


def _module(home: str) -> Iterator[str]:
    """What a module is for, and its public functions and classes."""
    yield _text(_tree(home))
    for node in _tree(home).body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield f"### {home.rpartition('.')[2]}.{node.name}\n"
            yield from _class(node) if isinstance(node, ast.ClassDef) else _function(node)


def _class(node: ast.ClassDef) -> Iterator[str]:
    """How a class is made, what it is, its attributes, and its public methods."""
    methods = [each for each in node.body if isinstance(each, Function)]
    init = next((each for each in methods if each.name == "__init__"), None)
    yield _code("class " + (_signature(node.name, _parameters(init.args)[1:]) if init else _made_by_fields(node)))
    yield _text(node)
    if init is not None and ast.get_docstring(init):
        yield _text(init)
    listed = list(_attributes(node))
    if listed:
        yield "\n".join(listed) + "\n"
    for method in methods:
        if not method.name.startswith("_") and not _decorators(method) & {*PROPERTIES, "setter"}:
            yield f"### {node.name}.{method.name}\n"
            yield from _function(method, is_method=True)


def _made_by_fields(node: ast.ClassDef) -> str:
    """The signature of a class without `__init__`: its fields, if it is a data class or a NamedTuple."""
    if "dataclass" not in _decorators(node) and "NamedTuple" not in {ast.unparse(base) for base in node.bases}:
        return node.name
    fields = [
        each for each in node.body if isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_")
    ]
    return _signature(node.name, [ast.unparse(each).replace("\n", " ") for each in fields])


def _attributes(node: ast.ClassDef) -> Iterator[str]:
    """A line for each property, and for each attribute or member with a docstring below it."""
    for each, after in zip(node.body, [*node.body[1:], None], strict=True):
        text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
        if isinstance(each, Function) and not each.name.startswith("_") and _decorators(each) & {*PROPERTIES}:
            kind = f": {ast.unparse(each.returns)}" if each.returns else ""
            yield f"* `{each.name}{kind}`: {_joined(ast.get_docstring(each) or '')}"
        elif isinstance(each, ast.AnnAssign | ast.Assign) and isinstance(text, str):
            target = each.target if isinstance(each, ast.AnnAssign) else each.targets[0]
            yield f"* `{ast.unparse(target)}`: {_joined(text)}"


def _function(node: Function, *, is_method: bool = False) -> Iterator[str]:
    skipped = int(is_method and "staticmethod" not in _decorators(node))
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    yield _code(_signature(node.name, _parameters(node.args)[skipped:], returned))
    yield _text(node)


def _parameters(args: ast.arguments) -> list[str]:
    """The parameters as they are written, with `/` and `*` among them."""
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    shown = [_parameter(arg, default) for arg, default in zip(plain, defaults, strict=True)]
    if args.posonlyargs:
        shown.insert(len(args.posonlyargs), "/")
    if args.vararg:
        shown.append(f"*{_parameter(args.vararg, None)}")
    elif args.kwonlyargs:
        shown.append("*")
    shown += [_parameter(arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    return [*shown, *([f"**{_parameter(args.kwarg, None)}"] if args.kwarg else [])]


def _parameter(arg: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(arg.annotation)}" if arg.annotation else ""
    if default is None:
        return arg.arg + kind
    return f"{arg.arg}{kind}{' = ' if kind else '='}{ast.unparse(default)}"


def _signature(name: str, parameters: list[str], returned: str = "") -> str:
    line = f"{name}({', '.join(parameters)}){returned}"
    if len(line) <= WIDEST:
        return line
    return "\n".join([f"{name}(", *(f"    {each}," for each in parameters), f"){returned}"])


def _decorators(node: Definition) -> set[str]:
    return {ast.unparse(each).partition("(")[0].rpartition(".")[2] for each in node.decorator_list}


def _code(text: str) -> str:
    return f"```text\n{text}\n```\n"


def _text(node: Definition | ast.Module) -> str:
    return (ast.get_docstring(node) or "") + "\n"


def _joined(text: str) -> str:
    return " ".join(text.split())
