"""Bodies in a worker, which walk while the page looks: those of a crowd (`crowd.py`) and of a street (`street.py`)."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections import deque
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.catalogue import Entry
from wayfolk.crowds.trajectory import Recorder, Trajectory
from wayfolk.errors import WayfolkError
from wayfolk.kernels.codes import DX, DY
from wayfolk.playground.algorithms import checked_options
from wayfolk.playground.frames import NEWCOMER, NO_PAIRS, BodyStep, steps_frame
from wayfolk.playground.panel_scene import Edit, PanelScene
from wayfolk.problem.record import KINDS
from wayfolk.replay import Track
from wayfolk.replay.bodies import GAP, MOST_STEPS
from wayfolk.world.grid import Grid

FRAME_SECONDS = 0.1
KEPT_FRAMES = 3000  # for exports: five minutes
KEPT_ROWS = 4_000_000  # places of bodies in them, all together

Floats = NDArray[np.float64]


class BodyStates(NamedTuple):
    """Who is there, where (in metres), and what their brains and the lamps do."""

    agents: NDArray[np.int64]
    places: Floats
    headings: Floats
    states: NDArray[np.uint8]
    lamps: NDArray[np.uint8]


class BodyWorld(ABC):
    """Bodies that move frame by frame, and how to tell the page where they are."""

    def __init__(self, scene: PanelScene, grid: Grid, entry: Entry) -> None:
        self.scene, self.entry = scene, entry
        self.options = checked_options(entry, dict(scene.options))
        self.step = self.arrived = self.known = 0
        self.kept: deque[BodyStates] = deque()
        self.kept_rows = 0
        self.begin(grid)

    state_names: tuple[str, ...] = ()
    kind_names: tuple[str, ...] = ("agent",)
    radii: Any
    kinds: Any
    cell: float
    ground: Grid

    @abstractmethod
    def begin(self, grid: Grid) -> None:
        """Begin anew on `grid`."""

    @abstractmethod
    def walk(self) -> None:
        """Let FRAME_SECONDS pass."""

    @abstractmethod
    def moment(self) -> BodyStates:
        """Who is where."""

    @abstractmethod
    def change(self, edit: Edit) -> None:
        """Change something; raises in one sentence if that is not possible."""

    @property
    def grid(self) -> Grid:
        """The map as it is."""
        return self.ground

    @property
    def is_over(self) -> bool:
        """Whether nobody is left."""
        return False

    @property
    def lamps(self) -> list[tuple[float, float]]:
        """The places of traffic signals, in metres."""
        return []

    @property
    def scale(self) -> int:
        """The number of steps in a cell, in which places of bodies are written."""
        return int(min(MOST_STEPS, (GAP - 2) // max(self.ground.width, self.ground.height)))

    def new_goals(self) -> NDArray[np.int32]:
        """Goals that the page does not know: rows of agent and cell."""
        return NO_PAIRS

    def new_walls(self) -> NDArray[np.int32]:
        """Changes of the map that the page does not know: rows of cell, and whether there is a wall."""
        return NO_PAIRS

    def overlay(self) -> dict[str, Any] | None:
        """What the page shows of the ground itself and does not have yet, for JSON."""
        return None

    def head(self) -> dict[str, Any]:
        """What the page has to know before the first frame."""
        self.known = 0
        grid = self.ground
        lamps = np.round(np.array(self.lamps, np.float64).reshape(-1, 2) / self.cell, 3)
        return {
            "width": grid.width, "height": grid.height, "step": self.step, "agents": 0, "diagonal": grid.diagonal,
            "diagonals": True, "kinds": list(KINDS), "directions": [list(way) for way in zip(DX, DY, strict=True)],
            "walls": base64.b64encode(np.packbits(~grid.free).tobytes()).decode(),
            "bodies": {
                "seconds": FRAME_SECONDS, "cell": self.cell, "steps": self.scale, "states": list(self.state_names),
                "kinds": list(self.kind_names), "lamps": lamps.tolist(), "walls": [], "frames": 1, "rows": 0,
            },
        }  # fmt: skip

    def frame(self, panel: int) -> bytes:
        """Everything as it is now."""
        return steps_frame(panel, [self.body_step(0.0)])

    def advance(self) -> BodyStep:
        """Let a frame pass."""
        began = perf_counter()
        self.walk()
        self.step += 1
        return self.body_step(perf_counter() - began)

    def body_step(self, seconds: float) -> BodyStep:
        """What the page has to know of now."""
        now = _sorted(self.moment())
        self.kept.append(now)
        self.kept_rows += len(now.agents)
        while self.kept_rows > KEPT_ROWS or len(self.kept) > KEPT_FRAMES:
            self.kept_rows -= len(self.kept.popleft().agents)
        n = len(self.radii)
        new = np.zeros(n - self.known, NEWCOMER)
        new["agent"] = np.arange(self.known, n)
        new["radius"] = np.asarray(self.radii[self.known :], np.float64) / self.cell
        new["kind"] = self.kinds[self.known :]
        self.known = n
        places = np.clip(np.rint(now.places / self.cell * self.scale), 0, GAP - 1).astype(np.uint16)
        turns = np.rint(now.headings / (2 * np.pi) * 256).astype(np.int64) % 256
        return BodyStep(
            self.step, seconds, self.arrived, now.agents, places, headings=turns.astype(np.uint8), states=now.states,
            lamps=now.lamps, new=new, goals=self.new_goals(), walls=self.new_walls(),
        )  # fmt: skip

    def edit(self, edit: Edit) -> bool:
        """Change something; whether the page must begin anew, because agents have new numbers."""
        if edit.do != "options":
            self.change(edit)
            return False
        before, self.options = self.options, checked_options(self.entry, dict(edit.options))
        try:
            self.begin(self.ground)
        except WayfolkError:
            self.options = before
            raise
        self.kept.clear()
        self.kept_rows = 0
        return True

    @property
    def track(self) -> Track:
        """The last minutes, as a panel of a replay."""
        return Track(self.entry.label, self.trajectory())

    def trajectory(self) -> Trajectory:
        """The last minutes."""
        recorder = Recorder(FRAME_SECONDS, grid=self.ground, cell=self.cell)
        for moment in self.kept:
            recorder.add(moment.agents, moment.places, moment.headings, moment.states, moment.lamps)
        return recorder.trajectory(
            np.asarray(self.radii, np.float64), state_names=self.state_names, kinds=np.asarray(self.kinds, np.uint8),
            kind_names=self.kind_names, lamps=self.lamps,
        )  # fmt: skip


def _sorted(moment: BodyStates) -> BodyStates:
    """The same, by the numbers of the bodies: so the page finds them quickly."""
    order = np.argsort(moment.agents, kind="stable")
    agents, places, headings, states, lamps = moment
    return BodyStates(agents[order], places[order], headings[order], states[order], lamps)
