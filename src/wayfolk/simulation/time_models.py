"""The time models of simulations: how long a tick lasts, and which controllers know which model."""

from __future__ import annotations

from wayfolk.algorithms.entry import Entry
from wayfolk.errors import BadInput, NotSupported
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import DISTANCE, STEPS, TURNS

TICKS = {STEPS: 1.0, DISTANCE: 0.03, TURNS: 1.5}


def models_of(entry: Entry) -> tuple[str, ...]:
    """The time models in which a controller works: its fact MODELS, or those in which agents act at the same time."""
    models: tuple[str, ...] = entry.facts.get("MODELS", (STEPS, DISTANCE))
    return models


def checked_tick(model: str, tick: float | None, entry: Entry, problem: Problem) -> float:
    """The time between two ticks of `model`: `tick`, or the usual one; raises unless the controller knows the model.

    Only points on a square grid know other models than `steps`.
    """
    if model not in TICKS:
        raise BadInput(f"there is no time model {model!r}: choose {', '.join(TICKS)}")
    if tick is not None and not (model == DISTANCE and 0 < tick <= 1):
        raise BadInput(f"tick must be above 0 and at most 1, in the model {DISTANCE}; not {tick}")
    if model not in models_of(entry):
        raise NotSupported(f"{entry.name} knows the time model {' and '.join(models_of(entry))} only, not {model}")
    if model != STEPS and not problem.is_plain:
        raise NotSupported(
            f"the time model {model} is for points on square grids: other worlds and bodies have {STEPS}"
        )
    return TICKS[model] if tick is None else tick
