"""The map of a fleet: at which cells of the world its robots are, whatever their bodies, and how far it is from there.

A cell is one of a grid, or a node of another world. A robot with a heading is at its cell in every heading. A slow one that
is between two cells is at the one that it comes from, but does not stand there.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOBODY
from wayfolk.simulation import nodes
from wayfolk.simulation.adjacency import Adjacency
from wayfolk.world.grid import Grid
from wayfolk.world.spots import fewest_steps, steps_to
from wayfolk.world.state_graph import StateGraph

Cells = NDArray[np.int32]


class FleetMap:
    """The cells of the world that `states` are made of."""

    def __init__(self, states: Grid | StateGraph) -> None:
        self.states = states
        self._adjacencies: dict[int, Adjacency] = {}

    def cell_of(self, stop: Any) -> int:
        """The cell of a stop: it is one on a grid, and the name of a node elsewhere."""
        if isinstance(self.states, Grid) or isinstance(self.states.world, Grid):
            return int(stop)
        return self.states.world.cell(stop)

    def place(self, cell: int) -> Any:
        """The place of a cell."""
        return self.states.place(cell) if isinstance(self.states, Grid) else self.states.world.place(cell)

    def cells(self, here: Cells) -> Cells:
        """The cells of robots on the nodes `here`."""
        return here if isinstance(self.states, Grid) else self.states.cells[here]

    def node(self, cell: int, kind: int) -> int:
        """The node of a robot of this kind that stands on a cell: of one with a heading, the first."""
        if isinstance(self.states, Grid):
            return cell
        return int(self.states.bases[kind]) + cell * int(self.states.together[kind])

    def kind(self, here: int) -> int:
        """The kind of the robot on node `here`."""
        return nodes.kind_of(self.states, here)

    def stands_on(self, here: int, cell: int) -> bool:
        """Whether a robot on node `here` stands on this cell."""
        return nodes.stand(self.states, here) == self.node(cell, self.kind(here))

    def can_reach(self, here: int, cell: int) -> bool:
        """Whether the robot on node `here` fits on this cell, in the same part of the world."""
        node, parts = self.node(cell, self.kind(here)), self.states.components
        return self.states.is_free(node) and bool(parts[node] == parts[here])

    def nearest(self, here: Cells, cell: int) -> int:
        """Which of some robots is nearest to a cell: on a grid of points as if there were no walls, elsewhere in steps."""
        if isinstance(self.states, Grid):
            apart = np.abs(self.states.places(here) - self.states.place(cell))
            return int((apart.max(1) + (self.states.diagonal - 1.0) * apart.min(1)).argmin())
        kinds = np.array([self.kind(node) for node in here.tolist()])
        steps = np.zeros(len(here), np.int64)
        for kind in np.unique(kinds).tolist():
            steps[kinds == kind] = steps_to(self.states, self.node(cell, kind))[here[kinds == kind]]
        return int(steps.argmin())

    def steps(self, here: Cells, cells: Cells) -> Cells:
        """The fewest steps from each node of `here` to its cell."""
        if not isinstance(self.states, Grid):
            pairs = zip(here.tolist(), cells.tolist(), strict=True)
            cells = np.array([self.node(cell, self.kind(node)) for node, cell in pairs], np.int32)
        return fewest_steps(self.states, here, cells)

    def moved(self, here: Cells, then: Cells) -> NDArray[np.float64]:
        """How far robots have gone in a straight line, in steps; infinitely far where cells have no positions."""
        if isinstance(self.states, Grid):
            far: NDArray[np.float64] = np.abs(self.states.places(here) - self.states.places(then)).max(1).astype(float)
            return far
        if self.states.positions is None:
            gone: NDArray[np.float64] = np.where(self.cells(here) == self.cells(then), 0.0, np.inf)
            return gone
        apart: NDArray[np.float64] = np.linalg.norm(self.states.positions[here] - self.states.positions[then], axis=1)
        steps: NDArray[np.float64] = apart / self._step
        return steps

    @cached_property
    def _step(self) -> float:
        """How long the moves of robots usually are."""
        assert isinstance(self.states, StateGraph)
        assert self.states.positions is not None
        ends = self.states.positions[self.states.sources] - self.states.positions[self.states.graph.target]
        lengths = np.linalg.norm(ends, axis=1)
        return float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0

    @cached_property
    def has_rights(self) -> bool:
        """Whether robots can get the right of way: those that hold one place and go from cell to cell in one step."""
        if isinstance(self.states, Grid):
            return True
        held = np.diff(self.states.occupancy.node_first)
        return bool(held.max(initial=0) <= 1) and not any(body.turns or body.steps > 1 for body in self.states.kinds)

    def holders(self, occupant: Cells, cells: list[int]) -> list[int]:
        """The robots on some cells, all of which hold one place."""
        if isinstance(self.states, Grid):
            held = occupant[cells]
            robots: list[int] = held[held != NOBODY].tolist()
            return robots
        return [robot for cell in cells for robot in nodes.holders(self.states, occupant, cell)]

    def adjacency(self, kind: int = 0) -> Adjacency:
        """The cells beside each other for robots of a kind."""
        if kind not in self._adjacencies:
            self._adjacencies[kind] = Adjacency(self.states, kind)
        return self._adjacencies[kind]
