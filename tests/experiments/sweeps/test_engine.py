"""Sweeps end with the same rows whatever is killed on the way."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wayfolk.errors import BadInput
from wayfolk.experiments.sweeps.engine import SweepProgress, run_jobs
from wayfolk.experiments.sweeps.job import Job
from wayfolk.experiments.sweeps.spec import read_spec
from wayfolk.experiments.sweeps.store import Store
from wayfolk.experiments.sweeps.worker import run_job

SPEC = """
name = "small"
[[sweep]]
maps = [{make = "random", width = 24, height = 24, blocked = 0.15, seed = [1, 2, 3, 4]}]
moves = "four"
problems = [{kind = "random", agents = [30, 60]}]
seeds = 4
limits = {steps = 200}
algorithms = [{name = "whca", options = {window = [8, 16]}}, "hca"]
"""
MEASURED = "key, map, algorithm, options, seed, status, n_agents, expanded, sum_of_costs, makespan, faults"


def jobs(n, **changes):
    settings = {"map": {"make": "random", "width": 6, "height": 6}, "problem": {"kind": "random", "agents": 2}}
    return [Job(**(settings | {"algorithm": "hca", "seed": k} | changes)) for k in range(n)]


def table(file):
    with Store(file, read_only=True) as store:
        return store.rows(f"SELECT {MEASURED} FROM runs ORDER BY key")


def quick_row(data):
    return {"status": "solved", "seconds": 0.0, "wall_seconds": 1e-4, "agents": [], "loops": []}


def counted_row(data):
    counted_row.calls = getattr(counted_row, "calls", 0) + 1
    return quick_row(data) | {"turn": counted_row.calls}


def deadly_row(data):
    if data["seed"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return quick_row(data)


def endless_row(data):
    if data["seed"] == 1:
        time.sleep(60)
    return quick_row(data)


def hungry_row(data):
    if data["seed"] == 1:
        raise MemoryError("no room")
    return quick_row(data)


def test_a_cell_that_kills_its_worker_becomes_a_row_that_says_so(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        outcome = run_jobs(jobs(8), store, total=8, workers=2, work=deadly_row)
        rows = store.rows("SELECT seed, status, detail FROM runs ORDER BY seed")
    assert (outcome.done, outcome.failed) == (8, 1)
    assert [row["status"] for row in rows] == ["solved"] * 3 + ["crashed"] + ["solved"] * 4
    assert "crashed 3 workers" in rows[3]["detail"]


def test_a_cell_that_never_ends_is_stopped(tmp_path, monkeypatch):
    import wayfolk.experiments.sweeps.engine as engine

    monkeypatch.setattr(engine, "GRACE", 1.0)
    before, _, after = jobs(3, limits={"seconds": 3600.0})  # on a busy machine a quick cell takes long too
    limited = [before, jobs(3, limits={"seconds": 1.0})[1], after]
    with Store(tmp_path / "a.duckdb") as store:
        run_jobs(limited, store, total=3, workers=1, work=endless_row)
        rows = store.rows("SELECT seed, status, detail FROM runs ORDER BY seed")
    assert [row["status"] for row in rows] == ["solved", "out_of_time", "solved"]


def test_errors_are_rows(tmp_path):
    impossible = jobs(1, problem={"kind": "random", "agents": 99})[0]
    row = run_job(impossible.as_dict())
    assert row["status"] == "error"
    assert "99 agents" in row["detail"]
    assert run_job(jobs(1, algorithm="astar")[0].as_dict())["detail"].startswith("astar finds single paths")


def test_finished_cells_are_skipped_and_doubles_run_once(tmp_path):
    with Store(tmp_path / "a.duckdb") as store:
        assert run_jobs(jobs(5), store, work=quick_row, workers=1).as_dict()["done"] == 5
        again = run_jobs(jobs(7) + jobs(7), store, work=quick_row, workers=1)
    assert (again.done, again.skipped) == (2, 12)


def test_a_double_runs_once_wherever_it_comes(tmp_path):
    """Beside the first, while that is under way, and long after it was stored."""
    first = jobs(1)
    doubled = [*first, *first, *jobs(1500)[1:], *first, *jobs(1500)[700:]]
    with Store(tmp_path / "a.duckdb") as store:
        outcome = run_jobs(doubled, store, work=counted_row, workers=1)
        assert store.rows("SELECT count(*) AS n FROM runs") == [{"n": 1500}]
        assert store.rows("SELECT max(turn) AS most FROM runs") == [{"most": 1500}], "how often the job was called"
    assert (outcome.done, outcome.skipped) == (1500, len(doubled) - 1500)


def test_the_driver_remembers_only_what_is_under_way(tmp_path, monkeypatch):
    import wayfolk.experiments.sweeps.engine as engine

    monkeypatch.setattr(engine, "FLUSH_SECONDS", 0.0)
    most, flights = [0], []
    begin = engine._Flight.__init__

    def watched(self, *args):
        begin(self, *args)
        flights.append(self)

    def watch(at: SweepProgress):
        most[0] = max(most[0], len(flights[0].under_way))

    monkeypatch.setattr(engine._Flight, "__init__", watched)
    with Store(tmp_path / "a.duckdb") as store:
        run_jobs(jobs(12_000), store, work=quick_row, workers=1, tell=watch)
    assert 0 < most[0] < 4000  # two batches of at most 1000, one that waits, and the look ahead
    assert flights[0].under_way == set()


def test_cells_are_drawn_only_as_they_are_needed(tmp_path):
    drawn, most = [0], [0]

    def endless():
        for job in jobs(4000):
            drawn[0] += 1
            yield job

    def watch(at: SweepProgress):
        most[0] = max(most[0], drawn[0] - at.done)

    with Store(tmp_path / "a.duckdb") as store:
        run_jobs(endless(), store, work=quick_row, workers=1, tell=watch)
    assert drawn[0] == 4000
    assert most[0] < 3600


def test_an_unreachable_scheduler_is_named(tmp_path):
    began = time.perf_counter()
    with (
        Store(tmp_path / "a.duckdb") as store,
        pytest.raises(BadInput, match=r"no scheduler answers at tcp://127\.0\.0\.1:1"),
    ):
        run_jobs(jobs(2), store, cluster="tcp://127.0.0.1:1")
    assert time.perf_counter() - began < 60


def sweep(spec, store, *more):
    command = [sys.executable, "-m", "wayfolk.cli", "sweep", str(spec), "--store", str(store), "--json", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def finish(process):
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error.decode()
    return out


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    spec = folder / "small.toml"
    spec.write_text(SPEC)
    with Store(folder / "calm.duckdb") as store:
        run_jobs(read_spec(spec).jobs(), store, workers=2)
    return spec, table(folder / "calm.duckdb")


def children(pid):
    """The processes below `pid`."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int(entry.joinpath("stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                pids += [int(entry.name), *children(int(entry.name))]
    return pids


def is_worker(pid):
    """Whether a process is one of Dask's workers; one that has ended meanwhile is not."""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_killed_driver_loses_and_doubles_nothing(undisturbed, tmp_path):
    spec, expected = undisturbed
    luck = random.Random(5)
    store = tmp_path / "killed.duckdb"
    for _ in range(2):
        process = sweep(spec, store)
        time.sleep(luck.uniform(2.0, 5.0))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
    finish(sweep(spec, store))
    assert table(store) == expected


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to find workers")
def test_killed_workers_lose_nothing(undisturbed, tmp_path):
    spec, expected = undisturbed
    store = tmp_path / "workers.duckdb"
    process = sweep(spec, store)
    killed, most = 0, 2  # fewer than the tries to start workers: on a busy machine all of these may be starting still
    until = time.monotonic() + 60
    while process.poll() is None and killed < most and time.monotonic() < until:
        time.sleep(1.0)
        below = [pid for pid in children(process.pid) if is_worker(pid)]
        if len(below) == 2:  # both have begun, or begun again
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(below), signal.SIGKILL)
                killed += 1
    finish(process)
    assert killed > 0
    assert table(store) == expected


def test_the_same_sweep_runs_on_a_scheduler_of_its_own(undisturbed, tmp_path):
    spec, expected = undisturbed
    file = tmp_path / "scheduler.json"
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    flags = ["--port", "0", "--dashboard-address", ":0", "--scheduler-file", str(file)]
    processes = [subprocess.Popen([*start, *flags], **quiet)]
    try:
        until = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < until, "the scheduler does not start"
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        work = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
        processes += [subprocess.Popen(work, **quiet) for _ in range(2)]
        finish(sweep(spec, tmp_path / "cluster.duckdb", "--cluster", address))
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(20)
    assert table(tmp_path / "cluster.duckdb") == expected
