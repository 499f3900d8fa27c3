"""The binary frames from a worker to the page, little-endian, every part at a multiple of four bytes.

u8 kind, u8 panel, u16 n       the head of every frame; `n` is the number of steps

BEGIN   u32 step, u32 agents, i32 cells[agents], i32 goals[agents], u8 walls[ceil(w * h / 8)]
        everything as it is now; cells are those of the padded grid, NOWHERE for an agent that is not there
STEPS   for each step:
        u32 step, f32 seconds, u32 agents, u32 jumps, u32 goals, u32 walls, u32 refused
        i32 (agent, cell)[jumps]     agents that joined, left or were put elsewhere
        i32 (agent, cell)[goals]     new goals
        i32 (cell, is wall)[walls]   changes of the map
        i32 (agent, cell)[refused]   moves that the referee refused
        u8  ops[agents], then zeros  0-7 a move in that direction, STAY; + ARRIVED, + FREED
BODIES  for each step, a frame of a crowd:
        u32 step, f32 seconds, u32 bodies, u32 arrived, u32 new, u32 goals, u32 walls, u32 lamps
        (u32 agent, f32 radius, u32 kind)[new]   radii are in cells
        i32 (agent, cell)[goals]     new goals
        i32 (cell, is wall)[walls]   changes of the map
        u32 agents[bodies]           who is there
        u16 (x, y)[bodies]           in parts of a cell, see `bodies` of what is said at the beginning
        u8  headings[bodies], then zeros   of 256, clockwise from east
        u8  states[bodies], then zeros     of brains
        u8  lamps[lamps], then zeros
AHEAD   u32 step, u32 rows, i32 (agent, cell, steps ahead)[rows]
        what agents have reserved, or where they mean to be
FILE    u32 length of the name, the name, a part of the bytes of a file; the name in UTF-8 with zeros up to a multiple of
        four. `n` is the number of parts that follow: a large file is sent in parts, so that it is nowhere as a whole
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BEGIN, STEPS, FILE, BODIES, AHEAD = 1, 2, 3, 4, 5
STAY, ARRIVED, FREED = 8, 16, 32
"""Ops: an agent stays; it is at its goal; it is not under the controller's control."""

Pairs = NDArray[np.int32]
NO_PAIRS = np.zeros((0, 2), np.int32)
PART = 1 << 18
"""Bytes of a file in one frame."""
NEWCOMER = np.dtype([("agent", "<u4"), ("radius", "<f4"), ("kind", "<u4")])


@dataclass
class Step:
    """What one step changes."""

    step: int
    seconds: float
    ops: NDArray[np.uint8]
    jumps: Pairs
    goals: Pairs
    walls: Pairs
    refused: Pairs

    def packed(self) -> bytes:
        """As bytes."""
        counts = [len(self.ops), len(self.jumps), len(self.goals), len(self.walls), len(self.refused)]
        pairs = (self.jumps, self.goals, self.walls, self.refused)
        return b"".join(
            [_clock(self.step, self.seconds), _words(counts), *map(_words, pairs), _padded(self.ops.tobytes())]
        )


@dataclass
class BodyStep:
    """A frame of a crowd: who is there, where, and what has changed."""

    step: int
    seconds: float
    arrived: int
    agents: NDArray[np.int64]
    places: NDArray[np.uint16]
    headings: NDArray[np.uint8]
    states: NDArray[np.uint8]
    lamps: NDArray[np.uint8]
    new: NDArray[np.void]
    goals: Pairs
    walls: Pairs

    def packed(self) -> bytes:
        """As bytes."""
        counts = [len(self.agents), self.arrived, len(self.new), len(self.goals), len(self.walls), len(self.lamps)]
        parts = [_clock(self.step, self.seconds), _words(counts), self.new.astype(NEWCOMER).tobytes()]
        parts += [_words(self.goals), _words(self.walls), _words(self.agents), self.places.astype("<u2").tobytes()]
        parts += [_padded(each.astype(np.uint8).tobytes()) for each in (self.headings, self.states, self.lamps)]
        return b"".join(parts)


def begin_frame(panel: int, step: int, cells: Any, goals: Any, walls: NDArray[np.bool_]) -> bytes:
    """Everything as it is now."""
    parts = [_words([step, len(cells)]), _words(cells), _words(goals)]
    return _head(BEGIN, panel) + b"".join(parts) + _padded(np.packbits(walls).tobytes())


def steps_frame(panel: int, steps: list[Step] | list[BodyStep]) -> bytes:
    """Some steps, one after another, all of one kind."""
    kind = BODIES if isinstance(steps[0], BodyStep) else STEPS
    return _head(kind, panel, len(steps)) + b"".join(step.packed() for step in steps)


def ahead_frame(panel: int, step: int, rows: NDArray[np.int32]) -> bytes:
    """What agents have reserved: rows of agent, cell and steps ahead."""
    return _head(AHEAD, panel) + _words([step, len(rows)]) + _words(rows)


def file_frames(panel: int, name: str, data: bytes) -> Iterator[bytes]:
    """A file for the page to save, in parts."""
    text = name.encode()
    size = max(PART, len(data) // 65_000)  # `n` has two bytes
    last = max(0, len(data) - 1) // size
    for part in range(last + 1):
        yield (
            _head(FILE, panel, last - part)
            + _words([len(text)])
            + _padded(text)
            + data[size * part : size * (part + 1)]
        )


def _head(kind: int, panel: int, n: int = 0) -> bytes:
    return bytes([kind, panel]) + n.to_bytes(2, "little")


def _clock(step: int, seconds: float) -> bytes:
    return _words([step]) + np.array([seconds], "<f4").tobytes()


def _words(values: Any) -> bytes:
    return np.asarray(values).astype("<u4").tobytes()


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
