"""Pack a record into few bytes, in the order in which the page reads it.

The page looks up where one agent is at one time, so rows are sorted by agent, then time. Values that repeat compress well:
times become differences in whole ticks, and a move or refusal to a neighbouring cell becomes one of eight directions. A
patrol of a hundred agents then takes about a byte for each row.

    head     the numbers of the panel, as JSON: sizes, the clock, the meaning of ops, terrain; for places that are nodes of
             a graph of states, also `nodes` (node_rows.py)
    body     gzip of, little-endian:
             u32 starts[agents]            cells are those of the padded grid; one outside of it is nowhere
             u32 rows_of[agents]
             u32 change_ticks[changes]     walls that come and go, by time
             u32 change_cells[changes]
             u32 cells[told]               for the rows whose op has no direction, in their order
             u8  gaps[4][rows]             ticks since the agent's row before, lowest byte first
             u8  ops[rows]                 0-7 a move, 8-15 a refusal, 16 + kind anything else
             u8  blocks[ceil(changes / 8)] bits, highest first: does the change block or free?
             u8  walls[ceil(w * h / 8)]    bits, row by row
"""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import BLOCK, DX, DY, FREE, JOIN, LEAVE, MOVE, REFUSED, THOUGHT
from wayfolk.problem.record import KINDS, STEPS, Record
from wayfolk.world.grid import Grid, Moves

TOLD = 16  # ops from here on are kinds, and their cells are in `cells`
MAX_TICKS = 1 << 31
QUARTERS = 4


def pack(record: Record) -> tuple[dict[str, Any], bytes]:
    """Return the head and the body of a panel for `record`."""
    _check(record)
    states = record.states
    if isinstance(states, Grid):
        return _packed(record, states.n_cells)
    from wayfolk.replay.node_rows import NodeRows

    rows = NodeRows(record, states)
    head, body = _packed(rows.record, len(rows.nodes))
    return head | rows.head(), body


def _packed(record: Record, n_cells: int) -> tuple[dict[str, Any], bytes]:
    """The head and the body of a record on a grid, in which agents are in cells with numbers below `n_cells`."""
    grid = record.grid
    end = float(max(record.end, record.time.max(initial=0.0)))
    tick = _tick(record, end)
    ticks = np.rint(record.time / tick).astype(np.int64)
    is_change = np.isin(record.kind, (BLOCK, FREE))

    changes = np.flatnonzero(is_change)
    changes = changes[np.argsort(ticks[changes], kind="stable")]

    rows = np.flatnonzero(
        ~is_change & (record.kind != THOUGHT)
    )  # there are many thoughts, and the page does not show them
    rows = rows[np.lexsort((ticks[rows], record.agent[rows]))]
    agent, kind, cell = record.agent[rows], record.kind[rows], record.cell[rows].astype(np.int64)
    rows_of = np.bincount(agent, minlength=len(record.starts))
    first = np.cumsum(rows_of) - rows_of
    before = _cells_before(record, n_cells, agent, kind, cell, first)

    ops = (TOLD + kind).astype(np.uint8)
    for direction, offset in enumerate(grid.offsets):
        beside = (cell - before == offset) & (before < n_cells)
        ops[beside & (kind == MOVE)] = direction
        ops[beside & (kind == REFUSED)] = 8 + direction
    given = cell[ops >= TOLD]

    gaps = np.diff(ticks[rows], prepend=0)
    leads = first[rows_of > 0]
    gaps[leads] = ticks[rows][leads]
    body = b"".join(
        [
            _words(record.starts),
            _words(rows_of),
            _words(ticks[changes]),
            _words(record.cell[changes]),
            _words(given),
            np.frombuffer(_words(gaps), np.uint8).reshape(-1, 4).T.tobytes(),
            ops.tobytes(),
            np.packbits(record.kind[changes] == BLOCK).tobytes(),
            np.packbits(~grid.free).tobytes(),
        ]
    )
    head: dict[str, Any] = {
        "width": grid.width,
        "height": grid.height,
        "agents": len(record.starts),
        "rows": len(rows),
        "changes": len(changes),
        "told": len(given),
        "end": end,
        "tick": tick,
        "inSteps": record.model == STEPS,
        "diagonal": grid.diagonal,
        "diagonals": grid.moves is not Moves.FOUR,
        "kinds": list(KINDS),
        "directions": [list(step) for step in zip(DX, DY, strict=True)],
        "terrain": packed_terrain(grid),
    }
    return head, gzip.compress(body, 6, mtime=0)


def packed_terrain(grid: Grid) -> str | None:
    """What it costs to walk in each cell, in quarters up to 255, row by row: gzip in base64. None if all cost the same."""
    if grid.costs is None:
        return None
    quarters = np.clip(np.rint(QUARTERS * grid.costs), 1, 255).astype(np.uint8)
    return base64.b64encode(gzip.compress(quarters.tobytes(), 6, mtime=0)).decode()


def _check(record: Record) -> None:
    sizes = {len(column) for column in (record.time, record.agent, record.kind, record.cell)}
    if len(sizes) > 1:
        raise BadInput(f"the columns of a record have different lengths: {sorted(sizes)}")
    if not (np.isfinite(record.time).all() and np.isfinite(record.end) and record.time.min(initial=0.0) >= 0.0):
        raise BadInput("the times of a record must be finite and not before 0")
    whose = record.agent[~np.isin(record.kind, (BLOCK, FREE))]
    strangers = (whose < 0) | (whose >= len(record.starts))
    if strangers.any():
        raise BadInput(f"the record has a row of agent {whose[strangers.argmax()]}; there are {len(record.starts)}")
    if record.kind.max(initial=0) >= len(KINDS):
        raise BadInput(f"a record has {len(KINDS)} kinds of rows, not number {record.kind.max()}")


def _tick(record: Record, end: float) -> float:
    """Return the record's own tick if its times are multiples of it, else about a thousandth, which is too short to see."""
    for tick in (1.0, record.tick):
        beats = record.time / tick if tick > 0 else record.time + 0.5
        if (np.abs(beats - np.rint(beats)) < 1e-6).all() and end < MAX_TICKS * tick:
            return float(tick)
    tick = 1 / 1024
    while end >= MAX_TICKS * tick:
        tick *= 2
    return tick


def _cells_before(
    record: Record,
    n_cells: int,
    agent: NDArray[np.int32],
    kind: NDArray[np.uint8],
    cell: NDArray[np.int64],
    first: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the cell of each row's agent just before the row, for rows sorted by agent."""
    lands = np.isin(kind, (MOVE, JOIN, LEAVE))
    to = np.where(kind == LEAVE, n_cells, cell)
    last = np.maximum.accumulate(np.where(lands, np.arange(len(kind)), -1))
    before = np.concatenate([[-1], last[:-1]])[: len(kind)]
    return np.where(before >= first[agent], to[before], record.starts[agent].astype(np.int64))


def _words(values: ArrayLike) -> bytes:
    return np.asarray(values).astype("<u4").tobytes()
