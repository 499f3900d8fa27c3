"""Every test that waits for a process or a thread does so with a deadline: a program that hangs must not hang the tests."""

import ast
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.rglob("*.py"))
WAITING = {"communicate": 1, "wait": 0, "join": 0}
"""Methods that wait, and which of their arguments is the deadline."""


def without_deadline(tree):
    """The lines of calls that may wait for ever."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if not isinstance(call.func, ast.Attribute) or any(word.arg == "timeout" for word in call.keywords):
            continue
        name, owner = call.func.attr, call.func.value
        starts = ast.unparse(owner) == "subprocess" and name in ("run", "check_output", "check_call", "call")
        waits = name in WAITING and len(call.args) <= WAITING[name] and not isinstance(owner, ast.Constant)
        if starts or waits:
            yield call.lineno


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_waits_have_a_deadline(file):
    assert not list(without_deadline(ast.parse(file.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    "line",
    ["subprocess.run(['x'])", "process.wait()", "process.communicate()", "process.communicate(b'')", "thread.join()"],
)
def test_waits_without_one_are_noticed(line):
    assert list(without_deadline(ast.parse(line))) == [1]


@pytest.mark.parametrize(
    "line",
    ["subprocess.run(['x'], timeout=3)", "process.wait(3)", "process.communicate(timeout=3)", "', '.join(words)"],
)
def test_waits_with_one_are_fine(line):
    assert not list(without_deadline(ast.parse(line)))
