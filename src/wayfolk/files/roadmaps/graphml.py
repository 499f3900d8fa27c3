"""GraphML: nodes with coordinates, edges that are directed or not."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wayfolk.errors import BadMap, Missing
from wayfolk.files.markup import check_xml
from wayfolk.files.raw import File, reason, shown
from wayfolk.world.roadmap import Lane, Roadmap

AXES = ("x", "y", "z")


def graphml_roadmap(file: File, data: bytes) -> Roadmap:
    """The roadmap in a GraphML document. A position is `x` and `y`, or `coords` or `pos` with numbers between commas."""
    try:
        import networkx as nx
    except ImportError:
        raise Missing("networkx is not installed: pip install 'wayfolk[graphs]'") from None
    lines = _edge_lines(file, data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an attribute without a type is taken for a text
            graph = nx.read_graphml(io.BytesIO(data))
    except (nx.NetworkXError, KeyError, TypeError, ValueError, AttributeError) as why:
        raise BadMap(f"{file}: this is not GraphML: {reason(why)}") from None
    places = {name: _position(file, name, about) for name, about in graph.nodes(data=True)}
    lanes: dict[tuple[Any, Any], Lane] = {}
    for start, end, about in graph.edges(data=True):
        length = about.get("length")
        speed = about.get("speed", 1.0)
        for value, what, is_right in (
            (length, "length", length is None or (_is_number(length) and length >= 0)),
            (speed, "speed", _is_number(speed) and speed > 0),
        ):
            if not is_right:
                line = lines.get((start, end), lines.get((end, start), 0))
                least = "0 or more" if what == "length" else "above 0"
                said = f"the edge from {start} to {end} has the {what} {shown(value)}: it must be a number {least}"
                raise BadMap(f"{file}, line {line}: {said}")
        lanes[start, end] = Lane(start, end, graph.is_directed(), length, speed)
    return Roadmap(places, lanes.values(), name=graph.graph.get("name") or Path(file).stem)


def _edge_lines(file: File, data: bytes) -> dict[tuple[str, str], int]:
    """The line of each edge by its ends, all of which must be nodes."""
    nodes: set[str] = set()
    lines: dict[tuple[str, str], int] = {}

    def found(name: str, attributes: dict[str, str], line: int) -> None:
        kind = name.rpartition("}")[2]
        if kind == "node":
            nodes.add(attributes.get("id", ""))
        elif kind == "edge":
            lines[attributes.get("source", ""), attributes.get("target", "")] = line

    check_xml(file, data, found)
    for (start, end), line in lines.items():
        for name in (start, end):
            if name not in nodes:
                raise BadMap(
                    f"{file}, line {line}: the edge from {start} to {end} leads to {name}, and there is no such node"
                )
    return lines


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _position(file: File, name: Any, about: Mapping[str, Any]) -> list[float]:
    """Where a node lies."""
    text = about.get("coords", about.get("pos"))
    values = [about[axis] for axis in AXES if axis in about] if text is None else str(text).strip("[]() ").split(",")
    try:
        return [float(value) for value in values if values]
    except (TypeError, ValueError):
        raise BadMap(f"{file}: the node {name} lies at {text!r}, which are no numbers between commas") from None
