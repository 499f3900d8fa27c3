"""What TBA* and Salient Search share: the walker around the kernel `time_bounded`, and the strategies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wayfolk.catalogue import hint
from wayfolk.errors import BadInput, UnknownName
from wayfolk.graph import GUESSES, Graph
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets, time_bounded
from wayfolk.kernels.time_bounded import ARRIVED, COUNTS, LISTS_FULL, SCALE, STATE, STUCK, Pace, Scout, Seen
from wayfolk.realtime._walker import WalkCounters, Walker, need_two_ways
from wayfolk.result import Status
from wayfolk.search._best_first import best_guess, edge_range

MOST_LISTS = 1 << 14  # for the cost of the dearest step
MOST_KEPT = 4  # sets of arrays that are kept for the next walks
STRATEGIES: dict[str, Any] = {}


def add_strategy(name: str, strategy: Any, prefers_open: Callable[[Any, Seen], bool]) -> None:
    """Teach Salient Search a strategy: a NamedTuple with its settings, and a function to be compiled.

    `prefers_open(strategy, seen)` says whether the next subgoal is the best open cell rather than the best salient one.
    """
    STRATEGIES[name] = strategy
    time_bounded.choosing(type(strategy), prefers_open)


class BestOpen(NamedTuple):
    """Always the most promising cell, as TBA* does."""

    nothing: int = 0


class TieBreak(NamedTuple):
    """The salient cell if its f is no worse."""

    nothing: int = 0


class AgentDistance(NamedTuple):
    """The one that looks nearer to the agent."""

    nothing: int = 0


class Commit(NamedTuple):
    """The salient cell as long as there is one: go on until the way turns out to be a dead end."""

    committed: int = 0


class SunkCost(NamedTuple):
    """What is left to walk decides: from where the agent is, not from the start."""

    sunk: int = 0


def _is_less_to_walk(strategy, seen):  # type: ignore[no-untyped-def]
    return seen.open_away + seen.open_f - seen.open_g < seen.salient_f - seen.agent_g and seen.open_f < seen.salient_f


add_strategy("commit", Commit(), lambda strategy, seen: False)
add_strategy("sunk_cost", SunkCost(), _is_less_to_walk)
add_strategy("best_open", BestOpen(), lambda strategy, seen: True)
add_strategy("tie_break", TieBreak(), lambda strategy, seen: seen.open_f < seen.salient_f)
add_strategy("agent_distance", AgentDistance(), lambda strategy, seen: seen.open_away < seen.salient_away)


def _new_scout(n_cells: int, n_expand: int) -> Scout:
    """Arrays to look for shortcuts with."""
    memory, queue = best_first.new_memory(n_cells), buckets.new_buckets(8, 8 * n_expand + 16)
    return Scout(memory, queue, np.empty(n_expand, np.int32), np.empty(n_expand + 1, np.int32))


NO_SCOUT = _new_scout(0, 0)


@dataclass
class TreeCounters(WalkCounters):
    """Also what Vermette counts: steps back along the tree, changes between forward and back, and the path found."""

    backward_steps: int = 0
    turns: int = 0
    traced_most: int = 0
    solution_cost: float | None = None


class TimeBounded(Walker):
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
        watch: bool,
    ) -> None:
        super().__init__(world, start, goal, watch)
        need_two_ways(world, name)
        self.name = name
        if not 0.0 <= share <= 1.0:
            raise BadInput(f"share must be from 0 to 1, not {share}")
        if not traces > 0:
            raise BadInput(f"traces must be more than 0, not {traces}")
        n_expand = int(limit * share + 1e-9)
        n_trace = int((limit - n_expand) * traces + 1e-9)
        if n_expand < 1 or n_trace < 1:
            raise BadInput(
                f"limit {limit} with share {share} leaves {n_expand} expansions and {n_trace} trace steps for each move: "
                "both must be 1 or more"
            )
        if not 0 <= salient <= n_expand:
            raise BadInput(f"salient must be from 0 to the {n_expand} expansions of a move, not {salient}")
        if strategy not in STRATEGIES:
            raise UnknownName(f"there is no strategy {strategy!r}{hint(strategy, STRATEGIES)}")
        self.strategy = STRATEGIES[strategy]
        kind = GUESSES[best_guess(world)]
        self.pace = Pace(n_expand, salient, n_trace, kind, _span(world), patient, shortcut)
        self.scout = _new_scout(world.n_cells, n_expand) if shortcut else NO_SCOUT
        self.slate = self._borrow(world)
        self.ended: tuple[tuple[TreeCounters, float], Any] | None = None
        time_bounded.seed(world.graph, self.slate, start, goal, kind)

    def _borrow(self, world: Grid | Graph) -> time_bounded.Slate:
        """Arrays of a walk that has ended in this world, or new ones."""
        pool = world.__dict__.setdefault("_slates", [])
        if not pool:
            n_heads = self.pace.n_expand * self.pace.span + int(world.n_cells**0.5 * SCALE)
            slate = time_bounded.new_slate(world.n_cells, n_heads)
        else:
            slate = pool.pop()
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

    def _walk(self, moves: int) -> Status:
        state = self.slate.state[0]
        events = self._room(int(state["expanded"]), moves)
        code = time_bounded.walk(
            self.world.graph, self.slate, self.strategy, self.pace, self.scout, self.walked, events, moves
        )
        self.n_walked, self.here = int(state["moves"]), int(state["here"])
        if code == LISTS_FULL:
            self._grow()
        ended = {ARRIVED: Status.SOLVED, STUCK: Status.IMPOSSIBLE}.get(code, Status.RUNNING)
        if ended.is_final:
            self._lend()
        return ended

    def _lend(self) -> None:
        """Leave the arrays to the next walk in this world, and keep what has been counted."""
        self.ended = self._count(), self.slate.state[0].copy()
        pool = self.world.__dict__.setdefault("_slates", [])
        if len(pool) < MOST_KEPT:
            pool.append(self.slate)

    def _grow(self) -> None:
        more = time_bounded.new_slate(0, len(self.slate.heads) + self.pace.n_expand * self.pace.span).heads
        self.slate = self.slate._replace(heads=np.concatenate([self.slate.heads, more]))

    def _count(self) -> tuple[TreeCounters, float]:
        state = self.slate.state[0]
        found = float(self.slate.cells[self.goal]["g"]) if state["is_found"] else None
        names = ("expanded", "generated", "restarts", "moves", "waits", "first_move", "turns", "traced_most")
        counts = {name: int(state[name]) for name in names}
        return TreeCounters(
            **counts, expanded_most=int(state["most"]), backward_steps=int(state["backward"]), solution_cost=found
        ), float(state["travel"])

    def _counters(self) -> TreeCounters:
        return (self._count() if self.ended is None else self.ended[0])[0]

    def _cost(self) -> float:
        return (self._count() if self.ended is None else self.ended[0])[1]

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """Begin the search anew from where the agent is."""
        need_two_ways(world, self.name)
        if world is not self.world:  # steps may be dearer
            self.pace = self.pace._replace(span=_span(world))
        if self.ended is not None:  # another walk may have the arrays
            self.slate = self._borrow(world)
            for name in (*COUNTS, "travel"):
                self.slate.state[0][name] = self.ended[1][name]
            self.ended = None
        self.slate.state[0]["restarts"] += 1
        self.slate.state[0]["scale"] = _scale(world)
        time_bounded.seed(world.graph, self.slate, self.here, goal, self.pace.kind)


def _scale(world: Grid | Graph) -> float:
    """How many lists there are for each unit of cost."""
    cheapest, dearest = edge_range(world)
    return min(SCALE / cheapest, MOST_LISTS / dearest)


def _span(world: Grid | Graph) -> int:
    """More lists than one expansion can raise f by."""
    return int(2 * edge_range(world)[1] * _scale(world)) + 4
