"""Reports of small stores made by hand: what is on the page, and that its numbers are those of the rows."""

from __future__ import annotations

import math
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
from wayfolk.experiments.reports import drawing, figures, load, report
from wayfolk.experiments.reports.report import write_report
from wayfolk.experiments.sweeps.job import Job
from wayfolk.experiments.sweeps.store import Store
from wayfolk.experiments.sweeps.tables import PROBLEMS

Entry = tuple[Job, dict[str, Any]]
NASTY = '<script>alert("1")</script> & $x_1$'
EMPTY_TAGS = {"meta", "path", "use", "rect", "br"}


def plan(
    map_name: str = "rooms", agents: int = 20, seed: int = 0, algorithm: str = "whca", options: Any = None, **row: Any
) -> Entry:
    job = Job(
        {"make": "rooms", "name": map_name, "width": 9}, {"kind": "random", "agents": agents}, algorithm,
        options or {}, seed, limits={"seconds": 5},
    )  # fmt: skip
    values = {
        "status": "solved",
        "seconds": 0.5,
        "expanded": 100.0,
        "collisions": 0.0,
        "faults": 0,
        "wall_seconds": 1.0,
    }
    values |= {"sum_of_costs": 120, "lower_bound": 100, "makespan": 30, "completion_rate": 1.0, "n_agents": agents}
    return job, values | {"agents": [], "loops": []} | row


def patrol(agents: int = 20, seed: int = 0, algorithm: str = "lra", kind: str = "patrol", **row: Any) -> Entry:
    problem = {"kind": kind, "agents": agents} | ({"loops": 3} if kind == "patrol" else {})
    job = Job(
        {"make": "paper", "name": "jansen-c"}, problem, algorithm, {}, seed, limits={"until": 99}, model="distance"
    )
    values = {"status": "solved", "seconds": 0.2, "expanded": 10.0, "collisions": 1.0 + seed, "distance": 50.0}
    values |= {"replans": 2.0, "throughput": 0.5 + seed, "simulation_time": 70.0, "faults": 0, "wall_seconds": 1.0}
    loops = [
        {"loop": k, "expanded": 10.0 - k, "distance": 50.0, "collisions": 3.0 - k, "replans": 1.0} for k in range(3)
    ]
    return job, values | {"agents": [], "loops": loops} | row


def paths(count: int = 10, seed: int = 0, algorithm: str = "jps", **row: Any) -> Entry:
    job = Job({"make": "maze", "width": 9, "height": 9}, {"kind": "pairs", "count": count}, algorithm, {}, seed)
    values = {"status": "solved", "queries": count, "solved": count, "wrong_cost": 0, "seconds": 0.001 * (1 + seed)}
    return job, values | {"expanded": 40.0, "wall_seconds": 0.1, "agents": [], "loops": []} | row


PLANS = [
    plan(
        "rooms", agents, seed, "whca", {"window": window}, seconds=0.1 * agents + seed, sum_of_costs=110 + agents + seed
    )
    for agents in (20, 60)
    for seed in range(4)
    for window in (8, 16)
]


def store_of(
    folder: Path,
    entries: Sequence[Entry],
    name: str = "runs.duckdb",
    commit: str = "abc123",
    specs: Sequence[tuple[str, str]] = (),
) -> Path:
    file = folder / name
    with Store(file) as store:
        store.add(entries, store.provenance({"commit": commit, "processor": "Z80 & co"}))
        for spec in specs:
            store.keep_spec(*spec)
    return file


def page_of(folder: Path, entries: Sequence[Entry], **more: Any) -> str:
    out = folder / "page.html"
    write_report(store_of(folder, entries, **more), out)
    return out.read_text(encoding="utf-8")


def figure_names(page: str) -> list[str]:
    return re.findall(r'<figure id="([\w-]+)">', page)


def figure(page: str, name: str) -> str:
    match = re.search(rf'<figure id="{name}">(.*?)</figure>', page, re.DOTALL)
    assert match is not None, name
    return match[1]


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
        attributes = dict(attrs)
        self.links += [str(attributes[name]) for name in ("href", "src") if name in attributes]
        assert not [name for name in attributes if name.startswith("on")]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append(("", []))
        elif tag == "data":
            self.tables[-1][-1][-1][1].append(float(str(attributes["value"])))
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
        if "tr" in self.open and self.open[-1] in ("td", "th", "data", "code"):
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
    entries += [
        patrol(agents, seed, "pibt", "tasks", status="running", loops=[]) for agents in (20, 40) for seed in (0, 1)
    ]
    entries += [paths(10, seed) for seed in range(3)]
    return page_of(tmp_path_factory.mktemp("rich"), entries, specs=[("all & more", 'name = "all & more"')])


def test_the_page_needs_nothing_but_itself(rich: str) -> None:
    assert "http" not in rich
    assert "url(" not in re.sub(r"url\(#\w+\)", "", rich)
    assert "@import" not in rich
    reader = Reader(rich)
    assert not reader.tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert all(link.startswith("#") for link in reader.links)


def test_the_page_is_well_formed_and_its_links_lead_somewhere(rich: str) -> None:
    reader = Reader(rich)
    assert reader.open == []
    ids = re.findall(r'<(?:h\d|figure) id="([\w-]+)"', rich)
    assert len(set(ids)) == len(ids)
    links = re.findall(r'<a href="#([\w-]+)"', rich)
    assert links == ["summary", "plans", "simulations", "paths", "settings", "provenance", "again"]
    assert set(links) <= set(ids)


def test_every_figure_is_there_when_its_data_are(rich: str) -> None:
    assert figure_names(rich) == [
        "plans-ratio", "plans-seconds", "plans-success", "plans-cactus", "plans-boxes",
        "simulations-collisions", "simulations-distance", "simulations-expanded", "simulations-seconds",
        "simulations-throughput", "simulations-success", "simulations-boxes",
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
    assert figure_names(page) == ["plans-seconds", "plans-success"]


def test_a_run_without_loops_makes_no_loop_curves(tmp_path: Path) -> None:
    page = page_of(tmp_path, [patrol(seed=seed, loops=[], collisions=0.0) for seed in range(3)])
    assert figure_names(page) == ["simulations-boxes"]
    assert "collisions" not in figure(page, "simulations-boxes")


def test_failures_alone_still_make_a_page(tmp_path: Path) -> None:
    entry = plan()[0], {"status": "crashed", "detail": "crashed 3 workers", "agents": [], "loops": []}
    page = page_of(tmp_path, [entry])
    assert figure_names(page) == []
    assert "crashed 3 workers" in page


def test_the_table_has_the_means_of_the_rows(rich: str) -> None:
    rows = Reader(rich).rows("map", "agents", "options", "cost ratio")
    assert len(rows) == 4
    for row in rows:
        agents, options = int(row["agents"][0]), row["options"][0]
        own = [
            values
            for job, values in PLANS
            if values["n_agents"] == agents and f"window={job.options['window']}" == options
        ]
        assert len(own) == int(row["runs"][0]) == 4
        for head, column in (("seconds", "seconds"), ("expanded cells", "expanded"), ("makespan", "makespan")):
            assert row[head][1][0] == pytest.approx(fmean(values[column] for values in own))
        ratios = [values["sum_of_costs"] / values["lower_bound"] for values in own]
        assert row["cost ratio"][1][0] == pytest.approx(fmean(ratios))
        assert min(ratios) <= row["cost ratio"][1][1] < row["cost ratio"][1][2] <= max(ratios)


def test_intervals_hold_their_means(rich: str) -> None:
    cells = [numbers for table in Reader(rich).tables for row in table for _, numbers in row if len(numbers) == 3]
    assert len(cells) > 50
    assert all(low <= middle <= high for middle, low, high in cells)


def test_measures_of_plans_are_over_solved_runs_and_success_is_wilsons(tmp_path: Path) -> None:
    lost = {"status": "partial", "sum_of_costs": 900, "makespan": 400, "seconds": 2.5}
    page = page_of(tmp_path, [*(plan(seed=seed) for seed in range(4)), plan(seed=4, **lost)])
    (row,) = Reader(page).rows("map", "cost ratio")
    assert row["cost ratio"][1] == [1.2, 1.2, 1.2]
    assert row["makespan"][1][0] == 30.0
    assert row["seconds"][1][0] == pytest.approx((4 * 0.5 + 2.5) / 5)
    share, n, z = 4 / 5, 5, 1.959964
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    wilson = [share, (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)]
    assert row["solved"][1] == pytest.approx(wilson, abs=1e-6)
    assert "n = 4" in page


def test_a_plan_with_faults_is_not_solved_and_is_shown(tmp_path: Path) -> None:
    page = page_of(tmp_path, [plan(seed=0), plan(seed=1, faults=3)])
    (row,) = Reader(page).rows("map", "cost ratio")
    assert row["solved"][1][0] == 0.5
    assert '<div class="alarm"><dt>with faults</dt><dd>1</dd></div>' in page


def test_tasks_are_neither_solved_nor_unsolved(tmp_path: Path) -> None:
    entries = [
        patrol(agents, seed, "pibt", "tasks", status="running", loops=[]) for agents in (20, 40) for seed in (0, 1)
    ]
    page = page_of(tmp_path, entries)
    assert "simulations-throughput" in figure_names(page)
    assert "simulations-success" not in figure_names(page)
    assert "<dt>solved</dt><dd>-</dd>" in page
    for row in Reader(page).rows("map", "throughput"):
        assert row["solved"][0] == "-"
        assert row["throughput"][1][0] == 1.0


def test_single_paths_tell_the_time_of_a_query_and_wrong_costs(tmp_path: Path) -> None:
    page = page_of(tmp_path, [paths(10, 0), paths(10, 1, solved=5, wrong_cost=2)])
    (row,) = Reader(page).rows("map", "time of a query")
    assert row["time of a query"][1][0] == pytest.approx(150.0)
    assert row["solved"][1][0] == 0.75
    assert '<div class="alarm"><dt>wrong costs</dt><dd>2</dd></div>' in page


def test_the_lines_are_drawn_at_the_means(tmp_path: Path) -> None:
    entries = [patrol(agents, seed, collisions=agents / 10 + seed) for agents in (20, 40, 80) for seed in range(3)]
    svg = figure(page_of(tmp_path, entries), "simulations-collisions")
    right = re.findall(r'<text style="[^"]*text-anchor: end[^"]*" x="[\d.]+" y="([\d.]+)"[^>]*>([\d.]+)</text>', svg)
    (zero, _), (one, step) = right[0], right[1]
    pixels = (float(zero) - float(one)) / float(step)
    heights = [float(y) for y in re.findall(r'<use href="#\w+" x="[\d.]+" y="([\d.]+)" style="fill: #0072b2', svg)]
    markers = [y for y in heights if y < 180.0][:3]
    assert [(markers[0] - y) / pixels for y in markers] == pytest.approx([0.0, 2.0, 6.0], abs=1e-3)


def test_text_from_the_store_stays_text(tmp_path: Path) -> None:
    entries = [
        plan(NASTY, agents, seed, "<b>bold</b>", {"how": "<i>&</i>"}) for agents in (20, 60) for seed in range(3)
    ]
    failed = {"status": "error", "detail": "<img src=x onerror=alert(1)>", "agents": [], "loops": []}
    entries += [plan(NASTY, 20, 9, "<b>bold</b>", {"how": "-->"}, status="<u>"), (plan(NASTY, 20, 10)[0], failed)]
    page = page_of(tmp_path, entries, specs=[("<em>", "</pre><script>alert(2)</script>")])
    reader = Reader(page)
    assert not reader.tags & {"script", "img", "b", "i", "u", "em"}
    assert reader.open == []
    for text in (
        NASTY,
        "<b>bold</b>",
        "how=<i>&</i>",
        "<img src=x onerror=alert(1)>",
        "</pre><script>alert(2)</script>",
    ):
        assert text in reader.text
    assert NASTY[:30] in Reader(figure(page, "plans-seconds")).text  # in a figure too, and not as mathematics


def test_what_failed_is_told_with_its_detail_and_counted_once(tmp_path: Path) -> None:
    entries = [plan(seed=seed) for seed in range(2)]
    for seed, detail in ((5, "agent 7 is lost"), (6, "agent 12 is lost"), (7, "no memory")):
        entries.append((plan(seed=seed)[0], {"status": "error", "detail": detail, "agents": [], "loops": []}))
    entries.append(plan(seed=8, status="gave_up", detail="nothing found"))
    page = page_of(tmp_path, entries)
    rows = Reader(page).rows("detail of one", "its key")
    assert [(row["status"][0], row["runs"][0]) for row in rows] == [("error", "2"), ("error", "1"), ("gave up", "1")]
    assert rows[0]["detail of one"][0] in ("agent 7 is lost", "agent 12 is lost")
    assert '<div class="alarm"><dt>failed</dt><dd>3</dd></div>' in page
    ended = Reader(page).rows("gave up", "error")
    assert [(row["solved"][0], row["gave up"][0], row["error"][0]) for row in ended] == [("2", "1", "3")]


def test_worlds_and_series_are_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    def entry(world: dict[str, Any], problem: dict[str, Any], **options: Any) -> Entry:
        return Job(world, {"agents": 5} | problem, "whca", options), plan()[1]

    kind = {"kind": "random"}
    wide = {"make": "random", "width": 9}
    entries = [
        entry(wide | {"seed": 1}, kind, window=8, same=1),
        entry(wide | {"seed": 2}, kind, window=16, same=1),
        entry({"make": "random", "width": 12, "seed": 2}, kind, window=16, same=1),
        *(
            entry(
                {"file": "/home/me/den.map", "digest": "aa"},
                {"kind": "scen", "file": f"/x/{name}.scen", "digest": name},
            )
            for name in ("den-random-1", "den-random-2", "den-even-1")
        ),
    ]
    page = page_of(tmp_path, entries)
    rows = Reader(page).rows("map", "cost ratio")
    assert [(row["map"][0], row["options"][0], row["runs"][0]) for row in rows] == [
        ("den kind=scen even", "defaults", "1"),
        ("den kind=scen random", "defaults", "2"),
        ("random width=9", "same=1, window=8", "1"),
        ("random width=9", "same=1, window=16", "1"),
        ("random width=12", "same=1, window=16", "1"),
    ]
    assert not re.search("/home|/x/", page)  # whose disk it was is nobody's business
    assert "kind=scen random (2 files)" in page


def test_many_maps_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "MOST_PANELS", 2)
    entries = [plan(f"map {k}", agents, seconds=k + 1.0) for k in range(3) for agents in (20, 60)]
    page = page_of(tmp_path, entries)
    assert "all 3 maps together" in figure(page, "plans-seconds")
    assert len(Reader(page).rows("map", "cost ratio")) == 6


def test_two_maps_have_a_panel_each(tmp_path: Path) -> None:
    svg = figure(
        page_of(tmp_path, [plan(f"map {k}", agents) for k in range(2) for agents in (20, 60)]), "plans-seconds"
    )
    assert "map 0" in svg
    assert "map 1" in svg
    assert "together" not in svg


def test_many_settings_are_cut_down_to_those_with_the_most_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "MOST_SERIES", 2)
    monkeypatch.setattr(report, "MOST_ROWS", 4)
    entries = [plan("rooms", agents, 0, "whca", {"window": w}) for agents in (20, 60) for w in (8, 16, 32)]
    entries += [plan("rooms", 20, 1, "whca", {"window": w}) for w in (16, 32)]
    page = page_of(tmp_path, entries)
    seconds = figure(page, "plans-seconds")
    assert "Shown are 2 of 3 settings" in seconds
    assert "window=32" in seconds
    assert "window=8<" not in seconds
    assert len(Reader(page).rows("map", "cost ratio")) == 4
    assert "These are 4 of 6 rows" in page


def test_the_same_store_makes_the_same_page_in_whatever_order_it_was_filled(tmp_path: Path) -> None:
    entries = [plan("rooms", agents, seed) for agents in (20, 60) for seed in range(3)] + [patrol()]
    pages = []
    for k, order in enumerate((entries, entries, entries[::-1])):
        folder = tmp_path / str(k)
        folder.mkdir()
        pages.append(page_of(folder, order))
    assert pages[0] == pages[1] == pages[2]


def test_a_report_says_how_to_make_it_again(tmp_path: Path) -> None:
    file = store_of(tmp_path, [plan()], "my runs.duckdb")
    out = tmp_path / "it's.html"
    write_report(file, out)
    reader = Reader(out.read_text(encoding="utf-8"))
    assert "git checkout abc123\nwayfolk sweep SPEC.toml --store 'my runs.duckdb'\n" in reader.text
    assert reader.rows("runs", "commit")[0] == {
        "runs": ("1", []), "commit": ("abc123", []), "processor": ("Z80 & co", [])
    }  # fmt: skip


def test_different_circumstances_are_told_and_no_commit_is_named(tmp_path: Path) -> None:
    store_of(tmp_path, [plan(seed=0)], commit="one")
    file = store_of(tmp_path, [plan(seed=1)], commit="other")
    write_report(file, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "times may not compare" in page
    assert "git checkout" not in page


def test_specs_are_shown_as_they_were_written(rich: str, tmp_path: Path) -> None:
    assert "<h3>Spec: all &amp; more</h3><pre>name = &quot;all &amp; more&quot;</pre>" in rich
    assert "Save the spec above" in rich
    without = page_of(tmp_path, [plan()])
    assert "<h3>Spec" not in without
    assert "Save the spec of this sweep (its settings are listed above)" in without
    more = page_of(tmp_path, [plan()], specs=[("b", "old"), ("b", "new"), ("a", "other"), ("b", "new")])
    assert re.findall(r"<h3>Spec: (\w)</h3><pre>(\w+)</pre>", more) == [("a", "other"), ("b", "new"), ("b", "old")]
    assert "Save each of the specs above" in more


def test_what_was_written_is_told(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    written = write_report(
        store_of(tmp_path, [plan("rooms", agents, seed) for agents in (20, 60) for seed in (1, 2)]), out
    )
    assert (written["file"], written["runs"]) == (str(out), 4)
    page = out.read_text(encoding="utf-8")
    assert len(written["figures"]) == page.count("<figure") > 2
    assert all(f'<figure id="{name}">' in page for name in written["figures"])


def test_scaled_maps_of_one_file_are_told_apart(tmp_path: Path) -> None:
    def on(size: int) -> Entry:
        job, row = paths()
        scaled = {"make": "scaled", "file": "/maps/ost.map", "digest": "abcdef1234", "width": size, "height": 9}
        return Job(scaled, job.problem, job.algorithm), row

    reader = Reader(page_of(tmp_path, [on(8), on(16)]))
    assert "ost width=8" in reader.text
    assert "ost width=16" in reader.text


def test_an_empty_store_is_a_mistake_with_a_sentence(tmp_path: Path) -> None:
    file = store_of(tmp_path, [])
    with pytest.raises(BadInput, match=r"runs\.duckdb holds no runs"):
        write_report(file, tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_a_store_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="there is no store"):
        write_report(tmp_path / "none.duckdb", tmp_path / "page.html")


def test_a_page_that_cannot_be_written_is_a_mistake(tmp_path: Path) -> None:
    file = store_of(tmp_path, [plan()])
    with pytest.raises(BadInput, match="cannot be written"):
        write_report(file, tmp_path / "nowhere" / "page.html")


def test_the_old_page_is_replaced_at_once(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("old")
    page_of(tmp_path, [plan()])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "runs.duckdb"]
    assert "old" not in (tmp_path / "page.html").read_text(encoding="utf-8")[:15]


def test_every_kind_of_problem_has_a_place_on_the_page() -> None:
    assert load.KINDS.keys() == PROBLEMS.keys()


def test_the_looks_of_series_differ_in_more_than_colour() -> None:
    looks = [tuple(drawing._look(k).values()) for k in range(figures.MOST_SERIES)]
    assert len(set(looks)) == len(looks)
    same_colour = [k for k in range(figures.MOST_SERIES) if looks[k][0] == looks[0][0]]
    assert len({looks[k][1] for k in same_colour}) == len({looks[k][2] for k in same_colour}) == len(same_colour)
