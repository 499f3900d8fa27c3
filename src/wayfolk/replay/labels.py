"""Labels of a drawing: each where it covers no other label and no place, and crosses as few lines as possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.replay.svg import text

Floats = NDArray[np.float64]
LETTER = 0.6  # the width of a letter, of its height; wide letters have 0.9, and narrow ones 0.25
SPACE = 0.5  # between a label and what it belongs to, of the height of a letter


class Labels:
    """The labels of a drawing with letters of one `size`, among `discs` of a radius and `lines` x1, y1, x2, y2."""

    def __init__(self, size: float, discs: Floats, radius: float, lines: Floats) -> None:
        self.size, self.lines = size, lines
        self.boxes = np.concatenate([discs - radius, discs + radius], axis=1)  # left, top, right, bottom
        self.shapes: list[str] = []

    def add(self, words: str, at: Floats, away: float, *, hue: str, most_crossings: int | None = None) -> bool:
        """Write `words` beside the point `at`, `away` from it, where there is room; whether there was."""
        width, height = LETTER * self.size * len(words), self.size
        far = away + SPACE * self.size
        best: tuple[int, Floats] | None = None
        for x, y in (
            (far, 0.0), (0.7 * far, -0.7 * far), (0.7 * far, 0.7 * far), (-far, 0.0), (-0.7 * far, -0.7 * far),
            (-0.7 * far, 0.7 * far), (0.0, -far), (0.0, far),
        ):  # fmt: skip
            left = at[0] + x - (0.0 if x > 0 else width if x < 0 else 0.5 * width)
            top = at[1] + y - (0.0 if y > 0 else height if y < 0 else 0.5 * height)
            box = np.array([left, top, left + width, top + height])
            if (np.minimum(self.boxes[:, 2:], box[2:]) > np.maximum(self.boxes[:, :2], box[:2])).all(1).any():
                continue
            crossings = int(crossed(self.lines, box).sum())
            if best is None or crossings < best[0]:
                best = crossings, box
        if best is None or (most_crossings is not None and best[0] > most_crossings):
            return False
        box = best[1]
        self.boxes = np.vstack([self.boxes, box])
        self.shapes.append(text(float(box[0]), float(box[3] - 0.2 * self.size), words, self.size, hue))
        return True

    def bounds(self, lines: Floats) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of all discs and labels, and of more lines x1, y1, x2, y2."""
        ends = lines.reshape(-1, 2)
        left, top = np.concatenate([self.boxes[:, :2], ends]).min(0).tolist()
        right, bottom = np.concatenate([self.boxes[:, 2:], ends]).max(0).tolist()
        return left, top, right, bottom


def crossed(lines: Floats, box: Floats) -> NDArray[np.bool_]:
    """Which lines have a part in a box."""
    enter, leave = np.zeros(len(lines)), np.ones(len(lines))
    for axis in (0, 1):
        start, run = lines[:, axis], lines[:, axis + 2] - lines[:, axis]
        still = np.abs(run) < 1e-300
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (box[axis] - start) / run, (box[axis + 2] - start) / run
        outside = still & ((start < box[axis]) | (start > box[axis + 2]))
        enter = np.where(still, enter, np.maximum(enter, np.minimum(one, other)))
        leave = np.where(still, np.where(outside, -1.0, leave), np.minimum(leave, np.maximum(one, other)))
    crossing: NDArray[np.bool_] = enter <= leave
    return crossing
