"""Benchmark sets of the Moving AI Lab, fetched once and kept where `wayfolk.data` looks for maps.

Sturtevant, "Benchmarks for Grid-Based Pathfinding", 2012.

    maps/mapf/                    the set: maps, scenarios and SHA256SUMS, all there or not there at all
    maps/.downloads/mapf/         while it is being fetched
        mapf-map.zip.part         as far as it has come
        mapf-map.zip.json         from where and which version: a part is only continued by the same file
        unpacked/                 every file of the set, renamed to `maps/mapf` when the last one is checked

Nothing that comes from the net is believed: the number and size of files are bounded, their names are plain, the
archive's own checksums must agree, and so must `known_maps.json` for the maps that we know.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import stat
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from wayfolk.catalogue import hint
from wayfolk.data import cache_home
from wayfolk.errors import BadInput, Missing, UnknownName, WayfolkError
from wayfolk.formats import File, reason, shown, write_bytes

Tell = Callable[[str, int, int], None]  # what is being done; how much, of how much: bytes or files, 0 if not known

SITE = "https://movingai.com/benchmarks"
SETS = {"mapf": ("mapf/mapf-map.zip", "mapf/mapf-scen-random.zip", "mapf/mapf-scen-even.zip")} | {
    name: (f"{name}/{name}-map.zip", f"{name}/{name}-scen.zip")
    for name in ("bg512", "bgmaps", "da2", "dao", "maze", "random", "room", "sc1", "street", "wc3maps512")
}

SUMS = "SHA256SUMS"
NAME = re.compile(r"[A-Za-z0-9_(][\w ()+,.'!&-]{0,99}\.(map|scen)", re.ASCII)
SUM = re.compile(r"([0-9a-f]{64})  (.+)")
CHUNK = 1 << 16
ENTRY = b"PK\1\2"  # each entry of a zip's directory begins with it

LOOKUP = 8.0  # seconds for the name of a host
TIMEOUT = 30.0  # seconds without data
PAUSES = (0.5, 1.0, 2.0)  # seconds before a dropped connection is tried again
MAX_ARCHIVE = 1 << 29  # bytes; the largest archives have some tens of millions
MAX_UNPACKED = 1 << 31  # bytes of all files in an archive
MAX_ENTRIES = 20_000


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
    try:
        parts = urlsplit(site)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_good = False
    if not is_good:
        raise BadInput(f"the site must begin with http:// or https:// and a host, not {shown(site)}")
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
    """Nobody else is in here; the system opens the lock of a process that dies."""
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
    sources = [_fetch(url, archive, tell) for url, archive in zip(urls, archives, strict=True)]
    staged = work / "unpacked"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir()
    digests: dict[str, str] = {}
    try:
        for url, archive in zip(urls, archives, strict=True):
            try:
                _unpack(url, archive, staged, digests, _known(name), tell)
            except BadInput:  # the next call begins anew
                _note_file(archive).unlink(missing_ok=True)
                archive.unlink()
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
        if _digest(file) != match[1]:
            raise BadInput(f"{file}: has changed since it was fetched: {again}")
        tell(f"checking {target.name}", done, len(rows))
    if not rows:
        raise BadInput(f"{target / SUMS}: names no files: {again}")
    tell(f"{target.name}: all {len(rows)} files are there and unchanged, nothing was fetched", len(rows), len(rows))


def _digest(file: Path) -> str:
    with open(file, "rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def _known(name: str) -> dict[str, str]:
    """The digests of the maps of a set that we know."""
    known: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("known_maps.json").read_text("utf-8"))
    return known.get(name, {})


@dataclass
class _Note:
    """What a part is a part of; `sha256` when it is whole."""

    url: str = ""
    etag: str = ""
    modified: str = ""
    total: int = 0
    sha256: str = ""

    @property
    def version(self) -> str:
        """What tells this version of the file from others; a weak tag cannot."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified


class _Dropped(Exception):
    """The connection failed or broke off: why, and whether it is worth another try."""

    def __init__(self, why: str, again: bool = True) -> None:
        super().__init__(why)
        self.again = again


def _note_file(archive: Path) -> Path:
    return archive.with_name(f"{archive.name}.json")


def _read_note(archive: Path, url: str) -> _Note:
    """The note beside an archive, or an empty one if there is none for this address."""
    with suppress(OSError, ValueError, TypeError):
        note = _Note(**json.loads(_note_file(archive).read_bytes()))
        if note.url == url and all(type(value) is type(getattr(_Note, key)) for key, value in asdict(note).items()):
            return note
    return _Note()


def _write_note(archive: Path, note: _Note) -> None:
    write_bytes(_note_file(archive), json.dumps(asdict(note)).encode(), BadInput)


def _fetch(url: str, archive: Path, tell: Tell) -> str:
    """Bring the archive here, from wherever the last attempt ended, and return its digest."""
    note = _read_note(archive, url)
    if note.sha256 and archive.is_file() and _digest(archive) == note.sha256:
        return note.sha256
    archive.unlink(missing_ok=True)
    part = archive.with_name(f"{archive.name}.part")
    first = best = _size(part)
    tries = 0
    while True:
        try:
            _continue(url, archive, part, tell)
            break
        except _Dropped as why:
            tries = 1 if _size(part) >= best + CHUNK else tries + 1
            best = max(best, _size(part))
            if tries > len(PAUSES) or not (why.again or best > first):
                raise Missing(f"{url}: cannot be fetched: {why}") from None
            time.sleep(PAUSES[tries - 1])
    note = _read_note(archive, url)
    note.sha256 = _digest(part)
    _write_note(archive, note)
    os.replace(part, archive)
    return note.sha256


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _continue(url: str, archive: Path, part: Path, tell: Tell) -> None:
    """One connection: append what is missing to the part, or begin it anew if the server has another file by now."""
    note = _read_note(archive, url)
    have = _size(part) if note.version else 0
    if have and have == note.total:
        return
    wanted = {"Range": f"bytes={have}-", "If-Range": note.version} if have else {}
    with _answer(url, wanted, part) as response:
        if response.status == 206:
            if not _goes_on(response.headers, have, note):
                part.unlink(missing_ok=True)
                raise _Dropped("the server sent another part than the one asked for")
        else:
            have = 0
            part.write_bytes(b"")
            note = _Note(url, response.headers.get("ETag", ""), response.headers.get("Last-Modified", ""))
            length = response.headers.get("Content-Length", "")
            note.total = int(length) if length.isdecimal() else 0
            _write_note(archive, note)
        _receive(response, url, part, have, note.total, tell)


def _goes_on(headers: http.client.HTTPMessage, have: int, note: _Note) -> bool:
    """Whether a partial answer begins where our part ends, and is of the same file."""
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", headers.get("Content-Range", "").strip())
    return (
        found is not None
        and int(found[1]) == have > 0
        and (found[2] == "*" or not note.total or int(found[2]) == note.total)
        and headers.get("ETag", note.etag) == note.etag
        and headers.get("Last-Modified", note.modified) == note.modified
    )


@contextmanager
def _answer(url: str, wanted: dict[str, str], part: Path) -> Iterator[http.client.HTTPResponse]:
    """The server's answer to a request, if it is a good one."""
    request = urllib.request.Request(url, headers={"User-Agent": "wayfolk"} | wanted)
    try:
        _look_up(url)
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as why:
        why.close()
        said = f"the server says {why.code} {why.reason}"
        if why.code == 416 and wanted:
            part.unlink(missing_ok=True)
        elif why.code < 500 and why.code not in (408, 429):
            raise Missing(f"{url}: cannot be fetched: {said}") from None
        raise _Dropped(said) from None
    except (OSError, http.client.HTTPException, ValueError) as why:
        cause = getattr(why, "reason", why)
        cause = cause if isinstance(cause, Exception) else why
        again = isinstance(cause, ConnectionError | http.client.HTTPException)
        raise _Dropped(reason(cause), again and not isinstance(cause, ConnectionRefusedError)) from None
    with response:
        yield response


def _look_up(url: str) -> None:
    """Raise if the host has no address, or if nobody answers the question: the system's patience may be minutes."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(host):
        return
    answers: list[Exception | None] = []

    def ask() -> None:
        try:
            socket.getaddrinfo(host, None)
            answers.append(None)
        except (OSError, ValueError) as why:
            answers.append(why)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(LOOKUP)
    problem = answers[0] if answers else TimeoutError(f"the address of {host} could not be looked up")
    if problem is not None:
        raise problem


def _receive(response: http.client.HTTPResponse, url: str, part: Path, have: int, total: int, tell: Tell) -> None:
    """Append what comes to the part; each piece is on disk before the next is asked for."""
    try:
        with open(part, "ab") as stream:
            while True:
                tell(f"fetching {url}", have, total)
                if not (chunk := _read(response)):
                    break
                have += len(chunk)
                if max(have, total) > MAX_ARCHIVE or 0 < total < have:
                    part.unlink(missing_ok=True)
                    raise BadInput(f"{url}: is larger than the {min(total or MAX_ARCHIVE, MAX_ARCHIVE)} bytes allowed")
                stream.write(chunk)
                stream.flush()
    except OSError as why:
        raise BadInput(f"{url}: cannot be saved in {part.parent}: {reason(why)}") from None
    if have < total:
        raise _Dropped(f"the connection broke off after {have} of {total} bytes")


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read1(CHUNK)
    except (OSError, http.client.HTTPException) as why:
        raise _Dropped(reason(why)) from None


def _unpack(url: str, archive: Path, staged: Path, digests: dict[str, str], known: dict[str, str], tell: Tell) -> None:
    """Write the maps and scenarios of an archive to `staged`, each as `<name>.part`, and their digests to `digests`."""
    with _reading(url):
        with open(archive, "rb") as stream:
            start = stream.read(40)
            n_entries = sum(piece.count(ENTRY) for piece in iter(lambda: stream.read(1 << 20), b""))
        if not zipfile.is_zipfile(archive):
            raise BadInput(f"{url}: is not a zip archive, it begins with {shown(start)}")
        if n_entries > MAX_ENTRIES:  # before they become objects
            raise BadInput(f"{url}: holds {n_entries} files, more than {MAX_ENTRIES}")
        zipped = zipfile.ZipFile(archive)
    with zipped:
        taken = [(entry, file) for entry in zipped.infolist() if (file := _plain(url, entry))]
        if not taken:
            raise BadInput(f"{url}: holds no maps and no scenarios")
        if sum(entry.file_size for entry, _ in taken) > MAX_UNPACKED:  # no entry gives more than it says
            raise BadInput(f"{url}: holds more than {MAX_UNPACKED} bytes")
        for done, (entry, file) in enumerate(taken, 1):
            digest = sha256()
            with open(staged / f"{file}.part", "wb") as out:
                for chunk in _contents(url, zipped, entry):
                    out.write(chunk)
                    digest.update(chunk)
            found = digest.hexdigest()
            if digests.setdefault(file, found) != found:
                raise BadInput(f"{url}: holds two files {file} that differ")
            if known.get(file, found) != found:
                raise BadInput(f"{url}: {file} is not the map we know by that name, nothing was installed")
            tell(f"unpacking {archive.name}", done, len(taken))


@contextmanager
def _reading(url: str) -> Iterator[None]:
    """Whatever a damaged or hostile archive makes of its reader is told as damage."""
    try:
        yield
    except WayfolkError:
        raise
    except Exception as why:
        raise BadInput(f"{url}: the archive is damaged: {reason(why)}") from None


def _contents(url: str, zipped: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """The bytes of an entry in pieces; its checksum is compared at the end."""
    with _reading(url):
        stream = zipped.open(entry)
    with stream:
        while True:
            with _reading(url):
                chunk = stream.read(CHUNK)
            if not chunk:
                return
            yield chunk


def _plain(url: str, entry: zipfile.ZipInfo) -> str | None:
    """The name of an entry without its folders, None if it is no map or scenario; raise if it cannot be honest."""
    *folders, name = entry.filename.replace("\\", "/").split("/")
    if ".." in (*folders, name) or (folders and (not folders[0] or ":" in folders[0])):
        raise BadInput(f"{url}: holds {shown(entry.filename)}, which leads out of its folder")
    if not NAME.fullmatch(name):
        return None
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        raise BadInput(f"{url}: holds {shown(entry.filename)}, which is not a plain file")
    if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadInput(f"{url}: holds {shown(entry.filename)}, which is encrypted or packed in an unusual way")
    return name
