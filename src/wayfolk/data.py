"""Where benchmark data is: `$WAYFOLK_DATA`, the cache of `wayfolk maps get`, or `shared/maps` beside the project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import escape
from pathlib import Path

from wayfolk.errors import BadInput, Missing


def cache_home() -> Path:
    """The folder for whatever can be fetched or made again: `$WAYFOLK_CACHE`, else the user's cache folder."""
    given = os.environ.get("WAYFOLK_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wayfolk"


def data_folders() -> Iterator[Path]:
    """The folders that may hold benchmark maps, the first ones first."""
    given = os.environ.get("WAYFOLK_DATA")
    shared = Path(__file__).resolve().parents[2].parent / "shared" / "maps"
    for folder in (Path(given) if given else None, cache_home() / "maps", Path("../shared/maps"), shared):
        if folder is not None and folder.is_dir():
            yield folder


def find_data(name: str | Path, *near: Path) -> Path:
    """The file called `name`: as it stands, in one of the folders `near`, or anywhere in the benchmark data."""
    for path in (Path(name), *(folder / name for folder in near)):
        if path.is_file():
            return path
    for folder in data_folders():
        for path in (folder / name, folder / "movingai" / name):
            if path.is_file():
                return path
        found = _matches(folder, f"**/{escape(str(name))}") if name and Path(name).name == str(name) else []
        if found:
            return found[0]
    raise Missing(f"there is no file {name}: not here, nor in the benchmark data (see `wayfolk maps get --help`)")


def match_data(pattern: str, *near: Path) -> list[Path]:
    """All files that match `pattern`, which may hold `*`; in the first place that has any."""
    if not any(sign in pattern for sign in "*?["):
        return [find_data(pattern, *near)]
    if root := Path(pattern).anchor:
        if found := _matches(Path(root), str(Path(pattern).relative_to(root))):
            return found
        raise Missing(f"no file matches {pattern}")
    for folder in (Path(), *near):
        if found := _matches(folder, pattern):
            return found
    for folder in data_folders():
        if found := _matches(folder, pattern) or _matches(folder / "movingai", pattern):
            return found
    raise Missing(f"no file matches {pattern}: not here, nor in the benchmark data (see `wayfolk maps get --help`)")


def _matches(folder: Path, pattern: str) -> list[Path]:
    """The files, not folders, that match a relative pattern."""
    try:
        return sorted(path for path in folder.glob(pattern) if path.is_file())
    except ValueError as why:
        raise BadInput(f"{pattern}: is not a pattern for files: {why}") from None
