"""A search in a worker: it is shown as a whole once it is done. A change begins it anew."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.watching import Watcher, begin_watch
from wayfolk.errors import BadInput, NotSupported
from wayfolk.playground.algorithms import checked_options
from wayfolk.playground.limits import SEARCH_SECONDS
from wayfolk.playground.maps import ends_of, inside, with_terrain
from wayfolk.playground.panel_scene import Edit, PanelScene
from wayfolk.problem.result import NO_LIMIT
from wayfolk.replay import Track, panel_of, tracks_of_searches
from wayfolk.world.grid import Grid

SLICE = 0.1


class SearchWorld:
    """One agent: a search or a real-time search. It is worked on for some time, and then is a track of a replay."""

    def __init__(self, scene: PanelScene, grid: Grid, entry: Entry) -> None:
        self.scene, self.grid, self.entry = scene, grid, entry
        self.options = checked_options(entry, dict(scene.options))
        self.start, self.goal = ends_of(scene, grid)
        self.track: Track | None = None
        self.begin()

    def begin(self) -> None:
        """Begin the search anew."""
        self.watcher: Watcher = begin_watch(self.grid, self.start, self.goal, self.entry, **self.options)
        self.spent = 0.0

    def work(self) -> bool:
        """Search for a moment; whether it is done, and `track` is there."""
        began = now = perf_counter()
        while not self.watcher.is_done and now < began + SLICE:
            self.watcher.advance(NO_LIMIT)
            now = perf_counter()
        self.spent += now - began
        if not self.watcher.is_done and self.spent < SEARCH_SECONDS:
            return False
        self.track = tracks_of_searches([self.watcher.trace()])[0]
        return True

    def edit(self, edit: Edit) -> bool:
        """Change the scene, and begin anew; raises in one sentence if that is not possible."""
        before = self.grid, self.options, self.start, self.goal
        try:
            self.change(edit)
            self.begin()
        except Exception:
            self.grid, self.options, self.start, self.goal = before
            raise
        self.track = None
        return True

    def change(self, edit: Edit) -> None:
        """Change walls, terrain, start, goal or options."""
        grid = self.grid
        if edit.do in ("block", "free"):
            ends = (self.start, self.goal) if edit.do == "block" else ()
            cells = [grid.cell(place) for place in inside(grid, edit.cells) if place not in ends]
            self.grid = grid.with_blocked(cells) if edit.do == "block" else grid.with_freed(cells)
        elif edit.do == "terrain":
            self.grid = with_terrain(grid, edit.cells, edit.cost)
        elif edit.do == "options":
            self.options = checked_options(self.entry, dict(edit.options))
        elif edit.do in ("put", "goal"):
            if not inside(grid, [edit.place]) or not grid.is_free(grid.cell(edit.place)):
                raise BadInput(f"there is a wall at {edit.place}")
            if edit.do == "put":
                self.start = edit.place
            else:
                self.goal = edit.place
        else:
            raise NotSupported("that cannot be done to a search: it has one agent")

    def panel(self) -> dict[str, Any]:
        """The panel, for JSON."""
        assert self.track is not None
        return panel_of(self.track)
