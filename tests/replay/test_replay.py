"""The replay page: what is in it, and what a browser makes of it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from replay.pages import a_record, embedded, ready, until
from wayfolk.errors import BadInput
from wayfolk.judge.coherence import coherence_over_time
from wayfolk.kernels.codes import ARRIVE, BLOCK, FREE, GOAL, JOIN, LEAVE, MOVE, REFUSED, RELEASE, THOUGHT
from wayfolk.problem.papers import paper_problem
from wayfolk.problem.plan import Plan
from wayfolk.problem.record import DISTANCE, STEPS, Record
from wayfolk.replay import Track, notebook_frame, replay_html, track_of_plan, write_replay
from wayfolk.simulation.solving import simulate
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.grid import Grid

NOWHERE = 2**31 - 1
EVIL = "</script><img src=x onerror=\"window.hacked=1\">{{script}} & 'so' \u2028"


def a_grid(width: int = 14, height: int = 9, seed: int = 0) -> Grid:
    return Grid(np.random.default_rng(seed).random((height, width)) > 0.15)


def lively(model: str, seed: int = 0, n_agents: int = 12, end: int = 40) -> Record:
    """Agents that wander, collide, get goals, join and leave, among walls that come and go."""
    rng = np.random.default_rng(seed)
    grid = a_grid(seed=seed)
    cells = rng.permutation(grid.free_cells)[:n_agents]
    starts = cells.copy()
    starts[n_agents - 2 :] = NOWHERE
    rows: list[tuple[float, int, int, int]] = []
    for agent, start in enumerate(cells):
        clock, cell = 0.0, int(start)
        if starts[agent] == NOWHERE:
            clock = float(3 + agent)
            rows.append((clock, agent, JOIN, cell))
        rows.append((clock, agent, GOAL, int(rng.choice(grid.free_cells))))
        last = end - 5 if agent == 0 else end - 2
        while clock < last:
            direction = int(rng.integers(8))
            there = cell + int(grid.offsets[direction])
            if not grid.legal[cell] >> direction & 1:
                if rng.random() < 0.3:
                    rows.append((clock, agent, REFUSED, there))
                clock += 1.0 if model == STEPS else 0.03
                continue
            cell = there
            rows.append((clock, agent, THOUGHT, 1234))
            rows.append((clock, agent, MOVE, cell))
            clock += 1.0 if model == STEPS else float(grid.lengths[direction])
            if rng.random() < 0.1:
                rows.append((clock, agent, ARRIVE, cell))
                if rng.random() < 0.5:
                    rows.append((clock, agent, GOAL, int(rng.choice(grid.free_cells))))
        if agent == 0:
            rows.append((end - 1.0, agent, LEAVE, cell))
        if agent == 1:
            rows.append((end / 2, agent, RELEASE, cell))
    for number, cell in enumerate(rng.permutation(grid.free_cells)[:5]):
        rows.append((4.0 + number, 0, BLOCK, int(cell)))
        rows.append((20.0 + number, 0, FREE, int(cell)))
    rows.append((6.0, 0, FREE, grid.cell(tuple(np.argwhere(~grid.free)[0][::-1]))))
    return a_record(rows, grid, starts, float(end), model)


def patrol(n_agents: int, n_moves: int) -> Record:
    """Random moves back to back in the distance model: nothing in it repeats, so nothing packs worse."""
    rng = np.random.default_rng(5)
    grid = Grid(rng.random((64, 64)) > 0.1)
    here = rng.choice(grid.free_cells[grid.legal[grid.free_cells] > 0], n_agents, replace=False)
    starts, now = here.astype(np.int32), rng.integers(0, 30, n_agents) * 0.03
    times, cells = [], []
    for _ in range(n_moves):
        weight = rng.random((n_agents, 8)) * ((grid.legal[here][:, None] >> np.arange(8)) & 1)
        direction = weight.argmax(1)
        here = here + grid.offsets[direction]
        times.append(now)
        cells.append(here)
        now = now + grid.lengths[direction]
    time_ = np.array(times).ravel()
    order = np.argsort(time_, kind="stable")
    agent = np.tile(np.arange(n_agents, dtype=np.int32), n_moves)
    kind = np.full(len(order), MOVE, np.uint8)
    cell = np.array(cells, np.int32).ravel()
    return Record(grid, starts, time_[order], agent[order], kind, cell[order], float(now.max()), DISTANCE)


def unpack(panel: dict[str, Any]) -> dict[str, Any]:
    """What pack.py says the body holds, read the slow way."""
    stream = io.BytesIO(gzip.decompress(base64.b64decode(panel["body"])))
    n_agents, n_rows, n_changes = panel["agents"], panel["rows"], panel["changes"]

    def words(count: int) -> list[int]:
        return [int(word) for word in np.frombuffer(stream.read(4 * count), "<u4")]

    def bits(count: int) -> list[bool]:
        return [bool(bit) for bit in np.unpackbits(np.frombuffer(stream.read((count + 7) // 8), np.uint8))[:count]]

    starts, rows_of = words(n_agents), words(n_agents)
    change_ticks, change_cells, flags = words(n_changes), words(n_changes), iter(words(panel["told"]))
    gaps = np.frombuffer(stream.read(4 * n_rows), np.uint8).reshape(4, n_rows).T.copy().view("<u4").ravel()
    ops = stream.read(n_rows)
    blocks, walls = bits(n_changes), bits(panel["width"] * panel["height"])
    assert not stream.read()
    stride, row = panel["width"] + 2, 0
    events = []
    for agent in range(n_agents):
        here, tick = starts[agent], 0
        for _ in range(rows_of[agent]):
            tick += int(gaps[row])
            if ops[row] < 16:
                dx, dy = panel["directions"][ops[row] % 8]
                kind, cell = (MOVE, REFUSED)[ops[row] // 8], here + dy * stride + dx
            else:
                kind, cell = ops[row] - 16, next(flags)
            here = cell if kind in (MOVE, JOIN) else here
            events.append((tick * panel["tick"], agent, kind, cell))
            row += 1
    changes = [
        (tick * panel["tick"], BLOCK if block else FREE, cell)
        for tick, cell, block in zip(change_ticks, change_cells, blocks, strict=True)
    ]
    return {"starts": starts, "events": events, "changes": changes, "walls": walls}


def places_at(record: Record, t: float) -> list[tuple[float, float] | None]:
    """Where everyone is at `t`, from the record's own words."""
    before = [record.grid.place(cell) if cell != NOWHERE else None for cell in record.starts]
    after, begun, lasts = list(before), [0.0] * len(before), [0.0] * len(before)
    for when, agent, kind, cell in zip(record.time, record.agent, record.kind, record.cell, strict=True):
        if when > t or kind not in (MOVE, JOIN, LEAVE):
            continue
        there = None if kind == LEAVE else record.grid.place(cell)
        before[agent], after[agent] = (after[agent] if kind == MOVE else there), there
        begun[agent] = when
        lasts[agent] = 0.0
        if kind == MOVE:
            is_diagonal = all(a != b for a, b in zip(before[agent], after[agent], strict=True))
            lasts[agent] = record.grid.diagonal if record.model == DISTANCE and is_diagonal else 1.0
    places: list[tuple[float, float] | None] = []
    for a, b, start, span in zip(before, after, begun, lasts, strict=True):
        part = min((t - start) / span, 1.0) if span else 1.0
        places.append(None if b is None else (a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])))
    return places


def counts_at(record: Record, t: float) -> dict[str, int]:
    present = [cell != NOWHERE for cell in record.starts]
    here, goal, has_arrived = list(record.starts), [NOWHERE] * len(present), [False] * len(present)
    reached = collisions = 0
    for when, agent, kind, cell in zip(record.time, record.agent, record.kind, record.cell, strict=True):
        if when > t:
            break
        if kind in (MOVE, JOIN):
            here[agent], present[agent] = cell, True
        elif kind == LEAVE:
            present[agent] = False
        elif kind in (GOAL, ARRIVE):
            goal[agent], has_arrived[agent] = cell, kind == ARRIVE
        reached += kind == ARRIVE
        collisions += kind == REFUSED
    arrived = sum(p and d and h == g for p, d, h, g in zip(present, has_arrived, here, goal, strict=True))
    return {"arrived": arrived, "present": sum(present), "reached": int(reached), "collisions": int(collisions)}


def walls_at(record: Record, t: float) -> list[int]:
    walls = ~record.grid.free
    for when, kind, cell in zip(record.time, record.kind, record.cell, strict=True):
        if kind in (BLOCK, FREE) and when <= t:
            x, y = record.grid.place(cell)
            walls[y, x] = kind == BLOCK
    return [int(wall) for wall in walls.ravel()]


def vectors_at(record: Record, t: float, alpha: float) -> list[tuple[float, float]]:
    """What the library has learned from all moves until `t`, row by row."""
    until = record.time <= t
    columns = {name: getattr(record, name)[until] for name in ("time", "agent", "kind", "cell")}
    learned = DirectionMap(record.grid, alpha).follow(replace(record, **columns)).vectors
    inside = learned.reshape(record.grid.height + 2, record.grid.width + 2, 2)[1:-1, 1:-1]
    return [tuple(vector) for vector in inside.reshape(-1, 2).tolist()]


class Tags(HTMLParser):
    """The tags of a page, and the text of its title."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.title = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "title" and not self.title:
            self.title = data


# The file


def test_page_names_no_other_place() -> None:
    page = replay_html([Track("a", lively(STEPS))], "t")
    assert not re.search(r"https?:|wss?:|//cdn|@import|url\(|fetch\(|XMLHttpRequest|import\(", page)
    links = [
        value for _, attrs in Tags(page).tags for name, value in attrs.items() if name in ("src", "href", "action")
    ]
    assert links == ["data:,"]


def test_policy_allows_the_one_script_and_style_only() -> None:
    page = replay_html([Track(EVIL, lively(STEPS))], EVIL)
    policy = next(attrs["content"] or "" for tag, attrs in Tags(page).tags if "http-equiv" in attrs)
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        match = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.S)
        assert match
        digest = base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_titles_and_facts_stay_text() -> None:
    page = replay_html([Track(EVIL, lively(STEPS), {EVIL: EVIL})], EVIL)
    tags = Tags(page)
    assert [tag for tag, _ in tags.tags if tag in ("script", "img")] == ["script", "script"]
    assert tags.title == EVIL
    assert embedded(page)[0]["title"] == EVIL
    assert embedded(page)[0]["facts"] == [[EVIL, EVIL]]


@pytest.mark.parametrize("model", [STEPS, DISTANCE])
def test_page_holds_every_row_of_the_record(model: str) -> None:
    record = lively(model)
    panel = embedded(replay_html([Track("", record)], ""))[0]
    unpacked = unpack(panel)
    order = np.lexsort((record.time, record.agent))
    rows = [row for row in order if record.kind[row] not in (BLOCK, FREE, THOUGHT)]
    assert [event[1:] for event in unpacked["events"]] == [
        (record.agent[row], record.kind[row], record.cell[row]) for row in rows
    ]
    tick = 0 if model == STEPS else 0.5 / 1024 + 1e-9
    assert [event[0] for event in unpacked["events"]] == pytest.approx(
        [record.time[row] for row in rows], rel=0, abs=tick
    )
    changes = [row for row in range(len(record)) if record.kind[row] in (BLOCK, FREE)]
    assert unpacked["changes"] == [(record.time[row], record.kind[row], record.cell[row]) for row in changes]
    assert unpacked["starts"] == record.starts.tolist()
    assert unpacked["walls"] == (~record.grid.free).ravel().tolist()
    assert (panel["end"], panel["inSteps"]) == (record.end, model == STEPS)


def test_times_keep_to_the_tick_of_the_record() -> None:
    grid = Grid(np.ones((1, 4), bool))
    start = int(grid.cell((0, 0)))
    beats = np.array([0, 34, 1_000_001])
    cells = np.array([start + 1, start + 2, start + 3], np.int32)
    kinds = np.full(3, MOVE, np.uint8)
    record = Record(
        grid, np.array([start], np.int32), beats * 0.03, np.zeros(3, np.int32), kinds, cells, 4e4, DISTANCE, 0.03
    )
    panel = embedded(replay_html([Track("", record)], ""))[0]
    assert panel["tick"] == 0.03
    assert [event[0] for event in unpack(panel)["events"]] == record.time.tolist()


def test_quarter_of_a_million_moves_fit_into_three_megabytes() -> None:
    record = patrol(100, 20 * 130)
    assert len(record) == 260_000
    assert len(replay_html([Track("", record)], "")) < 3_000_000


def test_lanes_are_told_by_a_rate_and_their_coherence() -> None:
    run = simulate(paper_problem("jansen-c", agents=5, loops=1), "lra", model=DISTANCE, until=500)
    track = run.track("a", alpha=0.25, speed="high")
    times, values = coherence_over_time(run.record, 0.25, run.time / 200)
    assert (len(track.coherence), times[-1]) == (200, pytest.approx(run.record.end))
    assert track.coherence == tuple(values)
    assert track.facts == {"speed": "high"}
    page = replay_html([track, run.track("b")], "")
    assert [panel["lanes"]["alpha"] for panel in embedded(page)] == [0.25, 0.5]
    assert embedded(page)[0]["lanes"]["coherence"] == pytest.approx(values, abs=5.1e-5)
    assert embedded(page)[1]["lanes"]["coherence"] == []


def test_same_record_gives_the_same_page() -> None:
    assert replay_html([Track("a", lively(DISTANCE))], "t") == replay_html([Track("a", lively(DISTANCE))], "t")


def test_rows_out_of_order_and_jumps_are_kept() -> None:
    grid = Grid(np.ones((4, 6), bool))
    here, far = grid.cell((0, 0)), grid.cell((5, 3))
    record = a_record([(0.0, 0, MOVE, far)], grid, [here, grid.cell((2, 2))], 2.0)
    late_first = Record(
        grid, record.starts, np.array([1.0, 0.0]), np.zeros(2, np.int32), np.array([MOVE, MOVE], np.uint8),
        np.array([here, far], np.int32), 2.0,
    )  # fmt: skip
    assert unpack(embedded(replay_html([Track("", record)], ""))[0])["events"] == [(0.0, 0, MOVE, far)]
    events = unpack(embedded(replay_html([Track("", late_first)], ""))[0])["events"]
    assert events == [(0.0, 0, MOVE, far), (1.0, 0, MOVE, here)]


def test_record_without_rows_is_a_page() -> None:
    record = a_record([], a_grid(), [a_grid().free_cells[0]], 0.0)
    assert unpack(embedded(replay_html([Track("", record)], ""))[0])["events"] == []


def test_track_of_a_plan_is_that_plan() -> None:
    record = lively(STEPS)
    rng = np.random.default_rng(2)
    cells = [record.grid.free_cells[:7]]
    for _ in range(30):
        step = rng.integers(0, 8, 7)
        is_legal = (record.grid.legal[cells[-1]] >> step) & 1
        cells.append(np.where(is_legal, cells[-1] + record.grid.offsets[step], cells[-1]))
    plan = Plan(record.grid, np.array(cells, np.int32))
    track = track_of_plan(plan, plan.cells[-1], "wander")
    assert (track.record.plan().cells == plan.cells).all()
    assert (np.diff(track.record.time) >= 0).all()
    assert (track.record.of(MOVE).size, track.record.of(GOAL).size) == ((np.diff(plan.cells, axis=0) != 0).sum(), 7)
    assert track.facts["Arrived"] == "7 of 7"
    assert track_of_plan(plan, None, "", {"a": "b"}).facts == {"a": "b"}


def test_agent_arrives_when_it_comes_to_stay() -> None:
    grid = Grid(np.ones((1, 4), bool))
    through, at_once, never = [0, 1, 2, 1, 1], [3, 3, 3, 3, 3], [2, 2, 3, 3, 3]
    plan = Plan(grid, grid.cells([(x, 0) for x in through + at_once + never]).reshape(3, 5).T)
    record = track_of_plan(plan, grid.cells([(1, 0), (3, 0), (0, 0)])).record
    rows = record.of(ARRIVE)  # at the time of the move that ends there, as the referee logs it
    assert sorted(zip(record.agent[rows], record.time[rows], strict=True)) == [(0, 2.0), (1, 0.0)]


def test_plan_of_one_moment_has_who_is_there_already() -> None:
    grid = Grid(np.ones((1, 4), bool))
    track = track_of_plan(Plan(grid, grid.cells([(0, 0), (1, 0)])[None]), grid.cells([(0, 0), (3, 0)]))
    assert track.record.agent[track.record.of(ARRIVE)].tolist() == [0]


def test_mistakes_are_named(tmp_path: Path) -> None:
    grid = a_grid()
    start = int(grid.free_cells[0])
    fine = Track("", a_record([], grid, [start], 1.0))
    with pytest.raises(BadInput, match="1 to 4 panels, not 0"):
        replay_html([], "")
    with pytest.raises(BadInput, match="1 to 4 panels, not 5"):
        replay_html([fine] * 5, "")
    with pytest.raises(BadInput, match="agent 3; there are 1"):
        replay_html([Track("", a_record([(0.0, 3, MOVE, start)], grid, [start], 1.0))], "")
    with pytest.raises(BadInput, match="finite"):
        replay_html([Track("", a_record([(np.nan, 0, MOVE, start)], grid, [start], 1.0))], "")
    with pytest.raises(BadInput, match="kinds of rows, not number 77"):
        replay_html([Track("", a_record([(0.0, 0, 77, start)], grid, [start], 1.0))], "")
    for alpha in (0.0, 1.5, np.nan):
        with pytest.raises(BadInput, match=f"alpha must be above 0 and at most 1, not {alpha}"):
            replay_html([replace(fine, alpha=alpha)], "")
    with pytest.raises(BadInput, match="2 agents and 1 goals"):
        track_of_plan(Plan(grid, np.array([[start, start + 1]], np.int32)), [start])
    with pytest.raises(BadInput, match="cannot be written: No such file or directory"):
        write_replay([fine], tmp_path / "nowhere" / "page.html", "")
    with pytest.raises(BadInput, match="cannot be written: Is a directory"):
        write_replay([fine], tmp_path, "")


def test_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "page.html"
    track = Track("", lively(STEPS))
    write_replay([track], str(file), "first")
    assert file.read_text(encoding="utf-8") == replay_html([track], "first")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("wayfolk.files.raw.os.replace", fail)
    with pytest.raises(BadInput, match="disk full"):
        write_replay([track], file, "second")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert "<h1>first</h1>" in file.read_text(encoding="utf-8")


def test_notebook_gets_a_frame_or_a_sentence() -> None:
    grid = a_grid()
    plan = Plan(grid, np.tile(grid.free_cells[:3], (4, 1)))
    frame = plan._repr_html_()
    assert frame == notebook_frame(plan)
    tags = Tags(frame).tags
    assert [tag for tag, _ in tags] == ["iframe"]
    assert unescape(tags[0][1]["srcdoc"] or "").startswith("<!doctype html>")
    huge = Plan(grid, np.broadcast_to(grid.free_cells[:1], (2_000_001, 1)))
    assert "iframe" not in notebook_frame(huge)
    assert "write_replay" in notebook_frame(huge)


def test_importing_loads_no_compiler() -> None:
    code = "import sys, wayfolk.replay; sys.exit('numba' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, timeout=60).returncode == 0
    )


# The browser


@pytest.mark.parametrize("model", [STEPS, DISTANCE])
def test_browser_sees_what_the_record_tells(visit: Callable[..., Any], model: str) -> None:
    records = [lively(model, seed=1), lively(model, seed=2)]
    page = ready(visit([Track(str(number), record) for number, record in enumerate(records)]))
    times = [0.0, 0.4, 7.3, 39.9, 12.01, 12.0, 3.5, 38.7, 21.6, 0.2, 40.0]
    for number, record in enumerate(records):
        for t in times:
            page.evaluate("t => wayfolk.seek(t)", t)
            seen = page.evaluate("([n, t]) => wayfolk.positionsAt(n, t)", [number, t])
            for place, true in zip(seen, places_at(record, t), strict=True):
                assert place == (true if true is None else pytest.approx(true, abs=2e-3))
            assert page.evaluate("([n, t]) => wayfolk.countsAt(n, t)", [number, t]) == counts_at(record, t)
            assert page.evaluate("([n, t]) => wayfolk.wallsAt(n, t)", [number, t]) == walls_at(record, t)


@pytest.mark.parametrize("model", [STEPS, DISTANCE])
def test_browser_learns_the_lanes_that_the_library_learns(visit: Callable[..., Any], model: str) -> None:
    problem = paper_problem("jansen-c", agents=40, loops=1)
    record = simulate(problem, "lra", model=model, until=150).record
    page = ready(visit([Track("", record, alpha=0.3)]))
    page.keyboard.press("v")
    for t in (75.0, 149.6, 20.5, 0.0, 149.6):  # forwards and backwards
        page.evaluate("t => wayfolk.seek(t)", t)
        seen, true = page.evaluate("t => wayfolk.vectorsAt(0, t)", t), vectors_at(record, t, 0.3)
        assert np.abs(np.subtract(seen, true)).max() < 1e-6
    assert np.hypot(*np.transpose(true)).max() > 0.9


def test_browser_lanes_by_hand(visit: Callable[..., Any]) -> None:
    grid = Grid(np.ones((1, 6), bool))
    zero, one, two, far = (int(grid.cell((x, 0))) for x in (0, 1, 2, 5))
    rows = [(0.0, 0, MOVE, one), (1.0, 0, MOVE, two), (2.0, 0, MOVE, one), (3.0, 0, MOVE, far)]
    record = a_record([*rows, (4.0, 0, BLOCK, one), (5.0, 0, FREE, one)], grid, [zero], 6.0)
    page = ready(visit([Track("", record)]))
    expected = {
        0.0: [0.5, 0.5, 0.0],
        1.5: [0.5, 0.75, 0.5],
        2.0: [0.5, -0.125, -0.25],
        3.0: [0.5, -0.125, -0.25],  # too far for a move: nothing is learned
        4.0: [0.5, 0.0, -0.25],  # whoever built a wall here knew nothing of lanes
        5.5: [0.5, 0.0, -0.25],
    }
    for t, xs in [*expected.items(), *reversed(expected.items())]:
        vectors = page.evaluate("t => wayfolk.vectorsAt(0, t)", t)
        assert vectors == [[x, 0.0] for x in [*xs, 0.0, 0.0, 0.0]]


def test_browser_shows_lanes_and_their_coherence(visit: Callable[..., Any]) -> None:
    image = pytest.importorskip("PIL.Image")
    record = lively(DISTANCE)
    plotted = Track("a", record, coherence=(0.5, 0.625, 0.75, 0.7))
    still = Track("b", a_record([], record.grid, [record.starts[0]], 40.0))
    page = ready(visit([plotted, still]))
    switch, legend, curves = page.locator("[data-show=lanes]"), page.locator("#legend"), page.locator(".curve")
    assert (switch.get_attribute("aria-pressed"), legend.is_visible()) == ("true", True)
    assert [curves.nth(number).is_visible() for number in (0, 1)] == [True, False]
    assert curves.first.inner_text().split() == ["Coherence", "of", "lanes,", "0.60", "to", "0.75", "\u2013"]
    for t, value in [(9.9, None), (10.0, 0.5), (35.0, 0.75), (40.0, 0.7), (21.0, 0.625)]:
        page.evaluate("t => wayfolk.seek(t)", t)
        assert page.evaluate("t => wayfolk.coherenceAt(0, t)", t) == value
    until(page, "document.querySelector('.curve output').textContent === '0.625'")

    def n_tinted() -> int:
        shot = image.open(io.BytesIO(page.locator(".stage canvas").first.screenshot())).convert("RGB")
        pixels = np.asarray(shot, int)
        return int((np.ptp(pixels, axis=-1) > 40).sum())

    tinted = n_tinted()
    page.keyboard.press("v")
    until(page, "document.querySelector('[data-show=lanes]').getAttribute('aria-pressed') === 'false'")
    assert not legend.is_visible()
    assert n_tinted() < tinted / 3
    alone = ready(visit([still]))
    assert not alone.locator("[data-show=lanes]").is_visible()


def test_browser_plays_pauses_steps_and_loops(visit: Callable[..., Any]) -> None:
    page = ready(visit([Track("a", lively(STEPS))]))
    now = "wayfolk.now()"
    assert page.evaluate(now) == 0
    page.keyboard.press("Space")
    until(page, "wayfolk.now() > 0.5")
    page.click("#play")
    paused = page.evaluate(now)
    time.sleep(0.15)
    assert page.evaluate(now) == paused
    page.keyboard.press("Home")
    for key, then in [("ArrowRight", 1), ("Shift+ArrowRight", 11), ("ArrowLeft", 10), ("End", 40), ("ArrowRight", 40)]:
        page.keyboard.press(key)
        assert page.evaluate(now) == then
    page.select_option("#speed", "64")
    page.click("#loop")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    until(page, "wayfolk.now() < 38")
    page.focus("#scrub")
    page.keyboard.press("Space")
    page.evaluate("() => { scrub.value = 20; scrub.dispatchEvent(new Event('input')); }")
    assert page.evaluate(now) == 20
    until(page, "document.querySelector('.counters dd').textContent === '20'")


def test_browser_follows_an_agent_in_every_panel(visit: Callable[..., Any]) -> None:
    record = lively(STEPS)
    page = ready(visit([Track("a", record), Track("b", record)]))
    page.keyboard.press("f")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    x, y = record.grid.place(record.starts[5])
    until(page, f"[...document.querySelectorAll('.followed')].every(e => e.innerText.includes('({x}, {y})'))")
    page.keyboard.press("Escape")
    assert page.evaluate("wayfolk.following()") == -1
    box = page.locator(".stage canvas").nth(1).bounding_box()
    scale = min(box["width"] / record.grid.width, box["height"] / record.grid.height)
    left = box["x"] + (box["width"] - scale * record.grid.width) / 2
    page.mouse.click(left + (x + 0.5) * scale, box["y"] + (y + 0.5) * scale)
    assert page.evaluate("wayfolk.following()") == 5
    page.keyboard.press("f")
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    assert page.evaluate("wayfolk.following()") == 5
    assert page.evaluate("agent.classList.contains('unknown')")


def test_browser_zooms_pans_and_resets_both_maps(visit: Callable[..., Any]) -> None:
    page = ready(visit([Track("a", lively(STEPS)), Track("b", lively(STEPS, seed=3))]))
    whole = page.evaluate("wayfolk.view(1)")
    canvas = page.locator(".stage canvas").first
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.wheel(0, -400)
    until(page, "wayfolk.view(1).zoom > 1.2")
    near = page.evaluate("wayfolk.view(1)")
    assert near["x"] < whole["x"]
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] + 60, steps=4)
    page.mouse.up()
    assert page.evaluate("wayfolk.view(0).x") > near["x"]
    assert page.evaluate("wayfolk.view(0)") == page.evaluate("wayfolk.view(1)")
    canvas.dblclick(position={"x": 30, "y": 30})
    assert page.evaluate("wayfolk.view(1)") == whole


def test_browser_runs_nothing_of_a_title(visit: Callable[..., Any]) -> None:
    page = ready(visit([Track(EVIL, lively(STEPS), {EVIL: EVIL})], EVIL))
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    for place in ("h1", "h2", ".facts dt", ".facts dd"):
        assert page.evaluate("place => document.querySelector(place).textContent", place) == EVIL


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_browser_draws_a_picture_that_fits(visit: Callable[..., Any], width: int, scheme: str) -> None:
    image = pytest.importorskip("PIL.Image")
    tracks = [Track("a", lively(STEPS), {"Collisions": "many"}), Track("b", lively(DISTANCE))]
    page = ready(visit(tracks, width=width, color_scheme=scheme))
    for key in "lh":
        page.keyboard.press(key)
    page.evaluate("wayfolk.seek(30.5)")
    until(page, "document.querySelector('.counters dd').textContent === '30'")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot = image.open(io.BytesIO(page.locator(".stage canvas").first.screenshot())).convert("RGB")
    colours = shot.getcolors(1 << 24)
    assert len(colours) > 100
    most = max(colours)[1]
    assert (sum(most) > 3 * 128) == (scheme == "light")


def test_browser_opens_a_quarter_of_a_million_moves_at_once(visit: Callable[..., Any]) -> None:
    record = patrol(100, 20 * 130)
    page = ready(visit([Track("", record)]))
    assert page.evaluate("performance.now()") < 6000  # ms; 450 were measured, on two busy cores
    t = record.end - 50.3
    seen = page.evaluate("t => wayfolk.positionsAt(0, t)", t)
    assert seen == [pytest.approx(place, abs=2e-3) for place in places_at(record, t)]


def test_browser_shows_the_frame_of_a_notebook(visit: Callable[..., Any], tmp_path: Path) -> None:
    grid = a_grid()
    plan = Plan(grid, np.tile(grid.free_cells[:3], (4, 1)))
    (tmp_path / "notebook.html").write_text(f"<!doctype html><title>n</title>{plan._repr_html_()}", encoding="utf-8")
    page = visit.file(tmp_path / "notebook.html")  # type: ignore[attr-defined]
    frame = page.frames[1]
    until(frame, "'wayfolk' in window")
    assert frame.evaluate("wayfolk.positionsAt(0, 2)") == [list(place) for place in grid.places(plan.cells[0]).tolist()]
    assert frame.evaluate("origin") == "null"
