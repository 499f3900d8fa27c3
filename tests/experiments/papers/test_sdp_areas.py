"""Pictures of the areas of a map, and those in the docs."""

from pathlib import Path

import numpy as np
import pytest

from wayfolk.algorithms.controllers.sdp.cores import READING
from wayfolk.algorithms.controllers.sdp.partition import CORE, ENTRY, EXIT, partition
from wayfolk.experiments.papers.sdp.areas import ARROW, LANES, ROOMS, WALL, colours, draw_areas
from wayfolk.experiments.papers.sdp.judges import AREAS
from wayfolk.files.maps import parse_ascii, read_map

DOCS = Path(__file__).resolve().parents[3] / "docs" / "papers" / "sdp"
DOOR = """
    ..........##..........
    ..........##..........
    ......................
    ......................
    ..........##..........
    ..........##..........
"""


@pytest.fixture
def door():
    grid = parse_ascii(DOOR)
    return grid, partition(grid, buffer=3, reading=READING._replace(side=20, around=10))


def test_each_part_has_its_colour(door):
    grid, areas = door
    cells = colours(grid, areas)
    assert cells.shape == (6, 22, 3)
    assert tuple(cells[0, 10]) == WALL
    left, right = tuple(cells[0, 0]), tuple(cells[0, 21])
    assert left in ROOMS
    assert right in ROOMS
    assert left != right
    # inbound is the lower lane and leads right, outbound the upper one and leads left
    inbound, outbound = (tuple(tuple(cells[y, x]) for x in (9, 10, 12)) for y in (3, 2))
    assert inbound == (LANES[ENTRY][0], LANES[CORE][0], LANES[EXIT][0])
    assert outbound == (LANES[EXIT][1], LANES[CORE][1], LANES[ENTRY][1])


def test_arrows_point_where_lanes_lead(door, tmp_path):
    image = pytest.importorskip("PIL.Image")
    grid, areas = door
    draw_areas(grid, areas, tmp_path / "door.png")
    pixels = np.asarray(image.open(tmp_path / "door.png").convert("RGB"))
    scale = pixels.shape[1] // grid.width
    assert pixels.shape == (6 * scale, 22 * scale, 3)
    is_arrow = (pixels == ARROW).all(-1)
    for y, leads_right in ((3, True), (2, False)):
        columns = is_arrow[y * scale : (y + 1) * scale].sum(0)
        columns = columns[columns > 0]
        assert (columns[0] > columns[-1]) == leads_right  # an arrow is thin at its tip
    assert is_arrow[: 2 * scale].sum() == is_arrow[4 * scale :].sum() == 0


@pytest.mark.parametrize("name", AREAS)
def test_pictures_in_the_docs_are_up_to_date(name, movingai, tmp_path):
    image = pytest.importorskip("PIL.Image")
    grid = read_map(movingai / "sdp" / f"{name}.map")
    file = f"areas-{name}.png"
    draw_areas(grid, partition(grid), tmp_path / file)
    ours, theirs = (np.asarray(image.open(folder / file).convert("RGB")) for folder in (tmp_path, DOCS))
    assert (ours == theirs).all()
    assert (DOCS / file).stat().st_size < 20_000
