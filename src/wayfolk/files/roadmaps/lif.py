"""LIF, the Layout Interchange Format 1.0 of VDMA: nodes, directed edges and stations of a site with automated vehicles."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pydantic import Field

from wayfolk.errors import BadMap
from wayfolk.files.documents import DocumentModel, checked, line_of, parse_json
from wayfolk.files.raw import File
from wayfolk.world.roadmap import Lane, Roadmap

VERSION = "1."  # minor versions add what is optional


class _Meta(DocumentModel):
    lifVersion: str  # noqa: N815 - the names of the format


class _Position(DocumentModel):
    x: float
    y: float


class _NodeUse(DocumentModel):
    vehicleTypeId: str  # noqa: N815


class _Node(DocumentModel):
    nodeId: str  # noqa: N815
    nodePosition: _Position  # noqa: N815
    vehicleTypeNodeProperties: list[_NodeUse]  # noqa: N815


class _EdgeUse(DocumentModel):
    vehicleTypeId: str  # noqa: N815
    maxSpeed: float | None = Field(default=None, gt=0.0)  # noqa: N815


class _Edge(DocumentModel):
    edgeId: str  # noqa: N815
    startNodeId: str  # noqa: N815
    endNodeId: str  # noqa: N815
    vehicleTypeEdgeProperties: list[_EdgeUse]  # noqa: N815


class _Station(DocumentModel):
    stationId: str  # noqa: N815
    interactionNodeIds: list[str]  # noqa: N815


class _Layout(DocumentModel):
    layoutId: str  # noqa: N815
    layoutLevelId: str | None = None  # noqa: N815
    nodes: list[_Node]
    edges: list[_Edge]
    stations: list[_Station]


class _LayoutFile(DocumentModel):
    metaInformation: _Meta  # noqa: N815
    layouts: list[_Layout]


def lif_roadmap(file: File, data: bytes, vehicle: str | None) -> Roadmap:
    """All layouts of a LIF document as one roadmap, for one type of `vehicle` or for any.

    A node or edge is there if the vehicle may use it. Without a speed limit the speed is 1.
    """
    site = checked(file, data, parse_json(file, data), _LayoutFile)
    version = site.metaInformation.lifVersion
    if not version.startswith(VERSION):
        line = line_of(data, ("metaInformation", "lifVersion"))
        raise BadMap(f"{file}{line}: this is LIF {version}, and only versions {VERSION}x can be read")
    types = {
        use.vehicleTypeId for layout in site.layouts for node in layout.nodes for use in node.vehicleTypeNodeProperties
    }
    if vehicle is not None and vehicle not in types:
        raise BadMap(f"{file}: there is no type of vehicle {vehicle!r}, only {', '.join(sorted(types)) or 'none'}")
    places: dict[str, tuple[float, float]] = {}
    levels: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for k, layout in enumerate(site.layouts):
        for m, node in enumerate(layout.nodes):
            seen[node.nodeId] += 1
            if seen[node.nodeId] > 1:
                line = line_of(data, ("layouts", k, "nodes", m))
                raise BadMap(f"{file}{line}: there are two nodes {node.nodeId}")
            if vehicle is None or any(use.vehicleTypeId == vehicle for use in node.vehicleTypeNodeProperties):
                places[node.nodeId] = (node.nodePosition.x, node.nodePosition.y)
                levels[node.nodeId] = layout.layoutLevelId or layout.layoutId
    lanes = []
    for k, layout in enumerate(site.layouts):
        for m, edge in enumerate(layout.edges):
            for end in (edge.startNodeId, edge.endNodeId):
                if end not in seen:
                    line = line_of(data, ("layouts", k, "edges", m))
                    raise BadMap(f"{file}{line}: the edge {edge.edgeId} leads to {end}, and there is no such node")
            uses = [use for use in edge.vehicleTypeEdgeProperties if vehicle in (None, use.vehicleTypeId)]
            if uses and edge.startNodeId in places and edge.endNodeId in places:
                speed = max((use.maxSpeed for use in uses if use.maxSpeed is not None), default=1.0)
                lanes.append(Lane(edge.startNodeId, edge.endNodeId, True, None, speed))
    stations = {one.stationId: one.interactionNodeIds for layout in site.layouts for one in layout.stations}
    return Roadmap(places, lanes, levels=levels, stations=stations, name=Path(file).stem)
