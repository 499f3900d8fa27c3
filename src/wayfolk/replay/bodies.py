"""Pack a trajectory into few bytes, in the order in which the page reads it (bodies.js).

Places are whole numbers: hundredths of a cell, or coarser steps if the map is large. Each agent has its frames one after
another, from the first to the last in which it is there; a frame between them in which it is not there has the place GAP.
Places are differences from the frame before, which compress well.

    head     the numbers of the panel, as JSON; its `bodies` hold the names of states and kinds, lamps and walls
    body     gzip of, little-endian:
             u32 first[agents]               the first frame in which it is there
             u32 frames_of[agents]
             f32 radii[agents]               in cells
             u8  kinds[agents]
             u8  x[2][rows], y[2][rows]      differences modulo 65536, the low bytes first
             u8  headings[rows]              of 256, clockwise from east
             u8  states[rows]
             u8  lamps[frames][lamps]
             u8  walls[ceil(w * h / 8)]      bits, row by row
"""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.trajectory import Trajectory
from wayfolk.errors import BadInput
from wayfolk.kernels.codes import DX, DY, SQRT2
from wayfolk.problem.record import KINDS, Record
from wayfolk.world.grid import Grid

GAP = 65535
MOST_STEPS = 100  # of a cell


def pack_bodies(trajectory: Trajectory) -> tuple[dict[str, Any], bytes]:
    """Return the head and the body of a panel for `trajectory`."""
    if not trajectory.n_frames:
        raise BadInput("a trajectory without frames cannot be shown")
    grid, shift = ground(trajectory)
    present = trajectory.present
    first = np.where(present.any(0), present.argmax(0), 0)
    last = np.where(present.any(0), trajectory.n_frames - present[::-1].argmax(0), 0)
    frames_of = last - first
    rows = np.repeat(first - (np.cumsum(frames_of) - frames_of), frames_of) + np.arange(frames_of.sum())
    whose = np.repeat(np.arange(trajectory.n_agents), frames_of)
    leads = (np.cumsum(frames_of) - frames_of)[frames_of > 0]

    steps = min(MOST_STEPS, (GAP - 2) // max(grid.width, grid.height, 1))
    is_gap = ~present[rows, whose]
    places = trajectory.places[rows, whose].astype(np.float64) / trajectory.cell - shift
    whole = np.clip(np.rint(np.where(is_gap[:, None], 0.0, places) * steps), 0, GAP - 1).astype(np.int64)
    whole[is_gap] = GAP
    turns = np.nan_to_num(trajectory.headings[rows, whose] / (2 * np.pi) * 256)
    columns = [_differences(whole[:, side], leads) for side in (0, 1)]
    body = b"".join(
        [
            first.astype("<u4").tobytes(),
            frames_of.astype("<u4").tobytes(),
            (trajectory.radii / trajectory.cell).astype("<f4").tobytes(),
            trajectory.kinds.astype(np.uint8).tobytes(),
            *columns,
            (np.rint(turns).astype(np.int64) % 256).astype(np.uint8).tobytes(),
            trajectory.states[rows, whose].tobytes(),
            trajectory.lamp_states.astype(np.uint8).tobytes(),
            np.packbits(~grid.free).tobytes(),
        ]
    )
    head: dict[str, Any] = {
        "width": grid.width,
        "height": grid.height,
        "agents": trajectory.n_agents,
        "end": trajectory.duration,
        "tick": trajectory.seconds,
        "inSteps": False,
        "diagonal": SQRT2,
        "kinds": list(KINDS),
        "directions": [list(step) for step in zip(DX, DY, strict=True)],
        "bodies": {
            "frames": trajectory.n_frames,
            "rows": len(rows),
            "seconds": trajectory.seconds,
            "cell": trajectory.cell,
            "steps": steps,
            "states": list(trajectory.state_names),
            "kinds": list(trajectory.kind_names),
            "lamps": np.round(trajectory.lamps / trajectory.cell - shift, 3).tolist(),
            "walls": np.round(trajectory.walls / trajectory.cell - np.tile(shift, 2), 3).tolist(),
        },
    }
    return head, gzip.compress(body, 6, mtime=0)


def ground_record(trajectory: Trajectory) -> Record:
    """A record without rows on the map of `trajectory`, for layers of cells."""
    none = np.zeros(0)
    return Record(
        ground(trajectory)[0], np.zeros(trajectory.n_agents, np.int32), none, none.astype(np.int32),
        none.astype(np.uint8), none.astype(np.int32), trajectory.duration,
    )  # fmt: skip


def ground(trajectory: Trajectory) -> tuple[Grid, NDArray[np.float64]]:
    """The map, and the cell in the upper left corner of it; an open field around all bodies if there is no grid."""
    if trajectory.grid is not None:
        return trajectory.grid, np.zeros(2)
    ends = np.concatenate([trajectory.places.reshape(-1, 2), trajectory.walls.reshape(-1, 2)]) / trajectory.cell
    ends = ends[~np.isnan(ends[:, 0])]
    low, high = (ends.min(0), ends.max(0)) if len(ends) else (np.zeros(2), np.ones(2))
    low = np.floor(low - 1).astype(np.float64)
    width, height = np.ceil(high + 1 - low).astype(int)
    if width * height > 1 << 24:
        raise BadInput(f"the trajectory reaches over {width} x {height} cells, too many to show")
    return Grid(np.ones((height, width), bool)), low


def _differences(values: NDArray[np.int64], leads: NDArray[np.int64]) -> bytes:
    """Two columns of bytes: each value less the one before, of the same agent."""
    gaps = np.diff(values, prepend=0)
    gaps[leads] = values[leads]
    return gaps.astype("<i8").astype("<u2").view(np.uint8).reshape(-1, 2).T.tobytes()
