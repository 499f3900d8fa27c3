"""What searches that are repaired share: the task, and what a change of the world means to them.

task = begin(world, start, goal)       advance and result as with any search; then, as often as you like,
task.move_to(cell)                     the agent has walked
task.change(other_world)               edges have changed
task.advance(); task.result()          the new path, from where the agent is
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.algorithms.search._replanning.roads import around, differing, roads_of, scale_for
from wayfolk.algorithms.search._search import places_of, with_room
from wayfolk.algorithms.search_view import SearchView
from wayfolk.algorithms.task import Task
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.graph import HEURISTICS
from wayfolk.kernels.watching import estimate_to
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

NOTHING = np.zeros(0, np.int32)
EXPANDED, GENERATED = 0, 1  # places in `counts`, in both kernels


@dataclass
class RepairCounters(Counters):
    """Work done in all; `last_repair` is the cells expanded since the last change."""

    last_repair: int = 0


class Incremental(Task):
    """A search that keeps what it knows. It grows from `root` until it knows the way from `aim`."""

    is_backward = True  # grows from the goal, and so can follow an agent that leaves the start

    def __init__(self, world: Grid | Graph, start: int, goal: int, *, watch: bool, heuristic: str = "best") -> None:
        self.world, self.start, self.goal = world, start, goal
        self.kind = HEURISTICS[best_heuristic(world) if heuristic == "best" else heuristic]
        self.counts = np.zeros(8, np.int64)
        self.events = np.empty(1024 if watch else 0, np.int32)
        self.replans = self.expanded_before = 0
        self.begin_afresh()

    @property
    def root(self) -> int:
        """Where the search grows from."""
        return self.goal if self.is_backward else self.start

    @property
    def aim(self) -> int:
        """Whose way is wanted."""
        return self.start if self.is_backward else self.goal

    @property
    def expanded(self) -> int:
        """Cells expanded in all."""
        return int(self.counts[EXPANDED])

    @abstractmethod
    def new_memory(self) -> Any:
        """Memory that knows nothing."""

    @abstractmethod
    def work(self, budget: int) -> bool:
        """Expand up to `budget` cells; whether the way from `aim` is settled."""

    @abstractmethod
    def revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        """Edges of `cells` have changed and the agent may have moved; with `all_keys` the heuristics are others too."""

    @abstractmethod
    def has_path(self) -> bool:
        """Whether the settled values describe a path."""

    @abstractmethod
    def trace(self, cells: NDArray[np.int32]) -> tuple[int, float]:
        """Write the path from `aim` to `root`; its number of cells and its cost."""

    def search_view(self) -> SearchView:
        """The expanded cells; kernels have their own arrays for the rest."""
        h = estimate_to(self.roads.out, self.aim, self.kind)
        return SearchView(self.events[: min(self.expanded, len(self.events))], h=h)

    def begin_afresh(self) -> None:
        """Begin again, without what is known."""
        self.roads = roads_of(self.world, self.is_backward)
        self.scale = scale_for(self.world)
        self.memory = self.new_memory()
        self.keyed_for = self.aim  # where the agent was when the keys of the queue were computed
        self.pause()

    def pause(self) -> None:
        """There is work to do before a path is known."""
        self.status = Status.RUNNING
        self.cells, self.cost = NOTHING, float("inf")
        self.bound: float | None = None
        self.expanded_before = self.expanded

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` cells."""
        stop = self.expanded + budget
        while not self.status.is_final:
            self.events, portion = with_room(self.events, self.expanded, stop - self.expanded)
            if self.work(portion):
                self.settle()
                stop -= 1 + self.cells.size  # a round that expands nothing must use up the budget too
            if self.expanded >= stop:
                break
        return self.status

    def settle(self) -> None:
        """Read the path, which `work` has settled."""
        self.read_path(1.0)
        self.status = Status.SOLVED if self.cells.size else Status.IMPOSSIBLE

    def read_path(self, bound: float) -> None:
        """Read the settled path, if there is one."""
        if self.has_path():
            cells = np.empty(self.world.n_cells, np.int32)
            n, self.cost = self.trace(cells)
            self.cells, self.bound = cells[:n].copy() if self.is_backward else cells[:n][::-1].copy(), bound

    def move_to(self, cell: int) -> None:
        """The agent is now at `cell`. On its path that takes no work; elsewhere the search continues from there."""
        if not 0 <= cell < self.world.n_cells:
            raise BadProblem(f"there is no cell {cell} to move to")
        if cell == self.start:
            return
        self.start = cell
        if self.status is Status.SOLVED and cell in self.cells and self.is_backward:
            self.settle()
            return
        self.replans += 1
        if self.is_backward:
            self._revise(NOTHING, False)
        else:
            self.begin_afresh()

    def change(self, world: Grid | Graph, cells: Any = None) -> None:
        """The world is now `world`, of the same size and move rule.

        `cells`, if given, are the cells of a grid that became blocked, free or of another terrain: then the two worlds
        need not be compared.
        """
        if not _has_same_rules(world, self.world):
            raise BadInput(f"{self.world!r} cannot become {world!r}: its size and its moves must stay")
        old, self.world = self.roads, world
        roads = roads_of(world, self.is_backward)
        if not self.scale / 4 <= scale_for(world) <= self.scale * 1024:  # sums would overflow, or be too coarse
            self.replans += 1
            self.begin_afresh()
            return
        new_heuristics = roads.cheapest < old.cheapest or not roads.has_same_places(old)
        self.roads = roads if new_heuristics else roads.estimating(old.cheapest)
        if cells is None or not isinstance(world, Grid):
            touched = differing(old, roads)
        else:
            touched = around(world.graph, np.asarray(cells, np.int64))
        if touched.size or new_heuristics:
            self.replans += 1
            self._revise(touched, new_heuristics)

    def _revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        self.revise(cells, all_keys)
        self.keyed_for = self.aim
        self.pause()

    def result(self) -> Result:
        """The path from where the agent is, once there is one."""
        counters = RepairCounters(self.expanded, int(self.counts[GENERATED]), replans=self.replans)
        counters.last_repair = self.expanded - self.expanded_before
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=counters)
        if self.cells.size:
            result.path, result.cost, result.bound = places_of(self.world, self.cells), self.cost, self.bound
        if self.events.size:
            result.events = self.events[: self.expanded].copy()
        return result


def _has_same_rules(one: Any, other: Any) -> bool:
    """Whether cells of one world mean something in the other."""
    if isinstance(one, Graph) or isinstance(other, Graph):
        return type(one) is type(other) and one.n_cells == other.n_cells
    rules = [(world.width, world.height, world.moves, world.diagonal) for world in (one, other)]
    return rules[0] == rules[1]
