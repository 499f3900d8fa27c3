"""BMAA*-c: BMAA* that pushes whoever rests on its goal out of the way.

Sigurdson, Bulitko, Yeoh, Hernandez and Koenig, "Multi-agent pathfinding with real-time heuristic search", CIG 2018;
Bakos, slides of the same title, 2022.

Finds    what `bmaa` finds with `push`.
Keeps    what `bmaa` keeps.
Takes    what `bmaa` takes.
Differs  the slides' legend has the two letters the wrong way round: f is flow and c is push.
"""

from typing import Literal

from wayfolk.controllers import Controller, bmaa
from wayfolk.problem import Problem

PAPER = "Sigurdson, Bulitko, Yeoh, Hernandez and Koenig 2018"
OPTIMAL = False
COMPLETE = False
SEES = "vision"


def begin(
    problem: Problem,
    *,
    seed: int = 0,
    expansions: int = 32,
    moves: int = 32,
    vision: float = 1.4142135623730951,
    order: Literal["fixed", "rotated", "shuffled"] = "fixed",
) -> Controller:
    """See `bmaa`."""
    return bmaa.begin(problem, seed=seed, expansions=expansions, moves=moves, vision=vision, order=order, push=True)
