"""Worker processes on Dask: those of a scheduler at an address, or local ones."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from collections.abc import Iterator, Mapping
from typing import Any

from wayfolk.errors import BadInput, Missing
from wayfolk.machine import available_bytes, n_cores, quiet_children

_TRIES = 3


@contextlib.contextmanager
def dask_client(
    address: str | None, workers: int | None, memory: int | None, settings: Mapping[str, Any], *, direct: bool = False
) -> Iterator[Any]:
    """A client of the scheduler at `address`, or of a cluster of local processes that end with this block.

    `workers` is the number of local processes, one for each core by default, `memory` the bytes that each may use, and
    `settings` are Dask's. A `direct` client speaks to the workers itself, others by way of the scheduler.
    """
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise Missing("the laboratory needs packages of its own: pip install 'wayfolk[lab]'") from None
    for name in ("distributed", "distributed.worker", "distributed.nanny", "distributed.scheduler", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set(settings):
        if address is not None:
            try:
                client = Client(address, timeout=8, direct_to_workers=direct)
            except (OSError, ValueError) as error:
                raise BadInput(f"no scheduler answers at {address}: {str(error).splitlines()[0]}") from None
            with client:
                yield client
            return
        count = n_cores() if workers is None else workers
        limit = memory or int(available_bytes() * 0.8 / count)
        with contextlib.ExitStack() as stack:
            with quiet_children():
                cluster = stack.enter_context(_local_cluster(count, limit))
                client = stack.enter_context(Client(cluster, direct_to_workers=direct))
                stack.push(lambda kind, *_: _end_workers(cluster) if kind is not None else None)
            yield client


def _local_cluster(workers: int, memory: int) -> Any:
    """Processes on this machine. If one dies while they start, they are started again, a few times."""
    from distributed import LocalCluster

    for attempt in range(_TRIES):
        try:
            return LocalCluster(
                n_workers=workers, threads_per_worker=1, memory_limit=memory, dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )  # fmt: skip
        except RuntimeError as error:
            if attempt == _TRIES - 1:
                raise BadInput(f"the workers do not start: {error}") from None
    raise AssertionError("unreachable")


def _end_workers(cluster: Any) -> None:
    """End the local processes at once, without waiting for the jobs under way."""
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid is not None:
            os.kill(nanny.pid, signal.SIGKILL)
