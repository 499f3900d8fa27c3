"""Options for each of several algorithms: --opt N.NAME=VALUE of `path` and `compare`."""

import json

import pytest

from command import wayfolk

QUERY = ["path", "rooms", "--from", "2,2", "--to", "29,29", "--with"]


def test_an_algorithm_is_compared_with_itself_under_other_options(tmp_path):
    page = tmp_path / "search.html"
    said = wayfolk(*QUERY, "astar,astar", "--opt", "2.weight=3", "--html", page, "--json")
    assert (said.code, said.err) == (0, "")
    plain, weighted = json.loads(said.out)["searches"]
    assert (plain["algorithm"], weighted["algorithm"]) == ("astar", "astar(weight=3.0)")
    assert weighted["expanded"] < plain["expanded"]
    assert weighted["cost"] >= plain["cost"]
    assert "A* (weight=3.0)" in page.read_text()


def test_one_algorithm_keeps_its_plain_name():
    for option in ("weight=3", "1.weight=3"):
        answer = json.loads(wayfolk(*QUERY, "astar", "--opt", option, "--json").out)
        assert answer["algorithm"] == "astar"
        assert answer["cost"] > 50.98  # that of the shortest path is 50.97
    scen = json.loads(wayfolk("path", "rooms", "--scen", "rooms", "--opt", "weight=3", "--json").out)
    assert (scen["algorithm"], scen["wrong_cost"] > 0) == ("astar", True)


def test_compare_takes_options_too(tmp_path):
    page = tmp_path / "compare.html"
    said = wayfolk(
        "compare", "rooms", "--agents", 12, "--with", "whca,whca", "--opt", "2.window=4", "--seeds", 1, "--html", page,
        "--json",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert [row["algorithm"] for row in json.loads(said.out)["rows"]] == ["whca", "whca(window=4)"]
    assert "whca(window=4)" in page.read_text()


@pytest.mark.parametrize(
    ("names", "option", "sentence"),
    [
        ("astar,jps", "weight=2", "--with names 2 algorithms: write --opt 1.weight=2 for the first of them"),
        ("astar,jps", "3.weight=2", "--opt 3.weight=2: there is no algorithm 3 in --with astar,jps"),
        ("astar,jps", "0.weight=2", "--opt 0.weight=2: there is no algorithm 0 in --with astar,jps"),
        ("astar", "2.weight=2", "--opt 2.weight=2: there is no algorithm 2 in --with astar"),
        ("astar,astar", "2.wieght=2", "astar has no option 'wieght': did you mean 'weight'?"),
        ("astar,astar", "2.weight", "an option is NAME=VALUE, not 'weight'"),
        ("astar,astar,jps", "3.watch=true", "--with names an algorithm twice: astar,astar,jps; tell them apart by "),
    ],
)
def test_mistakes_are_one_sentence(names, option, sentence):
    said = wayfolk(*QUERY, names, "--opt", option)
    assert said.code == 2
    assert said.err.startswith(f"wayfolk: {sentence}")
    assert said.err.count("\n") == 1
