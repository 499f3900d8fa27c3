"""WHCA*: everybody plans a few steps ahead in space and time, around what the others have planned.

Silver, "Cooperative pathfinding", 2005, "Windowed Hierarchical Cooperative A*"; document 000, section 2.5.

Finds    for each agent the cheapest way to spend the next `window` steps, counted with the true distance that is left. An
         agent on its goal plans too, so that it steps aside and comes back. Nothing is promised for all of them.
Keeps    in the `steps` time model no move is ever refused as long as every agent finds a way: reserved ways do not collide.
Takes    a search of bounded depth for each agent every half window; Reverse Resumable A*, kept from window to window.
Differs  an agent without a way stays where it is, keeps its cell for the whole window and tries again after one step. Who
         plans first moves on by one agent at each round. Where moves take as long as they are far, a slot is a twelfth
         of a step, and a diagonal takes 17: reservations then fit only to within a slot, and a few moves are refused.
"""

import numpy as np

from wayfolk.controllers import Controller, View
from wayfolk.errors import BadInput
from wayfolk.grid import Moves
from wayfolk.kernels import reservations, rra, space_time
from wayfolk.kernels.jit import kernel
from wayfolk.kernels.reservations import NOBODY, holder, release, reserve
from wayfolk.problem import Problem

PAPER = "Silver 2005; document 000"
OPTIMAL = False
COMPLETE = False
SEES = "all"

FINE = 12  # slots of a step where a diagonal takes longer than a straight move
LAST = np.int32(2**31 - 3)
ENOUGH = 1 << 15  # expansions after which a window counts as having no way


def begin(problem: Problem, *, seed: int = 0, window: int = 16) -> Controller:
    """Agents that cooperate for `window` steps and replan after half of them. Nothing is random."""
    if not 2 <= window <= 1000:
        raise BadInput(f"window must be from 2 to 1000 steps, not {window}")
    return Windowed(problem, window)


class Windowed(Controller):
    """Everyone with a reserved way through the next window."""

    def __init__(self, problem: Problem, window: int) -> None:
        super().__init__(problem.n_agents)
        self.window, self.lookahead = window, window
        self.turn = 0
        self.nodes = space_time.new_nodes(1 << 13)
        self.grid = None

    def _prepare(self, view: View) -> None:
        """Begin anew: at the first call, and when the map or the number of agents has changed."""
        self.grid, n = view.grid, len(view.here)
        per_step = 1 if view.lasts[4] == view.lasts[0] else FINE
        diagonal = 2 * per_step if view.grid.moves is Moves.FOUR else round(per_step * view.lasts[4])
        lasts = np.array([per_step] * 4 + [diagonal] * 4 + [per_step], np.int32)
        self.per_step = per_step
        self.rra = rra.new_rra(view.grid, n, per_step, diagonal)
        self.rules = space_time.Rules(
            view.grid.legal,
            view.grid.offsets,
            lasts,
            np.full(view.grid.n_cells, space_time.NEVER, np.int32),
            np.zeros(view.grid.n_cells, np.int32),
        )
        self.table = reservations.new_reservations(n * self.window * per_step)
        self.ways = np.zeros((n, self.window + 3), np.int32), np.zeros((n, self.window + 3), np.int32)
        self.n_way = np.zeros(n, np.int32)
        self.parked_at = np.full(n, NOBODY, np.int32)

    def decide(self, view: View) -> None:
        """Plan a window for those who ask, the first of them another one each time."""
        if self.grid is not view.grid or len(self.n_way) != len(view.here):
            self._prepare(view)
        n = len(view.here)
        rests = view.here[view.asked] == view.goals[view.asked]
        order = view.asked[np.lexsort(((view.asked - self.turn) % n, rests))]
        self.turn += 1
        slot = int(view.time * self.per_step + 0.5)
        span = self.window * self.per_step
        self.table = reservations.with_room(self.table, (len(order) + 1) * (span + 3 * FINE))
        _make_room(
            self.rules, self.table, self.ways, self.n_way, self.parked_at, order, slot, self.per_step,
            view.here, view.present, view.idle,
        )  # fmt: skip
        first = 0
        while first < len(order):
            first = _plan(
                self.rules, self.table, self.nodes, self.rra, self.ways, self.n_way, order, first, slot, span,
                self.per_step, view.here, view.goals, view.route, view.n_route, self.expanded, self.replans,
            )  # fmt: skip
            if first < len(order):
                self.nodes = space_time.grown(self.nodes)


@kernel
def _make_room(rules, table, ways, n_way, parked_at, order, slot, per_step, here, present, idle):
    """Drop the ways of those who plan now or have left; keep everybody's present cell from being overrun."""
    cells, slots = ways
    for agent in range(here.size):
        if parked_at[agent] != NOBODY:
            rules.parked[parked_at[agent]] = space_time.NEVER
            parked_at[agent] = NOBODY
        if (idle[agent] or not present[agent]) and n_way[agent] > 0:
            space_time.let_go(table, cells[agent], slots[agent], n_way[agent], agent)
            n_way[agent] = 0
    for agent in range(here.size):
        if idle[agent] and present[agent]:
            parked_at[agent] = here[agent]
            rules.parked[here[agent]] = 0
    for agent in order:
        space_time.let_go(table, cells[agent], slots[agent], n_way[agent], agent)
        n_way[agent] = 0
    for agent in order:
        _stay(table, here[agent], slot - 1, slot + per_step, agent)


@kernel
def _stay(table, cell, slot, end, agent):
    """Hold `cell` wherever nobody does."""
    for t in range(slot, end):
        if holder(table, cell, t) == NOBODY:
            reserve(table, cell, t, agent)


@kernel
def _plan(
    rules, table, nodes, searches, ways, n_way, order, first, slot, span, per_step, here, goals, route, n_route,
    expanded, replans,
):  # fmt: skip
    """Plan for each of `order` from number `first` on; the number at which the tree was full, or the end."""
    for k in range(first, order.size):
        agent = order[k]
        cells, slots = ways[0][agent], ways[1][agent]
        start = here[agent]
        rra.aim(searches, agent, goals[agent], start)
        before = rra.expansions(searches, agent)
        space_time.seed(nodes, start, slot, LAST)
        code = space_time.advance(
            rules, table, nodes, searches, True, agent, goals[agent], slot + span, ENOUGH
        )
        expanded[agent] += rra.expansions(searches, agent) - before
        if code == space_time.FULL:
            return k
        expanded[agent] += nodes.count[space_time.EXPANDED]
        replans[agent] += 1
        for t in range(slot - 1, slot + per_step):
            release(table, start, t, agent)
        # a way begins with the slot before it, so that others see who comes from where
        cells[0], slots[0] = start, slot - 1
        if code == space_time.FOUND:
            n = space_time.trace(nodes, cells[1:], slots[1:]) + 1
            space_time.hold(table, cells, slots, n, agent)
            n_way[agent] = n
            used = 0
            while used < n - 2 and slots[used + 1] - slot < span // 2:
                route[agent, used] = cells[used + 2]
                used += 1
            n_route[agent] = used
        else:
            _stay(table, start, slot - 1, slot + span, agent)
            cells[1], slots[1] = start, slot + span
            n_way[agent] = 2
            route[agent, 0] = start
            n_route[agent] = 1
    return order.size
