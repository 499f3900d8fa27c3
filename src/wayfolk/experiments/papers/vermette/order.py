"""V27 of the thesis on Salient Search: without salient expansions it expands what TBA* expands, in the same order."""

from __future__ import annotations

import numpy as np

from wayfolk.algorithms.paths import find_path
from wayfolk.errors import Missing
from wayfolk.experiments.papers.claims import Measured, Verdict, verdict
from wayfolk.experiments.papers.tables import QUICK, Row, Scale
from wayfolk.experiments.papers.vermette.judges import LIMITS
from wayfolk.experiments.papers.vermette.summaries import STRATEGIES
from wayfolk.files.folders import find_data
from wayfolk.files.maps import read_map
from wayfolk.world import generate
from wayfolk.world.generate import draw_pairs, without_islands
from wayfolk.world.grid import Grid

MAPS = ("AR0202SR", "AR0307SR", "AR0602SR", "AR0705SR")  # the harder ones
SIDE, DIAGONAL = 320, 1.42


def compare(row: Row, scale: Scale) -> list[Row] | str:
    """A run for each problem: whether Salient Search and TBA* expand the same nodes until the first of them ends."""
    try:
        files = [find_data(f"salient/{name}.map") for name in MAPS]
    except Missing as missing:
        return f"not measured: {missing}"
    runs: list[Row] = []
    how = {"limit": row["R"], "share": 0.9, "traces": 10, "watch": True}
    for number, file in enumerate(files):
        free = generate.scale(read_map(file), SIDE, SIDE).free
        grid = without_islands(Grid(free, diagonal=DIAGONAL))
        for ends in zip(*draw_pairs(grid, 2 if scale == QUICK else 20, seed=number), strict=True):
            tba = find_path(grid, *ends, "tba", **how).events
            salient = find_path(grid, *ends, "salient", salient=0, strategy=STRATEGIES[row["strategy"]], **how).events
            assert tba is not None
            assert salient is not None
            n = min(len(tba), len(salient))
            runs.append({"status": "solved", "same": float(np.array_equal(tba[:n], salient[:n])), "expanded": float(n)})
    return runs


def same_order(measured: Measured) -> Verdict:
    """V27."""
    rows = measured.rows("order")
    if len(rows) < len(STRATEGIES) * len(LIMITS) or any(row.get("same") is None for row in rows):
        return verdict(None)
    least = min(row["same"] for row in rows)
    return verdict(least == 1.0, 100.0 * least, why="least percent of searches that expand the same in a setting:")
