"""DirectionMap: which way people usually go, learned from the moves they make.

Jansen, "Multi-agent pathfinding with direction maps", 2008, chapters 3, 4 (coherence) and 5.

    map = DirectionMap(grid, alpha=0.5)
    map.learn((3, 4), (4, 4))                  an agent has stepped east
    map.edge_cost((4, 4), (3, 4), w_max=10)    what it costs to go against that
    times, values = coherence_over_time(run.record, alpha=0.5, every=10)

A vector for each cell, (0, 0) at first, moves towards the direction of the agents that leave or enter the cell. x grows
to the east and y to the south, as cells do; Jansen draws y upwards. Vectors belong to the nodes of a `Graph` just
as well, if these have places: regions, corridors or doorways of worlds that are not fine grids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, NotSupported
from wayfolk.kernels import coherence
from wayfolk.kernels import direction_map as directions
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.direction_map import LANE, NEVER
from wayfolk.kernels.graph import cost
from wayfolk.kernels.graph import there as end_of
from wayfolk.kernels.laned_graphs import LanedGraph, LanedGrid
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.files.raw import File
    from wayfolk.problem.record import Record

UNVISITED = {"free": 0.0, "half": 1.0}
RULES = {"text": directions.TEXT, "simulator": directions.SIMULATOR, "average": directions.AVERAGE}

Rule = Literal["text", "simulator", "average"]


class DirectionMap:
    """A direction map: for each cell or node a vector, the direction in which agents usually cross it.

    `alpha` is how far a vector moves towards a new direction; `alpha_s` the same for the cells around the one entered, up
    to `around` cells away, times `fading` for each cell of distance after the first. By the `rule` "text" the cells that a
    move leaves and enters both learn, and vectors grow as agents agree; by "average" they always have length 1. By
    "simulator", which is what Jansen's experiments ran, the cell entered learns twice (once if those around it learn
    too) and the cell left does not; of the cells beside the one entered, those learn to which a step leads. `decay` is
    the share a vector loses in a unit of time.
    """

    def __init__(
        self,
        world: Grid | Graph,
        alpha: float = 0.5,
        *,
        alpha_s: float = 0.0,
        around: int = 1,
        fading: float = 1.0,
        rule: str = "text",
        decay: float = 0.0,
    ) -> None:
        if not 0.0 < alpha <= 1.0:
            raise BadInput(f"alpha must be above 0 and at most 1, not {alpha}")
        if not 0.0 <= alpha_s <= 1.0:
            raise BadInput(f"alpha_s must be from 0 to 1, not {alpha_s}")
        if not 1 <= around <= 32:
            raise BadInput(f"around must be from 1 to 32 cells, not {around}")
        if not 0.0 <= fading <= 1.0:
            raise BadInput(f"fading must be from 0 to 1, not {fading}")
        if not 0.0 <= decay < 1.0:
            raise BadInput(f"decay must be 0 or more and less than 1, not {decay}")
        if rule not in RULES:
            raise BadInput(f"rule must be {' or '.join(RULES)}, not {rule!r}")
        if isinstance(world, Graph) and world.positions is None:
            raise NotSupported("directions need places, and the nodes of this graph have none")
        self.world = world
        self.lanes = directions.Lanes(
            world.graph, np.zeros(world.n_cells, LANE), *_ring(world, alpha_s, around, fading), np.zeros(1),
            float(alpha), float(decay), RULES[rule],
        )  # fmt: skip
        self.lanes.cells["seen"] = NEVER

    @property
    def vectors(self) -> NDArray[np.float64]:
        """`vectors[cell]` is (x, y), at most 1 long; (0, 0) where no agent has been. Read-only; see `put`."""
        columns: NDArray[np.float64] = self.lanes.cells.view(np.float64).reshape(-1, 4)[:, :2]
        columns.flags.writeable = False
        return columns

    @property
    def seen(self) -> NDArray[np.float64]:
        """When a cell last learned something, minus infinity if never."""
        times: NDArray[np.float64] = self.lanes.cells["seen"]
        times.flags.writeable = False
        return times

    @property
    def is_stored(self) -> NDArray[np.bool_]:
        """Which cells have a vector."""
        stored: NDArray[np.bool_] = self.seen != NEVER
        return stored

    @property
    def time(self) -> float:
        """When anything was last learned; 0 if nothing was."""
        stored = self.seen[self.is_stored]
        return float(stored.max()) if len(stored) else 0.0

    def learn(self, here: Any, there: Any, time: float = 0.0) -> None:
        """Learn that an agent has moved from `here` to the neighbour `there`; both are places, or cells of a grid."""
        cells = self._cell(here), self._cell(there)
        if directions.edge_to(self.world.graph, *cells) == NOWHERE:
            raise BadInput(f"{self.world.place(cells[0])} and {self.world.place(cells[1])} are not one move apart")
        directions.learn(self.lanes, *cells, 1.0, float(time))

    def follow(self, record: Record) -> DirectionMap:
        """Learn from all moves of a record of this map; returns itself."""
        if not isinstance(self.world, Grid) or self.world.n_cells != record.grid.n_cells:
            raise BadInput("the record is of another map than these directions")
        log = record.log()
        directions.follow(self.lanes, log, 0, len(log), record.starts.copy())
        return self

    def put(self, place: Any, vector: Sequence[float], time: float = 0.0) -> None:
        """Draw a vector by hand."""
        x, y = (float(part) for part in vector)
        if not x * x + y * y <= 1.0 + 1e-9:
            raise BadInput(f"a vector is at most 1 long, not {(x, y)}")
        self.lanes.cells[self._cell(place)] = (x, y, 1.0, time)

    def forget(self, cells: ArrayLike) -> None:
        """Reset `cells` to the state of cells that no agent has entered."""
        self.lanes.cells[np.asarray(cells, np.int64)] = (0.0, 0.0, 0.0, NEVER)

    def edge_cost(self, here: Any, there: Any, w_max: float, *, unvisited: str = "free") -> float:
        """What a move costs: its own cost, and up to `w_max` more the less it goes with the vectors at both ends.

        An `unvisited` end adds nothing, or "half" of what one against the move would.
        """
        cell, other = self._cell(here), self._cell(there)
        k = directions.edge_to(self.world.graph, cell, other)
        if k == NOWHERE or end_of(self.world.graph, cell, k) != other:
            raise BadInput(f"no move leads from {self.world.place(cell)} to {self.world.place(other)}")
        return float(cost(self.laned(w_max, unvisited), cell, k))

    def laned(self, w_max: float, unvisited: str = "free") -> LanedGrid | LanedGraph:
        """The world with these costs, for the searches in `kernels`; there are no agents in it."""
        if not 0.0 <= w_max < 1e6:
            raise BadInput(f"w_max must be 0 or more and less than a million, not {w_max}")
        if unvisited not in UNVISITED:
            raise BadInput(f"unvisited must be {' or '.join(UNVISITED)}, not {unvisited!r}")
        cells, quarter, floor = self.lanes.cells, 0.25 * w_max, UNVISITED[unvisited]
        if isinstance(self.world, Graph):
            return LanedGraph(self.world.graph, cells, quarter, floor)
        nobody = np.full(self.world.n_cells, NOBODY, np.int32)
        return LanedGrid(
            grid=self.world.graph,
            occupant=nobody,
            cells=cells,
            eye=0,
            goal=0,
            reach=0.0,
            quarter=quarter,
            floor=floor,
            predicts=False,
        )

    def coherence(self, younger_than: float | None = None, now: float | None = None) -> float:
        """How well vectors continue each other, from 0 to 1: the mean of |v1 + v2| / 2, v2 being that of the cell v1
        points to and (0, 0) if that has none.

        Only vectors learned less than `younger_than` before `now` count, or before the last thing learned.
        """
        if younger_than is None:
            return float(coherence.coherence(self.lanes, NEVER))
        if not younger_than >= 0:
            raise BadInput(f"younger_than must be 0 or more, not {younger_than}")
        return float(coherence.coherence(self.lanes, (self.time if now is None else now) - younger_than))

    def save(self, file: File) -> None:
        """Write the vectors, and which world they are of, to a `.npz` file."""
        from wayfolk.files.directions import write_directions

        write_directions(self, file)

    @classmethod
    def load(cls, file: File, world: Grid | Graph, alpha: float = 0.5, **rules: Any) -> DirectionMap:
        """The vectors of a file, if it is of this world; their ages count back from 0. `rules` as for a new map."""
        from wayfolk.files.directions import read_directions

        return read_directions(cls(world, alpha, **rules), file)

    def copy(self) -> DirectionMap:
        """Another map with the same vectors, which learns on its own."""
        copy: DirectionMap = object.__new__(DirectionMap)
        copy.world = self.world
        copy.lanes = self.lanes._replace(cells=self.lanes.cells.copy(), clock=self.lanes.clock.copy())
        return copy

    def _cell(self, place: Any) -> int:
        if isinstance(self.world, Grid) and isinstance(place, int | np.integer):
            if not 0 <= place < self.world.n_cells:
                raise BadInput(f"there is no cell {place}, of {self.world.n_cells} cells")
            return int(place)
        return self.world.cell(place)

    def _repr_html_(self) -> str:
        from wayfolk.replay.notebook import directions_html

        return directions_html(self)

    def __repr__(self) -> str:
        return f"DirectionMap({self.world!r}, {int(self.is_stored.sum())} vectors)"


def _ring(
    world: Grid | Graph, alpha_s: float, around: int, fading: float
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Which cells around learn too, and how fast."""
    if alpha_s == 0.0:
        return np.zeros((0, 2), np.int32), np.zeros(0)
    if isinstance(world, Graph):
        if around > 1:
            raise NotSupported(f"on a graph only neighbours learn too, not nodes up to {around} away")
        return np.zeros((1, 2), np.int32), np.array([alpha_s])
    span = np.arange(-around, around + 1, dtype=np.int32)
    spots = np.stack(np.meshgrid(span, span), -1).reshape(-1, 2)
    spots = spots[spots.any(1)]
    return spots, alpha_s * fading ** (np.abs(spots).max(1) - 1.0)
