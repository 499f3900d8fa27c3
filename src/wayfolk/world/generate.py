"""Generated maps, and starts and goals for agents on them.

Each rule is a function of sizes and a seed; the same arguments make the same map.
"""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.world.grid import MAX_CELLS, Grid, Moves

EXTRA_DOORS = 0.5  # of the walls between rooms that need no door to keep all rooms connected, so many have one
_EAST, _SOUTH, _WEST, _NORTH = range(4)


def random_map(
    width: int, height: int, blocked: float = 0.2, *, seed: int = 0, moves: str | Moves = Moves.EIGHT
) -> Grid:
    """A map on which exactly the fraction `blocked` of all cells, rounded, are obstacles; it may fall into parts."""
    free = _open(width, height)
    if not 0.0 <= blocked <= 1.0:
        raise BadInput(f"the fraction of blocked cells must be from 0 to 1, not {blocked}")
    obstacles = _generator(seed).choice(free.size, round(blocked * free.size), replace=False, shuffle=False)
    free.ravel()[obstacles] = False
    return Grid(free, moves, name=f"random-{width}-{height}-{blocked:g}-{seed}")


def maze(width: int, height: int, corridor: int = 1, *, seed: int = 0, moves: str | Moves = Moves.EIGHT) -> Grid:
    """A maze with one way between any two places: corridors `corridor` wide, walls 1 wide.

    Laid out as the Moving AI mazes are: walls along the top and the left, and where the last corridor does not fit
    it is cut off by the edge of the map.
    """
    free = _open(width, height)
    pitch = _whole("corridor", corridor) + 1
    rows, columns = _cut(free, pitch)
    east, south = _spanning_tree(rows, columns, _generator(seed))
    for row, column in np.argwhere(east):
        free[row * pitch + 1 : (row + 1) * pitch, (column + 1) * pitch] = True
    for row, column in np.argwhere(south):
        free[(row + 1) * pitch, column * pitch + 1 : (column + 1) * pitch] = True
    return Grid(free, moves, name=f"maze-{width}-{height}-{corridor}-{seed}")


def rooms(width: int, height: int, size: int = 8, *, seed: int = 0, moves: str | Moves = Moves.EIGHT) -> Grid:
    """Square rooms of `size` x `size` cells, walls 1 wide, at most one door of one cell between two neighbours.

    A random tree of doors connects all rooms, and half of the other walls have a door as well. The layout is that of
    `maze`; Moving AI counts the wall, so `rooms(64, 64, 7)` is of the kind of room-64-64-8.
    """
    free = _open(width, height)
    pitch = _whole("size", size) + 1
    rows, columns = _cut(free, pitch)
    rng = _generator(seed)
    east, south = _spanning_tree(rows, columns, rng)
    east[:, :-1] |= rng.random((rows, columns - 1)) < EXTRA_DOORS
    south[:-1] |= rng.random((rows - 1, columns)) < EXTRA_DOORS
    for row, column in np.argwhere(east):
        free[rng.integers(row * pitch + 1, min((row + 1) * pitch, height)), (column + 1) * pitch] = True
    for row, column in np.argwhere(south):
        free[(row + 1) * pitch, rng.integers(column * pitch + 1, min((column + 1) * pitch, width))] = True
    return Grid(free, moves, name=f"rooms-{width}-{height}-{size}-{seed}")


def two_rooms(room: int = 12, length: int = 8, width: int = 1, *, moves: str | Moves = Moves.EIGHT) -> Grid:
    """Two open square rooms of `room` cells a side, joined by two corridors `length` long and `width` wide.

    People would use one corridor for each direction (Jansen 2008, Figures 1.1 and 5.1).
    """
    if min(room, length, width) < 1:
        raise BadInput(f"room, length and width must be 1 or more, not {room}, {length} and {width}")
    if room < 2 * width + 1:
        raise BadInput(f"two corridors of {width} need rooms of at least {2 * width + 1}, not {room}")
    free = np.ones((room, 2 * room + length), dtype=bool)
    free[:, room : room + length] = False
    above = (room - 2 * width) // 3  # thirds of the wall: above, between and below the corridors
    free[above : above + width] = free[room - above - width : room - above] = True
    return Grid(free, moves, name=f"two-rooms-{room}-{length}-{width}")


def warehouse(
    columns: int = 10,
    rows: int = 20,
    shelf: tuple[int, int] = (10, 2),
    aisle: int = 1,
    *,
    margin: int | None = None,
    moves: str | Moves = Moves.EIGHT,
) -> Grid:
    """Shelves in `rows` and `columns`, each `shelf` = (width, height) large, with aisles between them and around.

    Numbers come in the order of Moving AI's names: `warehouse(10, 20, (10, 2), 1)` has the geometry of
    warehouse-10-20-10-2-1, which is 161 x 63 cells. `margin` is the depth of the open space at the left and at the
    right; Moving AI's, and ours if none is given, is a quarter of the length of all shelves in a row. A wall
    surrounds everything.
    """
    across, down = _whole("columns", columns), _whole("rows", rows)
    long, deep = _whole("the width of a shelf", shelf[0]), _whole("the height of a shelf", shelf[1])
    gap = _whole("aisle", aisle)
    side = max(1, across * long // 4) if margin is None else _whole("margin", margin)
    free = _open(2 * (1 + side) + across * (long + gap) - gap, 2 + gap + down * (deep + gap))
    free[[0, -1]] = free[:, [0, -1]] = False
    shelf_rows = np.arange(free.shape[0] - 1 - gap - 1) % (deep + gap) < deep
    shelf_columns = np.arange(across * (long + gap) - gap) % (long + gap) < long
    free[1 + gap : -1, 1 + side : -1 - side] = ~(shelf_rows[:, None] & shelf_columns)
    return Grid(free, moves, name=f"warehouse-{columns}-{rows}-{shelf[0]}-{shelf[1]}-{aisle}")


def scale(grid: Grid, width: int, height: int, *, keep_walls: bool = False) -> Grid:
    """The map brought to `width` x `height`: each new cell is what lies under its centre.

    Walls thinner than a new cell can get lost. With `keep_walls` a new cell is blocked if any cell under it is; gaps
    thinner than a new cell can then close. There is a cliff between two new cells if there is one on the straight line
    between those they were taken from.
    """
    _open(width, height)
    xs = (2 * np.arange(width) + 1) * grid.width // (2 * width)
    ys = (2 * np.arange(height) + 1) * grid.height // (2 * height)
    links = None if grid.links is None else _scaled_links(grid, grid.links, xs, ys)
    costs = None if grid.costs is None else grid.costs[np.ix_(ys, xs)]
    free = _all_free(grid, width, height) if keep_walls else grid.free[np.ix_(ys, xs)]
    return Grid(free, grid.moves, costs=costs, links=links, diagonal=grid.diagonal, name=grid.name)


def _all_free(grid: Grid, width: int, height: int) -> NDArray[np.bool_]:
    """Where all cells under a cell of the map brought to `width` x `height` are free."""
    walls = np.zeros((grid.height + 1, grid.width + 1), np.int64)  # blocked cells above and to the left of each corner
    walls[1:, 1:] = (~grid.free).cumsum(0).cumsum(1)
    (left, right), (top, bottom) = _under(width, grid.width), _under(height, grid.height)
    below, above = walls[bottom], walls[top]
    all_free: NDArray[np.bool_] = below[:, right] - below[:, left] - above[:, right] + above[:, left] == 0
    return all_free


def _under(n_new: int, n_old: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of the old cells under each of the new ones in a row, and the one after the last."""
    edges = np.arange(n_new + 1) * n_old
    return edges[:-1] // n_new, -(-edges[1:] // n_new)


def joined_parts(grid: Grid, scaled: Grid) -> int:
    """How many connected parts of `grid` have become one with others in `scaled`, the same map at another size."""
    xs = (2 * np.arange(scaled.width) + 1) * grid.width // (2 * scaled.width)
    ys = (2 * np.arange(scaled.height) + 1) * grid.height // (2 * scaled.height)
    old, new = (part.components.reshape(-1, part.stride)[1:-1, 1:-1] for part in (grid, scaled))
    pairs = np.unique(np.stack([new[scaled.free], old[np.ix_(ys, xs)][scaled.free]]), axis=1)
    sizes = np.bincount(pairs[0])
    return int(sizes[sizes > 1].sum())


def without_islands(grid: Grid) -> Grid:
    """The map with only its largest connected part left free; of equally large ones the first."""
    if not len(grid.free_cells):
        return grid
    part = grid.components[grid.free_cells]
    return grid.with_blocked(grid.free_cells[part != np.bincount(part).argmax()])


def draw_pairs(
    grid: Grid,
    agents: int,
    *,
    seed: int = 0,
    zones: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    checkerboard: bool = False,
    disjoint: bool = False,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Random starts and goals: no two agents share a start, no two a goal, and no agent starts at its goal.

    Starts are cells of the first of `zones` (masks `[y, x]`), goals of the second; without zones both are from the whole
    map. With `checkerboard`, x + y of all of them is even. With `disjoint`, no goal is the start of any agent. All cells
    are in one connected part of the map, the one with room for most agents, so that every agent can arrive.
    """
    if agents < 1:
        raise BadProblem(f"agents must be 1 or more, not {agents}")
    apart = disjoint or agents == 1  # a single agent's goal is no other agent's start
    from_cells, to_cells, room = _where_most_fit(grid, _candidates(grid, zones, checkerboard), apart)
    if agents > room:
        raise BadProblem(f"{agents} agents were asked for, the map has room for {room}")
    rng = _generator(seed)
    order = rng.permutation(from_cells)
    if not apart:
        return order[:agents], _nobody_stays(order[:agents], rng.permutation(to_cells)[:agents], rng)
    # starts leave as many cells for goals as there are agents
    wanted = np.isin(order, to_cells)
    starts = order[~wanted | (np.cumsum(wanted) <= len(to_cells) - agents)][:agents]
    return starts, rng.permutation(np.setdiff1d(to_cells, starts))[:agents]


def _candidates(
    grid: Grid, zones: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None, checkerboard: bool
) -> list[NDArray[np.int32]]:
    """The free cells that starts, and those that goals, may be drawn from."""
    x, y = grid.places(grid.free_cells).T
    fits = (x + y) % 2 == 0 if checkerboard else np.ones(len(x), dtype=bool)
    choices = []
    for zone in zones or (grid.free, grid.free):
        mask = np.asarray(zone, dtype=bool)
        if mask.shape != (grid.height, grid.width):
            raise BadProblem(f"a zone must have the shape {(grid.height, grid.width)} of the map, not {mask.shape}")
        choices.append(grid.free_cells[fits & mask[y, x]])
    return choices


def _where_most_fit(
    grid: Grid, candidates: list[NDArray[np.int32]], apart: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Those of the two lists of candidates in the part of the map with room for most agents, and for how many."""
    from_cells, to_cells = candidates
    both = np.union1d(from_cells, to_cells)
    if not len(both):
        return from_cells, to_cells, 0
    parts = grid.components
    n_parts = int(parts.max()) + 1
    room = np.minimum(
        np.bincount(parts[from_cells], minlength=n_parts), np.bincount(parts[to_cells], minlength=n_parts)
    )
    if apart:
        room = np.minimum(room, np.bincount(parts[both], minlength=n_parts) // 2)
    best = int(room.argmax())
    return from_cells[parts[from_cells] == best], to_cells[parts[to_cells] == best], int(room[best])


def _nobody_stays(starts: NDArray[np.int32], goals: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """`goals` in an order in which no agent's goal is its own start: an agent for which it is swaps goals with another.

    One swap is enough: starts are distinct and goals are distinct, so the one agent whose goal is a given start is
    rid of it, and its partner cannot be the agent who starts there.
    """
    for agent in np.flatnonzero(starts == goals):
        other = (agent + rng.integers(1, len(starts))) % len(starts)
        if starts[agent] == goals[agent]:
            goals[[agent, other]] = goals[[other, agent]]
    return goals


def _scaled_links(
    grid: Grid, links: NDArray[np.uint8], xs: NDArray[np.int64], ys: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """The links of a map whose cell (x, y) is taken from (xs[x], ys[y])."""
    free = grid.free
    passed_east, passed_south = np.zeros(
        (2, *free.shape), dtype=np.int32
    )  # cliffs before a cell in its row, its column
    passed_east[:, 1:] = np.cumsum(free[:, :-1] & free[:, 1:] & (links[:, :-1] & OPEN_EAST == 0), axis=1)
    passed_south[1:] = np.cumsum(free[:-1] & free[1:] & (links[:-1] & OPEN_SOUTH == 0), axis=0)
    open_east = np.diff(passed_east[np.ix_(ys, xs)], axis=1) == 0
    open_south = np.diff(passed_south[np.ix_(ys, xs)], axis=0) == 0
    scaled = np.zeros((len(ys), len(xs)), dtype=np.uint8)
    scaled[:, :-1] |= OPEN_EAST * open_east.astype(np.uint8)
    scaled[:-1] |= OPEN_SOUTH * open_south.astype(np.uint8)
    return scaled


def _cut(free: NDArray[np.bool_], pitch: int) -> tuple[int, int]:
    """Draw a wall in every `pitch`-th row and column of `free`; how many rows and columns of chambers there are."""
    height, width = free.shape
    if width < 2 or height < 2:
        raise BadInput(f"a map with walls must be at least 2 x 2 cells, not {width} x {height}")
    free[::pitch] = free[:, ::pitch] = False
    return -(-(height - 1) // pitch), -(-(width - 1) // pitch)


def _spanning_tree(rows: int, columns: int, rng: np.random.Generator) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Doors to the east and to the south of each chamber that leave one way between any two.

    A depth-first walk that enters a chamber only once and tries its four neighbours in a random order.
    """
    n_chambers = rows * columns
    turns = rng.permuted(np.tile(np.arange(4, dtype=np.uint8), (n_chambers, 1)), axis=1).tobytes()
    east, south = np.zeros(n_chambers, dtype=bool), np.zeros(n_chambers, dtype=bool)
    tried, seen = bytearray(n_chambers), bytearray(n_chambers)
    trail = [int(rng.integers(n_chambers))]
    seen[trail[0]] = True
    while trail:
        here = trail[-1]
        if tried[here] == 4:
            trail.pop()
            continue
        turn = turns[4 * here + tried[here]]
        tried[here] += 1
        row, column = divmod(here, columns)
        if turn == _EAST and column + 1 < columns:
            there, door = here + 1, (east, here)
        elif turn == _SOUTH and row + 1 < rows:
            there, door = here + columns, (south, here)
        elif turn == _WEST and column > 0:
            there, door = here - 1, (east, here - 1)
        elif turn == _NORTH and row > 0:
            there, door = here - columns, (south, here - columns)
        else:
            continue
        if not seen[there]:
            seen[there] = True
            door[0][door[1]] = True
            trail.append(there)
    return east.reshape(rows, columns), south.reshape(rows, columns)


def _open(width: int, height: int) -> NDArray[np.bool_]:
    """All cells of a map free, if it is neither empty nor too large."""
    if _whole("width", width) * _whole("height", height) > MAX_CELLS:
        raise BadInput(f"a map of {width} x {height} cells is larger than the {MAX_CELLS} a grid can hold")
    return np.ones((height, width), dtype=bool)


def _whole(what: str, value: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise BadInput(f"{what} must be a whole number, not {value!r}") from None
    if number < 1:
        raise BadInput(f"{what} must be 1 or more, not {number}")
    return number


def _generator(seed: int) -> np.random.Generator:
    if seed < 0:
        raise BadInput(f"a seed must be 0 or more, not {seed}")
    return np.random.default_rng(seed)
