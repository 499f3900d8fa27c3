"""The command line as tests use it: in this process, as a program, and as a program on a terminal."""

import os
import pty
import select
import signal
import subprocess
import sys
import sysconfig
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from wayfolk.cli.app import main

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


DEADLINE = 120.0  # seconds that a test waits for a program
SOON = 15.0  # seconds within which a program obeys Ctrl-C, on however busy a machine; usually some tenths of one


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
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen([PROGRAM, *map(str, args)], **pipes | options) as process:
        try:
            out, err = process.communicate(timeout=DEADLINE)
        finally:
            end_session(process.pid)
    return Said(process.returncode, out, err)


def session(pid: int) -> dict[int, str]:
    """The processes in the session of `pid` that still run, with their command lines."""
    running = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == pid and state != "Z":
                running[int(folder.name)] = (folder / "cmdline").read_text()
        except OSError:  # it has ended meanwhile
            continue
    return running


def gone(pid: int, within: float = SOON) -> bool:
    """Whether nothing of the session of `pid` is left."""
    until = time.monotonic() + within
    while session(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not session(pid)


def end_session(pid: int) -> None:
    """Kill whatever still runs in the session that `pid` leads."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


class OnTerminal:
    """The installed program in a session of its own, with a terminal for its stderr, or with a pipe."""

    def __init__(self, *args, terminal=True, **options) -> None:
        self.reader, end = pty.openpty() if terminal else os.pipe()
        self.shown = ""
        self.until = time.monotonic() + DEADLINE
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
        """Read its stderr until `words` are there."""
        while words not in self.shown:
            assert self._read(), f"{words!r} was never shown, only {self.shown!r}"

    def ended(self) -> Said:
        """What it has answered in the end."""
        while self._read():
            pass
        os.close(self.reader)
        try:
            out, _ = self.process.communicate(timeout=max(1.0, self.until - time.monotonic()))
        finally:
            end_session(self.process.pid)
        return Said(self.process.returncode, out, self.shown)

    def _read(self) -> bool:
        """Read what is there, or wait for it; False at the end."""
        ready, _, _ = select.select([self.reader], [], [], max(0.0, self.until - time.monotonic()))
        if not ready:
            end_session(self.process.pid)
            pytest.fail(f"after {DEADLINE:.0f} s it has not ended, and shown only {self.shown!r}")
        try:
            got = os.read(self.reader, 4096).decode(errors="replace")
        except OSError:  # nobody has the other end open any more
            got = ""
        self.shown += got
        return bool(got)
