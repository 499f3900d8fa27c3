"""Calls name their arguments: nine positional arrays of one type are nine chances to swap two of them unnoticed."""

import ast
import inspect
from pathlib import Path

import pytest

import wayfolk
from wayfolk.algorithms.search._best_first import Request
from wayfolk.kernels import best_first

HOME = Path(wayfolk.__file__).parent
MOST = 8  # positional arguments of a call


def long_calls(source: str) -> list[tuple[int, str]]:
    """The calls in `source` with more than `MOST` positional arguments: line and callee."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and len(node.args) > MOST]
    return sorted((call.lineno, ast.unparse(call.func)) for call in calls)


def test_no_call_passes_nine_positional_arguments():
    files = sorted(HOME.rglob("*.py"))
    assert files
    assert not [
        f"{file.relative_to(HOME)}:{line}: {callee}"
        for file in files
        for line, callee in long_calls(file.read_text(encoding="utf-8"))
    ]


def test_a_long_call_is_noticed():
    eight = "1, 2, 3, 4, 5, 6, 7, 8"
    source = f"named({eight}, nine=9)\nlong(\n    {eight}, 9\n)\nunpacked({eight}, *rest)\n"
    assert long_calls(source) == [(2, "long"), (5, "unpacked")]


@pytest.mark.plain
def test_machine_code_called_by_position_takes_a_request_last():
    parameters = list(inspect.signature(getattr(best_first.search, "py_func", best_first.search)).parameters)
    assert tuple(parameters[-len(Request._fields) :]) == Request._fields
