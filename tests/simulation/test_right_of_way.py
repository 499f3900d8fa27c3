"""Right of way and parking on small maps: legal moves for all, and the robot at its goal."""

import numpy as np
import pytest

from wayfolk.files.maps import parse_ascii
from wayfolk.simulation.adjacency import Adjacency
from wayfolk.simulation.parking_places import is_dispensable, parking_place
from wayfolk.simulation.right_of_way import right_of_way
from wayfolk.world.generate import maze, random_map

pytestmark = pytest.mark.plain

DEAD_END = parse_ascii("""
    #.#####
    ......#
    #######
""").with_moves("four")


def walked(grid, robots, right):
    """The robots by their cells after all steps of a right of way, each of which must be legal."""
    at = {robot: cell for cell, robot in robots.items()}
    for step in right.steps:
        for robot, cell in step.items():
            assert cell in Adjacency(grid)[at[robot]]
            other = {there: who for who, there in at.items()}.get(cell)
            assert other is None or step.get(other) not in (None, at[robot])  # it leaves, and they do not swap
        assert len(set(step.values())) == len(step)
        assert set(at.values()) | set(step.values()) <= right.area | set(robots)
        at |= step
        assert len(set(at.values())) == len(at)
    return {cell: robot for robot, cell in at.items()}


def cells(grid, *places):
    return {grid.cell(place): number for number, place in enumerate(places)}


def test_the_robot_at_the_end_of_a_dead_end_is_let_out():
    """Robot 0 wants to where robot 1 stands, and has to make room at (1, 0) first."""
    robots = cells(DEAD_END, (4, 1), (5, 1))
    right = right_of_way(Adjacency(DEAD_END), robots, frozenset(), DEAD_END.cell((4, 1)), DEAD_END.cell((5, 1)), now=0)
    assert walked(DEAD_END, robots, right)[DEAD_END.cell((5, 1))] == 0


def test_there_is_none_past_a_robot_that_is_fixed_or_on_a_full_map():
    robots = cells(DEAD_END, (2, 1))
    here, goal = DEAD_END.cell((2, 1)), DEAD_END.cell((5, 1))
    fixed = frozenset([DEAD_END.cell((4, 1))])
    assert right_of_way(Adjacency(DEAD_END), robots, fixed, here, goal, now=0) is None
    full = {cell: number for number, cell in enumerate(DEAD_END.free_cells.tolist())}
    assert right_of_way(Adjacency(DEAD_END), full, frozenset(), here, goal, now=0) is None


@pytest.mark.parametrize("seed", range(12))
def test_every_robot_gets_to_every_place_on_crowded_maps(seed):
    rng = np.random.default_rng(seed)
    grid = maze(11, 11, 1, seed=seed, moves="four") if seed % 2 else random_map(10, 10, 0.3, seed=seed, moves="four")
    part = grid.free_cells[grid.components[grid.free_cells] == np.bincount(grid.components[grid.free_cells]).argmax()]
    n = len(part) // 4
    robots = dict(zip(rng.choice(part, n, replace=False).tolist(), range(n), strict=True))
    for _ in range(6):
        here, goal = int(rng.choice(list(robots))), int(rng.choice(part))
        right = right_of_way(Adjacency(grid), robots, frozenset(), here, goal, now=0)
        assert right is not None
        robot = robots[here]
        robots = walked(grid, robots, right)
        assert robots[goal] == robot


def test_a_short_reach_ends_on_the_way():
    robots = cells(DEAD_END, (0, 1), (2, 1))
    right = right_of_way(
        Adjacency(DEAD_END), robots, frozenset(), DEAD_END.cell((0, 1)), DEAD_END.cell((5, 1)), now=0, reach=3
    )
    assert walked(DEAD_END, robots, right)[DEAD_END.cell((3, 1))] == 0


def test_only_cells_with_a_detour_are_dispensable():
    grid = parse_ascii("""
        ...#...
        .......
        ...#...
    """).with_moves("four")
    adjacency = Adjacency(grid)
    assert is_dispensable(adjacency, grid.cell((1, 1)), ())
    assert is_dispensable(adjacency, grid.cell((0, 0)), ())
    assert not is_dispensable(adjacency, grid.cell((3, 1)), ())
    row = {grid.cell((1, 0)), grid.cell((1, 1))}
    assert not is_dispensable(adjacency, grid.cell((1, 2)), row)  # it would close the way


@pytest.mark.parametrize("seed", range(6))
def test_parked_robots_never_cut_a_map(seed):
    grid = random_map(9, 9, 0.2, seed=seed, moves="four")
    adjacency, taken = Adjacency(grid), set()
    parts = len(np.unique(grid.components[grid.free_cells]))
    for start in grid.free_cells.tolist()[::3]:
        place = parking_place(
            adjacency, start, taken=taken, stops=(), stops_now={grid.free_cells[0]}, is_open=lambda cell: True
        )
        if place is not None:
            taken.add(place)
    assert len(taken) > 3
    left = grid.with_blocked(sorted(taken))
    assert len(np.unique(left.components[left.free_cells])) <= parts
