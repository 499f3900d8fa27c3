"""Right of way: one robot goes to its goal, and the robots on its way make room for it, whoever they are.

Robots that do not come nearer to their goals are stuck for as long as their controller does not find a way out. A right of
way is one: the robots on a way to the goal move to empty cells beside it, each of them pushing those between, and the robot
follows. If that cannot be done, because the cells beyond are full, the robot first makes room itself: it goes to a
place where it is in nobody's way, lets the others out, and walks from there.

Guarantees  a right of way, if near the robot there is a cell that can be left out of the map, and there are as many empty
            cells as the ways to it and from it to the goal are long.
Cost        a search of the cells around each robot that stands on the way.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from itertools import islice

from wayfolk.simulation.adjacency import Adjacency, way_back
from wayfolk.simulation.parking_places import is_dispensable

MOST_CELLS = 1 << 16
"""How many cells are looked at for one way."""
MOST_PLACES = 16
"""How many places are tried from which to let others out."""
OCCUPIED = 4
"""What a cell with a robot adds to the length of a way: a detour of so many steps is better."""

Steps = list[dict[int, int]]


@dataclass
class RightOfWay:
    """The steps that are left: the cells to which robots move, all at once; no step is done since the time `since`.

    `area` are the cells of all steps and those beside them: robots there do nothing else until the last step is done, so
    that nobody enters a cell of the right of way.
    """

    steps: deque[dict[int, int]]
    area: frozenset[int]
    since: float


def right_of_way(
    adjacency: Adjacency,
    robots: dict[int, int],
    fixed: frozenset[int],
    here: int,
    goal: int,
    *,
    now: float,
    reach: int = MOST_CELLS,
) -> RightOfWay | None:
    """The right of way of the robot at `here` to `goal`, or for the first `reach` steps; None if there is none.

    `robots` are the robots that can be moved, by their cells; others stand on the cells `fixed`.
    """
    steps = _advance(adjacency, dict(robots), fixed, here, goal, reach)
    if steps is None:
        steps = _by_way_of_another_place(adjacency, robots, fixed, here, goal)
    if steps is None:
        return None
    begin = {robot: cell for cell, robot in robots.items()}
    cells = {cell for step in steps for robot, end in step.items() for cell in (begin[robot], end)}
    return RightOfWay(deque(_at_once(steps, begin)), frozenset(cells).union(*(adjacency[cell] for cell in cells)), now)


def _by_way_of_another_place(
    adjacency: Adjacency, robots: dict[int, int], fixed: frozenset[int], here: int, goal: int
) -> Steps | None:
    """Let the robot make room at a place that can be left out of the map, and go to its goal from there."""
    if _way(adjacency, robots, fixed, here, goal) is None:
        return None
    tried = 0
    for place in adjacency.nearest_first(here, lambda cell: cell not in fixed, MOST_CELLS):
        if place in (here, goal) or not is_dispensable(adjacency, place, fixed):
            continue
        after = dict(robots)
        away = _advance(adjacency, after, fixed, here, place)
        back = None if away is None else _advance(adjacency, after, fixed, place, goal)
        if away is not None and back is not None:
            return away + back
        tried += 1
        if tried == MOST_PLACES:
            break
    return None


def _advance(
    adjacency: Adjacency, robots: dict[int, int], fixed: frozenset[int], here: int, goal: int, reach: int = MOST_CELLS
) -> Steps | None:
    """Clear the first `reach` steps of a way from `here` to `goal`, and walk them; `robots` are then where they end."""
    way = _way(adjacency, robots, fixed, here, goal)
    if way is None:
        return None
    way = way[:reach]
    steps: Steps = []
    for cell in way:
        if cell in robots:
            chain = _chain(adjacency, robots, fixed, here, cell, set(way))
            if chain is None:
                return None
            steps += _shift(robots, chain)
    robot = robots.pop(here)
    robots[way[-1] if way else here] = robot
    return steps + [{robot: cell} for cell in way]


def _way(adjacency: Adjacency, robots: dict[int, int], fixed: frozenset[int], here: int, goal: int) -> list[int] | None:
    """The cells of a short way after `here`, with few robots on it."""
    costs, came, queue = {here: 0}, {here: here}, [(0, here)]
    while queue and len(costs) < MOST_CELLS:
        cost, cell = heapq.heappop(queue)
        if cell == goal:
            return way_back(came, goal)[-2::-1]
        if cost > costs[cell]:
            continue
        for there in adjacency[cell]:
            total = cost + 1 + (OCCUPIED if there in robots else 0)
            if there not in fixed and total < costs.get(there, total + 1):
                costs[there], came[there] = total, cell
                heapq.heappush(queue, (total, there))
    return None


def _chain(
    adjacency: Adjacency, robots: dict[int, int], fixed: frozenset[int], here: int, cell: int, way: set[int]
) -> list[int] | None:
    """The cells from the nearest empty one that is not on the way, to `cell`; they do not lead through `here`."""
    came: dict[int, int] = {}
    for there in adjacency.nearest_first(cell, lambda one: one != here and one not in fixed, MOST_CELLS, came):
        if there not in robots and there not in way:
            return way_back(came, there)
    return None


def _shift(robots: dict[int, int], chain: list[int]) -> Steps:
    """Let the robots on a chain move up, so that its first cell is taken, its last one empty, and all others as before."""
    spots = [k for k, cell in enumerate(chain) if cell in robots]
    ends = [0, *spots[:-1]]
    names = [robots.pop(chain[k]) for k in spots]
    steps: Steps = []
    for step in range(1, max(spot - end for spot, end in zip(spots, ends, strict=True)) + 1):
        moves = zip(names, spots, ends, strict=True)
        steps.append({name: chain[spot - step] for name, spot, end in moves if spot - step >= end})
    for name, end in zip(names, ends, strict=True):
        robots[chain[end]] = name
    return steps


def _at_once(steps: Steps, begin: dict[int, int]) -> Steps:
    """The same moves, each as early as possible: a robot enters a cell when all that are to be there before have left."""
    ways: dict[int, deque[int]] = {}
    visits: dict[int, deque[int]] = {}
    for robot, cell in ((robot, cell) for step in steps for robot, cell in step.items()):
        if robot not in ways:
            ways[robot] = deque()
            visits.setdefault(begin[robot], deque()).appendleft(robot)
        ways[robot].append(cell)
        visits.setdefault(cell, deque()).append(robot)
    here = {robot: begin[robot] for robot in ways}
    sooner: Steps = []
    while ways:
        step: dict[int, int] = {}
        found = True
        while found:  # a robot may enter a cell that another leaves in the same step
            found = False
            for robot, way in ways.items():
                if robot in step:
                    continue
                before = list(islice(visits[way[0]], 2))
                if before[0] == robot or (before[0] in step and before[1] == robot and here[before[0]] == way[0]):
                    step[robot] = way[0]
                    found = True
        for robot, cell in step.items():
            visits[here[robot]].popleft()
            here[robot] = cell
            ways[robot].popleft()
            if not ways[robot]:
                del ways[robot]
        sooner.append(step)
    return sooner
