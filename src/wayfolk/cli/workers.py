"""Work in several processes, which end with this one: at Ctrl-C, at an error, and when it is killed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import TypeVar

from wayfolk.errors import TooLarge
from wayfolk.machine import n_cores, quiet_children

Job = TypeVar("Job")
Answer = TypeVar("Answer")


def spread(work: Callable[[Job], Answer], jobs: Sequence[Job]) -> Iterator[Answer]:
    """`work(job)` for each of `jobs`, in their order, on all cores."""
    pool = ProcessPoolExecutor(min(n_cores(), len(jobs)), get_context("spawn"), _end_with_parent)
    try:
        with quiet_children():
            answers: list[Future[Answer]] = [pool.submit(work, job) for job in jobs]
        for answer in answers:
            yield answer.result()
    except BaseException as why:
        # a pool would wait for the jobs under way, which are not needed any more
        for process in list((pool._processes or {}).values()):
            process.kill()
        if isinstance(why, BrokenProcessPool):
            raise TooLarge("a worker process was ended from outside, perhaps because memory ran out") from None
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """End this process when its parent ends, even if the parent was killed."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
