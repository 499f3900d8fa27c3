"""PIBT: everybody takes the best next cell in order of impatience, and whoever stands there is pushed on.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding",
2022; guidance: Zhang, Jiang, Bhatt, Nikolaidis and Li, "Guidance graph optimization for lifelong multi-agent path
finding", 2024; learned lanes: Jansen, "Direction Maps", 2008.

Finds    the next cell for all agents at once, from one step to the next. On maps where every move lies on a cycle each
         agent reaches its goal, though not all of them stand on theirs at the same time.
Keeps    in the `steps` time model no move of ours is refused. The agent that has waited longest for its goal keeps the
         highest priority until it gets there or is stopped at a bridge, and on a cycle it is never held up.
Takes    a few cells for each agent and step; a distance field for each goal in use, grown as far as it is asked about.
         Fields are kept for the next one who goes there, in 256 MB or what the agents need, whichever is more.
Differs  two that meet where they cannot pass change places by the swap of LaCAM (Okumura 2023): everywhere if goals are
         for staying, else at bridges only, so that it keeps nobody from a goal elsewhere; who cannot cross a bridge
         because all is full beyond loses its priority. A wait costs a step. Whoever has finished for good is a wall.
         Where actions take as long as they are far, somebody who is still moving is asked to make way and does so when
         its turn comes, and rings do not turn; nothing is promised there.

`guidance` says what distances are made of. "criss_cross": lanes to the east in even rows and to the west in odd ones, to
the north in even columns and to the south in odd ones; a step costs 1 along them and 2 otherwise. "directions": the cells
that agents leave and enter learn their direction at the rate `alpha`, and a move costs up to `w_max` more against it;
every so many steps (`every`) prices are read anew, and fields searched again, at most `effort` cells in a step.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.controllers import Controller, View
from wayfolk.controllers._guidance import FINE, criss_cross, dearest, plain, reprice
from wayfolk.directions import DirectionMap
from wayfolk.errors import BadInput
from wayfolk.kernels import bridges, guided_fields, pibt
from wayfolk.kernels.crew import N_ASKED, note
from wayfolk.kernels.directions import Lanes, learn
from wayfolk.kernels.guided_fields import EPOCH, EXPANDED, NONE
from wayfolk.kernels.jit import inner
from wayfolk.kernels.mind import thinking
from wayfolk.kernels.random import new_random
from wayfolk.problem import Problem
from wayfolk.record import THOUGHT

PAPER = "Okumura et al. 2022; Zhang et al. 2024; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "all"

TURN, ROUNDS = range(2)  # places in `counts`


def begin(
    problem: Problem,
    *,
    seed: int = 0,
    guidance: Literal["none", "criss_cross", "directions"] = "none",
    w_max: float = 4.0,
    alpha: float = 0.3,
    every: int = 20,
    effort: int = 50_000,
) -> Controller:
    """Agents that push each other along; `seed` decides between cells that are equally good.

    `w_max`, `alpha` and `every` are for the guidance by "directions".
    """
    if not 0.0 <= w_max <= 100.0:
        raise BadInput(f"w_max must be from 0 to 100, not {w_max}")
    if every < 1:
        raise BadInput(f"every must be 1 step or more, not {every}")
    if effort < 1:
        raise BadInput(f"effort must be 1 cell or more, not {effort}")
    return Pushing(problem, guidance, seed, w_max, DirectionMap(problem.grid, alpha), every, effort)


class Pushing(Controller):
    """Everyone with a next cell; `map` is what was learned."""

    lookahead = 1

    def __init__(
        self, problem: Problem, guidance: str, seed: int, w_max: float, lanes: DirectionMap, every: int, effort: int
    ) -> None:
        super().__init__(problem.n_agents)
        self.guidance, self.w_max, self.map, self.every, self.effort = guidance, w_max, lanes, every, effort
        self.rests = problem.is_one_shot
        self.luck = new_random(seed)
        self.order = np.arange(problem.n_agents, dtype=np.int32)

    def prepare(self, view: View) -> None:
        """Begin anew with the map and the agents as they are; who has waited for long is still first."""
        grid, n, lasts = view.grid, len(view.here), view.crew.lasts
        learns = self.guidance == "directions"
        prices = criss_cross(grid, lasts[4]) if self.guidance == "criss_cross" else plain(grid, lasts[4])
        base = prices[0].copy()
        fields = guided_fields.new_guided_fields(grid, n, prices, dearest(prices, self.w_max if learns else 0.0))
        self.order = np.concatenate([self.order, np.arange(len(self.order), n, dtype=np.int32)])
        push = pibt.new_push(
            fields, bridges.new_bridges(grid), self.order, self.luck, bool(lasts[4] == lasts[0]), self.rests, FINE
        )
        bridges.find_bridges(push.bridges, grid.legal, grid.offsets, fields.shut)
        self.mind = PushMind(
            push, np.zeros(n, np.int32), self.map.lanes._replace(graph=grid.graph), base, np.zeros(2, np.int64),
            float(self.w_max), self.every, self.effort, learns,
        )  # fmt: skip

    def decide(self, view: View) -> None:
        """Never needed: the mind has room for everything."""
        raise AssertionError("a mind that never runs out of room has asked for some")


class PushMind(NamedTuple):
    """Who pushes whom, and the lanes if any are learned; `base` are the prices of moves without lanes."""

    push: pibt.Push
    later: NDArray[np.int32]
    lanes: Lanes
    base: NDArray[np.int32]
    counts: NDArray[np.int64]
    w_max: float
    every: int
    effort: int
    learns: bool


def _think(mind, crew, log, now):
    """Decide for all who ask."""
    push, agents, n_asked = mind.push, crew.agents, crew.counts[N_ASKED]
    bodies = push.bodies
    _park(push, crew)
    if mind.learns:
        _learn(mind, crew, now)
    for k in range(n_asked):
        number = crew.asked[k]
        _aim(push, number, agents[number]["here"], agents[number]["goal"])
    _refresh(mind, crew)
    _rank(push, mind.later)
    pibt.decide(push, crew, now)
    for k in range(n_asked):
        number = crew.asked[k]
        body = bodies[number]
        crew.route[number, 0] = body["next"]
        agents[number]["n_route"] = 1
        if body["spent"] > 0:
            note(log, crew.counts, now, number, THOUGHT, body["spent"])
            body["spent"] = 0
    return n_asked


thinking(PushMind, _think)


@inner
def _park(push, crew):
    """Whoever has finished for good has become a wall."""
    fields, agents = push.fields, crew.agents
    parked = False
    for number in range(agents.size):
        agent = agents[number]
        if agent["done"] and agent["present"] and not fields.shut[agent["here"]]:
            fields.shut[agent["here"]] = 1
            parked = True
    if parked:
        bridges.find_bridges(push.bridges, fields.legal, fields.offsets, fields.shut)
        fields.counts[EPOCH] += 1


@inner
def _learn(mind, crew, now):
    """Learn from the moves that were made, and look at what they have changed now and then."""
    bodies, fields = mind.push.bodies, mind.push.fields
    for k in range(crew.counts[N_ASKED]):
        number = crew.asked[k]
        was, here = bodies[number]["was"], crew.agents[number]["here"]
        if was != NONE and was != here:
            learn(mind.lanes, was, here, 1.0, now)
        bodies[number]["was"] = here
    mind.counts[ROUNDS] += 1
    if mind.counts[ROUNDS] % mind.every == 0:
        reprice(fields.prices, mind.base, fields.legal, mind.lanes.graph, mind.lanes.cells, crew.occupant, mind.w_max)
        fields.counts[EPOCH] += 1


@inner
def _aim(push, number, here, goal):
    """Find the field of an agent's goal; who has arrived has no more priority."""
    body, fields = push.bodies[number], push.fields
    if body["goal"] != goal:
        if body["row"] != NONE:
            guided_fields.give_back(fields, body["row"])
            body["fresh"] = True
        body["goal"] = goal
        body["row"] = guided_fields.borrow(fields, goal)
    elif here == goal:
        body["fresh"] = True


@inner
def _refresh(mind, crew):
    """Search fields again whose prices have changed, one agent after another, as far as the effort reaches."""
    push, fields = mind.push, mind.push.fields
    stop = fields.counts[EXPANDED] + mind.effort
    for _ in range(push.order.size):
        if fields.counts[EXPANDED] >= stop:
            return
        number = mind.counts[TURN]
        mind.counts[TURN] = (number + 1) % push.order.size
        body = push.bodies[number]
        if body["row"] != NONE and guided_fields.is_stale(fields, body["row"]):
            before = fields.counts[EXPANDED]
            guided_fields.restart(fields, body["row"])
            guided_fields.distance(fields, body["row"], crew.agents[number]["here"])
            body["spent"] += fields.counts[EXPANDED] - before


@inner
def _rank(push, later):
    """Put whoever has just arrived behind all others."""
    n = n_later = 0
    for k in range(push.order.size):
        agent = push.order[k]
        if push.bodies[agent]["fresh"]:
            push.bodies[agent]["fresh"] = False
            later[n_later] = agent
            n_later += 1
        else:
            push.order[n] = agent
            n += 1
    for k in range(n_later):
        push.order[n + k] = later[k]
