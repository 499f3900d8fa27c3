"""PIBT in other worlds and for other bodies than points on a square grid: the next node of every agent.

The order of priority and the pushes are those of points. Distances are in steps (see `node_fields`). All of them
begin again, each when its agent plans next, when the world has changed, or an agent has finished for good: such an agent
is a wall.

Invariants  after a decision, no two agents hold the same place of their next nodes, nor of their moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers.pibt.fields import (
    EPOCH,
    EXPANDED,
    NONE,
    borrow,
    give_back,
    is_stale,
    release,
    restart,
)
from wayfolk.algorithms.controllers.pibt.node_fields import NodeFields, distance, new_node_fields
from wayfolk.algorithms.controllers.pibt.steps import rank
from wayfolk.algorithms.position_swap import partner_of, pull, swaps
from wayfolk.algorithms.priority_inheritance import (
    choice,
    choose,
    has_decided,
    is_clear,
    move_to,
    pushes,
    settle,
    slots,
    sort_in,
    take,
    target,
)
from wayfolk.algorithms.state_pushes import StateMoves, is_crowded, new_bodies, stand_at, state_moves
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crew import asked, report, wait
from wayfolk.kernels.field_store import value
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.random import new_random, next_word
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

FIELDS: list[tuple[str, type]] = [
    ("partner", np.int32),  # the agent with which it changes places
    ("goal", np.int32),
    ("field", np.int32),  # the row of its goal's distances, or NONE
    ("spent", np.int32),  # nodes expanded for it that were not reported
    ("busy", np.bool_),  # does not decide now
    ("fresh", np.bool_),  # has arrived
    ("parked", np.bool_),  # has finished for good
]


class NodeParty(NamedTuple):
    """What `priority_inheritance` and `position_swap` read; `rests`: agents stay on their goals."""

    nodes: StateMoves
    bodies: NDArray[np.void]
    occupant: NDArray[np.int32]
    claims: NDArray[np.int64]
    step: NDArray[np.int64]
    is_strict: bool
    goals: NDArray[np.int32]
    fields: NodeFields
    order: NDArray[np.int32]
    later: NDArray[np.int32]
    keys: NDArray[np.int64]
    luck: NDArray[np.uint64]
    rests: bool


class NodePibt(Controller):
    """All agents with a next node."""

    lookahead = 1

    def __init__(self, problem: Problem, seed: int) -> None:
        super().__init__(problem.n_agents)
        self.rests, self.luck = problem.is_one_shot, new_random(seed)
        self.order = np.arange(problem.n_agents, dtype=np.int32)
        self.goals = np.full(problem.n_agents, NOWHERE, np.int32)

    def prepare(self, view: View) -> None:
        """Begin without distances; the order of priority stays."""
        states, n = view.states, len(view.here)
        assert not hasattr(states, "legal")
        nodes, n_places = state_moves(states, n), states.occupancy.n_places
        bodies = new_bodies(n, FIELDS)
        bodies["goal"], bodies["field"] = self.goals, NONE
        self.arrays = NodeParty(
            nodes=nodes,
            bodies=bodies,
            occupant=np.full(n_places, NOBODY, np.int32),
            claims=np.zeros(n_places, np.int64),
            step=np.zeros(1, np.int64),
            is_strict=False,
            goals=self.goals,
            fields=new_node_fields(states, n, view.memory),
            order=self.order,
            later=np.zeros(n, np.int32),
            keys=np.zeros(nodes.choices.shape[1], np.int64),
            luck=self.luck,
            rests=self.rests,
        )

    def update(self, view: View, change: Change) -> None:
        """Make room for agents that have joined, and see a world that has changed."""
        n, n_old = len(view.here), len(self.order)
        if n > n_old:
            self.order, self.goals = with_rows(self.order, n), with_rows(self.goals, n)
            self.order[n_old:], self.goals[n_old:] = np.arange(n_old, n), NOWHERE
        if n > n_old or change.cells.size:
            self.prepare(view)
        bodies = self.arrays.bodies
        for agent in change.agents[~view.present[change.agents]].tolist():
            if bodies[agent]["field"] != NONE:
                release(self.arrays.fields, int(bodies[agent]["field"]))
                bodies[agent]["field"] = NONE

    def remember(self, memory: Memory) -> None:
        """Priorities, and goals; distances are searched again when they are needed."""
        memory.permutation("order", self.order)
        memory.luck("luck", self.luck)
        memory.numbers("goals", self.goals, memory.cells_or_none)
        self.arrays.bodies["goal"] = self.goals


def _plan_routes(party, crew, log, now):
    """Decide for all asked agents; return how many have a route."""
    bodies, agents, numbers = party.bodies, crew.agents, asked(crew)
    party.step[0] += 1
    for number in range(agents.size):
        bodies[number]["here"], bodies[number]["busy"] = agents[number]["here"], True
        if agents[number]["present"]:
            stand_at(party.nodes, party.occupant, np.int64(number), np.int64(agents[number]["here"]))
    _park(party, crew)
    for number in numbers:
        bodies[number]["busy"] = False
        _aim(party, crew, number)
    rank(party, party.later)
    for number in range(agents.size):
        if agents[number]["present"] and bodies[number]["busy"]:
            take(party, number, agents[number]["here"])
            if crew.answers[number]["at"] < crew.answers[number]["n_route"]:
                take(party, number, crew.route[number, crew.answers[number]["at"]])
    _touch(party, crew)
    for place in range(party.order.size):
        agent = party.order[place]
        if bodies[agent]["busy"] or has_decided(party, agent):
            continue
        last = settle(party, agent)
        if last != NOBODY:
            pull(party, agent, last)
    for number in range(agents.size):
        if agents[number]["present"]:
            stand_at(party.nodes, party.occupant, NOBODY, np.int64(agents[number]["here"]))
    for number in numbers:
        body = bodies[number]
        wait(crew, number, 1)
        crew.route[number, 0] = body["next"]
        if body["spent"] > 0:
            report(crew, number, body["spent"])
            body["spent"] = 0
    return numbers.size


planned_by(NodeParty, _plan_routes)


@inner
def _touch(party, crew):
    """Read the distances around all agents that decide: many reads from memory at once, before they are needed."""
    nodes, store, total = party.nodes, party.fields.store, np.int64(0)
    for number in asked(crew):
        body = party.bodies[number]
        here = np.int64(body["here"])
        for k in range(nodes.first[here], nodes.first[here + 1]):
            total += value(store, body["field"], np.int64(nodes.target[k]))
    party.keys[0] = total


@inner
def _park(party, crew):
    """Let the nodes be shut of which agents that have finished for good hold a place."""
    has_changed = False
    for number in range(crew.agents.size):
        parked = crew.agents[number]["done"] and crew.agents[number]["present"]
        has_changed |= parked != party.bodies[number]["parked"]
        party.bodies[number]["parked"] = parked
    if not has_changed:
        return
    nodes, shut = party.nodes, party.fields.moves.shut
    party.fields.counts[EPOCH] += 1
    for node in range(shut.size):
        shut[node] = False
        for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
            other = party.occupant[nodes.node_places[at]]
            if other != NOBODY and party.bodies[other]["parked"]:
                shut[node] = True


@inner
def _aim(party, crew, number):
    """See an agent's goal; one that has another, or has arrived, loses its priority."""
    fields, body, goal = party.fields, party.bodies[number], party.nodes.stand[crew.agents[number]["goal"]]
    if body["goal"] != goal:
        body["fresh"] = body["goal"] != NOWHERE
        body["goal"] = party.goals[number] = goal
        if body["field"] != NONE:
            give_back(fields, body["field"])
            body["field"] = NONE
    elif party.nodes.stand[body["here"]] == goal:
        body["fresh"] = True
    if body["field"] == NONE:
        body["field"] = borrow(fields, goal, body["here"])
    if is_stale(fields, body["field"]):
        restart(fields, body["field"], body["here"])


def _prefer(party, agent):
    """Sort the choices of an agent: the nearest to its goal first, empty ones before others, ties at random.

    An agent that cannot reach its goal stays, unless it is pushed.
    """
    nodes, body, keys = party.nodes, party.bodies[agent], party.keys
    here = np.int64(body["here"])
    n, n_moves, word = 0, slots(nodes, here), np.uint64(0)
    fields, field, before = party.fields, body["field"], party.fields.counts[EXPANDED]
    is_lost = distance(fields, field, here) == NOWHERE
    for k in range(n_moves + 1):
        word = next_word(party.luck) if k % 9 == 0 else word >> np.uint64(7)
        there = np.int64(target(nodes, here, k))
        left = np.int64(0) if is_lost else distance(fields, field, there)
        if left == NOWHERE:
            continue
        if k < n_moves or not (is_lost or nodes.stand[here] == body["goal"]):
            left += 1
        key = (left << 1) + is_crowded(nodes, party.occupant, agent, there)
        sort_in(keys, n, (((key << 7) + np.int64(word & np.uint64(127))) << 16) + k)
        n += 1
    choose(nodes, body, keys, n)
    body["partner"] = NOBODY
    best = np.int64(target(nodes, here, choice(nodes, body, 0)))
    if party.rests and nodes.are_points and best != here:
        body["partner"] = partner_of(party, agent, here, best, True)
    if body["partner"] != NOBODY:
        for place in range(n):
            keys[place] = choice(nodes, body, n - 1 - place)
        choose(nodes, body, keys, n)
    body["spent"] += fields.counts[EXPANDED] - before


def _may_move(party, root, agent, k, there, other):
    return True


pushes(NodeParty, _prefer, _may_move)


def _is_nearer(party, agent, one, other):
    field = party.bodies[agent]["field"]
    if field == NONE:
        return False
    return distance(party.fields, field, one) < distance(party.fields, field, other)


def _follow(party, agent, there):
    body = party.bodies[agent]
    if not body["busy"] and not has_decided(party, agent):
        here = np.int64(body["here"])
        if is_clear(party.nodes, party, here, move_to(party, here, there), there, NOBODY):
            take(party, agent, there)


swaps(NodeParty, _is_nearer, _follow)
