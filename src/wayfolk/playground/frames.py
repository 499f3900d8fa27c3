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
FILE    u32 length of the name, the name, the bytes of a file; both in UTF-8 with zeros up to a multiple of four
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BEGIN, STEPS, FILE = 1, 2, 3
STAY, ARRIVED, FREED = 8, 16, 32
"""Ops: an agent stays; it is at its goal; it is not under the controller's control."""

Pairs = NDArray[np.int32]
NO_PAIRS = np.zeros((0, 2), np.int32)


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
            [
                np.array([self.step], "<u4").tobytes(),
                np.array([self.seconds], "<f4").tobytes(),
                np.array(counts, "<u4").tobytes(),
                *(np.asarray(rows).astype("<i4").tobytes() for rows in pairs),
                _padded(self.ops.tobytes()),
            ]
        )


def begin_frame(panel: int, step: int, cells: Any, goals: Any, walls: NDArray[np.bool_]) -> bytes:
    """Everything as it is now."""
    parts = [np.array([step, len(cells)], "<u4").tobytes()]
    parts += [np.asarray(each).astype("<i4").tobytes() for each in (cells, goals)]
    return _head(BEGIN, panel) + b"".join(parts) + _padded(np.packbits(walls).tobytes())


def steps_frame(panel: int, steps: list[Step]) -> bytes:
    """Some steps, one after another."""
    return _head(STEPS, panel, len(steps)) + b"".join(step.packed() for step in steps)


def file_frame(panel: int, name: str, data: bytes) -> bytes:
    """A file for the page to save."""
    text = name.encode()
    return _head(FILE, panel) + np.array([len(text)], "<u4").tobytes() + _padded(text) + data


def _head(kind: int, panel: int, n: int = 0) -> bytes:
    return bytes([kind, panel]) + n.to_bytes(2, "little")


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
