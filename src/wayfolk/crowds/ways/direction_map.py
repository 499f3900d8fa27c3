"""Ways along a direction map: groups that are guided by a direction map, which they can go on learning.

Jansen, "Multi-agent pathfinding with direction maps", 2008, section 5.1: flocking keeps agents apart and together, and a
direction map leads the flock through the corridor in which others go the same way.

A step from cell to cell costs its length, and up to `w_max` more the less it goes with the vectors of both cells. Fields of
these costs, one for each goal, are computed again every `every` seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.crowds._fields import GoalFields
from wayfolk.crowds.ways.flow import FlowWays
from wayfolk.errors import BadInput
from wayfolk.kernels.bodies.following import cell_moves
from wayfolk.kernels.direction_map import learn
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space

if TYPE_CHECKING:
    from wayfolk.crowds.crowd import Crowd

UNIT = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])


class DirectionMapWays(FlowWays):
    """Flow fields by the costs of a direction map of the space's grid.

    w_max   what a step against the vectors costs in addition, in steps
    learns  whether the map learns from the moves of the bodies
    every   seconds between two updates of the fields
    """

    def __init__(
        self, space: Space, directions: DirectionMap, *, w_max: float = 10.0, learns: bool = True, every: float = 2.0
    ) -> None:
        if not isinstance(directions.world, Grid) or directions.world is not space.grid:
            raise BadInput("the directions are of another map than the space")
        if not 0.0 <= w_max < 1e6:
            raise BadInput(f"w_max must be 0 or more and less than a million, not {w_max}")
        self.directions, self.w_max, self.learns, self.every = directions, float(w_max), learns, every
        super().__init__(space)
        self.cells = np.zeros(0, np.int64)
        self.moves = np.zeros((0, 2), np.int64)

    def _new_fields(self, space: Space) -> GoalFields:
        return DirectedFields(space, self)

    def plan(self, crowd: Crowd, agents: NDArray[np.int32]) -> None:
        """Find the fields of the agents' goals, and keep where they are."""
        super().plan(crowd, agents)
        room = len(crowd.bodies.radii)
        if len(self.cells) != room:
            self.cells = np.pad(self.cells, (0, room - len(self.cells)))
            self.moves = np.zeros((room, 2), np.int64)
        self.cells[agents] = self.space.cells(crowd.bodies.places[agents])

    def aim(self, crowd: Crowd) -> None:
        """Learn from the last step, and let each agent head down its field."""
        grid = self.fields.grid
        if self.learns:
            n = cell_moves(crowd.bodies, crowd.n_agents, self.cells, grid.stride, self.space.cell, self.moves)
            offsets = set(grid.offsets.tolist())
            for here, there in self.moves[:n].tolist():
                if there - here in offsets:
                    learn(self.directions.lanes, here, there, 1.0, crowd.time)
        if crowd.tick % max(1, round(self.every / crowd.step_seconds)) == 0:
            self.fields.renew()
        super().aim(crowd)

    def costs(self) -> NDArray[np.float64]:
        """What a step from each cell to each of its four neighbours costs, in metres."""
        grid = self.fields.grid if hasattr(self, "fields") else self.space.grid
        assert grid is not None
        vectors, stored = self.directions.vectors, self.directions.is_stored
        costs = np.ones((4, grid.n_cells))
        for k in range(4):
            against = np.where(stored, (1.0 - vectors @ UNIT[k]) * 0.25 * self.w_max, 0.0)
            costs[k] += against + np.roll(against, -int(grid.offsets[k]))
        return costs * self.space.cell


class DirectedFields(GoalFields):
    """Fields by the costs of a direction map."""

    def __init__(self, space: Space, ways: DirectionMapWays) -> None:
        super().__init__(space, "flow fields")
        self.ways = ways

    def _costs(self) -> NDArray[np.float64]:
        return self.ways.costs()
