"""Trace: what one search did, in order, as rows for a replay."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfolk.problem.layers import Layer
from wayfolk.problem.result import Result
from wayfolk.world.grid import Grid

OPENED, CLOSED, FORGOTTEN, LEARNED, SCANNED, OPENED_BACK, CLOSED_BACK = range(7)
ROW_KINDS = ("opened", "closed", "forgotten", "learned", "scanned", "opened back", "closed back")
ROW = np.dtype(
    [("time", "f8"), ("kind", "u1"), ("cell", "i4"), ("other", "i4"), ("g", "f4"), ("h", "f4")]
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Trace:
    """The rows of a search from `start` to `goal`, by time; `rows` is an array of the type ROW.

    kind          cell                  other                   g, h
    OPENED        generated, or         its parent              as known now
                  reached at less cost
    CLOSED        expanded              NOWHERE                 NaN
    FORGOTTEN     neither any more      NOWHERE                 NaN
    LEARNED       with a new heuristic  NOWHERE                 h
    SCANNED       first of a run        last of it              NaN
    OPENED_BACK, CLOSED_BACK: the same for the search from the goal, of a bidirectional one

    A search is timed in expansions: the n-th one happens at time n. A real-time search is timed in moves: the plan for the
    n-th move is made between n - 1 and n, and then the agent moves. `walk` are the cells of its agent, one for each move,
    the start first; of other searches it is empty. `leaps` says that a path goes from a parent diagonally first, then
    straight. `label` is the name of the algorithm as papers write it. `is_whole` is False if the search was stopped early.
    """

    grid: Grid
    start: int
    goal: int
    rows: NDArray[np.void]
    end: float
    result: Result
    walk: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    leaps: bool = False
    is_whole: bool = True
    layers: tuple[Layer, ...] = ()
    label: str = ""

    @property
    def unit(self) -> str:
        """What time counts."""
        return "moves" if len(self.walk) else "expansions"

    def of(self, kind: int) -> NDArray[np.void]:
        """The rows of one kind."""
        rows: NDArray[np.void] = self.rows[self.rows["kind"] == kind]
        return rows

    def __repr__(self) -> str:
        return f"Trace({self.result.algorithm}, {self.end:.0f} {self.unit}, {len(self.rows)} rows)"
