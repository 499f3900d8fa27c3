"""Files of machine code: checked when they are read, written whole or not at all, removed when unused.

A file begins with a digest of its name and of what follows, so that a file which is empty, cut short, overwritten or put
in another's place is noticed before any of it is run. Such a file counts as missing: the code is compiled again.

Whoever can write these files can run code. So files and folders are made for their owner alone, and a file is not used if
it or its folder belongs to another user than the administrator, or if others can write to it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
import time
from functools import cache
from pathlib import Path

KEEP_DAYS = 30  # files that no process has read for this long are removed
DAY = 86400.0
N_HEAD = 32  # bytes of the digest
_complaints: list[str] = []


def read(file: Path, is_installed: bool = False) -> bytes | None:
    """The contents of `file`, None if there is no such file or it cannot be used.

    A file that was installed with the sources is trusted as they are, whoever owns it.
    """
    try:
        with file.open("rb") as stream:
            why = "" if is_installed else _distrust(os.fstat(stream.fileno()), "the file") or _distrust_folders(file)
            if why:
                complain(f"the compiled code in {file} is not used, {why}: compiling it again")
                return None
            data = stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        complain(f"cannot read the compiled code in {file} ({error.strerror}): compiling it again")
        return None
    contents = data[N_HEAD:]
    if data[:N_HEAD] != _digest(file, contents):
        complain(f"the compiled code in {file} is damaged: compiling it again")
        return None
    with contextlib.suppress(OSError):  # the file may belong to the administrator
        if not is_installed and time.time() - file.stat().st_mtime > DAY:
            os.utime(file)  # it is in use
    return contents


def write(file: Path, contents: bytes) -> None:
    """Keep `contents` in `file`; a disk that takes no more costs time in the next process, and nothing else."""
    draft, home = file.with_name(f"{file.name}.{secrets.token_hex(8)}"), file.parent.parent
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        for folder in (home, file.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        why = _distrust_folders(file)
        if why:
            complain(f"compiled code is not kept in {home}, {why}: the next run compiles it again")
            return
        draft.touch(mode=0o600, exist_ok=False)
        draft.write_bytes(_digest(file, contents) + contents)
        draft.replace(file)
    except OSError as error:
        complain(f"cannot keep compiled code in {home} ({error.strerror}): the next run compiles it again")
        with contextlib.suppress(OSError):
            draft.unlink()
    else:
        _remove_unused(home)


def _distrust_folders(file: Path) -> str:
    """Why the two folders that hold `file` may hold another's code, "" if they do not."""
    folders = file.parent.parent, file.parent
    return next((why for folder in folders if (why := _distrust(folder.stat(), f"the folder {folder}"))), "")


def _distrust(status: os.stat_result, what: str) -> str:
    """Why `what` may hold another's code, "" if it does not. The administrator's code is trusted."""
    if not hasattr(os, "geteuid"):  # not on every system
        return ""
    if status.st_uid not in (0, os.geteuid()):
        return f"since {what} belongs to another user"
    return f"since others can write to {what}" if status.st_mode & 0o022 else ""


def complain(sentence: str) -> None:
    """Print one line on stderr; only the first complaint of a process is printed."""
    if not _complaints:
        _complaints.append(sentence)
        print(f"wayfolk: {sentence}", file=sys.stderr, flush=True)


def _digest(file: Path, contents: bytes) -> bytes:
    return hashlib.sha256(file.name.encode() + contents).digest()


@cache
def _remove_unused(home: Path) -> None:
    """Remove the files and folders in `home` that have not been used for long, once in a process that compiles."""
    oldest = time.time() - KEEP_DAYS * DAY
    for folder, folders, files in os.walk(home, topdown=False):
        for name in [*files, *folders]:
            path = Path(folder, name)
            with contextlib.suppress(OSError):  # another process was faster, or the folder is not empty
                if path.lstat().st_mtime < oldest:
                    if name in folders:
                        path.rmdir()
                    else:
                        path.unlink()
