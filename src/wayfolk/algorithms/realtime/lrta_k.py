"""LRTA*(k): LRTA* that passes each change of the heuristic on to visited neighbours, up to k cells for each move.

Hernandez and Meseguer, "LRTA*(k)", IJCAI 2005; Vermette, "Salient Search", section 2.2.3.

Guarantees  the agent reaches the goal if it can be reached (and no one-way edge leads into a trap); over repeated trials
            its path becomes a cheapest one.
Invariants  learned heuristics never overestimate and stay consistent; with k = 1 it is LRTA*. At most k + 1 expansions
            for each move: the last one chooses the move, after others have been raised.
Cost        about 20 bytes for each cell and 4 k bytes.
Deviations  a cell is expanded again only if the neighbour its value came from (its support) was raised, as the authors
            suggest.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._one_ply.agent import OnePly
from wayfolk.algorithms.realtime._one_ply.moves import look_around, moving, raise_to
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import slots, there
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Hernandez and Meseguer 2005"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    k: Annotated[int, Range(1, 1_000_000), "The most cells that are looked at before each move."] = 8,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> OnePly:  # fmt: skip
    """An agent that moves from `start` to `goal` and looks at up to `k` cells before each move."""
    n = world.n_cells
    return OnePly(
        world, start, goal, name="lrta_k", bound=k + 1 if k > 1 else 1, watch=watch,
        new_rule=lambda: Queued(k, np.empty(k, np.int32), np.zeros(n, np.uint8), np.empty(n, np.int32)),
    )  # fmt: skip


class Queued(NamedTuple):
    """Looks at up to `most` cells in the order of a queue: when one is raised, the cells that relied on it join the queue.

    Only cells where the agent has been (`visited`) are raised.
    """

    most: int
    queue: NDArray[np.int32]
    visited: NDArray[np.uint8]
    support: NDArray[np.int32]


def _choose_queued(rule, graph, agent, events, kind, stop):
    here, goal = agent["here"], agent["goal"]
    rule.visited[here] = 1
    rule.queue[0] = here
    best, at, n = np.int64(NOWHERE), 0, 1
    while at < n:
        cell = rule.queue[at]
        at += 1
        nearest, value = look_around(graph, agent, events, cell, kind)
        rule.support[cell] = nearest
        if at == 1:
            best = nearest
        if raise_to(graph, agent, cell, value, kind) > 0.0:
            for k in range(slots(graph, cell)):
                other = there(graph, cell, k)
                if n < rule.most and other != NOWHERE and other != goal:
                    if rule.visited[other] and rule.support[other] == cell:
                        rule.queue[n] = other
                        n += 1
    if n > 1:
        best, _ = look_around(graph, agent, events, here, kind)
    return best


moving(Queued, _choose_queued)
