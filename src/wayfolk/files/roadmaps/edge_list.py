"""Lists of edges in YAML, as libMultiRobotPlanning has them: names, pairs of names, and perhaps positions.

https://github.com/whoenig/libMultiRobotPlanning, example `cbs_roadmap`. What the file says of agents is left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from wayfolk.errors import BadMap
from wayfolk.files.documents import DocumentModel, checked, line_of
from wayfolk.files.raw import File
from wayfolk.world.roadmap import Lane, Roadmap

Name = str | int


class _Roadmap(DocumentModel):
    undirected: bool = False
    vertices: dict[Name, Annotated[list[float], Field(min_length=2, max_length=3)]] | None = None
    edges: list[tuple[Name, Name]]


class _EdgeList(DocumentModel):
    roadmap: _Roadmap


def edge_list_roadmap(file: File, data: bytes, tree: Any) -> Roadmap:
    """The roadmap in a parsed list of edges."""
    listed = checked(file, data, tree, _EdgeList).roadmap
    places: Any = listed.vertices
    if places is None:
        places = list(dict.fromkeys(name for edge in listed.edges for name in edge))
    for k, edge in enumerate(listed.edges):
        for name in edge:
            if name not in places:
                line = line_of(data, ("roadmap", "edges", k))
                raise BadMap(f"{file}{line}: the edge {edge[0]}, {edge[1]} leads to {name}, which is no vertex")
    lanes = [Lane(start, end, one_way=not listed.undirected) for start, end in listed.edges]
    return Roadmap(places, lanes, name=Path(file).stem)
