"""Reports of small stores made by hand: what is on the page, and that its numbers are those of the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("matplotlib")

from wayfolk.errors import BadInput, Missing
from wayfolk.experiments import figures, report, spec
from wayfolk.experiments.cell import Cell
from wayfolk.experiments.report import write_report
from wayfolk.experiments.store import Store

Entry = tuple[Cell, dict[str, Any]]
NASTY = '<script>alert("1")</script> & $x_1$'
EMPTY_TAGS = {"meta", "path", "use", "rect", "br"}


def plan(
    map_name: str = "rooms", agents: int = 20, seed: int = 0, algorithm: str = "whca", options: Any = None, **row: Any
) -> Entry:
    cell = Cell(
        {"make": "rooms", "name": map_name, "width": 9}, {"kind": "random", "agents": agents}, algorithm,
        options or {}, seed, limits={"seconds": 5},
    )  # fmt: skip
    told = {"status": "solved", "seconds": 0.5, "expanded": 100.0, "collisions": 0.0, "faults": 0, "wall_seconds": 1.0}
    told |= {"sum_of_costs": 120, "lower_bound": 100, "makespan": 30, "completion_rate": 1.0, "n_agents": agents}
    return cell, told | {"agents": [], "loops": []} | row


def patrol(agents: int = 20, seed: int = 0, algorithm: str = "lra", kind: str = "patrol", **row: Any) -> Entry:
    problem = {"kind": kind, "agents": agents} | ({"loops": 3} if kind == "patrol" else {})
    cell = Cell({"make": "thesis", "letter": "c"}, problem, algorithm, {}, seed, limits={"until": 99}, model="distance")
    told = {"status": "solved", "seconds": 0.2, "expanded": 10.0, "collisions": 1.0 + seed, "distance": 50.0}
    told |= {"replans": 2.0, "throughput": 0.5 + seed, "simulation_time": 70.0, "faults": 0, "wall_seconds": 1.0}
    loops = [{"loop": k, "expanded": 10.0 - k, "distance": 50.0, "collisions": 3.0 - k, "replans": 1.0} for k in range(3)]
    return cell, told | {"agents": [], "loops": loops} | row


def paths(count: int = 10, seed: int = 0, algorithm: str = "jps", **row: Any) -> Entry:
    cell = Cell({"make": "maze", "width": 9, "height": 9}, {"kind": "pairs", "count": count}, algorithm, {}, seed)
    told = {"status": "solved", "queries": count, "solved": count, "wrong_cost": 0, "seconds": 0.001 * (1 + seed)}
    return cell, told | {"expanded": 40.0, "wall_seconds": 0.1, "agents": [], "loops": []} | row


PLANS = [
    plan("rooms", agents, seed, "whca", {"window": window}, seconds=0.1 * agents + seed, sum_of_costs=110 + agents + seed)
    for agents in (20, 60)
    for seed in range(4)
    for window in (8, 16)
]


def store_of(folder: Path, entries: Sequence[Entry], name: str = "runs.duckdb", commit: str = "abc123") -> Path:
    file = folder / name
    with Store(file) as store:
        store.add(entries, store.provenance({"commit": commit, "processor": "Z80 & co"}))
    return file


def page_of(folder: Path, entries: Sequence[Entry], **more: Any) -> str:
    out = folder / "page.html"
    write_report(store_of(folder, entries), out, **more)
    return out.read_text(encoding="utf-8")


def figure_names(page: str) -> list[str]:
    return re.findall(r'<figure id="([\w-]+)">', page)


def figure(page: str, name: str) -> str:
    found = re.search(rf'<figure id="{name}">(.*?)</figure>', page, re.DOTALL)
    assert found is not None, name
    return found[1]


class Reader(HTMLParser):
    """Reads tables as lists of cells, a cell being its text and its numbers; notes tags and whether they are closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[tuple[str, list[float]]]]] = []
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        told = dict(attrs)
        self.links += [str(told[name]) for name in ("href", "src") if name in told]
        assert not [name for name in told if name.startswith("on")]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append(("", []))
        elif tag == "data":
            self.tables[-1][-1][-1][1].append(float(str(told["value"])))
        if tag not in EMPTY_TAGS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY_TAGS:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY_TAGS:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] in ("td", "th", "data", "code"):
            text, numbers = self.tables[-1][-1][-1]
            self.tables[-1][-1][-1] = text + data, numbers

    def rows(self, *heads: str) -> list[dict[str, tuple[str, list[float]]]]:
        """The table that has these heads, a row as a dictionary."""
        for table in self.tables:
            names = [text for text, _ in table[0]]
            if set(heads) <= set(names):
                return [dict(zip(names, row, strict=True)) for row in table[1:]]
        raise AssertionError(f"no table has {heads}")


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with everything on it."""
    entries = [*PLANS, *(patrol(agents, seed) for agents in (20, 40) for seed in range(3))]
    entries += [patrol(agents, seed, "pibt", "tasks", status="running", loops=[]) for agents in (20, 40) for seed in (0, 1)]
    entries += [paths(10, seed) for seed in range(3)]
    return page_of(tmp_path_factory.mktemp("rich"), entries, spec_text='name = "all & more"')


def test_the_page_needs_nothing_but_itself(rich: str) -> None:
    assert "http" not in rich
    assert "url(" not in re.sub(r"url\(#\w+\)", "", rich)
    assert "@import" not in rich
    found = Reader(rich)
    assert not found.tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert all(link.startswith("#") for link in found.links)


def test_the_page_is_well_formed_and_its_links_lead_somewhere(rich: str) -> None:
    found = Reader(rich)
    assert found.open == []
    ids = re.findall(r'<(?:h\d|figure) id="([\w-]+)"', rich)
    assert len(set(ids)) == len(ids)
    links = re.findall(r'<a href="#([\w-]+)"', rich)
    assert links == ["summary", "plans", "simulations", "paths", "settings", "provenance", "again"]
    assert set(links) <= set(ids)


def test_every_figure_is_there_when_its_data_are(rich: str) -> None:
    assert figure_names(rich) == [
        "plans-ratio", "plans-seconds", "plans-hits", "plans-cactus", "plans-boxes",
        "simulations-collisions", "simulations-distance", "simulations-expanded", "simulations-seconds",
        "simulations-throughput", "simulations-hits", "simulations-boxes",
        "simulations-loops-collisions", "simulations-loops-distance", "simulations-loops-expanded",
        "paths-boxes",
    ]  # fmt: skip
    assert all("<svg" in figure(rich, name) for name in figure_names(rich))


def test_one_number_of_agents_makes_no_lines(tmp_path: Path) -> None:
    page = page_of(tmp_path, [plan(seed=seed) for seed in range(3)])
    assert figure_names(page) == ["plans-cactus", "plans-boxes"]


def test_nothing_solved_makes_no_cactus_and_no_cost(tmp_path: Path) -> None:
    lost = {"status": "gave_up", "sum_of_costs": None, "makespan": None}
    page = page_of(tmp_path, [plan(agents=agents, **lost) for agents in (20, 60)])
    assert figure_names(page) == ["plans-seconds", "plans-hits"]


def test_a_run_without_loops_makes_no_loop_curves(tmp_path: Path) -> None:
    page = page_of(tmp_path, [patrol(seed=seed, loops=[], collisions=0.0) for seed in range(3)])
    assert figure_names(page) == ["simulations-boxes"]
    assert "collisions" not in figure(page, "simulations-boxes")


def test_failures_alone_still_make_a_page(tmp_path: Path) -> None:
    entry = plan()[0], {"status": "crashed", "detail": "took 3 workers with it", "agents": [], "loops": []}
    page = page_of(tmp_path, [entry])
    assert figure_names(page) == []
    assert "took 3 workers with it" in page


def test_the_table_has_the_means_of_the_rows(rich: str) -> None:
    rows = Reader(rich).rows("map", "cost ratiosum of costs / lower bound, solved runs"[:10] or "cost")
    assert rows
