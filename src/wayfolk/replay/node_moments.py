"""What a panel shows at one time whose agents are at nodes of a graph of states: their points, headings and shapes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.trajectory import Trajectory
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.record import Record
from wayfolk.replay.body_moments import BodyMoments
from wayfolk.replay.moments import Moments
from wayfolk.replay.node_points import Shape
from wayfolk.replay.node_rows import NodeRows
from wayfolk.world.state_graph import StateGraph

if TYPE_CHECKING:
    from wayfolk.replay import Track

LEAST_RADIUS = 1 / 150  # of the longer side of the panel: smaller bodies would not be seen


class NodeMoments(Moments):
    """A panel at any time; the cells of its record are the numbers of nodes, which `rows` knows."""

    def __init__(self, track: Track, record: Record, states: StateGraph) -> None:
        self.rows = NodeRows(record, states)
        super().__init__(replace(track, record=self.rows.record))
        self.points = self.rows.points
        least = LEAST_RADIUS * max(self.points.width, self.points.height)
        shapes = [shape._replace(radius=max(shape.radius, least)) for shape in self.points.shapes]
        self.shapes: list[Shape] = [shapes[kind] for kind in self.rows.kind_of.tolist()]

    def agents(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The places of all agents at `t`, and which of them are in the world; nobody is between two levels."""
        rows, part = self._legs_at(t)
        here, there = self._nodes(self.legs.cell_from[rows]), self._nodes(self.legs.cell_to[rows])
        part = np.where(self.points.levels_of(here) == self.points.levels_of(there), part, np.round(part))
        begin, end = self.points.points(here), self.points.points(there)
        return begin + part[:, None] * (end - begin), self.legs.cell_to[rows] != NOWHERE

    def edits(self, t: float) -> dict[tuple[int, ...], bool]:
        """The cells and lanes that have been closed or opened until `t`, and whether they are closed then."""
        return {place: is_closed for time, place, is_closed in self.rows.edits if time <= t}

    def headings(self, t: float) -> NDArray[np.float64]:
        """Radians clockwise from east, of all agents."""
        rows, part = self._legs_at(t)
        begin, end = self.headings_of(self.legs.cell_from[rows]), self.headings_of(self.legs.cell_to[rows])
        headings: NDArray[np.float64] = begin + part * ((end - begin + np.pi) % (2 * np.pi) - np.pi)
        return headings

    def paths(self, agent: int) -> list[list[list[float]]]:
        """The places of an agent, with a part for each time on a level."""
        nodes = self._nodes(self._entered(agent))
        begins = np.flatnonzero(np.diff(self.points.levels_of(nodes))) + 1
        return [part.tolist() for part in np.split(self.points.points(nodes), begins)]

    def headings_of(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """Radians clockwise from east at the nodes with these numbers."""
        return self.points.headings(self._nodes(numbers))

    def _places(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.points.points(self._nodes(cells))

    def _nodes(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """The nodes with these numbers, any for NOWHERE."""
        return self.rows.nodes[np.where(numbers == NOWHERE, 0, numbers)]


def moments_of(track: Track) -> Moments | BodyMoments:
    """The panel of `track` at any time: agents in a world, a search, or the bodies of a crowd."""
    if isinstance(track.record, Trajectory):
        return BodyMoments(track, track.record)
    states = track.record.states
    return NodeMoments(track, track.record, states) if isinstance(states, StateGraph) else Moments(track)
