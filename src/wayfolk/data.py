"""Where benchmark data is: `$WAYFOLK_DATA`, the cache of `wayfolk maps get`, or a folder `shared/maps` beside the project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from wayfolk.errors import Missing


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
        found = sorted(folder.rglob(Path(name).name)) if Path(name).name == str(name) else []
        if found:
            return found[0]
    raise Missing(f"there is no file {name}: not here, nor in the benchmark data (see `wayfolk maps get --help`)")


def match_data(pattern: str, *near: Path) -> list[Path]:
    """All files that match `pattern`, which may hold `*`; in the first place that has any."""
    if not any(sign in pattern for sign in "*?["):
        return [find_data(pattern, *near)]
    for folder in (Path(), *near):
        found = sorted(folder.glob(pattern)) if not Path(pattern).is_absolute() else []
        if found:
            return found
    for folder in data_folders():
        found = sorted(folder.glob(pattern)) or sorted((folder / "movingai").glob(pattern))
        if found:
            return found
    raise Missing(f"no file matches {pattern}: not here, nor in the benchmark data (see `wayfolk maps get --help`)")
