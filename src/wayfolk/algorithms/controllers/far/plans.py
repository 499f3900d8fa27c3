"""The paths of FAR and A*-Replan: one A* after another, with a limited number of expansions in a step.

A search that needs more resumes in the next step, and its agent waits. First every agent gets a path; then agents that have
waited long look for another path around the agents near them.

Invariants  no more than `expansions` nodes are expanded for each unit of time, by all searches together.
"""

import numpy as np

from wayfolk.algorithms.controllers._agents_as_walls import AgentWallGrid
from wayfolk.algorithms.controllers.far import paths as far_paths
from wayfolk.algorithms.controllers.far.state import (
    AROUND,
    LONGEST_PATIENCE,
    LOST,
    N_UNPLANNED,
    PLANNED,
    SEARCHER,
    TOKENS,
    UNHURRIED,
    UNPLANNED,
    UNTOUCHED,
)
from wayfolk.compile.jit import inner
from wayfolk.kernels import best_first
from wayfolk.kernels.best_first import EXPANDED
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOBODY


@inner
def wants_plan(arrays, now, member):
    """Whether it has no path, or waits so long that it looks for another, once every agent has a first path.

    Agents without patience look for another path at once, whoever else needs one.

    After an edit of the map only a few expansions of each step are used for that, so that a door does not take long.
    """
    if member["stale"] and arrays.clock[TOKENS] < arrays.expansions * UNHURRIED:
        return False
    if member["state"] == UNPLANNED:
        return True
    if member["state"] == LOST or member["n_left"] == 0:
        return False
    if arrays.patience > 0.0 and arrays.job[N_UNPLANNED] > 0:
        return False
    if arrays.patience > 0.0 and arrays.clock[TOKENS] < arrays.expansions * UNTOUCHED:
        return False
    return member["stale"] or now - member["waits_since"] >= member["patience"]


@inner
def plan(arrays, crew, number):
    """Begin a search for `number`, unless one for another agent is under way; False if memory is full."""
    member, job = arrays.members[number], arrays.job
    start, goal = crew.agents[number]["here"], member["goal"]
    if start == goal or arrays.ground[goal] == 0:
        far_paths.clear(arrays.stacks, member)
        member["state"] = PLANNED if start == goal else LOST
        member["plan"] += 1
        return True
    if job[SEARCHER] != NOBODY or arrays.clock[TOKENS] <= 0.0:
        return True
    job[SEARCHER] = number
    job[AROUND] = member["state"] == PLANNED and not member["stale"]
    if job[AROUND]:
        member["patience"] = min(2.0 * member["patience"], LONGEST_PATIENCE)
    best_first.open_start(arrays.memory, arrays.queue, start)
    return go_on(arrays, crew)


@inner
def go_on(arrays, crew):
    """Resume the search under way, if any, within the expansions of this step; False if memory is full."""
    job, clock = arrays.job, arrays.clock
    number = job[SEARCHER]
    if number == NOBODY:
        return True
    member = arrays.members[number]
    start, goal = crew.agents[number]["here"], member["goal"]
    if member["own"] != start or crew.agents[number]["goal"] != goal:  # it has gone, or is to go elsewhere
        job[SEARCHER] = NOBODY
        return True
    # obstacles are agents that never move again; for a path around others, all agents near
    people, reach = arrays.walls, np.inf
    if job[AROUND]:
        people, reach = (
            crew.occupant,
            2.0 * arrays.reservation * arrays.reservation,
        )  # diagonally to the last cell asked for
    crowd = AgentWallGrid(arrays.graph, people, start, reach, goal)
    before = arrays.memory.counts[EXPANDED]
    code = best_first.advance(
        crowd,
        arrays.memory,
        arrays.queue,
        best_first.Ordering(1.0, arrays.kind, arrays.per_unit, False, False),
        start,
        goal,
        max(np.int64(clock[TOKENS]), 0),
        arrays.trail[:0],
    )
    clock[TOKENS] -= arrays.memory.counts[EXPANDED] - before
    if code == FULL or (code == FOUND and not _take_path(arrays, member, start)):
        return False
    if code in (FOUND, EXHAUSTED):
        job[SEARCHER] = NOBODY
        member["spent"] = max(arrays.memory.counts[EXPANDED], 1)
        member["stale"] = False
        if code == EXHAUSTED and not job[AROUND]:
            far_paths.clear(arrays.stacks, member)
            member["state"] = LOST
    return True


@inner
def _take_path(arrays, member, start):
    """Make the path that was found the plan of `member`; False if there is no room for it."""
    cells, stacks = arrays.memory.cells, arrays.stacks
    n = 0
    cell = member["goal"]
    while cell != start:
        cell = cells[cell]["parent"]
        n += 1
    # whatever else happens in this step takes two blocks for each agent at most
    if stacks.counts[far_paths.N_FREE] < far_paths.blocks_for(n) + 2 * arrays.members.size:
        return False
    far_paths.clear(stacks, member)
    cell = member["goal"]
    while cell != start:
        before = cells[cell]["parent"]
        far_paths.push(stacks, member, far_paths.move_between(arrays.graph.offsets, before, cell))
        cell = before
    member["state"] = PLANNED
    member["plan"] += 1
    member["main"] = n
    return True
