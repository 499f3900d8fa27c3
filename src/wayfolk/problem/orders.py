"""Orders: what a fleet has to do, one after another. Each is a list of places that one robot visits in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Order:
    """Visit the `stops` in turn: a pickup and a delivery, or more. It can be given to a robot from `release` on.

    A stop is a cell of a square grid; in other worlds it is the name of a node.
    `vehicle` is the class of robots that the order is for; for now all robots are of one class, called "".
    """

    stops: tuple[Any, ...]
    release: float = 0.0
    name: str = ""
    vehicle: str = ""
