"""What the page can choose from, for JSON: algorithms with their texts and options, maps, scenes."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.files.built_in import MAPS
from wayfolk.playground.algorithms import page_options
from wayfolk.playground.maps import FIRST, YOURS, named
from wayfolk.playground.panel_scene import QUARTERS
from wayfolk.playground.scenes import SCENES, TOUR
from wayfolk.world.grid import Grid

PROMISES = {"OPTIMAL": "optimal", "COMPLETE": "complete", "ANYTIME": "anytime"}
KIND_OF = {"search": "search", "realtime": "search", "planners": "agents", "controllers": "agents", "crowds": "crowd"}


@cache
def algorithm_choices() -> list[dict[str, Any]]:
    """All algorithms, by family and name."""
    return [
        {
            "name": entry.name,
            "family": entry.family,
            "meaning": catalogue.FAMILIES[entry.family],
            "kind": KIND_OF[entry.family],
            "label": entry.label,
            "text": entry.doc,
            "paper": entry.facts.get("PAPER", ""),
            "worlds": entry.worlds,
            "promises": [name for fact, name in PROMISES.items() if entry.facts.get(fact) is True],
            "options": page_options(entry),
        }
        for entry in catalogue.entries()
    ]


def map_choices() -> list[dict[str, str]]:
    """The names and notes of all maps."""
    yours = [{"name": name, "notes": "from your command"} for name in YOURS]
    return yours + [{"name": name, "notes": notes} for name, (notes, _) in MAPS.items()]


def map_by_name(name: str) -> dict[str, Any]:
    """One map: its size and walls."""
    return map_of(named(name))


def map_of(grid: Grid) -> dict[str, Any]:
    """A map as scenes hold it."""
    walls = base64.b64encode(np.packbits(~grid.free).tobytes()).decode()
    drawn: dict[str, Any] = {"name": grid.name, "width": grid.width, "height": grid.height, "walls": walls}
    if grid.costs is not None:
        quarters = np.clip(np.rint(QUARTERS * grid.costs), 1, 255).astype(np.uint8)
        drawn["terrain"] = base64.b64encode(quarters.tobytes()).decode()
    return drawn


def scene_choices() -> dict[str, Any]:
    """The scenes that are ready to be started, the stops of the tour, and the scene to begin with."""
    return {"scenes": SCENES, "tour": TOUR, "first": FIRST}
