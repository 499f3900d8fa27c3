"""Brains in Python: steps a second of 2,000 agents, each with a state machine, on a street and alone."""

import numpy as np

from benchmarks import bodies
from wayfolk.crowds.brains import Brain, State
from wayfolk.crowds.brains.built_in.bus import Bus
from wayfolk.crowds.brains.built_in.car import Car
from wayfolk.crowds.brains.built_in.hurried import Hurried
from wayfolk.crowds.brains.built_in.pedestrian import Pedestrian
from wayfolk.crowds.brains.population import Population, Words
from wayfolk.crowds.street import Spawn, Street, read_street_map

AGENTS = 2_000
COLOURS = ("green", "orange", "red")
PERIOD = 12  # cells from one crossing to the next
WARM_UP = 60.0  # seconds in which a street fills


class Restless(Brain):
    """Changes its state whenever its number passes a half, and is asked at every step: nothing can be remembered."""

    senses = ("number",)
    first = "walking"
    pure = False
    walking = State()
    waiting = State(0.0)

    @walking.to("waiting")
    def is_low(self, see):
        return see.number < 0.5

    @waiting.to("walking")
    def is_high(self, see):
        return see.number >= 0.5


def tables(maps):
    del maps
    rows = []
    for name, step, told in (
        ("a street with pedestrians and vehicles", *a_street()),
        ("brains alone, senses change at times", *alone(Pedestrian(), is_steady=True)),
        ("brains alone, all senses change, all are asked", *alone(Restless(), is_steady=False)),
    ):
        steps = bodies.rate(step)
        rows.append([name, told(), steps, 1e6 / steps / AGENTS])
    yield (
        "Crowds: 2,000 agents with brains in Python",
        "Steps a second, with all that a step needs. The street has steps of 0.05 s, pedestrians move by `orca`, and agents"
        " come and go; the aim is 30 steps a second. Brains alone: senses are given, brains are asked in one batch.",
        ["what", "agents", "steps a second", "microseconds for an agent"],
        rows,
    )


def a_street():
    """A long street with a crossing every few metres, after it has filled."""
    width, n_lines = 20 * PERIOD, 6
    pavement = ["." * width] * n_lines
    lane = "".join("x" if x % PERIOD == PERIOD // 2 else "{}" for x in range(width))
    ground = read_street_map([*pavement, lane.replace("{}", "<"), lane.replace("{}", ">"), *pavement])
    rng = np.random.default_rng(1)
    inside = [(int(x), int(y)) for x, y in zip(rng.integers(0, width, 60), rng.integers(0, n_lines, 60), strict=True)]
    other = [(x, 2 * n_lines + 1 - y) for x, y in inside]
    starts, goals = tuple(inside + other), tuple((inside + other)[::6])
    street = Street(
        ground,
        [
            Spawn(Pedestrian(), 45.0, starts=starts, goals=goals),
            Spawn(Hurried(), 5.0, starts=starts, goals=goals),
            Spawn(Car(), 1.5, is_vehicle=True),
            Spawn(Bus(), 0.2, is_vehicle=True, radius=1.3),
        ],
        seed=1,
    )
    while street.time < WARM_UP and street.n_present < AGENTS:
        street.advance()
    return street.advance, lambda: street.n_present


def alone(brain, *, is_steady):
    """Population with given senses: one in fifty changes at a step, or all do."""
    rng, tick = np.random.default_rng(1), [0]
    population = Population(brain, ("signal", "at_crossing", "number"))
    population.add(AGENTS, 0.0, rng)
    numbers = rng.random(AGENTS)

    def step():
        tick[0] += 1
        if is_steady:
            some = rng.integers(0, AGENTS, AGENTS // 50)
            numbers[some] = rng.random(len(some))
        else:
            numbers[:] = rng.random(AGENTS)
        colour = np.full(AGENTS, tick[0] // 100 % 3)
        population.think(
            tick[0] / 30, {"signal": Words(colour, COLOURS), "at_crossing": numbers < 0.2, "number": numbers}, rng
        )

    return step, lambda: AGENTS
