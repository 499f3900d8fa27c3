"""Pebbles: agents that move one at a time into empty cells, and a log of all moves that can be taken back.

Push and Swap and Push and Rotate make their plans of these moves. A row of the log is one move; rows that are `joined` to
the row before happen at the same time (a ring of agents that rotates). `_parallel` makes a plan of the log.

Invariants  `occupant[here[agent]] == agent` for all agents; taking back the last rows of the log restores what was before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._pebble_graph import PebbleGraph, PebbleGrid, pebble_graph
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.graph import slots
from wayfolk.kernels.graph import there as neighbour
from wayfolk.problem.problem import Problem

MOVE = np.dtype([("agent", np.int32), ("here", np.int32), ("there", np.int32), ("joined", np.int32)])
N_MOVES, STAMP, FULL, WORK = range(4)  # places in `counts`: WORK counts cells that searches have looked at


class Pebbles(NamedTuple):
    """Who is where, the log, and room for searches. `done` marks agents that pushes must leave where they are."""

    graph: PebbleGrid | PebbleGraph
    occupant: NDArray[np.int32]
    here: NDArray[np.int32]
    done: NDArray[np.uint8]
    log: NDArray[np.void]
    seen: NDArray[np.int64]
    came: NDArray[np.int32]
    queue: NDArray[np.int32]
    avoid: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_pebbles(problem: Problem, n_moves: int = 1 << 12) -> Pebbles:
    """The agents of `problem` at their starts, and room for `n_moves`."""
    n = problem.states.n_cells
    occupant = np.full(n, NOBODY, np.int32)
    occupant[problem.starts] = np.arange(problem.n_agents, dtype=np.int32)
    return Pebbles(
        graph=pebble_graph(problem.states),
        occupant=occupant,
        here=problem.starts.astype(np.int32),
        done=np.zeros(problem.n_agents, np.uint8),
        log=np.zeros(n_moves, MOVE),
        seen=np.zeros(n, np.int64),
        came=np.zeros(n, np.int32),
        queue=np.zeros(n, np.int32),
        avoid=np.zeros(n, np.int32),
        counts=np.zeros(4, np.int64),
    )


def with_longer_log(pebbles: Pebbles) -> Pebbles:
    """The same with room for twice as many moves."""
    log = np.zeros(2 * len(pebbles.log), MOVE)
    log[: len(pebbles.log)] = pebbles.log
    return pebbles._replace(log=log)


@inner
def has_room(pebbles, n):
    """Whether `n` more moves fit into the log; if they do not, it is marked as FULL and takes no more."""
    counts = pebbles.counts
    if counts[FULL] == 0 and counts[N_MOVES] + n > pebbles.log.size:
        counts[FULL] = 1
    return counts[FULL] == 0


@inner
def shift(pebbles, agent, here, there, joined):
    """Move `agent` and log it. Rows of a ring overwrite each other's cells, so only an agent's own cell is emptied."""
    if not has_room(pebbles, 1):
        return
    if pebbles.occupant[here] == agent:
        pebbles.occupant[here] = NOBODY
    pebbles.occupant[there] = agent
    pebbles.here[agent] = there
    row = pebbles.log[pebbles.counts[N_MOVES]]
    row["agent"], row["here"], row["there"], row["joined"] = agent, here, there, joined
    pebbles.counts[N_MOVES] += 1


@inner
def move(pebbles, here, there):
    """Move the agent in `here` to `there`, which is empty."""
    shift(pebbles, pebbles.occupant[here], np.int64(here), np.int64(there), 0)


@inner
def take_back(pebbles, mark):
    """Undo all moves after the first `mark` of the log."""
    counts = pebbles.counts
    while counts[N_MOVES] > mark:
        counts[N_MOVES] -= 1
        row = pebbles.log[counts[N_MOVES]]
        if pebbles.occupant[row["there"]] == row["agent"]:
            pebbles.occupant[row["there"]] = NOBODY
        pebbles.occupant[row["here"]] = row["agent"]
        pebbles.here[row["agent"]] = row["here"]


@inner
def replay_backwards(pebbles, first, last, one, other):
    """Append the rows `first` to `last` - 1 of the log in reverse, with the agents `one` and `other` exchanged."""
    log = pebbles.log
    if not has_room(pebbles, last - first):
        return
    for k in range(last - 1, first - 1, -1):
        agent = log[k]["agent"]
        if agent == one:
            agent = other
        elif agent == other:
            agent = one
        joined = log[k + 1]["joined"] if k + 1 < last else 0
        shift(pebbles, agent, log[k]["there"], log[k]["here"], joined)


@inner
def push(pebbles, cell, n_avoid, keeps_done):
    """Empty `cell`: the agents between it and the nearest empty cell move on by one. Returns whether that is possible.

    The way does not lead through the first `n_avoid` cells of `avoid`, and, if it `keeps_done`, not through agents that are
    done.
    """
    occupant, seen, came, queue, counts = pebbles.occupant, pebbles.seen, pebbles.came, pebbles.queue, pebbles.counts
    if occupant[cell] == NOBODY:
        return True
    counts[STAMP] += 1
    stamp = counts[STAMP]
    for k in range(n_avoid):
        seen[pebbles.avoid[k]] = stamp
    if seen[cell] == stamp or (keeps_done and pebbles.done[occupant[cell]]):
        return False
    queue[0], seen[cell], came[cell] = cell, stamp, cell
    first, last = 0, 1
    while first < last:
        at = queue[first]
        first += 1
        for k in range(slots(pebbles.graph, at)):
            there = neighbour(pebbles.graph, at, k)
            if there != NOWHERE:
                if seen[there] == stamp:
                    continue
                seen[there] = stamp
                agent = occupant[there]
                if agent == NOBODY:
                    counts[WORK] += first
                    blank = there
                    while True:
                        move(pebbles, at, blank)
                        if at == cell:
                            return counts[FULL] == 0
                        blank = at
                        at = came[at]
                if keeps_done and pebbles.done[agent]:
                    continue
                came[there] = at
                queue[last] = there
                last += 1
    counts[WORK] += first
    return False


@inner
def lead_to(pebbles, start, goal, shut, path):
    """Write the cells of a shortest way from `start` to `goal` that avoids the cell `shut`; return how many, 0 if none.

    Agents are no obstacles; `start` is not written.
    """
    seen, came, queue, counts = pebbles.seen, pebbles.came, pebbles.queue, pebbles.counts
    counts[STAMP] += 1
    stamp = counts[STAMP]
    if shut != NOWHERE:
        seen[shut] = stamp
    queue[0], seen[goal] = goal, stamp  # backwards, so that `came` leads forwards
    if start == goal or shut == goal:
        return 0
    first, last = 0, 1
    while first < last:
        at = queue[first]
        first += 1
        for k in range(slots(pebbles.graph, at)):
            there = neighbour(pebbles.graph, at, k)
            if there != NOWHERE:
                if seen[there] == stamp:
                    continue
                seen[there], came[there] = stamp, at
                if there == start:
                    counts[WORK] += first
                    n = 0
                    while there != goal:
                        there = came[there]
                        path[n] = there
                        n += 1
                    return n
                queue[last] = there
                last += 1
    counts[WORK] += first
    return 0
