"""Grid: the byte of legal moves, changed copies, places and cells, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.codes import DX, DY, OPEN_EAST, OPEN_SOUTH, SQRT2
from wayfolk.world.grid import Grid, Moves

SMALL = Grid([[1, 1, 1], [1, 0, 1]])


def legal_cells(grid: Grid, cell: int) -> list[int]:
    """What the byte of `cell` says."""
    return sorted(cell + int(offset) for k, offset in enumerate(grid.offsets) if grid.legal[cell] >> k & 1)


def all_cells(grid: Grid) -> list[int]:
    return [grid.cell((x, y)) for y in range(grid.height) for x in range(grid.width)]


@pytest.mark.parametrize(
    ("moves", "from_the_corner", "past_the_wall"),
    [(Moves.FOUR, 2, False), (Moves.EIGHT, 2, False), (Moves.EIGHT_CUTTING, 2, True)],
)
def test_the_three_rules_at_one_wall(moves: Moves, from_the_corner: int, past_the_wall: bool) -> None:
    grid = SMALL.with_moves(moves)
    assert len(legal_cells(grid, grid.cell((0, 0)))) == from_the_corner
    assert (grid.cell((1, 0)) in legal_cells(grid, grid.cell((0, 1)))) is past_the_wall


@pytest.mark.parametrize("moves", Moves)
@given(data=st.data(), terrain=st.booleans(), cliffs=st.booleans())
def test_the_byte_of_legal_moves_follows_the_rules(
    moves: Moves, data: st.DataObject, terrain: bool, cliffs: bool
) -> None:
    grid = data.draw(reference.small_grids(moves=moves, terrain=terrain, cliffs=cliffs))
    for cell in all_cells(grid):
        assert legal_cells(grid, cell) == reference.legal_moves(grid, cell)
    border = np.setdiff1d(np.arange(grid.n_cells), all_cells(grid))
    assert not grid.legal[border].any()


def test_bits_stand_for_the_named_directions() -> None:
    grid = Grid(np.ones((3, 3)))
    middle = grid.cell((1, 1))
    assert grid.legal[middle] == 255
    assert [grid.place(middle + offset) for offset in grid.offsets] == [
        (1 + dx, 1 + dy) for dx, dy in zip(DX, DY, strict=True)
    ]
    assert grid.lengths.tolist() == [1.0] * 4 + [SQRT2] * 4
    assert Grid(np.ones((3, 3)), diagonal=1.42).lengths[7] == 1.42


@pytest.mark.parametrize("moves", Moves)
def test_a_cliff_is_closed_both_ways(moves: Moves) -> None:
    links = np.full((2, 2), OPEN_EAST | OPEN_SOUTH)
    links[0, 0] = OPEN_SOUTH
    grid = Grid(np.ones((2, 2)), moves, links=links)
    west, east = grid.cell((0, 0)), grid.cell((1, 0))
    assert east not in legal_cells(grid, west)
    assert west not in legal_cells(grid, east)
    assert (grid.cell((1, 1)) in legal_cells(grid, west)) is (moves is Moves.EIGHT_CUTTING)


@given(data=st.data(), cliffs=st.booleans())
def test_changed_copies_are_as_if_built_anew(data: st.DataObject, cliffs: bool) -> None:
    grid = data.draw(reference.small_grids(cliffs=cliffs))
    assert grid.graph.legal is grid.legal  # cached things must not survive in the copy
    before = str(grid)
    cells = data.draw(st.lists(st.sampled_from(all_cells(grid)), max_size=4))
    for changed, value in ((grid.with_blocked(cells), False), (grid.with_freed(cells), True)):
        free = grid.free.copy()
        for x, y in map(grid.place, cells):
            free[y, x] = value
        anew = Grid(free, grid.moves, links=grid.links)
        assert changed == anew
        assert (changed.legal == anew.legal).all()
        assert (changed.free_cells == anew.free_cells).all()
        assert (changed.graph.legal == anew.legal).all()
        assert changed.moves is grid.moves
    assert str(grid) == before


@given(reference.small_grids(terrain=True, cliffs=True))
def test_another_rule_keeps_everything_else(grid: Grid) -> None:
    for moves in Moves:
        other = grid.with_moves(moves)
        assert other.moves is moves
        assert (other.free == grid.free).all()
        for one, same in ((other.links, grid.links), (other.costs, grid.costs)):
            assert one is not None
            assert same is not None
            assert (one == same).all()
        assert other.with_moves(grid.moves) == grid


@given(reference.small_grids())
def test_places_and_cells_are_the_same_both_ways(grid: Grid) -> None:
    cells = all_cells(grid)
    places = [(x, y) for y in range(grid.height) for x in range(grid.width)]
    assert [grid.place(cell) for cell in cells] == places
    assert grid.cells(places).tolist() == cells
    assert list(map(tuple, grid.places(cells).tolist())) == places
    assert grid.places(np.array(cells).reshape(grid.height, grid.width)).shape == (grid.height, grid.width, 2)
    assert [grid.is_free(cell) for cell in cells] == grid.free.ravel().tolist()
    assert grid.free_cells.tolist() == [cell for cell in cells if grid.is_free(cell)]


@given(reference.small_grids(cliffs=True))
def test_components_are_what_a_flood_reaches(grid: Grid) -> None:
    pytest.importorskip("wayfolk.kernels.distances")
    parts = reference.flood_components(grid)
    numbers = [set(grid.components[list(part)].tolist()) for part in parts]
    assert all(len(number) == 1 for number in numbers)
    assert set.union(*numbers) == set(range(1, len(parts) + 1))
    blocked = np.setdiff1d(np.arange(grid.n_cells), grid.free_cells)
    assert not grid.components[blocked].any()


@given(reference.small_grids(terrain=True, cliffs=True))
def test_a_grid_never_changes(grid: Grid) -> None:
    for array in (grid.free, grid.legal, grid.costs, grid.links):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_grid_does_not_follow_the_array_it_was_made_from() -> None:
    free, costs = np.ones((2, 2), bool), np.ones((2, 2))
    grid = Grid(free, costs=costs)
    free[0, 0], costs[0, 0] = False, 9.0
    assert grid.free.all()
    assert grid.costs is not None
    assert (grid.costs == 1.0).all()


def test_grids_are_equal_if_maps_costs_and_moves_are() -> None:
    same = Grid([[1, 1, 1], [1, 0, 1]], name="another name")
    assert same == SMALL
    assert hash(same) == hash(SMALL)
    assert SMALL.with_moves(Moves.EIGHT_CUTTING) != SMALL
    assert Grid(SMALL.free, costs=np.full((2, 3), 2.0)) != SMALL
    assert Grid(SMALL.free, diagonal=1.42) != SMALL
    assert Grid([[1, 1], [1, 1], [0, 1]]) != SMALL
    assert SMALL != "a map"


def test_a_grid_shows_itself() -> None:
    assert str(SMALL) == "...\n.@."
    assert repr(SMALL) == "Grid(3 x 2, 5 free, eight)"
    assert repr(Grid([[1]], "four", name="dot")) == "Grid('dot', 1 x 1, 1 free, four)"


def test_rules_are_found_by_name() -> None:
    assert Moves.of("EIGHT-cutting") is Moves.EIGHT_CUTTING
    assert Moves.of(Moves.FOUR) is Moves.FOUR
    with pytest.raises(BadInput, match="there is no move rule 'six': choose four, eight, eight_cutting"):
        Moves.of("six")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Grid([1, 0, 1]), r"a grid needs rows and columns, this has the shape \(3,\)"),
        (lambda: Grid(np.ones((0, 4))), r"a grid needs rows and columns, this has the shape \(0, 4\)"),
        (lambda: Grid([[1]], diagonal=2.5), "a diagonal step must be from 1 to 2 long, not 2.5"),
        (lambda: Grid([[1]], diagonal=float("nan")), "a diagonal step must be from 1 to 2 long, not nan"),
        (lambda: Grid([[1, 1]], costs=[[1]]), r"costs must have the shape \(1, 2\), not \(1, 1\)"),
        (lambda: Grid([[1, 1]], links=[[1]]), r"costs and links must have the shape \(1, 2\), not \(1, 1\)"),
        (
            lambda: Grid([[1, 1]], costs=[[1, 0]]),
            r"the cost of the free cell \(1, 0\) is 0.0: it must be positive and finite",
        ),
        (lambda: Grid(np.broadcast_to(True, (1 << 15, 1 << 14))), "a grid of 16384 x 32768 cells is larger than"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(make: object, words: str) -> None:
    assert callable(make)
    with pytest.raises(BadInput, match=words):
        make()


@pytest.mark.parametrize("place", [(-1, 0), (3, 0), (0, 2), (0, -1)])
def test_places_outside_are_named(place: tuple[int, int]) -> None:
    words = rf"\({place[0]}, {place[1]}\) is outside the 3 x 2 map"
    with pytest.raises(BadProblem, match=words):
        SMALL.cell(place)
    with pytest.raises(BadProblem, match=words):
        SMALL.cells([(0, 0), place])


def test_costs_in_walls_do_not_matter() -> None:
    grid = Grid([[1, 0]], costs=[[2.0, float("nan")]])
    assert grid.costs is not None
    assert grid.costs.tolist() == [[2.0, 1.0]]
