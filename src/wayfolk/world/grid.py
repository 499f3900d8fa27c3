"""Grid: which cells are free and which moves are legal.

Cells are stored in one flat array with a border of blocked cells around the map, so that a step from any cell of the
map lands inside the array and kernels never test for the edge. Each cell has one byte with a bit for each legal move:
searches read that byte and know nothing of corner rules, terrain or cliffs.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.kernels.codes import DX, DY, OPEN_EAST, OPEN_SOUTH, SQRT2
from wayfolk.world.cache import World

if TYPE_CHECKING:
    from wayfolk.kernels.graph import GridGraph

MAX_CELLS = 1 << 28  # 16384 x 16384; a larger map does not fit the memory of usual machines
DRAWN_SIDE = 64  # the largest width and height of a map that `print` draws


class Moves(enum.Enum):
    """The move rule of a grid: which steps are legal."""

    FOUR = "four"
    """East, south, west, north."""
    EIGHT = "eight"
    """Diagonals too, if both cells beside the step are free (no corner is cut)."""
    EIGHT_CUTTING = "eight_cutting"
    """Diagonals too, if at least one of the two cells beside the step is free."""

    @classmethod
    def of(cls, name: str | Moves) -> Moves:
        """The rule called `name`, which may be a rule already."""
        if isinstance(name, Moves):
            return name
        try:
            return cls(str(name).lower().replace("-", "_"))
        except ValueError:
            raise BadInput(f"there is no move rule {name!r}: choose {', '.join(m.value for m in cls)}") from None


class Grid(World):
    """A map of square cells; never changes, but makes changed copies cheaply.

    `free[y, x]` says which cells can be entered. `costs[y, x]` (optional, at least a small positive number where free)
    multiplies distance: a step costs its length times the mean of the two cells it joins. `links[y, x]` (optional)
    holds OPEN_EAST and OPEN_SOUTH: a missing bit is a cliff between two free cells. `diagonal` is the length of a
    diagonal step.
    """

    def __init__(
        self,
        free: ArrayLike,
        moves: str | Moves = Moves.EIGHT,
        *,
        costs: ArrayLike | None = None,
        links: ArrayLike | None = None,
        diagonal: float = SQRT2,
        name: str = "",
    ) -> None:
        super().__init__()
        shape = np.shape(free)
        if len(shape) != 2 or 0 in shape:
            raise BadInput(f"a grid needs rows and columns, this has the shape {shape}")
        if shape[0] * shape[1] > MAX_CELLS:
            raise BadInput(f"a grid of {shape[1]} x {shape[0]} cells is larger than the {MAX_CELLS} this can hold")
        if not 1.0 <= diagonal <= 2.0:
            raise BadInput(f"a diagonal step must be from 1 to 2 long, not {diagonal}")
        self.height, self.width = shape
        self.moves = Moves.of(moves)
        self.diagonal = float(diagonal)
        self.name = name
        self.stride = self.width + 2
        self.n_cells = (self.height + 2) * self.stride
        self._free = self._padded(np.asarray(free, dtype=bool), False)
        self._links = None if links is None else self._padded(np.asarray(links).astype(np.uint8), 0)
        self._costs = None if costs is None else self._padded(checked_costs(costs, free), 1.0)
        self.legal: NDArray[np.uint8] = self._legal_moves(slice(0, self.height + 2))
        self._freeze()

    def _padded(self, values: NDArray[Any], border: object) -> NDArray[Any]:
        if values.shape != (self.height, self.width):
            raise BadInput(f"costs and links must have the shape {(self.height, self.width)}, not {values.shape}")
        wide = np.full((self.height + 2, self.stride), border, dtype=values.dtype)
        wide[1:-1, 1:-1] = values
        return wide.ravel()

    def _freeze(self) -> None:
        for array in (self._free, self._links, self._costs, self.legal):
            if array is not None:
                array.flags.writeable = False

    @staticmethod
    def _frozen(array: NDArray[Any]) -> NDArray[Any]:
        array.flags.writeable = False
        return array

    def _legal_moves(self, rows: slice) -> NDArray[np.uint8]:
        """The byte of legal moves of each cell in the padded `rows`."""
        top, bottom = max(rows.start - 1, 0), min(rows.stop + 1, self.height + 2)
        free = self._free.reshape(-1, self.stride)[top:bottom]
        east = free & np.roll(free, -1, 1)  # the border is blocked, so what wraps around is False
        south = np.zeros_like(free)
        south[:-1] = free[:-1] & free[1:]
        if self._links is not None:
            links = self._links.reshape(-1, self.stride)[top:bottom]
            east = east & (links & OPEN_EAST > 0)
            south = south & (links & OPEN_SOUTH > 0)

        def left(a: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return np.roll(a, 1, 1)

        def right(a: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return np.roll(a, -1, 1)

        def above(a: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return np.vstack([np.zeros_like(a[:1]), a[:-1]])

        def below(a: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return np.vstack([a[1:], np.zeros_like(a[:1])])

        bits = [east, south, left(east), above(south)]
        if self.moves is not Moves.FOUR:
            # around the corner at the south-east of a cell: first east then south, and first south then east
            east_south = east & right(south)
            south_east = south & below(east)
            west_south = left(east) & left(south)
            south_west = south & left(below(east))
            if self.moves is Moves.EIGHT:
                se, sw = east_south & south_east, west_south & south_west
            else:
                se, sw = east_south | south_east, west_south | south_west
            bits += [se, sw, above(left(se)), above(right(sw))]
        legal = np.zeros(free.shape, dtype=np.uint8)
        for bit, mask in enumerate(bits):
            legal |= mask.astype(np.uint8) << np.uint8(bit)
        return legal[rows.start - top : rows.stop - top].ravel()

    def _changed(
        self,
        cells: Iterable[int],
        free: bool | NDArray[np.bool_],
        costs: NDArray[np.float64] | None = None,
        links: NDArray[np.uint8] | None = None,
    ) -> Self:
        """A copy in which `cells` are `free` or not, and have these costs and links if they are given."""
        changed = np.atleast_1d(np.asarray(cells, dtype=np.int64))
        x, y = changed % self.stride - 1, changed // self.stride - 1
        outside = (x < 0) | (x >= self.width) | (y < 0) | (y >= self.height)
        if outside.any():
            raise BadInput(f"cell {changed[outside][0]} is outside the {self.width} x {self.height} map")
        other = object.__new__(type(self))
        other._edit_of(self)
        other._free = self._free.copy()
        other._free[changed] = free
        if costs is not None and self._costs is not None:
            other._costs = self._costs.copy()
            other._costs[changed] = costs
        if links is not None and self._links is not None:
            other._links = self._links.copy()
            other._links[changed] = links
        if costs is not None or links is not None:
            other._outdated = {}  # what was computed for this map is repaired where cells are blocked or freed only
        other.legal = self.legal.copy()
        if changed.size:
            top = max(int(changed.min()) // self.stride - 1, 0)
            bottom = min(int(changed.max()) // self.stride + 2, self.height + 2)
            other.legal[top * self.stride : bottom * self.stride] = other._legal_moves(slice(top, bottom))
        other._freeze()
        return other

    def with_blocked(self, cells: Iterable[int]) -> Self:
        """A copy in which `cells` are blocked."""
        return self._changed(cells, False)

    def with_freed(self, cells: Iterable[int]) -> Self:
        """A copy in which `cells` are free."""
        return self._changed(cells, True)

    def with_cells_of(self, other: Grid, cells: NDArray[np.int32]) -> Self:
        """A copy in which `cells` are as they are in `other`, a map of the same size: free or not, costs and cliffs."""
        ours, theirs = (self._costs, self._links), (other._costs, other._links)
        costs, links = (
            None if mine is None or yours is None or (mine[cells] == yours[cells]).all() else yours[cells]
            for mine, yours in zip(ours, theirs, strict=True)
        )
        return self._changed(cells, other._free[cells], costs, links)

    def with_moves(self, moves: str | Moves) -> Grid:
        """The same map under another move rule."""
        return Grid(self.free, moves, costs=self.costs, links=self.links, diagonal=self.diagonal, name=self.name)

    def _inner(self, flat: NDArray[Any]) -> NDArray[Any]:
        return flat.reshape(-1, self.stride)[1:-1, 1:-1]

    @property
    def free(self) -> NDArray[np.bool_]:
        """`free[y, x]`, read-only."""
        return self._inner(self._free)

    @property
    def costs(self) -> NDArray[np.float64] | None:
        """`costs[y, x]`, read-only, or None where every cell costs the same."""
        return None if self._costs is None else self._inner(self._costs)

    @property
    def links(self) -> NDArray[np.uint8] | None:
        """`links[y, x]`, read-only, or None where there are no cliffs."""
        return None if self._links is None else self._inner(self._links)

    def is_free(self, cell: int) -> bool:
        """Whether an agent can stand on `cell`."""
        return bool(self._free[cell])

    def cell(self, place: tuple[int, int]) -> int:
        """The cell at `(x, y)`; a place outside the map is the caller's mistake."""
        x, y = int(place[0]), int(place[1])
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise BadProblem(f"({x}, {y}) is outside the {self.width} x {self.height} map")
        return int((y + 1) * self.stride + x + 1)

    def cells(self, places: ArrayLike) -> NDArray[np.int32]:
        """The cells at an array of `(x, y)` rows."""
        rows = np.asarray(places)
        if rows.size and (rows.shape[-1] != 2 or not np.issubdtype(rows.dtype, np.integer)):
            raise BadInput(
                f"places are rows of two whole numbers, not an array of {rows.dtype} in the shape {rows.shape}"
            )
        rows = rows.reshape(-1, 2).astype(np.int64)
        outside = (rows < 0).any(1) | (rows[:, 0] >= self.width) | (rows[:, 1] >= self.height)
        if outside.any():
            self.cell((int(rows[outside.argmax(), 0]), int(rows[outside.argmax(), 1])))
        cells: NDArray[np.int32] = ((rows[:, 1] + 1) * self.stride + rows[:, 0] + 1).astype(np.int32)
        return cells

    def place(self, cell: int) -> tuple[int, int]:
        """The `(x, y)` of `cell`."""
        return int(cell) % self.stride - 1, int(cell) // self.stride - 1

    def places(self, cells: ArrayLike) -> NDArray[np.int32]:
        """The `(x, y)` rows of an array of cells."""
        flat = np.asarray(cells)
        return np.stack([flat % self.stride - 1, flat // self.stride - 1], axis=-1).astype(np.int32)

    @cached_property
    def free_cells(self) -> NDArray[np.int32]:
        """All free cells, in order."""
        return self._frozen(np.flatnonzero(self._free).astype(np.int32))

    @cached_property
    def offsets(self) -> NDArray[np.int32]:
        """What to add to a cell for a step in each of the eight directions."""
        return self._frozen((np.array(DY) * self.stride + np.array(DX)).astype(np.int32))

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """How long a step in each of the eight directions is."""
        return self._frozen(np.array([1.0] * 4 + [self.diagonal] * 4))

    @cached_property
    def components(self) -> NDArray[np.int32]:
        """The number of the connected part each cell belongs to, from 1; 0 for blocked cells."""
        from wayfolk.kernels.distances import label_components

        labels = np.zeros(self.n_cells, dtype=np.int32)
        label_components(self.legal, self.offsets, self.free_cells, labels, np.empty_like(self.free_cells))
        return self._frozen(labels)

    @cached_property
    def graph(self) -> GridGraph:
        """What kernels read."""
        from wayfolk.kernels.graph import NO_TERRAIN, GridGraph

        terrain = NO_TERRAIN if self._costs is None else self._costs
        cheapest = 1.0 if self._costs is None else float(self._costs[self.free_cells].min(initial=1.0))
        return GridGraph(self.legal, self.offsets, self.lengths, terrain, self.stride, cheapest)

    def __eq__(self, other: object) -> bool:
        """Equal maps: the same cells, moves and costs. Cliffs count where they forbid a move."""
        if not isinstance(other, Grid):
            return NotImplemented
        return (
            self.free.shape == other.free.shape
            and self.moves is other.moves
            and self.diagonal == other.diagonal
            and bool((self.legal == other.legal).all())
            and bool((self._free == other._free).all())
            and same_array(self._costs, other._costs)
        )

    def __hash__(self) -> int:
        return hash((self.width, self.height, self.moves, len(self.free_cells)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._freeze()

    def __repr__(self) -> str:
        named = f"{self.name!r}, " if self.name else ""
        return f"Grid({named}{self.width} x {self.height}, {len(self.free_cells)} free, {self.moves.value})"

    def _repr_html_(self) -> str:
        from wayfolk.replay.notebook import grid_html

        return grid_html(self)

    def __str__(self) -> str:
        """A drawing of a small map, the size of a large one; `ascii_map` draws any."""
        if self.width > DRAWN_SIDE or self.height > DRAWN_SIDE:
            return repr(self)
        return "\n".join("".join(".@"[not c] for c in row) for row in self.free)


def need_grid(world: World, what: str) -> None:
    """Raise NotSupported unless `world` is a grid; `what` is made of grids only."""
    if not isinstance(world, Grid):
        raise NotSupported(f"{what} are made of grids, not of graphs")


def same_array(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    """Whether two arrays have the same elements, or both are missing."""
    if a is None or b is None:
        return a is b
    return bool((a == b).all())


def checked_costs(costs: ArrayLike, free: ArrayLike) -> NDArray[np.float64]:
    """The costs as an array of their own, of the shape of `free`; those of free cells must be positive and finite."""
    values = np.array(costs, dtype=np.float64)
    if values.shape != np.shape(free):
        raise BadInput(f"costs must have the shape {np.shape(free)}, not {values.shape}")
    bad = np.asarray(free, dtype=bool) & ~(np.isfinite(values) & (values > 0))
    if bad.any():
        at = tuple(int(k) for k in np.argwhere(bad)[0])
        raise BadInput(f"the cost of the free cell {at[::-1]} is {values[at]}: it must be positive and finite")
    # a wall may be freed later: what it costs then is kept if it makes sense
    values[~(np.isfinite(values) & (values > 0))] = 1.0
    return values
