"""Wayfolk: a workbench for multi-agent pathfinding.

    import wayfolk as wf

    grid = wf.read_map("den312d.map")
    path = wf.find_path(grid, (3, 4), (50, 60), "astar")
    problem = wf.read_scen("den312d-random-1.scen", grid, agents=200)
    result = wf.solve(problem, seconds=10)
    assert not wf.check(result.plan, problem)

Names are loaded when they are first used: importing the package loads neither numba nor numpy. `__init__.pyi` lists them.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

with open(f"{__file__}i", encoding="utf-8") as _stub:  # __init__.pyi; pathlib takes longer to import than all of this
    _ROWS = [line.split() for line in _stub]
_HOME = {row[3]: f"wayfolk{row[1]}" for row in _ROWS if row[:1] == ["from"]}
"""For each public name, the module or package that holds it."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wayfolk' has no attribute {name!r}")
    home = import_module(_HOME[name])
    value = getattr(home, name) if hasattr(home, name) else import_module(f"{_HOME[name]}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
