"""Brains are asked in batches, only when something has changed, and a broken one harms only its own agents."""

import time

import numpy as np
import pytest

from wayfolk.crowds.brains import Brain, State
from wayfolk.crowds.brains.pedestrian import Pedestrian
from wayfolk.crowds.brains.signal import Signal
from wayfolk.crowds.minds.minds import MOST_FAILURES, RETRY, Minds, Words
from wayfolk.errors import BadInput

pytestmark = pytest.mark.plain
COLOURS = ("green", "orange", "red")


def rng():
    return np.random.default_rng(1)


def signal(colour, n):
    return Words(np.full(n, COLOURS.index(colour)), COLOURS)


def names(minds):
    return [minds.names[state] for state in minds.states]


def test_the_signal_changes_by_its_intervals():
    minds = Minds(Signal(green_seconds=5, orange_seconds=1, red_seconds=4), ())
    minds.add(1, 0.0, rng())
    seen = []
    for step in range(161):
        minds.think(step / 10, {}, rng())
        if not seen or seen[-1][1] != names(minds)[0]:
            seen.append((step / 10, names(minds)[0]))
    assert seen == [(0.0, "green"), (5.0, "orange"), (6.0, "red"), (10.0, "green"), (15.0, "orange"), (16.0, "red")]


def test_agents_are_asked_only_when_their_senses_change():
    minds = Minds(Pedestrian(), ("signal", "at_crossing"))
    minds.add(1000, 0.0, rng())
    crossing = np.arange(1000) < 10
    for step in range(10):
        minds.think(step * 0.1, {"signal": signal("green", 1000), "at_crossing": crossing}, rng())
    assert names(minds).count("waiting") == 10
    assert minds.asked == 1010  # all at first, and those that have changed their state
    assert minds.calls == 3  # as many as there are different senses
    assert (minds.paces == np.where(crossing, 0.0, 1.0)).all()
    minds.think(1.0, {"signal": signal("red", 1000), "at_crossing": crossing}, rng())
    assert set(names(minds)) == {"walking"}


def test_those_who_leave_are_forgotten_and_others_keep_their_states():
    minds = Minds(Pedestrian(), ("signal", "at_crossing"))
    minds.add(4, 0.0, rng())
    at_crossing = np.array([True, False, True, False])
    minds.think(0.0, {"signal": signal("green", 4), "at_crossing": at_crossing}, rng())
    minds.keep([1, 2])
    assert names(minds) == ["walking", "waiting"]
    minds.add(1, 0.1, rng())
    minds.think(0.1, {"signal": signal("green", 3), "at_crossing": np.array([True, True, False])}, rng())
    assert names(minds) == ["waiting", "waiting", "walking"]


def test_an_unknown_sense_is_refused():
    with pytest.raises(BadInput, match="senses 'signal', which is not offered here: did you mean 'signals'"):
        Minds(Pedestrian(), ("signals", "at_crossing"))


class Fragile(Brain):
    """Raises for some."""

    senses = ("number",)
    first = "walking"
    walking = State()
    running = State(2.0)

    @walking.to("running")
    def divides(self, see):
        return 1 / see.number > 0

    @running.to("walking")
    def never(self, see):
        return False


def test_a_raising_brain_is_named_and_its_agent_waits():
    minds = Minds(Fragile(), ("number",))
    minds.add(3, 0.0, rng())
    numbers = np.array([1, 0, 2])
    minds.think(0.0, {"number": numbers}, rng())
    assert names(minds) == ["running", "walking", "running"]
    assert minds.paces.tolist() == [2.0, 0.0, 2.0]
    assert len(minds.log) == 1
    assert "the brain fragile in divides, from walking to running, raised ZeroDivisionError" in minds.log[0]
    minds.think(RETRY, {"number": np.array([1, 1, 2])}, rng())
    assert names(minds) == ["running"] * 3
    assert minds.paces.tolist() == [2.0] * 3


def test_an_agent_whose_brain_always_raises_is_left_alone():
    minds = Minds(Fragile(), ("number",))
    minds.add(1, 0.0, rng())
    for step in range(200):
        minds.think(step * 0.1, {"number": np.zeros(1)}, rng())
    assert minds.calls == MOST_FAILURES
    assert minds.paces.tolist() == [0.0]


class Endless(Brain):
    """Never answers."""

    senses = ("number",)
    first = "walking"
    walking = State()

    @walking.to("walking")
    def thinks(self, see):
        try:
            while see.number:
                pass
        except Exception:
            return True


def test_a_brain_that_never_answers_is_interrupted_and_suspended():
    minds = Minds(Endless(), ("number",), limit=0.02)
    minds.add(1000, 0.0, rng())
    began = time.thread_time()
    minds.think(0.0, {"number": np.arange(1000)}, rng())
    assert time.thread_time() - began < 5.0  # not 1,000 times the limit
    assert "took longer than 0.02 s" in minds.log[0]
    assert "suspended" in minds.log[1]
    assert not minds.paces.any()


class Sluggish(Brain):
    """Answers, slowly."""

    senses = ("number",)
    first = "walking"
    pure = False
    walking = State()
    running = State()

    @walking.to("running")
    def thinks(self, see):
        until = time.thread_time() + 0.001
        while time.thread_time() < until:
            pass
        return True

    @running.to("walking")
    def never(self, see):
        return False


def test_what_does_not_fit_into_a_step_is_asked_in_the_next():
    minds = Minds(Sluggish(), ("number",), limit=5.0, budget=0.05)
    minds.add(200, 0.0, rng())
    counts = []
    while counts[-1:] != [200] and len(counts) < 30:
        minds.think(0.1 * len(counts), {"number": np.zeros(200)}, rng())
        counts.append(names(minds).count("running"))
    assert counts[0] < 200
    assert counts[-1] == 200
    assert "needs more than 0.05 s for a step" in minds.log[0]


class Patient(Brain):
    """Asks for the time."""

    senses = ("seconds",)
    first = "waiting"
    every = 0.5
    waiting = State(0.0)
    walking = State(final=True)

    @waiting.to("walking")
    def has_waited(self, see):
        return see.seconds >= 2.0


def test_a_brain_can_ask_to_be_asked_every_so_often():
    minds = Minds(Patient(), ())
    minds.add(1, 0.0, rng())
    for step in range(31):
        minds.think(step * 0.1, {}, rng())
    assert names(minds) == ["walking"]
    assert minds.calls <= 9


def test_the_same_seed_gives_the_same_luck():
    lucks = []
    for _ in range(2):
        minds = Minds(Patient(), ())
        minds.add(5, 0.0, rng())
        lucks.append(minds._luck.tolist())
    assert lucks[0] == lucks[1]
