"""kNN LRTA*: find a path among some kept beforehand that begins and ends nearby, and climb along it.

Bulitko and Bjornsson, "kNN LRTA*: simple subgoaling for real-time search", AIIDE 2009; Bulitko, Bjornsson and Lawrence,
"Case-based subgoaling in real-time heuristic search for video game pathfinding", JAIR 2010.

Finds    a way to the goal if there is one.
Keeps    of each path only so many cells are kept that one can climb from each to the next: each step leads to the
         neighbour that looks nearest, `cutoff` of them at most. Whoever follows a path learns nothing, as there is nothing
         to learn. At most (4 nearest + 1) cutoff + expansions for a move that looks for a path, then 1.
Takes    a cheapest path for each record when a map is first walked on, about 2 s for 2,000 of them on a game map of 320 x
         320, and 4 bytes for each subgoal. `walker.database.save(path)` writes them to a file for the option `database`.
Differs  a path is used from where the agent can climb to and up to where it can leave it for the goal, not from its
         start to its end. Without a path that fits, RTAA* with `expansions` walks towards the goal (with 1 that is LRTA*),
         and before each plan of it the agent looks for a path again. On a changed map the paths do not hold any more, and
         RTAA* goes on alone.
"""

from __future__ import annotations

import numpy as np

from wayfolk.errors import BadInput
from wayfolk.graph import GUESSES
from wayfolk.grid import Grid
from wayfolk.kernels import climbing
from wayfolk.kernels.climbing import CANDIDATE, JOURNEY, Records
from wayfolk.kernels.look_ahead import WALKER
from wayfolk.realtime._database import Arrays, Database, database_of
from wayfolk.realtime._subgoals import ToSubgoals
from wayfolk.search._best_first import best_guess
from wayfolk.search.astar import begin as begin_astar

PAPER = "Bulitko and Bjornsson 2009"
OPTIMAL = False
COMPLETE = True
LEARNS = True
ADAPTS = True
WORLDS = "grid"
NO_RECORDS = Records(np.zeros(1, np.int64), np.zeros(0, np.int32))


def begin(
    world, start: int, goal: int, *, records: int = 2000, nearest: int = 8, cutoff: int = 64, expansions: int = 32,
    database: str = "", seed: int = 0, watch: bool = False,
) -> AlongRecord:  # fmt: skip
    """A walk from `start` to `goal` along one of the `nearest` of `records` kept paths.

    There are no more records than free cells. Those of a `database` have its own number, cutoff and seed.
    """
    for name, value in (("nearest", nearest), ("cutoff", cutoff)):
        if value < 1:
            raise BadInput(f"{name} must be 1 or more, not {value}")
    for name, value in (("records", records), ("seed", seed)):
        if value < 0:
            raise BadInput(f"{name} must be 0 or more, not {value}")
    settings = {"records": records, "cutoff": cutoff, "seed": seed}
    found = database_of(world, "knn_lrta", settings, build, database)
    return AlongRecord(world, start, goal, found, nearest, expansions, watch)


class AlongRecord(ToSubgoals):
    """A walk along a kept path, or to the goal if none fits."""

    def __init__(
        self, world: Grid, start: int, goal: int, database: Database, nearest: int, expansions: int, watch: bool
    ) -> None:
        super().__init__(world, start, goal, name="knn_lrta", expansions=expansions, watch=watch)
        self.database, self.cutoff = database, database.settings["cutoff"]
        self.records = Records(database.arrays["first"], database.arrays["subgoals"])
        self.candidates = np.zeros(nearest, CANDIDATE)
        self.journey = np.zeros(1, JOURNEY)

    @property
    def bound(self) -> int:
        """The most expansions for each move: far more than for most, as it takes some to find a path to follow."""
        return (4 * len(self.candidates) + 1) * self.cutoff + self.ahead.budget

    @property
    def has_record(self) -> bool:
        """Whether it follows a kept path, or can climb to the goal at once."""
        return bool(self.journey[0]["mode"] == climbing.CLIMBING)

    def _advance(self, moves: int) -> int:
        code: int = climbing.walk(
            self.world.graph, self.records, self.candidates, self.cutoff, self.table, self.used, self.ahead, self.state,
            self.journey, self.route, self.walked, self._room(int(self.state[0]["expanded"]), moves), moves,
        )  # fmt: skip
        return code

    def _restart(self) -> None:
        self.journey[:] = 0

    def _forget(self) -> None:
        self.records = NO_RECORDS


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
    kind = GUESSES[best_guess(grid)]
    state = np.zeros(1, WALKER)
    rows = [np.zeros(0, np.int32)]
    subgoals = np.empty(1024, np.int32)
    for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
        search = begin_astar(grid, start, goal)
        search.advance()
        path = grid.cells(search.path)[::-1].copy()
        if len(path) > len(subgoals):
            subgoals = np.empty(2 * len(path), np.int32)
        rows.append(subgoals[: climbing.compress(grid.graph, state, path, cutoff, kind, subgoals)].copy())
    first = np.cumsum([len(row) for row in rows])
    return {"first": first.astype(np.int64), "subgoals": np.concatenate(rows)}
