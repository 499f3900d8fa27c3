"""PIBT: agents take their best next cell in order of priority, and push on the agent that stands there.

Okumura, Machida, Defago and Tamura, "Priority inheritance with backtracking for iterative multi-agent path finding",
2022; guidance: Zhang, Jiang, Bhatt, Nikolaidis and Li, "Guidance graph optimization for lifelong multi-agent path
finding", 2024; learned lanes: Jansen, "Direction Maps", 2008.

Guarantees  the next cell for all agents at once, from one step to the next. On maps where every move lies on a cycle each
            agent reaches its goal, though not all of them stand on theirs at the same time.
Invariants  in the `steps` time model no move of ours is refused. The agent that has waited longest for its goal keeps the
            highest priority until it gets there or is stopped at a bridge, and on a cycle it is never held up.
Cost        a few cells for each agent and step; a distance field for each goal in use, searched only as far as needed.
            A field takes half a byte for each cell that was visited if all moves cost the same, else four. All of them
            stay within the `memory` of the simulation; fields for later agents with the same goal are kept as well.
            After an edit of the map only the fields of agents whose distance has changed are searched again, at most 8
            cells for each agent in a step (more only to end a search); until then agents use the old ones.
Deviations  two agents that meet where they cannot pass change places by the swap of LaCAM (Okumura 2023): everywhere if
            agents stay on their goals, else at bridges only, because elsewhere it could keep an agent from its goal. An
            agent that cannot cross a bridge, because there is no room beyond it, loses its priority. A wait costs a step.
            An agent that has finished for good is a wall. In the `distance` time model an agent that is still moving is
            asked to make way and does so when its turn comes, and rings do not turn; nothing is guaranteed there. In other
            worlds and for other bodies than points on a square grid, a move pushes all agents in its way, and large ones
            step aside (see `state_pushes`). There are no bridges, and only points swap. Fields take four bytes for each
            node that was visited, and after an edit all are searched again.

`guidance` chooses the costs of moves. "criss_cross": lanes to the east in even rows and to the west in odd ones, to the
north in even columns and to the south in odd ones; a step costs 1 along them and 2 otherwise. "directions": the cells that
agents leave and enter learn their direction at the rate `alpha`, and a move costs up to `w_max` more against it. Every
`every` steps costs are computed again, and fields are searched again, at most `effort` cells in a step.
"""

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers.pibt import bridges, party, steps
from wayfolk.algorithms.controllers.pibt import fields as guided_fields
from wayfolk.algorithms.controllers.pibt.fields import CHECKED, EPOCH, EXPANDED, NONE
from wayfolk.algorithms.controllers.pibt.guidance import FINE, costliest, criss_cross, plain, reprice
from wayfolk.algorithms.controllers.pibt.nodes import NodePibt
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import inner, kernel
from wayfolk.errors import NotSupported
from wayfolk.kernels.crew import Crew, asked, report, wait
from wayfolk.kernels.direction_map import Lanes, learn
from wayfolk.kernels.edits import with_changes
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.random import new_random
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

PAPER = "Okumura et al. 2022; Zhang et al. 2024; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "all"
WORLDS = "any"

TURN, ROUNDS = range(2)  # places in `counts`
REPAIR = 8  # cells for each agent and step that go into fields, and into bridges, which an edit has changed

NOTE = np.dtype(
    [
        *((name, np.int32) for name in ("goal", "was", "caller", "pulled", "spent")),
        *((name, np.bool_) for name in ("held", "fresh", "lost")),
    ]
)
"""What is remembered of a body."""


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed that decides between equally good cells."] = 0,
    guidance: Annotated[
        Literal["none", "criss_cross", "directions"], "Costs of moves: equal, lanes or learned."
    ] = "none",
    w_max: Annotated[float, Range(0, 100), "Additional cost of a move straight against a learned lane."] = 4.0,
    alpha: Annotated[float, Range(0, 1, "low"), "Rate at which lanes are learned."] = 0.3,
    every: Annotated[int, Range(1, 4611686018427387904), "Steps between two readings of the learned lanes."] = 20,
    effort: Annotated[
        int, Range(1, 1000000000), "Cells of outdated fields that are searched again in a step."
    ] = 50_000,
) -> Controller:
    """A controller that lets the agents of `problem` push each other along."""
    if problem.is_plain:
        return Pibt(problem, guidance, seed, w_max, DirectionMap(problem.grid, alpha), every, effort)
    if guidance != "none":
        raise NotSupported(f"the guidance {guidance} of pibt is for points on square grids only")
    return NodePibt(problem, seed)


class Pibt(Controller):
    """All agents with a next cell; `map` is what was learned."""

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
        """Begin without fields; the order of priority stays."""
        self.grid = view.grid
        assert isinstance(view.crew, Crew)
        grid, n, lasts = view.grid, len(view.here), view.crew.lasts
        learns = self.guidance == "directions"
        prices = criss_cross(grid, lasts[4]) if self.guidance == "criss_cross" else plain(grid, lasts[4])
        base = prices[0].copy()
        most = costliest(prices, self.w_max if learns else 0.0)
        fields = guided_fields.new_guided_fields(grid, n, prices, most, view.memory)
        push = party.new_push(
            fields, bridges.new_bridges(grid), self.order, self.luck, bool(lasts[4] == lasts[0]), self.rests, FINE
        )
        bridges.find_bridges(push.bridges, grid.legal, grid.offsets, fields.shut)
        self.arrays = PushArrays(
            push=push,
            later=np.zeros(n, np.int32),
            lanes=self.map.lanes._replace(graph=grid.graph),
            base=base,
            counts=np.zeros(2, np.int64),
            w_max=float(self.w_max),
            every=self.every,
            effort=self.effort,
            learns=learns,
        )

    def update(self, view: View, change: Change) -> None:
        """Make room for agents that have joined; note where moves have changed, so that fields can be compared."""
        n, n_old = len(view.here), len(self.order)
        if n > n_old:
            self.order = with_rows(self.order, n)
            self.order[n_old:] = np.arange(n_old, n)
        self._forget(view, change)
        if np.count_nonzero(view.present) > len(self.arrays.push.fields.rows):
            self.prepare(view)
            return
        if n > n_old:
            push = self.arrays.push
            bodies = with_rows(push.bodies, n)
            bodies[n_old:] = party.new_bodies(n - n_old)
            push = push._replace(bodies=bodies, order=self.order)
            self.arrays = self.arrays._replace(push=push, later=with_rows(self.arrays.later, n))
        if change.cells.size:
            self._edit(view.grid)

    def _forget(self, view: View, change: Change) -> None:
        """Give back the fields of agents that have left; an agent that had finished and has a new goal is no wall."""
        push = self.arrays.push
        known = change.agents[change.agents < len(push.bodies)]
        for agent in known[~view.present[known]].tolist():
            body = push.bodies[agent]
            if body["row"] != NONE:
                guided_fields.release(push.fields, int(body["row"]))
                body["row"] = body["goal"] = NONE
        walls = view.here[known][push.fields.shut[view.here[known]] != 0]
        if walls.size:
            push.fields.shut[walls] = 0
            push.fields.counts[EPOCH] += 1
            bridges.begin_again(push.bridges)

    def _edit(self, grid: Grid) -> None:
        """The map has changed: fields and bridges are repaired little by little in the next steps."""
        push = self.arrays.push
        fields = push.fields._replace(
            legal=grid.legal, edits=with_changes(push.fields.edits, self.grid.legal, grid.legal)
        )
        push = push._replace(fields=fields, bridges=push.bridges._replace(free=grid.free_cells))
        bridges.begin_again(push.bridges)
        lanes = self.arrays.lanes._replace(graph=grid.graph)
        self.grid, self.arrays = grid, self.arrays._replace(push=push, lanes=lanes)

    def remember(self, memory: "Memory") -> None:
        """Priorities, who waits for whom, and what was learned; distances are searched again when they are needed."""
        arrays, push = self.arrays, self.arrays.push
        memory.permutation("order", self.order)
        memory.luck("luck", self.luck)
        notes = np.zeros(len(push.bodies), NOTE)
        for name in NOTE.names or ():
            notes[name] = push.bodies[name]
        memory.records(
            "bodies", notes, goal=memory.cells_or_none, was=memory.cells_or_none, caller=memory.agents_or_none,
            pulled=memory.cells_or_none, spent=memory.small,
        )  # fmt: skip
        memory.records("keeps", push.keeps, agent=memory.agents_or_none)
        memory.numbers("shut", push.fields.shut, (0, 1))
        memory.numbers("turn", arrays.counts[TURN : TURN + 1], memory.agents)
        memory.numbers("rounds", arrays.counts[ROUNDS : ROUNDS + 1], memory.count)
        if arrays.learns:
            memory.vectors("vectors", arrays.lanes.cells)
            prices = push.fields.prices
            memory.numbers("prices", prices, (int(prices.min()), costliest(prices, self.w_max)))
        if memory.is_read:
            for name in NOTE.names or ():
                push.bodies[name] = notes[name]
            _borrow_all(push, np.ascontiguousarray(memory.view.here))
            bridges.find_bridges(push.bridges, push.fields.legal, push.fields.offsets, push.fields.shut)


class PushArrays(NamedTuple):
    """The arrays of pushing, and the lanes if any are learned; `base` are the costs of moves without lanes."""

    push: party.Push
    later: NDArray[np.int32]
    lanes: Lanes
    base: NDArray[np.int32]
    counts: NDArray[np.int64]
    w_max: float
    every: int
    effort: int
    learns: bool


def _plan_routes(arrays, crew, log, now):
    """Decide for all asked agents; return how many have a route."""
    push, agents, numbers = arrays.push, crew.agents, asked(crew)
    bodies, fields = push.bodies, push.fields
    _park(push, crew)
    slice_of_bridges = min(arrays.effort, REPAIR * push.order.size)
    bridges.go_on(push.bridges, fields.legal, fields.offsets, fields.shut, slice_of_bridges)
    if arrays.learns:
        _learn(arrays, crew, now)
    for number in numbers:
        _aim(push, number, agents[number]["here"], agents[number]["goal"])
    _refresh(arrays, crew)
    steps.rank(push, arrays.later)
    steps.decide(push, crew, now)
    for number in numbers:
        body = bodies[number]
        wait(crew, number, 1)
        crew.route[number, 0] = body["next"]
        if body["spent"] > 0:
            report(crew, number, body["spent"])
            body["spent"] = 0
    return numbers.size


planned_by(PushArrays, _plan_routes)


@kernel
def _borrow_all(push, here):
    """Find the fields of all goals that agents had."""
    for number in range(push.bodies.size):
        body = push.bodies[number]
        if body["goal"] != NONE:
            body["row"] = guided_fields.borrow(push.fields, body["goal"], here[number])


@inner
def _park(push, crew):
    """Make a wall of every agent that has finished for good."""
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
def _learn(arrays, crew, now):
    """Learn from the last moves, and compute the costs again from time to time."""
    bodies, fields = arrays.push.bodies, arrays.push.fields
    for number in asked(crew):
        was, here = bodies[number]["was"], crew.agents[number]["here"]
        if was != NONE and was != here:
            learn(arrays.lanes, was, here, 1.0, now)
        bodies[number]["was"] = here
    arrays.counts[ROUNDS] += 1
    if arrays.counts[ROUNDS] % arrays.every == 0:
        reprice(
            fields.prices,
            arrays.base,
            fields.legal,
            arrays.lanes.graph,
            arrays.lanes.cells,
            crew.occupant,
            arrays.w_max,
        )
        fields.counts[EPOCH] += 1


@inner
def _aim(push, number, here, goal):
    """Find the field of an agent's goal; an agent that has arrived loses its priority."""
    body, fields = push.bodies[number], push.fields
    if body["goal"] != goal:
        if body["row"] != NONE:
            guided_fields.give_back(fields, body["row"])
            body["fresh"] = True
        body["goal"], body["edits"], body["lost"] = goal, 0, False
        body["row"] = guided_fields.borrow(fields, goal, here)
    elif here == goal:
        body["fresh"] = True


@inner
def _refresh(arrays, crew):
    """Search fields again whose costs or distances have changed, one agent after another, up to `effort` cells.

    The fields of agents at cells from which their field leads nowhere come first.
    """
    push, counts = arrays.push, arrays.push.fields.counts
    stop = counts[EXPANDED] + arrays.effort
    repairs_stop = counts[EXPANDED] + counts[CHECKED] + REPAIR * push.order.size
    for number in asked(crew):
        if push.bodies[number]["lost"] and counts[EXPANDED] + counts[CHECKED] < repairs_stop:
            _search_again(push, crew, number)
    for _ in range(push.order.size):
        if counts[EXPANDED] >= stop:
            return
        number = arrays.counts[TURN]
        arrays.counts[TURN] = (number + 1) % push.order.size
        row = push.bodies[number]["row"]
        if row == NONE:
            continue
        may_repair = counts[EXPANDED] + counts[CHECKED] < repairs_stop
        if guided_fields.is_stale(push.fields, row) or (may_repair and _is_wrong(push, crew, number)):
            _search_again(push, crew, number)


@inner
def _search_again(push, crew, number):
    """Begin the field of an agent's goal again, and search as far as its cell."""
    body, fields = push.bodies[number], push.fields
    before = fields.counts[EXPANDED]
    here = crew.agents[number]["here"]
    guided_fields.restart(fields, body["row"], here)
    guided_fields.reach(fields, body["row"], here)
    body["spent"] += fields.counts[EXPANDED] - before
    body["lost"] = False


@inner
def _is_wrong(push, crew, number):
    """Whether an edit of the map has changed the distance of an agent."""
    body, fields = push.bodies[number], push.fields
    n_edits = fields.edits.counts[0]
    first = max(body["edits"], fields.rows[body["row"]]["edits"])
    body["edits"] = n_edits
    if first == n_edits or not guided_fields.is_touched(fields, body["row"], first):
        return False
    return not guided_fields.is_right(fields, body["row"], crew.agents[number]["here"], first)
