"""The replay of a search: its trace as a panel, and packed for the page.

head     the numbers of the trace, as JSON: rows, tick, start, goal, the path as points, the names of kinds
body     gzip of columns, a word as four columns of bytes, the lowest first:
         words ticks since the row before, words cell, words other, u8 kind, words g, words h (as float32)
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import ARRIVE, GOAL, MOVE
from wayfolk.problem.record import STEPS, Record
from wayfolk.problem.trace import LEARNED, ROW_KINDS, SCANNED, Trace

TAIL = 0.1  # the part of the time of the longest search in which paths grow, after the search
SHORTEST_TAIL = 8.0
WALK_TICK = 1 / 1024  # of a move


def pack_trace(trace: Trace, tick: float) -> dict[str, object]:
    """Return `trace` as the page reads it; times are counted in `tick`."""
    rows = trace.rows
    if len(rows) and not (np.isfinite(rows["time"]).all() and rows["time"].min() >= 0.0):
        raise BadInput("the times of a trace must be finite and not before 0")
    ticks = np.rint(rows["time"] / tick).astype(np.int64)
    columns = [
        _words(np.diff(ticks, prepend=0)),
        _words(rows["cell"]),
        _words(rows["other"]),
        rows["kind"].tobytes(),
        _words(np.ascontiguousarray(rows["g"]).view("<u4")),
        _words(np.ascontiguousarray(rows["h"]).view("<u4")),
    ]
    body = gzip.compress(b"".join(columns), 6, mtime=0)
    path = trace.result.path if trace.result.path is not None and not len(trace.walk) else []
    points: list[Any] = list(path)
    return {
        "rows": len(rows),
        "tick": tick,
        "start": trace.start,
        "goal": trace.goal,
        "end": trace.end,
        "unit": trace.unit,
        "leaps": trace.leaps,
        "path": [[round(float(x), 3), round(float(y), 3)] for x, y in points],
        "kinds": list(ROW_KINDS),
        "body": base64.b64encode(body).decode(),
    }


def record_of_trace(trace: Trace, end: float) -> Record:
    """Return a record that lasts until `end`: of the agent of a real-time search, of nobody else."""
    walk = trace.walk.astype(np.int32)
    moves = np.flatnonzero(walk[1:] != walk[:-1]) + 1
    log = [(0.0, GOAL, trace.goal)] if len(walk) else []
    log += [(float(move), MOVE, int(walk[move])) for move in moves.tolist()]
    if len(walk) and trace.result.is_solved:
        log.append((float(len(walk) - 1), ARRIVE, trace.goal))
    return Record(
        trace.grid,
        walk[:1],
        np.array([time for time, _, _ in log], np.float64),
        np.zeros(len(log), np.int32),
        np.array([kind for _, kind, _ in log], np.uint8),
        np.array([cell for _, _, cell in log], np.int32),
        max(end, 1.0),
        STEPS,
    )


def tail_of(traces: Sequence[Trace]) -> float:
    """The time that paths grow, for searches that are shown side by side."""
    longest = max((trace.end for trace in traces if not len(trace.walk)), default=0.0)
    return max(SHORTEST_TAIL, float(np.ceil(TAIL * longest)))


def facts_of_trace(trace: Trace) -> dict[str, str]:
    """The numbers of a search, for the table of its panel."""
    result = trace.result
    facts = {"Status": result.status.value.replace("_", " ")}
    if result.is_solved:
        facts["Cost"] = f"{result.cost:,.2f}"
    facts["Expanded"] = f"{result.expanded:,}"
    if result.counters.generated:
        facts["Generated"] = f"{result.counters.generated:,}"
    if len(trace.walk):
        facts["Moves"] = f"{len(trace.walk) - 1:,}"
    scans = trace.of(SCANNED)
    if len(scans):
        facts["Cells scanned"] = f"{_n_scanned(trace):,}"
    learned = trace.of(LEARNED)
    if len(learned):
        facts["Cells learned"] = f"{len(np.unique(learned['cell'])):,}"
    if not trace.is_whole:
        facts["Shown"] = "the first part"
    return facts


def tick_of(trace: Trace) -> float:
    """The length of a tick of the trace: an expansion, or a small part of a move."""
    return WALK_TICK if len(trace.walk) else 1.0


def _n_scanned(trace: Trace) -> int:
    """The number of free cells that were scanned."""
    stride = trace.grid.stride
    seen = np.zeros(trace.grid.n_cells, bool)
    for run in trace.of(SCANNED):
        first, last = int(run["cell"]), int(run["other"])
        down, across = last // stride - first // stride, last % stride - first % stride
        step = np.sign(down) * stride + np.sign(across)
        seen[first + step * np.arange(max(abs(down), abs(across)) + 1)] = True
    return int((seen & trace.grid._free).sum())


def _words(values: ArrayLike) -> bytes:
    """Return values as four columns of bytes: those that seldom change compress well."""
    return np.asarray(values).astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes()
