"""World files of all kinds, told apart by their names: maps, images, voxels and roadmaps."""

from __future__ import annotations

from pathlib import Path

from wayfolk.files.maps import read_map
from wayfolk.files.raw import File
from wayfolk.files.roadmaps import read_roadmap
from wayfolk.files.voxels import read_voxels
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

ROADMAPS = frozenset((".yaml", ".yml", ".json", ".lif", ".graphml", ".xml"))


def read_any_world(file: File) -> Grid | Graph:
    """The world in `file`, which may also be the name of a built-in map."""
    suffix = Path(file).suffix.lower()
    if suffix == ".3dmap":
        return read_voxels(file)
    return read_roadmap(file) if suffix in ROADMAPS else read_map(file)
