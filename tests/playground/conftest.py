"""A running playground, and a browser that opens it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

PATIENCE = 240  # seconds: the first run of an algorithm compiles it


@pytest.fixture(scope="session")
def playground() -> Iterator[str]:
    """The address of a server in a process of its own."""
    pytest.importorskip("uvicorn", reason="the playground needs the extra [play]")
    command = [sys.executable, "-m", "wayfolk.cli", "play", "--port", "0", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    watchdog = threading.Timer(600, server.kill)
    watchdog.start()
    assert server.stdout is not None
    line = server.stdout.readline()
    match = re.search(r"http://\S+", line)
    assert match, line
    yield match[0]
    watchdog.cancel()
    os.killpg(server.pid, signal.SIGKILL)
    server.wait(10)
    server.stdout.close()


@pytest.fixture
def page(browser: Any, playground: str) -> Iterator[Any]:
    """The playground's page in a browser; afterwards, nothing must have complained."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 860}, accept_downloads=True)
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if is_wrong(message) else None)
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(playground)
    yield page
    context.close()
    assert complaints == []


def is_wrong(message: Any) -> bool:
    """Whether the console complains; a file that is refused is answered with 400, and the browser notes that."""
    return bool(message.type == "error" and "status of 400" not in message.text)
