"""Check: one promise of a family's contract, as a function that raises `Broken` in a sentence if it does not hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from wayfolk.algorithms.catalogue import Entry
from wayfolk.contracts.reference import picture, steps_from
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid, Moves


class Broken(AssertionError):
    """A promise that does not hold, in a sentence."""


class Case(NamedTuple):
    """An algorithm, and the options it is checked with."""

    entry: Entry
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the algorithm and its options, for test names and tables."""
        return "-".join([self.entry.name, *(f"{name}={value}" for name, value in self.options.items())])


class Draw(Protocol):
    """Draws small worlds and numbers; `note` keeps a text that is shown if the check fails."""

    def grid(self, moves: Sequence[Moves], max_side: int) -> Grid:
        """A map of up to `max_side` rows and columns, with one of the move rules and at least one free cell."""

    def problem(self, max_agents: int, max_side: int) -> Problem:
        """Up to `max_agents` in a small map, each able to reach its goal were it alone."""

    def number(self, least: int, most: int) -> int:
        """A number from `least` to `most`."""

    def one_of(self, items: Sequence[Any]) -> Any:
        """One of `items`."""

    def some_of(self, items: Sequence[Any], most: int) -> list[Any]:
        """Up to `most` of `items`, each once."""

    def note(self, text: str) -> None:
        """Keep `text`."""


@dataclass(frozen=True)
class Check:
    """A named promise. `run(case)` or, if it is `drawn`, `run(case, draw)` raises if it does not hold.

    `needs` is the fact without which the promise is not made: such a check may fail. It is run where `applies(case)`.
    """

    name: str
    run: Callable[..., None]
    drawn: bool
    needs: str
    applies: Callable[[Case], bool]


def registered_in(checks: list[Check]) -> Callable[..., Callable[[Callable[..., None]], Callable[..., None]]]:
    """A decorator `check(name, drawn=False, needs="", applies=...)` that adds a function to `checks`."""

    def check(
        name: str, *, drawn: bool = False, needs: str = "", applies: Callable[[Case], bool] = lambda case: True
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        def add(run: Callable[..., None]) -> Callable[..., None]:
            checks.append(Check(name, run, drawn, needs, applies))
            return run

        return add

    return check


def expect(holds: Any, sentence: str) -> None:
    """Raise `Broken` with `sentence` unless `holds`."""
    if not holds:
        raise Broken(sentence)


def expect_no_faults(faults: Sequence[object], what: str) -> None:
    """Raise `Broken` with the first of the judge's `faults` of `what`, unless there are none."""
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise Broken(f"{what} is not legal: {faults[0]}{more}")


def expect_error(kind: type[Exception], words: str, call: Callable[[], Any]) -> None:
    """Raise `Broken` unless `call` raises an error of this kind whose sentence has `words` in it."""
    try:
        call()
    except kind as error:
        expect(words in str(error), f"the error should say {words!r}, but says {str(error)!r}")
    else:
        raise Broken(f"there should be a {kind.__name__} that says {words!r}")


def near(one: float, other: float, slack: float = 1e-9) -> bool:
    """Whether two costs differ by rounding at most."""
    return one == other or abs(one - other) <= slack


def close(one: float, other: float) -> bool:
    """Whether two costs are the same to six digits."""
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)


def moves_of(entry: Entry) -> list[Moves]:
    """The move rules that an algorithm works with."""
    return [Moves.of(name) for name in entry.facts.get("MOVES", [moves.value for moves in Moves])]


def query(case: Case, draw: Draw, max_side: int) -> tuple[Grid, int, int]:
    """A small world and two of its free cells."""
    grid = draw.grid(moves_of(case.entry), max_side)
    start, goal = (int(draw.one_of(grid.free_cells.tolist())) for _ in range(2))
    draw.note(picture(grid, [start], [goal]))
    return grid, start, goal


class DrawnByRandom:
    """A `Draw` by a random number generator."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.notes: list[str] = []

    def grid(self, moves: Sequence[Moves], max_side: int) -> Grid:
        """A map with a random share of walls."""
        rule = self.one_of(moves)
        height, width = self.rng.integers(1, max_side + 1, 2)
        free = self.rng.random((height, width)) >= self.rng.choice([0.0, 0.2, 0.4, 0.6])
        if not free.any():
            free[0, 0] = True
        grid = Grid(free, rule)
        self.note(picture(grid))
        return grid

    def problem(self, max_agents: int, max_side: int) -> Problem:
        """Agents whose goals are drawn from what they can reach."""
        grid = self.grid(list(Moves), max_side)
        cells = grid.free_cells.tolist()
        n_agents = self.number(1, min(max_agents, len(cells)))
        starts = self.rng.choice(cells, n_agents, replace=False).tolist()
        goals: list[int] = []
        for start in starts:
            left = sorted(set(steps_from(grid, start)) - set(goals))
            if not left:
                break
            goals.append(self.one_of(left))
        starts = starts[: len(goals)]
        self.note(picture(grid, starts, goals))
        return Problem(grid, np.array(starts, np.int32), np.array(goals, np.int32)[:, None])

    def number(self, least: int, most: int) -> int:
        """A number from `least` to `most`."""
        return int(self.rng.integers(least, most + 1))

    def one_of(self, items: Sequence[Any]) -> Any:
        """One of `items`."""
        return items[int(self.rng.integers(len(items)))]

    def some_of(self, items: Sequence[Any], most: int) -> list[Any]:
        """Up to `most` of `items`, each once."""
        n = self.number(0, min(most, len(items)))
        return [items[k] for k in self.rng.choice(len(items), n, replace=False)]

    def note(self, text: str) -> None:
        """Keep `text`."""
        self.notes.append(text)
