"""Brains are asked in batches, only when something has changed, and a broken one harms only its own agents."""

import time

import numpy as np
import pytest

from wayfolk.crowds.brains import Brain, State
from wayfolk.crowds.brains.built_in.pedestrian import Pedestrian
from wayfolk.crowds.brains.built_in.signal import Signal
from wayfolk.crowds.brains.population import MOST_FAILURES, RETRY, Population, Words
from wayfolk.errors import BadInput

pytestmark = pytest.mark.plain
COLOURS = ("green", "orange", "red")


def rng():
    return np.random.default_rng(1)


def signal(colour, n):
    return Words(np.full(n, COLOURS.index(colour)), COLOURS)


def names(population):
    return [population.names[state] for state in population.states]


def test_the_signal_changes_by_its_intervals():
    population = Population(Signal(green_seconds=5, orange_seconds=1, red_seconds=4), ())
    population.add(1, 0.0, rng())
    seen = []
    for step in range(161):
        population.think(step / 10, {}, rng())
        if not seen or seen[-1][1] != names(population)[0]:
            seen.append((step / 10, names(population)[0]))
    assert seen == [(0.0, "green"), (5.0, "orange"), (6.0, "red"), (10.0, "green"), (15.0, "orange"), (16.0, "red")]


def test_agents_are_asked_only_when_their_senses_change():
    population = Population(Pedestrian(), ("signal", "at_crossing"))
    population.add(1000, 0.0, rng())
    crossing = np.arange(1000) < 10
    for step in range(10):
        population.think(step * 0.1, {"signal": signal("green", 1000), "at_crossing": crossing}, rng())
    assert names(population).count("waiting") == 10
    assert population.asked == 1010  # all at first, and those that have changed their state
    assert population.calls == 3  # as many as there are different senses
    assert (population.paces == np.where(crossing, 0.0, 1.0)).all()
    population.think(1.0, {"signal": signal("red", 1000), "at_crossing": crossing}, rng())
    assert set(names(population)) == {"walking"}


def test_those_who_leave_are_forgotten_and_others_keep_their_states():
    population = Population(Pedestrian(), ("signal", "at_crossing"))
    population.add(4, 0.0, rng())
    at_crossing = np.array([True, False, True, False])
    population.think(0.0, {"signal": signal("green", 4), "at_crossing": at_crossing}, rng())
    population.keep([1, 2])
    assert names(population) == ["walking", "waiting"]
    population.add(1, 0.1, rng())
    population.think(0.1, {"signal": signal("green", 3), "at_crossing": np.array([True, True, False])}, rng())
    assert names(population) == ["waiting", "waiting", "walking"]


def test_an_unknown_sense_is_refused():
    with pytest.raises(BadInput, match="senses 'signal', which is not offered here: did you mean 'signals'"):
        Population(Pedestrian(), ("signals", "at_crossing"))


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
    population = Population(Fragile(), ("number",))
    population.add(3, 0.0, rng())
    numbers = np.array([1, 0, 2])
    population.think(0.0, {"number": numbers}, rng())
    assert names(population) == ["running", "walking", "running"]
    assert population.paces.tolist() == [2.0, 0.0, 2.0]
    assert len(population.log) == 1
    assert "the brain fragile in divides, from walking to running, raised ZeroDivisionError" in population.log[0]
    population.think(RETRY, {"number": np.array([1, 1, 2])}, rng())
    assert names(population) == ["running"] * 3
    assert population.paces.tolist() == [2.0] * 3


def test_an_agent_whose_brain_always_raises_is_left_alone():
    population = Population(Fragile(), ("number",))
    population.add(1, 0.0, rng())
    for step in range(200):
        population.think(step * 0.1, {"number": np.zeros(1)}, rng())
    assert population.calls == MOST_FAILURES
    assert population.paces.tolist() == [0.0]


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
    population = Population(Endless(), ("number",), limit=0.02)
    population.add(1000, 0.0, rng())
    began = time.thread_time()
    population.think(0.0, {"number": np.arange(1000)}, rng())
    assert time.thread_time() - began < 5.0  # not 1,000 times the limit
    assert "took longer than 0.02 s" in population.log[0]
    assert "suspended" in population.log[1]
    assert not population.paces.any()


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
    population = Population(Sluggish(), ("number",), limit=5.0, budget=0.05)
    population.add(200, 0.0, rng())
    counts = []
    while counts[-1:] != [200] and len(counts) < 30:
        population.think(0.1 * len(counts), {"number": np.zeros(200)}, rng())
        counts.append(names(population).count("running"))
    assert counts[0] < 200
    assert counts[-1] == 200
    assert "needs more than 0.05 s for a step" in population.log[0]


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
    population = Population(Patient(), ())
    population.add(1, 0.0, rng())
    for step in range(31):
        population.think(step * 0.1, {}, rng())
    assert names(population) == ["walking"]
    assert population.calls <= 9


def test_the_same_seed_gives_the_same_luck():
    lucks = []
    for _ in range(2):
        population = Population(Patient(), ())
        population.add(5, 0.0, rng())
        lucks.append(population._luck.tolist())
    assert lucks[0] == lucks[1]
