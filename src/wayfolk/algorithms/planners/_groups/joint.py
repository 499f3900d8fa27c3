"""A* over the places of all agents of a group, with operator decomposition: the agents of a step move one after another.

A standard node has a row: the place of each agent, and whether it has finished. An agent on its goal may finish; it then
never moves again and costs nothing. So waits on the goal are charged to an agent that leaves it later. An intermediate node
adds the move of one more agent to a standard node; moves that collide with those before it are not made. Standard nodes are
found again by a hash table of rows. Intermediate nodes are not: each belongs to one standard node.

Guarantees  with weight 1, a plan of least cost, if there is one; EXHAUSTED if there is none, or none within the limit.
Invariants  f never falls from a node to its successor; a row is expanded once.
Why         costs are those of the agents' steps, h is the sum of exact distances, so f is consistent. The steps of other
            agents that must be avoided are part of a row until the last of them stays on its goal: rows are finitely many.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._groups.joint_moves import (
    JointCells,
    JointStates,
    clear,
    depart,
    enter,
    meeting,
    most_moves,
    move_number,
    n_moves,
    stand,
    target,
)
from wayfolk.algorithms.planners._groups.nodes import (
    EXPANDED,
    N_NODES,
    N_OPEN,
    N_ROWS,
    add_node,
    enter_row,
    row_at,
)
from wayfolk.algorithms.planners._groups.other_paths import is_passed, n_meetings
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOBODY, NOWHERE, RUNNING
from wayfolk.kernels.distances import UNREACHED, StepFields, steps_between
from wayfolk.kernels.table import clear as clear_table

SUM_OF_COSTS, MAKESPAN, SUM_OF_LOSS = range(3)


class JointTeam(NamedTuple):
    """The agents of a group: their numbers in `fields`, their goals, and their moves.

    `places` is for an expansion: the places of the agents after it, as a row of `JointNodes`.
    """

    fields: StepFields
    agents: NDArray[np.int32]
    goals: NDArray[np.int32]
    places: NDArray[np.int32]
    moves: JointCells | JointStates


class JointAims(NamedTuple):
    """`measure` is minimised; h counts `weight` times; no plan costs more than `limit`."""

    measure: int
    weight: int
    limit: int


@kernel
def open_joint(team, starts, hard, aims, nodes):
    """Begin at `starts`, whose distances are known."""
    n, count = team.agents.size, nodes.counts
    count[N_NODES] = count[N_ROWS] = count[N_OPEN] = count[EXPANDED] = 0
    clear_table(nodes.table)
    h, farthest = 0, 0
    for a in range(n):
        left = steps_between(team.fields, team.agents[a], starts[a])
        h += left
        farthest = max(farthest, left)
        team.places[a] = 2 * starts[a]
    row = row_at(nodes, team.places, 0, hard)
    f = farthest if aims.measure == MAKESPAN else aims.weight * h
    enter_row(nodes, row, 0, 0, row, 0)
    add_node(nodes, f, g=0, h=h, meets=0, parent=0, row=row, following=0, mover=0, place=0)


@kernel
def advance_joint(team, hard, soft, aims, nodes, budget):
    """Expand up to `budget` nodes; FOUND: the top of the open list has all agents on their goals."""
    count = nodes.counts
    stop = count[EXPANDED] + budget
    while count[N_OPEN] > 0:
        node, f = nodes.open[0]["item"], nodes.open[0]["f"]
        if f > aims.limit:
            return EXHAUSTED
        if nodes.tree[node]["next"] == 0:
            row = nodes.tree[node]["row"]
            if nodes.rows[row]["node"] != node:  # a better way to the same row was found
                count[N_OPEN] = heap.pop(nodes.open, count[N_OPEN])
                continue
            if _is_end(team, hard, nodes, row):
                return FOUND
        if count[EXPANDED] >= stop:
            return RUNNING
        most = most_moves(team.moves) + 2
        if count[N_NODES] + most > nodes.tree.size or count[N_ROWS] + most > nodes.rows.size:
            return FULL
        count[N_OPEN] = heap.pop(nodes.open, count[N_OPEN])
        count[EXPANDED] += 1
        _unfold(team, nodes, node)
        _expand(team, hard, soft, aims, nodes, node, f)
        _fold(team, nodes, node)
    return EXHAUSTED


@inner
def _is_end(team, hard, nodes, row):
    """Whether all agents are on their goals, and can stay."""
    n = team.agents.size
    for a in range(n):
        node = nodes.places[row, a] >> 1
        if stand(team.moves, node) != team.goals[a] or is_passed(team.moves, hard, node, nodes.rows[row]["step"]):
            return False
    return True


@inner
def _unfold(team, nodes, node):
    """Enter all moves that are decided at `node`."""
    n, row = team.agents.size, nodes.tree[node]["row"]
    for a in range(n):
        place = nodes.places[row, a]
        team.places[a] = place
        depart(team.moves, a, place >> 1)
        if place & 1:
            enter(team.moves, a, place >> 1, place >> 1)
    while nodes.tree[node]["next"] > 0:
        a, place = nodes.tree[node]["mover"], nodes.tree[node]["place"]
        team.places[a] = place
        enter(team.moves, a, nodes.places[row, a] >> 1, place >> 1)
        node = nodes.tree[node]["parent"]


@inner
def _fold(team, nodes, node):
    """Clear these moves again."""
    n, row = team.agents.size, nodes.tree[node]["row"]
    for a in range(n):
        here = nodes.places[row, a] >> 1
        clear(team.moves, here, here)
    while nodes.tree[node]["next"] > 0:
        clear(team.moves, nodes.places[row, nodes.tree[node]["mover"]] >> 1, nodes.tree[node]["place"] >> 1)
        node = nodes.tree[node]["parent"]


@inner
def _expand(team, hard, soft, aims, nodes, node, f):
    """Make a node for each move of the next agent."""
    fields, moves, row = team.fields, team.moves, nodes.tree[node]["row"]
    g, h, meets = nodes.tree[node]["g"], nodes.tree[node]["h"], nodes.tree[node]["meets"]
    a = nodes.tree[node]["next"]
    if a == 0:
        nodes.rows[row]["closed"] = 1
        a = _unfinished(team, 0)
    after_it = _unfinished(team, a + 1)
    here, goal = team.places[a] >> 1, team.goals[a]
    is_home = stand(moves, here) == goal
    step = nodes.rows[row]["step"] + 1
    left = steps_between(fields, team.agents[a], here)
    wait = n_moves(moves, here)
    for k in range(wait + 2):
        finishes = k == wait + 1
        there = target(moves, fields, here, k)
        if there == NOWHERE:
            continue
        if finishes and (aims.measure != SUM_OF_COSTS or not is_home or is_passed(moves, hard, here, step - 1)):
            continue
        move = move_number(moves, here, k)
        if meeting(moves, here, there, move) != NOBODY or n_meetings(moves, hard, here, there, move, step) > 0:
            continue
        ahead = steps_between(fields, team.agents[a], there)
        if ahead == UNREACHED:
            continue
        new_meets = meets + n_meetings(moves, soft, here, there, move, step)
        if finishes and is_passed(moves, soft, here, step):
            new_meets += 1
        rests = is_home and stand(moves, there) == goal
        new_g = g + _price(aims, finishes, rests, after_it == team.agents.size)
        place = 2 * there + finishes
        new_h = h + ahead - left
        new_f = new_g + aims.weight * new_h
        if aims.measure == MAKESPAN:
            new_f = max(f, step + ahead)
        if new_f > aims.limit:
            continue
        following, new_row = after_it, row
        if after_it == team.agents.size:  # all have moved: a standard node, of another row
            was = team.places[a]
            team.places[a] = place
            following, new_row = 0, row_at(nodes, team.places, step, hard)
            team.places[a] = was
            known = nodes.rows[new_row]
            is_better = new_g < known["g"] or (new_g == known["g"] and new_meets < known["meets"])
            if known["closed"] or not is_better:
                continue
            enter_row(nodes, new_row, new_g, new_meets, row, step)
        add_node(
            nodes,
            new_f,
            g=new_g,
            h=new_h,
            meets=new_meets,
            parent=node,
            row=new_row,
            following=following,
            mover=a,
            place=place,
        )


@inner
def _price(aims, finishes, rests, ends_step):
    """What a move adds to the cost; `rests`: it is on its goal before and after it; `ends_step`: all others have moved."""
    if aims.measure == MAKESPAN:
        return np.int32(ends_step)
    return np.int32(not (finishes or (aims.measure == SUM_OF_LOSS and rests)))


@inner
def _unfinished(team, a):
    """The first agent from `a` on that has not finished, or the number of agents."""
    while a < team.agents.size and team.places[a] & 1:
        a += 1
    return a
