"""The verb that executes a plan with delays."""

import json
import re

import pytest

from command import MAP, SCEN, wayfolk
from wayfolk.files.plans import read_plan

KEYS = ["agents", "moves", "rings", "planned_steps", "steps", "planned_sum_of_costs", "sum_of_costs", "faults"]
SWAP = {
    "format": "wayfolk-plan",
    "version": 1,
    "map": {"name": "", "width": 2, "height": 1, "moves": "four", "rows": [".."]},
    "paths": [[[0, 0], [1, 0]], [[1, 0], [0, 0]]],
}


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """A folder with a plan in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "room.map").write_text(MAP)
    (tmp_path / "room.scen").write_text(SCEN)
    assert wayfolk("solve", "room.map", "--scen", "room.scen", "--with", "hca", "--save", "plan.json").code == 0
    return tmp_path


def test_an_execution_in_json_and_as_a_plan_that_is_legal(plan):
    said = wayfolk("execute", "plan.json", "--delay", 0.4, "--seed", 3, "--save", "late.json", "--json")
    made = json.loads(said.out)
    assert (said.code, said.err, list(made)) == (0, "", KEYS)
    assert made["steps"] >= made["planned_steps"]
    assert made["sum_of_costs"] > made["planned_sum_of_costs"]
    assert wayfolk("check", "late.json").code == 0
    assert read_plan("late.json")[0].n_steps == made["steps"]
    again = wayfolk("execute", "plan.json", "--delay", 0.4, "--seed", 3, "--json")
    assert json.loads(again.out) == made


def test_an_execution_in_words_without_delays(plan):
    said = wayfolk("execute", "plan.json", "--delay", 0)
    assert said.code == 0
    assert [line.split("  ")[0].replace(" ", "_") for line in said.out.splitlines()] == KEYS
    apart = json.loads(wayfolk("execute", "plan.json", "--delay", 0, "--apart", "--json").out)
    assert apart["faults"] == 0


def test_the_page_shows_the_plan_and_what_came_of_it(plan):
    assert wayfolk("execute", "plan.json", "--delay", 0.4, "--html", "late.html").code == 0
    held = re.search(r'id="data">(.*?)</script>', (plan / "late.html").read_text(), re.DOTALL)
    assert [panel["title"] for panel in json.loads(held[1])] == ["as planned", "delay 0.4"]


def test_mistakes_are_told_in_a_sentence(plan):
    (plan / "swap.json").write_text(json.dumps(SWAP))
    said = wayfolk("execute", "swap.json")
    assert (said.code, said.out) == (2, "")
    assert said.err == "wayfolk: the plan breaks a rule: step 1: agents 0 and 1 swap (0, 0) and (1, 0)\n"
    said = wayfolk("execute", "plan.json", "--delay", 1)
    assert (said.code, said.err) == (2, "wayfolk: a delay is a probability, 0 or more and less than 1, not 1\n")
    assert wayfolk("execute", "none.json").code == 2
