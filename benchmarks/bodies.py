"""Crowds of bodies: steps a second of each model, against pyrvo and jupedsim, and the cost of a step over the agents."""

import math
import time
from itertools import pairwise

import numpy as np

from benchmarks import IS_CPU_TIME
from benchmarks.plots import over_agents
from wayfolk.crowds.crowd import Crowd
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space

THREADS = (1,) if IS_CPU_TIME else (1, 2)  # processor time is that of all threads together
COLUMNS = [f"{what}, {threads} threads" for what in ("ours", "ratio") for threads in THREADS]
REPEATS = 3
SECONDS_EACH = 1.5
COUNTS = (1_000, 3_000, 10_000, 30_000, 100_000)
RVO = {"horizon": 10.0, "reach": 15.0, "neighbours": 10}  # the parameters of RVO2's example "Circle"
MODELS = {  # metres between agents, and the options of each model
    "flock": (3.0, {}),
    "social_force": (0.9, {}),
    "orca": (1.2, {}),
    "flow_field": (0.9, {}),
    "continuum": (0.9, {"every": 4}),
    "steering": (0.9, {}),
}


def tables(maps):
    del maps
    flocks = {threads: rate(flock(10_000, threads)) for threads in THREADS}
    yield (
        "Crowds: 10,000 flocking agents",
        "Steps a second of `flock` in an open plane, agents 3 m apart at first, radii, angles and weights of OpenSteer; "
        "the aim is 60 steps a second on two cores.",
        ["threads", "steps a second", "microseconds for an agent"],
        [[threads, steps, 1e6 / steps / 10_000] for threads, steps in flocks.items()],
    )
    yield (
        "Crowds: ORCA and pyrvo",
        "Steps a second: agents 5 m apart walk through the middle and on, radius 1.5 m, speed 2, step 0.25 s, horizon "
        "10 s, the 10 nearest within 15 m. pyrvo (RVO2 in C++) uses one thread; its wanted velocities are set once, not "
        "timed. Ours find theirs, and push bodies apart, in every step.",
        ["agents", "pyrvo", *COLUMNS],
        [against(n, pyrvo, orca) for n in (1_000, 10_000)],
    )
    yield (
        "Crowds: social force and jupedsim",
        "Steps a second: agents 0.9 m apart in a room of 40 x 40 m with one exit, radius 0.3 m, step 0.01 s, forces of the "
        "same paper and parameters up to 2.5 m.",
        ["agents", "jupedsim", *COLUMNS],
        [against(1_000, jupedsim, social_force)],
    )
    costs = {name: {n: 1e3 / rate(plane(name, n, THREADS[-1])) for n in COUNTS} for name in MODELS}
    over_agents(costs, "crowd-steps.svg", "milliseconds a step")
    yield (
        "Crowds: cost of a step over the agents",
        f"Milliseconds a step, {THREADS[-1]} threads, at a fixed density, a goal for all. The exponent is the slope of log "
        "time over log agents from 10,000 on; 1 is linear. ![milliseconds a step over the agents](figures/crowd-steps.svg)",
        ["model", *(f"{n:,}" for n in COUNTS), "exponent"],
        [[name, *costs[name].values(), exponent(costs[name])] for name in MODELS],
    )


def rate(step):
    """Steps a second: the best of some runs."""
    step()
    best = 0.0
    for _ in range(REPEATS):
        n, began = 0, time.perf_counter()
        while n < 5 or time.perf_counter() - began < SECONDS_EACH / REPEATS:
            step()
            n += 1
        best = max(best, n / (time.perf_counter() - began))
    return best


def against(n, peer, ours):
    theirs = peer(n)
    rates = [rate(ours(n, threads)) for threads in THREADS]
    known = rate(theirs) if theirs is not None else None
    ratios = ["-" if known is None else one / known for one in rates]
    return [f"{n:,}", "not installed" if known is None else known, *rates, *ratios]


def square(n, apart, jitter=0.2):
    """Places on a jittered square, `apart` metres from each other."""
    side = math.ceil(math.sqrt(n))
    xs, ys = np.meshgrid(np.arange(side), np.arange(side))
    places = np.stack([xs.ravel(), ys.ravel()], 1)[:n] * apart
    return places + np.random.default_rng(n).uniform(-jitter, jitter, places.shape) * apart * 0.5, side * apart


def flock(n, threads):
    places, _ = square(n, 3.0)
    crowd = Crowd(Space(), "flock", threads=threads, step=1 / 60)
    angles = np.random.default_rng(1).uniform(0, 2 * np.pi, n)
    velocity = 3.0 * np.stack([np.cos(angles), np.sin(angles)], 1)
    crowd.add(places, radius=0.5, speed=9.0, top_speed=9.0, velocity=velocity, overlap=True)
    return crowd.step


def orca(n, threads):
    places, side = square(n, 5.0)
    crowd = Crowd(Space(), "orca", threads=threads, step=0.25, **RVO)
    crowd.add(places, places + 1e6 * through_the_middle(places, side), radius=1.5, speed=2.0, top_speed=2.0)
    return crowd.step


def pyrvo(n):
    try:
        from pyrvo import RVOSimulator
    except ImportError:
        return None
    places, side = square(n, 5.0)
    crowd = RVOSimulator(0.25, RVO["reach"], RVO["neighbours"], RVO["horizon"], RVO["horizon"], 1.5, 2.0)
    for place, ahead in zip(places.tolist(), through_the_middle(places, side).tolist(), strict=True):
        agent = crowd.add_agent(tuple(place))
        crowd.set_agent_pref_velocity(agent, (2.0 * ahead[0], 2.0 * ahead[1]))
    return crowd.do_step


def through_the_middle(places, side):
    """The directions in which all go on for ever."""
    ahead = side / 2 - places
    return ahead / np.maximum(np.linalg.norm(ahead, axis=1), 1e-9)[:, None]


def room(n):
    places, _ = square(n, 0.9, 0.3)
    return places + 3.0


def social_force(n, threads):
    free = np.ones((42, 42), np.bool_)
    free[[0, -1]] = free[:, [0, -1]] = False
    free[20:22, -1] = True
    crowd = Crowd(Grid(free), "social_force", threads=threads, step=0.01)
    crowd.add(room(n) + 1.0, [(41.5, 21.0)], radius=0.3, speed=0.8, top_speed=10.0)
    return crowd.step


def jupedsim(n):
    try:
        import jupedsim as jps
    except ImportError:
        return None
    outline = [(0, 0), (40, 0), (40, 19), (41, 19), (41, 21), (40, 21), (40, 40), (0, 40)]
    crowd = jps.Simulation(model=jps.SocialForceModel(), geometry=outline, dt=0.01)
    stage = crowd.add_exit_stage([(40.5, 19), (41, 19), (41, 21), (40.5, 21)])
    journey = crowd.add_journey(jps.JourneyDescription([stage]))
    for place in room(n).tolist():
        crowd.add_agent(
            jps.SocialForceModelAgentParameters(position=tuple(place), journey_id=journey, stage_id=stage, radius=0.3)
        )
    return crowd.iterate


def plane(name, n, threads):
    """Agents of one model at a fixed density, with one goal; those that need a grid have one."""
    apart, options = MODELS[name]
    places, side = square(n, apart)
    cells = math.ceil(side) + 8
    world = Space(Grid(np.ones((cells, cells), np.bool_)))
    crowd = Crowd(world, name, threads=threads, **options)
    goal = [(cells - 2.0, cells / 2)]
    crowd.add(places + 3.0, goal, radius=0.25, speed=1.3)
    return crowd.step


def exponent(times):
    last = [(n, value) for n, value in times.items() if n >= 10_000]
    slopes = [math.log(b / a) / math.log(m / n) for (n, a), (m, b) in pairwise(last)]
    return sum(slopes) / len(slopes)
