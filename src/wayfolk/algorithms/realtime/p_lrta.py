"""P-LRTA*: LRTA* that passes changes of the heuristic on to neighbours, the largest changes first.

Rayner, Davison, Bulitko, Anderson and Lu, "Real-time learning with prioritized LRTA*", IJCAI 2007; Vermette, "Salient
Search", section 2.2.5.

Guarantees  the agent reaches the goal if it can be reached (and no one-way edge leads into a trap); over repeated trials
            its path becomes a cheapest one.
Invariants  learned heuristics never overestimate and stay consistent; with beta = 0 it is LRTA*. At most beta + 2
            expansions for each move. A cell is in the queue once; up to `room` cells stay in it for later moves.
Cost        about 20 bytes for each cell; for each move up to beta searches of a queue of `room` cells.
Deviations  from Vermette's Algorithm 3, which never fills the queue: as the authors have it, when a cell is raised its
            neighbours join the queue, with the size of the change as priority.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._one_ply.agent import OnePly
from wayfolk.algorithms.realtime._one_ply.moves import look_around, moving, raise_to
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import slots, there
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

CHANGE = np.dtype([("size", np.float64), ("cell", np.int64)], align=True)

PAPER = "Rayner et al. 2007"
OPTIMAL = False
COMPLETE = True
LEARNS = True
CONVERGES = True
CONSISTENT = True
ADAPTS = True


def begin(
    world: Grid | Graph, start: int, goal: int, *,
    beta: Annotated[int, Range(0, 10_000), "The most cells of the queue that are looked at before each move."] = 8,
    room: Annotated[int, Range(1, 1_000), "The most cells in the queue; the smallest changes are dropped."] = 64,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> OnePly:  # fmt: skip
    """An agent that moves from `start` to `goal` and looks at up to `beta` cells of the queue before each move."""
    return OnePly(
        world, start, goal, name="p_lrta", bound=beta + 2 if beta else 1, watch=watch,
        new_rule=lambda: Prioritised(
            beta, np.zeros(room, CHANGE), np.zeros(world.n_cells, np.int32), np.zeros(1, np.int64)
        ),
    )  # fmt: skip


class Prioritised(NamedTuple):
    """Looks at up to `most` cells, those first whose neighbour was raised most; the others wait for the next move.

    `changes[: used[0]]` are waiting, and `place` is the index of a cell in there, counted from 1.
    """

    most: int
    changes: NDArray[np.void]
    place: NDArray[np.int32]
    used: NDArray[np.int64]


def _choose_prioritised(rule, graph, agent, events, kind, stop):
    best = _sweep(rule, graph, agent, events, agent["here"], kind)
    done = 0
    while done < rule.most and rule.used[0] > 0:
        _sweep(rule, graph, agent, events, _take_greatest(rule), kind)
        done += 1
    if done > 0:
        best, _ = look_around(graph, agent, events, agent["here"], kind)
    return best


@inner
def _sweep(rule, graph, agent, events, cell, kind):
    """Look at the neighbours of `cell`; if it is raised, they join those that wait. Returns the best of them."""
    best, value = look_around(graph, agent, events, cell, kind)
    more = raise_to(graph, agent, cell, value, kind)
    if more > 0.0:
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other != NOWHERE and other != agent["goal"] and other != cell:
                _wait(rule, other, more)
    return best


@inner
def _wait(rule, cell, size):
    """Let `cell` wait, once; if there is no room left, it replaces the one with the smallest change if that is smaller."""
    changes, n = rule.changes, rule.used[0]
    if rule.place[cell] > 0:
        row = changes[rule.place[cell] - 1]
        row["size"] = max(row["size"], size)
        return
    at = n
    if n < changes.size:
        rule.used[0] = n + 1
    else:
        at = 0
        for k in range(1, n):
            if changes[k]["size"] < changes[at]["size"]:
                at = k
        if changes[at]["size"] >= size:
            return
        rule.place[changes[at]["cell"]] = 0
    changes[at]["size"], changes[at]["cell"] = size, cell
    rule.place[cell] = at + 1


@inner
def _take_greatest(rule):
    """Remove the cell with the largest change from those that wait, and return it."""
    changes = rule.changes
    at, last = 0, rule.used[0] - 1
    for k in range(1, last + 1):
        if changes[k]["size"] > changes[at]["size"]:
            at = k
    cell = changes[at]["cell"]
    changes[at] = changes[last]
    rule.place[changes[at]["cell"]] = at + 1
    rule.place[cell] = 0
    rule.used[0] = last
    return cell


moving(Prioritised, _choose_prioritised)
