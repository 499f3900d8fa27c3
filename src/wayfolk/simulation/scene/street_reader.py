"""Reads a scene with a street: its map, who comes, the signals, and the model that moves pedestrians."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wayfolk.algorithms.trust import check_trust
from wayfolk.crowds.brains.brain import Brain
from wayfolk.crowds.brains.lookup import find_brain, is_brain_file
from wayfolk.crowds.street.parties import Spawn, party_of
from wayfolk.crowds.street.street import COLOURS
from wayfolk.crowds.street.street_map import NONE, StreetMap, read_street_map
from wayfolk.errors import BadInput, WayfolkError, hint
from wayfolk.files.folders import find_data
from wayfolk.files.toml import Place, Table
from wayfolk.simulation.scene.scene_file import SceneFile
from wayfolk.simulation.scene.street_scene import UNTIL, StreetScene
from wayfolk.simulation.scene.street_tables import SignalTable, SpawnTable, StreetTable

VEHICLES = ("car", "bus")
"""Brains that drive unless the file says otherwise."""


def read_street(file: SceneFile) -> StreetScene | None:
    """A scene with a street; None if it has no map. What is wrong has been complained about."""
    root, values = file.root, file.root.values
    table = root.table("street", StreetTable)
    street_map = _street_map(table, file)
    model, options = file.algorithm(table, "model", "crowds", "orca", lambda entry, options: None)
    spawns = root.tables("spawn", SpawnTable)
    signals = root.tables("signal", SignalTable)
    if not spawns and "spawn" not in root.malformed:
        root.complain("spawn", "a street needs somebody who comes: at least one [[spawn]]")
    brains = [_brain(spawn, "", file) for spawn in spawns]
    lamps = [_brain(signal, "signal", file) for signal in signals]
    if street_map is None:
        return None
    coming = [_spawn(spawn, brain, street_map) for spawn, brain in zip(spawns, brains, strict=True)]
    lit = _signals(list(zip(signals, lamps, strict=True)), street_map)
    step = table.values.step or 0.05
    if not 0.005 <= step <= 0.2:
        table.complain("step", f"a step of a street lasts 0.005 to 0.2 seconds, not {step:g}")
    return StreetScene(
        name=values.name or file.path.stem,
        street_map=street_map,
        spawns=tuple(spawn for spawn in coming if spawn is not None),
        signals=lit,
        model=model,
        options=options,
        until=values.until or UNTIL,
        step=step,
        seed=file.seed,
        about=values.about or "",
    )


def _street_map(table: Table[StreetTable], file: SceneFile) -> StreetMap | None:
    """The map of the street."""
    values = table.values
    if not table.only_one("map", "file") or table.malformed & {"map", "file"}:
        return None
    if "map" not in table and "file" not in table:
        table.complain("", "a street needs `map`, a drawing, or `file`")
        return None
    try:
        drawing = values.map or ""
        if values.file is not None:
            drawing = _without_head(Path(find_data(values.file, file.folder)).read_text(encoding="utf-8"))
        return read_street_map(drawing, values.cell or 3.0)
    except (WayfolkError, OSError, ValueError) as error:
        table.complain("map" if "map" in table else "file", str(error))
        return None


def _brain(table: Table[Any], default: str, file: SceneFile) -> Brain | None:
    """The brain that a table names, with its settings."""
    name = table.values.brain or default
    if not name:
        table.complain("", "[[spawn]] needs `brain`: a name of `wayfolk brain list`, or FILE.py")
        return None
    try:
        if is_brain_file(name):
            check_trust(name, file.trust)
        return find_brain(name, file.folder)(**(table.values.settings or {}))
    except WayfolkError as error:
        table.complain("brain", str(error))
        return None


def _spawn(table: Table[SpawnTable], brain: Brain | None, street_map: StreetMap) -> Spawn | None:
    """Who comes by one table."""
    values = table.values
    table.need("[[spawn]]", "rate")
    if brain is None or values.rate is None:
        return None
    is_vehicle = brain.name in VEHICLES if values.vehicle is None else values.vehicle
    for key in ("goals", "goal_area"):
        if is_vehicle and key in table:
            table.complain(key, "vehicles follow their lanes: they have no goals")
    table.only_one("places", "area")
    table.only_one("goals", "goal_area")
    starts = _cells(table, street_map, "area") if "area" in table else tuple(values.places or ())
    goals = _cells(table, street_map, "goal_area") if "goal_area" in table else tuple(values.goals or ())
    try:
        spawn = Spawn(
            brain,
            values.rate,
            is_vehicle,
            kind=values.name or "",
            most=values.most,
            speed=values.speed or 0.0,
            radius=values.radius or 0.0,
            starts=starts,
            goals=goals,
            exit="goal_area" in table,
        )
        party_of(spawn, street_map)
        return spawn
    except BadInput as error:
        table.complain("", str(error))
        return None


def _cells(table: Table[SpawnTable], street_map: StreetMap, key: str) -> tuple[Place, ...]:
    """The walkable cells of an area."""
    area, grid = getattr(table.values, key), street_map.walkable
    if area is None:
        return ()
    left, top, width, height = area
    places = tuple(
        (x, y)
        for y in range(max(top, 0), min(top + height, grid.height))
        for x in range(max(left, 0), min(left + width, grid.width))
        if grid.free[y, x]
    )
    if not places:
        table.complain(key, f"{key} {list(area)} holds no pavement")
    return places


def _signals(tables: list[tuple[Table[SignalTable], Brain | None]], street_map: StreetMap) -> dict[int, Brain]:
    """The brains of the signals by crossing; one without `crossing` is for all that have no other."""
    named: dict[int, Brain] = {}
    general: Brain | None = None
    for table, brain in tables:
        if brain is None:
            continue
        for state in brain.states:
            if state not in COLOURS:
                table.complain("brain", f"the signal {brain.name} has a state {state!r}{hint(state, COLOURS)}")
        place = table.values.crossing
        if place is None:
            general = brain
            continue
        x, y = place
        height, width = street_map.crossing_of.shape
        number = int(street_map.crossing_of[y, x]) if 0 <= x < width and 0 <= y < height else NONE
        if number == NONE:
            table.complain("crossing", f"there is no crossing at {place}")
            continue
        named[number] = brain
    if general is not None:
        named = dict.fromkeys(range(street_map.n_crossings), general) | named
    return named


def _without_head(text: str) -> str:
    """The rows of a map file, without the head of a Moving AI map."""
    lines = text.splitlines()
    for number, line in enumerate(lines[:8]):
        if line.strip() == "map":
            return "\n".join(lines[number + 1 :])
    return text
