"""The world of a scene: what [world] describes, with its terrain."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from wayfolk.errors import WayfolkError
from wayfolk.files.any_world import read_world_for_agents
from wayfolk.files.built_in import MAPS
from wayfolk.files.folders import find_data
from wayfolk.files.made_maps import RULES, TILINGS, make_map, make_tiling
from wayfolk.files.maps import parse_ascii, read_map
from wayfolk.files.toml import Table
from wayfolk.simulation.scene.scene_grid import SceneGrid
from wayfolk.simulation.scene.tables import TerrainTable, WorldTable
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


def read_world(table: Table[WorldTable], folder: Path, seed: int) -> Grid | Graph | None:
    """The world that `table` describes; None, and complaints, if it describes none.

    Files are looked for in `folder` too; `seed` is that of a map made by a rule, if the table has no other.
    """
    terrain = table.tables("terrain", TerrainTable)
    ways = [key for key in ("map", "file", "make") if key in table]
    if len(ways) != 1:
        table.complain("".join(ways[1:2]), "a world is one of: map (a drawing), file, or make (a rule)")
        return None
    rule = table.values.make
    if rule is not None:
        made = TILINGS.get(rule) or RULES[rule]
        table.allow((*ways, *(() if rule in TILINGS else ("moves", "terrain")), *made.settings))
        table.need(f"a {rule} map" if rule in RULES else f"a world of {rule}", *made.needed)
    elif "make" not in table:
        table.allow((*ways, "moves", "terrain"))
    if table.malformed:
        return None
    try:
        world = _world(table, folder, seed)
    except WayfolkError as error:
        _complain_of_map(table, ways[0], str(error))
        return None
    if isinstance(world, Grid):
        return _with_terrain(world, terrain)
    for key in ("moves", "terrain"):
        if key in table:
            table.complain(key, f"{key} is for maps of squares, not for {world!r}")
    return world


def _world(table: Table[WorldTable], folder: Path, seed: int) -> Grid | Graph:
    values = table.values
    moves = values.moves or "eight"
    if values.map is not None:
        return parse_ascii("\n" + values.map, moves)
    if values.file is not None:
        is_built_in = values.file in MAPS and not (folder / values.file).is_file()
        if is_built_in:
            return read_map(values.file, moves)
        return read_world_for_agents(find_data(values.file, folder), moves)
    assert values.make is not None, "one of the three is given"
    rule = TILINGS.get(values.make) or RULES[values.make]
    settings = {key: getattr(values, key) for key in rule.settings if key in table}
    if "seed" in rule.settings:
        settings.setdefault("seed", seed)
    if values.make in TILINGS:
        return make_tiling(values.make, **settings)
    return make_map(values.make, settings, moves)


def _complain_of_map(table: Table[WorldTable], way: str, error: str) -> None:
    """Pass on what is wrong with the map, with the line of the drawing if it is one of several lines."""
    document = table.document
    line = document.line_of((*table.loc, way))
    drawn = re.match(r"drawing, line (\d+)(.*)", error) if way == "map" else None
    if drawn is None:
        document.complain_in_line(line, error)
        return
    opening = document.text.splitlines()[line - 1].rstrip()
    is_written_in_lines = opening.endswith(('"""', "'''"))
    document.complain_in_line(line + int(drawn[1]) - 1 if is_written_in_lines else line, f"the map{drawn[2]}")


def _with_terrain(grid: Grid, terrain: list[Table[TerrainTable]]) -> Grid:
    """`grid` with the costs of [[world.terrain]]."""
    if not terrain:
        return grid
    costs = np.ones((grid.height, grid.width))
    for table in terrain:
        table.need("terrain", "cost")
        x, y = grid.places(SceneGrid(grid).area_or_places(table)).reshape(-1, 2).T
        costs[y, x] = table.values.cost or 1.0
    return Grid(grid.free, grid.moves, costs=costs, links=grid.links, diagonal=grid.diagonal, name=grid.name)
