import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wayfolk.errors import BadInput, BadMap, BadPlan, BadScenario, NotSupported
from wayfolk.files import maps as formats
from wayfolk.files.maps import ascii_map, parse_ascii, read_map, write_map
from wayfolk.files.plans import read_plan, write_plan
from wayfolk.files.scenarios import read_queries, read_scen, write_scen
from wayfolk.kernels.codes import EAST, OPEN_EAST, OPEN_SOUTH, SOUTH, SOUTH_EAST
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.world.grid import Grid, Moves

NOWHERE = np.iinfo(np.int32).max

ROOM = """
    ....#
    .##..
    .....
"""

# Two rows of three tiles. In the first a slope leads up from west to east; in the second there is a cliff instead.
CORNERS = """type octile-corner
height 3
width 4
map
0011
0011
0011
GgGO
GGGO
OOOO
"""


def has(grid: Grid, place: tuple[int, int], direction: int) -> bool:
    return bool(grid.legal[grid.cell(place)] >> direction & 1)


def test_a_drawing_is_read_as_rows_of_free_and_blocked_cells():
    grid = parse_ascii(".# \n@..")
    assert grid.free.tolist() == [[True, False, True], [False, True, True]]
    assert grid.moves is Moves.EIGHT
    assert parse_ascii("..", "four").moves is Moves.FOUR


def test_a_block_in_a_program_loses_its_indentation():
    assert ascii_map(parse_ascii(ROOM)) == "....#\n.##..\n....."


def test_rows_of_spaces_are_free_cells():
    assert parse_ascii("   \n # \n   ").free.tolist() == [[True] * 3, [True, False, True], [True] * 3]


@given(arrays(bool, st.tuples(st.integers(1, 6), st.integers(1, 6))))
def test_drawing_and_reading_gives_the_same_grid(free):
    assert parse_ascii(ascii_map(Grid(free))) == Grid(free)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing drawn"),
        ("\n\n", "nothing drawn"),
        ("...\n..", "line 2: the row has 2 characters, it should have 3"),
        ("..\n.x", "line 2, column 2: the character 'x'"),
        (".\u2603", "line 1, column 2: the character '\\u2603'"),
    ],
)
def test_a_wrong_drawing_is_explained(text, words):
    with pytest.raises(BadMap) as caught:
        parse_ascii(text)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["room.map", "room.png", "room.gif", "room.bmp", "room.pgm", "room.tif", "ROOM.PNG"])
def test_a_map_is_written_and_read_again(tmp_path, name):
    grid = parse_ascii(ROOM)
    write_map(grid, tmp_path / name)
    again = read_map(tmp_path / name)
    assert again == grid
    assert again.name == Path(name).stem


@given(arrays(bool, st.tuples(st.integers(1, 6), st.integers(1, 6))))
def test_any_grid_is_written_and_read_again(tmp_path_factory, free):
    file = tmp_path_factory.getbasetemp() / "any.map"
    write_map(Grid(free), file)
    assert read_map(file) == Grid(free)


def test_the_octile_text_is_what_other_programs_read(tmp_path):
    write_map(parse_ascii("..#\n#.."), tmp_path / "a.map")
    assert (tmp_path / "a.map").read_bytes() == b"type octile\nheight 2\nwidth 3\nmap\n..@\n@..\n"


@pytest.mark.parametrize(
    "text",
    [
        "type octile\nheight 2\nwidth 7\nmap\n.GS@OTW\n@@@@@@.\n",
        "type octile\nheight 2\nwidth 7\nmap\n.GS@OTW\n@@@@@@.",
        "type octile\r\nheight 2\r\nwidth 7\r\nmap\r\n.GS@OTW\r\n@@@@@@.\r\n",
        "type octile\r\nheight 2\r\nwidth 7\r\nmap\r\n.GS@OTW\r\n@@@@@@.",
        "type octile\nheight 2\nwidth 7\nmap\n.GS@OTW\r\n@@@@@@.\n\n \r\n\n",
        "type octile\nwidth 7\nheight 2\nmap\n.GS@OTW\n@@@@@@.\n",
    ],
    ids=["plain", "no-last-newline", "windows", "windows-no-last-newline", "mixed-and-blank-lines", "width-first"],
)
def test_letters_and_line_ends(tmp_path, text):
    (tmp_path / "a.map").write_bytes(text.encode())
    assert read_map(tmp_path / "a.map").free.tolist() == [[True] * 3 + [False] * 4, [False] * 6 + [True]]


def test_a_text_file_may_hold_a_drawing_or_a_map(tmp_path):
    (tmp_path / "a.txt").write_text("..#\n#..\n")
    (tmp_path / "b.txt").write_text("type octile\nheight 2\nwidth 3\nmap\n..@\n@..\n")
    assert read_map(tmp_path / "a.txt") == read_map(tmp_path / "b.txt") == parse_ascii("..#\n#..")


def test_slopes_connect_and_cliffs_do_not(tmp_path):
    (tmp_path / "hill.map").write_text(CORNERS)
    grid = read_map(tmp_path / "hill.map")
    assert (grid.width, grid.height) == (3, 2)
    assert grid.free.all()
    assert has(grid, (0, 0), EAST)  # up the slope
    assert has(grid, (1, 0), EAST)
    assert has(grid, (0, 1), EAST)
    assert not has(grid, (1, 1), EAST)  # the cliff
    assert has(grid, (0, 0), SOUTH)
    assert not has(grid, (1, 0), SOUTH)  # the side of the slope is as high as the ground below at one end only
    assert has(grid, (2, 0), SOUTH)
    assert not has(grid, (0, 0), SOUTH_EAST)  # one of the four edges around that corner is a cliff
    cutting = read_map(tmp_path / "hill.map", Moves.EIGHT_CUTTING)
    assert has(cutting, (0, 0), SOUTH_EAST)


def test_swamp_is_ground_and_a_lower_case_letter_is_its_slope(tmp_path):
    (tmp_path / "a.map").write_text(CORNERS.replace("GgGO\nGGGO", "SsGO\nWtwO"))
    grid = read_map(tmp_path / "a.map")
    assert ascii_map(grid) == "...\n###"
    assert has(grid, (0, 0), EAST)
    assert has(grid, (1, 0), EAST)


def test_level_ground_has_no_links(tmp_path):
    (tmp_path / "a.map").write_text(CORNERS.replace("0011", "7777"))
    assert read_map(tmp_path / "a.map").links is None


def test_images_are_free_where_bright(tmp_path):
    from PIL import Image

    levels = np.array([[0, 127, 128, 255]], np.uint8)
    Image.fromarray(levels).save(tmp_path / "grey.png")
    Image.fromarray(levels.astype(np.uint16) * 257).save(tmp_path / "deep.png")
    Image.fromarray(np.stack([levels] * 3, -1)).save(tmp_path / "colour.ppm")
    Image.fromarray(np.stack([levels] * 3, -1)).quantize(8).save(tmp_path / "palette.gif")
    for name in ("grey.png", "deep.png", "colour.ppm", "palette.gif"):
        assert read_map(tmp_path / name).free.tolist() == [[False, False, True, True]], name


@pytest.mark.parametrize("what", ["costs", "cliffs"])
def test_a_map_file_refuses_what_it_cannot_hold(tmp_path, what):
    links = np.full((2, 2), OPEN_EAST | OPEN_SOUTH, np.uint8)
    write_map(Grid(np.ones((2, 2)), links=links, costs=np.ones((2, 2))), tmp_path / "plain.map")
    links[0, 0] = OPEN_EAST
    grid = Grid(np.ones((2, 2)), **({"costs": np.full((2, 2), 2.0)} if what == "costs" else {"links": links}))
    with pytest.raises(NotSupported, match=what):
        write_map(grid, tmp_path / "a.map")
    assert not (tmp_path / "a.map").exists()


def test_a_lossy_image_is_not_written(tmp_path):
    with pytest.raises(NotSupported, match="jpg"):
        write_map(parse_ascii(".."), tmp_path / "a.jpg")
    assert not list(tmp_path.iterdir())


def table_rows(movingai: Path) -> list[tuple[str, list[str]]]:
    """The README's rows: folder, then cells from the name on, without the column of types."""
    rows, folder = [], ""
    for line in (movingai.parent / "README.md").read_text().split("## All maps")[1].splitlines():
        if heading := re.match(r"### `movingai/(\w+)/`", line):
            folder = heading[1]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if folder and len(cells) >= 5 and cells[-2].isdigit():
            rows.append((folder, [cell for cell in cells if not cell.startswith("octile")]))
    return rows


def test_every_map_has_the_cells_its_readme_says(movingai):
    rows = table_rows(movingai)
    assert len(rows) == 111
    for folder, (name, width, height, passable, _) in rows:
        grid = read_map(movingai / folder / f"{name}.map")
        facts = (grid.width, grid.height, int(grid.free.sum()), grid.name)
        assert facts == (int(width), int(height), int(passable), name), f"{folder}/{name}"


def test_every_map_outside_the_tables_is_the_one_known(movingai):
    listed = {movingai / folder / f"{name}.map" for folder, (name, *_) in table_rows(movingai)}
    others = set(movingai.rglob("*.map")) - listed
    assert others == {movingai / "sdp" / "brc200d.map"}
    assert read_map(*others).free.sum() == 15788


def test_every_cliff_map_follows_the_corner_rules(movingai):
    """The same rules, edge by edge, without arrays."""
    for name in ("adrenaline", "mysticisles"):
        lines = (movingai / "salient" / f"{name}.map").read_text().split("\n")
        size = int(lines[1].split()[1])
        heights, letters = lines[4 : 4 + size], lines[4 + size : 4 + 2 * size]

        def level(x, y, corner_x, corner_y, heights=heights, letters=letters):
            return heights[corner_y][corner_x] if letters[y][x].islower() else heights[y][x]

        grid = read_map(movingai / "salient" / f"{name}.map")
        n_cliffs = 0
        for y in range(size - 1):
            for x in range(size - 1):
                for dx, dy, ends in ((1, 0, ((x + 1, y), (x + 1, y + 1))), (0, 1, ((x, y + 1), (x + 1, y + 1)))):
                    there = (x + dx, y + dy)
                    if max(there) > size - 2:
                        continue
                    both_free = letters[y][x] in "GSgs" and letters[there[1]][there[0]] in "GSgs"
                    connect = both_free and all(level(x, y, *end) == level(*there, *end) for end in ends)
                    assert has(grid, (x, y), EAST if dx else SOUTH) == connect, (name, x, y, dx, dy)
                    n_cliffs += both_free and not connect
        assert n_cliffs > 10


def test_every_scenario_has_the_rows_its_readme_says(movingai):
    passable = {"blastedlands": 1226, "duskwood": 1270, "golemsinthemist": 1273, "battleground": 1222}
    passable["scorchedbasin"] = 1187
    for folder, (name, *_, lines) in table_rows(movingai):
        if lines.isdigit() and folder != "mapf":
            file = movingai / folder / f"{name}.map.scen"
            queries = read_queries(file, read_map(file.with_suffix("")))
            assert len(queries) + queries.skipped == int(lines), file
            assert len(queries) == passable.get(name, int(lines)), file


def test_a_scenario_gives_the_first_agents(movingai):
    grid = read_map(movingai / "mapf" / "den312d.map")
    file = movingai / "mapf" / "den312d-random-1.scen"
    problem = read_scen(file, grid, agents=7)
    rows = [line.split() for line in file.read_text().splitlines()[1:8]]
    assert grid.places(problem.starts).tolist() == [[int(row[4]), int(row[5])] for row in rows]
    assert grid.places(problem.goals).tolist() == [[int(row[6]), int(row[7])] for row in rows]
    assert problem.is_one_shot
    assert problem.name == "den312d-random-1"
    assert read_scen(file, grid).n_agents == 1000


def test_a_map_of_a_million_cells_is_read_without_a_loop_over_cells(movingai):
    """No function is called for each cell or row: on any machine that decides how long reading takes."""
    file = movingai / "mapf" / "orz900d.map"
    read_map(file)
    n_calls = 0

    def count(frame, event, argument):
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        grid = read_map(file)
    finally:
        sys.setprofile(None)
    assert n_calls < grid.height


def test_a_scenario_is_written_and_read_again(tmp_path):
    grid = parse_ascii(ROOM)
    asked = one_shot(grid, [(0, 0), (4, 2)], [(4, 1), (0, 0)])
    write_scen(asked, tmp_path / "a.scen", lengths=[5.0, 4.82842712])
    again = read_scen(tmp_path / "a.scen", grid)
    assert (again.starts == asked.starts).all()
    assert (again.goals == asked.goals).all()
    queries = read_queries(tmp_path / "a.scen", grid)
    assert queries.lengths.tolist() == [5.0, 4.82842712]
    assert queries.lines.tolist() == [2, 3]
    assert (tmp_path / "a.scen").read_text().splitlines()[1] == "1\tunnamed.map\t5\t3\t0\t0\t4\t1\t5.00000000"


def test_an_unknown_length_is_written_as_zero(tmp_path):
    grid = parse_ascii(ROOM)
    write_scen(one_shot(grid, [(0, 0)], [(4, 1)]), tmp_path / "a.scen")
    assert read_queries(tmp_path / "a.scen", grid).lengths.tolist() == [0.0]


def test_queries_skip_rows_that_end_in_walls_or_outside(tmp_path):
    grid = parse_ascii(ROOM)
    ends = ("0 0 4 2", "4 0 0 0", "0 0 1 1", "", "5 0 0 0", "0 0 0 -1", "2 0 3 0")
    rows = "".join(f"1 any.map 5 3 {end} 1.5\r\n" if end else "\r\n" for end in ends)
    (tmp_path / "a.scen").write_bytes(b"version 1.0\r\n" + rows.encode())
    queries = read_queries(tmp_path / "a.scen", grid)
    assert (queries.lines.tolist(), queries.skipped, len(queries)) == ([2, 8], 4, 2)
    assert grid.places(queries.starts).tolist() == [[0, 0], [2, 0]]
    assert grid.places(queries.goals).tolist() == [[4, 2], [3, 0]]
    assert queries.starts.dtype == queries.goals.dtype == np.int32


def test_the_directory_of_the_map_name_is_ignored(tmp_path):
    grid = Grid(parse_ascii(ROOM).free, name="room")
    for name in ("room", "room.map", "dao/room.map", "maps\\dao\\room.map"):
        (tmp_path / "a.scen").write_text(f"version 1\n0 {name} 5 3 0 0 4 2 0\n")
        assert read_scen(tmp_path / "a.scen", grid).n_agents == 1


def test_a_scenario_holds_one_goal_for_each_agent(tmp_path):
    grid = parse_ascii("....\n....")
    there_and_back = Problem(grid, grid.cells([(0, 0)]), grid.cells([(3, 1), (0, 0)])[None], loops=20)
    with pytest.raises(NotSupported, match="one goal"):
        write_scen(there_and_back, tmp_path / "a.scen")
    spaced = Grid(grid.free, name="my room")
    with pytest.raises(NotSupported, match=r"my room\.map"):
        write_scen(one_shot(spaced, [(0, 0)], [(1, 1)]), tmp_path / "a.scen")
    for lengths in ([1.0, 2.0], [float("nan")], [-1.0]):
        with pytest.raises(BadScenario, match="length"):
            write_scen(one_shot(grid, [(0, 0)], [(1, 1)]), tmp_path / "a.scen", lengths)
    assert not list(tmp_path.iterdir())


def grids() -> dict[str, Grid]:
    free = parse_ascii(ROOM).free
    links = np.full(free.shape, OPEN_EAST | OPEN_SOUTH, np.uint8)
    links[2, 1] = OPEN_SOUTH
    costs = np.where(free, 1.0 + np.arange(free.size).reshape(free.shape) / 7, 1.0)
    return {
        "plain": Grid(free, name="room"),
        "four": Grid(free, "four"),
        "cliffs": Grid(free, links=links),
        "costs": Grid(free, costs=costs),
        "diagonal": Grid(free, "eight_cutting", diagonal=1.42, name='odd "name" \u2603'),
        "everything": Grid(free, costs=costs, links=links, diagonal=1.5),
    }


@pytest.mark.parametrize("kind", [".json", ".npz"])
@pytest.mark.parametrize("name", grids())
def test_a_plan_is_written_and_read_again(tmp_path, kind, name):
    grid = grids()[name]
    cells = grid.cells([(0, 0), (4, 2), (0, 1), (3, 2), (0, 2), (2, 2)]).reshape(3, 2)
    Plan(grid, cells).save(tmp_path / f"a{kind}", grid.cells([(0, 2), (2, 2)]))
    plan, goals = read_plan(tmp_path / f"a{kind}")
    assert plan.grid == grid
    assert (plan.grid.moves, plan.grid.name, plan.grid.diagonal) == (grid.moves, grid.name, grid.diagonal)
    if grid.links is None:
        assert plan.grid.links is None
    else:
        assert (plan.grid.links == grid.links).all()
    assert (plan.cells == cells).all()
    assert goals is not None
    assert goals.dtype == plan.cells.dtype == np.int32
    assert goals.tolist() == grid.cells([(0, 2), (2, 2)]).tolist()


@pytest.mark.parametrize("kind", [".json", ".npz"])
def test_a_plan_may_be_illegal_and_agents_may_vanish(tmp_path, kind):
    grid = parse_ascii(ROOM)
    in_a_wall, far, here = grid.cell((4, 0)), grid.cell((0, 2)), grid.cell((1, 0))
    cells = np.array([[here, here, NOWHERE], [in_a_wall, far, here], [far, NOWHERE, NOWHERE]], np.int32)
    write_plan(Plan(grid, cells), tmp_path / f"a{kind}")
    plan, goals = read_plan(tmp_path / f"a{kind}")
    assert goals is None
    assert plan.cells.tolist() == cells.tolist()


def test_a_shorter_path_means_that_the_agent_vanishes(tmp_path):
    grid = parse_ascii(ROOM)
    write_plan(Plan(grid, np.full((3, 2), grid.cell((0, 0)), np.int32)), tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text())
    content["paths"][1] = [[0, 0]]
    (tmp_path / "a.json").write_text(json.dumps(content))
    plan, _ = read_plan(tmp_path / "a.json")
    assert plan.cells[:, 1].tolist() == [grid.cell((0, 0)), NOWHERE, NOWHERE]


def test_the_json_of_a_plan_is_readable(tmp_path):
    grid = Grid(parse_ascii("..#\n...").free, name="tiny")
    write_plan(Plan(grid, grid.cells([(0, 0), (1, 1)])[:, None]), tmp_path / "a.json", grid.cells([(1, 1)]))
    text = (tmp_path / "a.json").read_text()
    assert json.loads(text) == {
        "format": "wayfolk-plan",
        "version": 1,
        "map": {"name": "tiny", "width": 3, "height": 2, "moves": "eight", "rows": ["..@", "..."]},
        "starts": [[0, 0]],
        "goals": [[1, 1]],
        "paths": [[[0, 0], [1, 1]]],
    }
    assert "[[0,0],[1,1]]" in text.splitlines()[-1]


def test_a_plan_of_nobody_is_a_plan(tmp_path):
    write_plan(Plan(parse_ascii(".."), np.zeros((1, 0), np.int32)), tmp_path / "a.json", [])
    plan, goals = read_plan(tmp_path / "a.json")
    assert (plan.cells.shape, goals is not None and goals.shape) == ((1, 0), (0,))


def test_a_renamed_archive_is_still_a_plan(tmp_path):
    grid = parse_ascii("..")
    write_plan(Plan(grid, grid.cells([(1, 0)])[None]), tmp_path / "a.npz")
    (tmp_path / "a.npz").rename(tmp_path / "a.plan")
    assert read_plan(tmp_path / "a.plan")[0].cells.tolist() == [[grid.cell((1, 0))]]


def test_a_plan_outside_its_map_is_not_written(tmp_path):
    grid = parse_ascii("..")
    inside = grid.cell((0, 0))
    for cells, goals, words in (
        ([[inside, inside], [inside, 0]], None, "agent 1, step 1: (-1, -1) is outside"),
        ([[inside], [10**6]], None, "agent 0, step 1"),
        ([[inside, inside]], [inside], "2 agents need as many goals"),
        ([[inside, inside]], [inside, 0], "the goal of agent 1"),
        ([[inside, inside]], [inside, NOWHERE], "the goal of agent 1 is nowhere"),
        (np.zeros((0, 2)), None, "shape (0, 2)"),
    ):
        for name in ("a.json", "a.npz"):
            with pytest.raises(BadPlan) as caught:
                write_plan(Plan(grid, np.array(cells, np.int32)), tmp_path / name, goals)
            assert words in str(caught.value)
            assert str(caught.value).startswith(str(tmp_path / name))
    assert not list(tmp_path.iterdir())


def writers(grid):
    plan = Plan(grid, grid.cells([(0, 0)])[None])
    return {
        "a.map": lambda file: write_map(grid, file),
        "a.png": lambda file: write_map(grid, file),
        "a.scen": lambda file: write_scen(one_shot(grid, [(0, 0)], [(1, 0)]), file),
        "a.json": lambda file: write_plan(plan, file),
        "a.npz": lambda file: write_plan(plan, file),
    }


@pytest.mark.parametrize("stop", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("name", writers(parse_ascii("..")))
def test_a_failed_writer_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, name, stop):
    file = tmp_path / name
    file.write_bytes(b"old")

    def fail(source, target):
        assert Path(source).parent == tmp_path
        assert Path(source).stat().st_size > 0
        raise stop

    monkeypatch.setattr(os, "replace", fail)
    expected = KeyboardInterrupt if isinstance(stop, KeyboardInterrupt) else BadInput
    with pytest.raises(expected) as caught:
        writers(parse_ascii(".."))[name](file)
    if isinstance(stop, OSError):
        assert str(caught.value) == f"{file}: cannot be written: No space left on device"
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", writers(parse_ascii("..")))
def test_a_writer_replaces_the_file_and_leaves_nothing_else(tmp_path, name):
    (tmp_path / name).write_bytes(b"old")
    writers(parse_ascii(".."))[name](tmp_path / name)
    assert (tmp_path / name).read_bytes() != b"old"
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_written_file_has_the_usual_rights(tmp_path):
    (tmp_path / "usual").touch()
    write_map(parse_ascii(".."), tmp_path / "a.map")
    assert stat.S_IMODE((tmp_path / "a.map").stat().st_mode) == stat.S_IMODE((tmp_path / "usual").stat().st_mode)


def test_a_link_is_followed_not_replaced(tmp_path):
    (tmp_path / "real.map").touch()
    (tmp_path / "link.map").symlink_to("real.map")
    write_map(parse_ascii(".."), tmp_path / "link.map")
    assert (tmp_path / "link.map").is_symlink()
    assert read_map(tmp_path / "real.map") == parse_ascii("..")


def test_a_pipe_is_written_to():
    source, target = os.pipe()
    write_map(parse_ascii(".#"), f"/dev/fd/{target}")
    os.close(target)
    with open(source, "rb") as stream:
        assert stream.read() == b"type octile\nheight 1\nwidth 2\nmap\n.@\n"


def test_importing_formats_does_not_load_numba_or_pillow():
    code = (
        "import sys, wayfolk.files.maps as f; g = f.parse_ascii('..'); f.ascii_map(g); import wayfolk.files.plans;"
        "sys.exit(1 if {'numba', 'PIL'} & sys.modules.keys() else 0)"
    )
    path = str(Path(formats.__file__).parents[1])
    assert (
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, timeout=60).returncode == 0
    )


@pytest.mark.parametrize("mode", ["L", "RGB", "I;16"])
def test_what_no_sensor_has_seen_is_blocked(tmp_path, mode):
    """The greys of the map saver of ROS: 0 occupied, 205 unknown, 254 free. Others are free if they are bright."""
    from PIL import Image

    greys, kind = [[0, 205, 254, 255, 127, 128, 204, 206]], ".png" if mode != "L" else ".pgm"
    pixels = np.array(greys, np.uint8)
    image = Image.fromarray(pixels.astype(np.uint16) * 257) if mode == "I;16" else Image.fromarray(pixels).convert(mode)
    image.save(tmp_path / f"ros{kind}")
    assert read_map(tmp_path / f"ros{kind}").free.astype(int).tolist() == [[0, 0, 1, 1, 0, 1, 1, 1]]
    seen = read_map(tmp_path / f"ros{kind}", unknown="free")
    assert seen.free.astype(int).tolist() == [[0, 1, 1, 1, 0, 1, 1, 1]]
    with pytest.raises(BadMap, match="unknown cells are 'blocked' or 'free', not 'maybe'"):
        read_map(tmp_path / f"ros{kind}", unknown="maybe")
