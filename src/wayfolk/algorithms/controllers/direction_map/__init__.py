"""Direction maps: agents learn in which direction others move through each cell, and moving against it costs them more.

Jansen, "Multi-agent pathfinding with direction maps", 2008; Jansen and Sturtevant, "Direction maps for cooperative
pathfinding", 2008.

Each cell has a vector that moves by `alpha` towards the direction of every agent that leaves or enters the cell. Agents
plan by A*, where an edge costs up to `w_max` more the less it agrees with the vectors at its ends. So lanes form.

`jansen_direction_map` has the agents of Jansen's simulator, which differ in some details: see docs/direction-maps.md.

Guarantees  a cheapest path for each agent on its own, with agents nearer than `radius` as walls. None for all agents
            together: they can block each other for ever.
Invariants  the map that agents plan with has learned every move made so far. No edge costs less than its length, so that
            A* with the octile heuristic finds cheapest paths.
Cost        one A* for each agent at the start, after each refused move and at each new goal. 32 bytes for each cell; with
            `local` 32 to 40 bytes for each cell that an agent has seen.
Deviations  agents plan for an occupied goal as for a free one. The agent then waits beside it, and steps aside every
            other time. An agent waits while its goal is a wall. With `sector`, agents who stand on cells of the next
            region are walls as elsewhere, so that two of them do not wait for each other; the skip of figure 3.13 follows
            after a refused move all the same. A path to the goal itself is not cut. In a jam, searches end early (see
            `sectors.py`).
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers._alone import find_route, follow, rests_on_goal
from wayfolk.algorithms.controllers.direction_map.planning import (
    IS_PAUSED,
    WINDOW,
    DirectionArrays,
    catch_up,
    check,
    check_ranges,
    first_row,
    forget_rows,
    new_arrays,
    prepared,
    put_back,
    remembered,
    step_aside,
    view_for,
    with_room,
)
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import inner
from wayfolk.errors import BadInput
from wayfolk.kernels.best_first import EXPANDED
from wayfolk.kernels.codes import FOUND, FULL
from wayfolk.kernels.crew import asked, report
from wayfolk.kernels.laned_graphs import is_in_the_way
from wayfolk.kernels.planning import SLICE, planned_by
from wayfolk.problem.problem import Problem
from wayfolk.world.direction_map import UNVISITED, DirectionMap

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

PAPER = "Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "radius"
MODELS = ("steps", "distance", "turns")


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    w_max: Annotated[float, Range(0, 100_000), "Largest extra cost of a move against the vectors."] = 10.0,
    alpha: Annotated[float, Range(0, 1, open="low"), "How far a vector moves towards a new direction."] = 0.5,
    radius: Annotated[float, Range(0), "How far an agent sees others, which are walls to it."] = 5.0,
    weight: Annotated[float, Range(0, 1_000_000), "The weight of the heuristic; above 1, weighted A*."] = 1.0,
    alpha_s: Annotated[float, Range(0, 1), "Learning rate of the cells around the one entered."] = 0.0,
    around: Annotated[int, Range(1, 32), "How far, in cells, those lie from the one entered."] = 1,
    fading: Annotated[float, Range(0, 1), "Factor of their learning rate for each cell of distance."] = 1.0,
    rule: Annotated[
        Literal["text", "simulator", "average"],
        "What learns: both cells of a move (text), or the one entered (simulator); average: vectors of length 1.",
    ] = "text",
    decay: Annotated[
        float, Range(0, 1, open="high"), "The share of its length that a vector loses in a unit of time."
    ] = 0.0,
    unvisited: Annotated[
        Literal["free", "half"], "Extra cost of a cell without a vector: none, or half of w_max."
    ] = "free",
    window: Annotated[float, Range(0, 1000), "How far from the agent the vectors are known; 0 for everywhere."] = 0.0,
    local: Annotated[
        float, Range(0, 1000), "How far an agent sees vectors, of which it keeps its own copies; 0 for one map."
    ] = 0.0,
    predict: Annotated[bool, "Whether only agents that the map leads towards this one are walls."] = False,
    rewards: Annotated[bool, "Whether an agent teaches the map on arrival, more if its way was straight."] = False,
    sector: Annotated[int, Range(0, 128), "Cells to a side of a region, for paths on two levels; 0 for one."] = 0,
    refinement: Annotated[Literal["full", "partial"], "How much of a path over regions is refined."] = "partial",
    lanes: Annotated[Literal["cells", "sectors", "both"], "With sectors: what has vectors."] = "cells",
    saved: Annotated[str, "The file of a map to begin with."] = "",
) -> Controller:
    """Return a controller of the agents of `problem` by direction maps; `DirectionMap` says how they learn."""
    rules: dict[str, Any] = {"alpha_s": alpha_s, "around": around, "fading": fading, "rule": rule, "decay": decay}
    if saved:
        learned = DirectionMap.load(saved, problem.grid, alpha, **rules)
    else:
        learned = DirectionMap(problem.grid, alpha, **rules)
    check_ranges(window, local, sector)
    check(problem)
    arrays = new_arrays(
        problem, learned.lanes, w_max=w_max, radius=radius, weight=weight, floor=UNVISITED[unvisited], window=window,
        local=local, predicts=predict, rewards=rewards,
    )  # fmt: skip
    if not sector:
        if lanes != "cells":
            raise BadInput(f"lanes cannot be {lanes!r} without sectors: give the option sector")
        return Laned(problem, learned, arrays)
    from wayfolk.algorithms.controllers.direction_map.sectors import Sectored

    return Sectored(problem, learned, arrays, sector, refinement, lanes, w_max)


class Laned(Controller):
    """Gives each agent a path along the lanes. `map` is what all agents know, as of the last planning."""

    lookahead = 512

    def __init__(self, problem: Problem, learned: DirectionMap, arrays: DirectionArrays) -> None:
        super().__init__(problem.n_agents)
        self.map = learned
        self.arrays = arrays

    def prepare(self, view: View) -> None:
        """Plan on the map as it is known."""
        self.arrays = prepared(self.arrays, view)

    def update(self, view: View, change: Change) -> None:
        """Make places for those who have joined; plan on the changed map. Vectors of new walls are forgotten."""
        self.prepare(view)

    def remember(self, memory: "Memory") -> None:
        """Vectors, and what of the log they were learned from."""
        self.arrays = remembered(memory, self.arrays)

    def make_room(self, view: View) -> None:
        """Enlarge the queue of the search, or the pool of agents' own vectors, unless planning has only paused."""
        if not self.arrays.counts[IS_PAUSED]:
            self.arrays = with_room(self.arrays)

    def first_row(self) -> int:
        """The first row that the map has not learned from; with `rewards`, the first of a walk that goes on."""
        return first_row(self.arrays)

    def forget_rows(self, n_rows: int) -> None:
        """Count rows from the first that is left."""
        forget_rows(self.arrays, n_rows)


def _plan_routes(arrays, crew, log, now):
    """Plan for one asked agent after another; how many have a route before it pauses or there is no more room."""
    numbers, path, counts = asked(crew), arrays.path, arrays.counts
    spent, counts[IS_PAUSED] = 0, 0
    if not catch_up(arrays, log, now):
        return 0
    for k in range(numbers.size):
        number = numbers[k]
        if rests_on_goal(crew, number):
            continue
        if spent >= SLICE:
            counts[IS_PAUSED] = 1
            return k
        start, goal = crew.agents[number]["here"], crew.agents[number]["goal"]
        crowd = view_for(arrays, crew, number, start, goal)
        code, n = find_route(arrays, crowd, start, goal)
        put_back(arrays, number, start)
        if code == FULL:
            return k
        report(crew, number, arrays.memory.counts[EXPANDED])
        spent += arrays.memory.counts[EXPANDED]
        if code == FOUND:
            if n > 0 and is_in_the_way(crowd, goal):
                n -= 1  # do not run into the agent that stands on the goal
            if n == 0:
                n = step_aside(crowd, crew.agents[number], path)
            if arrays.knows == WINDOW:
                n = _cut(arrays, path, n, start)
        follow(crew, number, path, n)
    return numbers.size


planned_by(DirectionArrays, _plan_routes)


@inner
def _cut(arrays, route, n_route, start):
    """How much of a route lies within the window; one step at least."""
    far, stride = arrays.far, arrays.lanes.graph.stride
    for step in range(1, n_route):
        dy = route[step] // stride - start // stride
        dx = route[step] % stride - start % stride
        if dx * dx + dy * dy > far * far:
            return step
    return n_route
