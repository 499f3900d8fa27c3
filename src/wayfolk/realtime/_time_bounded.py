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
from wayfolk.kernels.time_bounded import ARRIVED, LISTS_FULL, SCALE, STATE, STUCK, Pace, Scout, Seen
from wayfolk.realtime._walker import WalkCounters, Walker
from wayfolk.result import Status
from wayfolk.search._best_first import best_guess, edge_range

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


def _new_scout(world: Grid | Graph, n_expand: int) -> Scout:
    """Arrays to look for shortcuts with; nothing, if nobody will."""
    memory = best_first.new_memory(world.n_cells if n_expand else 0)
    queue = buckets.new_buckets(8, 8 * n_expand + 16)
    return Scout(memory, queue, np.empty(n_expand, np.int32), np.empty(n_expand + 1, np.int32))


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
        kind, span = GUESSES[best_guess(world)], int(2 * edge_range(world)[1] * SCALE) + 4
        self.pace = Pace(n_expand, salient, n_trace, kind, span, patient, shortcut)
        self.scout = _new_scout(world, n_expand if shortcut else 0)
        self.slate = self._borrow(world)
        time_bounded.seed(world.graph, self.slate, start, goal, kind)

    def _borrow(self, world: Grid | Graph) -> time_bounded.Slate:
        """Arrays of a walk that has ended in this world, or new ones."""
        pool = world.__dict__.setdefault("_slates", [])
        if not pool:
            n_heads = self.pace.n_expand * self.pace.span + int(world.n_cells**0.5 * SCALE)
            return time_bounded.new_slate(world.n_cells, n_heads)
        slate: time_bounded.Slate = pool.pop()
        kept = {name: slate.state[0][name] for name in ("stamp", "top", "epoch", "trace")}
        slate.state[0] = np.zeros((), STATE)
        for name, value in kept.items():
            slate.state[0][name] = value
        return slate

    def _walk(self, moves: int) -> Status:
        state = self.slate.state[0]
        if self.watch:
            moves = min(moves, 64)
        before, first = int(state["moves"]), int(state["expanded"])
        events = np.empty(first + moves * self.pace.n_expand if self.watch else 0, np.int32)
        code = time_bounded.walk(
            self.world.graph, self.slate, self.strategy, self.pace, self.scout, self.walked, events, moves
        )
        self.n_walked += int(state["moves"]) - before
        self.here = int(state["here"])
        if self.watch:
            self.events.append(events[first : int(state["expanded"])])
        if code == LISTS_FULL:
            self._grow()
        ended = {ARRIVED: Status.SOLVED, STUCK: Status.IMPOSSIBLE}.get(code, Status.RUNNING)
        if ended.is_final:
            self.counted = self._count()
            self.world.__dict__.setdefault("_slates", []).append(self.slate)
        return ended

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
        return (self.counted if self.status.is_final and self.n_walked else self._count())[0]

    def _cost(self) -> float:
        return self.counted[1] if self.n_walked else 0.0

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """Begin the search anew from where the agent is."""
        pool = self.world.__dict__.get("_slates", [])
        pool[:] = [entry for entry in pool if entry is not self.slate]
        self.slate.state[0]["restarts"] += 1
        time_bounded.seed(world.graph, self.slate, self.here, goal, self.pace.kind)
