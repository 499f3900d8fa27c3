"""The joint search of one group of agents, as Python sees it: allocates, grows arrays, reads the plan."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._groups import joint
from wayfolk.algorithms.planners._groups.joint_moves import most_moves, moves_of
from wayfolk.algorithms.planners._groups.nodes import (
    EXPANDED,
    N_NODES,
    N_ROWS,
    ROW,
    STEP_NODE,
    JointNodes,
    trace_joint,
)
from wayfolk.algorithms.planners._groups.other_paths import OtherPaths, no_paths
from wayfolk.kernels import heap
from wayfolk.kernels.codes import FULL
from wayfolk.kernels.distances import UNREACHED, StepFields, steps_between
from wayfolk.kernels.table import new_table, with_room
from wayfolk.machine import available_bytes
from wayfolk.problem.problem import Problem
from wayfolk.world.spots import new_fields

NO_MEMORY = FULL + 1
"""One more outcome: larger arrays do not fit into memory."""
NO_LIMIT = 2**31 - 2
MEASURES = {"sum_of_costs": joint.SUM_OF_COSTS, "makespan": joint.MAKESPAN, "sum_of_loss": joint.SUM_OF_LOSS}


class SharedFields:
    """What all searches for the agents of a problem share: distances to their goals, and their moves in a step."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.fields: StepFields = new_fields(problem.states, problem.goals)
        self.moves = moves_of(problem.states)

    def distance(self, agent: int) -> int | None:
        """The fewest steps of `agent` from its start to its goal, None if there is no way."""
        steps = int(steps_between(self.fields, agent, int(self.problem.starts[agent])))
        return None if steps == UNREACHED else steps


class JointSearch:
    """A search for `agents` of a problem, all of which can reach their goals alone, that can be advanced."""

    def __init__(
        self,
        ground: SharedFields,
        agents: list[int],
        *,
        hard: OtherPaths | None = None,
        soft: OtherPaths | None = None,
        measure: str = "sum_of_costs",
        weight: int = 1,
        limit: int = NO_LIMIT,
    ) -> None:
        self.agents = np.array(agents, np.int32)
        self.team = joint.JointTeam(
            ground.fields,
            self.agents,
            ground.problem.goals[self.agents],
            np.zeros(len(agents) + 1, np.int32),
            ground.moves,
        )
        self.hard = no_paths() if hard is None else hard
        self.soft = no_paths() if soft is None else soft
        self.aims = joint.JointAims(MEASURES[measure], weight, limit)
        self.nodes = _new_nodes(1 << 10, 1 << 8, len(agents))
        joint.open_joint(self.team, ground.problem.starts[self.agents], self.hard, self.aims, self.nodes)

    @property
    def expanded(self) -> int:
        """Nodes expanded so far."""
        return int(self.nodes.counts[EXPANDED])

    @property
    def generated(self) -> int:
        """Nodes made so far."""
        return int(self.nodes.counts[N_NODES])

    def advance(self, budget: int) -> int:
        """Expand up to `budget` nodes: RUNNING, FOUND, EXHAUSTED, FULL (call again) or NO_MEMORY."""
        code = int(joint.advance_joint(self.team, self.hard, self.soft, self.aims, self.nodes, budget))
        if code == FULL:
            return code if self._grow() else NO_MEMORY
        return code

    def _grow(self) -> bool:
        """Double the arrays that are full, if there is memory for them."""
        nodes, n = self.nodes, len(self.agents)
        n_nodes, n_rows = len(nodes.tree), len(nodes.rows)
        most = most_moves(self.team.moves) + 2
        more_nodes = nodes.counts[N_NODES] + most > n_nodes
        more_rows = nodes.counts[N_ROWS] + most > n_rows
        need = more_nodes * 2 * n_nodes * (STEP_NODE.itemsize + heap.ROW.itemsize)
        need += more_rows * 2 * n_rows * (ROW.itemsize + 4 * n + 36)
        if need > 0.8 * available_bytes():
            return False
        if more_nodes:
            nodes = nodes._replace(tree=_doubled(nodes.tree), open=_doubled(nodes.open))
        if more_rows:
            table = with_room(nodes.table, 2 * n_rows)
            nodes = nodes._replace(places=_doubled(nodes.places), rows=_doubled(nodes.rows), table=table)
        self.nodes = nodes
        return True

    def cells(self) -> NDArray[np.int32]:
        """`cells[step, k]` of the plan that was found, for the k-th of `agents`."""
        n_steps = trace_joint(self.nodes, len(self.agents), np.empty((0, len(self.agents)), np.int32))
        cells = np.empty((n_steps + 1, len(self.agents)), np.int32)
        trace_joint(self.nodes, len(self.agents), cells)
        return cells


def _new_nodes(n_nodes: int, n_rows: int, n_agents: int) -> JointNodes:
    return JointNodes(
        np.zeros(n_nodes, STEP_NODE),
        np.zeros((n_rows, n_agents + 1), np.int32),
        np.zeros(n_rows, ROW),
        new_table(n_rows),
        np.zeros(n_nodes, heap.ROW),
        np.zeros(4, np.int64),
    )


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    """The same array with as much room again."""
    larger = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
