"""What is defined once: outcomes of searches, and heaps."""

import ast
from functools import cache
from pathlib import Path

import pytest

import wayfolk
from wayfolk.kernels import codes

ROOT = Path(wayfolk.__file__).parent
OUTCOMES = {"RUNNING", "FOUND", "EXHAUSTED", "QUEUE_FULL", "NO_PATH"}  # FULL is also the name of places in arrays
SPECIAL_HEAPS = {"experiments/papers/jansen/a_star.py"}  # its docstring says why


@cache
def trees():
    files = sorted(ROOT.rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in files}


def is_number(value):
    return isinstance(value, ast.Constant | ast.Tuple | ast.BinOp) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "range"
    )


def outcomes_of(tree):
    """The names of outcomes that a module gives numbers to."""
    given = [node for node in tree.body if isinstance(node, ast.Assign) and is_number(node.value)]
    names = {
        name.id for node in given for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)
    }
    return names & OUTCOMES


def sifts(function):
    """Whether a function climbs in a heap: its loop computes `parent = (child - 1) >> 1`, or `(child - 1) // 2`."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.While)]
    return any(is_parent(node.value) for loop in loops for node in ast.walk(loop) if isinstance(node, ast.Assign))


def is_parent(value):
    halves = isinstance(value, ast.BinOp) and isinstance(value.op, ast.RShift | ast.FloorDiv)
    if not halves or not isinstance(value.left, ast.BinOp) or not isinstance(value.left.op, ast.Sub):
        return False
    return (
        all(isinstance(part, ast.Constant) for part in (value.right, value.left.right)) and value.left.right.value == 1
    )


def heaps_of(tree):
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and sifts(node)}


def test_outcomes_have_their_numbers_in_one_module():
    assert {name: found for name, tree in trees().items() if (found := outcomes_of(tree))} == {
        "kernels/codes.py": {"RUNNING", "FOUND", "EXHAUSTED"}
    }
    assert len({codes.RUNNING, codes.FOUND, codes.EXHAUSTED, codes.FULL}) == 4


def test_there_is_one_heap():
    heaps = {name: found for name, tree in trees().items() if (found := heaps_of(tree))}
    assert heaps.pop("kernels/heap.py") == {"push", "_sift"}
    assert set(heaps) == SPECIAL_HEAPS


@pytest.mark.parametrize(
    "text", ["RUNNING, FOUND, EXHAUSTED, FULL = range(4)", "FOUND = 1", "EXHAUSTED = FULL + 1", "FOUND, FULL = 1, 2"]
)
def test_a_second_definition_of_outcomes_would_be_found(text):
    assert outcomes_of(ast.parse(text))


@pytest.mark.parametrize("parent", ["(child - 1) >> 1", "(child - 1) // 2", "(child - 1) >> 2"])
def test_a_second_heap_would_be_found(parent):
    assert heaps_of(ast.parse(f"def rise(rows, child):\n    while child > 0:\n        parent = {parent}\n")) == {"rise"}
