"""Paths through a window of steps: how one agent plans around others, and where two of them collide.

`paths[agent, step]` are the cells of all agents from the first step of the window on. The search for a path is A* over
cells and steps. A step costs 1, and f never falls and rises by 2 at most, so that the open list is one stack for each f. On
equal f the search goes on where no other path leads at that step, if it can.

An agent that does not stay on its goal has done its work when it is there once: the rest of the window costs it nothing,
and it only keeps out of the way of others. An agent that stays pays for each step in which it does not stand on its goal.

Invariants  a planned path does not collide with the paths that it was planned around, up to the last step of the window.
            `used[step, cell]` is the number of paths that are at a cell at a step.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import rra
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crossing import corners, diagonal
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.kernels.planning import SLICE
from wayfolk.world.grid import Grid, Moves

ENOUGH = 1 << 12  # expansions after which a window counts as having no path
NOTHING = np.int32(2**31 - 1)
WAIT = 8  # the move after the eight directions
COLLISIONS, HOLDS, SEARCHES, TOTAL = range(4)  # places in `counts`
HELD_BITS, IS_THERE = 9, np.int64(1 << 8)
MOST_COST = np.int64(1 << 12)  # more than a path through a window costs
ARRIVES = 16  # added to the move by which an agent comes to its goal
NODE = np.dtype([("cell", np.int32), ("cost", np.int32), ("after", np.int32), ("step", np.int16), ("been", np.int16)])


class RollingArrays(NamedTuple):
    """What planning takes: the map, walls for the time being, distances to goals, and room for searches.

    `held[step, cell]` is the number of the present set of reservations, if it has one there, a bit for an agent that is
    there, and eight bits for the moves by which agents leave. `seen` and `moves` are the cost and the last move of a node
    of the present search, without and with a visit to the goal. `stacks` and `nodes` are its open list. `who[cell]` and
    `from_where[cell]` are the agents that enter and leave a cell in a step, if `marks` has its number. `spent` counts the
    expansions for each agent, `counts[TOTAL]` those of all.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    shut: NDArray[np.uint8]
    searches: rra.Rra
    used: NDArray[np.int16]
    held: NDArray[np.int64]
    seen: NDArray[np.int64]
    moves: NDArray[np.uint8]
    stacks: NDArray[np.int32]
    nodes: NDArray[np.void]
    who: NDArray[np.int32]
    from_where: NDArray[np.int32]
    marks: NDArray[np.int64]
    counts: NDArray[np.int64]
    spent: NDArray[np.int64]
    stays: bool


def new_rolling(
    grid: Grid, spent: NDArray[np.int64], steps: int, stays: bool, memory: int | None = None
) -> RollingArrays:
    """Arrays for windows of up to `steps` steps; agents stay on their goals or not. `spent` counts their expansions.

    Distances take up to `memory` bytes.
    """
    arrays = RollingArrays(
        legal=grid.legal,
        offsets=grid.offsets,
        shut=np.zeros(grid.n_cells, np.uint8),
        searches=rra.new_rra(grid, len(spent), 1, 2 if grid.moves is Moves.FOUR else 1, memory),
        used=np.zeros((0, 0), np.int16),
        held=np.zeros((0, 0), np.int64),
        seen=np.zeros((0, 0, 0), np.int64),
        moves=np.zeros((0, 0, 0), np.uint8),
        stacks=np.zeros(0, np.int32),
        nodes=np.zeros(9 * ENOUGH + 1, NODE),
        who=np.zeros(grid.n_cells, np.int32),
        from_where=np.zeros(grid.n_cells, np.int32),
        marks=np.zeros((2, grid.n_cells), np.int64),
        counts=np.zeros(4, np.int64),
        spent=spent,
        stays=stays,
    )
    return with_steps(arrays, steps)


def with_steps(arrays: RollingArrays, steps: int) -> RollingArrays:
    """The same arrays with room for windows of `steps` steps. No paths are counted in `used`."""
    if steps < len(arrays.used):
        return arrays
    shape = (steps + 1, len(arrays.legal))
    return arrays._replace(
        used=lazy_zeros(shape, np.int16),
        held=lazy_zeros(shape, np.int64),
        seen=lazy_zeros((2, *shape), np.int64),
        moves=lazy_zeros((2, *shape), np.uint8),
        stacks=np.zeros(2 * steps + 3, np.int32),
    )


@kernel
def count_paths(arrays, paths, agents, last, change):
    """Add `change` to `used` along the paths of `agents`."""
    for agent in agents:
        count_path(arrays, paths, agent, 0, last, change)


@inner
def count_path(arrays, paths, agent, first, last, change):
    """Add `change` to `used` along the path of `agent`."""
    for step in range(first, last + 1):
        arrays.used[step, paths[agent, step]] += change


@inner
def hold(arrays, paths, agent, first, last):
    """Let `agent` be in the present set of reservations."""
    for step in range(first, last + 1):
        here = paths[agent, step]
        keep_off(arrays, here, step)
        if step < last and paths[agent, step + 1] != here:
            keep_against(arrays, here, paths[agent, step + 1], step)


@inner
def keep_off(arrays, cell, step):
    """Let nobody be in `cell` at `step`, in the present set of reservations."""
    held = arrays.held
    held[step, cell] = max(held[step, cell], arrays.counts[HOLDS] << HELD_BITS) | IS_THERE


@inner
def keep_against(arrays, here, there, step):
    """Let nobody move from `there` to `here`, nor cross the way between them, after `step`."""
    held = arrays.held
    before = max(held[step, here], arrays.counts[HOLDS] << HELD_BITS)
    held[step, here] = before | (np.int64(1) << move_between(arrays.offsets, here, there))


@inner
def move_between(offsets, here, there):
    """The number of the move from `here` to `there`."""
    k = 0
    while k < WAIT and here + offsets[k] != there:
        k += 1
    return k


@kernel
def forget_touched(arrays, edits):
    """Drop the distances of agents whose searches have expanded a cell that is one of the `edits`: others are right."""
    searches = arrays.searches
    for agent in range(arrays.spent.size):
        if rra.is_touched(searches, agent, edits, 0):
            rra.forget(searches, agent)


@kernel
def search_distances(arrays, agents, here, goals, first):
    """Search the distances of the `agents` from number `first` on back from their goals; how many of them are known.

    These are all of them, or as many as could be searched with SLICE expansions.
    """
    searches, before = arrays.searches, arrays.counts[TOTAL]
    for k in range(first, agents.size):
        agent = agents[k]
        if rra.goal_of(searches, agent) != goals[agent]:
            if arrays.counts[TOTAL] - before >= SLICE:
                return k
            rra.aim(searches, agent, goals[agent], here[agent])
            rra.distance(searches, agent, here[agent])
            _count(arrays, agent, rra.expansions(searches, agent))
    return agents.size


@inner
def _count(arrays, agent, expansions):
    """Count expansions of `agent`."""
    arrays.spent[agent] += expansions
    arrays.counts[TOTAL] += expansions


@inner
def find_path(arrays, paths, agent, goal, first, last):
    """Plan the path of `agent` from step `first` to `last`, around the present set of reservations; whether there is one.

    Where there is none, the path does not change.
    """
    searches, nodes, stacks, seen, counts = arrays.searches, arrays.nodes, arrays.stacks, arrays.seen, arrays.counts
    start = paths[agent, first]
    before = rra.expansions(searches, agent) if rra.goal_of(searches, agent) == goal else 0
    rra.aim(searches, agent, goal, start)
    least = rra.distance(searches, agent, start)
    if least == rra.UNREACHABLE:
        _count(arrays, agent, rra.expansions(searches, agent) - before)
        return False
    count_path(arrays, paths, agent, first, last, -1)
    counts[SEARCHES] += 1
    base = counts[SEARCHES] * MOST_COST
    stacks[: 2 * (last - first) + 3] = NOTHING
    n_nodes = _push(arrays, 0, 0, start, first, 0, 0, WAIT)
    f, n_expanded, found = 0, 0, False
    while f <= 2 * (last - first):
        if stacks[f] == NOTHING:
            f += 1
            continue
        node = nodes[stacks[f]]
        cell, step, been, cost = np.int64(node["cell"]), np.int64(node["step"]), np.int64(node["been"]), node["cost"]
        stacks[f] = node["after"]
        if seen[been, step, cell] != base + cost:
            continue  # a cheaper path has come here
        if step == last:
            found = True
            trace(arrays, paths, agent, cell, first, last, been)
            break
        if n_expanded == ENOUGH:
            break
        n_expanded += 1
        # the last node on a stack is taken first: cells of other paths are put there before free ones
        for is_free in range(2):
            for turn in range(9):
                k = (turn + agent) & 7 if turn < 8 else WAIT
                if k < WAIT and not (arrays.legal[cell] >> k) & 1:
                    continue
                there = cell if k == WAIT else cell + arrays.offsets[k]
                if (arrays.used[step + 1, there] == 0) != (is_free == 1) or not is_open(arrays, cell, there, k, step):
                    continue
                left = 0 if been else rra.distance(searches, agent, there)
                if left == rra.UNREACHABLE:
                    continue
                arrives = not arrays.stays and not been and there == goal and k != WAIT
                is_paid = not been and not (k == WAIT and cell == goal)
                then = cost + (1 if is_paid else 0)
                visited = 1 if been or arrives else 0
                known = seen[visited, step + 1, there]
                if known < base or known > base + then:
                    move = k + (ARRIVES if arrives else 0)
                    n_nodes = _push(arrays, n_nodes, then + left - least, there, step + 1, visited, then, move)
    _count(arrays, agent, n_expanded + rra.expansions(searches, agent) - before)
    count_path(arrays, paths, agent, first, last, 1)
    return found


@inner
def _push(arrays, n_nodes, f, cell, step, been, cost, move):
    """Put a node on the stack of `f`; how many nodes there are."""
    node = arrays.nodes[n_nodes]
    node["cell"], node["step"], node["been"], node["cost"], node["after"] = cell, step, been, cost, arrays.stacks[f]
    arrays.stacks[f] = n_nodes
    arrays.seen[been, step, cell] = arrays.counts[SEARCHES] * MOST_COST + cost
    arrays.moves[been, step, cell] = move
    return n_nodes + 1


@inner
def is_open(arrays, here, there, k, step):
    """Whether move `k` at `step` keeps out of the way of the present set of reservations."""
    held, base = arrays.held, arrays.counts[HOLDS] << HELD_BITS
    if arrays.shut[there] or (held[step + 1, there] >= base and held[step + 1, there] & IS_THERE):
        return False
    if k == WAIT:
        return True
    if held[step, there] >= base and (held[step, there] >> (k ^ 2)) & 1:
        return False
    if k >= 4:
        beside, across = corners(arrays.offsets, here, k)
        for _ in range(2):
            if held[step, beside] >= base and (held[step, beside] >> move_between(arrays.offsets, beside, across)) & 1:
                return False
            beside, across = across, beside
    return True


@inner
def trace(arrays, paths, agent, cell, first, last, been):
    """Write the path that ends in `cell`."""
    for step in range(last, first, -1):
        paths[agent, step] = cell
        move = np.int64(arrays.moves[been, step, cell])
        if move >= ARRIVES:
            been, move = 0, move - ARRIVES
        if move < WAIT:
            cell -= arrays.offsets[move]


@inner
def cost_of_path(arrays, paths, agent, goal, last):
    """The steps until `last` that an agent needs to its goal, or does not spend there if it stays; and what is left."""
    total = 0
    for step in range(last):
        if paths[agent, step] != goal or paths[agent, step + 1] != goal:
            total += 1
        if not arrays.stays and paths[agent, step + 1] == goal:
            return total
    return total + rra.distance(arrays.searches, agent, paths[agent, last])


@kernel
def n_nearer(arrays, paths, agents, goals, last):
    """How many of `agents` are nearer to their goals at the step `last` than at the first one, or reach them before."""
    n = 0
    for agent in agents:
        searches, goal = arrays.searches, goals[agent]
        if rra.goal_of(searches, agent) != goal or paths[agent, 0] == goal:
            continue
        arrives = False
        for step in range(1, last + 1):
            arrives = arrives or paths[agent, step] == goal
        left = rra.distance(searches, agent, paths[agent, last])
        if arrives or left < rra.distance(searches, agent, paths[agent, 0]):
            n += 1
    return n


@kernel
def first_collision(arrays, paths, agents, last):
    """The two agents that collide first among `agents`, and how many steps before that are free of collisions.

    NOBODY twice, and `last`, if none collide up to the step `last`.
    """
    offsets, who, from_where, marks = arrays.offsets, arrays.who, arrays.from_where, arrays.marks
    for step in range(last):
        arrays.counts[COLLISIONS] += 1
        mark = arrays.counts[COLLISIONS]
        for agent in agents:
            here, there = paths[agent, step], paths[agent, step + 1]
            if marks[0, there] == mark:
                return who[there], agent, step
            marks[0, there] = marks[1, here] = mark
            who[there] = from_where[here] = agent
        for agent in agents:
            here, there = paths[agent, step], paths[agent, step + 1]
            if here == there:
                continue
            if marks[1, there] == mark and paths[from_where[there], step + 1] == here:
                return from_where[there], agent, step
            k = diagonal(offsets, here, there)
            if k > 0:
                beside, across = corners(offsets, here, k)
                for _ in range(2):
                    if marks[1, beside] == mark and paths[from_where[beside], step + 1] == across:
                        return from_where[beside], agent, step
                    beside, across = across, beside
    return NOBODY, NOBODY, last


@inner
def collide(paths, offsets, agent, other, last):
    """Whether two agents collide up to the step `last`."""
    for step in range(last):
        here, there = paths[agent, step], paths[agent, step + 1]
        its_here, its_there = paths[other, step], paths[other, step + 1]
        if there == its_there or (there == its_here and here == its_there):
            return True
        k = diagonal(offsets, here, there)
        if k > 0:
            beside, across = corners(offsets, here, k)
            if (its_here == beside and its_there == across) or (its_here == across and its_there == beside):
                return True
    return False
