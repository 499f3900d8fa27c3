"""Reads a scene: agents in a world, or a street. One error lists everything that is wrong with the file.

What needs a map is left out if the file has none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.algorithms.entry import Entry
from wayfolk.algorithms.refusals import check_states
from wayfolk.files.toml import Table, read_toml
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import STEPS
from wayfolk.simulation.scene.bodies import read_bodies
from wayfolk.simulation.scene.events import EventReader, check_keys
from wayfolk.simulation.scene.groups import GroupReader
from wayfolk.simulation.scene.scene import NO_CELLS, Scene
from wayfolk.simulation.scene.scene_file import SceneFile
from wayfolk.simulation.scene.street_reader import read_street
from wayfolk.simulation.scene.street_scene import StreetScene
from wayfolk.simulation.scene.street_tables import StreetSceneTable
from wayfolk.simulation.scene.tables import ControllerTable, EventTable, GroupTable, SceneTable, WorldTable
from wayfolk.simulation.scene.world import read_world
from wayfolk.world.grid import Grid


def read_scene(file: str | Path, *, seed: int | None = None, trust: bool = False) -> Scene | StreetScene:
    """The scene in `file`, a `StreetScene` if it has a [street]; `seed` replaces the file's own random seed.

    Raises one error for all that is wrong. With `trust` the file may run code: name an algorithm as `module:begin`, a brain
    in a Python file, or a cluster.
    """
    document = read_toml(file, "scene")
    is_street = "street" in document.data
    root: Table[Any] = document.root(StreetSceneTable if is_street else SceneTable)
    scene_file = SceneFile(Path(file), root, (root.values.seed or 0) if seed is None else seed, trust)
    scene = read_street(scene_file) if is_street else _read_agents(scene_file)
    document.raise_complaints()
    assert scene is not None, "without complaints there is a scene"
    return scene


def _read_agents(file: SceneFile) -> Scene | None:
    """A scene of agents; None if it has no world. What is wrong has been complained about."""
    root, values, seed = file.root, file.root.values, file.seed
    world_table = root.table("world", WorldTable)
    world = read_world(world_table, file.folder, seed)
    groups = root.tables("group", GroupTable)
    happenings = root.tables("event", EventTable)
    bodies = None if world is None else read_bodies(world, groups, happenings)
    opens = any(table.values.do in ("free", "open") for table in happenings)
    scene_map = None if bodies is None else bodies.scene_map(world_table, opens)

    def fits(entry: Entry, options: dict[str, Any]) -> None:
        if bodies is not None and scene_map is not None:
            check_states(entry, Problem(bodies.world, NO_CELLS, NO_CELLS[:, None], kinds=bodies.kinds))
        if options:
            entry.load()(_tiny(entry), **options)

    name, options = file.algorithm(root.table("controller", ControllerTable), "name", "controllers", "whca", fits)
    if not groups and "group" not in root.malformed:
        root.complain("group", "a scene needs agents: at least one [[group]]")
    for happening in happenings:
        check_keys(happening)
    if bodies is None or scene_map is None:
        return None
    if not isinstance(scene_map.states, Grid):
        _refuse_squares_only(root)
    agents = GroupReader(scene_map)
    agents.read(groups, seed)
    events = EventReader(scene_map, agents)
    for number, happening in sorted(enumerate(happenings), key=lambda pair: pair[1].values.at or 0.0):
        events.read(happening, np.random.default_rng([seed, len(groups), number]))
    return Scene(
        values.name or file.path.stem, bodies.world, tuple(agents.errands), tuple(events.events), name, options,
        groups=dict(agents.groups), vision=values.vision, model=values.model or STEPS, until=values.until,
        seconds=values.seconds, seed=seed, about=values.about or "", kinds=bodies.kinds,
        kind_of=np.array(agents.kind_of if len(bodies.kinds) > 1 else [], np.int32),
    )  # fmt: skip


def _refuse_squares_only(root: Table[SceneTable]) -> None:
    """Complain about what only points on maps of squares have."""
    if root.values.vision is not None:
        root.complain("vision", "vision is for points on maps of squares")
    if root.values.model not in (None, STEPS):
        root.complain("model", f"the model {root.values.model} is for points on maps of squares: others have {STEPS}")


def _tiny(entry: Entry) -> Problem:
    """A small problem to try options on."""
    grid = Grid(np.ones((4, 4)), entry.facts.get("MOVES", ["eight"])[0])
    return Problem(grid, grid.free_cells[:1], grid.free_cells[-1:, None])
