"""The verbs compare, advise and convert, agents drawn at random, orders from files, and mistakes."""

import json
import re

import pytest

from command import MAP, SCEN, wayfolk
from wayfolk.algorithms.catalogue import find
from wayfolk.experiments.choosing.comparison import compare, report_html
from wayfolk.files.exchange import import_plan
from wayfolk.files.maps import read_map
from wayfolk.files.orders import read_orders, read_stations
from wayfolk.files.scenarios import read_scen
from wayfolk.problem.problem import tasks
from wayfolk.simulation.fleet import Fleet
from wayfolk.simulation.solving import simulate


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "room.map").write_text(MAP)
    (tmp_path / "room.scen").write_text(SCEN)
    (tmp_path / "orders.csv").write_text("release,pickup,delivery\n0,A,5 2\n3,B,0 0\n")
    (tmp_path / "stations.csv").write_text("name,x,y\nA,0,2\nB,4,3\n")
    return tmp_path


def the_json(said, code=0):
    assert (said.code, said.err) == (code, "")
    assert said.out.count("\n") == 1
    return json.loads(said.out)


def test_compare_makes_one_table_and_one_page(folder):
    said = wayfolk("compare", "room.map", "--agents", 3, "--with", "lacam,pibt,lra", "--seeds", 2)
    assert (said.code, said.err) == (0, "")
    head, *rows, last = said.out.splitlines()
    assert head.split()[:3] == ["algorithm", "solved", "arrived"]
    assert [row.split()[0] for row in rows] == ["lacam", "pibt", "lra"]
    assert last == "open compare.html in a browser for the report and the replay"
    page = (folder / "compare.html").read_text()
    assert page.count("<tr>") == 1 + 3 + 1 + 6
    assert "<iframe" in page
    assert "LaCAM" in page


def test_compare_draws_curves_over_the_number_of_agents(folder):
    command = ["compare", "room.map", "--agents", "4,2,3", "--with", "pibt,whca", "--seeds", 1]
    said = wayfolk(*command, "--lifelong", "--steps", 40)
    assert (said.code, said.err) == (0, "")
    head, *rows, _ = said.out.splitlines()
    assert head.split()[:3] == ["algorithm", "agents", "throughput"]
    assert [row.split()[:2] for row in rows] == [[name, n] for n in "234" for name in ("pibt", "whca")]
    page = (folder / "compare.html").read_text()
    curve = page.split("<svg")[1].split("</svg>")[0]
    assert "tasks done in a step" in curve
    assert (curve.count("<polyline"), curve.count("<circle")) == (2, 6)
    answer = the_json(wayfolk(*command, "--json"))
    assert answer["agents"] == [2, 3, 4]
    assert [(row["algorithm"], row["agents"]) for row in answer["rows"]][:3] == [("pibt", 2), ("whca", 2), ("pibt", 3)]
    one = compare(read_map("room.map", "four"), [find("pibt", "controllers")], 3, [1])
    assert "<svg" not in report_html(one, "one", "").split("<iframe")[0]


def test_advice_for_endless_work_is_by_throughput(folder):
    answer = the_json(wayfolk("advise", "room.map", "--agents", 3, "--lifelong", "--seconds", 5, "--json"))
    rates = [row["throughput"] for row in answer["rows"]]
    assert rates == sorted(rates, reverse=True)
    assert answer["family"] == "controllers"
    assert f"{rates[0]:.2f} tasks are done in a step" in answer["why"]
    said = wayfolk("advise", "room.map", "--agents", 3, "--lifelong", "--seconds", 5)
    assert said.out.splitlines()[0].split()[:4] == ["algorithm", "family", "throughput", "tasks"]


def test_compare_as_json(folder):
    said = wayfolk(
        "compare", "room.map", "--agents", 3, "--with", "hca,pibt", "--seeds", 2, "--html", "a.html", "--json"
    )
    answer = the_json(said)
    assert (answer["map"], answer["agents"], answer["report"]) == ("room", 3, "a.html")
    assert [(trial["algorithm"], trial["seed"]) for trial in answer["trials"]] == [
        ("hca", 1), ("pibt", 1), ("hca", 2), ("pibt", 2),
    ]  # fmt: skip
    for row in answer["rows"]:
        assert row["faults"] == 0
        assert row["solved"] <= row["trials"] == 2
    assert answer["rows"][1]["step_p99_ms"] > 0
    assert answer["rows"][0]["step_p99_ms"] is None  # a planner has no steps


def test_lifelong_work_is_told_as_throughput(folder):
    said = wayfolk(
        "compare", "room.map", "--agents", 3, "--with", "pibt,lra", "--seeds", 1, "--lifelong", "--steps", 60, "--json"
    )
    answer = the_json(said)
    for row in answer["rows"]:
        assert row["throughput"] == pytest.approx(row["tasks"] / 60)
        assert row["tasks"] > 5
        assert row["service_p50"] <= row["service_p99"]
        assert 0 <= row["waiting"] < 1
    assert {trial["status"] for trial in answer["trials"]} == {"ended"}
    assert "collision" not in (folder / "compare.html").read_text().split("<iframe")[0].lower()


def test_an_algorithm_that_refuses_is_named(folder):
    said = wayfolk(
        "compare", "room.map", "--agents", 3, "--with", "push_and_rotate,pibt", "--moves", "eight", "--seeds", 1
    )
    if said.code == 1:  # it knows four moves only
        assert "push_and_rotate refuses: " in said.out


def test_advise_recommends_one_of_its_candidates(folder):
    answer = the_json(wayfolk("advise", "room.map", "--agents", 3, "--step-ms", 1000, "--seconds", 6, "--json"))
    names = [row["algorithm"] for row in answer["rows"]]
    assert answer["recommended"] == names[0]
    assert {row["family"] for row in answer["rows"]} == {"controllers"}
    assert answer["rows"][0]["arrived"] == 1.0
    assert "of the agents arrive" in answer["why"]
    said = wayfolk("advise", "room.map", "--agents", 3, "--complete", "--seconds", 2)
    assert said.code == 0
    assert re.search(r"^use \w+, of the (planners|controllers): 100.0% of the agents arrive", said.out, re.MULTILINE)


def test_no_candidate_is_fast_enough(folder):
    answer = the_json(wayfolk("advise", "room.map", "--agents", 3, "--step-ms", 1e-9, "--seconds", 2, "--json"))
    assert answer["why"].startswith("no candidate keeps to 1e-09 ms for a step; this one comes nearest: ")


def test_agents_are_drawn_at_random(folder):
    answer = the_json(
        wayfolk("solve", "room.map", "--random", 4, "--seed", 1, "--with", "lacam", "--save", "p.json", "--json")
    )
    assert (answer["status"], answer["agents"]) == ("solved", 4)
    again = the_json(wayfolk("solve", "room.map", "--random", 4, "--seed", 1, "--with", "lacam", "--json"))
    assert again["lower_bound"] == answer["lower_bound"]
    assert wayfolk("check", "p.json").code == 0


@pytest.mark.parametrize("name", ["p.txt", "p.csv", "p.npz"])
def test_plans_are_converted_there_and_back(folder, name):
    assert wayfolk("solve", "room.map", "--scen", "room.scen", "--with", "lacam", "--save", "p.json").code == 0
    said = wayfolk("convert", "p.json", name)
    assert (said.code, said.err) == (0, "")
    assert wayfolk("convert", name, "back.json", "--map", "room.map", "--scen", "room.scen").code == 0
    grid = read_map("room.map", "four")
    assert import_plan("back.json")[0].cells.tolist() == import_plan(name, grid)[0].cells.tolist()
    assert wayfolk("check", name, "--map", "room.map", "--scen", "room.scen").code == 0


def test_planviz_and_tracker_are_written(folder):
    said = wayfolk(
        "solve", "room.map", "--scen", "room.scen", "--with", "lacam", "--save", "v.json", "--format", "planviz"
    )
    assert said.code == 0
    assert json.loads((folder / "v.json").read_text())["teamSize"] == 3
    answer = the_json(wayfolk("convert", "v.json", "t.csv", "--map", "room.map", "--format", "tracker", "--json"))
    assert answer == {"file": "t.csv", "format": "tracker", "agents": 3, "steps": answer["steps"]}
    assert wayfolk("check", "t.csv", "--map", "room.map", "--scen", "room.scen").code == 0


def test_a_day_of_random_tasks_is_healthy(folder):
    said = wayfolk("run", "room.map", "--random", 3, "--until", 80, "--save", "run.csv", "--html", "run.html")
    assert (said.code, said.err) == (0, "")
    assert re.search(r"^status +ended$", said.out, re.MULTILINE)
    assert re.search(r"^throughput +0\.\d+$", said.out, re.MULTILINE)
    assert re.search(r"^refused moves +\d+$", said.out, re.MULTILINE)
    assert "completion" not in said.out
    assert "out_of_budget" not in said.out
    assert "collision" not in said.out
    plan, _ = import_plan("run.csv", read_map("room.map", "four"))
    assert (plan.n_agents, plan.n_steps) == (3, 80)
    answer = the_json(wayfolk("run", "room.map", "--random", 3, "--until", 80, "--json"))
    assert (answer["completion_rate"], answer["completion_seconds"]) == (None, None)
    assert answer["tasks"] == answer["arrivals"] > 5
    assert 10 < answer["travel_distance"] <= 80
    assert 0 < answer["planning_mean_us"] <= answer["planning_max_us"]
    assert 0 < answer["step_p50_ms"] <= answer["step_p99_ms"] <= answer["step_max_ms"]
    assert answer["prepare_seconds"] > 0


def test_the_command_and_python_give_the_same_numbers(folder):
    answer = the_json(wayfolk("run", "room.map", "--random", 3, "--seed", 2, "--until", 80, "--json"))
    grid = read_map("room.map", "four")
    run = simulate(tasks(grid, 3, seed=2), "pibt", until=80, seed=2)
    service = run.service.summary()
    assert (answer["tasks"], answer["throughput"]) == (run.service.tasks, run.summary()["throughput"])
    assert (answer["service_p90"], answer["waiting_share"]) == (service["service_p90"], service["waiting"])
    command = ["run", "room.map", "--orders", "orders.csv", "--stations", "stations.csv", "--seed", 2, "--json"]
    answer = the_json(wayfolk(*command, "--random", 2))
    orders = read_orders("orders.csv", grid, read_stations("stations.csv", grid))
    fleet = Fleet(grid, grid.places(tasks(grid, 2, seed=2).starts), orders, "pibt", seed=2)
    fleet.advance(1000)
    report = fleet.report()
    assert report == {name: answer[name] for name in report}
    assert answer["steps"] == fleet.time


def test_robots_begin_where_a_scenario_says(folder):
    starts = read_scen("room.scen", read_map("room.map", "four")).starts
    for work in ([], ["--orders", "orders.csv", "--stations", "stations.csv"]):
        command = ["run", "room.map", "--scen", "room.scen", *work, "--until", 100, "--save", "day.json"]
        answer = the_json(wayfolk(*command, "--json"))
        assert answer["agents"] == len(starts)
        plan, _ = import_plan("day.json")
        assert plan.cells[0].tolist() == starts.tolist()
    answer = the_json(wayfolk("run", "room.map", "--scen", "room.scen", "--agents", 2, "--until", 20, "--json"))
    assert answer["agents"] == 2


def test_orders_that_are_not_done_say_why(folder):
    """Two robots fill a map of two cells: neither can go anywhere."""
    (folder / "tiny.map").write_text("type octile\nheight 1\nwidth 2\nmap\n..\n")
    (folder / "swap.csv").write_text("pickup,delivery\n0 0,1 0\n1 0,0 0\n")
    command = ["run", "tiny.map", "--random", 2, "--orders", "swap.csv", "--until", 60]
    said = wayfolk(*command)
    assert said.code == 1
    assert re.search(r"^since step \d+ agents 0 and 1 wait for each other at \(\d, 0\) and \(\d, 0\)$", said.out, re.M)
    answer = the_json(wayfolk(*command, "--json"), code=1)
    assert [note in said.out for note in answer["notes"]] == [True]


def test_orders_from_a_file_are_carried_out(folder):
    command = ["run", "room.map", "--random", 2, "--orders", "orders.csv", "--stations", "stations.csv"]
    answer = the_json(wayfolk(*command, "--save", "day.json", "--format", "planviz", "--json"))
    assert (answer["status"], answer["orders"], answer["orders_done"], answer["faults"]) == ("solved", 2, 2, 0)
    assert answer["service_p50"] > 0
    assert json.loads((folder / "day.json").read_text())["numTaskFinished"] >= 4
    late = the_json(wayfolk(*command, "--until", 4, "--json"), code=1)
    assert (late["status"], late["orders_done"]) == ("ended", 0)
    assert any("on its way" in note or "on their way" in note for note in late["notes"])


def test_a_scenario_is_made_for_a_map(folder):
    said = wayfolk("maps", "make", "scenario", "new.scen", "--map", "room.map", "--agents", 5, "--seed", 2)
    assert said == (0, "new.scen: 5 agents on room\n", "")
    problem = read_scen("new.scen", read_map("room.map"))
    assert problem.n_agents == 5
    assert wayfolk("path", "room.map", "--scen", "new.scen").code == 0  # the costs in the file are right
    first = (folder / "new.scen").read_bytes()
    wayfolk("maps", "make", "scenario", "new.scen", "--map", "room.map", "--agents", 5, "--seed", 2)
    assert (folder / "new.scen").read_bytes() == first


def test_a_warehouse_has_as_many_shelves_as_asked_for(folder):
    said = wayfolk("maps", "make", "warehouse", "hall.map", "--columns", 2, "--rows", 3, "--shelf", "4x2", "--aisle", 2)
    assert said.code == 0
    free = read_map("hall.map").free
    assert (~free[1:-1, 1:-1]).sum() == 2 * 3 * 4 * 2


def test_one_algorithm_is_explained(folder):
    said = wayfolk("list", "whca")
    assert (said.code, said.err) == (0, "")
    assert "Guarantees" in said.out
    assert re.search(r"^  window +\w.*\n +default \d+; ", said.out, re.MULTILINE)
    assert "wayfolk solve MAP --random N --with whca" in said.out
    both = wayfolk("list", "lacam").out
    assert "of the family planners" in both
    assert "of the family controllers" in both
    assert [entry["name"] for entry in the_json(wayfolk("list", "bmaa_plus", "--json"))] == ["bmaa_plus"]
    assert [entry["family"] for entry in the_json(wayfolk("list", "controllers/lacam", "--json"))] == ["controllers"]


def test_searches_are_compared_without_a_page_too(folder):
    query = ["path", "room.map", "--from", "0,0", "--to", "5,2", "--with", "astar,jps"]
    said = wayfolk(*query)
    assert (said.code, said.err) == (0, "")
    assert [line.split()[1] for line in said.out.splitlines() if line.startswith("algorithm")] == ["astar", "jps"]
    assert [answer["algorithm"] for answer in the_json(wayfolk(*query, "--json"))["searches"]] == ["astar", "jps"]


def test_only_the_first_problem_is_kept_for_the_replay(folder):
    comparison = compare(read_map("room.map", "four"), [find(name) for name in ("hca", "pibt")], 2, range(3))
    assert [trial.track is None for trial in comparison.trials] == [False] * 2 + [True] * 4
    five = compare(
        read_map("room.map", "four"), [find(name) for name in ("hca", "pibt", "lra", "lacam", "ca")], 2, range(1)
    )
    assert "the first 4 of 5 are shown" in report_html(five, "five", "")


def test_a_planner_and_a_controller_of_one_name_are_told_apart(folder):
    said = wayfolk("compare", "room.map", "--agents", 2, "--with", "lacam,controllers/lacam", "--seeds", 1, "--json")
    rows = the_json(said)["rows"]
    assert [row["algorithm"] for row in rows] == ["planners/lacam", "controllers/lacam"]
    assert rows[0]["step_p50_ms"] is None
    assert rows[1]["step_p50_ms"] > 0
    for name, family in (("lacam", "planners"), ("controllers/lacam", "controllers")):
        assert find(name, "planners", "controllers").family == family
    answer = the_json(
        wayfolk("solve", "room.map", "--random", 2, "--with", "controllers/lacam", "--steps", 99, "--json")
    )
    assert (answer["algorithm"], answer["status"]) == ("lacam", "solved")


NOBODY = ["compare", "room.map", "--agents"]
MISTAKES = {
    "compare without agents": (["compare", "room.map"], "--agents"),
    "compare words": (["compare", "room.map", "--agents", "2,many"], "not '2,many'"),
    "compare some and nobody": (["compare", "room.map", "--agents", "2,0"], "agents must be 1 or more, not 0"),
    "robots twice": (["run", "room.map", "--random", "2", "--scen", "room.scen"], "either --random N or --scen FILE"),
    "rows without a scenario": (["run", "room.map", "--random", "2", "--agents", "1"], "--agents is for the rows of"),
    "compare nobody": ([*NOBODY, "0"], "agents must be 1 or more, not 0"),
    "compare too many": ([*NOBODY, "999"], "999 agents were asked for, the map has room for"),
    "compare nothing": ([*NOBODY, "2", "--with", ","], "--with needs the name"),
    "compare twice the same": ([*NOBODY, "2", "--with", "pibt,pibt"], "names an algorithm twice"),
    "compare a search": ([*NOBODY, "2", "--with", "astar"], "family search"),
    "compare with a slip": ([*NOBODY, "2", "--with", "pibt,whcaa"], "did you mean 'whca'?"),
    "lifelong planners": ([*NOBODY, "2", "--with", "auto", "--lifelong"], "family planners"),
    "no seeds": ([*NOBODY, "2", "--seeds", "0"], "seeds must be 1 or more, not 0"),
    "no folder for the report": ([*NOBODY, "2", "--html", "no/a.html"], "no folder"),
    "compare without a map": (["compare", "no.map", "--agents", "2"], "no.map"),
    "advise nobody": (["advise", "room.map", "--agents", "0"], "agents must be 1 or more"),
    "advise in no time": (["advise", "room.map", "--agents", "2", "--step-ms", "0"], "--step-ms must be more than 0"),
    "neither scenario nor random": (["solve", "room.map"], "--scen FILE, or --random N"),
    "both": (["solve", "room.map", "--scen", "room.scen", "--random", "3"], "--scen FILE, or --random N"),
    "agents of nothing": (["solve", "room.map", "--random", "3", "--agents", "3"], "--agents is for the rows of --scen"),
    "random nobody": (["solve", "room.map", "--random", "0"], "agents must be 1 or more, not 0"),
    "a format for no file": (["solve", "room.map", "--random", "3", "--format", "csv"], "--format says how --save"),
    "no such format": (["solve", "room.map", "--random", "3", "--save", "p", "--format", "pdf"], "no format 'pdf'"),
    "a map without agents": (["run", "room.map"], "--random N"),
    "a scene with random agents": (["run", "walk.toml", "--random", "3"], "--random is for a map"),
    "stations without orders": (["run", "room.map", "--random", "2", "--stations", "stations.csv"], "--orders"),
    "orders without stations": (
        ["run", "room.map", "--random", "2", "--orders", "orders.csv"], "there is no station 'A'",
    ),
    "no orders": (["run", "room.map", "--random", "2", "--orders", "no.csv"], "no.csv"),
    "check without a map": (["check", "steps.txt"], "holds no map"),
    "check a broken plan": (["check", "steps.txt", "--map", "room.map"], "steps.txt, line 2"),
    "a scenario without its map": (["check", "steps.txt", "--scen", "room.scen"], "--scen needs --map"),
    "convert to nowhere": (["convert", "steps.txt", "no/p.json", "--map", "room.map"], "no folder"),
    "a scenario without a map": (["maps", "make", "scenario", "a.scen", "--agents", "2"], "needs --map"),
    "a scenario without agents": (["maps", "make", "scenario", "a.scen", "--map", "room.map"], "needs --agents"),
    "a scenario with a width": (
        ["maps", "make", "scenario", "a.scen", "--map", "room.map", "--agents", "2", "--width", "3"], "no --width",
    ),
    "a scenario with a bad seed": (
        ["maps", "make", "scenario", "a.scen", "--map", "room.map", "--agents", "2", "--seed", "-1"], "seed",
    ),
    "a shelf in words": (["maps", "make", "warehouse", "a.map", "--shelf", "large"], "a shelf is WxH"),
    "no shelves": (["maps", "make", "warehouse", "a.map", "--columns", "0"], "columns must be 1 or more"),
    "too many seeds": ([*NOBODY, "2", "--seeds", "99999999999999999999"], "--seeds must be at most 1,000"),
    "a last seed that is too large": ([*NOBODY, "2", "--seed", str(2**62)], "a seed must be at most"),
    "lifelong, too many": ([*NOBODY, "999", "--with", "pibt", "--lifelong"], "the map has room for"),
    "a report that is a film": ([*NOBODY, "2", "--html", "a.gif"], "a report is a page: end its name in .html"),
    "a report in a store's place": (["report", "room.map", "--html", "a.gif"], "a report is a page"),
    "a replay of no kind": (["solve", "room.map", "--random", "2", "--html", "a.pdf"], "a replay is a file that ends in"),
    "a plan of no kind": (["solve", "room.map", "--random", "2", "--save", "a.pdf"], "a plan is a file that ends in"),
    "execute into no kind": (["execute", "plan.json", "--save", "a.pdf"], "a plan is a file that ends in"),
    "execute a file of another version": (["execute", "plan.json"], "the version is 'None', this reads 1"),
    "a format that execute lacks": (["execute", "plan.json", "--format", "csv"], "--format says how --save"),
    "convert to no kind": (["convert", "plan.json", "a.pdf"], "a plan is a file that ends in"),
    "a plan cut short": (["check", "cut.json"], "cut.json, line"),
    "a plan of noise": (["check", "noise.json"], "noise.json: the file is not text in UTF-8"),
    "a team of another size": (["check", "team.json", "--map", "room.map"], "the teamSize is '3', and there are 1 starts"),
    "a run without an end": (["run", "room.map", "--random", "2", "--until", "inf"], "--until needs a time"),
    "orders without an end": (
        ["run", "room.map", "--random", "2", "--orders", "orders.csv", "--until", "inf"], "--until needs a time",
    ),
    "an order of many digits": (
        ["run", "room.map", "--random", "2", "--orders", "digits.json"], "a number has too many digits",
    ),
    "a station in words": (
        ["run", "room.map", "--random", "2", "--orders", "orders.csv", "--stations", "words.csv"],
        "words.csv, line 2: x and y are whole numbers",
    ),
    "a store that is a plan": (["again", "3f2a", "--store", "plan.json"], "cannot be opened as a store"),
    "a report on a plan": (["report", "plan.json"], "cannot be opened as a store"),
    "a map of no kind": (["maps", "make", "random", "a.pdf"], "a map is a file that ends in .map"),
    "a scenario called map": (
        ["maps", "make", "scenario", "room.map", "--map", "room.map", "--agents", "2"], "a file that ends in .scen",
    ),
    "five searches": (
        ["path", "room.map", "--from", "0,0", "--to", "5,2", "--with", "astar,jps,bfs,dfs,ida"], "at most 4 algorithms",
    ),
    "one search twice": (
        ["path", "room.map", "--from", "0,0", "--to", "5,2", "--with", "jps,jps", "--html", "a.html"], "twice",
    ),
    "searches with one option": (
        ["path", "room.map", "--from", "0,0", "--to", "5,2", "--with", "astar,jps", "--opt", "weight=2"],
        "write --opt 1.weight=2 for the first of them",
    ),
    "searches of a scenario": (["path", "room.map", "--scen", "room.scen", "--with", "astar,jps"], "--scen is for one"),
    "no such family": ([*NOBODY, "2", "--with", "robots/lacam"], "there is no family 'robots'"),
    "a family without it": ([*NOBODY, "2", "--with", "planners/pibt"], "there is no algorithm 'planners/pibt'"),
    "the same under two names": ([*NOBODY, "2", "--with", "lacam,planners/lacam"], "names an algorithm twice"),
    "no such algorithm": (["list", "whcaa"], "no family and no algorithm 'whcaa': did you mean 'whca'?"),
}  # fmt: skip


PLAN = json.dumps({"format": "wayfolk-plan", "map": {"rows": ["......"] * 4}, "paths": [[[0, 0], [1, 0]]]}, indent=1)
DAMAGED = {
    "steps.txt": b"0:(0,0),\n1:zero,\n",
    "plan.json": PLAN.encode(),
    "cut.json": PLAN[: len(PLAN) // 2].encode(),
    "noise.json": bytes(range(256)).replace(b",", b""),
    "team.json": b'{"actionModel": "MAPF", "teamSize": 3, "start": [[0, 0, "E"]], "actualPaths": ["R"]}',
    "digits.json": b'{"orders": [{"release": 1' + b"0" * 5000 + b', "stops": [[0, 0]]}]}',
    "words.csv": b"name,x,y\nA,zero,2\n",
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_sentence_exit_2_and_write_nothing(name, folder):
    args, complaint = MISTAKES[name]
    for file, content in DAMAGED.items():
        (folder / file).write_bytes(content)
    before = sorted(file.name for file in folder.iterdir())
    said = wayfolk(*args)
    assert said.code == 2, said.out
    assert complaint in said.err
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert sorted(file.name for file in folder.iterdir()) == before
