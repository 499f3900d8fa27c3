"""A walker: an agent that sees only so far, believes the rest, and plans again when what it sees is not what it believed.

    walk(real_map, (3, 4), (50, 60), "d_star_lite", sight=6)

Unseen cells are believed to be free (the free-space assumption), or to be as on an old map, `known`. Any search can be
the planner: one that can be told of changes repairs its path, any other begins again. So they can be compared.

Keeps    between two plans the agent goes step by step along the path it has. It plans whenever it has learned anything.
         It always sees its neighbours, so it never walks into a wall.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from wayfolk import catalogue
from wayfolk.belief import GraphBelief, GridBelief
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.graph import Graph, cost, slots, there
from wayfolk.grid import Grid
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.run import begin_path, make_ready
from wayfolk.search._incremental import Incremental
from wayfolk.task import Task, finish

Change = tuple[int, Sequence[Any], Sequence[Any]]


@dataclass(frozen=True)
class Planning:
    """A plan that was made: after how many steps, where, how many cells were new, the cells expanded, and its cost."""

    step: int
    place: Hashable
    learned: int
    expanded: int
    cost: float


@dataclass
class Walk(Result):
    """A walk: `path` is where the agent has been and `cost` what that took, whether it arrived or not.

    `plans` has one entry for each plan, the first included. IMPOSSIBLE: there was no way left. GAVE_UP: on the agent's
    map there was none, but the map is wrong about cells it has not seen; `detail` says so.
    """

    plans: list[Planning] = field(default_factory=list)


def walk(
    real_world: Grid | Graph,
    start: Any,
    goal: Any,
    algorithm: str = "d_star_lite",
    *,
    sight: float = 5.0,
    known: Grid | Graph | None = None,
    changes: Sequence[Change] = (),
    seconds: float | None = None,
    expansions: int | None = None,
    **options: Any,
) -> Walk:
    """Walk from `start` to `goal` through a world that is not known, or not as it was.

    `changes` lists (step, places that are blocked, places that are freed); a cell is not blocked while the agent stands
    on it. On a graph `sight` counts edges, and the places are nodes. `expansions` limits expansions and steps together.
    """
    if seconds is not None:
        make_ready(algorithm)
    walker = Walker(real_world, start, goal, algorithm, sight=sight, known=known, changes=changes, **options)
    return cast(Walk, finish(walker, seconds=seconds, expansions=expansions))


class Walker(Task):
    """A walk under way; the budget of `advance` is spent on expansions and steps."""

    def __init__(
        self,
        real_world: Grid | Graph,
        start: Any,
        goal: Any,
        algorithm: str,
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
        self.algorithm, self.options = algorithm, options
        self.entry = catalogue.find(algorithm, "search")
        if self.entry.facts.get("ANY_ANGLE"):
            raise NotSupported(f"a walker goes from cell to cell, but {self.entry.name} goes at any angle")
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
        """Think and walk for up to `budget` expansions and steps."""
        while budget > 0 and not self.status.is_final:
            if self.is_thinking:
                budget -= self._think(budget)
            else:
                self._step()
                budget -= 1
        return self.status

    def _arrive(self) -> None:
        """The world changes, the agent looks around, and begins to plan if it has learned anything."""
        step = len(self.walked) - 1
        for when, blocked, freed in self.changes:
            if when == step:
                self.belief.happen([cell for cell in blocked if cell != self.here], freed)
        learned = self.belief.look(self.here)
        self.is_thinking = False
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
            self.search = begin_path(
                world, world.place(self.here), world.place(self.goal), self.algorithm, **self.options
            )
        self.is_thinking = True

    def _think(self, budget: int) -> int:
        """Go on planning; the cells expanded."""
        before = self.search.result().expanded
        status = self.search.advance(budget)
        made = self.search.result()
        if status.is_final:
            self.is_thinking = False
            expanded = made.expanded - self.expanded_before
            step, place = len(self.walked) - 1, self.belief.world.place(self.here)
            self.plans.append(Planning(step, place, self.learned, expanded, made.cost))
            if status is Status.SOLVED and made.path is not None:
                self.ahead = [self.belief.world.cell(place) for place in made.path[:0:-1]]
            elif status is Status.IMPOSSIBLE:
                self._give_up()
            else:
                self.status, self.detail = status, made.detail
        return int(made.expanded - before)

    def _give_up(self) -> None:
        """On the agent's map there is no way: is there really none?"""
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
        """Where the agent has been, and what it thought on the way."""
        spent = sum(plan.expanded for plan in self.plans)
        if self.is_thinking:
            spent += self.search.result().expanded - self.expanded_before
        return Walk(
            self.status,
            self.algorithm,
            [self.belief.real.place(cell) for cell in self.walked],
            self.cost,
            counters=Counters(spent, replans=max(len(self.plans) - 1, 0)),
            options=self.options,
            detail=self.detail,
            plans=list(self.plans),
        )


def _cell(world: Grid | Graph, place: Any) -> int:
    """The cell at `place`, which on a grid may be one already."""
    return int(place) if isinstance(place, np.integer) and isinstance(world, Grid) else world.cell(place)
