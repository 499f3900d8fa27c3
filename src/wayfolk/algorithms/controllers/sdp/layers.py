"""What a replay shows of SDP: its areas, with the directions of lanes, and the messages between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.areas import EXIT, Areas
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.layers import CellLayer, LayerKind, MarkLayer

CELLS = (
    LayerKind("room", "mixed", 0.15),
    LayerKind("inbound entry", "blue", 0.45),
    LayerKind("inbound core", "blue", 0.9),
    LayerKind("inbound exit", "blue", 0.25),
    LayerKind("outbound entry", "orange", 0.45),
    LayerKind("outbound core", "orange", 0.9),
    LayerKind("outbound exit", "orange", 0.25),
)
"""Rooms, and the parts of lanes in the order ENTRY, CORE, EXIT."""
MESSAGES = (
    LayerKind("ask", "blue"),
    LayerKind("accept", "green"),
    LayerKind("refuse", "red"),
    LayerKind("cancel", "orange"),
    LayerKind("moved", "grey"),
)
"""In the order of the kinds in `state`."""


class ShownAreas:
    """The areas as they were at each time, or only as they are now, as `layers`."""

    def __init__(self, keeps_all: bool) -> None:
        self.keeps_all = keeps_all
        self.layers: list[CellLayer] = []

    def add(self, areas: Areas, time: float) -> None:
        """Show `areas` from `time` on."""
        layer = area_layer(areas, time)
        if self.layers and _shows_the_same(self.layers[-1], layer):
            return
        if not self.keeps_all:
            self.layers.clear()
        self.layers.append(layer)


def area_layer(areas: Areas, since: float) -> CellLayer:
    """The areas of a map that hold from the time `since` on."""
    kind = areas.part.copy()
    for outbound in range(1, len(areas.first_cell) - 1, 2):
        kind[areas.cells[areas.first_cell[outbound] : areas.first_cell[outbound + 1]]] += EXIT
    return CellLayer("Areas", areas.area, kind, CELLS, areas.depth, _groups(areas.n_rooms), since)


def message_layer(messages: NDArray[np.void], shown: Sequence[CellLayer]) -> MarkLayer:
    """Recorded messages, rows with `tick` and the fields of MESSAGE; `shown` are the areas between which they were sent.

    The cell is the one that the message is about: the first that an agent asks for, and in a message without cells, which
    refuses or cancels, that of the agent's message before it.
    """
    n_rooms = np.array([layer.groups[-1][1] for layer in shown], np.int32)
    since = np.array([layer.since for layer in shown])
    rooms_then = n_rooms[np.searchsorted(since, messages["tick"], "right") - 1]
    most_rooms = int(n_rooms.max())
    sender, receiver = (
        np.where(area < rooms_then, area, area - rooms_then + most_rooms).astype(np.int32)
        for area in (messages["sender"], messages["to"])
    )
    return MarkLayer(
        title="Messages",
        time=messages["tick"].astype(np.float64),
        agent=messages["agent"],
        kind=messages["kind"],
        cell=_cells_of(messages),
        kinds=MESSAGES,
        sender=sender,
        receiver=receiver,
        groups=_groups(most_rooms),
    )


def _cells_of(messages: NDArray[np.void]) -> NDArray[np.int32]:
    """The cell that each message is about."""
    order = np.argsort(messages["agent"], kind="stable")
    agent, cell = messages["agent"][order], messages["cells"][order, 0]
    known = np.maximum.accumulate(np.where(cell != NOWHERE, np.arange(len(cell)), 0))
    cells = np.empty(len(cell), np.int32)
    cells[order] = np.where(agent[known] == agent, cell[known], NOWHERE)
    return cells


def _groups(n_rooms: int) -> tuple[tuple[str, int], ...]:
    return ("room", 0), ("lane", n_rooms)


def _shows_the_same(layer: CellLayer, other: CellLayer) -> bool:
    """Whether two layers show the same areas."""
    return np.array_equal(layer.area, other.area) and np.array_equal(layer.kind, other.kind)
