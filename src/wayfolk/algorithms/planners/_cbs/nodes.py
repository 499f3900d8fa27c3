"""The nodes of a constraint tree, as Python sees them: entered, made, changed, with tables that grow.

What may take long is a generator that yields each time a kernel has done a portion of its work: `advance` looks at the
clock then, and a search that was stopped is resumed where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

import numpy as np

from wayfolk.algorithms.planners._cbs import tables as tb
from wayfolk.algorithms.planners._cbs.cell_moves import CbsCells
from wayfolk.algorithms.planners._cbs.children import add_child, plan_child
from wayfolk.algorithms.planners._cbs.conflicts import find_conflicts
from wayfolk.algorithms.planners._cbs.low_level import index_nodes
from wayfolk.algorithms.planners._cbs.moves import most_moves
from wayfolk.algorithms.planners._cbs.routes import enter, retake
from wayfolk.algorithms.planners._cbs.state_moves import state_moves
from wayfolk.compile.jit import entry_point
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.table import SLOT, new_table
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Counters
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid
from wayfolk.world.spots import steps_to

MOST_MDD = 1 << 26  # numbers of diagrams that are kept
PORTION = 1 << 13  # nodes that a kernel expands before it pauses: some milliseconds
STEPS_AT_FIRST = 128  # of the routes in a graph of states

_ENTRY_POINTS: dict[tuple[Callable[..., Any], type], Callable[..., Any]] = {}
"""Of kernels: the tables of all searches with one class of moves have the same types, and to look at more than thirty
arrays takes several us."""

T = TypeVar("T")
Portions = Generator[None, None, T]
"""Work that is done in portions, and then returns a T."""


class NodeTables:
    """The tree and the routes of a search whose routes cost at most `w` times their lower bounds."""

    def __init__(self, problem: Problem, w: float) -> None:
        self.problem, self.w = problem, w
        self.tables = _new_tables(problem)
        self.counters = Counters()

    def _measure(self, agent: int) -> int:
        """Compute the distances to the goal of `agent`; that from its start."""
        states, goal, start = self.problem.states, int(self.problem.goals[agent]), int(self.problem.starts[agent])
        steps = steps_to(states, goal)
        self.tables.distance[agent] = steps[states.free_cells]
        return int(steps[start])

    def _child(self, node: int, side: int) -> Portions[int | None]:
        """A child of `node`, for one side of the split; None if an agent has no route then. It is entered."""
        self._make_room()
        child = int(self._call(add_child, node, side))
        code = yield from self._run(plan_child, child, self.w)
        self.counters.replans = int(self.tables.counts[tb.N_REPLANS])
        if code == tb.NO_ROUTE:
            return None
        self.counters.generated += 1
        return child

    def _adopt(self, node: int, child: int) -> None:
        """Give the agents in `node` the routes that they have in `child`, which is dropped."""
        self._make_room()
        s = self.tables
        row, new = s.tree[node], s.tree[child]
        replaced = {}
        self._enter(node)
        for change in s.changes[new["first_change"] : new["first_change"] + new["n_changes"]]:
            route = int(s.counts[tb.N_ROUTES])
            s.routes[route] = s.routes[change["route"]]
            s.routes[route]["node"], s.routes[route]["mdd"] = node, 0
            s.routes[route]["bound"] = s.routes[s.now[change["agent"]]["route"]]["bound"]
            s.counts[tb.N_ROUTES] += 1
            replaced[int(change["agent"])] = route
        old = s.changes[row["first_change"] : row["first_change"] + row["n_changes"]]
        changes = {int(agent): int(route) for agent, route in old.tolist()} | replaced
        first = int(s.counts[tb.N_CHANGES])
        for k, pair in enumerate(changes.items()):
            s.changes[first + k] = pair
        s.counts[tb.N_CHANGES] += len(changes)
        row["first_change"], row["n_changes"] = first, len(changes)
        row["cost"], row["n_conflicts"] = new["cost"], new["n_conflicts"]
        self._enter(node)

    def _run(self, run: Callable[..., int], *arguments: Any) -> Portions[int]:
        """Run a kernel portion by portion, with larger tables if one of them is full; DONE or NO_ROUTE."""
        while True:
            self.tables.counts[tb.WORK] = PORTION
            code = int(self._call(run, *arguments))
            if code in (tb.DONE, tb.NO_ROUTE):
                return code
            if code != tb.PAUSED:
                self._grow(code)
            yield

    def _call(self, run: Callable[..., Any], *arguments: Any) -> Any:
        """Call a kernel with the tables, by its entry point."""
        key = run, type(self.tables.moves)
        if (code := _ENTRY_POINTS.get(key)) is None:
            code = _ENTRY_POINTS[key] = entry_point(run, self.tables, *arguments)
        return code(self.tables, *arguments)

    def _find_conflicts(self) -> None:
        while self._call(find_conflicts) != tb.DONE:
            self.tables = tb.grown(self.tables, conflicts=2 * len(self.tables.conflicts) + 4 * self.problem.n_agents)

    def _enter(self, node: int) -> None:
        self._call(enter, node)

    def _make_room(self) -> None:
        """Make room for a child in which every agent gets another route."""
        counts, n = self.tables.counts, self.problem.n_agents
        self.tables = tb.grown(
            self.tables,
            tree=int(counts[tb.N_TREE]) + 2,
            constraints=int(counts[tb.N_CONSTRAINTS]) + self.tables.split.shape[1],
            changes=int(counts[tb.N_CHANGES]) + 2 * n,
            routes=int(counts[tb.N_ROUTES]) + 2 * n,
        )

    def _grow(self, code: int) -> None:
        """Enlarge what a kernel has found too small."""
        s = self.tables
        if code == tb.FULL_TIME:
            routes = s.now["route"].tolist()
            self.tables = tb.with_more_time(s)
            for agent, route in enumerate(routes):
                if route != NOWHERE:
                    retake(self.tables, agent, route)
        elif code == tb.FULL_LOW:
            self._grow_low()
        elif code == tb.FULL_CELLS:
            self.tables = tb.grown(s, cells=2 * len(s.cells) + sum(s.head.shape))
        elif code == tb.FULL_INDEX:
            tb.check_memory(2 * s.mdd_index.nbytes)
            self.tables = s._replace(mdd_index=np.zeros((2, 2 * s.mdd_index.shape[1]), SLOT))
        elif code == tb.FULL_MDD and (len(s.mdd) < MOST_MDD or s.counts[tb.N_MDD] == 1):
            self.tables = tb.grown(s, mdd=2 * len(s.mdd))
        elif code == tb.FULL_MDD:
            s.routes["mdd"] = 0
            s.counts[tb.N_MDD] = 1
            s.counts[tb.N_RANKED] = s.counts[tb.PHASE] = s.counts[tb.STAGE] = 0
        elif code == tb.FULL_RULES:
            self.tables = tb.grown(s, rules=2 * len(s.rules))
        else:
            raise AssertionError(f"no kernel answers {code}")

    def _grow_low(self) -> None:
        """Enlarge those of the arrays of a single search that are full; it is resumed with them."""
        s = self.tables
        lengths = {"low": tb.N_LOW, "focal": tb.N_FOCAL, "later": tb.N_LATER}
        room = most_moves(s.moves)
        full = [name for name, count in lengths.items() if s.counts[count] + room > len(getattr(s, name))]
        self.tables = tb.grown(s, **{name: 2 * len(getattr(s, name)) for name in full or ["low"]})
        if len(self.tables.low) > len(s.low):
            self.tables = self.tables._replace(low_slots=new_table(len(self.tables.low)))
            if s.counts[tb.PHASE] == tb.SEARCH:
                index_nodes(self.tables)


def _new_tables(problem: Problem) -> tb.CbsTables:
    """Tables for the world of a problem."""
    states = problem.states
    if isinstance(states, Grid):
        sizes = tb.Sizes(states.n_cells, len(states.free_cells), 2 * (states.width + states.height))
        return tb.new_tables(problem, CbsCells(states.legal, states.offsets), sizes)
    moves = cached(states, "cbs moves", state_moves)
    return tb.new_tables(problem, moves, tb.Sizes(moves.n_places, moves.n_places, STEPS_AT_FIRST))
