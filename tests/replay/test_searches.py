"""The replay of a search in a browser: what the page knows at a time is what the rows say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import wayfolk
from replay.pages import embedded, ready, until
from wayfolk.algorithms.paths import find_path
from wayfolk.algorithms.watching import watch_path
from wayfolk.errors import BadInput, NotSupported
from wayfolk.problem import trace as kinds
from wayfolk.replay import replay_html, search_page, tracks_of_searches
from wayfolk.replay.page import Page, in_notebook
from wayfolk.world.generate import maze, rooms
from wayfolk.world.grid import Grid

STATES = {kinds.OPENED: 1, kinds.CLOSED: 2, kinds.FORGOTTEN: 0, kinds.OPENED_BACK: 3, kinds.CLOSED_BACK: 4}


def a_map() -> Grid:
    return rooms(24, 20, 6, seed=1)


def states_at(trace: Any, t: float) -> list[int]:
    state = np.zeros(trace.grid.n_cells, np.uint8)
    for row in trace.rows[trace.rows["time"] <= t]:
        if row["kind"] in STATES:
            state[row["cell"]] = STATES[int(row["kind"])]
    return state.reshape(-1, trace.grid.stride)[1:-1, 1:-1].ravel().tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["astar", "jps", "bidirectional", "lrta", "ida"])
def test_the_page_knows_what_the_search_knew(visit: Callable[..., Any], name: str) -> None:
    grid = a_map()
    trace = watch_path(grid, (1, 1), (22, 18), name, **({"steps": 150} if name == "lrta" else {"expansions": 600}))
    page = ready(visit(tracks_of_searches([trace])))
    for t in (trace.end, 3.0, 0.0, trace.end / 2, trace.end + 100):
        told = page.evaluate(f"wayfolk.searchAt(0, {t})")
        assert told["state"] == states_at(trace, t)
        until_t = trace.rows[trace.rows["time"] <= t]
        assert told["expanded"] == np.isin(until_t["kind"], (kinds.CLOSED, kinds.CLOSED_BACK)).sum()


def test_two_searches_run_in_lock_step(visit: Callable[..., Any]) -> None:
    grid = a_map()
    traces = [watch_path(grid, (1, 1), (22, 18), name) for name in ("astar", "jps")]
    page = ready(visit(tracks_of_searches(traces), "A* and JPS"))
    assert page.evaluate("wayfolk.panels") == 2
    page.evaluate("wayfolk.seek(4)")
    assert [page.evaluate(f"wayfolk.searchAt({panel}, 4).expanded") for panel in (0, 1)] == [4, 4]
    assert page.locator(".panel h2").all_text_contents() == ["A*", "Jump point search"]
    page.keyboard.press("ArrowRight")
    until(page, "wayfolk.now() === 5")
    page.keyboard.press("c")
    assert page.evaluate("wayfolk.isShown('cells')") is False
    assert page.locator("[data-show=learned]").is_hidden()
    assert page.locator("[data-show=lanes]").is_hidden()
    assert page.locator("[data-show=scans]").is_visible()


def test_g_h_and_f_are_under_the_pointer(visit: Callable[..., Any]) -> None:
    grid = a_map()
    trace = watch_path(grid, (1, 1), (22, 18), "astar")
    page = ready(visit(tracks_of_searches([trace])))
    page.evaluate(f"wayfolk.seek({trace.end})")
    row = trace.of(kinds.CLOSED)[5]
    opened = next(each for each in trace.of(kinds.OPENED) if each["cell"] == row["cell"])
    x, y = grid.place(int(row["cell"]))
    box = page.locator(".stage canvas").bounding_box()
    cell = (
        box["width"] / grid.width
        if box["width"] / box["height"] < grid.width / grid.height
        else box["height"] / grid.height
    )
    left = box["x"] + (box["width"] - cell * grid.width) / 2
    top = box["y"] + (box["height"] - cell * grid.height) / 2
    page.mouse.move(left + (x + 0.5) * cell, top + (y + 0.5) * cell)
    until(page, f"document.querySelector('.followed').textContent.includes('({x}, {y})')")
    words = page.locator(".followed span").all_text_contents()
    assert words[1:3] == ["closed", "expanded as number 6"]
    assert f"g {opened['g']:.2f}" in words
    assert f"f {opened['g'] + opened['h']:.2f}" in words


def test_the_path_grows_when_the_search_has_ended(visit: Callable[..., Any]) -> None:
    trace = watch_path(a_map(), (1, 1), (22, 18), "astar")
    (panel,) = embedded(replay_html(tracks_of_searches([trace]), "t"))
    assert panel["search"]["path"] == [list(map(float, place)) for place in trace.result.path or []]
    assert panel["end"] > panel["search"]["end"] == trace.end
    assert panel["agents"] == 0


def test_a_walk_is_shown_with_its_agent(visit: Callable[..., Any]) -> None:
    grid = maze(15, 15, seed=1)
    trace = watch_path(grid, (1, 1), (13, 13), "lrta", steps=100)
    page = ready(visit(tracks_of_searches([trace])))
    place = page.evaluate("wayfolk.positionsAt(0, 11)")[0]
    assert tuple(place) == grid.place(int(trace.walk[10]))
    assert page.locator("[data-show=learned]").is_visible()


def test_a_result_shows_its_search_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = find_path(a_map(), (1, 1), (22, 18), "astar", weight=1.5)
    page = result.show("jps") if not in_notebook() else None
    assert isinstance(page, Page)
    assert [track.title for track in page.tracks] == ["A*", "Jump point search"]
    assert len(opened) == 1
    assert opened[0].startswith("file:")
    trace = result.show().tracks[0].trace
    assert trace is not None
    assert trace.result.options["weight"] == 1.5
    assert trace.result.expanded == result.expanded
    page.save(tmp_path / "page.html")
    assert "Wayfolk replay" in (tmp_path / "page.html").read_text()
    assert page._repr_html_().startswith("<iframe")


def test_results_without_a_search_say_so() -> None:
    result = find_path(a_map(), (1, 1), (22, 18))
    result.query = None
    with pytest.raises(NotSupported, match="nothing to show"):
        result.show()


def test_too_many_searches_are_refused() -> None:
    with pytest.raises(BadInput, match="1 to 4 panels"):
        search_page(a_map(), (1, 1), (22, 18), *["astar"] * 5)


def test_the_command_line_writes_searches_side_by_side(tmp_path: Path) -> None:
    file = tmp_path / "search.html"
    where = ["rooms", "--from", "2,2", "--to", "29,29"]
    done = wayfolk("path", *where, "--with", "astar,jps", "--html", str(file), "--json")
    assert done.code == 0
    assert [panel["title"] for panel in embedded(file.read_text())] == ["A*", "Jump point search"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--scen", "rooms", "--html", "x.html"], "--html shows one query"),
        (["--from", "2,2", "--to", "29,29", "--with", "astar,jsp"], "there is no algorithm 'jsp'"),
        (
            ["--from", "2,2", "--to", "29,29", "--with", "astar,jps", "--opt", "weight=2", "--html", "x.html"],
            "write --opt 1.weight=2 for the first of them",
        ),
        (["--from", "2,2", "--to", "29,29", "--html", "no/folder/x.html"], "there is no folder"),
    ],
)
def test_mistakes_are_one_sentence(arguments: list[str], sentence: str) -> None:
    done = wayfolk("path", "rooms", *arguments)
    assert done.code == 2
    assert sentence in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not Path("x.html").exists()
