"""The laboratory by itself: what the engine adds to a job, and whether the driver's memory grows with a sweep."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FEW, MANY = 10_000, 100_000
COLUMNS = ["what", "measured", "limit"]


def tables(maps):
    few, many = (fresh(n) for n in (FEW, MANY))
    yield (
        "The engine of the laboratory",
        f"{FEW:,} empty jobs, run by a local cluster of two workers and stored, in a fresh process; the start of the "
        "cluster is included.",
        COLUMNS,
        [
            [f"seconds for {FEW:,} jobs", few["seconds"], 40],
            ["milliseconds a job", 1e3 * few["seconds"] / FEW, 3],
            [f"milliseconds a job, of {MANY:,}", 1e3 * many["seconds"] / MANY, 3],
        ],
    )
    yield (
        "Memory of the driver",
        f"Resident megabytes of the process that runs such a sweep (with the scheduler), after {FEW:,} stored jobs and "
        f"after {MANY:,}. A ratio near 1 means that memory does not grow.",
        COLUMNS,
        [
            [f"after {FEW:,} jobs", many["after_few"], ""],
            [f"after {MANY:,} jobs", many["after_all"], ""],
            ["ratio", many["after_all"] / many["after_few"], ""],
        ],
    )


def fresh(n):
    """What a sweep of `n` jobs takes in a process of its own."""
    code = f"from benchmarks.laboratory import sweep; sweep({n})"
    root = Path(__file__).resolve().parents[1]
    ended = subprocess.run([sys.executable, "-c", code], cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(ended.stdout)


def sweep(n):
    """Run `n` jobs that do nothing; print the seconds, and the megabytes after FEW and after all of them."""
    import time

    from wayfolk.experiments.sweeps.engine import run_jobs
    from wayfolk.experiments.sweeps.store import Store

    after_few = []

    def tell(at):
        if at.done >= FEW and not after_few:
            after_few.append(resident())

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.duckdb") as store:
        began = time.perf_counter()
        run_jobs(jobs(n), store, total=n, workers=2, work=nothing, tell=tell)
        seconds = time.perf_counter() - began
        assert store.rows("SELECT count(*) AS n FROM runs WHERE status = 'solved'") == [{"n": n}]
        print(json.dumps({"seconds": seconds, "after_few": after_few[0], "after_all": resident()}))


def jobs(n):
    from wayfolk.experiments.sweeps.job import Job

    for seed in range(n):
        yield Job({"make": "random", "width": 8, "height": 8}, {"kind": "random", "agents": 2}, "hca", seed=seed)


def nothing(data):
    return {"status": "solved", "wall_seconds": 1e-4, "agents": [], "loops": []}


def resident():
    import psutil

    return psutil.Process().memory_info().rss / 1e6
