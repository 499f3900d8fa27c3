"""Instances and outputs of the League of Robot Runners: what is read, and the sentence for what is wrong."""

import json
import os
import re
from pathlib import Path

import pytest

from wayfolk.errors import BadInput, BadPlan, BadScenario
from wayfolk.files.league import read_lorr
from wayfolk.files.league_output import read_league_run

pytestmark = pytest.mark.plain

MAP = "type octile\nheight 3\nwidth 4\nmap\n..@.\n.E..\nS...\n"
INSTANCE = {
    "mapFile": "maps/small.map", "agentFile": "small.agents", "taskFile": "small.tasks", "teamSize": 2,
    "numTasksReveal": 1.5, "version": "2024 LoRR",
}  # fmt: skip
DELAYS = {
    "seed": 3, "minDelay": 2, "maxDelay": 8, "eventModel": "poisson", "pDelay": 0.003, "durationModel": "gaussian",
    "gaussMeanRatio": 0.5, "gaussStdRatio": 0.22,
}  # fmt: skip
FLEETS = Path(os.environ.get("WAYFOLK_DATA") or Path(__file__).parents[2].parent / "shared" / "maps").parent / "fleets"


def instance(folder, *, agents="2\n0\n5\n", tasks="# tasks\n2\n5,9\n11,0,1\n", **changes):
    """A small instance in `folder`."""
    (folder / "maps").mkdir(exist_ok=True)
    (folder / "maps" / "small.map").write_text(MAP)
    (folder / "small.agents").write_text(agents)
    (folder / "small.tasks").write_text(tasks)
    file = folder / "small.json"
    content = {name: value for name, value in (INSTANCE | changes).items() if value is not None}
    file.write_text(json.dumps(content, indent=1))
    return file


def test_an_instance_is_read_with_its_files(tmp_path):
    league = read_lorr(instance(tmp_path, version="2026 LoRR", agentCounter=3, agentSize=0.9, delayConfig=DELAYS))
    assert [league.grid.place(cell) for cell in league.starts] == [(0, 0), (1, 1)]
    assert [league.grid.places(cells).tolist() for cells in league.tasks] == [
        [[1, 1], [1, 2]],
        [[3, 2], [0, 0], [1, 0]],
    ]
    assert (league.n_revealed, league.year, league.ticks, league.size, league.name) == (3, 2026, 3, 0.9, "small")
    assert (league.delays.shortest, league.delays.longest, league.delays.event) == (2, 8, "poisson")
    assert league.errands(3).tolist() == league.tasks[1].tolist()
    assert league.grid.stations["E"].tolist() == [league.grid.cell((1, 1))]


def test_the_year_decides_the_rules(tmp_path):
    assert read_lorr(instance(tmp_path, agentCounter=3)).ticks == 1
    old = instance(tmp_path, version=None, taskAssignmentStrategy="greedy", numTasksReveal=1, tasks="1\n5\n")
    assert (read_lorr(old).year, read_lorr(old).n_revealed, read_lorr(old).assignment) == (2023, 1, "greedy")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {"version": "2025 LoRR"},
            r"small.json, line 7: the version '2025 LoRR' is none of 2023 LoRR, 2024 LoRR, 2026",
        ),
        ({"mapFile": "maps/none.map"}, r"small.json, line 2: there is no file 'maps/none.map' beside it"),
        ({"mapFile": "../../etc/hostname"}, "is outside the folder of this map, and is not read"),
        ({"mapFile": None}, "this is no instance of the League of Robot Runners"),
        ({"teamSize": 0}, r"small.json, line 5: teamSize: input should be greater than or equal to 1"),
        ({"teamSize": 3}, r"small.agents: there are 2 starts for a teamSize of 3"),
        ({"numTasksReveal": 0.2}, r"small.json, line 6: numTasksReveal is 0.2, with which no task is ever revealed"),
        ({"delayConfig": DELAYS | {"maxDelay": 1}}, r"small.json, line 11: maxDelay is below minDelay"),
        ({"delayConfig": DELAYS | {"pDelay": -1}}, r"delayConfig, pDelay: input should be greater than or equal to 0"),
        ({"agents": "2\n0\n2\n"}, r"small.agents, line 3: robot 1 starts in a wall, at \(2, 0\)"),
        ({"agents": "2\n0\n99\n"}, r"small.agents, line 3: robot 1 starts at 99, outside the 4 x 3 map"),
        ({"agents": "2\n0\n0\n"}, r"small.agents, line 3: robots 0 and 1 start at \(0, 0\)"),
        ({"agents": "3\n0\n5\n"}, r"small.agents, line 1: there should be 3 robots, and there are 2"),
        ({"agents": "two\n0\n5\n"}, r"small.agents, line 1: numbers with commas between them are needed, not 'two'"),
        ({"agents": "2\n0,1\n5\n"}, r"small.agents, line 2: a start is one number"),
        ({"tasks": "1\n5,2\n"}, r"small.tasks, line 2: task 0 has an errand in a wall, at \(2, 0\)"),
        ({"tasks": "1\n5,-1\n"}, r"small.tasks, line 2: numbers with commas"),
        ({"tasks": "0\n"}, r"small.tasks: there are no tasks in the file"),
        ({"tasks": "1\n5,9\n", "version": "2023 LoRR"}, r"small.tasks, line 2: a task of 2023 is one number, not 2"),
    ],
)
def test_a_wrong_instance_is_one_sentence(tmp_path, changes, complaint):
    with pytest.raises(BadInput, match=complaint):
        read_lorr(instance(tmp_path, **changes))


OUTPUT = {
    "actionModel": "MAPF_T", "version": "2024 LoRR", "teamSize": 2, "start": [[0, 0, "E"], [1, 1, "E"]],
    "numTaskFinished": 0, "actualPaths": ["F,R,W", "W,C,T"], "actualSchedule": ["1:0,3:-1", ""],
}  # fmt: skip


def written(folder, **changes):
    file = folder / "output.json"
    file.write_text(json.dumps({name: value for name, value in (OUTPUT | changes).items() if value is not None}))
    return file


def test_segments_of_2026_are_unpacked(tmp_path):
    league = read_lorr(instance(tmp_path, version="2026 LoRR", agentCounter=2))
    paths = ["[(0,0,0,0,0):(F 2,W 1)][(3,0,1,0,0):(R 1)]", "[(0,1,1,0,0):(W 4)]"]
    run = read_league_run(
        written(tmp_path, version="2026 LoRR", agentMaxCounter=2, actualPaths=paths, delayIntervals=[[], [[1, 3]]]),
        league,
    )
    assert run.actions.T.tolist() == [[0, 0, 3, 1], [3, 3, 3, 3]]
    assert run.held[1].tolist() == [[1, 3]]
    assert run.ticks == 2


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"actionModel": "MAPF"}, "the actionModel should be MAPF_T"),
        ({"version": 7}, "the version '7' is none of 2023, 2024, 2026"),
        ({"start": [[0, 0, "E"], [9, 9, "E"]]}, r"the start of robot 1 should be \[row, column, heading\] on the map"),
        ({"start": []}, "'start' should be a list with something for each robot"),
        ({"actualPaths": ["F"]}, "there are 2 starts and 1 actualPaths"),
        ({"actualPaths": ["F,Q", "W"]}, "robot 0, step 1: 'Q' is none of F, R, C, W and T"),
        ({"actualSchedule": ["1-0", ""]}, "robot 0: a row of its schedule is like '17:8', not '1-0'"),
        ({"actualSchedule": [[], ""]}, "the actualSchedule of robot 0 should be a text"),
        ({"numTaskFinished": -1}, "numTaskFinished should be a whole number, not '-1'"),
    ],
)
def test_a_wrong_output_is_one_sentence(tmp_path, changes, complaint):
    league = read_lorr(instance(tmp_path))
    file = written(tmp_path, **changes)
    with pytest.raises(BadPlan, match=complaint) as caught:
        read_league_run(file, league)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    "path", ["[(0,0,0,0,0):(F 2,W)]", "(F 2)", "[(5,0,0,0,0):(F 2)]", "[(0,0,0,0,0):(F 99999999)]"]
)
def test_a_wrong_segment_is_one_sentence(tmp_path, path):
    league = read_lorr(instance(tmp_path, version="2026 LoRR"))
    file = written(tmp_path, version="2026 LoRR", agentMaxCounter=10, actualPaths=[path, path])
    with pytest.raises(BadPlan, match="robot 0, step"):
        read_league_run(file, league)


@pytest.mark.skipif(not FLEETS.is_dir(), reason="there are no instances of the League in ../shared/fleets")
def test_all_instances_at_hand_are_read():
    files = sorted([*FLEETS.glob("lorr/*/*.json"), *FLEETS.glob("lorr24/random.domain/*.json")])
    assert len(files) > 5
    for file in files:
        league = read_lorr(file)
        assert league.n_robots == int(re.findall(r"\d+", file.stem.removesuffix("_2"))[-1])


def test_an_instance_is_no_problem_of_another_kind(tmp_path):
    (tmp_path / "plan.json").write_text("{}")
    with pytest.raises(BadScenario, match="this is no instance"):
        read_lorr(tmp_path / "plan.json")
