"""Plans of other tools: what they document is read, what is written is read again, and wrong files are one sentence."""

import csv
import json

import numpy as np
import pytest

from wayfolk.errors import BadInput, BadPlan
from wayfolk.files.exchange import export_plan, import_plan
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.plans import check
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.plan import Plan, from_paths
from wayfolk.problem.problem import one_shot
from wayfolk.world.grid import Grid

pytestmark = pytest.mark.plain

GRID = parse_ascii("""
    .....
    .#.#.
    .....
""").with_moves("four")
PROBLEM = one_shot(GRID, [(0, 0), (4, 2), (2, 2)], [(4, 0), (0, 2), (2, 1)])


def walk(*places):
    return np.array([GRID.cell(place) for place in places], np.int32)


PLAN = from_paths(
    GRID,
    [
        walk((0, 0), (1, 0), (2, 0), (3, 0), (4, 0)),
        walk((4, 2), (3, 2), (3, 2), (2, 2), (1, 2), (0, 2)),
        walk((2, 2), (2, 1)),
    ],
)
OPEN = Grid(np.ones((32, 32), bool), "four", name="open-32")


@pytest.mark.parametrize(
    ("name", "format"),
    [("p.json", None), ("p.npz", None), ("p.txt", None), ("p.csv", None), ("p.json", "planviz"), ("p.csv", "tracker")],
)
def test_what_is_written_is_read_again(name, format, tmp_path):
    PLAN.save(tmp_path / name, PROBLEM.goals, format=format)
    plan, goals = import_plan(tmp_path / name, GRID, PROBLEM)
    assert plan.cells.tolist() == PLAN.cells.tolist()
    assert goals.tolist() == PROBLEM.goals.tolist()
    assert check(plan, PROBLEM) == []


def test_the_trackers_letters_go_up_with_the_rows(tmp_path):
    """Agent 1 of random-32-32-20-random-1, as the MAPF Tracker has it: from (21, 29) to (24, 22)."""
    problem = one_shot(OPEN, [(21, 29)], [(24, 22)], name="random-32-32-20-random-1")
    (tmp_path / "best.csv").write_text(
        '"agents","lower_cost","lower_date","solution_cost","solution_date","path"\n'
        '"1","18","2022-11-29","18","2022-11-29","drddwdllddlwrdrrrr"\n'
    )
    plan, goals = import_plan(tmp_path / "best.csv", problem=problem)
    assert plan.path(0)[:3] == [(21, 29), (21, 28), (22, 28)]
    assert plan.path(0)[-1] == (24, 22)
    assert check(plan, problem) == []
    export_plan(plan, tmp_path / "ours.csv", goals, format="tracker", scenario=problem.name, lower_bound=18)
    with open(tmp_path / "ours.csv", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert row == {
        "map_name": "open-32", "scen_type": "random", "type_id": "1", "agents": "1", "lower_cost": "18",
        "solution_cost": "18", "solution_plan": "drddwdllddlwrdrrrr",
    }  # fmt: skip


def test_the_visualizers_lines_are_places_of_columns_and_rows(tmp_path):
    """The line of its manual, 0:(5,16),(21,29),[...], and one with headings."""
    (tmp_path / "plan.txt").write_text(
        "agents=2\nsolved=1\nsolution=\n0:(5,16),(21,29),\n1:(5,17),(21,28),\n2:(5,17,X_PLUS),(21,27,Y_MINUS),\n"
    )
    plan, goals = import_plan(tmp_path / "plan.txt", OPEN)
    assert goals is None
    assert plan.path(0) == [(5, 16), (5, 17), (5, 17)]
    assert plan.path(1)[-1] == (21, 27)
    export_plan(plan, tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text().splitlines()[1] == "1:(5,17),(21,28),"


def test_the_leagues_actions_turn_and_go_forward(tmp_path):
    """From row 2, column 3, to the east: forward, a clockwise turn, forward (a row on), wait, a turn back, forward."""
    content = {
        "actionModel": "MAPF_T", "teamSize": 2, "start": [[2, 3, "E"], [5, 5, "N"]],
        "actualPaths": ["F,R,F,W,C,F", "F,C,F,W,W,T"], "tasks": [], "events": [],
    }  # fmt: skip
    (tmp_path / "out.json").write_text(json.dumps(content))
    plan, goals = import_plan(tmp_path / "out.json", OPEN)
    assert goals is None
    assert plan.path(0) == [(3, 2), (4, 2), (4, 2), (4, 3), (4, 3), (4, 3), (5, 3)]
    assert plan.path(1) == [(5, 5), (5, 4), (5, 4), (4, 4), (4, 4), (4, 4), (4, 4)]


def test_planviz_gets_the_properties_that_it_documents(tmp_path):
    export_plan(PLAN, tmp_path / "p.json", PROBLEM.goals, format="planviz")
    content = json.loads((tmp_path / "p.json").read_text())
    assert content["actionModel"] == "MAPF"
    assert content["teamSize"] == 3
    assert [start[:2] for start in content["start"]] == [[0, 0], [2, 4], [2, 2]]
    assert content["actualPaths"] == ["R,R,R,R,W", "L,W,L,L,L", "D,W,W,W,W"]
    assert (content["sumOfCost"], content["makespan"], content["numTaskFinished"]) == (10, 5, 3)
    assert content["tasks"] == [[0, 0, 4], [1, 2, 0], [2, 1, 2]]
    assert content["events"][2] == [[2, 0, "assigned"], [2, 1, "finished"]]


def test_tasks_of_a_simulation_are_told_to_planviz(tmp_path):
    from wayfolk.problem.problem import tasks
    from wayfolk.simulation.simulation import Simulation

    world = Simulation(tasks(GRID, agents=2, seed=1), "lra")
    world.advance(30)
    record = world.record()
    export_plan(record.plan(), tmp_path / "run.json", format="planviz", record=record)
    content = json.loads((tmp_path / "run.json").read_text())
    assert content["numTaskFinished"] == sum(event[2] == "finished" for own in content["events"] for event in own) > 2
    assert len(content["tasks"]) >= content["numTaskFinished"]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("p.txt", "0:(0,0),\n2:(0,0),\n", ", line 2: should be step 1, not 2"),
        ("p.txt", "0:(0,0),\n1:(0,0),(1,1),\n", ", line 2: there are 2 places, in the step before 1"),
        ("p.txt", "0:(0,0),\n1:0,0\n", ", line 2: should be a step and its places"),
        ("p.txt", "0:(0,9),\n", ": agent 0, step 0: \\(0, 9\\) is outside the 5 x 3 map"),
        ("p.txt", "solved=1\n", ": there are no steps in the file"),
        ("p.csv", "step,agent,x\n0,0,0\n", ", line 1: a table of a plan has the columns step, agent, x, y"),
        ("p.csv", "step,agent,x,y\n0,0,0,zero\n", ", line 2: should hold whole numbers"),
        ("p.csv", "step,agent,x,y\n0,0,0,7\n", ", line 2: agent 0 at \\(0, 7\\) in step 0 is outside"),
        ("p.csv", "step,agent,x,y\n0,0,0,0\n1,1,0,0\n", ": the row of agent 1 in step 0 is missing"),
        ("p.csv", "step,agent,x,y\n999999999,0,0,0\n", ": 1000000000 steps of 1 agents need as many rows"),
        ("p.csv", "step,agent,x,y\n", ": there are no rows after line 1"),
        ("p.csv", 'solution_plan,agents\n"rr\nq",2\n', ": agent 1, step 0: 'q' is none of the moves u, d, l, r and w"),
        ("p.csv", 'solution_plan\n"r\nr\nr\nr"\n', ": there are paths of 4 agents, the scenario has 3"),
        ("p.json", '{"actionModel": "MAPF_X"}', ": the actionModel should be MAPF or MAPF_T, not 'MAPF_X'"),
        ("p.json", '{"actionModel": "MAPF"}', ": 'start' and 'actualPaths' should be lists"),
        ("p.json", '{"actionModel": "MAPF", "start": [], "actualPaths": ["W"]}', ": there are 0 starts and 1 actual"),
        ("p.json", '{"actionModel": "MAPF", "start": [[0]], "actualPaths": ["W"]}', ": the start of agent 0 should"),
        (
            "p.json",
            '{"actionModel": "MAPF", "start": [[0, 0]], "actualPaths": ["F"]}',
            ": agent 0, step 0: 'F' is none",
        ),
        (
            "p.json",
            '{"actionModel": "MAPF_T", "start": [[0, 0, "X"]], "actualPaths": ["F"]}',
            ": the heading of agent 0",
        ),
        (
            "p.json",
            '{"actionModel": "MAPF_T", "start": [[0, 0, []]], "actualPaths": ["F"]}',
            ": the heading of agent 0",
        ),
        (
            "p.json",
            '{"actionModel": "MAPF", "start": [[0, 0]], "actualPaths": ["w"], "tasks": [[0, 0, 999999999999999999999]]}',
            ": the task of agent 0 is at .* outside the map",
        ),
        (
            "p.json",
            json.dumps(
                {"actionModel": "MAPF", "start": [[0, 0]] * 20_000, "actualPaths": ["w" * 20_000] + [""] * 19_999}
            ),
            ": 40000 values would become a table of 400020000",
        ),
        ("p.csv", f"step,agent,x,y\n{1 << 62},3,0,0\n", ", line 2: agent 3 .* is outside the map, or below 0"),
        (
            "p.csv",
            "step,agent,x,y,goal_x,goal_y\n0,0,0,0,99999999,0\n",
            ", line 2: agent 0 at .99999999, 0. in step 0 is",
        ),
        ("p.csv", f"step,agent,x,y\n{'9' * 5000},0,0,0\n", ", line 2: should hold whole numbers"),
        ("p.txt", "0:" + "(1,1)  " * 40 + "x\n", ", line 1: should be a step"),
        ("p.txt", f"0:({'1' * 5000},1),\n", ", line 1: should be a step"),
        ("p.json", '{"teamSize": 1,', ", line 1: not JSON"),
        ("p.csv", b"\xff\xfe,\x00", ": the file is not text in UTF-8"),
    ],
)
def test_a_wrong_file_is_one_sentence_with_its_name(name, text, complaint, tmp_path):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadPlan, match=complaint) as caught:
        import_plan(file, GRID, PROBLEM)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_a_plan_without_its_map_or_scenario_is_refused(tmp_path):
    PLAN.save(tmp_path / "p.txt")
    with pytest.raises(BadPlan, match="the file holds no map"):
        import_plan(tmp_path / "p.txt")
    PLAN.save(tmp_path / "p.csv", PROBLEM.goals, format="tracker")
    with pytest.raises(BadPlan, match="does not say where agents start"):
        import_plan(tmp_path / "p.csv", GRID)


@pytest.mark.parametrize("format", ["planviz", "tracker"])
def test_what_a_format_cannot_say_is_refused_and_nothing_is_written(format, tmp_path):
    slanted = Plan(OPEN.with_moves("eight"), np.array([[OPEN.cell((0, 0))], [OPEN.cell((1, 1))]], np.int32))
    with pytest.raises(
        BadPlan, match="agent 0 goes from \\(0, 0\\) to \\(1, 1\\) at step 0: this format has no letter"
    ):
        export_plan(slanted, tmp_path / "p", slanted.cells[-1], format=format)
    lost = Plan(OPEN, np.array([[OPEN.cell((0, 0))], [NOWHERE]], np.int32))
    with pytest.raises(BadPlan, match="an agent is nowhere at some step"):
        export_plan(lost, tmp_path / "p", format=format)
    with pytest.raises(BadInput, match="there is no format 'pdf' of plans: choose wayfolk, planviz"):
        PLAN.save(tmp_path / "p", format="pdf")
    assert list(tmp_path.iterdir()) == []
