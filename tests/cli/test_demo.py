"""The demo: three controllers on a congested map, and one page to watch them."""

import json
import re

import pytest

from command import wayfolk
from wayfolk.cli import demo


@pytest.fixture
def in_this_process(monkeypatch):
    """Without processes of its own, which start slowly."""
    monkeypatch.setattr(demo, "spread", map)


def test_demo_json(tmp_path):
    said = wayfolk("demo", "--loops", 2, "--out", tmp_path / "demo.html", "--json")
    assert (said.code, said.err) == (0, "")
    answer = json.loads(said.out)
    assert answer["replay"] == str(tmp_path / "demo.html")
    names = ["LRA*", "Direction maps", "WHCA*"]
    assert [(row["algorithm"], row["status"]) for row in answer["rows"]] == [(name, "solved") for name in names]
    for row in answer["rows"]:
        assert row["agents"] == 100
        assert row["distance"] > 2 * (64 - 2 * 16)  # there and back between the zones
        assert row["time"] >= 2 * row["distance"] / 2
        assert row["expanded"] > 0
        assert 0.5 < row["coherence"] < 1.0
    lra, lanes, whca = answer["rows"]
    assert lra["collisions"] > whca["collisions"]  # what the demo is there to show
    assert lanes["coherence"] > max(lra["coherence"], whca["coherence"])
    assert list(tmp_path.iterdir()) == [tmp_path / "demo.html"]


def test_the_page_needs_nothing_else(tmp_path, in_this_process):
    wayfolk("demo", "--loops", 1, "--agents", 4, "--out", tmp_path / "demo.html")
    page = (tmp_path / "demo.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    assert not re.findall(r"https?://|@import", page)
    sources = re.findall(r"""\s(?:src|href)=["']?([^"'\s>]+)""", page)
    assert all(source.startswith(("data:", "#")) for source in sources)
    assert page.count('"LRA*"') == page.count('"Direction maps"') == page.count('"WHCA*"') == 1
    assert [len(series.split(",")) for series in re.findall(r'"coherence":\[([^]]*)\]', page)] == [200] * 3
    assert "4 agents patrol" in page


def test_the_table(tmp_path, monkeypatch, in_this_process):
    monkeypatch.setenv("COLUMNS", "80")
    said = wayfolk("demo", "--loops", 1, "--agents", 4, "--out", tmp_path / "demo.html")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert max(map(len, [*lines[:-2], lines[-1]])) <= 80
    assert re.search(r"algorithm\W+status\W+time\W+distance\W+collisions\W+coherence\W+seconds", said.out)
    rows = re.findall(r"(\w[\w *]*?) +│? *solved((?:\W+[\d.,]+){5})", said.out)
    assert [name for name, _ in rows] == ["LRA*", "Direction maps", "WHCA*"]
    assert (
        lines[-2] == f"open {tmp_path / 'demo.html'} in a browser to watch them, or change the world while they walk:"
    )
    assert lines[-1] == "wayfolk play jansen-c --agents 4 --with lra --with direction_map --with whca"


def test_a_seed_is_a_demo(tmp_path, in_this_process):
    def rows(seed):
        said = wayfolk("demo", "--loops", 1, "--agents", 4, "--seed", seed, "--out", tmp_path / "a.html", "--json")
        return [{k: v for k, v in row.items() if k != "seconds"} for row in json.loads(said.out)["rows"]]

    assert rows(1) == rows(1)
    assert rows(1) != rows(2)


def test_a_jam_is_told(tmp_path, monkeypatch, in_this_process):
    monkeypatch.setattr(demo, "LONGEST", 5.0)
    said = wayfolk("demo", "--loops", 1, "--agents", 4, "--out", tmp_path / "demo.html", "--json")
    assert said.code == 1
    assert {row["status"] for row in json.loads(said.out)["rows"]} == {"out_of_budget"}
    assert (tmp_path / "demo.html").exists()


def test_compiling_is_not_measured(tmp_path, monkeypatch, in_this_process):
    warmed = []
    monkeypatch.setattr(demo, "warm_one", warmed.append)
    wayfolk("demo", "--loops", 1, "--agents", 4, "--out", tmp_path / "demo.html")
    assert warmed == list(demo.CONTROLLERS)
