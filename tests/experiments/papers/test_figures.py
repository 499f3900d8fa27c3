"""Figures of living papers: what they show, what they say when they cannot be drawn, and that they come out the same."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import wayfolk
from wayfolk.errors import BadInput
from wayfolk.experiments.papers import reproduce as reproducing
from wayfolk.experiments.papers.arun import tables as arun
from wayfolk.experiments.papers.bmaa import tables as bmaa
from wayfolk.experiments.papers.claims import Measured
from wayfolk.experiments.papers.drawing import as_text, style
from wayfolk.experiments.papers.jansen import tables as jansen
from wayfolk.experiments.papers.sdp import tables as sdp
from wayfolk.experiments.papers.tables import PAPERS, PrintedTable, Row, Scale, module, printed
from wayfolk.experiments.papers.vermette import tables as vermette
from wayfolk.experiments.sweeps.store import Store

pytest.importorskip("matplotlib")
BOOKS = (arun, vermette, jansen, bmaa, sdp)
ALL = [(book, figure) for book in BOOKS for figure in book.FIGURES]
NAMES = [f"{book.__name__.rsplit('.')[-1]} {figure.id}" for book, figure in ALL]


def made_up(book: Any = None) -> dict[str, list[Row]]:
    """Rows as the tables of a book would have them; without one, those of Arun and Vermette."""
    if book is jansen:
        return coherence()
    if book is sdp:
        return {f"{k}a": printed(f"sdp-{k}a") for k in range(1, 5)}
    if book is bmaa:
        curves, budgets = (next(table for table in bmaa.TABLES if table.id == name).rows for name in ("fig2", "budget"))
        walked = {"completion_rate_pct": 60.0, "completion_rate_pct_error": 2.0, "all_travel_distance": 300.0}
        return {
            "fig2": [row | {"completion_rate_pct": 100 - row["agents"] / 40} for row in curves],
            "budget": [row | walked for row in budgets],
        }
    nodes = [float((7 * k) % 390 + 1) for k in range(60)]
    searches = [
        {"algorithm": name, "nodes": [*nodes, 1392.0], "times": [1e-6 * (30 + number) for number in nodes]}
        for name in arun.NAMES
    ]
    costs = [50.0 + (37 * k) % 450 for k in range(200)]
    errors = [{"grid": grid, "costs": costs, "errors": [cost - 50 for cost in costs]} for grid in vermette.MOVES]
    travel = [
        row | {"exp_per_move": 8 + row["R"] / 100 + row["ns_pct"] / 50, "suboptimality": 1 + 10 / row["R"]}
        for row in vermette.SETTINGS
    ]
    parts = {algorithm: [row for row in travel if row["algorithm"] == algorithm] for algorithm in ("SS", "TBA*")}
    walks = {"4.2": parts["TBA*"], "4.3": parts["SS"], "4.4": printed("vermette-4.4"), "4.6": printed("vermette-4.6")}
    nodes = [row | {"mean_nodes_expanded_per_400_error": 3.0} for row in printed("arun-nodes")]
    crowd = [
        {"algorithm": name, "agents": agents, "execution_time": 1e-5 * agents, "crowd_seconds": 2e-5 * agents}
        for name in ("A*", "Dijkstra", "Theta*")
        for agents in (5, 100, 10_000)
    ]
    return {
        "searches": searches, "times": printed("arun-times"), "crowd": crowd, "fig4.5": errors, "fig4.12": travel,
        "nodes": nodes, "nodes-fifo": nodes, **walks, **{f"{table}-text": rows for table, rows in walks.items()},
    }  # fmt: skip


def coherence() -> dict[str, list[Row]]:
    """A curve for each setting of the thesis, none like another, and its tables as printed."""
    tables = {table.id: table.rows for table in jansen.TABLES if table.id.startswith("4.")}
    return tables | {
        table.id: [row | {"curve": [0.7 + k / 600 + n / 1000 for k in range(60)]} for n, row in enumerate(table.rows)]
        for table in jansen.TABLES
        if table.id.startswith("fig")
    }


def drawn(book: Any, figure: str, rows: dict[str, list[Row]], folder: Path) -> tuple[dict[str, Any], str]:
    """What became of a figure, and the text of its file."""
    (chosen,) = (one for one in book.FIGURES if one.id == figure)
    drawing = reproducing._drawn(chosen, Measured(rows), folder / "figure.svg")
    return drawing, Path(drawing["file"]).read_text(encoding="utf-8") if drawing["file"] else ""


def axes_of(book: Any, figure: str, rows: dict[str, list[Row]]) -> list[Any]:
    (chosen,) = (one for one in book.FIGURES if one.id == figure)
    with style():
        return list(chosen.draw(Measured(rows)).axes)


def words(svg: str) -> list[str]:
    return [re.sub(r"\s+", " ", word).strip() for word in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_the_figures_that_papers_have() -> None:
    assert [figure.id for figure in arun.FIGURES] == [
        "printed", "6.1", "6.2", "6.3", "6.4", "nodes", "seconds", "times", "crowd",
    ]  # fmt: skip
    assert [figure.id for figure in vermette.FIGURES] == ["agreement", "4.4", "4.5", "4.6", "4.7", "4.12"]
    assert [figure.id for figure in bmaa.FIGURES] == ["budget", "2"], "3 to 5 are scenes"
    coherent = [figure.id for figure in jansen.FIGURES if not figure.id.startswith("T")]
    assert coherent == [f"4.{k}" for k in (*range(6, 13), 14, 15, *range(17, 21))], "4.13 and 4.16 show maps"
    for paper in PAPERS:
        tables = {table.id for table in module(paper).TABLES}
        assert all(set(figure.tables) <= tables for figure in getattr(module(paper), "FIGURES", []))


@pytest.mark.parametrize(("book", "figure"), ALL, ids=NAMES)
def test_a_figure_comes_out_the_same_and_no_words_of_it_are_markup(book: Any, figure: Any, tmp_path: Path) -> None:
    first, text = drawn(book, figure.id, made_up(book), tmp_path)
    again, same = drawn(book, figure.id, made_up(book), tmp_path)
    assert first == again == {"figure": figure.id, "title": figure.title, "file": first["file"], "why": ""}
    assert text == same
    assert "<dc:date>" not in text
    assert f"<dc:title>{figure.title}</dc:title>" in text
    assert words(text)
    assert not [word for word in words(text) if "$" in word or "\\" in word]


@pytest.mark.parametrize(("book", "figure"), ALL, ids=NAMES)
def test_a_figure_without_its_tables_says_so(book: Any, figure: Any, tmp_path: Path) -> None:
    for table in figure.tables:
        drawing, _ = drawn(book, figure.id, made_up(book) | {table: []}, tmp_path)
        assert (drawing["file"], drawing["why"]) == (None, f"not drawn: nothing was measured of {table}")
    assert not list(tmp_path.iterdir())


def test_a_figure_with_half_its_rows_says_which_are_missing(tmp_path: Path) -> None:
    rows = made_up()
    few: dict[str, list[Row]] = {
        "searches": [row for row in rows["searches"] if row["algorithm"] != "Theta*"],
        "fig4.5": rows["fig4.5"][:1],
        "fig4.12": rows["fig4.12"][1:],
        "4.3": [row for row in rows["4.3"] if (row["ns_pct"], row["R"]) != (75, 500)],
    }
    for book, figure, why in [
        (arun, "6.3", "Theta* was not measured"),
        (vermette, "4.4", "there are no cardinal problems"),
        (vermette, "4.5", "not both kinds of moves were measured"),
        (vermette, "4.6", "not all settings with 75 percent salient expansions were measured"),
        (vermette, "4.12", "not all settings with 30 percent salient expansions were measured"),
    ]:
        drawing, _ = drawn(book, figure, rows | few, tmp_path)
        assert (drawing["file"], drawing["why"]) == (None, f"not drawn: {why}")
    assert not list(tmp_path.iterdir())
    assert len(axes_of(arun, "nodes", rows | few)) == 5


def test_bars_hold_every_search() -> None:
    (ax,) = axes_of(arun, "6.4", made_up())
    heights = [bar.get_height() for bar in ax.patches]
    assert sum(heights) == 61
    assert heights[-1] == 1, "the walk of more than 400 nodes"
    for ax in axes_of(arun, "seconds", made_up()):
        assert sum(bar.get_height() for bar in ax.patches) == 60
    for ax in axes_of(vermette, "4.4", made_up()):
        assert sum(bar.get_height() for bar in ax.patches if bar.get_width() == 25) == 200, "the band is wider"


def test_printed_numbers_stand_beside_ours(tmp_path: Path) -> None:
    _, text = drawn(arun, "6.2", made_up(), tmp_path)
    nodes = made_up()["searches"][0]["nodes"]
    assert f"our mean {as_text(sum(nodes) / len(nodes))}" in words(text)
    assert "printed mean 292" in words(text)
    _, text = drawn(vermette, "4.5", made_up(), tmp_path)
    over = sum(error > 400 for error in made_up()["fig4.5"][0]["errors"])
    assert f"error above 400: ours {over} of 200," in words(text)
    assert over > 0


def test_lines_of_travel_are_the_numbers_of_the_tables() -> None:
    rows = made_up()
    ours, theirs = axes_of(vermette, "4.7", rows)
    for ax, salient, rival in (
        (ours, rows["4.3"], rows["4.2"]),
        (theirs, printed("vermette-4.3"), printed("vermette-4.2")),
    ):
        lines = {line.get_label(): [tuple(point) for point in line.get_xydata()] for line in ax.lines}
        assert len(lines) == 4
        for share in (0, 75):
            shown = [row for row in salient if row["ns_pct"] == share and row["strategy"] == "TB"] or rival
            points = [(row["exp_per_move"], row["suboptimality"]) for row in sorted(shown, key=lambda row: row["R"])]
            assert lines[f"Salient Search, {share} %" if share else "TBA*"] == points


def test_every_setting_is_set_beside_its_printed_number() -> None:
    rows = made_up()
    axes = axes_of(vermette, "agreement", rows)
    assert len(axes) == 4
    for ax, table, metric in ((axes[2], "4.4", "mean_backward_steps"), (axes[3], "4.6", "mean_direction_changes")):
        ratios = [ratio for line in ax.lines if len(line.get_ydata()) == 35 for ratio in line.get_ydata()]
        assert len(ratios) == 2 * 3 * 35, f"points and ends of intervals in both readings of {table}"
        assert set(ratios) == {1.0}, metric
    few = rows | {"4.4-text": rows["4.4-text"][1:]}
    chosen = next(figure for figure in vermette.FIGURES if figure.id == "agreement")
    assert chosen.draw(Measured(few)) == "not all settings of 4.4-text were measured"


def test_lines_of_coherence_are_the_curves_of_their_settings(tmp_path: Path) -> None:
    rows = coherence()
    for figure in (figure for figure in jansen.FIGURES if not figure.id.startswith("T")):
        (table,) = figure.tables
        curves = [row["curve"] for row in rows[table]]
        drawn_lines = [list(line.get_ydata()) for ax in axes_of(jansen, figure.id, rows) for line in ax.lines]
        assert len(drawn_lines) == {"4.8": 8, "4.10": 3}.get(figure.id, 4)
        assert all(line in curves for line in drawn_lines)
        assert len({tuple(line) for line in drawn_lines}) == len(drawn_lines)
    (ax,) = axes_of(jansen, "4.10", rows)
    by_name = {line.get_label(): list(line.get_ydata()) for line in ax.lines}
    assert by_name == {row["algorithm"]: row["curve"] for row in rows["fig4.10"]}
    assert (ax.lines[0].get_xdata()[0], ax.lines[0].get_xdata()[-1]) == (1 / 60, 1.0)
    few = rows | {"fig4.7": [row for row in rows["fig4.7"] if row["alpha"] != 0.3]}
    drawing, _ = drawn(jansen, "4.7", few, tmp_path)
    assert (drawing["file"], drawing["why"]) == (None, "not drawn: alpha 0.3 was not measured")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arun with a few searches of A* only."""

    def jobs(row: Row, scale: Scale) -> Any:
        return searches.jobs(row, scale)[:3] if row["algorithm"] == "A*" else "not measured: left out"

    searches = next(table for table in arun.TABLES if table.id == "searches")
    others = [table for table in arun.TABLES if table.id == "times"]
    left_out = [replace(table, jobs=lambda row, scale: "not measured: left out") for table in others]
    monkeypatch.setattr(arun, "TABLES", [replace(searches, jobs=jobs), *left_out])


@pytest.mark.usefixtures("small")
def test_the_command_lists_its_files(tmp_path: Path) -> None:
    store, folder = tmp_path / "papers.duckdb", tmp_path / "some" / "figures"
    answer = json.loads(wayfolk("reproduce", "arun", "--store", store, "--figures", folder, "--json").out)
    files = {one["figure"]: one["file"] and Path(one["file"]) for one in answer["figures"]}
    assert files.keys() == {figure.id for figure in arun.FIGURES} - {"printed", "crowd"}, "which rest on other tables"
    assert {name for name, file in files.items() if file} == {"6.1", "nodes", "seconds"}
    assert sorted(file for file in files.values() if file) == sorted(folder.iterdir())
    said = wayfolk("reproduce", "arun", "--store", store, "--figures", folder).out
    assert f"figure 6.1, Nodes expanded by A*: {folder / 'arun-6.1.svg'}" in said
    assert "figure 6.3, Nodes expanded by Theta*: not drawn: Theta* was not measured" in said
    assert "figure times, Execution time by number of agents: not drawn: nothing was measured of times" in said
    assert "figures" not in json.loads(wayfolk("reproduce", "arun", "--store", store, "--json").out)


@pytest.mark.usefixtures("small")
def test_one_table_has_the_figures_that_rest_on_it(tmp_path: Path) -> None:
    with Store(tmp_path / "papers.duckdb") as store:
        result = reproducing.reproduce("arun", "times", store, figures=tmp_path)
        assert [one["figure"] for one in result["figures"]] == ["times"]
        result = reproducing.reproduce("arun", "searches", store, figures=tmp_path)
        assert [one["figure"] for one in result["figures"]] == ["6.1", "6.2", "6.3", "6.4", "nodes", "seconds"]


RUN = {"status": "solved", "n": 1.0}


def test_a_paper_without_figures_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bmaa = module("bmaa")
    one = PrintedTable("one", "One", "", {"n": "n"}, lambda row, scale: [], [{"n": 1}], make=lambda row, scale: [RUN])
    monkeypatch.setattr(bmaa, "TABLES", [one])
    monkeypatch.setattr(bmaa, "FIGURES", [], raising=False)
    said = wayfolk("reproduce", "bmaa", "--store", tmp_path / "papers.duckdb", "--figures", tmp_path)
    assert "no figure of the paper uses this table" in said.out


@pytest.mark.usefixtures("small")
def test_a_folder_that_cannot_be_is_told_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Store(tmp_path / "papers.duckdb") as store:
        with pytest.raises(BadInput, match=r"figures cannot be written to .*file"):
            reproducing.reproduce("arun", None, store, figures=tmp_path / "file")
        assert not store.rows("SELECT key FROM runs")
