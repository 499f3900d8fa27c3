"""Brains by name: those of the package by their names, others in Python files."""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from wayfolk.crowds.brains import built_in
from wayfolk.crowds.brains.brain import Brain
from wayfolk.errors import BadInput, UnknownName, hint
from wayfolk.files.raw import read_bytes, reason, shown


def brain_names() -> list[str]:
    """The names of the brains of the package, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(built_in.__path__))


def find_brain(name: str, folder: Path = Path()) -> type[Brain]:
    """The brain called `name`: one of the package, `FILE.py` with one brain in it, or `FILE.py:Name`.

    A file is looked for in `folder`, if its path is not absolute.
    """
    if is_brain_file(name):
        path, _, wanted = name.partition(":") if ".py:" in name else (name, "", "")
        return _only(_run(folder / path, path), path, wanted)
    if name.lower() not in brain_names():
        raise UnknownName(f"there is no brain {shown(name)}{hint(name, brain_names())}")
    return _only(import_module(f"{built_in.__name__}.{name.lower()}"), name, "")


def is_brain_file(name: str) -> bool:
    """Whether `name` is that of a Python file, which is run to find the brain in it."""
    return name.endswith(".py") or ".py:" in name


def _run(file: Path, shown_as: str) -> ModuleType:
    """The module in `file`; what goes wrong in it is one sentence."""
    text = bytes(read_bytes(file, BadInput))
    spec = importlib.util.spec_from_loader(f"wayfolk_brain_{file.stem}", loader=None, origin=str(file))
    assert spec is not None, "a spec without a loader is always made"
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(file)
    try:
        exec(compile(text, str(file), "exec"), module.__dict__)
    except BadInput as error:
        raise BadInput(f"{shown_as}: {error}") from None
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BadInput(f"{shown_as}{line}: not Python: {said}") from None
    except Exception as error:
        raise BadInput(f"{shown_as}{_line_in(file)}: {type(error).__name__}: {reason(error)}") from None
    return module


def _line_in(file: Path) -> str:
    """The line of `file` at which the present exception was raised."""
    trace, line = sys.exc_info()[2], 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f", line {line}" if line else ""


def _only(module: ModuleType, where: str, wanted: str) -> type[Brain]:
    """The brain that `module` defines; there must be one, or one called `wanted`."""
    found = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Brain) and value.__module__ == module.__name__
    }
    if wanted:
        if wanted not in found:
            raise UnknownName(f"{where} has no brain {wanted!r}{hint(wanted, found)}")
        return found[wanted]
    if not found:
        raise BadInput(f"{where} has no brain: write a class with Brain as its base")
    if len(found) > 1:
        raise BadInput(f"{where} has {len(found)} brains: choose one, for example {where}:{min(found)}")
    return next(iter(found.values()))
