"""What runs in a panel: begun, stepped, changed, stopped, by a real worker."""

from __future__ import annotations

import json
import os
import signal
import struct
import time

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the playground needs the extra [play]")
pytest.importorskip("httpx", reason="the test client needs httpx")

from fastapi.testclient import TestClient

from wayfolk.playground import frames
from wayfolk.playground.server import make_app
from wayfolk.playground.workers import Workers

HERE = "http://127.0.0.1:8765"
LONGEST = 240.0  # seconds: the first run compiles


@pytest.fixture
def workers():
    return Workers(spare=False)


@pytest.fixture
def socket(workers):
    headers = {"host": "127.0.0.1:8765", "origin": HERE}
    with (
        TestClient(make_app(workers=workers), base_url=HERE) as client,
        client.websocket_connect("/live", headers=headers) as socket,
    ):
        yield socket


def say(socket, kind, panel=0, **rest):
    socket.send_text(json.dumps({"type": kind, "panel": panel, **rest}))


def hear(socket, *types):
    """The next message of one of `types`: a JSON object, or the bytes of a frame ("frame")."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        message = socket.receive()
        if message.get("bytes") is not None:
            if "frame" in types:
                return message["bytes"]
            continue
        said = json.loads(message["text"])
        if said["type"] in types:
            return said
        assert said["type"] not in ("failed", "stopped"), said
    raise AssertionError(f"none of {types} came")


def wait_for(condition, what):
    until = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def read_begin(data):
    step, n = struct.unpack_from("<II", data, 4)
    cells = np.frombuffer(data, "<i4", n, 12)
    return step, cells, np.frombuffer(data, "<i4", n, 12 + 4 * n)


def read_steps(data):
    n, at, steps = int.from_bytes(data[2:4], "little"), 4, []
    for _ in range(n):
        step, _, agents, *sizes = struct.unpack_from("<If5I", data, at)
        at += 28
        pairs = []
        for size in sizes:
            pairs.append(np.frombuffer(data, "<i4", 2 * size, at).reshape(-1, 2))
            at += 8 * size
        steps.append((step, *pairs, np.frombuffer(data, np.uint8, agents, at)))
        at += -(-agents // 4) * 4
    assert at == len(data)
    return steps


def scene(**changes):
    return {"map": {"name": "empty"}, "algorithm": "controllers/pibt", "agents": 8, "errand": "patrol", **changes}


def test_agents_move_only_as_far_as_the_page_asks_and_react_to_edits(socket):
    say(socket, "open", scene=scene())
    head = hear(socket, "begin")
    assert (head["width"], head["height"], head["agents"]) == (32, 24, 8)
    data = hear(socket, "frame")
    assert data[0] == frames.BEGIN
    step, cells, goals = read_begin(data)
    assert step == 0
    stride = head["width"] + 2
    offsets = np.array([dy * stride + dx for dx, dy in head["directions"]] + [0])  # the last is to stay

    say(socket, "until", step=10)
    seen, here = 0, cells.copy()
    while seen < 10:
        for number, jumps, _, _, _, ops in read_steps(hear(socket, "frame")):
            seen += 1
            assert number == seen
            assert len(jumps) == 0
            moves = ops & 15
            assert (moves <= frames.STAY).all()
            here = here + offsets[moves]
            assert len(set(here.tolist())) == 8
    assert seen == 10

    # a wall, one agent more: both are there at the next step
    say(socket, "edit", edit={"do": "block", "cells": [[0, 0], [1, 0]]})
    say(socket, "edit", edit={"do": "add", "count": 1})
    hear(socket, "edited")
    hear(socket, "edited")
    say(socket, "until", step=11)
    ((number, jumps, _, walls, _, ops),) = read_steps(hear(socket, "frame"))
    assert number == 11
    assert len(ops) == 9
    assert jumps[:, 0].tolist() == [8]
    assert {tuple(row) for row in walls.tolist()} <= {(stride + 1, 1), (stride + 2, 1)}
    assert len(goals) == 8

    say(socket, "edit", edit={"do": "goal", "agent": 99, "place": [3, 3]})
    assert "99" in hear(socket, "refused")["why"]
    say(socket, "edit", edit={"do": "put", "agent": 0, "place": [31, 23]})
    hear(socket, "edited", "refused")
    say(socket, "export", format="html")
    data = hear(socket, "frame")
    assert data[0] == frames.FILE
    assert b"<!doctype html>" in data


def test_a_search_is_shown_whole_and_again_after_a_wall(socket):
    say(
        socket,
        "open",
        scene={
            "map": {"name": "empty"},
            "kind": "search",
            "algorithm": "search/astar",
            "start": [2, 5],
            "goal": [20, 5],
        },
    )
    head = hear(socket, "track")["head"]
    assert head["search"]["path"][0] == [2, 5]
    assert [10, 5] in head["search"]["path"]
    say(socket, "edit", edit={"do": "block", "cells": [[10, 5], [10, 4], [10, 6]]})
    path = hear(socket, "track")["head"]["search"]["path"]
    assert [10, 5] not in path
    say(socket, "edit", edit={"do": "goal", "place": [10, 5]})
    assert "wall" in hear(socket, "refused")["why"]
    say(socket, "edit", edit={"do": "goal", "place": [20, 9]})
    assert hear(socket, "track")["head"]["search"]["path"][-1] == [20, 9]


def test_a_killed_worker_is_told_and_the_other_panel_goes_on(socket, workers):
    say(socket, "open", 0, scene=scene())
    hear(socket, "begin")
    first = next(iter(workers.running))
    say(socket, "open", 1, scene=scene())
    hear(socket, "begin")
    first.process.kill()
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        message = socket.receive()
        if "text" in message and message["text"] and '"stopped"' in message["text"]:
            break
    stopped = json.loads(message["text"])
    assert stopped["panel"] == 0
    assert "ended" in stopped["why"]
    say(socket, "until", 1, step=3)
    assert hear(socket, "frame")[1] == 1
    say(socket, "open", 0, scene=scene())
    assert hear(socket, "begin")["panel"] == 0


def test_a_stuck_worker_is_stopped(socket, workers):
    say(socket, "open", 0, scene=scene())
    hear(socket, "begin")
    hear(socket, "frame")
    (worker,) = workers.running
    worker.patience = 0.6
    os.kill(worker.process.pid, signal.SIGSTOP)  # it neither works nor ends
    say(socket, "until", 0, step=50)
    message = json.loads(socket.receive_text())
    assert message["type"] == "stopped"
    assert "did not answer" in message["why"]
    assert not workers.running


def test_a_page_that_does_not_read_stops_its_worker_not_the_server(socket):
    say(socket, "open", scene=scene())
    hear(socket, "frame")
    say(socket, "until", step=10**6)
    last = 0
    for _ in range(3):
        last = read_steps(hear(socket, "frame"))[-1][0]
    assert last < 10**6


def test_bodies_come_as_far_as_the_page_asks(socket):
    say(socket, "open", scene=scene(kind="crowd", algorithm="crowds/social_force"))
    head = hear(socket, "begin")
    data = hear(socket, "frame")
    assert data[0] == frames.BODIES
    step, _, present, arrived, new = struct.unpack_from("<If3I", data, 4)
    assert (step, present, arrived, new) == (0, 8, 0, 8)
    assert head["bodies"]["seconds"] == 0.1
    say(socket, "until", step=12)
    seen = 0
    while seen < 12:
        data = hear(socket, "frame")
        assert data[0] == frames.BODIES
        seen += int.from_bytes(data[2:4], "little")
    assert seen == 12


def test_what_is_reserved_comes_only_while_the_page_looks(socket):
    say(socket, "open", scene=scene(algorithm="controllers/whca"))
    hear(socket, "frame")
    say(socket, "until", step=3)
    got = 0
    while got < 3:
        data = hear(socket, "frame")
        assert data[0] == frames.STEPS
        got += int.from_bytes(data[2:4], "little")
    say(socket, "look", ahead=True)
    data = hear(socket, "frame")
    assert data[0] == frames.AHEAD
    step, rows = struct.unpack_from("<II", data, 4)
    told = np.frombuffer(data, "<i4", 3 * rows, 12).reshape(-1, 3)
    assert step == 3
    assert set(told[:, 0].tolist()) <= set(range(8))
    assert told[:, 2].min() == 1
    say(socket, "look", waits=True)
    assert hear(socket, "waits")["pairs"] == []


def test_closing_ends_the_process(socket, workers):
    say(socket, "open", scene=scene())
    hear(socket, "begin")
    (worker,) = workers.running
    say(socket, "close")
    say(socket, "until", step=1)
    assert "nothing runs" in hear(socket, "refused")["why"]
    wait_for(lambda: not worker.process.is_alive(), "the worker lives on")
