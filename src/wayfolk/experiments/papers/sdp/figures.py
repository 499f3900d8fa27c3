"""A figure for the thesis on SDP, which prints tables: makespans on the four body maps, ours beside the printed ones."""

from __future__ import annotations

from typing import Any

from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.drawing import LOOKS, beside_printed, panels
from wayfolk.experiments.papers.noise import ERROR
from wayfolk.experiments.papers.sdp.judges import BODY, CA, CJ, LENGTH, NUMBERS
from wayfolk.experiments.papers.tables import Figure, printed

TABLES = tuple(f"{NUMBERS[name]}a" for name in BODY)


def _makespans(measured: Measured) -> Any:
    """Makespans over the number of units, with 95 percent intervals; printed numbers in black and dotted."""
    figure, axes = panels(2, 2, (7.4, 5.6))
    for ax, name, table in zip(axes, BODY, TABLES, strict=True):
        for look, algorithm in zip(LOOKS[1:], (CA, CJ), strict=False):
            rows = sorted(measured.rows(table, algorithm=algorithm), key=lambda row: row["units"])
            rows = [row for row in rows if row.get(LENGTH) is not None]
            if not rows:
                return f"{algorithm} was not measured on {name}"
            theirs = {row["units"]: row[LENGTH] for row in printed(f"sdp-{table}") if row["algorithm"] == algorithm}
            units = [row["units"] for row in rows]
            errors = [row.get(LENGTH + ERROR) or 0.0 for row in rows]
            beside_printed(
                ax,
                units,
                [row[LENGTH] for row in rows],
                errors,
                [theirs.get(n) for n in units],
                label=algorithm,
                **look,
            )
        ax.set_title(name)
        ax.set_ylim(0)
    for ax in axes[2:]:
        ax.set_xlabel("units")
    for ax in axes[::2]:
        ax.set_ylabel("makespan, steps")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return figure


FIGURES = [
    Figure("makespan", "Makespans with 95 percent intervals, and the printed ones in black", TABLES, _makespans),
]
