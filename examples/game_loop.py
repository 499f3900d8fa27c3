"""A game's loop: 60 characters, a player among them, orders and a door, and how long the steps take.

python examples/game_loop.py [STEPS]
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress

import numpy as np

import wayfolk as wf
from wayfolk import events


def main(n_steps: int = 300) -> None:
    """Run the loop for `n_steps` frames, and print what happened."""
    grid = wf.generate.rooms(48, 48, 7, seed=3)
    problem = wf.patrol(grid, agents=60, loops=1_000, seed=1)
    world = wf.Simulation(problem, "bmaa_plus", record=False)
    player, luck = 0, np.random.default_rng(1)
    world.hold(player)
    world.step()  # loads what is compiled, which is not part of a frame
    milliseconds = []
    for frame in range(n_steps):
        if frame % 50 == 25:
            squad = luck.choice(np.arange(1, 60), 8, replace=False)
            world.send(squad, tuple(world.places()[player]))  # eight guards come to the player
        if frame == 100:
            world.happen(events.block(world.time, [(8, 4)]))
        walk(world, player, luck)
        began = time.perf_counter()
        world.step()
        milliseconds.append((time.perf_counter() - began) * 1e3)
    doing = [world.state(agent).doing for agent in range(60)]
    print({name: doing.count(name) for name in sorted(set(doing))})
    print(f"{np.median(milliseconds):.2f} ms for a step, {np.percentile(milliseconds, 99):.2f} ms at most in 99 %")


def walk(world: wf.Simulation, player: int, luck: np.random.Generator) -> None:
    """Let the player take a random step, if there is room."""
    x, y = world.places()[player] + luck.integers(-1, 2, 2)
    with suppress(wf.WayfolkError):  # a wall: the player stays
        world.move(player, (int(x), int(y)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
