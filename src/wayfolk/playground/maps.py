"""The maps of the playground, by name: those built in, and those of the caller; and the problems on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from wayfolk.errors import BadInput, UnknownName
from wayfolk.files.built_in import MAPS, named_map
from wayfolk.playground.limits import check_agents
from wayfolk.playground.node_worlds import problem_in_world
from wayfolk.playground.panel_scene import Map, PanelScene
from wayfolk.problem import papers
from wayfolk.problem.problem import ENDLESS, Problem, one_shot, patrol, patrol_between, tasks
from wayfolk.world import generate
from wayfolk.world.grid import Grid, Moves

YOURS: dict[str, Grid] = {}
"""Maps that the caller of `wayfolk play` has given, by name."""
FIRST: dict[str, Any] = {}
"""The scene that the page begins with, as far as the caller has chosen it."""


def named(name: str) -> Grid:
    """The map of the playground with this name."""
    if name in YOURS:
        return YOURS[name]
    if name not in MAPS:
        raise UnknownName(f"the playground has no map {name[:60]!r}")
    return named_map(name)


def check_map(wanted: Map) -> None:
    """Raise if there is no such map, or a drawn one does not fit its size. It is made by the worker."""
    if wanted.walls:
        height, width = wanted.free().shape
        wanted.costs(width, height)
    elif wanted.name not in YOURS and wanted.name not in MAPS:
        raise UnknownName(f"the playground has no map {wanted.name[:60]!r}")


def grid_of(wanted: Map, moves: str, yours: Grid | None = None) -> Grid:
    """The map that a scene asks for; `yours` is the one of that name which the caller of `wayfolk play` has given."""
    if wanted.walls:
        grid = Grid(wanted.free(), Moves.of(moves), name=wanted.name)
    else:
        grid = (yours or named(wanted.name)).with_moves(moves)
    costs = wanted.costs(grid.width, grid.height)
    return grid if costs is None else with_costs(grid, costs)


def with_costs(grid: Grid, costs: Any) -> Grid:
    """The same map with other terrain."""
    return Grid(grid.free, grid.moves, costs=costs, links=grid.links, diagonal=grid.diagonal, name=grid.name)


def with_terrain(grid: Grid, places: Iterable[tuple[int, int]], cost: float) -> Grid:
    """The same map, with another cost in some cells."""
    costs = np.ones((grid.height, grid.width)) if grid.costs is None else grid.costs.copy()
    for x, y in inside(grid, places):
        costs[y, x] = cost
    return with_costs(grid, None if (costs == 1.0).all() else costs)


def inside(grid: Grid, places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of `places` that are on the map."""
    return [(x, y) for x, y in places if x < grid.width and y < grid.height]


def problem_of(scene: PanelScene, grid: Grid) -> Problem:
    """The agents of `scene` and what they have to do."""
    if scene.world:
        return problem_in_world(scene)
    if scene.journeys:
        check_agents(len(scene.journeys))
        pairs = np.array(scene.journeys, np.int64)
        if scene.errand == "one_shot":
            return one_shot(grid, pairs[:, :2], pairs[:, 2:])
        starts, far = grid.cells(pairs[:, :2]), grid.cells(pairs[:, 2:])
        return patrol_between(grid, starts, far, ENDLESS, seed=scene.seed)
    check_agents(scene.agents)
    if scene.errand == "tasks":
        return tasks(grid, scene.agents, seed=scene.seed)
    if scene.errand == "one_shot":
        starts, goals = generate.draw_pairs(grid, scene.agents, seed=scene.seed)
        return one_shot(grid, grid.places(starts), grid.places(goals))
    if scene.map.name in papers.names("MAPS") and not scene.map.walls:
        place = replace(papers.paper_map(scene.map.name), grid=grid)
        return place.problem(scene.agents, loops=ENDLESS, seed=scene.seed)
    return patrol(grid, scene.agents, ENDLESS, seed=scene.seed)


def ends_of(scene: PanelScene, grid: Grid) -> tuple[tuple[int, int], tuple[int, int]]:
    """Start and goal of a search: those of the scene, or the two ends of the map's largest part."""
    cells = grid.free_cells
    if not cells.size:
        raise BadInput("the map has no free cell")
    parts, sizes = np.unique(grid.components[cells], return_counts=True)
    cells = cells[grid.components[cells] == parts[sizes.argmax()]]
    places = grid.places(cells)
    along = places[:, 0] + 0.5 * places[:, 1]
    start = tuple(map(int, places[along.argmin()])) if scene.start is None else scene.start
    goal = tuple(map(int, places[along.argmax()])) if scene.goal is None else scene.goal
    return (start[0], start[1]), (goal[0], goal[1])
