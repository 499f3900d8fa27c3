"""GraphML: nodes with coordinates, edges that are directed or not."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wayfolk.errors import BadMap, Missing
from wayfolk.files.markup import check_xml
from wayfolk.files.raw import File
from wayfolk.world.roadmap import Lane, Roadmap

AXES = ("x", "y", "z")


def graphml_roadmap(file: File, data: bytes) -> Roadmap:
    """The roadmap in a GraphML document. A position is `x` and `y`, or `coords` or `pos` with numbers between commas."""
    try:
        import networkx as nx
    except ImportError:
        raise Missing("networkx is not installed: pip install 'wayfolk[graphs]'") from None
    check_xml(file, data)
    try:
        graph = nx.read_graphml(io.BytesIO(data))
    except (nx.NetworkXError, KeyError, TypeError, ValueError, AttributeError) as why:
        raise BadMap(f"{file}: this is not GraphML: {why}") from None
    places = {name: _position(file, name, about) for name, about in graph.nodes(data=True)}
    lanes: dict[tuple[Any, Any], Lane] = {}
    for start, end, about in graph.edges(data=True):
        length = about.get("length")
        speed = about.get("speed", 1.0)
        for value, what in ((length, "length"), (speed, "speed")):
            if not isinstance(value, int | float | None):
                raise BadMap(f"{file}: the edge from {start} to {end} has the {what} {value!r}, which is no number")
        lanes[start, end] = Lane(start, end, graph.is_directed(), length, speed)
    return Roadmap(places, lanes.values(), name=graph.graph.get("name") or Path(file).stem)


def _position(file: File, name: Any, about: Mapping[str, Any]) -> list[float]:
    """Where a node lies."""
    text = about.get("coords", about.get("pos"))
    values = [about[axis] for axis in AXES if axis in about] if text is None else str(text).strip("[]() ").split(",")
    try:
        return [float(value) for value in values if values]
    except (TypeError, ValueError):
        raise BadMap(f"{file}: the node {name} lies at {text!r}, which are no numbers between commas") from None
