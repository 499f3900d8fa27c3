"""Replays of agents at nodes of a graph of states: a browser reads points, headings, goals and counts from the page."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from replay.pages import embedded, ready, until
from wayfolk.errors import NotSupported
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.events import block, close_lanes, free
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem, one_shot, random_problem
from wayfolk.problem.result import Result, Status
from wayfolk.replay import Track, replay_html, track_of_plan, write_replay
from wayfolk.replay.node_moments import NodeMoments, moments_of
from wayfolk.replay.node_points import node_points
from wayfolk.replay.results import page_of_result
from wayfolk.simulation.solving import simulate
from wayfolk.world.body import Body
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane, Roadmap
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

FLOORS = Roadmap(
    {"a": (0, 0), "b": (10, 0), "c": (10, 4), "up": (10, 0), "far": (0, 3)},
    [Lane("a", "b"), Lane("b", "c", True), ("c", "a"), ("b", "up"), ("up", "far")],
    levels={"a": "L1", "b": "L1", "c": "L1", "up": "L2", "far": "L2"},
)
MIXED = [Body(size=2), Body(), Body(turns=True), Body(speed=1 / 3), Body(size=3, turns=True, speed=1 / 2)]


def a_world(kind: str) -> Grid | Graph:
    free = np.random.default_rng(5).random((9, 12)) > 0.08
    worlds: dict[str, Grid | Graph] = {
        "mixed": Grid(free, "eight"), "hexagons": HexGrid(free), "flat": HexGrid(free, "flat", shifted="even"),
        "triangles": TriangleGrid(free), "voxels": Voxels(np.stack([free[:5], free[4:]])), "roadmap": FLOORS,
        "graph": Graph([0, 1, 2, 3], [1, 2, 0], [1.0, 1.0, 1.0]),
    }  # fmt: skip
    return worlds[kind]


def a_problem(kind: str) -> Problem:
    bodies = {"mixed": MIXED, "flat": Body(speed=1 / 4), "roadmap": [Body(radius=0.5), Body(radius=0.25, speed=1 / 2)]}
    n_agents = {"roadmap": 2, "graph": 1}.get(kind, 5)
    return random_problem(a_world(kind), n_agents, seed=3, bodies=bodies.get(kind))


def a_walk(problem: Problem, n_steps: int = 12) -> Plan:
    """Each agent on its own random way, whatever the others do; the last one ends on its goal."""
    states, rng = problem.states, np.random.default_rng(1)
    cells = [problem.starts.copy()]
    for _ in range(n_steps):
        ends = [states.graph.target[slice(*states.graph.first[node : node + 2])] for node in cells[-1]]
        cells.append(
            np.array([rng.choice(end) if len(end) else node for end, node in zip(ends, cells[-1], strict=True)])
        )
    cells.append(cells[-1].copy())
    cells[-1][-1] = problem.goals[-1]
    return Plan(states, np.array(cells, np.int32))


KINDS = ["mixed", "hexagons", "flat", "triangles", "voxels", "roadmap", "graph"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_shows_each_agent_at_its_node_and_between_two(visit: Callable[..., Any], kind: str) -> None:
    problem = a_problem(kind)
    plan = a_walk(problem)
    points = node_points(problem.states)
    page = ready(visit([track_of_plan(plan, problem.goals, kind)]))
    assert page.evaluate("wayfolk.end") == plan.n_steps
    for step in range(plan.n_steps):
        here, there = plan.cells[step], plan.cells[step + 1]
        begin, end = points.points(here), points.points(there)
        same = (points.levels_of(here) == points.levels_of(there))[:, None]
        shown = page.evaluate(f"wayfolk.positionsAt(0, {step})")
        assert np.array(shown) == pytest.approx(begin, abs=1e-4)
        between = page.evaluate(f"wayfolk.positionsAt(0, {step + 0.25})")
        assert np.array(between) == pytest.approx(np.where(same, begin + 0.25 * (end - begin), begin), abs=1e-4)
        headings = np.array(page.evaluate(f"wayfolk.headingsAt(0, {step})"))
        assert np.cos(headings - points.headings(here)) == pytest.approx(np.ones(len(here)), abs=1e-3)
    goals = points.points(problem.goals)
    assert np.array(page.evaluate("wayfolk.goalsAt(0, 0)")) == pytest.approx(goals, abs=1e-4)
    assert page.evaluate(f"wayfolk.countsAt(0, {plan.n_steps}).arrived") == plan.home(problem.goals)[-1].sum() >= 1
    if kind != "mixed":
        until(page, "wayfolk.pictureIsDrawn(0)")
    page.evaluate("wayfolk.seek(wayfolk.end)")
    page.evaluate("wayfolk.follow(0)")
    until(page, "document.querySelector('.followed').textContent.includes('at ')")
    assert f"at {points.names(plan.cells[-1:, 0])[0]}" in page.inner_text(".followed")


def test_a_body_that_turns_has_arrived_in_every_heading(visit: Callable[..., Any]) -> None:
    problem = one_shot(Grid(np.ones((1, 4))), [(0, 0, "E")], [(2, 0)], bodies=Body(turns=True))
    ways = [(0, 0, "E"), (1, 0, "E"), (2, 0, "E"), (2, 0, "SE")]
    plan = Plan(problem.states, np.array([[problem.states.node(place)] for place in ways], np.int32))
    page = ready(visit([track_of_plan(plan, problem.goals)]))
    assert [page.evaluate(f"wayfolk.countsAt(0, {t}).arrived") for t in (0, 1, 3)] == [0, 1, 1]
    assert page.evaluate("wayfolk.headingsAt(0, 2.5)")[0] == pytest.approx(np.pi / 8, abs=0.01)


def test_bodies_are_drawn_to_scale(visit: Callable[..., Any]) -> None:
    shapes = node_points(
        random_problem(Grid(np.ones((8, 8))), 3, bodies=[Body(size=3), Body(), Body(turns=True)]).states
    ).shapes
    assert [(round(shape.side), shape.turns) for shape in shapes] == [(3, False), (0, False), (0, True)]
    states = random_problem(FLOORS, 2, bodies=[Body(radius=0.5), Body()], seed=1).states
    points = node_points(states)
    assert points.shapes[0].radius * points.unit == pytest.approx(0.5)
    assert points.shapes[1].radius < points.shapes[0].radius
    lanes = points.at[[FLOORS.cell("a"), FLOORS.cell("b")]] * points.unit
    assert np.linalg.norm(lanes[1] - lanes[0]) == pytest.approx(10.0)
    apart = points.at[FLOORS.cell("up")] - points.at[FLOORS.cell("b")]
    assert np.abs(apart).max() * points.unit > 4.0, "levels lie beside each other"


def test_the_head_has_the_picture_only_of_worlds_that_are_no_grids() -> None:
    for kind in KINDS:
        problem = a_problem(kind)
        (panel,) = embedded(replay_html([track_of_plan(a_walk(problem), problem.goals)], "t"))
        nodes = panel["nodes"]
        assert ("picture" in nodes) == (kind != "mixed")
        body = gzip.decompress(base64.b64decode(nodes["body"]))
        assert len(body) == 15 * nodes["count"] == 15 * len(nodes["names"])
        assert len(nodes["kindOf"]) == problem.n_agents


@pytest.mark.parametrize("kind", KINDS)
def test_films_and_drawings_show_them_too(tmp_path: Any, kind: str) -> None:
    problem = a_problem(kind)
    plan = a_walk(problem)
    track = track_of_plan(plan, problem.goals, kind)
    moments = moments_of(track)
    assert isinstance(moments, NodeMoments)
    places, here = moments.agents(3.0)
    assert here.all()
    assert places == pytest.approx(node_points(problem.states).points(plan.cells[3]))
    write_replay([track], tmp_path / "film.gif", "t")
    write_replay([track], tmp_path / "end.png", "t")
    write_replay([track], tmp_path / "film.svg", "t")
    drawn = (tmp_path / "film.svg").read_text()
    assert len(re.findall('type="translate"', drawn)) == problem.n_agents
    assert len(re.findall('type="rotate"', drawn)) == sum(
        body.turns for body in map(problem.body, range(problem.n_agents))
    )
    values = re.findall(r'type="translate" values="([^"]*)"', drawn)[0].split(";")
    first = node_points(problem.states).points(plan.cells[:1, 0])[0] + 0.5
    assert np.array(values[0].split(), float) == pytest.approx(first, abs=1e-2)
    from PIL import Image

    with Image.open(tmp_path / "film.gif") as film:
        assert film.n_frames > 1  # type: ignore[attr-defined]


def test_agents_who_come_and_go_have_a_body(visit: Callable[..., Any]) -> None:
    from wayfolk.kernels.codes import JOIN, LEAVE, MOVE
    from wayfolk.problem.record import Record

    problem = one_shot(FLOORS, ["a", "c"], ["b", "a"], bodies=[Body(radius=0.5), Body(radius=0.25)])
    states = problem.states
    rows = [(1.0, 1, JOIN, states.node("c", 1)), (2.0, 1, MOVE, states.node("a", 1)), (4.0, 0, LEAVE, states.node("a"))]
    time, agent, kind, cell = (np.array(column) for column in zip(*rows, strict=True))
    starts = np.array([states.node("a"), NOWHERE], np.int32)
    record = Record(states, starts, time, agent.astype(np.int32), kind.astype(np.uint8), cell.astype(np.int32), 6.0)
    page = ready(visit([Track("t", record)]))
    assert [row is None for row in page.evaluate("wayfolk.positionsAt(0, 0)")] == [False, True]
    assert [row is None for row in page.evaluate("wayfolk.positionsAt(0, 1)")] == [False, False]
    assert [row is None for row in page.evaluate("wayfolk.positionsAt(0, 5)")] == [True, False]
    (panel,) = embedded(replay_html([Track("t", record)], "t"))
    assert panel["nodes"]["kindOf"] == [0, 1]


def test_what_closes_and_opens_is_drawn(visit: Callable[..., Any], tmp_path: Any) -> None:
    hexagons = HexGrid([[1, 1, 1], [1, 1, 1]])
    events = [block(1, [(1, 0)]), free(3, [(1, 0)])]
    run = simulate(one_shot(hexagons, [(0, 1)], [(2, 0)]), "lra", events=events)
    (panel,) = embedded(replay_html([run.track()], "t"))
    assert panel["nodes"]["edits"] == [[1.0, 0, 1], [3.0, 0, 0]][: 1 + (run.time >= 3)]
    middle = node_points(run.record.states).at[hexagons.cell((1, 0))] + 0.5
    assert np.array(panel["nodes"]["outlines"][0]).mean(0) == pytest.approx(middle, abs=1e-3)
    ready(visit([run.track()]))
    problem = one_shot(FLOORS, ["a"], ["b"], bodies=Body(radius=0.5))
    closed = simulate(problem, "lra", events=[close_lanes(0, [("a", "b")])], until=9)
    moments = moments_of(closed.track())
    assert isinstance(moments, NodeMoments)
    assert list(moments.edits(1.0).items()) == [((FLOORS.cell("a"), FLOORS.cell("b")), True)]
    closed.save_replay(tmp_path / "end.png")
    door = simulate(
        one_shot(Grid(np.ones((2, 5))), [(0, 0)], [(3, 0)], bodies=Body(size=2)),
        "lra",
        events=[block(1, [(2, 1)])],
        until=9,
    )
    page = ready(visit([door.track()]))
    assert sum(page.evaluate("wayfolk.wallsAt(0, 9)")) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_problem_shows_its_bodies_in_a_notebook(kind: str) -> None:
    problem = a_problem(kind)
    picture = problem._repr_html_()
    assert picture.count('transform="translate(') >= problem.n_agents
    assert "<animate" not in picture
    assert "Problem(" in picture


def test_results_on_any_world_have_a_page() -> None:
    problem = a_problem("hexagons")
    result = Result(Status.PARTIAL, "by hand", plan=a_walk(problem), problem=problem)
    page = page_of_result(result)
    assert page.title == "Plan: by hand"
    assert "hexagons" not in page.html[:200]
    assert result.plan is not None
    assert "<iframe" in result.plan._repr_html_()
    with pytest.raises(NotSupported, match="points on square grids"):
        _ = result.plan.grid
