"""Layers: what a controller can show of itself in a replay, besides the moves of its agents.

A CellLayer divides the cells of the map into areas; a MarkLayer has marks at times, such as messages. Both only refer to
arrays: they cost nothing until a page is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Tone = Literal["mixed", "blue", "orange", "green", "red", "grey"]


class LayerKind(NamedTuple):
    """A kind of cells or marks: its name, colour, and how strong the colour is, from 0 to 1.

    The tone "mixed" is for cells: each area has a colour of its own.
    """

    name: str
    tone: Tone
    strength: float = 1.0


@dataclass(frozen=True, eq=False)
class CellLayer:
    """The areas of a map from the time `since` on, until that of the next layer with the same title.

    area    the number of the area of each cell of the padded grid; NOWHERE in none
    kind    index in `kinds`
    order   agents go to cells of their area with a larger value: this is shown as arrows. None: no arrows
    groups  what areas are called: a name, and the number of the first area with that name, by number. With
            (("room", 0), ("lane", 5)) area 7 is "lane 2"
    """

    title: str
    area: NDArray[np.int32]
    kind: NDArray[np.uint8]
    kinds: tuple[LayerKind, ...]
    order: NDArray[np.int32] | None = None
    groups: tuple[tuple[str, int], ...] = (("area", 0),)
    since: float = 0.0


@dataclass(frozen=True, eq=False)
class MarkLayer:
    """Marks: at `time`, something of `kind` happens between `agent` and `cell` (NOWHERE: to the agent alone).

    `sender` and `receiver` are areas that the mark passes between, called as in the `groups` of a CellLayer.
    """

    title: str
    time: NDArray[np.float64]
    agent: NDArray[np.int32]
    kind: NDArray[np.uint8]
    cell: NDArray[np.int32]
    kinds: tuple[LayerKind, ...]
    sender: NDArray[np.int32]
    receiver: NDArray[np.int32]
    groups: tuple[tuple[str, int], ...] = (("area", 0),)


Layer = CellLayer | MarkLayer
