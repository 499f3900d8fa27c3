"""Layers of a replay: areas with directions, and marks such as messages."""

from __future__ import annotations

import base64
import gzip
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.pages import a_record, embedded, ready, until
from wayfolk.algorithms.controllers import Controller, View
from wayfolk.errors import BadInput
from wayfolk.kernels.codes import MOVE, NOWHERE
from wayfolk.problem.layers import CellLayer, Layer, LayerKind, MarkLayer
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import one_shot
from wayfolk.problem.record import Record
from wayfolk.replay import Track, replay_html, track_of_plan
from wayfolk.replay.layers import NONE, headings, pack_layers
from wayfolk.simulation.solving import simulate, solve
from wayfolk.world.grid import Grid

EVIL = "</script><img src=x onerror=\"window.hacked=1\"> & 'so'"
KINDS = (LayerKind("room", "mixed", 0.2), LayerKind("lane", "blue", 0.9))
TOLD = (LayerKind("ask", "blue"), LayerKind("refuse", "red", 0.5))
EAST, SOUTH_EAST, SOUTH, WEST = 0, 1, 2, 4


def on_cells(grid: Grid, rows: list[str], values: dict[str, int], walls: int, dtype: type = np.int32) -> Any:
    """The padded array that a drawing of the map stands for."""
    cells = np.full((grid.height + 2, grid.stride), walls, dtype)
    cells[1:-1, 1:-1] = [[values.get(mark, walls) for mark in row] for row in rows]
    return cells.ravel()


def small() -> tuple[Record, CellLayer, MarkLayer]:
    """Two rooms, 0 and 1, and a lane between them, area 2, which leads east; agent 0 walks through it."""
    rows = ["..#...#..", "..#...#..", "..<<<<<..", "..#...#.."]
    grid = Grid(np.array([[mark != "#" for mark in row] for row in rows]))
    area = on_cells(grid, ["00 222 11", "00 222 11", "002222211", "00 222 11"], {"0": 0, "1": 1, "2": 2}, int(NOWHERE))
    kind = (area == 2).astype(np.uint8)
    order = np.where(area == 2, np.arange(grid.n_cells) % grid.stride, 0).astype(np.int32)
    layer = CellLayer("Areas", area, kind, KINDS, order, (("room", 0), ("lane", 2)))
    path = [int(grid.cell((x, 2))) for x in range(9)]
    moves = [(float(step), 0, MOVE, cell) for step, cell in enumerate(path[1:])]
    record = a_record(moves, grid, [path[0], int(grid.cell((8, 0)))], 8.0)
    marks = MarkLayer(
        "Messages",
        np.array([3.0, 0.0, 0.0, 5.0]),
        np.array([0, 0, 1, 0], np.int32),
        np.array([1, 0, 1, 0], np.uint8),
        np.array([path[7], path[2], NOWHERE, path[7]], np.int32),
        TOLD,
        np.array([1, 0, 2, 2], np.int32),
        np.array([2, 2, 1, 1], np.int32),
        (("room", 0), ("lane", 2)),
    )
    return record, layer, marks


def unpacked(packed: dict[str, Any]) -> list[dict[str, list[int]]]:
    """What replay/layers.py says the body holds, read the slow way."""
    stream = io.BytesIO(gzip.decompress(base64.b64decode(packed["body"])))

    def words(n: int) -> list[int]:
        planes = [stream.read(n) for _ in range(4)]
        return [sum(plane[i] << 8 * place for place, plane in enumerate(planes)) for i in range(n)]

    layers: list[dict[str, list[int]]] = []
    for head in packed["heads"]:
        n = head["rows"]
        if head["is"] == "cells":
            lengths, area, kind, heading = words(n), words(n), list(stream.read(n)), list(stream.read(n))
            columns = {"area": area, "kind": kind, "heading": heading}
            layers.append({name: np.repeat(column, lengths).tolist() for name, column in columns.items()})
        else:
            names = ("gap", "agent", "cell", "sender", "receiver")
            layers.append({name: words(n) for name in names} | {"kind": list(stream.read(n))})
    assert not stream.read()
    return layers


def inside(grid: Grid, values: Any) -> list[int]:
    cells: list[int] = np.asarray(values).reshape(-1, grid.stride)[1:-1, 1:-1].ravel().tolist()
    return cells


# The file


def test_a_page_without_layers_holds_none() -> None:
    record, _, _ = small()
    assert "layers" not in embedded(replay_html([Track("", record)], ""))[0]


def test_page_holds_every_cell_and_mark_of_its_layers() -> None:
    record, areas, marks = small()
    panel = embedded(replay_html([Track("", record, layers=(areas, marks))], ""))[0]
    heads, (cells, told) = panel["layers"]["heads"], unpacked(panel["layers"])
    assert [(head["title"], head["is"]) for head in heads] == [("Areas", "cells"), ("Messages", "marks")]
    assert heads[0]["kinds"] == [["room", "mixed", 0.2], ["lane", "blue", 0.9]]
    assert heads[0]["groups"] == heads[1]["groups"] == [["room", 0], ["lane", 2]]
    assert cells["area"] == inside(record.grid, areas.area)
    assert cells["kind"] == inside(record.grid, areas.kind)
    order = [1, 2, 0, 3]  # by time
    assert np.cumsum(told["gap"]).tolist() == [0, 0, 3, 5]
    for name in ("agent", "kind", "cell", "sender", "receiver"):
        assert told[name] == getattr(marks, name)[order].tolist()


@given(st.integers(0, 2**32 - 1))
def test_runs_of_any_areas_are_unpacked_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    width, height = rng.integers(1, 7, 2)
    grid = Grid(np.ones((height, width), bool))
    area = rng.choice([0, 1, 70_000, NOWHERE], grid.n_cells).astype(np.int32)
    layer = CellLayer("a", area, (area == 1).astype(np.uint8), KINDS, rng.integers(0, 3, grid.n_cells).astype(np.int32))
    record = a_record([], grid, [int(grid.free_cells[0])], 1.0)
    cells = unpacked(pack_layers([layer], record, 1.0))[0]
    assert cells["area"] == inside(grid, area)
    assert cells["kind"] == inside(grid, layer.kind)
    assert cells["heading"] == inside(grid, headings(layer, grid))


def test_headings_lead_to_larger_values_in_the_same_area() -> None:
    grid = Grid(np.ones((2, 4), bool))
    area = on_cells(grid, ["0001", "0001"], {"0": 0, "1": 1}, int(NOWHERE))
    order = on_cells(grid, ["1239", "2229"], {mark: int(mark) for mark in "1239"}, 0)
    layer = CellLayer("a", area, np.zeros(grid.n_cells, np.uint8), KINDS, order)
    seen = inside(grid, headings(layer, grid))
    assert seen == [SOUTH_EAST, EAST, 7, NONE, SOUTH, NONE, 6, NONE]
    assert inside(grid, headings(replace(layer, order=-order), grid))[:2] == [5, WEST]
    assert set(headings(replace(layer, order=None), grid)) == {NONE}


def test_areas_of_a_large_map_take_few_bytes() -> None:
    side = 1024
    grid = Grid(np.ones((side, side), bool))
    area = (np.arange(grid.n_cells) % grid.stride // 100 + 11 * (np.arange(grid.n_cells) // grid.stride // 100)).astype(
        np.int32
    )
    layer = CellLayer("a", area, np.zeros(grid.n_cells, np.uint8), KINDS)
    record = a_record([], grid, [int(grid.free_cells[0])], 1.0)
    assert len(str(pack_layers([layer], record, 1.0)["body"])) < 10_000  # 4 MB as plain numbers


def test_mistakes_in_layers_are_named() -> None:
    record, areas, marks = small()

    def page(layer: Layer) -> None:
        replay_html([Track("", record, layers=(layer,))], "")

    with pytest.raises(BadInput, match=f"'Areas' has 3 cells in `area`; the map has {record.grid.n_cells}"):
        page(replace(areas, area=areas.area[:3]))
    with pytest.raises(BadInput, match="'Areas' has 3 cells in `order`"):
        page(replace(areas, order=np.zeros(3, np.int32)))
    with pytest.raises(BadInput, match="'Areas' has 2 kinds, not number 7"):
        page(replace(areas, kind=np.full(record.grid.n_cells, 7, np.uint8)))
    with pytest.raises(BadInput, match="'Areas' has no tone 'pink': choose mixed, blue"):
        page(replace(areas, kinds=(KINDS[0], LayerKind("x", "pink"))))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="'Areas' begins at the time nan"):
        page(replace(areas, since=np.nan))
    with pytest.raises(BadInput, match="'Messages' have different lengths"):
        page(replace(marks, agent=marks.agent[:1]))
    with pytest.raises(BadInput, match="'Messages' has a mark of agent 9; there are 2"):
        page(replace(marks, agent=np.full(4, 9, np.int32)))
    with pytest.raises(BadInput, match="the times of the layer 'Messages' must be finite and not before 0"):
        page(replace(marks, time=np.full(4, -1.0)))


class Shows(Controller):
    """Waits, and shows where agents are asked for."""

    def decide(self, view: View) -> None:
        self.view = view

    def layers(self) -> tuple[Layer, ...]:
        """All cells as one area."""
        grid = self.view.grid
        return (CellLayer("Asked", np.zeros(grid.n_cells, np.int32), np.zeros(grid.n_cells, np.uint8), KINDS),)


def begin_shows(problem: Any, *, seed: int = 0) -> Controller:
    """A controller with a layer."""
    return Shows(problem.n_agents)


def test_layers_of_a_controller_reach_run_result_and_track() -> None:
    problem = one_shot(Grid(np.ones((3, 3), bool)), [(0, 0)], [(2, 2)])
    run = simulate(problem, begin_shows, until=3)
    assert [layer.title for layer in run.layers] == [layer.title for layer in run.track().layers] == ["Asked"]
    result = solve(problem, begin_shows, steps=3)
    assert [layer.title for layer in result.layers] == ["Asked"]
    assert isinstance(result.plan, Plan)
    assert track_of_plan(result.plan, layers=result.layers).layers == result.layers
    assert simulate(problem, "pibt", until=3).layers == ()


# The browser


def test_browser_sees_what_the_layers_hold(visit: Callable[..., Any]) -> None:
    record, areas, marks = small()
    later = replace(areas, area=np.where(areas.area == 1, 0, areas.area).astype(np.int32), since=4.0)
    page = ready(visit([Track("", record), Track("", record, layers=(later, replace(areas, since=1.0), marks))]))
    assert page.evaluate("wayfolk.areasAt(1, 'Areas', 0.5)") is None
    for t, layer in [(1.0, areas), (3.9, areas), (4.0, later), (8.0, later), (2.0, areas)]:
        seen = page.evaluate("t => wayfolk.areasAt(1, 'Areas', t)", t)
        assert seen["area"] == inside(record.grid, layer.area)
        assert seen["kind"] == inside(record.grid, layer.kind)
        assert seen["heading"] == inside(record.grid, headings(layer, record.grid))
    rows = list(zip(marks.time, marks.agent, marks.kind, marks.cell, marks.sender, marks.receiver, strict=True))
    values = [[float(value) for value in row] for row in rows]
    for t, now, before in [
        (0.0, [2, 1], []),
        (0.9, [2, 1], []),
        (1.0, [], [2, 1]),
        (3.5, [0], [2, 1]),
        (8.0, [], [3, 0, 2, 1]),
    ]:
        seen = page.evaluate("t => wayfolk.marksAt(1, 'Messages', t)", t)
        assert seen == {"now": [values[row] for row in now], "before": [values[row] for row in before]}
    of_agent = page.evaluate("wayfolk.marksAt(1, 'Messages', 3, 0)")
    assert of_agent == {"now": [values[0]], "before": [values[1]]}


def test_browser_switches_layers_on_and_off(visit: Callable[..., Any]) -> None:
    image = pytest.importorskip("PIL.Image")
    record, areas, marks = small()
    page = ready(visit([Track("", record, layers=(areas, marks))]))
    for key in "gt":
        page.keyboard.press(key)

    def picture() -> Any:
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        shot = image.open(io.BytesIO(page.locator(".stage canvas").first.screenshot())).convert("RGB")
        return np.asarray(shot, int)

    def n_blue(pixels: Any) -> int:
        return int((pixels[..., 2] - pixels[..., 0] > 60).sum())

    switches = [page.locator(f"[data-show='layer {title}']") for title in ("Areas", "Messages")]
    assert [switch.get_attribute("aria-pressed") for switch in switches] == ["true", "true"]
    with_all = picture()
    page.keyboard.press("2")
    until(page, "!wayfolk.isShown('Messages')")
    without_marks = picture()
    assert (with_all != without_marks).any()
    assert not page.locator(".notes ol").is_visible()
    switches[0].click()
    until(page, "!wayfolk.isShown('Areas')")
    bare = picture()
    assert n_blue(without_marks) > 4 * n_blue(bare)
    page.keyboard.press("1")
    page.keyboard.press("2")
    assert (picture() == with_all).all()


def test_browser_lists_marks_and_follows_their_agent(visit: Callable[..., Any]) -> None:
    record, areas, marks = small()
    page = ready(visit([Track("", record, layers=(areas, marks))]))
    lines, counts = page.locator(".notes ol li"), page.locator(".notes section:nth-child(2) .kinds li")
    assert [line.split() for line in lines.all_inner_texts()] == [
        ["0", "refuse", "agent", "1", "lane", "0", "\u2192", "room", "1"],
        ["0", "ask", "agent", "0", "room", "0", "\u2192", "lane", "0"],
    ]
    assert [count.split() for count in counts.all_inner_texts()] == [["ask", "1"], ["refuse", "1"]]
    assert [lines.nth(place).get_attribute("title") for place in (0, 1)] == [None, "cell (2, 2)"]
    page.evaluate("wayfolk.seek(3)")
    until(page, "document.querySelectorAll('.notes ol li').length === 3")
    assert [lines.nth(place).get_attribute("class") for place in range(3)] == [None, "past", "past"]
    assert [count.split() for count in counts.all_inner_texts()] == [["ask"], ["refuse", "1"]]
    lines.first.click()
    assert page.evaluate("wayfolk.following()") == 0
    until(page, "document.querySelectorAll('.notes ol li').length === 2")
    assert lines.first.inner_text().split() == ["3", "refuse", "agent", "0", "room", "1", "\u2192", "lane", "0"]


def test_browser_has_no_switch_or_list_without_layers(visit: Callable[..., Any]) -> None:
    record, _, _ = small()
    page = ready(visit([Track("", record)]))
    assert page.locator("[data-show^='layer']").count() == 0
    assert not page.locator(".notes").is_visible()
    page.keyboard.press("1")
    assert page.evaluate("wayfolk.isShown('goals')")


def test_browser_takes_titles_of_layers_as_text(visit: Callable[..., Any]) -> None:
    record, areas, marks = small()
    kinds = (LayerKind(EVIL, "blue"), LayerKind(EVIL, "red"))
    layers = (replace(areas, title=EVIL, kinds=kinds), replace(marks, title="goals", kinds=kinds, groups=((EVIL, 0),)))
    page = ready(visit([Track("", record, layers=layers)]))
    assert page.evaluate("[window.hacked ?? 0, document.querySelectorAll('img').length]") == [0, 0]
    assert page.locator(".switches button").nth(-2).inner_text() == EVIL
    page.keyboard.press("2")  # a layer called like a switch of the page has one of its own
    assert page.locator("[data-show='goals']").get_attribute("aria-pressed") == "true"
    until(page, "document.querySelector(\"[data-show='layer goals']\").getAttribute('aria-pressed') === 'false'")
