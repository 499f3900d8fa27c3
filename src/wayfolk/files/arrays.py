"""Archives of arrays (`.npz`), none of which is trusted: each array is checked before memory is taken for it.

    arrays = read_arrays(data, {"about": ("U", ()), "free": (np.bool_, (None, None)), "paths": ("i", (None, None, 2))})
    about = about_of(arrays, "wayfolk-plan", 1)

An archive is refused if an array is missing, has a name, a type or a shape that was not expected, holds Python objects, or
if all arrays together would take more than `limit` bytes or half of the free memory. Arrays come back contiguous, in this
machine's byte order, and with no Booleans other than 0 and 1. What their numbers mean (indices, ranges) is for the caller
to check, before a kernel uses them.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from io import BytesIO
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.files.raw import MAX_BYTES, reason, shown
from wayfolk.machine import available_bytes

Arrays = dict[str, NDArray[Any]]
Layout = tuple[DTypeLike, tuple[int | None, ...] | None]  # a type and a shape
Expected = Mapping[str, Layout]
ENTRY = b"PK\1\2"  # each entry of a zip's directory begins with it
MAX_ENTRIES = 10_000
KINDS = {"b": "Booleans", "i": "integers", "u": "integers from 0", "f": "numbers", "U": "text", "V": "records"}


def read_arrays(
    data: bytes | bytearray, expected: Expected, *, optional: Collection[str] = (), limit: int = MAX_BYTES
) -> Arrays:
    """The arrays of an archive by name; BadInput, without the name of the file, if one is not as `expected`.

    `expected` has a type and a shape for each name. The type is a numpy type (not text), or a text of the letters that
    numpy has for kinds: "iu" allows integers of every size. None as a side of a shape allows any length, None as the shape
    any shape. A name with `*` in it stands for any number of arrays. Those in `optional` may be missing.
    """
    try:
        n_entries = data.count(ENTRY)
        if n_entries > MAX_ENTRIES:  # before they become objects
            raise BadInput(f"the archive holds {n_entries} files, more than {MAX_ENTRIES}")
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _read(archive, expected, optional, min(limit, available_bytes() // 2))
    except BadInput:
        raise
    except Exception as why:  # a broken archive makes zipfile, zlib and numpy raise many things
        raise BadInput(f"not an archive of arrays: {reason(why)}") from None


def about_of(arrays: Arrays, kind: str, version: int) -> dict[str, Any]:
    """The JSON object in the text `about`, if it says that the file is of this `kind` and `version`."""
    try:
        about = json.loads(str(arrays["about"]))
    except (ValueError, RecursionError) as why:
        raise BadInput(f"the text 'about' is not JSON: {reason(why)}") from None
    return checked_about(about, kind, version)


def checked_about(about: Any, kind: str, version: int) -> dict[str, Any]:
    """`about`, if it is an object that says that its file is of this `kind` and `version`."""
    if not isinstance(about, dict) or about.get("format") != kind:
        raise BadInput(f"not a file of the format '{kind}'")
    if about.get("version") != version:
        raise BadInput(f"the version is {shown(about.get('version'))}, this reads {version}")
    return about


def check_layout(name: str, dtype: np.dtype[Any], shape: tuple[int, ...], expected: Layout) -> None:
    """Raise BadInput unless an array of this type and shape is as `expected`, see `read_arrays`."""
    kind, sides = expected
    if dtype.hasobject or not (dtype.kind in kind if isinstance(kind, str) else dtype == np.dtype(kind)):
        wanted = " or ".join(KINDS[letter] for letter in kind) if isinstance(kind, str) else np.dtype(kind)
        raise BadInput(f"the array {shown(name)} has the type {dtype}, not {wanted}")
    fits = sides is None or (
        len(shape) == len(sides) and all(fit in (None, side) for side, fit in zip(shape, sides, strict=True))
    )
    if not fits or min(shape, default=0) < 0:
        wanted = "any" if sides is None else "(" + ", ".join("any" if fit is None else str(fit) for fit in sides) + ")"
        raise BadInput(f"the array {shown(name)} has the shape {shape}, not {wanted}")


def _read(archive: zipfile.ZipFile, expected: Expected, optional: Collection[str], limit: int) -> Arrays:
    members: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        name = entry.filename.removesuffix(".npy")
        if name in members or name == entry.filename or _of_name(expected, name) is None:
            raise BadInput(f"the archive holds {shown(entry.filename)}, which does not belong there")
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadInput(f"the array {shown(name)} is encrypted or packed in an unusual way")
        members[name] = entry
    missing = [name for name in expected if "*" not in name and name not in members and name not in optional]
    if missing:
        raise BadInput(f"the array {missing[0]!r} is missing")
    n_bytes = sum(entry.file_size for entry in members.values())  # no entry gives more than it says
    if n_bytes > limit:
        raise BadInput(f"the arrays unpack to {n_bytes} bytes, more than the {limit} that are allowed")
    return {name: _array(archive, entry, name, _of_name(expected, name), limit) for name, entry in members.items()}


def _of_name(expected: Expected, name: str) -> Any:
    """What is expected of the array `name`, None if there should be no such array."""
    if name in expected:
        return expected[name]
    return next((what for pattern, what in expected.items() if "*" in pattern and fnmatchcase(name, pattern)), None)


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, expected: Any, limit: int) -> NDArray[Any]:
    with archive.open(entry) as stream:
        version = npy.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise BadInput(f"the array {shown(name)} has a header of version {version}, which is not read here")
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read_header(stream)
        start = stream.tell()
    check_layout(name, dtype, shape, expected)
    if not dtype.isnative:
        raise BadInput(f"the array {shown(name)} is of a machine with another byte order")
    n_bytes = math.prod(shape) * dtype.itemsize
    if start + n_bytes != entry.file_size or max(shape, default=0) > limit:  # no bytes can have the shape (0, 10**15)
        raise BadInput(f"the array {shown(name)} says that it has the shape {shape}, which its size does not fit")
    with archive.open(entry) as stream:
        array = np.asarray(npy.read_array(stream, allow_pickle=False), order="C")
    if not isinstance(expected[0], str):
        array = array.view(expected[0])  # a file does not say that fields are aligned, and kernels need to know
    for part in (array[field] for field in dtype.names) if dtype.names else (array,):
        if part.dtype == np.bool_ and part.size and part.view(np.uint8).max() > 1:
            raise BadInput(f"the array {shown(name)} holds Booleans that are neither 0 nor 1")
    return array
