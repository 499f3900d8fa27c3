"""Roadmaps as files: buildings of Open-RMF, layouts in LIF, GraphML, and the YAML lists of libMultiRobotPlanning.

Each format is a module. A file is parsed and checked whole before a roadmap is made; an error is one sentence that names
the file, the line where that is known, and the offender.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wayfolk.errors import BadInput, BadMap
from wayfolk.files.raw import File, read_bytes, reason
from wayfolk.world.roadmap import Roadmap

KINDS = ".yaml or .yml (Open-RMF building, list of edges), .json or .lif (LIF), .graphml or .xml (GraphML)"


def read_roadmap(file: File, *, graph: int | None = None, vehicle: str | None = None) -> Roadmap:
    """The roadmap in `file`; its suffix and its contents say which format it has.

    Of a building, `graph` chooses the lanes with this number, by default all. Of a layout in LIF, `vehicle` chooses the
    type of vehicle whose edges and speeds count, by default any. Lengths of GraphML are the attribute `length`, else the
    straight distance of the nodes.
    """
    suffix, data = Path(file).suffix.lower(), bytes(read_bytes(file, BadMap))
    try:
        if suffix in (".graphml", ".xml"):
            from wayfolk.files.roadmaps.graphml import graphml_roadmap

            return graphml_roadmap(file, data)
        if suffix in (".json", ".lif"):
            from wayfolk.files.roadmaps.lif import lif_roadmap

            return lif_roadmap(file, data, vehicle)
        if suffix in (".yaml", ".yml"):
            return _yaml_roadmap(file, data, graph)
    except BadMap:
        raise
    except BadInput as why:  # what a roadmap refuses
        raise BadMap(f"{file}: {reason(why)}") from None
    raise BadMap(f"{file}: a roadmap is a file that ends in {KINDS}")


def _yaml_roadmap(file: File, data: bytes, graph: int | None) -> Roadmap:
    from wayfolk.files.documents import parse
    from wayfolk.files.roadmaps.edge_list import edge_list_roadmap
    from wayfolk.files.roadmaps.rmf import rmf_roadmap

    tree: Any = parse(file, data)
    if isinstance(tree, dict) and "levels" in tree:
        return rmf_roadmap(file, data, tree, graph)
    if isinstance(tree, dict) and "roadmap" in tree:
        return edge_list_roadmap(file, data, tree)
    if isinstance(tree, dict) and "image" in tree:
        raise BadMap(f"{file}: this is a map of Nav2, which is no roadmap: read it with read_map")
    raise BadMap(f"{file}: should have 'levels', as a building of Open-RMF, or 'roadmap', as a list of edges")
