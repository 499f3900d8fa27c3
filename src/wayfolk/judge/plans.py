"""The judge of plans: which rules a plan breaks. It imports no algorithm; `records.py` judges simulations.

In a legal plan every agent is on a free cell at every step, and moves from step to step by a single legal step or not at
all. No two agents are in one cell, swap cells, or cross on the two diagonals of a 2 x 2 block. Following closely is
legal, and so are rotations of three or more agents. `body_plans` judges larger bodies and other worlds.

The judge computes which steps are legal from `free`, `links` and `moves`, and not from the byte that searches use, so that
it does not repeat their mistakes. A straight step needs two free cells without a cliff between them. A diagonal step is
legal if the straight steps around the corner are: both ways around (EIGHT) or at least one way (EIGHT_CUTTING).

Faults are data: the tests, the command line, the playground and every row of an experiment read the same list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadPlan
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid, Moves

if TYPE_CHECKING:
    from wayfolk.world.state_graph import StateGraph

NOWHERE = 2**31 - 1  # the cell of an agent that is missing
_CHUNK = 1 << 19  # positions judged at a time: what fits the processor's cache, whatever the length of the plan

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_SENTENCES = {
    "size": "the plan and the problem disagree about {who}",
    "start": "{who} starts at {0} instead of {1}",
    "goal": "{who} ends at {0} instead of {1}",
    "wall": "{who} stands in a wall at {0}",
    "jump": "{who} jumps from {0} to {1}",
    "corner": "{who} may not step from {0} to {1}",
    "vertex": "{who} share {0}",
    "swap": "{who} swap {0} and {1}",
    "crossing": "{who} cross between {0} and {1}",
    "near": "{who} come too near to each other on their ways to {0} and {1}",
    "body": "{who} has another body than its problem says, at {0}",
    "vanished": "{who} is nowhere",
    "busy": "{who} moves to {0} before its last move is over",
    "arrive": "{who} is logged to have reached its goal {0}, and has not",
    "turn": "{who} acts towards {0} when it is not its turn",
}
KINDS_OF_FAULT = tuple(_SENTENCES)
"""Every kind of fault. The last three are found in records only."""


@dataclass(frozen=True)
class Fault:
    """A broken rule: what kind, when, who, and where.

    `step` counts the steps of a plan (a move from step 11 to 12 is at 12); in a record it is the time of the row.
    """

    SENTENCES: ClassVar[Mapping[str, str]] = _SENTENCES
    """What each kind of fault means; a lower one is listed first within a step."""

    kind: str
    step: float
    agents: tuple[int, ...]
    places: tuple[Any, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fault as plain lists and numbers, for JSON."""
        places = [list(place) if isinstance(place, tuple) else place for place in self.places]
        return {"kind": self.kind, "step": self.step, "agents": list(self.agents), "places": places, "text": str(self)}

    def __str__(self) -> str:
        names = [str(agent) for agent in self.agents]
        if len(names) > 6:
            names = [*names[:5], f"{len(names) - 5} more"]
        who = f"agents {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f"agent {''.join(names)}"
        when = f"step {self.step}" if isinstance(self.step, int) else f"time {self.step:.10g}"
        return f"{when}: {self.SENTENCES[self.kind].format(*self.places, who=who)}"


def check(
    plan: Plan,
    problem: Problem | None = None,
    *,
    starts: ArrayLike | None = None,
    goals: ArrayLike | None = None,
    arrive: bool = True,
    limit: int = 1000,
) -> list[Fault]:
    """Return the first `limit` faults of `plan`, by step; an empty list is a legal plan.

    Starts, goals and the map are those of `problem`. Without a problem, `starts` and `goals` (cells, one for each agent)
    are used as far as they are given, on the plan's own map. With `arrive=False` no agent needs to reach its goal. Agents
    that patrol must visit their goals in turn, as often as they loop; agents with an endless stream of tasks need not
    arrive.
    """
    cells = np.asarray(plan.cells, dtype=np.int64)
    if cells.ndim != 2:
        raise BadPlan(f"a plan has a row of cells for each step, this has the shape {cells.shape}")
    if not isinstance(plan.states, Grid) or not (problem is None or problem.is_plain):
        from wayfolk.judge.body_plans import check_bodies

        return check_bodies(plan, problem, starts=starts, goals=goals, arrive=arrive, limit=limit)
    grid = plan.grid if problem is None else problem.grid
    if (plan.grid.width, plan.grid.height) != (grid.width, grid.height):
        raise BadPlan(
            f"the plan is for a {plan.grid.width} x {plan.grid.height} map, "
            f"the problem for one of {grid.width} x {grid.height}"
        )
    if not len(cells):
        cells = np.full((1, cells.shape[1]), NOWHERE, dtype=np.int64)
    judge = Judge(grid, limit)
    if problem is not None:
        starts = problem.starts if starts is None else starts
        goals = problem.goals if goals is None and problem.is_one_shot else goals
    if starts is not None:
        judge.compare("start", cells[0], np.asarray(starts), 0)
    height = max(_CHUNK // max(cells.shape[1], 1), 1)
    for first in range(0, len(cells), height):
        labels = np.arange(first, min(first + height, len(cells)))
        judge.standing(cells[labels], labels)
        before = max(first - 1, 0)
        judge.moving(cells[before : first + height], np.arange(before, labels[-1] + 1))
        if len(judge.faults) >= limit:
            break
    if arrive and goals is not None:
        judge.compare("goal", cells[-1], np.asarray(goals), len(cells) - 1)
    elif arrive and problem is not None and not problem.pool.size:
        judge.compare("goal", cells[-1], _next_goals(cells, problem), len(cells) - 1)
    return judge.verdict()


class FaultList:
    """The faults found so far of agents on these nodes."""

    fault: type[Fault] = Fault

    def __init__(self, states: Grid | StateGraph, limit: int) -> None:
        self.states, self.limit = states, max(limit, 0)
        self.faults: list[Fault] = []

    def add(self, kind: str, step: float, agents: ArrayLike, *cells: int) -> None:
        """Add one fault of several agents."""
        names = tuple(np.unique(agents).tolist())
        self.faults.append(self.fault(kind, step, names, tuple(self.states.place(cell) for cell in cells)))

    def single(self, kind: str, steps: NDArray[Any], agents: NDArray[Any], *cells: NDArray[Any]) -> None:
        """Add a fault for each row of `steps`, `agents` and `cells`, up to the limit; rows are ordered by step."""
        for step, agent, *at in zip(*(rows[: self.limit].tolist() for rows in (steps, agents, *cells)), strict=True):
            self.add(kind, step, [agent], *at)

    def verdict(self) -> list[Fault]:
        """Return the first faults, by step."""
        rank = {kind: number for number, kind in enumerate(self.fault.SENTENCES)}
        key = lambda fault: (fault.step, rank[fault.kind], fault.agents, str(fault.places))  # noqa: E731
        return sorted(self.faults, key=key)[: self.limit]

    def compare(self, kind: str, stand: Ints, wanted: NDArray[Any], step: int) -> None:
        """Add a fault for each agent that is not where `wanted` says; NOWHERE stands for any place."""
        if len(stand) != len(wanted):
            odd = range(*sorted((len(stand), len(wanted))))
            if not any(fault.kind == "size" for fault in self.faults):
                self.add("size", 0, list(odd))
        both = min(len(stand), len(wanted))
        stand, wanted = stand[:both], wanted[:both]
        wrong = np.flatnonzero((stand != wanted) & (wanted != NOWHERE) & (stand != NOWHERE))
        self.single(kind, np.full(len(wrong), step), wrong, stand[wrong], wanted[wrong])


class Judge(FaultList):
    """The rules of a map, and the faults found so far; the judge of records uses it too."""

    def __init__(self, grid: Grid, limit: int) -> None:
        super().__init__(grid, limit)
        self.grid = grid
        everywhere = np.full(grid.free.shape, OPEN_EAST | OPEN_SOUTH, dtype=np.uint8)
        links = np.pad(everywhere if grid.links is None else grid.links, 1).ravel()
        self.free = np.pad(grid.free, 1).ravel()
        self.open_east, self.open_south = links & OPEN_EAST > 0, links & OPEN_SOUTH > 0

    def is_free(self, cells: Ints) -> Mask:
        """Whether each of `cells` is free; cells outside the map are not."""
        inside = self.is_inside(cells)
        free: Mask = inside & self.free[np.where(inside, cells, 0)]
        return free

    def is_inside(self, cells: Ints) -> Mask:
        """Whether each of `cells` is in the padded map."""
        inside: Mask = (cells >= 0) & (cells < self.grid.n_cells)
        return inside

    def steps(self, here: Ints, there: Ints) -> tuple[Mask, Mask]:
        """Which moves are no single step, and which single steps between free cells are forbidden."""
        dy, dx = np.subtract(np.divmod(there, self.grid.stride), np.divmod(here, self.grid.stride))
        jump = (np.abs(dx) > 1) | (np.abs(dy) > 1) | (here == there)
        single = np.flatnonzero(~jump & self.is_free(here) & self.is_free(there))
        here, there, dx = here[single], there[single], dx[single]
        # around the corner: first along the row, or first along the column; a straight step has only one way
        across, along = here + dx, there - dx
        row_first = self._opens(self.open_east, here, across) & self._opens(self.open_south, across, there)
        column_first = self._opens(self.open_south, here, along) & self._opens(self.open_east, along, there)
        if self.grid.moves is Moves.EIGHT_CUTTING:
            allowed = row_first | column_first
        else:
            allowed = row_first & column_first
        if self.grid.moves is Moves.FOUR:
            allowed &= (across == here) | (across == there)
        corner = np.zeros(len(jump), dtype=bool)
        corner[single] = ~allowed
        return jump, corner

    def _opens(self, no_cliff: Mask, one: Ints, other: Ints) -> Mask:
        """Whether a straight step joins two cells, or they are the same."""
        joined: Mask = (one == other) | (self.free[one] & self.free[other] & no_cliff[np.minimum(one, other)])
        return joined

    def standing(self, cells: Ints, labels: NDArray[Any]) -> None:
        """Judge the rows of `cells`: agents that are missing, in walls, or two in one cell."""
        row, agent = np.nonzero(cells == NOWHERE)
        self.single("vanished", labels[row], agent)
        row, agent = np.nonzero(~self.is_free(cells) & (cells != NOWHERE))
        self.single("wall", labels[row], agent, cells[row, agent])
        self.sharing(cells, labels)

    def sharing(self, cells: Ints, labels: NDArray[Any]) -> None:
        """Judge whether two agents are in one cell."""
        for row, agents, cell in islice(meetings(cells, self.is_inside(cells), 0), self.limit):
            self.add("vertex", labels[row].item(), agents, cell)

    def moving(self, cells: Ints, labels: NDArray[Any]) -> None:
        """Judge the moves from each row of `cells` to the next, alone and together."""
        here, there = cells[:-1], cells[1:]
        row, agent = np.nonzero((here != there) & (here != NOWHERE) & (there != NOWHERE))
        one, other = here[row, agent], there[row, agent]
        jump, corner = self.steps(one, other)
        for kind, mask in (("jump", jump), ("corner", corner)):
            self.single(kind, labels[row[mask] + 1], agent[mask], one[mask], other[mask])
        self.passing(cells, labels)

    def passing(self, cells: Ints, labels: NDArray[Any]) -> None:
        """Judge which agents swap or cross between the rows of `cells`."""
        here, there = cells[:-1], cells[1:]
        moved = (here != there) & self.is_inside(here) & self.is_inside(there)
        edges = np.minimum(here, there) << 33 | np.maximum(here, there) << 1 | (here < there)
        for row, agents, edge in islice(meetings(edges, moved, 1), self.limit):
            self.add("swap", labels[row + 1].item(), agents, edge >> 32, edge & 0xFFFFFFFF)
        slash = np.abs(there - here) == self.grid.stride - 1
        slanted = slash | (np.abs(there - here) == self.grid.stride + 1)
        blocks = (np.minimum(here, there) - slash) << 1 | slash
        for row, agents, block in islice(meetings(blocks, moved & slanted, 1), self.limit):
            self.add("crossing", labels[row + 1].item(), agents, block, block + self.grid.stride + 1)


def meetings(keys: Ints, taking_part: Mask, differ: int) -> Iterator[tuple[int, Ints, int]]:
    """Yield rows in which two keys are equal (`differ` 0) or differ in the last bit only (1): row, agents, key."""
    nobody = -2 * np.arange(1, keys.shape[1] + 1)  # even, and all different
    keys = np.where(taking_part, keys, nobody)
    ranked = np.sort(keys, axis=1)
    rows, at = np.nonzero((ranked[:, 1:] ^ ranked[:, :-1]) == differ)
    shared = (ranked[rows, at] >> differ).tolist()
    last = None
    for row, key in zip(rows.tolist(), shared, strict=True):
        if (row, key) != last:
            yield row, np.flatnonzero(keys[row] >> differ == key), key
        last = row, key


def _next_goals(cells: Ints, problem: Problem) -> Ints:
    """Return the goal that each agent of a patrol has to visit next; NOWHERE for agents that are done."""
    both = min(cells.shape[1], problem.n_agents)
    routes, agents = problem.routes[:both].astype(np.int64), np.arange(both)
    done, total = np.zeros(both, dtype=np.int64), routes.shape[1] * problem.loops
    for stand in cells[:, :both]:
        done += stand == routes[agents, done % routes.shape[1]]
    missing = np.full(problem.n_agents, NOWHERE, dtype=np.int64)
    missing[:both] = np.where(done < total, routes[agents, done % routes.shape[1]], NOWHERE)
    return missing
