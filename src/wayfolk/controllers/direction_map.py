"""Direction maps: agents remember which way everybody goes, and going against that costs them.

Jansen, "Multi-agent pathfinding with direction maps", 2008; Jansen and Sturtevant, "Direction maps for cooperative
pathfinding", 2008.

Each cell has a vector that moves by `alpha` towards the direction of whoever leaves or enters the cell. Agents plan by A*
where an edge costs up to `w_max` more the less it goes with the vectors at its ends: lanes form.

Finds    a cheapest path for each agent on its own, with agents nearer than `radius` as walls. Nothing is promised for all
         of them: agents can block each other for ever.
Keeps    the map that is planned with has learned every move made so far. No edge is cheaper than it is long, so that A*
         with the octile guess finds cheapest paths.
Takes    one A* for each agent at the start, after each refused move and at each new goal. 32 bytes for a cell; with
         `local` 32 to 40 bytes for each cell an agent has seen.
Differs  an occupied goal is planned for like a free one, and the agent then waits beside it, stepping aside every other
         time. With `sector`, agents who
         stand on cells of the next region are walls as elsewhere, so that two of them do not wait for each other; the
         skip of figure 3.13 follows after a refused move all the same. A path to the goal itself is not cut. Searches in a
         jam are given up early (see `_dm_sectors`).
"""

from typing import Any, Literal

from wayfolk.controllers import Controller, View
from wayfolk.controllers._dm_mind import (
    WINDOW,
    DirectionMind,
    catch_up,
    check,
    new_mind,
    prepared,
    put_back,
    step_aside,
    view_for,
    with_room,
)
from wayfolk.directions import UNVISITED, DirectionMap
from wayfolk.errors import BadInput
from wayfolk.kernels import best_first
from wayfolk.kernels.best_first import EXPANDED, FOUND, QUEUE_FULL
from wayfolk.kernels.crew import N_ASKED, N_LOG, note
from wayfolk.kernels.directions import is_in_the_way
from wayfolk.kernels.jit import inner
from wayfolk.kernels.mind import thinking
from wayfolk.problem import Problem
from wayfolk.record import THOUGHT
from wayfolk.result import NO_LIMIT

PAPER = "Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "radius"

RESTS = 16  # how long an agent on its goal rests before it looks around again


def begin(
    problem: Problem,
    *,
    seed: int = 0,
    w_max: float = 10.0,
    alpha: float = 0.5,
    radius: float = 5.0,
    weight: float = 1.0,
    alpha_s: float = 0.0,
    around: int = 1,
    fading: float = 1.0,
    rule: Literal["perceptron", "average"] = "perceptron",
    decay: float = 0.0,
    unvisited: Literal["free", "half"] = "free",
    window: float = 0.0,
    local: float = 0.0,
    predict: bool = False,
    rewards: bool = False,
    sector: int = 0,
    refinement: Literal["full", "partial"] = "partial",
    lanes: Literal["cells", "sectors", "both"] = "cells",
    saved: str = "",
) -> Controller:
    """Agents that see others within `radius`; `weight` above 1 plans with weighted A*. Nothing is random.

    `alpha_s`, `around`, `fading`, `rule` and `decay` say how the map learns (see `DirectionMap`); with `rewards` an agent
    teaches it on arrival, more if it came straight and without collisions. An `unvisited` cell costs nothing or half.
    Agents know the map within `window` of where they plan, and cut paths there; or what they have seen within `local` of
    their way; with 0 all of it. If they `predict`, others count as walls only beside them or where the map leads those
    towards them.
    With `sector` cells to a side of a region, paths are planned between regions and refined in `full` or in part; `lanes`
    says what has vectors. `saved` names the file of a map to begin with.
    """
    check(problem)
    rules: dict[str, Any] = {"alpha_s": alpha_s, "around": around, "fading": fading, "rule": rule, "decay": decay}
    if saved:
        made = DirectionMap.load(saved, problem.grid, alpha, **rules)
    else:
        made = DirectionMap(problem.grid, alpha, **rules)
    mind = new_mind(
        problem, made.lanes, w_max=w_max, radius=radius, weight=weight, floor=UNVISITED[unvisited], window=window,
        local=local, predicts=predict, rewards=rewards,
    )  # fmt: skip
    if not sector:
        if lanes != "cells":
            raise BadInput(f"lanes cannot be {lanes!r} without sectors: give the option sector")
        return Laned(problem, made, mind)
    from wayfolk.controllers._dm_sectors import Sectored

    if window:
        raise BadInput(f"window {window} cannot be used with sectors: partial refinement looks ahead as far as they do")
    return Sectored(problem, made, mind, sector, refinement, lanes, w_max)


class Laned(Controller):
    """Everyone with a path of their own along the lanes. `map` is as everybody knew it when somebody last planned."""

    lookahead = 512

    def __init__(self, problem: Problem, learned: DirectionMap, mind: DirectionMind) -> None:
        super().__init__(problem.n_agents)
        self.map = learned
        self.mind = mind

    def prepare(self, view: View) -> None:
        """Look at the map anew."""
        self.mind = prepared(self.mind, view)

    def decide(self, view: View) -> None:
        """Make room."""
        self.mind = with_room(self.mind)


def _think(mind, crew, log, now):
    """Plan for those who ask, one after another; how many could be served before there was no more room."""
    memory, queue, path = mind.memory, mind.queue, mind.path
    room = crew.route.shape[1]
    n_asked = crew.counts[N_ASKED]
    if not catch_up(mind, log, crew.counts[N_LOG], now):
        return 0
    for k in range(n_asked):
        number = crew.asked[k]
        agent = crew.agents[number]
        start, goal = agent["here"], agent["goal"]
        if start == goal:
            crew.route[number, :RESTS] = start
            agent["n_route"] = RESTS
            continue
        crowd = view_for(mind, crew, number, start, goal)
        best_first.seed(crowd, memory, queue, start, goal)
        code = best_first.advance(
            crowd,
            memory,
            queue,
            start,
            goal,
            mind.weight,
            mind.kind,
            mind.per_unit,
            mind.falls,
            False,
            NO_LIMIT,
            path[:0],
        )
        put_back(mind, number, start)
        if code == QUEUE_FULL:
            return k
        note(log, crew.counts, now, number, THOUGHT, memory.counts[EXPANDED])
        n_route = 0
        if code == FOUND:
            length = best_first.trace(memory, start, goal, path) - 1
            # do not run into whoever stands on the goal
            n_route = min(length - 1 if is_in_the_way(crowd, goal) else length, room)
            for step in range(n_route):
                crew.route[number, step] = path[length - 1 - step]
            if n_route == 0:
                n_route = step_aside(crowd, agent, crew.route[number])
            if mind.knows == WINDOW:
                n_route = _cut(mind, crew.route[number], n_route, start)
        if n_route == 0:
            crew.route[number, 0] = start
            n_route = 1
        agent["n_route"] = n_route
    return n_asked


thinking(DirectionMind, _think)


@inner
def _cut(mind, route, n_route, start):
    """How much of a route lies within the window; one step at least."""
    far, stride = mind.far, mind.lanes.graph.stride
    for step in range(1, n_route):
        dy = route[step] // stride - start // stride
        dx = route[step] % stride - start % stride
        if dx * dx + dy * dy > far * far:
            return step
    return n_route
