"""The contracts of the command line: what scripts read, exit codes, and one sentence for each mistake."""

import json
import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest

from command import MAP, PROGRAM, SCEN, OnTerminal, program, wayfolk
from wayfolk import __version__
from wayfolk.files.plans import read_plan

PATH_KEYS = {"algorithm", "map", "queries", "solved", "wrong_cost", "cost_total", "expanded_total", "mean_us", "p99_us"}
SOLVE_KEYS = [
    "algorithm",
    "status",
    "agents",
    "makespan",
    "sum_of_costs",
    "sum_of_loss",
    "lower_bound",
    "completion_rate",
    "seconds",
    "first_seconds",
    "faults",
]
REASON_KEYS = ["detail", "why", "complete"]  # of JSON; in words they are sentences
FAULTY = {
    "format": "wayfolk-plan",
    "version": 1,
    "map": {"name": "", "width": 3, "height": 1, "moves": "four", "rows": ["..."]},
    "starts": [[0, 0], [1, 0]],
    "goals": [[1, 0], [2, 0]],
    "paths": [[[0, 0], [1, 0]], [[1, 0], [0, 0]]],
}


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A folder to work in, with a map and a scenario."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "room.map").write_text(MAP)
    (tmp_path / "room.scen").write_text(SCEN)
    return tmp_path


def the_json(said):
    """The value on stdout, which holds nothing else, and nothing was said beside it."""
    assert said.err == ""
    assert said.out.endswith("\n")
    assert said.out.count("\n") == 1
    return json.loads(said.out)


def test_path_json(room):
    said = wayfolk("path", "room.map", "--scen", "room.scen", "--with", "astar", "--json")
    answer = the_json(said)
    assert said.code == 0
    assert set(answer) >= PATH_KEYS
    assert (answer["algorithm"], answer["map"]) == ("astar", "room")
    assert (answer["queries"], answer["solved"], answer["wrong_cost"]) == (3, 3, 0)
    assert answer["cost_total"] == pytest.approx(2 * (3 + 2 * np.sqrt(2)) + 4)
    assert 0 < answer["mean_us"] <= answer["p99_us"]
    assert answer["expanded_total"] >= 3


def test_a_path_of_another_cost_is_told(room):
    (room / "room.scen").write_text(SCEN.replace("4 3 4\n", "4 3 4.5\n"))
    said = wayfolk("path", "room.map", "--scen", "room.scen", "--json")
    assert (said.code, the_json(said)["wrong_cost"]) == (1, 1)


def test_a_row_that_starts_in_a_wall_is_no_query(room):
    (room / "room.scen").write_text(SCEN + "0 room.map 6 4 1 1 4 3 4\n")
    answer = the_json(wayfolk("path", "room.map", "--scen", "room.scen", "--json"))
    assert (answer["queries"], answer["skipped"]) == (3, 1)


def test_one_path(room):
    said = wayfolk("path", "room.map", "--from", "0,0", "--to", "0,3", "--json")
    answer = the_json(said)
    assert (said.code, answer["status"], answer["cost"], answer["moves"]) == (0, "solved", 3, 3)
    assert answer["path"] == [[0, 0], [0, 1], [0, 2], [0, 3]]
    said = wayfolk("path", "room.map", "--from", "0,0", "--to", "0,3")
    assert "0,0 0,1 0,2 0,3\n" in said.out
    assert "cost       3.0000\n" in said.out


def test_no_path(room):
    (room / "apart.txt").write_text(".#.\n")
    said = wayfolk("path", "apart.txt", "--from", "0,0", "--to", "2,0", "--json")
    answer = the_json(said)
    assert (said.code, answer["status"], answer["cost"], answer["path"]) == (1, "impossible", None, None)
    said = wayfolk("path", "apart.txt", "--from", "0,0", "--to", "2,0")
    assert (said.code, said.err) == (1, "")
    assert "impossible" in said.out


SOLVE = ("solve", "room.map", "--scen", "room.scen", "--agents", 3, "--with", "whca", "--seconds", 30, "--seed", 1)


def test_solve_json(room):
    said = wayfolk(*SOLVE, "--opt", "window=8", "--save", "plan.json", "--html", "replay.html", "--json")
    answer = the_json(said)
    assert said.code == 0
    assert list(answer) == SOLVE_KEYS + REASON_KEYS
    assert [answer[key] for key in REASON_KEYS] == ["", [], []]
    assert (answer["algorithm"], answer["status"], answer["agents"], answer["faults"]) == ("whca", "solved", 3, 0)
    assert answer["lower_bound"] == 7 + 7 + 4
    assert answer["lower_bound"] <= answer["sum_of_loss"] <= answer["sum_of_costs"] <= 3 * answer["makespan"]
    assert answer["completion_rate"] == 1.0
    assert 0 < answer["first_seconds"] <= answer["seconds"] < 30
    page = (room / "replay.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    assert "http://" not in page
    assert "https://" not in page


def test_replay_of_a_controller_with_layers_holds_them(room):
    sdp = ("solve", "room.map", "--scen", "room.scen", "--agents", 3, "--with", "sdp", "--html", "replay.html")
    for options, layers in (((), ["Areas"]), (("--opt", "record=true"), ["Areas", "Messages"])):
        assert wayfolk(*sdp, *options).code == 0
        held = re.search(r'id="data">(.*?)</script>', (room / "replay.html").read_text(), re.DOTALL)
        (panel,) = json.loads(held[1])
        assert [head["title"] for head in panel["layers"]["heads"]] == layers


def test_what_solve_saved_is_checked(room):
    answer = the_json(wayfolk(*SOLVE, "--save", "plan.json", "--json"))
    plan, goals = read_plan("plan.json")
    assert plan.n_steps >= answer["makespan"]
    assert plan.grid.places(goals).tolist() == [[5, 2], [0, 2], [4, 3]]
    said = wayfolk("check", "plan.json", "--json")
    assert (said.code, the_json(said)) == (0, {"valid": True, "faults": []})
    said = wayfolk("check", "plan.json")
    assert (said.code, said.out) == (0, f"3 agents, {plan.n_steps} steps: no faults\n")


def test_solve_in_words(room):
    said = wayfolk(*SOLVE)
    assert (said.code, said.err) == (0, "")
    assert [line.split("  ")[0].replace(" ", "_") for line in said.out.splitlines()] == SOLVE_KEYS


def test_the_same_seed_gives_the_same_plan(room):
    for name in ("one.json", "two.json"):
        wayfolk(*SOLVE, "--with", "hca", "--opt", "order=random", "--save", name)
    assert (room / "one.json").read_bytes() == (room / "two.json").read_bytes()


def test_the_seed_may_be_given_as_the_option_it_is(room):
    assert wayfolk(*SOLVE, "--opt", "seed=5", "--json").code == 0


def test_not_everybody_arrives(room):
    said = wayfolk(*SOLVE, "--steps", 2, "--save", "plan.json", "--json")
    answer = the_json(said)
    assert (said.code, answer["status"]) == (1, "partial")
    assert answer["completion_rate"] < 1
    checked = wayfolk("check", "plan.json", "--json")
    faults = the_json(checked)["faults"]
    assert checked.code == 1
    assert {fault["kind"] for fault in faults} == {"goal"}  # the plan is legal, but not all agents arrive
    assert answer["faults"] == len(faults) == round(3 * (1 - answer["completion_rate"]))
    in_words = wayfolk(*SOLVE, "--steps", 2).out.splitlines()
    assert in_words[-len(faults) :] == [fault["text"] for fault in faults]


def test_solve_says_who_stands_in_whose_way(room):
    """Two agents who must swap in a corridor."""
    (room / "lane.map").write_text("type octile\nheight 1\nwidth 4\nmap\n....\n")
    (room / "lane.scen").write_text("version 1\n0 lane.map 4 1 0 0 3 0 3\n0 lane.map 4 1 3 0 0 0 3\n")
    command = ("solve", "lane.map", "--scen", "lane.scen", "--with", "lra", "--steps", 40, "--html", "a.html")
    said = wayfolk(*command, "--json")
    answer = the_json(said)
    assert (said.code, answer["status"]) == (1, "partial")
    (cause,) = answer["why"]
    assert (cause["kind"], cause["agents"], cause["waits"]) == ("cycle", [0, 1], [[0, 1], [1, 0]])
    assert answer["detail"].startswith("stopped after 40 steps")
    said = wayfolk(*command)
    assert f"{answer['detail']}\n{cause['text']}\n" in said.out
    (panel,) = json.loads(re.search(r'id="data">(.*?)</script>', (room / "a.html").read_text(), re.DOTALL)[1])
    assert [head["title"] for head in panel["layers"]["heads"]] == ["Not arrived"]


def test_complete_planners_are_named(room):
    said = wayfolk(*SOLVE, "--steps", 2)
    assert "complete algorithms that fit, which find a plan if there is one: auto, " in said.out
    assert {"auto", "lacam", "cbs"} <= set(the_json(wayfolk(*SOLVE, "--steps", 2, "--json"))["complete"])


def test_an_objective_is_refused_by_an_algorithm_without_the_choice(room):
    said = wayfolk(*SOLVE, "--objective", "makespan")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("wayfolk: whca cannot be told to minimise the makespan: ")
    said = wayfolk(*SOLVE, "--objective", "costs")
    assert (said.code, said.err) == (2, "wayfolk: there is no objective 'costs': did you mean 'sum_of_costs'?\n")


def test_no_plan_no_file(room):
    """Two agents who must swap in a corridor: HCA* gives up."""
    (room / "lane.map").write_text("type octile\nheight 1\nwidth 4\nmap\n....\n")
    (room / "lane.scen").write_text("version 1\n0 lane.map 4 1 0 0 3 0 3\n0 lane.map 4 1 3 0 0 0 3\n")
    command = ("solve", "lane.map", "--scen", "lane.scen", "--with", "hca", "--save", "plan.json", "--html", "a.html")
    said = wayfolk(*command, "--json")
    answer = the_json(said)
    assert (said.code, answer["status"], answer["makespan"], answer["first_seconds"]) == (1, "gave_up", None, None)
    said = wayfolk(*command)
    assert said.code == 1
    assert "makespan         -\n" in said.out
    assert "finds no way" in said.out
    assert "no file was written" in said.out
    assert not list(room.glob("plan.json")) + list(room.glob("a.html"))


def test_faults_are_listed(room):
    (room / "faulty.json").write_text(json.dumps(FAULTY))
    said = wayfolk("check", "faulty.json", "--json")
    answer = the_json(said)
    assert (said.code, answer["valid"]) == (1, False)
    assert sorted(fault["kind"] for fault in answer["faults"]) == ["goal", "swap"]
    assert set(answer["faults"][0]) == {"kind", "step", "agents", "places", "text"}
    said = wayfolk("check", "faulty.json")
    assert (said.code, said.err) == (1, "")
    assert said.out.splitlines() == ["2 agents, 1 steps: 2 faults", *(fault["text"] for fault in answer["faults"])]


def test_many_faults_are_cut(room):
    (room / "faulty.json").write_text(json.dumps(FAULTY | {"paths": [[[0, 0], [1, 0]] * 30, [[1, 0], [0, 0]] * 30]}))
    said = wayfolk("check", "faulty.json")
    n_faults = len(json.loads(wayfolk("check", "faulty.json", "--json").out)["faults"])
    assert n_faults >= 59
    assert said.out.splitlines()[-1] == f"and {n_faults - 20} more: --json lists them"
    assert len(said.out.splitlines()) == 22


def test_list_json():
    answer = the_json(wayfolk("list", "--json"))
    keys = {"name", "family", "paper", "optimal", "complete", "options"}
    assert all(keys <= set(entry) for entry in answer)
    named = {entry["name"]: entry for entry in answer}
    assert {"astar", "dijkstra", "hca", "lra", "whca"} <= set(named)
    assert (named["astar"]["family"], named["astar"]["optimal"], named["astar"]["complete"]) == ("search", True, True)
    assert named["lra"]["optimal"] is False
    window = next(option for option in named["whca"]["options"] if option["name"] == "window")
    assert (window["default"], window["type"]) == (16, "int")
    limit = next(option for option in named["tba"]["options"] if option["name"] == "limit")
    assert limit["meaning"].endswith(".")
    assert limit["range"].startswith(f"from {limit['least']} to ")
    assert limit["least"] < limit["default"] < limit["most"]


def test_list_in_words():
    said = wayfolk("list", "search")
    assert said.out.startswith("search: one agent, a whole path\n")
    assert "    heuristic=best|octile|manhattan|euclidean|zero  " in said.out
    assert re.search(r"^    weight=1\.0  [A-Z].*\. \(from 0 to 1,000,000\)$", said.out, re.MULTILINE), said.out
    assert "whca" not in said.out
    assert "whca" in wayfolk("list").out


@pytest.mark.parametrize("verb", [(), ("maps",)])
def test_no_verb_shows_the_help(verb):
    said = wayfolk(*verb)
    assert said == wayfolk(*verb, "--help")
    assert said.code == 0
    assert "Usage: wayfolk" in said.out


def test_what_a_verb_does_fits_its_line():
    lines = {line.split()[0]: line for line in wayfolk().out.split("Commands:\n")[1].split("\n\n")[0].splitlines()}
    for verb in lines:
        assert not lines[verb].endswith("...")


def test_version():
    assert wayfolk("--version") == (0, f"wayfolk {__version__}\n", "")


@pytest.mark.parametrize("verb", ["demo", "list", "path", "solve", "check", "warm"])
def test_every_verb_speaks_json(verb):
    assert "--json" in wayfolk(verb, "--help").out


AGENTS = ["solve", "room.map", "--scen", "room.scen"]
QUERIES = ["path", "room.map", "--scen", "room.scen"]
HUGE = "type octile\nheight 16384\nwidth 16384\nmap\n......\n"
MISTAKES = {
    "unknown verb": (["slove"], "slove", "solve"),
    "unknown flag": ([*AGENTS, "--agnts", "3"], "--agnts"),
    "no map": (["solve"], "MAP"),
    "no scenario": (["solve", "room.map"], "--scen"),
    "no value": ([*AGENTS, "--agents"], "--agents"),
    "map missing": (["solve", "no.map", "--scen", "room.scen"], "no.map", "No such file"),
    "map is a folder": (["solve", ".", "--scen", "room.scen"], "directory"),
    "map truncated": (["solve", "cut.map", "--scen", "room.scen"], "cut.map, line 7", "2 of its 4 rows"),
    "bad character": (["solve", "odd.map", "--scen", "room.scen"], "odd.map, line 6, column 2", "'?'"),
    "binary map": (["solve", "garbage.map", "--scen", "room.scen"], "garbage.map"),
    "binary scenario": (["solve", "room.map", "--scen", "garbage.map"], "garbage.map"),
    "huge map": (["solve", "huge.map", "--scen", "room.scen"], "huge.map"),
    "scenario missing": (["solve", "room.map", "--scen", "no.scen"], "no.scen", "No such file"),
    "scenario of another map": (["solve", "other.map", "--scen", "room.scen"], "room.scen", "'room.map'", "'other'"),
    "start in a wall": (["solve", "room.map", "--scen", "wall.scen"], "wall.scen, line 2", "agent 0", "(1, 1)"),
    "one start for two": (["solve", "room.map", "--scen", "twins.scen"], "agents 0 and 1", "(0, 0)"),
    "goal in another part": (["solve", "apart.map", "--scen", "apart.scen"], "agent 0", "(0, 0)", "(2, 0)"),
    "all queries in walls": (["path", "room.map", "--scen", "wall.scen"], "wall.scen", "wall"),
    "zero agents": ([*AGENTS, "--agents", "0"], "0 agents", "1 to 3"),
    "negative agents": ([*AGENTS, "--agents", "-2"], "-2 agents"),
    "too many agents": ([*AGENTS, "--agents", "4"], "4 agents", "1 to 3"),
    "agents in words": ([*AGENTS, "--agents", "ten"], "--agents"),
    "negative seconds": ([*AGENTS, "--seconds", "-1"], "seconds", "-1"),
    "zero seconds": ([*AGENTS, "--seconds", "0"], "seconds", "0"),
    "seconds nan": ([*AGENTS, "--seconds", "nan"], "seconds", "nan"),
    "negative seconds of a path": ([*QUERIES, "--seconds", "-1"], "seconds", "-1"),
    "zero steps": ([*AGENTS, "--steps", "0"], "steps", "0"),
    "steps of a planner": ([*AGENTS, "--with", "hca", "--steps", "9"], "--steps", "hca"),
    "negative seed": ([*AGENTS, "--with", "hca", "--opt", "order=random", "--seed", "-1"], "seed", "-1"),
    "negative seed as option": ([*AGENTS, "--opt", "seed=-1"], "seed", "-1"),
    "unknown moves": ([*AGENTS, "--moves", "diagonal"], "'diagonal'", "eight_cutting"),
    "unknown algorithm": ([*AGENTS, "--with", "whcaa"], "'whcaa'", "did you mean 'whca'?"),
    "unlike any algorithm": ([*AGENTS, "--with", "zzzz"], "'zzzz'", "choose one of"),
    "a search for many": ([*AGENTS, "--with", "astar"], "'astar'", "family search"),
    "a planner for one": ([*QUERIES, "--with", "hca"], "'hca'", "family planners"),
    "a controller for one": ([*QUERIES, "--with", "whca"], "'whca'", "family controllers"),
    "unknown option": ([*AGENTS, "--with", "whca", "--opt", "windw=3"], "'windw'", "did you mean 'window'?"),
    "unknown option of a search": ([*QUERIES, "--opt", "wait=3"], "'wait'", "did you mean 'watch'?"),
    "option without value": ([*AGENTS, "--opt", "window"], "NAME=VALUE", "'window'"),
    "option without name": ([*AGENTS, "--opt", "=3"], "NAME=VALUE", "'=3'"),
    "option of another type": ([*AGENTS, "--with", "whca", "--opt", "window=wide"], "window", "int", "'wide'"),
    "option out of range": ([*AGENTS, "--with", "whca", "--opt", "window=-3"], "window", "-3"),
    "option of another choice": ([*QUERIES, "--opt", "ties=random"], "ties", "'random'", "newest"),
    "an argument of the library": ([*AGENTS, "--opt", "seconds=3"], "'seconds'"),
    "another argument of the library": ([*AGENTS, "--opt", "model=distance"], "'model'"),
    "an argument of the search's caller": ([*QUERIES, "--opt", "expansions=3"], "'expansions'"),
    "half a place": (["path", "room.map", "--from", "1", "--to", "2,2"], "X,Y", "'1'"),
    "place in words": (["path", "room.map", "--from", "0,0", "--to", "a,b"], "X,Y", "'a,b'"),
    "place outside": (["path", "room.map", "--from", "0,0", "--to", "6,0"], "(6, 0)", "6 x 4"),
    "negative place": (["path", "room.map", "--from=-1,0", "--to", "1,0"], "(-1, 0)", "6 x 4"),
    "place in a wall": (["path", "room.map", "--from", "0,0", "--to", "1,1"], "goal (1, 1)", "wall"),
    "start only": (["path", "room.map", "--from", "0,0"], "--to"),
    "goal only": (["path", "room.map", "--to", "0,0"], "--from"),
    "nothing to find": (["path", "room.map"], "--scen"),
    "both to find": ([*QUERIES, "--from", "0,0", "--to", "1,0"], "either"),
    "plan missing": (["check", "no.json"], "no.json", "No such file"),
    "plan is a map": (["check", "room.map"], "room.map"),
    "no such family": (["list", "serch"], "'serch'", "search"),
    "no folder to save": ([*AGENTS, "--save", "no/plan.json"], "no/plan.json", "no folder"),
    "no folder for the page": ([*AGENTS, "--html", "no/a.html"], "no/a.html", "no folder"),
    "saved as a folder": ([*AGENTS, "--save", "folder"], "folder", "cannot be written"),
    "page is a folder": ([*AGENTS, "--html", "folder"], "folder", "cannot be written"),
    "demo without a folder": (["demo", "--out", "no/demo.html"], "no/demo.html", "no folder"),
    "demo as a folder": (["demo", "--out", "folder"], "folder", "cannot be written"),
    "demo of nobody": (["demo", "--agents", "0"], "agents", "0"),
    "demo of too many": (["demo", "--agents", "100000"], "100000 agents"),
    "demo without loops": (["demo", "--loops", "0"], "loops", "0"),
    "demo with a bad seed": (["demo", "--seed", "-1"], "seed", "-1"),
}


@pytest.fixture
def mistakes(room):
    """The folder with all the bad files of MISTAKES."""
    (room / "cut.map").write_text("".join(MAP.splitlines(keepends=True)[:6]))
    (room / "odd.map").write_text(MAP.replace(".@@", ".?@"))
    (room / "garbage.map").write_bytes(np.random.default_rng(1).bytes(3000))
    (room / "huge.map").write_text(HUGE)
    (room / "other.map").write_text(MAP)
    (room / "wall.scen").write_text("version 1\n0 room.map 6 4 1 1 4 3 4\n")
    (room / "twins.scen").write_text(SCEN.replace("5 0 0 2", "0 0 0 2"))
    (room / "apart.map").write_text("type octile\nheight 1\nwidth 3\nmap\n.@.\n")
    (room / "apart.scen").write_text("version 1\n0 apart.map 3 1 0 0 2 0 2\n")
    (room / "folder").mkdir()
    return room


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence(mistakes, name):
    """And nothing is written, neither to stdout nor to any file."""
    args, *words = MISTAKES[name]
    if args[0] == "solve":
        files = {"--save": "plan.json", "--html": "a.html"}
        args = args + [part for flag in files if flag not in args for part in (flag, files[flag])]
    before = sorted(mistakes.rglob("*"))
    said = wayfolk(*args)
    assert said.code == 2, said
    assert said.out == ""
    assert said.err.startswith("wayfolk: ")
    assert said.err.count("\n") == 1
    for word in words:
        assert word in said.err, f"{word!r} is not in {said.err!r}"
    assert sorted(mistakes.rglob("*")) == before


def test_a_mistake_through_the_installed_program(mistakes):
    said = program(*AGENTS, "--with", "whcaa", "--json")
    assert said == (2, "", "wayfolk: there is no algorithm 'whcaa': did you mean 'whca'?\n")


def test_old_files_survive_a_mistake(room):
    (room / "plan.json").write_text("old")
    assert wayfolk(*AGENTS, "--agents", 9, "--save", "plan.json").code == 2
    assert wayfolk(*AGENTS, "--save", "plan.json", "--html", "no/a.html").code == 2
    assert (room / "plan.json").read_text() == "old"


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="there is no folder that nobody can write to")
def test_a_folder_that_nobody_can_write_to(room):
    said = wayfolk(*AGENTS, "--save", "plan.json", "--html", "/proc/a.html")
    assert said.code == 2
    assert said.err.startswith("wayfolk: /proc/a.html: cannot be written: ")
    assert not (room / "plan.json").exists()


MEMORY = """
import sys
from pathlib import Path
from wayfolk.cli import main
try:
    main()
except SystemExit as left:
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(left.code, peak.split()[1], file=sys.stderr)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from /proc")
def test_a_huge_header_takes_no_memory(mistakes):
    peaks = {}
    for name in ("cut.map", "huge.map"):
        command = [sys.executable, "-c", MEMORY, "maps", "info", name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        code, peaks[name] = map(int, done.stderr.splitlines()[-1].split())
        assert code == 2
    assert peaks["huge.map"] < peaks["cut.map"] + 20_000  # kilobytes; 268,000 are a byte for each cell


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_output_that_cannot_be_printed():
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "wayfolk: output: No space left on device\n")


@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_reader_that_leaves(buffered):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [PROGRAM, "list"],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        env=os.environ | {"PYTHONUNBUFFERED": buffered},
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_plan_goes_through_a_pipe(room):
    """As in `--save >(jq .)`: what is no file is written to, not replaced."""
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True) as reader:
        assert wayfolk(*SOLVE, "--html", "pipe", "--json").code == 0
        assert reader.communicate(timeout=60)[0].startswith("<!doctype html>")
    assert (room / "pipe").is_fifo()


def test_compiling_does_not_count(room, monkeypatch):
    assert wayfolk(*AGENTS, "--json").code == 0  # compiled, or loaded
    monkeypatch.setattr("wayfolk.simulation.solving.make_ready", lambda entry, first_plan, is_plain: time.sleep(1.0))
    began = time.perf_counter()
    said = wayfolk(*AGENTS, "--seconds", 100, "--json")
    took, answer = time.perf_counter() - began, the_json(said)
    assert (said.code, answer["status"]) == (0, "solved")
    assert answer["seconds"] < took - 1.0


LOADED = """
import sys
from wayfolk.cli import main
sys.argv = ["wayfolk", *sys.argv[1:]]
try:
    main()
except SystemExit as left:
    assert not left.code
print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("args", [["list"], ["list", "--json"], ["--help"], ["solve", "--help"], []])
def test_looking_around_loads_nothing_heavy(args):
    done = subprocess.run([sys.executable, "-c", LOADED, *args], capture_output=True, text=True, timeout=60, check=True)
    loaded = done.stderr.split()
    assert "wayfolk.cli" in loaded
    heavy = [name for name in loaded if name.split(".")[0] in ("numba", "llvmlite", "numpy", "rich", "dask", "duckdb")]
    assert not heavy
    assert not [name for name in loaded if name.startswith(("wayfolk.algorithms.search.", "wayfolk.kernels"))]


def test_list_is_quick():
    before = os.times()
    assert program("list").code == 0
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 1.0  # of the processor's time: others may be busy too


def test_progress_on_a_terminal(room):
    said = OnTerminal(*SOLVE, "--json").ended()
    assert said.code == 0
    assert "whca, 3 agents" in said.err
    assert list(json.loads(said.out)) == SOLVE_KEYS + REASON_KEYS


def test_progress_of_paths_on_a_terminal(room):
    said = OnTerminal("path", "room.map", "--scen", "room.scen", "--json").ended()
    assert said.code == 0
    assert "paths" in said.err
    assert json.loads(said.out)["solved"] == 3


def test_no_progress_elsewhere(room):
    said = program(*SOLVE, "--json")
    assert list(the_json(said)) == SOLVE_KEYS + REASON_KEYS  # which also looks at stderr


@pytest.mark.parametrize("algorithm", ["astar", "dijkstra"])
def test_costs_of_a_game_map(movingai, algorithm):
    single = movingai / "single"
    said = wayfolk("path", single / "den312d.map", "--scen", single / "den312d.map.scen", "--with", algorithm, "--json")
    answer = the_json(said)
    assert (said.code, answer["queries"], answer["solved"], answer["wrong_cost"]) == (0, 320, 320, 0)


def test_rows_known_to_be_impossible_are_no_failures(movingai):
    single = movingai / "single"
    said = wayfolk("path", single / "brc000d.map", "--scen", single / "brc000d.map.scen", "--json")
    answer = the_json(said)
    assert (said.code, answer["queries"], answer["solved"], answer["wrong_cost"]) == (0, 850, 840, 0)


def test_agents_of_a_benchmark(movingai, tmp_path):
    files = movingai / "mapf" / "den312d.map", "--scen", movingai / "mapf" / "den312d-random-1.scen"
    page = tmp_path / "replay.html"
    said = wayfolk("solve", *files, "--agents", 50, "--with", "whca", "--html", page, "--json")
    answer = the_json(said)
    assert (said.code, answer["status"], answer["agents"], answer["faults"]) == (0, "solved", 50, 0)
    assert answer["lower_bound"] <= answer["sum_of_loss"] <= answer["sum_of_costs"]
    assert f'["sum of costs","{answer["sum_of_costs"]:,}"]' in page.read_text()


@pytest.mark.parametrize("value", ["0", "-1", "nan"])
def test_a_limit_of_memory_must_be_above_0(room, value):
    said = wayfolk(*AGENTS, "--memory", value)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "--memory must be more than 0 gigabytes" in said.err


def test_a_limit_of_memory_that_suffices_changes_nothing(room):
    assert the_json(wayfolk(*AGENTS, "--memory", 1, "--json"))["status"] == "solved"
    assert (
        the_json(wayfolk("path", "room.map", "--from", "0,0", "--to", "1,0", "--memory", 1, "--json"))["status"]
        == "solved"
    )
