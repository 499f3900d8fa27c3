"""The world of a scene for those who read it: which places can be meant, which are taken, and how it changes meanwhile."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.files.toml import Table
from wayfolk.problem.events import Event
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

Cells = NDArray[np.int32]
NONE = np.zeros(0, np.int32)
AnyTable = Table[Any]


class SceneMap(ABC):
    """A world, and what the file says about it so far. Whatever does not fit is complained about, and left out.

    Cells are those of a map of squares on which all agents are points, and nodes of `states` in all other scenes.
    """

    states: Grid | StateGraph
    opens: bool
    """Whether an event opens something, so that any place may be reached later."""
    edits: list[Event]

    @abstractmethod
    def kind(self, table: AnyTable) -> int:
        """The number of the kind of body that a table is about."""

    @abstractmethod
    def stands(self, cells: Cells) -> Cells:
        """The goals of agents that are to be on `cells`."""

    @abstractmethod
    def take(self, cells: Cells) -> None:
        """Let no start or goal be drawn there."""

    @abstractmethod
    def begin(self, table: AnyTable, cells: Cells) -> None:
        """Take the starts that a group lists."""

    @abstractmethod
    def area(self, table: AnyTable, key: str) -> Cells:
        """The free cells of an area; there must be some."""

    @abstractmethod
    def draw_starts(self, table: AnyTable, count: int, rng: np.random.Generator) -> Cells:
        """`count` cells of the area, or of the whole world, in the largest part of the world that is there."""

    @abstractmethod
    def draw_goals(self, table: AnyTable, starts: Cells, rng: np.random.Generator) -> Cells:
        """Another goal for each start, in `goal_area` or anywhere, that can be reached; the starts if there is no room."""

    @abstractmethod
    def scatter(self, table: AnyTable, key: str, kinds: list[int], rng: np.random.Generator) -> Cells:
        """Random goals in an area for agents of these kinds, fewer if they do not fit."""

    @abstractmethod
    def changes(self, table: AnyTable, kind: str, when: float) -> list[Event]:
        """The events of a table that blocks or frees cells, or closes or opens lanes."""

    @abstractmethod
    def _node(self, table: AnyTable, key: str, place: Any, when: float, kind: int) -> int | None:
        """The cell of a place, which must be free at the time `when`; None, and a complaint, if it is not."""

    def free(self, table: AnyTable, key: str, when: float = 0.0, kind: int | None = None) -> Cells:
        """The cells of the place or the places `key`, which must be free at the time `when`; none if one is not."""
        value = getattr(table.values, key)
        places = value if isinstance(value, list) else [] if value is None else [value]
        kind = self.kind(table) if kind is None else kind
        cells = [self._node(table, key, place, when, kind) for place in places]
        return NONE if None in cells else np.array(cells, np.int32)

    def place(self, cell: int) -> Any:
        """The place of a cell."""
        return self.states.place(cell)

    def part(self, cell: int) -> int:
        """The number of the part of the world in which `cell` is: within it, every cell can be reached."""
        return int(self.states.components[cell])

    def parts_of(self, cells: Cells) -> dict[int, int]:
        """The parts of the world in which `cells` are, each with the first of them."""
        parts, first = np.unique(self.states.components[cells], return_index=True)
        return dict(zip(parts.tolist(), cells[first].tolist(), strict=True))

    def reachable(self, start: int, cells: Cells) -> Cells:
        """Those of `cells` in the same part of the world."""
        return np.asarray(cells[self.states.components[cells] == self.states.components[start]])

    def must_reach(self, table: AnyTable, key: str, start: int, cells: Cells) -> None:
        """Complain if one of `cells` can never be reached: it is elsewhere, and no event opens anything."""
        lost = cells[self.states.components[cells] != self.states.components[start]]
        if lost.size and not self.opens:
            ends = f"from {self.place(start)} to {self.place(int(lost[0]))}"
            table.complain(key, f"there is no way {ends}, and no event opens one")
