"""kNN LRTA*: the agent follows the stored path whose ends are nearest to its start and goal.

Bulitko and Bjornsson, "kNN LRTA*: simple subgoaling for real-time search", AIIDE 2009; Bulitko, Bjornsson and Lawrence,
"Case-based subgoaling in real-time heuristic search for video game pathfinding", JAIR 2010.

Guarantees  the agent reaches the goal if it can be reached.
Invariants  a stored path keeps only so many cells that hill climbing leads from each to the next in `cutoff` moves or
            fewer: each move goes to the neighbour that seems nearest. An agent that follows a stored path learns nothing.
            At most (4 nearest + 1) cutoff + expansions for a move that looks for a path, then 1.
Cost        preparation, at the first walk on a map: a cheapest path for each record, about 2 s for 2,000 of them on a game
            map of 320 x 320, and 4 bytes for each stored cell. It counts towards a deadline, and Ctrl-C stops it.
            `agent.database.save(path)` writes the paths to a file for the option `database`.
Deviations  a path is followed from where the agent can climb to, up to where it can leave it for the goal, not from its
            start to its end. If no path fits, RTAA* with `expansions` moves towards the goal (with 1 that is LRTA*), and
            before each of its plans the agent looks for a path again. On a changed map the paths no longer hold, and
            RTAA* goes on alone.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._database import Database, Kind, check_cells, database_of
from wayfolk.algorithms.realtime._state import AGENT, Limits
from wayfolk.algorithms.realtime._subgoals import ToSubgoals
from wayfolk.algorithms.realtime.knn_lrta import climbing
from wayfolk.algorithms.realtime.knn_lrta.climbing import CANDIDATE, JOURNEY, Journey, Lookup, Records
from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.algorithms.search.astar import begin as begin_astar
from wayfolk.errors import BadInput
from wayfolk.files.arrays import Arrays
from wayfolk.kernels.deadline import check_deadline
from wayfolk.kernels.graph import HEURISTICS
from wayfolk.world.grid import Grid

PAPER = "Bulitko and Bjornsson 2009"
OPTIMAL = False
COMPLETE = True
LEARNS = True
ADAPTS = True
WORLDS = "grid"
NO_RECORDS = Records(np.zeros(1, np.int64), np.zeros(0, np.int32))


def begin(
    world: Grid, start: int, goal: int, *,
    records: Annotated[int, Range(0, 100_000), "The number of stored paths; there are no more than free cells."] = 2000,
    nearest: Annotated[int, Range(1, 100), "How many of the nearest stored paths are tried."] = 8,
    cutoff: Annotated[int, Range(1, 10_000), "The most moves of a climb from one stored cell to the next."] = 64,
    expansions: Annotated[int, Range(1, 100_000), "The most expansions of a plan where no stored path fits."] = 32,
    database: Annotated[str, "A file with a saved database; it has its own records, cutoff and seed."] = "",
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed of the ends of the stored paths."] = 0,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> AlongRecord:  # fmt: skip
    """An agent that moves from `start` to `goal` along stored paths, which are found if there are none yet."""
    settings = {"records": records, "cutoff": cutoff, "seed": seed}
    paths = database_of(world, KIND, settings, database)
    return AlongRecord(world, start, goal, paths, nearest, expansions, watch)


class AlongRecord(ToSubgoals):
    """A walk along a stored path, or to the goal if none fits."""

    def __init__(
        self, world: Grid, start: int, goal: int, database: Database, nearest: int, expansions: int, watch: bool
    ) -> None:
        super().__init__(world, start, goal, name="knn_lrta", expansions=expansions, watch=watch)
        self.database = database
        records = Records(database.arrays["first"], database.arrays["subgoals"])
        self.lookup = Lookup(records, np.zeros(nearest, CANDIDATE), database.settings["cutoff"])
        self.journey = Journey(self.state, np.zeros(1, JOURNEY), self.route)

    @property
    def bound(self) -> int:
        """The most expansions for each move: far more than for most moves, as it takes some to choose a path."""
        return (4 * len(self.lookup.candidates) + 1) * self.lookup.cutoff + self.ahead.budget

    @property
    def has_record(self) -> bool:
        """Whether it follows a stored path, or can climb to the goal at once."""
        return bool(self.journey.course[0]["mode"] == climbing.CLIMBING)

    def _run(self, limits: Limits) -> int:
        code: int = climbing.move_along_record(
            self.world.graph, self.lookup, self.learned, self.ahead, self.journey,
            self._trail(int(self.state[0]["expanded"]), limits), limits,
        )  # fmt: skip
        return code

    def _restart(self) -> None:
        self.journey.course[:] = 0

    def _forget(self) -> None:
        self.lookup = self.lookup._replace(records=NO_RECORDS)


def build(grid: Grid, records: int, cutoff: int, seed: int) -> Arrays:
    """Cheapest paths between random pairs of cells that are connected, compressed."""
    n = min(records, len(grid.free_cells))
    rng = np.random.default_rng(seed)
    part = grid.components[grid.free_cells]
    cells = grid.free_cells[np.argsort(part, kind="stable")]
    sizes = np.bincount(part)
    begins = np.cumsum(sizes) - sizes
    starts = rng.choice(cells, n) if n else cells[:0]
    parts = grid.components[starts]
    goals = cells[begins[parts] + rng.integers(sizes[parts])] if n else starts
    kind = HEURISTICS[best_heuristic(grid)]
    state = np.zeros(1, AGENT)
    rows = [np.zeros(0, np.int32)]
    subgoals = np.empty(1024, np.int32)
    for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
        check_deadline()
        search = begin_astar(grid, start, goal)
        search.advance()
        path = grid.cells(search.path)[::-1].copy()
        if len(path) > len(subgoals):
            subgoals = np.empty(2 * len(path), np.int32)
        rows.append(subgoals[: climbing.compress(grid.graph, state, path, cutoff, kind, subgoals)].copy())
    first = np.cumsum([len(row) for row in rows])
    return {"first": first.astype(np.int64), "subgoals": np.concatenate(rows)}


def check(grid: Grid, arrays: Arrays) -> None:
    """Raise BadInput unless each record leads along free cells."""
    first, subgoals = arrays["first"], arrays["subgoals"]
    if not len(first) or first[0] != 0 or first[-1] != len(subgoals) or (first[1:] <= first[:-1]).any():
        raise BadInput("the array 'first' does not divide the subgoals into records")
    check_cells(grid, "subgoals", subgoals)


KIND = Kind("knn_lrta", build, {"first": (np.int64, (None,)), "subgoals": (np.int32, (None,))}, check)
