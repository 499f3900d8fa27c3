"""Every function of the algorithms that is not compiled says the types of what it takes and returns."""

import ast
import tomllib
from pathlib import Path

import pytest

import wayfolk

ROOT = Path(wayfolk.__file__).parent / "algorithms"
FILES = sorted(ROOT.rglob("*.py"))
COMPILED = {"kernel", "inner", "inlined", "spliced"}


def names_in(node):
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def compiled_functions(tree):
    """The names of functions that numba compiles: by a decorator, or because the module registers them for a kernel."""
    compiled = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(names_in(mark) & COMPILED for mark in node.decorator_list):
            compiled.add(node.name)
        elif isinstance(node, ast.Call) and names_in(node.func) & COMPILED:
            compiled |= set().union(*map(names_in, node.args))
    for node in tree.body:  # such as planned_by(LraArrays, _plan_routes)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            passed = [*node.value.args, *(keyword.value for keyword in node.value.keywords)]
            compiled |= set().union(*map(names_in, passed))
    tables = compiled & {name for node in tree.body for name in tables_in(node)}  # those passed to specialise()
    for node in tree.body:
        if tables & set(tables_in(node)):
            compiled |= names_in(node.value)
    return compiled


def tables_in(node):
    """The tables of functions by type that an assignment at the left margin fills: `table = {...}`, `table[Kind] = ...`."""
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    targets = [part for target in targets for part in getattr(target, "elts", [target])]
    filled = [target.value for target in targets if isinstance(target, ast.Subscript)]
    written = targets if isinstance(node.value, ast.Dict) else []
    return [name.id for name in filled + written if isinstance(name, ast.Name)]


def missing(function):
    """What a function does not say the type of."""
    plain = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
    more = [argument for argument in (function.args.vararg, function.args.kwarg) if argument is not None]
    named = [a.arg for a in plain + more if a.annotation is None and a.arg not in ("self", "cls")]
    return named + (["what it returns"] if function.returns is None else [])


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_functions_are_annotated(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    compiled = compiled_functions(tree)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name not in compiled]
    untyped = {function.name: missing(function) for function in functions if missing(function)}
    assert untyped == {}


def test_mypy_is_told_to_check_them():
    settings = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["tool"]["mypy"]
    ours = [part for part in settings["overrides"] if "wayfolk.algorithms.*" in part["module"]]
    assert [part["disallow_incomplete_defs"] for part in ours] == [True]
