"""Unpacks archives of maps and scenarios, none of which is trusted: sizes, names and checksums are all checked."""

from __future__ import annotations

import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from wayfolk.errors import BadInput, WayfolkError
from wayfolk.files.fetch import CHUNK, Tell
from wayfolk.files.raw import reason, shown

NAME = re.compile(r"[A-Za-z0-9_(][\w ()+,.'!&-]{0,99}\.(map|scen)", re.ASCII)
ENTRY = b"PK\1\2"  # each entry of a zip's directory begins with it
MAX_UNPACKED = 1 << 31  # bytes of all files in an archive
MAX_ENTRIES = 20_000


def unpack(url: str, archive: Path, staged: Path, digests: dict[str, str], known: dict[str, str], tell: Tell) -> None:
    """Write the maps and scenarios of an archive to `staged`, each as `<name>.part`, and their SHA-256 to `digests`.

    `url` is where the archive is from, for messages; `known` has the digests of maps that must be as they were.
    """
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
            hexadecimal = digest.hexdigest()
            if digests.setdefault(file, hexadecimal) != hexadecimal:
                raise BadInput(f"{url}: holds two files {file} that differ")
            if known.get(file, hexadecimal) != hexadecimal:
                raise BadInput(f"{url}: {file} is not the map we know by that name, nothing was installed")
            tell(f"unpacking {archive.name}", done, len(taken))


@contextmanager
def _reading(url: str) -> Iterator[None]:
    """Any error of the reader means that the archive is damaged, or hostile."""
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
    """The name of an entry without its folders, None if it is no map or scenario; raise if it is suspicious."""
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
