"""A record of agents whose places are nodes of a graph of states, packed for the page (nodes.js).

The nodes that occur in the record are numbered from 0, and rows hold these numbers. `nodes` of the head has for each of
them, in base64 of gzip, little-endian: f32 x, f32 y, u32 stand, u16 level, u8 heading of 256, clockwise from east. The
stand of a node is that of its cell in all headings. The head also holds the names of the nodes, the shapes of the kinds of
bodies, the kind of each agent, the picture of the world, and what is closed and opened in it: rows of a time, the number of
an outline (of a cell, or the two ends of a lane), and 1 or 0.
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import BLOCK, CLOSE, FREE, NOWHERE, OPEN, THOUGHT
from wayfolk.problem.layers import Layer, MarkLayer
from wayfolk.problem.record import Record
from wayfolk.replay import colours
from wayfolk.replay.colours import hexed
from wayfolk.replay.node_points import NodePoints, node_points
from wayfolk.world.edits import EDITS
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

HUES = {
    "card": colours.PAGE, "floor": colours.FLOOR, "wall": colours.WALL, "edge": colours.EDGE, "ink": colours.INK,
    "quiet": colours.QUIET, "tone-blue": colours.TONES["blue"],
}  # fmt: skip
"""The colours of pictures of worlds, by the names of those that the page has instead."""


class NodeRows:
    """The `record` with nodes numbered from 0 on its `ground`, and what the page has to know about these nodes."""

    def __init__(self, record: Record, states: StateGraph) -> None:
        self.points: NodePoints = node_points(states)
        self.states = states
        is_node = ~np.isin(record.kind, (*EDITS, THOUGHT)) & (record.cell != NOWHERE)
        starts = record.starts[record.starts != NOWHERE]
        used = np.unique(np.concatenate([starts, record.cell[is_node]]))
        self.nodes = np.unique(np.concatenate([used, states.stand_of[used]]))
        self.kind_of = _kinds(record, states, is_node)
        cell = record.cell.copy()
        cell[is_node] = self.numbers(record.cell[is_node])
        self.edits = [] if isinstance(states.world, Grid) else _edits(record, states)
        shown = (BLOCK, FREE) if isinstance(states.world, Grid) else ()
        kept = ~np.isin(record.kind, EDITS) | np.isin(record.kind, shown)
        rows = (record.time[kept], record.agent[kept], record.kind[kept], cell[kept])
        self.record = Record(self.ground, self.numbers(record.starts), *rows, record.end, record.model, record.tick)

    @property
    def ground(self) -> Grid:
        """The map below the agents; without walls if the picture shows them."""
        return ground_of(self.states)

    def numbers(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The numbers of nodes of the record; NOWHERE stays."""
        found = np.minimum(np.searchsorted(self.nodes, nodes), max(len(self.nodes) - 1, 0))
        return np.where(nodes == NOWHERE, NOWHERE, found).astype(np.int32)

    def layers(self, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
        """Marks with the numbers of their nodes, as far as the record knows these; layers of cells are left out."""
        return tuple(
            replace(layer, cell=np.where(np.isin(layer.cell, self.nodes), self.numbers(layer.cell), NOWHERE))
            for layer in layers
            if isinstance(layer, MarkLayer)
        )

    def head(self) -> dict[str, Any]:
        """What the head of the panel holds besides the usual."""
        head = head_of_nodes(self.states, self.nodes, self.kind_of)
        if self.points.drawing is not None:
            head["outlines"], head["edits"] = self._edited()
        return {"nodes": head}

    def _edited(self) -> tuple[list[Any], list[Any]]:
        """The outlines of what is closed or opened, and for each time which of them is closed or open then."""
        places = list(dict.fromkeys(place for _, place, _ in self.edits))
        outlines = [np.round(self.points.outline(place), 3).tolist() for place in places]
        return outlines, [[time, places.index(place), int(is_closed)] for time, place, is_closed in self.edits]


def ground_of(states: StateGraph) -> Grid:
    """The map of squares below the agents; without walls if a picture shows these."""
    if isinstance(states.world, Grid):
        return states.world
    points = node_points(states)
    return Grid(np.ones((points.height, points.width), np.bool_))


def head_of_nodes(states: StateGraph, nodes: NDArray[Any], kind_of: NDArray[Any]) -> dict[str, Any]:
    """What the page knows of `nodes`, numbers in order, and of the kinds of agents; stands of nodes are among them."""
    points = node_points(states)
    turns = np.rint(points.headings(nodes) / (2 * np.pi) * 256).astype(np.int64) % 256
    columns = [
        points.points(nodes).astype("<f4").T.tobytes(),
        np.searchsorted(nodes, states.stand_of[nodes]).astype("<u4").tobytes(),
        points.levels_of(nodes).astype("<u2").tobytes(),
        turns.astype(np.uint8).tobytes(),
    ]
    head: dict[str, Any] = {
        "count": len(nodes),
        "body": base64.b64encode(gzip.compress(b"".join(columns), 6, mtime=0)).decode(),
        "names": points.names(nodes),
        "shapes": [[round(shape.side, 4), round(shape.radius, 4), shape.turns, shape.name] for shape in points.shapes],
        "kindOf": kind_of.tolist(),
    }
    if points.drawing is not None:
        drawing, unit = points.drawing, points.unit
        head["picture"] = {
            "svg": drawing.svg, "at": points.margin.tolist(), "size": [drawing.width / unit, drawing.height / unit],
            "hues": {name: hexed(hue) for name, hue in HUES.items()},
        }  # fmt: skip
    return head


def _edits(record: Record, states: StateGraph) -> list[tuple[float, tuple[int, ...], bool]]:
    """What closes or opens, and when: a cell of the world, or a lane between two."""
    edits = []
    for row in np.flatnonzero(np.isin(record.kind, EDITS)).tolist():
        kind, number = int(record.kind[row]), int(record.cell[row])
        place: tuple[int, ...] = (number,)
        if kind in (CLOSE, OPEN):
            first = states.first
            assert not isinstance(first, Grid)
            place = (int(first.sources[number]), int(first.graph.target[number]))
        edits.append((float(record.time[row]), place, kind in (BLOCK, CLOSE)))
    return sorted(edits, key=lambda edit: edit[0])


def _kinds(record: Record, states: StateGraph, is_node: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of the kind of each agent."""
    first = record.starts.copy()
    rows = np.flatnonzero(is_node)[::-1]
    rows = rows[first[record.agent[rows]] == NOWHERE]
    first[record.agent[rows]] = record.cell[rows]  # of several rows, the first one stays
    kinds = np.searchsorted(states.bases, first, "right") - 1
    return np.where(first == NOWHERE, 0, kinds).astype(np.int64)
