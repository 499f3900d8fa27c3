"""D LRTA*: look up where the way to the goal's region leads next, and look as far ahead as it takes to get there.

Bulitko, Lustrek, Schaeffer, Bjornsson and Sigmundarson, "Dynamic control in real-time heuristic search", JAIR 2008;
Vermette, "Salient Search", section 2.3.2.

The regions are the groups of the lowest level of cliques that has few enough. For each pair of regions the subgoal is
where a cheapest path from the middle of the one to the middle of the other leaves the first, or, where the agent has
come farther than that already, the exit of the first from which the other is nearest.

Finds    a way to the goal if there is one.
Keeps    a new subgoal is nearer to the goal's region than the one before; what is learned for a subgoal never
         overestimates. At most `expansions` for each move.
Takes    a search of the whole map for each region when a map is first walked on, about 1 s for 200 regions on a game map
         of 320 x 320, and 16 bytes for each pair. `walker.database.save(path)` writes all to a file for the option
         `database`.
Differs  a plan is an A* with a budget that learns as RTAA* does, walked to its end, not all cells to a depth. The
         classifier chooses that budget, the 64th, 16th or 4th part of `expansions`, or all: a tree of three questions
         about the guessed cost to the subgoal, what was learned about the agent's cell, the moves since it last came
         nearer, and the number of ways from there. It is learned on walks to subgoals of the same map, where a budget is
         good if the plan is at most a tenth longer than it must be, not on other maps. The exits are ours: with the
         subgoals alone one walk in 40 strayed for 20 to 200 times the way. On a changed map the subgoals do not hold any
         more, and the walk goes on to the goal itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.abstraction.cliques import Cliques, cliques_of
from wayfolk.errors import BadInput
from wayfolk.graph import NOWHERE, ZERO
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets, hints, region_pairs
from wayfolk.kernels.best_first import QUEUE_FULL, Memory
from wayfolk.kernels.look_ahead import WALKER
from wayfolk.kernels.region_pairs import N_FACTS, TRIP, BudgetTree, RegionPairs
from wayfolk.realtime._budget_tree import learn_tree
from wayfolk.realtime._database import Arrays, Database, database_of
from wayfolk.realtime._subgoals import ToSubgoals, roomy_ahead
from wayfolk.result import NO_LIMIT
from wayfolk.search._best_first import settings as bucket_settings

PAPER = "Bulitko, Lustrek, Schaeffer, Bjornsson and Sigmundarson 2008"
OPTIMAL = False
COMPLETE = True
LEARNS = True
ADAPTS = True
WORLDS = "grid"
REHEARSALS = 64  # walks to learn the classifier on
REHEARSED = 32  # moves of each
NO_CELLS, NO_COSTS = np.zeros((0, 0), np.int32), np.zeros((0, 0), np.float32)
NO_PAIRS = RegionPairs(np.zeros(0, np.int32), NO_CELLS, NO_COSTS, NO_CELLS, NO_COSTS)


def begin(
    world, start: int, goal: int, *, regions: int = 300, expansions: int = 64, database: str = "", seed: int = 0,
    watch: bool = False,
) -> BySubgoals:  # fmt: skip
    """A walk from `start` to `goal` by the subgoals of up to `regions` regions, more only if the map has more parts.

    A `database` has its own regions and expansions. `seed` chooses what the classifier is learned on.
    """
    for name, value, least in (("regions", regions, 1), ("expansions", expansions, 1), ("seed", seed, 0)):
        if value < least:
            raise BadInput(f"{name} must be {least} or more, not {value}")
    settings = {"regions": regions, "expansions": expansions, "seed": seed}
    found = database_of(world, "d_lrta", settings, build, database)
    return BySubgoals(world, start, goal, found, watch)


class BySubgoals(ToSubgoals):
    """A walk from subgoal to subgoal."""

    def __init__(self, world: Grid, start: int, goal: int, database: Database, watch: bool) -> None:
        self.pairs = RegionPairs(*(database.arrays[name] for name in RegionPairs._fields))
        self.tree = BudgetTree(*(database.arrays[name] for name in BudgetTree._fields))
        expansions = database.settings["expansions"]
        super().__init__(world, start, goal, name="d_lrta", expansions=expansions, watch=watch)
        self.database = database
        self.trip, self.facts = np.zeros(1, TRIP), np.zeros(N_FACTS)
        self._restart()

    @property
    def bound(self) -> int:
        """The most expansions for each move."""
        return self.ahead.budget

    def _advance(self, moves: int) -> int:
        code: int = region_pairs.walk(
            self.world.graph, self.pairs, self.tree, self.table, self.used, self.ahead, self.state, self.trip, self.facts,
            self.route, self.walked, self._room(int(self.state[0]["expanded"]), moves), moves,
        )  # fmt: skip
        return code

    def _restart(self) -> None:
        self.trip[0] = (self.goal, NOWHERE, 0, np.inf, np.inf)

    def _forget(self) -> None:
        self.pairs = NO_PAIRS


def build(grid: Grid, regions: int, expansions: int, seed: int) -> Arrays:
    """A subgoal for each pair of regions, and the classifier."""
    region, centres = _regions(cliques_of(grid), regions)
    n = len(centres)
    cells, costs = np.full((2, n, n), NOWHERE, np.int32), np.full((2, n, n), np.inf, np.float32)
    pairs = RegionPairs(region, cells[0], costs[0], cells[1], costs[1])
    field = _Field(grid)
    for to in range(n):
        region_pairs.leave(grid.graph, field.around(int(centres[to])), pairs, centres, grid.free_cells, to)
    budgets = np.maximum(expansions >> np.array([6, 4, 2, 0]), 1)
    tree = learn_tree(*_rehearsed(grid, field, centres, pairs.subgoals, budgets, seed), budgets)
    return {**pairs._asdict(), **tree}


class _Field:
    """Costs from one cell to all others, one cell after the other."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.per_unit, n_lists, _ = bucket_settings(grid, 0.0, "zero")
        self.memory, self.queue = best_first.new_memory(grid.n_cells), buckets.new_buckets(n_lists, 1024)

    def around(self, cell: int) -> Memory:
        """The costs from `cell`."""
        nothing = np.zeros(0, np.int32)
        is_new, code = True, QUEUE_FULL
        while code == QUEUE_FULL:
            code, _ = best_first.search(
                self.grid.graph, self.memory, self.queue, cell, int(NOWHERE), 0.0, ZERO, self.per_unit, False, False,
                NO_LIMIT, nothing, is_new, nothing,
            )  # fmt: skip
            is_new = False
            if code == QUEUE_FULL:
                self.queue = buckets.grown(self.queue)
        return self.memory


def _regions(cliques: Cliques, most: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The region of each cell on the lowest level with up to `most` regions, and a cell in the middle of each."""
    grid = cliques.grid
    cells = node = grid.free_cells
    for level, parents in enumerate(cliques.parents):
        node = parents[node]
        if cliques.n_nodes[level] <= most:
            break
    graph = cliques.graphs[level]
    x, y = grid.places(cells).T
    off_centre = (x - graph.x[node]) ** 2 + (y - graph.y[node]) ** 2
    order = np.lexsort([off_centre, node])
    centres = cells[order[np.searchsorted(node[order], np.arange(len(graph.x)))]]
    region = np.zeros(grid.n_cells, np.int32)
    region[cells] = node
    return region, centres.astype(np.int32)


def _rehearsed(
    grid: Grid,
    field: _Field,
    centres: NDArray[np.int32],
    subgoals: NDArray[np.int32],
    budgets: NDArray[np.int64],
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """How agents got on, on walks from the middle of regions to subgoals, and which budget would have been enough."""
    rng = np.random.default_rng(seed)
    pairs = np.argwhere((subgoals != NOWHERE) & (subgoals != centres[:, None]))
    samples, classes, n = np.zeros((REHEARSALS * REHEARSED, N_FACTS)), np.zeros(REHEARSALS * REHEARSED, np.int64), 0
    ahead, route = roomy_ahead(grid, int(budgets[-1])), np.empty(int(budgets[-1]) + 2, np.int32)
    facts = np.zeros(N_FACTS)
    for pair in rng.permutation(pairs)[: min(REHEARSALS, len(centres))]:
        goal = int(subgoals[tuple(pair)])
        state, trip = np.zeros(1, WALKER), np.zeros(1, TRIP)
        state[0]["here"], state[0]["goal"], trip[0]["least"] = centres[pair[0]], goal, np.inf
        table = hints.new_table(2 * REHEARSED * (int(budgets[0]) + 1))
        n = region_pairs.rehearse(
            grid.graph, field.around(goal), table, np.zeros(1, np.int64), ahead, state, trip, facts, route, budgets,
            REHEARSED, samples, classes, n,
        )  # fmt: skip
    return samples[:n], classes[:n]
