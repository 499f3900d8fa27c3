"""Films and drawings of crowds: bodies are where the trajectory says, in the colours of the page."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from command import wayfolk
from replay.test_bodies import a_trajectory, trajectory_corner
from wayfolk.crowds.trajectory import Trajectory
from wayfolk.errors import BadInput
from wayfolk.problem.layers import CellLayer, LayerKind
from wayfolk.replay import Track, colours, write_replay
from wayfolk.replay.body_moments import BodyMoments
from wayfolk.replay.film import film
from wayfolk.replay.node_moments import moments_of
from wayfolk.replay.vector import svg

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
SVG = "{http://www.w3.org/2000/svg}"


def panel_of(trajectory: Trajectory) -> BodyMoments:
    panel = moments_of(Track("bodies", trajectory))
    assert isinstance(panel, BodyMoments)
    return panel


@pytest.mark.plain
@pytest.mark.parametrize("grid", [True, False])
def test_bodies_are_where_they_were_and_glide_between(grid: bool) -> None:
    trajectory = a_trajectory(grid=grid)
    panel = panel_of(trajectory)
    shift = np.zeros(2) if grid else trajectory_corner(trajectory)
    for frame in (0, 3, 5, 11, 19):
        places, here = panel.agents(frame * 0.25)
        assert here.tolist() == trajectory.present[frame].tolist()
        expected = trajectory.places[frame] / 2.0 - shift - 0.5
        np.testing.assert_allclose(places[here], expected[here], atol=1e-5)
    between, _ = panel.agents(3.5 * 0.25)
    np.testing.assert_allclose(between[1], (panel.agents(0.75)[0][1] + panel.agents(1.0)[0][1]) / 2, atol=1e-5)


@pytest.mark.plain
def test_states_and_signals_have_their_colours() -> None:
    trajectory = a_trajectory()
    panel = panel_of(trajectory)
    state = trajectory.states[8].tolist()
    assert panel.hues(2.0)[1] == colours.AGENTS[state[1]]
    assert panel.hues(0.0)[5] == colours.AGENTS[1]  # a car that is not there yet has no state, but a kind
    assert [panel.lamp_hues(t)[0] for t in (0.0, 0.25)] == [colours.LAMPS["green"], colours.LAMPS["red"]]
    assert panel.is_vehicle.tolist() == [False] * 5 + [True]


def test_a_film_of_a_crowd_moves_at_its_own_pace() -> None:
    picture = image.open(BytesIO(film([Track("bodies", a_trajectory())], ".gif")))
    assert picture.n_frames == 1 + int(np.ceil(19 * 0.25 * 16))
    trajectory = a_trajectory()
    still = np.asarray(image.open(BytesIO(film([Track("", trajectory)], ".png"))).convert("RGB"))
    scale = 960 // 12
    for body in (1, 5):  # each is drawn where it is at the end, in its colour: below the line of its heading
        places, here = panel_of(trajectory).agents(trajectory.duration)
        assert here[body]
        way = trajectory.headings[-1, body]
        behind = places[body] + 0.5 - 0.25 * np.array([np.cos(way), np.sin(way)]) * trajectory.radii[body] / 2
        x, y = np.rint(behind * scale).astype(int) + 12
        wanted = panel_of(trajectory).hues(trajectory.duration)[body]
        assert np.abs(still[y, x].astype(int) - wanted).max() < 40, (body, still[y, x], wanted)


def test_the_lanes_of_a_street_are_below_its_bodies() -> None:
    trajectory = a_trajectory()
    grid = trajectory.grid
    assert grid is not None
    area, kind = np.full(grid.n_cells, 2**31 - 1, np.int32), np.zeros(grid.n_cells, np.uint8)
    area[grid.cell((0, 7))] = 0
    layer = CellLayer("Street", area, kind, (LayerKind("lane", "orange", 0.5),))
    floor = BodyMoments(Track("bodies", trajectory, layers=(layer,)), trajectory).floor(0.0)
    middle = (np.array(colours.TONES["orange"]) + colours.FLOOR) / 2
    assert np.abs(floor[7, 0] - middle).max() <= 1
    assert tuple(floor[3, 5]) == colours.WALL
    assert tuple(floor[0, 0]) == colours.FLOOR


@pytest.mark.parametrize("animated", [True, False])
def test_a_drawing_of_a_crowd_has_a_disc_for_each_body(animated: bool) -> None:
    trajectory = a_trajectory()
    root = ElementTree.fromstring(svg([Track("bodies", trajectory)], animated=animated))
    discs = list(root.iter(f"{SVG}circle"))
    places, here = panel_of(trajectory).agents(trajectory.duration)
    bodies = list(range(trajectory.n_agents)) if animated else np.flatnonzero(here).tolist()
    assert len(discs) == len(bodies) + 1  # and a signal
    for disc, body in zip(discs, bodies, strict=False):
        if here[body]:
            at = float(disc.get("cx", "")), float(disc.get("cy", ""))
            assert at == pytest.approx((places[body] + 0.5).tolist(), abs=0.02)
        else:
            assert disc.get("opacity") == "0"
    moves = list(root.iter(f"{SVG}animate"))
    assert bool(moves) == animated
    for move in moves:
        keys, values = move.get("keyTimes", "").split(";"), move.get("values", "").split(";")
        assert len(keys) == len(values)
        assert (keys[0], sorted(map(float, keys))) == ("0", list(map(float, keys)))
        assert keys[-1] == "1"


def test_an_empty_trajectory_is_refused(tmp_path: Path) -> None:
    empty = a_trajectory(frames=0)
    for name in ("a.gif", "a.svg", "a.png", "a.html"):
        with pytest.raises(BadInput, match="without frames"):
            write_replay([Track("none", empty)], tmp_path / name, "t")
    assert not list(tmp_path.iterdir())


STREET = """
name = "A short street"
until = 4
seed = 3
[street]
cell = 3.0
map = \"\"\"
#....#
>>xx>>
#....#
\"\"\"
[[spawn]]
brain = "pedestrian"
rate = 2.0
"""


def test_a_street_is_filmed_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "street.toml").write_text(STREET)
    for name in ("a.gif", "a.svg"):
        said = wayfolk("run", tmp_path / "street.toml", "--html", tmp_path / name)
        assert (said.code, said.err) == (0, "")
        assert "status                 ended" in said.out
    assert image.open(BytesIO((tmp_path / "a.gif").read_bytes())).n_frames > 20
    ElementTree.fromstring((tmp_path / "a.svg").read_text())
