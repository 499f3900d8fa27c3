"""Processes that work for us, and end when we do."""

import math
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from command import DEADLINE, gone, session
from wayfolk.cli.workers import spread
from wayfolk.errors import TooLarge


def test_answers_come_in_order():
    assert list(spread(math.sqrt, [16, 4, 9, 1, 0])) == [4, 2, 3, 1, 0]


def test_a_mistake_ends_them_all():
    began = time.monotonic()
    with pytest.raises(ValueError, match="non-negative"):
        list(spread(time.sleep, [-1, 60, 60, 60]))
    assert time.monotonic() - began < 55


def test_whoever_has_enough_leaves():
    began = time.monotonic()
    answers = spread(time.sleep, [0, 60, 60])
    next(answers)
    answers.close()
    assert time.monotonic() - began < 55


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be held back here")
def test_they_do_not_hear_ctrl_c():
    masks = partial(signal.pthread_sigmask, signal.SIG_BLOCK)  # which answers with those held back before
    assert list(spread(masks, [()])) == [{signal.SIGINT}]
    assert signal.SIGINT not in masks(())


def test_a_killed_worker_is_told():
    with pytest.raises(TooLarge, match="ended from outside"):
        list(spread(os._exit, [1]))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked for in /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_they_end_with_us(how):
    script = "import time\nfrom wayfolk.cli.workers import spread\nlist(spread(time.sleep, [600, 600]))"
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL, start_new_session=True) as process:
        until = time.monotonic() + DEADLINE
        while not any("spawn_main" in line for line in session(process.pid).values()):
            assert time.monotonic() < until
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(how)
        process.wait(timeout=DEADLINE)
        assert gone(process.pid, within=DEADLINE)
