"""Roads: the ways that vehicles can take over a map of letters, cell by cell, from edge to edge.

A lane follows its arrows, and goes straight on over crossings, bus stops and junctions. In a junction a vehicle may also
turn once, to the left or to the right, where a lane leads away. Each way from edge to edge is one `StreetLane`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadMap

PAVEMENT, BUILDING, CROSSING, STOP, JUNCTION = ".", "#", "x", "B", "+"
ARROWS = {">": (1, 0), "<": (-1, 0), "^": (0, -1), "v": (0, 1)}
LETTERS = PAVEMENT + BUILDING + "".join(ARROWS) + CROSSING + STOP + JUNCTION
MOST_WAYS = 512
"""Ways over a map; more are refused."""

Place = tuple[int, int]
Step = tuple[int, int]
Letters = NDArray[np.str_]


def ways_over(letters: Letters) -> list[list[Place]]:
    """The cells of each way, from edge to edge; raises BadMap if the letters make no roads."""
    height, width = letters.shape
    ways: list[list[Place]] = []
    before: dict[Place, Place | None] = {}  # the cell from which each cell outside of junctions is entered
    for y, x in np.argwhere(np.isin(letters, list(ARROWS))).tolist():
        dx, dy = ARROWS[str(letters[y, x])]
        if not _is_inside(letters, (x - dx, y - dy)):
            ways += _ways_from(letters, (x, y), MOST_WAYS - len(ways))
    for way in ways:
        for here, there in zip([None, *way], way, strict=False):
            if _letter(letters, there) != JUNCTION and before.setdefault(there, here) != here:
                raise BadMap(f"two lanes meet at {there}: mark a junction with {JUNCTION!r}")
            if here is not None and {_letter(letters, here), _letter(letters, there)} == {CROSSING, JUNCTION}:
                raise BadMap(
                    f"the crossing and the junction at {here} and {there} need a cell of the lane between them"
                )
    used = {place for way in ways for place in way}
    for y in range(height):
        for x in range(width):
            if letters[y, x] in (*ARROWS, STOP, JUNCTION) and (x, y) not in used:
                raise BadMap(f"the road at ({x}, {y}) does not connect to the edge of the map: no lane leads there")
    return ways


def _ways_from(letters: Letters, start: Place, most: int) -> list[list[Place]]:
    """All ways that begin with a cell at the edge; in junctions, those that go straight on come first."""
    found: list[list[Place]] = []
    open_ways = [([start], ARROWS[_letter(letters, start)])]
    while open_ways:
        path, step = open_ways.pop()
        for more, turned in reversed(_next_parts(letters, path, step)):
            if not more:
                found.append(path)
            elif not set(more) & set(path):
                open_ways.append((path + more, turned))
            elif JUNCTION not in {_letter(letters, place) for place in path}:
                raise BadMap(f"the lane from {start} comes back to {more[0]} and never leaves the map")
        if len(found) + len(open_ways) > most:
            raise BadMap(f"there are more than {MOST_WAYS} ways over the junctions of the map")
    if not found:
        raise BadMap(f"no way leads from the lane at {start} out of the map")
    return found


def _next_parts(letters: Letters, path: list[Place], step: Step) -> list[tuple[list[Place], Step]]:
    """The cells that may follow a path, each with the direction behind them; no cells where the path leaves the map."""
    here, there = path[-1], _moved(path[-1], step)
    if not _is_inside(letters, there):
        return [([], step)]
    letter = _letter(letters, there)
    if letter == JUNCTION:
        ways = _over_junction(letters, there, step)
        if not ways:
            raise BadMap(f"the road does not connect: the lane at {here} leads to a junction without a way out")
        return ways
    if letter not in (*ARROWS, CROSSING, STOP):
        raise BadMap(f"the road does not connect: the lane at {here} leads to {there}, which is no road")
    turned = ARROWS.get(letter, step)
    if turned == (-step[0], -step[1]):
        raise BadMap(f"the lane at {here} leads to {there}, where traffic comes from the other side")
    return [([there], turned)]


def _over_junction(letters: Letters, entry: Place, step: Step) -> list[tuple[list[Place], Step]]:
    """The ways over a junction: straight on, and with one turn to the right or to the left."""
    straight = _run(letters, entry, step)
    ways = [(straight, step)] if _leads_on(letters, _moved(straight[-1], step), step) else []
    for turn in ((-step[1], step[0]), (step[1], -step[0])):
        for k, corner in enumerate(straight):
            cells = [*straight[: k + 1], *_run(letters, _moved(corner, turn), turn)]
            if _leads_on(letters, _moved(cells[-1], turn), turn):
                ways.append((cells, turn))
                break
    return ways


def _run(letters: Letters, place: Place, step: Step) -> list[Place]:
    """The cells of a junction from a place on, in one direction."""
    cells = []
    while _is_inside(letters, place) and _letter(letters, place) == JUNCTION:
        cells.append(place)
        place = _moved(place, step)
    return cells


def _leads_on(letters: Letters, place: Place, step: Step) -> bool:
    """Whether a lane leads from a place in this direction, or a crossing or a bus stop to such a lane or to the edge."""
    is_first = True
    while _is_inside(letters, place):
        letter = _letter(letters, place)
        if letter not in (CROSSING, STOP):
            return ARROWS.get(letter) == step
        place, is_first = _moved(place, step), False
    return not is_first


def _moved(place: Place, step: Step) -> Place:
    return place[0] + step[0], place[1] + step[1]


def _is_inside(letters: Letters, place: Place) -> bool:
    height, width = letters.shape
    return 0 <= place[0] < int(width) and 0 <= place[1] < int(height)


def _letter(letters: Letters, place: Place) -> str:
    return str(letters[place[1], place[0]])
