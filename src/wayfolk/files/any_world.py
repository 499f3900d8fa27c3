"""World files of all kinds, told apart by their names and contents: maps, images, voxels, roadmaps, polygons."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from wayfolk.errors import BadMap
from wayfolk.files.maps import read_map
from wayfolk.files.raw import File, read_bytes
from wayfolk.files.roadmaps import read_roadmap
from wayfolk.files.voxels import read_voxels
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves

if TYPE_CHECKING:
    from wayfolk.world.mesh.navmesh import Navmesh

ROADMAPS = frozenset((".lif", ".graphml", ".xml"))
POLYGONS = frozenset((".geojson", ".wkt"))
TILED = frozenset((".tmx", ".tmj"))
IMAGE = re.compile(rb"""\bimage["']?\s*:""")  # a key of maps of Nav2, and of no roadmap


def read_any_world(
    file: File, moves: str | Moves = Moves.EIGHT, *, keep_out: File | None = None, speed: File | None = None
) -> Grid | Graph | Navmesh:
    """The world in `file`, which may also be the name of a built-in map; polygons become a mesh of their inside.

    `moves` are those of maps of squares, and `keep_out` and `speed` name the masks of a map of Nav2.
    """
    suffix = Path(file).suffix.lower()
    is_yaml = suffix in (".yaml", ".yml")
    if is_yaml and IMAGE.search(read_bytes(file, BadMap)):
        from wayfolk.files.nav2 import read_nav2

        return read_nav2(file, moves, keep_out=keep_out, speed=speed)
    if keep_out is not None or speed is not None:
        raise BadMap(f"{file}: only a map of Nav2, which is a .yaml with an image, has masks")
    if suffix == ".3dmap":
        return read_voxels(file)
    keys = _keys(file) if suffix == ".json" else ()
    if suffix in TILED or "tilewidth" in keys:
        from wayfolk.files.tiled import read_tiled

        return read_tiled(file, moves)
    if suffix in POLYGONS or "type" in keys:
        from wayfolk.files.polygons import read_mesh

        return read_mesh(file)
    return read_roadmap(file) if is_yaml or suffix == ".json" or suffix in ROADMAPS else read_map(file, moves)


def read_world_for_agents(file: File, moves: str | Moves = Moves.EIGHT) -> Grid | Graph:
    """The world in `file`, in which many agents can move; polygons are refused."""
    from wayfolk.world.mesh.navmesh import Navmesh

    world = read_any_world(file, moves)
    if isinstance(world, Navmesh):
        raise BadMap(f"{file}: agents do not move on polygons; `wf.read_mesh` finds paths on them")
    return world


def _keys(file: File) -> Collection[str]:
    """The keys of a JSON document, which say what it is."""
    from wayfolk.files.documents import parse_json

    tree = parse_json(file, bytes(read_bytes(file, BadMap)))
    return tree.keys() if isinstance(tree, dict) else ()
