"""Worlds that are shown as a whole once they are done: a search, and a crowd. A change begins them anew."""

from __future__ import annotations

from abc import ABC, abstractmethod
from time import perf_counter
from typing import Any

import numpy as np

from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.watching import Watcher, begin_watch
from wayfolk.crowds.crowd import Crowd
from wayfolk.errors import BadInput, NotSupported
from wayfolk.playground.asked import Edit, Scene, checked_options
from wayfolk.playground.ground import ends_of
from wayfolk.playground.limits import SEARCH_SECONDS, check_agents
from wayfolk.problem.result import NO_LIMIT
from wayfolk.replay import Track, panel_of, tracks_of_searches
from wayfolk.world.generate import draw_pairs
from wayfolk.world.grid import Grid

SLICE = 0.1
CROWD_SECONDS = 60.0
FRAME_SECONDS = 0.1
METRES = 0.5  # of the side of a cell on which bodies walk


class Whole(ABC):
    """Something that is worked on for some time, and then is a track of a replay."""

    def __init__(self, scene: Scene, grid: Grid, entry: Entry) -> None:
        self.scene, self.grid, self.entry = scene, grid, entry
        self.options = checked_options(entry, dict(scene.options))
        self.track: Track | None = None
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Begin anew."""

    @abstractmethod
    def work(self) -> bool:
        """Work for a moment; whether it is done, and `track` is there."""

    def edit(self, edit: Edit) -> None:
        """Change the scene, and begin anew; raises in one sentence if that is not possible."""
        before = self.grid, self.options
        try:
            self.change(edit)
            self.track = None
            self.begin()
        except Exception:
            self.grid, self.options = before
            raise

    def change(self, edit: Edit) -> None:
        """Change the scene."""
        if edit.do in ("block", "free"):
            inside = [(x, y) for x, y in edit.cells if x < self.grid.width and y < self.grid.height]
            cells = [self.grid.cell(place) for place in inside]
            self.grid = self.grid.with_blocked(cells) if edit.do == "block" else self.grid.with_freed(cells)
        elif edit.do == "options":
            self.options = checked_options(self.entry, dict(edit.options))
        else:
            raise NotSupported("that cannot be done here")

    def panel(self) -> dict[str, Any]:
        """The panel, for JSON."""
        assert self.track is not None
        return panel_of(self.track)


class Searched(Whole):
    """One agent: a search or a real-time search."""

    def __init__(self, scene: Scene, grid: Grid, entry: Entry) -> None:
        self.start, self.goal = ends_of(scene, grid)
        self.watcher: Watcher | None = None
        super().__init__(scene, grid, entry)

    def begin(self) -> None:
        """Begin the search anew."""
        self.watcher = begin_watch(self.grid, self.start, self.goal, self.entry, **self.options)
        self.spent = 0.0

    def work(self) -> bool:
        """Search for a moment."""
        assert self.watcher is not None
        began = now = perf_counter()
        while not self.watcher.is_done and now < began + SLICE:
            self.watcher.advance(NO_LIMIT)
            now = perf_counter()
        self.spent += now - began
        if not self.watcher.is_done and self.spent < SEARCH_SECONDS:
            return False
        self.track = tracks_of_searches([self.watcher.trace()])[0]
        return True

    def change(self, edit: Edit) -> None:
        """Change walls, start, goal or options."""
        if edit.do == "block":
            ends = (self.start, self.goal)
            super().change(edit.model_copy(update={"cells": tuple(place for place in edit.cells if place not in ends)}))
        elif edit.do in ("put", "goal"):
            x, y = edit.place
            if x >= self.grid.width or y >= self.grid.height or not self.grid.is_free(self.grid.cell(edit.place)):
                raise BadInput(f"there is a wall at {edit.place}")
            if edit.do == "put":
                self.start = edit.place
            else:
                self.goal = edit.place
        else:
            super().change(edit)


class Walked(Whole):
    """A crowd of bodies."""

    def begin(self) -> None:
        """Begin with bodies at their starts."""
        check_agents(self.scene.agents)
        if self.scene.journeys:
            places = np.array(self.scene.journeys, np.float64)
            starts, goals = places[:, :2], places[:, 2:]
        else:
            cells = draw_pairs(self.grid, self.scene.agents, seed=self.scene.seed)
            starts, goals = (self.grid.places(each).astype(np.float64) for each in cells)
        self.crowd = Crowd(
            self.grid, self.entry, cell=METRES, ways="flow", leave=True, seed=self.scene.seed, threads=1, **self.options
        )
        self.crowd.add((starts + 0.5) * METRES, (goals + 0.5) * METRES, radius=0.4 * METRES)
        self.steps_per_frame = max(1, round(FRAME_SECONDS / self.crowd.step_seconds))
        self.recorder = self.crowd.recorder(self.steps_per_frame)
        self.crowd.record(self.recorder)
        self.n_steps = 0

    def work(self) -> bool:
        """Let the crowd walk for a moment."""
        until = perf_counter() + SLICE
        last = int(CROWD_SECONDS / self.crowd.step_seconds)
        while self.n_steps < last and self.crowd.n_active and perf_counter() < until:
            self.crowd.step()
            self.n_steps += 1
            if self.n_steps % self.steps_per_frame == 0:
                self.crowd.record(self.recorder)
        if self.n_steps < last and self.crowd.n_active:
            return False
        self.track = Track(self.entry.label, self.recorder.trajectory(self.crowd.radii))
        return True
