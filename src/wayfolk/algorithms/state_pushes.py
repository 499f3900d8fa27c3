"""Priority inheritance where agents are not points on a square grid: a move pushes every agent in its way.

An agent's state is a node. A node occupies places, and a move or a wait occupies places while it lasts. An agent that
makes a move pushes all undecided agents that cannot stay then: those that stand on a place of its next node, and those
whose wait needs a place of the move. One after another they look for a next node, and push others. If one of them finds
none, the choice of the agent that pushed it has failed: all that was decided since is undone, but for the agents that have
found nothing. If such an agent cannot stay, as somebody else on the chain needs one of its places, that one's choice has
failed too.

Points step out of the way in one step. Larger bodies need several, and as long as the agent that pushes goes ahead, they
can only go ahead of it: two that meet would push each other to and fro. So an agent that is pushed and cannot go nearer to
its goal looks for a node beside the way of the agent that pushes it. If there is one, it goes there by the shortest free
way, and the other one waits where that is needed.

Of an agent that stands, `occupant` names it on the places of its node and on those of its wait.

Invariants  of the agents that have decided, no two hold the same place of their next nodes, nor of their moves; `claims`
            are exactly these places. Before and after `settle`, every agent that is undecided can stay, if no moves were
            given to others.
Cost        each failure decides for one agent for good, or one choice of `root` fail: at most agents + moves of a node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.position_swap import is_nearer
from wayfolk.algorithms.priority_inheritance import BODY, choice, has_decided, rules_on, slots, target
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.world.body import POINT
from wayfolk.world.state_graph import StateGraph

STATE_BODY: list[tuple[str, type]] = [
    *[(name, np.int32 if kind is np.uint8 else kind) for name, kind in BODY],  # `choices` is the agent's row of choices
    ("row", np.int32),  # of its move or wait in the table of places
    ("mark", np.int32),  # how many agents had entered a move before it
    ("aside", np.int32),  # the move by which it goes out of the way, or NOWHERE
    ("seen", np.int32),  # how many places of its next node and of its move were looked at for agents to push
]
AHEAD = 24  # steps of the way of an agent that pushes which others leave free
MOST_VISITS = 512  # nodes that are visited to find a way out


class StateMoves(NamedTuple):
    """The moves of a graph of states and the places of nodes and moves, as in `kernels.occupancy.Occupancy`.

    `stand[node]` is the first node of its cell in all headings. `choices` has a row for each agent. The agents that have
    entered a move on the present chain are `entered[1 : 1 + entered[0]]`. `marks` of places and `visits` of nodes are those
    of the last search for a way out if they are equal to `stamp`; `queue` holds its nodes and the moves that it began with.
    `are_points`: all agents are points.
    """

    first: NDArray[np.int32]
    target: NDArray[np.int32]
    node_first: NDArray[np.int32]
    node_places: NDArray[np.int32]
    move_first: NDArray[np.int32]
    move_places: NDArray[np.int32]
    stand: NDArray[np.int32]
    choices: NDArray[np.int32]
    entered: NDArray[np.int32]
    marks: NDArray[np.int64]
    visits: NDArray[np.int64]
    stamp: NDArray[np.int64]
    queue: NDArray[np.int32]
    are_points: bool


def state_moves(states: StateGraph, n_agents: int) -> StateMoves:
    """The moves of `states`, and room for the choices of agents."""
    table = states.occupancy
    most = int(np.diff(table.first).max(initial=0)) + 1
    return StateMoves(
        *table[:-1], stand=states.stand_of, choices=np.zeros((n_agents, most), np.int32),
        entered=np.zeros(n_agents + 1, np.int32), marks=np.zeros(table.n_places, np.int64),
        visits=np.zeros(states.n_cells, np.int64), stamp=np.zeros(1, np.int64),
        queue=np.zeros((MOST_VISITS, 2), np.int32), are_points=states.kinds == (POINT,),
    )  # fmt: skip


def with_agents(nodes: StateMoves, n_agents: int) -> StateMoves:
    """The moves with room for more agents."""
    return nodes._replace(
        choices=np.zeros((n_agents, nodes.choices.shape[1]), np.int32), entered=np.zeros(n_agents + 1, np.int32)
    )


def new_bodies(n_agents: int, fields: list[tuple[str, type]]) -> NDArray[np.void]:
    """Agents that have not decided anything yet, with the fields of STATE_BODY and `fields`."""
    bodies = np.zeros(n_agents, np.dtype([*STATE_BODY, *fields], align=True))
    bodies["choices"] = np.arange(n_agents)
    return bodies


@inner
def stand_at(nodes, occupant, agent, node):
    """Put `agent` on `node`; or take it away, if `agent` is NOBODY."""
    for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
        occupant[nodes.node_places[at]] = agent
    wait = nodes.target.size + node
    for at in range(nodes.move_first[wait], nodes.move_first[wait + 1]):
        occupant[nodes.move_places[at]] = agent


@kernel
def claim(nodes, claims, node, row, step):
    """Let the places of `node` and of the move `row` be taken for `step`."""
    for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
        claims[nodes.node_places[at]] = step
    for at in range(nodes.move_first[row], nodes.move_first[row + 1]):
        claims[nodes.move_places[at]] = step


@inner
def are_free(nodes, claims, node, row, step):
    """Whether no place of `node` and of the move `row` is taken for `step`."""
    for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
        if claims[nodes.node_places[at]] >= step:
            return False
    is_open = True
    for at in range(nodes.move_first[row], nodes.move_first[row + 1]):
        is_open = is_open and claims[nodes.move_places[at]] < step
    return is_open


@inner
def _row(nodes, here, k):
    """The row of move `k` from `here`."""
    edge = nodes.first[here] + k
    return np.int64(nodes.target.size + here if edge == nodes.first[here + 1] else edge)


def _target(nodes, here, k):
    edge = nodes.first[here] + k
    return here if edge == nodes.first[here + 1] else np.int64(nodes.target[edge])


def _slots(nodes, here):
    return nodes.first[here + 1] - nodes.first[here]


def _exit(nodes, here, k):
    return nodes.target[nodes.first[here] + k]


def _stander(nodes, party, node):
    for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
        other = party.occupant[nodes.node_places[at]]
        if other != NOBODY:
            return other
    return NOBODY


def _is_clear(nodes, party, here, k, there, other):
    if there != here and k == nodes.first[here + 1] - nodes.first[here]:  # there is no such move
        return False
    return are_free(nodes, party.claims, there, _row(nodes, here, k), party.step[0])


def _is_held(nodes, party, node):
    for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
        if party.claims[nodes.node_places[at]] >= party.step[0]:
            return True
    return False


def _hold(nodes, party, agent, node):
    body = party.bodies[agent]
    here = np.int64(body["here"])
    row = np.int64(nodes.target.size + here)
    if node != here:
        row = np.int64(nodes.first[here])
        while row < nodes.first[here + 1] and nodes.target[row] != node:
            row += 1
    body["decided"], body["next"], body["row"] = party.step[0], node, row
    claim(nodes, party.claims, np.int64(node), row, party.step[0])


def _enter(nodes, party, agent, k, there):
    body = party.bodies[agent]
    row = _row(nodes, np.int64(body["here"]), k)
    body["next"], body["row"], body["mark"], body["seen"] = there, row, nodes.entered[0], 0
    claim(nodes, party.claims, there, row, party.step[0])
    nodes.entered[0] += 1
    nodes.entered[nodes.entered[0]] = agent


def _next_pushed(nodes, party, root, agent, other):
    """Whoever has pushed all agents in its way lets the agent that pushed it go on."""
    pusher = np.int64(agent)
    while True:
        body = party.bodies[pusher]
        node, row, seen = np.int64(body["next"]), np.int64(body["row"]), np.int64(body["seen"])
        begin, n = np.int64(nodes.node_first[node]), np.int64(nodes.node_first[node + 1] - nodes.node_first[node])
        begin_row = np.int64(nodes.move_first[row])
        n_all = n + nodes.move_first[row + 1] - begin_row
        while seen < n_all:
            place = nodes.node_places[begin + seen] if seen < n else nodes.move_places[begin_row + seen - n]
            pushed = np.int64(party.occupant[place])
            seen += 1
            if pushed != NOBODY and not has_decided(party, pushed):
                body["seen"] = seen
                return pusher, pushed
        body["seen"] = seen
        if pusher == root:
            nodes.entered[0] = 0
            return pusher, np.int64(NOBODY)
        pusher = np.int64(body["parent"])


def _give_up(nodes, party, root, agent):
    """Choices fail from the agent that pushed this one back to the last that needs one of its places."""
    body, step = party.bodies[agent], party.step[0]
    node = np.int64(body["here"])
    row = np.int64(nodes.target.size + node)
    pusher = np.int64(agent)
    while True:
        is_root = pusher == root
        if pusher != agent or is_root:
            _undo(nodes, party, pusher)
        if is_root or (pusher != agent and are_free(nodes, party.claims, node, row, step)):
            break
        if pusher != agent:
            party.bodies[pusher]["decided"] = 0
        pusher = np.int64(party.bodies[pusher]["parent"])
    body["decided"], body["next"], body["row"] = 0, node, row
    if are_free(nodes, party.claims, node, row, step):
        if agent != root:
            _go_aside(nodes, party, agent)
        body["decided"] = step
        claim(nodes, party.claims, np.int64(body["next"]), np.int64(body["row"]), step)
    if pusher == agent:
        nodes.entered[0] = 0
        return np.int64(NOBODY)
    return pusher


@inner
def _undo(nodes, party, pusher):
    """Give up the move of `pusher`, if it has entered one, and those of all agents that have entered one after it."""
    body = party.bodies[pusher]
    if body["next"] == NOWHERE:
        return
    for at in range(body["mark"], nodes.entered[0]):
        other = party.bodies[nodes.entered[at + 1]]
        claim(nodes, party.claims, np.int64(other["next"]), np.int64(other["row"]), 0)
        other["decided"], other["next"] = 0, NOWHERE
    nodes.entered[0] = body["mark"]
    body["decided"] = party.step[0]


def _step_aside(nodes, party, agent):
    """If the choices of a pushed agent are all bad, but there is a way out, let that be its only choice."""
    body = party.bodies[agent]
    body["aside"] = NOWHERE
    if nodes.are_points or body["parent"] == NOBODY:
        return
    here = np.int64(body["here"])
    for rank in range(body["n_choices"]):
        k = choice(nodes, body, rank)
        there = np.int64(target(nodes, here, k))
        if there != here and is_nearer(party, agent, there, here):
            if are_free(nodes, party.claims, there, _row(nodes, here, k), party.step[0]):
                return
    _mark_way(nodes, party, np.int64(body["parent"]))
    k = _way_out(nodes, party, agent)
    if k != NOWHERE:
        body["aside"] = k
        nodes.choices[body["choices"], 0] = k
        body["n_choices"] = 1


@inner
def _mark_way(nodes, party, pusher):
    """Mark the places on the way that `pusher` has ahead of it."""
    nodes.stamp[0] += 1
    node = np.int64(party.bodies[pusher]["next"])
    for _ in range(AHEAD):
        for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
            nodes.marks[nodes.node_places[at]] = nodes.stamp[0]
        before = node
        for k in range(slots(nodes, before)):
            there = np.int64(target(nodes, before, k))
            if is_nearer(party, pusher, there, before):
                node = there
                break
        if node == before:
            break


@inner
def _way_out(nodes, party, agent):
    """The first move of a shortest way of `agent`, by free nodes, to one without a mark; NOWHERE if none is near."""
    body, queue, stamp = party.bodies[agent], nodes.queue, nodes.stamp[0]
    here = np.int64(body["here"])
    nodes.visits[here] = stamp
    used = 0
    for rank in range(body["n_choices"]):
        k = choice(nodes, body, rank)
        there = np.int64(target(nodes, here, k))
        if there != here and used < MOST_VISITS:
            queue[used, 0], queue[used, 1] = there, k
            nodes.visits[there] = stamp
            used += 1
    done = 0
    while done < used:
        node, k = np.int64(queue[done, 0]), queue[done, 1]
        done += 1
        n_others, n_marked = _in_the_way(nodes, party.occupant, agent, node)
        if n_others > 0:
            continue
        if n_marked == 0:
            return k
        for j in range(slots(nodes, node)):
            there = np.int64(target(nodes, node, j))
            if nodes.visits[there] != stamp and used < MOST_VISITS:
                nodes.visits[there] = stamp
                queue[used, 0], queue[used, 1] = there, k
                used += 1
    return np.int32(NOWHERE)


@inner
def is_crowded(nodes, occupant, agent, node):
    """Whether others than `agent` stand on a place of `node`."""
    for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
        other = occupant[nodes.node_places[at]]
        if other != NOBODY and other != agent:
            return True
    return False


@inner
def _in_the_way(nodes, occupant, agent, node):
    """On how many places of `node` others than `agent` stand, and how many have a mark."""
    n_others = n_marked = 0
    for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
        place = nodes.node_places[at]
        if occupant[place] != NOBODY and occupant[place] != agent:
            n_others += 1
        if nodes.marks[place] == nodes.stamp[0]:
            n_marked += 1
    return n_others, n_marked


@inner
def _go_aside(nodes, party, agent):
    """Let `agent`, which stays otherwise, go out of the way, if it can and nobody has to move for that."""
    body = party.bodies[agent]
    k = body["aside"]
    if k == NOWHERE:
        return
    here = np.int64(body["here"])
    there, row = np.int64(target(nodes, here, k)), _row(nodes, here, k)
    if are_free(nodes, party.claims, there, row, party.step[0]) and _is_empty(nodes, party.occupant, agent, there, row):
        body["next"], body["row"] = there, row


@inner
def _is_empty(nodes, occupant, agent, node, row):
    """Whether nobody but `agent` stands on a place of `node`, or waits on one of the move `row`."""
    if is_crowded(nodes, occupant, agent, node):
        return False
    for at in range(nodes.move_first[row], nodes.move_first[row + 1]):
        other = occupant[nodes.move_places[at]]
        if other != NOBODY and other != agent:
            return False
    return True


def _choose(nodes, body, keys, n):
    row = nodes.choices[body["choices"]]
    for rank in range(n):
        row[rank] = keys[rank] & 65535
    body["n_choices"] = n


def _choice(nodes, body, rank):
    return np.int64(nodes.choices[body["choices"], rank])


rules_on(
    StateMoves, target=_target, slots=_slots, exit_by=_exit, stay=_slots, stander=_stander, is_clear=_is_clear,
    is_held=_is_held, hold=_hold, enter=_enter, next_pushed=_next_pushed, give_up=_give_up,
    step_aside=_step_aside, choose=_choose, choice=_choice,
)  # fmt: skip
