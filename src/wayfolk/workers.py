"""Work in several processes that end when we do: at Ctrl-C, at an error, and when we are killed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import TypeVar

from wayfolk.errors import TooLarge
from wayfolk.machine import n_cores

Job = TypeVar("Job")
Answer = TypeVar("Answer")


def spread(work: Callable[[Job], Answer], jobs: Sequence[Job]) -> Iterator[Answer]:
    """`work(job)` for each of `jobs`, in their order, on all cores."""
    pool = ProcessPoolExecutor(min(n_cores(), len(jobs)), get_context("spawn"), _end_with_parent)
    try:
        with _deaf_children():
            answers: list[Future[Answer]] = [pool.submit(work, job) for job in jobs]
        for answer in answers:
            yield answer.result()
    except BaseException as why:
        # a pool only waits for what it has begun: nobody wants that any more
        for process in list((pool._processes or {}).values()):
            process.kill()
        if isinstance(why, BrokenProcessPool):
            raise TooLarge("a process that worked for us was ended from outside, perhaps for want of memory") from None
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started in this block never hear Ctrl-C, which a terminal sends to all: we answer it for them.

    We do so after the block, even if another thread of ours hears it: half a process would complain.
    """
    if not hasattr(signal, "pthread_sigmask"):  # not on every system
        yield
        return
    heard: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    answer = signal.signal(signal.SIGINT, lambda number, _: heard.append(number)) if is_main else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, signal.default_int_handler if answer is None else answer)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


def _end_with_parent() -> None:
    """Whatever ends the parent, even what it cannot notice, ends this process."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
