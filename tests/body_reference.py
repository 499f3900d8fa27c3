"""Bodies in tiny worlds: the slow, obvious twin of the rule about places, and the least sum of costs by brute force.

A state is `(cell, heading, ahead, heading ahead, part)`: a body at `cell`, or `part` steps on its way from it to `ahead`.
Nothing of the tables that planners read is used, only what a world is: free cells, legal steps, edges and positions.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from reference import TooManyStates, legal_moves
from wayfolk.kernels import codes
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.problem import Problem, random_problem
from wayfolk.world.body import Body
from wayfolk.world.edits import EDITS, edited
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane, Roadmap
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

ROUND = {Moves.FOUR: ((1, 0), (0, 1), (-1, 0), (0, -1))}
ROUND[Moves.EIGHT] = ROUND[Moves.EIGHT_CUTTING] = (
    (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1),
)  # fmt: skip


class State(NamedTuple):
    cell: int
    heading: int
    ahead: int
    heading_ahead: int
    part: int


def state_of(problem: Problem, node: int) -> State:
    """The state that a node of the problem's graph of states stands for."""
    at = problem.states.whereabouts(np.array([node]))
    steps = problem.kinds[int(at.kind[0])].steps
    ends = (int(at.cell[0]), int(at.heading[0]), int(at.ahead[0]), int(at.heading_ahead[0]))
    return State(*ends, round(float(at.share[0]) * steps))


def covered(world, body: Body, cell: int) -> set[int]:
    """The cells under a body."""
    if not isinstance(world, Grid):
        return {cell}
    return {cell + dy * world.stride + dx for dx in range(body.size) for dy in range(body.size)}


def ways(world, body: Body, cell: int, heading: int) -> Iterator[tuple[int, int]]:
    """Where a body that stands there can go, and the heading it has then."""
    if isinstance(world, Grid):
        order = ROUND[world.moves]
        under = covered(world, body, cell)
        x, y = world.place(cell)
        for there in legal_moves(world, cell):
            step = (world.place(there)[0] - x, world.place(there)[1] - y)
            if is_way(world, under, there - cell) or (
                world.moves is Moves.EIGHT_CUTTING and all(step) and goes_around(world, under, step)
            ):
                if not body.turns:
                    yield there, 0
                elif order[heading] == step:
                    yield there, heading
        if body.turns:
            yield cell, (heading + 1) % len(order)
            yield cell, (heading - 1) % len(order)
        return
    for there in set(world.graph.target[world.graph.first[cell] : world.graph.first[cell + 1]].tolist()) - {cell}:
        yield there, 0


def is_way(world: Grid, under: set[int], step: int) -> bool:
    """Whether every cell of a body makes a legal step, which does not cut a corner."""
    wide = Grid(world.free, Moves.EIGHT if world.moves is Moves.EIGHT_CUTTING else world.moves, links=world.links)
    return all(cell + step in legal_moves(wide, cell) for cell in under)


def goes_around(world: Grid, under: set[int], step: tuple[int, int]) -> bool:
    """Whether a body can go around a corner on one of its sides, as a whole."""
    along, across = step[0], step[1] * world.stride
    return any(is_way(world, under, one) and is_way(world, {cell + one for cell in under}, other)
               for one, other in ((along, across), (across, along)))  # fmt: skip


def following(world, body: Body, state: State) -> list[State]:
    """Where a body can be one step later."""
    if state.part:
        if state.part + 1 < body.steps:
            return [state, state._replace(part=state.part + 1)]
        return [state, State(state.ahead, state.heading_ahead, state.ahead, state.heading_ahead, 0)]
    after = [state]
    for there, heading in ways(world, body, state.cell, state.heading):
        if body.steps == 1:
            after.append(State(there, heading, there, heading, 0))
        else:
            after.append(State(state.cell, state.heading, there, heading, 1))
    return after


def point(world, body: Body, state: State) -> np.ndarray:
    """Where the middle of a disc is."""
    begin, end = world.positions[state.cell], world.positions[state.ahead]
    return begin + state.part / body.steps * (end - begin)


def level(world, cell: int) -> object:
    return getattr(world, "levels", {}).get(world.place(cell))


def overlap(world, one: Body, a: State, other: Body, b: State) -> bool:
    """Whether two bodies are in one place."""
    reach = one.radius + other.radius
    if reach > 0.0 and level(world, a.cell) == level(world, b.cell):
        if np.linalg.norm(point(world, one, a) - point(world, other, b)) < reach - 1e-9:
            return True
    places = []
    for body, state in ((one, a), (other, b)):
        is_real = body.radius > 0.0 and state.part > 0
        places.append(set() if is_real else covered(world, body, state.cell) | covered(world, body, state.ahead))
    return bool(places[0] & places[1])


def way_of(before: State, after: State) -> tuple[int, int] | None:
    """The cells between which a body moves during a step, None if it stands."""
    if before.part:
        return before.cell, before.ahead
    return (before.cell, after.ahead) if after.ahead != before.cell else None


def clash(world, one: Body, a: tuple[State, State], other: Body, b: tuple[State, State]) -> bool:
    """Whether two moves in the same step, from states that do not overlap, break the rule."""
    if overlap(world, one, a[1], other, b[1]):
        return True
    reach = one.radius + other.radius
    same_levels = any(level(world, s.cell) == level(world, t.cell) for s, t in itertools.product(a, b))
    if reach > 0.0 and same_levels:
        apart = [point(world, one, s) - point(world, other, t) for s, t in zip(a, b, strict=True)]
        return least_norm(*apart) < reach - 1e-9
    if reach > 0.0:
        return False
    ways_taken = way_of(*a), way_of(*b)
    if None in ways_taken or max(one.size, other.size) > 1:
        return False
    if set(ways_taken[0]) == set(ways_taken[1]):
        return True
    if not isinstance(world, Grid) and not world.is_tiled:
        return False
    middles = [middle(world, way) for way in ways_taken]
    return bool(np.allclose(*middles))


def middle(world, way: tuple[int, int]) -> np.ndarray:
    ends = [world.place(cell) if isinstance(world, Grid) else world.positions[cell] for cell in way]
    return np.add(*map(np.asarray, ends)) / 2


def least_norm(first: np.ndarray, last: np.ndarray) -> float:
    """The least length of a vector that changes from one to the other at a constant rate."""
    change = last - first
    square = float(change @ change)
    when = min(max(-float(first @ change) / square, 0.0), 1.0) if square else 0.0
    return float(np.linalg.norm(first + when * change))


def least_sum_of_costs(problem: Problem, most: int = 60_000) -> int | None:
    """The least sum of the steps after which agents rest on their goals, None if there is no plan."""
    world, n = problem.world, problem.n_agents
    bodies = [problem.body(agent) for agent in range(n)]
    starts = tuple(state_of(problem, int(node)) for node in problem.starts)
    goals = [int(problem.states.cells[goal]) for goal in problem.goals]

    @cache
    def after(agent: int, state: State) -> tuple[State, ...]:
        return tuple(following(world, bodies[agent], state))

    @cache
    def meets(agent: int, a: tuple[State, State], other: int, b: tuple[State, State]) -> bool:
        return clash(world, bodies[agent], a, bodies[other], b)

    def is_home(agent: int, state: State) -> bool:
        return state.part == 0 and state.cell == goals[agent]

    # a node is where all agents are and which of them have finished for good: those stay and cost nothing more
    least = {(starts, (False,) * n): 0}
    queue = [(0, 0, starts, (False,) * n)]
    number = 0
    while queue:
        cost, _, here, done = heapq.heappop(queue)
        if least[here, done] < cost:
            continue
        if all(done):
            return cost
        for agent in range(n):  # to finish costs nothing
            if not done[agent] and is_home(agent, here[agent]):
                rest = (*done[:agent], True, *done[agent + 1 :])
                if cost < least.get((here, rest), math.inf):
                    least[here, rest] = cost
                    number += 1
                    heapq.heappush(queue, (cost, -number, here, rest))
        steps = cost + n - sum(done)
        for there in itertools.product(*(((here[k],) if done[k] else after(k, here[k])) for k in range(n))):
            if steps >= least.get((there, done), math.inf):
                continue
            moves = list(zip(here, there, strict=True))
            if any(meets(a, moves[a], b, moves[b]) for a, b in itertools.combinations(range(n), 2)):
                continue
            least[there, done] = steps
            number += 1
            heapq.heappush(queue, (steps, -number, there, done))
        if len(least) > most:
            raise TooManyStates
    return None


def is_legal_plan(problem: Problem, cells: np.ndarray) -> bool:
    """Whether the rows of nodes are a plan without faults, whatever its start and end."""
    world, n = problem.world, cells.shape[1]
    bodies = [problem.body(agent) for agent in range(n)]
    states = [[state_of(problem, int(node)) for node in row] for row in cells]
    pairs = list(itertools.combinations(range(n), 2))
    if any(overlap(world, bodies[a], states[0][a], bodies[b], states[0][b]) for a, b in pairs):
        return False
    for before, after in itertools.pairwise(states):
        for agent in range(n):
            if after[agent] not in following(world, bodies[agent], before[agent]):
                return False
        for a, b in pairs:
            if clash(world, bodies[a], (before[a], after[a]), bodies[b], (before[b], after[b])):
                return False
    return True


WORLDS = ("squares", "mixed squares", "turning", "turning squares", "slow", "hexagons", "triangles", "voxels", "cubes",
          "graph", "one-way", "discs", "mixed discs", "slow discs")  # fmt: skip


def drawn_world(kind: str, rng: np.random.Generator) -> tuple[Grid | Graph, list[Body]]:
    """A random tiny world of a kind, and the bodies that agents in it may have."""
    free = rng.random(tuple(rng.integers(2, 5, 2))) >= rng.choice([0.0, 0.1, 0.3])
    moves = rng.choice(list(Moves))
    if kind in ("squares", "mixed squares", "turning squares"):
        free = rng.random(tuple(rng.integers(3, 6, 2))) >= rng.choice([0.0, 0.05])
    match kind:
        case "squares":
            return Grid(free, moves), [Body(size=2)]
        case "mixed squares":
            return Grid(free, moves), [Body(), Body(size=2)]
        case "turning":
            return Grid(free, moves), [Body(turns=True)]
        case "turning squares":
            return Grid(free, Moves.FOUR), [Body(turns=True, size=2), Body()]
        case "slow":
            return Grid(free, moves), [Body(speed=0.5), Body()]
        case "hexagons":
            return HexGrid(free, rng.choice(["pointy", "flat"])), [Body()]
        case "triangles":
            return TriangleGrid(free), [Body()]
        case "voxels":
            return Voxels(rng.random((2, 2, 2)) >= 0.1, 6), [Body()]
        case "cubes":
            return Voxels(rng.random((2, 2, 2)) >= 0.2, 26), [Body()]
    return drawn_roadmap(rng, one_way=kind == "one-way"), {
        "graph": [Body()], "one-way": [Body()], "discs": [Body(radius=0.3)],
        "mixed discs": [Body(radius=0.2), Body(radius=0.45), Body()], "slow discs": [Body(radius=0.25, speed=0.5)],
    }[kind]  # fmt: skip


def drawn_roadmap(rng: np.random.Generator, one_way: bool) -> Roadmap:
    """Vertices at random in a small square; lanes between those that are near, so that some of them cross."""
    n = int(rng.integers(3, 9))
    points = rng.random((n, 2)) * 2.5
    places = {f"p{k}": tuple(map(float, points[k])) for k in range(n)}
    lanes = []
    for a, b in itertools.combinations(range(n), 2):
        if rng.random() < (0.9 if np.linalg.norm(points[a] - points[b]) < 1.2 else 0.15):
            ends = (f"p{a}", f"p{b}") if rng.random() < 0.5 else (f"p{b}", f"p{a}")
            lanes.append(Lane(*ends, one_way=bool(one_way and rng.random() < 0.5)))
    return Roadmap(places, lanes or [Lane("p0", "p1")])


def drawn_problem(kind: str, number: int, most_agents: int = 3) -> Problem:
    """Tiny problem `number` of a kind."""
    from wayfolk.errors import WayfolkError

    rng = np.random.default_rng([number, WORLDS.index(kind)])
    while True:
        try:
            world, bodies = drawn_world(kind, rng)
            n_agents = int(rng.integers(2, most_agents + 1))
            each = [bodies[k] for k in rng.integers(len(bodies), size=n_agents)]
            problem = random_problem(world, n_agents, seed=int(rng.integers(1 << 30)), bodies=each)
        except WayfolkError:
            continue
        if not problem.is_plain:
            return problem


@cache
def tiny_problem(kind: str, number: int) -> tuple[Problem, int | None]:
    """Tiny problem `number` of a kind with two or three agents, and the least sum of costs, None if there is no plan."""
    skip = 0
    while True:
        problem = drawn_problem(kind, number + 1000 * skip)
        try:
            return problem, least_sum_of_costs(problem)
        except TooManyStates:
            skip += 1


def judged_moves(problem: Problem, here: list[State], wants: list[State]) -> list[bool]:
    """Which agents move when each wants to go to another state, or to stay: the rule of the referee.

    Agents claim where they go, then how they go there, in the order of numbers, unless one before them claims what is in
    their way. Then all are refused again and again that somebody who stays is in the way of.
    """
    world, n = problem.world, len(here)
    bodies = [problem.kinds[int(kind)] for kind in (problem.kind_of if problem.kind_of.size else np.zeros(n, int))]
    is_open = [wants[k] != here[k] and wants[k] in following(world, bodies[k], here[k]) for k in range(n)]
    for other in range(n):
        is_open[other] = is_open[other] and not any(
            overlap(world, bodies[one], wants[one], bodies[other], wants[other]) for one in range(other) if is_open[one]
        )
    moves = [(here[k], wants[k]) for k in range(n)]
    for other in range(n):
        is_open[other] = is_open[other] and not any(
            clash(world, bodies[one], moves[one], bodies[other], moves[other]) for one in range(other) if is_open[one]
        )
    while True:
        stays = [k for k in range(n) if not is_open[k]]
        refused = [
            k for k in range(n) if is_open[k]
            and any(clash(world, bodies[one], (here[one], here[one]), bodies[k], moves[k]) for one in stays)
        ]  # fmt: skip
        if not refused:
            return is_open
        for k in refused:
            is_open[k] = False


def faults_of_record(record) -> list[str]:
    """What is wrong with the record of a simulation in steps, its rows played one after another."""
    states, here, faults = record.states, {}, []

    def place(node: int) -> tuple[Body, State]:
        at = states.whereabouts(np.array([node]))
        body = states.kinds[int(at.kind[0])]
        ends = (int(at.cell[0]), int(at.heading[0]), int(at.ahead[0]), int(at.heading_ahead[0]))
        return body, State(*ends, round(float(at.share[0]) * body.steps))

    def look(now: float) -> None:
        free = set(states.world.free_cells.tolist())
        for agent, (body, state) in here.items():
            if not (covered(states.world, body, state.cell) | covered(states.world, body, state.ahead)) <= free:
                faults.append(f"{now}: agent {agent} is in a wall")
        for one, other in itertools.combinations(here.values(), 2):
            if overlap(states.world, *one, *other):
                faults.append(f"{now}: {one} and {other} overlap")

    here = {agent: place(node) for agent, node in enumerate(record.starts.tolist()) if node != NOWHERE}
    look(0.0)
    for now in np.unique(record.time).tolist():
        rows = np.flatnonzero(record.time == now)
        for row in rows.tolist():
            kind, agent, cell = int(record.kind[row]), int(record.agent[row]), int(record.cell[row])
            if kind in EDITS:
                states = edited(states, kind, [cell])
            elif kind == codes.JOIN:
                here[agent] = place(cell)
            elif kind == codes.LEAVE:
                del here[agent]
        look(now)
        there = dict(here)
        for row in rows[record.kind[rows] == codes.MOVE].tolist():
            agent, (body, state) = int(record.agent[row]), place(int(record.cell[row]))
            if state not in following(states.world, body, here[agent][1]):
                faults.append(f"{now}: agent {agent} jumps from {here[agent]} to {state}")
            there[agent] = body, state
        for one, other in itertools.combinations(sorted(here), 2):
            ways = ((here[one][1], there[one][1]), (here[other][1], there[other][1]))
            if clash(states.world, here[one][0], ways[0], here[other][0], ways[1]):
                faults.append(f"{now}: agents {one} and {other} meet")
        here = there
    return faults
