"""Continuum crowds: each goal has a potential over the map, by length, time and the density of the crowd.

Treuille, Cooper and Popović, "Continuum crowds", SIGGRAPH 2006.

Guarantees  an agent that is alone arrives by a shortest way. Agents with the same goal share one potential.
Invariants  every agent adds at least the density 0.5^`exponent` to its own cell and at most that to others; the potential
            falls along the flow; where it is dense, agents move with the mean velocity of those ahead.
Cost        O(goals x cells log cells) for each update of the potentials, O(agents) in a step.
Deviations  goals are cells or areas. The ground is flat. Terrain costs above 1 count as discomfort; without them there
            is none. Bodies are kept apart by the collisions of the crowd, not by the paper's pairwise shifts.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.crowds import Bodies, Model, Moment, Space
from wayfolk.algorithms.crowds._fields import GoalFields
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import kernel
from wayfolk.kernels.bodies.potential import flow_at, is_in_sight

PAPER = "Treuille, Cooper and Popović 2006"
OPTIMAL = False
COMPLETE = False
FINDS_WAY = True
STEP = 0.05


def begin(
    space: Space,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    length: Annotated[float, Range(0.0, 1000.0), "Weight of the length of the way, alpha in the paper."] = 1.0,
    time: Annotated[float, Range(0.0, 1000.0), "Weight of the time, beta in the paper."] = 1.0,
    discomfort: Annotated[float, Range(0.0, 1000.0), "Weight of discomfort, gamma in the paper."] = 1.0,
    sparse: Annotated[float, Range(0.0, 100.0), "Agents in a square metre up to which all walk freely."] = 0.5,
    dense: Annotated[float, Range(0.01, 100.0), "Agents in a square metre from which on all move with the flow."] = 3.0,
    exponent: Annotated[float, Range(0.1, 10.0), "How sharply an agent's density falls, lambda in the paper."] = 1.0,
    slowest: Annotated[float, Range(0.001, 1.0), "Least share of the free speed."] = 0.05,
    every: Annotated[int, Range(1, 10_000), "Steps between two updates of the potentials."] = 2,
    tau: Annotated[float, Range(0.01, 60.0), "Seconds in which an agent takes up its wanted velocity."] = 0.2,
) -> Continuum:
    """The model on the grid of the space."""
    weights = ContinuumWeights(
        float(length), float(time), float(discomfort), float(sparse), float(max(dense, sparse + 1e-6)), float(exponent),
        float(slowest), float(tau),
    )  # fmt: skip
    return Continuum(space, weights, every)


class ContinuumWeights(NamedTuple):
    """The options as kernels read them."""

    length: float
    time: float
    discomfort: float
    sparse: float
    dense: float
    exponent: float
    slowest: float
    tau: float


class ContinuumFields(NamedTuple):
    """What is known of each cell: agents in a square metre, their mean velocity, speed and cost to each of four sides."""

    density: NDArray[np.float64]
    velocity: NDArray[np.float64]
    speeds: NDArray[np.float64]
    costs: NDArray[np.float64]


class Continuum(Model):
    """Agents that move down the potentials of their goals."""

    def __init__(self, space: Space, weights: ContinuumWeights, every: int) -> None:
        super().__init__(space)
        self.weights, self.every = weights, every
        self._open(space)
        self.field_of = np.zeros(0, np.int32)

    def _open(self, space: Space) -> None:
        self.potentials = Potentials(space)
        self.grid = self.potentials.grid
        n = self.grid.n_cells
        self.fields = ContinuumFields(np.zeros(n), np.zeros((n, 2)), np.zeros((4, n)), self.potentials.costs)
        self.discomfort = np.zeros(n) if self.grid._costs is None else self.grid._costs - 1.0
        self.is_stale = True

    def prepare(self, space: Space, bodies: Bodies, agents: NDArray[np.int32]) -> None:
        """Give each goal a potential."""
        has_changed = space is not self.space
        if has_changed:
            self._open(space)
        super().prepare(space, bodies, agents)
        if len(self.field_of) != len(bodies.radii):
            self.field_of = np.pad(self.field_of, (0, len(bodies.radii) - len(self.field_of)))
        going = agents[~np.isnan(bodies.goals[agents, 0])]
        numbers = self.potentials.numbers_of(bodies, going, self.areas)
        if not has_changed:  # who has no way any more waits
            self.potentials.check_ways(bodies, going, numbers)
        self.field_of[going] = numbers
        self.is_stale = True

    def update(self, moment: Moment) -> None:
        """Spread the agents over the grid; compute speeds, costs and the potentials."""
        if moment.tick % self.every and not self.is_stale:
            return
        self.is_stale = False
        side = self.space.cell
        _spread(moment.bodies, moment.near.agents, moment.n_present, self.grid.stride, side, self.weights, self.fields)
        present = moment.near.agents[: moment.n_present]
        fastest = float(moment.bodies.speeds[present].max(initial=1e-3))
        _value(self.grid.legal, self.grid.stride, side, fastest, self.discomfort, self.weights, self.fields)
        self.potentials.renew()

    def steer(self, moment: Moment, first: int, last: int) -> None:
        """Let each agent move down its potential."""
        _descend(
            moment.bodies,
            moment.near.agents,
            stride=self.grid.stride,
            side=self.space.cell,
            field_of=self.field_of,
            goals=self.potentials.arrays,
            fields=self.fields,
            weights=self.weights,
            first=first,
            last=last,
        )


class Potentials(GoalFields):
    """Potentials by `costs`, which change with the crowd."""

    def __init__(self, space: Space) -> None:
        super().__init__(space, "potentials")
        self.costs = np.full((4, self.grid.n_cells), space.cell)

    def _costs(self) -> NDArray[np.float64]:
        return self.costs


@kernel
def _spread(bodies, agents, n_present, stride, side, weights, fields):
    """Write density and mean velocity: each agent counts in the four cells whose middles are around it."""
    for cell in range(fields.density.size):
        fields.density[cell] = fields.velocity[cell, 0] = fields.velocity[cell, 1] = 0.0
    for k in range(n_present):
        agent = agents[k]
        across, down = bodies.places[agent, 0] / side - 0.5, bodies.places[agent, 1] / side - 0.5
        column, line = np.int64(np.floor(across)), np.int64(np.floor(down))
        right, below = across - column, down - line
        for corner in range(4):
            dx, dy = corner % 2, corner // 2
            share = min(right if dx == 1 else 1.0 - right, below if dy == 1 else 1.0 - below) ** weights.exponent
            cell = (line + dy + 1) * stride + column + dx + 1
            if 0 <= cell < fields.density.size:
                fields.density[cell] += share / (side * side)
                fields.velocity[cell, 0] += share * bodies.velocities[agent, 0] / (side * side)
                fields.velocity[cell, 1] += share * bodies.velocities[agent, 1] / (side * side)
    for cell in range(fields.density.size):
        if fields.density[cell] > 0.0:
            fields.velocity[cell, 0] /= fields.density[cell]
            fields.velocity[cell, 1] /= fields.density[cell]


@kernel
def _value(legal, stride, side, fastest, discomfort, weights, fields):
    """Write the speed and the cost of each cell to each of its four sides, by the density beyond that side."""
    for cell in range(legal.size):
        for k in range(4):
            fields.costs[k, cell] = np.inf
            fields.speeds[k, cell] = fastest
            if not (legal[cell] >> k) & 1:
                continue
            other = cell + (1 if k == 0 else stride if k == 1 else -1 if k == 2 else -stride)
            flow = fields.velocity[other, k % 2] * (1.0 if k < 2 else -1.0)
            flow = max(flow, weights.slowest * fastest)
            share = (fields.density[other] - weights.sparse) / (weights.dense - weights.sparse)
            share = min(max(share, 0.0), 1.0)
            speed = fastest + share * (flow - fastest)
            fields.speeds[k, cell] = speed
            costs = weights.length * speed + weights.time + weights.discomfort * max(discomfort[other], 0.0)
            fields.costs[k, cell] = max(costs, 1e-9) / speed * side


@kernel
def _descend(bodies, agents, stride, side, field_of, goals, fields, weights, first, last):
    """Write the force that brings each agent to the velocity of the flow."""
    for row in range(first, last):
        agent = agents[row]
        x, y = bodies.places[agent, 0], bodies.places[agent, 1]
        dx, dy = bodies.goals[agent, 0] - x, bodies.goals[agent, 1] - y
        want_x, want_y = 0.0, 0.0
        length = np.sqrt(dx * dx + dy * dy)
        k = field_of[agent]
        if np.isnan(length):  # it has no goal
            pass
        elif is_in_sight(goals.potentials[k], stride, side, x, y, bodies.goals[agent, 0], bodies.goals[agent, 1]):
            speed = min(bodies.speeds[agent], 2.0 * length)
            if length > 1e-9:
                want_x, want_y = dx / length * speed, dy / length * speed
        else:
            flow_x, flow_y = flow_at(goals.flows[k], goals.potentials[k], stride, side, x, y)
            cell = (np.int64(np.floor(y / side)) + 1) * stride + np.int64(np.floor(x / side)) + 1
            along_x = fields.speeds[0 if flow_x >= 0.0 else 2, cell]
            along_y = fields.speeds[1 if flow_y >= 0.0 else 3, cell]
            speed = min(bodies.speeds[agent], flow_x * flow_x * along_x + flow_y * flow_y * along_y)
            want_x, want_y = flow_x * speed, flow_y * speed
        bodies.forces[agent, 0] = bodies.masses[agent] * (want_x - bodies.velocities[agent, 0]) / weights.tau
        bodies.forces[agent, 1] = bodies.masses[agent] * (want_y - bodies.velocities[agent, 1]) / weights.tau
