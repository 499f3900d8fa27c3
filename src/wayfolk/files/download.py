"""Benchmark sets of the Moving AI Lab, fetched once and kept where `wayfolk.files.folders` looks for maps.

Sturtevant, "Benchmarks for Grid-Based Pathfinding", 2012.

    maps/mapf/                    the set: maps, scenarios and SHA256SUMS, all there or not there at all
    maps/.downloads/mapf/         while it is being fetched: archives, see `fetch.py`
        unpacked/                 every file of the set, renamed to `maps/mapf` when the last one is checked

Nothing that comes from the net is trusted: the number and size of files are bounded, their names are plain, the
archive's own checksums must agree, and so must `known_maps.json` for the maps that we know.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from wayfolk.errors import BadInput, UnknownName, hint
from wayfolk.files.archive import NAME, unpack
from wayfolk.files.fetch import Tell, digest_of, fetch, forget, is_safe
from wayfolk.files.raw import File, reason, shown
from wayfolk.machine import cache_home

SITE = "https://movingai.com/benchmarks"
SETS = {"mapf": ("mapf/mapf-map.zip", "mapf/mapf-scen-random.zip", "mapf/mapf-scen-even.zip")} | {
    name: (f"{name}/{name}-map.zip", f"{name}/{name}-scen.zip")
    for name in ("bg512", "bgmaps", "da2", "dao", "maze", "random", "room", "sc1", "street", "wc3maps512")
}

SUMS = "SHA256SUMS"
SUM = re.compile(r"([0-9a-f]{64})  (.+)")


def get_set(name: str, *, site: str | None = None, folder: File | None = None, tell: Tell | None = None) -> Path:
    """The folder of a benchmark set, fetched from `site` if it is not there yet and checked if it is.

    `site` is `$WAYFOLK_SITE` or Moving AI's if not given; `folder` is the one that holds all sets. A call that was
    interrupted, in whatever way, is continued by the next one.
    """
    if name not in SETS:
        raise UnknownName(f"there is no benchmark set {name!r}{hint(name, SETS)}")
    site = _checked_site(site or os.environ.get("WAYFOLK_SITE") or SITE)
    home = cache_home() / "maps" if folder is None else Path(folder)
    target, work = home / name, home / ".downloads" / name
    tell = tell or _silent
    try:
        if _is_there(target):
            _check(target, tell)
            return target
        work.mkdir(parents=True, exist_ok=True)
        with _alone(work.with_suffix(".lock"), f"the set {name} is being fetched into {home} by another process"):
            if not _is_there(target):
                _make(name, site, target, work, tell)
    except OSError as why:
        raise BadInput(f"{why.filename or home}: cannot be used: {reason(why)}") from None
    return target


def _silent(what: str, done: int, total: int) -> None:
    pass


def _checked_site(site: str) -> str:
    if not is_safe(site):
        raise BadInput(f"the site must begin with https:// and a host, not {shown(site)}")
    return site.rstrip("/")


def _is_there(target: Path) -> bool:
    """Whether the set has been made; raise if something else is in its place."""
    if (target / SUMS).is_file():
        return True
    if os.path.lexists(target) and not (target.is_dir() and not any(target.iterdir())):
        raise BadInput(f"{target}: is in the way, it has no {SUMS} and so was not fetched: move it away")
    return False


@contextmanager
def _alone(lock: Path, busy: str) -> Iterator[None]:
    """Keep other processes out of this block; the system releases the lock of a process that dies."""
    with open(lock, "ab") as stream:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadInput(f"{busy}: try again when it is done") from None
            except OSError:
                pass  # some network file systems have no locks
        yield


def _make(name: str, site: str, target: Path, work: Path, tell: Tell) -> None:
    """Fetch the archives, unpack them beside the target, and rename the folder when all is well."""
    urls = [f"{site}/{path}" for path in SETS[name]]
    archives = [work / PurePosixPath(path).name for path in SETS[name]]
    sources = [fetch(url, archive, tell) for url, archive in zip(urls, archives, strict=True)]
    staged = work / "unpacked"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir()
    digests: dict[str, str] = {}
    try:
        for url, archive in zip(urls, archives, strict=True):
            try:
                unpack(url, archive, staged, digests, _known(name), tell)
            except BadInput:  # the next call begins anew
                forget(archive)
                raise
        lines = [f"# {digest}  {url}" for digest, url in zip(sources, urls, strict=True)]
        lines += [f"{digest}  {file}" for file, digest in sorted(digests.items())]
        (staged / SUMS).write_bytes(("\n".join(lines) + "\n").encode())
        for file in digests:  # only now can a search through all folders find them
            os.replace(staged / f"{file}.part", staged / file)
        if target.is_dir():
            target.rmdir()  # empty; not all systems rename onto it
        os.rename(staged, target)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    shutil.rmtree(work, ignore_errors=True)
    tell(f"{name}: {len(digests)} files were unpacked into {target}", len(digests), len(digests))


def _check(target: Path, tell: Tell) -> None:
    """Raise if a file of the set is not as it was when it was fetched."""
    again = f"remove the folder {target} to have it fetched again"
    rows = (target / SUMS).read_text("utf-8", "replace").splitlines()
    rows = [row for row in rows if not row.startswith("#")]
    for done, row in enumerate(rows, 1):
        match = SUM.fullmatch(row)
        if match is None or not NAME.fullmatch(match[2]):
            raise BadInput(f"{target / SUMS}: {shown(row)} is not a checksum and a name: {again}")
        file = target / match[2]
        if not file.is_file():
            raise BadInput(f"{file}: is missing: {again}")
        if digest_of(file) != match[1]:
            raise BadInput(f"{file}: has changed since it was fetched: {again}")
        tell(f"checking {target.name}", done, len(rows))
    if not rows:
        raise BadInput(f"{target / SUMS}: names no files: {again}")
    tell(f"{target.name}: all {len(rows)} files are there and unchanged, nothing was fetched", len(rows), len(rows))


def _known(name: str) -> dict[str, str]:
    """The digests of the maps of a set that we know."""
    known: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("known_maps.json").read_text("utf-8"))
    return known.get(name, {})
