"""D LRTA*: a precomputed table gives the next subgoal for each pair of regions, and the agent looks ahead to get there.

Bulitko, Lustrek, Schaeffer, Bjornsson and Sigmundarson, "Dynamic control in real-time heuristic search", JAIR 2008;
Vermette, "Salient Search", section 2.3.2.

The regions are the groups of the lowest level of cliques that has few enough. For each pair of regions the subgoal is
where a cheapest path from the centre of the one to the centre of the other leaves the first, or, where the agent has
come farther than that already, the exit of the first from which the other is nearest.

Guarantees  the agent reaches the goal if it can be reached.
Invariants  a new subgoal is nearer to the goal's region than the one before; what is learned for a subgoal never
            overestimates. At most `expansions` for each move.
Cost        preparation, at the first walk on a map: a search of the whole map for each region, about 1 s for 200 regions
            on a game map of 320 x 320, and 16 bytes for each pair of regions. It counts towards a deadline, and Ctrl-C
            stops it. `agent.database.save(path)` writes the database to a file for the option `database`.
Deviations  a plan is an A* with a budget that learns as RTAA* does, and is walked to its end; the paper expands all cells
            up to a depth. The classifier chooses the budget, the 64th, 16th or 4th part of `expansions`, or all: a
            decision tree of three questions about the estimated cost to the subgoal, what was learned about the agent's
            cell, the moves since it last came nearer, and the number of neighbours. It is trained on walks to subgoals
            of the same map, not on other maps; a budget is good if the plan is at most a tenth longer than necessary.
            The exits are ours: with the subgoals alone one walk in 40 was 20 to 200 times too long. On a changed map
            the subgoals no longer hold, and the agent heads for the goal itself.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime import _hints as hints
from wayfolk.algorithms.realtime._database import Database, Kind, check_cells, database_of
from wayfolk.algorithms.realtime._hints import SparseHints
from wayfolk.algorithms.realtime._state import AGENT, Limits
from wayfolk.algorithms.realtime._subgoals import ToSubgoals, roomy_ahead
from wayfolk.algorithms.realtime.d_lrta import region_pairs
from wayfolk.algorithms.realtime.d_lrta.budget_tree import learn_tree
from wayfolk.algorithms.realtime.d_lrta.region_pairs import (
    N_FACTS,
    N_QUESTIONS,
    TRIP,
    BudgetTree,
    RegionPairs,
    Samples,
    Trip,
)
from wayfolk.algorithms.search._single_source import SingleSource
from wayfolk.errors import BadInput
from wayfolk.files.arrays import Arrays, Expected
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.abstraction.cliques import Cliques, cliques_of
from wayfolk.world.grid import Grid

PAPER = "Bulitko, Lustrek, Schaeffer, Bjornsson and Sigmundarson 2008"
OPTIMAL = False
COMPLETE = True
LEARNS = True
ADAPTS = True
WORLDS = "grid"
REHEARSALS = 64  # walks that the classifier is trained on
REHEARSED = 32  # moves of each
NO_CELLS, NO_COSTS = np.zeros((0, 0), np.int32), np.zeros((0, 0), np.float32)
NO_PAIRS = RegionPairs(np.zeros(0, np.int32), NO_CELLS, NO_COSTS, NO_CELLS, NO_COSTS)


def begin(
    world: Grid, start: int, goal: int, *,
    regions: Annotated[int, Range(1, 2_000), "The most regions of the map; more only if it has more separate parts."] = 300,
    expansions: Annotated[int, Range(1, 100_000), "The most expansions of a plan."] = 64,
    database: Annotated[str, "A file with a saved database; it has its own regions, expansions and seed."] = "",
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed of the walks the classifier is trained on."] = 0,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> BySubgoals:  # fmt: skip
    """An agent that moves from `start` to `goal` by the subgoals of a database, which is built if there is none yet."""
    settings = {"regions": regions, "expansions": expansions, "seed": seed}
    return BySubgoals(world, start, goal, database_of(world, KIND, settings, database), watch)


class BySubgoals(ToSubgoals):
    """A walk from subgoal to subgoal."""

    def __init__(self, world: Grid, start: int, goal: int, database: Database, watch: bool) -> None:
        self.pairs = RegionPairs(*(database.arrays[name] for name in RegionPairs._fields))
        self.tree = BudgetTree(*(database.arrays[name] for name in BudgetTree._fields))
        expansions = database.settings["expansions"]
        super().__init__(world, start, goal, name="d_lrta", expansions=expansions, watch=watch)
        self.database = database
        self.trip = Trip(self.state, np.zeros(1, TRIP), np.zeros(N_FACTS), self.route)
        self._restart()

    @property
    def bound(self) -> int:
        """The most expansions for each move."""
        return self.ahead.budget

    def _run(self, limits: Limits) -> int:
        code: int = region_pairs.move_by_subgoals(
            self.world.graph, self.pairs, self.tree, self.learned, self.ahead, self.trip,
            self._trail(int(self.state[0]["expanded"]), limits), limits,
        )  # fmt: skip
        return code

    def _restart(self) -> None:
        self.trip.progress[0] = (self.goal, NOWHERE, 0, np.inf, np.inf)

    def _forget(self) -> None:
        self.pairs = NO_PAIRS


def build(grid: Grid, regions: int, expansions: int, seed: int) -> Arrays:
    """A subgoal for each pair of regions, and the classifier."""
    region, centres = _regions(cliques_of(grid), regions)
    n = len(centres)
    cells, costs = np.full((2, n, n), NOWHERE, np.int32), np.full((2, n, n), np.inf, np.float32)
    pairs = RegionPairs(region, cells[0], costs[0], cells[1], costs[1])
    source = SingleSource(grid)
    for to in range(n):
        region_pairs.leave(grid.graph, source.costs_from(int(centres[to])), pairs, centres, grid.free_cells, to)
    budgets = np.maximum(expansions >> np.array([6, 4, 2, 0]), 1)
    tree = learn_tree(*_rehearsed(grid, source, centres, pairs.subgoals, budgets, seed), budgets)
    return {**pairs._asdict(), **tree}


def _regions(cliques: Cliques, most: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The region of each cell on the lowest level with up to `most` regions, and the cell nearest to the centre of each."""
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
    source: SingleSource,
    centres: NDArray[np.int32],
    subgoals: NDArray[np.int32],
    budgets: NDArray[np.int64],
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Facts about agents on walks from centres of regions to subgoals, and the least budget that was enough."""
    rng = np.random.default_rng(seed)
    pairs = np.argwhere((subgoals != NOWHERE) & (subgoals != centres[:, None]))
    n = REHEARSALS * REHEARSED
    samples = Samples(np.zeros((n, N_FACTS)), np.zeros(n, np.int64), np.zeros(1, np.int64))
    ahead = roomy_ahead(grid, int(budgets[-1]))
    budgets = np.minimum(budgets, ahead.budget)
    trip = Trip(np.zeros(1, AGENT), np.zeros(1, TRIP), np.zeros(N_FACTS), np.empty(ahead.budget + 2, np.int32))
    for pair in rng.permutation(pairs)[: min(REHEARSALS, len(centres))]:
        goal = int(subgoals[tuple(pair)])
        trip.agents[:], trip.progress[:] = 0, 0
        trip.agents[0]["here"], trip.agents[0]["goal"], trip.progress[0]["least"] = centres[pair[0]], goal, np.inf
        table = hints.new_table(2 * REHEARSED * (int(budgets[0]) + 1))
        learned = SparseHints(table, np.zeros(1, np.int64), goal, grid.n_cells)
        region_pairs.rehearse(grid.graph, source.costs_from(goal), learned, ahead, trip, budgets, samples, REHEARSED)
    count = int(samples.counts[0])
    return samples.facts[:count], samples.classes[:count]


def check(grid: Grid, arrays: Arrays) -> None:
    """Raise BadInput unless regions, subgoals and facts are those of this grid, and each subgoal can be reached."""
    region, fact, budgets = arrays["region"], arrays["fact"], arrays["budgets"]
    n = len(arrays["subgoals"])
    if len(region) != grid.n_cells or any(arrays[name].shape != (n, n) for name in PER_PAIR):
        raise BadInput(f"the arrays are not those of {grid.n_cells} cells and {n} regions")
    if not (n and region.min() >= 0 and region.max() < n):
        raise BadInput(f"a cell is in a region that is not one of {n}")
    part = np.full(n, NOWHERE, np.int32)
    part[region[grid.free_cells]] = grid.components[grid.free_cells]
    for name, cost in (("subgoals", "left"), ("exits", "exit_left")):
        cells, costs = arrays[name], arrays[cost]
        is_used = np.isfinite(costs)
        if not ((costs >= 0.0).all() and (is_used == (cells != NOWHERE)).all()):
            raise BadInput(f"the costs {cost!r} do not fit the cells of {name!r}")
        check_cells(grid, name, cells[is_used])
        if (grid.components[cells[is_used]] != np.broadcast_to(part[:, None], (n, n))[is_used]).any():
            raise BadInput(f"one of the {name} cannot be reached from its region")
    if not ((fact >= 0) & (fact < N_FACTS)).all() or np.isnan(arrays["limit"]).any() or budgets.min() < 1:
        raise BadInput("the tree that chooses budgets asks for facts that there are not, or has a budget below 1")


PER_PAIR = ("subgoals", "left", "exits", "exit_left")
ARRAYS: Expected = {
    "region": (np.int32, (None,)),
    "subgoals": (np.int32, (None, None)),
    "left": (np.float32, (None, None)),
    "exits": (np.int32, (None, None)),
    "exit_left": (np.float32, (None, None)),
    "fact": (np.int64, (N_QUESTIONS,)),
    "limit": (np.float64, (N_QUESTIONS,)),
    "budgets": (np.int64, (N_QUESTIONS + 1,)),
}
KIND = Kind("d_lrta", build, ARRAYS, check)
