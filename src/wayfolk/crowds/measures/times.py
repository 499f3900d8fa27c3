"""Times and overlaps: when people have left, how long they took, and how long bodies overlapped."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.trajectory import Trajectory
from wayfolk.errors import BadInput
from wayfolk.world.area import Area, Corners

Floats = NDArray[np.float64]


def evacuation_time(trajectory: Trajectory, *, area: Corners | None = None, share: float = 1.0) -> float:
    """Seconds until `share` of all agents have left the world for good; infinity if they have not.

    With `area`, it is the time until they have left the area. Only agents count that were ever there.
    """
    if not 0 < share <= 1:
        raise BadInput(f"share must be above 0 and at most 1, not {share}")
    inside = trajectory.present if area is None else Area.of(area).contains(trajectory.places)
    inside = inside[:, inside.any(0)]
    if not inside.size:
        return 0.0
    last = trajectory.n_frames - inside[::-1].argmax(0)
    left_at = np.sort(np.where(last < trajectory.n_frames, last * trajectory.seconds, np.inf))
    return round(float(left_at[max(0, int(np.ceil(share * len(left_at) - 1e-9)) - 1)]), 9)


def travel_times(trajectory: Trajectory) -> Floats:
    """Seconds from the frame in which each agent appears to the first without it; NaN for those who are still there."""
    present = trajectory.present
    first = present.argmax(0)
    last = trajectory.n_frames - present[::-1].argmax(0)
    times: Floats = np.where(present.any(0) & ~present[-1:].any(0), (last - first) * trajectory.seconds, np.nan)
    return times


def longest_overlap(trajectory: Trajectory, *, slack: float = 0.01) -> tuple[int, int, int, int]:
    """The most frames in a row in which two bodies overlap by more than `slack` metres, the two, and the last frame."""
    radii, n_agents = trajectory.radii.astype(np.float64), trajectory.n_agents
    running: dict[int, int] = {}
    best = (0, 0, 0, 0)
    for frame, everybody in enumerate(trajectory.places):
        pairs = _overlapping(everybody.astype(np.float64), radii, slack)
        running = {one * n_agents + other: running.get(one * n_agents + other, 0) + 1 for one, other in pairs}
        for pair, count in running.items():
            if count > best[0]:
                best = (count, *divmod(pair, n_agents), frame)
    return best


def _overlapping(places: Floats, radii: Floats, slack: float) -> list[tuple[int, int]]:
    """The pairs that overlap, the smaller number first; only those whose x are close are compared."""
    there = np.flatnonzero(~np.isnan(places[:, 0]))
    there = there[np.argsort(places[there, 0], kind="stable")]
    x, y, size = places[there, 0], places[there, 1], radii[there]
    reach = 2.0 * float(size.max(initial=0.0))
    pairs: list[tuple[int, int]] = []
    for shift in range(1, len(there)):
        across = x[shift:] - x[:-shift]
        if (across > reach).all():
            break
        touch = np.maximum(size[shift:] + size[:-shift] - slack, 0.0) ** 2
        for k in np.flatnonzero(across**2 + (y[shift:] - y[:-shift]) ** 2 < touch).tolist():
            one, other = int(there[k]), int(there[k + shift])
            pairs.append((min(one, other), max(one, other)))
    return pairs
