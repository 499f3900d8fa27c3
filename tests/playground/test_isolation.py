"""One page cannot stop the others: workers that hang, pages that do not read, requests that never end, too much memory.

Deadlines are far beyond need: what is compared are counts, and who goes on while another hangs.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress

import pytest

pytest.importorskip("fastapi", reason="the playground needs the extra [play]")
pytest.importorskip("httpx", reason="the test client needs httpx")

from fastapi.testclient import TestClient

from playground.test_live import HERE, LONGEST, hear, say, scene, wait_for
from playground.workers import Kept
from wayfolk.errors import TooLarge
from wayfolk.machine import memory_of
from wayfolk.playground import frames, limits, uploads, worker
from wayfolk.playground.connections import server_of
from wayfolk.playground.messages import AdvanceTo, OpenPanel, OpenWorld, ReadFile
from wayfolk.playground.outbox import MOST_LETTERS, Letter, Outbox
from wayfolk.playground.panel_scene import read_panel_scene
from wayfolk.playground.server import make_app
from wayfolk.playground.workers import Workers

HEADERS = {"host": "127.0.0.1:8765", "origin": HERE}
WHOLE_MAP = [[x, y] for y in range(24) for x in range(32)]


@pytest.fixture
def workers():
    return Workers(spare=False)


@pytest.fixture
def client(workers):
    with TestClient(make_app(workers=workers), base_url=HERE) as client:
        yield client


@contextmanager
def a_limit(stop):
    """Call `stop` if what follows takes far too long; yields an event that says whether it was called."""
    is_late = threading.Event()
    timer = threading.Timer(LONGEST, lambda: (is_late.set(), stop()))
    timer.start()
    yield is_late
    timer.cancel()


# --- workers that hang


def test_a_stopped_worker_stops_nobody_else(client, workers):
    edit = {"do": "block", "cells": (WHOLE_MAP * 30)[: limits.MAX_EDIT_CELLS]}
    with (
        client.websocket_connect("/live", headers=HEADERS) as one,
        client.websocket_connect("/live", headers=HEADERS) as other,
    ):
        say(one, "open", scene=scene())
        hear(one, "begin")
        (hung,) = workers.running
        os.kill(hung.process.pid, signal.SIGSTOP)
        with a_limit(hung.process.kill) as is_late:
            for _ in range(12):
                say(one, "edit", edit=edit)
            say(other, "open", scene=scene())
            hear(other, "begin")
            say(other, "until", step=3)
            hear(other, "frame")
            assert client.get("/api/maps").status_code == 200
            assert hung.process.is_alive()
            assert not is_late.is_set()


def test_what_waits_for_a_worker_is_bounded_and_refused_in_a_sentence(client, workers):
    with client.websocket_connect("/live", headers=HEADERS) as page:
        say(page, "open", scene=scene())
        hear(page, "begin")
        (hung,) = workers.running
        os.kill(hung.process.pid, signal.SIGSTOP)
        for _ in range(limits.QUEUED_MESSAGES + 20):
            say(page, "edit", edit={"do": "block", "cells": (WHOLE_MAP * 3)[:2000]})
        assert "too much waits for it already" in hear(page, "refused")["why"]
        assert len(hung._queue) <= limits.QUEUED_MESSAGES


def test_the_watchdog_does_not_wait_for_the_loop(workers):
    async def main():
        workers.begin()
        heard = asyncio.Queue()
        process = workers.take(object())
        process.listen(heard.put_nowait)
        process.tell(OpenWorld(OpenPanel(panel=0, scene=read_panel_scene(scene()))))
        while b'"begin"' not in (await asyncio.wait_for(heard.get(), LONGEST))[:40]:
            pass
        os.kill(process.process.pid, signal.SIGSTOP)
        while process.process.is_alive():  # nothing else runs in this loop
            process.patience = (
                0.3  # again and again: what the worker said before it was stopped may still be on its way
            )
            process.until(AdvanceTo(panel=0, step=10))
            time.sleep(0.02)
        return process.why

    with a_limit(workers.end) as is_late:
        why = asyncio.run(main())
    workers.end()
    assert not is_late.is_set()
    assert why == "the algorithm was stopped: it did not answer for 0.3 seconds"


# --- pages that do not read


def test_a_worker_waits_while_nobody_takes_what_it_says(workers):
    async def main():
        heard = []
        process = workers.take(object())
        process.listen(lambda data: heard.append(data) if data else None)
        process.tell(OpenWorld(OpenPanel(panel=0, scene=read_panel_scene(scene()))))
        process.until(AdvanceTo(panel=0, step=100_000))
        while not process.is_full:
            await asyncio.sleep(0.02)
        n_full = len(heard)
        await asyncio.sleep(0.3)
        assert len(heard) == n_full <= limits.UNSENT_MESSAGES
        assert not process.is_silent()
        for data in heard[:5]:
            process.sent(data)
        while len(heard) < n_full + 5:
            await asyncio.sleep(0.02)
        workers.give_back(process)

    asyncio.run(asyncio.wait_for(main(), LONGEST))


def test_of_moments_only_the_newest_waits():
    async def main():
        sent, dropped, is_read = [], [], asyncio.get_running_loop().create_future()

        async def send(data):
            await is_read
            sent.append(data)

        outbox = Outbox(send)
        task = asyncio.create_task(outbox.run())
        outbox.put(Letter("first"))
        await asyncio.sleep(0)
        for i in range(1000):
            outbox.put(Letter(f"ahead {i}", (0, frames.AHEAD), None, lambda i=i: dropped.append(i)))
            outbox.put(Letter(f"waits {i}", (0, "waits")))
            assert len(outbox.letters) <= 2
        outbox.put(Letter("last"))
        is_read.set_result(None)
        while "last" not in sent:
            await asyncio.sleep(0)
        task.cancel()
        assert sent == ["first", "ahead 999", "waits 999", "last"]
        assert dropped == list(range(999))

    asyncio.run(asyncio.wait_for(main(), LONGEST))


def test_a_page_that_does_not_take_its_answers_is_not_heard_either():
    async def main():
        outbox = Outbox(lambda data: asyncio.sleep(LONGEST))
        for _ in range(MOST_LETTERS - 1):
            outbox.put(Letter("refused"))
            await outbox.room()
        outbox.put(Letter("refused"))
        hearing = asyncio.create_task(outbox.room())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not hearing.done()
        outbox.letters.popleft()
        outbox.put(Letter("ahead", (0, frames.AHEAD)))
        outbox.letters.popleft()
        outbox.put(Letter("ahead", (0, frames.AHEAD)))
        await hearing

    asyncio.run(asyncio.wait_for(main(), LONGEST))


@pytest.fixture
def address(workers):
    """A real server in a thread, as (host, port)."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = server_of(make_app(port=port, workers=workers))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield "127.0.0.1", port
    server.should_exit = True
    thread.join(60)
    assert not thread.is_alive()


def test_a_slow_reader_gets_everything_in_the_end_and_files_wait(address, workers):
    client = pytest.importorskip("websockets.sync.client")
    with client.connect(
        f"ws://127.0.0.1:{address[1]}/live", origin=f"http://127.0.0.1:{address[1]}", max_size=None, max_queue=1
    ) as page:
        page.send(json.dumps({"type": "open", "panel": 0, "scene": scene(agents=100)}))
        while not isinstance(page.recv(LONGEST), bytes):
            pass
        (process,) = workers.running
        page.send(json.dumps({"type": "look", "panel": 0, "ahead": True}))
        page.send(json.dumps({"type": "until", "panel": 0, "step": 200}))
        most = 0
        for _ in range(40):
            page.send(json.dumps({"type": "export", "panel": 0, "format": "html"}))
            most = max(most, process._unsent)
        wait_for(lambda: process.is_full or process._unsent > 4, "nothing piles up although nobody reads")
        most = max(most, process._unsent)
        steps = files = 0
        while steps < 200 or files < 40:
            data = page.recv(LONGEST)
            most = max(most, process._unsent)
            if isinstance(data, bytes) and data[0] == frames.STEPS:
                assert int.from_bytes(data[4:8], "little") == steps + 1  # none is missing
                steps += int.from_bytes(data[2:4], "little")
            elif isinstance(data, bytes) and data[0] == frames.FILE:
                files += data[2:4] == bytes(2)
        assert most <= limits.UNSENT_MESSAGES


def test_a_page_that_never_reads_is_closed_and_its_worker_ended(address, workers, monkeypatch):
    client = pytest.importorskip("websockets.sync.client")
    websockets = pytest.importorskip("websockets")
    monkeypatch.setattr(limits, "STALLED_SECONDS", 0.5)
    port = address[1]
    with client.connect(
        f"ws://127.0.0.1:{port}/live", origin=f"http://127.0.0.1:{port}", max_size=None, max_queue=1, close_timeout=0
    ) as page:
        page.send(json.dumps({"type": "open", "panel": 0, "scene": scene(agents=100)}))
        while not isinstance(page.recv(LONGEST), bytes):
            pass
        (process,) = workers.running
        with suppress(websockets.ConnectionClosed):
            for _ in range(60):
                page.send(json.dumps({"type": "export", "panel": 0, "format": "html"}))
        wait_for(lambda: not workers.running, "the page is still served")
    wait_for(lambda: not process.process.is_alive(), "the worker of the page lives on")


# --- requests that never end


@pytest.mark.parametrize(
    "begun",
    [
        b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nhost: 127.0.0.1:%d\r\nx: ",
        b"POST /api/read HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-length: 1000\r\n\r\nabc",
    ],
)  # fmt: skip
def test_a_request_that_is_never_whole_ends(address, begun, monkeypatch):
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.5)
    with socket.create_connection(address, timeout=LONGEST) as client:
        client.sendall(begun % address[1] if b"%d" in begun else begun)
        with suppress(ConnectionResetError):
            while client.recv(1000):  # an answer that says so may come first
                pass


def test_a_request_that_comes_letter_by_letter_ends(address, monkeypatch):
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.5)
    with socket.create_connection(address, timeout=LONGEST) as client:
        until = time.monotonic() + LONGEST
        with suppress(ConnectionError):
            while time.monotonic() < until:
                client.sendall(b"x")
                time.sleep(0.02)
    assert time.monotonic() < until


def test_of_many_unfinished_requests_the_oldest_end(address, monkeypatch):
    monkeypatch.setattr(limits, "UNFINISHED", 5)
    clients = [socket.create_connection(address, timeout=LONGEST) for _ in range(12)]
    for client in clients[:7]:
        with suppress(ConnectionResetError):
            assert client.recv(10) == b""
    clients[-1].sendall(b"GET /api/maps HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n\r\n" % address[1])
    assert b"200 OK" in clients[-1].recv(100)
    for client in clients:
        client.close()


def test_an_answer_that_is_never_taken_ends(address, monkeypatch):
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.5)
    request = b"GET /api/algorithms HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n\r\n" % address[1]
    with socket.create_connection(address, timeout=LONGEST) as client:
        client.sendall(100 * request)  # more than fits into the buffers of both ends
        until = time.monotonic() + LONGEST
        with suppress(ConnectionError):
            while time.monotonic() < until:
                client.sendall(b"G")  # what it sends does not help
                time.sleep(0.05)
    assert time.monotonic() < until


def test_a_page_stays_open_longer_than_a_request_may_take(address, monkeypatch):
    client = pytest.importorskip("websockets.sync.client")
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.2)
    port = address[1]
    with client.connect(f"ws://127.0.0.1:{port}/live", origin=f"http://127.0.0.1:{port}") as page:
        time.sleep(0.6)
        page.send("{}")
        assert json.loads(page.recv(LONGEST))["type"] == "refused"


# --- memory


def test_the_page_that_takes_the_most_memory_is_stopped_and_told(client, workers):
    with (
        client.websocket_connect("/live", headers=HEADERS) as small,
        client.websocket_connect("/live", headers=HEADERS) as large,
    ):
        say(small, "open", scene=scene())
        hear(small, "begin")
        (modest,) = workers.running
        say(large, "open", scene=scene(map={"name": "large-rooms"}, agents=400, errand="tasks"))
        hear(large, "begin")
        (greedy,) = workers.running - {modest}
        used = memory_of([modest.process.pid, greedy.process.pid])
        assert used[greedy.process.pid] > used[modest.process.pid]
        workers.memory = sum(used.values()) - 1
        until = time.monotonic() + LONGEST
        told = {}
        while told.get("type") != "stopped" and time.monotonic() < until:
            message = large.receive()
            told = json.loads(message["text"]) if message.get("text") else {}
        assert "all pages together take more than" in told["why"]
        assert "this page takes the most" in told["why"]
        assert workers.running == {modest}
        say(small, "until", step=2)
        hear(small, "frame")


def test_a_process_can_be_given_a_limit():
    if sys.platform != "linux":
        pytest.skip("only Linux limits the memory of a process")
    code = "import numpy as np; from wayfolk.machine import limit_memory; limit_memory(100_000_000)\n"
    code += "np.ones(1_000_000)\ntry: np.ones(100_000_000)\nexcept MemoryError: print('refused')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONGEST, check=True)
    assert done.stdout == "refused\n"


# --- files


def test_files_are_read_in_a_process_of_their_own(client, workers, monkeypatch):
    monkeypatch.setattr(uploads, "read_upload", lambda name, data: pytest.fail("the server has opened a file"))
    text = '[world]\nmake="random"\nwidth=1000\nheight=1000\n[[group]]\ncount=10000\ntask_area=[0,0,1000,1000]\n'
    answer = client.post("/api/read", content=text.encode())
    assert answer.status_code == 200
    assert len(answer.json()["journeys"]) == 10_000
    assert not workers.running


def test_a_file_that_takes_too_much_memory_is_refused_in_a_sentence(monkeypatch):
    allowed = []

    def read(name, data):
        raise MemoryError

    monkeypatch.setattr("wayfolk.machine.limit_memory", allowed.append)
    monkeypatch.setattr(uploads, "read_upload", read)
    pipe = Kept()
    reader = worker.Worker(pipe)
    reader.guarded(reader.hear, ReadFile("x.map", b""))
    assert allowed == [limits.READ_BYTES]
    (said,) = pipe.sent
    assert json.loads(said[2:])["why"] == "reading the file takes more than 1.5 GB of memory"


def test_a_file_that_nobody_waits_for_is_not_read_on(workers):
    async def gone():
        return True

    with pytest.raises(TooLarge):
        asyncio.run(workers.read("x.map", b"type octile\n", gone))
    assert not workers.running


def test_files_that_wait_are_counted_for_each_device_and_in_total(workers):
    def place(who):
        return stack.enter_context(workers.place_to_read(who))

    for _ in range(2):
        with ExitStack() as stack:
            for _ in range(limits.READS_A_DEVICE):
                place("10.0.0.1")
            with pytest.raises(TooLarge, match="too many files"):
                place("10.0.0.1")
            for i in range(limits.WAITING_READS - limits.READS_A_DEVICE):
                place("127.0.0.1" if i % 2 else f"10.0.1.{i}")
            with pytest.raises(TooLarge, match="too many files"):
                place("10.0.0.2")
        assert not workers._reads


def test_scenes_cannot_be_begun_too_fast(client, workers, monkeypatch):
    begun = []
    monkeypatch.setattr("wayfolk.playground.sessions.Session.open", lambda self, scene: begun.append(scene))
    with client.websocket_connect("/live", headers=HEADERS) as page:
        for _ in range(3 * limits.OPENS_BURST):
            say(page, "open", scene=scene())
        assert "begins scenes too fast" in hear(page, "refused")["why"]
        assert limits.OPENS_BURST <= len(begun) < 3 * limits.OPENS_BURST


def test_when_a_page_goes_its_workers_end(client, workers):
    with client.websocket_connect("/live", headers=HEADERS) as page:
        for panel in (0, 1):
            say(page, "open", panel, scene=scene())
        hear(page, "begin")
        hear(page, "begin")
        begun = list(workers.running)
        assert len(begun) == 2
    for process in begun:
        wait_for(lambda process=process: not process.process.is_alive(), "a worker of the page lives on")
    assert not workers.running
