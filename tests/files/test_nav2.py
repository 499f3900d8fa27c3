"""Maps of Nav2: what a pixel means in each mode, where cells lie in metres, masks, and what is refused with its line."""

import math

import numpy as np
import pytest
from PIL import Image

from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadInput, BadMap, BadProblem
from wayfolk.files.any_world import read_any_world
from wayfolk.files.maps import read_map
from wayfolk.files.nav2 import read_nav2, read_occupancy
from wayfolk.world.grid import Grid
from wayfolk.world.site_map import SiteMap

ABOUT = (
    "image: a.pgm\nresolution: 0.05\norigin: [-1.0, 2.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n"
)
SHADES = [[0, 254, 205], [100, 255, 89]]


def write(folder, about=ABOUT, shades=SHADES, name="a"):
    Image.fromarray(np.array(shades, np.uint8)).save(folder / f"{name}.pgm")
    (folder / f"{name}.yaml").write_text(about.replace("a.pgm", f"{name}.pgm"))
    return folder / f"{name}.yaml"


def twin(shade, mode, negate, low, high):
    """The rule of the map server for one pixel of 255, as its documentation has it; None is unknown."""
    if mode == "raw":
        return shade if shade <= 100 else None
    dark = shade / 255 if negate else (255 - shade) / 255
    if dark > high:
        return 100
    if dark < low:
        return 0
    return None if mode == "trinary" else round((dark - low) / (high - low) * 100)


@pytest.mark.parametrize("mode", ["trinary", "scale", "raw"])
@pytest.mark.parametrize("negate", [0, 1])
@pytest.mark.parametrize(("low", "high"), [(0.196, 0.65), (0.0, 1.0), (0.25, 0.5)])
def test_what_each_shade_means(tmp_path, mode, negate, low, high):
    about = ABOUT.replace("negate: 0", f"negate: {negate}\nmode: {mode}")
    about = about.replace("0.65", str(high)).replace("0.25", str(low))
    file = write(tmp_path, about, np.arange(256).reshape(16, 16))
    said = [None if value == 255 else int(value) for value in read_occupancy(file).occupancy.ravel()]
    assert said == [twin(shade, mode, negate, low, high) for shade in range(256)]


def test_colours_count_alike_and_a_transparent_pixel_is_unknown(tmp_path):
    pixels = np.array([[(255, 0, 0, 255), (255, 255, 255, 255), (255, 255, 255, 9), (0, 0, 0, 255)]], np.uint8)
    (tmp_path / "a.yaml").write_text(ABOUT.replace("a.pgm", "a.png"))
    Image.fromarray(pixels[:, :, :3].copy()).save(tmp_path / "a.png")
    assert read_occupancy(tmp_path / "a.yaml").occupancy.tolist() == [[100, 0, 0, 100]], "a third of white is dark"
    Image.fromarray(pixels).save(tmp_path / "a.png")
    # with the alpha channel the means are 1/2, 1, 0.759 and 1/4 of white
    assert read_occupancy(tmp_path / "a.yaml").occupancy.tolist() == [[255, 0, 0, 100]]
    (tmp_path / "a.yaml").write_text(ABOUT.replace("a.pgm", "a.png") + "mode: scale\n")
    assert read_occupancy(tmp_path / "a.yaml").occupancy.tolist() == [[100, 0, 255, 100]]


def test_deep_images_are_scaled(tmp_path):
    Image.fromarray(np.array([[0, 65535, 52685]], np.uint16)).save(tmp_path / "a.png")
    (tmp_path / "a.yaml").write_text(ABOUT.replace("a.pgm", "a.png").replace("0.25", "0.19"))
    assert read_occupancy(tmp_path / "a.yaml").occupancy.tolist() == [[100, 0, 255]]


def test_a_map_is_a_grid_that_knows_its_metres(tmp_path):
    grid = read_map(write(tmp_path), "four")
    assert isinstance(grid, SiteMap)
    assert grid.free.tolist() == [[False, True, True], [False, True, False]], "205 is 0.196 dark, and free below 0.25"
    assert (grid.moves.value, grid.name, tuple(grid.frame)) == ("four", "a", (0.05, -1.0, 2.0, 0.0))
    assert grid.points(grid.cells([(0, 1), (2, 0)])).tolist() == [
        pytest.approx([-0.975, 2.025]),
        pytest.approx([-0.875, 2.075]),
    ]
    assert read_map(tmp_path / "a.pgm").free.tolist() == [[False, True, False], [False, True, False]], (
        "alone, as before"
    )


def test_unknown_cells(tmp_path):
    about = ABOUT.replace("0.25", "0.19")
    assert not read_map(write(tmp_path, about)).free[0, 2]
    assert read_map(tmp_path / "a.yaml", unknown="free").free[0, 2]
    with pytest.raises(BadMap, match="'blocked' or 'free', not 'open'"):
        read_nav2(tmp_path / "a.yaml", unknown="open")


@pytest.mark.parametrize("yaw", [0.0, 0.3, math.pi / 2, -2.0])
def test_cells_and_points_are_inverse(tmp_path, yaw):
    grid = read_map(write(tmp_path, ABOUT.replace("2.0, 0.0]", f"2.0, {yaw}]"), np.full((7, 5), 254)))
    points = grid.points(grid.free_cells)
    assert (grid.cells_at(points) == grid.free_cells).all()
    corner = grid.points(grid.cells([(0, 6)]))[0] - (-1.0, 2.0)
    assert math.hypot(*corner) == pytest.approx(0.025 * math.sqrt(2)), "the origin is the corner of the lowest cell"
    assert math.atan2(corner[1], corner[0]) == pytest.approx(yaw + math.pi / 4)


def test_changed_copies_keep_what_the_map_knows(tmp_path):
    grid = read_map(write(tmp_path))
    for copy in (grid.with_blocked(grid.free_cells[:1]), grid.with_moves("four"), grid.with_freed([grid.cell((0, 0))])):
        assert isinstance(copy, SiteMap)
        assert copy.frame == grid.frame
        assert copy.n_cells == grid.n_cells
    with pytest.raises(BadProblem, match="outside the 3 x 2 map"):
        grid.cells_at([(-1.01, 2.0)])
    with pytest.raises(BadInput, match="finite numbers"):
        grid.cells_at([(math.nan, 2.0)])
    with pytest.raises(BadInput, match="has no frame"):
        SiteMap([[1]]).points([4])
    assert SiteMap([[1, 0]]) == Grid([[1, 0]])


def test_a_keep_out_mask_blocks(tmp_path):
    file = write(tmp_path, shades=np.full((3, 4), 254))
    mask = write(tmp_path, shades=[[254] * 4, [254, 0, 0, 205], [254] * 4], name="keep")
    grid = read_nav2(file, keep_out=mask)
    assert np.argwhere(~grid.free).tolist() == [[1, 1], [1, 2]]
    assert read_any_world(file, keep_out=mask) == grid


def test_a_speed_mask_is_terrain(tmp_path):
    file = write(tmp_path, shades=np.full((1, 3), 254))
    about = ABOUT.replace("0.65", "1.0").replace("0.25", "0.0") + "mode: scale\n"
    mask = write(tmp_path, about, [[255, 102, 204]], "slow")  # 0, 60 and 20 % slower
    grid = read_nav2(file, speed=mask)
    assert grid.costs[0].tolist() == pytest.approx([1.0, 100 / 40, 100 / 80])
    assert find_path(grid, (0, 0), (2, 0)).cost == pytest.approx(1.75 + 1.875)
    write(tmp_path, about, [[255, 0, 204]], "slow")
    with pytest.raises(BadMap, match=r"slow.yaml: leaves no speed in the free cell \(1, 0\)"):
        read_nav2(file, speed=mask)
    write(tmp_path, shades=[[254, 0, 254]])
    assert read_nav2(file, speed=mask).costs[0, 1] == 1.0, "nobody drives in a wall"


def changed(old, new):
    assert old in ABOUT
    return ABOUT.replace(old, new)


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        (changed("a.pgm", "b.pgm"), "bad.yaml, line 1: there is no image b.pgm beside it"),
        (changed("0.05", "0.0"), "bad.yaml, line 2: resolution: input should be greater than 0"),
        (changed("0.05", ".nan"), "bad.yaml, line 2: resolution: input should be"),
        (changed("-1.0, 2.0, 0.0", "-1.0, 2.0"), "bad.yaml, line 3: origin"),
        (changed("-1.0", ".inf"), "bad.yaml, line 3: origin, 0: input should be a finite number"),
        (changed("negate: 0", "negate: 2"), "bad.yaml, line 4: negate: input should be a valid boolean"),
        (changed("0.65", "65"), "bad.yaml, line 5: occupied_thresh: input should be less than or equal to 1, not '65'"),
        (changed("0.25", "-0.1"), "bad.yaml, line 6: free_thresh: input should be greater than or equal to 0"),
        (changed("0.25", "0.7"), "bad.yaml, line 6: free_thresh, 0.7 is not below occupied_thresh, 0.65"),
        (changed("free_thresh: 0.25\n", ""), "bad.yaml, line 1: free_thresh: this is missing"),
        (
            changed("image", "picture"),
            "bad.yaml: this is no map of Nav2, which has an 'image'; read_roadmap reads roadmaps",
        ),
        ("- 1", "bad.yaml: this is no map of Nav2"),
        ("image: [", "bad.yaml, line 2: this is not YAML"),
        (ABOUT + "mode: tetra\n", "bad.yaml, line 7: mode: input should be 'trinary', 'scale' or 'raw', not 'tetra'"),
        (changed("image: a.pgm", "image: ../a.pgm"), "bad.yaml: the file '../a.pgm' is outside the folder of this map"),
        (changed("image: a.pgm", "image: /etc/hosts"), "bad.yaml: the file '/etc/hosts' is outside the folder"),
        (changed("image: a.pgm", "image: link.pgm"), "bad.yaml: the file 'link.pgm' is outside the folder"),
        (changed("image: a.pgm", "image: bad.yaml"), "bad.yaml: not an image that can be read"),
        (changed("image: a.pgm", "image: [a]"), "bad.yaml, line 1: image: input should be a valid string"),
        (changed("image: a.pgm", 'image: "a\\0b"'), "bad.yaml"),
    ],
)
def test_what_is_refused_is_named_with_its_line(tmp_path, about, sentence):
    write(tmp_path)
    (tmp_path / "link.pgm").symlink_to("/etc/hosts")
    (tmp_path / "bad.yaml").write_text(about)
    with pytest.raises(BadMap) as error:
        read_map(tmp_path / "bad.yaml")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_masks_that_do_not_fit(tmp_path):
    file = write(tmp_path)
    small = write(tmp_path, shades=[[0, 254]], name="small")
    with pytest.raises(BadMap, match=r"small.yaml: the mask has 2 x 1 cells, and .*a.yaml has 3 x 2"):
        read_nav2(file, keep_out=small)
    apart = write(tmp_path, ABOUT.replace("-1.0", "-1.5"), name="apart")
    with pytest.raises(BadMap, match=r"the mask lies elsewhere than .*a.yaml: its origin x is -1.5, not -1"):
        read_nav2(file, speed=apart)
    with pytest.raises(BadMap, match=r"only a map of Nav2, which is a \.yaml with an image, has masks"):
        read_any_world(tmp_path / "a.pgm", keep_out=file)
