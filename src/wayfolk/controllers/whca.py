"""WHCA*: everybody plans a few steps ahead in space and time, around what the others have planned.

Silver, "Cooperative pathfinding", 2005, "Windowed Hierarchical Cooperative A*";
Jansen, "Direction Maps", 2008, section 2.5.

Finds    for each agent the cheapest way to spend the next `window` steps, counted with the true distance that is left. An
         agent on its goal plans too, so that it steps aside and comes back. Nothing is promised for all of them.
Keeps    in the `steps` time model no move is ever refused as long as every agent finds a way: reserved ways do not collide.
Takes    a search of bounded depth for each agent every half window; Reverse Resumable A*, kept from window to window.
Differs  an agent without a way stays where it is, keeps its cell for the whole window and tries again after one step. Who
         plans first moves on by one agent at each round. Where moves take as long as they are far, a slot is a twelfth
         of a step, and a diagonal takes 17: reservations then fit only to within a slot, and in a crowd some moves are
         refused.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.controllers import Controller, View
from wayfolk.errors import BadInput
from wayfolk.grid import Moves
from wayfolk.kernels import reservations, rra, space_time
from wayfolk.kernels.crew import N_ASKED, note
from wayfolk.kernels.jit import inner
from wayfolk.kernels.mind import thinking
from wayfolk.kernels.reservations import NOBODY, holder, release, reserve
from wayfolk.problem import Problem
from wayfolk.record import THOUGHT

PAPER = "Silver 2005; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "all"

FINE = 12  # slots of a step where a diagonal takes longer than a straight move
LAST = np.int32(2**31 - 3)
ENOUGH = 1 << 15  # expansions after which a window counts as having no way


def begin(problem: Problem, *, seed: int = 0, window: int = 16, resume: bool = True) -> Controller:
    """Agents that cooperate for `window` steps and replan after half of them. Nothing is random.

    Without `resume` the search back from the goal begins anew in every window, as Jansen describes it: the same ways, and
    more cells expanded.
    """
    if not 2 <= window <= 1000:
        raise BadInput(f"window must be from 2 to 1000 steps, not {window}")
    return Windowed(problem, window, resume)


class Windowed(Controller):
    """Everyone with a reserved way through the next window."""

    def __init__(self, problem: Problem, window: int, resume: bool) -> None:
        super().__init__(problem.n_agents)
        self.window, self.lookahead, self.resume = window, window, resume

    def prepare(self, view: View) -> None:
        """Begin anew with the map and the agents as they are."""
        grid, n, lasts = view.grid, len(view.here), view.crew.lasts
        per_step = 1 if lasts[4] == lasts[0] else FINE
        diagonal = 2 * per_step if grid.moves is Moves.FOUR else round(per_step * lasts[4])
        n_cells = grid.n_cells
        self.mind = WindowMind(
            space_time.Rules(
                grid.legal, grid.offsets, np.array([per_step] * 4 + [diagonal] * 4 + [per_step], np.int32),
                np.full(n_cells, space_time.NEVER, np.int32), np.zeros(n_cells, np.int32),
            ),
            reservations.new_reservations(2 * n * (self.window + 3) * per_step),
            space_time.new_nodes(1 << 13),
            rra.new_rra(grid, n, per_step, diagonal),
            np.zeros((n, self.window + 3), np.int32), np.zeros((n, self.window + 3), np.int32),
            np.zeros(n, np.int32), np.full(n, NOBODY, np.int32), np.zeros(2 * n, np.int32), np.zeros(n, np.int32),
            np.zeros(1, np.int64),
            per_step, self.window * per_step, self.resume,
        )  # fmt: skip

    def decide(self, view: View) -> None:
        """Make room."""
        self.mind = self.mind._replace(nodes=space_time.grown(self.mind.nodes))


class WindowMind(NamedTuple):
    """Reservations, searches, and each agent's way through the window, with the slot before it."""

    rules: space_time.Rules
    table: reservations.Reservations
    nodes: space_time.Nodes
    searches: rra.Rra
    cells: NDArray[np.int32]
    slots: NDArray[np.int32]
    n_way: NDArray[np.int32]
    parked_at: NDArray[np.int32]
    seats: NDArray[np.int32]
    order: NDArray[np.int32]
    turn: NDArray[np.int64]
    per_step: int
    span: int
    resume: bool


def _think(mind, crew, log, now):
    """Plan a window for those who ask, another one of them first each time; how many could be served."""
    agents, n_asked = crew.agents, crew.counts[N_ASKED]
    slot = np.int64(now * mind.per_step + 0.5)
    asked = crew.asked[:n_asked]
    mind.seats[:] = NOBODY
    for agent in asked:
        # whoever rests on the goal plans last, and steps aside for the others
        rests = agents[agent]["here"] == agents[agent]["goal"]
        mind.seats[(agent - mind.turn[0]) % agents.size + (agents.size if rests else 0)] = agent
    order = mind.order[:n_asked]
    n = 0
    for agent in mind.seats:
        if agent != NOBODY:
            order[n] = agent
            n += 1
    mind.turn[0] += 1
    _make_room(mind, crew, order, slot)
    for k in range(n_asked):
        if not _plan(mind, crew, log, now, order[k], slot):
            return k
    return n_asked


thinking(WindowMind, _think)


@inner
def _make_room(mind, crew, order, slot):
    """Drop the ways of those who plan now or are idle; keep everybody's present cell from being overrun."""
    agents = crew.agents
    for agent in range(agents.size):
        if mind.parked_at[agent] != NOBODY:
            mind.rules.parked[mind.parked_at[agent]] = space_time.NEVER
            mind.parked_at[agent] = NOBODY
    for agent in range(agents.size):
        idle = agents[agent]["done"] or not agents[agent]["ours"]
        if idle or not agents[agent]["present"]:
            _drop_way(mind, agent)
        if idle and agents[agent]["present"]:
            mind.parked_at[agent] = agents[agent]["here"]
            mind.rules.parked[agents[agent]["here"]] = 0
    for agent in order:
        _drop_way(mind, agent)
    for agent in order:
        _stay(mind.table, agents[agent]["here"], slot - 1, slot + mind.per_step, agent)


@inner
def _drop_way(mind, agent):
    space_time.let_go(mind.table, mind.cells[agent], mind.slots[agent], mind.n_way[agent], agent)
    mind.n_way[agent] = 0


@inner
def _plan(mind, crew, log, now, agent, slot):
    """Find and reserve a way for one agent; False if the tree was full."""
    table, nodes, searches = mind.table, mind.nodes, mind.searches
    cells, slots = mind.cells[agent], mind.slots[agent]
    start, goal = crew.agents[agent]["here"], crew.agents[agent]["goal"]
    if not mind.resume:
        rra.forget(searches, agent)
    rra.aim(searches, agent, goal, start)
    before = rra.expansions(searches, agent)
    space_time.seed(nodes, start, slot, LAST)
    code = space_time.advance(mind.rules, table, nodes, searches, True, agent, goal, slot + mind.span, ENOUGH)
    if code == space_time.FULL:
        return False
    spent = nodes.counts[space_time.EXPANDED] + rra.expansions(searches, agent) - before
    note(log, crew.counts, now, agent, THOUGHT, spent)
    for t in range(slot - 1, slot + mind.per_step):
        release(table, start, t, agent)
    # a way begins with the slot before it, so that others see who comes from where
    cells[0], slots[0] = start, slot - 1
    if code == space_time.FOUND:
        n = space_time.trace(nodes, cells[1:], slots[1:]) + 1
        space_time.hold(table, cells, slots, n, agent)
        used = 0
        while used < n - 2 and slots[used + 1] - slot < mind.span // 2:
            crew.route[agent, used] = cells[used + 2]
            used += 1
    else:
        n, used = 2, 1
        cells[1], slots[1] = start, slot + mind.span
        _stay(table, start, slot - 1, slot + mind.span, agent)
        crew.route[agent, 0] = start
    mind.n_way[agent] = n
    crew.agents[agent]["n_route"] = used
    return True


@inner
def _stay(table, cell, slot, end, agent):
    """Hold `cell` wherever nobody does."""
    for t in range(slot, end):
        if holder(table, cell, t) == NOBODY:
            reserve(table, cell, t, agent)
