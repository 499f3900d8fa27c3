"""Ctrl-C: one word, exit code 130, soon, and nothing left behind."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from command import DEADLINE, SOON, OnTerminal, gone, session, wayfolk
from wayfolk.algorithms import catalogue
from wayfolk.cli import ctrl_c
from wayfolk.cli.app import main
from wayfolk.files.maps import read_map, write_map
from wayfolk.files.scenarios import write_scen
from wayfolk.problem.problem import one_shot
from wayfolk.world.generate import draw_pairs, random_map

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked for in /proc")


@pytest.fixture
def crowd(tmp_path, monkeypatch):
    """A folder with a problem that takes HCA* seconds."""
    monkeypatch.chdir(tmp_path)
    write_map(random_map(64, 64, 0.2, seed=1), "crowd.map")
    grid = read_map("crowd.map", "four")
    starts, goals = draw_pairs(grid, 400, seed=1)
    write_scen(one_shot(grid, grid.places(starts), grid.places(goals)), "crowd.scen")
    return tmp_path


def interrupt(command):
    """Send what Ctrl-C sends: SIGINT to all processes of the terminal."""
    began = time.monotonic()
    os.killpg(command.process.pid, signal.SIGINT)
    said = command.ended()
    return said, time.monotonic() - began


def wait_for_workers(command):
    """Wait until the command has started a process."""
    until = time.monotonic() + DEADLINE
    while not any("spawn_main" in line for line in session(command.process.pid).values()):
        assert time.monotonic() < until, "no worker was started"
        time.sleep(0.01)


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
    wait_for_workers(command)
    time.sleep(later)
    said, took = interrupt(command)
    assert (said.code, said.out) == (130, "")
    assert last_words(said) == "wayfolk: stopped\n"
    assert "Traceback" not in said.err
    assert took < SOON
    assert gone(pid)
    assert sorted(crowd.iterdir()) == before


WITH_WORKERS = 2.5 * SOON  # several processes have to end, perhaps on a busy machine
SWEEP = """name = "long"
[[sweep]]
maps = [{make = "random", width = 16, height = 16, seed = 1}]
problems = [{kind = "pairs", count = 20}]
seeds = 200_000
algorithms = ["astar"]
"""


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
def test_in_the_middle_of_a_sweep(tmp_path, terminal):
    (tmp_path / "long.toml").write_text(SWEEP)
    words = ("sweep", tmp_path / "long.toml", "--store", tmp_path / "runs.duckdb")
    command = OnTerminal(*words, "--workers", 2, "--json", terminal=terminal)
    command.wait_for("of 200000")  # what is shown is in the store
    said, took = interrupt(command)
    assert (said.code, said.out) == (130, "")
    assert "Traceback" not in said.err
    assert last_words(said).splitlines()[-1] == "wayfolk: stopped"
    if not terminal:
        assert all(line.startswith("long: ") for line in said.err.splitlines()[:-1])
    assert took < WITH_WORKERS
    assert gone(command.process.pid, WITH_WORKERS)
    shown = max(int(n) for n in re.findall(r"(\d+) of 200000", said.err))
    (kept,) = json.loads(
        wayfolk("sweep", "--store", words[-1], "--sql", "SELECT count(*) AS n FROM runs", "--json").out
    )
    assert kept["n"] >= shown > 0


@pytest.mark.parametrize("later", [0.0, 0.3, 1.0], ids=["starting", "loading", "begun"])
def test_while_the_workers_of_a_sweep_start(tmp_path, later):
    (tmp_path / "long.toml").write_text(SWEEP)
    command = OnTerminal("sweep", tmp_path / "long.toml", "--store", tmp_path / "runs.duckdb", terminal=False)
    wait_for_workers(command)
    time.sleep(later)
    said, took = interrupt(command)
    assert (said.code, said.out, said.err) == (130, "", "wayfolk: stopped\n")
    assert took < WITH_WORKERS
    assert gone(command.process.pid, WITH_WORKERS)


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
def test_in_the_middle_of_a_paper(tmp_path, terminal):
    store = tmp_path / "papers.duckdb"
    command = OnTerminal("reproduce", "arun", "nodes", "--full", "--store", store, terminal=terminal)
    wait_for_workers(command)
    if terminal:
        command.wait_for(" a second")
    said, took = interrupt(command)
    assert (said.code, said.out) == (130, "")
    assert last_words(said).splitlines()[-1] == "wayfolk: stopped"
    assert "Traceback" not in said.err
    assert took < WITH_WORKERS
    assert gone(command.process.pid, WITH_WORKERS)
    if terminal:
        rows = wayfolk("sweep", "--store", store, "--sql", "SELECT count(*) AS n FROM runs", "--json")
        assert json.loads(rows.out)[0]["n"] > 0


@pytest.mark.parametrize("later", [0.0, 1.0, 4.0], ids=["starting", "loading", "working"])
def test_in_the_middle_of_tasks_without_end_on_a_cluster(crowd, later):
    words = ("run", "crowd.map", "--random", "400", "--until", "50000", "--with", "sdp", "--cluster", "local")
    command = OnTerminal(*words, "--opt", "hosts=2", "--json", terminal=False)
    wait_for_workers(command)
    time.sleep(later)
    said, took = interrupt(command)
    assert (said.code, said.out, said.err) == (130, "", "wayfolk: stopped\n")
    assert took < WITH_WORKERS
    assert gone(command.process.pid, WITH_WORKERS)


DEAF = {
    "swallowed": "try: time.sleep(60)\n        except KeyboardInterrupt: pass",
    "in native code": "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)",
}
COMMAND = """
import hashlib, time
from wayfolk.cli import app
def deaf(**_):
    print("ready", flush=True)
    while True:
        {}
app.app = deaf
app.main()
"""


@pytest.mark.parametrize("how", DEAF)
def test_who_does_not_listen_is_ended(how):
    script = COMMAND.format(DEAF[how])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as process:
        assert select.select([process.stdout], [], [], DEADLINE)[0], "it does not start"
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert (process.returncode, err.strip()) == (130, "wayfolk: stopped")
        assert ctrl_c.GRACE - 0.1 < time.monotonic() - began < SOON


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals are for the main thread")
def test_who_listens_is_left_alone(monkeypatch):
    monkeypatch.setattr(ctrl_c, "GRACE", 0.1)
    n_threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt), ctrl_c.obeyed():
        signal.raise_signal(signal.SIGINT)
    time.sleep(0.3)  # we would not be here if the block had been thought to go on
    assert threading.active_count() == n_threads
    pipe = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(pipe)
    assert pipe == -1


def raise_another_error():
    """What DuckDB does at Ctrl-C."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("query interrupted") from None


def test_an_error_that_ctrl_c_causes_in_a_library_counts_as_ctrl_c():
    with pytest.raises(KeyboardInterrupt), ctrl_c.obeyed():
        raise_another_error()
    with pytest.raises(RuntimeError), ctrl_c.obeyed():
        raise RuntimeError("another")


def test_a_thread_that_hears_no_signals(monkeypatch):
    heard = []

    def work():
        with ctrl_c.obeyed():
            heard.append("work")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(DEADLINE)
    assert heard == ["work"]


def test_the_end_of_a_file_is_not_taken_for_ctrl_c(monkeypatch):
    def fail(family):
        raise EOFError("Ran out of input")

    monkeypatch.setattr(catalogue, "entries", fail)
    monkeypatch.setattr(sys, "argv", ["wayfolk", "list"])
    with pytest.raises(EOFError, match="Ran out of input"):
        main()
