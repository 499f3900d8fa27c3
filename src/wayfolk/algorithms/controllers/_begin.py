"""Beginning: an entry of the catalogue and its options become a controller."""

from __future__ import annotations

from typing import Any

from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.controllers import Controller
from wayfolk.algorithms.task import seeded
from wayfolk.errors import BadInput
from wayfolk.problem.problem import Problem


def begin_controller(
    entry: Entry, problem: Problem, seed: int, options: dict[str, Any]
) -> tuple[Controller, dict[str, Any]]:
    """The controller that `entry` begins for `problem`, and its options, which are checked here."""
    checked = entry.checked(options)
    controller = entry.load()(problem, **seeded(entry, seed, checked))
    if not isinstance(controller, Controller):
        raise BadInput(
            f"{entry.name} must begin a Controller, not a {type(controller).__name__}: its `begin` returns it"
        )
    return controller, checked
