"""The worlds of the playground that are no plain maps, by name: a roadmap, hexagons, and bodies of several sizes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wayfolk.errors import UnknownName
from wayfolk.playground.limits import check_agents
from wayfolk.playground.panel_scene import PanelScene
from wayfolk.problem.problem import ENDLESS, Problem, patrol, random_problem, tasks
from wayfolk.world.body import POINT, Body
from wayfolk.world.generate import rooms
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane, Roadmap

World = Grid | Graph
LANE = 4.0  # metres


def problem_in_world(scene: PanelScene) -> Problem:
    """The agents of a scene in the world that it names, and what they have to do."""
    if scene.world not in WORLDS:
        raise UnknownName(f"the playground has no world {scene.world[:60]!r}")
    check_agents(scene.agents)
    make, kinds = WORLDS[scene.world]
    world = make()
    if scene.errand == "tasks":
        return tasks(world, scene.agents, seed=scene.seed, bodies=kinds[0])
    bodies = [kinds[agent % len(kinds)] for agent in range(scene.agents)]
    if scene.errand == "one_shot":
        return random_problem(world, scene.agents, seed=scene.seed, bodies=bodies)
    return patrol(world, scene.agents, ENDLESS, seed=scene.seed, bodies=bodies)


def _roads() -> Roadmap:
    """Blocks of a city: streets both ways, and a ring around them that leads one way."""
    places = {f"{chr(65 + x)}{y}": (x * LANE, y * LANE * 0.8) for y in range(5) for x in range(7)}
    lanes: list[Lane | tuple[str, str]] = []
    for name in places:
        x, y = ord(name[0]) - 65, int(name[1:])
        east, south = f"{chr(66 + x)}{y}", f"{name[0]}{y + 1}"
        if east in places:
            lanes.append(Lane(name, east, True) if y == 0 else Lane(east, name, True) if y == 4 else (name, east))
        if south in places:
            lanes.append(Lane(name, south, True) if x == 6 else Lane(south, name, True) if x == 0 else (name, south))
    return Roadmap(places, lanes, name="roads")


def _hexagons() -> HexGrid:
    return HexGrid(np.random.default_rng(7).random((16, 24)) > 0.12, name="hexagons")


def _squares() -> Grid:
    grid = rooms(33, 21, 7, seed=2)
    free = grid.free.copy()
    free[::7, 3::7] = free[::7, 4::7] = free[3::7, ::7] = free[4::7, ::7] = True  # doors of two cells
    free[0] = free[:, 0] = True
    return Grid(free, "four", name="bodies")


WORLDS: dict[str, tuple[Callable[[], World], tuple[Body, ...]]] = {
    "roads": (_roads, (Body(radius=0.9), Body(radius=0.5))),
    "hexagons": (_hexagons, (POINT,)),
    "bodies": (_squares, (Body(size=2), POINT, Body(turns=True), POINT)),
}
"""How each world is made, and which bodies agents have in turn."""
