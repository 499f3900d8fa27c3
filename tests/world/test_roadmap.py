"""Roadmaps: lengths, speed limits, one-way lanes, closed lanes, and what is refused."""

import pytest

from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadInput
from wayfolk.problem.result import Status
from wayfolk.world.roadmap import Lane, Roadmap

PLACES = {"a": (0, 0), "b": (3, 4), "c": (3, 0)}


def test_a_lane_costs_its_length_over_its_speed():
    roadmap = Roadmap(PLACES, [Lane("a", "b"), Lane("a", "c", speed=3.0), Lane("c", "b", length=8.0, speed=4.0)])
    result = find_path(roadmap, "a", "b")
    assert (result.path, result.cost) == (["a", "c", "b"], 3.0)
    assert find_path(Roadmap(PLACES, [("a", "b"), ("a", "c"), ("c", "b")]), "a", "b").cost == 5.0


def test_one_way_lanes_lead_one_way():
    ring = Roadmap(PLACES, [("a", "b", True), ("b", "c", True), ("c", "a", True)])
    assert find_path(ring, "a", "b").path == ["a", "b"]
    assert find_path(ring, "b", "a").path == ["b", "c", "a"]


def test_closed_lanes_are_not_used_and_the_original_stays():
    roadmap = Roadmap(PLACES, [("a", "b"), ("a", "c"), ("c", "b")])
    closed = roadmap.with_closed([("a", "b")])
    assert find_path(closed, "a", "b").path == ["a", "c", "b"]
    assert find_path(closed, "b", "a").path == ["b", "a"]
    assert find_path(roadmap, "a", "b").path == ["a", "b"]
    shut = closed.with_closed([("c", "b"), ("b", "c"), ("b", "a")])
    assert find_path(shut, "a", "b").status is Status.IMPOSSIBLE
    assert sorted(set(shut.components.tolist())) == [1, 2]


@pytest.mark.plain
def test_a_roadmap_may_have_no_lanes_and_lie_in_space():
    roadmap = Roadmap({"up": (0, 0, 3), "down": (0, 0, 0)}, [])
    assert repr(roadmap) == "Roadmap(2 places, 0 lanes)"
    assert Roadmap({"up": (0, 0, 3), "down": (0, 4, 0)}, [("up", "down")]).lengths.tolist() == [5.0, 5.0]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("places", "lanes", "sentence"),
    [
        ({}, [], "a roadmap needs at least one place"),
        ({"a": (0,)}, [], "the place 'a' needs a position of two or three finite numbers, not \\(0,\\)"),
        ({"a": (0, float("nan"))}, [], "the place 'a' needs a position"),
        ({"a": (0, 0), "b": (0, 0, 1)}, [], "the place 'b' has 3 coordinates, those before it 2"),
        (PLACES, [("a", "q")], "lane 0 leads from 'a' to 'q', and there is no place 'q'"),
        (
            PLACES,
            [("a", "b"), Lane("a", "c", length=-1.0)],
            "lane 1 from 'a' to 'c' is -1.0 long: it must be 0 or more",
        ),
        (PLACES, [Lane("a", "c", speed=0.0)], "lane 0 from 'a' to 'c' has the speed limit 0.0: it must be above 0"),
    ],
)
def test_mistakes_are_named(places, lanes, sentence):
    with pytest.raises(BadInput, match=sentence):
        Roadmap(places, lanes)


@pytest.mark.plain
def test_a_lane_that_is_not_there_cannot_be_closed():
    with pytest.raises(BadInput, match="no lane leads from 'b' to 'a'"):
        Roadmap(PLACES, [("a", "b", True)]).with_closed([("b", "a")])
