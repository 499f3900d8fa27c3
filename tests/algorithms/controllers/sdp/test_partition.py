"""The partition of maps into rooms and lanes: against slow, obvious answers, drawings, and the numbers of the thesis."""

from collections import deque

import numpy as np
import pytest

from wayfolk.algorithms.controllers.sdp.cores import HORIZONTAL, READING, find_cores
from wayfolk.algorithms.controllers.sdp.partition import CORE, ENTRY, EXIT, ROOM, link_between, partition, steps_out
from wayfolk.errors import BadInput, NotSupported
from wayfolk.files.maps import parse_ascii, read_map
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.generate import random_map
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves

PRINTED = {
    "orz704d": 0, "den204d": 1, "isound1": 2, "den405d": 3, "orz601d": 6, "den401d": 11, "hrt201d": 15, "den505d": 20,
}  # fmt: skip
# many small corridors, so that small maps have some, in each other's way
EAGER = READING._replace(
    least=(1, 1, 1, 1, 1), most=(0, 0, 9, 9, 9), opening_reach=1, opening_width=0, side=3, around=4
)
DOOR = """
    ..........#..........
    ..........#..........
    ..........#..........
    .....................
    .....................
    ..........#..........
    ..........#..........
"""
SMALL = READING._replace(least=(1, 1, 1, 1, 1), side=20, around=10)
MARKS = {
    (ROOM, 0): ".",
    (ENTRY, 0): "e",
    (CORE, 0): "c",
    (EXIT, 0): "x",
    (ENTRY, 1): "E",
    (CORE, 1): "C",
    (EXIT, 1): "X",
}


def drawn(grid, areas):
    """Inbound lanes in small letters, outbound ones in capitals: entry, core, exit."""
    marks = np.full(grid.n_cells, "#")
    for cell in grid.free_cells:
        lane = 0 if areas.part[cell] == ROOM else (areas.area[cell] - areas.n_rooms) % 2
        marks[cell] = MARKS[areas.part[cell], lane]
    return ["".join(row) for row in marks.reshape(-1, grid.stride)[1:-1, 1:-1]]


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def straight_moves(grid, cell):
    return [int(cell + grid.offsets[k]) for k in range(4) if (grid.legal[cell] >> k) & 1]


def flooded(grid, cell, is_in):
    """The cells that straight moves connect with `cell`, through cells for which `is_in` holds."""
    seen, todo = {cell}, [cell]
    while todo:
        for other in straight_moves(grid, todo.pop()):
            if other not in seen and is_in(other):
                seen.add(other)
                todo.append(other)
    return seen


def check_cells(grid, areas, buffer):
    """Each free cell is in one room, which is connected, or in one lane, in which depths lead through the core."""
    n_areas = areas.n_rooms + 2 * len(areas.corridors)
    walls = np.setdiff1d(np.arange(grid.n_cells), grid.free_cells)
    assert (areas.area[walls] == NOWHERE).all()
    assert ((areas.area[grid.free_cells] >= 0) & (areas.area[grid.free_cells] < n_areas)).all()
    assert set(areas.area[grid.free_cells].tolist()) == set(range(n_areas))
    in_rooms = areas.area < areas.n_rooms
    assert ((areas.part == ROOM) == (in_rooms | (areas.area == NOWHERE))).all()
    assert (areas.depth[in_rooms] == 0).all()
    for room in range(areas.n_rooms):
        cells = np.flatnonzero(areas.area == room).tolist()
        assert set(cells) == flooded(grid, cells[0], lambda cell: areas.part[cell] == ROOM)
    for k, corridor in enumerate(areas.corridors):
        for which in range(2):
            check_lane(grid, areas, areas.n_rooms + 2 * k + which, corridor, which, buffer)


def check_lane(grid, areas, lane, corridor, which, buffer):
    cells = np.flatnonzero(areas.area == lane)
    k = lane - areas.n_rooms
    assert areas.cells[areas.first_cell[k] : areas.first_cell[k + 1]].tolist() == cells.tolist()
    assert areas.place[cells].tolist() == list(range(len(cells)))
    length, n_outbound = int(corridor["length"]), int(corridor["width"]) // 2
    parts, depths = areas.part[cells], areas.depth[cells]
    assert ((parts == ENTRY) == (depths < 0)).all()
    assert ((parts == EXIT) == (depths >= length)).all()
    for part in (ENTRY, EXIT):
        assert max(buffer // 3, 1) <= (parts == part).sum() <= buffer
    for cell in cells[parts != CORE]:
        nearer = areas.depth[cell] + (1 if areas.part[cell] == ENTRY else -1)
        assert any(areas.area[other] == lane and areas.depth[other] == nearer for other in straight_moves(grid, cell))
    # agents keep to the right: inbound is the lower half and leads right, or the right half and leads up
    is_horizontal = corridor["axis"] == HORIZONTAL
    x, y = grid.places(cells[parts == CORE]).T
    along, across = (x, y) if is_horizontal else (-y, x)
    first_x, first_y = grid.place(corridor["cell"])
    rows = across - (first_y if is_horizontal else first_x)
    assert ((rows >= n_outbound) == (which == 0)).all()
    assert len(rows) == length * (n_outbound if which else corridor["width"] - n_outbound)
    forward = along if which == 0 else -along
    assert (areas.depth[cells[parts == CORE]] == forward - forward.min()).all()


def check_inside(grid, areas):
    """Straight moves to the same area; diagonals in rooms if both corner cells are walls or in the same room."""
    for cell in grid.free_cells:
        for k in range(8):
            other = cell + grid.offsets[k]
            expected = (grid.legal[cell] >> k) & 1 and areas.area[other] == areas.area[cell]
            if expected and k >= 4:
                x, y = grid.place(cell)
                other_x, other_y = grid.place(other)
                corners = areas.area[grid.cells([(x, other_y), (other_x, y)])]
                expected = areas.part[cell] == ROOM and np.isin(corners, (areas.area[cell], NOWHERE)).all()
            assert bool((areas.inside[cell] >> k) & 1) == bool(expected)


def check_links(grid, areas):
    """Transitions, links, steps and pairs equal what a search from each cell finds."""
    area = areas.area.tolist()
    expected = sorted(
        (area[cell], area[other], cell, other)
        for cell in grid.free_cells.tolist()
        for other in straight_moves(grid, cell)
        if area[cell] != area[other] and areas.part[other] in (ROOM, ENTRY)
    )
    names = ["from_area", "to_area", "from_cell", "to_cell"]
    assert [tuple(row) for row in areas.transitions[names].tolist()] == expected
    pairs = set()
    for number in range(areas.n_rooms + 2 * len(areas.corridors)):
        leaving = areas.transitions[areas.first[number] : areas.first[number + 1]]
        assert leaving.size == sum(row[0] == number for row in expected)
        links = areas.links[areas.first_link[number] : areas.first_link[number + 1]]
        assert links["to_area"].tolist() == sorted({row[1] for row in expected if row[0] == number})
        for link in links:
            rows = areas.transitions[link["first"] : link["last"]]
            assert (rows["from_area"] == number).all()
            assert (rows["to_area"] == link["to_area"]).all()
            assert rows.size == sum(row[:2] == (number, link["to_area"]) for row in expected)
            if number >= areas.n_rooms:
                steps = slow_steps(
                    grid, areas, number, {row[2] for row in expected if row[:2] == (number, link["to_area"])}
                )
                entered = {(row[0], row[3]) for row in expected if row[1] == number}
                pairs |= {(number, start, int(link["to_area"])) for start, cell in entered if steps[cell] != NOWHERE}
                found = areas.steps[link["steps"] :]
                assert all(found[areas.place[cell]] == n for cell, n in steps.items())
    assert [tuple(row) for row in areas.pairs.tolist()] == sorted(pairs)
    for k in range(2 * len(areas.corridors)):
        rows = areas.pairs[areas.first_pair[k] : areas.first_pair[k + 1]]
        assert (rows["lane"] == areas.n_rooms + k).all()
    assert areas.first_pair[-1] == areas.pairs.size


def slow_steps(grid, areas, lane, ways_out):
    """For each cell of a lane the number of moves, never to a smaller depth, to one of the cells `ways_out`."""
    cells = np.flatnonzero(areas.area == lane).tolist()
    answers = {}
    for cell in cells:
        away, todo = {cell: 0}, deque([cell])
        while todo:
            here = todo.popleft()
            for other in straight_moves(grid, here):
                if areas.area[other] == lane and areas.depth[other] >= areas.depth[here] and other not in away:
                    away[other] = away[here] + 1
                    todo.append(other)
        answers[cell] = min((away[way] for way in ways_out if way in away), default=int(NOWHERE))
    return answers


def check_reachable(grid, areas):
    """By the rules of lanes, each room cell leads to each other that is connected with it, and each lane can be used."""
    area, part, depth = areas.area.tolist(), areas.part.tolist(), areas.depth.tolist()

    def may(cell, other):
        if area[cell] != area[other]:
            return part[other] in (ROOM, ENTRY)
        return part[cell] == ROOM or depth[other] >= depth[cell]

    left = set(grid.free_cells.tolist())
    while left:
        whole = flooded(grid, min(left), lambda cell: True)
        left -= whole
        rooms = {cell for cell in whole if part[cell] == ROOM}
        assert rooms
        ahead, behind = ({min(rooms)}, {min(rooms)})
        for seen, is_back in ((ahead, False), (behind, True)):
            todo = list(seen)
            while todo:
                cell = todo.pop()
                for other in straight_moves(grid, cell):
                    if other not in seen and (may(other, cell) if is_back else may(cell, other)):
                        seen.add(other)
                        todo.append(other)
        assert rooms <= ahead & behind
        assert {area[cell] for cell in ahead} == {area[cell] for cell in whole}


def check_all(grid, areas, buffer=13):
    check_cells(grid, areas, buffer)
    check_inside(grid, areas)
    check_links(grid, areas)
    check_reachable(grid, areas)


def blocky(seed):
    """A map with passages of one to four cells, some cliffs, and any rule of moves."""
    rng = np.random.default_rng(seed)
    free = rng.random(rng.integers(5, 10, 2)) > rng.choice([0.3, 0.4, 0.5])
    for axis in range(2):
        free = np.repeat(free, rng.integers(1, 5, free.shape[axis]), axis)
    links = None if seed % 4 else rng.integers(0, 40, free.shape).clip(0, 3)
    return Grid(free, list(Moves)[seed % len(Moves)], links=links)


@pytest.mark.parametrize("name", PRINTED)
def test_the_eight_maps_have_as_many_corridors_as_the_thesis_says(name, movingai):
    areas = partition(read_map(movingai / "sdp" / f"{name}.map"))
    assert len(areas.corridors) == PRINTED[name]


@pytest.mark.parametrize("name", ["den204d", "den405d", "orz601d", "isound1"])
def test_areas_of_small_benchmark_maps(name, movingai):
    grid = read_map(movingai / "sdp" / f"{name}.map")
    check_all(grid, partition(grid))


def test_every_cell_is_reached_on_random_maps():
    n_corridors = 0
    for seed in range(2000):
        grid = blocky(seed)
        buffer = 1 + seed % 13
        areas = partition(grid, buffer=buffer, reading=EAGER)
        check_reachable(grid, areas)
        n_corridors += len(areas.corridors)
    assert n_corridors > 1000


@pytest.mark.plain
def test_areas_of_random_maps_equal_the_slow_answers():
    for seed in range(60):
        grid = blocky(seed)
        areas = partition(grid, buffer=1 + seed % 5, reading=EAGER)
        check_all(grid, areas, 1 + seed % 5)


@pytest.mark.plain
def test_a_door_two_wide():
    grid = parse_ascii(DOOR)
    areas = partition(grid, buffer=5, reading=SMALL)
    assert drawn(grid, areas) == lines("""
        ..........#..........
        ..........#..........
        ........XX#EE........
        .......XXXCEEE.......
        .......eeecxxx.......
        ........ee#xx........
        ..........#..........
    """)
    check_all(grid, areas, 5)


@pytest.mark.plain
def test_a_door_three_wide_between_a_room_above_and_one_below():
    grid = parse_ascii(
        """
        .........
        .........
        .........
        .........
        ###...###
        ###...###
        .........
        .........
        .........
        .........
        """
    )
    areas = partition(grid, buffer=4, reading=SMALL._replace(most=(0, 0, 2, 2, 2)))
    assert drawn(grid, areas) == lines("""
        .........
        ...E.....
        ...Exx...
        ..EExx...
        ###Ccc###
        ###Ccc###
        ..XXee...
        ...Xee...
        ...X.....
        .........
    """)
    check_all(grid, areas, 4)


def test_links_and_steps_of_a_lane():
    grid = parse_ascii(DOOR)
    areas = partition(grid, buffer=5, reading=SMALL)
    left, right, inbound, outbound = range(4)
    assert areas.n_rooms == 2
    into, out = link_between(areas, left, inbound), link_between(areas, inbound, right)
    assert {into, out} <= set(range(areas.links.size))
    assert link_between(areas, right, inbound) == NOWHERE
    assert link_between(areas, left, right) == NOWHERE
    x_cells = range(7, 14)
    assert [steps_out(areas, grid.cell((x, 4)), out) for x in x_cells] == [5, 4, 3, 2, 1, 1, 0]
    assert (inbound, left, right) in areas.pairs.tolist()
    assert (inbound, right, left) not in areas.pairs.tolist()
    assert (outbound, right, left) in areas.pairs.tolist()


@pytest.mark.parametrize("side", [0, 4])
def test_a_map_without_corridors_is_one_room_for_each_connected_part(side):
    grid = random_map(30, 30, 0.4, seed=side)
    areas = partition(grid)
    assert len(areas.corridors) == 0
    assert areas.n_rooms == grid.components.max()
    assert (areas.area[grid.free_cells] == grid.components[grid.free_cells] - 1).all()
    assert (areas.inside == grid.legal).all()
    assert areas.transitions.size == areas.links.size == areas.pairs.size == areas.steps.size == 0
    check_all(grid, areas)


def test_a_map_of_walls_has_no_areas():
    grid = Grid(np.zeros((4, 5), bool))
    areas = partition(grid)
    assert areas.n_rooms == 0
    assert (areas.area == NOWHERE).all()


def test_a_passage_needs_room_on_both_sides():
    """The part on the right has 20 cells, and a buffer there only 6 of them."""
    grid = parse_ascii(
        """
        ..........#...
        ..........#...
        ..........#...
        ..............
        ..............
        ..........#...
        ..........#...
        """
    )
    assert len(find_cores(grid, SMALL)) == 1
    assert len(find_cores(grid, SMALL._replace(side=22))) == 0
    assert len(partition(grid, buffer=12, reading=SMALL).corridors) == 1
    assert len(partition(grid, buffer=40, reading=SMALL).corridors) == 0


def test_a_passage_with_a_short_way_around_is_no_corridor():
    around = DOOR.replace("..........#..........", ".....................", 1)
    grid = parse_ascii(around)
    assert len(find_cores(grid, SMALL)) == 0
    assert len(find_cores(grid, SMALL._replace(side=3, around=2))) == 1


def test_long_and_narrow_passages_are_rooms():
    """Beyond the longest pattern, and where an end does not get wider."""
    door = parse_ascii(DOOR)
    long = np.repeat(door.free, np.where(np.arange(door.width) == 10, 5, 1), 1)
    assert len(find_cores(Grid(long), SMALL)) == 0
    assert len(find_cores(Grid(long), SMALL._replace(most=(0, 0, 5, 5, 5)))) == 1
    narrow = door.free.copy()
    narrow[[0, 1, 5, 6], 8:10] = False  # three cells wide for two cells, then open
    only_two_wide = SMALL._replace(most=(0, 0, 4, 0, 0))
    assert len(find_cores(Grid(narrow), only_two_wide)) == 0
    assert len(find_cores(Grid(narrow), only_two_wide._replace(opening_width=3))) == 1
    assert len(find_cores(Grid(narrow), only_two_wide._replace(opening_reach=3))) == 1


def test_cells_to_keep_free_dissolve_their_corridor():
    grid = parse_ascii(DOOR)
    places = {CORE: (10, 4), ENTRY: (9, 4), EXIT: (12, 4)}
    areas = partition(grid, buffer=5, reading=SMALL)
    for part, place in places.items():
        cell = grid.cell(place)
        assert areas.part[cell] == part
        dissolved = partition(grid, buffer=5, reading=SMALL, keep_free=[cell])
        assert (len(dissolved.corridors), dissolved.n_rooms) == (0, 1)
        assert (dissolved.part == ROOM).all()
        assert (dissolved.depth == 0).all()
    kept = partition(grid, buffer=5, reading=SMALL, keep_free=grid.cells([(0, 0), (20, 6)]))
    assert len(kept.corridors) == 1


def test_keeping_cells_free_dissolves_no_other_corridor(movingai):
    grid = read_map(movingai / "sdp" / "orz601d.map")
    cell = partition(grid).corridors["cell"][2]
    areas = partition(grid, keep_free=[cell])
    assert len(areas.corridors) == 5
    assert cell not in areas.corridors["cell"]
    check_all(grid, areas)


def test_a_buffer_gives_way_to_a_corner_that_it_cuts_off():
    """A pocket beside the exit buffer could be entered, and never be left: the buffer gives up its outer ring."""
    with_pocket = DOOR.rstrip() + "\n    ############.########"
    grid = parse_ascii(with_pocket.replace("..........#..........\n    ####", "..........##.########\n    ####"))
    areas = partition(grid, buffer=5, reading=SMALL)
    assert drawn(grid, areas) == lines("""
        ..........#..........
        ..........#..........
        ........XX#EE........
        .......XXXCEEE.......
        .......eeecxx........
        ........ee#x.........
        ..........##.########
        ############.########
    """)
    assert areas.n_rooms == 2
    check_all(grid, areas, 5)


def test_a_buffer_larger_than_the_map_leaves_one_room():
    assert partition(parse_ascii(DOOR), buffer=1 << 40, reading=SMALL).n_rooms == 1


@pytest.mark.parametrize("buffer", [0, -3])
def test_a_buffer_needs_a_cell(buffer):
    with pytest.raises(BadInput, match=f"a buffer needs at least one cell, not {buffer}"):
        partition(parse_ascii(DOOR), buffer=buffer)


@pytest.mark.parametrize("cell", [-1, 23 * 9])
def test_cells_to_keep_free_are_on_the_map(cell):
    grid = parse_ascii(DOOR)
    with pytest.raises(
        BadInput, match=f"cells to keep free must be from 0 to {grid.n_cells - 1}, not {cell} to {cell}"
    ):
        partition(grid, keep_free=[cell])


def test_graphs_have_no_areas():
    graph = Graph([0, 1, 1], [1], [1.0])
    with pytest.raises(NotSupported, match="areas are made of grids, not of graphs"):
        partition(graph)
