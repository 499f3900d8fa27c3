"""Records to make pages of, what a page holds, and waiting for it in a browser."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import numpy as np

from wayfolk.problem.record import STEPS, Record
from wayfolk.world.grid import Grid


def a_record(
    rows: list[tuple[float, int, int, int]], grid: Grid, starts: Any, end: float, model: str = STEPS
) -> Record:
    rows = sorted(rows, key=lambda row: row[0])
    return Record(
        states=grid,
        starts=np.array(starts, np.int32),
        time=np.array([row[0] for row in rows], np.float64),
        agent=np.array([row[1] for row in rows], np.int32),
        kind=np.array([row[2] for row in rows], np.uint8),
        cell=np.array([row[3] for row in rows], np.int32),
        end=end,
        model=model,
    )


def embedded(page: str) -> list[dict[str, Any]]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert match
    panels: list[dict[str, Any]] = json.loads(match[1])
    return panels


def until(frame: Any, expression: str, seconds: float = 10.0) -> None:
    """Wait until `expression` holds in the page."""
    stop = time.monotonic() + seconds
    while not frame.evaluate(expression):
        assert time.monotonic() < stop, f"{expression} did not come true"
        time.sleep(0.02)


def ready(page: Any) -> Any:
    until(page, "'wayfolk' in window")
    return page
