"""Environments for learning: steps a second with random actions, beside pogema's.

pogema needs older versions of packages than ours: the variable POGEMA_PYTHON names a Python that has it.
"""

import json
import os
import subprocess
from time import perf_counter

import numpy as np

from benchmarks import IS_CPU_TIME
from wayfolk.problem.problem import one_shot
from wayfolk.simulation.env import Arena, parallel_env
from wayfolk.world.generate import draw_pairs, random_map

AGENTS = (64, 256)
STEPS = 200
SIDE, DENSITY, VISION = 64, 0.3, 5
PEER = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from pogema import GridConfig, pogema_v0
agents, steps, side, density, vision, clock = json.loads(sys.argv[1])
timer = getattr(time, clock)
env = pogema_v0(GridConfig(num_agents=agents, size=side, density=density, obs_radius=vision, seed=1,
                           max_episode_steps=10**6, on_target="restart"))
env.reset()
actions = np.random.default_rng(1).integers(5, size=(steps, agents)).tolist()
for row in actions[:5]:
    env.step(row)
began = timer()
for row in actions:
    env.step(row)
print(json.dumps(steps / (timer() - began)))
"""


def tables(maps):
    rows = [row(agents) for agents in AGENTS]
    yield (
        "Environments for learning",
        f"Environment steps a second (all agents move and see) with random actions: {SIDE} x {SIDE} cells, {DENSITY:.0%} "
        f"walls, vision {VISION}, lifelong. `arrays` is `Arena.step`, `parallel_env` the dictionaries of PettingZoo. "
        "pogema runs in a Python of its own (POGEMA_PYTHON) in the same run; `x` is how many times faster ours is.",
        ["agents", "arrays", "parallel_env", "pogema", "arrays / pogema", "parallel_env / pogema"],
        rows,
    )


def row(agents):
    grid = random_map(SIDE, SIDE, DENSITY, seed=1, moves="four")
    starts, goals = draw_pairs(grid, agents, seed=1)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    actions = np.random.default_rng(1).integers(5, size=(STEPS, agents))
    ours = [of_arrays(problem, actions), of_dictionaries(problem, actions)]
    peer = of_pogema(agents)
    return [agents, *(f"{rate:,.0f}" for rate in ours), "-" if peer is None else f"{peer:,.0f}",
            *("-" if peer is None else f"{rate / peer:.1f}" for rate in ours)]  # fmt: skip


def of_arrays(problem, actions):
    arena = Arena(problem, vision=VISION, at_goal="restart", max_steps=10**6)
    for step in actions[:5]:
        arena.step(step)
    began = perf_counter()
    for step in actions:
        arena.step(step)
    return len(actions) / (perf_counter() - began)


def of_dictionaries(problem, actions):
    env = parallel_env(problem, vision=VISION, at_goal="restart", max_steps=10**6)
    env.reset()
    rows = [dict(zip(env.agents, step, strict=True)) for step in actions.tolist()]
    for step in rows[:5]:
        env.step(step)
    began = perf_counter()
    for step in rows:
        env.step(step)
    return len(rows) / (perf_counter() - began)


def of_pogema(agents):
    """Steps a second of pogema, or None if no Python has it."""
    python = os.environ.get("POGEMA_PYTHON")
    if python is None:
        return None
    arguments = json.dumps([agents, STEPS, SIDE, DENSITY, VISION, "process_time" if IS_CPU_TIME else "perf_counter"])
    done = subprocess.run([*python.split(), "-c", PEER, arguments], capture_output=True, text=True, check=True)
    return float(done.stdout)
