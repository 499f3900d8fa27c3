"""The story of a class: a teacher serves thirty students. It follows docs/class.md."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn", reason="the playground needs the extra [play]")

from playground.pages import until
from test_docs import DOCS, blocks_of, wayfolk_command
from wayfolk.playground.addresses import is_loopback

PAGE = DOCS / "class.md"
LONGEST = 240.0  # seconds: the first run compiles
SCENE = {"map": {"name": "rooms"}, "algorithm": "controllers/pibt", "agents": 20, "errand": "patrol"}


def commands():
    return [command for block in blocks_of(PAGE) for command in block.commands()]


@pytest.fixture
def address():
    """The address that the command of the page prints; the first port that is free is taken."""
    (command,) = [command for command in commands() if "wayfolk play" in command]
    words = [*shlex.split(command)[1:], "--port", "0", "--no-browser"]
    server = subprocess.Popen(
        [sys.executable, "-m", "wayfolk.cli", *words], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    watchdog = threading.Timer(600, server.kill)
    watchdog.start()
    assert server.stdout is not None
    line = server.stdout.readline()
    found = re.match(r"playground at (http://\S+) \(Ctrl-C ends it\)$", line)
    assert found, line
    yield found[1]
    watchdog.cancel()
    os.killpg(server.pid, signal.SIGKILL)
    server.wait(60)
    server.stdout.close()


def enter(address):
    """Open the printed address as a browser does; the cookie that it gives."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname, parts.port, timeout=LONGEST)
    connection.request("GET", f"{parts.path}?{parts.query}")
    answer = connection.getresponse()
    answer.read()
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].partition(";")[0]
    connection.request("GET", "/", headers={"Cookie": cookie})
    assert b"Wayfolk playground" in connection.getresponse().read()
    connection.close()
    return cookie


def test_a_teacher_follows_the_page(address):
    client = pytest.importorskip("websockets.sync.client")
    websockets = pytest.importorskip("websockets")
    (shape,) = [block.text for block in blocks_of(PAGE) if block.language == "text"]
    said, printed = (urlsplit(re.search(r"http://\S+", text)[0]) for text in (shape, address))
    assert said.query == printed.query
    assert printed.hostname not in ("0.0.0.0", "::")  # another device can open it
    cookie = enter(address)

    def connect(host):
        return client.connect(
            f"ws://{host}:{printed.port}/live", origin=f"http://{host}:{printed.port}",
            additional_headers={"Cookie": cookie}, max_size=None,
        )  # fmt: skip

    def heard(host):
        """A page that is served; a place that was given back is free after a moment."""
        stop = time.monotonic() + LONGEST
        while time.monotonic() < stop:
            page = stack.enter_context(connect(host))
            page.send("{}")
            with suppress(websockets.ConnectionClosed):
                assert json.loads(page.recv(LONGEST))["type"] == "refused"  # it has heard that this is no message
                return page
        raise AssertionError("no place became free")

    def walk(student, step):
        student.send(json.dumps({"type": "until", "panel": 0, "step": step}))
        seen = 0
        while seen < step:
            data = student.recv(LONGEST)
            if isinstance(data, bytes) and data[0] == 2:
                seen = int.from_bytes(data[4:8], "little") + int.from_bytes(data[2:4], "little") - 1

    with ExitStack() as stack:
        students = [heard(printed.hostname), *(heard("127.0.0.1") for _ in range(29))]
        for student in (students[0], students[29]):
            student.send(json.dumps({"type": "open", "panel": 0, "scene": SCENE}))
            walk(student, 5)
        with connect("127.0.0.1") as one_more:
            with pytest.raises(websockets.ConnectionClosed) as full:
                one_more.recv(LONGEST)
            assert full.value.rcvd.reason in " ".join(PAGE.read_text().split())
        students[1].close()
        heard("127.0.0.1")
    if not is_loopback(printed.hostname):
        with ExitStack() as stack:
            for _ in range(8):
                heard(printed.hostname)
            with connect(printed.hostname) as one_more, pytest.raises(websockets.ConnectionClosed) as full:
                one_more.recv(LONGEST)
            assert "this device has 8 pages open already" in full.value.rcvd.reason


def test_a_student_opens_the_address_and_the_token_is_gone(address, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    assert "token" not in page.url
    until(page, "'wayfolk' in window && wayfolk.state() === 'running' && wayfolk.time() > 1")
    assert "token" not in page.url
    assert "token" not in page.evaluate("document.cookie")
    context.close()


def test_too_many_pages_for_the_memory_are_refused_at_the_start():
    done = wayfolk_command("wayfolk play --no-browser --port 0 --pages 30 --memory 2", DOCS.parent)
    assert done.returncode == 2
    assert "30 pages need 3.0 GB or more, and 2.0 GB may be used: give fewer --pages, or more --memory" in done.stderr
    assert "Traceback" not in done.stderr
