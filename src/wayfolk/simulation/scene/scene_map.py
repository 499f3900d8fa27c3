"""The map of a scene: which places can be meant, which are taken, and how the map changes as events come."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.files.toml import Place, Table
from wayfolk.kernels.codes import BLOCK, FREE
from wayfolk.problem.events import Event
from wayfolk.world.grid import Grid

Cells = NDArray[np.int32]
NONE = np.zeros(0, np.int32)
AnyTable = Table[Any]


class SceneMap:
    """A map, and what the file says about it so far. Whatever does not fit is complained about, and left out."""

    def __init__(self, grid: Grid, *, opens: bool = False) -> None:
        self.grid, self.opens = grid, opens
        self.taken = np.zeros(grid.n_cells, np.bool_)
        """Starts and goals, so that no other is drawn there."""
        self.edits: list[Event] = []

    def area(self, table: AnyTable, key: str, *, walls: bool = False) -> Cells:
        """The free cells of an area, or all of them; there must be some."""
        area, grid = getattr(table.values, key), self.grid
        if area is None:
            return NONE
        x, y, width, height = area
        if not (self._holds((x, y)) and self._holds((x + width - 1, y + height - 1))):
            table.complain(key, f"{key} {list(area)} reaches out of the {grid.width} x {grid.height} map")
            return NONE
        rows, columns = np.mgrid[y : y + height, x : x + width]
        cells = grid.cells(np.stack([columns.ravel(), rows.ravel()], 1))
        kept = cells if walls else cells[grid._free[cells]]
        if not kept.size:
            table.complain(key, f"{key} {list(area)} holds nothing but walls")
        return kept

    def area_or_places(self, table: AnyTable, *, walls: bool = False) -> Cells:
        """What `places` or `area` say; places may be walls."""
        if "places" not in table and "area" not in table:
            table.complain("", "places or area must say where")
        if not table.only_one("places", "area"):
            return NONE
        if "area" in table:
            return self.area(table, "area", walls=walls)
        places: list[Place] = table.values.places or []
        return self.grid.cells([place for place in places if self._is_inside(table, "places", place)])

    def free(self, table: AnyTable, key: str, when: float = 0.0) -> Cells:
        """The cells of the place or the places `key`, which must be free at the time `when`; none if one is not."""
        value: Place | list[Place] | None = getattr(table.values, key)
        places = [value] if isinstance(value, tuple) else value or []
        is_free = [self._is_free(table, key, place, when) for place in places]
        return self.grid.cells(places) if places and all(is_free) else NONE

    def draw_starts(self, table: AnyTable, count: int, rng: np.random.Generator) -> Cells:
        """`count` cells of the area, or of the whole map, in the largest part of the map that is there."""
        pool = self.area(table, "area") if "area" in table else self.grid.free_cells
        if not pool.size:
            return NONE
        sizes = np.bincount(self.grid.components[self.grid.free_cells])
        parts = np.unique(self.grid.components[pool])
        part = parts[sizes[parts].argmax()]
        pool = pool[(self.grid.components[pool] == part) & ~self.taken[pool]]
        if pool.size < count:
            where = "area" if "area" in table else "count"
            table.complain(where, f"{count} agents do not fit: there are {pool.size} free cells for them")
            return NONE
        cells: Cells = rng.choice(pool, count, replace=False).astype(np.int32)
        self.taken[cells] = True
        return cells

    def draw_goals(self, table: AnyTable, starts: Cells, rng: np.random.Generator) -> Cells:
        """Another goal for each start, in `goal_area` or anywhere, that can be reached; the starts if there is no room."""
        pool = self.area(table, "goal_area") if "goal_area" in table else self.grid.free_cells
        pool = pool[~self.taken[pool]]
        where = "goal_area" if "goal_area" in table else "count"
        goals = starts.copy()
        for part in np.unique(self.grid.components[starts]):
            whose = self.grid.components[starts] == part
            cells = pool[self.grid.components[pool] == part]
            if len(cells) < whose.sum():
                table.complain(where, f"{whose.sum()} goals are needed, and {len(cells)} can be reached")
                return starts
            goals[whose] = rng.choice(cells, int(whose.sum()), replace=False)
        self.taken[goals] = True
        return goals

    def part(self, cell: int) -> int:
        """The number of the part of the map in which `cell` is: within it, every cell can be reached."""
        return int(self.grid.components[cell])

    def parts_of(self, cells: Cells) -> dict[int, int]:
        """The parts of the map in which `cells` are, each with the first of them."""
        parts, first = np.unique(self.grid.components[cells], return_index=True)
        return dict(zip(parts.tolist(), cells[first].tolist(), strict=True))

    def reachable(self, start: int, cells: Cells) -> Cells:
        """Those of `cells` in the same part of the map."""
        return np.asarray(cells[self.grid.components[cells] == self.grid.components[start]])

    def must_reach(self, table: AnyTable, key: str, start: int, cells: Cells) -> None:
        """Complain if one of `cells` can never be reached: it is elsewhere, and no event opens anything."""
        lost = cells[self.grid.components[cells] != self.grid.components[start]]
        if lost.size and not self.opens:
            ends = f"from {self.grid.place(start)} to {self.grid.place(lost[0])}"
            table.complain(key, f"there is no way {ends}, and no event opens one")

    def _holds(self, place: Place) -> bool:
        return bool(0 <= place[0] < self.grid.width and 0 <= place[1] < self.grid.height)

    def _is_inside(self, table: AnyTable, key: str, place: Place) -> bool:
        if not self._holds(place):
            table.complain(key, f"{place} is outside the {self.grid.width} x {self.grid.height} map")
        return self._holds(place)

    def _is_free(self, table: AnyTable, key: str, place: Place, when: float) -> bool:
        if not self._is_inside(table, key, place):
            return False
        kinds = [event.kind for event in self.edits if event.time <= when and place in event.places]
        is_free = kinds[-1] == FREE if kinds else self.grid.is_free(self.grid.cell(place))
        if not is_free:
            then = f" at time {when:g}" if BLOCK in kinds else ""
            table.complain(key, f"{place} of {key} is in a wall{then}")
        return is_free
