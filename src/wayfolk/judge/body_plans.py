"""The judge of plans in any world and for any body: an agent's state is a node, and no place holds two agents at once.

    a square of k x k cells    overlaps nobody; each of its cells makes a legal step, around corners all on the same side;
                               1 x 1 squares do not swap or cross
    a robot with a heading     moves along its heading, or turns to the next one where it stands
    points on a graph          are at different nodes, and do not meet in the middle of their moves
    discs on a graph           are never nearer than the sum of their radii while they move along their edges in equal times
    slow bodies                are on their way for several steps; squares and points hold both ends of it, discs are where
                               they really are

The rules are checked from the world itself, its free cells, cliffs, edges and positions, and not from the tables of places
that planners read, so that the judge does not repeat their mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadPlan
from wayfolk.judge.plans import NOWHERE, Fault, FaultList, Ints, Judge, Mask
from wayfolk.kernels.codes import DX, DY
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.roadmap import Roadmap
from wayfolk.world.state_graph import StateGraph, Whereabouts

TOUCH = 1e-7  # discs may overlap by as little as this, because of rounding
ROUND_TURN = {Moves.FOUR: "E S W N", Moves.EIGHT: "E SE S SW W NW N NE", Moves.EIGHT_CUTTING: "E SE S SW W NW N NE"}
NAMES = ("E", "S", "W", "N", "SE", "SW", "NW", "NE")


def check_bodies(
    plan: Plan,
    problem: Problem | None,
    *,
    starts: ArrayLike | None,
    goals: ArrayLike | None,
    arrive: bool,
    limit: int,
) -> list[Fault]:
    """Return the first faults of `plan`; see `check` for the arguments."""
    states = plan.states if problem is None else problem.states
    if not isinstance(states, StateGraph) or not isinstance(plan.states, StateGraph):
        raise BadPlan(f"the plan is for {plan.states!r}, the problem for {states!r}")
    if states.kinds != plan.states.kinds or states.n_cells != plan.states.n_cells:
        raise BadPlan(f"the plan is for {plan.states!r}, the problem for {states!r}")
    cells = np.asarray(plan.cells, np.int64)
    if not len(cells):
        cells = np.full((1, cells.shape[1]), NOWHERE, np.int64)
    judge = BodyJudge(states, limit)
    if problem is not None:
        starts = problem.starts if starts is None else starts
        goals = problem.goals if goals is None and problem.is_one_shot else goals
    if starts is not None:
        judge.compare("start", cells[0], np.asarray(starts), 0)
    for step in range(len(cells)):
        judge.judge_step(cells[max(step - 1, 0)], cells[step], step)
        if len(judge.faults) >= limit:
            break
    if problem is not None and problem.kind_of.size:
        judge.same_bodies(cells, problem)
    if arrive and goals is not None:
        at_end = judge.known(cells[-1])
        last = np.where(at_end, states.stand_of[np.where(at_end, cells[-1], 0)], NOWHERE)
        judge.compare("goal", last, np.asarray(goals), len(cells) - 1)
    return judge.verdict()


class BodyJudge(FaultList):
    """The rules of bodies in a world, and the faults found so far."""

    def __init__(self, states: StateGraph, limit: int) -> None:
        super().__init__(states, limit)
        self.nodes, self.world = states, states.world
        self.sizes = np.array([body.size for body in states.kinds])
        self.radii = np.array([body.radius for body in states.kinds])
        self.speeds = np.array([body.steps for body in states.kinds])
        if isinstance(self.world, Grid):
            self.of_points = Judge(self.world, limit)
            self.turns = np.array([body.turns for body in states.kinds])
            compass = [NAMES.index(name) for name in ROUND_TURN[self.world.moves].split()]
            self.ahead_x, self.ahead_y = np.array(DX)[compass], np.array(DY)[compass]
        else:
            world = self.world
            self.edges = set(world.edges)
            free = np.zeros(world.n_cells, np.bool_)
            free[world.free_cells] = True
            self.free_vertices = free

    def known(self, nodes: Ints) -> Mask:
        """Which numbers are nodes at all."""
        return (nodes >= 0) & (nodes < self.nodes.n_cells)

    def same_bodies(self, cells: Ints, problem: Problem) -> None:
        """Each agent has the body that its problem says."""
        both = min(cells.shape[1], problem.n_agents)
        is_known = self.known(cells[:, :both])
        kinds = np.searchsorted(self.nodes.bases, cells[:, :both], "right") - 1
        step, agent = np.nonzero(is_known & (kinds != problem.kind_of[:both]))
        self.single("body", step, agent, cells[step, agent])

    def judge_step(self, before: Ints, after: Ints, step: int) -> None:
        """Judge where agents are at `step`, and how they came there from the step before."""
        missing = np.flatnonzero(~self.known(after))
        self.single("vanished", np.full(len(missing), step), missing)
        agents = np.flatnonzero(self.known(before) & self.known(after))
        if step == 0:
            self.judge_places(agents, after, step)
        else:
            self.judge_moves(agents, before, after, step)

    def judge_places(self, agents: Ints, after: Ints, step: float) -> None:
        """Judge where these agents are."""
        there = self.nodes.whereabouts(after[agents])
        stands = self._is_on_free_ground(there)
        self.single("wall", np.full((~stands).sum(), step), agents[~stands], after[agents[~stands]])
        for one, other in islice(self._overlaps(there), self.limit):
            at = after[agents[other]] if one == other else after[agents[one]]
            self.add("vertex", step, [agents[one], agents[other]], int(at))

    def judge_moves(self, agents: Ints, before: Ints, after: Ints, step: float) -> None:
        """Judge where these agents are after a step, and how they came there."""
        self.judge_places(agents, after, step)
        here, there = self.nodes.whereabouts(before[agents]), self.nodes.whereabouts(after[agents])
        moved = before[agents] != after[agents]
        jumps = moved & ~self._is_move(here, there)
        self.single("jump", np.full(jumps.sum(), step), agents[jumps], before[agents[jumps]], after[agents[jumps]])
        tight = moved & ~jumps & self._is_too_near_walls(here, there)
        self.single("corner", np.full(tight.sum(), step), agents[tight], before[agents[tight]], after[agents[tight]])
        self._judge_middles(here, there, agents, before, after, step)
        for one, other in islice(self._approaches(here, there), self.limit):
            pair = [agents[one], agents[other]]
            self.add("near", step, pair, int(after[pair[0]]), int(after[pair[1]]))

    def _is_on_free_ground(self, at: Whereabouts) -> Mask:
        """Whether all cells of each body are free, and those to which it is on its way."""
        fits = np.ones(len(at.kind), np.bool_)
        for ends in (at.cell, at.ahead):
            if not isinstance(self.world, Grid):
                fits &= self.free_vertices[ends] & ~self._touches_walls(at.kind, ends, ends)
                continue
            for rows, cells in self._covered(at.kind, ends):
                fits[rows] &= self.of_points.is_free(cells)
        return fits

    def _is_too_near_walls(self, here: Whereabouts, there: Whereabouts) -> Mask:
        """Whether the way of a disc is nearer to a wall than its radius."""
        end = np.where(here.share > 0.0, here.ahead, np.where(there.share > 0.0, there.ahead, there.cell))
        return self._touches_walls(here.kind, here.cell, end)

    def _touches_walls(self, kind: Ints, begin: Ints, end: Ints) -> Mask:
        if not isinstance(self.world, Roadmap) or not self.world.walls:
            return np.zeros(len(kind), np.bool_)
        touches: Mask = self.world.distance_to_walls(begin, end) < self.radii[kind] - TOUCH
        return touches

    def _covered(self, kind: Ints, corner: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Rows of bodies and cells that they cover, for each place in the square."""
        assert isinstance(self.world, Grid)
        for dy in range(int(self.sizes.max())):
            for dx in range(int(self.sizes.max())):
                rows = np.flatnonzero(self.sizes[kind] > max(dx, dy))
                yield rows, corner[rows] + dy * self.world.stride + dx

    def _overlaps(self, at: Whereabouts) -> list[tuple[int, int]]:
        """Pairs of agents that are in one place."""
        held: list[tuple[Ints, Ints]] = []
        rows = np.arange(len(at.kind))
        real = (self.radii[at.kind] > 0.0) & (at.share > 0.0)  # discs on their way: only their distance counts
        for ends in (at.cell, at.ahead):
            if isinstance(self.world, Grid):
                held += [(part, cells) for part, cells in self._covered(at.kind, ends)]
            else:
                held.append((rows[~real], ends[~real]))
        pairs = _sharing(held) | self._near(at, at, self.radii)
        return sorted(pairs)

    def _near(self, here: Whereabouts, there: Whereabouts, radii: NDArray[np.float64]) -> set[tuple[int, int]]:
        """Pairs of agents, one of them a disc, that are too near at some time between the two places."""
        if not radii.any():
            return set()
        start, end = self._points(here), self._points(there)
        level = np.stack([self.nodes.levels[here.cell], self.nodes.levels[there.cell]])
        reach = radii[here.kind]
        order = np.argsort(np.minimum(start[:, 0], end[:, 0]) - reach, kind="stable")
        low = (np.minimum(start[:, 0], end[:, 0]) - reach)[order]
        high = (np.maximum(start[:, 0], end[:, 0]) + reach)[order]
        pairs: set[tuple[int, int]] = set()
        for shift in range(1, len(order)):
            side = low[shift:] < high[:-shift]
            if not side.any():
                break
            one, other = order[:-shift][side], order[shift:][side]
            least = _least_distance(start[one], end[one], start[other], end[other])
            near = least < reach[one] + reach[other] - TOUCH
            near &= (level[:, None, one] == level[None, :, other]).any((0, 1))  # lifts lead from one level to another
            near &= reach[one] + reach[other] > 0.0
            pairs |= {(min(a, b), max(a, b)) for a, b in zip(one[near].tolist(), other[near].tolist(), strict=True)}
        return pairs

    def _points(self, at: Whereabouts) -> NDArray[np.float64]:
        assert not isinstance(self.world, Grid)
        assert self.world.positions is not None
        begin, end = self.world.positions[at.cell], self.world.positions[at.ahead]
        points: NDArray[np.float64] = begin + at.share[:, None] * (end - begin)
        return points

    def _approaches(self, here: Whereabouts, there: Whereabouts) -> list[tuple[int, int]]:
        """Pairs with a disc that are far enough from each other before and after a step, and too near in between."""
        between = self._near(here, there, self.radii)
        if not between:
            return []
        return sorted(between - self._near(here, here, self.radii) - self._near(there, there, self.radii))

    def _is_move(self, here: Whereabouts, there: Whereabouts) -> Mask:
        """Whether one step leads each body from one place to the other."""
        steps = self.speeds[here.kind]
        part, next_part = np.round(here.share * steps), np.round(there.share * steps)
        same_way = (here.ahead == there.ahead) & (here.heading_ahead == there.heading_ahead)
        goes_on = (part > 0) & (next_part == part + 1) & same_way
        goes_on &= (here.cell == there.cell) & (here.heading == there.heading)
        arrives = (part > 0) & (next_part == 0) & (part + 1 == steps)
        arrives &= (there.cell == here.ahead) & (there.heading == here.heading_ahead)
        starts = (part == 0) & (here.cell == there.cell) & (here.heading == there.heading) & (next_part == 1)
        at_once = (part == 0) & (next_part == 0) & (steps == 1)
        begins = starts | at_once
        legal = np.zeros(len(steps), np.bool_)
        rows = np.flatnonzero(begins)
        target = np.where(starts, there.ahead, there.cell)[rows]
        heading = np.where(starts, there.heading_ahead, there.heading)[rows]
        legal[rows] = self._is_legal(here.kind[rows], here.cell[rows], here.heading[rows], target, heading)
        is_move: Mask = (here.kind == there.kind) & (goes_on | arrives | (begins & legal))
        return is_move

    def _is_legal(self, kind: Ints, cell: Ints, heading: Ints, target: Ints, heading2: Ints) -> Mask:
        """Whether the world lets a body go from one cell and heading to another."""
        if not isinstance(self.world, Grid):
            pairs = zip(cell.tolist(), target.tolist(), strict=True)
            return np.array([pair in self.edges for pair in pairs], np.bool_)
        legal = self._slides(kind, cell, target)
        if self.world.moves is Moves.EIGHT_CUTTING:  # a body goes around a corner as a whole, on one side of it
            across = cell - cell % self.world.stride + target % self.world.stride
            along = target - target % self.world.stride + cell % self.world.stride
            slanted = (across != cell) & (across != target)
            around = self._slides(kind, cell, across) & self._slides(kind, across, target)
            around |= self._slides(kind, cell, along) & self._slides(kind, along, target)
            legal &= ~slanted | around
        turning, n = self.turns[kind], len(self.ahead_x)
        step = self.ahead_y[heading] * self.world.stride + self.ahead_x[heading]
        ahead = legal & (heading == heading2) & (target - cell == step)
        turned = (cell == target) & np.isin((heading2 - heading) % n, (1, n - 1))
        allowed: Mask = np.where(turning, ahead | turned, legal)
        return allowed

    def _slides(self, kind: Ints, cell: Ints, target: Ints) -> Mask:
        """Whether each cell of a body makes a legal step."""
        assert isinstance(self.world, Grid)
        legal: Mask = cell != target
        for rows, cells in self._covered(kind, cell):
            jump, corner = self.of_points.steps(cells, cells + target[rows] - cell[rows])
            legal[rows] &= ~jump & ~corner
        return legal

    def _judge_middles(
        self, here: Whereabouts, there: Whereabouts, agents: Ints, before: Ints, after: Ints, step: float
    ) -> None:
        """Points and squares of one cell that meet in the middle of their moves."""
        begin = np.where(here.share > 0.0, here.cell, np.where(there.share > 0.0, there.cell, here.cell))
        end = np.where(here.share > 0.0, here.ahead, np.where(there.share > 0.0, there.ahead, there.cell))
        moving = (begin != end) & (self.radii[here.kind] == 0.0) & (self.sizes[here.kind] == 1)
        rows = np.flatnonzero(moving)
        for one, other in sorted(_sharing([(rows, self._middles(begin[rows], end[rows]))])):
            pair = [agents[one], agents[other]]
            is_swap = {int(begin[one]), int(end[one])} == {int(begin[other]), int(end[other])}
            kind = "swap" if is_swap else "crossing"
            self.add(kind, step, pair, int(before[pair[0]]), int(after[pair[0]]))

    def _middles(self, begin: Ints, end: Ints) -> Ints:
        """A number for the middle of each move."""
        if isinstance(self.world, Grid):
            x, y = (self.world.places(begin).astype(np.int64) + self.world.places(end)).T
            doubled: Ints = y * 4 * self.world.stride + x
            return doubled
        if self.world.is_tiled and self.world.positions is not None:
            points = np.round((self.world.positions[begin] + self.world.positions[end]) * 1e5).astype(np.int64)
            middles: Ints = np.unique(points, axis=0, return_inverse=True)[1].ravel()
            return middles
        return np.minimum(begin, end) * self.world.n_cells + np.maximum(begin, end)


def _sharing(held: list[tuple[Ints, Ints]]) -> set[tuple[int, int]]:
    """Pairs of agents that hold the same place."""
    agents, places = (np.concatenate(side) for side in zip(*held, strict=True))
    order = np.lexsort((agents, places))
    agents, places = agents[order], places[order]
    pairs: set[tuple[int, int]] = set()
    for shift in range(1, len(order)):
        same = (places[shift:] == places[:-shift]) & (agents[shift:] != agents[:-shift])
        if not (places[shift:] == places[:-shift]).any():
            break
        pairs |= set(zip(agents[:-shift][same].tolist(), agents[shift:][same].tolist(), strict=True))
    return pairs


def _least_distance(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The least distance between who goes from `a` to `b` and who goes from `c` to `d` in the same time."""
    apart, later = a - c, b - d
    change: NDArray[Any] = later - apart
    square = (change**2).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        when = np.where(square > 0.0, -(apart * change).sum(1) / square, 0.0).clip(0.0, 1.0)
    least: NDArray[np.float64] = np.linalg.norm(apart + when[:, None] * change, axis=1)
    return least
