"""What papers add by name: every name is found, and a wrong one is named."""

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.errors import BadInput, UnknownName
from wayfolk.experiments.papers.tables import PAPERS
from wayfolk.experiments.sweeps.spec import read_spec
from wayfolk.problem import papers
from wayfolk.world.grid import Grid

TABLES = ("MAPS", "PROBLEMS", "MEASURES", "ALGORITHMS")


@pytest.mark.parametrize("table", TABLES)
def test_every_name_begins_with_its_paper_and_stands_for_a_function(table):
    known = papers.names(table)
    assert known
    for name, text in known.items():
        paper = text.split(".")[3]
        assert paper in PAPERS
        assert name.replace("_", "-").startswith(f"{paper}-")
        assert callable(papers.registered(table, name, "thing"))


@pytest.mark.plain
@pytest.mark.parametrize("name", papers.names("MAPS"))
def test_a_map_has_its_name_and_draws_its_problem(name):
    place = papers.paper_map(name)
    assert place.name == place.grid.name == name
    problem = papers.paper_problem(name, agents=6, seed=3)
    assert problem.n_agents == 6
    assert (problem.starts == place.problem(6, seed=3).starts).all()
    assert (problem.starts != papers.paper_problem(name, agents=6, seed=4).starts).any()


def test_a_problem_is_drawn_on_any_map():
    draw = papers.registered("PROBLEMS", "sdp-rooms", "problem")
    assert draw(Grid(np.ones((30, 30))), 5, 1).n_agents == 5


@pytest.mark.plain
def test_an_unknown_name_is_named():
    with pytest.raises(UnknownName, match="no paper has a map 'jansen-x'"):
        papers.paper_map("jansen-x")
    with pytest.raises(UnknownName, match="no paper has a problem 'rooms'"):
        papers.registered("PROBLEMS", "rooms", "problem")


def test_an_algorithm_of_a_paper_is_one_of_ours():
    entry = catalogue.find("jansen-direction-map")
    assert entry in catalogue.entries("controllers")
    assert (entry.family, entry.package) == ("controllers", "")
    assert catalogue.find("controllers/jansen_direction_map") is entry
    assert entry.load().__module__ == entry.module == "wayfolk.experiments.papers.jansen.direction_map"


@pytest.mark.parametrize(
    ("one_map", "problem", "why"),
    [
        ('{make = "paper", name = "jansen-x"}', '{kind = "patrol", agents = 4}', "no paper has a map 'jansen-x'"),
        ('{make = "paper"}', '{kind = "patrol", agents = 4}', "line 2: a paper map needs `name`: a text$"),
        (
            '{make = "rooms", width = 33, height = 33}',
            '{kind = "paper", name = "sdp-x", agents = 4}',
            "no paper has a problem 'sdp-x'",
        ),
    ],
)
def test_a_sweep_with_a_wrong_name_is_refused(one_map, problem, why, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(f'[[sweep]]\nmaps = [{one_map}]\nproblems = [{problem}]\nalgorithms = ["whca"]\n')
    with pytest.raises(BadInput, match=why):
        read_spec(file)
