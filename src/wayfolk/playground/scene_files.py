"""Scene files (.toml) as scenes of the playground: those of agents, and those of a street.

A file that is dropped on the page is text from outside. It may draw its map or make it by a rule, and names algorithms and
brains of the package; whatever names a file or a module is refused before anything is read by it.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from pydantic import ValidationError

from wayfolk.errors import BadInput, NotSupported, WayfolkError
from wayfolk.files.made_maps import TILINGS
from wayfolk.playground.algorithms import checked_options, known
from wayfolk.playground.choices import map_of
from wayfolk.playground.limits import MAX_SIDE, check_agents, check_size
from wayfolk.playground.panel_scene import StreetPart, sentence
from wayfolk.simulation.scene.reader import read_scene
from wayfolk.simulation.scene.scene import Scene
from wayfolk.simulation.scene.tables import BODY
from wayfolk.world.grid import Grid

STREET_KEYS = {"brain", "rate", "speed", "radius", "settings"}
SQUARES_ONLY = "the playground takes scenes of points on maps of squares: `wayfolk run` runs this one"


def read_scene_upload(text: str) -> dict[str, Any]:
    """The scene in a dropped file."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"the file is no scene: {str(error)[:120]}") from None
    if "street" in data:
        return street_scene(data)
    _check(data)
    folder = Path(mkdtemp(prefix="wayfolk-"))
    file = folder / "scene.toml"
    try:
        file.write_text(text, encoding="utf-8")
        scene = read_scene(file)
    except WayfolkError as error:
        raise BadInput(str(error).replace(str(file), "the file")) from None
    finally:
        file.unlink(missing_ok=True)
        os.rmdir(folder)
    assert isinstance(scene, Scene), "it has no street"
    check_size(scene.grid.width, scene.grid.height)
    return {"map": map_of(scene.grid), **agents_scene(scene)}


def agents_scene(scene: Scene) -> dict[str, Any]:
    """The agents and the controller of a scene file, without its map; of errands, the first goal, there and back."""
    if not isinstance(scene.states, Grid):
        raise NotSupported(SQUARES_ONLY)
    starts = scene.grid.places([errand.start for errand in scene.errands])
    goals = scene.grid.places(scene.first_goals)
    is_one_shot = all(len(errand.visits) == 1 for errand in scene.errands)
    plain = {key: value for key, value in scene.options.items() if isinstance(value, bool | int | float)}
    return {
        "kind": "agents",
        "errand": "one_shot" if is_one_shot else "patrol",
        "journeys": np.hstack([starts, goals]).tolist(),
        "algorithms": [{"name": f"controllers/{scene.controller}", "options": plain}],
        "moves": scene.grid.moves.value,
        "seed": scene.seed,
    }


def street_scene(data: dict[str, Any]) -> dict[str, Any]:
    """The scene of a file with a street: its drawing, who comes, its signal and its model."""
    street = _table(data, "street")
    if "map" not in street:
        raise NotSupported("the playground needs the drawing of a street in its file, as `map`")
    coming = data.get("spawn", [])
    signals = data.get("signal", [])
    if not isinstance(coming, list) or not isinstance(signals, list) or len(signals) > 1:
        raise NotSupported("the playground has streets with [[spawn]] tables and one [[signal]] for all crossings")
    for table in coming:
        strange = set(table if isinstance(table, dict) else {"it"}) - STREET_KEYS
        if strange:
            raise NotSupported(f"the playground does not know {sorted(strange)[0][:40]} of a [[spawn]]")
    settings = signals[0].get("settings", {}) if signals and isinstance(signals[0], dict) else {}
    entry = known(str(street.get("model", "orca")), "crowds")
    part = {"drawing": street["map"], "cell": street.get("cell", 3.0), "coming": coming, "signal": settings}
    try:
        checked = StreetPart.model_validate(part)
    except ValidationError as error:
        raise BadInput(sentence(error).replace("the page sent", "the file has")) from None
    return {
        "map": {"name": "empty"},
        "kind": "crowd",
        "street": checked.model_dump(),
        "algorithms": [{"name": f"crowds/{entry.name}", "options": {}}],
        "seed": data["seed"] if isinstance(data.get("seed"), int) else 0,
    }


def _check(data: dict[str, Any]) -> None:
    """Refuse what names files or modules, and what is too large."""
    world = _table(data, "world")
    if "file" in world:
        raise NotSupported(
            "a dropped scene cannot name a file: draw its map as `map`, or open the scene by `wayfolk play`"
        )
    tables = [table for key in ("group", "event") for table in _tables(data, key)]
    if world.get("make") in list(TILINGS) or any(key in table for table in tables for key in BODY):
        raise NotSupported(SQUARES_ONLY)
    for name, value in world.items():
        if isinstance(value, int) and name != "seed" and abs(value) > MAX_SIDE:
            raise BadInput(f"{name[:40]} of [world] is up to {MAX_SIDE:,}, not {value}")
    if isinstance(world.get("width"), int) and isinstance(world.get("height"), int):
        check_size(world["width"], world["height"])
    controller = _table(data, "controller")
    entry = known(str(controller.get("name", "whca")), "controllers")
    checked_options(entry, {str(name): value for name, value in _table(controller, "options").items()})
    counts = [group.get("count", 0) for group in _tables(data, "group")]
    check_agents(sum(count for count in counts if isinstance(count, int)))


def _tables(data: dict[str, Any], name: str) -> list[dict[str, Any]]:
    listed = data.get(name, [])
    return [table for table in listed if isinstance(table, dict)] if isinstance(listed, list) else []


def _table(data: dict[str, Any], name: str) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise BadInput(f"{name} is a table, written [{name}]")
    return table
