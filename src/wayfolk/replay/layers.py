"""Pack layers into few bytes, in the order in which the page reads them.

    head     for each layer its title, its kinds and groups, and the number of its rows, as JSON
    body     gzip of the columns of all layers, one layer after another. A column of words is four columns of bytes, the
             lowest first.
             cells   runs of equal cells, row by row without the padding:
                     words length, words area, u8 kind, u8 heading
             marks   sorted by time:
                     words ticks since the row before, words agent, words cell, words sender, words receiver, u8 kind

A heading is one of the eight directions clockwise from east, or NONE.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import DX, DY, NOWHERE
from wayfolk.problem.layers import CellLayer, Layer, LayerKind, MarkLayer, Tone
from wayfolk.problem.record import Record
from wayfolk.world.grid import Grid

NONE = 8  # a cell without a heading
STRAIGHT = 4  # the first directions of `DX` and `DY`


def pack_layers(layers: Sequence[Layer], record: Record, tick: float) -> dict[str, object]:
    """Return `layers` as the page reads them; the times of marks are counted in `tick`."""
    heads: list[dict[str, object]] = []
    columns: list[bytes] = []
    for layer in layers:
        _check_kinds(layer.title, layer.kinds, layer.kind)
        head: dict[str, object] = {
            "title": layer.title,
            "kinds": [[kind.name, kind.tone, round(float(kind.strength), 3)] for kind in layer.kinds],
            "groups": [[name, int(first)] for name, first in layer.groups],
        }
        if isinstance(layer, CellLayer):
            n_rows, packed = _pack_cells(layer, record.grid)
            head["since"] = float(layer.since)
        else:
            n_rows, packed = _pack_marks(layer, record, tick)
        columns.append(packed)
        heads.append({**head, "is": "cells" if isinstance(layer, CellLayer) else "marks", "rows": n_rows})
    body = gzip.compress(b"".join(columns), 6, mtime=0)
    return {"heads": heads, "body": base64.b64encode(body).decode()}


def headings(layer: CellLayer, grid: Grid) -> NDArray[np.uint8]:
    """Return for each cell of the padded grid where larger values of `order` are in its area, or NONE."""
    result = np.full(grid.n_cells, NONE, np.uint8)
    if layer.order is None:
        return result
    area = np.full((grid.height + 2, grid.stride), NOWHERE, np.int32)
    area[1:-1, 1:-1] = layer.area.reshape(-1, grid.stride)[1:-1, 1:-1]  # nothing leads out of the map
    area = area.ravel()
    cells = np.flatnonzero(area != NOWHERE)
    along_x, along_y = np.zeros(len(cells), np.int32), np.zeros(len(cells), np.int32)
    for direction in range(STRAIGHT):
        beside = cells + grid.offsets[direction]
        rise = np.sign(layer.order[beside] - layer.order[cells]) * (area[beside] == area[cells])
        along_x += rise * DX[direction]
        along_y += rise * DY[direction]
    leads = (along_x != 0) | (along_y != 0)
    turns = np.arctan2(along_y[leads], along_x[leads]) / (2 * np.pi)
    result[cells[leads]] = np.rint(8 * turns).astype(np.int64) % 8
    return result


def _pack_cells(layer: CellLayer, grid: Grid) -> tuple[int, bytes]:
    for name, column in (("area", layer.area), ("kind", layer.kind), ("order", layer.order)):
        if column is not None and len(column) != grid.n_cells:
            raise BadInput(f"the layer {layer.title!r} has {len(column)} cells in `{name}`; the map has {grid.n_cells}")
    if not np.isfinite(layer.since):
        raise BadInput(f"the layer {layer.title!r} begins at the time {layer.since}")
    inside = [
        column.reshape(-1, grid.stride)[1:-1, 1:-1].ravel()
        for column in (layer.area, layer.kind, headings(layer, grid))
    ]
    differs = np.zeros(grid.width * grid.height, bool)
    differs[:1] = True
    for column in inside:
        differs[1:] |= column[1:] != column[:-1]
    first = np.flatnonzero(differs)
    lengths = np.diff(first, append=len(differs))
    area, kind, heading = (column[first] for column in inside)
    parts = (_words(lengths), _words(area), kind.astype(np.uint8).tobytes(), heading.tobytes())
    return len(first), b"".join(parts)


def _pack_marks(layer: MarkLayer, record: Record, tick: float) -> tuple[int, bytes]:
    columns = (layer.time, layer.agent, layer.kind, layer.cell, layer.sender, layer.receiver)
    sizes = {len(column) for column in columns}
    if len(sizes) > 1:
        raise BadInput(f"the columns of the layer {layer.title!r} have different lengths: {sorted(sizes)}")
    if not (np.isfinite(layer.time).all() and layer.time.min(initial=0.0) >= 0.0):
        raise BadInput(f"the times of the layer {layer.title!r} must be finite and not before 0")
    strangers = (layer.agent < 0) | (layer.agent >= len(record.starts))
    if strangers.any():
        stranger = layer.agent[strangers.argmax()]
        raise BadInput(f"the layer {layer.title!r} has a mark of agent {stranger}; there are {len(record.starts)}")
    order = np.argsort(layer.time, kind="stable")
    ticks = np.rint(layer.time[order] / tick).astype(np.int64)
    words = (
        np.diff(ticks, prepend=0),
        *(column[order] for column in (layer.agent, layer.cell, layer.sender, layer.receiver)),
    )
    return len(order), b"".join([*map(_words, words), layer.kind[order].astype(np.uint8).tobytes()])


def _check_kinds(title: str, kinds: Sequence[LayerKind], used: NDArray[np.uint8]) -> None:
    if used.max(initial=0) >= max(len(kinds), 1):
        raise BadInput(f"the layer {title!r} has {len(kinds)} kinds, not number {used.max()}")
    for kind in kinds:
        if kind.tone not in get_args(Tone):
            raise BadInput(f"the layer {title!r} has no tone {kind.tone!r}: choose {', '.join(get_args(Tone))}")


def _words(values: ArrayLike) -> bytes:
    """Return values as four columns of bytes: those that seldom change compress well."""
    return np.asarray(values).astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes()
