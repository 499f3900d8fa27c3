"""Ctrl-C: one word, exit code 130, soon, and nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from command import OnTerminal
from wayfolk import ctrl_c
from wayfolk.formats import read_map, write_map, write_scen
from wayfolk.generate import draw_pairs, random_map
from wayfolk.problem import one_shot

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked for in /proc")
SOON = 2.0


@pytest.fixture
def crowd(tmp_path, monkeypatch):
    """A folder with a problem that takes HCA* seconds."""
    monkeypatch.chdir(tmp_path)
    write_map(random_map(64, 64, 0.2, seed=1), "crowd.map")
    grid = read_map("crowd.map", "four")
    starts, goals = draw_pairs(grid, 400, seed=1)
    write_scen(one_shot(grid, grid.places(starts), grid.places(goals)), "crowd.scen")
    return tmp_path


def session(pid):
    """The processes in the session of `pid` that still run, with their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == pid and state != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_text()
        except OSError:  # it has ended meanwhile
            continue
    return found


def gone(pid, within=SOON):
    """Whether nothing of the session of `pid` is left."""
    until = time.monotonic() + within
    while session(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not session(pid)


def interrupt(command):
    """Send what Ctrl-C sends: SIGINT to all processes of the terminal."""
    began = time.monotonic()
    os.killpg(command.process.pid, signal.SIGINT)
    said = command.ended()
    return said, time.monotonic() - began


def last_words(said):
    """What is left on the terminal after the progress line was wiped."""
    return said.err.rpartition("\x1b[2K")[2].replace("\r", "")


def test_in_the_middle_of_a_plan(crowd):
    before = sorted(crowd.iterdir())
    command = OnTerminal(
        "solve", "crowd.map", "--scen", "crowd.scen", "--with", "hca", "--save", "a.json", "--html", "a.html", "--json"
    )
    command.wait_for("expanded")
    said, took = interrupt(command)
    assert (said.code, said.out) == (130, "")
    assert last_words(said) == "wayfolk: stopped\n"
    assert took < SOON
    assert sorted(crowd.iterdir()) == before


@pytest.mark.parametrize("later", [0.0, 0.3, 2.0], ids=["starting", "loading", "working"])
def test_in_the_middle_of_the_demo(crowd, later):
    before = sorted(crowd.iterdir())
    command = OnTerminal("demo", "--agents", 400, "--loops", 50, "--out", "demo.html")
    pid = command.process.pid
    until = time.monotonic() + 30
    while not any("spawn_main" in line for line in session(pid).values()):
        assert time.monotonic() < until, "no worker was started"
        time.sleep(0.01)
    time.sleep(later)
    said, took = interrupt(command)
    assert (said.code, said.out) == (130, "")
    assert last_words(said) == "wayfolk: stopped\n"
    assert "Traceback" not in said.err
    assert took < SOON
    assert gone(pid)
    assert sorted(crowd.iterdir()) == before


DEAF = {
    "swallowed": "try: time.sleep(60)\n        except KeyboardInterrupt: pass",
    "in native code": "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)",
}
COMMAND = """
import hashlib, time
from wayfolk import cli
def deaf(**_):
    print("ready", flush=True)
    while True:
        {}
cli.app = deaf
cli.main()
"""


@pytest.mark.parametrize("how", DEAF)
def test_who_does_not_listen_is_ended(how):
    script = COMMAND.format(DEAF[how])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=10)
        finally:
            process.kill()
        assert (process.returncode, said.strip()) == (130, "wayfolk: stopped")
        assert ctrl_c.GRACE - 0.1 < time.monotonic() - began < SOON


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals are for the main thread")
def test_who_listens_is_left_alone(monkeypatch):
    monkeypatch.setattr(ctrl_c, "GRACE", 0.1)
    n_threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt), ctrl_c.obeyed():
        signal.raise_signal(signal.SIGINT)
    time.sleep(0.3)  # we would not be here if the block had been thought to go on
    assert threading.active_count() == n_threads
    found = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(found)
    assert found == -1


def test_a_thread_that_hears_no_signals(monkeypatch):
    heard = []

    def work():
        with ctrl_c.obeyed():
            heard.append("work")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert heard == ["work"]
