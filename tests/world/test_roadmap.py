"""Roadmaps: lengths, speed limits, one-way lanes, closed lanes, and what is refused."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadInput, BadProblem
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


def test_a_divided_roadmap_takes_one_step_for_each_move():
    roads = wf.Roadmap(
        {"a": (0, 0), "b": (3, 0), "c": (3, 1)},
        [("a", "b"), wf.Lane("b", "c", one_way=True, speed=0.25), wf.Lane("c", "a", length=0.4)],
        levels={"a": "L1", "b": "L1", "c": "L1"},
    )
    parts = roads.divided(1.0)
    assert sorted(parts.graph.weight.tolist()) == pytest.approx([0.4] * 2 + [1.0] * 10)
    assert parts.place(parts.cell(("a", "b", 1))) == ("a", "b", 1)
    assert parts.positions[parts.cell(("a", "b", 2))].tolist() == [2.0, 0.0]
    assert parts.levels["b", "c", 3] == "L1"
    assert wf.find_path(parts, "a", "c").cost == pytest.approx(wf.find_path(roads, "a", "c").cost)
    assert wf.find_path(parts, "b", "a").cost == pytest.approx(3.0)
    assert wf.find_path(parts, "c", "b").cost == pytest.approx(3.4)
    assert wf.Roadmap(["a", "b"], [wf.Lane("a", "b", length=5)]).divided(1.0).n_cells == 6
    with pytest.raises(BadInput, match="a step takes a time above 0, not 0"):
        roads.divided(0)


def test_distances_to_walls_are_those_of_shapely():
    shapely = pytest.importorskip("shapely")
    rng = np.random.default_rng(4)
    points = {k: tuple(rng.random(2) * 5) for k in range(30)}
    walls = [((rng.random(), rng.random() * 5), (rng.random() * 5, rng.random())) for _ in range(6)]
    roads = wf.Roadmap(points, [(k, (k + 7) % 30) for k in range(30)], walls=[*walls, ((2, 2), (2, 2))])
    begin, end = roads.sources, roads.graph.target
    lines = [shapely.LineString(wall) for wall in walls] + [shapely.Point(2, 2)]
    for k, distance in enumerate(roads.distance_to_walls(begin, end)):
        way = shapely.LineString([points[int(begin[k])], points[int(end[k])]])
        assert distance == pytest.approx(min(way.distance(line) for line in lines))
    assert roads.distance_to_walls(begin, begin)[0] == pytest.approx(
        min(shapely.Point(points[int(begin[0])]).distance(line) for line in lines)
    )


def test_discs_keep_away_from_walls():
    roads = wf.Roadmap(
        {"a": (0, 0), "b": (2, 0), "c": (2, 2), "d": (0, 0.5)},
        [("a", "b"), ("b", "c"), ("a", "d")],
        walls=[((1, 0.3), (1, 5)), ((-1, 0.9), (0.2, 0.9))],
    )
    slim, wide = wf.Body(radius=0.2), wf.Body(radius=0.35)
    assert wf.one_shot(roads, ["a"], ["c"], bodies=slim).n_agents == 1
    with pytest.raises(BadProblem, match="agent 0 cannot get from a to its goal c"):
        wf.one_shot(roads, ["a"], ["c"], bodies=wide)
    with pytest.raises(BadProblem, match=r"agent 0 starts at d, where there is no room for its radius of 0\.45"):
        wf.one_shot(roads, ["d"], ["a"], bodies=wf.Body(radius=0.45))
    with pytest.raises(BadInput, match="a roadmap with walls needs the positions of its places"):
        wf.Roadmap(["a", "b"], [("a", "b")], walls=[((0, 0), (1, 1))])
    with pytest.raises(BadInput, match="wall 0 needs two points of two finite numbers"):
        wf.Roadmap({"a": (0, 0)}, [], walls=[((0, 0), (1, float("nan")))])


def test_discs_do_not_swap_in_a_lift_and_do_not_meet_on_other_floors():
    house = wf.Roadmap(
        {"a1": (0, 0), "b1": (1, 0), "a2": (0, 0), "b2": (1, 0)},
        [("a1", "b1"), ("a2", "b2"), ("a1", "a2")],
        levels={"a1": "1", "b1": "1", "a2": "2", "b2": "2"},
    )
    problem = wf.one_shot(house, ["a1", "a2"], ["a2", "a1"], bodies=wf.Body(radius=0.4))
    swap = wf.Plan(problem.states, np.array([problem.starts, problem.starts[::-1]], np.int32))
    assert [fault.kind for fault in wf.check(swap, problem)] == ["near"]
    table, (one, other) = problem.states.occupancy, problem.starts.tolist()
    rows = [
        table.first[a] + list(table.target[table.first[a] : table.first[a + 1]]).index(b)
        for a, b in ((one, other), (other, one))
    ]
    held = [set(table.move_places[table.move_first[row] : table.move_first[row + 1]].tolist()) for row in rows]
    assert held[0] & held[1]
