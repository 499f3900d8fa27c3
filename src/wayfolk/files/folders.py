"""Where benchmark data is: in `$WAYFOLK_DATA`, or in the cache of `wayfolk maps get`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import escape
from pathlib import Path

from wayfolk.errors import BadInput, BadMap, Missing
from wayfolk.files.raw import File, reason, shown
from wayfolk.machine import cache_home

NO_FILE = "there is no file"
_LOOKED = "neither here nor in the benchmark data; set WAYFOLK_DATA to its folder, or see `wayfolk maps get --help`"


def data_folders() -> Iterator[Path]:
    """The folders that hold benchmark maps, in the order in which files are looked for: $WAYFOLK_DATA, the cache."""
    given = os.environ.get("WAYFOLK_DATA")
    for folder in (Path(given) if given else None, cache_home() / "maps"):
        if folder is not None and folder.is_dir():
            yield folder


def find_data(name: str | Path, *near: Path) -> Path:
    """The file called `name`: as it stands, in one of the folders `near`, or anywhere in the benchmark data."""
    for path in (Path(name), *(folder / name for folder in near)):
        if _is_file(path):
            return path
    for folder in data_folders():
        for path in (folder / name, folder / "movingai" / name):
            if _is_file(path):
                return path
        matches = _matches(folder, f"**/{escape(str(name))}") if name and Path(name).name == str(name) else []
        if matches:
            return matches[0]
    raise Missing(f"{NO_FILE} {name}: {_LOOKED}")


def match_data(pattern: str, *near: Path) -> list[Path]:
    """All files that match `pattern`, which may hold `*`; in the first place that has any."""
    if not any(sign in pattern for sign in "*?["):
        return [find_data(pattern, *near)]
    if root := Path(pattern).anchor:
        if matches := _matches(Path(root), str(Path(pattern).relative_to(root))):
            return matches
        raise Missing(f"no file matches {pattern}")
    for folder in (Path(), *near):
        if matches := _matches(folder, pattern):
            return matches
    for folder in data_folders():
        if matches := _matches(folder, pattern) or _matches(folder / "movingai", pattern):
            return matches
    raise Missing(f"no file matches {pattern}: {_LOOKED}")


def beside(file: File, name: str) -> Path:
    """The file that `file` calls `name`, which lies in its folder or below; BadMap if that leads elsewhere."""
    folder = Path(file).parent
    try:
        target = folder / name
        is_inside = target.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as why:
        raise BadMap(f"{file}: the file {shown(name)} cannot be read: {reason(why)}") from None
    if Path(name).is_absolute() or not is_inside:
        raise BadMap(f"{file}: the file {shown(name)} is outside the folder of this map, and is not read")
    return target


def _is_file(path: Path) -> bool:
    """Whether `path` is a file; what cannot be looked at, such as a name that is too long, is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _matches(folder: Path, pattern: str) -> list[Path]:
    """The files, not folders, that match a relative pattern."""
    try:
        return sorted(path for path in folder.glob(pattern) if _is_file(path))
    except (ValueError, OSError) as why:
        raise BadInput(f"{pattern}: is not a pattern for files: {reason(why)}") from None
