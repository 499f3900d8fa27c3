"""Databases: what an algorithm has precomputed about a map, kept with the map, saved and loaded."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms import catalogue
from wayfolk.errors import BadInput, WayfolkError
from wayfolk.files.arrays import Arrays, Expected, about_of, check_layout, read_arrays
from wayfolk.files.raw import File, read_bytes, shown, write_bytes
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid

FORMAT, VERSION = "wayfolk-database", 1
LIMIT = 1 << 28  # bytes of all arrays, in addition to those for each cell


@dataclass
class Database:
    """Arrays about one map.

    `made_for` describes the map, `settings` are the options they were computed with, `seconds` is the time that took.
    """

    kind: str
    made_for: str
    settings: dict[str, int]
    arrays: Arrays = field(repr=False)
    seconds: float = 0.0

    @property
    def n_bytes(self) -> int:
        """The memory the arrays take."""
        return sum(array.nbytes for array in self.arrays.values())

    def save(self, path: File) -> None:
        """Write the database to the file `path`, an npz archive, for the option `database`."""
        about = {name: value for name, value in vars(self).items() if name != "arrays"}
        about |= {"format": FORMAT, "version": VERSION, "checksum": _checksum(self.arrays)}
        contents: dict[str, Any] = {"about": np.array(json.dumps(about)), **self.arrays}
        stream = BytesIO()
        np.savez_compressed(stream, **contents)
        write_bytes(path, stream.getvalue(), BadInput)


class Kind(NamedTuple):
    """A kind of database: the algorithm's name, how to `build` one, and what is true of the arrays of each.

    Kernels use the arrays without further checks: `check` raises BadInput if an index in an array of a file, which has the
    types and dimensions of `expected`, is not one of the grid or of another array.
    """

    name: str
    build: Callable[..., Arrays]
    expected: Expected
    check: Callable[[Grid, Arrays], None]


def check_cells(grid: Grid, name: str, cells: NDArray[np.int32]) -> None:
    """Raise BadInput unless all `cells` of the array `name` are free cells of the grid."""
    inside = (cells >= 0) & (cells < grid.n_cells)
    is_free = inside & grid._free[np.where(inside, cells, 0)]
    if not is_free.all():
        raise BadInput(f"the array {name!r} holds {cells[~is_free][0]}, which is no free cell")


def described(grid: Grid) -> str:
    """The name and size of a map, and a digest of its cells, moves and costs."""
    digest = hashlib.sha256(repr((grid.width, grid.height, grid.moves.value, grid.diagonal)).encode())
    for array in (grid._free, grid.legal, grid._costs):
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    return f"{grid.name or 'a map'} of {grid.width} x {grid.height} cells with the digest {digest.hexdigest()[:16]}"


def database_of(grid: Grid, kind: Kind, settings: dict[str, int], path: str) -> Database:
    """The database in the file `path`; without one, that kept with the map, or a new one that is kept from now on."""
    if path:
        return load(grid, kind, set(settings), path)

    def new(grid: Grid) -> Database:
        began = time.perf_counter()
        arrays = kind.build(grid, **settings)
        return Database(kind.name, described(grid), settings, arrays, time.perf_counter() - began)

    return cached(grid, ("database", kind.name, *settings.values()), new)


def load(grid: Grid, kind: Kind, settings: set[str], path: str | Path) -> Database:
    """Read what `save` has written, if it is of this kind, about this map, and has values for all `settings`."""
    data = read_bytes(path, BadInput)
    anything: Expected = {"about": ("U", ()), "*": ("if", None)}
    try:
        arrays = read_arrays(data, anything, limit=LIMIT + 16 * grid.n_cells)
        about = about_of(arrays, FORMAT, VERSION)
        if about.get("kind") != kind.name:
            raise BadInput(f"the database is for {shown(about.get('kind'))}, not for {kind.name}")
        made_for = str(about.get("made_for"))
        if _digest(made_for) != _digest(described(grid)):
            raise BadInput(f"the database was made for {made_for}, and this is {described(grid)}")
        values = _settings(kind, settings, about.get("settings"))
        del arrays["about"]
        if _checksum(arrays) != about.get("checksum"):
            raise BadInput("the database is damaged")
        if arrays.keys() != kind.expected.keys():
            raise BadInput(f"the arrays are {', '.join(sorted(arrays))}, not {', '.join(sorted(kind.expected))}")
        for name, array in arrays.items():
            check_layout(name, array.dtype, array.shape, kind.expected[name])
        kind.check(grid, arrays)
    except WayfolkError as why:
        raise BadInput(f"{path}: {why}") from None
    seconds = about.get("seconds")
    return Database(kind.name, made_for, values, arrays, seconds if isinstance(seconds, float) else 0.0)


def _settings(kind: Kind, names: set[str], values: Any) -> dict[str, int]:
    """The options that a database was computed with, each within its range."""
    if not isinstance(values, dict) or values.keys() != names:
        raise BadInput(f"the settings should be those of {', '.join(sorted(names))}, not {shown(values)}")
    return catalogue.find(kind.name, "realtime").checked(values)


def _digest(description: str) -> str:
    return description.rpartition(" ")[2]


def _checksum(arrays: Arrays) -> str:
    """A digest of `arrays`."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(repr((name, array.dtype.str, array.shape)).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
