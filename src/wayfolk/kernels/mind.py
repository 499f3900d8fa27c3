"""Mind: the compiled form of a controller, called from inside the referee's loop.

Going from Python to compiled code and back costs more than planning a path. A controller whose thinking is a kernel
therefore hands the referee a NamedTuple of its arrays, its mind, and registers the function

    think(mind, crew, log, now) -> how many of the asked agents, in order, have got a route

for that type (see `wayfolk.graph` for the recipe). If that is fewer than were asked, the referee returns to Python, where
the controller makes room or, being written in Python, decides itself.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from wayfolk.kernels.jit import specialise

_THINKS: dict[type, Callable[..., Any]] = {}


class AskPython(NamedTuple):
    """The mind of controllers that are written in Python."""

    nothing: int = 0


def thinking(kind: type, think: Callable[..., Any]) -> None:
    """Register the function, plain Python to be compiled, that thinks with minds of the type `kind`."""
    _THINKS[kind] = think


def think(mind: Any, crew: Any, log: Any, now: Any) -> Any:
    """Give routes to those who ask."""
    return _THINKS[type(mind)](mind, crew, log, now)


specialise(think, _THINKS)


def _ask_python(mind, crew, log, now):
    return 0


thinking(AskPython, _ask_python)
