"""Measures of trajectories whose values are known: lattices, columns, lanes, a door."""

import numpy as np
import pytest

from wayfolk.crowds.measures import density, flow, lanes, times
from wayfolk.crowds.trajectory import Recorder
from wayfolk.errors import BadInput
from wayfolk.world.area import Area
from wayfolk.world.grid import Grid

pytestmark = pytest.mark.plain


def moving(starts, velocities, *, frames=11, seconds=0.5, grid=None, until=None, radius=0.2):
    """Bodies that keep their velocities; body k leaves after frame `until[k]`."""
    starts, velocities = np.asarray(starts, float), np.broadcast_to(velocities, np.shape(starts))
    recorder = Recorder(seconds, grid=grid)
    for frame in range(frames):
        there = np.arange(len(starts)) if until is None else np.flatnonzero(np.asarray(until) >= frame)
        where = starts[there] + velocities[there] * frame * seconds
        recorder.add(there, where, np.zeros(len(there)))
    return recorder.trajectory(np.full(len(starts), radius))


def lattice(spacing, n=12):
    return [(spacing * (x + 0.5), spacing * (y + 0.5)) for x in range(n) for y in range(n)]


def test_a_lattice_has_the_density_of_its_spacing():
    for spacing in (0.5, 1.0):
        side = 12 * spacing
        trajectory = moving(
            lattice(spacing), (0.0, 0.0), frames=2, grid=Grid(np.ones((round(side), round(side)), bool))
        )
        middle = (0.25 * side, 0.25 * side, 0.75 * side, 0.75 * side)
        assert density.voronoi_density(trajectory, middle, spacing=0.1).density == pytest.approx(
            1 / spacing**2, rel=0.02
        )
        assert density.area_density(trajectory, middle).density == pytest.approx(1 / spacing**2)
        assert density.grid_density(trajectory, cell=1.0) == pytest.approx(1 / spacing**2)


def test_an_area_may_be_a_polygon():
    """Half of a square, cut from corner to corner, with half of those who stand in it."""
    trajectory = moving(lattice(1.0), (0.0, 0.0), frames=2, grid=Grid(np.ones((12, 12), bool)))
    triangle = [(0, 0), (12, 0), (0, 12)]
    assert density.voronoi_density(trajectory, triangle).density == pytest.approx(1.0, rel=0.02)
    assert density.area_density(trajectory, Area(triangle)).density == pytest.approx(66 / 72)
    assert times.evacuation_time(moving([(1, 1)], (1.0, 0.0), frames=30), area=triangle) == pytest.approx(10.0)


def test_only_agents_that_were_there_count_for_an_evacuation():
    """One leaves the room, one comes into it later and leaves, one is never in it, and one is never anywhere."""
    places = np.full((8, 4, 2), np.nan)
    places[:3, 0] = (1, 1)
    places[3:, 0] = (9, 1)
    places[4:6, 1] = (2, 2)
    places[:, 2] = (9, 3)
    recorder = Recorder(0.5)
    for frame in places:
        there = np.flatnonzero(~np.isnan(frame[:, 0]))
        recorder.add(there, frame[there], np.zeros(len(there)))
    trajectory = recorder.trajectory(np.full(4, 0.2))
    room = (0, 0, 5, 5)
    assert times.evacuation_time(trajectory, area=room) == pytest.approx(3.0)
    assert times.evacuation_time(trajectory, area=room, share=0.5) == pytest.approx(1.5)
    assert times.evacuation_time(trajectory, area=(20, 20, 21, 21)) == 0.0
    assert times.evacuation_time(trajectory) == np.inf
    assert times.evacuation_time(trajectory, share=1 / 3) == pytest.approx(3.0)
    assert times.travel_times(trajectory) == pytest.approx([np.nan, 1.0, np.nan, np.nan], nan_ok=True)


def test_walls_are_no_part_of_voronoi_cells():
    free = np.ones((4, 8), bool)
    free[:, 4:] = False
    trajectory = moving([(2.0, 2.0)], (0.0, 0.0), frames=2, grid=Grid(free))
    found = density.voronoi_density(trajectory, (0, 0, 8, 4))
    assert found.density == pytest.approx(1 / 16)
    half = density.voronoi_density(trajectory, (0, 0, 2, 4), cut_off=1.0)
    assert half.density == pytest.approx(0.5 / 8, rel=0.05)


def test_speed_and_flow_are_those_of_a_column():
    column = moving([(0.5 - 2.0 * k, 1.0) for k in range(10)], (1.0, 0.0), frames=41)
    found = flow.passages(column, (2.0, 2.0, 2.0, 0.0))
    assert found.times == pytest.approx(1.5 + 2.0 * np.arange(10))
    assert found.flow == pytest.approx(0.5)
    assert found.specific_flow == pytest.approx(0.25)
    assert set(found.sides) == {1}
    assert set(flow.passages(column, (2.0, 0.0, 2.0, 2.0)).sides) == {-1}
    assert found.headways() == pytest.approx(2.0)
    assert len(flow.passages(column, (2.0, 3.0, 2.0, 2.0)).times) == 0
    diagram = flow.fundamental_diagram(column, (-4.0, 0.5, 4.0, 1.5), by="area")
    assert diagram.speed == pytest.approx(1.0)
    assert diagram.flow[8:28] == pytest.approx(0.5)


def test_headways_are_those_of_one_lane():
    two = moving([(0.0, 0.2), (-0.5, 1.8), (-2.0, 0.3)], (1.0, 0.0), frames=21)
    found = flow.passages(two, (1.0, 2.0, 1.0, 0.0))
    assert sorted(found.headways()) == pytest.approx([0.5, 1.5])
    assert found.headways(lane=0.5) == pytest.approx([2.0])


def test_lanes_have_order_and_a_mixture_has_none():
    rng = np.random.default_rng(0)
    y = rng.uniform(0, 10, 400)
    x = rng.uniform(0, 20, 400)
    in_lanes = np.where((y // 1.0) % 2 == 0, 1.0, -1.0)
    mixed = rng.choice([-1.0, 1.0], 400)
    still = np.zeros(400)
    ordered = moving(np.stack([x, y], 1), np.stack([in_lanes, still], 1), frames=3)
    muddled = moving(np.stack([x, y], 1), np.stack([mixed, still], 1), frames=3)
    assert lanes.lane_order(ordered, band=0.1).mean() > 0.8
    assert lanes.lane_order(muddled, band=0.4).mean() < 0.2
    assert lanes.random_lane_order(ordered, band=0.4).mean() < 0.2
    assert lanes.lane_order(ordered, kinds=in_lanes, band=0.1).mean() > 0.8


def test_the_evacuation_ends_with_the_last():
    trajectory = moving([(0, 0), (1, 0), (2, 0), (3, 0)], (0.0, 0.0), until=[1, 3, 5, 20])
    assert times.evacuation_time(trajectory) == np.inf
    assert times.evacuation_time(trajectory, share=0.75) == pytest.approx(3.0)
    assert times.travel_times(trajectory)[:3] == pytest.approx([1.0, 2.0, 3.0])
    out = moving([(0.5, 0.5), (1.5, 0.5)], (1.0, 0.0))
    assert times.evacuation_time(out, area=(0, 0, 2, 1)) == pytest.approx(1.5)


def test_an_overlap_is_counted_in_frames():
    trajectory = moving([(0.0, 0.0), (2.0, 0.0)], [(0.4, 0.0), (-0.4, 0.0)], frames=11, seconds=0.5, radius=0.25)
    n, one, other, last = times.longest_overlap(trajectory)
    assert (n, one, other) == (3, 0, 1)
    assert last == 6


def test_levels_of_service_are_those_of_fruin():
    assert [density.service_level(value) for value in (0.1, 0.4, 0.5, 1.0, 2.0, 4.0)] == list("ABCDEF")


def test_weidmann_walks_freely_when_alone_and_stands_at_the_most():
    assert flow.weidmann_speed(np.array([0.01, 5.4])) == pytest.approx([1.34, 0.0], abs=0.01)


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        (lambda t: density.grid_density(t, cell=0), "the side of a cell"),
        (lambda t: density.voronoi_density(t, (1, 0, 0, 1)), "an area is left < right"),
        (lambda t: density.service_level(float("nan")), "a density is 0 or more"),
        (lambda t: density.voronoi_density(t, (50, 50, 51, 51)), "no free place is in the area"),
        (lambda t: density.voronoi_density(t, (0, 0, 1, 1), spacing=-1), "spacing"),
        (lambda t: flow.passages(t, (1, 1, 1, 1)), "two different ends"),
        (lambda t: flow.passages(t, "door"), "a line is x1, y1, x2, y2"),
        (lambda t: flow.fundamental_diagram(t, (0, 0, 1, 1), by="eye"), "by 'voronoi' or 'area'"),
        (lambda t: lanes.lane_order(t, band=0), "a band is above 0"),
        (lambda t: lanes.lane_order(t, kinds=[1]), "a value for each of the 2 agents"),
        (lambda t: times.evacuation_time(t, share=0), "share"),
    ],
)
def test_a_mistake_is_one_sentence(measure, sentence):
    trajectory = moving([(0.0, 0.0), (2.0, 1.0)], (0.1, 0.0))
    with pytest.raises(BadInput) as caught:
        measure(trajectory)
    assert sentence in str(caught.value)
