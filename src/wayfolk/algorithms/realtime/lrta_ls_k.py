"""LRTA*_LS(k): LRTA* that raises up to k cells around the agent at once, each to the cost of leaving that area.

Hernandez and Meseguer, "Improving LRTA*(k)", IJCAI 2007; Vermette, "Salient Search", section 2.2.3.

Guarantees  the agent reaches the goal if it can be reached; over repeated trials its path becomes a cheapest one.
Invariants  learned heuristics never overestimate and stay consistent; with k = 1 it learns as LRTA* does. At most
            2 + w (k - 1) expansions for each move, where w is the number of neighbours.
Cost        about 30 bytes for each cell, and 180 k bytes.
Deviations  the agent makes one move and then learns again, also where nothing has changed.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._look_ahead.agent import new_local_space
from wayfolk.algorithms.realtime._look_ahead.plans import LocalSpace, teach
from wayfolk.algorithms.realtime._one_ply.agent import OnePly, n_ways
from wayfolk.algorithms.realtime._one_ply.moves import look_around, moving, note_expansion
from wayfolk.compile.jit import inner
from wayfolk.kernels.best_first import FUZZ, STAMP, SearchMemory, new_memory
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, heuristic, slots, there
from wayfolk.world.grid import Grid

PAPER = "Hernandez and Meseguer 2007"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid, start: int, goal: int, *,
    k: Annotated[int, Range(1, 100_000), "The most cells that are raised before each move."] = 8,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> OnePly:  # fmt: skip
    """An agent that moves from `start` to `goal` and raises up to `k` cells before each move."""
    most = min(k, world.n_cells)
    return OnePly(
        world, start, goal, name="lrta_ls_k", bound=2 + n_ways(world) * (k - 1), watch=watch,
        new_rule=lambda: Nearby(
            most, np.empty(1 + n_ways(world) * most, np.int32), np.empty(most, np.int32), new_memory(world.n_cells),
            new_local_space(world, most),
        ),
    )  # fmt: skip


class Nearby(NamedTuple):
    """Raises up to `most` cells around the agent at once, each to the least cost to the cells around them plus their h."""

    most: int
    queue: NDArray[np.int32]
    inside: NDArray[np.int32]
    memory: SearchMemory
    space: LocalSpace


def _choose_nearby(rule, graph, agent, events, kind, stop):
    here, goal, cells = agent["here"], agent["goal"], rule.memory.cells
    _forget(rule.memory)
    stamp = rule.memory.counts[STAMP]
    rule.queue[0] = here
    cells[here]["mark"] = stamp
    best, at, n, n_inside = np.int64(NOWHERE), 0, 1, 0
    while at < n and n_inside < rule.most:
        cell = rule.queue[at]
        at += 1
        if cell == goal:
            continue
        note_expansion(agent, events, cell)
        nearest, least = np.int64(NOWHERE), np.inf
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other == NOWHERE or cells[other]["mark"] == stamp + 1:
                continue
            agent["generated"] += 1
            value = cost(graph, cell, k) + heuristic(graph, other, goal, kind)
            if nearest == NOWHERE or value < least - FUZZ:
                nearest, least = np.int64(other), value
        if at == 1:
            best = nearest
        if heuristic(graph, cell, goal, kind) < least - FUZZ:
            cells[cell]["mark"] = stamp + 1
            rule.inside[n_inside] = cell
            n_inside += 1
            for k in range(slots(graph, cell)):
                other = there(graph, cell, k)
                if other != NOWHERE and cells[other]["mark"] < stamp:
                    cells[other]["mark"] = stamp
                    rule.queue[n] = other
                    n += 1
    if n_inside > 0:
        agent["raised"] += teach(rule.space, graph, rule.memory, rule.inside[:n_inside], 0.0, goal, kind)
        best, _ = look_around(graph, agent, events, here, kind)
    return best


@inner
def _forget(memory):
    """Invalidate all marks: those below `counts[STAMP]` mean nothing from now on."""
    if memory.counts[STAMP] > 2**31 - 8:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        memory.counts[STAMP] = 0
    memory.counts[STAMP] += 2


moving(Nearby, _choose_nearby)
