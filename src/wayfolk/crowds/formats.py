"""Trajectories in the formats of pedestrian dynamics, as JuPedSim writes and PedPy reads them.

    .txt       lines of `id frame x y z` in metres, with the frame rate in a comment
    .sqlite    JuPedSim's tables: trajectory_data, metadata, geometry, frame_data (version 2)

There y points up: a place (x, y) is written as (x, top - y), where `top` is the lower edge of the map. Agents have the
numbers 1, 2, 3 ... in text files, as in the Pedestrian Dynamics Data Archive, and 0, 1, 2 ... in JuPedSim's.
"""

from __future__ import annotations

import re
import sqlite3
from array import array
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.trajectory import NO_STATE, Trajectory
from wayfolk.errors import BadInput, TooLarge
from wayfolk.files.raw import File, check_room, read_bytes, reason, shown, write_bytes
from wayfolk.machine import available_bytes
from wayfolk.world.grid import Grid
from wayfolk.world.space import outlines_of

Floats = NDArray[np.float64]
PLAIN_TABLE = re.compile(r"\s*create\s+table\b", re.IGNORECASE)
LONGEST_VALUE = 1 << 24  # bytes of a value in a database: the walkable area is one
MOST_NUMBER = 1e12
BYTES_FOR_PLACE = 80  # with what is needed to compute headings
RADIUS = 0.2
"""The radius of an agent in a file, in metres: these formats have none."""


def write_text(trajectory: Trajectory, file: File) -> None:
    """Write lines of `id frame x y z`, by agent, then frame."""
    agents, frames, places, _ = _rows(trajectory)
    head = [
        f"# description: {trajectory.name or 'a crowd'}",
        f"# framerate: {1.0 / trajectory.seconds:.6f}",
        f"# frames: {trajectory.n_frames}",
        "# id frame x/m y/m z/m",
    ]
    lines = (
        f"{agent + 1}\t{frame}\t{x:.4f}\t{y:.4f}\t0.0000"
        for agent, frame, (x, y) in zip(agents.tolist(), frames.tolist(), places.tolist(), strict=True)
    )
    write_bytes(file, ("\n".join([*head, *lines]) + "\n").encode(), BadInput)


def write_sqlite(trajectory: Trajectory, file: File) -> None:
    """Write the tables of JuPedSim, with the free cells of the grid as the walkable area."""
    agents, frames, places, headings = _rows(trajectory)
    wkt = walkable_area(trajectory)
    ends = [places.min(0), places.max(0)] if len(places) else [np.zeros(2), np.zeros(2)]
    rows = zip(
        frames.tolist(), agents.tolist(), places[:, 0].tolist(), places[:, 1].tolist(),
        np.cos(headings).tolist(), (-np.sin(headings)).tolist(), strict=True,
    )  # fmt: skip
    with TemporaryDirectory() as folder:
        target = Path(folder) / "trajectory.sqlite"
        with closing(sqlite3.connect(target)) as base:
            base.execute(
                "CREATE TABLE trajectory_data (frame INTEGER NOT NULL, id INTEGER NOT NULL, pos_x REAL NOT NULL,"
                " pos_y REAL NOT NULL, ori_x REAL NOT NULL, ori_y REAL NOT NULL)"
            )
            base.execute("CREATE TABLE metadata (key TEXT NOT NULL UNIQUE PRIMARY KEY, value TEXT NOT NULL)")
            base.execute("CREATE TABLE geometry (hash INTEGER NOT NULL, wkt TEXT NOT NULL)")
            base.execute("CREATE TABLE frame_data (frame INTEGER NOT NULL, geometry_hash INTEGER NOT NULL)")
            base.executemany(
                "INSERT INTO metadata VALUES (?, ?)",
                {
                    "version": "2", "fps": repr(1.0 / trajectory.seconds),
                    "xmin": str(ends[0][0]), "ymin": str(ends[0][1]), "xmax": str(ends[1][0]), "ymax": str(ends[1][1]),
                }.items(),
            )  # fmt: skip
            base.execute("INSERT INTO geometry VALUES (1, ?)", (wkt,))
            base.executemany("INSERT INTO frame_data VALUES (?, 1)", ((k,) for k in range(trajectory.n_frames)))
            base.executemany("INSERT INTO trajectory_data VALUES (?, ?, ?, ?, ?, ?)", rows)
            base.execute("CREATE INDEX frame_id_idx ON trajectory_data(frame, id)")
            base.commit()
        write_bytes(file, target.read_bytes(), BadInput)


def read_text(file: File, *, frames_per_second: float | None = None) -> Trajectory:
    """The trajectory in a text file; `frames_per_second` replaces what the file says, or fails to say."""
    data = read_bytes(file, BadInput)
    rate, numbers, last = frames_per_second, array("d"), -1.0
    for number, raw in enumerate(BytesIO(data), 1):
        line = raw.decode("utf-8", "replace")
        words = line.partition("#")[0].split()
        if not words:
            if rate is None and "framerate" in line:
                with suppress(ValueError, IndexError):
                    rate = float(line.partition("framerate")[2].strip(" :=").split()[0])
            elif line.startswith("# frames:"):
                with suppress(ValueError):
                    last = float(line.removeprefix("# frames:")) - 1.0
            continue
        try:
            numbers.extend([float(words[k]) for k in range(4)])
        except (ValueError, IndexError):
            raise BadInput(f"{file}, line {number}: a line is `id frame x y`, not {shown(line.rstrip())}") from None
    return _from_rows(file, numbers, rate, (0.0, last) if last >= 0 else None)


def read_sqlite(file: File) -> Trajectory:
    """The trajectory in a database of JuPedSim; the walkable area is left out."""
    read_bytes(file, BadInput)
    numbers = array("d")
    try:
        with closing(sqlite3.connect(f"{Path(file).resolve().as_uri()}?mode=ro", uri=True)) as base:
            base.execute("PRAGMA trusted_schema = OFF")
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            tables = "('metadata', 'trajectory_data', 'frame_data')"
            schema = base.execute(f"SELECT type, sql, name FROM sqlite_master WHERE name IN {tables}").fetchmany(9)
            for kind, sql, _ in schema:  # a view computes its rows: there may be no end to them
                if kind != "table" or not PLAIN_TABLE.match(str(sql)):
                    raise BadInput(f"{file}: this is no database of JuPedSim: its tables are computed")
            found = base.execute("SELECT CAST(value AS REAL) FROM metadata WHERE key = 'fps'").fetchone()
            span = None
            if any(name == "frame_data" for _, _, name in schema):
                query = "SELECT CAST(MIN(frame) AS REAL), CAST(MAX(frame) AS REAL) FROM frame_data"
                span = base.execute(query).fetchone()
            query = "SELECT CAST({} AS REAL), CAST({} AS REAL), CAST({} AS REAL), CAST({} AS REAL) FROM trajectory_data"
            for row in base.execute(query.format("id", "frame", "pos_x", "pos_y")):
                numbers.extend(row)
    except (sqlite3.Error, TypeError) as error:  # a value can be missing
        raise BadInput(f"{file}: this is no database of JuPedSim: {reason(error)}") from None
    return _from_rows(file, numbers, None if found is None else found[0], span)


def walkable_area(trajectory: Trajectory) -> str:
    """The largest connected free area of the grid, in WKT; without a grid, a rectangle around all places."""
    top = _top(trajectory)
    if trajectory.grid is None:
        known = trajectory.places[~np.isnan(trajectory.places[..., 0])].reshape(-1, 2)
        ends = known if len(known) else np.zeros((1, 2))
        (left, low), (right, high) = ends.min(0) - 1.0, ends.max(0) + 1.0
        rings = [np.array([(left, low), (right, low), (right, high), (left, high)])]
    else:
        rings = [ring * trajectory.cell for ring in _largest(trajectory.grid)]
    texts = []
    for ring in rings:
        points = [*ring.tolist(), ring[0].tolist()]
        texts.append("(" + ", ".join(f"{x:.10g} {top - y:.10g}" for x, y in points) + ")")
    return f"POLYGON ({', '.join(texts)})"


def _largest(grid: Grid) -> list[Floats]:
    """The outline of the largest connected part, then those of the walls inside of it, in cells."""
    parts = grid.components.reshape(-1, grid.stride)[1:-1, 1:-1]
    free = grid.free & (parts == np.bincount(parts[grid.free]).argmax()) if grid.free.any() else grid.free
    rings = outlines_of(Grid(free, grid.moves))
    sizes = [abs(_size(ring)) for ring in rings]
    order = sorted(range(len(rings)), key=lambda k: -sizes[k])
    return [rings[k] for k in order]


def _size(ring: Floats) -> float:
    x, y = ring.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


def _top(trajectory: Trajectory) -> float:
    return 0.0 if trajectory.grid is None else trajectory.grid.height * trajectory.cell


def _rows(trajectory: Trajectory) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]:
    """Agents, frames, places with y up, and headings of all rows, by agent, then frame."""
    agents, frames = np.nonzero(trajectory.present.T)
    places = trajectory.places[frames, agents].astype(np.float64)
    places[:, 1] = _top(trajectory) - places[:, 1]
    return agents, frames, places, np.nan_to_num(trajectory.headings[frames, agents].astype(np.float64))


def _from_rows(
    file: File, numbers: array[float], rate: float | None, span: tuple[float | None, float | None] | None
) -> Trajectory:
    """A trajectory from `id frame x y` of all rows, the frames in a second, and the first and last frame if known.

    Nobody may be there in the first and in the last frames: then the rows do not show how long the trajectory is.
    """
    if rate is None or not 0 < rate < np.inf:
        raise BadInput(f"{file}: the file does not say how many frames there are in a second")
    if not numbers:
        raise BadInput(f"{file}: there are no places in the file")
    rows = np.frombuffer(numbers).reshape(-1, 4)
    if not (np.abs(rows) <= MOST_NUMBER).all():
        raise BadInput(f"{file}: a place is no number")
    names, agents = np.unique(rows[:, 0], return_inverse=True)
    ends = [end for end in span or () if end is not None and abs(end) <= MOST_NUMBER]
    first, last = min([float(rows[:, 1].min()), *ends]), max([float(rows[:, 1].max()), *ends])
    frames = np.rint(rows[:, 1] - first).astype(np.int64)
    n_frames = int(np.rint(last - first)) + 1
    try:
        check_room(n_frames * len(names), len(rows))
    except BadInput as why:
        raise BadInput(f"{file}: {n_frames} frames of {len(names)} agents are too many: {why}") from None
    needed = n_frames * len(names) * BYTES_FOR_PLACE
    if needed > available_bytes():
        raise TooLarge(f"{file}: {n_frames} frames of {len(names)} agents need {needed >> 20} MB, more than is free")
    places = np.full((n_frames, len(names), 2), np.nan, np.float32)
    places[frames, agents] = rows[:, 2:4] * [1.0, -1.0]
    headings = np.full(places.shape[:2], np.nan, np.float32)
    trajectory = Trajectory(
        places, headings, 1.0 / rate, np.full(len(names), RADIUS, np.float32), np.full(headings.shape, NO_STATE, np.uint8),
        name=Path(file).stem,
    )  # fmt: skip
    ways = trajectory.velocities()
    headings[:] = np.where(np.isnan(places[..., 0]), np.nan, np.nan_to_num(np.arctan2(ways[..., 1], ways[..., 0])))
    return trajectory
