"""Draws the areas of the eight maps of the thesis on SDP, as docs/papers/sdp/areas-<map>.png.

    python docs/make_areas.py            draw all
    python docs/make_areas.py den204d    draw some

Needs Pillow and the benchmark maps; see `wayfolk maps get`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from wayfolk.algorithms.controllers.sdp.partition import partition
from wayfolk.experiments.papers.sdp.areas import draw_areas
from wayfolk.experiments.papers.sdp.judges import AREAS
from wayfolk.files.folders import find_data
from wayfolk.files.maps import read_map

FOLDER = Path(__file__).resolve().parent / "papers" / "sdp"


def main(names: list[str]) -> None:
    """Draw the maps called `names`, or all."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or AREAS:
        grid = read_map(find_data(f"movingai/sdp/{name}.map"))
        areas = partition(grid)
        file = FOLDER / f"areas-{name}.png"
        draw_areas(grid, areas, file)
        print(f"{file.name}: {areas.n_rooms} rooms, {len(areas.corridors)} corridors, {file.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
