"""Threads: the rows of a crowd are steered in parts at the same time, and kernels let other threads run."""

import threading

import numpy as np
import pytest

from wayfolk.algorithms.crowds import Model
from wayfolk.compile.jit import FLAGS, is_plain
from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.threads import FEW, Threads

pytestmark = pytest.mark.skipif(is_plain(), reason="plain Python has one thread")


def test_all_rows_are_done_once_by_as_many_threads():
    done, who = np.zeros(3 * FEW, np.int64), set()
    together = threading.Barrier(3)

    def work(first, last):
        together.wait(30)  # passes only if all three are here at the same time
        done[first:last] += 1
        who.add(threading.get_ident())
        return last - first

    threads = Threads(3)
    assert sum(threads.run(work, 3 * FEW)) == 3 * FEW
    threads.close()
    assert (done == 1).all()
    assert len(who) == 3
    assert threading.get_ident() in who


def test_a_crowd_is_steered_by_two_threads_at_once():
    together, who = threading.Barrier(2), set()

    class Watched(Model):
        def steer(self, moment, first, last):
            together.wait(30)
            who.add(threading.get_ident())
            moment.bodies.forces[moment.agents(first, last)] = 0.0

    def begin(space, *, seed=0):
        """Nobody moves."""
        return Watched(space)

    crowd = Crowd(None, begin, threads=2)
    crowd.add(np.stack([np.arange(2 * FEW), np.zeros(2 * FEW)], 1))
    crowd.step()
    assert len(who) == 2


def test_kernels_release_the_lock_of_python():
    assert FLAGS["nogil"] is True


def test_a_flock_flies_the_same_way_with_one_thread_and_with_two():
    crowds = [Crowd(None, "flock", threads=threads, step=1 / 60) for threads in (1, 2)]
    rng = np.random.default_rng(1)
    places, velocity = rng.uniform(0, 90, (1000, 2)), rng.normal(0, 3, (1000, 2))
    for crowd in crowds:
        crowd.add(places, radius=0.3, speed=9.0, velocity=velocity, overlap=True)
        crowd.advance(60)
    np.testing.assert_array_equal(crowds[0].places, crowds[1].places)
    np.testing.assert_array_equal(crowds[0].velocities, crowds[1].velocities)
