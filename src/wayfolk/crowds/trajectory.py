"""Trajectory: where every body was at every frame, where it was heading, and what its brain was doing.

Lengths are metres, x to the right and y down. The cell (x, y) of the grid covers the square from (x, y) to
(x + 1, y + 1), times `cell`. A frame is recorded every `seconds`. Agents are numbered in the order in which they appear;
an agent that is not there has the place NaN.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, TooLarge, WayfolkError
from wayfolk.files.arrays import Expected, about_of, read_arrays
from wayfolk.files.raw import File, read_bytes, reason, shown, write_bytes
from wayfolk.machine import available_bytes
from wayfolk.world.grid import Grid

FORMAT, VERSION = "wayfolk-trajectory", 1
NO_STATE = 255
"""The code of a body without a brain, or of one that is not there."""

FARTHEST = 1e7  # metres: nothing is farther away
Floats = NDArray[np.float32]
Codes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """`places[frame, agent]` are x and y in metres; `headings` are radians clockwise from east, since y points down.

    states     the code of each brain's state at each frame, an index into `state_names`, or NO_STATE
    radii      of each agent, in metres
    kinds      what each agent is (pedestrian, car, ...), an index into `kind_names`
    walls      segments x1, y1, x2, y2 in metres, in addition to the walls of `grid`
    lamps      places of traffic signals, in metres; `lamp_states[frame, lamp]` are their codes
    seconds    between two frames
    cell       metres of the side of a cell of `grid`
    """

    places: Floats
    headings: Floats
    seconds: float
    radii: Floats
    states: Codes
    state_names: tuple[str, ...] = ()
    kinds: Codes = field(default_factory=lambda: np.zeros(0, np.uint8))
    kind_names: tuple[str, ...] = ("agent",)
    grid: Grid | None = None
    cell: float = 1.0
    walls: Floats = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    lamps: Floats = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    lamp_states: Codes = field(default_factory=lambda: np.zeros((0, 0), np.uint8))
    name: str = ""

    def __post_init__(self) -> None:
        shape = self.places.shape
        if len(shape) != 3 or shape[2] != 2:
            raise BadInput(f"the places of a trajectory are frames x agents x 2, not {shape}")
        for what, length in (("a frame must last some seconds", self.seconds), ("a cell has a side", self.cell)):
            if not 0 < length < FARTHEST:
                raise BadInput(f"{what}, not {length}")
        if self.kinds.size == 0 and shape[1]:
            object.__setattr__(self, "kinds", np.zeros(shape[1], np.uint8))
        if self.lamp_states.size == 0 and len(self.lamps) == 0:
            object.__setattr__(self, "lamp_states", np.zeros((shape[0], 0), np.uint8))
        for name, wanted in (
            ("headings", shape[:2]),
            ("states", shape[:2]),
            ("radii", shape[1:2]),
            ("kinds", shape[1:2]),
            ("walls", (len(self.walls), 4)),
            ("lamps", (len(self.lamps), 2)),
            ("lamp_states", (shape[0], len(self.lamps))),
        ):
            if getattr(self, name).shape != wanted:
                raise BadInput(
                    f"the {name} of this trajectory have the shape {wanted}, not {getattr(self, name).shape}"
                )
        self._check_numbers()

    def _check_numbers(self) -> None:
        """Raise BadInput if a number cannot be a place, a size or a code: what measures and draws uses them as indices."""
        with np.errstate(invalid="ignore"):
            is_far = any((np.abs(numbers) > FARTHEST).any() for numbers in (self.places, self.headings))
        is_missing = np.isnan(self.places)
        if is_far or (is_missing[..., 0] != is_missing[..., 1]).any():
            raise BadInput(f"a place or heading of this trajectory is half there, or farther away than {FARTHEST:g} m")
        for name in ("walls", "lamps", "radii"):
            lengths = getattr(self, name)
            if not (np.abs(lengths) <= FARTHEST).all() or (name == "radii" and (lengths < 0).any()):
                raise BadInput(f"the {name} of this trajectory are not all lengths in metres")
        for name, names in (("kinds", self.kind_names), ("states", self.state_names)):
            codes = getattr(self, name)
            codes = codes[codes != NO_STATE]
            if codes.max(initial=0) >= max(len(names), 1):
                raise BadInput(f"one of the {name} of this trajectory is {codes.max()}, of {len(names)} names")

    @property
    def n_frames(self) -> int:
        """How many frames there are."""
        return len(self.places)

    @property
    def n_agents(self) -> int:
        """How many agents there have been."""
        return int(self.places.shape[1])

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return max(self.n_frames - 1, 0) * self.seconds

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which agents are there, by frame and agent."""
        return ~np.isnan(self.places[..., 0])

    def velocities(self) -> Floats:
        """Metres a second at each frame: the mean over the frames before and after, or over the one that there is."""
        places = self.places.astype(np.float64)
        result = np.full_like(places, np.nan)
        if len(places) > 1:
            steps = np.diff(places, axis=0) / self.seconds
            sums = np.zeros_like(places)
            counts = np.zeros(places.shape[:2])
            known = ~np.isnan(steps[..., 0])
            steps[~known] = 0.0
            sums[:-1] += steps
            sums[1:] += steps
            counts[:-1] += known
            counts[1:] += known
            moved = counts > 0
            result[moved] = sums[moved] / counts[moved][:, None]
        return result.astype(np.float32)

    def save(self, file: File) -> None:
        """Write the trajectory to `file`: .txt or .sqlite as PedPy and JuPedSim read it, else all of it in .npz."""
        from wayfolk.crowds import formats

        suffix = Path(file).suffix.lower()
        write = {".txt": formats.write_text, ".sqlite": formats.write_sqlite}.get(suffix, write_trajectory)
        write(self, file)

    def save_replay(self, file: File) -> None:
        """Write the replay: one HTML page that needs no server, or a film or picture by the ending of the name."""
        from wayfolk.replay import Track, write_replay

        title = self.name or f"{self.n_agents} agents"
        write_replay([Track(title, self)], Path(file), title)

    def _repr_html_(self) -> str:
        from wayfolk.replay import trajectory_frame

        return trajectory_frame(self)

    def __repr__(self) -> str:
        return f"Trajectory({self.n_agents} agents, {self.n_frames} frames, {self.duration:g} s)"


class Recorder:
    """Collects frames while a crowd moves: `add` once a frame, `trajectory` at the end."""

    def __init__(self, seconds: float, *, grid: Grid | None = None, cell: float = 1.0, name: str = "") -> None:
        self.seconds, self.grid, self.cell, self.name = seconds, grid, cell, name
        self._frames: list[tuple[NDArray[np.int32], Floats, Floats, Codes | None, Codes]] = []
        self._n_agents = 0

    def add(
        self,
        agents: ArrayLike,
        places: ArrayLike,
        headings: ArrayLike,
        states: ArrayLike | None = None,
        lamps: ArrayLike = (),
    ) -> None:
        """Record a frame: the numbers of those who are there, their places, headings and brain states."""
        numbers = np.array(agents, np.int32)
        self._n_agents = max(self._n_agents, int(numbers.max(initial=-1)) + 1)
        self._frames.append(
            (
                numbers,
                np.array(places, np.float32).reshape(-1, 2),
                np.array(headings, np.float32),
                None if states is None else np.array(states, np.uint8),
                np.array(lamps, np.uint8),
            )
        )

    def trajectory(
        self,
        radii: ArrayLike,
        *,
        state_names: tuple[str, ...] = (),
        kinds: ArrayLike | None = None,
        kind_names: tuple[str, ...] = ("agent",),
        walls: ArrayLike = (),
        lamps: ArrayLike = (),
    ) -> Trajectory:
        """Return what was recorded; `radii` and `kinds` have an entry for each agent that ever was there."""
        sizes = np.asarray(radii, np.float32)
        n_frames, n_agents = len(self._frames), max(self._n_agents, len(sizes))
        needed = n_frames * n_agents * 13
        if needed > available_bytes():
            raise TooLarge(f"{n_frames} frames of {n_agents} agents need {needed >> 20} MB, more than is free")
        places = np.full((n_frames, n_agents, 2), np.nan, np.float32)
        headings = np.full((n_frames, n_agents), np.nan, np.float32)
        states = np.full((n_frames, n_agents), NO_STATE, np.uint8)
        posts = np.asarray(lamps, np.float32).reshape(-1, 2)
        lamp_states = np.full((n_frames, len(posts)), NO_STATE, np.uint8)
        for frame, (numbers, where, heading, state, lit) in enumerate(self._frames):
            places[frame, numbers] = where
            headings[frame, numbers] = heading
            if state is not None:
                states[frame, numbers] = state
            lamp_states[frame, : len(lit)] = lit
        return Trajectory(
            places=places,
            headings=headings,
            seconds=self.seconds,
            radii=np.pad(sizes, (0, n_agents - len(sizes)), mode="edge") if len(sizes) else sizes,
            states=states,
            state_names=state_names,
            kinds=np.zeros(n_agents, np.uint8) if kinds is None else np.asarray(kinds, np.uint8),
            kind_names=kind_names,
            grid=self.grid,
            cell=self.cell,
            walls=np.asarray(walls, np.float32).reshape(-1, 4),
            lamps=posts,
            lamp_states=lamp_states,
            name=self.name,
        )


ARRAYS: Expected = {
    "places": (np.float32, (None, None, 2)),
    "headings": (np.float32, (None, None)),
    "radii": (np.float32, (None,)),
    "states": (np.uint8, (None, None)),
    "kinds": (np.uint8, (None,)),
    "walls": (np.float32, (None, 4)),
    "lamps": (np.float32, (None, 2)),
    "lamp_states": (np.uint8, (None, None)),
}


def write_trajectory(trajectory: Trajectory, file: File) -> None:
    """Write compressed arrays to `file`, whole or not at all."""
    grid = trajectory.grid
    about: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": trajectory.name,
        "seconds": trajectory.seconds,
        "cell": trajectory.cell,
        "state_names": trajectory.state_names,
        "kind_names": trajectory.kind_names,
    }
    arrays: dict[str, Any] = {name: getattr(trajectory, name) for name in ARRAYS}
    if grid is not None:
        about["map"] = {"name": grid.name, "moves": grid.moves.value}
        arrays["free"] = grid.free
    stream = BytesIO()
    np.savez_compressed(stream, about=np.array(json.dumps(about)), **arrays)
    write_bytes(file, stream.getvalue(), BadInput)


def read_trajectory(file: File) -> Trajectory:
    """Return the trajectory in `file`: .npz, or .txt or .sqlite as JuPedSim writes them."""
    from wayfolk.crowds import formats

    if Path(file).suffix.lower() == ".txt":
        return formats.read_text(file)
    if Path(file).suffix.lower() == ".sqlite":
        return formats.read_sqlite(file)
    data = read_bytes(file, BadInput)
    try:
        arrays = read_arrays(data, {"about": ("U", ()), "free": (np.bool_, (None, None)), **ARRAYS}, optional={"free"})
        about = about_of(arrays, FORMAT, VERSION)
        grid = Grid(arrays["free"], about["map"]["moves"], name=str(about["map"]["name"])) if "free" in arrays else None
        return Trajectory(
            seconds=float(about["seconds"]),
            state_names=_names(about["state_names"]),
            kind_names=_names(about["kind_names"]),
            grid=grid,
            cell=float(about["cell"]),
            name=str(about["name"]),
            **{name: arrays[name] for name in ARRAYS},
        )
    except (WayfolkError, ValueError, KeyError, TypeError, OverflowError) as why:
        raise BadInput(f"{file}: this is no trajectory: {reason(why)}") from None


def _names(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadInput(f"names are a list of texts, not {shown(names)}")
    return tuple(names)
