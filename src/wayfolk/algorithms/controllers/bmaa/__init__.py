"""BMAA*: each agent expands a few nodes around it, learns a better heuristic from them, and steps if its way is free.

Sigurdson, Bulitko, Yeoh, Hernandez and Koenig, "Multi-agent pathfinding with real-time heuristic search", CIG 2018;
Bakos, slides of the same title, 2022.

Guarantees  a path to the goal for an agent that is alone, by its own RTAA*. None for all agents together: they can block
            each other for ever, and learn from that costs that are too high.
Invariants  a search expands at most `expansions` nodes, and no agent looks at another one farther away than `vision`. No
            move is refused while all agents are under control.
Cost        one search for each agent every `moves` steps, or when its path ends. About 30 bytes for each cell that an
            agent has learned about, freed when it gets another goal.
Deviations  the paper moves agents one after another in the same step. Here this is computed in the agents' `order` and
            handed to the simulation as simultaneous moves; the only rule added is that two agents cannot cross on
            diagonals. An agent moves, or is pushed, once in a step: an agent that has just reached its goal can be pushed
            from the next step on. It is pushed to the first empty cell of east, south, west, north and the diagonals, but
            to the next cell of the pusher only if there is no other. Where the others and one-way moves leave an agent
            no way out, it searches with all moves. When a wall is removed, every agent forgets what it has learned
            before its next search. An agent waits while its goal is a wall.

            Beyond the paper: with `initial="sectors"` the initial heuristic is computed from distances between regions
            16 cells wide, for 64 agents in a step (the others use octile distances until it is their turn). With
            `yielding` an agent plans through agents that left their goals later, or rest on them; those between it and
            the nearest empty cell move on by one, so that the agent longest under way gets through.
"""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers.bmaa import fields as bmaa_fields
from wayfolk.algorithms.controllers.bmaa import search as bmaa_search
from wayfolk.algorithms.controllers.bmaa import steps as bmaa
from wayfolk.algorithms.controllers.bmaa import tiles as bmaa_tiles
from wayfolk.algorithms.options import Range
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.heap import ROW
from wayfolk.kernels.random import new_random
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem
from wayfolk.world.flow import Flow, flow_of
from wayfolk.world.grid import Moves

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

PAPER = "Sigurdson, Bulitko, Yeoh, Hernandez and Koenig 2018"
OPTIMAL = False
COMPLETE = False
SEES = "vision"

ORDERS = {"fixed": bmaa.FIXED, "rotated": bmaa.ROTATED, "shuffled": bmaa.SHUFFLED}


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), 'Random seed; used by the order "shuffled" only.'] = 0,
    expansions: Annotated[int, Range(1, 10_000), "Nodes that a search expands at most."] = 32,
    moves: Annotated[int, Range(1, 10_000), "Steps after which an agent searches again at the latest."] = 32,
    vision: Annotated[
        float, Range(1, 1_000_000), "How far agents see each other, in cells, along a straight line."
    ] = 1.4142135623730951,
    push: Annotated[bool, "Whether an agent that rests on its goal is pushed out of the way."] = False,
    flow: Annotated[bool, "Whether rows and columns are one-way."] = False,
    order: Annotated[
        Literal["fixed", "rotated", "shuffled"],
        "Who moves first: the lowest number, another agent in each step, or a random one.",
    ] = "fixed",
    avoid: Annotated[bool, "Whether agents go where they have learned least (daRTAA*); not in the paper."] = False,
    initial: Annotated[
        Literal["octile", "sectors"], 'The heuristic before anything is learned; the paper has "octile".'
    ] = "octile",
    yielding: Annotated[
        bool, "Whether agents give way, in chains, to those that are under way for longer; not in the paper."
    ] = False,
) -> Controller:
    """Return a controller of the agents of `problem` by BMAA*."""
    grid, n = problem.grid, problem.n_agents
    expansions = min(expansions, len(grid.free_cells))
    arrays = bmaa.BoundedArrays(
        graph=grid.graph,
        legal=grid.legal,
        walkers=np.zeros(0, bmaa.WALKER),
        paths=np.zeros((0, min(moves, expansions)), np.int32),
        tiles=bmaa_tiles.new_tiles(n, grid.stride),
        fields=bmaa_fields.no_fields(),
        cells=np.zeros(grid.n_cells, bmaa_search.CELL),
        rows=np.zeros(8 * expansions + 1, ROW),
        closed=np.zeros(expansions, np.int32),
        order=np.zeros(0, np.int32),
        entered=np.zeros(grid.n_cells, np.int32),
        counts=np.zeros(5, np.int32),
        luck=new_random(seed),
        expansions=expansions,
        moves=float(moves),
        reach=float(vision * vision),
        slant=1.0 if grid.moves is Moves.FOUR else grid.diagonal - 1.0,
        rule=ORDERS[order],
        push=push,
        flow=flow,
        avoid=avoid,
        yielding=yielding,
    )
    return Bmaa(n, arrays, initial == "sectors")


class Bmaa(Controller):
    """Gives each agent a path of a few steps, and keeps a table of what it has learned."""

    lookahead = 1

    def __init__(self, n_agents: int, arrays: bmaa.BoundedArrays, by_sectors: bool) -> None:
        super().__init__(n_agents)
        self.arrays, self.by_sectors = arrays, by_sectors
        self.flow: Flow | None = None

    def prepare(self, view: View) -> None:
        """Begin with agents that have learned nothing."""
        super().prepare(view)
        n = len(view.here)
        walkers = np.zeros(n, bmaa.WALKER)
        walkers["goal"] = walkers["was"] = NOBODY
        arrays = self.arrays._replace(walkers=walkers, paths=np.zeros((n, self.arrays.paths.shape[1]), np.int32))
        fields = bmaa_fields.new_fields(view.grid, n) if self.by_sectors else arrays.fields
        self.arrays = self._on_map(arrays, view)._replace(order=np.zeros(n, np.int32), fields=fields)

    def _on_map(self, arrays: bmaa.BoundedArrays, view: View) -> bmaa.BoundedArrays:
        """The arrays for the map as it is known."""
        if arrays.flow:
            self.flow = flow_of(view.grid) if self.flow is None or view.time == 0.0 else self.flow.repaired(view.grid)
        return arrays._replace(
            graph=view.grid.graph if self.flow is None else self.flow.graph,
            legal=view.grid.legal,
        )

    def update(self, view: View, change: Change) -> None:
        """Make places for those who have joined; drop paths through walls, and what was learned if a wall is gone."""
        arrays, n, n_old = self.arrays, len(view.here), len(self.arrays.walkers)
        if n > n_old:
            walkers = with_rows(arrays.walkers, n)
            walkers["goal"][n_old:] = walkers["was"][n_old:] = NOBODY
            arrays = arrays._replace(
                walkers=walkers,
                paths=with_rows(arrays.paths, n),
                tiles=bmaa_tiles.with_agents(arrays.tiles, n),
                fields=bmaa_fields.with_agents(arrays.fields, n) if self.by_sectors else arrays.fields,
                order=with_rows(arrays.order, n),
            )
        if change.cells.size:
            arrays = self._on_map(arrays, view)
            if self.by_sectors:
                fields = bmaa_fields.edited(arrays.fields, view.grid, arrays.walkers["goal"])
                arrays = arrays._replace(fields=fields)
            bmaa.drop_paths(arrays, np.ascontiguousarray(view.here))
            if change.freed(view.grid):
                arrays.walkers["outdated"] = True
        self.arrays = arrays

    def remember(self, memory: "Memory") -> None:
        """Paths, what agents have learned, whose heuristics are known, and one-way moves."""
        arrays, grid = self.arrays, memory.view.grid
        walkers, n_path = arrays.walkers, arrays.paths.shape[1]
        memory.records(
            "walkers", walkers, goal=memory.cells_or_none, was=memory.cells_or_none, n_path=(0, n_path), at=(0, n_path),
            want=memory.cells_or_none,
        )  # fmt: skip
        used = np.arange(n_path) < walkers["n_path"][:, None]
        arrays.paths[...] = memory.numbers("paths", np.where(used, arrays.paths, 0), memory.cells)
        memory.luck("luck", arrays.luck)
        memory.numbers("turn", arrays.counts[bmaa_search.TURN : bmaa_search.TURN + 1], memory.agents)
        if self.flow is not None:
            self.flow = memory.flow("flow", self.flow)
            arrays = arrays._replace(graph=self.flow.graph)
        arrays = arrays._replace(tiles=bmaa_tiles.remembered(memory, arrays.tiles, grid.n_cells // grid.stride))
        if self.by_sectors:
            memory.numbers("valid", arrays.fields.valid, (0, 1))
        if memory.is_read:
            walkers["asked"] = walkers["moved"] = False
            bmaa.make_fields(arrays)
        self.arrays = arrays

    def make_room(self, view: View) -> None:
        """Enlarge the pool of what agents have learned."""
        self.arrays = self.arrays._replace(tiles=bmaa_tiles.grown(self.arrays.tiles, 4 * self.arrays.expansions))
