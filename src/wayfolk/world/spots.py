"""The free cells of a grid, numbered without gaps, and distances in steps between them; and the same for states.

A spot is the number of a free cell. Arrays of spots take less memory than arrays of cells, since walls have no spot, and
loops over neighbours visit nothing but neighbours. In a graph of states, the spots are its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import TooLarge
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.distances import CELL, DONE, FIRST, UNREACHED, Spots, StepFields, fill, fill_pairs
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.machine import available_bytes, n_cores
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.state_graph import StateGraph


class SpotMap:
    """The spots of one grid: `cells[spot]` and `spot_of[cell]` translate them."""

    def __init__(self, grid: Grid) -> None:
        self.cells, self.legal, self.offsets = grid.free_cells, grid.legal, grid.offsets
        self.n_slots = 4 if grid.moves is Moves.FOUR else 8
        self.spot_of = np.full(grid.n_cells, NOWHERE, np.int32)
        self.spot_of[self.cells] = np.arange(len(self.cells))
        self.near = self._empty()
        for k, rows, slots in self._moves():
            self.near[rows, slots] = self.spot_of[self.cells[rows] + self.offsets[k]]

    @cached_property
    def degree(self) -> NDArray[np.int32]:
        """The number of neighbours of each spot."""
        degree: NDArray[np.int32] = (self.near != NOWHERE).sum(1, dtype=np.int32)
        return degree

    @property
    def n_spots(self) -> int:
        """How many cells are free."""
        return len(self.cells)

    @property
    def back(self) -> NDArray[np.int32]:
        """From which spots a move leads to each: on a grid those to which one leads."""
        return self.near

    def widths(self, goals: NDArray[np.int32]) -> NDArray[np.int32]:
        """How many spots each goal is."""
        return np.ones(len(goals), np.int32)

    can_return = True
    """Whether every move leads back as well."""

    def stands(self, spots: NDArray[np.int32]) -> NDArray[np.int32]:
        """The goals that agents on these spots have reached."""
        return spots

    @cached_property
    def crossings(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The ends of the diagonal that crosses the move to neighbour k of a spot; NOWHERE if none does."""
        one, two = self._empty(), self._empty()
        for k, rows, slots in self._moves():
            if k < 4:
                continue
            here, side = self.cells[rows], self.offsets[k - 4]  # south-east is 4 and south 1
            beside, across = self.spot_of[here + side], self.spot_of[here + self.offsets[k] - side]
            both = (beside != NOWHERE) & (across != NOWHERE)
            one[rows[both], slots[both]], two[rows[both], slots[both]] = beside[both], across[both]
        return one, two

    def _empty(self) -> NDArray[np.int32]:
        return np.full((self.n_spots, self.n_slots), NOWHERE, np.int32)

    def _moves(self) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.int32]]]:
        """Each move, the spots that have it, and its number among the moves of each of them."""
        degree, legal = np.zeros(self.n_spots, np.int32), self.legal[self.cells]
        for k in range(self.n_slots):
            rows = np.flatnonzero((legal >> k) & 1)
            yield k, rows, degree[rows]
            degree[rows] += 1


class StateSpots:
    """The nodes of a graph of states as spots: every number is what it was.

    `near[spot, k]` is where move k of a node leads, and `back[spot, k]` are the nodes from which a move leads to it.
    """

    def __init__(self, states: StateGraph) -> None:
        self.states = states
        self.n_spots = states.n_cells
        self.cells = self.spot_of = np.arange(states.n_cells, dtype=np.int32)
        self.legal, self.offsets = np.zeros(states.n_cells, np.uint8), np.zeros(8, np.int32)
        self.degree: NDArray[np.int32] = np.diff(states.graph.first)
        self.near = _rows(states.graph.first, states.graph.target)

    @cached_property
    def back(self) -> NDArray[np.int32]:
        """The nodes from which a move leads to each."""
        return _rows(*self.states.entries)

    def widths(self, goals: NDArray[np.int32]) -> NDArray[np.int32]:
        """How many nodes each goal is: a body that turns has reached a cell in every heading."""
        kinds = np.searchsorted(self.states.bases, goals, "right") - 1
        is_stand = self.states.stand_of[goals] == goals
        return np.where(is_stand, self.states.together[kinds], 1).astype(np.int32)

    @cached_property
    def can_return(self) -> bool:
        """Whether every move leads back as well."""
        source, target = self.states.sources.astype(np.int64), self.states.graph.target.astype(np.int64)
        n = self.n_spots
        return np.array_equal(source * n + target, np.sort(target * n + source))

    def stands(self, spots: NDArray[np.int32]) -> NDArray[np.int32]:
        """The goals that agents on these nodes have reached: bodies that turn in every heading."""
        return self.states.stand_of[spots]


AnySpots = SpotMap | StateSpots


def _rows(first: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int32]:
    """Lists of nodes in CSR form as rows of equal length, which NOWHERE fills up."""
    degree = np.diff(first)
    near = np.full((len(degree), max(int(degree.max(initial=0)), 1)), NOWHERE, np.int32)
    row = np.repeat(np.arange(len(degree)), degree)
    near[row, np.arange(len(ends)) - np.repeat(first[:-1], degree)] = ends
    return near


class DistanceTable:
    """The distances from all spots to each of `goals` (spots), filled in portions on all cores."""

    def __init__(self, spot_map: AnySpots, goals: NDArray[np.int32]) -> None:
        self.spot_map, self.goals, self.n_filled = spot_map, goals, 0
        kind = _kind(spot_map, goals)
        _check_room(len(goals) * spot_map.n_spots * kind.itemsize, len(goals), available_bytes())
        self.steps: NDArray[Any] = np.empty((len(goals), spot_map.n_spots), kind)
        self.far = int(np.iinfo(kind).max)
        self.widths = spot_map.widths(goals)
        self.queues = np.empty((n_cores(), spot_map.n_spots), np.int32)

    @property
    def is_filled(self) -> bool:
        """Whether all fields are there."""
        return self.n_filled == len(self.goals)

    def aim(self, goals: NDArray[np.int32]) -> None:
        """Have other goals from now on; their fields are still to be filled."""
        self.goals[:] = goals
        self.widths = self.spot_map.widths(self.goals)

    def fill(self, n: int) -> int:
        """Fill up to `n` more fields; how many these were."""
        rows = np.arange(self.n_filled, min(self.n_filled + n, len(self.goals)))
        self.fill_rows(rows)
        self.n_filled += len(rows)
        return len(rows)

    def fill_rows(self, rows: NDArray[np.intp]) -> None:
        """Fill the fields of `rows`, on all cores."""
        parts = [part for part in np.array_split(rows, len(self.queues)) if part.size]
        if len(parts) == 1:
            self._fill_part(parts[0], self.queues[0])
        elif parts:
            with ThreadPoolExecutor(len(parts)) as pool:
                list(pool.map(self._fill_part, parts, self.queues))

    def _fill_part(self, part: NDArray[np.intp], queue: NDArray[np.int32]) -> None:
        for row in part.tolist():
            fill(Spots(self.spot_map.back), self.goals, self.widths, row, row + 1, self.far, queue, self.steps)


@overload
def spots_of(states: Grid) -> SpotMap: ...
@overload
def spots_of(states: StateGraph) -> StateSpots: ...
def spots_of(states: Grid | StateGraph) -> AnySpots:
    """The spots of a grid or of a graph of states, made once."""
    return cached(states, "spots", lambda states: SpotMap(states) if isinstance(states, Grid) else StateSpots(states))


def new_fields(states: Grid | StateGraph, goals: NDArray[np.int32], max_bytes: int | None = None) -> StepFields:
    """A field for each of `goals` (nodes), not begun yet; refuses jobs that could outgrow `max_bytes` (or the machine)."""
    spot_map, n = spots_of(states), len(goals)
    kind = _kind(spot_map, spot_map.spot_of[goals])
    need = n * spot_map.n_spots * (kind.itemsize + 4)
    _check_room(need, n, available_bytes() if max_bytes is None else max_bytes)
    queue = lazy_zeros((n, FIRST + spot_map.n_spots), np.int32)
    queue[:, FIRST] = spot_map.spot_of[goals]
    queue[:, DONE] = spot_map.widths(queue[:, FIRST]) - 1
    return _fields(spot_map, lazy_zeros((n, spot_map.n_spots), kind), queue)


def filled_fields(states: Grid | StateGraph, steps: NDArray[Any]) -> StepFields:
    """Fields of which all distances are known: the `steps` of a table."""
    return _fields(
        spots_of(states), steps, np.ones((len(steps), FIRST), np.int32)
    )  # of one spot, one has been expanded


def _fields(spot_map: AnySpots, steps: NDArray[Any], queue: NDArray[np.int32]) -> StepFields:
    cells = np.zeros(len(spot_map.spot_of), CELL)
    cells["legal"], cells["spot"] = spot_map.legal, spot_map.spot_of
    return StepFields(spot_map.back, cells, spot_map.offsets, steps, queue, int(np.iinfo(steps.dtype).max))


def steps_to(states: Grid | StateGraph, goal: int) -> NDArray[np.int32]:
    """The number of steps from each cell or node to `goal`; UNREACHED where there is no way."""
    steps: NDArray[np.int32] = np.empty(states.n_cells, np.int32)
    queue = np.empty(states.n_cells, np.int32)
    goals = np.array([goal], np.int32)
    if isinstance(states, Grid):
        fill(states.graph, goals, np.ones(1, np.int32), 0, 1, int(UNREACHED), queue, steps[None])
    else:
        spots = spots_of(states)
        fill(Spots(spots.back), goals, spots.widths(goals), 0, 1, int(UNREACHED), queue, steps[None])
    return steps


def fewest_steps(states: Grid | StateGraph, starts: NDArray[np.int32], goals: NDArray[np.int32]) -> NDArray[np.int32]:
    """The number of steps from each start to its goal, on all cores; UNREACHED where there is no way."""
    steps = np.empty(len(starts), np.int32)
    if not isinstance(states, Grid):
        for goal in np.unique(goals).tolist():
            agents = np.flatnonzero(goals == goal)
            steps[agents] = steps_to(states, goal)[starts[agents]]
        return steps
    parts = np.array_split(np.arange(len(starts)), n_cores())

    def work(part: NDArray[np.intp]) -> None:
        scratch, queue = np.full(states.n_cells, UNREACHED, np.int32), np.empty(len(states.free_cells), np.int32)
        fill_pairs(states.graph, starts, goals, part, queue, scratch, steps)

    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(work, parts))
    return steps


def _kind(spot_map: AnySpots, goals: NDArray[np.int32]) -> np.dtype[Any]:
    """The smallest integers for all distances to `goals`: between two spots of a grid at most twice that to a third one."""
    if spot_map.n_spots < np.iinfo(np.uint16).max or not len(goals):
        return np.dtype(np.uint16)
    if isinstance(spot_map, StateSpots):  # some ways lead in one direction only
        return np.dtype(np.int32)
    steps = np.empty((1, spot_map.n_spots), np.int32)
    fill(
        Spots(spot_map.near),
        goals[:1],
        np.ones(1, np.int32),
        0,
        1,
        int(UNREACHED),
        np.empty(spot_map.n_spots, np.int32),
        steps,
    )
    reached = steps[0] != UNREACHED
    fits = reached[goals].all() and 2 * int(steps[0][reached].max()) < np.iinfo(np.uint16).max
    return np.dtype(np.uint16 if fits else np.int32)


def _check_room(need: int, n: int, limit: int) -> None:
    if need > limit:
        raise TooLarge(f"distance fields for {n} goals could need {need / 1e9:.1f} GB, {limit / 1e9:.1f} GB are free")
