"""Fetches a file from the net in as many attempts as it takes: an interrupted download resumes where it ended.

Beside the archive, `mapf-map.zip`, lie

    mapf-map.zip.part         as far as it has come
    mapf-map.zip.json         from where, and which version: a part is only continued by the same file
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wayfolk.errors import BadInput, Missing
from wayfolk.files.raw import reason, shown, write_bytes

Tell = Callable[[str, int, int], None]  # what is being done; how much, of how much: bytes or files, 0 if not known

CHUNK = 1 << 16
LOOKUP = 8.0  # seconds for the name of a host
TIMEOUT = 30.0  # seconds without data
PAUSES = (0.5, 1.0, 2.0)  # seconds before a dropped connection is tried again
HOSTS = ("movingai.com", "www.movingai.com")  # hosts that any site may lead to
OUR_HOSTS = ("127.0.0.1", "::1", "localhost")
MAX_ARCHIVE = 1 << 29  # bytes; the largest archives have some tens of millions


def fetch(url: str, archive: Path, tell: Tell) -> str:
    """Fetch `url` to the file `archive`, from where the last attempt ended, and return its SHA-256."""
    note = _read_note(archive, url)
    if note.sha256 and archive.is_file() and digest_of(archive) == note.sha256:
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
    note.sha256 = digest_of(part)
    _write_note(archive, note)
    os.replace(part, archive)
    return note.sha256


def forget(archive: Path) -> None:
    """Remove an archive and what is known about it: the next attempt begins anew."""
    _note_file(archive).unlink(missing_ok=True)
    archive.unlink()


def digest_of(file: Path) -> str:
    """The SHA-256 of a file."""
    with open(file, "rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


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
            if not _resumes(response.headers, have, note):
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


def _resumes(headers: http.client.HTTPMessage, have: int, note: _Note) -> bool:
    """Whether a partial answer begins where our part ends, and is of the same file."""
    span = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", headers.get("Content-Range", "").strip())
    return (
        span is not None
        and int(span[1]) == have > 0
        and (span[2] == "*" or not note.total or int(span[2]) == note.total)
        and headers.get("ETag", note.etag) == note.etag
        and headers.get("Last-Modified", note.modified) == note.modified
    )


@contextmanager
def _answer(url: str, wanted: dict[str, str], part: Path) -> Iterator[http.client.HTTPResponse]:
    """The server's answer to a request, if it is a good one."""
    request = urllib.request.Request(url, headers={"User-Agent": "wayfolk"} | wanted)
    try:
        _look_up(url)
        response = urllib.request.build_opener(_Redirects(url)).open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as why:
        why.close()
        answer = f"the server says {why.code} {why.reason}"
        if why.code == 416 and wanted:
            part.unlink(missing_ok=True)
        elif why.code < 500 and why.code not in (408, 429):
            raise Missing(f"{url}: cannot be fetched: {answer}") from None
        raise _Dropped(answer) from None
    except (OSError, http.client.HTTPException, ValueError) as why:
        cause = getattr(why, "reason", why)
        cause = cause if isinstance(cause, Exception) else why
        again = isinstance(cause, ConnectionError | http.client.HTTPException)
        raise _Dropped(reason(cause), again and not isinstance(cause, ConnectionRefusedError)) from None
    with response:
        yield response


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to safe addresses on the same host as `url`, or on one that is listed."""

    def __init__(self, url: str) -> None:
        self.url = url

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """The request to `newurl`; raise BadInput if it leads elsewhere."""
        if not is_safe(newurl) or urlsplit(newurl).hostname not in (urlsplit(self.url).hostname, *HOSTS):
            fp.close()
            raise BadInput(f"{self.url}: leads to {shown(newurl)}, which is not https on the same host")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_safe(url: str) -> bool:
    """Whether nobody on the way can change what comes from an address: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (
            parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in OUR_HOSTS)
        )
    except ValueError:
        return False


def _look_up(url: str) -> None:
    """Raise if the host has no address, or if there is no answer: the system itself may wait for minutes."""
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
