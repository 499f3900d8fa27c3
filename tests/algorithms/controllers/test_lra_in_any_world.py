"""LRA* on roadmaps and for bodies: which others are walls to an agent, and how its routes end."""

import pytest

import wayfolk as wf
from wayfolk.algorithms.controllers.lra import find_path
from wayfolk.extend import kernel
from wayfolk.kernels.codes import FOUND
from wayfolk.world.body import Body

DETOUR = wf.Roadmap(
    {"a": (0.0, 0.0), "b": (3.0, 0.0), "c": (6.0, 0.0), "d": (0.0, 4.0), "e": (6.0, 4.0)},
    [("a", "b"), ("b", "c"), ("a", "d"), ("d", "e"), ("e", "c")],
)


@pytest.mark.parametrize(("radius", "route"), [(2.9, ["b", "c"]), (3.1, ["d", "e", "c"])])
def test_only_agents_within_the_radius_are_walls(radius, route):
    """The one at b stands for good, three metres away."""
    world = wf.Simulation(wf.one_shot(DETOUR, ["a", "b"], ["c", "b"]), "lra", radius=radius)
    assert planned(world) == route


@kernel
def plan(crew, arrays, number):
    return find_path(crew, arrays, number)


def planned(world):
    """The route that the first agent gets, before the referee judges its first move."""
    view = world.control.view()
    code, n = plan(view.crew, world.controller.arrays, 0)
    assert code == FOUND
    return view.states.places(world.controller.arrays.path[:n])


def test_without_positions_all_others_are_seen():
    names = wf.Roadmap("abcde", [("a", "b"), ("b", "c"), ("a", "d"), ("d", "e"), ("e", "c")])
    world = wf.Simulation(wf.one_shot(names, ["a", "b"], ["c", "b"]), "lra", radius=1)
    assert planned(world) == ["d", "e", "c"]


def test_a_route_ends_before_an_occupied_goal():
    world = wf.Simulation(wf.one_shot(DETOUR, ["a", "c"], ["c", "c"]), "lra", radius=20)
    assert planned(world) == ["b"]


def test_a_body_that_turns_ends_in_the_heading_with_which_it_comes():
    grid = wf.Grid([[1] * 5] * 5)
    world = wf.Simulation(wf.one_shot(grid, [(0, 0, "S")], [(0, 3)], bodies=Body(turns=True)), "lra")
    assert planned(world) == [(0, 1, "S"), (0, 2, "S"), (0, 3, "S")]


def test_a_tank_goes_around_another_one():
    """A part of it in the way is enough."""
    grid = wf.Grid([[1] * 8] * 6)
    world = wf.Simulation(wf.one_shot(grid, [(0, 0), (3, 1)], [(6, 0), (3, 1)], bodies=Body(size=2)), "lra")
    cells = {(x + dx, y + dy) for x, y in planned(world) for dx in range(2) for dy in range(2)}
    assert not cells & {(3, 1), (4, 1), (3, 2), (4, 2)}
