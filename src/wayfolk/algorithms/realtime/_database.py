"""Databases: what an algorithm has precomputed about a map, kept with the map, saved and loaded."""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.world.grid import Grid
from wayfolk.world.kept import kept

Arrays = dict[str, NDArray[Any]]


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

    def save(self, path: str | Path) -> None:
        """Write the database to the file `path`, an npz archive, for the option `database`."""
        header = {name: value for name, value in vars(self).items() if name != "arrays"}
        header["checksum"] = _checksum(self.arrays)
        contents: dict[str, Any] = {"header": np.array(json.dumps(header)), **self.arrays}
        with open(path, "wb") as file:
            np.savez_compressed(file, **contents)


def described(grid: Grid) -> str:
    """The name and size of a map, and a digest of its cells, moves and costs."""
    digest = hashlib.sha256(repr((grid.width, grid.height, grid.moves.value, grid.diagonal)).encode())
    for array in (grid._free, grid.legal, grid._costs):
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    return f"{grid.name or 'a map'} of {grid.width} x {grid.height} cells with the digest {digest.hexdigest()[:16]}"


def database_of(grid: Grid, kind: str, settings: dict[str, int], build: Callable[..., Arrays], path: str) -> Database:
    """The database in the file `path`; without one, that kept with the map, or a new one that is kept from now on."""
    if path:
        return load(grid, kind, path)

    def new(grid: Grid) -> Database:
        began = time.perf_counter()
        arrays = build(grid, **settings)
        return Database(kind, described(grid), settings, arrays, time.perf_counter() - began)

    return kept(grid, ("database", kind, *settings.values()), new)


def load(grid: Grid, kind: str, path: str | Path) -> Database:
    """Read what `save` has written, if it is of this kind and about this map."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            header: dict[str, Any] = json.loads(str(archive["header"]))
            arrays = {name: archive[name] for name in archive.files if name != "header"}
        checksum = header.pop("checksum")
        database = Database(arrays=arrays, **header)
    except OSError as error:
        raise BadInput(f"the database {path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        raise BadInput(f"{path} is not a database of a real-time search") from None
    if database.kind != kind:
        raise BadInput(f"the database {path} is for {database.kind}, not for {kind}")
    if _digest(database.made_for) != _digest(described(grid)):
        raise BadInput(f"the database {path} was made for {database.made_for}, and this is {described(grid)}")
    if _checksum(database.arrays) != checksum:
        raise BadInput(f"the database {path} is damaged")
    return database


def _digest(description: str) -> str:
    return description.rpartition(" ")[2]


def _checksum(arrays: Arrays) -> str:
    """A digest of `arrays`."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(repr((name, array.dtype.str, array.shape)).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
