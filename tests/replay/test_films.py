"""Films and pictures: every format can be read again, and shows what happens."""

from __future__ import annotations

import shutil
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from replay.pages import a_record
from wayfolk.algorithms.watching import watch_path
from wayfolk.errors import BadInput, NotSupported
from wayfolk.kernels.codes import BLOCK, GOAL, JOIN, LEAVE, MOVE
from wayfolk.problem.plan import Plan
from wayfolk.replay import Track, colours, track_of_plan, tracks_of_searches, write_replay
from wayfolk.replay.film import film
from wayfolk.replay.moments import Moments
from wayfolk.replay.notebook import png
from wayfolk.replay.vector import svg
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.generate import rooms
from wayfolk.world.grid import Grid

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
SVG = "{http://www.w3.org/2000/svg}"


def a_plan() -> Plan:
    grid = Grid(np.ones((6, 8)), "four")
    places = [[(0, 0), (5, 5)], [(1, 0), (5, 5)], [(2, 0), (5, 4)], [(2, 1), (5, 3)]]
    return Plan(grid, np.array([grid.cells(row) for row in places], np.int32))


@pytest.mark.plain
def test_agents_are_where_the_plan_says_and_glide_between() -> None:
    moments = Moments(track_of_plan(a_plan()))
    for step in range(4):
        places, here = moments.agents(float(step))
        assert places.tolist() == [list(map(float, a_plan().path(agent)[step])) for agent in range(2)]
        assert here.all()
    halfway, _ = moments.agents(0.5)
    assert halfway.tolist() == [[0.5, 0.0], [5.0, 5.0]]


@pytest.mark.plain
def test_agents_join_and_leave_and_walls_come() -> None:
    grid = Grid(np.ones((4, 4)), "four")
    cell = grid.cell((1, 1))
    rows = [(1.0, 0, LEAVE, cell), (2.0, 1, JOIN, cell), (0.0, 0, GOAL, cell), (3.0, 0, BLOCK, grid.cell((3, 3)))]
    moments = Moments(Track("t", a_record(rows, grid, [cell, 2**31 - 1], 5.0)))
    assert [moments.agents(t)[1].tolist() for t in (0.5, 1.5, 2.5)] == [[True, False], [False, False], [False, True]]
    assert tuple(moments.floor(2.0)[3, 3]) == colours.FLOOR
    assert tuple(moments.floor(3.0)[3, 3]) == colours.WALL


def test_a_film_of_a_plan_has_frames_that_differ() -> None:
    picture = image.open(BytesIO(film([track_of_plan(a_plan(), title="t")], ".gif")))
    assert picture.is_animated
    assert picture.n_frames > 4
    picture.seek(picture.n_frames - 1)
    last = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    assert (last == colours.AGENTS[0]).all(1).any()


def test_a_film_of_searches_ends_with_their_paths(tmp_path: Path) -> None:
    grid = rooms(24, 20, 6, seed=1)
    tracks = tracks_of_searches([watch_path(grid, (1, 1), (22, 18), name) for name in ("astar", "jps")])
    write_replay(tracks, tmp_path / "end.png", "t")
    pixels = np.asarray(image.open(tmp_path / "end.png").convert("RGB")).reshape(-1, 3).astype(int)
    for colour in (colours.PATH, colours.OPEN, colours.START, colours.WALL):
        assert (np.abs(pixels - colour).max(1) < 24).any()


@pytest.mark.plain
def test_an_svg_moves_agents_and_shows_the_end_where_nothing_moves() -> None:
    root = ElementTree.fromstring(svg([track_of_plan(a_plan(), [10, 20], title="A < B")]))
    assert root.find(f".//{SVG}text").text == "A < B"  # type: ignore[union-attr]
    discs = root.findall(f".//{SVG}circle")
    assert [(float(disc.get("cx", "")), float(disc.get("cy", ""))) for disc in discs] == [(2.5, 1.5), (5.5, 3.5)]
    along = discs[0].find(f"{SVG}animate[@attributeName='cx']")
    assert along is not None
    assert along.get("values", "").split(";")[0] == "0.5"
    times = [float(time) for time in along.get("keyTimes", "").split(";")]
    assert times == sorted(times)
    assert (times[0], times[-1]) == (0.0, 1.0)
    still = ElementTree.fromstring(svg([track_of_plan(a_plan())], animated=False))
    assert not still.findall(f".//{SVG}animate")


def test_an_svg_of_a_search_has_a_square_for_each_cell_it_saw() -> None:
    grid = rooms(24, 20, 6, seed=1)
    trace = watch_path(grid, (1, 1), (22, 18), "astar")
    root = ElementTree.fromstring(svg(tracks_of_searches([trace])))
    squares = [each for each in root.findall(f".//{SVG}rect") if each.get("width") == "1"]
    assert len(squares) == len(np.unique(trace.rows["cell"]))
    assert root.find(f".//{SVG}polyline[@pathLength='1']") is not None


def test_a_film_by_ffmpeg_or_a_sentence_without_it() -> None:
    if shutil.which("ffmpeg"):
        assert film([track_of_plan(a_plan())], ".mp4")[4:8] == b"ftyp"
    else:
        with pytest.raises(NotSupported, match="ffmpeg"):
            film([track_of_plan(a_plan())], ".mp4")


FFMPEG = """#!/bin/sh
for last; do true; done
cat > "$last"
"""


def test_ffmpeg_gets_every_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of that name that writes down what it gets."""
    program = tmp_path / "ffmpeg"
    program.write_text(FFMPEG)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    data = film([track_of_plan(a_plan())], ".mp4", frames=4)
    size = len(data) // 4
    assert len(data) == 4 * size
    assert len({data[k * size : (k + 1) * size] for k in range(4)}) == 4
    program.write_text("#!/bin/sh\necho it is broken >&2\nexit 1\n")
    with pytest.raises(BadInput, match="it is broken"):
        film([track_of_plan(a_plan())], ".mp4")


def test_pages_and_films_have_the_same_number_of_panels(tmp_path: Path) -> None:
    for suffix in ("html", "gif", "svg"):
        with pytest.raises(BadInput, match="1 to 4 panels"):
            write_replay([], tmp_path / f"x.{suffix}", "t")
    assert not list(tmp_path.iterdir())


@pytest.mark.plain
def test_a_picture_for_notebooks_is_a_png() -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (5, 7, 3)).astype(np.uint8)
    assert (np.asarray(image.open(BytesIO(png(pixels))).convert("RGB")) == pixels).all()


@pytest.mark.plain
def test_values_show_themselves_and_are_short() -> None:
    plan = a_plan()
    directions = DirectionMap(plan.grid)
    directions.learn((0, 0), (1, 0))
    track = track_of_plan(plan)
    moves = int((track.record.kind == MOVE).sum())
    assert repr(track.record) == f"Record(2 agents, 3 steps, {moves} rows)"
    for value in (plan.grid, directions, track.record, plan):
        assert len(repr(value)) < 120
        assert value._repr_html_().startswith(("<figure", "<iframe"))  # type: ignore[attr-defined]
    ElementTree.fromstring(directions._repr_html_())
