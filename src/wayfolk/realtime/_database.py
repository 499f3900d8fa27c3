"""Databases: what a walker has worked out about a map beforehand, kept with the map, and saved and loaded."""

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
from wayfolk.grid import Grid

Arrays = dict[str, NDArray[Any]]


@dataclass
class Database:
    """Arrays about one map. `made_for` describes the map, `settings` how the arrays were made, `seconds` how long."""

    kind: str
    made_for: str
    settings: dict[str, int]
    arrays: Arrays = field(repr=False)
    seconds: float = 0.0

    @property
    def n_bytes(self) -> int:
        """The memory it takes."""
        return sum(array.nbytes for array in self.arrays.values())

    def save(self, path: str | Path) -> None:
        """Write it to a file, a npz archive, for the option `database`."""
        header = {name: value for name, value in vars(self).items() if name != "arrays"}
        header["checksum"] = _checksum(self.arrays)
        contents: dict[str, Any] = {"header": np.array(json.dumps(header)), **self.arrays}
        with open(path, "wb") as file:
            np.savez_compressed(file, **contents)


def described(grid: Grid) -> str:
    """The name and size of a map, and a digest of all that a walker can tell it by from others."""
    made_of = hashlib.sha256(repr((grid.width, grid.height, grid.moves.value, grid.diagonal)).encode())
    for array in (grid._free, grid.legal, grid._costs):
        made_of.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    return f"{grid.name or 'a map'} of {grid.width} x {grid.height} cells with the digest {made_of.hexdigest()[:16]}"


def database_of(grid: Grid, kind: str, settings: dict[str, int], build: Callable[..., Arrays], path: str) -> Database:
    """The database in the file `path`; without one, that kept with the map, or a new one that is kept from now on."""
    if path:
        return load(grid, kind, path)
    shelf = grid.__dict__.setdefault("_databases", {})
    key = kind, *settings.values()
    if key not in shelf:
        began = time.perf_counter()
        arrays = build(grid, **settings)
        shelf[key] = Database(kind, described(grid), settings, arrays, time.perf_counter() - began)
    found: Database = shelf[key]
    return found


def load(grid: Grid, kind: str, path: str | Path) -> Database:
    """Read what `save` has written, if it is of this kind and about this map."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            header: dict[str, Any] = json.loads(str(archive["header"]))
            arrays = {name: archive[name] for name in archive.files if name != "header"}
        checksum = header.pop("checksum")
        made = Database(arrays=arrays, **header)
    except OSError as error:
        raise BadInput(f"the database {path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        raise BadInput(f"{path} is not a database of a walker") from None
    if made.kind != kind:
        raise BadInput(f"the database {path} is for {made.kind}, not for {kind}")
    if _digest(made.made_for) != _digest(described(grid)):
        raise BadInput(f"the database {path} was made for {made.made_for}, and this is {described(grid)}")
    if _checksum(made.arrays) != checksum:
        raise BadInput(f"the database {path} is damaged")
    return made


def _digest(description: str) -> str:
    return description.rpartition(" ")[2]


def _checksum(arrays: Arrays) -> str:
    """A digest of all that is in `arrays`."""
    made_of = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        made_of.update(repr((name, array.dtype.str, array.shape)).encode() + np.ascontiguousarray(array).tobytes())
    return made_of.hexdigest()
