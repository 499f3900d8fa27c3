"""The replay of a trajectory: a browser reads places, headings, brain states, lamps and levels of service from the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from replay.pages import embedded, ready
from wayfolk.crowds.trajectory import Recorder, Trajectory
from wayfolk.errors import BadInput
from wayfolk.problem.layers import CellLayer, LayerKind
from wayfolk.replay import Track, replay_html, trajectory_frame
from wayfolk.world.grid import Grid


def a_trajectory(*, grid: bool = True, n_agents: int = 6, frames: int = 20) -> Trajectory:
    rng = np.random.default_rng(3)
    free = np.ones((8, 12), bool)
    free[3, 4:7] = False
    recorder = Recorder(0.25, grid=Grid(free) if grid else None, cell=2.0, name="some bodies")
    places, speeds = rng.uniform(1, 15, (n_agents, 2)), rng.normal(0, 1, (n_agents, 2))
    for frame in range(frames):
        agents = np.arange(1 if frame >= frames // 2 else 0, n_agents if frame > 4 else n_agents - 1)
        headings = np.arctan2(speeds[agents, 1], speeds[agents, 0])
        recorder.add(agents, places[agents], headings, (agents + frame // 7) % 3, [3 + frame % 2])
        places = np.clip(places + 0.25 * speeds, 0.3, 15.7)
    return recorder.trajectory(
        np.linspace(0.2, 0.9, n_agents),
        state_names=("walking", "waiting", "running", "green", "red"),
        kinds=np.arange(n_agents) == n_agents - 1,
        kind_names=("pedestrian", "car"),
        lamps=[(6.0, 8.0)],
        walls=[(2.0, 2.0, 6.0, 2.0)],
    )


@pytest.mark.parametrize("grid", [True, False])
def test_the_page_shows_each_body_where_it_was(visit: Callable[..., Any], grid: bool) -> None:
    trajectory = a_trajectory(grid=grid)
    page = ready(visit([Track("bodies", trajectory)]))
    head = embedded(replay_html([Track("bodies", trajectory)], "t"))[0]
    shift = np.array([0, 0]) if grid else trajectory_corner(trajectory)
    assert page.evaluate("wayfolk.end") == pytest.approx(trajectory.duration)
    assert (head["width"], head["height"]) == (12, 8) or not grid
    for frame in (0, 3, 5, 11, 19):
        shown = page.evaluate(f"wayfolk.positionsAt(0, {frame * 0.25})")
        told = page.evaluate(f"wayfolk.bodiesAt(0, {frame * 0.25})")
        for agent in range(trajectory.n_agents):
            place = trajectory.places[frame, agent]
            if np.isnan(place[0]):
                assert shown[agent] is None
                assert told[agent] is None
                continue
            assert shown[agent] == pytest.approx((place / 2.0 - shift - 0.5).tolist(), abs=0.006)
            assert told[agent]["state"] == trajectory.state_names[trajectory.states[frame, agent]]
            turn = told[agent]["heading"] - float(trajectory.headings[frame, agent])
            assert abs((turn + np.pi) % (2 * np.pi) - np.pi) < 0.02
        assert page.evaluate(f"wayfolk.lampsAt(0, {frame * 0.25})") == ["green", "red"][frame % 2 : frame % 2 + 1]
        assert page.evaluate(f"wayfolk.countsAt(0, {frame * 0.25}).present") == int(trajectory.present[frame].sum())


def trajectory_corner(trajectory: Trajectory) -> Any:
    ends = np.concatenate([trajectory.places.reshape(-1, 2), trajectory.walls.reshape(-1, 2)]) / 2.0
    return np.floor(np.nanmin(ends, 0) - 1)


def test_places_between_frames_are_between_places(visit: Callable[..., Any]) -> None:
    trajectory = a_trajectory()
    page = ready(visit([Track("bodies", trajectory)]))
    shown = page.evaluate("wayfolk.positionsAt(0, 1.6)")[2]
    expected = 0.6 * trajectory.places[6, 2] + 0.4 * trajectory.places[7, 2]
    assert shown == pytest.approx((expected / 2.0 - 0.5).tolist(), abs=0.01)


def test_crowded_bodies_have_a_worse_level_of_service(visit: Callable[..., Any]) -> None:
    recorder = Recorder(0.5)
    crowd = np.array([(5 + 0.5 * (k % 5), 5 + 0.5 * (k // 5)) for k in range(25)] + [(20.0, 20.0)])
    for _ in range(2):
        recorder.add(np.arange(26), crowd, np.zeros(26))
    page = ready(visit([Track("crowd", recorder.trajectory(np.full(26, 0.2)))]))
    told = page.evaluate("wayfolk.bodiesAt(0, 0)")
    assert told[25]["service"] == "A"
    assert told[12]["service"] == "F"
    page.get_by_role("button", name="Level of service").click()
    assert page.evaluate("wayfolk.isShown('service')") is True
    page.wait_for_timeout(100)
    assert "Level of service" in page.locator(".notes .caption").inner_text()


def test_a_followed_body_tells_its_kind_speed_and_state(visit: Callable[..., Any]) -> None:
    page = ready(visit([Track("bodies", a_trajectory())]))
    page.evaluate("wayfolk.follow(2)")
    page.evaluate("wayfolk.seek(1)")
    page.wait_for_timeout(100)
    text = page.locator(".followed").inner_text()
    assert "pedestrian" in text
    assert "m/s" in text
    assert "running" in text


def test_a_layer_of_cells_is_shown_below_bodies(visit: Callable[..., Any]) -> None:
    trajectory = a_trajectory()
    grid = trajectory.grid
    assert grid is not None
    area = np.full(grid.n_cells, 2**31 - 1, np.int32)
    area[grid.cell((0, 0))] = 0
    layer = CellLayer("Street", area, np.zeros(grid.n_cells, np.uint8), (LayerKind("road", "grey"),))
    page = ready(visit([Track("bodies", trajectory, layers=(layer,))]))
    assert page.evaluate("wayfolk.areasAt(0, 'Street', 0)")["area"][0] == 0


def test_a_notebook_shows_a_small_trajectory_and_names_an_empty_one() -> None:
    assert trajectory_frame(a_trajectory()).startswith("<iframe")
    none = Recorder(1.0).trajectory([])
    assert "not shown" in none._repr_html_()
    with pytest.raises(BadInput, match="without frames"):
        replay_html([Track("none", none)], "none")
