"""A world as an asyncio task: it steps ten times a second, and other tasks give orders meanwhile.

python examples/game_asyncio.py [SECONDS]
"""

from __future__ import annotations

import asyncio
import sys

import wayfolk as wf


async def run_world(world: wf.Simulation, seconds_for_a_step: float) -> None:
    """Step for ever. A step is short, so it may run in the loop itself; orders come in between."""
    while True:
        world.step()
        await asyncio.sleep(seconds_for_a_step)


async def give_orders(world: wf.Simulation, every: float) -> None:
    """Send all agents from one corner to the other, and back."""
    corners = [(2, 2), (26, 26)]
    while True:
        for corner in corners:
            world.send(range(world.n_agents), corner)
            await asyncio.sleep(every)


async def main(seconds: float = 2.0) -> None:
    """Let both tasks run for a while."""
    grid = wf.generate.rooms(29, 29, 6, seed=2)
    places = [(x, y) for y in (1, 2, 3) for x in range(1, 6)]
    world = wf.Simulation(wf.one_shot(grid, places, places), "bmaa_plus", record="last 100")
    tasks = [asyncio.create_task(run_world(world, 0.01)), asyncio.create_task(give_orders(world, seconds / 2))]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    for failed in (result for result in results if not isinstance(result, asyncio.CancelledError)):
        raise failed
    print(f"{world.time:.0f} steps; {[str(world.state(agent)) for agent in range(3)]}")


if __name__ == "__main__":
    asyncio.run(main(*map(float, sys.argv[1:])))
