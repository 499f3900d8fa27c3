"""What a panel of a crowd shows at one time: places, headings and colours of its bodies, and signals. For films."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.trajectory import NO_STATE, Trajectory
from wayfolk.errors import BadInput
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.layers import CellLayer
from wayfolk.replay import colours
from wayfolk.replay.bodies import ground

if TYPE_CHECKING:
    from wayfolk.replay import Track

VEHICLES = ("car", "bus", "tram", "truck", "vehicle")  # kinds with an outline


class BodyMoments:
    """A panel of bodies at any time; lengths are cells, and the middle of the cell (x, y) is (x, y)."""

    trace = None

    def __init__(self, track: Track, trajectory: Trajectory) -> None:
        if not trajectory.n_frames:
            raise BadInput("a trajectory without frames cannot be shown")
        self.track, self.trajectory = track, trajectory
        self.grid, self.shift = ground(trajectory)
        self.n_agents, self.end = trajectory.n_agents, float(trajectory.duration)
        self.radii = trajectory.radii.astype(np.float64) / trajectory.cell
        self.walls = trajectory.walls.astype(np.float64) / trajectory.cell - np.tile(self.shift, 2) - 0.5
        self.lamps = trajectory.lamps.astype(np.float64) / trajectory.cell - self.shift - 0.5
        self.is_vehicle = np.array(
            [trajectory.kind_names[kind] in VEHICLES for kind in trajectory.kinds.tolist()], bool
        )
        self._floor = self._ground_colours()

    def frame(self, t: float) -> int:
        """The frame at `t` or just before it."""
        return int(min(t / self.trajectory.seconds + 1e-6, self.trajectory.n_frames - 1))

    def agents(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The places of all bodies at `t`, between those of two frames, and which of them are there."""
        trajectory, k = self.trajectory, self.frame(t)
        here, there = (trajectory.places[j].astype(np.float64) for j in (k, min(k + 1, trajectory.n_frames - 1)))
        part = min(max(t / trajectory.seconds - k, 0.0), 1.0)
        places = here + part * (np.where(np.isnan(there), here, there) - here)
        return places / trajectory.cell - self.shift - 0.5, ~np.isnan(here[:, 0])

    def headings(self, t: float) -> NDArray[np.float32]:
        """Radians clockwise from east."""
        return np.asarray(np.nan_to_num(self.trajectory.headings[self.frame(t)]), np.float32)

    def hues(self, t: float) -> list[colours.Colour]:
        """The colour of each body: that of its brain's state, or of its kind."""
        names, kinds = self.trajectory.state_names, self.trajectory.kinds.tolist()
        return [
            _hue("" if state == NO_STATE else names[state], kind if state == NO_STATE else state)
            for state, kind in zip(self.trajectory.states[self.frame(t)].tolist(), kinds, strict=True)
        ]

    def lamp_hues(self, t: float) -> list[colours.Colour]:
        """The colour of each signal."""
        names = dict(enumerate(self.trajectory.state_names))
        codes = self.trajectory.lamp_states[self.frame(t)].tolist() if len(self.lamps) else []
        return [colours.LAMPS.get(names.get(code, ""), colours.QUIET) for code in codes]

    def floor(self, t: float) -> NDArray[np.uint8]:
        """The colours of all cells: `[y, x, 3]`."""
        return self._floor

    def _ground_colours(self) -> NDArray[np.uint8]:
        """Walls, floor, and the areas of layers such as the lanes of a street."""
        grid = self.grid
        floor = np.empty((grid.n_cells, 3), np.float64)
        floor[:] = colours.WALL
        floor[grid._free] = colours.FLOOR
        for layer in self.track.layers:
            if isinstance(layer, CellLayer):
                for number, kind in enumerate(layer.kinds):
                    cells = np.flatnonzero((layer.area != NOWHERE) & (layer.kind == number))
                    tone = np.array(colours.TONES.get(kind.tone, colours.QUIET), np.float64)
                    floor[cells] += kind.strength * (tone - floor[cells])
        return np.rint(floor).astype(np.uint8).reshape(-1, grid.stride, 3)[1:-1, 1:-1]


def _hue(name: str, number: int) -> colours.Colour:
    """States that say what a body may do have the colours of a traffic light; others the colours of agents."""
    return colours.LAMPS.get(name, colours.AGENTS[number % len(colours.AGENTS)])
