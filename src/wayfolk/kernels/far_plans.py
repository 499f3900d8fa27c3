"""The paths of FAR and A*-Replan: one A* after another, so many expansions in a step.

A search goes on in the next step if it has to, and its agent waits. First everybody gets a path; then those who have
waited long look for another one around whoever is near.

Keeps    no more than `expansions` cells are expanded for each unit of time, by all searches together.
"""

import numpy as np

from wayfolk.kernels import best_first, far_paths
from wayfolk.kernels.best_first import EXHAUSTED, EXPANDED, FOUND, QUEUE_FULL
from wayfolk.kernels.crew import NOBODY
from wayfolk.kernels.crowded import CrowdedGrid
from wayfolk.kernels.far_state import (
    AROUND,
    LONGEST_PATIENCE,
    LOST,
    N_UNPLANNED,
    PLANNED,
    SEARCHER,
    TOKENS,
    UNPLANNED,
    UNTOUCHED,
)
from wayfolk.kernels.jit import inner


@inner
def wants_plan(mind, now, member):
    """Whether it has no path, or waits so long that it looks for another; that comes after everybody's first path."""
    if member["state"] == UNPLANNED:
        return True
    if member["state"] == LOST or member["n_left"] == 0 or mind.job[N_UNPLANNED] > 0:
        return False
    if mind.clock[TOKENS] < mind.expansions * UNTOUCHED:
        return False
    return member["stale"] or now - member["waits_since"] >= member["patience"]


@inner
def plan(mind, crew, number):
    """Begin to search a path for `number`, unless one for another is being searched; False if memory is full."""
    member, job = mind.members[number], mind.job
    start, goal = crew.agents[number]["here"], member["goal"]
    if start == goal or mind.ground[goal] == 0:
        far_paths.clear(mind.stacks, member)
        member["state"] = PLANNED if start == goal else LOST
        member["plan"] += 1
        return True
    if job[SEARCHER] != NOBODY or mind.clock[TOKENS] <= 0.0:
        return True
    job[SEARCHER] = number
    job[AROUND] = member["state"] == PLANNED and not member["stale"]
    if job[AROUND]:
        member["patience"] = min(2.0 * member["patience"], LONGEST_PATIENCE)
    best_first.seed(mind.graph, mind.memory, mind.queue, start, goal)
    return go_on(mind, crew)


@inner
def go_on(mind, crew):
    """Go on with the search under way, if any, as far as the expansions of this step go; False if memory is full."""
    job, clock = mind.job, mind.clock
    number = job[SEARCHER]
    if number == NOBODY:
        return True
    member = mind.members[number]
    start, goal = crew.agents[number]["here"], member["goal"]
    if member["own"] != start or crew.agents[number]["goal"] != goal:  # it has gone, or is to go elsewhere
        job[SEARCHER] = NOBODY
        return True
    # in the way: those who never move again, and for a way around everybody near
    people, reach = mind.walls, np.inf
    if job[AROUND]:
        people, reach = (
            crew.occupant,
            2.0 * mind.reservation * mind.reservation,
        )  # a diagonal way to the last cell asked for
    crowd = CrowdedGrid(mind.graph, people, start, reach, goal)
    before = mind.memory.counts[EXPANDED]
    code = best_first.advance(
        crowd, mind.memory, mind.queue, start, goal, 1.0, mind.kind, mind.per_unit, False, False,
        max(np.int64(clock[TOKENS]), 0), mind.trail[:0],
    )  # fmt: skip
    clock[TOKENS] -= mind.memory.counts[EXPANDED] - before
    if code == QUEUE_FULL or (code == FOUND and not _take_path(mind, member, start)):
        return False
    if code in (FOUND, EXHAUSTED):
        job[SEARCHER] = NOBODY
        member["spent"] = max(mind.memory.counts[EXPANDED], 1)
        member["stale"] = False
        if code == EXHAUSTED and not job[AROUND]:
            far_paths.clear(mind.stacks, member)
            member["state"] = LOST
    return True


@inner
def _take_path(mind, member, start):
    """Make the path that was found the plan of `member`; False if there is no room for it."""
    cells, stacks = mind.memory.cells, mind.stacks
    n = 0
    cell = member["goal"]
    while cell != start:
        cell = cells[cell]["parent"]
        n += 1
    # whatever else happens in this step takes two blocks for each agent at most
    if stacks.counts[far_paths.N_FREE] < far_paths.blocks_for(n) + 2 * mind.members.size:
        return False
    far_paths.clear(stacks, member)
    cell = member["goal"]
    while cell != start:
        before = cells[cell]["parent"]
        far_paths.push(stacks, member, far_paths.move_between(mind.graph.offsets, before, cell))
        cell = before
    member["state"] = PLANNED
    member["plan"] += 1
    member["main"] = n
    return True
