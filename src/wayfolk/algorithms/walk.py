"""A walk in an unknown world: an agent with limited sight that replans when what it sees is not what it assumed.

    walk(real_map, (3, 4), (50, 60), "d_star_lite", sight=6)

Unseen cells are assumed to be free (the free-space assumption), or to be as on an old map, `known`. Any search can be the
planner: an incremental one repairs its path after a change, any other begins anew. So they can be compared.

Invariants  between two plans the agent follows its path cell by cell. It plans whenever it has seen anything new. It
            always sees its neighbours, so it never moves into a wall.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import begin_path, make_ready
from wayfolk.algorithms.search._replanning.task import Incremental
from wayfolk.algorithms.task import UNPREPARED, Task, checked_limits, finish
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.kernels.deadline import OutOfTime, deadline
from wayfolk.kernels.graph import cost, slots, there
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.belief import GraphBelief, GridBelief
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

Change = tuple[int, Sequence[Any], Sequence[Any]]


@dataclass(frozen=True)
class Planning:
    """One plan: the step and the place at which it was made, the cells newly seen, the cells expanded, and its cost."""

    step: int
    place: Hashable
    learned: int
    expanded: int
    cost: float


@dataclass
class Walk(Result):
    """A walk: `path` is where the agent has been and `cost` the cost of that, whether it arrived or not.

    `plans` has one entry for each plan, the first included. IMPOSSIBLE: there was no way left. GAVE_UP: there was none on
    the agent's map, but that map is wrong about cells it has not seen; `detail` says so.
    """

    plans: list[Planning] = field(default_factory=list)


def walk(
    real_world: Grid | Graph,
    start: Any,
    goal: Any,
    algorithm: Any = "d_star_lite",
    *,
    sight: float = 5.0,
    known: Grid | Graph | None = None,
    changes: Sequence[Change] = (),
    seconds: float | None = None,
    expansions: int | None = None,
    **options: Any,
) -> Walk:
    """Walk from `start` to `goal` in a world that the agent does not know, or that has changed; returns the walk.

    The agent sees as far as `sight` and takes unseen cells from the map `known`, or for free if there is none. `changes`
    lists (step, places that become blocked, places that become free); a cell is not blocked while the agent is there. On a
    graph `sight` counts edges, and places are nodes. `algorithm` is a search, and `options` are its options. `seconds`
    limits the time, and `expansions` limits expansions and steps together.
    """
    checked_limits(seconds=seconds, expansions=expansions)
    if seconds is not None:
        make_ready(algorithm)
    with deadline(seconds):
        task = Walker(real_world, start, goal, algorithm, sight=sight, known=known, changes=changes, **options)
        return cast(Walk, finish(task, seconds=seconds, budget=expansions))


class Walker(Task):
    """An agent on such a walk; the budget of `advance` is spent on expansions and steps."""

    def __init__(
        self,
        real_world: Grid | Graph,
        start: Any,
        goal: Any,
        algorithm: Any,
        *,
        sight: float = 5.0,
        known: Grid | Graph | None = None,
        changes: Sequence[Change] = (),
        **options: Any,
    ) -> None:
        if not sight >= 0:
            raise BadInput(f"sight must be 0 or more, not {sight}")
        if known is not None and type(known) is not type(real_world):
            raise BadInput("the known world and the real one must be of the same kind")
        self.entry = catalogue.find(algorithm, "search")
        self.algorithm, self.options = self.entry.name, options
        if self.entry.facts.get("ANY_ANGLE"):
            raise NotSupported(f"a walk goes from cell to cell, but {self.entry.name} goes at any angle")
        self.here, self.goal = _cell(real_world, start), _cell(real_world, goal)
        if not real_world.is_free(self.here):
            raise BadProblem(f"the start {real_world.place(self.here)} is in a wall")
        self.changes = [
            (int(step), [_cell(real_world, p) for p in blocked], [_cell(real_world, p) for p in freed])
            for step, blocked, freed in changes
        ]
        if any(step < 0 for step, _, _ in self.changes):
            raise BadInput("a change cannot be before step 0")
        self.belief: GridBelief | GraphBelief
        if isinstance(real_world, Grid):
            self.belief = GridBelief(real_world, known, sight)  # type: ignore[arg-type]
        else:
            self.belief = GraphBelief(real_world, known, sight)  # type: ignore[arg-type]
        self.walked, self.cost = [self.here], 0.0
        self.plans: list[Planning] = []
        self.ahead: list[int] = []
        self.search: Any = None
        self.detail = ""
        self._arrive()

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Plan and move for up to `budget` expansions and steps, fewer if `until` comes first; `unspent` are left then."""
        while budget > 0 and not self.status.is_final:
            if self.is_planning:
                budget -= self._search(budget)
            else:
                self._step()
                budget -= 1
            if time.perf_counter() >= self.until:
                break
        self.unspent = max(budget, 0)
        return self.status

    def _arrive(self) -> None:
        """Change the world, let the agent look around, and begin a plan if it has seen anything new."""
        step = len(self.walked) - 1
        for when, blocked, freed in self.changes:
            if when == step:
                self.belief.happen([cell for cell in blocked if cell != self.here], freed)
        learned = self.belief.look(self.here)
        self.is_planning = False
        if self.here == self.goal:
            self.status = Status.SOLVED
        elif learned.size or not self.plans:
            self._plan(learned)

    def _plan(self, learned: Any) -> None:
        world = self.belief.world
        self.learned, self.expanded_before = int(learned.size), 0
        if not world.is_free(self.goal):
            self._give_up()
            return
        if isinstance(self.search, Incremental):
            self.expanded_before = self.search.expanded
            self.search.move_to(self.here)
            self.search.change(world, learned)
        else:
            try:
                self.search = begin_path(
                    world, world.place(self.here), world.place(self.goal), self.entry, **self.options
                )
            except OutOfTime:
                self.status, self.detail = Status.OUT_OF_TIME, UNPREPARED
                return
        self.is_planning = True

    def _search(self, budget: int) -> int:
        """Resume the search for up to `budget` expansions; returns how many it made."""
        before = self.search.result().expanded
        status = self.search.advance(budget)
        result = self.search.result()
        if status.is_final:
            self.is_planning = False
            expanded = result.expanded - self.expanded_before
            step, place = len(self.walked) - 1, self.belief.world.place(self.here)
            self.plans.append(Planning(step, place, self.learned, expanded, result.cost))
            if status is Status.SOLVED and result.path is not None:
                self.ahead = [self.belief.world.cell(place) for place in result.path[:0:-1]]
            elif status is Status.IMPOSSIBLE:
                self._give_up()
            else:
                self.status, self.detail = status, result.detail
        return int(result.expanded - before)

    def _give_up(self) -> None:
        """End the walk: there is no way on the agent's map, and perhaps none at all."""
        wrong = self.belief.unknown_ways
        self.status = Status.GAVE_UP if wrong else Status.IMPOSSIBLE
        self.detail = "there is no way on the agent's map"
        if wrong:
            what = "cells" if isinstance(self.belief, GridBelief) else "edges"
            self.detail += f", which takes {wrong} free {what} to be blocked"

    def _step(self) -> None:
        real, other = self.belief.real, self.ahead.pop()
        graph = real.graph
        ways = [k for k in range(slots(graph, self.here)) if there(graph, self.here, k) == other]
        self.cost += float(min(cost(graph, self.here, k) for k in ways))
        self.here = other
        self.walked.append(other)
        self._arrive()

    def result(self) -> Walk:
        """The walk so far, with all plans."""
        spent = sum(plan.expanded for plan in self.plans)
        if self.is_planning:
            spent += self.search.result().expanded - self.expanded_before
        return Walk(
            self.status,
            self.algorithm,
            [self.belief.real.place(cell) for cell in self.walked],
            self.cost,
            counters=Counters(spent, replans=max(len(self.plans) - 1, 0)),
            options=dict(self.options),
            detail=self.detail,
            plans=list(self.plans),
        )


def _cell(world: Grid | Graph, place: Any) -> int:
    """The cell at `place`, which on a grid may be a cell already."""
    return int(place) if isinstance(place, np.integer) and isinstance(world, Grid) else world.cell(place)
