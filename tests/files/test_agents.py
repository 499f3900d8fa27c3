"""Agents as CSV, JSON, YAML and XML: places by name or numbers, bodies, and one sentence for each mistake."""

import json

import pytest

from wayfolk.errors import BadScenario
from wayfolk.files.agents import read_agents
from wayfolk.files.roadmaps import read_roadmap
from wayfolk.world.body import POINT, Body
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Roadmap, Wall
from wayfolk.world.voxels import Voxels

ROADS = Roadmap(
    {"dock": (0, 0), "hall": (4, 0), "lift": (8, 0), 7: (8, 4)}, [("dock", "hall"), ("hall", "lift"), ("lift", 7)],
    stations={"S1": ["lift"], "two": ["dock", "hall"]}, walls=[Wall((-1, 1), (2, 1))],
)  # fmt: skip
GRID = Grid([[1] * 6] * 6)


def ends(problem):
    place = problem.states.place
    return [(place(int(start)), place(int(goal))) for start, goal in zip(problem.starts, problem.goals, strict=True)]


def written(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_a_table_names_nodes_stations_and_bodies(tmp_path):
    file = written(tmp_path, "a.csv", "start,goal,radius,speed\ndock,S1,0.5,\n7,hall,,1/2\n\n")
    problem = read_agents(file, ROADS)
    assert ends(problem) == [("dock", "lift"), (7, "hall")]
    assert [problem.body(0), problem.body(1)] == [Body(radius=0.5), Body(speed=0.5)]
    assert problem.name == "a"
    assert read_agents(file, ROADS, 1).n_agents == 1
    given = read_agents(written(tmp_path, "b.csv", "goal,start\nhall,dock\n"), ROADS, bodies=[Body(radius=0.25)])
    assert given.body(0) == Body(radius=0.25)


def test_numbers_are_places_of_maps(tmp_path):
    file = written(tmp_path, "a.csv", "start,goal,turns\n1 2,4;4,\n3 3 N,0 0,true\n")
    problem = read_agents(file, GRID)
    assert ends(problem) == [((1, 2), (4, 4)), ((3, 3, "N"), (0, 0, "E"))]
    plain = read_agents(written(tmp_path, "b.csv", "start,goal\n1 2,4 4\n"), GRID)
    assert plain.is_plain
    hexagons = read_agents(written(tmp_path, "c.csv", "start,goal\n1 0,2 2\n"), HexGrid([[1] * 3] * 3))
    assert ends(hexagons) == [((1, 0), (2, 2))]
    voxels = read_agents(
        written(tmp_path, "d.json", '[{"start": [0, 0, 1], "goal": [1, 1, 0]}]'), Voxels([[[1] * 2] * 2] * 2)
    )
    assert ends(voxels) == [((0, 0, 1), (1, 1, 0))]


def test_json_and_yaml_list_agents(tmp_path):
    listed = [{"start": "dock", "goal": "hall"}, {"start": "lift", "goal": 7, "radius": 0.5}]
    for content in (listed, {"agents": listed}):
        problem = read_agents(written(tmp_path, "a.json", json.dumps(content)), ROADS)
        assert ends(problem) == [("dock", "hall"), ("lift", 7)]
        assert [problem.body(0), problem.body(1)] == [POINT, Body(radius=0.5)]
    text = "roadmap:\n  edges: [[A, B], [B, C]]\nagents:\n  - name: agent0\n    start: A\n    goal: C\n"
    file = written(tmp_path, "a.yaml", text)
    assert ends(read_agents(file, read_roadmap(file))) == [("A", "C")]


def test_xml_has_numbers_of_nodes_or_cells(tmp_path):
    file = written(tmp_path, "a.xml", '<root><agent start_id="0" goal_id="3"/><agent start_id="2" goal_id="1"/></root>')
    assert ends(read_agents(file, ROADS)) == [("dock", 7), ("lift", "hall")]
    cells = written(tmp_path, "b.xml", '<root><agent id="0" start_i="1" start_j="2" goal_i="4" goal_j="5"/></root>')
    assert ends(read_agents(cells, GRID)) == [((1, 2), (4, 5))]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "start,goal\ndock,hal\n", r"a.csv, line 2: .* no place and no station 'hal'.*: did you mean 'hall'\?"),
        ("a.csv", "start\ndock\n", "a.csv, line 1: the column 'goal' is missing; there are start"),
        ("a.csv", "start,goal\ndock\n", "a.csv, line 2: there are 1 fields, the first line has 2"),
        ("a.csv", "start,goal,radius\ndock,hall,wide\n", "a.csv, line 2: the radius of a body is a number, not 'wide'"),
        ("a.csv", "start,goal,turns\ndock,hall,maybe\n", "a.csv, line 2: a body turns or not"),
        ("a.csv", "start,goal,speed\ndock,hall,0.7\n", "a.csv, line 2: the speed of a body is 1, 1/2"),
        ("a.csv", "start,goal,size\ndock,hall,2\n", "a.csv: a body with a size needs a square grid"),
        ("a.csv", "start,goal\n", "a.csv: there are no agents in the file"),
        ("a.csv", "start,goal,radius\ndock,hall,1.5\n",
         "a.csv, line 2: agent 0 starts at dock, where there is no room for its radius of 1.5"),
        ("a.csv", "start,goal,radius\nhall,7,2\nlift,hall,2.2\n",
         "a.csv, line 3: agents 0 and 1 overlap at their starts hall and lift"),
        ("a.csv", "start,goal\nhall,7\nhall,dock\n", "a.csv, line 3: agents 0 and 1 share the start hall"),
        ("a.json", "[{]", "a.json, line 1: not JSON"),
        ("a.json", '{"agents": 3}', "a.json: the agents should be a list, not '3'"),
        ("a.json", '[{"start": "dock"}]', "a.json: agent 0 should be a table with a start and a goal"),
        ("a.json", '[{"start": "dock", "goal": "hall", "turns": 1}]', "a.json: agent 0 turns or not"),
        ("a.json", '[{"start": [[1]], "goal": "hall"}]', "a.json: agent 0: "),
        ("a.json", '[{"start": {"a": 1}, "goal": "hall"}]', "a.json: agent 0: "),
        ("a.xml", '<root>\n<agent start_id="x" goal_id="1"/></root>', "a.xml, line 2: the start of an agent is whole"),
        ("a.xml", '<root><agent start_id="1"/></root>', "a.xml, line 1: an agent has goal_id, or goal_i and goal_j"),
        ("a.xml", '<root><agent start_id="1" goal_id="9"/></root>', "a.xml, line 1: there is no node 9: they are 0 to 3"),
        ("a.txt", "dock hall", r"a.txt: agents are in a file that ends in .csv, .json, .yaml, .yml, .xml"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_with_file_line_and_offender(tmp_path, name, text, said):
    with pytest.raises(BadScenario, match=said) as why:
        read_agents(written(tmp_path, name, text), ROADS)
    assert "\n" not in str(why.value)
    assert str(why.value).count(name) == 1


def test_a_body_too_large_for_its_start_is_named(tmp_path):
    file = written(tmp_path, "a.csv", "start,goal,size\n1 1,0 0,2\n4 4,0 3,3\n")
    with pytest.raises(
        BadScenario, match=r"a.csv, line 3: agent 1 starts at \(4, 4\), where there is no room for its size of 3 x 3"
    ):
        read_agents(file, GRID)
