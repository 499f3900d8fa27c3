"""Compiled controllers: a controller's arrays, and the function that plans with them inside the referee's loop.

A call from Python to compiled code and back costs more than the search for one path. A controller whose planning is a
kernel therefore hands the referee a NamedTuple of its arrays and registers the function

    plan_routes(arrays, crew, log, now) -> how many of the asked agents, in order, have a route now

for the type of that NamedTuple (see `wayfolk.kernels.graph` for the recipe, and docs/add-an-algorithm.md for a complete
example). It reads the `crew` and the rows of the `log` so far, and answers by the functions of `wayfolk.kernels.crew`. If
fewer agents have a route than asked for one, the referee returns to Python: there a compiled controller makes room in its
arrays, and one that is written in Python decides.

A step in which many agents plan can take seconds. So that a deadline or Ctrl-C need not wait for its end, a function that
has expanded SLICE nodes in one call may return as if its arrays were full, and go on where it was when it is called again;
`make_room` has nothing to do then.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from wayfolk.compile.jit import specialise

SLICE = 1 << 16
"""Nodes expanded in one call, some hundredths of a second, after which a controller that can go on later returns."""
_PLANNERS: dict[type, Callable[..., Any]] = {}


class AskPython(NamedTuple):
    """The arrays of controllers that are written in Python."""

    nothing: int = 0


def planned_by(kind: type, plan: Callable[..., Any]) -> None:
    """Register the function, plain Python to be compiled, that plans with arrays of the type `kind`."""
    _PLANNERS[kind] = plan


def plan_routes(arrays: Any, crew: Any, log: Any, now: Any) -> Any:
    """Give routes to the asked agents; how many of them, in order, have one now."""
    return _PLANNERS[type(arrays)](arrays, crew, log, now)


specialise(plan_routes, _PLANNERS)


def _ask_python(arrays, crew, log, now):
    return 0


planned_by(AskPython, _ask_python)
