"""Bytes of files: read whole, written at once, and complaints that name the file and the offender.

Writers make a temporary file beside the target and rename it, so a reader never sees half a file.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from wayfolk.errors import BadInput

File = str | os.PathLike[str]

MAX_BYTES = 1 << 30  # no map, scenario or plan that fits in memory is larger
MOST_REASON = 300  # characters that a complaint repeats
ROOM, MOST_GAPS = 1 << 20, 100  # a table may have so many gaps, and so many more for each value that is given


def read_bytes(file: File, error: type[BadInput]) -> bytearray:
    """All of `file`, which must not be empty; what the system objects to is raised as `error`."""
    data = bytearray()
    try:
        with open(file, "rb") as stream:
            while chunk := stream.read(1 << 20):
                data += chunk
                if len(data) > MAX_BYTES:  # a device may never end
                    raise error(f"{file}: the file is larger than {MAX_BYTES} bytes")
    except (OSError, ValueError) as why:
        raise error(f"{file}: cannot be read: {reason(why)}") from None
    if not data:
        raise error(f"{file}: the file is empty")
    return data


def write_bytes(file: File, data: bytes, error: type[BadInput]) -> None:
    """Replace `file` by `data` at once, or leave everything as it was and raise `error`."""
    try:
        target = Path(file)
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)  # a pipe or a device cannot be replaced
            return
        target = Path(os.path.realpath(file))
        temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with open(temporary, "xb") as stream:
                stream.write(data)
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as why:
        raise error(f"{file}: cannot be written: {reason(why)}") from None


def check_room(n_values: int, n_given: int) -> None:
    """Raise BadInput if a file that gives so few values would become a table of so many, as a few long rows make it."""
    if n_values > ROOM + MOST_GAPS * n_given or n_values > MAX_BYTES:
        raise BadInput(f"{n_given} values would become a table of {n_values}, which is too large")


def reason(why: Exception) -> str:
    """What happened, in at most `MOST_REASON` characters, without the number and the file name that an OSError adds."""
    text = (isinstance(why, OSError) and why.strerror) or str(why) or type(why).__name__
    return text if len(text) <= MOST_REASON else f"{text[: MOST_REASON - 3]}..."


def shown(offender: object) -> str:
    """The offender in quotes, cut to a length that fits a sentence; a list or an object only by its size."""
    if isinstance(offender, list | dict) and len(offender) > 4:
        return f"a {type(offender).__name__} of {len(offender)} items"
    text = offender[:99].decode("utf-8", "replace") if isinstance(offender, bytes | bytearray) else str(offender)
    quoted = ascii(text[:99])
    return quoted if len(quoted) <= 42 else f"{quoted[:38]}...{quoted[0]}"
