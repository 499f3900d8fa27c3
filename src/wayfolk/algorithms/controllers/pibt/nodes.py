"""PIBT in other worlds and for other bodies than points on a square grid: the next node of every agent.

The order of priority and the pushes are those of points. Distances are in steps: a breadth-first search back from each
agent's goal, which goes on when a distance is needed. All of them begin again, each when its agent plans next, when the
world has changed, or an agent has finished for good: such an agent is a wall.

Invariants  after a decision, no two agents hold the same place of their next nodes, nor of their moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
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
from wayfolk.algorithms.state_pushes import StateMoves, in_the_way, new_bodies, stand_at, state_moves
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crew import asked, report, wait
from wayfolk.kernels.distances import DONE, FIRST, USED, StepFields, begin, steps_between
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.random import new_random, next_word
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem
from wayfolk.world.spots import new_fields

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

FIELDS: list[tuple[str, type]] = [
    ("partner", np.int32),  # the agent with which it changes places
    ("goal", np.int32),
    ("counted", np.int32),  # nodes of its search that were reported
    ("epoch", np.int64),  # of its search
    ("busy", np.bool_),  # does not decide now
    ("fresh", np.bool_),  # has arrived
    ("parked", np.bool_),  # has finished for good
]


class NodeParty(NamedTuple):
    """What `priority_inheritance` and `position_swap` read. Nodes in `shut` are those that agents block for good.

    `rests`: agents stay on their goals. `epoch` counts the changes of `shut`.
    """

    nodes: StateMoves
    bodies: NDArray[np.void]
    occupant: NDArray[np.int32]
    claims: NDArray[np.int64]
    step: NDArray[np.int64]
    is_strict: bool
    goals: NDArray[np.int32]
    fields: StepFields
    order: NDArray[np.int32]
    later: NDArray[np.int32]
    keys: NDArray[np.int64]
    luck: NDArray[np.uint64]
    shut: NDArray[np.bool_]
    epoch: NDArray[np.int64]
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
        bodies["goal"] = self.goals
        self.arrays = NodeParty(
            nodes=nodes,
            bodies=bodies,
            occupant=np.full(n_places, NOBODY, np.int32),
            claims=np.zeros(n_places, np.int64),
            step=np.zeros(1, np.int64),
            is_strict=False,
            goals=self.goals,
            fields=new_fields(states, states.stand_of[view.goals], view.memory),
            order=self.order,
            later=np.zeros(n, np.int32),
            keys=np.zeros(nodes.choices.shape[1], np.int64),
            luck=self.luck,
            shut=np.zeros(states.n_cells, np.bool_),
            epoch=np.ones(1, np.int64),
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
        spent = party.fields.queue[number, DONE] - body["counted"]
        if spent > 0:
            report(crew, number, spent)
            body["counted"] += spent
    return numbers.size


planned_by(NodeParty, _plan_routes)


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
    party.epoch[0] += 1
    nodes = party.nodes
    for node in range(party.shut.size):
        party.shut[node] = False
        for at in range(nodes.node_first[node], nodes.node_first[node + 1]):
            other = party.occupant[nodes.node_places[at]]
            if other != NOBODY and party.bodies[other]["parked"]:
                party.shut[node] = True


@inner
def _aim(party, crew, number):
    """See an agent's goal; one that has another, or has arrived, loses its priority."""
    body, goal = party.bodies[number], party.nodes.stand[crew.agents[number]["goal"]]
    if body["goal"] != goal:
        body["fresh"] = body["goal"] != NOWHERE
        body["goal"] = party.goals[number] = goal
        body["epoch"] = 0
    elif party.nodes.stand[body["here"]] == goal:
        body["fresh"] = True
    if body["epoch"] != party.epoch[0]:
        body["epoch"], body["counted"] = party.epoch[0], 0
        _restart(party, number, np.int64(goal))


@inner
def _restart(party, number, goal):
    """Begin the search of an agent again; walls have a distance that is too large, so that it does not go there."""
    fields, stand = party.fields, party.nodes.stand
    width = 1
    while goal + width < stand.size and stand[goal + width] == goal:
        width += 1
    steps, queue = fields.steps[number], fields.queue[number]
    queue[USED] = begin(steps, queue[FIRST:], np.int32(goal), width, fields.far)
    queue[DONE] = 0
    for node in range(party.shut.size):
        if party.shut[node] and steps[node] == fields.far:
            steps[node] = fields.far - 1


@inner
def _left(party, agent, node):
    """The distance from `node` to the goal of `agent`, NOWHERE if there is no way."""
    left = steps_between(party.fields, agent, node)
    return np.int64(NOWHERE) if left >= party.fields.far - 1 else np.int64(left)


def _prefer(party, agent):
    """Sort the choices of an agent: the nearest to its goal first, empty ones before others, ties at random.

    An agent that cannot reach its goal stays, unless it is pushed.
    """
    nodes, body, keys = party.nodes, party.bodies[agent], party.keys
    here = np.int64(body["here"])
    n, n_moves = 0, slots(nodes, here)
    is_lost = _left(party, agent, here) == NOWHERE
    for k in range(n_moves + 1):
        there = np.int64(target(nodes, here, k))
        left = np.int64(0) if is_lost else _left(party, agent, there)
        if left == NOWHERE:
            continue
        if k < n_moves or not (is_lost or nodes.stand[here] == body["goal"]):
            left += 1
        key = (left << 1) + (in_the_way(nodes, party.occupant, agent, there)[0] > 0)
        sort_in(keys, n, (((key << 7) + np.int64(next_word(party.luck) >> np.uint64(57))) << 16) + k)
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


def _may_move(party, root, agent, k, there, other):
    return True


pushes(NodeParty, _prefer, _may_move)


def _is_nearer(party, agent, one, other):
    return _left(party, agent, one) < _left(party, agent, other)


def _follow(party, agent, there):
    body = party.bodies[agent]
    if not body["busy"] and not has_decided(party, agent):
        here = np.int64(body["here"])
        if is_clear(party.nodes, party, here, move_to(party, here, there), there, NOBODY):
            take(party, agent, there)


swaps(NodeParty, _is_nearer, _follow)
