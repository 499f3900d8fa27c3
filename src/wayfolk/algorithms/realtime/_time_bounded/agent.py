"""What TBA* and Salient Search share: the agent around the kernel `search_and_move`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wayfolk.algorithms.realtime._agent import RealtimeAgent, WalkCounters, need_two_ways
from wayfolk.algorithms.realtime._state import ARRIVED, NO_ROOM, STUCK, Limits
from wayfolk.algorithms.realtime._time_bounded import search, strategies
from wayfolk.algorithms.realtime._time_bounded.open_cells import COUNTS, STATE, Slate, new_slate
from wayfolk.algorithms.realtime._time_bounded.search import CHUNK, SCALE, Pace, Scout
from wayfolk.algorithms.search._best_first import best_heuristic, edge_range
from wayfolk.algorithms.search_view import SearchView, states_by_stamp
from wayfolk.errors import BadInput, UnknownName, hint
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.graph import HEURISTICS
from wayfolk.kernels.watching import estimate_to
from wayfolk.problem.result import Status
from wayfolk.world.cache import pool
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

MOST_LISTS = 1 << 14  # for the cost of the costliest step
MOST_KEPT = 4  # sets of arrays that are kept for the next walks
LONGER = "longer"


def _new_scout(n_cells: int, n_expand: int) -> Scout:
    """Arrays for the search for shortcuts."""
    memory, queue = best_first.new_memory(n_cells), buckets.new_buckets(8, 8 * n_expand + 16)
    return Scout(memory, queue, np.empty(n_expand, np.int32), np.empty(n_expand + 1, np.int32))


NO_SCOUT = _new_scout(0, 0)


@dataclass
class TreeCounters(WalkCounters):
    """Also what Vermette counts: steps back along the tree, changes of direction, and the cost of the path found."""

    backward_steps: int = 0
    turns: int = 0
    traced_most: int = 0
    solution_cost: float | None = None


class TimeBounded(RealtimeAgent):
    """A walk along a growing search tree."""

    def __init__(
        self,
        world: Grid | Graph,
        start: int,
        goal: int,
        *,
        name: str,
        limit: int,
        share: float,
        traces: float,
        salient: int,
        strategy: str,
        patient: bool = False,
        shortcut: bool = False,
        switch: str = "always",
        watch: bool,
    ) -> None:
        super().__init__(world, start, goal, watch)
        need_two_ways(world, name)
        self.name = name
        n_expand = int(limit * share + 1e-9)
        n_trace = int((limit - n_expand) * traces + 1e-9)
        if n_expand < 1 or n_trace < 1:
            raise BadInput(
                f"limit {limit}, share {share} and traces {traces} leave {n_expand} expansions and {n_trace} trace steps "
                "for each move: both must be 1 or more"
            )
        if salient > n_expand:
            raise BadInput(
                f"salient must be at most the {n_expand} expansions that limit {limit} and share {share} leave, "
                f"not {salient}"
            )
        if strategy not in strategies.STRATEGIES:
            raise UnknownName(f"there is no strategy {strategy!r}{hint(strategy, strategies.STRATEGIES)}")
        self.strategy = strategies.STRATEGIES[strategy]
        kind = HEURISTICS[best_heuristic(world)]
        self.pace = Pace(n_expand, salient, n_trace, kind, _span(world), patient, shortcut, switch == LONGER)
        self.scout = _new_scout(world.n_cells, n_expand) if shortcut else NO_SCOUT
        self.slate = self._borrow(world)
        self.ended: tuple[tuple[TreeCounters, float], Any] | None = None
        search.open_start(world.graph, self.slate, start, goal, kind)

    def _borrow(self, world: Grid | Graph) -> Slate:
        """Arrays of a walk that has ended in this world, or new ones."""
        try:
            slate: Slate = pool(world, "slates").pop()
        except IndexError:
            n_heads = self._room + int(world.n_cells**0.5 * SCALE)
            slate = new_slate(world.n_cells, n_heads)
        kept = {name: slate.state[0][name] for name in ("stamp", "current", "top", "epoch", "trace")}
        slate.state[0] = np.zeros((), STATE)
        for name, value in kept.items():
            slate.state[0][name] = value
        slate.state[0]["scale"] = _scale(world)
        return slate

    @property
    def bound(self) -> int:
        """The most expansions for each move."""
        return self.pace.n_expand

    @property
    def _room(self) -> int:
        """The lists that the next expansions of a move may need."""
        return min(self.pace.n_expand, CHUNK) * self.pace.span

    def _move(self, limits: Limits) -> Status:
        state = self.slate.state[0]
        code = search.search_and_move(
            self.world.graph, self.slate, self.strategy, self.pace, self.scout,
            self._trail(int(state["expanded"]), limits), limits,
        )  # fmt: skip
        self.n_walked, self.here = int(state["moves"]), int(state["here"])
        if code == NO_ROOM:
            self._grow()
        ended = {ARRIVED: Status.SOLVED, STUCK: Status.IMPOSSIBLE}.get(code, Status.RUNNING)
        if ended.is_final:
            self._lend()
        return ended

    def search_view(self) -> SearchView:
        """The search tree, which is kept from move to move."""
        cells, state = self.slate.cells, self.slate.state[0]
        return (
            super()
            .search_view()
            ._replace(
                state=states_by_stamp(cells["mark"], int(state["stamp"])),
                g=cells["g"],
                parent=cells["parent"],
                h=estimate_to(self.world.graph, self.goal, self.pace.kind),
            )
        )

    def _lend(self) -> None:
        """Leave the arrays to the next walk in this world, and keep what has been counted."""
        self.ended = self._count(), self.slate.state[0].copy()
        lent = pool(self.world, "slates")
        if len(lent) < MOST_KEPT:
            lent.append(self.slate)

    def _grow(self) -> None:
        more = new_slate(0, len(self.slate.heads) + self._room).heads
        self.slate = self.slate._replace(heads=np.concatenate([self.slate.heads, more]))

    def _count(self) -> tuple[TreeCounters, float]:
        state = self.slate.state[0]
        solution_cost = float(self.slate.cells[self.goal]["g"]) if state["is_found"] else None
        names = ("expanded", "generated", "restarts", "moves", "waits", "first_move", "turns", "traced_most")
        counts = {name: int(state[name]) for name in names}
        return TreeCounters(
            **counts,
            expanded_most=int(state["most"]),
            backward_steps=int(state["backward"]),
            solution_cost=solution_cost,
        ), float(state["travel"])

    def _counters(self) -> TreeCounters:
        return (self._count() if self.ended is None else self.ended[0])[0]

    def _cost(self) -> float:
        return (self._count() if self.ended is None else self.ended[0])[1]

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """Begin the search anew from where the agent is."""
        need_two_ways(world, self.name)
        if world is not self.world:  # steps may be costlier
            self.pace = self.pace._replace(span=_span(world))
        if self.ended is not None:  # another walk may have the arrays
            self.slate = self._borrow(world)
            for name in (*COUNTS, "travel"):
                self.slate.state[0][name] = self.ended[1][name]
            self.ended = None
        self.slate.state[0]["restarts"] += 1
        self.slate.state[0]["scale"] = _scale(world)
        search.open_start(world.graph, self.slate, self.here, goal, self.pace.kind)


def _scale(world: Grid | Graph) -> float:
    """How many lists there are for each unit of cost."""
    cheapest, costliest = edge_range(world)
    return min(SCALE / cheapest, MOST_LISTS / costliest)


def _span(world: Grid | Graph) -> int:
    """More lists than one expansion can raise f by."""
    return int(2 * edge_range(world)[1] * _scale(world)) + 4
