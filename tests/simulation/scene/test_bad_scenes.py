"""Scene files with mistakes: whatever they hold, the answer is a scene or sentences that name lines."""

import tomllib

import pytest
from hypothesis import given, settings

from broken_toml import as_toml, broken, must_name_lines
from wayfolk.errors import BadInput
from wayfolk.simulation.scene.reader import read_scene

SCENE = '''
name = "Market day"
until = 60
seconds = 10
seed = 6
vision = 2.5
model = "steps"

[world]
map = """
..........
.##...##..
..........
"""
moves = "eight"

[[world.terrain]]
area = [0, 2, 10, 1]
cost = 2.0

[controller]
name = "whca"
options = { window = 8 }

[[group]]
name = "guards"
count = 2
area = [0, 0, 5, 3]
patrol = [[0, 0], [9, 0]]
loops = 2

[[group]]
name = "people"
places = [[4, 1], [5, 1]]
goals = [[9, 2], [8, 2]]

[[group]]
count = 1
ours = false

[[group]]
count = 1
tasks = [[0, 2], [1, 2]]

[[event]]
at = 6
do = "block"
places = [[3, 0]]

[[event]]
at = 7
do = "retask"
group = "people"
goal_area = [0, 0, 10, 1]

[[event]]
at = 8
do = "join"
start = [4, 0]
goal = [5, 0]

[[event]]
at = 9
do = "leave"
agents = [0, 1]
'''
WAREHOUSE = """
[world]
make = "warehouse"
columns = 2
rows = 2
shelf = [3, 2]
aisle = 1
margin = 2
[[group]]
count = 3
"""


@pytest.mark.parametrize("valid", [SCENE, WAREHOUSE])
def test_the_scenes_below_are_fine(tmp_path, valid):
    (tmp_path / "scene.toml").write_text(as_toml(tomllib.loads(valid)))
    assert read_scene(tmp_path / "scene.toml").errands


@settings(max_examples=150)
@given(data=broken(tomllib.loads(SCENE)))
def test_a_scene_with_mistakes(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "scene.toml"
    file.write_text(as_toml(data), encoding="utf-8")
    must_name_lines(read_scene, file)


@given(data=broken(tomllib.loads(WAREHOUSE)))
def test_a_world_with_mistakes(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "scene.toml"
    file.write_text(as_toml(data), encoding="utf-8")
    must_name_lines(read_scene, file)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "shelf = [3, 2]",
            "shelf = [3]",
            "line 6: shelf must be a size [width, height] of whole numbers from 1, not '[3]",
        ),
        ("shelf = [3, 2]", "shelf = 3", "line 6: shelf must be a size [width, height] of whole numbers from 1, not 3"),
        ("aisle = 1", "aisle = true", "line 7: aisle must be a whole number from 1, not true"),
        ("columns = 2", "colums = 2", "line 4: [world] has no key 'colums': did you mean 'columns'?"),
        ("columns = 2", "width = 2", "line 4: [world] has no key 'width'"),
        ('make = "warehouse"', "make = 3", "line 3: make must be a text, not 3"),
        ("margin = 2", f"margin = {1 << 70}", "line 8: a whole number has at most 64 bits"),
        ("columns = 2", "columns = 4_000_000_000", "line 3: a map of "),
    ],
)
def test_mistakes_about_a_rule_are_named(tmp_path, old, new, complaint):
    assert old in WAREHOUSE
    (tmp_path / "scene.toml").write_text(WAREHOUSE.replace(old, new))
    with pytest.raises(BadInput) as caught:
        read_scene(tmp_path / "scene.toml")
    assert complaint in str(caught.value)
