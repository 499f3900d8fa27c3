"""The command line as tests use it: in this process, as a program, and as a program on a terminal."""

import os
import pty
import subprocess
import sys
import sysconfig
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from wayfolk.cli import main

PROGRAM = Path(sysconfig.get_path("scripts")) / "wayfolk"

MAP = """type octile
height 4
width 6
map
......
.@@...
......
.....@
"""
SCEN = """version 1
0 room.map 6 4 0 0 5 2 5.82842712
0 room.map 6 4 5 0 0 2 5.82842712
0 room.map 6 4 0 3 4 3 4
"""


class Said(NamedTuple):
    code: int
    out: str
    err: str


def wayfolk(*args) -> Said:
    """What a command answers, run in this process."""
    out, err = StringIO(), StringIO()
    with (
        mock.patch.object(sys, "argv", ["wayfolk", *map(str, args)]),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as left,
    ):
        main()
    return Said(left.value.code or 0, out.getvalue(), err.getvalue())


def program(*args, **options) -> Said:
    """What the installed program answers."""
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, timeout=120, **options)
    return Said(done.returncode, done.stdout, done.stderr)


class OnTerminal:
    """The installed program with a terminal for its stderr, in a session of its own."""

    def __init__(self, *args, **options) -> None:
        self.terminal, end = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, args)],
            stdout=subprocess.PIPE,
            stderr=end,
            text=True,
            start_new_session=True,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "200"},
            **options,
        )
        os.close(end)

    def wait_for(self, words: str) -> None:
        """Read the terminal until `words` are on it."""
        while words not in self.shown:
            assert self._read(), f"{words!r} was never shown, only {self.shown!r}"

    def ended(self) -> Said:
        """What it has answered in the end."""
        while self._read():
            pass
        os.close(self.terminal)
        out, _ = self.process.communicate(timeout=120)
        return Said(self.process.returncode, out, self.shown)

    def _read(self) -> bool:
        try:
            got = os.read(self.terminal, 4096).decode(errors="replace")
        except OSError:  # nobody has the other end open any more
            got = ""
        self.shown += got
        return bool(got)
