"""A street in a worker: pedestrians and vehicles with brains, and signals."""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfolk.crowds.brains.lookup import find_brain
from wayfolk.crowds.street.parties import Spawn
from wayfolk.crowds.street.street import Street
from wayfolk.crowds.street.street_map import read_street_map
from wayfolk.crowds.trajectory import Recorder
from wayfolk.errors import NotSupported
from wayfolk.playground.limits import check_size
from wayfolk.playground.panel_scene import Edit, StreetPart
from wayfolk.playground.worlds.bodies import FRAME_SECONDS, BodyStates, BodyWorld
from wayfolk.problem.record import Record
from wayfolk.replay import Track
from wayfolk.replay.bodies import ground_record
from wayfolk.replay.layers import pack_layers
from wayfolk.world.grid import Grid

VEHICLES = ("car", "bus")


class StreetWorld(BodyWorld):
    """The street of a scene, from its start on."""

    def begin(self, grid: Grid) -> None:
        """Begin with an empty street."""
        part = self.scene.street
        assert part is not None, "only scenes with a street come here"
        self.street = street_of(part, self.entry.name, self.scene.seed, self.options)
        self.ground, self.cell = self.street.street_map.open, self.street.street_map.cell
        self.state_names, self.kind_names = self.street.state_names, self.street.kind_names
        posts = self.street.trajectory(Recorder(FRAME_SECONDS)).lamps
        self.posts = [(float(x), float(y)) for x, y in posts]
        self.has_shown = False
        self.arrived = 0

    @property
    def radii(self) -> Any:
        """The radius of everybody who ever was there, in metres."""
        return np.array(self.street.radii)

    @property
    def kinds(self) -> Any:
        """The kind of everybody."""
        return np.array(self.street.kinds, np.int64)

    @property
    def lamps(self) -> list[tuple[float, float]]:
        """The places of the signals."""
        return self.posts

    def walk(self) -> None:
        """Let everybody walk and drive."""
        self.street.advance(max(1, round(FRAME_SECONDS / self.street.step_seconds)))
        self.arrived = self.street.arrived

    def moment(self) -> BodyStates:
        """Who is where, and what their brains do."""
        latest = _Latest(FRAME_SECONDS)
        self.street.record(latest)
        return latest.moment

    def overlay(self) -> dict[str, Any] | None:
        """The lanes and crossings, once."""
        if self.has_shown:
            return None
        self.has_shown = True
        return {"layers": pack_layers([self.street.street_map.layer()], self._ground(), 1.0), "moves": None}

    def _ground(self) -> Record:
        return ground_record(self.trajectory())

    @property
    def track(self) -> Track:
        """The last minutes, as a panel of a replay."""
        return Track(self.entry.label, self.trajectory(), layers=(self.street.street_map.layer(),))

    def change(self, edit: Edit) -> None:
        """Nothing of a street can be changed while it runs but the model that moves pedestrians."""
        raise NotSupported("the street is as it is drawn, and who comes goes where it wants: change the scene instead")


class _Latest(Recorder):
    """Keeps the latest moment alone."""

    moment: BodyStates

    def add(
        self, agents: Any, places: Any, headings: Any, states: Any = None, lamps: Any = ()
    ) -> None:  # fmt: skip
        """Keep a moment."""
        self.moment = BodyStates(np.asarray(agents, np.int64), places, headings, states, np.array(lamps, np.uint8))


def street_of(part: StreetPart, model: str, seed: int, options: dict[str, Any]) -> Street:
    """The street that `part` describes; raises in one sentence if it is none."""
    lines = part.drawing.strip("\n").splitlines()
    check_size(max(map(len, lines), default=0), len(lines))
    street_map = read_street_map(part.drawing, part.cell)
    spawns = [
        Spawn(
            find_brain(each.brain)(**each.settings), each.rate, each.brain in VEHICLES, speed=each.speed,
            radius=each.radius,
        )
        for each in part.coming
    ]  # fmt: skip
    signals = {k: find_brain("signal")(**part.signal) for k in range(street_map.n_crossings)}
    return Street(street_map, spawns, signals=signals, model=model, seed=seed, **options)
