"""Engine: run the missing jobs of a sweep on Dask, and store their rows.

The same code runs on a local cluster of processes (the default) and on the scheduler at an address. Jobs come from an
iterator, and only a few batches are under way at a time, so that memory does not grow with the number of jobs. A batch is a
list of jobs that together take about half a second. When a worker dies, the jobs it had are tried again one by one, with
nothing else under way; a job that crashes three workers becomes a row with the status `crashed`.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from wayfolk.algorithms.workers import dask_client
from wayfolk.experiments.sweeps.job import Job
from wayfolk.experiments.sweeps.store import Store
from wayfolk.experiments.sweeps.worker import FAILURES, run_job
from wayfolk.machine import n_cores

BATCH_SECONDS = 0.5
LOOK_AHEAD = 512  # jobs whose keys are looked up in the store at once
FLUSH_SECONDS = 1.0
TRIES = 3
GRACE = 60.0  # seconds that a job may take beyond twice its own limit, to load and compile
SETTINGS = {  # of Dask
    "distributed.scheduler.allowed-failures": 0,  # the batch of a lost worker is returned at once: we retry it ourselves
    "distributed.comm.timeouts.connect": "8s",
    "distributed.admin.low-level-log-length": 8,  # these logs keep whole batches in memory
    # keep freed memory for the next job: fetching it again takes a fifth of the time of short simulations
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 28,
}
Work = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class SweepProgress:
    """The progress of a sweep."""

    total: int | None = None
    done: int = 0
    skipped: int = 0
    failed: int = 0
    began: float = field(default_factory=time.perf_counter)
    tally: dict[str, list[int]] = field(default_factory=dict)  # runs and solved ones of each algorithm with options

    @property
    def best(self) -> str | None:
        """The algorithm, with its options, that has solved the largest share of its runs so far."""
        if len(self.tally) < 2:
            return None
        name, (runs, solved) = max(self.tally.items(), key=lambda entry: entry[1][1] / entry[1][0])
        return f"{name} ({solved} of {runs} solved)"

    def count(self, job: Job, row: dict[str, Any]) -> None:
        """Count one more finished job."""
        self.done += 1
        self.failed += row["status"] in FAILURES
        options = ", ".join(f"{name}={value}" for name, value in job.options.items())
        runs = self.tally.setdefault(f"{job.algorithm} {options}".strip(), [0, 0])
        runs[0] += 1
        runs[1] += row["status"] == "solved"

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return time.perf_counter() - self.began

    @property
    def eta(self) -> float | None:
        """The expected seconds until all jobs are done, if they can be estimated."""
        if self.total is None or not self.done:
            return None
        return (self.total - self.done - self.skipped) * self.seconds / self.done

    def as_dict(self) -> dict[str, Any]:
        """The keys that `wayfolk sweep --json` prints."""
        jobs = self.done + self.skipped
        return {
            "cells": jobs,
            "done": self.done,
            "skipped": self.skipped,
            "failed": self.failed,
            "seconds": self.seconds,
        }


def run_jobs(
    jobs: Iterable[Job],
    store: Store,
    *,
    total: int | None = None,
    cluster: str | None = None,
    workers: int | None = None,
    memory: int | None = None,
    tell: Callable[[SweepProgress], None] = lambda _: None,
    work: Work = run_job,
) -> SweepProgress:
    """Run the jobs that are missing from `store`; return the final progress.

    `total` is the number of jobs, if known. `cluster` is the address of a Dask scheduler; without it, `workers` local
    processes are started, each with a limit of `memory` bytes. `tell` is called with the progress now and then.
    """
    progress = SweepProgress(total)
    under_way: set[str] = set()
    todo = _missing(jobs, store, progress, under_way)
    first = next(todo, None)
    if first is None:
        return progress
    number = store.provenance(circumstances())
    with dask_client(cluster, workers, memory, SETTINGS) as client:
        _Flight(client, store, number, progress, under_way, tell, work).fly(itertools.chain([first], todo))
    return progress


def circumstances() -> dict[str, Any]:
    """The versions, commit and machine under which runs are made, for the table `provenance`."""
    import platform
    from importlib.metadata import version

    from wayfolk import __version__

    here = os.path.dirname(os.path.abspath(__file__))
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, check=False)
    model = ""
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    return {
        "wayfolk": __version__,
        "commit": commit.stdout.strip(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "system": platform.system(),
        "processor": model or platform.machine(),
        "cores": n_cores(),
    }


def _missing(jobs: Iterable[Job], store: Store, progress: SweepProgress, under_way: set[str]) -> Iterator[Job]:
    """The jobs that are not in the store, each once; their keys are `under_way` from here until they are stored."""
    source = iter(jobs)
    while part := list(itertools.islice(source, LOOK_AHEAD)):
        by_key = {job.key: job for job in part}
        fresh = by_key.keys() - store.done(list(by_key)) - under_way
        under_way.update(fresh)
        progress.skipped += len(part) - len(fresh)
        yield from (job for key, job in by_key.items() if key in fresh)


class _Flight:
    """The batches under way, and the rows that have returned but are not in the store yet."""

    def __init__(
        self,
        client: Any,
        store: Store,
        number: int,
        progress: SweepProgress,
        under_way: set[str],
        tell: Callable[[SweepProgress], None],
        work: Work,
    ) -> None:
        self.client, self.store, self.number = client, store, number
        self.progress, self.under_way, self.tell, self.work = progress, under_way, tell, work
        self.back: list[tuple[Job, dict[str, Any]]] = []
        self.flushed = time.perf_counter()
        self.pace = BATCH_SECONDS  # seconds a job takes, as far as is known
        self.suspects: list[Job] = []  # came back because a worker died
        self.tries: dict[str, int] = {}
        self.sent: dict[Any, tuple[list[Job], float, bool]] = {}

    def fly(self, todo: Iterator[Job]) -> None:
        """Keep every worker busy until all rows have returned and are stored."""
        from distributed import as_completed

        landing = as_completed()
        try:
            self._send_more(todo, landing)
            for future in landing:
                batch, began, alone = self.sent.pop(future)
                self._land(future, batch, time.perf_counter() - began, alone)
                future.release()
                self._send_more(todo, landing)
                self._flush()
        finally:  # also at Ctrl-C: rows that have returned are stored
            self._flush(now=True)
        self.tell(self.progress)

    def _send_more(self, todo: Iterator[Job], landing: Any) -> None:
        """Keep two batches for each worker under way; suspects are sent alone, when no other batch is under way."""
        if self.suspects:
            if not self.sent:
                self._send([self.suspects.pop()], landing, alone=True)
            return
        n_workers = max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
        while len(self.sent) < 2 * n_workers:
            size = max(1, min(1000, int(BATCH_SECONDS / max(self.pace, 1e-6))))
            batch = list(itertools.islice(todo, size))
            if not batch:
                return
            self._send(batch, landing)

    def _send(self, batch: list[Job], landing: Any, alone: bool = False) -> None:
        data = [(job.as_dict(), patience(job.as_dict())) for job in batch]
        future = self.client.submit(run_batch, data, self.work, pure=False, retries=0)
        self.sent[future] = batch, time.perf_counter(), alone
        landing.add(future)

    def _land(self, future: Any, batch: list[Job], took: float, alone: bool) -> None:
        if future.status == "finished":
            rows = future.result()
            self.pace = 0.5 * self.pace + 0.5 * sum(row["wall_seconds"] for row in rows) / len(rows)
            self._keep(zip(batch, rows, strict=True))
        elif not alone:  # all jobs that were queued on the worker that died: one of them may have crashed it
            self.suspects += batch
        else:
            (job,) = batch
            self.tries[job.key] = self.tries.get(job.key, 0) + 1
            limit = patience(job.as_dict())
            late = limit is not None and took >= limit
            if self.tries[job.key] < TRIES and not late:
                self.suspects.append(job)
                return
            del self.tries[job.key]
            what = f"exceeded its limit and was stopped after {took:.0f} s" if late else f"crashed {TRIES} workers"
            status = "out_of_time" if late else "crashed"
            row = {"status": status, "detail": what, "wall_seconds": took, "agents": [], "loops": []}
            self._keep([(job, row)])

    def _keep(self, rows: Iterable[tuple[Job, dict[str, Any]]]) -> None:
        for job, row in rows:
            self.back.append((job, row))
            self.progress.count(job, row)

    def _flush(self, now: bool = False) -> None:
        if self.back and (now or time.perf_counter() - self.flushed > FLUSH_SECONDS):
            self.store.add(self.back, self.number)
            self.under_way.difference_update(job.key for job, _ in self.back)
            self.back = []
            self.flushed = time.perf_counter()
            self.tell(self.progress)


def run_batch(batch: list[tuple[dict[str, Any], float | None]], work: Work) -> list[dict[str, Any]]:
    """Run a batch on a worker and return its rows. A run that far exceeds its limit ends the worker process."""
    rows = []
    for data, limit in batch:
        watch = threading.Timer(limit, os._exit, (3,)) if limit is not None else None
        if watch is not None:
            watch.daemon = True
            watch.start()
        try:
            rows.append(work(data))
        finally:
            if watch is not None:
                watch.cancel()
    return rows


def patience(data: dict[str, Any]) -> float | None:
    """The seconds that a job may take before its worker process is ended; None if it has no limit."""
    seconds = data["limits"].get("seconds")
    return None if seconds is None else 2.0 * seconds + GRACE
