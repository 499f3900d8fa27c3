"""A window with 80 agents (pip install pygame-ce): click to send all of them there, walk with the arrow keys.

python examples/game_pygame.py [FRAMES]
"""

from __future__ import annotations

import sys

import pygame

import wayfolk as wf

CELL, FRAMES_FOR_A_STEP = 16, 6
ARROWS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}
FLOOR, WALL, PLAYER = (240, 240, 235), (70, 75, 80), (213, 94, 0)
COLOURS = {"moving": (0, 114, 178), "arrived": (0, 158, 115)}


def main(n_frames: int | None = None) -> None:
    """Run until the window is closed, or for `n_frames`."""
    pygame.init()
    grid = wf.generate.rooms(45, 45, 8, seed=5)
    world = wf.Simulation(wf.patrol(grid, agents=80, loops=10_000, seed=1), "bmaa_plus", record=False)
    world.hold(0)
    window = pygame.display.set_mode((grid.width * CELL, grid.height * CELL))
    clock, before, frame = pygame.time.Clock(), world.places(), 0
    while n_frames is None or frame < n_frames:
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return
            if event.type == pygame.MOUSEBUTTONDOWN:
                _try(world.send, range(1, 80), (event.pos[0] // CELL, event.pos[1] // CELL))
        if frame % FRAMES_FOR_A_STEP == 0:
            before = world.places()
            keys = pygame.key.get_pressed()
            for key, (dx, dy) in ARROWS.items():
                if keys[key]:
                    _try(world.move, 0, (int(before[0, 0]) + dx, int(before[0, 1]) + dy))
            world.step()
        _draw(window, world, before, (frame % FRAMES_FOR_A_STEP + 1) / FRAMES_FOR_A_STEP)
        pygame.display.flip()
        clock.tick(60)
        frame += 1


def _try(order, *where) -> None:
    """Give an order; one that is impossible is ignored."""
    try:
        order(*where)
    except wf.WayfolkError as refused:
        print(refused)


def _draw(window: pygame.Surface, world: wf.Simulation, before, share: float) -> None:
    """Draw the map, and the agents on their way from the cells before to those they are in."""
    window.fill(FLOOR)
    for y, row in enumerate(world.grid.free):
        for x, is_free in enumerate(row):
            if not is_free:
                window.fill(WALL, (x * CELL, y * CELL, CELL, CELL))
    for agent, (x, y) in enumerate(before + share * (world.places() - before)):
        colour = PLAYER if agent == 0 else COLOURS.get(world.state(agent).doing, (204, 121, 167))
        pygame.draw.circle(window, colour, ((x + 0.5) * CELL, (y + 0.5) * CELL), CELL * 0.4)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
