"""The map of a scene in which all agents are points on a map of squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfolk.files.toml import as_written
from wayfolk.kernels.codes import BLOCK, FREE
from wayfolk.problem import events
from wayfolk.problem.events import Event
from wayfolk.simulation.scene.scene_map import NONE, AnyTable, Cells, SceneMap
from wayfolk.world.grid import Grid


class SceneGrid(SceneMap):
    """A map of squares for points."""

    def __init__(self, grid: Grid, *, opens: bool = False) -> None:
        self.states = self.grid = grid
        self.opens = opens
        self.taken = np.zeros(grid.n_cells, np.bool_)
        """Starts and goals, so that no other is drawn there."""
        self.edits: list[Event] = []

    def kind(self, table: AnyTable) -> int:
        """All agents are points."""
        return 0

    def stands(self, cells: Cells) -> Cells:
        """The same cells."""
        return cells

    def take(self, cells: Cells) -> None:
        """Let no start or goal be drawn there."""
        self.taken[cells] = True

    def begin(self, table: AnyTable, cells: Cells) -> None:
        """Take the starts that a group lists."""
        self.take(cells)

    def area(self, table: AnyTable, key: str) -> Cells:
        """The free cells of an area; there must be some."""
        cells = cells_of_area(self.grid, table, key)
        kept: Cells = cells[self.grid._free[cells]]
        if cells.size and not kept.size:
            table.complain(key, f"{key} {list(getattr(table.values, key))} holds nothing but walls")
        return kept

    def area_or_places(self, table: AnyTable) -> Cells:
        """What `places` or `area` say; they may be walls."""
        if not says_where(table):
            return NONE
        if "area" in table:
            return cells_of_area(self.grid, table, "area")
        return self.grid.cells(
            [place for place in table.values.places or [] if self._is_inside(table, "places", place)]
        )

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

    def scatter(self, table: AnyTable, key: str, kinds: list[int], rng: np.random.Generator) -> Cells:
        """Random goals in an area for agents of these kinds, fewer if they do not fit."""
        area = self.area(table, key)
        if 0 < area.size < len(kinds):
            table.complain(key, f"{len(kinds)} goals do not fit: there are {area.size} free cells")
        return rng.permutation(area)[: len(kinds)]

    def changes(self, table: AnyTable, kind: str, when: float) -> list[Event]:
        """An event for each cell that is blocked or freed; there are no lanes."""
        if kind in ("close", "open"):
            table.complain("lanes", "this world has no lanes to close and open: block and free its cells")
            return []
        change = events.block if kind == "block" else events.free
        return [change(when, [self.grid.place(cell)]) for cell in self.area_or_places(table).tolist()]

    def _is_inside(self, table: AnyTable, key: str, place: Any) -> bool:
        if not isinstance(place, tuple) or len(place) != 2 or isinstance(place[1], str):
            table.complain(key, f"{key} should hold a place [x, y] on this map, not {as_written(place)}")
            return False
        is_inside = _holds(self.grid, place)
        if not is_inside:
            table.complain(key, f"{place} is outside the {self.grid.width} x {self.grid.height} map")
        return is_inside

    def _node(self, table: AnyTable, key: str, place: Any, when: float, kind: int) -> int | None:
        if not self._is_inside(table, key, place):
            return None
        kinds = [event.kind for event in self.edits if event.time <= when and place in event.places]
        is_free = kinds[-1] == FREE if kinds else self.grid.is_free(self.grid.cell(place))
        if not is_free:
            then = f" at time {when:g}" if BLOCK in kinds else ""
            table.complain(key, f"{place} of {key} is in a wall{then}")
        return self.grid.cell(place) if is_free else None


def says_where(table: AnyTable) -> bool:
    """Whether a table has `places` or an `area`, and not both; complains if not."""
    if "places" not in table and "area" not in table:
        table.complain("", "places or area must say where")
    return table.only_one("places", "area")


def cells_of_area(grid: Grid, table: AnyTable, key: str) -> Cells:
    """All cells of an area, walls too; none, and a complaint, if it reaches out of the map."""
    area = getattr(table.values, key)
    if area is None:
        return NONE
    x, y, width, height = area
    if not (_holds(grid, (x, y)) and _holds(grid, (x + width - 1, y + height - 1))):
        table.complain(key, f"{key} {list(area)} reaches out of the {grid.width} x {grid.height} map")
        return NONE
    rows, columns = np.mgrid[y : y + height, x : x + width]
    return grid.cells(np.stack([columns.ravel(), rows.ravel()], 1))


def _holds(grid: Grid, place: tuple[int, int]) -> bool:
    return bool(0 <= place[0] < grid.width and 0 <= place[1] < grid.height)
