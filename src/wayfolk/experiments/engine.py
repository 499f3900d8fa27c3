"""Engine: run cells on Dask and keep what comes back, until nothing is missing.

One code path: a local cluster of processes by default, or the scheduler at an address. Cells come from an iterator and only
a few batches are under way at a time, so that a million of them never sit in memory. A batch is a list of cells that
together take about half a second. When a worker dies, the cells it had are tried again one by one, with nothing else under
way; a cell that takes three workers with it becomes a row that says so.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from wayfolk.errors import BadInput, Missing
from wayfolk.experiments.cell import Cell
from wayfolk.experiments.store import Store
from wayfolk.experiments.work import FAILURES, run_cell
from wayfolk.machine import available_bytes, n_cores

BATCH_SECONDS = 0.5
LOOK_AHEAD = 512  # cells whose keys are looked up in the store at once
FLUSH_SECONDS = 1.0
TRIES = 3
GRACE = 60.0  # seconds beyond twice its own limit that a cell may take, to load and compile
SETTINGS = {  # of Dask
    "distributed.scheduler.allowed-failures": 0,  # a lost worker's batch comes back at once: we try again our own way
    "distributed.comm.timeouts.connect": "8s",
    "distributed.admin.low-level-log-length": 8,  # these logs hold on to whole batches
    # memory that was given back would be fetched again for the next cell: a fifth of the time of short simulations
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 28,
}
Job = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class Progress:
    """How far a sweep is."""

    total: int | None = None
    done: int = 0
    skipped: int = 0
    failed: int = 0
    began: float = field(default_factory=time.perf_counter)
    tally: dict[str, list[int]] = field(default_factory=dict)  # runs and solved ones of each algorithm with options

    @property
    def best(self) -> str | None:
        """Which algorithm, with its options, has solved the largest share so far."""
        if len(self.tally) < 2:
            return None
        name, (runs, solved) = max(self.tally.items(), key=lambda entry: entry[1][1] / entry[1][0])
        return f"{name} ({solved} of {runs} solved)"

    def count(self, cell: Cell, row: dict[str, Any]) -> None:
        """One more is done."""
        self.done += 1
        self.failed += row["status"] in FAILURES
        options = ", ".join(f"{name}={value}" for name, value in cell.options.items())
        runs = self.tally.setdefault(f"{cell.algorithm} {options}".strip(), [0, 0])
        runs[0] += 1
        runs[1] += row["status"] == "solved"

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return time.perf_counter() - self.began

    @property
    def eta(self) -> float | None:
        """Seconds until all is done at the present rate, if that is known."""
        if self.total is None or not self.done:
            return None
        return (self.total - self.done - self.skipped) * self.seconds / self.done

    def as_dict(self) -> dict[str, Any]:
        """The contract of `wayfolk sweep --json`."""
        cells = self.done + self.skipped
        return {
            "cells": cells,
            "done": self.done,
            "skipped": self.skipped,
            "failed": self.failed,
            "seconds": self.seconds,
        }


def run_cells(
    cells: Iterable[Cell],
    store: Store,
    *,
    total: int | None = None,
    cluster: str | None = None,
    workers: int | None = None,
    memory: int | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
    job: Job = run_cell,
) -> Progress:
    """Run the cells that are missing from `store`. `memory` is the limit of each local worker, in bytes."""
    progress = Progress(total)
    under_way: set[str] = set()
    todo = _missing(cells, store, progress, under_way)
    first = next(todo, None)
    if first is None:
        return progress
    number = store.provenance(circumstances())
    with _client(cluster, workers, memory) as client:
        _Flight(client, store, number, progress, under_way, tell, job).fly(itertools.chain([first], todo))
    return progress


def circumstances() -> dict[str, Any]:
    """Under what a run was made."""
    import platform

    import numba
    import numpy

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
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "system": platform.system(),
        "processor": model or platform.machine(),
        "cores": n_cores(),
    }


def _missing(cells: Iterable[Cell], store: Store, progress: Progress, under_way: set[str]) -> Iterator[Cell]:
    """The cells that are not in the store, each once; their keys are `under_way` from here until they are stored."""
    source = iter(cells)
    while part := list(itertools.islice(source, LOOK_AHEAD)):
        by_key = {cell.key: cell for cell in part}
        fresh = by_key.keys() - store.done(list(by_key)) - under_way
        under_way.update(fresh)
        progress.skipped += len(part) - len(fresh)
        yield from (cell for key, cell in by_key.items() if key in fresh)


class _Flight:
    """Batches under way, and what came back but is not in the store yet."""

    def __init__(
        self,
        client: Any,
        store: Store,
        number: int,
        progress: Progress,
        under_way: set[str],
        tell: Callable[[Progress], None],
        job: Job,
    ) -> None:
        self.client, self.store, self.number = client, store, number
        self.progress, self.under_way, self.tell, self.job = progress, under_way, tell, job
        self.back: list[tuple[Cell, dict[str, Any]]] = []
        self.flushed = time.perf_counter()
        self.pace = BATCH_SECONDS  # seconds a cell takes, as far as is known
        self.suspects: list[Cell] = []  # came back because a worker died
        self.tries: dict[str, int] = {}
        self.sent: dict[Any, tuple[list[Cell], float, bool]] = {}

    def fly(self, todo: Iterator[Cell]) -> None:
        """Keep every worker busy until all is back and stored."""
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
        finally:  # Ctrl-C too: what is back is kept
            self._flush(now=True)
        self.tell(self.progress)

    def _send_more(self, todo: Iterator[Cell], landing: Any) -> None:
        """Keep two batches for each worker under way; suspects are sent alone, when everything else is back."""
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

    def _send(self, batch: list[Cell], landing: Any, alone: bool = False) -> None:
        data = [(cell.as_dict(), patience(cell.as_dict())) for cell in batch]
        future = self.client.submit(run_batch, data, self.job, pure=False, retries=0)
        self.sent[future] = batch, time.perf_counter(), alone
        landing.add(future)

    def _land(self, future: Any, batch: list[Cell], took: float, alone: bool) -> None:
        if future.status == "finished":
            rows = future.result()
            self.pace = 0.5 * self.pace + 0.5 * sum(row["wall_seconds"] for row in rows) / len(rows)
            self._keep(zip(batch, rows, strict=True))
        elif not alone:  # whoever was queued on the worker that died: one of them may be guilty
            self.suspects += batch
        else:
            (cell,) = batch
            self.tries[cell.key] = self.tries.get(cell.key, 0) + 1
            limit = patience(cell.as_dict())
            late = limit is not None and took >= limit
            if self.tries[cell.key] < TRIES and not late:
                self.suspects.append(cell)
                return
            del self.tries[cell.key]
            what = f"ran over its time and was stopped after {took:.0f} s" if late else f"took {TRIES} workers with it"
            status = "out_of_time" if late else "crashed"
            row = {"status": status, "detail": what, "wall_seconds": took, "agents": [], "loops": []}
            self._keep([(cell, row)])

    def _keep(self, rows: Iterable[tuple[Cell, dict[str, Any]]]) -> None:
        for cell, row in rows:
            self.back.append((cell, row))
            self.progress.count(cell, row)

    def _flush(self, now: bool = False) -> None:
        if self.back and (now or time.perf_counter() - self.flushed > FLUSH_SECONDS):
            self.store.add(self.back, self.number)
            self.under_way.difference_update(cell.key for cell, _ in self.back)
            self.back = []
            self.flushed = time.perf_counter()
            self.tell(self.progress)


def run_batch(batch: list[tuple[dict[str, Any], float | None]], job: Job) -> list[dict[str, Any]]:
    """On a worker: the rows of a batch. A run that neither ends nor heeds its limit takes the process with it."""
    rows = []
    for data, limit in batch:
        watch = threading.Timer(limit, os._exit, (3,)) if limit is not None else None
        if watch is not None:
            watch.daemon = True
            watch.start()
        try:
            rows.append(job(data))
        finally:
            if watch is not None:
                watch.cancel()
    return rows


def patience(data: dict[str, Any]) -> float | None:
    """How long a cell may take before its worker is given up, if it has a limit at all."""
    seconds = data["limits"].get("seconds")
    return None if seconds is None else 2.0 * seconds + GRACE


@contextlib.contextmanager
def _client(address: str | None, workers: int | None, memory: int | None) -> Iterator[Any]:
    """A client of the scheduler at `address`, or of a cluster of local processes made for this sweep."""
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'") from None
    for name in ("distributed", "distributed.worker", "distributed.nanny", "distributed.scheduler", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set(SETTINGS):
        if address is not None:
            try:
                client = Client(address, timeout=8)
            except (OSError, ValueError) as error:
                raise BadInput(f"no scheduler answers at {address}: {str(error).splitlines()[0]}") from None
            with client:
                yield client
            return
        count = n_cores() if workers is None else workers
        limit = memory or int(available_bytes() * 0.8 / count)
        with _local_cluster(count, limit) as cluster, Client(cluster) as client:
            yield client


def _local_cluster(workers: int, memory: int) -> Any:
    """Processes on this machine; one that dies while they start is no reason to give up."""
    from distributed import LocalCluster

    for attempt in range(TRIES):
        try:
            return LocalCluster(
                n_workers=workers, threads_per_worker=1, memory_limit=memory, dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )  # fmt: skip
        except RuntimeError as error:
            if attempt == TRIES - 1:
                raise BadInput(f"the workers do not start: {error}") from None
    raise AssertionError("unreachable")
